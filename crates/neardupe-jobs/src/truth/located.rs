//! Passages that are known beside those of a result, in the same numbers of documents.
//!
//! A result has each text once, and lists further documents with that text as copies; a truth may
//! name any of them. So every document is replaced by the one that stands for its text, on both
//! sides, before passages are compared. A row of the truth between two copies of one text is then
//! a passage of a document with itself: it is counted apart, since the result answers it in
//! another table. What does not count is counted with its reason, so that the numbers of the
//! report add up to the rows of the file.

use super::file::{has, value};
use super::passages::{PassageIds, PassageTruth, located, of_file};
use super::table::{self, Cells, ID_NAMES};
use super::texts::CutTexts;
use neardupe_core::error::{Error, Result};
use neardupe_core::eval::passages::{LocatedPassage, TruePassage};
use neardupe_core::hash::{FixedMap, FixedSet};
use neardupe_core::numbers::{fits, of_len};
use neardupe_io::result::{ResultReader, ResultTable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// How the ids of the two documents of a pair begin, in either order.
#[derive(Debug, Clone)]
pub struct Between(pub String, pub String);

impl Between {
    /// Whether a pair is one of these.
    fn has(&self, left: &str, right: &str) -> bool {
        Between::are_apart(self.sides(left), self.sides(right))
    }

    /// Which of the two a document may be, as bits.
    fn sides(&self, id: &str) -> u8 {
        // By id, or by the name of its file without folder and ending.
        let begins = |with: &str| id.starts_with(with) || of_file(id).starts_with(with);
        u8::from(begins(&self.0)) | u8::from(begins(&self.1)) << 1
    }

    /// Whether one document can be of the one kind and the other of the other, in either
    /// order.
    fn are_apart(left: u8, right: u8) -> bool {
        (left & 1 > 0 && right & 2 > 0) || (left & 2 > 0 && right & 1 > 0)
    }
}

/// Which pairs of documents count.
#[derive(Debug, Default)]
pub struct LocateOptions<'a> {
    /// A file of pairs that count neither as right nor as wrong.
    pub ignored_pairs: Option<&'a Path>,
    /// Only pairs of a document of the one and a document of the other kind.
    pub between: Option<Between>,
}

/// What does not count, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Rows of the truth that repeat a passage.
    pub true_repeated: u64,
    /// Rows of the truth with a side of no length.
    pub true_empty: u64,
    /// Passages of the truth without a source.
    pub true_without_source: u64,
    /// Rows of the truth of two documents with the same text, which are listed as copies.
    pub true_in_copies: u64,
    /// Rows of the truth in pairs that are ignored.
    pub true_ignored: u64,
    /// Rows of the truth with documents that are not in the collection.
    pub true_unknown: u64,
    /// Some of these documents.
    pub unknown_ids: Vec<String>,
    /// Passages of the result in pairs that are ignored.
    pub found_ignored: u64,
    /// Passages of the result in other pairs than those asked for.
    pub found_elsewhere: u64,
}

/// A truth and a result, ready to be measured.
#[derive(Debug)]
pub struct Located {
    /// The true passages.
    pub truth: Vec<TruePassage>,
    /// The passages of the result.
    pub found: Vec<LocatedPassage>,
    /// What was done to true passages, by number and in order of name; empty if it is not
    /// said.
    pub kinds: Vec<String>,
    /// What does not count.
    pub left_out: LeftOut,
    /// Rows of the truth.
    pub rows: u64,
    /// Documents that the truth names.
    pub truth_ids: u64,
    /// Those of them that occur in passages of the result.
    pub truth_ids_in_result: u64,
    /// Numbers of documents, those of the truth first.
    pub(super) ids: PassageIds,
    /// The document that stands for others with its text.
    pub(super) stands_for: FixedMap<u32, u32>,
    /// Of which of the two kinds the documents are that one stands for.
    sides: FixedMap<u32, u8>,
    /// Names of the truth, for messages.
    names: FixedMap<u32, String>,
}

impl Located {
    /// The document that stands for a document.
    pub(super) fn standing(&self, document: u32) -> u32 {
        *self.stands_for.get(&document).unwrap_or(&document)
    }

    /// Leaves out true passages of documents that are not in the collection.
    pub fn keep_known(&mut self, texts: &CutTexts) {
        let (left_out, names) = (&mut self.left_out, &self.names);
        let mut missing: BTreeSet<u32> = BTreeSet::new();
        self.truth.retain(|one| {
            let (left, right) = one.passage.documents();
            let mut unknown = [left, right]
                .into_iter()
                .filter(|&document| !texts.has(document))
                .peekable();
            if unknown.peek().is_none() {
                return true;
            }
            left_out.true_unknown += 1;
            missing.extend(unknown);
            false
        });
        let names = missing.iter().filter_map(|document| names.get(document));
        left_out.unknown_ids = names.take(3).cloned().collect();
    }
}

/// Puts a truth and a result beside each other.
pub fn locate(
    result: &ResultReader,
    file: &Path,
    truth: PassageTruth,
    options: &LocateOptions<'_>,
) -> Result<Located> {
    let folder = || result.folder().display().to_string();
    // Bytes and characters agree only in ASCII, and nothing here could convert them.
    if result.summary().option("offsets") == Some("bytes") {
        let message = "its places are bytes, those of the truth characters; run passages \
                       with `offsets` characters";
        return Err(Error::input(folder(), message));
    }
    let kinds: BTreeSet<&String> = truth.rows.iter().map(|row| &row.kind).collect();
    // Sorted, so that a number of a kind does not depend on the order of rows.
    let kinds: Vec<String> = kinds.into_iter().cloned().collect();
    let mut all = Located {
        truth: Vec::with_capacity(truth.rows.len()),
        found: Vec::new(),
        kinds,
        left_out: LeftOut {
            true_without_source: truth.without_source,
            ..LeftOut::default()
        },
        rows: truth.rows.len() as u64,
        truth_ids: 0,
        truth_ids_in_result: 0,
        ids: PassageIds::new(truth.of_files),
        stands_for: FixedMap::default(),
        sides: FixedMap::default(),
        names: FixedMap::default(),
    };
    for row in &truth.rows {
        for name in [&row.left, &row.right] {
            let document = all.ids.of_truth(name)?;
            all.names.entry(document).or_insert_with(|| name.clone());
        }
    }
    // Before any id of the result is numbered: the first numbers are those of the truth.
    all.truth_ids = all.ids.len() as u64;
    all.add_copies(result, options.between.as_ref())?;
    let ignored = match options.ignored_pairs {
        None => FixedSet::default(),
        Some(path) => all.pairs(path)?,
    };
    all.add_truth(file, &truth, options, &ignored)?;
    all.add_found(result, options, &ignored)?;
    Ok(all)
}

impl Located {
    /// Documents with the same text are one: the result has passages of the first only.
    fn add_copies(
        &mut self,
        result: &ResultReader,
        between: Option<&Between>,
    ) -> Result<()> {
        // With `expand` each copy has rows of its own, so documents stand for themselves.
        let expanded = result.summary().is_on("expand");
        if expanded || result.file(ResultTable::Copies).is_none() {
            return Ok(());
        }
        for row in result.copies()? {
            let row = row?;
            let copy = self.ids.of_result(&row.id)?;
            let first = self.ids.of_result(&row.copy_of)?;
            self.stands_for.insert(copy, first);
            if let Some(between) = between {
                // The document that stands for others may be of both kinds through them.
                let sides = between.sides(&row.id) | between.sides(&row.copy_of);
                *self.sides.entry(first).or_default() |= sides;
            }
        }
        Ok(())
    }

    /// Pairs of documents that a file lists.
    fn pairs(&mut self, path: &Path) -> Result<FixedSet<(u32, u32)>> {
        let table = table::read(path, &[])?;
        let known = ID_NAMES
            .iter()
            .find(|(left, right)| has(&table, left) && has(&table, right));
        let named = table
            .rows
            .first()
            .is_some_and(|row| matches!(row.cells, Cells::Named(_)));
        let (left, right) = match known {
            Some(names) => *names,
            None if named => {
                let message = format!(
                    "{}: no two ids by a known name, as left and right",
                    path.display()
                );
                return Err(Error::config("ignore-pairs", message));
            }
            // Without known names the first two columns.
            None => ("1", "2"),
        };
        let mut pairs = FixedSet::default();
        for row in &table.rows {
            let id = |name| value(row, table.header.as_deref(), name);
            let (Some(left), Some(right)) = (id(left), id(right)) else {
                let place = format!("{}:{}", path.display(), row.line);
                return Err(Error::input(place, "not two ids"));
            };
            pairs.insert(self.pair(&left, &right)?);
        }
        Ok(pairs)
    }

    /// A pair by the documents that stand for its texts, the smaller number first.
    fn pair(&mut self, left: &str, right: &str) -> Result<(u32, u32)> {
        let (left, right) = (self.ids.of_truth(left)?, self.ids.of_truth(right)?);
        let (left, right) = (self.standing(left), self.standing(right));
        Ok((left.min(right), left.max(right)))
    }

    /// Adds the rows of the truth that count. A row in a pair that `between` excludes is an
    /// error: the user would measure less than the file has.
    fn add_truth(
        &mut self,
        file: &Path,
        truth: &PassageTruth,
        options: &LocateOptions<'_>,
        ignored: &FixedSet<(u32, u32)>,
    ) -> Result<()> {
        // Only exact repetitions are dropped; overlapping passages are measured as they are.
        let mut seen: FixedSet<LocatedPassage> = FixedSet::default();
        for row in &truth.rows {
            let between = options.between.as_ref();
            if between.is_some_and(|between| !between.has(&row.left, &row.right)) {
                let message = format!(
                    "{} has a passage of {:?} and {:?}, which would not count",
                    file.display(),
                    row.left,
                    row.right
                );
                return Err(Error::config("between", message));
            }
            let given = [
                self.ids.of_truth(&row.left)?,
                self.ids.of_truth(&row.right)?,
            ];
            let [left, right] = given.map(|document| self.standing(document));
            // Two documents with one text: the result lists them as copies.
            if left == right && given[0] != given[1] {
                self.left_out.true_in_copies += 1;
                continue;
            }
            if ignored.contains(&(left.min(right), left.max(right))) {
                self.left_out.true_ignored += 1;
                continue;
            }
            let [one, other] = row.places;
            let passage = LocatedPassage::new(located(left, one), located(right, other));
            if passage.has_empty_side() {
                self.left_out.true_empty += 1;
            } else if !seen.insert(passage) {
                self.left_out.true_repeated += 1;
            } else {
                let kind = self.kinds.binary_search(&row.kind).unwrap_or(0);
                // Names of kinds are those of a file that is held in memory.
                let kind = of_len(kind);
                self.truth.push(TruePassage { passage, kind });
            }
        }
        Ok(())
    }

    /// The passages of the result between documents of the truth, or of the kinds asked for.
    fn add_found(
        &mut self,
        result: &ResultReader,
        options: &LocateOptions<'_>,
        ignored: &FixedSet<(u32, u32)>,
    ) -> Result<()> {
        let mut met: FixedSet<u32> = FixedSet::default();
        for row in result.passages()? {
            let row = row?;
            let left = self.ids.of_result(&row.left)?;
            let right = self.ids.of_result(&row.right)?;
            if let Some(between) = &options.between {
                let sides = |id: &str, document: u32| {
                    // By its own id, or by those of its copies.
                    let all = self.sides.get(&self.standing(document));
                    between.sides(id) | all.copied().unwrap_or(0)
                };
                let (left, right) = (sides(&row.left, left), sides(&row.right, right));
                if !Between::are_apart(left, right) {
                    self.left_out.found_elsewhere += 1;
                    continue;
                }
            }
            let (left, right) = (self.standing(left), self.standing(right));
            // Also of ignored pairs: the documents were met all the same.
            met.extend([left, right]);
            if ignored.contains(&(left.min(right), left.max(right))) {
                self.left_out.found_ignored += 1;
                continue;
            }
            self.found.push(LocatedPassage::new(
                located(left, (row.left_start, row.left_end)),
                located(right, (row.right_start, row.right_end)),
            ));
        }
        // The truth was numbered first.
        let named = 0..fits(self.truth_ids);
        let named = named.filter(|&document| met.contains(&self.standing(document)));
        self.truth_ids_in_result = named.count() as u64;
        Ok(())
    }
}
