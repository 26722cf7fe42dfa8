//! Reading stops soon when the job shall stop.

use super::{Seen, documents, source};
use crate::carriers;
use neardupe_core::document::{Progress, Sink, Source};
use neardupe_core::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Stops the job when it has been asked so often.
struct StopAt {
    asked: AtomicUsize,
    limit: usize,
}

impl Progress for StopAt {
    fn begin(&self, _stage: &'static str, _total: u64) {}
    fn advance(&self, _amount: u64) {}
    fn is_cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.limit
    }
}

/// Reads until asked so often; None when it was stopped, and the documents so far.
fn stopped_at(input: &Path, threads: usize, limit: usize) -> (Option<()>, usize) {
    let stop = StopAt {
        asked: AtomicUsize::new(0),
        limit,
    };
    let mut sinks: Vec<Seen> = (0..threads).map(|_| Seen::default()).collect();
    let refs = sinks.iter_mut().map(|sink| sink as &mut dyn Sink).collect();
    let read = source(input, None, u64::MAX).read_part(0, refs, &stop);
    let finished = match read {
        Ok(_) => Some(()),
        Err(Error::Cancelled) => None,
        Err(error) => panic!("{error}"),
    };
    let documents = sinks.iter().map(|sink| sink.documents.len()).sum();
    (finished, documents)
}

#[test]
fn reading_stops_between_ranges_groups_and_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let documents = documents(4000, 120);
    let wanted = [
        "plain.jsonl",
        "packed.jsonl.gz",
        "columns.parquet",
        "crawl.warc.gz",
    ];
    for carrier in carriers::ALL {
        if !wanted.contains(&carrier.name) {
            continue;
        }
        let path = folder.path().join(carrier.name);
        (carrier.write)(&path, &documents);
        for threads in [1, 3] {
            let (finished, read) = stopped_at(&path, threads, 0);
            assert_eq!((finished, read), (None, 0), "{}", carrier.name);
            let (finished, read) = stopped_at(&path, threads, 2);
            assert_eq!(finished, None, "{}", carrier.name);
            assert!(read < documents.len(), "{}: all was read", carrier.name);
            let (finished, read) = stopped_at(&path, threads, usize::MAX);
            assert_eq!((finished, read), (Some(()), documents.len()));
        }
    }
}

#[test]
fn reading_stops_among_entries_that_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("requests.warc");
    let mut records = String::new();
    for number in 0..1000 {
        write!(
            records,
            "WARC/1.0\r\nWARC-Type: request\r\nWARC-Record-ID: <{number}>\r\n\
             Content-Length: 0\r\n\r\n\r\n\r\n"
        )
        .unwrap();
    }
    fs::write(&path, records).unwrap();
    assert_eq!(stopped_at(&path, 1, 500).0, None);
    assert_eq!(stopped_at(&path, 1, 5000).0, Some(()));
}
