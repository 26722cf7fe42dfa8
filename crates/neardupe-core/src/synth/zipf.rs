//! Drawing word forms by Zipf's law in constant time.
//!
//! The form of rank k has weight `(k + SHIFT)^-EXPONENT` (Zipf with Mandelbrot's shift,
//! which keeps the most frequent word near 5 % as in running English). The alias method
//! (Walker 1977, construction by Vose 1991) draws with one random number and one table
//! entry.

use super::random::{Random, exp, ln, scale};

const EXPONENT: f64 = 1.05;
const SHIFT: f64 = 2.7;

/// An alias table over the ranks `0..len`.
pub(super) struct Zipf(Vec<Entry>);

/// Below the threshold the entry's own rank is meant, else its alias.
#[derive(Clone, Copy)]
struct Entry {
    threshold: u32,
    alias: u32,
}

impl Zipf {
    pub(super) fn new(num_ranks: u32) -> Self {
        let weights: Vec<f64> = (1..=num_ranks)
            .map(|rank| exp(-EXPONENT * ln(f64::from(rank) + SHIFT)))
            .collect();
        Self(alias_table(&weights))
    }

    /// A rank; 0 is the most frequent.
    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u32 {
        let bits = random.bits();
        // The upper half chooses the entry, the lower half between its two ranks.
        let rank = scale(bits, self.len());
        let entry = self.0[rank as usize];
        if (bits & u64::from(u32::MAX)) < u64::from(entry.threshold) {
            rank
        } else {
            entry.alias
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "built from a u32 of ranks")]
    fn len(&self) -> u32 {
        self.0.len() as u32
    }
}

/// Pairs every rank that is too light for its entry with one that is too heavy.
#[expect(
    clippy::cast_possible_truncation,
    reason = "ranks and thresholds fit 32 bits"
)]
fn alias_table(weights: &[f64]) -> Vec<Entry> {
    let total: f64 = weights.iter().sum();
    let mut shares: Vec<f64> = weights
        .iter()
        .map(|weight| weight / total * weights.len() as f64)
        .collect();
    let mut table: Vec<Entry> = (0..weights.len() as u32)
        .map(|rank| Entry {
            threshold: u32::MAX,
            alias: rank,
        })
        .collect();
    let (mut light, mut heavy): (Vec<usize>, Vec<usize>) =
        (0..shares.len()).partition(|&rank| shares[rank] < 1.0);
    while let (Some(small), Some(&large)) = (light.pop(), heavy.last()) {
        table[small] = Entry {
            threshold: (shares[small] * f64::from(u32::MAX)) as u32,
            alias: large as u32,
        };
        shares[large] -= 1.0 - shares[small];
        if shares[large] < 1.0 {
            heavy.pop();
            light.push(large);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::random::{Purpose, Random};
    use super::Zipf;

    #[test]
    fn frequencies_follow_the_weights() {
        const NUM_DRAWS: u32 = 400_000;
        let zipf = Zipf::new(1000);
        let mut random = Random::keyed(1, Purpose::Body, 0);
        let mut counts = vec![0_u32; 1000];
        for _ in 0..NUM_DRAWS {
            counts[zipf.draw(&mut random) as usize] += 1;
        }
        let weight = |rank: usize| (rank as f64 + 1.0 + 2.7).powf(-1.05);
        let total: f64 = (0..1000).map(weight).sum();
        for rank in [0, 1, 9, 99] {
            let expected = weight(rank) / total * f64::from(NUM_DRAWS);
            let deviation = (f64::from(counts[rank]) - expected) / expected.sqrt();
            assert!(deviation.abs() < 4.5, "rank {rank}: {deviation} sigma");
        }
    }
}
