//! `sample adaptive:precision=P`: a study of the input before the job, as `study adaptive` does it, and
//! its plan in the job.

use super::job::FindJob;
use super::sampling_plan::PlanFile;
use crate::exec::clock;
use neardupe_core::document::{Progress, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::Sampling;
use neardupe_core::pipeline::study::{SamplingStudy, SizeGroups, study_sampling};
use neardupe_core::pipeline::{FindConfig, PairsMode};
use neardupe_core::store::WorkDir;
use std::sync::Arc;

/// The smallest sample that is tried: one feature in so many.
const MAX_DIVISOR: u32 = 16;

/// Makes the plan that was asked for, and returns the share of features that it keeps; None if no
/// plan was to be made. Reads the input once.
///
/// The plan depends on the whole input, so a resumed job must not make it again from a changed
/// one: the plan is recorded and is part of the identity of the job.
pub(super) fn plan_sampling(
    job: &mut FindJob,
    source: &dyn Source,
    progress: &dyn Progress,
) -> Result<Option<f64>> {
    let Some(target) = job.planned_precision else {
        return Ok(None);
    };
    if source.origins()?.is_none() {
        let message = "adaptive:precision reads the input twice, and standard input and pipes can \
                       be read only once; name files, or a plan of `neardupe study adaptive`";
        return Err(Error::config("sample", message));
    }
    // The study compares all pairs of the input, whatever their side or block, and writes nothing.
    let config = FindConfig {
        sampling: Sampling::default(),
        // Old documents are sampled like new ones, so all are studied together.
        against: None,
        block_by: None,
        pairs: PairsMode::None,
        compare_filters: None,
        ..job.config.clone()
    };
    let asked = SamplingStudy {
        thresholds: vec![config.threshold],
        max_divisor: MAX_DIVISOR,
        groups: SizeGroups::narrow(),
        keep_exact: false,
        commonality: Vec::new(),
        // No feature is too common: a limit would lose pairs, and the plan promises a precision of all.
        max_list: usize::MAX,
        clock,
    };
    // A work directory of its own, since that of the job may hold an unfinished job that can be resumed.
    // Beside that of the job, under a longer name.
    let mut path = config.work_dir.clone().into_os_string();
    path.push(".study");
    let (work, _) = WorkDir::begin(path.into(), Default::default())?;
    work.enter()?;
    let result = study_sampling(source, &config, &asked, &work, progress)?;
    work.finish()?;
    let plan = result.joined_plan(target, 0);
    progress.note(&format!(
        "a precision of {target} at {} needs {:.1} % of the features: {}",
        plan.threshold,
        plan.kept_share * 100.0,
        PlanFile::of_plan(&plan).plan()?
    ));
    let kept_share = plan.kept_share;
    let plan = PlanFile::of_plan(&plan);
    job.config.sampling.adaptive = Some(Arc::new(plan.plan()?));
    job.plan = Some(plan);
    // Made: from here on the plan is like one that was given as a file.
    job.planned_precision = None;
    Ok(Some(kept_share))
}
