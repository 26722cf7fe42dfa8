//! What sampling does to the answer on this collection: every trial of every ratio in one pass.
//!
//! S. Ye and others, "A systematic study on parameter correlations in large-scale duplicate
//! document detection" (KAIS 2008), ran some 400 trials one after the other: a ratio, a remainder
//! of the hash, a threshold, a group of documents of similar size, each compared with the answer
//! without sampling. Here each pair is looked at once. [`groups`] are the groups, `sets` makes
//! sets of features that can be compared in all samples, `search` finds the pairs that any trial
//! finds, `tally` counts them, [`result`] says what came out, and [`plan`] picks the fewest
//! features that keep the precision asked for.

pub mod groups;
pub mod plan;
pub mod result;
mod search;
mod sets;
mod tally;

pub use groups::{GroupPair, SizeGroups};
pub use plan::{AdaptivePlan, PlannedGroup, PlannedPairs};
pub use result::{
    CommonalityRow, DocumentFigures, GroupFacts, PairFigures, SamplingResult,
};
pub use tally::Trial;

use super::config::FindConfig;
use super::documents::Documents;
use super::read::gather::gather;
use super::read::parts::read;
use crate::document::{Progress, Source};
use crate::error::{Error, Result};
use crate::numbers::{Column, MaybeNumber, SetIdx, of_len, saturated};
use crate::similarity::Similarity;
use crate::store::{Budget, WorkDir};
use crate::threads::with_threads;
use crate::threshold::Threshold;
use search::StudySearch;
use sets::{MAX_BUCKETS, MakeSets, SetFacts};
use std::time::Duration;
use tally::{MAX_THRESHOLDS, Steps};

/// What is to be studied.
#[derive(Debug, Clone)]
pub struct SamplingStudy {
    /// Ascending. Pairs below the first are of no interest.
    pub thresholds: Vec<Threshold>,
    /// The smallest sample has one in so many features: a power of two.
    pub max_divisor: u32,
    /// Documents by their size.
    pub groups: SizeGroups,
    /// Documents with the same features count as often as they are there, and not once; without
    /// the features of too many documents they are compared like any others.
    pub keep_exact: bool,
    /// Features of more documents than these are left out, in turn.
    pub commonality: Vec<u32>,
    /// Features that more sets are found by lead to no pair.
    pub max_list: usize,
    /// Reads the time: only differences count.
    pub clock: fn() -> Duration,
}

/// The smallest sample that can be studied: one in so many features.
pub const MAX_DIVISOR: u32 = 1 << 12;

impl SamplingStudy {
    /// Refuses what the tables of a study have no room for, and what it does not study.
    fn check(&self, config: &FindConfig) -> Result<()> {
        let wrong = |what: &str, why: String| Err(Error::config(what, why));
        if !self.max_divisor.is_power_of_two() || self.max_divisor > MAX_DIVISOR {
            let why = format!("not a power of two up to {MAX_DIVISOR}");
            return wrong("max-ratio", why);
        }
        if self.thresholds.is_empty() || !self.thresholds.is_sorted_by(is_below) {
            return wrong("thresholds", "they must ascend".to_owned());
        }
        if self.thresholds.len() > MAX_THRESHOLDS {
            let why = format!("there can be at most {MAX_THRESHOLDS}");
            return wrong("thresholds", why);
        }
        if self.commonality.len() >= MAX_BUCKETS
            || !self.commonality.is_sorted_by(|one, other| one < other)
        {
            let why = format!("they must ascend, and be fewer than {MAX_BUCKETS}");
            return wrong("commonality", why);
        }
        match config.similarity {
            Similarity::Resemblance => Ok(()),
            _ => wrong(
                "similarity",
                "studies work with `resemblance` only".to_owned(),
            ),
        }
    }
}

fn is_below(one: &Threshold, other: &Threshold) -> bool {
    one.ratio().compare(other.ratio()).is_lt()
}

/// Studies what sampling does to the near-duplicates of a source.
pub fn study_sampling(
    source: &dyn Source,
    config: &FindConfig,
    asked: &SamplingStudy,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<SamplingResult> {
    asked.check(config)?;
    let began = (asked.clock)();
    let config = FindConfig {
        count_words: true,
        takes_public_hash: true,
        budget: Budget {
            // What was read is held beside what is made of it.
            features: config.budget.features / 3,
            ..config.budget
        },
        ..config.clone()
    };
    with_threads(config.threads, || {
        let mut stage = read(source, &config, work, progress)?;
        progress.begin("gather", 0);
        let side = config.side();
        let documents = gather(&mut stage, &config.budget, work, 0, side)?;
        let (facts, place_of) = distinct_sets(&documents, asked);
        let make = MakeSets {
            num_classes: asked.max_divisor as usize,
            threshold: asked.thresholds[0],
            limits: &asked.commonality,
            max_list: asked.max_list,
            memory: config.budget.memory,
            progress,
        };
        let sets = make.make(&stage.chunks, facts, &place_of)?;
        stage.chunks = Vec::new();
        let steps = Steps::new(&asked.thresholds);
        let search = StudySearch {
            sets: &sets,
            asked,
            steps: &steps,
            threads: config.threads,
            progress,
        };
        let found = search.run()?;
        let seconds = (asked.clock)().saturating_sub(began).as_secs_f64();
        Ok(SamplingResult::new(
            asked, &documents, &sets, found, seconds,
        ))
    })
}

/// The sets that are studied, and the place of each set of the collection among them.
fn distinct_sets(
    documents: &Documents,
    asked: &SamplingStudy,
) -> (Vec<SetFacts>, Vec<MaybeNumber>) {
    let table = documents.set_table();
    let mut weights: Column<SetIdx, u32> = Column::filled(0, table.len());
    for set in documents.all().filter_map(|one| documents.set(one)) {
        weights[table.canonical(set)] += 1;
    }
    let mut facts = Vec::new();
    let mut place_of = vec![MaybeNumber::NONE; table.len()];
    for (set, &weight) in weights.iter() {
        if weight == 0 {
            continue;
        }
        // A text of more words than the largest number is in the last group anyway.
        let num_words = saturated(table.num_words(set).unwrap_or(0));
        // Fewer than sets of the collection, whose numbers have 32 bits.
        place_of[set.index()] = MaybeNumber::some(of_len(facts.len()));
        facts.push(SetFacts {
            weight: if asked.keep_exact { weight } else { 1 },
            num_words,
            group: asked.groups.byte_of(num_words),
        });
    }
    (facts, place_of)
}
