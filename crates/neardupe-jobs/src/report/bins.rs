//! Numbers put into bins for a chart.
//!
//! A page has the numbers of bins, never of documents, so its size does not depend on the
//! collection. Sizes of documents and clusters spread over powers of ten and are mostly small, so
//! bins double, and the first numbers have bins of their own.

use neardupe_core::ratio::Ratio;

/// Bins that double: 1, 2, 3-4, 5-8 and so on. Numbers up to a limit have bins of their own.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Doubling<const SERIES: usize> {
    /// A power of two, or 0.
    alone: u64,
    bins: Vec<[u64; SERIES]>,
}

/// A bin as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bin<const SERIES: usize> {
    /// Smallest number in it.
    pub(super) low: u64,
    /// Largest number in it.
    pub(super) high: u64,
    /// How much is in it, of each series.
    pub(super) counts: [u64; SERIES],
}

impl<const SERIES: usize> Doubling<SERIES> {
    /// Numbers up to `2^log` have bins of their own.
    pub(super) fn alone_up_to(log: u32) -> Self {
        Doubling {
            alone: 1 << log,
            bins: Vec::new(),
        }
    }

    /// For `alone` = 2^k the bins are 0, 1, 2 .. 2^k, then (2^k, 2^(k+1)] and so on.
    fn bin_of(&self, number: u64) -> usize {
        let log = |number: u64| u64::BITS - (number - 1).leading_zeros();
        let bin = match number {
            0 => 0,
            _ if number <= self.alone => number,
            _ if self.alone > 1 => self.alone + u64::from(log(number) - log(self.alone)),
            _ => u64::from(log(number)) + 1,
        };
        usize::try_from(bin).unwrap_or(0)
    }

    /// The smallest and the largest number in a bin.
    fn ends(&self, bin: usize) -> (u64, u64) {
        let bin = bin as u64;
        match bin {
            0 | 1 => (bin, bin),
            _ if bin <= self.alone => (bin, bin),
            _ if self.alone > 1 => {
                let high = self.alone << (bin - self.alone);
                (high / 2 + 1, high)
            }
            _ => ((1 << (bin - 2)) + 1, 1 << (bin - 1)),
        }
    }

    /// Adds to the bin of a number.
    pub(super) fn add(&mut self, number: u64, counts: [u64; SERIES]) {
        let bin = self.bin_of(number);
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, [0; SERIES]);
        }
        let sums = self.bins[bin].iter_mut().zip(counts);
        sums.for_each(|(sum, count)| *sum += count);
    }

    /// From the first bin that holds anything to the last.
    pub(super) fn shown(&self) -> Vec<Bin<SERIES>> {
        let holds = |counts: &[u64; SERIES]| counts.iter().any(|&count| count > 0);
        let first = self.bins.iter().position(holds);
        let bins = self.bins.iter().enumerate().skip(first.unwrap_or(0));
        bins.map(|(bin, &counts)| {
            let (low, high) = self.ends(bin);
            Bin { low, high, counts }
        })
        .collect()
    }
}

/// Similarities by hundredths; those of exactly 1 apart, since often they are most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hundredths {
    bins: [u64; 101],
}

impl Default for Hundredths {
    fn default() -> Self {
        Hundredths { bins: [0; 101] }
    }
}

impl Hundredths {
    /// Adds a similarity, as part and whole.
    pub(super) fn add(&mut self, ratio: Ratio) {
        // Rounded down, in whole numbers: a pair at 0.7999 must not be shown in the bin of a
        // threshold of 0.8, and 0.999 not as the same.
        let bin = u128::from(ratio.part) * 100 / u128::from(ratio.whole.max(1));
        let bin = usize::try_from(bin).unwrap_or(100).min(100);
        self.bins[bin] += 1;
    }

    /// From the first bin that holds anything: its lower end in hundredths, and how many.
    pub(super) fn shown(&self) -> Vec<(usize, u64)> {
        let first = self.bins.iter().position(|&count| count > 0);
        let Some(first) = first else {
            return Vec::new();
        };
        (first..=100).map(|bin| (bin, self.bins[bin])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_within_its_bin() {
        for number in (0..70).chain([1000, 1024, 1025, u64::from(u32::MAX)]) {
            for mut bins in [Doubling::<1>::default(), Doubling::alone_up_to(3)] {
                bins.add(number, [3]);
                let shown = bins.shown();
                let bin = shown.last().unwrap();
                assert_eq!(shown.len(), 1, "{number}");
                assert!(
                    bin.low <= number && number <= bin.high,
                    "{number} in {bin:?}"
                );
                assert_eq!(bin.counts, [3]);
                assert!(number > bins.alone || bin.low == bin.high, "{number}");
            }
        }
        assert!(Doubling::<2>::default().shown().is_empty());
        let mut bins = Doubling::alone_up_to(3);
        (2..=17).for_each(|number| bins.add(number, [1]));
        let ends: Vec<(u64, u64)> =
            bins.shown().iter().map(|bin| (bin.low, bin.high)).collect();
        assert_eq!(ends[6..], [(8, 8), (9, 16), (17, 32)]);
    }

    #[test]
    fn similarity_one_stands_apart() {
        let mut bins = Hundredths::default();
        bins.add(Ratio::new(4, 5));
        bins.add(Ratio::new(999, 1000));
        bins.add(Ratio::new(7, 7));
        let shown = bins.shown();
        assert_eq!(shown.first(), Some(&(80, 1)));
        assert_eq!(shown[19..], [(99, 1), (100, 1)]);
        assert!(Hundredths::default().shown().is_empty());
    }
}
