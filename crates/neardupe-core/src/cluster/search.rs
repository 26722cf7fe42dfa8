//! The search of one set for its best representative, and of many through one long list.
//!
//! A search is a probe whose threshold rises: once a representative is found, only a more similar one is of interest, or
//! an equally similar one that comes before it. So prefixes become shorter while the search runs, and fewer postings
//! reach far enough. Both limits only ever rise, which is why a list that was left early need not be visited again.

use crate::candidate::popcnt::{CountsBits, counting_bits};
use crate::candidate::postings::{Posting, Postings, group_end};
use crate::join::scan::scan;
use crate::join::{Join, Probe, Prober, ProbingSet};
use crate::numbers::{Column, ListIdx, MaybePriorityRank, OpenIdx, PriorityRank};
use crate::ratio::Ratio;
use crate::similarity::Bounds;
use std::cmp::Ordering;

/// The best representative found so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    pub(super) rank: PriorityRank,
    pub(super) overlap: u32,
    pub(super) whole: u64,
}

/// Postings fetched at a time by searches that go together: they stay in the first-level
/// cache.
const STRETCH: usize = 256;

/// The list that most searches wait for.
pub(super) fn most_waited_for(searches: &[StarSearch<'_>]) -> Option<ListIdx> {
    // Quadratic in the number of searches, of which there are a few dozen: little beside one long list.
    let waiting = searches.iter().filter_map(StarSearch::waits_for);
    waiting.max_by_key(|&list| {
        let same = searches
            .iter()
            .filter(|other| other.waits_for() == Some(list));
        (same.count(), list)
    })
}

/// Visits the postings of a long list for several searches, as [`scan`] does for one.
pub(super) fn scan_together(
    postings: &Postings,
    list: ListIdx,
    searches: &mut [&mut StarSearch<'_>],
    prober: &mut Prober,
) {
    counting_bits(Together {
        parts: postings.parts(list),
        searches,
        prober,
    });
}

/// A long list and who visits it. Half of the time of a hard collection goes by here.
struct Together<'a, 'b, 'c> {
    parts: (&'a [Posting], &'a [Posting]),
    searches: &'a mut [&'b mut StarSearch<'c>],
    prober: &'a mut Prober,
}

impl CountsBits for Together<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        visit_together(self.parts, self.searches, self.prober);
    }
}

/// The loop of [`Together`], apart so that it is compiled once with the instruction that counts bits and once
/// without.
#[inline(always)]
fn visit_together(
    (ordered, newest): (&[Posting], &[Posting]),
    searches: &mut [&mut StarSearch<'_>],
    prober: &mut Prober,
) {
    prober.ledger.lookups += searches.len() as u64;
    let mut start = 0;
    while start < ordered.len() {
        let end = group_end(ordered, start);
        let [previous, before_previous] = ordered[start].previous;
        for search in searches.iter_mut() {
            let probed = &mut search.probe.probed;
            // Whether this search met the group in a list before; see `scan`.
            search.skips = probed.contains(previous) || probed.contains(before_previous);
            prober.ledger.postings += u64::from(search.skips);
        }
        // All searches through one stretch before the next stretch: 256 postings are 16 KiB and stay in the cache, so
        // that each comes from memory once for all searches. Within a search the order of postings is as in `scan`,
        // so it ends a group at the same posting.
        for stretch in ordered[start..end].chunks(STRETCH) {
            for search in searches.iter_mut().filter(|search| !search.skips) {
                search.visit(stretch, prober);
            }
        }
        start = end;
    }
    for stretch in newest.chunks(STRETCH) {
        for search in searches.iter_mut() {
            let position = search.position();
            for posting in stretch {
                search.consider(position, posting, prober);
            }
        }
    }
}

/// What all searches share.
#[derive(Clone, Copy)]
pub(super) struct Searching<'a> {
    pub(super) join: &'a Join<'a>,
    /// Only sets at least as large can be representatives.
    pub(super) only_larger: bool,
    /// The representative that has a set.
    pub(super) leaders: &'a Column<OpenIdx, MaybePriorityRank>,
}

/// The search for the best representative of one set.
pub(super) struct StarSearch<'a> {
    /// What all searches share.
    searching: &'a Searching<'a>,
    /// The set that searches.
    set: ProbingSet<'a>,
    /// Its state at the filters.
    pub(super) probe: Probe,
    /// The next entry of the prefix to look up.
    pub(super) next: usize,
    /// No list is left that could show a better one.
    pub(super) done: bool,
    /// The group at hand is of no interest, or no longer.
    skips: bool,
    /// What a better representative must reach.
    bounds: Bounds,
    /// Positions to look up within these bounds.
    pub(super) prefix_len: u32,
    /// Smallest reach of a posting within these bounds.
    min_reach: u32,
    /// The best representative so far.
    pub(super) best: Option<Best>,
}

impl<'a> StarSearch<'a> {
    /// A search that begins with what earlier windows have found.
    pub(super) fn new(
        searching: &'a Searching<'a>,
        set: ProbingSet<'a>,
        probe: Probe,
        best: Option<Best>,
    ) -> Self {
        let bounds = searching.join.settings.bounds;
        let mut search = StarSearch {
            searching,
            set,
            probe,
            next: 0,
            done: false,
            skips: false,
            bounds,
            prefix_len: 0,
            min_reach: 0,
            best,
        };
        search.raise();
        search
    }

    /// Goes through lists until the next one is very long, or none is left.
    pub(super) fn run(&mut self, postings: &Postings, prober: &mut Prober) {
        let entries = self.set.entries;
        while !self.done {
            let Some(entry) = entries.get(self.next) else {
                self.done = true;
                return;
            };
            if entry.position >= self.prefix_len {
                self.done = true;
                return;
            }
            let shared_list = self.searching.join.settings.shared_list;
            if postings.list(entry.list).len() >= shared_list {
                return;
            }
            prober.ledger.lookups += 1;
            let mut probed = std::mem::take(&mut self.probe.probed);
            let min_reach = self.min_reach;
            let passed = counting_bits(|| {
                scan(postings, entry.list, &mut probed, min_reach, |posting| {
                    self.consider(entry.position, posting, prober);
                    self.min_reach
                })
            });
            prober.ledger.postings += passed;
            self.probe.probed = probed;
            self.next += 1;
        }
    }

    /// The long list that comes next.
    pub(super) fn waits_for(&self) -> Option<ListIdx> {
        (!self.done).then(|| self.set.entries[self.next].list)
    }

    /// Position of the feature at hand.
    fn position(&self) -> u32 {
        self.set.entries[self.next].position
    }

    /// A stretch of a group that is in order.
    #[inline(always)]
    fn visit(&mut self, stretch: &[Posting], prober: &mut Prober) {
        let position = self.position();
        for posting in stretch {
            // `min_reach` may have risen since the stretch began; groups are in descending reach, so none of the rest
            // of the group is of interest.
            if posting.reach < self.min_reach {
                self.skips = true;
                return;
            }
            self.consider(position, posting, prober);
        }
    }

    /// Sets the threshold to what a better representative must reach.
    fn raise(&mut self) {
        // The bounds of the best pair, not of the whole job: equal to it still passes, since an earlier document
        // of the same similarity is preferred.
        if let Some(best) = self.best {
            self.bounds = self.bounds.raised(best.overlap, best.whole);
        }
        let settings = self.searching.join.settings;
        let only_larger = self.searching.only_larger;
        let size = self.set.about.size;
        self.prefix_len = settings.prefix_len(self.bounds, size, only_larger);
        self.min_reach = settings.min_reach(self.bounds, size, only_larger);
    }

    /// Looks at one posting: is its set similar within the bounds that have been reached?
    #[inline(always)]
    pub(super) fn consider(
        &mut self,
        position: u32,
        posting: &Posting,
        prober: &mut Prober,
    ) {
        // Containment, or documents by descending size: a smaller set is no representative of this one.
        if self.searching.only_larger && posting.size < self.set.about.size {
            return;
        }
        let (join, bounds) = (self.searching.join, self.bounds);
        let (set, probe) = (&self.set, &mut self.probe);
        let overlap = prober.check(join, set, probe, position, posting, bounds);
        if let Some(overlap) = overlap {
            self.accept(posting, overlap);
        }
    }

    /// A similar representative: is it better than the best so far?
    #[inline(never)]
    fn accept(&mut self, posting: &Posting, overlap: u32) {
        let join = self.searching.join;
        let representative = join.sets.open_idx(posting.slot);
        let (size, other) = join.open.sizes(self.set.idx, representative);
        let whole = self.bounds.whole(overlap, size, other);
        let rank = self.searching.leaders[representative].get();
        let rank = rank.expect("only representatives are in lists");
        let better = match self.best {
            None => true,
            Some(best) => {
                let found = Ratio::new(overlap.into(), whole);
                match found.compare(Ratio::new(best.overlap.into(), best.whole)) {
                    Ordering::Greater => true,
                    // Ties go to the earlier document, whichever list it was met in: so no result depends on the lists.
                    Ordering::Equal => rank < best.rank,
                    Ordering::Less => false,
                }
            }
        };
        if better {
            self.best = Some(Best {
                rank,
                overlap,
                whole,
            });
            self.raise();
        }
    }
}
