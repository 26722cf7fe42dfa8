//! How documents are read and made into features, for commands that look at some of them.

use crate::typed::Typed;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::{ClusterMode, PairsMode};
use neardupe_jobs::kind::find::{Effects, FindJob, FindSpec};
use neardupe_jobs::param::{ParamValue, Params, of_param};
use neardupe_jobs::spec::ReadingSpec;

/// Options of texts and features, named as after `find`.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct ReadingArgs {
    #[command(flatten)]
    typed: Typed<ReadingSpec>,

    /// Shared by all jobs of a command.
    #[arg(skip)]
    effects: Effects,
}

impl ReadingArgs {
    /// The job that would read these inputs so. The threshold is named as it was typed.
    pub(crate) fn job(
        &self,
        inputs: &[String],
        threshold: Option<&str>,
    ) -> Result<FindJob> {
        self.job_like(inputs, threshold, FindSpec::default())
    }

    /// The same for other features, whatever was typed; antecedents are of spot signatures alone.
    pub(crate) fn with_features(&self, features: FeatureKind) -> Self {
        let mut reading = self.clone();
        reading.typed.0.features.features = Some(features);
        if features != FeatureKind::SpotSigs {
            reading.typed.0.words.antecedents = None;
        }
        reading
    }

    /// The same for a command that compares no features.
    pub(crate) fn without_features(&self) -> Self {
        let mut reading = self.clone();
        reading.typed.0.features.features = None;
        reading.typed.0.words.antecedents = None;
        reading
    }

    /// The same for a command that only counts: `usual` is the kind of features when none was
    /// typed.
    pub(crate) fn counting_job(
        &self,
        inputs: &[String],
        usual: &str,
        memory: Option<&str>,
        allow_bad_records: Option<&str>,
    ) -> Result<FindJob> {
        let mut like = limits(memory, allow_bad_records)?;
        like.reading.features.features = Some(usual.parse()?);
        self.job_like(inputs, None, like)
    }

    /// The same for a command that makes codes of versions: words that say something, unless
    /// others are asked for, and the fields that it needs.
    pub(crate) fn history_job(
        &self,
        inputs: &[String],
        fields: Vec<String>,
        memory: Option<&str>,
        allow_bad_records: Option<&str>,
    ) -> Result<FindJob> {
        let mut like = limits(memory, allow_bad_records)?;
        like.reading.features.features = Some(FeatureKind::Terms);
        like.reading.words.stop_words = Some("en".to_owned());
        like.metadata.meta_key = Some(fields);
        self.job_like(inputs, None, like)
    }

    /// The same for all pairs of some documents of a collection, as the waterloo thesis compares
    /// them unless told otherwise.
    pub(crate) fn pairs_job(
        &self,
        inputs: &[String],
        threshold: &str,
    ) -> Result<FindJob> {
        let mut like = FindSpec::default();
        like.reading.features.features = Some("chars:64".parse()?);
        like.cluster.cluster = Some(ClusterMode::None);
        like.cluster.pairs = Some(PairsMode::All);
        self.job_like(inputs, Some(threshold), like)
    }

    /// Number of threads.
    pub(crate) fn threads(&self) -> usize {
        match self.typed.0.limits.threads {
            None => std::thread::available_parallelism().map_or(1, usize::from),
            Some(threads) => threads.usize(),
        }
    }

    /// What was typed and had nothing to work on in the documents that a job has read.
    pub(crate) fn idle(&self, job: &FindJob) -> Vec<String> {
        let mut idle = job.idle_options();
        idle.retain(|message| {
            let rest = message.trim_start_matches('`');
            let name = rest.split(['`', ' ']).next().unwrap_or_default();
            self.typed.0.is_set(name)
        });
        idle
    }

    /// Refuses options of texts where no text is read.
    pub(crate) fn check_unread(&self, needed: &str) -> Result<()> {
        let given = self.typed.0.to_map();
        match given.keys().find(|name| *name != "threads") {
            None => Ok(()),
            Some(name) => {
                let message = format!("needs {needed}: no text is read without it");
                Err(Error::config(name, message).into())
            }
        }
    }

    /// Refuses some of them.
    pub(crate) fn check_unused(&self, names: &[&str], message: &str) -> Result<()> {
        match names.iter().find(|name| self.typed.0.is_set(name)) {
            None => Ok(()),
            Some(name) => Err(Error::config(*name, message).into()),
        }
    }

    /// Whether the field of the id was named.
    pub(crate) fn names_id(&self) -> bool {
        self.typed.0.record.id_key.is_some()
    }

    /// The same where something else is given too; what was typed wins.
    pub(crate) fn job_like(
        &self,
        inputs: &[String],
        threshold: Option<&str>,
        mut like: FindSpec,
    ) -> Result<FindJob> {
        if self.typed.0.features.features.is_some() {
            // They belong to the features of the other job.
            like.reading.words.antecedents = None;
        }
        let mut typed = FindSpec {
            reading: self.typed.0.clone(),
            ..FindSpec::default()
        };
        typed.similarity.threshold = threshold.map(str::parse).transpose()?;
        typed.input.inputs = Some(inputs.to_vec());
        Ok(typed.or(like).validate_with(self.effects.clone())?)
    }
}

/// Limits as they are typed.
fn limits(memory: Option<&str>, allow_bad_records: Option<&str>) -> Result<FindSpec> {
    let mut spec = FindSpec::default();
    spec.work.memory = typed("memory", memory)?;
    spec.tolerance.allow_bad_records = typed("allow-bad-records", allow_bad_records)?;
    Ok(spec)
}

/// A value as it is typed.
pub(crate) fn typed<T: ParamValue>(param: &str, text: Option<&str>) -> Result<Option<T>> {
    let value = text.map(T::from_text).transpose();
    Ok(value.map_err(|error| of_param(param, error))?)
}
