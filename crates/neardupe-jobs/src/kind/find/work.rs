//! The work directory of a job: begun or resumed, and what to say when the job ends early.

use super::job::FindJob;
use crate::exec::Exec;
use crate::param::ParamInfo;
use neardupe_core::document::Origin;
use neardupe_core::error::{Error, Result};
use neardupe_core::store::{JobIdentity, WorkDir};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Begins a job, or goes on with one.
pub(super) fn open(
    job: &FindJob,
    origins: Option<Vec<Origin>>,
    exec: &Exec<'_>,
) -> Result<WorkDir> {
    open_as(job.config.work_dir.clone(), job.identity(origins), exec)
}

/// Begins or resumes the job of an identity.
pub(crate) fn open_as(
    path: PathBuf,
    identity: JobIdentity,
    exec: &Exec<'_>,
) -> Result<WorkDir> {
    let progress = exec.progress;
    if exec.resume && identity.origins.is_none() {
        let message = "standard input and pipes can be read only once; start again";
        return Err(Error::config("resume", message));
    }
    if exec.resume {
        if let Some(work) = WorkDir::resume(path.clone(), &identity, progress)? {
            progress.tell(&format!("going on with the work in {}", path.display()));
            return Ok(work);
        }
        progress.tell("there is nothing to resume; starting from the beginning");
    }
    let (work, left_over) = WorkDir::begin(path, identity)?;
    if left_over {
        progress.tell(&exec.render(
            "discarded an unfinished job; next time use `resume` to continue it",
        ));
    }
    // Nobody else writes the same result now.
    work.enter()?;
    Ok(work)
}

/// The parameters that must be the same for a job to be resumed, of all that it has.
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

/// Adds what can be done about a job that ended early.
pub(crate) fn with_advice(
    error: Error,
    resumable: bool,
    checkpoint: bool,
    work_dir: &Path,
    exec: &Exec<'_>,
) -> Error {
    match error {
        Error::Cancelled => {
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
