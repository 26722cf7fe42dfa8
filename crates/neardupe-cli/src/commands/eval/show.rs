//! The measures for people.
//!
//! A share without its whole says little, so rows end with the counts behind them where there are
//! any. A measure that is not defined, such as the precision of no pair, is shown as `-` and never
//! as zero.

use crate::terminal::grouped;
use neardupe_core::eval::tally::ByDocument;
use neardupe_core::eval::{Measures, Proportion};
use neardupe_jobs::kind::eval::{EvalReport, EvalSample, EvalSweepRow};
use std::io::{Result, Write};

/// Prints the measures of documents. The first lines say what counts as predicted and as true,
/// since the same result has other measures by another reading of it.
pub(super) fn show(out: &mut impl Write, report: &EvalReport) -> Result<()> {
    let truth = &report.truth;
    writeln!(out, "{} against {}", report.result, truth.name)?;
    let predicted = match report.predicted_from.as_str() {
        "pairs" if report.closure => "what all its pairs connect".to_owned(),
        "pairs" => "all its pairs".to_owned(),
        _ => format!("every two documents of a {} cluster", report.cluster),
    };
    writeln!(
        out,
        "predicted: {predicted}, from {} on; true: {}",
        report.threshold,
        described(report)
    )?;
    match report.sample {
        Some(_) => writeln!(
            out,
            "a sample: only its pairs count; recall is that of the sample, not of the collection"
        )?,
        None => writeln!(
            out,
            "{} documents count; those without a duplicate are alone",
            grouped(report.documents)
        )?,
    }
    show_remarks(out, report)?;
    writeln!(out)?;
    if let Some(measures) = &report.measures {
        show_measures(out, measures)?;
    }
    if let Some(sample) = &report.sample {
        show_sample(out, sample)?;
    }
    show_sweep(out, &report.sweep)
}

/// What the truth says of two documents, in words.
fn described(report: &EvalReport) -> String {
    let truth = &report.truth;
    let rows = grouped(truth.rows);
    match truth.kind.as_str() {
        "pairs" => format!("{rows} pairs as listed, nothing concluded from them"),
        "clusters" if report.closure => format!("what its {rows} rows connect"),
        "clusters" => format!("every two of a group, {rows} groups"),
        "sample" => format!("by the labels of {rows} rows"),
        _ => format!("every two with the same value, {rows} documents have one"),
    }
}

/// What a reader of the numbers should know.
fn show_remarks(out: &mut impl Write, report: &EvalReport) -> Result<()> {
    let truth = &report.truth;
    let mut remark = |text: String| writeln!(out, "note: {text}");
    if let Some(rows) = truth.unknown_rows.filter(|&rows| rows > 0) {
        let ids = truth.unknown_ids.join(", ");
        let rows = grouped(rows);
        remark(format!(
            "rows with ids that are not in the collection, left out: {rows} (such as {ids})"
        ))?;
    }
    if truth.self_pairs > 0 {
        let rows = grouped(truth.self_pairs);
        remark(format!(
            "rows that name one document twice, left out: {rows}"
        ))?;
    }
    if truth.repeated > 0 {
        let rows = grouped(truth.repeated);
        remark(format!("rows that repeat a pair: {rows}"))?;
    }
    if truth.unclear > 0 {
        let rows = grouped(truth.unclear);
        remark(format!("rows labelled unclear, left out: {rows}"))?;
    }
    if let Some(known) = report.truth_ids_in_result
        && truth.unknown_rows.is_none()
        && truth.kind != "field"
    {
        let (ids, known) = (grouped(truth.ids), grouped(known));
        remark(format!(
            "{known} of the {ids} ids of the truth occur in the result, others count as \
             documents\n      without a duplicate there (--input FILES would check them)"
        ))?;
    }
    Ok(())
}

/// Prints one row per measure; those that need a partition of all documents are absent for
/// pairs.
fn show_measures(out: &mut impl Write, measures: &Measures) -> Result<()> {
    let pairs = &measures.pairs;
    writeln!(
        out,
        "  {:<22} {:>9} {:>9} {:>9}",
        "", "precision", "recall", "F1"
    )?;
    let mut line = |name: &str, values: [Option<f64>; 3], what: String| {
        let [precision, recall, f1] = values.map(decimals);
        writeln!(
            out,
            "  {name:<22} {precision:>9} {recall:>9} {f1:>9}  {what}"
        )
    };
    line(
        "pairs",
        [measures.precision, measures.recall, measures.f1],
        format!(
            "{} right of {} predicted, {} true",
            grouped(pairs.both),
            grouped(pairs.predicted),
            grouped(pairs.truth)
        ),
    )?;
    let bcubed = |found: &ByDocument| {
        [
            Some(found.bcubed_precision),
            Some(found.bcubed_recall),
            Some(found.bcubed_f1),
        ]
    };
    if let Some(all) = &measures.all {
        line("B-cubed", bcubed(all), "all documents".to_owned())?;
    }
    if let Some(involved) = &measures.involved {
        let what = format!("the {} with a duplicate", grouped(involved.documents));
        line("", bcubed(involved), what)?;
    }
    writeln!(out)?;
    // A second table: these measures are one number each.
    let mut line = |name: &str, value: Option<f64>, what: String| {
        let line = format!("  {name:<22} {:>9}  {what}", decimals(value));
        writeln!(out, "{}", line.trim_end())
    };
    line(
        "adjusted Rand index",
        measures.adjusted_rand_index,
        "all documents".to_owned(),
    )?;
    let strict = |found: &ByDocument, of: &str| {
        format!(
            "{} of {} documents{of} are exactly right",
            grouped(found.exact),
            grouped(found.documents)
        )
    };
    if let Some(all) = &measures.all {
        line(
            "strict accuracy",
            Some(all.strict_accuracy),
            strict(all, ""),
        )?;
    }
    if let Some(found) = &measures.involved {
        let what = strict(found, " with a duplicate");
        line("", Some(found.strict_accuracy), what)?;
    }
    Ok(())
}

/// Prints the measures of a sample with their intervals. Few labelled pairs make wide
/// intervals, which is why they are never left out.
fn show_sample(out: &mut impl Write, sample: &EvalSample) -> Result<()> {
    writeln!(out, "  {:<12} {:>9}  95 % interval", "", "share")?;
    let mut line = |name: &str, found: &Option<Proportion>, what: &str| match found {
        None => writeln!(out, "  {name:<12} {:>9}", "-"),
        Some(found) => writeln!(
            out,
            "  {name:<12} {:>9}  {} to {}  {} of {} {what}",
            decimals(Some(found.share)),
            decimals(Some(found.interval.low)),
            decimals(Some(found.interval.high)),
            grouped(found.part),
            grouped(found.whole)
        ),
    };
    line(
        "precision",
        &sample.precision,
        "predicted pairs are duplicates",
    )?;
    line("recall", &sample.recall, "duplicates are predicted")?;
    line(
        "accuracy",
        &sample.accuracy,
        "pairs are classified correctly",
    )?;
    writeln!(out, "  {:<12} {:>9}", "F1", decimals(sample.f1))?;
    if sample.undecided > 0 {
        let undecided = grouped(sample.undecided);
        writeln!(
            out,
            "\npairs with as many labels for as against, which do not count: {undecided}"
        )?;
    }
    Ok(())
}

/// Prints the measures at each threshold, from which a threshold can be chosen.
fn show_sweep(out: &mut impl Write, rows: &[EvalSweepRow]) -> Result<()> {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    // Pairs alone have no measures by document; the columns are then absent in all rows.
    let whole = first.bcubed_f1.is_some();
    let more = if whole {
        format!(" {:>10} {:>8} {:>8}", "B-cubed F1", "ARI", "strict")
    } else {
        String::new()
    };
    writeln!(
        out,
        "\n  {:>9} {:>12} {:>9} {:>9} {:>9}{more}",
        "threshold", "predicted", "precision", "recall", "F1"
    )?;
    for row in rows {
        let more = if whole {
            format!(
                " {:>10} {:>8} {:>8}",
                decimals(row.bcubed_f1),
                decimals(row.adjusted_rand_index),
                decimals(row.strict_accuracy)
            )
        } else {
            String::new()
        };
        writeln!(
            out,
            "  {:>9} {:>12} {:>9} {:>9} {:>9}{more}",
            row.threshold,
            grouped(row.predicted),
            decimals(row.precision),
            decimals(row.recall),
            decimals(row.f1)
        )?;
    }
    Ok(())
}

/// Four decimals; nothing where nothing was divided.
pub(super) fn decimals(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
}
