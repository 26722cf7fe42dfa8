//! I-Match: keys of terms that are neither common nor rare; and the filter of the exact join by these keys.

use super::{Asked, Given, JobMethod};
use crate::kind::methods::{
    CatalogueMethod, MethodCertainty, MethodGroup, MethodPromise,
};
use crate::spec::{MethodChoice, MethodSpec};
use crate::summary::{IMatchSummary, MethodSummary};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::{FindConfig, Method};
use neardupe_core::threshold::Threshold;

/// Compares pairs that share a key of I-Match (Chowdhury et al. 2002, with the lexicons of Kolcz et al.
/// 2004).
pub(super) struct IMatch;

impl JobMethod for IMatch {
    fn name(&self) -> &'static str {
        "imatch"
    }

    fn params(&self) -> &'static [&'static str] {
        &["no-verify", "df-table"]
    }

    /// The lexicons are those of the choice, with their numbers filled in. Without
    /// verification a typed threshold is refused unless it is the one that stands for none,
    /// as a summary has it.
    fn resolve(&self, given: &Given<'_>, asked: &mut Asked) -> Result<()> {
        let MethodChoice::IMatch(settings) = asked.choice else {
            // `method_of` looks up by the name of the choice.
            return Err(Error::Internal("another method was asked for".to_owned()));
        };
        asked.lexicons = Some(settings);
        asked.method = Method::IMatch;
        if given.spec.method.no_verify != Some(true) {
            return Ok(());
        }
        // Every pair with a key in common has a word in common, so it reaches the smallest threshold
        // there is: this stands for "no threshold" in a job that has one.
        // One millionth: a document would need more than a million different features for a
        // pair with one of them in common to be below it.
        let least = Threshold::new(1, 1_000_000)
            .ok_or_else(|| Error::Internal("no such threshold".to_owned()))?;
        let typed = given.spec.similarity.threshold;
        if typed.is_some_and(|given| !given.equals(least)) {
            let message = "with `no-verify` a key in common is enough";
            return Err(Error::config("threshold", message));
        }
        asked.threshold = least;
        Ok(())
    }

    /// Whether pairs are verified. The filter by the same keys is not in use when they are
    /// the method.
    fn complete(&self, _: &Asked, given: &MethodSpec, spec: &mut MethodSpec) {
        spec.no_verify = Some(given.no_verify == Some(true));
        // `completed` takes keys for those of a signature filter; these are the method's own.
        spec.signature_filter = None;
    }

    /// One key in common is enough, hence the 1.
    fn summarize(&self, config: &FindConfig, summary: &mut MethodSummary) -> Option<()> {
        let lexicons = config.lexicons.as_ref();
        summary.imatch = lexicons.map(|lexicons| IMatchSummary::new(lexicons, 1));
        Some(())
    }

    fn catalogue(&self) -> &'static [CatalogueMethod] {
        &CATALOGUE
    }
}

/// The method with and without verification, and the filter of the exact join by the same keys.
static CATALOGUE: [CatalogueMethod; 3] = [
    CatalogueMethod {
        name: "imatch",
        group: MethodGroup::Signatures,
        options: "--method imatch",
        takes_threshold: true,
        finds: "the same middling terms, verified",
        how: "One key of all terms that are neither very common nor very rare, and ten more, each of \
              a lexicon that lacks a random third. Documents that share a key are compared on all \
              features.",
        promise: MethodPromise::Verified,
        guarantee: "All pairs that share a key, if they reach the threshold. A changed term changes \
                    all keys whose lexicon has it: there is no bound on missed pairs.",
        certain: MethodCertainty::Precision,
        cost: "The input is read once more to count its terms, unless --df-table names a table. \
               Eleven keys a document; few pairs to verify.",
        use_when: "The order of words should not matter for which pairs are compared, and few \
                   terms change: messages, forms, spam.",
        papers: &[
            "Chowdhury, Frieder, Grossman, McCabe, Collection statistics for fast duplicate document \
             detection, TOIS 2002",
            "Kolcz, Chowdhury, Alspector, Improved robustness of signature-based near-replica \
             detection via lexicon randomization, KDD 2004",
        ],
        guide: "docs/spotsigs.md#i-match",
    },
    CatalogueMethod {
        name: "imatch-alone",
        group: MethodGroup::Signatures,
        options: "--method imatch --no-verify",
        takes_threshold: false,
        finds: "a key of terms in common",
        how: "As imatch, but a key in common is enough.",
        promise: MethodPromise::Estimated,
        guarantee: "All pairs that share a key and a feature, and no others.",
        certain: MethodCertainty::Nothing,
        cost: "As imatch, without verifying.",
        use_when: "The published method is to be reproduced.",
        papers: &[
            "Kolcz, Chowdhury, Alspector, Improved robustness of signature-based near-replica \
             detection via lexicon randomization, KDD 2004",
        ],
        guide: "docs/spotsigs.md#i-match",
    },
    CatalogueMethod {
        name: "signature-filter",
        group: MethodGroup::Signatures,
        options: "--signature-filter imatch",
        takes_threshold: true,
        finds: "pairs of exact that also share a key",
        how: "The exact join, in which a pair is verified only if the two documents share a key of \
              I-Match. --signature-distance says how many keys may differ.",
        promise: MethodPromise::Verified,
        guarantee: "What imatch finds at the same threshold.",
        certain: MethodCertainty::Precision,
        cost: "The exact join without most of its verifying, and the input is read once more to \
               count its terms.",
        use_when: "Verifying takes most of the time, and missed pairs do not matter.",
        papers: &[
            "Wang et al., MapDupReducer: detecting near duplicates over massive datasets, SIGMOD 2010",
            "Kolcz, Chowdhury, Alspector, Improved robustness of signature-based near-replica \
             detection via lexicon randomization, KDD 2004",
        ],
        guide: "docs/spotsigs.md#i-match",
    },
];
