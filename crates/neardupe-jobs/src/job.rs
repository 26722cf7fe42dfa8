//! What every kind of job has: a description, a job that cannot be wrong, and an outcome.
//!
//! Fronts are written against these three: one piece of code runs every kind.
//! [`registry`](crate::registry) lists the kinds.

use crate::exec::Exec;
use crate::param::Params;
use neardupe_core::error::Result;
use serde_json::{Map, Value};

/// The description of a job: parameters, each of which may be left open.
pub trait JobSpec: Params {
    /// The name of the kind, as a user types it: `study threshold`.
    const KIND: &'static str;
    /// The job of such a description.
    type Job: Job;

    /// Fills in what was left open, and refuses what cannot be done, by the name of the parameter.
    fn validate(self) -> Result<Self::Job>;
}

/// A job that cannot be wrong by its parameters.
pub trait Job: Sized {
    /// What it leaves.
    type Outcome: JobOutcome;

    /// All parameters, as they are used.
    fn options(&self) -> Map<String, Value>;

    /// Does the job and writes its result.
    fn run(self, exec: &Exec<'_>) -> Result<Self::Outcome>;
}

/// What a job leaves when it is done.
pub trait JobOutcome {
    /// The summary, as it is printed and stored.
    fn summary(&self) -> Result<Value>;

    /// What the user should know before trusting the result.
    fn warnings(&self) -> &[String];

    /// Whether more records were left out than the job allows.
    fn has_left_out(&self) -> bool;
}
