//! The bar on a terminal.
//!
//! One bar serves all stages of a job: its template changes with the stage, so the screen does not
//! scroll. It is drawn on standard error, and `indicatif` hides it by itself where that is no
//! terminal.

use super::status::Status;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// A bar on standard error. It is cleared when it goes.
pub(super) struct Bar {
    /// The drawing itself, which belongs to `indicatif`.
    bar: ProgressBar,
    /// The text behind the bar. It is drawn by a closure of the style, so it is shared.
    facts: Arc<Mutex<String>>,
    /// Stage and whether its total is known: the style is made again only when these change.
    shown: Option<(&'static str, bool)>,
}

impl Bar {
    /// None when standard error is no terminal, or one that cannot go back in a line.
    pub(super) fn on_terminal() -> Option<Self> {
        let target = ProgressDrawTarget::stderr();
        // Editors run commands in terminals that cannot move the cursor and say so by this name.
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_terminal = !target.is_hidden() && !is_dumb;
        is_terminal.then(|| Bar::on(target))
    }

    /// A bar that is drawn somewhere. Tests draw elsewhere than on standard error.
    fn on(target: ProgressDrawTarget) -> Self {
        Bar {
            bar: ProgressBar::with_draw_target(Some(0), target),
            facts: Arc::default(),
            shown: None,
        }
    }

    /// Draws the bar.
    ///
    /// Costs next to nothing when it is called more often than the screen is drawn: the library
    /// limits that itself.
    pub(super) fn show(&mut self, status: &Status) {
        let has_total = status.total > 0;
        if self.shown != Some((status.stage, has_total)) {
            self.shown = Some((status.stage, has_total));
            self.set_style(status.stage, has_total);
        }
        *self.facts.lock().unwrap_or_else(PoisonError::into_inner) = status.facts();
        // All at once: each change alone would be drawn, with the rest as it was before.
        self.bar.update(|state| {
            state.set_len(status.total);
            state.set_pos(status.done);
        });
    }

    /// Whether there is a bar to be seen.
    pub(super) fn is_drawn(&self) -> bool {
        self.shown.is_some()
    }

    /// Prints a line above the bar.
    pub(super) fn print_above(&self, line: &str) {
        self.bar.println(line);
    }

    /// Sets how the line looks: a bar only if there is a total to compare with.
    fn set_style(&self, stage: &str, has_total: bool) {
        // The facts have a fixed width, so that the bar keeps its own.
        let template = if has_total {
            format!("{stage:9} {{wide_bar}} {{facts:54}}")
        } else {
            format!("{stage:9} {{facts}}")
        };
        let facts = Arc::clone(&self.facts);
        let write_facts = move |_: &ProgressState, out: &mut dyn Write| {
            let facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
            // What takes the text is a string of the bar: it takes all.
            let _ = out.write_str(&facts);
        };
        if let Ok(style) = ProgressStyle::with_template(&template) {
            let style = style.with_key("facts", write_facts);
            self.bar.set_style(style.progress_chars("=> "));
        }
    }
}
