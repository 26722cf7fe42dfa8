//! Looks at pages before they are decoded.
//!
//! A decoder makes room for as many values as a page says to have. Numbers that cannot be
//! true are an error here, where they would be a panic or the end of all memory there.

use super::chunk::FileChunks;
use ::parquet::basic::Encoding;
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::serialized_reader::SerializedPageReader;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The pages of a column in a group of rows.
pub(super) struct CheckedPages {
    /// The library's reader, which unpacks a page whole.
    pages: SerializedPageReader<FileChunks>,
    file: Arc<FileChunks>,
    /// Kinds of levels before the values: which are repeated, which are null.
    num_levels: usize,
    /// Values that a page may have at most.
    max_values: u64,
    /// A dictionary page has been seen in this chunk.
    has_dictionary: bool,
}

impl CheckedPages {
    /// Pages of a column of at most `max_values`: of one that is not repeated a row has one
    /// value, or null.
    pub(super) fn new(
        pages: SerializedPageReader<FileChunks>,
        file: Arc<FileChunks>,
        num_levels: usize,
        max_values: u64,
    ) -> Self {
        CheckedPages {
            pages,
            file,
            num_levels,
            max_values,
            has_dictionary: false,
        }
    }

    /// Refuses a page that would make the decoder panic or take memory without limit. Costs
    /// some comparisons per page.
    fn check(&mut self, page: &Page) -> Result<()> {
        let values = u64::from(page.num_values());
        let bytes = page.buffer();
        let most = match page {
            // A value takes at least a byte, its length.
            Page::DictionaryPage { .. } => bytes.len() as u64,
            Page::DataPage { .. } | Page::DataPageV2 { .. } => self.max_values,
        };
        // A page of a few bytes can claim four billion values, for which a decoder would make room.
        if values > most {
            return Err(damaged("says to have more values than it can"));
        }
        let Some(stored) = self.values(page) else {
            return Err(damaged("is shorter than the levels it has"));
        };
        match (page, page.encoding()) {
            (Page::DictionaryPage { .. }, _) => self.has_dictionary = true,
            // The library indexes the dictionary without a check that there is one.
            (_, Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY)
                if !self.has_dictionary =>
            {
                return Err(damaged("refers to a dictionary that is not there"));
            }
            (
                _,
                Encoding::DELTA_BINARY_PACKED
                | Encoding::DELTA_LENGTH_BYTE_ARRAY
                | Encoding::DELTA_BYTE_ARRAY,
            ) if delta_values(stored).is_none_or(|stored| stored > values) => {
                return Err(damaged("holds more values than it says"));
            }
            _ => {}
        }
        Ok(())
    }

    /// The bytes of a page after the levels.
    fn values<'a>(&self, page: &'a Page) -> Option<&'a [u8]> {
        match page {
            Page::DictionaryPage { buf, .. } => Some(buf),
            Page::DataPage {
                buf,
                def_level_encoding: Encoding::RLE,
                ..
            } if self.num_levels > 0 => {
                // Levels in version 1 each begin with their length in four bytes.
                let mut rest = &buf[..];
                for _ in 0..self.num_levels {
                    let (length, after) = rest.split_first_chunk()?;
                    rest = after.get(u32::from_le_bytes(*length) as usize..)?;
                }
                Some(rest)
            }
            // Levels of the first years of the format, which do not store their length.
            Page::DataPage { .. } if self.num_levels > 0 => Some(&[]),
            Page::DataPage { buf, .. } => Some(buf),
            Page::DataPageV2 {
                buf,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let levels = def_levels_byte_len.checked_add(*rep_levels_byte_len)?;
                buf.get(levels as usize..)
            }
        }
    }
}

/// How many numbers a list of differences says to have: the third number of its head.
fn delta_values(bytes: &[u8]) -> Option<u64> {
    let mut bytes = bytes.iter();
    let mut number = || {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *bytes.next()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    };
    // Block size and number of parts come first and are checked by the library itself.
    let (_block, _parts, values) = (number()?, number()?, number()?);
    Some(values)
}

/// An error about a page, of the type that the library expects from its page readers.
fn damaged(what: &str) -> ParquetError {
    ParquetError::General(format!("a page {what}"))
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        self.file.peeked.store(false, Ordering::Relaxed);
        if let Some(page) = &page {
            self.check(page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        let metadata = self.pages.peek_next_page()?;
        self.file.peeked.store(true, Ordering::Relaxed);
        Ok(metadata)
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()?;
        self.file.peeked.store(false, Ordering::Relaxed);
        Ok(())
    }
}
