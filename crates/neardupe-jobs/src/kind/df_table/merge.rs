//! `df-table merge`: adds up the tables of parts of a collection. Tables that were built with
//! `min-df 1` give exactly the table of the whole; others have omitted features, whose numbers may then
//! be too low (`uncertainty`).
//!
//! Tables of other features are refused, since equal values would mean different words. The same
//! table twice is refused too; that two collections overlap cannot be seen in their tables.

use super::{DfTableFacts, check_output, named_output, work_beside};
use crate::exec::Exec;
use crate::kind::find::{FindSpec, all_options};
use crate::kind::reading::reading_job;
use crate::param::{Size, Within};
use crate::spec::ReadingSpec;
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureKind;
use neardupe_core::frequency::merge::Merger;
use neardupe_core::frequency::{DEFAULT_MAX_ENTRIES, DfTable, FeatureSpecText};
use neardupe_core::store::Budget;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

crate::params! {
    /// The sum of tables.
    pub struct DfMergeSpec {
        /// Tables of different documents, built with the same options
        tables: Vec<PathBuf> => value("TABLE").positional().required();
        /// The table to write; another table is replaced, any other file is left alone
        output: PathBuf => value("FILE").short('o').required().free();
        /// Omit features that fewer documents have [default: those that the tables omit]
        min_df: Within<1, { u32::MAX as u64 }> => value("N");
        /// Most entries; the rarest features beyond are omitted [default: 4000000]
        max_entries: Within<1, { u32::MAX as u64 }> => value("N");
        /// Most memory to use, such as 512M or 4G, at least 256M [default: half of the free memory];
        /// data that does not fit is written to a work directory beside the output
        memory: Size => value("SIZE").heading("Work").free();
    }
}

/// Which tables are added up, and where their sum is written.
pub struct DfMergeJob {
    spec: DfMergeSpec,
    tables: Vec<PathBuf>,
    output: PathBuf,
    min_df: u32,
    max_entries: usize,
    budget: Budget,
}

/// What was added up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DfMergeSummary {
    /// The table that was written.
    pub output: String,
    /// How many tables it is made of.
    pub tables: usize,
    /// What is in it.
    pub table: DfTableFacts,
}

/// What was added up.
#[derive(Debug, Clone)]
pub struct DfMergeOutcome {
    /// The numbers.
    pub summary: DfMergeSummary,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl DfMergeSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<DfMergeJob> {
        let output = named_output(self.output)?;
        let tables = self.tables.unwrap_or_default();
        if tables.is_empty() {
            return Err(Error::config("tables", "names no table"));
        }
        let min_df = self.min_df;
        let max_entries = self.max_entries;
        let max_entries = max_entries.unwrap_or(Within(DEFAULT_MAX_ENTRIES as u64));
        let mut like = FindSpec::default();
        like.reading.features.features = Some(FeatureKind::Terms);
        like.work.memory = self.memory;
        // A job of `find` for its memory and budget alone: nothing is read but tables.
        let job = reading_job(&ReadingSpec::default(), &[], like)?;
        Ok(DfMergeJob {
            spec: DfMergeSpec {
                tables: Some(tables.clone()),
                output: Some(output.clone()),
                min_df,
                max_entries: Some(max_entries),
                memory: job.spec.work.memory,
            },
            tables,
            output,
            min_df: min_df.map_or(1, Within::u32),
            max_entries: max_entries.usize(),
            budget: job.config.budget,
        })
    }
}

impl DfMergeJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Adds up, and writes the table.
    pub fn run(self, exec: &Exec<'_>) -> Result<DfMergeOutcome> {
        check_output(&self.output)?;
        check_twice(&self.tables)?;
        let work = work_beside(&self.output, None)?;
        exec.progress.begin("add up", 0);
        let mut merger = Merger::new(&work, self.budget.features);
        let mut first: Option<FeatureSpecText> = None;
        for path in &self.tables {
            // One table at a time in memory, beside the sorted sum.
            let table = DfTable::read(path)?;
            match &first {
                None => first = Some(table.specification().clone()),
                Some(first) => check_same(first, &self.tables[0], &table, path)?,
            }
            merger.add(&table, exec.progress)?;
        }
        let table = merger.finish(self.min_df, self.max_entries, exec.progress)?;
        work.finish()?;
        table.write(&self.output)?;
        Ok(DfMergeOutcome {
            summary: DfMergeSummary {
                output: self.output.to_string_lossy().into_owned(),
                tables: self.tables.len(),
                table: DfTableFacts::of(&table),
            },
            warnings: Vec::new(),
        })
    }
}

/// Refuses a table that is named twice, also through a link: its documents would count twice. Tables of
/// overlapping collections cannot be detected.
fn check_twice(tables: &[PathBuf]) -> Result<()> {
    let mut seen = Vec::new();
    for path in tables {
        let real = path
            .canonicalize()
            .map_err(|error| Error::io(path, error))?;
        if seen.contains(&real) {
            let message = "is named twice: its documents would count twice";
            return Err(Error::config(path.display().to_string(), message));
        }
        seen.push(real);
    }
    Ok(())
}

/// Refuses a table of other features than the first one: equal values would mean different words.
fn check_same(
    first: &FeatureSpecText,
    first_path: &Path,
    table: &DfTable,
    path: &Path,
) -> Result<()> {
    let differences = first.differences(table.specification());
    let Some((name, one, other)) = differences.first() else {
        return Ok(());
    };
    let message = format!(
        "was built with other options than {}: {name} {other} instead of {one}",
        first_path.display()
    );
    Err(Error::config(path.display().to_string(), message))
}
