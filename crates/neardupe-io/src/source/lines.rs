//! Lines of a block.

/// A stretch of whole lines.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) file: u32,
    pub(super) number: u32,
    /// Place of `bytes` in the (decompressed) file.
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
    /// A line longer than the limit follows the last one; only its start is known.
    pub(super) too_long: Option<u64>,
    /// The stream broke off after the last whole line.
    pub(super) broken: Option<String>,
}

/// Calls `each` with place in the block, offset and content of every line that is not
/// blank; returns the number of all lines.
pub(super) fn for_each_line<E>(
    bytes: &[u8],
    mut each: impl FnMut(u32, usize, &[u8]) -> Result<(), E>,
) -> Result<u32, E> {
    let mut start = 0;
    let mut number = 0;
    while start < bytes.len() {
        let rest = &bytes[start..];
        let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..len].trim_ascii();
        if !line.is_empty() {
            each(number, start, line)?;
        }
        number += 1;
        start += len + 1;
    }
    Ok(number)
}
