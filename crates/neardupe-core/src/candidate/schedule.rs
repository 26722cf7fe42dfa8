//! When a prefix feature of a set enters its posting list.
//!
//! Sets that come by descending size meet partners of nearly their own size first. The
//! nearer two sizes, the larger the overlap two sets need, and the fewer of their rarest
//! features must be looked at: the feature at position p of a set can only matter once the
//! sets that probe are small enough. So each set enters its lists step by step as the sizes
//! fall. Pages that share a template of 87 % and are all about equally long never meet in
//! a list at a threshold of 0.8, where full prefixes would make every page visit all others.

use super::posting_window::WindowSets;
use super::postings::{Posting, Postings};
use crate::numbers::{ListIdx, MaybeList, SlotIdx};
use crate::similarity::Bounds;
use std::collections::BinaryHeap;

/// Enters sets into posting lists, at once or as sizes fall.
#[derive(Debug)]
pub struct Schedule {
    bounds: Bounds,
    delayed: bool,
    /// Sets with entries to come: the size at which the next one enters, set, entry.
    waiting: BinaryHeap<(u32, SlotIdx, u32)>,
}

impl Schedule {
    /// `delayed` only when sets probe by descending size.
    pub fn new(bounds: Bounds, delayed: bool) -> Self {
        Schedule {
            bounds,
            delayed,
            waiting: BinaryHeap::new(),
        }
    }

    /// Enters a set that sets of up to `size` features will probe. `entered` hears of each
    /// list.
    pub fn insert(
        &mut self,
        sets: &WindowSets,
        slot: SlotIdx,
        size: u32,
        postings: &mut Postings,
        entered: impl FnMut(ListIdx),
    ) {
        self.enter(sets, slot, 0, size, postings, entered);
    }

    /// From now on only sets of up to `size` features probe. Each entry waits at most once, so all calls together cost a
    /// heap operation for each set and step at which it went on.
    pub fn advance(&mut self, sets: &WindowSets, size: u32, postings: &mut Postings) {
        while let Some(&(next_size, slot, next)) = self.waiting.peek() {
            if next_size < size {
                break;
            }
            self.waiting.pop();
            self.enter(sets, slot, next, size, postings, |_| ());
        }
    }

    /// Enters a set into its lists from one entry on, as far as sets of up to `size` features can use them; the rest
    /// waits.
    fn enter(
        &mut self,
        sets: &WindowSets,
        slot: SlotIdx,
        first: u32,
        size: u32,
        postings: &mut Postings,
        mut entered: impl FnMut(ListIdx),
    ) {
        let about = sets.about(slot);
        let own_size = about.size;
        let entries = sets.entries(slot);
        // A set that goes on entering later: the two lists it entered last, as they were noted then.
        let entered_before = |back: u32| match first.checked_sub(back) {
            Some(number) => MaybeList::from(entries[number as usize].list),
            None => MaybeList::NONE,
        };
        let mut previous = [entered_before(1), entered_before(2)];
        for (number, entry) in (first..).zip(&entries[first as usize..]) {
            // Features from here on, this one included: no partner that shares none before can share more. So sets
            // larger than `reach` cannot be partners by this feature, and until sizes have fallen to it, the
            // posting would only be looked at in vain.
            let rest = own_size - entry.position;
            let reach = self.bounds.max_partner(own_size, rest);
            // Reach falls from entry to entry, so all that follow wait, too.
            if self.delayed && reach < size {
                self.waiting.push((reach, slot, number));
                return;
            }
            let posting = Posting {
                slot,
                size: own_size,
                position: entry.position,
                reach,
                previous,
                num_shared: about.num_shared,
                sketch: about.sketch,
            };
            postings.push(entry.list, posting);
            entered(entry.list);
            previous = [entry.list.into(), previous[0]];
        }
    }
}
