//! What there is to say about a format, all of it in one place.
//!
//! A format is one [`FormatSpec`], beside the code that reads it. Whatever the rest of the program
//! does with a file follows from this row: how the file is recognised, cut, sampled, gone through
//! again and written again, which fields its records have, and what help and documentation say.
//! A row has no optional parts with a default: whoever adds a format decides about each.

use super::entries::Entries;
use std::io::Read;

/// All that is known of a format.
#[derive(Debug)]
pub struct FormatSpec {
    /// As it is typed.
    pub name: &'static str,
    /// As it is called in messages and documentation.
    pub title: &'static str,
    /// Endings of file names, without the dot and in lower case.
    pub endings: &'static [&'static str],
    /// Content that makes the format certain, whatever the name.
    pub(super) sign: Sign,
    /// Content that merely looks like it, when neither content nor name decide.
    pub(super) guess: Guess,
    /// How a file is cut into records.
    pub layout: Layout,
    /// What the fields of a record are called.
    pub fields: FieldNames,
    /// What a record is, for documentation.
    pub record: &'static str,
    /// Where the id comes from, for documentation.
    pub id: &'static str,
    /// Where the text comes from, for documentation.
    pub text: &'static str,
}

/// First bytes of a file that can be nothing else.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sign {
    /// There are none.
    None,
    /// These bytes.
    Bytes(&'static [u8]),
    /// One of these, after a byte order mark and white space.
    Start(&'static [&'static str]),
    /// An element of one of these names, after declarations, comments and what wraps a collection.
    Element {
        /// In lower case.
        names: &'static [&'static str],
        /// Tags in lower case of which one must follow soon; any element will do if there are none.
        with: &'static [&'static str],
    },
}

/// What a file is taken for when nothing is certain and its name says nothing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Guess {
    /// It is never guessed.
    Never,
    /// This format, if the first byte that is not white space is this one.
    FirstByte(u8),
    /// This format, if it is no other.
    Rest,
}

/// How a file is cut into records.
#[derive(Debug, Clone, Copy)]
pub enum Layout {
    /// Lines of JSON: cut anywhere and read by all threads.
    Lines,
    /// Rows of text below a row of names; read from the start.
    Table {
        /// What parts the columns.
        delimiter: u8,
    },
    /// Row groups of Parquet: each is read by itself.
    Columns,
    /// Entries one after the other; read from the start.
    Entries(EntryLayout),
    /// A file is one document.
    Document {
        /// Whether it is a page, not plain text.
        is_html: bool,
    },
}

/// Reads the entries of an unpacked file, records of at most so many bytes.
pub(super) type OpenEntries = fn(Box<dyn Read + Send>, u64) -> Box<dyn Entries>;

/// Entries one after the other.
#[derive(Debug, Clone, Copy)]
pub struct EntryLayout {
    /// Makes a reader of the entries of an unpacked file.
    pub(super) open: OpenEntries,
    /// What of the bytes that follow an entry belongs to it.
    pub(super) trailing: Trailing,
    /// Where the bytes around entries go when a file is written as two.
    pub around: Around,
    /// Where an entry can be found without reading from the start, for samples.
    pub starts: EntryStarts,
}

/// What of the bytes between two entries belongs to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trailing {
    /// All: nothing but line ends can be there.
    Gap,
    /// The rest of its line, where that is blank.
    Line,
}

/// Where the bytes that belong to no entry go when kept and removed entries are written apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// To the kept ones alone: each entry stands for itself.
    Kept,
    /// To both files: they are the root and the declarations of a document.
    Both,
}

/// Where an entry begins in the middle of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryStarts {
    /// That is not known without reading the file from its start.
    Unknown,
    /// At lines that begin like this.
    Line(&'static str),
    /// At lines that begin like this, and in a file of many gzip members at each member that does.
    LineOrMember(&'static str),
}

/// What the fields of a record are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldNames {
    /// As users called them; a field can be added to a record.
    Free,
    /// As the format calls them. Each has `id` and `text` besides.
    Known {
        /// Fields that can be taken for the text.
        texts: &'static [&'static str],
        /// All others, with parts of a name that vary in capitals: `meta.NAME`.
        others: &'static [&'static str],
        /// Which more there are, for documentation.
        more: &'static str,
    },
    /// A file is one document, and has none.
    None,
}
