//! Chunks of feature sets: written once, read in order, in memory or in a work file.
//!
//! In a file a chunk comes with its heads regrouped by part (see [`super::partition`]) and cut
//! into slices, so that features are counted some parts at a time without reading the rest.

use super::partition::Partition;
use super::side::SideLayout;
use crate::document::WorkFile;
use crate::error::Result;
use crate::numbers::{SetIdx, in_memory, of_len};
use crate::store::{FrameFile, FrameWriter, WorkDir};
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Most slices of a chunk: the features can be counted in as many rounds.
const MAX_SLICES: usize = 64;

/// A set within a chunk.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct SetSpan {
    /// Number of the set.
    pub set: SetIdx,
    /// First feature in the chunk.
    pub start: u32,
    /// Number of features.
    pub len: u32,
    /// Number of features of its head, which come first.
    pub head: u32,
}

/// Sets and their features, at hand.
#[derive(Debug, Default)]
pub struct SetChunk {
    /// The features, set after set.
    pub features: Vec<u64>,
    /// The sets, in order of their places.
    pub spans: Vec<SetSpan>,
    /// Hashes of the sets, as long as they are needed.
    pub hashes: Vec<u128>,
    /// Side data of the sets, row after row, as long as it is needed; see [`super::side`].
    pub side: Vec<u64>,
}

impl SetChunk {
    /// Adds a set, all of which is its head.
    pub fn push(&mut self, set: SetIdx, features: &[u64]) {
        // A chunk of more features than fit 32 bits would hold a single set, which starts at 0 and fits.
        let (start, len) = (of_len(self.features.len()), of_len(features.len()));
        self.features.extend_from_slice(features);
        self.spans.push(SetSpan {
            set,
            start,
            len,
            head: len,
        });
    }

    /// Features of a set.
    pub fn set(&self, span: &SetSpan) -> &[u64] {
        &self.features[span.start as usize..span.start as usize + span.len as usize]
    }

    /// The head of a set.
    pub fn head(&self, span: &SetSpan) -> &[u64] {
        &self.features[span.start as usize..span.start as usize + span.head as usize]
    }

    /// The heads of all sets.
    pub fn heads(&self) -> impl Iterator<Item = &[u64]> + Clone {
        self.spans.iter().map(|span| self.head(span))
    }

    /// Number of features in the heads.
    pub fn num_heads(&self) -> u64 {
        self.spans.iter().map(|span| u64::from(span.head)).sum()
    }
}

/// Sets and their features, wherever they are.
#[derive(Debug)]
pub enum Chunk {
    /// In memory.
    Memory(SetChunk),
    /// In a work file.
    Stored(StoredChunk),
}

/// A chunk in a work file.
#[derive(Debug)]
pub struct StoredChunk {
    file: Arc<FrameFile>,
    side_layout: SideLayout,
    frames: ChunkFrames,
    /// Where each slice begins.
    slices: Vec<u64>,
}

/// Where the frames of a chunk begin in its file.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ChunkFrames {
    spans: u64,
    hashes: u64,
    side: u64,
    features: u64,
    num_features: u64,
    num_heads: u64,
    num_slices: u64,
}

/// Parts in a slice when heads are made of this many parts.
fn parts_per_slice(head_parts: usize) -> usize {
    head_parts.div_ceil(MAX_SLICES).max(1)
}

/// Cuts the parts of heads into this many ranges, or fewer, each of whole slices.
pub fn part_ranges(head_parts: usize, wanted: usize) -> Vec<Range<usize>> {
    let step = parts_per_slice(head_parts);
    let num_slices = head_parts.div_ceil(step);
    let slices = num_slices.div_ceil(wanted.max(1)) * step;
    let starts = (0..head_parts).step_by(slices);
    starts
        .map(|start| start..head_parts.min(start + slices))
        .collect()
}

impl Chunk {
    /// Number of features in the heads.
    pub fn num_heads(&self) -> u64 {
        match self {
            Chunk::Memory(chunk) => chunk.num_heads(),
            Chunk::Stored(stored) => stored.frames.num_heads,
        }
    }

    /// Number of features.
    pub fn num_features(&self) -> u64 {
        match self {
            Chunk::Memory(chunk) => chunk.features.len() as u64,
            Chunk::Stored(stored) => stored.frames.num_features,
        }
    }

    /// The sets and their features.
    pub fn load(self) -> Result<SetChunk> {
        match self {
            Chunk::Memory(chunk) => Ok(chunk),
            Chunk::Stored(stored) => stored.load(),
        }
    }

    /// The sets and their features, to look at.
    pub fn read(&self) -> Result<Readable<'_>> {
        match self {
            Chunk::Memory(chunk) => Ok(Readable::Here(chunk)),
            Chunk::Stored(stored) => Ok(Readable::Fetched(stored.load()?)),
        }
    }

    /// The sets alone.
    pub fn spans(&self) -> Result<Vec<SetSpan>> {
        match self {
            Chunk::Memory(chunk) => Ok(chunk.spans.clone()),
            Chunk::Stored(stored) => {
                let mut spans = Vec::new();
                stored.file.read(stored.frames.spans, &mut spans)?;
                Ok(spans)
            }
        }
    }

    /// The hashes of the sets, by place; none unless they were given.
    pub fn hashes(&self) -> Result<Vec<u128>> {
        match self {
            Chunk::Memory(chunk) => Ok(chunk.hashes.clone()),
            Chunk::Stored(stored) => {
                let mut hashes = Vec::new();
                stored.file.read(stored.frames.hashes, &mut hashes)?;
                Ok(hashes)
            }
        }
    }

    /// The side data of the sets, by place, which has this layout.
    pub fn side(&self, layout: &SideLayout) -> Result<Vec<u64>> {
        match self {
            _ if layout.words() == 0 => Ok(Vec::new()),
            Chunk::Memory(chunk) => Ok(chunk.side.clone()),
            Chunk::Stored(stored) => {
                let mut side = Vec::new();
                stored.side_layout.check(layout, stored.file.path())?;
                stored.file.read(stored.frames.side, &mut side)?;
                Ok(side)
            }
        }
    }

    /// Regroups the heads, those of `parts` at least.
    pub fn regroup(
        &self,
        head_parts: usize,
        parts: &Range<usize>,
        partition: &mut Partition,
    ) -> Result<()> {
        match self {
            Chunk::Memory(chunk) => partition.fill(chunk.heads()),
            Chunk::Stored(stored) => {
                partition.clear();
                let step = parts_per_slice(head_parts);
                let mut rests = Vec::new();
                // Whole slices: what is read beyond the parts asked for is regrouped and not looked at.
                for slice in parts.start / step..parts.end.div_ceil(step) {
                    stored.file.read(stored.slices[slice], &mut rests)?;
                    let first = slice * step;
                    partition.append(first..head_parts.min(first + step), &rests);
                }
                partition.close();
            }
        }
        Ok(())
    }
}

/// A chunk at hand, or fetched for the while.
#[derive(Debug)]
pub enum Readable<'a> {
    /// In memory already.
    Here(&'a SetChunk),
    /// Read from its file.
    Fetched(SetChunk),
}

impl std::ops::Deref for Readable<'_> {
    type Target = SetChunk;

    fn deref(&self) -> &SetChunk {
        match self {
            Readable::Here(chunk) => chunk,
            Readable::Fetched(chunk) => chunk,
        }
    }
}

impl StoredChunk {
    /// Sets and features; hashes and side data have been used by then.
    fn load(&self) -> Result<SetChunk> {
        let mut chunk = SetChunk::default();
        self.file.read(self.frames.spans, &mut chunk.spans)?;
        self.file.read(self.frames.features, &mut chunk.features)?;
        Ok(chunk)
    }
}

/// Writes chunks to a work file.
#[derive(Debug)]
pub struct ChunkWriter {
    out: FrameWriter,
    head_parts: usize,
    side_layout: SideLayout,
    directory: Vec<u64>,
    partition: Partition,
}

/// A complete file of chunks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChunkFile {
    /// The file.
    pub file: WorkFile,
    directory: u64,
    /// What side data means.
    #[serde(default)]
    side: SideLayout,
}

impl ChunkWriter {
    /// Begins a file.
    pub fn create(work: &WorkDir, name: &str, head_parts: usize) -> Result<Self> {
        Ok(ChunkWriter {
            out: work.create(name)?,
            head_parts,
            side_layout: SideLayout::default(),
            directory: Vec::new(),
            partition: Partition::default(),
        })
    }

    /// Says what the side data of the chunks means.
    pub fn with_side(mut self, layout: SideLayout) -> Self {
        self.side_layout = layout;
        self
    }

    /// Appends a chunk.
    pub fn write(&mut self, chunk: &SetChunk) -> Result<()> {
        self.partition.fill(chunk.heads());
        let mut slices = Vec::new();
        // Slices come first, each a frame, so that a round of counting reads its parts and nothing else.
        let step = parts_per_slice(self.head_parts);
        for first in (0..self.head_parts).step_by(step) {
            let parts = first..self.head_parts.min(first + step);
            slices.push(self.out.frame(&self.partition.slice(parts))?);
        }
        let frames = ChunkFrames {
            spans: self.out.frame(&chunk.spans)?,
            hashes: self.out.frame(&chunk.hashes)?,
            side: self.out.frame(&chunk.side)?,
            features: self.out.frame(&chunk.features)?,
            num_features: chunk.features.len() as u64,
            num_heads: chunk.num_heads(),
            num_slices: slices.len() as u64,
        };
        self.directory
            .extend_from_slice(bytemuck::cast_slice(&[frames]));
        self.directory.extend(slices);
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<ChunkFile> {
        let directory = self.out.frame(&self.directory)?;
        let file = self.out.finish()?;
        Ok(ChunkFile {
            file,
            directory,
            side: self.side_layout,
        })
    }
}

/// The chunks of a complete file.
pub fn open_chunks(work: &WorkDir, stored: &ChunkFile) -> Result<Vec<Chunk>> {
    let file = Arc::new(work.open(&stored.file)?);
    let mut directory: Vec<u64> = Vec::new();
    file.read(stored.directory, &mut directory)?;
    let mut chunks = Vec::new();
    let mut rest = &directory[..];
    while !rest.is_empty() {
        let (frames, after) = rest.split_at(size_of::<ChunkFrames>() / 8);
        let frames: ChunkFrames = bytemuck::cast_slice(frames)[0];
        let num_slices = in_memory(frames.num_slices);
        let (slices, after) = after.split_at(num_slices);
        chunks.push(Chunk::Stored(StoredChunk {
            file: Arc::clone(&file),
            side_layout: stored.side.clone(),
            frames,
            slices: slices.to_vec(),
        }));
        rest = after;
    }
    Ok(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::partition::{NUM_PARTS, part_of};
    use crate::hash::mix;

    #[test]
    fn a_stored_chunk_regroups_like_one_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkDir::new(folder.path().join("work"));
        for head_parts in [1, 63, 100, 200, NUM_PARTS] {
            let mut chunk = SetChunk::default();
            for number in 0..40u32 {
                let mut features: Vec<u64> = (0..u64::from(number) * 7)
                    .map(|n| mix(n + u64::from(number)))
                    .collect();
                features.sort_by_key(|&feature| part_of(feature) >= head_parts);
                let head = features
                    .iter()
                    .filter(|f| part_of(**f) < head_parts)
                    .count();
                chunk.spans.push(SetSpan {
                    set: SetIdx::new(number),
                    start: u32::try_from(chunk.features.len()).unwrap(),
                    len: u32::try_from(features.len()).unwrap(),
                    head: u32::try_from(head).unwrap(),
                });
                chunk.features.extend(features);
            }
            let name = format!("chunks-{head_parts}");
            let mut writer = ChunkWriter::create(&work, &name, head_parts).unwrap();
            writer.write(&SetChunk::default()).unwrap();
            writer.write(&chunk).unwrap();
            let stored = writer.finish().unwrap();
            let chunks = open_chunks(&work, &stored).unwrap();
            assert_eq!(chunks[1].num_heads(), chunk.num_heads());
            let memory = Chunk::Memory(chunk);
            let (mut one, mut other) = (Partition::default(), Partition::default());
            for wanted in [1, 3, 64] {
                let ranges = part_ranges(head_parts, wanted);
                assert_eq!(ranges[0].start, 0);
                assert_eq!(ranges[ranges.len() - 1].end, head_parts);
                for parts in ranges {
                    memory.regroup(head_parts, &parts, &mut one).unwrap();
                    chunks[1].regroup(head_parts, &parts, &mut other).unwrap();
                    for part in parts {
                        assert_eq!(one.part(part), other.part(part));
                    }
                }
            }
            let loaded = chunks.into_iter().nth(1).unwrap().load().unwrap();
            assert_eq!(loaded.features, memory.load().unwrap().features);
        }
    }
}
