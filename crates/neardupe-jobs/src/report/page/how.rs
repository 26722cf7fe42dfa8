//! How it was done: the filter ledger, time and memory, options, and what the words mean.
//!
//! The ledger shows the join as a funnel: each step has fewer pairs than the one before, so a
//! reader sees which filter did the work, and what a lower threshold would cost. The words at the
//! end are explained in the terms of this page alone.

use super::ResultPage;
use crate::numbers::grouped;
use crate::report::shell::{cost, meanings, options};
use crate::summary::SimilarityWords;
use maud::{Markup, html};
use neardupe_core::similarity::Similarity;

/// The last part of the page: ledger, cost, options, words. A job that joined nothing, as one
/// by codes alone, has no ledger to show.
pub(super) fn render(page: &ResultPage<'_>) -> Markup {
    html! {
        h2 id="how" { "How it was done" }
        @if page.summary.ledger.sets > 0 { (ledger(page)) }
        (cost(
            page.summary.seconds.iter().map(|(stage, &time)| (stage.as_str(), time)),
            page.summary.peak_memory_bytes,
            page.summary.peak_disk_bytes,
        ))
        (options(page.summary.options.iter()))
        details class="print" id="words" {
            summary { "What the words mean" }
            (words(page))
        }
    }
}

/// The funnel of the join. Each step is a filter, in the order in which the join applies
/// them.
fn ledger(page: &ResultPage<'_>) -> Markup {
    let ledger = &page.summary.ledger;
    let method = page.summary.method.as_ref();
    // The signature filter only drops candidates of the exact join.
    let filtered = method.is_some() && page.option("method") == "exact";
    let by_keys = method.is_some() && !filtered;
    let steps = [
        (
            "distinct feature sets",
            ledger.sets,
            "documents with the same features count once",
        ),
        (
            "of them with a possible partner",
            ledger.sets - ledger.without_partner.min(ledger.sets),
            if by_keys {
                "the others share no key of their signatures with anything"
            } else {
                "the others share no rare feature with anything"
            },
        ),
        (
            "possible partners met",
            ledger.postings,
            "entries of the index that were visited",
        ),
        (
            "left by length",
            ledger.after_length,
            "two documents of too different lengths cannot be similar enough",
        ),
        (
            "left by position",
            ledger.after_position,
            if by_keys {
                "not used here: signatures have no order"
            } else {
                "too little is left behind the first common feature"
            },
        ),
        (
            "different pairs",
            ledger.candidates,
            if filtered {
                "candidates left by the signature filter, each counted once"
            } else {
                "candidates, each counted once"
            },
        ),
        (
            "compared in full",
            ledger.verified,
            "the bitmap filter drops pairs that differ in too many features",
        ),
        ("similar enough", ledger.found, "the answer of the join"),
    ];
    html! {
        h3 { "From all pairs to the similar ones" }
        p {
            "Comparing every document with every other would be "
            (grouped_wide(pairs_of(ledger.sets))) " comparisons. "
            @if by_keys { "Those whose signatures agree were looked at, and filters that never lose a pair left these:" }
            @else if filtered { "Filters left these; all but the signature filter never lose a pair:" }
            @else { "Filters that never lose a pair left these:" }
        }
        div class="wide" { table {
            @for (name, number, meaning) in steps {
                tr { td { (name) } td class="n" { (grouped(number)) } td class="quiet" { (meaning) } }
            }
        } }
    }
}

/// How many comparisons the naive way needs: n (n - 1) / 2. In 128 bits, since four billion
/// documents would overflow 64.
fn pairs_of(sets: u64) -> u128 {
    u128::from(sets) * u128::from(sets.saturating_sub(1)) / 2
}

/// The number with separators, or as a power of ten when it needs more than 64 bits: nobody
/// reads 30 digits.
fn grouped_wide(number: u128) -> String {
    match u64::try_from(number) {
        Ok(number) => grouped(number),
        Err(_) => format!("{number:e}"),
    }
}

/// The three measures are explained in words that fit the job: of a weighted method they are
/// about weights, not about numbers of features.
fn words(page: &ResultPage<'_>) -> Markup {
    let measure = |similarity| {
        let words = SimilarityWords::new(similarity, page.is_weighted());
        (words.name, words.meaning)
    };
    let words = [
        (
            "document",
            "One text with its id: a record of a file, a page of a crawl, or a file.",
        ),
        (
            "feature",
            "A small piece of a text, such as a run of five words. A document is compared by the set of its features.",
        ),
        measure(Similarity::Resemblance),
        measure(Similarity::Containment),
        measure(Similarity::S3),
        ("threshold", "The smallest similarity that counts."),
        (
            "cluster",
            "Documents that belong together. One of them is kept; each of the others was compared with it (with --cluster components only linked to it).",
        ),
        (
            "kept, duplicate",
            "Of each cluster one document is kept. The others are its duplicates: dedup removes them, find only lists them.",
        ),
        (
            "same text, same words, similar",
            "Why a document is a duplicate. Same text: nothing differs. Same words: only case, punctuation or layout differ. Similar: the threshold is reached.",
        ),
        (
            "bad record",
            "A record that could not become a document, with its place and the reason. No record is dropped silently.",
        ),
        (
            "exact",
            "Every pair at or above the threshold is found and none below it, up to collisions of 64-bit hashes.",
        ),
    ];
    meanings(&words)
}
