//! What a job will need, estimated from a sample: the job itself is run on stretches from all over the
//! input, with the memory scaled down as the input is.
//!
//! Memory and disk are sums of what each stage holds, bytes per feature, document or key, with
//! constants that were measured on the stages themselves: whoever changes what a stage holds measures
//! them again (bench/record). Time is the time of the sample, scaled. All of it is an estimate: a job
//! that needs more than announced still spills and ends well, unless the disk is full.

use super::antecedents::count_antecedents;
use super::job::FindJob;
use super::planned::plan_sampling;
use super::run::specify_signatures;
use crate::numbers::bytes;
use crate::system::disk;
use neardupe_core::document::{Progress, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::frequency::DEFAULT_MAX_ENTRIES;
use neardupe_core::numbers::DocIdx;
use neardupe_core::pipeline::documents::Documents;
use neardupe_core::pipeline::recall;
use neardupe_core::pipeline::{FindConfig, FindResult, find_in};
use neardupe_core::store::{Budget, WorkDir};
use neardupe_io::source::FileSource;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Bytes of the input that are read to learn about the rest: a sixteenth, within these.
const SAMPLE_BYTES: std::ops::RangeInclusive<u64> = 64 << 20..=512 << 20;

/// Memory for each byte of the sample. It is compared in memory, and so the whole job would have to be
/// sampled by less: documents of two words with 128 numbers of a signature take 24 bytes for a byte, as measured.
const MEMORY_FOR_SAMPLE: u64 = 32;

/// What a job will need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Bytes to read, as stored.
    pub bytes: u64,
    /// Documents.
    pub documents: u64,
    /// Distinct features summed over documents.
    pub features: u64,
    /// Most memory.
    pub memory_bytes: u64,
    /// Memory in which everything would fit.
    pub memory_for_all_bytes: u64,
    /// Most bytes in the work directory.
    pub disk_bytes: u64,
    /// Whether the work directory is used.
    pub spills: bool,
    /// Seconds.
    pub seconds: f64,
    /// Documents of the sample.
    pub sample_documents: u64,
    /// Share of the input that was read.
    pub sample_share: f64,
}

/// A sample and what was found in it.
struct Sampled {
    result: FindResult,
    /// The job as it was run, with the signatures of the sample.
    config: FindConfig,
    /// Distinct features that were counted for them.
    num_counted: u64,
    /// The share of features that a plan of sampling keeps, where one was made first.
    planned_share: Option<f64>,
    /// Seconds of its stages.
    seconds: Seconds,
    /// How much larger the whole input is.
    scale: f64,
}

/// Estimates a job. `in_full` takes a larger sample, and runs it a second time as the job will run,
/// with a work directory if it needs one: for `plan`. Without it the time is only a rough one: for the
/// announcement of a job.
pub fn estimate(
    job: &FindJob,
    source: &FileSource,
    progress: &dyn Progress,
    in_full: bool,
) -> Result<Estimate> {
    let total = source.total_bytes();
    let wanted = if in_full {
        (total / 16).clamp(*SAMPLE_BYTES.start(), *SAMPLE_BYTES.end())
    } else {
        *SAMPLE_BYTES.start()
    };
    let wanted = wanted.min(job.config.budget.memory / MEMORY_FOR_SAMPLE);
    let trial = Trial {
        job,
        source,
        dir: dir_to_try(&job.config.work_dir),
        progress,
    };
    // In memory first: what the whole will hold is counted, and whether it spills follows from that.
    let mut sampled = trial.run(wanted, in_memory(&job.config))?;
    // With what was made of the sample for it: antecedents, plan and signatures.
    let config = sampled.config.clone();
    let config = &FindConfig {
        budget: job.config.budget,
        ..config
    };
    let whole = WholeInput::of(&sampled);
    // Another pass over a part of the sample: an announcement does without it.
    let counting = if in_full {
        trial.counting(wanted, &sampled)?
    } else {
        Counting::default()
    };
    let for_all = memory_for_all(&whole, config) + counting.table_bytes;
    // Passes before the job follow each other, so the most demanding one counts; only the table is kept.
    let for_all = for_all
        .max(counting.bytes)
        .max(study_bytes(&whole, &sampled));
    // The same rule as in the job: it spills when features exceed their share of the memory.
    let held = held_bytes(&whole, config);
    let spills = config.budget.checkpoint || held > config.budget.features;
    let mut disk_bytes = 0;
    if spills {
        disk_bytes = disk_for(&whole, config);
        if job.write_text {
            disk_bytes += whole.text_bytes;
        }
    }
    disk_bytes = disk_bytes.max(counting.disk_bytes);
    let mut writing = 0.0;
    if in_full {
        // A second run for the time: in the first one the files may not have been in the cache of the
        // system, and nothing was spilled.
        let budget = if spills {
            shrunk(&config.budget, sampled.scale)
        } else {
            in_memory(config)
        };
        if spills {
            writing = seconds_to_write(&trial.dir, disk_bytes);
        }
        sampled = trial.run(wanted, budget)?;
    }
    let memory_bytes = if spills {
        // The last eighth is a reserve for longer texts than usual; a job that spills uses the rest.
        config.budget.memory / 8 * 7
    } else {
        for_all.min(config.budget.memory)
    };
    Ok(Estimate {
        bytes: total,
        documents: whole.documents,
        features: whole.features,
        memory_bytes,
        memory_for_all_bytes: for_all,
        disk_bytes,
        spills,
        seconds: sampled.seconds.of_whole(sampled.scale) + writing,
        sample_documents: sampled.result.totals.documents,
        sample_share: 1.0 / sampled.scale,
    })
}

/// The sizes of the whole input, extrapolated.
struct WholeInput {
    documents: u64,
    features: u64,
    /// Features of sets that can have a partner.
    open_features: u64,
    /// Bytes of text, about: most characters take one.
    text_bytes: u64,
}

impl WholeInput {
    fn of(sampled: &Sampled) -> Self {
        let (documents, scale) = (&sampled.result.documents, sampled.scale);
        let copies = Copies::of(documents);
        let chars = documents.all().map(|document| documents.chars(document));
        let chars = chars.map(u64::from).sum();
        let ledger = &sampled.result.ledger;
        let open_sets = ledger.sets - ledger.without_partner;
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let open_share = open_sets as f64 / ledger.sets.max(1) as f64;
        // Sets that are equal are stored once: the larger the input, the larger their share.
        let features = scaled(copies.features, scale * (1.0 - copies.share_at(scale)));
        // Sets that can have a partner grow as copies do, but more slowly: most
        // documents that are similar without being copies meet one already in a small sample.
        let open_share = (open_share * copies.growth(scale).sqrt()).min(1.0);
        WholeInput {
            documents: scaled(sampled.result.totals.documents, scale),
            features,
            open_features: scaled(features, open_share),
            text_bytes: scaled(chars, scale),
        }
    }
}

/// How much of a sample is copies of other documents in it. The larger the sample, the more of them
/// have their original in it: how fast that grows is estimated by comparing half of the sample with all
/// of it. The share is taken to grow as a power of the size.
struct Copies {
    /// Features of all documents.
    features: u64,
    /// Share of the features that are in copies.
    share: f64,
    /// The share grows with this power of the size, 0 to 1.
    exponent: f64,
}

/// The factor of the exponent beyond the sample, since growth slows down as collections grow.
const SLOWING: f64 = 0.8;
/// The exponent when there are too few copies to measure one.
const USUAL_EXPONENT: f64 = 0.5;
/// Fewest copies from which an exponent is measured.
const ENOUGH_COPIES: u64 = 20;

impl Copies {
    fn of(documents: &Documents) -> Self {
        let (all, copied, num_copied) = copied(documents, |_| true);
        // Half of the stretches of 32 documents, not every other document: neighbors come from one
        // place, and whether they are copies of each other says little about the rest.
        let half = copied_in_half(documents);
        let share = ratio(copied, all);
        let exponent = match half {
            Some(half) if half > 0.0 && num_copied >= ENOUGH_COPIES => {
                // From half to all the share grows by share / half, and that is 2 to the exponent.
                (share / half).log2().clamp(0.0, 1.0)
            }
            _ => USUAL_EXPONENT,
        };
        Copies {
            features: all,
            share,
            exponent,
        }
    }

    /// How much more documents have a similar one in an input that is so much larger.
    fn growth(&self, scale: f64) -> f64 {
        scale.powf(self.exponent * SLOWING)
    }

    /// The share of copies in an input that is so much larger.
    fn share_at(&self, scale: f64) -> f64 {
        // Never all: some document is the original.
        (self.share * self.growth(scale)).min(0.9)
    }
}

/// A share; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The share of copies in half of the sample; None if that half has no features.
fn copied_in_half(documents: &Documents) -> Option<f64> {
    let (all, copied, _) = copied(documents, |document| (document.get() / 32) % 2 == 0);
    (all > 0).then(|| ratio(copied, all))
}

/// Features of some documents, those of copies among them, and how many copies there are. A copy is a
/// document whose set another one before it has.
fn copied(documents: &Documents, wanted: impl Fn(DocIdx) -> bool) -> (u64, u64, u64) {
    let mut seen = vec![false; documents.set_table().len()];
    let (mut all, mut copied, mut num_copied) = (0, 0, 0);
    for document in documents.all().filter(|&document| wanted(document)) {
        let size = u64::from(documents.size(document));
        all += size;
        let set = documents.set(document);
        if set.is_some_and(|set| std::mem::replace(&mut seen[set.index()], true)) {
            copied += size;
            num_copied += 1;
        }
    }
    (all, copied, num_copied)
}

/// Prints how much disk a job will need, and refuses a job for which there is too little: before hours
/// of work, not after. A job that surely fits in memory, by the sizes of its files, is not sampled at
/// all.
pub(super) fn announce(
    job: &FindJob,
    source: &FileSource,
    stages: &dyn Progress,
) -> Result<()> {
    // Features take up to three times the room of their text. Saturating is right: such an input may spill.
    let most = source.most_text_bytes().saturating_mul(3);
    let may_spill = most > job.config.budget.features;
    // A pipe would be consumed by the sample.
    let is_regular = source.origins()?.is_some();
    if !(is_regular && (may_spill || job.config.budget.checkpoint)) {
        return Ok(());
    }
    let estimate = estimate(job, source, &Unheard(stages), false)?;
    if !estimate.spills {
        return Ok(());
    }
    let folder = &job.config.work_dir;
    let needed = estimate.disk_bytes;
    let free = disk::free_bytes(folder);
    let shown =
        free.map_or_else(String::new, |free| format!(", {} are free", bytes(free)));
    stages.note(&format!(
        "about {} of disk are needed in {}{shown}",
        bytes(needed),
        folder.display()
    ));
    match free {
        // The estimate may be a quarter too high, and a job must not be refused that would have fitted.
        Some(free) if free < needed / 4 * 3 => Err(Error::Limit {
            what: format!("disk space in {}", folder.display()),
            asked: needed,
            allowed: free,
            remedy:
                "free some, choose another place with `work-dir`, or give more `memory`"
                    .to_owned(),
        }),
        _ => Ok(()),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "an estimate"
)]
fn scaled(number: u64, scale: f64) -> u64 {
    (number as f64 * scale) as u64
}

/// Bytes of features (8 each), and of all else that is kept of documents, while they are read: what is
/// compared with the share of the budget that decides whether a job spills. 16 bytes a key: beside the
/// features, and once more as a prefix.
fn held_bytes(whole: &WholeInput, config: &FindConfig) -> u64 {
    let of_keys = 16 * config.num_keys() as u64;
    whole.features * 8 + whole.documents * (220 + of_keys)
}

/// Memory in which a job fits without the work directory: that of its most demanding stage, as stages
/// follow each other and give their memory back.
fn memory_for_all(whole: &WholeInput, config: &FindConfig) -> u64 {
    let features = whole.features * 8;
    let num_keys = whole.documents * config.num_keys() as u64;
    let stages = match num_keys {
        0 => {
            let heads = heads_of(whole.features, config);
            let counting = features + heads + heads / 4 + heads.min(24 << 20) * 6;
            let selecting = whole.open_features * SELECTED_BYTES;
            let prefixes = prefix_share(config, whole.open_features);
            // Only representatives enter lists.
            let joining = whole.open_features * 8 + prefixes * 30;
            counting.max(selecting).max(joining)
        }
        // Methods with keys: no feature is counted, only keys are. The recall is measured before that,
        // on a sample; the two do not hold their memory at the same time.
        _ => {
            let measured = whole.features.min(recall::MAX_FEATURES);
            features + (num_keys * KEY_BYTES).max(measured * RECALL_BYTES)
        }
    };
    stages + whole.documents * 340 + PROGRAM_BYTES
}

/// Memory for each feature while prefixes are selected: it is there as read, regrouped, counted and, if
/// another set may have it, as selected. Measured on 24,000 pages: 17 bytes where nearly all are rare
/// (grams:8), 29 where nearly all are common (terms).
const SELECTED_BYTES: u64 = 24;
/// Memory for each feature of the sample on which the recall is measured, as it is selected, beside the
/// features of all: 26 bytes, as measured.
const RECALL_BYTES: u64 = 26;
/// Memory for a key: beside the features, and again as a prefix when another set has it.
const KEY_BYTES: u64 = 12;

/// Memory of the study by which a plan of sampling is made. The sample was measured with the plan, and
/// the study needs all features: those of the sample divided by the share that the plan keeps.
fn study_bytes(whole: &WholeInput, sampled: &Sampled) -> u64 {
    let Some(share) = sampled.planned_share else {
        return 0;
    };
    let features = scaled(whole.features, 1.0 / share.max(1e-6));
    features * STUDIED_BYTES + PROGRAM_BYTES
}

/// Memory of a study for each feature of a document, as measured: 40.7 bytes, from 7.5 to 14.9
/// million features.
const STUDIED_BYTES: u64 = 41;

/// Features of heads: one of the 256 parts of the feature space.
fn heads_of(features: u64, config: &FindConfig) -> u64 {
    features * config.head_parts() as u64 / 256
}

/// Features that are looked up: the share that the prefix has of a very large set, where rounding does
/// not matter.
fn prefix_share(config: &FindConfig, features: u64) -> u64 {
    let large = 1 << 16;
    let prefix = config.filters.prefix_len(config.bounds(), large);
    features / u64::from(large) * u64::from(prefix)
}

/// Bytes of disk: features and their regrouped heads, then a part of them again. The stages that hold
/// most are compared, since files of a stage are removed when the next one is done with them.
fn disk_for(whole: &WholeInput, config: &FindConfig) -> u64 {
    let heads = heads_of(whole.features, config);
    // Sets that the heads leave open are at least those with a partner, and about a tenth where there
    // are few.
    let open = whole.open_features.max(whole.features / 10);
    let counting = whole.features * 8 + heads * 4 + open * 12;
    let selecting = open * 12 + whole.open_features * 8 + prefix_share(config, open) * 8;
    whole.documents * 280 + counting.max(selecting)
}

/// A budget in which the sample fits in memory: four gigabytes for 512 MB of input at most.
fn in_memory(config: &FindConfig) -> Budget {
    Budget::new(4 << 30, config.threads)
}

/// The budget of a job that is so much smaller: the same number of runs, windows and rounds as in the
/// whole job, on the disk of the whole job. Not below 64 KiB, where overheads would dominate.
fn shrunk(budget: &Budget, scale: f64) -> Budget {
    let smaller = |bytes: u64| scaled(bytes, 1.0 / scale.max(1.0)).max(1 << 16);
    Budget {
        claims: smaller(budget.claims),
        counters: smaller(budget.counters),
        index: smaller(budget.index),
        rows: smaller(budget.rows),
        checkpoint: true,
        ..*budget
    }
}

/// A place for the work directory of the sample: in the nearest existing folder above that of the job,
/// so on the same disk. The number of the process keeps two estimates apart.
fn dir_to_try(work_dir: &Path) -> PathBuf {
    let there = work_dir.ancestors().skip(1).find(|folder| folder.is_dir());
    let name = format!(".neardupe-plan-{}", std::process::id());
    there.unwrap_or(Path::new(".")).join(name)
}

/// Runs a job on samples of its input.
struct Trial<'a> {
    job: &'a FindJob,
    source: &'a FileSource,
    /// The directory for temporary files of the sample: never the work directory of the job, which may
    /// hold an unfinished job that can be resumed.
    dir: PathBuf,
    progress: &'a dyn Progress,
}

impl Trial<'_> {
    /// Runs the job on a sample, with all passes before it: words that are counted, a plan of
    /// sampling, frequencies that signatures are made of. They are those of the sample, so the
    /// collection is not read for them.
    fn run(&self, wanted: u64, budget: Budget) -> Result<Sampled> {
        let mut job = self.job.clone();
        job.config.budget = budget;
        job.config.work_dir = self.dir.clone();
        // A bad record does not keep anybody from planning; the job itself stops at it.
        job.config.strict = false;
        let work = WorkDir::new(self.dir.clone());
        let clock = Clock::new(self.progress);
        // Each pass reads a sample of its own, since a sample counts what is read of it.
        let first = self.source.sample(wanted)?;
        count_antecedents(&mut job, &first, &clock)?;
        let planned_share = plan_sampling(&mut job, &first, &clock)?;
        let num_counted = specify_signatures(&mut job, &first, &work, &clock)?;
        let sample = self.source.sample(wanted)?;
        let result = find_in(&sample, &job.config, &work, &clock)?;
        let seconds = clock.finish();
        work.finish()?;
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let scale = if sample.is_all() {
            1.0
        } else {
            self.source.total_bytes() as f64 / sample.read_bytes().max(1) as f64
        };
        Ok(Sampled {
            result,
            config: job.config,
            num_counted,
            planned_share,
            seconds,
            // The input is never smaller than the sample, whatever was read of it.
            scale: scale.max(1.0),
        })
    }

    /// The needs of the pass that counts features for signatures. The number of different features
    /// grows more slowly than the input (Heaps' law): the exponent is measured on a quarter of the
    /// sample.
    fn counting(&self, wanted: u64, sampled: &Sampled) -> Result<Counting> {
        if sampled.num_counted == 0 {
            return Ok(Counting::default());
        }
        let mut exponent = 1.0;
        if sampled.scale > 1.0 {
            let mut job = self.job.clone();
            job.config.budget = in_memory(&job.config);
            let work = WorkDir::new(self.dir.clone());
            let part = self.source.sample(wanted / SMALLER)?;
            let progress = Clock::new(self.progress);
            let num = specify_signatures(&mut job, &part, &work, &progress)?;
            work.finish()?;
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let smaller = SMALLER as f64;
            let growth = ratio(sampled.num_counted, num.max(1));
            exponent = (growth.ln() / smaller.ln()).clamp(0.0, 1.0);
        }
        let config = &sampled.config;
        let growth = sampled.scale.powf(exponent);
        let distinct = scaled(sampled.num_counted, growth);
        let tables = config.codes.iter().map(|codes| codes.df.len());
        let lexicons = config.lexicons.iter();
        let tables = tables.chain(lexicons.map(|lexicons| lexicons.df.len()));
        let tables = tables.chain(config.df.iter().map(|table| table.len()));
        let entries = tables.max().unwrap_or(0) as u64;
        let entries = scaled(entries, growth).min(DEFAULT_MAX_ENTRIES as u64);
        let budget = &self.job.config.budget;
        let threads = budget.read_threads.min(config.threads).max(1) as u64;
        // Threads count by themselves: of a feature that is frequent each has a count.
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let of_thread = scaled(distinct, (threads as f64).powf(-exponent));
        // A hash map doubles its slots when seven eighths are taken.
        let slots = (of_thread / 7 * 8).max(1).next_power_of_two();
        let wanted = threads * slots * COUNTED_BYTES;
        let bytes = wanted.min(budget.features) + PROGRAM_BYTES;
        Ok(Counting {
            bytes,
            table_bytes: entries * TABLE_ENTRY_BYTES,
            // Maps that are full are written as sorted runs: in the end each thread may have
            // written a count of each feature.
            disk_bytes: if wanted > budget.features {
                distinct * threads * ROW_BYTES
            } else {
                0
            },
        })
    }
}

/// What counting features for signatures needs.
#[derive(Default)]
struct Counting {
    /// Memory while they are counted.
    bytes: u64,
    /// Memory of the table, while documents are compared.
    table_bytes: u64,
    /// Disk, when counts do not fit in memory.
    disk_bytes: u64,
}

/// How much smaller the sample is on which growth is measured.
const SMALLER: u64 = 4;
/// A slot in a map of counts, and the row that it becomes.
const COUNTED_BYTES: u64 = 34;
/// An entry of a table of document frequencies.
const TABLE_ENTRY_BYTES: u64 = 12;
/// A count in the work directory.
const ROW_BYTES: u64 = 16;
/// The program itself (24 MB, as measured on a job of one document) and the buffers it reads with.
const PROGRAM_BYTES: u64 = 32 << 20;

/// Bytes that the system buffers and writes while the job runs: a job waits only for the rest.
const WRITTEN_ASIDE: u64 = 2 << 30;
/// Bytes that are written to learn how fast the disk is.
const TRIED: usize = 128 << 20;

/// Seconds for which a job waits for its disk, by the speed of a file that is written and synced for
/// it. Nothing is written when all of it will be buffered.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn seconds_to_write(dir: &Path, bytes: u64) -> f64 {
    let waited_for = bytes.saturating_sub(WRITTEN_ASIDE);
    if waited_for == 0 {
        return 0.0;
    }
    let file = dir.with_extension("try");
    let begin = Instant::now();
    let written = File::create(&file).and_then(|mut file| {
        let block = vec![7; 1 << 20];
        for _ in 0..TRIED / block.len() {
            file.write_all(&block)?;
        }
        file.sync_data()
    });
    let took = begin.elapsed().as_secs_f64();
    // An estimate does not fail because of the disk: whatever cannot be written here, the job reports.
    let _ = std::fs::remove_file(&file);
    match written {
        Ok(()) => waited_for as f64 * took / TRIED as f64,
        Err(_) => 0.0,
    }
}

/// Seconds of the stages of a sample. Reading is apart, since it does not get slower as collections grow.
#[derive(Debug, Clone, Copy, Default)]
struct Seconds {
    /// Of all passes over the input.
    read: f64,
    /// Of the stages after reading.
    rest: f64,
}

impl Seconds {
    /// Seconds of the whole. Counters of a whole collection do not fit any cache, and it
    /// has near-duplicates that a sample does not see.
    fn of_whole(self, scale: f64) -> f64 {
        let factor = if scale > 1.0 { LARGER } else { 1.0 };
        (self.read + self.rest * factor) * scale
    }
}

/// How much longer the stages after reading take for a document of a whole collection than
/// of a sample, as measured (bench/record/bounded.md).
const LARGER: f64 = 1.3;

/// Measures the time of stages, and shows nothing: a trial is not the progress of the job.
struct Clock<'a> {
    progress: &'a dyn Progress,
    /// Each stage with its beginning; it ends where the next one begins.
    stages: Mutex<Vec<(&'static str, Instant)>>,
}

impl<'a> Clock<'a> {
    fn new(progress: &'a dyn Progress) -> Self {
        let stages = Mutex::default();
        Clock { progress, stages }
    }

    fn finish(self) -> Seconds {
        let stages = self.stages.into_inner();
        let stages = stages.unwrap_or_else(PoisonError::into_inner);
        let ends = stages.iter().skip(1).map(|&(_, begin)| begin);
        let ends = ends.chain([Instant::now()]);
        let mut seconds = Seconds::default();
        for (&(stage, begin), end) in stages.iter().zip(ends) {
            let lasted = (end - begin).as_secs_f64();
            match stage {
                "read" | "words" | "links" => seconds.read += lasted,
                _ => seconds.rest += lasted,
            }
        }
        seconds
    }
}

impl Progress for Clock<'_> {
    fn begin(&self, stage: &'static str, _total: u64) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        stages.push((stage, Instant::now()));
    }

    fn advance(&self, _amount: u64) {}

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }
}

/// Shows no progress but can be stopped.
struct Unheard<'a>(&'a dyn Progress);

impl Progress for Unheard<'_> {
    fn begin(&self, _stage: &'static str, _total: u64) {}
    fn advance(&self, _amount: u64) {}
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
