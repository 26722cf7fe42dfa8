//! A query against the features that a job has kept: no text is read.

use super::hits::{Best, FoundDocument, SimilarResult, preview};
use super::query::{Query, SimilarConfig};
use crate::candidate::chunk::Chunk;
use crate::document::{Progress, check_cancelled};
use crate::error::{Error, Result};
use crate::feature::FeatureSpec;
use crate::hash::HashKey;
use crate::numbers::{Column, SetIdx};
use crate::pipeline::read::gather::{gather, no_side};
use crate::pipeline::read::parts::stored;
use crate::store::work_dir::FINISHED;
use crate::store::{Budget, WorkDir};
use crate::threads::with_threads;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What a job says of itself when its work directory is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptWork {
    /// What feature values depend on.
    pub feature_specification: serde_json::Value,
    /// Names of the files that were read, in order.
    pub file_names: Vec<String>,
    /// Features were hashed under the key of the work directory.
    pub is_under_key: bool,
}

impl KeptWork {
    /// What a job with these features says.
    pub fn new(
        specification: &FeatureSpec,
        file_names: Vec<String>,
        is_under_key: bool,
    ) -> Result<Self> {
        let specification = serde_json::to_value(specification)
            .map_err(|error| Error::Internal(format!("specification: {error}")))?;
        Ok(KeptWork {
            feature_specification: specification,
            file_names,
            is_under_key,
        })
    }

    /// What features of a query are hashed under, so that they meet those that were kept.
    pub fn feature_key(&self, work: &WorkDir) -> Option<HashKey> {
        self.is_under_key.then(|| work.key())
    }

    /// Enters it in the work directory of a job that is done.
    pub fn write(&self, work: &WorkDir) -> Result<()> {
        work.commit(FINISHED, self, Vec::new(), &[])
    }

    /// Reads it from the work directory of a job that is done; none when the job is not, or
    /// was not asked to keep its features.
    pub fn read(work: &WorkDir) -> Result<Option<Self>> {
        Ok(work.stage::<KeptWork>(FINISHED)?.map(|(kept, _)| kept))
    }

    /// An error that names the first difference to the features of a query.
    pub fn check(&self, query: &FeatureSpec, work: &WorkDir) -> Result<()> {
        let query = KeptWork::new(query, Vec::new(), false)?.feature_specification;
        let (Some(kept), Some(asked)) =
            (self.feature_specification.as_object(), query.as_object())
        else {
            return Err(Error::Internal(
                "a specification that is no object".to_owned(),
            ));
        };
        for name in kept.keys().chain(asked.keys()) {
            let (kept, asked) = (kept.get(name), asked.get(name));
            if kept != asked {
                let shown = |value: Option<&serde_json::Value>| {
                    value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
                };
                let message = format!(
                    "its features were made with {} for {name}, those of the query with {}; \
                     search the input itself, or run find `keep-work` again",
                    shown(kept),
                    shown(asked)
                );
                return Err(Error::input(work.path().display().to_string(), message));
            }
        }
        Ok(())
    }
}

/// Finds the documents of a job that are similar to a query, the best first. The same as
/// [`super::similar`] over the job's source, without reading it.
pub fn similar_in(
    work: &WorkDir,
    kept: &KeptWork,
    query: &Query,
    config: &SimilarConfig,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<SimilarResult> {
    let mut stage = stored(work, kept.file_names.clone())?;
    let chunks = std::mem::take(&mut stage.chunks);
    with_threads(config.threads, || {
        let total: u64 = chunks.iter().map(Chunk::num_features).sum();
        progress.begin("search", total * 8);
        // A chunk is in memory for as long as a thread looks through it.
        let found: Vec<Vec<(SetIdx, u32, u32)>> = chunks
            .into_par_iter()
            .map(|chunk| search_chunk(chunk, query, progress))
            .collect::<Result<_>>()?;
        let documents = gather(&mut stage, budget, work, 0, no_side())?;
        // Of equal sets one stands for all; whichever was found, they have the same overlap.
        let mut overlaps = Column::filled(None, documents.set_table().len());
        for (set, overlap, size) in found.into_iter().flatten() {
            let set = documents.set_table().canonical(set);
            overlaps[set] = Some((overlap, size));
        }
        let mut best = Best::new(config.similarity, query.size(), config.top);
        for document in documents.all() {
            let found = documents.set(document).and_then(|set| overlaps[set]);
            let Some((overlap, size)) = found else {
                continue;
            };
            let own = documents.own_id(document)?;
            let position = documents.position(document)?;
            let file = &documents.files()[position.file as usize];
            let text_hash = documents.text_hash(document)?;
            best.add(FoundDocument {
                overlap,
                size,
                name: own.as_deref().unwrap_or(&file.name).to_owned(),
                is_made: own.is_none(),
                text_hash,
                position,
                is_equal_text: documents.text_key(document)? == query.text_key,
                preview: String::new(),
                document,
            });
        }
        let mut result = SimilarResult {
            num_hits: best.num_found,
            num_documents: u64::from(documents.len()),
            num_bad_records: documents.num_bad_records(),
            query_size: query.size(),
            ..SimilarResult::default()
        };
        for mut found in best.finish() {
            // Only those that are given are fetched from the log.
            let document = found.document;
            found.preview = preview(&documents.preview(document)?);
            let id = documents.id(document)?.into_owned();
            result.hits.push(found.into_hit(id, documents.files()));
        }
        Ok(result)
    })
}

/// Sets of a chunk that are similar to the query: number, overlap, size.
fn search_chunk(
    chunk: Chunk,
    query: &Query,
    progress: &dyn Progress,
) -> Result<Vec<(SetIdx, u32, u32)>> {
    check_cancelled(progress)?;
    let chunk = chunk.load()?;
    let (mut matcher, mut found) = (query.matcher(), Vec::new());
    for span in &chunk.spans {
        if let Some(overlap) = matcher.overlap(chunk.set(span)) {
            found.push((span.set, overlap, span.len));
        }
    }
    progress.advance(chunk.features.len() as u64 * 8);
    Ok(found)
}
