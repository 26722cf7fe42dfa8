//! Quality gate of passages: recall by what was done to them, and precision, stored as
//! references.
//!
//! inserted-passages-en has passages of the documentation of Linux put into other pages of it,
//! some of them edited; pan-indonesian is a corpus of plagiarism with located passages. From
//! chinese-laws a collection like the first is made here: whole sentences of one law put into
//! another. The collections lie in `../shared/data` or in the folder that `NEARDUPE_DATA`
//! names; without them the test says so and passes.
//!
//! `UPDATE_REFERENCE=1` rewrites `corpus/passages.json`.

use crate::quality_common::{data_folder, is_set, repository};
use neardupe_core::document::Silent;
use neardupe_core::eval::passages::{
    LocatedPassage, LocatedSide, PassageMeasures, TruePassage, measure,
};
use neardupe_core::hash;
use neardupe_core::pipeline::{PassagesConfig, passages};
use neardupe_core::store::WorkDir;
use neardupe_core::text::SentenceCutter;
use neardupe_io::source::{FileSource, ReadOptions, discover};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

/// A true passage by ids and characters, and what was done to it.
struct True {
    left: (String, u32, u32),
    right: (String, u32, u32),
    kind: String,
}

/// A pair of ids, the smaller one first.
type Ids = (String, String);

fn ordered(one: &str, other: &str) -> Ids {
    (one.min(other).to_owned(), one.max(other).to_owned())
}

/// What is compared: passages of a document of one side and one of the other.
struct Truth {
    passages: Vec<True>,
    /// Pairs that count neither as true nor as false.
    ignored: BTreeSet<Ids>,
    /// How ids of the two sides begin.
    sides: (&'static str, &'static str),
}

/// Measures of a collection, and the names of kinds.
fn measures(documents: &Path, truth: &Truth) -> (PassageMeasures, Vec<String>) {
    let argument = documents.to_str().unwrap().to_owned();
    let files = discover(&[argument], None).unwrap().files;
    let source = FileSource::new(files, ReadOptions::default());
    let folder = tempfile::tempdir().unwrap();
    let work = WorkDir::new(folder.path().join("work"));
    let config = PassagesConfig::new(folder.path().join("work"));
    let result = passages(&source, &config, &work, &Silent).unwrap();
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut number = |id: &str| {
        let next = u32::try_from(numbers.len()).unwrap();
        *numbers.entry(id.to_owned()).or_insert(next)
    };
    let kinds: BTreeSet<String> =
        truth.passages.iter().map(|one| one.kind.clone()).collect();
    let kinds: Vec<String> = kinds.into_iter().collect();
    let mut side = |&(ref id, start, end): &(String, u32, u32)| LocatedSide {
        document: number(id),
        start,
        end,
    };
    let known = truth.passages.iter().map(|one| TruePassage {
        passage: LocatedPassage::new(side(&one.left), side(&one.right)),
        kind: u32::try_from(kinds.iter().position(|kind| *kind == one.kind).unwrap())
            .unwrap(),
    });
    let known: Vec<TruePassage> = known.collect();
    let mut found = Vec::new();
    let visited = result.for_each_pair(|texts| {
        let pair = texts.pair;
        let (left, right) = (
            result.documents.id(pair.left)?,
            result.documents.id(pair.right)?,
        );
        let (one, other) = truth.sides;
        let is_between = (left.starts_with(one) && right.starts_with(other))
            || (left.starts_with(other) && right.starts_with(one));
        if !is_between || truth.ignored.contains(&ordered(&left, &right)) {
            return Ok(());
        }
        for passage in &pair.passages {
            let place = |id: &str, chars: &std::ops::Range<u64>| {
                let narrow = |number: u64| u32::try_from(number).unwrap();
                (id.to_owned(), narrow(chars.start), narrow(chars.end))
            };
            found.push(LocatedPassage::new(
                side(&place(&left, &passage.left.chars)),
                side(&place(&right, &passage.right.chars)),
            ));
        }
        Ok(())
    });
    visited.unwrap();
    (measure(known, found), kinds)
}

/// Rows of a tab-separated file, by the names of its columns.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned));
    let header: Vec<String> = lines.next().unwrap().collect();
    let row = |cells| header.iter().cloned().zip(cells).collect();
    lines.map(row).collect()
}

/// A truth in the columns of PAN, as a table.
fn listed(folder: &Path, kind: &str, sides: (&'static str, &'static str)) -> Truth {
    let place = |row: &BTreeMap<String, String>, side: &str| {
        let number = |what: &str| row[&format!("{side}_{what}")].parse::<u32>().unwrap();
        let start = number("offset");
        (row[side].clone(), start, start + number("length"))
    };
    let passages = rows(&folder.join("passages.tsv")).into_iter();
    let passages: Vec<True> = passages
        .map(|row| True {
            left: place(&row, "susp"),
            right: place(&row, "source"),
            kind: row[kind].clone(),
        })
        .collect();
    let planted: BTreeSet<Ids> = passages
        .iter()
        .map(|one| ordered(&one.left.0, &one.right.0))
        .collect();
    let ignored = folder.join("natural_overlap.tsv");
    let ignored = if ignored.is_file() {
        rows(&ignored)
    } else {
        Vec::new()
    };
    let ignored = ignored
        .iter()
        .map(|row| ordered(&row["susp"], &row["source"]));
    Truth {
        passages,
        ignored: ignored.filter(|pair| !planted.contains(pair)).collect(),
        sides,
    }
}

/// Numbers that depend on the seed alone.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let drawn = hash::mix(self.0) % limit as u64;
        usize::try_from(drawn).unwrap()
    }
}

/// Ends of the sentences of a text.
fn sentences(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    SentenceCutter::new().cut(text, &mut ends);
    ends
}

/// Puts sentences of some laws into others: into three of four of the latter one passage of 3
/// to 8 sentences and at least 60 characters. Laws of several versions are left out, so that
/// nothing else is shared but formulas.
fn inserted_chinese(folder: &Path, out: &Path) -> Truth {
    let mut packed = Vec::new();
    let mut file = std::fs::File::open(folder.join("docs.jsonl.gz")).unwrap();
    file.read_to_end(&mut packed).unwrap();
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(&packed[..])
        .read_to_string(&mut text)
        .unwrap();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| row[name].as_str().unwrap().to_owned();
        texts
            .entry(field("cluster"))
            .or_default()
            .push(field("text"));
    }
    let single = texts.into_values().filter(|versions| versions.len() == 1);
    let mut laws = single.map(|mut versions| versions.remove(0)).take(600);
    let sources: Vec<String> = laws.by_ref().take(300).collect();
    let mut random = Random(7);
    let mut passages = Vec::new();
    let mut lines = Vec::new();
    for (number, law) in laws.enumerate() {
        let id = format!("susp-{number:04}");
        let mut text = law.clone();
        if number % 4 != 3
            && let Some((given, source)) = excerpt(&sources, &mut random)
        {
            let ends = sentences(&law);
            let at = ends[random.below(ends.len())];
            let given_text = &sources[source][given.clone()];
            text = format!("{}{given_text}{}", &law[..at], &law[at..]);
            let chars = |text: &str| u32::try_from(text.chars().count()).unwrap();
            let (start, len) = (chars(&law[..at]), chars(given_text));
            let source_start = chars(&sources[source][..given.start]);
            passages.push(True {
                left: (id.clone(), start, start + len),
                right: (
                    format!("source-{source:04}"),
                    source_start,
                    source_start + len,
                ),
                kind: "none".to_owned(),
            });
        }
        lines.push(json!({"id": id, "text": text}).to_string());
    }
    for (number, law) in sources.iter().enumerate() {
        let id = format!("source-{number:04}");
        lines.push(json!({"id": id, "text": law}).to_string());
    }
    std::fs::write(out, lines.join("\n") + "\n").unwrap();
    Truth {
        passages,
        ignored: BTreeSet::new(),
        sides: ("susp-", "source-"),
    }
}

/// Some sentences of one of the texts.
fn excerpt(
    sources: &[String],
    random: &mut Random,
) -> Option<(std::ops::Range<usize>, usize)> {
    for _ in 0..20 {
        let source = random.below(sources.len());
        let ends = sentences(&sources[source]);
        let len = 3 + random.below(6);
        if ends.len() < len + 2 {
            continue;
        }
        let first = random.below(ends.len() - len);
        let range = ends[first]..ends[first + len];
        if sources[source][range.clone()].chars().count() >= 60 {
            return Some((range, source));
        }
    }
    None
}

fn shown(measures: &PassageMeasures, kinds: &[String]) -> Value {
    let round = |number: Option<f64>| number.map(|number| (number * 1e4).round() / 1e4);
    let by_kind: BTreeMap<&str, Value> = kinds
        .iter()
        .zip(&measures.kinds)
        .map(|(name, kind)| {
            let name = if name.is_empty() { "-" } else { name };
            let value = json!({
                "passages": kind.passages,
                "detected": kind.detected,
                "recall": round(kind.recall),
            });
            (name, value)
        })
        .collect();
    json!({
        "precision": round(measures.micro.precision),
        "recall": round(measures.micro.recall),
        "f1": round(measures.micro.f1),
        "plagdet": round(measures.micro.plagdet),
        "granularity": round(measures.granularity),
        "found": measures.found,
        "kinds": by_kind,
    })
}

/// Fails when a collection is worse, or better, than the stored reference.
#[expect(clippy::print_stdout, reason = "figures for whoever looks")]
fn hold(name: &str, value: &Value) {
    let path = repository().join("corpus/passages.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
    let mut stored: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
    println!("{name}: {value:#}");
    if is_set("UPDATE_REFERENCE") {
        stored.insert(name.to_owned(), value.clone());
        let text = serde_json::to_string_pretty(&stored).unwrap() + "\n";
        std::fs::write(&path, text).unwrap();
        return;
    }
    assert_eq!(
        stored.get(name),
        Some(value),
        "{name} has moved; if that is meant, UPDATE_REFERENCE=1 and a line in CHANGELOG.md"
    );
}

fn recall(measures: &PassageMeasures, kinds: &[String], name: &str) -> f64 {
    let at = kinds.iter().position(|kind| kind == name).unwrap();
    measures.kinds[at].recall.unwrap()
}

#[test]
fn passages_are_found_whatever_was_done_to_them() {
    if let Some(folder) = data_folder("inserted-passages-en", "passages in English") {
        let truth = listed(&folder, "obfuscation", ("susp-", "source-"));
        let (measures, kinds) = measures(&folder.join("docs.jsonl.gz"), &truth);
        assert!(recall(&measures, &kinds, "none") >= 0.93);
        assert!(recall(&measures, &kinds, "light") >= 0.75);
        assert!(measures.micro.precision.unwrap() >= 0.90);
        hold("inserted-passages-en", &shown(&measures, &kinds));
    }
    if let Some(folder) = data_folder("chinese-laws", "passages in Chinese") {
        let out = tempfile::tempdir().unwrap();
        let documents = out.path().join("docs.jsonl");
        let truth = inserted_chinese(&folder, &documents);
        let (measures, kinds) = measures(&documents, &truth);
        assert!(recall(&measures, &kinds, "none") >= 0.90);
        hold("chinese-laws, inserted", &shown(&measures, &kinds));
    }
    if let Some(folder) = data_folder("pan-indonesian", "plagiarism in Indonesian") {
        let truth = listed(&folder, "obfuscation", ("suspicious-", "source-"));
        let (measures, kinds) = measures(&folder.join("docs.jsonl.gz"), &truth);
        hold("pan-indonesian", &shown(&measures, &kinds));
    }
}
