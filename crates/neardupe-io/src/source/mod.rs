//! Where records come from: arguments become files, files become blocks, blocks become
//! records, in parallel.
//!
//! The containers between a file and a set, from the largest to the smallest. Each word has this
//! meaning alone:
//!
//! | word | what it is | made by |
//! |---|---|---|
//! | part | work that is repeated as a whole after an interruption: 1 GiB or more of the input | `read_tasks` |
//! | task | what one thread takes: a range of lines, a stream, a row group, a file that is one document | `read_tasks` |
//! | range | 1 MiB of an unpacked file of lines; the lines that begin in it belong to it | `range` |
//! | row group | rows that Parquet stores together, column by column | `parquet` |
//! | block | lines, entries or rows that any thread can work on: about 1 MiB | `stream`, `reader` |
//! | entry | one record of a format that is cut from a stream, or something between records | `entries` |
//! | row | one record of a table: of CSV, Parquet, Arrow, or of a result | `csv`, `parquet`, `tables` |
//! | record | what a line, an entry or a row is once it is read; a document, or bad | `reader` |
//! | values | the wanted fields of one record, in buffers that are used again | `values` |
//! | chunk | feature sets that one thread has gathered, in memory or in a work file | core, `candidate::chunk` |
//! | segment | a run of characters within a text that is cut into words on its own | core, `text::words` |
//!
//! A record has a position: its file, its block and its index there. Positions order records as the
//! input does, whoever read them, and stay the same for any number of threads.
//!
//! `formats` lists the formats, each a row of what there is to say about one (`format`). `discover`
//! finds the files, `detect` their format and compression, `read_tasks` cuts the input into parts, `read` shares the work among threads (`work`, `block`), each a `reader`. A format reads `entries` into
//! `values`, the `fields` that were asked for; `text_maker` makes the text of a document
//! of them.

mod arc;
mod arrow;
mod block;
mod csv;
mod detect;
mod discover;
mod effect;
mod entries;
mod entry_starts;
mod fields;
mod format;
mod formats;
mod http;
#[doc(hidden)]
pub mod jsonl;
mod lookup;
mod nitf;
mod origin;
#[doc(hidden)]
pub mod parquet;
mod plain_text;
mod pubmed;
#[doc(hidden)]
pub mod python_json;
mod range;
mod read;
mod read_tasks;
mod reader;
#[doc(hidden)]
pub mod replay;
mod reuters;
mod sample;
mod scalars;
mod shared_main;
mod stream;
mod tagged;
#[cfg(test)]
mod testing;
mod text_maker;
mod trec;
#[doc(hidden)]
pub mod values;
mod waiting;
mod warc;
mod whole_rows;
mod work;

pub use arrow::{ArrowRows, ArrowSource};
#[doc(hidden)]
pub use detect::Sniffed;
pub use detect::looks_like_path;
pub use discover::{Discovered, InputFile, discover, discover_for};
pub use effect::TextEffect;
pub use fields::FieldKeys;
pub use format::{Around, EntryLayout, EntryStarts, FieldNames, FormatSpec, Layout};
pub use formats::InputFormat;
#[doc(hidden)]
pub use lookup::{Bounds, Excerpt};
pub use read::{FileSource, ReadOptions};
pub use sample::Sample;
pub use text_maker::{
    HTML, LOOKS_LIKE_HTML, LOOKS_LIKE_TEI, MARKS, TextOptions, TextType, unusable_kind,
};
#[doc(hidden)]
pub use warc::frames::warc_frames;
