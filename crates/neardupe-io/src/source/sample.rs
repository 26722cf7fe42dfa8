//! A sample of a source, to learn about the whole: stretches from all over the input.

use super::detect::format_by_name;
use super::discover::InputFile;
use super::entry_starts::next_entry_start;
use super::format::Layout;
use super::read::FileSource;
use super::work::ReadTask;
use crate::compress;
use neardupe_core::document::{Origin, PartRead, Progress, Side, Sink, Source};
use neardupe_core::error::Result;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stretches of streams, at most.
const MAX_STREAMS: usize = 48;
/// Bytes of a block of rows, at least about: fewer as stored.
const BLOCK_BYTES: u64 = 4 << 20;
/// Files that are one document, at most.
const MAX_DOCUMENTS: usize = 20_000;

/// A source that reads some of another one.
pub struct Sample<'a> {
    /// The whole source.
    source: &'a FileSource,
    /// What is read, in no need of an order.
    tasks: Vec<ReadTask>,
    /// Counts stored bytes while tasks are read.
    read_bytes: AtomicU64,
    /// Whether the tasks are all of the source.
    all: bool,
}

/// About `wanted` bytes as stored, from all over the input; everything when it is less.
pub(super) fn sample_of(source: &FileSource, wanted: u64) -> Result<Sample<'_>> {
    let all = source.tasks()?;
    let total = source.total_bytes();
    let is_all = total <= wanted;
    let mut sample = Sample {
        source,
        tasks: Vec::new(),
        read_bytes: AtomicU64::new(0),
        all: is_all,
    };
    // Small enough: the sample is the input, in its own order.
    if is_all {
        sample.tasks = all.tasks().to_vec();
        return Ok(sample);
    }
    let is_stream = |task: &&ReadTask| matches!(task, ReadTask::Stream { .. });
    let (streams, others): (Vec<&ReadTask>, Vec<&ReadTask>) =
        all.tasks().iter().partition(is_stream);
    // Each kind gets the share of the sample that it has of the input.
    let stream_total: u64 = streams.iter().map(|task| bytes_of(source, task)).sum();
    let share = |bytes: u64| {
        let product = u128::from(wanted) * u128::from(bytes);
        u64::try_from(product / u128::from(total.max(1))).unwrap_or(wanted)
    };
    // Streams are sampled at their start, where nothing has to be unpacked to come there, and in the middle
    // where entries can be found without reading from the start.
    sample.tasks = stretches(source, &spread(&streams, MAX_STREAMS));
    let num_streams = sample.tasks.len().max(1) as u64;
    // At least a mebibyte each: less would show hardly more than the head of an archive.
    let stream_bytes = (share(stream_total) / num_streams).max(1 << 20);
    for task in &mut sample.tasks {
        if let ReadTask::Stream { most, .. } = task {
            *most = Some(stream_bytes);
        }
    }
    // Ranges, row groups and documents: as many of them as fit into their share, evenly
    // spread.
    let other_total = total.saturating_sub(stream_total);
    let mean = other_total / others.len().max(1) as u64;
    let most = share(other_total) / mean.max(1);
    let most =
        usize::try_from(most).map_or(MAX_DOCUMENTS, |it| it.clamp(1, MAX_DOCUMENTS));
    let mut others = spread(&others, most);
    // A row group may be the whole file: of each no more than its share is read.
    let each = share(other_total) / others.len().max(1) as u64;
    for task in &mut others {
        if let ReadTask::RowGroup { most, .. } = task {
            let blocks = u32::try_from(each / BLOCK_BYTES).unwrap_or(u32::MAX);
            *most = Some(blocks.max(1));
        }
    }
    sample.tasks.extend(others);
    Ok(sample)
}

/// Where to begin in streams: at their start and, where entries can be found in the
/// middle of a file, at places all over it.
fn stretches(source: &FileSource, streams: &[ReadTask]) -> Vec<ReadTask> {
    // Few streams are entered at many places, many streams at their start only.
    let each = (MAX_STREAMS / streams.len().max(1)).max(1) as u64;
    let mut stretches = Vec::new();
    for task in streams {
        let ReadTask::Stream { file, format, .. } = *task else {
            continue;
        };
        let input = &source.files[file as usize];
        let begin = |start: u64| ReadTask::Stream {
            file,
            format,
            start,
            most: None,
        };
        let place = |number: u64| match (&input.path, format) {
            _ if number == 0 => Some(0),
            (Some(path), Some(format)) => {
                next_entry_start(path, format, input.bytes / each * number)
            }
            _ => None,
        };
        stretches.extend((0..each).filter_map(place).map(begin));
    }
    stretches
}

/// Bytes of a task, as stored; of a row group as if it were the whole file.
fn bytes_of(source: &FileSource, task: &ReadTask) -> u64 {
    match *task {
        ReadTask::Range { start, end, .. } => end - start,
        ReadTask::Stream { file, .. }
        | ReadTask::Document { file, .. }
        | ReadTask::RowGroup { file, .. } => source.files[file as usize].bytes,
    }
}

/// Bytes of text that the files hold at most, as far as their names show.
pub(super) fn most_text_bytes(files: &[InputFile]) -> u64 {
    let packed = |name: &str| {
        let format = format_by_name(Path::new(name)).map(|format| format.spec().layout);
        let is_packed_inside = match format {
            Some(Layout::Columns) => true,
            Some(
                Layout::Lines
                | Layout::Table { .. }
                | Layout::Entries(_)
                | Layout::Document { .. },
            )
            | None => false,
        };
        is_packed_inside || compress::without_ending(name) != name
    };
    // Text is taken to pack to a twelfth at best. This is an upper limit and no estimate.
    let bytes = files.iter().map(|file| {
        if packed(&file.name) {
            file.bytes.saturating_mul(12)
        } else {
            file.bytes
        }
    });
    bytes.sum()
}

/// Up to `most` of these, evenly spread.
fn spread(tasks: &[&ReadTask], most: usize) -> Vec<ReadTask> {
    let most = most.min(tasks.len());
    // The middles of `most` equal stretches: the first and the last task of an input are often unlike others.
    let places = (0..most).map(|number| (2 * number + 1) * tasks.len() / (2 * most));
    places.map(|at| *tasks[at]).collect()
}

impl Sample<'_> {
    /// Bytes of the input that were read, as stored.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    /// Whether it is everything.
    pub fn is_all(&self) -> bool {
        self.all
    }
}

/// Counts the bytes that are read.
struct CountedProgress<'a> {
    /// Who is shown the progress.
    progress: &'a dyn Progress,
    /// The count of the sample.
    total: &'a AtomicU64,
}

impl Progress for CountedProgress<'_> {
    fn begin(&self, stage: &'static str, total: u64) {
        self.progress.begin(stage, total);
    }

    fn advance(&self, amount: u64) {
        self.progress.advance(amount);
        self.total.fetch_add(amount, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }
}

impl Source for Sample<'_> {
    fn total_bytes(&self) -> u64 {
        0
    }

    /// As of the source: a sample can be read again if the source can.
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
        Ok(1)
    }

    fn read_part(
        &self,
        _part: u32,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<PartRead> {
        let counted = CountedProgress {
            progress,
            total: &self.read_bytes,
        };
        let read = self
            .source
            .read_tasks(&self.tasks, Vec::new(), sinks, &counted)?;
        match read {
            (_, Some(error)) => Err(error),
            (read, None) => Ok(read),
        }
    }
}
