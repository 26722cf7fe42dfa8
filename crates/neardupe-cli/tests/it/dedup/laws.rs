//! What no removal may break, end to end; among it two failures that users of other tools
//! have met.

use super::{Folder, line, prose, rows};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn of_identical_documents_exactly_one_is_kept() {
    for copies in [2, 3, 10, 100] {
        let text = prose("same", 30);
        let ids = (0..copies).map(|number| format!("d{number:03}"));
        let lines: String = ids.map(|id| line(&id, &text)).collect();
        let folder = Folder::with(&[("a.jsonl", lines.as_bytes())]);
        folder.dedup(&["--quiet"]);
        assert_eq!(folder.ids("out/a.jsonl"), ["d000"]);
        assert_eq!(folder.ids("out/removed/a.jsonl").len(), copies - 1);
    }
}

#[test]
fn pairs_that_share_boilerplate_are_not_merged() {
    // Each pair is similar; the two pairs share a third of their text and no more.
    let boilerplate = prose("cookies", 40);
    let document =
        |seed: &str, end: &str| format!("{boilerplate} {} {end}", prose(seed, 80));
    let lines = [
        line("a1", &document("left", "alpha")),
        line("b1", &document("right", "beta")),
        line("a2", &document("left", "gamma")),
        line("b2", &document("right", "delta")),
    ];
    let folder = Folder::with(&[("a.jsonl", lines.concat().as_bytes())]);
    folder.dedup(&["--quiet", "--keep", "first"]);
    assert_eq!(folder.ids("out/a.jsonl"), ["a1", "b1"]);
    let removed = rows(&folder.read("out/removed/a.jsonl"));
    assert_eq!(removed[0]["duplicate_of"], "a1");
    assert_eq!(removed[1]["duplicate_of"], "b1");
}

/// Shingles of five words, by the definition.
fn shingles(text: &str) -> BTreeSet<String> {
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(5).map(|words| words.join(" ")).collect()
}

fn resemblance(left: &str, right: &str) -> f64 {
    let (left, right) = (shingles(left), shingles(right));
    let common = left.intersection(&right).count();
    let union = left.len() + right.len() - common;
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let ratio = common as f64 / union as f64;
    ratio
}

#[test]
fn what_is_removed_has_a_kept_partner_and_no_two_kept_are_similar() {
    // Chains: each document resembles the next, and not the one after it.
    let window = |chain: usize, step: usize| {
        let words = (step * 12..step * 12 + 100).map(|it| format!("c{chain}w{it}"));
        words.collect::<Vec<_>>().join(" ")
    };
    let mut texts = BTreeMap::new();
    for chain in 0..6 {
        for step in 0..=chain + 2 {
            texts.insert(format!("{step}-{chain}"), window(chain, step));
        }
    }
    let similar = |left: &str, right: &str| resemblance(left, right) >= 0.7;
    let (a, b, c) = (&texts["0-0"], &texts["1-0"], &texts["2-0"]);
    assert!(similar(a, b) && similar(b, c) && !similar(a, c));
    let lines: String = texts.iter().map(|(id, text)| line(id, text)).collect();
    let folder = Folder::with(&[("a.jsonl", lines.as_bytes())]);
    folder.dedup(&["--quiet", "-t", "0.7"]);
    let kept = folder.ids("out/a.jsonl");
    let removed = rows(&folder.read("out/removed/a.jsonl"));
    assert_eq!(kept.len() + removed.len(), texts.len());
    assert!(!removed.is_empty());
    for row in &removed {
        let partner = row["duplicate_of"].as_str().unwrap();
        assert!(kept.iter().any(|id| id == partner), "{row}");
        let expected = resemblance(row["text"].as_str().unwrap(), &texts[partner]);
        assert!(expected >= 0.7, "{row}");
        assert!((row["similarity"].as_f64().unwrap() - expected).abs() < 1e-6);
    }
    for (at, left) in kept.iter().enumerate() {
        for right in &kept[at + 1..] {
            assert!(!similar(&texts[left], &texts[right]), "{left} {right}");
        }
    }
}

#[test]
fn threads_memory_and_resuming_change_nothing() {
    let mut lines = String::new();
    for number in 0..300 {
        let text = prose(&format!("t{}x", number % 120), 40 + number * 7 % 5);
        lines += &line(&format!("d{number}"), &text);
    }
    let (first, second) = lines.split_at(lines.len() / 2);
    let cut = second.find('\n').unwrap() + 1;
    let first = format!("{first}{}", &second[..cut]);
    let folder = Folder::with(&[
        ("a.jsonl", first.as_bytes()),
        ("b.jsonl", &second.as_bytes()[cut..]),
    ]);
    let names = ["a.jsonl", "b.jsonl", "removed/a.jsonl", "removed/b.jsonl"];
    let mut seen = Vec::new();
    for arguments in [
        &["--threads", "1"][..],
        &["--threads", "4"],
        &["--checkpoint", "--memory", "256M"],
        &["--resume"],
    ] {
        folder.dedup(&[arguments, &["--quiet"]].concat());
        seen.push(names.map(|name| folder.text(&format!("out/{name}"))));
    }
    assert!(seen.iter().all(|files| *files == seen[0]));
    assert!(seen[0].iter().all(|file| !file.is_empty()));
}

#[test]
fn a_job_killed_while_it_writes_leaves_no_half() {
    let mut lines = String::new();
    for number in 0..6000 {
        let text = prose(&format!("t{}x", number % 4000), 60);
        lines += &line(&format!("d{number}"), &text);
    }
    let folder = Folder::with(&[("a.jsonl", lines.as_bytes())]);
    let partial = folder.path(".out.partial");
    let mut kills = 0;
    for _ in 0..20 {
        let mut job = Command::new(env!("CARGO_BIN_EXE_neardupe"))
            .args(["dedup", "in", "-o", "out", "--quiet"])
            .current_dir(folder.path(""))
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !partial.exists() && start.elapsed() < Duration::from_secs(60) {
            if job.try_wait().unwrap().is_some() {
                break;
            }
        }
        let _ = job.kill();
        job.wait().unwrap();
        if partial.exists() {
            kills += 1;
            assert!(!folder.path("out").exists());
        }
        if kills == 2 {
            break;
        }
        let _ = std::fs::remove_dir_all(folder.path("out"));
    }
    assert!(kills > 0, "never killed in time");
    folder.dedup(&["--quiet"]);
    assert_eq!(folder.ids("out/a.jsonl").len(), 4000);
}
