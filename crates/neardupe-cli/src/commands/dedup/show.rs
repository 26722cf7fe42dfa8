//! What `dedup` prints besides what `find` does.
//!
//! The part that both commands share is printed by `find::show_found`. Below it stands what
//! happened to the files, in the words of the mode: documents are removed, marked, or only listed
//! by their ids.

use super::super::find;
use crate::terminal::grouped;
use neardupe_io::output::BAD;
use neardupe_io::output::RESULT;
use neardupe_jobs::kind::find::FindJob;
use neardupe_jobs::numbers::percent;
use neardupe_jobs::report::REPORT;
use neardupe_jobs::rewrite::{Dedup, Rate};
use neardupe_jobs::summary::Summary;
use std::io::{Result, Write};

/// Prints the summary for people.
pub(super) fn show(out: &mut impl Write, job: &FindJob, summary: &Summary) -> Result<()> {
    let Some(dedup) = &summary.dedup else {
        return find::show(out, job, summary);
    };
    find::show_found(out, job, summary)?;
    let files = match dedup.files {
        1 => "1 file".to_owned(),
        files => format!("{} files", grouped(files)),
    };
    let percent = percent(dedup.removed, dedup.kept + dedup.removed);
    let (kept, removed) = (grouped(dedup.kept), grouped(dedup.removed));
    match &*dedup.mode {
        "annotate" => writeln!(
            out,
            "\n{files} annotated: {kept} documents are kept, {removed} ({percent}) are marked \
             as duplicates"
        )?,
        _ => writeln!(
            out,
            "\nof {files}: {kept} documents kept, {removed} removed ({percent})"
        )?,
    }
    show_rates(out, dedup)?;
    let folder = job.output.display();
    if dedup.bad_records > 0 && dedup.mode != "ids-only" {
        let records = match dedup.bad_records {
            1 => "1 bad record".to_owned(),
            many => format!("{} bad records", grouped(many)),
        };
        writeln!(out, "\n{records} copied as found to {folder}/{BAD}")?;
    }
    match &*dedup.mode {
        "ids-only" => writeln!(
            out,
            "\nids written to {folder}/kept-ids.txt and {folder}/removed-ids.txt; what was \
             found to {folder}/_neardupe"
        ),
        "annotate" => writeln!(
            out,
            "\nwritten to {folder}; what was found to {folder}/_neardupe"
        ),
        _ if dedup.removed == 0 => writeln!(
            out,
            "\nkept documents written to {folder}, what was found to {folder}/_neardupe"
        ),
        _ => writeln!(
            out,
            "\nkept documents written to {folder}, removed ones to {folder}/removed, what was \
             found to {folder}/_neardupe"
        ),
    }?;
    writeln!(out, "to look at it, open {folder}/{RESULT}/{REPORT}")
}

/// The folders and files that lost most. They show at a glance when one part of a collection is
/// a copy of another.
fn show_rates(out: &mut impl Write, dedup: &Dedup) -> Result<()> {
    let done = match &*dedup.mode {
        "annotate" => "marked",
        _ => "removed",
    };
    if !dedup.most_removed_folders.is_empty() {
        rates(out, done, "folder", &dedup.most_removed_folders)?;
    }
    // A single file has no rate to compare with others; its share was printed above.
    if dedup.files > 1 && !dedup.most_removed_files.is_empty() {
        rates(out, done, "file", &dedup.most_removed_files)?;
    }
    Ok(())
}

/// One table of shares; `done` is the word for what happened to the documents.
fn rates(out: &mut impl Write, done: &str, what: &str, rates: &[Rate]) -> Result<()> {
    writeln!(out, "\n{done} by {what}, the highest shares first")?;
    for rate in rates {
        let path = match rate.path.as_str() {
            "" => "(in no folder)",
            path => path,
        };
        writeln!(
            out,
            "  {:>7}  {:>12} of {:<12} {path}",
            percent(rate.removed, rate.documents),
            grouped(rate.removed),
            grouped(rate.documents)
        )?;
    }
    Ok(())
}

/// Says loudly that more than half could not be read, or nothing of a file.
fn warn_of_bad(out: &mut impl Write, summary: &Summary, dedup: &Dedup) -> Result<()> {
    let records = dedup.kept + dedup.removed + dedup.bad_records;
    // More than half bad is no accident of some records: mostly a wrong key or a wrong format.
    if dedup.bad_records * 2 > records {
        let kinds = summary.bad_records_by_kind.iter();
        let kind = kinds
            .max_by_key(|(_, count)| **count)
            .map_or("", |(kind, _)| kind);
        writeln!(
            out,
            "neardupe: WARNING: {} of {} records ({}) could not be read and are neither kept nor \
             removed, most of them with a fault of kind {kind}; see \
             _neardupe/bad-records.jsonl",
            grouped(dedup.bad_records),
            grouped(records),
            percent(dedup.bad_records, records)
        )?;
        if kind == "missing-text" {
            writeln!(out, "  where is the text? --text-key names its field")?;
        }
    }
    for name in dedup.unread_files.iter().take(SHOWN_UNREAD) {
        writeln!(
            out,
            "neardupe: WARNING: nothing of {name} could be read: it is neither kept nor removed"
        )?;
    }
    // A thousand unreadable files must not push the summary out of sight.
    match dedup.unread_files.len().saturating_sub(SHOWN_UNREAD) {
        0 => Ok(()),
        more => writeln!(out, "neardupe: WARNING: ... nor of {more} further files"),
    }
}

/// Files of which nothing could be read that are named.
const SHOWN_UNREAD: usize = 10;

/// Says loudly that more than half is gone.
pub(super) fn warn(out: &mut impl Write, summary: &Summary) -> Result<()> {
    let Some(dedup) = &summary.dedup else {
        return Ok(());
    };
    warn_of_bad(out, summary, dedup)?;
    let documents = dedup.kept + dedup.removed;
    // Exactly half is the normal case of a collection that was read twice, and is not warned
    // of.
    if dedup.removed * 2 <= documents {
        return Ok(());
    }
    let rules = &summary.counts.rules;
    writeln!(
        out,
        "neardupe: WARNING: {} of {} documents ({}) are duplicates; that is more than half. Is \
         it what you expect?",
        grouped(dedup.removed),
        grouped(documents),
        percent(dedup.removed, documents)
    )?;
    if let Some(largest) = summary.largest_clusters.first() {
        writeln!(
            out,
            "  the largest cluster has {} documents, led by {}",
            grouped(largest.size),
            largest.cluster_id
        )?;
    }
    writeln!(
        out,
        "  {} have the text of the document that is kept, {} its {}, {} are similar to it",
        grouped(rules.equal_text),
        grouped(rules.equal_features),
        match summary.spot_signatures {
            Some(_) => "spot signatures",
            None => "words",
        },
        grouped(rules.similar + rules.linked)
    )?;
    writeln!(
        out,
        "  look at some with neardupe explain, or in the table duplicates; a text that all \
         share, such as an error page or a wrong --text-key, is a usual cause"
    )
}
