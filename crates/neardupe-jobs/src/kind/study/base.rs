//! What every study has: input, output, work, and how documents are read.
//!
//! A study runs the same job many times with a part of its description changed. What all jobs
//! share is here: the description under which a study puts its own, the effects of options about
//! texts (an option is idle only if no setting used it), and what was noticed, each warning once.

use super::super::find::{
    Effects, FindJob, FindSpec, Preset, idle_options, shared_main_warning,
};
use crate::param::{Params, Within};
use crate::spec::{ReadingSpec, WorkSpec};
use neardupe_core::document::Silent;
use neardupe_core::error::{Error, Result};
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::source::FileSource;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::path::PathBuf;

crate::params! {
    /// Input, output and work of a study.
    pub struct StudySpec {
        [ reading: ReadingSpec, work: WorkSpec ]
        /// Files, folders or globs to read
        inputs: Vec<String> => value("INPUT").positional().required();
        /// Features of a published system: ye (words:10), waterloo (chars:64), or any preset of `find`;
        /// what else is given wins
        preset: Preset => value("NAME");
        /// Output folder; replaced only if it is a result of neardupe [default: neardupe-study]
        output: PathBuf => value("DIR").short('o').heading("Output").free();
        /// End with code 0 when at most this many records were bad [default: 0]
        allow_bad_records: Within<0, { u64::MAX }> => value("N").heading("Input").free();
    }
}

/// Where results go by default.
const OUTPUT: &str = "neardupe-study";

/// What every study is made of. The jobs of a study share it.
pub(super) struct StudyBase {
    spec: StudySpec,
    effects: Effects,
    /// What was noticed when files were opened.
    noticed: RefCell<Vec<String>>,
    /// What was given and had nothing to work on in settings that were run before an interruption; none if
    /// there are none.
    idle_before: RefCell<Option<Vec<String>>>,
    /// A part of the documents may have been read before an interruption.
    is_resumed: Cell<bool>,
}

/// What a study knows for its warnings, to be kept for when it is resumed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StudyNotes {
    noticed: Vec<String>,
    idle: Vec<String>,
}

impl StudyBase {
    /// The parts of this description.
    pub(super) fn new(spec: StudySpec) -> Self {
        StudyBase {
            spec,
            effects: Effects::default(),
            noticed: RefCell::default(),
            idle_before: RefCell::default(),
            is_resumed: Cell::new(false),
        }
    }

    /// What was given, as a description of `find` without inputs and reading, under which a study puts its own.
    pub(super) fn find_spec(&self) -> Result<FindSpec> {
        let mut spec = FindSpec {
            preset: self.spec.preset,
            work: self.spec.work.clone(),
            ..FindSpec::default()
        };
        let output = self.spec.output.clone();
        spec.output.output = Some(output.unwrap_or_else(|| OUTPUT.into()));
        spec.tolerance.allow_bad_records = self.spec.allow_bad_records;
        spec.with_preset()
    }

    /// How documents are read, as given.
    pub(super) fn reading(&self) -> &ReadingSpec {
        &self.spec.reading
    }

    /// Memory and place of the jobs, as given.
    pub(super) fn work(&self) -> &WorkSpec {
        &self.spec.work
    }

    /// What parameters of words and texts do in all jobs of the study.
    pub(super) fn effects(&self) -> &Effects {
        &self.effects
    }

    /// The job that reads the input and makes features.
    pub(super) fn job(&self, like: FindSpec) -> Result<FindJob> {
        self.job_reading(self.spec.reading.clone(), like)
    }

    /// The same with documents read in another way.
    pub(super) fn job_reading(
        &self,
        reading: ReadingSpec,
        mut like: FindSpec,
    ) -> Result<FindJob> {
        if reading.features.features.is_some() {
            // They belong to the features of the other job.
            like.reading.words.antecedents = None;
        }
        let mut given = FindSpec {
            reading,
            ..FindSpec::default()
        };
        given.input.inputs = Some(self.spec.inputs.clone().unwrap_or_default());
        given.or(like).validate_with(self.effects.clone())
    }

    /// Refuses, before hours of work, an output folder that holds something else.
    pub(super) fn check_output(&self, job: &FindJob) -> Result<()> {
        ResultFolder::check(&job.output, ResultKind::Study)
    }

    /// Refuses what can be read only once: the settings of a study read it in turn.
    pub(super) fn check_inputs(job: &FindJob) -> Result<()> {
        if job.inputs().iter().any(|input| input == "-") {
            let message = "standard input can be read only once; name files";
            return Err(Error::input("study", message));
        }
        Ok(())
    }

    /// What is read; it may be read several times.
    pub(super) fn source(&self, job: &mut FindJob) -> Result<FileSource> {
        StudyBase::check_inputs(job)?;
        let discovered = job.discover()?;
        let source = job.open(discovered.files, &Silent)?;
        for warning in job
            .passed_over()
            .into_iter()
            .chain(shared_main_warning(job))
        {
            self.note(&warning);
        }
        Ok(source)
    }

    /// Something the user should know, once.
    pub(super) fn note(&self, warning: &str) {
        let mut noticed = self.noticed.borrow_mut();
        if noticed.iter().all(|known| known != warning) {
            noticed.push(warning.to_owned());
        }
    }

    /// The description with everything that was left open filled in, as a job has it.
    pub(super) fn completed(&self, job: &FindJob) -> StudySpec {
        StudySpec {
            reading: job.spec.reading.clone(),
            work: job.spec.work.clone(),
            inputs: job.spec.input.inputs.clone(),
            preset: self.spec.preset,
            output: job.spec.output.output.clone(),
            allow_bad_records: job.spec.tolerance.allow_bad_records,
        }
    }

    /// What was noticed, and what was given and had nothing to work on in the documents that were read.
    pub(super) fn warnings(&self, job: &FindJob) -> Vec<String> {
        let StudyNotes { noticed, idle } = self.notes(job);
        let mut warnings = noticed;
        let is_given = |message: &String| {
            let rest = message.trim_start_matches('`');
            let name = rest.split(['`', ' ']).next().unwrap_or_default();
            self.spec.reading.is_set(name)
        };
        // Of what was read before nothing is known.
        if !self.is_resumed.get() {
            warnings.extend(idle.into_iter().filter(is_given));
        }
        warnings
    }

    /// Whether some documents were read before an interruption.
    pub(super) fn set_resumed(&self, is_resumed: bool) {
        self.is_resumed.set(is_resumed);
    }

    /// What is known until now.
    pub(super) fn notes(&self, job: &FindJob) -> StudyNotes {
        let mut idle = idle_options(job);
        if let Some(before) = &*self.idle_before.borrow() {
            idle.retain(|message| before.contains(message));
        }
        StudyNotes {
            noticed: self.noticed.borrow().clone(),
            idle,
        }
    }

    /// What was known before an interruption.
    pub(super) fn take_over(&self, notes: StudyNotes) {
        for warning in &notes.noticed {
            self.note(warning);
        }
        let mut before = self.idle_before.borrow_mut();
        let mut idle = notes.idle;
        if let Some(before) = &*before {
            idle.retain(|message| before.contains(message));
        }
        *before = Some(idle);
    }
}
