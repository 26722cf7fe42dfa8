//! Seeds that one text shares with others, sorted by the others.
//!
//! Texts that are nearly the same share a seed every few words. Such seeds are one chain, as long
//! as each begins within the one before and in the same place of the other text: the words of a
//! chain agree from its beginning to its end.

use crate::error::Result;
use crate::numbers::narrow;
use crate::passage::seeds::{self, FEWEST_SEEDS};
use crate::passage::{ReusedMap, SeedChain};

/// Words that every seed has at least.
const WORDS_OF_SEED: u32 = 5;
const _: () = assert!(
    seeds::SHORTEST_SENTENCE == 10 * WORDS_OF_SEED as u64
        && seeds::RUN >= WORDS_OF_SEED as usize
);

/// What one text shares with others.
#[derive(Debug, Default)]
pub struct Hits {
    numbers: ReusedMap,
    others: Vec<Other>,
    /// Numbers of the other texts, and what is shared with them.
    hits: Vec<(u32, SeedChain)>,
    by_text: Vec<SeedChain>,
}

/// Another text.
#[derive(Debug, Clone, Copy)]
struct Other {
    text: u32,
    num_seeds: u32,
    num_chains: u32,
    /// Place of the last chain among the hits; beyond all of them before the first.
    last: usize,
}

impl Hits {
    /// Nothing is shared yet.
    pub fn begin(&mut self) {
        self.numbers.begin(0);
        self.others.clear();
        self.hits.clear();
    }

    /// A seed is shared. They come by their places in the one text.
    pub fn add(&mut self, text: u32, at: u32, other_at: u32) -> Result<()> {
        let next = narrow(self.others.len(), "texts that share seeds with one text")?;
        let known = self.numbers.get_or_insert(text, next).copied();
        let number = known.unwrap_or(next);
        if known.is_none() {
            self.others.push(Other {
                text,
                num_seeds: 0,
                num_chains: 0,
                last: usize::MAX,
            });
        }
        let other = &mut self.others[number as usize];
        other.num_seeds += 1;
        if let Some((_, chain)) = self.hits.get_mut(other.last) {
            let step = at - chain.left;
            if step <= chain.len && chain.right.checked_add(step) == Some(other_at) {
                chain.len = step + WORDS_OF_SEED;
                return Ok(());
            }
        }
        other.num_chains += 1;
        other.last = self.hits.len();
        let chain = SeedChain {
            left: at,
            right: other_at,
            len: WORDS_OF_SEED,
        };
        self.hits.push((number, chain));
        Ok(())
    }

    /// The other texts that are worth comparing, with a place in each.
    pub fn others(&self) -> impl Iterator<Item = (u32, u32)> {
        let shared = self.others.iter();
        let shared = shared.filter(|other| other.num_seeds >= FEWEST_SEEDS);
        shared.map(|other| (other.text, self.hits[other.last].1.right))
    }

    /// Each other text, the number of seeds shared with it, and the chains of them.
    pub fn by_text(&mut self) -> impl Iterator<Item = (u32, u32, &[SeedChain])> {
        let mut end = 0;
        for other in &mut self.others {
            // Where its chains begin; it becomes where they end.
            let start = end;
            end += other.num_chains;
            other.num_chains = start;
        }
        let none = SeedChain {
            left: 0,
            right: 0,
            len: 0,
        };
        self.by_text.clear();
        self.by_text.resize(self.hits.len(), none);
        for &(number, chain) in &self.hits {
            let next = &mut self.others[number as usize].num_chains;
            self.by_text[*next as usize] = chain;
            *next += 1;
        }
        let chains = &self.by_text;
        let mut start = 0;
        self.others.iter().map(move |other| {
            let from = std::mem::replace(&mut start, other.num_chains as usize);
            (other.text, other.num_seeds, &chains[from..start])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_that_follow_each_other_are_one_chain() {
        let mut hits = Hits::default();
        for _ in 0..2 {
            hits.begin();
            for (text, at, other_at) in [
                (7, 0, 10),
                (9, 0, 3),
                (7, 4, 14),
                (7, 9, 19),
                // Too far, on another diagonal, and back.
                (7, 15, 25),
                (7, 16, 2),
                (9, 16, 19),
                (7, 17, 27),
            ] {
                hits.add(text, at, other_at).unwrap();
            }
            let found: Vec<_> = hits
                .by_text()
                .map(|(text, seeds, chains)| {
                    let chains = chains.iter().map(|one| (one.left, one.right, one.len));
                    (text, seeds, chains.collect::<Vec<_>>())
                })
                .collect();
            let of_first = vec![(0, 10, 14), (15, 25, 5), (16, 2, 5), (17, 27, 5)];
            let of_second = vec![(0, 3, 5), (16, 19, 5)];
            assert_eq!(found, [(7, 6, of_first), (9, 2, of_second)]);
        }
    }
}
