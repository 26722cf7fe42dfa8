//! First stage: records become logged documents, and texts that are cut and put away once.
//!
//! Equal texts are one text with one number, whichever thread met it first: numbers therefore depend on
//! threads, and nothing that is written may be ordered by them ([`Order`](super::order::Order) orders by
//! ids). Seeds are counted while texts are cut, so that the next stage knows which of them occur only
//! once: most do, and are never stored.
//!
//! Texts and logs stay in memory as long as they take half of what the budget has for features. From then on everything goes
//! to files, and the parts that are finished enter the manifest.

use super::config::PassagesConfig;
use super::counts::{SeedCounter, SeedCounts, SharedSeeds};
use super::saved;
use super::texts::{StoredText, TextParts, TextStore, TextWriter};
use crate::document::{
    BadRecord, Progress, Record, Sink, Source, SourceRead, WorkFile, check_cancelled,
    num_old_files,
};
use crate::error::{Error, Result};
use crate::hash::{self, TextKey};
use crate::numbers::{SetIdx, narrow, of_len};
use crate::passage::{CutText, TextCutter, seeds};
use crate::pipeline::claims::{Claimed, Claims};
use crate::pipeline::doc_log::MarkedSet;
use crate::pipeline::doc_log::{DocLog, Log, LogWriter};
use crate::pipeline::read::parts::ReadStage;
use crate::store::{FrameFile, WorkDir};
use crate::threads::Pool;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A seed takes about so many bytes of text: by this the number of counters is chosen before anything is
/// read. Too few counters cost time in the next stage, and change no result.
const BYTES_PER_SEED: u64 = 12;

/// What all collectors share.
pub(super) struct SharedReading<'a> {
    config: &'a PassagesConfig,
    pub(super) work: &'a WorkDir,
    pub(super) progress: &'a dyn Progress,
    /// Under what texts are known to be equal.
    pub(super) text_key: TextKey,
    pub(super) texts: Claims,
    pub(super) next_text: AtomicU32,
    /// Equal texts may have been put away twice.
    pub(super) forgot: AtomicBool,
    pub(super) counts: SeedCounts,
    held: AtomicU64,
    /// There is no room in memory: texts go to files from now on.
    full: AtomicBool,
    /// Parts were entered in the manifest before there was need to.
    pub(super) enters: AtomicBool,
    /// Files of old documents: the first ones.
    pub(super) num_old_files: u32,
}

impl SharedReading<'_> {
    /// Asks for room in memory; when there is none, everything spills from now on.
    pub(super) fn hold(&self, bytes: u64) -> bool {
        if self.is_full() {
            return false;
        }
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        // The other half is for what is sorted beside the texts.
        if held > self.config.budget.features / 2 {
            self.full.store(true, Ordering::Relaxed);
            return false;
        }
        true
    }

    /// Whether there is no room in memory.
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Whether parts that are read are entered in the manifest: the job is long, or it is wanted.
    fn is_entering(&self) -> bool {
        self.work.takes_stages()
            && (self.is_full() || self.enters.load(Ordering::Relaxed))
    }
}

/// What is left when all has been read.
pub(super) struct CollectedTexts {
    /// For the documents.
    pub(super) stage: ReadStage,
    /// All texts, by number.
    pub(super) texts: TextStore,
    /// The text that stands for each of equal ones; empty when each stands for itself.
    pub(super) same: Vec<u32>,
    /// Number of words of each text.
    pub(super) num_words: Vec<u32>,
    pub(super) shared_seeds: SharedSeeds,
    pub(super) spilled: bool,
    /// All parts are in the manifest.
    pub(super) is_entered: bool,
    /// Bytes of texts and logs in memory.
    pub(super) held: u64,
    /// Files of old documents: the first ones.
    pub(super) num_old_files: u32,
}

/// What has been read so far.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) logs: Vec<Log>,
    pub(super) rows: Vec<TextRow>,
    pub(super) files: Vec<Option<FrameFile>>,
}

/// Reads everything that has not been read.
pub(super) fn collect(
    source: &dyn Source,
    config: &PassagesConfig,
    work: &WorkDir,
    progress: &dyn Progress,
    pool: &Pool,
) -> Result<CollectedTexts> {
    let expected = match source.total_bytes() {
        // Not known: a table that serves some ten millions.
        0 => 1 << 23,
        bytes => bytes / BYTES_PER_SEED,
    };
    let shared = SharedReading {
        config,
        work,
        progress,
        text_key: TextKey::new(work.key()),
        texts: Claims::new(config.budget.claims),
        next_text: AtomicU32::new(0),
        forgot: AtomicBool::new(false),
        counts: SeedCounts::new(expected, config.budget.counters.min(1 << 28)),
        held: AtomicU64::new(0),
        full: AtomicBool::new(false),
        enters: AtomicBool::new(config.budget.checkpoint),
        // Without `against` all documents are new.
        num_old_files: match config.against {
            None => 0,
            Some(_) => num_old_files(source)?,
        },
    };
    let threads = config.budget.read_threads.min(config.threads).max(1);
    let mut stage = ReadStage::default();
    progress.begin("read", source.total_bytes());
    let mut gathered = pool.install(|| saved::take_parts(&shared, &mut stage.parts))?;
    // As many as parts of the source, which has numbers of 32 bits for them.
    let mut part = of_len(stage.parts.len());
    // Parts that were read while nothing was entered.
    let mut waiting: Vec<(u32, Vec<OfThread<'_>>)> = Vec::new();
    while part < source.num_parts()? {
        check_cancelled(progress)?;
        let mut collectors = Vec::new();
        for thread in 0..threads {
            let slot = narrow(gathered.files.len(), "files of texts")?;
            gathered.files.push(None);
            let name = format!("{part:05}-{thread}");
            collectors.push(TextCollector::new(&shared, name, slot));
        }
        let sinks = collectors.iter_mut().map(|one| one as &mut dyn Sink);
        stage
            .parts
            .push(source.read_part(part, sinks.collect(), progress)?);
        let of_threads = collectors.into_iter().map(TextCollector::finish);
        waiting.push((part, of_threads.collect::<Result<_>>()?));
        if shared.is_entering() {
            let waiting = std::mem::take(&mut waiting);
            pool.install(|| {
                saved::enter_parts(work, waiting, &shared, &stage.parts, &mut gathered)
            })?;
        }
        part += 1;
    }
    for one in waiting.into_iter().flat_map(|(_, of_threads)| of_threads) {
        one.gather(work, &mut gathered)?;
    }
    let Gathered {
        logs,
        mut rows,
        files,
    } = gathered;
    stage.log = DocLog::new(logs);
    stage.read = SourceRead::gather(source.file_names(), &stage.parts);
    stage.num_sets = shared.next_text.load(Ordering::Relaxed);
    rows.par_sort_unstable_by_key(|row| row.number);
    let same = if shared.forgot.load(Ordering::Relaxed) {
        find_same(&rows)
    } else {
        Vec::new()
    };
    let num_words = rows.iter().map(|row| row.num_words).collect();
    let stored = rows.into_iter().map(|row| row.stored).collect();
    let is_entered = shared.is_entering();
    Ok(CollectedTexts {
        stage,
        texts: TextStore { stored, files },
        same,
        num_words,
        held: shared
            .held
            .load(Ordering::Relaxed)
            .min(config.budget.features / 2),
        spilled: is_entered || shared.is_full(),
        is_entered,
        num_old_files: shared.num_old_files,
        shared_seeds: shared.counts.done(),
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
pub(super) struct TextRow {
    pub(super) number: u32,
    /// Under what it is remembered.
    pub(super) hash: u128,
    pub(super) num_words: u32,
    pub(super) stored: StoredText,
}

/// Takes the records of one thread, of one part of the source.
struct TextCollector<'a> {
    shared: &'a SharedReading<'a>,
    /// Part and thread, to name files by.
    name: String,
    /// Place of its file of texts among all.
    slot: u32,
    cutter: TextCutter,
    cut: CutText,
    seeds: SeedCounter,
    texts: Vec<TextRow>,
    writer: TextWriter<'a>,
    log: LogWriter,
}

/// What one thread collected of one part.
pub(super) struct OfThread<'a> {
    pub(super) name: String,
    pub(super) slot: u32,
    pub(super) log: Log,
    pub(super) log_file: Option<WorkFile>,
    pub(super) texts: Vec<TextRow>,
    pub(super) writer: TextWriter<'a>,
}

impl OfThread<'_> {
    /// Adds it to what has been read, without a trace in the manifest.
    fn gather(self, work: &WorkDir, gathered: &mut Gathered) -> Result<()> {
        gathered.logs.push(match &self.log_file {
            Some(file) => Log::open(work, file)?,
            None => self.log,
        });
        gathered.rows.extend(self.texts);
        if let Some(file) = self.writer.finish()? {
            gathered.files[self.slot as usize] = Some(work.open(&file)?);
        }
        Ok(())
    }
}

/// What the log of a part and thread is called.
pub(super) fn log_name(name: &str) -> String {
    format!("log-{name}")
}

impl<'a> TextCollector<'a> {
    fn new(shared: &'a SharedReading<'a>, name: String, slot: u32) -> Self {
        TextCollector {
            shared,
            slot,
            cutter: TextCutter::default(),
            cut: CutText::default(),
            seeds: SeedCounter::new(),
            texts: Vec::new(),
            writer: TextWriter::new(shared.work, &name),
            log: LogWriter::default(),
            name,
        }
    }

    /// All records have come.
    fn finish(mut self) -> Result<OfThread<'a>> {
        self.seeds.finish(&self.shared.counts);
        if self.shared.is_full() {
            let name = log_name(&self.name);
            self.log.write_blocks(self.shared.work, &name)?;
        }
        let (log, log_file) = self.log.finish()?;
        Ok(OfThread {
            name: self.name,
            slot: self.slot,
            log,
            log_file,
            texts: self.texts,
            writer: self.writer,
        })
    }

    /// The number of a text, which is cut and put away when it is new.
    fn text_of(&mut self, record: &Record<'_>, text_key: u128) -> Result<MarkedSet> {
        let shared = self.shared;
        // An old document and a new one with the same text are compared.
        let is_old = record.position.file < shared.num_old_files;
        let hash = text_key ^ u128::from(is_old);
        if let Some(text) = shared.texts.get(hash) {
            return Ok(MarkedSet::of_bits(text));
        }
        // Cut before it is claimed: two threads may cut the same text at the same time, and the one
        // that claims it second throws its work away. Claiming first would make others wait for the
        // cut.
        check_text_len(record.text)?;
        self.cutter.cut(record.text, &mut self.cut);
        if self.cut.words.is_empty() {
            // Remembered too, so that the next empty text is not cut again.
            shared.texts.claim(hash, || MarkedSet::NONE.bits());
            return Ok(MarkedSet::NONE);
        }
        let mut new = 0;
        let next = || shared.next_text.fetch_add(1, Ordering::Relaxed);
        match shared.texts.claim(hash, || {
            new = next();
            new
        }) {
            Claimed::Known(text) => return Ok(MarkedSet::of_bits(text)),
            Claimed::First => {}
            // It gets a number of its own, and equal texts are brought together after reading
            // (`find_same`).
            Claimed::NoRoom => {
                new = next();
                shared.forgot.store(true, Ordering::Relaxed);
            }
        }
        if new >= MarkedSet::MAX_SETS {
            return Err(too_many_texts(new));
        }
        seeds::seeds(&self.cut.words, &self.cut.sentence_words, |seed, _| {
            self.seeds.add(seed, &shared.counts);
        });
        let parts = TextParts::new(&self.cut, record.text)?;
        let stored = if shared.hold(parts.bytes()) {
            StoredText::Memory(parts)
        } else {
            StoredText::File {
                file: self.slot,
                start: self.writer.write(&parts)?,
            }
        };
        self.texts.push(TextRow {
            number: new,
            hash,
            num_words: of_len(self.cut.words.len()),
            stored,
        });
        Ok(MarkedSet::new(SetIdx::new(new), false, false))
    }

    /// Ends a block of the log that is full: it stays in memory, or is written when there is no room.
    fn tend_log(&mut self) -> Result<()> {
        if !self.log.is_full() {
            return Ok(());
        }
        check_cancelled(self.shared.progress)?;
        let bytes = self.log.keep_block();
        if !self.shared.hold(bytes) {
            let name = log_name(&self.name);
            self.log.write_blocks(self.shared.work, &name)?;
        }
        Ok(())
    }
}

/// Refuses a text whose bytes cannot be numbered by 32 bits. Characters, words and sentences are
/// not more than bytes, so every number that is made of a collected text fits.
fn check_text_len(text: &str) -> Result<()> {
    let (asked, allowed) = (text.len() as u64, u64::from(u32::MAX));
    if asked <= allowed {
        return Ok(());
    }
    Err(Error::Limit {
        what: "bytes of a text".to_owned(),
        asked,
        allowed,
        remedy: "lower `max-record-bytes`: longer records are then bad records"
            .to_owned(),
    })
}

/// The numbers of texts end below [`NO_SET`], with some left for threads that take one at the same time.
fn too_many_texts(number: u32) -> Error {
    Error::Limit {
        what: "different texts".to_owned(),
        asked: u64::from(number) + 1,
        allowed: u64::from(MarkedSet::MAX_SETS),
        remedy: "split the collection".to_owned(),
    }
}

impl Sink for TextCollector<'_> {
    fn give_back(&mut self) {
        self.cutter = TextCutter::default();
        self.cut = CutText::default();
    }

    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let text_hash = hash::text(record.text);
        let keyed = self.shared.text_key.text(record.text);
        let text = self.text_of(record, hash::text_identity(text_hash, keyed))?;
        // The text was collected, and has no more characters than bytes.
        let chars = of_len(record.text.chars().count());
        // The log has every document in the order of its thread; `documents::gather` puts them in
        // order.
        self.log.document(record, text, (text_hash, keyed), chars)?;
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
