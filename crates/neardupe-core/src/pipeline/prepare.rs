//! Second stage: features are counted, and sets that can have a partner are selected.
//!
//! A feature that occurs in a single set tells that its set has one partner less to hope
//! for: with enough of them there is none. Most sets of most collections have no partner,
//! and the head of a set (its features from some parts of the feature space) shows it. So
//! first heads alone are counted, over all sets, and only what they leave open is counted
//! and ranked in full: fewer features, and rarities within the sets that matter.

use super::config::FindConfig;
use super::documents::{SetSegment, SetSpan};
use crate::candidate::counts::{Counts, Rarity};
use crate::candidate::kept::{Kept, SelectedChunk, Selector};
use crate::candidate::partition::{NUM_PARTS, Partition, cursors, part_of};
use crate::candidate::postings::Postings;
use crate::document::Progress;
use crate::error::Result;
use rayon::prelude::*;

/// Features handled by one task, so that threads end at about the same time.
const TASK_FEATURES: usize = 1 << 20;
/// Tasks regrouped together: enough that each part's counters, once in cache, are used.
const GROUP_TASKS: usize = 8;

/// The kept sets and empty posting lists for them.
pub fn prepare(
    config: &FindConfig,
    segments: Vec<SetSegment>,
    progress: &dyn Progress,
) -> Result<(Kept, Postings)> {
    let mut lookups = Lookups::default();
    let open = sieve(config, segments, &mut lookups, progress)?;
    let chunks = rank(config, open, &mut lookups, progress);
    drop(lookups);
    Kept::build(chunks)
}

/// Sets that may have a partner, and their features.
#[derive(Debug, Default)]
struct Open {
    features: Vec<u64>,
    spans: Vec<SetSpan>,
}

/// Drops the sets whose heads show that they have no partner.
fn sieve(
    config: &FindConfig,
    segments: Vec<SetSegment>,
    lookups: &mut Lookups,
    progress: &dyn Progress,
) -> Result<Vec<Open>> {
    let num_parts = config.filters.head_parts(config.threshold);
    let spans = segments.iter().flat_map(|segment| &segment.spans);
    let num_features: u64 = spans.map(|span| u64::from(span.head)).sum();
    progress.begin("count", num_features * 2);
    let mut counts = Counts::new(num_features, num_parts);
    if num_parts < NUM_PARTS {
        for SetSegment { segment, spans } in &segments {
            let features = segment.features()?;
            for tasks in tasks(spans, |span| span.head).chunks(GROUP_TASKS) {
                lookups.regroup(tasks, |span| head(&features, span));
                counts.add(&lookups.partitions);
            }
            progress.advance(spans.iter().map(|span| u64::from(span.head)).sum());
        }
    }
    let mut open = Vec::new();
    for SetSegment { segment, spans } in segments {
        let features = segment.features()?;
        for tasks in tasks(&spans, |span| span.head).chunks(GROUP_TASKS) {
            if num_parts == NUM_PARTS {
                open.par_extend(tasks.par_iter().map(|task| Open::of(&features, task.iter())));
                continue;
            }
            lookups.regroup(tasks, |span| head(&features, span));
            let cursors = lookups.look_up(&counts);
            let left = tasks.par_iter().zip(cursors).map(|(task, mut cursors)| {
                let mut rarities = Vec::new();
                let undecided = task.iter().filter(|span| {
                    lookups.read_back(head(&features, span), &mut cursors, &mut rarities);
                    let singles = rarities.iter().filter(|&&rarity| rarity == 0).count();
                    let needed = config.filters.prefix_len(config.threshold, span.len);
                    singles < needed as usize
                });
                Open::of(&features, undecided)
            });
            open.par_extend(left);
        }
        progress.advance(spans.iter().map(|span| u64::from(span.head)).sum());
        // The segment goes here: what is open has been copied.
    }
    Ok(open)
}

/// Ranks the features of the open sets and selects their prefixes.
fn rank(
    config: &FindConfig,
    open: Vec<Open>,
    lookups: &mut Lookups,
    progress: &dyn Progress,
) -> Vec<SelectedChunk> {
    let num_features: u64 = open.iter().map(|open| open.features.len() as u64).sum();
    progress.begin("select", num_features * 2);
    let mut counts = Counts::new(num_features, NUM_PARTS);
    for group in open.chunks(GROUP_TASKS) {
        lookups.regroup_open(group);
        counts.add(&lookups.partitions);
        progress.advance(group.iter().map(|open| open.features.len() as u64).sum());
    }
    let mut chunks = Vec::new();
    let mut open = open.into_iter().peekable();
    while open.peek().is_some() {
        let group: Vec<Open> = open.by_ref().take(GROUP_TASKS).collect();
        lookups.regroup_open(&group);
        let cursors = lookups.look_up(&counts);
        progress.advance(group.iter().map(|open| open.features.len() as u64).sum());
        let selected = group.into_par_iter().zip(cursors).map(|(open, mut cursors)| {
            let mut selector = Selector::new(config.threshold, config.filters);
            let mut chunk = SelectedChunk::default();
            let mut rarities = Vec::new();
            for span in &open.spans {
                let features = whole(&open.features, span);
                lookups.read_back(features, &mut cursors, &mut rarities);
                let start = span.start as usize;
                selector.select(span.set, start, features, &rarities, &mut chunk);
            }
            chunk.with_features(open.features)
        });
        chunks.par_extend(selected);
    }
    chunks
}

/// Sets that are handled together.
type Task<'a> = &'a [SetSpan];

fn whole<'a>(features: &'a [u64], span: &SetSpan) -> &'a [u64] {
    &features[span.start as usize..span.start as usize + span.len as usize]
}

fn head<'a>(features: &'a [u64], span: &SetSpan) -> &'a [u64] {
    &features[span.start as usize..span.start as usize + span.head as usize]
}

impl Open {
    /// Copies sets out of a segment.
    fn of<'s>(features: &[u64], spans: impl Iterator<Item = &'s SetSpan>) -> Self {
        let mut open = Open::default();
        for span in spans {
            let start = u32::try_from(open.features.len()).unwrap_or(u32::MAX);
            open.features.extend_from_slice(whole(features, span));
            open.spans.push(SetSpan { start, ..*span });
        }
        open
    }
}

/// Cuts sets into tasks of about equal numbers of features.
fn tasks(spans: &[SetSpan], len: impl Fn(&SetSpan) -> u32) -> Vec<Task<'_>> {
    let mut tasks = Vec::new();
    let (mut first, mut total) = (0, 0);
    for (at, span) in spans.iter().enumerate() {
        total += len(span) as usize;
        if total >= TASK_FEATURES {
            tasks.push(&spans[first..=at]);
            (first, total) = (at + 1, 0);
        }
    }
    if first < spans.len() {
        tasks.push(&spans[first..]);
    }
    tasks
}

/// Buffers to meet counters part by part, used again and again.
#[derive(Debug, Default)]
struct Lookups {
    partitions: Vec<Partition>,
    rarities: Vec<Vec<Rarity>>,
}

impl Lookups {
    fn regroup<'f>(
        &mut self,
        tasks: &[Task<'_>],
        features: impl Fn(&SetSpan) -> &'f [u64] + Sync,
    ) {
        self.partitions.resize_with(tasks.len(), Partition::default);
        self.partitions.par_iter_mut().zip(tasks).for_each(|(partition, task)| {
            partition.fill(task.iter().map(&features));
        });
    }

    fn regroup_open(&mut self, group: &[Open]) {
        self.partitions.resize_with(group.len(), Partition::default);
        self.partitions.par_iter_mut().zip(group).for_each(|(partition, open)| {
            partition.fill(std::iter::once(&open.features[..]));
        });
    }

    /// Looks up what was regrouped; where each task begins in each part.
    fn look_up(&mut self, counts: &Counts) -> Vec<[u32; NUM_PARTS]> {
        counts.rarities(&self.partitions, &mut self.rarities);
        cursors(&self.partitions)
    }

    /// The rarities of features in their own order.
    #[inline]
    fn read_back(
        &self,
        features: &[u64],
        cursors: &mut [u32; NUM_PARTS],
        rarities: &mut Vec<Rarity>,
    ) {
        rarities.clear();
        rarities.extend(features.iter().map(|&feature| {
            let part = part_of(feature);
            let cursor = &mut cursors[part];
            let rarity = self.rarities[part][*cursor as usize];
            *cursor += 1;
            rarity
        }));
    }
}
