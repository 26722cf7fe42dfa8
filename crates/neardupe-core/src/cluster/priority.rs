//! Which document of a cluster is kept: the order in which representatives are chosen.

use crate::error::{Error, Result};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The rule of `keep`. Ties go to the smaller id, compared as bytes. Documents without a value
/// that the rule can read come last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Keep {
    /// Most features, then most characters.
    #[default]
    Longest,
    /// Fewest features, then fewest characters.
    Shortest,
    /// Shortest value of a field.
    ShortestField(String),
    /// Latest date in a field.
    Newest(String),
    /// Earliest date in a field.
    Oldest(String),
    /// Largest number in a field.
    Highest(String),
    /// Smallest number in a field.
    Lowest(String),
    /// Documents with this value in a field before all others.
    Prefer(String, String),
    /// The order of the input.
    First,
}

/// What the order of documents depends on.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// Number of features.
    pub size: u64,
    /// Number of characters.
    pub chars: u32,
    /// Place in the order of ids.
    pub id_rank: u32,
    /// Place of its value of the field of the rule among all values, smaller first: the same
    /// for equal values, [`NO_VALUE`] without one.
    pub field_rank: u32,
    /// Place in the input.
    pub place: u32,
}

/// A document without a value that can be read comes after all that have one.
pub const NO_VALUE: u32 = u32::MAX;

/// All rules, as a message lists them.
const RULES: &str = "longest, shortest, shortest:FIELD, newest:FIELD, oldest:FIELD, \
    highest:FIELD, lowest:FIELD, prefer:FIELD=VALUE, first";

impl Keep {
    /// The metadata field the rule looks at.
    pub fn field(&self) -> Option<&str> {
        match self {
            Keep::ShortestField(field)
            | Keep::Newest(field)
            | Keep::Oldest(field)
            | Keep::Highest(field)
            | Keep::Lowest(field)
            | Keep::Prefer(field, _) => Some(field),
            Keep::Longest | Keep::Shortest | Keep::First => None,
        }
    }

    /// Whether documents come by descending number of features.
    pub fn by_descending_size(&self) -> bool {
        *self == Keep::Longest
    }

    /// Order of two documents: the smaller is kept before the larger.
    pub fn compare(&self, left: &Candidate, right: &Candidate) -> Ordering {
        let rule = match self {
            Keep::Longest => (right.size, right.chars).cmp(&(left.size, left.chars)),
            Keep::Shortest => (left.size, left.chars).cmp(&(right.size, right.chars)),
            Keep::First => left.place.cmp(&right.place),
            _ => left.field_rank.cmp(&right.field_rank),
        };
        rule.then_with(|| left.id_rank.cmp(&right.id_rank))
    }
}

impl FromStr for Keep {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::config("keep", format!("{text:?} is not one of {RULES}"));
        let (rule, field) = text.split_once(':').unwrap_or((text, ""));
        let named = |keep: fn(String) -> Keep| {
            if field.is_empty() {
                Err(wrong())
            } else {
                Ok(keep(field.to_owned()))
            }
        };
        match (rule, text.contains(':')) {
            ("longest", false) => Ok(Keep::Longest),
            ("shortest", false) => Ok(Keep::Shortest),
            ("first", false) => Ok(Keep::First),
            ("shortest", true) => named(Keep::ShortestField),
            ("newest", true) => named(Keep::Newest),
            ("oldest", true) => named(Keep::Oldest),
            ("highest", true) => named(Keep::Highest),
            ("lowest", true) => named(Keep::Lowest),
            ("prefer", true) => match field.split_once('=') {
                Some((field, value)) if !field.is_empty() => {
                    Ok(Keep::Prefer(field.to_owned(), value.to_owned()))
                }
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::Longest => out.write_str("longest"),
            Keep::Shortest => out.write_str("shortest"),
            Keep::ShortestField(field) => write!(out, "shortest:{field}"),
            Keep::Newest(field) => write!(out, "newest:{field}"),
            Keep::Oldest(field) => write!(out, "oldest:{field}"),
            Keep::Highest(field) => write!(out, "highest:{field}"),
            Keep::Lowest(field) => write!(out, "lowest:{field}"),
            Keep::Prefer(field, value) => write!(out, "prefer:{field}={value}"),
            Keep::First => out.write_str("first"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in [
            "longest",
            "shortest",
            "shortest:url",
            "newest:meta.date",
            "oldest:date",
            "highest:score",
            "lowest:rank",
            "prefer:source=wiki",
            "first",
        ] {
            assert_eq!(text.parse::<Keep>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "newest",
            "longest:x",
            "prefer:a",
            "prefer:=b",
            "best",
            "newest:",
            "oldest",
            "lowest",
        ] {
            assert!(wrong.parse::<Keep>().is_err(), "{wrong}");
        }
    }
}
