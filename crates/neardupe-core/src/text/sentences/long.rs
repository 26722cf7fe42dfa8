//! Sentences that are too long, cut again at the best place near by.
//!
//! Text without stops (Thai, lists of names, tables) has no sentences to speak of. Where it has
//! commas it is cut there. Elsewhere the place is chosen by what stands there, not by counting:
//! the word with the smallest hash begins the next piece, so copies that begin at different
//! places come to be cut alike.

use super::super::class::{Class, class};
use super::super::mask::{BLOCK, masks};
use crate::hash;

/// What a word counts, and what one of a single ideograph, kana or Thai letter.
const RUN: usize = 3;
const ALONE: usize = 1;
/// The longest sentence: 60 words, or 180 ideographs.
const MAX_WEIGHT: usize = 60 * RUN;
/// A piece has at least this.
const MIN_WEIGHT: usize = MAX_WEIGHT / 2;
/// The rest has at least this.
const MIN_REST: usize = 10 * RUN;
/// An ASCII word and the space after it have at least two bytes, an ideograph three.
const MAX_BYTES: usize = 2 * MAX_WEIGHT / RUN;

/// Cuts `text[start..end]` if it is too long. Gives the ends but the last.
pub(super) fn cut(text: &str, start: usize, end: usize, ends: &mut Vec<usize>) {
    if end - start <= MAX_BYTES {
        return;
    }
    let mut from = start;
    let mut rest = weight(&text[start..end]);
    while rest > MAX_WEIGHT {
        let last = MAX_WEIGHT.min(rest - MIN_REST);
        let Some((at, weight)) = best(&text[from..end], MIN_WEIGHT, last) else {
            return;
        };
        from += at;
        rest -= weight;
        ends.push(from);
    }
}

/// What the words of a text count.
fn weight(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut weight = 0;
    let mut carry = 0;
    let mut at = 0;
    while at < bytes.len() {
        let mut padded = [b' '; BLOCK];
        let block = bytes[at..].first_chunk::<BLOCK>().unwrap_or_else(|| {
            padded[..bytes.len() - at].copy_from_slice(&bytes[at..]);
            &padded
        });
        let (alnum, high) = masks(block);
        if high != 0 {
            return weight + weight_of_any(text, at, carry == 1);
        }
        let starts = alnum & !((alnum << 1) | carry);
        weight += RUN * starts.count_ones() as usize;
        carry = alnum >> 63;
        at += BLOCK;
    }
    weight
}

/// The same from `at` on for any text; `open` says whether a run is open there.
fn weight_of_any(text: &str, mut at: usize, mut open: bool) -> usize {
    let bytes = text.as_bytes();
    let mut weight = 0;
    while at < bytes.len() {
        // The characters from U+5000 to U+9FFF are ideographs; then common signs.
        let alone = match bytes[at..] {
            [0xe5..=0xe9, ..] => ALONE,
            [0xe3, 0x80, 0x81 | 0x82, ..] | [0xef, 0xbc, 0x88..=0x8f, ..] => 0,
            _ => {
                let Some(ch) = text[at..].chars().next() else {
                    break;
                };
                weight += step(class(ch), &mut open);
                at += ch.len_utf8();
                continue;
            }
        };
        weight += alone;
        open = false;
        at += 3;
    }
    weight
}

/// What a character adds: words count where they begin. `open` says whether a run is open.
#[inline]
fn step(class: Class, open: &mut bool) -> usize {
    match class {
        Class::Separator => {
            *open = false;
            0
        }
        Class::Mark => 0,
        Class::Alone => {
            *open = false;
            ALONE
        }
        Class::Run if *open => 0,
        Class::Run => {
            *open = true;
            RUN
        }
    }
}

/// The best place to cut after `min` and up to `max`, with what stands before it. If there is none
/// the first after.
fn best(text: &str, min: usize, max: usize) -> Option<(usize, usize)> {
    let mut best: Option<(Place, usize)> = None;
    let mut gap = Gap::default();
    let mut open = false;
    let mut weight = 0;
    for (at, ch) in text.char_indices() {
        let class = class(ch);
        if class == Class::Separator {
            gap.add(at, ch);
            open = false;
            continue;
        }
        let added = step(class, &mut open);
        if added == 0 {
            // A mark after a separator stays there, and so does what follows it.
            if class == Class::Mark && gap.length > 0 {
                gap = Gap::default();
                open = true;
            }
            continue;
        }
        if weight > max && best.is_some() {
            break;
        }
        if weight >= min {
            let place = gap.place(text, at);
            if best
                .as_ref()
                .is_none_or(|(other, _)| place.is_better(other))
            {
                best = Some((place, weight));
            }
        }
        weight += added;
        gap = Gap::default();
    }
    best.map(|(place, weight)| (place.at, weight))
}

/// How good a place is to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Rank {
    #[default]
    Word,
    Space,
    Comma,
    Clause,
}

#[derive(Debug)]
struct Place {
    at: usize,
    rank: Rank,
    hash: u64,
}

impl Place {
    /// Of signs the last is best, of words the one with the smallest hash.
    fn is_better(&self, other: &Place) -> bool {
        match self.rank.cmp(&other.rank) {
            std::cmp::Ordering::Equal if self.rank >= Rank::Comma => true,
            std::cmp::Ordering::Equal => self.hash < other.hash,
            order => order.is_gt(),
        }
    }
}

/// What stands between two words.
#[derive(Debug, Default)]
struct Gap {
    length: usize,
    rank: Rank,
    /// After the last sign of that rank.
    after_sign: usize,
    /// After the last white space.
    after_space: usize,
}

impl Gap {
    fn add(&mut self, at: usize, ch: char) {
        self.length += 1;
        let end = at + ch.len_utf8();
        let rank = match ch {
            '.' | '!' | '?' | ';' | ':' | '；' | '：' | '؛' | '…' | '|' | '•' | '·' => {
                Rank::Clause
            }
            ',' | '，' | '、' | '،' | '–' | '—' | '\n' | '\t' | '၊' => {
                Rank::Comma
            }
            _ if ch.is_whitespace() => Rank::Space,
            _ => Rank::Word,
        };
        if ch.is_whitespace() {
            self.after_space = end;
        }
        if rank >= self.rank {
            self.rank = rank;
            self.after_sign = end;
        }
    }

    /// Where to cut before the word at `at`.
    fn place(&self, text: &str, at: usize) -> Place {
        // A dot or a comma without a space may be in the middle of a number.
        let spaced = self.after_space > 0;
        let ascii =
            self.after_sign > 0 && text.as_bytes()[self.after_sign - 1].is_ascii();
        let (rank, at) = match self.rank {
            _ if spaced => (self.rank, self.after_space),
            Rank::Comma | Rank::Clause if !ascii => (self.rank, self.after_sign),
            _ => (Rank::Word, at),
        };
        let word = text.as_bytes()[at..].iter().take(16);
        let mut bytes = [0; 16];
        let mut length = 0;
        for byte in
            word.take_while(|byte| !byte.is_ascii() || byte.is_ascii_alphanumeric())
        {
            bytes[length] = byte.to_ascii_lowercase();
            length += 1;
        }
        Place {
            at,
            rank,
            hash: hash::word(&bytes[..length]),
        }
    }
}
