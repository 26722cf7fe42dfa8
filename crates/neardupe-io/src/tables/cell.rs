//! Values of a row on their way into a file, and the types that columns have.
//!
//! The two types stand side by side: what a column is, which is known before the first row, and
//! what one row has in it. All formats write numbers by the same functions, so they have the same
//! digits.

use neardupe_core::error::Result;
use neardupe_core::ratio::Ratio;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

/// A list of texts, of which there may be more than fit in memory.
#[derive(Clone, Copy)]
pub enum Items<'a> {
    /// They are there.
    Given(&'a [Cow<'a, str>]),
    /// They are looked up one by one, whenever they are written.
    LookedUp(&'a dyn LookUp),
}

/// Looks up the texts of a list.
pub trait LookUp: Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    fn item(&self, at: usize) -> Result<Cow<'_, str>>;
}

impl Items<'_> {
    /// Calls `visit` with each.
    pub fn each(self, mut visit: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        match self {
            Items::Given(items) => items.iter().try_for_each(|item| visit(item)),
            Items::LookedUp(look_up) => (0..look_up.len())
                .try_for_each(|at| visit(&look_up.item(at).map_err(io::Error::other)?)),
        }
    }

    /// Writes them as an array of JSON.
    pub(crate) fn write_json(self, out: &mut impl Write) -> io::Result<()> {
        let mut separator = b"[";
        self.each(|item| {
            out.write_all(separator)?;
            separator = b",";
            Ok(serde_json::to_writer(&mut *out, item)?)
        })?;
        if separator == b"[" {
            out.write_all(separator)?;
        }
        out.write_all(b"]")
    }
}

impl fmt::Debug for Items<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Items::Given(items) => write!(f, "{items:?}"),
            Items::LookedUp(look_up) => write!(f, "{} items", look_up.len()),
        }
    }
}

/// The ids of a row that lists some.
pub enum ListedIds<'a> {
    /// All of them.
    Given(Vec<Cow<'a, str>>),
    /// What looks them up.
    LookedUp(Box<dyn LookUp + 'a>),
}

impl ListedIds<'_> {
    /// As a value of a row.
    pub(crate) fn items(&self) -> Items<'_> {
        match self {
            ListedIds::Given(ids) => Items::Given(ids),
            ListedIds::LookedUp(look_up) => Items::LookedUp(&**look_up),
        }
    }
}

impl fmt::Debug for ListedIds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items().fmt(f)
    }
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// Text, or nothing.
    OptionalText,
    /// A whole number.
    Number,
    /// A whole number, or nothing.
    OptionalNumber,
    /// A whole number that may be negative.
    Integer,
    /// A ratio with six decimals.
    Ratio,
    /// A ratio, or nothing.
    OptionalRatio,
    /// A number with decimals, of any size and sign.
    Decimal,
    /// A number with decimals, or nothing.
    OptionalDecimal,
    /// A list of texts, with the name of one item: `member`.
    List(&'static str),
}

/// A value of a row. It borrows from the row, so making the cells of a row costs nothing.
#[derive(Debug, Clone, Copy)]
pub enum Cell<'a> {
    /// Text.
    Text(&'a str),
    /// Text, or nothing.
    Maybe(Option<&'a str>),
    /// A whole number.
    Number(u64),
    /// A whole number, or nothing.
    MaybeNumber(Option<u64>),
    /// A ratio, written with six decimals.
    Ratio(Ratio),
    /// A whole number that may be negative.
    Integer(i64),
    /// A ratio, or nothing.
    MaybeRatio(Option<Ratio>),
    /// A number, and with how many decimals it is written.
    Decimal(f64, usize),
    /// A number with decimals, or nothing.
    MaybeDecimal(Option<f64>, usize),
    /// A list of texts.
    List(Items<'a>),
}

impl ColumnKind {
    /// Whether a cell is a value of this type.
    pub(crate) fn holds(self, cell: &Cell<'_>) -> bool {
        matches!(
            (self, cell),
            (ColumnKind::Text, Cell::Text(_))
                | (ColumnKind::OptionalText, Cell::Maybe(_))
                | (ColumnKind::Number, Cell::Number(_))
                | (ColumnKind::OptionalNumber, Cell::MaybeNumber(_))
                | (ColumnKind::Integer, Cell::Integer(_))
                | (ColumnKind::Ratio, Cell::Ratio(..))
                | (ColumnKind::OptionalRatio, Cell::MaybeRatio(_))
                | (ColumnKind::Decimal, Cell::Decimal(..))
                | (ColumnKind::OptionalDecimal, Cell::MaybeDecimal(..))
                | (ColumnKind::List(_), Cell::List(_))
        )
    }

    /// Whether a row may have no value.
    pub const fn is_optional(self) -> bool {
        matches!(
            self,
            ColumnKind::OptionalText
                | ColumnKind::OptionalNumber
                | ColumnKind::OptionalRatio
                | ColumnKind::OptionalDecimal
        )
    }
}

impl Cell<'_> {
    /// A number as it is written, where it is one.
    pub(crate) fn number(&self) -> Option<String> {
        match *self {
            Cell::Number(number) | Cell::MaybeNumber(Some(number)) => {
                Some(number.to_string())
            }
            Cell::Ratio(ratio) | Cell::MaybeRatio(Some(ratio)) => Some(ratio.to_string()),
            Cell::Integer(number) => Some(number.to_string()),
            Cell::Decimal(number, places) | Cell::MaybeDecimal(Some(number), places) => {
                Some(decimals(number, places))
            }
            Cell::Text(_)
            | Cell::Maybe(_)
            | Cell::MaybeNumber(None)
            | Cell::MaybeRatio(None)
            | Cell::MaybeDecimal(None, _)
            | Cell::List(_) => None,
        }
    }
}

/// A number with so many decimals. A number that rounds to zero has no sign: `-0.0000` would say that
/// something became less.
pub fn decimals(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    match text.strip_prefix('-') {
        Some(size) if size.bytes().all(|byte| matches!(byte, b'0' | b'.')) => {
            size.to_owned()
        }
        _ => text,
    }
}
