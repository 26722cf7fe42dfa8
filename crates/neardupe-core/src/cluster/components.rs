//! Connected components of the similar pairs, without looking at all pairs.
//!
//! Each posting list is grouped by the component its sets are in already: one verified
//! member settles a group, and a group in the probing set's own component is skipped as a
//! whole. So k near-copies cost k verifications, not k^2. When the lists of all sets do not
//! fit, they are made window by window, and all later sets probe each.

use super::union_find::UnionFind;
use crate::candidate::ledger::Ledger;
use crate::candidate::open_sets::OpenSets;
use crate::candidate::popcnt::counting_bits;
use crate::candidate::postings::Posting;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::join::window::Window;
use crate::join::{Join, JoinSettings, Prober, ProbingSet};
use crate::numbers::{Column, OpenIdx, SlotIdx};

/// The sets of one list that are in one component.
struct ComponentGroup {
    member: OpenIdx,
    postings: Vec<Posting>,
}

/// Sets fetched together when they are not in the window.
const BATCH: usize = 512;

/// The component of each open set, named by its smallest number.
pub fn components(
    open: &OpenSets,
    settings: &JoinSettings,
    progress: &dyn Progress,
) -> Result<(Column<OpenIdx, OpenIdx>, Ledger)> {
    let sets: Vec<OpenIdx> = open.all().collect();
    let mut parts = UnionFind::new(open.len());
    let mut merger = Merger {
        visit: 0,
        seen: Column::filled((0, 0), sets.len()),
    };
    let mut ledger = Ledger::default();
    // Groups of postings take about as much again as the postings of a window.
    let settings = &JoinSettings {
        window_bytes: settings.window_bytes / 2,
        ..*settings
    };
    let mut first = 0;
    while first < sets.len() {
        let (window, end) = Window::next(open, &sets, first, settings)?;
        let join = Join {
            open,
            sets: &window.lists.sets,
            settings,
        };
        let mut lists = ComponentLists::new(join, window.lists.postings.num_lists());
        let smallest = settings.bounds.min_size(open.size(sets[end - 1]));
        for batch in sets[first..].chunks(BATCH) {
            if batch[0].index() >= end && open.size(batch[0]) < smallest {
                break;
            }
            let outside = window.outside(open, batch)?;
            for (&set, outside) in batch.iter().zip(&outside) {
                let probing = window.probing(set, outside);
                lists.probe(&probing, &mut merger, &mut parts);
                if let Some(slot) = window.slot(set) {
                    lists.enter(slot, &probing);
                }
            }
            lists.prober.check_failure()?;
            let settled = batch.iter().filter(|&&set| set.index() < end);
            progress.advance(settled.count() as u64);
            check_cancelled(progress)?;
        }
        ledger.add(&lists.prober.ledger);
        first = end;
    }
    let components = sets.iter().map(|&set| parts.find(set)).collect();
    Ok((components, ledger))
}

/// The lists of one window, by component.
struct ComponentLists<'a> {
    join: Join<'a>,
    lists: Vec<Vec<ComponentGroup>>,
    prober: Prober,
}

impl<'a> ComponentLists<'a> {
    /// Empty lists for a window.
    fn new(join: Join<'a>, num_lists: usize) -> Self {
        let mut lists = Vec::new();
        lists.resize_with(num_lists, Vec::new);
        let prober = Prober::new(join.sets);
        ComponentLists {
            join,
            lists,
            prober,
        }
    }

    /// Links a set with every component that has a similar set, of those met in its lists.
    fn probe(
        &mut self,
        set: &ProbingSet<'_>,
        merger: &mut Merger,
        parts: &mut UnionFind<OpenIdx>,
    ) {
        let (join, prober) = (&self.join, &mut self.prober);
        let settings = join.settings;
        let bounds = settings.bounds;
        let mut probe = prober.begin(settings, set);
        let len = settings.prefix_len(bounds, set.about.size, true);
        let entries = set.entries.iter();
        for entry in entries.take_while(|entry| entry.position < len) {
            prober.ledger.lookups += 1;
            let groups = &mut self.lists[entry.list.index()];
            // Since the last visit groups of this list may have become one component.
            merger.merge(groups, parts);
            for group in groups.iter() {
                if parts.find(group.member) == parts.find(set.idx) {
                    // In the same component already: however many sets it has, they cost one look.
                    prober.ledger.postings += 1;
                    continue;
                }
                let position = entry.position;
                // One similar member settles the group: the others are linked through it.
                let similar = counting_bits(|| {
                    group.postings.iter().find(|posting| {
                        prober
                            .check(join, set, &mut probe, position, posting, bounds)
                            .is_some()
                    })
                });
                if let Some(posting) = similar {
                    parts.union(join.sets.open_idx(posting.slot), set.idx);
                }
            }
        }
        prober.end(probe);
    }

    /// Puts a set into its lists: a group of its own for now, the next visit of the list
    /// merges it.
    fn enter(&mut self, slot: SlotIdx, set: &ProbingSet<'_>) {
        for entry in set.entries {
            let posting = Posting {
                slot,
                size: set.about.size,
                position: entry.position,
                num_shared: set.about.num_shared,
                sketch: set.about.sketch,
                ..Posting::default()
            };
            let group = ComponentGroup {
                member: set.idx,
                postings: vec![posting],
            };
            self.lists[entry.list.index()].push(group);
        }
    }
}

/// Brings groups of a list that have become one component together.
struct Merger {
    visit: u64,
    /// For each component: the last visit that met it, and its group in that list.
    seen: Column<OpenIdx, (u64, usize)>,
}

impl Merger {
    /// Puts the groups of a list together that are in one component. A visit costs the number of groups.
    fn merge(
        &mut self,
        groups: &mut Vec<ComponentGroup>,
        parts: &mut UnionFind<OpenIdx>,
    ) {
        self.visit += 1;
        let mut at = 0;
        while at < groups.len() {
            let root = parts.find(groups[at].member);
            let (visit, before) = self.seen[root];
            // The component was met before in this list: its groups are put together. The group that is swapped in from
            // the end is looked at next, so `at` stays.
            if visit == self.visit {
                let group = groups.swap_remove(at);
                groups[before].postings.extend(group.postings);
            } else {
                self.seen[root] = (self.visit, at);
                at += 1;
            }
        }
    }
}
