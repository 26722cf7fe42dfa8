//! How fast text comes out of real pages, beside lol_html doing less work on the same
//! pages: it only copies the text as written and puts a space for every start tag.
//!
//! Speeds are per second of processor time. Run it with
//! `cargo bench -p neardupe-twins --bench html_speed`.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a program that measures: a panic is how it fails"
)]

use lol_html::{HtmlRewriter, Settings, doc_text, element};
use neardupe_io::extract::{Content, Extracted, HtmlExtractor, HtmlOptions};
use neardupe_twins::{cpu_time, pages, say};
use std::cell::RefCell;

fn main() {
    for name in ["html-articles", "postgresql-docs-html"] {
        let Some(records) = pages(name, "speed") else {
            continue;
        };
        let pages: Vec<&str> = records
            .iter()
            .map(|page| page["html"].as_str().unwrap())
            .collect();
        measure(name, &pages);
    }
    for (name, sentence) in [
        (
            "long text",
            "Long text without many tags, as in books and laws. ",
        ),
        (
            "text with entities",
            "Long text without many tags, as in books &amp; laws. ",
        ),
        ("tag soup", "<a href=\"x\">Link</a> <b>bold</b> text<br>"),
    ] {
        let page = format!("<p>{}</p>\n", sentence.repeat(40)).repeat(5000);
        measure(name, &[&page]);
    }
}

fn measure(name: &str, pages: &[&str]) {
    let bytes: usize = pages.iter().map(|page| page.len()).sum();
    let best = |mut work: Box<dyn FnMut(&str) -> usize + '_>| {
        let mut best = f64::MAX;
        let mut text = 0;
        for _ in 0..3 {
            let start = cpu_time();
            text = pages.iter().map(|page| work(page)).sum();
            best = best.min((cpu_time() - start).as_secs_f64());
        }
        (bytes as f64 / best / 1e6, text)
    };
    let run = |options: HtmlOptions| {
        let mut extractor = HtmlExtractor::new(options);
        let mut out = Extracted::default();
        best(Box::new(move |page| {
            out.clear();
            extractor.extract(page, &mut out);
            out.text.len()
        }))
    };
    let plain = HtmlOptions::default();
    let spans = HtmlOptions {
        keep_regions: true,
        keep_links: true,
        ..plain
    };
    let main = HtmlOptions {
        content: Content::Main,
        ..plain
    };
    let report = |what: &str, (speed, text): (f64, usize)| {
        let text = text as f64 / 1e6;
        say(&format!(
            "{name}: {what}: {speed:.0} MB/s, {text:.2} MB of text"
        ));
    };
    report("full", run(plain));
    report("full with regions and links", run(spans));
    report("lol_html", best(Box::new(lol_html_text)));
    report("main", run(main));
}

fn lol_html_text(page: &str) -> usize {
    let text = RefCell::new(String::new());
    let settings = Settings::new()
        .with_strict(false)
        .append_document_content_handler(doc_text!(|chunk| {
            text.borrow_mut().push_str(chunk.as_str());
            Ok(())
        }))
        .append_element_content_handler(element!("*", |_| {
            text.borrow_mut().push(' ');
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(page.as_bytes()).unwrap();
    rewriter.end().unwrap();
    text.into_inner().len()
}
