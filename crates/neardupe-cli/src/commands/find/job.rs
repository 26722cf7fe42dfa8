//! From what was typed to what will be done.

use super::super::codes::CodeOptions;
use super::antecedents;
use super::effect;
use super::method;
use super::options::FindOptions;
use super::sampling_plan::{ADAPTIVE, PRECISION, PlanFile, precision};
use super::warnings::{print_warnings, shared_main_warning};
use crate::memory;
use crate::options::{size_bytes, whole_number};
use anyhow::Result;
use neardupe_core::candidate::filter::{Filter, Filters};
use neardupe_core::cluster::Keep;
use neardupe_core::document::{Origin, Progress, SharedMain};
use neardupe_core::error::Error;
use neardupe_core::feature::{FeatureKind, Sampling};
use neardupe_core::hash::FeatureHash;
use neardupe_core::pipeline::codes::{CodePlan, DfSource, LexiconPlan};
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
use neardupe_io::report::URL_FIELD;
use neardupe_io::source::{
    Discovered, FieldKeys, FileSource, InputFile, InputFormat, ReadOptions, TextOptions,
    discover,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The job as it will be done.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) config: FindConfig,
    /// How simhashes shall be made.
    pub(crate) codes: Option<CodePlan>,
    /// How keys of I-Match shall be made.
    pub(crate) lexicons: Option<LexiconPlan>,
    pub(crate) read: ReadOptions,
    /// The plan of adaptive sampling, as it was read.
    pub(super) plan: Option<PlanFile>,
    /// A plan shall be made for this precision, when the input is known.
    pub(super) planned_precision: Option<f64>,
    /// Texts that are the main content of many pages, whose full text is taken.
    pub(crate) shared_main: Vec<SharedMain>,
    /// Where the old documents are.
    against: Vec<String>,
    /// The most frequent words of the input shall be the antecedents: so many. They are counted
    /// when the input is known.
    pub(super) to_count: Option<usize>,
    /// How many of the metadata fields were asked for; `--keep` may add one, and the report
    /// wants the address.
    pub(crate) num_metadata: usize,
    pub(crate) output: PathBuf,
    /// The output was named, not left to the default.
    pub(crate) names_output: bool,
    pub(crate) format: OutputFormat,
    pub(crate) write_text: bool,
    pub(crate) no_text: bool,
    pub(crate) allow_bad_records: u64,
    /// The job goes on where another one stopped.
    pub(super) resumed: bool,
    pub(crate) options: BTreeMap<String, serde_json::Value>,
}

impl Job {
    pub(crate) fn resolve(inputs: &[String], options: &FindOptions) -> Result<Job> {
        let text = |value: &Option<String>, default: &str| {
            value.clone().unwrap_or_else(|| default.to_owned())
        };
        if options.no_text && options.write_text {
            let message = "--write-text writes what this leaves out";
            return Err(Error::config("--no-text", message).into());
        }
        let mut sampling = Sampling::default();
        let (mut adaptive, mut planned_precision) = (None, None);
        for typed in &options.sample {
            let Some(file) = typed.strip_prefix(ADAPTIVE) else {
                sampling = sampling.and(typed)?;
                continue;
            };
            let read = match file.strip_prefix(PRECISION) {
                Some(target) => {
                    planned_precision = Some(precision("--sample", target)?);
                    PlanFile::of_everything()
                }
                None => PlanFile::read(file)?,
            };
            if sampling.adaptive.replace(Arc::new(read.plan()?)).is_some() {
                let message = "adaptive is given twice";
                return Err(Error::config("--sample", message).into());
            }
            adaptive = Some(read);
        }
        if options.keep_exact && sampling.commonality.is_none() {
            let message = "needs --sample commonality:N; without it equal documents are similar in \
                           any case";
            return Err(Error::config("--keep-exact", message).into());
        }
        let features = text(&options.features, method::default_features(options));
        let features: FeatureKind = features.parse()?;
        let asked = method::resolve(options, features, &sampling)?;
        let (similarity, threshold) = (asked.similarity, asked.threshold);
        let chosen = antecedents::resolve(options.antecedents.as_deref(), features)?;
        let words = WordOptions {
            rule: options.words.as_deref().map(str::parse).transpose()?,
            stop_words: resolve_stop_words(&text(&options.stop_words, "none"))?,
            stem: text(&options.stem, "none").parse()?,
            antecedents: chosen.list.clone(),
            hash: text(&options.hash, "multilinear").parse()?,
            effect: Arc::clone(&options.effects.words),
        };
        if features == FeatureKind::SpotSigs && words.hash != FeatureHash::Multilinear {
            let message = "spot signatures are made of the hashes of words";
            return Err(Error::config("--hash", message).into());
        }
        let keep: Keep = text(&options.keep, "longest").parse()?;
        let cluster: ClusterMode = text(&options.cluster, "star").parse()?;
        let pairs = resolve_pairs(options.pairs.as_deref(), cluster)?;
        let against = resolve_against(options, similarity, cluster)?;
        effect::check(options, &sampling, cluster)?;
        let is_sampled = sampling.modulus.is_some() || !sampling.is_by_hash();
        let of_itself = !is_sampled && options.block_by.is_none();
        if options.keep_work && matches!(asked.method, Method::Simhash(_)) {
            let message = "keeps features to be searched; simhash compares codes";
            return Err(Error::config("--keep-work", message).into());
        }
        if options.keep_work && !(of_itself && against.is_none()) {
            let message = "keeps features to be searched; with --sample, --block-by or \
                           --against they are not those of each document by itself";
            return Err(Error::config("--keep-work", message).into());
        }
        let mut filters = Filters {
            signature: asked.needed_keys,
            ..Filters::default()
        };
        for name in &options.no_filter {
            filters = filters.without(name.parse::<Filter>()?);
        }
        let threads = match &options.threads {
            None => std::thread::available_parallelism().map_or(1, usize::from),
            Some(typed) => usize::try_from(whole_number("--threads", typed, 1..=1024)?)?,
        };
        let memory = resolve_memory(options.memory.as_deref())?;
        let mut budget = Budget::new(memory, threads);
        budget.checkpoint = options.checkpoint || options.keep_work;
        budget.keep_features = options.keep_work;
        let format: OutputFormat = text(&options.output_format, "jsonl").parse()?;
        let input_format = match options.input_format.as_deref() {
            None | Some("auto") => None,
            Some(name) => Some(name.parse::<InputFormat>()?),
        };
        let max_record_bytes = match &options.max_record_bytes {
            None => ReadOptions::default().max_record_bytes,
            Some(size) => size_bytes("--max-record-bytes", size)?,
        };
        let max_expansion = match &options.max_expansion {
            None => ReadOptions::default().max_expansion,
            Some(typed) => whole_number("--max-expansion", typed, 1..=u64::MAX)?,
        };
        let mut text_options = resolve_text(options)?;
        let tagged = |codes: &CodeOptions| codes.variant.tagged.is_some();
        let is_tagged = asked.codes.as_ref().is_some_and(tagged);
        text_options.html.keep_regions |= is_tagged;
        text_options.html.keep_links |= is_tagged;
        let output = options
            .output
            .clone()
            .unwrap_or_else(|| PathBuf::from("neardupe-out"));
        // A link to a folder elsewhere stays a link.
        let output = match output.is_symlink() {
            true => output.canonicalize().unwrap_or(output),
            false => output,
        };
        let work_dir = match &options.work_dir {
            Some(folder) => {
                beside(&folder.join(output.file_name().unwrap_or_default()), "work")
            }
            // On a disk meant for results.
            None => beside(&output, "work"),
        };
        let mut metadata = options.meta_key.clone();
        let num_metadata = metadata.len();
        let wanted = [keep.field(), options.block_by.as_deref(), Some(URL_FIELD)];
        let of_codes = asked.codes.iter().flat_map(CodeOptions::fields);
        for field in wanted.into_iter().flatten().chain(of_codes) {
            if !metadata.iter().any(|name| name == field) {
                metadata.push(field.to_owned());
            }
        }
        let mut keys = FieldKeys {
            metadata: metadata.clone(),
            ..FieldKeys::default()
        };
        keys.id = options.id_key.clone().unwrap_or(keys.id);
        if !options.text_key.is_empty() {
            keys.text = options.text_key.clone();
        }
        let number = |flag: &str, typed: &Option<String>| match typed {
            None => Ok(0),
            Some(typed) => whole_number(flag, typed, 0..=u64::MAX),
        };
        let allow_bad_records =
            number("--allow-bad-records", &options.allow_bad_records)?;
        let seed = number("--seed", &options.seed)?;
        let mut shown = BTreeMap::from([
            ("inputs".to_owned(), json!(inputs)),
            ("preset".to_owned(), json!(options.preset)),
            ("threshold".to_owned(), json!(threshold.to_string())),
            ("similarity".to_owned(), json!(similarity.to_string())),
            ("min-overlap".to_owned(), json!(asked.min_overlap)),
            ("sample".to_owned(), json!(options.sample)),
            ("block-by".to_owned(), json!(options.block_by)),
            ("against".to_owned(), json!(options.against)),
            ("within".to_owned(), json!(options.within)),
            (
                "remove-containing".to_owned(),
                json!(options.remove_containing),
            ),
            ("features".to_owned(), json!(features.to_string())),
            ("hash".to_owned(), json!(words.hash.to_string())),
            (
                "words".to_owned(),
                json!(features.word_rule(&words).to_string()),
            ),
            (
                "stop-words".to_owned(),
                json!(text(&options.stop_words, "none")),
            ),
            ("stem".to_owned(), json!(words.stem.to_string())),
            ("keep".to_owned(), json!(keep.to_string())),
            ("cluster".to_owned(), json!(cluster.to_string())),
            ("pairs".to_owned(), json!(pairs.to_string())),
            ("id-key".to_owned(), json!(keys.id)),
            ("text-key".to_owned(), json!(keys.text)),
            ("meta-key".to_owned(), json!(options.meta_key)),
            (
                "input-format".to_owned(),
                json!(text(&options.input_format, "auto")),
            ),
            ("max-record-bytes".to_owned(), json!(max_record_bytes)),
            ("max-expansion".to_owned(), json!(max_expansion)),
            (
                "text-type".to_owned(),
                json!(text(&options.text_type, "format")),
            ),
            ("content".to_owned(), json!(text_options.content_name())),
            ("charset".to_owned(), json!(text(&options.charset, "auto"))),
            (
                "max-html-depth".to_owned(),
                json!(text_options.html.max_depth),
            ),
            (
                "max-html-nodes".to_owned(),
                json!(text_options.html.max_nodes),
            ),
            ("write-text".to_owned(), json!(options.write_text)),
            ("no-text".to_owned(), json!(options.no_text)),
            ("strict".to_owned(), json!(options.strict)),
            ("allow-bad-records".to_owned(), json!(allow_bad_records)),
            ("output".to_owned(), json!(output.to_string_lossy())),
            ("output-format".to_owned(), json!(format.name())),
            ("threads".to_owned(), json!(threads)),
            ("memory".to_owned(), json!(memory)),
            ("work-dir".to_owned(), json!(work_dir.to_string_lossy())),
            ("checkpoint".to_owned(), json!(options.checkpoint)),
            ("keep-work".to_owned(), json!(options.keep_work)),
            ("seed".to_owned(), json!(seed)),
            ("no-filter".to_owned(), json!(options.no_filter)),
            ("compare-filters".to_owned(), json!(options.compare_filters)),
        ]);
        if sampling.commonality.is_some() {
            shown.insert("keep-exact".to_owned(), json!(options.keep_exact));
        }
        let of_method = asked.shown(options).into_iter();
        shown.extend(of_method.map(|(name, value)| (name.to_owned(), value)));
        let plan = asked
            .codes
            .as_ref()
            .map(|codes| codes.plan(features, &words, seed, &metadata, num_metadata));
        if features == FeatureKind::SpotSigs {
            let antecedents = text(&options.antecedents, antecedents::PUBLISHED);
            shown.insert("antecedents".to_owned(), json!(antecedents));
        }
        Ok(Job {
            codes: plan.transpose()?,
            lexicons: match asked.method == Method::Exact
                && filters.signature.is_none()
                && asked.compared.is_none()
            {
                true => None,
                false => asked.lexicon_plan(options, &words, seed)?,
            },
            config: FindConfig {
                similarity,
                threshold,
                min_overlap: asked.min_overlap,
                method: asked.method,
                sampling,
                keep_exact: options.keep_exact,
                block_by: options.block_by.clone(),
                against,
                features,
                words,
                seed,
                keep,
                cluster,
                pairs,
                filters,
                count_words: false,
                compare_filters: asked.compared.map(|(_, needed)| CompareFilters {
                    signature: Some(needed),
                    ..CompareFilters::new(clock)
                }),
                strict: options.strict,
                threads,
                metadata,
                budget,
                ..FindConfig::new(work_dir)
            },
            read: ReadOptions {
                keys,
                format: input_format,
                max_record_bytes,
                max_expansion,
                text: text_options,
                ..ReadOptions::default()
            },
            plan: adaptive,
            planned_precision,
            shared_main: Vec::new(),
            against: options.against.clone(),
            to_count: chosen.to_count,
            num_metadata,
            output,
            names_output: options.output.is_some(),
            format,
            write_text: options.write_text,
            no_text: options.no_text,
            allow_bad_records,
            resumed: false,
            options: shown,
        })
    }
}

impl Job {
    /// The metadata fields that the user named, each with its option.
    pub(crate) fn named_fields(&self) -> Vec<(&'static str, &str)> {
        let of_rules = [
            ("--keep", self.config.keep.field()),
            ("--block-by", self.config.block_by.as_deref()),
        ];
        let of_rules = of_rules
            .into_iter()
            .filter_map(|(option, field)| field.map(|field| (option, field)));
        let listed = self.config.metadata[..self.num_metadata].iter();
        let listed = listed.map(|field| ("--meta-key", field.as_str()));
        let numeric = self.codes.iter().flat_map(|codes| &codes.variant.numeric);
        let numeric = numeric.map(|numeric| ("--variant", numeric.field.as_str()));
        let reserved = self.codes.iter().filter_map(|codes| codes.reserve.as_ref());
        let reserved = reserved.map(|reserve| ("--reserve", reserve.field.as_str()));
        of_rules
            .chain(listed)
            .chain(numeric)
            .chain(reserved)
            .collect()
    }

    /// Refuses, before anything is read, a field that can have no value by the schema of a file.
    pub(crate) fn check_columns(&self, source: &FileSource) -> Result<()> {
        let named = self.named_fields();
        if named.is_empty() {
            return Ok(());
        }
        let fields: Vec<&str> = named.iter().map(|&(_, field)| field).collect();
        let Some((file, field, found)) = source.unusable_column(&fields)? else {
            return Ok(());
        };
        let option = named.iter().find(|(_, named)| *named == field);
        let message = format!(
            "column {field} of {file} is {found}, which is no single value; name another field, \
             or one within it ({field}.NAME)"
        );
        let option = option.map_or("--meta-key", |(option, _)| option);
        Err(Error::config(option, message).into())
    }

    /// The files as a source. Where main contents are wanted, those that many pages share are
    /// looked for first, and recorded with the options: these pages keep their full text.
    pub(crate) fn open(
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
        self.read.text = source.text_options().clone();
        let content = json!(self.read.text.content_name());
        self.options.insert("content".to_owned(), content);
        self.shared_main = shared;
        Ok(source)
    }

    /// The same, for commands that have no summary with warnings: what was found is printed.
    pub(crate) fn open_and_warn(
        &mut self,
        files: Vec<InputFile>,
        progress: &dyn Progress,
    ) -> Result<FileSource> {
        let source = self.open(files, progress)?;
        if let Some(warning) = shared_main_warning(self) {
            print_warnings(&[warning])?;
        }
        Ok(source)
    }

    /// Finds the files to read: the old ones come first. A file on both sides is refused.
    pub(crate) fn discover(&mut self, inputs: &[String]) -> Result<Discovered> {
        self.discover_sides("--against", inputs, |old, new| {
            let both = old.files.iter().find(|file| new.contains(file));
            let Some(path) = both.and_then(real_path) else {
                return Ok(());
            };
            let message = format!(
                "{} is also among the input: all of it would be a duplicate of itself",
                path.display()
            );
            Err(Error::config("--against", message).into())
        })
    }

    /// The same for documents that are checked against a collection: a file of the collection that
    /// is one of them is not compared with itself. How many were left out for that.
    pub(crate) fn discover_to_check(
        &mut self,
        queries: &[String],
    ) -> Result<(Discovered, u64)> {
        let mut num_own = 0;
        let found = self.discover_sides("--query", queries, |old, new| {
            let before = old.files.len();
            old.files.retain(|file| !new.contains(file));
            num_own = (before - old.files.len()) as u64;
            if !old.files.is_empty() {
                return Ok(());
            }
            let message = "every file of the input is also a query, so nothing is left to compare \
                           with; to compare the documents with each other, leave --query out";
            Err(Error::config("--query", message).into())
        })?;
        Ok((found, num_own))
    }

    fn discover_sides(
        &mut self,
        flag: &str,
        inputs: &[String],
        check: impl FnOnce(&mut Discovered, &FileSet) -> Result<()>,
    ) -> Result<Discovered> {
        let new = discover(inputs, self.read.format)?;
        check_outside(&self.output, &new)?;
        let Some(against) = &mut self.config.against else {
            return Ok(new);
        };
        let both = self.against.iter().chain(inputs);
        if both.filter(|name| *name == "-").count() > 1 {
            let message = "standard input can be read only once; name files";
            return Err(Error::config(flag, message).into());
        }
        let mut found = discover(&self.against, self.read.format)?;
        check_outside(&self.output, &found)?;
        check(&mut found, &FileSet::of(&new))?;
        against.num_old_files = u32::try_from(found.files.len())?;
        found.files.extend(new.files);
        found.skipped.extend(new.skipped);
        Ok(found)
    }
}

/// Files by where they are, whatever they are called.
struct FileSet(BTreeSet<PathBuf>);

impl FileSet {
    fn of(found: &Discovered) -> Self {
        FileSet(found.files.iter().filter_map(real_path).collect())
    }

    fn contains(&self, file: &InputFile) -> bool {
        real_path(file).is_some_and(|path| self.0.contains(&path))
    }
}

/// Where a file is, without links.
fn real_path(file: &InputFile) -> Option<PathBuf> {
    file.path.as_ref()?.canonicalize().ok()
}

/// Refuses to read what lies in the output folder: it would be replaced, and lost.
fn check_outside(output: &Path, found: &Discovered) -> Result<()> {
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
    Err(Error::config("--output", message).into())
}

/// What new documents are compared with; how many files it is in is not known yet.
fn resolve_against(
    options: &FindOptions,
    similarity: Similarity,
    cluster: ClusterMode,
) -> Result<Option<Against>> {
    let wrong = |flag: &str, message: &str| Err(Error::config(flag, message).into());
    if options.against.is_empty() {
        for (flag, given) in [
            ("--within", options.within),
            ("--remove-containing", options.remove_containing),
        ] {
            if given {
                return wrong(flag, "needs --against, which names the old documents");
            }
        }
        return Ok(None);
    }
    if cluster == ClusterMode::Components {
        let message = "components would join old documents, which are all kept; \
                       choose star, neighbors or none";
        return wrong("--cluster", message);
    }
    if options.remove_containing && similarity != Similarity::Containment {
        return wrong("--remove-containing", "needs --similarity containment");
    }
    Ok(Some(Against {
        num_old_files: 0,
        within: options.within,
        remove_containing: options.remove_containing,
    }))
}

/// How texts are made.
fn resolve_text(options: &FindOptions) -> Result<TextOptions> {
    let text_type = options.text_type.as_deref().unwrap_or("format").parse()?;
    let charset = match options.charset.as_deref() {
        None | Some("auto") => None,
        Some(name) => Some(charset::by_label(name).ok_or_else(|| {
            let message = format!(
                "{name:?} is not auto, nor a character set of the web such as utf-8, \
                 windows-1252, gbk, big5, shift_jis, euc-kr, koi8-r"
            );
            Error::config("--charset", message)
        })?),
    };
    let mut html = HtmlOptions {
        keep_regions: options.write_text,
        keep_links: options.write_text,
        ..HtmlOptions::default()
    };
    if let Some(typed) = &options.max_html_depth {
        let depth = whole_number("--max-html-depth", typed, 1..=u64::from(u32::MAX))?;
        html.max_depth = u32::try_from(depth)?;
    }
    if let Some(typed) = &options.max_html_nodes {
        html.max_nodes = whole_number("--max-html-nodes", typed, 1..=u64::MAX)?;
    }
    let mut text = TextOptions {
        text_type,
        html,
        charset,
        full_for: None,
        effect: Arc::clone(&options.effects.texts),
    };
    text.set_content(options.content.as_deref().unwrap_or("full"))?;
    Ok(text)
}

/// Time since the program first asked for it.
pub(crate) fn clock() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// A name, or a file; a file called `en` is given as `./en`.
fn resolve_stop_words(typed: &str) -> Result<StopWords> {
    if let Some(named) = StopWords::named(typed) {
        return Ok(named);
    }
    let path = Path::new(typed);
    if !path.is_file() {
        return Err(StopWords::unknown(typed).into());
    }
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    let lines = String::from_utf8(bytes)
        .map_err(|_| Error::config("--stop-words", format!("{typed:?} is not UTF-8")))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(StopWords::from_lines(&name, &lines))
}

fn resolve_pairs(typed: Option<&str>, cluster: ClusterMode) -> Result<PairsMode> {
    let evident = matches!(cluster, ClusterMode::Star | ClusterMode::Components);
    let Some(typed) = typed else {
        return Ok(if evident {
            PairsMode::Evidence
        } else {
            PairsMode::All
        });
    };
    let pairs: PairsMode = typed.parse()?;
    if pairs == PairsMode::Evidence && cluster == ClusterMode::None {
        let message = "evidence needs clusters; with --cluster none choose all or none";
        return Err(Error::config("--pairs", message).into());
    }
    Ok(pairs)
}

/// At most what was typed, or half of what is free.
fn resolve_memory(typed: Option<&str>) -> Result<u64> {
    let Some(typed) = typed else {
        let half = memory::free_bytes().map(|free| free / 2);
        return Ok(half.unwrap_or(DEFAULT_MEMORY).max(MIN_MEMORY));
    };
    let memory = size_bytes("--memory", typed)?;
    if memory < MIN_MEMORY {
        let least = MIN_MEMORY >> 20;
        let message = format!("{typed:?} is too little; at least {least}M are needed");
        return Err(Error::config("--memory", message).into());
    }
    Ok(memory)
}

/// Options that change no result, or only how it is written: a job can be resumed with
/// others.
const FREE_OPTIONS: [&str; 8] = [
    "threads",
    "memory",
    "checkpoint",
    "work-dir",
    "output",
    "output-format",
    "allow-bad-records",
    "no-text",
];

impl Job {
    /// What must be the same for the job to be resumed.
    pub(super) fn identity(&self, origins: Option<Vec<Origin>>) -> JobIdentity {
        let options = self.options.iter();
        let options = options.filter(|(name, _)| !FREE_OPTIONS.contains(&name.as_str()));
        let mut options: BTreeMap<String, String> = options
            .map(|(name, value)| (format!("--{name}"), value.to_string()))
            .collect();
        if self.config.features == FeatureKind::SpotSigs {
            // The file may have been changed.
            let list = json!(self.config.words.spots_specification());
            options.insert("--antecedents (the list)".to_owned(), list.to_string());
        }
        if let Some(plan) = &self.config.sampling.adaptive {
            let plan = json!(plan.to_string());
            options.insert("--sample (the plan)".to_owned(), plan.to_string());
        }
        let of_codes = self.codes.iter().map(|plan| &plan.df);
        let of_lexicons = self.lexicons.iter().map(|plan| &plan.df);
        for df in of_codes.chain(of_lexicons) {
            if let DfSource::Table(table) = df {
                let identity = json!(table.identity());
                options.insert("--df-table (the table)".to_owned(), identity.to_string());
            }
        }
        JobIdentity { options, origins }
    }
}
