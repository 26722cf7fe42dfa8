//! A job of `find` whose answer is wanted without an output folder: studies run many of them, and
//! programs ask about documents that they have in memory.

use super::antecedents::count_antecedents;
use super::job::FindJob;
use super::planned::plan_sampling;
use super::run::specify_signatures;
use super::spec::FindSpec;
use super::work::set_key;
use crate::exec::Exec;
use neardupe_core::document::{Progress, Silent, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::{FindResult, find_in};
use neardupe_core::store::WorkDir;

/// Runs the job and hands its answer to `look`. The answer may be in files of the work directory, which
/// are removed afterwards: whatever is needed of it must be copied there.
pub fn find_for<T, E: From<Error>>(
    job: &mut FindJob,
    source: &dyn Source,
    progress: &dyn Progress,
    look: impl FnOnce(&FindResult) -> Result<T, E>,
) -> Result<T, E> {
    let (work, _) = WorkDir::begin(job.config.work_dir.clone(), Default::default())?;
    // Locked: a second job with the same work directory is refused from now on.
    work.enter()?;
    set_key(job, &work)?;
    let seen = find_with(job, source, &work, progress, look)?;
    work.finish()?;
    Ok(seen)
}

/// The same in a work directory of the caller, which may be that of an interrupted job.
pub(crate) fn find_with<T, E: From<Error>>(
    job: &mut FindJob,
    source: &dyn Source,
    work: &WorkDir,
    progress: &dyn Progress,
    look: impl FnOnce(&FindResult) -> Result<T, E>,
) -> Result<T, E> {
    // The order of `run`: words before the frequencies of features that are made of them.
    count_antecedents(job, source, progress)?;
    specify_signatures(job, source, work, progress)?;
    let result = find_in(source, &job.config, work, progress)?;
    look(&result)
}

impl FindSpec {
    /// What is found in a source, without files: ids of duplicates with those of what they duplicate.
    ///
    /// ```
    /// use neardupe_jobs::{FindSpec, MemorySource};
    ///
    /// let pages = MemorySource::of_texts(["To be, or not to be.", "Else.", "to be or not to be"]);
    /// let found = FindSpec::default().find_in(&pages)?;
    /// assert_eq!(found[0].duplicate, "memory:3");
    /// assert_eq!(found[0].representative, "memory:1");
    /// # Ok::<(), neardupe_jobs::Error>(())
    /// ```
    pub fn find_in(self, source: &dyn Source) -> Result<Vec<FoundDuplicate>> {
        self.look_in(source, &Exec::new(&Silent), |result| {
            let documents = &result.documents;
            let named = result.duplicates.iter().map(|row| {
                Ok(FoundDuplicate {
                    duplicate: documents.id(row.document)?.into_owned(),
                    representative: documents.id(row.representative)?.into_owned(),
                })
            });
            named.collect()
        })
    }

    /// The whole answer about a source, which is gone when `look` is done with it.
    pub fn look_in<T: Send>(
        mut self,
        source: &dyn Source,
        exec: &Exec<'_>,
        look: impl FnOnce(&FindResult) -> Result<T> + Send,
    ) -> Result<T> {
        self.input.inputs.get_or_insert_default();
        let mut job = self.validate()?;
        exec.install(job.config.threads, || {
            plan_sampling(&mut job, source, exec.progress)?;
            find_for(&mut job, source, exec.progress, look)
        })
    }
}

/// A document and the one that is kept instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDuplicate {
    /// The id of the document.
    pub duplicate: String,
    /// The id of its representative.
    pub representative: String,
}
