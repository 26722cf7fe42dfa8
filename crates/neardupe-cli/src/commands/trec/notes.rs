//! What is noteworthy about the files that were read.

use super::inputs::{LeastSimilarity, decimal};
use crate::terminal::grouped;
use neardupe_core::trec::Run;
use neardupe_jobs::numbers::plural;
use neardupe_jobs::trec::{BadLines, Ids, NearFile, NearOrigin, QrelsFile, RunSet};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{Result, Write};
use std::path::Path;

/// Bad records that are shown; all are written with -o.
const SHOWN: usize = 3;

/// Facts about runs: for the summary, and as sentences.
pub(super) struct RunFacts {
    pub(super) json: Value,
    pub(super) notes: Vec<String>,
    pub(super) run_topics: u64,
}

/// Looks at runs: repeated documents, ranks, ties, topics that are unknown or missing. `known` are
/// the topics of the qrels or of a topics file, and how they are called.
pub(super) fn run_facts(
    set: &RunSet,
    ids: &Ids,
    known: Option<(Vec<u32>, &str)>,
) -> RunFacts {
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
    let empty: Vec<&str> = runs
        .iter()
        .filter(|run| run.topics.is_empty())
        .map(|run| run.name.as_str())
        .collect();
    let (expected, named) = match &known {
        Some((topics, named)) => (topics.iter().copied().collect(), *named),
        None => (all.clone(), "other runs"),
    };
    let unknown: Vec<&str> = all
        .difference(&expected)
        .map(|&topic| ids.topics.text(topic))
        .collect();
    let missing: usize = runs
        .iter()
        .map(|run| {
            let own: BTreeSet<u32> = run.topics.iter().map(|topic| topic.topic).collect();
            expected.difference(&own).count()
        })
        .sum();
    let (repeated, reordered, tied) = (
        sum(|run| run.repeated),
        sum(|run| run.reordered),
        sum(|run| run.tied),
    );
    let mut notes = Vec::new();
    if !empty.is_empty() {
        notes.push(format!("runs without any result: {}", empty.join(", ")));
    }
    if repeated > 0 {
        notes.push(format!(
            "{} with a document that stands at a better place of the same topic: left out",
            plural(repeated, "line")
        ));
    }
    if reordered > 0 {
        notes.push(format!(
            "{} whose ranks are not in the order of scores: scores decide, as in trec_eval",
            plural(reordered, "run-topic")
        ));
    }
    if tied > 0 {
        notes.push(format!(
            "{} with the score of the one before: the larger id comes first, as in trec_eval",
            plural(tied, "result")
        ));
    }
    if !unknown.is_empty() {
        let shown: Vec<&str> = unknown.iter().copied().take(5).collect();
        let more = if unknown.len() > 5 { ", ..." } else { "" };
        notes.push(format!(
            "{} of runs that are not in {named}: {}{more}",
            plural(unknown.len() as u64, "topic"),
            shown.join(", ")
        ));
    }
    if missing > 0 {
        notes.push(format!(
            "{} without results, for topics that are in {named}",
            plural(missing as u64, "run-topic")
        ));
    }
    let json = json!({
        "runs": runs.len(),
        "topics": all.len(),
        "run_topics": run_topics,
        "results": results,
        "lines": set.lines,
        "repeated_lines": repeated,
        "run_topics_out_of_rank_order": reordered,
        "tied_results": tied,
        "unknown_topics": unknown,
        "missing_run_topics": missing,
        "empty_runs": empty,
    });
    RunFacts {
        json,
        notes,
        run_topics: run_topics as u64,
    }
}

/// Facts about qrels.
pub(super) fn qrels_facts(file: &QrelsFile) -> Value {
    json!({
        "format": file.format.name(),
        "topics": file.qrels.topics.len(),
        "judgments": file.qrels.len(),
        "repeated_lines": file.qrels.repeated,
        "lines": file.lines,
    })
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

/// Prints notes, what was wrong, and where the page is, if one was written.
pub(super) fn show_ending(
    out: &mut impl Write,
    notes: &[String],
    bad: &BadLines,
    written: Option<&Path>,
) -> Result<()> {
    for note in notes {
        writeln!(out, "\n{note}")?;
    }
    show_bad(out, bad, written.is_some())?;
    if let Some(target) = written {
        let shown = target.display();
        writeln!(
            out,
            "\nwritten to {shown}; to look at it, open {shown}/report.html"
        )?;
    }
    Ok(())
}

/// Prints what was wrong.
pub(super) fn show_bad(
    out: &mut impl Write,
    bad: &BadLines,
    is_written: bool,
) -> Result<()> {
    if bad.is_empty() {
        return Ok(());
    }
    let kinds = bad.kinds();
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{kind} {}", grouped(*count)))
        .collect();
    writeln!(
        out,
        "\n{} left out ({})",
        plural(bad.len(), "bad record"),
        kinds.join(", ")
    )?;
    for line in bad.lines.iter().take(SHOWN) {
        writeln!(out, "  {}:{}: {}", line.path, line.number, line.detail)?;
    }
    match is_written {
        true => writeln!(out, "  all: bad-records.jsonl"),
        false if bad.lines.len() > SHOWN => writeln!(out, "  all: with -o DIR"),
        false => Ok(()),
    }
}

/// Bad records for the summary.
pub(super) fn bad_facts(bad: &BadLines) -> Value {
    json!({ "bad_records": bad.len(), "by_kind": bad.kinds() })
}
