//! What is refused, in words that help, and without a trace.

use super::{Folder, line, prose};

/// Runs and fails; what was said.
fn refused(folder: &Folder, code: i32, arguments: &[&str]) -> String {
    let output = folder.run(&[&["dedup"], arguments].concat());
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{told}");
    let hidden = std::fs::read_dir(folder.path("")).unwrap();
    let names = hidden.map(|entry| entry.unwrap().file_name());
    let left = names.filter(|name| name.to_string_lossy().starts_with('.'));
    assert_eq!(left.count(), 0, "{told}");
    told
}

#[test]
fn clusters_without_proof_are_refused() {
    let text = prose("text", 30);
    let lines = [line("a", &text), line("b", &text)].concat();
    let folder = Folder::with(&[("a.jsonl", lines.as_bytes())]);
    let components = ["in", "-o", "out", "--cluster", "components"];
    let told = refused(&folder, 2, &components);
    assert!(told.contains("--allow-unverified"), "{told}");
    for mode in ["none", "neighbors"] {
        let told = refused(&folder, 2, &["in", "-o", "out", "--cluster", mode]);
        assert!(told.contains("--cluster") && told.contains(mode), "{told}");
    }
    let told = refused(&folder, 2, &["in"]);
    assert!(told.contains("-o DIR"), "{told}");
    assert!(!folder.path("out").exists());
    folder.dedup(&["--cluster", "components", "--allow-unverified", "--quiet"]);
    assert_eq!(folder.ids("out/a.jsonl"), ["a"]);
}

#[test]
fn fields_that_are_there_are_not_written_over() {
    let text = prose("text", 30);
    let csv = format!("id,similarity,text\n1,x,{text}\n2,y,{text}\n");
    let folder = Folder::with(&[("a.csv", csv.as_bytes())]);
    let told = refused(&folder, 2, &["in", "-o", "out"]);
    assert!(
        told.contains("a.csv already has a field similarity"),
        "{told}"
    );
    assert!(told.contains("--prefix"), "{told}");
    folder.dedup(&["--prefix", "nd_", "--quiet"]);
    let removed = folder.text("out/removed/a.csv");
    assert!(
        removed.starts_with("id,similarity,text,nd_duplicate_of,nd_similarity,nd_duplicate_of_record\n2,y,"),
        "{removed}"
    );
    // In the first line it is seen before the job; later when it is met.
    let own = format!("{{\"text\":\"{text}\",\"id\":\"c\",\"duplicate\\u005fof\":1}}\n");
    for lines in [
        own.clone() + &line("a", &text),
        line("a", &text) + &line("b", "other") + &own,
    ] {
        let folder = Folder::with(&[("a.jsonl", lines.as_bytes())]);
        let told = refused(&folder, 2, &["in", "-o", "out"]);
        assert!(told.contains("a field duplicate_of"), "{told}");
        assert!(!folder.path("out").exists());
        folder.dedup(&["--prefix", "nd_", "--quiet"]);
    }
}

#[test]
fn input_that_cannot_be_written_again_is_refused() {
    let text = prose("text", 30);
    let lines = line("a", &text);
    let folder = Folder::with(&[("a.jsonl", lines.as_bytes())]);
    folder.write("other/a.jsonl", lines.as_bytes());
    folder.write("with/removed/a.jsonl", lines.as_bytes());
    folder.write("page/a.html", b"<p>x</p>");
    let told = refused(&folder, 1, &["in", "other", "-o", "out"]);
    assert!(told.contains("both would be written as a.jsonl"), "{told}");
    let told = refused(&folder, 1, &["with", "-o", "out"]);
    assert!(told.contains("removed"), "{told}");
    let told = refused(&folder, 1, &["-", "-o", "out"]);
    assert!(told.contains("--ids-only"), "{told}");
    let told = refused(&folder, 2, &["page", "-o", "out", "--annotate"]);
    assert!(
        told.contains("html") && told.contains("--ids-only"),
        "{told}"
    );
    refused(&folder, 2, &["in", "-o", "out", "--annotate", "--ids-only"]);
    let told = refused(&folder, 2, &["in", "-o", "in"]);
    assert!(told.contains("not a result of neardupe"), "{told}");
    assert!(!folder.path("out").exists());
}

#[test]
fn a_collection_is_replaced_only_when_nothing_else_is_in_it() {
    let text = prose("text", 30);
    let lines = [line("a", &text), line("b", &text)].concat();
    let folder = Folder::with(&[("s/a.jsonl", lines.as_bytes())]);
    folder.dedup(&["--quiet"]);
    folder.dedup(&["--quiet", "--ids-only"]);
    assert!(!folder.path("out/s").exists());
    folder.dedup(&["--quiet"]);
    assert!(!folder.path("out/kept-ids.txt").exists());
    let output = folder.run(&["find", "in", "-o", "out"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        told.contains("a collection that dedup has written"),
        "{told}"
    );
    folder.write("out/s/mine.txt", b"mine");
    let told = refused(&folder, 2, &["in", "-o", "out"]);
    assert!(told.contains("s/mine.txt"), "{told}");
    assert_eq!(folder.text("out/s/mine.txt"), "mine");
}
