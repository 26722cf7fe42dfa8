//! A study that was stopped and goes on: nothing that is done is done again, and what comes out is what a
//! straight one says, but for the times that were measured.

use neardupe_core::document::{Progress, Silent};
use neardupe_core::error::{Error, Result};
use neardupe_jobs::exec::Exec;
use neardupe_jobs::kind::study::{
    StudyAdaptiveJob, StudyAdaptiveSpec, StudyFeaturesJob, StudyFeaturesSpec,
    StudyHammingJob, StudyHammingSpec, StudyOutcome, StudyPassagesJob, StudyPassagesSpec,
    StudySamplingJob, StudySamplingSpec, StudySignaturesJob, StudySignaturesSpec,
    StudyThresholdJob, StudyThresholdSpec,
};
use neardupe_jobs::param::Params;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops a study when it says something, or when a stage begins; notes what is said.
struct StopAt {
    moment: &'static str,
    is_stopped: AtomicBool,
    told: Mutex<Vec<String>>,
}

impl StopAt {
    fn new(moment: &'static str) -> Self {
        StopAt {
            moment,
            is_stopped: AtomicBool::new(false),
            told: Mutex::default(),
        }
    }

    fn meet(&self, what: &str) {
        if !self.moment.is_empty() && what.starts_with(self.moment) {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
    }

    fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }
}

impl Progress for StopAt {
    fn begin(&self, stage: &'static str, _total: u64) {
        self.meet(&format!("stage {stage}"));
    }

    fn advance(&self, _amount: u64) {}

    fn note(&self, message: &str) {
        self.told.lock().unwrap().push(message.to_owned());
        self.meet(message);
    }

    fn is_cancelled(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// A folder with documents that have duplicates, groups and passages in common.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        let text = |number: u32| {
            let word = |place: u32| {
                if place % 13 == number % 7 {
                    format!("v{}", number * 31 + place)
                } else {
                    format!("w{}", number / 4 * 100 + place)
                }
            };
            let words: Vec<String> = (0..60).map(word).collect();
            words.join(" ") + "."
        };
        let lines = (0..40u32).map(|number| {
            let (id, page) = (format!("d{number}"), number / 4);
            format!(
                "{}\n",
                json!({"id": id, "page": page, "text": text(number)})
            )
        });
        std::fs::write(place.path("docs.jsonl"), lines.collect::<String>()).unwrap();
        let pairs = (0..10).map(|page| format!("d{}\td{}\n", page * 4, page * 4 + 1));
        let pairs = "left\tright\n".to_owned() + &pairs.collect::<String>();
        std::fs::write(place.path("pairs.tsv"), pairs).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The study of these options on the documents.
    fn spec<P: Params>(&self, own: &Value) -> P {
        let mut options = own.as_object().unwrap().clone();
        options.insert("inputs".to_owned(), json!([self.path("docs.jsonl")]));
        options.insert("output".to_owned(), json!(self.path("out")));
        // A limit of the memory would be another one on another day.
        options.insert("memory".to_owned(), json!("256M"));
        if options.contains_key("truth") {
            options.insert("truth".to_owned(), json!(self.path("pairs.tsv")));
        }
        P::from_map(&options, "study").unwrap()
    }

    /// Nothing but the documents and this.
    fn assert_holds(&self, names: &[&str]) {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let names_of = entries.map(|entry| entry.unwrap().file_name());
        let mut held: Vec<String> =
            names_of.map(|name| name.into_string().unwrap()).collect();
        held.retain(|name| name != "docs.jsonl" && name != "pairs.tsv");
        held.sort();
        assert_eq!(held, names);
    }
}

/// Measured times and memory are those of one run.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|name, _| {
                !name.ends_with("seconds") && name != "peak_memory_bytes"
            });
            map.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

fn seen<F: Serialize>(outcome: &StudyOutcome<F>) -> Value {
    let mut summary = outcome.summary.to_value().unwrap();
    without_times(&mut summary);
    let mut figures: Vec<PathBuf> = std::fs::read_dir(outcome.output.join("figures"))
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    figures.sort();
    json!({
        "summary": summary,
        "shown": format!("{:?}", outcome.tables),
        "warnings": outcome.warnings,
        "bad": outcome.bad_records,
        "figures": figures,
    })
}

/// A study as its front would run it.
trait Study {
    type Spec: Params;
    type Figures: Serialize;
    fn run(spec: Self::Spec, exec: &Exec<'_>) -> Result<StudyOutcome<Self::Figures>>;
}

macro_rules! study {
    ($spec:ty, $job:ty, $figures:ident) => {
        impl Study for $job {
            type Spec = $spec;
            type Figures = neardupe_jobs::kind::study::$figures;
            fn run(spec: $spec, exec: &Exec<'_>) -> Result<StudyOutcome<Self::Figures>> {
                spec.validate()?.run(exec)
            }
        }
    };
}

study!(StudySamplingSpec, StudySamplingJob, StudySamplingFigures);
study!(StudyAdaptiveSpec, StudyAdaptiveJob, StudySamplingFigures);
study!(StudyFeaturesSpec, StudyFeaturesJob, StudyGridFigures);
study!(StudySignaturesSpec, StudySignaturesJob, StudyGridFigures);
study!(StudyHammingSpec, StudyHammingJob, StudyGridFigures);
study!(StudyThresholdSpec, StudyThresholdJob, StudyGridFigures);
study!(StudyPassagesSpec, StudyPassagesJob, StudyGridFigures);

fn resumed<'a>(progress: &'a dyn Progress) -> Exec<'a> {
    Exec {
        resume: true,
        ..Exec::new(progress)
    }
}

/// Stops a study at each of some moments, one after the other, and goes on to its end: what comes out is
/// what a straight one says. What was said by the last part of it.
fn goes_on<S: Study>(own: &Value, moments: &[&'static str]) -> Vec<String> {
    let place = Place::new();
    let straight = S::run(place.spec(own), &Exec::new(&Silent));
    let expected = seen(&straight.unwrap_or_else(|error| panic!("{own}: {error}")));
    std::fs::remove_dir_all(place.path("out")).unwrap();
    for (number, moment) in moments.iter().enumerate() {
        let progress = StopAt::new(moment);
        let exec = Exec {
            resume: number > 0,
            ..Exec::new(&progress)
        };
        let Err(error) = S::run(place.spec(own), &exec) else {
            panic!("{own}: not stopped at {moment:?}: {:?}", progress.told());
        };
        let Error::Stopped { advice } = &error else {
            panic!("{own}: {error}");
        };
        assert!(advice.starts_with("go on with: "), "{own}: {advice}");
        place.assert_holds(&[".out.work"]);
    }
    let progress = StopAt::new("");
    let outcome = S::run(place.spec(own), &resumed(&progress));
    let outcome = outcome.unwrap_or_else(|error| panic!("{own}: {error}"));
    assert_eq!(seen(&outcome), expected, "{own}");
    place.assert_holds(&["out"]);
    let told = progress.told();
    assert!(told[0].starts_with("going on with the work in"), "{told:?}");
    told
}

fn numbered(told: &[String], number: &str) -> bool {
    told.iter().any(|line| line.starts_with(number))
}

#[test]
fn finished_settings_are_not_run_again() {
    let kinds = "words:1,words:2,words:3";
    for own in [
        json!({"kinds": kinds, "thresholds": "0.3,0.6"}),
        json!({"kinds": kinds, "thresholds": "0.3,0.6", "truth": "pairs.tsv"}),
        json!({"kinds": kinds, "thresholds": "0.3,0.6", "truth-field": "page", "stem": "en"}),
    ] {
        let told = goes_on::<StudyFeaturesJob>(&own, &["2 of 4", "4 of 4"]);
        assert_eq!(told[1], "taken over from before: 3 of 4 settings");
        assert!(
            !numbered(&told, "3 of") && numbered(&told, "4 of"),
            "{told:?}"
        );
    }
    let own = json!({"features": "words:2", "only": ["minhash", "imatch"]});
    let told = goes_on::<StudySignaturesJob>(&own, &["2 of 7", "3 of 7", "7 of 7"]);
    assert_eq!(told[1], "taken over from before: 6 of 7 settings");
    for own in [
        json!({"max-distance": 3}),
        json!({"max-distance": 3, "truth": "pairs.tsv"}),
    ] {
        let told = goes_on::<StudyHammingJob>(&own, &["distance 1", "distance 3"]);
        assert_eq!(told[1], "taken over from before: 3 of 4 settings");
        assert!(!numbered(&told, "distance 2"), "{told:?}");
    }
    let own = json!({"only": ["tau", "words:2"], "also": ["--min-words 15"]});
    let told = goes_on::<StudyPassagesJob>(&own, &["2 of 7", "5 of 7"]);
    assert_eq!(told[1], "taken over from before: 4 of 7 settings");
    assert!(
        !numbered(&told, "1 of") && numbered(&told, "5 of"),
        "{told:?}"
    );
}

/// The last setting is done, and the result could not be written.
#[test]
fn a_study_of_which_only_the_result_is_missing_reads_nothing() {
    let own = json!({"kinds": "words:2,words:3", "thresholds": "0.3"});
    let told = goes_on::<StudyFeaturesJob>(&own, &["stage write"]);
    assert_eq!(told[1], "taken over from before: 3 of 3 settings");
    assert_eq!(told.len(), 2, "{told:?}");
}

/// The exact join that is the truth counts as something that was done.
#[test]
fn the_truth_is_not_made_again() {
    let own = json!({"max-distance": 1});
    let told = goes_on::<StudyHammingJob>(&own, &["distance 0"]);
    assert!(numbered(&told, "distance 0"), "{told:?}");
}

#[test]
fn what_was_read_is_not_read_again() {
    let own = json!({"features": "words:2", "checkpoint": true, "groups": "20,50"});
    goes_on::<StudySamplingJob>(&own, &["stage gather", "stage gather"]);
    goes_on::<StudyAdaptiveJob>(&own, &["stage gather"]);
    for own in [
        json!({"features": "words:2", "checkpoint": true}),
        json!({"features": "words:2", "checkpoint": true, "truth-field": "page"}),
    ] {
        goes_on::<StudyThresholdJob>(&own, &["stage gather", "stage gather"]);
    }
}

/// Stops a study at a moment.
fn stop<S: Study>(place: &Place, own: &Value, moment: &'static str) -> Error {
    let progress = StopAt::new(moment);
    let stopped = S::run(place.spec(own), &Exec::new(&progress));
    stopped
        .err()
        .unwrap_or_else(|| panic!("{own}: not stopped"))
}

#[test]
fn what_is_not_kept_is_said() {
    let place = Place::new();
    let own = json!({"features": "words:2"});
    let error = stop::<StudySamplingJob>(&place, &own, "stage gather").to_string();
    assert!(error.contains("`checkpoint` keeps what is done"), "{error}");
    place.assert_holds(&[]);
    let own = json!({"kinds": "words:2"});
    let error = stop::<StudyFeaturesJob>(&place, &own, "stage gather").to_string();
    assert!(
        error.contains("the first setting was not finished"),
        "{error}"
    );
    place.assert_holds(&[]);
    let progress = StopAt::new("");
    let outcome = StudyFeaturesJob::run_one(&place, &own, &progress);
    assert!(outcome.is_ok());
    let told = progress.told();
    assert!(
        told[0].starts_with("there is nothing to resume"),
        "{told:?}"
    );
}

trait RunOne: Study {
    fn run_one(place: &Place, own: &Value, progress: &StopAt) -> Result<()> {
        Self::run(place.spec(own), &resumed(progress)).map(drop)
    }
}

impl<S: Study> RunOne for S {}

fn change(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes.push(b'\n');
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn another_study_is_refused_by_what_differs() {
    let place = Place::new();
    let own =
        json!({"kinds": "words:2,words:3", "thresholds": "0.3", "truth": "pairs.tsv"});
    let error = stop::<StudyFeaturesJob>(&place, &own, "2 of");
    assert!(matches!(error, Error::Stopped { .. }), "{error}");
    let progress = StopAt::new("");
    let refused = |result: Result<()>| {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with("resume: "), "{error}");
        error
    };
    let mut other = own.clone();
    other["thresholds"] = json!("0.3,0.4");
    let error = refused(StudyFeaturesJob::run_one(&place, &other, &progress));
    assert!(error.contains("`thresholds`"), "{error}");
    let hamming = json!({"truth": "pairs.tsv"});
    let error = refused(StudyHammingJob::run_one(&place, &hamming, &progress));
    assert!(error.contains("the unfinished job has"), "{error}");
    change(&place.path("pairs.tsv"));
    let error = refused(StudyFeaturesJob::run_one(&place, &own, &progress));
    assert!(error.contains("pairs.tsv has changed since"), "{error}");
    // What does not change the result may be another.
    let place = Place::new();
    stop::<StudyFeaturesJob>(&place, &own, "2 of");
    let mut other = own.clone();
    other["threads"] = json!(3);
    StudyFeaturesJob::run_one(&place, &other, &progress).unwrap();
    place.assert_holds(&["out"]);
    let place = Place::new();
    stop::<StudyFeaturesJob>(&place, &own, "2 of");
    change(&place.path("docs.jsonl"));
    let error = refused(StudyFeaturesJob::run_one(&place, &own, &progress));
    assert!(error.contains("docs.jsonl has changed since"), "{error}");
}

/// A study that keeps every setting has no use for a checkpoint, and a setting neither.
#[test]
fn a_checkpoint_works_or_is_refused() {
    let refused = StudyHammingSpec::from_map(
        json!({"checkpoint": true}).as_object().unwrap(),
        "study",
    );
    let error = refused.unwrap_err().to_string();
    assert!(error.starts_with("checkpoint: "), "{error}");
    for flags in ["--checkpoint", "--method minhash --keep-work"] {
        let given = json!({"inputs": ["x"], "also": [flags]});
        let spec = StudySignaturesSpec::from_map(given.as_object().unwrap(), "study");
        let error = spec.unwrap().validate().map(drop).unwrap_err().to_string();
        assert!(error.starts_with("also: "), "{error}");
    }
}
