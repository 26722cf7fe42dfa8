//! `sources`: why the duplicates of a result are duplicates.
//!
//! Addresses decide most pairs for the cost of a table scan; texts of a sample decide the rest.
//! `sample` is the number of pairs whose texts are read again, and the output says which counts
//! are estimates.

pub mod originals;
mod summary;

pub use summary::{
    SHOWN_HOSTS, SourcesExample, SourcesHosts, SourcesKind, SourcesSummary,
};

use super::find::all_options;
use super::rethreshold::check_not_replaced;
use super::stored;
use crate::causes::{Options, Sorted, SourcesTable, sort, write_hosts};
use crate::exec::Exec;
use crate::param::{Within, required};
use crate::spec::LimitsSpec;
use neardupe_core::error::{Error, Result};
use neardupe_io::output::{OutputFormat, ResultFolder, ResultKind};
use neardupe_io::result::ResultReader;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Pairs whose texts are compared by default.
const USUAL_SAMPLE: u64 = 10_000;

crate::params! {
    /// Why the duplicates of a result are duplicates.
    pub struct SourcesSpec {
        [ limits: LimitsSpec ]
        /// Folder that `find` or `dedup` wrote
        result: PathBuf => value("RESULT").positional().required();
        /// Pairs whose texts are compared, at most; 0 for none. Others are estimated from them
        /// [default: 10000]
        sample: Within<0, 10_000_000> => value("N");
        /// Where the documents are now [default: the inputs of the result]
        input: Vec<String> => value("INPUT").list();
        /// Folder for the kind of each pair and the table of hosts; replaced only if it is of
        /// neardupe
        output: PathBuf => value("DIR").short('o').free();
        /// jsonl, tsv, parquet or xml [default: that of the result]
        output_format: OutputFormat => value("FORMAT").free();
    }
}

/// What is done.
#[derive(Debug, Clone)]
pub struct SourcesJob {
    result: PathBuf,
    sample: Within<0, 10_000_000>,
    input: Vec<String>,
    output: Option<PathBuf>,
    format: Option<OutputFormat>,
    limits: LimitsSpec,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct SourcesOutcome {
    /// The kinds with their numbers, as they are in `summary.json`.
    pub summary: SourcesSummary,
    /// The same with all pairs of hosts.
    pub sorted: Sorted,
    /// The folder that was written.
    pub output: Option<PathBuf>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl SourcesSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<SourcesJob> {
        if self.output_format.is_some() && self.output.is_none() {
            let message = "needs `output`: nothing is written without it";
            return Err(Error::config("output-format", message));
        }
        Ok(SourcesJob {
            result: required("result", self.result)?,
            sample: self.sample.unwrap_or(Within(USUAL_SAMPLE)),
            input: self.input.unwrap_or_default(),
            output: self.output,
            format: self.output_format,
            limits: self.limits,
        })
    }
}

impl SourcesJob {
    /// The parameters as they are used; null where the result decides.
    pub fn options(&self) -> Map<String, Value> {
        let input = Some(self.input.clone());
        all_options(&SourcesSpec {
            limits: self.limits.clone(),
            result: Some(self.result.clone()),
            sample: Some(self.sample),
            input: input.filter(|input| !input.is_empty()),
            output: self.output.clone(),
            output_format: self.format,
        })
    }

    /// Runs the job and writes its output, if that is asked for.
    pub fn run(self, exec: &Exec<'_>) -> Result<SourcesOutcome> {
        let result = ResultReader::open(&self.result)?;
        let job = stored::job(&result, None)?;
        let threads = self.limits.threads;
        let options = Options {
            sample: self.sample.usize(),
            threads: threads.map_or(job.config.threads, Within::usize),
            only: None,
        };
        let format = self.format.unwrap_or_else(|| result.format());
        let folder = match &self.output {
            None => None,
            Some(target) => {
                check_not_replaced(target, &self.result, &result)?;
                Some(ResultFolder::create(target, ResultKind::Find)?)
            }
        };
        let originals = originals::open(&result, &self.input, &job)?;
        let mut table = match &folder {
            None => None,
            Some(folder) => Some(SourcesTable::create(folder.path(), &result, format)?),
        };
        let originals = originals.as_ref().map_err(Clone::clone);
        let sorted = sort(&result, originals, &options, exec.progress, |row| {
            table.as_mut().map_or(Ok(()), |table| table.row(row))
        })?;
        let summary = SourcesSummary::new(&self.result, &sorted);
        if let Some((folder, table)) = folder.zip(table) {
            table.finish()?;
            write_hosts(folder.path(), &sorted.hosts, format)?;
            folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
        }
        Ok(SourcesOutcome {
            summary,
            sorted,
            output: self.output,
            warnings: job.passed_over(),
        })
    }
}
