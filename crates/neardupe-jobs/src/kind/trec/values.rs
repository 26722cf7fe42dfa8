//! Values that only parameters of `trec` have, and the threshold of a job.
//!
//! Similarities of this folder have at most six decimals, so that they are whole millionths and
//! two of them are equal exactly when they are written equally.

use crate::param::{OrAuto, ParamValue, required};
use crate::trec::{
    BadLines, Ids, NearFile, NearOrigin, QrelsFile, QrelsFormat, read_qrels,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::threshold::Threshold;
use neardupe_core::trec::{Count, Measure, SIMILARITY_ONE};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A similarity in millionths: a number above 0 and up to 1 with at most 6 decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millionths(pub u32);

impl ParamValue for Millionths {
    fn from_text(text: &str) -> Result<Self> {
        let wrong = || {
            let message = format!(
                "{text:?} is not a number above 0 and up to 1 with at most 6 decimals, as 0.5"
            );
            Error::config("threshold", message)
        };
        let threshold: Threshold = text.parse().map_err(|_| wrong())?;
        let (part, whole) = threshold.ratio().parts();
        // Exact: 0.1 is a fraction here, not a double.
        let parts = part * u64::from(SIMILARITY_ONE);
        if !parts.is_multiple_of(whole) {
            return Err(wrong());
        }
        Ok(Millionths(u32::try_from(parts / whole)?))
    }

    fn to_json(&self) -> Value {
        json!(decimal(self.0))
    }
}

/// Millionths as they are typed: 0.5.
/// Millionths are exact in a double to the last decimal that is printed.
pub(super) fn decimal(millionths: u32) -> String {
    (f64::from(millionths) / f64::from(SIMILARITY_ONE)).to_string()
}

/// What becomes of the judgments of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QrelsPolicy {
    /// One document is kept.
    #[default]
    Drop,
    /// All documents get the highest label.
    Propagate,
}

neardupe_core::named!(QrelsPolicy as "policy" { Drop = "drop", Propagate = "propagate" });

impl ParamValue for QrelsPolicy {
    const VALUES: &'static [&'static str] = QrelsPolicy::NAMES;

    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.name())
    }
}

impl ParamValue for Count {
    const VALUES: &'static [&'static str] = Count::NAMES;

    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.name())
    }
}

impl ParamValue for QrelsFormat {
    /// With `auto`, which is what a parameter of this type can be too.
    /// Help and documents list these.
    const VALUES: &'static [&'static str] = &["auto", "adhoc", "diversity", "prels"];

    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.name())
    }
}

impl ParamValue for Measure {
    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.to_string())
    }
}

crate::params! {
    /// How qrels are read.
    pub struct QrelsFormatSpec {
        /// How qrels are read: auto, adhoc (4 columns), diversity (4, the second a subtopic), prels
        /// (5) [default: auto]
        qrels_format: OrAuto<QrelsFormat> => value("FORMAT");
    }
}

impl QrelsFormatSpec {
    /// With what was left open filled in.
    pub(super) fn completed(&self) -> Self {
        QrelsFormatSpec {
            qrels_format: Some(self.qrels_format.unwrap_or(OrAuto::Auto)),
        }
    }

    /// Reads qrels by the format, or by what the lines look like. A file without a judgment
    /// is an error: it is most likely no qrels.
    pub(super) fn read(
        &self,
        path: &Path,
        ids: &mut Ids,
        bad: &mut BadLines,
    ) -> Result<QrelsFile> {
        let format = self.qrels_format.and_then(OrAuto::this);
        let file = read_qrels(path, format, ids, bad)?;
        if file.qrels.is_empty() {
            let message =
                "no judgment could be read; qrels have lines: topic 0 document label";
            return Err(Error::input(path.display().to_string(), message));
        }
        Ok(file)
    }
}

/// The runs, of which there must be one.
pub(super) fn needed_runs(given: Option<Vec<PathBuf>>) -> Result<Vec<PathBuf>> {
    required("runs", given.filter(|runs| !runs.is_empty()))
}

/// The threshold of a job, and where it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeastSimilarity {
    /// The threshold itself.
    pub(super) millionths: u32,
    /// Where it comes from, as a message says it.
    from: &'static str,
}

/// Also the mark of a threshold that may still be raised.
const BY_DEFAULT: &str = "default";

impl LeastSimilarity {
    /// As given, else 0.5.
    pub(super) fn of(given: Option<Millionths>) -> Self {
        LeastSimilarity {
            millionths: given.map_or(SIMILARITY_ONE / 2, |given| given.0),
            from: match given {
                None => BY_DEFAULT,
                Some(_) => "`threshold`",
            },
        }
    }

    /// What was not given is raised to what a result is known from, so that a result of `find` needs no
    /// number; what was given must be known.
    pub(super) fn settled(mut self, near: &NearFile) -> Result<Self> {
        let is_default = self.from == BY_DEFAULT;
        if !is_default {
            // A threshold that was typed must mean something.
            check_measured("threshold", near)?;
        }
        if !has_similarities(near) || self.millionths >= near.known_from {
            return Ok(self);
        }
        if is_default {
            self.millionths = near.known_from;
            self.from = "that of the result";
            return Ok(self);
        }
        check_known("threshold", self.millionths, near)?;
        Ok(self)
    }

    /// For a note: the threshold and where it comes from.
    pub(super) fn note(&self) -> String {
        format!("threshold {} ({})", decimal(self.millionths), self.from)
    }

    /// As it is typed.
    pub(super) fn shown(&self) -> String {
        decimal(self.millionths)
    }

    /// As a parameter; one that was left open is kept open, since it depends on what is read.
    pub(super) fn given(&self) -> Option<Millionths> {
        (self.from != BY_DEFAULT).then_some(Millionths(self.millionths))
    }
}

/// Whether thresholds make a difference.
pub(super) fn has_similarities(near: &NearFile) -> bool {
    matches!(
        near.origin,
        NearOrigin::Pairs | NearOrigin::ResultPairs | NearOrigin::Collection
    )
}

/// Refuses a threshold of near-duplicates that have no similarity.
pub(super) fn check_measured(param: &str, near: &NearFile) -> Result<()> {
    if has_similarities(near) {
        return Ok(());
    }
    let message = "these near-duplicates have no similarity, so every threshold is the same; `pairs` \
                   or `collection` has";
    Err(Error::config(param, message))
}

/// Refuses a threshold below what near-duplicates are known from.
pub(super) fn check_known(param: &str, threshold: u32, near: &NearFile) -> Result<()> {
    if has_similarities(near) && threshold < near.known_from {
        let message = format!(
            "{} is too low: the near-duplicates are known from {} up; a lower threshold needs \
             a result of find with that threshold",
            decimal(threshold),
            decimal(near.known_from)
        );
        return Err(Error::config(param, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_millionths() {
        let read = |text: &str| Millionths::from_text(text).ok().map(|one| one.0);
        assert_eq!(read("0.5"), Some(500_000));
        assert_eq!(read("1"), Some(SIMILARITY_ONE));
        for wrong in ["0", "2", "0.1234567", "x", ""] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(Millionths(500_000).to_json(), json!("0.5"));
    }
}
