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

/// The folders and files of `pipeline`, in the order in which `pipeline/mod.rs` declares them. Each uses only those
/// before it, so the stages of `find` cannot know what runs after them, and no configuration knows a stage.
const PIPELINE: [&str; 16] = [
    "method",
    "config",
    "features",
    "read",
    "rank",
    "compare_filters",
    "assemble",
    "join",
    "result",
    "find",
    "compare",
    "explain",
    "similar",
    "passages",
    "study",
    "history",
];

/// Folders whose files name each other as `super::file`, so that the files are checked, too. What `mod.rs` has of its own
/// is used by no other file of the folder.
const FOLDERS: [&str; 9] = [
    "method",
    "features",
    "read",
    "rank",
    "compare_filters",
    "assemble",
    "join",
    "explain",
    "similar",
];

fn pipeline() -> PathBuf {
    source_of("neardupe-core").join("pipeline")
}

/// The code of a file without its tests and comments, line by line.
fn code_of(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap().lines();
    let code = code.filter(|line| !line.trim_start().starts_with("//"));
    code.map(str::to_owned).collect()
}

/// What follows each `path` in a line, up to the end of the name.
fn names_after<'a>(line: &'a str, path: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(path).map(move |(at, _)| {
        let rest = &line[at + path.len()..];
        let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        &rest[..end.unwrap_or(rest.len())]
    })
}

#[test]
fn pipeline_declares_its_modules_in_this_order() {
    let modules = code_of(&pipeline().join("mod.rs"));
    let declared = modules.iter().filter_map(|line| {
        let (_, name) = line.split_once("mod ")?;
        name.strip_suffix(';')
    });
    assert_eq!(declared.collect::<Vec<_>>(), PIPELINE);
}

#[test]
fn stages_use_only_stages_before_them() {
    let mut wrong = Vec::new();
    for (own, name) in PIPELINE.iter().enumerate() {
        let mut files = vec![pipeline().join(format!("{name}.rs"))];
        if pipeline().join(name).is_dir() {
            files.clear();
            rust_files(&pipeline().join(name), &mut files);
        }
        for file in files {
            if file.ends_with("tests.rs") {
                continue;
            }
            // At the top level `super` is the pipeline itself.
            let at_top = file.parent() == Some(&pipeline());
            let paths: &[&str] = if at_top {
                &["crate::pipeline::", "super::"]
            } else {
                &["crate::pipeline::", "super::super::"]
            };
            for line in code_of(&file) {
                for used in paths.iter().flat_map(|path| names_after(&line, path)) {
                    let place = PIPELINE.iter().position(|other| *other == used);
                    // Another name is an item of the pipeline itself, or a file deeper in the own folder: stages name
                    // the folder in which a thing lives.
                    let is_stage =
                        own <= PIPELINE.iter().position(|one| *one == "find").unwrap();
                    let is_fine = match place {
                        Some(place) => place < own,
                        None => !is_stage || used == "super",
                    };
                    if !is_fine {
                        wrong.push(format!("{}: {}", file.display(), line.trim()));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "stages of the pipeline that use a later one, or do not name the folder:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn files_of_a_folder_use_each_other_in_no_circle() {
    for folder in FOLDERS {
        let mut files = Vec::new();
        rust_files(&pipeline().join(folder), &mut files);
        let mut uses: Vec<(String, Vec<String>)> = Vec::new();
        for file in files {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let code = code_of(&file);
            if name == "mod" || name == "tests" {
                continue;
            }
            let of_line = |line: &String| -> Vec<String> {
                names_after(line, "super::").map(str::to_owned).collect()
            };
            uses.push((name, code.iter().flat_map(of_line).collect()));
        }
        for (file, used) in &uses {
            for other in used {
                let is_file = uses.iter().any(|(name, _)| name == other);
                assert!(
                    is_file,
                    "{folder}/{file}.rs: super::{other} is no file of the folder"
                );
            }
        }
        // Files that use none of those left, or are used by none, are in no circle.
        while !uses.is_empty() {
            let names: Vec<String> = uses.iter().map(|(name, _)| name.clone()).collect();
            let targets: Vec<String> =
                uses.iter().flat_map(|(_, used)| used.clone()).collect();
            uses.retain(|(name, used)| {
                used.iter().any(|other| names.contains(other)) && targets.contains(name)
            });
            assert!(
                uses.len() < names.len(),
                "{folder}: files that use each other: {names:?}"
            );
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
