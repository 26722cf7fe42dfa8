//! The main content of pages made by documentation generators, against the element that
//! the generator puts its content in; see corpus/manuals.
//!
//! Short pages with large menus and footers are what a search for an article gets wrong:
//! where it takes the copyright notice, all these pages become duplicates of each other.
//! So besides the text, the near-duplicates are compared: pairs at 0.5 by the true main
//! text with those by the text that was found.

use crate::html_common::measure::{Counts, shingles};
use crate::html_common::{extract, repository, say};
use neardupe_io::extract::Content;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};

/// Precision and recall of the text, then of near-duplicate pairs.
type Figures = [f64; 4];

/// What the main content reaches. A move either way fails: a better figure is written here
/// on purpose, with a line in the changelog.
const REFERENCES: &[(&str, Figures)] = &[
    ("blog", [0.941, 1.0, 1.0, 0.970]),
    ("docusaurus", [0.982, 0.997, 1.0, 1.0]),
    ("doxygen", [0.771, 0.999, 0.995, 1.0]),
    ("gtk-doc", [0.989, 1.0, 1.0, 1.0]),
    ("javadoc", [0.998, 0.982, 1.0, 1.0]),
    ("man2html", [0.745, 1.0, 1.0, 1.0]),
    ("mkdocs", [1.0, 0.995, 1.0, 1.0]),
    ("rustdoc", [1.0, 1.0, 1.0, 1.0]),
    ("sphinx", [0.975, 0.990, 1.0, 1.0]),
];

#[test]
fn main_content_of_manuals_is_the_content_of_the_generator() {
    let mut generators: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for page in manuals() {
        let generator = page["generator"].as_str().unwrap().to_owned();
        generators.entry(generator).or_default().push(page);
    }
    say(
        "manuals, precision and recall of --content main, then of full text; runs of four \
         words, then near-duplicate pairs at 0.5:\n\
         generator  | pages | words: main  | full         | pairs | main         | full",
    );
    let mut moved = Vec::new();
    let mut names = Vec::new();
    for (generator, pages) in &generators {
        let found = measure(generator, pages);
        let reference = REFERENCES.iter().find(|(name, _)| name == generator);
        let (_, expected) = reference.unwrap();
        if found
            .iter()
            .zip(expected)
            .any(|(f, e)| (f - e).abs() > 0.002)
        {
            moved.push(format!("{generator}: {found:.3?} where {expected:.3?} was"));
        }
        names.push(generator.as_str());
    }
    assert!(names.iter().eq(REFERENCES.iter().map(|(name, _)| name)));
    assert!(moved.is_empty(), "{}", moved.join("\n"));
}

fn measure(generator: &str, pages: &[Value]) -> Figures {
    let texts = |content: Content| -> Vec<String> {
        let html = pages.iter().map(|page| page["html"].as_str().unwrap());
        html.map(|html| extract(html, content).text).collect()
    };
    let truths = pages.iter().map(|page| page["main"].as_str().unwrap());
    let truths: Vec<String> = truths.map(str::to_owned).collect();
    let true_pairs = pairs(&truths);
    let main = figures(&truths, &true_pairs, &texts(Content::Main));
    let full = figures(&truths, &true_pairs, &texts(Content::Full));
    say(&format!(
        "{generator:10} | {:5} | {:.3}, {:.3} | {:.3}, {:.3} | {:5} | {:.3}, {:.3} | \
         {:.3}, {:.3}",
        pages.len(),
        main[0],
        main[1],
        full[0],
        full[1],
        true_pairs.len(),
        main[2],
        main[3],
        full[2],
        full[3],
    ));
    main
}

fn figures(
    truths: &[String],
    true_pairs: &BTreeSet<(usize, usize)>,
    found: &[String],
) -> Figures {
    let mut precision = 0.0;
    let mut recall = 0.0;
    for (truth, found) in truths.iter().zip(found) {
        let counts = Counts::new(&shingles(truth, 4), &shingles(found, 4));
        precision += counts.precision();
        recall += counts.recall();
    }
    let num_pages = truths.len() as f64;
    let found_pairs = pairs(found);
    let both = true_pairs.intersection(&found_pairs).count() as f64;
    let share = |all: usize| if all == 0 { 1.0 } else { both / all as f64 };
    [
        precision / num_pages,
        recall / num_pages,
        share(found_pairs.len()),
        share(true_pairs.len()),
    ]
}

/// Pairs of texts whose resemblance, of runs of five words, is 0.5 or more.
fn pairs(texts: &[String]) -> BTreeSet<(usize, usize)> {
    let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    let mut numbers: BTreeMap<Vec<&str>, u32> = BTreeMap::new();
    let mut sets: Vec<Vec<u32>> = Vec::new();
    for text in &lower {
        let mut set: Vec<u32> = Vec::new();
        for (run, _count) in shingles(text, 5) {
            let next = u32::try_from(numbers.len()).unwrap();
            set.push(*numbers.entry(run).or_insert(next));
        }
        set.sort_unstable();
        sets.push(set);
    }
    let mut pairs = BTreeSet::new();
    for (left, left_set) in sets.iter().enumerate() {
        for (right, right_set) in sets.iter().enumerate().skip(left + 1) {
            let (less, more) = (
                left_set.len().min(right_set.len()),
                left_set.len().max(right_set.len()),
            );
            if less * 2 < more || more == 0 {
                continue;
            }
            let overlap = overlap(left_set, right_set);
            if overlap * 3 >= less + more {
                pairs.insert((left, right));
            }
        }
    }
    pairs
}

fn overlap(left: &[u32], right: &[u32]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        match left[i].cmp(&right[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                both += 1;
                i += 1;
                j += 1;
            }
        }
    }
    both
}

/// The pages of corpus/manuals.
fn manuals() -> Vec<Value> {
    let path = repository().join("corpus/manuals/pages.jsonl.zst");
    let file = std::fs::File::open(path).unwrap();
    let mut decoder = zstd::Decoder::new(file).unwrap();
    decoder.window_log_max(27).unwrap();
    let lines = BufReader::new(decoder).lines();
    let pages = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    pages.collect()
}
