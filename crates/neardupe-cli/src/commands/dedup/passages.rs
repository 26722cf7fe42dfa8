//! What `dedup --passages` prints.
//!
//! Numbers are of documents, of stretches, of words and of characters: a collection can lose a
//! tenth of its words and not one document. Folders are named at the end, so the last lines on the
//! screen are where to go next.

use super::super::passages::surely_described;
use crate::terminal::{bytes, grouped};
use neardupe_core::pipeline::passages::KeepOrder;
use neardupe_jobs::kind::dedup::DedupPassagesOutcome;
use neardupe_jobs::numbers::{percent, plural};
use std::io::{Result, Write};

/// Prints the summary for people.
pub(super) fn show(out: &mut impl Write, outcome: &DedupPassagesOutcome) -> Result<()> {
    let DedupPassagesOutcome { job, summary, .. } = outcome;
    let (counts, gone) = (&summary.counts, &outcome.removed);
    writeln!(
        out,
        "{} ({}) in {:.2} s, {} memory",
        plural(counts.documents, "document"),
        bytes(counts.bytes),
        summary.seconds.get("total").copied().unwrap_or(0.0),
        bytes(summary.peak_memory_bytes),
    )?;
    writeln!(
        out,
        "passages of at least {} words, resemblance of words >= {}; sentences go with {} of \
         their words,\nkeeping {}; {}\n",
        job.config.rule.min_words,
        job.config.rule.tau,
        job.share,
        match job.keep {
            KeepOrder::First => "the first copy",
            KeepOrder::Longest => "the copy of the longest document",
        },
        surely_described(&summary.surely_found)
    )?;
    // Names and what they mean stand in fixed columns; a line without an explanation has no
    // spaces at its end.
    let mut line = |name: &str, number: u64, what: &str| {
        let line = format!("  {name:<16} {:>12}  {what}", grouped(number));
        writeln!(out, "{}", line.trim_end())
    };
    line("documents", counts.documents, "")?;
    line("shortened", gone.cut, "lost some sentences")?;
    line("removed", gone.removed, "had no word of their own")?;
    if gone.copies > 0 {
        line(
            "equal text",
            gone.copies,
            "of them have the text of another",
        )?;
    }
    if counts.bad_records > 0 {
        line("bad records", counts.bad_records, "see bad-records.jsonl")?;
    }
    line(
        "stretches",
        summary.dedup.removed_passages,
        "removed, see removed-passages",
    )?;
    if counts.boilerplate > 0 {
        let what = format!(
            "sentences in more than {} documents, which stay; see boilerplate.jsonl",
            job.config.max_documents
        );
        line("boilerplate", counts.boilerplate, &what)?;
    }
    let num_files = match summary.dedup.files {
        1 => "1 file".to_owned(),
        files => format!("{} files", grouped(files)),
    };
    writeln!(
        out,
        "\nof {num_files}: {} of {} words removed ({}), {} of {} characters ({})",
        grouped(gone.words),
        grouped(gone.all_words),
        percent(gone.words, gone.all_words),
        grouped(gone.chars),
        grouped(gone.all_chars),
        percent(gone.chars, gone.all_chars),
    )?;
    let folder = job.find.output.display();
    let removed = match gone.removed {
        0 => String::new(),
        _ => format!(", removed ones to {folder}/removed"),
    };
    writeln!(
        out,
        "\nwritten to {folder}{removed}, what went and where it is kept to {folder}/_neardupe"
    )
}

/// Says loudly that more than half is gone.
pub(super) fn warn(out: &mut impl Write, outcome: &DedupPassagesOutcome) -> Result<()> {
    let gone = &outcome.removed;
    if gone.words * 2 > gone.all_words {
        writeln!(
            out,
            "neardupe: WARNING: {} of {} words ({}) were repeated; that is more than half. Is it \
             what you expect? See _neardupe/removed-passages",
            grouped(gone.words),
            grouped(gone.all_words),
            percent(gone.words, gone.all_words),
        )?;
    }
    Ok(())
}
