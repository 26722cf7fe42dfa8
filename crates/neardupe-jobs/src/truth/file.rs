//! A file that says which documents are duplicates: pairs, labelled pairs, or groups.
//!
//! The kind of the file follows from its content: rows with a list `ids` or `members` are groups,
//! others are pairs. A column of labels makes the difference between a whole truth and a sample:
//! if every label is positive it is a list of duplicates; as soon as one is negative, or people
//! judged it, pairs that are not listed are unknown instead of wrong. A column `label` with
//! values that nobody explained is refused, since taking all rows for duplicates would give a
//! wrong recall without a sign.

use super::relation::{Ids, Labelled, Partition, TruePairs};
use super::table::{self, Cells, ID_NAMES, TableFile, TableRow};
use neardupe_core::error::{Error, Result};
use serde_json::Value;
use std::path::Path;

/// What is known to be right.
#[derive(Debug)]
pub enum Truth {
    /// All pairs that are duplicates; what is not listed is none.
    Pairs(TruePairs),
    /// Clusters; what is in none is alone.
    Clusters(Partition),
    /// A sample: pairs that were looked at, duplicates or not.
    Sample(Labelled),
}

/// A truth as it was read.
#[derive(Debug)]
pub struct TruthFile {
    /// The truth.
    pub truth: Truth,
    /// Rows or groups that were read.
    pub rows: u64,
    /// Rows that name one document twice.
    pub self_pairs: u64,
    /// Rows that repeat a pair.
    pub repeated: u64,
    /// Rows with a document that is not in the collection, as far as that is known.
    pub unknown_rows: u64,
    /// Some of the ids of these.
    pub unknown_ids: Vec<String>,
    /// Rows whose label says neither.
    pub unclear: u64,
}

/// Which rows are duplicates.
#[derive(Debug, Clone, Default)]
pub enum LabelRule {
    /// Not said: all rows, unless there is a column of labels.
    #[default]
    Unsaid,
    /// All rows.
    All,
    /// Rows with one of these values in the column.
    OneOf(String, Vec<String>),
    /// Rows with at least this number in the column.
    AtLeast(String, f64),
    /// What `judge` writes, in the column.
    Judged(String),
}

/// How a truth is read.
#[derive(Debug, Clone, Default)]
pub struct TruthOptions {
    /// Names or numbers (from 1) of the columns of the two ids.
    pub columns: Option<(String, String)>,
    /// Which rows are duplicates.
    pub labels: LabelRule,
    /// Merge groups and pairs that share a document.
    pub closure: bool,
}

/// Labels that `judge` writes.
const DUPLICATE: [&str; 2] = ["duplicate", "near-duplicate"];
const NOT: [&str; 2] = ["not", "not-duplicate"];
const UNCLEAR: [&str; 2] = ["unclear", "skipped"];

/// What a label says: none for unclear.
fn judged(label: &str) -> Option<Option<bool>> {
    match label {
        label if DUPLICATE.contains(&label) => Some(Some(true)),
        label if NOT.contains(&label) => Some(Some(false)),
        label if UNCLEAR.contains(&label) => Some(None),
        _ => None,
    }
}

/// Reads a truth. `collection` holds all ids of the collection, where they are known: other
/// ids are left out and counted.
pub fn read_truth(
    path: &Path,
    options: &TruthOptions,
    ids: &mut Ids,
    collection: Option<&Ids>,
) -> Result<TruthFile> {
    let mut asked: Vec<&str> = Vec::new();
    if let Some((left, right)) = &options.columns {
        asked.extend([left.as_str(), right.as_str()]);
    }
    if let LabelRule::OneOf(column, _)
    | LabelRule::AtLeast(column, _)
    | LabelRule::Judged(column) = &options.labels
    {
        asked.push(column);
    }
    // A column that is named by its number needs no header.
    let names: Vec<&str> = asked
        .into_iter()
        .filter(|name| name.parse::<usize>().is_err())
        .collect();
    if path.is_dir() {
        let message = "a folder, as of true passages; a truth of documents is a file";
        return Err(Error::input(path.display().to_string(), message));
    }
    let table = table::read(path, &names)?;
    // A file of passages has two ids, too: taking it for pairs would measure the wrong thing
    // without a sign.
    if super::passages::lists_passages(&table) {
        let message = "it lists passages, but the result is one of find, which has pairs of \
                       documents; run neardupe passages";
        return Err(Error::input(path.display().to_string(), message));
    }
    let reading = Reading {
        path,
        options,
        ids,
        collection,
        file: TruthFile {
            truth: Truth::Pairs(TruePairs::default()),
            rows: 0,
            self_pairs: 0,
            repeated: 0,
            unknown_rows: 0,
            unknown_ids: Vec::new(),
            unclear: 0,
        },
    };
    let has_groups = |row: &TableRow| match &row.cells {
        Cells::Named(cells) => group(cells).is_some(),
        Cells::Listed(_) => false,
    };
    // The first row decides for the file.
    if table.rows.first().is_some_and(has_groups) {
        reading.groups(table)
    } else {
        reading.pairs(table)
    }
}

/// The list of a row, if it has one. A list under another name is not looked for.
fn group(cells: &serde_json::Map<String, Value>) -> Option<&Vec<Value>> {
    let list = cells.get("ids").or_else(|| cells.get("members"));
    list.and_then(Value::as_array)
}

/// A text, or a number as it is written.
///
/// Ids in JSON are often numbers, and the same id is a text in the result.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// A truth while its rows are read.
struct Reading<'a> {
    /// For messages.
    path: &'a Path,
    options: &'a TruthOptions,
    /// Numbers of documents, given as they are met.
    ids: &'a mut Ids,
    /// All ids of the collection, where these are known.
    collection: Option<&'a Ids>,
    /// What was counted so far.
    file: TruthFile,
}

impl Reading<'_> {
    /// An error about a line of the file.
    fn wrong(&self, line: u64, message: impl Into<String>) -> Error {
        Error::input(format!("{}:{line}", self.path.display()), message)
    }

    /// The number of a document, or none of one that is not in the collection.
    fn number(&mut self, id: &str) -> Result<Option<u32>> {
        if self
            .collection
            .is_some_and(|collection| collection.known(id).is_none())
        {
            if self.file.unknown_ids.len() < 3 {
                self.file.unknown_ids.push(id.to_owned());
            }
            return Ok(None);
        }
        self.ids.number(id).map(Some)
    }

    /// Reads groups. An error is a row without a list, or a document in two groups unless
    /// they may be merged.
    fn groups(mut self, table: TableFile) -> Result<TruthFile> {
        let mut partition = Partition::default();
        let mut links: Vec<(u32, u32)> = Vec::new();
        for (cluster, row) in (0u32..).zip(&table.rows) {
            self.file.rows += 1;
            let cells = match &row.cells {
                Cells::Named(cells) => group(cells),
                Cells::Listed(_) => None,
            };
            let members = cells.map(|cells| cells.iter().map(plain).collect());
            let Some(Some(members)): Option<Option<Vec<String>>> = members else {
                return Err(
                    self.wrong(row.line, "no list \"ids\" (or \"members\") of ids")
                );
            };
            let mut unknown = false;
            let mut first = None;
            for id in members {
                let Some(document) = self.number(&id)? else {
                    unknown = true;
                    continue;
                };
                // With closure a group is a chain from its first document: the classes of these
                // links are the merged groups.
                let leader = *first.get_or_insert(document);
                if self.options.closure {
                    links.push((leader, document));
                } else if !partition.put(document, cluster) {
                    let message = format!(
                        "{id:?} is in two groups; `closure` makes one of groups that share a \
                         document"
                    );
                    return Err(self.wrong(row.line, message));
                }
            }
            self.file.unknown_rows += u64::from(unknown);
        }
        if self.options.closure {
            partition = Partition::of_pairs(links.into_iter());
        }
        self.file.truth = Truth::Clusters(partition);
        Ok(self.file)
    }

    /// Reads pairs, by the columns of the ids and the rule of labels. Both kinds of truth are
    /// filled, since only the last row decides which it is.
    fn pairs(mut self, table: TableFile) -> Result<TruthFile> {
        let columns = self.columns(&table)?;
        let rule = self.rule(&table)?;
        let (mut pairs, mut labelled) = (TruePairs::default(), Labelled::default());
        for row in &table.rows {
            self.file.rows += 1;
            let value = |name: &str| value(row, table.header.as_deref(), name);
            let (Some(left), Some(right)) = (value(&columns.0), value(&columns.1)) else {
                let (left, right) = &columns;
                return Err(self.wrong(row.line, format!("no {left:?} or no {right:?}")));
            };
            let label = match &rule {
                LabelRule::Unsaid | LabelRule::All => Some(true),
                LabelRule::OneOf(column, values) => {
                    let label =
                        value(column).ok_or_else(|| self.no_label(row, column))?;
                    Some(values.contains(&label))
                }
                LabelRule::AtLeast(column, least) => {
                    let label =
                        value(column).ok_or_else(|| self.no_label(row, column))?;
                    let number = label.trim().parse::<f64>().map_err(|_| {
                        self.wrong(
                            row.line,
                            format!("{column}: {label:?} is not a number"),
                        )
                    })?;
                    Some(number >= *least)
                }
                LabelRule::Judged(column) => {
                    let label =
                        value(column).ok_or_else(|| self.no_label(row, column))?;
                    judged(&label).ok_or_else(|| {
                        let message = format!(
                            "{column}: {label:?} is not duplicate, not or unclear"
                        );
                        self.wrong(row.line, message)
                    })?
                }
            };
            // A row that nobody could decide is neither right nor wrong.
            let Some(positive) = label else {
                self.file.unclear += 1;
                continue;
            };
            let (Some(left), Some(right)) = (self.number(&left)?, self.number(&right)?)
            else {
                self.file.unknown_rows += 1;
                continue;
            };
            // A document is no duplicate of itself; some lists have such rows for completeness.
            if left == right {
                self.file.self_pairs += 1;
                continue;
            }
            self.file.repeated += u64::from(!pairs.add(left, right));
            labelled.add(left, right, positive);
        }
        let (_, negative, undecided) = labelled.totals();
        // What people judged is a sample, also if they said the same of all.
        let is_sample = matches!(rule, LabelRule::Judged(_));
        self.file.truth = if is_sample || negative + undecided > 0 {
            Truth::Sample(labelled)
        } else if self.options.closure {
            Truth::Clusters(Partition::of_pairs(pairs.iter()))
        } else {
            Truth::Pairs(pairs)
        };
        Ok(self.file)
    }

    /// A row without a label is an error: leaving it out would change recall without a sign.
    fn no_label(&self, row: &TableRow, column: &str) -> Error {
        self.wrong(row.line, format!("no value of the label column {column:?}"))
    }

    /// Names or numbers of the columns with the ids.
    fn columns(&self, table: &TableFile) -> Result<(String, String)> {
        if let Some((left, right)) = &self.options.columns {
            for name in [left, right] {
                self.check_column(table, name, "truth-columns")?;
            }
            return Ok((left.clone(), right.clone()));
        }
        // Known names first; only a table without them is read by position.
        let known = ID_NAMES
            .iter()
            .find(|(left, right)| has(table, left) && has(table, right));
        match (known, table.rows.first()) {
            (Some((left, right)), _) => Ok(((*left).to_owned(), (*right).to_owned())),
            (None, Some(row)) if matches!(row.cells, Cells::Named(_)) => {
                let message = "no two ids by a known name (left and right, id_a and id_b, ...) \
                               and no list \"ids\"; name them with `truth-columns` LEFT,RIGHT";
                Err(self.wrong(row.line, message))
            }
            // The first two.
            _ => Ok(("1".to_owned(), "2".to_owned())),
        }
    }

    /// Which rows are duplicates, when the columns of the file are known. Labels must be
    /// explained unless they are the words that `judge` writes.
    fn rule(&self, table: &TableFile) -> Result<LabelRule> {
        match &self.options.labels {
            LabelRule::Unsaid => {}
            LabelRule::All => {
                let first = table.rows.first();
                let label =
                    first.and_then(|row| value(row, table.header.as_deref(), "label"));
                if first.is_some() && label.is_none() {
                    let message =
                        "there is no column `label`, so all rows count in any case";
                    return Err(Error::config("all-rows", message));
                }
                return Ok(LabelRule::All);
            }
            said @ (LabelRule::OneOf(column, _)
            | LabelRule::AtLeast(column, _)
            | LabelRule::Judged(column)) => {
                self.check_column(table, column, "label-column")?;
                return Ok(said.clone());
            }
        }
        let first = table.rows.first();
        let label = first.and_then(|row| value(row, table.header.as_deref(), "label"));
        match label {
            None => Ok(LabelRule::All),
            Some(label) if judged(&label).is_some() => {
                Ok(LabelRule::Judged("label".to_owned()))
            }
            Some(label) => {
                let message = format!(
                    "{} has a column of labels (the first is {label:?}); say which are \
                     duplicates with `label-column` label and `min-label` N or `positive` \
                     VALUES, or `all-rows`",
                    self.path.display()
                );
                Err(Error::config("truth", message))
            }
        }
    }

    /// Refuses a column that the file does not have, and lists those that it has. An empty
    /// file has no columns and is allowed.
    fn check_column(&self, table: &TableFile, name: &str, flag: &str) -> Result<()> {
        if has(table, name) || table.rows.is_empty() {
            return Ok(());
        }
        let message = match &table.header {
            Some(header) => format!(
                "{} has no column {name:?}; it has {}",
                self.path.display(),
                header.join(", ")
            ),
            None => format!("{} has no column {name:?}", self.path.display()),
        };
        Err(Error::config(flag, message))
    }
}

/// Whether the first row has a column.
pub(super) fn has(table: &TableFile, name: &str) -> bool {
    let first = table.rows.first();
    let in_header = table.header.iter().flatten().any(|column| column == name);
    in_header
        || first.is_some_and(|row| value(row, table.header.as_deref(), name).is_some())
}

/// The value of a column by name, or by number from 1.
pub(super) fn value(
    row: &TableRow,
    header: Option<&[String]>,
    name: &str,
) -> Option<String> {
    match &row.cells {
        Cells::Named(cells) => cells.get(name).and_then(plain),
        Cells::Listed(cells) => {
            // A name that looks like a number wins over the number.
            let named = header.and_then(|header| header.iter().position(|n| n == name));
            let numbered = || name.parse::<usize>().ok()?.checked_sub(1);
            cells.get(named.or_else(numbered)?).cloned()
        }
    }
}
