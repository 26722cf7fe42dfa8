//! `study threshold`: what each threshold finds, from one job at the lowest.
//!
//! Without labels there is no right threshold. What can be seen is where the number of pairs does
//! not change much: in such a range it does not matter which threshold is taken. If there is
//! none, the default is kept and the finding says so.
//!
//! All thresholds are measured on the pairs of one job: a pair that reaches a threshold
//! reaches all lower ones. So twelve thresholds cost one join at the lowest one, and a
//! counter per step.

use super::super::super::find::{FindJob, all_options};
use super::super::base::{StudyBase, StudySpec};
use super::super::cells::{count, share};
use super::super::value::StudyThreshold;
use super::super::work::{StudyCheckpoint, StudyFiles, identity, in_work};
use super::ending::{StudyGridFindings, StudyGridOutcome, end};
use super::groups::JoinedDocuments;
use super::known::{KnownPairs, Score, StudyTruthSpec};
use super::rows::StudyRow;
use super::setting::{Ran, Setting, run_in as run_setting};
use super::steps::{Steps, at_edge, best_score};
use crate::exec::{Exec, Stages};
use crate::param::CommaList;
use crate::report::{Line, LineChart, PageTable};
use crate::spec::CheckpointSpec;
use neardupe_core::error::Result;
use neardupe_core::similarity::Similarity;
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::Threshold;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

crate::params! {
    /// What each threshold finds and would remove.
    pub struct StudyThresholdSpec {
        [ truth: StudyTruthSpec, restart: CheckpointSpec, study: StudySpec ]
        /// Thresholds, with commas [default: 0.5,0.55 ... 0.95,0.99,1]
        thresholds: CommaList<StudyThreshold> => value("LIST");
        /// How similarity is measured: resemblance, s3, containment [default: resemblance]
        similarity: Similarity => value("KIND");
    }
}

/// Used when no thresholds are given.
const USUAL: &str = "0.5,0.55,0.6,0.65,0.7,0.75,0.8,0.85,0.9,0.95,0.99,1";
/// Within a plateau the number of pairs falls by this share at most.
const PLATEAU: f64 = 0.1;

/// A threshold and what reaches it.
struct ThresholdStep {
    /// As typed and compared; `value` is the same as a double, for the axis.
    threshold: Threshold,
    value: f64,
    /// Pairs found, and right ones if there are labels.
    score: Score,
    /// The components of the pairs so far: what `--cluster components` would join at this
    /// threshold.
    groups: JoinedDocuments,
}

/// A study of thresholds that cannot be wrong by its parameters.
pub struct StudyThresholdJob {
    /// Labels, where they are given.
    truth: StudyTruthSpec,
    /// The thresholds, sorted and without repetition.
    all: Steps,
    /// The setting of the one job, at the lowest threshold.
    setting: Setting,
    base: StudyBase,
    /// That job; `run_in` runs the setting, this one answers for its resolved parameters.
    job: FindJob,
}

impl StudyThresholdSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<StudyThresholdJob> {
        self.truth.check()?;
        let all = Steps::new(self.thresholds.as_ref(), USUAL)?;
        let base = StudyBase::new(self.study);
        let mut setting = Setting::exact(&base)?;
        setting.spec.similarity.similarity = self.similarity;
        setting.spec.restart.checkpoint = self.restart;
        let setting = setting.from(all.lowest());
        let job = base.job(setting.spec.clone())?;
        Ok(StudyThresholdJob {
            truth: self.truth,
            all,
            setting,
            base,
            job,
        })
    }
}

impl StudyThresholdJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&StudyThresholdSpec {
            truth: self.truth.clone(),
            restart: CheckpointSpec {
                checkpoint: Some(self.job.config.budget.checkpoint),
            },
            study: self.base.completed(&self.job),
            thresholds: Some(self.all.listed()),
            similarity: Some(self.job.config.similarity),
        })
    }

    /// Runs the study and writes its result.
    pub fn run(self, exec: &Exec<'_>) -> Result<StudyGridOutcome> {
        let stages = exec.stages();
        self.base.check_output(&self.job)?;
        // Labels are read once before the work, only to refuse wrong ones early. They are
        // read again when documents are known.
        self.truth.read()?;
        let files = StudyFiles {
            study: "threshold",
            truth: self.truth.files(),
            contents: BTreeMap::new(),
        };
        let identity = identity::<StudyThresholdSpec>(&self.job, &self.options(), files)?;
        let checkpoint = self.job.config.budget.checkpoint;
        let checkpoint = StudyCheckpoint::Reading { checkpoint };
        in_work(&self.base, &self.job, identity, checkpoint, exec, |work| {
            self.run_in(work, &stages, exec)
        })
    }

    /// Runs the one job and counts what each threshold finds, then writes tables and page.
    fn run_in(
        &self,
        work: &WorkDir,
        stages: &Stages<'_>,
        exec: &Exec<'_>,
    ) -> Result<StudyGridOutcome> {
        let (base, job, all) = (&self.base, &self.job, &self.all);
        let is_labelled = self.truth.is_given();
        let mut known = match self.truth.described() {
            Some(described) => KnownPairs::labelled(described),
            None => KnownPairs::nothing(),
        };
        let (ran, steps) = run_setting(base, &self.setting, work, stages, |result| {
            // Labels name documents by id, so they can be matched only when the documents of
            // the result are known.
            if is_labelled {
                known.meet(&self.truth, base, result, stages)?;
            }
            let step = |(&threshold, value): (&Threshold, f64)| ThresholdStep {
                threshold,
                value,
                score: known.score(),
                groups: JoinedDocuments::new(result.documents.len()),
            };
            let steps = all.all.iter().zip(all.numbers()).map(step);
            let mut steps: Vec<ThresholdStep> = steps.collect();
            all.for_each_pair(result, |left, right, reached| {
                // A pair that reaches a step reaches all before it.
                let steps = &mut steps[..reached];
                known.add(left, right, steps.iter_mut().map(|step| &mut step.score));
                for step in steps {
                    step.groups.join(left.get(), right.get());
                }
            })?;
            Ok(steps)
        })?;
        let advice = if is_labelled {
            by_labels(&steps)
        } else {
            by_plateau(&steps)
        };
        let advice = advice.map(|text| exec.render(&text));
        let findings = is_labelled.then(|| known.finding());
        let found = StudyGridFindings {
            study: "threshold",
            title: "What each threshold finds",
            options: self.options(),
            documents: ran.totals.documents,
            bad_records: ran.totals.bad_records,
            truth: is_labelled.then(|| known.shown()),
            rows: rows(&steps, &ran, is_labelled),
            findings: findings.into_iter().chain(advice).collect(),
            table: table(&steps, &ran, is_labelled),
            costs: None,
            charts: charts(&steps, &ran, is_labelled),
        };
        end(base, job, stages, found)
    }
}

/// The share of all documents that would be removed with components, 0..=1. Star clusters
/// remove a little less.
fn removed(step: &ThresholdStep, ran: &Ran) -> f64 {
    step.groups.removed() as f64 / ran.totals.documents.max(1) as f64
}

/// The rows of the table as CSV. Without labels there is nothing but the number of pairs to
/// write of the score.
fn rows(steps: &[ThresholdStep], ran: &Ran, is_labelled: bool) -> Vec<StudyRow> {
    let row = |step: &ThresholdStep| {
        let row = StudyRow::default().with("threshold", step.threshold.to_string());
        let row = if is_labelled {
            row.with_score(&step.score)
        } else {
            row.with("pairs", step.score.pairs)
        };
        row.with("documents_in_pairs", step.groups.documents())
            .with("clusters", step.groups.clusters())
            .with("largest_cluster", step.groups.largest())
            .with("removed", step.groups.removed())
            .with("share_removed", removed(step, ran))
    };
    steps.iter().map(row).collect()
}

/// The same for the page, with shares rounded.
fn table(steps: &[ThresholdStep], ran: &Ran, is_labelled: bool) -> PageTable {
    let row = |step: &ThresholdStep| {
        let mut row = vec![
            step.threshold.to_string(),
            count(step.score.pairs),
            count(step.groups.documents()),
            count(step.groups.clusters()),
            count(step.groups.largest()),
            share(Some(removed(step, ran))),
        ];
        if is_labelled {
            let score = &step.score;
            row.extend([score.precision(), score.recall(), score.f1()].map(share));
        }
        row
    };
    let names = [
        "threshold",
        "pairs",
        "documents",
        "clusters",
        "largest",
        "removed",
    ];
    let scores = ["precision", "recall", "F1"];
    let scores = scores.iter().filter(|_| is_labelled);
    PageTable {
        title: "What reaches each threshold (clusters are components)".to_owned(),
        head: names
            .iter()
            .chain(scores)
            .map(|&name| name.to_owned())
            .collect(),
        rows: steps.iter().map(row).collect(),
    }
}

/// Numbers and shares have figures of their own: they have no common scale.
fn charts(steps: &[ThresholdStep], ran: &Ran, is_labelled: bool) -> Vec<LineChart> {
    let line = |name: &str, value: &dyn Fn(&ThresholdStep) -> Option<f64>| Line {
        name: name.to_owned(),
        y: steps.iter().map(value).collect(),
    };
    let chart = |name: &str, title: &str, y_label: &str, lines: Vec<Line>| LineChart {
        name: name.to_owned(),
        title: title.to_owned(),
        x_label: "threshold".to_owned(),
        y_label: y_label.to_owned(),
        x: steps.iter().map(|step| step.value).collect(),
        lines,
        ..LineChart::default()
    };
    let number = |count: u64| Some(count as f64);
    let mut charts = vec![
        chart(
            "pairs",
            "Pairs, and documents in pairs",
            "number",
            vec![
                line("pairs", &|step| number(step.score.pairs)),
                line("documents", &|step| number(step.groups.documents())),
            ],
        ),
        LineChart {
            is_share: true,
            ..chart(
                "removed",
                "Share of the documents that would be removed",
                "share",
                vec![line("removed", &|step| Some(removed(step, ran)))],
            )
        },
    ];
    if is_labelled {
        let lines = vec![
            line("precision", &|step| step.score.precision()),
            line("recall", &|step| step.score.recall()),
            line("F1", &|step| step.score.f1()),
        ];
        let quality = chart("quality", "Precision and recall", "share", lines);
        charts.push(LineChart {
            is_share: true,
            ..quality
        });
    }
    charts
}

/// The threshold of the best F1.
fn by_labels(steps: &[ThresholdStep]) -> Option<String> {
    let at = best_score(steps.iter().map(|step| &step.score))?;
    let (best, edge) = (&steps[at], at_edge(at, steps.len(), "threshold"));
    let score = &best.score;
    Some(format!(
        "Recommended: `threshold {}`, the best F1 of these ({}; precision {}, recall {}).{edge}",
        best.threshold,
        share(score.f1()),
        share(score.precision()),
        share(score.recall()),
    ))
}

/// The widest range of thresholds within which the number of pairs hardly falls, by places of its
/// ends; of equally wide ones the higher, which finds less that is wrong.
fn plateau(points: &[(f64, u64)]) -> Option<(usize, usize)> {
    let mut widest: Option<(f64, usize, usize)> = None;
    // Every point may be the beginning of a plateau. Quadratic, with a dozen points.
    for (from, &(low, most)) in points.iter().enumerate() {
        let least = (1.0 - PLATEAU) * most as f64;
        let stays = |point: &&(f64, u64)| point.1 as f64 >= least;
        let len = points[from..].iter().take_while(stays).count();
        // Widths are in units of the threshold, not in steps, since the steps are not equally
        // far apart.
        let to = from + len.saturating_sub(1);
        let width = points[to].0 - low;
        // Sums of decimal fractions differ by less than that.
        if most > 0 && widest.is_none_or(|(wide, ..)| width > wide - 1e-9) {
            widest = Some((width, from, to));
        }
    }
    widest.map(|(_, from, to)| (from, to))
}

/// The middle of the plateau.
fn by_plateau(steps: &[ThresholdStep]) -> Option<String> {
    let points: Vec<(f64, u64)> = steps
        .iter()
        .map(|step| (step.value, step.score.pairs))
        .collect();
    // Two neighboring points alone are not a plateau.
    let Some((from, to)) = plateau(&points).filter(|(from, to)| to - from > 1) else {
        return Some(
            "Recommended: `threshold 0.8`, the default, since the number of pairs falls evenly and \
             no range of thresholds stands out; labels (`truth`) would decide."
                .to_owned(),
        );
    };
    let middle = f64::midpoint(steps[from].value, steps[to].value);
    let away = |step: &ThresholdStep| (step.value - middle).abs();
    // From the highest down: of two that are equally near to the middle the higher one is
    // taken.
    let within = steps[from..=to].iter().rev();
    let chosen = within.min_by(|one, other| away(one).total_cmp(&away(other)))?;
    Some(format!(
        "Recommended: `threshold {}`, the middle of the widest range in which the number of pairs \
         hardly falls ({} to {}, from {} pairs to {}): a rule of thumb, which labels (`truth`) can \
         replace.",
        chosen.threshold,
        steps[from].threshold,
        steps[to].threshold,
        count(steps[from].score.pairs),
        count(steps[to].score.pairs),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_plateau_is_found() {
        let points = [(0.5, 100), (0.6, 60), (0.7, 58), (0.8, 56), (0.9, 20)];
        assert_eq!(plateau(&points), Some((1, 3)));
        // All fall: the highest single point.
        assert_eq!(plateau(&[(0.5, 100), (0.6, 60)]), Some((1, 1)));
        assert_eq!(plateau(&[(0.5, 0)]), None);
    }
}
