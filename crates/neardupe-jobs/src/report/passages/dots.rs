//! The plot of sentences: which sentence of the left document is equal or similar to which of
//! the right one. Copied passages are diagonals of it (Zhang et al., Figure 5).
//!
//! Equal sentences are found anywhere, by their words. Similar ones are looked for only around
//! the passages, along their diagonals, so that long documents cost no more than their length.

use neardupe_core::hash::{FixedMap, FixedSet};
use neardupe_core::numbers::{of_len, saturated};
use neardupe_core::passage::{CutText, Scratch, seeds};
use neardupe_core::pipeline::passages::Passage;
use std::ops::Range;

/// A sentence that comes so often, times as often on the other side, is shown only at passages.
/// A menu of every page would fill the plot with a square of dots.
const MAX_REPEATS: usize = 64;
/// Sentences around a passage, and around its diagonal, that are compared.
const AROUND: u32 = 2;
const BESIDE: u32 = 5;
/// Sentences that are compared.
const MAX_COMPARED: usize = 100_000;
/// Dots of a plot.
const MAX_DOTS: usize = 2000;

/// A plot.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Dots {
    /// Sentences of the left document.
    pub(super) left: u32,
    /// Sentences of the right document.
    pub(super) right: u32,
    /// Sentences of the same words, from 0; sorted.
    pub(super) equal: Vec<(u32, u32)>,
    /// Sentences with half of their words in common, or more; sorted.
    pub(super) similar: Vec<(u32, u32)>,
}

impl Dots {
    /// The plot of two texts that were cut into sentences. Costs at most `MAX_COMPARED`
    /// comparisons besides a look at each sentence.
    pub(super) fn new(left: &CutText, right: &CutText, passages: &[Passage]) -> Self {
        let mut maker = DotMaker {
            left,
            right,
            seen: FixedSet::default(),
            dots: Dots {
                // A text has no more sentences than words, and those are numbered with 32 bits.
                left: of_len(left.sentence_words.len()),
                right: of_len(right.sentence_words.len()),
                ..Dots::default()
            },
        };
        // What there is at passages comes first: it is what the plot is for.
        maker.along(passages);
        maker.anywhere();
        let mut dots = maker.dots;
        dots.equal.sort_unstable();
        dots.similar.sort_unstable();
        dots
    }
}

/// The words of a sentence.
fn sentence(cut: &CutText, number: u32) -> &[u32] {
    let number = number as usize;
    let start = match number.checked_sub(1) {
        Some(before) => cut.sentence_words[before],
        None => 0,
    };
    &cut.words[start as usize..cut.sentence_words[number] as usize]
}

/// Collects dots, each once.
struct DotMaker<'a> {
    /// The left text.
    left: &'a CutText,
    /// The right text.
    right: &'a CutText,
    /// Pairs of sentences that were compared, or that are dots: passages may overlap.
    seen: FixedSet<(u32, u32)>,
    /// The dots so far.
    dots: Dots,
}

impl DotMaker<'_> {
    /// Whether the plot has all the dots it can have.
    fn is_full(&self) -> bool {
        self.dots.equal.len() + self.dots.similar.len() >= MAX_DOTS
    }

    /// Equal and similar sentences along the diagonals of passages.
    fn along(&mut self, passages: &[Passage]) {
        let mut scratch = Scratch::default();
        let mut num_compared = 0;
        for passage in passages {
            let lefts = around(&passage.left.sentences, self.dots.left);
            let rights = around(&passage.right.sentences, self.dots.right);
            for at in lefts {
                for other in beside(passage, at, &rights) {
                    if self.is_full() || num_compared >= MAX_COMPARED {
                        return;
                    }
                    if self.seen.insert((at, other)) {
                        num_compared += 1;
                        self.compare(at, other, &mut scratch);
                    }
                }
            }
        }
    }

    /// Compares two sentences by their words: equal ones, or those that share half of all
    /// their words.
    fn compare(&mut self, at: u32, other: u32, scratch: &mut Scratch) {
        let (left, right) = (sentence(self.left, at), sentence(self.right, other));
        if left.is_empty() || right.is_empty() {
            return;
        }
        if left == right {
            self.dots.equal.push((at, other));
            return;
        }
        // Resemblance of sets, so the order of words does not matter here.
        let (common, union) = scratch.resemblance(left, right);
        if common * 2 >= union {
            self.dots.similar.push((at, other));
        }
    }

    /// Equal sentences wherever they are.
    fn anywhere(&mut self) {
        let mut places: FixedMap<u64, (Vec<u32>, usize)> = FixedMap::default();
        for number in 0..self.dots.right {
            let words = sentence(self.right, number);
            if !words.is_empty() {
                let hash = seeds::sentence_hash(words);
                places.entry(hash).or_default().0.push(number);
            }
        }
        for number in 0..self.dots.left {
            let hash = seeds::sentence_hash(sentence(self.left, number));
            if let Some((_, repeats)) = places.get_mut(&hash) {
                *repeats += 1;
            }
        }
        for at in 0..self.dots.left {
            let words = sentence(self.left, at);
            let Some((others, repeats)) = places.get(&seeds::sentence_hash(words)) else {
                continue;
            };
            if others.len() * repeats > MAX_REPEATS {
                continue;
            }
            for &other in others {
                if self.is_full() {
                    return;
                }
                // The hash may collide, so the words decide.
                if sentence(self.right, other) == words && self.seen.insert((at, other)) {
                    self.dots.equal.push((at, other));
                }
            }
        }
    }
}

/// Sentences and a few before and after them.
fn around(sentences: &Range<u32>, all: u32) -> Range<u32> {
    sentences.start.saturating_sub(AROUND)..(sentences.end + AROUND).min(all)
}

/// Right sentences beside the one where the diagonal of a passage has a left one.
fn beside(passage: &Passage, at: u32, rights: &Range<u32>) -> Range<u32> {
    let (left, right) = (&passage.left.sentences, &passage.right.sentences);
    // As far along on the right as the sentence is on the left, by the lengths of both sides.
    let ahead = u64::from(at.saturating_sub(left.start));
    let (whole, other) = (
        u64::from(left.end - left.start).max(1),
        u64::from(right.end - right.start),
    );
    // Sentences before and after the passage are looked at too, so this may lie behind the text:
    // then the range is empty.
    let center = saturated(u64::from(right.start) + ahead * other / whole);
    let start = center.saturating_sub(BESIDE).max(rights.start);
    start..center.saturating_add(BESIDE + 1).min(rights.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::document::Span;
    use neardupe_core::passage::TextCutter;
    use neardupe_core::pipeline::passages::TextSide;

    fn cut(text: &str) -> CutText {
        let mut cut = CutText::default();
        TextCutter::default().cut(text, &mut cut);
        cut
    }

    fn passage(left: Range<u32>, right: Range<u32>) -> Passage {
        let side = |sentences| TextSide {
            span: Span::default(),
            chars: 0..0,
            sentences,
            words: 0..0,
        };
        Passage {
            left: side(left),
            right: side(right),
            common: 0,
            union: 0,
        }
    }

    #[test]
    fn equal_sentences_anywhere_and_similar_ones_at_passages() {
        let left = cut("Nothing of this is there. The quick brown fox jumps far. \
                        Then it sleeps well at night. It is said to be happy now.");
        let right = cut(
            "It is said to be happy NOW! The quick brown fox jumps away. \
                         Then it sleeps well - at night. Nothing like it.",
        );
        let dots = Dots::new(&left, &right, &[passage(1..3, 1..3)]);
        assert_eq!((dots.left, dots.right), (4, 4));
        assert_eq!(dots.equal, [(2, 2), (3, 0)]);
        assert_eq!(dots.similar, [(1, 1)]);
        // Away from passages nothing similar is looked for.
        let dots = Dots::new(&left, &right, &[]);
        assert_eq!(dots.equal, [(2, 2), (3, 0)]);
        assert!(dots.similar.is_empty());
    }

    #[test]
    fn what_is_repeated_without_end_does_not_hide_the_rest() {
        let same = "All of this is here again. ".repeat(3000);
        let text = format!("{same}One sentence of my own stands here. {same}");
        let cut = cut(&text);
        let dots = Dots::new(&cut, &cut, &[passage(0..6001, 0..6001)]);
        assert!(dots.equal.len() <= MAX_DOTS);
        let dots = Dots::new(&cut, &cut, &[]);
        assert_eq!(dots.equal, [(3000, 3000)]);
    }

    #[test]
    fn nothing_is_similar_to_no_words() {
        let dots = Dots::new(&cut("... !!!"), &cut("... !!!"), &[passage(0..1, 0..1)]);
        assert!(dots.equal.is_empty() && dots.similar.is_empty());
    }
}
