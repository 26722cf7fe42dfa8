//! What is counted of pairs: for each trial, each pair of groups and each threshold at once.
//!
//! A value is kept as the number of thresholds that it reaches. A pair is right at a threshold
//! when both the exact and the sampled value reach it, so the smaller of the two numbers says at
//! which it is right, the larger one at which it is in either answer. Sums are of whole numbers,
//! millionths as tables have them, so that no order of work changes them.

use super::groups::GroupPair;
use crate::threshold::Threshold;
use std::sync::atomic::{AtomicU8, Ordering};

/// Thresholds of a study at most: how many a value reaches is kept in one byte for each set and
/// trial.
pub(super) const MAX_THRESHOLDS: usize = 255;

/// Thresholds in order.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    /// As numbers: a ratio of whole numbers reaches one exactly when the quotient does, since both
    /// are rounded alike.
    steps: Vec<f64>,
}

impl Steps {
    pub(super) fn new(thresholds: &[Threshold]) -> Self {
        let number = |threshold: &Threshold| threshold.ratio().value();
        Steps {
            steps: thresholds.iter().map(number).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// How many thresholds a value reaches.
    #[inline]
    pub(super) fn reached(&self, value: f64) -> usize {
        self.steps
            .iter()
            .map(|&step| usize::from(value >= step))
            .sum()
    }
}

/// Trials of all ratios: of ratio 1 one, of 1/2 two, and so on, numbered one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// One in so many features is kept: a power of two.
    pub divisor: u32,
    /// Those whose hash leaves this remainder.
    pub remainder: u32,
}

impl Trial {
    /// Number of trials of all ratios down to this.
    pub fn count(max_divisor: u32) -> usize {
        2 * max_divisor as usize - 1
    }

    /// Its number.
    pub fn number(self) -> usize {
        (self.divisor - 1 + self.remainder) as usize
    }

    /// All trials, in the order of their numbers.
    pub fn all(max_divisor: u32) -> impl Iterator<Item = Trial> {
        let divisors = (0..=max_divisor.trailing_zeros()).map(|power| 1 << power);
        divisors.flat_map(|divisor| {
            (0..divisor).map(move |remainder| Trial { divisor, remainder })
        })
    }
}

/// Pairs of one trial, one pair of groups, whose numbers of thresholds are the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PairSums {
    /// Pairs of which the sampled value reaches so many thresholds.
    pub(super) sampled: u64,
    /// Pairs of which both values do.
    pub(super) both: u64,
    /// Pairs of which either value does, and sums over these, in millionths.
    pub(super) either: u64,
    pub(super) error: u64,
    pub(super) exact_sum: u64,
    pub(super) sampled_sum: u64,
    pub(super) exact_squares: u128,
    pub(super) sampled_squares: u128,
    pub(super) products: u128,
}

impl PairSums {
    pub(super) fn add(&mut self, other: &PairSums) {
        self.sampled += other.sampled;
        self.both += other.both;
        self.either += other.either;
        self.error += other.error;
        self.exact_sum += other.exact_sum;
        self.sampled_sum += other.sampled_sum;
        self.exact_squares += other.exact_squares;
        self.sampled_squares += other.sampled_squares;
        self.products += other.products;
    }
}

/// All that is counted of pairs.
#[derive(Debug, Clone)]
pub(super) struct StudyTally {
    num_groups: usize,
    num_steps: usize,
    /// By trial, pair of groups, number of thresholds.
    counted: Vec<PairSums>,
    /// The same without features of more documents than a limit: by limit and number of thresholds.
    uncommon: Vec<PairSums>,
}

/// A value in millionths.
fn millionths(value: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 1"
    )]
    let rounded = (value * 1e6 + 0.5) as u64;
    rounded
}

impl StudyTally {
    pub(super) fn new(
        num_trials: usize,
        num_groups: usize,
        num_steps: usize,
        num_limits: usize,
    ) -> Self {
        let slots = num_trials * GroupPair::count(num_groups) * (num_steps + 1);
        StudyTally {
            num_groups,
            num_steps,
            counted: vec![PairSums::default(); slots],
            uncommon: vec![PairSums::default(); num_limits * (num_steps + 1)],
        }
    }

    /// Where the slots of a trial and a pair of groups begin.
    fn place(&self, trial: usize, groups: GroupPair) -> usize {
        let of_trial = trial * GroupPair::count(self.num_groups);
        (of_trial + groups.number()) * (self.num_steps + 1)
    }

    /// Adds a pair with its exact and its sampled value, as often as it stands for pairs of
    /// documents. Each value comes with the number of thresholds that it reaches.
    #[inline]
    pub(super) fn pair(
        &mut self,
        trial: usize,
        groups: GroupPair,
        weight: u64,
        exact: (f64, usize),
        sampled: (f64, usize),
    ) {
        let place = self.place(trial, groups);
        let slots = &mut self.counted[place..=place + self.num_steps];
        add_pair(slots, weight, exact, sampled);
    }

    /// Adds a pair with its value without features of more documents than a limit.
    #[inline]
    pub(super) fn uncommon(
        &mut self,
        limit: usize,
        weight: u64,
        exact: (f64, usize),
        left: (f64, usize),
    ) {
        let place = limit * (self.num_steps + 1);
        let slots = &mut self.uncommon[place..=place + self.num_steps];
        add_pair(slots, weight, exact, left);
    }

    /// Adds what another thread counted.
    pub(super) fn add(&mut self, other: &StudyTally) {
        let pairs = self.counted.iter_mut().zip(&other.counted);
        pairs.for_each(|(one, other)| one.add(other));
        let pairs = self.uncommon.iter_mut().zip(&other.uncommon);
        pairs.for_each(|(one, other)| one.add(other));
    }

    /// What was counted of the pairs that reach the threshold of a number.
    pub(super) fn at(&self, trial: usize, groups: GroupPair, step: usize) -> PairSums {
        let place = self.place(trial, groups);
        sum(&self.counted[place + step + 1..=place + self.num_steps])
    }

    /// The same below a limit of documents, over all groups.
    pub(super) fn uncommon_at(&self, limit: usize, step: usize) -> PairSums {
        let place = limit * (self.num_steps + 1);
        sum(&self.uncommon[place + step + 1..=place + self.num_steps])
    }
}

/// Adds a pair to the slots of what it reaches.
#[inline]
fn add_pair(
    slots: &mut [PairSums],
    weight: u64,
    exact: (f64, usize),
    sampled: (f64, usize),
) {
    // Into the slot of what is reached, not into all below: `sum` adds up from a threshold on when a
    // table is made. So a pair costs three slots, however many thresholds there are.
    slots[sampled.1].sampled += weight;
    slots[sampled.1.min(exact.1)].both += weight;
    let either = &mut slots[sampled.1.max(exact.1)];
    // In whole numbers, so that the order in which threads add does not change a digit.
    let (exact, sampled) = (millionths(exact.0), millionths(sampled.0));
    let wide = |number: u64| u128::from(number * weight);
    either.either += weight;
    either.error += exact.abs_diff(sampled) * weight;
    either.exact_sum += exact * weight;
    either.sampled_sum += sampled * weight;
    either.exact_squares += wide(exact) * u128::from(exact);
    either.sampled_squares += wide(sampled) * u128::from(sampled);
    either.products += wide(exact) * u128::from(sampled);
}

fn sum(counted: &[PairSums]) -> PairSums {
    let mut sum = PairSums::default();
    counted.iter().for_each(|one| sum.add(one));
    sum
}

/// The most thresholds that any pair of a set reaches, for each trial: what is counted of
/// documents.
#[derive(Debug)]
pub(super) struct Best {
    num_sets: usize,
    reached: Vec<AtomicU8>,
}

impl Best {
    pub(super) fn new(num_trials: usize, num_sets: usize) -> Self {
        let mut reached = Vec::new();
        reached.resize_with(num_trials * num_sets, AtomicU8::default);
        Best { num_sets, reached }
    }

    #[inline]
    /// A set is in a pair that reaches so many thresholds.
    pub(super) fn see(&self, trial: usize, set: usize, reached: usize) {
        // Read before it is changed: nearly every pair is no better than one seen before, and a write
        // would take the cache line from other threads.
        let best = &self.reached[trial * self.num_sets + set];
        // At most as many as thresholds, and `check` refuses more than 255.
        debug_assert!(reached <= MAX_THRESHOLDS);
        let reached = u8::try_from(reached).unwrap_or(u8::MAX);
        if best.load(Ordering::Relaxed) < reached {
            best.fetch_max(reached, Ordering::Relaxed);
        }
    }

    /// The most thresholds that any of its pairs reaches.
    pub(super) fn of(&self, trial: usize, set: usize) -> usize {
        let best = &self.reached[trial * self.num_sets + set];
        usize::from(best.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_numbered_one_after_the_other() {
        let numbers: Vec<usize> = Trial::all(16).map(Trial::number).collect();
        assert_eq!(numbers, (0..Trial::count(16)).collect::<Vec<_>>());
    }

    #[test]
    fn a_quotient_reaches_what_the_ratio_reaches() {
        let thresholds: Vec<Threshold> = (1..=100)
            .map(|part| Threshold::new(part, 100).unwrap())
            .collect();
        let steps = Steps::new(&thresholds);
        for union in 1..400u32 {
            for overlap in 0..=union {
                let exact = thresholds.iter();
                let exact = exact.filter(|one| one.is_reached(overlap, union)).count();
                let value = f64::from(overlap) / f64::from(union);
                assert_eq!(steps.reached(value), exact, "{overlap}/{union}");
            }
        }
    }
}
