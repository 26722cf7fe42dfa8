//! A job of `find` of which only the answer is wanted, and no folder: a study runs many of them.

use super::job::FindJob;
use super::run::specify_signatures;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::{FindResult, find_in};
use neardupe_core::store::WorkDir;
use neardupe_io::source::FileSource;

/// Runs the job and shows its answer, which may lie in the work directory and is gone afterwards.
pub fn find_for<T, E: From<Error>>(
    job: &mut FindJob,
    source: &FileSource,
    progress: &dyn Progress,
    look: impl FnOnce(&FindResult) -> Result<T, E>,
) -> Result<T, E> {
    let (work, _) = WorkDir::begin(job.config.work_dir.clone(), Default::default())?;
    // Nobody else writes the same result now.
    work.enter()?;
    job.count_antecedents(source, progress)?;
    specify_signatures(job, source, &work, progress)?;
    let result = find_in(source, &job.config, &work, progress)?;
    let seen = look(&result)?;
    drop(result);
    work.finish()?;
    Ok(seen)
}
