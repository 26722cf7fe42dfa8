//! Plain text: one document a file, its name the id.

use neardupe_core::document::BadKind;
use std::io::Read;

/// Reads a whole text; the error is the kind of fault and what is wrong.
pub(super) fn read(
    reader: impl Read,
    buffer: &mut Vec<u8>,
    max_bytes: u64,
) -> Result<&str, (BadKind, String)> {
    buffer.clear();
    let fault = |error: std::io::Error| (BadKind::Compression, error.to_string());
    reader
        .take(max_bytes.saturating_add(1))
        .read_to_end(buffer)
        .map_err(fault)?;
    if buffer.len() as u64 > max_bytes {
        return Err((BadKind::TooLong, too_long(max_bytes)));
    }
    let head = &buffer[..buffer.len().min(8192)];
    if super::detect::is_binary(head) {
        return Err((BadKind::Binary, "zero bytes: not a text file".to_owned()));
    }
    match std::str::from_utf8(buffer) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let detail = format!("byte {} is not UTF-8", error.valid_up_to());
            Err((BadKind::InvalidUtf8, detail))
        }
    }
}

/// What is said of a record over the limit.
pub(super) fn too_long(max_bytes: u64) -> String {
    format!("longer than {max_bytes} bytes; --max-record-bytes raises the limit")
}
