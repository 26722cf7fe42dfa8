//! Whether to use colours, and how wide a line is.
//!
//! Both are asked of standard output, where results go. Progress goes to standard error and decides
//! for itself.

use neardupe_core::error::{Error, Result};
use std::io::IsTerminal;

/// Columns where there is no terminal to ask.
const USUAL_WIDTH: usize = 100;

/// Whether standard output gets colours, by what was typed after `--color`.
///
/// A value that is none of the three is refused before anything is read.
pub(crate) fn color(typed: Option<&str>) -> Result<bool> {
    let is_set =
        |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match typed {
        Some("always") => Ok(true),
        Some("never") => Ok(false),
        None | Some("auto") => {
            let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
            // https://no-color.org: set and not empty. An explicit `--color always` is stronger, as for other programs.
            Ok(std::io::stdout().is_terminal() && !is_set("NO_COLOR") && !dumb)
        }
        Some(other) => {
            let message = format!("{other:?} is not one of auto, always, never");
            Err(Error::config("color", message))
        }
    }
}

/// Columns of standard output.
///
/// Never below 20, where tables would be one word wide, and never above 400, where a wrong
/// answer of a terminal would fill the screen with spaces.
pub(crate) fn width() -> usize {
    // First what was asked for, so that output can be made the same on every terminal, as in tests.
    let asked = std::env::var("COLUMNS").ok();
    let asked = asked.and_then(|columns| columns.parse::<usize>().ok());
    let terminal = || {
        let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(usize::from(width.0))
    };
    let width = asked.or_else(terminal).unwrap_or(USUAL_WIDTH);
    width.clamp(20, 400)
}
