//! The measures of `eval`.
//!
//! A measure is absent (null), not 0, where nothing can be measured: precision without a
//! predicted pair, recall without a true one. On a sample shares have intervals (95 %), since
//! other labels would have given other numbers; on a whole truth they are exact and have none.

use crate::truth::{Comparison, LeftOut, Predicted, SampleCounts, Truth, TruthFile};
use neardupe_core::error::Result;
use neardupe_core::eval::passages::{KindMeasures, PassageMeasures};
use neardupe_core::eval::sentences::SentenceMeasures;
use neardupe_core::eval::{Measures, Proportion};
use neardupe_core::threshold::Threshold;
use neardupe_io::result::ResultReader;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The answer of `eval`, by what the result is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EvalSummary {
    /// Of `find` or `dedup`.
    Documents(Box<EvalReport>),
    /// Of `passages`.
    Passages(Box<EvalPassagesReport>),
}

/// The answer of `eval`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalReport {
    /// The folder of the result.
    pub result: String,
    /// The threshold.
    pub threshold: String,
    /// `pairs` or `clusters`.
    pub predicted_from: String,
    /// How clusters were made.
    pub cluster: String,
    /// Whether what is connected by pairs counts as duplicates.
    pub closure: bool,
    /// Documents of the collection.
    pub documents: u64,
    /// What it is compared with.
    pub truth: EvalTruth,
    /// Ids of the truth that the result names too.
    pub truth_ids_in_result: Option<u64>,
    /// All measures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Measures>,
    /// Measures on labelled pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<EvalSample>,
    /// The measures at other thresholds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sweep: Vec<EvalSweepRow>,
}

/// What the truth is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalTruth {
    /// The file or the field.
    pub name: String,
    /// `pairs`, `clusters`, `sample` or `field`.
    pub kind: String,
    /// Rows, groups, or documents with a value.
    pub rows: u64,
    /// Documents it names.
    pub ids: u64,
    /// Rows that name one document twice.
    pub self_pairs: u64,
    /// Rows that repeat a pair.
    pub repeated: u64,
    /// Rows labelled unclear.
    pub unclear: u64,
    /// Rows that were left out since an id is not in the collection; none if that is not known.
    pub unknown_rows: Option<u64>,
    /// Some of these ids.
    pub unknown_ids: Vec<String>,
}

/// Measures on labelled pairs alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalSample {
    /// Duplicates that are predicted.
    pub found: u64,
    /// Duplicates that are not.
    pub missed: u64,
    /// Others that are predicted.
    pub wrong: u64,
    /// Others that are not.
    pub left_alone: u64,
    /// Pairs with as many labels for as against.
    pub undecided: u64,
    /// The share of what is predicted that is right.
    pub precision: Option<Proportion>,
    /// The share of the duplicates that is predicted.
    pub recall: Option<Proportion>,
    /// The harmonic mean of both.
    pub f1: Option<f64>,
    /// The share of the pairs that is right.
    pub accuracy: Option<Proportion>,
}

/// The measures at one threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalSweepRow {
    /// The threshold.
    pub threshold: String,
    /// Predicted pairs.
    pub predicted: u64,
    /// The share of what is predicted that is right.
    pub precision: Option<f64>,
    /// The share of the duplicates that is predicted.
    pub recall: Option<f64>,
    /// The harmonic mean of both.
    pub f1: Option<f64>,
    /// F1 of B-cubed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bcubed_f1: Option<f64>,
    /// The adjusted Rand index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted_rand_index: Option<f64>,
    /// The share of documents whose duplicates are exactly the true ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_accuracy: Option<f64>,
}

/// The answer of `eval` for a result of passages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalPassagesReport {
    /// The folder of the result.
    pub result: String,
    /// Documents of the collection.
    pub documents: u64,
    /// What it is compared with.
    pub truth: EvalPassageTruth,
    /// What does not count.
    pub left_out: LeftOut,
    /// All measures.
    pub measures: PassageMeasures,
    /// The true passages of each kind.
    pub kinds: Vec<EvalKindRow>,
    /// None without the texts.
    pub sentences: Option<SentenceMeasures>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_sentences: Option<String>,
}

/// What the truth is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalPassageTruth {
    /// The file or folder.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// Documents it names.
    pub ids: u64,
    /// Those of them with a passage in the result.
    pub ids_in_result: u64,
    /// True passages that end after the end of a document; none if that is not known.
    pub ends_after_document: Option<u64>,
}

/// True passages of a kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvalKindRow {
    /// The kind.
    pub kind: String,
    /// All measures.
    #[serde(flatten)]
    pub measures: KindMeasures,
}

impl EvalReport {
    pub(super) fn new(
        result: &ResultReader,
        closure: bool,
        predicted: Predicted,
        documents: u64,
        truth: EvalTruth,
    ) -> Result<Self> {
        let summary = result.summary();
        Ok(EvalReport {
            result: result.folder().display().to_string(),
            threshold: summary.threshold()?.to_string(),
            predicted_from: match predicted {
                Predicted::Clusters => "clusters".to_owned(),
                Predicted::Pairs | Predicted::PairsFrom(_) => "pairs".to_owned(),
            },
            cluster: summary.cluster()?.to_string(),
            closure,
            documents,
            truth,
            truth_ids_in_result: None,
            measures: None,
            sample: None,
            sweep: Vec::new(),
        })
    }

    pub(super) fn set(&mut self, found: Comparison) {
        self.truth_ids_in_result = Some(found.in_both);
        self.measures = Some(found.measures);
    }
}

impl EvalTruth {
    pub(super) fn of_file(
        path: &Path,
        file: &TruthFile,
        ids: u64,
        checked: bool,
    ) -> Self {
        EvalTruth {
            name: path.display().to_string(),
            kind: match &file.truth {
                Truth::Pairs(_) => "pairs".to_owned(),
                Truth::Clusters(_) => "clusters".to_owned(),
                Truth::Sample(_) => "sample".to_owned(),
            },
            rows: file.rows,
            ids,
            self_pairs: file.self_pairs,
            repeated: file.repeated,
            unclear: file.unclear,
            unknown_rows: checked.then_some(file.unknown_rows),
            unknown_ids: file.unknown_ids.clone(),
        }
    }

    pub(super) fn of_field(field: &str, with_value: u64) -> Self {
        EvalTruth {
            name: format!("field {field}"),
            kind: "field".to_owned(),
            rows: with_value,
            ids: with_value,
            self_pairs: 0,
            repeated: 0,
            unclear: 0,
            unknown_rows: None,
            unknown_ids: Vec::new(),
        }
    }
}

impl EvalSample {
    pub(super) fn new(counts: SampleCounts, undecided: u64) -> Self {
        let SampleCounts {
            found,
            missed,
            wrong,
            left_alone,
        } = counts;
        let right = found + left_alone;
        EvalSample {
            found,
            missed,
            wrong,
            left_alone,
            undecided,
            precision: Proportion::of(found, found + wrong),
            recall: Proportion::of(found, found + missed),
            f1: f1(&counts),
            accuracy: Proportion::of(right, right + wrong + missed),
        }
    }
}

/// 2 found / (2 found + wrong + missed): the harmonic mean of precision and recall, without
/// dividing twice.
#[expect(clippy::cast_precision_loss, reason = "a measure")]
fn f1(counts: &SampleCounts) -> Option<f64> {
    let below = 2 * counts.found + counts.wrong + counts.missed;
    (below > 0).then(|| 2.0 * counts.found as f64 / below as f64)
}

impl EvalSweepRow {
    pub(super) fn of_sample(threshold: Threshold, counts: SampleCounts) -> Self {
        let share = |part, whole| Proportion::of(part, whole).map(|found| found.share);
        EvalSweepRow {
            threshold: threshold.to_string(),
            predicted: counts.found + counts.wrong,
            precision: share(counts.found, counts.found + counts.wrong),
            recall: share(counts.found, counts.found + counts.missed),
            f1: f1(&counts),
            bcubed_f1: None,
            adjusted_rand_index: None,
            strict_accuracy: None,
        }
    }

    pub(super) fn of_whole(threshold: Threshold, found: Comparison) -> Self {
        let measures = found.measures;
        EvalSweepRow {
            threshold: threshold.to_string(),
            predicted: measures.pairs.predicted,
            precision: measures.precision,
            recall: measures.recall,
            f1: measures.f1,
            bcubed_f1: measures.all.map(|all| all.bcubed_f1),
            adjusted_rand_index: measures.adjusted_rand_index,
            strict_accuracy: measures.all.map(|all| all.strict_accuracy),
        }
    }
}
