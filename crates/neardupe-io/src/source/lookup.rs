//! Documents read again by their places.
//!
//! Only the stretches of the input that hold them are read, and at most so many bytes: the
//! texts are for people to look at, and must not cost a second pass over the input.

use super::plan::{self, Plan};
use super::read::{BLOCK_BYTES, FileSource};
use super::work::Task;
use neardupe_core::document::{BadRecord, Position, Progress, Record, Sink};
use neardupe_core::error::Result;
use neardupe_core::hash::{self, FixedMap, FixedSet};
use std::collections::BTreeMap;

/// The beginning of a text that was read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    /// Whether this is all of it.
    pub(crate) is_whole: bool,
    /// Identity of the whole.
    pub(crate) hash: u128,
}

/// Bytes of a text that are kept: nobody looks at more of it on a page.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// Of a stream at least so much is read, or nothing.
const MIN_STREAM_BYTES: u64 = 1 << 20;

impl FileSource {
    /// The texts of the documents at these places, those that come first first, as far as
    /// they can be had by reading `max_bytes` bytes of the input as stored.
    pub(crate) fn texts_at(
        &self,
        wanted: &[Position],
        max_bytes: u64,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<FixedMap<Position, Excerpt>> {
        let tasks = self.choose_tasks(self.plan()?, wanted, max_bytes);
        let wanted: FixedSet<Position> = wanted.iter().copied().collect();
        let mut sinks: Vec<Chosen<'_>> = (0..threads.clamp(1, tasks.len().max(1)))
            .map(|_| Chosen {
                wanted: &wanted,
                texts: Vec::new(),
            })
            .collect();
        let each = sinks.iter_mut().map(|sink| sink as &mut dyn Sink).collect();
        let (_, failure) = self.read_tasks(&tasks, Vec::new(), each, progress)?;
        match failure {
            Some(error) => Err(error),
            None => Ok(sinks.into_iter().flat_map(|sink| sink.texts).collect()),
        }
    }

    /// The stretches of the input that hold these places, in the order of the input.
    fn choose_tasks(
        &self,
        plan: &Plan,
        wanted: &[Position],
        max_bytes: u64,
    ) -> Vec<Task> {
        let mut chosen: BTreeMap<(u32, usize), Task> = BTreeMap::new();
        let mut left = max_bytes;
        for position in wanted {
            let tasks = plan.tasks_of(position.file);
            let input = &self.files[position.file as usize];
            let Some(at) = holder(tasks, *position).filter(|_| input.regular) else {
                continue;
            };
            let place = (position.file, at);
            if chosen.contains_key(&place) {
                continue;
            }
            let mut task = tasks[at];
            let mut bytes = match &task {
                Task::Range { .. } => BLOCK_BYTES,
                Task::RowGroup { .. } => plan::even_share(input.bytes, tasks.len()),
                Task::Stream { .. } | Task::Document { .. } => input.bytes,
            };
            if let Task::Stream { most, .. } = &mut task
                && left >= MIN_STREAM_BYTES
            {
                bytes = bytes.min(left);
                *most = left;
            }
            if bytes <= left {
                left -= bytes;
                chosen.insert(place, task);
            }
        }
        chosen.into_values().collect()
    }
}

/// The task of a file that holds a place.
fn holder(tasks: &[Task], position: Position) -> Option<usize> {
    let before = tasks.partition_point(|task| match *task {
        Task::Range { block, .. } => block <= position.block,
        Task::RowGroup { first_block, .. } => first_block <= position.block,
        Task::Stream { .. } | Task::Document { .. } => true,
    });
    before.checked_sub(1)
}

/// Takes the texts that are wanted.
struct Chosen<'a> {
    wanted: &'a FixedSet<Position>,
    texts: Vec<(Position, Excerpt)>,
}

impl Sink for Chosen<'_> {
    fn wants(&self, position: Position) -> bool {
        self.wanted.contains(&position)
    }

    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        if self.wants(record.position) {
            let mut end = record.text.len().min(MAX_TEXT_BYTES);
            while !record.text.is_char_boundary(end) {
                end -= 1;
            }
            let excerpt = Excerpt {
                text: record.text[..end].to_owned(),
                is_whole: end == record.text.len(),
                hash: hash::text(record.text),
            };
            self.texts.push((record.position, excerpt));
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
        for threads in [1, 3] {
            let found = source.texts_at(&places, 1 << 30, threads, &Silent).unwrap();
            assert_eq!(found.len(), some.len());
            for (place, text) in &some {
                assert_eq!(&found[place].text, text);
                assert_eq!(found[place].hash, hash::text(text));
                assert!(found[place].is_whole);
            }
        }
        // What comes first is read first.
        let little = source.texts_at(&places, BLOCK_BYTES, 2, &Silent).unwrap();
        assert!(little.contains_key(&places[0]) && little.len() < some.len());
        assert!(source.texts_at(&places, 0, 2, &Silent).unwrap().is_empty());
    }
}
