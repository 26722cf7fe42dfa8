//! MinHash: bands by threshold and recall, or as they were given.

use super::{Asked, Given, JobMethod};
use crate::kind::methods::{
    CatalogueMethod, MethodCertainty, MethodGroup, MethodPromise,
};
use crate::param::{Fraction, Within};
use crate::spec::MethodSpec;
use crate::summary::{MethodSummary, curve};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::config::resemblance_at;
use neardupe_core::pipeline::{FindConfig, Method};
use neardupe_core::signature::Bands;
use neardupe_core::signature::bands::DEFAULT_VALUES;

/// The default of `recall`, by which bands are chosen.
const DEFAULT_RECALL: f64 = 0.99;

/// Parameters of every method that looks pairs up by bands.
pub(super) const PARAMS: [&str; 3] = ["recall", "bands", "num-perm"];

/// Compares pairs whose signatures agree in a band.
pub(super) struct MinHash;

impl JobMethod for MinHash {
    fn name(&self) -> &'static str {
        "minhash"
    }

    fn params(&self) -> &'static [&'static str] {
        &PARAMS
    }

    /// Bands are all there is to resolve.
    fn resolve(&self, given: &Given<'_>, asked: &mut Asked) -> Result<()> {
        asked.method = Method::MinHash(bands_of(given, asked)?);
        Ok(())
    }

    fn complete(&self, asked: &Asked, given: &MethodSpec, spec: &mut MethodSpec) {
        if let Method::MinHash(bands) = asked.method {
            complete_bands(bands, given, spec);
        }
    }

    fn summarize(&self, config: &FindConfig, summary: &mut MethodSummary) -> Option<()> {
        if let Method::MinHash(bands) = config.method {
            summarize_bands(bands, summary);
        }
        Some(())
    }

    fn catalogue(&self) -> &'static [CatalogueMethod] {
        &CATALOGUE
    }
}

/// The bands: those that were given, or those for the threshold and recall. With given
/// bands a recall is allowed only if it would have led to the same bands, as in a summary, which
/// records both.
pub(super) fn bands_of(given: &Given<'_>, asked: &Asked) -> Result<Bands> {
    let spec = &given.spec.method;
    // Signatures estimate resemblance, so a threshold of another measure is converted first.
    let resemblance = resemblance_at(asked.similarity, asked.threshold);
    let recall = spec
        .recall
        .as_ref()
        .map_or(DEFAULT_RECALL, |recall| recall.value);
    let chosen = Bands::for_threshold(resemblance, recall, most_values(spec));
    let Some(bands) = spec.bands else {
        return chosen;
    };
    let params = [
        ("recall", spec.recall.is_some()),
        ("num-perm", spec.num_perm.is_some()),
    ];
    let given = params.into_iter().find(|(_, given)| *given);
    match given {
        // An error of the choice does not matter when bands are given, unless they should follow from it.
        Some((param, _)) if chosen.ok() != Some(bands) => {
            Err(Error::config(param, "follows from `bands`"))
        }
        _ => Ok(bands),
    }
}

/// Most values of a signature when bands are chosen.
fn most_values(spec: &MethodSpec) -> u32 {
    // A limit, not a number: fewer are used when they are enough.
    spec.num_perm.map_or(DEFAULT_VALUES, |number| number.u32())
}

/// The parameters of bands as they are used.
pub(super) fn complete_bands(bands: Bands, given: &MethodSpec, spec: &mut MethodSpec) {
    spec.bands = Some(bands);
    // Bands that were given alone have no recall: nothing is recorded that they do not follow from.
    if given.bands.is_none() || given.recall.is_some() {
        let usual = Fraction::new(DEFAULT_RECALL);
        spec.recall = given.recall.clone().or(usual);
        spec.num_perm = Some(Within(u64::from(most_values(given))));
    }
}

/// What a summary says about bands, with the probability to find a pair at each similarity.
/// The curve is computed from the bands, so it holds for given bands as well.
pub(super) fn summarize_bands(bands: Bands, summary: &mut MethodSummary) {
    summary.bands = Some(bands.to_string());
    summary.values = Some(bands.num_values() as u64);
    summary.curve = curve(bands, summary.threshold);
}

/// Bands by threshold and recall, and two settings of published systems.
static CATALOGUE: [CatalogueMethod; 3] = [
    CatalogueMethod {
        name: "minhash",
        group: MethodGroup::Signatures,
        options: "--method minhash",
        takes_threshold: true,
        finds: "shared wording, 99 % at the threshold",
        how: "A signature of values: the share of values that agree estimates the resemblance; \
              it is cut into bands, and documents that agree in a band are compared on all \
              features. Bands are chosen by --threshold and --recall.",
        promise: MethodPromise::Verified,
        guarantee: "A pair exactly at the threshold is found with probability --recall (0.99), a \
                    more similar one with a higher one. Similarities are exact.",
        certain: MethodCertainty::Precision,
        cost: "About as many hashes as features, then a sort of the bands. Less memory than exact at \
               low thresholds; time on one machine about the same.",
        use_when: "Low thresholds on large collections, little memory.",
        papers: &[
            "Broder, On the resemblance and containment of documents, SEQUENCES 1997",
            "Dahlgaard, Knudsen, Thorup, Fast similarity sketching, FOCS 2017",
        ],
        guide: "docs/methods.md#minhash",
    },
    CatalogueMethod {
        name: "minhash-bands",
        group: MethodGroup::Signatures,
        options: "--method minhash --bands fineweb",
        takes_threshold: true,
        finds: "the pairs of a published setting",
        how: "Bands as another system has them: fineweb is 14 bands of 8 values, made for 0.75 to \
              0.8. Also nemo, slimpajama, lee, or any BxR.",
        promise: MethodPromise::Verified,
        guarantee: "1 - (1 - s^R)^B of the pairs at resemblance s, which the summary prints: for \
                    fineweb 92 % at 0.8 and 5 % at 0.5. Similarities are exact.",
        certain: MethodCertainty::Precision,
        cost: "Less than minhash where there are fewer bands.",
        use_when: "The candidates of another tool are wanted, or a pipeline is to be reproduced.",
        papers: &[
            "Penedo et al., The FineWeb datasets: decanting the web for the finest text data at \
             scale, NeurIPS 2024",
            "Lee et al., Deduplicating training data makes language models better, ACL 2022",
        ],
        guide: "docs/methods.md#minhash",
    },
    CatalogueMethod {
        name: "supershingles",
        group: MethodGroup::Signatures,
        options: "--method minhash --bands supershingles",
        takes_threshold: true,
        finds: "very similar pages, as AltaVista did",
        how: "84 values in six groups of 14; two groups must agree.",
        promise: MethodPromise::Verified,
        guarantee: "By theory 99 % of the pairs at resemblance 0.98, 88 % at 0.95, 3 % at 0.8. \
                    Similarities are exact.",
        certain: MethodCertainty::Precision,
        cost: "Little: six keys a document, and few pairs to verify.",
        use_when: "Only nearly equal documents are to be found, among very many.",
        papers: &["Broder, Identifying and filtering near-duplicate documents, CPM 2000"],
        guide: "docs/methods.md#minhash",
    },
];
