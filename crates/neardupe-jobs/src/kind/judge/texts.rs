//! The texts of the sample: from the result itself, or read again from its inputs.
//!
//! Without texts a judge can still look the documents up by their ids, so a missing input is a
//! warning.

use super::super::stored;
use super::sample::JudgePair;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_io::fetch::{Found, fetch_texts, find_by_id};
use neardupe_io::result::ResultReader;
use neardupe_io::source::FileSource;
use std::collections::BTreeMap;

/// Texts by id.
#[derive(Debug, Clone, Default)]
pub struct JudgeTexts(BTreeMap<String, String>);

impl JudgeTexts {
    /// The text of a document.
    pub fn get(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

/// Fetches the texts of all pairs; why there are none, where the inputs are gone.
pub(super) fn fetch(
    result: &ResultReader,
    input: &[String],
    pairs: &[JudgePair],
    progress: &dyn Progress,
    warnings: &mut Vec<String>,
) -> Result<std::result::Result<JudgeTexts, String>> {
    let ids = pairs.iter().flat_map(|pair| [&pair.left, &pair.right]);
    // A document is in many pairs and fetched once.
    let mut ids: Vec<String> = ids.cloned().collect();
    ids.sort_unstable();
    ids.dedup();
    // Texts of a result are those that were compared, so they come first.
    if input.is_empty()
        && let Some(found) = fetch_texts(result.folder(), &ids, 1, progress)?
    {
        return Ok(Ok(gather(found)));
    }
    match read_again(result, input, &ids, progress, warnings) {
        Ok(found) => {
            found.check(&ids)?;
            Ok(Ok(gather(found)))
        }
        Err(error @ (Error::Input { .. } | Error::Io { .. })) if input.is_empty() => {
            Ok(Err(format!(
                "no texts are shown, since the inputs of the result cannot be read ({error}); \
                 name them with `input`"
            )))
        }
        Err(error) => Err(error),
    }
}

/// Reads the named inputs, or those that the summary names, by the options of the job; the
/// documents with these ids are what is returned. Reads all of the input in the worst case.
fn read_again(
    result: &ResultReader,
    input: &[String],
    ids: &[String],
    progress: &dyn Progress,
    warnings: &mut Vec<String>,
) -> Result<Found> {
    let inputs = if input.is_empty() {
        stored::inputs(result)
    } else {
        input.to_vec()
    };
    let job = stored::job(result, None)?;
    let discovered = job.discover_at(&inputs)?;
    warnings.append(&mut job.passed_over());
    let read = job.read.clone().for_files(&discovered.files);
    let source = FileSource::new(discovered.files, read);
    find_by_id(&source, ids, job.config.threads, progress)
}

/// The texts by their ids; documents that were not found are missing.
fn gather(found: Found) -> JudgeTexts {
    let documents = found.documents.into_iter().flatten();
    JudgeTexts(documents.map(|found| (found.id, found.text)).collect())
}
