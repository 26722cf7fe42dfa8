//! First stage: records become logged documents, and texts that are cut and put away once.

use super::config::PassagesConfig;
use super::counts::{SeedCounter, SeedCounts, SharedSeeds};
use super::texts::{Stored, TextParts, TextWriter, Texts};
use crate::document::{
    BadRecord, Progress, Record, Sink, Source, SourceRead, check_cancelled, num_old_files,
};
use crate::error::{Error, Result};
use crate::hash;
use crate::passage::{CutText, TextCutter, seeds};
use crate::pipeline::claims::{Claimed, Claims};
use crate::pipeline::doc_log::{DocLog, Log, LogWriter};
use crate::pipeline::documents::NO_SET;
use crate::pipeline::read::ReadStage;
use crate::store::WorkDir;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A seed takes about so many bytes of text.
const BYTES_PER_SEED: u64 = 12;

/// What all collectors share.
struct Shared<'a> {
    config: &'a PassagesConfig,
    work: &'a WorkDir,
    progress: &'a dyn Progress,
    texts: Claims,
    next_text: AtomicU32,
    /// Equal texts may have been put away twice.
    forgot: AtomicBool,
    counts: SeedCounts,
    held: AtomicU64,
    spilling: AtomicBool,
    /// Files of old documents: the first ones.
    num_old_files: u32,
}

impl Shared<'_> {
    /// Asks for room in memory; when there is none, everything spills from now on.
    fn hold(&self, bytes: u64) -> bool {
        if self.spilling.load(Ordering::Relaxed) {
            return false;
        }
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // The other half is for what is sorted beside the texts.
        if held > self.config.budget.features / 2 {
            self.spilling.store(true, Ordering::Relaxed);
            return false;
        }
        true
    }
}

/// What is left when all has been read.
pub(super) struct Collected {
    /// For the documents.
    pub(super) stage: ReadStage,
    /// All texts, by number.
    pub(super) texts: Texts,
    /// The text that stands for each of equal ones; empty when each stands for itself.
    pub(super) same: Vec<u32>,
    /// Number of words of each text.
    pub(super) num_words: Vec<u32>,
    pub(super) shared_seeds: SharedSeeds,
    pub(super) spilled: bool,
    /// Bytes of texts and logs in memory.
    pub(super) held: u64,
    /// Files of old documents: the first ones.
    pub(super) num_old_files: u32,
}

/// Reads everything.
pub(super) fn collect(
    source: &dyn Source,
    config: &PassagesConfig,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<Collected> {
    let expected = match source.total_bytes() {
        // Not known: a table that serves some ten millions.
        0 => 1 << 23,
        bytes => bytes / BYTES_PER_SEED,
    };
    let shared = Shared {
        config,
        work,
        progress,
        texts: Claims::new(config.budget.claims),
        next_text: AtomicU32::new(0),
        forgot: AtomicBool::new(false),
        counts: SeedCounts::new(expected, config.budget.counters.min(1 << 28)),
        held: AtomicU64::new(0),
        spilling: AtomicBool::new(false),
        // Without `against` all documents are new.
        num_old_files: match config.against {
            None => 0,
            Some(_) => num_old_files(source)?,
        },
    };
    let threads = config.budget.read_threads.min(config.threads).max(1);
    let mut collectors: Vec<Collector<'_>> = (0u32..)
        .take(threads)
        .map(|number| Collector::new(&shared, number))
        .collect();
    let mut stage = ReadStage::default();
    progress.begin("read", source.total_bytes());
    for part in 0..source.num_parts()? {
        check_cancelled(progress)?;
        let sinks = collectors.iter_mut().map(|one| one as &mut dyn Sink);
        stage
            .parts
            .push(source.read_part(part, sinks.collect(), progress)?);
    }
    let (mut logs, mut rows, mut files) = (Vec::new(), Vec::new(), Vec::new());
    for collector in collectors {
        let (log, texts, file) = collector.finish()?;
        logs.push(log);
        rows.extend(texts);
        files.push(file);
    }
    stage.log = DocLog::new(logs);
    stage.read = SourceRead::gather(source.file_names(), &stage.parts);
    stage.num_sets = shared.next_text.load(Ordering::Relaxed);
    rows.par_sort_unstable_by_key(|row| row.number);
    let same = match shared.forgot.load(Ordering::Relaxed) {
        true => find_same(&rows),
        false => Vec::new(),
    };
    let num_words = rows.iter().map(|row| row.num_words).collect();
    let stored = rows.into_iter().map(|row| row.stored).collect();
    Ok(Collected {
        stage,
        texts: Texts { stored, files },
        same,
        num_words,
        shared_seeds: shared.counts.done(),
        held: shared
            .held
            .load(Ordering::Relaxed)
            .min(config.budget.features / 2),
        spilled: shared.spilling.load(Ordering::Relaxed),
        num_old_files: shared.num_old_files,
    })
}

/// For each text the first that is equal to it.
fn find_same(rows: &[TextRow]) -> Vec<u32> {
    let mut by_hash: Vec<(u128, u32)> =
        rows.iter().map(|row| (row.hash, row.number)).collect();
    by_hash.par_sort_unstable();
    let mut same: Vec<u32> = rows.iter().map(|row| row.number).collect();
    for equal in by_hash.chunk_by(|left, right| left.0 == right.0) {
        for &(_, text) in equal {
            same[text as usize] = equal[0].1;
        }
    }
    same
}

/// A text that was put away.
struct TextRow {
    number: u32,
    hash: u128,
    num_words: u32,
    stored: Stored,
}

/// Takes the records of one thread.
struct Collector<'a> {
    shared: &'a Shared<'a>,
    number: u32,
    cutter: TextCutter,
    cut: CutText,
    seeds: SeedCounter,
    texts: Vec<TextRow>,
    writer: TextWriter<'a>,
    log: LogWriter,
}

impl<'a> Collector<'a> {
    fn new(shared: &'a Shared<'a>, number: u32) -> Self {
        Collector {
            shared,
            number,
            cutter: TextCutter::default(),
            cut: CutText::default(),
            seeds: SeedCounter::new(),
            texts: Vec::new(),
            writer: TextWriter::new(shared.work, number),
            log: LogWriter::default(),
        }
    }

    fn log_name(&self) -> String {
        format!("log-{:04}", self.number)
    }

    /// All records have come.
    fn finish(mut self) -> Result<(Log, Vec<TextRow>, Option<crate::store::FrameFile>)> {
        self.seeds.finish(&self.shared.counts);
        if self.shared.spilling.load(Ordering::Relaxed) {
            let name = self.log_name();
            self.log.write_blocks(self.shared.work, &name)?;
        }
        let log = match self.log.finish()? {
            (_, Some(file)) => Log::open(self.shared.work, &file)?,
            (log, None) => log,
        };
        Ok((log, self.texts, self.writer.finish()?))
    }

    /// The number of a text, which is cut and put away when it is new.
    fn text_of(&mut self, record: &Record<'_>, text_hash: u128) -> Result<u32> {
        let shared = self.shared;
        // An old document and a new one with the same text are compared.
        let is_old = record.position.file < shared.num_old_files;
        let hash = text_hash ^ u128::from(is_old);
        if let Some(text) = shared.texts.get(hash) {
            return Ok(text);
        }
        self.cutter.cut(record.text, &mut self.cut);
        if self.cut.words.is_empty() {
            shared.texts.claim(hash, || NO_SET);
            return Ok(NO_SET);
        }
        let mut new = NO_SET;
        let next = || shared.next_text.fetch_add(1, Ordering::Relaxed);
        match shared.texts.claim(hash, || {
            new = next();
            new
        }) {
            Claimed::Known(text) => return Ok(text),
            Claimed::First => {}
            Claimed::NoRoom => {
                new = next();
                shared.forgot.store(true, Ordering::Relaxed);
            }
        }
        if new >= NO_SET - 2 {
            narrow(usize::MAX)?;
        }
        seeds::seeds(&self.cut.words, &self.cut.sentence_words, |seed, _| {
            self.seeds.add(seed, &shared.counts);
        });
        let parts = TextParts::new(&self.cut, record.text);
        let stored = match shared.hold(parts.bytes()) {
            true => Stored::Memory(parts),
            false => self.writer.write(&parts)?,
        };
        self.texts.push(TextRow {
            number: new,
            hash,
            num_words: narrow(self.cut.words.len())?,
            stored,
        });
        Ok(new)
    }

    fn tend_log(&mut self) -> Result<()> {
        if !self.log.is_full() {
            return Ok(());
        }
        check_cancelled(self.shared.progress)?;
        let bytes = self.log.keep_block();
        if !self.shared.hold(bytes) {
            let name = self.log_name();
            self.log.write_blocks(self.shared.work, &name)?;
        }
        Ok(())
    }
}

fn narrow(value: usize) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::Limit {
        what: "documents, or words of a document".to_owned(),
        asked: value as u64,
        allowed: u64::from(u32::MAX),
        remedy: "split the collection".to_owned(),
    })
}

impl Sink for Collector<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let text_hash = hash::text(record.text);
        let text = self.text_of(record, text_hash)?;
        let chars = narrow(record.text.chars().count())?;
        self.log.document(record, text, text_hash, chars)?;
        self.tend_log()
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        if self.shared.config.strict {
            let what = format!("record with a fault of kind {}", bad.kind.name());
            let why = format!("{}; stopped by `strict`", bad.detail);
            return Err(Error::input(what, why));
        }
        self.log.bad(&bad)?;
        self.tend_log()
    }
}
