//! Inside the core a module uses only modules that stand above it in `lib.rs`, and no crate
//! depends on one that stands after it. The failure names the place.

use std::fs;
use std::path::{Path, PathBuf};

/// The order of the flow.
const MODULES: [&str; 21] = [
    "error",
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
];

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
    let lib =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"));
    let lib = lib.unwrap();
    let declared: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod "))
        .map(|rest| rest.trim_end_matches(';'))
        .collect();
    assert_eq!(declared, MODULES);
}

#[test]
fn modules_use_only_modules_above_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    assert!(files.len() > 30);
    let mut wrong = Vec::new();
    for file in files {
        let relative = file.strip_prefix(&source).unwrap();
        let first = relative
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy();
        let module = first.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let own = MODULES.iter().position(|&name| name == module);
        let own = own.unwrap_or_else(|| panic!("{module} is not in the order"));
        let text = fs::read_to_string(&file).unwrap();
        // Tests may look anywhere.
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (number, line) in code.lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for (place, name) in MODULES.iter().enumerate() {
                if place > own && line.contains(&format!("crate::{name}")) {
                    wrong.push(format!("{}:{}: {line}", relative.display(), number + 1));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "modules that use one after them:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn crates_depend_only_on_crates_before_them() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let order = ["neardupe-core", "neardupe-io", "neardupe-cli"];
    for (own, name) in order.iter().enumerate() {
        let manifest = fs::read_to_string(crates.join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
        for later in &order[own..] {
            let depends = dependencies.lines().any(|line| line.starts_with(later));
            assert!(!depends, "{name} depends on {later}");
        }
    }
}
