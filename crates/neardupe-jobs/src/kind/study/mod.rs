//! Studies: what parameters do on a collection, measured.
//!
//! One file for each study; those that run a job for each of some settings are in `grid`. `base` is what all of
//! them have, `work` how they go on after an interruption, `outcome` what comes of them.

mod adaptive;
mod base;
mod cells;
mod grid;
mod outcome;
mod sampling;
mod value;
mod work;

pub use adaptive::{StudyAdaptiveJob, StudyAdaptiveSpec};
pub use base::StudySpec;
pub use grid::{
    StudyFeaturesJob, StudyFeaturesSpec, StudyGridCounts, StudyGridFigures,
    StudyGridOutcome, StudyHammingJob, StudyHammingSpec, StudyPassagesJob,
    StudyPassagesSpec, StudySignaturesJob, StudySignaturesSpec, StudyThresholdJob,
    StudyThresholdSpec, StudyTruth, StudyTruthSpec,
};
pub use outcome::{StudyOutcome, StudySummary};
pub use sampling::{
    StudyRatiosSpec, StudySamplingCounts, StudySamplingFigures, StudySamplingGroup,
    StudySamplingJob, StudySamplingOutcome, StudySamplingSpec,
};
pub use value::{StudyGroups, StudyLabel, StudyPrecision, StudyThreshold};
