//! Bands: which values of a signature must agree for two sets to be compared.
//!
//! A signature is cut into `b` bands of `r` values. Two sets of resemblance `s` agree in a
//! band with probability `s^r`, and in one band or more with `1 - (1 - s^r)^b`. With
//! supershingles (Broder, Identifying and filtering near-duplicate documents, CPM 2000) two
//! bands must agree.

use crate::error::{Error, Result};
use crate::hash::mix;
use std::fmt;
use std::str::FromStr;

/// How a signature is cut into bands, and how many of them must agree. Any numbers up to
/// [`MAX_VALUES`] values are possible; the text form is `14x8`, or the name of a published setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bands {
    /// Number of bands.
    pub bands: u32,
    /// Values of a band.
    pub rows: u32,
    /// Bands in which two sets must agree: one or two.
    pub needed: u32,
}

/// Most values of a signature that are chosen; more can be asked for.
pub const DEFAULT_VALUES: u32 = 256;
/// Most values that can be asked for.
pub const MAX_VALUES: u32 = 10_000;

/// Settings that were published, by the name of the system.
pub const PUBLISHED: [(&str, Bands, &str); 5] = [
    ("fineweb", Bands::one_of(14, 8), "FineWeb, datatrove"),
    ("nemo", Bands::one_of(20, 13), "NeMo Curator"),
    ("slimpajama", Bands::one_of(9, 13), "SlimPajama"),
    ("lee", Bands::one_of(450, 20), "Lee et al. 2022, RefinedWeb"),
    (
        "supershingles",
        Bands {
            bands: 6,
            rows: 14,
            needed: 2,
        },
        "Broder 2000",
    ),
];

impl Bands {
    /// Bands; two sets must agree in one of them.
    pub const fn one_of(bands: u32, rows: u32) -> Self {
        Bands {
            bands,
            rows,
            needed: 1,
        }
    }

    /// Bands by which a pair exactly at the threshold is found with probability `recall` or more,
    /// with up to `max_values` values: of those with the longest bands, which let the fewest other
    /// pairs through. Fails when no bands of so many values reach `recall`.
    pub fn for_threshold(threshold: f64, recall: f64, max_values: u32) -> Result<Self> {
        // More bands of one length only raise the probability, so the first number of bands that is
        // enough is the smallest. About `max_values` times the logarithm of 64 probabilities are
        // computed, once for a job.
        let rows = (1..=64).rev();
        let fitting = rows.filter_map(|rows| {
            let bands = (1..=max_values / rows).find(|&bands| {
                Bands::one_of(bands, rows).probability(threshold) >= recall
            })?;
            Some(Bands::one_of(bands, rows))
        });
        fitting.into_iter().next().ok_or_else(|| {
            let message = format!(
                "no bands of {max_values} values find pairs at {threshold} with probability \
                 {recall}; raise `num-perm` or ask for less"
            );
            Error::config("recall", message)
        })
    }

    /// Values of a signature.
    pub fn num_values(self) -> usize {
        self.bands as usize * self.rows as usize
    }

    /// Keys of a signature: two sets are compared when they share one.
    pub fn num_keys(self) -> usize {
        let bands = self.bands as usize;
        match self.needed {
            1 => bands,
            _ => bands * bands.saturating_sub(1) / 2,
        }
    }

    /// The probability that two sets of this resemblance are compared.
    pub fn probability(self, resemblance: f64) -> f64 {
        let agree = resemblance.powi(i32::try_from(self.rows).unwrap_or(i32::MAX));
        let bands = f64::from(self.bands);
        // Bands are of different values, so they agree independently.
        let none = (1.0 - agree).powf(bands);
        match self.needed {
            1 => 1.0 - none,
            _ => {
                // Exactly one band: no key is shared.
                let one = bands * agree * (1.0 - agree).powf(bands - 1.0);
                // Rounded, the difference may be a little below.
                (1.0 - none - one).max(0.0)
            }
        }
    }

    /// Appends the keys of a signature, [`Bands::num_keys`] of them when `values` has
    /// [`Bands::num_values`]. Of two bands that must agree each pair is a key, so one shared key is
    /// enough here too, and nothing after this has to count bands.
    pub fn keys(self, values: &[u64], keys: &mut Vec<u64>) {
        let bands = values.chunks_exact(self.rows.max(1) as usize).zip(0u64..);
        let hashes = bands.map(|(values, band)| band_hash(values, band));
        if self.needed == 1 {
            keys.extend(hashes);
            return;
        }
        let hashes: Vec<u64> = hashes.collect();
        for (at, &left) in hashes.iter().enumerate() {
            let others = hashes[at + 1..].iter();
            // Turned by half, so that the two bands are not interchangeable.
            keys.extend(others.map(|&right| mix(left ^ right.rotate_left(32))));
        }
    }
}

/// Identity of the values of a band. The number of the band is part of it: equal values in
/// different bands do not count as agreement.
fn band_hash(values: &[u64], band: u64) -> u64 {
    let start = mix(band ^ 0x6261_6e64_7321_2121);
    let hash = values.iter().fold(start, |hash, &value| {
        mix(hash.wrapping_mul(0xd1b5_4a32_d192_ed03) ^ value)
    });
    crate::hash::nonzero(hash)
}

impl FromStr for Bands {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some((_, bands, _)) = PUBLISHED.iter().find(|(name, ..)| *name == text) {
            return Ok(*bands);
        }
        let wrong = || {
            let names: Vec<&str> = PUBLISHED.iter().map(|(name, ..)| *name).collect();
            let message = format!(
                "{text:?} is not BxR with up to {MAX_VALUES} values, such as 14x8, nor one of {}",
                names.join(", ")
            );
            Error::config("bands", message)
        };
        let (bands, rows) = text.split_once('x').ok_or_else(wrong)?;
        let number = |digits: &str| digits.parse::<u32>().map_err(|_| wrong());
        let (bands, rows) = (number(bands)?, number(rows)?);
        let values = u64::from(bands) * u64::from(rows);
        if values == 0 || values > u64::from(MAX_VALUES) {
            return Err(wrong());
        }
        Ok(Bands::one_of(bands, rows))
    }
}

impl fmt::Display for Bands {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As it is typed.
        match self.needed {
            1 => write!(out, "{}x{}", self.bands, self.rows),
            _ => out.write_str("supershingles"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::minhash::MinHasher;
    use super::*;

    #[test]
    fn bands_find_what_is_asked_for() {
        for threshold in [0.3, 0.5, 0.8, 0.9, 0.95, 1.0] {
            for recall in [0.5, 0.9, 0.99, 0.999] {
                let bands = Bands::for_threshold(threshold, recall, 256).unwrap();
                assert!(bands.probability(threshold) >= recall);
                assert!(bands.num_values() <= 256);
                let fewer = Bands::one_of(bands.bands - 1, bands.rows);
                assert!(fewer.probability(threshold) < recall);
            }
        }
        let bands = Bands::for_threshold(0.8, 0.99, 256).unwrap();
        assert_eq!(bands, Bands::one_of(26, 8));
        assert!(Bands::for_threshold(0.1, 0.99, 10).is_err());
    }

    #[test]
    fn two_of_six_supershingles() {
        let bands: Bands = "supershingles".parse().unwrap();
        assert_eq!((bands.num_values(), bands.num_keys()), (84, 15));
        // Counted over all subsets of bands that agree.
        let agree = 0.95f64.powi(14);
        let probability: f64 = (0u32..64)
            .filter(|subset| subset.count_ones() >= 2)
            .map(|subset| {
                let yes = i32::try_from(subset.count_ones()).unwrap();
                agree.powi(yes) * (1.0 - agree).powi(6 - yes)
            })
            .sum();
        assert!((bands.probability(0.95) - probability).abs() < 1e-12);
        let values: Vec<u64> = (0..84).collect();
        let mut other = values.clone();
        let shared = |other: &[u64]| {
            let (mut one, mut two) = (Vec::new(), Vec::new());
            bands.keys(&values, &mut one);
            bands.keys(other, &mut two);
            one.iter().filter(|key| two.contains(key)).count()
        };
        assert_eq!(shared(&other), 15);
        for band in 0..4 {
            other[band * 14] ^= 1;
        }
        assert_eq!(shared(&other), 1);
        other[4 * 14] ^= 1;
        assert_eq!(shared(&other), 0);
    }

    #[test]
    fn settings_as_typed() {
        assert_eq!("14x8".parse::<Bands>().unwrap(), Bands::one_of(14, 8));
        for (name, bands, _) in PUBLISHED {
            assert_eq!(name.parse::<Bands>().unwrap(), bands);
            assert_eq!(bands.to_string().parse::<Bands>().unwrap(), bands);
        }
        for wrong in [
            "", "14", "x", "0x8", "14x0", "101x100", "14x8x2", "-1x8", "fine",
        ] {
            assert!(wrong.parse::<Bands>().is_err(), "{wrong}");
        }
    }

    /// Measured over pairs of known resemblance: a one-sided binomial test at 1 %.
    #[test]
    fn pairs_at_the_threshold_are_found_as_often_as_asked() {
        for (threshold, common, own) in [(0.5, 2u64, 1u64), (0.8, 8, 1), (0.9, 18, 1)] {
            for scale in [1u64, 4, 40] {
                let bands = Bands::for_threshold(threshold, 0.9, 256).unwrap();
                let hasher = MinHasher::new(bands.num_values(), 7);
                let mut found = 0;
                const PAIRS: u64 = 2000;
                for pair in 0..PAIRS {
                    let feature = |number: u64| mix(number ^ mix(pair << 20));
                    let both = (0..common * scale).map(feature);
                    let set = |side: u64| -> Vec<u64> {
                        let own = (0..own * scale).map(|at| feature((side << 40) + at));
                        both.clone().chain(own).collect()
                    };
                    let keys = |features: Vec<u64>| {
                        let (mut values, mut keys) = (Vec::new(), Vec::new());
                        hasher.sign(&features, &mut values);
                        bands.keys(&values, &mut keys);
                        keys
                    };
                    let (one, other) = (keys(set(1)), keys(set(2)));
                    found += u64::from(one.iter().any(|key| other.contains(key)));
                }
                let asked = bands.probability(threshold);
                let error = (asked * (1.0 - asked) / PAIRS as f64).sqrt();
                let share = found as f64 / PAIRS as f64;
                assert!(
                    share >= asked - 2.33 * error,
                    "{threshold} x {scale}: {share} of {asked}"
                );
            }
        }
    }
}
