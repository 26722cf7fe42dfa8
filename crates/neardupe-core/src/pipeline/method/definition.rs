//! What a method says of itself.

use crate::candidate::filter::Filters;
use crate::candidate::side::{SideLayout, SideTable};
use crate::document::Record;
use crate::error::{Error, Result};
use crate::feature::{FeatureKind, Sampling};
use crate::frequency::DfTable;
use crate::numbers::SetIdx;
use crate::signature::{CodeSpec, Lexicons};
use crate::text::WordOptions;
use std::fmt;
use std::sync::Arc;

/// What can be said of the pairs of a method before they are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodPromise {
    /// Every pair at or above the threshold, and none below.
    Exact,
    /// No pair below the threshold; some may be missing.
    Verified,
    /// Pairs may be missing, and others may be there: signatures alone were compared.
    Estimated,
}

impl MethodPromise {
    /// For a column of a table.
    pub fn in_words(self) -> &'static str {
        match self {
            MethodPromise::Exact => "finds all, and nothing else",
            MethodPromise::Verified => "no false positives, may miss pairs",
            MethodPromise::Estimated => "approximate",
        }
    }

    /// As a value.
    pub fn name(self) -> &'static str {
        match self {
            MethodPromise::Exact => "exact",
            MethodPromise::Verified => "verified",
            MethodPromise::Estimated => "estimated",
        }
    }
}

/// What a method may know of a job. It is a part of the configuration: the whole names a
/// method itself, and would make a circle.
#[derive(Debug, Clone, Copy)]
pub(in crate::pipeline) struct MethodInput<'a> {
    /// What stands for a document.
    pub(in crate::pipeline) features: FeatureKind,
    /// How text becomes words.
    pub(in crate::pipeline) words: &'a WordOptions,
    /// Seed of the feature hash.
    pub(in crate::pipeline) seed: u64,
    /// Which features are compared.
    pub(in crate::pipeline) sampling: &'a Sampling,
    /// The number of words of a document is kept beside its features.
    pub(in crate::pipeline) count_words: bool,
    /// How simhashes are made.
    pub(in crate::pipeline) codes: Option<&'a Arc<CodeSpec>>,
    /// How keys of I-Match are made.
    pub(in crate::pipeline) lexicons: Option<&'a Arc<Lexicons>>,
    /// How many documents have each feature.
    pub(in crate::pipeline) df: Option<&'a Arc<DfTable>>,
}

/// A method with its settings. It is shown by its name and settings.
pub(in crate::pipeline) trait Definition: fmt::Display {
    /// The name without settings.
    fn name(&self) -> &'static str;

    /// What can be said of its pairs.
    fn promise(&self) -> MethodPromise;

    /// The filters that hold, of those that are on.
    fn filters(&self, _job: &MethodInput<'_>, filters: Filters) -> Filters {
        filters.by_keys()
    }

    /// What is kept of each set beside its features. Its signer makes as many words.
    fn side(&self, _job: &MethodInput<'_>) -> SideLayout {
        SideLayout::default()
    }

    /// What makes that, and what else is made of a text that is gone when it was read.
    fn signer(&self, _job: &MethodInput<'_>) -> Result<Option<Box<dyn Signer>>> {
        Ok(None)
    }

    /// Most keys of a set.
    fn num_keys(&self, job: &MethodInput<'_>) -> usize;

    /// What makes the keys of so many sets: two sets are compared if they share one. None when sets are looked
    /// up by their features.
    fn keys(&self, job: &MethodInput<'_>, num_sets: u64) -> Option<Box<dyn Keys>>;

    /// Values of a signature, where the method alone says how many there are.
    fn signature_values(&self) -> Option<usize> {
        None
    }

    /// Whether documents have simhashes.
    fn has_codes(&self) -> bool {
        false
    }

    /// Whether the exact join of the same sets shows what is missed.
    fn can_be_measured(&self) -> bool {
        true
    }
}

/// Makes of a document what is needed later: of its text, which is gone then.
pub(in crate::pipeline) trait Signer: fmt::Debug + Send {
    /// Appends the side data of a record; false when it has none because it has no word.
    fn sign(&mut self, record: &Record<'_>, side: &mut Vec<u64>) -> bool;

    /// Puts the features that are compared instead of the usual ones into `features`: how many words the text
    /// has. None where the usual ones are compared. The record was signed last.
    fn features(
        &mut self,
        _record: &Record<'_>,
        _features: &mut Vec<u64>,
    ) -> Option<usize> {
        None
    }
}

/// Makes the keys of sets.
pub(in crate::pipeline) trait Keys: fmt::Debug + Send + Sync {
    /// Most keys of a set.
    fn num_keys(&self) -> usize;

    /// Appends the keys of a set, of which the features are given and the side data stands in a table. `values`
    /// is room that is used again.
    fn of(
        &self,
        features: &[u64],
        side: (&SideTable, SetIdx),
        values: &mut Vec<u64>,
        keys: &mut Vec<u64>,
    );
}

/// What a method needs and was not given: a front must have made it.
pub(super) fn missing() -> Error {
    Error::Internal("signatures that nothing makes".to_owned())
}
