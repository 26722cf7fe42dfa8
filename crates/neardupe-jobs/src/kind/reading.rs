//! How kinds of jobs that look at some documents read them: as `find` would, unless something else is given.

use super::find::{FindJob, FindSpec, shared_main_warning};
use crate::param::Params;
use crate::spec::ReadingSpec;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_io::source::{FileSource, InputFile, discover};

/// The job that would read these inputs so; what is given wins over what the other job says.
pub(super) fn reading_job(
    given: &ReadingSpec,
    inputs: &[String],
    mut like: FindSpec,
) -> Result<FindJob> {
    if given.features.features.is_some() {
        // They belong to the features of the other job.
        like.reading.words.antecedents = None;
    }
    let mut spec = FindSpec {
        reading: given.clone(),
        ..FindSpec::default()
    };
    spec.input.inputs = Some(inputs.to_vec());
    spec.or(like).validate()
}

/// What is given and had nothing to work on in the documents that a job has read.
pub(super) fn idle(given: &ReadingSpec, job: &FindJob) -> Vec<String> {
    let mut idle = job.idle_options();
    idle.retain(|message| {
        let rest = message.trim_start_matches('`');
        let name = rest.split(['`', ' ']).next().unwrap_or_default();
        given.is_set(name)
    });
    idle
}

/// Opens files; what is found on the way is added to the warnings.
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

/// The inputs as a source, read as a job does.
pub(super) fn source_of(inputs: &[String], job: &FindJob) -> Result<FileSource> {
    let files = discover(inputs, job.read.format)?.files;
    let read = job.read.clone().for_files(&files);
    Ok(FileSource::new(files, read))
}

/// Refuses parameters of texts where no text is read.
pub(super) fn check_unread(given: &ReadingSpec, needed: &str) -> Result<()> {
    let given = given.to_map();
    match given.keys().find(|name| *name != "threads") {
        None => Ok(()),
        Some(name) => {
            let message = format!("needs {needed}: no text is read without it");
            Err(Error::config(name, message))
        }
    }
}
