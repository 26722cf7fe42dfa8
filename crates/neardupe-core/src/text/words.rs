//! Words of a text, fast: ASCII by bit masks over 64 bytes, the rest segment by segment.
//!
//! The text is cut before ASCII characters only. No ASCII character composes with what
//! stands before it, so normalizing the pieces equals normalizing the whole. A segment
//! that is not pure ASCII reaches from the ASCII character before its run of letters (a
//! following mark may compose with it, as `=` with U+0338) to the next ASCII separator.
//!
//! This is one of the innermost loops of reading: every byte of every text passes it. ASCII words
//! are given as places, so that a sink can hash them without a copy. [`slow`](super::slow) is the
//! definition.

use super::Segmenter;
use super::mask::{BLOCK, masks};

/// Takes the words of a text in order.
pub trait WordSink {
    /// An ASCII word as it stands in the text, at `start..end`, not yet folded.
    fn ascii(&mut self, text: &[u8], start: usize, end: usize);
    /// Any other word, normalized and folded.
    fn folded(&mut self, word: &str);
}

/// Gives all words of `text` to `sink`, by the simple rule.
pub fn words(text: &str, segmenter: &Segmenter, sink: &mut impl WordSink) {
    words_with(text, sink, |segment, sink| {
        segmenter.words(segment, |word| sink.folded(word));
    });
}

/// Gives all words of `text` to `sink`; those of segments that are not pure ASCII come from
/// `cut`.
#[inline]
pub(super) fn words_with<Sink: WordSink>(
    text: &str,
    sink: &mut Sink,
    mut cut: impl FnMut(&str, &mut Sink),
) {
    let bytes = text.as_bytes();
    let mut from = 0;
    // ASCII up to the first segment, the segment, and so on: every byte belongs to one of them.
    while from < bytes.len() {
        let Some(high) = ascii_words(bytes, from, sink) else {
            return;
        };
        let (start, end) = segment(bytes, from, high);
        cut(&text[start..end], sink);
        from = end;
    }
}

/// Words of the ASCII text from `from` on. Stops at the first byte that is not ASCII and
/// gives its place; a word that touches it is left to the segment.
fn ascii_words(bytes: &[u8], from: usize, sink: &mut impl WordSink) -> Option<usize> {
    let mut at = from;
    let mut start = from;
    // Whether a word is open at the border between two blocks.
    let mut carry = 0u64;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
        let (mut alnum, high) = masks(block);
        let limit = high.trailing_zeros();
        if high != 0 {
            // Only what lies before the segment counts: bits up to the last separator
            // before the first byte that is not ASCII.
            let before = !(u64::MAX << limit);
            let separators = !alnum & before;
            let keep = 64 - separators.leading_zeros();
            // No separator: the word that touches the segment began before this block, or the
            // segment begins at once. `segment` looks back for its start.
            if keep == 0 {
                return Some(at + limit as usize);
            }
            alnum &= u64::MAX >> (64 - keep);
        }
        // Bit `i` of `shifted` says whether the byte before `i` belongs to a word. So a word starts
        // where `alnum` is set and `shifted` is not, and ends (exclusive) the other way round.
        // Starts and ends alternate.
        let shifted = (alnum << 1) | carry;
        let mut starts = alnum & !shifted;
        let mut ends = !alnum & shifted;
        // Without an open word the first start of this block opens one. `trailing_zeros` of no
        // start is 64: a value that the loop below does not use, since there is no end then.
        if carry == 0 {
            start = at + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
        }
        // Each end closes the open word, and the next start opens one; `x & (x - 1)` drops the
        // lowest bit. One turn per word, none per byte.
        while ends != 0 {
            sink.ascii(bytes, start, at + ends.trailing_zeros() as usize);
            ends &= ends - 1;
            start = at + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
        }
        if high != 0 {
            return Some(at + limit as usize);
        }
        // The last byte belongs to a word, which may go on in the next block.
        carry = alnum >> 63;
        at += BLOCK;
    }
    if carry == 0 {
        start = at;
    }
    ascii_tail(bytes, start, at, sink)
}

/// The last bytes of a text, one by one. `start..at` is an open word.
fn ascii_tail(
    bytes: &[u8],
    mut start: usize,
    mut at: usize,
    sink: &mut impl WordSink,
) -> Option<usize> {
    while at < bytes.len() {
        let byte = bytes[at];
        if !byte.is_ascii() {
            return Some(at);
        }
        if !byte.is_ascii_alphanumeric() {
            if start < at {
                sink.ascii(bytes, start, at);
            }
            start = at + 1;
        }
        at += 1;
    }
    if start < at {
        sink.ascii(bytes, start, at);
    }
    None
}

/// Where the segment around the byte at `high` begins and ends.
fn segment(bytes: &[u8], from: usize, high: usize) -> (usize, usize) {
    let run = bytes[from..high].iter().rev();
    // Never before `from`: what lies there belongs to the segment before, which ended at a
    // separator.
    let letters = run.take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let mut start = high - letters;
    if start > from {
        start -= 1;
    }
    let separator = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    let rest = bytes[high..].iter().position(separator);
    (start, rest.map_or(bytes.len(), |len| high + len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::slow;
    use proptest::prelude::*;

    struct Collect(Vec<String>);

    impl WordSink for Collect {
        fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
            let word = std::str::from_utf8(&text[start..end]).unwrap();
            self.0.push(word.to_ascii_lowercase());
        }
        fn folded(&mut self, word: &str) {
            self.0.push(word.to_owned());
        }
    }

    fn fast(text: &str) -> Vec<String> {
        let mut collect = Collect(Vec::new());
        words(text, &Segmenter::default(), &mut collect);
        collect.0
    }

    #[test]
    fn words_across_block_borders_are_whole() {
        for lead in 0..140 {
            let text =
                format!("{}Hello wörld, again {}x", " ".repeat(lead), "y".repeat(90));
            assert_eq!(fast(&text), slow::words(&text), "lead {lead}");
            let text = format!("{}é x= \u{338}b =\u{338}c", "a1".repeat(lead));
            assert_eq!(fast(&text), slow::words(&text), "lead {lead}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_fast_path_gives_the_words_of_the_definition(
            text in "([a-zA-Z0-9 .,'_\\-]{0,90}|[éÜßǰıİσΣ中文かーก็\u{301}\u{338}\u{200d}²٣]{0,3}|=|\\PC{0,6}){0,12}"
        ) {
            prop_assert_eq!(fast(&text), slow::words(&text));
        }
    }
}
