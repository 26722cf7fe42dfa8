//! The table: features in order, each with its number of documents.

use super::specification::FeatureSpecText;
use crate::error::{Error, Result};
use crate::feature::FeatureSpec;
use std::fmt::Write;
use xxhash_rust::xxh3::Xxh3;

/// How many documents have each feature.
///
/// Features are hashes, so the top bits of one say nearly where it stands: a lookup reads one
/// place of a small index and a few neighbours. Held are about 14 bytes an entry.
#[derive(Debug, Clone)]
pub struct DfTable {
    specification: FeatureSpecText,
    num_documents: u64,
    /// Features of fewer documents are not in the table; 1 when all are.
    min_df: u32,
    /// How much a number may be too low, at most.
    uncertainty: u64,
    features: Vec<u64>,
    dfs: Vec<u32>,
    /// Where the features with these top bits begin; one more than there are values of them.
    starts: Vec<u32>,
    /// How far a feature is shifted to leave its top bits.
    shift: u32,
    identity: String,
}

/// What a table is made of, besides its entries.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) specification: FeatureSpecText,
    pub(super) num_documents: u64,
    pub(super) min_df: u32,
    pub(super) uncertainty: u64,
}

impl DfTable {
    /// A table of these counts; counts of the same feature are added up. `unseen` is the number
    /// of documents that a feature not among them is taken to have, at least 1.
    pub fn from_counts(
        specification: FeatureSpecText,
        num_documents: u64,
        unseen: u32,
        counts: impl Iterator<Item = (u64, u32)>,
    ) -> Self {
        let facts = Facts {
            specification,
            num_documents,
            min_df: unseen.max(1).saturating_add(1),
            uncertainty: 0,
        };
        let mut counts: Vec<(u64, u32)> = counts.collect();
        counts.sort_unstable_by_key(|&(feature, _)| feature);
        counts.dedup_by(|next, sum| {
            let same = next.0 == sum.0;
            if same {
                sum.1 = sum.1.saturating_add(next.1);
            }
            same
        });
        let (features, dfs) = counts.into_iter().unzip();
        DfTable::of(facts, features, dfs)
    }

    /// A table of entries that stand in ascending order of their features, no two the same.
    pub(super) fn of(facts: Facts, features: Vec<u64>, dfs: Vec<u32>) -> Self {
        debug_assert_eq!(features.len(), dfs.len());
        debug_assert!(features.is_sorted_by(|one, next| one < next));
        let bits = (features.len() / 2).max(1).ilog2();
        // A shift by all 64 bits is none.
        let shift = 63 - bits;
        let starts = starts(&features, shift);
        let mut table = DfTable {
            specification: facts.specification,
            num_documents: facts.num_documents,
            min_df: facts.min_df.max(1),
            uncertainty: facts.uncertainty,
            features,
            dfs,
            starts,
            shift,
            identity: String::new(),
        };
        table.identity = table.make_identity();
        table
    }

    /// Number of documents that have this feature; [`DfTable::unseen`] when it is not in the
    /// table.
    #[inline]
    pub fn df(&self, feature: u64) -> u32 {
        self.get(feature).unwrap_or_else(|| self.unseen())
    }

    /// Number of documents that have this feature, if it is in the table.
    #[inline]
    pub fn get(&self, feature: u64) -> Option<u32> {
        #[expect(clippy::cast_possible_truncation, reason = "a few top bits")]
        let bucket = (feature >> self.shift) as usize;
        let (start, end) = (self.starts[bucket], self.starts[bucket + 1]);
        let (start, end) = (start as usize, end as usize);
        let found = self.features[start..end].binary_search(&feature);
        found.ok().map(|at| self.dfs[start + at])
    }

    /// ln(N / df): what an occurrence of this feature weighs. Never below 0.
    pub fn idf(&self, feature: u64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a weight, not a count")]
        let documents = self.num_documents.max(1) as f64;
        (documents / f64::from(self.df(feature))).ln().max(0.0)
    }

    /// Number of documents that were counted: those with at least one feature.
    pub fn num_documents(&self) -> u64 {
        self.num_documents
    }

    /// The number of documents that a feature not in the table is taken to have: the most
    /// that it can have had without being entered, but at least 1.
    pub fn unseen(&self) -> u32 {
        (self.min_df - 1).max(1)
    }

    /// Features of fewer documents were left out; 1 when none was.
    pub fn min_df(&self) -> u32 {
        self.min_df
    }

    /// How much a number in the table may be too low, at most. 0 unless the table was merged
    /// from tables that had left features out.
    pub fn uncertainty(&self) -> u64 {
        self.uncertainty
    }

    /// Number of features in the table.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether no feature is in the table.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The features and their numbers of documents, in ascending order of the features.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.features.iter().copied().zip(self.dfs.iter().copied())
    }

    /// The name of this table, such as `df1-0123456789abcdef`: another one whenever anything in
    /// it differs.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// What the features are that were counted.
    pub fn specification(&self) -> &FeatureSpecText {
        &self.specification
    }

    /// Refuses a table that was counted over other features than those wanted.
    pub fn check(&self, wanted: &FeatureSpec) -> Result<()> {
        let wanted = FeatureSpecText::from(wanted);
        let differences = self.specification.differences(&wanted);
        if differences.is_empty() {
            return Ok(());
        }
        let mut message = String::from("the table was built with other features:");
        for (at, (name, table, wanted)) in differences.iter().enumerate() {
            let comma = if at == 0 { "" } else { ";" };
            let _ = write!(message, "{comma} {name} {table} in place of {wanted}");
        }
        message += "; build one with the options of this job (neardupe df-table build)";
        Err(Error::config("df-table", message))
    }

    /// The same table with fewer entries: without features of fewer than `min_df` documents,
    /// and with at most `max_entries`, the most frequent ones.
    #[must_use]
    pub fn cut(self, min_df: u32, max_entries: usize) -> Self {
        let mut numbers = self.dfs.clone();
        numbers.sort_unstable_by(|one, other| other.cmp(one));
        let mut least = min_df.max(self.min_df);
        if let Some(&first_out) = numbers.get(max_entries) {
            least = least.max(first_out.saturating_add(1));
        }
        let kept = self.entries().filter(|&(_, df)| df >= least);
        let (features, dfs) = kept.unzip();
        let facts = Facts {
            min_df: least,
            ..self.facts()
        };
        DfTable::of(facts, features, dfs)
    }

    /// Everything but the entries.
    pub(super) fn facts(&self) -> Facts {
        Facts {
            specification: self.specification.clone(),
            num_documents: self.num_documents,
            min_df: self.min_df,
            uncertainty: self.uncertainty,
        }
    }

    pub(super) fn columns(&self) -> (&[u64], &[u32]) {
        (&self.features, &self.dfs)
    }

    fn make_identity(&self) -> String {
        let mut hash = Xxh3::new();
        let specification = &self.specification;
        for text in [
            &specification.features,
            &specification.word_rule,
            &specification.stop_words,
            &specification.stem,
            &specification.unicode,
            &specification.hash,
        ] {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        for number in [
            specification.seed,
            self.num_documents,
            u64::from(self.unseen()),
        ] {
            hash.update(&number.to_le_bytes());
        }
        for (feature, df) in self.entries() {
            hash.update(&feature.to_le_bytes());
            hash.update(&df.to_le_bytes());
        }
        format!("df1-{:016x}", hash.digest())
    }
}

/// Where the features with each value of their top bits begin.
fn starts(features: &[u64], shift: u32) -> Vec<u32> {
    let num_buckets = 1usize << (64 - shift);
    let mut starts = vec![0u32; num_buckets + 1];
    for &feature in features {
        #[expect(clippy::cast_possible_truncation, reason = "a few top bits")]
        let bucket = (feature >> shift) as usize;
        starts[bucket + 1] += 1;
    }
    for bucket in 0..num_buckets {
        starts[bucket + 1] += starts[bucket];
    }
    starts
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
