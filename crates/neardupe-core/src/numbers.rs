//! From wide numbers to the 32 bits in which documents, sets, words and counts are stored.
//!
//! A number that does not fit means one of three things, and each has its function here, so that a
//! reader sees at the call which one was meant:
//!
//! - [`narrow`]: the collection is too large for the format. The job ends with [`Error::Limit`]; a
//!   number that was cut short would join documents that have nothing in common.
//! - [`of_len`] and [`fits`]: the number cannot be that large, because something before has checked
//!   it or because memory ends first.
//! - [`saturated`]: the largest number stands for all above it. This is right for counts that are
//!   only printed, and for bounds that become weaker but not wrong.

use crate::error::{Error, Result};

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
}
