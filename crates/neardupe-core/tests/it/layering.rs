//! Inside the core a module uses only modules that stand above it in `lib.rs`, and no crate
//! depends on one that stands after it. The failure names the place.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of each library crate in the order of the flow. The later crates use the earlier ones.
const CRATES: [(&str, &[&str]); 3] = [
    (
        "neardupe-core",
        &[
            "error",
            "numbers",
            "ratio",
            "names",
            "threads",
            "hash",
            "threshold",
            "similarity",
            "value",
            "document",
            "store",
            "text",
            "feature",
            "frequency",
            "signature",
            "candidate",
            "verify",
            "pair",
            "join",
            "cluster",
            "passage",
            "pipeline",
            "eval",
            "synth",
            "trec",
        ],
    ),
    (
        "neardupe-io",
        &[
            "panics", "charset", "compress", "extract", "tables", "output", "result",
            "source", "fetch",
        ],
    ),
    (
        "neardupe-jobs",
        &[
            "numbers",
            "phrases",
            "system",
            "param",
            "exec",
            "job",
            "spec",
            "diff",
            "causes",
            "passage_tables",
            "rewrite",
            "summary",
            "report",
            "history_store",
            "rethreshold",
            "study",
            "trec",
            "truth",
            "kind",
            "registry",
        ],
    ),
];

fn source_of(name: &str) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.join(name).join("src")
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn lib_declares_the_modules_in_this_order() {
    for (name, modules) in CRATES {
        let lib = fs::read_to_string(source_of(name).join("lib.rs")).unwrap();
        let declared: Vec<&str> = lib
            .lines()
            .filter_map(|line| {
                line.strip_prefix("pub mod ").or(line.strip_prefix("mod "))
            })
            .map(|rest| rest.trim_end_matches(';'))
            .collect();
        assert_eq!(declared, modules, "{name}");
    }
}

#[test]
fn modules_use_only_modules_above_them() {
    let mut wrong = Vec::new();
    for (name, modules) in CRATES {
        let source = source_of(name);
        let mut files = Vec::new();
        rust_files(&source, &mut files);
        assert!(files.len() > 30);
        for file in files {
            check_file(name, modules, &source, &file, &mut wrong);
        }
    }
    assert!(
        wrong.is_empty(),
        "modules that use one after them:\n{}",
        wrong.join("\n")
    );
}

fn check_file(
    name: &str,
    modules: &[&str],
    source: &Path,
    file: &Path,
    wrong: &mut Vec<String>,
) {
    let relative = file.strip_prefix(source).unwrap();
    let first = relative
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_string_lossy();
    let module = first.trim_end_matches(".rs");
    if module == "lib" {
        return;
    }
    let own = modules.iter().position(|&one| one == module);
    let own = own.unwrap_or_else(|| panic!("{module} of {name} is not in the order"));
    let text = fs::read_to_string(file).unwrap();
    // Tests may look anywhere.
    let code = text.split("#[cfg(test)]").next().unwrap();
    for (number, line) in code.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        for later in &modules[own + 1..] {
            let used = format!("crate::{later}");
            let is_used = line.match_indices(&used).any(|(at, _)| {
                let next = line[at + used.len()..].chars().next();
                next.is_none_or(|letter| !(letter.is_alphanumeric() || letter == '_'))
            });
            if is_used && !relative.to_string_lossy().ends_with("tests.rs") {
                let place = relative.display();
                wrong.push(format!("{name}/src/{place}:{}: {line}", number + 1));
            }
        }
    }
}

/// Flags are words of the command line: a library names parameters.
#[test]
fn libraries_name_no_flags() {
    let mut wrong = Vec::new();
    for (name, _) in &CRATES[..2] {
        let source = source_of(name);
        let mut files = Vec::new();
        rust_files(&source, &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for (number, line) in text.lines().enumerate() {
                let has_flag = line.match_indices("--").any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    let after = line[at + 2..].chars().next();
                    before.is_some_and(|letter| matches!(letter, ' ' | '"' | '`' | '('))
                        && after.is_some_and(|letter| letter.is_ascii_lowercase())
                });
                if has_flag && !line.contains("cargo ") {
                    wrong.push(format!("{}:{}: {line}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "flags:\n{}", wrong.join("\n"));
}

#[test]
fn crates_depend_only_on_crates_before_them() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let order = [
        "neardupe-core",
        "neardupe-io",
        "neardupe-jobs",
        "neardupe-cli",
    ];
    for (own, name) in order.iter().enumerate() {
        let manifest = fs::read_to_string(crates.join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
        for later in &order[own..] {
            let depends = dependencies.lines().any(|line| line.starts_with(later));
            assert!(!depends, "{name} depends on {later}");
        }
    }
}
