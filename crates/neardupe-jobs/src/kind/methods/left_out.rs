//! Methods of the literature that are not here, and why: who looks for one finds what to
//! take instead.

/// A method that was left out.
#[derive(Debug)]
pub struct LeftOutMethod {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// Why it is not here.
    pub reason: &'static str,
    /// The name of a method that does what it is wanted for, if there is one.
    pub instead: Option<&'static str>,
    /// Where it was published.
    pub papers: &'static [&'static str],
}

/// All that were left out.
pub static LEFT_OUT: [LeftOutMethod; 16] = [
    LeftOutMethod {
        name: "dsc",
        what: "every 25th shingle by hash, pairs counted from sorted lists, as first on the whole web",
        reason: "shingles of more than a thousand documents had to be left out to make it end; the \
                 join here looks at rare ones first and needs no such limit. Its supershingles are \
                 here",
        instead: Some("sample-mod"),
        papers: &[
            "Broder, Glassman, Manasse, Zweig, Syntactic clustering of the Web, WWW 1997",
        ],
    },
    LeftOutMethod {
        name: "b-bit-minhash",
        what: "of each value of a signature only the lowest bits are stored",
        reason: "saves the space of stored signatures; here bands alone are kept while the job runs, \
                 and more pairs would agree by chance",
        instead: Some("minhash"),
        papers: &["Li, König, b-bit minwise hashing, WWW 2010"],
    },
    LeftOutMethod {
        name: "one-permutation-hashing",
        what: "all values of a signature from one pass, by bins",
        reason: "empty bins have to be filled up for short documents; fast similarity sketching costs \
                 the same and has a proven spread",
        instead: Some("minhash"),
        papers: &["Li, Owen, Zhang, One permutation hashing, NIPS 2012"],
    },
    LeftOutMethod {
        name: "lsh-forest",
        what: "prefix trees of signatures, for the nearest documents without a threshold",
        reason: "an index for queries; here the threshold is known, and bands are fitted to it",
        instead: Some("minhash"),
        papers: &[
            "Bawa, Condie, Ganesan, LSH Forest: self-tuning indexes for similarity search, WWW 2005",
        ],
    },
    LeftOutMethod {
        name: "lsh-ensemble",
        what: "signatures for containment, parted by the sizes of sets",
        reason: "an estimate; the exact join has containment",
        instead: Some("containment"),
        papers: &[
            "Zhu, Nargesian, Pu, Miller, LSH Ensemble: Internet-scale domain search, PVLDB 2016",
        ],
    },
    LeftOutMethod {
        name: "minhash-then-simhash",
        what: "candidates of one signature, checked by another",
        reason: "one estimate checks another; here candidates are verified on all their features",
        instead: Some("minhash"),
        papers: &[
            "Henzinger, Finding near-duplicate web pages: a large-scale evaluation of algorithms, \
             SIGIR 2006",
        ],
    },
    LeftOutMethod {
        name: "fuzzy-fingerprints",
        what: "how much the shares of word beginnings deviate from those of the language, in few steps",
        reason: "a handful of coarse values: finds what is alike in vocabulary, and no threshold on \
                 shared text follows from it",
        instead: Some("terms"),
        papers: &[
            "Stein, Fuzzy-fingerprints for text-based information retrieval, I-KNOW 2005",
        ],
    },
    LeftOutMethod {
        name: "tf-idf-cosine",
        what: "the angle between vectors of weighted terms",
        reason: "finds documents on the same subject as well as copies, and weights move with the \
                 collection",
        instead: Some("terms"),
        papers: &[
            "Bayardo, Ma, Srikant, Scaling up all pairs similarity search, WWW 2007",
        ],
    },
    LeftOutMethod {
        name: "identity-measure",
        what: "documents ranked by how like their word frequencies are to those of a query",
        reason: "ranks what may have been a source and leaves it to people where to stop; there is no \
                 threshold that means something",
        instead: Some("terms"),
        papers: &[
            "Hoad, Zobel, Methods for identifying versioned and plagiarized documents, JASIST 2003",
        ],
    },
    LeftOutMethod {
        name: "sentences",
        what: "documents as sets of hashed sentences (COPS)",
        reason: "one changed letter loses a whole sentence, and where sentences end is a guess. Runs of \
                 equal sentences are found by pdc-mr",
        instead: Some("exact"),
        papers: &[
            "Brin, Davis, Garcia-Molina, Copy detection mechanisms for digital documents, SIGMOD 1995",
        ],
    },
    LeftOutMethod {
        name: "edit-distance",
        what: "the fewest insertions, deletions and changes between two texts",
        reason: "quadratic in the length of each pair, and a moved paragraph counts as a new one; \
                 neardupe compare shows word by word how two documents differ",
        instead: Some("exact"),
        papers: &[
            "Levenshtein, Binary codes capable of correcting deletions, insertions, and reversals, \
             Soviet Physics Doklady 1966",
        ],
    },
    LeftOutMethod {
        name: "suffix-array",
        what: "all substrings that occur twice, such as those of 50 tokens",
        reason: "takes several times the memory of the text, and one changed word ends a substring; \
                 passages finds them from a sample of runs, and goes on over edits",
        instead: Some("passages"),
        papers: &[
            "Lee et al., Deduplicating training data makes language models better, ACL 2022",
        ],
    },
    LeftOutMethod {
        name: "lines-and-bloom-filters",
        what: "lines or paragraphs that were seen before are cut out, by hash or Bloom filter",
        reason: "a Bloom filter also takes some lines that were never seen, and nothing shows what was removed \
                 and where it is kept; neardupe dedup --passages cuts out sentences and writes the \
                 evidence",
        instead: Some("passages"),
        papers: &[
            "Wenzek et al., CCNet: extracting high quality monolingual datasets from web crawl data, \
             LREC 2020",
            "Soldaini et al., Dolma: an open corpus of three trillion tokens for language model \
             pretraining research, ACL 2024",
        ],
    },
    LeftOutMethod {
        name: "embeddings",
        what: "vectors of a language model, near ones taken for duplicates (SemDeDup)",
        reason: "finds texts of the same meaning, even without a common word: another question. It needs \
                 a model, and no one can check by the texts what a similarity says",
        instead: None,
        papers: &[
            "Abbas et al., SemDeDup: data-efficient learning at web-scale through semantic \
             deduplication, arXiv 2303.09540, 2023",
        ],
    },
    LeftOutMethod {
        name: "ssdeep",
        what: "digests of files by pieces whose borders follow from their content",
        reason: "for bytes of any kind, such as programs; no threshold on shared text follows from it",
        instead: Some("chars"),
        papers: &[
            "Kornblum, Identifying almost identical files using context triggered piecewise hashing, \
             Digital Investigation 2006",
        ],
    },
    LeftOutMethod {
        name: "tlsh",
        what: "digests of files by counts of short byte sequences; Nilsimsa is of that kind, too",
        reason: "as ssdeep: made for malware and spam, and a distance that says nothing of shared text",
        instead: Some("chars"),
        papers: &[
            "Oliver, Cheng, Chen, TLSH: a locality sensitive hash, CTC 2013",
            "Damiani, De Capitani di Vimercati, Paraboschi, Samarati, An open digest-based technique \
             for spam detection, PDCS 2004",
        ],
    },
];
