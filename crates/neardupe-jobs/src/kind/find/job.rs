//! The job that a description was validated into: what it holds, which files it reads, and by what it
//! is recognized when it is resumed.
//!
//! A job holds the completed description (`spec`) beside the configuration of the core that was made of
//! it. Both must say the same: `summary.json` records the description, and reading it back must give the
//! same job.

use super::passed_over::PassedOver;
use super::run::{FindOutcome, run_find};
use super::sampling_plan::PlanFile;
use super::spec::FindSpec;
use crate::exec::Exec;
use crate::param::Params;
use neardupe_core::document::{Origin, Progress, SharedMain, Side};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::{FeatureSpec, Sampling};
use neardupe_core::pipeline::codes::{CodePlan, DfPlan, DfSource, LexiconPlan};
use neardupe_core::pipeline::{FindConfig, Method};
use neardupe_core::store::JobIdentity;
use neardupe_io::output::OutputFormat;
use neardupe_io::source::{Discovered, FileSource, InputFile, ReadOptions, discover_for};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The job as it will be done.
#[derive(Clone)]
pub struct FindJob {
    /// What was asked for, with everything that was left open filled in.
    pub spec: FindSpec,
    /// The names of the parameters that were given, those of a preset not included.
    pub given: BTreeSet<String>,
    /// The job for the core.
    pub config: FindConfig,
    /// How simhashes will be made, once the collection was read for it.
    pub codes: Option<CodePlan>,
    /// How keys of I-Match will be made.
    pub lexicons: Option<LexiconPlan>,
    /// The frequencies by which the method weighs features: where they will come from.
    pub df: Option<DfPlan>,
    /// How files are read.
    pub read: ReadOptions,
    /// The plan of adaptive sampling, as it was read or made; written beside the result.
    pub(super) plan: Option<PlanFile>,
    /// A plan will be made for this precision, when the input is known.
    pub(super) planned_precision: Option<f64>,
    /// Texts that are the main content of many pages, whose full text is taken.
    pub shared_main: Vec<SharedMain>,
    /// What was met below the inputs and is not read.
    pub(super) passed_over: PassedOver,
    /// So many of the most frequent words of the input will be the antecedents; None when the list is
    /// known. They are counted when the input is known.
    pub(super) to_count: Option<usize>,
    /// How many of the metadata fields (`config.metadata`) the user asked for: the first ones, and the
    /// only ones that are written. Rules and options of codes may add others, and the report wants the
    /// address.
    pub num_metadata: usize,
    /// The output folder.
    pub output: PathBuf,
    /// The output was named, not left to the default.
    pub names_output: bool,
    /// How tables are written.
    pub format: OutputFormat,
    /// Texts are written too.
    pub write_text: bool,
    /// No text of documents is shown.
    pub no_text: bool,
    /// Most bad records with which the job counts as complete.
    pub allow_bad_records: u64,
    /// The job was resumed: this process does not read every document.
    pub(super) resumed: bool,
}

impl FindJob {
    /// Runs the job and writes its output.
    pub fn run(self, exec: &Exec<'_>) -> Result<FindOutcome> {
        run_find(self, exec)
    }

    /// Everything that the values of features depend on: recorded, so that features, tables and results
    /// that were made in another way are refused instead of compared.
    pub fn specification(&self) -> FeatureSpec {
        let config = &self.config;
        FeatureSpec::new(config.features, &config.words, config.seed)
    }

    /// Whether every pair at or above the threshold is found. The summary promises it, so any option
    /// that can lose a pair must be listed here.
    pub fn is_exact(&self) -> bool {
        self.config.sampling == Sampling::default()
            && self.config.method == Method::Exact
            && self.config.filters.signature.is_none()
    }

    /// All parameters as they are used, by name; null where one does not apply.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// The inputs as they were named.
    pub fn inputs(&self) -> &[String] {
        self.spec.input.inputs.as_deref().unwrap_or_default()
    }

    /// The old documents, as they were named.
    fn against(&self) -> &[String] {
        self.spec.reference.against.as_deref().unwrap_or_default()
    }

    /// Whether pairs count as found without comparing their features.
    pub fn is_unverified(&self) -> bool {
        self.spec.method.no_verify == Some(true)
    }

    /// The metadata fields that the user named, each with its parameter, for messages. A field may
    /// occur under several parameters.
    pub fn named_fields(&self) -> Vec<(&'static str, &str)> {
        let of_rules = [
            ("keep", self.config.keep.field()),
            ("block-by", self.config.block_by.as_deref()),
        ];
        let of_rules = of_rules
            .into_iter()
            .filter_map(|(param, field)| field.map(|field| (param, field)));
        let listed = self.config.metadata[..self.num_metadata].iter();
        let listed = listed.map(|field| ("meta-key", field.as_str()));
        let numeric = self.codes.iter().flat_map(|codes| &codes.variant.numeric);
        let numeric = numeric.map(|numeric| ("variant", numeric.field.as_str()));
        let reserved = self.codes.iter().filter_map(|codes| codes.reserve.as_ref());
        let reserved = reserved.map(|reserve| ("reserve", reserve.field.as_str()));
        of_rules
            .chain(listed)
            .chain(numeric)
            .chain(reserved)
            .collect()
    }

    /// Refuses, before anything is read, a field that can have no value by the schema of a file (a list
    /// or group in Parquet). In files without a schema such values count as absent, with a warning.
    pub fn check_columns(&self, source: &FileSource) -> Result<()> {
        let named = self.named_fields();
        if named.is_empty() {
            return Ok(());
        }
        let fields: Vec<&str> = named.iter().map(|&(_, field)| field).collect();
        let Some((file, field, found)) = source.unusable_column(&fields)? else {
            return Ok(());
        };
        let param = named.iter().find(|(_, named)| *named == field);
        let message = format!(
            "column {field} of {file} is {found}, which is not a single value; name another \
             field, or one within it ({field}.NAME)"
        );
        let param = param.map_or("meta-key", |(param, _)| param);
        Err(Error::config(param, message))
    }

    /// The files as a source. Where main contents are wanted, those that many pages share are searched
    /// for first in a sample of the input, and recorded with the parameters: these pages keep their
    /// full text, now and whenever the result is read again.
    pub fn open(
        &mut self,
        files: Vec<InputFile>,
        progress: &dyn Progress,
    ) -> Result<FileSource> {
        let read = self.read.clone().for_files(&files);
        let source = FileSource::new(files, read);
        if !self.read.text.wants_shared_main() {
            return Ok(source);
        }
        let Some(shared) = source.shared_main(self.config.threads, progress)? else {
            return Ok(source);
        };
        let source = source.with_full_text_for(&shared);
        // Both: what readers do, and what the summary and the identity of the job say.
        self.read.text = source.text_options().clone();
        self.spec.reading.text.content = Some(self.read.text.content_name());
        self.shared_main = shared;
        Ok(source)
    }

    /// Finds the files of these inputs, as this job reads them. What is passed over is noted, to be
    /// reported among the warnings of the job (`passed_over`).
    pub fn discover_at(&self, inputs: &[String]) -> Result<Discovered> {
        let found = discover_for(inputs, &self.read)?;
        self.passed_over.note(&found);
        Ok(found)
    }

    /// Warnings about what was met below the inputs and is not read.
    pub fn passed_over(&self) -> Vec<String> {
        self.passed_over.warnings()
    }

    /// Finds the files to read: the old ones come first, since clusters take old documents first. A
    /// file on both sides is refused.
    pub fn discover(&mut self) -> Result<Discovered> {
        let inputs = self.inputs().to_vec();
        self.discover_sides("against", &inputs, |old, new| {
            let both = old.files.iter().find(|file| new.contains(file));
            let Some(path) = both.and_then(real_path) else {
                return Ok(());
            };
            let message = format!(
                "{} is also among the input: all of it would be a duplicate of itself",
                path.display()
            );
            Err(Error::config("against", message))
        })
    }

    /// The same for documents that are checked against a collection: a file of the collection that is
    /// one of them is left out of it, so that it is not compared with itself. Also returns how many
    /// files were left out.
    pub fn discover_to_check(&mut self) -> Result<(Discovered, u64)> {
        let mut num_own = 0;
        let queries = self.inputs().to_vec();
        let found = self.discover_sides("query", &queries, |old, new| {
            let before = old.files.len();
            old.files.retain(|file| !new.contains(file));
            num_own = (before - old.files.len()) as u64;
            if !old.files.is_empty() {
                return Ok(());
            }
            let message = "every file of the input is also a query, so nothing is left to compare \
                           with; to compare the documents with each other, leave `query` out";
            Err(Error::config("query", message))
        })?;
        Ok((found, num_own))
    }

    /// Finds the files of both sides. `param` is the one that names the inputs, for messages; `check`
    /// looks at files that are on both.
    fn discover_sides(
        &mut self,
        param: &str,
        inputs: &[String],
        check: impl FnOnce(&mut Discovered, &FileSet) -> Result<()>,
    ) -> Result<Discovered> {
        let new = self.discover_at(inputs)?;
        // On both sides: old documents in the output folder would be lost as well.
        check_outside(&self.output, &new)?;
        if self.config.against.is_none() {
            return Ok(new);
        }
        let both = self.against().iter().chain(inputs);
        if both.filter(|name| *name == "-").count() > 1 {
            let message = "standard input can be read only once; name files";
            return Err(Error::config(param, message));
        }
        let mut found = self.discover_at(self.against())?;
        check_outside(&self.output, &found)?;
        check(&mut found, &FileSet::of(&new))?;
        found
            .files
            .iter_mut()
            .for_each(|file| file.side = Side::Old);
        // Old files first: clusters take documents in this order, and an old one must lead.
        found.files.extend(new.files);
        found.skipped.extend(new.skipped);
        Ok(found)
    }

    /// Everything that must be the same for the job to be resumed: all parameters but the free ones,
    /// the contents of files that they name, and the input.
    pub(super) fn identity(&self, origins: Option<Vec<Origin>>) -> JobIdentity {
        let mut options: BTreeMap<String, String> = FindSpec::infos()
            .into_iter()
            .filter(|info| !info.is_free)
            .map(|info| {
                let value = self.spec.get(info.name).unwrap_or(Value::Null);
                (info.name.to_owned(), value.to_string())
            })
            .collect();
        options.extend(self.contents());
        JobIdentity { options, origins }
    }

    /// The contents of files that options name (antecedents, plan, table), by a name of their own:
    /// files may change between two runs of a job, while their names are the same. Hashes and specifications
    /// stand for large ones.
    pub(crate) fn contents(&self) -> BTreeMap<String, String> {
        let mut options = BTreeMap::new();
        // Parts that were read with another limit have other records.
        if let Some(most) = self.read.limit_of_memory() {
            options.insert("memory (the longest record)".to_owned(), most.to_string());
        }
        if self.config.features.uses_antecedents() {
            let list = json!(self.config.words.spots_specification());
            options.insert("antecedents (the list)".to_owned(), list.to_string());
        }
        if let Some(plan) = &self.config.sampling.adaptive {
            let plan = json!(plan.to_string());
            options.insert("sample (the plan)".to_owned(), plan.to_string());
        }
        let of_codes = self.codes.iter().map(|plan| &plan.df);
        let of_lexicons = self.lexicons.iter().map(|plan| &plan.df);
        let of_weights = self.df.iter().map(|plan| &plan.df);
        for df in of_codes.chain(of_lexicons).chain(of_weights) {
            if let DfSource::Table(table) = df {
                let identity = json!(table.identity());
                options.insert("df-table (the table)".to_owned(), identity.to_string());
            }
        }
        options
    }
}

/// All parameters of a description by name; null where one is not set. A summary lists them all, so
/// that readers need not know the defaults of its version.
pub fn all_options<P: Params>(spec: &P) -> Map<String, Value> {
    let infos = P::infos().into_iter();
    infos
        .map(|info| {
            let value = spec.get(info.name).unwrap_or(Value::Null);
            (info.name.to_owned(), value)
        })
        .collect()
}

/// Files by where they are, whatever they are called: links and relative names lead to the same file.
///
/// Only files that exist have a real path; standard input is never in a set.
struct FileSet(BTreeSet<PathBuf>);

impl FileSet {
    fn of(found: &Discovered) -> Self {
        FileSet(found.files.iter().filter_map(real_path).collect())
    }

    fn contains(&self, file: &InputFile) -> bool {
        real_path(file).is_some_and(|path| self.0.contains(&path))
    }
}

/// Where a file is, without links; None for standard input.
fn real_path(file: &InputFile) -> Option<PathBuf> {
    file.path.as_ref()?.canonicalize().ok()
}

/// Refuses inputs within the output folder: the folder is replaced, and they would be lost.
pub(crate) fn check_outside(output: &Path, found: &Discovered) -> Result<()> {
    // A folder that does not exist yet holds nothing.
    let Ok(output) = output.canonicalize() else {
        return Ok(());
    };
    let is_within =
        |file: &&InputFile| real_path(file).is_some_and(|path| path.starts_with(&output));
    let Some(file) = found.files.iter().find(is_within) else {
        return Ok(());
    };
    let message = format!(
        "the folder holds {}, which is an input here and would be lost when the folder is \
         replaced; choose another one",
        file.name
    );
    Err(Error::config("output", message))
}
