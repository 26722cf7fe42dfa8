//! The exact join: its parameters are those of filters, which the other methods do not have. They are
//! resolved for all methods together (`method::resolve`), since the filter by keys of I-Match is
//! refused with the others.

use super::{Asked, Given, JobMethod};
use crate::kind::methods::{
    CatalogueMethod, MethodCertainty, MethodGroup, MethodPromise,
};
use crate::spec::MethodSpec;
use crate::summary::{IMatchSummary, MethodSummary, SIGNATURE_FILTER};
use neardupe_core::error::Result;
use neardupe_core::pipeline::FindConfig;

/// All pairs that can be similar are compared.
pub(super) struct Exact;

impl JobMethod for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn params(&self) -> &'static [&'static str] {
        &[]
    }

    /// Nothing to resolve: this is what is done when no method is chosen.
    fn resolve(&self, _: &Given<'_>, _: &mut Asked) -> Result<()> {
        Ok(())
    }

    /// Nothing to complete; filters are completed in `validate`.
    fn complete(&self, _: &Asked, _: &MethodSpec, _: &mut MethodSpec) {}

    /// A summary says nothing about the exact join unless it has a filter that loses pairs.
    fn summarize(&self, config: &FindConfig, summary: &mut MethodSummary) -> Option<()> {
        let (lexicons, needed) = (config.lexicons.as_ref()?, config.filters.signature?);
        summary.name = SIGNATURE_FILTER.into();
        summary.imatch = Some(IMatchSummary::new(lexicons, needed));
        Some(())
    }

    fn catalogue(&self) -> &'static [CatalogueMethod] {
        &CATALOGUE
    }
}

/// The exact join itself, and three uses of it that people look for by another name.
static CATALOGUE: [CatalogueMethod; 4] = [
    CatalogueMethod {
        name: "exact",
        group: MethodGroup::Similarity,
        options: "",
        takes_threshold: true,
        finds: "shared wording: the default",
        how: "Resemblance: the runs of five words that two documents share, of all they have \
              together. Documents are looked up by their rarest runs only (prefix filter), by size \
              and position of what they share, and each pair that is left is verified.",
        promise: MethodPromise::Exact,
        guarantee: "Every pair at or above the threshold, none below, up to collisions of 64-bit \
                    hashes.",
        certain: MethodCertainty::Both,
        cost: "Every text is read once. The join looks at the rarest features alone, and takes less \
               time than reading unless very many documents lie just below the threshold.",
        use_when: "Always, unless something below fits better.",
        papers: &[
            "Broder, On the resemblance and containment of documents, SEQUENCES 1997",
            "Bayardo, Ma, Srikant, Scaling up all pairs similarity search, WWW 2007",
            "Xiao, Wang, Lin, Yu, Efficient similarity joins for near duplicate detection, WWW 2008",
        ],
        guide: "ARCHITECTURE.md",
    },
    CatalogueMethod {
        name: "equal",
        group: MethodGroup::Similarity,
        options: "--threshold 1",
        takes_threshold: false,
        finds: "the same words: copies",
        how: "Documents with the same set of features. They may differ in punctuation, case and \
              layout; those whose text is equal to the byte are marked in the results (rule \
              equal-text). Every other method finds these too, before it begins.",
        promise: MethodPromise::Exact,
        guarantee: "All documents with equal features, and no others.",
        certain: MethodCertainty::Precision,
        cost: "Every text is read once, and nothing is compared but a hash of all its features.",
        use_when: "Only copies are to be removed, as after a crawl that fetched pages twice.",
        papers: &[
            "Broder, Glassman, Manasse, Zweig, Syntactic clustering of the Web, WWW 1997",
        ],
        guide: "README.md",
    },
    CatalogueMethod {
        name: "s3",
        group: MethodGroup::Similarity,
        options: "--similarity s3",
        takes_threshold: true,
        finds: "shared wording, by Dice's measure",
        how: "2 x common features / (size of left + size of right). The pairs at S are exactly those \
              whose resemblance is S / (2 - S): at 0.8 those of resemblance 2/3.",
        promise: MethodPromise::Exact,
        guarantee: "Every pair at or above the threshold, none below.",
        certain: MethodCertainty::Recall,
        cost: "That of exact at the threshold that belongs to it.",
        use_when: "Results are to be compared with work that reports S3, such as CopyCat.",
        papers: &[
            "Dice, Measures of the amount of ecologic association between species, Ecology 26, 1945",
            "Fröbe, Bittner, Potthast, Hagen, The effect of content-equivalent near-duplicates on \
             the evaluation of search engines, ECIR 2020",
        ],
        guide: "docs/recipes.md",
    },
    CatalogueMethod {
        name: "containment",
        group: MethodGroup::Similarity,
        options: "--similarity containment",
        takes_threshold: true,
        finds: "excerpts, quotations, longer versions",
        how: "The share of the smaller document that the larger one has: 1 for an excerpt, however \
              long the rest. Only the smaller one is removed.",
        promise: MethodPromise::Exact,
        guarantee: "Every pair at or above the threshold, none below.",
        certain: MethodCertainty::Recall,
        cost: "More than exact: sizes rule nothing out, so more pairs are looked at.",
        use_when: "One document may be a part of another; or benchmark texts must be removed from \
                   training data (with --against).",
        papers: &[
            "Broder, On the resemblance and containment of documents, SEQUENCES 1997",
        ],
        guide: "docs/recipes.md",
    },
];
