//! `neardupe study sampling`: what a sample of the features finds, and what it misses.

use super::common::{CommonArgs, Findings, finish, headline, open_work};
use super::show::{count, print_tables, share};
use crate::options::whole_number;
use crate::terminal::Stages;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::pipeline::study::plan::FEWEST_PAIRS;
use neardupe_core::pipeline::study::{
    AdaptivePlan, SamplingResult, SamplingStudy, SizeGroups, study_sampling,
};
use neardupe_core::threshold::Threshold;
use neardupe_jobs::report::{PageParts, PageTable};
use neardupe_jobs::study::{
    Mean, Which, divisors, exact_pairs, ratio, sampling_figures, write_commonality,
    write_plans, write_sampling,
};
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// What was typed after `study sampling`.
#[derive(Debug, Args)]
pub(crate) struct SamplingArgs {
    #[command(flatten)]
    pub(super) grid: GridArgs,

    /// Thresholds, with commas [default: 0.5,0.55 ... 0.95,0.99 from --min-threshold on]
    #[arg(long, value_name = "LIST")]
    thresholds: Option<String>,

    /// Features of more documents than this are left out, in turn, with commas
    /// [default: 10,20 ... 100]
    #[arg(long, value_name = "LIST")]
    commonality: Option<String>,

    #[command(flatten)]
    common: CommonArgs,
}

/// What is varied, and how documents are grouped.
#[derive(Debug, Args)]
pub(crate) struct GridArgs {
    /// The smallest threshold; below 0.5 many more pairs must be compared, and how many is told first
    /// [default: 0.5]
    #[arg(long, value_name = "T")]
    pub(super) min_threshold: Option<String>,

    /// The smallest sample is one feature in N, a power of two; the others are 1/2, 1/4 ...
    /// [default: 16]
    #[arg(long, value_name = "N")]
    max_ratio: Option<String>,

    /// Where groups of documents begin, in words, with commas [default: 500,1000,2000 ... 9000]
    #[arg(long, value_name = "LIST")]
    groups: Option<String>,

    /// Narrow groups in the place of --groups, put together where a plan gives them the same ratio
    #[arg(long, conflicts_with = "groups")]
    pub(super) optimize_groups: bool,

    /// Documents with the same features count as often as they are there, and not once; without
    /// the features of too many documents they are compared like any others
    #[arg(long)]
    keep_exact: bool,

    /// Features that more documents are found by lead to no pair: very small samples of pages with
    /// templates need a limit, and then miss pairs [default: none]
    #[arg(long, value_name = "N")]
    max_documents: Option<String>,
}

/// Thresholds that are studied unless told otherwise.
const THRESHOLDS: [&str; 11] = [
    "0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95", "0.99",
];
/// Precisions that plans are made for.
pub(super) const TARGETS: [f64; 7] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];
/// Thresholds at which plans are made, where they are studied.
const PLANNED: [&str; 3] = ["0.6", "0.8", "0.9"];

impl GridArgs {
    /// The study of these thresholds.
    pub(super) fn study(&self, thresholds: Vec<Threshold>) -> Result<SamplingStudy> {
        let groups = match (&self.groups, self.optimize_groups) {
            (None, true) => SizeGroups::narrow(),
            (None, false) => SizeGroups::default(),
            (Some(typed), _) => SizeGroups::new(&numbers("--groups", typed)?)?,
        };
        let max_divisor = match &self.max_ratio {
            None => 16,
            Some(typed) => u32::try_from(whole_number("--max-ratio", typed, 1..=4096)?)?,
        };
        let max_list = match self.max_documents.as_deref() {
            None | Some("none") => u64::MAX,
            Some(typed) => whole_number("--max-documents", typed, 2..=u64::MAX)?,
        };
        Ok(SamplingStudy {
            max_list: usize::try_from(max_list)?,
            thresholds,
            max_divisor,
            groups,
            keep_exact: self.keep_exact,
            commonality: Vec::new(),
            clock: neardupe_jobs::exec::clock,
        })
    }

    /// What was typed, for the summary.
    pub(super) fn shown(&self, study: &SamplingStudy) -> Vec<(&'static str, Value)> {
        let thresholds = study.thresholds.iter().map(Threshold::to_string);
        vec![
            ("thresholds", json!(thresholds.collect::<Vec<_>>())),
            ("max-ratio", json!(study.max_divisor)),
            ("groups", json!(study.groups.to_string())),
            ("optimize-groups", json!(self.optimize_groups)),
            ("keep-exact", json!(study.keep_exact)),
            ("max-documents", json!(self.max_documents)),
        ]
    }
}

/// A threshold, with the flag in the message when it is wrong.
pub(super) fn threshold(flag: &str, typed: &str) -> Result<Threshold> {
    let parsed = typed.trim().parse();
    parsed.map_err(|_| {
        let message = format!("{typed:?} is not a decimal fraction above 0 and up to 1");
        Error::config(flag, message).into()
    })
}

/// Numbers with commas between.
fn numbers(flag: &str, typed: &str) -> Result<Vec<u32>> {
    let one = |text: &str| {
        let number = whole_number(flag, text.trim(), 1..=u64::from(u32::MAX))?;
        Ok(u32::try_from(number)?)
    };
    typed.split(',').map(one).collect()
}

impl SamplingArgs {
    fn study(&self) -> Result<SamplingStudy> {
        let typed = self.thresholds.as_ref().map(|typed| typed.split(','));
        let all: Result<Vec<Threshold>> = match typed {
            Some(typed) => typed.map(|one| threshold("--thresholds", one)).collect(),
            None => {
                let one = |text: &&str| threshold("--thresholds", text);
                THRESHOLDS.iter().map(one).collect()
            }
        };
        let mut thresholds = all?;
        if let Some(least) = &self.grid.min_threshold {
            let least = threshold("--min-threshold", least)?;
            let value = |one: &Threshold| one.fraction().0 * least.fraction().1;
            let limit = |one: &Threshold| least.fraction().0 * one.fraction().1;
            thresholds.retain(|one| value(one) > limit(one));
            thresholds.insert(0, least);
        }
        let commonality = match &self.commonality {
            None => (1..=10).map(|tens| tens * 10).collect(),
            Some(typed) => numbers("--commonality", typed)?,
        };
        Ok(SamplingStudy {
            commonality,
            ..self.grid.study(thresholds)?
        })
    }
}

/// Runs the study of a job; what it did is shown in `stages`.
pub(super) fn run_study(
    common: &CommonArgs,
    asked: &SamplingStudy,
    job: &mut super::super::find::Job,
    stages: &Stages,
) -> Result<SamplingResult> {
    let source = common.source(job)?;
    let work = open_work(job)?;
    let result = study_sampling(&source, &job.config, asked, &work, stages)?;
    work.finish()?;
    Ok(result)
}

/// Runs the command.
pub(crate) fn run(args: &SamplingArgs) -> Result<ExitCode> {
    let asked = args.study()?;
    let mut job = args.common.job(args.common.spec()?)?;
    let stages = args.common.stages()?;
    let result = run_study(&args.common, &asked, &mut job, &stages)?;
    let plans = plans(&result);
    let findings = findings(&result, &plans);
    let parts = PageParts {
        title: "What sampling does".to_owned(),
        headline: headline(&findings),
        findings,
        // Of nothing there is nothing to tell.
        tables: match result.features(None) {
            0 => Vec::new(),
            _ => vec![
                collection_table(&result),
                ratio_table(&result),
                commonality_table(&result),
                plan_table(&plans),
            ],
        },
    };
    let mut own = args.grid.shown(&asked);
    own.push(("commonality", json!(asked.commonality)));
    let found = Findings {
        study: "sampling",
        own,
        figures: figures(&result),
        parts,
        charts: sampling_figures(&result, &plans),
        bad_records: result.bad_records,
        is_exact: false,
    };
    finish(
        &args.common,
        &job,
        stages,
        &found,
        |folder| {
            write_sampling(folder, &result)?;
            write_commonality(folder, &result)?;
            Ok(write_plans(folder, &plans)?)
        },
        |out| print_tables(out, &found.parts.tables),
    )
}

/// Plans of all targets at some thresholds; where none of these is studied, at the lowest.
fn plans(result: &SamplingResult) -> Vec<AdaptivePlan> {
    let is_planned = |step: &usize| {
        let name = result.thresholds[*step].to_string();
        PLANNED.contains(&name.as_str())
    };
    let mut steps: Vec<usize> = (0..result.thresholds.len()).filter(is_planned).collect();
    if steps.is_empty() {
        steps.push(0);
    }
    let of_step = |step: usize| TARGETS.map(|target| result.plan(target, step));
    steps.into_iter().flat_map(of_step).collect()
}

/// Counts for the summary.
pub(super) fn figures(result: &SamplingResult) -> Map<String, Value> {
    let counts = json!({
        "documents": result.documents,
        "bad_records": result.bad_records,
        "empty": result.empty,
        "exact_duplicates": result.exact,
        "features": result.features(None),
        "pair_records": result.pair_records.to_string(),
        "compared": result.compared,
        "features_left_out": result.long_lists,
    });
    let groups: Vec<Value> = result
        .group_facts
        .iter()
        .enumerate()
        .map(|(group, facts)| {
            json!({
                "words": result.groups.name(group),
                "documents": facts.documents,
                "features": facts.features,
            })
        })
        .collect();
    Map::from_iter([
        ("counts".to_owned(), counts),
        ("groups".to_owned(), json!(groups)),
        ("study_seconds".to_owned(), json!(result.seconds)),
    ])
}

/// The groups, and how many near-duplicates each has.
pub(super) fn collection_table(result: &SamplingResult) -> PageTable {
    let lowest = result.thresholds[0];
    let row = |which: Which, documents: u64, features: u64| {
        vec![
            which.name(result),
            count(documents),
            count(features),
            count(exact_pairs(result, 0, which)),
        ]
    };
    let groups = result.group_facts.iter().enumerate();
    let mut rows: Vec<Vec<String>> = groups
        .map(|(group, facts)| row(Which::Within(group), facts.documents, facts.features))
        .collect();
    let documents = result.group_facts.iter().map(|facts| facts.documents);
    rows.push(row(Which::All, documents.sum(), result.features(None)));
    PageTable {
        title: "The collection by size".to_owned(),
        head: ["words", "documents", "features"]
            .map(str::to_owned)
            .into_iter()
            .chain([format!("pairs at {lowest}")])
            .collect(),
        rows,
    }
}

/// Precision and recall of all pairs by ratio, at a few thresholds.
fn ratio_table(result: &SamplingResult) -> PageTable {
    let last = result.thresholds.len() - 1;
    let mut steps = vec![0, last / 2, last];
    steps.dedup();
    let mut head = vec!["ratio".to_owned(), "features kept".to_owned()];
    for &step in &steps {
        let threshold = result.thresholds[step];
        head.push(format!("precision at {threshold}"));
        head.push("recall".to_owned());
    }
    let row = |divisor: u32| {
        let mean = |step: usize| Mean::of(result, divisor, step, Which::All);
        let mut row = vec![ratio(divisor), share(Some(mean(0).kept_share))];
        for &step in &steps {
            row.extend([share(mean(step).precision), share(mean(step).recall)]);
        }
        row
    };
    PageTable {
        title: "All pairs, mean over trials".to_owned(),
        head,
        rows: divisors(result).map(row).collect(),
    }
}

/// What leaving out common features does, at the lowest threshold.
fn commonality_table(result: &SamplingResult) -> PageTable {
    let lowest = result.thresholds[0].to_string();
    let rows = result.commonality.iter();
    let rows = rows.filter(|row| row.threshold.to_string() == lowest);
    let whole = result.pair_records.max(1) as f64;
    PageTable {
        title: format!("Without features of many documents, at {lowest}"),
        head: [
            "features of more documents left out",
            "precision",
            "recall",
            "average error",
            "correlation",
            "pair records",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: rows
            .map(|row| {
                vec![
                    count(row.limit.into()),
                    share(row.figures.precision()),
                    share(row.figures.recall()),
                    share(row.figures.average_error),
                    share(row.figures.correlation),
                    share(Some(row.pair_records as f64 / whole)),
                ]
            })
            .collect(),
    }
}

/// What each plan keeps.
pub(super) fn plan_table(plans: &[AdaptivePlan]) -> PageTable {
    let row = |plan: &AdaptivePlan| {
        vec![
            format!("{} at {}", plan.target, plan.threshold),
            share(Some(plan.kept_share)),
            ratio(plan.single_divisor),
            share(Some(plan.single_share)),
            share(plan.all.expected),
            share(plan.all.measured),
            share(plan.across.measured),
            share(plan.all.recall),
        ]
    };
    PageTable {
        title: "Ratios by size: the fewest features that keep a precision".to_owned(),
        head: [
            "precision asked for",
            "features kept",
            "one ratio for all",
            "keeps",
            "precision expected",
            "measured",
            "across groups",
            "recall",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: plans.iter().map(row).collect(),
    }
}

/// What came out, in sentences.
fn findings(result: &SamplingResult, plans: &[AdaptivePlan]) -> Vec<String> {
    let mut said = Vec::new();
    said.push(format!(
        "{} documents, {} of them with the features of another one; {} pairs at {}.",
        count(result.documents),
        count(result.exact),
        count(exact_pairs(result, 0, Which::All)),
        result.thresholds[0],
    ));
    if result.long_lists > 0 {
        said.push(format!(
            "{} features led to no pair, by --max-documents: pairs are missing.",
            count(result.long_lists)
        ));
    }
    let step = result.thresholds.len() / 2;
    let mean = Mean::of(result, result.max_divisor, step, Which::All);
    if let (Some(precision), Some(recall)) = (mean.precision, mean.recall) {
        said.push(format!(
            "At {}, one feature in {} finds {:.1} % of the pairs, and {:.1} % of what it finds is \
             right.",
            result.thresholds[step],
            result.max_divisor,
            recall * 100.0,
            precision * 100.0,
        ));
    }
    let advised = plans.iter().find(|plan| {
        plan.threshold.to_string() == "0.8" && plan.target.total_cmp(&0.9).is_eq()
    });
    if let Some(plan) = advised.or(plans.last()) {
        said.push(recommendation(plan));
    }
    said
}

/// What to do, in one sentence.
pub(super) fn recommendation(plan: &AdaptivePlan) -> String {
    let (kept, single) = (plan.kept_share * 100.0, plan.single_share * 100.0);
    if !plan.groups.iter().any(|group| group.is_measured) {
        return format!(
            "Recommended at {}: no sampling, since no size of documents has the {FEWEST_PAIRS} pairs \
             that tell what a sample costs.",
            plan.threshold
        );
    }
    match plan.groups.iter().all(|group| group.divisor == 1) {
        true => format!(
            "Recommended at {}: no sampling, since no ratio keeps a precision of {} here.",
            plan.threshold, plan.target
        ),
        false => format!(
            "Recommended at {}: --sample adaptive:precision={}, which keeps {kept:.1} % of the \
             features where one ratio for all that does as well ({}) keeps {single:.1} %.",
            plan.threshold,
            plan.target,
            ratio(plan.single_divisor)
        ),
    }
}
