//! A result of `passages` against passages that are known to be there.

mod report;
mod show;

use super::{EvalArgs, check_documents, source};
use crate::interrupt;
use crate::terminal::Stages;
use anyhow::Result;
use neardupe_core::error::Error;
use neardupe_core::eval::passages::{LocatedPassage, measure};
use neardupe_core::eval::sentences::measure_sentences;
use neardupe_io::result::ResultReader;
use neardupe_jobs::truth::{
    Between, CutTexts, LocateOptions, Located, cut_texts, locate, read_passages,
};
use report::{KindRow, PassageTruthReport, PassagesReport};
use std::io::Write;
use std::process::ExitCode;

/// Why nothing is measured by sentences.
const NO_SENTENCES: &str =
    "no measures by sentences, which need the texts: --input FILES";

/// Measures a result of passages.
pub(super) fn run(args: &EvalArgs, result: &ResultReader) -> Result<ExitCode> {
    let Some(path) = &args.truth else {
        let message =
            "only for a result of find; this is one of passages, which needs --truth";
        return Err(Error::config("truth-field", message).into());
    };
    refuse_options_of_find(args)?;
    let options = LocateOptions {
        ignored_pairs: args.ignore_pairs.as_deref(),
        between: args.between.as_deref().map(between).transpose()?,
    };
    let truth = read_passages(path)?;
    let mut located = locate(result, path, truth, &options)?;
    let texts = texts(args, result, &mut located)?;
    let ends_after = match &texts {
        None => None,
        Some(texts) => Some(check_ends(&located, texts)?),
    };
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
    let measures = measure(truth, found);
    let kinds = kinds.into_iter().zip(&measures.kinds);
    let kinds = kinds.map(|(kind, &measures)| KindRow { kind, measures });
    let report = PassagesReport {
        result: result.folder().display().to_string(),
        documents: result.summary().count("documents")?,
        truth: PassageTruthReport {
            name: path.display().to_string(),
            rows,
            ids: truth_ids,
            ids_in_result: truth_ids_in_result,
            ends_after_document: ends_after,
        },
        left_out,
        kinds: kinds.collect(),
        measures,
        no_sentences: sentences.is_none().then_some(NO_SENTENCES),
        sentences,
    };
    let mut out = std::io::stdout().lock();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
        false => show::show(&mut out, &report)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn refuse_options_of_find(args: &EvalArgs) -> Result<()> {
    let typed = [
        ("--truth-columns", args.labels.truth_columns.is_some()),
        ("--label-column", args.labels.label_column.is_some()),
        ("--all-rows", args.labels.all_rows),
        ("--closure", args.closure),
        ("--by", args.by.is_some()),
        ("--sweep", args.sweep.is_some()),
    ];
    match typed.into_iter().find(|(_, typed)| *typed) {
        None => Ok(()),
        Some((flag, _)) => {
            let message = "only for a result of find; this is one of passages";
            Err(Error::config(flag, message).into())
        }
    }
}

/// Beginnings of ids, as typed.
pub(in super::super) fn between(typed: &str) -> Result<Between> {
    match typed.split_once(',') {
        Some((one, other)) if !one.is_empty() && !other.is_empty() => {
            Ok(Between(one.trim().to_owned(), other.trim().to_owned()))
        }
        _ => {
            let message =
                format!("{typed:?} is not two beginnings of ids, as susp-,source-");
            Err(Error::config("between", message).into())
        }
    }
}

/// The sentences of the documents, if the collection is given.
fn texts(
    args: &EvalArgs,
    result: &ResultReader,
    located: &mut Located,
) -> Result<Option<CutTexts>> {
    if args.input.is_empty() {
        return Ok(None);
    }
    let (source, job) = source(result, &args.input, None)?;
    let stages = Stages::new(true).stopped_by(interrupt::install()?);
    let texts = cut_texts(&source, located, job.config.threads, &stages)?;
    check_documents(result, texts.documents)?;
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
    let after = located.found.iter().filter(|one| is_after(one)).count();
    if after > 0 {
        let message = format!(
            "{after} passages of the result end after the end of their document; name the \
             files that passages read"
        );
        return Err(Error::config("input", message).into());
    }
    let truth = located.truth.iter();
    Ok(truth.filter(|one| is_after(&one.passage)).count() as u64)
}
