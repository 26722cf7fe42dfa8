//! A result of `passages` against passages that are known to be there.
//!
//! Measures by characters follow Potthast et al. (COLING 2010), by sentences Zhang et al. (SIGIR
//! 2010); the core has both (`eval::passages`, `eval::sentences`). Here the two sides are brought
//! to the same documents and units first.
//!
//! Options of `find` are refused rather than ignored: a number that does not mean what was
//! asked for is worse than an error.

use super::report::{EvalKindRow, EvalPassageTruth, EvalPassagesReport};
use super::{EvalAgainst, EvalJob, check_documents, refuse, source};
use crate::exec::Exec;
use crate::truth::{CutTexts, LocateOptions, Located, cut_texts, locate, read_passages};
use neardupe_core::error::{Error, Result};
use neardupe_core::eval::passages::{LocatedPassage, measure};
use neardupe_core::eval::sentences::measure_sentences;
use neardupe_io::result::ResultReader;

/// Why there are no measures by sentences.
const NO_SENTENCES: &str =
    "no measures by sentences, which need the texts: `input FILES`";

/// Measures a result of passages.
pub(super) fn run(
    job: &EvalJob,
    result: &ResultReader,
    exec: &Exec<'_>,
    warnings: &mut Vec<String>,
) -> Result<EvalPassagesReport> {
    let EvalAgainst::File(path, _) = &job.truth else {
        let message =
            "only for a result of find; this is one of passages, which needs `truth`";
        return Err(Error::config("truth-field", message));
    };
    refuse_options_of_find(job)?;
    let options = LocateOptions {
        ignored_pairs: job.spec.ignore_pairs.as_deref(),
        between: job.spec.between.clone(),
    };
    let truth = read_passages(path)?;
    let mut located = locate(result, path, truth, &options)?;
    let texts = texts(job, result, &mut located, exec, warnings)?;
    let ends_after = match &texts {
        None => None,
        Some(texts) => Some(check_ends(&located, texts)?),
    };
    // Sentences need the texts; without them characters are all that can be measured.
    let sentences = texts.as_ref().map(|texts| {
        let sentences = |document| texts.sentences(document);
        measure_sentences(&located.truth, &located.found, sentences)
    });
    let Located {
        truth,
        found,
        kinds,
        left_out,
        rows,
        truth_ids,
        truth_ids_in_result,
        ..
    } = located;
    // Kinds are measured in the order in which they are listed here.
    let measures = measure(truth, found);
    let kinds = kinds.into_iter().zip(&measures.kinds);
    let kinds = kinds.map(|(kind, &measures)| EvalKindRow { kind, measures });
    Ok(EvalPassagesReport {
        result: result.folder().display().to_string(),
        documents: result.summary().count("documents")?,
        truth: EvalPassageTruth {
            name: path.display().to_string(),
            rows,
            ids: truth_ids,
            ids_in_result: truth_ids_in_result,
            ends_after_document: ends_after,
        },
        left_out,
        kinds: kinds.collect(),
        measures,
        no_sentences: sentences.is_none().then(|| exec.render(NO_SENTENCES)),
        sentences,
    })
}

/// Refuses the options that have a meaning for documents only, by name.
fn refuse_options_of_find(job: &EvalJob) -> Result<()> {
    let labels = &job.spec.labels;
    let of_find = [
        ("truth-columns", labels.truth_columns.is_some()),
        ("label-column", labels.label_column.is_some()),
        ("all-rows", labels.all_rows == Some(true)),
        ("closure", job.closure),
        ("by", job.spec.by.is_some()),
        ("sweep", job.spec.sweep.is_some()),
    ];
    let message = "only for a result of find; this is one of passages";
    refuse(&of_find, message)
}

/// The sentences of the documents, if the collection is given.
fn texts(
    job: &EvalJob,
    result: &ResultReader,
    located: &mut Located,
    exec: &Exec<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<CutTexts>> {
    if job.input().is_empty() {
        return Ok(None);
    }
    let (source, reading) = source(result, job.input(), None)?;
    warnings.append(&mut reading.passed_over());
    let threads = reading.config.threads;
    let texts = cut_texts(&source, located, threads, exec.progress)?;
    // Another number of documents means other input than the result was made of.
    check_documents(result, texts.documents)?;
    // Passages of documents that are not in the input cannot be cut into sentences.
    located.keep_known(&texts);
    Ok(Some(texts))
}

/// How many true passages end after the end of a document. Where those of the result do, the
/// texts are not those that were compared.
fn check_ends(located: &Located, texts: &CutTexts) -> Result<u64> {
    let is_after = |passage: &LocatedPassage| {
        passage.sides().iter().any(|side| {
            let num_chars = texts.num_chars(side.document);
            num_chars.is_some_and(|num_chars| side.end > num_chars)
        })
    };
    // The result was made from these texts or from others; a passage behind the end is proof of
    // the latter. In a truth such a passage is a fault of the truth, and is counted.
    let after = located.found.iter().filter(|one| is_after(one)).count();
    if after > 0 {
        let message = format!(
            "{after} passages of the result end after the end of their document; name the \
             files that passages read"
        );
        return Err(Error::config("input", message));
    }
    let truth = located.truth.iter();
    Ok(truth.filter(|one| is_after(&one.passage)).count() as u64)
}
