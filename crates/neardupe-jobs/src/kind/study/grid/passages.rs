//! `study passages`: parameters of `passages`, measured by characters.
//!
//! Each setting is one job of `passages` over the same input. Settings vary one parameter at
//! a time, since a full grid of three parameters with three values would take 27 jobs and few
//! of them differ in what they find.

use super::super::super::find::{FindJob, all_options};
use super::super::super::passages::{
    PassagesJob, PassagesSearched, PassagesSpec, passages_for,
};
use super::super::base::{StudyBase, StudySpec};
use super::super::cells::{count, head, share};
use super::super::work::{StudyCheckpoint, StudyFiles, identity, in_work, of_setting};
use super::cost::{StudyCost, StudyWatch};
use super::ending::{StudyGridFindings, StudyGridOutcome, end};
use super::finished::{Finished, bits};
use super::known::StudyTruth;
use super::rows::StudyRow;
use super::setting::exact_spec;
use super::signatures::is_chosen;
use crate::exec::{Exec, Stages};
use crate::param::{Params, from_flags};
use crate::report::{Line, LineChart, PageTable};
use crate::spec::ReadingSpec;
use crate::truth::{Between, LocateOptions, PassageTruth, locate, read_passages};
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_core::eval::passages::{PassageMeasures, measure};
use neardupe_core::store::WorkDir;
use neardupe_io::result::{ResultReader, ResultTable};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

crate::params! {
    /// What each parameter of `passages` does.
    pub struct StudyPassagesSpec {
        [ study: StudySpec ]
        /// True passages, in the formats of `eval` [default: what `passages` finds by default]
        truth: PathBuf => value("FILE").heading("Labels");
        /// Pairs of documents whose passages count neither as right nor as wrong
        ignore_pairs: PathBuf => value("FILE").heading("Labels");
        /// Count only passages between a document whose id begins with the one, and a document whose id
        /// begins with the other
        between: Between => value("PREFIX,PREFIX").heading("Labels");
        /// One more setting: flags of `passages`, as "--min-words 15 --tau 0.3"; several can be given
        also: Vec<String> => value("FLAGS").hyphens();
        /// Only the default and settings with this text in their flags, as tau; several can be given
        only: Vec<String> => value("TEXT").hyphens();
    }
}

/// How the setting without flags is called.
const DEFAULT: &str = "(default)";
/// What it means.
const DEFAULT_FLAGS: &str = "--min-words 20 --max-gap 30 --tau 0.4";
/// One value below and one above the default of each parameter, far enough apart to see a
/// difference on a small collection.
const SEEDS: [&str; 6] = [
    "--min-words 10",
    "--min-words 40",
    "--max-gap 10",
    "--max-gap 60",
    "--tau 0.2",
    "--tau 0.6",
];
/// The signatures of the search by sentences, each with all of `GAMMAS`.
const SIGNATURES: [&str; 5] = ["words:2", "words:3", "words:4", "imatch", "spotsigs"];
/// A passage has more than so many sentences.
const GAMMAS: [u32; 3] = [1, 2, 3];

/// A setting and what came out.
#[derive(Serialize, Deserialize)]
struct Tried {
    /// As typed; `DEFAULT` for the setting without flags.
    flags: String,
    /// The same for all settings; the page shows those of the first.
    documents: u64,
    bad_records: u64,
    /// Passages that the setting found, before they are compared with the true ones.
    passages: u64,
    /// Passages that are right to find, after ignored pairs and prefixes.
    true_passages: u64,
    /// True passages that are met by at least one found passage, however little.
    detected: u64,
    /// The three measures are by characters and micro-averaged, as PAN has them. None where
    /// nothing was found or nothing is true. They are stored by their bits: a study that was
    /// resumed must print the same digits.
    #[serde(with = "bits")]
    precision: Option<f64>,
    #[serde(with = "bits")]
    recall: Option<f64>,
    #[serde(with = "bits")]
    f1: Option<f64>,
    /// How many found passages meet a true one that is detected, on average; 1 at best.
    #[serde(with = "bits")]
    granularity: Option<f64>,
    /// F1 by characters, less where passages are found in pieces.
    #[serde(with = "bits")]
    plagdet: Option<f64>,
    /// Time and memory of the job.
    cost: StudyCost,
}

impl Tried {
    fn new(
        flags: &str,
        searched: &PassagesSearched<StudyCost>,
        measures: &PassageMeasures,
    ) -> Self {
        let micro = &measures.micro;
        Tried {
            flags: flags.to_owned(),
            documents: searched.documents,
            bad_records: searched.bad_records,
            passages: searched.passages,
            true_passages: measures.truth,
            detected: measures.detected,
            precision: micro.precision,
            recall: micro.recall,
            f1: micro.f1,
            granularity: measures.granularity,
            plagdet: micro.plagdet,
            cost: searched.measured,
        }
    }

    /// For ranking. A setting that found nothing has no plagdet and ranks last.
    fn plagdet(&self) -> f64 {
        self.plagdet.unwrap_or(0.0)
    }
}

/// A study of passages that cannot be wrong by its parameters.
pub struct StudyPassagesJob {
    /// Without labels the default is what the others are compared with.
    truth: Option<PathBuf>,
    /// Needs `truth`, as does `between`; `validate` refuses them without.
    ignore_pairs: Option<PathBuf>,
    between: Option<Between>,
    /// As typed, for the options of the summary; `settings` is made of it and of `only`.
    also: Vec<String>,
    only: Vec<String>,
    /// The flags of each.
    settings: Vec<String>,
    /// What all studies have in common: input, output, reading.
    base: StudyBase,
    /// A job of `find` over the same input. It is never run: it is the way to resolve input,
    /// threads and memory, and its digest identifies the study.
    job: FindJob,
}

impl StudyPassagesSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<StudyPassagesJob> {
        refuse_what_means_nothing(&self.study)?;
        if self.truth.is_none() {
            for (param, is_given) in [
                ("ignore-pairs", self.ignore_pairs.is_some()),
                ("between", self.between.is_some()),
            ] {
                if is_given {
                    let message = "needs `truth`, which has the true passages";
                    return Err(Error::config(param, message));
                }
            }
        }
        let base = StudyBase::new(self.study);
        // Only to resolve the parameters that all jobs share.
        let job = base.job(exact_spec(&base)?)?;
        let also = self.also.unwrap_or_default();
        let only = self.only.unwrap_or_default();
        let study = StudyPassagesJob {
            truth: self.truth,
            ignore_pairs: self.ignore_pairs,
            between: self.between,
            settings: settings(&also, &only),
            also,
            only,
            base,
            job,
        };
        // All of them, before hours of work.
        for flags in &study.settings {
            study.asked(flags)?;
        }
        Ok(study)
    }
}

/// Passages compare words in their order: what makes features of words has nothing to do.
fn refuse_what_means_nothing(given: &StudySpec) -> Result<()> {
    let (features, words) = (&given.reading.features, &given.reading.words);
    let of_features = "passages are not compared by features of documents";
    let of_words = "passages compare words in their order; leave it out";
    for (param, is_given, message) in [
        ("preset", given.preset.is_some(), of_features),
        ("features", features.features.is_some(), of_features),
        ("hash", features.hash.is_some(), of_features),
        ("words", words.words.is_some(), of_words),
        ("stop-words", words.stop_words.is_some(), of_words),
        ("stem", words.stem.is_some(), of_words),
        ("antecedents", words.antecedents.is_some(), of_words),
        ("seed", given.reading.seed.seed.is_some(), of_words),
    ] {
        if is_given {
            return Err(Error::config(param, message));
        }
    }
    Ok(())
}

impl StudyPassagesJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        let completed = self.base.completed(&self.job);
        // Features are made in no setting.
        let reading = ReadingSpec {
            text: completed.reading.text,
            record: completed.reading.record,
            limits: completed.reading.limits,
            ..ReadingSpec::default()
        };
        all_options(&StudyPassagesSpec {
            study: StudySpec {
                reading,
                ..completed
            },
            truth: self.truth.clone(),
            ignore_pairs: self.ignore_pairs.clone(),
            between: self.between.clone(),
            also: Some(self.also.clone()),
            only: Some(self.only.clone()),
        })
    }

    /// Runs the study and writes its result.
    pub fn run(self, exec: &Exec<'_>) -> Result<StudyGridOutcome> {
        let stages = exec.stages();
        let labels = self.truth.as_deref().map(read_passages).transpose()?;
        self.base.check_output(&self.job)?;
        let mut contents = BTreeMap::new();
        // Every setting names the files it reads, such as a list of stop words. A change of
        // any of them makes the work of an interrupted study useless.
        for flags in &self.settings {
            let held = self.asked(flags)?.find.contents().into_iter();
            contents
                .extend(held.map(|(what, holds)| (format!("{what} of {flags}"), holds)));
        }
        let files = [&self.truth, &self.ignore_pairs].into_iter().flatten();
        let files = StudyFiles {
            study: "passages",
            truth: files.map(PathBuf::as_path).collect(),
            // Labels are part of the identity, by size and time: corrected labels must not be
            // mixed with old measures.
            contents,
        };
        let identity = identity::<StudyPassagesSpec>(&self.job, &self.options(), files)?;
        in_work(
            &self.base,
            &self.job,
            identity,
            StudyCheckpoint::Settings,
            exec,
            |work| self.run_in(labels, work, &stages, exec),
        )
    }

    /// Runs the settings that are not finished, one after the other, and writes the tables.
    /// Each finished setting is stored before the next begins, so an interruption loses one
    /// setting at most.
    fn run_in(
        &self,
        labels: Option<PassageTruth>,
        work: &WorkDir,
        stages: &Stages<'_>,
        exec: &Exec<'_>,
    ) -> Result<StudyGridOutcome> {
        let (base, job) = (&self.base, &self.job);
        let many = self.settings.len();
        let finished = Finished::new(work, base, job, many, stages)?;
        // After an interruption the default is finished already and will not be run again, so
        // what it found is read from the work directory.
        let mut truth = match labels {
            Some(labels) => Some(labels),
            None => of_default_before(work)?,
        };
        let mut tried: Vec<Tried> = Vec::new();
        for (number, flags) in self.settings.iter().enumerate() {
            tried.push(finished.setting(number, || {
                stages.note(&format!("{} of {many}: {flags}", number + 1));
                let (searched, measures) =
                    search(self.asked(flags)?, stages, |result| {
                        // The first setting is the default.
                        let truth = match &mut truth {
                            Some(truth) => truth,
                            none => none.insert(of_default(result, work)?),
                        };
                        let file = self.truth.as_deref().unwrap_or(Path::new(DEFAULT));
                        // The labels are changed by locating them, hence a copy per setting.
                        let located =
                            locate(result, file, truth.clone(), &self.located())?;
                        Ok(measure(located.truth, located.found))
                    })?;
                for warning in &searched.warnings {
                    base.note(warning);
                }
                Ok(Tried::new(flags, &searched, &measures))
            })?);
        }
        let first = tried.first();
        let (documents, bad_records) =
            first.map_or((0, 0), |one| (one.documents, one.bad_records));
        let described = match &self.truth {
            Some(path) => path.display().to_string(),
            None => format!("what passages finds by default ({DEFAULT_FLAGS})"),
        };
        let true_passages = first.map_or(0, |one| one.true_passages);
        let advice = exec.render(&recommendation(&tried, self.truth.is_some()));
        let found = StudyGridFindings {
            study: "passages",
            title: "Parameters of passages",
            options: self.options(),
            documents,
            bad_records,
            truth: Some(StudyTruth {
                name: described.clone(),
                passages: Some(true_passages),
                ..StudyTruth::default()
            }),
            rows: tried.iter().map(row).collect(),
            findings: vec![
                format!(
                    "What is right: {described}; {} passages.",
                    count(true_passages)
                ),
                advice,
            ],
            table: table(&tried),
            costs: Some(cost_table(&tried)),
            charts: charts(&tried),
        };
        end(base, job, stages, found)
    }

    /// Which pairs of documents count.
    fn located(&self) -> LocateOptions<'_> {
        LocateOptions {
            ignored_pairs: self.ignore_pairs.as_deref(),
            between: self.between.clone(),
        }
    }

    /// The job of flags of `passages`, over the input of the study.
    fn asked(&self, flags: &str) -> Result<PassagesJob> {
        let flags = flags.trim_start_matches(DEFAULT);
        let wrong =
            // A message about `also` must name the flags, since several can be given. Errors
            // of the other parameters name their own key.
            |message: String| Error::config("also", format!("{flags:?}: {message}"));
        let mut spec: PassagesSpec = from_flags(flags).map_err(|error| match error {
            Error::Config { key, message } if key.is_empty() => wrong(message),
            other => other,
        })?;
        if spec.output.output.is_some() || spec.offsets.is_some() {
            return Err(wrong("no result is written".to_owned()));
        }
        let (base, job) = (&self.base, &self.job);
        // What the setting says itself wins over what the study says.
        let reading = base.reading().clone();
        spec.input.inputs = Some(job.inputs().to_vec());
        spec.text = spec.text.or(reading.text);
        spec.record = spec.record.or(reading.record);
        spec.limits = spec.limits.or(reading.limits);
        // A place for what does not fit in memory, beside the output.
        spec.output.output = Some(job.output.clone());
        spec.work = spec.work.or(base.work().clone());
        let mut passages = spec.validate_with(base.effects().clone())?;
        let config = &mut passages.find.config;
        config.work_dir = of_setting(&config.work_dir);
        Ok(passages)
    }
}

/// All settings: each parameter away from its default, then the search by sentences.
fn settings(also: &[String], only: &[String]) -> Vec<String> {
    let seeds = [DEFAULT].into_iter().chain(SEEDS).map(str::to_owned);
    let of_signature = |signature: &str| {
        GAMMAS.map(|gamma| format!("--signature {signature} --gamma {gamma}"))
    };
    let sentences = SIGNATURES.into_iter().flat_map(of_signature);
    let usual = seeds.chain(sentences);
    let usual = usual.filter(|flags| is_chosen(flags, DEFAULT, only));
    usual.chain(also.iter().cloned()).collect()
}

/// Runs one setting and measures it while its result is still there. Returns what was
/// searched, with its cost, and the measures.
fn search(
    job: PassagesJob,
    progress: &dyn Progress,
    look: impl FnOnce(&ResultReader) -> Result<PassageMeasures>,
) -> Result<(PassagesSearched<StudyCost>, PassageMeasures)> {
    let watch = StudyWatch::new(progress);
    passages_for(job, &Exec::new(&watch), || watch.cost(), look)
}

/// Name of the stage, and of the file, of what the default found.
const OF_DEFAULT: &str = "default";

/// What was found, as what is right: kept for when the study is resumed.
fn of_default(result: &ResultReader, work: &WorkDir) -> Result<PassageTruth> {
    let Some((path, _)) = result.file(ResultTable::Passages) else {
        return Err(Error::Internal("no table of passages".to_owned()));
    };
    let truth = read_passages(&path)?;
    let mut out = work.create(OF_DEFAULT)?;
    out.frame(&serde_json::to_vec(&truth)?)?;
    work.commit(OF_DEFAULT, &(), vec![out.finish()?], &[])?;
    Ok(truth)
}

/// What the default found before an interruption.
fn of_default_before(work: &WorkDir) -> Result<Option<PassageTruth>> {
    let Some(((), files)) = work.stage::<()>(OF_DEFAULT)? else {
        return Ok(None);
    };
    let mut bytes: Vec<u8> = Vec::new();
    for file in &files {
        work.open(file)?.read(0, &mut bytes)?;
    }
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// The row of the table as CSV: all numbers, unrounded.
fn row(tried: &Tried) -> StudyRow {
    StudyRow::default()
        .with("setting", tried.flags.clone())
        .with("passages", tried.passages)
        .with("true_passages", tried.true_passages)
        .with("detected", tried.detected)
        .with("precision", tried.precision)
        .with("recall", tried.recall)
        .with("f1", tried.f1)
        .with("granularity", tried.granularity)
        .with("plagdet", tried.plagdet)
        .with_cost(&tried.cost)
}

/// The table of the page: the measures people rank by. Costs have a table of their own, since
/// both would not fit the width.
fn table(tried: &[Tried]) -> PageTable {
    let row = |one: &Tried| {
        vec![
            one.flags.clone(),
            count(one.passages),
            count(one.detected),
            share(one.precision),
            share(one.recall),
            share(one.f1),
            share(one.plagdet),
        ]
    };
    PageTable {
        title: "Passages by characters".to_owned(),
        head: head([
            "setting",
            "passages",
            "true ones met",
            "precision",
            "recall",
            "F1",
            "plagdet",
        ]),
        rows: tried.iter().map(row).collect(),
    }
}

/// Time and memory of each setting, in the order in which they ran.
fn cost_table(tried: &[Tried]) -> PageTable {
    let rows = tried.iter().map(|one| (one.flags.clone(), &one.cost));
    StudyCost::table("What each costs", "setting", rows)
}

/// The value of a flag, if that is all a setting says; the default of it for the first.
fn value(tried: &Tried, flag: &str, usual: f64) -> Option<f64> {
    match tried.flags.as_str() {
        DEFAULT => Some(usual),
        flags => flags.strip_prefix(flag)?.trim().parse().ok(),
    }
}

/// A figure per parameter, through the settings that change nothing else; then one per
/// signature over gamma.
fn charts(tried: &[Tried]) -> Vec<LineChart> {
    let seeds = [
        ("min-words", "words of a passage at least", 20.0),
        ("max-gap", "words passed over at a time", 30.0),
        ("tau", "smallest resemblance of both sides", 0.4),
    ];
    let by_value = |(name, what, usual): (&str, &str, f64)| {
        let flag = format!("--{name}");
        let mut points: Vec<(f64, &Tried)> = tried
            .iter()
            .filter_map(|one| Some((value(one, &flag, usual)?, one)))
            .collect();
        // The default lies between the two values that were tried.
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        chart(name, &format!("--{name}: {what}"), &flag, &points)
    };
    let by_gamma = |signature: &str| {
        let flag = format!("--signature {signature} --gamma");
        let points: Vec<(f64, &Tried)> = tried
            .iter()
            // The default has no gamma: NaN marks it, and the filter drops it.
            .filter_map(|one| Some((value(one, &flag, f64::NAN)?, one)))
            .filter(|(gamma, _)| !gamma.is_nan())
            .collect();
        let title = format!("--signature {signature}: sentences of a passage, more than");
        let name = format!("gamma-{}", signature.replace(':', "-"));
        chart(&name, &title, "--gamma", &points)
    };
    let of_seeds = seeds.into_iter().map(by_value);
    of_seeds
        .chain(SIGNATURES.into_iter().map(by_gamma))
        .collect()
}

/// Precision, recall and F1 over the value of one parameter.
fn chart(name: &str, title: &str, x_label: &str, points: &[(f64, &Tried)]) -> LineChart {
    let line = |name: &str, value: fn(&Tried) -> Option<f64>| Line {
        name: name.to_owned(),
        y: points.iter().map(|(_, one)| value(one)).collect(),
    };
    LineChart {
        name: name.to_owned(),
        title: title.to_owned(),
        x_label: x_label.to_owned(),
        y_label: "share of characters".to_owned(),
        x: points.iter().map(|(value, _)| *value).collect(),
        lines: vec![
            line("precision", |one| one.precision),
            line("recall", |one| one.recall),
            line("F1", |one| one.f1),
        ],
        is_share: true,
        ..LineChart::default()
    }
}

/// The best plagdet, which is what PAN ranks by; without labels nothing is better than the default.
fn recommendation(tried: &[Tried], is_labelled: bool) -> String {
    let typed = |one: &Tried| match one.flags.as_str() {
        DEFAULT => format!("{DEFAULT_FLAGS} (the default)"),
        flags => flags.to_owned(),
    };
    // The first of equal ones wins, and the default is first: nothing is recommended over it
    // that is not better.
    let best_of = |tried: &[Tried]| -> Option<usize> {
        let mut best: Option<usize> = None;
        for (at, one) in tried.iter().enumerate() {
            if best.is_none_or(|best| one.plagdet() > tried[best].plagdet()) {
                best = Some(at);
            }
        }
        best
    };
    if !is_labelled {
        let others = tried.get(1..).unwrap_or_default();
        let closest = best_of(others).map(|at| &others[at]);
        let closest = closest.map_or(String::new(), |one| {
            let plagdet = share(one.plagdet);
            format!(" ({} is the closest to it, plagdet {plagdet})", one.flags)
        });
        return format!(
            "Recommended: {DEFAULT_FLAGS}, the default, since without true passages (`truth`) \
             none can be called better{closest}."
        );
    }
    let Some(at) = best_of(tried) else {
        return String::new();
    };
    let best = &tried[at];
    // Each parameter was tried on both sides of its default, and so a value is the outermost.
    let edge = if SEEDS.contains(&best.flags.as_str()) {
        " It is the outermost value that was tried: one beyond it may be better."
    } else {
        ""
    };
    format!(
        "Recommended: {}, the best plagdet of these ({}; precision {}, recall {}).{edge}",
        typed(best),
        share(best.plagdet),
        share(best.precision),
        share(best.recall),
    )
}
