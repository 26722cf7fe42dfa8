//! Documents read again by their places.
//!
//! Only the stretches of the input that hold them are read, and at most so many bytes: the
//! texts are for people to look at, and must not cost a second pass over the input.

use super::read::{BLOCK_BYTES, FileSource};
use super::read_tasks;
use super::work::ReadTask;
use neardupe_core::document::{BadRecord, Position, Progress, Record, Sink};
use neardupe_core::error::Result;
use neardupe_core::hash::{self, FixedMap};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The beginning of a text that was read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The beginning.
    pub text: String,
    /// Whether this is all of it.
    pub is_whole: bool,
    /// Identity of the whole.
    pub hash: u128,
}

/// Bytes of a text that are kept: nobody looks at more of it on a page.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// Of a stream at least so much is read, or nothing.
const MIN_STREAM_BYTES: u64 = 1 << 20;

/// What reading texts again may cost.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of the input that are read, as stored.
    pub read_bytes: u64,
    /// Bytes of texts that are held.
    pub held_bytes: usize,
}

/// The texts of the documents at these places, those that come first first, as far as
/// they can be had within the bounds. Which they are depends on the bounds and the input
/// alone.
pub(super) fn texts_at(
    source: &FileSource,
    wanted: &[Position],
    bounds: Bounds,
    threads: usize,
    progress: &dyn Progress,
) -> Result<FixedMap<Position, Excerpt>> {
    let tasks = choose_tasks(source, wanted, bounds.read_bytes)?;
    let mut ranks: FixedMap<Position, usize> = FixedMap::default();
    for (rank, position) in wanted.iter().enumerate() {
        ranks.entry(*position).or_insert(rank);
    }
    let held = Mutex::new(Held::new(bounds.held_bytes));
    let mut sinks: Vec<ExcerptSink<'_>> = (0..threads.clamp(1, tasks.len().max(1)))
        .map(|_| ExcerptSink {
            ranks: &ranks,
            held: &held,
        })
        .collect();
    let each = sinks.iter_mut().map(|sink| sink as &mut dyn Sink).collect();
    let (_, failure) = source.read_tasks(&tasks, Vec::new(), each, progress)?;
    if let Some(error) = failure {
        return Err(error);
    }
    // They borrow `held`.
    drop(sinks);
    let held = held.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(held.texts.into_values().collect())
}

/// The stretches of the input that hold these places, in the order of the input.
fn choose_tasks(
    source: &FileSource,
    wanted: &[Position],
    max_bytes: u64,
) -> Result<Vec<ReadTask>> {
    let mut chosen: BTreeMap<(u32, usize), ReadTask> = BTreeMap::new();
    let all = source.tasks()?;
    let mut left = max_bytes;
    for position in wanted {
        let tasks = all.tasks_of(position.file);
        let input = &source.files[position.file as usize];
        // A pipe was read already and is gone: the page then shows the document without its
        // text.
        let Some(at) = holder(tasks, *position).filter(|_| input.regular) else {
            continue;
        };
        let place = (position.file, at);
        if chosen.contains_key(&place) {
            continue;
        }
        let mut task = tasks[at];
        let mut bytes = match &task {
            ReadTask::Range { .. } => BLOCK_BYTES,
            ReadTask::RowGroup { .. } => read_tasks::even_share(input.bytes, tasks.len()),
            ReadTask::Stream { .. } | ReadTask::Document { .. } => input.bytes,
        };
        // A stream has to be read from its start to the place. A part of it is worth reading
        // only if it is not tiny.
        if let ReadTask::Stream { most, .. } = &mut task
            && left >= MIN_STREAM_BYTES
        {
            bytes = bytes.min(left);
            *most = Some(left);
        }
        if bytes <= left {
            left -= bytes;
            chosen.insert(place, task);
        }
    }
    Ok(chosen.into_values().collect())
}

/// The task of a file that holds a place.
fn holder(tasks: &[ReadTask], position: Position) -> Option<usize> {
    let before = tasks.partition_point(|task| match *task {
        ReadTask::Range { block, .. } => block <= position.block,
        ReadTask::RowGroup { first_block, .. } => first_block <= position.block,
        ReadTask::Stream { .. } | ReadTask::Document { .. } => true,
    });
    before.checked_sub(1)
}

/// The texts that are held: of all that come those that were asked for first, so that it
/// does not matter in what order they come.
struct Held {
    /// By rank, which is the place among the wanted ones.
    texts: BTreeMap<usize, (Position, Excerpt)>,
    /// Bytes of the held texts.
    bytes: usize,
    /// Most bytes that are held.
    max_bytes: usize,
    /// Ranks from here on are not held, once there was no room for all.
    limit: Option<usize>,
}

impl Held {
    /// Nothing is held yet, and there is no limit of ranks.
    fn new(max_bytes: usize) -> Self {
        Held {
            texts: BTreeMap::new(),
            bytes: 0,
            max_bytes,
            limit: None,
        }
    }

    /// Holds a text. When there is no room, those with the largest ranks go: what stays is
    /// the longest run of ranks from the first that fits.
    fn add(&mut self, rank: usize, position: Position, excerpt: Excerpt) {
        if self.limit.is_some_and(|limit| rank >= limit) {
            return;
        }
        self.bytes += excerpt.text.len();
        if let Some((_, old)) = self.texts.insert(rank, (position, excerpt)) {
            self.bytes -= old.text.len();
        }
        while self.bytes > self.max_bytes
            && let Some((rank, (_, excerpt))) = self.texts.pop_last()
        {
            self.bytes -= excerpt.text.len();
            self.limit = Some(rank);
        }
    }
}

/// Takes the texts that are wanted.
struct ExcerptSink<'a> {
    /// Rank of each wanted place.
    ranks: &'a FixedMap<Position, usize>,
    /// Shared by the threads; taken once per wanted text only.
    held: &'a Mutex<Held>,
}

impl Sink for ExcerptSink<'_> {
    fn wants(&self, position: Position) -> bool {
        self.ranks.contains_key(&position)
    }

    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        if let Some(&rank) = self.ranks.get(&record.position) {
            // A cut within a character would be no text.
            let mut end = record.text.len().min(MAX_TEXT_BYTES);
            while !record.text.is_char_boundary(end) {
                end -= 1;
            }
            let excerpt = Excerpt {
                text: record.text[..end].to_owned(),
                is_whole: end == record.text.len(),
                hash: hash::text(record.text),
            };
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            held.add(rank, record.position, excerpt);
        }
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ReadOptions, discover};
    use super::*;
    use flate2::write::GzEncoder;
    use neardupe_core::document::{Silent, Source};
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    /// Takes all, with their places.
    #[derive(Default)]
    struct All(Vec<(Position, String)>);

    impl Sink for All {
        fn document(&mut self, record: &Record<'_>) -> Result<()> {
            self.0.push((record.position, record.text.to_owned()));
            Ok(())
        }

        fn bad_record(&mut self, _: BadRecord) -> Result<()> {
            Ok(())
        }
    }

    fn source(folder: &Path) -> FileSource {
        let mut lines = String::new();
        for number in 0..9000 {
            let words = format!("number {number} ").repeat(number % 40 + 1);
            lines += &format!("{{\"text\":\"{words}\"}}\n");
            if number % 100 == 3 {
                lines += "\n{broken\n";
            }
        }
        fs::write(folder.join("a.jsonl"), &lines).unwrap();
        let packed = fs::File::create(folder.join("b.jsonl.gz")).unwrap();
        let mut packed = GzEncoder::new(packed, flate2::Compression::fast());
        packed.write_all(lines.as_bytes()).unwrap();
        packed.finish().unwrap();
        fs::write(folder.join("c.txt"), "one document").unwrap();
        let files = discover(&[folder.to_string_lossy().into_owned()], None);
        FileSource::new(files.unwrap().files, ReadOptions::default())
    }

    #[test]
    fn documents_are_found_again_at_their_places() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(folder.path());
        let mut all = All::default();
        for part in 0..source.num_parts().unwrap() {
            source.read_part(part, vec![&mut all], &Silent).unwrap();
        }
        assert_eq!(all.0.len(), 18_001);
        let some: Vec<(Position, String)> = all.0.into_iter().step_by(771).collect();
        let mut places: Vec<Position> = some.iter().map(|(place, _)| *place).collect();
        places.reverse();
        let bounds = |read_bytes| Bounds {
            read_bytes,
            held_bytes: usize::MAX,
        };
        let all = bounds(1 << 30);
        for threads in [1, 3] {
            let found = source.texts_at(&places, all, threads, &Silent).unwrap();
            assert_eq!(found.len(), some.len());
            for (place, text) in &some {
                assert_eq!(&found[place].text, text);
                assert_eq!(found[place].hash, hash::text(text));
                assert!(found[place].is_whole);
            }
        }
        // What comes first is read first.
        let little = bounds(BLOCK_BYTES);
        let little = source.texts_at(&places, little, 2, &Silent).unwrap();
        assert!(little.contains_key(&places[0]) && little.len() < some.len());
        let nothing = source.texts_at(&places, bounds(0), 2, &Silent).unwrap();
        assert!(nothing.is_empty());
        // And held first, whoever reads it: as many of the first as fit.
        let by_place: FixedMap<Position, &String> =
            some.iter().map(|(place, text)| (*place, text)).collect();
        let lengths: Vec<usize> = places.iter().map(|it| by_place[it].len()).collect();
        for most in [0, lengths[0], 1000, 4000] {
            let mut bytes = 0;
            let fits = lengths.iter().take_while(|length| {
                bytes += **length;
                bytes <= most
            });
            let fits = fits.count();
            for threads in [1, 3] {
                let few = Bounds {
                    held_bytes: most,
                    ..all
                };
                let held = source.texts_at(&places, few, threads, &Silent).unwrap();
                assert_eq!(held.len(), fits, "{most} bytes");
                assert!(places[..fits].iter().all(|place| held.contains_key(place)));
            }
        }
    }
}
