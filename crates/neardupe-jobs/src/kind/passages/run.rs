//! Running a job of `passages`: the order of steps is that of `find`.

use super::job::PassagesJob;
use super::sentences::SentenceSearch;
use super::summary::{Circumstances, PassagesSummary};
use super::templates::{idle_templates, short_passages};
use crate::exec::{Exec, Stages, clock};
use crate::kind::find::{
    count_antecedents, idle_options, shared_main_warning, text_warnings, work,
};
use crate::passage_tables::{Kinds, write_other_form, write_passages};
use crate::report::{PassagesReport, PassagesSeen, URL_FIELD};
use crate::system::memory;
use neardupe_core::document::{DocIdx, Progress, Source, Span};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::passages::{PairOfDocuments, PassageMethod, passages};
use neardupe_core::pipeline::{PassagesConfig, PassagesResult};
use neardupe_core::store::WorkDir;
use neardupe_io::output::{ANTECEDENTS, ResultFolder, ResultKind, TextLog};
use neardupe_io::source::FileSource;

/// What came of a job.
pub struct PassagesOutcome {
    /// The job as it was done.
    pub job: PassagesJob,
    /// What was found, as it is in `summary.json`.
    pub summary: PassagesSummary,
    /// The longest passages of documents that are not near-duplicates, the longest first.
    pub longest: Vec<LongPassage>,
    /// What the user should know before trusting the result.
    pub warnings: Vec<String>,
}

impl PassagesOutcome {
    /// More records were left out than the job allows.
    pub fn has_left_out(&self) -> bool {
        self.summary.counts.bad_records > self.job.find.allow_bad_records
    }
}

/// A long passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongPassage {
    /// Words of it.
    pub words: u32,
    /// The id of one document.
    pub left: String,
    /// The id of the other one.
    pub right: String,
    /// How it begins, on the left.
    pub beginning: String,
}

/// The input, opened.
pub(super) struct Opened {
    /// The files that are read.
    pub(super) source: FileSource,
    /// Files of folders that are not read.
    pub(super) skipped_files: u64,
    /// Files of the collection that are themselves checked, and so are left out of it.
    pub(super) num_own: u64,
}

impl PassagesJob {
    /// Runs the job and writes its output.
    pub fn run(mut self, exec: &Exec<'_>) -> Result<PassagesOutcome> {
        let stages = exec.stages();
        // An output that must not be replaced is refused before hours of work, not after.
        ResultFolder::check(&self.find.output, ResultKind::Passages)?;
        let opened = self.open(&stages)?;
        // Before the work directory is opened: the list is a part of the identity of the job.
        count_antecedents(&mut self.find, &opened.source, &stages)?;
        let budget = self.find.config.budget;
        let work_dir = self.find.config.work_dir.clone();
        let advised = |error: Error, resumable: bool| {
            work::with_advice(error, resumable, budget.checkpoint, &work_dir, exec)
        };
        let origins = opened.source.origins()?;
        // Refused, not ignored: whoever asks for a checkpoint counts on it.
        if budget.checkpoint && origins.is_none() {
            let message = "standard input and pipes can be read only once, so there is nothing to \
                           go on with; leave it out";
            return Err(Error::config("checkpoint", message));
        }
        let work = work::open_as(work_dir.clone(), self.identity(origins), exec)
            .map_err(|error| advised(error, false))?;
        let found = self.find_and_write(&opened, &work, exec, &stages);
        // The result is dropped when `find_and_write` returns, before the work directory is
        // removed that its texts and hits are read from.
        let found = found.map_err(|error| advised(error, work.is_resumable()))?;
        work.finish()?;
        let (summary, longest, mut warnings) = found;
        if let Some(warning) = shared_main_warning(&self.find) {
            warnings.insert(0, warning);
        }
        Ok(PassagesOutcome {
            job: self,
            summary,
            longest,
            warnings,
        })
    }

    /// Finds passages, and writes the output folder.
    fn find_and_write(
        &mut self,
        opened: &Opened,
        work: &WorkDir,
        exec: &Exec<'_>,
        stages: &Stages<'_>,
    ) -> Result<(PassagesSummary, Vec<LongPassage>, Vec<String>)> {
        let source = &opened.source;
        let config = self.config(source, work, stages)?;
        let log = TextLog::new(source, work.path());
        let result = if self.find.write_text {
            passages(&log, &config, work, stages)?
        } else {
            passages(source, &config, work, stages)?
        };
        let folder = ResultFolder::create(&self.find.output, ResultKind::Passages)?;
        stages.begin("write", 0);
        if self.find.write_text {
            log.finish(folder.path(), &result.parts, &result.documents)?;
        }
        // Pairs are never held: the report and the longest passages are collected while the tables are
        // written.
        let (mut seen, mut longest) = (PassagesSeen::default(), Longest::default());
        let counts = write_passages(
            folder.path(),
            &result,
            &self.kinds(&result),
            self.find.format,
            self.offsets,
            |pair, kinds| {
                seen.add(pair, kinds);
                longest.add(pair);
            },
        )?;
        // The list as it was used, counted or named.
        if self
            .sentences
            .as_ref()
            .is_some_and(SentenceSearch::has_spots)
        {
            let path = folder.path().join(ANTECEDENTS);
            std::fs::write(&path, self.find.config.words.antecedents.to_lines())
                .map_err(|error| Error::io(&path, error))?;
        }
        let with_text = !self.find.no_text;
        for &form in &self.also {
            write_other_form(folder.path(), &result, form, with_text)?;
        }
        stages.begin("report", 0);
        // After the tables, since the pairs that are shown are chosen while these are written.
        let report = PassagesReport::collect(&result, &counts, seen, with_text)?;
        let warnings = self.warnings(&result);
        let known = Circumstances {
            skipped_files: opened.skipped_files,
            num_own: opened.num_own,
            seconds: stages.seconds(),
            peak_memory_bytes: memory::peak_bytes(),
            ..Circumstances::default()
        };
        let known = known.with_warnings(&warnings, exec);
        let summary = self.summary(&result, &counts, known);
        let written = summary.to_json()?;
        report.write(folder.path(), &written)?;
        folder.finish(&(serde_json::to_string_pretty(&written)? + "\n"))?;
        Ok((summary, longest.named(&result)?, warnings))
    }

    /// Finds and opens the input.
    pub(super) fn open(&mut self, progress: &dyn Progress) -> Result<Opened> {
        let (discovered, num_own) = if self.checks {
            self.find.discover_to_check()?
        } else {
            (self.find.discover()?, 0)
        };
        let skipped_files = discovered.skipped.len() as u64;
        Ok(Opened {
            source: self.find.open(discovered.files, progress)?,
            skipped_files,
            num_own,
        })
    }

    /// The job for the core. Signatures of sentences may need frequencies, for which the input is read
    /// once more.
    ///
    /// Made when the source is open, because the search by diagonals may need frequencies of its
    /// terms.
    pub(super) fn config(
        &mut self,
        source: &FileSource,
        work: &WorkDir,
        progress: &dyn Progress,
    ) -> Result<PassagesConfig> {
        let method = match &self.sentences {
            None => PassageMethod::Seeds,
            Some(sentences) => {
                sentences.method(&mut self.find, source, work, progress)?
            }
        };
        let config = &self.find.config;
        Ok(PassagesConfig {
            method,
            rule: self.rule,
            max_documents: self.max_documents,
            ignored: self.ignored.clone(),
            against: config.against,
            expand: self.expand,
            metadata: config.metadata.clone(),
            strict: config.strict,
            threads: config.threads,
            budget: config.budget,
            clock,
            ..PassagesConfig::new(config.work_dir.clone())
        })
    }

    /// How kinds of passages are recognized; by the address of a page too, if one was read.
    pub(super) fn kinds(&self, result: &PassagesResult) -> Kinds {
        let names = &self.find.config.metadata;
        Kinds::new(names.iter().position(|name| name == URL_FIELD), result)
    }

    /// What the user should know before trusting the result.
    pub(super) fn warnings(&self, result: &PassagesResult) -> Vec<String> {
        let mut warnings = self.find.passed_over();
        warnings.extend(text_warnings(&result.remarks, result.totals.documents));
        warnings.extend(idle_options(&self.find));
        warnings.extend(idle_templates(&self.ignored));
        warnings.extend(self.by_seeds().and_then(short_passages));
        warnings
    }
}

/// Passages that are kept as the longest.
const NUM_LONGEST: usize = 3;
/// Words of each that are shown.
const WORDS_OF_LONGEST: usize = 40;

/// The longest passages, collected while pairs are written.
#[derive(Debug, Default)]
struct Longest {
    /// The longest first; of equally long ones the pair that was written first, so the order of pairs
    /// decides.
    passages: Vec<Placed>,
}

/// Where a long passage is.
#[derive(Debug)]
struct Placed {
    /// Words of its shorter side.
    words: u32,
    /// The left document; its text is read only if it is shown.
    left: DocIdx,
    right: DocIdx,
    /// Where it is in the left document.
    span: Span,
}

impl Longest {
    /// Considers a pair by its longest passage. A passage that is the whole of near-duplicates says
    /// little: `find` is for them.
    fn add(&mut self, pair: &PairOfDocuments) {
        if pair.is_near_duplicate() {
            return;
        }
        let passage = &pair.passages[pair.longest()];
        let words = passage.num_words();
        // Behind those of the same length.
        let before = self.passages.iter().position(|one| one.words < words);
        let at = before.unwrap_or(self.passages.len());
        if at < NUM_LONGEST {
            self.passages.truncate(NUM_LONGEST - 1);
            self.passages.insert(
                at,
                Placed {
                    words,
                    left: pair.left,
                    right: pair.right,
                    span: passage.left.span,
                },
            );
        }
    }

    /// The same with the ids of documents and the beginnings of texts, which are read only for these few.
    fn named(&self, result: &PassagesResult) -> Result<Vec<LongPassage>> {
        let named = |one: &Placed| {
            let text = result.text(one.left)?;
            let words = text[one.span.start..one.span.end].split_whitespace();
            let words: Vec<&str> = words.take(WORDS_OF_LONGEST).collect();
            Ok(LongPassage {
                words: one.words,
                left: result.documents.id(one.left)?.into_owned(),
                right: result.documents.id(one.right)?.into_owned(),
                beginning: words.join(" "),
            })
        };
        self.passages.iter().map(named).collect()
    }
}
