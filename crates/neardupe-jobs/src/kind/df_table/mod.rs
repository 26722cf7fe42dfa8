//! `df-table`: how many documents have each feature, counted once and kept. Weights that are made from
//! a table never change, so codes of different days can be compared.

mod build;
mod info;
mod merge;

pub use build::{DfBuildJob, DfBuildOutcome, DfBuildSpec, DfBuildSummary};
pub use info::{DfBand, DfInfoJob, DfInfoOutcome, DfInfoSpec, DfInfoSummary, DfWord};
pub use merge::{DfMergeJob, DfMergeOutcome, DfMergeSpec, DfMergeSummary};

use neardupe_core::error::{Error, Result};
use neardupe_core::frequency::{DfTable, FeatureSpecText, may_replace};
use neardupe_core::store::{JobIdentity, WorkDir};
use neardupe_io::output::{beside, check_output_file};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What a table is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DfTableFacts {
    /// A name that only this table has.
    pub identity: String,
    /// Documents that were counted.
    pub documents: u64,
    /// Features in the table.
    pub entries: usize,
    /// Features of fewer documents are left out.
    pub min_df: u32,
    /// How many documents a feature that is left out counts as.
    pub unseen: u32,
    /// By how much numbers may be too low; more than 0 only after merging tables that had left features out.
    pub uncertainty: u64,
    /// Which features were counted.
    pub specification: FeatureSpecText,
}

impl DfTableFacts {
    fn of(table: &DfTable) -> Self {
        DfTableFacts {
            identity: table.identity().to_owned(),
            documents: table.num_documents(),
            entries: table.len(),
            min_df: table.min_df(),
            unseen: table.unseen(),
            uncertainty: table.uncertainty(),
            specification: table.specification().clone(),
        }
    }
}

/// The table to write, which must be named.
fn named_output(output: Option<PathBuf>) -> Result<PathBuf> {
    let missing = || Error::config("output", "it must be given: the table to write");
    output.ok_or_else(missing)
}

/// Refuses to write over anything that is not a table.
fn check_output(path: &Path) -> Result<()> {
    let is_lost = !may_replace(path)?;
    if is_lost {
        let message = format!(
            "{} exists and is not a df table; it is left alone, choose another name",
            path.display()
        );
        return Err(Error::config("output", message));
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    if let Some(folder) = folder
        && !folder.is_dir()
    {
        let message = format!("there is no folder {}", folder.display());
        return Err(Error::config("output", message));
    }
    check_output_file("output", path)
}

/// The work directory for counts that do not fit in memory: beside the output, or in a folder that was named.
fn work_beside(output: &Path, folder: Option<&Path>) -> Result<WorkDir> {
    let path = match folder {
        None => beside(output, "work"),
        Some(folder) => {
            let name = output.file_name().unwrap_or_default();
            beside(&folder.join(name), "work")
        }
    };
    // Removes what a killed job has left; a job at work holds the lock, and this one is refused.
    let (work, _) = WorkDir::begin(path, JobIdentity::default())?;
    Ok(work)
}
