//! How far a search for passages has come, in the work directory: which parts are read, and which texts are
//! searched.
//!
//! Texts of a part go to files when it is entered, and stay in memory too where they are: only what has no room is
//! read from files. A job that goes on takes texts back into memory, as long as there is room, while it counts their
//! seeds again: that is cheaper than to keep the counters.

use super::collect::{Gathered, OfThread, SharedReading, TextRow, log_name};
use super::counts::SeedCounter;
use super::search::{PassageRow, SearchCounts};
use super::texts::{StoredText, TextEntry, TextParts, Words};
use crate::document::{BlockRead, PartRead, WorkFile, check_cancelled};
use crate::error::{Error, Result};
use crate::numbers::narrow;
use crate::passage::seeds;
use crate::pipeline::doc_log::Log;
use crate::store::{FrameFile, Sorter, Stage, WorkDir};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Texts that a thread takes back at a time.
const BATCH: usize = 1 << 12;
/// The stage of the search in the manifest. Each save replaces the one before.
const SEARCH: &str = "search";

/// What the manifest says of a part that is done.
#[derive(Debug, Serialize, Deserialize)]
struct PartDone {
    read: PartRead,
    /// One log for each thread.
    logs: Vec<WorkFile>,
    /// One file for each thread that had a new text.
    texts: Vec<TextsDone>,
    /// Whether an equal text may have been put away twice; see [`SharedReading`].
    forgot: bool,
}

/// A file of texts, and where in it their table is.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TextsDone {
    file: WorkFile,
    table: u64,
}

/// The stage of a part in the manifest.
fn stage_name(part: u32) -> String {
    format!("read-{part:05}")
}

/// A hash as its lower and its upper half: a row with `u128` would have gaps for its alignment.
#[expect(clippy::cast_possible_truncation, reason = "cut in two halves")]
fn halves(hash: u128) -> [u64; 2] {
    [hash as u64, (hash >> 64) as u64]
}

/// Enters parts in the manifest, all of them or none: what they have forgotten is known of all together.
/// A part alone could name a text that another part has put away, and that a resumed job does not have.
pub(super) fn enter_parts(
    work: &WorkDir,
    parts: Vec<(u32, Vec<OfThread<'_>>)>,
    shared: &SharedReading<'_>,
    read: &[PartRead],
    gathered: &mut Gathered,
) -> Result<()> {
    let mut stages = Vec::new();
    for (part, of_threads) in parts {
        // Files of different threads are written at the same time, and taken in the order of the
        // threads.
        let written = of_threads.into_par_iter().map(|one| write(work, one));
        let written: Vec<Written> = written.collect::<Result<_>>()?;
        let mut done = PartDone {
            read: read[part as usize].clone(),
            logs: Vec::new(),
            texts: Vec::new(),
            forgot: shared.forgot.load(Ordering::Relaxed),
        };
        for one in written {
            if let Some(texts) = one.texts {
                gathered.files[one.slot as usize] = Some(work.open(&texts.file)?);
                done.texts.push(texts);
            }
            gathered.logs.push(Log::open(work, &one.log)?);
            done.logs.push(one.log);
            gathered.rows.extend(one.rows);
        }
        let texts = done.texts.iter().map(|texts| texts.file.clone());
        let read = done.read.files.iter().cloned();
        let files = done.logs.iter().cloned().chain(texts).chain(read).collect();
        stages.push((stage_name(part), Stage::new(&done, files)?));
    }
    work.commit_all(stages, &[])
}

/// What one thread collected of one part, in files. The rows still say where each text is now: in memory,
/// or in the file.
struct Written {
    slot: u32,
    log: WorkFile,
    texts: Option<TextsDone>,
    rows: Vec<TextRow>,
}

/// Writes what is still in memory. Texts stay there as well: the search would read them back at once.
fn write(work: &WorkDir, mut of_thread: OfThread<'_>) -> Result<Written> {
    let name = log_name(&of_thread.name);
    let log = match of_thread.log_file {
        Some(file) => file,
        None => of_thread.log.spill(work, &name)?.ok_or_else(|| {
            Error::Internal("a log that is neither in memory nor in a file".to_owned())
        })?,
    };
    // The table comes after the texts it points to, so a file that is cut off has none.
    let mut table = Vec::with_capacity(of_thread.texts.len());
    for row in &of_thread.texts {
        table.push(TextEntry {
            hash: halves(row.hash),
            start: match &row.stored {
                StoredText::Memory(parts) => of_thread.writer.write(parts)?,
                StoredText::File { start, .. } => *start,
            },
            number: row.number,
            num_words: row.num_words,
        });
    }
    let texts = if table.is_empty() {
        None
    } else {
        let place = of_thread.writer.write_table(&table)?;
        let file = of_thread.writer.finish()?;
        file.map(|file| TextsDone { file, table: place })
    };
    Ok(Written {
        slot: of_thread.slot,
        log,
        texts,
        rows: of_thread.texts,
    })
}

/// Takes up the parts that an interrupted job has read: their logs, their texts, and what follows from
/// texts and was never stored, namely the claims and the counts of seeds.
pub(super) fn take_parts(
    shared: &SharedReading<'_>,
    parts: &mut Vec<PartRead>,
) -> Result<Gathered> {
    let work = shared.work;
    let mut gathered = Gathered::default();
    // Parts are entered in order, so the first that is missing ends the list.
    for part in 0.. {
        let Some((done, _)) = work.stage::<PartDone>(&stage_name(part))? else {
            break;
        };
        shared.forgot.fetch_or(done.forgot, Ordering::Relaxed);
        for file in &done.logs {
            gathered.logs.push(Log::open(work, file)?);
        }
        for texts in &done.texts {
            let file = work.open(&texts.file)?;
            let mut table: Vec<TextEntry> = Vec::new();
            file.read(texts.table, &mut table)?;
            let slot = narrow(gathered.files.len(), "files of texts")?;
            gathered.rows.extend(table.iter().map(|entry| TextRow {
                number: entry.number,
                hash: u128::from(entry.hash[0]) | (u128::from(entry.hash[1]) << 64),
                num_words: entry.num_words,
                stored: StoredText::File {
                    file: slot,
                    start: entry.start,
                },
            }));
            gathered.files.push(Some(file));
        }
        parts.push(done.read);
    }
    if parts.is_empty() {
        return Ok(gathered);
    }
    shared.enters.store(true, Ordering::Relaxed);
    // Parts are read one after the other, so no number is missing.
    let next = narrow(gathered.rows.len(), "different texts")?;
    shared.next_text.store(next, Ordering::Relaxed);
    let files = &gathered.files;
    gathered.rows.par_chunks_mut(BATCH).try_for_each(|rows| {
        check_cancelled(shared.progress)?;
        take_texts(shared, rows, files)
    })?;
    let blocks = parts.iter().flat_map(|part| &part.blocks);
    let bytes = blocks.map(|block: &BlockRead| block.bytes).sum();
    shared.progress.advance(bytes);
    Ok(gathered)
}

/// Remembers texts, counts their seeds and takes them into memory, as long as there is room.
fn take_texts(
    shared: &SharedReading<'_>,
    rows: &mut [TextRow],
    files: &[Option<FrameFile>],
) -> Result<()> {
    let mut counter = SeedCounter::new();
    let mut count = |words: &Words<'_>| {
        seeds::seeds(words.words, words.sentences, |seed, _| {
            counter.add(seed, &shared.counts);
        });
    };
    let mut buffer = Vec::new();
    for row in rows {
        // Texts that the rest of the input repeats are found by this, as if they had just been read.
        shared.texts.claim(row.hash, || row.number);
        let StoredText::File { file, start } = row.stored else {
            continue;
        };
        let Some(file) = files.get(file as usize).and_then(Option::as_ref) else {
            continue;
        };
        // Without room for the text its words alone are read: they are enough for counting seeds.
        if shared.is_full() {
            count(&Words::read(file, start, &mut buffer)?);
            continue;
        }
        let parts = TextParts::read(file, start)?;
        count(&parts.words()?);
        if shared.hold(parts.bytes()) {
            row.stored = StoredText::Memory(parts);
        }
    }
    counter.finish(&shared.counts);
    Ok(())
}

/// Texts on the right that are still to be compared, each with the texts on the left from one on. Areas
/// and not numbers of windows: a resumed job may have another memory, and other windows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Area {
    pub(super) right: Range<u32>,
    pub(super) from: u32,
}

/// A search under way.
pub(super) struct SearchState<'a> {
    work: &'a WorkDir,
    pub(super) found: Sorter<'a, PassageRow>,
    pub(super) counts: SearchCounts,
    pub(super) num_windows: u32,
    /// What is left, but for the window at hand.
    pub(super) left: VecDeque<Area>,
}

/// What the manifest says of a search. Counts are there too, so that a resumed job reports what the whole
/// search did.
#[derive(Debug, Serialize, Deserialize)]
struct SearchDone {
    left: Vec<Area>,
    rows: u64,
    visited: u64,
    pairs: u64,
    compared: u64,
    windows: u32,
}

impl<'a> SearchState<'a> {
    /// Where the search of an interrupted job is; its beginning when there is none.
    pub(super) fn take(work: &'a WorkDir, rows: u64, num_texts: u32) -> Result<Self> {
        let name = "passages";
        let Some((done, files)) = work.stage::<SearchDone>(SEARCH)? else {
            let all = Area {
                right: 0..num_texts,
                from: 0,
            };
            return Ok(SearchState {
                work,
                found: Sorter::new(work, name, rows),
                counts: SearchCounts::default(),
                num_windows: 0,
                left: [all].into(),
            });
        };
        Ok(SearchState {
            work,
            found: Sorter::resume(work, name, rows, files, done.rows),
            counts: SearchCounts {
                visited: done.visited,
                pairs: done.pairs,
                compared: done.compared,
                ..SearchCounts::default()
            },
            num_windows: done.windows,
            left: done.left.into(),
        })
    }

    /// Enters how far the search is; `rest` is what is left of the window at hand. The rows found so far
    /// go to files first, so that the manifest names every row of what it calls done.
    pub(super) fn save(&mut self, rest: Option<Area>) -> Result<()> {
        let (files, rows) = self.found.save()?;
        let done = SearchDone {
            left: rest.into_iter().chain(self.left.iter().cloned()).collect(),
            rows,
            visited: self.counts.visited,
            pairs: self.counts.pairs,
            compared: self.counts.compared,
            windows: self.num_windows,
        };
        self.work.commit(SEARCH, &done, files, &[])
    }
}
