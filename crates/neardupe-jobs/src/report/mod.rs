//! `report.html`: a result for people who want to see it.
//!
//! One page that needs nothing else: what was read, what was removed and why, where the
//! duplicates come from, how similar they are, the largest clusters with the differences of
//! their members. [`Report::collect`] goes through a result once and keeps what is shown, so
//! a page is small for any collection; `examples` chooses what is looked at closely and reads
//! its text again; `page` writes it all down. Charts are drawn by a script (`web/report`)
//! which is part of the page; everything else can be read without it. `passages` is the page of
//! the command of that name, in the same manner.

mod assets;
mod bins;
mod chart;
mod examples;
mod figures;
mod hosts;
mod lines;
mod page;
mod passages;
mod shell;
mod sources;
mod tally;

pub use crate::causes::URL_FIELD;
pub use figures::{PageParts, PageTable, page_of_figures};
pub use lines::{Line, LineChart};
pub use passages::{PassagesReport, PassagesSeen};

use crate::summary::Summary;
use examples::Examples;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::FindResult;
use neardupe_core::pipeline::documents::Documents;
use neardupe_io::source::FileSource;
use sources::Sources;
use std::fs;
use std::path::Path;
use tally::{Removed, ResultTally};

/// Name of the file.
pub const REPORT: &str = "report.html";

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct ReportOptions<'a> {
    /// Whether the page may hold text of documents.
    pub with_text: bool,
    /// The metadata fields that were read, those that the user asked for first.
    pub metadata: &'a [String],
    /// How many of them the user asked for.
    pub num_asked: usize,
    /// Threads that read texts again.
    pub threads: usize,
}

/// What the page shows of a result.
#[derive(Debug)]
pub struct Report {
    with_text: bool,
    tally: ResultTally,
    sources: Sources,
    examples: Examples,
    bad: Vec<BadExample>,
}

/// A bad record as it is shown.
#[derive(Debug)]
struct BadExample {
    file: String,
    number: u64,
    kind: &'static str,
    detail: String,
}

/// Bad records that are shown.
const MAX_BAD: usize = 20;

impl Report {
    /// Takes from a result what is shown.
    pub fn collect(
        result: &FindResult,
        source: &FileSource,
        options: &ReportOptions<'_>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let removed = Removed::new(result);
        Ok(Report {
            with_text: options.with_text,
            tally: ResultTally::new(result, &removed)?,
            sources: Sources::new(result, &removed, options)?,
            examples: Examples::new(result, source, options, progress)?,
            bad: bad_examples(&result.documents)?,
        })
    }

    /// Writes the page into a folder.
    pub fn write(&self, folder: &Path, summary: &Summary) -> Result<()> {
        let path = folder.join(REPORT);
        let page = page::render(self, summary);
        fs::write(&path, page).map_err(|error| Error::io(&path, error))
    }
}

fn bad_examples(documents: &Documents) -> Result<Vec<BadExample>> {
    let files = documents.files();
    let mut shown = Vec::new();
    documents.for_each_bad_record(|bad| {
        if shown.len() < MAX_BAD {
            let file = &files[bad.position.file as usize];
            shown.push(BadExample {
                file: file.name.clone(),
                number: file.record_number(bad.position),
                kind: bad.kind.name(),
                detail: bad.detail.clone(),
            });
        }
        Ok(())
    })?;
    Ok(shown)
}
