//! The manifest of a work directory: whose work it is, which stages are done, which files
//! they left.

use super::frame::corrupt;
use crate::document::{Origin, WorkFile};
use crate::error::{Error, Result};
use crate::hash::HashKey;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Name of the manifest in its work directory.
pub(super) const NAME: &str = "manifest";
/// The manifest until it is complete.
pub(super) const PARTIAL_NAME: &str = "manifest.partial";
/// What the file begins with, so that no other file is taken for it.
const MARK: &str = "neardupe work";
/// Changes with the form of any work file.
const VERSION: &str = "3";

/// Name among the options of a job under which stands its command, where that is not `find`.
pub const COMMAND: &str = "command";

/// What a job is: only the same job can be resumed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobIdentity {
    /// Options that results depend on, by the name of their flag.
    pub options: BTreeMap<String, String>,
    /// The input as it was; None when it can be read only once.
    pub origins: Option<Vec<Origin>>,
}

/// What is written down of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) job: JobIdentity,
    /// Under what the job hashes. Nothing of it may be printed or get into a result.
    pub(super) key: HashKey,
    pub(super) stages: BTreeMap<String, Stage>,
}

/// A stage that is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// What the stage has to say, as JSON.
    pub(super) state: String,
    pub(super) files: Vec<WorkFile>,
}

impl Stage {
    /// A stage that has this to say and left these files.
    pub fn new(state: &impl Serialize, files: Vec<WorkFile>) -> Result<Self> {
        let state = serde_json::to_string(state)
            .map_err(|error| Error::Internal(format!("what a stage says: {error}")))?;
        Ok(Stage { state, files })
    }
}

impl JobIdentity {
    /// An error that names the first difference between the unfinished job and this one.
    pub(super) fn check(&self, now: &JobIdentity) -> Result<()> {
        let changed = |what: String| {
            Err(Error::config(
                "resume",
                format!("{what}; undo the change, or start again without `resume`"),
            ))
        };
        let commands = [self, now].map(|job| match job.options.get(COMMAND) {
            Some(command) => command,
            None => "find",
        });
        if commands[0] != commands[1] {
            return changed(format!(
                "the unfinished job is one of the command {}, this one of {}",
                commands[0], commands[1]
            ));
        }
        let names = self.options.keys().chain(now.options.keys());
        for name in names {
            let (old, new) = (self.options.get(name), now.options.get(name));
            if old != new {
                let shown = |value: Option<&String>| {
                    value.map_or_else(|| "nothing".to_owned(), Clone::clone)
                };
                return changed(format!(
                    "the unfinished job has {} for `{name}`, this one {}",
                    shown(old),
                    shown(new)
                ));
            }
        }
        let none = Vec::new();
        let old = self.origins.as_ref().unwrap_or(&none);
        let new = now.origins.as_ref().unwrap_or(&none);
        for (old, new) in old.iter().zip(new) {
            if old.path != new.path {
                return changed(format!(
                    "the unfinished job reads {} where this one reads {}",
                    old.path, new.path
                ));
            }
            if old != new {
                return changed(format!("{} has changed since", old.path));
            }
        }
        if old.len() != new.len() {
            return changed(format!(
                "the unfinished job reads {} files, this one {}",
                old.len(),
                new.len()
            ));
        }
        Ok(())
    }
}

impl Default for Manifest {
    /// Nothing done, under a key of its own.
    fn default() -> Self {
        Manifest {
            job: JobIdentity::default(),
            key: HashKey::drawn(),
            stages: BTreeMap::new(),
        }
    }
}

impl Manifest {
    /// Whether a folder has a manifest, of any version, damaged or not.
    pub(super) fn is_in(folder: &Path) -> bool {
        let mut start = [0; MARK.len()];
        let read = File::open(folder.join(NAME))
            .and_then(|mut manifest| manifest.read_exact(&mut start));
        read.is_ok() && start == *MARK.as_bytes()
    }

    /// Reads the manifest of a work directory; None when it has none.
    pub(super) fn read(folder: &Path) -> Result<Option<Manifest>> {
        let path = folder.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(None);
            }
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(corrupt(&path, "it is not text".to_owned()));
            }
            Err(error) => return Err(Error::io(&path, error)),
        };
        let (first, rest) = text.split_once('\n').unwrap_or_default();
        let Some(first) = first.strip_prefix(MARK) else {
            return Err(corrupt(&path, "it does not begin as a manifest".to_owned()));
        };
        let (version, checksum) = first.trim().split_once(' ').unwrap_or_default();
        if version != VERSION {
            return Err(Error::Format {
                path,
                expected: format!("version {VERSION}"),
                found: format!("version {version}"),
                remedy: "start again without `resume`".to_owned(),
            });
        }
        // After the version: another version may have another checksum.
        if checksum != format!("{:016x}", xxh3_64(rest.as_bytes())) {
            return Err(corrupt(&path, "its checksum does not fit".to_owned()));
        }
        let manifest = serde_json::from_str(rest);
        manifest.map_err(|error| corrupt(&path, error.to_string()))
    }

    /// Writes the manifest: complete or not at all.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Error::Internal(format!("manifest: {error}")))?;
        let checksum = xxh3_64(text.as_bytes());
        let path = folder.join(NAME);
        let partial = folder.join(PARTIAL_NAME);
        let write = || {
            let mut file = File::create(&partial)?;
            writeln!(file, "{MARK} {VERSION} {checksum:016x}")?;
            file.write_all(text.as_bytes())?;
            // On the disk before it gets its name: after a crash the manifest is the old one or the new one, never an empty file.
            file.sync_data()?;
            fs::rename(&partial, &path)
        };
        write().map_err(|error| Error::io(&path, error))
    }
}
