//! The table: features in order, each with its number of documents; in memory, and as a file: a
//! header in JSON, the features, their numbers of documents.

use super::english;
use super::merge::Merger;
use super::specification::FeatureSpecText;
use crate::document::Silent;
use crate::error::{Error, Result};
use crate::feature::FeatureSpec;
use crate::numbers::fits;
use crate::store::WorkDir;
use crate::store::sealed::Seal;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

const SEAL: Seal = Seal {
    mark: "neardupe df-table",
    version: 1,
    remedy: "build the table again (neardupe df-table build)",
};

/// What stands before the entries.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    specification: FeatureSpecText,
    documents: u64,
    min_df: u32,
    uncertainty: u64,
    entries: u64,
}

/// Whether a table may be written to `path`: nothing is there, or another table.
pub fn may_replace(path: &Path) -> Result<bool> {
    SEAL.may_replace(path)
}

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
                // The counts of one caller in memory, far below the limit of 32 bits.
                sum.1 = fits(u64::from(sum.1) + u64::from(next.1));
            }
            same
        });
        let (features, dfs) = counts.into_iter().unzip();
        DfTable::of(facts, features, dfs)
    }

    /// The built-in table of English words, for features of this specification. Words are
    /// hashed as it says. Stop words change nothing about the words that are left; stems
    /// would, so they are refused, and so is any feature that is not a word.
    pub fn english(specification: &FeatureSpec) -> Result<DfTable> {
        english::table(specification)
    }

    /// The sum of tables of parts of a collection, all of them in memory; see the module for
    /// what is not known of rare features.
    pub fn merge(tables: &[DfTable]) -> Result<DfTable> {
        // Never entered: everything is held.
        let work = WorkDir::new(PathBuf::new());
        let mut merger = Merger::new(&work, u64::MAX);
        for table in tables {
            merger.add(table, &Silent)?;
        }
        merger.finish(1, usize::MAX, &Silent)
    }

    /// Reads a table that was written.
    pub fn read(path: &Path) -> Result<DfTable> {
        decode(&SEAL.read(path)?).map_err(|what| SEAL.corrupt(path, &what))
    }

    /// Writes the table: complete or not at all. A file that is there is replaced; see
    /// [`may_replace`].
    pub fn write(&self, path: &Path) -> Result<()> {
        let facts = self.facts();
        let header = Header {
            specification: facts.specification,
            documents: facts.num_documents,
            min_df: facts.min_df,
            uncertainty: facts.uncertainty,
            entries: self.len() as u64,
        };
        let header = serde_json::to_string(&header)
            .map_err(|error| Error::Internal(format!("a df table: {error}")))?;
        let features: Vec<u8> = self
            .features
            .iter()
            .flat_map(|one| one.to_le_bytes())
            .collect();
        let dfs: Vec<u8> = self.dfs.iter().flat_map(|one| one.to_le_bytes()).collect();
        SEAL.write(path, &[header.as_bytes(), b"\n", &features, &dfs])
    }

    /// A table of entries that stand in ascending order of their features, no two the same.
    pub(super) fn of(facts: Facts, features: Vec<u64>, dfs: Vec<u32>) -> Self {
        debug_assert_eq!(features.len(), dfs.len());
        debug_assert!(features.is_sorted_by(|one, next| one < next));
        // One or two features for each value of the top bits: hashes are spread evenly, so a lookup
        // is a place of `starts` and a search in a few neighbors.
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
            // All that have as few documents as the first that is left out are left out with it.
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

    /// The name of all that decides about weights. Each text comes after its length, so that two
    /// specifications never run together to the same bytes.
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
        // Not `uncertainty`: it says how good the numbers are, and changes no weight.
        for (feature, df) in self.entries() {
            hash.update(&feature.to_le_bytes());
            hash.update(&df.to_le_bytes());
        }
        format!("df1-{:016x}", hash.digest())
    }
}

/// The table of a file, or what is wrong with the file.
fn decode(content: &[u8]) -> std::result::Result<DfTable, String> {
    let end = content.iter().position(|&byte| byte == b'\n');
    let end = end.ok_or("it has no header")?;
    let header: Header = serde_json::from_slice(&content[..end])
        .map_err(|error| format!("its header: {error}"))?;
    let columns = &content[end + 1..];
    let num_entries = columns.len() / 12;
    if header.entries != num_entries as u64 || !columns.len().is_multiple_of(12) {
        return Err(format!(
            "{} bytes of entries, where there should be {} entries of 12",
            columns.len(),
            header.entries
        ));
    }
    let (features, dfs) = columns.split_at(num_entries * 8);
    let (features, _) = features.as_chunks::<8>();
    let (dfs, _) = dfs.as_chunks::<4>();
    let features: Vec<u64> = features
        .iter()
        .map(|&one| u64::from_le_bytes(one))
        .collect();
    let dfs = dfs.iter().map(|&one| u32::from_le_bytes(one)).collect();
    if !features.is_sorted_by(|one, next| one < next) {
        return Err("its features are not in order".to_owned());
    }
    let facts = Facts {
        specification: header.specification,
        num_documents: header.documents,
        min_df: header.min_df,
        uncertainty: header.uncertainty,
    };
    Ok(DfTable::of(facts, features, dfs))
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
