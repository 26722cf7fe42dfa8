//! The groups of parameters. The doc comment of a field is its help: what it means, its values, its
//! default. The default itself is filled in where a job is validated (`kind/find/validate.rs`), and must be
//! the one that the help names.

use super::choice::{MethodChoice, SampleRule};
use crate::param::{Fraction, OrAuto, OrNone, Size, Within};
use neardupe_core::candidate::filter::Filter;
use neardupe_core::cluster::Keep;
use neardupe_core::feature::FeatureKind;
use neardupe_core::hash::FeatureHash;
use neardupe_core::pipeline::{ClusterMode, PairsMode};
use neardupe_core::signature::{Bands, IMatchSettings, Idf};
use neardupe_core::similarity::Similarity;
use neardupe_core::text::{Stem, WordRule};
use neardupe_core::threshold::Threshold;
use neardupe_io::output::OutputFormat;
use neardupe_io::source::{InputFormat, TextType};
use std::path::PathBuf;

crate::params! {
    /// What is read.
    pub struct InputSpec {
        /// Files, folders or globs to read; - for standard input
        inputs: Vec<String> => value("INPUT").positional().required();
    }
}

crate::params! {
    /// How records become documents.
    pub struct RecordSpec {
        /// Field of the id in JSON records; dotted for nested fields [default: id]
        id_key: String => value("KEY").heading("Input");
        /// Field of the text in JSON records; several are joined [default: text]
        text_key: Vec<String> => value("KEY").heading("Input");
        /// {values} [default: auto, by content and name]
        input_format: OrAuto<InputFormat> => value("FORMAT").heading("Input");
        /// Longest record; longer ones are bad records [default: 128M]
        max_record_bytes: Size => value("SIZE").heading("Input");
        /// Most unpacked bytes per byte of a compressed file [default: 500]
        max_expansion: Within<1, { u64::MAX }> => value("N").heading("Input");
        /// Read nothing through symbolic links below a folder or in a glob; each is reported
        no_follow: bool => switch().reversible().heading("Input");
    }
}

crate::params! {
    /// Fields besides the text.
    pub struct MetadataSpec {
        /// Metadata field to read, for `keep` and for the list of duplicates
        meta_key: Vec<String> => value("KEY").heading("Input");
    }
}

crate::params! {
    /// What is done about bad records.
    pub struct ToleranceSpec {
        /// Stop at the first bad record
        strict: bool => switch().heading("Input");
        /// End with code 0 when at most this many records were bad [default: 0]
        allow_bad_records: Within<0, { u64::MAX }> => value("N").heading("Input").free();
    }
}

crate::params! {
    /// How texts are made.
    pub struct TextSpec {
        /// Which texts are HTML and lose their tags: format (HTML files, WARC, ARC, TREC pages; JSON,
        /// CSV, Parquet and text files are compared as given), auto (also texts that begin like HTML),
        /// plain (none), html (all) [default: format]
        text_type: TextType => value("TYPE").heading("Text");
        /// Which text of a page to take: full, or main (the article without menus and footers)
        /// [default: full]
        content: String => value("PART").heading("Text");
        /// Character set of all bytes [default: auto, by mark, header, declaration, content]
        charset: String => value("NAME").heading("Text");
        /// With `content main`: deepest nesting of a page; deeper pages keep their full text [default: 512]
        max_html_depth: Within<1, { u32::MAX as u64 }> => value("N").heading("Text");
        /// With `content main`: most elements of a page; larger pages keep their full text [default: 1000000]
        max_html_nodes: Within<1, { u64::MAX }> => value("N").heading("Text");
    }
}

crate::params! {
    /// What of a text is compared.
    pub struct FeaturesSpec {
        /// {values} [default: words:5; words:3+5 with `method simhash`]
        features: FeatureKind => value("KIND");
        /// How features become numbers: multilinear (of the hashes of words), or the hash of their
        /// text: xxh3, rabin64, md5; slower, to reproduce other systems [default: multilinear]
        hash: FeatureHash => value("HASH");
    }
}

crate::params! {
    /// What is a word, and which count.
    pub struct WordsSpec {
        /// How words are made: simple (ideographs, kana and Thai letters are one word each), segmented
        /// (scripts without spaces are cut by dictionaries) or spaces (words end only at spaces, so
        /// "don't" is one) [default: simple; segmented with `features terms` or `features spotsigs`,
        /// `stop-words` or `stem`]
        words: WordRule => value("RULE").heading("Text");
        /// Words left out: none, auto (those of each document's language), a language such as en
        /// or English, or a file with one word per line [default: none]
        stop_words: String => value("WHICH").heading("Text");
        /// Words cut to their stems, after stop words: none, auto (by each document's language), a
        /// language such as en or English [default: none]
        stem: Stem => value("WHICH").heading("Text");
        /// With `features spotsigs`, the words at which signatures are taken: published, the N most
        /// frequent words of the input (which is read once more), or a file with one word per line,
        /// which may be followed by the distance and the length of its chain [default: published, 24
        /// English words]
        antecedents: String => value("WHICH").heading("Text");
    }
}

crate::params! {
    /// The seed.
    pub struct SeedSpec {
        /// Seed of the feature hash [default: 0]
        seed: Within<0, { u64::MAX }> => value("N").heading("Work");
    }
}

crate::params! {
    /// Which features are compared.
    pub struct SamplingSpec {
        /// Compare only some features: mod:N or mod:N,R (one in N), winnow:N (one of each N
        /// neighbours), smallest:N (N of each document; similarity is estimated), adaptive:precision=P
        /// (sample long documents as sparsely as precision P allows; studies the input first),
        /// adaptive:FILE (by its plan), commonality:N (ignore features found in more than N documents
        /// when counting overlap); several can be given [default: none]
        sample: Vec<SampleRule> => value("RULE");
        /// With `sample commonality:N`: count and compare equal documents like any others. Otherwise
        /// they are similar however few of their features are left
        keep_exact: bool => switch();
    }
}

crate::params! {
    /// Which pairs are similar enough.
    pub struct SimilaritySpec {
        /// Smallest similarity that counts, above 0 and up to 1 [default: 0.8]
        threshold: Threshold => value("T").short('t');
        /// How similarity is measured: resemblance (Jaccard), s3 (Dice), or containment: the share
        /// of the smaller document that the larger one has; only the smaller is removed [default:
        /// resemblance]
        similarity: Similarity => value("KIND");
        /// Features that two documents must have in common whatever their share; equal texts are
        /// duplicates however few they have [default: 1]
        min_overlap: Within<1, { u32::MAX as u64 }> => value("N");
    }
}

crate::params! {
    /// Which pairs are compared, and how they are found.
    pub struct MethodSpec {
        /// exact; or compare only pairs whose signatures agree: {values}. Pairs that are found are verified
        /// [default: exact]
        method: MethodChoice => value("METHOD").heading("Approximate methods");
        /// Probability with which a pair exactly at the threshold is found [default: 0.99]
        recall: Fraction => value("P").heading("Approximate methods");
        /// BxR: B bands of R values; one band must agree; or a published setting: fineweb, nemo,
        /// slimpajama, lee, supershingles [default: by `threshold` and `recall`]
        bands: Bands => value("BANDS").heading("Approximate methods");
        /// Most values of a signature when bands are chosen [default: 256]
        num_perm: Within<1, { neardupe_core::signature::bands::MAX_VALUES as u64 }>
            => value("N").heading("Approximate methods");
        /// With simhash: bits in which two codes may differ, 0 to 32 [default: 3]
        distance: Within<0, 32> => value("K").heading("Approximate methods");
        /// With simhash: near codes are enough; similarity is the share of bits that agree. With imatch: a
        /// key in common is enough
        no_verify: bool => switch().reversible().heading("Approximate methods");
        /// With simhash: how features are chosen and weighed, one or several with commas: original,
        /// metadata, metadata:SHARE, metadata:flip, numeric:FIELD[:LOW..HIGH], no-numbers,
        /// low-threshold, high-threshold, threshold:SHARE, position, function, function:inverse,
        /// function:inverse-log, tagged, tagged:FACTOR, middle, middle:LOW-HIGH, top:N, top:N%, damped,
        /// template, template:FACTOR; auto: metadata with `meta-key`, else original [default: original]
        variant: String => value("LIST").heading("Approximate methods");
        /// With simhash: what a feature weighs beside its occurrences: log (ln N/df), inverse (1/df), none
        /// [default: log for terms or with `df-table`, else none]
        idf: Idf => value("KIND").heading("Approximate methods");
        /// With methods that weigh features: how many documents have each: collection (read once more),
        /// english, or a file of neardupe df-table build [default: collection]
        df_table: String => value("TABLE").heading("Approximate methods");
        /// With simhash: FIELD or FIELD:BITS; leading bits of a code stand for the value of a field and
        /// must agree [default bits: 8]
        reserve: String => value("FIELD").heading("Approximate methods");
        /// Compare only pairs that share keys of I-Match (imatch or imatch:LOW-HIGH,K,P), after the other
        /// filters: faster, but no longer exact
        signature_filter: OrNone<IMatchSettings> => value("IMATCH").heading("Approximate methods");
        /// With `signature-filter`: keys in which two documents may differ [default: all but one]
        signature_distance: Within<0, { u32::MAX as u64 }> => value("N").heading("Approximate methods");
        /// Switch off a filter of the join: length, prefix, position or bitmap, which costs time and changes
        /// no result; or signature
        no_filter: Vec<Filter> => value("NAME").heading("Work");
        /// Benchmark the join: run it with each filter off, by counting and by brute force, and print work
        /// and time (on a sample if the collection is large)
        compare_filters: bool => switch().heading("Work");
    }
}

crate::params! {
    /// How similar documents are put together, and which of them are kept.
    pub struct ClusterSpec {
        /// Which document of a cluster is kept: longest, shortest, shortest:FIELD, newest:FIELD,
        /// oldest:FIELD, highest:FIELD, lowest:FIELD, prefer:FIELD=VALUE, first [default: longest]
        keep: Keep => value("RULE");
        /// How documents are put together: star, components, neighbors, none [default: star]
        cluster: ClusterMode => value("MODE");
        /// Which pairs are written: evidence, all, none [default: evidence; all with
        /// `cluster neighbors` or `cluster none`]
        pairs: PairsMode => value("WHICH");
        /// Compare only documents with the same value in this field
        block_by: String => value("FIELD");
    }
}

crate::params! {
    /// Old documents, with which new ones are compared.
    pub struct ReferenceSpec {
        /// Old documents (file, folder or glob) that the input is compared with: they are never removed,
        /// and not compared with each other
        against: Vec<String> => value("OLD").heading("New against old");
        /// Compare the documents of the input with each other too
        within: bool => switch().heading("New against old");
    }
}

crate::params! {
    /// What is written.
    pub struct OutputSpec {
        /// Output folder; replaced only if it is a result of neardupe [default: neardupe-out;
        /// required for dedup]
        output: PathBuf => value("DIR").short('o').heading("Output").free();
        /// jsonl, tsv, parquet or xml [default: jsonl]
        output_format: OutputFormat => value("FORMAT").heading("Output").free();
        /// Also write texts.jsonl: the text of each document, its regions and links
        write_text: bool => switch().heading("Output");
        /// Put no text of documents into report.html, the summary and what is printed
        no_text: bool => switch().heading("Output").free();
    }
}

crate::params! {
    /// What a job may use.
    pub struct LimitsSpec {
        /// Number of threads [default: all cores]; the result does not depend on it
        threads: Within<1, 1024> => value("N").heading("Work").free();
    }
}

crate::params! {
    /// Memory, and the directory for data that does not fit in it.
    pub struct WorkSpec {
        /// Most memory to use, such as 512M or 4G, at least 256M [default: half of the free memory];
        /// data that does not fit is written to the work directory. Records too long for it are bad
        /// records; else the result does not depend on it
        memory: Size => value("SIZE").heading("Work").free();
        /// Directory for temporary files [default: beside the output]
        work_dir: PathBuf => value("DIR").heading("Work").free();
    }
}

crate::params! {
    /// What is kept while a job is at work.
    pub struct CheckpointSpec {
        /// Put everything into the work directory, so that the job can be resumed even if it fits
        /// in memory
        checkpoint: bool => switch().heading("Work").free();
    }
}

crate::params! {
    /// What is kept for a later job.
    pub struct RestartSpec {
        [ checkpoint: CheckpointSpec ]
        /// Keep the work directory with all features when the job is done, for `similar`; with
        /// `checkpoint`
        keep_work: bool => switch().heading("Work");
    }
}

crate::params! {
    /// Which stretches of two texts make a passage.
    pub struct PassageRuleSpec {
        /// Fewest words of a passage, on either side [default: 20]
        min_words: Within<1, { u32::MAX as u64 }> => value("N").heading("Passages");
        /// Most words that are skipped at a time within a passage [default: 30]
        max_gap: Within<0, { u32::MAX as u64 }> => value("N").heading("Passages");
        /// Most words by which one side of a passage may get ahead of the other [default: 60]
        max_drift: Within<0, { u32::MAX as u64 }> => value("N").heading("Passages");
        /// Smallest resemblance of the words of both sides [default: 0.4]; of two sentences that match
        /// with `signature` [default: 0.9]
        tau: Threshold => value("T").heading("Passages");
        /// Sentences and runs of words in more documents than this are ignored, and listed in
        /// boilerplate.jsonl [default: 100]
        max_documents: OrNone<Within<2, { u32::MAX as u64 }>> => value("N").heading("Passages");
        /// File of known templates, which are ignored: one text per line, or a boilerplate.jsonl
        ignore: Vec<PathBuf> => value("FILE").heading("Passages");
    }
}

crate::params! {
    /// How documents are read and made into features.
    pub struct ReadingSpec {
        [
            features: FeaturesSpec,
            words: WordsSpec,
            text: TextSpec,
            record: RecordSpec,
            seed: SeedSpec,
            limits: LimitsSpec,
        ]
    }
}
