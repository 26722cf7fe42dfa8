//! `neardupe synth`: writes a synthetic collection and what was planted in it.
//!
//! Workers make chunks of documents in turn, this thread writes them in order: the bytes
//! do not depend on the number of threads, and only a few chunks are in memory.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use anyhow::{Context as _, anyhow};
use neardupe_core::error::Error;
use neardupe_core::synth::{Buffer, Collection, PlantedPassage, Shape, SynthConfig};
use serde_json::json;

/// Documents made by one worker at a time: about 1 MB.
const CHUNK_DOCUMENTS: u64 = 256;
/// Chunks a worker may be ahead of the writing.
const CHUNKS_AHEAD: usize = 4;

const DOCUMENTS: &str = "documents.jsonl";
const CLUSTERS: &str = "truth/clusters.jsonl";
const PASSAGES: &str = "truth/passages.tsv";
const MANIFEST: &str = "truth/manifest.json";

/// Make a synthetic collection with known duplicates and passages
#[derive(clap::Args)]
pub(crate) struct SynthArgs {
    /// Number of documents
    #[arg(long, value_name = "N")]
    documents: u64,
    /// Another seed gives another collection of the same kind
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Kind of collection: web, unrelated, near-copies, spread, template:PERCENT or
    /// passages:PERCENT
    #[arg(long, default_value_t = Shape::Web)]
    shape: Shape,
    /// Number of threads; all processors if not given
    #[arg(long, value_name = "T")]
    threads: Option<NonZero<usize>>,
    /// Folder for documents.jsonl and truth/; replaced only if it is such a collection
    #[arg(short, long, value_name = "DIR", default_value = "synth")]
    output: PathBuf,
}

/// What was written.
#[derive(Default)]
struct Totals {
    words: u64,
    bytes: u64,
    passages: Vec<PlantedPassage>,
}

/// Some documents, one after the other.
struct Chunk {
    bytes: Vec<u8>,
    words: u64,
    passages: Vec<PlantedPassage>,
}

pub(crate) fn run(args: &SynthArgs) -> anyhow::Result<()> {
    let dir = &args.output;
    check_replaceable(dir)?;
    let truth = dir.join("truth");
    fs::create_dir_all(&truth)
        .with_context(|| format!("cannot create {}", truth.display()))?;
    let config = SynthConfig {
        documents: args.documents,
        seed: args.seed,
        shape: args.shape,
    };
    let collection = Collection::new(config);
    let num_threads = args
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZero::get);

    let mut totals = write_file(dir, DOCUMENTS, |file| {
        write_documents(&collection, num_threads, file)
    })?;
    totals.passages.sort_unstable();
    write_file(dir, CLUSTERS, |file| write_clusters(&collection, file))?;
    write_file(dir, PASSAGES, |file| {
        write_passages(&collection, &totals.passages, file)
    })?;
    write_file(dir, MANIFEST, |file| {
        write_manifest(&collection, &totals, file)
    })?;
    rename_all(dir)?;

    // A reader that has gone away does not make the files less complete.
    let _ = writeln!(
        io::stdout(),
        "{} documents, {} words, {} bytes in {}; what was planted is in {}",
        args.documents,
        totals.words,
        totals.bytes,
        dir.join(DOCUMENTS).display(),
        truth.display(),
    );
    Ok(())
}

/// Refuses a folder with anything but an earlier collection or the rest of a stopped run.
fn check_replaceable(dir: &Path) -> anyhow::Result<()> {
    if !dir.exists() || dir.join(MANIFEST).is_file() {
        return Ok(());
    }
    for folder in [dir.to_owned(), dir.join("truth")] {
        if !folder.exists() {
            continue;
        }
        let context = || format!("cannot read {}", folder.display());
        for entry in fs::read_dir(&folder).with_context(context)? {
            let path = entry.with_context(context)?.path();
            let ours = path == dir.join("truth")
                || [DOCUMENTS, CLUSTERS, PASSAGES, MANIFEST]
                    .iter()
                    .any(|name| path == unfinished(dir, name));
            if !ours {
                let message = format!(
                    "{} exists and is not a synthetic collection (it has no {MANIFEST}, \
                     but it has {}); name another folder with -o",
                    dir.display(),
                    path.display()
                );
                return Err(Error::config("output", message).into());
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

fn write_file<T>(
    dir: &Path,
    name: &str,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> anyhow::Result<T> {
    let path = unfinished(dir, name);
    let written = File::create(&path).and_then(|file| {
        let mut file = BufWriter::new(file);
        let result = write(&mut file)?;
        file.flush()?;
        Ok(result)
    });
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Gives the files their names. The manifest goes first and comes last: while it is
/// there, the other files belong to it.
fn rename_all(dir: &Path) -> anyhow::Result<()> {
    let manifest = dir.join(MANIFEST);
    if manifest.exists() {
        fs::remove_file(&manifest)
            .with_context(|| format!("cannot replace {}", manifest.display()))?;
    }
    for name in [DOCUMENTS, CLUSTERS, PASSAGES, MANIFEST] {
        fs::rename(unfinished(dir, name), dir.join(name))
            .with_context(|| format!("cannot write {}", dir.join(name).display()))?;
    }
    Ok(())
}

/// Writes all documents; worker number w makes the chunks w, w + n, w + 2n and so on.
fn write_documents(
    collection: &Collection,
    num_threads: usize,
    file: &mut impl Write,
) -> io::Result<Totals> {
    let num_chunks = collection.config().documents.div_ceil(CHUNK_DOCUMENTS);
    let mut totals = Totals::default();
    thread::scope(|scope| {
        let mut chunks = Vec::new();
        for worker in 0..num_threads {
            let (sender, receiver) = sync_channel(CHUNKS_AHEAD);
            chunks.push(receiver);
            let numbers = (worker as u64..num_chunks).step_by(num_threads);
            scope.spawn(move || make_chunks(collection, numbers, &sender));
        }
        let in_order = (0..num_chunks).zip(chunks.iter().cycle());
        for (number, receiver) in in_order {
            let chunk: Chunk = receiver.recv().map_err(|_| {
                io::Error::other(anyhow!("the worker of chunk {number} stopped"))
            })?;
            file.write_all(&chunk.bytes)?;
            totals.words += chunk.words;
            totals.bytes += chunk.bytes.len() as u64;
            totals.passages.extend(chunk.passages);
        }
        Ok(totals)
    })
}

fn make_chunks(
    collection: &Collection,
    numbers: impl Iterator<Item = u64>,
    sender: &SyncSender<Chunk>,
) {
    let mut buffer = Buffer::default();
    let mut size_hint = 0;
    for number in numbers {
        let start = number * CHUNK_DOCUMENTS;
        let end = collection.config().documents.min(start + CHUNK_DOCUMENTS);
        let mut chunk = Chunk {
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
        // Nobody receives any more when writing has failed, which is told there.
        if sender.send(chunk).is_err() {
            return;
        }
    }
}

fn write_clusters(collection: &Collection, file: &mut impl Write) -> io::Result<()> {
    for (number, cluster) in collection.clusters().enumerate() {
        write!(file, "{{\"cluster\":{number},\"members\":[")?;
        for (place, member) in cluster.members.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
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

fn write_manifest(
    collection: &Collection,
    totals: &Totals,
    file: &mut impl Write,
) -> io::Result<()> {
    let config = collection.config();
    let counts = collection.planted_counts();
    let edited = totals
        .passages
        .iter()
        .filter(|passage| passage.edited)
        .count();
    let manifest = json!({
        "version": 1,
        "options": {
            "documents": config.documents,
            "seed": config.seed,
            "shape": config.shape.to_string(),
        },
        "counts": {
            "documents": config.documents,
            "words": totals.words,
            "bytes": totals.bytes,
            "clusters": counts.clusters,
            "largest_cluster": counts.largest_cluster,
            "exact": counts.exact,
            "near": counts.near,
            "passages": counts.passages,
            "edited_passages": edited,
        },
    });
    serde_json::to_writer_pretty(&mut *file, &manifest)?;
    writeln!(file)
}

#[cfg(test)]
mod tests {
    use super::{
        CLUSTERS, DOCUMENTS, MANIFEST, PASSAGES, Shape, SynthArgs, run, unfinished,
    };
    use std::fs;
    use std::num::NonZero;
    use std::path::Path;

    fn synth(dir: &Path, documents: u64, threads: usize) -> anyhow::Result<()> {
        run(&SynthArgs {
            documents,
            seed: 1,
            shape: Shape::Web,
            threads: NonZero::new(threads),
            output: dir.to_owned(),
        })
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
        assert!(message.contains("-o"), "{message}");
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
