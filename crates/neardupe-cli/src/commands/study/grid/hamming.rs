//! `neardupe study hamming`: in how many bits two simhashes may differ.
//!
//! S. Seshasai, *Efficient Near Duplicate Document Detection for Specialized Corpora*, MIT 2009,
//! section 6.4.8: a larger distance costs more and finds more, less and less of which is right. If
//! neighbourhoods stay the same when the distance grows, the smaller one has told most there is.

use super::super::common::CommonArgs;
use super::super::precision;
use super::super::show::{count, share};
use super::cost::Cost;
use super::ending::{Outcome, end, head};
use super::known::{Known, Score, TruthArgs};
use super::rows::Row;
use super::setting::{Ran, Setting, makes_codes, run as run_setting, usual_threshold};
use crate::options::whole_number;
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_jobs::param::Within;
use neardupe_jobs::report::{Line, LineChart, PageTable};
use neardupe_jobs::spec::MethodChoice;
use serde_json::json;
use std::process::ExitCode;

/// What was typed after `study hamming`.
#[derive(Debug, Args)]
pub(crate) struct HammingArgs {
    /// The largest distance, up to 32 [default: 8]
    #[arg(long, value_name = "K")]
    max_distance: Option<String>,

    /// The precision that a distance shall keep, above 0 and below 1 [default: 0.9]
    #[arg(long, value_name = "P")]
    precision: Option<String>,

    /// Without labels: pairs are right from this resemblance on [default: 0.8]
    #[arg(long, short, value_name = "T")]
    threshold: Option<String>,

    /// How features are chosen and weighed, as for `find`
    #[arg(long, value_name = "LIST")]
    variant: Option<String>,

    /// Field for the variant metadata, as for `find`
    #[arg(long, value_name = "KEY")]
    meta_key: Vec<String>,

    #[command(flatten)]
    truth: TruthArgs,

    #[command(flatten)]
    common: CommonArgs,
}

/// A distance has most of what a larger one tells when it finds this share of its right pairs.
const MOST: f64 = 0.95;

/// A distance and what came out.
struct Step {
    distance: u64,
    ran: Ran,
    score: Score,
}

impl Step {
    /// Documents within the distance of a document, itself not counted; the mean.
    fn neighbours(&self) -> f64 {
        2.0 * self.score.pairs as f64 / self.ran.totals.documents.max(1) as f64
    }

    /// What the last bit added.
    fn added(&self, before: Option<&Step>) -> Score {
        let before = before.map(|step| step.score).unwrap_or_default();
        Score {
            pairs: self.score.pairs.saturating_sub(before.pairs),
            right: self.score.right.saturating_sub(before.right),
            wrong: self.score.wrong.saturating_sub(before.wrong),
            positives: self.score.positives,
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &HammingArgs) -> Result<ExitCode> {
    let common = &args.common;
    let at = usual_threshold(common, args.threshold.as_deref())?;
    let most = args.max_distance.as_deref().unwrap_or("8");
    let most = whole_number("--max-distance", most, 0..=32)?;
    let target = precision("--precision", args.precision.as_deref().unwrap_or("0.9"))?;
    let setting = |distance: u64| -> Result<Setting> {
        let mut setting = Setting::simhash(common)?;
        let method = &mut setting.spec.method;
        method.method = Some(MethodChoice::Simhash);
        method.no_verify = Some(true);
        method.distance = Some(Within(distance));
        method.variant = args.variant.clone().or(method.variant.take());
        setting.spec.metadata.meta_key = Some(args.meta_key.clone());
        Ok(setting)
    };
    let features = setting(most)?.job(common)?.config.features;
    if !makes_codes(features) {
        let message = format!("{features}: weights are for terms, words:N and words:N+M");
        return Err(Error::config("features", message).into());
    }
    let job = common.job(Setting::exact(common)?.spec)?;
    let stages = common.stages()?;
    let mut known = Known::begin(&args.truth, common, at, &stages)?;
    let mut steps: Vec<Step> = Vec::new();
    for distance in 0..=most {
        stages.tell(&format!("distance {distance} of {most}"));
        let look = |result: &_| {
            known.meet(&args.truth, common, result, &stages)?;
            let mut score = known.score();
            result.for_each_pair(|pair| {
                known.add(pair.left, pair.right, [&mut score].into_iter());
                Ok(())
            })?;
            Ok(score)
        };
        let (ran, score) = run_setting(common, &setting(distance)?, &stages, look)?;
        steps.push(Step {
            distance,
            ran,
            score,
        });
    }
    let mut own = args.truth.shown().to_vec();
    own.push(("threshold", json!(at.to_string())));
    own.push(("max-distance", json!(most)));
    own.push(("precision", json!(target)));
    own.push(("variant", json!(args.variant)));
    own.push(("method", json!("simhash")));
    own.push(("no-verify", json!(true)));
    let totals = steps.first().map(|step| step.ran.totals);
    let totals = totals.unwrap_or_default();
    let outcome = Outcome {
        study: "hamming",
        title: "Bits in which two simhashes may differ",
        own,
        documents: totals.documents,
        bad_records: totals.bad_records,
        truth: known.shown(),
        rows: rows(&steps),
        findings: vec![known.finding(), recommendation(&steps, target)],
        table: table(&steps),
        costs: Some(cost_table(&steps)),
        charts: charts(&steps),
    };
    end(common, &job, stages, outcome)
}

/// Each distance with the one before it.
fn with_before(steps: &[Step]) -> impl Iterator<Item = (&Step, Option<&Step>)> {
    let before = std::iter::once(None).chain(steps.iter().map(Some));
    steps.iter().zip(before)
}

fn rows(steps: &[Step]) -> Vec<Row> {
    let row = |(step, before): (&Step, Option<&Step>)| {
        let added = step.added(before);
        Row::default()
            .with("distance", step.distance)
            .with("features", step.ran.features.clone())
            .with_score(&step.score)
            .with("added_pairs", added.pairs)
            .with("added_precision", added.precision())
            .with("mean_neighbours", step.neighbours())
            .with("candidates", step.ran.ledger.candidates)
            .with_cost(&step.ran.cost)
    };
    with_before(steps).map(row).collect()
}

fn table(steps: &[Step]) -> PageTable {
    let row = |(step, before): (&Step, Option<&Step>)| {
        let (score, added) = (&step.score, step.added(before));
        vec![
            step.distance.to_string(),
            count(score.pairs),
            share(score.precision()),
            share(score.recall()),
            share(score.f1()),
            count(added.pairs),
            share(added.precision()),
            format!("{:.3}", step.neighbours()),
            count(step.ran.ledger.candidates),
        ]
    };
    PageTable {
        title: "Codes within a distance, not verified".to_owned(),
        head: head([
            "distance",
            "pairs",
            "precision",
            "recall",
            "F1",
            "added",
            "their precision",
            "neighbours",
            "candidates",
        ]),
        rows: with_before(steps).map(row).collect(),
    }
}

fn cost_table(steps: &[Step]) -> PageTable {
    let rows = steps
        .iter()
        .map(|step| (step.distance.to_string(), &step.ran.cost));
    Cost::table("What each distance costs", "distance", rows)
}

fn charts(steps: &[Step]) -> Vec<LineChart> {
    let line = |name: &str, value: &dyn Fn(&Step) -> Option<f64>| Line {
        name: name.to_owned(),
        y: steps.iter().map(value).collect(),
    };
    let chart = |name: &str, title: &str, y_label: &str, lines: Vec<Line>| LineChart {
        name: name.to_owned(),
        title: title.to_owned(),
        x_label: "distance".to_owned(),
        y_label: y_label.to_owned(),
        x: steps.iter().map(|step| step.distance as f64).collect(),
        lines,
        ..LineChart::default()
    };
    let quality = vec![
        line("precision", &|step| step.score.precision()),
        line("recall", &|step| step.score.recall()),
        line("F1", &|step| step.score.f1()),
    ];
    let neighbours = vec![line("neighbours", &|step| Some(step.neighbours()))];
    let candidates = |step: &Step| Some(step.ran.ledger.candidates as f64);
    let seconds = |step: &Step| Some(step.ran.cost.compare_seconds);
    vec![
        LineChart {
            is_share: true,
            ..chart(
                "quality",
                "Precision and recall by distance",
                "share",
                quality,
            )
        },
        chart(
            "neighbours",
            "Documents within the distance of a document, the mean",
            "documents",
            neighbours,
        ),
        chart(
            "candidates",
            "Pairs that are looked at",
            "candidates",
            vec![line("candidates", &candidates)],
        ),
        chart(
            "seconds",
            "Seconds of comparing",
            "seconds",
            vec![line("seconds", &seconds)],
        ),
    ]
}

/// The smallest distance with most of the right pairs of the largest one that is precise enough.
fn worth(steps: &[Step], target: f64) -> Option<(&Step, &Step)> {
    let precise = |step: &&Step| step.score.precision().is_some_and(|one| one >= target);
    let largest = steps.iter().rfind(precise)?;
    let enough = MOST * largest.score.right as f64;
    let mut precise = steps.iter().filter(precise);
    let smallest = precise.find(|step| step.score.right as f64 >= enough)?;
    Some((smallest, largest))
}

fn recommendation(steps: &[Step], target: f64) -> String {
    let scores = |score: &Score| {
        let (precision, recall) = (share(score.precision()), share(score.recall()));
        format!("precision {precision}, recall {recall}")
    };
    match worth(steps, target) {
        None => format!(
            "Recommended: --method simhash without --no-verify, since codes alone keep a precision \
             of {target} at no distance."
        ),
        Some((smallest, largest)) if smallest.distance == largest.distance => {
            let is_last =
                steps.last().map(|step| step.distance) == Some(largest.distance);
            let larger = match is_last {
                true => "a larger one was not tried and may be better".to_owned(),
                false => format!("a larger one is less precise than {target}"),
            };
            format!(
                "Recommended: --method simhash --no-verify --distance {} ({}): {larger}, a smaller \
                 one loses more than {:.0} % of the right pairs.",
                smallest.distance,
                scores(&smallest.score),
                100.0 * (1.0 - MOST),
            )
        }
        Some((smallest, largest)) => format!(
            "Recommended: --method simhash --no-verify --distance {} ({}), which has {:.1} % of the \
             right pairs of {}, the largest distance with a precision of {target} or more.",
            smallest.distance,
            scores(&smallest.score),
            100.0 * smallest.score.right as f64 / largest.score.right.max(1) as f64,
            largest.distance,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances with so many right and wrong pairs.
    fn steps(pairs: &[(u64, u64)]) -> Vec<Step> {
        let step = |(distance, &(right, wrong)): (u64, &(u64, u64))| Step {
            distance,
            ran: Ran::default(),
            score: Score {
                pairs: right + wrong,
                right,
                wrong,
                positives: 200,
            },
        };
        (0..).zip(pairs).map(step).collect()
    }

    #[test]
    fn the_smallest_distance_with_most_of_the_right_pairs_is_worth_it() {
        let chosen = |pairs: &[(u64, u64)]| {
            let steps = steps(pairs);
            worth(&steps, 0.9).map(|(one, other)| (one.distance, other.distance))
        };
        // 97 of 100 at the second distance; the last one is not precise.
        let pairs = [(60, 0), (97, 1), (100, 5), (120, 80)];
        assert_eq!(chosen(&pairs), Some((1, 2)));
        // Equal codes that are not there do not count as precise.
        assert_eq!(chosen(&[(0, 0), (9, 1)]), Some((1, 1)));
        assert_eq!(chosen(&[(5, 5), (6, 6)]), None);
        let advice = recommendation(&steps(&[(5, 5)]), 0.9);
        assert!(advice.contains("without --no-verify"), "{advice}");
    }
}
