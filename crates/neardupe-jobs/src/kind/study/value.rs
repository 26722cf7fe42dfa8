//! Values that only studies have.
//!
//! Each is parsed and checked here, so that a description of a study holds no value that is
//! wrong by itself. Their errors have no key: whoever reads the parameter adds it.

use crate::param::{ParamValue, Within, text_of};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::study::SizeGroups;
use neardupe_core::threshold::Threshold;
use serde_json::{Value, json};

/// An error about a value. The key is empty, since a value does not know of which parameter
/// it is.
fn wrong(message: String) -> Error {
    Error::config("", message)
}

/// A threshold that is studied.
#[derive(Debug, Clone, Copy)]
pub struct StudyThreshold(pub Threshold);

impl ParamValue for StudyThreshold {
    /// The text is trimmed: lists have spaces behind their commas.
    fn from_text(text: &str) -> Result<Self> {
        let parsed = text.trim().parse().map(StudyThreshold);
        parsed.map_err(|_| {
            wrong(format!(
                "{text:?} is not a decimal fraction above 0 and up to 1"
            ))
        })
    }

    fn to_json(&self) -> Value {
        self.0.to_json()
    }
}

/// A precision that is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudyPrecision(pub f64);

impl ParamValue for StudyPrecision {
    /// 0 and 1 are excluded: nothing is asked for by the one, and no sample can promise the
    /// other.
    fn from_text(text: &str) -> Result<Self> {
        let parsed = text.parse().ok();
        let parsed = parsed.filter(|&value: &f64| value > 0.0 && value < 1.0);
        let parsed = parsed.map(StudyPrecision);
        parsed.ok_or_else(|| {
            wrong(format!("{text:?} is not a precision above 0 and below 1"))
        })
    }

    fn to_json(&self) -> Value {
        json!(self.0)
    }
}

/// A label that is a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudyLabel(pub f64);

impl ParamValue for StudyLabel {
    /// Any finite number; NaN would be equal to no label.
    fn from_text(text: &str) -> Result<Self> {
        let parsed = text.parse().ok().filter(|value: &f64| value.is_finite());
        let parsed = parsed.map(StudyLabel);
        parsed.ok_or_else(|| wrong(format!("{text:?} is not a number")))
    }

    fn to_json(&self) -> Value {
        json!(self.0)
    }
}

/// Where groups of documents begin, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudyGroups(pub SizeGroups);

impl StudyGroups {
    /// Groups that begin at these numbers of words. That they rise is checked by
    /// `SizeGroups`.
    fn of(borders: impl Iterator<Item = Result<String>>) -> Result<Self> {
        let border = |text: Result<String>| {
            let number = Within::<1, { u32::MAX as u64 }>::from_text(text?.trim())?;
            Ok(number.u32())
        };
        let borders: Vec<u32> = borders.map(border).collect::<Result<_>>()?;
        SizeGroups::new(&borders).map(StudyGroups)
    }
}

impl ParamValue for StudyGroups {
    fn from_text(text: &str) -> Result<Self> {
        StudyGroups::of(text.split(',').map(|one| Ok(one.to_owned())))
    }

    /// A list in a configuration, or the same text as on the command line.
    fn from_json(value: &Value) -> Result<Self> {
        match value {
            Value::Array(borders) => StudyGroups::of(borders.iter().map(text_of)),
            one => StudyGroups::from_text(&text_of(one)?),
        }
    }

    fn to_json(&self) -> Value {
        json!(self.0.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_back_as_they_are_written() {
        for groups in [SizeGroups::default(), SizeGroups::narrow()] {
            let value = StudyGroups(groups).to_json();
            assert_eq!(StudyGroups::from_json(&value).unwrap().to_json(), value);
        }
        let list = StudyGroups::from_json(&json!([20, "50"])).unwrap();
        assert_eq!(list, StudyGroups::from_text("20, 50").unwrap());
        for wrong in ["20,20", "0", "ten", "5,"] {
            assert!(StudyGroups::from_text(wrong).is_err(), "{wrong}");
        }
    }
}
