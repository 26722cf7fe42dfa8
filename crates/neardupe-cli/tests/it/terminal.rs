//! What is printed for people steers no terminal, whatever the input holds.

use crate::dedup::Folder;
use serde_json::{Value, json};

const HOSTILE: &str = "a\u{1b}[31m\u{7}\r\u{202e}b\u{9b}2J";

/// Everything that is printed has only characters that can be seen.
fn assert_harmless(what: &str, printed: &[u8]) {
    let printed = String::from_utf8(printed.to_vec()).unwrap();
    let is_harmless = |ch: char| {
        (!ch.is_control() || matches!(ch, '\n' | '\t'))
            && !matches!(ch, '\u{202a}'..='\u{202e}')
    };
    assert!(printed.chars().all(is_harmless), "{what}: {printed:?}");
}

#[test]
fn ids_texts_and_names_are_printed_without_control_characters() {
    let text = "one two three four five six seven eight nine ten eleven";
    let line = |id: &str, text: &str| {
        let id = format!("{HOSTILE}{id}");
        let text = format!("{HOSTILE} {text}");
        json!({"id": id, "text": text, "value": HOSTILE}).to_string() + "\n"
    };
    let lines = line("1", text) + &line("2", text) + &line("3", &format!("{text} 12"));
    let name = format!("{}.jsonl", HOSTILE.replace(['\r', '\n'], ""));
    let folder = Folder::with(&[(&name, lines.as_bytes())]);
    let first = format!("{HOSTILE}1");
    let third = format!("{HOSTILE}3");
    let flag = format!("--{HOSTILE}");
    let commands: [&[&str]; 10] = [
        &["find", "in", &flag],
        &[
            "find",
            "in",
            "-o",
            "out",
            "-t",
            "0.5",
            "--keep",
            "newest:value",
        ],
        &["dedup", "in", "-o", "kept", "-t", "0.5"],
        &["explain", "out", &first],
        &["explain", "out", "--pair", &first, &third],
        &["similar", "in", "--query-id", &first, "-t", "0.5"],
        &[
            "compare",
            &format!("in/{name}#{first}"),
            &format!("in/{name}#{third}"),
        ],
        &["passages", "in", "-o", "passages", "--min-words", "5"],
        &["find", &format!("in/{HOSTILE}"), "-o", "none"],
        &["find", "in", "-o", &format!("in/{name}/{HOSTILE}")],
    ];
    for arguments in commands {
        let output = folder.run(arguments);
        let what = arguments.join(" ");
        assert_harmless(&what, &output.stdout);
        assert_harmless(&what, &output.stderr);
        assert!(output.stdout.len() + output.stderr.len() > 0, "{what}");
    }
    // Colors are ours.
    let colored = ["explain", "out", &third, "--color", "always"];
    let output = folder.run(&colored);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains("\u{1b}[") && !printed.contains("\u{202e}"),
        "{printed:?}"
    );
    // Programs and files get what the input has.
    let output = folder.run(&["explain", "out", &third, "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["id"], third, "{json}");
    assert!(folder.text("out/duplicates.jsonl").contains("\u{202e}"));
}
