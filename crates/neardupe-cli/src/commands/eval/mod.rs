//! `neardupe eval`: how good a result is, by what is known to be right.

mod labels;
mod passages;
mod report;
mod show;

pub(super) use labels::LabelArgs;
pub(super) use passages::between;

use super::find::Job;
use crate::interrupt;
use crate::terminal::Stages;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::pipeline::ClusterMode;
use neardupe_core::threshold::Threshold;
use neardupe_io::result::ResultReader;
use neardupe_io::source::{FileSource, discover};
use neardupe_jobs::kind::stored;
use neardupe_jobs::truth::{
    Collected, Ids, Predicted, Truth, TruthFile, collect, compare, compare_sample,
    read_truth,
};
use report::{Report, SampleReport, SweepRow, TruthReport};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was typed after `eval`.
#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// Folder that `find` or `passages` wrote
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// Pairs (TSV, CSV, JSON lines) or groups (JSON lines with "ids") that are duplicates; for
    /// a result of passages a table of passages, or a folder with XML files of PAN
    #[arg(long, value_name = "FILE", required_unless_present = "truth_field")]
    truth: Option<PathBuf>,

    /// Field of the documents: those with the same value are duplicates
    #[arg(long, value_name = "FIELD", conflicts_with = "truth")]
    truth_field: Option<String>,

    /// Files of the collection: ids of the truth that are not in it are left out, and passages
    /// are measured by sentences too [default with --truth-field: the inputs of the result]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    input: Vec<String>,

    #[command(flatten)]
    labels: LabelArgs,

    /// Take what is connected by pairs as duplicates of each other, in the truth and the result
    #[arg(long)]
    closure: bool,

    /// Where predicted duplicates are taken from: pairs or clusters [default: pairs if the
    /// result has all of them, else clusters]
    #[arg(long, value_name = "WHICH")]
    by: Option<String>,

    /// Thresholds to compare, separated by commas; needs a result with --pairs all
    #[arg(long, value_name = "T,T,...")]
    sweep: Option<String>,

    /// Pairs of documents whose passages count neither as right nor as wrong
    #[arg(long, value_name = "FILE", help_heading = "Passages")]
    ignore_pairs: Option<PathBuf>,

    /// Count only passages between a document whose id begins with the one, and a document
    /// whose id begins with the other
    #[arg(long, value_name = "PREFIX,PREFIX", help_heading = "Passages")]
    between: Option<String>,

    /// Print the measures as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &EvalArgs) -> Result<ExitCode> {
    let result = ResultReader::open(&args.result)?;
    if result.summary().is_of_passages() {
        return passages::run(args, &result);
    }
    let only_passages = [
        ("--ignore-pairs", args.ignore_pairs.is_some()),
        ("--between", args.between.is_some()),
    ];
    if let Some((flag, _)) = only_passages.into_iter().find(|(_, typed)| *typed) {
        let message = "only for a result of passages; this is one of find";
        return Err(Error::config(flag, message).into());
    }
    result.check_ids_of_sides()?;
    let predicted = predicted(&result, args.by.as_deref())?;
    let sweep = sweep(&result, args.sweep.as_deref(), predicted)?;
    let collected = collection(&result, args)?;
    let documents = result.summary().count("documents")?;
    let mut ids = Ids::default();
    let (truth, described) = match (&args.truth, collected) {
        (Some(path), collected) => {
            let options = args.labels.options(args.closure)?;
            let all = collected.as_ref().map(|collected| &collected.ids);
            let file = read_truth(path, &options, &mut ids, all)?;
            let described =
                TruthReport::of_file(path, &file, ids.len() as u64, all.is_some());
            let TruthFile { truth, .. } = file;
            (truth, described)
        }
        (None, Some(collected)) => {
            let field = args.truth_field.as_deref().unwrap_or_default();
            let described = TruthReport::of_field(field, collected.with_value);
            ids = collected.ids;
            (Truth::Clusters(collected.clusters), described)
        }
        (None, None) => {
            return Err(Error::config("truth", "nothing to compare with").into());
        }
    };
    let mut report = Report::new(&result, args.closure, predicted, documents, described)?;
    if let Truth::Sample(sample) = &truth {
        let counts = compare_sample(&result, predicted, args.closure, sample, &mut ids)?;
        report.sample = Some(SampleReport::new(counts, sample.totals().2));
    } else {
        let found = compare(
            &result,
            predicted,
            args.closure,
            &truth,
            &mut ids,
            documents,
        )?;
        report.set(found);
    }
    for threshold in sweep {
        let from = Predicted::PairsFrom(threshold);
        let row = match &truth {
            Truth::Sample(sample) => SweepRow::of_sample(
                threshold,
                compare_sample(&result, from, args.closure, sample, &mut ids)?,
            ),
            _ => SweepRow::of_whole(
                threshold,
                compare(&result, from, args.closure, &truth, &mut ids, documents)?,
            ),
        };
        report.sweep.push(row);
    }
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => show::show(&mut out, &report)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Where predicted duplicates are taken from.
fn predicted(result: &ResultReader, by: Option<&str>) -> Result<Predicted> {
    let summary = result.summary();
    let (all, mode) = (summary.has_all_pairs()?, summary.cluster()?);
    let wrong = |message: &str| Err(Error::config("by", message).into());
    match by {
        Some("pairs") if !all => {
            wrong("the result does not have all pairs; run find with --pairs all")
        }
        Some("clusters") if mode == ClusterMode::None => {
            wrong("the result has no clusters; run find with another --cluster")
        }
        Some("pairs") => Ok(Predicted::Pairs),
        Some("clusters") => Ok(Predicted::Clusters),
        Some(other) => wrong(&format!("{other:?} is not one of pairs, clusters")),
        None if all => Ok(Predicted::Pairs),
        None if mode == ClusterMode::None => {
            let message =
                "it has neither all pairs nor clusters; run find with --pairs all";
            Err(Error::input(result.folder().display().to_string(), message).into())
        }
        None => Ok(Predicted::Clusters),
    }
}

fn sweep(
    result: &ResultReader,
    typed: Option<&str>,
    predicted: Predicted,
) -> Result<Vec<Threshold>> {
    let Some(typed) = typed else {
        return Ok(Vec::new());
    };
    let wrong = |message: String| Error::config("sweep", message);
    if predicted != Predicted::Pairs {
        let message = "needs all pairs; run find with --pairs all".to_owned();
        return Err(wrong(message).into());
    }
    let least = result.summary().threshold()?;
    let mut thresholds = Vec::new();
    for text in typed.split(',') {
        let threshold: Threshold = text.trim().parse().map_err(|_| {
            wrong(format!("{text:?} is not a threshold above 0 and up to 1"))
        })?;
        let ((p, q), (least_p, least_q)) = (threshold.fraction(), least.fraction());
        if u128::from(p) * u128::from(least_q) < u128::from(least_p) * u128::from(q) {
            let message = format!(
                "{threshold} is below {least}, at which the result was made; run find \
                 --threshold {threshold} --pairs all"
            );
            return Err(wrong(message).into());
        }
        thresholds.push(threshold);
    }
    Ok(thresholds)
}

/// All documents of the collection, if they are asked for.
fn collection(result: &ResultReader, args: &EvalArgs) -> Result<Option<Collected>> {
    if args.input.is_empty() && args.truth_field.is_none() {
        return Ok(None);
    }
    let inputs = match args.input.is_empty() {
        true => stored::inputs(result),
        false => args.input.clone(),
    };
    let (source, job) = source(result, &inputs, args.truth_field.as_deref())?;
    let field = args.truth_field.as_ref().and_then(|field| {
        let mut names = job.config.metadata.iter();
        names.position(|name| name == field)
    });
    let stages = Stages::new(true).stopped_by(interrupt::install()?);
    let collected = collect(&source, field, job.config.threads, &stages)?;
    check_documents(result, collected.ids.len() as u64)?;
    if args.truth_field.is_some() && collected.with_value == 0 {
        let field = args.truth_field.as_deref().unwrap_or_default();
        let message = format!("no document has a field {field:?}");
        return Err(Error::config("truth-field", message).into());
    }
    Ok(Some(collected))
}

/// The files of a collection, to be read as the result says, with a further field.
fn source(
    result: &ResultReader,
    inputs: &[String],
    field: Option<&str>,
) -> Result<(FileSource, Job)> {
    let job = stored::job(result, field)?;
    let discovered = discover(inputs, job.read.format)?;
    let read = job.read.clone().for_files(&discovered.files);
    Ok((FileSource::new(discovered.files, read), job))
}

/// Refuses other documents than those of the result.
fn check_documents(result: &ResultReader, read: u64) -> Result<()> {
    let summary = result.summary();
    let documents = summary.count("documents")?;
    if read != documents {
        let message = format!(
            "{read} documents were read, but the result is of {documents}; name the files that \
             {} read",
            summary.command
        );
        return Err(Error::config("input", message).into());
    }
    Ok(())
}
