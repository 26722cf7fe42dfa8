//! Studies that run `find` (or `passages`) once for each of some settings over one collection, and
//! put what it costs beside how good it is.
//!
//! Each setting is a description of a job. `known` is what its pairs are scored against, `cost` what is
//! measured of a job, `finished` what is kept when the study is interrupted, `rows` one table for the CSV file, the summary and people.

mod cost;
mod ending;
mod features;
mod finished;
mod groups;
mod hamming;
mod known;
mod passages;
mod rows;
mod setting;
mod signatures;
mod steps;
mod threshold;

pub use ending::{StudyGridCounts, StudyGridFigures, StudyGridOutcome};
pub use features::{StudyFeaturesJob, StudyFeaturesSpec};
pub use hamming::{StudyHammingJob, StudyHammingSpec};
pub use known::{StudyTruth, StudyTruthSpec};
pub use passages::{StudyPassagesJob, StudyPassagesSpec};
pub use signatures::{StudySignaturesJob, StudySignaturesSpec};
pub use threshold::{StudyThresholdJob, StudyThresholdSpec};
