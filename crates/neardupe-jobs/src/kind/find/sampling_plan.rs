//! A stored plan of adaptive sampling: `sample adaptive:PLAN.toml`. People may write one by hand, so
//! unknown keys are refused: a mistyped `max_word` must not mean all documents.

use neardupe_core::error::{Error, Result};
use neardupe_core::feature::{GroupRatio, SamplingPlan};
use neardupe_core::pipeline::study::AdaptivePlan;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A plan as it is written. `find` writes it into its result, `study adaptive` where it is asked to;
/// the groups alone decide, the rest says what the plan was made for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// The precision it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<f64>,
    /// The threshold it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// What documents of each size keep.
    pub groups: Vec<GroupRow>,
}

/// Documents of `min_words` words or more and of fewer than `max_words` keep one feature in `ratio`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupRow {
    /// Least number of words.
    #[serde(default)]
    pub min_words: u64,
    /// Fewer words than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_words: Option<u64>,
    /// One feature in so many.
    pub ratio: u32,
}

/// The plan in a result.
pub const PLAN: &str = "sampling-plan.toml";

impl PlanFile {
    /// Reads a plan.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
        let plan: PlanFile = toml::from_str(&text).map_err(|error| {
            let message = format!("{}: {}", path.display(), error.to_string().trim_end());
            Error::config("sample", message)
        })?;
        // Gaps and overlaps of groups are errors of the file, and refused before anything is read.
        plan.plan()?;
        Ok(plan)
    }

    /// Keeps everything: stands for a plan that is made when the input is known, so that validation
    /// sees adaptive sampling and applies its rules.
    pub fn of_everything() -> Self {
        PlanFile {
            target: None,
            threshold: None,
            groups: vec![GroupRow {
                min_words: 0,
                max_words: None,
                ratio: 1,
            }],
        }
    }

    /// A plan that was made, as a file.
    pub fn of_plan(plan: &AdaptivePlan) -> Self {
        let rows = plan.groups.iter().map(|group| GroupRow {
            min_words: group.words.start.into(),
            // The last group of the core has no upper limit, which is u32::MAX there and a missing key
            // in the file.
            max_words: (group.words.end < u32::MAX).then_some(group.words.end.into()),
            ratio: group.divisor,
        });
        PlanFile {
            target: Some(plan.target),
            threshold: Some(plan.threshold.ratio().value()),
            groups: rows.collect(),
        }
    }

    /// The plan that it stands for.
    pub fn plan(&self) -> Result<SamplingPlan> {
        let groups = self.groups.iter().map(|row| GroupRatio {
            min_words: row.min_words,
            max_words: row.max_words,
            ratio: row.ratio,
        });
        SamplingPlan::new(groups.collect())
    }

    /// The text of the file.
    pub fn to_text(&self) -> Result<String> {
        toml::to_string(self).map_err(|error| Error::Internal(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_it_is_written() {
        let row = |min_words, max_words, ratio| GroupRow {
            min_words,
            max_words,
            ratio,
        };
        let plan = PlanFile {
            target: Some(0.85),
            threshold: Some(0.6),
            groups: vec![row(0, Some(500), 8), row(500, None, 32)],
        };
        let text = plan.to_text().unwrap();
        let again: PlanFile = toml::from_str(&text).unwrap();
        assert_eq!(again, plan);
        assert_eq!(again.plan().unwrap().to_string(), "0-500:1/8,500-:1/32");
        for wrong in [
            "groups = []",
            "[[groups]]\nratio = 3",
            "[[groups]]\nratio = 2\nwords = 5",
        ] {
            let plan = toml::from_str::<PlanFile>(wrong);
            assert!(plan.is_err() || plan.unwrap().plan().is_err(), "{wrong}");
        }
    }
}
