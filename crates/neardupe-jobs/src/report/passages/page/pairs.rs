//! The pairs with the most copied words, as tables.
//!
//! Near-duplicates have a table of their own, which is folded unless it is the only one: in a
//! crawl they would push the pairs that merely quote each other off the page.

use super::name;
use crate::numbers::{grouped, percent};
use crate::report::passages::{ListedPair, PassagesReport};
use maud::{Markup, html};

/// Both tables, or nothing for the one that is empty. The lists were cut when the report was
/// made, so a heading counts the listed pairs and the text says how many there are in all.
pub(super) fn render(report: &PassagesReport) -> Markup {
    let num_pairs = report.num_pairs() - report.counts.near_duplicates;
    let near = &report.near_duplicates;
    html! {
        @if !report.pairs.is_empty() {
            h2 id="pairs" {
                @if (report.pairs.len() as u64) < num_pairs { "The " (report.pairs.len()) " pairs with the most copied words" }
                @else if num_pairs == 1 { "The pair" }
                @else { "All pairs" }
            }
            p {
                "Documents that have passages in common and differ otherwise. All are in the table "
                code { "passage-pairs" } ", their passages in " code { "passages" } "."
            }
            (table(&report.pairs))
        }
        @if !near.is_empty() {
            @let all = report.counts.near_duplicates;
            h3 id="near-duplicates" {
                @if (near.len() as u64) < all { (near.len()) " of " (grouped(all)) " near-duplicates" }
                @else { "Near-duplicates" }
            }
            p {
                "Pairs in which passages cover at least 80 % of both documents. Their copied words are "
                "most of what they have; " code { "neardupe find" } " is for them."
            }
            @if report.pairs.is_empty() { (table(near)) }
            @else {
                details class="table print" { summary { "the table" } (table(near)) }
            }
        }
    }
}

/// The columns are the same for both kinds of pairs, so that they can be compared by eye.
fn table(pairs: &[ListedPair]) -> Markup {
    html! {
        div class="wide" { table {
            tr {
                th {} th { "left" } th { "right" } th class="n" { "words" } th class="n" { "passages" }
                th class="n" { "of the left" } th class="n" { "of the right" } th { "kind" }
            }
            @for pair in pairs { (row(pair)) }
        } }
    }
}

/// One pair. The first cell links to the pair side by side, for the few that are shown so.
fn row(pair: &ListedPair) -> Markup {
    let facts = &pair.facts;
    let share = |(part, whole): (u32, u32)| percent(part.into(), whole.into());
    html! {
        tr {
            td class="share" {
                @if let Some(at) = pair.example { a href=(format!("#pair-{}", at + 1)) { "see " (at + 1) } }
            }
            td class="id" { (name(&pair.left)) }
            td class="id" { (name(&pair.right)) }
            td class="n" { (grouped(facts.words)) }
            td class="n" { (grouped(facts.passages as u64)) }
            td class="n" { (share(facts.left_words)) }
            td class="n" { (share(facts.right_words)) }
            td { (facts.kind.name()) }
        }
    }
}
