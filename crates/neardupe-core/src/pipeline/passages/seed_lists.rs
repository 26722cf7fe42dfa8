//! Seeds that texts share: sorted, those that are too frequent set apart, the others numbered.
//!
//! All places of seeds that may be shared are sorted once, by seed. From the sorted rows come, in one
//! order that never changes, the seeds of each text by number (`by_text`) and, for each window of texts,
//! the places of each seed ([`SeedLists`]). A search is then a walk over both: the seeds of a text, and
//! for each its places in the window.
//!
//! The cost is the sort, and one pass over the rows for each window. What the counters of the first
//! stage let through by mistake, a seed of a single text, is dropped here.

use super::config::PassagesConfig;
use super::counts::SharedSeeds;
use super::order::Order;
use super::texts::{TextStore, Words};
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::hash::FixedSet;
use crate::numbers::narrow;
use crate::passage::seeds::{self, SeedKind};
use crate::store::{Rows, Sorter, WorkDir};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Places of a seed in one text that count, the first ones. A text that repeats itself thousands of times
/// would cost as many visits for every place of the seed in another text.
const MOST_IN_TEXT: usize = 8;
/// Texts that a thread goes through at a time.
const BATCH: u32 = 256;

/// A place of a seed. Texts have their ranks here. The order of the fields is the order of the sort:
/// rows of one seed come together, by text and then by place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SeedRow {
    seed: u64,
    text: u32,
    at: u32,
}

/// A seed of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct OwnSeed {
    pub(super) text: u32,
    pub(super) at: u32,
    /// Number of the seed.
    pub(super) seed: u32,
}

/// A seed that too many texts have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct FrequentRow {
    /// The number of texts, turned round: rows are sorted in ascending order, and the most frequent
    /// comes first.
    below: u32,
    /// The first text that has it.
    pub(super) text: u32,
    /// Where.
    pub(super) at: u32,
}

impl FrequentRow {
    /// A sentence of so many texts, and where it is in the first of them.
    pub(super) fn new(num_texts: u32, text: u32, at: u32) -> Self {
        FrequentRow {
            below: u32::MAX - num_texts,
            text,
            at,
        }
    }

    /// Number of texts that have it.
    pub(super) fn num_texts(&self) -> u32 {
        u32::MAX - self.below
    }
}

/// All seeds that lead somewhere. The rows stay sorted on disk or in memory and are read once for
/// each window.
pub(super) struct Seeds<'a> {
    config: &'a PassagesConfig,
    order: &'a Order,
    rows: Rows<SeedRow>,
    /// By text.
    pub(super) by_text: Rows<OwnSeed>,
    /// Frequent sentences.
    pub(super) frequent: Rows<FrequentRow>,
    /// Hashes of frequent sentences.
    frequent_hashes: FixedSet<u64>,
    /// Runs of words that are too frequent.
    pub(super) num_frequent_runs: u64,
    pub(super) num_seeds: u32,
    pub(super) num_places: u64,
}

/// Gathers the seeds of all texts.
pub(super) fn gather<'a>(
    config: &'a PassagesConfig,
    order: &'a Order,
    texts: &TextStore,
    shared_seeds: &SharedSeeds,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<Seeds<'a>> {
    let num_texts = order.len();
    progress.begin("seeds", u64::from(num_texts));
    let sorter = Mutex::new(Sorter::new(work, "seeds", config.budget.group));
    let starts: Vec<u32> = (0..num_texts).step_by(BATCH as usize).collect();
    starts.par_iter().try_for_each(|&start| -> Result<()> {
        check_cancelled(progress)?;
        let end = num_texts.min(start + BATCH);
        let (mut rows, mut words) = (Vec::new(), Vec::new());
        let (mut own, mut shared) = (Vec::new(), Vec::new());
        for rank in start..end {
            let text = order.text(rank);
            let of_text = texts.words(text, &mut words)?;
            own.clear();
            seeds::seeds(of_text.words, of_text.sentences, |seed, at| {
                own.push((seed, at));
            });
            // In a loop of its own that does not branch, so that many counters are fetched from
            // memory at a time.
            shared.clear();
            shared.extend(own.iter().map(|&(seed, _)| shared_seeds.contains(seed)));
            for (&(seed, at), _) in own.iter().zip(&shared).filter(|(_, shared)| **shared)
            {
                if !config.ignored.meets(seed) {
                    // Ranks and not numbers of texts: numbers depend on threads, ranks on ids.
                    let text = rank;
                    rows.push(SeedRow { seed, text, at });
                }
            }
        }
        let mut sorter = sorter.lock().unwrap_or_else(PoisonError::into_inner);
        rows.into_iter().try_for_each(|row| sorter.push(row))?;
        progress.advance(u64::from(end - start));
        Ok(())
    })?;
    let sorter = sorter.into_inner();
    let rows = sorter.unwrap_or_else(PoisonError::into_inner).finish()?;
    let mut seeds = Seeds {
        config,
        order,
        rows,
        by_text: Rows::none(),
        frequent: Rows::none(),
        frequent_hashes: FixedSet::default(),
        num_frequent_runs: 0,
        num_seeds: 0,
        num_places: 0,
    };
    let mut by_text = Sorter::new(work, "own-seeds", config.budget.rows);
    let mut frequent = Sorter::new(work, "frequent", config.budget.rows / 4);
    // First pass over the sorted seeds: it numbers those that lead somewhere and gives them back to
    // their texts. The second pass, for each window, meets the same seeds in the same order
    // (`each`), so numbers need not be stored with the places.
    let (mut num_frequent_runs, mut num_seeds, mut num_places) = (0, 0, 0);
    let mut frequent_hashes = FixedSet::default();
    seeds.each(|seed| {
        match seed {
            Seed::Shared { number, places } => {
                num_seeds = number + 1;
                num_places += places.len() as u64;
                for place in places {
                    by_text.push(OwnSeed {
                        text: place.text,
                        at: place.at,
                        seed: number,
                    })?;
                }
            }
            Seed::Frequent { first, num_texts } => match seeds::kind_of(first.seed) {
                SeedKind::Run => num_frequent_runs += 1,
                SeedKind::Sentence => {
                    frequent_hashes.insert(first.seed);
                    frequent.push(FrequentRow::new(num_texts, first.text, first.at))?;
                }
            },
        }
        Ok(())
    })?;
    seeds.by_text = by_text.finish()?;
    seeds.frequent = frequent.finish()?;
    seeds.frequent_hashes = frequent_hashes;
    (seeds.num_frequent_runs, seeds.num_seeds) = (num_frequent_runs, num_seeds);
    seeds.num_places = num_places;
    Ok(seeds)
}

/// A seed of several texts.
enum Seed<'a> {
    /// One that leads from text to text.
    Shared { number: u32, places: &'a [SeedRow] },
    /// One that too many texts have.
    Frequent { first: SeedRow, num_texts: u32 },
}

/// Texts and places of one seed, gathered from neighboring rows.
#[derive(Default)]
struct SeedGroup {
    places: Vec<SeedRow>,
    num_texts: u32,
    in_text: usize,
    first: Option<SeedRow>,
}

impl SeedGroup {
    /// The next place of the seed.
    fn add(&mut self, row: SeedRow, most_texts: u32) {
        match self.places.last() {
            Some(last) if last.text == row.text => self.in_text += 1,
            _ => {
                self.num_texts += 1;
                self.in_text = 1;
            }
        }
        self.first.get_or_insert(row);
        // What is too frequent is only counted, so a seed of a million texts costs no memory. Its
        // last place remains: it says whether the next row is of another text.
        if self.num_texts > most_texts {
            self.places.clear();
            self.places.push(row);
        } else if self.in_text <= MOST_IN_TEXT {
            self.places.push(row);
        }
    }
}

impl Seeds<'_> {
    /// Calls `visit` with each seed that several texts have, always in the same order.
    fn each(&self, mut visit: impl FnMut(Seed<'_>) -> Result<()>) -> Result<()> {
        let most = self.config.max_documents;
        let mut group = SeedGroup::default();
        let mut number = 0u32;
        let mut settle = |group: &mut SeedGroup| -> Result<()> {
            let Some(first) = group.first else {
                return Ok(());
            };
            if group.num_texts > most {
                let num_texts = group.num_texts;
                visit(Seed::Frequent { first, num_texts })?;
            } else if group.num_texts > 1 && self.leads_on(&group.places) {
                let places = &group.places;
                visit(Seed::Shared { number, places })?;
                number = narrow(number as usize + 1, "seeds of several texts")?;
            }
            group.places.clear();
            (group.num_texts, group.in_text, group.first) = (0, 0, None);
            Ok(())
        };
        self.rows.for_each(|row| {
            if group.first.is_some_and(|first| first.seed != row.seed) {
                settle(&mut group)?;
            }
            group.add(row, most);
            Ok(())
        })?;
        settle(&mut group)
    }

    /// Whether any two of these texts are compared: old ones are not with each other.
    fn leads_on(&self, places: &[SeedRow]) -> bool {
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return false;
        };
        // New texts have the lower ranks, so a new and an old one are first and last if there are
        // both.
        self.order.are_compared(first.text, last.text)
            || places
                .windows(2)
                .any(|two| self.order.are_compared(two[0].text, two[1].text))
    }

    /// Words of frequent sentences in a text. Runs within them lead nowhere: which of their runs
    /// are seeds depends on what stands around, so that one of a frequent sentence may be rare.
    pub(super) fn frequent_stretches(&self, text: &Words<'_>) -> Vec<Range<u32>> {
        let mut stretches = Vec::new();
        if self.frequent_hashes.is_empty() {
            return stretches;
        }
        let mut start = 0;
        for &end in text.sentences {
            let words = &text.words[start as usize..end as usize];
            if self.frequent_hashes.contains(&seeds::sentence_hash(words)) {
                stretches.push(start..end);
            }
            start = end;
        }
        stretches
    }

    /// The places of all seeds in some texts.
    pub(super) fn lists(&self, texts: Range<u32>) -> Result<SeedLists> {
        let mut starts = Vec::with_capacity(self.num_seeds as usize + 1);
        let mut places = Vec::new();
        self.each(|seed| {
            if let Seed::Shared { places: all, .. } = seed {
                starts.push(narrow(places.len(), "places of seeds")?);
                // All seeds have a start, also those without a place in this window: the list of a
                // seed is found by its number alone.
                let within = all.iter().filter(|place| texts.contains(&place.text));
                places.extend(within.map(|place| (place.text, place.at)));
            }
            Ok(())
        })?;
        starts.push(narrow(places.len(), "places of seeds")?);
        Ok(SeedLists { starts, places })
    }
}

/// Where seeds are, in some of the texts.
#[derive(Debug)]
pub(super) struct SeedLists {
    starts: Vec<u32>,
    places: Vec<(u32, u32)>,
}

impl SeedLists {
    /// Bytes of the lists of so many seeds and places.
    pub(super) fn bytes(num_seeds: u32, num_places: u64) -> u64 {
        u64::from(num_seeds) * 4 + num_places * 8
    }

    /// Calls `visit` with each of some seeds, and its texts and places in order. They are all over
    /// memory: what can be fetched without waiting for another is fetched together.
    pub(super) fn for_each<'a>(
        &'a self,
        seeds: &[OwnSeed],
        ranges: &mut Vec<(u32, u32)>,
        mut visit: impl FnMut(&OwnSeed, &'a [(u32, u32)]) -> Result<()>,
    ) -> Result<()> {
        // Three loops and not one: the starts of all seeds, then the first place of each list, then
        // the lists. Within a loop no access depends on the one before, so the processor fetches
        // many at a time.
        ranges.clear();
        ranges.extend(seeds.iter().map(|seed| {
            let number = seed.seed as usize;
            (self.starts[number], self.starts[number + 1])
        }));
        let touched = ranges.iter().fold(0, |touched, &(start, _)| {
            let first = self.places.get(start as usize);
            touched ^ first.map_or(0, |&(text, _)| text)
        });
        std::hint::black_box(touched);
        for (seed, &(start, end)) in seeds.iter().zip(ranges.iter()) {
            visit(seed, &self.places[start as usize..end as usize])?;
        }
        Ok(())
    }
}
