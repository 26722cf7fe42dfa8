//! What was measured of each method: `measured.json`, which `bench/methods.py` writes.

use super::method::CatalogueMethod;
use super::summary::{MethodsFigure, MethodsMeasured};
use crate::numbers::grouped;
use neardupe_core::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Truths that were measured against: smallest resemblance of `words:5`.
pub const THRESHOLDS: [&str; 2] = ["0.5", "0.8"];

/// All figures.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredMethods {
    /// Of the format; other versions are refused.
    version: u32,
    /// As it is printed.
    date: String,
    /// Where it was measured, in words.
    machine: String,
    /// Why times cannot be trusted, if so.
    provisional: Option<String>,
    /// What it was measured on.
    pub collections: Vec<MeasuredCollection>,
    /// Each method on each collection and threshold.
    rows: Vec<MeasuredRow>,
}

/// What it was measured on. Fields are in the order of their names, as they are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredCollection {
    /// Documents.
    pub documents: u64,
    /// Its short name.
    pub name: String,
    /// Pairs at each of the thresholds.
    pub pairs: BTreeMap<String, u64>,
    /// Its name for people.
    pub title: String,
}

impl MeasuredCollection {
    /// Pairs of the truth.
    pub fn pairs(&self, threshold: &str) -> u64 {
        self.pairs.get(threshold).copied().unwrap_or(0)
    }
}

/// What was measured of one method on one collection, against one truth.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeasuredRow {
    /// Its name in the catalogue.
    method: String,
    /// Its options when it was measured: after a change of these the row no longer applies.
    options: String,
    /// By its short name.
    collection: String,
    /// Of the truth, one of `THRESHOLDS`.
    threshold: String,
    /// Pairs that it found.
    found: u64,
    /// Those that are in the truth.
    right: u64,
    /// Seconds of the processor per 1,000 documents.
    cpu_seconds_per_1000: f64,
}

/// Figures as they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodFigures {
    /// Pairs that were found.
    pub pairs: u64,
    /// The share of them that is right.
    pub precision: String,
    /// The share of the right ones that was found.
    pub recall: String,
    /// CPU seconds for 1,000 documents.
    pub cpu: String,
}

impl MeasuredMethods {
    /// The figures that this program was built with.
    pub fn read() -> Result<Self> {
        let measured: MeasuredMethods =
            serde_json::from_str(include_str!("measured.json"))?;
        if measured.version != 1 {
            let message = "measured.json has another version than 1";
            return Err(Error::Internal(message.to_owned()));
        }
        Ok(measured)
    }

    /// Figures of a method; none when these options have not been measured.
    pub fn figures(
        &self,
        method: &CatalogueMethod,
        of: &MeasuredCollection,
        threshold: &str,
    ) -> Option<MethodFigures> {
        let row = self.row(method, of, threshold)?;
        Some(MethodFigures {
            pairs: row.found,
            precision: share(row.right, row.found),
            recall: share(row.right, of.pairs(threshold)),
            cpu: format!("{:.3}", row.cpu_seconds_per_1000),
        })
    }

    /// The row of a method with the options that the catalogue has now.
    fn row(
        &self,
        method: &CatalogueMethod,
        of: &MeasuredCollection,
        threshold: &str,
    ) -> Option<&MeasuredRow> {
        self.rows.iter().find(|row| {
            row.method == method.name
                && row.options == method.options
                && row.collection == of.name
                && row.threshold == threshold
        })
    }

    /// How and when it was measured, in a sentence or two.
    pub fn in_words(&self) -> String {
        let truth: Vec<_> = self
            .collections
            .iter()
            .map(|of| {
                let pairs = THRESHOLDS.map(|threshold| grouped(of.pairs(threshold)));
                format!(
                    "{} ({} documents, {} pairs)",
                    of.title,
                    grouped(of.documents),
                    pairs.join(" and ")
                )
            })
            .collect();
        let again = match &self.provisional {
            None => String::new(),
            Some(why) => format!(" Times are to be measured again: {why}."),
        };
        format!(
            "Measured {} on {} against the exact pairs of resemblance >= 0.5 and >= 0.8 of words:5; \
             CPU is seconds for 1,000 documents, {}.{again}",
            self.date,
            truth.join(" and "),
            self.machine,
        )
    }

    /// How and when it was measured, as a value.
    pub(super) fn described(&self) -> MethodsMeasured {
        MethodsMeasured {
            collections: self.collections.clone(),
            date: self.date.clone(),
            machine: self.machine.clone(),
            provisional: self.provisional.clone(),
        }
    }

    /// Figures of a method as values.
    pub(super) fn rows_of(&self, method: &CatalogueMethod) -> Vec<MethodsFigure> {
        let mut rows = Vec::new();
        for of in &self.collections {
            // A method may lack a row, as when its measuring is to come.
            for threshold in THRESHOLDS {
                let Some(row) = self.row(method, of, threshold) else {
                    continue;
                };
                rows.push(MethodsFigure {
                    collection: row.collection.clone(),
                    cpu_seconds_per_1000: row.cpu_seconds_per_1000,
                    found: row.found,
                    right: row.right,
                    threshold: row.threshold.clone(),
                    wanted: of.pairs(threshold),
                });
            }
        }
        rows
    }
}

/// A share with three decimals, cut off: only what is all is 1.000.
fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let thousandths = u128::from(part) * 1000 / u128::from(whole);
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::METHODS;
    use super::*;

    #[test]
    fn only_what_is_all_is_one() {
        assert_eq!(share(999_999, 1_000_000), "0.999");
        assert_eq!(share(7, 7), "1.000");
        assert_eq!(share(0, 7), "0.000");
        assert_eq!(share(0, 0), "-");
    }

    #[test]
    fn every_method_was_measured_with_its_options() {
        let measured = MeasuredMethods::read().unwrap();
        assert_eq!(measured.collections.len(), 2);
        for row in &measured.rows {
            let is_here = |method: &CatalogueMethod| {
                (method.name, method.options) == (&row.method, &row.options)
            };
            assert!(METHODS.iter().any(is_here), "{row:?} is of no method");
        }
        if measured.provisional.is_some() {
            return;
        }
        for method in &METHODS {
            for of in &measured.collections {
                for threshold in THRESHOLDS {
                    assert!(
                        measured.row(method, of, threshold).is_some(),
                        "{} was not measured on {} at {threshold}: make methods-table",
                        method.name,
                        of.name
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_certain_was_measured_so() {
        let measured = MeasuredMethods::read().unwrap();
        let mut looked_at = 0;
        for method in &METHODS {
            for of in &measured.collections {
                for threshold in THRESHOLDS {
                    let Some(row) = measured.row(method, of, threshold) else {
                        continue;
                    };
                    looked_at += 1;
                    let name = method.name;
                    if method.certain.of_precision() {
                        assert_eq!(row.right, row.found, "{name}, {}", of.name);
                    }
                    if method.certain.of_recall() {
                        assert_eq!(row.right, of.pairs(threshold), "{name}, {}", of.name);
                    }
                }
            }
        }
        assert!(looked_at > 0);
    }
}
