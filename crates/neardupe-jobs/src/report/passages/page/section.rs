//! A pair of documents side by side.
//!
//! Passages have numbers and colors that are the same on both sides, and each number links to the
//! other side: colors repeat after eight, so the number decides.

use super::{name, plot, sentences, similarity, tone};
use crate::numbers::{grouped, percent};
use crate::report::passages::example::{Example, SideExample};
use crate::report::passages::sides::{TextPart, TextPiece};
use crate::report::shell::Body;
use maud::{Markup, html};

/// Which side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageSide {
    Left,
    Right,
}

impl PageSide {
    /// Part of the anchor: links of one side lead to the other by it.
    fn letter(self) -> char {
        match self {
            PageSide::Left => 'l',
            PageSide::Right => 'r',
        }
    }

    /// The side to which a number links.
    fn other(self) -> Self {
        match self {
            PageSide::Left => PageSide::Right,
            PageSide::Right => PageSide::Left,
        }
    }
}

/// The place of a passage on one side of a pair.
fn anchor(number: usize, side: PageSide, passage: usize) -> String {
    format!("s{number}-{}{}", side.letter(), passage + 1)
}

/// A pair; `number` is its place among those that are shown, from 1.
pub(super) fn render(number: usize, example: &Example, with_text: bool) -> Markup {
    let facts = &example.facts;
    let share = |(part, whole): (u32, u32)| percent(part.into(), whole.into());
    // How many of the pair's passages did not get into the example.
    let left_out = facts.passages - example.passages.len();
    html! {
        section class="pair beside" id=(format!("pair-{number}")) {
            h3 {
                span class="of" { (number) }
                (name(&example.left.name)) span class="quiet" { " and " } (name(&example.right.name))
            }
            p class="quiet" {
                @if facts.passages == 1 { "one passage" } @else { (grouped(facts.passages as u64)) " passages" }
                " of " (grouped(facts.words)) " words: "
                (share(facts.left_words)) " of the left document, "
                (share(facts.right_words)) " of the right one · " (facts.kind.name())
                @if facts.is_near_duplicate { " · near-duplicates" }
            }
            div class="plotted" {
                figure { (plot::render(number, example)) }
                (passages(number, example, left_out))
            }
            @if !example.left.pieces.is_empty() {
                div class="sides" {
                    (side(number, PageSide::Left, &example.left))
                    (side(number, PageSide::Right, &example.right))
                }
            } @else if with_text {
                p class="quiet" { "There is no room on this page for the texts of this pair." }
            }
        }
    }
}

/// The passages of the pair as a table. When the texts are on the page, a number links into
/// the left one; otherwise the number itself is the target of the links in the plot.
fn passages(number: usize, example: &Example, left_out: usize) -> Markup {
    let has_text = !example.left.pieces.is_empty();
    html! {
        div class="wide passages" {
            table {
                tr {
                    th { "passage" } th class="n" { "words" } th class="n" { "similarity" }
                    th class="n" { "left sentences" } th class="n" { "right sentences" } th { "kind" }
                }
                @for (at, passage) in example.passages.iter().enumerate() {
                    tr {
                        td {
                            @if has_text {
                                a class=(format!("number {}", tone(at))) href=(format!("#{}", anchor(number, PageSide::Left, at))) { (at + 1) }
                            } @else {
                                span class=(format!("number {}", tone(at))) id=(anchor(number, PageSide::Left, at)) { (at + 1) }
                            }
                        }
                        td class="n" { (grouped(passage.words.into())) }
                        td class="n" { (similarity(passage.similarity)) }
                        td class="n" { (sentences(&passage.left)) }
                        td class="n" { (sentences(&passage.right)) }
                        td { (passage.kind.name()) }
                    }
                }
            }
            @if left_out > 0 {
                p class="quiet" { "and " (grouped(left_out as u64)) " shorter ones, which are not shown here" }
            }
        }
    }
}

/// The text of one side, in a box that scrolls by itself and that can be reached with the
/// keyboard.
fn side(number: usize, which: PageSide, side: &SideExample) -> Markup {
    let label = match which {
        PageSide::Left => "text of the left document",
        PageSide::Right => "text of the right document",
    };
    html! {
        div class="side" {
            h4 { span class="id" { (name(&side.name)) } span class="quiet" { " " (grouped(side.chars)) " characters" } }
            div class="text" dir="auto" tabindex="0" role="region" aria-label=(label) {
                @for piece in &side.pieces { (render_piece(number, which, piece)) }
            }
        }
    }
}

/// A piece between two ends of passages. Where passages begin there is a number that links to
/// the other side; the piece itself has the color of one passage, although others may cover
/// it.
fn render_piece(number: usize, which: PageSide, piece: &TextPiece) -> Markup {
    html! {
        @for &at in &piece.begins {
            @let title = format!("passage {}: go to its other side", at + 1);
            a class=(format!("number {}", tone(at))) id=(anchor(number, which, at))
                href=(format!("#{}", anchor(number, which.other(), at))) title=(title) { (at + 1) }
        }
        @match piece.passage {
            Some(at) => mark class=(format!("passage {}", tone(at))) { (parts(piece)) },
            None => (parts(piece)),
        }
    }
}

/// The text of a piece, with edited words underlined, and gaps where text was left out to
/// keep the page small.
fn parts(piece: &TextPiece) -> Markup {
    html! {
        @for part in &piece.parts {
            @match part {
                TextPart::Text(text) => (Body(text)),
                TextPart::Edited(text) => u { (Body(text)) },
                TextPart::LeftOut(chars) => span class="gap" { "… " (grouped(*chars as u64)) " characters …" },
            }
        }
    }
}
