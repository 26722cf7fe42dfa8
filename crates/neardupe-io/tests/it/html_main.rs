//! The main content of real pages against what people marked as the article.
//!
//! The measure is that of the article extraction benchmark the pages come from
//! (`evaluate.py` of scrapinghub/article-extraction-benchmark): runs of four words,
//! counted; the counts of each page scaled to 1; means of precision and recall over the
//! pages, and F1 of these.

use crate::html_common::measure::{Counts, shingles};
use crate::html_common::{extract, pages, say};
use neardupe_io::extract::Content;
use std::collections::BTreeMap;

#[test]
fn main_content_is_what_people_marked() {
    let Some(pages) = pages("html-articles", "the main content") else {
        return;
    };
    let mut precision = 0.0;
    let mut recall = 0.0;
    let mut words = Words::default();
    for page in &pages {
        let html = page["html"].as_str().unwrap();
        let article = page["article_body"].as_str().unwrap();
        let main = extract(html, Content::Main);
        let full = extract(html, Content::Full);
        if let Some(remark) = main.remark {
            say(&format!("{}: {}", page["id"], remark.name()));
        }
        let counts = Counts::new(&shingles(article, 4), &shingles(&main.text, 4));
        precision += counts.precision();
        recall += counts.recall();
        words.add(article, &main.text, &full.text);
    }
    let num_pages = pages.len() as f64;
    let (precision, recall) = (precision / num_pages, recall / num_pages);
    let f1 = 2.0 * precision * recall / (precision + recall);
    say(&format!(
        "html-articles: {num_pages} pages; runs of four words: F1 {f1:.4}, precision \
         {precision:.4}, recall {recall:.4}; words: {:.1} % of the main content are of \
         the article, {:.1} % of the article are kept, {:.1} % of the boilerplate are \
         dropped",
        100.0 * words.shared / words.main,
        100.0 * words.shared / words.article,
        100.0 * (1.0 - (words.main - words.shared) / (words.full - words.in_full)),
    ));
    assert!(f1 >= 0.957, "F1 of the main content is {f1:.4}");
}

/// Words of all pages.
#[derive(Default)]
struct Words {
    article: f64,
    main: f64,
    full: f64,
    /// Of the article in the main content.
    shared: f64,
    /// Of the article in the full text.
    in_full: f64,
}

impl Words {
    fn add(&mut self, article: &str, main: &str, full: &str) {
        let [article, main, full] = [article, main, full].map(|text| shingles(text, 1));
        let sum = |counts: &BTreeMap<_, f64>| counts.values().sum::<f64>();
        self.article += sum(&article);
        self.main += sum(&main);
        self.full += sum(&full);
        self.shared += Counts::unscaled(&article, &main).both;
        self.in_full += Counts::unscaled(&article, &full).both;
    }
}
