//! `dedup` with `passages`: sentences that another document has already are removed, and one copy of
//! each repeated passage is kept.
//!
//! It is a job of its own, not a purpose of `find`: it finds passages, and cuts them out of the field
//! that holds the text. Like `dedup` it reads the input twice and verifies that it is the same.

use super::{DedupSpec, check_origins, check_replaced};
use crate::exec::{Exec, Stages, clock};
use crate::kind::find::work::{self, fixed_options};
use crate::kind::find::{FindJob, all_options, idle_options, shared_main_warning};
use crate::kind::passages::templates::{
    identity_of_templates, idle_templates, ignored, short_passages,
};
use crate::param::Params;
use crate::rewrite::{
    FileCounts, PassageRewrite, check_names, check_texts, write_file_counts,
    write_removed_passages,
};
use crate::spec::PassageRuleSpec;
use crate::system::memory;
use neardupe_core::cluster::Keep;
use neardupe_core::document::{Origin, Progress, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::passage::SurelyFound;
use neardupe_core::pipeline::passages::{
    KeepOrder, RemovalConfig, RemovalTotals, Removals, passages,
};
use neardupe_core::pipeline::{PassagesConfig, PassagesResult};
use neardupe_core::ratio::six_decimals;
use neardupe_core::store::{COMMAND, JobIdentity, WorkDir};
use neardupe_core::threshold::Threshold;
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::source::{FileSource, TextType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What will be done.
pub struct DedupPassagesJob {
    /// How documents are read and written.
    pub find: FindJob,
    /// How passages are found.
    pub config: PassagesConfig,
    /// Which copy of a passage is kept.
    pub keep: KeepOrder,
    /// The smallest share of the words of a sentence that the kept copy has.
    pub share: Threshold,
    /// The parameters of passages, as they are used.
    rule: PassageRuleSpec,
    /// The output of other inputs may be replaced.
    overwrite: bool,
}

/// What came of a job.
pub struct DedupPassagesOutcome {
    /// The job as it was done.
    pub job: DedupPassagesJob,
    /// What was found and removed, as it is in `summary.json`.
    pub summary: DedupPassagesSummary,
    /// What was removed.
    pub removed: RemovalTotals,
    /// What the user should know before trusting the result.
    pub warnings: Vec<String>,
}

impl DedupPassagesOutcome {
    /// More records were left out than the job allows.
    pub fn has_left_out(&self) -> bool {
        self.summary.counts.bad_records > self.job.find.allow_bad_records
    }
}

/// The summary of a job, as written and as shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DedupPassagesSummary {
    /// Always `neardupe`: marks the folder as a result of ours.
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// The command.
    pub command: String,
    /// All options as resolved, by the name of their flag.
    pub options: Map<String, Value>,
    /// How texts are cut into sentences.
    pub sentences: String,
    /// How sentences are cut into words.
    pub words: String,
    /// Numbers.
    pub counts: DedupPassagesNumbers,
    /// What was removed.
    pub dedup: RemovedPassages,
    /// The shortest copies that are surely found.
    pub surely_found: SurelyFound,
    /// What the user should know before trusting the result.
    pub warnings: Vec<String>,
    /// What was noticed about documents while their text was made, and how often.
    pub remarks: BTreeMap<String, u64>,
    /// Files in folders that were passed over: of no known format by name and content.
    pub skipped_files: u64,
    /// Seconds of each stage.
    pub seconds: BTreeMap<String, f64>,
    /// Most memory in use.
    pub peak_memory_bytes: u64,
    /// Whether texts were written to the work directory.
    pub spilled: bool,
}

/// Numbers of documents and passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DedupPassagesNumbers {
    /// Records read, bad ones included.
    pub records: u64,
    /// Documents.
    pub documents: u64,
    /// Records that did not become documents.
    pub bad_records: u64,
    /// Entries that hold no text by their own account.
    pub skipped_records: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Documents without a word.
    pub empty: u64,
    /// Passages.
    pub passages: u64,
    /// Sentences that too many documents have.
    pub boilerplate: u64,
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemovedPassages {
    /// Always `passages`.
    pub mode: String,
    /// Documents that are kept, shortened ones included.
    pub kept: u64,
    /// Documents that lost some sentences.
    pub shortened: u64,
    /// Documents without a word of their own.
    pub removed: u64,
    /// Those of them that have the text of another one.
    pub equal_text: u64,
    /// Stretches that were removed.
    pub removed_passages: u64,
    /// Their words.
    pub removed_words: u64,
    /// The share of these in all words.
    pub removed_words_share: f64,
    /// Their characters.
    pub removed_characters: u64,
    /// The share of these in all characters.
    pub removed_characters_share: f64,
    /// Records that did not become documents.
    pub bad_records: u64,
    /// Files.
    pub files: u64,
}

impl RemovedPassages {
    fn new(result: &PassagesResult, removals: &Removals, files: &[FileCounts]) -> Self {
        let (totals, gone) = (&result.totals, &removals.totals);
        // Written with six decimals, so that summaries do not depend on the digits of a division.
        let share = |part, whole| match whole {
            0 => 0.0,
            _ => six_decimals(part, whole).parse().unwrap_or(0.0),
        };
        RemovedPassages {
            mode: "passages".to_owned(),
            kept: totals.documents - gone.removed,
            shortened: gone.cut,
            removed: gone.removed,
            equal_text: gone.copies,
            removed_passages: removals.rows.len(),
            removed_words: gone.words,
            removed_words_share: share(gone.words, gone.all_words),
            removed_characters: gone.chars,
            removed_characters_share: share(gone.chars, gone.all_chars),
            bad_records: totals.bad_records,
            files: files.len() as u64,
        }
    }
}

impl DedupPassagesSummary {
    /// The summary as JSON; its keys are in the order of the alphabet.
    pub fn to_json(&self) -> Result<Value> {
        Ok(serde_json::to_value(self)?)
    }
}

/// Refuses parameters of passages where whole documents are removed. An empty list, as in a file of
/// options, says nothing.
pub(super) fn check_unused(spec: &DedupSpec) -> Result<()> {
    let mut given = spec.rule.to_map();
    if let Some(share) = spec.get("sentence-share") {
        given.insert("sentence-share".to_owned(), share);
    }
    let is_given = |(_, value): &(&String, &Value)| *value != &json!([]);
    match given.iter().find(is_given) {
        None => Ok(()),
        Some((name, _)) => Err(Error::config(name, "needs `passages`")),
    }
}

/// Refuses parameters that have no effect with `passages`: all but those of records, of keeping and of
/// the output. The ones that have a meaning are taken out of a copy, and whatever is left is refused: a
/// new parameter of `find` is refused here until it is added.
fn check_options(spec: &DedupSpec) -> Result<()> {
    let mut others = spec.clone();
    others.passages = None;
    others.sentence_share = None;
    others.rule = Default::default();
    others.overwrite = None;
    others.find.input = Default::default();
    others.find.cluster.keep = None;
    others.find.tolerance = Default::default();
    others.find.reading.record = Default::default();
    others.find.reading.limits = Default::default();
    others.find.reading.text.text_type = None;
    others.find.reading.text.charset = None;
    others.find.output.output = None;
    others.find.output.output_format = None;
    others.find.work = Default::default();
    others.find.restart.checkpoint = Default::default();
    let given = others.to_map();
    // A switch that is off says what is done anyway.
    let is_on = |(_, value): &(&String, &Value)| *value != &json!(false);
    if let Some((name, _)) = given.iter().find(is_on) {
        let message = "has no meaning with `passages`; leave it out";
        return Err(Error::config(name, message));
    }
    let reading = &spec.find.reading;
    let text_key = reading.record.text_key.as_ref();
    if text_key.is_some_and(|keys| keys.len() > 1) {
        let message =
            "with `passages` the text must be one field: sentences are taken out of it";
        return Err(Error::config("text-key", message));
    }
    // Places of sentences are places in the field; text that was made of tags has none.
    if let Some(kind @ (TextType::Html | TextType::Auto)) = reading.text.text_type {
        let message = format!(
            "{kind}: HTML cannot be shortened; neardupe passages `write-text` writes all texts to \
             texts.jsonl, and that can be cut"
        );
        return Err(Error::config("text-type", message));
    }
    if spec.find.output.output.is_none() {
        let message = "dedup needs a folder for the collection: -o DIR";
        return Err(Error::config("output", message));
    }
    Ok(())
}

/// Refuses an input that cannot be rewritten, before hours of work. Returns size and time of its files.
///
/// The same checks as for whole documents, and one more: every file must be able to hold a
/// shorter text.
fn check_source(source: &FileSource, files: &[u32]) -> Result<Vec<Origin>> {
    let Some(origins) = source.origins()? else {
        let once = source.files().iter().find(|file| !file.regular);
        let name = once.map_or("dedup", |file| &file.name);
        let message = "standard input, pipes and folders that cannot be read are read only \
                       once, and dedup reads twice; name files";
        return Err(Error::input(name, message));
    };
    check_names(source, files)?;
    check_texts(source, files)?;
    Ok(origins)
}

/// The input, opened and checked.
struct Opened<'a> {
    source: &'a FileSource,
    /// All files: each is written again.
    files: Vec<u32>,
    /// The files as they were before the job.
    origins: Vec<Origin>,
    skipped_files: u64,
}

impl DedupPassagesJob {
    /// The job of a description with `passages`.
    pub(super) fn resolve(spec: DedupSpec) -> Result<Self> {
        check_options(&spec)?;
        let mut find = spec.find;
        // Sentences are cut out of the field itself, so tags are text.
        find.reading.text.text_type = Some(TextType::Plain);
        // Not the longest document, as for whole ones: the first is most likely the original.
        find.cluster.keep.get_or_insert(Keep::First);
        let mut find = find.validate()?;
        find.read.whole_rows = true;
        let keep = match find.config.keep {
            Keep::First => KeepOrder::First,
            Keep::Longest => KeepOrder::Longest,
            ref other => {
                let message =
                    format!("with `passages` one of first, longest, not {other}");
                return Err(Error::config("keep", message));
            }
        };
        let rule = spec.rule.rule();
        let completed = spec.rule.completed(rule.tau);
        let usual_share = RemovalConfig::usual_share();
        let config = PassagesConfig {
            rule,
            max_documents: spec.rule.document_limit(),
            ignored: ignored(completed.ignore.as_deref().unwrap_or_default())?,
            metadata: find.config.metadata.clone(),
            strict: find.config.strict,
            threads: find.config.threads,
            budget: find.config.budget,
            clock,
            ..PassagesConfig::new(find.config.work_dir.clone())
        };
        Ok(DedupPassagesJob {
            find,
            config,
            keep,
            share: spec.sentence_share.unwrap_or(usual_share),
            rule: completed,
            overwrite: spec.overwrite == Some(true),
        })
    }

    /// The parameters that have a meaning, as they are used.
    pub(super) fn options(&self) -> Map<String, Value> {
        let used = &self.find.spec;
        // Put together from the groups that apply: most options of `find` do not.
        let parts = [
            all_options(&used.input),
            all_options(&used.reading.record),
            all_options(&used.reading.limits),
            all_options(&used.tolerance),
            all_options(&used.work),
            all_options(&used.restart.checkpoint),
            all_options(&self.rule),
        ];
        let mut options: Map<String, Value> = parts.into_iter().flatten().collect();
        let all = self.find.options();
        // Single parameters of groups that do not apply as a whole.
        for name in ["keep", "charset", "output", "output-format"] {
            options.insert(name.to_owned(), all[name].clone());
        }
        options.insert("passages".to_owned(), json!(true));
        let share = json!(self.share.to_string());
        options.insert("sentence-share".to_owned(), share);
        options
    }

    /// Everything that must be the same for the job to be resumed. The name of the command keeps a job
    /// of `passages` with the same output apart.
    fn identity(&self, origins: Vec<Origin>) -> JobIdentity {
        let mut options = fixed_options(&DedupSpec::infos(), &self.options());
        options.extend(identity_of_templates(&self.config.ignored));
        options.insert(COMMAND.to_owned(), "dedup with passages".to_owned());
        JobIdentity {
            options,
            origins: Some(origins),
        }
    }

    /// Runs the job and writes the collection.
    pub(super) fn run(mut self, exec: &Exec<'_>) -> Result<DedupPassagesOutcome> {
        let stages = exec.stages();
        ResultFolder::check(&self.find.output, ResultKind::Dedup)?;
        let discovered = self.find.discover()?;
        check_replaced(&self.find, self.overwrite)?;
        let skipped_files = discovered.skipped.len() as u64;
        let source = self.find.open(discovered.files, &stages)?;
        let files: Vec<u32> = (0..u32::try_from(source.file_names().len())?).collect();
        // Before the work directory is locked: an unfinished job in it is not removed for a wrong input.
        let origins = check_source(&source, &files)?;
        let config = &self.config;
        let advised = |error: Error, resumable: bool| {
            let (checkpoint, work_dir) = (config.budget.checkpoint, &config.work_dir);
            work::with_advice(error, resumable, checkpoint, work_dir, exec)
        };
        let identity = self.identity(origins.clone());
        let work = work::open_as(config.work_dir.clone(), identity, exec)
            .map_err(|error| advised(error, false))?;
        let opened = Opened {
            source: &source,
            files,
            origins,
            skipped_files,
        };
        // `find_and_write` drops the result before it returns. Its pairs are files of the work
        // directory, which `finish` removes.
        let found = self.find_and_write(&opened, &work, exec, &stages);
        let found = found.map_err(|error| advised(error, work.is_resumable()))?;
        work.finish()?;
        let (summary, removed, mut warnings) = found;
        if let Some(warning) = shared_main_warning(&self.find) {
            warnings.insert(0, warning);
        }
        Ok(DedupPassagesOutcome {
            job: self,
            summary,
            removed,
            warnings,
        })
    }

    /// Finds passages, decides what is removed, and writes the collection and the tables.
    ///
    /// Nothing is written outside of the work directory before all passages are found and all
    /// removals decided: until then the job can be resumed, and the old output is as it was.
    fn find_and_write(
        &self,
        opened: &Opened<'_>,
        work: &WorkDir,
        exec: &Exec<'_>,
        stages: &Stages<'_>,
    ) -> Result<(DedupPassagesSummary, RemovalTotals, Vec<String>)> {
        let (config, source) = (&self.config, opened.source);
        let (files, origins) = (&opened.files, &opened.origins);
        let result = passages(source, config, work, stages)?;
        let wanted = RemovalConfig {
            keep: self.keep,
            share: self.share,
            budget: config.budget,
        };
        // Which copies are removed depends on all passages, so nothing is written before all are found.
        // The decision is a pass over all passages in the order of keeping: a sentence is removed
        // if a document that comes before has it and keeps it. So at least one copy of each
        // passage remains.
        let removals = result.removals(&wanted, work, stages)?;
        let folder = ResultFolder::create(&self.find.output, ResultKind::Dedup)?;
        stages.begin("rewrite", source.total_bytes());
        // The places of sentences are those of the texts that were read first.
        check_origins(origins, source)?;
        let rewrite = PassageRewrite {
            source,
            documents: &result.documents,
            removals: &removals,
            folder: folder.path(),
            threads: config.threads,
        };
        let names = files.iter().map(|&file| &source.files()[file as usize]);
        folder.note_documents(names.map(|file| file.relative()))?;
        let counts = rewrite.run(files, stages)?;
        check_origins(origins, source)?;
        stages.begin("write", 0);
        let tables = folder.result_path();
        write_file_counts(&tables, &result.documents, &counts)?;
        write_removed_passages(&tables, source, &result, &removals, self.find.format)?;
        // Kept as they are for the front, and rendered for the file.
        let warnings = self.warnings();
        let totals = &result.totals;
        let rendered = warnings.iter().map(|warning| exec.render(warning));
        let summary = DedupPassagesSummary {
            program: "neardupe".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "dedup".to_owned(),
            options: self.options(),
            sentences: neardupe_core::text::SENTENCE_RULE.to_owned(),
            words: neardupe_core::text::WORD_RULE.to_owned(),
            counts: DedupPassagesNumbers {
                records: totals.records,
                documents: totals.documents,
                bad_records: totals.bad_records,
                skipped_records: totals.skipped_records,
                bytes: totals.bytes,
                empty: totals.empty,
                passages: result.num_passages(),
                boilerplate: totals.boilerplate,
            },
            dedup: RemovedPassages::new(&result, &removals, &counts),
            surely_found: config.rule.surely_found(),
            warnings: rendered.collect(),
            remarks: result.remarks.clone(),
            skipped_files: opened.skipped_files,
            seconds: stages.seconds(),
            peak_memory_bytes: memory::peak_bytes(),
            spilled: result.spilled,
        };
        let written = summary.to_json()?;
        folder.finish(&(serde_json::to_string_pretty(&written)? + "\n"))?;
        Ok((summary, removals.totals, warnings))
    }

    /// What the user should know before trusting the result.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.find.passed_over();
        warnings.extend(idle_options(&self.find));
        warnings.extend(idle_templates(&self.config.ignored));
        warnings.extend(short_passages(&self.config.rule));
        warnings
    }
}
