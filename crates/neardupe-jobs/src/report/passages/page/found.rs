//! What was found, in plain words and numbers.
//!
//! The share of a document in passages is the number to look at: a document that is covered
//! almost wholly is a near-duplicate that `find` would report, and is counted apart.

use super::PassagesPage;
use crate::numbers::{bytes, grouped, percent};
use crate::report::shell::{self, fact};
use maud::{Markup, html};
use neardupe_core::passage::PassageKind;

/// The result in a sentence.
pub(super) fn headline(page: &PassagesPage<'_>) -> Markup {
    let report = page.report;
    let documents = report.num_new();
    if documents == 0 {
        return html! {
            @if report.totals.bad_records > 0 { "No document could be read." }
            @else { "There was no document to read." }
        };
    }
    let documents = match (page.checks(), report.is_against) {
        // With `check` the documents are those of the user, and "new" would be wrong for
        // them.
        (true, _) => documents_of(documents, "checked "),
        (false, true) => documents_of(documents, "new "),
        _ => documents_of(documents, ""),
    };
    let with = match (page.checks(), report.is_against) {
        (true, _) => " with the collection",
        (false, true) => " with old ones",
        _ => " with each other",
    };
    match report.num_passages() {
        0 => html! { "No passage is shared by " (documents) (with) "." },
        1 => {
            html! { (documents) (if report.num_new() == 1 { " shares" } else { " share" }) " one passage" (with) "." }
        }
        passages => html! {
            (documents) (if report.num_new() == 1 { " shares " } else { " share " })
            (grouped(passages)) " passages" (with) "."
        },
    }
}

/// `1 document`, `12 checked documents`: the word is put before the noun, with its space.
fn documents_of(documents: u64, which: &str) -> String {
    match documents {
        1 => format!("1 {which}document"),
        many => format!("{} {which}documents", grouped(many)),
    }
}

/// What a passage is, in a sentence.
pub(super) fn how_it_was_compared(page: &PassagesPage<'_>) -> Markup {
    // Only the search by seeds can promise what it finds; by sentences there is no such
    // length.
    let surely = &page.summary["surely_found"];
    if surely.is_null() {
        return html! {
            "A passage is a diagonal of more than " (page.option("gamma")) " sentences that match by "
            (page.option("signature")) ". Sentences in more than " (page.option("max-documents")) " documents lead to none."
        };
    }
    html! {
        "A passage is a stretch of at least " (page.option("min-words")) " words that two documents have in "
        "common, word for word or with edits: up to " (page.option("max-gap")) " words at a time may be passed over, "
        "and the different words of both sides resemble each other by at least " (page.option("tau")) ". "
        "Sentences in more than " (page.option("max-documents")) " documents lead to none. "
        "Copies of " (surely["words"].to_string()) " unchanged words in a row (" (surely["characters"].to_string())
        " characters of scripts without spaces) are surely found; shorter or edited ones may be missed."
    }
}

/// The numbers that matter, as cards.
pub(super) fn facts(page: &PassagesPage<'_>) -> Markup {
    let report = page.report;
    let totals = &report.totals;
    let seconds = page.summary["seconds"]["total"].as_f64();
    html! {
        dl class="facts" {
            @if report.is_against {
                (fact(if page.checks() { "checked" } else { "new documents" }, &grouped(report.num_new())))
                (fact(if page.checks() { "compared with" } else { "old documents" }, &grouped(totals.old_documents)))
            } @else {
                (fact("documents", &grouped(totals.documents)))
            }
            (fact("passages", &grouped(report.num_passages())))
            (fact("pairs", &grouped(report.num_pairs())))
            (fact("copied words", &grouped(report.counts.words)))
            (fact("read", &bytes(totals.bytes)))
            (fact("time", &shell::time(seconds.unwrap_or(0.0))))
        }
    }
}

/// The color of a kind, and what it means.
fn meaning(kind: PassageKind) -> (&'static str, &'static str) {
    match kind {
        PassageKind::Collection => {
            ("--kept", "nearly a whole document within a larger one")
        }
        PassageKind::MultiPage => ("--alone", "a considerable part of both documents"),
        PassageKind::Quotation => ("--similar", "a part of little weight in one of them"),
        PassageKind::Forum => ("--linked", "from a discussion"),
        PassageKind::Other => ("--empty", "banner, notice of copyright, navigation"),
    }
}

/// What was found.
pub(super) fn render(page: &PassagesPage<'_>) -> Markup {
    let report = page.report;
    let totals = &report.totals;
    html! {
        h2 id="found" { "What was found" }
        @if report.num_new() == 0 && totals.bad_records == 0 {
            p { "Nothing: the input holds no document." }
        } @else if report.num_passages() == 0 {
            p {
                "No stretch of text is in two documents. Shorter passages are found with a smaller "
                code { "--min-words" } ", more edited ones with a smaller " code { "--tau" } "."
            }
        } @else {
            (kinds(page))
        }
        @if report.counts.near_duplicates > 0 {
            p {
                (grouped(report.counts.near_duplicates))
                @if report.counts.near_duplicates == 1 { " pair is a near-duplicate: " } @else { " pairs are near-duplicates: " }
                "passages cover at least 80 % of both documents."
            }
        }
        @if totals.copies > 0 {
            p {
                (documents_of(totals.copies, "")) " with the text of another one: "
                @if page.summary["options"]["expand"] == true { "each has its own rows." }
                @else { "the first of them stands for all." }
            }
        }
        @if totals.empty > 0 {
            p { (documents_of(totals.empty, "")) " without a word." }
        }
        @if totals.skipped_records > 0 {
            p { (grouped(totals.skipped_records)) " entries were passed over because they hold no text by their own account: requests, images and the like." }
        }
        @if let Some(skipped @ 1..) = page.summary["skipped_files"].as_u64() {
            p { (grouped(skipped)) " files in folders were passed over: of no known format." }
        }
        @if let Some(own @ 1..) = page.summary["query_files_left_out"].as_u64() {
            p {
                (grouped(own))
                @if own == 1 { " file of the collection is" } @else { " files of the collection are" }
                " checked here, and not compared with "
                @if own == 1 { "itself." } @else { "themselves." }
            }
        }
        @if totals.bad_records > 0 {
            p class="note" {
                (grouped(totals.bad_records))
                @if totals.bad_records == 1 { " record could not be read." } @else { " records could not be read." }
                " All are in " code { "bad-records.jsonl" } "."
            }
            (shell::bad_records(&report.bad))
        }
    }
}

/// The kinds that occur, as a bar and as a table. They are in the fixed order of the type, so
/// two reports can be laid side by side. A pair counts once, under the kind of its longest
/// passage.
fn kinds(page: &PassagesPage<'_>) -> Markup {
    let counts = &page.report.counts;
    let all = page.report.num_passages();
    let kinds = PassageKind::ALL.iter().filter_map(|kind| {
        let passages = *counts.passages.get(kind)?;
        Some((
            *kind,
            passages,
            counts.pairs.get(kind).copied().unwrap_or(0),
        ))
    });
    let kinds: Vec<_> = kinds.collect();
    html! {
        div class="stack" role="img" aria-label="shares of the kinds, as in the table below" {
            @for &(kind, passages, _) in &kinds {
                // Widths follow from the numbers by the browser: no rounding here can make
                // them not add up.
                span title=(format!("{}: {}", kind.name(), grouped(passages)))
                    style=(format!("flex-grow:{passages};background:var({})", meaning(kind).0)) {}
            }
        }
        div class="wide" { table class="kinds" {
            tr { th { "kind" } th class="n" { "passages" } th class="n" { "share" } th class="n" { "pairs" } th class="quiet" {} }
            @for &(kind, passages, pairs) in &kinds {
                @let (color, means) = meaning(kind);
                tr {
                    td { span class="dot" style=(format!("background:var({color})")) {} (kind.name()) }
                    td class="n" { (grouped(passages)) }
                    td class="n" { (percent(passages, all)) }
                    td class="n" { (grouped(pairs)) }
                    td class="quiet" { (means) }
                }
            }
        } }
    }
}
