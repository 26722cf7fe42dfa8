//! A diff on a terminal, or wherever lines are read: one text, in which is marked what only
//! one side has. Long stretches that are equal are folded.
//!
//! Differences are marked by style and, without colors, by brackets, as `wdiff` does: a diff must
//! survive a pipe and readers who do not see colors. Lines are broken at words by their width on
//! a terminal, where Chinese characters take two columns.

use super::shown::shown;
use super::stretch::{fold, joined, pieces};
use super::{Diff, StretchKind};
use neardupe_core::text::Segmenter;
use std::io::{self, Write};
use unicode_width::UnicodeWidthChar;

/// How a diff is shown.
#[derive(Debug, Clone, Copy)]
pub struct TerminalStyle {
    /// With colors; else with marks: `[-only left-]`, `{+only right+}`, `[~left|right~]`.
    pub color: bool,
    /// Columns of a line.
    pub width: usize,
    /// Equal words shown before and after a difference.
    pub context: usize,
    /// Lines at most; the rest is counted.
    pub max_lines: usize,
}

impl Default for TerminalStyle {
    fn default() -> Self {
        TerminalStyle {
            color: false,
            width: 80,
            context: 12,
            max_lines: 2000,
        }
    }
}

/// How a stretch looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// On both sides.
    Plain,
    /// Only left, then only right.
    Removed,
    Added,
    /// The same words with other punctuation or spacing: both sides are shown, less loudly
    /// than a difference, since that seldom matters.
    QuietLeft,
    QuietRight,
    /// The note that stands for equal words that are not shown.
    Folded,
}

impl Look {
    /// The escape sequence that begins it; any of them ends with a reset.
    fn code(self) -> &'static str {
        match self {
            Look::Plain => "",
            // Not by color alone: struck out, and underlined.
            Look::Removed => "\x1b[31;9m",
            Look::Added => "\x1b[32;4m",
            Look::QuietLeft => "\x1b[2;31m",
            Look::QuietRight => "\x1b[2;32m",
            Look::Folded => "\x1b[2m",
        }
    }

    /// The marks before and after it where there are no colors.
    fn marks(self) -> (&'static str, &'static str) {
        match self {
            Look::Plain | Look::Folded => ("", ""),
            Look::Removed => ("[-", "-]"),
            Look::Added => ("{+", "+}"),
            Look::QuietLeft => ("[~", "|"),
            Look::QuietRight => ("", "~]"),
        }
    }
}

/// Shows a diff.
pub fn render_terminal(
    diff: &Diff<'_>,
    style: &TerminalStyle,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut lines = WrappedLines::new(style, out);
    let segmenter = Segmenter::default();
    for (place, op) in diff.ops.iter().enumerate() {
        match op.kind {
            StretchKind::OnlyLeft => lines.put(Look::Removed, diff.left_of(op))?,
            StretchKind::OnlyRight => lines.put(Look::Added, diff.right_of(op))?,
            StretchKind::SameWords => {
                lines.put(Look::QuietLeft, diff.left_of(op))?;
                lines.put(Look::QuietRight, diff.right_of(op))?;
            }
            StretchKind::Equal => {
                let words = pieces(diff, op, &segmenter);
                let (is_first, is_last) = (place == 0, place + 1 == diff.ops.len());
                let folded = fold(words.len(), style.context, is_first, is_last);
                // Nothing to fold: all of it is shown.
                let Some((before, after)) = folded else {
                    // Also when one side has nothing here: white space of either.
                    let (left, right) = (diff.left_of(op), diff.right_of(op));
                    lines.put(Look::Plain, if left.is_empty() { right } else { left })?;
                    continue;
                };
                // What is before the fold and what is after it; the note comes between.
                for (start, end) in [(0, before), (after, words.len())] {
                    if let Some((left, _)) = joined(&words[start..end]) {
                        lines.put(Look::Plain, &diff.left[left.start..left.end])?;
                    }
                    if end == before {
                        lines.fold(after - before)?;
                    }
                }
            }
        }
    }
    lines.finish()?;
    if !diff.complete {
        let words = diff.left_words.max(diff.right_words);
        writeln!(
            out,
            "(the first {words} words were compared; the texts are longer)"
        )?;
    }
    Ok(())
}

/// Breaks text into lines. A word is written when it is complete, since only then is known
/// whether it fits.
struct WrappedLines<'a, Out> {
    style: &'a TerminalStyle,
    out: &'a mut Out,
    /// Columns written of the open line.
    column: usize,
    /// The word in progress, with its looks, and its width.
    word: Vec<(Look, String)>,
    /// Columns of the open word.
    word_width: usize,
    /// White space stands between what was written and the open word. It is written with that
    /// word, so no line ends with a space.
    space: bool,
    /// What the terminal is set to; a change costs bytes, so equal ones are not repeated.
    look: Look,
    /// Lines ended so far, also those beyond `max_lines`, which are counted but not written.
    num_lines: usize,
}

impl<'a, Out: Write> WrappedLines<'a, Out> {
    fn new(style: &'a TerminalStyle, out: &'a mut Out) -> Self {
        WrappedLines {
            style,
            out,
            column: 0,
            word: Vec::new(),
            word_width: 0,
            space: false,
            look: Look::Plain,
            num_lines: 0,
        }
    }

    /// Whether no further line may be written.
    fn is_full(&self) -> bool {
        self.num_lines >= self.style.max_lines
    }

    /// Writes a stretch with its look. Marks are put around it where there are no colors.
    fn put(&mut self, look: Look, text: &str) -> io::Result<()> {
        let (open, close) = if self.style.color {
            ("", "")
        } else {
            look.marks()
        };
        // Both quiet looks belong together, `[~left|right~]`: white space between them would
        // tear them apart.
        // White space around a changed stretch is kept outside of its marks.
        let inner = text.trim();
        let quiet = matches!(look, Look::QuietLeft | Look::QuietRight);
        if inner.is_empty() && !quiet {
            return self.white(text);
        }
        let start = text.len() - text.trim_start().len();
        let lead = if look == Look::QuietRight {
            ""
        } else {
            &text[..start]
        };
        self.white(lead)?;
        self.chars(look, open)?;
        for ch in inner.chars() {
            match ch {
                '\n' if look == Look::Plain => self.line_end()?,
                _ if ch.is_whitespace() => self.blank()?,
                _ => self.char(look, shown(ch))?,
            }
        }
        self.chars(look, close)?;
        match look {
            Look::QuietLeft => Ok(()),
            _ => self.white(&text[start + inner.len()..]),
        }
    }

    /// White space: a line end if it has one, else a blank.
    fn white(&mut self, text: &str) -> io::Result<()> {
        match text {
            "" => Ok(()),
            _ if text.contains('\n') => self.line_end(),
            _ => self.blank(),
        }
    }

    /// Ends the word. The space is written with the next one, and not at all at the beginning
    /// of a line.
    fn blank(&mut self) -> io::Result<()> {
        self.flush_word()?;
        self.space = self.column > 0;
        Ok(())
    }

    /// Adds marks to the open word, so that they are not torn from it at the end of a line.
    fn chars(&mut self, look: Look, text: &str) -> io::Result<()> {
        text.chars().try_for_each(|ch| self.char(look, ch))
    }

    /// Adds a character to the open word. Its width is that of a terminal: 2 for Chinese, 0
    /// for a combining mark.
    fn char(&mut self, look: Look, ch: char) -> io::Result<()> {
        let width = ch.width().unwrap_or(0);
        // Scripts without spaces break anywhere, and so does what is longer than a line.
        if width > 1 || self.word_width + width > self.style.width {
            self.flush_word()?;
        }
        match self.word.last_mut() {
            Some((last, text)) if *last == look => text.push(ch),
            _ => self.word.push((look, ch.to_string())),
        }
        self.word_width += width;
        Ok(())
    }

    /// Writes the open word, on a new line if it does not fit. After the last line that may
    /// be shown it is only counted.
    fn flush_word(&mut self) -> io::Result<()> {
        if self.word.is_empty() {
            return Ok(());
        }
        let space = usize::from(self.space && self.column > 0);
        // A word longer than a line is not moved if the line is empty: it would be so again.
        if self.column + space + self.word_width > self.style.width && self.column > 0 {
            self.break_line()?;
        }
        let word = std::mem::take(&mut self.word);
        if !self.is_full() {
            if self.space && self.column > 0 {
                // Between two words of one look the space has it too.
                if word.first().is_some_and(|(look, _)| *look != self.look) {
                    self.set_look(Look::Plain)?;
                }
                write!(self.out, " ")?;
                self.column += 1;
            }
            for (look, text) in word {
                self.set_look(look)?;
                write!(self.out, "{text}")?;
            }
        }
        self.column += self.word_width;
        self.word_width = 0;
        self.space = false;
        Ok(())
    }

    /// Switches the terminal, unless it has that look already.
    fn set_look(&mut self, look: Look) -> io::Result<()> {
        if self.look == look || !self.style.color {
            return Ok(());
        }
        // Looks do not add up: a new one must not inherit what the last had.
        if self.look != Look::Plain {
            write!(self.out, "\x1b[0m")?;
        }
        self.look = look;
        write!(self.out, "{}", look.code())
    }

    /// Ends a line of the text.
    fn line_end(&mut self) -> io::Result<()> {
        self.flush_word()?;
        match self.column {
            0 => Ok(()),
            _ => self.break_line(),
        }
    }

    /// Ends the line on the screen and counts it. The look is reset, so that a pager does not
    /// color the margin.
    fn break_line(&mut self) -> io::Result<()> {
        if !self.is_full() {
            self.set_look(Look::Plain)?;
            writeln!(self.out)?;
        }
        self.num_lines += 1;
        self.column = 0;
        self.space = false;
        Ok(())
    }

    /// Writes the note of folded words, on a line of its own.
    fn fold(&mut self, num_words: usize) -> io::Result<()> {
        self.line_end()?;
        if !self.is_full() {
            self.set_look(Look::Folded)?;
            // Also where it is wider than the line: it is short.
            write!(self.out, "... {num_words} equal words ...")?;
        }
        self.break_line()
    }

    /// Ends the last line and reports how many lines were not shown.
    fn finish(&mut self) -> io::Result<()> {
        self.line_end()?;
        if self.num_lines > self.style.max_lines {
            let more = self.num_lines - self.style.max_lines;
            writeln!(self.out, "... {more} more lines ...")?;
        }
        Ok(())
    }
}
