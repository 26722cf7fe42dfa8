//! Passages of all pairs of texts that share seeds.
//!
//! Each text is the left one of all texts after it. The texts on the right are taken in windows whose
//! lists of seeds fit in memory; for each window all texts before its end pass once, in batches that
//! threads share. Within a batch tasks are independent, and their rows are taken in order, so neither
//! threads nor windows change the result: the rows are sorted at the end.
//!
//! The cost is the number of places of shared seeds, plus one comparison for each pair of texts
//! with [`FEWEST_SEEDS`] seeds in common. What too many texts have is not used as a seed, which
//! bounds both.

use super::config::PassagesConfig;
use super::hits::Hits;
use super::order::Order;
use super::saved::{Area, SearchState};
use super::seed_lists::{OwnSeed, SeedLists, Seeds};
use super::texts::TextStore;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::numbers::saturated;
use crate::passage::seeds::{self, FEWEST_SEEDS};
use crate::passage::sentence_pairs::SentenceCounts;
use crate::passage::{Aligned, Scratch, passages_of};
use crate::store::{Rows, WorkDir};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;
use std::time::Duration;

/// With time a search saves less often, so that it never has more than some hundred files: at most
/// this share of its time is done again.
const SAVED_SHARE: u32 = 64;
/// Words of the shortest run that is a seed.
const SHORTEST_RUN: u32 = 8;
const _: () = assert!(SHORTEST_RUN as usize == seeds::RUN);

/// A passage: ranks of the texts, words on both sides, and their resemblance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PassageRow {
    /// Ranks of texts while they are searched, of documents afterwards.
    pub(super) left: u32,
    pub(super) right: u32,
    /// Words, from the first to the one after the last.
    pub(super) left_start: u32,
    pub(super) left_end: u32,
    pub(super) right_start: u32,
    pub(super) right_end: u32,
    /// Different words that both sides have, and that either has.
    pub(super) common: u32,
    pub(super) union: u32,
}

impl PassageRow {
    /// Whether both are of the same two texts.
    pub(super) fn is_of_pair(&self, other: &Self) -> bool {
        (self.left, self.right) == (other.left, other.right)
    }

    /// The same with its sides exchanged.
    pub(super) fn turned(self) -> Self {
        PassageRow {
            left: self.right,
            right: self.left,
            left_start: self.right_start,
            left_end: self.right_end,
            right_start: self.left_start,
            right_end: self.left_end,
            ..self
        }
    }
}

/// What the search did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// Seeds that several texts have.
    pub seeds: u64,
    /// Runs of words that too many texts have.
    pub frequent_runs: u64,
    /// Places of seeds looked at.
    pub visited: u64,
    /// Pairs of texts with a seed in common.
    pub pairs: u64,
    /// Pairs of texts that were compared.
    pub compared: u64,
    /// What a search by diagonals counted instead.
    pub sentences: Option<SentenceCounts>,
}

impl SearchCounts {
    /// Adds what the search for one text did; the other numbers are known before.
    fn add(&mut self, other: &SearchCounts) {
        self.visited += other.visited;
        self.pairs += other.pairs;
        self.compared += other.compared;
    }
}

/// What a search needs.
pub(super) struct SeedSearch<'a> {
    pub(super) config: &'a PassagesConfig,
    pub(super) order: &'a Order,
    pub(super) texts: &'a TextStore,
    pub(super) seeds: &'a Seeds<'a>,
    pub(super) work: &'a WorkDir,
    pub(super) progress: &'a dyn Progress,
    /// Bytes that are held already.
    pub(super) held: u64,
    /// How far it is is entered in the manifest.
    pub(super) saves: bool,
}

/// A text with its seeds among those at hand.
struct Task {
    text: u32,
    seeds: Range<usize>,
}

/// When a search saves how far it is.
struct SaveTimes {
    began: Duration,
    last: Duration,
}

impl SaveTimes {
    /// Whether it is time to save. The longer a search lasts, the longer it waits.
    fn is_time(&mut self, config: &PassagesConfig) -> bool {
        let now = (config.clock)();
        let since = |time: Duration| now.saturating_sub(time);
        let wait = config.save_after.max(since(self.began) / SAVED_SHARE);
        let is_time = since(self.last) >= wait;
        if is_time {
            self.last = now;
        }
        is_time
    }
}

/// Buffers of a thread: no text allocates once they have grown.
#[derive(Default)]
struct Buffers {
    ranges: Vec<(u32, u32)>,
    hits: Hits,
    left: Vec<u32>,
    right: Vec<u32>,
    scratch: Scratch,
}

impl SeedSearch<'_> {
    /// Finds all passages: the rows sorted, what was counted, and the number of windows. A search that
    /// was interrupted begins with the areas that it had left.
    pub(super) fn run(&self) -> Result<(Rows<PassageRow>, SearchCounts, u32)> {
        let (rows, num_texts) = (self.config.budget.rows, self.order.len());
        let mut state = SearchState::take(self.work, rows, num_texts)?;
        let len = self.window_len();
        let windows = state.left.iter().map(|area| area.right.len());
        let num_windows: usize = windows.map(|texts| texts.div_ceil(len as usize)).sum();
        let total = self.seeds.by_text.len() * num_windows as u64;
        self.progress.begin("search", total);
        let began = (self.config.clock)();
        let mut times = SaveTimes { began, last: began };
        while let Some(area) = state.left.pop_front() {
            let Range { start, end } = area.right;
            if start == end {
                continue;
            }
            // The same job may have had more memory before, and less now: an area that it left is cut
            // again.
            let window = start..end.min(start.saturating_add(len));
            if window.end < end {
                state.left.push_front(Area {
                    right: window.end..end,
                    from: area.from,
                });
            }
            let lists = self.seeds.lists(window.clone())?;
            let window = Area {
                right: window,
                from: area.from,
            };
            self.window(&window, &lists, &mut state, &mut times)?;
            state.num_windows += 1;
            if self.saves {
                state.save(None)?;
            }
        }
        Ok((state.found.finish()?, state.counts, state.num_windows))
    }

    /// Number of texts whose seed lists fit in memory.
    fn window_len(&self) -> u32 {
        let num_texts = self.order.len();
        let allowed = self.config.budget.window_beside(self.held);
        let fixed = SeedLists::bytes(self.seeds.num_seeds, 0);
        let all = SeedLists::bytes(0, self.seeds.num_places);
        // The starts of all lists are there whatever the window. Where they take nearly everything,
        // an eighth is used all the same: else there would be a window for each text.
        let room = allowed.saturating_sub(fixed).max(allowed / 8).max(1);
        // No more windows than texts, however little memory there is.
        let num_windows = saturated(all.div_ceil(room)).clamp(1, num_texts.max(1));
        num_texts.div_ceil(num_windows).max(1)
    }

    /// Compares the texts of one window with all texts before its end.
    fn window(
        &self,
        window: &Area,
        lists: &SeedLists,
        state: &mut SearchState<'_>,
        times: &mut SaveTimes,
    ) -> Result<()> {
        let mut batch: Vec<OwnSeed> = Vec::new();
        let settle = |batch: &mut Vec<OwnSeed>, state: &mut SearchState<'_>| {
            self.progress.advance(batch.len() as u64);
            check_cancelled(self.progress)?;
            for (rows, counted) in self.batch(batch, &window.right, lists)? {
                state.counts.add(&counted);
                rows.into_iter().try_for_each(|row| state.found.push(row))?;
            }
            batch.clear();
            Result::Ok(())
        };
        let mut passed_over = 0;
        self.seeds.by_text.for_each(|seed| {
            if seed.text < window.from {
                passed_over += 1;
                return Ok(());
            }
            // A batch ends with a text, since a text is compared with its seeds all at hand.
            let is_new_text = batch.last().is_some_and(|last| last.text != seed.text);
            if is_new_text && batch.len() >= self.config.batch_seeds {
                settle(&mut batch, state)?;
                if self.saves && times.is_time(self.config) {
                    state.save(Some(Area {
                        right: window.right.clone(),
                        from: seed.text,
                    }))?;
                }
            }
            batch.push(seed);
            Ok(())
        })?;
        // A resumed job counts what was done before as done.
        self.progress.advance(passed_over);
        settle(&mut batch, state)
    }

    /// The passages of some left texts, in the order of these texts.
    fn batch(
        &self,
        batch: &[OwnSeed],
        window: &Range<u32>,
        lists: &SeedLists,
    ) -> Result<Vec<(Vec<PassageRow>, SearchCounts)>> {
        let mut tasks = Vec::new();
        let mut start = 0;
        for seeds in batch.chunk_by(|one, other| one.text == other.text) {
            let end = start + seeds.len();
            let text = seeds[0].text;
            // Right texts come after left ones: a text behind the window has none in it.
            if text < window.end {
                tasks.push(Task {
                    text,
                    seeds: start..end,
                });
            }
            start = end;
        }
        tasks
            .par_iter()
            // Few at a time: texts that share much may stand together, and would all fall to one
            // thread.
            .with_max_len(16)
            .map_init(Buffers::default, |buffers, task| {
                self.text(task.text, &batch[task.seeds.clone()], lists, buffers)
            })
            .collect()
    }

    /// Passages that a text shares with those after it: which texts share seeds, in chains, then one
    /// comparison for each that shares enough.
    fn text(
        &self,
        left: u32,
        seeds: &[OwnSeed],
        lists: &SeedLists,
        buffers: &mut Buffers,
    ) -> Result<(Vec<PassageRow>, SearchCounts)> {
        let mut counts = SearchCounts::default();
        let of_left = self.texts.words(self.order.text(left), &mut buffers.left)?;
        let frequent = self.seeds.frequent_stretches(&of_left);
        let mut frequent = frequent.iter().peekable();
        buffers.hits.begin();
        buffers.scratch.begin_left();
        lists.for_each(seeds, &mut buffers.ranges, |seed, places| {
            // Seeds and frequent stretches are both in the order of the text, so one walk does.
            while frequent.next_if(|stretch| stretch.end <= seed.at).is_some() {}
            let is_within = |stretch: &&Range<u32>| {
                stretch.start <= seed.at && seed.at + SHORTEST_RUN <= stretch.end
            };
            if frequent.peek().is_some_and(is_within) {
                return Ok(());
            }
            // Places are sorted by text: those of texts before this one were seen from there.
            let after = places.partition_point(|&(text, _)| text <= left);
            counts.visited += (places.len() - after) as u64;
            for &(right, at) in &places[after..] {
                if self.order.are_compared(left, right) {
                    buffers.hits.add(right, seed.at, at)?;
                }
            }
            Ok(())
        })?;
        let mut rows = Vec::new();
        // The words of other texts are all over memory. Asked for together, they arrive together;
        // the loop below would wait for one after the other. `black_box` keeps the compiler from
        // taking this out, since the value is of no use.
        let touched = buffers.hits.others().fold(0, |touched, (right, at)| {
            touched ^ self.texts.touch_word(self.order.text(right), at)
        });
        std::hint::black_box(touched);
        for (right, num_seeds, chains) in buffers.hits.by_text() {
            counts.pairs += 1;
            if num_seeds < FEWEST_SEEDS {
                continue;
            }
            counts.compared += 1;
            let right_text = self.order.text(right);
            let right_words = self.texts.words(right_text, &mut buffers.right)?.words;
            let passages = passages_of(
                of_left.words,
                right_words,
                chains,
                &self.config.rule,
                &mut buffers.scratch,
            );
            rows.extend(passages.iter().map(|one| row(left, right, one)));
        }
        Ok((rows, counts))
    }
}

/// A passage of two texts as it is sorted: by the texts, then by place in the left one.
#[expect(clippy::cast_possible_truncation, reason = "texts have fewer words")]
fn row(left: u32, right: u32, passage: &Aligned) -> PassageRow {
    PassageRow {
        left,
        right,
        left_start: passage.left.start as u32,
        left_end: passage.left.end as u32,
        right_start: passage.right.start as u32,
        right_end: passage.right.end as u32,
        common: passage.common,
        union: passage.union,
    }
}
