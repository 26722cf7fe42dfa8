//! Where the documents of a result are read again.
//!
//! Where the recorded inputs are gone, addresses and ids still decide what they can, so this
//! returns a reason instead of failing. Inputs that the user names must be there.

use super::super::stored;
use crate::causes::Originals;
use crate::kind::find::FindJob;
use neardupe_core::document::Source;
use neardupe_core::error::{Error, Result};
use neardupe_io::extract::Content;
use neardupe_io::fetch::texts_source;
use neardupe_io::result::ResultReader;
use neardupe_io::source::{FileSource, ReadOptions, TextType};
use std::path::Path;

/// The originals, or why they cannot be read. Only inputs that were typed must be there.
pub fn open(
    result: &ResultReader,
    typed: &[String],
    job: &FindJob,
) -> Result<std::result::Result<Originals, String>> {
    let new = if typed.is_empty() {
        stored::list(result, "inputs")
    } else {
        typed.to_vec()
    };
    let old = stored::list(result, "against");
    // Recorded inputs may have been moved or deleted since; that is no reason to fail.
    match both(&new, &old, job) {
        Ok(originals) => Ok(Ok(originals)),
        // The user named these, so there is no way around the error.
        Err(error) if !typed.is_empty() => Err(error),
        Err(error @ (Error::Input { .. } | Error::Io { .. } | Error::Config { .. })) => {
            // The texts of all documents, but nothing else of them.
            let texts = texts_source(result.folder())?;
            let texts = texts.filter(|_| old.is_empty()).map(|new| Originals {
                new,
                old: None,
                main: None,
                metadata: Vec::new(),
            });
            Ok(texts.ok_or_else(|| error.to_string()))
        }
        Err(error) => Err(error),
    }
}

/// The originals, with the main content of pages beside the full one where the job read the
/// full one: pages that differ only outside of it are a cause of their own.
fn both(new: &[String], old: &[String], job: &FindJob) -> Result<Originals> {
    let mut originals = of_content(new, old, job, &job.read)?;
    let text = &job.read.text;
    if text.html.content == Content::Full && text.text_type != TextType::Plain {
        let mut main = job.read.clone();
        main.text.html.content = Content::Main;
        originals.main = Some(Box::new(of_content(new, old, job, &main)?));
    }
    Ok(originals)
}

/// The sources of new and old documents with one choice of content.
fn of_content(
    new: &[String],
    old: &[String],
    job: &FindJob,
    read: &ReadOptions,
) -> Result<Originals> {
    Ok(Originals {
        new: source(new, job, read)?,
        old: if old.is_empty() {
            None
        } else {
            Some(source(old, job, read)?)
        },
        main: None,
        metadata: read.keys.metadata.clone(),
    })
}

/// The source of some inputs. Refused are inputs that are gone, standard input and pipes:
/// documents are read again by their place, which needs files that can be read twice.
fn source(inputs: &[String], job: &FindJob, read: &ReadOptions) -> Result<FileSource> {
    let missing = inputs.iter().find(|input| {
        let is_glob = input.contains(['*', '?', '[']);
        // A glob is not a path; whether it matches something is found out below.
        *input == "-" || !(is_glob || Path::new(input).exists())
    });
    match missing.map(String::as_str) {
        _ if inputs.is_empty() => {
            return Err(Error::input("summary.json", "it names no inputs"));
        }
        Some("-") => {
            return Err(Error::input("-", "standard input can be read only once"));
        }
        Some(input) => {
            let message = "it is not there (paths are relative to where find was run)";
            return Err(Error::input(input, message));
        }
        None => {}
    }
    let files = job.discover_at(inputs)?.files;
    let read = read.clone().for_files(&files);
    let source = FileSource::new(files, read);
    // None for what can be read only once, such as a named pipe.
    match source.origins()? {
        Some(_) => Ok(source),
        None => Err(Error::input(
            inputs.join(" "),
            "pipes can be read only once",
        )),
    }
}
