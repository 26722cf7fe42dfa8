//! `neardupe trec sources`: why the near-duplicates that runs return together are
//! near-duplicates.

use super::inputs::{CommonArgs, exit_code};
use super::matching::Matching;
use super::notes::{bad_facts, run_facts, show_bad};
use crate::commands::sources::originals;
use crate::options::whole_number;
use crate::terminal::grouped;
use anyhow::Result;
use clap::Args;
use neardupe_core::trec::Together;
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::result::ResultReader;
use neardupe_jobs::causes::{Options, Sorted, sort};
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::stored;
use neardupe_jobs::numbers::percent;
use neardupe_jobs::trec::{Csv, Ids, read_runs};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// What was typed after `sources`.
#[derive(Debug, Args)]
#[command(
    after_help = "Kinds are those of `neardupe sources`; docs/sources.md says by what limits."
)]
pub(crate) struct TrecSourcesArgs {
    /// Runs, or folders of them: topic Q0 document rank score tag
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Folder that `find` or `dedup` wrote; one with --pairs all tells of all pairs, others of
    /// duplicates with what is kept in their place
    #[arg(long, value_name = "DIR")]
    result: PathBuf,

    /// How many of the first results of a run-topic are looked at [default: 1000]
    #[arg(long, value_name = "N")]
    depth: Option<String>,

    /// Pairs whose texts are compared, at most; 0 for none. Others are estimated from them
    #[arg(long, value_name = "N", default_value = "10000")]
    sample: String,

    /// Where the documents are now [default: the inputs of the result]
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    input: Vec<String>,

    /// Folder for the kind of each pair and the summary; replaced only if it is of neardupe
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Number of threads [default: all cores]; nothing depends on it
    #[arg(long, value_name = "N")]
    threads: Option<String>,

    #[command(flatten)]
    common: CommonArgs,
}

/// Runs the command.
pub(super) fn run(args: &TrecSourcesArgs) -> Result<ExitCode> {
    let allowed = args.common.allowed()?;
    let sample = whole_number("--sample", &args.sample, 0..=10_000_000)?;
    let depth = args.depth.as_deref().unwrap_or("1000");
    let depth = usize::try_from(whole_number("--depth", depth, 1..=1_000_000_000)?)?;
    let result = ResultReader::open(&args.result)?;
    let job = stored::job(&result, None)?;
    let threads = match &args.threads {
        None => job.config.threads,
        Some(typed) => usize::try_from(whole_number("--threads", typed, 1..=1024)?)?,
    };
    if let Some(target) = &args.output {
        ResultFolder::check(target, ResultKind::Trec)?;
    }
    let (mut ids, mut bad) = (Ids::default(), args.common.bad_lines());
    let set = read_runs(&args.runs, &mut ids, &mut bad, threads)?;
    let mut matching = Matching::new("runs", &ids)?;
    let together = Together::new(&set.runs, depth);
    let is_together = |left: &str, right: &str| {
        let known = |id: &str| ids.documents.known(id);
        match (known(left), known(right)) {
            (Some(left), Some(right)) => together.count(left, right),
            _ => 0,
        }
    };
    let met = Mutex::new(Met::default());
    let only = |left: &str, right: &str| {
        let mut met = met.lock().unwrap_or_else(PoisonError::into_inner);
        met.see(left, &ids);
        met.see(right, &ids);
        is_together(left, right) > 0
    };
    let options = Options {
        sample: usize::try_from(sample)?,
        threads,
        only: Some(&only),
    };
    let originals = originals::open(&result, &args.input, &job.read)?;
    let stages = args.common.stages()?;
    let folder = match &args.output {
        None => None,
        Some(target) => Some(ResultFolder::create(target, ResultKind::Trec)?),
    };
    let csv = match &folder {
        None => None,
        Some(folder) => {
            let header = ["left", "right", "run_topics", "kind", "reason"];
            Some(Csv::create(folder.path(), "sources.csv", &header)?)
        }
    };
    let csv = RefCell::new(csv);
    let originals = originals.as_ref().map_err(Clone::clone);
    let sorted = sort(&result, originals, &options, &stages, |row| {
        let (kind, reason) = match row.verdict {
            None => ("not-looked-at", ""),
            Some(verdict) => (verdict.kind.name(), verdict.reason.as_str()),
        };
        match csv.borrow_mut().as_mut() {
            None => Ok(()),
            Some(csv) => {
                let times = is_together(row.left, row.right).to_string();
                csv.row(&[row.left, row.right, &times, kind, reason])
            }
        }
    })?;
    drop(stages);
    {
        let met = met.lock().unwrap_or_else(PoisonError::into_inner);
        matching.pairs(&ids, &met.numbers, &met.others, &args.result)?;
    }
    let facts = run_facts(&set, &ids, None);
    let summary = json!({
        "program": "neardupe",
        "version": env!("CARGO_PKG_VERSION"),
        "command": "trec sources",
        "options": {
            "inputs": args.runs,
            "result": args.result,
            "depth": depth,
            "sample": sample,
        },
        "runs": facts.json,
        "notes": facts.notes,
        "matching": matching.json(),
        "of": if sorted.of_all_pairs { "pairs" } else { "duplicates" },
        "pairs": sorted.pairs,
        "compared": sorted.compared,
        "not_looked_at": sorted.not_looked_at,
        "kinds": kinds_json(&sorted),
        "originals_gone": sorted.gone,
        "bad": bad_facts(&bad),
    });
    if let Some(folder) = folder {
        if let Some(csv) = csv.into_inner() {
            csv.finish()?;
        }
        bad.write(folder.path())?;
        folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    }
    let mut out = std::io::stdout().lock();
    if args.common.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.common.quiet {
        show(&mut out, args, depth, &sorted, &matching)?;
        for note in &facts.notes {
            writeln!(out, "\n{note}")?;
        }
        show_bad(&mut out, &bad, args.output.is_some())?;
    }
    Ok(exit_code(bad.len(), allowed))
}

/// Ids of a result: those that runs have, and a few others.
#[derive(Default)]
struct Met {
    numbers: BTreeSet<u32>,
    others: BTreeSet<String>,
}

impl Met {
    fn see(&mut self, id: &str, ids: &Ids) {
        match ids.documents.known(id) {
            Some(number) => {
                self.numbers.insert(number);
            }
            None if self.others.len() < 4 => {
                self.others.insert(id.to_owned());
            }
            None => {}
        }
    }
}

fn kinds_json(sorted: &Sorted) -> Value {
    let kinds = sorted.kinds.iter().map(|kind| {
        json!({
            "kind": kind.kind.name(),
            "meaning": kind.kind.meaning(),
            "pairs": kind.pairs,
            "seen": kind.seen,
            "example": kind.example.as_ref().map(|one| {
                json!({ "left": one.left, "right": one.right, "reason": one.reason })
            }),
        })
    });
    Value::Array(kinds.collect())
}

fn show(
    out: &mut impl Write,
    args: &TrecSourcesArgs,
    depth: usize,
    sorted: &Sorted,
    matching: &Matching,
) -> Result<()> {
    let what = match sorted.of_all_pairs {
        true => "pairs",
        false => "duplicates with what is kept in their place",
    };
    writeln!(
        out,
        "{}: {} {what} stand together among the first {depth} results of a run-topic",
        args.result.display(),
        grouped(sorted.pairs)
    )?;
    matching.show(out)?;
    writeln!(out)?;
    for kind in &sorted.kinds {
        let about = if kind.pairs == kind.seen { "" } else { "~" };
        writeln!(
            out,
            "  {:<10} {:>10}  {:>8}  {}",
            kind.kind.name(),
            format!("{about}{}", grouped(kind.pairs)),
            percent(kind.pairs, sorted.pairs),
            kind.kind.meaning()
        )?;
        if let Some(one) = &kind.example {
            writeln!(
                out,
                "      {} and {}: {}",
                clean(&one.left),
                clean(&one.right),
                clean(&one.reason)
            )?;
        }
    }
    if sorted.not_looked_at > 0 {
        let left = grouped(sorted.not_looked_at);
        writeln!(
            out,
            "\n{left} pairs were not looked at; numbers with ~ are estimates; --sample N \
             compares more"
        )?;
    }
    if let Some(gone) = &sorted.gone {
        writeln!(
            out,
            "\nthe documents cannot be read again: {}; --input names them",
            clean(gone)
        )?;
    }
    if let Some(target) = &args.output {
        writeln!(
            out,
            "\nthe kind of each pair: {}/sources.csv",
            target.display()
        )?;
    }
    Ok(())
}
