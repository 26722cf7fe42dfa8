//! What a user should know before trusting a result.
//!
//! A warning is for an option that had nothing to work on, a value that could not be read, or a
//! choice that looks wrong. Each is a sentence that names the option first. The same sentences
//! are printed on standard error, stored in `summary.json` and shown in the report.

use super::job::Job;
use crate::terminal::grouped;
use neardupe_core::pipeline::FindResult;
use neardupe_io::extract::Content;
use neardupe_io::report::URL_FIELD;
use neardupe_io::source::{HTML, LOOKS_LIKE_HTML, MARKS, TextOptions, unusable_kind};
use std::collections::BTreeMap;
use std::io::Write;

/// All warnings of a finished job, in the order in which they are printed.
pub(super) fn warnings(job: &Job, result: &FindResult) -> Vec<String> {
    let mut warnings = Vec::new();
    if result.totals.documents == 0 {
        return warnings;
    }
    fields_nobody_has(job, result, &mut warnings);
    variants_without_effect(job, result, &mut warnings);
    let documents = result.totals.documents;
    warnings.extend(of_texts(&job.read.text, &result.remarks, documents));
    warnings
}

/// Texts that were perhaps not made as the user expects: what every command that reads
/// documents has to say.
pub(crate) fn of_texts(
    options: &TextOptions,
    remarks: &BTreeMap<String, u64>,
    documents: u64,
) -> Vec<String> {
    let count = |remark: &str| remarks.get(remark).copied().unwrap_or(0);
    let mut warnings = Vec::new();
    let like_html = count(LOOKS_LIKE_HTML);
    if like_html > 0 && like_html * MANY >= documents {
        warnings.push(format!(
            "--text-type: {} begin like HTML and are compared as given, tags and scripts \
             included; --text-type html removes the tags of all texts, auto of those that begin \
             like HTML, plain keeps all as given without this warning",
            of_all(like_html, documents)
        ));
    }
    if options.html.content == Content::Main && count(HTML) == 0 && documents > 0 {
        let message = "--content main: no text is HTML, so it changed nothing; \
                       --text-type html says that texts are HTML";
        warnings.push(message.to_owned());
    }
    warnings
}

/// One text in this many is enough to mention what all of them have in common.
const MANY: u64 = 10;

fn of_all(part: u64, whole: u64) -> String {
    match whole {
        1 => "the only text".to_owned(),
        _ => format!("{} of {} texts", grouped(part), grouped(whole)),
    }
}

/// Prints warnings, one line each, on standard error.
pub(crate) fn print_warnings(warnings: &[String]) -> std::io::Result<()> {
    let mut out = std::io::stderr().lock();
    for warning in warnings {
        writeln!(out, "neardupe: WARNING: {warning}")?;
    }
    Ok(())
}

/// A variant of simhash for which no document has anything.
fn variants_without_effect(job: &Job, result: &FindResult, warnings: &mut Vec<String>) {
    let Some(codes) = &job.codes else { return };
    if codes.variant.tagged.is_some() && !result.remarks.contains_key(MARKS) {
        warnings.push(
            "--variant tagged: no document has a title, heading, emphasis or link, so it \
             changed nothing"
                .to_owned(),
        );
    }
    let no_address = result.unseen_fields.iter().any(|field| field == URL_FIELD);
    if codes.variant.template.is_some() && no_address {
        warnings.push(format!(
            "--variant template: no document has a field {URL_FIELD}, so no pages of a host \
             were compared and it changed nothing"
        ));
    }
}

/// A field that no document has was most likely mistyped.
fn fields_nobody_has(job: &Job, result: &FindResult, warnings: &mut Vec<String>) {
    for (option, field) in job.named_fields() {
        let remarks = result.remarks.iter();
        let unusable: Vec<(&str, u64)> = remarks
            .filter_map(|(remark, &count)| Some((unusable_kind(remark, field)?, count)))
            .collect();
        let is_unseen = result.unseen_fields.iter().any(|name| name == field);
        if is_unseen && unusable.is_empty() {
            warnings.push(format!("{option}: no document has a field {field}"));
        }
        for (found, count) in unusable {
            warnings.push(format!(
                "{option}: field {field} is {found} in {}: no single value, so it counts as \
                 absent",
                documents(count)
            ));
        }
    }
}

fn documents(count: u64) -> String {
    match count {
        1 => "1 document".to_owned(),
        _ => format!("{} documents", grouped(count)),
    }
}
