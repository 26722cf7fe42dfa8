//! Connected components of the similar pairs, without looking at all pairs.
//!
//! Each posting list is grouped by the component its sets are in already: one verified
//! member settles a group, and a group in the probing set's own component is skipped as a
//! whole. So k near-copies cost k verifications, not k^2. When the lists of all sets do not
//! fit, they are made window by window, and all later sets probe each.

use super::union_find::UnionFind;
use crate::candidate::kept::{Kept, KeptIdx};
use crate::candidate::ledger::Ledger;
use crate::candidate::popcnt::counting_bits;
use crate::candidate::postings::Posting;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::join::window::Window;
use crate::join::{Join, JoinSettings, Prober, ProbingSet};

/// The sets of one list that are in one component.
struct Group {
    member: KeptIdx,
    postings: Vec<Posting>,
}

/// Sets fetched together when they are not in the index.
const BATCH: usize = 512;

/// The component of each kept set, named by its smallest number.
pub fn components(
    kept: &Kept,
    settings: &JoinSettings,
    progress: &dyn Progress,
) -> Result<(Vec<u32>, Ledger)> {
    let sets: Vec<KeptIdx> = (0..kept.len()).collect();
    let mut parts = UnionFind::new(kept.len());
    let mut merger = Merger {
        visit: 0,
        seen: vec![(0, 0); sets.len()],
    };
    let mut ledger = Ledger::default();
    // Groups of postings take about as much again as the postings of an index.
    let settings = &JoinSettings {
        index_bytes: settings.index_bytes / 2,
        ..*settings
    };
    let mut first = 0;
    while first < sets.len() {
        let (window, end) = Window::next(kept, &sets, first, settings)?;
        let join = Join {
            kept,
            sets: &window.index.sets,
            settings,
        };
        let mut lists = Lists::new(join, window.index.postings.num_lists());
        let smallest = settings.bounds.min_size(kept.size(sets[end - 1]));
        for batch in sets[first..].chunks(BATCH) {
            if batch[0] as usize >= end && kept.size(batch[0]) < smallest {
                break;
            }
            let outside = window.outside(kept, batch)?;
            for (&set, outside) in batch.iter().zip(&outside) {
                let probing = window.probing(set, outside);
                lists.probe(&probing, &mut merger, &mut parts);
                if let Some(slot) = window.slot(set) {
                    lists.enter(slot, &probing);
                }
            }
            lists.prober.check_failure()?;
            let settled = batch.iter().filter(|&&set| (set as usize) < end);
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
struct Lists<'a> {
    join: Join<'a>,
    lists: Vec<Vec<Group>>,
    prober: Prober,
}

impl<'a> Lists<'a> {
    fn new(join: Join<'a>, num_lists: usize) -> Self {
        let mut lists = Vec::new();
        lists.resize_with(num_lists, Vec::new);
        let prober = Prober::new(join.sets);
        Lists {
            join,
            lists,
            prober,
        }
    }

    fn probe(
        &mut self,
        set: &ProbingSet<'_>,
        merger: &mut Merger,
        parts: &mut UnionFind,
    ) {
        let (join, prober) = (&self.join, &mut self.prober);
        let settings = join.settings;
        let bounds = settings.bounds;
        let mut probe = prober.begin(settings, set);
        let len = settings.prefix_len(bounds, set.about.size, true);
        let entries = set.entries.iter();
        for entry in entries.take_while(|entry| entry.position < len) {
            prober.ledger.lookups += 1;
            let groups = &mut self.lists[entry.list as usize];
            merger.merge(groups, parts);
            for group in groups.iter() {
                if parts.find(group.member) == parts.find(set.kept) {
                    prober.ledger.postings += 1;
                    continue;
                }
                let position = entry.position;
                let similar = counting_bits(|| {
                    group.postings.iter().find(|posting| {
                        prober
                            .check(join, set, &mut probe, position, posting, bounds)
                            .is_some()
                    })
                });
                if let Some(posting) = similar {
                    parts.union(join.sets.kept(posting.slot), set.kept);
                }
            }
        }
        prober.end(probe);
    }

    /// Puts a set into its lists: a group of its own for now, the next visit of the list
    /// merges it.
    fn enter(&mut self, slot: u32, set: &ProbingSet<'_>) {
        for entry in set.entries {
            let posting = Posting {
                slot,
                size: set.about.size,
                position: entry.position,
                num_shared: set.about.num_shared,
                sketch: set.about.sketch,
                ..Posting::default()
            };
            let group = Group {
                member: set.kept,
                postings: vec![posting],
            };
            self.lists[entry.list as usize].push(group);
        }
    }
}

/// Brings groups of a list that have become one component together.
struct Merger {
    visit: u64,
    /// For each component: the last visit that met it, and its group in that list.
    seen: Vec<(u64, u32)>,
}

impl Merger {
    fn merge(&mut self, groups: &mut Vec<Group>, parts: &mut UnionFind) {
        self.visit += 1;
        let mut at = 0;
        while at < groups.len() {
            let root = parts.find(groups[at].member) as usize;
            let (visit, before) = self.seen[root];
            if visit == self.visit {
                let group = groups.swap_remove(at);
                groups[before as usize].postings.extend(group.postings);
            } else {
                self.seen[root] = (self.visit, u32::try_from(at).unwrap_or(u32::MAX));
                at += 1;
            }
        }
    }
}
