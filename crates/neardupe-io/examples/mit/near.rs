//! What lies near each story by its code, and how much of that is similar.

use super::stories::{Story, overlap_and_union};
use super::variants::NUM_DISTANCES;
use neardupe_core::candidate::hamming::pairs_within;
use neardupe_core::hash;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Pairs of which the exact resemblance is computed; of more a sample.
const MAX_MEASURED: u64 = 200_000;
/// The largest distance.
const FARTHEST: u32 = 3;

/// Stories with the same code, and which codes are near.
pub(crate) struct Near {
    num_stories: usize,
    groups: Vec<Vec<u32>>,
    /// Two groups and the distance of their codes.
    links: Vec<(u32, u32, u32)>,
}

/// What is near at one distance.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Measured {
    /// Pairs of stories.
    pub(crate) pairs: u64,
    /// Pairs whose resemblance was computed.
    pub(crate) measured: u64,
    /// Of these, pairs with a resemblance of at least 0.5.
    pub(crate) similar: u64,
    /// Of these, pairs with a resemblance of at least 0.2.
    pub(crate) alike: u64,
    /// Of these, pairs with a resemblance below 0.2.
    pub(crate) unlike: Unlike,
    /// Of these, pairs with the same body.
    pub(crate) equal: u64,
    /// Stories with another one near.
    pub(crate) with_neighbor: u64,
    /// How many stories have a cluster of each size: the story and all near it.
    pub(crate) sizes: BTreeMap<u64, u64>,
}

/// Pairs that have a resemblance below 0.2, and what may be the reason that they are near.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Unlike {
    pub(crate) pairs: u64,
    /// Both are on earnings.
    pub(crate) earnings: u64,
    /// Both have fewer than [`FEW_WORDS`].
    pub(crate) short: u64,
}

/// Words of a short story.
pub(crate) const FEW_WORDS: usize = 100;

impl Near {
    pub(crate) fn new(codes: &[Option<u64>]) -> Self {
        let mut by_code: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (code, story) in codes.iter().zip(0u32..) {
            if let Some(code) = code {
                by_code.entry(*code).or_default().push(story);
            }
        }
        let (codes_once, groups): (Vec<u64>, Vec<Vec<u32>>) = by_code.into_iter().unzip();
        let links = Mutex::new(Vec::new());
        pairs_within(&codes_once, FARTHEST, |left, right| {
            let apart = codes_once[left as usize] ^ codes_once[right as usize];
            let link = (left, right, apart.count_ones());
            links.lock().unwrap().push(link);
        });
        Near {
            num_stories: codes.len(),
            groups,
            links: links.into_inner().unwrap(),
        }
    }

    /// Calls `visit` with each pair of stories at most 3 bits apart, and their distance.
    fn for_each_pair(&self, mut visit: impl FnMut(u32, u32, u32)) {
        for group in &self.groups {
            for (at, &right) in group.iter().enumerate() {
                group[..at].iter().for_each(|&left| visit(left, right, 0));
            }
        }
        for &(left, right, distance) in &self.links {
            for &one in &self.groups[left as usize] {
                for &other in &self.groups[right as usize] {
                    visit(one.min(other), one.max(other), distance);
                }
            }
        }
    }

    /// Measures at each distance.
    pub(crate) fn measure(&self, stories: &[Story]) -> [Measured; NUM_DISTANCES] {
        let mut all: [Measured; NUM_DISTANCES] = Default::default();
        for (distance, measured) in (0u32..).zip(&mut all) {
            self.count(distance, measured);
        }
        // A pair is in the sample when its hash is below the share of pairs that are.
        let shares = [0, 1, 2, 3].map(|at: usize| match all[at].pairs {
            pairs if pairs <= MAX_MEASURED => u64::MAX,
            pairs => u64::MAX / pairs * MAX_MEASURED,
        });
        self.for_each_pair(|left, right, distance| {
            let hash = hash::mix(u64::from(left) << 32 | u64::from(right));
            let distances = distance as usize..NUM_DISTANCES;
            if distances.clone().all(|at| hash > shares[at]) {
                return;
            }
            let (left, right) = (&stories[left as usize], &stories[right as usize]);
            let (overlap, union) = overlap_and_union(left, right);
            for at in distances.filter(|&at| hash <= shares[at]) {
                let measured = &mut all[at];
                measured.measured += 1;
                // Of two without a word nothing can be said.
                let some = overlap > 0;
                measured.similar += u64::from(some && overlap * 2 >= union);
                let alike = some && overlap * 5 >= union;
                measured.alike += u64::from(alike);
                if !alike {
                    let both = [left, right];
                    let short = |story: &&Story| story.num_words < FEW_WORDS;
                    let earnings = both.iter().all(|story| story.is_on_earnings());
                    measured.unlike.pairs += 1;
                    measured.unlike.earnings += u64::from(earnings);
                    measured.unlike.short += u64::from(both.iter().all(short));
                }
                measured.equal += u64::from(left.body_hash == right.body_hash);
            }
        });
        all
    }

    fn count(&self, distance: u32, measured: &mut Measured) {
        let len = |group: u32| self.groups[group as usize].len() as u64;
        let mut sizes: Vec<u64> =
            (0u32..).zip(&self.groups).map(|(at, _)| len(at)).collect();
        for &(left, right, apart) in &self.links {
            if apart <= distance {
                sizes[left as usize] += len(right);
                sizes[right as usize] += len(left);
            }
        }
        let mut neighbors = 0;
        for (group, size) in self.groups.iter().zip(sizes) {
            let members = group.len() as u64;
            *measured.sizes.entry(size).or_default() += members;
            neighbors += members * (size - 1);
            measured.with_neighbor += if size > 1 { members } else { 0 };
        }
        let coded: usize = self.groups.iter().map(Vec::len).sum();
        let without_code = (self.num_stories - coded) as u64;
        if without_code > 0 {
            *measured.sizes.entry(1).or_default() += without_code;
        }
        measured.pairs = neighbors / 2;
    }
}

/// How many of the given pairs are near at each distance.
pub(crate) fn found(codes: &[Option<u64>], pairs: &[(u32, u32)]) -> [u64; NUM_DISTANCES] {
    let mut found = [0; NUM_DISTANCES];
    for &(left, right) in pairs {
        let codes = codes[left as usize].zip(codes[right as usize]);
        let apart = codes.map_or(u32::MAX, |(left, right)| (left ^ right).count_ones());
        for (distance, found) in (0u32..).zip(&mut found) {
            *found += u64::from(apart <= distance);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(number: u64) -> Story {
        // Neighbours of neighbours have shingles in common.
        let topics = number.is_multiple_of(2).then(|| "acq;earn".to_owned());
        Story {
            number: 0,
            id: number.to_string(),
            body: String::new(),
            metadata: vec![None, topics],
            num_words: if number % 7 < 5 { 99 } else { 100 },
            shingles: (number / 3 * 10..number / 3 * 10 + 12).collect(),
            body_hash: u128::from(number / 2),
        }
    }

    #[test]
    fn what_is_measured_is_what_brute_force_measures() {
        let stories: Vec<Story> = (0..60).map(story).collect();
        // Few different bits, so that many are near and some are the same.
        let codes: Vec<Option<u64>> = (0..60u64)
            .map(|number| {
                (number != 7).then(|| hash::mix(number / 4) & 0x0301_0040_0008_1001)
            })
            .collect();
        let measured = Near::new(&codes).measure(&stories);
        for (distance, measured) in (0u32..).zip(&measured) {
            let near = |left: usize, right: usize| {
                let both = codes[left].zip(codes[right]);
                both.is_some_and(|(left, right)| (left ^ right).count_ones() <= distance)
            };
            let mut expected = Measured::default();
            for left in 0..60 {
                let size = (0..60).filter(|&right| right == left || near(left, right));
                let size = size.count() as u64;
                *expected.sizes.entry(size).or_default() += 1;
                expected.with_neighbor += u64::from(size > 1);
                for right in (left + 1..60).filter(|&right| near(left, right)) {
                    let (one, other) = (&stories[left], &stories[right]);
                    let common = one
                        .shingles
                        .iter()
                        .filter(|one| other.shingles.contains(one));
                    let overlap = common.count();
                    let union = 24 - overlap;
                    expected.pairs += 1;
                    expected.measured += 1;
                    expected.similar += u64::from(overlap * 2 >= union);
                    if overlap * 5 >= union {
                        expected.alike += 1;
                    } else {
                        let even = left % 2 == 0 && right % 2 == 0;
                        let short = left % 7 < 5 && right % 7 < 5;
                        expected.unlike.pairs += 1;
                        expected.unlike.earnings += u64::from(even);
                        expected.unlike.short += u64::from(short);
                    }
                    expected.equal += u64::from(one.body_hash == other.body_hash);
                }
            }
            assert!(expected.similar > 0 && expected.similar < expected.pairs);
            assert_eq!(*measured, expected, "distance {distance}");
        }
    }

    #[test]
    fn given_pairs_are_found_by_their_codes() {
        let codes = [Some(0), Some(0b1), Some(0b110), None, Some(u64::MAX)];
        let pairs = [(0, 1), (0, 2), (1, 2), (0, 3), (0, 4)];
        assert_eq!(found(&codes, &pairs), [0, 1, 2, 3]);
    }
}
