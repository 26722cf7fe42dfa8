//! Simhash: how codes are made, how near they must be, and whether pairs are verified.

use super::super::codes::{CodeOptions, TypedCodes};
use super::{Asked, Given, JobMethod};
use crate::kind::methods::{
    CatalogueMethod, MethodCertainty, MethodGroup, MethodPromise,
};
use crate::param::Within;
use crate::spec::MethodSpec;
use crate::summary::{MethodSummary, SimhashSummary};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::Sampling;
use neardupe_core::pipeline::{FindConfig, Hamming, Method};
use neardupe_core::similarity::Similarity;
use neardupe_core::threshold::Threshold;

/// The default of `distance`: the choice of Manku, Jain and Das Sarma (2007) for eight billion web pages.
const DEFAULT_DISTANCE: u32 = 3;

/// Compares pairs whose simhashes differ in a few bits.
pub(super) struct Simhash;

impl JobMethod for Simhash {
    fn name(&self) -> &'static str {
        "simhash"
    }

    fn params(&self) -> &'static [&'static str] {
        &[
            "distance",
            "no-verify",
            "variant",
            "idf",
            "df-table",
            "reserve",
        ]
    }

    fn default_features(&self) -> &'static str {
        "words:3+5"
    }

    /// Codes are resolved in every case. What differs without verification is that measure
    /// and threshold follow from the distance, so values of the user that contradict it are
    /// refused.
    fn resolve(&self, given: &Given<'_>, asked: &mut Asked) -> Result<()> {
        let (spec, similar) = (&given.spec.method, &given.spec.similarity);
        let wrong = |param: &str, message: &str| Err(Error::config(param, message));
        let distance = spec
            .distance
            .map_or(DEFAULT_DISTANCE, |number| number.u32());
        let no_verify = spec.no_verify == Some(true);
        let fields = given.spec.metadata.meta_key.as_ref();
        asked.codes = Some(CodeOptions::resolve(
            TypedCodes {
                variant: spec.variant.as_deref(),
                idf: spec.idf,
                df_table: spec.df_table.as_deref(),
                reserve: spec.reserve.as_deref(),
            },
            given.features,
            // Weights by metadata need fields that are read: without `meta-key` a variant
            // that wants them is refused.
            fields.is_some_and(|keys| !keys.is_empty()),
        )?);
        if no_verify {
            if *given.sampling != Sampling::default() {
                return wrong("sample", "with `no-verify` codes alone are compared");
            }
            // The core takes a code for the set of its 64 bits with their values: the share of bits
            // that agree is the S3 similarity of two such sets, so measure and threshold follow from
            // the distance. They may be given if they are these, as in a summary.
            let (measure, least) = (Similarity::S3, share_of_bits(distance)?);
            let follows = "with `no-verify` it follows from `distance`; `verify` compares features \
                           too";
            if similar.threshold.is_some_and(|given| !given.equals(least)) {
                return wrong("threshold", follows);
            }
            if similar.similarity.is_some_and(|given| given != measure) {
                return wrong("similarity", follows);
            }
            (asked.similarity, asked.threshold) = (measure, least);
        }
        asked.method = Method::Simhash(Hamming {
            distance,
            verified: !no_verify,
        });
        Ok(())
    }

    fn cannot_keep_work(&self) -> Option<&'static str> {
        Some("simhash compares codes")
    }

    /// Distance and verification as they are used, so that the options of a summary give the
    /// same job again.
    fn complete(&self, asked: &Asked, _: &MethodSpec, spec: &mut MethodSpec) {
        if let Method::Simhash(hamming) = asked.method {
            spec.distance = Some(Within(u64::from(hamming.distance)));
            spec.no_verify = Some(!hamming.verified);
        }
    }

    /// Codes and distance. Always `Some`: this method has a part in every summary.
    fn summarize(&self, config: &FindConfig, summary: &mut MethodSummary) -> Option<()> {
        if let Method::Simhash(hamming) = config.method {
            let codes = config.codes.as_ref();
            summary.simhash = codes.map(|codes| SimhashSummary::new(codes, hamming));
        }
        Some(())
    }

    fn catalogue(&self) -> &'static [CatalogueMethod] {
        &CATALOGUE
    }
}

/// The share of 64 bits in which codes at this distance agree. The parameter allows 32 at most.
fn share_of_bits(distance: u32) -> Result<Threshold> {
    // 64 - 32 agreeing bits at least, so the fraction is never 0, which `Threshold` would
    // refuse.
    Threshold::new(u64::from(64 - distance), 64)
        .ok_or_else(|| Error::Internal("a distance beyond 64".to_owned()))
}

/// Verified at two distances, and codes alone.
static CATALOGUE: [CatalogueMethod; 3] = [
    CatalogueMethod {
        name: "simhash",
        group: MethodGroup::Signatures,
        options: "--method simhash --features words:5",
        takes_threshold: true,
        finds: "nearly equal texts, verified",
        how: "Each document has a code of 64 bits, made of all its features by vote. Codes that \
              differ in at most three bits are candidates, and are verified at the threshold.",
        promise: MethodPromise::Verified,
        guarantee: "All pairs whose codes are so near, if they reach the threshold. The summary \
                    estimates their share of all similar pairs from a sample; there is no bound.",
        certain: MethodCertainty::Precision,
        cost: "64 votes a feature. Finding near codes is cheap up to about six bits.",
        use_when: "Codes are to be kept (8 bytes per document) and compared later; or only \
                   nearly equal documents are wanted.",
        papers: &[
            "Charikar, Similarity estimation techniques from rounding algorithms, STOC 2002",
            "Manku, Jain, Das Sarma, Detecting near-duplicates for web crawling, WWW 2007",
        ],
        guide: "docs/methods.md#simhash",
    },
    CatalogueMethod {
        name: "simhash-wide",
        group: MethodGroup::Signatures,
        options: "--method simhash --features words:5 --distance 10",
        takes_threshold: true,
        finds: "similar texts, verified",
        how: "As simhash, with codes that differ in up to ten bits, about what two documents of \
              resemblance 0.8 differ in.",
        promise: MethodPromise::Verified,
        guarantee: "As simhash.",
        certain: MethodCertainty::Precision,
        cost: "At such distances keys are short: in the end each code is compared with each, which \
               is quadratic.",
        use_when: "Codes are there already, and three bits miss too much. Else take exact.",
        papers: &[
            "Manku, Jain, Das Sarma, Detecting near-duplicates for web crawling, WWW 2007",
        ],
        guide: "docs/methods.md#simhash",
    },
    CatalogueMethod {
        name: "simhash-alone",
        group: MethodGroup::Signatures,
        options: "--method simhash --no-verify",
        takes_threshold: false,
        finds: "near codes; metadata may count",
        how: "Codes of 64 bits of runs of three and five words that differ in at most three bits are \
              enough; nothing is verified. --variant says what features weigh: titles, positions, \
              metadata, frequencies.",
        promise: MethodPromise::Estimated,
        guarantee: "All pairs of codes so near, and no others. Nothing is promised about the \
                    texts.",
        certain: MethodCertainty::Nothing,
        cost: "64 votes a feature, then little: a code of 8 bytes per document.",
        use_when: "Metadata should count as much as the text, or a crawler must decide by codes \
                   alone.",
        papers: &[
            "Manku, Jain, Das Sarma, Detecting near-duplicates for web crawling, WWW 2007",
            "Seshasai, Efficient near duplicate document detection for specialized corpora, MIT 2009",
        ],
        guide: "docs/methods.md#simhash",
    },
];
