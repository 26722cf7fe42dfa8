//! The rows of a result of `passages`, typed.

use super::cell::{Kind, RawRow, Wanted};
use super::rows::sealed::FromRaw;
use super::rows::{StoredRow, Taker, wanted};

/// A stretch of text that two documents have in common. Places are characters or bytes: the
/// option `offsets` of the summary says which.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredPassage {
    /// Document with the smaller id.
    pub left: String,
    /// Where it begins there.
    pub left_start: u32,
    /// Where it ends there; what stands at this place is no longer in it.
    pub left_end: u32,
    /// Document with the larger id.
    pub right: String,
    /// Where it begins there.
    pub right_start: u32,
    /// Where it ends there.
    pub right_end: u32,
    /// First and last sentence on the left, numbered from 1: `3-5`.
    pub left_sentences: String,
    /// First and last sentence on the right.
    pub right_sentences: String,
    /// Words of the shorter side.
    pub words: u32,
    /// Resemblance of the words, as written with six decimals.
    pub similarity: f64,
    /// Share of the words of the left document.
    pub left_share: f64,
    /// Share of the words of the right document.
    pub right_share: f64,
    /// What kind of duplication it is.
    pub kind: String,
}

/// A document with the text of another one.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredCopy {
    /// Its id.
    pub id: String,
    /// The document that stands for it.
    pub copy_of: String,
}

impl StoredRow for StoredPassage {}
impl StoredRow for StoredCopy {}

impl FromRaw for StoredPassage {
    #[expect(private_interfaces, reason = "sealed")]
    const COLUMNS: &'static [Wanted] = &[
        wanted("left", Kind::Text),
        wanted("left_start", Kind::Number),
        wanted("left_end", Kind::Number),
        wanted("right", Kind::Text),
        wanted("right_start", Kind::Number),
        wanted("right_end", Kind::Number),
        wanted("left_sentences", Kind::Text),
        wanted("right_sentences", Kind::Text),
        wanted("words", Kind::Number),
        wanted("similarity", Kind::Ratio),
        wanted("left_share", Kind::Ratio),
        wanted("right_share", Kind::Ratio),
        wanted("kind", Kind::Text),
    ];

    #[expect(private_interfaces, reason = "sealed")]
    fn from_raw(raw: RawRow) -> Result<Self, String> {
        let mut taker = Taker::new(Self::COLUMNS, raw.values);
        let passage = StoredPassage {
            left: taker.text()?,
            left_start: taker.number()?,
            left_end: taker.number()?,
            right: taker.text()?,
            right_start: taker.number()?,
            right_end: taker.number()?,
            left_sentences: taker.text()?,
            right_sentences: taker.text()?,
            words: taker.number()?,
            similarity: taker.ratio()?,
            left_share: taker.ratio()?,
            right_share: taker.ratio()?,
            kind: taker.text()?,
        };
        if passage.left_start > passage.left_end
            || passage.right_start > passage.right_end
        {
            return Err("a passage that ends before it begins".to_owned());
        }
        Ok(passage)
    }
}

impl FromRaw for StoredCopy {
    #[expect(private_interfaces, reason = "sealed")]
    const COLUMNS: &'static [Wanted] =
        &[wanted("id", Kind::Text), wanted("copy_of", Kind::Text)];

    #[expect(private_interfaces, reason = "sealed")]
    fn from_raw(raw: RawRow) -> Result<Self, String> {
        let mut taker = Taker::new(Self::COLUMNS, raw.values);
        Ok(StoredCopy {
            id: taker.text()?,
            copy_of: taker.text()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::OutputFormat;
    use crate::output::row::Cell;
    use crate::output::table::Table;
    use crate::output::{copies_schema, passages_schema};
    use crate::result::ResultReader;
    use serde_json::json;
    use std::fs;
    use std::path::Path;

    /// A result with one passage and one copy.
    fn write(folder: &Path, format: OutputFormat, row: &StoredPassage, num_rows: u64) {
        let schemas = [passages_schema(), copies_schema()];
        let mut passages = Table::create(folder, &schemas[0], format).unwrap();
        passages
            .row(&[
                Cell::Text(&row.left),
                Cell::Number(row.left_start.into()),
                Cell::Number(row.left_end.into()),
                Cell::Text(&row.right),
                Cell::Number(row.right_start.into()),
                Cell::Number(row.right_end.into()),
                Cell::Text(&row.left_sentences),
                Cell::Text(&row.right_sentences),
                Cell::Number(row.words.into()),
                Cell::Ratio(3, 4),
                Cell::Ratio(1, 2),
                Cell::Ratio(1, 1),
                Cell::Text(&row.kind),
            ])
            .unwrap();
        passages.finish().unwrap();
        let mut copies = Table::create(folder, &schemas[1], format).unwrap();
        copies
            .row(&[Cell::Text(&row.right), Cell::Text(&row.left)])
            .unwrap();
        copies.finish().unwrap();
        let summary = json!({
            "program": "neardupe", "version": "0", "command": "passages",
            "options": {"output-format": format.name()},
            "counts": {"passages": num_rows, "copies": 1},
        });
        fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
    }

    fn row() -> StoredPassage {
        StoredPassage {
            left: "a\t\"<\\\u{1}é".to_owned(),
            left_start: 0,
            left_end: 70_000,
            right: "b & c".to_owned(),
            right_start: 5,
            right_end: u32::MAX,
            left_sentences: "1-7".to_owned(),
            right_sentences: "2-2".to_owned(),
            words: 44,
            similarity: 0.75,
            left_share: 0.5,
            right_share: 1.0,
            kind: "quotation".to_owned(),
        }
    }

    #[test]
    fn every_format_is_read_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        for format in OutputFormat::ALL {
            let folder = folder.path().join(format.name());
            fs::create_dir(&folder).unwrap();
            write(&folder, format, &row(), 1);
            let result = ResultReader::open(&folder).unwrap();
            let passages: Result<Vec<_>, _> = result.passages().unwrap().collect();
            assert_eq!(passages.unwrap(), [row()]);
            let copies: Result<Vec<_>, _> = result.copies().unwrap().collect();
            let (id, copy_of) = (row().right, row().left);
            assert_eq!(copies.unwrap(), [StoredCopy { id, copy_of }]);
            // What only find writes is not looked for.
            let error = result.pairs().unwrap_err().to_string();
            assert!(error.contains("this needs one of find"), "{error}");
            let error = result.summary().threshold().unwrap_err().to_string();
            assert!(error.contains("this needs one of find"), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_table_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let wrong = || {
            let result = ResultReader::open(folder).unwrap();
            let rows: Result<Vec<_>, _> = result.passages().unwrap().collect();
            rows.unwrap_err().to_string()
        };
        write(folder, OutputFormat::Jsonl, &row(), 2);
        let error = wrong();
        assert!(error.contains("1 rows, but summary.json says 2"), "{error}");
        let turned = StoredPassage {
            left_start: 9,
            left_end: 8,
            ..row()
        };
        write(folder, OutputFormat::Jsonl, &turned, 1);
        let error = wrong();
        assert!(error.contains("ends before it begins"), "{error}");
    }
}
