//! Every method there is: what it finds, what it promises, what it costs, when to use it.
//!
//! One table, from which `neardupe methods`, the README and `bench/methods.py` all take what
//! they say: a method that is added here is shown and measured. What belongs to a method of `find` is in its own
//! file (`kind/find/method`); here are measures, features, samples and passages.

use super::super::find::method_catalogue;
use super::method::{CatalogueMethod, MethodCertainty, MethodGroup, MethodPromise};
use std::ops::Deref;
use std::sync::LazyLock;

/// All methods, group by group.
pub static METHODS: Catalogue = Catalogue(LazyLock::new(|| {
    // Put together at first use: the entries of `find` are behind a trait and so are no
    // constants.
    let of_find = method_catalogue();
    let mut all: Vec<&'static CatalogueMethod> =
        of_find.iter().copied().chain(&OTHERS).collect();
    // Stable: within a group those of the registry come first, in its order.
    all.sort_by_key(|method| {
        MethodGroup::ALL.iter().position(|one| *one == method.group)
    });
    all
}));

/// A list of methods that is put together once.
pub struct Catalogue(LazyLock<Vec<&'static CatalogueMethod>>);

impl Catalogue {
    /// The methods in their order.
    pub fn iter(&self) -> impl Iterator<Item = &'static CatalogueMethod> {
        self.0.iter().copied()
    }
}

impl Deref for Catalogue {
    type Target = [&'static CatalogueMethod];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Catalogue {
    type Item = &'static CatalogueMethod;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, &'static CatalogueMethod>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().copied()
    }
}

/// Entries that are not methods of `find` by themselves.
static OTHERS: [CatalogueMethod; 10] = [
    // Order within a group is the order on the page. Every field is printed as it is here, so
    // a sentence must stand by itself.
    CatalogueMethod {
        name: "chars",
        group: MethodGroup::Features,
        options: "--features chars:20",
        takes_threshold: true,
        finds: "shared runs of characters",
        how: "Stretches of 20 characters of the normalised text, one starting at each word. A changed \
              letter spoils the stretches that begin within the 20 characters before it, three or \
              four in English; punctuation and spacing do not matter.",
        promise: MethodPromise::Exact,
        guarantee: "Every pair at or above the threshold in this measure, none below.",
        certain: MethodCertainty::Nothing,
        cost: "That of exact: as many features as words, each hashed from its characters.",
        use_when: "Long words count for more than short ones, as in German, code or tables of numbers; chars:64 as \
                   studies of TREC web pages had it.",
        papers: &[
            "Khoshdel Nikkhoo, The impact of near-duplicate documents on information retrieval \
             evaluation, University of Waterloo 2010",
        ],
        guide: "docs/reproduce/waterloo.md",
    },
    CatalogueMethod {
        name: "terms",
        group: MethodGroup::Features,
        options: "--features terms",
        takes_threshold: true,
        finds: "the same words in any order",
        how: "The words as a multiset: each word with the number of its occurrence is a feature. Order \
              does not count, so lists, tables and rewritten sentences are found, and so are forms \
              that share most of their words.",
        promise: MethodPromise::Exact,
        guarantee: "Every pair at or above the threshold in this measure, none below.",
        certain: MethodCertainty::Nothing,
        cost: "Little memory: few features a document. But words are common, so the join looks at \
               more pairs, above all at low thresholds.",
        use_when: "Words are reordered but the content is the same; with --stop-words auto --stem auto. Take a \
                   high threshold.",
        papers: &[
            "Xiao, Wang, Lin, Yu, Efficient similarity joins for near duplicate detection, WWW 2008",
        ],
        guide: "docs/recipes.md",
    },
    CatalogueMethod {
        name: "spotsigs",
        group: MethodGroup::Features,
        options: "--features spotsigs",
        takes_threshold: true,
        finds: "the same article in other frames",
        how: "A spot signature is a common English word with the two words that follow it and are \
              no stop words. Menus and lists have few of them, articles many.",
        promise: MethodPromise::Exact,
        guarantee: "Every pair at or above the threshold in this measure, none below. A document \
                    without a signature is never a duplicate, not even of its copy; the summary \
                    shows how many there are.",
        certain: MethodCertainty::Nothing,
        cost: "Fewer features than any other, so less memory and time in the join; cutting words by \
               dictionaries costs time where a script has no spaces.",
        use_when: "News and blogs with templates around them, in English. Not for texts of a few \
                   lines: with one or two signatures a set is soon the same as another.",
        papers: &[
            "Theobald, Siddharth, Paepcke, SpotSigs: robust and efficient near duplicate detection \
             in large web collections, SIGIR 2008",
        ],
        guide: "docs/spotsigs.md",
    },
    CatalogueMethod {
        name: "spotsigs-counted",
        group: MethodGroup::Features,
        options: "--features spotsigs --antecedents 10",
        takes_threshold: true,
        finds: "the same, in any language",
        how: "Spot signatures at the ten most frequent words of the input instead of a list of \
              English ones.",
        promise: MethodPromise::Exact,
        guarantee: "As spotsigs. The list depends on the input; it is written beside the result, to \
                    be used again.",
        certain: MethodCertainty::Nothing,
        cost: "That of spotsigs, and the input is read once more to count its words.",
        use_when: "As spotsigs, in other languages than English. More words find more exactly, and \
                   see more of what surrounds an article.",
        papers: &[
            "Theobald, Siddharth, Paepcke, SpotSigs: robust and efficient near duplicate detection \
             in large web collections, SIGIR 2008",
            "Zhang, Zhang, Yu, Huang, Efficient partial-duplicate detection based on sequence \
             matching, SIGIR 2010",
        ],
        guide: "docs/spotsigs.md",
    },
    CatalogueMethod {
        name: "sample-mod",
        group: MethodGroup::Samples,
        options: "--sample mod:8",
        takes_threshold: true,
        finds: "shared wording, by one run in eight",
        how: "Only features whose hash is 0 modulo 8 are kept, in all documents the same ones, and \
              similarity is that of what is kept.",
        promise: MethodPromise::Estimated,
        guarantee: "Similarity is estimated without bias, the better the longer the documents are. \
                    Documents whose sample is empty are found only if all their features are \
                    equal.",
        certain: MethodCertainty::Nothing,
        cost: "An eighth of the memory and of the join; reading and cutting into words cost the same.",
        use_when: "Long documents, little memory, and a threshold that need not be sharp.",
        papers: &[
            "Manber, Finding similar files in a large file system, USENIX Winter 1994",
            "Broder, On the resemblance and containment of documents, SEQUENCES 1997",
        ],
        guide: "docs/reproduce/waterloo.md",
    },
    CatalogueMethod {
        name: "sample-winnow",
        group: MethodGroup::Samples,
        options: "--sample winnow:8",
        takes_threshold: true,
        finds: "shared wording, by one of neighbors",
        how: "Of each eight neighboring features the one with the smallest hash is kept, about two \
              in nine, and similarity is that of what is kept.",
        promise: MethodPromise::Estimated,
        guarantee: "Documents that share eight features in a row share one that is kept. What is kept \
                    depends on the features beside it, so similarity is an estimate with a bias.",
        certain: MethodCertainty::Nothing,
        cost: "Two ninths of the memory and of the join; reading and cutting into words cost the same.",
        use_when: "Copies may be inside other text, and less memory must be used.",
        papers: &[
            "Schleimer, Wilkerson, Aiken, Winnowing: local algorithms for document fingerprinting, \
             SIGMOD 2003",
        ],
        guide: "docs/sampling.md#winnow",
    },
    CatalogueMethod {
        name: "sample-smallest",
        group: MethodGroup::Samples,
        options: "--sample smallest:200",
        takes_threshold: true,
        finds: "shared wording, by 200 runs of each",
        how: "Of each document the 200 smallest features are kept, and of two documents the 200 \
              smallest of both together are a sample of all they have.",
        promise: MethodPromise::Estimated,
        guarantee: "Resemblance is estimated without bias, whatever the lengths, with a standard \
                    deviation of at most 0.036. Short documents are compared exactly.",
        certain: MethodCertainty::Nothing,
        cost: "A document costs at most 200 features, however long it is.",
        use_when: "Documents are of very different lengths, and an estimate will do.",
        papers: &[
            "Broder, On the resemblance and containment of documents, SEQUENCES 1997",
        ],
        guide: "docs/sampling.md#smallest",
    },
    CatalogueMethod {
        name: "sample-commonality",
        group: MethodGroup::Samples,
        options: "--sample commonality:50",
        takes_threshold: true,
        finds: "shared wording without boilerplate",
        how: "Features found in more than 50 documents are ignored when overlap is counted, but still count for sizes.",
        promise: MethodPromise::Verified,
        guarantee: "Similarity can only fall: no pair is found that exact does not find. What shares \
                    little but boilerplate is missed, on purpose.",
        certain: MethodCertainty::Precision,
        cost: "Features are counted before the join, which then has no long lists to go through.",
        use_when: "Templates, footers and legal notices make documents similar that are not.",
        papers: &[
            "Khoshdel Nikkhoo, The impact of near-duplicate documents on information retrieval \
             evaluation, University of Waterloo 2010",
        ],
        guide: "docs/reproduce/waterloo.md",
    },
    CatalogueMethod {
        name: "passages",
        group: MethodGroup::Passages,
        options: "",
        takes_threshold: false,
        finds: "copied passages, located in both",
        how: "Runs of eight words, one of every four by winnowing, and whole sentences are seeds. From \
              seeds that two documents share words are followed in both directions, over edits and \
              insertions, as in sequence search.",
        promise: MethodPromise::Estimated,
        guarantee: "Documents with 20 words in a row in common are compared, unless more than \
                    --max-documents have these. How much of edited passages is found was measured.",
        certain: MethodCertainty::Nothing,
        cost: "Every text is read once and kept, on disk where memory is short. A sentence of very many \
               documents costs no more than a rare one.",
        use_when: "It matters what was copied and from where, or documents share parts only: quotations, \
                   plagiarism, pages of one article.",
        papers: &[
            "Schleimer, Wilkerson, Aiken, Winnowing: local algorithms for document fingerprinting, \
             SIGMOD 2003",
            "Altschul, Gish, Miller, Myers, Lipman, Basic local alignment search tool, J. Mol. Biol. \
             215, 1990",
        ],
        guide: "docs/passages.md",
    },
    CatalogueMethod {
        name: "pdc-mr",
        group: MethodGroup::Passages,
        options: "--preset pdc-mr",
        takes_threshold: false,
        finds: "runs of sentences that match",
        how: "Sentences match when their I-Match keys are equal (or their shingles or spot signatures \
              similar, with --signature). Of the matrix of two documents' sentences all diagonals of \
              more than three are passages.",
        promise: MethodPromise::Estimated,
        guarantee: "All maximal diagonals of matching sentences, and no others. A sentence that was edited \
                    or put in ends one.",
        certain: MethodCertainty::Nothing,
        cost: "The input is read once more to count its terms; a sort of all sentences.",
        use_when: "The published method is to be reproduced, or whole paragraphs were copied unchanged.",
        papers: &[
            "Zhang, Zhang, Yu, Huang, Efficient partial-duplicate detection based on sequence \
             matching, SIGIR 2010",
        ],
        guide: "docs/passages.md",
    },
];
