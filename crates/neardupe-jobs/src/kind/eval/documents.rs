//! A result of `find` against documents that are known to be duplicates.
//!
//! Predicted pairs are those of the table where it has all pairs, else the pairs within clusters.
//! The two are different relations: members of a star cluster are similar to the representative,
//! not always to each other. `sweep` reads the pairs once for each threshold, from their stored
//! overlaps and sizes, so a threshold counts exactly as a job at that threshold would.

use super::report::{EvalReport, EvalSample, EvalSweepRow, EvalTruth};
use super::{EvalAgainst, EvalBy, EvalJob, check_documents, refuse, source};
use crate::exec::Exec;
use crate::kind::stored;
use crate::param::CommaList;
use crate::truth::{
    CollectedIds, Ids, Predicted, Truth, TruthFile, collect, compare, compare_sample,
    read_truth,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::ClusterMode;
use neardupe_core::threshold::Threshold;
use neardupe_io::result::ResultReader;

/// Measures a result of `find`.
pub(super) fn run(
    job: &EvalJob,
    result: &ResultReader,
    exec: &Exec<'_>,
    warnings: &mut Vec<String>,
) -> Result<EvalReport> {
    // These parameters are about pairs with passages.
    let only_passages = [
        ("ignore-pairs", job.spec.ignore_pairs.is_some()),
        ("between", job.spec.between.is_some()),
    ];
    let message = "only for a result of passages; this is one of find";
    refuse(&only_passages, message)?;
    result.check_ids_of_sides()?;
    let predicted = predicted(result, job.spec.by)?;
    // Before the collection is read, which can take long: a wrong threshold must not be found
    // after it.
    let sweep = sweep(result, job.spec.sweep.as_ref(), predicted)?;
    let documents = result.summary().count("documents")?;
    let mut ids = Ids::default();
    let (truth, described) = match &job.truth {
        EvalAgainst::File(path, options) => {
            let collected = match job.input() {
                // Only with inputs can ids of the truth that are not in the collection be
                // recognized.
                [] => None,
                inputs => Some(collection(result, inputs, None, exec, warnings)?),
            };
            let all = collected.as_ref().map(|collected| &collected.ids);
            let file = read_truth(path, options, &mut ids, all)?;
            let described =
                EvalTruth::of_file(path, &file, ids.len() as u64, all.is_some());
            let TruthFile { truth, .. } = file;
            (truth, described)
        }
        EvalAgainst::Field(field) => {
            let inputs = match job.input() {
                // A field is read from the documents themselves, so the inputs of the job are
                // read again unless others are named.
                [] => stored::inputs(result),
                inputs => inputs.to_vec(),
            };
            let collected = collection(result, &inputs, Some(field), exec, warnings)?;
            let described = EvalTruth::of_field(field, collected.with_value);
            ids = collected.ids;
            (Truth::Clusters(collected.clusters), described)
        }
    };
    let closure = job.closure;
    let mut report = EvalReport::new(result, closure, predicted, documents, described)?;
    // Labels of a sample are weighted, and have measures of their own.
    if let Truth::Sample(sample) = &truth {
        let counts = compare_sample(result, predicted, closure, sample, &mut ids)?;
        report.sample = Some(EvalSample::new(counts, sample.totals().2));
    } else {
        let found = compare(result, predicted, closure, &truth, &mut ids, documents)?;
        report.set(found);
    }
    for threshold in sweep {
        let from = Predicted::PairsFrom(threshold);
        let row = match &truth {
            // The same comparison once more: cheap beside the job, since only the table of
            // pairs is read.
            Truth::Sample(sample) => EvalSweepRow::of_sample(
                threshold,
                compare_sample(result, from, closure, sample, &mut ids)?,
            ),
            _ => EvalSweepRow::of_whole(
                threshold,
                compare(result, from, closure, &truth, &mut ids, documents)?,
            ),
        };
        report.sweep.push(row);
    }
    Ok(report)
}

/// Where predicted duplicates are taken from.
fn predicted(result: &ResultReader, by: Option<EvalBy>) -> Result<Predicted> {
    let summary = result.summary();
    let (all, mode) = (summary.has_all_pairs()?, summary.cluster()?);
    let wrong = |message: &str| Err(Error::config("by", message));
    match by {
        Some(EvalBy::Pairs) if !all => {
            wrong("the result does not have all pairs; run find with `pairs all`")
        }
        Some(EvalBy::Clusters) if mode == ClusterMode::None => {
            wrong("the result has no clusters; run find with another `cluster`")
        }
        Some(EvalBy::Pairs) => Ok(Predicted::Pairs),
        Some(EvalBy::Clusters) => Ok(Predicted::Clusters),
        None if all => Ok(Predicted::Pairs),
        None if mode == ClusterMode::None => {
            let message =
                "it has neither all pairs nor clusters; run find with `pairs all`";
            Err(Error::input(result.folder().display().to_string(), message))
        }
        None => Ok(Predicted::Clusters),
    }
}

/// The thresholds to compare.
fn sweep(
    result: &ResultReader,
    given: Option<&CommaList<Threshold>>,
    predicted: Predicted,
) -> Result<Vec<Threshold>> {
    let Some(CommaList(thresholds)) = given else {
        return Ok(Vec::new());
    };
    let wrong = |message: String| Err(Error::config("sweep", message));
    if predicted != Predicted::Pairs {
        return wrong("needs all pairs; run find with `pairs all`".to_owned());
    }
    let least = result.summary().threshold()?;
    for threshold in thresholds {
        // Pairs below were never written, so recall there would be wrong.
        if threshold.ratio().compare(least.ratio()).is_lt() {
            return wrong(format!(
                "{threshold} is below {least}, at which the result was made; run find \
                 `threshold {threshold}` `pairs all`"
            ));
        }
    }
    Ok(thresholds.clone())
}

/// All documents of the collection.
fn collection(
    result: &ResultReader,
    inputs: &[String],
    truth_field: Option<&str>,
    exec: &Exec<'_>,
    warnings: &mut Vec<String>,
) -> Result<CollectedIds> {
    let (source, job) = source(result, inputs, truth_field)?;
    warnings.append(&mut job.passed_over());
    let field = truth_field.and_then(|field| {
        let mut names = job.config.metadata.iter();
        names.position(|name| name == field)
    });
    let collected = collect(&source, field, job.config.threads, exec.progress)?;
    // Another number of documents means that the input has changed since.
    check_documents(result, collected.ids.len() as u64)?;
    if let Some(field) = truth_field
        && collected.with_value == 0
    {
        let message = format!("no document has a field {field:?}");
        return Err(Error::config("truth-field", message));
    }
    Ok(collected)
}
