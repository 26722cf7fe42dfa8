//! What all commands print at the beginning and at the end.
//!
//! Files of evaluation come from many hands: ids that no document has, lines with too few fields,
//! topics that are in one file only. What does not match is printed beside the numbers, because it
//! changes what they mean.

use crate::terminal::grouped;
use neardupe_jobs::kind::trec::TrecOutcome;
use neardupe_jobs::numbers::plural;
use std::io::{Result, Write};

/// Bad records that are shown; all are written with -o.
const SHOWN: usize = 3;

/// Prints how much files have in common.
pub(super) fn show_matching<S>(
    out: &mut impl Write,
    outcome: &TrecOutcome<S>,
) -> Result<()> {
    let mut lines = outcome.matching.iter();
    lines.try_for_each(|line| writeln!(out, "{line}"))
}

/// Prints notes, each after an empty line.
pub(super) fn show_notes(out: &mut impl Write, notes: &[String]) -> Result<()> {
    notes.iter().try_for_each(|note| writeln!(out, "\n{note}"))
}

/// Prints notes, what was wrong, and where the page is, if one was written.
pub(super) fn show_ending<S>(
    out: &mut impl Write,
    notes: &[String],
    outcome: &TrecOutcome<S>,
) -> Result<()> {
    show_notes(out, notes)?;
    show_bad(out, outcome)?;
    if let Some(target) = &outcome.output {
        let shown = target.display();
        writeln!(
            out,
            "\nwritten to {shown}; to look at it, open {shown}/report.html"
        )?;
    }
    Ok(())
}

/// Prints what was wrong.
pub(super) fn show_bad<S>(out: &mut impl Write, outcome: &TrecOutcome<S>) -> Result<()> {
    let bad = &outcome.bad;
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
    if outcome.output.is_some() {
        writeln!(out, "  all: bad-records.jsonl")?;
    } else if bad.lines.len() > SHOWN {
        writeln!(out, "  all: with -o DIR")?;
    }
    Ok(())
}
