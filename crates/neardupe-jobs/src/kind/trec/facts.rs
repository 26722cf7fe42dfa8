//! What is noteworthy about the files that were read, for the summary and as sentences.

use super::matching::FileMatching;
use super::values::{LeastSimilarity, decimal, has_similarities};
use crate::numbers::plural;
use crate::spec::ToleranceSpec;
use crate::trec::{BadLines, Ids, NearFile, NearOrigin, QrelsFile, RunSet};
use neardupe_core::trec::Run;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The name of the program, which marks a folder as a result of ours.
pub(super) const PROGRAM: &str = "neardupe";
/// Its version.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a job of `trec` leaves: its summary, and what else a front shows.
#[derive(Debug)]
pub struct TrecOutcome<S> {
    /// What was asked and what was found.
    pub summary: S,
    /// What the user should know before trusting the result.
    pub warnings: Vec<String>,
    /// How much files have in common, in sentences.
    pub matching: Vec<String>,
    /// Near-duplicates in a few words, in those of the front; empty where they are pairs of a result.
    pub near: String,
    /// What came out, in the sentences of the page; empty for a job without a page.
    pub findings: Vec<String>,
    /// Lines that could not be used.
    pub bad: BadLines,
    /// So many of them are no reason to fail.
    pub allow_bad_records: u64,
    /// The folder that was written.
    pub output: Option<PathBuf>,
}

impl<S> TrecOutcome<S> {
    /// Whether more records were left out than is allowed.
    pub fn has_left_out(&self) -> bool {
        self.bad.len() > self.allow_bad_records
    }
}

/// A list of bad lines as the description wants it.
pub(super) fn bad_lines(tolerance: &ToleranceSpec) -> BadLines {
    BadLines {
        strict: tolerance.strict.unwrap_or(false),
        ..BadLines::default()
    }
}

/// How many bad records are no reason to fail.
pub(super) fn allowed(tolerance: &ToleranceSpec) -> u64 {
    tolerance.allow_bad_records.map_or(0, |number| number.0)
}

/// With what was left open filled in.
pub(super) fn completed_tolerance(tolerance: &ToleranceSpec) -> ToleranceSpec {
    ToleranceSpec {
        strict: Some(tolerance.strict.unwrap_or(false)),
        allow_bad_records: Some(crate::param::Within(allowed(tolerance))),
    }
}

/// Runs, for the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecRunFacts {
    /// Names of runs without any result.
    pub empty_runs: Vec<String>,
    /// Lines that were read, bad ones included.
    pub lines: u64,
    /// Run-topics without results, for topics that are known.
    pub missing_run_topics: u64,
    /// Lines with a document that the topic has at a better rank.
    pub repeated_lines: u64,
    /// Results in all.
    pub results: u64,
    /// Topics of runs.
    pub run_topics: u64,
    /// Run-topics whose ranks are not in the order of scores.
    pub run_topics_out_of_rank_order: u64,
    /// Runs.
    pub runs: u64,
    /// Results with the score of the one before.
    pub tied_results: u64,
    /// Different topics.
    pub topics: u64,
    /// Topics of runs that are not known.
    pub unknown_topics: Vec<String>,
}

/// Qrels, for the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecQrelsFacts {
    /// How the file was read.
    pub format: String,
    /// Judgments.
    pub judgments: u64,
    /// Lines that were read, bad ones included.
    pub lines: u64,
    /// Lines that say what another one says.
    pub repeated_lines: u64,
    /// Topics.
    pub topics: u64,
}

/// Near-duplicates, for the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecNearFacts {
    /// Where they come from.
    pub from: String,
    /// Whether thresholds make a difference.
    pub has_similarities: bool,
    /// Groups that became one with others.
    pub joined_groups: u64,
    /// Pairs without a similarity: they count as 1.
    pub pairs_without_similarity: u64,
    /// Groups or pairs that were read.
    pub read: u64,
}

/// Bad records, for the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecBadFacts {
    /// How many there are.
    pub bad_records: u64,
    /// How many there are of each kind.
    pub by_kind: BTreeMap<String, u64>,
}

impl TrecQrelsFacts {
    /// Counts of qrels that were read.
    pub(super) fn new(file: &QrelsFile) -> Self {
        TrecQrelsFacts {
            format: file.format.name().to_owned(),
            judgments: file.qrels.len() as u64,
            lines: file.lines,
            repeated_lines: file.qrels.repeated,
            topics: file.qrels.topics.len() as u64,
        }
    }
}

impl TrecNearFacts {
    /// Counts of near-duplicates that were read.
    pub(super) fn new(near: &NearFile) -> Self {
        TrecNearFacts {
            from: near.origin.name().to_owned(),
            has_similarities: has_similarities(near),
            joined_groups: near.joined,
            pairs_without_similarity: near.unmeasured,
            read: near.rows,
        }
    }
}

impl TrecBadFacts {
    /// Counts of bad lines, by kind.
    pub(super) fn new(bad: &BadLines) -> Self {
        let kinds = bad.kinds().into_iter();
        TrecBadFacts {
            bad_records: bad.len(),
            by_kind: kinds
                .map(|(kind, count)| (kind.to_owned(), count))
                .collect(),
        }
    }
}

/// Looks at runs: repeated documents, ranks, ties, topics that are unknown or missing. `known` are
/// the topics of the qrels or of a topics file, and how they are called. Facts and sentences.
pub(super) fn run_facts(
    set: &RunSet,
    ids: &Ids,
    known: Option<(Vec<u32>, &str)>,
) -> (TrecRunFacts, Vec<String>) {
    let runs = &set.runs;
    let sum = |of: fn(&Run) -> u64| runs.iter().map(of).sum::<u64>();
    let all: BTreeSet<u32> = runs
        .iter()
        .flat_map(|run| run.topics.iter().map(|topic| topic.topic))
        .collect();
    let run_topics: usize = runs.iter().map(|run| run.topics.len()).sum();
    let results: usize = runs
        .iter()
        .flat_map(|run| &run.topics)
        .map(|topic| topic.results.len())
        .sum();
    let empty: Vec<String> = runs
        .iter()
        .filter(|run| run.topics.is_empty())
        .map(|run| run.name.clone())
        .collect();
    // Without a list of topics those of all runs together are expected of each run.
    let (expected, named) = match &known {
        Some((topics, named)) => (topics.iter().copied().collect(), *named),
        None => (all.clone(), "other runs"),
    };
    let unknown: Vec<String> = all
        .difference(&expected)
        .map(|&topic| ids.topics.text(topic).to_owned())
        .collect();
    let missing: usize = runs
        .iter()
        .map(|run| {
            let own: BTreeSet<u32> = run.topics.iter().map(|topic| topic.topic).collect();
            expected.difference(&own).count()
        })
        .sum();
    let facts = TrecRunFacts {
        empty_runs: empty,
        lines: set.lines,
        missing_run_topics: missing as u64,
        repeated_lines: sum(|run| run.repeated),
        results: results as u64,
        run_topics: run_topics as u64,
        run_topics_out_of_rank_order: sum(|run| run.reordered),
        runs: runs.len() as u64,
        tied_results: sum(|run| run.tied),
        topics: all.len() as u64,
        unknown_topics: unknown,
    };
    let notes = run_notes(&facts, named);
    (facts, notes)
}

/// The facts as sentences; a fact that is 0 has none.
fn run_notes(facts: &TrecRunFacts, named: &str) -> Vec<String> {
    let mut notes = Vec::new();
    if !facts.empty_runs.is_empty() {
        let names = facts.empty_runs.join(", ");
        notes.push(format!("runs without any result: {names}"));
    }
    if facts.repeated_lines > 0 {
        notes.push(format!(
            "{} with a document that the same topic has at a better rank: skipped",
            plural(facts.repeated_lines, "line")
        ));
    }
    if facts.run_topics_out_of_rank_order > 0 {
        notes.push(format!(
            "{} whose ranks are not in the order of scores: scores decide, as in trec_eval",
            plural(facts.run_topics_out_of_rank_order, "run-topic")
        ));
    }
    if facts.tied_results > 0 {
        notes.push(format!(
            "{} with the score of the one before: the larger id comes first, as in trec_eval",
            plural(facts.tied_results, "result")
        ));
    }
    let unknown = &facts.unknown_topics;
    if !unknown.is_empty() {
        let shown: Vec<&str> = unknown.iter().map(String::as_str).take(5).collect();
        let more = if unknown.len() > 5 { ", ..." } else { "" };
        notes.push(format!(
            "{} of runs that are not in {named}: {}{more}",
            plural(unknown.len() as u64, "topic"),
            shown.join(", ")
        ));
    }
    if facts.missing_run_topics > 0 {
        notes.push(format!(
            "{} without results, for topics that are in {named}",
            plural(facts.missing_run_topics, "run-topic")
        ));
    }
    notes
}

/// Near-duplicates in a few words.
pub(super) fn near_note(near: &NearFile, least: &LeastSimilarity) -> String {
    let mut text = match near.origin {
        NearOrigin::Groups | NearOrigin::ResultClusters => {
            let what = match near.origin {
                NearOrigin::Groups => "group",
                _ => "cluster",
            };
            format!(
                "{}, without similarities: every threshold is the same",
                plural(near.rows, what)
            )
        }
        _ => format!("{}, {}", plural(near.rows, "pair"), least.note()),
    };
    if near.joined > 0 {
        text += &format!(
            "; {} joined to others that share a document",
            plural(near.joined, "group")
        );
    }
    if near.unmeasured > 0 {
        text += &format!(
            "; {} without a similarity count as 1",
            plural(near.unmeasured, "pair")
        );
    }
    if near.known_from > 0 && near.origin == NearOrigin::ResultClusters {
        text += &format!(
            "; found at {}, documents of a cluster resemble its representative",
            decimal(near.known_from)
        );
    }
    text
}

/// Sentences of the page: how much files have in common, and notes.
pub(super) fn page_notes(matching: &FileMatching, notes: &[String]) -> Vec<String> {
    [matching.lines.as_slice(), notes].concat()
}
