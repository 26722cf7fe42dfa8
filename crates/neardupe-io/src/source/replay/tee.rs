//! Keeps what passes a reader until it is known whose bytes they are.
//!
//! The format's reader may read ahead as far as it likes. Only when it has returned an entry is it
//! known which bytes were part of it; until then they are kept here, in one buffer that moves with
//! the stream.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What has passed and was not given up.
#[derive(Debug, Default)]
struct Held {
    /// What has passed, with some given-up bytes in front of it that have not been moved out
    /// yet.
    bytes: Vec<u8>,
    /// `bytes[start..]` is held.
    start: usize,
    /// Place of `bytes[start]` in the stream.
    offset: u64,
}

/// The bytes that have passed a [`TeeReader`].
#[derive(Debug, Clone)]
pub(super) struct Tee {
    /// Shared with the reader, which belongs to the format's own code meanwhile.
    held: Arc<Mutex<Held>>,
    /// More than this is not held: it must be read again.
    max_bytes: usize,
}

/// A reader whose bytes are kept.
pub(super) struct TeeReader {
    /// The unpacked stream.
    inner: Box<dyn Read + Send>,
    /// Where the bytes are kept.
    tee: Tee,
}

impl Tee {
    /// The place to ask for bytes, and the reader that a format is given. Beyond `max_bytes`
    /// all that is held is dropped, so memory is bounded whatever the format's reader reads
    /// ahead.
    pub(super) fn new(
        inner: Box<dyn Read + Send>,
        max_bytes: usize,
    ) -> (Self, TeeReader) {
        let tee = Tee {
            held: Arc::default(),
            max_bytes,
        };
        let reader = TeeReader {
            inner,
            tee: tee.clone(),
        };
        (tee, reader)
    }

    /// The kept bytes. One thread uses both ends, so the lock is never waited for.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Place of the end of what has passed.
    pub(super) fn end(&self) -> u64 {
        let held = self.held();
        held.offset + (held.bytes.len() - held.start) as u64
    }

    /// Calls `use_bytes` with `from..to` of the stream; None when that is no longer held.
    pub(super) fn with<T>(
        &self,
        from: u64,
        to: u64,
        use_bytes: impl FnOnce(&[u8]) -> T,
    ) -> Option<T> {
        let held = self.held();
        let place = |at: u64| {
            let after = usize::try_from(at.checked_sub(held.offset)?).ok()?;
            Some(held.start + after)
        };
        let bytes = held.bytes.get(place(from)?..place(to)?)?;
        Some(use_bytes(bytes))
    }

    /// Gives up everything before a place.
    pub(super) fn discard(&self, to: u64) {
        let mut held = self.held();
        let before = to.saturating_sub(held.offset);
        let most = held.bytes.len() - held.start;
        let before = usize::try_from(before).map_or(most, |before| before.min(most));
        held.start += before;
        held.offset += before as u64;
        // Moved only when as much was given up, so that a byte is moved once on average.
        if held.start > held.bytes.len() / 2 {
            let start = std::mem::take(&mut held.start);
            held.bytes.drain(..start);
        }
    }
}

impl Read for TeeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let mut held = self.tee.held();
        // One huge record: its bytes can be had again from the file, so they are not worth the
        // memory. Places stay right, because `offset` moves on by what is dropped.
        if held.bytes.len() - held.start + read > self.tee.max_bytes {
            held.offset += (held.bytes.len() - held.start) as u64;
            held.start = 0;
            held.bytes = Vec::new();
        }
        held.bytes.extend_from_slice(&buffer[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn what_has_passed_is_there_until_it_is_given_up() {
        let bytes: Vec<u8> = (0..200u8).collect();
        let (tee, mut reader) = Tee::new(Box::new(Cursor::new(bytes.clone())), 1000);
        let mut buffer = [0; 64];
        for _ in 0..2 {
            reader.read_exact(&mut buffer).unwrap();
        }
        assert_eq!(tee.end(), 128);
        let same = |from: usize, to: usize| {
            let expected = &bytes[from..to];
            tee.with(from as u64, to as u64, |held| held == expected)
        };
        assert_eq!(same(0, 128), Some(true));
        assert_eq!(same(0, 129), None);
        for to in [1usize, 50, 51, 120] {
            tee.discard(to as u64);
            assert_eq!(same(to, 128), Some(true));
            assert_eq!(same(to - 1, 128), None);
        }
        assert_eq!(reader.read(&mut buffer).unwrap(), 64);
        assert_eq!(same(120, 192), Some(true));
    }

    #[test]
    fn no_more_is_held_than_allowed() {
        let (tee, mut reader) = Tee::new(Box::new(Cursor::new(vec![7; 300])), 100);
        let mut buffer = [0; 60];
        reader.read_exact(&mut buffer).unwrap();
        reader.read_exact(&mut buffer).unwrap();
        assert_eq!((tee.end(), tee.with(0, 10, |_| ())), (120, None));
        assert_eq!(tee.with(60, 120, <[u8]>::len), Some(60));
    }
}
