//! The plot of sentences as a picture. It is drawn here, so that it needs no script; places
//! are in tenths of a pixel, as whole numbers.
//!
//! Left sentences go to the right, right sentences go down, so a copy of a whole document is
//! the diagonal from the upper left to the lower right.

use super::tone;
use crate::numbers::grouped;
use crate::report::passages::dots::Dots;
use crate::report::passages::example::{Example, PassageExample};
use maud::{Markup, html};
use std::cmp::Reverse;
use std::fmt::Write;
use std::ops::Range;

/// Pixels of the longer side, and of the shorter one at least.
const LONG: u64 = 300;
const SHORT: u64 = 120;
/// Pixels for the numbers: left of the plot, and above it.
const LEFT: u64 = 58;
const TOP: u64 = 44;
/// And on the other sides.
const REST: u64 = 12;

/// One direction of the plot.
#[derive(Debug, Clone, Copy)]
struct Axis {
    /// Where it begins.
    start: u64,
    /// Its length.
    pixels: u64,
    /// At least 1, since lengths are divided by it.
    sentences: u64,
}

impl Axis {
    /// The middle of a sentence, in tenths of a pixel.
    fn middle(&self, sentence: u32) -> u64 {
        // Whole sentences begin at even places, so their middles are odd.
        self.at(u64::from(sentence) * 2 + 1)
    }

    /// A place in half sentences.
    fn at(&self, halves: u64) -> u64 {
        // 10 tenths of a pixel by 2 halves of a sentence make the 5.
        self.start * 10 + halves * self.pixels * 5 / self.sentences
    }

    /// Sentences that are numbered, from 1.
    fn ticks(&self) -> Vec<u64> {
        // Steps are 1, 2, 5, 10, 20 and so on: the first that leaves 45 pixels for each
        // number.
        let steps = (0..).flat_map(|power| [1, 2, 5].map(|one| one * 10u64.pow(power)));
        let most = (self.pixels / 45).max(1);
        let mut steps = steps.skip_while(|step| self.sentences / step > most);
        let step = steps.next().unwrap_or(self.sentences);
        // The first sentence has its number, too, unless every one has.
        let first = (step > 1 && self.sentences > 2).then_some(1);
        let rest = (1..)
            .map(|at| at * step)
            .take_while(|at| *at <= self.sentences);
        first.into_iter().chain(rest).collect()
    }

    /// Pixels of one sentence, in tenths.
    fn cell(&self) -> u64 {
        self.pixels * 10 / self.sentences
    }
}

/// The axes of a plot: to scale, as far as that can be looked at.
fn axes(dots: &Dots) -> (Axis, Axis) {
    let (left, right) = (u64::from(dots.left).max(1), u64::from(dots.right).max(1));
    let longer = left.max(right);
    let axis = |start: u64, sentences: u64| Axis {
        start,
        // A short document beside a long one would be a line; so it is wider than to scale.
        pixels: (sentences * LONG / longer).max(SHORT),
        sentences,
    };
    (axis(LEFT, left), axis(TOP, right))
}

/// Tenths as a number.
fn tenths(number: u64) -> String {
    match number % 10 {
        0 => (number / 10).to_string(),
        rest => format!("{}.{rest}", number / 10),
    }
}

/// Dots as one line of many points; dots at the same point once.
fn points(dots: &[(u32, u32)], x: Axis, y: Axis) -> String {
    // Half a pixel is as exact as one can see.
    let half = |at: u64| at / 5 * 5;
    let mut points: Vec<(u64, u64)> = dots
        .iter()
        .map(|&(left, right)| (half(x.middle(left)), half(y.middle(right))))
        .collect();
    points.sort_unstable();
    points.dedup();
    let mut path = String::new();
    // A line of length 0 with round ends is a dot. One path for all takes far fewer bytes
    // than an element for each.
    for (x, y) in points {
        // Writing to memory cannot fail.
        let _ = write!(path, "M{} {}h0", tenths(x), tenths(y));
    }
    path
}

/// The plot of a pair. `number` is its place among those that are shown.
pub(super) fn render(number: usize, example: &Example) -> Markup {
    let dots = &example.dots;
    let (x, y) = axes(dots);
    let (width, height) = (LEFT + x.pixels + REST, TOP + y.pixels + REST);
    let cell = x.cell().min(y.cell());
    // A dot fills most of its cell, but can be seen and is no blob.
    let dot = (cell * 7 / 10).clamp(22, 80);
    let line = (dot * 2).clamp(60, 130);
    let label = format!(
        "Sentences: {} equal and {} similar pairs, {} passages",
        dots.equal.len(),
        dots.similar.len(),
        example.passages.len()
    );
    html! {
        svg class="plot" viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height)
            role="group" aria-label=(label) {
            (grid(x, y))
            // Lines come first, so that dots are seen on them.
            @for (at, passage) in example.passages.iter().enumerate() {
                (passage_line(number, at, passage, (x, y), line))
            }
            path class="ring" stroke-width=(tenths(dot)) d=(points(&dots.similar, x, y)) {}
            // A small ring would have no hole.
            @if dot >= 36 {
                path class="hole" stroke-width=(tenths(dot - 24)) d=(points(&dots.similar, x, y)) {}
            }
            path class="equal" stroke-width=(tenths(dot)) d=(points(&dots.equal, x, y)) {}
            (passage_numbers(example, x, y))
        }
    }
}

/// The frame, the numbers of sentences, and what the axes mean.
fn grid(x: Axis, y: Axis) -> Markup {
    let (right, bottom) = (LEFT + x.pixels, TOP + y.pixels);
    html! {
        rect class="area" x=(LEFT) y=(TOP) width=(x.pixels) height=(y.pixels) {}
        @for tick in x.ticks() {
            @let at = tenths(x.at(tick * 2 - 1));
            path class="grid" d=(format!("M{at} {}V{bottom}", TOP - 4)) {}
            text x=(at) y=(TOP - 8) text-anchor="middle" { (grouped(tick)) }
        }
        @for tick in y.ticks() {
            @let at = y.at(tick * 2 - 1);
            path class="grid" d=(format!("M{} {}H{right}", LEFT - 4, tenths(at))) {}
            text x=(LEFT - 8) y=(tenths(at + 40)) text-anchor="end" { (grouped(tick)) }
        }
        text class="axis" x=(LEFT) y="14" { "sentence on the left →" }
        text class="axis" transform=(format!("translate(3 {TOP}) rotate(90)")) { "on the right →" }
    }
}

/// The first and the last sentence of a side, in tenths of a pixel.
fn ends(axis: Axis, sentences: &Range<u32>) -> (u64, u64) {
    let last = sentences.end.saturating_sub(1).max(sentences.start);
    (axis.middle(sentences.start), axis.middle(last))
}

/// A passage as a line from its first to its last pair of sentences, which links to the text
/// and names its numbers when pointed at.
fn passage_line(
    number: usize,
    at: usize,
    passage: &PassageExample,
    (x, y): (Axis, Axis),
    width: u64,
) -> Markup {
    let ((left, to_left), (right, to_right)) =
        (ends(x, &passage.left), ends(y, &passage.right));
    let way = format!(
        "M{} {}L{} {}",
        tenths(left),
        tenths(right),
        tenths(to_left),
        tenths(to_right)
    );
    let title = format!(
        "passage {}: sentences {} on the left, {} on the right, {} words",
        at + 1,
        super::sentences(&passage.left),
        super::sentences(&passage.right),
        grouped(passage.words.into())
    );
    html! {
        a href=(format!("#s{number}-l{}", at + 1)) {
            title { (title) }
            path class=(format!("line {}", tone(at))) stroke-width=(tenths(width)) d=(way) {}
        }
    }
}

/// The numbers of passages beside their lines, the longest first; where there is no room for
/// one, pointing at the line shows it.
fn passage_numbers(example: &Example, x: Axis, y: Axis) -> Markup {
    // The longest first: they get their numbers even where shorter ones are in the way.
    let mut longest: Vec<usize> = (0..example.passages.len()).collect();
    longest.sort_by_key(|&at| Reverse(example.passages[at].words));
    let mut places: Vec<(u64, u64)> = Vec::new();
    let mut shown = Vec::new();
    for at in longest {
        let passage = &example.passages[at];
        let ((left, to_left), (right, to_right)) =
            (ends(x, &passage.left), ends(y, &passage.right));
        // Above and to the right of its middle, within the picture.
        let middle = (left + to_left) / 2;
        // At the right end the number is to the left of its line.
        let place = if middle + 240 > (LEFT + x.pixels) * 10 {
            middle.saturating_sub(160)
        } else {
            middle + 160
        };
        let height = ((right + to_right) / 2)
            .saturating_sub(40)
            .max(TOP * 10 + 110);
        // Too near to a number that is there already.
        let hides = |&(other, other_height): &(u64, u64)| {
            place.abs_diff(other) < 170 && height.abs_diff(other_height) < 120
        };
        if !places.iter().any(hides) {
            places.push((place, height));
            shown.push((at, place, height));
        }
    }
    html! {
        @for (at, place, height) in shown {
            text class=(format!("name {}", tone(at))) x=(tenths(place)) y=(tenths(height))
                text-anchor="middle" { (at + 1) }
        }
    }
}

/// What the marks mean.
pub(super) fn legend() -> Markup {
    html! {
        p class="legend quiet" {
            span { span class="key equal" {} "equal sentences" }
            span { span class="key similar" {} "sentences with half of their words in common, or more" }
            span { span class="key line c0" {} "a passage with its number" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(sentences: u64, pixels: u64) -> Axis {
        Axis {
            start: LEFT,
            pixels,
            sentences,
        }
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(axis(1, 300).ticks(), [1]);
        assert_eq!(axis(5, 300).ticks(), [1, 2, 3, 4, 5]);
        assert_eq!(axis(12, 300).ticks(), [1, 2, 4, 6, 8, 10, 12]);
        assert_eq!(axis(480, 300).ticks(), [1, 100, 200, 300, 400]);
        assert_eq!(axis(7, 120).ticks(), [1, 5]);
    }

    #[test]
    fn every_sentence_is_within_the_plot() {
        for (left, right) in [(1, 1), (3, 4000), (100_000, 7)] {
            let dots = Dots {
                left,
                right,
                ..Dots::default()
            };
            let (x, y) = axes(&dots);
            for (axis, all) in [(x, left), (y, right)] {
                assert!((SHORT..=LONG).contains(&axis.pixels));
                assert!(axis.middle(0) >= axis.start * 10);
                assert!(axis.middle(all - 1) <= (axis.start + axis.pixels) * 10);
            }
        }
    }

    #[test]
    fn dots_that_cannot_be_told_apart_are_drawn_once() {
        let all: Vec<(u32, u32)> = (0..10_000).map(|at| (at, at)).collect();
        let axis = axis(10_000, 300);
        let path = points(&all, axis, axis);
        assert!(path.matches('M').count() <= 601, "{}", path.len());
    }
}
