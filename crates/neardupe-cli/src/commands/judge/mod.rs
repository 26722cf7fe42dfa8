//! `neardupe judge`: people look at a sample of the pairs of a result; what they say tells how
//! good the whole result is.

mod ask;
mod labels;
mod report;
mod sample;
mod show;
mod texts;

use crate::options::whole_number;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_io::result::ResultReader;
use sample::Drawing;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `judge`.
#[derive(Debug, Args)]
#[command(
    after_help = "Keys: d duplicate, n not, u unclear, k kind, b back, q quit. Labels are \
                        kept at once; the same command goes on where it ended. Without a \
                        terminal the same letters are read from standard input, one a line \
                        (k KIND)."
)]
pub(crate) struct JudgeArgs {
    /// Folder that `find` wrote
    #[arg(value_name = "RESULT")]
    result: PathBuf,

    /// Tell what all judges said, in the place of asking
    #[arg(long)]
    report: bool,

    /// Name of who judges; each has labels of their own for the same sample
    #[arg(long, value_name = "NAME", default_value = "judge")]
    judge: String,

    /// Folder of the labels, one file for each judge [default: RESULT.labels, beside the result]
    #[arg(long, value_name = "DIR")]
    labels: Option<PathBuf>,

    /// Strata of equal width between the threshold and 1
    #[arg(long, value_name = "N", default_value = "10")]
    strata: String,

    /// Pairs drawn from each stratum
    #[arg(
        long,
        value_name = "N",
        default_value = "10",
        conflicts_with = "sample"
    )]
    per_stratum: String,

    /// Pairs drawn in all, evenly from the strata
    #[arg(long, value_name = "N")]
    sample: Option<String>,

    /// Seed of the sample; all judges need the same
    #[arg(long, value_name = "N", default_value = "0")]
    seed: String,

    /// Files of the collection, for the texts [default: texts.jsonl of the result, or its inputs]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    input: Vec<String>,

    /// Show no text
    #[arg(long)]
    no_text: bool,

    /// Print the report as JSON
    #[arg(long, requires = "report")]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &JudgeArgs) -> Result<ExitCode> {
    let result = ResultReader::open(&args.result)?;
    result.check_ids_of_sides()?;
    let number = |flag: &str, typed: &str, most: u64| whole_number(flag, typed, 1..=most);
    let drawing = Drawing {
        seed: whole_number("--seed", &args.seed, 0..=u64::MAX)?,
        strata: u32::try_from(number("--strata", &args.strata, 1000)?)?,
        per_stratum: usize::try_from(number(
            "--per-stratum",
            &args.per_stratum,
            1_000_000,
        )?)?,
        total: match &args.sample {
            None => None,
            Some(typed) => Some(usize::try_from(number("--sample", typed, 1_000_000)?)?),
        },
    };
    let folder = match &args.labels {
        Some(folder) => folder.clone(),
        None => labels::beside(&args.result)?,
    };
    if args.report {
        return report(args, &result, &drawing, &folder);
    }
    let sample = sample::draw(&result, &drawing)?;
    let pairs = sample::in_order(&sample, drawing.seed);
    if pairs.is_empty() {
        let message = "the result has no pairs: there is nothing to judge";
        return Err(Error::input(args.result.display().to_string(), message).into());
    }
    let mut labels = labels::Labels::open(&folder, &args.judge)?;
    let texts = match args.no_text {
        true => None,
        false => texts::fetch(&result, &args.input, &pairs)?,
    };
    let on_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let mut sitting = ask::Sitting {
        pairs: &pairs,
        texts: texts.as_ref(),
        labels: &mut labels,
        judge: &args.judge,
        style: show::style(),
    };
    let mut out = std::io::stdout().lock();
    match on_terminal {
        true => sitting.run(&mut ask::Keys::default(), &mut out)?,
        false => sitting.run(&mut ask::Lines::new(std::io::stdin().lock()), &mut out)?,
    }
    let open = sitting.open();
    drop(out);
    finish(args, &labels, pairs.len(), open)
}

fn finish(
    args: &JudgeArgs,
    labels: &labels::Labels,
    all: usize,
    open: usize,
) -> Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    let done = all - open;
    writeln!(
        out,
        "\n{done} of {all} pairs are judged by {}; labels are in {}",
        args.judge,
        labels.path().display()
    )?;
    let next = match open {
        0 => format!("neardupe judge {} --report", args.result.display()),
        _ => "the same command goes on".to_owned(),
    };
    writeln!(out, "next: {next}")?;
    Ok(ExitCode::SUCCESS)
}

fn report(
    args: &JudgeArgs,
    result: &ResultReader,
    drawing: &Drawing,
    folder: &Path,
) -> Result<ExitCode> {
    let judges = labels::read_all(folder)?;
    let report = report::report(result, drawing, &judges)?;
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => report::show(&mut out, &report)?,
    }
    Ok(ExitCode::SUCCESS)
}
