//! Studies that run `find` (or `passages`) once for each of some settings over one collection, and
//! put what it costs beside how good it is.
//!
//! Each setting is a description of a job. `known` is what its pairs are scored against, `cost` what is
//! measured of a job, `rows` one table for the CSV file, the summary and people.

mod cost;
mod ending;
mod features;
mod groups;
mod hamming;
mod known;
mod rows;
mod setting;
mod signatures;
mod steps;
mod threshold;

pub use cost::{StudyCost, StudyWatch};
pub use ending::{
    StudyGridCounts, StudyGridFigures, StudyGridFindings, StudyGridOutcome, end,
};
pub use features::{StudyFeaturesJob, StudyFeaturesSpec};
pub use hamming::{StudyHammingJob, StudyHammingSpec};
pub use known::{StudyTruth, StudyTruthSpec};
pub use rows::StudyRow;
pub use setting::exact_spec;
pub use signatures::{StudySignaturesJob, StudySignaturesSpec, is_chosen};
pub use threshold::{StudyThresholdJob, StudyThresholdSpec};
