//! Sentences that are too long, cut again at the best place near by.
//!
//! Text without stops (Thai, lists of names, tables) has no sentences to speak of. Where it has
//! commas it is cut there. Elsewhere the place is chosen by the words there, not by counting: the
//! word with the smallest hash begins the next piece, so copies that begin at different places come
//! to be cut alike.
//!
//! Lengths are weights, in thirds of words: an ideograph counts a third of a word. The weight of a
//! long sentence is found once, by masks; each piece is then searched only as far as it may reach.

use super::super::class::{Class, class};
use super::super::mask::{BLOCK, masks};
use crate::hash;

/// What a word of letters counts.
const RUN: usize = 3;
/// What a single ideograph, kana or Thai letter counts.
const ALONE: usize = 1;
/// The longest sentence: 60 words, or 180 ideographs.
const MAX_WEIGHT: usize = 60 * RUN;
/// A piece has at least this.
const MIN_WEIGHT: usize = MAX_WEIGHT / 2;
/// The rest of a sentence has at least this: no piece of a few words is cut off its end.
const MIN_REST: usize = 10 * RUN;
/// Shorter sentences are never too long, and their words are not counted: an ASCII word and the
/// space after it have at least two bytes, an ideograph three.
const MAX_BYTES: usize = 2 * MAX_WEIGHT / RUN;

/// Cuts `text[start..end]` if it is too long. Appends the ends of all pieces but the last.
pub(super) fn cut(text: &str, start: usize, end: usize, ends: &mut Vec<usize>) {
    if end - start <= MAX_BYTES {
        return;
    }
    let mut from = start;
    let mut rest = weight(&text[start..end]);
    while rest > MAX_WEIGHT {
        // `rest` is above MAX_WEIGHT here, so `last` is above MIN_WEIGHT: there is a window to
        // choose from.
        let last = MAX_WEIGHT.min(rest - MIN_REST);
        let Some((at, weight)) = best(&text[from..end], MIN_WEIGHT, last) else {
            return;
        };
        from += at;
        // `best` says how much weight it has passed, so nothing is counted twice.
        rest -= weight;
        ends.push(from);
    }
}

/// What the words of a text count. ASCII by masks of 64 bytes, from the first other byte on
/// character by character.
fn weight(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut weight = 0;
    let mut carry = 0;
    let mut at = 0;
    while at < bytes.len() {
        // The last bytes, padded by spaces, which begin no word.
        let mut padded = [b' '; BLOCK];
        let block = bytes[at..].first_chunk::<BLOCK>().unwrap_or_else(|| {
            padded[..bytes.len() - at].copy_from_slice(&bytes[at..]);
            &padded
        });
        let (alnum, high) = masks(block);
        if high != 0 {
            // The whole block again: the words before its first other byte were not added yet.
            return weight + weight_of_any(text, at, carry == 1);
        }
        let starts = alnum & !((alnum << 1) | carry);
        weight += RUN * starts.count_ones() as usize;
        carry = alnum >> 63;
        at += BLOCK;
    }
    weight
}

/// The same from `at` on for any text; `open` is whether a run is open there. The frequent
/// characters of Chinese are decided by their bytes, without decoding and without the table of
/// classes.
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

/// The best place to cut after weight `min` and up to `max`, with the weight before it; the first
/// place after `max` when there is none between. None where no word begins after `min`.
fn best(text: &str, min: usize, max: usize) -> Option<(usize, usize)> {
    let mut best: Option<(CutPlace, usize)> = None;
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
        // Past the window, and there is a place: looking on could only make the piece too long.
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

/// How good a place is to cut, from bad to good: between two words without a space, at a space,
/// after a comma or a line, after a sign that ends a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Rank {
    #[default]
    Word,
    Space,
    Comma,
    Clause,
}

/// A place to cut, and the hash of the word after it.
#[derive(Debug)]
struct CutPlace {
    at: usize,
    rank: Rank,
    hash: u64,
}

impl CutPlace {
    /// Of signs the last is best, of words the one with the smallest hash.
    fn is_better(&self, other: &CutPlace) -> bool {
        match self.rank.cmp(&other.rank) {
            std::cmp::Ordering::Equal if self.rank >= Rank::Comma => true,
            std::cmp::Ordering::Equal => self.hash < other.hash,
            order => order.is_gt(),
        }
    }
}

/// The characters between two words.
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
    /// One more character of the gap.
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
        // The last sign of the highest rank: closing signs and spaces after it lie in the gap too.
        if rank >= self.rank {
            self.rank = rank;
            self.after_sign = end;
        }
    }

    /// Where to cut before the word at `at`: after the last space of the gap if it has one, else
    /// after its sign.
    fn place(&self, text: &str, at: usize) -> CutPlace {
        // A dot or a comma without a space may be in the middle of a number.
        let spaced = self.after_space > 0;
        let ascii =
            self.after_sign > 0 && text.as_bytes()[self.after_sign - 1].is_ascii();
        let (rank, at) = match self.rank {
            _ if spaced => (self.rank, self.after_space),
            Rank::Comma | Rank::Clause if !ascii => (self.rank, self.after_sign),
            _ => (Rank::Word, at),
        };
        // The first 16 bytes of the word after the cut, ASCII letters small: the same in every
        // copy, which is all that is asked of it.
        let word = text.as_bytes()[at..].iter().take(16);
        let mut bytes = [0; 16];
        let mut length = 0;
        for byte in
            word.take_while(|byte| !byte.is_ascii() || byte.is_ascii_alphanumeric())
        {
            bytes[length] = byte.to_ascii_lowercase();
            length += 1;
        }
        CutPlace {
            at,
            rank,
            hash: hash::word(&bytes[..length]),
        }
    }
}
