//! `neardupe find`: near-duplicates of a collection.

use crate::options::{self, size_bytes, text_or_number, whole_number};
use crate::terminal::{Stages, bytes, grouped};
use crate::{exit, memory};
use anyhow::Result;
use clap::Args;
use neardupe_core::candidate::filter::{Filter, Filters};
use neardupe_core::cluster::Keep;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_core::feature::{FeatureKind, FeatureSpec};
use neardupe_core::pipeline::{ClusterMode, FindConfig, FindResult, PairsMode, find};
use neardupe_core::threshold::Threshold;
use neardupe_io::output::{
    OutputFormat, ResultFolder, Summary, TopCluster, write_tables,
};
use neardupe_io::source::{FieldKeys, FileSource, InputFormat, ReadOptions, discover};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `find`.
#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// Files, folders or globs to read; - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// Read options from a TOML file; its keys are the names of the flags
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print no progress and no summary
    #[arg(long, short)]
    quiet: bool,

    /// Print the summary as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    options: FindOptions,
}

/// Options that a file can set too.
#[derive(Debug, Default, Clone, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct FindOptions {
    /// Smallest resemblance that counts, above 0 and up to 1 [default: 0.8]
    #[arg(long, short, value_name = "T", allow_negative_numbers = true)]
    #[serde(deserialize_with = "text_or_number")]
    threshold: Option<String>,

    /// words:N, chars:N or terms [default: words:5]
    #[arg(long, value_name = "KIND")]
    features: Option<String>,

    /// Which document of a cluster is kept: longest, shortest, shortest:FIELD, newest:FIELD,
    /// highest:FIELD, prefer:FIELD=VALUE, first [default: longest]
    #[arg(long, value_name = "RULE")]
    keep: Option<String>,

    /// How documents are put together: star, components, neighbors, none [default: star]
    #[arg(long, value_name = "MODE")]
    cluster: Option<String>,

    /// Which pairs are written: evidence, all, none [default: evidence; all with --cluster
    /// neighbors or none]
    #[arg(long, value_name = "WHICH")]
    pairs: Option<String>,

    /// Field of the id in JSON records; dotted for nested fields [default: id]
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    id_key: Option<String>,

    /// Field of the text in JSON records; several are joined [default: text]
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    text_key: Vec<String>,

    /// Field carried along as metadata, for --keep and in duplicates
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    meta_key: Vec<String>,

    /// auto, jsonl or text [default: auto]
    #[arg(long, value_name = "FORMAT", help_heading = "Input")]
    input_format: Option<String>,

    /// Longest record; longer ones are bad records [default: 128M]
    #[arg(long, value_name = "SIZE", help_heading = "Input")]
    #[serde(deserialize_with = "text_or_number")]
    max_record_bytes: Option<String>,

    /// Stop at the first bad record
    #[arg(long, help_heading = "Input")]
    strict: bool,

    /// End with code 0 when at most this many records were bad [default: 0]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Input",
        allow_negative_numbers = true
    )]
    #[serde(deserialize_with = "text_or_number")]
    allow_bad_records: Option<String>,

    /// Output folder; replaced only if it is a result of neardupe [default: neardupe-out]
    #[arg(long, short, value_name = "DIR", help_heading = "Output")]
    output: Option<PathBuf>,

    /// jsonl or tsv [default: jsonl]
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    output_format: Option<String>,

    /// Number of threads [default: all cores]; the result does not depend on it
    #[arg(
        long,
        value_name = "N",
        help_heading = "Work",
        allow_negative_numbers = true
    )]
    #[serde(deserialize_with = "text_or_number")]
    threads: Option<String>,

    /// Seed of the feature hash [default: 0]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Work",
        allow_negative_numbers = true
    )]
    #[serde(deserialize_with = "text_or_number")]
    seed: Option<String>,

    /// Switch a filter of the join off: length, prefix, position, bitmap; costs time, changes
    /// no result
    #[arg(long, value_name = "NAME", help_heading = "Work")]
    no_filter: Vec<String>,
}

impl FindOptions {
    /// What was typed, and where nothing was, what the file says.
    fn or(self, file: FindOptions) -> FindOptions {
        let list = |typed: Vec<String>, file: Vec<String>| {
            if typed.is_empty() { file } else { typed }
        };
        FindOptions {
            threshold: self.threshold.or(file.threshold),
            features: self.features.or(file.features),
            keep: self.keep.or(file.keep),
            cluster: self.cluster.or(file.cluster),
            pairs: self.pairs.or(file.pairs),
            id_key: self.id_key.or(file.id_key),
            text_key: list(self.text_key, file.text_key),
            meta_key: list(self.meta_key, file.meta_key),
            input_format: self.input_format.or(file.input_format),
            max_record_bytes: self.max_record_bytes.or(file.max_record_bytes),
            strict: self.strict || file.strict,
            allow_bad_records: self.allow_bad_records.or(file.allow_bad_records),
            output: self.output.or(file.output),
            output_format: self.output_format.or(file.output_format),
            threads: self.threads.or(file.threads),
            seed: self.seed.or(file.seed),
            no_filter: list(self.no_filter, file.no_filter),
        }
    }
}

/// The job as it will be done.
struct Job {
    config: FindConfig,
    read: ReadOptions,
    /// How many of the metadata fields were asked for; `--keep` may add one.
    num_metadata: usize,
    output: PathBuf,
    format: OutputFormat,
    allow_bad_records: u64,
    options: BTreeMap<String, serde_json::Value>,
}

/// Runs the command.
pub(crate) fn run(args: &FindArgs) -> Result<ExitCode> {
    let options = match &args.config {
        Some(path) => args.options.clone().or(options::from_file(path)?),
        None => args.options.clone(),
    };
    let job = Job::resolve(args, &options)?;
    // Before hours of work, not after.
    ResultFolder::check(&job.output)?;
    let discovered = discover(&args.inputs)?;
    let skipped_files = discovered.skipped.len() as u64;
    let stages = Stages::new(args.quiet);
    let source = FileSource::new(discovered.files, job.read.clone());
    let result = find(&source, &job.config, &stages)?;
    stages.begin("write", 0);
    let folder = ResultFolder::create(&job.output)?;
    let metadata = &job.config.metadata[..job.num_metadata];
    write_tables(folder.path(), &result, job.format, metadata)?;
    let summary = summarize(&job, &result, skipped_files, stages.finish());
    let text = serde_json::to_string_pretty(&summary)? + "\n";
    folder.finish(&text)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        out.write_all(text.as_bytes())?;
    } else if !args.quiet {
        show(&mut out, &job, &summary)?;
    }
    let bad = summary.counts.bad_records;
    Ok(ExitCode::from(if bad > job.allow_bad_records {
        exit::LEFT_OUT
    } else {
        0
    }))
}

impl Job {
    fn resolve(args: &FindArgs, options: &FindOptions) -> Result<Job> {
        let text = |value: &Option<String>, default: &str| {
            value.clone().unwrap_or_else(|| default.to_owned())
        };
        let threshold: Threshold = text(&options.threshold, "0.8").parse()?;
        let features: FeatureKind = text(&options.features, "words:5").parse()?;
        let keep: Keep = text(&options.keep, "longest").parse()?;
        let cluster: ClusterMode = text(&options.cluster, "star").parse()?;
        let pairs = resolve_pairs(options.pairs.as_deref(), cluster)?;
        let mut filters = Filters::default();
        for name in &options.no_filter {
            filters = filters.without(name.parse::<Filter>()?);
        }
        let threads = match &options.threads {
            None => std::thread::available_parallelism().map_or(1, usize::from),
            Some(typed) => usize::try_from(whole_number("--threads", typed, 1..=1024)?)?,
        };
        let format: OutputFormat = text(&options.output_format, "jsonl").parse()?;
        let input_format = match options.input_format.as_deref() {
            None | Some("auto") => None,
            Some(name) => Some(name.parse::<InputFormat>()?),
        };
        let max_record_bytes = match &options.max_record_bytes {
            None => ReadOptions::default().max_record_bytes,
            Some(size) => size_bytes("--max-record-bytes", size)?,
        };
        let output = options
            .output
            .clone()
            .unwrap_or_else(|| PathBuf::from("neardupe-out"));
        let mut metadata = options.meta_key.clone();
        let num_metadata = metadata.len();
        if let Some(field) = keep.field()
            && !metadata.iter().any(|name| name == field)
        {
            metadata.push(field.to_owned());
        }
        let mut keys = FieldKeys {
            metadata: metadata.clone(),
            ..FieldKeys::default()
        };
        keys.id = options.id_key.clone().unwrap_or(keys.id);
        if !options.text_key.is_empty() {
            keys.text = options.text_key.clone();
        }
        let number = |flag: &str, typed: &Option<String>| match typed {
            None => Ok(0),
            Some(typed) => whole_number(flag, typed, 0..=u64::MAX),
        };
        let allow_bad_records =
            number("--allow-bad-records", &options.allow_bad_records)?;
        let seed = number("--seed", &options.seed)?;
        let shown = BTreeMap::from([
            ("inputs".to_owned(), json!(args.inputs)),
            ("threshold".to_owned(), json!(threshold.to_string())),
            ("features".to_owned(), json!(features.to_string())),
            ("keep".to_owned(), json!(keep.to_string())),
            ("cluster".to_owned(), json!(cluster.to_string())),
            ("pairs".to_owned(), json!(pairs.to_string())),
            ("id-key".to_owned(), json!(keys.id)),
            ("text-key".to_owned(), json!(keys.text)),
            ("meta-key".to_owned(), json!(options.meta_key)),
            (
                "input-format".to_owned(),
                json!(text(&options.input_format, "auto")),
            ),
            ("max-record-bytes".to_owned(), json!(max_record_bytes)),
            ("strict".to_owned(), json!(options.strict)),
            ("allow-bad-records".to_owned(), json!(allow_bad_records)),
            ("output".to_owned(), json!(output)),
            ("output-format".to_owned(), json!(format.name())),
            ("threads".to_owned(), json!(threads)),
            ("seed".to_owned(), json!(seed)),
            ("no-filter".to_owned(), json!(options.no_filter)),
        ]);
        Ok(Job {
            config: FindConfig {
                threshold,
                features,
                seed,
                keep,
                cluster,
                pairs,
                filters,
                strict: options.strict,
                threads,
                metadata,
                ..FindConfig::new(work_dir(&output))
            },
            read: ReadOptions {
                keys,
                format: input_format,
                max_record_bytes,
            },
            num_metadata,
            output,
            format,
            allow_bad_records,
            options: shown,
        })
    }
}

fn resolve_pairs(typed: Option<&str>, cluster: ClusterMode) -> Result<PairsMode> {
    let evident = matches!(cluster, ClusterMode::Star | ClusterMode::Components);
    let Some(typed) = typed else {
        return Ok(if evident {
            PairsMode::Evidence
        } else {
            PairsMode::All
        });
    };
    let pairs: PairsMode = typed.parse()?;
    if pairs == PairsMode::Evidence && cluster == ClusterMode::None {
        let message = "evidence needs clusters; with --cluster none choose all or none";
        return Err(Error::config("--pairs", message).into());
    }
    Ok(pairs)
}

/// Next to the output, so that it is on a disk meant for results.
fn work_dir(output: &Path) -> PathBuf {
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    output.with_file_name(format!(".{name}.work-{}", std::process::id()))
}

fn summarize(
    job: &Job,
    result: &FindResult,
    skipped_files: u64,
    seconds: BTreeMap<&'static str, f64>,
) -> Summary {
    Summary {
        program: "neardupe",
        version: env!("CARGO_PKG_VERSION"),
        command: "find",
        options: job.options.clone(),
        feature_specification: FeatureSpec::new(job.config.features, job.config.seed),
        exact: true,
        counts: result.totals,
        bad_records_by_kind: Summary::count_kinds(result),
        skipped_files,
        ledger: result.ledger,
        largest_clusters: TopCluster::largest(result, 3),
        seconds,
        peak_memory_bytes: memory::peak_bytes(),
        spilled_segments: result.spilled_segments,
    }
}

/// Prints the summary for people.
fn show(out: &mut impl Write, job: &Job, summary: &Summary) -> std::io::Result<()> {
    let counts = &summary.counts;
    let total = summary.seconds.get("total").copied().unwrap_or(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "shown"
    )]
    #[expect(clippy::cast_precision_loss, reason = "shown")]
    let rate = (counts.bytes as f64 / total.max(1e-9)) as u64;
    writeln!(
        out,
        "{} documents ({}) in {total:.2} s, {}/s, {} memory",
        grouped(counts.documents),
        bytes(counts.bytes),
        bytes(rate),
        bytes(summary.peak_memory_bytes)
    )?;
    writeln!(
        out,
        "resemblance >= {} of {}, exact; {} clusters, keeping {}\n",
        job.config.threshold, job.config.features, job.config.cluster, job.config.keep
    )?;
    let near = counts
        .duplicates
        .saturating_sub(counts.equal_text + counts.equal_features);
    let mut line = |name: &str, number: u64, what: &str| {
        let line = format!("  {name:<16} {:>12}  {what}", grouped(number));
        writeln!(out, "{}", line.trim_end())
    };
    line("documents", counts.documents, "")?;
    if counts.empty > 0 {
        line(
            "empty",
            counts.empty,
            "have no word and are never duplicates",
        )?;
    }
    line(
        "equal text",
        counts.equal_text,
        "have the text of another document",
    )?;
    if counts.equal_features > 0 {
        line(
            "equal features",
            counts.equal_features,
            "differ only in what is no word",
        )?;
    }
    match job.config.cluster {
        ClusterMode::Star | ClusterMode::Components => {
            line("near-duplicate", near, "resemble the document that is kept")?;
            line("clusters", counts.clusters, "of two or more documents")?;
            line(
                "kept",
                counts.documents - counts.duplicates,
                "documents, one of each cluster",
            )?;
        }
        ClusterMode::Neighbors => {
            line(
                "clusters",
                counts.clusters,
                "one for each document with a similar one",
            )?;
        }
        ClusterMode::None => {}
    }
    line("pairs", counts.pairs, "written")?;
    if counts.bad_records > 0 {
        line(
            "bad records",
            counts.bad_records,
            "left out; see bad-records.jsonl",
        )?;
    }
    if summary.skipped_files > 0 {
        line(
            "skipped files",
            summary.skipped_files,
            "in folders, of no known format",
        )?;
    }
    show_clusters(out, summary)?;
    show_ledger(out, summary)?;
    writeln!(out, "\nwritten to {}", job.output.display())
}

fn show_clusters(out: &mut impl Write, summary: &Summary) -> std::io::Result<()> {
    if summary.largest_clusters.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nlargest clusters")?;
    for cluster in &summary.largest_clusters {
        let mut size = format!("{} x", grouped(cluster.size));
        for member in &cluster.shown {
            writeln!(out, "  {size:>9}  {}: {}", member.id, member.preview)?;
            size.clear();
        }
        if cluster.size > cluster.shown.len() as u64 {
            writeln!(out, "  {:>9}  ...", "")?;
        }
    }
    Ok(())
}

fn show_ledger(out: &mut impl Write, summary: &Summary) -> std::io::Result<()> {
    let ledger = &summary.ledger;
    let steps = [
        (ledger.lookups, "lookups"),
        (ledger.postings, "postings"),
        (ledger.after_length, "by length"),
        (ledger.after_position, "by position"),
        (ledger.candidates, "candidates"),
        (ledger.verified, "by bitmap, verified"),
        (ledger.found, "similar"),
    ];
    let steps: Vec<String> = steps
        .iter()
        .map(|(number, what)| format!("{} {what}", grouped(*number)))
        .collect();
    writeln!(
        out,
        "\njoin: {} sets, {} without a partner by rare features; {}",
        grouped(ledger.sets),
        grouped(ledger.without_partner),
        steps.join(" > ")
    )
}
