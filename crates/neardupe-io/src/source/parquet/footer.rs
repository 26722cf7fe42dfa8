//! The footer of a file: where everything is, in the compact protocol of Thrift.
//!
//! The library decodes it, and trusts it in two points: it makes room for as many children
//! as a field of the schema says to have, and follows fields within fields as deep as they
//! go. Either can end the whole program, so these are looked at before.

use super::chunk::FileChunks;
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::{
    FooterTail, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader,
    ParquetStatisticsPolicy,
};
use ::parquet::file::reader::{ChunkReader, Length};

/// Length of the footer and the name of the format.
const TAIL_BYTES: usize = 8;
/// Fields within fields of the schema, and values within values of the footer.
const MAX_DEPTH: usize = 64;

/// Bytes of the decoded footer for a stored one, as much as its share of the memory counts.
const DECODED: u64 = 2;

/// The larger one of the sizes that the head of a page gives, packed and unpacked.
pub(super) fn page_bytes(head: &[u8]) -> Option<u64> {
    let mut thrift = Thrift(head);
    let (mut id, mut most) = (0, 0);
    while id < 3
        && let Some(kind) = thrift.field(&mut id)?
    {
        match (id, kind) {
            // Numbers have their sign in the lowest bit; below zero is for the library to refuse.
            (2 | 3, 5) => most = most.max(thrift.number()? >> 1),
            _ => thrift.skip(kind, 0)?,
        }
    }
    Some(most)
}

/// Reads the footer, without statistics: they are of no use here, and most of its bytes.
pub(super) fn read(file: &FileChunks) -> Result<ParquetMetaData> {
    let too_short = || ParquetError::EOF(format!("{} bytes", file.len()));
    let tail_at = file.len().checked_sub(TAIL_BYTES as u64);
    let tail_at = tail_at.ok_or_else(too_short)?;
    let tail = FooterTail::try_from(&file.get_bytes(tail_at, TAIL_BYTES)?[..])?;
    if tail.is_encrypted_footer() {
        return Err(ParquetError::General("it is encrypted".to_owned()));
    }
    // Decoded it takes several times its bytes.
    file.check("a footer", tail.metadata_length() as u64 * DECODED)?;
    let start = tail_at.checked_sub(tail.metadata_length() as u64);
    let footer = file.get_bytes(start.ok_or_else(too_short)?, tail.metadata_length())?;
    // Before the library sees it: it allocates by the numbers of this list and recurses along it.
    if check_schema(&footer).is_none() {
        return Err(ParquetError::General("damaged schema".to_owned()));
    }
    let options = ParquetMetaDataOptions::new()
        .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll);
    ParquetMetaDataReader::decode_metadata_with_options(&footer, Some(&options))
}

/// Whether the schema can be followed: its fields have the children that are there, and are
/// not too deep.
fn check_schema(footer: &[u8]) -> Option<()> {
    let mut thrift = Thrift(footer);
    let mut id = 0;
    // The schema is field 2 of the footer.
    while let Some(kind) = thrift.field(&mut id)? {
        if id != 2 {
            thrift.skip(kind, 0)?;
            continue;
        }
        let (num_fields, _) = thrift.list()?;
        // How many children are still to come, at each level.
        let mut open: Vec<u64> = Vec::new();
        for _ in 0..num_fields {
            // The list is the tree in depth-first order: a field, then all of its children.
            let children = thrift.num_children()?;
            if children > num_fields || open.len() > MAX_DEPTH {
                return None;
            }
            if let Some(left) = open.last_mut() {
                *left = left.checked_sub(1)?;
            }
            open.push(children);
            while open.last() == Some(&0) {
                open.pop();
            }
        }
        return Some(());
    }
    None
}

/// What is left to read. None means that it cannot be understood.
struct Thrift<'a>(&'a [u8]);

impl Thrift<'_> {
    /// The next byte.
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number of variable length: seven bits a byte, the lowest first. More than ten bytes
    /// are damage.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Passes over so many bytes. Beyond the end it is damage, before anything is allocated.
    fn pass(&mut self, bytes: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    /// The kind of the next field of a structure, and its number in `id`.
    fn field(&mut self, id: &mut u64) -> Option<Option<u8>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        match head >> 4 {
            // Numbers have their sign in the lowest bit.
            0 => *id = self.number()? >> 1,
            step => *id += u64::from(step),
        }
        Some(Some(head & 0xf))
    }

    /// The number and kind of the items of a list.
    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let num_items = match head >> 4 {
            15 => self.number()?,
            few => u64::from(few),
        };
        Some((num_items, head & 0xf))
    }

    /// Field 5 of a field of the schema: how many of the next are within it.
    fn num_children(&mut self) -> Option<u64> {
        let (mut id, mut children) = (0, 0);
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                // Below zero is an odd number here, and a large one.
                (5, 5) => children = self.number()?.rotate_right(1),
                _ => self.skip(kind, 0)?,
            }
        }
        Some(children)
    }

    /// Passes over a value of any kind. Depth is limited, because each level is a call and a
    /// stack overflow ends the program.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match kind {
            // True and false are kinds of their own.
            1 | 2 => Some(()),
            3 => self.pass(1),
            4..=6 => self.number().map(|_| ()),
            7 => self.pass(8),
            8 => self.number().and_then(|bytes| self.pass(bytes)),
            9 | 10 => {
                let (num_items, kind) = self.list()?;
                // An endless list is no danger: each item takes a byte, or it fails at the end
                // of the bytes.
                for _ in 0..num_items {
                    match kind {
                        // In a list a truth value takes a byte; as a field it is in the kind.
                        1 | 2 => self.pass(1)?,
                        _ => self.skip(kind, depth + 1)?,
                    }
                }
                Some(())
            }
            12 => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer whose schema has fields with so many children.
    fn footer(children: &[usize]) -> Vec<u8> {
        let mut bytes = vec![0x15, 2, 0x19, 0xfc];
        let number = |mut number: usize, bytes: &mut Vec<u8>| {
            while number > 0x7f {
                bytes.push(number.to_le_bytes()[0] | 0x80);
                number >>= 7;
            }
            bytes.push(number.to_le_bytes()[0]);
        };
        number(children.len(), &mut bytes);
        for &children in children {
            // The name, and how many children.
            bytes.extend_from_slice(&[0x48, 1, b'a', 0x15]);
            number(children << 1, &mut bytes);
            bytes.push(0);
        }
        bytes
    }

    #[test]
    fn schemas_that_can_be_followed_are_let_through() {
        assert!(check_schema(&footer(&[2, 0, 1, 0])).is_some());
        let deep = |depth: usize| [vec![1; depth], vec![0]].concat();
        assert!(check_schema(&footer(&deep(MAX_DEPTH - 1))).is_some());
        assert!(check_schema(&footer(&deep(MAX_DEPTH + 2))).is_none());
        assert!(check_schema(&footer(&deep(1_000_000))).is_none());
    }

    #[test]
    fn children_that_are_not_there_are_noticed() {
        assert!(check_schema(&footer(&[1 << 30, 0])).is_none());
        assert!(check_schema(&footer(&[3, 0])).is_none());
        assert!(check_schema(&[]).is_none());
        assert!(check_schema(&[0]).is_none());
        let whole = footer(&[2, 0, 1, 0]);
        for end in 0..whole.len() {
            assert!(check_schema(&whole[..end]).is_none());
        }
        // Minus one.
        let mut negative = footer(&[1, 0]);
        negative[9] = 1;
        assert!(check_schema(&negative).is_none());
    }
}
