//! Documents by their number of words.

use crate::error::{Error, Result};
use std::fmt;
use std::ops::Range;

/// Ranges of numbers of words, without a gap; the last has no end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeGroups {
    /// The smallest number of words of each; the first is 0.
    starts: Vec<u32>,
}

/// Where the range of the last group ends: no border is that large.
const NO_END: u32 = u32::MAX;

/// Most groups there may be.
const MAX_GROUPS: usize = 32;

impl Default for SizeGroups {
    /// The 11 groups of Ye and others (2008), Table 3.
    fn default() -> Self {
        let thousands = (1..=9).map(|thousand| thousand * 1000);
        SizeGroups {
            starts: [0, 500].into_iter().chain(thousands).collect(),
        }
    }
}

impl SizeGroups {
    /// Groups that begin at these numbers of words, after one that begins at 0.
    pub fn new(borders: &[u32]) -> Result<Self> {
        let starts: Vec<u32> = [0].iter().chain(borders).copied().collect();
        if !starts.is_sorted_by(|one, other| one < other) {
            let message = format!("{borders:?} does not ascend from 1");
            return Err(Error::config("groups", message));
        }
        if starts.len() > MAX_GROUPS {
            let message = format!("more than {MAX_GROUPS} groups");
            return Err(Error::config("groups", message));
        }
        Ok(SizeGroups { starts })
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// There is always one.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The group of a document of so many words.
    pub fn of(&self, num_words: u32) -> usize {
        self.starts.partition_point(|&start| start <= num_words) - 1
    }

    /// The same in one byte, for tables with an entry for each set.
    pub(super) fn byte_of(&self, num_words: u32) -> u8 {
        // Below `MAX_GROUPS`, which `new` holds.
        u8::try_from(self.of(num_words)).expect("at most 32 groups")
    }

    /// The numbers of words of a group; the last ends at the largest number.
    pub fn range(&self, group: usize) -> Range<u32> {
        let end = self.starts.get(group + 1).copied().unwrap_or(NO_END);
        self.starts[group]..end
    }

    /// How a group is called: `500-1000`, `9000-`.
    pub fn name(&self, group: usize) -> String {
        range_name(&self.range(group))
    }

    /// Many groups, each of documents up to 1.4 times as long as the one before: from them those that
    /// keep the same are put together.
    pub fn narrow() -> Self {
        let octaves = (5..20).flat_map(|power| [1 << power, (1 << power) * 181 / 128]);
        SizeGroups {
            starts: [0].into_iter().chain(octaves).collect(),
        }
    }
}

/// How a range of numbers of words is called.
pub(super) fn range_name(range: &Range<u32>) -> String {
    match range.end {
        NO_END => format!("{}-", range.start),
        end => format!("{}-{end}", range.start),
    }
}

impl fmt::Display for SizeGroups {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let borders = self.starts[1..].iter().map(u32::to_string);
        out.write_str(&borders.collect::<Vec<_>>().join(","))
    }
}

/// Two groups, the smaller one first: what a pair of documents belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupPair {
    /// The group of the smaller documents.
    pub low: usize,
    /// The group of the larger ones; the same for two documents of one group.
    pub high: usize,
}

impl GroupPair {
    /// Number of pairs of so many groups.
    pub fn count(num_groups: usize) -> usize {
        num_groups * (num_groups + 1) / 2
    }

    /// All pairs, in the order of their numbers.
    pub fn all(num_groups: usize) -> impl Iterator<Item = GroupPair> {
        (0..num_groups)
            .flat_map(|high| (0..=high).map(move |low| GroupPair { low, high }))
    }

    /// The pair of the groups of two documents.
    pub fn of(one: usize, other: usize) -> Self {
        GroupPair {
            low: one.min(other),
            high: one.max(other),
        }
    }

    /// Its number.
    pub fn number(self) -> usize {
        self.high * (self.high + 1) / 2 + self.low
    }

    /// Whether both documents are of one group.
    pub fn is_within(self) -> bool {
        self.low == self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_half_open() {
        let groups = SizeGroups::default();
        assert_eq!(groups.len(), 11);
        let of =
            [0, 499, 500, 999, 1000, 8999, 9000, u32::MAX].map(|words| groups.of(words));
        assert_eq!(of, [0, 0, 1, 1, 2, 9, 10, 10]);
        assert_eq!(
            (groups.name(0), groups.name(10)),
            ("0-500".into(), "9000-".into())
        );
        assert!(SizeGroups::new(&[3, 3]).is_err());
        assert!(SizeGroups::new(&[0]).is_err());
        assert_eq!(SizeGroups::new(&[]).unwrap().len(), 1);
    }

    #[test]
    fn pairs_of_groups_are_numbered_one_after_the_other() {
        let numbers: Vec<usize> = GroupPair::all(5).map(GroupPair::number).collect();
        assert_eq!(numbers, (0..GroupPair::count(5)).collect::<Vec<_>>());
        assert_eq!(GroupPair::of(4, 2), GroupPair { low: 2, high: 4 });
    }
}
