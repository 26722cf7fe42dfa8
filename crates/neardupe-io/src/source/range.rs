//! The lines that begin in a range of a file that is not compressed.
//!
//! Any thread can read any range without knowing what the others do: it looks at the byte before
//! its range and reads beyond the end of it until its last line is complete. Each line is so read
//! by exactly one range, at the cost of some bytes that are read twice.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes read at once to complete the last line of a range.
const EXTEND_BYTES: u64 = 1 << 16;

/// Where the lines of a range are in the buffer they were read into.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RangeLines {
    /// First byte of the first line.
    pub(super) from: usize,
    /// Offset of a last line that is too long, which is left out.
    pub(super) too_long: Option<u64>,
}

/// Fills the buffer with the byte before `start..end`, the range, and what is needed to
/// complete its last line.
pub(super) fn fill(
    input: &mut File,
    start: u64,
    end: u64,
    max_record_bytes: u64,
    buffer: &mut Vec<u8>,
) -> io::Result<RangeLines> {
    // The byte before the range shows whether its first line begins here or in the range before. So every
    // line belongs to exactly one range, and ranges can be read in any order.
    let first = start.saturating_sub(1);
    input.seek(SeekFrom::Start(first))?;
    buffer.clear();
    input.take(end - first).read_to_end(buffer)?;
    // A line begins in the range when the byte before it is a line feed.
    let from = match start {
        0 => 0,
        _ => match memchr::memchr(b'\n', buffer) {
            Some(at) => at + 1,
            None => buffer.len(),
        },
    };
    if from >= buffer.len() {
        buffer.clear();
        return Ok(RangeLines::default());
    }
    // Everything after the last line feed: a line that begins here and may end in a later
    // range.
    let line_start =
        memchr::memrchr(b'\n', &buffer[from..]).map_or(from, |at| from + at + 1);
    let mut searched = line_start;
    loop {
        if memchr::memchr(b'\n', &buffer[searched..]).is_some()
            || line_start == buffer.len()
        {
            break;
        }
        // Only bytes that are new are searched, so a long line costs time by its length.
        searched = buffer.len();
        if (searched - line_start) as u64 > max_record_bytes {
            buffer.truncate(line_start);
            let too_long = Some(first + line_start as u64);
            return Ok(RangeLines { from, too_long });
        }
        // More each time: a line of a gigabyte is read in about 20 steps, not in 16,000.
        let more = EXTEND_BYTES.max(searched as u64 / 2);
        if input.take(more).read_to_end(buffer)? == 0 {
            break;
        }
    }
    // Only the first line feed after the range matters: later lines are not ours.
    // Without any line feed the file has ended, and its last line is complete all the same.
    if let Some(at) = memchr::memchr(b'\n', &buffer[searched..]) {
        buffer.truncate(searched + at + 1);
    }
    Ok(RangeLines {
        from,
        too_long: None,
    })
}
