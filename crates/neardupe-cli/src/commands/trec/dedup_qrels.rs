//! `neardupe trec dedup-qrels`: one document a group, or labels passed on within groups.

use super::inputs::{
    CommonArgs, LeastSimilarity, NearArgs, QrelsArgs, decimal, exit_code, near_facts,
};
use super::matching::Matching;
use super::notes::{bad_facts, near_note, qrels_facts, show_bad};
use crate::terminal::grouped;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::trec::{Judgment, drop_near, propagate};
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_jobs::trec::{Csv, Ids, QrelsFile, write_qrels};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `dedup-qrels`.
#[derive(Debug, Args)]
pub(crate) struct DedupQrelsArgs {
    /// Qrels: topic, iteration or subtopic, document, label; or prels
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,

    /// drop: of each group one document stays in a topic, the one with the highest label, of
    /// several the first. propagate: all documents of a group get its highest label, judged or
    /// not [default: drop]
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,

    /// Least similarity of pairs; what they connect is a group [default: 0.5, or the
    /// threshold of --result where that is higher]
    #[arg(long, short, value_name = "T")]
    threshold: Option<String>,

    /// Folder for qrels.txt, dropped.csv and the summary; replaced only if it is of neardupe
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,

    #[command(flatten)]
    format: QrelsArgs,

    #[command(flatten)]
    near: NearArgs,

    #[command(flatten)]
    common: CommonArgs,
}

/// Runs the command.
pub(super) fn run(args: &DedupQrelsArgs) -> Result<ExitCode> {
    args.near.check()?;
    let allowed = args.common.allowed()?;
    let least = LeastSimilarity::of(args.threshold.as_deref())?;
    let policy = args.policy.as_deref().unwrap_or("drop");
    let drops = match policy {
        "drop" => true,
        "propagate" => false,
        _ => {
            let message = format!("{policy:?} is not drop or propagate");
            return Err(Error::config("policy", message).into());
        }
    };
    ResultFolder::check(&args.output, ResultKind::Trec)?;
    let (mut ids, mut bad) = (Ids::default(), args.common.bad_lines());
    let stages = args.common.stages()?;
    let file = args.format.read(&args.qrels, &mut ids, &mut bad)?;
    let mut matching = Matching::new("qrels", &ids)?;
    let output = Some(args.output.as_path());
    let near = args
        .near
        .read(least.millionths, &mut ids, &mut bad, &stages, output)?;
    drop(stages);
    let least = least.settled(&near)?;
    matching.near(&ids, &near, args.near.origin())?;
    let groups = near.near.groups(least.millionths);
    let before = file.qrels.len() as u64;
    let folder = ResultFolder::create(&args.output, ResultKind::Trec)?;
    let path = folder.path().join("qrels.txt");
    let (written, facts, told) = match drops {
        true => {
            let (clean, dropped) = drop_near(&file.qrels, &groups);
            write_dropped(folder.path(), &dropped, &file, &ids)?;
            let gone = dropped.len() as u64;
            let mut told =
                format!("{:>9}  judgments of near-duplicates dropped", grouped(gone));
            let taken = clean.len() as u64 + gone - before;
            if taken > 0 {
                told += &format!(
                    "\n  {:>9}  of their labels taken over, for other subtopics",
                    grouped(taken)
                );
            }
            (clean, json!({ "dropped": gone }), told)
        }
        false => {
            let (all, did) = propagate(&file.qrels, &groups);
            let told = format!(
                "{:>9}  labels raised\n  {:>9}  judgments added",
                grouped(did.raised),
                grouped(did.added)
            );
            (
                all,
                json!({ "raised": did.raised, "added": did.added }),
                told,
            )
        }
    };
    write_qrels(&path, &written, &file, &ids)?;
    bad.write(folder.path())?;
    let after = written.len() as u64;
    let summary = json!({
        "program": "neardupe",
        "version": env!("CARGO_PKG_VERSION"),
        "command": "trec dedup-qrels",
        "options": {
            "inputs": [args.qrels.to_string_lossy()],
            "policy": policy,
            "threshold": decimal(least.millionths),
            "near-duplicates": args.near.options(),
        },
        "judgments_before": before,
        "judgments_after": after,
        "changes": facts,
        "qrels": qrels_facts(&file),
        "near_duplicates": near_facts(&near),
        "matching": matching.json(),
        "bad": bad_facts(&bad),
    });
    folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    let mut out = std::io::stdout().lock();
    if args.common.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.common.quiet {
        writeln!(out, "near-duplicates: {}", near_note(&near, &least))?;
        matching.show(&mut out)?;
        writeln!(
            out,
            "\n  {:>9}  judgments before\n  {told}\n  {:>9}  judgments after",
            grouped(before),
            grouped(after)
        )?;
        show_bad(&mut out, &bad, true)?;
        writeln!(out, "\nwritten to {}/qrels.txt", args.output.display())?;
    }
    Ok(exit_code(bad.len(), allowed))
}

fn write_dropped(
    folder: &Path,
    dropped: &[(u32, Judgment)],
    file: &QrelsFile,
    ids: &Ids,
) -> Result<()> {
    let header = ["topic", "subtopic", "document", "label", "kept"];
    let mut csv = Csv::create(folder, "dropped.csv", &header)?;
    for (kept, one) in dropped {
        csv.row(&[
            ids.topics.text(one.topic),
            file.subtopics.text(one.subtopic),
            ids.documents.text(one.document),
            &one.label.to_string(),
            ids.documents.text(*kept),
        ])?;
    }
    Ok(csv.finish()?)
}
