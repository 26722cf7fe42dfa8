//! `study sampling`: what a sample of the features finds, and what it misses.
//!
//! All trials come from one join at the finest ratio (`core::pipeline::study`): figures of a
//! ratio are those of a job with that sample, counted in whole numbers, so they do not depend on
//! the order of work.

use super::super::find::{FindJob, all_options};
use super::base::{StudyBase, StudySpec};
use super::cells::{count, share};
use super::outcome::{StudyFindings, StudyOutcome, finish, headline};
use super::value::{StudyGroups, StudyThreshold};
use super::work::{StudyCheckpoint, StudyFiles, identity, in_work};
use crate::exec::{Exec, Stages, clock};
use crate::param::{CommaList, OrNone, Within};
use crate::report::{PageParts, PageTable};
use crate::spec::CheckpointSpec;
use crate::study::{
    Mean, Which, divisors, exact_pairs, ratio, sampling_figures, write_commonality,
    write_plans, write_sampling,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::study::plan::FEWEST_PAIRS;
use neardupe_core::pipeline::study::{
    AdaptivePlan, SamplingResult, SamplingStudy, SizeGroups, study_sampling,
};
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::Threshold;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

crate::params! {
    /// Which samples are studied, and how documents are grouped.
    pub struct StudyRatiosSpec {
        /// The smallest sample is one feature in N, a power of two; the others are 1/2, 1/4 ...
        /// [default: 16]
        max_ratio: Within<1, 4096> => value("N");
        /// Where groups of documents begin, in words, with commas [default: 500,1000,2000 ... 9000]
        groups: StudyGroups => value("LIST");
        /// Narrow groups, not those of `groups`, put together where a plan gives them the same ratio
        optimize_groups: bool => switch();
        /// Documents with the same features count as often as they are there, and not once; without
        /// the features of too many documents they are compared like any others
        keep_exact: bool => switch();
        /// Features that more documents are found by lead to no pair: very small samples of pages with
        /// templates need a limit, and then miss pairs [default: none]
        max_documents: OrNone<Within<2, { u64::MAX }>> => value("N");
    }
}

crate::params! {
    /// What samples of the features find.
    pub struct StudySamplingSpec {
        [ ratios: StudyRatiosSpec, restart: CheckpointSpec, study: StudySpec ]
        /// The smallest threshold; below 0.5 many more pairs must be compared, and how many is said first
        /// [default: 0.5]
        min_threshold: StudyThreshold => value("T");
        /// Thresholds, with commas [default: 0.5,0.55 ... 0.95,0.99 from `min-threshold` on]
        thresholds: CommaList<StudyThreshold> => value("LIST");
        /// Features of more documents than this are left out, in turn, with commas
        /// [default: 10,20 ... 100]
        commonality: CommaList<Within<1, { u32::MAX as u64 }>> => value("LIST");
    }
}

/// Thresholds that are studied by default.
const THRESHOLDS: [&str; 11] = [
    "0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95", "0.99",
];
/// Precisions that plans are made for.
pub(super) const TARGETS: [f64; 7] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];
/// Thresholds at which plans are made, where they are studied.
const PLANNED: [&str; 3] = ["0.6", "0.8", "0.9"];

/// One in so many features is the smallest sample by default.
const MAX_RATIO: u32 = 16;

impl StudyRatiosSpec {
    /// Whether groups are narrow and put together.
    pub(super) fn is_optimized(&self) -> bool {
        self.optimize_groups == Some(true)
    }

    /// The study of these thresholds.
    pub(super) fn study(&self, thresholds: Vec<Threshold>) -> Result<SamplingStudy> {
        let narrow = SizeGroups::narrow();
        let groups = match (&self.groups, self.is_optimized()) {
            (None, true) => narrow,
            (None, false) => SizeGroups::default(),
            // The same groups may be given, as in a summary; others contradict the switch.
            (Some(given), true) if given.0.to_string() != narrow.to_string() => {
                let message = "makes groups of its own; leave out `groups`";
                return Err(Error::config("optimize-groups", message));
            }
            (Some(given), _) => given.0.clone(),
        };
        let max_list = self.max_documents.and_then(OrNone::this);
        Ok(SamplingStudy {
            max_list: max_list.map_or(usize::MAX, Within::usize),
            thresholds,
            max_divisor: self.max_ratio.map_or(MAX_RATIO, Within::u32),
            groups,
            keep_exact: self.keep_exact == Some(true),
            commonality: Vec::new(),
            clock,
        })
    }

    /// The description with everything that was left open filled in.
    pub(super) fn completed(&self, study: &SamplingStudy) -> Self {
        StudyRatiosSpec {
            max_ratio: Some(Within(study.max_divisor.into())),
            groups: Some(StudyGroups(study.groups.clone())),
            optimize_groups: Some(self.is_optimized()),
            keep_exact: Some(study.keep_exact),
            max_documents: self.max_documents,
        }
    }
}

impl StudySamplingSpec {
    /// The study that is asked for, with defaults filled in.
    fn asked(&self) -> Result<SamplingStudy> {
        let given = self.thresholds.as_ref();
        let mut thresholds: Vec<Threshold> = match given {
            Some(given) => given.0.iter().map(|one| one.0).collect(),
            None => {
                let usual = THRESHOLDS.iter().map(|text| text.parse());
                usual.collect::<Result<_>>()?
            }
        };
        if let Some(StudyThreshold(least)) = self.min_threshold {
            // The smallest threshold is always studied itself, even if it is none of the
            // usual ones.
            thresholds.retain(|one| one.ratio().compare(least.ratio()).is_gt());
            thresholds.insert(0, least);
        }
        let commonality = match &self.commonality {
            None => (1..=10).map(|tens| tens * 10).collect(),
            Some(given) => given.0.iter().map(|limit| limit.u32()).collect(),
        };
        Ok(SamplingStudy {
            commonality,
            ..self.ratios.study(thresholds)?
        })
    }

    /// The job of this description.
    pub fn validate(self) -> Result<StudySamplingJob> {
        let asked = self.asked()?;
        let base = StudyBase::new(self.study);
        let job = job_to_read(&base, &self.restart)?;
        Ok(StudySamplingJob {
            ratios: self.ratios,
            asked,
            base,
            job,
        })
    }
}

/// A study of samples that cannot be wrong by its parameters.
pub struct StudySamplingJob {
    /// As typed, for the options.
    ratios: StudyRatiosSpec,
    /// What is measured.
    asked: SamplingStudy,
    /// Input, output and reading.
    base: StudyBase,
    /// The job that reads the collection; it finds nothing itself.
    job: FindJob,
}

/// What comes of a study of samples, or of a plan.
pub type StudySamplingOutcome = StudyOutcome<StudySamplingFigures>;

/// What a study of samples measured; all trials are in `sampling.csv`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StudySamplingFigures {
    /// Numbers.
    pub counts: StudySamplingCounts,
    /// Documents by size.
    pub groups: Vec<StudySamplingGroup>,
    /// Seconds of the study alone.
    pub study_seconds: f64,
}

/// Numbers of a study of samples.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StudySamplingCounts {
    /// Documents.
    pub documents: u64,
    /// Records that did not become documents.
    pub bad_records: u64,
    /// Documents without a feature.
    pub empty: u64,
    /// Documents with the features of another one.
    pub exact_duplicates: u64,
    /// Features.
    pub features: u64,
    /// Pairs of documents by features in common, as a text: it may be larger than other numbers.
    pub pair_records: String,
    /// Pairs that were compared.
    pub compared: u64,
    /// Features that led to no pair.
    pub features_left_out: u64,
}

/// Documents of some size.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StudySamplingGroup {
    /// Their numbers of words.
    pub words: String,
    /// Documents.
    pub documents: u64,
    /// Their features.
    pub features: u64,
}

/// The job that reads for a study.
pub(super) fn job_to_read(base: &StudyBase, restart: &CheckpointSpec) -> Result<FindJob> {
    let mut spec = base.find_spec()?;
    spec.restart.checkpoint = restart.clone();
    base.job(spec)
}

/// Whether all is put into the work directory, as a parameter.
pub(super) fn completed_restart(job: &FindJob) -> CheckpointSpec {
    CheckpointSpec {
        checkpoint: Some(job.config.budget.checkpoint),
    }
}

/// What is done of a study if it ends early.
pub(super) fn checkpoint(job: &FindJob) -> StudyCheckpoint {
    StudyCheckpoint::Reading {
        checkpoint: job.config.budget.checkpoint,
    }
}

/// Runs the study of a job: also returns the job as it was done.
pub(super) fn run_study(
    base: &StudyBase,
    asked: &SamplingStudy,
    job: &FindJob,
    work: &WorkDir,
    stages: &Stages<'_>,
) -> Result<(SamplingResult, FindJob)> {
    let mut job = job.clone();
    let source = base.source(&mut job)?;
    let result = study_sampling(&source, &job.config, asked, work, stages)?;
    Ok((result, job))
}

impl StudySamplingJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        self.options_of(&self.job)
    }

    /// The same for the job as it ran, whose defaults may have been filled in since.
    fn options_of(&self, job: &FindJob) -> Map<String, Value> {
        let thresholds = self.asked.thresholds.iter().copied().map(StudyThreshold);
        let limits = self.asked.commonality.iter();
        let limits = limits.map(|&limit| Within(limit.into()));
        all_options(&StudySamplingSpec {
            ratios: self.ratios.completed(&self.asked),
            restart: completed_restart(job),
            study: self.base.completed(job),
            // Contained in the thresholds: a summary that had both would apply it twice.
            min_threshold: None,
            thresholds: Some(CommaList(thresholds.collect())),
            commonality: Some(CommaList(limits.collect())),
        })
    }

    /// Runs the study and writes its result.
    pub fn run(self, exec: &Exec<'_>) -> Result<StudySamplingOutcome> {
        let stages = exec.stages();
        self.base.check_output(&self.job)?;
        let files = StudyFiles {
            study: "sampling",
            truth: Vec::new(),
            contents: BTreeMap::new(),
        };
        let (base, job) = (&self.base, &self.job);
        let identity = identity::<StudySamplingSpec>(job, &self.options(), files)?;
        in_work(base, job, identity, checkpoint(job), exec, |work| {
            self.run_in(work, &stages, exec)
        })
    }

    /// Reads and joins once, then derives plans, tables and figures from the counts.
    fn run_in(
        &self,
        work: &WorkDir,
        stages: &Stages<'_>,
        exec: &Exec<'_>,
    ) -> Result<StudySamplingOutcome> {
        let (base, asked) = (&self.base, &self.asked);
        let (result, job) = run_study(base, asked, &self.job, work, stages)?;
        let plans = plans(&result);
        let findings = findings(&result, &plans).into_iter();
        let findings: Vec<String> = findings.map(|text| exec.render(&text)).collect();
        // Of nothing there is nothing to show.
        let tables = match result.features(None) {
            0 => Vec::new(),
            _ => vec![
                collection_table(&result),
                ratio_table(&result),
                commonality_table(&result),
                plan_table(&plans),
            ],
        };
        let found = StudyFindings {
            study: "sampling",
            options: self.options_of(&job),
            figures: figures(&result),
            num_shown: tables.len(),
            parts: PageParts {
                title: "What sampling does".to_owned(),
                headline: headline(&findings),
                findings,
                tables,
            },
            charts: sampling_figures(&result, &plans),
            bad_records: result.bad_records,
            is_exact: false,
        };
        // Tables are written into the folder that is renamed at the end.
        finish(base, &job, stages, found, |folder| {
            write_sampling(folder, &result)?;
            write_commonality(folder, &result)?;
            write_plans(folder, &plans)
        })
    }
}

/// Plans of all targets at some thresholds; where none of these is studied, at the lowest.
fn plans(result: &SamplingResult) -> Vec<AdaptivePlan> {
    let is_planned = |step: &usize| {
        let name = result.thresholds[*step].to_string();
        PLANNED.contains(&name.as_str())
    };
    let mut steps: Vec<usize> = (0..result.thresholds.len()).filter(is_planned).collect();
    if steps.is_empty() {
        // A plan at some threshold is better than none.
        steps.push(0);
    }
    let of_step = |step: usize| TARGETS.map(|target| result.plan(target, step));
    steps.into_iter().flat_map(of_step).collect()
}

/// Counts for the summary.
pub(super) fn figures(result: &SamplingResult) -> StudySamplingFigures {
    let groups = result.group_facts.iter().enumerate();
    StudySamplingFigures {
        counts: StudySamplingCounts {
            documents: result.documents,
            bad_records: result.bad_records,
            empty: result.empty,
            exact_duplicates: result.exact,
            features: result.features(None),
            pair_records: result.pair_records.to_string(),
            compared: result.compared,
            features_left_out: result.long_lists,
        },
        groups: groups
            .map(|(group, facts)| StudySamplingGroup {
                words: result.groups.name(group),
                documents: facts.documents,
                features: facts.features,
            })
            .collect(),
        study_seconds: result.seconds,
    }
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
    // The last row is the whole collection: pairs across groups are in it alone.
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
    // The lowest, the middle and the highest threshold: more would not fit the width of a
    // page.
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
            "{} features led to no pair, by `max-documents`: pairs are missing.",
            count(result.long_lists)
        ));
    }
    // The middle threshold and the smallest sample: the sentence that says most.
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
    // The defaults of `find`, if they were studied.
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
    let (share, single) = (plan.kept_share * 100.0, plan.single_share * 100.0);
    if !plan.groups.iter().any(|group| group.is_measured) {
        return format!(
            "Recommended at {}: no sampling, since no size of documents has the {FEWEST_PAIRS} pairs \
             that show what a sample costs.",
            plan.threshold
        );
    }
    if plan.groups.iter().all(|group| group.divisor == 1) {
        format!(
            "Recommended at {}: no sampling, since no ratio keeps a precision of {} here.",
            plan.threshold, plan.target
        )
    } else {
        format!(
            "Recommended at {}: `sample adaptive:precision={}`, which keeps {share:.1} % of the \
             features where one ratio for all that does as well ({}) keeps {single:.1} %.",
            plan.threshold,
            plan.target,
            ratio(plan.single_divisor)
        )
    }
}
