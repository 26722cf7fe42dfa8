//! Every method there is: what it finds, what it promises, what it costs, when to use it.
//!
//! One table, from which `neardupe methods`, the README and `bench/methods.py` all take what
//! they say: a method that is added here is shown and measured.

use super::method::{CatalogueMethod, MethodCertainty, MethodGroup, MethodPromise};

/// All methods, group by group.
pub static METHODS: [CatalogueMethod; 23] = [
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
              layout; those whose text is equal to the byte are told apart in the results (rule \
              equal-text). Every other method finds these, too, before it begins.",
        promise: MethodPromise::Exact,
        guarantee: "All documents with equal features, and no others.",
        certain: MethodCertainty::Precision,
        cost: "Every text is read once, and nothing is compared but a hash of all its features.",
        use_when: "Copies alone shall go, as after a crawl that fetched pages twice.",
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
        how: "Twice the common features of the sum of both sizes. The pairs at S are exactly those \
              whose resemblance is S / (2 - S): at 0.8 those of resemblance 2/3.",
        promise: MethodPromise::Exact,
        guarantee: "Every pair at or above the threshold, none below.",
        certain: MethodCertainty::Recall,
        cost: "That of exact at the threshold that belongs to it.",
        use_when: "Figures shall be compared with work that reports S3, such as CopyCat.",
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
        finds: "excerpts, quotations, what grew",
        how: "The share of the smaller document that the larger one has: 1 for an excerpt, however \
              long the rest. Only the smaller one is removed.",
        promise: MethodPromise::Exact,
        guarantee: "Every pair at or above the threshold, none below.",
        certain: MethodCertainty::Recall,
        cost: "More than exact: sizes rule nothing out, so more pairs are looked at.",
        use_when: "One document may be a part of another; or benchmark texts must go from training \
                   data (with --against).",
        papers: &[
            "Broder, On the resemblance and containment of documents, SEQUENCES 1997",
        ],
        guide: "docs/recipes.md",
    },
    CatalogueMethod {
        name: "chars",
        group: MethodGroup::Features,
        options: "--features chars:20",
        takes_threshold: true,
        finds: "shared runs of characters",
        how: "Stretches of 20 characters of the normalised text, one starting at each word. A changed \
              letter spoils the stretches that begin within the 20 characters before it, three or \
              four in English; what stands between words does not matter.",
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
        use_when: "Words are reordered and content stays; with --stop-words auto --stem auto. Take a \
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
                    tells how many there are.",
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
        name: "minhash",
        group: MethodGroup::Signatures,
        options: "--method minhash",
        takes_threshold: true,
        finds: "shared wording, 99 % at the threshold",
        how: "A signature of values, of which as many agree as two documents resemble each other; \
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
        finds: "what a published setting finds",
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
        how: "84 values in six groups of 14, of which two must agree.",
        promise: MethodPromise::Verified,
        guarantee: "By theory 99 % of the pairs at resemblance 0.98, 88 % at 0.95, 3 % at 0.8. \
                    Similarities are exact.",
        certain: MethodCertainty::Precision,
        cost: "Little: six keys a document, and few pairs to verify.",
        use_when: "Only what is nearly equal shall be found, among very many documents.",
        papers: &["Broder, Identifying and filtering near-duplicate documents, CPM 2000"],
        guide: "docs/methods.md#minhash",
    },
    CatalogueMethod {
        name: "simhash",
        group: MethodGroup::Signatures,
        options: "--method simhash --features words:5",
        takes_threshold: true,
        finds: "nearly equal texts, verified",
        how: "Each document has a code of 64 bits, made of all its features by vote. Codes that \
              differ in at most three bits are candidates, and are verified at the threshold.",
        promise: MethodPromise::Verified,
        guarantee: "All pairs whose codes are so near, if they reach the threshold. What share of \
                    the similar pairs that is, the summary tells by a sample; there is no bound.",
        certain: MethodCertainty::Precision,
        cost: "64 votes a feature. Finding near codes is cheap up to about six bits.",
        use_when: "Codes shall be kept (8 bytes a document) and compared later; or only what is \
                   nearly equal is wanted.",
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
        guarantee: "All pairs of codes so near, and no others. What that means for the texts is not \
                    told.",
        certain: MethodCertainty::Nothing,
        cost: "64 votes a feature, then little: a code of 8 bytes a document.",
        use_when: "Metadata shall count as much as the text, or a crawler's decision must be made by \
                   codes alone.",
        papers: &[
            "Manku, Jain, Das Sarma, Detecting near-duplicates for web crawling, WWW 2007",
            "Seshasai, Efficient near duplicate document detection for specialized corpora, MIT 2009",
        ],
        guide: "docs/methods.md#simhash",
    },
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
                    all keys whose lexicon has it: there is no bound on what is missed.",
        certain: MethodCertainty::Precision,
        cost: "The input is read once more to count its terms, unless --df-table names a table. \
               Eleven keys a document; few pairs to verify.",
        use_when: "Order of words shall not matter for what is looked at, and few terms change: \
                   messages, forms, spam.",
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
        finds: "of exact, what also shares a key",
        how: "The exact join, in which a pair is verified only if the two documents share a key of \
              I-Match. --signature-distance says how many keys may differ.",
        promise: MethodPromise::Verified,
        guarantee: "What imatch finds at the same threshold.",
        certain: MethodCertainty::Precision,
        cost: "The exact join without most of its verifying, and the input is read once more to \
               count its terms.",
        use_when: "Verifying is what takes the time, and what is missed does not matter.",
        papers: &[
            "Wang et al., MapDupReducer: detecting near duplicates over massive datasets, SIGMOD 2010",
            "Kolcz, Chowdhury, Alspector, Improved robustness of signature-based near-replica \
             detection via lexicon randomization, KDD 2004",
        ],
        guide: "docs/spotsigs.md#i-match",
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
                    Documents of which nothing is kept are found only if all their features are \
                    equal.",
        certain: MethodCertainty::Nothing,
        cost: "An eighth of the memory and of the join; reading and cutting into words stay.",
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
        finds: "shared wording, by one of neighbours",
        how: "Of each eight neighbouring features the one with the smallest hash is kept, about two \
              in nine, and similarity is that of what is kept.",
        promise: MethodPromise::Estimated,
        guarantee: "Documents that share eight features in a row share one that is kept. What is kept \
                    depends on what stands beside it, so similarity is an estimate with a bias.",
        certain: MethodCertainty::Nothing,
        cost: "Two ninths of the memory and of the join; reading and cutting into words stay.",
        use_when: "Copies may stand within other text, and less memory is wanted.",
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
        how: "Features of more than 50 documents count for no overlap, but still for the sizes.",
        promise: MethodPromise::Verified,
        guarantee: "Similarity can only fall: nothing is found that exact does not find. What shares \
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
