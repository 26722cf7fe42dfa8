//! A job that keeps its features can be searched without its input, and says the same.

use std::fs;
use std::path::Path;
use std::process::Output;

fn neardupe(folder: &Path, arguments: &[&str]) -> Output {
    assert_cmd::Command::new(env!("CARGO_BIN_EXE_neardupe"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn documents() -> String {
    let mut rows = String::new();
    for number in 0..200 {
        let words = (0..40).map(|word| match (word + number) % 9 {
            0 => format!("own{number}"),
            _ => format!("w{}", (number % 20) * 40 + word),
        });
        let text = words.collect::<Vec<_>>().join(" ");
        // Ids repeat, and some are missing.
        let id = match number % 3 {
            0 => String::new(),
            _ => format!("\"id\":\"d{}\",", number % 50),
        };
        rows += &format!("{{{id}\"text\":\"{text}\"}}\n");
    }
    rows
}

#[test]
fn kept_work_answers_as_the_input_does() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("docs.jsonl"), documents()).unwrap();
    let query = documents().lines().nth(7).unwrap().to_owned();
    fs::write(folder.join("query.jsonl"), query).unwrap();
    let find = [
        "find",
        "docs.jsonl",
        "--keep-work",
        "--features",
        "words:1",
        "-o",
        "out",
    ];
    let printed = stdout(&neardupe(folder, &find));
    assert!(printed.contains("work kept in .out.work"), "{printed}");
    let plain = [
        "find",
        "docs.jsonl",
        "--features",
        "words:1",
        "-o",
        "plain",
        "-q",
    ];
    stdout(&neardupe(folder, &plain));
    for name in ["duplicates.jsonl", "clusters.jsonl", "pairs.jsonl"] {
        let read = |result: &str| fs::read(folder.join(result).join(name)).unwrap();
        assert_eq!(read("out"), read("plain"), "{name}");
    }
    for similarity in ["resemblance", "containment", "s3"] {
        let ask = |input: &str, features: &[&str]| {
            let options = ["similar", input, "--query", "query.jsonl", "--json"];
            let more = ["--similarity", similarity, "-t", "0.2", "--top", "all"];
            stdout(&neardupe(
                folder,
                &[&options[..], &more[..], features].concat(),
            ))
        };
        let from_input = ask("docs.jsonl", &["--features", "words:1"]);
        // The features are those of the job.
        assert_eq!(ask(".out.work", &[]), from_input);
        assert_eq!(ask(".out.work", &["--threads", "1"]), from_input);
        assert!(from_input.contains("#2"), "{from_input}");
    }
    let by_id = ["similar", ".out.work", "--query-id", "d1#2", "--json"];
    assert!(stdout(&neardupe(folder, &by_id)).contains("\"id\": \"d1#2\""));
    // Other features than those that are stored.
    let other = [
        "similar",
        ".out.work",
        "--query",
        "query.jsonl",
        "--features",
        "terms",
    ];
    let refused = neardupe(folder, &other);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("for features"), "{message}");
    // The texts are not needed.
    fs::rename(folder.join("docs.jsonl"), folder.join("moved.jsonl")).unwrap();
    let without = ["similar", ".out.work", "--query", "query.jsonl"];
    assert!(stdout(&neardupe(folder, &without)).contains("of 200 documents"));
    // The next job removes it without a word, since nothing is lost.
    let next = neardupe(folder, &["find", "moved.jsonl", "-o", "out"]);
    assert_eq!(String::from_utf8_lossy(&next.stderr), "");
    stdout(&next);
    assert!(!folder.join(".out.work").exists());
}

#[test]
fn damaged_and_unfinished_work_is_refused_by_name() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("docs.jsonl"), documents()).unwrap();
    stdout(&neardupe(
        folder,
        &["find", "docs.jsonl", "--keep-work", "-o", "out", "-q"],
    ));
    let search = ["similar", ".out.work", "--query", "w1 w2 w3 w4 w5 w6"];
    stdout(&neardupe(folder, &search));
    let work = folder.join(".out.work");
    let features = fs::read_dir(&work)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut features = features.filter(|path| name(path).starts_with("features-"));
    let path = features.next().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let len = bytes.len();
    // In every part of the file.
    bytes[len / 8..len / 8 * 7]
        .iter_mut()
        .step_by(64)
        .for_each(|byte| *byte ^= 1);
    fs::write(&path, bytes).unwrap();
    let refused = neardupe(folder, &search);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("damaged"), "{message}");
    let manifest = fs::read_to_string(work.join("manifest")).unwrap();
    fs::write(
        work.join("manifest"),
        manifest.replace("neardupe work", "other"),
    )
    .unwrap();
    assert_eq!(neardupe(folder, &search).status.code(), Some(1));
}

#[test]
fn a_result_whose_work_was_kept_names_the_work() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    fs::write(folder.join("docs.jsonl"), documents()).unwrap();
    let find = ["find", "docs.jsonl", "--keep-work", "-o", "out", "-q"];
    stdout(&neardupe(folder, &find));
    let refused = |arguments: &[&str]| {
        let output = neardupe(folder, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let message = refused(&["similar", "out", "--query", "w1 w2 w3"]);
    let command = "neardupe similar .out.work --query 'w1 w2 w3'";
    assert!(message.contains(command), "{message}");
    stdout(&neardupe(
        folder,
        &["similar", ".out.work", "--query", "w1 w2 w3"],
    ));
    for arguments in [
        ["find", ".out.work"],
        ["passages", ".out.work"],
        ["plan", ".out.work"],
    ] {
        let message = refused(&arguments);
        assert!(
            message.contains("a work directory of neardupe"),
            "{message}"
        );
    }
}

/// A query that is a file of the collection is known there by any name.
#[cfg(unix)]
#[test]
fn a_query_reached_by_a_link_is_the_file_it_leads_to() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path();
    let text = (0..60).map(|word| format!("w{word}")).collect::<Vec<_>>();
    fs::create_dir(folder.join("docs")).unwrap();
    for name in ["a", "b"] {
        let text = format!("{name} begins. {} and {name} ends.", text.join(" "));
        fs::write(folder.join(format!("docs/{name}.txt")), text).unwrap();
    }
    std::os::unix::fs::symlink("docs/a.txt", folder.join("link.txt")).unwrap();
    std::os::unix::fs::symlink("docs", folder.join("linked")).unwrap();
    for (input, query) in [("docs", "link.txt"), ("linked", "docs/a.txt")] {
        let passages = ["passages", input, "--query", query, "--json", "-o", "out"];
        let summary = stdout(&neardupe(folder, &passages));
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        assert_eq!(summary["query_files_left_out"], 1, "{input} {query}");
        assert_eq!(summary["counts"]["documents"], 2, "{input} {query}");
        assert_eq!(summary["counts"]["passages"], 1, "{input} {query}");
        let similar = ["similar", input, "--query", query, "--json"];
        let found = stdout(&neardupe(folder, &similar));
        let found: serde_json::Value = serde_json::from_str(&found).unwrap();
        assert_eq!(found["query"]["id"], "a.txt", "{input} {query}");
    }
}
