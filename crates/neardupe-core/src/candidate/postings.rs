//! Posting lists over prefix features.
//!
//! Every list has room for all sets that might enter it, so sets can be added one by one, in
//! any order, while the join goes on.

use super::bitmap::Sketch;
use crate::numbers::{ListIdx, MaybeList, SlotIdx};
use bytemuck::{Zeroable, zeroed_vec};

/// A set in the list of one of its prefix features.
#[derive(Debug, Clone, Copy, Default, Zeroable)]
#[repr(C)]
pub struct Posting {
    /// The set.
    pub slot: SlotIdx,
    /// Its size, here so that most postings are dismissed without another look.
    pub size: u32,
    /// Place of the feature in the set's order.
    pub position: u32,
    /// Largest size of a set that can still be a partner when this is the first feature
    /// they share.
    pub reach: u32,
    /// The two lists that the set entered just before this one.
    pub previous: [MaybeList; 2],
    /// Number of its features that another set may have.
    pub num_shared: u32,
    /// Small bitmap of these.
    pub sketch: Sketch,
}

/// Posting lists, filled as the join goes on.
///
/// A long list is kept in order but for its newest postings: grouped by previous lists, and
/// by descending reach in each group. A probe that has been through a list skips the groups
/// that come from it, since it has met all their sets; and it leaves a group at the first
/// posting whose reach is too small. One previous list alone would leave a tenth of a
/// giant cluster to be met again in every list, two leave a hundredth.
#[derive(Debug)]
pub struct Postings {
    starts: Vec<u64>,
    lens: Vec<u32>,
    /// How many postings of a list are in order.
    ordered: Vec<u32>,
    postings: Vec<Posting>,
    /// Lists whose newest postings are many enough to be put in order.
    untidy: Vec<ListIdx>,
    long_list: u32,
}

impl Postings {
    /// Number of lists.
    pub fn num_lists(&self) -> usize {
        self.lens.len()
    }

    /// Lists of this many postings and more are kept in order.
    pub fn keep_ordered_from(&mut self, long_list: u32) {
        self.long_list = long_list.max(1);
    }

    /// Adds a posting to the end of a list.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the postings in memory"
    )]
    pub fn push(&mut self, list: ListIdx, posting: Posting) {
        let number = list.index();
        let len = self.lens[number];
        let at = self.starts[number] as usize + len as usize;
        debug_assert!((at as u64) < self.starts[number + 1]);
        // The room was counted before, so lists never move and nothing is allocated while the join goes on.
        self.postings[at] = posting;
        self.lens[number] = len + 1;
        let ordered = self.ordered[number];
        // Put in order again once a sixteenth is new: all sorts of a list together then cost about as much as
        // sorting it a few times, and a scan sees few postings without an order. Compared by equality, so that the
        // list is noted once.
        if len + 1 - ordered == self.long_list.max(ordered / 16) {
            self.untidy.push(list);
        }
    }

    /// Puts the newest postings of long lists in order.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the postings in memory"
    )]
    pub fn tidy(&mut self) {
        for list in std::mem::take(&mut self.untidy) {
            let number = list.index();
            let (start, len) = (self.starts[number] as usize, self.lens[number]);
            // A stable sort finds the part that is in order and merges the rest into it.
            self.postings[start..start + len as usize].sort_by_key(|posting| {
                (posting.previous, std::cmp::Reverse(posting.reach))
            });
            self.ordered[number] = len;
        }
    }

    /// What was added to a list, the newest last.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "within the postings in memory"
    )]
    pub fn list(&self, list: ListIdx) -> &[Posting] {
        let list = list.index();
        let start = self.starts[list] as usize;
        &self.postings[start..start + self.lens[list] as usize]
    }

    /// A list as its part in order and its newest postings.
    #[inline]
    pub fn parts(&self, list: ListIdx) -> (&[Posting], &[Posting]) {
        self.list(list)
            .split_at(self.ordered[list.index()] as usize)
    }
}

/// Where the group that begins at `start` of an ordered list ends.
#[inline]
pub fn group_end(ordered: &[Posting], start: usize) -> usize {
    let previous = ordered[start].previous;
    // Groups are short or very long: look ahead in growing steps, then halve.
    let mut step = 1;
    while start + step < ordered.len() && ordered[start + step].previous == previous {
        step *= 2;
    }
    let (low, high) = (start + step / 2, ordered.len().min(start + step));
    low + ordered[low..high].partition_point(|posting| posting.previous == previous)
}

/// Postings from which a list is kept in order: shorter ones are scanned faster than
/// their groups are found.
pub const LONG_LIST: u32 = 64;

/// Empty lists with room for this many postings each.
pub(super) fn with_room(lens: &[u32]) -> Postings {
    let mut starts = Vec::with_capacity(lens.len() + 1);
    let mut total = 0u64;
    for &len in lens {
        starts.push(total);
        total += u64::from(len);
    }
    starts.push(total);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "as many as prefix features in memory"
    )]
    let postings = zeroed_vec(total as usize);
    Postings {
        starts,
        lens: vec![0; lens.len()],
        ordered: vec![0; lens.len()],
        postings,
        untidy: Vec::new(),
        long_list: LONG_LIST,
    }
}
