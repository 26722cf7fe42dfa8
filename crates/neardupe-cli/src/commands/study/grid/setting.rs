//! One setting of a study, as it could be typed after `find`, and its job.

use super::super::super::find::{Job, ReadingArgs};
use super::super::common::CommonArgs;
use super::super::sampling::threshold;
use super::cost::{Cost, Watch};
use crate::terminal::Stages;
use anyhow::Result;
use neardupe_core::candidate::ledger::Ledger;
use neardupe_core::error::Error;
use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::result::Totals;
use neardupe_core::pipeline::{ClusterMode, FindResult, Method, PairsMode};
use neardupe_core::threshold::Threshold;
use neardupe_jobs::kind::find::{FindSpec, find_for};
use neardupe_jobs::param::{Params, from_flags};
use neardupe_jobs::spec::{MethodSpec, SamplingSpec, SimilaritySpec};

/// What is run.
pub(super) struct Setting {
    pub(super) spec: FindSpec,
    reading: ReadingArgs,
}

impl Setting {
    /// The exact join of the features that were typed: all pairs, no clusters. What a preset says
    /// beside features is left out, since the study says it.
    pub(super) fn exact(common: &CommonArgs) -> Result<Self> {
        let mut setting = Setting::simhash(common)?;
        setting.spec.method = MethodSpec {
            no_filter: setting.spec.method.no_filter,
            ..MethodSpec::default()
        };
        Ok(setting)
    }

    /// The same with what a preset says of simhash.
    pub(super) fn simhash(common: &CommonArgs) -> Result<Self> {
        let mut spec = common.spec()?;
        spec.preset = None;
        spec.similarity = SimilaritySpec::default();
        spec.sampling = SamplingSpec::default();
        spec.method.recall = None;
        spec.method.bands = None;
        spec.method.num_perm = None;
        spec.method.signature_filter = None;
        spec.method.signature_distance = None;
        spec.cluster.keep = None;
        spec.cluster.cluster = Some(ClusterMode::None);
        spec.cluster.pairs = Some(PairsMode::All);
        spec.output.output_format = None;
        Ok(Setting {
            spec,
            reading: common.reading.clone(),
        })
    }

    /// What flags of `find` say; where they say nothing, the exact join.
    pub(super) fn typed(common: &CommonArgs, flags: &str) -> Result<Self> {
        let wrong =
            |message: String| Error::config("also", format!("{flags:?}: {message}"));
        let typed: FindSpec = from_flags(flags).map_err(|error| match error {
            Error::Config { key, message } if key.is_empty() => wrong(message),
            Error::Config { key, message } => wrong(format!("`{key}`: {message}")),
            other => other,
        })?;
        let is_written = typed.output.output.is_some();
        if is_written || typed.cluster.pairs.is_some() || typed.cluster.cluster.is_some()
        {
            let message = "all pairs are looked at, and no result is written";
            return Err(wrong(message.to_owned()).into());
        }
        let mut setting = Setting::exact(common)?;
        if let Some(features) = typed.reading.features.features {
            setting = setting.with_features(features);
        }
        setting.spec = typed.or(setting.spec);
        Ok(setting)
    }

    /// The same of other features.
    pub(super) fn with_features(mut self, features: FeatureKind) -> Self {
        self.reading = self.reading.with_features(features);
        self
    }

    /// The same from this similarity on, unless it says so itself.
    pub(super) fn from(mut self, threshold: Threshold) -> Self {
        if self.spec.method.no_verify != Some(true) {
            self.spec.similarity.threshold.get_or_insert(threshold);
        }
        self
    }

    /// The job of it.
    pub(super) fn job(&self, common: &CommonArgs) -> Result<Job> {
        self.reading
            .job_like(&common.inputs, None, self.spec.clone())
    }
}

/// Whether simhash can be made of features: these have weights.
pub(super) fn makes_codes(features: FeatureKind) -> bool {
    let name = features.to_string();
    name.starts_with("words:") || name == "terms"
}

/// What was typed, else what the preset says, else 0.8.
pub(super) fn usual_threshold(
    common: &CommonArgs,
    typed: Option<&str>,
) -> Result<Threshold> {
    let of_preset = common.spec()?.similarity.threshold;
    match typed {
        Some(typed) => threshold("threshold", typed),
        None => Ok(of_preset.unwrap_or_default()),
    }
}

/// What a job says of itself.
#[derive(Default)]
pub(super) struct Ran {
    pub(super) totals: Totals,
    pub(super) ledger: Ledger,
    pub(super) cost: Cost,
    /// What was compared.
    pub(super) features: String,
    /// Values of 64 bits that stand for a document; none where these are its features.
    pub(super) signature_values: Option<usize>,
}

impl Ran {
    /// Distinct features of a distinct document.
    pub(super) fn features_per_document(&self) -> Option<f64> {
        let sets = self.ledger.sets;
        (sets > 0).then(|| self.totals.features as f64 / sets as f64)
    }

    /// Bytes by which a document is found: of its signature, or of its features.
    pub(super) fn bytes_per_document(&self) -> Option<f64> {
        let values = self.signature_values.map(|values| values as f64);
        Some(8.0 * values.or(self.features_per_document())?)
    }
}

/// Runs the job of a setting and looks at its answer. The look is not part of the cost.
pub(super) fn run<T>(
    common: &CommonArgs,
    setting: &Setting,
    stages: &Stages,
    look: impl FnOnce(&FindResult) -> Result<T>,
) -> Result<(Ran, T)> {
    let mut job = setting.job(common)?;
    let source = common.source(&mut job)?;
    let features = job.config.features.to_string();
    let lexicons = job.lexicons.as_ref();
    let signature_values = match job.config.method {
        Method::Exact => None,
        Method::MinHash(bands) => Some(bands.num_values()),
        Method::Simhash(_) => Some(1),
        Method::IMatch => lexicons.map(|plan| plan.settings.num_lexicons() as usize + 1),
    };
    let watch = Watch::new(stages);
    find_for(&mut job, &source, &watch, |result| {
        let ran = Ran {
            totals: result.totals,
            ledger: result.ledger,
            cost: watch.cost(),
            features,
            signature_values,
        };
        Ok((ran, look(result)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_counts_by_its_values_and_a_set_by_its_features() {
        let mut ran = Ran::default();
        assert_eq!(ran.bytes_per_document(), None);
        (ran.ledger.sets, ran.totals.features) = (2, 10);
        assert_eq!(ran.bytes_per_document(), Some(40.0));
        ran.signature_values = Some(1);
        assert_eq!(ran.bytes_per_document(), Some(8.0));
    }
}
