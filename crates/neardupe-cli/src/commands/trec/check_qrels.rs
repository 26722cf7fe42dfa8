//! `neardupe trec check-qrels`: groups whose documents were judged differently.

use super::inputs::{
    CommonArgs, LeastSimilarity, NearArgs, QrelsArgs, decimal, exit_code, near_facts,
};
use super::matching::Matching;
use super::notes::{bad_facts, near_note, qrels_facts, show_bad};
use crate::terminal::grouped;
use anyhow::Result;
use clap::Args;
use neardupe_core::trec::{Disagreement, inconsistent};
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_jobs::numbers::plural;
use neardupe_jobs::trec::{Csv, Ids, QrelsFile};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Groups that are printed; the table has all.
const SHOWN: usize = 10;

/// What was typed after `check-qrels`.
#[derive(Debug, Args)]
pub(crate) struct CheckQrelsArgs {
    /// Qrels: topic, iteration or subtopic, document, label; or prels
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,

    /// Least similarity of pairs; what they connect is a group [default: 0.5, or the
    /// threshold of --result where that is higher]
    #[arg(long, short, value_name = "T")]
    threshold: Option<String>,

    /// Folder for inconsistent.csv and the summary; replaced only if it is of neardupe
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    #[command(flatten)]
    format: QrelsArgs,

    #[command(flatten)]
    near: NearArgs,

    #[command(flatten)]
    common: CommonArgs,
}

/// Runs the command.
pub(super) fn run(args: &CheckQrelsArgs) -> Result<ExitCode> {
    args.near.check()?;
    let allowed = args.common.allowed()?;
    let least = LeastSimilarity::of(args.threshold.as_deref())?;
    if let Some(target) = &args.output {
        ResultFolder::check(target, ResultKind::Trec)?;
    }
    let (mut ids, mut bad) = (Ids::default(), args.common.bad_lines());
    let stages = args.common.stages()?;
    let file = args.format.read(&args.qrels, &mut ids, &mut bad)?;
    let mut matching = Matching::new("qrels", &ids)?;
    let output = args.output.as_deref();
    let near = args
        .near
        .read(least.millionths, &mut ids, &mut bad, &stages, output)?;
    drop(stages);
    let least = least.settled(&near)?;
    matching.near(&ids, &near, args.near.origin())?;
    let groups = near.near.groups(least.millionths);
    let (found, compared) = inconsistent(&file.qrels, &groups);
    let about_relevance = found.iter().filter(|one| one.about_relevance).count();
    let summary = json!({
        "program": "neardupe",
        "version": env!("CARGO_PKG_VERSION"),
        "command": "trec check-qrels",
        "options": {
            "inputs": [args.qrels.to_string_lossy()],
            "threshold": decimal(least.millionths),
            "near-duplicates": args.near.options(),
        },
        "inconsistent": found.len(),
        "inconsistent_about_relevance": about_relevance,
        "compared": compared,
        "qrels": qrels_facts(&file),
        "near_duplicates": near_facts(&near),
        "matching": matching.json(),
        "bad": bad_facts(&bad),
        "groups": found.iter().map(|one| shown(one, &file, &ids)).collect::<Vec<_>>(),
    });
    if let Some(target) = &args.output {
        let folder = ResultFolder::create(target, ResultKind::Trec)?;
        write(folder.path(), &found, &file, &ids)?;
        bad.write(folder.path())?;
        folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    }
    let mut out = std::io::stdout().lock();
    if args.common.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.common.quiet {
        writeln!(
            out,
            "{}: {} of {}\nnear-duplicates: {}",
            args.qrels.display(),
            plural(file.qrels.len() as u64, "judgment"),
            plural(file.qrels.topics.len() as u64, "topic"),
            near_note(&near, &least)
        )?;
        matching.show(&mut out)?;
        writeln!(out)?;
        writeln!(
            out,
            "  {:>9}  groups with two or more documents judged for a topic\n  {:>9}  of them with different labels\n  {:>9}  of them relevant and not relevant",
            grouped(compared),
            grouped(found.len() as u64),
            grouped(about_relevance as u64)
        )?;
        for one in found.iter().take(SHOWN) {
            let judged = one.judged.iter().take(4).map(|&(document, label)| {
                format!("{} {label}", ids.documents.text(document))
            });
            let more = one.judged.len().saturating_sub(4);
            let more = if more > 0 {
                format!(", {more} more")
            } else {
                String::new()
            };
            writeln!(
                out,
                "\n  topic {}: {}{more}",
                ids.topics.text(one.topic),
                judged.collect::<Vec<_>>().join(", ")
            )?;
        }
        if found.len() > SHOWN {
            let rest = found.len() - SHOWN;
            writeln!(
                out,
                "\n  and {} more; all: -o DIR or --json",
                grouped(rest as u64)
            )?;
        }
        show_bad(&mut out, &bad, args.output.is_some())?;
    }
    Ok(exit_code(bad.len(), allowed))
}

fn shown(one: &Disagreement, file: &QrelsFile, ids: &Ids) -> Value {
    let judged = one.judged.iter();
    let judged = judged.map(
        |&(document, label)| json!({"id": ids.documents.text(document), "label": label}),
    );
    let mut group = json!({
        "topic": ids.topics.text(one.topic),
        "about_relevance": one.about_relevance,
        "judged": judged.collect::<Vec<_>>(),
    });
    if file.qrels.is_diversity {
        group["subtopic"] = json!(file.subtopics.text(one.subtopic));
    }
    group
}

fn write(
    folder: &Path,
    found: &[Disagreement],
    file: &QrelsFile,
    ids: &Ids,
) -> Result<()> {
    let header = [
        "group",
        "topic",
        "subtopic",
        "document",
        "label",
        "about_relevance",
    ];
    let mut csv = Csv::create(folder, "inconsistent.csv", &header)?;
    for (number, one) in (1..).zip(found) {
        for &(document, label) in &one.judged {
            csv.row(&[
                &format!("{number}"),
                ids.topics.text(one.topic),
                file.subtopics.text(one.subtopic),
                ids.documents.text(document),
                &label.to_string(),
                &one.about_relevance.to_string(),
            ])?;
        }
    }
    Ok(csv.finish()?)
}
