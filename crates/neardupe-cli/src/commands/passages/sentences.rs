//! Options of the search by diagonals of matching sentences, and the preset of the paper.

use super::super::find::Job;
use super::PassagesArgs;
use crate::options::whole_number;
use anyhow::Result;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_core::feature::FeatureKind;
use neardupe_core::passage::SentenceSignature;
use neardupe_core::pipeline::codes::Reading;
use neardupe_core::pipeline::passages::{Diagonals, PassageMethod};
use neardupe_core::store::WorkDir;
use neardupe_core::text::FOR_SENTENCES;
use neardupe_core::threshold::Threshold;
use neardupe_io::source::FileSource;
use neardupe_jobs::kind::find::FindSpec;
use neardupe_jobs::param::ParamValue;
use neardupe_jobs::param::of_param;
use neardupe_jobs::spec::MethodChoice;
use serde_json::{Value, json};
use std::sync::Arc;

/// The preset of Zhang et al., SIGIR 2010: I-Match of terms with an idf of 0.1 to 1, diagonals
/// longer than three sentences (sections 5.3 and 5.4).
const PDC_MR: &str = "pdc-mr";
const IMATCH: &str = "imatch:0.1-1.0,0";
const GAMMA: u64 = 3;
const TAU: &str = "0.9";

/// What sentences are compared by, as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Signature {
    Shingles(u32),
    IMatch(String),
    SpotSigs,
}

/// The search by diagonals, as far as the options tell.
pub(super) struct BySentences {
    preset: Option<String>,
    signature: Signature,
    tau: Threshold,
    gamma: u32,
    within_document: bool,
}

impl BySentences {
    /// What was asked for; none when passages are found from seeds.
    pub(super) fn resolve(args: &PassagesArgs) -> Result<Option<Self>> {
        let wrong =
            |flag: &str, message: String| Err(Error::config(flag, message).into());
        if let Some(preset) = args.preset.as_deref().filter(|&name| name != PDC_MR) {
            return wrong("preset", format!("{preset:?} is not {PDC_MR}"));
        }
        if args.preset.is_none() && args.signature.is_none() {
            for (flag, given) in [
                ("--gamma", args.gamma.is_some()),
                ("--within-document", args.within_document),
            ] {
                if given {
                    let message = format!("needs --signature or --preset {PDC_MR}");
                    return wrong(flag, message);
                }
            }
            return Ok(None);
        }
        for (flag, given) in [
            ("--min-words", args.min_words.is_some()),
            ("--max-gap", args.max_gap.is_some()),
            ("--max-drift", args.max_drift.is_some()),
            ("--ignore", !args.ignore.is_empty()),
        ] {
            if given {
                let message = "diagonals of sentences have no such limit; leave out --signature \
                               and --preset";
                return wrong(flag, message.to_owned());
            }
        }
        let signature = match args.signature.as_deref().unwrap_or(IMATCH) {
            "spotsigs" => Signature::SpotSigs,
            "imatch" => Signature::IMatch(IMATCH.to_owned()),
            typed if typed.starts_with("imatch:") => Signature::IMatch(typed.to_owned()),
            typed => {
                let Some(len) = typed.strip_prefix("words:") else {
                    let message = format!(
                        "{typed:?} is not one of words:N, imatch, imatch:..., spotsigs"
                    );
                    return wrong("signature", message);
                };
                let len = whole_number("--signature", len, 1..=100)?;
                Signature::Shingles(u32::try_from(len)?)
            }
        };
        let tau = args.tau.as_deref().unwrap_or(TAU).parse();
        let gamma = match &args.gamma {
            None => GAMMA,
            Some(typed) => whole_number("--gamma", typed, 0..=1_000_000)?,
        };
        Ok(Some(BySentences {
            preset: args.preset.clone(),
            signature,
            tau: tau.map_err(|error: Error| of_param("tau", error))?,
            gamma: u32::try_from(gamma)?,
            within_document: args.within_document,
        }))
    }

    /// What must be known before the collection is read: frequencies, antecedents.
    pub(super) fn options(&self, mut like: FindSpec) -> Result<FindSpec> {
        match &self.signature {
            Signature::Shingles(_) => {}
            Signature::IMatch(settings) => {
                like.method.method = Some(MethodChoice::from_text(settings)?);
            }
            Signature::SpotSigs => {
                like.reading.features.features = Some(FeatureKind::SpotSigs);
                // What was typed wins.
                like.reading.words.antecedents = Some(FOR_SENTENCES.to_string());
            }
        }
        Ok(like)
    }

    /// As shown in the summary.
    pub(super) fn shown(&self, job: &Job) -> Vec<(&'static str, Value)> {
        let signature = match &self.signature {
            Signature::Shingles(len) => format!("words:{len}"),
            Signature::IMatch(settings) => settings.clone(),
            Signature::SpotSigs => "spotsigs".to_owned(),
        };
        let antecedents = job.options().get("antecedents").cloned();
        vec![
            ("preset", json!(self.preset)),
            ("signature", json!(signature)),
            ("antecedents", antecedents.unwrap_or(Value::Null)),
            ("gamma", json!(self.gamma)),
            ("tau", json!(self.tau.to_string())),
            ("within-document", json!(self.within_document)),
        ]
    }

    /// For people.
    pub(super) fn described(&self) -> String {
        let what = match &self.signature {
            Signature::Shingles(len) => {
                format!("resemblance of {len}-word shingles >= {}", self.tau)
            }
            Signature::IMatch(settings) => format!("the same key of {settings}"),
            Signature::SpotSigs => {
                format!("resemblance of spot signatures >= {}", self.tau)
            }
        };
        format!(
            "diagonals of more than {} sentences that match: {what}",
            self.gamma
        )
    }

    /// Whether sentences are compared by spot signatures.
    pub(super) fn has_spots(&self) -> bool {
        matches!(self.signature, Signature::SpotSigs)
    }

    /// The search; reads the collection for what it must know first.
    pub(super) fn method(
        &self,
        job: &mut Job,
        source: &FileSource,
        work: &WorkDir,
        progress: &dyn Progress,
    ) -> Result<PassageMethod> {
        job.count_antecedents(source, progress)?;
        let signature = match &self.signature {
            Signature::Shingles(len) => SentenceSignature::Shingles(*len),
            Signature::SpotSigs => SentenceSignature::SpotSigs,
            Signature::IMatch(_) => {
                let plan = job.lexicons.as_ref();
                let plan = plan.ok_or_else(|| {
                    Error::Internal("keys that nothing makes".to_owned())
                })?;
                let lexicons = plan.specify(Reading {
                    source,
                    threads: job.config.threads,
                    budget: &job.config.budget,
                    work,
                    progress,
                })?;
                SentenceSignature::IMatch(Arc::new(lexicons))
            }
        };
        Ok(PassageMethod::Diagonals(Diagonals {
            signature,
            tau: self.tau,
            gamma: self.gamma,
            within_document: self.within_document,
            words: job.config.words.clone(),
            seed: job.config.seed,
        }))
    }
}
