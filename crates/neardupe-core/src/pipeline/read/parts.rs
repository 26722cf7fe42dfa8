//! Reads a source part by part. Once anything has gone to the work directory, each part that
//! is done is entered there and not read again.

use super::collect::{CollectedPart, ReadShared, SetCollector};
use super::doc_log::{DocLog, Log, Logged};
use crate::candidate::chunk::{Chunk, ChunkFile, open_chunks};
use crate::document::{PartRead, Progress, Sink, Source, SourceRead, WorkFile};
use crate::error::Result;
use crate::pipeline::config::FindConfig;
use crate::store::{Stage, WorkDir};
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;

/// What is left when all has been read.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct ReadStage {
    /// All sets; none when a later stage has been done already.
    pub(in crate::pipeline) chunks: Vec<Chunk>,
    /// What is known of each record.
    pub(in crate::pipeline) log: DocLog,
    /// What was read of each part, as the source says.
    pub(in crate::pipeline) parts: Vec<PartRead>,
    /// The same for each file.
    pub(in crate::pipeline) read: SourceRead,
    /// Numbers of sets are below this.
    pub(in crate::pipeline) num_sets: u32,
    /// Equal sets may have been put away twice.
    pub(in crate::pipeline) forgot: bool,
    /// Each document has a set of its own.
    pub(in crate::pipeline) keeps_exact: bool,
    /// What was read is in the work directory.
    pub(in crate::pipeline) spilled: bool,
    /// Metadata fields that no document has a value in.
    pub(in crate::pipeline) unseen_fields: Vec<String>,
}

/// What the manifest says of a part that is done.
#[derive(Debug, Serialize, Deserialize)]
struct PartDone {
    /// What the source says of it.
    read: PartRead,
    /// The log of each thread.
    logs: Vec<WorkFile>,
    /// Numbers of sets that are taken, those of earlier parts included.
    next_set: u32,
    /// Equal sets may have been put away twice.
    forgot: bool,
}

/// The features of a part that is done; they go when they are no longer needed.
#[derive(Debug, Serialize, Deserialize)]
struct FeaturesDone {
    chunks: Vec<ChunkFile>,
}

/// Stages whose files go when the features of all sets are no longer needed.
pub(in crate::pipeline) const FEATURES: &str = "features-";

/// The two stages of a part. They are entered together, but the features are removed earlier.
fn stage_names(part: u32) -> (String, String) {
    (format!("read-{part:05}"), format!("{FEATURES}{part:05}"))
}

/// Reads everything that has not been read.
pub(in crate::pipeline) fn read(
    source: &dyn Source,
    config: &FindConfig,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<ReadStage> {
    // What comes after reading looks at numbers of sets and at features that were made here, never at
    // how they were hashed.
    let config = &config.under_key(work.key());
    let shared = ReadShared::new(config, work, progress);
    let mut stage = ReadStage::default();
    let mut logs = Vec::new();
    progress.begin("read", source.total_bytes());
    let mut part = take_done(&shared, &mut stage, &mut logs)?;
    let read_bytes =
        |read: &PartRead| -> u64 { read.blocks.iter().map(|block| block.bytes).sum() };
    progress.advance(stage.parts.iter().map(read_bytes).sum());
    let threads = config.budget.read_threads.min(config.threads).max(1);
    let mut in_memory: Vec<(u32, Vec<CollectedPart>)> = Vec::new();
    // Parts one after the other, each read by all threads. Only between parts is a job at a point it can be resumed from.
    while part < source.num_parts()? {
        let mut collectors: Vec<SetCollector<'_>> = (0..threads)
            .map(|thread| SetCollector::new(&shared, format!("{part:05}-{thread}")))
            .collect::<Result<_>>()?;
        let sinks = collectors
            .iter_mut()
            .map(|collector| collector as &mut dyn Sink)
            .collect();
        stage.parts.push(source.read_part(part, sinks, progress)?);
        let collected = collectors.into_iter().map(SetCollector::finish);
        in_memory.push((part, collected.collect::<Result<_>>()?));
        // Once anything has gone to the work directory all parts so far are entered, also those that were in memory.
        if shared.is_spilling() {
            for (part, collected) in in_memory.drain(..) {
                let read = &stage.parts[part as usize];
                let done = enter(&shared, part, read, collected)?;
                stage.chunks.extend(done.0);
                logs.extend(done.1);
            }
        }
        part += 1;
    }
    for (_, collected) in in_memory {
        for collected in collected {
            stage.chunks.extend(collected.chunks);
            logs.push(collected.log);
        }
    }
    stage.log = DocLog::new(logs);
    stage.read = SourceRead::gather(source.file_names(), &stage.parts);
    stage.num_sets = shared.next_set.load(Ordering::Relaxed);
    stage.forgot = shared.forgot.load(Ordering::Relaxed);
    stage.keeps_exact = config.keep_exact;
    stage.spilled = shared.is_spilling();
    let fields = config.metadata.iter().zip(&shared.seen_fields);
    let unseen = fields.filter(|(_, seen)| !seen.load(Ordering::Relaxed));
    stage.unseen_fields = unseen.map(|(field, _)| field.clone()).collect();
    Ok(stage)
}

/// Enters a part in the manifest, with all that its threads have collected in files.
fn enter(
    shared: &ReadShared<'_>,
    part: u32,
    read: &PartRead,
    collected: Vec<CollectedPart>,
) -> Result<(Vec<Chunk>, Vec<Log>)> {
    let work = shared.work;
    let (mut chunks, mut logs) = (Vec::new(), Vec::new());
    let (mut chunk_files, mut log_files) = (Vec::new(), Vec::new());
    for mut collected in collected {
        collected.spill(work, shared.config.head_parts())?;
        if let Some(file) = collected.chunk_file {
            chunks.extend(open_chunks(work, &file)?);
            chunk_files.push(file);
        }
        if let Some(file) = collected.log_file {
            logs.push(Log::open(work, &file)?);
            log_files.push(file);
        }
    }
    let (read_name, features_name) = stage_names(part);
    let files = chunk_files.iter().map(|chunks| chunks.file.clone());
    let files = files.collect();
    let features = FeaturesDone {
        chunks: chunk_files,
    };
    let features = Stage::new(&features, files)?;
    let done = PartDone {
        read: read.clone(),
        logs: log_files.clone(),
        next_set: shared.next_set.load(Ordering::Relaxed),
        forgot: shared.forgot.load(Ordering::Relaxed),
    };
    let files = log_files.into_iter().chain(read.files.clone()).collect();
    // Together: a part that is read again must find no file of its own in the manifest.
    let done = Stage::new(&done, files)?;
    work.commit_all([(features_name, features), (read_name, done)], &[])?;
    Ok((chunks, logs))
}

/// Takes up the parts that an interrupted job has read; the number of the next one.
fn take_done(
    shared: &ReadShared<'_>,
    stage: &mut ReadStage,
    logs: &mut Vec<Log>,
) -> Result<u32> {
    let work = shared.work;
    let mut part = 0;
    loop {
        let (read_name, features_name) = stage_names(part);
        let Some((done, _)) = work.stage::<PartDone>(&read_name)? else {
            break;
        };
        // Numbers go on after those of the last part that is done; a part that is read again numbers its sets anew.
        shared.next_set.store(done.next_set, Ordering::Relaxed);
        shared.forgot.fetch_or(done.forgot, Ordering::Relaxed);
        for file in &done.logs {
            logs.push(Log::open(work, file)?);
        }
        // The features may be gone while the part is still done: a later stage has used them.
        if let Some((features, files)) = work.stage::<FeaturesDone>(&features_name)?
            && !files.is_empty()
        {
            for file in &features.chunks {
                stage.chunks.extend(open_chunks(work, file)?);
            }
        }
        stage.parts.push(done.read);
        part += 1;
    }
    if part > 0 {
        shared.spilling.store(true, Ordering::Relaxed);
        remember(shared, stage, logs)?;
    }
    Ok(part)
}

/// What a job that kept its features has left; `names` are those of its files.
pub(in crate::pipeline) fn stored(
    work: &WorkDir,
    names: Vec<String>,
) -> Result<ReadStage> {
    let mut stage = ReadStage {
        spilled: true,
        ..ReadStage::default()
    };
    let mut logs = Vec::new();
    for part in 0.. {
        let (read_name, features_name) = stage_names(part);
        let Some((done, _)) = work.stage::<PartDone>(&read_name)? else {
            break;
        };
        stage.num_sets = stage.num_sets.max(done.next_set);
        stage.forgot |= done.forgot;
        for file in &done.logs {
            logs.push(Log::open(work, file)?);
        }
        if let Some((features, _)) = work.stage::<FeaturesDone>(&features_name)? {
            for file in &features.chunks {
                stage.chunks.extend(open_chunks(work, file)?);
            }
        }
        stage.parts.push(done.read);
    }
    stage.log = DocLog::new(logs);
    stage.read = SourceRead::gather(names, &stage.parts);
    Ok(stage)
}

/// Claims the texts and sets of the parts that have been read, so that equal ones of later parts are recognised as in a
/// job that was not interrupted.
fn remember(
    shared: &ReadShared<'_>,
    stage: &ReadStage,
    logs: &mut Vec<Log>,
) -> Result<()> {
    for chunk in &stage.chunks {
        for (span, hash) in chunk.spans()?.iter().zip(chunk.hashes()?) {
            shared.sets.claim(hash, || span.set.get());
        }
    }
    let log = DocLog::new(std::mem::take(logs));
    log.for_each(|_, logged| {
        if let Logged::Document(document) = logged {
            let metadata = document.metadata();
            shared.see_fields(&metadata);
            let key = shared.blocks.text_key(document.text_key, &metadata);
            shared.texts.claim(key, || document.set.bits());
        }
        Ok(())
    })?;
    *logs = log.into_logs();
    Ok(())
}
