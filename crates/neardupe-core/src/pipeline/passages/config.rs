//! What a search for passages was asked to do, resolved.

use crate::hash::{self, FixedSet};
use crate::passage::{PassageRule, SentenceSignature};
use crate::pipeline::config::{Against, DEFAULT_MEMORY};
use crate::store::Budget;
use crate::text::WordOptions;
use crate::threshold::Threshold;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Enough for all threads, and soon done.
const BATCH_SEEDS: usize = 1 << 16;
/// What is done again after a kill.
const SAVE_AFTER: Duration = Duration::from_secs(60);

/// How passages are found.
#[derive(Debug, Clone, Default)]
pub enum PassageMethod {
    /// From common words that are extended.
    #[default]
    Seeds,
    /// By diagonals of matching sentences.
    Diagonals(Diagonals),
}

/// Parameters of the search by diagonals.
#[derive(Debug, Clone)]
pub struct Diagonals {
    /// What sentences are compared by.
    pub signature: SentenceSignature,
    /// The smallest resemblance of two sentences that match.
    pub tau: Threshold,
    /// A passage has more sentences than this.
    pub gamma: u32,
    /// Whether a document is compared with itself.
    pub within_document: bool,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the feature hash.
    pub seed: u64,
}

/// Seeds of texts that are known templates, and whether any was met.
#[derive(Debug, Clone, Default)]
pub struct IgnoredSeeds {
    seeds: FixedSet<u64>,
    is_met: Arc<AtomicBool>,
}

impl IgnoredSeeds {
    /// These seeds, none of them met so far.
    pub fn new(seeds: FixedSet<u64>) -> Self {
        IgnoredSeeds {
            seeds,
            is_met: Arc::default(),
        }
    }

    /// Whether there are templates, and none of them was repeated in what was read.
    pub fn are_idle(&self) -> bool {
        !self.seeds.is_empty() && !self.is_met.load(Ordering::Relaxed)
    }

    /// Stands for the seeds, in whatever order they came; None when there are none.
    pub fn identity(&self) -> Option<u64> {
        let mut seeds: Vec<u64> = self.seeds.iter().copied().collect();
        seeds.sort_unstable();
        (!seeds.is_empty()).then(|| hash::words(&seeds))
    }

    /// Whether a seed of a document leads nowhere.
    pub(super) fn meets(&self, seed: u64) -> bool {
        let is_met = self.seeds.contains(&seed);
        if is_met {
            self.is_met.store(true, Ordering::Relaxed);
        }
        is_met
    }
}

/// Parameters of `passages`.
#[derive(Debug, Clone)]
pub struct PassagesConfig {
    /// How passages are found.
    pub method: PassageMethod,
    /// What is a passage, when it is found from seeds.
    pub rule: PassageRule,
    /// A sentence or run of words in more documents than this is not used as a seed.
    pub max_documents: u32,
    /// Seeds of texts that are known templates: they lead nowhere.
    pub ignored: IgnoredSeeds,
    /// Old documents, with which new ones are compared.
    pub against: Option<Against>,
    /// Rows for all documents with the same text, and not for the first of them only.
    pub expand: bool,
    /// Names of the metadata fields that records carry, in their order.
    pub metadata: Vec<String>,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Number of threads; no result depends on it.
    pub threads: usize,
    /// Seeds that are looked up together; no result depends on it.
    pub batch_seeds: usize,
    /// Reads the time: only differences count.
    pub clock: fn() -> Duration,
    /// How often a search enters how far it is in the work directory, at most; no result depends
    /// on it.
    pub save_after: Duration,
    /// What each stage may hold in memory; no result depends on it.
    pub budget: Budget,
    /// The folder for what does not fit in memory; made only when needed.
    pub work_dir: PathBuf,
}

impl PassagesConfig {
    /// The defaults, spilling to `work_dir`.
    pub fn new(work_dir: PathBuf) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        PassagesConfig {
            method: PassageMethod::default(),
            rule: PassageRule::default(),
            max_documents: 100,
            ignored: IgnoredSeeds::default(),
            against: None,
            expand: false,
            metadata: Vec::new(),
            strict: false,
            threads,
            batch_seeds: BATCH_SEEDS,
            clock: || Duration::ZERO,
            save_after: SAVE_AFTER,
            budget: Budget::new(DEFAULT_MEMORY, threads),
            work_dir,
        }
    }
}
