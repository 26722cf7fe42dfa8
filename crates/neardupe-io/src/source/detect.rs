//! What kind of file this is: compression by its first bytes, format by name and content.

use crate::compress::{self, Compression};
use neardupe_core::error::{Error, Result};
use std::io::Read;
use std::path::Path;
use std::str::FromStr;

/// A format that records are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFormat {
    /// One JSON object a line.
    Jsonl,
    /// One document a file.
    Text,
}

impl FromStr for InputFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "jsonl" => Ok(InputFormat::Jsonl),
            "text" => Ok(InputFormat::Text),
            _ => Err(Error::config(
                "--input-format",
                format!("{text:?} is not one of auto, jsonl, text"),
            )),
        }
    }
}

/// The format that a file's name stands for, whatever its compression.
pub(super) fn format_by_name(path: &Path) -> Option<InputFormat> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let packed = [".gz", ".zst", ".bz2"];
    let plain = packed.iter().find_map(|ending| name.strip_suffix(ending));
    let plain = plain.unwrap_or(&name);
    let ending = plain.rsplit_once('.')?.1;
    match ending {
        "jsonl" | "ndjson" | "json" => Some(InputFormat::Jsonl),
        "txt" | "text" | "md" | "markdown" => Some(InputFormat::Text),
        _ => None,
    }
}

/// Bytes looked at to tell what a file is.
pub(super) const SNIFF_BYTES: u64 = 8192;

/// What a look at the first bytes tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sniffed {
    pub(super) compression: Compression,
    pub(super) format: InputFormat,
    /// Zero bytes: not text of any kind.
    pub(super) binary: bool,
}

/// Looks at the start of a file.
pub(super) fn sniff(
    path: &Path,
    format: Option<InputFormat>,
) -> std::io::Result<Sniffed> {
    let (compression, reader) = compress::open(path)?;
    let mut head = Vec::new();
    // Damage beyond the first bytes is found, and recorded, when the file is read.
    let _ = reader.take(SNIFF_BYTES).read_to_end(&mut head);
    let format = format
        .or_else(|| format_by_name(path))
        .unwrap_or_else(|| by_content(&head));
    Ok(Sniffed {
        compression,
        format,
        binary: is_binary(&head),
    })
}

/// The format of text that has no telling name.
pub(super) fn by_content(head: &[u8]) -> InputFormat {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    match text.trim_ascii_start().first() {
        Some(b'{') => InputFormat::Jsonl,
        _ => InputFormat::Text,
    }
}

/// Whether these bytes are no text.
pub(super) fn is_binary(head: &[u8]) -> bool {
    head.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format_whatever_the_compression() {
        let format = |name: &str| format_by_name(Path::new(name));
        assert_eq!(format("a/b.jsonl"), Some(InputFormat::Jsonl));
        assert_eq!(format("b.JSONL.gz"), Some(InputFormat::Jsonl));
        assert_eq!(format("b.txt.zst"), Some(InputFormat::Text));
        assert_eq!(format("b.gz"), None);
        assert_eq!(format("image.png"), None);
    }

    #[test]
    fn content_tells_the_format_without_a_name() {
        assert_eq!(by_content(b"\xef\xbb\xbf \n{\"a\":1}"), InputFormat::Jsonl);
        assert_eq!(by_content(b"Once upon a time"), InputFormat::Text);
        assert_eq!(by_content(b""), InputFormat::Text);
    }
}
