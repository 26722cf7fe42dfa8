//! What every study has: input, output, work, and how documents are read.

use super::super::find::{Effects, FindJob, FindSpec, Preset, shared_main_warning};
use crate::param::{Params, Within};
use crate::spec::{ReadingSpec, WorkSpec};
use neardupe_core::document::Silent;
use neardupe_core::error::{Error, Result};
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::source::FileSource;
use std::cell::RefCell;
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
pub struct StudyBase {
    spec: StudySpec,
    effects: Effects,
    /// What was noticed when files were opened.
    noticed: RefCell<Vec<String>>,
}

impl StudyBase {
    /// The parts of this description.
    pub fn new(spec: StudySpec) -> Self {
        StudyBase {
            spec,
            effects: Effects::default(),
            noticed: RefCell::default(),
        }
    }

    /// What was given, as a description of `find` without inputs and reading, under which a study puts its own.
    pub fn find_spec(&self) -> Result<FindSpec> {
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
    pub fn reading(&self) -> &ReadingSpec {
        &self.spec.reading
    }

    /// What parameters of words and texts do in all jobs of the study.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }

    /// The job that reads the input and makes features.
    pub fn job(&self, like: FindSpec) -> Result<FindJob> {
        self.job_reading(self.spec.reading.clone(), like)
    }

    /// The same with documents read in another way.
    pub fn job_reading(
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
    pub fn check_output(&self, job: &FindJob) -> Result<()> {
        ResultFolder::check(&job.output, ResultKind::Study)
    }

    /// What is read; it may be read several times.
    pub fn source(&self, job: &mut FindJob) -> Result<FileSource> {
        if job.inputs().iter().any(|input| input == "-") {
            let message = "standard input can be read only once; name files";
            return Err(Error::input("study", message));
        }
        let discovered = job.discover()?;
        let source = job.open(discovered.files, &Silent)?;
        if let Some(warning) = shared_main_warning(job) {
            let mut noticed = self.noticed.borrow_mut();
            if !noticed.contains(&warning) {
                noticed.push(warning);
            }
        }
        Ok(source)
    }

    /// The description with everything that was left open filled in, as a job has it.
    pub fn completed(&self, job: &FindJob) -> StudySpec {
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
        let mut warnings = self.noticed.take();
        let is_given = |message: &String| {
            let rest = message.trim_start_matches('`');
            let name = rest.split(['`', ' ']).next().unwrap_or_default();
            self.spec.reading.is_set(name)
        };
        warnings.extend(job.idle_options().into_iter().filter(is_given));
        warnings
    }
}
