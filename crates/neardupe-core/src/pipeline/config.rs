//! What a job was asked to do, resolved.

use super::method::{Keys, Method, MethodInput, Signer};
use crate::candidate::filter::Filters;
use crate::candidate::postings::LONG_LIST;
use crate::candidate::side::SideLayout;
use crate::cluster::Keep;
use crate::error::Result;
use crate::feature::{FeatureKind, Sampler, Sampling};
use crate::frequency::DfTable;
use crate::hash::{FeatureHash, HashKey};
use crate::signature::{CodeSpec, Lexicons};
use crate::similarity::{Bounds, Similarity};
use crate::store::Budget;
use crate::text::WordOptions;
use crate::threshold::Threshold;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How similar documents are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClusterMode {
    /// Every member is similar to the representative, and no two representatives are.
    #[default]
    Star,
    /// Connected components: members need not resemble the representative.
    Components,
    /// Each document leads a cluster of all that are similar to it.
    Neighbors,
    /// No clusters.
    None,
}

/// Which pairs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairsMode {
    /// The pairs of the duplicates.
    Evidence,
    /// All similar pairs.
    All,
    /// None.
    None,
}

/// New documents are compared with old ones, which are those of the old side of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Against {
    /// New documents are compared with each other too.
    pub within: bool,
    /// With containment: a new document that contains an old one is a duplicate of it, and
    /// not only one that is contained.
    pub remove_containing: bool,
}

/// Steps of what is compared each with each: some seconds.
pub(super) const MAX_STEPS: u64 = 2_000_000_000;
/// Pairs of a sample: few enough to be found by nine settings.
const MAX_PAIRS: u64 = 2_000_000;

/// What a comparison of filters needs beside the collection.
#[derive(Debug, Clone, Copy)]
pub struct CompareFilters {
    /// Gives the time: only differences count.
    pub clock: fn() -> Duration,
    /// Keys that two sets must share to pass the signature filter; None leaves it out.
    pub signature: Option<u32>,
    /// Sets times features of what is compared each with each, about: a larger collection is
    /// compared in two parts.
    pub max_steps: u64,
    /// Pairs of a sample at most: a giant cluster has too many.
    pub max_pairs: u64,
}

impl CompareFilters {
    /// All but the signature filter, within the usual bounds.
    pub fn new(clock: fn() -> Duration) -> Self {
        CompareFilters {
            clock,
            signature: None,
            max_steps: MAX_STEPS,
            max_pairs: MAX_PAIRS,
        }
    }
}

/// Parameters of `find`.
#[derive(Debug, Clone)]
pub struct FindConfig {
    /// How similarity is measured.
    pub similarity: Similarity,
    /// The smallest similarity that counts.
    pub threshold: Threshold,
    /// Features that similar documents have in common at least. Equal texts are duplicates
    /// however few they have.
    pub min_overlap: u32,
    /// Which pairs are compared.
    pub method: Method,
    /// How simhashes are made, where the method needs them.
    pub codes: Option<Arc<CodeSpec>>,
    /// How keys of I-Match are made, where the method or a filter needs them.
    pub lexicons: Option<Arc<Lexicons>>,
    /// How many documents have each feature, where the method needs to know it.
    pub df: Option<Arc<DfTable>>,
    /// What stands for a document.
    pub features: FeatureKind,
    /// Which features are compared.
    pub sampling: Sampling,
    /// Equal documents are counted and compared like any others, instead of being taken together
    /// and for similar whatever is left of their features. Makes a difference only where common
    /// features are left out.
    pub keep_exact: bool,
    /// A metadata field: only documents with the same value are compared.
    pub block_by: Option<String>,
    /// What new documents are compared with.
    pub against: Option<Against>,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the feature hash.
    pub seed: u64,
    /// Under what texts and sets are known to be equal. A job takes it from its work directory.
    pub key: HashKey,
    /// The key was given: features are hashed under it even where results depend on their values,
    /// since they are the same whenever it is given again.
    pub is_key_given: bool,
    /// Results depend on the values of features for a reason that is not said here: a study takes
    /// samples of them.
    pub takes_public_hash: bool,
    /// Which document of a cluster is kept.
    pub keep: Keep,
    /// How documents are put together.
    pub cluster: ClusterMode,
    /// Which pairs are written.
    pub pairs: PairsMode,
    /// Filters of the join that are on.
    pub filters: Filters,
    /// Join the same sets with other filters too, to compare them; changes no result.
    pub compare_filters: Option<CompareFilters>,
    /// The number of words of a document is kept beside its features.
    pub count_words: bool,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Number of threads.
    pub threads: usize,
    /// Names of the metadata fields that records carry, in their order.
    pub metadata: Vec<String>,
    /// Postings from which a list of the join is kept in order; no result depends on it.
    pub long_list: u32,
    /// Postings from which a list is gone through by many searches together; no result
    /// depends on it.
    pub shared_list: usize,
    /// Documents probed in parallel before they are settled in order; no result depends
    /// on it.
    pub batch_len: usize,
    /// What each stage may hold in memory; no result depends on it.
    pub budget: Budget,
    /// Directory for temporary files; made only when needed.
    pub work_dir: PathBuf,
}

/// Memory of a job that says nothing else.
pub const DEFAULT_MEMORY: u64 = 8 << 30;

impl FindConfig {
    /// The defaults, spilling to `work_dir`.
    pub fn new(work_dir: PathBuf) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        FindConfig {
            similarity: Similarity::default(),
            threshold: Threshold::new(4, 5).expect("4/5 is a fraction"),
            min_overlap: 1,
            method: Method::default(),
            codes: None,
            lexicons: None,
            df: None,
            features: FeatureKind::Words(5),
            sampling: Sampling::default(),
            keep_exact: false,
            block_by: None,
            against: None,
            words: WordOptions::default(),
            seed: 0,
            key: HashKey::PUBLIC,
            is_key_given: false,
            takes_public_hash: false,
            keep: Keep::default(),
            cluster: ClusterMode::default(),
            pairs: PairsMode::Evidence,
            filters: Filters::default(),
            compare_filters: None,
            count_words: false,
            strict: false,
            threads,
            metadata: Vec::new(),
            long_list: LONG_LIST,
            shared_list: 512,
            batch_len: 512,
            budget: Budget::new(DEFAULT_MEMORY, threads),
            work_dir,
        }
    }

    /// The same job under the key of its work directory: nobody who writes a document knows it.
    ///
    /// Features are hashed under it wherever no result depends on their values. Where some does,
    /// because it decides which features a sample or a signature has, they keep the public hash.
    pub(crate) fn under_key(&self, key: HashKey) -> FindConfig {
        let is_free = key.is_secret() && !self.needs_public_hash();
        FindConfig {
            key,
            words: WordOptions {
                key: is_free.then_some(key),
                ..self.words.clone()
            },
            ..self.clone()
        }
    }

    /// Whether features keep the public hash: results depend on the values of features and not only on
    /// which of them are equal, and the key is another in the next job.
    pub fn needs_public_hash(&self) -> bool {
        // Which sets are in the sample of a comparison, or in that on which a filter that may lose
        // pairs is measured, follows from their features.
        let takes_sample =
            self.compare_filters.is_some() || self.filters.signature.is_some();
        if self.takes_public_hash || takes_sample {
            return true;
        }
        // Tables of frequencies are stored by the public hash.
        if self.is_key_given && self.df.is_none() {
            return self.words.hash != FeatureHash::default();
        }
        let is_exact = self.method == Method::Exact && self.codes.is_none();
        let is_estimate = matches!(self.similarity, Similarity::Estimate(_));
        // A hash that was asked for by name is that hash.
        let is_named = self.words.hash != FeatureHash::default();
        !is_exact || is_estimate || is_named || self.sampling.takes_by_hash()
    }

    /// What makes the features of documents, as far as one document alone decides.
    pub fn sampler(&self) -> Sampler {
        Sampler::new(self.features, &self.words, self.seed, &self.sampling)
    }

    /// Parts of the feature space that make up the head of a set.
    pub fn head_parts(&self) -> usize {
        self.filters().head_parts(self.bounds())
    }

    /// The filters that are on and that hold for the method.
    pub(super) fn filters(&self) -> Filters {
        self.method.filters(&self.method_input(), self.filters)
    }

    /// What the method may know of the job.
    fn method_input(&self) -> MethodInput<'_> {
        MethodInput {
            features: self.features,
            words: &self.words,
            seed: self.seed,
            sampling: &self.sampling,
            count_words: self.count_words,
            codes: self.codes.as_ref(),
            lexicons: self.lexicons.as_ref(),
            df: self.df.as_ref(),
        }
    }

    /// What makes the keys of so many sets, where they are looked up by keys.
    pub(super) fn keys(&self, num_sets: u64) -> Option<Box<dyn Keys>> {
        self.method.keys(&self.method_input(), num_sets)
    }

    /// What is made of each document while it is read, beside its features.
    pub(super) fn signer(&self) -> Result<Option<Box<dyn Signer>>> {
        self.method.signer(&self.method_input())
    }

    /// What is kept of each set beside its features.
    pub(super) fn side(&self) -> SideLayout {
        self.method.side(&self.method_input())
    }

    /// How the simhashes of documents are made, if the method has any.
    pub(super) fn made_codes(&self) -> Option<&CodeSpec> {
        self.method.codes(&self.method_input())
    }

    /// Number of keys of a set, where they are looked up by keys.
    pub fn num_keys(&self) -> usize {
        self.method.num_keys(&self.method_input())
    }

    /// Place of the field that blocks are made by among the metadata.
    pub fn block_field(&self) -> Option<usize> {
        let field = self.block_by.as_ref()?;
        self.metadata.iter().position(|name| name == field)
    }

    /// Whether sets are indexed by all their features, but looked up only by the few that a
    /// larger set must share to contain them.
    pub(super) fn looks_for_larger_only(&self) -> bool {
        let either_way = self.against.is_some_and(|against| {
            let all =
                self.pairs == PairsMode::All || self.cluster == ClusterMode::Neighbors;
            all || against.remove_containing
        });
        self.similarity == Similarity::Containment && !either_way
    }

    /// Whether documents of a side that have no whole shingle are passed over: they are to be found
    /// in larger ones, but only an equal text has their one feature.
    pub fn passes_over_shorter(&self, is_old: bool) -> bool {
        let is_searched = !is_old
            || self
                .against
                .is_some_and(|against| against.remove_containing);
        self.similarity == Similarity::Containment && is_searched
    }

    /// The resemblance that a pair exactly at the threshold has.
    pub fn resemblance(&self) -> f64 {
        resemblance_at(self.similarity, self.threshold)
    }

    /// What a similar pair says about sizes and overlaps.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(self.similarity, self.threshold).with_min_overlap(self.min_overlap)
    }
}

/// The resemblance that a pair exactly at a threshold has: of S3 the one that follows.
pub fn resemblance_at(similarity: Similarity, threshold: Threshold) -> f64 {
    let ratio = threshold.ratio().value();
    match similarity {
        Similarity::S3 => ratio / (2.0 - ratio),
        Similarity::Resemblance | Similarity::Containment | Similarity::Estimate(_) => {
            ratio
        }
    }
}

crate::named!(ClusterMode as "cluster" {
    Star = "star",
    Components = "components",
    Neighbors = "neighbors",
    None = "none",
});

crate::named!(PairsMode as "pairs" {
    Evidence = "evidence",
    All = "all",
    None = "none",
});
