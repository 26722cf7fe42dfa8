//! The head of the page: what was read, what became of it, in plain words.
//!
//! Numbers are written out and shares have one decimal: readers compare them, they do not
//! calculate with them. A share is never rounded to 0 % or 100 % unless it is exactly that
//! (`numbers::percent`), because "100 % are duplicates" and "nearly all" call for different
//! actions.

use super::{ReportedJob, ResultPage};
use crate::numbers::{bytes, grouped, percent};
use crate::report::shell::{self, fact};
use crate::summary::SimhashSummary;
use maud::{Markup, html};
use neardupe_core::pipeline::Rule;

/// The result in a sentence.
pub(super) fn headline(page: &ResultPage<'_>) -> Markup {
    let counts = &page.summary.counts;
    let documents = page.num_new();
    if documents == 0 {
        return html! {
            @if counts.bad_records > 0 { "No document could be read." }
            @else { "There was no document to read." }
        };
    }
    let new = if page.against() { "new " } else { "" };
    if page.job == ReportedJob::Pairs {
        return match counts.pairs {
            0 => {
                html! { "None of " (documents_of(documents, new)) " is similar to another." }
            }
            1 => {
                html! { "One pair of similar documents among " (documents_of(documents, new)) "." }
            }
            pairs => html! {
                (grouped(pairs)) " pairs of similar documents among "
                (documents_of(documents, new)) "."
            },
        };
    }
    let of = match (page.against(), page.within()) {
        (true, false) => "an old one",
        (true, true) => "an old one or of another new one",
        _ => "another",
    };
    match counts.duplicates {
        0 => html! { "None of " (documents_of(documents, new)) " is a duplicate." },
        duplicates => html! {
            (grouped(duplicates)) " of " (documents_of(documents, new)) " (" (percent(duplicates, documents)) ") "
            @if duplicates == 1 { "is a duplicate of " } @else { "are duplicates of " }
            (of) "."
        },
    }
}

/// `1 document`, `12 new documents`: `new` comes with its space or is empty.
fn documents_of(documents: u64, new: &str) -> String {
    match documents {
        1 => format!("1 {new}document"),
        many => format!("{} {new}documents", grouped(many)),
    }
}

/// What was compared, in a sentence.
pub(super) fn how_it_was_compared(page: &ResultPage<'_>) -> Markup {
    let threshold = page.option("threshold");
    let words = page.similarity();
    if let Some(simhash) = unverified(page) {
        return html! {
            "Two documents count as near-duplicates when their simhashes of 64 bits differ in at most "
            (simhash.distance) " (" (simhash.variant) ", of " (features(page)) "). Similarity is the "
            "share of bits that agree. Nothing was verified on the texts, so some pairs may have "
            "little in common, and others that have much may be missing."
        };
    }
    html! {
        "Two documents count as near-duplicates when at least " (percent_of(threshold)) " "
        (words.share) " (" (words.name) " ≥ " (threshold) " of " (features(page)) ")"
        @if let Some(least) = min_overlap(page) {
            ", and at least " (grouped(least)) " features are in both"
        }
        ". "
        @if page.summary.exact {
            "The answer is exact: every such pair was found, and none below."
        } @else if let Some(method) = &page.summary.method {
            "Pairs were chosen by their signatures (" (method.setting()) "): every one "
            "that is listed was verified, but some may be missing"
            @if let Some(measured) = &method.measured {
                "; on a sample " (percent(measured.part, measured.whole)) " were found"
            }
            "."
            @if page.has_any("sample") { " Only a sample of the features was compared." }
        } @else {
            "Only a sample of the features was compared, so this is not exact."
        }
    }
}

/// How many features must be in both, where that was asked for.
/// 1 is the default and true of every similar pair, so it is not worth a sentence.
fn min_overlap(page: &ResultPage<'_>) -> Option<u64> {
    let least = page.summary.options.get("min-overlap")?.as_u64();
    least.filter(|&least| least > 1)
}

/// How simhashes were compared, where nothing else was.
fn unverified<'a>(page: &ResultPage<'a>) -> Option<&'a SimhashSummary> {
    let method = page.summary.method.as_ref()?;
    method.simhash.as_ref().filter(|simhash| !simhash.verified)
}

/// A threshold as people say it.
fn percent_of(threshold: &str) -> String {
    let Ok(number) = threshold.parse::<f64>() else {
        return threshold.to_owned();
    };
    // Four decimals are more than a threshold is typed with; zeros at the end are cut.
    let text = format!("{:.4}", number * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// What documents are made of, for the comparison.
fn features(page: &ResultPage<'_>) -> String {
    let features = page.option("features");
    match features.split_once(':') {
        Some(("words", n)) => format!("runs of {} words", n.replace('+', " and of ")),
        Some(("chars", n)) => format!("runs of {n} characters"),
        // Other features have no short description; the name is what the user typed.
        _ => format!("features {features}"),
    }
}

/// The numbers that matter, as cards.
pub(super) fn facts(page: &ResultPage<'_>) -> Markup {
    let counts = &page.summary.counts;
    let seconds = page.summary.seconds.get("total").copied().unwrap_or(0.0);
    html! {
        dl class="facts" {
            @if page.against() {
                (fact("new documents", &grouped(page.num_new())))
                (fact("old documents", &grouped(counts.old_documents)))
            } @else {
                (fact("documents", &grouped(counts.documents)))
            }
            @if page.job == ReportedJob::Pairs {
                (fact("similar pairs", &grouped(counts.pairs)))
            } @else {
                (fact(if page.job == ReportedJob::Dedup { "removed" } else { "duplicates" }, &grouped(counts.duplicates)))
                (fact("kept", &grouped(page.num_new() - counts.duplicates)))
                (fact("clusters", &grouped(counts.clusters)))
            }
            (fact("read", &bytes(counts.bytes)))
            (fact("time", &shell::time(seconds)))
        }
    }
}

/// A kind of document: its color, name, number and what it means.
struct DocumentShare {
    /// A variable of the style sheet, the same as in the charts.
    color: &'static str,
    name: &'static str,
    number: u64,
    meaning: &'static str,
}

/// What became of the documents, each counted once.
fn parts(page: &ResultPage<'_>) -> Vec<DocumentShare> {
    let counts = &page.summary.counts;
    let tally = &page.report.tally;
    // Duplicates are counted by rule below, so the shares add up to all new documents.
    let kept = page.num_new() - counts.duplicates;
    let leads = tally.leads.min(kept);
    let mut parts = vec![
        DocumentShare {
            color: "--alone",
            name: "unique",
            number: kept - leads,
            meaning: match (page.against(), page.within()) {
                (true, false) => "nothing among the old documents is like them",
                _ => "nothing else in the collection is like them",
            },
        },
        DocumentShare {
            color: "--kept",
            name: "kept for others",
            number: leads,
            meaning: "the one document of each cluster that is kept",
        },
    ];
    for (rule, number) in counts.rules.each() {
        let (color, name, meaning) = match rule {
            Rule::EqualText => (
                "--equal-text",
                "same text",
                "the text of the kept document, character by character",
            ),
            Rule::EqualFeatures if unverified(page).is_some() => (
                "--equal-features",
                "same code",
                "the simhash of the kept document, bit by bit",
            ),
            Rule::EqualFeatures => (
                "--equal-features",
                "same words",
                "the words of the kept document; case, punctuation or layout differ",
            ),
            Rule::Similar => (
                "--similar",
                "similar",
                "reach the threshold with the kept document",
            ),
            Rule::Linked => (
                "--linked",
                "linked",
                "similar only to others that are similar to the kept document",
            ),
        };
        parts.push(DocumentShare {
            color,
            name,
            number,
            meaning,
        });
    }
    parts.retain(|part| part.number > 0);
    parts
}

/// What was found.
pub(super) fn render(page: &ResultPage<'_>) -> Markup {
    let counts = &page.summary.counts;
    html! {
        h2 id="found" { "What was found" }
        @if page.num_new() == 0 && counts.bad_records == 0 {
            p { "Nothing: the input holds no document." }
        } @else if page.job != ReportedJob::Pairs && page.num_new() > 0 {
            (stack(page))
        }
        @if counts.empty > 0 {
            p { (documents_of(counts.empty, "")) (match page.summary.spot_signatures {
                Some(_) => " without a spot signature: never a duplicate of anything.",
                None => " without a word: never a duplicate of anything.",
            }) }
        }
        @if counts.skipped_records > 0 {
            p { (grouped(counts.skipped_records)) " entries were passed over because they hold no text by their own account: requests, images and the like." }
        }
        @if page.summary.skipped_files > 0 {
            p { (grouped(page.summary.skipped_files)) " files in folders were passed over: of no known format." }
        }
        (bad_records(page))
    }
}

/// The parts as a bar and a table. The bar has no text: a reader that cannot see it has the
/// table.
fn stack(page: &ResultPage<'_>) -> Markup {
    let parts = parts(page);
    let all: u64 = parts.iter().map(|part| part.number).sum();
    html! {
        div class="stack" role="img" aria-label="shares of the documents, as in the table below" {
            @for part in &parts {
                span title=(format!("{}: {}", part.name, grouped(part.number)))
                    style=(format!("flex-grow:{};background:var({})", part.number, part.color)) {}
            }
        }
        table {
            @for part in &parts {
                tr {
                    td { span class="dot" style=(format!("background:var({})", part.color)) {} (part.name) }
                    td class="n" { (grouped(part.number)) }
                    td class="n" { (percent(part.number, all)) }
                    td class="quiet" { (part.meaning) }
                }
            }
        }
    }
}

/// How many records are bad, by kind, and the first of them. A report that hides them would
/// make a wrong input look clean.
fn bad_records(page: &ResultPage<'_>) -> Markup {
    let counts = &page.summary.counts;
    let bad = &page.report.bad;
    html! {
        @if counts.bad_records > 0 {
            p class="note" {
                (grouped(counts.bad_records))
                @if counts.bad_records == 1 { " record" } @else { " records" }
                " could not be read and "
                @if counts.bad_records == 1 { "is" } @else { "are" }
                " in no cluster: "
                @for (at, (kind, number)) in page.summary.bad_records_by_kind.iter().enumerate() {
                    @if at > 0 { ", " } (grouped(*number)) " " (kind)
                }
                ". All are in " code { "bad-records.jsonl" } "."
            }
            (shell::bad_records(bad))
        }
    }
}
