//! The query: the document that others are compared with, given as a file, by its id, or as a text.
//!
//! A query is a file, a text on standard input, a text itself, or the id of a document. A file
//! that is part of the collection is recognized by its real path, so the document does not appear
//! as its own duplicate.

use super::inputs_of;
use crate::diff::clean;
use crate::kind::compare::NamedDocument;
use crate::kind::find::FindJob;
use crate::kind::reading::source_of;
use neardupe_core::document::{Progress, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::store::WorkDir;
use neardupe_core::text::{Segmenter, word_spans};
use neardupe_io::fetch::{fetch, fetch_only};
use neardupe_io::source::looks_like_path;
use std::path::{Path, PathBuf};

/// Where the query is.
#[derive(Debug, Clone)]
pub(super) enum Asked {
    /// In a file, in an input by its id, or as a text.
    Query(String),
    /// In the collection, by its id.
    Id(String),
}

/// The query as text, and how it is called.
pub(super) struct Question {
    /// How it is called in output.
    pub(super) name: String,
    /// Its text, as it is compared.
    pub(super) text: String,
    /// The document of the collection that it is.
    pub(super) id: Option<String>,
    /// Where it was read from, without links: the collection may have this file, too.
    path: Option<PathBuf>,
}

impl Question {
    /// Gets the text of the query.
    pub(super) fn read(
        asked: &Asked,
        job: &FindJob,
        work: Option<&WorkDir>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        match asked {
            Asked::Id(id) => Self::of_id(id, job, work, progress),
            Asked::Query(query) => Self::of_query(query, job, progress),
        }
    }

    /// The text of a document of the collection. `work` is the work directory of a kept job, whose
    /// inputs are read for it: features alone do not give a text back.
    fn of_id(
        id: &str,
        job: &FindJob,
        work: Option<&WorkDir>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let inputs = match work {
            None => job.inputs().to_vec(),
            Some(work) => inputs_of(work)?,
        };
        let source = source_of(&inputs, job)?;
        if source.origins()?.is_none() {
            let message = "standard input and pipes can be read only once; name a file";
            return Err(Error::config("query-id", message));
        }
        let ids = [id.to_owned()];
        let fetched = fetch(&source, &ids, job.config.threads, progress)?;
        let none = || Error::Internal("nothing was fetched".to_owned());
        Ok(Question {
            name: format!("document {}", clean(id)),
            text: fetched.into_iter().next().ok_or_else(none)?.text,
            id: Some(id.to_owned()),
            path: None,
        })
    }

    /// The text of a query. In this order: standard input or a file, a document named as
    /// `docs.jsonl#7`, a text.
    fn of_query(query: &str, job: &FindJob, progress: &dyn Progress) -> Result<Self> {
        let threads = job.config.threads;
        // It would be read twice.
        if query == "-" && job.inputs().iter().any(|input| input == "-") {
            let message = "standard input cannot be both the query and the collection";
            return Err(Error::config("query", message));
        }
        let path = Path::new(query);
        if path.is_dir() {
            let message =
                format!("{query:?} is a folder; a query is a file of one document");
            return Err(Error::config("query", message));
        }
        // Pipes exist too, such as those a shell makes of <(command).
        if query == "-" || path.exists() {
            let name = if query == "-" {
                "standard input"
            } else {
                query
            };
            let source = source_of(&[query.to_owned()], job)?;
            return Ok(Question {
                name: clean(name),
                text: fetch_only(&source, name, threads, progress)?.text,
                id: None,
                path: path.canonicalize().ok().filter(|_| query != "-"),
            });
        }
        // After files: a file may be named like a document.
        if let Some((input, id)) = named_document(query) {
            let fetched = fetch(&source_of(&[input], job)?, &[id], threads, progress)?;
            let text = fetched.into_iter().next().map(|one| one.text);
            return Ok(Question {
                name: format!("document {}", clean(query)),
                text: text.unwrap_or_default(),
                id: None,
                path: None,
            });
        }
        // Nothing else fits; but a mistyped name is not a text.
        check_text(query)?;
        Ok(Question {
            name: "the text given".to_owned(),
            text: query.to_owned(),
            id: None,
            path: None,
        })
    }

    /// The position of the file that it was read from among these. A file of a query has one document, so
    /// that is the document of the collection which the query is.
    pub(super) fn position_in(
        &self,
        files: impl Iterator<Item = Option<PathBuf>>,
    ) -> Option<u32> {
        let own = self.path.as_ref()?;
        let is_own = |file: Option<PathBuf>| {
            file.and_then(|file| file.canonicalize().ok()).as_ref() == Some(own)
        };
        let position = files.map(is_own).position(|is_own| is_own);
        position.and_then(|place| u32::try_from(place).ok())
    }
}

/// The input and the id of a document that is named as `docs.jsonl#7`.
fn named_document(query: &str) -> Option<(String, String)> {
    let named = NamedDocument::parse(query).ok()?;
    Some((named.input, named.id?))
}

/// Refuses what was most likely meant as a file or an id, and would find nothing as a text.
fn check_text(query: &str) -> Result<()> {
    let wrong = |message: String| Err(Error::config("query", message));
    if looks_like_path(query) {
        return wrong(format!(
            "there is no file {query:?}; if it is a text, pass it on standard input with \
             `query -`"
        ));
    }
    let mut num_words = 0;
    word_spans(query, &Segmenter::default(), |_, _| num_words += 1);
    // One word of ASCII is a mistyped name. In scripts without spaces two words may be written as one.
    let is_name = query.is_ascii() && query.split_whitespace().count() < 2;
    if is_name || (num_words < 2 && query.split_whitespace().count() < 2) {
        return wrong(format!(
            "{query:?} is not a file, and a text needs two words or more; a document of \
             the collection is named with `query-id`"
        ));
    }
    Ok(())
}
