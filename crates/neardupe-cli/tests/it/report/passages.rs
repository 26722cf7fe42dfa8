//! The page of `passages`: what it says, that its links lead somewhere, that documents cannot
//! attack its reader or blow it up.

use super::{Job, plain, text};
use serde_json::json;
use std::collections::BTreeSet;

const ATTACK: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\
                      \"'><svg/onload=alert(3)>\u{202e}\u{2066}\u{1b}[31m\u{0}&lt;b&gt;]]>-->";

/// Words as sentences of eight.
fn sentences(number: usize, words: usize) -> String {
    let words = text(number, words);
    let words: Vec<&str> = words.split(' ').collect();
    let sentences = words
        .chunks(8)
        .map(|words| format!("The {}. ", words.join(" ")));
    sentences.collect()
}

/// A quotation, a whole document within another one, near-duplicates, two copies, and a
/// sentence of all.
fn collection() -> Vec<serde_json::Value> {
    let footer = "All of this was written down by the same hand in one night.";
    let quoted = sentences(50, 40);
    let article = sentences(51, 120);
    let letter = sentences(52, 160);
    let texts = [
        (
            "essay",
            format!("{} {quoted} {}", sentences(1, 200), sentences(2, 200)),
        ),
        (
            "review",
            format!("{} {} {quoted}", sentences(3, 200), sentences(4, 200)),
        ),
        ("article", article.clone()),
        (
            "volume",
            format!("{} {article} {}", sentences(5, 300), sentences(6, 300)),
        ),
        ("letter", letter.clone()),
        ("letter again", format!("{letter} With regards.")),
        ("letter copied", letter),
    ];
    texts
        .iter()
        .map(|(id, text)| json!({"id": id, "text": format!("{text} {footer}")}))
        .collect()
}

/// What stands in an attribute, as often as it occurs.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let page = page.split("<script").next().unwrap();
    let start = format!(" {attribute}=\"");
    let values = page.split(&start).skip(1);
    values.map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn it_says_what_was_found_and_links_lead_somewhere() {
    let job = Job::new();
    job.write("in.jsonl", &collection());
    let page = job.report(&["passages", "in.jsonl", "--max-documents", "4"], "");
    let says = plain(&page);
    for part in [
        "7 documents share 3 passages with each other.",
        "1 pair is a near-duplicate",
        "1 sentence is in more than 4 documents and leads to no passage.",
        "All of this was written down by the same hand in one night.",
        "1 document has the very text of another one",
        "All pairs",
        "article and volume",
        "essay and review",
        "sentence on the left",
    ] {
        assert!(says.contains(part), "{part:?} is not in {says}");
    }
    assert_eq!(page.matches("<svg class=\"plot\"").count(), 3);
    // Every link of the page leads to a place in it, and every place is there once.
    let ids = values(&page, "id");
    let places: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), places.len());
    let links = values(&page, "href");
    for link in &links {
        let place = link.strip_prefix('#').unwrap();
        assert!(places.contains(place), "{link}");
    }
    assert!(links.contains(&"#s1-r1") && links.contains(&"#s1-l1"));
    assert!(links.contains(&"#pair-1"));
    // The same again, byte by byte, but for time and memory.
    let again = job.report(
        &[
            "passages",
            "in.jsonl",
            "--max-documents",
            "4",
            "--threads",
            "1",
        ],
        "",
    );
    let middle = |page: &str| {
        let start = page.find("id=\"pairs\"").unwrap();
        page[start..page.find("id=\"how\"").unwrap()].to_owned()
    };
    assert_eq!(middle(&page), middle(&again));
}

#[test]
fn without_text_the_plots_remain() {
    let job = Job::new();
    job.write("in.jsonl", &collection());
    let command = ["passages", "in.jsonl", "--max-documents", "4", "--no-text"];
    let page = job.report(&command, "");
    let says = plain(&page);
    assert!(says.contains("It holds no text of documents"));
    assert!(says.contains("essay and review"));
    assert_eq!(page.matches("<svg class=\"plot\"").count(), 3);
    assert!(!page.contains("same hand"), "{says}");
    for number in [50, 51, 52] {
        assert!(!page.contains(&text(number, 2)), "{number}");
    }
    let places: BTreeSet<&str> = values(&page, "id").into_iter().collect();
    for link in values(&page, "href") {
        assert!(places.contains(&link[1..]), "{link}");
    }
}

#[test]
fn nothing_of_a_document_is_markup() {
    let job = Job::new();
    let mut lines = Vec::new();
    for number in 0..6 {
        let (shared, own) = (sentences(number / 2, 60), sentences(number + 100, 200));
        lines.push(json!({
            "id": format!("{ATTACK}{number}"),
            "text": format!("{own} {ATTACK} {shared} {ATTACK} {number} {ATTACK}. {shared}"),
        }));
    }
    lines.push(json!({"id": "bad", "text": 7}));
    job.write("in/<b>&\"a.jsonl", &lines);
    let command = [
        "passages",
        "in",
        "--max-documents",
        "3",
        "--allow-bad-records",
        "1",
    ];
    let page = job.report(&command, "");
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(page.matches("<img").count(), 0);
    assert_eq!(
        page.matches("<svg").count(),
        page.matches("<svg class=\"plot\"").count()
    );
    let body = page.split("<body>").nth(1).unwrap();
    let body = body.split("<script").next().unwrap();
    for line in ["<b>", "<i>", "\u{202e}", "\u{2066}", "\u{1b}", "\u{0}"] {
        assert!(!body.contains(line), "{line:?}");
    }
    // No attribute holds what comes from outside.
    let tags = body.split('<').skip(1);
    let mut tags = tags.map(|tag| tag.split('>').next().unwrap());
    assert!(!tags.any(|tag| tag.contains("alert")));
    let says = plain(&page);
    assert!(
        says.contains("&lt;img src=x onerror=alert(2)&gt;"),
        "{says}"
    );
    assert!(page.contains("<mark class=\"passage c0\">"));
}

#[test]
fn the_page_stays_small() {
    let job = Job::new();
    let long = "\"".repeat(20_000);
    let escaped = "<&>\"' ".repeat(400);
    // Documents of many passages each, with much between them that must be escaped.
    let lines: Vec<_> = (0..60)
        .map(|number| {
            let parts = (0..50).map(|part| {
                let shared = sentences(1000 + part + 50 * (number / 3), 60);
                format!("{shared} {} {escaped}", sentences(number * 50 + part, 40))
            });
            json!({
                "id": format!("{long}{number}"),
                "text": parts.collect::<Vec<_>>().join("\n"),
            })
        })
        .collect();
    job.write("in.jsonl", &lines);
    let page = job.report(&["passages", "in.jsonl"], "");
    assert_eq!(page.matches("<svg class=\"plot\"").count(), 20);
    assert!(page.matches("<mark class=\"passage").count() > 100);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
}

#[test]
fn checked_documents_and_an_empty_collection() {
    let job = Job::new();
    let collection = collection();
    job.write("old.jsonl", &collection[1..]);
    job.write("new.jsonl", &collection[..1]);
    let page = job.report(&["passages", "old.jsonl", "--query", "new.jsonl"], "");
    let says = plain(&page);
    assert!(
        says.contains("1 checked document shares one passage with the collection."),
        "{says}"
    );
    assert!(says.contains("review (old)"), "{says}");
    job.write("empty.jsonl", &[]);
    let page = job.report(&["passages", "empty.jsonl"], "");
    assert!(plain(&page).contains("There was no document to read."));
    assert!(!page.contains("<svg"));
}
