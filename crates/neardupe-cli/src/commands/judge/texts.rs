//! The texts of the sample: from the result itself, or read again from its inputs.

use super::sample::SampledPair;
use crate::terminal::Stages;
use anyhow::Result;
use neardupe_core::error::Error;
use neardupe_io::fetch::{Found, fetch_texts, find_by_id};
use neardupe_io::result::ResultReader;
use neardupe_io::source::{FileSource, discover};
use neardupe_jobs::kind::stored;
use std::collections::BTreeMap;
use std::io::Write;

/// Texts by id.
#[derive(Debug, Default)]
pub(super) struct Texts(BTreeMap<String, String>);

impl Texts {
    pub(super) fn get(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

/// Fetches the texts of all pairs; none, with a word on why, where the inputs are gone.
pub(super) fn fetch(
    result: &ResultReader,
    input: &[String],
    pairs: &[SampledPair],
) -> Result<Option<Texts>> {
    let ids = pairs.iter().flat_map(|pair| [&pair.left, &pair.right]);
    let mut ids: Vec<String> = ids.cloned().collect();
    ids.sort_unstable();
    ids.dedup();
    let stages = Stages::new(false);
    if input.is_empty()
        && let Some(found) = fetch_texts(result.folder(), &ids, 1, &stages)?
    {
        return Ok(Some(gather(found)));
    }
    match read_again(result, input, &ids, &stages) {
        Ok(found) => {
            found.check(&ids)?;
            Ok(Some(gather(found)))
        }
        Err(error) if input.is_empty() && is_of_inputs(&error) => {
            drop(stages);
            let mut out = std::io::stderr().lock();
            writeln!(
                out,
                "neardupe: no texts are shown, since the inputs of the result cannot be read \
                 ({error}); name them with --input"
            )?;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn is_of_inputs(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref::<Error>(),
        Some(Error::Input { .. } | Error::Io { .. })
    )
}

fn read_again(
    result: &ResultReader,
    input: &[String],
    ids: &[String],
    stages: &Stages,
) -> Result<Found> {
    let inputs = match input.is_empty() {
        true => stored::inputs(result),
        false => input.to_vec(),
    };
    let job = stored::job(result, None)?;
    let discovered = discover(&inputs, job.read.format)?;
    let read = job.read.clone().for_files(&discovered.files);
    let source = FileSource::new(discovered.files, read);
    Ok(find_by_id(&source, ids, job.config.threads, stages)?)
}

fn gather(found: Found) -> Texts {
    let documents = found.documents.into_iter().flatten();
    Texts(documents.map(|found| (found.id, found.text)).collect())
}
