//! A part of a whole, both whole numbers.
//!
//! Similarities and shares are kept like this until they are written: two of them are compared
//! exactly, and a pair at the threshold is in on every machine. A quotient is for people and for
//! tables.

use std::cmp::Ordering;
use std::fmt;

/// A part and its whole.
///
/// Equality is that of the two numbers, not of the value: 1 of 2 and 2 of 4 differ here, and are
/// equal for [`Ratio::compare`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ratio {
    /// The part; not above the whole where the ratio is a share.
    pub part: u64,
    /// The whole; 0 where there is nothing to have a share of.
    pub whole: u64,
}

impl Ratio {
    /// So much of `whole`.
    pub const fn new(part: u64, whole: u64) -> Self {
        Ratio { part, whole }
    }

    /// Compares the values. The products have 128 bits, so that no number is too large. What has no
    /// whole is equal to everything: callers leave it out before.
    #[inline]
    pub fn compare(self, other: Ratio) -> Ordering {
        let this_side = u128::from(self.part) * u128::from(other.whole);
        let other_side = u128::from(other.part) * u128::from(self.whole);
        this_side.cmp(&other_side)
    }

    /// The quotient, or none where there is no whole: a measure of nothing is not 0.
    pub fn share(self) -> Option<f64> {
        (self.whole > 0).then(|| self.value())
    }

    /// The quotient, the nearest number that can be represented up to 2^53; not a number where the
    /// whole is 0.
    #[expect(
        clippy::cast_precision_loss,
        reason = "printed, or rounded to a table's digits"
    )]
    pub fn value(self) -> f64 {
        self.part as f64 / self.whole as f64
    }

    /// Part and whole, for code that computes with both.
    pub const fn parts(self) -> (u64, u64) {
        (self.part, self.whole)
    }
}

/// As all tables and messages have it: six decimals, rounded half up in whole numbers, so that no
/// machine prints another last digit. A ratio of nothing is printed as 0.
impl fmt::Display for Ratio {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.whole == 0 {
            return out.write_str("0.000000");
        }
        let doubled = u128::from(self.whole) * 2;
        let rounded = u128::from(self.part) * 2_000_000 + u128::from(self.whole);
        let millionths = rounded / doubled;
        write!(
            out,
            "{}.{:06}",
            millionths / 1_000_000,
            millionths % 1_000_000
        )
    }
}

/// [`Ratio`] as text, for callers that have both numbers apart.
pub fn six_decimals(part: u64, whole: u64) -> String {
    Ratio::new(part, whole).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_decimals_round_half_up() {
        assert_eq!(six_decimals(2, 3), "0.666667");
        assert_eq!(six_decimals(1, 1), "1.000000");
        assert_eq!(six_decimals(1, 2_000_000), "0.000001");
        assert_eq!(six_decimals(0, 5), "0.000000");
        assert_eq!(six_decimals(3, 0), "0.000000");
    }

    #[test]
    fn values_are_compared_not_digits() {
        assert_eq!(Ratio::new(1, 2).compare(Ratio::new(2, 4)), Ordering::Equal);
        assert_eq!(
            Ratio::new(2, 3).compare(Ratio::new(3, 5)),
            Ordering::Greater
        );
        let near = Ratio::new(u64::MAX - 1, u64::MAX);
        assert_eq!(near.compare(Ratio::new(1, 1)), Ordering::Less);
    }
}
