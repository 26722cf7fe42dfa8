//! `neardupe features`: the features of each document, as they are compared.

use super::find::{ReadingArgs, open_and_warn, print_warnings};
use crate::terminal::Stages;
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::{BadRecord, Record, Silent, Sink, Source};
use neardupe_core::error::{Error, Result as CoreResult};
use neardupe_core::feature::{Extractor, FeatureKind, FeatureSpec, labelled};
use neardupe_core::frequency::{DfTable, FeatureSpecText};
use neardupe_core::signature::{CodeSpec, Coder, Idf, Variant};
use neardupe_core::text::WordOptions;
use neardupe_io::source::discover;
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// What was typed after `features`.
#[derive(Debug, Args)]
#[command(after_help = "docs/features.md defines every feature and the hash behind it.")]
pub(crate) struct FeaturesArgs {
    /// Files, folders or globs to read, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// Print the text of each feature beside its value
    #[arg(long)]
    texts: bool,

    /// How many bad records are no reason for exit code 3 [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    allow_bad_records: Option<String>,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Runs the command.
pub(crate) fn run(args: &FeaturesArgs) -> Result<ExitCode> {
    let allowed = args.allow_bad_records.as_deref();
    let mut job = args
        .reading
        .counting_job(&args.inputs, "words:5", None, allowed)?;
    let files = discover(&args.inputs, job.read.format)?.files;
    let source = open_and_warn(&mut job, files, &Silent)?;
    let stages = Stages::new(true).stopped_by(interrupt::install()?);
    if job.counts_antecedents() {
        job.count_antecedents(&source, &stages)?;
    }
    let (kind, words, seed) = (
        job.config.features,
        job.config.words.clone(),
        job.config.seed,
    );
    let mut printer = Printer {
        out: BufWriter::new(std::io::stdout()),
        extractor: Extractor::new(kind, &words, seed),
        coder: coder(kind, &words, seed)?,
        kind,
        words,
        seed,
        texts: args.texts,
        num_documents: 0,
        num_bad: 0,
        bad: Vec::new(),
    };
    for part in 0..source.num_parts()? {
        source.read_part(part, vec![&mut printer], &stages)?;
    }
    printer.out.flush().map_err(to_stdout)?;
    drop(stages);
    let (num_bad, names) = (printer.num_bad, source.file_names());
    let mut warnings: Vec<String> =
        printer.bad.iter().map(|bad| told(bad, &names)).collect();
    let more = num_bad - printer.bad.len() as u64;
    if more > 0 {
        warnings.push(format!("{more} more records are bad"));
    }
    warnings.extend(args.reading.idle(&job));
    print_warnings(&warnings)?;
    if printer.num_documents == 0 {
        let message = match num_bad {
            0 => "there is no document in it".to_owned(),
            _ => format!("there is no document in it, and {num_bad} bad records"),
        };
        return Err(Error::input("the input", message).into());
    }
    Ok(match num_bad > job.allow_bad_records {
        true => ExitCode::from(exit::LEFT_OUT),
        false => ExitCode::SUCCESS,
    })
}

/// Bad records that are told one by one.
const MOST_BAD: usize = 10;

fn told(bad: &BadRecord, names: &[String]) -> String {
    let name = names.get(bad.position.file as usize);
    format!(
        "{}, at byte {}: {} ({})",
        name.map_or("the input", String::as_str),
        bad.offset,
        bad.detail,
        bad.kind.name()
    )
}

/// Makes simhashes in which every occurrence weighs the same; none for features that are not weighed.
fn coder(kind: FeatureKind, words: &WordOptions, seed: u64) -> CoreResult<Option<Coder>> {
    if !matches!(
        kind,
        FeatureKind::Words(_) | FeatureKind::Mixed(..) | FeatureKind::Terms
    ) {
        return Ok(None);
    }
    let specification = FeatureSpecText::from(&FeatureSpec::new(kind, words, seed));
    let no_table = DfTable::from_counts(specification, 0, 1, std::iter::empty());
    let spec = CodeSpec {
        features: kind,
        words: words.clone(),
        seed,
        variant: Variant::default(),
        idf: Idf::None,
        reserve: None,
        fields: Vec::new(),
        num_features: 0,
        df: Arc::new(no_table),
        of_hosts: None,
        anchors: None,
    };
    Coder::new(Arc::new(spec)).map(Some)
}

/// Prints a line for each document.
struct Printer<Out> {
    out: Out,
    extractor: Extractor,
    coder: Option<Coder>,
    kind: FeatureKind,
    words: WordOptions,
    seed: u64,
    texts: bool,
    num_documents: u64,
    num_bad: u64,
    /// The first bad records.
    bad: Vec<BadRecord>,
}

impl<Out: Write + Send> Sink for Printer<Out> {
    fn document(&mut self, record: &Record<'_>) -> CoreResult<()> {
        self.num_documents += 1;
        let mut features = Vec::new();
        let num_words = self.extractor.extract_document(record.text, &mut features);
        features.sort_unstable();
        let mut line = json!({
            "id": record.id,
            "words": num_words,
            "size": features.len(),
        });
        if let Some(coder) = &mut self.coder {
            line["code"] = json!(coder.code(record).map(hex));
        }
        line["features"] = match self.texts {
            false => features.iter().map(|&one| json!(hex(one))).collect(),
            true => {
                let texts = labelled(record.text, self.kind, &self.words, self.seed);
                let text = |value: u64| {
                    let of_value = texts.iter().find(|(feature, _)| *feature == value);
                    of_value.map_or(record.text, |(_, text)| text.as_str())
                };
                let rows = features.iter();
                rows.map(|&one| json!({ "value": hex(one), "text": text(one) }))
                    .collect::<Vec<Value>>()
                    .into()
            }
        };
        writeln!(self.out, "{line}").map_err(to_stdout)
    }

    fn bad_record(&mut self, bad: BadRecord) -> CoreResult<()> {
        self.num_bad += 1;
        if self.bad.len() < MOST_BAD {
            self.bad.push(bad);
        }
        Ok(())
    }
}

fn to_stdout(error: std::io::Error) -> Error {
    Error::io(Path::new("standard output"), error)
}

fn hex(value: u64) -> String {
    format!("{value:016x}")
}
