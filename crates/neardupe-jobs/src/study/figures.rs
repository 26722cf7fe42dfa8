//! The figures of Ye and others (2008) and of the waterloo thesis, drawn from this collection.

use super::{Mean, Which, divisors, exact_pairs};
use crate::report::{Line, LineChart};
use neardupe_core::pipeline::study::{AdaptivePlan, SamplingResult, Trial};

/// All figures of a study.
pub fn sampling_figures(
    result: &SamplingResult,
    plans: &[AdaptivePlan],
) -> Vec<LineChart> {
    let mut figures = vec![sizes(result)];
    // Only these two have figures by group; every ratio is in the tables.
    let shown: Vec<u32> = divisors(result)
        .filter(|divisor| [4, 16].contains(divisor))
        .collect();
    figures.extend(shown.iter().map(|&divisor| precision(result, divisor)));
    figures.extend(shown.last().map(|&divisor| recall(result, divisor)));
    if !plans.is_empty() {
        figures.push(adaptive(plans));
    }
    figures.push(by_ratio(result, "average-error", "average error", |mean| {
        mean.average_error
    }));
    figures.push(by_ratio(result, "correlation", "correlation", |mean| {
        mean.correlation
    }));
    figures.push(prevalence(result));
    if !result.commonality.is_empty() {
        figures.push(commonality(result));
    }
    figures
}

/// The thresholds as numbers, for the axis.
fn thresholds(result: &SamplingResult) -> Vec<f64> {
    let all = result.thresholds.iter();
    all.map(|threshold| threshold.ratio().value()).collect()
}

/// Size against rank.
fn sizes(result: &SamplingResult) -> LineChart {
    LineChart {
        name: "size-rank".into(),
        title: "Words of documents by rank".into(),
        x_label: "rank".into(),
        y_label: "words".into(),
        x: result.sizes.iter().map(|&(rank, _)| rank as f64).collect(),
        lines: vec![Line {
            name: "words".into(),
            y: result
                .sizes
                .iter()
                .map(|&(_, words)| Some(f64::from(words)))
                .collect(),
        }],
        is_logarithmic: true,
        is_share: false,
    }
}

/// Groups that have pairs at the lowest threshold.
fn groups(result: &SamplingResult) -> impl Iterator<Item = usize> {
    let has_pairs = |group: &usize| exact_pairs(result, 0, Which::Within(*group)) > 0;
    (0..result.groups.len()).filter(has_pairs)
}

/// One line per group of sizes: a value of the mean over trials at each threshold. A missing
/// value (no pair in any trial) is a gap in the line, not a 0.
fn by_group(
    result: &SamplingResult,
    divisor: u32,
    value: impl Fn(&Mean) -> Option<f64>,
) -> Vec<Line> {
    let line = |group: usize| Line {
        name: format!("{} words", result.groups.name(group)),
        y: (0..result.thresholds.len())
            .map(|step| value(&Mean::of(result, divisor, step, Which::Within(group))))
            .collect(),
    };
    groups(result).map(line).collect()
}

/// By group, since short documents lose precision at ratios that long ones can bear.
fn precision(result: &SamplingResult, divisor: u32) -> LineChart {
    LineChart {
        name: format!("precision-{divisor}"),
        title: format!("Precision by threshold and size, one feature in {divisor}"),
        x_label: "threshold".into(),
        y_label: "precision".into(),
        x: thresholds(result),
        lines: by_group(result, divisor, |mean| mean.precision),
        is_logarithmic: false,
        is_share: true,
    }
}

/// Drawn for the smallest of the shown ratios only.
fn recall(result: &SamplingResult, divisor: u32) -> LineChart {
    LineChart {
        name: format!("recall-{divisor}"),
        title: format!("Recall by threshold and size, one feature in {divisor}"),
        x_label: "threshold".into(),
        y_label: "recall".into(),
        x: thresholds(result),
        lines: by_group(result, divisor, |mean| mean.recall),
        is_logarithmic: false,
        is_share: true,
    }
}

/// Features that plans keep, by the precision asked for.
fn adaptive(plans: &[AdaptivePlan]) -> LineChart {
    let mut targets: Vec<f64> = plans.iter().map(|plan| plan.target).collect();
    targets.sort_by(f64::total_cmp);
    targets.dedup();
    let mut thresholds: Vec<String> = Vec::new();
    for plan in plans {
        let name = plan.threshold.to_string();
        if !thresholds.contains(&name) {
            thresholds.push(name);
        }
    }
    let lines = thresholds.iter().map(|threshold| Line {
        name: format!("threshold {threshold}"),
        y: targets
            .iter()
            .map(|&target| {
                let is_it = |plan: &&AdaptivePlan| {
                    plan.target.total_cmp(&target).is_eq()
                        && plan.threshold.to_string() == *threshold
                };
                plans.iter().find(is_it).map(|plan| plan.kept_share)
            })
            .collect(),
    });
    LineChart {
        name: "adaptive".into(),
        title: "Features that are kept, by the precision asked for".into(),
        x_label: "precision asked for".into(),
        y_label: "share of the features".into(),
        lines: lines.collect(),
        x: targets,
        is_logarithmic: false,
        is_share: true,
    }
}

/// Something of all pairs by threshold, a line for each ratio.
fn by_ratio(
    result: &SamplingResult,
    name: &str,
    what: &str,
    value: impl Fn(&Mean) -> Option<f64>,
) -> LineChart {
    let line = |divisor: u32| Line {
        name: super::ratio(divisor),
        y: (0..result.thresholds.len())
            .map(|step| value(&Mean::of(result, divisor, step, Which::All)))
            .collect(),
    };
    let mut title = what.to_owned();
    // Names are ASCII, so the first byte is a letter.
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    LineChart {
        name: name.into(),
        title: format!("{title} by threshold and ratio"),
        x_label: "threshold".into(),
        y_label: what.into(),
        x: thresholds(result),
        // The first divisor is 1: everything is kept, which has no error to show.
        lines: divisors(result).skip(1).map(line).collect(),
        is_logarithmic: false,
        is_share: false,
    }
}

/// Pairs and documents against resemblance.
fn prevalence(result: &SamplingResult) -> LineChart {
    let whole = Trial {
        divisor: 1,
        remainder: 0,
    };
    let all: u64 = result.group_facts.iter().map(|facts| facts.documents).sum();
    let of = |step: usize| result.documents_in_pairs(whole, step, None).documents;
    LineChart {
        name: "prevalence".into(),
        title: "Documents with a near-duplicate, by resemblance".into(),
        x_label: "resemblance".into(),
        y_label: "share of documents".into(),
        x: thresholds(result),
        lines: vec![Line {
            name: "documents".into(),
            y: (0..result.thresholds.len())
                .map(|step| Some(super::share(of(step), all)))
                .collect(),
        }],
        is_logarithmic: false,
        is_share: false,
    }
}

/// What is found, and what is left to do, by the limit of documents.
fn commonality(result: &SamplingResult) -> LineChart {
    // Only the lowest threshold, which has the most pairs: the others would be hidden under
    // it.
    let first = result.thresholds[0].to_string();
    let rows = || {
        let rows = result.commonality.iter();
        rows.filter(|row| row.threshold.to_string() == first)
    };
    // Without any pair record every share is 0, not a division by 0.
    let whole = result.pair_records.max(1) as f64;
    LineChart {
        name: "commonality".into(),
        title: format!("Without features of many documents, threshold {first}"),
        x_label: "features of more documents are left out".into(),
        y_label: "share".into(),
        x: rows().map(|row| f64::from(row.limit)).collect(),
        lines: vec![
            Line {
                name: "recall".into(),
                y: rows().map(|row| row.figures.recall()).collect(),
            },
            Line {
                name: "pair records".into(),
                y: rows()
                    .map(|row| Some(row.pair_records as f64 / whole))
                    .collect(),
            },
        ],
        is_logarithmic: false,
        is_share: true,
    }
}
