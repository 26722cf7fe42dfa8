//! Asks about one pair after the other: by single keys on a terminal, by lines elsewhere.
//!
//! A label is on disk before the next question is printed, so a sitting can be ended at any moment,
//! also by a crash. Where answers come from is behind [`Answers`]: tests and scripts type lines,
//! people press keys.

use super::show;
use crate::terminal::Visible;
use anyhow::Result;
use console::{Key, Term};
use neardupe_core::error::Error;
use neardupe_jobs::diff::TerminalStyle;
use neardupe_jobs::kind::judge::{
    JudgeLabel, JudgeLabels, JudgePair, JudgeRow, JudgeTexts,
};
use std::io::{BufRead, Write};

/// What a judge can say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// What the judge says of the pair.
    JudgeLabel(JudgeLabel),
    /// A kind for the pair that is shown; none to be asked for it.
    Kind(Option<String>),
    /// Shows the pair before this one again.
    Back,
    /// Ends the sitting. Labels are kept.
    Quit,
    /// Something else was typed.
    Other(String),
}

/// Where answers come from.
pub(super) trait Answers {
    /// The next answer.
    fn next(&mut self) -> Result<Answer>;

    /// A kind: one of these by its number, or another in words.
    fn kind(&mut self, known: &[String], out: &mut dyn Write) -> Result<Option<String>>;
}

/// What a single letter means, in either case.
fn answer(letter: char) -> Option<Answer> {
    Some(match letter.to_ascii_lowercase() {
        'd' => Answer::JudgeLabel(JudgeLabel::Duplicate),
        'n' => Answer::JudgeLabel(JudgeLabel::Not),
        'u' => Answer::JudgeLabel(JudgeLabel::Unclear),
        'k' => Answer::Kind(None),
        'b' => Answer::Back,
        'q' => Answer::Quit,
        _ => return None,
    })
}

/// Kinds that are offered before any was used.
const KINDS: [&str; 5] = ["copy", "version", "excerpt", "template", "boilerplate"];

/// Single keys of a terminal. It is put back as it was after each key.
#[derive(Debug)]
pub(super) struct Keys(Term);

impl Default for Keys {
    fn default() -> Self {
        Keys(Term::stdout())
    }
}

impl Answers for Keys {
    fn next(&mut self) -> Result<Answer> {
        Ok(match self.0.read_key_raw()? {
            // Ctrl-D ends input in every other program, so it ends the sitting too; labels are on disk already.
            Key::Char('\u{4}') | Key::Escape => Answer::Quit,
            Key::Char(letter) => {
                answer(letter).unwrap_or_else(|| Answer::Other(letter.to_string()))
            }
            Key::ArrowLeft | Key::Backspace => Answer::Back,
            // In raw mode Ctrl-C is a key and no signal. As an error it ends with code 130, as anywhere else.
            Key::CtrlC => return Err(Error::Cancelled.into()),
            _ => Answer::Other("that key".to_owned()),
        })
    }

    fn kind(&mut self, known: &[String], out: &mut dyn Write) -> Result<Option<String>> {
        let offered: Vec<String> = (1..)
            .zip(known)
            .map(|(number, kind)| format!("{number} {kind}"))
            .collect();
        write!(out, "\nkind ({}, or other words): ", offered.join(", "))?;
        out.flush()?;
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line)?;
        Ok(named_kind(line.trim(), known))
    }
}

/// A kind by its number in the list, or the words themselves; None for nothing.
fn named_kind(typed: &str, known: &[String]) -> Option<String> {
    let number = typed.parse::<usize>().ok();
    let listed = number.and_then(|number| known.get(number.checked_sub(1)?));
    match listed {
        Some(kind) => Some(kind.clone()),
        None => Some(typed.to_owned()).filter(|kind| !kind.is_empty()),
    }
}

/// Lines of standard input: `d`, `n`, `u`, `k KIND`, `b`, `q`.
#[derive(Debug)]
pub(super) struct AnswerLines<R>(R);

impl<R: BufRead> AnswerLines<R> {
    /// Reads answers from a stream, one per line.
    pub(super) fn new(input: R) -> Self {
        AnswerLines(input)
    }
}

impl<R: BufRead> Answers for AnswerLines<R> {
    fn next(&mut self) -> Result<Answer> {
        loop {
            let mut line = String::new();
            // The end of input is a decision to stop, not a label for the pair that is shown.
            if self.0.read_line(&mut line)? == 0 {
                return Ok(Answer::Quit);
            }
            let line = line.trim();
            if let Some(kind) = line.strip_prefix("k ") {
                return Ok(Answer::Kind(Some(kind.trim().to_owned())));
            }
            let mut letters = line.chars();
            match (letters.next(), letters.next()) {
                (None, _) => {}
                (Some('k' | 'K'), None) => {
                    return Ok(Answer::Other("k without a kind".to_owned()));
                }
                (Some(letter), None) => {
                    let other = || Answer::Other(line.to_owned());
                    return Ok(answer(letter).unwrap_or_else(other));
                }
                _ => return Ok(Answer::Other(line.to_owned())),
            }
        }
    }

    fn kind(&mut self, _: &[String], _: &mut dyn Write) -> Result<Option<String>> {
        Ok(None)
    }
}

/// A judge at work.
pub(super) struct Sitting<'a> {
    /// Pairs of the sample, in the order in which they are asked about.
    pub(super) pairs: &'a [JudgePair],
    /// Texts of the pairs, where the input still has them.
    pub(super) texts: Option<&'a JudgeTexts>,
    /// Labels of this judge; each is written to disk at once.
    pub(super) labels: &'a mut JudgeLabels,
    /// Name of the judge, which goes with each label.
    pub(super) judge: &'a str,
    /// How differences are shown.
    pub(super) style: TerminalStyle,
}

impl Sitting<'_> {
    /// Pairs that have no label yet.
    pub(super) fn open(&self) -> usize {
        let open = self.pairs.iter().filter(|pair| self.said(pair).is_none());
        open.count()
    }

    /// What this judge has said of a pair before.
    fn said(&self, pair: &JudgePair) -> Option<&JudgeRow> {
        self.labels.get(&pair.left, &pair.right)
    }

    /// The first pair from `from` on that has no label.
    fn next_open(&self, from: usize) -> Option<usize> {
        let mut rest = self.pairs.iter().enumerate().skip(from);
        let next = rest.find(|(_, pair)| self.said(pair).is_none());
        next.map(|(at, _)| at)
    }

    /// Asks until all pairs have a label, or nobody answers.
    ///
    /// Each round shows one pair and ends with a label, a step back or the end of the sitting;
    /// kinds and wrong keys ask again about the same pair.
    pub(super) fn run(
        &mut self,
        answers: &mut dyn Answers,
        out: &mut Visible<impl Write>,
    ) -> Result<()> {
        let mut at = self.next_open(0);
        while let Some(place) = at {
            let pair = &self.pairs[place];
            let said = self.said(pair);
            let number = (place + 1, self.pairs.len());
            show::pair(out, &self.style, number, pair, self.texts, said)?;
            // A kind is kept for the label that follows; without a label it is not stored.
            let mut kind = said.and_then(|said| said.kind.clone());
            at = loop {
                write!(out, "[d]uplicate [n]ot [u]nclear [k]ind [b]ack [q]uit: ")?;
                out.flush()?;
                match answers.next()? {
                    Answer::JudgeLabel(label) => {
                        writeln!(out, "{}", label.name())?;
                        self.labels.put(JudgeRow {
                            left: pair.left.clone(),
                            right: pair.right.clone(),
                            label,
                            kind,
                            similarity: pair.similarity.clone(),
                            judge: self.judge.to_owned(),
                        })?;
                        // On to the next open pair, and at the end back to those that were
                        // passed over.
                        break self.next_open(place + 1).or_else(|| self.next_open(0));
                    }
                    Answer::Kind(typed) => {
                        kind = match typed {
                            Some(typed) => named_kind(&typed, &self.kinds()),
                            None => answers.kind(&self.kinds(), out)?,
                        };
                        writeln!(out, "kind: {}", kind.as_deref().unwrap_or("none"))?;
                    }
                    Answer::Back if place == 0 => {
                        writeln!(out, "this is the first pair")?;
                    }
                    Answer::Back => {
                        writeln!(out, "back")?;
                        // The pair before is shown whether it has a label or not: going back
                        // means to correct.
                        break Some(place - 1);
                    }
                    Answer::Quit => {
                        writeln!(out, "quit")?;
                        break None;
                    }
                    Answer::Other(typed) => {
                        writeln!(out, "{typed:?} is none of d, n, u, k, b, q")?;
                    }
                }
            };
        }
        Ok(())
    }

    /// Kinds to choose from: usual ones, then those that were used.
    ///
    /// Numbers of kinds in the list stay what they are while a judge works, because new kinds
    /// come last.
    fn kinds(&self) -> Vec<String> {
        let mut kinds = KINDS.map(str::to_owned).to_vec();
        for kind in self.labels.kinds() {
            if !kinds.contains(kind) {
                kinds.push(kind.clone());
            }
        }
        kinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_answers() {
        let mut lines = AnswerLines::new("d\n N \n\nk mirror \nk\nxyz\nb".as_bytes());
        let expected = [
            Answer::JudgeLabel(JudgeLabel::Duplicate),
            Answer::JudgeLabel(JudgeLabel::Not),
            Answer::Kind(Some("mirror".to_owned())),
            Answer::Other("k without a kind".to_owned()),
            Answer::Other("xyz".to_owned()),
            Answer::Back,
            Answer::Quit,
        ];
        for answer in expected {
            assert_eq!(lines.next().unwrap(), answer);
        }
    }

    #[test]
    fn kinds_are_chosen_by_number_or_by_words() {
        let known = ["copy".to_owned(), "version".to_owned()];
        let kind = |typed| named_kind(typed, &known);
        assert_eq!(kind("2").as_deref(), Some("version"));
        assert_eq!(kind("3").as_deref(), Some("3"));
        assert_eq!(kind("news wire").as_deref(), Some("news wire"));
        assert_eq!(kind(""), None);
    }
}
