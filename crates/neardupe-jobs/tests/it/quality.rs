//! Quality gate: what the program finds in real collections, against known answers.
//!
//! The answers come from comparing all pairs (`exact_pairs.tsv`, made by programs that
//! share no code with this one), from people (`pairs.tsv` of gov-web-human-pairs), and
//! from stored counts (`corpus/reference.json`).
//!
//! The collections of `corpus/` and `examples/` are always there. Larger ones lie in
//! `../shared/data` beside the repository, or in the folder that `NEARDUPE_DATA` names
//! (relative to the repository); without them their tests say so on standard error and
//! pass.
//!
//! `UPDATE_DOCS=1` rewrites the calibration table of the README, `UPDATE_REFERENCE=1` the
//! stored counts.

use crate::quality_common::{
    Counts, Pairs, data_folder, found_pairs, is_set, ordered, read_table, repository,
    run, run_on,
};
use neardupe_core::pipeline::{ClusterMode, PairsMode};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

#[test]
fn postgresql_text_has_exactly_the_pairs_of_its_truth() {
    has_exactly_the_true_pairs("corpus/postgresql-text", "documents.jsonl.gz", "0.5");
}

#[test]
fn ats_tracts_have_exactly_the_pairs_of_their_truth() {
    has_exactly_the_true_pairs("corpus/ats-tracts", "docs.jsonl.gz", "0.1");
}

fn has_exactly_the_true_pairs(folder: &str, documents: &str, threshold: &str) {
    let folder = repository().join(folder);
    let result = run(
        &folder.join(documents),
        threshold,
        ClusterMode::None,
        PairsMode::All,
    );
    let found = found_pairs(&result);
    let truth = true_pairs(&folder);
    let mut faults = Vec::new();
    for ((left, right), counts) in &truth {
        match found.get(&(left.clone(), right.clone())) {
            None => faults.push(format!("missing: {left} {right} {counts:?}")),
            Some(other) if other != counts => {
                faults.push(format!("{left} {right}: {other:?}, in truth {counts:?}"));
            }
            Some(_) => {}
        }
    }
    let invented = found.iter().filter(|(ids, _)| !truth.contains_key(*ids));
    faults.extend(
        invented.map(|(ids, counts)| format!("not in truth: {ids:?} {counts:?}")),
    );
    assert_no_faults(&folder, &faults);
}

#[test]
fn stars_of_postgresql_text_obey_their_laws() {
    for threshold in ["0.5", "0.8"] {
        stars_obey_their_laws("corpus/postgresql-text", "documents.jsonl.gz", threshold);
    }
}

#[test]
fn stars_of_ats_tracts_obey_their_laws() {
    for threshold in ["0.1", "0.8"] {
        stars_obey_their_laws("corpus/ats-tracts", "docs.jsonl.gz", threshold);
    }
}

/// By the truth: a duplicate is similar to its representative, and no two documents that
/// are kept are similar.
fn stars_obey_their_laws(folder: &str, documents: &str, threshold: &str) {
    let folder = repository().join(folder);
    let result = run(
        &folder.join(documents),
        threshold,
        ClusterMode::Star,
        PairsMode::Evidence,
    );
    let written = found_pairs(&result);
    let mut similar = true_pairs(&folder);
    similar.retain(|_, counts| counts.reach(threshold));
    let mut faults = Vec::new();
    let mut dropped = BTreeSet::new();
    for duplicate in &result.duplicates {
        let document = result.documents.id(duplicate.document).unwrap();
        let representative = result.documents.id(duplicate.representative).unwrap();
        dropped.insert(document.to_string());
        let ids = ordered(&document, &representative);
        let Some(counts) = similar.get(&ids) else {
            faults.push(format!("{document} is not similar to {representative}"));
            continue;
        };
        if counts.overlap != duplicate.overlap || written.get(&ids) != Some(counts) {
            faults.push(format!(
                "{document} has no pair with {representative}, or a wrong one"
            ));
        }
    }
    for duplicate in &result.duplicates {
        let representative = result.documents.id(duplicate.representative).unwrap();
        if dropped.contains(representative.as_ref()) {
            faults.push(format!(
                "the representative {representative} is a duplicate itself"
            ));
        }
    }
    for (left, right) in similar.keys() {
        if !dropped.contains(left) && !dropped.contains(right) {
            faults.push(format!("{left} and {right} are similar and both kept"));
        }
    }
    if written.len() != result.duplicates.len() {
        let (pairs, duplicates) = (written.len(), result.duplicates.len());
        faults.push(format!(
            "{pairs} pairs as evidence of {duplicates} duplicates"
        ));
    }
    assert_no_faults(&folder, &faults);
}

#[test]
fn gov_web_human_pairs_agree_with_the_printed_truth() {
    agrees_with_the_printed_truth("gov-web-human-pairs");
}

#[test]
fn minhash_articles_agree_with_the_printed_truth() {
    agrees_with_the_printed_truth("minhash-articles");
}

#[test]
fn chinese_laws_agree_with_the_printed_truth() {
    agrees_with_the_printed_truth("chinese-laws");
}

/// At 0.2: the same pairs, and each resemblance and containment as printed. Rows below
/// are left out: chinese-laws lists them for their containment.
fn agrees_with_the_printed_truth(name: &str) {
    let Some(folder) = data_folder(name, "its pairs") else {
        return;
    };
    let result = run(
        &folder.join("docs.jsonl.gz"),
        "0.2",
        ClusterMode::None,
        PairsMode::All,
    );
    let mut found = found_pairs(&result);
    let columns = ["id_a", "id_b", "resemblance", "containment"];
    let mut faults = Vec::new();
    for [one, other, resemblance, containment] in
        read_table(&folder.join("exact_pairs.tsv"), columns)
    {
        if Decimal::new(&resemblance).is_below(2, 10) {
            continue;
        }
        let Some(counts) = found.remove(&ordered(&one, &other)) else {
            faults.push(format!("missing: {one} {other} {resemblance}"));
            continue;
        };
        let smaller = counts.left_size.min(counts.right_size).into();
        let same = Decimal::new(&resemblance).is_rounded(counts.overlap, counts.union())
            && Decimal::new(&containment).is_rounded(counts.overlap, smaller);
        if !same {
            let printed =
                format!("in truth resemblance {resemblance} containment {containment}");
            faults.push(format!("{one} {other}: {counts:?}, {printed}"));
        }
    }
    let left_over = found.iter();
    faults.extend(
        left_over.map(|(ids, counts)| format!("not in truth: {ids:?} {counts:?}")),
    );
    assert_no_faults(&folder, &faults);
}

/// The bodies of Reuters-21578, read from the original SGML: 21,578 documents, 19,043 with
/// a body, and exactly the pairs of the truth at 0.5.
#[test]
fn reuters_has_its_documents_bodies_and_pairs() {
    let Some(folder) = data_folder("reuters21578", "its pairs") else {
        return;
    };
    let result = run_on(
        "body",
        &folder.join("*.sgm.gz"),
        "0.5",
        ClusterMode::None,
        PairsMode::All,
    );
    assert_eq!(result.totals.documents, 21_578);
    assert_eq!(result.totals.documents - result.totals.empty, 19_043);
    let mut found = found_pairs(&result);
    let mut faults = Vec::new();
    let columns = ["id_a", "id_b", "resemblance"];
    for [one, other, resemblance] in read_table(&folder.join("exact_pairs.tsv"), columns)
    {
        match found.remove(&ordered(&one, &other)) {
            None => faults.push(format!("missing: {one} {other} {resemblance}")),
            Some(counts) => {
                let printed = Decimal::new(&resemblance);
                if !printed.is_rounded(counts.overlap, counts.union()) {
                    faults.push(format!("{one} {other}: {counts:?}, {resemblance}"));
                }
            }
        }
    }
    faults.extend(found.keys().map(|ids| format!("not in truth: {ids:?}")));
    assert_no_faults(&folder, &faults);
}

/// The truth was made without the head of the pages; our text has the title, which is a
/// line of a page. So a few pairs near the threshold are not found, and none is invented.
#[test]
fn pages_of_the_postgresql_manual_have_the_pairs_of_their_truth_but_for_titles() {
    let Some(folder) = data_folder("postgresql-docs-html", "pairs of pages") else {
        return;
    };
    let pages = folder.join("pages.jsonl.gz");
    let result = run_on("html", &pages, "0.5", ClusterMode::None, PairsMode::All);
    let found = found_pairs(&result);
    let truth = read_table(&folder.join("exact_pairs.tsv"), ["id_a", "id_b"]);
    let truth: BTreeSet<_> = truth
        .iter()
        .map(|[one, other]| ordered(one, other))
        .collect();
    let right = found.keys().filter(|ids| truth.contains(*ids)).count();
    let line = format!(
        "postgresql-docs-html at 0.5: {} pairs found, {right} of {} in truth\n",
        found.len(),
        truth.len()
    );
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    assert_eq!(right, found.len(), "pairs that are not in truth");
    assert!(right * 1000 >= truth.len() * 985, "{line}");
}

const TABLE_BEGIN: &str = "<!-- calibration:begin -->";
const TABLE_END: &str = "<!-- calibration:end -->";

#[test]
fn the_calibration_table_of_the_readme_is_what_the_program_finds() {
    let Some(folder) = data_folder("gov-web-human-pairs", "the calibration table") else {
        return;
    };
    let table = calibration_table(&folder);
    let path = repository().join("README.md");
    let Ok(readme) = std::fs::read_to_string(&path) else {
        panic!("no README.md to hold the calibration table:\n{table}");
    };
    let parts = readme.split_once(TABLE_BEGIN).and_then(|(before, rest)| {
        let (written, after) = rest.split_once(TABLE_END)?;
        Some((before, written, after))
    });
    let Some((before, written, after)) = parts else {
        panic!(
            "README.md has no lines {TABLE_BEGIN} and {TABLE_END} after it, \
             between which this table belongs:\n{table}"
        );
    };
    if written.trim() == table.trim() {
        return;
    }
    assert!(
        is_set("UPDATE_DOCS"),
        "the calibration table of README.md is not what the program finds:\n{table}\
         rewrite it with UPDATE_DOCS=1 cargo test -p neardupe-io quality::"
    );
    let updated = format!("{before}{TABLE_BEGIN}\n\n{table}\n{TABLE_END}{after}");
    std::fs::write(&path, updated).unwrap();
}

/// How the verdict at a threshold compares with that of people, who gave pairs of web
/// pages a label from 0 (different) to 3 (the same); 1 and more is a near-duplicate.
fn calibration_table(folder: &Path) -> String {
    let result = run(
        &folder.join("docs.jsonl.gz"),
        "0.1",
        ClusterMode::None,
        PairsMode::All,
    );
    let found = found_pairs(&result);
    let known: BTreeSet<String> = result
        .documents
        .all()
        .map(|document| result.documents.id(document).unwrap().into_owned())
        .collect();
    let columns = ["collection", "id_a", "id_b", "label"];
    let judged: Vec<(usize, Option<Counts>)> =
        read_table(&folder.join("pairs.tsv"), columns)
            .into_iter()
            .filter(|[collection, ..]| collection == "terabyte")
            .map(|[_, one, other, label]| {
                for id in [&one, &other] {
                    assert!(known.contains(id.as_str()), "no document {id}");
                }
                (
                    label.parse().unwrap(),
                    found.get(&ordered(&one, &other)).copied(),
                )
            })
            .collect();
    let mut judged_by_label = [0u64; 4];
    for &(label, _) in &judged {
        judged_by_label[label] += 1;
    }
    let [_, one, two, three] = judged_by_label;
    let mut table = format!(
        "| threshold | found | missed | wrongly found | precision | recall \
         | label 1, of {one} | label 2, of {two} | label 3, of {three} |\n\
         |--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for threshold in ["0.5", "0.6", "0.7", "0.8", "0.9"] {
        let mut by_label = [0u64; 4];
        for (label, counts) in &judged {
            by_label[*label] +=
                u64::from(counts.is_some_and(|counts| counts.reach(threshold)));
        }
        let [wrong, one_found, two_found, three_found] = by_label;
        let right = one_found + two_found + three_found;
        let near = one + two + three;
        let precision = two_decimals(right, right + wrong);
        let recall = two_decimals(right, near);
        let missed = near - right;
        writeln!(
            table,
            "| {threshold} | {right} | {missed} | {wrong} | {precision} | {recall} \
             | {one_found} | {two_found} | {three_found} |"
        )
        .unwrap();
    }
    table
}

/// Rounded half up; the ratio of nothing to nothing has no value.
fn two_decimals(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let hundredths = (part * 200 + whole) / (whole * 2);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[test]
fn counts_are_those_of_the_stored_reference() {
    let root = repository();
    let measured = json!({
        "corpus/postgresql-text":
            reference_counts(&root.join("corpus/postgresql-text/documents.jsonl.gz")),
        "examples/pages": reference_counts(&root.join("examples/pages")),
    });
    let path = root.join("corpus/reference.json");
    if is_set("UPDATE_REFERENCE") {
        let text = serde_json::to_string_pretty(&measured).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
        return;
    }
    let remedy = "if that is on purpose, rewrite it with UPDATE_REFERENCE=1 \
                  cargo test -p neardupe-io quality:: \
                  and tell it in the changelog under Results";
    let Ok(text) = std::fs::read_to_string(&path) else {
        panic!("there is no corpus/reference.json; {remedy}");
    };
    let stored: Value = serde_json::from_str(&text).unwrap();
    assert!(
        stored == measured,
        "results differ from corpus/reference.json; {remedy}\n\
         stored: {stored:#}\nmeasured: {measured:#}"
    );
}

fn reference_counts(input: &Path) -> Value {
    let half = run(input, "0.5", ClusterMode::None, PairsMode::All);
    let default = run(input, "0.8", ClusterMode::Star, PairsMode::All);
    json!({
        "documents": default.totals.documents,
        "0.5": { "pairs": half.totals.pairs },
        "0.8": {
            "pairs": default.totals.pairs,
            "clusters": default.totals.clusters,
            "duplicates": default.totals.duplicates,
        },
    })
}

/// The complete list of pairs beside the documents of a collection of `corpus/`.
fn true_pairs(folder: &Path) -> Pairs {
    let columns = ["left", "right", "overlap", "left_size", "right_size"];
    let rows = read_table(&folder.join("exact_pairs.tsv"), columns);
    let pairs = rows
        .into_iter()
        .map(|[left, right, overlap, left_size, right_size]| {
            let counts = Counts {
                overlap: overlap.parse().unwrap(),
                left_size: left_size.parse().unwrap(),
                right_size: right_size.parse().unwrap(),
            };
            ((left, right), counts)
        });
    pairs.collect()
}

/// A decimal fraction as printed: `digits / 10^decimals`.
struct Decimal {
    digits: u64,
    unit: u64,
}

impl Decimal {
    fn new(text: &str) -> Self {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let exponent = u32::try_from(decimals.len()).unwrap();
        let digits = format!("{whole}{decimals}").parse().unwrap();
        Decimal {
            digits,
            unit: 10u64.pow(exponent),
        }
    }

    fn is_below(&self, numerator: u64, denominator: u64) -> bool {
        self.digits * denominator < numerator * self.unit
    }

    /// Whether this is `part / whole` rounded to its decimals, a half either way.
    fn is_rounded(&self, part: u32, whole: u64) -> bool {
        let exact = u128::from(part) * u128::from(self.unit);
        let printed = u128::from(self.digits) * u128::from(whole);
        exact.abs_diff(printed) * 2 <= u128::from(whole)
    }
}

fn assert_no_faults(folder: &Path, faults: &[String]) {
    let first = faults
        .iter()
        .take(10)
        .fold(String::new(), |text, fault| text + fault + "\n");
    assert!(
        faults.is_empty(),
        "{}: {} faults\n{first}",
        folder.display(),
        faults.len()
    );
}
