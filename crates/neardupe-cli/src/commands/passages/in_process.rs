//! A job of `passages` of which only the tables are wanted: a study runs many of them.

use super::plan::Plan;
use super::{PassagesArgs, passages};
use crate::commands::find::ReadingArgs;
use anyhow::Result;
use clap::Parser;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_core::store::WorkDir;
use neardupe_io::result::ResultReader;
use neardupe_jobs::passage_tables::write_passages;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Flags and inputs alone.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Typed {
    #[command(flatten)]
    args: PassagesArgs,
}

impl PassagesArgs {
    /// What would be typed: flags over files, read as told.
    pub(crate) fn typed(
        flags: &str,
        inputs: &[String],
        reading: ReadingArgs,
    ) -> Result<Self> {
        let words = flags.split_whitespace().map(str::to_owned);
        let words = words.chain(["--".to_owned()]).chain(inputs.iter().cloned());
        let parsed = Typed::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            let first = first.trim_start_matches("error: ");
            Error::config("also", format!("{flags:?}: {first}"))
        })?;
        let mut args = parsed.args;
        if args.output.is_some() || args.offsets.is_some() {
            let message = format!("{flags:?}: no result is written");
            return Err(Error::config("also", message).into());
        }
        args.reading = reading;
        Ok(args)
    }

    /// The same with a place for what does not fit in memory, beside the output.
    pub(crate) fn with_work(
        mut self,
        output: PathBuf,
        work_dir: Option<PathBuf>,
        memory: Option<String>,
    ) -> Self {
        self.output = Some(output);
        self.work_dir = work_dir;
        self.memory = memory;
        self
    }

    /// Refuses what can be told to be wrong by the options alone.
    pub(crate) fn check(&self) -> Result<()> {
        Plan::resolve(self).map(|_| ())
    }
}

/// What a job was and found.
pub(crate) struct Searched<M> {
    pub(crate) documents: u64,
    pub(crate) bad_records: u64,
    pub(crate) passages: u64,
    /// What was measured when the search was done.
    pub(crate) measured: M,
}

/// Runs the job and shows its tables, which are gone afterwards. `measure` is called when the search is
/// done and nothing is written yet.
pub(crate) fn passages_for<T, M>(
    args: &PassagesArgs,
    progress: &dyn Progress,
    measure: impl FnOnce() -> M,
    look: impl FnOnce(&ResultReader) -> Result<T>,
) -> Result<(Searched<M>, T)> {
    let mut plan = Plan::resolve(args)?;
    let (source, _) = plan.source()?;
    let (work, _) = WorkDir::begin(plan.job.config.work_dir.clone(), Default::default())?;
    // Nobody else writes the same result now.
    work.enter()?;
    let config = plan.config(&source, &work, progress)?;
    let result = passages::passages(&source, &config, &work, progress)?;
    let searched = Searched {
        documents: result.totals.documents,
        bad_records: result.totals.bad_records,
        passages: result.num_passages(),
        measured: measure(),
    };
    let folder = work.path().join("answer");
    let failed = |error| Error::io(&folder, error);
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let (format, offsets) = (plan.job.format, plan.offsets);
    let kinds = plan.kinds(&result);
    let counts = write_passages(&folder, &result, &kinds, format, offsets, |_, _| {})?;
    let summary = plan.summary(&result, &counts, 0, BTreeMap::new(), 0)?;
    drop(result);
    std::fs::write(folder.join("summary.json"), summary.to_string()).map_err(failed)?;
    let seen = look(&ResultReader::open(&folder)?)?;
    work.finish()?;
    Ok((searched, seen))
}
