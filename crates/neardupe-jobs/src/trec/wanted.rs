//! A source that hands on only the documents that are wanted.
//!
//! A web collection has a billion pages and a set of runs names a few million, so all others are
//! passed over before they are cut into words. A few ids that were passed over are kept for the
//! message that ids do not match, in the order of bytes, so it is the same with any number of
//! threads.

use neardupe_core::document::{
    BadRecord, Origin, PartRead, Position, Progress, Record, Side, Sink, Source,
};
use neardupe_core::error::Result;
use neardupe_core::hash::FixedMap;
use neardupe_core::trec::Names;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Ids of documents that no run or judgment names, kept as examples.
const EXAMPLES: usize = 3;

/// The documents of another source whose ids are among some names; others are read and passed
/// over, as if they were not there. Bad records are handed on, for they may be wanted ones.
#[derive(Debug)]
pub struct NamedDocuments<'a, S> {
    /// The collection.
    source: &'a S,
    /// Ids of all documents that a run or judgment names.
    names: &'a Names,
    /// Filled by the threads as parts are finished.
    others: Mutex<Others>,
}

/// What was passed over.
#[derive(Debug, Default)]
pub struct Others {
    /// The first ids in the order of bytes, which do not depend on threads.
    pub examples: BTreeSet<String>,
    /// Documents without an id: nothing can ask for them.
    pub without_id: u64,
}

impl Others {
    /// Adds what one thread passed over, and keeps the smallest ids.
    fn merge(&mut self, sieve: Sieve<'_, '_>) {
        self.without_id += sieve.without_id;
        self.examples.extend(sieve.examples);
        while self.examples.len() > EXAMPLES {
            self.examples.pop_last();
        }
    }
}

impl<'a, S: Source> NamedDocuments<'a, S> {
    /// A source of the documents in `names`.
    pub fn new(source: &'a S, names: &'a Names) -> Self {
        NamedDocuments {
            source,
            names,
            others: Mutex::default(),
        }
    }

    /// What was passed over so far.
    pub fn others(self) -> Others {
        self.others
            // A thread that panicked has ended the job already.
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stands between the source and one of its sinks: one per thread, so nothing is locked
/// for each document.
struct Sieve<'a, 'b> {
    /// Where wanted documents are handed on.
    sink: &'a mut dyn Sink,
    /// Ids that are wanted.
    names: &'b Names,
    /// Records passed over, by file and block.
    passed_over: FixedMap<(u32, u32), u64>,
    /// The smallest ids so far, at most `EXAMPLES`.
    examples: BTreeSet<String>,
    without_id: u64,
}

impl Sieve<'_, '_> {
    /// Keeps the smallest ids: one comparison for nearly all.
    fn pass_over(&mut self, id: Option<&str>) {
        let Some(id) = id else {
            self.without_id += 1;
            return;
        };
        let largest = self.examples.last().map(String::as_str);
        if self.examples.len() < EXAMPLES || largest.is_some_and(|it| id < it) {
            self.examples.insert(id.to_owned());
            if self.examples.len() > EXAMPLES {
                self.examples.pop_last();
            }
        }
    }
}

impl Sink for Sieve<'_, '_> {
    fn wants(&self, position: Position) -> bool {
        // Asked before a record is cut out; its id is not known by then.
        self.sink.wants(position)
    }

    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let is_wanted = |id: &str| self.names.known(id).is_some();
        if record.id.is_some_and(is_wanted) {
            self.sink.document(record)
        } else {
            let position = record.position;
            let block = (position.file, position.block);
            *self.passed_over.entry(block).or_insert(0) += 1;
            self.pass_over(record.id);
            Ok(())
        }
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.sink.bad_record(bad)
    }

    fn give_back(&mut self) {
        self.sink.give_back();
    }
}

impl<S: Source> Source for NamedDocuments<'_, S> {
    fn total_bytes(&self) -> u64 {
        self.source.total_bytes()
    }

    fn origins(&self) -> Result<Option<Vec<Origin>>> {
        self.source.origins()
    }

    fn file_names(&self) -> Vec<String> {
        self.source.file_names()
    }

    fn side(&self, file: u32) -> Side {
        self.source.side(file)
    }

    fn num_parts(&self) -> Result<u32> {
        self.source.num_parts()
    }

    /// Reads a part through a sieve for each sink. The numbers of records in blocks are
    /// corrected afterwards: what was passed over is not there for later stages.
    fn read_part(
        &self,
        part: u32,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<PartRead> {
        let mut sieves: Vec<Sieve<'_, '_>> = sinks
            .into_iter()
            .map(|sink| Sieve {
                sink,
                names: self.names,
                passed_over: FixedMap::default(),
                examples: BTreeSet::new(),
                without_id: 0,
            })
            .collect();
        let through = sieves.iter_mut().map(|sieve| sieve as &mut dyn Sink);
        let mut read = self.source.read_part(part, through.collect(), progress)?;
        for block in &mut read.blocks {
            for sieve in &sieves {
                let passed_over = sieve.passed_over.get(&(block.file, block.block));
                // Each record came to one of the sinks.
                block.records -= passed_over.copied().unwrap_or(0);
            }
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        for sieve in sieves {
            others.merge(sieve);
        }
        Ok(read)
    }
}
