//! The summary for people.
//!
//! What is surely found is printed with every summary: a search for passages has a shortest copy
//! that it cannot miss, and a user who looks for shorter ones must change the parameters.

use super::super::find::show_spots;
use crate::terminal::{bytes, grouped, width};
use neardupe_core::passage::{PassageKind, SurelyFound};
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::passages::{
    LongPassage, PassagesLedger, PassagesOutcome, PassagesSummary, SentenceSearch,
    SignatureChoice,
};
use neardupe_jobs::numbers::plural;
use neardupe_jobs::report::REPORT;
use std::io::{Result, Write};

/// Prints the summary for people.
pub(super) fn show(out: &mut impl Write, outcome: &PassagesOutcome) -> Result<()> {
    let PassagesOutcome { job, summary, .. } = outcome;
    let counts = &summary.counts;
    let seconds = summary.seconds.get("total").copied().unwrap_or(0.0);
    writeln!(
        out,
        "{} ({}) in {seconds:.2} s, {} memory",
        plural(counts.documents, "document"),
        bytes(counts.bytes),
        bytes(summary.peak_memory_bytes),
    )?;
    match &job.sentences {
        Some(sentences) => writeln!(out, "{}\n", described(sentences))?,
        None => writeln!(
            out,
            "passages of at least {} words, resemblance of words >= {}\n{}\n",
            job.rule.min_words,
            job.rule.tau,
            surely_described(&job.rule.surely_found())
        )?,
    }
    // One line per count; spaces at the end are cut where there is no explanation.
    let mut line = |name: &str, number: u64, what: &str| {
        let line = format!("  {name:<16} {:>12}  {what}", grouped(number));
        writeln!(out, "{}", line.trim_end())
    };
    line("documents", counts.documents, "")?;
    if job.find.config.against.is_some() {
        let (checked, compared) = if job.checks {
            ("checked", "searched for their sources")
        } else {
            ("new", "searched for passages of the old ones")
        };
        line(checked, counts.documents - counts.old_documents, compared)?;
    }
    if summary.query_files_left_out > 0 {
        let what = match summary.query_files_left_out {
            1 => "file of the collection is the query itself, and not compared with it",
            _ => {
                "files of the collection are queries themselves, and not compared with them"
            }
        };
        line("left out", summary.query_files_left_out, what)?;
    }
    if counts.empty > 0 {
        line("empty", counts.empty, "no word, so no passage")?;
    }
    if counts.copies > 0 {
        let what = if job.expand {
            "the text of another document; listed in copies"
        } else {
            "the text of another document, which stands for them; --expand lists all"
        };
        line("copies", counts.copies, what)?;
    }
    if counts.bad_records > 0 {
        line("bad records", counts.bad_records, "see bad-records.jsonl")?;
    }
    if let PassagesLedger::Sentences {
        sentences_with_a_signature: signed,
        sentences_without: unsigned,
        ..
    } = summary.ledger
    {
        // Sentences without a signature are counted apart: they can match nothing, however
        // often they are repeated.
        let without = match unsigned {
            0 => String::new(),
            none => format!("{} without a signature, which match nothing", grouped(none)),
        };
        line("sentences", signed + unsigned, &without)?;
    }
    line("passages", counts.passages, &by_kind(summary))?;
    let near = match counts.near_duplicates {
        0 => "documents with a passage in common".to_owned(),
        near => format!(
            "documents with a passage in common; {} near-duplicates",
            grouped(near)
        ),
    };
    line("pairs", counts.pairs, &near)?;
    if counts.boilerplate > 0 {
        let what = format!(
            "sentences in more than {} documents, see boilerplate.jsonl",
            job.max_documents
        );
        line("boilerplate", counts.boilerplate, &what)?;
    }
    if let Some(spots) = &summary.spot_signatures {
        show_spots(out, spots, "sentence")?;
    }
    show_longest(out, &outcome.longest)?;
    let output = job.find.output.display();
    writeln!(
        out,
        "\nwritten to {output}; to look at it, open {output}/{REPORT}"
    )
}

/// The shortest copies that are surely found.
pub(in super::super) fn surely_described(surely: &SurelyFound) -> String {
    format!(
        "surely found: {} words in a row, unchanged ({} characters of scripts without spaces)",
        surely.words, surely.characters
    )
}

/// What is looked for.
fn described(search: &SentenceSearch) -> String {
    let tau = search.tau;
    let what = match &search.signature {
        SignatureChoice::Shingles(len) => {
            format!("resemblance of {len}-word shingles >= {tau}")
        }
        SignatureChoice::IMatch(settings) => format!("the same key of {settings}"),
        SignatureChoice::SpotSigs => format!("resemblance of spot signatures >= {tau}"),
    };
    format!(
        "diagonals of more than {} sentences that match: {what}",
        search.gamma
    )
}

/// How many passages of each kind there are, in the order of the kinds.
fn by_kind(summary: &PassagesSummary) -> String {
    let kinds = PassageKind::ALL.iter().filter_map(|kind| {
        let count = summary.passages_by_kind.get(kind.name())?;
        Some(format!("{} {}", grouped(*count), kind.name()))
    });
    kinds.collect::<Vec<_>>().join(", ")
}

/// Prints the longest passages of documents that differ otherwise; near-duplicates would fill
/// the list.
fn show_longest(out: &mut impl Write, longest: &[LongPassage]) -> Result<()> {
    if longest.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nlongest in documents that differ otherwise:")?;
    let width = width().saturating_sub(4).max(20);
    for one in longest {
        writeln!(
            out,
            "  {} words  {} = {}",
            grouped(u64::from(one.words)),
            clean(&one.left),
            clean(&one.right)
        )?;
        let text: String = clean(&one.beginning).chars().take(width).collect();
        writeln!(out, "    {}", text.trim_end())?;
    }
    Ok(())
}
