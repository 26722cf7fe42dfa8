//! Near-duplicates from a groups file, a pairs file, a result of `find`, or a job of `find`.
//!
//! Groups are an equivalence: whatever shares a document becomes one group. Pairs are kept as
//! they are, since similarity is not transitive. Similarities are whole millionths. A threshold
//! is rounded up and an exact overlap down, so no pair passes a threshold that it does not reach.
//! `known_from` remembers the threshold of a result: below it absence of a pair means nothing.

use super::Ids;
use super::lines::{BadLine, BadLines, Parsed, for_each_line, format};
use super::wanted::Others;
use neardupe_core::document::BadKind;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::FindResult;
use neardupe_core::ratio::Ratio;
use neardupe_core::similarity::Similarity;
use neardupe_core::trec::{Groups, Names, Near, PairList, SIMILARITY_ONE};
use neardupe_io::result::{ResultReader, read_listed_pairs};
use serde::Deserialize;
use std::borrow::Cow;
use std::path::Path;

/// Where near-duplicates come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearOrigin {
    /// A file of groups.
    Groups,
    /// A file of pairs.
    Pairs,
    /// The pairs of a result.
    ResultPairs,
    /// The clusters of a result that has not all pairs.
    ResultClusters,
    /// Documents of a collection, compared now.
    Collection,
}

impl NearOrigin {
    /// What it is, for people.
    pub fn name(self) -> &'static str {
        match self {
            NearOrigin::Groups => "groups",
            NearOrigin::Pairs => "pairs",
            NearOrigin::ResultPairs => "all pairs of a result",
            NearOrigin::ResultClusters => "clusters of a result",
            NearOrigin::Collection => "documents compared now",
        }
    }
}

/// Near-duplicates as they were read.
#[derive(Debug)]
pub struct NearFile {
    /// The near-duplicates.
    pub near: Near,
    /// Where they come from.
    pub origin: NearOrigin,
    /// Pairs less similar than this, in millionths, are not known; 0 where that is not said.
    pub known_from: u32,
    /// Groups or pairs that were read.
    pub rows: u64,
    /// Groups that became one with others, since they share a document.
    pub joined: u64,
    /// Pairs without a similarity: they count as 1.
    pub unmeasured: u64,
    /// Of documents that were compared now: which were there.
    pub collection: Option<CollectionRead>,
}

/// What was found of the documents that were looked for in a collection.
#[derive(Debug)]
pub struct CollectionRead {
    /// Numbers of those that were found, ascending.
    pub found: Vec<u32>,
    /// Ids of others in the collection: a few.
    pub other_ids: Vec<String>,
    /// Documents of the collection that have no id.
    pub without_id: u64,
}

/// A line of a groups file.
#[derive(Deserialize)]
struct GroupRow<'a> {
    #[serde(borrow, alias = "members")]
    ids: Vec<Cow<'a, str>>,
}

/// The kind and the detail of a bad line. The message of the parser ends with a line that is
/// always 1, so only its column is kept.
fn json_fault(error: &serde_json::Error) -> (BadKind, String) {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    (
        BadKind::Json,
        std::format!("{what} at column {}", error.column()),
    )
}

/// Reads groups: JSON lines with a list `ids` (or `members`). Groups that share a document become
/// one.
pub fn read_groups(path: &Path, ids: &mut Ids, bad: &mut BadLines) -> Result<NearFile> {
    let mut lists: Vec<Vec<u32>> = Vec::new();
    // Documents are numbered as they are met, also those that no run has: groups can be
    // joined by them.
    let faults = for_each_line(path, |line, _| {
        let row: GroupRow<'_> =
            serde_json::from_str(line).map_err(|error| json_fault(&error))?;
        let members = row.ids.iter().map(|id| ids.documents.number(id));
        lists.push(members.collect());
        Ok(())
    })?;
    for line in faults {
        bad.add(line)?;
    }
    let groups = Groups::new(&lists);
    let several = lists.iter().filter(|list| {
        // A list with one document, or one several times, is not a group and was not joined.
        let first = list.first();
        list.iter().any(|document| Some(document) != first)
    });
    let several = several.count() as u64;
    Ok(NearFile {
        joined: several - groups.len() as u64,
        near: Near::Groups(groups),
        origin: NearOrigin::Groups,
        known_from: 0,
        rows: lists.len() as u64,
        unmeasured: 0,
        collection: None,
    })
}

/// A line of a pairs file as JSON.
#[derive(Deserialize)]
struct JsonPair<'a> {
    #[serde(borrow)]
    left: Cow<'a, str>,
    #[serde(borrow)]
    right: Cow<'a, str>,
    #[serde(alias = "resemblance")]
    similarity: Option<f64>,
}

/// Where the columns of a pair are, in a file of separated values.
struct Columns {
    separator: char,
    /// Places of the columns, from 0; a place behind the last means that there is none.
    left: usize,
    right: usize,
    similarity: usize,
}

impl Columns {
    /// By the first line, and whether that is a header: left, right and similarity (or
    /// resemblance) by name, or the first three.
    /// Ids with commas are possible where tabs part the columns, so tabs come first.
    fn of(line: &str) -> (Self, bool) {
        let separator = if line.contains('\t') { '\t' } else { ',' };
        let names: Vec<&str> = line.split(separator).map(str::trim).collect();
        let place = |name: &str| names.iter().position(|one| *one == name);
        let columns = |left, right, similarity| Columns {
            separator,
            left,
            right,
            similarity,
        };
        match (place("left"), place("right")) {
            (Some(left), Some(right)) => {
                let similarity = place("similarity").or(place("resemblance"));
                (columns(left, right, similarity.unwrap_or(usize::MAX)), true)
            }
            _ => (columns(0, 1, 2), false),
        }
    }

    /// The ids of a line and its similarity; empty cells count as missing.
    fn parse<'a>(&self, line: &'a str) -> Parsed<(&'a str, &'a str, Option<f64>)> {
        let cells: Vec<&str> = line.split(self.separator).map(str::trim).collect();
        let cell = |at: usize| cells.get(at).copied().filter(|cell| !cell.is_empty());
        let (Some(left), Some(right)) = (cell(self.left), cell(self.right)) else {
            return format("no two ids; a line has left, right and similarity");
        };
        let similarity = match cell(self.similarity) {
            None => None,
            Some(text) => match text.parse::<f64>() {
                Ok(number) => Some(number),
                Err(_) => {
                    return format(std::format!(
                        "the similarity {text:?} is not a number"
                    ));
                }
            },
        };
        Ok((left, right, similarity))
    }
}

/// A similarity in millionths; one that is not within 0 and 1 is refused.
fn millionths(similarity: Option<f64>) -> Parsed<u32> {
    let Some(number) = similarity else {
        return Ok(SIMILARITY_ONE);
    };
    if !(0.0..=1.0).contains(&number) {
        return format(std::format!(
            "the similarity {number} is not within 0 and 1"
        ));
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most a million")]
    Ok((number * f64::from(SIMILARITY_ONE)).round() as u32)
}

/// Reads pairs: JSON lines, values separated by tabs or commas, or Parquet, with `left`, `right`
/// and `similarity`.
pub fn read_pairs(path: &Path, ids: &mut Ids, bad: &mut BadLines) -> Result<NearFile> {
    let mut pairs = Vec::new();
    let mut unmeasured = 0;
    // The same for all three forms, so a fault has the same words in each.
    let mut add = |documents: &mut Names, left: &str, right: &str, similarity| {
        let value = millionths(similarity)?;
        unmeasured += u64::from(similarity.is_none());
        pairs.push((documents.number(left), documents.number(right), value));
        Ok(())
    };
    if path.extension().is_some_and(|ending| ending == "parquet") {
        // A table by columns has no bad lines: one wrong value is an error of the file.
        for row in read_listed_pairs(path)? {
            let row = row?;
            let added: Parsed<()> = add(
                &mut ids.documents,
                &row.left,
                &row.right,
                Some(row.similarity),
            );
            added.map_err(|(_, what)| Error::input(path.display().to_string(), what))?;
        }
    } else {
        let mut columns: Option<Columns> = None;
        let faults = for_each_line(path, |line, _| {
            // Each line by itself, so a file may have both forms.
            if line.starts_with('{') {
                let row: JsonPair<'_> =
                    serde_json::from_str(line).map_err(|error| json_fault(&error))?;
                return add(&mut ids.documents, &row.left, &row.right, row.similarity);
            }
            if columns.is_none() {
                let (found, is_header) = Columns::of(line);
                columns = Some(found);
                if is_header {
                    return Ok(());
                }
            }
            let Some(columns) = &columns else {
                return Ok(());
            };
            let (left, right, similarity) = columns.parse(line)?;
            add(&mut ids.documents, left, right, similarity)
        })?;
        for line in faults {
            bad.add(line)?;
        }
    }
    Ok(NearFile {
        rows: pairs.len() as u64,
        near: Near::Pairs(PairList::new(&pairs)),
        origin: NearOrigin::Pairs,
        known_from: 0,
        joined: 0,
        unmeasured,
        collection: None,
    })
}

/// A threshold in millionths, rounded up: a pair must not count as known that the result may
/// lack.
fn of_threshold(threshold: Ratio) -> u32 {
    let (part, whole) = threshold.parts();
    let millionths = (part * u64::from(SIMILARITY_ONE)).div_ceil(whole.max(1));
    u32::try_from(millionths).unwrap_or(SIMILARITY_ONE)
}

/// The similarity of a pair, rounded down so that it reaches no threshold that it does not.
fn of_overlap(
    similarity: Similarity,
    overlap: u32,
    left: u32,
    right: u32,
) -> Option<u32> {
    let (overlap, left, right) = (u64::from(overlap), u64::from(left), u64::from(right));
    let (part, whole) = match similarity {
        Similarity::Resemblance => (overlap, left + right - overlap),
        // Only resemblance can be computed by this formula; others take the rounded column.
        _ => return None,
    };
    u32::try_from(part * u64::from(SIMILARITY_ONE) / whole.max(1)).ok()
}

/// Reads a result of `find`: its pairs if it has all of them, else its clusters as groups.
pub fn read_result(path: &Path, ids: &mut Ids) -> Result<NearFile> {
    let result = ResultReader::open(path)?;
    result.check_ids_of_sides()?;
    let summary = result.summary();
    // Below its own threshold a result says nothing.
    let known_from = of_threshold(summary.threshold()?.ratio());
    if summary.has_all_pairs()? {
        let similarity = summary.similarity()?;
        let mut pairs = Vec::new();
        for row in result.pairs()? {
            let row = row?;
            let exact =
                of_overlap(similarity, row.overlap, row.left_size, row.right_size);
            let value = match exact {
                Some(value) => value,
                None => millionths(Some(row.similarity)).unwrap_or(SIMILARITY_ONE),
            };
            let left = ids.documents.number(&row.left);
            pairs.push((left, ids.documents.number(&row.right), value));
        }
        return Ok(NearFile {
            rows: pairs.len() as u64,
            near: Near::Pairs(PairList::new(&pairs)),
            origin: NearOrigin::ResultPairs,
            known_from,
            joined: 0,
            unmeasured: 0,
            collection: None,
        });
    }
    // Clusters are all there is: pairs are lost, and so is similarity.
    let mut lists = Vec::new();
    for row in result.clusters()? {
        let members = row?.members;
        let members = members.iter().map(|id| ids.documents.number(id));
        lists.push(members.collect());
    }
    let groups = Groups::new(&lists);
    Ok(NearFile {
        rows: lists.len() as u64,
        joined: lists.len() as u64 - groups.len() as u64,
        near: Near::Groups(groups),
        origin: NearOrigin::ResultClusters,
        known_from,
        unmeasured: 0,
        collection: None,
    })
}

/// The pairs of a job of `find` that has kept all of them and read through [`NamedDocuments`](super::NamedDocuments).
pub fn near_of_collection(
    result: &FindResult,
    others: Others,
    threshold: Ratio,
    ids: &mut Ids,
    bad: &mut BadLines,
) -> Result<NearFile> {
    // Which of the wanted documents the collection has: for the share of results that could
    // be compared.
    let mut found = Vec::new();
    for document in result.documents.all() {
        found.extend(ids.documents.known(&result.documents.id(document)?));
    }
    found.sort_unstable();
    found.dedup();
    let files = result.documents.files();
    result.documents.for_each_bad_record(|one| {
        let file = &files[one.position.file as usize];
        bad.add(BadLine {
            path: file.name.clone(),
            number: file.record_number(one.position),
            offset: one.offset,
            kind: one.kind,
            detail: one.detail.clone(),
        })
    })?;
    let mut pairs = Vec::new();
    result.for_each_pair(|pair| {
        let left = ids.documents.number(&result.documents.id(pair.left)?);
        let right = ids.documents.number(&result.documents.id(pair.right)?);
        // Rounded down, as above.
        let value =
            u64::from(pair.overlap) * u64::from(SIMILARITY_ONE) / pair.union().max(1);
        pairs.push((left, right, u32::try_from(value).unwrap_or(SIMILARITY_ONE)));
        Ok(())
    })?;
    Ok(NearFile {
        rows: pairs.len() as u64,
        near: Near::Pairs(PairList::new(&pairs)),
        origin: NearOrigin::Collection,
        known_from: of_threshold(threshold),
        joined: 0,
        unmeasured: 0,
        collection: Some(CollectionRead {
            found,
            other_ids: others.examples.into_iter().collect(),
            without_id: others.without_id,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(
        name: &str,
        text: &str,
        how: fn(&Path, &mut Ids, &mut BadLines) -> Result<NearFile>,
    ) -> (NearFile, Ids, BadLines) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let (mut ids, mut bad) = (Ids::default(), BadLines::default());
        let near = how(&path, &mut ids, &mut bad).unwrap();
        (near, ids, bad)
    }

    #[test]
    fn groups_are_lists_of_ids() {
        let text = "{\"hash\":\"1\",\"ids\":[\"a\",\"b\"]}\n{\"members\":[\"b\",\"c\\u0064\"]}\n[1]\n\
                    {\"ids\":[\"e\"]}\n";
        let (near, ids, bad) = read("groups.jsonl", text, read_groups);
        assert_eq!((near.rows, near.joined, bad.len()), (3, 1, 1));
        let Near::Groups(groups) = &near.near else {
            panic!()
        };
        let [a, cd] = ["a", "cd"].map(|id| ids.documents.known(id).unwrap());
        assert_eq!(groups.of(a), groups.of(cd));
    }

    #[test]
    fn pairs_are_read_in_several_forms() {
        let forms = [
            "left\tsimilarity\tright\na\t0.75\tb\n",
            "a,b,0.75\n",
            "{\"left\":\"a\",\"right\":\"b\",\"similarity\":0.75,\"overlap\":3}\n",
        ];
        for text in forms {
            let (near, ids, bad) = read("pairs", text, read_pairs);
            let Near::Pairs(pairs) = &near.near else {
                panic!()
            };
            let [a, b] = ["a", "b"].map(|id| ids.documents.known(id).unwrap());
            assert_eq!(pairs.of(a), [(b, 750_000)], "{text}");
            assert!(bad.is_empty());
        }
        let (near, _, bad) = read("pairs", "a\tb\na\tc\t2\na\tb\tx\nd\n", read_pairs);
        assert_eq!((near.rows, near.unmeasured, bad.len()), (1, 1, 3));
    }
}
