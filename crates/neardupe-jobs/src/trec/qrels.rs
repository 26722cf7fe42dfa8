//! Qrels: four columns `topic iteration document label`, with the subtopic instead of the
//! iteration for diversity; or the five columns of prels, `topic document label method
//! probability`.
//!
//! The format is detected from the first line and the judgments. Where a document is judged twice
//! for a topic the first judgment is kept and the second is a bad record, so the file can be
//! corrected.

use super::Ids;
use super::lines::{BadLine, BadLines, Parsed, for_each_line, format};
use neardupe_core::document::BadKind;
use neardupe_core::error::{Error, Result};
use neardupe_core::hash::FixedMap;
use neardupe_core::trec::{Judgment, Names, Qrels};
use std::path::Path;
use std::str::FromStr;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QrelsFormat {
    /// Four columns; the second says nothing.
    Adhoc,
    /// Four columns; the second is a subtopic.
    Diversity,
    /// Five columns.
    Prels,
}

impl QrelsFormat {
    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            QrelsFormat::Adhoc => "adhoc",
            QrelsFormat::Diversity => "diversity",
            QrelsFormat::Prels => "prels",
        }
    }
}

impl FromStr for QrelsFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "adhoc" => Ok(QrelsFormat::Adhoc),
            "diversity" => Ok(QrelsFormat::Diversity),
            "prels" => Ok(QrelsFormat::Prels),
            _ => {
                let message =
                    std::format!("{name:?} is not auto, adhoc, diversity or prels");
                Err(Error::config("qrels-format", message))
            }
        }
    }
}

/// Qrels as they were read.
#[derive(Debug)]
pub struct QrelsFile {
    /// The judgments.
    pub qrels: Qrels,
    /// Names of subtopics by number; one without subtopics.
    pub subtopics: Names,
    /// How the file was read.
    pub format: QrelsFormat,
    /// Lines that were read, bad ones included.
    pub lines: u64,
}

/// Reads qrels. Without a format, five columns in the first line are prels; four are diversity
/// qrels if some document is judged for two values of the second column of a topic. A judgment
/// that contradicts an earlier one is a bad record.
pub fn read_qrels(
    path: &Path,
    asked: Option<QrelsFormat>,
    ids: &mut Ids,
    bad: &mut BadLines,
) -> Result<QrelsFile> {
    let mut subtopics = Names::default();
    // Number 0 stands for no subtopic; `0` is what files without subtopics have in this
    // column.
    subtopics.number("0");
    let mut judgments = Vec::new();
    let mut places = Vec::new();
    let mut lines = 0;
    let mut is_prels = asked.map(|asked| asked == QrelsFormat::Prels);
    let faults = for_each_line(path, |line, place| {
        lines += 1;
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        // The first line decides for the file.
        let five = *is_prels.get_or_insert(columns.len() == 5);
        let (topic, subtopic, document, label) = parse(&columns, five)?;
        judgments.push(Judgment {
            topic: ids.topics.number(topic),
            subtopic: subtopics.number(subtopic),
            document: ids.documents.number(document),
            label,
        });
        places.push(place);
        Ok(())
    })?;
    let format = match (asked, is_prels) {
        (Some(asked), _) => asked,
        (None, Some(true)) => QrelsFormat::Prels,
        (None, _) => {
            if has_subtopics(&judgments) {
                QrelsFormat::Diversity
            } else {
                QrelsFormat::Adhoc
            }
        }
    };
    let is_diversity = format == QrelsFormat::Diversity;
    let (qrels, contradicting) = Qrels::new(&judgments, &ids.topics, is_diversity);
    let contradicting = contradicting.into_iter().map(|at| BadLine {
        path: path.display().to_string(),
        number: places[at].number,
        offset: places[at].offset,
        kind: BadKind::BadField,
        detail: std::format!(
            "document {} of topic {} was judged before with another label, which is kept",
            ids.documents.text(judgments[at].document),
            ids.topics.text(judgments[at].topic)
        ),
    });
    // Faults of lines and contradictions come in the order of the file.
    let mut all: Vec<BadLine> = faults.into_iter().chain(contradicting).collect();
    all.sort_by_key(|line| line.number);
    for line in all {
        bad.add(line)?;
    }
    Ok(QrelsFile {
        qrels,
        subtopics,
        format,
        lines,
    })
}

/// Topic, subtopic, document and label. Prels have no subtopic, and their last two columns
/// are not used.
fn parse<'a>(
    columns: &[&'a str],
    is_prels: bool,
) -> Parsed<(&'a str, &'a str, &'a str, i32)> {
    let (topic, subtopic, document, label) = match (columns, is_prels) {
        (&[topic, subtopic, document, label], false) => {
            (topic, subtopic, document, label)
        }
        (&[topic, document, label, _, _], true) => (topic, "0", document, label),
        (_, true) => {
            return format(std::format!(
                "{} columns where prels have 5: topic document label method probability",
                columns.len()
            ));
        }
        (_, false) => {
            return format(std::format!(
                "{} columns where qrels have 4: topic iteration document label",
                columns.len()
            ));
        }
    };
    match label.parse() {
        Ok(label) => Ok((topic, subtopic, document, label)),
        Err(_) => format(std::format!("the label {label:?} is not a whole number")),
    }
}

/// Whether some document was judged for two subtopics of one topic. Only this shows the
/// format: four columns look alike.
fn has_subtopics(judgments: &[Judgment]) -> bool {
    let mut first: FixedMap<(u32, u32), u32> = FixedMap::default();
    judgments.iter().any(|one| {
        let key = (one.topic, one.document);
        *first.entry(key).or_insert(one.subtopic) != one.subtopic
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (QrelsFile, BadLines) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qrels");
        std::fs::write(&path, text).unwrap();
        let mut bad = BadLines::default();
        let file = read_qrels(&path, None, &mut Ids::default(), &mut bad).unwrap();
        (file, bad)
    }

    #[test]
    fn formats_are_detected() {
        let (file, bad) = read("1 0 a 1\n1 0 b  -2\n1 0 a 1\n1 0 a 2\n1 0 c\n1 0 c x\n");
        assert_eq!((file.format, file.qrels.len()), (QrelsFormat::Adhoc, 2));
        assert_eq!(file.qrels.repeated, 1);
        let numbers: Vec<u64> = bad.lines.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [4, 5, 6]);
        let (file, _) = read("1 1 a 1\n1 2 a 0\n");
        assert_eq!((file.format, file.qrels.len()), (QrelsFormat::Diversity, 2));
        let (file, bad) = read("1 a 2 0 1\n1 b 0 1 0.5\n1 0 c 1\n");
        assert_eq!((file.format, file.qrels.len()), (QrelsFormat::Prels, 2));
        assert_eq!(bad.len(), 1);
    }
}
