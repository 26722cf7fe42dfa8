//! What `eval` tells of passages.

use neardupe_core::eval::passages::{KindMeasures, PassageMeasures};
use neardupe_core::eval::sentences::SentenceMeasures;
use neardupe_jobs::truth::LeftOut;
use serde::Serialize;

/// The answer of `eval` for a result of passages.
#[derive(Debug, Serialize)]
pub(super) struct PassagesReport {
    pub(super) result: String,
    pub(super) documents: u64,
    pub(super) truth: PassageTruthReport,
    pub(super) left_out: LeftOut,
    pub(super) measures: PassageMeasures,
    pub(super) kinds: Vec<KindRow>,
    /// None without the texts.
    pub(super) sentences: Option<SentenceMeasures>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) no_sentences: Option<&'static str>,
}

/// What the truth is.
#[derive(Debug, Serialize)]
pub(super) struct PassageTruthReport {
    pub(super) name: String,
    pub(super) rows: u64,
    /// Documents it names.
    pub(super) ids: u64,
    /// Those of them with a passage in the result.
    pub(super) ids_in_result: u64,
    /// True passages that end after the end of a document; none if that is not known.
    pub(super) ends_after_document: Option<u64>,
}

/// True passages of a kind.
#[derive(Debug, Serialize)]
pub(super) struct KindRow {
    pub(super) kind: String,
    #[serde(flatten)]
    pub(super) measures: KindMeasures,
}
