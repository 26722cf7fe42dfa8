//! `neardupe trec effect`: measures and the order of systems, before and after.

use super::inputs::{
    CommonArgs, LeastSimilarity, NearArgs, QrelsArgs, decimal, exit_code, near_facts,
};
use super::matching::Matching;
use super::notes::{bad_facts, near_note, qrels_facts, run_facts, show_ending};
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::trec::{
    Effect, EffectConfig, Measure, Policy, PolicyMeasure, Run, effect, with_threads,
};
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_jobs::numbers::{change, decimals, plural};
use neardupe_jobs::trec::{Ids, effect_page, read_runs, write_effect};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was typed after `effect`.
#[derive(Debug, Args)]
pub(crate) struct EffectArgs {
    /// Runs, or folders of them: topic Q0 document rank score tag
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Qrels: topic, iteration or subtopic, document, label; or prels
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,

    /// What is measured.
    #[arg(
        long,
        value_name = "LIST",
        help = "P@K, recall, recall@K, AP, nDCG, nDCG@K, ERR@K, RBP:P, and for diversity qrels \
                alpha-nDCG@K, ERR-IA@K [default: P@10,P@20,recall@1000,AP,nDCG@10,nDCG@20,ERR@20,\
                RBP:0.8, and alpha-nDCG@20,ERR-IA@20]"
    )]
    measures: Option<String>,

    /// Topics of the qrels for which a run has nothing count as 0, as with trec_eval -c
    #[arg(long)]
    complete: bool,

    /// Least similarity of pairs; what they connect is a group [default: 0.5, or the
    /// threshold of --result where that is higher]
    #[arg(long, short, value_name = "T")]
    threshold: Option<String>,

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

fn measures(typed: Option<&str>, is_diversity: bool) -> Result<Vec<Measure>> {
    let Some(typed) = typed else {
        return Ok(Measure::usual(is_diversity));
    };
    let mut measures: Vec<Measure> = Vec::new();
    for name in typed.split(',') {
        let measure: Measure = name.parse()?;
        if measure.is_of_diversity() && !is_diversity {
            let message = format!(
                "{measure} needs qrels with subtopics; these have none (--qrels-format diversity \
                 says that they have)"
            );
            return Err(Error::config("measures", message).into());
        }
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    Ok(measures)
}

/// Runs the command.
pub(super) fn run(args: &EffectArgs) -> Result<ExitCode> {
    args.near.check()?;
    let allowed = args.common.allowed()?;
    let least = LeastSimilarity::of(args.threshold.as_deref())?;
    let threads = args.near.reading.threads();
    // What is wrong by itself is told before anything is read.
    measures(args.measures.as_deref(), true)?;
    if let Some(target) = &args.output {
        ResultFolder::check(target, ResultKind::Trec)?;
    }
    let (mut ids, mut bad) = (Ids::default(), args.common.bad_lines());
    let stages = args.common.stages()?;
    let set = read_runs(&args.runs, &mut ids, &mut bad, threads)?;
    let mut matching = Matching::new("runs", &ids)?;
    let file = args.format.read(&args.qrels, &mut ids, &mut bad)?;
    matching.qrels(&ids, &set, &file, &args.qrels)?;
    let config = EffectConfig {
        measures: measures(args.measures.as_deref(), file.qrels.is_diversity)?,
        complete: args.complete,
    };
    let output = args.output.as_deref();
    let near = args
        .near
        .read(least.millionths, &mut ids, &mut bad, &stages, output)?;
    drop(stages);
    let least = least.settled(&near)?;
    matching.near(&ids, &near, args.near.origin())?;
    let groups = near.near.groups(least.millionths);
    let effect = with_threads(threads, || {
        effect(&set.runs, &file.qrels, &groups, &ids.documents, &config)
    })?;
    let known = file.qrels.topics.iter().map(|topic| topic.topic).collect();
    let mut facts = run_facts(&set, &ids, Some((known, "the qrels")));
    let unjudged: Vec<&str> = set
        .runs
        .iter()
        .zip(&effect.scores)
        .filter(|(_, scores)| scores[0].is_empty())
        .map(|(run, _)| run.name.as_str())
        .collect();
    if !unjudged.is_empty() {
        let names = unjudged.join(", ");
        facts.notes.push(format!(
            "runs without a topic of the qrels, which count as 0: {names}"
        ));
    }
    let summary = json!({
        "program": "neardupe",
        "version": env!("CARGO_PKG_VERSION"),
        "command": "trec effect",
        "options": {
            "inputs": args.runs,
            "qrels": args.qrels,
            "measures": config.measures.iter().map(Measure::to_string).collect::<Vec<_>>(),
            "complete": args.complete,
            "threshold": decimal(least.millionths),
            "near-duplicates": args.near.options(),
        },
        "runs": facts.json,
        "notes": facts.notes,
        "qrels": qrels_facts(&file),
        "near_duplicates": near_facts(&near),
        "matching": matching.json(),
        "groups": groups.len(),
        "bad": bad_facts(&bad),
        "effect": tables_json(&effect, &set.runs),
    });
    if let Some(target) = &args.output {
        let folder = ResultFolder::create(target, ResultKind::Trec)?;
        write_effect(folder.path(), &effect, &set.runs, &config.measures, &ids)?;
        bad.write(folder.path())?;
        let notes = [matching.lines.as_slice(), &facts.notes].concat();
        let findings =
            findings(&effect, &set.runs, &ids, &near_note(&near, &least), &notes);
        effect_page(
            folder.path(),
            &effect,
            &set.runs,
            &config.measures,
            &summary,
            findings,
        )?;
        folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    }
    let mut out = std::io::stdout().lock();
    if args.common.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !args.common.quiet {
        writeln!(
            out,
            "{}, {} judged; near-duplicates: {}",
            plural(set.runs.len() as u64, "run"),
            plural(file.qrels.topics.len() as u64, "topic"),
            near_note(&near, &least)
        )?;
        matching.show(&mut out)?;
        show(&mut out, &effect, &set.runs)?;
        show_ending(&mut out, &facts.notes, &bad, args.output.as_deref())?;
    }
    Ok(exit_code(bad.len(), allowed))
}

fn tables_json(effect: &Effect, runs: &[Run]) -> Value {
    let tables = effect.tables.iter().map(|table| {
        let rows = table.rows.iter().map(|row| {
            json!({
                "run": runs[row.run].name,
                "before": row.before,
                "after": row.after,
                "rank_before": row.rank_before,
                "rank_after": row.rank_after,
                "p": row.test.map(|test| test.p),
            })
        });
        json!({
            "policy": table.policy.name(),
            "measure": table.measure.to_string(),
            "tau": table.tau,
            "tau_ap": table.tau_ap,
            "runs": rows.collect::<Vec<_>>(),
        })
    });
    Value::Array(tables.collect())
}

fn findings(
    effect: &Effect,
    runs: &[Run],
    ids: &Ids,
    near: &str,
    notes: &[String],
) -> Vec<String> {
    let scored: usize = effect.scores.iter().map(|scores| scores[0].len()).sum();
    let mut findings = vec![
        format!(
            "{}, {} scored, {}. Near-duplicates: {near}.",
            plural(runs.len() as u64, "run"),
            plural(scored as u64, "run-topic"),
            plural(ids.documents.len() as u64, "document")
        ),
        "Where near-duplicates are removed or count as not relevant, a group counts once in what \
         can be reached."
            .to_owned(),
        "p is of a paired t-test over topics, two-sided, not corrected for the number of \
         comparisons."
            .to_owned(),
    ];
    findings.extend(notes.iter().cloned());
    findings
}

fn show(out: &mut impl Write, effect: &Effect, runs: &[Run]) -> Result<()> {
    let short = |value: Option<f64>| match value {
        None => "-".to_owned(),
        Some(value) => decimals(value, 3),
    };
    for policy in Policy::ALL {
        let meaning = match policy {
            Policy::Remove => "later near-duplicates removed",
            Policy::Irrelevant => "later near-duplicates count as not relevant",
            Policy::Propagate => "labels passed on within groups",
        };
        writeln!(out, "\n{}: {meaning}", policy.name())?;
        writeln!(
            out,
            "  {:<14} {:>9} {:>9} {:>9} {:>7} {:>7} {:>6} {:>7}",
            "measure", "before", "after", "change", "tau", "tau-AP", "moved", "p<0.05"
        )?;
        for table in effect.tables.iter().filter(|table| table.policy == policy) {
            let mean = |of: fn(&neardupe_core::trec::EffectRow) -> f64| {
                table.rows.iter().map(of).sum::<f64>() / table.rows.len().max(1) as f64
            };
            let (before, after) = (mean(|row| row.before), mean(|row| row.after));
            writeln!(
                out,
                "  {:<14} {before:>9.4} {after:>9.4} {:>9} {:>7} {:>7} {:>6} {:>7}",
                table.measure.to_string(),
                change(after - before, 4),
                short(table.tau),
                short(table.tau_ap),
                moved(table),
                significant(table)
            )?;
        }
    }
    if runs.len() > 1 {
        writeln!(
            out,
            "\nbefore and after are means of all runs; moved: runs at another rank; p<0.05: runs with \
             a significant\nchange (paired t-test over topics); each run: -o DIR or --json"
        )?;
    }
    Ok(())
}

fn moved(table: &PolicyMeasure) -> usize {
    let rows = table.rows.iter();
    rows.filter(|row| row.rank_before != row.rank_after).count()
}

fn significant(table: &PolicyMeasure) -> usize {
    let tests = table.rows.iter().filter_map(|row| row.test);
    tests.filter(|test| test.p < 0.05).count()
}
