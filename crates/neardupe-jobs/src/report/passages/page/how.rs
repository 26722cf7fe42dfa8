//! What too many documents have, copies, and how it was done.

use super::{PassagesPage, name};
use crate::numbers::grouped;
use crate::report::shell::{Text, cost, meanings, options};
use maud::{Markup, html};
use serde_json::Value;

/// Sentences that lead to no passage.
pub(super) fn boilerplate(page: &PassagesPage<'_>) -> Markup {
    let shown = &page.report.boilerplate;
    let all = page.report.totals.boilerplate;
    html! {
        @if !shown.is_empty() {
            h2 id="boilerplate" { "Boilerplate" }
            p {
                (grouped(all))
                @if all == 1 { " sentence is in more than " } @else { " sentences are in more than " }
                (page.option("max-documents")) " documents and "
                @if all == 1 { "leads" } @else { "lead" } " to no passage. "
                @if (shown.len() as u64) < all { "The most frequent ones; all are in " } @else { "All are in " }
                code { "boilerplate.jsonl" } "."
            }
            div class="wide" { table {
                tr {
                    th class="n" { "documents" }
                    @if page.report.with_text { th { "sentence" } }
                    th { "first in" }
                }
                @for one in shown {
                    tr {
                        td class="n" { (grouped(one.num_documents.into())) }
                        @if let Some(text) = &one.text { td class="id" dir="auto" { (Text(text)) } }
                        td class="id" { (name(&one.first)) }
                    }
                }
            } }
        }
    }
}

/// Documents whose text others have too.
pub(super) fn copies(page: &PassagesPage<'_>) -> Markup {
    let shown = &page.report.copied;
    html! {
        @if !shown.is_empty() {
            h2 id="copies" { "Copies" }
            p {
                (grouped(page.report.totals.copies))
                @if page.report.totals.copies == 1 { " document has" } @else { " documents have" }
                " the very text of another one; the table " code { "copies" } " names them. These have most:"
            }
            div class="wide" { table {
                tr { th { "document" } th class="n" { "copies" } }
                @for one in shown {
                    tr {
                        td class="id" { @if let Some(named) = &one.name { (name(named)) } }
                        td class="n" { (grouped(one.copies)) }
                    }
                }
            } }
        }
    }
}

/// The last part of the page. Nothing here is computed: all numbers come from the summary as
/// JSON, and a stage or an option that this version does not know is listed as it is.
pub(super) fn render(page: &PassagesPage<'_>) -> Markup {
    let summary = page.summary;
    let seconds = summary["seconds"].as_object().into_iter().flatten();
    let seconds =
        seconds.filter_map(|(stage, time)| Some((stage.as_str(), time.as_f64()?)));
    html! {
        h2 id="how" { "How it was done" }
        (ledger(page))
        (cost(seconds, summary["peak_memory_bytes"].as_u64().unwrap_or(0), 0))
        @if let Value::Object(all) = &summary["options"] { (options(all.iter())) }
        details class="print" id="words" {
            summary { "What the words mean" }
            (words())
        }
    }
}

/// The funnel from seeds to pairs. A number that the search did not count (the search by
/// sentences has no runs of words) has no row.
fn ledger(page: &PassagesPage<'_>) -> Markup {
    let ledger = &page.summary["ledger"];
    let steps = [
        (
            "seeds",
            "seeds",
            "whole sentences and runs of words that several documents have",
        ),
        (
            "sentences too frequent",
            "frequent_sentences",
            "in too many documents to lead to a passage",
        ),
        ("runs of words too frequent", "frequent_runs", "likewise"),
        (
            "seeds visited",
            "visited",
            "entries of the index that were looked at",
        ),
        (
            "pairs with a seed",
            "pairs_with_a_seed",
            "documents that have at least one in common",
        ),
        (
            "pairs compared",
            "pairs_compared",
            "extended word by word from their seeds",
        ),
    ];
    html! {
        h3 { "From seeds to passages" }
        div class="wide" { table {
            @for (name, key, meaning) in steps {
                @if let Some(number) = ledger[key].as_u64() {
                    tr { td { (name) } td class="n" { (grouped(number)) } td class="quiet" { (meaning) } }
                }
            }
        } }
    }
}

/// The words of this page. Those of the page of `find` are in `report/page/how.rs`, since the
/// same word can mean less or more there.
fn words() -> Markup {
    meanings(&[
        (
            "document",
            "One text with its id: a record of a file, a page of a crawl, or a file.",
        ),
        (
            "passage",
            "A stretch of text that two documents have in common, with its place in both. Its words are those of the shorter side.",
        ),
        (
            "similarity of a passage",
            "The different words that both sides have, as a share of all different words of both. 1 means the same words.",
        ),
        (
            "kind",
            "What the passage is in its documents, by its share of both and by what it says: collection (nearly a whole document within a larger one), multi-page (a considerable part of both), quotation (a part of little weight in one of them), forum (from a discussion), other (banner, notice of copyright, navigation). A pair has the kind of its longest passage.",
        ),
        (
            "near-duplicates",
            "Two documents whose passages cover at least 80 % of each.",
        ),
        (
            "sentence",
            "What ends with a full stop or the like, a heading, or an item of a list. Sentences are numbered from 1 within their document.",
        ),
        (
            "boilerplate",
            "A sentence in more documents than --max-documents: it leads to no passage, but may be part of one.",
        ),
        ("copy", "A document with the very text of another one."),
    ])
}
