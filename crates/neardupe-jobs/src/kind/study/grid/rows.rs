//! The table of a study: one row a setting, for the CSV file, the summary and the page.
//!
//! Studies vary different parameters, so rows have the columns of all and leave empty what does
//! not apply: one CSV file can be read by the same script.

use super::cost::StudyCost;
use super::known::Score;
use crate::numbers::decimals;
use serde_json::{Map, Value};

/// A row: values under their names, in the order of the columns.
#[derive(Debug, Clone, Default)]
pub(super) struct StudyRow {
    cells: Vec<(&'static str, Value)>,
}

impl StudyRow {
    /// Adds a value.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.cells.push((name, value.into()));
        self
    }

    /// Adds how good the pairs are.
    pub(super) fn with_score(self, score: &Score) -> Self {
        self.with("pairs", score.pairs)
            .with("right", score.right)
            .with("precision", score.precision())
            .with("recall", score.recall())
            .with("f1", score.f1())
    }

    /// Adds what the job cost: the last columns.
    pub(super) fn with_cost(self, cost: &StudyCost) -> Self {
        self.with("compare_seconds", cost.compare_seconds)
            .with("seconds", cost.seconds)
            .with("cpu_seconds", cost.cpu_seconds)
    }

    /// Names of the columns.
    pub(super) fn head(&self) -> Vec<&'static str> {
        self.cells.iter().map(|(name, _)| *name).collect()
    }

    /// Values as text: what is not known is empty.
    pub(super) fn texts(&self) -> Vec<String> {
        self.cells.iter().map(|(_, value)| text(value)).collect()
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            decimals(number.as_f64().unwrap_or_default(), 6)
        }
        other => other.to_string(),
    }
}

/// All rows for the summary.
pub(super) fn as_json(rows: &[StudyRow]) -> Vec<Map<String, Value>> {
    let object = |row: &StudyRow| {
        let cells = row.cells.iter().cloned();
        let cells = cells.map(|(name, value)| (name.to_owned(), value));
        cells.collect::<Map<_, _>>()
    };
    rows.iter().map(object).collect()
}
