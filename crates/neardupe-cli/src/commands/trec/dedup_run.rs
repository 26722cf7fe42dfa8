//! `neardupe trec dedup-run`: runs without later near-duplicates.

use super::inputs::{
    CommonArgs, LeastSimilarity, NearArgs, decimal, exit_code, has_similarities,
    near_facts,
};
use super::matching::Matching;
use super::notes::{bad_facts, near_note, run_facts, show_bad};
use crate::options::whole_number;
use crate::terminal::grouped;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::threshold::six_decimals;
use neardupe_core::trec::{
    DedupOptions, DedupTopic, RunTopic, SIMILARITY_ONE, dedup_topic,
};
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_jobs::numbers::{percent, plural};
use neardupe_jobs::trec::{
    Csv, Ids, NearFile, RunSet, WrittenTopic, in_parallel, read_runs, write_run,
};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `dedup-run`.
#[derive(Debug, Args)]
pub(crate) struct DedupRunArgs {
    /// Runs, or folders of them: topic Q0 document rank score tag
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Results a topic shall have; what stands below fills up for what is removed [default:
    /// all that stay]
    #[arg(long, value_name = "N")]
    depth: Option<String>,

    /// Least similarity of near-duplicates [default: 0.5, or the
    /// threshold of --result where that is higher]
    #[arg(long, short, value_name = "T")]
    threshold: Option<String>,

    /// Remove nothing; a seventh column has what a result is a later near-duplicate of, or -
    #[arg(long)]
    mark: bool,

    /// Folder for the runs, removed.csv and the summary; replaced only if it is of neardupe
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,

    #[command(flatten)]
    near: NearArgs,

    #[command(flatten)]
    common: CommonArgs,
}

/// Runs the command.
pub(super) fn run(args: &DedupRunArgs) -> Result<ExitCode> {
    args.near.check()?;
    let allowed = args.common.allowed()?;
    let least = LeastSimilarity::of(args.threshold.as_deref())?;
    let depth = match &args.depth {
        None => usize::MAX,
        Some(typed) => {
            usize::try_from(whole_number("--depth", typed, 1..=1_000_000_000)?)?
        }
    };
    if args.mark && args.depth.is_some() {
        let message =
            "removes nothing, so there is nothing to fill up; leave --depth out";
        return Err(Error::config("mark", message).into());
    }
    ResultFolder::check(&args.output, ResultKind::Trec)?;
    let (mut ids, mut bad) = (Ids::default(), args.common.bad_lines());
    let stages = args.common.stages()?;
    let threads = args.near.reading.threads();
    let set = read_runs(&args.runs, &mut ids, &mut bad, threads)?;
    let mut matching = Matching::new("runs", &ids)?;
    let output = Some(args.output.as_path());
    let near = args
        .near
        .read(least.millionths, &mut ids, &mut bad, &stages, output)?;
    drop(stages);
    let least = least.settled(&near)?;
    matching.near(&ids, &near, args.near.origin())?;
    let options = DedupOptions {
        threshold: least.millionths,
        depth,
    };
    let folder = ResultFolder::create(&args.output, ResultKind::Trec)?;
    let inner = folder.path().join("runs");
    std::fs::create_dir_all(&inner).map_err(|error| Error::io(&inner, error))?;
    let header = [
        "run",
        "topic",
        "document",
        "rank",
        "duplicate_of",
        "duplicate_of_rank",
        "similarity",
    ];
    let mut csv = Csv::create(folder.path(), "removed.csv", &header)?;
    let names = file_names(&set);
    let cleaning = Cleaning {
        set: &set,
        ids: &ids,
        near: &near,
        options,
        asked_depth: args.depth.is_some().then_some(depth),
        mark: args.mark,
    };
    let cleaned = in_parallel(threads, set.runs.len(), |at| {
        cleaning.clean(at, &inner.join(&names[at]))
    });
    let mut counts = Counts::default();
    for one in cleaned {
        let (own, removed) = one?;
        counts.sum(&own);
        for row in &removed {
            csv.row(row)?;
        }
    }
    csv.finish()?;
    bad.write(folder.path())?;
    let facts = run_facts(&set, &ids, None);
    let summary = json!({
        "program": "neardupe",
        "version": env!("CARGO_PKG_VERSION"),
        "command": "trec dedup-run",
        "options": {
            "inputs": args.runs,
            "depth": args.depth,
            "threshold": decimal(least.millionths),
            "mark": args.mark,
            "near-duplicates": args.near.options(),
        },
        "runs": facts.json,
        "notes": facts.notes,
        "removed": counts.removed,
        "written": counts.written,
        "below_depth": counts.below,
        "short_run_topics": counts.short,
        "near_duplicates": near_facts(&near),
        "matching": matching.json(),
        "bad": bad_facts(&bad),
        "files": names,
    });
    folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    let mut out = std::io::stdout().lock();
    if args.common.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.common.quiet {
        let results = counts.results;
        let what = match args.mark {
            true => "marked as later near-duplicates",
            false => "removed as later near-duplicates",
        };
        writeln!(
            out,
            "{}, {}; near-duplicates: {}",
            plural(set.runs.len() as u64, "run"),
            plural(facts.run_topics, "run-topic"),
            near_note(&near, &least)
        )?;
        matching.show(&mut out)?;
        writeln!(out)?;
        let mut line =
            |number: u64, what: &str| writeln!(out, "  {:>11}  {what}", grouped(number));
        line(results, "results")?;
        line(
            counts.removed,
            &format!("{what} ({})", percent(counts.removed, results)),
        )?;
        line(if args.mark { results } else { counts.written }, "written")?;
        if counts.below > 0 {
            line(counts.below, "below the depth, left out")?;
        }
        if counts.short > 0 {
            line(counts.short, "run-topics have fewer results than --depth")?;
        }
        for note in &facts.notes {
            writeln!(out, "\n{note}")?;
        }
        show_bad(&mut out, &bad, true)?;
        writeln!(out, "\nwritten to {}/runs", args.output.display())?;
    }
    Ok(exit_code(bad.len(), allowed))
}

/// What each run is cleaned with.
struct Cleaning<'a> {
    set: &'a RunSet,
    ids: &'a Ids,
    near: &'a NearFile,
    options: DedupOptions,
    asked_depth: Option<usize>,
    mark: bool,
}

impl Cleaning<'_> {
    /// Writes one run; what went, as rows of the table.
    fn clean(&self, at: usize, path: &Path) -> Result<(Counts, Vec<[String; 7]>), Error> {
        let (run, ids) = (&self.set.runs[at], self.ids);
        let measured = has_similarities(self.near);
        let (mut counts, mut removed) = (Counts::default(), Vec::new());
        let mut topics: Vec<WrittenTopic> = Vec::new();
        for topic in &run.topics {
            let clean = dedup_topic(topic, &self.near.near, &self.options);
            counts.add(topic, &clean, self.asked_depth);
            removed.extend(clean.removed.iter().map(|one| {
                let whole = u64::from(SIMILARITY_ONE);
                [
                    run.name.clone(),
                    ids.topics.text(topic.topic).to_owned(),
                    ids.documents.text(one.document).to_owned(),
                    one.rank.to_string(),
                    ids.documents.text(one.duplicate_of).to_owned(),
                    one.duplicate_of_rank.to_string(),
                    match measured {
                        false => String::new(),
                        true => six_decimals(u64::from(one.similarity), whole),
                    },
                ]
            }));
            topics.push(match self.mark {
                false => (topic.topic, clean.kept, None),
                true => {
                    let marks = marks(topic, &clean);
                    (topic.topic, topic.results.clone(), Some(marks))
                }
            });
        }
        write_run(path, &self.set.tags[at], &topics, ids)?;
        Ok((counts, removed))
    }
}

#[derive(Default)]
struct Counts {
    results: u64,
    removed: u64,
    written: u64,
    below: u64,
    short: u64,
}

impl Counts {
    fn sum(&mut self, other: &Counts) {
        self.results += other.results;
        self.removed += other.removed;
        self.written += other.written;
        self.below += other.below;
        self.short += other.short;
    }

    fn add(&mut self, topic: &RunTopic, clean: &DedupTopic, depth: Option<usize>) {
        let (all, kept, gone) =
            (topic.results.len(), clean.kept.len(), clean.removed.len());
        self.results += all as u64;
        self.removed += gone as u64;
        self.written += kept as u64;
        self.below += (all - kept - gone) as u64;
        self.short += u64::from(depth.is_some_and(|depth| kept < depth));
    }
}

fn marks(topic: &RunTopic, clean: &DedupTopic) -> Vec<Option<u32>> {
    let mut marks = vec![None; topic.results.len()];
    for one in &clean.removed {
        marks[one.rank - 1] = Some(one.duplicate_of);
    }
    marks
}

/// Names of files: those that were read, unpacked; a second one of a name is told apart.
fn file_names(set: &RunSet) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for path in &set.paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ending = [".gz", ".zst", ".bz2", ".lz4"];
        let name = ending
            .iter()
            .find_map(|it| name.strip_suffix(it))
            .unwrap_or(&name);
        let mut unique = name.to_owned();
        let mut number = 2;
        while names.contains(&unique) {
            unique = format!("{number}-{name}");
            number += 1;
        }
        names.push(unique);
    }
    names
}
