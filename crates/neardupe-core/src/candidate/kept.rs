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
use super::wanted::Wanted;
use crate::document::WorkFile;
use crate::error::Result;
use crate::similarity::Bounds;
use crate::store::{FrameFile, FrameWriter, WorkDir};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::borrow::Cow;

/// Number of a kept set: 0 is the largest.
pub type KeptIdx = u32;

/// The sets of one chunk that can have a partner.
#[derive(Debug, Default)]
pub struct SelectedChunk {
    chunk: SetChunk,
    sets: Vec<SelectedSet>,
    bitmaps: Vec<u64>,
    prefixes: Vec<u64>,
}

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
    /// Bitmap of the features that another kept set may have.
    pub bitmap: &'a [u64],
    /// The prefix after the single features, by position.
    pub prefix: &'a [u64],
}

/// What filters look at first.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub struct About {
    /// Small bitmap of the features that another kept set may have; or its code,
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

/// A kept set without its features.
#[derive(Debug)]
pub struct KeptSet<'a> {
    /// What filters look at first.
    pub about: About,
    /// Bitmap of the features that another kept set may have.
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
        let num_shared = rarities.iter().filter(|&&rarity| rarity > 0).count();
        let mut sketch = Sketch::default();
        if self.filters.bitmap {
            let shared = shared.map(|(&feature, _)| feature);
            sketch = bitmap::build(shared, span.len, &mut chunk.bitmaps);
        }
        if self.filters.signature.is_some() {
            sketch = bitmap::of_keys(signature);
        }
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        chunk.sets.push(SelectedSet {
            span,
            about: About {
                sketch,
                num_shared: narrow(num_shared),
                num_single,
                num_prefix: narrow(chunk.prefixes.len() - prefix),
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
        chunk.prefixes.extend(keys);
        let num_prefix = chunk.prefixes.len() - prefix;
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
                num_prefix: u32::try_from(num_prefix).unwrap_or(u32::MAX),
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

    fn selected<'a>(&'a self, set: &'a SelectedSet) -> Selected<'a> {
        let bitmap = match self.bitmaps.is_empty() {
            true => &[][..],
            false => {
                let end = set.bitmap + bitmap::num_words(set.span.len);
                &self.bitmaps[set.bitmap..end]
            }
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

impl<'a> From<Selected<'a>> for KeptSet<'a> {
    fn from(set: Selected<'a>) -> Self {
        KeptSet {
            about: *set.about,
            bitmap: Cow::Borrowed(set.bitmap),
            prefix: Cow::Borrowed(set.prefix),
        }
    }
}

/// Where a kept set is.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Place {
    set: u32,
    size: u32,
    /// Place in the file; or the chunk, and the number in the chunk.
    at: u64,
    num_prefix: u64,
}

/// All sets that can have a partner.
#[derive(Debug)]
pub struct Kept {
    places: Vec<Place>,
    content: Content,
    wanted: Option<Wanted>,
    levels: Option<Levels>,
}

#[derive(Debug)]
enum Content {
    Memory(Vec<SelectedChunk>),
    Stored(FrameFile),
}

impl Kept {
    /// Numbers the sets of chunks in memory.
    pub fn in_memory(chunks: Vec<SelectedChunk>) -> Self {
        let mut places = Vec::new();
        for (number, chunk) in (0u64..).zip(&chunks) {
            places.extend((0u64..).zip(chunk.iter()).map(|(at, set)| Place {
                set: set.span.set,
                size: set.span.len,
                at: (number << 32) | at,
                num_prefix: u64::from(set.about.num_prefix),
            }));
        }
        Kept::numbered(places, Content::Memory(chunks))
    }

    fn numbered(mut places: Vec<Place>, content: Content) -> Self {
        places
            .par_sort_unstable_by_key(|place| (std::cmp::Reverse(place.size), place.set));
        Kept {
            places,
            content,
            wanted: None,
            levels: None,
        }
    }

    /// From now on the sizes of two sets depend on both: `row` tells those of a set by its number
    /// among all.
    pub fn measure_in_levels<'a>(&mut self, row: impl Fn(u32) -> &'a [u64]) {
        let sets = self.places.iter().map(|place| place.set);
        self.levels = Some(Levels::new(sets.map(row)));
    }

    /// Numbers of features of two sets as they are compared.
    #[inline]
    pub fn sizes(&self, left: KeptIdx, right: KeptIdx) -> (u32, u32) {
        match &self.levels {
            None => (self.size(left), self.size(right)),
            Some(levels) => levels.sizes(left, right),
        }
    }

    /// Number of kept sets.
    #[expect(clippy::cast_possible_truncation, reason = "sets are numbered by u32")]
    pub fn len(&self) -> u32 {
        self.places.len() as u32
    }

    /// Whether no set can have a partner.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Number of the set among all sets of the collection.
    pub fn set(&self, kept: KeptIdx) -> u32 {
        self.places[kept as usize].set
    }

    /// Number of features of a set.
    #[inline]
    pub fn size(&self, kept: KeptIdx) -> u32 {
        self.places[kept as usize].size
    }

    /// From now on only features that a set is looked up by are indexed: the rarest
    /// `prefix_len` of each.
    pub fn list_wanted_only(
        &mut self,
        prefix_len: impl Fn(u32) -> u32 + Sync,
    ) -> Result<()> {
        self.wanted = Some(Wanted::new(self, prefix_len)?);
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
    pub fn num_listed(&self, kept: KeptIdx) -> u64 {
        match &self.wanted {
            None => self.places[kept as usize].num_prefix,
            Some(wanted) => wanted.num_listed(kept),
        }
    }

    /// Bytes held in memory.
    pub fn memory_bytes(&self) -> u64 {
        let held = match &self.content {
            Content::Memory(chunks) => chunks
                .iter()
                .map(|chunk| {
                    let words = chunk.chunk.features.len()
                        + chunk.bitmaps.len()
                        + chunk.prefixes.len();
                    (words * 8 + chunk.sets.len() * size_of::<SelectedSet>()) as u64
                })
                .sum(),
            Content::Stored(_) => 0,
        };
        let wanted = self.wanted.as_ref().map_or(0, Wanted::memory_bytes);
        let levels = self.levels.as_ref().map_or(0, Levels::memory_bytes);
        held + wanted + levels + (self.places.len() * size_of::<Place>()) as u64
    }

    /// A set without its features.
    pub fn get(&self, kept: KeptIdx) -> Result<KeptSet<'_>> {
        let place = &self.places[kept as usize];
        match &self.content {
            Content::Memory(chunks) => {
                let (chunk, number) = in_chunk(place.at);
                let chunk = &chunks[chunk];
                Ok(chunk.selected(&chunk.sets[number]).into())
            }
            Content::Stored(file) => {
                let mut words: Vec<u64> = Vec::new();
                let start = place.at + features_bytes(place.size);
                file.read(start, &mut words)?;
                let about_words = size_of::<About>() / 8;
                let prefix_len = usize::try_from(place.num_prefix).unwrap_or(usize::MAX);
                if words.len() < about_words + prefix_len {
                    return Err(file.corrupt(start, "a set that is too short"));
                }
                let about = bytemuck::cast_slice(&words[..about_words])[0];
                let prefix = words.split_off(words.len() - prefix_len);
                words.drain(..about_words);
                Ok(KeptSet {
                    about,
                    bitmap: Cow::Owned(words),
                    prefix: Cow::Owned(prefix),
                })
            }
        }
    }

    /// Features of a set, in no order.
    #[inline]
    pub fn features(&self, kept: KeptIdx) -> Result<Cow<'_, [u64]>> {
        let place = &self.places[kept as usize];
        match &self.content {
            Content::Memory(chunks) => {
                let (chunk, number) = in_chunk(place.at);
                let chunk = &chunks[chunk];
                Ok(Cow::Borrowed(chunk.chunk.set(&chunk.sets[number].span)))
            }
            Content::Stored(file) => {
                let mut features = Vec::new();
                file.read(place.at, &mut features)?;
                Ok(Cow::Owned(features))
            }
        }
    }

    /// Opens a complete file of kept sets.
    pub fn open(work: &WorkDir, stored: &KeptFile) -> Result<Self> {
        let file = work.open(&stored.file)?;
        let mut places: Vec<Place> = Vec::new();
        file.read(stored.directory, &mut places)?;
        Ok(Kept::numbered(places, Content::Stored(file)))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the two halves of the place"
)]
fn in_chunk(at: u64) -> (usize, usize) {
    ((at >> 32) as usize, (at as u32) as usize)
}

/// Bytes of the frame of this many features.
fn features_bytes(size: u32) -> u64 {
    16 + u64::from(size) * 8
}

/// A complete file of kept sets.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct KeptFile {
    /// The file.
    pub file: WorkFile,
    directory: u64,
}

/// Writes kept sets to a work file: of each its features, then the rest.
#[derive(Debug)]
pub struct KeptWriter {
    out: FrameWriter,
    places: Vec<Place>,
}

impl KeptWriter {
    /// Begins a file.
    pub fn create(work: &WorkDir, name: &str) -> Result<Self> {
        Ok(KeptWriter {
            out: work.create(name)?,
            places: Vec::new(),
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
            self.places.push(Place {
                set: set.span.set,
                size: set.span.len,
                at,
                num_prefix: u64::from(set.about.num_prefix),
            });
        }
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<KeptFile> {
        let directory = self.out.frame(&self.places)?;
        let file = self.out.finish()?;
        Ok(KeptFile { file, directory })
    }
}
