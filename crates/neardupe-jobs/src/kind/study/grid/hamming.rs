//! `study hamming`: in how many bits two simhashes may differ.
//!
//! S. Seshasai, *Efficient Near Duplicate Document Detection for Specialized Corpora*, MIT 2009,
//! section 6.4.8: a larger distance costs more and finds more, and a smaller and smaller share of that is right. If
//! neighborhoods are the same when the distance grows, the smaller one has shown most there is.

use super::super::super::find::{FindJob, all_options};
use super::super::base::{StudyBase, StudySpec};
use super::super::cells::{count, head, share};
use super::super::value::{StudyPrecision, StudyThreshold};
use super::super::work::{StudyCheckpoint, StudyFiles, identity, in_work};
use super::cost::StudyCost;
use super::ending::{StudyGridFindings, StudyGridOutcome, end};
use super::finished::Finished;
use super::known::{KnownPairs, Score, StudyTruthSpec};
use super::rows::StudyRow;
use super::setting::{
    Ran, Setting, exact_spec, makes_codes, run as run_setting, usual_threshold,
};
use crate::exec::{Exec, Stages};
use crate::param::Within;
use crate::report::{Line, LineChart, PageTable};
use crate::spec::MethodChoice;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::Threshold;
use serde_json::{Map, Value, json};

crate::params! {
    /// What each distance of simhashes finds and takes.
    pub struct StudyHammingSpec {
        [ truth: StudyTruthSpec, study: StudySpec ]
        /// The largest distance, up to 32 [default: 8]
        max_distance: Within<0, 32> => value("K");
        /// The precision that a distance must keep, above 0 and below 1 [default: 0.9]
        precision: StudyPrecision => value("P");
        /// Without labels: pairs are right from this resemblance on [default: 0.8]
        threshold: StudyThreshold => value("T").short('t');
        /// How features are chosen and weighed, as for `find`
        variant: String => value("LIST");
        /// Field for the variant metadata, as for `find`
        meta_key: Vec<String> => value("KEY");
    }
}

/// The largest distance by default.
const MAX_DISTANCE: u64 = 8;
/// The precision that is kept by default.
const PRECISION: f64 = 0.9;
/// A distance finds most of what a larger one finds when it finds this share of its right pairs.
const MOST: f64 = 0.95;

/// A distance and what came out.
struct HammingStep {
    /// In bits.
    distance: u64,
    /// Totals and cost of its job.
    ran: Ran,
    /// Its pairs against the truth.
    score: Score,
}

impl HammingStep {
    /// Documents within the distance of a document, itself not counted; the mean.
    fn neighbours(&self) -> f64 {
        // Each pair makes two documents neighbours.
        2.0 * self.score.pairs as f64 / self.ran.totals.documents.max(1) as f64
    }

    /// What the last bit added.
    fn added(&self, before: Option<&HammingStep>) -> Score {
        // A larger distance finds all pairs of a smaller one, so the difference is not
        // negative unless a file was changed during the study.
        let before = before.map(|step| step.score).unwrap_or_default();
        Score {
            pairs: self.score.pairs.saturating_sub(before.pairs),
            right: self.score.right.saturating_sub(before.right),
            wrong: self.score.wrong.saturating_sub(before.wrong),
            positives: self.score.positives,
        }
    }
}

/// A study of distances that cannot be wrong by its parameters.
pub struct StudyHammingJob {
    truth: StudyTruthSpec,
    /// The same for all distances, so any setting has the same codes.
    codes: Codes,
    /// The largest distance; all from 0 on are tried.
    most: u64,
    /// The precision that the recommended distance must reach.
    target: f64,
    /// Pairs of this resemblance are right where there are no labels.
    at: Threshold,
    base: StudyBase,
    job: FindJob,
}

/// How codes are made.
struct Codes {
    /// As typed; None for the default of `find`.
    variant: Option<String>,
    /// Fields that the variant metadata may weigh.
    meta_key: Vec<String>,
}

impl Codes {
    /// The setting of a distance.
    fn setting(&self, base: &StudyBase, distance: u64) -> Result<Setting> {
        let mut setting = Setting::simhash(base)?;
        let method = &mut setting.spec.method;
        method.method = Some(MethodChoice::Simhash);
        method.no_verify = Some(true);
        method.distance = Some(Within(distance));
        method.variant = self.variant.clone().or(method.variant.take());
        setting.spec.metadata.meta_key = Some(self.meta_key.clone());
        Ok(setting)
    }
}

impl StudyHammingSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<StudyHammingJob> {
        self.truth.check()?;
        let base = StudyBase::new(self.study);
        let at = usual_threshold(&base, self.threshold)?;
        let most = self.max_distance.map_or(MAX_DISTANCE, |given| given.0);
        let codes = Codes {
            variant: self.variant,
            meta_key: self.meta_key.unwrap_or_default(),
        };
        // Refused before the first job, which would refuse it as well.
        let features = codes.setting(&base, most)?.job(&base)?.config.features;
        if !makes_codes(features) {
            let message =
                format!("{features}: weights are for terms, words:N and words:N+M");
            return Err(Error::config("features", message));
        }
        let job = base.job(exact_spec(&base)?)?;
        Ok(StudyHammingJob {
            truth: self.truth,
            codes,
            most,
            target: self.precision.map_or(PRECISION, |given| given.0),
            at,
            base,
            job,
        })
    }
}

impl StudyHammingJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&StudyHammingSpec {
            truth: self.truth.clone(),
            study: self.base.completed(&self.job),
            max_distance: Some(Within(self.most)),
            precision: Some(StudyPrecision(self.target)),
            threshold: Some(StudyThreshold(self.at)),
            variant: self.codes.variant.clone(),
            meta_key: Some(self.codes.meta_key.clone()),
        })
    }

    /// What the summary records: also the method, which follows.
    fn recorded(&self) -> Map<String, Value> {
        let mut options = self.options();
        options.insert("method".to_owned(), json!("simhash"));
        options.insert("no-verify".to_owned(), json!(true));
        options
    }

    /// Runs the study and writes its result.
    pub fn run(self, exec: &Exec<'_>) -> Result<StudyGridOutcome> {
        let stages = exec.stages();
        self.base.check_output(&self.job)?;
        self.truth.read()?;
        // Distances differ in no file that is read, so one setting answers for all.
        // Of all distances the same.
        let setting = self.codes.setting(&self.base, self.most)?;
        let files = StudyFiles {
            study: "hamming",
            truth: self.truth.files(),
            contents: setting.contents(&self.base, "codes")?,
        };
        let identity = identity::<StudyHammingSpec>(&self.job, &self.options(), files)?;
        in_work(
            &self.base,
            &self.job,
            identity,
            StudyCheckpoint::Settings,
            exec,
            |work| self.run_in(work, &stages, exec),
        )
    }

    /// One job per distance, from 0 up. Codes are made anew in each, which costs reading the
    /// input again but measures each distance as a user would run it.
    fn run_in(
        &self,
        work: &WorkDir,
        stages: &Stages<'_>,
        exec: &Exec<'_>,
    ) -> Result<StudyGridOutcome> {
        let (base, job) = (&self.base, &self.job);
        // 0 is a distance, too.
        let many = usize::try_from(self.most)? + 1;
        let finished = Finished::new(work, base, job, many, stages)?;
        let mut known = KnownPairs::begin(&self.truth, base, self.at, &finished, stages)?;
        let mut steps: Vec<HammingStep> = Vec::new();
        for (number, distance) in (0..=self.most).enumerate() {
            let setting = self.codes.setting(base, distance)?;
            let ((ran, score), labels) = finished.setting(number, || {
                stages.note(&format!("distance {distance} of {}", self.most));
                let ran = run_setting(base, &setting, stages, |result| {
                    known.meet(&self.truth, base, result, stages)?;
                    known.score_all(result)
                })?;
                Ok((ran, known.labels()))
            })?;
            known.set_labels(labels);
            steps.push(HammingStep {
                distance,
                ran,
                score,
            });
        }
        let totals = steps.first().map(|step| step.ran.totals);
        let totals = totals.unwrap_or_default();
        let advice = exec.render(&recommendation(&steps, self.target));
        let found = StudyGridFindings {
            study: "hamming",
            title: "Bits in which two simhashes may differ",
            options: self.recorded(),
            documents: totals.documents,
            bad_records: totals.bad_records,
            truth: Some(known.shown()),
            rows: rows(&steps),
            findings: vec![known.finding(), advice],
            table: table(&steps),
            costs: Some(cost_table(&steps)),
            charts: charts(&steps),
        };
        end(base, job, stages, found)
    }
}

/// Each distance with the one before it.
fn with_before(
    steps: &[HammingStep],
) -> impl Iterator<Item = (&HammingStep, Option<&HammingStep>)> {
    let before = std::iter::once(None).chain(steps.iter().map(Some));
    steps.iter().zip(before)
}

/// The table as CSV.
fn rows(steps: &[HammingStep]) -> Vec<StudyRow> {
    let row = |(step, before): (&HammingStep, Option<&HammingStep>)| {
        let added = step.added(before);
        StudyRow::default()
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

/// The table of the page. "Added" is what the last bit brought: there precision falls first,
/// long before it falls over all pairs.
fn table(steps: &[HammingStep]) -> PageTable {
    let row = |(step, before): (&HammingStep, Option<&HammingStep>)| {
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

/// Seconds and memory per distance.
fn cost_table(steps: &[HammingStep]) -> PageTable {
    let rows = steps
        .iter()
        .map(|step| (step.distance.to_string(), &step.ran.cost));
    StudyCost::table("What each distance costs", "distance", rows)
}

/// Quality, neighbours, candidates and seconds, each over the distance.
fn charts(steps: &[HammingStep]) -> Vec<LineChart> {
    let line = |name: &str, value: &dyn Fn(&HammingStep) -> Option<f64>| Line {
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
    let candidates = |step: &HammingStep| Some(step.ran.ledger.candidates as f64);
    let seconds = |step: &HammingStep| Some(step.ran.cost.compare_seconds);
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
fn worth(steps: &[HammingStep], target: f64) -> Option<(&HammingStep, &HammingStep)> {
    // Precision need not fall evenly, so the largest precise distance is looked for from the
    // end.
    let precise =
        |step: &&HammingStep| step.score.precision().is_some_and(|one| one >= target);
    let largest = steps.iter().rfind(precise)?;
    // Right pairs only: wrong ones do not speak for a distance.
    let enough = MOST * largest.score.right as f64;
    let mut precise = steps.iter().filter(precise);
    let smallest = precise.find(|step| step.score.right as f64 >= enough)?;
    Some((smallest, largest))
}

/// What to take, with the reason. Three answers: no distance is precise enough, the largest
/// precise one, or a smaller one with most of its right pairs.
fn recommendation(steps: &[HammingStep], target: f64) -> String {
    let scores = |score: &Score| {
        let (precision, recall) = (share(score.precision()), share(score.recall()));
        format!("precision {precision}, recall {recall}")
    };
    match worth(steps, target) {
        None => format!(
            "Recommended: `method simhash` without `no-verify`, since codes alone keep a precision \
             of {target} at no distance."
        ),
        Some((smallest, largest)) if smallest.distance == largest.distance => {
            let is_last =
                steps.last().map(|step| step.distance) == Some(largest.distance);
            let larger = if is_last {
                "a larger one was not tried and may be better".to_owned()
            } else {
                format!("a larger one is less precise than {target}")
            };
            format!(
                "Recommended: `method simhash` `no-verify` `distance {}` ({}): {larger}, a smaller \
                 one loses more than {:.0} % of the right pairs.",
                smallest.distance,
                scores(&smallest.score),
                100.0 * (1.0 - MOST),
            )
        }
        Some((smallest, largest)) => format!(
            "Recommended: `method simhash` `no-verify` `distance {}` ({}), which has {:.1} % of the \
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
    fn steps(pairs: &[(u64, u64)]) -> Vec<HammingStep> {
        let step = |(distance, &(right, wrong)): (u64, &(u64, u64))| HammingStep {
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
        assert!(advice.contains("without `no-verify`"), "{advice}");
    }
}
