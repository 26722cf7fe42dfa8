//! Which rows of a file of pairs are duplicates, as it can be said wherever such a file is read.
//!
//! Combinations that would leave a column unused, or that say the same thing twice, are refused:
//! a label that is not read turns negative pairs into positive ones.

use crate::param::{CommaList, ParamValue, Params};
use crate::truth::{LabelRule, TruthOptions};
use neardupe_core::error::{Error, Result};
use serde_json::{Value, json};

crate::params! {
    /// The columns of a truth.
    pub struct LabelSpec {
        /// Columns of the two ids, by name or by number from 1 [default: known names, or 1,2]
        truth_columns: TruthColumns => value("LEFT,RIGHT").heading("Labels");
        /// Column that says which pairs are duplicates, by name or by number from 1
        label_column: String => value("COLUMN").heading("Labels");
        /// Labels of duplicates, separated by commas; all others are none
        positive: CommaList<String> => value("VALUES").heading("Labels");
        /// Smallest label of duplicates, a number; smaller ones are none
        min_label: f64 => value("N").heading("Labels");
        /// All rows are duplicates, whatever their labels say
        all_rows: bool => switch().heading("Labels");
    }
}

/// The columns of the two ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthColumns(pub String, pub String);

impl ParamValue for TruthColumns {
    fn from_text(text: &str) -> Result<Self> {
        let both = two(text).map(|(left, right)| TruthColumns(left, right));
        both.ok_or_else(|| {
            let message = format!("{text:?} is not two columns, as left,right");
            Error::config("truth-columns", message)
        })
    }

    fn to_json(&self) -> Value {
        json!(format!("{},{}", self.0, self.1))
    }
}

/// Two texts with a comma between.
pub(super) fn two(text: &str) -> Option<(String, String)> {
    let (one, other) = text.split_once(',')?;
    let is_there = !one.is_empty() && !other.is_empty();
    is_there.then(|| (one.trim().to_owned(), other.trim().to_owned()))
}

impl LabelSpec {
    /// Whether any parameter is given.
    pub fn is_given(&self) -> bool {
        !self.to_map().is_empty()
    }

    /// How a file of pairs or groups is read.
    pub fn options(&self, closure: bool) -> Result<TruthOptions> {
        let all_rows = self.all_rows == Some(true);
        let wrong = |param: &str, message: &str| Err(Error::config(param, message));
        if self.label_column.is_none() {
            for (param, is_set) in [
                ("positive", self.positive.is_some()),
                ("min-label", self.min_label.is_some()),
            ] {
                if is_set {
                    return wrong(param, "needs `label-column`, which has the labels");
                }
            }
        } else if all_rows {
            return wrong("all-rows", "`label-column` would say nothing; choose one");
        }
        if self.positive.is_some() && self.min_label.is_some() {
            let message = "`positive` says too which are duplicates; choose one";
            return wrong("min-label", message);
        }
        let columns = self.truth_columns.as_ref();
        let columns =
            columns.map(|TruthColumns(left, right)| (left.clone(), right.clone()));
        let labels = match (&self.label_column, &self.positive, self.min_label) {
            (None, ..) if all_rows => LabelRule::All,
            (None, ..) => LabelRule::Unsaid,
            (Some(column), Some(CommaList(values)), _) => {
                LabelRule::OneOf(column.clone(), values.clone())
            }
            (Some(column), None, Some(least)) => {
                LabelRule::AtLeast(column.clone(), least)
            }
            (Some(column), None, None) => LabelRule::Judged(column.clone()),
        };
        Ok(TruthOptions {
            columns,
            labels,
            closure,
        })
    }
}
