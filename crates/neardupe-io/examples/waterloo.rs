//! What sampling does to the near-duplicates of a collection: the tables 3.1 and 3.3 of
//! H. Khoshdel Nikkhoo (University of Waterloo, 2010) over any collection.
//!
//! `cargo run --release -p neardupe-io --example waterloo -- INPUT [TEXT-KEY]`
//!
//! A cell is the share of documents that have a near-duplicate: another document with at
//! least this resemblance of shingles of 64 characters. Once all shingles are compared, then
//! those whose hash is divisible by 2, 4 ... 512, then all but those of more than 100, 90 ...
//! 10 documents, where documents of equal text are counted and compared like any others.
#![allow(clippy::unwrap_used, reason = "a program for measurements")]
#![allow(clippy::print_stdout, reason = "a program for measurements")]

use neardupe_core::document::Silent;
use neardupe_core::feature::Sampling;
use neardupe_core::pipeline::{ClusterMode, FindConfig, PairsMode, find};
use neardupe_io::source::{
    FieldKeys, FileSource, ReadOptions, TextOptions, TextType, discover,
};

/// Resemblances from 0.9 down to 0.1, in tenths.
const TENTHS: [u64; 9] = [9, 8, 7, 6, 5, 4, 3, 2, 1];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, rest @ ..] = &arguments[..] else {
        println!("say what to read: waterloo INPUT [TEXT-KEY]");
        return;
    };
    let text_key = rest.first().map_or("text", String::as_str);
    let all = shares(input, text_key, Sampling::default());

    let mut columns = vec![("100 %".to_owned(), all.clone())];
    for power in 1..=9 {
        let divisor = 1u64 << power;
        let sampling = format!("mod:{divisor}").parse().unwrap();
        let share = 100.0 / f64::from(1u32 << power);
        let name = match power {
            1..=2 => format!("{share:.0} %"),
            _ => format!("{share:.2} %"),
        };
        columns.push((name, shares(input, text_key, sampling)));
    }
    println!("Shingles kept by their hash\n");
    print_table("resemblance", &columns);

    let mut columns = vec![("no limit".to_owned(), all)];
    for most in (1..=10).rev().map(|tens| tens * 10) {
        let sampling = format!("commonality:{most}").parse().unwrap();
        columns.push((most.to_string(), shares(input, text_key, sampling)));
    }
    for pair in columns.windows(2) {
        let fewer = pair[0].1.iter().zip(&pair[1].1);
        assert!(
            fewer.into_iter().all(|(before, after)| after <= before),
            "a lower limit cannot make documents more similar"
        );
    }
    println!("\nShingles left out when more documents than this have them\n");
    print_table("resemblance", &columns);
}

/// Of how many in a hundred documents the nearest one has at least each resemblance.
fn shares(input: &str, text_key: &str, sampling: Sampling) -> Vec<f64> {
    let folder = tempfile::tempdir().unwrap();
    let mut config = FindConfig::new(folder.path().join("work"));
    config.features = "chars:64".parse().unwrap();
    config.threshold = "0.1".parse().unwrap();
    config.cluster = ClusterMode::None;
    config.pairs = PairsMode::All;
    config.keep_exact = sampling.commonality.is_some();
    config.sampling = sampling;
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
    let result = find(&source, &config, &Silent).unwrap();
    // Largest number of tenths that the resemblance with another document reaches.
    let mut nearest = vec![0u64; result.documents.len() as usize];
    result
        .for_each_pair(|pair| {
            let tenths = u64::from(pair.overlap) * 10 / pair.union();
            for document in [pair.left, pair.right] {
                let nearest = &mut nearest[document.index()];
                *nearest = tenths.max(*nearest);
            }
            Ok(())
        })
        .unwrap();
    let share = |&tenths: &u64| {
        let reached = nearest.iter().filter(|&&nearest| nearest >= tenths);
        #[expect(clippy::cast_precision_loss, reason = "shown with two decimals")]
        let share = reached.count() as f64 * 100.0 / nearest.len().max(1) as f64;
        share
    };
    TENTHS.iter().map(share).collect()
}

fn print_table(first: &str, columns: &[(String, Vec<f64>)]) {
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    println!("| {first} | {} |", names.join(" | "));
    println!("|--:{}|", "|--:".repeat(names.len()));
    for (row, tenths) in TENTHS.iter().enumerate() {
        let cells: Vec<String> = columns
            .iter()
            .map(|(_, shares)| format!("{:.2}", shares[row]))
            .collect();
        println!("| >= 0.{tenths} | {} |", cells.join(" | "));
    }
}
