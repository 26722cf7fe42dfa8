//! Choices that carry values: methods and rules of sampling.

use crate::param::{Fraction, ParamValue};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::Sampling;
use neardupe_core::hash::HashKey;
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;

pub use neardupe_core::pipeline::MethodChoice;

// Methods have settings behind a colon; the core parses and prints them.
impl ParamValue for MethodChoice {
    const LISTED: Option<fn() -> String> = Some(MethodChoice::help);

    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.to_string())
    }
}

/// Which features are compared. Kept as text where a rule is complete by itself: the rules of a job are
/// combined when it is validated.
#[derive(Debug, Clone, PartialEq)]
pub enum SampleRule {
    /// All of them. Needed because a preset may set a rule, which an empty list would not override.
    None,
    /// By a rule that needs nothing else, such as `mod:4`.
    Rule(String),
    /// By a plan that is made for this precision.
    AdaptivePrecision(Fraction),
    /// By the plan in a file.
    AdaptivePlan(PathBuf),
}

/// The prefix of a plan, be it a file or a precision.
const ADAPTIVE: &str = "adaptive:";
/// The prefix of the precision that a plan is made for, after [`ADAPTIVE`].
const PRECISION: &str = "precision=";

impl SampleRule {
    /// Whether features are chosen by a plan.
    pub fn is_adaptive(&self) -> bool {
        matches!(
            self,
            SampleRule::AdaptivePrecision(_) | SampleRule::AdaptivePlan(_)
        )
    }

    /// Whether all features are compared.
    pub fn is_none(&self) -> bool {
        *self == SampleRule::None
    }
}

impl fmt::Display for SampleRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SampleRule::None => out.write_str("none"),
            SampleRule::Rule(rule) => out.write_str(rule),
            SampleRule::AdaptivePrecision(target) => {
                write!(out, "{ADAPTIVE}{PRECISION}{target}")
            }
            SampleRule::AdaptivePlan(path) => write!(out, "{ADAPTIVE}{}", path.display()),
        }
    }
}

impl ParamValue for SampleRule {
    fn from_text(text: &str) -> Result<Self> {
        if text == "none" {
            return Ok(SampleRule::None);
        }
        let Some(plan) = text.strip_prefix(ADAPTIVE) else {
            // Read only to refuse a text that is not a rule: which rules go together is checked with
            // all of them.
            Sampling::default().and(text)?;
            return Ok(SampleRule::Rule(text.to_owned()));
        };
        if let Some(target) = plan.strip_prefix(PRECISION) {
            let target = Fraction::from_text(target).map_err(|_| {
                let message =
                    format!("{target:?} is not a precision above 0 and below 1");
                Error::config("sample", message)
            })?;
            return Ok(SampleRule::AdaptivePrecision(target));
        }
        // A name with = is more likely a mistyped precision than a file.
        if plan.is_empty() || plan.contains('=') {
            let message = format!(
                "adaptive:{plan}: neither a precision, such as adaptive:precision=0.9, nor the file \
                 of a plan, such as adaptive:plan.toml, which has [[groups]] with min_words, max_words and \
                 ratio"
            );
            return Err(Error::config("sample", message));
        }
        Ok(SampleRule::AdaptivePlan(PathBuf::from(plan)))
    }

    fn to_json(&self) -> Value {
        json!(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_written_as_they_are_read() {
        for text in ["exact", "minhash", "simhash"] {
            let method = MethodChoice::from_text(text).unwrap();
            assert_eq!(method.to_json(), json!(text));
        }
        let imatch = MethodChoice::from_text("imatch").unwrap();
        let again = MethodChoice::from_json(&imatch.to_json()).unwrap();
        assert_eq!(again, imatch);
        assert!(MethodChoice::from_text("imatching").is_err());
        for text in [
            "none",
            "mod:4",
            "adaptive:precision=0.9",
            "adaptive:plan.toml",
        ] {
            let rule = SampleRule::from_text(text).unwrap();
            assert_eq!(rule.to_json(), json!(text));
        }
        for wrong in ["mod:0", "adaptive:", "adaptive:precision=2", "adaptive:x=y"] {
            assert!(SampleRule::from_text(wrong).is_err(), "{wrong}");
        }
    }
}

/// Under what features and texts are hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HashKeyChoice {
    /// A key that is drawn for the job.
    #[default]
    Random,
    /// The public hash.
    Public,
    /// A given key.
    Key(HashKey),
}

impl fmt::Display for HashKeyChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HashKeyChoice::Random => out.write_str("random"),
            HashKeyChoice::Public => out.write_str("public"),
            HashKeyChoice::Key(key) => write!(out, "{key}"),
        }
    }
}

impl ParamValue for HashKeyChoice {
    fn from_text(text: &str) -> Result<Self> {
        match text {
            "random" => Ok(HashKeyChoice::Random),
            "public" => Ok(HashKeyChoice::Public),
            // What was typed is not repeated: a key that is nearly right is still a secret.
            digits => digits.parse().map(HashKeyChoice::Key).map_err(|()| {
                let message = "expected random, public or 32 hexadecimal digits";
                Error::config("", message)
            }),
        }
    }

    fn to_json(&self) -> Value {
        json!(self.to_string())
    }
}
