//! A result that has all pairs, clustered again at a higher threshold: the bytes are those of
//! a fresh job at that threshold.
//!
//! What a fresh job would find is a part of the pairs that are there; the table of documents
//! says in which order documents are kept and which texts are equal. Held in memory are the
//! ids and a few numbers of the documents that occur in a pair; pairs are streamed and
//! sorted in runs.

mod cluster;
mod documents;
mod write;

use documents::StoredDocuments;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::{PairsMode, RuleCounts};
use neardupe_core::similarity::{Bounds, Similarity};
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::Threshold;
use neardupe_io::output::{ANTECEDENTS, OutputFormat, SHORT_DOCUMENTS};
use neardupe_io::result::ResultReader;
use serde_json::Value;
use std::path::Path;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rethresholded {
    /// Pairs at the new threshold.
    pub pairs: u64,
    /// Documents that belong to another one's cluster.
    pub duplicates: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// The duplicates by rule.
    pub rules: RuleCounts,
}

/// How it is done.
#[derive(Debug)]
pub struct RethresholdTask<'a> {
    /// The result with all pairs.
    pub result: &'a ResultReader,
    /// The new threshold, not below the old one.
    pub threshold: Threshold,
    /// The format of the new tables.
    pub format: OutputFormat,
    /// Directory for temporary files.
    pub work: &'a WorkDir,
    /// Bytes of rows that are sorted in memory.
    pub row_bytes: u64,
}

impl RethresholdTask<'_> {
    /// How similarity is measured.
    fn similarity(&self) -> Result<Similarity> {
        self.result.summary().similarity()
    }

    /// What a pair at the new threshold says about sizes and overlaps.
    fn bounds(&self) -> Result<Bounds> {
        Ok(Bounds::new(self.similarity()?, self.threshold))
    }

    /// Whether new documents were compared with old ones.
    fn against(&self) -> bool {
        self.result.summary().against()
    }
}

/// Refuses what cannot be done, before anything is written.
pub fn check(result: &ResultReader, threshold: Threshold) -> Result<()> {
    let summary = result.summary();
    let name = result.folder().display().to_string();
    if summary.pairs()? != PairsMode::All {
        let message = "the result does not have all pairs; run find with `pairs all`";
        return Err(Error::input(name, message));
    }
    let rules = summary.options.get("sample").and_then(Value::as_array);
    let rules = rules.into_iter().flatten().filter_map(Value::as_str);
    if rules.into_iter().any(|rule| rule.starts_with("adaptive:")) {
        let message = "with `sample adaptive` sizes depend on both documents of a pair, and the \
                       table of documents has one for each; run find at the other threshold";
        return Err(Error::input(name, message));
    }
    if summary.is_on("keep-exact") {
        let message = "with `keep-exact` equal documents may share few features, and the result does \
                       not say which documents have the same features; run find at the other \
                       threshold";
        return Err(Error::input(name, message));
    }
    let old = summary.threshold()?;
    if threshold.ratio().compare(old.ratio()).is_lt() {
        let message = format!(
            "{threshold} is below {old}, at which the result was made, so it does not have all \
             pairs from {threshold}; run find `threshold {threshold}`"
        );
        return Err(Error::config("threshold", message));
    }
    Ok(())
}

/// Writes the tables at the new threshold into `folder`.
pub fn rethreshold(task: &RethresholdTask<'_>, folder: &Path) -> Result<Rethresholded> {
    check(task.result, task.threshold)?;
    let mut documents = StoredDocuments::read(task.result)?;
    // Pairs first: they say which documents occur, and clusters are made of them. The table of
    // documents comes last, since only then all that occur are known.
    let pairs = write::pairs(task, &mut documents, folder)?;
    let clustered = cluster::cluster(task, &documents, &pairs)?;
    write::duplicates(task, &documents, &clustered.members, folder)?;
    let clusters = write::clusters(task, &documents, &clustered.rows, folder)?;
    write::documents(task, &documents, folder)?;
    let bad = "bad-records.jsonl";
    for name in [bad, "texts.jsonl", ANTECEDENTS, SHORT_DOCUMENTS] {
        let from = task.result.folder().join(name);
        if from.is_file() {
            let copied = std::fs::copy(&from, folder.join(name));
            copied.map_err(|error| Error::io(&from, error))?;
        }
    }
    Ok(Rethresholded {
        pairs: pairs.num_pairs,
        duplicates: clustered.members.len() as u64,
        clusters,
        rules: RuleCounts::of(clustered.members.iter().map(|member| member.rule)),
    })
}
