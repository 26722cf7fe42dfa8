//! A sample of pairs spread over all similarities: strata of equal width between the
//! threshold and 1, and in each the pairs with the smallest hashes.
//!
//! The hash depends on the ids and the seed alone, so whoever draws again gets the same pairs
//! whatever their order, and one pass with little memory is enough.

use crate::hash;
use crate::ratio::Ratio;
use crate::threshold::Threshold;
use std::collections::BinaryHeap;

/// Bins of equal width from a threshold to 1; the last one holds 1.
#[derive(Debug, Clone, Copy)]
pub struct Strata {
    from: Ratio,
    len: u32,
}

impl Strata {
    /// `len` bins, at least one.
    pub fn new(from: Threshold, len: u32) -> Self {
        Strata {
            from: from.ratio(),
            len: len.max(1),
        }
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Never: there is at least one.
    pub fn is_empty(self) -> bool {
        false
    }

    /// The bin of the similarity `part / whole`; what is below the threshold is in the first.
    pub fn of(self, part: u64, whole: u64) -> usize {
        // floor(len (part/whole - p/q) / (1 - p/q)), in integers.
        let [part, whole, p, q, len] = [
            part,
            whole.max(1),
            self.from.part,
            self.from.whole,
            u64::from(self.len),
        ]
        .map(u128::from);
        let above = (part * q).saturating_sub(p * whole) * len;
        let width = (q - p) * whole;
        let last = self.len() - 1;
        match above.checked_div(width) {
            // A threshold of 1: one similarity, one bin.
            None => last,
            Some(bin) => usize::try_from(bin).unwrap_or(last).min(last),
        }
    }

    /// Lower and upper end of a bin.
    #[expect(clippy::cast_precision_loss, reason = "shown")]
    pub fn bounds(self, bin: usize) -> (f64, f64) {
        let from = self.from.value();
        let end = |bin: usize| from + (1.0 - from) * bin as f64 / self.len() as f64;
        (end(bin), end(bin + 1))
    }
}

/// Draws up to so many of each stratum, all equally likely.
#[derive(Debug)]
pub struct Sampler<T> {
    seed: u64,
    most: usize,
    strata: Vec<Stratum<T>>,
}

#[derive(Debug)]
struct Stratum<T> {
    population: u64,
    /// The largest hash on top.
    drawn: BinaryHeap<(u64, T)>,
}

/// The sample of a stratum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn<T> {
    /// Number of pairs in the whole stratum.
    pub population: u64,
    /// The sample, in random order.
    pub sample: Vec<T>,
}

impl<T: Ord> Sampler<T> {
    /// Draws up to `most` of each of `len` strata.
    pub fn new(seed: u64, len: usize, most: usize) -> Self {
        let stratum = || Stratum {
            population: 0,
            drawn: BinaryHeap::new(),
        };
        Sampler {
            seed,
            most,
            strata: std::iter::repeat_with(stratum).take(len).collect(),
        }
    }

    /// A pair with these ids, made only if it is drawn for now.
    pub fn add(
        &mut self,
        stratum: usize,
        left: &str,
        right: &str,
        make: impl FnOnce() -> T,
    ) {
        let stratum = &mut self.strata[stratum];
        stratum.population += 1;
        let side = hash::bytes(left.as_bytes(), self.seed);
        // The hash of the left id is the seed of the right one, so (`a`, `bc`) and (`ab`, `c`)
        // differ.
        let key = hash::mix(hash::bytes(right.as_bytes(), side));
        // The smallest hashes of a stratum are a uniform sample without replacement. The heap holds
        // `most` of them, the largest on top; most pairs are refused by one comparison and never
        // made.
        if stratum.drawn.len() < self.most {
            stratum.drawn.push((key, make()));
        } else if stratum
            .drawn
            .peek()
            .is_some_and(|(largest, _)| key < *largest)
        {
            stratum.drawn.push((key, make()));
            stratum.drawn.pop();
        }
    }

    /// The sample, each stratum by its hashes.
    pub fn finish(self) -> Vec<Drawn<T>> {
        let strata = self.strata.into_iter().map(|stratum| Drawn {
            population: stratum.population,
            sample: stratum
                .drawn
                .into_sorted_vec()
                .into_iter()
                .map(|(_, item)| item)
                .collect(),
        });
        strata.collect()
    }
}

/// Shares a sample of `total` out among strata that have so many to give: evenly, and what
/// one cannot give goes to the others, first ones first.
pub fn share_out(total: usize, available: &[usize]) -> Vec<usize> {
    let mut shares = vec![0; available.len()];
    let mut left = total.min(available.iter().sum());
    while left > 0 {
        let open = shares.iter().zip(available).filter(|(s, a)| s < a).count();
        // `left` is at most what is available, so while it is above 0 some stratum is open; each
        // round closes one or gives out all but a rest smaller than `open`.
        let each = (left / open).max(1);
        for (share, &most) in shares.iter_mut().zip(available) {
            let more = each.min(most - *share).min(left);
            *share += more;
            left -= more;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_equal_width_and_exact_ends() {
        let strata = Strata::new("0.8".parse().unwrap(), 10);
        assert_eq!(strata.of(8, 10), 0);
        assert_eq!(strata.of(819_999, 1_000_000), 0);
        assert_eq!(strata.of(82, 100), 1);
        assert_eq!(strata.of(98, 100), 9);
        assert_eq!(strata.of(7, 7), 9);
        assert_eq!(strata.of(1, 10), 0);
        let (low, high) = strata.bounds(9);
        assert!((low - 0.98).abs() < 1e-12 && (high - 1.0).abs() < 1e-12);
        let one = Strata::new("1".parse().unwrap(), 10);
        assert_eq!(one.of(5, 5), 9);
    }

    #[test]
    fn a_sample_depends_on_the_seed_and_not_on_the_order() {
        let ids: Vec<String> = (0..300).map(|number| format!("d{number}")).collect();
        let draw = |seed, ids: &[String]| {
            let mut sampler = Sampler::new(seed, 2, 20);
            for id in ids {
                let stratum = usize::from(id.ends_with('7'));
                sampler.add(stratum, id, "x", || id.clone());
            }
            sampler.finish()
        };
        let drawn = draw(1, &ids);
        assert_eq!(drawn[0].population, 270);
        assert_eq!(drawn[0].sample.len(), 20);
        let reversed: Vec<String> = ids.iter().rev().cloned().collect();
        assert_eq!(draw(1, &reversed), drawn);
        assert_ne!(draw(2, &ids), drawn);
    }

    #[test]
    fn each_pair_is_drawn_equally_often() {
        let mut times = [0u32; 40];
        for seed in 0..4000 {
            let mut sampler = Sampler::new(seed, 1, 10);
            for number in 0..40usize {
                sampler.add(0, &number.to_string(), "x", || number);
            }
            for number in &sampler.finish()[0].sample {
                times[*number] += 1;
            }
        }
        // 1000 expected; five standard deviations are 137.
        assert!(times.iter().all(|&n| (863..1137).contains(&n)), "{times:?}");
    }

    #[test]
    fn what_a_stratum_cannot_give_goes_to_others() {
        assert_eq!(share_out(10, &[2, 100, 100]), [2, 4, 4]);
        assert_eq!(share_out(10, &[0, 3, 4]), [0, 3, 4]);
        assert_eq!(share_out(2, &[5, 5, 5]), [1, 1, 0]);
        assert_eq!(share_out(5, &[]), Vec::<usize>::new());
    }
}
