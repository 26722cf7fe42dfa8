//! The features of the program are those of `docs/features.py`, which defines them.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// 200 real documents, and texts of other scripts, too short, and without a word.
fn documents() -> String {
    let packed = repository().join("corpus/postgresql-text/documents.jsonl.gz");
    let packed = std::fs::File::open(packed).unwrap();
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(packed)
        .read_to_string(&mut text)
        .unwrap();
    let mut lines: Vec<String> = text.lines().take(200).map(str::to_owned).collect();
    assert_eq!(lines.len(), 200);
    let others = [
        "",
        " -- ",
        "one",
        "Zwölf Boxkämpfer jagen Viktor quer über den großen SYLTER Deich; E\u{301}tude",
        "中华人民共和国的一切权力属于人民。ガーデン ﾊﾝｶｸ ภาษาไทย 한국어 ½ Ⅷ x² ٣",
        "a\nb c\r\nd e f\n\n g",
    ];
    let others = others.iter().enumerate();
    lines.extend(others.map(|(at, text)| {
        json!({ "id": format!("other-{at}"), "text": text }).to_string()
    }));
    lines.join("\n") + "\n"
}

fn rows(printed: &[u8]) -> Vec<Value> {
    let printed = std::str::from_utf8(printed).unwrap();
    let rows = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    rows.collect()
}

/// What the program prints, and what the definition prints.
fn both(documents: &str, features: &str) -> (Vec<Value>, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("documents.jsonl");
    std::fs::write(&path, documents).unwrap();
    let ours = Command::new(env!("CARGO_BIN_EXE_neardupe"))
        .arg("features")
        .arg(&path)
        .args(["--features", features, "--words", "simple"])
        .output()
        .unwrap();
    assert!(ours.status.success(), "{ours:?}");
    let python = std::env::var("NEARDUPE_PYTHON").unwrap_or("python3".to_owned());
    let mut definition = Command::new(python)
        .arg(repository().join("docs/features.py"))
        .arg(features)
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = definition.stdin.take().unwrap();
    let typed = documents.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(typed.as_bytes()));
    let defined = definition.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(defined.status.success(), "{features}");
    (rows(&ours.stdout), rows(&defined.stdout))
}

#[test]
fn values_sizes_and_codes_are_those_of_the_definition() {
    let python = std::env::var("NEARDUPE_PYTHON");
    let program = python.clone().unwrap_or("python3".to_owned());
    let imports = Command::new(program).args(["-c", "import xxhash"]).output();
    if !imports.is_ok_and(|output| output.status.success()) {
        assert!(python.is_err(), "NEARDUPE_PYTHON has no package xxhash");
        let message = "skipped: docs/features.py, as there is no python3 with the package xxhash; \
                       NEARDUPE_PYTHON can name one\n";
        std::io::stderr().write_all(message.as_bytes()).unwrap();
        return;
    }
    let documents = documents();
    for features in [
        "words:5",
        "words:1",
        "words:3+5",
        "terms",
        "lines:2",
        "chars:20",
        "chars:64",
        "grams:5",
        "grams:24,nospace",
    ] {
        let (ours, defined) = both(&documents, features);
        assert_eq!(ours.len(), 206, "{features}");
        for (one, other) in ours.iter().zip(&defined) {
            assert_eq!(one, other, "{features}");
        }
        assert_eq!(ours.len(), defined.len(), "{features}");
    }
}
