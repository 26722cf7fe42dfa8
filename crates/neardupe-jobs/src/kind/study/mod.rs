//! Studies: what parameters do on a collection, measured.
//!
//! One file for each study; those that run a job for each of some settings are in `grid`. `base` is what all of
//! them have, `outcome` what comes of them.

mod adaptive;
mod base;
mod cells;
mod grid;
mod outcome;
mod sampling;
mod value;

pub use adaptive::{StudyAdaptiveJob, StudyAdaptiveSpec};
pub use base::{StudyBase, StudySpec};
pub use cells::{count, head, share};
pub use grid::{
    StudyCost, StudyFeaturesJob, StudyFeaturesSpec, StudyGridCounts, StudyGridFigures,
    StudyGridFindings, StudyGridOutcome, StudyHammingJob, StudyHammingSpec, StudyRow,
    StudySignaturesJob, StudySignaturesSpec, StudyThresholdJob, StudyThresholdSpec,
    StudyTruth, StudyTruthSpec, StudyWatch, end, exact_spec, is_chosen,
};
pub use outcome::{StudyFindings, StudyOutcome, StudySummary};
pub use sampling::{
    StudyRatiosSpec, StudySamplingCounts, StudySamplingFigures, StudySamplingGroup,
    StudySamplingJob, StudySamplingOutcome, StudySamplingSpec,
};
pub use value::{StudyGroups, StudyLabel, StudyPrecision, StudyThreshold};
