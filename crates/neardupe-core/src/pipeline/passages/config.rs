//! What a search for passages was asked to do, resolved.

use crate::hash::FixedSet;
use crate::passage::PassageRule;
use crate::pipeline::config::{Against, DEFAULT_MEMORY};
use crate::store::Budget;
use std::path::PathBuf;

/// Parameters of `passages`.
#[derive(Debug, Clone)]
pub struct PassagesConfig {
    /// What is a passage.
    pub rule: PassageRule,
    /// A sentence or run of words in more documents than this is no seed.
    pub max_documents: u32,
    /// Seeds of texts that are known templates: they lead nowhere.
    pub ignored: FixedSet<u64>,
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
    /// What each stage may hold in memory; no result depends on it.
    pub budget: Budget,
    /// Where goes what does not fit in memory; made only when needed.
    pub work_dir: PathBuf,
}

impl PassagesConfig {
    /// The defaults, spilling to `work_dir`.
    pub fn new(work_dir: PathBuf) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        PassagesConfig {
            rule: PassageRule::default(),
            max_documents: 100,
            ignored: FixedSet::default(),
            against: None,
            expand: false,
            metadata: Vec::new(),
            strict: false,
            threads,
            budget: Budget::new(DEFAULT_MEMORY, threads),
            work_dir,
        }
    }
}
