//! A job that is stopped anywhere and resumed gives what an undisturbed one gives, whatever the
//! budget, and damaged work is refused by name.

use crate::common::{
    Answer, TestDocument, TestSource, WORDLESS, answer, config, in_memory, tiny_budget,
};
use neardupe_core::document::{Progress, Silent, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::codes::{CodePlan, DfSource, LexiconPlan, Reading};
use neardupe_core::pipeline::{
    Against, ClusterMode, CompareFilters, FindConfig, FindResult, Hamming, Method,
    PairsMode, find_in,
};
use neardupe_core::signature::{CodeSpec, Lexicons};
use neardupe_core::store::own_files::OWN_FILES;
use neardupe_core::store::{Budget, JobIdentity, WorkDir};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Stops a job after it has asked this often whether to stop.
pub(crate) struct StopAfter(pub(crate) AtomicU64);

impl Progress for StopAfter {
    fn begin(&self, _stage: &'static str, _total: u64) {}
    fn advance(&self, _amount: u64) {}
    fn is_cancelled(&self) -> bool {
        let left = |left: u64| left.checked_sub(1);
        let order = Ordering::Relaxed;
        self.0.fetch_update(order, order, left).is_err()
    }
}

/// Notes the stages that a job begins, and never stops it.
#[derive(Default)]
struct Stages(Mutex<Vec<&'static str>>);

impl Progress for Stages {
    fn begin(&self, stage: &'static str, _total: u64) {
        self.0.lock().unwrap().push(stage);
    }
    fn advance(&self, _amount: u64) {}
    fn is_cancelled(&self) -> bool {
        false
    }
}

pub(crate) fn never() -> StopAfter {
    StopAfter(AtomicU64::new(u64::MAX))
}

pub(crate) fn documents() -> Vec<TestDocument> {
    let document = |number: u32| {
        let base = number % 23 * 7;
        let mut words: Vec<u32> = (base..base + 30).collect();
        words[(number % 29) as usize] = 1000 + number;
        if number.is_multiple_of(5) {
            words[3] = 5000 + number % 11;
        }
        if number.is_multiple_of(7) {
            words.rotate_left(2);
        }
        if number.is_multiple_of(31) {
            words = vec![WORDLESS + number % 3];
        }
        TestDocument {
            id: format!("d{}", number * 7919 % 10007),
            words,
            value: Some((2000 + number % 9).to_string()),
            old: number < 100,
        }
    };
    (0..300).map(document).collect()
}

/// Of some documents two copies more.
fn with_copies() -> Vec<TestDocument> {
    let mut documents = documents();
    for number in 0..120 {
        let original = &documents[number / 2];
        let copy = TestDocument {
            id: format!("copy-{number}"),
            old: false,
            ..original.clone()
        };
        documents.push(copy);
    }
    documents
}

pub(crate) fn job() -> JobIdentity {
    JobIdentity {
        origins: Some(Vec::new()),
        ..JobIdentity::default()
    }
}

pub(crate) fn go_on(
    source: &dyn Source,
    config: &FindConfig,
    path: &Path,
    progress: &dyn Progress,
) -> Result<(FindResult, WorkDir)> {
    let work = match WorkDir::resume(path.to_path_buf(), &job(), &never())? {
        Some(work) => work,
        None => WorkDir::begin(path.to_path_buf(), job())?.0,
    };
    let result = find_in(source, config, &work, progress)?;
    Ok((result, work))
}

pub(crate) fn straight(source: &dyn Source, config: &FindConfig) -> Answer {
    let mut config = config.clone();
    config.budget = FindConfig::new("unused".into()).budget;
    let work = WorkDir::new("unused".into());
    let result = find_in(source, &config, &work, &never()).unwrap();
    assert!(!result.spilled);
    answer(&result)
}

/// With this sample equal documents are compared like any others: some stay similar.
const KEPT_EXACT: &str = "commonality:70";

#[test]
fn stopped_anywhere_and_resumed() {
    let source = in_memory(&documents(), 5);
    let copied = in_memory(&with_copies(), 5);
    let against = Against {
        within: true,
        remove_containing: false,
    };
    let jobs = [
        (ClusterMode::Star, "longest", "resemblance", "none", None),
        (ClusterMode::Star, "shortest", "resemblance", "none", None),
        (ClusterMode::Components, "highest:value", "s3", "none", None),
        (
            ClusterMode::Star,
            "newest:value",
            "resemblance",
            "none",
            None,
        ),
        (ClusterMode::Star, "prefer:value=2007", "s3", "none", None),
        (
            ClusterMode::Star,
            "longest",
            "containment",
            "commonality:40",
            None,
        ),
        (
            ClusterMode::Star,
            "longest",
            "resemblance",
            KEPT_EXACT,
            None,
        ),
        (
            ClusterMode::Star,
            "first",
            "resemblance",
            "none",
            Some(against),
        ),
    ];
    for (mode, keep, similarity, sample, against) in jobs {
        let source = match sample {
            KEPT_EXACT => &copied,
            _ => &source,
        };
        let mut config = config("0.6");
        config.cluster = mode;
        config.keep = keep.parse().unwrap();
        config.similarity = similarity.parse().unwrap();
        config.sampling = sample.parse().unwrap();
        config.keep_exact = sample == KEPT_EXACT;
        config.block_by = (keep == "first").then(|| "value".to_owned());
        config.against = against;
        if keep == "shortest" {
            config.method = Method::MinHash("20x3".parse().unwrap());
        }
        if keep == "newest:value" {
            let (distance, verified) = (24, true);
            config.method = Method::Simhash(Hamming { distance, verified });
            config.codes = Some(codes(source, &config));
        }
        if keep == "prefer:value=2007" {
            config.method = Method::IMatch;
            config.lexicons = Some(lexicons(source, &config));
        }
        config.pairs = PairsMode::All;
        config.batch_len = 16;
        config.budget = tiny_budget();
        config.budget.checkpoint = true;
        let expected = straight(source, &config);
        assert!(
            expected.duplicates.len() > 20,
            "{}",
            expected.duplicates.len()
        );
        let (mut finished, mut stops) = (0, 0);
        for first_stop in 0..6 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("work");
            let mut patience = first_stop * 21;
            loop {
                let progress = StopAfter(AtomicU64::new(patience));
                // Another budget and number of threads at each start.
                config.threads = 1 + stops % 3;
                config.budget.index = 2000 + 1500 * (stops as u64 % 4);
                match go_on(source, &config, &path, &progress) {
                    Ok((result, work)) => {
                        assert!(result.spilled);
                        assert_eq!(answer(&result), expected);
                        let is_exact = config.method == Method::Exact;
                        assert_eq!(result.recall.is_none(), is_exact);
                        work.finish().unwrap();
                        break;
                    }
                    Err(Error::Cancelled) => {
                        stops += 1;
                        patience += patience / 2 + 5;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            assert!(!path.exists());
            finished += 1;
        }
        assert!(finished == 6 && stops > 10, "{stops} stops");
    }
}

#[test]
fn filters_compared_in_two_parts_are_the_same_after_a_stop() {
    let source = in_memory(&documents(), 4);
    let mut config = config("0.6");
    config.lexicons = Some(lexicons(&source, &config));
    config.compare_filters = Some(CompareFilters {
        signature: Some(1),
        max_steps: 100_000,
        ..CompareFilters::new(|| Duration::ZERO)
    });
    let expected = straight(&source, &config);
    config.budget = tiny_budget();
    config.budget.checkpoint = true;
    // Fewer rounds and windows: the table has ten joins.
    config.budget.index = 30_000;
    config.budget.counters = 7000;
    config.budget.group = 6000;
    config.budget.chunk_features = 600;
    config.threads = 1;
    let (table, checks) = {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let progress = never();
        let (result, _) = go_on(&source, &config, &path, &progress).unwrap();
        assert!(result.spilled);
        let checks = u64::MAX - progress.0.into_inner();
        (result.filters.unwrap(), checks)
    };
    assert_eq!(table.samples.len(), 2, "{table:?}");
    assert!(table.samples[1].rows[0].ledger.found > 10, "{table:?}");
    // Jobs are stopped all along: reading, counting, in the middle of either part, and in the
    // join of the job itself, which comes last.
    let all_along = (0..12).map(|part| checks * part / 12);
    let (mut again, mut already) = (0, 0);
    let stops = all_along.chain([checks - 3, checks - 1]);
    for (number, stop) in stops.enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let progress = StopAfter(AtomicU64::new(stop));
        // One thread asks as often each time.
        config.threads = 1;
        let stopped = go_on(&source, &config, &path, &progress);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{stop}");
        let stages = Stages::default();
        config.threads = 1 + number % 3;
        let (result, _) = go_on(&source, &config, &path, &stages).unwrap();
        assert!(result.spilled);
        assert_eq!(result.filters.as_ref(), Some(&table), "{stop}");
        assert_eq!(answer(&result), expected);
        match stages.0.lock().unwrap().contains(&"filters") {
            true => again += 1,
            false => already += 1,
        }
    }
    // Some stops came after both parts, which were not made again.
    assert!(again > 6 && already > 0, "{again} {already}");
}

pub(crate) fn reading<'a>(
    source: &'a TestSource,
    work: &'a WorkDir,
    budget: &'a Budget,
) -> Reading<'a> {
    Reading {
        source,
        threads: 2,
        budget,
        work,
        progress: &Silent,
    }
}

pub(crate) fn codes(source: &TestSource, config: &FindConfig) -> Arc<CodeSpec> {
    let plan = CodePlan {
        features: config.features,
        words: config.words.clone(),
        seed: config.seed,
        variant: "numeric:value".parse().unwrap(),
        idf: "log".parse().unwrap(),
        df: DfSource::Collection,
        reserve: None,
        fields: config.metadata.clone(),
        num_features: 0,
    };
    let work = WorkDir::new(PathBuf::from("unused"));
    let spec = plan.specify(reading(source, &work, &config.budget));
    Arc::new(spec.unwrap())
}

pub(crate) fn lexicons(source: &TestSource, config: &FindConfig) -> Arc<Lexicons> {
    let plan = LexiconPlan {
        settings: "imatch:0.0-1.0,10,0.5".parse().unwrap(),
        words: config.words.clone(),
        seed: config.seed,
        df: DfSource::Collection,
    };
    let work = WorkDir::new(PathBuf::from("unused"));
    let lexicons = plan.specify(reading(source, &work, &config.budget));
    Arc::new(lexicons.unwrap())
}

#[test]
fn a_damaged_work_file_is_named_and_nothing_comes_out() {
    let source = in_memory(&documents(), 3);
    let mut config = config("0.6");
    config.budget = tiny_budget();
    config.budget.checkpoint = true;
    let mut damaged = 0;
    for patience in [20, 60, 100, 140] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let progress = StopAfter(AtomicU64::new(patience));
        if go_on(&source, &config, &path, &progress).is_ok() || !path.exists() {
            continue;
        }
        for entry in std::fs::read_dir(&path).unwrap() {
            let file = entry.unwrap().path();
            let whole = std::fs::read(&file).unwrap();
            // The list of our own files holds nothing that a job goes on with.
            if whole.is_empty() || file.ends_with(OWN_FILES) {
                continue;
            }
            let mut bytes = whole.clone();
            let at = bytes.len() / 2;
            bytes[at] ^= 1;
            std::fs::write(&file, &bytes).unwrap();
            let outcome = go_on(&source, &config, &path, &never());
            let message = outcome.unwrap_err().to_string();
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(message.contains(name), "{name}: {message}");
            assert!(message.contains("damaged"), "{name}: {message}");
            std::fs::write(&file, &whole).unwrap();
            damaged += 1;
        }
    }
    assert!(damaged > 10, "{damaged} files damaged");
}
