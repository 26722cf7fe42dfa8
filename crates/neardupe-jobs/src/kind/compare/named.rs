//! A document as it is named by a user: a file, or `INPUT#ID`.
//!
//! An argument that is the name of a file is that file, whatever characters its name has. Otherwise the
//! first `#` with an existing input before it separates the input from the id, so that ids may contain
//! `#`, and so may names of files.

use crate::kind::find::FindJob;
use crate::kind::reading::source_of;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_io::fetch::{Fetched, fetch, fetch_only};
use neardupe_io::source::discover;
use std::path::Path;

/// A document by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedDocument {
    /// A file, folder or glob.
    pub input: String,
    /// Which of its documents; None where it has one only.
    pub id: Option<String>,
}

impl NamedDocument {
    /// Separates the input from the id. Looks at the file system, but reads nothing.
    pub fn parse(argument: &str) -> Result<NamedDocument> {
        let whole = || NamedDocument {
            input: argument.to_owned(),
            id: None,
        };
        // First of all: a file may have `#` in its name.
        if argument == "-" || Path::new(argument).exists() {
            return Ok(whole());
        }
        for (at, _) in argument.match_indices('#') {
            let (input, id) = (&argument[..at], &argument[at + 1..]);
            let is_glob = input.contains(['*', '?', '[']);
            let is_input = Path::new(input).exists()
                || input == "-"
                || (is_glob && discover(&[input.to_owned()], None).is_ok());
            if !is_input {
                continue;
            }
            // The input exists, so an id was meant.
            if id.is_empty() {
                let message = "an id is missing after #, as docs.jsonl#7";
                return Err(Error::input(argument, message));
            }
            return Ok(NamedDocument {
                input: input.to_owned(),
                id: Some(id.to_owned()),
            });
        }
        // A glob that matches nothing: `discover` has a better message for it.
        if argument.contains(['*', '?', '[']) && !argument.contains('#') {
            return Ok(whole());
        }
        let message = "no such file; a document of a file, folder or glob is named by its id, \
                       as docs.jsonl#7";
        Err(Error::input(argument, message))
    }
}

/// Fetches two documents. An input that both are in is read once: it may be a large collection.
pub(super) fn fetch_two(
    left: &NamedDocument,
    right: &NamedDocument,
    job: &FindJob,
    progress: &dyn Progress,
) -> Result<(Fetched, Fetched)> {
    if left.input == "-" && right.input == "-" {
        let message = "standard input can be read only once";
        return Err(Error::input("-", message));
    }
    // Only with ids: without them each input is one document by itself.
    if let (Some(one), Some(other)) = (&left.id, &right.id)
        && left.input == right.input
    {
        let ids = [one.clone(), other.clone()];
        let fetched = fetch_ids(&left.input, &ids, job, progress)?;
        if let Ok([left, right]) = <[Fetched; 2]>::try_from(fetched) {
            return Ok((left, right));
        }
    }
    let left = fetch_one(left, job, progress)?;
    Ok((left, fetch_one(right, job, progress)?))
}

/// Fetches one document.
pub(super) fn fetch_one(
    named: &NamedDocument,
    job: &FindJob,
    progress: &dyn Progress,
) -> Result<Fetched> {
    match &named.id {
        Some(id) => {
            let ids = std::slice::from_ref(id);
            let fetched = fetch_ids(&named.input, ids, job, progress)?;
            let none = || Error::Internal("nothing was fetched".to_owned());
            fetched.into_iter().next().ok_or_else(none)
        }
        None => {
            let source = source_of(std::slice::from_ref(&named.input), job)?;
            fetch_only(&source, &named.input, job.config.threads, progress)
        }
    }
}

/// Fetches documents of an input by their ids; an id that no document has is an error.
fn fetch_ids(
    input: &str,
    ids: &[String],
    job: &FindJob,
    progress: &dyn Progress,
) -> Result<Vec<Fetched>> {
    let source = source_of(&[input.to_owned()], job)?;
    fetch(&source, ids, job.config.threads, progress)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn names_of_files_win_and_ids_may_have_any_character() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        for name in ["a", "b#c", "b#c#d"] {
            fs::write(path(name), "text").unwrap();
        }
        let parse = |name: &str| {
            let named = NamedDocument::parse(&path(name)).ok()?;
            let input = named.input.rsplit('/').next()?.to_owned();
            Some((input, named.id))
        };
        let named = |input: &str, id: Option<&str>| {
            Some((input.to_owned(), id.map(str::to_owned)))
        };
        assert_eq!(parse("a"), named("a", None));
        assert_eq!(parse("a#x"), named("a", Some("x")));
        assert_eq!(parse("a#x#2"), named("a", Some("x#2")));
        assert_eq!(parse("b#c"), named("b#c", None));
        assert_eq!(parse("b#c#d"), named("b#c#d", None));
        assert_eq!(parse("b#c#e"), named("b#c", Some("e")));
        assert_eq!(parse("*#x"), named("*", Some("x")));
        for wrong in ["a#", "z", "z#1", "b#x"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
