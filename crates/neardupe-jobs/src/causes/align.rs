//! Which words two texts have in common, and whether in the same order.
//!
//! Runs of words that occur once in both texts are anchors; the longest run of anchors that
//! are in the same order in both (as in patience diff) is what was not moved, other
//! anchors were moved. From the anchors equal words are followed in both directions, and short
//! gaps are compared word by word. All of it takes little more than linear time, whatever the
//! texts, and no clock: the answer is always the same.

use neardupe_core::hash::{FixedMap, Multipliers};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Words of an anchor: fewer occur by chance.
const ANCHOR: usize = 4;
/// Gaps up to so many words are compared word by word.
const MAX_GAP: usize = 600;
/// Equal words in a gap that are more than chance.
const MIN_RUN: usize = 2;

/// What is the case with a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The other text has it at the same position.
    Common,
    /// The other text has it and the words around it elsewhere.
    Moved,
    /// The other text does not have it, or only by chance.
    Changed,
}

/// What is the case with each word of both texts, by the hashes of the words.
pub(super) fn align(left: &[u64], right: &[u64]) -> (Vec<Fate>, Vec<Fate>) {
    let mut both = Both {
        partner: vec![None; left.len()],
        taken: vec![false; right.len()],
        left,
        right,
    };
    // The order matters: ends are sure and cheap, anchors need words that are still open, and
    // both are extended before gaps are left.
    both.ends();
    let moved = both.anchors();
    both.extend();
    both.gaps();
    let fate = |is_common: bool| {
        if is_common {
            Fate::Common
        } else {
            Fate::Changed
        }
    };
    let mut lefts: Vec<Fate> = both.partner.iter().map(|it| fate(it.is_some())).collect();
    let mut rights: Vec<Fate> = both.taken.iter().map(|it| fate(*it)).collect();
    for (at, to) in moved {
        for (fates, from) in [(&mut lefts, at), (&mut rights, to)] {
            for word in &mut fates[from..from + ANCHOR] {
                if *word == Fate::Changed {
                    *word = Fate::Moved;
                }
            }
        }
    }
    (lefts, rights)
}

/// Both texts while words are joined. A word is joined once at most, on either side.
struct Both<'a> {
    left: &'a [u64],
    right: &'a [u64],
    /// For each word of the left text its position in the right one.
    partner: Vec<Option<usize>>,
    /// Whether a word of the right text is joined to one of the left.
    taken: Vec<bool>,
}

impl Both<'_> {
    /// Says that these two words are the same place of both texts.
    fn join(&mut self, left: usize, right: usize) {
        self.partner[left] = Some(right);
        self.taken[right] = true;
    }

    /// Equal beginnings and ends.
    fn ends(&mut self) {
        let most = self.left.len().min(self.right.len());
        let pairs = self.left.iter().zip(self.right);
        let start = pairs.take_while(|(one, two)| one == two).count();
        let pairs = self.left.iter().rev().zip(self.right.iter().rev());
        // Not beyond the equal beginning: a word must not be in both.
        let pairs = pairs.take(most - start);
        let end = pairs.take_while(|(one, two)| one == two).count();
        (0..start).for_each(|at| self.join(at, at));
        for back in 1..=end {
            self.join(self.left.len() - back, self.right.len() - back);
        }
    }

    /// Joins the anchors that are in order; gives the others.
    fn anchors(&mut self) -> Vec<(usize, usize)> {
        let lefts = once(self.left, |at| self.partner[at].is_none());
        let rights = once(self.right, |at| !self.taken[at]);
        // Only runs that occur once in each text: of others it is not known which belongs to
        // which.
        let mut anchors: Vec<(usize, usize)> = lefts
            .into_iter()
            .filter_map(|(shingle, at)| Some((at?, (*rights.get(&shingle)?)?)))
            .collect();
        // By place in the left text, so that only the right places must rise.
        anchors.sort_unstable();
        let mut in_order = longest_rising(&anchors).into_iter().peekable();
        let mut moved = Vec::new();
        let (mut left_end, mut right_end) = (0, 0);
        for (at, &(left, right)) in anchors.iter().enumerate() {
            if in_order.next_if_eq(&at).is_none() {
                moved.push((left, right));
                continue;
            }
            for word in 0..ANCHOR {
                let (one, two) = (left + word, right + word);
                // Anchors overlap, with themselves and with others of another offset.
                if one >= left_end && two >= right_end {
                    self.join(one, two);
                    (left_end, right_end) = (one + 1, two + 1);
                }
            }
        }
        moved
    }

    /// Follows equal words from where both texts agree, forwards and backwards.
    fn extend(&mut self) {
        for at in 1..self.left.len() {
            if let Some(before) = self.partner[at - 1] {
                self.try_join(at, before + 1);
            }
        }
        for at in (1..self.left.len()).rev() {
            if let Some(after) = self.partner[at].and_then(|it| it.checked_sub(1)) {
                self.try_join(at - 1, after);
            }
        }
    }

    /// Joins two words if they are equal and neither is joined yet.
    fn try_join(&mut self, left: usize, right: usize) {
        let is_open =
            self.partner[left].is_none() && self.taken.get(right) == Some(&false);
        if is_open && self.left[left] == self.right[right] {
            self.join(left, right);
        }
    }

    /// Compares what is left between places where both agree.
    fn gaps(&mut self) {
        let (mut left_from, mut right_from) = (0, 0);
        for at in 0..=self.left.len() {
            let partner = match self.partner.get(at) {
                Some(None) => continue,
                Some(Some(partner)) => *partner,
                None => self.right.len(),
                // Behind the last word: the end of both texts.
            };
            self.gap(left_from..at, right_from..partner);
            (left_from, right_from) = (at + 1, partner + 1);
        }
    }

    /// Compares a gap, if it is short enough on both sides. Myers' algorithm is quadratic in
    /// the worst case, so long gaps count as changed.
    fn gap(&mut self, left: std::ops::Range<usize>, right: std::ops::Range<usize>) {
        let fits = |len: usize| (MIN_RUN..=MAX_GAP).contains(&len);
        if !fits(left.len()) || !fits(right.len()) {
            return;
        }
        let (one, two) = (&self.left[left.clone()], &self.right[right.clone()]);
        for op in capture_diff_slices(Algorithm::Myers, one, two) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
                && len >= MIN_RUN
            {
                for word in 0..len {
                    self.join(
                        left.start + old_index + word,
                        right.start + new_index + word,
                    );
                }
            }
        }
    }
}

/// The anchors of a text that may be used, by hash: the position of those that occur once.
fn once(words: &[u64], is_open: impl Fn(usize) -> bool) -> FixedMap<u64, Option<usize>> {
    let hasher = Multipliers::new(0, ANCHOR);
    let mut positions: FixedMap<u64, Option<usize>> = FixedMap::default();
    for (at, shingle) in words.windows(ANCHOR).enumerate() {
        // A part of it that agrees already is fine: it may begin in an end.
        if (at..at + ANCHOR).all(&is_open) {
            positions
                .entry(hasher.shingle(shingle))
                .and_modify(|position| *position = None)
                .or_insert(Some(at));
        }
    }
    positions
}

/// The places of a longest run of pairs whose second parts rise; the first parts do already.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<usize> {
    // The last pair of the best run of each length, and who comes before each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, &(_, second)) in pairs.iter().enumerate() {
        // Binary search: the whole takes n log n.
        let len = ends.partition_point(|&end| pairs[end].1 < second);
        before.push(len.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(len) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut run: Vec<usize> =
        std::iter::successors(ends.last().copied(), |&at| before[at]).collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hashes(text: &str) -> Vec<u64> {
        let words = text.split_whitespace();
        words
            .map(|word| neardupe_core::hash::word(word.as_bytes()))
            .collect()
    }

    /// Each word's fate as a letter: `.` common, `m` moved, `x` changed.
    fn shown(left: &str, right: &str) -> (String, String) {
        let (left, right) = align(&hashes(left), &hashes(right));
        let show = |fates: Vec<Fate>| {
            let letters = fates.into_iter().map(|fate| match fate {
                Fate::Common => '.',
                Fate::Moved => 'm',
                Fate::Changed => 'x',
            });
            letters.collect::<String>()
        };
        (show(left), show(right))
    }

    #[test]
    fn words_that_changed_are_told() {
        let (left, right) = shown("a b c d e f g h", "a b c X e f g h i");
        assert_eq!((left.as_str(), right.as_str()), ("...x....", "...x....x"));
    }

    #[test]
    fn passages_that_moved_are_told() {
        let (left, right) = shown(
            "a b c d e f g h i j k l 1 2 3 4 5 6 z",
            "a 1 2 3 4 5 6 b c d e f g h i j k l z",
        );
        assert_eq!(left, "............mmmmmm.");
        assert_eq!(right, ".mmmmmm............");
    }

    #[test]
    fn repeated_words_do_not_confuse() {
        let (left, right) = shown("a a a a a a a b", "a a a a a b");
        assert_eq!(right, "......");
        assert_eq!(left.matches('.').count(), 6);
        assert_eq!(shown("", "a"), (String::new(), "x".to_owned()));
    }

    proptest! {
        /// As many common words on both sides, in the same order, and those are equal; a text
        /// with itself has nothing else.
        #[test]
        fn common_words_agree(
            left in prop::collection::vec(0u64..12, 0..60),
            right in prop::collection::vec(0u64..12, 0..60),
        ) {
            let (lefts, rights) = align(&left, &right);
            let common = |words: &[u64], fates: &[Fate]| -> Vec<u64> {
                let both = words.iter().zip(fates);
                let both = both.filter(|(_, fate)| **fate == Fate::Common);
                both.map(|(word, _)| *word).collect()
            };
            prop_assert_eq!(common(&left, &lefts), common(&right, &rights));
            let (all, _) = align(&left, &left);
            prop_assert!(all.iter().all(|fate| *fate == Fate::Common));
        }
    }
}
