//! What a job was asked to do, resolved.

use super::banded::Keys;
use super::compare_filters::CompareFilters;
use super::signer::Signer;
use crate::candidate::filter::{Filters, Within};
use crate::candidate::hamming::BlockKeys;
use crate::candidate::postings::LONG_LIST;
use crate::cluster::Keep;
use crate::error::{Error, Result};
use crate::feature::{FeatureKind, Sampler, Sampling};
use crate::signature::{Bands, CodeSpec, Coder, Lexicons};
use crate::similarity::{Bounds, Similarity};
use crate::store::Budget;
use crate::text::WordOptions;
use crate::threshold::Threshold;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

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

/// Which pairs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// All that can be similar.
    #[default]
    Exact,
    /// Those whose MinHash signatures agree in a band.
    MinHash(Bands),
    /// Those whose simhashes differ in a few bits.
    Simhash(Hamming),
    /// Those that share a key of I-Match.
    IMatch,
}

/// What is done with simhashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hamming {
    /// Bits in which two codes may differ.
    pub distance: u32,
    /// Pairs must be similar too, by their features. Otherwise similarity is the share of bits
    /// in which codes agree, and the threshold follows from the distance.
    pub verified: bool,
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Exact => out.write_str("exact"),
            Method::MinHash(bands) => write!(out, "minhash {bands}"),
            Method::Simhash(hamming) => {
                let verified = if hamming.verified { "" } else { " unverified" };
                write!(out, "simhash {}{verified}", hamming.distance)
            }
            Method::IMatch => out.write_str("imatch"),
        }
    }
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
    /// Where goes what does not fit in memory; made only when needed.
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
            features: FeatureKind::Words(5),
            sampling: Sampling::default(),
            keep_exact: false,
            block_by: None,
            against: None,
            words: WordOptions::default(),
            seed: 0,
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
        match self.method {
            // Sets are looked up by features, but their order says nothing.
            Method::Exact if self.sampling.adaptive.is_some() => self.filters.by_keys(),
            Method::Exact => self.filters,
            Method::MinHash(_) | Method::IMatch => self.filters.by_keys(),
            Method::Simhash(hamming) => Filters {
                // Codes themselves are compared, and all of each.
                bitmap: self.filters.bitmap && hamming.verified,
                within: Some(self.within(hamming)),
                ..self.filters.by_keys()
            },
        }
    }

    fn within(&self, hamming: Hamming) -> Within {
        Within {
            distance: hamming.distance,
            exact: self.codes.as_ref().map_or(0, |codes| codes.reserved_bits()),
        }
    }

    /// Number of keys of a set, where they are looked up by keys.
    pub fn num_keys(&self) -> usize {
        match self.method {
            Method::Exact => 0,
            Method::MinHash(bands) => bands.num_keys(),
            Method::Simhash(hamming) => BlockKeys::most_keys(self.within(hamming)),
            Method::IMatch => self.signature_words(),
        }
    }

    /// What makes the keys of so many sets, where they are looked up by keys.
    pub(super) fn keys(&self, num_sets: u64) -> Option<Keys> {
        match self.method {
            Method::Exact => None,
            Method::MinHash(bands) => Some(Keys::of_bands(bands, self.seed)),
            Method::Simhash(hamming) => {
                let within = self.within(hamming);
                Some(Keys::Blocks(BlockKeys::new(within, num_sets)))
            }
            Method::IMatch => Some(Keys::Made(self.signature_words())),
        }
    }

    /// What makes signatures while documents are read, where the method needs them.
    pub(super) fn signer(&self) -> Result<Option<Signer>> {
        let missing = || Error::Internal("signatures that nothing makes".to_owned());
        match self.method {
            Method::Exact | Method::MinHash(_) => match &self.lexicons {
                Some(lexicons) => Ok(Some(Signer::lexicons(lexicons))),
                None => Ok(None),
            },
            Method::Simhash(_) => {
                let codes = self.codes.clone().ok_or_else(missing)?;
                Ok(Some(Signer::Code(Box::new(Coder::new(codes)?))))
            }
            Method::IMatch => {
                let lexicons = self.lexicons.as_ref().ok_or_else(missing)?;
                Ok(Some(Signer::lexicons(lexicons)))
            }
        }
    }

    /// Words of the signatures that are made while documents are read.
    pub(super) fn signature_words(&self) -> usize {
        if let Some(plan) = &self.sampling.adaptive {
            return 1 + plan.levels().len();
        }
        if self.count_words {
            return 1;
        }
        match (self.method, &self.lexicons) {
            (Method::Simhash(_), _) => 1,
            (_, Some(lexicons)) => lexicons.num_keys(),
            (_, None) => 0,
        }
    }

    /// Whether the code of a document is all that is compared.
    pub(super) fn compares_codes(&self) -> bool {
        matches!(self.method, Method::Simhash(hamming) if !hamming.verified)
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
#[expect(clippy::cast_precision_loss, reason = "for what is shown and chosen")]
pub fn resemblance_at(similarity: Similarity, threshold: Threshold) -> f64 {
    let (part, whole) = threshold.fraction();
    let ratio = part as f64 / whole as f64;
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
