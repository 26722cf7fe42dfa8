//! The search of one set for its best representative, and of many through one long list.

use crate::candidate::kept::KeptIdx;
use crate::candidate::popcnt::{CountsBits, counting_bits};
use crate::candidate::postings::{Posting, Postings, group_end};
use crate::join::scan::scan;
use crate::join::{Join, Probe, Prober, ProbingSet};
use crate::ratio::Ratio;
use crate::similarity::Bounds;
use std::cmp::Ordering;

/// The best representative found so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    pub(super) place: u32,
    pub(super) overlap: u32,
    pub(super) whole: u64,
}

/// Postings fetched at a time by searches that go together: they stay in the first-level
/// cache.
const STRETCH: usize = 256;

/// The list that most searches wait for.
pub(super) fn most_waited_for(searches: &[Search<'_>]) -> Option<u32> {
    let waiting = searches.iter().filter_map(Search::waits_for);
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
    list: u32,
    searches: &mut [&mut Search<'_>],
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
    searches: &'a mut [&'b mut Search<'c>],
    prober: &'a mut Prober,
}

impl CountsBits for Together<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        visit_together(self.parts, self.searches, self.prober);
    }
}

#[inline(always)]
fn visit_together(
    (ordered, newest): (&[Posting], &[Posting]),
    searches: &mut [&mut Search<'_>],
    prober: &mut Prober,
) {
    prober.ledger.lookups += searches.len() as u64;
    let mut start = 0;
    while start < ordered.len() {
        let end = group_end(ordered, start);
        let [previous, before_previous] = ordered[start].previous;
        for search in searches.iter_mut() {
            let probed = &mut search.probe.probed;
            search.skips = probed.contains(previous) || probed.contains(before_previous);
            prober.ledger.postings += u64::from(search.skips);
        }
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
    /// Place of the representative that has a set.
    pub(super) places: &'a [u32],
}

impl Searching<'_> {
    fn place(&self, set: KeptIdx) -> u32 {
        self.places[set as usize]
    }
}

/// The search for the best representative of one set.
pub(super) struct Search<'a> {
    searching: &'a Searching<'a>,
    set: ProbingSet<'a>,
    pub(super) probe: Probe,
    /// The next entry of the prefix to look up.
    pub(super) next: usize,
    pub(super) done: bool,
    /// The group at hand is of no interest, or no longer.
    skips: bool,
    bounds: Bounds,
    pub(super) prefix_len: u32,
    min_reach: u32,
    pub(super) best: Option<Best>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        searching: &'a Searching<'a>,
        set: ProbingSet<'a>,
        probe: Probe,
        best: Option<Best>,
    ) -> Self {
        let bounds = searching.join.settings.bounds;
        let mut search = Search {
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
    pub(super) fn waits_for(&self) -> Option<u32> {
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
            if posting.reach < self.min_reach {
                self.skips = true;
                return;
            }
            self.consider(position, posting, prober);
        }
    }

    /// Sets the threshold to what a better representative must reach.
    fn raise(&mut self) {
        if let Some(best) = self.best {
            self.bounds = self.bounds.raised(best.overlap, best.whole);
        }
        let settings = self.searching.join.settings;
        let only_larger = self.searching.only_larger;
        let size = self.set.about.size;
        self.prefix_len = settings.prefix_len(self.bounds, size, only_larger);
        self.min_reach = settings.min_reach(self.bounds, size, only_larger);
    }

    #[inline(always)]
    pub(super) fn consider(
        &mut self,
        position: u32,
        posting: &Posting,
        prober: &mut Prober,
    ) {
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
        let representative = join.sets.kept(posting.slot);
        let (size, other) = join.kept.sizes(self.set.kept, representative);
        let whole = self.bounds.whole(overlap, size, other);
        let place = self.searching.place(representative);
        let better = match self.best {
            None => true,
            Some(best) => {
                let found = Ratio::new(overlap.into(), whole);
                match found.compare(Ratio::new(best.overlap.into(), best.whole)) {
                    Ordering::Greater => true,
                    Ordering::Equal => place < best.place,
                    Ordering::Less => false,
                }
            }
        };
        if better {
            self.best = Some(Best {
                place,
                overlap,
                whole,
            });
            self.raise();
        }
    }
}
