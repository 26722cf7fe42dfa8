//! The search by diagonals of matching sentences (Zhang et al., SIGIR 2010), and the preset of the paper.
//!
//! Zhang, Zhang, Yu and Huang, *Efficient Partial-Duplicate Detection Based on Sequence Matching*
//! (SIGIR 2010). A sentence has a signature; equal signatures in two documents are points of a
//! plane, and a run of points near a diagonal, longer than gamma sentences, is a duplicated
//! passage. The paper compares three signatures (section 5.3), which are the three choices here.
//! Limits of the search from seeds have no meaning for it and are refused.

use super::spec::PassagesSpec;
use crate::kind::find::{FindJob, FindSpec, count_antecedents};
use crate::param::{ParamValue, Within, of_param};
use crate::spec::MethodChoice;
use neardupe_core::document::Progress;
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureKind;
use neardupe_core::passage::{PassageRule, SentenceSignature};
use neardupe_core::pipeline::codes::Reading;
use neardupe_core::pipeline::passages::{Diagonals, PassageMethod};
use neardupe_core::store::WorkDir;
use neardupe_core::text::FOR_SENTENCES;
use neardupe_core::threshold::Threshold;
use neardupe_io::source::FileSource;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

/// I-Match of terms with an idf of 0.1 to 1 (Zhang et al., SIGIR 2010, section 5.3).
const IMATCH: &str = "imatch:0.1-1.0,0";
/// Diagonals are longer than this many sentences (section 5.4).
const GAMMA: u64 = 3;

/// The smallest resemblance of two sentences, unless another one is given. The same parameter has
/// another default for passages that are found from seeds.
fn usual_tau() -> Threshold {
    Threshold::at(9, 10)
}

/// A published system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassagesPreset {
    /// Zhang et al., SIGIR 2010.
    PdcMr,
}

neardupe_core::named!(PassagesPreset as "preset" {
    PdcMr = "pdc-mr",
});

impl ParamValue for PassagesPreset {
    const VALUES: &'static [&'static str] = PassagesPreset::NAMES;

    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.name())
    }
}

/// The signatures by which sentences match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureChoice {
    /// Shingles of this many words.
    Shingles(u32),
    /// Keys of I-Match, with these settings.
    IMatch(String),
    /// Spot signatures.
    SpotSigs,
}

impl fmt::Display for SignatureChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignatureChoice::Shingles(len) => write!(out, "words:{len}"),
            SignatureChoice::IMatch(settings) => out.write_str(settings),
            SignatureChoice::SpotSigs => out.write_str("spotsigs"),
        }
    }
}

impl ParamValue for SignatureChoice {
    fn from_text(text: &str) -> Result<Self> {
        if text == "imatch" {
            return Ok(SignatureChoice::IMatch(IMATCH.to_owned()));
        }
        if text == "spotsigs" {
            return Ok(SignatureChoice::SpotSigs);
        }
        if text.starts_with("imatch:") {
            // Parsed only to refuse wrong settings; `prepare` hands the text to `find`, which makes the keys.
            MethodChoice::from_text(text)?;
            return Ok(SignatureChoice::IMatch(text.to_owned()));
        }
        let Some(len) = text.strip_prefix("words:") else {
            let message =
                format!("{text:?} is not one of words:N, imatch, imatch:..., spotsigs");
            return Err(Error::config("signature", message));
        };
        let len = Within::<1, 100>::from_text(len)
            .map_err(|error| of_param("signature", error))?;
        Ok(SignatureChoice::Shingles(len.u32()))
    }

    fn to_json(&self) -> Value {
        json!(self.to_string())
    }
}

/// The search by diagonals.
#[derive(Debug, Clone)]
pub struct SentenceSearch {
    /// The signatures by which sentences match.
    pub signature: SignatureChoice,
    /// The smallest resemblance of two sentences that match.
    pub tau: Threshold,
    /// A passage has more sentences than this.
    pub gamma: u32,
    /// Whether a document is compared with itself.
    pub within_document: bool,
}

impl SentenceSearch {
    /// The search that is asked for; None when passages are found from seeds. The preset has the
    /// defaults of the parameters, so it only has to be named.
    pub(super) fn resolve(spec: &PassagesSpec) -> Result<Option<Self>> {
        let within_document = spec.within_document == Some(true);
        // Both parameters belong to this search only.
        if spec.preset.is_none() && spec.signature.is_none() {
            for (param, given) in [
                ("gamma", spec.gamma.is_some()),
                ("within-document", within_document),
            ] {
                if given {
                    let preset = PassagesPreset::PdcMr;
                    let message = format!("needs `signature` or `preset {preset}`");
                    return Err(Error::config(param, message));
                }
            }
            return Ok(None);
        }
        let (given, usual) = (&spec.rule, PassageRule::default());
        // With its default a limit may be given, as in a summary.
        let is_other =
            |given: Option<u64>, usual: u64| given.is_some_and(|it| it != usual);
        let min_words = given.min_words.map(|number| number.0);
        let max_gap = given.max_gap.map(|number| number.0);
        let max_drift = given.max_drift.map(|number| number.0);
        let reach = usual.reach;
        for (param, is_given) in [
            ("min-words", is_other(min_words, usual.min_words.into())),
            ("max-gap", is_other(max_gap, reach.max_gap as u64)),
            ("max-drift", is_other(max_drift, reach.max_drift as u64)),
            (
                "ignore",
                given.ignore.as_ref().is_some_and(|files| !files.is_empty()),
            ),
        ] {
            if is_given {
                let message = "diagonals of sentences have no such limit; leave out `signature` \
                               and `preset`";
                return Err(Error::config(param, message));
            }
        }
        let signature = spec.signature.clone();
        Ok(Some(SentenceSearch {
            signature: signature.unwrap_or(SignatureChoice::IMatch(IMATCH.to_owned())),
            tau: given.tau.unwrap_or_else(usual_tau),
            gamma: spec.gamma.unwrap_or(Within(GAMMA)).u32(),
            within_document,
        }))
    }

    /// Adds parameters to the job of `find` by which it will know frequencies or antecedents.
    pub(super) fn prepare(&self, find: &mut FindSpec) -> Result<()> {
        match &self.signature {
            SignatureChoice::Shingles(_) => {}
            SignatureChoice::IMatch(settings) => {
                find.method.method = Some(MethodChoice::from_text(settings)?);
            }
            SignatureChoice::SpotSigs => {
                find.reading.features.features = Some(FeatureKind::SpotSigs);
                let antecedents = &mut find.reading.words.antecedents;
                antecedents.get_or_insert_with(|| FOR_SENTENCES.to_string());
            }
        }
        Ok(())
    }

    /// Whether sentences are compared by spot signatures.
    pub(super) fn has_spots(&self) -> bool {
        self.signature == SignatureChoice::SpotSigs
    }

    /// The search for the core. Reads the collection once more where signatures depend on it:
    /// frequencies of terms, or the most frequent words.
    pub(super) fn method(
        &self,
        job: &mut FindJob,
        source: &FileSource,
        work: &WorkDir,
        progress: &dyn Progress,
    ) -> Result<PassageMethod> {
        count_antecedents(job, source, progress)?;
        let signature = match &self.signature {
            SignatureChoice::Shingles(len) => SentenceSignature::Shingles(*len),
            SignatureChoice::SpotSigs => SentenceSignature::SpotSigs,
            SignatureChoice::IMatch(_) => {
                // `prepare` has asked `find` for them.
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
