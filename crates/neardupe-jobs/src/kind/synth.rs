//! `synth`: writes a synthetic collection and what was planted in it.
//!
//! Workers make chunks of documents in turn, this thread writes them in order: the bytes do not depend
//! on the number of threads, and only a few chunks are in memory. Any document can be made without the
//! others, from its number alone. All files are written under other names and renamed at the end, the
//! manifest last: a folder with a manifest is complete.
//!
//! Documents come in chunks that are made by several threads and written in order. Each chunk
//! depends on its number and the seed alone, so any number of threads writes the same bytes.

use super::find::all_options;
use crate::exec::Exec;
use crate::param::{ParamValue, Within, required};
use crate::spec::LimitsSpec;
use neardupe_core::document::{Progress, check_cancelled};
use neardupe_core::error::{Error, Result};
use neardupe_core::synth::{Buffer, Collection, PlantedPassage, Shape, SynthConfig};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Documents made by one worker at a time: about 1 MB.
const CHUNK_DOCUMENTS: u64 = 256;
/// Chunks a worker may be ahead of the writing.
const CHUNKS_AHEAD: usize = 4;

// The files of a collection, relative to its folder; `truth` of other commands reads them by these names.
const DOCUMENTS: &str = "documents.jsonl";
const TRUTH: &str = "truth";
const CLUSTERS: &str = "truth/clusters.jsonl";
const PASSAGES: &str = "truth/passages.tsv";
const MANIFEST: &str = "truth/manifest.json";

crate::params! {
    /// A synthetic collection with known duplicates and passages.
    pub struct SynthSpec {
        [ limits: LimitsSpec ]
        /// Number of documents
        documents: Within<0, { u64::MAX }> => value("N");
        /// Another seed gives another collection of the same kind [default: 1]
        seed: Within<0, { u64::MAX }> => value("S");
        /// Kind of collection: web, unrelated, near-copies, spread, template:PERCENT or
        /// passages:PERCENT [default: web]
        shape: Shape => value("SHAPE");
        /// Folder for documents.jsonl and truth/; replaced only if it is such a collection
        /// [default: synth]
        output: PathBuf => value("DIR").short('o').free();
    }
}

impl ParamValue for Shape {
    fn from_text(text: &str) -> Result<Self> {
        text.parse()
            .map_err(|unknown| Error::config("shape", format!("{unknown}")))
    }

    fn to_json(&self) -> Value {
        json!(self.to_string())
    }
}

/// What is made.
#[derive(Debug, Clone)]
pub struct SynthJob {
    /// What decides every byte of the collection.
    config: SynthConfig,
    /// Threads; nothing depends on them.
    limits: LimitsSpec,
    /// Where it is written.
    output: PathBuf,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct SynthOutcome {
    /// What was made, as it is in the manifest.
    pub summary: SynthSummary,
    /// The file of the documents.
    pub documents: PathBuf,
    /// The folder of what was planted.
    pub truth: PathBuf,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// The manifest of a collection. Fields are in the order of their names, as they are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SynthSummary {
    /// What was written and planted.
    pub counts: SynthCounts,
    /// What was asked for.
    pub options: SynthOptions,
    /// The version of the manifest.
    pub version: u32,
}

/// What was written and planted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SynthCounts {
    /// Bytes of all documents.
    pub bytes: u64,
    /// Clusters of duplicates.
    pub clusters: u64,
    /// Documents.
    pub documents: u64,
    /// Passages that were changed.
    pub edited_passages: u64,
    /// Exact copies.
    pub exact: u64,
    /// Documents of the largest cluster.
    pub largest_cluster: u64,
    /// Near-duplicates.
    pub near: u64,
    /// Copied passages.
    pub passages: u64,
    /// Words of all documents.
    pub words: u64,
}

/// What a collection depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SynthOptions {
    /// Number of documents.
    pub documents: u64,
    /// The seed.
    pub seed: u64,
    /// The kind of collection.
    pub shape: String,
}

impl SynthSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<SynthJob> {
        Ok(SynthJob {
            config: SynthConfig {
                documents: required("documents", self.documents)?.0,
                seed: self.seed.map_or(1, |seed| seed.0),
                shape: self.shape.unwrap_or_default(),
            },
            limits: self.limits,
            output: self.output.unwrap_or_else(|| PathBuf::from("synth")),
        })
    }
}

/// What was written.
#[derive(Default)]
struct SynthTotals {
    /// Of all documents.
    words: u64,
    /// With line ends.
    bytes: u64,
    /// Of all chunks; sorted before they are written.
    passages: Vec<PlantedPassage>,
}

/// Some documents, one after the other.
struct SynthChunk {
    /// Its lines, as they are written.
    bytes: Vec<u8>,
    /// Of its documents.
    words: u64,
    /// Those whose copy is in this chunk.
    passages: Vec<PlantedPassage>,
}

impl SynthJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&SynthSpec {
            limits: self.limits.clone(),
            documents: Some(Within(self.config.documents)),
            seed: Some(Within(self.config.seed)),
            shape: Some(self.config.shape),
            output: Some(self.output.clone()),
        })
    }

    /// Makes the collection.
    pub fn run(self, exec: &Exec<'_>) -> Result<SynthOutcome> {
        let dir = &self.output;
        check_replaceable(dir)?;
        let truth = dir.join(TRUTH);
        fs::create_dir_all(&truth).map_err(|error| Error::io(&truth, error))?;
        let collection = Collection::new(self.config);
        // Not the pool of the caller: workers wait for the writer, and would block it.
        let num_threads = match self.limits.threads {
            None => thread::available_parallelism().map_or(1, usize::from),
            Some(threads) => threads.usize(),
        };
        let mut totals = write_file(dir, DOCUMENTS, |file| {
            write_documents(&collection, num_threads, exec.progress, file)
        })?;
        // Documents that were not written to their end get no name.
        check_cancelled(exec.progress)?;
        totals.passages.sort_unstable();
        write_file(dir, CLUSTERS, |file| write_clusters(&collection, file))?;
        write_file(dir, PASSAGES, |file| {
            write_passages(&collection, &totals.passages, file)
        })?;
        let summary = SynthSummary::new(&collection, &totals);
        write_file(dir, MANIFEST, |file| {
            serde_json::to_writer_pretty(&mut *file, &summary)?;
            writeln!(file)
        })?;
        rename_all(dir)?;
        Ok(SynthOutcome {
            summary,
            documents: dir.join(DOCUMENTS),
            truth,
            warnings: Vec::new(),
        })
    }
}

/// Refuses a folder with anything but an earlier collection or the rest of a stopped run. Files of
/// others beside a manifest are left alone: only files of our names are replaced.
fn check_replaceable(dir: &Path) -> Result<()> {
    if !dir.exists() || dir.join(MANIFEST).is_file() {
        return Ok(());
    }
    for folder in [dir.to_owned(), dir.join(TRUTH)] {
        if !folder.exists() {
            continue;
        }
        let refused = |error| Error::io(&folder, error);
        for entry in fs::read_dir(&folder).map_err(refused)? {
            let path = entry.map_err(refused)?.path();
            let ours = path == dir.join(TRUTH)
                || [DOCUMENTS, CLUSTERS, PASSAGES, MANIFEST]
                    .iter()
                    .any(|name| path == unfinished(dir, name));
            // Only our own unfinished files may be left over.
            if !ours {
                let message = format!(
                    "{} exists and is not a synthetic collection (it has no {MANIFEST}, \
                     but it has {}); name another folder",
                    dir.display(),
                    path.display()
                );
                return Err(Error::config("output", message));
            }
        }
    }
    Ok(())
}

/// The name of a file until all are complete.
fn unfinished(dir: &Path, name: &str) -> PathBuf {
    let mut path = OsString::from(dir.join(name));
    path.push(".partial");
    PathBuf::from(path)
}

/// Writes one file under its unfinished name.
fn write_file<T>(
    dir: &Path,
    name: &str,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> Result<T> {
    let path = unfinished(dir, name);
    let written = File::create(&path).and_then(|file| {
        let mut file = BufWriter::new(file);
        let result = write(&mut file)?;
        file.flush()?;
        Ok(result)
    });
    written.map_err(|error| Error::io(&path, error))
}

/// Gives the files their names. The old manifest is removed first and the new one comes last: while
/// there is one, the other files belong to it, even if the program is killed in between.
fn rename_all(dir: &Path) -> Result<()> {
    let manifest = dir.join(MANIFEST);
    if manifest.exists() {
        fs::remove_file(&manifest).map_err(|error| Error::io(&manifest, error))?;
    }
    // The manifest is the last of them.
    for name in [DOCUMENTS, CLUSTERS, PASSAGES, MANIFEST] {
        let path = dir.join(name);
        fs::rename(unfinished(dir, name), &path)
            .map_err(|error| Error::io(&path, error))?;
    }
    Ok(())
}

/// Writes all documents; worker number w makes the chunks w, w + n, w + 2n and so on.
fn write_documents(
    collection: &Collection,
    num_threads: usize,
    progress: &dyn Progress,
    file: &mut impl Write,
) -> io::Result<SynthTotals> {
    let num_chunks = collection.config().documents.div_ceil(CHUNK_DOCUMENTS);
    let mut totals = SynthTotals::default();
    thread::scope(|scope| {
        let mut chunks = Vec::new();
        // A worker has its own channel, so chunks need no numbers.
        for worker in 0..num_threads {
            // Bounded, so that fast workers wait for a slow disk instead of filling the memory.
            let (sender, receiver) = sync_channel(CHUNKS_AHEAD);
            chunks.push(receiver);
            let numbers = (worker as u64..num_chunks).step_by(num_threads);
            scope.spawn(move || make_chunks(collection, numbers, &sender));
        }
        // The receivers in turn give the chunks in their order. After an early return they are dropped,
        // and workers that still want to send end.
        let in_order = (0..num_chunks).zip(chunks.iter().cycle());
        for (number, receiver) in in_order {
            if progress.is_cancelled() {
                break;
            }
            let chunk: SynthChunk = receiver.recv().map_err(|_| {
                io::Error::other(format!("the worker of chunk {number} stopped"))
            })?;
            file.write_all(&chunk.bytes)?;
            totals.words += chunk.words;
            totals.bytes += chunk.bytes.len() as u64;
            totals.passages.extend(chunk.passages);
        }
        Ok(totals)
    })
}

/// Makes the chunks of one worker, until the receiver is closed.
fn make_chunks(
    collection: &Collection,
    numbers: impl Iterator<Item = u64>,
    sender: &SyncSender<SynthChunk>,
) {
    let mut buffer = Buffer::default();
    // Chunks have about the same size: the largest so far saves growing the next.
    let mut size_hint = 0;
    for number in numbers {
        let start = number * CHUNK_DOCUMENTS;
        let end = collection.config().documents.min(start + CHUNK_DOCUMENTS);
        let mut chunk = SynthChunk {
            bytes: Vec::with_capacity(size_hint),
            words: 0,
            passages: Vec::new(),
        };
        for document in start..end {
            collection.document(document, &mut buffer);
            chunk.bytes.extend_from_slice(buffer.line());
            chunk.bytes.push(b'\n');
            chunk.words += buffer.num_words();
            chunk.passages.extend(buffer.passage());
        }
        size_hint = size_hint.max(chunk.bytes.len());
        // The receiver is closed when writing has failed or was stopped.
        if sender.send(chunk).is_err() {
            return;
        }
    }
}

/// The planted clusters as JSON lines. Ids are made by us and need no escapes.
fn write_clusters(collection: &Collection, file: &mut impl Write) -> io::Result<()> {
    for (number, cluster) in collection.clusters().enumerate() {
        write!(file, "{{\"cluster\":{number},\"members\":[")?;
        for (at, member) in cluster.members.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(
                file,
                "{comma}{{\"id\":\"{}\",\"edit_rate\":{:.6},\"kind\":\"{}\"}}",
                collection.id(member.document),
                member.edit_rate,
                member.kind.as_str(),
            )?;
        }
        writeln!(file, "]}}")?;
    }
    Ok(())
}

/// The planted passages as a table; places are those of [`PlantedPassage`].
fn write_passages(
    collection: &Collection,
    passages: &[PlantedPassage],
    file: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        file,
        "left\tleft_start\tleft_end\tright\tright_start\tright_end\tedited"
    )?;
    for passage in passages {
        writeln!(
            file,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}",
            collection.id(passage.left),
            passage.left_start,
            passage.left_end,
            collection.id(passage.right),
            passage.right_start,
            passage.right_end,
            passage.edited,
        )?;
    }
    Ok(())
}

impl SynthSummary {
    /// Planted numbers are known from the plan; words and bytes are counted while writing.
    fn new(collection: &Collection, totals: &SynthTotals) -> Self {
        let config = collection.config();
        let counts = collection.planted_counts();
        let edited = totals.passages.iter().filter(|passage| passage.edited);
        SynthSummary {
            counts: SynthCounts {
                bytes: totals.bytes,
                clusters: counts.clusters,
                documents: config.documents,
                edited_passages: edited.count() as u64,
                exact: counts.exact,
                largest_cluster: counts.largest_cluster,
                near: counts.near,
                passages: counts.passages,
                words: totals.words,
            },
            options: SynthOptions {
                documents: config.documents,
                seed: config.seed,
                shape: config.shape.to_string(),
            },
            version: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::document::Silent;

    fn synth(dir: &Path, documents: u64, threads: u64) -> Result<SynthOutcome> {
        let spec = SynthSpec {
            documents: Some(Within(documents)),
            output: Some(dir.to_owned()),
            limits: LimitsSpec {
                threads: Some(Within(threads)),
            },
            ..SynthSpec::default()
        };
        spec.validate()?.run(&Exec::new(&Silent))
    }

    #[test]
    fn files_do_not_depend_on_the_number_of_threads() {
        let folder = tempfile::tempdir().unwrap();
        let (one, three) = (folder.path().join("one"), folder.path().join("three"));
        synth(&one, 3000, 1).unwrap();
        synth(&three, 3000, 3).unwrap();
        for name in [DOCUMENTS, CLUSTERS, PASSAGES, MANIFEST] {
            let written = fs::read(one.join(name)).unwrap();
            assert!(!written.is_empty());
            assert_eq!(written, fs::read(three.join(name)).unwrap(), "{name}");
            assert!(!unfinished(&one, name).exists());
        }
    }

    #[test]
    fn every_line_of_documents_and_clusters_is_json() {
        let folder = tempfile::tempdir().unwrap();
        synth(folder.path(), 1000, 2).unwrap();
        for name in [DOCUMENTS, CLUSTERS] {
            let text = fs::read_to_string(folder.path().join(name)).unwrap();
            for line in text.lines() {
                serde_json::from_str::<serde_json::Value>(line).unwrap();
            }
        }
        let passages = fs::read_to_string(folder.path().join(PASSAGES)).unwrap();
        assert_eq!(passages.lines().count(), 51);
        assert!(passages.lines().all(|line| line.split('\t').count() == 7));
    }

    #[test]
    fn only_a_collection_of_ours_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("made");
        synth(&dir, 10, 1).unwrap();
        synth(&dir, 20, 1).unwrap();
        let lines = fs::read_to_string(dir.join(DOCUMENTS))
            .unwrap()
            .lines()
            .count();
        assert_eq!(lines, 20);

        fs::remove_file(dir.join(MANIFEST)).unwrap();
        let message = synth(&dir, 10, 1).unwrap_err().to_string();
        assert!(message.contains("another folder"), "{message}");
    }

    #[test]
    fn the_rest_of_a_stopped_run_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("truth")).unwrap();
        fs::write(unfinished(folder.path(), DOCUMENTS), "{").unwrap();
        synth(folder.path(), 10, 1).unwrap();
        assert!(!unfinished(folder.path(), DOCUMENTS).exists());
    }
}
