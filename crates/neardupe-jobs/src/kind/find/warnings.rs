//! Warnings: what a user should know before trusting a result.
//!
//! A warning is for an option that had nothing to work on, a value that could not be read, or a
//! choice that looks wrong. Each is a sentence that names the option first. The same sentences
//! are printed on standard error, stored in `summary.json` and shown in the report.

use super::effect;
use super::job::FindJob;
use crate::diff::clean;
use crate::numbers::grouped;
use crate::report::URL_FIELD;
use neardupe_core::cluster::Keep;
use neardupe_core::document::PageSample;
use neardupe_core::pipeline::{FieldValues, FindResult};
use neardupe_io::output::{self, SHORT_DOCUMENTS};
use neardupe_io::source::{LOOKS_LIKE_HTML, LOOKS_LIKE_TEI, MARKS, unusable_kind};
use std::collections::BTreeMap;

/// All warnings of a finished job, in the order in which they are printed. An empty collection has
/// none about options: each of them would be idle.
pub(super) fn warnings(job: &FindJob, result: &FindResult) -> Vec<String> {
    let mut warnings = job.passed_over();
    if result.totals.documents == 0 {
        return warnings;
    }
    fields_nobody_has(job, result, &mut warnings);
    values_of_keep(job, result, &mut warnings);
    weights_of_codes(job, result, &mut warnings);
    variants_without_effect(job, result, &mut warnings);
    let documents = result.totals.documents;
    warnings.extend(of_texts(&result.remarks, documents));
    warnings.extend(shared_main_warning(job));
    same_main_content(result, &mut warnings);
    short_documents(job, result, &mut warnings);
    effect::warnings(job, result, &mut warnings);
    warnings
}

/// Documents that may well be contained in larger ones, but are not found there: a text that is shorter
/// than a shingle has one feature, itself, which no longer text has.
fn short_documents(job: &FindJob, result: &FindResult, warnings: &mut Vec<String>) {
    let (mut count, mut first) = (0, Vec::new());
    for document in output::short_documents(result, &job.config) {
        // Ids may be on disk; an id that cannot be read is left out rather than ending a
        // finished job.
        count += 1;
        if first.len() < SHOWN_SHORT
            && let Ok(id) = result.documents.id(document)
        {
            first.push(id);
        }
    }
    if count == 0 {
        return;
    }
    let more = if count > first.len() as u64 {
        ", ..."
    } else {
        ""
    };
    warnings.push(format!(
        "`similarity containment`: {} shorter than a shingle ({}), so only an equal text is found of \
         {}: {}{more}; all are in {SHORT_DOCUMENTS}. Use `features` with shorter shingles",
        match count {
            1 => "1 document is".to_owned(),
            _ => format!("{} documents are", grouped(count)),
        },
        job.config.features,
        if count == 1 { "it" } else { "them" },
        clean(&first.join(", ")),
    ));
}

/// Short documents that a warning names; all of them are in a file.
const SHOWN_SHORT: usize = 5;

/// Pages that keep their full text, because many others have the same main content.
pub fn shared_main_warning(job: &FindJob) -> Option<String> {
    let (first, others) = job.shared_main.split_first()?;
    // The number of pages is estimated when the sample could not hold all of them.
    let about = if first.is_exact { "" } else { "about " };
    let text = if job.no_text {
        // A text must not get into a log when the user wants no text in the output.
        String::new()
    } else {
        format!(", {:?}", first.beginning)
    };
    Some(format!(
        "`content main`: {about}{} pages of different length have the same main content{text}{}; \
         they are compared by their full text instead",
        grouped(first.num_pages),
        likewise(others.len()),
    ))
}

/// That other texts have the same property, for the end of a sentence.
fn likewise(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => " (and 1 other text likewise)".to_owned(),
        more => format!(" (and {more} other texts likewise)"),
    }
}

/// Texts that were perhaps not made as the user expects: warnings of every kind of job that reads
/// documents. `remarks` are counted by the readers.
pub fn of_texts(remarks: &BTreeMap<String, u64>, documents: u64) -> Vec<String> {
    let count = |remark: &str| remarks.get(remark).copied().unwrap_or(0);
    let mut warnings = Vec::new();
    let like_html = count(LOOKS_LIKE_HTML);
    // A few pages in a collection of plain text are quotations; many are a wrong option.
    // Multiplied, not divided: with fewer than ten documents one of them is enough.
    if like_html > 0 && like_html * MANY >= documents {
        warnings.push(format!(
            "`text-type`: {} begin like HTML and are compared as given, tags and scripts \
             included; `text-type html` removes the tags of all texts, auto of those that begin \
             like HTML, plain keeps all as given without this warning",
            of_all(like_html, documents)
        ));
    }
    let like_tei = count(LOOKS_LIKE_TEI);
    // TEI is XML of editions, which nobody quotes: one is enough.
    if like_tei > 0 {
        warnings.push(format!(
            "`text-type`: TEI XML at the beginning of {}, compared as given, tags included; \
             `text-type html` removes the tags of all texts, plain keeps all as given without \
             this warning",
            of_all(like_tei, documents)
        ));
    }
    warnings
}

/// One text in this many that begins like HTML is enough for a warning.
const MANY: u64 = 10;

/// `12 of 743 texts`.
fn of_all(part: u64, whole: u64) -> String {
    match whole {
        1 => "the only text".to_owned(),
        _ => format!("{} of {} texts", grouped(part), grouped(whole)),
    }
}

/// A variant of simhash for which no document has what it needs: marks, or an address.
fn variants_without_effect(
    job: &FindJob,
    result: &FindResult,
    warnings: &mut Vec<String>,
) {
    let Some(codes) = &job.codes else { return };
    // The remark is made by the reader when a text has any mark.
    if codes.variant.tagged.is_some() && !result.remarks.contains_key(MARKS) {
        warnings.push(
            "`variant tagged`: no document has a title, heading, emphasis or link, so it \
             changed nothing"
                .to_owned(),
        );
    }
    let no_address = result.unseen_fields.iter().any(|field| field == URL_FIELD);
    if codes.variant.template.is_some() && no_address {
        warnings.push(format!(
            "`variant template`: no document has a field {URL_FIELD}, so no pages of a host \
             were compared and it changed nothing"
        ));
    }
}

/// A field that no document has was most likely mistyped.
fn fields_nobody_has(job: &FindJob, result: &FindResult, warnings: &mut Vec<String>) {
    for (option, field) in job.named_fields() {
        let remarks = result.remarks.iter();
        // Both warnings about one field would contradict each other.
        // A field that is there but holds a list or an object counts as absent; the remark names what it is.
        let unusable: Vec<(&str, u64)> = remarks
            .filter_map(|(remark, &count)| Some((unusable_kind(remark, field)?, count)))
            .collect();
        let is_unseen = result.unseen_fields.iter().any(|name| name == field);
        if is_unseen && unusable.is_empty() {
            warnings.push(format!("`{option}`: no document has a field {field}"));
        }
        for (found, count) in unusable {
            warnings.push(format!(
                "`{option}`: field {field} is {found} in {}: not a single value, so it counts \
                 as absent",
                documents(count)
            ));
        }
    }
}

/// `1 document`, `743 documents`.
fn documents(count: u64) -> String {
    match count {
        1 => "1 document".to_owned(),
        _ => format!("{} documents", grouped(count)),
    }
}

/// Values of the rule of keeping that could not be read: such a document ranks last, and if no value
/// can be read the rule keeps documents by their ids.
fn values_of_keep(job: &FindJob, result: &FindResult, warnings: &mut Vec<String>) {
    let keep = &job.config.keep;
    let Some(values) = &result.keep_values else {
        return;
    };
    let all = values.documents;
    if values.missing == all {
        // `fields_nobody_has` warns about the field already.
        return;
    }
    // The field is there, but never has the value that was asked for.
    if let Keep::Prefer(field, _) = keep
        && values.readable == 0
    {
        warnings.push(format!(
            "`keep {keep}`: no document has this value in {field}; the rule had no effect"
        ));
    }
    let what = match keep {
        Keep::Newest(_) | Keep::Oldest(_) => "date",
        _ => "number",
    };
    let effect = |number: u64| match (values.readable, number) {
        (0, _) => {
            "the rule had no effect, of similar documents the one with the smaller id is kept"
        }
        (_, 1) => "it ranks last",
        _ => "they rank last",
    };
    if values.unreadable > 0 {
        let example = such_as(job, values.unreadable_example.as_ref());
        warnings.push(format!(
            "`keep {keep}`: {} a value that is not a {what}{example}{}; {}",
            have(values.unreadable, all),
            and_without(values),
            effect(values.unreadable + values.missing),
        ));
    }
    // 03/04 may be March or April; a date that only one order can have decides for all (`settled`, below).
    if values.ambiguous > 0 {
        let example = such_as(job, values.ambiguous_example.as_ref());
        let reason = match (values.day_first, values.month_first) {
            (0, 0) => "no other value shows which of them is the day",
            _ => "other values have them in both orders",
        };
        warnings.push(format!(
            "`keep {keep}`: {} an ambiguous day and month{example}, and {reason}; {}",
            have(values.ambiguous, all),
            effect(values.ambiguous),
        ));
    }
    if values.settled > 0 {
        let (order, others) = match values.day_first {
            0 => ("month first", values.month_first),
            day_first => ("day first", day_first),
        };
        warnings.push(format!(
            "`keep {keep}`: {} a date that could be two and was read {order}, the only order \
             that {others} other {} can have",
            have(values.settled, all),
            if others == 1 { "date" } else { "dates" },
        ));
    }
    // Seconds in some records and milliseconds in others: probably merged sources.
    if values.times_since_1970.len() > 1 {
        let units = values.times_since_1970.iter();
        // In the order of units, since the map is sorted.
        let units: Vec<String> = units
            .map(|(unit, count)| format!("{count} as {unit}"))
            .collect();
        warnings.push(format!(
            "`keep {keep}`: numbers were read as times since 1970 in several units, by the number \
             of their digits: {}",
            units.join(", ")
        ));
    }
}

/// Values that should be weights of a code, and are not numbers.
fn weights_of_codes(job: &FindJob, result: &FindResult, warnings: &mut Vec<String>) {
    for values in &result.numeric_values {
        let (field, all) = (&values.field, values.documents);
        // A field that no document has is warned about already.
        // Only unreadable values: a document without the field is no surprise.
        if values.unreadable > 0 {
            let example = such_as(job, values.unreadable_example.as_ref());
            let effect = match values.readable {
                0 => "it had no effect",
                _ => "in their codes it has no weight",
            };
            warnings.push(format!(
                "`variant numeric:{field}`: {} a value that is not a number{example}{}; {effect}",
                have(values.unreadable, all),
                and_without(values),
            ));
        }
    }
}

/// `12 of 743 documents have`.
fn have(number: u64, all: u64) -> String {
    match number {
        1 => format!("1 of {all} documents has"),
        _ => format!("{number} of {all} documents have"),
    }
}

/// How many documents have no value at all, for the middle of a sentence.
fn and_without(values: &FieldValues) -> String {
    match values.missing {
        0 => String::new(),
        1 => ", and 1 has none".to_owned(),
        missing => format!(", and {missing} have none"),
    }
}

/// An example, where values of documents may be shown.
fn such_as(job: &FindJob, example: Option<&String>) -> String {
    match example.filter(|_| !job.no_text) {
        Some(example) => format!(", such as {example:?}"),
        None => String::new(),
    }
}

/// One text that was chosen as the main content of many different pages is more likely a
/// notice that they all carry: these pages then count as duplicates of each other.
fn same_main_content(result: &FindResult, warnings: &mut Vec<String>) {
    let mut pages = PageSample::default();
    for part in &result.parts {
        pages.merge(&part.pages);
    }
    let shared = pages.shared();
    let Some(first) = shared.first() else {
        return;
    };
    let about = if first.is_exact { "" } else { "about " };
    let others = likewise(shared.len() - 1);
    warnings.push(format!(
        "`content main`: {about}{} pages of different length have the same main content, \
         {:?}{others}; they count as duplicates of each other: look at some of them, or use \
         `content full`",
        first.num_pages, first.beginning,
    ));
}
