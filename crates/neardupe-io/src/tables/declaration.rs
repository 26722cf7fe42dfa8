//! What a table is: its name, its columns, and the types of its rows. All else follows from it: the
//! writers, the readers, `docs/result.xsd`, the tables of `docs/formats.md`, and the names of
//! files that may be replaced with a result.

use super::cell::{Cell, ColumnKind};
use super::column::Values;
use super::format::{FileFormat, OutputFormat};
use super::kind::ResultKind;
use super::raw::RawRow;

/// A table.
#[derive(Debug)]
pub struct Declaration {
    /// Its name, and that of its file without the ending: `pairs`.
    pub name: &'static str,
    /// The name of one row: `pair`.
    pub row: &'static str,
    /// What it is, in a sentence or two.
    pub meaning: &'static str,
    /// The order of its rows, as it goes on after "ordered".
    pub order: &'static str,
    /// The results that may have it.
    pub of: &'static [ResultKind],
    /// In which formats it is written.
    pub formats: Formats,
    /// Its columns in order.
    pub columns: &'static [ColumnDeclaration],
    /// Whether metadata of documents follow as further columns.
    pub has_metadata: bool,
    /// The columns that depend on the job.
    pub more: Option<&'static MoreColumns>,
    /// Whether a row that was read can be one of this table.
    pub check: fn(RawRow) -> Result<(), String>,
}

/// A column of a table.
#[derive(Debug)]
pub struct ColumnDeclaration {
    /// Its name.
    pub name: &'static str,
    /// How files hold it.
    pub kind: ColumnKind,
    /// Which values there can be, where that is less than the kind says.
    pub values: Option<&'static Values>,
    /// What it means.
    pub meaning: &'static str,
    /// It is there only when new documents were compared with old ones.
    pub is_of_sides: bool,
}

impl ColumnDeclaration {
    /// Whether a table that neardupe wrote must have a value of it in each row.
    pub const fn is_required(&self) -> bool {
        !self.is_of_sides && !self.kind.is_optional()
    }
}

/// In which formats a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formats {
    /// In the one that the job asks for.
    Chosen,
    /// As JSON lines, always: it is made to be read by people, or by the next job.
    Jsonl,
    /// As tab-separated values, always.
    Tsv,
    /// As comma-separated values, always.
    Csv,
}

impl Formats {
    /// The format that is written when a job asks for one.
    pub fn of(self, chosen: OutputFormat) -> FileFormat {
        match self {
            Formats::Chosen => FileFormat::Of(chosen),
            Formats::Jsonl => FileFormat::Of(OutputFormat::Jsonl),
            Formats::Tsv => FileFormat::Of(OutputFormat::Tsv),
            Formats::Csv => FileFormat::Csv,
        }
    }
}

/// Columns that depend on the job, after the declared ones. They are texts. Whoever reads the table
/// gets the declared columns only.
#[derive(Debug)]
pub struct MoreColumns {
    /// How they are named: `n=DEPTH`.
    pub name: &'static str,
    /// What they mean.
    pub meaning: &'static str,
}

/// A table with the types of its rows.
pub trait Declared {
    /// What it is.
    const DECLARATION: &'static Declaration;

    /// A row to be written. It borrows what it can.
    type Row<'a>;

    /// A row that was read.
    type Stored: StoredRow;

    /// Gives `take` the values of a row: the first `num_declared` columns, which leaves out those
    /// of sides where there are none, and then the metadata.
    fn cells<R>(
        row: &Self::Row<'_>,
        num_declared: usize,
        take: impl FnOnce(&[Cell<'_>]) -> R,
    ) -> R;
}

/// A row made of what any format holds.
pub trait StoredRow: Sized {
    /// The columns that a file must or may have. Others are ignored: a later version may write
    /// more.
    const COLUMNS: &'static [ColumnDeclaration];

    /// The row, or what is wrong with it.
    fn from_raw(raw: RawRow) -> Result<Self, String>;
}

/// Declares a table: see `find.rs` for what stands where. Comments of a column are its
/// meaning in the documents too. Columns of sides come last, so a job without sides leaves them out
/// by taking fewer.
macro_rules! table {
    (
        $(#[doc = $about:literal])+
        $table:ident = $name:literal of $row_name:literal {
            rows: $row:ident, $stored:ident;
            of: [$($of:ident),+];
            formats: $formats:ident;
            order: $order:literal;
            columns {
                $($(#[doc = $meaning:literal])+ $column:ident: $type:ty,)+
            }
            $(sides {
                $($(#[doc = $side_meaning:literal])+ $side:ident,)+
            })?
            $(metadata: $metadata:ident;)?
            $(more: $more:ident = $more_name:literal, $more_meaning:literal;)?
            $(check: $check:expr;)?
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug)]
        pub enum $table {}

        #[doc = concat!("A row of the table `", $name, "` to be written.")]
        #[derive(Debug)]
        pub struct $row<'a> {
            $($(#[doc = $meaning])+
            pub $column: <$type as $crate::tables::column::ColumnType>::Written<'a>,)+
            $($($(#[doc = $side_meaning])+
            pub $side: &'a str,)+)?
            $(
                /// Values of the metadata fields, in their order; empty when none was asked for.
                pub $metadata: Vec<Option<String>>,
            )?
            $(
                #[doc = concat!("Values of the columns `", $more_name, "`, in their order.")]
                pub $more: Vec<String>,
            )?
        }

        #[doc = concat!("A row of the table `", $name, "` that was read.")]
        #[derive(Debug, Clone, PartialEq)]
        pub struct $stored {
            $($(#[doc = $meaning])+
            pub $column: <$type as $crate::tables::column::ColumnType>::Stored,)+
            $($($(#[doc = $side_meaning])+
            pub $side: Option<String>,)+)?
            $(
                /// Metadata by field; none where the document has no value. TSV cannot
                /// distinguish an empty value from none.
                pub $metadata: Vec<(String, Option<String>)>,
            )?
        }

        impl $crate::tables::Declared for $table {
            const DECLARATION: &'static $crate::tables::Declaration =
                &$crate::tables::Declaration {
                    name: $name,
                    row: $row_name,
                    meaning: concat!($($about),+),
                    order: $order,
                    of: &[$($crate::tables::ResultKind::$of),+],
                    formats: $crate::tables::Formats::$formats,
                    columns: <$stored as $crate::tables::StoredRow>::COLUMNS,
                    has_metadata: !concat!($(stringify!($metadata))?).is_empty(),
                    // The first of one or two: a table without such columns has none.
                    more: [
                        $(Some(&$crate::tables::MoreColumns {
                            name: $more_name,
                            meaning: $more_meaning,
                        }),)?
                        None,
                    ][0],
                    check: |raw| {
                        <$stored as $crate::tables::StoredRow>::from_raw(raw).map(drop)
                    },
                };
            type Row<'a> = $row<'a>;
            type Stored = $stored;

            fn cells<R>(
                row: &$row<'_>,
                num_declared: usize,
                take: impl FnOnce(&[$crate::tables::Cell<'_>]) -> R,
            ) -> R {
                let cells = [
                    $(<$type as $crate::tables::column::ColumnType>::cell(&row.$column),)+
                    $($(<$crate::tables::column::SideName as
                        $crate::tables::column::ColumnType>::cell(&row.$side),)+)?
                ];
                let cells = &cells[..num_declared];
                $(
                    if !row.$metadata.is_empty() {
                        let values = row.$metadata.iter().map(Option::as_deref);
                        let mut all = cells.to_vec();
                        all.extend(values.map($crate::tables::Cell::Maybe));
                        return take(&all);
                    }
                )?
                $(
                    let values = row.$more.iter().map(String::as_str);
                    let mut all = cells.to_vec();
                    all.extend(values.map($crate::tables::Cell::Text));
                    let cells = &all[..];
                )?
                take(cells)
            }
        }

        impl $crate::tables::StoredRow for $stored {
            const COLUMNS: &'static [$crate::tables::ColumnDeclaration] = &[
                $($crate::tables::declaration::column!(
                    $column, $type, false, $($meaning)+
                ),)+
                $($($crate::tables::declaration::column!(
                    $side, $crate::tables::column::SideName, true, $($side_meaning)+
                ),)+)?
            ];

            fn from_raw(raw: $crate::tables::RawRow) -> Result<Self, String> {
                let mut taker =
                    $crate::tables::raw::Taker::new(Self::COLUMNS, raw.values);
                let row = $stored {
                    $($column: taker.take::<$type>()?,)+
                    $($($side: taker.take::<$crate::tables::column::SideName>()?,)+)?
                    $($metadata: raw.metadata,)?
                };
                $(
                    let check: fn(&$stored) -> Result<(), String> = $check;
                    check(&row)?;
                )?
                Ok(row)
            }
        }
    };
}

/// A column as its declaration says, with the kind and values of its type. The doc comments of the
/// column are its meaning.
macro_rules! column {
    ($name:ident, $type:ty, $is_of_sides:literal, $($meaning:literal)+) => {
        $crate::tables::ColumnDeclaration {
            name: stringify!($name),
            kind: <$type as $crate::tables::column::ColumnType>::KIND,
            values: <$type as $crate::tables::column::ColumnType>::VALUES,
            meaning: concat!($($meaning),+),
            is_of_sides: $is_of_sides,
        }
    };
}

pub(super) use {column, table};
