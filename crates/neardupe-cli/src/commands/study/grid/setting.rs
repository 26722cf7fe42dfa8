//! One setting of a study, as it could be typed after `find`, and its job.

use super::super::super::find::{FindOptions, Job, ReadingArgs, find_for};
use super::super::common::CommonArgs;
use super::super::sampling::threshold;
use super::cost::{Cost, Watch};
use crate::terminal::Stages;
use anyhow::Result;
use clap::Parser;
use neardupe_core::candidate::ledger::Ledger;
use neardupe_core::error::Error;
use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::result::Totals;
use neardupe_core::pipeline::{FindResult, Method};
use neardupe_core::threshold::Threshold;

/// What is run.
pub(super) struct Setting {
    pub(super) options: FindOptions,
    reading: ReadingArgs,
}

/// Flags of `find` alone.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Flags {
    #[command(flatten)]
    options: FindOptions,
}

impl Setting {
    /// The exact join of the features that were typed: all pairs, no clusters. What a preset says
    /// beside features is left out, since the study says it.
    pub(super) fn exact(common: &CommonArgs) -> Result<Self> {
        let options = FindOptions {
            method: None,
            distance: None,
            no_verify: false,
            variant: None,
            idf: None,
            df_table: None,
            reserve: None,
            ..Setting::simhash(common)?.options
        };
        Ok(Setting {
            options,
            reading: common.reading.clone(),
        })
    }

    /// The same with what a preset says of simhash.
    pub(super) fn simhash(common: &CommonArgs) -> Result<Self> {
        let options = FindOptions {
            recall: None,
            bands: None,
            num_perm: None,
            signature_filter: None,
            signature_distance: None,
            sample: Vec::new(),
            similarity: None,
            min_overlap: None,
            threshold: None,
            keep: None,
            cluster: Some("none".to_owned()),
            pairs: Some("all".to_owned()),
            output_format: None,
            ..common.options()?
        };
        Ok(Setting {
            options,
            reading: common.reading.clone(),
        })
    }

    /// What flags of `find` say; where they say nothing, the exact join.
    pub(super) fn typed(common: &CommonArgs, flags: &str) -> Result<Self> {
        let wrong = |message: String| Error::config("--also", message);
        let words = flags.split_whitespace();
        let parsed = Flags::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            let first = first.trim_start_matches("error: ");
            wrong(format!("{flags:?}: {first}"))
        })?;
        let typed = parsed.options;
        if typed.output.is_some() || typed.pairs.is_some() || typed.cluster.is_some() {
            let message = "all pairs are looked at, and no result is written";
            return Err(wrong(format!("{flags:?}: {message}")).into());
        }
        let mut setting = Setting::exact(common)?;
        if let Some(features) = &typed.features {
            setting = setting.with_features(features);
        }
        setting.options = typed.or(setting.options);
        Ok(setting)
    }

    /// The same of other features.
    pub(super) fn with_features(mut self, features: &str) -> Self {
        self.reading = self.reading.with_features(Some(features));
        self
    }

    /// The same from this similarity on, unless it says so itself.
    pub(super) fn from(mut self, threshold: Threshold) -> Self {
        if !self.options.no_verify {
            let own = self.options.threshold.take();
            self.options.threshold = own.or_else(|| Some(threshold.to_string()));
        }
        self
    }

    /// The job of it.
    pub(super) fn job(&self, common: &CommonArgs) -> Result<Job> {
        self.reading
            .job_like(&common.inputs, None, self.options.clone())
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
    let of_preset = common.options()?.threshold;
    let asked = typed.or(of_preset.as_deref()).unwrap_or("0.8");
    threshold("--threshold", asked)
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
    fn flags_are_read_as_after_find() {
        let parsed = |flags: &str| Flags::try_parse_from(flags.split_whitespace());
        let options = parsed("--method minhash --recall 0.9 -t 0.5")
            .unwrap()
            .options;
        assert_eq!(options.method.as_deref(), Some("minhash"));
        assert_eq!(options.threshold.as_deref(), Some("0.5"));
        assert!(parsed("docs.jsonl").is_err());
    }

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
