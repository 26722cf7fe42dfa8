//! The summary for people.

use super::super::find::show_spots;
use super::plan::Plan;
use super::surely;
use crate::terminal::{bytes, grouped, width};
use neardupe_core::document::{DocIdx, Span};
use neardupe_core::passage::Kind;
use neardupe_core::pipeline::PassagesResult;
use neardupe_core::pipeline::passages::PairOfDocuments;
use neardupe_jobs::diff::clean;
use neardupe_jobs::numbers::plural;
use neardupe_jobs::passage_tables::PassageCounts;
use neardupe_jobs::report::REPORT;
use serde_json::Value;
use std::io::Write;

/// Longest passages that are shown.
const SHOWN: usize = 3;

/// Prints the summary for people.
pub(super) fn show(
    out: &mut impl Write,
    plan: &Plan,
    result: &PassagesResult,
    counts: &PassageCounts,
    longest: &Longest,
    summary: &Value,
) -> anyhow::Result<()> {
    let totals = &result.totals;
    let seconds = summary["seconds"]["total"].as_f64().unwrap_or(0.0);
    writeln!(
        out,
        "{} ({}) in {seconds:.2} s, {} memory",
        plural(totals.documents, "document"),
        bytes(totals.bytes),
        bytes(summary["peak_memory_bytes"].as_u64().unwrap_or(0)),
    )?;
    match &plan.sentences {
        Some(sentences) => writeln!(out, "{}\n", sentences.described())?,
        None => writeln!(
            out,
            "passages of at least {} words, resemblance of words >= {}\n{}\n",
            plan.rule.min_words,
            plan.rule.tau,
            surely::described(&plan.rule)
        )?,
    }
    let mut line = |name: &str, number: u64, what: &str| {
        let line = format!("  {name:<16} {:>12}  {what}", grouped(number));
        writeln!(out, "{}", line.trim_end())
    };
    line("documents", totals.documents, "")?;
    if plan.job.config.against.is_some() {
        let (checked, compared) = match plan.checks {
            true => ("checked", "searched for their sources"),
            false => ("new", "searched for passages of the old ones"),
        };
        line(checked, totals.documents - totals.old_documents, compared)?;
    }
    if plan.num_own > 0 {
        let what = match plan.num_own {
            1 => "file of the collection is the query itself, and not compared with it",
            _ => {
                "files of the collection are queries themselves, and not compared with them"
            }
        };
        line("left out", plan.num_own, what)?;
    }
    if totals.empty > 0 {
        line("empty", totals.empty, "no word, so no passage")?;
    }
    if totals.copies > 0 {
        let what = match plan.options.get("expand") {
            Some(Value::Bool(true)) => "the text of another document; listed in copies",
            _ => {
                "the text of another document, which stands for them; --expand lists all"
            }
        };
        line("copies", totals.copies, what)?;
    }
    if totals.bad_records > 0 {
        line("bad records", totals.bad_records, "see bad-records.jsonl")?;
    }
    if let Some(sentences) = &result.search.sentences {
        let all = sentences.signed + sentences.unsigned;
        let without = match sentences.unsigned {
            0 => String::new(),
            none => format!("{} without a signature, which match nothing", grouped(none)),
        };
        line("sentences", all, &without)?;
    }
    line("passages", result.num_passages(), &by_kind(counts))?;
    let pairs: u64 = counts.pairs.values().sum();
    let near = match counts.near_duplicates {
        0 => "documents with a passage in common".to_owned(),
        near => format!(
            "documents with a passage in common; {} near-duplicates",
            grouped(near)
        ),
    };
    line("pairs", pairs, &near)?;
    if result.totals.boilerplate > 0 {
        let what = format!(
            "sentences in more than {} documents, see boilerplate.jsonl",
            plan.max_documents
        );
        line("boilerplate", result.totals.boilerplate, &what)?;
    }
    if let Some(spots) = plan.spot_signatures(result) {
        show_spots(out, &spots, "sentence")?;
    }
    longest.show(out, result)?;
    let output = plan.job.output.display();
    writeln!(
        out,
        "\nwritten to {output}; to look at it, open {output}/{REPORT}"
    )?;
    Ok(())
}

fn by_kind(counts: &PassageCounts) -> String {
    let kinds = Kind::ALL.iter().filter_map(|kind| {
        let count = counts.passages.get(kind)?;
        Some(format!("{} {}", grouped(*count), kind.name()))
    });
    kinds.collect::<Vec<_>>().join(", ")
}

/// The longest passages, while pairs go by.
#[derive(Debug, Default)]
pub(super) struct Longest {
    passages: Vec<Shown>,
}

/// A passage that is shown.
#[derive(Debug)]
struct Shown {
    words: u32,
    left: DocIdx,
    right: DocIdx,
    /// Where it is in the left document.
    span: Span,
}

impl Longest {
    /// Takes note of a pair. The whole of near-duplicates says little: `find` is for them.
    pub(super) fn add(&mut self, pair: &PairOfDocuments) {
        if pair.is_near_duplicate() {
            return;
        }
        let passage = &pair.passages[pair.longest()];
        let words = passage.num_words();
        let before = self.passages.iter().position(|one| one.words < words);
        let place = before.unwrap_or(self.passages.len());
        if place < SHOWN {
            self.passages.truncate(SHOWN - 1);
            self.passages.insert(
                place,
                Shown {
                    words,
                    left: pair.left,
                    right: pair.right,
                    span: passage.left.span,
                },
            );
        }
    }

    fn show(&self, out: &mut impl Write, result: &PassagesResult) -> anyhow::Result<()> {
        if self.passages.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nlongest in documents that differ otherwise:")?;
        let width = width().saturating_sub(4).max(20);
        for one in &self.passages {
            let line = format!(
                "  {} words  {} = {}",
                grouped(u64::from(one.words)),
                clean(&result.documents.id(one.left)?),
                clean(&result.documents.id(one.right)?)
            );
            writeln!(out, "{line}")?;
            let text = result.text(one.left)?;
            let text = text[one.span.start..one.span.end].split_whitespace();
            let text = clean(&text.take(40).collect::<Vec<_>>().join(" "));
            let text: String = text.chars().take(width).collect();
            writeln!(out, "    {}", text.trim_end())?;
        }
        Ok(())
    }
}
