//! A result folder appears complete or not at all.
//!
//! Files are written to a folder beside it; `summary.json` comes last; then the folder
//! takes its name by one rename. An older result is set aside first and removed last.

use crate::tables::{Declared, Files, ResultKind, tables};
use neardupe_core::error::{Error, Result};
use neardupe_core::hash::FixedSet;
use neardupe_core::store::WorkDir;
use serde::Deserialize;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Folder of removed documents in an output of `dedup`.
pub const REMOVED: &str = "removed";
/// Folder of bad records in an output of `dedup`.
pub const BAD: &str = "bad";

/// The file that marks a folder as a result of ours.
const MARK: &str = "summary.json";
/// Where the files of a result are in the output of `dedup`.
pub const RESULT: &str = "_neardupe";
const MARK_TEXT: &str = "\"program\": \"neardupe\"";

/// Files that a result may have besides its tables, without their endings.
fn other_files(kind: ResultKind) -> &'static [&'static str] {
    match kind {
        ResultKind::Find | ResultKind::Dedup => {
            &["texts", "antecedents", "sampling-plan", "report"]
        }
        ResultKind::History => &[],
        ResultKind::Passages => &["texts", "antecedents", "report", "pan", "passim"],
        ResultKind::Study => &["grid", "report", "figures"],
        ResultKind::Trec => &[
            "bad-records",
            "report",
            "figures",
            "runs",
            "qrels",
            "mirrors",
        ],
    }
}

/// Whether a file may be replaced with a folder of this kind, whatever its format.
fn is_file_of(kind: ResultKind, name: &str) -> bool {
    let name = name.split('.').next().unwrap_or_default();
    // What was found is in either.
    let kinds = match kind {
        ResultKind::Find | ResultKind::Dedup => {
            &[ResultKind::Find, ResultKind::Dedup][..]
        }
        ref other => std::slice::from_ref(other),
    };
    let mut tables = tables().filter(|table| table.name == name);
    name == "summary"
        || other_files(kind).contains(&name)
        || tables.any(|table| table.of.iter().any(|of| kinds.contains(of)))
}

/// A result in the making.
#[derive(Debug)]
pub struct ResultFolder {
    target: PathBuf,
    partial: PathBuf,
    kind: ResultKind,
    finished: bool,
}

impl ResultFolder {
    /// Whether `target` may be written; an existing folder is replaced only if it is a
    /// result of ours, or empty.
    pub fn check(target: &Path, kind: ResultKind) -> Result<()> {
        if !target.exists() {
            return Ok(());
        }
        if is_dedup(target) {
            return check_dedup(target, kind);
        }
        let refuse = |what: &str| refuse(target, what);
        if !target.is_dir() {
            return refuse("it is not a folder");
        }
        let mut foreign = None;
        let mut empty = true;
        for entry in fs::read_dir(target).map_err(|error| Error::io(target, error))? {
            let name = entry.map_err(|error| Error::io(target, error))?.file_name();
            let name = name.to_string_lossy().into_owned();
            empty = false;
            if !is_file_of(kind, &name) {
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

    /// Whether an output of `dedup` may be replaced by another one of these inputs, as its summary has
    /// them: only if it was made of the same. It may be all that is left of the others.
    pub fn check_collection(target: &Path, inputs: &Value) -> Result<()> {
        if !is_dedup(target) {
            return Ok(());
        }
        let path = target.join(RESULT).join(MARK);
        let text = fs::read_to_string(&path).map_err(|error| Error::io(&path, error))?;
        let summary: Value = serde_json::from_str(&text).unwrap_or_default();
        let before = &summary["options"]["inputs"];
        if before == inputs {
            return Ok(());
        }
        let shown = before.as_array().into_iter().flatten();
        let shown: Vec<&str> = shown.filter_map(Value::as_str).take(3).collect();
        let message = format!(
            "{} holds what dedup kept of another collection ({}); it is left alone. Choose another \
             folder, or replace it with `overwrite`",
            target.display(),
            shown.join(", ")
        );
        Err(Error::config("output", message))
    }

    /// Begins a result that will be called `target`.
    pub fn create(target: &Path, kind: ResultKind) -> Result<Self> {
        Self::check(target, kind)?;
        let partial = beside(target, "partial");
        if partial.exists() {
            // Not a race: the lock on the work directory lets only one job write this target.
            // Of a job that was killed; whoever comes here has the work directory.
            fs::remove_dir_all(&partial).map_err(|error| Error::io(&partial, error))?;
        }
        fs::create_dir_all(&partial).map_err(|error| Error::io(&partial, error))?;
        let folder = ResultFolder {
            target: target.to_path_buf(),
            partial,
            kind,
            finished: false,
        };
        let inner = folder.result_path();
        fs::create_dir_all(&inner).map_err(|error| Error::io(&inner, error))?;
        Ok(folder)
    }

    /// Where the tables of what was found go until the result is complete.
    pub fn result_path(&self) -> PathBuf {
        match self.kind {
            ResultKind::Find
            | ResultKind::History
            | ResultKind::Passages
            | ResultKind::Study
            | ResultKind::Trec => self.partial.clone(),
            ResultKind::Dedup => self.partial.join(RESULT),
        }
    }

    /// Where files go until the result is complete.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Writes the summary and gives the folder its name.
    pub fn finish(mut self, summary: &str) -> Result<()> {
        let path = self.result_path().join(MARK);
        let write = || {
            let mut file = File::create(&path)?;
            file.write_all(summary.as_bytes())?;
            // The summary marks the folder as a result. On disk before the rename, or a machine that loses power
            // could keep a folder with the name of a result and an empty summary.
            file.sync_all()
        };
        write().map_err(|error| Error::io(&path, error))?;
        let old = beside(&self.target, "old");
        let had_old = self.target.exists();
        let rename = |from: &Path, to: &Path| {
            fs::rename(from, to).map_err(|error| Error::io(from, error))
        };
        // A folder cannot be replaced by one rename while it has files. So the old result moves aside, the new one
        // takes the name, and only then the old one is removed: at each moment one of them is complete on disk.
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

fn refuse(target: &Path, what: &str) -> Result<()> {
    let message = format!(
        "{} exists and is not a result of neardupe ({what}); \
         it is left alone, choose another folder",
        target.display()
    );
    Err(Error::config("output", message))
}

/// Whether the output of `dedup` may be replaced: only by another one, and only when nothing
/// else is in it.
fn check_dedup(target: &Path, kind: ResultKind) -> Result<()> {
    if kind != ResultKind::Dedup {
        let message = format!(
            "{} holds a collection that dedup has written; it is left alone, choose another \
             folder",
            target.display()
        );
        return Err(Error::config("output", message));
    }
    // An output of `dedup` has files named as the input has them, so names alone do not show whose they are:
    // the list of what was written decides.
    let known = written_files(&target.join(RESULT))?;
    for entry in walkdir::WalkDir::new(target) {
        let entry = entry.map_err(|error| Error::io(target, error.into()))?;
        let path = entry.path().strip_prefix(target).unwrap_or(entry.path());
        if entry.file_type().is_dir() {
            continue;
        }
        let name = path.to_string_lossy().replace('\\', "/");
        let own = match name
            .strip_prefix(RESULT)
            .and_then(|it| it.strip_prefix('/'))
        {
            Some(own) => is_file_of(ResultKind::Dedup, own),
            None => known.contains(&name),
        };
        if !own {
            // It would be lost with the old output.
            return refuse(target, &format!("it also holds {name}"));
        }
    }
    Ok(())
}

/// Whether a folder holds what was found, what was removed, or what was bad: no input. What `dedup` has
/// kept is one.
pub(crate) fn is_result(folder: &Path) -> bool {
    let name = folder.file_name();
    let is_apart = name.is_some_and(|name| name == REMOVED || name == BAD);
    let in_dedup = || folder.parent().is_some_and(is_dedup);
    has_mark(folder) || (is_apart && in_dedup())
}

/// A result folder, as its summary describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnResult {
    /// The command that wrote it.
    pub command: String,
    /// Where its documents came from, those that they were compared with first.
    pub inputs: Vec<String>,
    /// The work directory that its job has kept, if it is still there.
    pub kept_work: Option<PathBuf>,
}

impl OwnResult {
    /// What a folder is, if it is a result and holds no documents. None for the output of
    /// `dedup`: what it has kept can be read like any collection.
    pub fn at(folder: &Path) -> Option<Self> {
        if !has_mark(folder) {
            return None;
        }
        // A summary that cannot be parsed still marks a result.
        let text = fs::read_to_string(folder.join(MARK)).unwrap_or_default();
        let summary: Value = serde_json::from_str(&text).unwrap_or_default();
        let options = &summary["options"];
        let list = |name: &str| {
            let values = options[name].as_array().into_iter().flatten();
            values.filter_map(Value::as_str).map(str::to_owned)
        };
        let kept = options["keep-work"] == true;
        let output = options["output"].as_str().map(Path::new);
        let name = output.and_then(Path::file_name).unwrap_or_default();
        let work = options["work-dir"].as_str();
        let work = work.map(|place| match place {
            "." => beside(Path::new(name), "work"),
            _ => beside(&Path::new(place).join(name), "work"),
        });
        Some(OwnResult {
            command: summary["command"].as_str().unwrap_or_default().to_owned(),
            inputs: list("against").chain(list("inputs")).collect(),
            kept_work: work.filter(|work| kept && WorkDir::is_at(work)),
        })
    }

    /// What it is, in words.
    pub fn described(&self) -> String {
        match self.command.as_str() {
            "" => "a result of neardupe, not documents".to_owned(),
            command => format!("a result of neardupe {command}, not documents"),
        }
    }
}

/// Whether a folder is the output of `dedup`.
fn is_dedup(folder: &Path) -> bool {
    has_mark(&folder.join(RESULT))
}

fn has_mark(folder: &Path) -> bool {
    fs::read_to_string(folder.join(MARK)).is_ok_and(|text| text.contains(MARK_TEXT))
}

/// A hidden name next to `target`.
pub fn beside(target: &Path, what: &str) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{what}"))
}

/// The names of all files that an output of `dedup` may hold besides its tables.
fn written_files(result: &Path) -> Result<FixedSet<String>> {
    #[derive(Deserialize)]
    struct Row {
        path: String,
    }
    let path = result.join(format!("{}.jsonl", Files::DECLARATION.name));
    let file = File::open(&path).map_err(|error| Error::io(&path, error))?;
    let mut names: FixedSet<String> = FixedSet::default();
    names.extend(["kept-ids.txt", "removed-ids.txt"].map(str::to_owned));
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|error| Error::io(&path, error))?;
        let row: Row = serde_json::from_str(&line).map_err(|error| Error::Corrupt {
            path: path.clone(),
            message: error.to_string(),
        })?;
        names.insert(format!("{REMOVED}/{}", row.path));
        names.insert(format!("{BAD}/{}", row.path));
        names.insert(row.path);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_replaced_and_anything_else_is_not() {
        let base = tempfile::tempdir().unwrap();
        let target = base.path().join("out");
        for round in 0..2 {
            let folder = ResultFolder::create(&target, ResultKind::Find).unwrap();
            fs::write(folder.path().join("pairs.jsonl"), format!("{round}")).unwrap();
            folder.finish("{\n  \"program\": \"neardupe\"\n}").unwrap();
        }
        assert_eq!(fs::read_to_string(target.join("pairs.jsonl")).unwrap(), "1");
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 1);
        fs::write(target.join("notes.txt"), "mine").unwrap();
        let message = ResultFolder::create(&target, ResultKind::Find)
            .unwrap_err()
            .to_string();
        assert!(message.contains("notes.txt"), "{message}");
        fs::remove_file(target.join("notes.txt")).unwrap();
        ResultFolder::create(&target, ResultKind::Find).unwrap();
        fs::write(target.join(MARK), "{}").unwrap();
        assert!(ResultFolder::create(&target, ResultKind::Find).is_err());
    }

    #[test]
    fn a_collection_is_replaced_by_another_one_only() {
        let base = tempfile::tempdir().unwrap();
        let target = base.path().join("out");
        let write = |names: &[&str]| {
            let folder = ResultFolder::create(&target, ResultKind::Dedup).unwrap();
            let mut list = String::new();
            for name in names {
                fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
                fs::write(folder.path().join(name), "x").unwrap();
                list += &format!("{{\"path\":\"{name}\"}}\n");
            }
            fs::write(folder.result_path().join("files.jsonl"), list).unwrap();
            folder.finish("{\n  \"program\": \"neardupe\"\n}").unwrap();
        };
        write(&["a/b.jsonl"]);
        write(&["c.jsonl", "d/e.jsonl"]);
        assert!(!target.join("a").exists());
        assert!(ResultFolder::check(&target, ResultKind::Find).is_err());
        assert!(is_dedup(&target) && !is_result(&target));
        assert!(is_result(&target.join(RESULT)));
        assert!(is_result(&target.join(REMOVED)) && !is_result(&target.join("d")));
        fs::write(target.join("d/notes.txt"), "mine").unwrap();
        let refused = ResultFolder::check(&target, ResultKind::Dedup);
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("d/notes.txt"), "{message}");
    }

    #[test]
    fn a_result_names_its_command_and_inputs() {
        let base = tempfile::tempdir().unwrap();
        let result = base.path().join("out");
        assert_eq!(OwnResult::at(&result), None);
        let write = |summary: &str| {
            let folder = ResultFolder::create(&result, ResultKind::Find).unwrap();
            folder.finish(summary).unwrap();
            OwnResult::at(&result).unwrap()
        };
        let own = write(
            "{\n  \"program\": \"neardupe\", \"command\": \"find\", \"options\": \
             {\"inputs\": [\"a\"], \"against\": [\"b\"], \"keep-work\": true, \
             \"work-dir\": \"no-such-folder\"}}",
        );
        assert_eq!(own.inputs, ["b", "a"]);
        assert_eq!(own.kept_work, None);
        assert_eq!(own.described(), "a result of neardupe find, not documents");
        let own = write("{\n  \"program\": \"neardupe\", and then it is damaged");
        assert_eq!(own, OwnResult::default());
        assert_eq!(own.described(), "a result of neardupe, not documents");
    }

    #[test]
    fn an_unfinished_result_leaves_nothing() {
        let base = tempfile::tempdir().unwrap();
        let folder =
            ResultFolder::create(&base.path().join("out"), ResultKind::Find).unwrap();
        fs::write(folder.path().join("pairs.jsonl"), "x").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }
}
