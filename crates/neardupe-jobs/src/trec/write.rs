//! Runs and qrels as files.
//!
//! What is written can be read by trec_eval: six columns for runs (a seventh only with marks),
//! four or five for qrels, in the order of the input.

use super::Ids;
use super::qrels::QrelsFile;
use neardupe_core::error::{Error, Result};
use neardupe_core::trec::{Qrels, Scored, decreasing_scores};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A run to be written: for each topic its documents in order, and if they are marked, what each
/// is a near-duplicate of.
pub type WrittenTopic = (u32, Vec<Scored>, Option<Vec<Option<u32>>>);

/// Writes a run: ranks from 1, scores strictly decreasing. With marks there is a seventh column:
/// what the document is a near-duplicate of, or `-`.
pub fn write_run(
    path: &Path,
    tag: &str,
    topics: &[WrittenTopic],
    ids: &Ids,
) -> Result<()> {
    let failed = |error| Error::io(path, error);
    let file = File::create(path).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 18, file);
    for (topic, results, marks) in topics {
        let topic = ids.topics.text(*topic);
        // Ranks and scores must agree, or trec_eval would order the run differently.
        let scores = decreasing_scores(results);
        for (at, (result, score)) in results.iter().zip(scores).enumerate() {
            let document = ids.documents.text(result.document);
            let score = shown(score);
            write!(out, "{topic} Q0 {document} {} {score} {tag}", at + 1)
                .map_err(failed)?;
            if let Some(marks) = marks {
                let mark = marks[at].map_or("-", |other| ids.documents.text(other));
                write!(out, " {mark}").map_err(failed)?;
            }
            writeln!(out).map_err(failed)?;
        }
    }
    out.flush().map_err(failed)
}

/// A score that reads back as the same number; very large and very small ones have an
/// exponent, or they would be hundreds of digits.
fn shown(score: f64) -> String {
    let size = score.abs();
    if size == 0.0 || (1e-7..1e16).contains(&size) {
        score.to_string()
    } else {
        format!("{score:e}")
    }
}

/// Writes qrels of four columns, also of what was read from five.
pub fn write_qrels(
    path: &Path,
    qrels: &Qrels,
    file: &QrelsFile,
    ids: &Ids,
) -> Result<()> {
    let failed = |error| Error::io(path, error);
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    for topic in &qrels.topics {
        let name = ids.topics.text(topic.topic);
        for one in &topic.judgments {
            let subtopic = file.subtopics.text(one.subtopic);
            let document = ids.documents.text(one.document);
            writeln!(out, "{name} {subtopic} {document} {}", one.label)
                .map_err(failed)?;
        }
    }
    out.flush().map_err(failed)
}
