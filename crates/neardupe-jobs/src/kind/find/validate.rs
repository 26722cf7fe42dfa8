//! From a description to a job that cannot be wrong: every rule about parameters that depend on each other.
//!
//! The rules of one method are in `method`, those about options without effect in `effect`. Whatever the
//! user left open is filled in, and the description is completed with these values, so that the options
//! of a summary give the same job again (`tests/it/params.rs` tries every parameter).

use super::antecedents;
use super::codes::CodeOptions;
use super::effect::{self, Effects};
use super::job::FindJob;
use super::method::{self, Asked};
use super::passed_over::PassedOver;
use super::sampling_plan::PlanFile;
use super::spec::FindSpec;
use crate::exec::clock;
use crate::param::{OrAuto, OrNone, Params, Size, Within};
use crate::report::URL_FIELD;
use crate::spec::{
    CheckpointSpec, ClusterSpec, FeaturesSpec, HashKeyChoice, InputSpec, LimitsSpec,
    MetadataSpec, OutputSpec, ReadingSpec, RecordSpec, ReferenceSpec, RestartSpec,
    SampleRule, SamplingSpec, SeedSpec, SimilaritySpec, TextSpec, ToleranceSpec,
    WordsSpec, WorkSpec,
};
use crate::system::memory;
use neardupe_core::candidate::filter::Filters;
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::{Extractor, FeatureKind, Sampling};
use neardupe_core::hash::{self, FeatureHash};
use neardupe_core::pipeline::config::DEFAULT_MEMORY;
use neardupe_core::pipeline::{
    Against, ClusterMode, CompareFilters, FindConfig, Method, PairsMode,
};
use neardupe_core::similarity::Similarity;
use neardupe_core::store::Budget;
use neardupe_core::store::budget::MIN_MEMORY;
use neardupe_core::store::{RecordHolds, RecordRoom};
use neardupe_core::text::{StopWords, WordOptions};
use neardupe_io::charset;
use neardupe_io::extract::HtmlOptions;
use neardupe_io::output::beside;
use neardupe_io::source::{FieldKeys, ReadOptions, TextOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl FindSpec {
    /// The job of this description. Everything that can be wrong by the parameters alone is refused here.
    pub fn validate(self) -> Result<FindJob> {
        self.validate_with(Effects::default())
    }

    /// The same; what parameters of words and texts do is noted in `effects`, for all jobs that share it.
    pub fn validate_with(self, effects: Effects) -> Result<FindJob> {
        // Before the preset is put under it.
        // What the user typed, for warnings that only make sense about a choice of the user.
        let given = self.to_map().keys().cloned().collect();
        let spec = self.with_preset()?;
        // Every field is named: a new group of parameters does not compile until it is decided
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
            hash_key,
        } = &spec;
        let is = |switch: Option<bool>| switch.unwrap_or(false);
        let (write_text, no_text) = (is(writing.write_text), is(writing.no_text));
        // Each refuses by naming both parameters: the message is about the one that has no
        // effect.
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
            // Set with the work directory, where it is kept.
            key: None,
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
        // Sampling by hash keeps the same features in every document, but the search would
        // compare them with all features of a query. Blocks and sides add their own keys to
        // features.
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
        // The result is renamed into place: a link to a folder elsewhere must be kept as a link, and the
        // folder behind it be replaced.
        let output = if output.is_symlink() {
            output.canonicalize().unwrap_or(output)
        } else {
            output
        };
        // The work directory is named after the output, so two jobs with different outputs can
        // run at the same time, and `--resume` finds the right one without being asked for its
        // name.
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
        // Keys of I-Match are made when they are the method, when they filter, or when they are
        // only compared with the exact join; nothing else pays for the pass over the input.
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
                    no_follow: Some(is(record.no_follow)),
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
            hash_key: Some(hash_key.unwrap_or_default()),
            remove_containing: Some(is(spec.remove_containing)),
        };
        let room = RecordRoom::new(
            memory,
            RecordHolds {
                features: most_features(features, &words, seed),
                code: code_plan.is_some(),
            },
        );
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
                takes_public_hash: false,
                is_key_given: matches!(hash_key, Some(HashKeyChoice::Key(_))),
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
                follow_links: !is(record.no_follow),
                max_record_bytes,
                max_expansion,
                text: text_options,
                ..ReadOptions::default()
            }
            .in_room(room),
            plan,
            planned_precision,
            shared_main: Vec::new(),
            passed_over: PassedOver::default(),
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
///
/// The inverse of how `work_dir` is made, so that a summary holds what can be typed again.
fn work_folder(work_dir: &Path) -> PathBuf {
    let folder = work_dir.parent().unwrap_or(Path::new(""));
    // A bare name has an empty parent, which means the current folder.
    if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder.to_owned()
    }
}

/// Combines the rules of sampling. Also returns the plan that was read for them, and the precision that
/// one is still to be made for.
///
/// Rules are combined in the order in which they were given; each may be given once. Adaptive
/// sampling is resolved here and not in the core, since its plan is a file or comes from a study
/// of the input.
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
///
/// Components are refused, because they would join two old documents through a new one, and old
/// documents are never removed. Removing what contains a new document needs a measure that knows
/// containment.
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

/// Reads a list of stop words: a name wins over a file, so a file called `en` is given as `./en`.
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

/// Features of a text that has about as many as it can, for each 1,000 of its bytes: how much memory a
/// long record needs depends on that more than on anything else.
fn most_features(kind: FeatureKind, words: &WordOptions, seed: u64) -> u64 {
    // Short words without an order, so that nothing is repeated.
    let words_of = (0..400).map(|at| {
        let [one, other, ..] = hash::mix(at).to_be_bytes();
        [b'a' + one % 26, b'a' + other % 26, b' '].map(char::from)
    });
    let text: String = words_of.flatten().collect();
    let mut features = Vec::new();
    Extractor::new(kind, words, seed).extract(&text, &mut features);
    (features.len() * 1000 / text.len()) as u64
}

/// The memory of the job: the given size, or half of the free memory. A size below the minimum is an
/// error when it was given, and raised when it was found out.
///
/// Half of what is free leaves room for the page cache, which reads and writes of spilled data
/// need, and for the estimate being wrong.
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
