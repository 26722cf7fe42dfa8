//! A source that hands on only the documents that are wanted.

use neardupe_core::document::{
    BadRecord, Origin, PartRead, Position, Progress, Record, Sink, Source,
};
use neardupe_core::error::Result;
use neardupe_core::hash::FixedMap;
use neardupe_core::trec::Names;

/// The documents of another source whose ids are among some names; others are read and passed
/// over, as if they were not there. Bad records are handed on, for they may be wanted ones.
#[derive(Debug)]
pub struct Wanted<'a, S> {
    source: &'a S,
    names: &'a Names,
}

impl<'a, S: Source> Wanted<'a, S> {
    /// A source of the documents in `names`.
    pub fn new(source: &'a S, names: &'a Names) -> Self {
        Wanted { source, names }
    }
}

struct Sieve<'a, 'b> {
    sink: &'a mut dyn Sink,
    names: &'b Names,
    /// Records passed over, by file and block.
    passed_over: FixedMap<(u32, u32), u64>,
}

impl Sink for Sieve<'_, '_> {
    fn wants(&self, position: Position) -> bool {
        self.sink.wants(position)
    }

    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let is_wanted = |id: &str| self.names.known(id).is_some();
        match record.id.is_some_and(is_wanted) {
            true => self.sink.document(record),
            false => {
                let position = record.position;
                let block = (position.file, position.block);
                *self.passed_over.entry(block).or_insert(0) += 1;
                Ok(())
            }
        }
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.sink.bad_record(bad)
    }
}

impl<S: Source> Source for Wanted<'_, S> {
    fn total_bytes(&self) -> u64 {
        self.source.total_bytes()
    }

    fn origins(&self) -> Result<Option<Vec<Origin>>> {
        self.source.origins()
    }

    fn file_names(&self) -> Vec<String> {
        self.source.file_names()
    }

    fn num_parts(&self) -> Result<u32> {
        self.source.num_parts()
    }

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
            })
            .collect();
        let through = sieves.iter_mut().map(|sieve| sieve as &mut dyn Sink);
        let mut read = self.source.read_part(part, through.collect(), progress)?;
        for block in &mut read.blocks {
            for sieve in &sieves {
                let passed_over = sieve.passed_over.get(&(block.file, block.block));
                block.records -= passed_over.copied().unwrap_or(0);
            }
        }
        Ok(read)
    }
}
