//! What the texts of two documents say about why they are duplicates.
//!
//! The kinds are tried in this order, and the first that fits wins:
//!
//! - nothing but case, punctuation or spacing differs;
//! - periphery: everything that differs is near the beginning or the end, or in short lines near
//!   them, where pages have menus, dates and adverts;
//! - update: the addresses are two versions, and at most half of the words differ;
//! - forum: one text is in the other, and both are discussions;
//! - body: passages were moved, added or cut;
//! - other words in the same text.
//!
//! The limits were set by looking at pairs of manuals, government pages and a crawl
//! (docs/sources.md); each has its name at the top of this file. All shares are in whole percent of
//! words, so no verdict depends on how floats are rounded.

use super::align::{Fate, align};
use super::forum::is_discussion;
use super::{CauseKind, Verdict};
use crate::diff::clean;
use neardupe_core::hash;
use neardupe_core::text::{Segmenter, word_spans};

/// Words of each text that are compared.
const MAX_WORDS: usize = 50_000;
/// In percent: a page with more changed words than this is another page, not an update.
const MAX_UPDATED: usize = 50;
/// In percent of the words: how far beginning and end of a text reach.
const EDGE: usize = 10;
/// They have at least so many words ...
const MIN_EDGE: usize = 20;
/// ... but never more than this share of the text, in percent.
const MAX_EDGE: usize = 20;
/// In percent: how far from both ends short lines are menus, adverts and dates.
const MENUS: usize = 30;
/// Words of a short line.
const SHORT_LINE: usize = 6;
/// In percent: more changed words than this are more than periphery.
const MAX_PERIPHERY: usize = 25;
/// In percent of the words of a text: if no more of them are missing from another text, it is contained in that one.
const MAX_MISSING: usize = 5;
/// Words of a passage: shorter runs are changed words.
const MIN_PASSAGE: usize = 8;
/// In percent: from here on passages were moved.
const MIN_MOVED: usize = 10;
/// In percent: so much of a text must be in another for a post that is quoted.
const MIN_QUOTED: usize = 80;
/// Words of a main content: with fewer it may have been missed.
const MIN_MAIN: usize = 50;
/// Characters of a word that is shown.
const SHOWN: usize = 24;

/// What the addresses said about the pair before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// The same address or id.
    SameAddress,
    /// Two versions of the same page, by their addresses.
    Version,
    /// Nothing.
    Nothing,
}

/// One text, by words.
///
/// Words as `find` sees them, by hashes: only equality matters here.
struct TextWords {
    /// Hashes of the words, at most `MAX_WORDS`.
    words: Vec<u64>,
    /// Where words begin and end.
    spans: Vec<(usize, usize)>,
    /// Number of words of the line of each word.
    line_words: Vec<usize>,
    /// Whether all words are among them.
    complete: bool,
}

impl TextWords {
    /// Cuts a text into words and counts those of each line.
    fn new(text: &str) -> Self {
        let mut side = TextWords {
            words: Vec::new(),
            spans: Vec::new(),
            line_words: Vec::new(),
            complete: true,
        };
        word_spans(text, &Segmenter::default(), |span, word| {
            if side.words.len() < MAX_WORDS {
                side.words.push(hash::word(word.as_bytes()));
                side.spans.push((span.start, span.end));
            } else {
                side.complete = false;
            }
        });
        side.count_lines(text);
        side
    }

    /// Short lines are menus and captions, so each word knows how many words its line has. A line
    /// ends where the text between two words has a line end.
    fn count_lines(&mut self, text: &str) {
        let mut first = 0;
        for at in 1..=self.spans.len() {
            let ends_line = self
                .spans
                .get(at)
                .is_none_or(|next| text[self.spans[at - 1].1..next.0].contains('\n'));
            if ends_line {
                self.line_words.resize(at, at - first);
                first = at;
            }
        }
    }
}

/// How two texts differ.
#[derive(Debug)]
pub struct TextDifference<'a> {
    /// Left and right.
    texts: [&'a str; 2],
    /// Where the words are, by side.
    spans: [Vec<(usize, usize)>; 2],
    /// How many words the line of each word has, by side.
    line_words: [Vec<usize>; 2],
    /// What became of each word, by side; empty if the words are the same.
    fates: [Vec<Fate>; 2],
    /// The same words in the same order, to the end of both texts.
    same_words: bool,
    /// Whether both texts were compared to their ends.
    complete: bool,
}

impl<'a> TextDifference<'a> {
    /// Compares two texts.
    pub fn new(left: &'a str, right: &'a str) -> Self {
        let [one, two] = [left, right].map(TextWords::new);
        let same_words = one.words == two.words;
        let fates = if same_words {
            [Vec::new(), Vec::new()]
        } else {
            align(&one.words, &two.words).into()
        };
        TextDifference {
            texts: [left, right],
            complete: one.complete && two.complete,
            same_words: same_words && one.complete && two.complete,
            spans: [one.spans, two.spans],
            line_words: [one.line_words, two.line_words],
            fates,
        }
    }

    /// The kind of the pair, by the texts and what the addresses said.
    pub fn verdict(&self, hint: Hint) -> Verdict {
        if let Some(verdict) = self.no_change(hint) {
            return verdict;
        }
        // Periphery comes before updates: a page with another date is the same page, whatever the
        // addresses say.
        let changed = self.count(Fate::Changed) + self.count(Fate::Moved);
        let all = self.fates[0].len() + self.fates[1].len();
        if self.is_periphery() {
            return Verdict::new(CauseKind::Periphery, self.in_words("at the edge"));
        }
        // Both texts count, so that a page with much added is not an update of a short one.
        if hint != Hint::Nothing && 100 * changed <= MAX_UPDATED * all {
            let what = match hint {
                Hint::SameAddress => "the same address at another time",
                _ => "another version by its address",
            };
            let reason = format!("{what}; {}", self.in_words("changed"));
            return Verdict::new(CauseKind::Update, reason);
        }
        let contained = self.contained();
        if contained.is_some_and(|(_, share)| share >= MIN_QUOTED)
            && self.texts.iter().all(|text| is_discussion(text))
        {
            let reason = "a discussion, and one text is in the other";
            return Verdict::new(CauseKind::Forum, reason);
        }
        self.body().unwrap_or_else(|| {
            let percent = (100 * changed).div_ceil(all.max(1));
            let what = if self.only_numbers_differ() {
                "only numbers differ"
            } else {
                "words differ"
            };
            let reason = format!(
                "{what} in {}, {percent} % of the words{}",
                places(self.num_places()),
                self.shown()
            );
            Verdict::new(CauseKind::Other, reason)
        })
    }

    /// The verdict where no word differs; None if one does.
    fn no_change(&self, hint: Hint) -> Option<Verdict> {
        let reason = match () {
            () if self.texts[0] == self.texts[1] => "the texts are equal",
            () if !self.same_words => return None,
            () if self.texts[0]
                .split_whitespace()
                .eq(self.texts[1].split_whitespace()) =>
            {
                "only white space differs"
            }
            () => "only case or punctuation differs",
        };
        let equal = self.texts[0] == self.texts[1];
        Some(match hint {
            Hint::SameAddress if equal => same_address_and_text(),
            _ => Verdict::new(CauseKind::Invisible, reason),
        })
    }

    /// Words of both texts with this fate.
    fn count(&self, fate: Fate) -> usize {
        let fates = self.fates.iter().flatten();
        fates.filter(|other| **other == fate).count()
    }

    /// Whether all that differs is at the beginning, at the end, or in short lines near
    /// them.
    fn is_periphery(&self) -> bool {
        let not_common =
            |fates: &[Fate]| fates.iter().filter(|it| **it != Fate::Common).count();
        let sides = self.fates.iter().zip(&self.line_words);
        self.complete
            && sides.into_iter().all(|(fates, line_words)| {
                let all = fates.len();
                // A share of the text, but not so little that a short text has no edge, nor so
                // much that all of it is one.
                let edge = (all * EDGE / 100).max(MIN_EDGE).min(all * MAX_EDGE / 100);
                let menus = all * MENUS / 100;
                let near = |at: usize, reach: usize| at < reach || at + reach >= all;
                let mut words = fates.iter().zip(line_words).enumerate();
                100 * not_common(fates) <= MAX_PERIPHERY * all
                    && words.all(|(at, (fate, line))| {
                        *fate == Fate::Common
                            || near(at, edge)
                            || (near(at, menus) && *line <= SHORT_LINE)
                    })
            })
    }

    /// The side that is contained in the other better, and how many percent of it are.
    fn contained(&self) -> Option<(usize, usize)> {
        let shares = self.fates.each_ref().map(|fates| {
            let there = fates.iter().filter(|it| **it != Fate::Changed).count();
            (100 * there).checked_div(fates.len())
        });
        match shares {
            // A moved word is there, only elsewhere; so it counts as contained.
            [Some(left), Some(right)] if left >= right => Some((0, left)),
            [_, Some(right)] => Some((1, right)),
            _ => None,
        }
    }

    /// Passages that were moved, added or cut.
    fn body(&self) -> Option<Verdict> {
        let all = self.fates[0].len() + self.fates[1].len();
        let moved = self.count(Fate::Moved);
        let changed = self.count(Fate::Changed);
        // More was moved than changed: otherwise the moved words are a side effect.
        if 100 * moved >= MIN_MOVED * all && moved >= changed {
            let percent = 100 * moved / all;
            let reason = format!("{percent} % of the words were moved");
            return Some(Verdict::new(CauseKind::Body, reason));
        }
        let (side, share) = self.contained()?;
        let more = |side: usize| {
            let fates = self.fates[side].iter();
            fates.filter(|it| **it == Fate::Changed).count()
        };
        let (missing, added) = (more(side), more(1 - side));
        // What is replaced by about as much is another change.
        if share + MAX_MISSING < 100 || added < 3 * missing.max(1) {
            return None;
        }
        // Nor are single words all over the text a passage.
        if 2 * self.in_passages(1 - side) < added {
            return None;
        }
        let name = ["right", "left"][side];
        let words = self.fates[1 - side].len();
        let reason = format!(
            "the {name} text has {added} of its {words} words more, in {}{}",
            places(self.runs(1 - side)),
            self.shown()
        );
        Some(Verdict::new(CauseKind::Body, reason))
    }

    /// Words of one side that are not in the other, in runs that are passages.
    fn in_passages(&self, side: usize) -> usize {
        let runs = self.fates[side].chunk_by(|one, two| one == two);
        let runs = runs.filter(|run| run[0] == Fate::Changed);
        let lengths = runs.map(<[Fate]>::len);
        lengths.filter(|length| *length >= MIN_PASSAGE).sum()
    }

    /// In how many places the texts differ.
    fn num_places(&self) -> usize {
        self.runs(0).max(self.runs(1))
    }

    /// Runs of words of one side that are not common.
    fn runs(&self, side: usize) -> usize {
        let fates = &self.fates[side];
        let starts = fates.iter().enumerate().filter(|(at, fate)| {
            **fate != Fate::Common && (*at == 0 || fates[at - 1] == Fate::Common)
        });
        starts.count()
    }

    /// Pages of one template with other prices, dates or counters.
    fn only_numbers_differ(&self) -> bool {
        (0..2).all(|side| {
            let words = self.fates[side].iter().zip(&self.spans[side]);
            let mut changed = words.filter(|(fate, _)| **fate != Fate::Common);
            changed.all(|(_, &(start, end))| {
                let word = &self.texts[side][start..end];
                word.starts_with(char::is_numeric)
            })
        })
    }

    /// How many words differ, and the first of them.
    fn in_words(&self, where_: &str) -> String {
        let [left, right] = self
            .fates
            .each_ref()
            .map(|fates| fates.iter().filter(|it| **it != Fate::Common).count());
        let words = left.max(right);
        let noun = if words == 1 { "word" } else { "words" };
        format!("{words} {noun} {where_}{}", self.shown())
    }

    /// The first words that differ, to give an idea.
    fn shown(&self) -> String {
        let first = |side: usize| {
            let fates = &self.fates[side];
            let start = fates.iter().position(|fate| *fate != Fate::Common)?;
            let run = fates[start..].iter().take(3);
            let len = run.take_while(|fate| **fate != Fate::Common).count();
            let (from, to) = (
                self.spans[side][start].0,
                self.spans[side][start + len - 1].1,
            );
            let text = clean(&self.texts[side][from..to]);
            Some(match text.char_indices().nth(SHOWN) {
                Some((end, _)) => format!("{}...", text[..end].trim_end()),
                None => text,
            })
        };
        match (first(0), first(1)) {
            (Some(left), Some(right)) => format!(": \"{left}\" / \"{right}\""),
            (Some(one), None) | (None, Some(one)) => format!(": \"{one}\""),
            (None, None) => String::new(),
        }
    }
}

/// The same address twice, and the same text.
pub(super) fn same_address_and_text() -> Verdict {
    Verdict::new(CauseKind::SamePage, "the same address twice, not changed")
}

/// Whether the main contents of two pages have the same words, and enough of them to be one.
pub(super) fn same_main(left: &str, right: &str) -> bool {
    let [left, right] = [left, right].map(TextWords::new);
    left.words.len() >= MIN_MAIN && left.words == right.words
}

/// A number of places as a sentence has it.
fn places(number: usize) -> String {
    match number {
        1 => "one place".to_owned(),
        many => format!("{many} places"),
    }
}

#[cfg(test)]
mod tests;
