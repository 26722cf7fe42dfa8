//! Features regrouped by their top bits, so that counters are met part by part.
//!
//! Counters for all features do not fit any cache, and a random access for each feature
//! costs more than making it. Regrouped, all features of one part meet a stretch of
//! counters that stays in the second-level cache; and since the regrouping keeps the order
//! within each part, the answers are read back in document order by one cursor a part.

use std::ops::Range;

/// The cursors of so many parts stay in the first-level cache.
const PART_BITS: u32 = 8;
/// Number of parts.
pub const NUM_PARTS: usize = 1 << PART_BITS;

/// The part of a feature: its top bits.
#[inline]
pub fn part_of(feature: u64) -> usize {
    (feature >> (64 - PART_BITS)) as usize
}

/// What is left of a feature in its part: the next 32 bits.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the part has the higher bits"
)]
pub fn rest_of(feature: u64) -> u32 {
    (feature >> (32 - PART_BITS)) as u32
}

/// Stretches of features, regrouped. Filled again and again: fresh memory is dear.
#[derive(Debug)]
pub struct Partition {
    rests: Vec<u32>,
    starts: [u32; NUM_PARTS + 1],
}

impl Default for Partition {
    fn default() -> Self {
        Partition {
            rests: Vec::new(),
            starts: [0; NUM_PARTS + 1],
        }
    }
}

impl Partition {
    /// Regroups one stretch of features.
    pub fn of(features: &[u64]) -> Self {
        let mut partition = Partition::default();
        partition.fill(std::iter::once(features));
        partition
    }

    /// Regroups these stretches instead of what was here.
    pub fn fill<'a>(&mut self, stretches: impl Iterator<Item = &'a [u64]> + Clone) {
        let mut starts = [0u32; NUM_PARTS + 1];
        let mut len = 0;
        for stretch in stretches.clone() {
            len += stretch.len();
            for &feature in stretch {
                starts[part_of(feature) + 1] += 1;
            }
        }
        for part in 0..NUM_PARTS {
            starts[part + 1] += starts[part];
        }
        self.starts = starts;
        // Never shortened: what lies beyond the last start is not looked at.
        if self.rests.len() < len {
            self.rests.resize(len, 0);
        }
        // A counting sort in two passes. The writes go to 256 places that move on one by one, each within a line of the
        // cache or two, so that they are as fast as the reads.
        let mut cursors = starts;
        for stretch in stretches {
            for &feature in stretch {
                let cursor = &mut cursors[part_of(feature)];
                self.rests[*cursor as usize] = rest_of(feature);
                *cursor += 1;
            }
        }
    }

    /// What is left of the features of a part, in their order.
    pub fn part(&self, part: usize) -> &[u32] {
        &self.rests[self.starts[part] as usize..self.starts[part + 1] as usize]
    }

    /// Some parts as one stretch: their lengths, then what is left of their features.
    pub fn slice(&self, parts: Range<usize>) -> Vec<u32> {
        let mut slice: Vec<u32> = parts
            .clone()
            .map(|part| self.starts[part + 1] - self.starts[part])
            .collect();
        let (start, end) = (self.starts[parts.start], self.starts[parts.end]);
        slice.extend_from_slice(&self.rests[start as usize..end as usize]);
        slice
    }

    /// Empties it, to be put together again from slices.
    pub fn clear(&mut self) {
        self.starts = [0; NUM_PARTS + 1];
        self.rests.clear();
    }

    /// Appends some parts, which follow those appended before, as [`Partition::slice`] gave
    /// them.
    pub fn append(&mut self, parts: Range<usize>, slice: &[u32]) {
        let (lens, rests) = slice.split_at(parts.len());
        for (part, &len) in parts.zip(lens) {
            self.starts[part + 1] = len;
        }
        self.rests.extend_from_slice(rests);
    }

    /// All slices have been appended.
    pub fn close(&mut self) {
        for part in 0..NUM_PARTS {
            self.starts[part + 1] += self.starts[part];
        }
    }

    /// Where each part begins.
    pub fn starts(&self) -> &[u32; NUM_PARTS + 1] {
        &self.starts
    }

    /// Number of features in each part.
    fn lens(&self) -> impl Iterator<Item = u32> {
        self.starts.windows(2).map(|starts| starts[1] - starts[0])
    }
}

/// Where each stretch begins in each part.
pub fn cursors(partitions: &[Partition]) -> Vec<[u32; NUM_PARTS]> {
    let mut next = [0u32; NUM_PARTS];
    let mut cursors = Vec::with_capacity(partitions.len());
    for partition in partitions {
        cursors.push(next);
        for (next, len) in next.iter_mut().zip(partition.lens()) {
            *next += len;
        }
    }
    cursors
}
