//! A truth that the documents carry themselves: those with the same value of a field belong
//! together. Ids are those that `find` makes.

use super::relation::{Ids, Partition};
use crate::source::FileSource;
use neardupe_core::document::{
    BadRecord, Position, Progress, Record, Sink, Source, SourceRead, check_cancelled,
};
use neardupe_core::error::Result;
use neardupe_core::hash::{self, FixedSet};

/// The documents of a collection.
#[derive(Debug)]
pub struct Collected {
    /// All ids.
    pub ids: Ids,
    /// Documents with the same value; empty when no field was asked for.
    pub clusters: Partition,
    /// How many documents have a value.
    pub with_value: u64,
}

/// A document as it passes.
struct Seen {
    id: Option<String>,
    text_hash: u128,
    position: Position,
    value: Option<String>,
}

#[derive(Default)]
struct Collecting {
    seen: Vec<Seen>,
    field: Option<usize>,
}

impl Sink for Collecting {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let value = self.field.and_then(|field| record.metadata.get(field));
        self.seen.push(Seen {
            id: record.id.map(str::to_owned),
            text_hash: hash::text(record.text),
            position: record.position,
            value: value.cloned().flatten(),
        });
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        Ok(())
    }
}

/// Reads all ids of a source, and the value of the metadata field of this number.
pub fn collect(
    source: &FileSource,
    field: Option<usize>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Collected> {
    progress.begin("read", source.total_bytes());
    let new = || Collecting {
        field,
        ..Collecting::default()
    };
    let mut sinks: Vec<Collecting> =
        std::iter::repeat_with(new).take(threads.max(1)).collect();
    let mut parts = Vec::new();
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = sinks.iter_mut().map(|sink| sink as &mut dyn Sink).collect();
        parts.push(source.read_part(part, sinks, progress)?);
    }
    let read = SourceRead::gather(source.file_names(), &parts);
    let seen = sinks.into_iter().flat_map(|sink| sink.seen);
    let mut seen: Vec<(String, u128, Position, Option<String>)> = seen
        .map(|seen| {
            let id = seen.id.unwrap_or_else(|| {
                let file = &read.files[seen.position.file as usize];
                format!("{}:{}", file.name, file.record_number(seen.position))
            });
            (id, seen.text_hash, seen.position, seen.value)
        })
        .collect();
    seen.sort_unstable();
    Ok(number(&seen))
}

/// Makes ids unique as `find` does: `id#2` and so on by content and place, but for ids that
/// other documents have.
fn number(seen: &[(String, u128, Position, Option<String>)]) -> Collected {
    let given: FixedSet<u128> = seen.iter().map(|(id, ..)| hash::text(id)).collect();
    let mut collected = Collected {
        ids: Ids::default(),
        clusters: Partition::default(),
        with_value: 0,
    };
    let mut values = Ids::default();
    for same in seen.chunk_by(|left, right| left.0 == right.0) {
        let mut suffix = 2u32;
        for (at, (id, _, _, value)) in same.iter().enumerate() {
            let document = if at == 0 {
                collected.ids.number(id)
            } else {
                while given.contains(&hash::text(&format!("{id}#{suffix}"))) {
                    suffix += 1;
                }
                suffix += 1;
                collected.ids.number(&format!("{id}#{}", suffix - 1))
            };
            if let Some(value) = value {
                collected.with_value += 1;
                collected.clusters.put(document, values.number(value));
            }
        }
    }
    collected
}
