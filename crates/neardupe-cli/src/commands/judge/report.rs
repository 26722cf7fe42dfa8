//! What all judges said: agreement, precision by stratum and of the whole result.

use super::labels::{ByPair, Label};
use super::sample::{Drawing, strata};
use crate::terminal::grouped;
use anyhow::Result;
use neardupe_core::eval::interval::{Estimate, Judged, stratified};
use neardupe_core::eval::kappa::{cohen, fleiss};
use neardupe_core::eval::{Interval, Proportion};
use neardupe_io::result::ResultReader;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

type Pair = (String, String);

/// The answer of `judge --report`.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    result: String,
    /// Whether the pairs of the result are all, or only those of its duplicates.
    all_pairs: bool,
    judges: Vec<JudgeCounts>,
    agreement: Vec<Agreement>,
    /// Fleiss' kappa over the pairs that all judged; of three judges or more.
    fleiss_kappa: Option<f64>,
    judged_by_all: u64,
    /// Pairs on which most judges agree, as duplicates or not.
    precision: Option<Proportion>,
    strata: Vec<StratumReport>,
    /// Share of duplicates among all pairs of the strata that were judged.
    estimate: Option<Estimate>,
    /// Pairs of the result.
    population: u64,
    undecided: u64,
    /// Labelled pairs that the result does not have.
    foreign: u64,
    kinds: BTreeMap<String, KindCounts>,
}

#[derive(Debug, Serialize)]
struct JudgeCounts {
    judge: String,
    labels: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Serialize)]
struct Agreement {
    judges: [String; 2],
    pairs: u64,
    agreed: Option<Proportion>,
    cohen_kappa: Option<f64>,
}

#[derive(Debug, Serialize)]
struct StratumReport {
    from: f64,
    to: f64,
    population: u64,
    judged: u64,
    duplicates: u64,
    precision: Option<Proportion>,
}

#[derive(Debug, Default, Serialize)]
struct KindCounts {
    duplicate: u64,
    not: u64,
    unclear: u64,
}

/// Gathers the report.
pub(super) fn report(
    result: &ResultReader,
    drawing: &Drawing,
    judges: &BTreeMap<String, ByPair>,
) -> Result<Report> {
    let labelled: BTreeSet<&Pair> =
        judges.values().flat_map(|rows| rows.keys()).collect();
    let strata = strata(result, drawing)?;
    let similarity = result.summary().similarity()?;
    let mut rows: Vec<Judged> = vec![
        Judged {
            population: 0,
            whole: 0,
            part: 0
        };
        strata.len()
    ];
    let (mut undecided, mut known) = (0, 0);
    for pair in result.pairs()? {
        let pair = pair?;
        let (part, whole) =
            similarity.ratio(pair.overlap, pair.left_size, pair.right_size);
        let row = &mut rows[strata.of(part, whole)];
        row.population += 1;
        let key = (pair.left, pair.right);
        if labelled.contains(&key) {
            known += 1;
            match decided(judges, &key) {
                Some(is_duplicate) => {
                    row.whole += 1;
                    row.part += u64::from(is_duplicate);
                }
                None => undecided += 1,
            }
        }
    }
    let [part, whole] = [|row: &Judged| row.part, |row: &Judged| row.whole]
        .map(|of| rows.iter().map(of).sum::<u64>());
    let shown = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.population > 0);
    let shown = shown.map(|(number, row)| {
        let (from, to) = strata.bounds(number);
        let population = Some(row.population);
        StratumReport {
            from,
            to,
            population: row.population,
            judged: row.whole,
            duplicates: row.part,
            precision: Proportion::in_population(row.part, row.whole, population),
        }
    });
    let complete = judged_by_all(judges);
    Ok(Report {
        result: result.folder().display().to_string(),
        all_pairs: result.summary().has_all_pairs()?,
        judges: judges
            .iter()
            .map(|(name, rows)| counts(name, rows))
            .collect(),
        agreement: agreement(judges),
        fleiss_kappa: match judges.len() >= 3 {
            true => fleiss(&complete),
            false => None,
        },
        judged_by_all: complete.len() as u64,
        precision: Proportion::of(part, whole),
        strata: shown.collect(),
        estimate: stratified(&rows),
        population: rows.iter().map(|row| row.population).sum(),
        undecided,
        foreign: labelled.len() as u64 - known,
        kinds: kinds(judges),
    })
}

/// What most judges say of a pair; none if as many say the other, or nobody knows.
fn decided(judges: &BTreeMap<String, ByPair>, pair: &Pair) -> Option<bool> {
    let labels = judges.values().filter_map(|rows| rows.get(pair));
    let votes: i64 = labels
        .map(|row| match row.label {
            Label::Duplicate => 1,
            Label::Not => -1,
            Label::Unclear => 0,
        })
        .sum();
    match votes {
        0 => None,
        votes => Some(votes > 0),
    }
}

fn counts(name: &str, rows: &ByPair) -> JudgeCounts {
    let count = |label: Label| rows.values().filter(|row| row.label == label).count();
    let labels = Label::ALL.map(|label| (label.name(), count(label) as u64));
    JudgeCounts {
        judge: name.to_owned(),
        labels: labels.into(),
    }
}

/// The number of a label, for the kappas: all three count.
fn number(label: Label) -> usize {
    match label {
        Label::Duplicate => 0,
        Label::Not => 1,
        Label::Unclear => 2,
    }
}

fn agreement(judges: &BTreeMap<String, ByPair>) -> Vec<Agreement> {
    let judges: Vec<(&String, &ByPair)> = judges.iter().collect();
    let mut all = Vec::new();
    for (at, (one, rows)) in judges.iter().enumerate() {
        for (other, others) in &judges[at + 1..] {
            let both = rows.iter().filter_map(|(pair, row)| {
                let label = others.get(pair)?.label;
                Some((number(row.label), number(label)))
            });
            let both: Vec<(usize, usize)> = both.collect();
            let agreed = both.iter().filter(|(left, right)| left == right).count();
            all.push(Agreement {
                judges: [(*one).clone(), (*other).clone()],
                pairs: both.len() as u64,
                agreed: Proportion::of(agreed as u64, both.len() as u64),
                cohen_kappa: cohen(&both),
            });
        }
    }
    all
}

/// How often each label was given, of the pairs that all judged.
fn judged_by_all(judges: &BTreeMap<String, ByPair>) -> Vec<Vec<u64>> {
    let mut rows = judges.values();
    let Some(first) = rows.next() else {
        return Vec::new();
    };
    let cases = first.iter().filter_map(|(pair, row)| {
        let mut labels = vec![0u64; Label::ALL.len()];
        labels[number(row.label)] += 1;
        for other in rows.clone() {
            labels[number(other.get(pair)?.label)] += 1;
        }
        Some(labels)
    });
    cases.collect()
}

fn kinds(judges: &BTreeMap<String, ByPair>) -> BTreeMap<String, KindCounts> {
    let mut kinds: BTreeMap<String, KindCounts> = BTreeMap::new();
    for row in judges.values().flat_map(|rows| rows.values()) {
        if let Some(kind) = &row.kind {
            let counts = kinds.entry(kind.clone()).or_default();
            match row.label {
                Label::Duplicate => counts.duplicate += 1,
                Label::Not => counts.not += 1,
                Label::Unclear => counts.unclear += 1,
            }
        }
    }
    kinds
}

/// Prints the report for people.
pub(super) fn show(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    let which = match report.all_pairs {
        true => "all pairs",
        false => "the pairs of its duplicates",
    };
    writeln!(
        out,
        "{}: {} pairs ({which})\n",
        report.result,
        grouped(report.population)
    )?;
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
