//! How two texts differ, and where that is shown. `compare` and `explain` share it.
//!
//! The same words that are compared are aligned, so a difference that is shown is one that
//! counts, or is marked as one of case and punctuation.

use crate::diff::{Diff, DiffLimits, DiffPage, Op, PAGE_START, render_html};
use crate::param::Within;
use neardupe_core::error::{Error, Result};
use neardupe_io::output::check_output_file;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

crate::params! {
    /// How differences are shown.
    pub struct DifferenceSpec {
        /// Also write a page that shows both texts side by side
        html: PathBuf => value("FILE").heading("Differences").free();
        /// Print no text
        no_text: bool => switch().heading("Differences").free();
        /// Equal words shown before and after a difference [default: 12]
        context: Within<0, { u32::MAX as u64 }> => value("N").heading("Differences").free();
    }
}

/// Equal words around a difference.
const CONTEXT: u64 = 12;

/// How differences are shown.
#[derive(Debug, Clone)]
pub struct DifferenceShown {
    /// The page to write.
    pub html: Option<PathBuf>,
    /// No text of documents is shown.
    pub no_text: bool,
    /// Equal words before and after a difference.
    pub context: usize,
}

impl DifferenceSpec {
    /// Fills in the defaults, and refuses a page that cannot be written, before anything is read.
    pub(crate) fn validate(self) -> Result<DifferenceShown> {
        if let Some(path) = &self.html {
            check_page(path)?;
        }
        let context = self.context.unwrap_or(Within(CONTEXT));
        Ok(DifferenceShown {
            html: self.html,
            no_text: self.no_text.unwrap_or(false),
            context: context.usize(),
        })
    }
}

/// Refuses to replace a file that is not one of our pages, and a folder that does not exist.
fn check_page(path: &Path) -> Result<()> {
    // Only pages that begin like ours are replaced, so a wrong name cannot destroy a file.
    if path.exists() && !is_page_of_ours(path) {
        let message = format!(
            "{} already exists and is not a page of neardupe; it is left alone, choose another name",
            path.display()
        );
        return Err(Error::config("html", message));
    }
    let folder = path.parent();
    // A bare name has an empty parent: the current folder.
    match folder.filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            let message = format!("there is no folder {}", folder.display());
            Err(Error::config("html", message))
        }
        _ => check_output_file("html", path),
    }
}

/// Whether a file is a page that may be replaced by a new one: all of them begin with the same bytes.
fn is_page_of_ours(path: &Path) -> bool {
    let mut start = vec![0; PAGE_START.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == PAGE_START.as_bytes()
}

impl DifferenceShown {
    /// The same as parameters.
    pub(crate) fn spec(&self) -> DifferenceSpec {
        DifferenceSpec {
            html: self.html.clone(),
            no_text: Some(self.no_text),
            context: Some(Within(self.context as u64)),
        }
    }

    /// Writes the page, if one was asked for.
    pub(crate) fn write_page(&self, diff: &Diff<'_>, mut page: DiffPage) -> Result<()> {
        let Some(path) = &self.html else {
            return Ok(());
        };
        page.context = self.context;
        let write = || {
            let mut out = BufWriter::new(File::create(path)?);
            render_html(diff, &page, &mut out)?;
            out.flush()
        };
        write().map_err(|error| Error::io(path, error))
    }
}

/// How two texts differ, without the texts: an outcome owns it, while [`Diff`] borrows them.
#[derive(Debug, Clone)]
pub struct TextDifference {
    /// How much of each text was compared, in bytes: very long texts are cut.
    lens: (usize, usize),
    /// The stretches, equal ones and others, in their order.
    ops: Vec<Op>,
    /// Words of the left text.
    pub left_words: usize,
    /// Words of the right text.
    pub right_words: usize,
    /// Words that both have, in the same order.
    pub common_words: usize,
    /// Both texts were compared to their ends.
    pub complete: bool,
}

impl TextDifference {
    /// Compares two texts.
    pub fn new(left: &str, right: &str) -> Self {
        let diff = Diff::new(left, right, &DiffLimits::default());
        TextDifference {
            lens: (diff.left.len(), diff.right.len()),
            ops: diff.ops,
            left_words: diff.left_words,
            right_words: diff.right_words,
            common_words: diff.common_words,
            complete: diff.complete,
        }
    }

    /// The same with the texts, which must be those that were compared.
    pub fn of<'a>(&self, left: &'a str, right: &'a str) -> Diff<'a> {
        // A length that is not within another text gives the whole of it: wrong, but never a panic.
        Diff {
            left: left.get(..self.lens.0).unwrap_or(left),
            right: right.get(..self.lens.1).unwrap_or(right),
            ops: self.ops.clone(),
            left_words: self.left_words,
            right_words: self.right_words,
            common_words: self.common_words,
            complete: self.complete,
        }
    }
}
