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
use std::borrow::Cow;

/// Features handled by one task, so that threads end at about the same time.
const TASK_FEATURES: usize = 1 << 20;
/// Segments, and chunks of open sets, regrouped together: enough that the counters of a
/// part, once in cache, serve many features.
const GROUP_SEGMENTS: usize = 6;
const GROUP_OPEN: usize = 24;

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
        for group in segments.chunks(GROUP_SEGMENTS) {
            let loaded = load(group)?;
            lookups.regroup(&tasks(group, &loaded), head);
            counts.add(&lookups.partitions);
            progress.advance(num_heads(group));
        }
    }
    let mut open = Vec::new();
    let mut segments = segments.into_iter().peekable();
    while segments.peek().is_some() {
        let group: Vec<SetSegment> = segments.by_ref().take(GROUP_SEGMENTS).collect();
        let loaded = load(&group)?;
        let tasks = tasks(&group, &loaded);
        if num_parts == NUM_PARTS {
            // The head is the whole set: it will be looked up once, when it is ranked.
            open.par_extend(tasks.par_iter().map(|task| task.open(task.spans.iter())));
            continue;
        }
        lookups.regroup(&tasks, head);
        let cursors = lookups.look_up(&counts);
        let left = tasks.par_iter().zip(cursors).map(|(task, mut cursors)| {
            let mut rarities = Vec::new();
            let undecided = task.spans.iter().filter(|span| {
                lookups.read_back(head(task.features, span), &mut cursors, &mut rarities);
                let singles = rarities.iter().filter(|&&rarity| rarity == 0).count();
                let needed = config.filters.prefix_len(config.threshold, span.len);
                singles < needed as usize
            });
            task.open(undecided)
        });
        open.par_extend(left);
        progress.advance(num_heads(&group));
        // The segments go here: what is open has been copied.
    }
    Ok(open)
}

fn load(group: &[SetSegment]) -> Result<Vec<Cow<'_, [u64]>>> {
    group
        .iter()
        .map(|segment| segment.segment.features())
        .collect()
}

fn num_heads(group: &[SetSegment]) -> u64 {
    let spans = group.iter().flat_map(|segment| &segment.spans);
    spans.map(|span| u64::from(span.head)).sum()
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
    for group in open.chunks(GROUP_OPEN) {
        lookups.regroup_open(group);
        counts.add(&lookups.partitions);
        progress.advance(group.iter().map(|open| open.features.len() as u64).sum());
    }
    let mut chunks = Vec::new();
    let mut open = open.into_iter().peekable();
    while open.peek().is_some() {
        let group: Vec<Open> = open.by_ref().take(GROUP_OPEN).collect();
        lookups.regroup_open(&group);
        let cursors = lookups.look_up(&counts);
        progress.advance(group.iter().map(|open| open.features.len() as u64).sum());
        let selected = group
            .into_par_iter()
            .zip(cursors)
            .map(|(open, mut cursors)| {
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

/// Sets of one segment that are handled together.
#[derive(Debug, Clone, Copy)]
struct Task<'a> {
    features: &'a [u64],
    spans: &'a [SetSpan],
}

impl Task<'_> {
    /// Copies some of its sets out of the segment.
    fn open<'s>(&self, spans: impl Iterator<Item = &'s SetSpan>) -> Open {
        let mut open = Open::default();
        for span in spans {
            let start = u32::try_from(open.features.len()).unwrap_or(u32::MAX);
            open.features.extend_from_slice(whole(self.features, span));
            open.spans.push(SetSpan { start, ..*span });
        }
        open
    }
}

fn whole<'a>(features: &'a [u64], span: &SetSpan) -> &'a [u64] {
    &features[span.start as usize..span.start as usize + span.len as usize]
}

fn head<'a>(features: &'a [u64], span: &SetSpan) -> &'a [u64] {
    &features[span.start as usize..span.start as usize + span.head as usize]
}

/// Cuts the sets of segments into tasks of about equal numbers of head features.
fn tasks<'a>(group: &'a [SetSegment], loaded: &'a [Cow<'_, [u64]>]) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for (segment, features) in group.iter().zip(loaded) {
        let spans = &segment.spans[..];
        let (mut first, mut total) = (0, 0);
        for (at, span) in spans.iter().enumerate() {
            total += span.head as usize;
            if total >= TASK_FEATURES {
                tasks.push(Task {
                    features,
                    spans: &spans[first..=at],
                });
                (first, total) = (at + 1, 0);
            }
        }
        if first < spans.len() {
            tasks.push(Task {
                features,
                spans: &spans[first..],
            });
        }
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
    fn regroup(
        &mut self,
        tasks: &[Task<'_>],
        part: for<'f> fn(&'f [u64], &SetSpan) -> &'f [u64],
    ) {
        self.partitions.resize_with(tasks.len(), Partition::default);
        self.partitions
            .par_iter_mut()
            .zip(tasks)
            .for_each(|(partition, task)| {
                partition.fill(task.spans.iter().map(|span| part(task.features, span)));
            });
    }

    fn regroup_open(&mut self, group: &[Open]) {
        self.partitions.resize_with(group.len(), Partition::default);
        self.partitions
            .par_iter_mut()
            .zip(group)
            .for_each(|(partition, open)| {
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
