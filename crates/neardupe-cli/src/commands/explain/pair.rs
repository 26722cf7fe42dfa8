//! Two documents: their features, how rare they are, and what the join makes of them.

use super::ExplainArgs;
use super::originals::Originals;
use super::steps::{self, Explained};
use crate::terminal::Stages;
use anyhow::Result;
use neardupe_core::error::Error;
use neardupe_core::feature::labelled;
use neardupe_core::hash::FixedMap;
use neardupe_core::pipeline::explain::{JoinSteps, count_features};
use neardupe_core::similarity::Similarity;
use neardupe_io::result::{ResultReader, ResultTable, StoredPair};
use neardupe_jobs::diff::{Diff, Limits, Page};
use std::io::{BufWriter, Write};

/// Explains what the join makes of two documents.
pub(super) fn explain(
    args: &ExplainArgs,
    result: &ResultReader,
    ids: [&String; 2],
    stages: Stages,
) -> Result<()> {
    let similarity: Similarity = result.summary().similarity()?;
    let threshold = result.summary().threshold()?;
    let method = result.summary().options.get("method");
    if let Some(method) = method
        .and_then(|it| it.as_str())
        .filter(|it| *it != "exact")
    {
        let message = format!(
            "the steps of the join are told of exact jobs; with --method {method} the \
             signatures decide which pairs are compared. explain RESULT ID tells the \
             evidence, compare A B every similarity"
        );
        return Err(Error::config("pair", message).into());
    }
    let originals = Originals::new(args, result)?;
    originals.check_features()?;
    let row = find_row(result, ids)?;
    let (left, right) = originals.two(&ids.map(Clone::clone), row.as_ref(), &stages)?;
    originals.warn(args)?;
    let config = &originals.job.config;
    let kind = config.features;
    if config.sampling.commonality.is_some() {
        let message = "the steps of the join are not told for --sample commonality, which \
                       depends on all documents; explain RESULT ID tells the evidence";
        return Err(Error::config("pair", message).into());
    }
    if !config.sampling.is_by_hash() {
        let message = format!(
            "the steps of the join are not told for --sample {}: which documents have a feature \
             is not told by the feature alone; explain RESULT ID tells the evidence",
            config.sampling
        );
        return Err(Error::config("pair", message).into());
    }
    if let Some(field) = config.block_field()
        && left.metadata.get(field) != right.metadata.get(field)
    {
        let message = format!(
            "{:?} and {:?} were not compared: they differ in {}, and the job was done with \
             --block-by {2}",
            ids[0], ids[1], config.metadata[field]
        );
        return Err(Error::input(args.result.display().to_string(), message).into());
    }
    let labelled = |text: &str| {
        let mut features = labelled(text, kind, &config.words, config.seed);
        features.retain(|&(feature, _)| config.sampling.keeps(feature));
        features
    };
    let (one, other) = (labelled(&left.text), labelled(&right.text));
    let values = |side: &[(u64, String)]| {
        side.iter().map(|(value, _)| *value).collect::<Vec<u64>>()
    };
    let (left_set, right_set) = (values(&one), values(&other));
    let counts = count_features(
        &originals.all()?,
        left_set.iter().chain(&right_set).copied(),
        kind,
        &config.words,
        config.seed,
        config.threads,
        &stages,
    )?;
    drop(stages);
    let is_equal_text = left.text == right.text;
    let bounds = config.bounds();
    let steps = JoinSteps::new(&left_set, &right_set, &counts, bounds, is_equal_text);
    let mut labels: FixedMap<u64, String> = FixedMap::default();
    labels.extend(one.into_iter().chain(other));
    let explained = Explained {
        ids: ids.map(String::as_str),
        steps: &steps,
        labels: &labels,
        similarity,
        threshold,
        kind,
        num_documents: counts.num_documents,
        is_equal_text,
        no_text: args.shown.no_text,
    };
    let diff = Diff::new(&left.text, &right.text, &Limits::default());
    let page = Page {
        title: format!("{} and {}", ids[0], ids[1]),
        left: ids[0].clone(),
        right: ids[1].clone(),
        facts: vec![
            (similarity.to_string(), steps.overlap.decimals(similarity)),
            ("threshold".to_owned(), threshold.to_string()),
            ("verdict".to_owned(), steps.verdict.name().to_owned()),
        ],
        context: 0,
    };
    args.shown.write_page(&diff, page)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    if args.json {
        let json = steps::json(&explained);
        writeln!(out, "{}", serde_json::to_string_pretty(&json)?)?;
    } else {
        steps::show(&mut out, &explained)?;
        let now = &steps.overlap;
        if row.is_some_and(|row| row.overlap != now.overlap) {
            writeln!(
                out,
                "\nthe texts have changed since: the result has another overlap of the two"
            )?;
        }
        if let Some(path) = &args.shown.html {
            writeln!(out, "\nboth texts side by side: {}", path.display())?;
        }
    }
    Ok(out.flush()?)
}

/// The pair as the result has it, in the order in which it was typed.
fn find_row(result: &ResultReader, ids: [&String; 2]) -> Result<Option<StoredPair>> {
    if result.file(ResultTable::Pairs).is_none() {
        return Ok(None);
    }
    for row in result.pairs()? {
        let mut row = row?;
        if row.left == *ids[1] && row.right == *ids[0] {
            std::mem::swap(&mut row.left, &mut row.right);
            std::mem::swap(&mut row.left_source, &mut row.right_source);
        }
        if row.left == *ids[0] && row.right == *ids[1] {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
