//! Which rows of a file of pairs are duplicates, as it can be typed wherever such a file is read.

use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_jobs::truth::{LabelRule, TruthOptions};

/// What can be said of the columns of a truth.
#[derive(Debug, Default, Args)]
pub(crate) struct LabelArgs {
    /// Columns of the two ids, by name or by number from 1 [default: known names, or 1,2]
    #[arg(long, value_name = "LEFT,RIGHT", help_heading = "Labels")]
    pub(super) truth_columns: Option<String>,

    /// Column that says which pairs are duplicates, by name or by number from 1
    #[arg(long, value_name = "COLUMN", help_heading = "Labels")]
    pub(super) label_column: Option<String>,

    /// Labels of duplicates, separated by commas; all others are none
    #[arg(
        long,
        value_name = "VALUES",
        help_heading = "Labels",
        requires = "label_column"
    )]
    pub(super) positive: Option<String>,

    /// Smallest label of duplicates, a number; smaller ones are none
    #[arg(
        long,
        value_name = "N",
        help_heading = "Labels",
        requires = "label_column",
        conflicts_with = "positive",
        allow_negative_numbers = true
    )]
    pub(super) min_label: Option<f64>,

    /// All rows are duplicates, whatever their labels say
    #[arg(long, help_heading = "Labels", conflicts_with = "label_column")]
    pub(super) all_rows: bool,
}

impl LabelArgs {
    /// Whether anything was typed.
    pub(in super::super) fn is_typed(&self) -> bool {
        self.truth_columns.is_some() || self.label_column.is_some() || self.all_rows
    }

    /// How a file of pairs or groups is read.
    pub(in super::super) fn options(&self, closure: bool) -> Result<TruthOptions> {
        let columns = match &self.truth_columns {
            None => None,
            Some(typed) => match typed.split_once(',') {
                Some((left, right)) if !left.is_empty() && !right.is_empty() => {
                    Some((left.trim().to_owned(), right.trim().to_owned()))
                }
                _ => {
                    let message = format!("{typed:?} is not two columns, as left,right");
                    return Err(Error::config("truth-columns", message).into());
                }
            },
        };
        let labels = match (&self.label_column, &self.positive, self.min_label) {
            (None, ..) if self.all_rows => LabelRule::All,
            (None, ..) => LabelRule::Unsaid,
            (Some(column), Some(values), _) => {
                let values = values.split(',').map(|value| value.trim().to_owned());
                LabelRule::OneOf(column.clone(), values.collect())
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
