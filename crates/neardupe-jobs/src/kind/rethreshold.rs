//! `rethreshold`: a result with all pairs, clustered again at a higher threshold. No document is read:
//! the pairs at the new threshold are among those of the result. The tables are those of a new job, to
//! the byte.
//!
//! The new summary is the old one without what is about the old join, and with the numbers at the
//! new threshold. The result itself is never replaced: it could not be made lower again.

use super::find::all_options;
use crate::exec::Exec;
use crate::param::required;
use crate::rethreshold::{RethresholdTask, Rethresholded, check, rethreshold};
use crate::system::memory;
use neardupe_core::document::check_cancelled;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::ClusterMode;
use neardupe_core::pipeline::config::DEFAULT_MEMORY;
use neardupe_core::store::{Budget, WorkDir};
use neardupe_core::threshold::Threshold;
use neardupe_io::output::{OutputFormat, ResultFolder, ResultKind, beside};
use neardupe_io::result::ResultReader;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

crate::params! {
    /// A result with all pairs, clustered again at a higher threshold.
    pub struct RethresholdSpec {
        /// Folder that `find` wrote with `pairs all`
        result: PathBuf => value("RESULT").positional().required();
        /// The new threshold, not below that of the result
        threshold: Threshold => value("T").positional().required();
        /// Output folder; replaced only if it is a result of neardupe
        output: PathBuf => value("DIR").short('o').free();
        /// jsonl, tsv, parquet or xml [default: that of the result]
        output_format: OutputFormat => value("FORMAT").free();
    }
}

/// What is done.
#[derive(Debug, Clone)]
pub struct RethresholdJob {
    result: PathBuf,
    threshold: Threshold,
    output: PathBuf,
    format: Option<OutputFormat>,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct RethresholdOutcome {
    /// What was done, as it is in `summary.json`.
    pub summary: RethresholdSummary,
    /// What the new result has.
    pub written: Rethresholded,
    /// What the old one has.
    pub before: RethresholdBefore,
    /// The threshold of the new result.
    pub threshold: Threshold,
    /// The folder of the new result.
    pub output: PathBuf,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// What is compared with what was written.
#[derive(Debug, Clone, Copy)]
pub struct RethresholdBefore {
    /// The threshold.
    pub threshold: Threshold,
    /// How clusters were made, and are made again.
    pub cluster: ClusterMode,
    /// Similar pairs.
    pub pairs: u64,
    /// Documents that are not kept.
    pub duplicates: u64,
    /// Clusters of two or more documents.
    pub clusters: u64,
}

/// The summary of the old result with what is new.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RethresholdSummary {
    /// The version of the program.
    pub version: String,
    /// `rethreshold`.
    pub command: String,
    /// The old result.
    pub made_of: RethresholdOrigin,
    /// The parameters of the old job, with the threshold and the output of this one.
    pub options: Map<String, Value>,
    /// Numbers by name.
    pub counts: Map<String, Value>,
    /// What the old summary has besides.
    #[serde(flatten)]
    pub inherited: Map<String, Value>,
}

/// Which result was clustered again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RethresholdOrigin {
    /// Its folder.
    pub result: String,
    /// Its threshold.
    pub threshold: Option<String>,
    /// The version of the program that made it.
    pub version: String,
}

/// Keys of a summary that a job without a join does not have: they would describe the old job.
const OF_THE_JOIN: [&str; 8] = [
    "method",
    "ledger",
    "largest_clusters",
    "seconds",
    "peak_memory_bytes",
    "peak_disk_bytes",
    "spilled",
    "join_windows",
];

impl RethresholdSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<RethresholdJob> {
        Ok(RethresholdJob {
            result: required("result", self.result)?,
            threshold: required("threshold", self.threshold)?,
            output: required("output", self.output)?,
            format: self.output_format,
        })
    }
}

/// Refuses to write over the result that is read. `named` is the result as it was typed; the output of
/// `dedup` has its result in a folder within.
pub(super) fn check_not_replaced(
    output: &Path,
    named: &Path,
    result: &ResultReader,
) -> Result<()> {
    let full = |path: &Path| path.canonicalize().ok();
    // By their full paths: two names may lead to the same folder.
    let is = |other: &Path| full(output).is_some_and(|it| full(other) == Some(it));
    if is(named) || is(result.folder()) {
        let message = "the result itself would be replaced; choose another folder";
        return Err(Error::config("output", message));
    }
    Ok(())
}

impl RethresholdJob {
    /// The parameters as they are used; null for the format of the result.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&RethresholdSpec {
            result: Some(self.result.clone()),
            threshold: Some(self.threshold),
            output: Some(self.output.clone()),
            output_format: self.format,
        })
    }

    /// Runs the job and writes its output.
    pub fn run(self, exec: &Exec<'_>) -> Result<RethresholdOutcome> {
        let result = ResultReader::open(&self.result)?;
        check(&result, self.threshold)?;
        check_not_replaced(&self.output, &self.result, &result)?;
        check_cancelled(exec.progress)?;
        let format = self.format.unwrap_or_else(|| result.format());
        let folder = ResultFolder::create(&self.output, ResultKind::Find)?;
        let work = WorkDir::new(beside(&self.output, "work"));
        // No parameter: pairs are sorted in an eighth of it, and the rest is not used.
        let memory = memory::free_bytes().map_or(DEFAULT_MEMORY, |free| free / 2);
        let task = RethresholdTask {
            result: &result,
            threshold: self.threshold,
            format,
            work: &work,
            row_bytes: Budget::new(memory, 1).rows,
        };
        let written = rethreshold(&task, folder.path());
        // Also when it failed: such a job is not resumed.
        work.finish()?;
        let written = written?;
        let summary = self.summary(&result, format, written);
        folder.finish(&summary.to_text()?)?;
        let old = result.summary();
        Ok(RethresholdOutcome {
            summary,
            written,
            before: RethresholdBefore {
                threshold: old.threshold()?,
                cluster: old.cluster()?,
                pairs: old.count("pairs")?,
                duplicates: old.count("duplicates")?,
                clusters: old.count("clusters")?,
            },
            threshold: self.threshold,
            output: self.output,
            warnings: Vec::new(),
        })
    }

    fn summary(
        &self,
        result: &ResultReader,
        format: OutputFormat,
        written: Rethresholded,
    ) -> RethresholdSummary {
        let old = result.summary();
        // Everything of the old summary is kept, unless it is about the join or replaced below: options
        // of later versions too.
        let mut inherited = old.all.clone();
        let of_this = ["version", "command", "made_of", "options", "counts"];
        for name in OF_THE_JOIN.into_iter().chain(of_this) {
            inherited.remove(name);
        }
        let mut options = old.options.clone();
        let output = self.output.to_string_lossy();
        for (name, value) in [
            ("threshold", json!(self.threshold.to_string())),
            ("output", json!(output)),
            ("output-format", json!(format.name())),
        ] {
            options.insert(name.to_owned(), value);
        }
        let mut counts = old.counts.clone();
        // Rules are counted per duplicate, so the numbers change with the threshold. Without
        // representatives (neighbors, none) equal documents are counted, whatever the threshold is.
        if let Ok(ClusterMode::Star | ClusterMode::Components) = old.cluster() {
            for (rule, count) in written.rules.each() {
                counts.insert(rule.name().replace('-', "_"), json!(count));
            }
        }
        for (name, count) in [
            ("pairs", written.pairs),
            ("clusters", written.clusters),
            ("duplicates", written.duplicates),
        ] {
            counts.insert(name.to_owned(), json!(count));
        }
        RethresholdSummary {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "rethreshold".to_owned(),
            made_of: RethresholdOrigin {
                result: self.result.to_string_lossy().into_owned(),
                threshold: old.option("threshold").map(str::to_owned),
                version: old.version.clone(),
            },
            options,
            counts,
            inherited,
        }
    }
}

impl RethresholdSummary {
    /// As it is in `summary.json`: all names in order, old and new.
    pub fn to_text(&self) -> Result<String> {
        let sorted = serde_json::to_value(self)?;
        Ok(serde_json::to_string_pretty(&sorted)? + "\n")
    }
}
