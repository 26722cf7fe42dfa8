//! What a sample says: a proportion with an interval in which the true one lies in 95 of 100
//! samples.

use serde::{Deserialize, Serialize};

/// The 97.5 % point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Lower and upper end of a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A share that was counted in a sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Proportion {
    /// Cases that have the property.
    pub part: u64,
    /// All cases.
    pub whole: u64,
    /// Their share.
    pub share: f64,
    /// Where the true share lies.
    pub interval: Interval,
}

impl Proportion {
    /// The share of `part` in `whole` with its Wilson interval (Wilson 1927); none of nothing.
    pub fn of(part: u64, whole: u64) -> Option<Self> {
        Self::in_population(part, whole, None)
    }

    /// The same when the sample was drawn from so many: a sample of all of them is certain.
    /// The correction for a finite population is that of the effective size of the sample,
    /// `n (N - 1) / (N - n)`.
    #[expect(clippy::cast_precision_loss, reason = "a statistic")]
    pub fn in_population(part: u64, whole: u64, population: Option<u64>) -> Option<Self> {
        if whole == 0 {
            return None;
        }
        let share = part as f64 / whole as f64;
        // A sample without replacement from few says more than its size: as if it were larger. With
        // all cases looked at there is nothing left to estimate.
        let cases = match population {
            Some(population) if population <= whole => {
                let interval = Interval {
                    low: share,
                    high: share,
                };
                return Some(Proportion {
                    part,
                    whole,
                    share,
                    interval,
                });
            }
            Some(population) => {
                whole as f64 * (population - 1) as f64 / (population - whole) as f64
            }
            None => whole as f64,
        };
        Some(Proportion {
            part,
            whole,
            share,
            interval: wilson(share, cases),
        })
    }
}

/// The interval of Wilson for a share in so many cases, which need not be whole. It holds the share
/// itself, also where that is 0 or 1; clamping only removes rounding.
fn wilson(share: f64, cases: f64) -> Interval {
    let square = Z * Z;
    let middle = share + square / (2.0 * cases);
    let spread =
        Z * (share * (1.0 - share) / cases + square / (4.0 * cases * cases)).sqrt();
    let below = 1.0 + square / cases;
    Interval {
        low: ((middle - spread) / below).clamp(0.0, share),
        high: ((middle + spread) / below).clamp(share, 1.0),
    }
}

/// A stratum, some of whose cases were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// Cases in the whole stratum.
    pub population: u64,
    /// Cases looked at.
    pub whole: u64,
    /// Those that have the property.
    pub part: u64,
}

/// The share in the whole population, from a sample drawn by strata: each stratum counts by its
/// size (Horvitz and Thompson 1952). The interval puts together those of the strata by the
/// recovered variances (MOVER: Zou and Donner 2008), which also holds where a stratum has only one
/// kind. Strata in which nothing was looked at are skipped; none if all are.
#[expect(clippy::cast_precision_loss, reason = "a statistic")]
pub fn stratified(strata: &[Judged]) -> Option<Estimate> {
    let judged = strata.iter().filter(|stratum| stratum.whole > 0);
    let population: u64 = judged.clone().map(|stratum| stratum.population).sum();
    let (mut share, mut below, mut above) = (0.0, 0.0, 0.0);
    for stratum in judged {
        let weight = stratum.population as f64 / population as f64;
        let found = Proportion::in_population(
            stratum.part,
            stratum.whole,
            Some(stratum.population),
        )?;
        share += weight * found.share;
        // Distances below and above add up as squares, each side by itself: the intervals of strata
        // are not symmetric.
        below += (weight * (found.share - found.interval.low)).powi(2);
        above += (weight * (found.interval.high - found.share)).powi(2);
    }
    (population > 0).then(|| Estimate {
        population,
        share,
        interval: Interval {
            low: (share - below.sqrt()).max(0.0),
            high: (share + above.sqrt()).min(1.0),
        },
    })
}

/// A share of a population, estimated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Cases it speaks of.
    pub population: u64,
    /// The share.
    pub share: f64,
    /// Where the true share lies.
    pub interval: Interval,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64) {
        assert!((left - right).abs() < 5e-5, "{left} {right}");
    }

    #[test]
    fn the_interval_is_the_one_in_textbooks() {
        // Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (part, whole, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let found = Proportion::of(part, whole).unwrap();
            near(found.interval.low, low);
            near(found.interval.high, high);
        }
        assert_eq!(Proportion::of(0, 0), None);
    }

    #[test]
    fn a_sample_of_all_is_certain() {
        let found = Proportion::in_population(3, 4, Some(4)).unwrap();
        near(found.interval.low, 0.75);
        near(found.interval.high, 0.75);
        let some = Proportion::in_population(3, 4, Some(8)).unwrap().interval;
        let of_many = Proportion::of(3, 4).unwrap().interval;
        assert!(some.low > of_many.low && some.high < of_many.high);
    }

    #[test]
    fn strata_count_by_their_size() {
        let strata = [
            Judged {
                population: 900,
                whole: 10,
                part: 10,
            },
            Judged {
                population: 100,
                whole: 10,
                part: 5,
            },
            Judged {
                population: 50,
                whole: 0,
                part: 0,
            },
        ];
        let found = stratified(&strata).unwrap();
        near(found.share, 0.95);
        assert_eq!(found.population, 1000);
        assert!(found.interval.low < 0.95 && found.interval.high > 0.95);
        // One stratum is the plain interval.
        let one = stratified(&strata[1..2]).unwrap();
        let plain = Proportion::in_population(5, 10, Some(100)).unwrap();
        near(one.interval.low, plain.interval.low);
        near(one.interval.high, plain.interval.high);
        assert_eq!(stratified(&[]), None);
        assert_eq!(stratified(&strata[2..]), None);
    }

    /// In about 95 of 100 samples the interval holds the true share.
    #[test]
    fn the_interval_covers_as_often_as_it_says() {
        let populations = [(400u64, 380u64), (300, 150), (300, 20)];
        let truth = 550.0 / 1000.0;
        let (mut held, trials) = (0, 2000u64);
        for trial in 0..trials {
            let strata = populations.map(|(population, with)| {
                // Draws without replacement, by the smallest hashes.
                let mut cases: Vec<u64> = (0..population).collect();
                let seed = trial * 7919 + population + with;
                cases.sort_by_key(|&case| crate::hash::mix(seed * 1_000_003 + case));
                let whole = 25;
                let part = cases[..whole].iter().filter(|&&case| case < with).count();
                Judged {
                    population,
                    whole: whole as u64,
                    part: part as u64,
                }
            });
            let found = stratified(&strata).unwrap().interval;
            held += u64::from(found.low <= truth && truth <= found.high);
        }
        let share = held as f64 / trials as f64;
        assert!((0.93..0.985).contains(&share), "{share}");
    }
}
