//! The fewest features that keep the precision asked for: each size group with a ratio of its
//! own, large documents with a small one (Ye and others, section 6).
//!
//! A group takes the smallest ratio whose precision, the mean of all trials, meets the target with
//! room for chance: one standard error of as many pairs as a trial finds. A group with too few
//! pairs for an estimate takes the ratio of the next group of smaller documents that has enough,
//! since precision rises with size. A group that no ratio satisfies keeps everything. Two documents
//! of different groups are compared at the smaller ratio of the two.

use super::groups::{GroupPair, range_name};
use super::result::{PairFigures, SamplingResult};
use super::tally::Trial;
use crate::threshold::Threshold;
use std::ops::Range;

/// Pairs that a group must have for its precision to mean anything.
pub const FEWEST_PAIRS: u64 = 30;

/// A plan, and what was measured of it.
#[derive(Debug, Clone)]
pub struct AdaptivePlan {
    /// The precision asked for.
    pub target: f64,
    /// At this threshold.
    pub threshold: Threshold,
    /// One for each group.
    pub groups: Vec<PlannedGroup>,
    /// Pairs of different groups.
    pub across: PlannedPairs,
    /// All pairs.
    pub all: PlannedPairs,
    /// Share of the features that is kept.
    pub kept_share: f64,
    /// The same for the smallest ratio that would do for all groups.
    pub single_share: f64,
    /// That ratio: one in so many.
    pub single_divisor: u32,
}

/// What a group keeps.
#[derive(Debug, Clone)]
pub struct PlannedGroup {
    /// Numbers of words of its documents; the last group has no end.
    pub words: Range<u32>,
    /// One in so many features is kept.
    pub divisor: u32,
    /// Whether the group has enough pairs for an estimate.
    pub is_measured: bool,
    /// Its documents.
    pub documents: u64,
    /// Its features.
    pub features: u64,
    /// Its pairs.
    pub pairs: PlannedPairs,
}

impl PlannedGroup {
    /// Its numbers of words: `500-1000`, `9000-`.
    pub fn name(&self) -> String {
        range_name(&self.words)
    }
}

/// What is known of some pairs under a plan.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlannedPairs {
    /// Pairs that there are.
    pub exact_pairs: u64,
    /// Mean precision of all trials.
    pub expected: Option<f64>,
    /// Precision of the trial that a job with this plan does.
    pub measured: Option<f64>,
    /// Recall of the same.
    pub recall: Option<f64>,
}

impl SamplingResult {
    /// The plan that keeps a precision at the threshold of a number.
    pub fn plan(&self, target: f64, step: usize) -> AdaptivePlan {
        self.plan_of(
            target,
            step,
            (0..self.groups.len()).map(|group| group..group + 1),
        )
    }

    /// The same with neighbouring groups put together where they keep the same.
    pub fn joined_plan(&self, target: f64, step: usize) -> AdaptivePlan {
        let divisors = self.divisors(target, step);
        let same = |one: &usize, other: &usize| divisors[*one] == divisors[*other];
        let groups: Vec<usize> = (0..self.groups.len()).collect();
        let ranges = groups.chunk_by(same);
        self.plan_of(target, step, ranges.map(|run| run[0]..run[0] + run.len()))
    }

    /// A plan of ranges of groups, each of which keeps the same.
    fn plan_of(
        &self,
        target: f64,
        step: usize,
        ranges: impl Iterator<Item = Range<usize>>,
    ) -> AdaptivePlan {
        let divisors = self.divisors(target, step);
        let divisors: Vec<u32> = divisors.iter().map(|one| one.unwrap_or(1)).collect();
        let planned = |of: &dyn Fn(GroupPair) -> bool| self.planned(&divisors, step, of);
        let groups = ranges.map(|range| {
            let facts = &self.group_facts[range.clone()];
            let within =
                |pair: GroupPair| range.contains(&pair.low) && range.contains(&pair.high);
            PlannedGroup {
                words: self.groups.range(range.start).start
                    ..self.groups.range(range.end - 1).end,
                divisor: divisors[range.start],
                is_measured: range.clone().any(|group| self.has_pairs(group, step)),
                documents: facts.iter().map(|facts| facts.documents).sum(),
                features: facts.iter().map(|facts| facts.features).sum(),
                pairs: planned(&within),
            }
        });
        let groups: Vec<PlannedGroup> = groups.collect();
        let is_within = |pair: GroupPair| {
            let [low, high] = [pair.low, pair.high].map(|group| {
                let first = self.groups.range(group).start;
                groups.iter().position(|one| one.words.contains(&first))
            });
            low == high
        };
        let of_groups = divisors.iter().enumerate();
        let kept =
            of_groups.map(|(group, &divisor)| self.kept(first(divisor), Some(group)));
        let whole = self.features(None).max(1) as f64;
        let single_divisor = self.single_divisor(target, step);
        AdaptivePlan {
            target,
            threshold: self.thresholds[step],
            across: planned(&|pair| !is_within(pair)),
            all: planned(&|_| true),
            groups,
            kept_share: kept.sum::<u64>() as f64 / whole,
            single_share: self.kept(first(single_divisor), None) as f64 / whole,
            single_divisor,
        }
    }

    /// What each group may keep at least; none where nothing but everything will do.
    fn divisors(&self, target: f64, step: usize) -> Vec<Option<u32>> {
        let mut last = None;
        let of_groups = (0..self.groups.len()).map(|group| {
            // Groups ascend by size, so `last` is the ratio of the next smaller one that was
            // measured.
            if self.has_pairs(group, step) {
                let mut all = divisors(self.max_divisor).rev();
                last = all.find(|&divisor| self.meets(group, divisor, target, step));
            }
            last
        });
        of_groups.collect()
    }

    /// The smallest ratio that does for all groups with pairs enough; everything when none has.
    fn single_divisor(&self, target: f64, step: usize) -> u32 {
        let groups = 0..self.groups.len();
        let measured: Vec<usize> =
            groups.filter(|&one| self.has_pairs(one, step)).collect();
        let does = |&divisor: &u32| {
            let mut groups = measured.iter();
            groups.all(|&group| self.meets(group, divisor, target, step))
        };
        if measured.is_empty() {
            1
        } else {
            divisors(self.max_divisor).rev().find(does).unwrap_or(1)
        }
    }

    /// Whether the precision of a group means anything: its own pairs, exactly counted.
    fn has_pairs(&self, group: usize, step: usize) -> bool {
        let within = |groups: GroupPair| groups == GroupPair::of(group, group);
        self.pairs(first(1), step, within).exact_pairs >= FEWEST_PAIRS
    }

    /// Whether the pairs of a group keep a precision when one in so many features is kept.
    fn meets(&self, group: usize, divisor: u32, target: f64, step: usize) -> bool {
        let within = |groups: GroupPair| groups == GroupPair::of(group, group);
        let mean = self.mean(divisor, step, within);
        let Some(precision) = mean.precision() else {
            return false;
        };
        // A job does one of the trials: the error is that of the pairs of one, not of all together.
        let pairs = mean.pairs / divisor.max(1) as f64;
        let error = (precision * (1.0 - precision) / pairs.max(1.0)).sqrt();
        precision - error >= target
    }

    /// Sums over all trials of a ratio.
    fn mean(
        &self,
        divisor: u32,
        step: usize,
        of: impl Fn(GroupPair) -> bool,
    ) -> FigureSums {
        let mut sums = FigureSums::default();
        for remainder in 0..divisor {
            let trial = Trial { divisor, remainder };
            sums.add(&self.pairs(trial, step, &of));
        }
        sums
    }

    /// What a plan does to the pairs of some groups: what the mean of all trials expects, and what the one
    /// trial of a job gives.
    fn planned(
        &self,
        divisors: &[u32],
        step: usize,
        of: &dyn Fn(GroupPair) -> bool,
    ) -> PlannedPairs {
        let (mut expected, mut measured) = (FigureSums::default(), FigureSums::default());
        for groups in GroupPair::all(self.groups.len()).filter(|&groups| of(groups)) {
            // A job compares two documents at the smaller ratio of the two: all features that it
            // keeps are kept at the larger one too.
            let divisor = divisors[groups.low].max(divisors[groups.high]);
            let this = |other: GroupPair| other == groups;
            let mut mean = self.mean(divisor, step, this);
            mean.divide(divisor);
            // Expected of any remainder, measured with the one that jobs take.
            expected.add_sums(&mean);
            measured.add(&self.pairs(first(divisor), step, this));
        }
        PlannedPairs {
            exact_pairs: self.pairs(first(1), step, of).exact_pairs,
            expected: expected.precision(),
            measured: measured.precision(),
            recall: (measured.exact > 0.0).then(|| measured.right / measured.exact),
        }
    }
}

/// Powers of two up to a number.
fn divisors(max: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..=max.trailing_zeros()).map(|power| 1 << power)
}

/// The trial that a job does that keeps one in so many.
fn first(divisor: u32) -> Trial {
    Trial {
        divisor,
        remainder: 0,
    }
}

/// Sums over trials and groups.
#[derive(Debug, Clone, Copy, Default)]
struct FigureSums {
    pairs: f64,
    right: f64,
    exact: f64,
}

impl FigureSums {
    fn add(&mut self, figures: &PairFigures) {
        self.pairs += figures.pairs as f64;
        self.right += figures.right_pairs as f64;
        self.exact += figures.exact_pairs as f64;
    }

    fn add_sums(&mut self, other: &FigureSums) {
        self.pairs += other.pairs;
        self.right += other.right;
        self.exact += other.exact;
    }

    /// The mean of so many trials. All are divided, so the precision does not change; it weighs as one
    /// trial where groups are added up.
    fn divide(&mut self, by: u32) {
        let by = f64::from(by);
        (self.pairs, self.right, self.exact) =
            (self.pairs / by, self.right / by, self.exact / by);
    }

    fn precision(&self) -> Option<f64> {
        (self.pairs > 0.0).then(|| self.right / self.pairs)
    }
}
