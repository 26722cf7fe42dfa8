//! What the README and docs/map.md say of methods is what `neardupe methods` prints.
//!
//! `UPDATE_DOCS=1 cargo test -p neardupe-cli methods::` rewrites both.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- methods:begin -->";
const END: &str = "<!-- methods:end -->";

fn printed(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("neardupe").unwrap();
    let output = command.args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a file with what it must be, or rewrites it.
fn expect(path: &Path, expected: &str) {
    let written = std::fs::read_to_string(path).unwrap_or_default();
    if written == expected {
        return;
    }
    let update = std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1");
    assert!(
        update,
        "{} is not what `neardupe methods --markdown` prints; rewrite it with \
         UPDATE_DOCS=1 cargo test -p neardupe-cli methods::",
        path.display()
    );
    std::fs::write(path, expected).unwrap();
}

#[test]
fn the_map_of_methods_is_what_the_program_prints() {
    let page = printed(&["methods", "--markdown"]);
    assert!(page.contains("\n### exact\n"));
    expect(&repository().join("docs/map.md"), &page);
}

#[test]
fn the_methods_of_the_readme_are_what_the_program_prints() {
    let path = repository().join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let parts = readme.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) = parts.expect("README.md has no lines for the methods");
    let part = printed(&["methods", "--markdown=readme"]);
    expect(&path, &format!("{before}{BEGIN}\n\n{part}\n{END}{after}"));
}
