//! A job of `passages` whose tables alone are wanted: a study runs many of them. Tables are
//! written and read back, so that a study measures what a user would get.
//!
//! Without an output folder there is nothing to resume, and a study counts the time to the end of
//! the search.

use super::job::PassagesJob;
use super::summary::Circumstances;
use crate::exec::Exec;
use crate::kind::find::shared_main_warning;
use crate::passage_tables::write_passages;
use neardupe_core::document::Silent;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::passages::passages;
use neardupe_core::store::{JobIdentity, WorkDir, note_own_file};
use neardupe_io::result::ResultReader;

/// What a job was and found.
pub struct PassagesSearched<M> {
    /// Documents.
    pub documents: u64,
    /// Records that did not become documents.
    pub bad_records: u64,
    /// Passages.
    pub passages: u64,
    /// The measurement that the caller took when the search was done.
    pub measured: M,
    /// What the user should know of the texts.
    pub warnings: Vec<String>,
}

/// Runs the job and hands its tables to `look`; they are removed afterwards. `measure` is called when
/// the search is done and nothing is written yet: the time of a trial ends there.
pub fn passages_for<T, M, E: From<Error>>(
    mut job: PassagesJob,
    exec: &Exec<'_>,
    measure: impl FnOnce() -> M,
    look: impl FnOnce(&ResultReader) -> Result<T, E>,
) -> Result<(PassagesSearched<M>, T), E> {
    let progress = exec.progress;
    if job.find.config.budget.checkpoint {
        let message = "a trial of a study is not resumed; leave it out";
        return Err(Error::config("checkpoint", message).into());
    }
    // The search for main contents that pages share is not a stage of the trial: it reports no progress.
    let opened = job.open(&Silent)?;
    let path = job.find.config.work_dir.clone();
    let (work, _) = WorkDir::begin(path, JobIdentity::default())?;
    // Locked: no other job uses it now.
    work.enter()?;
    let config = job.config(&opened.source, &work, progress)?;
    let result = passages(&opened.source, &config, &work, progress)?;
    let searched = PassagesSearched {
        documents: result.totals.documents,
        bad_records: result.totals.bad_records,
        passages: result.num_passages(),
        measured: measure(),
        warnings: {
            let mut warnings = job.find.passed_over();
            warnings.extend(shared_main_warning(&job.find));
            warnings
        },
    };
    let folder = work.path().join("answer");
    let failed = |error| Error::io(&folder, error);
    note_own_file(work.path(), "answer/")?;
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let (format, offsets) = (job.find.format, job.offsets);
    let kinds = job.kinds(&result);
    let counts = write_passages(&folder, &result, &kinds, format, offsets, |_, _| {})?;
    let known = Circumstances {
        num_own: opened.num_own,
        ..Circumstances::default()
    };
    let known = known.with_warnings(&job.warnings(&result), exec);
    let summary = job.summary(&result, &counts, known).to_json()?;
    // Its rows may be in the work directory, beside the answer.
    drop(result);
    std::fs::write(folder.join("summary.json"), summary.to_string()).map_err(failed)?;
    let seen = look(&ResultReader::open(&folder)?)?;
    work.finish()?;
    Ok((searched, seen))
}
