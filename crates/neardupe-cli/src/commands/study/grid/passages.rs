//! `neardupe study passages`: parameters of `passages`, measured by characters.

use super::super::super::eval::between;
use super::super::super::find::print_warnings;
use super::super::front::StudyPrintArgs;
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_core::eval::passages::{PassageMeasures, measure};
use neardupe_io::result::{ResultReader, ResultTable};
use neardupe_jobs::exec::Exec;
use neardupe_jobs::kind::find::{FindJob, all_options};
use neardupe_jobs::kind::passages::{
    PassagesJob, PassagesSearched, PassagesSpec, passages_for,
};
use neardupe_jobs::kind::study::{
    StudyBase, StudyCost, StudyGridFindings, StudyRow, StudySpec, StudyTruth, StudyWatch,
    count, end, exact_spec, head, is_chosen, share,
};
use neardupe_jobs::param::{Params, from_flags};
use neardupe_jobs::report::{Line, LineChart, PageTable};
use neardupe_jobs::truth::{LocateOptions, PassageTruth, locate, read_passages};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `study passages`.
#[derive(Debug, Args)]
#[command(mut_arg("features", |arg| arg.hide(true)))]
#[command(mut_arg("words", |arg| arg.hide(true)))]
#[command(mut_arg("stop-words", |arg| arg.hide(true)))]
#[command(mut_arg("stem", |arg| arg.hide(true)))]
#[command(mut_arg("antecedents", |arg| arg.hide(true)))]
#[command(mut_arg("seed", |arg| arg.hide(true)))]
#[command(mut_arg("preset", |arg| arg.hide(true)))]
#[command(mut_arg("hash", |arg| arg.hide(true)))]
pub(crate) struct StudyPassagesArgs {
    /// True passages, in the formats of `eval` [default: what `passages` finds by default]
    #[arg(long, value_name = "FILE", help_heading = "Labels")]
    truth: Option<PathBuf>,

    /// Pairs of documents whose passages count neither as right nor as wrong
    #[arg(long, value_name = "FILE", requires = "truth", help_heading = "Labels")]
    ignore_pairs: Option<PathBuf>,

    /// Count only passages between a document whose id begins with the one, and a document whose id
    /// begins with the other
    #[arg(
        long,
        value_name = "PREFIX,PREFIX",
        requires = "truth",
        help_heading = "Labels"
    )]
    between: Option<String>,

    /// One more setting: flags of `passages`, as "--min-words 15 --tau 0.3"; several can be given
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    also: Vec<String>,

    /// Only the default and settings with this text in their flags, as tau; several can be given
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    only: Vec<String>,

    #[command(flatten)]
    print: StudyPrintArgs,

    #[command(flatten)]
    spec: Typed<StudySpec>,
}

/// How the setting without flags is called.
const DEFAULT: &str = "(default)";
/// What it means.
const DEFAULT_FLAGS: &str = "--min-words 20 --max-gap 30 --tau 0.4";
const SEEDS: [&str; 6] = [
    "--min-words 10",
    "--min-words 40",
    "--max-gap 10",
    "--max-gap 60",
    "--tau 0.2",
    "--tau 0.6",
];
const SIGNATURES: [&str; 5] = ["words:2", "words:3", "words:4", "imatch", "spotsigs"];
const GAMMAS: [u32; 3] = [1, 2, 3];

/// A setting and what came out.
struct Tried {
    flags: String,
    searched: PassagesSearched<StudyCost>,
    measures: PassageMeasures,
}

impl Tried {
    /// F1 by characters, less where passages are found in pieces.
    fn plagdet(&self) -> f64 {
        self.measures.micro.plagdet.unwrap_or(0.0)
    }
}

/// Runs the command.
pub(crate) fn run(args: &StudyPassagesArgs) -> Result<ExitCode> {
    let given = &args.spec.0;
    let message = "passages are not compared by features of documents";
    for (param, is_given) in [
        ("preset", given.preset.is_some()),
        ("hash", given.reading.features.hash.is_some()),
    ] {
        if is_given {
            return Err(Error::config(param, message).into());
        }
    }
    let inputs = given.inputs.clone().unwrap_or_default();
    let base = StudyBase::new(given.clone());
    let words = &given.reading.words;
    for (param, is_given) in [
        ("words", words.words.is_some()),
        ("stop-words", words.stop_words.is_some()),
        ("stem", words.stem.is_some()),
        ("seed", given.reading.seed.seed.is_some()),
    ] {
        if is_given {
            let message = "passages compare words in their order; leave it out";
            return Err(Error::config(param, message).into());
        }
    }
    let options = || -> Result<LocateOptions<'_>> {
        Ok(LocateOptions {
            ignored_pairs: args.ignore_pairs.as_deref(),
            between: args.between.as_deref().map(between).transpose()?,
        })
    };
    options()?;
    let labels = args.truth.as_deref().map(read_passages).transpose()?;
    let job = base.job(exact_spec(&base)?)?;
    base.check_output(&job)?;
    let settings = settings(&args.also, &args.only);
    let asked =
        |flags: &str| asked(&base, given, &job, flags.trim_start_matches(DEFAULT));
    // All of them, before hours of work.
    for flags in &settings {
        asked(flags)?;
    }
    if inputs.iter().any(|input| input == "-") {
        let message = "standard input can be read only once; name files";
        return Err(Error::input("study", message).into());
    }
    let shown = args.print.stages()?;
    let stages = args.print.exec(&shown).stages();
    let mut truth = labels;
    let mut tried: Vec<Tried> = Vec::new();
    for (number, flags) in (1..).zip(&settings) {
        stages.tell(&format!("{number} of {}: {flags}", settings.len()));
        let (searched, measures) = search(asked(flags)?, &stages, |result| {
            // The first setting is the default.
            let truth = match &mut truth {
                Some(truth) => truth,
                none => none.insert(of_result(result)?),
            };
            let file = args.truth.as_deref().unwrap_or(Path::new(DEFAULT));
            let located = locate(result, file, copy(truth), &options()?)?;
            Ok(measure(located.truth, located.found))
        })?;
        tried.push(Tried {
            flags: flags.clone(),
            searched,
            measures,
        });
    }
    let first = tried.first().map(|one| &one.searched);
    let (documents, bad_records) =
        first.map_or((0, 0), |one| (one.documents, one.bad_records));
    let described = match &args.truth {
        Some(path) => path.display().to_string(),
        None => format!("what passages finds by default ({DEFAULT_FLAGS})"),
    };
    let true_passages = tried.first().map_or(0, |one| one.measures.truth);
    let mut options = all_options(&base.completed(&job));
    for (name, value) in [
        ("truth", json!(args.truth)),
        ("ignore-pairs", json!(args.ignore_pairs)),
        ("between", json!(args.between)),
        ("also", json!(args.also)),
        ("only", json!(args.only)),
    ] {
        options.insert(name.to_owned(), value);
    }
    let found = StudyGridFindings {
        study: "passages",
        title: "Parameters of passages",
        options,
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
            recommendation(&tried, args.truth.is_some()),
        ],
        table: table(&tried),
        costs: Some(cost_table(&tried)),
        charts: charts(&tried),
    };
    let outcome = end(&base, &job, &stages, found)?;
    shown.finish();
    args.print.print(&outcome)
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

/// The job of flags of `passages`, over the input of the study.
fn asked(
    base: &StudyBase,
    given: &StudySpec,
    study: &FindJob,
    flags: &str,
) -> Result<PassagesJob> {
    let wrong = |message: String| Error::config("also", format!("{flags:?}: {message}"));
    let mut spec: PassagesSpec = from_flags(flags).map_err(|error| match error {
        Error::Config { key, message } if key.is_empty() => wrong(message),
        other => other,
    })?;
    if spec.output.output.is_some() || spec.offsets.is_some() {
        return Err(wrong("no result is written".to_owned()).into());
    }
    let reading = base.reading().clone();
    spec.input.inputs = given.inputs.clone();
    spec.text = spec.text.or(reading.text);
    spec.record = spec.record.or(reading.record);
    spec.limits = spec.limits.or(reading.limits);
    // A place for what does not fit in memory, beside the output.
    spec.output.output = Some(study.output.clone());
    spec.work.work_dir = given.work.work_dir.clone();
    spec.work.memory = given.work.memory;
    Ok(spec.validate_with(base.effects().clone())?)
}

fn search(
    job: PassagesJob,
    progress: &dyn Progress,
    look: impl FnOnce(&ResultReader) -> Result<PassageMeasures>,
) -> Result<(PassagesSearched<StudyCost>, PassageMeasures)> {
    let watch = StudyWatch::new(progress);
    let found = passages_for(job, &Exec::new(&watch), || watch.cost(), look)?;
    print_warnings(&found.0.warnings)?;
    Ok(found)
}

/// What was found, as what is right.
fn of_result(result: &ResultReader) -> Result<PassageTruth> {
    match result.file(ResultTable::Passages) {
        Some((path, _)) => Ok(read_passages(&path)?),
        None => Err(Error::Internal("no table of passages".to_owned()).into()),
    }
}

fn copy(truth: &PassageTruth) -> PassageTruth {
    PassageTruth {
        rows: truth.rows.clone(),
        without_source: truth.without_source,
        of_files: truth.of_files,
    }
}

fn row(tried: &Tried) -> StudyRow {
    let (measures, micro) = (&tried.measures, &tried.measures.micro);
    StudyRow::default()
        .with("setting", tried.flags.clone())
        .with("passages", tried.searched.passages)
        .with("true_passages", measures.truth)
        .with("detected", measures.detected)
        .with("precision", micro.precision)
        .with("recall", micro.recall)
        .with("f1", micro.f1)
        .with("granularity", measures.granularity)
        .with("plagdet", micro.plagdet)
        .with_cost(&tried.searched.measured)
}

fn table(tried: &[Tried]) -> PageTable {
    let row = |one: &Tried| {
        let micro = &one.measures.micro;
        vec![
            one.flags.clone(),
            count(one.searched.passages),
            count(one.measures.detected),
            share(micro.precision),
            share(micro.recall),
            share(micro.f1),
            share(micro.plagdet),
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

fn cost_table(tried: &[Tried]) -> PageTable {
    let rows = tried
        .iter()
        .map(|one| (one.flags.clone(), &one.searched.measured));
    StudyCost::table("What each costs", "setting", rows)
}

/// The value of a flag, if that is all a setting says; the default of it for the first.
fn value(tried: &Tried, flag: &str, usual: f64) -> Option<f64> {
    match tried.flags.as_str() {
        DEFAULT => Some(usual),
        flags => flags.strip_prefix(flag)?.trim().parse().ok(),
    }
}

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
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        chart(name, &format!("--{name}: {what}"), &flag, &points)
    };
    let by_gamma = |signature: &str| {
        let flag = format!("--signature {signature} --gamma");
        let points: Vec<(f64, &Tried)> = tried
            .iter()
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

fn chart(name: &str, title: &str, x_label: &str, points: &[(f64, &Tried)]) -> LineChart {
    let line = |name: &str, value: fn(&PassageMeasures) -> Option<f64>| Line {
        name: name.to_owned(),
        y: points.iter().map(|(_, one)| value(&one.measures)).collect(),
    };
    LineChart {
        name: name.to_owned(),
        title: title.to_owned(),
        x_label: x_label.to_owned(),
        y_label: "share of characters".to_owned(),
        x: points.iter().map(|(value, _)| *value).collect(),
        lines: vec![
            line("precision", |measures| measures.micro.precision),
            line("recall", |measures| measures.micro.recall),
            line("F1", |measures| measures.micro.f1),
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
            let plagdet = share(one.measures.micro.plagdet);
            format!(" ({} is the closest to it, plagdet {plagdet})", one.flags)
        });
        return format!(
            "Recommended: {DEFAULT_FLAGS}, the default, since without true passages (--truth) \
             none can be called better{closest}."
        );
    }
    let Some(at) = best_of(tried) else {
        return String::new();
    };
    let micro = &tried[at].measures.micro;
    // Each parameter was tried on both sides of its default, and so a value is the outermost.
    let edge = match SEEDS.contains(&tried[at].flags.as_str()) {
        true => " It is the outermost value that was tried: one beyond it may be better.",
        false => "",
    };
    format!(
        "Recommended: {}, the best plagdet of these ({}; precision {}, recall {}).{edge}",
        typed(&tried[at]),
        share(micro.plagdet),
        share(micro.precision),
        share(micro.recall),
    )
}
