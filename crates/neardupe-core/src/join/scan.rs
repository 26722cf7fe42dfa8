//! Going through the posting lists of one probe, meeting as few postings as possible.

use crate::candidate::postings::{Posting, Postings, group_end};
use crate::feature::FeatureTable;
use crate::numbers::{ListIdx, MaybeList};

/// The lists that a probe has been through.
#[derive(Debug, Default)]
pub struct Probed {
    lists: Vec<ListIdx>,
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
    pub fn add(&mut self, list: ListIdx) {
        self.lists.push(list);
    }

    /// Whether the probe has been through a list; never through none. The table behind it is only filled when a
    /// long list asks: most probes meet none.
    pub fn contains(&mut self, list: MaybeList) -> bool {
        if self.in_table < self.lists.len() {
            self.table.reset(self.lists.len() * 2);
            for &list in &self.lists {
                self.table.insert(key(list.into()));
            }
            self.in_table = self.lists.len();
        }
        self.in_table > 0 && self.table.contains(key(list))
    }
}

/// The entry of a list in the table, where 0 stands for no entry. None has a key that no list has, so it needs no
/// branch.
#[inline]
fn key(list: MaybeList) -> u64 {
    u64::from(list.bits()) + 1
}

/// Visits the postings of a list that the probe has not met in another list. `visit` gives
/// back the smallest reach that is still of interest. Returns how many postings were passed
/// over at the cost of one.
#[inline(always)]
pub fn scan(
    postings: &Postings,
    list: ListIdx,
    probed: &mut Probed,
    mut min_reach: u32,
    mut visit: impl FnMut(&Posting) -> u32,
) -> u64 {
    // Why no partner is lost by a skipped group: all its sets entered `previous` just before this list, so the probe
    // met each of them there, at an earlier position of both sets. It was checked then, and a second meeting could
    // only find less.
    let (ordered, newest) = postings.parts(list);
    let mut passed = 0;
    let mut start = 0;
    while start < ordered.len() {
        let end = group_end(ordered, start);
        let [previous, before_previous] = ordered[start].previous;
        if probed.contains(previous) || probed.contains(before_previous) {
            passed += 1;
        } else {
            // Descending reach: the first posting that reaches too short ends the group, so a group costs one posting
            // more than it has to show.
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
    // Too few to be worth an order yet; a set among them that was met before is recognised by its mark.
    for posting in newest {
        visit(posting);
    }
    probed.add(list);
    passed
}
