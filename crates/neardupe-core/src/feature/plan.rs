//! Adaptive sampling: of long documents fewer features are kept than of short ones (Ye, Wen, Ma: A
//! systematic study on parameter correlations in large-scale duplicate document detection, section 6).
//!
//! Ratios are powers of two and features are kept by the remainder of a hash, so what is kept at a
//! coarser ratio is kept at a finer one too. Two documents are compared over the features that both
//! rules keep: at the coarser of their two ratios. How many features each has at every level is put
//! away beside its set while reading, so a pair needs no second look at what was dropped.

use crate::error::{Error, Result};
use crate::hash;
use std::fmt;

/// Which share of its features a document keeps, by its number of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplingPlan {
    groups: Vec<GroupRatio>,
}

/// Documents of `min_words..max_words` words keep one feature in `ratio`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupRatio {
    /// The fewest words.
    pub min_words: u64,
    /// The first number of words beyond; none when there is no end.
    pub max_words: Option<u64>,
    /// A power of two; 1 keeps everything.
    pub ratio: u32,
}

/// The coarsest ratio.
const MAX_RATIO: u32 = 1 << 16;

/// Spreads features anew, so that those that are kept are from all over the feature space, which
/// later stages divide into parts. `sample mod` has the same salt: at equal ratios both keep the
/// same features.
pub(super) const SALT: u64 = 0x5bf0_3635_dcf5_9f1d;

impl SamplingPlan {
    /// A plan of groups in ascending order. Documents in none of them keep everything.
    pub fn new(groups: Vec<GroupRatio>) -> Result<Self> {
        let wrong = |at: usize, message: String| {
            let message = format!("adaptive: group {} of the plan: {message}", at + 1);
            Err(Error::config("sample", message))
        };
        // A plan without groups would have no effect.
        if groups.is_empty() {
            let message = "adaptive: the plan has no groups";
            return Err(Error::config("sample", message));
        }
        let mut end = Some(0);
        for (at, group) in groups.iter().enumerate() {
            if !group.ratio.is_power_of_two() || group.ratio > MAX_RATIO {
                let message = format!(
                    "ratio {} is not a power of two from 1 to {MAX_RATIO}",
                    group.ratio
                );
                return wrong(at, message);
            }
            if group.max_words.is_some_and(|max| max <= group.min_words) {
                let message = format!(
                    "max_words must be above min_words, {}: the range is half open",
                    group.min_words
                );
                return wrong(at, message);
            }
            if end.is_none_or(|end| group.min_words < end) {
                let message = format!(
                    "min_words {} is within the group before; groups ascend",
                    group.min_words
                );
                return wrong(at, message);
            }
            // None after a group without end: no group may follow it.
            end = group.max_words;
        }
        Ok(SamplingPlan { groups })
    }

    /// The groups.
    pub fn groups(&self) -> &[GroupRatio] {
        &self.groups
    }

    /// The ratio of a document of so many words.
    pub fn ratio(&self, num_words: u64) -> u32 {
        // The last group that begins at or before the number; it may have ended before it.
        let after = self
            .groups
            .partition_point(|group| group.min_words <= num_words);
        let group = after.checked_sub(1).map(|at| self.groups[at]);
        match group {
            Some(group) if group.max_words.is_none_or(|max| num_words < max) => {
                group.ratio
            }
            _ => 1,
        }
    }

    /// All ratios, the finest first: 1 is always among them.
    pub fn levels(&self) -> Vec<u32> {
        let mut levels: Vec<u32> = self.groups.iter().map(|group| group.ratio).collect();
        levels.push(1);
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// Whether a feature is kept at a ratio.
    #[inline]
    pub fn keeps(ratio: u32, feature: u64) -> bool {
        // The lowest bits of one hash: whoever is kept at 1/8 has three zero bits and is also kept
        // at 1/4 and 1/2. The similarity of two documents at the coarser ratio needs this.
        hash::mix(feature ^ SALT) & u64::from(ratio - 1) == 0
    }

    /// Leaves of the features of a document of so many words those that are kept, and appends to
    /// `row` the level of the document, with the logarithm of its ratio in the upper half, and how
    /// many features are left at each level. When none is kept, the document is left with a single
    /// feature that only documents with the same features and the same ratio have.
    pub fn thin(&self, num_words: usize, features: &mut Vec<u64>, row: &mut Vec<u64>) {
        let ratio = self.ratio(num_words as u64);
        let levels = self.levels();
        let own = levels.iter().position(|&level| level == ratio).unwrap_or(0);
        row.push(own as u64 | (u64::from(ratio.trailing_zeros()) << 32));
        // Before features are removed: the single feature stands for all of them.
        let all = hash::set(features);
        let was_empty = features.is_empty();
        features.retain(|&feature| SamplingPlan::keeps(ratio, feature));
        if features.is_empty() && !was_empty {
            #[expect(clippy::cast_possible_truncation, reason = "half of a hash")]
            let own = hash::mix(all as u64 ^ SALT);
            features.push(hash::numbered(own, u64::from(ratio), SALT));
            // The single feature is kept at all levels, or the document would be empty for coarser
            // ones.
            row.extend(levels.iter().map(|&level| u64::from(level >= ratio)));
            return;
        }
        for level in levels {
            let at_level = features.iter().filter(|&&feature| {
                // At levels finer than its own the document is never compared.
                level >= ratio && SamplingPlan::keeps(level, feature)
            });
            row.push(at_level.count() as u64);
        }
    }
}

impl fmt::Display for SamplingPlan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = self.groups.iter().map(|group| match group.max_words {
            Some(max) => format!("{}-{max}:1/{}", group.min_words, group.ratio),
            None => format!("{}-:1/{}", group.min_words, group.ratio),
        });
        out.write_str(&groups.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(min_words: u64, max_words: Option<u64>, ratio: u32) -> GroupRatio {
        GroupRatio {
            min_words,
            max_words,
            ratio,
        }
    }

    #[test]
    fn ranges_are_half_open_and_gaps_keep_everything() {
        let groups = vec![
            group(0, Some(500), 1),
            group(500, Some(1000), 4),
            group(2000, None, 16),
        ];
        let plan = SamplingPlan::new(groups).unwrap();
        let ratios =
            [0, 499, 500, 999, 1000, 1999, 2000, u64::MAX].map(|n| plan.ratio(n));
        assert_eq!(ratios, [1, 1, 4, 4, 1, 1, 16, 16]);
        assert_eq!(plan.levels(), [1, 4, 16]);
        assert_eq!(plan.to_string(), "0-500:1/1,500-1000:1/4,2000-:1/16");
    }

    #[test]
    fn plans_that_cannot_be_are_refused() {
        for wrong in [
            vec![],
            vec![group(0, None, 3)],
            vec![group(0, None, 0)],
            vec![group(0, None, MAX_RATIO * 2)],
            vec![group(5, Some(5), 2)],
            vec![group(0, Some(10), 2), group(9, None, 4)],
            vec![group(0, None, 2), group(9, None, 4)],
        ] {
            assert!(SamplingPlan::new(wrong.clone()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_kept_nests_and_is_counted() {
        let plan = SamplingPlan::new(vec![
            group(0, Some(10), 1),
            group(10, Some(20), 4),
            group(20, None, 16),
        ]);
        let plan = plan.unwrap();
        let all: Vec<u64> = (1..4000).map(hash::mix).collect();
        let thinned = |num_words: usize| {
            let (mut features, mut row) = (all.clone(), Vec::new());
            plan.thin(num_words, &mut features, &mut row);
            (features, row)
        };
        let ((fine, _), (middle, row), (coarse, _)) =
            (thinned(5), thinned(10), thinned(30));
        assert_eq!(fine, all);
        assert!(coarse.iter().all(|feature| middle.contains(feature)));
        assert!((800..1200).contains(&middle.len()), "{}", middle.len());
        let sizes = [0, middle.len() as u64, coarse.len() as u64];
        assert_eq!(row, [[1 | (2 << 32)].as_slice(), &sizes].concat());
        // Nothing is kept of a set when all of its features are dropped.
        let left_out: Vec<u64> = all
            .iter()
            .copied()
            .filter(|feature| !middle.contains(feature))
            .collect();
        let (mut one, mut row) = (left_out.clone(), Vec::new());
        plan.thin(10, &mut one, &mut row);
        assert_eq!((one.len(), &row[1..]), (1, &[0, 1, 1][..]));
    }
}
