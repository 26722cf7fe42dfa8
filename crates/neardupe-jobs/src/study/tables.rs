//! Tables of a study as CSV: every trial, every threshold, every group.

use super::{Which, figures_of, group_of, share};
use crate::numbers::decimals;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::study::{AdaptivePlan, SamplingResult, Trial};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes `sampling.csv`. What is not defined, as the precision of a trial that found nothing, is
/// empty. `seconds` is the time of the whole study: trials do not take time of their own.
pub fn write_sampling(folder: &Path, result: &SamplingResult) -> Result<()> {
    write(folder, "sampling.csv", |out| {
        writeln!(
            out,
            "ratio,trial,threshold,group,precision,recall,average_error,correlation,pairs,\
             documents,kept_share,seconds,document_precision,document_recall"
        )?;
        for trial in Trial::all(result.max_divisor) {
            for (step, threshold) in result.thresholds.iter().enumerate() {
                for which in Which::each(result) {
                    let figures = figures_of(result, trial, step, which);
                    let documents = (which != Which::Across)
                        .then(|| result.documents_in_pairs(trial, step, group_of(which)));
                    let kept = result.kept(trial, group_of(which));
                    writeln!(
                        out,
                        "{},{},{threshold},{},{},{},{},{},{},{},{:.6},{:.3},{},{}",
                        ratio(trial.divisor),
                        trial.remainder,
                        which.name(result),
                        number(figures.precision()),
                        number(figures.recall()),
                        number(figures.average_error),
                        number(figures.correlation),
                        figures.pairs,
                        documents
                            .map(|one| one.documents.to_string())
                            .unwrap_or_default(),
                        share(kept, result.features(group_of(which))),
                        result.seconds,
                        number(documents.and_then(|one| one.precision())),
                        number(documents.and_then(|one| one.recall())),
                    )?;
                }
            }
        }
        Ok(())
    })
}

/// Writes `commonality.csv`.
pub fn write_commonality(folder: &Path, result: &SamplingResult) -> Result<()> {
    write(folder, "commonality.csv", |out| {
        writeln!(
            out,
            "limit,threshold,precision,recall,average_error,correlation,pairs,exact_pairs,\
             pair_records,all_pair_records"
        )?;
        for row in &result.commonality {
            let figures = row.figures;
            writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{}",
                row.limit,
                row.threshold,
                number(figures.precision()),
                number(figures.recall()),
                number(figures.average_error),
                number(figures.correlation),
                figures.pairs,
                figures.exact_pairs,
                row.pair_records,
                result.pair_records,
            )?;
        }
        Ok(())
    })
}

/// Writes `adaptive.csv`: what each group keeps under each plan.
pub fn write_plans(folder: &Path, plans: &[AdaptivePlan]) -> Result<()> {
    write(folder, "adaptive.csv", |out| {
        writeln!(
            out,
            "target,threshold,group,ratio,pairs,expected_precision,measured_precision,recall,\
             kept_share,single_ratio,single_share"
        )?;
        for plan in plans {
            let mut row = |group: &str, kept: &str, pairs: &_| {
                let pairs: &neardupe_core::pipeline::study::PlannedPairs = pairs;
                writeln!(
                    out,
                    "{},{},{group},{kept},{},{},{},{},{:.6},{},{:.6}",
                    plan.target,
                    plan.threshold,
                    pairs.exact_pairs,
                    number(pairs.expected),
                    number(pairs.measured),
                    number(pairs.recall),
                    plan.kept_share,
                    ratio(plan.single_divisor),
                    plan.single_share,
                )
            };
            for group in &plan.groups {
                row(&group.name(), &ratio(group.divisor), &group.pairs)?;
            }
            row("across", "", &plan.across)?;
            row("all", "", &plan.all)?;
        }
        Ok(())
    })
}

/// `1`, `1/2` and so on.
pub fn ratio(divisor: u32) -> String {
    match divisor {
        1 => "1".to_owned(),
        divisor => format!("1/{divisor}"),
    }
}

fn number(value: Option<f64>) -> String {
    value.map(|value| decimals(value, 6)).unwrap_or_default()
}

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
