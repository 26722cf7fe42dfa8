//! What `trec effect` writes: tables as CSV, figures as SVG, a page.

use super::Ids;
use crate::numbers::{change, decimals, plural};
use crate::report::{Line, LineChart, PageParts, PageTable, page_of_figures};
use neardupe_core::error::{Error, Result};
use neardupe_core::trec::{Effect, Measure, Policy, PolicyMeasure, Run};
use neardupe_io::output::table::Table;
use neardupe_io::tables::{
    CorrelationRow, Correlations, EffectRow, EffectTopicRow, EffectTopics, Effects,
};
use serde_json::Value;
use std::path::Path;

/// Below this a change is called significant.
/// Two-sided and without correction for the number of runs: with a hundred runs about five are
/// "significant" by chance, which is why the table has t and p per run.
const SIGNIFICANT: f64 = 0.05;

/// Runs at other ranks after than before, and the largest move.
fn moved(table: &PolicyMeasure) -> (usize, usize) {
    let moves = table.rows.iter();
    let moves: Vec<usize> = moves
        .map(|row| row.rank_before.abs_diff(row.rank_after))
        .collect();
    let moved = moves.iter().filter(|&&by| by > 0).count();
    (moved, moves.into_iter().max().unwrap_or(0))
}

/// Runs whose change is significant. A run without a test does not count.
fn significant(table: &PolicyMeasure) -> usize {
    let tests = table.rows.iter().filter_map(|row| row.test);
    tests.filter(|test| test.p < SIGNIFICANT).count()
}

/// The mean over runs, not over topics of all runs: each run counts the same, as in a table
/// of a workshop.
fn mean_change(table: &PolicyMeasure) -> f64 {
    let changes = table.rows.iter().map(|row| row.after - row.before);
    changes.sum::<f64>() / table.rows.len().max(1) as f64
}

/// Writes all tables.
pub fn write_effect(
    folder: &Path,
    effect: &Effect,
    runs: &[Run],
    measures: &[Measure],
    ids: &Ids,
) -> Result<()> {
    write_effects(folder, effect, runs)?;
    write_correlations(folder, effect)?;
    write_effect_topics(folder, effect, runs, measures, ids)
}

/// Writes one row per policy, measure and run, in the order in which the runs were read. A
/// rank is 1 for the best.
fn write_effects(folder: &Path, effect: &Effect, runs: &[Run]) -> Result<()> {
    let mut table = Table::<Effects>::create_fixed(folder)?;
    for of in &effect.tables {
        for row in &of.rows {
            table.row(&EffectRow {
                policy: of.policy.name().into(),
                measure: of.measure.to_string().into(),
                run: (&runs[row.run].name).into(),
                before: row.before,
                after: row.after,
                change: row.after - row.before,
                rank_before: row.rank_before as u64,
                rank_after: row.rank_after as u64,
                topics: effect.scores[row.run][0].len() as u64,
                t: row.test.and_then(|test| test.t),
                p: row.test.map(|test| test.p),
            })?;
        }
    }
    table.finish()
}

/// Writes one row per policy and measure: how far the order of the runs before and the order
/// after agree.
fn write_correlations(folder: &Path, effect: &Effect) -> Result<()> {
    let mut table = Table::<Correlations>::create_fixed(folder)?;
    for of in &effect.tables {
        let (moved, most) = moved(of);
        table.row(&CorrelationRow {
            policy: of.policy.name().into(),
            measure: of.measure.to_string().into(),
            mean_change: mean_change(of),
            tau: of.tau,
            tau_ap: of.tau_ap,
            runs_moved: moved as u64,
            largest_move: most as u64,
            significant: significant(of) as u64,
        })?;
    }
    table.finish()
}

/// Writes one row per run, topic and measure, with the value under each policy beside the one
/// before: what a reader needs to make other tests than ours.
fn write_effect_topics(
    folder: &Path,
    effect: &Effect,
    runs: &[Run],
    measures: &[Measure],
    ids: &Ids,
) -> Result<()> {
    let mut table = Table::<EffectTopics>::create_fixed(folder)?;
    for (run, scores) in runs.iter().zip(&effect.scores) {
        for (place, (topic, _)) in scores[0].iter().enumerate() {
            for (at, measure) in measures.iter().enumerate() {
                // The scores of a run are in the order of the policies, those before any
                // change first. All four lists have the topics in the same order.
                let [before, remove, irrelevant, propagate] =
                    std::array::from_fn(|policy| scores[policy][place].1[at]);
                table.row(&EffectTopicRow {
                    run: (&run.name).into(),
                    topic: ids.topics.text(*topic).into(),
                    measure: measure.to_string().into(),
                    before,
                    remove,
                    irrelevant,
                    propagate,
                })?;
            }
        }
    }
    table.finish()
}

/// Means of runs by measure: runs from the best to the worst before, a line for each policy.
fn effect_figures(effect: &Effect, measures: &[Measure]) -> Vec<LineChart> {
    let of = |policy: Policy, measure: Measure| {
        let tables = effect.tables.iter();
        let mut tables = tables.filter(|it| it.policy == policy && it.measure == measure);
        tables.next()
    };
    let mut figures = Vec::new();
    for &measure in measures {
        // All policies have the same scores before, so any of them gives the order of the
        // runs.
        let Some(first) = of(Policy::Remove, measure) else {
            continue;
        };
        // A line through one point shows nothing.
        if first.rows.len() < 2 {
            continue;
        }
        // The order before is used for every line: a line that falls and rises again shows
        // which runs change places.
        let mut order: Vec<usize> = (0..first.rows.len()).collect();
        order.sort_by(|&one, &two| {
            first.rows[two].before.total_cmp(&first.rows[one].before)
        });
        let mut lines = vec![Line {
            name: "as it is".into(),
            y: order
                .iter()
                .map(|&at| Some(first.rows[at].before))
                .collect(),
        }];
        for policy in Policy::ALL {
            if let Some(table) = of(policy, measure) {
                lines.push(Line {
                    name: policy.name().into(),
                    y: order.iter().map(|&at| Some(table.rows[at].after)).collect(),
                });
            }
        }
        let name = measure.to_string().to_ascii_lowercase();
        figures.push(LineChart {
            // The name becomes a file name: `P@10` or `nDCG:2` must not have characters that
            // a file system refuses.
            name: name.replace(['@', ':', '.'], "-"),
            title: format!("{measure} of runs, from the best to the worst"),
            x_label: "rank of the run as it is".into(),
            y_label: measure.to_string(),
            x: (1..=order.len()).map(|at| at as f64).collect(),
            lines,
            ..LineChart::default()
        });
    }
    figures
}

/// Writes `report.html` and the figures.
pub fn effect_page(
    folder: &Path,
    effect: &Effect,
    runs: &[Run],
    measures: &[Measure],
    summary: &Value,
    findings: Vec<String>,
) -> Result<()> {
    let mut parts = PageParts {
        title: "What near-duplicates do to measures".into(),
        headline: headline(effect),
        findings,
        tables: Vec::new(),
    };
    for policy in Policy::ALL {
        let of = || {
            effect
                .tables
                .iter()
                .filter(move |table| table.policy == policy)
        };
        let rows = of().map(|table| {
            // The same two numbers as in the table as CSV, so that page and table cannot
            // disagree.
            let (moved, most) = moved(table);
            let short = |value: Option<f64>| match value {
                None => "-".to_owned(),
                Some(value) => decimals(value, 3),
            };
            vec![
                table.measure.to_string(),
                change(mean_change(table), 4),
                short(table.tau),
                short(table.tau_ap),
                moved.to_string(),
                most.to_string(),
                significant(table).to_string(),
            ]
        });
        let head = [
            "measure",
            "mean change",
            "Kendall tau",
            "tau-AP",
            "runs that moved",
            "largest move",
            "p < 0.05",
        ];
        parts.tables.push(PageTable {
            title: format!("Measures before and after: {}", meaning(policy)),
            head: head.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        });
        let head = ["run".to_owned()].into_iter();
        let head = head.chain(measures.iter().map(Measure::to_string));
        let rows = runs.iter().enumerate().map(|(run, one)| {
            let cells = of().map(|table| {
                let row = &table.rows[run];
                // Short, so that eight measures fit a page.
                let by = change(row.after - row.before, 3).replacen("0.", ".", 1);
                match row.rank_before == row.rank_after {
                    true => by,
                    false => format!("{by} {}→{}", row.rank_before, row.rank_after),
                }
            });
            [one.name.clone()].into_iter().chain(cells).collect()
        });
        parts.tables.push(PageTable {
            title: format!(
                "Runs, change of the mean, and rank before→after where it moves: {}",
                meaning(policy)
            ),
            head: head.collect(),
            rows: rows.collect(),
        });
    }
    let figures = effect_figures(effect, measures);
    write_page(folder, summary, &parts, &figures)
}

/// What removing near-duplicates does to average precision, or else to the first measure.
fn headline(effect: &Effect) -> String {
    let removed = || {
        let tables = effect.tables.iter();
        tables.filter(|table| table.policy == Policy::Remove)
    };
    // AP is the measure most readers know. If it was not asked for, the first that was.
    let is_ap = |table: &&PolicyMeasure| table.measure.to_string() == "AP";
    let Some(table) = removed().find(is_ap).or_else(|| removed().next()) else {
        return String::new();
    };
    let by = mean_change(table);
    let size = decimals(by.abs(), 3);
    let size = size.strip_prefix('0').unwrap_or(&size);
    let measure = table.measure;
    let does = match () {
        // A change that is 0 with three decimals is no change to a reader.
        () if size.trim_matches(['.', '0']).is_empty() => {
            format!("leaves {measure} as it is")
        }
        () if by < 0.0 => format!("lowers {measure} by {size}"),
        () => format!("raises {measure} by {size}"),
    };
    let moves = match (moved(table).0, table.rows.len()) {
        (0, _) => "no run".to_owned(),
        (many, all) => format!("{many} of {}", plural(all as u64, "run")),
    };
    format!("Removing near-duplicates {does} and moves {moves}")
}

/// The policy as a reader says it. Papers have other names for the same three, so the name
/// alone says little.
fn meaning(policy: Policy) -> &'static str {
    match policy {
        Policy::Remove => "later near-duplicates removed",
        Policy::Irrelevant => "later near-duplicates count as not relevant",
        Policy::Propagate => "labels passed on within groups",
    }
}

/// Writes a page and its figures, each also as a file.
pub(super) fn write_page(
    folder: &Path,
    summary: &Value,
    parts: &PageParts,
    figures: &[LineChart],
) -> Result<()> {
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text).map_err(|error| Error::io(path, error))
    };
    write(
        &folder.join("report.html"),
        &page_of_figures(summary, parts, figures),
    )?;
    if figures.is_empty() {
        return Ok(());
    }
    let inner = folder.join("figures");
    std::fs::create_dir_all(&inner).map_err(|error| Error::io(&inner, error))?;
    for figure in figures {
        write(&inner.join(format!("{}.svg", figure.name)), &figure.file())?;
    }
    Ok(())
}
