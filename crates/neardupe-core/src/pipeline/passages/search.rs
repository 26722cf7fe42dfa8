//! Passages of all pairs of texts that share seeds.

use super::config::PassagesConfig;
use super::hits::Hits;
use super::index::{OwnSeed, SeedIndex, Seeds};
use super::order::Order;
use super::saved::{Area, SearchState};
use super::texts::Texts;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::passage::seeds::{self, FEWEST_SEEDS};
use crate::passage::sentence_pairs::SentenceCounts;
use crate::passage::{Aligned, Scratch, passages_of};
use crate::store::{Rows, WorkDir};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;
use std::time::Duration;

/// With time a search saves less often, so that it never has more than some hundred files: at most this
/// share of its time is done again.
const SAVED_SHARE: u32 = 64;
/// Words of the shortest run that is a seed.
const SHORTEST_RUN: u32 = 8;
const _: () = assert!(SHORTEST_RUN as usize == seeds::RUN);

/// A passage: ranks of the texts, words on both sides, and their resemblance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct PassageRow {
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) left_start: u32,
    pub(super) left_end: u32,
    pub(super) right_start: u32,
    pub(super) right_end: u32,
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
    fn add(&mut self, other: &SearchCounts) {
        self.visited += other.visited;
        self.pairs += other.pairs;
        self.compared += other.compared;
    }
}

/// What a search needs.
pub(super) struct Search<'a> {
    pub(super) config: &'a PassagesConfig,
    pub(super) order: &'a Order,
    pub(super) texts: &'a Texts,
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

/// Buffers of a thread.
#[derive(Default)]
struct Buffers {
    ranges: Vec<(u32, u32)>,
    hits: Hits,
    left: Vec<u32>,
    right: Vec<u32>,
    scratch: Scratch,
}

impl Search<'_> {
    /// Finds all passages.
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
            // The same job may have had more memory before, and less now.
            let window = start..end.min(start.saturating_add(len));
            if window.end < end {
                state.left.push_front(Area {
                    right: window.end..end,
                    from: area.from,
                });
            }
            let index = self.seeds.index(window.clone())?;
            let window = Area {
                right: window,
                from: area.from,
            };
            self.window(&window, &index, &mut state, &mut times)?;
            state.num_windows += 1;
            if self.saves {
                state.save(None)?;
            }
        }
        Ok((state.found.finish()?, state.counts, state.num_windows))
    }

    /// Number of texts whose index fits in memory.
    fn window_len(&self) -> u32 {
        let num_texts = self.order.len();
        let room = self.config.budget.index_beside(self.held);
        let fixed = SeedIndex::bytes(self.seeds.num_seeds, 0);
        let all = SeedIndex::bytes(0, self.seeds.num_places);
        let room = room.saturating_sub(fixed).max(room / 8).max(1);
        let num = u32::try_from(all.div_ceil(room)).unwrap_or(u32::MAX);
        let num = num.clamp(1, num_texts.max(1));
        num_texts.div_ceil(num).max(1)
    }

    fn window(
        &self,
        window: &Area,
        index: &SeedIndex,
        state: &mut SearchState<'_>,
        times: &mut SaveTimes,
    ) -> Result<()> {
        let mut batch: Vec<OwnSeed> = Vec::new();
        let settle = |batch: &mut Vec<OwnSeed>, state: &mut SearchState<'_>| {
            self.progress.advance(batch.len() as u64);
            check_cancelled(self.progress)?;
            for (rows, counted) in self.batch(batch, &window.right, index)? {
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
        self.progress.advance(passed_over);
        settle(&mut batch, state)
    }

    fn batch(
        &self,
        batch: &[OwnSeed],
        window: &Range<u32>,
        index: &SeedIndex,
    ) -> Result<Vec<(Vec<PassageRow>, SearchCounts)>> {
        let mut tasks = Vec::new();
        let mut start = 0;
        for seeds in batch.chunk_by(|one, other| one.text == other.text) {
            let end = start + seeds.len();
            let text = seeds[0].text;
            // Right texts come after left ones.
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
            .with_max_len(16)
            .map_init(Buffers::default, |buffers, task| {
                self.text(task.text, &batch[task.seeds.clone()], index, buffers)
            })
            .collect()
    }

    /// Passages that a text shares with those after it.
    fn text(
        &self,
        left: u32,
        seeds: &[OwnSeed],
        index: &SeedIndex,
        buffers: &mut Buffers,
    ) -> Result<(Vec<PassageRow>, SearchCounts)> {
        let mut counts = SearchCounts::default();
        let of_left = self.texts.words(self.order.text(left), &mut buffers.left)?;
        let frequent = self.seeds.frequent_stretches(&of_left);
        let mut frequent = frequent.iter().peekable();
        buffers.hits.begin();
        buffers.scratch.begin_left();
        index.for_each(seeds, &mut buffers.ranges, |seed, places| {
            // Both are in order.
            while frequent.next_if(|stretch| stretch.end <= seed.at).is_some() {}
            let is_within = |stretch: &&Range<u32>| {
                stretch.start <= seed.at && seed.at + SHORTEST_RUN <= stretch.end
            };
            if frequent.peek().is_some_and(is_within) {
                return Ok(());
            }
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
