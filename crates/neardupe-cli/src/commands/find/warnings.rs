//! What a user should know before trusting a result.
//!
//! A warning is for an option that had nothing to work on, a value that could not be read, or a
//! choice that looks wrong. Each is a sentence that names the option first. The same sentences
//! are printed on standard error, stored in `summary.json` and shown in the report.

use super::job::Job;
use neardupe_core::pipeline::FindResult;
use std::io::Write;

/// All warnings of a finished job, in the order in which they are printed.
pub(super) fn warnings(job: &Job, result: &FindResult) -> Vec<String> {
    let mut warnings = Vec::new();
    if result.totals.documents == 0 {
        return warnings;
    }
    fields_nobody_has(job, result, &mut warnings);
    warnings
}

/// Prints warnings, one line each, on standard error.
pub(crate) fn print_warnings(warnings: &[String]) -> std::io::Result<()> {
    let mut out = std::io::stderr().lock();
    for warning in warnings {
        writeln!(out, "neardupe: WARNING: {warning}")?;
    }
    Ok(())
}

/// A field that no document has was most likely mistyped.
fn fields_nobody_has(job: &Job, result: &FindResult, warnings: &mut Vec<String>) {
    let asked = [
        ("--keep", job.config.keep.field()),
        ("--block-by", job.config.block_by.as_deref()),
    ];
    let asked_for = job.config.metadata[..job.num_metadata].iter();
    let metadata = asked_for.map(|field| ("--meta-key", Some(field.as_str())));
    for (option, field) in asked.into_iter().chain(metadata) {
        let unseen = |field: &&str| result.unseen_fields.iter().any(|name| name == field);
        if let Some(field) = field.filter(unseen) {
            warnings.push(format!("{option}: no document has a field {field}"));
        }
    }
}
