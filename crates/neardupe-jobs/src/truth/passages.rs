//! Passages that are known to be there: rows of a table, or what PAN's files say (`pan`).

use super::file::{has, value};
use super::pan;
use super::relation::Ids;
use super::table::{self, TableFile, TableRow};
use neardupe_core::error::{Error, Result};
use neardupe_core::eval::passages::LocatedSide;
use neardupe_core::hash::{self, FixedMap, FixedSet};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A passage as its row has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrueRow {
    /// Id of one document.
    pub left: String,
    /// Id of the other.
    pub right: String,
    /// First and last characters, end exclusive, on both sides.
    pub places: [(u32, u32); 2],
    /// What was done to it; empty if that is not said.
    pub kind: String,
}

/// A truth of passages as it was read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PassageTruth {
    /// The passages, in the order of the file.
    pub rows: Vec<TrueRow>,
    /// Passages without a source, as PAN has them for a task of its own.
    pub without_source: u64,
    /// Documents are named by files (PAN), so `folder/name.txt` is `name`.
    pub of_files: bool,
}

/// Reads a truth: a table, a file of PAN XML, or a folder with such files.
pub fn read_passages(path: &Path) -> Result<PassageTruth> {
    let is_xml = |path: &Path| path.extension().is_some_and(|ending| ending == "xml");
    // A folder can only be PAN: it has a file per document.
    if path.is_dir() || is_xml(path) {
        return pan::read(path);
    }
    let names: Vec<String> = SIDES.iter().flat_map(|side| side.names()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = table::read(path, &names)?;
    let mut truth = PassageTruth::default();
    // An empty file says that there is no passage.
    let Some(first) = table.rows.first() else {
        return Ok(truth);
    };
    let wrong = |row: &TableRow, message: String| {
        Error::input(format!("{}:{}", path.display(), row.line), message)
    };
    let Some((left, right)) = sides(&table) else {
        let message =
            "no passages, which a result of passages is compared with: it needs the \
                       columns susp, susp_offset, susp_length, source, source_offset, \
                       source_length, or left, left_start, left_end, right, right_start, \
                       right_end"
                .to_owned();
        return Err(wrong(first, message));
    };
    for row in &table.rows {
        let cell = |name: &str| value(row, table.header.as_deref(), name);
        // Errors of a row get its line below.
        let read = || -> Result<TrueRow, String> {
            let (left, one) = left.read(&cell)?;
            let (right, other) = right.read(&cell)?;
            // The names of PAN, ours, and of other corpora; the first that is not empty.
            let kinds = ["obfuscation", "kind", "type"];
            let kind = kinds.iter().filter_map(|name| cell(name));
            let kind = kind.map(|kind| kind.trim().to_owned());
            Ok(TrueRow {
                left,
                right,
                places: [one, other],
                kind: kind
                    .into_iter()
                    .find(|kind| !kind.is_empty())
                    .unwrap_or_default(),
            })
        };
        truth
            .rows
            .push(read().map_err(|message| wrong(row, message))?);
    }
    Ok(truth)
}

/// Names of the columns of one side.
#[derive(Debug, Clone, Copy)]
struct SideColumns {
    /// The column of the id.
    id: &'static str,
    /// What other columns begin with.
    prefix: &'static str,
}

/// The suspicious or left side by its names, then the source or right side. Each half is
/// searched in this order.
const SIDES: [SideColumns; 6] = [
    side("susp", "susp"),
    side("left", "left"),
    side("this_reference", "this"),
    side("source", "source"),
    side("source_reference", "source"),
    side("right", "right"),
];

/// A constant function, so that the table above is a constant.
const fn side(id: &'static str, prefix: &'static str) -> SideColumns {
    SideColumns { id, prefix }
}

impl SideColumns {
    /// Columns that only a table of passages has.
    fn names(self) -> [String; 2] {
        ["offset", "start"].map(|name| format!("{}_{name}", self.prefix))
    }

    /// Whether a table has this side: its id and a place.
    fn is_in(self, table: &TableFile) -> bool {
        has(table, self.id) && self.names().iter().any(|name| has(table, name))
    }

    /// The id and the places.
    fn read(
        self,
        cell: &impl Fn(&str) -> Option<String>,
    ) -> Result<(String, (u32, u32)), String> {
        let SideColumns { id, prefix } = self;
        let Some(document) = cell(id).filter(|document| !document.is_empty()) else {
            return Err(format!("no {id:?}"));
        };
        let number = |name: &str| {
            let name = format!("{prefix}_{name}");
            let text = cell(&name);
            let wrong = |text| format!("{name}: {text:?} is not a whole number");
            text.map(|text| text.trim().parse::<u32>().map_err(|_| wrong(text)))
                .transpose()
        };
        // Both ways to give a place can be in one table; offset and length come first.
        let start = match number("offset")? {
            Some(start) => Some(start),
            None => number("start")?,
        };
        let Some(start) = start else {
            return Err(format!("no \"{prefix}_offset\" or \"{prefix}_start\""));
        };
        let end = match (number("length")?, number("end")?) {
            (Some(length), _) => start.checked_add(length),
            (None, Some(end)) => Some(end),
            (None, None) => {
                return Err(format!("no \"{prefix}_length\" or \"{prefix}_end\""));
            }
        };
        match end {
            Some(end) if start <= end => Ok((document, (start, end))),
            _ => Err(format!("the passage in {document:?} ends before it begins")),
        }
    }
}

/// The two sides that a table has; None if it has no passages.
fn sides(table: &TableFile) -> Option<(SideColumns, SideColumns)> {
    let there =
        |sides: &[SideColumns]| sides.iter().copied().find(|side| side.is_in(table));
    there(&SIDES[..3]).zip(there(&SIDES[3..]))
}

/// Whether a table has the columns of passages.
pub(super) fn lists_passages(table: &TableFile) -> bool {
    sides(table).is_some()
}

/// Numbers of documents by their ids, in a truth of passages and in a result.
#[derive(Debug, Default)]
pub struct PassageIds {
    /// Numbers in the order in which ids are met.
    ids: Ids,
    /// Documents are named by files in the truth.
    of_files: bool,
    /// Which ids the files were found to have.
    files: FixedMap<u32, u128>,
    /// `id` where `id#2` was met: what the document was called before it was made unique.
    given: FixedSet<u128>,
}

impl PassageIds {
    /// For a truth in which documents may be named by their files.
    pub fn new(of_files: bool) -> Self {
        PassageIds {
            of_files,
            ..PassageIds::default()
        }
    }

    /// The number of a document that the truth names.
    pub fn of_truth(&mut self, name: &str) -> Result<u32> {
        if self.of_files {
            self.number(of_file(name))
        } else {
            self.number(name)
        }
    }

    /// The number of a document of the result, known or new.
    pub fn of_result(&mut self, id: &str) -> Result<u32> {
        // Ids of the result may have a suffix that those of the truth lack.
        match self.known(id)? {
            Some(document) => Ok(document),
            None => self.number(id),
        }
    }

    /// The number of an id. One with a suffix also notes the id without it.
    fn number(&mut self, id: &str) -> Result<u32> {
        if let Some((given, number)) = id.rsplit_once('#')
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            self.given.insert(hash::text(given));
        }
        self.ids.number(id)
    }

    /// Whether a document with this id in its record may be one that was met.
    pub(super) fn may_know(&self, id: &str) -> bool {
        self.ids.known(id).is_some()
            || self.given.contains(&hash::text(id))
            || (self.of_files && self.ids.known(of_file(id)).is_some())
    }

    /// The number of a document of the result, if it was met before.
    pub fn known(&mut self, id: &str) -> Result<Option<u32>> {
        if !self.of_files {
            return Ok(self.ids.known(id));
        }
        // An id as it is wins over a name of a file.
        let by_file = || self.ids.known(of_file(id));
        let Some(document) = self.ids.known(id).or_else(by_file) else {
            return Ok(None);
        };
        // A file of the truth must be one document of the result: else nobody knows which was
        // meant.
        let hash = hash::text(id);
        if *self.files.entry(document).or_insert(hash) != hash {
            let message = format!(
                "two documents of the result are the file {:?} of the truth, one of them \
                 {id:?}",
                of_file(id)
            );
            return Err(Error::config("truth", message));
        }
        Ok(Some(document))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// `name` of `folder/name.txt`.
pub(super) fn of_file(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.strip_suffix(".txt").unwrap_or(name)
}

/// A side of a passage.
pub(super) fn located(document: u32, places: (u32, u32)) -> LocatedSide {
    LocatedSide {
        document,
        start: places.0,
        end: places.1,
    }
}
