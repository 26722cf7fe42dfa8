//! From a description to a job that cannot be wrong: every rule about parameters that depend on each other.
//!
//! The rules of one method are in `method`, those about options without effect in `effect`. A job holds
//! the completed description beside what was made of it: `summary.json` records the description, and
//! reading it back must give the same job (`tests/it/params.rs` tries every parameter).

use super::antecedents;
use super::codes::CodeOptions;
use super::effect::{self, Effects};
use super::method::{self, Asked};
use super::sampling_plan::PlanFile;
use super::spec::FindSpec;
use crate::exec::clock;
use crate::param::{OrAuto, OrNone, Params, Size, Within};
use crate::report::URL_FIELD;
use crate::spec::{
    CheckpointSpec, ClusterSpec, FeaturesSpec, InputSpec, LimitsSpec, MetadataSpec,
    OutputSpec, ReadingSpec, RecordSpec, ReferenceSpec, RestartSpec, SampleRule,
    SamplingSpec, SeedSpec, SimilaritySpec, TextSpec, ToleranceSpec, WordsSpec, WorkSpec,
};
use crate::system::memory;
use neardupe_core::candidate::filter::Filters;
use neardupe_core::document::{Origin, Progress, SharedMain, Side};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::Sampling;
use neardupe_core::hash::FeatureHash;
use neardupe_core::pipeline::codes::{CodePlan, DfPlan, DfSource, LexiconPlan};
use neardupe_core::pipeline::config::DEFAULT_MEMORY;
use neardupe_core::pipeline::{
    Against, ClusterMode, CompareFilters, FindConfig, Method, PairsMode,
};
use neardupe_core::similarity::Similarity;
use neardupe_core::store::budget::MIN_MEMORY;
use neardupe_core::store::{Budget, JobIdentity};
use neardupe_core::text::{StopWords, WordOptions};
use neardupe_io::charset;
use neardupe_io::extract::HtmlOptions;
use neardupe_io::output::{OutputFormat, beside};
use neardupe_io::source::{
    Discovered, FieldKeys, FileSource, InputFile, ReadOptions, TextOptions, discover,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

impl FindSpec {
    /// The job of this description. Everything that can be wrong by the parameters alone is refused here.
    pub fn validate(self) -> Result<FindJob> {
        self.validate_with(Effects::default())
    }

    /// The same; what parameters of words and texts do is noted in `effects`, for all jobs that share it.
    pub fn validate_with(self, effects: Effects) -> Result<FindJob> {
        // Before the preset is put under it.
        let given = self.to_map().keys().cloned().collect();
        let spec = self.with_preset()?;
        // Every field is named: a new group of parameters does not compile until somebody has decided
        // about it.
        let FindSpec {
            input,
            similarity: _,
            cluster: clustering,
            sampling: sampled,
            method: _,
            reference,
            reading,
            metadata,
            tolerance,
            output: writing,
            work,
            restart,
            preset,
            remove_containing: _,
        } = &spec;
        let is = |switch: Option<bool>| switch.unwrap_or(false);
        let (write_text, no_text) = (is(writing.write_text), is(writing.no_text));
        if no_text && write_text {
            let message = "`write-text` writes what this leaves out";
            return Err(Error::config("no-text", message));
        }
        // Sampling and features come first: the method depends on both, and most rules on the method.
        let rules = sampled.sample.clone().unwrap_or_default();
        let (sampling, plan, planned_precision) = resolve_sampling(&rules)?;
        let keep_exact = is(sampled.keep_exact);
        if keep_exact && sampling.commonality.is_none() {
            let message = "needs `sample commonality:N`; without it equal documents are similar in \
                           any case";
            return Err(Error::config("keep-exact", message));
        }
        // The default depends on the method, so it is no `Default` of the type.
        let features = match reading.features.features {
            Some(features) => features,
            None => method::default_features(&spec.method).parse()?,
        };
        let asked = method::resolve(&spec, features, &sampling)?;
        let (similarity, threshold) = (asked.similarity, asked.threshold);
        let of_words = &reading.words;
        // The features decide which parameters of words mean anything.
        let chosen = antecedents::resolve(of_words.antecedents.as_deref(), features)?;
        let stop_words = of_words.stop_words.as_deref().unwrap_or("none");
        let words = WordOptions {
            rule: of_words.words,
            stop_words: resolve_stop_words(stop_words)?,
            stem: of_words.stem.unwrap_or_default(),
            antecedents: chosen.list.clone(),
            hash: reading.features.hash.unwrap_or_default(),
            effect: Arc::clone(&effects.words),
        };
        if !features.takes_hash() && words.hash != FeatureHash::Multilinear {
            let message = "spot signatures are made of the hashes of words";
            return Err(Error::config("hash", message));
        }
        let keep = clustering.keep.clone().unwrap_or_default();
        let cluster = clustering.cluster.unwrap_or_default();
        let pairs = resolve_pairs(clustering.pairs, cluster)?;
        let against = resolve_against(&spec, similarity, cluster)?;
        effect::check(&spec, &sampling, cluster)?;
        // Features that are searched later must be all of a document's, and depend on nothing else.
        let is_sampled = sampling.modulus.is_some() || !sampling.is_by_hash();
        let of_itself = !is_sampled && clustering.block_by.is_none();
        let keep_work = is(restart.keep_work);
        if keep_work && let Some(reason) = asked.cannot_keep_work() {
            let message = format!("keeps features to be searched; {reason}");
            return Err(Error::config("keep-work", message));
        }
        if keep_work && !(of_itself && against.is_none()) {
            let message = "keeps features to be searched; with `sample`, `block-by` or \
                           `against` they are not those of each document by itself";
            return Err(Error::config("keep-work", message));
        }
        // All filters are on unless switched off; the signature filter is the only one that can lose pairs.
        let mut filters = Filters {
            signature: asked.needed_keys,
            ..Filters::default()
        };
        let no_filter = spec.method.no_filter.clone().unwrap_or_default();
        for &filter in &no_filter {
            filters = filters.without(filter);
        }
        let threads = match reading.limits.threads {
            None => std::thread::available_parallelism().map_or(1, usize::from),
            Some(threads) => threads.usize(),
        };
        let memory = resolve_memory(work.memory)?;
        // The budget depends on the number of threads: each has buffers of its own.
        let mut budget = Budget::new(memory, threads);
        let checkpoint = is(restart.checkpoint.checkpoint);
        // Features in memory could not be kept.
        budget.checkpoint = checkpoint || keep_work;
        budget.keep_features = keep_work;
        let format = writing.output_format.unwrap_or_default();
        let record = &reading.record;
        let usual = ReadOptions::default();
        let max_record_bytes = record
            .max_record_bytes
            .map_or(usual.max_record_bytes, |size| size.0);
        let max_expansion = record
            .max_expansion
            .map_or(usual.max_expansion, |number| number.0);
        let mut text_options = resolve_text(&reading.text, write_text, &effects)?;
        // Codes that weigh titles and links need to see them in the text.
        let tagged = |codes: &CodeOptions| codes.variant.tagged.is_some();
        let is_tagged = asked.codes.as_ref().is_some_and(tagged);
        text_options.html.keep_regions |= is_tagged;
        text_options.html.keep_links |= is_tagged;
        let output = writing.output.clone();
        let output = output.unwrap_or_else(|| PathBuf::from("neardupe-out"));
        // The result is renamed into place: a link to a folder elsewhere must stay a link, and the
        // folder behind it be replaced.
        let output = if output.is_symlink() {
            output.canonicalize().unwrap_or(output)
        } else {
            output
        };
        let work_dir = match &work.work_dir {
            Some(folder) => {
                beside(&folder.join(output.file_name().unwrap_or_default()), "work")
            }
            // On a disk that is meant for results; the directory of the system may be in memory.
            None => beside(&output, "work"),
        };
        // Fields that were asked for come first: `num_metadata` of them are written.
        let asked_fields = metadata.meta_key.clone().unwrap_or_default();
        let mut fields = asked_fields.clone();
        let num_metadata = fields.len();
        let block_by = clustering.block_by.as_deref();
        let wanted = [keep.field(), block_by, Some(URL_FIELD)];
        let of_codes = asked.codes.iter().flat_map(CodeOptions::fields);
        for field in wanted.into_iter().flatten().chain(of_codes) {
            if !fields.iter().any(|name| name == field) {
                fields.push(field.to_owned());
            }
        }
        let mut keys = FieldKeys {
            metadata: fields.clone(),
            ..FieldKeys::default()
        };
        keys.id = record.id_key.clone().unwrap_or(keys.id);
        keys.text = match &record.text_key {
            Some(given) if !given.is_empty() => given.clone(),
            _ => keys.text,
        };
        let allow_bad_records = tolerance.allow_bad_records.map_or(0, |number| number.0);
        let seed = reading.seed.seed.map_or(0, |seed| seed.0);
        let strict = is(tolerance.strict);
        let code_plan = asked
            .codes
            .as_ref()
            .map(|codes| codes.plan(features, &words, seed, &fields, num_metadata))
            .transpose()?;
        let has_keys = asked.method != Method::Exact
            || filters.signature.is_some()
            || asked.compared.is_some();
        let lexicons = if has_keys {
            asked.lexicon_plan(&spec, &words, seed)?
        } else {
            None
        };
        let df = asked.df_plan(features, &words, seed)?;
        // Every default is filled in, except where a parameter does not apply: those are null in a summary.
        let completed = FindSpec {
            input: InputSpec {
                inputs: Some(input.inputs.clone().unwrap_or_default()),
            },
            similarity: SimilaritySpec {
                threshold: Some(threshold),
                similarity: Some(similarity),
                min_overlap: Some(Within(u64::from(asked.min_overlap))),
            },
            cluster: ClusterSpec {
                keep: Some(keep.clone()),
                cluster: Some(cluster),
                pairs: Some(pairs),
                block_by: clustering.block_by.clone(),
            },
            sampling: SamplingSpec {
                // `none` overrides a preset, whose rules are gone from here on.
                sample: Some(rules.into_iter().filter(|rule| !rule.is_none()).collect()),
                keep_exact: sampling.commonality.map(|_| keep_exact),
            },
            method: asked.completed(&spec, no_filter),
            reference: ReferenceSpec {
                against: Some(reference.against.clone().unwrap_or_default()),
                within: Some(is(reference.within)),
            },
            reading: ReadingSpec {
                features: FeaturesSpec {
                    features: Some(features),
                    hash: Some(words.hash),
                },
                words: WordsSpec {
                    words: Some(features.word_rule(&words)),
                    stop_words: Some(stop_words.to_owned()),
                    stem: Some(words.stem),
                    antecedents: features.uses_antecedents().then(|| {
                        let given = of_words.antecedents.clone();
                        given.unwrap_or_else(|| antecedents::PUBLISHED.to_owned())
                    }),
                },
                text: TextSpec {
                    text_type: Some(text_options.text_type),
                    content: Some(text_options.content_name()),
                    charset: Some(
                        reading.text.charset.clone().unwrap_or("auto".to_owned()),
                    ),
                    max_html_depth: Some(Within(u64::from(text_options.html.max_depth))),
                    max_html_nodes: Some(Within(text_options.html.max_nodes)),
                },
                record: RecordSpec {
                    id_key: Some(keys.id.clone()),
                    text_key: Some(keys.text.clone()),
                    input_format: Some(record.input_format.unwrap_or(OrAuto::Auto)),
                    max_record_bytes: Some(Size(max_record_bytes)),
                    max_expansion: Some(Within(max_expansion)),
                },
                seed: SeedSpec {
                    seed: Some(Within(seed)),
                },
                limits: LimitsSpec {
                    threads: Some(Within(threads as u64)),
                },
            },
            metadata: MetadataSpec {
                meta_key: Some(asked_fields),
            },
            tolerance: ToleranceSpec {
                strict: Some(strict),
                allow_bad_records: Some(Within(allow_bad_records)),
            },
            output: OutputSpec {
                output: Some(output.clone()),
                output_format: Some(format),
                write_text: Some(write_text),
                no_text: Some(no_text),
            },
            work: WorkSpec {
                memory: Some(Size(memory)),
                // The folder, as it would be typed: the name of the work directory in it follows from
                // the output.
                work_dir: Some(work_folder(&work_dir)),
            },
            restart: RestartSpec {
                checkpoint: CheckpointSpec {
                    checkpoint: Some(checkpoint),
                },
                keep_work: Some(keep_work),
            },
            preset: *preset,
            remove_containing: Some(is(spec.remove_containing)),
        };
        Ok(FindJob {
            codes: code_plan,
            lexicons,
            df,
            given,
            config: FindConfig {
                similarity,
                threshold,
                min_overlap: asked.min_overlap,
                method: asked.method,
                sampling,
                keep_exact,
                block_by: clustering.block_by.clone(),
                against,
                features,
                words,
                seed,
                keep,
                cluster,
                pairs,
                filters,
                count_words: false,
                // The comparison runs the join once more with keys that the job itself does not use.
                compare_filters: asked.compared.map(|(_, needed)| CompareFilters {
                    signature: Some(needed),
                    ..CompareFilters::new(clock)
                }),
                strict,
                threads,
                metadata: fields,
                budget,
                ..FindConfig::new(work_dir)
            },
            read: ReadOptions {
                keys,
                format: record.input_format.and_then(OrAuto::this),
                max_record_bytes,
                max_expansion,
                text: text_options,
                ..ReadOptions::default()
            },
            plan,
            planned_precision,
            shared_main: Vec::new(),
            to_count: chosen.to_count,
            num_metadata,
            output,
            names_output: writing.output.is_some(),
            format,
            write_text,
            no_text,
            allow_bad_records,
            resumed: false,
            spec: completed,
        })
    }
}

/// The folder in which a work directory is.
fn work_folder(work_dir: &Path) -> PathBuf {
    let folder = work_dir.parent().unwrap_or(Path::new(""));
    // A bare name has an empty parent, which means the current folder.
    if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder.to_owned()
    }
}

impl FindJob {
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
        let new = discover(inputs, self.read.format)?;
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
        let mut found = discover(self.against(), self.read.format)?;
        check_outside(&self.output, &found)?;
        check(&mut found, &FileSet::of(&new))?;
        found
            .files
            .iter_mut()
            .for_each(|file| file.side = Side::Old);
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
    /// files may change between two runs of a job, while their names stay. Hashes and specifications
    /// stand for large ones.
    pub(crate) fn contents(&self) -> BTreeMap<String, String> {
        let mut options = BTreeMap::new();
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

/// Combines the rules of sampling. Also returns the plan that was read for them, and the precision that
/// one is still to be made for.
fn resolve_sampling(
    rules: &[SampleRule],
) -> Result<(Sampling, Option<PlanFile>, Option<f64>)> {
    let mut sampling = Sampling::default();
    let (mut plan, mut planned_precision) = (None, None);
    for rule in rules {
        let read = match rule {
            SampleRule::None => continue,
            SampleRule::Rule(rule) => {
                sampling = sampling.and(rule)?;
                continue;
            }
            SampleRule::AdaptivePrecision(target) => {
                planned_precision = Some(target.value);
                // Adaptive sampling from the start, so that its rules apply; the real plan replaces this one.
                PlanFile::of_everything()
            }
            SampleRule::AdaptivePlan(path) => PlanFile::read(path)?,
        };
        if sampling.adaptive.replace(Arc::new(read.plan()?)).is_some() {
            return Err(Error::config("sample", "adaptive is given twice"));
        }
        plan = Some(read);
    }
    Ok((sampling, plan, planned_precision))
}

/// How new documents are compared with old ones; None without old ones. Their files are found later.
fn resolve_against(
    spec: &FindSpec,
    similarity: Similarity,
    cluster: ClusterMode,
) -> Result<Option<Against>> {
    let wrong = |param: &str, message: &str| Err(Error::config(param, message));
    let within = spec.reference.within == Some(true);
    let remove_containing = spec.remove_containing == Some(true);
    let against = spec.reference.against.as_deref().unwrap_or_default();
    if against.is_empty() {
        for (param, given) in
            [("within", within), ("remove-containing", remove_containing)]
        {
            if given {
                return wrong(param, "needs `against`, which names the old documents");
            }
        }
        return Ok(None);
    }
    if cluster == ClusterMode::Components {
        let message = "components would join old documents, which are all kept; \
                       choose star, neighbors or none";
        return wrong("cluster", message);
    }
    if remove_containing && similarity != Similarity::Containment {
        return wrong("remove-containing", "needs `similarity containment`");
    }
    Ok(Some(Against {
        within,
        remove_containing,
    }))
}

/// The options of texts. `write_text` wants regions and links of pages as well.
fn resolve_text(
    spec: &TextSpec,
    write_text: bool,
    effects: &Effects,
) -> Result<TextOptions> {
    let charset = match spec.charset.as_deref() {
        None | Some("auto") => None,
        Some(name) => Some(charset::by_label(name).ok_or_else(|| {
            let message = format!(
                "{name:?} is not auto, nor a character set of the web such as utf-8, \
                 windows-1252, gbk, big5, shift_jis, euc-kr, koi8-r"
            );
            Error::config("charset", message)
        })?),
    };
    let mut html = HtmlOptions {
        keep_regions: write_text,
        keep_links: write_text,
        ..HtmlOptions::default()
    };
    if let Some(depth) = spec.max_html_depth {
        html.max_depth = depth.u32();
    }
    if let Some(nodes) = spec.max_html_nodes {
        html.max_nodes = nodes.0;
    }
    let mut text = TextOptions {
        text_type: spec.text_type.unwrap_or_default(),
        html,
        charset,
        full_for: None,
        effect: Arc::clone(&effects.texts),
    };
    text.set_content(spec.content.as_deref().unwrap_or("full"))?;
    Ok(text)
}

/// Reads a list of stop words: a name goes before a file, so a file called `en` is given as `./en`.
fn resolve_stop_words(given: &str) -> Result<StopWords> {
    if let Some(named) = StopWords::named(given) {
        return Ok(named);
    }
    let path = Path::new(given);
    if !path.is_file() {
        return Err(StopWords::unknown(given));
    }
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    let lines = String::from_utf8(bytes)
        .map_err(|_| Error::config("stop-words", format!("{given:?} is not UTF-8")))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(StopWords::from_lines(&name, &lines))
}

/// Which pairs are written. Evidence is the pair of each duplicate and its representative, so there
/// must be some.
fn resolve_pairs(given: Option<PairsMode>, cluster: ClusterMode) -> Result<PairsMode> {
    let evident = matches!(cluster, ClusterMode::Star | ClusterMode::Components);
    match given {
        None if evident => Ok(PairsMode::Evidence),
        None => Ok(PairsMode::All),
        Some(PairsMode::Evidence) if cluster == ClusterMode::None => {
            let message =
                "evidence needs clusters; with `cluster none` choose all or none";
            Err(Error::config("pairs", message))
        }
        Some(pairs) => Ok(pairs),
    }
}

/// The memory of the job: the given size, or half of the free memory. A size below the minimum is an
/// error when it was given, and raised when it was found out.
pub(crate) fn resolve_memory(given: Option<Size>) -> Result<u64> {
    let Some(Size(memory)) = given else {
        let half = memory::free_bytes().map(|free| free / 2);
        return Ok(half.unwrap_or(DEFAULT_MEMORY).max(MIN_MEMORY));
    };
    if memory < MIN_MEMORY {
        let least = MIN_MEMORY >> 20;
        // As it was probably typed.
        let given = match memory % (1 << 20) {
            0 => format!("{}M", memory >> 20),
            _ => memory.to_string(),
        };
        let message = format!("{given:?} is too little; at least {least}M are needed");
        return Err(Error::config("memory", message));
    }
    Ok(memory)
}

impl Asked {
    /// The parameters of the method, as they are used; None for those of other methods.
    fn completed(
        &self,
        spec: &FindSpec,
        no_filter: Vec<neardupe_core::candidate::filter::Filter>,
    ) -> crate::spec::MethodSpec {
        let given = &spec.method;
        let filter = match self.lexicons {
            Some(settings) => Some(OrNone::This(settings)),
            // With a preset in the summary, a missing value would mean the filter of the preset.
            None => spec.preset.map(|_| OrNone::None),
        };
        let codes = self.codes.as_ref();
        let table = given
            .df_table
            .clone()
            .unwrap_or(super::codes::COLLECTION.to_owned());
        // The table of a signature filter; methods name their own below.
        let table = self.lexicons.map(|_| table);
        let of_codes = codes.and_then(CodeOptions::table_name).map(str::to_owned);
        let reserve = codes.and_then(|codes| codes.reserve.as_ref());
        let mut completed = crate::spec::MethodSpec {
            method: Some(self.choice),
            variant: codes.map(|codes| codes.variant.to_string()),
            idf: codes.map(|codes| codes.idf),
            df_table: of_codes.or(table).or(self.df_table.clone()),
            // With its bits, which may have been left open.
            reserve: reserve.map(|one| format!("{}:{}", one.field, one.bits)),
            signature_filter: filter,
            signature_distance: self
                .signature_distance()
                .map(|number| Within(number.into())),
            no_filter: Some(no_filter),
            compare_filters: Some(given.compare_filters == Some(true)),
            ..crate::spec::MethodSpec::default()
        };
        self.complete(given, &mut completed);
        completed
    }
}
