//! Tables of a study as CSV: every trial, every threshold, every group.
//!
//! Rows are written in a fixed order (trial, threshold, group), so that tables of two studies
//! can be compared line by line.

use super::{Which, figures_of, group_of, share};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::study::{AdaptivePlan, PlannedPairs, SamplingResult, Trial};
use neardupe_io::output::table::Table;
use neardupe_io::tables::{
    AdaptivePlanRow, AdaptivePlans, CommonalityLimitRow, CommonalityLimits,
    SamplingTrialRow, SamplingTrials,
};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes `sampling.csv`.
pub fn write_sampling(folder: &Path, result: &SamplingResult) -> Result<()> {
    let mut table = Table::<SamplingTrials>::create_fixed(folder)?;
    for trial in Trial::all(result.max_divisor) {
        for (step, threshold) in result.thresholds.iter().enumerate() {
            for which in Which::each(result) {
                let figures = figures_of(result, trial, step, which);
                // A document belongs to one group, so for pairs across groups there are no
                // documents to count.
                let documents = (which != Which::Across)
                    .then(|| result.documents_in_pairs(trial, step, group_of(which)));
                let kept = result.kept(trial, group_of(which));
                table.row(&SamplingTrialRow {
                    ratio: ratio(trial.divisor).into(),
                    trial: trial.remainder.into(),
                    threshold: threshold.to_string().into(),
                    group: which.name(result).into(),
                    precision: figures.precision(),
                    recall: figures.recall(),
                    average_error: figures.average_error,
                    correlation: figures.correlation,
                    pairs: figures.pairs,
                    documents: documents.map(|one| one.documents),
                    kept_share: share(kept, result.features(group_of(which))),
                    seconds: result.seconds,
                    document_precision: documents.and_then(|one| one.precision()),
                    document_recall: documents.and_then(|one| one.recall()),
                })?;
            }
        }
    }
    table.finish()
}

/// Writes `commonality.csv`.
pub fn write_commonality(folder: &Path, result: &SamplingResult) -> Result<()> {
    let mut table = Table::<CommonalityLimits>::create_fixed(folder)?;
    for row in &result.commonality {
        let figures = row.figures;
        table.row(&CommonalityLimitRow {
            limit: row.limit.into(),
            threshold: row.threshold.to_string().into(),
            precision: figures.precision(),
            recall: figures.recall(),
            average_error: figures.average_error,
            correlation: figures.correlation,
            pairs: figures.pairs,
            exact_pairs: figures.exact_pairs,
            pair_records: row.pair_records.to_string().into(),
            all_pair_records: result.pair_records.to_string().into(),
        })?;
    }
    table.finish()
}

/// Writes `adaptive.csv`: what each group keeps under each plan.
pub fn write_plans(folder: &Path, plans: &[AdaptivePlan]) -> Result<()> {
    let mut table = Table::<AdaptivePlans>::create_fixed(folder)?;
    for plan in plans {
        // The facts of the plan are repeated in each row: a row can be read by itself, and a
        // spreadsheet filtered by group loses nothing.
        let mut row = |group: &str, kept: &str, pairs: &PlannedPairs| {
            table.row(&AdaptivePlanRow {
                target: plan.target.to_string().into(),
                threshold: plan.threshold.to_string().into(),
                group: group.into(),
                ratio: kept.into(),
                pairs: pairs.exact_pairs,
                expected_precision: pairs.expected,
                measured_precision: pairs.measured,
                recall: pairs.recall,
                kept_share: plan.kept_share,
                single_ratio: ratio(plan.single_divisor).into(),
                single_share: plan.single_share,
            })
        };
        for group in &plan.groups {
            row(&group.name(), &ratio(group.divisor), &group.pairs)?;
        }
        row("across", "", &plan.across)?;
        row("all", "", &plan.all)?;
    }
    table.finish()
}

/// `1`, `1/2` and so on.
pub fn ratio(divisor: u32) -> String {
    match divisor {
        1 => "1".to_owned(),
        divisor => format!("1/{divisor}"),
    }
}

/// Writes a file by a function, with a buffer. Both an error of the function and one of the
/// last flush name the file: without the flush a full disk would be noticed by nobody.
pub(super) fn write(
    folder: &Path,
    name: &str,
    rows: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    let path = folder.join(name);
    let failed = |error: io::Error| Error::io(&path, error);
    let mut out = BufWriter::new(File::create(&path).map_err(failed)?);
    rows(&mut out).and_then(|()| out.flush()).map_err(failed)
}
