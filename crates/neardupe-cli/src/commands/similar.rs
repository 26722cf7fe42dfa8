//! `neardupe similar`: the documents of a collection that are similar to one.
//!
//! The query is a text, a file or an id of the collection. The collection is read once per query
//! unless a work directory of `find` is named, which holds the features already. Ids are never cut
//! in the table, since the next command may need one of them.

use super::job_args::{JobArgs, print_json};
use crate::exit;
use crate::terminal::{grouped, stdout, typed_command, width};
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_core::similarity::Similarity;
use neardupe_core::threshold::Threshold;
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::similar::{
    MadeFrom, NearCodes, SimilarDocuments, SimilarHit, SimilarSpec, SimilarSummary,
};
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `similar`.
#[derive(Debug, Args)]
#[command(mut_arg("inputs", |arg| arg.help(
    "Files, folders or globs to search; or one work directory of `find --keep-work`; with --code \
     results of `find --method simhash`"
)))]
#[command(mut_arg("query", |arg| {
    arg.required_unless_present_any(["query-id", "code", "config"])
}))]
#[command(mut_arg("query-id", |arg| arg.conflicts_with("query")))]
#[command(mut_arg("code", |arg| arg.conflicts_with_all(["query", "query-id"])))]
#[command(mut_arg("threshold", |arg| arg.conflicts_with("code")))]
#[command(mut_arg("similarity", |arg| arg.conflicts_with("code")))]
pub(crate) struct SimilarArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    spec: Typed<SimilarSpec>,
}

/// Runs the command.
pub(crate) fn run(args: &SimilarArgs) -> Result<ExitCode> {
    let spec = args.job.spec(&args.spec)?;
    // A result instead of its documents is the usual mistake here. Only the command line can answer it with a
    // command to type, so this check is not one of the job library.
    check_documents(&spec)?;
    let Some(outcome) = args.job.run_of(spec, args.json, false)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    match (&outcome.summary, outcome.threshold) {
        (summary, _) if args.json => print_json(out.raw(), summary)?,
        (SimilarSummary::Codes(near), _) => show_codes(&mut out, near)?,
        (SimilarSummary::Documents(found), threshold) => {
            show(&mut out, found, threshold)?;
        }
    }
    Ok(exit::of_records(outcome.has_left_out))
}

/// Results are no documents: whoever names one is shown what to type instead.
///
/// Without this the tables of a result would be read as documents, and the answer would be
/// nonsense without an error.
fn check_documents(spec: &SimilarSpec) -> Result<()> {
    let inputs = spec.input.inputs.as_deref().unwrap_or_default();
    let asked = [("--query", &spec.query), ("--query-id", &spec.query_id)];
    if spec.code.is_some() || asked.iter().all(|(_, value)| value.is_none()) {
        return Ok(());
    }
    // An input that is no result is an ordinary collection.
    let Some(made_from) = MadeFrom::find(inputs) else {
        return Ok(());
    };
    let mut arguments = vec!["similar".to_owned()];
    arguments.extend(made_from.inputs.iter().cloned());
    for (flag, value) in asked {
        if let Some(value) = value {
            arguments.extend([flag.to_owned(), value.clone()]);
        }
    }
    Err(made_from.error(&typed_command(&arguments)).into())
}

/// Prints documents whose codes are near, with their distances in bits.
fn show_codes(out: &mut impl Write, near: &NearCodes) -> std::io::Result<()> {
    writeln!(
        out,
        "{}: {} of {} codes within {} bits",
        near.code, near.near, near.searched, near.distance
    )?;
    for hit in &near.hits {
        writeln!(
            out,
            "  {:>2}  {}  {}",
            hit.distance,
            hit.code,
            clean(&hit.id)
        )?;
    }
    match near.near - near.hits.len() {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more (--top)"),
    }
}

/// Prints the documents that were found, the most similar first.
fn show(
    out: &mut impl Write,
    found: &SimilarDocuments,
    threshold: Option<Threshold>,
) -> std::io::Result<()> {
    let features = match found.query.size {
        1 => "one feature".to_owned(),
        many => format!("{} features", grouped(u64::from(many))),
    };
    writeln!(
        out,
        "query: {}, {features} ({})",
        found.query.name, found.features
    )?;
    writeln!(
        out,
        "{} of {} documents at {} >= {}",
        grouped(found.found),
        grouped(found.documents),
        found.similarity,
        threshold.map_or_else(String::new, |threshold| threshold.to_string())
    )?;
    if found.bad_records > 0 {
        let bad = match found.bad_records {
            1 => "1 bad record".to_owned(),
            many => format!("{} bad records", grouped(many)),
        };
        writeln!(out, "{bad} skipped; run `neardupe find` for details")?;
    }
    if found.hits.is_empty() {
        return Ok(());
    }
    // The measure that was asked for comes first; resemblance is shown beside it for
    // comparison.
    let by_other = found.similarity != Similarity::Resemblance.to_string();
    let first = if by_other {
        format!("{:>11} {:>11}", found.similarity, "resemblance")
    } else {
        format!("{:>11}", "resemblance")
    };
    writeln!(
        out,
        "\n  {first}  {:>11}  {:>11}  document",
        "query in it", "it in query"
    )?;
    for hit in &found.hits {
        let [similarity, resemblance, of_query, of_document] = numbers(hit);
        let first = if by_other {
            format!("{similarity:>11} {resemblance:>11}")
        } else {
            format!("{similarity:>11}")
        };
        let itself = found.query.id.as_ref() == Some(&hit.id);
        let remark = match (itself, hit.equal_text) {
            (true, _) => " (the query)",
            (_, true) => " (equal text)",
            _ => "",
        };
        let start = format!("  {first}  {of_query:>11}  {of_document:>11}  ");
        let line = format!("{start}{}{remark}: {}", clean(&hit.id), clean(&hit.preview));
        // The id is never cut.
        let least = start.len() + hit.id.len() + remark.len();
        let line: String = line.chars().take(width().max(least)).collect();
        writeln!(out, "{}", line.trim_end_matches([' ', ':']))?;
    }
    let more = found.found - found.hits.len() as u64;
    if more > 0 {
        writeln!(
            out,
            "  ... and {} more; --top all shows them",
            grouped(more)
        )?;
    }
    Ok(())
}

/// Similarity, containment of the query in a document, and of the document in the query.
fn numbers(hit: &SimilarHit) -> [String; 4] {
    let numbers = [
        hit.similarity,
        hit.resemblance,
        hit.containment_of_query,
        hit.containment_of_document,
    ];
    numbers.map(|number| format!("{:.6}", number.unwrap_or_default()))
}
