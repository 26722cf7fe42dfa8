//! The work directory of a study: what was done before it was interrupted, and how to go on.
//!
//! A study that runs settings one after the other keeps each finished one; a study that reads
//! once and counts keeps what it has read. Both are stages of the work directory like those of a
//! job, and the identity has the files that say what is right as well: labels may be corrected
//! between two runs.

use super::super::find::FindJob;
use super::super::find::work::{open_as, with_advice};
use super::base::StudyBase;
use crate::exec::Exec;
use crate::param::Params;
use neardupe_core::document::{Origin, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::store::{JobIdentity, WorkDir};
use neardupe_io::source::FileSource;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// What of a study is kept when it is interrupted.
#[derive(Debug, Clone, Copy)]
pub(super) enum StudyCheckpoint {
    /// Settings that are finished.
    Settings,
    /// What was read, if it was put into the work directory.
    Reading {
        /// That was asked for.
        checkpoint: bool,
    },
}

/// What a study is, besides its options: only the same study can be resumed.
pub(super) struct StudyFiles<'a> {
    /// The name of the study.
    pub(super) study: &'static str,
    /// Files that say what is right.
    pub(super) truth: Vec<&'a Path>,
    /// What files that options of settings name held when they were read.
    pub(super) contents: BTreeMap<String, String>,
}

/// The identity of a study: its options without those that no result depends on, and its files.
pub(super) fn identity<P: Params>(
    job: &FindJob,
    options: &Map<String, Value>,
    files: StudyFiles<'_>,
) -> Result<JobIdentity> {
    let infos = P::infos().into_iter().filter(|info| !info.is_free);
    // Parameters that were left out are part of it as null.
    let mut named: BTreeMap<String, String> = infos
        .map(|info| {
            let value = options.get(info.name).unwrap_or(&Value::Null);
            (info.name.to_owned(), value.to_string())
        })
        .collect();
    named.insert("study".to_owned(), files.study.to_owned());
    named.extend(job.contents());
    named.extend(files.contents);
    let mut origins = origins(job)?;
    if let Some(origins) = &mut origins {
        let stop_words = job.spec.reading.words.stop_words.as_deref();
        let stop_words = stop_words.map(Path::new).filter(|path| path.is_file());
        // By size and time, as inputs are.
        for path in files.truth.into_iter().chain(stop_words) {
            add_origins(path, origins)?;
        }
    }
    Ok(JobIdentity {
        options: named,
        origins,
    })
}

/// The input as it is now.
fn origins(job: &FindJob) -> Result<Option<Vec<Origin>>> {
    StudyBase::check_inputs(job)?;
    // Discovered with a copy, since discovering fills in what the job then reads.
    let mut job = job.clone();
    let files = job.discover()?.files;
    let read = job.read.for_files(&files);
    FileSource::new(files, read).origins()
}

/// A file, or all files of a folder.
fn add_origins(path: &Path, origins: &mut Vec<Origin>) -> Result<()> {
    let failed = |error| Error::io(path, error);
    let metadata = path.metadata().map_err(failed)?;
    if metadata.is_dir() {
        let entries = path.read_dir().map_err(failed)?;
        let entries = entries.map(|entry| Ok(entry?.path()));
        let entries: std::io::Result<Vec<PathBuf>> = entries.collect();
        let mut entries = entries.map_err(failed)?;
        // In a fixed order, since the identity is compared as a whole.
        entries.sort_unstable();
        return entries
            .iter()
            .try_for_each(|entry| add_origins(entry, origins));
    }
    origins.push(Origin {
        path: path.to_string_lossy().into_owned(),
        bytes: metadata.len(),
        modified: modified(&metadata),
    });
    Ok(())
}

/// Nanoseconds since 1970, negative before; 0 where the system does not say.
fn modified(metadata: &Metadata) -> i128 {
    let nanos = |time: Duration| i128::try_from(time.as_nanos()).unwrap_or(0);
    let modified = metadata.modified().ok();
    match modified.map(|time| time.duration_since(UNIX_EPOCH)) {
        Some(Ok(since)) => nanos(since),
        Some(Err(before)) => -nanos(before.duration()),
        None => 0,
    }
}

/// Does a study in its work directory, which is begun or resumed. It is removed when the study is done; when
/// the study ends early, the error says how to go on.
pub(super) fn in_work<T>(
    base: &StudyBase,
    job: &FindJob,
    identity: JobIdentity,
    checkpoint: StudyCheckpoint,
    exec: &Exec<'_>,
    study: impl FnOnce(&WorkDir) -> Result<T>,
) -> Result<T> {
    if exec.resume && identity.origins.is_none() {
        let message = "pipes can be read only once; start again";
        return Err(Error::config("resume", message));
    }
    let path = &job.config.work_dir;
    let work = open_as(path.clone(), identity, exec)
        .map_err(|error| advised(error, false, checkpoint, path, exec))?;
    // Only what was read once can be read on; settings start from their beginning.
    let reads_on =
        matches!(checkpoint, StudyCheckpoint::Reading { .. }) && work.is_resumable();
    base.set_resumed(reads_on);
    // The result of the study owns nothing in the work directory when this returns, so it can be
    // removed.
    let done = study(&work)
        .map_err(|error| advised(error, work.is_resumable(), checkpoint, path, exec))?;
    work.finish()?;
    Ok(done)
}

/// What a user can do next depends on what is kept: go on, or start again.
fn advised(
    error: Error,
    resumable: bool,
    checkpoint: StudyCheckpoint,
    work_dir: &Path,
    exec: &Exec<'_>,
) -> Error {
    let own = of_setting(work_dir);
    match (&error, checkpoint) {
        (Error::Cancelled, StudyCheckpoint::Settings) if !resumable => Error::Stopped {
            advice: "nothing was kept, since the first setting was not finished"
                .to_owned(),
        },
        // A full disk under the directory of a setting: advice for that path.
        (Error::Io { path, .. }, _) if path.starts_with(&own) => {
            with_advice(error, resumable, false, &own, exec)
        }
        (_, StudyCheckpoint::Settings) => {
            with_advice(error, resumable, true, work_dir, exec)
        }
        (_, StudyCheckpoint::Reading { checkpoint }) => {
            with_advice(error, resumable, checkpoint, work_dir, exec)
        }
    }
}

/// Where the job of a setting works: beside the study, which outlives it.
pub(super) fn of_setting(work_dir: &Path) -> PathBuf {
    let mut path = work_dir.to_path_buf().into_os_string();
    path.push(".setting");
    path.into()
}
