//! What `eval` tells.

use anyhow::Result;
use neardupe_core::eval::{Measures, Proportion};
use neardupe_core::threshold::Threshold;
use neardupe_io::result::ResultReader;
use neardupe_jobs::truth::{Comparison, Predicted, SampleCounts, Truth, TruthFile};
use serde::Serialize;
use std::path::Path;

/// The answer of `eval`.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) result: String,
    pub(super) threshold: String,
    /// `pairs` or `clusters`.
    pub(super) predicted_from: &'static str,
    /// How clusters were made.
    pub(super) cluster: String,
    pub(super) closure: bool,
    pub(super) documents: u64,
    pub(super) truth: TruthReport,
    /// Ids of the truth that the result names too.
    pub(super) truth_ids_in_result: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) measures: Option<Measures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sample: Option<SampleReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sweep: Vec<SweepRow>,
}

/// What the truth is.
#[derive(Debug, Serialize)]
pub(super) struct TruthReport {
    /// The file or the field.
    pub(super) name: String,
    /// `pairs`, `clusters`, `sample` or `field`.
    pub(super) kind: &'static str,
    /// Rows, groups, or documents with a value.
    pub(super) rows: u64,
    /// Documents it names.
    pub(super) ids: u64,
    pub(super) self_pairs: u64,
    pub(super) repeated: u64,
    pub(super) unclear: u64,
    /// Rows that were left out since an id is not in the collection; none if that is not known.
    pub(super) unknown_rows: Option<u64>,
    pub(super) unknown_ids: Vec<String>,
}

/// Measures on labelled pairs alone.
#[derive(Debug, Serialize)]
pub(super) struct SampleReport {
    pub(super) found: u64,
    pub(super) missed: u64,
    pub(super) wrong: u64,
    pub(super) left_alone: u64,
    /// Pairs with as many labels for as against.
    pub(super) undecided: u64,
    pub(super) precision: Option<Proportion>,
    pub(super) recall: Option<Proportion>,
    pub(super) f1: Option<f64>,
    pub(super) accuracy: Option<Proportion>,
}

/// The measures at one threshold.
#[derive(Debug, Serialize)]
pub(super) struct SweepRow {
    pub(super) threshold: String,
    pub(super) predicted: u64,
    pub(super) precision: Option<f64>,
    pub(super) recall: Option<f64>,
    pub(super) f1: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bcubed_f1: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) adjusted_rand_index: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) strict_accuracy: Option<f64>,
}

impl Report {
    pub(super) fn new(
        result: &ResultReader,
        closure: bool,
        predicted: Predicted,
        documents: u64,
        truth: TruthReport,
    ) -> Result<Self> {
        let summary = result.summary();
        Ok(Report {
            result: result.folder().display().to_string(),
            threshold: summary.threshold()?.to_string(),
            predicted_from: match predicted {
                Predicted::Clusters => "clusters",
                Predicted::Pairs | Predicted::PairsFrom(_) => "pairs",
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

impl TruthReport {
    pub(super) fn of_file(
        path: &Path,
        file: &TruthFile,
        ids: u64,
        checked: bool,
    ) -> Self {
        TruthReport {
            name: path.display().to_string(),
            kind: match &file.truth {
                Truth::Pairs(_) => "pairs",
                Truth::Clusters(_) => "clusters",
                Truth::Sample(_) => "sample",
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
        TruthReport {
            name: format!("field {field}"),
            kind: "field",
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

impl SampleReport {
    pub(super) fn new(counts: SampleCounts, undecided: u64) -> Self {
        let SampleCounts {
            found,
            missed,
            wrong,
            left_alone,
        } = counts;
        let right = found + left_alone;
        SampleReport {
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

#[expect(clippy::cast_precision_loss, reason = "a measure")]
fn f1(counts: &SampleCounts) -> Option<f64> {
    let below = 2 * counts.found + counts.wrong + counts.missed;
    (below > 0).then(|| 2.0 * counts.found as f64 / below as f64)
}

impl SweepRow {
    pub(super) fn of_sample(threshold: Threshold, counts: SampleCounts) -> Self {
        let share = |part, whole| Proportion::of(part, whole).map(|found| found.share);
        SweepRow {
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
        SweepRow {
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
