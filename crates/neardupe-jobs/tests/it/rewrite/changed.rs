//! Input that is not what it was when it was read first.

use super::{Job, exists, prose};
use neardupe_jobs::rewrite::Mode;
use std::fs;

fn lines(texts: &[String]) -> String {
    let rows = texts.iter().enumerate();
    let rows = rows
        .map(|(number, text)| format!("{{\"id\":\"d{number}\",\"text\":\"{text}\"}}\n"));
    rows.collect()
}

#[test]
fn changes_between_the_passes_are_noticed() {
    let texts = vec![prose(1, 30), prose(2, 30), prose(1, 29)];
    let before = lines(&texts);
    let changes: [(&str, String); 5] = [
        // As long as before, and another text.
        ("is another", before.replace("n2w7 ", "n2x7 ")),
        (
            "more documents",
            format!("{before}{}", lines(&[prose(3, 5)])),
        ),
        ("before 3", lines(&texts[..2])),
        (
            "bad records",
            before.replacen("{\"id\":\"d2\"", "{\"id\":[\"d2\"]", 1),
        ),
        (
            "is another",
            lines(&[texts[1].clone(), texts[0].clone(), prose(1, 29)]),
        ),
    ];
    for (expected, after) in changes {
        let job = Job::new();
        let path = job.path("in/a.jsonl");
        fs::write(&path, &before).unwrap();
        let source = job.source();
        let result = job.find(&source);
        fs::write(&path, &after).unwrap();
        // A source reads no further than the file went; a new one knows no better.
        for source in [source, job.source()] {
            let error = job.rewrite(&source, &result, Mode::Split);
            let Err(error) = error else {
                assert!(after.starts_with(&before), "{expected}");
                continue;
            };
            let message = error.to_string();
            assert!(message.contains("it changed while"), "{message}");
            assert!(message.contains("a.jsonl"), "{message}");
        }
        let error = job
            .rewrite(&job.source(), &result, Mode::Split)
            .unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn an_input_that_stays_the_same_is_written() {
    let job = Job::new();
    let all = lines(&[prose(1, 30), prose(2, 30), prose(1, 29)]);
    fs::write(job.path("in/a.jsonl"), &all).unwrap();
    let counts = job.run(Mode::Split);
    assert_eq!((counts[0].kept, counts[0].removed), (2, 1));
    let kept = fs::read_to_string(job.path("out/a.jsonl")).unwrap();
    assert_eq!(kept, lines(&[prose(1, 30), prose(2, 30)]));
    assert!(exists(&job.path("out/removed/a.jsonl")));
}
