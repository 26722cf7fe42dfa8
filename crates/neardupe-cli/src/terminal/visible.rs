//! What is printed for people, with characters made visible that would steer a terminal.
//!
//! Ids, names of files, values and texts come from the input. As they are, they could move the cursor,
//! change the title of a window or turn the direction of a line. So everything for people passes through
//! [`Visible`], which prints such a character as its number (`\u{1b}`). JSON does not: programs read it.

use neardupe_jobs::diff::is_active;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{Result, StderrLock, StdoutLock, Write};

/// Standard output for people.
pub(crate) fn stdout() -> Visible<StdoutLock<'static>> {
    Visible(std::io::stdout().lock())
}

/// Standard error for people.
pub(crate) fn stderr() -> Visible<StderrLock<'static>> {
    Visible(std::io::stderr().lock())
}

/// A text as it is shown. Line feeds are kept: texts of several lines are printed too.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for ch in text.chars() {
        if is_active(ch) {
            let _ = write!(shown, "{}", ch.escape_unicode());
        } else {
            shown.push(ch);
        }
    }
    Cow::Owned(shown)
}

/// The same for a message, which is one line: a name with a line feed must not look like two messages.
pub(crate) fn visible_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        shown if shown.contains('\n') => Cow::Owned(shown.replace('\n', "\\n")),
        shown => shown,
    }
}

/// Writes what is printed for people.
#[derive(Debug)]
pub(crate) struct Visible<W>(pub(crate) W);

impl<W: Write> Visible<W> {
    /// The writer itself: for JSON, and for our own colors, whose writer cleans its texts.
    pub(crate) fn raw(&mut self) -> &mut W {
        &mut self.0
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        for chunk in bytes.utf8_chunks() {
            self.0.write_all(visible(chunk.valid()).as_bytes())?;
            for byte in chunk.invalid() {
                write!(self.0, "\\x{byte:02x}")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_printed_as_its_number() {
        let mut out = Visible(Vec::new());
        write!(out, "a\x1b[31m\x07\r\u{9b}\u{202e}b\tc\nå").unwrap();
        out.write_all(b"\xff").unwrap();
        let expected = "a\\u{1b}[31m\\u{7}\\u{d}\\u{9b}\\u{202e}b\tc\nå\\xff";
        assert_eq!(String::from_utf8(out.0).unwrap(), expected);
        assert_eq!(visible_line("a\nb"), "a\\nb");
    }
}
