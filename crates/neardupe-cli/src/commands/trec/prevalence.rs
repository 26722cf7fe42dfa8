//! `neardupe trec prevalence`: near-duplicates among the results of runs.

use super::inputs::{
    CommonArgs, LeastSimilarity, NearArgs, QrelsArgs, check_known, check_measured,
    exit_code, has_similarities, millionths, near_facts,
};
use super::matching::Matching;
use super::notes::{bad_facts, near_note, qrels_facts, run_facts, show_ending};
use crate::options::whole_number;
use crate::terminal::grouped;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::trec::{
    Count, PrevalenceConfig, QrelsTopic, Run, SHARE_ROWS, SIMILARITY_ONE, SetCounts,
    ShareTable, prevalence, set_prevalence, topic_order, with_threads,
};
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_jobs::numbers::{percent, plural};
use neardupe_jobs::trec::{
    Ids, PrevalenceTables, prevalence_page, read_runs, read_topics, write_prevalence,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was typed after `prevalence`.
#[derive(Debug, Args)]
pub(crate) struct PrevalenceArgs {
    /// Runs, or folders of them: topic Q0 document rank score tag
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Qrels, for near-duplicates among relevant documents
    #[arg(long, value_name = "FILE")]
    qrels: Option<PathBuf>,

    /// Topics, for their titles, and to tell which are unknown
    #[arg(long, value_name = "FILE")]
    topics: Option<PathBuf>,

    /// How many of the first results are looked at [default: 10,20,50,100,200,500]
    #[arg(long, value_name = "LIST")]
    depths: Option<String>,

    /// Least resemblances [default: 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9; from where pairs are
    /// known]
    #[arg(long, value_name = "LIST")]
    thresholds: Option<String>,

    /// Least resemblance of the table of shares [default: 0.5, or the threshold of --result where
    /// that is higher]
    #[arg(long, short, value_name = "T")]
    threshold: Option<String>,

    /// Which result of a near-duplicate pair counts: earlier (one with a near-duplicate at an
    /// earlier rank) or involved (both) [default: earlier]
    #[arg(long, value_name = "WHICH")]
    count: Option<String>,

    /// Table of shares as the thesis has it: shares of n are rounded down to whole documents
    #[arg(long)]
    as_published: bool,

    /// Folder for tables, figures and the page; replaced only if it is of neardupe
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    #[command(flatten)]
    format: QrelsArgs,

    #[command(flatten)]
    near: NearArgs,

    #[command(flatten)]
    common: CommonArgs,
}

struct Asked {
    depths: Vec<usize>,
    thresholds: Vec<u32>,
    least: LeastSimilarity,
    count: Count,
}

impl Asked {
    fn of(args: &PrevalenceArgs) -> Result<Self> {
        let typed = args.depths.as_deref().unwrap_or("10,20,50,100,200,500");
        let mut depths = Vec::new();
        for one in typed.split(',') {
            let depth = whole_number("--depths", one.trim(), 1..=1_000_000_000)?;
            depths.push(usize::try_from(depth)?);
        }
        depths.sort_unstable();
        depths.dedup();
        let typed = args.thresholds.as_deref();
        let typed = typed.unwrap_or("0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9");
        let mut thresholds = Vec::new();
        for one in typed.split(',') {
            thresholds.push(millionths("--thresholds", one.trim())?);
        }
        let least = LeastSimilarity::of(args.threshold.as_deref())?;
        thresholds.sort_unstable();
        let count = match args.count.as_deref() {
            None | Some("earlier") => Count::Earlier,
            Some("involved") => Count::Involved,
            Some(other) => {
                let message = format!("{other:?} is not earlier or involved");
                return Err(Error::config("count", message).into());
            }
        };
        Ok(Asked {
            depths,
            thresholds,
            least,
            count,
        })
    }
}

/// Documents of all runs by topic, topics in their order.
fn unions(runs: &[Run], ids: &Ids) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut sets: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for topic in runs.iter().flat_map(|run| &run.topics) {
        let set = sets.entry(topic.topic).or_default();
        set.extend(topic.results.iter().map(|result| result.document));
    }
    let mut topics: Vec<(u32, Vec<u32>)> = sets.into_iter().collect();
    topics
        .sort_by(|one, two| topic_order(ids.topics.text(one.0), ids.topics.text(two.0)));
    for (_, set) in &mut topics {
        set.sort_unstable();
        set.dedup();
    }
    topics.into_iter().unzip()
}

/// Runs the command.
pub(super) fn run(args: &PrevalenceArgs) -> Result<ExitCode> {
    args.near.check()?;
    if args.qrels.is_none() {
        args.format.check_unread()?;
    }
    let allowed = args.common.allowed()?;
    let mut asked = Asked::of(args)?;
    let threads = args.near.reading.threads();
    if let Some(target) = &args.output {
        ResultFolder::check(target, ResultKind::Trec)?;
    }
    let (mut ids, mut bad) = (Ids::default(), args.common.bad_lines());
    let stages = args.common.stages()?;
    let set = read_runs(&args.runs, &mut ids, &mut bad, threads)?;
    let mut matching = Matching::new("runs", &ids)?;
    let qrels = match &args.qrels {
        None => None,
        Some(path) => {
            let file = args.format.read(path, &mut ids, &mut bad)?;
            matching.qrels(&ids, &set, &file, path)?;
            Some(file)
        }
    };
    let titles = match &args.topics {
        None => Vec::new(),
        Some(path) => {
            let titles = read_topics(path, &mut bad)?;
            let topics: Vec<u32> = titles
                .iter()
                .map(|one| ids.topics.number(&one.id))
                .collect();
            matching.topics(&ids, &set, topics.into_iter(), "topics file", path)?;
            titles
        }
    };
    let output = args.output.as_deref();
    let lowest = asked.thresholds[0].min(asked.least.millionths);
    let near = args
        .near
        .read(lowest, &mut ids, &mut bad, &stages, output)?;
    drop(stages);
    matching.near(&ids, &near, args.near.origin())?;
    let measured = has_similarities(&near);
    if args.thresholds.is_some() {
        check_measured("--thresholds", &near)?;
    }
    if !measured {
        asked.least = asked.least.settled(&near)?;
        asked.thresholds = vec![SIMILARITY_ONE];
    } else {
        asked.least = asked.least.settled(&near)?;
        if args.thresholds.is_some() {
            check_known("--thresholds", asked.thresholds[0], &near)?;
        }
        asked.thresholds.push(asked.least.millionths);
        asked.thresholds.retain(|&one| one >= near.known_from);
        asked.thresholds.sort_unstable();
        asked.thresholds.dedup();
    }
    let chosen = asked
        .thresholds
        .iter()
        .position(|&one| one == asked.least.millionths);
    let chosen = chosen.unwrap_or(0);
    let config = PrevalenceConfig {
        depths: asked.depths.clone(),
        thresholds: asked.thresholds.clone(),
        count: asked.count,
    };
    let (topics, sets) = unions(&set.runs, &ids);
    let relevant_sets = qrels.as_ref().map(|file| {
        let mut sets = vec![file.qrels.relevant()];
        sets.extend(file.qrels.topics.iter().map(QrelsTopic::relevant));
        sets
    });
    let counted = with_threads(threads, || {
        let counts = prevalence(&set.runs, &near.near, &config);
        let of = |sets: &[Vec<u32>]| set_prevalence(sets, &near.near, &config.thresholds);
        (counts, of(&sets), relevant_sets.as_deref().map(of))
    })?;
    let (run_topics, unions, relevant) = counted;
    let shares = ShareTable::new(&run_topics, &asked.depths, chosen, args.as_published);
    let unions: Vec<(u32, SetCounts)> = topics.into_iter().zip(unions).collect();
    let relevant = relevant.zip(qrels.as_ref()).map(|(mut counts, file)| {
        let all = counts.remove(0);
        let topics = file.qrels.topics.iter().map(|topic| topic.topic);
        (all, topics.zip(counts).collect::<Vec<_>>())
    });
    let known = match (&qrels, titles.is_empty()) {
        (_, false) => {
            let all = titles.iter().map(|one| ids.topics.number(&one.id));
            Some((all.collect(), "the topics file"))
        }
        (Some(file), true) => {
            let all = file.qrels.topics.iter().map(|topic| topic.topic);
            Some((all.collect(), "the qrels"))
        }
        (None, true) => None,
    };
    let facts = run_facts(&set, &ids, known);
    let tables = PrevalenceTables {
        ids: &ids,
        runs: &set.runs,
        titles: &titles,
        depths: &asked.depths,
        thresholds: measured.then_some(asked.thresholds.as_slice()),
        chosen,
        run_topics: &run_topics,
        shares: &shares,
        topics: &unions,
        relevant: relevant.as_ref(),
    };
    let notes = [matching.lines.as_slice(), &facts.notes].concat();
    let findings = findings(&tables, &asked, &near_note(&near, &asked.least), &notes);
    let mut summary = json!({
        "program": "neardupe",
        "version": env!("CARGO_PKG_VERSION"),
        "command": "trec prevalence",
        "options": {
            "inputs": args.runs,
            "qrels": args.qrels,
            "topics": args.topics,
            "depths": asked.depths,
            "threshold": tables.names()[chosen],
            "thresholds": tables.names(),
            "count": match asked.count {
                Count::Earlier => "earlier",
                Count::Involved => "involved",
            },
            "as-published": args.as_published,
            "near-duplicates": args.near.options(),
        },
        "runs": facts.json,
        "notes": facts.notes,
        "qrels": qrels.as_ref().map(qrels_facts),
        "near_duplicates": near_facts(&near),
        "matching": matching.json(),
        "bad": bad_facts(&bad),
        "prevalence": prevalence_json(&tables),
    });
    summary["shares"] = shares_json(&tables);
    if let Some(target) = &args.output {
        let folder = ResultFolder::create(target, ResultKind::Trec)?;
        write_prevalence(folder.path(), &tables)?;
        bad.write(folder.path())?;
        prevalence_page(folder.path(), &tables, &summary, findings)?;
        folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    }
    let mut out = std::io::stdout().lock();
    if args.common.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.common.quiet {
        show(
            &mut out,
            &tables,
            &asked,
            &near_note(&near, &asked.least),
            &matching,
        )?;
        show_ending(&mut out, &facts.notes, &bad, args.output.as_deref())?;
    }
    Ok(exit_code(bad.len(), allowed))
}

fn prevalence_json(tables: &PrevalenceTables<'_>) -> Value {
    let mut rows = Vec::new();
    for (at, depth) in tables.depths.iter().enumerate() {
        for (place, name) in tables.names().into_iter().enumerate() {
            let (found, results) = tables.total(at, place);
            rows.push(json!({
                "depth": depth,
                "threshold": name,
                "results": results,
                "near_duplicates": found,
            }));
        }
    }
    let names = tables.names();
    let means = names.iter().enumerate();
    let means: BTreeMap<&String, Option<f64>> = means
        .map(|(at, name)| (name, tables.mean_of_topics(at)))
        .collect();
    let of_set = |counts: &SetCounts| {
        let by_name: BTreeMap<&String, &u32> = names.iter().zip(&counts.counts).collect();
        json!({ "documents": counts.documents, "near_duplicates": by_name })
    };
    json!({
        "run_topics": rows,
        "mean_of_topic_collections": means,
        "relevant": tables.relevant.map(|(all, _)| of_set(all)),
    })
}

fn shares_json(tables: &PrevalenceTables<'_>) -> Value {
    let rows = SHARE_ROWS.iter().zip(&tables.shares.cells);
    let rows: Vec<Value> = rows
        .map(|(share, cells)| json!({ "percent": share, "run_topics": cells }))
        .collect();
    json!({ "of": tables.shares.run_topics, "depths": tables.depths, "rows": rows })
}

/// What came out, in sentences.
fn findings(
    tables: &PrevalenceTables<'_>,
    asked: &Asked,
    near: &str,
    notes: &[String],
) -> Vec<String> {
    let topics: BTreeSet<u32> = tables.run_topics.iter().map(|one| one.topic).collect();
    let mut findings = vec![format!(
        "{}, {}, {}. Near-duplicates: {near}.",
        plural(tables.runs.len() as u64, "run"),
        plural(topics.len() as u64, "topic"),
        plural(tables.run_topics.len() as u64, "run-topic")
    )];
    let rule = match asked.count {
        Count::Earlier => {
            "A result counts when a near-duplicate stands at an earlier rank."
        }
        Count::Involved => "Both results of a near-duplicate pair count.",
    };
    findings.push(rule.to_owned());
    for (at, depth) in tables.depths.iter().enumerate() {
        let (found, results) = tables.total(at, tables.chosen);
        findings.push(format!(
            "Among the first {depth} results {} are near-duplicates{}.",
            percent(found, results),
            threshold_name(tables)
        ));
    }
    if let Some((all, _)) = tables.relevant {
        let count = u64::from(all.counts[tables.chosen]);
        findings.push(format!(
            "Of {} relevant documents {} have a near-duplicate among them ({}){}.",
            grouped(all.documents as u64),
            grouped(count),
            percent(count, all.documents as u64),
            threshold_name(tables)
        ));
    }
    findings.extend(notes.iter().cloned());
    findings
}

fn threshold_name(tables: &PrevalenceTables<'_>) -> String {
    match tables.thresholds {
        None => String::new(),
        Some(_) => format!(" (resemblance >= {})", tables.names()[tables.chosen]),
    }
}

fn show(
    out: &mut impl Write,
    tables: &PrevalenceTables<'_>,
    asked: &Asked,
    near: &str,
    matching: &Matching,
) -> Result<()> {
    let lines = findings(tables, asked, near, &[]);
    for line in lines.iter().take(2) {
        writeln!(out, "{line}")?;
    }
    matching.show(out)?;
    let head = |out: &mut dyn Write, what: &str| {
        let depths = tables
            .depths
            .iter()
            .map(|depth| format!("{:>8}", format!("n={depth}")));
        writeln!(out, "\n{what}\n  {:<6}{}", "", depths.collect::<String>())
    };
    head(
        out,
        "near-duplicates among the first n results, in %, by resemblance",
    )?;
    for (place, name) in tables.names().iter().enumerate() {
        let cells = (0..tables.depths.len()).map(|at| {
            let (found, results) = tables.total(at, place);
            format!("{:>8.2}", found as f64 * 100.0 / results.max(1) as f64)
        });
        writeln!(out, "  {name:<6}{}", cells.collect::<String>())?;
    }
    let title = format!(
        "run-topics with at least this share of near-duplicates{}, in %",
        threshold_name(tables)
    );
    head(out, &title)?;
    let all = tables.shares.run_topics.max(1) as f64;
    for (share, cells) in SHARE_ROWS.iter().zip(&tables.shares.cells) {
        let cells = cells.iter().map(|cell| match cell {
            None => format!("{:>8}", "-"),
            Some(cell) => format!("{:>8.2}", *cell as f64 * 100.0 / all),
        });
        writeln!(
            out,
            "  {:<6}{}",
            format!("{share} %"),
            cells.collect::<String>()
        )?;
    }
    if let Some(mean) = tables.mean_of_topics(tables.chosen) {
        writeln!(
            out,
            "\ndocuments of all runs for a topic: {:.2} % have a near-duplicate among them, mean \
             of {} topics",
            mean * 100.0,
            tables.topics.len()
        )?;
    }
    if let Some((all, _)) = tables.relevant {
        let count = u64::from(all.counts[tables.chosen]);
        writeln!(
            out,
            "relevant documents: {} of {} have a near-duplicate among them ({:.2} %)",
            grouped(count),
            grouped(all.documents as u64),
            count as f64 * 100.0 / all.documents.max(1) as f64
        )?;
    }
    Ok(())
}
