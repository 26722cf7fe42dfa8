//! Connected components of the similar pairs, without looking at all pairs.
//!
//! Each posting list is grouped by the component its sets are in already: one verified
//! member settles a group, and a group in the probing set's own component is skipped as a
//! whole. So k near-copies cost k verifications, not k^2.

use super::union_find::UnionFind;
use crate::candidate::kept::KeptIdx;
use crate::candidate::ledger::Ledger;
use crate::candidate::postings::Posting;
use crate::join::{Join, Prober};

/// The sets of one list that are in one component.
struct Group {
    member: KeptIdx,
    postings: Vec<Posting>,
}

/// The component of each kept set, named by its smallest number.
pub fn components(join: &Join<'_>, num_lists: usize) -> (Vec<u32>, Ledger) {
    let kept = join.kept;
    let mut lists: Vec<Vec<Group>> = Vec::new();
    lists.resize_with(num_lists, Vec::new);
    let mut parts = UnionFind::new(kept.len());
    let mut merger = Merger {
        visit: 0,
        seen: vec![(0, 0); kept.len() as usize],
    };
    let mut prober = Prober::new(kept);
    for set in 0..kept.len() {
        let mut probe = prober.begin(join, set);
        let len = join.prefix_len(join.threshold, kept.size(set), true);
        for entry in kept
            .entries(set)
            .iter()
            .take_while(|entry| entry.position < len)
        {
            prober.ledger.lookups += 1;
            let groups = &mut lists[entry.list as usize];
            merger.merge(groups, &mut parts);
            for group in groups.iter() {
                if parts.find(group.member) == parts.find(set) {
                    prober.ledger.postings += 1;
                    continue;
                }
                let similar = group.postings.iter().find(|posting| {
                    let threshold = join.threshold;
                    prober
                        .check(join, &mut probe, entry.position, posting, threshold)
                        .is_some()
                });
                if let Some(posting) = similar {
                    parts.union(posting.set, set);
                }
            }
        }
        prober.end(probe);
        for entry in kept.entries(set) {
            // A group of its own for now: the next visit of the list merges it.
            let posting = Posting {
                set,
                size: kept.size(set),
                position: entry.position,
                num_shared: kept.num_shared(set),
                sketch: kept.sketch(set),
                ..Posting::default()
            };
            let group = Group {
                member: set,
                postings: vec![posting],
            };
            lists[entry.list as usize].push(group);
        }
    }
    let components = (0..kept.len()).map(|set| parts.find(set)).collect();
    (components, prober.ledger)
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
