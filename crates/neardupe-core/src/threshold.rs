//! A threshold as a fraction of integers, and the integer bounds that follow from it.
//!
//! Nothing is decided by floating point: every bound is a ceiling or a floor of a ratio of
//! integers, so a pair exactly at the threshold is always in.

use crate::error::{Error, Result};
use crate::numbers::{fits, saturated};
use crate::ratio::Ratio;
use std::fmt;
use std::str::FromStr;

/// The smallest resemblance that counts, inclusive: a fraction in (0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    numerator: u64,
    denominator: u64,
}

impl Default for Threshold {
    /// 0.8, from which on most people call two texts near-duplicates.
    fn default() -> Self {
        Threshold {
            numerator: 8,
            denominator: 10,
        }
    }
}

impl Threshold {
    /// Whether both are the same fraction, however it is written.
    pub fn equals(self, other: Threshold) -> bool {
        u128::from(self.numerator) * u128::from(other.denominator)
            == u128::from(other.numerator) * u128::from(self.denominator)
    }

    /// The fraction `numerator / denominator`; not above 1 and not 0.
    pub fn new(numerator: u64, denominator: u64) -> Option<Self> {
        let valid = numerator > 0 && numerator <= denominator && denominator < 1 << 40;
        valid.then_some(Threshold {
            numerator,
            denominator,
        })
    }

    /// A threshold that is written in the code: a wrong one does not compile where it is a constant.
    pub const fn exactly(numerator: u64, denominator: u64) -> Self {
        assert!(numerator > 0 && numerator <= denominator && denominator < 1 << 40);
        Threshold {
            numerator,
            denominator,
        }
    }

    /// The resemblance of two sets as a threshold for the next candidates.
    pub fn at(overlap: u32, union: u64) -> Self {
        debug_assert!(overlap > 0 && u64::from(overlap) <= union);
        Threshold {
            numerator: u64::from(overlap),
            denominator: union,
        }
    }

    /// The resemblance of two sets whose S3 (Dice) is this: S / (2 - S).
    pub fn of_s3(self) -> Self {
        Threshold {
            numerator: self.numerator,
            denominator: 2 * self.denominator - self.numerator,
        }
    }

    /// Whether a ratio reaches it.
    #[inline]
    pub fn is_reached(self, overlap: u32, union: u32) -> bool {
        u128::from(overlap) * u128::from(self.denominator)
            >= u128::from(union) * u128::from(self.numerator)
    }

    /// Smallest overlap at which sets of these sizes reach the threshold.
    #[inline]
    pub fn min_overlap(self, left_size: u32, right_size: u32) -> u32 {
        // o / (a + b - o) >= p / q  <=>  o >= p (a + b) / (p + q)
        let both = u64::from(left_size) + u64::from(right_size);
        // Since p <= q, this is at most half of both sizes.
        fits(ratio_ceil(
            self.numerator,
            both,
            self.numerator + self.denominator,
        ))
    }

    /// Smallest size of a partner of a set of this size.
    #[inline]
    pub fn min_size(self, size: u32) -> u32 {
        // Not above the size itself, since p <= q.
        fits(ratio_ceil(
            self.numerator,
            u64::from(size),
            self.denominator,
        ))
    }

    /// Largest size of a partner of a set of this size.
    #[inline]
    pub fn max_size(self, size: u32) -> u32 {
        // No set is larger than the largest number, so nothing is lost by stopping there.
        saturated(ratio_floor(
            self.denominator,
            u64::from(size),
            self.numerator,
        ))
    }

    /// Largest size of a partner that a set of `size` can still have when only
    /// `overlap` of its features can be shared.
    #[inline]
    pub fn max_partner(self, size: u32, overlap: u32) -> u32 {
        // p (a + b) / (p + q) <= o  <=>  b <= o (p + q) / p - a
        let both = self.numerator + self.denominator;
        let total = ratio_floor(both, u64::from(overlap), self.numerator);
        // Saturated as in `max_size`: a set of any size may then be a partner.
        saturated(total.saturating_sub(u64::from(size)))
    }

    /// Smallest [`Threshold::max_partner`] (at the threshold `base`, not above this one) of
    /// a set that can still reach this threshold with a set of `size` features, given that
    /// it has at least `min_other` itself.
    pub fn min_reach(self, base: Threshold, size: u32, min_other: u32) -> u32 {
        // With base p/q, this P/Q, sizes a and b, and r features that can be shared:
        // reach = floor(r (p + q) / p) - b, so r < (reach + 1 + b) p / (p + q); and
        // r >= P (a + b) / (P + Q) is needed. No b >= min_other satisfies both when
        // (reach + 1) p (P + Q) <= P (p + q) a + min_other (P q - p Q).
        let (p, q) = (u128::from(base.numerator), u128::from(base.denominator));
        let (big_p, big_q) = (u128::from(self.numerator), u128::from(self.denominator));
        let spread = (big_p * q).saturating_sub(p * big_q);
        let needed = big_p * (p + q) * u128::from(size) + u128::from(min_other) * spread;
        // Reaches stop at the largest number too, so one that is wanted above it is met by all of
        // these: the filter drops fewer sets, and none that could be similar.
        saturated(needed / (p * (big_p + big_q)))
    }

    /// Whether sets of these sizes with this overlap reach the threshold.
    #[inline]
    pub fn reached(self, overlap: u32, left_size: u32, right_size: u32) -> bool {
        overlap >= self.min_overlap(left_size, right_size)
    }

    /// The threshold as a part and its whole.
    pub const fn ratio(self) -> Ratio {
        Ratio::new(self.numerator, self.denominator)
    }
}

/// `factor * value / divisor`, rounded up. In 64 bits where the product fits: a typed threshold has at
/// most 30 bits, so only thresholds made of large sets take the wide way.
#[inline]
fn ratio_ceil(factor: u64, value: u64, divisor: u64) -> u64 {
    match factor.checked_mul(value) {
        Some(product) => product.div_ceil(divisor),
        None => wide(
            u128::from(factor) * u128::from(value) + u128::from(divisor - 1),
            divisor,
        ),
    }
}

/// The same, rounded down.
#[inline]
fn ratio_floor(factor: u64, value: u64, divisor: u64) -> u64 {
    match factor.checked_mul(value) {
        Some(product) => product / divisor,
        None => wide(u128::from(factor) * u128::from(value), divisor),
    }
}

/// A quotient of 128 bits in 64.
fn wide(product: u128, divisor: u64) -> u64 {
    // The callers take 32 bits of it, with a rule of their own for what is larger.
    u64::try_from(product / u128::from(divisor)).unwrap_or(u64::MAX)
}

impl FromStr for Threshold {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::config(
                "threshold",
                format!("{text:?} is not a decimal fraction above 0 and up to 1, as 0.8"),
            )
        };
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let too_long = decimals.len() > 9 || whole.len() > 9;
        if !digits_only(whole) || !digits_only(decimals) || too_long {
            return Err(wrong());
        }
        let digits = format!("{whole}{decimals}");
        let numerator = digits.parse::<u64>().map_err(|_| wrong())?;
        let exponent = u32::try_from(decimals.len()).map_err(|_| wrong())?;
        Threshold::new(numerator, 10u64.pow(exponent)).ok_or_else(wrong)
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.ratio().to_string();
        out.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threshold(text: &str) -> Threshold {
        text.parse().unwrap()
    }

    #[test]
    fn decimals_become_exact_fractions() {
        assert_eq!(threshold("0.8").ratio().parts(), (8, 10));
        assert_eq!(threshold("1").ratio().parts(), (1, 1));
        assert_eq!(threshold(".75").ratio().parts(), (75, 100));
        assert_eq!(threshold("0.85").to_string(), "0.85");
        for wrong in ["", "0", "0.0", "1.1", "-0.5", "80%", "1e-1", "0,8", "nan"] {
            assert!(wrong.parse::<Threshold>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn bounds_agree_with_the_definition_for_all_small_sizes() {
        for text in ["0.3", "0.5", "0.8", "0.95", "1.0"] {
            let threshold = threshold(text);
            let (p, q) = threshold.ratio().parts();
            for left in 1..40u32 {
                for right in 1..40u32 {
                    let most = left.min(right);
                    let reaches = |overlap: u32| {
                        u64::from(overlap) * q >= p * u64::from(left + right - overlap)
                    };
                    let smallest = (0..=most).find(|&overlap| reaches(overlap));
                    let bound = threshold.min_overlap(left, right);
                    assert_eq!(smallest, (bound <= most).then_some(bound));
                    let sizes_fit = right >= threshold.min_size(left)
                        && right <= threshold.max_size(left);
                    assert_eq!(smallest.is_some(), sizes_fit);
                    for overlap in 0..=left {
                        let possible = threshold.max_partner(left, overlap) >= right;
                        assert_eq!(
                            possible,
                            bound <= overlap,
                            "{left} {right} {overlap}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn no_set_below_the_smallest_reach_can_reach_a_raised_threshold() {
        for (base, raised) in [
            ("0.5", "0.5"),
            ("0.5", "0.7"),
            ("0.8", "0.83"),
            ("0.8", "1.0"),
        ] {
            let (base, raised) = (threshold(base), threshold(raised));
            for size in 1..40u32 {
                for min_other in [1, size] {
                    let min_reach = raised.min_reach(base, size, min_other);
                    for other in min_other..60 {
                        for shared in 0..=other {
                            if base.max_partner(other, shared) < min_reach {
                                assert!(raised.min_overlap(size, other) > shared);
                            }
                        }
                    }
                    if base == raised {
                        assert_eq!(min_reach, size);
                    }
                }
            }
        }
    }
}
