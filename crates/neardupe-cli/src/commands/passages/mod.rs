//! `neardupe passages`: every stretch of text that two documents have in common, located in both.

mod in_process;
pub(super) mod plan;
mod sentences;
mod show;
pub(super) mod surely;

pub(super) use in_process::{Searched, passages_for};

use super::find::{ReadingArgs, print_warnings};
use crate::terminal::Stages;
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_core::pipeline::passages;
use neardupe_core::store::WorkDir;
use neardupe_io::output::{ANTECEDENTS, ResultFolder, ResultKind, TextLog};
use neardupe_jobs::exec::Stages as StageClock;
use neardupe_jobs::passage_tables::{write_other_form, write_passages};
use neardupe_jobs::report::{PassagesReport, PassagesSeen};
use plan::Plan;
use sentences::BySentences;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was typed after `passages`.
#[derive(Debug, Args)]
#[command(mut_arg("features", |arg| arg.hide(true)))]
#[command(mut_arg("words", |arg| arg.hide(true)))]
#[command(mut_arg("stop-words", |arg| arg.hide(true)))]
#[command(mut_arg("stem", |arg| arg.hide(true)))]
#[command(mut_arg("seed", |arg| arg.hide(true)))]
#[command(mut_arg("antecedents", |arg| {
    arg.help(
        "Words at which --signature spotsigs takes spot signatures: published, the N most \
         frequent words, or a file [default: 1000]",
    )
    .help_heading("Diagonals of sentences")
}))]
pub(crate) struct PassagesArgs {
    /// Files, folders or globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// Old documents: only passages that a document of the input shares with one of these
    #[arg(long, value_name = "OLD")]
    against: Vec<String>,

    /// With --against: compare the documents of the input with each other too
    #[arg(long, requires = "against")]
    within: bool,

    /// Documents to be checked: only passages that one of these shares with the input; files of the
    /// input that are among them are left out of it
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    query: Vec<String>,

    /// Words that a passage has at least, on both sides [default: 20]
    #[arg(long, value_name = "N", help_heading = "Passages")]
    min_words: Option<String>,

    /// Words that may be passed over at a time within a passage [default: 30]
    #[arg(long, value_name = "N", help_heading = "Passages")]
    max_gap: Option<String>,

    /// Words by which one side of a stretch may get ahead of the other [default: 60]
    #[arg(long, value_name = "N", help_heading = "Passages")]
    max_drift: Option<String>,

    /// Smallest resemblance of the words of both sides [default: 0.4]; of two sentences that match
    /// with --signature [default: 0.9]
    #[arg(long, value_name = "T", help_heading = "Passages")]
    tau: Option<String>,

    /// Sentences and runs of words in more documents than this lead to no passage; they are
    /// listed in boilerplate.jsonl [default: 100]
    #[arg(long, value_name = "N", help_heading = "Passages")]
    max_documents: Option<String>,

    /// Texts of known templates, as a file with one on each line or a boilerplate.jsonl: they
    /// lead to no passage
    #[arg(long, value_name = "FILE", help_heading = "Passages")]
    ignore: Vec<PathBuf>,

    /// Rows for all documents with the same text, not for the first of them only
    #[arg(long, help_heading = "Passages")]
    expand: bool,

    /// A published system as options: pdc-mr (Zhang et al., SIGIR 2010: --signature imatch
    /// --gamma 3)
    #[arg(long, value_name = "NAME", help_heading = "Diagonals of sentences")]
    preset: Option<String>,

    /// Find diagonals of sentences that match by words:N, imatch, imatch:LOW-HIGH,K,P or spotsigs,
    /// instead of common stretches of words
    #[arg(long, value_name = "KIND", help_heading = "Diagonals of sentences")]
    signature: Option<String>,

    /// A passage has more sentences than this [default: 3]
    #[arg(long, value_name = "N", help_heading = "Diagonals of sentences")]
    gamma: Option<String>,

    /// Compare each document with itself too
    #[arg(long, help_heading = "Diagonals of sentences")]
    within_document: bool,

    /// Folder of the result [default: neardupe-out]
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    output: Option<PathBuf>,

    /// jsonl, tsv, parquet, xml [default: jsonl]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    output_format: Option<String>,

    /// Write the passages also as others do: pan (a folder of XML files), passim (JSON lines)
    #[arg(long, value_name = "FORM", help_heading = "Output")]
    also: Vec<String>,

    /// In what places are given: characters (code points) or bytes [default: characters]
    #[arg(long, value_name = "UNIT", help_heading = "Output")]
    offsets: Option<String>,

    /// Write the texts in which places are counted to texts.jsonl
    #[arg(long, help_heading = "Output")]
    write_text: bool,

    /// No text of documents in the report
    #[arg(long, help_heading = "Output")]
    no_text: bool,

    /// Stop at the first bad record
    #[arg(long, help_heading = "Input")]
    strict: bool,

    /// How many bad records are no reason for exit code 3 [default: 0]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = "Input"
    )]
    allow_bad_records: Option<String>,

    /// Most memory to use, as 512M or 4G, at least 256M [default: half of what is free]
    #[arg(long, value_name = "SIZE", help_heading = "Input")]
    memory: Option<String>,

    /// Where goes what does not fit in memory [default: beside the output]
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    work_dir: Option<PathBuf>,

    /// Print the summary as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json", help_heading = "Output")]
    quiet: bool,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Runs the command.
pub(crate) fn run(args: &PassagesArgs) -> Result<ExitCode> {
    let mut plan = Plan::resolve(args)?;
    // Before hours of work, not after.
    ResultFolder::check(&plan.job.output, ResultKind::Passages)?;
    let (source, skipped_files) = plan.source()?;
    let terminal = Stages::new(args.quiet || args.json).stopped_by(interrupt::install()?);
    let stages = StageClock::new(&terminal);
    let (work, _) = WorkDir::begin(plan.job.config.work_dir.clone(), Default::default())?;
    // Nobody else writes the same result now.
    work.enter()?;
    let config = plan.config(&source, &work, &stages)?;
    let log = TextLog::new(&source, work.path());
    let result = match plan.job.write_text {
        true => passages::passages(&log, &config, &work, &stages)?,
        false => passages::passages(&source, &config, &work, &stages)?,
    };
    let folder = ResultFolder::create(&plan.job.output, ResultKind::Passages)?;
    stages.begin("write", 0);
    if plan.job.write_text {
        log.finish(folder.path(), &result.parts, &result.documents)?;
    }
    let (mut seen, mut longest) = (PassagesSeen::default(), show::Longest::default());
    let counts = write_passages(
        folder.path(),
        &result,
        &plan.kinds(&result),
        plan.job.format,
        plan.offsets,
        |pair, kinds| {
            seen.add(pair, kinds);
            longest.add(pair);
        },
    )?;
    if plan.sentences.as_ref().is_some_and(BySentences::has_spots) {
        let path = folder.path().join(ANTECEDENTS);
        std::fs::write(&path, plan.job.config.words.antecedents.to_lines())
            .map_err(|error| Error::io(&path, error))?;
    }
    for &form in &plan.also {
        write_other_form(folder.path(), &result, form, !plan.job.no_text)?;
    }
    stages.begin("report", 0);
    let report = PassagesReport::collect(&result, &counts, seen, !plan.job.no_text)?;
    let summary = plan.summary(
        &result,
        &counts,
        skipped_files,
        stages.seconds(),
        neardupe_jobs::system::memory::peak_bytes(),
    )?;
    report.write(folder.path(), &summary)?;
    folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    drop(terminal);
    let mut out = std::io::stdout().lock();
    if args.json {
        use std::io::Write;
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.quiet {
        show::show(&mut out, &plan, &result, &counts, &longest, &summary)?;
    }
    print_warnings(&plan.warnings(&result))?;
    let num_bad = result.totals.bad_records;
    drop(result);
    work.finish()?;
    Ok(ExitCode::from(match num_bad > plan.job.allow_bad_records {
        true => exit::LEFT_OUT,
        false => 0,
    }))
}
