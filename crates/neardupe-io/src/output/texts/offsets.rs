//! Where the rows of a file of rows are.
//!
//! Entries have a fixed size and no head: a file is known by its checksum in what was read of the
//! part, and a length that is no multiple of an entry is damage.

use neardupe_core::document::Position;
use neardupe_core::error::{Error, Result};
use std::fs;
use std::path::Path;

/// Bytes of an entry: three numbers of its position, its start, its length.
const ENTRY_BYTES: usize = 28;

/// Where a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextOffsets {
    /// Which document it is.
    pub(super) position: Position,
    /// First byte in its file of rows.
    pub(super) start: u64,
    /// Bytes of the row.
    pub(super) len: u64,
}

impl TextOffsets {
    /// As stored: little-endian, one number after the other.
    pub(super) fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        let Position { file, block, index } = self.position;
        for (place, number) in bytes.chunks_exact_mut(4).zip([file, block, index]) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes[12..20].copy_from_slice(&self.start.to_le_bytes());
        bytes[20..].copy_from_slice(&self.len.to_le_bytes());
        bytes
    }

    /// The numbers that [`TextOffsets::to_bytes`] has written.
    fn from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let number = |at: usize| {
            let mut number = [0; 4];
            number.copy_from_slice(&bytes[at..at + 4]);
            u32::from_le_bytes(number)
        };
        let long = |at: usize| u64::from(number(at)) | u64::from(number(at + 4)) << 32;
        TextOffsets {
            position: Position {
                file: number(0),
                block: number(4),
                index: number(8),
            },
            start: long(12),
            len: long(20),
        }
    }
}

/// All entries of a file of offsets.
pub(super) fn read(path: &Path) -> Result<Vec<TextOffsets>> {
    let bytes = fs::read(path).map_err(|error| Error::io(path, error))?;
    let (entries, rest) = bytes.as_chunks::<ENTRY_BYTES>();
    if !rest.is_empty() {
        return Err(Error::Corrupt {
            path: path.to_path_buf(),
            message: format!("{} bytes are no whole number of rows", bytes.len()),
        });
    }
    Ok(entries.iter().map(TextOffsets::from_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_written() {
        let row = TextOffsets {
            position: Position {
                file: 1,
                block: 0x0203_0405,
                index: u32::MAX,
            },
            start: 0x0607_0809_0a0b_0c0d,
            len: u64::MAX - 1,
        };
        assert_eq!(TextOffsets::from_bytes(&row.to_bytes()), row);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        fs::write(&path, [row.to_bytes(), row.to_bytes()].concat()).unwrap();
        assert_eq!(read(&path).unwrap(), [row, row]);
        fs::write(&path, &row.to_bytes()[1..]).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(&error, Error::Corrupt { path: at, .. } if *at == path));
    }
}
