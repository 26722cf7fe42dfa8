//! A file that is one document.
//!
//! Nothing is cut, so nothing can be cut wrongly: any bytes are one document unless they are too
//! many or have zeros in them. The name of the file is the id.

use super::format::{FieldNames, FormatSpec, Guess, Layout, Sign};
use super::values::Fault;
use neardupe_core::document::BadKind;
use std::io::Read;

/// Plain text as a format: what a file is when nothing else fits.
pub(super) const TEXT: FormatSpec = FormatSpec {
    name: "text",
    title: "plain text",
    endings: &["txt", "text", "md", "markdown"],
    sign: Sign::None,
    guess: Guess::Rest,
    layout: Layout::Document { is_html: false },
    fields: FieldNames::None,
    record: "a file",
    id: "the path relative to the argument",
    text: "all of it",
};

/// HTML as a format. Only the name decides: a text about HTML begins like a page.
pub(super) const HTML: FormatSpec = FormatSpec {
    name: "html",
    title: "HTML",
    endings: &["html", "htm", "xhtml"],
    sign: Sign::None,
    guess: Guess::Never,
    layout: Layout::Document { is_html: true },
    fields: FieldNames::None,
    record: "a file",
    id: "the path relative to the argument",
    text: "without its tags",
};

/// Reads the whole of it; the fault says what is wrong.
pub(super) fn read(
    reader: impl Read,
    buffer: &mut Vec<u8>,
    max_bytes: u64,
) -> Result<(), Fault> {
    buffer.clear();
    // One byte more than the limit shows that the file is longer, without reading the rest.
    reader
        .take(max_bytes.saturating_add(1))
        .read_to_end(buffer)
        .map_err(|error| (BadKind::Compression, error.to_string()))?;
    if buffer.len() as u64 > max_bytes {
        return Err((BadKind::TooLong, too_long(max_bytes)));
    }
    if crate::charset::is_binary(buffer) {
        return Err((BadKind::Binary, "zero bytes: not a text file".to_owned()));
    }
    Ok(())
}

/// The end of what is said of a record over the limit.
pub(super) const REMEDY: &str = "; `max-record-bytes` raises the limit";

/// What is said of a record over the limit.
pub(super) fn too_long(max_bytes: u64) -> String {
    format!("longer than {max_bytes} bytes{REMEDY}")
}
