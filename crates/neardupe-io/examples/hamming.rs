//! Seconds for codes, and for all pairs of codes at most 3 bits apart; checked by brute force.
//!
//! `cargo run --release -p neardupe-io --example hamming -- INPUT|random:N [ROUNDS]`
//!
//! INPUT is a collection: its codes are those of `find --method simhash`. `random:N` makes N
//! codes, a tenth of them a few bits away from another. `RAYON_NUM_THREADS` says with how many
//! threads codes are joined, and made. One line of JSON tells what was measured;
//! `bench/signatures.py` reads it.
#![allow(clippy::unwrap_used, reason = "a program for measurements")]
#![allow(clippy::print_stdout, reason = "a program for measurements")]

use neardupe_core::candidate::hamming::pairs_within;
use neardupe_core::document::{BadRecord, Record, Silent, Sink, Source};
use neardupe_core::error::Result;
use neardupe_core::feature::FeatureKind;
use neardupe_core::hash::mix;
use neardupe_core::pipeline::codes::{CodePlan, DfSource, Reading};
use neardupe_core::signature::{Coder, Idf, Variant};
use neardupe_core::store::{Budget, WorkDir};
use neardupe_core::text::WordOptions;
use neardupe_io::source::{FileSource, ReadOptions, discover};
use std::sync::{Arc, Mutex};
use std::time::Instant;

const DISTANCE: u32 = 3;
/// Codes that are compared with all others.
const SAMPLE: usize = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, rest @ ..] = &arguments[..] else {
        println!("say what to read: hamming INPUT|random:N [ROUNDS]");
        return;
    };
    let rounds: u32 = rest.first().map_or(1, |rounds| rounds.parse().unwrap());
    let start = Instant::now();
    let mut codes = match input.strip_prefix("random:") {
        Some(number) => random_codes(number.parse().unwrap()),
        None => codes_of(input),
    };
    let code_seconds = start.elapsed().as_secs_f64();
    let documents = codes.len();
    // Equal codes are grouped before a join; documents come in no order of their codes.
    codes.sort_unstable();
    codes.dedup();
    codes.sort_unstable_by_key(|&code| mix(code));

    let mut join_seconds = f64::MAX;
    let mut pairs = Vec::new();
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        pairs = joined(&codes);
        join_seconds = join_seconds.min(start.elapsed().as_secs_f64());
    }
    check(&codes, pairs.clone());
    let told = serde_json::json!({
        "documents": documents,
        "codes": codes.len(),
        "code_seconds": code_seconds,
        "join_seconds": join_seconds,
        "pairs": pairs.len(),
        "checked_codes": SAMPLE.min(codes.len()),
    });
    println!("{told}");
}

fn joined(codes: &[u64]) -> Vec<(u32, u32)> {
    let pairs = Mutex::new(Vec::new());
    pairs_within(codes, DISTANCE, |left, right| {
        pairs.lock().unwrap().push((left, right));
    });
    pairs.into_inner().unwrap()
}

/// Some codes are compared with all: exactly the pairs with them must have been found.
fn check(codes: &[u64], mut pairs: Vec<(u32, u32)>) {
    pairs.sort_unstable();
    let number = pairs.len();
    pairs.dedup();
    assert_eq!(pairs.len(), number, "a pair is told of once");
    let step = codes.len().div_ceil(SAMPLE).max(1);
    // Half of the sample has a pair, as far as there are any.
    let with_pair = pairs.iter().step_by(number.div_ceil(SAMPLE / 2).max(1));
    let sample = (0..codes.len()).step_by(step * 2);
    let sample = sample.chain(with_pair.map(|pair| pair.0 as usize));
    for at in sample {
        let asked = u32::try_from(at).unwrap();
        let near = codes.iter().zip(0u32..).filter(|&(code, other)| {
            other != asked && (code ^ codes[at]).count_ones() <= DISTANCE
        });
        let expected = near.map(|(_, other)| (asked.min(other), asked.max(other)));
        let mut expected: Vec<(u32, u32)> = expected.collect();
        expected.sort_unstable();
        let of_it = pairs
            .iter()
            .filter(|pair| pair.0 == asked || pair.1 == asked);
        let found: Vec<(u32, u32)> = of_it.copied().collect();
        assert_eq!(found, expected, "the pairs of code {at}");
    }
}

fn random_codes(number: u64) -> Vec<u64> {
    let code = |at: u64| match at % 10 {
        // One to four bits away from the one before: some near, some not.
        9 => (0..=mix(at) % 4).fold(mix(at - 1), |code, bit| {
            code ^ (1 << (mix(at ^ bit << 40) % 64))
        }),
        _ => mix(at),
    };
    (1..=number).map(code).collect()
}

fn codes_of(input: &str) -> Vec<u64> {
    let files = discover(&[input.to_owned()], None).unwrap().files;
    let options = ReadOptions::default().for_files(&files);
    let source = FileSource::new(files, options);
    let threads = std::env::var("RAYON_NUM_THREADS").ok();
    let threads = threads.map_or(1, |threads| threads.parse::<usize>().unwrap().max(1));
    let folder = tempfile::tempdir().unwrap();
    let plan = CodePlan {
        features: FeatureKind::Mixed(3, 5),
        words: WordOptions::default(),
        seed: 0,
        variant: Variant::default(),
        idf: Idf::None,
        df: DfSource::Collection,
        reserve: None,
        fields: Vec::new(),
        num_features: 0,
    };
    let spec = plan.specify(Reading {
        source: &source,
        threads,
        budget: &Budget::new(1 << 30, threads),
        work: &WorkDir::new(folder.path().join("work")),
        progress: &Silent,
    });
    let spec = Arc::new(spec.unwrap());
    let sink = || Codes {
        coder: Coder::new(Arc::clone(&spec)).unwrap(),
        codes: Vec::new(),
    };
    let mut sinks: Vec<Codes> = (0..threads).map(|_| sink()).collect();
    for part in 0..source.num_parts().unwrap() {
        let each = sinks.iter_mut().map(|sink| sink as &mut dyn Sink);
        source.read_part(part, each.collect(), &Silent).unwrap();
    }
    sinks.into_iter().flat_map(|sink| sink.codes).collect()
}

struct Codes {
    coder: Coder,
    codes: Vec<u64>,
}

impl Sink for Codes {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.codes.extend(self.coder.code(record));
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        panic!("{bad:?}");
    }
}
