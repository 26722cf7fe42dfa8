//! Numbers of things, each with a type of its own, and the ways from wide numbers to narrow ones.
//!
//! A job numbers documents, sets, open sets, lists and more, all from 0. The types cost nothing at run time; they
//! keep a number of one space from being used in another. What is stored are the plain numbers of four bytes.
//!
//! Each type `X` comes with `MaybeX`: as wide as `X`, with [`u32::MAX`] for "none". It is for columns with a row for
//! every document or set, where `Option<X>` would need twice the memory. The price is that numbers end below
//! [`u32::MAX`], and one comparison where the value is taken out.

use crate::error::{Error, Result};
use bytemuck::{Pod, Zeroable};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

/// A number that says which row of a table is meant.
pub trait Idx: Copy + Ord {
    /// The row.
    fn index(self) -> usize;
    /// The number of a row.
    fn of_index(index: usize) -> Self;
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident, $maybe:ident;)+) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(u32);

        impl $name {
            /// The thing of this number.
            #[inline(always)]
            pub const fn new(number: u32) -> Self {
                debug_assert!(number < u32::MAX, "the largest number stands for none");
                $name(number)
            }

            /// The number itself, to store or to calculate with.
            #[inline(always)]
            pub const fn get(self) -> u32 {
                self.0
            }

            /// The number as the index of a slice.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The numbers of so many things, in order.
            pub fn first(
                len: u32,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..len).map($name)
            }

            /// The numbers from the first of a range to the one before its end.
            pub fn between(
                range: Range<Self>,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (range.start.0..range.end.0).map($name)
            }

            /// This number and all after it.
            pub fn onward(self) -> impl Iterator<Item = Self> + Clone {
                (self.0..).map($name)
            }
        }

        impl Idx for $name {
            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }

            #[inline(always)]
            fn of_index(index: usize) -> Self {
                $name::new(of_len(index))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }

        #[doc = concat!("A [`", stringify!($name), "`] or none, in four bytes. None comes last.")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $maybe(u32);

        impl $maybe {
            /// None.
            pub const NONE: Self = $maybe(u32::MAX);

            /// The number, if there is one.
            #[inline(always)]
            pub const fn get(self) -> Option<$name> {
                if self.0 == u32::MAX { None } else { Some($name(self.0)) }
            }

            /// Whether there is none.
            #[inline(always)]
            pub const fn is_none(self) -> bool {
                self.0 == u32::MAX
            }

            /// Whether there is one.
            #[inline(always)]
            pub const fn is_some(self) -> bool {
                self.0 != u32::MAX
            }

            /// The four bytes as they are: for atomic cells, and for keys where none needs no case of its own.
            #[inline(always)]
            pub const fn bits(self) -> u32 {
                self.0
            }

            /// The reverse of [`Self::bits`].
            #[inline(always)]
            pub const fn of_bits(bits: u32) -> Self {
                $maybe(bits)
            }
        }

        impl Default for $maybe {
            fn default() -> Self {
                Self::NONE
            }
        }

        impl fmt::Debug for $maybe {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.get().fmt(out)
            }
        }

        impl From<$name> for $maybe {
            #[inline(always)]
            fn from(number: $name) -> Self {
                $maybe(number.0)
            }
        }
    )+ };
}

numbers! {
    /// Number of a document within one job, in the order of the input. It never leaves the job: outputs carry ids.
    DocIdx, MaybeDoc;
    /// Number of a distinct feature set of a job, in the order in which sets were met while reading.
    SetIdx, MaybeSet;
    /// Number of a set that can have a partner, by descending size: 0 is the largest.
    OpenIdx, MaybeOpen;
    /// Row of a set in the window of sets that have posting lists at one time.
    SlotIdx, MaybeSlot;
    /// Number of a posting list within a window.
    ListIdx, MaybeList;
    /// Place of a document in the order of ids, as bytes.
    IdRank, MaybeIdRank;
    /// Place of a document in the order of keeping: the smaller is kept before the larger.
    PriorityRank, MaybePriorityRank;
    /// Place of the value of a field among all values, the same for equal ones; none for documents without a value.
    FieldRank, MaybeFieldRank;
}

/// Where a record begins in the logs of a job: the log in the upper bits, the byte in that log in the lower ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogOffset(u64);

impl LogOffset {
    /// Bits for the byte: a log is shorter than 1 TiB.
    const BYTE_BITS: u32 = 40;

    /// The record that begins at this byte of a log.
    pub fn new(log: usize, byte: u64) -> Self {
        debug_assert!(byte >> Self::BYTE_BITS == 0, "a log of more than 1 TiB");
        LogOffset(((log as u64) << Self::BYTE_BITS) | byte)
    }

    /// The log.
    pub fn log(self) -> usize {
        (self.0 >> Self::BYTE_BITS) as usize
    }

    /// The byte in it.
    pub fn byte(self) -> u64 {
        self.0 & ((1 << Self::BYTE_BITS) - 1)
    }
}

/// A column: one value for each `I`, so that only a number of the right kind looks it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column<I, T> {
    rows: Vec<T>,
    of: PhantomData<fn(I)>,
}

impl<I: Idx, T> Column<I, T> {
    /// A column of these values.
    pub fn of(rows: Vec<T>) -> Self {
        Column {
            rows,
            of: PhantomData,
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The value of a row, if there is such a row.
    #[inline]
    pub fn get(&self, row: I) -> Option<&T> {
        self.rows.get(row.index())
    }

    /// Each row with its number.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> + Clone {
        let rows = self.rows.iter().enumerate();
        rows.map(|(row, value)| (I::of_index(row), value))
    }

    /// The values alone.
    pub fn rows(&self) -> &[T] {
        &self.rows
    }
}

impl<I: Idx, T: Clone> Column<I, T> {
    /// So many rows of one value.
    pub fn filled(value: T, len: usize) -> Self {
        Column::of(vec![value; len])
    }
}

impl<I, T> Default for Column<I, T> {
    fn default() -> Self {
        Column {
            rows: Vec::new(),
            of: PhantomData,
        }
    }
}

impl<I: Idx, T> FromIterator<T> for Column<I, T> {
    fn from_iter<V: IntoIterator<Item = T>>(values: V) -> Self {
        Column::of(values.into_iter().collect())
    }
}

impl<I: Idx, T> Index<I> for Column<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, row: I) -> &T {
        &self.rows[row.index()]
    }
}

impl<I: Idx, T> IndexMut<I> for Column<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, row: I) -> &mut T {
        &mut self.rows[row.index()]
    }
}

// From wide numbers to 32 bits: a number that does not fit means one of three things, and each has its function, so that
// a reader sees at the call which one was meant. `narrow` ends the job, since a number that was cut short would join
// documents that have nothing in common; `of_len` and `fits` say that it cannot happen; `saturated` says that the largest
// number does as well.

/// A number that must be below [`u32::MAX`] for the job to go on. `what` is the plural of what is counted.
pub fn narrow(value: usize, what: &str) -> Result<u32> {
    narrow_or(value, what, "split the collection")
}

/// [`narrow`] with a remedy of its own.
pub fn narrow_or(value: usize, what: &str, remedy: &str) -> Result<u32> {
    match u32::try_from(value) {
        Ok(number) if number < u32::MAX => Ok(number),
        _ => Err(Error::Limit {
            what: what.to_owned(),
            asked: value as u64,
            allowed: u64::from(u32::MAX) - 1,
            remedy: remedy.to_owned(),
        }),
    }
}

/// The length of a part of something that [`narrow`] has let pass: the features of a set in a chunk, the rows of a
/// table of documents. It always fits. A violation is a bug and stops the program rather than giving another number.
#[inline]
pub fn of_len(len: usize) -> u32 {
    u32::try_from(len).expect("a part is no longer than the whole, which fits 32 bits")
}

/// A number that was calculated from numbers of 32 bits and is not above them; the call says why. For inner loops:
/// only a build with debug assertions checks it.
#[inline]
pub fn fits(number: u64) -> u32 {
    debug_assert!(u32::try_from(number).is_ok(), "more than 32 bits");
    number.try_into().unwrap_or(u32::MAX)
}

/// A number that is shown, or a bound that only gets weaker: where it does not fit, the largest there is does as
/// well.
#[inline]
pub fn saturated(number: impl TryInto<u32>) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

/// A number as the length of something in memory. On a machine of 32 bits a longer thing cannot be allocated, and
/// the largest length leads to the error of the allocation.
#[inline]
pub fn in_memory(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A number of something that has no type of its own, or none, in the four bytes of the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaybeNumber(u32);

impl MaybeNumber {
    /// No number.
    pub const NONE: MaybeNumber = MaybeNumber(u32::MAX);

    /// A number below the largest of 32 bits, which stands for none.
    #[inline]
    pub fn some(number: u32) -> Self {
        debug_assert!(number < u32::MAX, "the largest number stands for none");
        MaybeNumber(number)
    }

    /// The number, if there is one.
    #[inline]
    pub fn get(self) -> Option<u32> {
        (self != MaybeNumber::NONE).then_some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_no_number_and_comes_last() {
        let largest = SetIdx::new(u32::MAX - 1);
        assert_eq!(MaybeSet::from(largest).get(), Some(largest));
        assert_eq!(MaybeSet::NONE.get(), None);
        assert!(MaybeSet::from(largest) < MaybeSet::NONE);
        assert_eq!(size_of::<MaybeSet>(), 4);
        assert_eq!(bytemuck::bytes_of(&MaybeSet::NONE), [255; 4]);
    }

    #[test]
    fn a_number_that_does_not_fit_is_an_error_that_says_what_was_counted() {
        assert_eq!(narrow(7, "sets").unwrap(), 7);
        let last = u32::MAX as usize;
        assert_eq!(narrow(last - 1, "sets").unwrap(), u32::MAX - 1);
        let message = narrow(last, "sets").unwrap_err().to_string();
        assert_eq!(
            message,
            "sets: needs 4294967295, allowed 4294967294; split the collection"
        );
        assert_eq!(saturated(last + 1), u32::MAX);
    }

    #[test]
    fn a_number_that_may_be_absent_takes_no_more_room() {
        assert_eq!(size_of::<MaybeNumber>(), size_of::<u32>());
        assert_eq!(MaybeNumber::some(0).get(), Some(0));
        assert_eq!(MaybeNumber::NONE.get(), None);
    }

    #[test]
    fn an_offset_has_its_log_and_its_byte() {
        let offset = LogOffset::new(3, (1 << 40) - 1);
        assert_eq!((offset.log(), offset.byte()), (3, (1 << 40) - 1));
        assert!(offset < LogOffset::new(4, 0));
    }
}
