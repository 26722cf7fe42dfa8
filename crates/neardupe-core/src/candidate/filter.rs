//! The filters of the join. Each can be switched off, which costs time; all but the signature
//! filter drop candidates without losing a pair.

use super::partition::NUM_PARTS;
use crate::similarity::Bounds;

/// One filter by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Sets of too different sizes cannot be similar.
    Length,
    /// Similar sets share one of their rarest features.
    Prefix,
    /// The places of the first common feature bound the overlap.
    Position,
    /// The parity bitmaps of two sets bound their difference from below.
    Bitmap,
    /// Sets that share no key of their signatures are not compared: similar ones can be lost.
    Signature,
}

/// Which filters are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filters {
    /// See [`Filter::Length`].
    pub length: bool,
    /// See [`Filter::Prefix`].
    pub prefix: bool,
    /// See [`Filter::Position`].
    pub position: bool,
    /// See [`Filter::Bitmap`].
    pub bitmap: bool,
    /// Sets are looked up by keys of their signatures and not by their features: all of them
    /// count, and their order says nothing.
    pub keys: bool,
    /// Sets are similar only if their simhashes are.
    pub within: Option<Within>,
    /// Sets are compared only if they share so many keys of their signatures. Unlike the
    /// others this filter loses pairs.
    pub signature: Option<u32>,
}

/// How near two codes must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Within {
    /// Bits in which they may differ.
    pub distance: u32,
    /// Bits in which they must not.
    pub exact: u64,
}

impl Within {
    /// Whether two codes are near enough.
    #[inline]
    pub fn holds(self, left: u64, right: u64) -> bool {
        let difference = left ^ right;
        difference & self.exact == 0 && difference.count_ones() <= self.distance
    }
}

impl Default for Filters {
    fn default() -> Self {
        Filters {
            length: true,
            prefix: true,
            position: true,
            bitmap: true,
            keys: false,
            within: None,
            signature: None,
        }
    }
}

impl Filters {
    /// The filters that hold when sets are looked up by keys.
    pub fn by_keys(self) -> Self {
        Filters {
            prefix: false,
            position: false,
            keys: true,
            signature: None,
            ..self
        }
    }

    /// Switches one filter off.
    pub fn without(mut self, filter: Filter) -> Self {
        match filter {
            Filter::Length => self.length = false,
            Filter::Prefix => self.prefix = false,
            Filter::Position => self.position = false,
            Filter::Bitmap => self.bitmap = false,
            Filter::Signature => self.signature = None,
        }
        self
    }

    /// How many of its rarest features a set must be looked up by: every partner has one
    /// of them.
    #[inline]
    pub fn prefix_len(self, bounds: Bounds, size: u32) -> u32 {
        if self.keys {
            return u32::MAX;
        }
        if !self.prefix {
            return size;
        }
        bounds.prefix_len(size)
    }

    /// Number of parts of the feature space (see [`super::partition`]) that make up the head
    /// of a set: about twice as many features as its prefix has, so that most sets without
    /// a partner show it by their heads alone. All parts when that would save nothing.
    pub fn head_parts(self, bounds: Bounds) -> usize {
        if self.keys {
            // No heads are made of features.
            return NUM_PARTS;
        }
        const SAMPLE: u32 = 1 << 16;
        let prefix = self.prefix_len(bounds, SAMPLE) as usize;
        let parts = (prefix * 19 / 10 * NUM_PARTS).div_ceil(SAMPLE as usize) + 4;
        if parts * 4 > NUM_PARTS * 3 {
            NUM_PARTS
        } else {
            parts
        }
    }

    /// Like [`Filters::prefix_len`] when every partner is at least as large.
    #[inline]
    pub fn prefix_len_for_larger(self, bounds: Bounds, size: u32) -> u32 {
        if !self.prefix || !self.length {
            return self.prefix_len(bounds, size);
        }
        bounds.prefix_len_for_larger(size)
    }
}

crate::named!(Filter as "no-filter" {
    Length = "length",
    Prefix = "prefix",
    Position = "position",
    Bitmap = "bitmap",
    Signature = "signature",
});
