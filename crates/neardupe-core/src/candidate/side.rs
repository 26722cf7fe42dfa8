//! What is kept of each set beside its features, by name: codes, keys, sizes by level, numbers of words.
//!
//! Made while a document is read, put away with its set, and looked up by set. Each kind has a fixed number of words
//! in a job; the layout says which kinds there are and stands in the header of every stored file, so that numbers of
//! one kind are never read as those of another.

use crate::error::{Error, Result};
use crate::numbers::SetIdx;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::path::Path;

/// A kind of side data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SideKind {
    /// The simhash: one word.
    Code,
    /// Keys that were made of the text; 0 where there is none.
    Keys,
    /// Sizes by level of sampling; see [`super::levels`].
    Levels,
    /// The number of words of the text: one word.
    NumWords,
}

/// Which kinds of side data sets have, and how many words of each.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SideLayout {
    fields: Vec<(SideKind, usize)>,
}

impl SideLayout {
    /// One kind of so many words.
    pub fn of(kind: SideKind, words: usize) -> Self {
        SideLayout::default().with(kind, words)
    }

    /// The same with another kind after it.
    pub fn with(mut self, kind: SideKind, words: usize) -> Self {
        debug_assert!(self.place(kind).is_none(), "each kind once");
        self.fields.push((kind, words));
        self
    }

    /// Words of all kinds together.
    pub fn words(&self) -> usize {
        self.fields.iter().map(|(_, words)| words).sum()
    }

    /// Refuses a file whose side data means something else than is wanted of it.
    pub fn check(&self, wanted: &SideLayout, path: &Path) -> Result<()> {
        if self == wanted || wanted.words() == 0 {
            return Ok(());
        }
        Err(Error::Format {
            path: path.to_owned(),
            expected: wanted.to_string(),
            found: self.to_string(),
            remedy: "remove the work directory and begin the job again".to_owned(),
        })
    }

    /// Where a kind stands among the words of a set.
    pub fn place(&self, kind: SideKind) -> Option<Range<usize>> {
        let mut start = 0;
        for &(other, words) in &self.fields {
            if other == kind {
                return Some(start..start + words);
            }
            start += words;
        }
        None
    }
}

impl fmt::Display for SideLayout {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.fields.iter();
        let kinds: Vec<String> = kinds
            .map(|(kind, words)| format!("{kind:?} x {words}"))
            .collect();
        write!(out, "side data [{}]", kinds.join(", "))
    }
}

/// The side data of sets, one row for each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SideTable {
    layout: SideLayout,
    /// Words of a row; 0 when sets have no side data.
    words: usize,
    rows: Vec<u64>,
}

impl SideTable {
    /// So many rows of zeros.
    pub fn zeros(layout: SideLayout, num_sets: usize) -> Self {
        let rows = vec![0; num_sets * layout.words()];
        Self::from_rows(layout, rows)
    }

    /// Rows that stand one after the other.
    pub fn from_rows(layout: SideLayout, rows: Vec<u64>) -> Self {
        SideTable {
            words: layout.words(),
            layout,
            rows,
        }
    }

    /// Which kinds there are.
    pub fn layout(&self) -> &SideLayout {
        &self.layout
    }

    /// All words, row after row.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The words of a set.
    fn place(&self, set: SetIdx) -> Range<usize> {
        set.index() * self.words..(set.index() + 1) * self.words
    }

    /// The row of a set.
    pub fn row(&self, set: SetIdx) -> &[u64] {
        &self.rows[self.place(set)]
    }

    /// Sets the row of a set.
    pub fn set_row(&mut self, set: SetIdx, row: &[u64]) {
        let place = self.place(set);
        self.rows[place].copy_from_slice(row);
    }

    /// The words of one kind of a set; none where sets have no such data.
    pub fn get(&self, set: SetIdx, kind: SideKind) -> &[u64] {
        match self.layout.place(kind) {
            None => &[],
            Some(place) => &self.row(set)[place],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_own_words() {
        let layout = SideLayout::of(SideKind::Keys, 3).with(SideKind::NumWords, 1);
        let mut table = SideTable::zeros(layout.clone(), 2);
        table.set_row(SetIdx::new(1), &[7, 8, 9, 42]);
        assert_eq!(table.get(SetIdx::new(1), SideKind::Keys), [7, 8, 9]);
        assert_eq!(table.get(SetIdx::new(1), SideKind::NumWords), [42]);
        assert_eq!(table.get(SetIdx::new(0), SideKind::NumWords), [0]);
        assert!(table.get(SetIdx::new(1), SideKind::Code).is_empty());
        let stored = serde_json::to_string(&layout).unwrap();
        assert_eq!(stored, r#"[["keys",3],["num-words",1]]"#);
        let read: SideLayout = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, layout);
        let other = SideLayout::of(SideKind::Levels, 4);
        assert!(layout.check(&read, Path::new("file")).is_ok());
        // Who asks for nothing may read any file.
        assert!(
            layout
                .check(&SideLayout::default(), Path::new("file"))
                .is_ok()
        );
        let message = layout
            .check(&other, Path::new("file"))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("expected side data [Levels x 4]"),
            "{message}"
        );
    }
}
