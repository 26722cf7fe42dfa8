//! Second stage: features are counted, and sets that can have a partner are selected.

use super::config::FindConfig;
use super::documents::{SetSegment, SetSpan};
use crate::candidate::counts::{Counting, Counts};
use crate::candidate::kept::{Kept, SelectedChunk, Selector};
use crate::candidate::postings::Postings;
use crate::document::Progress;
use crate::error::Result;
use rayon::prelude::*;

/// Features handled by one task, so that threads end at about the same time.
const TASK_FEATURES: usize = 1 << 20;

/// The kept sets and empty posting lists for them.
pub fn prepare(
    config: &FindConfig,
    segments: Vec<SetSegment>,
    progress: &dyn Progress,
) -> Result<(Kept, Postings)> {
    let sizes = segments.iter().flat_map(|segment| &segment.spans);
    let num_features: u64 = sizes.map(|span| u64::from(span.len)).sum();
    progress.begin("count", num_features);
    let counts = count(&segments, num_features, progress)?;
    progress.begin("select", num_features);
    let chunks = select(config, segments, &counts, progress)?;
    drop(counts);
    Kept::build(chunks)
}

fn count(
    segments: &[SetSegment],
    num_features: u64,
    progress: &dyn Progress,
) -> Result<Counts> {
    let counting = Counting::new(num_features);
    for segment in segments {
        // A segment holds its sets and nothing else, each distinct within itself.
        let features = segment.segment.features()?;
        features.par_chunks(TASK_FEATURES).for_each(|part| {
            counting.buffers().add(part);
        });
        progress.advance(features.len() as u64);
    }
    Ok(counting.finish())
}

fn select(
    config: &FindConfig,
    segments: Vec<SetSegment>,
    counts: &Counts,
    progress: &dyn Progress,
) -> Result<Vec<SelectedChunk>> {
    let mut chunks = Vec::new();
    for SetSegment { segment, spans } in segments {
        let features = segment.features()?;
        let tasks = split_tasks(&spans);
        let selected: Vec<SelectedChunk> = tasks
            .into_par_iter()
            .map(|spans| {
                let mut selector = Selector::new(config.threshold, config.filters, counts);
                let mut chunk = SelectedChunk::default();
                for span in spans {
                    let (start, len) = (span.start as usize, span.len as usize);
                    selector.select(span.set, &features[start..start + len], &mut chunk);
                }
                chunk.shrink();
                chunk
            })
            .collect();
        chunks.extend(selected);
        progress.advance(features.len() as u64);
        // The segment goes here: its kept sets have been copied.
    }
    Ok(chunks)
}

/// Cuts the sets of a segment into tasks of about equal numbers of features.
fn split_tasks(spans: &[SetSpan]) -> Vec<&[SetSpan]> {
    let mut tasks = Vec::new();
    let (mut first, mut len) = (0, 0);
    for (at, span) in spans.iter().enumerate() {
        len += span.len as usize;
        if len >= TASK_FEATURES {
            tasks.push(&spans[first..=at]);
            (first, len) = (at + 1, 0);
        }
    }
    if first < spans.len() {
        tasks.push(&spans[first..]);
    }
    tasks
}
