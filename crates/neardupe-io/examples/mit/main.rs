//! Simhash and its variants on Reuters-21578: the tables 6.1 and 6.2 and the figures 3-2, 6-1
//! and 6-2 of the mit paper (docs/reproduce/mit.md).
//!
//! `cargo run --release -p neardupe-io --example mit -- FOLDER [OUTPUT]`
//!
//! FOLDER has the files `reut2-*.sgm` or `.sgm.gz`. Tables are printed; with OUTPUT, such as
//! `docs/reproduce`, they are put into `mit.md` there, and the figures beside it.
//!
//! Where the paper asked people whether a pair is a near-duplicate, the exact resemblance of
//! the bodies decides here: shingles of five words, at least 0.5, and at least 0.2.
#![allow(clippy::unwrap_used, reason = "a program for measurements")]
#![allow(clippy::print_stdout, reason = "a program for measurements")]

mod charts;
mod near;
mod stories;
mod tables;
mod variants;

use charts::{Words, bins, chi_square, histogram, sizes};
use near::{Measured, Near, found};
use neardupe_core::document::Silent;
use neardupe_core::pipeline::{ClusterMode, FindConfig, PairsMode, find};
use neardupe_io::source::FileSource;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use stories::{Story, overlap_and_union};
use tables::{Result, grouped, put};
use variants::{ROWS, Specs, codes};

/// The page of OUTPUT that has the tables.
const PAGE: &str = "mit.md";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, rest @ ..] = &arguments[..] else {
        println!("say where Reuters-21578 is: mit FOLDER [OUTPUT]");
        return;
    };
    let made = make(input);
    for (name, table) in &made.tables {
        println!("{name}\n\n{table}");
    }
    let Some(output) = rest.first() else { return };
    let output = Path::new(output);
    let mut page = std::fs::read_to_string(output.join(PAGE)).unwrap();
    for (name, table) in &made.tables {
        page = put(&page, name, table).unwrap();
    }
    std::fs::write(output.join(PAGE), page).unwrap();
    for (name, chart) in &made.charts {
        std::fs::write(output.join(name), chart).unwrap();
    }
}

/// What the program makes, by name.
struct Made {
    tables: Vec<(&'static str, String)>,
    charts: Vec<(&'static str, String)>,
}

fn make(input: &str) -> Made {
    let source = stories::source(input);
    let stories = stories::read(&source);
    let specs = Specs::new(&source);
    let similar = similar_pairs(&source, &stories);
    check_reference(input, &stories, &similar);

    let mut results = Vec::new();
    let mut original = Vec::new();
    for row in &ROWS {
        let codes = codes(row, &specs, &stories);
        let measured = Near::new(&codes).measure(&stories);
        let found = found(&codes, &similar);
        check(row.name, &measured, &found, stories.len());
        if results.is_empty() {
            original = codes;
        }
        results.push(Result {
            row,
            measured,
            found,
        });
    }
    let features = bins(distinct_terms(&specs, &stories).into_iter());
    let codes = bins(original.iter().flatten().copied());
    let facts = format!(
        "{} stories with a body; {} pairs of them have a resemblance of at least 0.5, {} of these \
         have the same body. {} different terms; chi-square of their hashes in 256 bins {:.0}, \
         of the codes {:.0} (by chance about 255, give or take 23).",
        grouped(stories.len() as u64),
        grouped(similar.len() as u64),
        grouped(equal_bodies(&stories, &similar)),
        grouped(features.iter().sum()),
        chi_square(&features),
        chi_square(&codes),
    );
    Made {
        tables: vec![
            ("facts", facts),
            ("precision", tables::precision(&results)),
            ("neighbors", tables::neighbors(&results, stories.len())),
            ("counts", tables::counts(&results, similar.len())),
            ("unlike", tables::unlike(&results)),
        ],
        charts: vec![
            ("mit-features.svg", features_chart(&features)),
            ("mit-codes.svg", codes_chart(&codes)),
            ("mit-clusters.svg", clusters_chart(&results[0].measured)),
        ],
    }
}

/// All pairs of stories with a resemblance of at least 0.5.
fn similar_pairs(source: &FileSource, stories: &[Story]) -> Vec<(u32, u32)> {
    let folder = tempfile::tempdir().unwrap();
    let mut config = FindConfig::new(folder.path().join("work"));
    config.threshold = "0.5".parse().unwrap();
    config.cluster = ClusterMode::None;
    config.pairs = PairsMode::All;
    let result = find(source, &config, &Silent).unwrap();
    let by_number = (0u32..).zip(stories);
    let by_number: BTreeMap<u32, u32> = by_number
        .map(|(place, story)| (story.number, place))
        .collect();
    let mut pairs = Vec::new();
    result
        .for_each_pair(|pair| {
            // One without a body has no feature, and is in no pair.
            let (left, right) =
                (by_number[&pair.left.get()], by_number[&pair.right.get()]);
            let (one, other) = (&stories[left as usize], &stories[right as usize]);
            let (overlap, _) = overlap_and_union(one, other);
            assert_eq!(overlap, pair.overlap as usize, "computed in two ways");
            pairs.push((left, right));
            Ok(())
        })
        .unwrap();
    pairs
}

/// Where a table of exact pairs lies with the collection, ours are the same.
fn check_reference(input: &str, stories: &[Story], similar: &[(u32, u32)]) {
    let path = Path::new(input).join("exact_pairs.tsv");
    let Ok(table) = std::fs::read_to_string(path) else {
        return;
    };
    let ordered = |left: &str, right: &str| {
        let mut both = [left.to_owned(), right.to_owned()];
        both.sort();
        both
    };
    let rows = table.lines().filter_map(|line| {
        let mut cells = line.split('\t');
        Some(ordered(cells.next()?, cells.next()?))
    });
    let expected: BTreeSet<[String; 2]> = rows.filter(|row| row[0] != "id_a").collect();
    let id = |story: u32| stories[story as usize].id.as_str();
    let ours = similar
        .iter()
        .map(|&(left, right)| ordered(id(left), id(right)));
    let ours: BTreeSet<[String; 2]> = ours.collect();
    let differing: Vec<_> = expected.symmetric_difference(&ours).collect();
    assert!(
        differing.is_empty(),
        "other pairs than the table: {differing:?}"
    );
}

/// What must hold, whatever the collection.
fn check(name: &str, measured: &[Measured], found: &[u64], num_stories: usize) {
    for one in measured {
        let stories: u64 = one.sizes.values().sum();
        assert_eq!(
            stories, num_stories as u64,
            "{name}: a cluster for each story"
        );
    }
    for (pair, found) in measured.windows(2).zip(found.windows(2)) {
        let grows = pair[0].pairs <= pair[1].pairs && found[0] <= found[1];
        assert!(grows, "{name}: what is near stays near");
    }
    for (one, &found) in measured.iter().zip(found) {
        // Without sampling both count the same pairs, in two ways.
        let sampled = one.measured < one.pairs;
        assert!(
            sampled || one.similar == found,
            "{name}: {} and {found}",
            one.similar
        );
    }
}

fn equal_bodies(stories: &[Story], pairs: &[(u32, u32)]) -> u64 {
    let body = |story: u32| stories[story as usize].body_hash;
    let equal = pairs
        .iter()
        .filter(|&&(left, right)| body(left) == body(right));
    equal.count() as u64
}

fn distinct_terms(specs: &Specs, stories: &[Story]) -> BTreeSet<u64> {
    let mut extractor = specs.extractor();
    let mut terms = BTreeSet::new();
    let mut features = Vec::new();
    for story in stories {
        features.clear();
        extractor.distinct(&story.body, &mut features);
        terms.extend(&features);
    }
    terms
}

fn features_chart(features: &[u64]) -> String {
    let number = grouped(features.iter().sum());
    let words = Words {
        title: "Hashes of features over their space",
        subtitle: &format!("{number} different terms of Reuters-21578, as Figure 3-2"),
        across: "hash, in 256 bins",
        up: "features",
    };
    histogram(&words, features)
}

fn codes_chart(codes: &[u64]) -> String {
    let number = grouped(codes.iter().sum());
    let words = Words {
        title: "Codes over their space",
        subtitle: &format!("codes of {number} stories, variant original, as Figure 6-1"),
        across: "code, in 256 bins",
        up: "stories",
    };
    histogram(&words, codes)
}

fn clusters_chart(measured: &[Measured]) -> String {
    let names = ["distance 0", "at most 1", "at most 2", "at most 3"];
    let series = names.iter().zip(measured);
    let series = series.map(|(name, one)| ((*name).to_owned(), one.sizes.clone()));
    let words = Words {
        title: "Clusters by size",
        subtitle: "a cluster is a story and all near it; variant original, as Figure 6-2",
        across: "stories in the cluster",
        up: "clusters",
    };
    sizes(&words, &series.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program runs on a handful of stories; it checks its own numbers on the way.
    #[test]
    fn the_whole_program_on_a_few_stories() {
        let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/formats");
        let folder = tempfile::tempdir().unwrap();
        for name in ["reut2-000.sgm", "reut2-001.sgm"] {
            std::fs::copy(formats.join("reuters.sgm"), folder.path().join(name)).unwrap();
        }
        let made = make(folder.path().to_str().unwrap());
        // Each of three stories is there twice, and two of them differ in an end.
        let facts = &made.tables[0].1;
        let expected = "6 stories with a body; 7 pairs of them have a resemblance of at \
                        least 0.5, 3 of these have the same body.";
        assert!(facts.starts_with(expected), "{facts}");
        // Equal texts have equal codes.
        let precision = &made.tables[1].1;
        assert_eq!(precision.lines().count(), ROWS.len() + 2);
        let first = precision.lines().nth(2).unwrap();
        assert!(first.contains("| 1.00 | 1.00 | 1.00 | 1.00 |"), "{first}");
        assert_eq!(made.charts.len(), 3);
    }
}
