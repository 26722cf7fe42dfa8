//! A stream seen through a window: bytes are looked at as far ahead as wanted, and given
//! up once they are done with.
//!
//! Formats that say how long a record is and are often wrong about it need two things that a
//! buffered reader does not give: to look further ahead than one buffer, and to know the place of
//! every byte in the stream. Records are looked at in place.

use std::io::{ErrorKind, Read};

/// Room of a new window, and what it goes back to after a large record.
const USUAL_BYTES: usize = 1 << 19;
/// A read asks for at least so much: small reads cost a call of the system each.
const READ_BYTES: usize = 1 << 16;

/// The part of a stream that is held.
pub(in crate::source) struct Window {
    /// Where the bytes come from, unpacked already.
    reader: Box<dyn Read + Send>,
    /// Room for the window. Only `bytes[start..end]` means anything.
    bytes: Vec<u8>,
    /// `bytes[start..end]` is held.
    start: usize,
    /// End of the held bytes; what the reader gives next is put here.
    end: usize,
    /// Place of `bytes[start]` in the stream.
    offset: u64,
    /// The reader gave its last byte, or broke.
    ended: bool,
    /// Why the reader broke. Taken by the one who reports it, so that it is reported once.
    fault: Option<String>,
}

impl Window {
    /// A window on a stream of which nothing has been read. It takes [`USUAL_BYTES`] at once.
    pub(in crate::source) fn new(reader: Box<dyn Read + Send>) -> Self {
        Window {
            reader,
            bytes: vec![0; USUAL_BYTES],
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            fault: None,
        }
    }

    /// The bytes from [`Window::offset`] on that have been read and not given up.
    pub(in crate::source) fn held(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Place of the first held byte in the stream.
    pub(in crate::source) fn offset(&self) -> u64 {
        self.offset
    }

    /// Nothing comes after the held bytes, because the stream ended or broke.
    pub(in crate::source) fn ended(&self) -> bool {
        self.ended
    }

    /// Why the stream broke, the first time this is asked.
    pub(in crate::source) fn take_fault(&mut self) -> Option<String> {
        self.fault.take()
    }

    /// Holds at least `wanted` bytes, or all that are left.
    pub(in crate::source) fn fill(&mut self, wanted: usize) {
        while self.end - self.start < wanted && !self.ended {
            self.make_room();
            match self.reader.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                // A signal arrived, which is no fault of the stream.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    // What was read before the fault is good: it is used, and the fault is recorded after it.
                    self.fault = Some(error.to_string());
                    self.ended = true;
                }
            }
        }
    }

    /// Gives up the first `count` bytes.
    pub(in crate::source) fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Gives up the line ends and spaces that come next, however many.
    pub(in crate::source) fn skip_blanks(&mut self) {
        loop {
            self.fill(1);
            let blanks = blanks(self.held());
            if blanks == 0 {
                return;
            }
            self.consume(blanks);
        }
    }

    /// Held bytes are moved only when as many have been given up, so that every byte is
    /// moved once on average, whatever lengths a hostile file claims.
    fn make_room(&mut self) {
        if self.bytes.len() - self.end >= READ_BYTES {
            return;
        }
        let held = self.end - self.start;
        // More is held than was given up: moving it would cost more than it frees, so the room
        // is doubled.
        if self.start < held {
            self.bytes.resize(self.bytes.len() * 2, 0);
            return;
        }
        self.bytes.copy_within(self.start..self.end, 0);
        self.start = 0;
        self.end = held;
        // One huge record must not keep its memory for the rest of the file.
        if self.bytes.len() > 16 * USUAL_BYTES && held < USUAL_BYTES / 2 {
            self.bytes.truncate(USUAL_BYTES);
            self.bytes.shrink_to_fit();
        }
    }
}

/// Number of line ends and spaces at the start.
pub(in crate::source) fn blanks(bytes: &[u8]) -> usize {
    let is_blank = |byte: &&u8| matches!(byte, b'\r' | b'\n' | b' ' | b'\t');
    bytes.iter().take_while(is_blank).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Cursor};

    /// Gives one byte at a time, then a fault.
    struct Drip(Vec<u8>);

    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.pop() {
                Some(byte) => {
                    buffer[0] = byte;
                    Ok(1)
                }
                None => Err(io::Error::other("broken pipe")),
            }
        }
    }

    #[test]
    fn a_fault_ends_the_stream_and_is_told_once() {
        let mut window = Window::new(Box::new(Drip(b"cba".to_vec())));
        window.fill(2);
        assert_eq!((window.held(), window.ended()), (&b"ab"[..], false));
        window.consume(1);
        window.fill(100);
        assert_eq!((window.held(), window.ended()), (&b"bc"[..], true));
        assert_eq!(window.offset(), 1);
        assert_eq!(window.take_fault().as_deref(), Some("broken pipe"));
        assert_eq!(window.take_fault(), None);
        window.fill(100);
        assert_eq!(window.held(), b"bc");
    }

    #[test]
    fn any_size_can_be_held_and_the_room_is_given_back() {
        let bytes: Vec<u8> = (0..20_000_000u32).map(|n| (n % 251) as u8).collect();
        let mut window = Window::new(Box::new(Cursor::new(bytes.clone())));
        let mut at = 0;
        for step in [1, 600_000, 3, 10_000_000, 70_000, 12, 1_000_000] {
            window.fill(step);
            assert_eq!(&window.held()[..step], &bytes[at..at + step]);
            window.consume(step);
            at += step;
            assert_eq!(window.offset(), at as u64);
        }
        assert!(window.bytes.len() <= 2 * 16 * USUAL_BYTES);
        window.fill(usize::MAX);
        assert_eq!(window.held(), &bytes[at..]);
    }
}
