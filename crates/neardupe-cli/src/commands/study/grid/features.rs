//! `neardupe study features`: what of a text is compared, and how well that finds duplicates.

use super::super::common::CommonArgs;
use super::super::show::{count, share};
use super::cost::Cost;
use super::ending::{Outcome, end, head};
use super::known::{Known, Score, TruthArgs};
use super::rows::Row;
use super::setting::{Ran, Setting, run as run_setting, usual_threshold};
use super::steps::{Steps, at_edge, best_score};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_core::feature::FeatureKind;
use neardupe_core::threshold::Threshold;
use neardupe_jobs::param::of_param;
use neardupe_jobs::report::{Line, LineChart, PageTable};
use serde_json::json;
use std::process::ExitCode;

/// What was typed after `study features`.
#[derive(Debug, Args)]
pub(crate) struct FeaturesArgs {
    /// Kinds of features, with commas [default: words:1 to words:5, words:8, words:10, chars:10, chars:20,
    /// chars:64, terms, lines:2, spotsigs]
    #[arg(long, value_name = "LIST")]
    kinds: Option<String>,

    /// Thresholds, with commas: the best one of each kind is told [default: 0.3,0.4 ... 0.9 with labels,
    /// else 0.5,0.6 ... 0.9, since many pairs are similar a little]
    #[arg(long, value_name = "LIST")]
    thresholds: Option<String>,

    /// Without labels: threshold of the exact join that is the truth [default: 0.8]
    #[arg(long, short, value_name = "T")]
    threshold: Option<String>,

    #[command(flatten)]
    truth: TruthArgs,

    #[command(flatten)]
    common: CommonArgs,
}

const KINDS: &str = "words:1,words:2,words:3,words:4,words:5,words:8,words:10,chars:10,chars:20,\
                     chars:64,terms,lines:2,spotsigs";
const WITH_LABELS: &str = "0.3,0.4,0.5,0.6,0.7,0.8,0.9";
const WITHOUT: &str = "0.5,0.6,0.7,0.8,0.9";
/// Without labels, a kind with fewer features is worth it when it agrees so well with the truth.
const GOOD_ENOUGH: f64 = 0.95;
/// And if it has at most this share of the features: shorter shingles have a few fewer, but each is in
/// more documents, which costs more than it saves.
const FEW: f64 = 0.5;

/// What came out for a kind of features.
struct Kind {
    name: String,
    ran: Ran,
    scores: Vec<Score>,
    best: usize,
}

impl Kind {
    fn best(&self) -> &Score {
        &self.scores[self.best]
    }

    fn f1(&self) -> f64 {
        self.best().f1().unwrap_or(0.0)
    }
}

/// Runs the command.
pub(crate) fn run(args: &FeaturesArgs) -> Result<ExitCode> {
    let common = &args.common;
    let is_labelled = args.truth.is_given();
    let usual = match is_labelled {
        true => WITH_LABELS,
        false => WITHOUT,
    };
    let mut steps = Steps::new(args.thresholds.as_deref(), usual)?;
    let at = usual_threshold(common, args.threshold.as_deref())?;
    let job = common.job(Setting::exact(common)?.spec)?;
    let usual_kind = job.config.features.to_string();
    let names = kinds(args.kinds.as_deref(), &usual_kind)?;
    if !is_labelled {
        steps = steps.with(at);
    }
    let stages = common.stages()?;
    let mut known = Known::begin(&args.truth, common, at, &stages)?;
    let mut kinds: Vec<Kind> = Vec::new();
    for (number, name) in (1..).zip(&names) {
        let mut setting = Setting::exact(common)?.with_features(name.parse()?);
        setting.spec.similarity.threshold = Some(steps.lowest());
        stages.tell(&format!("{number} of {}: --features {name}", names.len()));
        let (ran, scores) = run_setting(common, &setting, &stages, |result| {
            known.meet(&args.truth, common, result, &stages)?;
            steps.scores(result, &known)
        })?;
        kinds.push(Kind {
            name: name.clone(),
            best: best_score(scores.iter()).unwrap_or(0),
            ran,
            scores,
        });
    }
    let mut own = args.truth.shown().to_vec();
    own.push(("kinds", json!(names)));
    own.push(("thresholds", steps.shown()));
    if !is_labelled {
        own.push(("threshold", json!(at.to_string())));
    }
    let totals = kinds.first().map(|kind| kind.ran.totals);
    let totals = totals.unwrap_or_default();
    let advice = match is_labelled {
        true => by_labels(&kinds, &steps),
        false => by_agreement(&kinds, &steps, &usual_kind, at),
    };
    let outcome = Outcome {
        study: "features",
        title: "What of a text is compared",
        own,
        documents: totals.documents,
        bad_records: totals.bad_records,
        truth: known.shown(),
        rows: rows(&kinds, &steps),
        findings: [known.finding()].into_iter().chain(advice).collect(),
        table: table(&kinds, &steps),
        costs: Some(cost_table(&kinds)),
        charts: charts(&kinds, &steps),
    };
    end(common, &job, stages, outcome)
}

/// The kinds that are compared; those that are the truth are among them.
fn kinds(typed: Option<&str>, usual: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for name in typed
        .unwrap_or(KINDS)
        .split(',')
        .map(str::trim)
        .chain([usual])
    {
        let kind: FeatureKind = name
            .parse()
            .map_err(|error: Error| of_param("kinds", error))?;
        let name = kind.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// A row for each kind and threshold.
fn rows(kinds: &[Kind], steps: &Steps) -> Vec<Row> {
    let of_kind = |kind: &Kind| -> Vec<Row> {
        let scores = kind.scores.iter().zip(&steps.all).enumerate();
        let row = |(at, (score, threshold)): (usize, (&Score, &Threshold))| {
            Row::default()
                .with("features", kind.name.clone())
                .with("threshold", threshold.to_string())
                .with("best", at == kind.best)
                .with_score(score)
                .with("features_per_document", kind.ran.features_per_document())
                .with("verified", kind.ran.ledger.verified)
                .with_cost(&kind.ran.cost)
        };
        scores.map(row).collect()
    };
    kinds.iter().flat_map(of_kind).collect()
}

/// Each kind at its best threshold.
fn table(kinds: &[Kind], steps: &Steps) -> PageTable {
    let row = |kind: &Kind| {
        let score = kind.best();
        vec![
            kind.name.clone(),
            steps.all[kind.best].to_string(),
            count(score.pairs),
            share(score.precision()),
            share(score.recall()),
            share(score.f1()),
            per_document(&kind.ran),
        ]
    };
    PageTable {
        title: "Each kind of features at its best threshold".to_owned(),
        head: head([
            "features",
            "threshold",
            "pairs",
            "precision",
            "recall",
            "F1",
            "features a document",
        ]),
        rows: kinds.iter().map(row).collect(),
    }
}

fn per_document(ran: &Ran) -> String {
    let mean = ran.features_per_document();
    mean.map(|mean| format!("{mean:.1}")).unwrap_or_default()
}

/// What each job took.
fn cost_table(kinds: &[Kind]) -> PageTable {
    let row = |kind: &Kind| {
        let ran = &kind.ran;
        let mut row = vec![kind.name.clone(), count(ran.ledger.verified)];
        row.extend(ran.cost.texts());
        row
    };
    PageTable {
        title: "What it costs at the lowest threshold".to_owned(),
        head: ["features", "pairs verified"]
            .into_iter()
            .chain(Cost::HEAD)
            .map(str::to_owned)
            .collect(),
        rows: kinds.iter().map(row).collect(),
    }
}

fn charts(kinds: &[Kind], steps: &Steps) -> Vec<LineChart> {
    let mut charts = Vec::new();
    for (prefix, what) in [("words:", "words"), ("chars:", "characters")] {
        let mut of_kind: Vec<(f64, &Kind)> = kinds
            .iter()
            .filter_map(|kind| {
                let len = kind.name.strip_prefix(prefix)?.parse::<u32>().ok()?;
                Some((f64::from(len), kind))
            })
            .collect();
        of_kind.sort_by(|one, other| one.0.total_cmp(&other.0));
        if of_kind.len() < 2 {
            continue;
        }
        let line = |name: &str, value: fn(&Score) -> Option<f64>| Line {
            name: name.to_owned(),
            y: of_kind.iter().map(|(_, kind)| value(kind.best())).collect(),
        };
        charts.push(LineChart {
            name: format!("length-{what}"),
            title: format!("Shingles of {what}, each length at its best threshold"),
            x_label: format!("{what} of a shingle"),
            y_label: "share".to_owned(),
            x: of_kind.iter().map(|(len, _)| *len).collect(),
            lines: vec![
                line("precision", Score::precision),
                line("recall", Score::recall),
                line("F1", Score::f1),
            ],
            is_share: true,
            ..LineChart::default()
        });
    }
    // More lines than that cannot be told apart.
    let mut best: Vec<&Kind> = kinds.iter().collect();
    best.sort_by(|one, other| other.f1().total_cmp(&one.f1()));
    let line = |kind: &&Kind| Line {
        name: kind.name.clone(),
        y: kind.scores.iter().map(Score::f1).collect(),
    };
    charts.push(LineChart {
        name: "f1-by-threshold".to_owned(),
        title: "F1 against the threshold, the eight best kinds".to_owned(),
        x_label: "threshold".to_owned(),
        y_label: "F1".to_owned(),
        x: steps.numbers(),
        lines: best.iter().take(8).map(line).collect(),
        is_share: true,
        ..LineChart::default()
    });
    charts
}

/// The best F1; of equal ones the kind that comes first.
fn by_labels(kinds: &[Kind], steps: &Steps) -> Option<String> {
    let best = &kinds[best_score(kinds.iter().map(Kind::best))?];
    let score = best.best();
    let edge = at_edge(best.best, steps.all.len(), "threshold");
    Some(format!(
        "Recommended: --features {} --threshold {}, the best F1 of these ({}; precision {}, \
         recall {}).{edge}",
        best.name,
        steps.all[best.best],
        share(score.f1()),
        share(score.precision()),
        share(score.recall()),
    ))
}

/// The fewest features that agree well with the truth, which is made of the usual ones.
fn by_agreement(
    kinds: &[Kind],
    steps: &Steps,
    usual: &str,
    at: Threshold,
) -> Option<String> {
    let size = |kind: &Kind| kind.ran.features_per_document().unwrap_or(f64::MAX);
    let usual = kinds.iter().find(|kind| kind.name == usual)?;
    let agrees = |kind: &&Kind| kind.f1() >= GOOD_ENOUGH;
    let fewest = kinds.iter().filter(agrees);
    let fewest = fewest.min_by(|one, other| size(one).total_cmp(&size(other)));
    let saves = |kind: &&Kind| size(kind) <= FEW * size(usual);
    Some(match fewest.filter(saves) {
        Some(kind) => format!(
            "Recommended: --features {} --threshold {}, which agrees with {} at {at} (F1 {}) \
             with {:.0} % of its features.",
            kind.name,
            steps.all[kind.best],
            usual.name,
            share(Some(kind.f1())),
            100.0 * size(kind) / size(usual),
        ),
        None => format!(
            "Recommended: --features {} --threshold {at}, since no kind with half of its \
             features agrees with it (F1 of {GOOD_ENOUGH} or more); labels (--truth) would tell \
             which is right.",
            usual.name,
        ),
    })
}
