//! The documents of a result: from its own texts (`write-text`), or from the inputs that it was made of.
//!
//! Texts that the result has (`write-text`) are those that were compared, so they are preferred.
//! Otherwise the inputs are read again with the recorded parameters: paths are relative to where
//! `find` was run, and standard input cannot come again; each of these has a message of its own
//! with the same remedy.

use crate::kind::find::check_explainable;
use crate::kind::find::{FindJob, check_antecedents};
use crate::kind::reading::{of_reading, reading_job};
use crate::kind::stored;
use crate::spec::ReadingSpec;
use neardupe_core::document::{Progress, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureSpec;
use neardupe_io::fetch::{Fetched, Found, fetch_texts, find_by_id};
use neardupe_io::result::{ResultReader, StoredPair};
use neardupe_io::source::FileSource;
use serde_json::Value;
use std::path::Path;

/// The documents of a result and how they are read.
pub(super) struct Originals<'a> {
    /// Parameters of reading that were typed and win over the recorded ones.
    given: &'a ReadingSpec,
    /// The result that is explained.
    result: &'a ResultReader,
    /// Where the documents are read: named by the user, or recorded.
    inputs: Vec<String>,
    /// What the documents were compared with, if they were.
    old: Vec<String>,
    /// Inputs were named: they are read even if the result has texts.
    is_given: bool,
    /// The job as it was recorded.
    pub(super) job: FindJob,
}

/// On which side a document is, where new ones were compared with old ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentSide {
    /// One of those that new documents were compared with.
    Old,
    /// One of the input.
    New,
    /// The new one if there is one.
    Either,
}

impl DocumentSide {
    /// As a result names it.
    pub(super) fn of(source: Option<&str>) -> Self {
        match source {
            Some("old") => DocumentSide::Old,
            Some("new") => DocumentSide::New,
            _ => DocumentSide::Either,
        }
    }
}

impl<'a> Originals<'a> {
    /// Prepares to read them: as they were read for the result, but for parameters that are given.
    pub(super) fn new(
        given: &'a ReadingSpec,
        named: &[String],
        result: &'a ResultReader,
    ) -> Result<Self> {
        let options = &result.summary().options;
        // Summaries of older versions may have a single input as text.
        let list = |name: &str| -> Vec<String> {
            let value = options.get(name).cloned().unwrap_or_default();
            match value {
                Value::String(one) => vec![one],
                value => serde_json::from_value(value).unwrap_or_default(),
            }
        };
        let is_given = !named.is_empty();
        let inputs = if is_given {
            named.to_vec()
        } else {
            list("inputs")
        };
        // Before anything is read: no document helps a method that cannot be explained.
        check_explainable(options.get("method"))?;
        let recorded = stored::spec(result);
        let job = reading_job(given, &inputs, recorded)?;
        check_antecedents(&job)?;
        Ok(Originals {
            given,
            result,
            inputs,
            old: list("against"),
            is_given,
            job,
        })
    }

    /// Warnings about given parameters that had no effect on the documents that were read.
    pub(super) fn warnings(&self) -> Vec<String> {
        of_reading(self.given, &self.job)
    }

    /// Finds documents by their ids. `sides` says for the first of them on which side each
    /// is, where there are two: old and new documents may have the same id. Also returned is
    /// which of them are old.
    pub(super) fn find(
        &self,
        ids: &[String],
        sides: &[DocumentSide],
        progress: &dyn Progress,
    ) -> Result<(Found, Vec<bool>)> {
        let threads = self.job.config.threads;
        // The texts of a result do not say on which side a document was.
        if !self.is_given
            // With two sides the same id can be in both, so the texts of a result cannot
            // answer.
            && self.old.is_empty()
            && let Some(found) =
                fetch_texts(self.result.folder(), ids, threads, progress)?
        {
            return Ok((found, vec![false; ids.len()]));
        }
        // Reads the input to its end in the worst case: ids are not sorted.
        let mut found = find_by_id(&self.source(&self.inputs)?, ids, threads, progress)?;
        let mut are_old = vec![false; ids.len()];
        if self.old.is_empty() {
            return Ok((found, are_old));
        }
        // The same ids among the old documents: some of these are wanted instead.
        let old = find_by_id(&self.source(&self.old)?, ids, threads, progress)?;
        for (at, old) in old.documents.into_iter().enumerate() {
            let document = &mut found.documents[at];
            are_old[at] = match sides.get(at).copied().unwrap_or(DocumentSide::Either) {
                DocumentSide::New => false,
                DocumentSide::Old => true,
                // An id alone means the new document unless there is only an old one.
                DocumentSide::Either => document.is_none() && old.is_some(),
            };
            if are_old[at] {
                *document = old;
            }
        }
        found.num_documents += old.num_documents;
        Ok((found, are_old))
    }

    /// Two documents that must be there. `row` is their pair in the result, if it has one: it says on
    /// which sides they were.
    pub(super) fn two(
        &self,
        ids: &[String; 2],
        row: Option<&StoredPair>,
        progress: &dyn Progress,
    ) -> Result<(Fetched, Fetched)> {
        let sides = match row {
            Some(row) => [&row.left_source, &row.right_source]
                .map(|source| DocumentSide::of(source.as_deref())),
            // The same id twice can only be an old and a new document.
            None if ids[0] == ids[1] => [DocumentSide::Old, DocumentSide::New],
            None => [DocumentSide::Either, DocumentSide::Either],
        };
        let (found, are_old) = self.find(ids, &sides, progress)?;
        found.check(ids)?;
        if let Some(side) = self.never_compared(&are_old) {
            let message = format!(
                "{:?} and {:?} were not compared: both are {side} documents",
                ids[0], ids[1]
            );
            let name = self.result.folder().display().to_string();
            return Err(Error::input(name, message));
        }
        let missing =
            || Error::Internal("a document that was found is missing".to_owned());
        let mut documents = found.all()?.into_iter();
        let (left, right) = (documents.next(), documents.next());
        Ok((left.ok_or_else(missing)?, right.ok_or_else(missing)?))
    }

    /// The side on which both documents are, if documents of this side were not compared with each other.
    fn never_compared(&self, are_old: &[bool]) -> Option<&'static str> {
        if self.old.is_empty() {
            return None;
        }
        match are_old {
            [true, true] => Some("old"),
            [false, false] if !self.result.summary().is_on("within") => Some("new"),
            _ => None,
        }
    }

    /// All documents again, as the job has read them: rarities of features depend on both sides.
    pub(super) fn all(&self) -> Result<FileSource> {
        self.source(&[self.old.clone(), self.inputs.clone()].concat())
    }

    /// These inputs as a source. Each reason why they cannot be read has its own message, with the same
    /// remedy.
    fn source(&self, inputs: &[String]) -> Result<FileSource> {
        let remedy = "name where the documents are now with `input`; a result made with \
                      `write-text` needs no input";
        let missing = inputs.iter().find(|input| {
            let is_glob = input.contains(['*', '?', '[']);
            *input == "-" || !(is_glob || Path::new(input).exists())
        });
        match missing.map(String::as_str) {
            _ if inputs.is_empty() => {
                let shown = self.result.folder().display().to_string();
                let message = format!("summary.json names no inputs; {remedy}");
                return Err(Error::input(shown, message));
            }
            Some("-") => {
                let message = "the documents came from standard input, which can be read \
                               only once";
                return Err(Error::input("-", format!("{message}; {remedy}")));
            }
            Some(input) => {
                let message = "the result was made from it, and it is not there (paths are \
                               relative to where find was run)";
                return Err(Error::input(input, format!("{message}; {remedy}")));
            }
            None => {}
        }
        let files = self.job.discover_at(inputs)?.files;
        let read = self.job.read.clone().for_files(&files);
        let source = FileSource::new(files, read);
        if source.origins()?.is_none() {
            let message = "pipes can be read only once; name files with `input`";
            return Err(Error::input(inputs.join(" "), message));
        }
        Ok(source)
    }

    /// Refuses to compare other features than the result was made with: a changed file of stop words or
    /// another version of the program would show differences that the job has not seen.
    pub(super) fn check_features(&self) -> Result<()> {
        let config = &self.job.config;
        let now = FeatureSpec::new(config.features, &config.words, config.seed);
        let now = serde_json::to_value(&now)?;
        let then = &self.result.summary().feature_specification;
        if now == *then {
            return Ok(());
        }
        let keys = then.as_object().into_iter().flat_map(|then| then.keys());
        let mut changed = keys.filter(|key| now.get(key) != then.get(key));
        let name = changed.next().map_or("features", String::as_str);
        let shown = |value: Option<&Value>| {
            value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
        };
        let message = format!(
            "the result was made with {} for {name}, this would be {}",
            shown(then.get(name)),
            shown(now.get(name))
        );
        Err(Error::input(
            self.result.folder().display().to_string(),
            message,
        ))
    }
}
