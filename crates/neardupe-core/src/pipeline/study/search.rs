//! Finds the pairs that any trial finds, and compares each once for all trials.
//!
//! When the samples of two sets at some ratio are similar, so are those of one of its classes at
//! the finest ratio: of some fractions, put together part by part and whole by whole, one at least
//! is as large as the result. So pairs are looked for class by class at the finest ratio only. A
//! pair that is similar in one class is walked through once; overlaps in all classes give its
//! value in every trial.

use super::SamplingStudy;
use super::groups::GroupPair;
use super::sets::{MAX_BUCKETS, StudySets};
use super::tally::{Best, Steps, StudyTally, Trial};
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::numbers::of_len;
use crate::ratio::Ratio;
use crate::verify::sorted::{self, for_each_common};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Sets that a thread takes at a time.
const BATCH: usize = 64;

/// Meetings in lists that take some while.
const MANY_VISITS: u64 = 2_000_000_000;
/// Meetings in lists that a thread gets through, measured on text of web pages.
const VISITS_A_SECOND: u64 = 30_000_000;

/// What was counted.
pub(super) struct StudyFound {
    pub(super) tally: StudyTally,
    /// Of pairs within a group.
    pub(super) within: Best,
    /// Of all pairs.
    pub(super) any: Best,
    /// Pairs of sets that were compared in all trials.
    pub(super) compared: u64,
}

/// What the search needs.
pub(super) struct StudySearch<'a> {
    pub(super) sets: &'a StudySets,
    pub(super) asked: &'a SamplingStudy,
    pub(super) steps: &'a Steps,
    pub(super) threads: usize,
    pub(super) progress: &'a dyn Progress,
}

/// What a thread works with.
struct Thread {
    tally: StudyTally,
    compared: u64,
    /// The last set that each one was found similar to. 0 before the first: set 0 has none before
    /// it, so it looks nothing up.
    similar_to: Vec<u32>,
    /// The last search in which each was met.
    met: Vec<u64>,
    num_searches: u64,
    partners: Vec<u32>,
    overlaps: Vec<u32>,
    unions: Vec<u32>,
}

impl StudySearch<'_> {
    /// Compares all pairs that any trial finds. The cost is the number of meetings in lists, and for each
    /// pair that is found the length of both sets.
    pub(super) fn run(&self) -> Result<StudyFound> {
        let num_sets = self.sets.len();
        let num_trials = Trial::count(self.asked.max_divisor);
        let within = Best::new(num_trials, num_sets);
        let any = Best::new(num_trials, num_sets);
        self.tell_of_visits();
        self.progress.begin("trials", num_sets as u64);
        let next = AtomicUsize::new(0);
        // Later sets have more to be compared with, so threads take batches as they come to them,
        // and not equal shares.
        let threads: Result<Vec<Thread>> = (0..self.threads.max(1))
            .into_par_iter()
            .map(|_| {
                let mut thread = self.thread();
                loop {
                    let start = next.fetch_add(BATCH, Ordering::Relaxed);
                    if start >= num_sets {
                        return Ok(thread);
                    }
                    check_cancelled(self.progress)?;
                    let end = num_sets.min(start + BATCH);
                    for set in start..end {
                        self.set(set, &mut thread, &within, &any);
                    }
                    self.progress.advance((end - start) as u64);
                }
            })
            .collect();
        // Whole numbers are added up, so the order of threads does not matter.
        let mut threads = threads?.into_iter();
        let mut found = StudyFound {
            tally: self.tally(),
            within,
            any,
            compared: 0,
        };
        threads.try_for_each(|thread| -> Result<()> {
            found.tally.add(&thread.tally);
            found.compared += thread.compared;
            Ok(())
        })?;
        Ok(found)
    }

    /// Says how much there is to do where that is more than usual: below 0.5 always.
    fn tell_of_visits(&self) {
        let visits = self.sets.num_visits();
        let is_low = self
            .sets
            .threshold
            .ratio()
            .compare(Ratio::new(1, 2))
            .is_lt();
        if visits >= MANY_VISITS || is_low {
            let millions = visits / 1_000_000;
            let seconds = visits / VISITS_A_SECOND / self.threads.max(1) as u64;
            self.progress.note(&format!(
                "{millions} million pairs of sets share a feature they are found by; comparing them \
                 may take about {seconds} s; a higher `min-threshold` or a smaller `max-ratio` makes \
                 them fewer"
            ));
        }
    }

    fn tally(&self) -> StudyTally {
        StudyTally::new(
            Trial::count(self.asked.max_divisor),
            self.asked.groups.len(),
            self.steps.len(),
            self.asked.commonality.len(),
        )
    }

    /// The columns of one thread: twelve bytes for each set.
    fn thread(&self) -> Thread {
        Thread {
            tally: self.tally(),
            compared: 0,
            similar_to: vec![0; self.sets.len()],
            met: vec![0; self.sets.len()],
            num_searches: 0,
            partners: Vec::new(),
            overlaps: vec![0; self.sets.num_classes],
            unions: vec![0; self.sets.num_classes],
        }
    }

    /// Compares a set with those before it: candidates by the lists of its prefixes, each verified in the
    /// class where it was met.
    fn set(&self, set: usize, thread: &mut Thread, within: &Best, any: &Best) {
        let sets = self.sets;
        let sizes = sets.sizes(set);
        // Fewer than sets of the collection, whose numbers have 32 bits.
        let number = of_len(set);
        thread.partners.clear();
        for (class, &size) in sizes.iter().enumerate() {
            thread.num_searches += 1;
            for &feature in sets.prefix(set, class) {
                for &other in sets.list(feature) {
                    if other >= number {
                        break;
                    }
                    let place = other as usize;
                    // A pair meets in many lists and in several classes. It is verified once for each
                    // class, and no more after it was found in one.
                    if thread.similar_to[place] == number
                        || thread.met[place] == thread.num_searches
                    {
                        continue;
                    }
                    thread.met[place] = thread.num_searches;
                    let (one, two) = (size, sets.sizes(place)[class]);
                    let needed = sets.threshold.min_overlap(one, two);
                    let own = sets.in_class(set, class);
                    if one.min(two) >= needed
                        && sorted::overlap(own, sets.in_class(place, class)) >= needed
                    {
                        thread.similar_to[place] = number;
                        thread.partners.push(other);
                    }
                }
            }
        }
        // All trials of a pair at once, after the lists: the sums below need the whole sets.
        for at in 0..thread.partners.len() {
            let other = thread.partners[at] as usize;
            self.pair(set, other, thread, within, any);
        }
        self.equal(set, thread, within, any);
    }

    /// Adds a pair in all trials: one walk over both sets counts what they share in each class, and
    /// all larger samples are sums of these counts.
    fn pair(
        &self,
        set: usize,
        other: usize,
        thread: &mut Thread,
        within: &Best,
        any: &Best,
    ) {
        let (sets, steps) = (self.sets, self.steps);
        let facts = [set, other].map(|set| sets.facts[set]);
        // Documents with equal sets are one set here; their pairs are the product.
        let weight = u64::from(facts[0].weight) * u64::from(facts[1].weight);
        let groups = GroupPair::of(facts[0].group.into(), facts[1].group.into());
        let mut buckets = [0u32; MAX_BUCKETS];
        thread.overlaps.fill(0);
        for_each_common(sets.numbers(set), sets.numbers(other), |number| {
            let (class, bucket) = sets.cell(number);
            thread.overlaps[class] += 1;
            buckets[bucket] += 1;
        });
        let sizes = sets.sizes(set).iter().zip(sets.sizes(other));
        for ((union, (one, two)), overlap) in
            thread.unions.iter_mut().zip(sizes).zip(&thread.overlaps)
        {
            *union = one + two - overlap;
        }
        let overlap: u32 = thread.overlaps.iter().sum();
        let union: u32 = thread.unions.iter().sum();
        let exact = valued(steps, overlap, union);
        thread.compared += 1;
        // From the finest ratio to the whole: classes that fall together are added up.
        let mut divisor = sets.num_classes;
        loop {
            for remainder in 0..divisor {
                let sampled =
                    valued(steps, thread.overlaps[remainder], thread.unions[remainder]);
                // Below the smallest threshold in both: no table has it.
                if sampled.1.max(exact.1) == 0 {
                    continue;
                }
                let trial = divisor - 1 + remainder;
                thread.tally.pair(trial, groups, weight, exact, sampled);
                for set in [set, other] {
                    any.see(trial, set, sampled.1);
                    if groups.is_within() {
                        within.see(trial, set, sampled.1);
                    }
                }
            }
            if divisor == 1 {
                break;
            }
            divisor /= 2;
            // Remainders by `divisor` and by twice of it: `r` has those of `r` and `r + divisor`.
            // Overlaps and unions of disjoint classes add up exactly.
            for sums in [&mut thread.overlaps, &mut thread.unions] {
                let (low, high) = sums.split_at_mut(divisor);
                low.iter_mut()
                    .zip(high)
                    .for_each(|(low, high)| *low += *high);
            }
        }
        if exact.1 > 0 {
            // The sizes of both sets together, which a limit does not change: it takes features out
            // of the overlap alone.
            let sizes = overlap + union;
            let mut left = 0;
            for (limit, &in_bucket) in buckets.iter().take(self.num_limits()).enumerate()
            {
                left += in_bucket;
                let uncommon = valued(steps, left, sizes - left);
                thread.tally.uncommon(limit, weight, exact, uncommon);
            }
        }
    }

    /// Adds the pairs of documents that are the same set: equal in every sample, but without the
    /// features of too many documents they are as similar as what is left of them.
    fn equal(&self, set: usize, thread: &mut Thread, within: &Best, any: &Best) {
        let facts = self.sets.facts[set];
        let weight = u64::from(facts.weight) * u64::from(facts.weight - 1) / 2;
        if weight == 0 {
            return;
        }
        let groups = GroupPair::of(facts.group.into(), facts.group.into());
        let whole = (1.0, self.steps.len());
        for trial in 0..Trial::count(self.asked.max_divisor) {
            thread.tally.pair(trial, groups, weight, whole, whole);
            any.see(trial, set, whole.1);
            within.see(trial, set, whole.1);
        }
        let buckets = self.sets.by_bucket(set);
        let size: u32 = buckets.iter().sum();
        let mut left = 0;
        for (limit, in_bucket) in buckets.iter().take(self.num_limits()).enumerate() {
            left += in_bucket;
            let uncommon = valued(self.steps, left, 2 * size - left);
            thread.tally.uncommon(limit, weight, whole, uncommon);
        }
    }

    fn num_limits(&self) -> usize {
        self.asked.commonality.len()
    }
}

/// A resemblance and the number of thresholds that it reaches. Two sets with nothing in common are
/// not a pair.
#[inline]
fn valued(steps: &Steps, overlap: u32, union: u32) -> (f64, usize) {
    match overlap {
        0 => (0.0, 0),
        overlap => {
            let value = f64::from(overlap) / f64::from(union);
            (value, steps.reached(value))
        }
    }
}
