//! A search for passages that is stopped anywhere and resumed finds what an undisturbed one finds, and repeats
//! nothing that was entered.

use crate::common::{TestDocument, TestSource, WORDLESS, in_memory, tiny_budget};
use crate::resume::{StopAfter, job, never};
use neardupe_core::document::{Origin, PartRead, Progress, Side, Silent, Sink, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::passage::SentenceSignature;
use neardupe_core::pipeline::passages::{
    Diagonals, PassageMethod, SearchCounts, passages,
};
use neardupe_core::pipeline::{Against, PassagesConfig, PassagesResult};
use neardupe_core::store::{JobIdentity, WorkDir};
use neardupe_core::text::WordOptions;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// A collection that notes which of its parts are read, and says that it is long.
struct Watched {
    inner: TestSource,
    read: Mutex<Vec<u32>>,
}

impl Watched {
    fn new(num_parts: usize) -> Self {
        Watched {
            inner: in_memory(&documents(), num_parts),
            read: Mutex::default(),
        }
    }

    /// The parts that were read since this was asked last.
    fn parts(&self) -> Vec<u32> {
        std::mem::take(&mut self.read.lock().unwrap())
    }
}

impl Source for Watched {
    fn total_bytes(&self) -> u64 {
        100_000
    }
    fn origins(&self) -> Result<Option<Vec<Origin>>> {
        self.inner.origins()
    }
    fn file_names(&self) -> Vec<String> {
        self.inner.file_names()
    }
    fn side(&self, file: u32) -> Side {
        self.inner.side(file)
    }
    fn num_parts(&self) -> Result<u32> {
        self.inner.num_parts()
    }
    fn read_part(
        &self,
        part: u32,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<PartRead> {
        self.read.lock().unwrap().push(part);
        self.inner.read_part(part, sinks, progress)
    }
}

/// Documents with stretches of each other, some of them edited; copies of some, and some without a word.
fn documents() -> Vec<TestDocument> {
    let document = |number: u32| {
        let own = 10_000 + number * 100;
        let shared = number % 17 * 60;
        let mut words: Vec<u32> = (own..own + 20).collect();
        words.extend(shared..shared + 45);
        words[35] = 900_000 - number;
        words.extend(own + 50..own + 60);
        // What many have in common, in one place or another.
        words.extend(5000..5000 + 8 + number % 3 * 9);
        if number.is_multiple_of(13) {
            let of = 10_000 + (number / 2) * 100;
            words = (of..of + 20).collect();
        }
        if number.is_multiple_of(31) {
            words = vec![WORDLESS + number % 3];
        }
        TestDocument {
            id: format!("d{}", number * 7919 % 10007),
            words,
            value: None,
            old: number < 60,
        }
    };
    let mut documents: Vec<TestDocument> = (0..240).map(document).collect();
    for number in 0..40 {
        let copy = TestDocument {
            id: format!("copy-{number}"),
            old: false,
            ..documents[number * 5].clone()
        };
        documents.push(copy);
    }
    documents
}

/// All that a result says, whatever it was searched with.
#[derive(Debug, PartialEq)]
struct Answer {
    pairs: Vec<String>,
    copies: Vec<(String, String)>,
    boilerplate: Vec<String>,
    counts: SearchCounts,
    totals: String,
}

fn answer(result: &PassagesResult) -> Answer {
    let id = |document| result.documents.id(document).unwrap().into_owned();
    let mut answer = Answer {
        pairs: Vec::new(),
        copies: Vec::new(),
        boilerplate: Vec::new(),
        counts: result.search,
        totals: format!("{:?}", result.totals),
    };
    let pairs = result.for_each_pair(|texts| {
        let pair = texts.pair;
        for one in &pair.passages {
            answer.pairs.push(format!(
                "{} {} {one:?} {} {}",
                id(pair.left),
                id(pair.right),
                &texts.left_text[one.left.span.start..one.left.span.end],
                &texts.right_text[one.right.span.start..one.right.span.end],
            ));
        }
        Ok(())
    });
    pairs.unwrap();
    let copies = result.for_each_copy(|copy, first| {
        answer.copies.push((id(copy), id(first)));
        Ok(())
    });
    copies.unwrap();
    let boilerplate = result.for_each_boilerplate(|one| {
        answer.boilerplate.push(format!("{one:?}"));
        Ok(())
    });
    boilerplate.unwrap();
    answer
}

fn config() -> PassagesConfig {
    PassagesConfig {
        max_documents: 20,
        threads: 2,
        metadata: vec!["value".to_owned()],
        batch_seeds: 600,
        // After every batch.
        save_after: Duration::ZERO,
        ..PassagesConfig::new("unused".into())
    }
}

/// The jobs that are stopped.
fn jobs() -> Vec<PassagesConfig> {
    let expanded = PassagesConfig {
        expand: true,
        ..config()
    };
    let against = PassagesConfig {
        against: Some(Against {
            within: true,
            remove_containing: false,
        }),
        ..config()
    };
    let diagonals = PassagesConfig {
        method: PassageMethod::Diagonals(Diagonals {
            signature: SentenceSignature::Shingles(2),
            tau: "0.5".parse().unwrap(),
            gamma: 0,
            within_document: false,
            words: WordOptions::default(),
            seed: 0,
        }),
        max_documents: u32::MAX,
        ..config()
    };
    vec![expanded, against, diagonals]
}

fn go_on(
    source: &dyn Source,
    config: &PassagesConfig,
    path: &Path,
    progress: &dyn Progress,
) -> Result<(PassagesResult, WorkDir)> {
    let work = match WorkDir::resume(path.to_path_buf(), &job(), &Silent)? {
        Some(work) => work,
        None => WorkDir::begin(path.to_path_buf(), job())?.0,
    };
    let result = passages(source, config, &work, progress)?;
    Ok((result, work))
}

fn straight(source: &dyn Source, config: &PassagesConfig) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work");
    let (work, _) = WorkDir::begin(path.clone(), job()).unwrap();
    let result = passages(source, config, &work, &never()).unwrap();
    assert!(!result.spilled);
    // Whatever fits in memory leaves no trace.
    assert!(!path.exists());
    answer(&result)
}

/// Memory as it is in one start after the other: for everything, for hardly anything, for some.
fn with_memory(config: &mut PassagesConfig, start: usize) {
    config.threads = 1 + start % 3;
    config.budget = match start % 3 {
        0 => PassagesConfig::new("unused".into()).budget,
        _ => tiny_budget(),
    };
    config.budget.index = [1 << 30, 60_000, 90_000, 200_000][start % 4];
    // Some files for each sort, and not thousands.
    (config.budget.rows, config.budget.group) = (8000, 12_000);
    config.budget.features = [1 << 30, 30_000, 1][start % 3];
    config.budget.checkpoint = true;
}

#[test]
fn stopped_anywhere_and_resumed() {
    let source = Watched::new(5);
    for (number, mut config) in jobs().into_iter().enumerate() {
        let expected = straight(&source, &config);
        assert!(
            expected.pairs.len() > 100,
            "{number}: {}",
            expected.pairs.len()
        );
        assert!(expected.copies.len() > 20, "{}", expected.copies.len());
        let mut stops = 0;
        for first_stop in 0..8 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("work");
            let mut patience = first_stop * 2;
            source.parts();
            loop {
                with_memory(&mut config, stops + usize::try_from(first_stop).unwrap());
                let progress = StopAfter(AtomicU64::new(patience));
                match go_on(&source, &config, &path, &progress) {
                    Ok((result, work)) => {
                        assert!(result.spilled);
                        assert_eq!(answer(&result), expected, "{number} {first_stop}");
                        drop(result);
                        work.finish().unwrap();
                        break;
                    }
                    Err(Error::Cancelled) => {
                        stops += 1;
                        patience += patience / 4 + 1;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            assert!(!path.exists());
        }
        assert!(stops > 10, "{stops} stops");
    }
}

/// Each time a job is stopped a little later, so that it is stopped after every part and every save.
#[test]
fn nothing_that_was_entered_is_done_again() {
    let source = Watched::new(4);
    let mut config = config();
    let expected = straight(&source, &config);
    source.parts();
    config.threads = 1;
    config.budget.checkpoint = true;
    config.budget.index = 60_000;
    let checks = {
        let folder = tempfile::tempdir().unwrap();
        let progress = never();
        let path = folder.path().join("work");
        let (result, _work) = go_on(&source, &config, &path, &progress).unwrap();
        assert!(result.num_windows > 2, "{}", result.num_windows);
        assert_eq!(source.parts(), [0, 1, 2, 3]);
        u64::MAX - progress.0.into_inner()
    };
    assert!(checks > 20, "{checks}");
    let (mut num_saved, mut parts_left) = (Vec::new(), Vec::new());
    for stop in 0..checks {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let progress = StopAfter(AtomicU64::new(stop));
        let stopped = go_on(&source, &config, &path, &progress);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{stop}");
        let read_before = source.parts();
        let resumed = never();
        let (result, _work) = go_on(&source, &config, &path, &resumed).unwrap();
        assert_eq!(answer(&result), expected, "{stop}");
        let read = source.parts();
        // One part may have been under way.
        let most = 5 - u32::try_from(read_before.len()).unwrap();
        assert!(
            u32::try_from(read.len()).unwrap() <= most,
            "{stop}: {read_before:?} {read:?}"
        );
        assert!(read.last().is_none_or(|&last| last == 3), "{read:?}");
        parts_left.push(read.len());
        num_saved.push(u64::MAX - resumed.0.into_inner());
    }
    // The later it was stopped, the less is left.
    assert!(
        parts_left.is_sorted_by(|one, other| one >= other),
        "{parts_left:?}"
    );
    assert_eq!(
        (parts_left.first(), parts_left.last()),
        (Some(&4), Some(&0))
    );
    let of_search: Vec<u64> = (parts_left.iter().zip(num_saved))
        .filter_map(|(&parts, checks)| (parts == 0).then_some(checks))
        .collect();
    assert!(
        of_search.is_sorted_by(|one, other| one >= other),
        "{of_search:?}"
    );
    assert!(
        of_search[0] > of_search.last().unwrap() + 8,
        "{of_search:?}"
    );
}

/// Memory is refused in a later part: all that was read before is entered too.
#[test]
fn parts_in_memory_are_entered_when_there_is_no_more_room() {
    let source = Watched::new(6);
    let mut config = config();
    let expected = straight(&source, &config);
    config.threads = 1;
    // Half of it is for texts, of which there are some hundred bytes each.
    config.budget.features = 160_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work");
    let mut stop = 0;
    source.parts();
    let entered = loop {
        let progress = StopAfter(AtomicU64::new(stop));
        let stopped = go_on(&source, &config, &path, &progress);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{stop}");
        let read = source.parts();
        if path.exists() {
            break read;
        }
        stop += 1;
    };
    assert!((2..6).contains(&entered.len()), "{entered:?}");
    config.budget.features = 1;
    let (result, work) = go_on(&source, &config, &path, &never()).unwrap();
    assert_eq!(answer(&result), expected);
    let rest: Vec<u32> = (u32::try_from(entered.len()).unwrap()..6).collect();
    assert_eq!(source.parts(), rest);
    work.finish().unwrap();
    assert!(!path.exists());
}

#[test]
fn another_job_is_refused_by_name() {
    let source = Watched::new(3);
    let mut config = config();
    config.budget.checkpoint = true;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work");
    let begun = |value: &str| JobIdentity {
        options: [("min-words".to_owned(), value.to_owned())].into(),
        ..job()
    };
    let (work, _) = WorkDir::begin(path.clone(), begun("20")).unwrap();
    let progress = StopAfter(AtomicU64::new(6));
    let stopped = passages(&source, &config, &work, &progress);
    assert!(matches!(stopped, Err(Error::Cancelled)));
    drop(work);
    let other = WorkDir::resume(path.clone(), &begun("30"), &Silent);
    let message = other.unwrap_err().to_string();
    assert!(
        message.contains("20 for `min-words`, this one 30"),
        "{message}"
    );
    // A damaged file of texts is named.
    let entries = std::fs::read_dir(&path).unwrap();
    let names = entries.map(|entry| entry.unwrap().path());
    let texts = names.filter(|path| path.to_string_lossy().contains("cut-"));
    let texts: Vec<_> = texts.collect();
    assert!(!texts.is_empty());
    for file in texts {
        let whole = std::fs::read(&file).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        std::fs::write(&file, damaged).unwrap();
        let message = WorkDir::resume(path.clone(), &begun("20"), &Silent);
        let message = message.unwrap_err().to_string();
        assert!(
            message.contains("cut-") && message.contains("damaged"),
            "{message}"
        );
        std::fs::write(&file, whole).unwrap();
    }
    assert!(
        WorkDir::resume(path, &begun("20"), &Silent)
            .unwrap()
            .is_some()
    );
}

/// What can be read only once is not written down.
#[test]
fn what_cannot_be_resumed_is_not_entered() {
    let source = Watched::new(3);
    let mut config = config();
    let expected = straight(&source, &config);
    config.budget.features = 1;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("work");
    let (work, _) = WorkDir::begin(path.clone(), JobIdentity::default()).unwrap();
    let result = passages(&source, &config, &work, &never()).unwrap();
    assert!(result.spilled && !path.join("manifest").exists());
    assert_eq!(answer(&result), expected);
}
