//! `study signatures`: every method on a collection.
//!
//! Methods are compared by what they lose and what they cost. The exact join is recommended
//! unless another one is about as good and clearly cheaper, since an exact answer needs no
//! explanation.

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
use super::setting::{
    Ran, Setting, exact_spec, makes_codes, run as run_setting, usual_threshold,
};
use super::steps::best_score;
use crate::exec::{Exec, Stages};
use crate::report::{Line, LineChart, PageTable};
use neardupe_core::document::Progress;
use neardupe_core::error::Result;
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::Threshold;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

crate::params! {
    /// What each method finds, misses and takes.
    pub struct StudySignaturesSpec {
        [ truth: StudyTruthSpec, study: StudySpec ]
        /// Smallest similarity that counts [default: 0.8]
        threshold: StudyThreshold => value("T").short('t');
        /// One more setting: flags of `find`, as "--method minhash --bands 20x5"; several can be given
        also: Vec<String> => value("FLAGS").hyphens();
        /// Only the exact join and settings with this text in their flags, as minhash; several can be given
        only: Vec<String> => value("TEXT").hyphens();
    }
}

/// How much worse than the best one a setting may be that is recommended for its cost, in F1.
const MAY_LOSE: f64 = 0.05;
/// What must be saved, in seconds of the processor and as a share: below that, times say nothing.
const WORTH_SECONDS: f64 = 1.0;
/// At most this share of the time of the exact join.
const WORTH_SHARE: f64 = 0.5;

/// A setting and what came out.
struct Method {
    /// For figures.
    name: String,
    /// As typed, without input and threshold.
    flags: String,
    /// Totals and cost of its job.
    ran: Ran,
    /// Its pairs against the truth.
    score: Score,
}

impl Method {
    /// Its F1, 0 where it has none, for ranking.
    fn f1(&self) -> f64 {
        self.score.f1().unwrap_or(0.0)
    }

    /// Time of the processor, or else by the clock.
    fn time(&self) -> f64 {
        // Time of the processor hardly depends on what else the machine does; not every
        // system has it.
        self.ran.cost.cpu_seconds.unwrap_or(self.ran.cost.seconds)
    }
}

/// Settings that are always measured: a name, and flags. `features` are those of the exact join, by
/// which codes near each other are verified.
fn usual(features: &str) -> Vec<(String, String)> {
    let verified = format!("--method simhash --features {features}");
    let wide = format!("{verified} --distance 10");
    [
        ("exact", "--method exact"),
        ("minhash", "--method minhash"),
        ("recall 0.9", "--method minhash --recall 0.9"),
        ("fineweb", "--method minhash --bands fineweb"),
        ("supershingles", "--method minhash --bands supershingles"),
        ("simhash", &verified),
        ("distance 10", &wide),
        ("codes alone", "--method simhash --no-verify"),
        ("imatch", "--method imatch"),
        ("keys alone", "--method imatch --no-verify"),
        ("mod:4", "--sample mod:4"),
        ("mod:16", "--sample mod:16"),
    ]
    .map(|(name, flags)| (name.to_owned(), flags.to_owned()))
    .to_vec()
}

/// Whether a setting is run: the first one always is.
pub(super) fn is_chosen(flags: &str, first: &str, only: &[String]) -> bool {
    only.is_empty() || flags == first || only.iter().any(|text| flags.contains(text))
}

/// A study of methods that cannot be wrong by its parameters.
pub struct StudySignaturesJob {
    truth: StudyTruthSpec,
    /// The threshold of all settings, and of the exact join that is the truth without labels.
    at: Threshold,
    /// As typed, for the options of the summary; `settings` is made of it and of `only`.
    also: Vec<String>,
    only: Vec<String>,
    /// A name and flags of each.
    settings: Vec<(String, String)>,
    base: StudyBase,
    job: FindJob,
}

impl StudySignaturesSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<StudySignaturesJob> {
        self.truth.check()?;
        let base = StudyBase::new(self.study);
        let at = usual_threshold(&base, self.threshold)?;
        let job = base.job(exact_spec(&base)?)?;
        let also = self.also.unwrap_or_default();
        let only = self.only.unwrap_or_default();
        let mut settings = usual(&job.config.features.to_string());
        settings.retain(|(_, flags)| is_chosen(flags, "--method exact", &only));
        // Features without weights have no codes. That is a note and no error: the other
        // methods are worth the study.
        if !makes_codes(job.config.features) {
            settings.retain(|(_, flags)| !flags.contains("simhash"));
        }
        // Typed settings have numbers as names in figures: flags are too long for a legend.
        let more = (1..).zip(&also);
        settings.extend(
            more.map(|(number, flags)| (format!("also {number}"), flags.clone())),
        );
        // All of them, before hours of work.
        for (_, flags) in &settings {
            Setting::of_flags(&base, flags)?.from(at).job(&base)?;
        }
        Ok(StudySignaturesJob {
            truth: self.truth,
            at,
            also,
            only,
            settings,
            base,
            job,
        })
    }
}

impl StudySignaturesJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&StudySignaturesSpec {
            truth: self.truth.clone(),
            study: self.base.completed(&self.job),
            threshold: Some(StudyThreshold(self.at)),
            also: Some(self.also.clone()),
            only: Some(self.only.clone()),
        })
    }

    /// Runs the study and writes its result.
    pub fn run(self, exec: &Exec<'_>) -> Result<StudyGridOutcome> {
        let stages = exec.stages();
        self.base.check_output(&self.job)?;
        self.truth.read()?;
        let mut contents = BTreeMap::new();
        // Settings may read files, such as a table of frequencies; changed ones make another
        // study.
        for (_, flags) in &self.settings {
            let setting = Setting::of_flags(&self.base, flags)?.from(self.at);
            contents.extend(setting.contents(&self.base, flags)?);
        }
        let files = StudyFiles {
            study: "signatures",
            truth: self.truth.files(),
            contents,
        };
        let identity =
            identity::<StudySignaturesSpec>(&self.job, &self.options(), files)?;
        in_work(
            &self.base,
            &self.job,
            identity,
            StudyCheckpoint::Settings,
            exec,
            |work| self.run_in(work, &stages),
        )
    }

    /// Runs the settings that are not finished, one job each. Each is stored when it is
    /// finished, so an interruption loses one at most.
    fn run_in(&self, work: &WorkDir, stages: &Stages<'_>) -> Result<StudyGridOutcome> {
        let (base, job) = (&self.base, &self.job);
        let finished = Finished::new(work, base, job, self.settings.len(), stages)?;
        // Here and not in `validate`, since a note needs somewhere to go.
        if !makes_codes(job.config.features) {
            stages.note("simhash is left out: its weights are for words:N and terms");
        }
        let mut known = KnownPairs::begin(&self.truth, base, self.at, &finished, stages)?;
        let mut methods = Vec::new();
        for (number, (name, flags)) in self.settings.iter().enumerate() {
            let setting = Setting::of_flags(base, flags)?.from(self.at);
            let ((ran, score), labels) = finished.setting(number, || {
                let many = self.settings.len();
                stages.note(&format!("{} of {many}: {flags}", number + 1));
                let ran = run_setting(base, &setting, stages, |result| {
                    known.meet(&self.truth, base, result, stages)?;
                    known.score_all(result)
                })?;
                Ok((ran, known.labels()))
            })?;
            // Of a setting that was finished before an interruption the labels are those that
            // were stored.
            known.set_labels(labels);
            methods.push(Method {
                name: name.clone(),
                flags: flags.clone(),
                ran,
                score,
            });
        }
        let totals = methods.first().map(|method| method.ran.totals);
        let totals = totals.unwrap_or_default();
        let advice = recommendation(&methods);
        let found = StudyGridFindings {
            study: "signatures",
            title: "Methods on this collection",
            options: self.options(),
            documents: totals.documents,
            bad_records: totals.bad_records,
            truth: Some(known.shown()),
            rows: methods.iter().map(row).collect(),
            findings: [known.finding()].into_iter().chain(advice).collect(),
            table: table(&methods),
            costs: Some(cost_table(&methods)),
            charts: vec![
                chart(&methods, "recall", Score::recall),
                chart(&methods, "precision", Score::precision),
            ],
        };
        end(base, job, stages, found)
    }
}

/// The table as CSV: one row per setting, unrounded.
fn row(method: &Method) -> StudyRow {
    StudyRow::default()
        .with("setting", method.flags.clone())
        .with("features", method.ran.features.clone())
        .with_score(&method.score)
        .with("bytes_per_document", method.ran.bytes_per_document())
        .with("candidates", method.ran.ledger.candidates)
        .with_cost(&method.ran.cost)
}

/// The table of the page: what each setting finds and how much it keeps per document.
fn table(methods: &[Method]) -> PageTable {
    let row = |method: &Method| {
        let (score, bytes) = (&method.score, method.ran.bytes_per_document());
        vec![
            method.flags.clone(),
            count(score.pairs),
            share(score.precision()),
            share(score.recall()),
            share(score.f1()),
            bytes.map(|bytes| format!("{bytes:.0}")).unwrap_or_default(),
            count(method.ran.ledger.candidates),
        ]
    };
    PageTable {
        title: "How good each method is".to_owned(),
        head: head([
            "setting",
            "pairs",
            "precision",
            "recall",
            "F1",
            "bytes a document",
            "candidates",
        ]),
        rows: methods.iter().map(row).collect(),
    }
}

/// Time and memory of each setting.
fn cost_table(methods: &[Method]) -> PageTable {
    let rows = methods
        .iter()
        .map(|method| (method.flags.clone(), &method.ran.cost));
    StudyCost::table("What each costs", "setting", rows)
}

/// A point for each method: how good against what it takes.
fn chart(methods: &[Method], what: &str, value: fn(&Score) -> Option<f64>) -> LineChart {
    // One axis for all: each method is a line of one point, at the place of its time.
    let mut order: Vec<&Method> = methods.iter().collect();
    order.sort_by(|one, other| one.time().total_cmp(&other.time()));
    let line = |method: &Method| Line {
        name: method.name.clone(),
        y: order
            .iter()
            .map(|other| {
                if std::ptr::eq(*other, method) {
                    value(&method.score)
                } else {
                    None
                }
            })
            .collect(),
    };
    LineChart {
        name: format!("{what}-by-time"),
        title: format!("The {what} of each method against its time"),
        x_label: "seconds of the processor".to_owned(),
        y_label: what.to_owned(),
        x: order.iter().map(|method| method.time()).collect(),
        lines: methods.iter().map(line).collect(),
        is_share: true,
        ..LineChart::default()
    }
}

/// The exact join if it is as good as the others, unless one that is about as good takes clearly less
/// time.
fn recommendation(methods: &[Method]) -> Option<String> {
    // Without a score, as without any pair in the truth, nothing is recommended.
    let best = &methods[best_score(methods.iter().map(|method| &method.score))?];
    let least = best.f1() - MAY_LOSE;
    let good = || methods.iter().filter(|method| method.f1() >= least);
    // The first one is the exact join, where that is good.
    let usual = good().next()?;
    // Both limits must hold: half of a short time is chance, and a second of an hour is not
    // worth another method.
    let saves = |method: &&Method| {
        method.time() <= WORTH_SHARE * usual.time()
            && usual.time() - method.time() >= WORTH_SECONDS
    };
    let cheaper = good().filter(saves);
    let cheapest = cheaper.min_by(|one, other| one.time().total_cmp(&other.time()));
    let scores = |method: &Method| {
        let (precision, recall) = (method.score.precision(), method.score.recall());
        format!("precision {}, recall {}", share(precision), share(recall))
    };
    Some(match cheapest {
        Some(method) => format!(
            "Recommended: {}, which takes less than half of the time of {} ({}).",
            method.flags,
            usual.flags,
            scores(method),
        ),
        None => format!(
            "Recommended: {} ({}), since nothing that is about as good (F1 of {} or more) saves \
             half of its time here.",
            usual.flags,
            scores(usual),
            share(Some(least)),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(flags: &str, right: u64, wrong: u64, seconds: f64) -> Method {
        let cost = StudyCost {
            cpu_seconds: Some(seconds),
            ..StudyCost::default()
        };
        Method {
            name: flags.to_owned(),
            flags: flags.to_owned(),
            ran: Ran {
                cost,
                ..Ran::default()
            },
            score: Score {
                pairs: right + wrong,
                right,
                wrong,
                positives: 100,
            },
        }
    }

    #[test]
    fn a_method_is_recommended_for_time_only_if_it_saves_much_and_loses_little() {
        let advice = |cheap: Method| {
            let methods = [method("--method exact", 100, 0, 10.0), cheap];
            recommendation(&methods).unwrap()
        };
        let good = advice(method("--method minhash", 98, 0, 4.0));
        assert!(good.starts_with("Recommended: --method minhash,"), "{good}");
        for other in [
            method("slow", 98, 0, 6.0),
            method("misses much", 80, 0, 1.0),
            method("wrong", 100, 50, 1.0),
        ] {
            let advice = advice(other);
            assert!(advice.contains("--method exact (precision"), "{advice}");
        }
        // Labels may say that the exact join is not the best.
        let methods = [
            method("--method exact", 60, 40, 1.0),
            method("--sample mod:4", 90, 0, 1.0),
        ];
        let advice = recommendation(&methods).unwrap();
        assert!(
            advice.starts_with("Recommended: --sample mod:4"),
            "{advice}"
        );
    }
}
