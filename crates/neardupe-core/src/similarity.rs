//! The similarities of two sets, and the bounds on sizes and overlaps that follow.
//!
//! All of them are overlap / whole. Resemblance (Jaccard) has the union as its whole. S3
//! (Dice) is 2 overlap / (|x| + |y|); since J = S / (2 - S), the pairs that reach S are
//! exactly those whose resemblance reaches S / (2 - S): the same join. Containment is the
//! larger of overlap / |x| and overlap / |y|, so its whole is the smaller set.
//!
//! An estimate knows only the N smallest features of each document (Broder 1997). Its whole is
//! the N smallest of the union of both, and its overlap what both have of these: when the
//! union has no more than N features this is the resemblance of the two sets.

use crate::error::{Error, Result};
use crate::ratio::Ratio;
use crate::threshold::Threshold;
use std::fmt;
use std::str::FromStr;

/// How similarity is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Similarity {
    /// Common features of all features of both.
    #[default]
    Resemblance,
    /// Common features of the features of the smaller one.
    Containment,
    /// Twice the common features of the sum of both sizes.
    S3,
    /// Resemblance, estimated by this many smallest features of the union.
    Estimate(u32),
}

impl Similarity {
    /// The similarity of two sets as part and whole.
    pub fn ratio(self, overlap: u32, left_size: u32, right_size: u32) -> Ratio {
        let part = u64::from(overlap);
        let both = u64::from(left_size) + u64::from(right_size);
        match self {
            Similarity::Resemblance => Ratio::new(part, both - part),
            Similarity::Containment => {
                Ratio::new(part, u64::from(left_size.min(right_size)))
            }
            Similarity::S3 => Ratio::new(part * 2, both),
            Similarity::Estimate(most) => {
                Ratio::new(part, (both - part).min(u64::from(most)))
            }
        }
    }
}

/// The largest size of a partner where every size will do.
const ANY_SIZE: u32 = u32::MAX;

/// How an estimate is written, before its number.
const ESTIMATE: &str = "estimated-resemblance:";

impl Similarity {
    /// What can be asked for.
    pub const NAMES: &'static [&'static str] = &["resemblance", "containment", "s3"];
}

impl FromStr for Similarity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "resemblance" => Ok(Similarity::Resemblance),
            "containment" => Ok(Similarity::Containment),
            "s3" => Ok(Similarity::S3),
            _ => {
                // As it is stored with a result: `sample smallest:N` makes it.
                let most = text.strip_prefix(ESTIMATE).and_then(|it| it.parse().ok());
                most.map(Similarity::Estimate).ok_or_else(|| {
                    Error::config(
                        "similarity",
                        format!("{text:?} is not one of resemblance, containment, s3"),
                    )
                })
            }
        }
    }
}

impl fmt::Display for Similarity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Similarity::Resemblance => "resemblance",
            Similarity::Containment => "containment",
            Similarity::S3 => "s3",
            Similarity::Estimate(most) => return write!(out, "{ESTIMATE}{most}"),
        })
    }
}

/// What a similarity that reaches a threshold says about sizes and overlaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    least: Threshold,
    whole: Whole,
    /// Features that a pair must have in common whatever their share.
    least_overlap: u32,
}

/// What the overlap is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whole {
    Union,
    Smaller,
    /// This many of the union.
    Smallest(u32),
    /// The union, of sizes that depend on both sets: only [`Bounds::of_pair`] excludes anything.
    Levels,
}

impl Bounds {
    /// The bounds of a similarity that reaches `threshold`.
    pub fn new(similarity: Similarity, threshold: Threshold) -> Self {
        let (least, whole) = match similarity {
            Similarity::Resemblance => (threshold, Whole::Union),
            Similarity::S3 => (threshold.of_s3(), Whole::Union),
            Similarity::Containment => (threshold, Whole::Smaller),
            Similarity::Estimate(most) => (threshold, Whole::Smallest(most)),
        };
        Bounds {
            least,
            whole,
            least_overlap: 1,
        }
    }

    /// The bounds of pairs that also have this many features in common.
    #[must_use]
    pub fn with_min_overlap(self, least_overlap: u32) -> Self {
        Bounds {
            least_overlap: least_overlap.max(1),
            ..self
        }
    }

    /// How many smallest features of a union count, when not all of them do.
    #[inline]
    pub fn smallest(self) -> Option<u32> {
        match self.whole {
            Whole::Smallest(most) => Some(most),
            Whole::Union | Whole::Smaller | Whole::Levels => None,
        }
    }

    /// The bounds when sizes are not known before a pair is: they exclude nothing.
    #[must_use]
    pub fn leveled(self) -> Self {
        Bounds {
            whole: Whole::Levels,
            ..self
        }
    }

    /// Whether sizes depend on the pair.
    #[inline]
    pub fn is_leveled(self) -> bool {
        self.whole == Whole::Levels
    }

    /// The bounds for the sizes that two sets have as a pair.
    #[must_use]
    pub fn of_pair(self) -> Self {
        match self.whole {
            Whole::Levels => Bounds {
                whole: Whole::Union,
                ..self
            },
            Whole::Union | Whole::Smaller | Whole::Smallest(_) => self,
        }
    }

    /// The bounds for a set that must be as similar as two sets with this overlap are.
    #[must_use]
    pub fn raised(self, overlap: u32, whole: u64) -> Self {
        Bounds {
            least: Threshold::at(overlap, whole),
            ..self
        }
    }

    /// What the overlap of two sets is a part of.
    #[inline]
    pub fn whole(self, overlap: u32, left_size: u32, right_size: u32) -> u64 {
        match self.whole {
            Whole::Union | Whole::Levels => union(overlap, left_size, right_size),
            Whole::Smaller => u64::from(left_size.min(right_size)),
            Whole::Smallest(most) => {
                union(overlap, left_size, right_size).min(u64::from(most))
            }
        }
    }

    /// Smallest overlap at which sets of these sizes are similar.
    #[inline]
    pub fn min_overlap(self, left_size: u32, right_size: u32) -> u32 {
        let by_share = match self.whole {
            Whole::Union => self.least.min_overlap(left_size, right_size),
            Whole::Smaller => self.least.min_size(left_size.min(right_size)),
            Whole::Levels => 1,
            // Enough of the union, or of as many as count.
            Whole::Smallest(most) => {
                let of_union = self.least.min_overlap(left_size, right_size);
                of_union.min(self.least.min_size(most))
            }
        };
        by_share.max(self.least_overlap)
    }

    /// Whether sets of these sizes with this overlap are similar.
    #[inline]
    pub fn reached(self, overlap: u32, left_size: u32, right_size: u32) -> bool {
        overlap >= self.min_overlap(left_size, right_size)
    }

    /// Smallest size of a partner of a set of this size.
    #[inline]
    pub fn min_size(self, size: u32) -> u32 {
        let by_share = match self.whole {
            // No set has more than as many as count: the share of a set is the least.
            Whole::Union | Whole::Smallest(_) => self.least.min_size(size),
            Whole::Smaller | Whole::Levels => 1,
        };
        by_share.max(self.least_overlap)
    }

    /// Largest size of a partner of a set of this size.
    #[inline]
    pub fn max_size(self, size: u32) -> u32 {
        match self.whole {
            Whole::Union | Whole::Smallest(_) => self.least.max_size(size),
            Whole::Smaller | Whole::Levels => ANY_SIZE,
        }
    }

    /// Largest size of a partner that a set of `size` can still have when only `overlap` of
    /// its features can be shared.
    #[inline]
    pub fn max_partner(self, size: u32, overlap: u32) -> u32 {
        match self.whole {
            Whole::Union => self.least.max_partner(size, overlap),
            Whole::Levels => ANY_SIZE,
            Whole::Smallest(most) if overlap >= self.least.min_size(most) => ANY_SIZE,
            Whole::Smallest(_) => self.least.max_partner(size, overlap),
            // Enough of it for a set of any size to contain it.
            Whole::Smaller if overlap >= self.least.min_size(size) => ANY_SIZE,
            Whole::Smaller => self.least.max_size(overlap),
        }
    }

    /// Smallest [`Bounds::max_partner`] (at the bounds `base`, not above these) of a set
    /// that can still be similar to one of `size` features, given that it has at least
    /// `min_other` itself.
    pub fn min_reach(self, base: Bounds, size: u32, min_other: u32) -> u32 {
        match self.whole {
            Whole::Levels => 0,
            // What is enough of as many as count reaches any size.
            Whole::Union | Whole::Smallest(_) => {
                self.least.min_reach(base.least, size, min_other)
            }
            // A larger set must share this many: its reach is at least the size that needs
            // no more at the base. A smaller set that can be similar reaches any size.
            Whole::Smaller => base.least.max_size(self.least.min_size(size)),
        }
    }

    /// How many of its rarest features a set must be found by.
    #[inline]
    pub fn prefix_len(self, size: u32) -> u32 {
        let needed = match self.whole {
            Whole::Union | Whole::Smallest(_) => self.least.min_size(size),
            // A smaller set may be contained in any part of it.
            Whole::Smaller | Whole::Levels => 1,
        };
        prefix(size, needed.max(self.least_overlap))
    }

    /// Like [`Bounds::prefix_len`], of a set that looks for partners at least as large.
    #[inline]
    pub fn prefix_len_for_larger(self, size: u32) -> u32 {
        prefix(size, self.min_overlap(size, size))
    }
}

/// How many first features hold one of `needed` common ones; none when there are fewer.
#[inline]
fn prefix(size: u32, needed: u32) -> u32 {
    (size + 1).saturating_sub(needed)
}

#[inline]
fn union(overlap: u32, left_size: u32, right_size: u32) -> u64 {
    u64::from(left_size) + u64::from(right_size) - u64::from(overlap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(similarity: Similarity, text: &str) -> Bounds {
        Bounds::new(similarity, text.parse().unwrap())
    }

    const ALL: [Similarity; 5] = [
        Similarity::Resemblance,
        Similarity::Containment,
        Similarity::S3,
        Similarity::Estimate(29),
        Similarity::Estimate(60),
    ];
    const THRESHOLDS: [&str; 6] = ["0.1", "0.3", "0.5", "0.8", "0.95", "1.0"];

    #[test]
    fn names_are_read_as_they_are_written() {
        for similarity in ALL {
            let again: Similarity = similarity.to_string().parse().unwrap();
            assert_eq!(again, similarity);
        }
        assert!("jaccard".parse::<Similarity>().is_err());
    }

    #[test]
    fn bounds_agree_with_the_definition_for_all_small_sizes() {
        let asked = ALL.iter().flat_map(|&similarity| {
            THRESHOLDS.iter().map(move |&text| (similarity, text))
        });
        let asked = asked.flat_map(|(similarity, text)| {
            [0, 1, 4, 40].map(|least| (similarity, text, least))
        });
        for (similarity, text, least_overlap) in asked {
            let (p, q) = text.parse::<Threshold>().unwrap().ratio().parts();
            let bounds = bounds(similarity, text).with_min_overlap(least_overlap);
            for left in 1..30u32 {
                for right in 1..30u32 {
                    let most = left.min(right);
                    let reaches = |overlap: u32| {
                        let (part, whole) =
                            similarity.ratio(overlap, left, right).parts();
                        overlap >= least_overlap && part * q >= p * whole
                    };
                    let smallest = (0..=most).find(|&overlap| reaches(overlap));
                    let least = bounds.min_overlap(left, right);
                    assert_eq!(smallest, (least <= most).then_some(least));
                    if smallest.is_some() {
                        assert!(right >= bounds.min_size(left));
                        assert!(right <= bounds.max_size(left));
                    }
                    // With `possible` of left's features left to share.
                    for possible in 0..=left {
                        if bounds.max_partner(left, possible) < right {
                            assert!(least > possible, "{left} {right} {possible}");
                        }
                    }
                    if right >= left && smallest.is_some() {
                        // Fewer missing than the prefix is long: one of it is common.
                        assert!(bounds.prefix_len_for_larger(left) > left - least);
                    }
                    if smallest.is_some() && most == left {
                        assert!(bounds.prefix_len(left) > left - least);
                    }
                    if least_overlap > left {
                        assert_eq!(bounds.prefix_len(left), 0);
                        assert_eq!(bounds.prefix_len_for_larger(left), 0);
                    }
                }
            }
        }
    }

    #[test]
    fn no_set_below_the_smallest_reach_can_be_as_similar_as_asked() {
        for similarity in ALL {
            for (base, raised) in [("0.5", "0.5"), ("0.5", "0.7"), ("0.8", "0.83")] {
                let (base, raised) =
                    (bounds(similarity, base), bounds(similarity, raised));
                for size in 1..30u32 {
                    for min_other in [1, size] {
                        let min_reach = raised.min_reach(base, size, min_other);
                        let largest = match similarity {
                            Similarity::Estimate(most) => most,
                            _ => 60,
                        };
                        for other in min_other..largest {
                            for shared in 0..=other {
                                if base.max_partner(other, shared) < min_reach {
                                    assert!(raised.min_overlap(size, other) > shared);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
