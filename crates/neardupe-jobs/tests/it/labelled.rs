//! Quality gate: precision and recall against labels, at several thresholds, for every
//! similarity, stored as references.
//!
//! The labels were made by people (gov-web-human-pairs, short-answers) or follow from where
//! a document comes from (postgresql-docs-html: the same page of another version;
//! chinese-laws: another version of the same law). The collections lie in `../shared/data` or
//! in the folder that `NEARDUPE_DATA` names; without them the test says so and passes.
//!
//! `UPDATE_REFERENCE=1` rewrites `corpus/labelled.json`, `UPDATE_DOCS=1` the table of
//! `docs/quality.md`.

use crate::quality_common::{
    Counts, Pairs, data_folder, found_pairs, is_set, ordered, read_table, repository,
    run_with,
};
use neardupe_core::pipeline::{ClusterMode, FindConfig, FindResult, PairsMode};
use neardupe_core::similarity::Similarity;
use neardupe_core::threshold::Threshold;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Which pairs of a collection are near-duplicates.
struct Truth {
    right: BTreeSet<(String, String)>,
    /// Pairs known not to be; when only a sample was judged, pairs of neither count for
    /// nothing. None when all other pairs are wrong.
    wrong: Option<BTreeSet<(String, String)>>,
}

/// A way to measure similarity, and the thresholds it is looked at.
struct Trial {
    similarity: &'static str,
    features: &'static str,
    thresholds: &'static [&'static str],
}

struct Collection {
    name: &'static str,
    documents: &'static str,
    text_key: &'static str,
    metadata: &'static [&'static str],
    truth: fn(&Path, &FindResult) -> Truth,
    trials: &'static [Trial],
}

const HIGH: &[&str] = &["0.5", "0.6", "0.7", "0.8", "0.9"];
const LOW: &[&str] = &["0.2", "0.3", "0.4", "0.5", "0.8"];

const COLLECTIONS: [Collection; 4] = [
    Collection {
        name: "gov-web-human-pairs",
        documents: "docs.jsonl.gz",
        text_key: "text",
        metadata: &[],
        truth: judged_by_people,
        trials: &[
            trial("resemblance", "words:5", HIGH),
            trial("resemblance", "chars:64", HIGH),
            trial("s3", "words:8", HIGH),
            trial("containment", "words:5", HIGH),
        ],
    },
    Collection {
        name: "postgresql-docs-html",
        documents: "pages.jsonl.gz",
        text_key: "html",
        metadata: &[],
        truth: listed,
        trials: &[
            trial("resemblance", "words:5", HIGH),
            trial("resemblance", "chars:64", HIGH),
            trial("containment", "words:5", HIGH),
        ],
    },
    Collection {
        name: "chinese-laws",
        documents: "docs.jsonl.gz",
        text_key: "text",
        metadata: &["cluster"],
        truth: same_cluster,
        trials: &[
            trial("resemblance", "words:5", LOW),
            trial("resemblance", "terms", HIGH),
            trial("containment", "words:5", LOW),
        ],
    },
    Collection {
        name: "short-answers",
        documents: "docs.jsonl.gz",
        text_key: "text",
        metadata: &[],
        truth: reused,
        trials: &[
            trial(
                "resemblance",
                "words:3",
                &["0.05", "0.1", "0.2", "0.3", "0.5"],
            ),
            trial(
                "containment",
                "words:3",
                &["0.05", "0.1", "0.2", "0.3", "0.5"],
            ),
        ],
    },
];

const fn trial(
    similarity: &'static str,
    features: &'static str,
    thresholds: &'static [&'static str],
) -> Trial {
    Trial {
        similarity,
        features,
        thresholds,
    }
}

#[test]
fn precision_and_recall_are_those_of_the_stored_reference() {
    let path = repository().join("corpus/labelled.json");
    let stored = std::fs::read_to_string(&path).unwrap_or("{}".to_owned());
    let mut reference: BTreeMap<String, Value> = serde_json::from_str(&stored).unwrap();
    let mut all_there = true;
    for collection in &COLLECTIONS {
        let Some(folder) = data_folder(collection.name, "precision and recall") else {
            all_there = false;
            continue;
        };
        let measured = measure(collection, &folder);
        if is_set("UPDATE_REFERENCE") {
            reference.insert(collection.name.to_owned(), measured);
            continue;
        }
        assert!(
            reference.get(collection.name) == Some(&measured),
            "{} differs from corpus/labelled.json; if that is on purpose, rewrite it with \
             UPDATE_REFERENCE=1 UPDATE_DOCS=1 cargo test -p neardupe-io labelled:: and \
             tell it in the changelog under Results\nmeasured: {measured:#}",
            collection.name
        );
    }
    if is_set("UPDATE_REFERENCE") {
        let text = serde_json::to_string_pretty(&reference).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
    }
    if all_there {
        check_docs(&reference);
    }
}

/// Pairs found that are right and wrong, at each threshold of each trial.
fn measure(collection: &Collection, folder: &Path) -> Value {
    let mut trials = BTreeMap::new();
    for trial in collection.trials {
        let mut config = FindConfig::new(PathBuf::new());
        config.similarity = trial.similarity.parse().unwrap();
        config.features = trial.features.parse().unwrap();
        config.threshold = trial.thresholds[0].parse().unwrap();
        config.cluster = ClusterMode::None;
        config.pairs = PairsMode::All;
        let similarity = config.similarity;
        let input = folder.join(collection.documents);
        let result = run_with(collection.text_key, collection.metadata, &input, config);
        let found = found_pairs(&result);
        let truth = (collection.truth)(folder, &result);
        let mut rows = BTreeMap::new();
        for &threshold in trial.thresholds {
            let (right, wrong) = verdict(&found, &truth, similarity, threshold);
            rows.insert(
                threshold,
                json!({ "right": right, "wrong": wrong, "truth": truth.right.len() }),
            );
        }
        let name = format!("{} of {}", trial.similarity, trial.features);
        trials.insert(name, json!(rows));
    }
    json!(trials)
}

fn verdict(
    found: &Pairs,
    truth: &Truth,
    similarity: Similarity,
    threshold: &str,
) -> (u64, u64) {
    let (numerator, denominator) =
        threshold.parse::<Threshold>().unwrap().ratio().parts();
    let (mut right, mut wrong) = (0, 0);
    for (ids, counts) in found {
        let Counts {
            overlap,
            left_size,
            right_size,
        } = *counts;
        let (part, whole) = similarity.ratio(overlap, left_size, right_size).parts();
        if part * denominator < numerator * whole {
            continue;
        }
        if truth.right.contains(ids) {
            right += 1;
        } else if truth.wrong.as_ref().is_none_or(|wrong| wrong.contains(ids)) {
            wrong += 1;
        }
    }
    (right, wrong)
}

/// Labels 1 to 3 are degrees of near-duplicate, 0 is none.
fn judged_by_people(folder: &Path, _: &FindResult) -> Truth {
    let columns = ["collection", "id_a", "id_b", "label"];
    let (mut right, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for [collection, one, other, label] in read_table(&folder.join("pairs.tsv"), columns)
    {
        if collection == "terabyte" {
            let side = if label == "0" { &mut wrong } else { &mut right };
            side.insert(ordered(&one, &other));
        }
    }
    let wrong = Some(wrong);
    Truth { right, wrong }
}

fn listed(folder: &Path, _: &FindResult) -> Truth {
    let rows = read_table(&folder.join("pairs.tsv"), ["id_a", "id_b"]);
    let right = rows.iter().map(|[one, other]| ordered(one, other));
    Truth {
        right: right.collect(),
        wrong: None,
    }
}

fn same_cluster(_: &Path, result: &FindResult) -> Truth {
    let mut clusters: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for document in result.documents.all() {
        let values = result.documents.metadata(document).unwrap();
        let id = result.documents.id(document).unwrap().into_owned();
        let cluster = values[0].clone().unwrap();
        clusters.entry(cluster).or_default().push(id);
    }
    let mut right = BTreeSet::new();
    for members in clusters.values() {
        for (at, one) in members.iter().enumerate() {
            right.extend(members[..at].iter().map(|other| ordered(one, other)));
        }
    }
    Truth { right, wrong: None }
}

/// Copied with or without revision is right; written without the source is wrong. Only pairs
/// of an answer and its source were judged.
fn reused(folder: &Path, _: &FindResult) -> Truth {
    let columns = ["answer", "source", "reuse_level"];
    let (mut right, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for [answer, source, level] in read_table(&folder.join("pairs.tsv"), columns) {
        let side = if level == "non" {
            &mut wrong
        } else {
            &mut right
        };
        side.insert(ordered(&answer, &source));
    }
    let wrong = Some(wrong);
    Truth { right, wrong }
}

const BEGIN: &str = "<!-- labelled:begin -->";
const END: &str = "<!-- labelled:end -->";

/// The table of the docs is what the reference says.
fn check_docs(reference: &BTreeMap<String, Value>) {
    let mut table = String::new();
    for collection in &COLLECTIONS {
        writeln!(table, "### {}\n", collection.name).unwrap();
        for (name, rows) in reference[collection.name].as_object().unwrap() {
            write_trial(&mut table, name, rows);
        }
    }
    let path = repository().join("docs/quality.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (written, after) = rest.split_once(END).unwrap();
    if written.trim() == table.trim() {
        return;
    }
    assert!(
        is_set("UPDATE_DOCS"),
        "the table of docs/quality.md is not that of corpus/labelled.json; rewrite it with \
         UPDATE_DOCS=1 cargo test -p neardupe-io labelled::"
    );
    let table = table.trim_end();
    let updated = format!("{before}{BEGIN}\n\n{table}\n\n{END}{after}");
    std::fs::write(&path, updated).unwrap();
}

fn write_trial(table: &mut String, name: &str, rows: &Value) {
    let rows = rows.as_object().unwrap();
    let row = |title: &str, cell: &dyn Fn(u64, u64, u64) -> String| {
        let cells = rows.values().map(|row| {
            let number = |key: &str| row[key].as_u64().unwrap();
            cell(number("right"), number("wrong"), number("truth"))
        });
        format!("| {title} | {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let thresholds: Vec<&str> = rows.keys().map(String::as_str).collect();
    writeln!(table, "| {name} >= | {} |", thresholds.join(" | ")).unwrap();
    writeln!(table, "|---|{}", "--:|".repeat(thresholds.len())).unwrap();
    let precision = |right: u64, wrong: u64, _| ratio(right, right + wrong);
    table.push_str(&row("precision", &precision));
    table.push_str(&row("recall", &|right, _, truth| ratio(right, truth)));
    table.push_str(&row("found, right + wrong", &|right, wrong, _| {
        format!("{right} + {wrong}")
    }));
    table.push('\n');
}

/// Three decimals, rounded half up.
fn ratio(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let thousandths = (part * 2000 + whole) / (whole * 2);
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}
