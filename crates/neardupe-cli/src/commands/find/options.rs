//! What can be typed after `find`, or written in a file.

use super::effect::Effects;
use crate::options::{given, one_or_many, text_or_number};
use anyhow::Result;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What was typed after `find`.
#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// Files, folders or globs to read; - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,

    /// Read options from a TOML file; its keys are the names of the flags
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Go on with a job that was interrupted; done stages are not repeated
    #[arg(long)]
    pub(crate) resume: bool,

    /// Print no progress and no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) options: FindOptions,
}

impl FindArgs {
    pub(crate) fn quiet(&self) -> bool {
        self.quiet
    }

    pub(crate) fn json(&self) -> bool {
        self.json
    }
}

/// Options that a file can set too.
#[derive(Debug, Default, Clone, Args, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct FindOptions {
    /// Options of a published system: waterloo, ye, mapdupreducer, mit, broder97, fetterly03,
    /// shivakumar98, heintze96; what else is typed wins
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,

    /// Smallest similarity that counts, above 0 and up to 1 [default: 0.8]
    #[arg(long, short, value_name = "T", allow_negative_numbers = true)]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) threshold: Option<String>,

    /// How similarity is measured: resemblance (Jaccard), s3 (Dice), or containment: the share
    /// of the smaller document that the larger one has; only the smaller is removed [default:
    /// resemblance]
    #[arg(long, value_name = "KIND")]
    pub(crate) similarity: Option<String>,

    /// Features that two documents must have in common whatever their share; equal texts are
    /// duplicates however few they have [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) min_overlap: Option<String>,

    /// words:N, words:N+M (both lengths), chars:N, lines:N, terms or spotsigs [default: words:5; words:3+5 with
    /// --method simhash]
    #[arg(long, value_name = "KIND")]
    pub(crate) features: Option<String>,

    /// How features become numbers: multilinear (of the hashes of words), or the hash of their text: xxh3,
    /// rabin64, md5; slower, to do as others did [default: multilinear]
    #[arg(long, value_name = "HASH")]
    pub(crate) hash: Option<String>,

    /// Which document of a cluster is kept: longest, shortest, shortest:FIELD, newest:FIELD,
    /// oldest:FIELD, highest:FIELD, lowest:FIELD, prefer:FIELD=VALUE, first [default: longest]
    #[arg(long, value_name = "RULE")]
    pub(crate) keep: Option<String>,

    /// How documents are put together: star, components, neighbors, none [default: star]
    #[arg(long, value_name = "MODE")]
    pub(crate) cluster: Option<String>,

    /// Which pairs are written: evidence, all, none [default: evidence; all with --cluster
    /// neighbors or none]
    #[arg(long, value_name = "WHICH")]
    pub(crate) pairs: Option<String>,

    /// Compare only some features: mod:N or mod:N,R (one in N), winnow:N (one of each N neighbours),
    /// smallest:N (N of each document; similarity is estimated), adaptive:precision=P (the fewest of long
    /// documents that keep this precision, by a study of the input before), adaptive:FILE (by its
    /// plan), commonality:N (those of more than N documents count for no overlap);
    /// several can be given [default: none]
    #[arg(long, value_name = "RULE")]
    #[serde(deserialize_with = "one_or_many")]
    pub(crate) sample: Vec<String>,

    /// With --sample commonality:N: count and compare equal documents like any others. Otherwise
    /// they are similar however few of their features are left
    #[arg(long)]
    pub(crate) keep_exact: bool,

    /// Compare only documents with the same value in this field
    #[arg(long, value_name = "FIELD")]
    pub(crate) block_by: Option<String>,

    /// exact; or pairs whose signatures agree are compared, the others are not: minhash (in a
    /// band), simhash (in all but a few bits), imatch or imatch:LOW-HIGH,K,P (in a key of all terms
    /// that are neither common nor rare). What is found is verified [default: exact]
    #[arg(long, value_name = "METHOD", help_heading = "Approximate methods")]
    pub(crate) method: Option<String>,

    /// Probability with which a pair exactly at the threshold is found [default: 0.99]
    #[arg(long, value_name = "P", help_heading = "Approximate methods")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) recall: Option<String>,

    /// BxR: B bands of R values, of which one must agree; or a published setting: fineweb, nemo,
    /// slimpajama, lee, supershingles [default: by --threshold and --recall]
    #[arg(long, value_name = "BANDS", help_heading = "Approximate methods")]
    pub(crate) bands: Option<String>,

    /// Most values of a signature when bands are chosen [default: 256]
    #[arg(long, value_name = "N", help_heading = "Approximate methods")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) num_perm: Option<String>,

    /// With simhash: bits in which two codes may differ, 0 to 32 [default: 3]
    #[arg(long, value_name = "K", help_heading = "Approximate methods")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) distance: Option<String>,

    /// With simhash: near codes are enough; similarity is the share of bits that agree. With imatch: a
    /// key in common is enough
    #[arg(long, help_heading = "Approximate methods")]
    pub(crate) no_verify: bool,

    /// With simhash: how features are chosen and weighed, one or several with commas: original, metadata,
    /// metadata:SHARE, metadata:flip, numeric:FIELD[:LOW..HIGH], no-numbers, low-threshold, high-threshold,
    /// threshold:SHARE, position, function, function:inverse, function:inverse-log, tagged,
    /// tagged:FACTOR, middle, middle:LOW-HIGH, top:N, top:N%, damped, template, template:FACTOR; auto:
    /// metadata with --meta-key, else original [default: original]
    #[arg(long, value_name = "LIST", help_heading = "Approximate methods")]
    pub(crate) variant: Option<String>,

    /// With simhash: what a feature weighs beside its occurrences: log (ln N/df), inverse (1/df), none
    /// [default: log for terms or with --df-table, else none]
    #[arg(long, value_name = "KIND", help_heading = "Approximate methods")]
    pub(crate) idf: Option<String>,

    /// With simhash and imatch: how many documents have each feature: collection (read once more), english, or
    /// a file of `df-table build` [default: collection]
    #[arg(long, value_name = "TABLE", help_heading = "Approximate methods")]
    pub(crate) df_table: Option<String>,

    /// With simhash: FIELD or FIELD:BITS; leading bits of a code stand for the value of a field and
    /// must agree [default bits: 8]
    #[arg(long, value_name = "FIELD", help_heading = "Approximate methods")]
    pub(crate) reserve: Option<String>,

    /// Compare only pairs that share keys of I-Match (imatch or imatch:LOW-HIGH,K,P), after the other
    /// filters: faster, and not exact any more
    #[arg(long, value_name = "IMATCH", help_heading = "Approximate methods")]
    pub(crate) signature_filter: Option<String>,

    /// With --signature-filter: keys in which two documents may differ [default: all but one]
    #[arg(long, value_name = "N", help_heading = "Approximate methods")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) signature_distance: Option<String>,

    /// Old documents (file, folder or glob) that the input is compared with: they are never removed,
    /// and not compared with each other
    #[arg(long, value_name = "OLD", help_heading = "New against old")]
    #[serde(deserialize_with = "one_or_many")]
    pub(crate) against: Vec<String>,

    /// Compare the documents of the input with each other too
    #[arg(long, help_heading = "New against old")]
    pub(crate) within: bool,

    /// With --similarity containment: a document that contains an old one is removed too, and not
    /// only one that is contained in it
    #[arg(long, help_heading = "New against old")]
    pub(crate) remove_containing: bool,

    /// How words are made: simple (ideographs, kana and Thai letters are one word each),
    /// segmented (scripts without spaces are cut by dictionaries) or spaces (what stands between
    /// spaces, as "don't") [default: simple; segmented with --features terms or spotsigs,
    /// --stop-words or --stem]
    #[arg(long, value_name = "RULE", help_heading = "Text")]
    pub(crate) words: Option<String>,

    /// Words left out: none, auto (those of each document's language), a language such as en
    /// or English, or a file with one word a line [default: none]
    #[arg(long, value_name = "WHICH", help_heading = "Text")]
    pub(crate) stop_words: Option<String>,

    /// Words cut to their stems, after stop words: none, auto (by each document's language), a
    /// language such as en or English [default: none]
    #[arg(long, value_name = "WHICH", help_heading = "Text")]
    pub(crate) stem: Option<String>,

    /// With --features spotsigs, the words at which signatures are taken: published, the N most
    /// frequent words of the input (which is read once more), or a file with one word a line and
    /// if need be the distance and the length of its chain [default: published, 24 English words]
    #[arg(long, value_name = "WHICH", help_heading = "Text")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) antecedents: Option<String>,

    /// Field of the id in JSON records; dotted for nested fields [default: id]
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    pub(crate) id_key: Option<String>,

    /// Field of the text in JSON records; several are joined [default: text]
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    #[serde(deserialize_with = "one_or_many")]
    pub(crate) text_key: Vec<String>,

    /// Field carried along as metadata, for --keep and in duplicates
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    #[serde(deserialize_with = "one_or_many")]
    pub(crate) meta_key: Vec<String>,

    /// auto, jsonl, csv, tsv, parquet, text, html, warc, arc, trec, reuters, nitf, pubmed
    /// [default: auto, by content and name]
    #[arg(long, value_name = "FORMAT", help_heading = "Input")]
    pub(crate) input_format: Option<String>,

    /// Longest record; longer ones are bad records [default: 128M]
    #[arg(long, value_name = "SIZE", help_heading = "Input")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) max_record_bytes: Option<String>,

    /// Most unpacked bytes for a byte of a compressed file [default: 500]
    #[arg(long, value_name = "N", help_heading = "Input")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) max_expansion: Option<String>,

    /// Stop at the first bad record
    #[arg(long, help_heading = "Input")]
    pub(crate) strict: bool,

    /// End with code 0 when at most this many records were bad [default: 0]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Input",
        allow_negative_numbers = true
    )]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) allow_bad_records: Option<String>,

    /// Which texts are HTML and lose their tags: format (HTML files, WARC, ARC, TREC pages; JSON,
    /// CSV, Parquet and text files are compared as given), auto (also texts that begin like HTML),
    /// plain (none), html (all) [default: format]
    #[arg(long, value_name = "TYPE", help_heading = "Text")]
    pub(crate) text_type: Option<String>,

    /// What of a page is its text: full, main (the article without what stands around it)
    /// [default: full]
    #[arg(long, value_name = "PART", help_heading = "Text")]
    pub(crate) content: Option<String>,

    /// Character set of all bytes [default: auto, by mark, header, declaration, content]
    #[arg(long, value_name = "NAME", help_heading = "Text")]
    pub(crate) charset: Option<String>,

    /// Deepest nesting of a page of which the main content is sought [default: 512]
    #[arg(long, value_name = "N", help_heading = "Text")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) max_html_depth: Option<String>,

    /// Most elements of a page of which the main content is sought [default: 1000000]
    #[arg(long, value_name = "N", help_heading = "Text")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) max_html_nodes: Option<String>,

    /// Output folder; replaced only if it is a result of neardupe [default: neardupe-out; dedup
    /// must be told]
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// jsonl, tsv, parquet or xml [default: jsonl]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) output_format: Option<String>,

    /// Also write texts.jsonl: the text of each document, its regions and links
    #[arg(long, help_heading = "Output")]
    pub(crate) write_text: bool,

    /// Put no text of documents into report.html, the summary and what is printed
    #[arg(long, help_heading = "Output", conflicts_with = "write_text")]
    pub(crate) no_text: bool,

    /// Number of threads [default: all cores]; the result does not depend on it
    #[arg(
        long,
        value_name = "N",
        help_heading = "Work",
        allow_negative_numbers = true
    )]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) threads: Option<String>,

    /// Most memory to use, as 512M or 4G, at least 256M [default: half of what is free]; what does
    /// not fit goes to the work directory. The result does not depend on it
    #[arg(long, value_name = "SIZE", help_heading = "Work")]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) memory: Option<String>,

    /// Where goes what does not fit in memory [default: beside the output]
    #[arg(long, value_name = "DIR", help_heading = "Work")]
    pub(crate) work_dir: Option<PathBuf>,

    /// Put everything into the work directory, so that the job can be resumed even if it fits
    /// in memory
    #[arg(long, help_heading = "Work")]
    pub(crate) checkpoint: bool,

    /// Keep the work directory with all features when the job is done, for `similar`; with
    /// --checkpoint
    #[arg(long, help_heading = "Work")]
    pub(crate) keep_work: bool,

    /// Seed of the feature hash [default: 0]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Work",
        allow_negative_numbers = true
    )]
    #[serde(deserialize_with = "text_or_number")]
    pub(crate) seed: Option<String>,

    /// Switch a filter of the join off: length, prefix, position, bitmap, which costs time and changes
    /// no result; or signature
    #[arg(long, value_name = "NAME", help_heading = "Work")]
    #[serde(deserialize_with = "one_or_many")]
    pub(crate) no_filter: Vec<String>,

    /// Also join the same features with each filter on and off, by plain counting and each with each,
    /// and tell what each looks at and takes; a large collection is sampled for that
    #[arg(long, help_heading = "Work")]
    pub(crate) compare_filters: bool,

    /// Filled while documents are read.
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) effects: Effects,
}

impl FindOptions {
    /// The names of the options that were typed or read from a file.
    pub(crate) fn given(&self) -> Result<Vec<String>> {
        given(self)
    }

    /// What was typed, and where nothing was, what the file says.
    pub(crate) fn or(self, file: FindOptions) -> FindOptions {
        let list = |typed: Vec<String>, file: Vec<String>| {
            if typed.is_empty() { file } else { typed }
        };
        FindOptions {
            preset: self.preset.or(file.preset),
            threshold: self.threshold.or(file.threshold),
            similarity: self.similarity.or(file.similarity),
            min_overlap: self.min_overlap.or(file.min_overlap),
            sample: list(self.sample, file.sample),
            keep_exact: self.keep_exact || file.keep_exact,
            block_by: self.block_by.or(file.block_by),
            method: self.method.or(file.method),
            recall: self.recall.or(file.recall),
            bands: self.bands.or(file.bands),
            num_perm: self.num_perm.or(file.num_perm),
            distance: self.distance.or(file.distance),
            no_verify: self.no_verify || file.no_verify,
            variant: self.variant.or(file.variant),
            idf: self.idf.or(file.idf),
            df_table: self.df_table.or(file.df_table),
            reserve: self.reserve.or(file.reserve),
            signature_filter: self.signature_filter.or(file.signature_filter),
            signature_distance: self.signature_distance.or(file.signature_distance),
            against: list(self.against, file.against),
            within: self.within || file.within,
            remove_containing: self.remove_containing || file.remove_containing,
            features: self.features.or(file.features),
            hash: self.hash.or(file.hash),
            keep: self.keep.or(file.keep),
            cluster: self.cluster.or(file.cluster),
            pairs: self.pairs.or(file.pairs),
            words: self.words.or(file.words),
            stop_words: self.stop_words.or(file.stop_words),
            stem: self.stem.or(file.stem),
            antecedents: self.antecedents.or(file.antecedents),
            id_key: self.id_key.or(file.id_key),
            text_key: list(self.text_key, file.text_key),
            meta_key: list(self.meta_key, file.meta_key),
            input_format: self.input_format.or(file.input_format),
            max_record_bytes: self.max_record_bytes.or(file.max_record_bytes),
            max_expansion: self.max_expansion.or(file.max_expansion),
            strict: self.strict || file.strict,
            allow_bad_records: self.allow_bad_records.or(file.allow_bad_records),
            output: self.output.or(file.output),
            output_format: self.output_format.or(file.output_format),
            write_text: self.write_text || file.write_text,
            no_text: self.no_text || file.no_text,
            text_type: self.text_type.or(file.text_type),
            content: self.content.or(file.content),
            charset: self.charset.or(file.charset),
            max_html_depth: self.max_html_depth.or(file.max_html_depth),
            max_html_nodes: self.max_html_nodes.or(file.max_html_nodes),
            threads: self.threads.or(file.threads),
            memory: self.memory.or(file.memory),
            work_dir: self.work_dir.or(file.work_dir),
            checkpoint: self.checkpoint || file.checkpoint,
            keep_work: self.keep_work || file.keep_work,
            seed: self.seed.or(file.seed),
            no_filter: list(self.no_filter, file.no_filter),
            compare_filters: self.compare_filters || file.compare_filters,
            effects: self.effects,
        }
    }
}
