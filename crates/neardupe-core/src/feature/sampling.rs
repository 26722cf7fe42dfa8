//! Which features of a document are compared, when not all are.
//!
//! What one document alone decides is done while reading ([`Sampler`](super::Sampler)); rules that
//! need the block of the document or counts of the collection come later in the pipeline. The text
//! form names all rules that are on, in the order in which they are applied; [`Sampling::and`]
//! reads one rule at a time, all but adaptive plans, which are in files.

use super::plan::{SALT, SamplingPlan};
use crate::error::{Error, Result};
use crate::hash;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The rules that reduce what is compared. All can be combined, and are applied in this order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sampling {
    /// Of each run of this many neighboring features one is kept.
    pub winnow: Option<u32>,
    /// Only features whose hash leaves this remainder are kept: the first number is the
    /// divisor. Similarity is computed on what is kept of both sides.
    pub modulus: Option<(u64, u64)>,
    /// Of each document so many features are kept, the smallest by [`hash::rank`]; similarity is
    /// estimated from these.
    pub smallest: Option<u32>,
    /// Of long documents fewer features are kept than of short ones.
    pub adaptive: Option<Arc<SamplingPlan>>,
    /// Features of more documents than this count for no overlap, but still for the sizes:
    /// similarity can only fall.
    pub commonality: Option<u32>,
}

impl Sampling {
    /// Leaves of the features of a document those that are kept by their hash. When none is, the document
    /// is left with a single one that only documents with the same features have: equal
    /// documents stay equal, and nothing else is known of it.
    pub fn thin(&self, features: &mut Vec<u64>) {
        if self.modulus.is_none() || features.is_empty() {
            return;
        }
        // The identity of the whole set, before any of it is removed.
        let all = hash::set(features);
        features.retain(|&feature| self.keeps(feature));
        if features.is_empty() {
            #[expect(clippy::cast_possible_truncation, reason = "half of a hash")]
            features.push(hash::nonzero(hash::mix(all as u64 ^ SALT)));
        }
    }

    /// Leaves of the features of a document the smallest, in no order.
    pub fn take_smallest(&self, features: &mut Vec<u64>) {
        if let Some(most) = self.smallest
            && features.len() > most as usize
        {
            // `smallest` is at least 1. Selection is linear, and the order of what is kept has no
            // effect.
            let last = most as usize - 1;
            features.select_nth_unstable_by_key(last, |&feature| hash::rank(feature));
            features.truncate(most as usize);
        }
    }

    /// Whether the value of a feature has a part in what is kept: then another hash keeps others.
    pub fn takes_by_hash(&self) -> bool {
        self.modulus.is_some() || !self.is_by_hash()
    }

    /// Whether the hash of a feature alone decides if it is kept, whatever else the document has.
    pub fn is_by_hash(&self) -> bool {
        self.winnow.is_none() && self.smallest.is_none() && self.adaptive.is_none()
    }

    /// The remainder that the hash of a feature leaves.
    #[inline]
    pub fn remainder(feature: u64, divisor: u64) -> u64 {
        hash::mix(feature ^ SALT) % divisor
    }

    /// Whether a feature is kept by its hash.
    #[inline]
    pub fn keeps(&self, feature: u64) -> bool {
        self.modulus.is_none_or(|(divisor, remainder)| {
            Self::remainder(feature, divisor) == remainder
        })
    }

    /// Adds what was typed to what is asked for already.
    pub fn and(self, typed: &str) -> Result<Self> {
        const MAX_SMALLEST: u32 = 1 << 30;
        const MAX_WINDOW: u32 = 1 << 16;
        let wrong = || {
            let message = format!(
                "{typed:?} is not one of mod:N, mod:N,R (R below N), smallest:N, winnow:N, \
                 adaptive:FILE, commonality:N, none"
            );
            Error::config("sample", message)
        };
        let twice = || {
            let kind = typed.split(':').next().unwrap_or_default();
            Error::config("sample", format!("{kind} is given twice"))
        };
        let number = |digits: &str| digits.parse::<u64>().map_err(|_| wrong());
        // Limits of 0 would keep nothing.
        let positive = |digits: &str, most: u32| {
            let number = u32::try_from(number(digits)?).map_err(|_| wrong())?;
            if (1..=most).contains(&number) {
                Ok(number)
            } else {
                Err(wrong())
            }
        };
        let mut sampling = self;
        match typed.split_once(':') {
            // Adds no rule, and takes none away.
            None if typed == "none" => {}
            Some(("mod", numbers)) => {
                let (divisor, remainder) =
                    numbers.split_once(',').unwrap_or((numbers, "0"));
                let (divisor, remainder) = (number(divisor)?, number(remainder)?);
                // Also a divisor of 0.
                if remainder >= divisor {
                    return Err(wrong());
                }
                if sampling.modulus.replace((divisor, remainder)).is_some() {
                    return Err(twice());
                }
            }
            Some((name @ ("commonality" | "smallest" | "winnow"), digits)) => {
                let (slot, most) = match name {
                    "commonality" => (&mut sampling.commonality, u32::MAX),
                    "smallest" => (&mut sampling.smallest, MAX_SMALLEST),
                    _ => (&mut sampling.winnow, MAX_WINDOW),
                };
                if slot.replace(positive(digits, most)?).is_some() {
                    return Err(twice());
                }
            }
            _ => return Err(wrong()),
        }
        Ok(sampling)
    }
}

impl FromStr for Sampling {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Sampling::default().and(text)
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.winnow.map(|len| format!("winnow:{len}")));
        if let Some((divisor, remainder)) = self.modulus {
            parts.push(match remainder {
                0 => format!("mod:{divisor}"),
                remainder => format!("mod:{divisor},{remainder}"),
            });
        }
        parts.extend(self.smallest.map(|most| format!("smallest:{most}")));
        parts.extend(
            self.adaptive
                .as_ref()
                .map(|plan| format!("adaptive:{plan}")),
        );
        parts.extend(self.commonality.map(|most| format!("commonality:{most}")));
        if parts.is_empty() {
            out.write_str("none")
        } else {
            out.write_str(&parts.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in [
            "none",
            "mod:4",
            "mod:512,7",
            "commonality:100",
            "smallest:400",
            "winnow:8",
        ] {
            assert_eq!(text.parse::<Sampling>().unwrap().to_string(), text);
        }
        let both = "mod:2".parse::<Sampling>().unwrap().and("commonality:9");
        let both = both.unwrap();
        assert_eq!(both.to_string(), "mod:2 commonality:9");
        let all = both.and("winnow:3").unwrap().and("smallest:5").unwrap();
        assert_eq!(all.to_string(), "winnow:3 mod:2 smallest:5 commonality:9");
        for wrong in [
            "",
            "mod",
            "mod:",
            "mod:0",
            "mod:4,4",
            "mod:x",
            "mod:4,",
            "commonality:0",
            "commonality:5000000000",
            "smallest:0",
            "winnow:0",
            "winnow:65537",
            "half",
        ] {
            assert!(wrong.parse::<Sampling>().is_err(), "{wrong}");
        }
        assert!("mod:2".parse::<Sampling>().unwrap().and("mod:4").is_err());
    }

    #[test]
    fn the_remainders_share_out_all_features() {
        let all: Vec<u64> = (1..10_000).map(hash::mix).collect();
        let mut shared_out = Vec::new();
        for remainder in 0..8 {
            let sampling: Sampling = format!("mod:8,{remainder}").parse().unwrap();
            let mut kept = all.clone();
            sampling.thin(&mut kept);
            assert!((1000..1500).contains(&kept.len()), "{}", kept.len());
            shared_out.extend(kept);
        }
        let mut all = all;
        all.sort_unstable();
        shared_out.sort_unstable();
        assert_eq!(all, shared_out);
    }

    #[test]
    fn equal_documents_of_which_nothing_is_kept_stay_equal() {
        let sampling: Sampling = "mod:1000000".parse().unwrap();
        let thinned = |features: &[u64]| {
            let mut features = features.to_vec();
            sampling.thin(&mut features);
            features
        };
        assert_eq!(thinned(&[3, 1, 2]).len(), 1);
        assert_eq!(thinned(&[3, 1, 2]), thinned(&[1, 2, 3]));
        assert_ne!(thinned(&[3, 1, 2]), thinned(&[3, 1]));
        assert!(thinned(&[]).is_empty());
    }
}
