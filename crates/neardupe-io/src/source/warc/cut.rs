//! Cuts a stream into records that each begin with a head that gives the length of what
//! follows, and finds the next record when a head or a length is wrong.
//!
//! A length is believed when another record, or the end, comes right after it: then the
//! record is taken whole, whatever lines it holds. Otherwise the record is bad, and the
//! next one is looked for behind its head, so that a length that is too long swallows no
//! good record.

use super::window::{Window, blanks};
use crate::source::values::Fault;
use neardupe_core::document::BadKind;
use std::io::Read;
use std::ops::Range;

/// Most bytes of a head. Real ones have some hundred bytes, with long URLs some thousand.
pub(in crate::source) const HEAD_BYTES: usize = 1 << 16;

/// How the records of a format begin.
pub(in crate::source) trait Framing {
    /// Bytes that are enough to know the start of a record by.
    const LOOK_BYTES: usize;

    /// Reads the head at the start of `bytes`, which are at most [`HEAD_BYTES`].
    fn head(&mut self, bytes: &[u8]) -> Head;

    /// Whether `bytes`, which come right behind the end of a record, are the start of
    /// another one, be it damaged.
    fn may_begin(bytes: &[u8], at_line_start: bool) -> bool;

    /// The first line that is the start of a record beyond doubt.
    fn find(bytes: &[u8], at_line_start: bool) -> Option<usize>;
}

/// What a head says.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::source) enum Head {
    /// Its own length and that of what follows.
    Read(usize, u64),
    /// A head of this length without the length of what follows.
    Unmeasured(usize),
    /// So many bytes, at least one, are no head, and why.
    Bad(usize, String),
    /// It goes on beyond the bytes.
    Open,
}

/// What was cut out.
#[derive(Debug)]
pub(in crate::source) enum Cut {
    /// A record that begins at this byte of the stream: see [`Cutter::parts`].
    Record(u64),
    /// A record over the limit: see [`Cutter::parts`] for its first bytes, then call
    /// [`Cutter::skip_long`].
    Long(Long),
    /// A record without a length, and where it begins; the next one has been found.
    Unmeasured(u64),
    /// No record, and where it begins.
    Bad(u64, Fault),
    /// Nothing is left.
    End,
}

/// A record that is not held.
#[derive(Debug, Clone, Copy)]
pub(in crate::source) struct Long {
    /// Where the record begins in the unpacked stream.
    pub(in crate::source) offset: u64,
    /// Bytes of the head, which are still held.
    head: usize,
    /// What the head claims for the content. Not verified, so it may be any number.
    length: u64,
}

/// Cuts a stream into records.
pub(in crate::source) struct Cutter<F> {
    /// Holds as much as the current record needs: at most the limit, a head and some bytes to
    /// look ahead.
    window: Window,
    /// The format; it keeps what the last head said.
    framing: F,
    /// Contents longer than this are passed over and never held.
    max_bytes: u64,
    /// Where the record cut last begins.
    begun: u64,
    /// Held bytes to give up before the next record.
    done: usize,
    /// Place of the content in the held bytes.
    content: (usize, usize),
    /// A record was shorter than its length by the carriage returns of its lines.
    lost_returns: bool,
}

impl<F: Framing> Cutter<F> {
    /// Starts at the first byte of an unpacked stream.
    pub(in crate::source) fn new(
        reader: Box<dyn Read + Send>,
        max_bytes: u64,
        framing: F,
    ) -> Self {
        Cutter {
            window: Window::new(reader),
            framing,
            max_bytes,
            begun: 0,
            done: 0,
            content: (0, 0),
            lost_returns: false,
        }
    }

    /// What the head said, and the content of the record cut last.
    pub(in crate::source) fn parts(&self) -> (&F, &[u8]) {
        let (from, to) = self.content;
        (&self.framing, &self.window.held()[from..to])
    }

    /// Where the record cut last begins and ends.
    pub(in crate::source) fn span(&self) -> Range<u64> {
        self.begun..self.window.offset() + self.done as u64
    }

    /// Cuts the next record. Every call consumes at least one byte or reports the end, so a
    /// hostile file cannot keep the caller in a loop.
    pub(in crate::source) fn next(&mut self) -> Cut {
        self.window.consume(std::mem::take(&mut self.done));
        self.content = (0, 0);
        self.window.skip_blanks();
        self.window.fill(HEAD_BYTES);
        let offset = self.window.offset();
        self.begun = offset;
        let held = self.window.held();
        // The end of the stream. A fault of the reader (a broken gzip member) is reported
        // once, as a bad record at this place, and then the end follows.
        if held.is_empty() {
            return match self.window.take_fault() {
                Some(fault) => Cut::Bad(offset, lost(&fault)),
                None => Cut::End,
            };
        }
        let shown = held.len().min(HEAD_BYTES);
        match self.framing.head(&held[..shown]) {
            Head::Read(head, length) => self.cut(offset, head, length),
            Head::Unmeasured(head) => {
                self.find_next(head);
                Cut::Unmeasured(offset)
            }
            Head::Bad(bytes, detail) => {
                self.find_next(bytes);
                Cut::Bad(offset, (BadKind::Format, detail))
            }
            Head::Open if shown < HEAD_BYTES => {
                self.done = shown;
                self.broken_off(offset, "the file ends within the head of a record")
            }
            // The head fills all that may be looked at. The last bytes may be the start of the
            // next record, so they are looked at again.
            Head::Open => {
                self.find_next(HEAD_BYTES - F::LOOK_BYTES);
                let detail = format!("a head of more than {HEAD_BYTES} bytes");
                Cut::Bad(offset, (BadKind::Format, detail))
            }
        }
    }

    /// Takes the record whole if its length is believable; otherwise finds out how far the
    /// damage reaches.
    fn cut(&mut self, offset: u64, head: usize, length: u64) -> Cut {
        let content = usize::try_from(length)
            .ok()
            .filter(|_| length <= self.max_bytes);
        let Some(content) = content else {
            return self.long(offset, head, length);
        };
        // The length is believed only if a record or the end of the file follows. `fastwarc` believes it
        // always: a wrong one then yields a record with the wrong text and loses the record after it.
        let end = head.saturating_add(content);
        self.window.fill(end.saturating_add(F::LOOK_BYTES));
        let held = self.window.held();
        if end <= held.len() && follows::<F>(&held[end..], ends_line(&held[..end])) {
            self.content = (head, end);
            self.done = end;
            return Cut::Record(offset);
        }
        // The length is wrong. First the one cause that loses nothing is tried: line ends that were
        // changed. Then the record is bad, and reading goes on at the next head, wherever it is.
        let swallowed = F::find(&held[head..], true);
        if let Some(short) = self.without_returns(head, content, swallowed) {
            self.lost_returns = true;
            self.content = (head, head + short);
            self.done = swallowed.map_or(held.len(), |at| head + at);
            return Cut::Record(offset);
        }
        // No other record begins in what is left, so the file was cut off within this one.
        if held.len() < end && swallowed.is_none() {
            self.done = held.len();
            let missing = end - held.len();
            return self.broken_off(
                offset,
                &format!("the file ends {missing} bytes before the record does"),
            );
        }
        let found = self.find_next(head);
        Cut::Bad(offset, wrong_length(length, found))
    }

    /// Files whose line ends were changed to line feeds after their lengths had been
    /// counted are about (samples of ClueWeb09, jwarc issue 26). The content ends before
    /// the next record, and lacks at most one byte a line.
    fn without_returns(
        &self,
        head: usize,
        length: usize,
        next: Option<usize>,
    ) -> Option<usize> {
        let held = self.window.held();
        // At the end of a file this looks like one that was cut off.
        if next.is_none() && !(self.lost_returns && self.window.ended()) {
            return None;
        }
        if held[..head].contains(&b'\r') {
            return None;
        }
        let content = &held[head..next.map_or(held.len(), |at| head + at)];
        // Two line feeds end a record.
        let content = content.strip_suffix(b"\n").unwrap_or(content);
        let content = content.strip_suffix(b"\n").unwrap_or(content);
        let missing = length.checked_sub(content.len())?;
        let lines = memchr::memchr_iter(b'\n', content).count();
        (missing <= lines).then_some(content.len())
    }

    /// Shows as much as the head of a content may have.
    fn long(&mut self, offset: u64, head: usize, length: u64) -> Cut {
        self.window.fill(head + HEAD_BYTES);
        let held = &self.window.held()[head..];
        // Only text or not is to be decided here, from the headers and the first bytes.
        let shown = held.len().min(HEAD_BYTES);
        // A length that no memory holds is longer than what is held.
        let shown = usize::try_from(length).map_or(shown, |length| shown.min(length));
        let shown = &held[..shown];
        // What belongs to the next record is not looked at twice.
        let shown = F::find(shown, true).unwrap_or(shown.len());
        self.content = (head, head + shown);
        Cut::Long(Long {
            offset,
            head,
            length,
        })
    }

    /// Passes over a long record without holding it. A length over the limit is not
    /// believed blindly: a record that begins within it ends it, or one wrong length
    /// would swallow the rest of the file.
    pub(in crate::source) fn skip_long(&mut self, long: Long) -> Result<(), Fault> {
        self.window.consume(long.head);
        self.content = (0, 0);
        let mut left = long.length;
        let mut at_line_start = true;
        loop {
            self.window.fill(HEAD_BYTES);
            let held = self.window.held();
            // The start of a record may be cut by the end of what is held.
            let reach = if self.window.ended() {
                held.len()
            } else {
                held.len() - F::LOOK_BYTES
            };
            // Only the bytes whose following `LOOK_BYTES` are known are passed over in this round.
            let passed = usize::try_from(left).map_or(reach, |left| left.min(reach));
            let shown = &held[..held.len().min(passed + F::LOOK_BYTES)];
            let found = F::find(shown, at_line_start).filter(|&at| at < passed);
            if let Some(at) = found {
                let found = long.length - left + at as u64;
                self.window.consume(at);
                // The caller reports the record as bad; the record that begins here is read
                // next, so nothing else is lost.
                return Err(wrong_length(long.length, Some(found)));
            }
            at_line_start = ends_line(&held[..passed]);
            let is_last = passed as u64 == left || self.window.ended();
            self.window.consume(passed);
            left -= passed as u64;
            if is_last {
                break;
            }
        }
        // The claimed length is used up. Without a record behind it the claim was too short.
        self.window.fill(F::LOOK_BYTES);
        if follows::<F>(self.window.held(), at_line_start) {
            return Ok(());
        }
        let found = self.find_next(0).map(|found| long.length + found);
        Err(wrong_length(long.length, found))
    }

    /// Finds the next record, `from` bytes or more ahead, and how much further it is.
    fn find_next(&mut self, from: usize) -> Option<u64> {
        let passed = self.window.held().get(..from);
        let mut at_line_start = passed.is_some_and(ends_line);
        self.window.consume(from);
        let start = self.window.offset();
        loop {
            self.window.fill(HEAD_BYTES);
            let held = self.window.held();
            if let Some(at) = F::find(held, at_line_start) {
                self.done = at;
                return Some(self.window.offset() - start + at as u64);
            }
            if self.window.ended() {
                self.done = held.len();
                return None;
            }
            // A head may begin in the last bytes that are held, so these are looked at again.
            self.window
                .consume(self.window.held().len() - F::LOOK_BYTES);
            at_line_start = false;
        }
    }

    /// The last record of a file that ends early.
    fn broken_off(&mut self, offset: u64, detail: &str) -> Cut {
        let fault = match self.window.take_fault() {
            Some(fault) => lost(&fault),
            None => (BadKind::Format, detail.to_owned()),
        };
        Cut::Bad(offset, fault)
    }
}

/// Whether a record may end before these bytes.
fn follows<F: Framing>(bytes: &[u8], at_line_start: bool) -> bool {
    let blanks = blanks(bytes);
    let after = &bytes[blanks..];
    after.is_empty() || F::may_begin(after, at_line_start || blanks > 0)
}

/// Whether the bytes end with a line feed, so that what follows begins a line.
fn ends_line(bytes: &[u8]) -> bool {
    bytes.last() == Some(&b'\n')
}

/// The fault of a stream that broke: what comes after it cannot be unpacked.
fn lost(fault: &str) -> Fault {
    let detail = format!("{fault}; the rest of the file is lost");
    (BadKind::Compression, detail)
}

/// The fault of a length that does not lead to a record. `found` counts bytes from the end of
/// the head, and is the length that the record seems to have.
fn wrong_length(length: u64, found: Option<u64>) -> Fault {
    let detail = match found {
        Some(found) => format!(
            "the length {length} is wrong: the next record begins {found} bytes \
             after the head"
        ),
        None => format!("the length {length} is wrong: no record begins after it"),
    };
    (BadKind::Format, detail)
}
