//! What a format is to the reader: entries that come one after the other.
//!
//! Reading an entry is cutting it out, decoding its bytes and putting the fields that are
//! wanted into [`Values`]; what costs time, making text of HTML and features of text, is
//! done later by any thread.
//!
//! An implementation owns its stream and its buffers and is used by one thread. It must make
//! progress with every call, also on hostile bytes, and must never hold more than a record of the
//! limit and some bytes to look ahead.

use super::values::{Fault, Values};
use std::ops::Range;

/// The entries of a file in a format that is read from its start.
pub(super) trait Entries {
    /// Reads the next entry into `values`, which comes cleared.
    fn next(&mut self, values: &mut Values) -> Entry;

    /// Where the entry that was read last begins and ends in the unpacked file, whatever
    /// it is. What stands between two entries belongs to neither.
    fn span(&self) -> Range<u64>;
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// A record, which begins at this byte of the unpacked file.
    Record(u64),
    /// A record that cannot become a document, and where it begins. Reading may go on.
    Bad(u64, Fault),
    /// Something that holds no text by its own account, such as an image or a request.
    Skipped,
    /// Nothing is left.
    End,
}
