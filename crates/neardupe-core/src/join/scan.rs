//! Going through the posting lists of one probe, meeting as few postings as possible.

use crate::candidate::postings::{Posting, Postings, group_end};
use crate::feature::FeatureTable;

/// The lists that a probe has been through.
#[derive(Debug, Default)]
pub struct Probed {
    lists: Vec<u32>,
    table: FeatureTable,
    in_table: usize,
}

impl Probed {
    /// Begins another probe.
    pub fn clear(&mut self) {
        self.lists.clear();
        self.in_table = 0;
    }

    /// The probe has been through a list.
    pub fn add(&mut self, list: u32) {
        self.lists.push(list);
    }

    /// Whether the probe has been through a list. The table behind it is only filled when a
    /// long list asks: most probes meet none.
    pub fn contains(&mut self, list: u32) -> bool {
        if self.in_table < self.lists.len() {
            self.table.reset(self.lists.len() * 2);
            for &list in &self.lists {
                self.table.insert(u64::from(list) + 1);
            }
            self.in_table = self.lists.len();
        }
        self.in_table > 0 && self.table.contains(u64::from(list) + 1)
    }
}

/// Visits the postings of a list that the probe has not met in another list. `visit` gives
/// back the smallest reach that is still of interest. Returns how many postings were passed
/// over at the cost of one.
#[inline(always)]
pub fn scan(
    postings: &Postings,
    list: u32,
    probed: &mut Probed,
    mut min_reach: u32,
    mut visit: impl FnMut(&Posting) -> u32,
) -> u64 {
    let (ordered, newest) = postings.parts(list);
    let mut passed = 0;
    let mut start = 0;
    while start < ordered.len() {
        let end = group_end(ordered, start);
        let [previous, before_previous] = ordered[start].previous;
        if probed.contains(previous) || probed.contains(before_previous) {
            passed += 1;
        } else {
            for posting in &ordered[start..end] {
                if posting.reach < min_reach {
                    passed += 1;
                    break;
                }
                min_reach = visit(posting);
            }
        }
        start = end;
    }
    for posting in newest {
        visit(posting);
    }
    probed.add(list);
    passed
}
