//! What each filter of the join is worth: the performance view of MapDupReducer (C. Wang and others,
//! SIGMOD 2010, section 3.4) over any collections, as tables.
//!
//! `cargo run --release -p neardupe-io --example mapdupreducer -- [NAME=INPUT[,TEXT-KEY]] ...`
//!
//! A synthetic collection comes first. Documents are compared as the paper has it: words without
//! stop words, stemmed, each with the number of its occurrence.
#![allow(clippy::unwrap_used, reason = "a program for measurements")]
#![allow(clippy::print_stdout, reason = "a program for measurements")]

use neardupe_core::document::Silent;
use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::codes::{DfSource, LexiconPlan, Reading};
use neardupe_core::pipeline::compare_filters::{ComparedSample, FilterRow};
use neardupe_core::pipeline::{CompareFilters, FilterComparison, FindConfig, find};
use neardupe_core::store::WorkDir;
use neardupe_core::synth::{Buffer, Collection, SynthConfig};
use neardupe_core::text::{StopWords, WordOptions};
use neardupe_io::source::{
    FieldKeys, FileSource, ReadOptions, TextOptions, TextType, discover,
};
use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Documents of the synthetic collection.
const DOCUMENTS: u64 = 20_000;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("synthetic.jsonl");
    synthesize(&made);
    let mut collections = vec![(
        format!("Synthetic: `neardupe synth --documents {DOCUMENTS}`"),
        made.to_string_lossy().into_owned(),
        "text".to_owned(),
    )];
    for argument in std::env::args().skip(1) {
        let (name, input) = argument.split_once('=').unwrap_or((&argument, &argument));
        let (input, key) = input.split_once(',').unwrap_or((input, "text"));
        collections.push((name.to_owned(), input.to_owned(), key.to_owned()));
    }
    for (name, input, text_key) in collections {
        println!("### {name}\n");
        let comparison = compare(&input, &text_key, folder.path());
        for sample in &comparison.samples {
            print_table(sample);
        }
        assert!(comparison.agrees(), "filters that lose pairs");
    }
}

/// Writes the synthetic collection.
fn synthesize(path: &Path) {
    let collection = Collection::new(SynthConfig {
        documents: DOCUMENTS,
        ..SynthConfig::default()
    });
    let (mut buffer, mut lines) = (Buffer::default(), Vec::new());
    for document in 0..DOCUMENTS {
        collection.document(document, &mut buffer);
        lines.extend_from_slice(buffer.line());
        lines.push(b'\n');
    }
    fs::write(path, lines).unwrap();
}

fn clock() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

fn compare(input: &str, text_key: &str, folder: &Path) -> FilterComparison {
    let read = ReadOptions {
        keys: FieldKeys {
            text: vec![text_key.to_owned()],
            ..FieldKeys::default()
        },
        // Pages lose their markup, also where they are fields of JSON.
        text: TextOptions {
            text_type: TextType::Auto,
            ..TextOptions::default()
        },
        ..ReadOptions::default()
    };
    let files = discover(&[input.to_owned()], None).unwrap().files;
    let source = FileSource::new(files.clone(), read.for_files(&files));
    let mut config = FindConfig::new(folder.join("work"));
    config.features = FeatureKind::Terms;
    config.words = WordOptions {
        stop_words: StopWords::named("auto").unwrap(),
        stem: "auto".parse().unwrap(),
        ..WordOptions::default()
    };
    let plan = LexiconPlan {
        settings: "imatch".parse().unwrap(),
        words: config.words.clone(),
        seed: config.seed,
        df: DfSource::Collection,
    };
    let lexicons = plan.specify(Reading {
        source: &source,
        threads: config.threads,
        budget: &config.budget,
        work: &WorkDir::new(folder.join("counts")),
        progress: &Silent,
    });
    config.lexicons = Some(Arc::new(lexicons.unwrap()));
    config.compare_filters = Some(CompareFilters {
        signature: Some(1),
        ..CompareFilters::new(clock)
    });
    find(&source, &config, &Silent).unwrap().filters.unwrap()
}

fn print_table(sample: &ComparedSample) {
    let which = match sample.one_in {
        1 => "All of the collection".to_owned(),
        one_in => format!("A sample, one set in {one_in}"),
    };
    println!(
        "{which}: {} sets, {} features.\n",
        sample.sets, sample.features
    );
    println!(
        "| setting | postings | candidates | verified | found | lost | s | of all on |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let whole = sample.rows.first().map_or(0.0, FilterRow::seconds);
    for row in &sample.rows {
        println!(
            "| {} | {} | {} | {} | {} | {} | {:.3} | {:.1} x |",
            row.setting,
            row.ledger.postings,
            row.ledger.candidates,
            row.ledger.verified,
            row.ledger.found,
            row.lost,
            row.seconds(),
            row.seconds() / whole.max(1e-9)
        );
    }
    println!();
}
