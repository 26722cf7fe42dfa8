//! `neardupe trec effect`: measures and the order of systems, before and after.
//!
//! One table per policy, one row per measure. `tau` and `tau-AP` compare the order of the runs
//! before and after: a measure can fall for all runs and rank them as before.

use super::TrecJobArgs;
use super::notes::{show_ending, show_matching};
use anyhow::Result;
use neardupe_core::trec::Policy;
use neardupe_jobs::kind::trec::{EffectOutcome, EffectRunRow, EffectSpec, EffectTable};
use neardupe_jobs::numbers::{change, decimals, plural};
use std::io::Write;
use std::process::ExitCode;

/// Runs the command.
pub(super) fn run(args: &TrecJobArgs<EffectSpec>) -> Result<ExitCode> {
    args.run(show)
}

/// Prints what was found.
fn show(out: &mut impl Write, outcome: &EffectOutcome) -> std::io::Result<()> {
    let summary = &outcome.summary;
    writeln!(
        out,
        "{}, {} judged; near-duplicates: {}",
        plural(summary.runs.runs, "run"),
        plural(summary.qrels.topics, "topic"),
        outcome.near
    )?;
    show_matching(out, outcome)?;
    for policy in Policy::ALL {
        show_policy(out, policy, &summary.effect)?;
    }
    if summary.runs.runs > 1 {
        writeln!(
            out,
            "\nbefore and after are means of all runs; moved: runs at another rank; p<0.05: runs with \
             a significant\nchange (paired t-test over topics); each run: -o DIR or --json"
        )?;
    }
    show_ending(out, &summary.notes, outcome)
}

/// Prints one table: what a policy does to the means of all runs.
fn show_policy(
    out: &mut impl Write,
    policy: Policy,
    tables: &[EffectTable],
) -> std::io::Result<()> {
    // A correlation is not defined where all runs are equal.
    let short = |value: Option<f64>| match value {
        None => "-".to_owned(),
        Some(value) => decimals(value, 3),
    };
    let meaning = match policy {
        Policy::Remove => "later near-duplicates removed",
        Policy::Irrelevant => "later near-duplicates count as not relevant",
        Policy::Propagate => "labels passed on within groups",
    };
    writeln!(out, "\n{}: {meaning}", policy.name())?;
    writeln!(
        out,
        "  {:<14} {:>9} {:>9} {:>9} {:>7} {:>7} {:>6} {:>7}",
        "measure", "before", "after", "change", "tau", "tau-AP", "moved", "p<0.05"
    )?;
    // Means over runs; each run by itself is in the tables of the result.
    let of_policy = tables.iter().filter(|table| table.policy == policy.name());
    for table in of_policy {
        let mean = |of: fn(&EffectRunRow) -> f64| {
            table.runs.iter().map(of).sum::<f64>() / table.runs.len().max(1) as f64
        };
        let (before, after) = (mean(|row| row.before), mean(|row| row.after));
        writeln!(
            out,
            "  {:<14} {before:>9.4} {after:>9.4} {:>9} {:>7} {:>7} {:>6} {:>7}",
            table.measure,
            change(after - before, 4),
            short(table.tau),
            short(table.tau_ap),
            moved(table),
            significant(table)
        )?;
    }
    Ok(())
}

/// How many runs changed their rank.
fn moved(table: &EffectTable) -> usize {
    let rows = table.runs.iter();
    rows.filter(|row| row.rank_before != row.rank_after).count()
}

/// How many runs changed significantly, at p < 0.05. Runs without a test do not count.
fn significant(table: &EffectTable) -> usize {
    let tests = table.runs.iter().filter_map(|row| row.p);
    tests.filter(|p| *p < 0.05).count()
}
