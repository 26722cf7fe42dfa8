//! `neardupe compare`: two documents, every similarity of theirs, and how they differ.
//!
//! The job gives both texts, their features and where they differ; only color and width are decided
//! here. `--html` writes the same difference as a page. A comparison leaves no result folder, and
//! no bad record can leave one of the two documents out: a document that cannot be read is an
//! error.

mod show;

use super::job_args::{JobArgs, print_json};
use crate::terminal::{Visible, color, width};
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::diff::{Diff, TerminalStyle, render_terminal};
use neardupe_jobs::kind::compare::{CompareSpec, DifferenceShown};
use std::io::{BufWriter, Write};
use std::process::ExitCode;

/// What was typed after `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    job: JobArgs,

    #[command(flatten)]
    color: ColorArgs,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    spec: Typed<CompareSpec>,
}

/// Whether differences are coloured.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct ColorArgs {
    /// auto, always, never [default: auto: on a terminal, unless NO_COLOR is set]
    #[arg(long, value_name = "WHEN", help_heading = "Differences")]
    color: Option<String>,
}

impl ColorArgs {
    /// Before anything is read: what was typed must be right.
    pub(crate) fn check(&self) -> Result<()> {
        color(self.color.as_deref())?;
        Ok(())
    }

    /// Prints how two texts differ.
    pub(crate) fn print(
        &self,
        diff: &Diff<'_>,
        shown: &DifferenceShown,
        out: &mut Visible<impl Write>,
    ) -> Result<()> {
        // Colors and width are of this terminal; how a difference is found is not.
        let style = TerminalStyle {
            color: color(self.color.as_deref())?,
            width: width(),
            context: shown.context,
            ..TerminalStyle::default()
        };
        Ok(render_terminal(diff, &style, out.raw())?)
    }
}

/// Runs the command.
pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode> {
    args.color.check()?;
    let Some(outcome) = args.job.run(&args.spec, args.json)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let (facts, shown) = (&outcome.facts, &outcome.shown);
    let mut out = Visible(BufWriter::new(std::io::stdout().lock()));
    if args.json {
        print_json(out.raw(), &outcome.summary)?;
    } else {
        show::show(&mut out, &outcome)?;
        if !shown.no_text {
            writeln!(out)?;
            let difference = &outcome.difference;
            let diff = difference.of(&facts.left.text, &facts.right.text);
            args.color.print(&diff, shown, &mut out)?;
        }
        if let Some(path) = &shown.html {
            writeln!(out, "\nboth texts side by side: {}", path.display())?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
