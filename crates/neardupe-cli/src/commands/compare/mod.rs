//! `neardupe compare`: two documents, every similarity of theirs, and how they differ.

pub(crate) mod facts;
pub(crate) mod named;
mod show;

use super::find::{ReadingArgs, print_warnings};
use crate::interrupt;
use crate::terminal::{Stages, color, width};
use anyhow::Result;
use clap::Args;
use facts::Facts;
use named::Named;
use neardupe_core::error::Error;
use neardupe_jobs::diff::{
    Diff, Limits, PAGE_START, Page, TerminalStyle, render_html, render_terminal,
};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// A file of one document, - for standard input, or INPUT#ID: a document by its id in a
    /// file, folder or glob
    #[arg(value_name = "A")]
    left: String,

    /// The other document, named in the same way
    #[arg(value_name = "B")]
    right: String,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    shown: DiffArgs,

    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

/// How differences are shown.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct DiffArgs {
    /// Also write a page that shows both texts side by side
    #[arg(long, value_name = "FILE", help_heading = "Differences")]
    pub(crate) html: Option<PathBuf>,

    /// Print no text
    #[arg(long, help_heading = "Differences")]
    pub(crate) no_text: bool,

    /// Equal words shown before and after a difference [default: 12]
    #[arg(long, value_name = "N", help_heading = "Differences")]
    pub(crate) context: Option<usize>,

    /// auto, always, never [default: auto: on a terminal, unless NO_COLOR is set]
    #[arg(long, value_name = "WHEN", help_heading = "Differences")]
    pub(crate) color: Option<String>,
}

const CONTEXT: usize = 12;

impl DiffArgs {
    /// Prints how two texts differ.
    pub(crate) fn print(&self, diff: &Diff<'_>, out: &mut impl Write) -> Result<()> {
        let style = TerminalStyle {
            color: color(self.color.as_deref())?,
            width: width(),
            context: self.context.unwrap_or(CONTEXT),
            ..TerminalStyle::default()
        };
        Ok(render_terminal(diff, &style, out)?)
    }

    /// Writes the page, if one was asked for.
    pub(crate) fn write_page(&self, diff: &Diff<'_>, mut page: Page) -> Result<()> {
        let Some(path) = &self.html else {
            return Ok(());
        };
        page.context = self.context.unwrap_or(CONTEXT);
        let write = || {
            let mut out = BufWriter::new(File::create(path)?);
            render_html(diff, &page, &mut out)?;
            out.flush()
        };
        write().map_err(|error| Error::io(path, error).into())
    }

    /// Before anything is read: what was typed must be right.
    pub(crate) fn check(&self) -> Result<()> {
        color(self.color.as_deref())?;
        let folder = self.html.as_deref().and_then(Path::parent);
        if let Some(path) = &self.html
            && path.exists()
            && !is_page_of_ours(path)
        {
            let message = format!(
                "{} is there already, and is no page of neardupe; it is not replaced",
                path.display()
            );
            return Err(Error::config("html", message).into());
        }
        match folder.filter(|folder| !folder.as_os_str().is_empty()) {
            Some(folder) if !folder.is_dir() => {
                let message = format!("there is no folder {}", folder.display());
                Err(Error::config("html", message).into())
            }
            _ => Ok(()),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode> {
    args.shown.check()?;
    let job = args.reading.job(&[], None)?;
    job.check_antecedents()?;
    let (left, right) = (Named::parse(&args.left)?, Named::parse(&args.right)?);
    let stages = Stages::new(args.json).stopped_by(interrupt::install()?);
    let (left, right) = named::fetch_two(&left, &right, &job, &stages)?;
    drop(stages);
    let facts = Facts::new(&left, &right, &job.config);
    let diff = Diff::new(&left.text, &right.text, &Limits::default());
    let page = facts.page(&args.left, &args.right);
    args.shown.write_page(&diff, page)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    if args.json {
        let json = facts.json(&diff, !args.shown.no_text);
        writeln!(out, "{}", serde_json::to_string_pretty(&json)?)?;
    } else {
        show::show(&mut out, &facts, &diff, (&args.left, &args.right))?;
        if !args.shown.no_text {
            writeln!(out)?;
            args.shown.print(&diff, &mut out)?;
        }
        if let Some(path) = &args.shown.html {
            writeln!(out, "\nboth texts side by side: {}", path.display())?;
        }
    }
    out.flush()?;
    print_warnings(&args.reading.idle(&job))?;
    print_warnings(&job.idle_hashes())?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a file is a page that may be replaced by a new one.
fn is_page_of_ours(path: &Path) -> bool {
    let mut start = vec![0; PAGE_START.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == PAGE_START.as_bytes()
}
