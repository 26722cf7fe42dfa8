//! Weighted MinHash: bands like those of MinHash, and the table of frequencies by which features weigh.
//! A feature of weight w becomes w elements of a set, so everything after reading compares plain sets.

use super::super::codes::COLLECTION;
use super::minhash::{PARAMS, bands_of, complete_bands, summarize_bands};
use super::{Asked, Given, JobMethod};
use crate::kind::methods::{
    CatalogueMethod, MethodCertainty, MethodGroup, MethodPromise,
};
use crate::spec::MethodSpec;
use crate::summary::{MethodSummary, WeightSummary};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::Sampling;
use neardupe_core::hash::FeatureHash;
use neardupe_core::pipeline::{FindConfig, Method};

/// Compares pairs whose signatures of weighted features agree in a band.
pub(super) struct WeightedMinHash;

impl JobMethod for WeightedMinHash {
    fn name(&self) -> &'static str {
        "weighted-minhash"
    }

    fn params(&self) -> &'static [&'static str] {
        // Constants cannot be joined; the first three are all there are.
        const ALL: [&str; 4] = [PARAMS[0], PARAMS[1], PARAMS[2], "df-table"];
        &ALL
    }

    fn default_features(&self) -> &'static str {
        "terms"
    }

    /// Refuses what has no meaning with weights: features without frequencies, another hash
    /// than that of the table, samples, and a smallest overlap, which would count weights.
    /// The table is that of the collection unless one is named.
    fn resolve(&self, given: &Given<'_>, asked: &mut Asked) -> Result<()> {
        let wrong = |param: &str, message: &str| Err(Error::config(param, message));
        let hash = given.spec.reading.features.hash.unwrap_or_default();
        if !given.features.has_weights() {
            return wrong("features", "weights are for terms, words:N and words:N+M");
        }
        if hash != FeatureHash::Multilinear {
            return wrong("hash", "weights are for the features of `hash multilinear`");
        }
        if *given.sampling != Sampling::default() {
            return wrong("sample", "weighted-minhash weighs all features");
        }
        if asked.min_overlap > 1 {
            let message = "with `method weighted-minhash` the overlap is a sum of weights, not a \
                           number of features";
            return wrong("min-overlap", message);
        }
        asked.method = Method::WeightedMinHash(bands_of(given, asked)?);
        let table = given.spec.method.df_table.clone();
        asked.df_table = Some(table.unwrap_or(COLLECTION.to_owned()));
        Ok(())
    }

    fn cannot_keep_work(&self) -> Option<&'static str> {
        Some("weighted-minhash compares weights")
    }

    fn cannot_explain(&self) -> Option<&'static str> {
        Some(
            "its documents were compared by the weights of features (weighted-minhash), and what \
             explain counts are features",
        )
    }

    fn complete(&self, asked: &Asked, given: &MethodSpec, spec: &mut MethodSpec) {
        if let Method::WeightedMinHash(bands) = asked.method {
            complete_bands(bands, given, spec);
        }
    }

    /// Bands as for MinHash, and the identity of the table: two results compare only if it is
    /// the same.
    fn summarize(&self, config: &FindConfig, summary: &mut MethodSummary) -> Option<()> {
        if let Method::WeightedMinHash(bands) = config.method {
            summarize_bands(bands, summary);
        }
        summary.weights = config.df.as_ref().map(|table| WeightSummary {
            df_table: table.identity().to_owned(),
            df_documents: table.num_documents(),
        });
        Some(())
    }

    fn catalogue(&self) -> &'static [CatalogueMethod] {
        &CATALOGUE
    }
}

/// One entry: its settings are those of MinHash.
static CATALOGUE: [CatalogueMethod; 1] = [CatalogueMethod {
    name: "weighted-minhash",
    group: MethodGroup::Signatures,
    options: "--method weighted-minhash",
    takes_threshold: true,
    finds: "shared rare words (tf-idf)",
    how: "Each word weighs by how often a document has it and how rare it is, in whole numbers: 8 for an \
          occurrence of the rarest, 0 for a word of all documents. Similarity is the sum of the smaller weights of \
          two documents by the sum of the larger (weighted Jaccard). A signature agrees with exactly this \
          probability; bands are chosen as for minhash.",
    promise: MethodPromise::Verified,
    guarantee: "A pair exactly at the threshold is found with probability --recall (0.99), a more similar one with a \
                higher one. Similarities are exact sums of whole weights.",
    certain: MethodCertainty::Nothing,
    cost: "The input is read once more to count words, unless --df-table names a table. A document has up to eight \
           elements for each word, so more memory and time than minhash of terms.",
    use_when: "Documents share much common wording, as forms, minutes and notices do, and differ in names and \
               subjects.",
    papers: &[
        "Chum, Philbin, Zisserman, Near duplicate image detection: min-hash and tf-idf weighting, \
         BMVC 2008",
    ],
    guide: "docs/methods.md#weighted-minhash",
}];
