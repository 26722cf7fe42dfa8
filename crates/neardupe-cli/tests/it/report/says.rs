//! What the page says is what was found.

use super::{Job, plain, text};
use serde_json::json;

/// Two hosts with three pages in common, one of them under another name, and a page alone.
fn mirrors() -> Vec<serde_json::Value> {
    let mut lines = Vec::new();
    for number in 0..3 {
        let words = text(number, 100);
        lines.push(json!({"id": format!("a{number}"), "url": format!("http://a.example/{number}"),
                          "text": format!("{words} and a little more"), "topic": "x"}));
        lines.push(json!({"id": format!("b{number}"), "url": format!("https://B.example:80/{number}"),
                          "text": words, "topic": "y"}));
    }
    lines.push(json!({"id": "alone", "url": "http://a.example/9", "text": text(9, 50), "topic": "x"}));
    lines
}

#[test]
fn rates_hosts_and_mirrors() {
    let job = Job::new();
    job.write("in.jsonl", &mirrors());
    let page = job.report(&["find", "in.jsonl", "--meta-key", "topic"], "");
    let says = plain(&page);
    for part in [
        "3 of 7 documents (42.9 %) are duplicates of another.",
        "unique 1 14.3 %",
        "kept for others 3 42.9 %",
        "similar 3 42.9 %",
        "By host host documents duplicates share b.example 3 3 100.0 % a.example 4 0 0.0 %",
        "By topic topic documents duplicates share y 3 3 100.0 % x 4 0 0.0 %",
        "in common of the smaller a.example 4 b.example 3 3 100.0 %",
        "All clusters",
        "Closest calls",
        "1 means the same, and the threshold is 0.8",
    ] {
        assert!(says.contains(part), "{part:?} is not in {says}");
    }
    assert!(page.contains("<del>and a little more</del>"), "{page}");
    // Nothing is written of addresses that nobody asked for.
    let table = std::fs::read_to_string(job.path("out/duplicates.jsonl")).unwrap();
    assert!(table.contains("metadata.topic") && !table.contains("example"));
}

#[test]
fn the_numbers_of_a_chart_are_in_the_page() {
    let job = Job::new();
    let mut lines = mirrors();
    lines.push(json!({"id": "copy", "text": text(9, 50)}));
    job.write("in.jsonl", &lines);
    let page = job.report(&["find", "in.jsonl"], "");
    let data = page.split("id=\"charts\">").nth(1).unwrap();
    let data = data.split("</script>").next().unwrap();
    let charts: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(charts[0]["into"], "similarities");
    let bars = charts[0]["labels"].as_array().unwrap();
    let values = charts[0]["series"][0]["values"].as_array().unwrap();
    assert_eq!(bars.len(), values.len());
    assert_eq!(bars.last().unwrap(), "1");
    assert_eq!(values.last().unwrap(), 1);
    let sum: u64 = values.iter().map(|value| value.as_u64().unwrap()).sum();
    assert_eq!(sum, 4);
    assert_eq!(charts[1]["series"][0]["values"], json!([8]));
    let both = charts[2]["series"].as_array().unwrap();
    let sum = |series: &serde_json::Value| -> u64 {
        series["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.as_u64().unwrap())
            .sum()
    };
    assert_eq!([sum(&both[0]), sum(&both[1])], [4, 4]);
}

#[test]
fn an_empty_collection_and_one_without_duplicates() {
    let job = Job::new();
    job.write("in.jsonl", &[]);
    let says = plain(&job.report(&["find", "in.jsonl"], ""));
    assert!(says.contains("There was no document to read."), "{says}");
    job.write("in.jsonl", &[json!({"text": "only one"})]);
    let says = plain(&job.report(&["find", "in.jsonl"], ""));
    assert!(
        says.contains("None of 1 document is a duplicate."),
        "{says}"
    );
}

#[test]
fn what_can_be_read_only_once_is_shown_by_its_first_words() {
    let job = Job::new();
    let lines: String = mirrors().iter().map(|line| format!("{line}\n")).collect();
    let page = job.report(&["find", "-", "--input-format", "jsonl"], &lines);
    let says = plain(&page);
    assert!(says.contains("The difference is not shown here"), "{says}");
    assert!(says.contains(&text(0, 8)), "{says}");
}

#[test]
fn dedup_against_and_pairs_have_words_of_their_own() {
    let job = Job::new();
    let all = mirrors();
    job.write("old/o.jsonl", &all[..2]);
    job.write("in/n.jsonl", &all[1..]);
    job.write("in/m.jsonl", &all[6..]);
    let says = plain(&job.report(&["dedup", "in"], ""));
    assert!(says.contains("removed 3 kept 4"), "{says}");
    let job = Job { folder: job.folder };
    std::fs::remove_dir_all(job.path("out")).unwrap();
    let says = plain(&job.report(&["find", "in", "--against", "old"], ""));
    assert!(
        says.contains("1 of 7 new documents (14.3 %) is a duplicate of an old one."),
        "{says}"
    );
    assert!(says.contains("b0 (old)"), "{says}");
    let says = plain(&job.report(&["find", "in", "--cluster", "none"], ""));
    assert!(
        says.contains("3 pairs of similar documents among 7 documents."),
        "{says}"
    );
    assert!(!says.contains("duplicates share"), "{says}");
}

/// The similarities of the closest calls, as written.
fn closest(page: &str) -> Vec<String> {
    let part = page.split("id=\"closest\"").nth(1).unwrap_or_default();
    let part = part.split("id=\"how\"").next().unwrap();
    let shares = part.split("class=\"share\">").skip(1);
    shares
        .map(|rest| rest.split('<').next().unwrap().to_owned())
        .collect()
}

#[test]
fn closest_calls_are_one_of_each_cluster_and_reach_the_threshold() {
    let job = Job::new();
    let mut lines = Vec::new();
    // One cluster of many low pairs, and ten with one each that are a little higher.
    for number in 0..60 {
        let words = text(1, 100);
        let own = text(500 + number, 8);
        lines.push(json!({"id": format!("a{number}"), "text": format!("{words} {own}")}));
    }
    for number in 0..10 {
        let words = text(100 + number, 100);
        lines.push(json!({"id": format!("b{number}"), "text": words}));
        lines.push(
            json!({"id": format!("c{number}"), "text": format!("{words} and more")}),
        );
    }
    job.write("in.jsonl", &lines);
    let shares = closest(&job.report(&["find", "in.jsonl"], ""));
    assert_eq!(shares.len(), 11, "{shares:?}");
    assert!(shares.is_sorted(), "{shares:?}");
    // A chain: its ends are in one component, but not similar.
    let chain = (0..12).map(|number| {
        let words: Vec<String> =
            (0..60).map(|at| format!("w{}", at + number * 3)).collect();
        json!({"id": format!("k{number}"), "text": words.join(" ")})
    });
    job.write("in.jsonl", &chain.collect::<Vec<_>>());
    let page = job.report(&["find", "in.jsonl", "--cluster", "components"], "");
    assert!(plain(&page).contains("linked"), "{}", plain(&page));
    let shares = closest(&page);
    assert!(
        !shares.is_empty() && shares.iter().all(|share| share.as_str() >= "0.8"),
        "{shares:?}"
    );
}

#[test]
fn copies_of_one_page_are_no_mirror() {
    let job = Job::new();
    let words = text(3, 100);
    let mut lines = vec![
        json!({"id": "a", "url": "http://a.example/", "text": format!("{words} and more")}),
    ];
    for number in 0..10 {
        let url = format!("http://b.example/{number}");
        lines.push(json!({"id": format!("b{number}"), "url": url, "text": words}));
    }
    job.write("in.jsonl", &lines);
    let page = job.report(&["find", "in.jsonl"], "");
    assert!(!page.contains("id=\"mirrors\""));
    // Old hosts have documents, too.
    let all = mirrors();
    let of = |host: &str| -> Vec<_> {
        all.iter()
            .filter(|line| line["url"].as_str().unwrap().contains(host))
            .cloned()
            .collect()
    };
    job.write("old/a.jsonl", &of("a.example"));
    job.write("new/b.jsonl", &of("B.example"));
    let says = plain(&job.report(&["find", "new", "--against", "old"], ""));
    let part = "in common of the smaller a.example 4 b.example 3 3 100.0 %";
    assert!(says.contains(part), "{says}");
}
