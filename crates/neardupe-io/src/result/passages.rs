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
