//! `df-table build`: counts in how many documents of a collection each feature occurs.
//!
//! One pass that counts in how many documents a feature occurs, sorted and spilled beyond the
//! memory. An empty table is an error, because weights made of it would all be equal and no later
//! job would notice.

use super::{DfTableFacts, check_output, named_output, work_beside};
use crate::exec::Exec;
use crate::kind::find::{FindJob, FindSpec, all_options};
use crate::kind::reading::{of_reading, open, reading_job};
use crate::param::Within;
use crate::spec::{
    FeaturesSpec, InputSpec, LimitsSpec, ReadingSpec, RecordSpec, SeedSpec, TextSpec,
    WordsSpec, WorkSpec,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureKind;
use neardupe_core::frequency::{
    CountConfig, CountedTable, DEFAULT_MAX_ENTRIES, DEFAULT_MIN_DF, count,
};
use neardupe_core::hash::FeatureHash;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

crate::params! {
    /// How many documents of a collection have each feature.
    pub struct DfBuildSpec {
        [
            input: InputSpec,
            words: WordsSpec,
            text: TextSpec,
            record: RecordSpec,
            seed: SeedSpec,
            limits: LimitsSpec,
            work: WorkSpec,
        ]
        /// The table to write; another table is replaced, any other file is left alone
        output: PathBuf => value("FILE").short('o').required().free();
        /// Omit features that fewer documents have [default: 2]; 1 keeps all, for tables to be merged
        min_df: Within<1, { u32::MAX as u64 }> => value("N");
        /// Most entries; the rarest features beyond are omitted [default: 4000000]
        max_entries: Within<1, { u32::MAX as u64 }> => value("N");
        /// words:N, chars:N or terms (words) [default: terms]
        features: FeatureKind => value("KIND");
        /// How features become numbers: multilinear (of the hashes of words), or the hash of their
        /// text: xxh3, rabin64, md5; slower, to reproduce other systems [default: multilinear]
        hash: FeatureHash => value("HASH");
        /// End with code 0 when at most this many records were bad [default: 0]
        allow_bad_records: Within<0, { u64::MAX }> => value("N").heading("Input").free();
    }
}

/// What is counted, and where the table is written.
pub struct DfBuildJob {
    /// The parameters of reading that were given, for warnings about those without effect.
    given: ReadingSpec,
    spec: DfBuildSpec,
    job: FindJob,
    output: PathBuf,
    /// The folder for temporary files; None for that of the output.
    work_dir: Option<PathBuf>,
    min_df: u32,
    max_entries: usize,
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DfBuildSummary {
    /// The table that was written.
    pub output: String,
    /// What is in it.
    pub table: DfTableFacts,
    /// Documents without a word, which are not counted.
    pub empty: u64,
    /// Different features, before any was left out.
    pub features: u64,
    /// Records that were left out.
    pub bad_records: u64,
    /// The same by the kind of fault.
    pub bad_records_by_kind: BTreeMap<String, u64>,
}

/// What was counted, with the table itself.
#[derive(Debug, Clone)]
pub struct DfBuildOutcome {
    /// The numbers.
    pub summary: DfBuildSummary,
    /// The table, and the first bad records.
    pub counted: CountedTable,
    /// Warnings.
    pub warnings: Vec<String>,
    /// More records were bad than are allowed.
    pub has_left_out: bool,
}

impl DfBuildSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<DfBuildJob> {
        let output = named_output(self.output)?;
        let usual = u64::from(DEFAULT_MIN_DF);
        let min_df = self.min_df.unwrap_or(Within(usual));
        let max_entries = self.max_entries;
        let max_entries = max_entries.unwrap_or(Within(DEFAULT_MAX_ENTRIES as u64));
        let given = ReadingSpec {
            features: FeaturesSpec {
                features: self.features,
                hash: self.hash,
            },
            words: self.words,
            text: self.text,
            record: self.record,
            seed: self.seed,
            limits: self.limits,
        };
        // `find` compares runs of words by default; tables are of words.
        let mut like = FindSpec::default();
        like.reading.features.features = Some(FeatureKind::Terms);
        like.work.memory = self.work.memory;
        like.tolerance.allow_bad_records = self.allow_bad_records;
        let inputs = self.input.inputs.unwrap_or_default();
        let job = reading_job(&given, &inputs, like)?;
        let used = job.spec.reading.clone();
        Ok(DfBuildJob {
            spec: DfBuildSpec {
                input: job.spec.input.clone(),
                words: used.words,
                text: used.text,
                record: used.record,
                seed: used.seed,
                limits: used.limits,
                work: WorkSpec {
                    memory: job.spec.work.memory,
                    work_dir: self.work.work_dir.clone(),
                },
                output: Some(output.clone()),
                min_df: Some(min_df),
                max_entries: Some(max_entries),
                features: used.features.features,
                hash: used.features.hash,
                allow_bad_records: job.spec.tolerance.allow_bad_records,
            },
            given,
            job,
            output,
            work_dir: self.work.work_dir,
            min_df: min_df.u32(),
            max_entries: max_entries.usize(),
        })
    }
}

impl DfBuildJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Counts, and writes the table.
    pub fn run(self, exec: &Exec<'_>) -> Result<DfBuildOutcome> {
        let (mut job, mut warnings) = (self.job, Vec::new());
        // An output that must not be replaced is refused before hours of work, not after.
        check_output(&self.output)?;
        let files = job.discover_at(job.inputs())?.files;
        let source = open(&mut job, files, exec.progress, &mut warnings)?;
        let config = CountConfig {
            features: job.config.features,
            words: job.config.words.clone(),
            seed: job.config.seed,
            threads: job.config.threads,
            budget: job.config.budget,
            min_df: self.min_df,
            max_entries: self.max_entries,
        };
        let work = work_beside(&self.output, self.work_dir.as_deref())?;
        let counted = count(&source, &config, &work, exec.progress)?;
        work.finish()?;
        // Weights by an empty table would all be the same; most likely the text was not found in the records.
        if counted.table.num_documents() == 0 {
            let message = match counted.num_bad() {
                0 => "no document has a word, so there is nothing to count".to_owned(),
                bad => format!("no document has a word, and {bad} records are bad"),
            };
            return Err(Error::input("the input", message));
        }
        counted.table.write(&self.output)?;
        warnings.extend(of_reading(&self.given, &job));
        let kinds = counted.bad_records.iter();
        let kinds = kinds.map(|(kind, &count)| (kind.name().to_owned(), count));
        Ok(DfBuildOutcome {
            summary: DfBuildSummary {
                output: self.output.to_string_lossy().into_owned(),
                table: DfTableFacts::of(&counted.table),
                empty: counted.num_empty,
                features: counted.num_features,
                bad_records: counted.num_bad(),
                bad_records_by_kind: kinds.collect(),
            },
            has_left_out: counted.num_bad() > job.allow_bad_records,
            counted,
            warnings,
        })
    }
}
