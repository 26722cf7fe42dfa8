//! The registry of formats whose entries come one after the other.

use super::arc::ArcEntries;
use super::csv::CsvEntries;
use super::detect::InputFormat;
use super::entries::Entries;
use super::nitf::NitfEntries;
use super::pubmed::PubmedEntries;
use super::reuters::ReutersEntries;
use super::trec::TrecEntries;
use super::warc::WarcEntries;
use std::io::Read;

/// Reads the entries of an unpacked file; None for formats that are read in another way.
pub(super) fn entries(
    format: InputFormat,
    reader: Box<dyn Read + Send>,
    max_record_bytes: u64,
) -> Option<Box<dyn Entries>> {
    Some(match format {
        InputFormat::Csv => Box::new(CsvEntries::new(reader, b',', max_record_bytes)),
        InputFormat::Tsv => Box::new(CsvEntries::new(reader, b'\t', max_record_bytes)),
        InputFormat::Warc => Box::new(WarcEntries::new(reader, max_record_bytes)),
        InputFormat::Arc => Box::new(ArcEntries::new(reader, max_record_bytes)),
        InputFormat::Trec => Box::new(TrecEntries::new(reader, max_record_bytes)),
        InputFormat::Reuters => Box::new(ReutersEntries::new(reader, max_record_bytes)),
        InputFormat::Nitf => Box::new(NitfEntries::new(reader, max_record_bytes)),
        InputFormat::Pubmed => Box::new(PubmedEntries::new(reader, max_record_bytes)),
        InputFormat::Jsonl
        | InputFormat::Parquet
        | InputFormat::Text
        | InputFormat::Html => return None,
    })
}

/// Whether users name the fields of this format's records. In other formats the fields are
/// known, and the text is `text` unless a key names one of them.
pub(super) fn has_free_fields(format: InputFormat) -> bool {
    matches!(
        format,
        InputFormat::Jsonl | InputFormat::Csv | InputFormat::Tsv | InputFormat::Parquet
    )
}

/// Whether a format that knows its fields has a text of this name.
pub(super) fn is_known_text(key: &str) -> bool {
    const KNOWN: [&str; 9] = [
        "text", "body", "title", "headline", "abstract", "byline", "dateline", "author",
        "unknown",
    ];
    KNOWN.contains(&key)
}
