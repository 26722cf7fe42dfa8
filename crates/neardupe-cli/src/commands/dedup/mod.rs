//! `neardupe dedup`: finds near-duplicates, then writes the collection without them.
//!
//! The input is read twice: once to find, once to write. That it is the same both times is
//! verified by size and time of each file, by the text of each document and by the counts.

mod passages;
mod show;

use super::find::{FindArgs, Job, Purpose, exit_code, run_job};
use anyhow::Result;
use clap::Args;
use neardupe_core::cluster::Keep;
use neardupe_core::document::{Origin, Progress, Source};
use neardupe_core::error::Error;
use neardupe_core::pipeline::{ClusterMode, FindResult};
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::rewrite::{
    AddedFields, Dedup, Mode, Rewrite, check_fields, check_names, count_files, write_ids,
};
use neardupe_io::source::FileSource;
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `dedup`.
#[derive(Debug, Args)]
pub(crate) struct DedupArgs {
    /// Write all documents in place, with cluster_id, cluster_size, is_representative,
    /// duplicate_of and similarity added
    #[arg(long, help_heading = "Dedup", conflicts_with = "ids_only")]
    annotate: bool,

    /// Write no documents, only the lists kept-ids.txt and removed-ids.txt
    #[arg(long, help_heading = "Dedup")]
    ids_only: bool,

    /// What the names of added fields begin with
    #[arg(
        long,
        value_name = "PREFIX",
        default_value = "",
        hide_default_value = true,
        help_heading = "Dedup"
    )]
    prefix: String,

    /// Remove with --cluster components and with --no-verify too, where removed documents need not
    /// resemble the one that is kept
    #[arg(long, help_heading = "Dedup")]
    allow_unverified: bool,

    /// Replace the output folder even if it holds another collection
    #[arg(long, help_heading = "Dedup")]
    overwrite: bool,

    #[command(flatten)]
    passages: passages::PassageArgs,

    #[command(flatten)]
    find: FindArgs,
}

/// What is written.
struct Output<'a> {
    args: &'a DedupArgs,
    fields: AddedFields,
    /// Files that are written again.
    files: Vec<u32>,
    /// The files as they were before the job; None when that does not matter.
    origins: Option<Vec<Origin>>,
}

/// Runs the command.
pub(crate) fn run(args: &DedupArgs) -> Result<ExitCode> {
    if args.passages.passages {
        return passages::run(&args.passages, &args.find, args.overwrite);
    }
    let mut output = Output {
        args,
        fields: AddedFields::new(args.mode(), &args.prefix, false),
        files: Vec::new(),
        origins: None,
    };
    let (job, summary) = run_job(&args.find, &mut output)?;
    let mut out = std::io::stdout().lock();
    if args.find.json() {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.find.quiet() {
        show::show(&mut out, &job, &summary)?;
    }
    // Whoever wants no summary wants to hear of this all the same.
    show::warn(&mut std::io::stderr().lock(), &summary)?;
    Ok(exit_code(&job, &summary))
}

impl DedupArgs {
    fn mode(&self) -> Mode {
        match self.annotate {
            true => Mode::Annotate,
            false => Mode::Split,
        }
    }

    fn mode_name(&self) -> &'static str {
        match (self.ids_only, self.annotate) {
            (true, _) => "ids-only",
            (_, true) => "annotate",
            _ => "split",
        }
    }
}

impl Output<'_> {
    /// Refuses an input that is not what it was.
    fn check_origins(&self, source: &FileSource) -> Result<()> {
        check_origins(self.origins.as_deref().unwrap_or_default(), source)
    }
}

/// Refuses to replace what was written for other inputs, unless that is wanted.
fn check_replaced(job: &Job, overwrite: bool) -> Result<()> {
    let now = job
        .options
        .get("inputs")
        .unwrap_or(&serde_json::Value::Null);
    match overwrite {
        true => Ok(()),
        false => Ok(ResultFolder::check_collection(&job.output, now)?),
    }
}

/// Refuses an input that is not what it was.
fn check_origins(before: &[Origin], source: &FileSource) -> Result<()> {
    let now = source.origins()?;
    for (before, now) in before.iter().zip(now.iter().flatten()) {
        if before != now {
            let message = "it changed while the job was at work (size or time); nothing \
                           was written, run it again";
            return Err(Error::input(&before.path, message).into());
        }
    }
    Ok(())
}

/// Refuses a rule that read none of its values: documents would be removed by their ids. A value
/// that nobody has is another matter, since the parts of a collection can differ in that.
fn check_rule(job: &Job, result: &FindResult) -> Result<()> {
    let keep = &job.config.keep;
    let Some(values) = &result.keep_values else {
        return Ok(());
    };
    let prefers = matches!(keep, Keep::Prefer(..));
    if prefers || !values.none_readable() || result.duplicates.is_empty() {
        return Ok(());
    }
    let what = match keep {
        Keep::Newest(_) | Keep::Oldest(_) => "a date",
        Keep::Highest(_) | Keep::Lowest(_) => "a number",
        _ => "a value",
    };
    let example = values.unreadable_example.as_ref();
    let example = example.or(values.ambiguous_example.as_ref());
    let example = match example.filter(|_| !job.no_text) {
        Some(example) => format!(" (there is {example:?})"),
        None => String::new(),
    };
    let message = format!(
        "{keep}: no document has {what} in the field {}{example}, so the rule would not decide \
         which ones are removed; nothing was written, choose another rule",
        values.field
    );
    Err(Error::config("--keep", message).into())
}

impl Purpose for Output<'_> {
    fn command(&self) -> &'static str {
        "dedup"
    }

    fn kind(&self) -> ResultKind {
        ResultKind::Dedup
    }

    fn check_job(&mut self, job: &mut Job) -> Result<()> {
        if !job.names_output {
            let message = "dedup needs a folder for the collection: -o DIR";
            return Err(Error::config("--output", message).into());
        }
        let against = job.config.against.is_some();
        self.fields = AddedFields::new(self.args.mode(), &self.args.prefix, against);
        let no_verify = job.options.get("no-verify") == Some(&json!(true));
        if no_verify && !self.args.allow_unverified {
            let message = "a document may be removed that does not resemble the one that is kept; \
                           leave out the option, or add --allow-unverified";
            return Err(Error::config("--no-verify", message).into());
        }
        let is_star = job.config.cluster == ClusterMode::Star;
        if self.args.allow_unverified && is_star && !no_verify {
            let message =
                "nothing is unverified without --no-verify or --cluster components";
            return Err(Error::config("--allow-unverified", message).into());
        }
        match job.config.cluster {
            ClusterMode::Star => {}
            ClusterMode::Components if self.args.allow_unverified => {}
            ClusterMode::Components => {
                let message = "in components a document may be removed that does not resemble \
                               the one that is kept; leave out the option (star clusters \
                               remove nothing without proof), or add --allow-unverified";
                return Err(Error::config("--cluster", message).into());
            }
            ClusterMode::Neighbors | ClusterMode::None => {
                let message = format!(
                    "with {} no document is kept for others, so none can be removed; leave \
                     out the option",
                    job.config.cluster
                );
                return Err(Error::config("--cluster", message).into());
            }
        }
        Ok(())
    }

    fn check_source(&mut self, job: &Job, source: &FileSource) -> Result<()> {
        check_replaced(job, self.args.overwrite)?;
        let num_files = u32::try_from(source.file_names().len())?;
        // Old documents stay where they are.
        let num_old = job
            .config
            .against
            .map_or(0, |against| against.num_old_files);
        self.files = (num_old..num_files).collect();
        if self.args.ids_only {
            return Ok(());
        }
        self.origins = source.origins()?;
        if self.origins.is_none() {
            let once = source.files().iter().find(|file| !file.regular);
            let name = once.map_or("dedup", |file| &file.name);
            let message = "standard input, pipes and folders that cannot be read are read \
                           only once, and dedup reads twice; name files, or take --ids-only";
            return Err(Error::input(name, message).into());
        }
        check_names(source, &self.files)?;
        check_fields(source, self.args.mode(), &self.fields, &self.files)?;
        Ok(())
    }

    fn write(
        &self,
        job: &Job,
        source: &FileSource,
        result: &FindResult,
        folder: &ResultFolder,
        progress: &dyn Progress,
    ) -> Result<Option<Dedup>> {
        check_rule(job, result)?;
        progress.begin("rewrite", source.total_bytes());
        let counts = if self.args.ids_only {
            write_ids(folder.path(), result, &self.files)?;
            count_files(result, &self.files)
        } else {
            self.check_origins(source)?;
            let rewrite = Rewrite {
                source,
                result,
                mode: self.args.mode(),
                fields: &self.fields,
                folder: folder.path(),
                threads: job.config.threads,
            };
            let counts = rewrite.run(&self.files, progress)?;
            self.check_origins(source)?;
            counts
        };
        let tables = folder.result_path();
        Dedup::write_tables(&tables, source, result, &counts, job.format)?;
        Ok(Some(Dedup::new(self.args.mode_name(), result, &counts)?))
    }

    fn options(&self) -> Vec<(&'static str, serde_json::Value)> {
        vec![
            ("annotate", json!(self.args.annotate)),
            ("ids-only", json!(self.args.ids_only)),
            ("prefix", json!(self.args.prefix)),
            ("allow-unverified", json!(self.args.allow_unverified)),
        ]
    }
}
