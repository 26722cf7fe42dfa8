//! What is read of a folder, and that nothing of it is passed over in silence.

use crate::dedup::Folder;
use std::process::Output;

const LINE: &[u8] = b"{\"id\":\"a\",\"text\":\"one two three four five six\"}\n";
const OTHER: &[u8] = b"{\"id\":\"b\",\"text\":\"quite other words than those before\"}\n";

fn documents(folder: &Folder) -> u64 {
    folder.summary_of("out")["counts"]["documents"]
        .as_u64()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_result_below_the_input_is_passed_over_and_reported() {
    let folder = Folder::with(&[("a.jsonl", LINE)]);
    let made = folder.run(&["find", "in", "-o", "in/result", "-q"]);
    assert_eq!((made.status.code(), said(&made)), (Some(0), String::new()));
    // It is no file of the result, so it is read.
    folder.write("in/result/added.jsonl", OTHER);
    // A summary alone hides nothing.
    folder.write(
        "in/planted/summary.json",
        b"{\n  \"program\": \"neardupe\"\n}",
    );
    folder.write("in/planted/pairs.jsonl", OTHER);
    let output = folder.run(&["find", "in", "-o", "out", "-q"]);
    let said = said(&output);
    assert_eq!(said.matches("WARNING: passed over ").count(), 1, "{said}");
    assert!(
        said.contains(" files of a neardupe result in in/result;"),
        "{said}"
    );
    assert_eq!(documents(&folder), 3, "{said}");
    let summary = folder.summary_of("out");
    let warning = summary["warnings"][0].as_str().unwrap();
    assert!(said.contains(warning), "{summary}");
    // Every other command that reads the folder says it too, once.
    let commands: [&[&str]; 8] = [
        &["passages", "in", "-o", "passages", "-q"],
        &["dedup", "in", "-o", "kept", "-q"],
        &["plan", "in"],
        &["features", "in"],
        &["similar", "in", "--query-id", "a"],
        &["df-table", "build", "in", "-o", "table"],
        &["history", "in", "--date-key", "none"],
        &["eval", "out", "--truth-field", "id"],
    ];
    for arguments in commands {
        let output = folder.run(arguments);
        let said = self::said(&output);
        let times = said.matches("WARNING: passed over ").count();
        assert_eq!(times, 1, "{arguments:?}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_unless_that_is_not_wanted() {
    use std::os::unix::fs::symlink;
    let folder = Folder::with(&[("a.jsonl", LINE)]);
    folder.write("elsewhere/b.jsonl", OTHER);
    symlink("../elsewhere/b.jsonl", folder.path("in/b.jsonl")).unwrap();
    symlink("../elsewhere", folder.path("in/more")).unwrap();
    let output = folder.run(&["find", "in", "-o", "out", "-q"]);
    assert_eq!((documents(&folder), said(&output)), (2, String::new()));
    for input in ["in", "in/*"] {
        let output = folder.run(&["find", input, "-o", "out", "-q", "--no-follow"]);
        let said = said(&output);
        let expected = "WARNING: --no-follow: 2 symbolic links were not followed: \
                        in/b.jsonl, in/more\n";
        assert!(said.contains(expected), "{said}");
        assert_eq!(documents(&folder), 1);
        let summary = folder.summary_of("out");
        let warnings = summary["warnings"].to_string();
        assert!(warnings.contains("not followed"), "{warnings}");
    }
    symlink("in", folder.path("alias")).unwrap();
    let output = folder.run(&["find", "alias", "-o", "out", "-q", "--no-follow"]);
    assert!(
        said(&output).contains("2 symbolic links"),
        "{}",
        said(&output)
    );
    assert_eq!(documents(&folder), 1);
    // What is named is read, and what a glob finds behind a link is not.
    folder.run(&["find", "in/b.jsonl", "-o", "out", "-q", "--no-follow"]);
    assert_eq!(documents(&folder), 1);
    let output = folder.run(&["find", "in/*/b.jsonl", "-o", "out", "-q", "--no-follow"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
}

/// Names that could be taken for a way to another folder, for two lines of a list, or for each other.
#[cfg(target_os = "linux")]
#[test]
fn hostile_names_end_no_dedup_and_are_written_nowhere_else() {
    use std::collections::BTreeSet;
    use std::ffi::{OsStr, OsString};
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    let names: [&[u8]; 8] = [
        b"a\\..\\..\\x.jsonl",
        b"removed\\x.jsonl",
        b"caf\xe9.jsonl",
        b"caf\xe8.jsonl",
        b"line\nfeed.jsonl",
        b"steer\x1b[2J\r.jsonl",
        b"own-files",
        b"plain.jsonl",
    ];
    let folder = Folder::with(&[]);
    fs::create_dir(folder.path("in")).unwrap();
    for (number, name) in names.iter().enumerate() {
        let own =
            format!("{{\"id\":\"{number}\",\"text\":\"n{number} only here once\"}}\n");
        let both = [LINE, own.as_bytes()].concat();
        fs::write(folder.path("in").join(OsStr::from_bytes(name)), both).unwrap();
    }
    let below = |place: &str| -> BTreeSet<OsString> {
        let entries = fs::read_dir(folder.path(place)).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    };
    for more in [&[][..], &["--passages", "--min-words", "4"]] {
        // The second one replaces the first.
        for _ in 0..2 {
            let fixed = ["dedup", "in", "-o", "out", "-q", "--input-format", "jsonl"];
            let output = folder.run(&[&fixed[..], more].concat());
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
            assert_eq!(below(""), ["in", "out"].map(OsString::from).into());
            let kept: BTreeSet<OsString> = below("out")
                .into_iter()
                .filter(|name| name != "_neardupe" && name != "removed")
                .collect();
            assert_eq!(kept, below("in"), "{more:?}");
        }
        fs::remove_dir_all(folder.path("out")).unwrap();
    }
}

#[test]
fn an_output_that_cannot_be_written_is_noticed_before_the_job() {
    let folder = Folder::with(&[("a.jsonl", LINE), ("b.jsonl", OTHER)]);
    for made in [
        &["find", "in", "-o", "out", "-q"][..],
        &["df-table", "build", "in", "-o", "table"],
    ] {
        assert_eq!(folder.run(made).status.code(), Some(0));
    }
    let mut places = vec!["/proc/none".to_owned()];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", folder.path("dangling")).unwrap();
        places.push("dangling".to_owned());
    }
    let commands: [&[&str]; 17] = [
        &["find", "in", "-o", "PLACE"],
        &["dedup", "in", "-o", "PLACE"],
        &["dedup", "in", "--passages", "-o", "PLACE"],
        &["passages", "in", "-o", "PLACE"],
        &["history", "in", "--date-key", "none", "-o", "PLACE"],
        &["history", "in", "--store", "PLACE"],
        &["df-table", "build", "in", "-o", "PLACE", "--work-dir", "."],
        &["df-table", "merge", "table", "-o", "PLACE"],
        &["compare", "in/a.jsonl", "in/b.jsonl", "--html", "PLACE"],
        &["explain", "out", "--pair", "a", "b", "--html", "PLACE"],
        &["explain", "out", "a", "--html", "PLACE"],
        &["rethreshold", "out", "0.9", "-o", "PLACE"],
        &["sources", "out", "-o", "PLACE"],
        &["synth", "-o", "PLACE", "--documents", "20"],
        &["study", "sampling", "in", "-o", "PLACE"],
        &["study", "adaptive", "in", "-o", "PLACE"],
        &["study", "adaptive", "in", "-o", "study", "--save", "PLACE"],
    ];
    for place in &places {
        for command in commands {
            let place = if place == "dangling" && command.contains(&"--html") {
                "dangling"
            } else {
                place
            };
            let command: Vec<&str> = command
                .iter()
                .map(|word| if *word == "PLACE" { place } else { word })
                .collect();
            let output = folder.run(&command);
            let said = said(&output);
            let code = output.status.code();
            assert!(matches!(code, Some(1 | 2)), "{command:?}: {said}");
            // Nothing was read, and no stage had begun.
            assert!(said.lines().count() <= 1, "{command:?}: {said}");
            assert!(!folder.path("nowhere").exists(), "{command:?}");
        }
    }
}

#[test]
fn codes_are_in_the_order_of_ids() {
    let lines = |ids: &[&str]| -> String {
        let line =
            |id: &&str| format!("{{\"id\":\"{id}\",\"text\":\"{id} and more words\"}}\n");
        ids.iter().map(line).collect()
    };
    let run = |ids: &[&str]| {
        let folder = Folder::with(&[("a.jsonl", lines(ids).as_bytes())]);
        folder.run(&["find", "in", "-o", "out", "-q", "--method", "simhash"]);
        folder.text("out/codes.jsonl")
    };
    let sorted = run(&["a", "b", "c", "d"]);
    assert_eq!(sorted.lines().count(), 4);
    assert_eq!(run(&["c", "d", "b", "a"]), sorted);
}
