//! A result folder appears complete or not at all.
//!
//! Files are written to a folder beside it; `summary.json` comes last; then the folder
//! takes its name by one rename. An older result is set aside first and removed last.

use neardupe_core::error::{Error, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file that marks a folder as a result of ours.
const MARK: &str = "summary.json";
/// The files of a result, whatever their format.
const OUR_FILES: [&str; 6] = [
    "summary",
    "pairs",
    "clusters",
    "duplicates",
    "bad-records",
    "texts",
];
const MARK_TEXT: &str = "\"program\": \"neardupe\"";

/// A result in the making.
#[derive(Debug)]
pub struct ResultFolder {
    target: PathBuf,
    partial: PathBuf,
    finished: bool,
}

impl ResultFolder {
    /// Whether `target` may be written; an existing folder is replaced only if it is a
    /// result of ours, or empty.
    pub fn check(target: &Path) -> Result<()> {
        if !target.exists() {
            return Ok(());
        }
        let refuse = |what: &str| {
            let message = format!(
                "{} exists and is not a result of neardupe ({what}); \
                 it is left alone, choose another folder",
                target.display()
            );
            Err(Error::config("--output", message))
        };
        if !target.is_dir() {
            return refuse("it is not a folder");
        }
        let mut foreign = None;
        let mut empty = true;
        for entry in fs::read_dir(target).map_err(|error| Error::io(target, error))? {
            let name = entry.map_err(|error| Error::io(target, error))?.file_name();
            let name = name.to_string_lossy().into_owned();
            empty = false;
            if !OUR_FILES.contains(&name.split('.').next().unwrap_or_default()) {
                foreign.get_or_insert(name);
            }
        }
        match foreign {
            _ if empty => Ok(()),
            _ if !is_result(target) => refuse("it has no summary.json of ours"),
            // It would be lost with the old result.
            Some(name) => refuse(&format!("it also holds {name}")),
            None => Ok(()),
        }
    }

    /// Begins a result that will be called `target`.
    pub fn create(target: &Path) -> Result<Self> {
        Self::check(target)?;
        let partial = beside(target, "partial");
        if partial.exists() {
            // Of a job that was killed; whoever comes here has the work directory.
            fs::remove_dir_all(&partial).map_err(|error| Error::io(&partial, error))?;
        }
        fs::create_dir_all(&partial).map_err(|error| Error::io(&partial, error))?;
        Ok(ResultFolder {
            target: target.to_path_buf(),
            partial,
            finished: false,
        })
    }

    /// Where files go until the result is complete.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Writes the summary and gives the folder its name.
    pub fn finish(mut self, summary: &str) -> Result<()> {
        let path = self.partial.join(MARK);
        let write = || {
            let mut file = File::create(&path)?;
            file.write_all(summary.as_bytes())?;
            file.sync_all()
        };
        write().map_err(|error| Error::io(&path, error))?;
        let old = beside(&self.target, "old");
        let had_old = self.target.exists();
        let rename = |from: &Path, to: &Path| {
            fs::rename(from, to).map_err(|error| Error::io(from, error))
        };
        if old.exists() {
            fs::remove_dir_all(&old).map_err(|error| Error::io(&old, error))?;
        }
        if had_old {
            rename(&self.target, &old)?;
        }
        rename(&self.partial, &self.target)?;
        self.finished = true;
        if had_old {
            fs::remove_dir_all(&old).map_err(|error| Error::io(&old, error))?;
        }
        Ok(())
    }
}

impl Drop for ResultFolder {
    fn drop(&mut self) {
        if !self.finished {
            // What was written so far is no result.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// Whether a folder is a result of ours.
pub(crate) fn is_result(folder: &Path) -> bool {
    fs::read_to_string(folder.join(MARK)).is_ok_and(|text| text.contains(MARK_TEXT))
}

/// A hidden name next to `target`.
pub fn beside(target: &Path, what: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_replaced_and_anything_else_is_not() {
        let base = tempfile::tempdir().unwrap();
        let target = base.path().join("out");
        for round in 0..2 {
            let folder = ResultFolder::create(&target).unwrap();
            fs::write(folder.path().join("pairs.jsonl"), format!("{round}")).unwrap();
            folder.finish("{\n  \"program\": \"neardupe\"\n}").unwrap();
        }
        assert_eq!(fs::read_to_string(target.join("pairs.jsonl")).unwrap(), "1");
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 1);
        fs::write(target.join("notes.txt"), "mine").unwrap();
        let message = ResultFolder::create(&target).unwrap_err().to_string();
        assert!(message.contains("notes.txt"), "{message}");
        fs::remove_file(target.join("notes.txt")).unwrap();
        ResultFolder::create(&target).unwrap();
        fs::write(target.join(MARK), "{}").unwrap();
        assert!(ResultFolder::create(&target).is_err());
    }

    #[test]
    fn an_unfinished_result_leaves_nothing() {
        let base = tempfile::tempdir().unwrap();
        let folder = ResultFolder::create(&base.path().join("out")).unwrap();
        fs::write(folder.path().join("pairs.jsonl"), "x").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }
}
