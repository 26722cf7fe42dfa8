//! `study adaptive`: the fewest features that keep the precision asked for.
//!
//! A plan says for each group of sizes how sparsely its documents can be sampled so that
//! precision does not fall below the target. Groups with too few pairs to measure take the ratio
//! of the group before.

use super::super::find::{FindJob, PlanFile, all_options};
use super::base::{StudyBase, StudySpec};
use super::cells::{count, share};
use super::outcome::{StudyFindings, finish};
use super::sampling::{
    StudyRatiosSpec, StudySamplingOutcome, TARGETS, checkpoint, collection_table,
    completed_restart, figures, job_to_read, plan_table, recommendation, run_study,
};
use super::value::{StudyPrecision, StudyThreshold};
use super::work::{StudyFiles, identity, in_work};
use crate::exec::{Exec, Stages};
use crate::report::{PageParts, PageTable};
use crate::spec::CheckpointSpec;
use crate::study::{ratio, sampling_figures, write_plans, write_sampling};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::study::{AdaptivePlan, SamplingResult, SamplingStudy};
use neardupe_core::store::WorkDir;
use neardupe_io::output::check_output_file;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

crate::params! {
    /// The fewest features that keep a precision.
    pub struct StudyAdaptiveSpec {
        [ ratios: StudyRatiosSpec, restart: CheckpointSpec, study: StudySpec ]
        /// Threshold at which precision is wanted [default: 0.8]
        threshold: StudyThreshold => value("T").short('t');
        /// Precision of the plan that is saved, above 0 and below 1 [default: 0.9]
        precision: StudyPrecision => value("P");
        /// Write the plan to this file, for `sample adaptive:FILE` of find
        save: PathBuf => value("FILE").free();
    }
}

/// The precision that is kept by default.
const PRECISION: f64 = 0.9;

/// A study of ratios by size that cannot be wrong by its parameters.
pub struct StudyAdaptiveJob {
    /// As typed, for the options.
    ratios: StudyRatiosSpec,
    /// The ratios, groups and the one threshold that is studied.
    asked: SamplingStudy,
    /// The precision of the plan that is recommended and saved.
    target: f64,
    /// Where the plan is written to; nothing is saved without it.
    save: Option<PathBuf>,
    base: StudyBase,
    /// The job that reads the collection.
    job: FindJob,
}

impl StudyAdaptiveSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<StudyAdaptiveJob> {
        // One threshold only: a plan is made for one.
        let at = self.threshold.map(|given| given.0).unwrap_or_default();
        let asked = self.ratios.study(vec![at])?;
        let base = StudyBase::new(self.study);
        let job = job_to_read(&base, &self.restart)?;
        Ok(StudyAdaptiveJob {
            ratios: self.ratios,
            asked,
            target: self.precision.map_or(PRECISION, |given| given.0),
            save: self.save,
            base,
            job,
        })
    }
}

impl StudyAdaptiveJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        self.options_of(&self.job)
    }

    /// The same for the job as it ran, whose defaults may have been filled in since.
    fn options_of(&self, job: &FindJob) -> Map<String, Value> {
        all_options(&StudyAdaptiveSpec {
            ratios: self.ratios.completed(&self.asked),
            restart: completed_restart(job),
            study: self.base.completed(job),
            threshold: self.asked.thresholds.first().copied().map(StudyThreshold),
            precision: Some(StudyPrecision(self.target)),
            save: self.save.clone(),
        })
    }

    /// What the summary records: the threshold also as a list, as in a study of samples.
    fn recorded(&self, job: &FindJob) -> Map<String, Value> {
        let mut options = self.options_of(job);
        let thresholds = json!([options["threshold"]]);
        options.insert("thresholds".to_owned(), thresholds);
        options
    }

    /// The plan for a precision: by groups as they are, or with neighboring groups joined
    /// where they keep the same ratio.
    fn plan(&self, result: &SamplingResult, target: f64) -> AdaptivePlan {
        if self.ratios.is_optimized() {
            result.joined_plan(target, 0)
        } else {
            result.plan(target, 0)
        }
    }

    /// Runs the study and writes its result, and the plan where that is asked for.
    pub fn run(self, exec: &Exec<'_>) -> Result<StudySamplingOutcome> {
        let stages = exec.stages();
        self.base.check_output(&self.job)?;
        if let Some(path) = &self.save {
            check_output_file("save", path)?;
        }
        let files = StudyFiles {
            study: "adaptive",
            truth: Vec::new(),
            contents: BTreeMap::new(),
        };
        let (base, job) = (&self.base, &self.job);
        let identity = identity::<StudyAdaptiveSpec>(job, &self.options(), files)?;
        in_work(base, job, identity, checkpoint(job), exec, |work| {
            self.run_in(work, &stages, exec)
        })
    }

    /// Reads the collection once, samples it in all ratios, and makes a plan for each usual
    /// precision and for the wanted one.
    fn run_in(
        &self,
        work: &WorkDir,
        stages: &Stages<'_>,
        exec: &Exec<'_>,
    ) -> Result<StudySamplingOutcome> {
        let (base, asked) = (&self.base, &self.asked);
        let (result, job) = run_study(base, asked, &self.job, work, stages)?;
        let chosen = self.plan(&result, self.target);
        let mut plans = TARGETS.map(|target| self.plan(&result, target)).to_vec();
        // The wanted precision is one of the usual ones or is added in its place, so tables
        // and figures have it, too.
        let is_chosen = |one: &AdaptivePlan| one.target.total_cmp(&self.target).is_eq();
        if !plans.iter().any(is_chosen) {
            plans.push(chosen.clone());
            plans.sort_by(|one, other| one.target.total_cmp(&other.target));
        }
        let advice = exec.render(&recommendation(&chosen));
        let tables = vec![
            collection_table(&result),
            plan_table(&plans),
            group_table(&chosen),
        ];
        let found = StudyFindings {
            study: "adaptive",
            options: self.recorded(&job),
            figures: figures(&result),
            num_shown: tables.len(),
            parts: PageParts {
                title: "The fewest features that keep a precision".to_owned(),
                headline: PageParts::headline_of(&advice),
                findings: vec![advice],
                tables,
            },
            charts: sampling_figures(&result, &plans),
            bad_records: result.bad_records,
            is_exact: false,
        };
        let outcome = finish(base, &job, stages, found, |folder| {
            write_sampling(folder, &result)?;
            write_plans(folder, &plans)?;
            // Before the result is finished, so a study that reports success has its plan.
            if let Some(path) = &self.save {
                let text = PlanFile::of_plan(&chosen).to_text()?;
                std::fs::write(path, text).map_err(|error| Error::io(path, error))?;
            }
            Ok(())
        })?;
        Ok(StudySamplingOutcome {
            saved: self.save.clone(),
            ..outcome
        })
    }
}

/// What each group keeps under the plan.
fn group_table(plan: &AdaptivePlan) -> PageTable {
    // A group with too few pairs cannot be measured; the note says where its ratio is from.
    let rows = plan.groups.iter().map(|group| {
        let measured = if group.is_measured {
            ""
        } else {
            " (too few pairs: as before)"
        };
        vec![
            group.name(),
            ratio(group.divisor) + measured,
            count(group.documents),
            count(group.features),
            count(group.pairs.exact_pairs),
            share(group.pairs.expected),
            share(group.pairs.measured),
            share(group.pairs.recall),
        ]
    });
    PageTable {
        title: format!(
            "The plan for a precision of {} at {}",
            plan.target, plan.threshold
        ),
        head: [
            "words",
            "ratio",
            "documents",
            "features",
            "pairs",
            "precision expected",
            "measured",
            "recall",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: rows.collect(),
    }
}
