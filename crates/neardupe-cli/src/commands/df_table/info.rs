//! `neardupe df-table info`: what a table holds.
//!
//! Nothing but the table itself is read. A table is refused by a job whose features were made
//! otherwise; the specification that is printed here is what both are compared by.

use super::super::job_args::{JobArgs, print_json};
use crate::terminal::{grouped, stdout, width};
use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::df_table::{DfInfoOutcome, DfInfoSpec, DfInfoSummary};
use std::io::Write;
use std::process::ExitCode;

/// What was typed after `df-table info`.
#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    job: JobArgs,

    /// Print it as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    spec: Typed<DfInfoSpec>,
}

/// Runs the command.
pub(super) fn run(args: &InfoArgs) -> Result<ExitCode> {
    let spec = args.job.spec(&args.spec)?;
    let name = spec.table.clone().unwrap_or_default();
    let Some(outcome) = args.job.run_of(spec, true, false)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = stdout();
    if args.json {
        print_json(out.raw(), &outcome.summary)?;
    } else {
        show(&mut out, &name, &outcome.summary)?;
        show_words(&mut out, &outcome)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what a table is made of, which decides where it can be used, and how its features are
/// distributed.
fn show(
    out: &mut impl Write,
    name: &str,
    summary: &DfInfoSummary,
) -> std::io::Result<()> {
    let (table, bands) = (&summary.table, &summary.histogram);
    let specification = &table.specification;
    let features = match table.entries {
        1 => "one feature".to_owned(),
        many => format!("{} features", grouped(many as u64)),
    };
    writeln!(
        out,
        "{}: how many of {} documents have each of {features}\n",
        clean(name),
        grouped(table.documents)
    )?;
    let unseen = match table.unseen {
        1 => "as in one document".to_owned(),
        many => format!("as in {} documents", grouped(u64::from(many))),
    };
    let mut lines = vec![
        ("identity", table.identity.clone()),
        ("features", specification.features.clone()),
        ("words", specification.word_rule.clone()),
        ("stop words", specification.stop_words.clone()),
        ("stem", specification.stem.clone()),
        ("unicode", specification.unicode.clone()),
        ("hash", specification.hash.clone()),
        ("seed", specification.seed.to_string()),
        ("others", format!("not in the table: taken {unseen}")),
    ];
    if table.uncertainty > 0 {
        let most = grouped(table.uncertainty);
        lines.push(("merged", format!("numbers may be too low by up to {most}")));
    }
    for (name, value) in lines {
        // The name stands before the first line of a wrapped value only.
        let mut name = name;
        for part in wrapped(&clean(&value), width().saturating_sub(14).max(20)) {
            writeln!(out, "  {name:<11} {part}")?;
            name = "";
        }
    }
    if bands.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n  in one document of          features")?;
    // Bands go down from frequent to rare features; each begins where the one before ends.
    let mut from = 1;
    for band in bands {
        let range = format!("{} to {}", grouped(from), grouped(band.one_in_at_most));
        writeln!(out, "  {range:<20} {:>15}", grouped(band.features))?;
        from = band.one_in_at_most;
    }
    Ok(())
}

/// A text in lines of at most so many characters, as far as its words allow.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut len = 0;
    for word in text.split(' ') {
        let word_len = word.chars().count();
        if len > 0 && len + 1 + word_len > most {
            lines.push(String::new());
            len = 0;
        }
        let line = lines.len() - 1;
        if len > 0 {
            lines[line].push(' ');
            len += 1;
        }
        lines[line].push_str(word);
        len += word_len;
    }
    lines
}

/// Prints the words that were asked for. The numbers are those that weights are made of.
fn show_words(out: &mut impl Write, outcome: &DfInfoOutcome) -> std::io::Result<()> {
    let summary = &outcome.summary;
    if summary.words.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n       documents  ln(N/df)  word")?;
    for (word, idf) in summary.words.iter().zip(&outcome.idfs) {
        let df = grouped(u64::from(word.df));
        let remark = if word.in_table {
            ""
        } else {
            " (not in the table)"
        };
        let label = clean(&word.word);
        writeln!(out, "  {df:>14}  {idf:>8.4}  {label}{remark}")?;
    }
    if summary.table.specification.stem != "none" {
        writeln!(out, "the table is of stems: type the stem of a word")?;
    }
    Ok(())
}
