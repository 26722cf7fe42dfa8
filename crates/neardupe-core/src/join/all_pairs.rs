//! All similar pairs of sets.
//!
//! Sets come by descending size. A batch is entered into the posting lists, then its sets
//! probe in parallel for sets before them.

use super::prober::{Join, Prober};
use super::scan::scan;
use crate::candidate::ledger::Ledger;
use crate::candidate::postings::Postings;
use crate::candidate::schedule::Schedule;
use crate::pair::SetPair;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

const TASK: usize = 64;

/// Finds all pairs, in no order.
pub fn all_pairs(join: &Join<'_>, postings: &mut Postings) -> (Vec<SetPair>, Ledger) {
    postings.keep_ordered_from(join.long_list);
    let filters = join.filters;
    let delayed = filters.prefix && filters.length;
    let mut schedule = Schedule::new(join.kept, join.threshold, delayed);
    let probers: Vec<Mutex<Prober>> = (0..rayon::current_num_threads())
        .map(|_| Mutex::new(Prober::new(join.kept)))
        .collect();
    let batch_len = u32::try_from(join.batch_len).unwrap_or(u32::MAX);
    let mut pairs = Vec::new();
    let mut first = 0;
    while first < join.kept.len() {
        let end = join.kept.len().min(first + batch_len);
        let batch: Vec<u32> = (first..end).collect();
        let smallest = join.kept.size(end - 1);
        schedule.advance(smallest, postings);
        for &set in &batch {
            schedule.insert(set, smallest, postings, |_| ());
        }
        postings.tidy();
        let lists = &*postings;
        let found: Vec<Vec<SetPair>> = batch
            .par_chunks(TASK)
            .map(|sets| {
                let thread = rayon::current_thread_index().unwrap_or(0);
                let mut prober = probers[thread]
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let mut found = Vec::new();
                for &set in sets {
                    probe(join, lists, set, &mut prober, &mut found);
                }
                found
            })
            .collect();
        pairs.extend(found.into_iter().flatten());
        first = end;
    }
    let mut ledger = Ledger::default();
    for prober in probers {
        ledger.add(
            &prober
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
                .ledger,
        );
    }
    (pairs, ledger)
}

fn probe(
    join: &Join<'_>,
    postings: &Postings,
    set: u32,
    prober: &mut Prober,
    found: &mut Vec<SetPair>,
) {
    let mut probe = prober.begin(join, set);
    let mut probed = std::mem::take(&mut probe.probed);
    let size = join.kept.size(set);
    let len = join.prefix_len(join.threshold, size, true);
    let min_reach = join.min_reach(join.threshold, size, true);
    for entry in join
        .kept
        .entries(set)
        .iter()
        .take_while(|entry| entry.position < len)
    {
        prober.ledger.lookups += 1;
        let passed = scan(postings, entry.list, &mut probed, min_reach, |posting| {
            // Sets of the own batch that come later find the pair from their side.
            if posting.set < set {
                let (position, threshold) = (entry.position, join.threshold);
                let overlap =
                    prober.check(join, &mut probe, position, posting, threshold);
                found.extend(overlap.map(|overlap| SetPair {
                    left: posting.set,
                    right: set,
                    overlap,
                }));
            }
            min_reach
        });
        prober.ledger.postings += passed;
    }
    probe.probed = probed;
    prober.end(probe);
}
