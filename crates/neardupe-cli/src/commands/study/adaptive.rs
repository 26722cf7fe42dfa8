//! `neardupe study adaptive`: the fewest features that keep the precision asked for.

use super::common::{CommonArgs, Findings, finish};
use super::precision;
use super::sampling::{
    GridArgs, TARGETS, collection_table, figures, plan_table, recommendation, run_study,
    threshold,
};
use super::show::{count, print_tables, share};
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::pipeline::study::{AdaptivePlan, SamplingResult};
use neardupe_jobs::kind::find::PlanFile;
use neardupe_jobs::report::{PageParts, PageTable};
use neardupe_jobs::study::{ratio, sampling_figures, write_plans, write_sampling};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// What was typed after `study adaptive`.
#[derive(Debug, Args)]
#[command(mut_arg("min_threshold", |arg| arg.hide(true)))]
pub(crate) struct AdaptiveArgs {
    /// Threshold at which precision is wanted [default: 0.8]
    #[arg(long, short, value_name = "T")]
    threshold: Option<String>,

    /// Precision of the plan that is saved, above 0 and below 1 [default: 0.9]
    #[arg(long, value_name = "P")]
    precision: Option<String>,

    /// Write the plan to this file, for `find --sample adaptive:FILE`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    #[command(flatten)]
    grid: GridArgs,

    #[command(flatten)]
    common: CommonArgs,
}

/// Runs the command.
pub(crate) fn run(args: &AdaptiveArgs) -> Result<ExitCode> {
    if args.grid.min_threshold.is_some() {
        let message = "a plan is for one threshold: --threshold";
        return Err(Error::config("min-threshold", message).into());
    }
    let at = threshold("--threshold", args.threshold.as_deref().unwrap_or("0.8"))?;
    let target = precision("--precision", args.precision.as_deref().unwrap_or("0.9"))?;
    let asked = args.grid.study(vec![at])?;
    let mut job = args.common.job(args.common.spec()?)?;
    let stages = args.common.stages()?;
    let result = run_study(&args.common, &asked, &mut job, &stages)?;
    let mut plans = TARGETS
        .map(|target| plan(&result, target, &args.grid))
        .to_vec();
    let chosen = plan(&result, target, &args.grid);
    if !plans
        .iter()
        .any(|one| one.target.total_cmp(&target).is_eq())
    {
        plans.push(chosen.clone());
        plans.sort_by(|one, other| one.target.total_cmp(&other.target));
    }
    let parts = PageParts {
        title: "The fewest features that keep a precision".to_owned(),
        headline: PageParts::headline_of(&recommendation(&chosen)),
        findings: vec![recommendation(&chosen)],
        tables: vec![
            collection_table(&result),
            plan_table(&plans),
            group_table(&chosen),
        ],
    };
    let mut own = args.grid.shown(&asked);
    own.push(("precision", json!(target)));
    own.push(("save", json!(args.save)));
    let found = Findings {
        study: "adaptive",
        own,
        figures: figures(&result),
        parts,
        charts: sampling_figures(&result, &plans),
        bad_records: result.bad_records,
        is_exact: false,
    };
    finish(
        &args.common,
        &job,
        stages,
        &found,
        |folder| {
            write_sampling(folder, &result)?;
            write_plans(folder, &plans)?;
            if let Some(path) = &args.save {
                let text = PlanFile::of_plan(&chosen).to_text()?;
                std::fs::write(path, text).map_err(|error| Error::io(path, error))?;
            }
            Ok(())
        },
        |out| {
            print_tables(out, &found.parts.tables)?;
            if let Some(path) = &args.save {
                writeln!(out, "the plan is in {}\n", path.display())?;
            }
            Ok(())
        },
    )
}

fn plan(result: &SamplingResult, target: f64, grid: &GridArgs) -> AdaptivePlan {
    match grid.optimize_groups {
        true => result.joined_plan(target, 0),
        false => result.plan(target, 0),
    }
}

/// What each group keeps under the plan.
fn group_table(plan: &AdaptivePlan) -> PageTable {
    let rows = plan.groups.iter().map(|group| {
        let measured = match group.is_measured {
            true => "",
            false => " (too few pairs: as before)",
        };
        vec![
            group.name(),
            ratio(group.divisor) + measured,
            count(group.documents),
            count(group.features),
            count(group.pairs.exact_pairs),
            share(group.pairs.expected),
            share(group.pairs.measured),
            share(group.pairs.recall),
        ]
    });
    PageTable {
        title: format!(
            "The plan for a precision of {} at {}",
            plan.target, plan.threshold
        ),
        head: [
            "words",
            "ratio",
            "documents",
            "features",
            "pairs",
            "precision expected",
            "measured",
            "recall",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: rows.collect(),
    }
}
