//! What is sorted: versions by id and date, then what became of them by what is shown first.
//!
//! Ids themselves lie in a log; rows have their place in it. Where rows go by id, they go by the
//! first [`PREFIX`] bytes and then by the hash, so that a row has one length whatever the id.

use super::rules::{Date, VersionContent};
use crate::document::Position;
use crate::error::{Error, Result};
use crate::store::FrameFile;
use bytemuck::{Pod, Zeroable};

/// Bytes of an id by which rows are ordered.
pub(super) const PREFIX: usize = 64;

/// The hash of an id.
pub(super) type IdHash = [u64; 2];

/// Where an id lies: the log, and the place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct IdOffset {
    pub(super) start: u64,
    pub(super) log: u64,
}

/// A version. The order is that of versions: by id, then by date; of those with one date what
/// was stored before comes first, then the order of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct VersionRow {
    pub(super) id: IdHash,
    pub(super) date: i64,
    /// Whether it is of the input, not of the store.
    pub(super) of_input: u32,
    pub(super) position: [u32; 3],
    pub(super) text: [u64; 2],
    pub(super) code: u64,
    pub(super) has_code: u64,
    pub(super) place: IdOffset,
}

impl VersionRow {
    /// What is compared. A row cannot hold an option, so it has a flag beside the code: 0 is a code too.
    pub(super) fn content(&self) -> VersionContent {
        VersionContent {
            text: joined(self.text),
            code: (self.has_code != 0).then_some(self.code),
        }
    }

    pub(super) fn date(&self) -> Date {
        Date(self.date)
    }
}

/// A comparison, in the order of ids and then of versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ComparisonRow {
    pub(super) prefix: [u8; PREFIX],
    pub(super) id: IdHash,
    /// Number of the version.
    pub(super) number: u64,
    pub(super) date: i64,
    pub(super) before: i64,
    pub(super) status: u32,
    pub(super) distance: u32,
    pub(super) place: IdOffset,
}

/// An id, in the order of priority and then of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct IdRow {
    /// What is missing to the highest priority.
    pub(super) below: u64,
    pub(super) prefix: [u8; PREFIX],
    pub(super) id: IdHash,
    pub(super) num_versions: u64,
    pub(super) date: i64,
    /// 0 where none is known.
    pub(super) interval: u64,
    pub(super) status: u32,
    pub(super) distance: u32,
    pub(super) suggestion: u32,
    pub(super) visited: u32,
    pub(super) place: IdOffset,
}

/// A version that is stored for the next time, in the order of ids and then of versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct StoredRow {
    pub(super) prefix: [u8; PREFIX],
    pub(super) id: IdHash,
    pub(super) number: u64,
    pub(super) date: i64,
    pub(super) text: [u64; 2],
    pub(super) code: u64,
    pub(super) has_code: u64,
    pub(super) place: IdOffset,
}

/// The first bytes of an id.
pub(super) fn prefix(id: &str) -> [u8; PREFIX] {
    let mut prefix = [0; PREFIX];
    let len = id.len().min(PREFIX);
    prefix[..len].copy_from_slice(&id.as_bytes()[..len]);
    prefix
}

/// A hash as a row holds it.
#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
pub(super) fn parted(hash: u128) -> [u64; 2] {
    [(hash >> 64) as u64, hash as u64]
}

/// The hash again.
pub(super) fn joined(parts: [u64; 2]) -> u128 {
    u128::from(parts[0]) << 64 | u128::from(parts[1])
}

/// A position as a row holds it.
pub(super) fn of_position(position: Position) -> [u32; 3] {
    [position.file, position.block, position.index]
}

/// The ids that rows have places of.
#[derive(Debug)]
pub(super) struct IdLogs(pub(super) Vec<FrameFile>);

impl IdLogs {
    /// Reads an id.
    pub(super) fn id(&self, place: IdOffset) -> Result<String> {
        let number = usize::try_from(place.log).ok();
        let file = number.and_then(|number| self.0.get(number));
        let log = file.ok_or_else(|| Error::Internal("no such log of ids".to_owned()))?;
        let mut bytes: Vec<u8> = Vec::new();
        log.read(place.start, &mut bytes)?;
        String::from_utf8(bytes).map_err(|_| log.corrupt(place.start, "an id, no UTF-8"))
    }
}
