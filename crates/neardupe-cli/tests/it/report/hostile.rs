//! Documents that attack the reader of the page, and documents that would blow it up.

use super::{Job, plain, text};
use serde_json::json;

const ATTACK: &str = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\
                      \"'><svg/onload=alert(3)>\u{202e}\u{2066}\u{1b}[31m\u{0}&lt;b&gt;]]>-->";

#[test]
fn nothing_of_a_document_is_markup() {
    let job = Job::new();
    let host = "http://evil.example\"><script>alert(4)</script>/";
    let other = "http://copy.example'onload='alert(5)/";
    let mut lines = Vec::new();
    for number in 0..6 {
        let words = text(number / 2, 60);
        lines.push(json!({
            "id": format!("{ATTACK}{number}"),
            "text": format!("{ATTACK} {words} {ATTACK} {number}"),
            "url": if number % 2 == 0 { host } else { other },
            "kind<i>": format!("{ATTACK}{}", number % 2),
        }));
    }
    lines.push(json!({"id": "bad", "text": 7}));
    job.write("in/<b>&\"a.jsonl", &lines[..3]);
    job.write("in/z.jsonl", &lines[3..]);
    let command = [
        "find",
        "in",
        "--meta-key",
        "kind<i>",
        "--allow-bad-records",
        "1",
    ];
    let page = job.report(&command, "");
    // The data of the charts and our own script.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(page.matches("<img").count(), 0);
    assert_eq!(page.matches("<svg").count(), 0);
    for line in ["<b>", "<i>", "\u{202e}", "\u{2066}", "\u{1b}", "\u{0}"] {
        let body = page.split("<body>").nth(1).unwrap();
        let body = body.split("<script").next().unwrap();
        assert!(!body.contains(line), "{line:?}");
    }
    // Quotes in attributes would end them: none holds what comes from outside.
    let outside = page
        .split('<')
        .skip(1)
        .map(|tag| tag.split('>').next().unwrap());
    let mut tags = outside.take_while(|tag| !tag.starts_with("script"));
    assert!(!tags.any(|tag| tag.contains("alert")));
    // It is all there, to be read.
    let plain = plain(&page);
    assert!(
        plain.contains("&lt;img src=x onerror=alert(2)&gt;"),
        "{plain}"
    );
    assert!(plain.contains("evil.example"), "{plain}");
}

#[test]
fn the_page_stays_small() {
    let job = Job::new();
    let long = "\"".repeat(200_000);
    for file in 0..40 {
        let lines: Vec<_> = (0..24)
            .map(|number| {
                // Half of the words are the same, so that everything is shown as different.
                let (same, own) = (text(file, 3000), text(number + 100 * file, 3000));
                let mut record = json!({
                    "id": format!("{long}{file}-{number}"),
                    "text": format!("{same} {own} {}", "<&>\"' ".repeat(3000)),
                    "url": format!("http://{}.example/", "h".repeat(3000 + number)),
                });
                for field in 0..40 {
                    let value = format!("{}{}", "\"".repeat(300), number + field);
                    record[format!("from{field}")] = json!(value);
                }
                record
            })
            .collect();
        job.write(&format!("in/{file}.jsonl"), &lines);
    }
    let fields: Vec<String> = (0..40)
        .map(|field| format!("--meta-key=from{field}"))
        .collect();
    let mut command = vec!["find", "in", "--threshold", "0.3"];
    command.extend(fields.iter().map(String::as_str));
    let page = job.report(&command, "");
    assert!(page.contains("<ins>"));
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
}

#[test]
fn no_text_means_none() {
    let job = Job::new();
    let lines: Vec<_> = (0..8)
        .map(|number| {
            let text = format!("{} secret{number}", text(number / 4, 80));
            json!({"id": number.to_string(), "text": text})
        })
        .collect();
    job.write("in.jsonl", &lines);
    let says_text = |page: &str| {
        let summary = std::fs::read_to_string(job.path("out/summary.json")).unwrap();
        let words = text(0, 3);
        [
            page.contains("secret"),
            page.contains(&words),
            summary.contains(&words),
        ]
    };
    let page = job.report(&["find", "in.jsonl"], "");
    assert_eq!(says_text(&page), [true; 3]);
    let page = job.report(&["find", "in.jsonl", "--no-text"], "");
    assert_eq!(says_text(&page), [false; 3]);
    assert!(plain(&page).contains("It holds no text of documents"));
}
