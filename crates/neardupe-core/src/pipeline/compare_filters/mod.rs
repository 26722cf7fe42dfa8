//! What each filter of the join is worth on this collection.
//!
//! The same feature sets are joined with all filters, without each of them, without any, and with
//! the signature filter, which loses pairs; then by the two methods that know no filter at all:
//! common features are counted over inverted lists, and each set is compared with each. This is the
//! performance view of C. Wang and others, MapDupReducer (SIGMOD 2010), section 3.4, and the last
//! two are the indexed approach and the brute force of J. Lin (SIGIR 2009), which it compares with.
//!
//! What has no bound beyond the number of pairs runs on a smaller sample, and there all filters run
//! once more, to compare with. Which sets are in a sample follows from their features, so that
//! what is found is the same in every run. Of the pairs found only their number and a digest are
//! kept.

mod outcome;
mod plain;

use crate::candidate::chunk::{Chunk, SetChunk, SetSpan};
use crate::candidate::filter::{Filter, Filters};
use crate::candidate::ledger::Ledger;
use crate::document::{Progress, check_cancelled};
use crate::error::{Error, Result};
use crate::join::{JoinSettings, all_pairs};
use crate::numbers::{SetIdx, of_len};
use crate::pair::SetPair;
pub use crate::pipeline::config::CompareFilters;
use crate::pipeline::config::FindConfig;
use crate::pipeline::rank::context::RankContext;
use crate::pipeline::rank::recall;
use outcome::{Outcome, Pairs};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Bytes of memory for a feature of a sample: itself, a copy that is ranked, its place in bitmaps,
/// prefixes and lists, and as much again to spare.
const BYTES_PER_FEATURE: u64 = 128;
/// Features of a piece of a sample that is ranked by one thread.
const PIECE: usize = 1 << 16;
/// Name of the stage.
const STAGE: &str = "filters";

/// One way to find all similar pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// The join with length, prefix, position and bitmap filters.
    AllOn,
    /// Without the length filter.
    NoLength,
    /// Without the prefix filter: sets are looked up by all their features.
    NoPrefix,
    /// Without the position filter.
    NoPosition,
    /// Without the bitmap filter.
    NoBitmap,
    /// With the signature filter besides.
    Signature,
    /// Without any filter: every pair with a common feature is verified.
    AllOff,
    /// Common features are counted over inverted lists.
    PlainCounting,
    /// Each set is compared with each.
    BruteForce,
}

impl Setting {
    /// Whether the setting must find the same pairs as the others.
    pub fn is_exact(self) -> bool {
        self != Setting::Signature
    }

    /// The filters of the join; None where no join is done.
    fn filters(self, signature: Option<u32>) -> Option<Filters> {
        let all = Filters::default();
        Some(match self {
            Setting::AllOn => all,
            Setting::NoLength => all.without(Filter::Length),
            Setting::NoPrefix => all.without(Filter::Prefix),
            Setting::NoPosition => all.without(Filter::Position),
            Setting::NoBitmap => all.without(Filter::Bitmap),
            Setting::Signature => Filters { signature, ..all },
            Setting::AllOff => Filters {
                length: false,
                prefix: false,
                position: false,
                bitmap: false,
                ..all
            },
            Setting::PlainCounting | Setting::BruteForce => return None,
        })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Setting::AllOn => "all filters on",
            Setting::NoLength => "no length filter",
            Setting::NoPrefix => "no prefix filter",
            Setting::NoPosition => "no position filter",
            Setting::NoBitmap => "no bitmap filter",
            Setting::Signature => "with signature filter",
            Setting::AllOff => "no filter at all",
            Setting::PlainCounting => "plain counting",
            Setting::BruteForce => "each with each",
        })
    }
}

/// Settings whose work grows little faster than the collection.
const BOUNDED: [Setting; 5] = [
    Setting::AllOn,
    Setting::NoLength,
    Setting::NoPosition,
    Setting::NoBitmap,
    Setting::Signature,
];
/// Settings whose work grows with the square of the collection.
const UNBOUNDED: [Setting; 4] = [
    Setting::NoPrefix,
    Setting::AllOff,
    Setting::PlainCounting,
    Setting::BruteForce,
];

/// What was measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FilterComparison {
    /// One for the settings that are bounded and one for the others; a single one when the
    /// collection is small enough for all.
    pub samples: Vec<ComparedSample>,
}

impl FilterComparison {
    /// Whether all settings that lose nothing found the same pairs.
    pub fn agrees(&self) -> bool {
        let rows = self.samples.iter().flat_map(|sample| &sample.rows);
        let mut exact = rows.filter(|row| row.setting.is_exact());
        exact.all(|row| row.same)
    }
}

/// The settings that ran on the same sets. The first has all filters on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ComparedSample {
    /// Distinct feature sets.
    pub sets: u64,
    /// Their features.
    pub features: u64,
    /// One in so many sets of the collection is among them; 1 when all are.
    pub one_in: u64,
    /// One for each setting.
    pub rows: Vec<FilterRow>,
}

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FilterRow {
    /// The setting.
    pub setting: Setting,
    /// What it looked at. Without a join: postings that were counted, pairs that share a
    /// feature or were compared.
    #[serde(flatten)]
    pub ledger: Ledger,
    /// Pairs that all filters find and this setting does not.
    pub lost: u64,
    /// Whether exactly the same pairs were found, with the same overlaps.
    pub same: bool,
    /// Time to rank features and make bitmaps, prefixes or lists.
    pub prepare_seconds: f64,
    /// Time to find the pairs.
    pub join_seconds: f64,
}

impl FilterRow {
    /// Time for both.
    pub fn seconds(&self) -> f64 {
        self.prepare_seconds + self.join_seconds
    }
}

/// Stages of a setting are not shown one by one.
struct Quietly<'a>(&'a dyn Progress);

impl Progress for Quietly<'_> {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Joins samples of the sets in all ways.
pub(in crate::pipeline) fn compare_filters(
    context: RankContext<'_>,
    chunks: &[Chunk],
    asked: CompareFilters,
) -> Result<FilterComparison> {
    Trials { context, asked }.run(chunks)
}

/// The settings as they are tried.
struct Trials<'a> {
    context: RankContext<'a>,
    asked: CompareFilters,
}

impl Trials<'_> {
    /// Draws the samples and tries all settings on them.
    fn run(&self, chunks: &[Chunk]) -> Result<FilterComparison> {
        let asked = self.asked;
        if let Some((comparison, _)) =
            self.context.work.stage::<FilterComparison>(STAGE)?
        {
            return Ok(comparison);
        }
        let (num_sets, num_features) = self.context.sets.totals();
        let most_features =
            (self.context.config.budget.memory / BYTES_PER_FEATURE).max(1);
        let mut one_in = num_features.div_ceil(most_features).max(1);
        // Settings that grow with the square get a sample of their own if the first one is too large for them.
        let fewer = one_in_of_square(num_sets, num_features, asked.max_steps);
        let mut bounded = BOUNDED.to_vec();
        bounded.retain(|&setting| setting.is_exact() || asked.signature.is_some());
        let again = u64::from(fewer > one_in);
        let total = (bounded.len() + UNBOUNDED.len()) as u64 + again;
        self.context.progress.begin(STAGE, total);
        // Whether a sample has too many pairs is only known when it was joined.
        let first = loop {
            let sample = recall::sample(&self.context, chunks, one_in)?;
            if self.has_few_pairs(&sample, asked.max_pairs)? {
                break sample;
            }
            one_in *= 4;
        };
        let mut comparison = FilterComparison::default();
        if fewer <= one_in {
            bounded.extend(UNBOUNDED);
            let sample = self.compared(&first, one_in, &bounded)?;
            comparison.samples.push(sample);
        } else {
            let sample = self.compared(&first, one_in, &bounded)?;
            comparison.samples.push(sample);
            drop(first);
            let second = recall::sample(&self.context, chunks, fewer)?;
            let settings = [&[Setting::AllOn][..], &UNBOUNDED].concat();
            let sample = self.compared(&second, fewer, &settings)?;
            comparison.samples.push(sample);
        }
        if self.context.spilled {
            self.context
                .work
                .commit(STAGE, &comparison, Vec::new(), &[])?;
        }
        Ok(comparison)
    }

    /// Whether a sample has so few pairs that all can be found several times. It also brings all
    /// that is measured later into memory.
    fn has_few_pairs(&self, sample: &SetChunk, max_pairs: u64) -> Result<bool> {
        let clock = || Duration::ZERO;
        let (mut pairs, all) = (0, Filters::default());
        let joined = self.join(sample, all, clock, |_, _, _| {
            pairs += 1;
            if pairs > max_pairs {
                return Err(Error::Cancelled);
            }
            Ok(())
        });
        match joined {
            Ok(_) => Ok(true),
            // The job itself may have been cancelled, too.
            Err(_) if pairs > max_pairs && !self.context.progress.is_cancelled() => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Runs settings, of which the first is what the others are compared with.
    fn compared(
        &self,
        sample: &SetChunk,
        one_in: u64,
        settings: &[Setting],
    ) -> Result<ComparedSample> {
        let mut compared = ComparedSample {
            sets: sample.spans.len() as u64,
            features: sample.features.len() as u64,
            one_in,
            rows: Vec::new(),
        };
        let mut all_on = None;
        for &setting in settings {
            let outcome = self.outcome(sample, setting)?;
            // The first setting has all filters on.
            let expected = *all_on.get_or_insert(outcome.pairs);
            compared.rows.push(FilterRow {
                setting,
                ledger: outcome.ledger,
                lost: expected.count.saturating_sub(outcome.pairs.count),
                same: expected == outcome.pairs,
                prepare_seconds: outcome.prepared.as_secs_f64(),
                join_seconds: outcome.joined.as_secs_f64(),
            });
            self.context.progress.advance(1);
            check_cancelled(self.context.progress)?;
        }
        Ok(compared)
    }

    /// Tries one setting.
    fn outcome(&self, sample: &SetChunk, setting: Setting) -> Result<Outcome> {
        let asked = self.asked;
        let mut outcome = match setting.filters(asked.signature) {
            Some(filters) => {
                let mut pairs = Pairs::default();
                let add = |one, other, overlap| {
                    pairs.add(one, other, overlap);
                    Ok(())
                };
                let joined = self.join(sample, filters, asked.clock, add)?;
                Outcome { pairs, ..joined }
            }
            None => {
                let bounds = self.context.config.bounds();
                let plain =
                    plain::Plain::new(sample, bounds, self.context.progress, asked.clock);
                match setting {
                    Setting::PlainCounting => plain.count()?,
                    _ => plain.each_with_each()?,
                }
            }
        };
        outcome.ledger.found = outcome.pairs.count;
        Ok(outcome)
    }

    /// The join as a job does it, with these filters.
    fn join(
        &self,
        sample: &SetChunk,
        filters: Filters,
        clock: fn() -> Duration,
        mut add: impl FnMut(SetIdx, SetIdx, u32) -> Result<()>,
    ) -> Result<Outcome> {
        let config = FindConfig {
            filters,
            ..self.context.config.clone()
        };
        let quietly = Quietly(self.context.progress);
        let context = RankContext {
            config: &config,
            progress: &quietly,
            spilled: false,
            ..self.context
        };
        let pieces = pieces(sample);
        // Copying the sample is no part of any setting.
        let began = clock();
        let open = context.rank(pieces)?;
        let prepared = clock();
        let settings = JoinSettings {
            bounds: config.bounds(),
            filters,
            long_list: config.long_list,
            shared_list: config.shared_list,
            batch_len: config.batch_len,
            window_bytes: config.budget.window_beside(open.memory_bytes()),
        };
        let ledger = all_pairs(&open, &settings, &quietly, |pair: SetPair| {
            add(open.set(pair.left), open.set(pair.right), pair.overlap)
        })?;
        let num_sets = sample.spans.len() as u64;
        Ok(Outcome {
            ledger: Ledger {
                sets: num_sets,
                without_partner: num_sets - u64::from(open.len()),
                ..ledger
            },
            pairs: Pairs::default(),
            prepared: prepared.saturating_sub(began),
            joined: clock().saturating_sub(prepared),
        })
    }
}

/// One in how many sets can be compared each with each.
fn one_in_of_square(num_sets: u64, num_features: u64, max_steps: u64) -> u64 {
    // A sample of one in n sets has an n-th of the sets and of the features, so an n-squared-th of the steps.
    let steps = u128::from(num_sets) * u128::from(num_features);
    let times = steps.div_ceil(u128::from(max_steps.max(1)));
    let root = times.isqrt();
    let rounded_up = root + u128::from(root * root < times);
    u64::try_from(rounded_up).unwrap_or(u64::MAX).max(1)
}

/// A copy of a sample, in pieces for the threads.
fn pieces(sample: &SetChunk) -> Vec<Chunk> {
    let mut pieces = Vec::new();
    let mut piece = SetChunk::default();
    for span in &sample.spans {
        // A piece is closed as soon as it reaches its bound, so every set begins below it.
        let start = of_len(piece.features.len());
        piece.spans.push(SetSpan { start, ..*span });
        piece.features.extend_from_slice(sample.set(span));
        if piece.features.len() >= PIECE {
            pieces.push(Chunk::Memory(std::mem::take(&mut piece)));
        }
    }
    pieces.push(Chunk::Memory(piece));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::config::MAX_STEPS;

    #[test]
    fn what_is_compared_each_with_each_is_bounded() {
        let of_square = |sets, features| one_in_of_square(sets, features, MAX_STEPS);
        assert_eq!(of_square(0, 0), 1);
        assert_eq!(of_square(1000, 2_000_000), 1);
        assert_eq!(of_square(1000, 2_000_001), 2);
        assert_eq!(of_square(20_000, 2_200_000), 5);
        for (sets, features) in [(1 << 20, 1 << 30), (u64::MAX, u64::MAX)] {
            let one_in = of_square(sets, features);
            let steps = u128::from(sets / one_in) * u128::from(features / one_in);
            assert!(steps <= u128::from(MAX_STEPS), "{steps}");
        }
    }

    #[test]
    fn pairs_are_the_same_in_any_order_and_differ_by_anything_else() {
        let of = |pairs: &[(u32, u32, u32)]| {
            let mut all = Pairs::default();
            for &(one, other, overlap) in pairs {
                all.add(SetIdx::new(one), SetIdx::new(other), overlap);
            }
            all
        };
        let straight = of(&[(1, 2, 9), (3, 4, 9)]);
        assert_eq!(straight, of(&[(4, 3, 9), (2, 1, 9)]));
        assert_eq!(straight, of(&[(1, 2, 9)]).merge(of(&[(3, 4, 9)])));
        assert_ne!(straight, of(&[(1, 2, 9), (3, 4, 8)]));
        assert_ne!(straight, of(&[(1, 3, 9), (2, 4, 9)]));
        assert_ne!(straight, of(&[(1, 2, 9)]));
    }
}
