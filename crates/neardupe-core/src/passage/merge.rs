//! From stretches that two texts have in common to passages.
//!
//! Stretches that lie near each other in both texts are one passage, in whatever order they
//! come: sentences of a copied paragraph may have changed places. A passage has words enough
//! on both sides, and the words of its sides resemble each other.
//!
//! [`passages_of`] is called for each pair of texts that share enough seeds, by the search of
//! `pipeline/passages`. Ties are settled by the left text, so a pair must always come with the same
//! text on the left: the search takes the one of the smaller rank.

use super::cut::{ALONE_WEIGHT, WORD_WEIGHT, weight};
use super::extend::{Fragment, Reach, extend};
use super::reused_map::ReusedMap;
use super::seeds::{FEWEST_SEEDS, LONG_RUN, RUN, words_for};
use crate::numbers::{of_len, saturated};
use crate::threshold::Threshold;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The limits that make a common stretch a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassageRule {
    /// Words that a side has at least; of scripts without spaces five count as three.
    pub min_words: u32,
    /// The smallest resemblance of the words of both sides.
    pub tau: Threshold,
    /// The gaps that a passage may have.
    pub reach: Reach,
}

impl Default for PassageRule {
    fn default() -> Self {
        PassageRule {
            min_words: 20,
            tau: Threshold::new(2, 5).expect("2/5 is a fraction"),
            reach: Reach::default(),
        }
    }
}

/// The shortest copies that are surely found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurelyFound {
    /// Words in a row.
    pub words: u32,
    /// Words in a row where some or all are of scripts without spaces, so that each is a character.
    pub characters: u32,
}

impl PassageRule {
    /// The least weight of a side, in tenths of words.
    fn min_weight(&self) -> u64 {
        u64::from(self.min_words) * WORD_WEIGHT
    }

    /// How many words in a row must be copied unchanged for the copy to be found whatever is around
    /// it. It holds if no run of the words is in too many documents or too often in one document,
    /// and for copies that have no other common words within reach: with those they would be one
    /// passage, and its resemblance decides.
    pub fn surely_found(&self) -> SurelyFound {
        let seeds = |run| of_len(words_for(FEWEST_SEEDS, run));
        // Only printed. A rule that asks for more than the largest number finds nothing.
        let characters = saturated(self.min_weight().div_ceil(ALONE_WEIGHT));
        SurelyFound {
            words: self.min_words.max(seeds(RUN)),
            characters: characters.max(seeds(LONG_RUN)),
        }
    }
}

/// A passage in words: where it is, and how similar its sides are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aligned {
    /// Where it is in the left text.
    pub left: Range<usize>,
    /// Where it is in the right text.
    pub right: Range<usize>,
    /// Different words that both sides have.
    pub common: u32,
    /// Different words that either side has.
    pub union: u32,
}

/// Pairs of stretches that are compared for each one: texts that repeat themselves could have
/// very many.
const NEIGHBORS: usize = 64;

/// A stretch in which two texts share one seed after the other: where it begins in both, and
/// how many words it surely has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeedChain {
    /// Where it begins in the left text.
    pub left: u32,
    /// Where it begins in the right text.
    pub right: u32,
    /// Words that agree from there on, at least.
    pub len: u32,
}

/// The passages that two texts have in common, by their places in the left text. `seeds` come by
/// their places in the left text. `scratch` must know when another left text comes
/// ([`Scratch::begin_left`]).
pub fn passages_of(
    left: &[u32],
    right: &[u32],
    seeds: &[SeedChain],
    rule: &PassageRule,
    scratch: &mut Scratch,
) -> Vec<Aligned> {
    let mut fragments: Vec<Fragment> = Vec::new();
    for chain in seeds {
        let (start, other) = (chain.left as usize, chain.right as usize);
        let mut at = 0;
        // A chain says that words agree, so the extension from its beginning usually covers
        // all of it. It does not where a word repeats nearby and the extension went along
        // another line: then the rest of the chain is extended too.
        while at < chain.len as usize {
            // The last ones are those near by: seeds come in order.
            let mut recent = fragments.iter().rev().take(NEIGHBORS);
            let covering = recent.find(|one| one.covers(start + at, other + at));
            // Each branch goes on by one word at least: `covers` means that both ends
            // lie beyond the place, and an extension begins with the word in common at
            // the place.
            at = match covering {
                Some(one) => (one.left.end - start).min(one.right.end - other),
                // Words of a seed agree, up to chance.
                None if left[start + at] != right[other + at] => at + 1,
                None => {
                    let (left_at, right_at) = (start + at, other + at);
                    let found = extend(left, right, left_at, right_at, rule.reach);
                    let end = found.left.end - start;
                    fragments.push(found);
                    end
                }
            };
        }
    }
    let boxes = put_together(fragments, rule.reach);
    let min_weight = rule.min_weight();
    // The cheap test first: most pairs of texts share a phrase and nothing else.
    let mut passages: Vec<Aligned> = boxes
        .into_iter()
        .filter(|(in_left, in_right)| {
            let weights =
                weight(&left[in_left.clone()]).min(weight(&right[in_right.clone()]));
            weights >= min_weight
        })
        .map(|(in_left, in_right)| {
            let (common, union) =
                scratch.resemblance_of(left, &in_left, &right[in_right.clone()]);
            Aligned {
                left: in_left,
                right: in_right,
                common,
                union,
            }
        })
        .filter(|one| rule.tau.is_reached(one.common, one.union))
        .collect();
    // Boxes differ in at least one of these, so the order does not depend on the sort.
    passages.sort_unstable_by_key(|one| {
        let (left, right) = (&one.left, &one.right);
        (left.start, left.end, right.start, right.end)
    });
    passages
}

/// A stretch on each side.
type Sides = (Range<usize>, Range<usize>);

/// Puts stretches together that belong together, until no two are left that do.
/// Each round costs at most [`NEIGHBORS`] comparisons per box and makes at least one box fewer, or
/// is the last.
fn put_together(fragments: Vec<Fragment>, reach: Reach) -> Vec<Sides> {
    let mut boxes: Vec<Sides> = fragments
        .into_iter()
        .map(|fragment| (fragment.left, fragment.right))
        .collect();
    // A box that has grown may reach one that it did not reach before, so rounds are repeated until
    // nothing changes. Sorted anew each time, since a box that has grown may begin earlier.
    loop {
        boxes.sort_unstable_by_key(|(left, right)| (left.start, right.start, left.end));
        let before = boxes.len();
        let mut merged: Vec<Sides> = Vec::with_capacity(before);
        for one in boxes {
            // Boxes that end before are looked at too: they need not be in order of their ends.
            let recent = merged.iter_mut().rev().take(NEIGHBORS);
            let near = recent.into_iter().find(|other| belong(&one, other, reach));
            match near {
                Some(other) => {
                    other.0 = hull(&one.0, &other.0);
                    other.1 = hull(&one.1, &other.1);
                }
                None => merged.push(one),
            }
        }
        boxes = merged;
        if boxes.len() == before {
            return boxes;
        }
    }
}

/// Whether two stretches are one: they lie near each other on both sides, and what they make
/// together is about as long on both. Where a text repeats itself, it is not.
fn belong(one: &Sides, other: &Sides, reach: Reach) -> bool {
    let left = hull(&one.0, &other.0).len();
    let right = hull(&one.1, &other.1).len();
    // The last condition keeps apart what repeats: a phrase that one text has once and the other
    // again and again, each near the last, would make a box of a few words against a long stretch.
    is_near(&one.0, &other.0, reach.max_gap)
        && is_near(&one.1, &other.1, reach.max_gap)
        && left.abs_diff(right) <= reach.max_drift.max(left.min(right) / 2)
}

/// Whether at most `gap` words lie between two ranges. Ranges that overlap are near.
fn is_near(one: &Range<usize>, other: &Range<usize>, gap: usize) -> bool {
    one.start <= other.end + gap && other.start <= one.end + gap
}

/// The smallest range with both.
fn hull(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    one.start.min(other.start)..one.end.max(other.end)
}

/// Buffers to compute with, one per thread. No result depends on what is remembered.
#[derive(Debug, Default)]
pub struct Scratch {
    words: ReusedMap,
    /// Stretches of the left text whose different words were counted: a header, a footer or a whole
    /// page that many others have too.
    counted: [Option<(Range<usize>, u32)>; COUNTED],
    next: usize,
}

/// Stretches that are remembered.
const COUNTED: usize = 4;

/// Where a word was met: the left text is gone through first.
const IN_LEFT: u32 = 0;
const IN_BOTH: u32 = 1;
const IN_RIGHT: u32 = 2;

impl Scratch {
    /// Another left text comes.
    pub fn begin_left(&mut self) {
        self.counted = Default::default();
    }

    /// The resemblance of a stretch of the left text and one of the right text, remembered for
    /// stretches that are the same in both.
    fn resemblance_of(
        &mut self,
        left: &[u32],
        in_left: &Range<usize>,
        right: &[u32],
    ) -> (u32, u32) {
        // Exact copies only: then common and union are both the number of different words,
        // and depend on the left stretch alone. A site's footer is compared with the same
        // footer of many texts in a row.
        let stretch = &left[in_left.clone()];
        if stretch != right {
            return self.resemblance(stretch, right);
        }
        let mut counted = self.counted.iter().flatten();
        if let Some(&(_, different)) = counted.find(|(range, _)| range == in_left) {
            return (different, different);
        }
        let (common, union) = self.resemblance(stretch, right);
        // The oldest one is replaced.
        self.counted[self.next % COUNTED] = Some((in_left.clone(), union));
        self.next = (self.next + 1) % COUNTED;
        (common, union)
    }

    /// Different words in common, and different words in all: their quotient is the resemblance.
    /// Linear in the words of both.
    pub fn resemblance(&mut self, left: &[u32], right: &[u32]) -> (u32, u32) {
        // Comparing costs far less than hashing every word once more.
        let is_same = left == right;
        let right = if is_same { &[] } else { right };
        self.words.begin(left.len() + right.len());
        for &word in left {
            let _ = self.words.get_or_insert(word, IN_LEFT);
        }
        let of_left = self.words.len();
        let mut common = if is_same { of_left } else { 0 };
        for &word in right {
            if let Some(met) = self.words.get_or_insert(word, IN_RIGHT)
                && *met == IN_LEFT
            {
                // Counted at its first occurrence on the right only.
                *met = IN_BOTH;
                common += 1;
            }
        }
        // Words of two stretches of texts, each of less than 4 GiB.
        (of_len(common), of_len(self.words.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(min_words: u32) -> PassageRule {
        PassageRule {
            min_words,
            ..PassageRule::default()
        }
    }

    /// All places where both have the same `run` words.
    fn all_seeds(left: &[u32], right: &[u32], run: usize) -> Vec<SeedChain> {
        let mut seeds = Vec::new();
        let len = u32::try_from(run).unwrap();
        for (left, one) in (0u32..).zip(left.windows(run)) {
            for (right, other) in (0u32..).zip(right.windows(run)) {
                if one == other {
                    seeds.push(SeedChain { left, right, len });
                }
            }
        }
        seeds
    }

    #[test]
    fn sentences_that_changed_places_are_one_passage() {
        let sentence =
            |number: u32| (number * 100..number * 100 + 12).collect::<Vec<_>>();
        let alien =
            |number: u32| (0..50).map(|at| number * 2000 + at * 2).collect::<Vec<_>>();
        let left = [alien(5), sentence(1), sentence(2), sentence(3), alien(6)].concat();
        let right = [alien(7), sentence(3), sentence(1), sentence(2), alien(8)].concat();
        let seeds = all_seeds(&left, &right, 8);
        let found =
            passages_of(&left, &right, &seeds, &rule(20), &mut Scratch::default());
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].left, &found[0].right), (&(50..86), &(50..86)));
        assert_eq!((found[0].common, found[0].union), (36, 36));
        // Nothing is left when a passage must be longer.
        let found =
            passages_of(&left, &right, &seeds, &rule(37), &mut Scratch::default());
        assert!(found.is_empty());
    }

    #[test]
    fn a_stretch_that_occurs_twice_is_two_passages() {
        let copied: Vec<u32> = (0..30).map(|at| at * 2).collect();
        let alien =
            |number: u32| (0..99).map(|at| number * 2000 + at * 2).collect::<Vec<_>>();
        let left = [alien(1), copied.clone()].concat();
        let right = [copied.clone(), alien(2), copied].concat();
        let seeds = all_seeds(&left, &right, 8);
        let found =
            passages_of(&left, &right, &seeds, &rule(20), &mut Scratch::default());
        let right: Vec<_> = found.iter().map(|one| one.right.clone()).collect();
        assert_eq!(right, [0..30, 129..159]);
    }

    proptest! {
        #[test]
        fn resemblance_is_that_of_sets(
            left in prop::collection::vec(0u32..20, 0..40),
            right in prop::collection::vec(0u32..20, 0..40),
        ) {
            use std::collections::BTreeSet;
            let sets = [&left, &right]
                .map(|words| words.iter().copied().collect::<BTreeSet<u32>>());
            let common = sets[0].intersection(&sets[1]).count();
            let union = sets[0].union(&sets[1]).count();
            let found = Scratch::default().resemblance(&left, &right);
            prop_assert_eq!((found.0 as usize, found.1 as usize), (common, union));
        }

        /// With what is remembered of the left text, and without.
        #[test]
        fn what_is_remembered_is_what_would_be_counted(
            left in prop::collection::vec(0u32..6, 1..60),
            stretches in prop::collection::vec((0usize..60, 0usize..60, any::<bool>()), 1..20),
        ) {
            let mut scratch = Scratch::default();
            scratch.begin_left();
            for (one, other, is_same) in stretches {
                let (start, end) = (one.min(other).min(left.len()), one.max(other).min(left.len()));
                let mut right = left[start..end].to_vec();
                if !is_same {
                    right.push(9);
                }
                let expected = Scratch::default().resemblance(&left[start..end], &right);
                let found = scratch.resemblance_of(&left, &(start..end), &right);
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn passages_lie_apart_and_obey_the_rule(
            left in prop::collection::vec(0u32..5, 1..80),
            right in prop::collection::vec(0u32..5, 1..80),
            min_words in 1u32..9,
        ) {
            let seeds = all_seeds(&left, &right, 4);
            let rule = PassageRule {
                reach: Reach { max_gap: 3, max_drift: 5 },
                ..rule(min_words)
            };
            let found = passages_of(&left, &right, &seeds, &rule, &mut Scratch::default());
            for one in &found {
                prop_assert!(one.left.end <= left.len() && one.right.end <= right.len());
                prop_assert!(weight(&left[one.left.clone()]) >= u64::from(min_words) * 10);
                prop_assert!(one.common * 5 >= one.union * 2);
            }
            for (at, one) in found.iter().enumerate() {
                for other in &found[at + 1..] {
                    let sides = |one: &Aligned| (one.left.clone(), one.right.clone());
                    prop_assert!(!belong(&sides(one), &sides(other), rule.reach));
                }
            }
        }
    }
}
