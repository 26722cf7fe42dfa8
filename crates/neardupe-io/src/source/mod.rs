//! Where records come from: arguments become files, files become blocks, blocks become
//! records, in parallel.
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
mod warc;
mod work;

pub use arrow::{ArrowRows, ArrowSource};
#[doc(hidden)]
pub use detect::Sniffed;
pub use detect::looks_like_path;
pub use discover::{Discovered, InputFile, discover};
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
