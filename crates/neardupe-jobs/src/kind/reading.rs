//! Reading for kinds of jobs that look at some documents: they read as `find` would, unless something
//! else is given. They make a job of `find` that is never run, since its validation has every rule
//! about texts, words and features.
//!
//! `similar`, `compare`, `features`, `df-table` and `history` read documents as `find` does but
//! do nothing else of it: they make a job of `find` from their groups of parameters and use its
//! reader and words.

use super::find::{FindJob, FindSpec, idle_options, shared_main_warning};
use crate::param::Params;
use crate::spec::ReadingSpec;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_io::source::{FileSource, InputFile};

/// The job of `find` that reads these inputs. Parameters that are given win over `like`, which has the
/// defaults of a kind of job, or the parameters of a result that is looked at.
pub(super) fn reading_job(
    given: &ReadingSpec,
    inputs: &[String],
    mut like: FindSpec,
) -> Result<FindJob> {
    if given.features.features.is_some() {
        // The antecedents of the other job belong to its features. Validation refuses them for others.
        like.reading.words.antecedents = None;
    }
    let mut spec = FindSpec {
        reading: given.clone(),
        ..FindSpec::default()
    };
    spec.input.inputs = Some(inputs.to_vec());
    spec.or(like).validate()
}

/// Warnings about what a job has read: what it passed over, and given parameters that had no effect on the
/// documents.
pub(super) fn of_reading(given: &ReadingSpec, job: &FindJob) -> Vec<String> {
    let mut idle = idle_options(job);
    // Parameters that come from a result were not chosen by this user: warn only about those given now.
    // Each message begins with its parameter between backquotes, perhaps with a value: `words spaces`.
    idle.retain(|message| {
        let rest = message.trim_start_matches('`');
        let name = rest.split(['`', ' ']).next().unwrap_or_default();
        given.is_set(name)
    });
    let mut warnings = job.passed_over();
    warnings.append(&mut idle);
    warnings
}

/// Opens files. Notices that many pages have as their main content are searched for first, if main
/// contents are wanted, and added to the warnings.
pub(super) fn open(
    job: &mut FindJob,
    files: Vec<InputFile>,
    progress: &dyn Progress,
    warnings: &mut Vec<String>,
) -> Result<FileSource> {
    let source = job.open(files, progress)?;
    warnings.extend(shared_main_warning(job));
    Ok(source)
}

/// The inputs as a source, read as a job does. Unlike [`open`] it never looks for shared main contents:
/// a job that has found some applies them here as well, since they are among its options of texts.
pub(super) fn source_of(inputs: &[String], job: &FindJob) -> Result<FileSource> {
    let files = job.discover_at(inputs)?.files;
    let read = job.read.clone().for_files(&files);
    Ok(FileSource::new(files, read))
}

/// Refuses parameters of texts where no text is read. `needed` names the parameters with which texts
/// are read.
pub(super) fn check_unread(given: &ReadingSpec, needed: &str) -> Result<()> {
    let given = given.to_map();
    // The number of threads means something for every search.
    match given.keys().find(|name| *name != "threads") {
        None => Ok(()),
        Some(name) => {
            let message = format!("needs {needed}: no text is read without it");
            Err(Error::config(name, message))
        }
    }
}
