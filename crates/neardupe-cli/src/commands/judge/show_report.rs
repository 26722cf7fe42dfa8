//! What all judges said, for people.
//!
//! From the labels to the estimate: what each judge said, how far they agree, then precision by
//! strata of similarity, and at the end that of the whole result. Strata are weighted by their
//! size, because the sample takes up to the same number of pairs of each, however many the result
//! has.

use crate::terminal::grouped;
use neardupe_core::eval::Interval;
use neardupe_jobs::kind::judge::JudgeSummary;
use std::io::Write;

/// Prints the report for people.
pub(super) fn show(out: &mut impl Write, report: &JudgeSummary) -> std::io::Result<()> {
    let which = if report.all_pairs {
        "all pairs"
    } else {
        "the pairs of its duplicates"
    };
    writeln!(
        out,
        "{}: {} pairs ({which})\n",
        report.result,
        grouped(report.population)
    )?;
    // Labels of each judge come first: a judge who calls everything a duplicate is seen at
    // once.
    for judge in &report.judges {
        let labels = judge.labels.iter();
        let labels: Vec<String> = labels.map(|(name, n)| format!("{n} {name}")).collect();
        writeln!(out, "  {:<16} {}", judge.judge, labels.join(", "))?;
    }
    for row in &report.agreement {
        let kappa = row.cohen_kappa;
        let kappa = kappa.map_or("not defined".to_owned(), |kappa| format!("{kappa:.3}"));
        let agreed = row.agreed.map_or_else(String::new, |agreed| {
            format!(", agree on {} of {}", agreed.part, agreed.whole)
        });
        let [one, other] = &row.judges;
        writeln!(out, "  {one} and {other}: Cohen's kappa {kappa}{agreed}")?;
    }
    if let Some(kappa) = report.fleiss_kappa {
        let pairs = report.judged_by_all;
        writeln!(
            out,
            "  Fleiss' kappa {kappa:.3} over {pairs} pairs judged by all"
        )?;
    }
    writeln!(
        out,
        "\n  {:<15} {:>12} {:>8} {:>11} {:>10}  95 % interval",
        "similarity", "pairs", "judged", "duplicates", "precision"
    )?;
    let interval = |found: &Interval| format!("{:.3} to {:.3}", found.low, found.high);
    for row in &report.strata {
        // A stratum without labels has no precision; it does not count in the estimate either.
        let (share, between) = match &row.precision {
            None => ("-".to_owned(), String::new()),
            Some(found) => (format!("{:.3}", found.share), interval(&found.interval)),
        };
        let line = format!(
            "  {:<15} {:>12} {:>8} {:>11} {share:>10}  {between}",
            format!("{:.3} to {:.3}", row.from, row.to),
            grouped(row.population),
            row.judged,
            row.duplicates
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    if let Some(found) = &report.precision {
        writeln!(
            out,
            "  {:<15} {:>12} {:>8} {:>11} {:>10.3}  {}",
            "sample",
            "",
            found.whole,
            found.part,
            found.share,
            interval(&found.interval)
        )?;
    }
    if let Some(found) = &report.estimate {
        writeln!(
            out,
            "\nprecision of the result: {:.3}, 95 % interval {}; each stratum counts by its size",
            found.share,
            interval(&found.interval)
        )?;
        if found.population < report.population {
            writeln!(
                out,
                "it speaks of {} of {} pairs: of the other strata none is judged",
                grouped(found.population),
                grouped(report.population)
            )?;
        }
    }
    if report.undecided > 0 {
        let undecided = report.undecided;
        writeln!(
            out,
            "judged pairs that are unclear or disputed, and do not count: {undecided}"
        )?;
    }
    if report.foreign > 0 {
        let foreign = report.foreign;
        writeln!(
            out,
            "labelled pairs that this result does not have, and do not count: {foreign}"
        )?;
    }
    if !report.kinds.is_empty() {
        writeln!(out, "\n  {:<20} duplicate  not  unclear", "kind")?;
        for (kind, counts) in &report.kinds {
            writeln!(
                out,
                "  {kind:<20} {:>9} {:>4} {:>8}",
                counts.duplicate, counts.not, counts.unclear
            )?;
        }
    }
    Ok(())
}
