//! Makes a test of every folder in `tests/cases`: `tests/it/cases.rs` includes the list.

use std::path::Path;
use std::{env, fs};

fn main() {
    let root = env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it");
    let cases = Path::new(&root).join("../../tests/cases");
    // Absent in a package from a registry, which is built without tests.
    let folders = fs::read_dir(&cases).into_iter().flatten();
    let mut names: Vec<String> = folders
        .filter_map(|folder| folder.ok()?.file_name().into_string().ok())
        .filter(|name| cases.join(name).join("cmd").is_file())
        .collect();
    names.sort();
    let mut tests = String::new();
    for name in &names {
        let function = name.replace('-', "_");
        tests.push_str(&format!(
            "#[test]\nfn {function}() {{ super::run({name:?}); }}\n"
        ));
    }
    tests.push_str(&format!("pub(super) const NAMES: &[&str] = &{names:?};\n"));
    let out = env::var_os("OUT_DIR").expect("Cargo sets it");
    fs::write(Path::new(&out).join("cases.rs"), tests)
        .expect("the list of cases is written");
    // Not whenever a case changes: the program would be linked again for it. A folder that was
    // added since is run by `cases_that_are_new`.
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=tests/it/cases.rs");
}
