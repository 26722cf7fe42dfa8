//! What all judges said: agreement, precision by stratum and of the whole result.
//!
//! Precision of a stratum has a Wilson interval with a correction for finite populations; the
//! precision of the whole result is the stratified estimate, each stratum weighted by its pairs.
//! Agreement is Cohen's kappa over the pairs that two judges have both judged, and Fleiss' kappa
//! over those that all have; `unclear` is a label like the others there, but decides nothing.

use super::labels::{JudgeLabel, JudgedPairs};
use super::sample::{JudgeDrawing, strata};
use neardupe_core::error::Result;
use neardupe_core::eval::Proportion;
use neardupe_core::eval::interval::{Estimate, Judged, stratified};
use neardupe_core::eval::kappa::{cohen, fleiss};
use neardupe_io::result::ResultReader;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

type Pair = (String, String);

/// The answer of `judge` with `report`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeSummary {
    /// The folder of the result.
    pub result: String,
    /// Whether the pairs of the result are all, or only those of its duplicates.
    pub all_pairs: bool,
    /// What each judge said.
    pub judges: Vec<JudgeCounts>,
    /// How far each two judges agree.
    pub agreement: Vec<JudgeAgreement>,
    /// Fleiss' kappa over the pairs that all judged; of three judges or more.
    pub fleiss_kappa: Option<f64>,
    /// Pairs that all judged.
    pub judged_by_all: u64,
    /// Pairs on which most judges agree, as duplicates or not.
    pub precision: Option<Proportion>,
    /// The pairs by similarity.
    pub strata: Vec<JudgeStratum>,
    /// Share of duplicates among all pairs of the strata that were judged.
    pub estimate: Option<Estimate>,
    /// Pairs of the result.
    pub population: u64,
    /// Judged pairs that are unclear or disputed.
    pub undecided: u64,
    /// Labelled pairs that the result does not have.
    pub foreign: u64,
    /// Labels by kind.
    pub kinds: BTreeMap<String, JudgeKindCounts>,
}

/// What one judge said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeCounts {
    /// The name.
    pub judge: String,
    /// How often each label was given.
    pub labels: BTreeMap<String, u64>,
}

/// How far two judges agree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeAgreement {
    /// Who.
    pub judges: [String; 2],
    /// Pairs that both judged.
    pub pairs: u64,
    /// Those with the same label.
    pub agreed: Option<Proportion>,
    /// Cohen's kappa.
    pub cohen_kappa: Option<f64>,
}

/// Pairs of about the same similarity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeStratum {
    /// The smallest similarity.
    pub from: f64,
    /// The largest similarity.
    pub to: f64,
    /// Pairs of the result.
    pub population: u64,
    /// Pairs that are decided.
    pub judged: u64,
    /// Those that are duplicates.
    pub duplicates: u64,
    /// The share of the decided ones that are duplicates.
    pub precision: Option<Proportion>,
}

/// Labels of pairs of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeKindCounts {
    /// Duplicates.
    pub duplicate: u64,
    /// None.
    pub not: u64,
    /// It could not be said.
    pub unclear: u64,
}

/// Gathers the report.
pub(super) fn report(
    result: &ResultReader,
    drawing: &JudgeDrawing,
    judges: &BTreeMap<String, JudgedPairs>,
) -> Result<JudgeSummary> {
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
        let (part, whole) = similarity
            .ratio(pair.overlap, pair.left_size, pair.right_size)
            .parts();
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
        JudgeStratum {
            from,
            to,
            population: row.population,
            judged: row.whole,
            duplicates: row.part,
            precision: Proportion::in_population(row.part, row.whole, population),
        }
    });
    let complete = judged_by_all(judges);
    Ok(JudgeSummary {
        result: result.folder().display().to_string(),
        all_pairs: result.summary().has_all_pairs()?,
        judges: judges
            .iter()
            .map(|(name, rows)| counts(name, rows))
            .collect(),
        agreement: agreement(judges),
        fleiss_kappa: if judges.len() >= 3 {
            fleiss(&complete)
        } else {
            None
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

/// The label that most judges give a pair; none for a tie, or if all are unclear.
fn decided(judges: &BTreeMap<String, JudgedPairs>, pair: &Pair) -> Option<bool> {
    let labels = judges.values().filter_map(|rows| rows.get(pair));
    let votes: i64 = labels
        .map(|row| match row.label {
            JudgeLabel::Duplicate => 1,
            JudgeLabel::Not => -1,
            JudgeLabel::Unclear => 0,
        })
        .sum();
    match votes {
        0 => None,
        votes => Some(votes > 0),
    }
}

/// How often a judge gave each label.
fn counts(name: &str, rows: &JudgedPairs) -> JudgeCounts {
    let count =
        |label: JudgeLabel| rows.values().filter(|row| row.label == label).count();
    let labels =
        JudgeLabel::ALL.map(|label| (label.name().to_owned(), count(label) as u64));
    JudgeCounts {
        judge: name.to_owned(),
        labels: labels.into(),
    }
}

/// The number of a label, for the kappas: all three count.
fn number(label: JudgeLabel) -> usize {
    match label {
        JudgeLabel::Duplicate => 0,
        JudgeLabel::Not => 1,
        JudgeLabel::Unclear => 2,
    }
}

/// Every two judges over the pairs that both have judged.
fn agreement(judges: &BTreeMap<String, JudgedPairs>) -> Vec<JudgeAgreement> {
    let judges: Vec<(&String, &JudgedPairs)> = judges.iter().collect();
    let mut all = Vec::new();
    for (at, (one, rows)) in judges.iter().enumerate() {
        for (other, others) in &judges[at + 1..] {
            let both = rows.iter().filter_map(|(pair, row)| {
                let label = others.get(pair)?.label;
                Some((number(row.label), number(label)))
            });
            let both: Vec<(usize, usize)> = both.collect();
            let agreed = both.iter().filter(|(left, right)| left == right).count();
            all.push(JudgeAgreement {
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
fn judged_by_all(judges: &BTreeMap<String, JudgedPairs>) -> Vec<Vec<u64>> {
    let mut rows = judges.values();
    let Some(first) = rows.next() else {
        return Vec::new();
    };
    let cases = first.iter().filter_map(|(pair, row)| {
        let mut labels = vec![0u64; JudgeLabel::ALL.len()];
        labels[number(row.label)] += 1;
        for other in rows.clone() {
            labels[number(other.get(pair)?.label)] += 1;
        }
        Some(labels)
    });
    cases.collect()
}

/// Labels by the kind of duplicate that a judge typed, all judges together.
fn kinds(judges: &BTreeMap<String, JudgedPairs>) -> BTreeMap<String, JudgeKindCounts> {
    let mut kinds: BTreeMap<String, JudgeKindCounts> = BTreeMap::new();
    for row in judges.values().flat_map(|rows| rows.values()) {
        if let Some(kind) = &row.kind {
            let counts = kinds.entry(kind.clone()).or_default();
            match row.label {
                JudgeLabel::Duplicate => counts.duplicate += 1,
                JudgeLabel::Not => counts.not += 1,
                JudgeLabel::Unclear => counts.unclear += 1,
            }
        }
    }
    kinds
}
