//! One setting of a study, as a description of `find`, and its job.
//!
//! A setting is a description of `find` with what the study varies put over what the user gave,
//! and validated like any other, so a study cannot run what `find` would refuse.

use super::super::super::find::{FindJob, FindSpec, find_for, find_with};
use super::super::base::StudyBase;
use super::super::value::StudyThreshold;
use super::super::work::of_setting;
use super::cost::{StudyCost, StudyWatch};
use crate::param::{Params, from_flags};
use crate::spec::{MethodSpec, ReadingSpec, SamplingSpec, SimilaritySpec};
use neardupe_core::candidate::ledger::Ledger;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::result::Totals;
use neardupe_core::pipeline::{ClusterMode, FindResult, Method, PairsMode};
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::Threshold;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is run.
pub(super) struct Setting {
    /// What the setting says, over what the user gave.
    pub(super) spec: FindSpec,
    /// Parameters of reading, apart since they are resolved for each set of features.
    reading: ReadingSpec,
}

impl Setting {
    /// The exact join of the features that were given: all pairs, no clusters. What a preset says
    /// beside features is left out, since the study says it.
    pub(super) fn exact(base: &StudyBase) -> Result<Self> {
        let mut setting = Setting::simhash(base)?;
        setting.spec.method = MethodSpec {
            no_filter: setting.spec.method.no_filter,
            ..MethodSpec::default()
        };
        Ok(setting)
    }

    /// The same with what a preset says of simhash.
    pub(super) fn simhash(base: &StudyBase) -> Result<Self> {
        let mut spec = base.find_spec()?;
        spec.preset = None;
        spec.similarity = SimilaritySpec::default();
        spec.sampling = SamplingSpec::default();
        spec.method.recall = None;
        spec.method.bands = None;
        spec.method.num_perm = None;
        spec.method.signature_filter = None;
        spec.method.signature_distance = None;
        spec.cluster.keep = None;
        // Clusters cost time and say nothing about pairs.
        spec.cluster.cluster = Some(ClusterMode::None);
        spec.cluster.pairs = Some(PairsMode::All);
        spec.output.output_format = None;
        Ok(Setting {
            spec,
            reading: base.reading().clone(),
        })
    }

    /// What flags of `find` say; where they say nothing, the exact join.
    pub(super) fn of_flags(base: &StudyBase, flags: &str) -> Result<Self> {
        let wrong =
            |message: String| Error::config("also", format!("{flags:?}: {message}"));
        let typed: FindSpec = from_flags(flags).map_err(|error| match error {
            // An error about the line as a whole has no key.
            Error::Config { key, message } if key.is_empty() => wrong(message),
            Error::Config { key, message } => wrong(format!("`{key}`: {message}")),
            other => other,
        })?;
        // The study needs all pairs, and its own output.
        let is_written = typed.output.output.is_some();
        if is_written || typed.cluster.pairs.is_some() || typed.cluster.cluster.is_some()
        {
            let message = "all pairs are looked at, and no result is written";
            return Err(wrong(message.to_owned()));
        }
        // Only the study as a whole can be resumed.
        let restart = &typed.restart;
        if restart.checkpoint.checkpoint.is_some() || restart.keep_work.is_some() {
            let message = "a setting is run from its beginning, and what it gave is kept";
            return Err(wrong(message.to_owned()));
        }
        let mut setting = Setting::exact(base)?;
        if let Some(features) = typed.reading.features.features {
            setting = setting.with_features(features);
        }
        setting.spec = typed.or(setting.spec);
        Ok(setting)
    }

    /// The same of other features.
    pub(super) fn with_features(mut self, features: FeatureKind) -> Self {
        self.reading.features.features = Some(features);
        if features != FeatureKind::SpotSigs {
            // Antecedents are of spot signatures alone.
            self.reading.words.antecedents = None;
        }
        self
    }

    /// The same from this similarity on, unless it says so itself.
    pub(super) fn from(mut self, threshold: Threshold) -> Self {
        // With codes alone the threshold follows from the distance.
        if self.spec.method.no_verify != Some(true) {
            self.spec.similarity.threshold.get_or_insert(threshold);
        }
        self
    }

    /// What the files that it names hold, under its own name.
    pub(super) fn contents(
        &self,
        base: &StudyBase,
        name: &str,
    ) -> Result<BTreeMap<String, String>> {
        let contents = self.job(base)?.contents().into_iter();
        Ok(contents
            .map(|(what, holds)| (format!("{what} of {name}"), holds))
            .collect())
    }

    /// The job of it.
    pub(super) fn job(&self, base: &StudyBase) -> Result<FindJob> {
        base.job_reading(self.reading.clone(), self.spec.clone())
    }
}

/// The exact join of all pairs, as a description under which a study puts its own.
pub(super) fn exact_spec(base: &StudyBase) -> Result<FindSpec> {
    Ok(Setting::exact(base)?.spec)
}

/// Whether simhash can be made of features: these have weights.
pub(super) fn makes_codes(features: FeatureKind) -> bool {
    features.has_weights()
}

/// What was given, else what the preset says, else 0.8.
pub(super) fn usual_threshold(
    base: &StudyBase,
    given: Option<StudyThreshold>,
) -> Result<Threshold> {
    let of_preset = base.find_spec()?.similarity.threshold;
    let given = given.map(|given| given.0);
    Ok(given.or(of_preset).unwrap_or_default())
}

/// What a job says of itself.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Ran {
    /// Documents, features, bad records.
    pub(super) totals: Totals,
    /// What each filter of the join left.
    pub(super) ledger: Ledger,
    /// Time and memory.
    pub(super) cost: StudyCost,
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
    base: &StudyBase,
    setting: &Setting,
    progress: &dyn Progress,
    look: impl FnOnce(&FindResult) -> Result<T>,
) -> Result<(Ran, T)> {
    let mut job = setting.job(base)?;
    // Beside the work directory of the study, which is locked.
    job.config.work_dir = of_setting(&job.config.work_dir);
    let source = base.source(&mut job)?;
    // Before the job is run, since running fills in what was counted.
    let facts = Facts::of(&job);
    let watch = StudyWatch::new(progress);
    // The work of a join is among the figures of a study, and must be the same each time.
    job.config.takes_public_hash = true;
    find_for(&mut job, &source, &watch, |result| {
        Ok((facts.ran(result, watch.cost()), look(result)?))
    })
}

/// The same in the work directory of the study, where it continues what was done before.
pub(super) fn run_in<T>(
    base: &StudyBase,
    setting: &Setting,
    work: &WorkDir,
    progress: &dyn Progress,
    look: impl FnOnce(&FindResult) -> Result<T>,
) -> Result<(Ran, T)> {
    let mut job = setting.job(base)?;
    let source = base.source(&mut job)?;
    let facts = Facts::of(&job);
    let watch = StudyWatch::new(progress);
    // The work of a join is among the figures of a study, and must be the same each time.
    job.config.takes_public_hash = true;
    find_with(&mut job, &source, work, &watch, |result| {
        Ok((facts.ran(result, watch.cost()), look(result)?))
    })
}

/// What is known of a job before it is run.
///
/// Taken before the job runs: `find_for` needs the job for itself.
struct Facts {
    /// Names of the features.
    features: String,
    /// As in `Ran`.
    signature_values: Option<usize>,
}

impl Facts {
    /// Takes what is needed of the job.
    fn of(job: &FindJob) -> Self {
        let features = job.config.features.to_string();
        let lexicons = job.lexicons.as_ref();
        let signature_values = match job.config.method {
            Method::IMatch => {
                // One key of all terms, and one per lexicon.
                lexicons.map(|plan| plan.settings.num_lexicons() as usize + 1)
            }
            method => method.signature_values(),
        };
        Facts {
            features,
            signature_values,
        }
    }

    /// Puts them together with what came out.
    fn ran(self, result: &FindResult, cost: StudyCost) -> Ran {
        Ran {
            totals: result.totals,
            ledger: result.ledger,
            cost,
            features: self.features,
            signature_values: self.signature_values,
        }
    }
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
