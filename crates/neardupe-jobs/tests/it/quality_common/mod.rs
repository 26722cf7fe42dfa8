//! What the quality gates have in common: finding collections, running jobs on them, reading
//! their answers.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs")]

use neardupe_core::document::{BadRecord, Silent};
use neardupe_core::pair::Pair;
use neardupe_core::pipeline::{ClusterMode, FindConfig, FindResult, PairsMode, find};
use neardupe_core::threshold::Threshold;
use neardupe_io::source::{FileSource, ReadOptions, TextType, discover};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Runs a job that is otherwise as by default. All records of the file or folder must be
/// good.
pub fn run(
    input: &Path,
    threshold: &str,
    cluster: ClusterMode,
    pairs: PairsMode,
) -> FindResult {
    run_on("text", input, threshold, cluster, pairs)
}

/// As [`run`], on a text of another name.
pub fn run_on(
    text_key: &str,
    input: &Path,
    threshold: &str,
    cluster: ClusterMode,
    pairs: PairsMode,
) -> FindResult {
    let mut config = FindConfig::new(PathBuf::new());
    config.threshold = threshold.parse().unwrap();
    config.cluster = cluster;
    config.pairs = pairs;
    run_with(text_key, &[], input, config)
}

/// Runs any job; documents carry these metadata fields.
pub fn run_with(
    text_key: &str,
    metadata: &[&str],
    input: &Path,
    mut config: FindConfig,
) -> FindResult {
    let argument = input.to_str().unwrap().to_owned();
    let files = discover(&[argument], None).unwrap().files;
    let mut options = ReadOptions::default();
    // Some collections hold pages in fields of JSON.
    options.text.text_type = TextType::Auto;
    options.keys.text = vec![text_key.to_owned()];
    options.keys.metadata = metadata.iter().map(|&field| field.to_owned()).collect();
    config.metadata = options.keys.metadata.clone();
    let source = FileSource::new(files, options);
    let work_dir = tempfile::tempdir().unwrap();
    config.work_dir = work_dir.path().join("work");
    let result = find(&source, &config, &Silent).unwrap();
    let see = |bad: &BadRecord| panic!("{}: {bad:?}", input.display());
    result.documents.for_each_bad_record(see).unwrap();
    result
}

/// Sizes of two feature sets and of what they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub overlap: u32,
    pub left_size: u32,
    pub right_size: u32,
}

impl Counts {
    pub fn union(self) -> u64 {
        u64::from(self.left_size) + u64::from(self.right_size) - u64::from(self.overlap)
    }

    /// By the definition, not by the bounds that the program works with.
    pub fn reach(self, threshold: &str) -> bool {
        let (numerator, denominator) =
            threshold.parse::<Threshold>().unwrap().ratio().parts();
        u64::from(self.overlap) * denominator >= numerator * self.union()
    }
}

/// Pairs by their ids, the smaller one first.
pub type Pairs = BTreeMap<(String, String), Counts>;

pub fn ordered(one: &str, other: &str) -> (String, String) {
    (one.min(other).to_owned(), one.max(other).to_owned())
}

pub fn found_pairs(result: &FindResult) -> Pairs {
    let mut rows = Vec::new();
    let id = |document| result.documents.id(document).unwrap().into_owned();
    let row = |pair: &Pair| {
        let (overlap, left_size, right_size) =
            (pair.overlap, pair.left_size, pair.right_size);
        let counts = Counts {
            overlap,
            left_size,
            right_size,
        };
        rows.push(((id(pair.left), id(pair.right)), counts));
        Ok(())
    };
    result.for_each_pair(row).unwrap();
    let pairs: Pairs = rows.iter().cloned().collect();
    let by_id = pairs.iter().map(|(ids, &counts)| (ids.clone(), counts));
    assert!(
        rows.into_iter().eq(by_id),
        "pairs are not in the order of their ids, or one comes twice"
    );
    pairs
}

/// The first columns of a tab-separated file with a header; there is at least one row.
pub fn read_table<const N: usize>(path: &Path, columns: [&str; N]) -> Vec<[String; N]> {
    let text = std::fs::read_to_string(path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut rows = text.lines().map(|line| {
        let cells: Vec<String> = line.split('\t').take(N).map(str::to_owned).collect();
        <[String; N]>::try_from(cells).unwrap_or_else(|cells| {
            panic!("{}: too few columns: {cells:?}", path.display())
        })
    });
    assert_eq!(rows.next().unwrap(), columns, "{}", path.display());
    let rows: Vec<[String; N]> = rows.collect();
    assert!(!rows.is_empty(), "{} has no rows", path.display());
    rows
}

pub fn repository() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_path_buf()
}

/// A collection that is not part of the repository. When it is absent: None, and a line
/// on standard error about what is skipped.
pub fn data_folder(name: &str, what: &str) -> Option<PathBuf> {
    let data = std::env::var_os("NEARDUPE_DATA").unwrap_or("../shared/data".into());
    let folder = repository().join(data).join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    let message = format!(
        "skipped: {name}: {what} not compared, as there is no folder {}; \
         NEARDUPE_DATA can name the folder that holds {name}\n",
        folder.display()
    );
    // Not eprintln: the test harness hides what it prints in tests that pass.
    std::io::stderr().write_all(message.as_bytes()).unwrap();
    None
}

pub fn is_set(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| value == "1")
}
