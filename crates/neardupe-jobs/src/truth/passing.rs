//! All documents of a source with the ids that `find` and `passages` give them, and something
//! taken from each as it passes.
//!
//! A truth names documents by the ids that a result has, and these are unique only after all
//! documents were seen. So ids are gathered, sorted by id, content and position, and repeated
//! ones get `#2` and so on, as in the core (`pipeline::ids`); a job would give another document
//! the suffix if this order differed. Ids and values of the whole collection are held, but no
//! text.

use neardupe_core::document::{
    BadRecord, Position, Progress, Record, Sink, Source, SourceRead, check_cancelled,
};
use neardupe_core::error::Result;
use neardupe_core::hash::{self, FixedSet};
use neardupe_io::source::FileSource;

/// A document as it passed.
struct Seen<Value> {
    /// The id as it was read; None if the record has none, and is then named by file and
    /// number.
    id: Option<String>,
    /// By content, for documents with the same id.
    text_hash: u128,
    /// By place, for equal documents with the same id.
    position: Position,
    /// What was taken.
    value: Value,
}

/// Takes a value from each document; one per thread, so nothing is locked.
struct Passing<Take, Value> {
    /// Makes the value of a document.
    take: Take,
    /// All documents of this thread, in any order.
    seen: Vec<Seen<Value>>,
}

impl<Value: Send, Take: FnMut(&Record<'_>) -> Value + Send> Sink
    for Passing<Take, Value>
{
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let value = (self.take)(record);
        self.seen.push(Seen {
            id: record.id.map(str::to_owned),
            text_hash: hash::text(record.text),
            position: record.position,
            value,
        });
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        // Bad records have no id, so no truth can name them.
        Ok(())
    }
}

/// Reads all documents; each thread takes a value from those that it meets. Gives each id with
/// its value, by id.
pub(super) fn for_each_document<Value: Send, Take>(
    source: &FileSource,
    threads: usize,
    progress: &dyn Progress,
    take: impl Fn() -> Take,
    mut give: impl FnMut(&str, Value) -> Result<()>,
) -> Result<()>
where
    Take: FnMut(&Record<'_>) -> Value + Send,
{
    progress.begin("read", source.total_bytes());
    let new = || Passing {
        take: take(),
        seen: Vec::new(),
    };
    let mut sinks: Vec<Passing<Take, Value>> =
        std::iter::repeat_with(new).take(threads.max(1)).collect();
    let mut parts = Vec::new();
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = sinks.iter_mut().map(|sink| sink as &mut dyn Sink).collect();
        parts.push(source.read_part(part, sinks, progress)?);
    }
    let read = SourceRead::gather(source.file_names(), &parts);
    let seen = sinks.into_iter().flat_map(|sink| sink.seen);
    // Sorted after all threads are done: the order does not depend on which thread read what.
    let mut seen: Vec<(String, u128, Position, Value)> = seen
        .map(|seen| {
            let id = seen.id.unwrap_or_else(|| {
                let file = &read.files[seen.position.file as usize];
                format!("{}:{}", file.name, file.record_number(seen.position))
            });
            (id, seen.text_hash, seen.position, seen.value)
        })
        .collect();
    seen.sort_unstable_by(|left, right| {
        (&left.0, left.1, left.2).cmp(&(&right.0, right.1, right.2))
    });
    // Ids are made unique as `find` does: `id#2` and so on by content and place, but for ids
    // that other documents have.
    let given: FixedSet<u128> = seen.iter().map(|(id, ..)| hash::text(id)).collect();
    let mut suffix = 2u32;
    let mut last = String::new();
    for (at, (id, _, _, value)) in seen.into_iter().enumerate() {
        // The first of several with one id keeps it.
        if at == 0 || id != last {
            give(&id, value)?;
            (suffix, last) = (2, id);
            continue;
        }
        while given.contains(&hash::text(&format!("{id}#{suffix}"))) {
            suffix += 1;
        }
        give(&format!("{id}#{suffix}"), value)?;
        suffix += 1;
    }
    Ok(())
}
