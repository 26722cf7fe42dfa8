//! The tables of `study sampling` and `study adaptive`: every trial, every limit, every plan.
//!
//! They are always CSV, to be drawn by whatever program. A value that is not defined, as the precision of
//! a trial that found nothing, is an empty cell.
//!
//! `grid.csv` of the other studies is not declared. Each study has columns of its own, in an order of
//! its own, and the same rows are in `summary.json` under their names, with their types.

use super::column::{
    Decimal, Digits, Number, OptionalDecimal, OptionalNumber, Seconds, Text,
};
use super::declaration::table;

table! {
    /// What each sample of the features finds.
    SamplingTrials = "sampling" of "trial" {
        rows: SamplingTrialRow, StoredSamplingTrial;
        of: [Study];
        formats: Csv;
        order: "by ratio and trial, then by `threshold` and group";
        columns {
            /// Which share of the features is kept: `1`, `1/2` and so on.
            ratio: Text,
            /// Number of the trial: which features of that share are kept.
            trial: Number<u64>,
            /// Smallest resemblance.
            threshold: Text,
            /// Words of the documents; `across` for pairs of two groups, `all` for all pairs.
            group: Text,
            /// Share of the pairs found that are pairs without sampling.
            precision: OptionalDecimal,
            /// Share of the pairs without sampling that are found.
            recall: OptionalDecimal,
            /// Mean of exact less sampled resemblance, over the pairs of either; a pair missing on one side
            /// counts as 0 there.
            average_error: OptionalDecimal,
            /// Correlation of the two resemblances; absent when one never changes.
            correlation: OptionalDecimal,
            /// Number of pairs found.
            pairs: Number<u64>,
            /// Documents in these pairs; absent for `across`.
            documents: OptionalNumber,
            /// Share of the features that the trial keeps.
            kept_share: Decimal,
            /// Time of the whole study, since trials share one pass.
            seconds: Seconds,
            /// Precision of documents that are in a pair.
            document_precision: OptionalDecimal,
            /// Recall of documents that are in a pair.
            document_recall: OptionalDecimal,
        }
    }
}

table! {
    /// What it costs to ignore features that occur in many documents; only with `commonality`.
    CommonalityLimits = "commonality" of "limit" {
        rows: CommonalityLimitRow, StoredCommonalityLimit;
        of: [Study];
        formats: Csv;
        order: "by `limit` and `threshold`";
        columns {
            /// Features found in more documents than this are ignored.
            limit: Number<u64>,
            /// Smallest resemblance.
            threshold: Text,
            /// Share of the pairs found that are pairs of all features.
            precision: OptionalDecimal,
            /// Share of the pairs of all features that are found.
            recall: OptionalDecimal,
            /// Mean of exact less measured resemblance, over the pairs of either.
            average_error: OptionalDecimal,
            /// Correlation of the two resemblances; absent when one never changes.
            correlation: OptionalDecimal,
            /// Number of pairs found.
            pairs: Number<u64>,
            /// Number of pairs of all features.
            exact_pairs: Number<u64>,
            /// Pairs of documents that share a feature, once for each such feature that is not ignored.
            pair_records: Digits,
            /// The same of all features.
            all_pair_records: Digits,
        }
    }
}

table! {
    /// What each group of documents keeps under each plan.
    AdaptivePlans = "adaptive" of "group" {
        rows: AdaptivePlanRow, StoredAdaptivePlan;
        of: [Study];
        formats: Csv;
        order: "by plan, then by group";
        columns {
            /// The precision that the plan is for.
            target: Text,
            /// Smallest resemblance.
            threshold: Text,
            /// Words of the documents; `across` for pairs of two groups, `all` for all pairs.
            group: Text,
            /// Which share of the features of the group is kept; empty for `across` and `all`.
            ratio: Text,
            /// Pairs without sampling.
            pairs: Number<u64>,
            /// The precision that the plan expects.
            expected_precision: OptionalDecimal,
            /// The precision that was measured.
            measured_precision: OptionalDecimal,
            /// The recall that was measured.
            recall: OptionalDecimal,
            /// Share of all features that the plan keeps.
            kept_share: Decimal,
            /// The share that one ratio for all groups would need for the same precision.
            single_ratio: Text,
            /// Share of all features that this one ratio keeps.
            single_share: Decimal,
        }
    }
}
