//! A result folder appears complete or not at all.
//!
//! Files are written to a folder beside it; `summary.json` comes last; then the folder
//! takes its name by one rename. An older result is set aside first and removed last.

use super::manifest::{MANIFEST, ResultManifest};
use crate::tables::{ResultKind, tables};
use neardupe_core::error::{Error, Result};
use neardupe_core::store::own_files::OWN_FILES;
use neardupe_core::store::{
    OwnFiles, WorkDir, begin_own_files, files_below, listed, note_own_file,
};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Folder of removed documents in an output of `dedup`.
pub const REMOVED: &str = "removed";
/// Folder of bad records in an output of `dedup`.
pub const BAD: &str = "bad";

/// What describes a result.
const MARK: &str = "summary.json";
/// Where the files of a result are in the output of `dedup`.
pub const RESULT: &str = "_neardupe";
/// Lists of ids that an output of `dedup` may have beside the documents.
pub(super) const ID_FILES: [&str; 2] = ["kept-ids.txt", "removed-ids.txt"];
/// More of a summary is not read where only its inputs are wanted.
const MAX_SUMMARY_BYTES: u64 = 1 << 24;

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
    /// result of ours of the same kind, or empty, and holds nothing else.
    pub fn check(target: &Path, kind: ResultKind) -> Result<()> {
        check_scratch(target, kind)?;
        let refuse = |what: &str| refuse(target, what);
        match fs::symlink_metadata(target) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return check_place(target);
            }
            Err(error) => return Err(Error::io(target, error)),
            Ok(there) if there.is_symlink() => {
                return refuse("it is a link, and links are not followed here");
            }
            Ok(there) if !there.is_dir() => return refuse("it is not a folder"),
            Ok(_) => {}
        }
        let Some(manifest) = ResultManifest::of(target)? else {
            return match files_below(target)?.first() {
                None => check_place(target),
                Some(first) => refuse(&format!(
                    "it has no manifest of ours, and holds {}",
                    listed(first)
                )),
            };
        };
        check_kind(target, manifest.kind, kind)?;
        // It would be lost with the old result.
        match files_below(target)?.iter().find(|file| !manifest.has(file)) {
            Some(foreign) => refuse(&format!("it also holds {}", listed(foreign))),
            None => check_place(target),
        }
    }

    /// Whether an output of `dedup` may be replaced by another one of these inputs, as its summary has
    /// them: only if it was made of the same. It may be all that is left of the others.
    pub fn check_collection(target: &Path, inputs: &Value) -> Result<()> {
        if !is_dedup(target)? {
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
        put_back(target, kind)?;
        Self::check(target, kind)?;
        let partial = beside(target, "partial");
        remove_left_over(&partial, kind)?;
        if let Some(parent) = partial.parent() {
            fs::create_dir_all(parent).map_err(|error| Error::io(parent, error))?;
        }
        // Not what is there already: it could be a link to somewhere else.
        fs::create_dir(&partial).map_err(|error| Error::io(&partial, error))?;
        // From here on it is removed when something fails, also the list itself on a full disk.
        let folder = ResultFolder {
            target: target.to_path_buf(),
            partial,
            kind,
            finished: false,
        };
        begin_own_files(&folder.partial)?;
        note_own_file(&folder.partial, MANIFEST)?;
        let inner = folder.result_path();
        fs::create_dir_all(&inner).map_err(|error| Error::io(&inner, error))?;
        if kind == ResultKind::Dedup {
            note_own_file(&folder.partial, format!("{RESULT}/"))?;
            for name in ID_FILES {
                note_own_file(&folder.partial, name)?;
            }
        }
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

    /// Says which files of an input will be written again, before they are: of a job that is killed
    /// then, the next one knows that they are ours.
    pub fn note_documents(&self, names: impl IntoIterator<Item = PathBuf>) -> Result<()> {
        for name in names {
            note_own_file(&self.partial, &name)?;
            note_own_file(&self.partial, Path::new(REMOVED).join(&name))?;
            note_own_file(&self.partial, Path::new(BAD).join(&name))?;
        }
        Ok(())
    }

    /// Where files go until the result is complete.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Writes the summary and the manifest and gives the folder its name.
    pub fn finish(mut self, summary: &str) -> Result<()> {
        let place = self.result_path();
        let path = place.join(MARK);
        let write = || {
            let mut file = File::create(&path)?;
            file.write_all(summary.as_bytes())?;
            // The summary marks the folder as a result. On disk before the rename, or a machine that loses power
            // could keep a folder with the name of a result and an empty summary.
            file.sync_all()
        };
        write().map_err(|error| Error::io(&path, error))?;
        // One of the two lists is there at each moment, so a job that is killed leaves nothing unknown.
        ResultManifest::write(&self.partial, &place, self.kind)?;
        let list = self.partial.join(OWN_FILES);
        fs::remove_file(&list).map_err(|error| Error::io(&list, error))?;
        let old = beside(&self.target, "old");
        let had_old = self.target.exists();
        // A folder cannot be replaced by one rename while it has files. So the old result moves aside, the new one
        // takes the name, and only then the old one is removed: at each moment one of them is complete on disk.
        if had_old {
            // Somebody may have put a file there while the job ran.
            Self::check(&self.target, self.kind)?;
            rename(&self.target, &old)?;
        }
        if let Err(error) = rename(&self.partial, &self.target) {
            if had_old {
                rename(&old, &self.target)?;
            }
            return Err(error);
        }
        self.finished = true;
        remove_result(&old)
    }
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).map_err(|error| Error::io(from, error))
}

impl Drop for ResultFolder {
    fn drop(&mut self) {
        if !self.finished {
            // What was written so far is no result.
            let _ = remove_left_over(&self.partial, self.kind);
        }
    }
}

/// The files of a partial result that are ours: those of its list, those of its manifest, and, but for
/// `dedup`, whose files have the names of its input, those that this kind of result has.
fn is_own_of_partial(partial: &Path, kind: ResultKind) -> Result<impl Fn(&Path) -> bool> {
    let list = OwnFiles::of(partial)?;
    let manifest = ResultManifest::of(partial)?;
    let has_kind = list.is_some() && kind != ResultKind::Dedup;
    Ok(move |file: &Path| {
        let of_kind = || {
            let first = file.components().next();
            let first = first.map(|first| first.as_os_str().to_string_lossy());
            first.is_some_and(|first| is_file_of(kind, &first))
        };
        list.as_ref().is_some_and(|list| list.contains(file))
            || manifest.as_ref().is_some_and(|manifest| manifest.has(file))
            || (has_kind && of_kind())
    })
}

/// Whether the names that are needed while a result is written are free, or ours.
fn check_scratch(target: &Path, kind: ResultKind) -> Result<()> {
    let old = beside(target, "old");
    if fs::symlink_metadata(&old).is_ok() && ResultManifest::of(&old)?.is_none() {
        return refuse_scratch(&old, "it is not a result of ours");
    }
    check_left_over(&beside(target, "partial"), kind).map(|_| ())
}

/// Whether a partial result is there. An error if it holds anything that is not ours.
fn check_left_over(partial: &Path, kind: ResultKind) -> Result<bool> {
    match fs::symlink_metadata(partial) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(Error::io(partial, error)),
        Ok(there) if !there.is_dir() => {
            refuse_scratch(partial, "it is not a folder of ours")?;
        }
        Ok(_) => {}
    }
    let is_own = is_own_of_partial(partial, kind)?;
    let files = files_below(partial)?;
    if let Some(foreign) = files.iter().find(|file| !is_own(file)) {
        let what = format!("it holds {}, which is not ours", listed(foreign));
        refuse_scratch(partial, &what)?;
    }
    Ok(true)
}

/// Removes what a job that was killed has left of a result. Whoever comes here has the work directory.
fn remove_left_over(partial: &Path, kind: ResultKind) -> Result<()> {
    if !check_left_over(partial, kind)? {
        return Ok(());
    }
    // Nothing else is in it. The lists are removed last.
    let mut own = OwnFiles::default();
    for file in files_below(partial)? {
        own.add_path(&file);
    }
    own.remove(partial)
}

/// Removes the older result that was set aside. What is not in its manifest is kept, and said.
fn remove_result(old: &Path) -> Result<()> {
    if fs::symlink_metadata(old).is_err() {
        return Ok(());
    }
    let mut own = OwnFiles::default();
    if let Some(manifest) = ResultManifest::of(old)? {
        for file in manifest.files() {
            own.add_path(file);
        }
    }
    own.remove(old)?;
    match old.exists() {
        false => Ok(()),
        true => refuse_scratch(old, "it holds files that are not ours"),
    }
}

/// A job that was killed between the last two renames has set the older result aside and put nothing
/// into its place: it comes back. If both are there, the older one was to be removed.
fn put_back(target: &Path, kind: ResultKind) -> Result<()> {
    let old = beside(target, "old");
    if fs::symlink_metadata(&old).is_err() {
        return Ok(());
    }
    match ResultManifest::of(&old)? {
        Some(manifest) if manifest.kind == kind => {
            if fs::symlink_metadata(target).is_err() {
                rename(&old, target)
            } else {
                remove_result(&old)
            }
        }
        _ => refuse_scratch(&old, "it is not a result of ours"),
    }
}

fn refuse_scratch(path: &Path, what: &str) -> Result<()> {
    let message = format!(
        "{} has a name that is needed while the result is written, and {what}; move it away",
        path.display()
    );
    Err(Error::config("output", message))
}

/// Whether a file of this name can be written, asked before the job. `param` names the file. What it replaces
/// is for the caller to judge.
pub fn check_output_file(param: &str, path: &Path) -> Result<()> {
    let refuse = |what: &str| {
        let message = format!("{} {what}; choose another name", path.display());
        Err(Error::config(param, message))
    };
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_symlink() && !path.exists() => {
            return refuse("is a link that leads nowhere");
        }
        Ok(_) if path.is_dir() => return refuse("is a folder"),
        Ok(_) => {
            // Some files are written in place, others beside it and renamed: both must be possible.
            let opened = File::options().append(true).open(path);
            opened.map_err(|error| Error::io(path, error))?;
        }
        Err(_) => {}
    }
    check_place(path)
}

/// Whether the folder that will hold the result can be written to: better known before the job than
/// at its end.
fn check_place(target: &Path) -> Result<()> {
    let parent = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // The first one above that is there; the others will be made.
    let Some(there) = parent.ancestors().find(|folder| {
        folder.as_os_str().is_empty() || fs::symlink_metadata(folder).is_ok()
    }) else {
        return Ok(());
    };
    let there = if there.as_os_str().is_empty() {
        Path::new(".")
    } else {
        there
    };
    // A file without a name: a job that is killed here leaves nothing.
    tempfile::tempfile_in(there)
        .map(|_| ())
        .map_err(|error| Error::io(there, error))
}

/// A result is replaced by one of the same kind only.
fn check_kind(target: &Path, there: ResultKind, wanted: ResultKind) -> Result<()> {
    if there == wanted {
        return Ok(());
    }
    let message = match there {
        ResultKind::Dedup => format!(
            "{} holds a collection that dedup has written; it is left alone, choose another \
             folder",
            target.display()
        ),
        other => format!(
            "{} holds a result of another kind ({}); it is left alone, choose another folder",
            target.display(),
            other.name()
        ),
    };
    Err(Error::config("output", message))
}

fn refuse(target: &Path, what: &str) -> Result<()> {
    let message = format!(
        "{} exists and is not a result of neardupe ({what}); \
         it is left alone, choose another folder",
        target.display()
    );
    Err(Error::config("output", message))
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
        let (place, manifest) = ResultManifest::around(folder).ok()??;
        // Nor for its folders of removed and bad records, which are documents too where they are named.
        let is_tables = folder.file_name().is_some_and(|name| name == RESULT);
        if manifest.kind == ResultKind::Dedup && (place == folder || !is_tables) {
            return None;
        }
        // A summary that cannot be parsed is one all the same.
        let mut text = String::new();
        let summary = File::open(folder.join(MARK));
        let read =
            summary.map(|file| file.take(MAX_SUMMARY_BYTES).read_to_string(&mut text));
        if read.is_err() {
            text.clear();
        }
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
fn is_dedup(folder: &Path) -> Result<bool> {
    let manifest = ResultManifest::of(folder)?;
    Ok(manifest.is_some_and(|manifest| manifest.kind == ResultKind::Dedup))
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
        let manifest = fs::read_to_string(target.join(MANIFEST)).unwrap();
        fs::write(target.join(MANIFEST), manifest + "7 notes.txt\n").unwrap();
        assert!(ResultFolder::create(&target, ResultKind::Find).is_err());
    }

    #[test]
    fn a_job_that_was_killed_at_its_end_leaves_nothing_unknown() {
        let base = tempfile::tempdir().unwrap();
        let target = base.path().join("out");
        for kind in [ResultKind::Find, ResultKind::Dedup] {
            let partial = beside(&target, "partial");
            // With the list and a torn manifest, with both, with the manifest alone.
            for moment in 0..3 {
                let folder = ResultFolder::create(&target, kind).unwrap();
                let place = folder.result_path();
                fs::write(place.join("pairs.jsonl"), "x").unwrap();
                fs::write(place.join(MANIFEST), "neardupe res").unwrap();
                if moment > 0 {
                    ResultManifest::write(&partial, &place, kind).unwrap();
                }
                if moment > 1 {
                    fs::remove_file(partial.join(OWN_FILES)).unwrap();
                }
                std::mem::forget(folder);
                let next = ResultFolder::create(&target, kind).unwrap();
                assert!(!next.result_path().join("pairs.jsonl").exists());
            }
        }
    }

    #[test]
    fn a_document_may_have_the_name_of_the_manifest() {
        let base = tempfile::tempdir().unwrap();
        let target = base.path().join("out");
        for _ in 0..2 {
            let folder = ResultFolder::create(&target, ResultKind::Dedup).unwrap();
            folder.note_documents([MANIFEST.into()]).unwrap();
            fs::write(folder.path().join(MANIFEST), "a document").unwrap();
            folder.finish("{}").unwrap();
            let text = fs::read_to_string(target.join(MANIFEST)).unwrap();
            assert_eq!(text, "a document");
        }
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
        assert!(is_dedup(&target).unwrap());
        assert_eq!(OwnResult::at(&target), None);
        assert_eq!(OwnResult::at(&target.join("d")), None);
        assert!(OwnResult::at(&target.join(RESULT)).is_some());
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
