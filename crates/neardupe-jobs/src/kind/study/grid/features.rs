//! `study features`: what of a text is compared, and how well that finds duplicates.
//!
//! With labels the kind with the best F1 is recommended. Without, a kind is only recommended if
//! it agrees with the exact join and has at most half of its features: cost is known without
//! labels, quality is not.

use super::super::super::find::{FindJob, all_options};
use super::super::base::{StudyBase, StudySpec};
use super::super::cells::{count, head, share};
use super::super::value::StudyThreshold;
use super::super::work::{StudyCheckpoint, StudyFiles, identity, in_work};
use super::cost::StudyCost;
use super::ending::{StudyGridFindings, StudyGridOutcome, end};
use super::finished::Finished;
use super::known::{KnownPairs, Score, StudyTruthSpec};
use super::rows::StudyRow;
use super::setting::{Ran, Setting, exact_spec, run as run_setting, usual_threshold};
use super::steps::{Steps, at_edge, best_score};
use crate::exec::{Exec, Stages};
use crate::param::CommaList;
use crate::report::{Line, LineChart, PageTable};
use neardupe_core::document::Progress;
use neardupe_core::error::Result;
use neardupe_core::feature::FeatureKind;
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::Threshold;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

crate::params! {
    /// Which features find duplicates best.
    pub struct StudyFeaturesSpec {
        [ truth: StudyTruthSpec, study: StudySpec ]
        /// Kinds of features, with commas [default: words:1 to words:5, words:8, words:10, chars:10, chars:20,
        /// chars:64, terms, lines:2, spotsigs]
        kinds: CommaList<FeatureKind> => value("LIST");
        /// Thresholds, with commas: the best one of each kind is shown [default: 0.3,0.4 ... 0.9 with labels,
        /// else 0.5,0.6 ... 0.9, since many pairs are similar a little]
        thresholds: CommaList<StudyThreshold> => value("LIST");
        /// Without labels: threshold of the exact join that is the truth [default: 0.8]
        threshold: StudyThreshold => value("T").short('t');
    }
}

/// One of each family, close together for short shingles, where a step makes the most
/// difference.
const KINDS: &str = "words:1,words:2,words:3,words:4,words:5,words:8,words:10,chars:10,chars:20,\
                     chars:64,terms,lines:2,spotsigs";
/// Labels may say that documents are duplicates that share little, hence lower thresholds.
const WITH_LABELS: &str = "0.3,0.4,0.5,0.6,0.7,0.8,0.9";
const WITHOUT: &str = "0.5,0.6,0.7,0.8,0.9";
/// Without labels, a kind with fewer features is worth it when it agrees so well with the truth.
const GOOD_ENOUGH: f64 = 0.95;
/// And if it has at most this share of the features: shorter shingles have a few fewer, but each is in
/// more documents, which costs more than it saves.
const FEW: f64 = 0.5;

/// What came out for a kind of features.
struct StudiedKind {
    /// As it is typed.
    name: String,
    /// Totals and cost of the job at the lowest threshold.
    ran: Ran,
    /// One per threshold, in the order of `Steps`.
    scores: Vec<Score>,
    /// Place of the best F1 in `scores`.
    best: usize,
}

impl StudiedKind {
    /// The score at that threshold.
    fn best(&self) -> &Score {
        &self.scores[self.best]
    }

    /// Its F1, 0 where it has none, for ranking.
    fn f1(&self) -> f64 {
        self.best().f1().unwrap_or(0.0)
    }
}

/// A study of features that cannot be wrong by its parameters.
pub struct StudyFeaturesJob {
    truth: StudyTruthSpec,
    /// Without repetition; the usual kind is among them.
    kinds: Vec<FeatureKind>,
    steps: Steps,
    /// The threshold of the exact join that is the truth without labels.
    at: Threshold,
    base: StudyBase,
    job: FindJob,
}

impl StudyFeaturesSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<StudyFeaturesJob> {
        self.truth.check()?;
        let is_labelled = self.truth.is_given();
        let usual = if is_labelled { WITH_LABELS } else { WITHOUT };
        let mut steps = Steps::new(self.thresholds.as_ref(), usual)?;
        let base = StudyBase::new(self.study);
        let at = usual_threshold(&base, self.threshold)?;
        let job = base.job(exact_spec(&base)?)?;
        if !is_labelled {
            // The truth itself is one of the points, so that a kind which agrees fully is
            // seen to.
            steps = steps.with(at);
        }
        Ok(StudyFeaturesJob {
            truth: self.truth,
            kinds: kinds(self.kinds, job.config.features)?,
            steps,
            at,
            base,
            job,
        })
    }
}

impl StudyFeaturesJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        let is_labelled = self.truth.is_given();
        all_options(&StudyFeaturesSpec {
            truth: self.truth.clone(),
            study: self.base.completed(&self.job),
            kinds: Some(CommaList(self.kinds.clone())),
            thresholds: Some(self.steps.listed()),
            threshold: (!is_labelled).then_some(StudyThreshold(self.at)),
        })
    }

    /// Runs the study and writes its result.
    pub fn run(self, exec: &Exec<'_>) -> Result<StudyGridOutcome> {
        let stages = exec.stages();
        self.base.check_output(&self.job)?;
        self.truth.read()?;
        // Files that a kind reads are part of the identity: another list of stop words makes
        // another study.
        let mut contents = BTreeMap::new();
        for &features in &self.kinds {
            let setting = Setting::exact(&self.base)?.with_features(features);
            contents.extend(setting.contents(&self.base, &features.to_string())?);
        }
        let files = StudyFiles {
            study: "features",
            truth: self.truth.files(),
            contents,
        };
        let identity = identity::<StudyFeaturesSpec>(&self.job, &self.options(), files)?;
        in_work(
            &self.base,
            &self.job,
            identity,
            StudyCheckpoint::Settings,
            exec,
            |work| self.run_in(work, &stages, exec),
        )
    }

    /// One job per kind, each counted at all thresholds by itself.
    fn run_in(
        &self,
        work: &WorkDir,
        stages: &Stages<'_>,
        exec: &Exec<'_>,
    ) -> Result<StudyGridOutcome> {
        let (base, job, steps) = (&self.base, &self.job, &self.steps);
        let finished = Finished::new(work, base, job, self.kinds.len(), stages)?;
        let mut known = KnownPairs::begin(&self.truth, base, self.at, &finished, stages)?;
        let mut kinds: Vec<StudiedKind> = Vec::new();
        for (number, &features) in self.kinds.iter().enumerate() {
            let mut setting = Setting::exact(base)?.with_features(features);
            // One job serves all thresholds: its pairs have their similarities.
            setting.spec.similarity.threshold = Some(steps.lowest());
            let many = self.kinds.len();
            let message = format!("{} of {many}: `features {features}`", number + 1);
            let ((ran, scores), labels) = finished.setting(number, || {
                stages.note(&exec.render(&message));
                let ran = run_setting(base, &setting, stages, |result| {
                    known.meet(&self.truth, base, result, stages)?;
                    steps.scores(result, &known)
                })?;
                Ok((ran, known.labels()))
            })?;
            // With an interrupted study the labels come from the work directory, since the
            // documents are not read again.
            known.set_labels(labels);
            kinds.push(StudiedKind {
                name: features.to_string(),
                best: best_score(scores.iter()).unwrap_or(0),
                ran,
                scores,
            });
        }
        let totals = kinds.first().map(|kind| kind.ran.totals);
        let totals = totals.unwrap_or_default();
        let advice = if self.truth.is_given() {
            by_labels(&kinds, steps)
        } else {
            let usual = job.config.features.to_string();
            by_agreement(&kinds, steps, &usual, self.at)
        };
        let advice = advice.map(|text| exec.render(&text));
        let found = StudyGridFindings {
            study: "features",
            title: "What of a text is compared",
            options: self.options(),
            documents: totals.documents,
            bad_records: totals.bad_records,
            truth: Some(known.shown()),
            rows: rows(&kinds, steps),
            findings: [known.finding()].into_iter().chain(advice).collect(),
            table: table(&kinds, steps),
            costs: Some(cost_table(&kinds)),
            charts: charts(&kinds, steps),
        };
        end(base, job, stages, found)
    }
}

/// The kinds that are compared; those that are the truth are among them.
fn kinds(
    given: Option<CommaList<FeatureKind>>,
    usual: FeatureKind,
) -> Result<Vec<FeatureKind>> {
    let listed = match given {
        Some(given) => given.0,
        None => KINDS.split(',').map(str::parse).collect::<Result<_>>()?,
    };
    let mut kinds: Vec<FeatureKind> = Vec::new();
    for kind in listed.into_iter().chain([usual]) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(kinds)
}

/// A row for each kind and threshold.
fn rows(kinds: &[StudiedKind], steps: &Steps) -> Vec<StudyRow> {
    let of_kind = |kind: &StudiedKind| -> Vec<StudyRow> {
        let scores = kind.scores.iter().zip(&steps.all).enumerate();
        let row = |(at, (score, threshold)): (usize, (&Score, &Threshold))| {
            StudyRow::default()
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
fn table(kinds: &[StudiedKind], steps: &Steps) -> PageTable {
    let row = |kind: &StudiedKind| {
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

/// Features of a document, the mean, with one decimal; empty without documents.
fn per_document(ran: &Ran) -> String {
    let mean = ran.features_per_document();
    mean.map(|mean| format!("{mean:.1}")).unwrap_or_default()
}

/// What each job took.
fn cost_table(kinds: &[StudiedKind]) -> PageTable {
    let row = |kind: &StudiedKind| {
        let ran = &kind.ran;
        let mut row = vec![kind.name.clone(), count(ran.ledger.verified)];
        row.extend(ran.cost.texts());
        row
    };
    PageTable {
        title: "What it costs at the lowest threshold".to_owned(),
        head: ["features", "pairs verified"]
            .into_iter()
            .chain(StudyCost::HEAD)
            .map(str::to_owned)
            .collect(),
        rows: kinds.iter().map(row).collect(),
    }
}

fn charts(kinds: &[StudiedKind], steps: &Steps) -> Vec<LineChart> {
    let mut charts = Vec::new();
    // Only kinds that differ by a length can be on one axis.
    for (prefix, what) in [("words:", "words"), ("chars:", "characters")] {
        let mut of_kind: Vec<(f64, &StudiedKind)> = kinds
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
    // More lines than that look alike.
    let mut best: Vec<&StudiedKind> = kinds.iter().collect();
    best.sort_by(|one, other| other.f1().total_cmp(&one.f1()));
    let line = |kind: &&StudiedKind| Line {
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
fn by_labels(kinds: &[StudiedKind], steps: &Steps) -> Option<String> {
    let best = &kinds[best_score(kinds.iter().map(StudiedKind::best))?];
    let score = best.best();
    let edge = at_edge(best.best, steps.all.len(), "threshold");
    Some(format!(
        "Recommended: `features {}` `threshold {}`, the best F1 of these ({}; precision {}, \
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
    kinds: &[StudiedKind],
    steps: &Steps,
    usual: &str,
    at: Threshold,
) -> Option<String> {
    let size = |kind: &StudiedKind| kind.ran.features_per_document().unwrap_or(f64::MAX);
    let usual = kinds.iter().find(|kind| kind.name == usual)?;
    let agrees = |kind: &&StudiedKind| kind.f1() >= GOOD_ENOUGH;
    let fewest = kinds.iter().filter(agrees);
    // Of equally few the first in the list.
    let fewest = fewest.min_by(|one, other| size(one).total_cmp(&size(other)));
    let saves = |kind: &&StudiedKind| size(kind) <= FEW * size(usual);
    Some(match fewest.filter(saves) {
        Some(kind) => format!(
            "Recommended: `features {}` `threshold {}`, which agrees with {} at {at} (F1 {}) \
             with {:.0} % of its features.",
            kind.name,
            steps.all[kind.best],
            usual.name,
            share(Some(kind.f1())),
            100.0 * size(kind) / size(usual),
        ),
        None => format!(
            "Recommended: `features {}` `threshold {at}`, since no kind with half of its \
             features agrees with it (F1 of {GOOD_ENOUGH} or more); labels (`truth`) would decide \
             which is right.",
            usual.name,
        ),
    })
}
