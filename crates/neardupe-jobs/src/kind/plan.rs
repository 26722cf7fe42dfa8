//! `plan`: what a job of `find` will need, before it is run. The estimate itself is that of
//! [`estimate`], which a large job of `find` makes too, in a shorter form.
//!
//! The estimate runs the job on a sample and writes nothing but temporary files, which are
//! removed.

use super::find::{Estimate, FindJob, FindSpec, estimate, shared_main_warning};
use crate::exec::Exec;
use neardupe_core::document::Source;
use neardupe_core::error::{Error, Result};
use serde_json::{Map, Value};

crate::params! {
    /// A job of `find` whose needs are estimated.
    pub struct PlanSpec {
        [ find: FindSpec ]
    }
}

/// An estimate that cannot be wrong by its parameters.
pub struct PlanJob {
    /// The job that is estimated; it is never run on the whole input.
    find: FindJob,
}

/// What a job will need.
pub struct PlanOutcome {
    /// The job that was estimated.
    pub job: FindJob,
    /// Files that it reads.
    pub num_files: u64,
    /// What it will need.
    pub summary: Estimate,
    /// What the user should know before trusting the estimate.
    pub warnings: Vec<String>,
}

impl PlanSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<PlanJob> {
        let find = self.find.validate()?;
        Ok(PlanJob { find })
    }
}

impl PlanJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        self.find.options()
    }

    /// Runs the job on a sample of its input.
    pub fn run(self, exec: &Exec<'_>) -> Result<PlanOutcome> {
        let threads = self.find.config.threads;
        exec.install(threads, || self.run_in_pool(exec))
    }

    /// The same within the pool. Memory, threads and inputs are those of the job to be estimated, so it
    /// is checked and opened as that job would be.
    fn run_in_pool(self, exec: &Exec<'_>) -> Result<PlanOutcome> {
        let mut job = self.find;
        let discovered = job.discover()?;
        let num_files = discovered.files.len() as u64;
        let source = job.open(discovered.files, exec.progress)?;
        if source.origins()?.is_none() {
            // A sample would consume what the job has to read afterwards.
            let message = "standard input and pipes can be read only once; name files";
            return Err(Error::input("plan", message));
        }
        let summary = estimate(&job, &source, exec.progress, true)?;
        let mut warnings = job.passed_over();
        warnings.extend(shared_main_warning(&job));
        Ok(PlanOutcome {
            job,
            num_files,
            summary,
            warnings,
        })
    }
}
