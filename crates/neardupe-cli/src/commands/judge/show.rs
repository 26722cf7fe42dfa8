//! A pair as it is shown to be judged.
//!
//! A judge sees the difference and not two texts: two pages of equal words cannot be compared by
//! eye. Its length is limited, so that the question below it stays on the screen.

use crate::terminal::Visible;
use neardupe_jobs::diff::{Diff, DiffLimits, TerminalStyle, clean, render_terminal};
use neardupe_jobs::kind::judge::{JudgePair, JudgeRow, JudgeTexts};
use std::io::{IsTerminal, Result, Write};

/// Lines of differences that are shown of a pair.
const MOST_LINES: usize = 40;

/// How pairs look where the program runs.
pub(super) fn style() -> TerminalStyle {
    let on_terminal = std::io::stdout().is_terminal();
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let (_, columns) = console::Term::stdout().size();
    TerminalStyle {
        color: on_terminal && !plain,
        width: if on_terminal {
            usize::from(columns).clamp(40, 160)
        } else {
            100
        },
        max_lines: MOST_LINES,
        ..TerminalStyle::default()
    }
}

/// Prints a pair: where it is in the sample, its numbers, an earlier label, and how its texts
/// differ.
pub(super) fn pair(
    out: &mut Visible<impl Write>,
    style: &TerminalStyle,
    number: (usize, usize),
    pair: &JudgePair,
    texts: Option<&JudgeTexts>,
    said: Option<&JudgeRow>,
) -> Result<()> {
    let (at, all) = number;
    writeln!(out, "\n{}", "-".repeat(style.width.min(80)))?;
    writeln!(
        out,
        "pair {at} of {all}   similarity {}   {} common features of {} and {}",
        pair.similarity, pair.overlap, pair.left_size, pair.right_size
    )?;
    writeln!(out, "  left   {}", clean(&pair.left))?;
    writeln!(out, "  right  {}", clean(&pair.right))?;
    if let Some(said) = said {
        let kind = said.kind.as_deref().unwrap_or("no kind");
        writeln!(out, "  judged {} ({})", said.label.name(), clean(kind))?;
    }
    let both = texts.map(|texts| (texts.get(&pair.left), texts.get(&pair.right)));
    if let Some((Some(left), Some(right))) = both {
        writeln!(out)?;
        // Nothing differs, so the beginning is shown: a judge must see what kind of text it
        // is.
        if left == right {
            writeln!(out, "the texts are equal; they begin:")?;
            let begin: String = left.chars().take(4 * style.width).collect();
            return writeln!(out, "{}", clean(&begin));
        }
        let diff = Diff::new(left, right, &DiffLimits::default());
        render_terminal(&diff, style, out.raw())?;
        writeln!(out)?;
    }
    Ok(())
}
