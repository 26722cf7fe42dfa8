//! Labels: one file for each judge, one line for each pair, written at once.
//!
//! A label that is changed replaces the line; the file is then written anew beside the old one
//! and takes its name.
//!
//! A new label is appended and synced before the next question, so whoever stops in the middle
//! loses nothing.

use neardupe_core::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a judge says of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JudgeLabel {
    /// They are duplicates.
    Duplicate,
    /// They are none.
    Not,
    /// It cannot be said.
    Unclear,
}

impl JudgeLabel {
    /// All of them.
    pub const ALL: [JudgeLabel; 3] =
        [JudgeLabel::Duplicate, JudgeLabel::Not, JudgeLabel::Unclear];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            JudgeLabel::Duplicate => "duplicate",
            JudgeLabel::Not => "not",
            JudgeLabel::Unclear => "unclear",
        }
    }
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeRow {
    /// The id of the one document.
    pub left: String,
    /// The id of the other.
    pub right: String,
    /// What the judge says.
    pub label: JudgeLabel,
    /// What kind of duplicates they are, or why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// As the result has it.
    pub similarity: String,
    /// Who says so.
    pub judge: String,
}

/// Labels of one judge, by pair.
pub(super) type JudgedPairs = BTreeMap<(String, String), JudgeRow>;

/// The labels of a judge, and the file they are in.
#[derive(Debug)]
pub struct JudgeLabels {
    /// One file for each judge, so two can work at once.
    path: PathBuf,
    /// All labels so far.
    rows: JudgedPairs,
    /// Kinds in the order in which they were first used.
    kinds: Vec<String>,
}

/// The folder of the labels of a result.
pub(super) fn beside(result: &Path) -> Result<PathBuf> {
    let full = result.canonicalize();
    let full = full.map_err(|error| Error::io(result, error))?;
    let name = full.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{name}.labels");
    // As it was typed, where that has a name.
    Ok(match result.file_name() {
        Some(_) => result.with_file_name(name),
        None => full.with_file_name(name),
    })
}

/// Refuses a name that cannot be the name of a file.
pub(super) fn check_name(judge: &str) -> Result<()> {
    // Names become file names on every system.
    let plain = |c: char| c.is_alphanumeric() || "-_.@+".contains(c);
    if judge.is_empty() || judge.starts_with('.') || !judge.chars().all(plain) {
        let message = format!("{judge:?} is not a name of letters, digits and -_.@+");
        return Err(Error::config("judge", message));
    }
    Ok(())
}

impl JudgeLabels {
    /// The labels of a judge in a folder, which need not be there yet.
    pub fn open(folder: &Path, judge: &str) -> Result<Self> {
        check_name(judge)?;
        let path = folder.join(format!("{judge}.jsonl"));
        let rows = if path.exists() {
            read(&path)?
        } else {
            JudgedPairs::new()
        };
        let mut labels = JudgeLabels {
            path,
            kinds: Vec::new(),
            rows,
        };
        let kinds: Vec<String> = labels
            .rows
            .values()
            .filter_map(|row| row.kind.clone())
            .collect();
        kinds.iter().for_each(|kind| labels.add_kind(kind));
        Ok(labels)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Kinds in the order in which they were first used.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// What the judge said of a pair.
    pub fn get(&self, left: &str, right: &str) -> Option<&JudgeRow> {
        self.rows.get(&(left.to_owned(), right.to_owned()))
    }

    /// Adds a kind to those that are offered, if it is new.
    fn add_kind(&mut self, kind: &str) {
        if !self.kinds.iter().any(|known| known == kind) {
            self.kinds.push(kind.to_owned());
        }
    }

    /// Keeps a label, on disk before anything else is asked.
    pub fn put(&mut self, row: JudgeRow) -> Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
        }
        if let Some(kind) = &row.kind {
            let kind = kind.clone();
            self.add_kind(&kind);
        }
        let line = serde_json::to_string(&row)? + "\n";
        let key = (row.left.clone(), row.right.clone());
        // A pair that was judged before is judged again.
        let replaces = self.rows.insert(key, row).is_some();
        let written = if replaces {
            self.write_anew()
        } else {
            self.append(&line)
        };
        written.map_err(|error| Error::io(&self.path, error))
    }

    /// Adds a line at the end, and waits until it is on disk.
    fn append(&self, line: &str) -> std::io::Result<()> {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    /// Writes all labels anew under another name and then takes the place of the old file: a
    /// crash leaves one of both.
    fn write_anew(&self) -> std::io::Result<()> {
        let aside = self.path.with_extension("jsonl.new");
        let mut file = File::create(&aside)?;
        for row in self.rows.values() {
            file.write_all((serde_json::to_string(row)? + "\n").as_bytes())?;
        }
        file.sync_data()?;
        fs::rename(aside, &self.path)
    }
}

/// Reads all labels of a file. A later line for a pair wins.
fn read(path: &Path) -> Result<JudgedPairs> {
    let text = fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let mut rows = JudgedPairs::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let row: JudgeRow = serde_json::from_str(line).map_err(|error| {
            let message = if line.ends_with('\n') {
                format!("line {number}: not a label: {error}")
            } else {
                // Whoever wrote it was interrupted.
                format!("line {number} is cut off; remove it and go on")
            };
            Error::Corrupt {
                path: path.to_path_buf(),
                message,
            }
        })?;
        rows.insert((row.left.clone(), row.right.clone()), row);
    }
    Ok(rows)
}

/// The labels of all judges, by name.
pub(super) fn read_all(folder: &Path) -> Result<BTreeMap<String, JudgedPairs>> {
    let mut judges = BTreeMap::new();
    if folder.is_dir() {
        let entries = fs::read_dir(folder).map_err(|error| Error::io(folder, error))?;
        for entry in entries {
            let path = entry.map_err(|error| Error::io(folder, error))?.path();
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                judges.insert(name.into_owned(), read(&path)?);
            }
        }
    }
    if judges.is_empty() {
        let message = "there are no labels yet; judge some pairs first, without `report`";
        return Err(Error::input(folder.display().to_string(), message));
    }
    Ok(judges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(left: &str, label: JudgeLabel) -> JudgeRow {
        JudgeRow {
            left: left.to_owned(),
            right: "z".to_owned(),
            label,
            kind: None,
            similarity: "0.900000".to_owned(),
            judge: "ann".to_owned(),
        }
    }

    #[test]
    fn labels_are_there_at_once_and_the_last_one_counts() {
        let folder = tempfile::tempdir().unwrap();
        let mut labels = JudgeLabels::open(folder.path(), "ann").unwrap();
        labels.put(row("a\t\"", JudgeLabel::Duplicate)).unwrap();
        labels.put(row("b", JudgeLabel::Not)).unwrap();
        labels.put(row("a\t\"", JudgeLabel::Unclear)).unwrap();
        let text = fs::read_to_string(labels.path()).unwrap();
        assert_eq!(text.lines().count(), 2);
        let again = JudgeLabels::open(folder.path(), "ann").unwrap();
        assert_eq!(again.get("a\t\"", "z").unwrap().label, JudgeLabel::Unclear);
        assert_eq!(read_all(folder.path()).unwrap()["ann"].len(), 2);
        fs::write(labels.path(), text.trim_end()).unwrap();
        let path = labels.path().to_path_buf();
        fs::write(&path, &text[..text.len() - 9]).unwrap();
        let message = JudgeLabels::open(folder.path(), "ann")
            .unwrap_err()
            .to_string();
        assert!(message.contains("line 2 is cut off"), "{message}");
        for wrong in ["", "../x", ".x", "a b"] {
            assert!(JudgeLabels::open(folder.path(), wrong).is_err(), "{wrong}");
        }
    }
}
