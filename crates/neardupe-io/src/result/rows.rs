//! The rows of a result, typed.

use super::cell::{Kind, RawRow, RowReader, Value, Wanted, damaged};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::Rule;
use std::path::PathBuf;

/// Two documents verified as similar; the smaller id is left.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredPair {
    /// Document with the smaller id.
    pub left: String,
    /// Document with the larger id.
    pub right: String,
    /// Similarity, as written with six decimals; decide by the numbers below.
    pub similarity: f64,
    /// Number of common features.
    pub overlap: u32,
    /// Number of features of the left document.
    pub left_size: u32,
    /// Number of features of the right document.
    pub right_size: u32,
    /// Which side of the job the left document is of, where there are two.
    pub left_source: Option<String>,
    /// Which side of the job the right document is of, where there are two.
    pub right_source: Option<String>,
}

/// Documents that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredCluster {
    /// Id of the representative.
    pub cluster_id: String,
    /// Ids of all members in order, the representative included.
    pub members: Vec<String>,
}

/// A document that is not kept, and the one that is kept in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDuplicate {
    /// Its id.
    pub id: String,
    /// Id of the representative.
    pub duplicate_of: String,
    /// Similarity, as written with six decimals.
    pub similarity: f64,
    /// Share of its features that the representative has.
    pub containment: f64,
    /// Share of the representative's features that it has.
    pub containment_of_representative: f64,
    /// Why it is a duplicate.
    pub rule: Rule,
    /// Which side of the job the representative is of, where there are two.
    pub duplicate_of_source: Option<String>,
    /// Metadata by field; none where the document has no value. TSV does not tell an empty
    /// value from none.
    pub metadata: Vec<(String, Option<String>)>,
}

/// A document that occurs in a pair (`pairs all`).
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDocument {
    /// Its id.
    pub id: String,
    /// Number of features.
    pub size: u32,
    /// Number of characters.
    pub characters: u32,
    /// Identity of its text.
    pub text_hash: u128,
    /// Place in the order in which documents are kept: 0 is kept first.
    pub place: u32,
    /// Which side of the job it is of, where there are two.
    pub source: Option<String>,
    /// Metadata by field, as in the duplicates.
    pub metadata: Vec<(String, Option<String>)>,
}

/// The simhash of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredCode {
    /// Its id.
    pub id: String,
    /// The code.
    pub code: u64,
    /// How it was made: only codes of the same making can be compared.
    pub made_by: String,
}

/// A row of a table, made of what any format holds.
pub trait StoredRow: Sized + sealed::FromRaw {}

impl StoredRow for StoredPair {}
impl StoredRow for StoredCluster {}
impl StoredRow for StoredDuplicate {}
impl StoredRow for StoredDocument {}
impl StoredRow for StoredCode {}

/// The rows of a table, in order. After an error there are no more.
pub struct StoredRows<T> {
    path: PathBuf,
    reader: Option<Box<dyn RowReader>>,
    /// How many there must be, by the summary.
    expected: Option<u64>,
    num_rows: u64,
    kind: std::marker::PhantomData<T>,
}

impl<T> std::fmt::Debug for StoredRows<T> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "StoredRows({}, {})",
            self.path.display(),
            self.num_rows
        )
    }
}

impl<T: StoredRow> StoredRows<T> {
    pub(super) fn new(
        path: PathBuf,
        reader: Box<dyn RowReader>,
        expected: Option<u64>,
    ) -> Self {
        StoredRows {
            path,
            reader: Some(reader),
            expected,
            num_rows: 0,
            kind: std::marker::PhantomData,
        }
    }

    fn read(&mut self) -> Result<Option<T>> {
        let Some(reader) = &mut self.reader else {
            return Ok(None);
        };
        let Some(raw) = reader.next_row()? else {
            return match self.expected {
                Some(expected) if expected != self.num_rows => Err(Error::Corrupt {
                    path: self.path.clone(),
                    message: format!(
                        "it has {} rows, but summary.json says {expected}",
                        self.num_rows
                    ),
                }),
                _ => Ok(None),
            };
        };
        self.num_rows += 1;
        let row = T::from_raw(raw);
        row.map(Some)
            .map_err(|what| damaged(&self.path, &reader.place(), what))
    }

    /// The file that is read.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Where the last row was: `line 7`.
    pub fn place(&self) -> String {
        let place = self.reader.as_ref().map(|reader| reader.place());
        place.unwrap_or_else(|| "the end".to_owned())
    }
}

impl<T: StoredRow> Iterator for StoredRows<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let row = self.read().transpose();
        if !matches!(row, Some(Ok(_))) {
            self.reader = None;
        }
        row
    }
}

pub(super) mod sealed {
    use super::{RawRow, Wanted};

    /// How a row is made; not for others to implement.
    pub trait FromRaw {
        #[doc(hidden)]
        #[expect(private_interfaces, reason = "sealed")]
        const COLUMNS: &'static [Wanted];

        #[doc(hidden)]
        #[expect(private_interfaces, reason = "sealed")]
        fn from_raw(raw: RawRow) -> Result<Self, String>
        where
            Self: Sized;
    }
}

use sealed::FromRaw;

pub(super) const fn wanted(name: &'static str, kind: Kind) -> Wanted {
    Wanted {
        name,
        kind,
        required: true,
    }
}

const fn optional(name: &'static str) -> Wanted {
    Wanted {
        name,
        kind: Kind::Text,
        required: false,
    }
}

/// Takes the values of a row one after the other.
pub(super) struct Taker {
    columns: std::slice::Iter<'static, Wanted>,
    values: std::vec::IntoIter<Option<Value>>,
}

impl Taker {
    pub(super) fn new(columns: &'static [Wanted], values: Vec<Option<Value>>) -> Self {
        Taker {
            columns: columns.iter(),
            values: values.into_iter(),
        }
    }

    fn next(&mut self) -> Result<(&'static str, Value), String> {
        let (name, value) = self.next_or_none();
        match value {
            Some(value) => Ok((name, value)),
            None => Err(format!(
                "no value of {name:?}; is this a table that neardupe wrote?"
            )),
        }
    }

    fn next_or_none(&mut self) -> (&'static str, Option<Value>) {
        let name = self.columns.next().map_or("", |column| column.name);
        (name, self.values.next().flatten())
    }

    pub(super) fn text(&mut self) -> Result<String, String> {
        match self.next()? {
            (_, Value::Text(text)) => Ok(text),
            (name, _) => Err(format!("{name}: not a text")),
        }
    }

    fn maybe(&mut self) -> Option<String> {
        match self.next_or_none().1 {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(super) fn number(&mut self) -> Result<u32, String> {
        match self.next()? {
            (name, Value::Number(number)) => u32::try_from(number)
                .map_err(|_| format!("{name}: {number} is too large")),
            (name, _) => Err(format!("{name}: not a number")),
        }
    }

    pub(super) fn ratio(&mut self) -> Result<f64, String> {
        match self.next()? {
            (_, Value::Ratio(ratio)) if (0.0..=1.0).contains(&ratio) => Ok(ratio),
            (name, Value::Ratio(ratio)) => {
                Err(format!("{name}: {ratio} is not between 0 and 1"))
            }
            (name, _) => Err(format!("{name}: not a number")),
        }
    }

    fn list(&mut self) -> Result<Vec<String>, String> {
        match self.next()? {
            (_, Value::List(items)) => Ok(items),
            (name, _) => Err(format!("{name}: not a list")),
        }
    }
}

impl FromRaw for StoredPair {
    #[expect(private_interfaces, reason = "sealed")]
    const COLUMNS: &'static [Wanted] = &[
        wanted("left", Kind::Text),
        wanted("right", Kind::Text),
        wanted("similarity", Kind::Ratio),
        wanted("overlap", Kind::Number),
        wanted("left_size", Kind::Number),
        wanted("right_size", Kind::Number),
        optional("left_source"),
        optional("right_source"),
    ];

    #[expect(private_interfaces, reason = "sealed")]
    fn from_raw(raw: RawRow) -> Result<Self, String> {
        let mut taker = Taker::new(Self::COLUMNS, raw.values);
        let pair = StoredPair {
            left: taker.text()?,
            right: taker.text()?,
            similarity: taker.ratio()?,
            overlap: taker.number()?,
            left_size: taker.number()?,
            right_size: taker.number()?,
            left_source: taker.maybe(),
            right_source: taker.maybe(),
        };
        if pair.overlap > pair.left_size.min(pair.right_size) {
            return Err("an overlap larger than one of the sets".to_owned());
        }
        Ok(pair)
    }
}

impl FromRaw for StoredCluster {
    #[expect(private_interfaces, reason = "sealed")]
    const COLUMNS: &'static [Wanted] = &[
        wanted("cluster_id", Kind::Text),
        wanted("size", Kind::Number),
        wanted("members", Kind::List),
    ];

    #[expect(private_interfaces, reason = "sealed")]
    fn from_raw(raw: RawRow) -> Result<Self, String> {
        let mut taker = Taker::new(Self::COLUMNS, raw.values);
        let cluster_id = taker.text()?;
        let size = taker.number()? as usize;
        let members = taker.list()?;
        if members.len() != size {
            let found = members.len();
            return Err(format!("a cluster of {size} with {found} members"));
        }
        Ok(StoredCluster {
            cluster_id,
            members,
        })
    }
}

impl FromRaw for StoredDuplicate {
    #[expect(private_interfaces, reason = "sealed")]
    const COLUMNS: &'static [Wanted] = &[
        wanted("id", Kind::Text),
        wanted("duplicate_of", Kind::Text),
        wanted("similarity", Kind::Ratio),
        wanted("containment", Kind::Ratio),
        wanted("containment_of_representative", Kind::Ratio),
        wanted("rule", Kind::Text),
        optional("duplicate_of_source"),
    ];

    #[expect(private_interfaces, reason = "sealed")]
    fn from_raw(raw: RawRow) -> Result<Self, String> {
        let mut taker = Taker::new(Self::COLUMNS, raw.values);
        Ok(StoredDuplicate {
            id: taker.text()?,
            duplicate_of: taker.text()?,
            similarity: taker.ratio()?,
            containment: taker.ratio()?,
            containment_of_representative: taker.ratio()?,
            rule: rule(&taker.text()?)?,
            duplicate_of_source: taker.maybe(),
            metadata: raw.metadata,
        })
    }
}

fn rule(name: &str) -> Result<Rule, String> {
    let rules = [
        Rule::EqualText,
        Rule::EqualFeatures,
        Rule::Similar,
        Rule::Linked,
    ];
    let rule = rules.into_iter().find(|rule| rule.name() == name);
    rule.ok_or_else(|| format!("{name:?} is not a rule that this version knows"))
}

impl FromRaw for StoredDocument {
    #[expect(private_interfaces, reason = "sealed")]
    const COLUMNS: &'static [Wanted] = &[
        wanted("id", Kind::Text),
        wanted("size", Kind::Number),
        wanted("characters", Kind::Number),
        wanted("text_hash", Kind::Text),
        wanted("place", Kind::Number),
        optional("source"),
    ];

    #[expect(private_interfaces, reason = "sealed")]
    fn from_raw(raw: RawRow) -> Result<Self, String> {
        let mut taker = Taker::new(Self::COLUMNS, raw.values);
        Ok(StoredDocument {
            id: taker.text()?,
            size: taker.number()?,
            characters: taker.number()?,
            text_hash: hexadecimal(&taker.text()?)?,
            place: taker.number()?,
            source: taker.maybe(),
            metadata: raw.metadata,
        })
    }
}

impl FromRaw for StoredCode {
    #[expect(private_interfaces, reason = "sealed")]
    const COLUMNS: &'static [Wanted] = &[
        wanted("id", Kind::Text),
        wanted("code", Kind::Text),
        wanted("made_by", Kind::Text),
    ];

    #[expect(private_interfaces, reason = "sealed")]
    fn from_raw(raw: RawRow) -> Result<Self, String> {
        let mut taker = Taker::new(Self::COLUMNS, raw.values);
        let (id, code, made_by) = (taker.text()?, taker.text()?, taker.text()?);
        match StoredCode::read(&code) {
            Some(code) => Ok(StoredCode { id, code, made_by }),
            None => Err(format!("{code:?} is not 16 hexadecimal digits")),
        }
    }
}

impl StoredCode {
    /// A code as it is written: 16 hexadecimal digits.
    pub fn read(text: &str) -> Option<u64> {
        let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = u64::from_str_radix(text, 16).ok();
        code.filter(|_| digits && text.len() == 16)
    }
}

fn hexadecimal(text: &str) -> Result<u128, String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u128::from_str_radix(text, 16).ok();
    number
        .filter(|_| digits && text.len() == 32)
        .ok_or_else(|| format!("{text:?} is not 32 hexadecimal digits"))
}
