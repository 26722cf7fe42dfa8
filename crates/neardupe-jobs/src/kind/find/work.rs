//! The work directory of a job: begun or resumed, and the advice when the job ends early. `find`,
//! `passages` and `dedup` with passages share it.

use super::job::FindJob;
use crate::exec::Exec;
use crate::param::ParamInfo;
use crate::spec::HashKeyChoice;
use neardupe_core::document::Origin;
use neardupe_core::error::{Error, Result};
use neardupe_core::hash::HashKey;
use neardupe_core::store::{JobIdentity, WorkDir};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Begins a job of `find`, or resumes one.
pub(super) fn open(
    job: &FindJob,
    origins: Option<Vec<Origin>>,
    exec: &Exec<'_>,
) -> Result<WorkDir> {
    let work = open_as(job.config.work_dir.clone(), job.identity(origins), exec)?;
    set_key(job, &work)?;
    Ok(work)
}

/// Sets the key that was asked for; without one it is drawn with the work directory, and kept in it.
pub(super) fn set_key(job: &FindJob, work: &WorkDir) -> Result<()> {
    let key = match job.spec.hash_key.unwrap_or_default() {
        HashKeyChoice::Random => return Ok(()),
        HashKeyChoice::Public => HashKey::PUBLIC,
        HashKeyChoice::Key(key) => key,
    };
    if work.is_resumable() && work.key() != key {
        let message = "the unfinished job has another key; leave it out, or start again without \
                       `resume`";
        return Err(Error::config("hash-key", message));
    }
    work.set_key(key);
    Ok(())
}

/// Begins or resumes the job of an identity. To resume with another identity is an error: parts that
/// were finished with other parameters or another input must not be mixed with new ones.
pub(crate) fn open_as(
    path: PathBuf,
    identity: JobIdentity,
    exec: &Exec<'_>,
) -> Result<WorkDir> {
    let progress = exec.progress;
    // What was read from a pipe is gone; finished parts could not be distinguished from new input.
    if exec.resume && identity.origins.is_none() {
        let message = "standard input and pipes can be read only once; start again";
        return Err(Error::config("resume", message));
    }
    if exec.resume {
        // None if there is no such work directory.
        if let Some(work) = WorkDir::resume(path.clone(), &identity, progress)? {
            progress.note(&format!("going on with the work in {}", path.display()));
            return Ok(work);
        }
        progress.note("there is nothing to resume; starting from the beginning");
    }
    // Removes what an unfinished job has left, which its user may not have meant: said, not asked,
    // since scripts restart jobs.
    let (work, left_over) = WorkDir::begin(path, identity)?;
    if left_over {
        progress.note(&exec.render(
            "discarded an unfinished job; next time use `resume` to continue it",
        ));
    }
    // Locked: no other job writes the same result now.
    work.enter()?;
    Ok(work)
}

/// The parameters that must be the same for a job to be resumed: all but the free ones, which change no
/// result.
pub(crate) fn fixed_options(
    infos: &[&ParamInfo],
    options: &Map<String, Value>,
) -> BTreeMap<String, String> {
    let fixed = infos.iter().filter(|info| !info.is_free);
    fixed
        .filter_map(|info| {
            Some((info.name.to_owned(), options.get(info.name)?.to_string()))
        })
        .collect()
}

/// Adds advice to the error of a job that ended early: how to resume it, or why it cannot be.
/// `resumable` says whether a part is finished in the work directory. Other errors are passed on.
pub(crate) fn with_advice(
    error: Error,
    resumable: bool,
    checkpoint: bool,
    work_dir: &Path,
    exec: &Exec<'_>,
) -> Error {
    match error {
        Error::Cancelled => {
            // Which of the three is true depends on what was kept, and the user can act on
            // each.
            let advice = if resumable {
                format!("go on with: {}", exec.how_to_resume)
            } else if checkpoint {
                "nothing was kept, since no part of the input was read to its end"
                    .to_owned()
            } else {
                "nothing was kept: no part of the input was read to its end, or the job was \
                 held in memory (`checkpoint` keeps what is done)"
                    .to_owned()
            };
            Error::Stopped { advice }
        }
        Error::Io { path, source } if source.kind() == ErrorKind::StorageFull => {
            let mut remedy = "free some space".to_owned();
            // A full disk under the output folder is not helped by another work directory.
            if path.starts_with(work_dir) {
                remedy += ", or choose another place with `work-dir`";
            }
            if resumable {
                remedy += &format!("; then go on with: {}", exec.how_to_resume);
            }
            Error::DiskFull { path, remedy }
        }
        other => other,
    }
}
