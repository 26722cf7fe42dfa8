//! Weighted MinHash: features weigh by how often a document has them and how rare they are (tf-idf), so that rare
//! words say more than common ones.
//!
//! A weight is a whole number: `floor(STEPS * tf * ln(N / df) / ln N + 1/2)`, where `tf` is how often the document has the
//! feature and `df` in how many of the N documents of the table it occurs. A feature that only one document has weighs
//! [`STEPS`] for each occurrence, one that all have weighs nothing and is left out. The similarity of two
//! documents is the weighted Jaccard index, the sum of the smaller weights of each feature by the sum of the larger.
//!
//! A feature of weight w stands for w elements, (feature, 1) to (feature, w): two documents share exactly the
//! smaller weight of each, so the sets of elements have the weighted Jaccard index as their resemblance (Chum, Philbin,
//! Zisserman: Near duplicate image detection: min-hash and tf-idf weighting, BMVC 2008, section 3.2). So signature, bands and
//! verification are those of MinHash, the probability of a collision is exact, and similarities are compared in
//! integers. The price is up to [`STEPS`] elements where there was one feature; consistent weighted sampling (Ioffe, ICDM
//! 2010) would save them in the signature, in floating point, and verification would still need the weights.

use super::definition::{Definition, Keys, MethodInput, MethodPromise, Signer, missing};
use super::minhash::BandKeys;
use crate::document::Record;
use crate::error::Result;
use crate::feature::{FeatureKind, Occurrence, OccurrenceReader};
use crate::frequency::DfTable;
use crate::hash;
use crate::signature::Bands;
use crate::text::WordOptions;
use std::fmt;
use std::sync::Arc;

/// The name of the method wherever it is typed or shown.
pub(super) const NAME: &str = "weighted-minhash";
/// In what signatures agree, for help.
pub(super) const HELP: &str =
    "weighted-minhash (in a band, of features weighed by tf-idf)";

/// What one occurrence of the rarest feature weighs.
pub const STEPS: u32 = 8;
/// Keeps elements apart from features.
const ELEMENT_SEED: u64 = 0x7765_6967_6874_0001;

/// Pairs whose signatures of weighted features agree in a band.
#[derive(Debug)]
pub(super) struct WeightedMinHash {
    pub(super) bands: Bands,
}

impl fmt::Display for WeightedMinHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{NAME} {}", self.bands)
    }
}

impl Definition for WeightedMinHash {
    fn name(&self) -> &'static str {
        NAME
    }

    fn promise(&self) -> MethodPromise {
        MethodPromise::Verified
    }

    fn signer(&self, job: &MethodInput<'_>) -> Result<Option<Box<dyn Signer>>> {
        let table = Arc::clone(job.df.ok_or_else(missing)?);
        let weigher = Weigher::new(job.features, job.words, job.seed, table)?;
        Ok(Some(Box::new(weigher)))
    }

    fn num_keys(&self, _: &MethodInput<'_>) -> usize {
        self.bands.num_keys()
    }

    fn signature_values(&self) -> Option<usize> {
        Some(self.bands.num_values())
    }

    fn keys(&self, job: &MethodInput<'_>, _: u64) -> Option<Box<dyn Keys>> {
        Some(Box::new(BandKeys::new(self.bands, job.seed)))
    }
}

/// Makes the elements of weighted features, reusing its buffers from document to document.
#[derive(Debug)]
pub struct Weigher {
    reader: OccurrenceReader,
    table: Arc<DfTable>,
    occurrences: Vec<Occurrence>,
    features: Vec<u64>,
}

impl Weigher {
    /// A weigher of this kind of features, which must have weights.
    pub fn new(
        kind: FeatureKind,
        words: &WordOptions,
        seed: u64,
        table: Arc<DfTable>,
    ) -> Result<Self> {
        Ok(Weigher {
            reader: OccurrenceReader::new(kind, words, seed)?,
            table,
            occurrences: Vec::new(),
            features: Vec::new(),
        })
    }

    /// Appends the elements of a text, each once. Returns the number of words.
    pub fn elements(&mut self, text: &str, elements: &mut Vec<u64>) -> usize {
        self.occurrences.clear();
        let num_words = self.reader.read(text, &[], &mut self.occurrences);
        self.features.clear();
        let features = self.occurrences.iter().map(|one| one.feature);
        self.features.extend(features);
        self.features.sort_unstable();
        for same in self.features.chunk_by(|left, right| left == right) {
            let df = self.table.df(same[0]);
            let weight = weight(same.len() as u64, df, self.table.num_documents());
            let numbers = 1..=weight;
            elements
                .extend(numbers.map(|one| hash::numbered(same[0], one, ELEMENT_SEED)));
        }
        num_words
    }
}

/// What a feature weighs that a document has `tf` times and `df` of `num_documents` have. In a table of one
/// document nothing is rare, so all weigh the most.
pub fn weight(tf: u64, df: u32, num_documents: u64) -> u64 {
    if num_documents < 2 {
        return tf * u64::from(STEPS);
    }
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below 2^53, not negative, and made a whole number on purpose"
    )]
    {
        let all = num_documents as f64;
        let rarity = (libm::log(all / f64::from(df.max(1))) / libm::log(all)).max(0.0);
        libm::floor(f64::from(STEPS) * tf as f64 * rarity + 0.5) as u64
    }
}

impl Signer for Weigher {
    fn sign(&mut self, _: &Record<'_>, _: &mut Vec<u64>) -> bool {
        true
    }

    fn features(
        &mut self,
        record: &Record<'_>,
        features: &mut Vec<u64>,
    ) -> Option<usize> {
        Some(self.elements(record.text, features))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::FeatureSpec;
    use crate::frequency::FeatureSpecText;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn rare_features_weigh_more_and_common_ones_nothing() {
        let weights = [1u32, 10, 100, 999, 1000].map(|df| weight(1, df, 1000));
        assert_eq!(weights, [8, 5, 3, 0, 0]);
        assert_eq!(weight(3, 100, 1000), 8);
        assert_eq!((weight(2, 1, 1), weight(5, 7, 3)), (16, 0));
    }

    /// The definition: words as strings, counted with a map, and minima and maxima added up.
    fn slow(dfs: &BTreeMap<String, u32>, text: &str) -> BTreeMap<String, u64> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for word in text.split_whitespace() {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
        let weighed = |(word, tf): (String, u64)| {
            let rarity = (100.0 / f64::from(dfs[&word])).ln() / 100f64.ln();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "small numbers"
            )]
            (word, (8.0 * tf as f64 * rarity + 0.5).floor() as u64)
        };
        counts.into_iter().map(weighed).collect()
    }

    proptest! {
        #[test]
        fn resemblance_is_the_weighted_jaccard_index(
            left in "([abcdefg] ){0,20}",
            right in "([abcdefg] ){0,20}",
            dfs in prop::collection::vec(1u32..=100, 7),
        ) {
            let (kind, words) = (FeatureKind::Terms, WordOptions::default());
            let spec = FeatureSpecText::from(&FeatureSpec::new(kind, &words, 0));
            let names = ["a", "b", "c", "d", "e", "f", "g"];
            let feature = |word: &str| hash::numbered(hash::word(word.as_bytes()), 1, 0);
            let mut counts: Vec<(u64, u32)> =
                names.iter().zip(&dfs).map(|(word, &df)| (feature(word), df)).collect();
            counts.sort_unstable();
            let table = Arc::new(DfTable::from_counts(spec, 100, 1, counts.into_iter()));
            let mut weigher = Weigher::new(kind, &words, 0, table).unwrap();
            let mut elements = |text: &str| {
                let mut elements = Vec::new();
                let num_words = weigher.elements(text, &mut elements);
                assert_eq!(num_words, text.split_whitespace().count());
                let set: BTreeSet<u64> = elements.iter().copied().collect();
                assert_eq!(set.len(), elements.len());
                set
            };
            let (one, other) = (elements(&left), elements(&right));
            let by_name: BTreeMap<String, u32> =
                names.iter().map(|&name| name.to_owned()).zip(dfs).collect();
            let (slow_one, slow_other) = (slow(&by_name, &left), slow(&by_name, &right));
            let (mut minima, mut maxima) = (0, 0);
            for name in names {
                let of = |side: &BTreeMap<String, u64>| side.get(name).copied().unwrap_or(0);
                minima += of(&slow_one).min(of(&slow_other));
                maxima += of(&slow_one).max(of(&slow_other));
            }
            prop_assert_eq!(one.intersection(&other).count() as u64, minima);
            prop_assert_eq!(one.union(&other).count() as u64, maxima);
        }
    }
}
