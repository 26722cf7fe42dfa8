//! `neardupe df-table`: how many documents have each feature, counted once and kept, so that
//! weights made from it stay what they are.

mod build;
mod info;
mod merge;

use anyhow::Result;
use build::BuildArgs;
use clap::{Args, Subcommand};
use info::InfoArgs;
use merge::MergeArgs;
use neardupe_core::error::Error;
use neardupe_core::frequency::{DEFAULT_MAX_ENTRIES, DfTable, may_replace};
use neardupe_core::store::{JobIdentity, WorkDir};
use neardupe_io::output::beside;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// What was typed after `df-table`.
#[derive(Debug, Args)]
pub(crate) struct DfTableArgs {
    #[command(subcommand)]
    command: DfTableCommand,
}

#[derive(Debug, Subcommand)]
enum DfTableCommand {
    /// Count the documents of a collection that have each feature
    Build(Box<BuildArgs>),
    /// Add up the tables of parts of a collection
    Merge(MergeArgs),
    /// Tell what a table holds
    Info(InfoArgs),
}

/// Runs the command.
pub(crate) fn run(args: &DfTableArgs) -> Result<ExitCode> {
    match &args.command {
        DfTableCommand::Build(args) => build::run(args),
        DfTableCommand::Merge(args) => merge::run(args),
        DfTableCommand::Info(args) => info::run(args),
    }
}

/// Refuses to write over anything that is not a table.
fn check_output(path: &Path) -> Result<()> {
    let is_lost = !may_replace(path)?;
    if is_lost {
        let message = format!(
            "{} exists and is not a df table; it is left alone, choose another name",
            path.display()
        );
        return Err(Error::config("output", message).into());
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    if let Some(folder) = folder
        && !folder.is_dir()
    {
        let message = format!("there is no folder {}", folder.display());
        return Err(Error::config("output", message).into());
    }
    Ok(())
}

/// Where counts go that do not fit in memory: beside the output, or in a folder that was named.
fn work_beside(output: &Path, folder: Option<&Path>) -> Result<WorkDir> {
    let path = match folder {
        None => beside(output, "work"),
        Some(folder) => {
            let name = output.file_name().unwrap_or_default();
            beside(&folder.join(name), "work")
        }
    };
    // What a killed job has left goes; one at work is not disturbed.
    let (work, _) = WorkDir::begin(path, JobIdentity::default())?;
    Ok(work)
}

/// The limits of a table, as typed.
fn limits(
    min_df: Option<&str>,
    usual_min_df: u32,
    max_entries: Option<&str>,
) -> Result<(u32, usize)> {
    let number = |flag: &str, typed: &str| {
        crate::options::whole_number(flag, typed, 1..=u64::from(u32::MAX))
    };
    let min_df = match min_df {
        None => usual_min_df,
        Some(typed) => u32::try_from(number("--min-df", typed)?)?,
    };
    let max_entries = match max_entries {
        None => DEFAULT_MAX_ENTRIES,
        Some(typed) => usize::try_from(number("--max-entries", typed)?)?,
    };
    Ok((min_df, max_entries))
}

/// What a table is, as JSON.
fn facts(table: &DfTable) -> Result<Value> {
    Ok(json!({
        "identity": table.identity(),
        "documents": table.num_documents(),
        "entries": table.len(),
        "min_df": table.min_df(),
        "unseen": table.unseen(),
        "uncertainty": table.uncertainty(),
        "specification": serde_json::to_value(table.specification())?,
    }))
}
