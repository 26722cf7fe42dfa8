//! The measures of passages for people.
//!
//! Passages are measured by characters first, as the PAN competitions do, since a passage that is
//! found in two pieces or a little too long is not simply right or wrong. What was left out of the
//! measures is listed before them: it decides how far they can be trusted.

use super::show::decimals;
use crate::terminal::grouped;
use neardupe_core::eval::passages::PassageScores;
use neardupe_jobs::kind::eval::{EvalKindRow, EvalPassagesReport};
use std::io::{Result, Write};

/// Prints the measures of passages, first of all, then by kind.
pub(super) fn show(out: &mut impl Write, report: &EvalPassagesReport) -> Result<()> {
    let measures = &report.measures;
    writeln!(out, "{} against {}", report.result, report.truth.name)?;
    writeln!(
        out,
        "passages: {} found, {} true, in a collection of {} documents",
        grouped(measures.found),
        grouped(measures.truth),
        grouped(report.documents)
    )?;
    show_remarks(out, report)?;
    writeln!(out)?;
    show_measures(out, report)?;
    show_kinds(out, &report.kinds)
}

/// What a reader of the numbers should know.
fn show_remarks(out: &mut impl Write, report: &EvalPassagesReport) -> Result<()> {
    let (truth, left_out) = (&report.truth, &report.left_out);
    let unknown = if left_out.unknown_ids.is_empty() {
        String::new()
    } else {
        format!(" (such as {})", left_out.unknown_ids.join(", "))
    };
    // Each number is printed only if something was left out: a note about nothing hides the
    // others.
    let remarks = [
        (
            left_out.true_unknown,
            "true passages of documents that are not in the collection, left out",
            unknown.as_str(),
        ),
        (
            left_out.true_in_copies,
            "true passages of two documents with the same text, left out",
            " (see the table copies)",
        ),
        (
            left_out.true_ignored,
            "true passages of ignored pairs, left out",
            "",
        ),
        (
            left_out.true_repeated,
            "rows of the truth that repeat a passage, left out",
            "",
        ),
        (
            left_out.true_empty,
            "true passages of no length, left out",
            "",
        ),
        (
            left_out.true_without_source,
            "true passages without a source, left out",
            "",
        ),
        (
            truth.ends_after_document.unwrap_or(0),
            "true passages that end after the end of a document",
            " (is the truth of other texts?)",
        ),
        (
            left_out.found_ignored,
            "found passages of ignored pairs, left out",
            "",
        ),
        (
            left_out.found_elsewhere,
            "found passages of other pairs than those of --between, left out",
            "",
        ),
    ];
    for (number, what, more) in remarks {
        if number > 0 {
            writeln!(out, "note: {what}: {}{more}", grouped(number))?;
        }
    }
    if let Some(reason) = &report.no_sentences {
        let (ids, known) = (grouped(truth.ids), grouped(truth.ids_in_result));
        writeln!(
            out,
            "note: {known} of the {ids} ids of the truth occur in the result"
        )?;
        writeln!(out, "note: {reason}")?;
    }
    Ok(())
}

/// Prints precision and recall by characters, by passages and by sentences, and how often a
/// true passage was found in pieces.
fn show_measures(out: &mut impl Write, report: &EvalPassagesReport) -> Result<()> {
    let measures = &report.measures;
    writeln!(
        out,
        "  {:<12} {:>9} {:>9} {:>9} {:>9}",
        "", "precision", "recall", "F1", "plagdet"
    )?;
    let mut line = |name: &str, scores: &PassageScores, plagdet: &str, what: String| {
        let values = [scores.precision, scores.recall, scores.f1].map(decimals);
        let [precision, recall, f1] = values;
        writeln!(
            out,
            "  {name:<12} {precision:>9} {recall:>9} {f1:>9} {plagdet:>9}  {what}"
        )
    };
    let characters = &measures.characters;
    line(
        "characters",
        &measures.micro,
        &decimals(measures.micro.plagdet),
        format!(
            "{} right of {} found, {} true",
            grouped(characters.both),
            grouped(characters.found),
            grouped(characters.truth)
        ),
    )?;
    line(
        "passages",
        &measures.by_passage,
        &decimals(measures.by_passage.plagdet),
        "means of the shares of each passage".to_owned(),
    )?;
    if let Some(found) = &report.sentences {
        let scores = PassageScores {
            precision: found.precision,
            recall: found.recall,
            f1: found.f1,
            plagdet: None,
        };
        let what = format!(
            "{} right of {} found, {} true",
            grouped(found.both),
            grouped(found.found),
            grouped(found.truth)
        );
        line("sentences", &scores, "", what)?;
    }
    writeln!(out)?;
    let mut line = |name: &str, value: String, what: String| {
        writeln!(out, "  {name:<12} {value:>9}  {what}")
    };
    line(
        "detected",
        grouped(measures.detected),
        format!("of {} true passages", grouped(measures.truth)),
    )?;
    line(
        "right",
        grouped(measures.right),
        format!(
            "of {} found passages detect a true one",
            grouped(measures.found)
        ),
    )?;
    line(
        "granularity",
        decimals(measures.granularity),
        "found passages for each that is detected".to_owned(),
    )
}

/// Prints how much of each kind of passage was found.
fn show_kinds(out: &mut impl Write, kinds: &[EvalKindRow]) -> Result<()> {
    // One kind without a name is none.
    if kinds.iter().all(|row| row.kind.is_empty()) {
        return Ok(());
    }
    let name = |row: &EvalKindRow| {
        if row.kind.is_empty() {
            "(not said)".to_owned()
        } else {
            row.kind.clone()
        }
    };
    let widest = kinds.iter().map(|row| name(row).chars().count()).max();
    let width = widest.unwrap_or(0).clamp(18, 40);
    writeln!(
        out,
        "\n  {:<width$} {:>9} {:>9} {:>12} {:>9} {:>11}",
        "kind", "true", "detected", "characters", "recall", "by passage"
    )?;
    for row in kinds {
        let measures = &row.measures;
        writeln!(
            out,
            "  {:<width$} {:>9} {:>9} {:>12} {:>9} {:>11}",
            name(row),
            grouped(measures.passages),
            grouped(measures.detected),
            grouped(measures.characters),
            decimals(measures.recall),
            decimals(measures.macro_recall)
        )?;
    }
    Ok(())
}
