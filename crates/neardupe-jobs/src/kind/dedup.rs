//! `dedup`: finds near-duplicates, then writes the collection without them.
//!
//! The input is read twice: once to find, once to write. Size and time of each file, the text of each
//! document and the counts are compared, so that no document is removed for the text of another one.
//! The output folder is often all that is left of a collection: it is never replaced by the output of
//! other inputs unless that is asked for.
//!
//! Removing is refused where the proof is missing. Star clusters have a verified pair for every
//! duplicate; components and methods without verification do not, and need `allow-unverified`. A
//! rule of keeping that could not read a single value is an error here and a warning in `find`:
//! `find` can be run again, a removed document may be gone.
//!
//! The order while running: the output and the names of files are checked first; the files are
//! stamped (size and time) before the first pass; after the search the stamps are compared, then
//! every text and every count while writing, then the stamps again. Only then does the folder get
//! its name.

mod passages;

pub use passages::{
    DedupPassagesJob, DedupPassagesNumbers, DedupPassagesOutcome, DedupPassagesSummary,
    RemovedPassages,
};

use super::find::{FindJob, FindOutcome, FindSpec, Purpose, all_options, run_for};
use crate::exec::Exec;
use crate::param::Params;
use crate::rewrite::{
    AddedFields, Dedup, Mode, Rewrite, check_fields, check_names, count_files, write_ids,
};
use crate::spec::PassageRuleSpec;
use neardupe_core::cluster::Keep;
use neardupe_core::document::{Origin, Progress, Side, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::{ClusterMode, FindResult};
use neardupe_core::threshold::Threshold;
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::source::FileSource;
use serde_json::{Map, Value, json};

crate::params! {
    /// The collection without its near-duplicates.
    pub struct DedupSpec {
        [ find: FindSpec, rule: PassageRuleSpec ]
        /// Write all documents in place, with cluster_id, cluster_size, is_representative,
        /// duplicate_of and similarity added
        annotate: bool => switch().heading("Dedup").free();
        /// Write no documents, only the lists kept-ids.txt and removed-ids.txt
        ids_only: bool => switch().heading("Dedup").free();
        /// Prefix of the names of added fields
        prefix: String => value("PREFIX").heading("Dedup").free();
        /// Remove with `cluster components` and with `no-verify` too, where removed documents need not
        /// resemble the one that is kept
        allow_unverified: bool => switch().heading("Dedup").free();
        /// Replace the output folder even if it holds another collection
        overwrite: bool => switch().heading("Dedup").free();
        /// Remove sentences that another document has in a passage, instead of whole documents: the
        /// first copy is kept (`keep first`, the default here, or longest)
        passages: bool => switch().heading("Passages");
        /// Smallest share of the words of a sentence that the kept copy has [default: 0.8]
        sentence_share: Threshold => value("T").heading("Passages");
    }
}

/// What is removed, and how.
pub enum DedupJob {
    /// Whole documents.
    Documents(Box<DedupDocumentsJob>),
    /// Sentences of passages.
    Passages(Box<DedupPassagesJob>),
}

/// Removes whole documents.
pub struct DedupDocumentsJob {
    /// The job whose duplicates are removed.
    find: FindJob,
    /// How the collection is written.
    output: DedupOutput,
}

/// What came of a job.
pub enum DedupOutcome {
    /// Whole documents were removed.
    Documents(Box<FindOutcome>),
    /// Sentences of passages were removed.
    Passages(Box<DedupPassagesOutcome>),
}

/// How the collection is written, as a purpose of `find`.
///
/// Its state is filled in by `check_source`, which runs when the files are known and before
/// anything is read.
#[derive(Clone)]
struct DedupOutput {
    /// Whether removed documents are written apart, or all are marked.
    mode: Mode,
    /// Only lists of ids are written.
    ids_only: bool,
    /// Of the names of added fields.
    prefix: String,
    /// Documents may be removed without a verified pair.
    allow_unverified: bool,
    /// The output of other inputs may be replaced.
    overwrite: bool,
    /// Names of the fields that are added, with their prefix.
    fields: AddedFields,
    /// Files that are written again: all but old ones. Known when the input is.
    files: Vec<u32>,
    /// Size and time of the files before the job; None when no document is written.
    origins: Option<Vec<Origin>>,
}

impl DedupSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<DedupJob> {
        if self.passages == Some(true) {
            let job = DedupPassagesJob::resolve(self)?;
            return Ok(DedupJob::Passages(Box::new(job)));
        }
        // Parameters of the other mode are refused by name, not ignored.
        passages::check_unused(&self)?;
        let is = |switch: Option<bool>| switch.unwrap_or(false);
        let (annotate, ids_only) = (is(self.annotate), is(self.ids_only));
        if annotate && ids_only {
            let message = "writes documents, and `ids-only` writes none; choose one";
            return Err(Error::config("annotate", message));
        }
        let allow_unverified = is(self.allow_unverified);
        let overwrite = is(self.overwrite);
        let prefix = self.prefix.unwrap_or_default();
        let mut find = self.find.validate()?;
        find.read.whole_rows = !ids_only;
        check_job(&find, allow_unverified)?;
        let mode = if annotate {
            Mode::Annotate
        } else {
            Mode::Split
        };
        let fields = AddedFields::new(mode, &prefix, find.config.against.is_some());
        Ok(DedupJob::Documents(Box::new(DedupDocumentsJob {
            find,
            output: DedupOutput {
                mode,
                ids_only,
                prefix,
                allow_unverified,
                overwrite,
                fields,
                files: Vec::new(),
                origins: None,
            },
        })))
    }
}

/// Refuses options with which a document could be removed that does not resemble the one that is kept:
/// star clusters have a verified pair for each duplicate, components and unverified methods do not.
fn check_job(job: &FindJob, allow_unverified: bool) -> Result<()> {
    if !job.names_output {
        let message = "dedup needs a folder for the collection: -o DIR";
        return Err(Error::config("output", message));
    }
    let no_verify = job.is_unverified();
    if no_verify && !allow_unverified {
        let message = "a document may be removed that does not resemble the one that is kept; \
                       leave out the option, or add `allow-unverified`";
        return Err(Error::config("no-verify", message));
    }
    let is_star = job.config.cluster == ClusterMode::Star;
    // A permission that is not needed: the user believes that another option is on.
    if allow_unverified && is_star && !no_verify {
        let message = "nothing is unverified without `no-verify` or `cluster components`";
        return Err(Error::config("allow-unverified", message));
    }
    match job.config.cluster {
        ClusterMode::Star => Ok(()),
        ClusterMode::Components if allow_unverified => Ok(()),
        ClusterMode::Components => {
            let message = "in components a document may be removed that does not resemble \
                           the one that is kept; leave out the option (star clusters \
                           remove nothing without proof), or add `allow-unverified`";
            Err(Error::config("cluster", message))
        }
        ClusterMode::Neighbors | ClusterMode::None => {
            let message = format!(
                "with {} no document is kept for others, so none can be removed; leave \
                 out the option",
                job.config.cluster
            );
            Err(Error::config("cluster", message))
        }
    }
}

impl DedupJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        match self {
            DedupJob::Documents(job) => job.output.options(&job.find),
            DedupJob::Passages(job) => job.options(),
        }
    }

    /// Runs the job and writes its output.
    pub fn run(self, exec: &Exec<'_>) -> Result<DedupOutcome> {
        Ok(match self {
            DedupJob::Documents(mut job) => {
                let outcome = run_for(job.find, &mut job.output, exec)?;
                DedupOutcome::Documents(Box::new(outcome))
            }
            DedupJob::Passages(job) => DedupOutcome::Passages(Box::new(job.run(exec)?)),
        })
    }
}

impl DedupOutput {
    /// The mode as the summary names it.
    fn mode_name(&self) -> &'static str {
        if self.ids_only {
            return "ids-only";
        }
        match self.mode {
            Mode::Annotate => "annotate",
            Mode::Split => "split",
        }
    }

    /// Refuses an input that has changed since the job began.
    fn check_origins(&self, source: &FileSource) -> Result<()> {
        check_origins(self.origins.as_deref().unwrap_or_default(), source)
    }
}

/// Refuses to replace the output of other inputs, unless that is asked for.
fn check_replaced(job: &FindJob, overwrite: bool) -> Result<()> {
    if overwrite {
        return Ok(());
    }
    ResultFolder::check_collection(&job.output, &json!(job.inputs()))
}

/// Refuses an input that has changed since the job began, by size and time of its files. Called before
/// and after the documents are written: a change in between could have given half a document.
fn check_origins(before: &[Origin], source: &FileSource) -> Result<()> {
    let now = source.origins()?;
    for (before, now) in before.iter().zip(now.iter().flatten()) {
        if before != now {
            let message = "it changed while the job was at work (size or time); nothing \
                           was written, run it again";
            return Err(Error::input(&before.path, message));
        }
    }
    Ok(())
}

/// Refuses a rule of keeping that could read none of its values: documents would be removed by their
/// ids. `find` only warns, since it removes nothing. A preferred value that no document has is
/// accepted, since the parts of a collection may differ in that.
fn check_rule(job: &FindJob, result: &FindResult) -> Result<()> {
    let keep = &job.config.keep;
    let Some(values) = &result.keep_values else {
        return Ok(());
    };
    // A field that was read nowhere says that the rule has a wrong name or the collection another
    // format of dates. One readable value is enough: collections are mixed.
    let prefers = matches!(keep, Keep::Prefer(..));
    if prefers || !values.none_readable() || result.duplicates.is_empty() {
        return Ok(());
    }
    let what = match keep {
        Keep::Newest(_) | Keep::Oldest(_) => "a date",
        Keep::Highest(_) | Keep::Lowest(_) => "a number",
        _ => "a value",
    };
    let example = values.unreadable_example.as_ref();
    let example = example.or(values.ambiguous_example.as_ref());
    // A value of a document is text of a document.
    let example = match example.filter(|_| !job.no_text) {
        Some(example) => format!(" (there is {example:?})"),
        None => String::new(),
    };
    let message = format!(
        "{keep}: no document has {what} in the field {}{example}, so the rule would not decide \
         which ones are removed; nothing was written, choose another rule",
        values.field
    );
    Err(Error::config("keep", message))
}

impl Purpose for DedupOutput {
    fn command(&self) -> &'static str {
        "dedup"
    }

    fn kind(&self) -> ResultKind {
        ResultKind::Dedup
    }

    fn check_source(&mut self, job: &FindJob, source: &FileSource) -> Result<()> {
        check_replaced(job, self.overwrite)?;
        let num_files = u32::try_from(source.file_names().len())?;
        // Old documents are kept where they are, and never written.
        let is_new = |file: &u32| source.side(*file) == Side::New;
        self.files = (0..num_files).filter(is_new).collect();
        if self.ids_only {
            return Ok(());
        }
        self.origins = source.origins()?;
        if self.origins.is_none() {
            let once = source.files().iter().find(|file| !file.regular);
            let name = once.map_or("dedup", |file| &file.name);
            let message = "standard input, pipes and folders that cannot be read are read \
                           only once, and dedup reads twice; name files, or take `ids-only`";
            return Err(Error::input(name, message));
        }
        // Two inputs that would be written to the same name, and fields that are there already, are
        // refused before hours of work.
        check_names(source, &self.files)?;
        check_fields(source, self.mode, &self.fields, &self.files)
    }

    fn write(
        &self,
        job: &FindJob,
        source: &FileSource,
        result: &FindResult,
        folder: &ResultFolder,
        progress: &dyn Progress,
    ) -> Result<Option<Dedup>> {
        // Only now is it known which values were read; nothing is written yet.
        check_rule(job, result)?;
        progress.begin("rewrite", source.total_bytes());
        let counts = if self.ids_only {
            write_ids(folder.path(), result, &self.files)?;
            count_files(result, &self.files)
        } else {
            self.check_origins(source)?;
            let rewrite = Rewrite {
                source,
                result,
                mode: self.mode,
                fields: &self.fields,
                folder: folder.path(),
                threads: job.config.threads,
            };
            let names = self
                .files
                .iter()
                .map(|&file| &source.files()[file as usize]);
            folder.note_documents(names.map(|file| file.relative()))?;
            let counts = rewrite.run(&self.files, progress)?;
            self.check_origins(source)?;
            counts
        };
        let tables = folder.result_path();
        Dedup::write_tables(&tables, source, result, &counts, job.format)?;
        Ok(Some(Dedup::new(self.mode_name(), result, &counts)?))
    }

    fn options(&self, job: &FindJob) -> Map<String, Value> {
        let mut options = all_options(&DedupSpec {
            find: job.spec.clone(),
            annotate: Some(self.mode == Mode::Annotate),
            ids_only: Some(self.ids_only),
            prefix: Some(self.prefix.clone()),
            allow_unverified: Some(self.allow_unverified),
            overwrite: Some(self.overwrite),
            ..DedupSpec::default()
        });
        // Parameters of passages do not apply to whole documents.
        for name in ["passages", "sentence-share"] {
            options.remove(name);
        }
        PassageRuleSpec::visit(&mut |info| {
            options.remove(info.name);
        });
        options
    }
}
