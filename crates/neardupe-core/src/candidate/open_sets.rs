//! The sets that can have a partner: their features, bitmaps and prefixes, in memory or in a
//! work file.
//!
//! Selected from chunks in parallel, in any order; then numbered by descending size, so a
//! smaller number is a set at least as large.

use super::bitmap::{self, Sketch};
use super::chunk::{SetChunk, SetSpan};
use super::counts::Rarity;
use super::filter::Filters;
use super::levels::Levels;
use super::prefix::PrefixSelector;
use super::wanted::WantedFeatures;
use crate::document::WorkFile;
use crate::error::Result;
use crate::numbers::{Column, OpenIdx, SetIdx, in_memory, of_len};
use crate::similarity::Bounds;
use crate::store::{FrameFile, FrameWriter, WorkDir};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::borrow::Cow;
use std::cmp::Reverse;

/// The sets of one chunk that can have a partner.
#[derive(Debug, Default)]
pub struct SelectedChunk {
    chunk: SetChunk,
    sets: Vec<SelectedSet>,
    bitmaps: Vec<u64>,
    prefixes: Vec<u64>,
}

/// A selected set by where its parts begin in the buffers of its chunk.
#[derive(Debug, Clone, Copy)]
struct SelectedSet {
    span: SetSpan,
    about: About,
    bitmap: usize,
    prefix: usize,
}

/// A selected set with all that is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'a> {
    /// Its number, and where it is in its chunk.
    pub span: SetSpan,
    /// What filters look at first.
    pub about: &'a About,
    /// Its features, in no order.
    pub features: &'a [u64],
    /// Bitmap of the features that another open set may have.
    pub bitmap: &'a [u64],
    /// The prefix after the single features, by position.
    pub prefix: &'a [u64],
}

/// What filters look at first.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub struct About {
    /// Small bitmap of the features that another open set may have; or its code,
    /// or the keys of its signature.
    pub sketch: Sketch,
    /// Number of these features.
    pub num_shared: u32,
    /// Number of features that no other set has: they come first in the set's order.
    pub num_single: u32,
    /// Number of features of the prefix that follow them.
    pub num_prefix: u32,
    /// Number of features.
    pub size: u32,
}

/// An open set without its features.
#[derive(Debug)]
pub struct OpenSet<'a> {
    /// What filters look at first.
    pub about: About,
    /// Bitmap of the features that another open set may have.
    pub bitmap: Cow<'a, [u64]>,
    /// The prefix after the single features, by position.
    pub prefix: Cow<'a, [u64]>,
}

/// Selects sets that can have a partner from the features of a chunk.
#[derive(Debug)]
pub struct Selector {
    bounds: Bounds,
    filters: Filters,
    prefixes: PrefixSelector,
    selected: SelectedChunk,
}

impl Selector {
    /// A selector for one chunk.
    pub fn new(bounds: Bounds, filters: Filters) -> Self {
        Selector {
            bounds,
            filters,
            prefixes: PrefixSelector::default(),
            selected: SelectedChunk::default(),
        }
    }

    /// Takes the set if it can have a partner. `signature` has its keys, if it has any.
    pub fn select(
        &mut self,
        span: SetSpan,
        features: &[u64],
        rarities: &[Rarity],
        signature: &[u64],
    ) {
        let chunk = &mut self.selected;
        // As many features as every partner must share one of. Those that no other set has count for the length
        // and take no room; a set that has as many of them as that has no partner.
        let len = self.filters.prefix_len(self.bounds, span.len);
        let prefix = chunk.prefixes.len();
        let single = self
            .prefixes
            .select(features, rarities, len, &mut chunk.prefixes);
        let Some(num_single) = single else { return };
        let bitmap = chunk.bitmaps.len();
        let shared = features
            .iter()
            .zip(rarities)
            .filter(|&(_, &rarity)| rarity > 0);
        // Rarities are never too low, so a feature of rarity 0 is single for sure; one that is single may pass for
        // a shared one, and then only makes the bitmap weaker.
        let num_shared = rarities.iter().filter(|&&rarity| rarity > 0).count();
        let mut sketch = Sketch::default();
        if self.filters.bitmap {
            let shared = shared.map(|(&feature, _)| feature);
            sketch = bitmap::build(shared, span.len, &mut chunk.bitmaps);
        }
        if self.filters.signature.is_some() {
            sketch = bitmap::of_keys(signature);
        }
        chunk.sets.push(SelectedSet {
            span,
            about: About {
                sketch,
                num_shared: of_len(num_shared),
                num_single,
                num_prefix: of_len(chunk.prefixes.len() - prefix),
                size: span.len,
            },
            bitmap,
            prefix,
        });
    }

    /// Takes the set if it has a key that another set may have too. `code` is its simhash, if
    /// it has one.
    pub fn select_by_keys(
        &mut self,
        span: SetSpan,
        features: &[u64],
        code: u64,
        keys: impl Iterator<Item = u64>,
    ) {
        let chunk = &mut self.selected;
        let prefix = chunk.prefixes.len();
        // In the order of the signature, which says nothing: positions are not calculated with where keys are looked up.
        chunk.prefixes.extend(keys);
        let num_prefix = chunk.prefixes.len() - prefix;
        // No key that another set has: no pair could be found.
        if num_prefix == 0 {
            return;
        }
        let bitmap = chunk.bitmaps.len();
        let mut sketch = Sketch::default();
        if self.filters.bitmap {
            let features = features.iter().copied();
            sketch = bitmap::build(features, span.len, &mut chunk.bitmaps);
        }
        if self.filters.within.is_some() {
            // The code says more than a bitmap of that size.
            sketch = [code, 0, 0, 0];
        }
        chunk.sets.push(SelectedSet {
            span,
            about: About {
                sketch,
                // Which of them others have was not counted: any may be.
                num_shared: span.len,
                num_single: 0,
                num_prefix: of_len(num_prefix),
                size: span.len,
            },
            bitmap,
            prefix,
        });
    }

    /// What was selected of `chunk`.
    pub fn finish(mut self, chunk: SetChunk) -> SelectedChunk {
        self.selected.chunk = chunk;
        self.selected
    }
}

impl SelectedChunk {
    /// The selected sets, in the order of the chunk.
    pub fn iter(&self) -> impl Iterator<Item = Selected<'_>> {
        self.sets.iter().map(|set| self.selected(set))
    }

    /// A set with its parts as slices.
    fn selected<'a>(&'a self, set: &'a SelectedSet) -> Selected<'a> {
        let bitmap = if self.bitmaps.is_empty() {
            &[][..]
        } else {
            let end = set.bitmap + bitmap::num_words(set.span.len);
            &self.bitmaps[set.bitmap..end]
        };
        let prefix_end = set.prefix + set.about.num_prefix as usize;
        Selected {
            span: set.span,
            about: &set.about,
            features: self.chunk.set(&set.span),
            bitmap,
            prefix: &self.prefixes[set.prefix..prefix_end],
        }
    }
}

impl<'a> From<Selected<'a>> for OpenSet<'a> {
    fn from(set: Selected<'a>) -> Self {
        OpenSet {
            about: *set.about,
            bitmap: Cow::Borrowed(set.bitmap),
            prefix: Cow::Borrowed(set.prefix),
        }
    }
}

/// Where an open set is. Rows are stored as they are: the order of the fields must not change.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct OpenRow {
    /// Its number among all sets.
    set: SetIdx,
    /// Number of its features.
    size: u32,
    /// Byte of the features in the file; or the chunk, and the number in the chunk.
    at: u64,
    /// Number of features in its prefix; as wide as the row must be, since it is stored.
    num_prefix: u64,
}

/// All sets that can have a partner.
///
/// Numbered by descending size, ties by the number among all sets: the order in which sets probe, and the same however
/// chunks came. In memory a set is found by its chunk and its place there; in a file by the byte of its frames, of
/// which the features come first, so that verification reads them alone.
#[derive(Debug)]
pub struct OpenSets {
    rows: Column<OpenIdx, OpenRow>,
    content: OpenContent,
    wanted: Option<WantedFeatures>,
    levels: Option<Levels>,
}

/// Where features, bitmaps and prefixes are: all in memory, or all in one file.
#[derive(Debug)]
enum OpenContent {
    Memory(Vec<SelectedChunk>),
    Stored(FrameFile),
}

impl OpenSets {
    /// Numbers the sets of chunks in memory.
    pub fn in_memory(chunks: Vec<SelectedChunk>) -> Self {
        let mut rows = Vec::new();
        for (number, chunk) in (0u64..).zip(&chunks) {
            rows.extend((0u64..).zip(chunk.iter()).map(|(at, set)| OpenRow {
                set: set.span.set,
                size: set.span.len,
                at: (number << 32) | at,
                num_prefix: u64::from(set.about.num_prefix),
            }));
        }
        OpenSets::numbered(rows, OpenContent::Memory(chunks))
    }

    /// Puts the sets in the order of their numbers.
    fn numbered(mut rows: Vec<OpenRow>, content: OpenContent) -> Self {
        rows.par_sort_unstable_by_key(|row| (Reverse(row.size), row.set));
        OpenSets {
            rows: Column::of(rows),
            content,
            wanted: None,
            levels: None,
        }
    }

    /// From now on the sizes of two sets depend on both: `row` has those of a set.
    pub fn measure_in_levels<'a>(&mut self, row: impl Fn(SetIdx) -> &'a [u64]) {
        let sets = self.rows.rows().iter().map(|row| row.set);
        self.levels = Some(Levels::new(sets.map(row)));
    }

    /// Numbers of features of two sets as they are compared.
    #[inline]
    pub fn sizes(&self, left: OpenIdx, right: OpenIdx) -> (u32, u32) {
        match &self.levels {
            None => (self.size(left), self.size(right)),
            Some(levels) => levels.sizes(left, right),
        }
    }

    /// Number of open sets.
    pub fn len(&self) -> u32 {
        of_len(self.rows.len())
    }

    /// All of them, the largest first.
    pub fn all(
        &self,
    ) -> impl DoubleEndedIterator<Item = OpenIdx> + ExactSizeIterator + Clone + use<>
    {
        OpenIdx::first(self.len())
    }

    /// Whether no set can have a partner.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Number of the set among all sets of the collection.
    pub fn set(&self, open: OpenIdx) -> SetIdx {
        self.rows[open].set
    }

    /// Number of features of a set.
    #[inline]
    pub fn size(&self, open: OpenIdx) -> u32 {
        self.rows[open].size
    }

    /// From now on only features that a set is looked up by are indexed: the rarest
    /// `prefix_len` of each.
    pub fn list_wanted_only(
        &mut self,
        prefix_len: impl Fn(u32) -> u32 + Sync,
    ) -> Result<()> {
        // Once, before any window is made.
        self.wanted = Some(WantedFeatures::new(self, prefix_len)?);
        Ok(())
    }

    /// Whether a feature is worth a list.
    #[inline]
    pub fn wants(&self, feature: u64) -> bool {
        self.wanted
            .as_ref()
            .is_none_or(|wanted| wanted.has(feature))
    }

    /// Number of features that a set is indexed by at most.
    pub fn num_listed(&self, open: OpenIdx) -> u64 {
        match &self.wanted {
            None => self.rows[open].num_prefix,
            Some(wanted) => wanted.num_listed(open),
        }
    }

    /// Bytes held in memory.
    pub fn memory_bytes(&self) -> u64 {
        let held = match &self.content {
            OpenContent::Memory(chunks) => chunks
                .iter()
                .map(|chunk| {
                    let words = chunk.chunk.features.len()
                        + chunk.bitmaps.len()
                        + chunk.prefixes.len();
                    (words * 8 + chunk.sets.len() * size_of::<SelectedSet>()) as u64
                })
                .sum(),
            OpenContent::Stored(_) => 0,
        };
        let wanted = self.wanted.as_ref().map_or(0, WantedFeatures::memory_bytes);
        let levels = self.levels.as_ref().map_or(0, Levels::memory_bytes);
        held + wanted + levels + (self.rows.len() * size_of::<OpenRow>()) as u64
    }

    /// A set without its features.
    pub fn get(&self, open: OpenIdx) -> Result<OpenSet<'_>> {
        let row = &self.rows[open];
        match &self.content {
            OpenContent::Memory(chunks) => {
                let (chunk, number) = in_chunk(row.at);
                let chunk = &chunks[chunk];
                Ok(chunk.selected(&chunk.sets[number]).into())
            }
            OpenContent::Stored(file) => {
                // Written as one frame after the features: About, bitmap, prefix. The lengths of the first and the last are known.
                let mut words: Vec<u64> = Vec::new();
                let start = row.at + features_bytes(row.size);
                file.read(start, &mut words)?;
                let about_words = size_of::<About>() / 8;
                let prefix_len = in_memory(row.num_prefix);
                if words.len() < about_words + prefix_len {
                    return Err(file.corrupt(start, "a set that is too short"));
                }
                let about = bytemuck::cast_slice(&words[..about_words])[0];
                let prefix = words.split_off(words.len() - prefix_len);
                words.drain(..about_words);
                Ok(OpenSet {
                    about,
                    bitmap: Cow::Owned(words),
                    prefix: Cow::Owned(prefix),
                })
            }
        }
    }

    /// Features of a set, in no order.
    #[inline]
    pub fn features(&self, open: OpenIdx) -> Result<Cow<'_, [u64]>> {
        let row = &self.rows[open];
        match &self.content {
            OpenContent::Memory(chunks) => {
                let (chunk, number) = in_chunk(row.at);
                let chunk = &chunks[chunk];
                // The usual case, and the hot one: no copy, two dependent loads.
                Ok(Cow::Borrowed(chunk.chunk.set(&chunk.sets[number].span)))
            }
            OpenContent::Stored(file) => {
                let mut features = Vec::new();
                file.read(row.at, &mut features)?;
                Ok(Cow::Owned(features))
            }
        }
    }

    /// Opens a complete file of open sets.
    pub fn open(work: &WorkDir, stored: &OpenSetsFile) -> Result<Self> {
        let file = work.open(&stored.file)?;
        let mut rows: Vec<OpenRow> = Vec::new();
        file.read(stored.directory, &mut rows)?;
        Ok(OpenSets::numbered(rows, OpenContent::Stored(file)))
    }
}

/// The chunk, and the place of a set in it.
#[expect(clippy::cast_possible_truncation, reason = "cut in two halves")]
fn in_chunk(at: u64) -> (usize, usize) {
    ((at >> 32) as usize, (at as u32) as usize)
}

/// Bytes of the frame of this many features.
fn features_bytes(size: u32) -> u64 {
    16 + u64::from(size) * 8
}

/// A complete file of open sets.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct OpenSetsFile {
    /// The file.
    pub file: WorkFile,
    directory: u64,
}

/// Writes open sets to a work file: of each its features, then the rest.
#[derive(Debug)]
pub struct OpenSetsWriter {
    out: FrameWriter,
    rows: Vec<OpenRow>,
}

impl OpenSetsWriter {
    /// Begins a file.
    pub fn create(work: &WorkDir, name: &str) -> Result<Self> {
        Ok(OpenSetsWriter {
            out: work.create(name)?,
            rows: Vec::new(),
        })
    }

    /// Appends the selected sets of a chunk.
    pub fn write(&mut self, chunk: &SelectedChunk) -> Result<()> {
        let mut words: Vec<u64> = Vec::new();
        for set in chunk.iter() {
            let at = self.out.frame(set.features)?;
            words.clear();
            words.extend_from_slice(bytemuck::cast_slice(&[*set.about]));
            words.extend_from_slice(set.bitmap);
            words.extend_from_slice(set.prefix);
            self.out.frame(&words)?;
            self.rows.push(OpenRow {
                set: set.span.set,
                size: set.span.len,
                at,
                num_prefix: u64::from(set.about.num_prefix),
            });
        }
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<OpenSetsFile> {
        let directory = self.out.frame(&self.rows)?;
        let file = self.out.finish()?;
        Ok(OpenSetsFile { file, directory })
    }
}
