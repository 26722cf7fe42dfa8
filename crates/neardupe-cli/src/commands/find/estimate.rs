//! What a job will need, told from a sample: the job itself is run on stretches from all over
//! the input, with the memory scaled down as the input is.

use super::job::Job;
use crate::disk;
use crate::terminal::{Stages, bytes};
use anyhow::Result;
use neardupe_core::document::{Progress, Source};
use neardupe_core::error::Error;
use neardupe_core::pipeline::documents::{Documents, NO_SET};
use neardupe_core::pipeline::{FindConfig, FindResult, find_in};
use neardupe_core::store::{Budget, WorkDir};
use neardupe_io::source::FileSource;
use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Bytes of the input that are read to learn about the rest: a sixteenth, within these.
const SAMPLE_BYTES: std::ops::RangeInclusive<u64> = 64 << 20..=512 << 20;

/// What a job will need.
#[derive(Debug, Serialize)]
pub(crate) struct Estimate {
    /// Bytes to read, as stored.
    pub(crate) bytes: u64,
    /// Documents.
    pub(crate) documents: u64,
    /// Distinct features summed over documents.
    pub(crate) features: u64,
    /// Most memory.
    pub(crate) memory_bytes: u64,
    /// Memory in which everything would fit.
    pub(crate) memory_for_all_bytes: u64,
    /// Most bytes in the work directory.
    pub(crate) disk_bytes: u64,
    /// Whether the work directory is used.
    pub(crate) spills: bool,
    /// Seconds.
    pub(crate) seconds: f64,
    /// Documents that were read to tell.
    pub(crate) sample_documents: u64,
    /// Share of the input that was read.
    pub(crate) sample_share: f64,
}

/// A sample and what was found in it.
struct Sampled {
    result: FindResult,
    seconds: Seconds,
    /// How much larger the whole input is.
    scale: f64,
}

/// Estimates a job. With `in_full` from a larger sample, and by trying also what goes to
/// disk; else time is not told exactly.
pub(crate) fn estimate(
    job: &Job,
    source: &FileSource,
    progress: &dyn Progress,
    in_full: bool,
) -> Result<Estimate> {
    let config = &job.config;
    let total = source.total_bytes();
    let wanted = match in_full {
        true => (total / 16).clamp(*SAMPLE_BYTES.start(), *SAMPLE_BYTES.end()),
        false => *SAMPLE_BYTES.start(),
    };
    let mut sampled = run(source, wanted, config, in_memory(config), None, progress)?;
    let whole = Whole::of(&sampled);
    let for_all = memory_for_all(&whole, config);
    let held = held_bytes(&whole);
    let spills = config.budget.checkpoint || held > config.budget.features;
    let mut disk_bytes = 0;
    if spills {
        disk_bytes = disk_for(&whole, config);
        if job.write_text {
            disk_bytes += whole.text_bytes;
        }
    }
    let mut writing = 0.0;
    if in_full {
        // Once more: the first time the file was not in the cache of the system, perhaps, and
        // the program not warm.
        let (budget, place) = match spills {
            true => (
                shrunk(&config.budget, sampled.scale),
                Some(place_to_try(&config.work_dir)),
            ),
            false => (in_memory(config), None),
        };
        if let Some(place) = &place {
            writing = seconds_to_write(place, disk_bytes);
        }
        sampled = run(source, wanted, config, budget, place, progress)?;
    }
    let memory_bytes = if spills {
        // What is left is for text that is larger than usual.
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

/// What the whole input will come to.
struct Whole {
    documents: u64,
    features: u64,
    /// Features of sets that can have a partner.
    kept_features: u64,
    /// Bytes of text, about: most characters take one.
    text_bytes: u64,
}

impl Whole {
    fn of(sampled: &Sampled) -> Self {
        let (documents, scale) = (&sampled.result.documents, sampled.scale);
        let copies = Copies::of(documents);
        let chars = (0..documents.len()).map(|document| documents.chars(document));
        let chars = chars.map(u64::from).sum();
        let ledger = &sampled.result.ledger;
        let kept = ledger.sets - ledger.without_partner;
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let kept_share = kept as f64 / ledger.sets.max(1) as f64;
        let features = scaled(copies.features, scale * (1.0 - copies.share_at(scale)));
        // Documents that are similar and no copies have more partners: most show one early.
        let kept_share = (kept_share * copies.growth(scale).sqrt()).min(1.0);
        Whole {
            documents: scaled(sampled.result.totals.documents, scale),
            features,
            kept_features: scaled(features, kept_share),
            text_bytes: scaled(chars, scale),
        }
    }
}

/// How much of a sample is copies of other documents in it. The larger the sample, the more
/// of them have their original in it: how fast that grows is told from half of the sample.
struct Copies {
    /// Features of all documents.
    features: u64,
    share: f64,
    exponent: f64,
}

/// Growth slows down as the sample grows.
const SLOWING: f64 = 0.8;
/// Growth that is taken when there are too few copies to tell.
const USUAL_EXPONENT: f64 = 0.5;
/// Copies that are enough to tell.
const ENOUGH_COPIES: u64 = 20;

impl Copies {
    fn of(documents: &Documents) -> Self {
        let (all, copied, num_copied) = copied(documents, |_| true);
        // Every other stretch of documents: neighbours are not as likely copies as others.
        let half = copied_in_half(documents);
        let share = ratio(copied, all);
        let exponent = match half {
            Some(half) if half > 0.0 && num_copied >= ENOUGH_COPIES => {
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
        (self.share * self.growth(scale)).min(0.9)
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn copied_in_half(documents: &Documents) -> Option<f64> {
    let (all, copied, _) = copied(documents, |document| (document / 32) % 2 == 0);
    (all > 0).then(|| ratio(copied, all))
}

/// Features of some documents, those of copies among them, and how many copies there are.
fn copied(documents: &Documents, wanted: impl Fn(u32) -> bool) -> (u64, u64, u64) {
    let mut seen = vec![false; documents.set_table().len()];
    let (mut all, mut copied, mut num_copied) = (0, 0, 0);
    for document in (0..documents.len()).filter(|&document| wanted(document)) {
        let size = u64::from(documents.size(document));
        all += size;
        let set = documents.set(document);
        if set != NO_SET && std::mem::replace(&mut seen[set as usize], true) {
            copied += size;
            num_copied += 1;
        }
    }
    (all, copied, num_copied)
}

/// Tells how much disk a job will need, and refuses one for which there is none.
pub(crate) fn announce(job: &Job, source: &FileSource, stages: &Stages) -> Result<()> {
    // Features take up to three times the room of their text.
    let most = source.most_text_bytes().saturating_mul(3);
    let may_spill = most > job.config.budget.features;
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
    stages.tell(&format!(
        "about {} of disk are needed in {}{shown}",
        bytes(needed),
        folder.display()
    ));
    match free {
        // The estimate may be a quarter too high.
        Some(free) if free < needed / 4 * 3 => Err(Error::Limit {
            what: format!("disk space in {}", folder.display()),
            asked: needed,
            allowed: free,
            remedy:
                "free some, choose another place with --work-dir, or give more --memory"
                    .to_owned(),
        }
        .into()),
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

/// Bytes of features, and of all else that is kept of documents, while they are read.
fn held_bytes(whole: &Whole) -> u64 {
    whole.features * 8 + whole.documents * 220
}

/// Memory in which a job fits without the work directory: either when features are counted,
/// or when those with a partner are joined.
fn memory_for_all(whole: &Whole, config: &FindConfig) -> u64 {
    let heads = heads_of(whole.features, config);
    let counting = whole.features * 8 + heads + heads / 4 + heads.min(24 << 20) * 6;
    let prefixes = prefix_share(config, whole.kept_features);
    // Only representatives enter lists.
    let joining = whole.kept_features * 8 + prefixes * 30;
    counting.max(joining) + whole.documents * 340 + (40 << 20)
}

fn heads_of(features: u64, config: &FindConfig) -> u64 {
    features * config.head_parts() as u64 / 256
}

/// Features that are looked up.
fn prefix_share(config: &FindConfig, features: u64) -> u64 {
    let large = 1 << 16;
    let prefix = config.filters.prefix_len(config.bounds(), large);
    features / u64::from(large) * u64::from(prefix)
}

/// Bytes of disk: features and their regrouped heads, then a part of them again.
fn disk_for(whole: &Whole, config: &FindConfig) -> u64 {
    let heads = heads_of(whole.features, config);
    let open = whole.kept_features.max(whole.features / 10);
    let counting = whole.features * 8 + heads * 4 + open * 12;
    let selecting = open * 12 + whole.kept_features * 8 + prefix_share(config, open) * 8;
    whole.documents * 280 + counting.max(selecting)
}

/// The sample fits in memory.
fn in_memory(config: &FindConfig) -> Budget {
    Budget::new(4 << 30, config.threads)
}

/// The budget of a job that is so much smaller.
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

/// A folder on the disk of the work directory that exists.
fn place_to_try(work_dir: &Path) -> PathBuf {
    let there = work_dir.ancestors().skip(1).find(|folder| folder.is_dir());
    let name = format!(".neardupe-plan-{}", std::process::id());
    there.unwrap_or(Path::new(".")).join(name)
}

fn run(
    source: &FileSource,
    wanted: u64,
    config: &FindConfig,
    budget: Budget,
    place: Option<PathBuf>,
    progress: &dyn Progress,
) -> Result<Sampled> {
    let sample = source.sample(wanted)?;
    let mut config = config.clone();
    config.budget = budget;
    // A bad record is no reason not to plan.
    config.strict = false;
    let work = WorkDir::new(place.unwrap_or_else(|| config.work_dir.clone()));
    let clock = Clock::new(progress);
    let result = find_in(&sample, &config, &work, &clock)?;
    let seconds = clock.finish();
    work.finish()?;
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let scale = match sample.is_all() {
        true => 1.0,
        false => source.total_bytes() as f64 / sample.read_bytes().max(1) as f64,
    };
    Ok(Sampled {
        result,
        seconds,
        scale: scale.max(1.0),
    })
}

/// Bytes that the system takes at once and writes while the job goes on.
const WRITTEN_ASIDE: u64 = 2 << 30;
/// Bytes that are written to learn how fast the disk is.
const TRIED: usize = 128 << 20;

/// Seconds for which a job waits for its disk.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn seconds_to_write(place: &Path, bytes: u64) -> f64 {
    let waited_for = bytes.saturating_sub(WRITTEN_ASIDE);
    if waited_for == 0 {
        return 0.0;
    }
    let file = place.with_extension("try");
    let begin = Instant::now();
    let written = File::create(&file).and_then(|mut file| {
        let block = vec![7; 1 << 20];
        for _ in 0..TRIED / block.len() {
            file.write_all(&block)?;
        }
        file.sync_data()
    });
    let took = begin.elapsed().as_secs_f64();
    // Without it there is nothing to tell by; what cannot be written is told by the job.
    let _ = std::fs::remove_file(&file);
    match written {
        Ok(()) => waited_for as f64 * took / TRIED as f64,
        Err(_) => 0.0,
    }
}

/// Seconds of the stages of a sample.
#[derive(Debug, Clone, Copy, Default)]
struct Seconds {
    read: f64,
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

/// Takes the time of stages.
struct Clock<'a> {
    progress: &'a dyn Progress,
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
                "read" => seconds.read += lasted,
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

/// Shows nothing but can be stopped.
struct Unheard<'a>(&'a Stages);

impl Progress for Unheard<'_> {
    fn begin(&self, _stage: &'static str, _total: u64) {}
    fn advance(&self, _amount: u64) {}
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
