//! Which document of a cluster is kept: the order in which representatives are chosen.

use crate::error::{Error, Result};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The rule of `--keep`. Ties go to the smaller id, compared as bytes.
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
    /// Largest number in a field.
    Highest(String),
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
    /// Key of the metadata field of the rule, smaller first; see [`Keep::field_key`].
    pub field_key: i128,
    /// Place in the input.
    pub place: u32,
}

/// A document without a usable value comes after all that have one.
pub const NO_VALUE: i128 = i128::MAX;

impl Keep {
    /// The metadata field the rule looks at.
    pub fn field(&self) -> Option<&str> {
        match self {
            Keep::ShortestField(field)
            | Keep::Newest(field)
            | Keep::Highest(field)
            | Keep::Prefer(field, _) => Some(field),
            Keep::Longest | Keep::Shortest | Keep::First => None,
        }
    }

    /// Whether documents come by descending number of features.
    pub fn by_descending_size(&self) -> bool {
        *self == Keep::Longest
    }

    /// Key of a field's value: documents with smaller keys come first.
    pub fn field_key(&self, value: Option<&str>) -> i128 {
        let Some(value) = value else { return NO_VALUE };
        match self {
            Keep::ShortestField(_) => value.chars().count() as i128,
            Keep::Newest(_) => date_key(value).map_or(NO_VALUE, |key| -key),
            Keep::Highest(_) => number_key(value).map_or(NO_VALUE, |key| -key),
            Keep::Prefer(_, wanted) => i128::from(value != wanted),
            Keep::Longest | Keep::Shortest | Keep::First => 0,
        }
    }

    /// Order of two documents: the smaller is kept before the larger.
    pub fn compare(&self, left: &Candidate, right: &Candidate) -> Ordering {
        let rule = match self {
            Keep::Longest => (right.size, right.chars).cmp(&(left.size, left.chars)),
            Keep::Shortest => (left.size, left.chars).cmp(&(right.size, right.chars)),
            Keep::First => left.place.cmp(&right.place),
            _ => left.field_key.cmp(&right.field_key),
        };
        rule.then_with(|| left.id_rank.cmp(&right.id_rank))
    }
}

/// A decimal number as billionths.
fn number_key(value: &str) -> Option<i128> {
    let value = value.trim();
    if value.contains(['e', 'E']) {
        let number = value
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())?;
        #[expect(clippy::cast_possible_truncation, reason = "saturates far out")]
        return Some((number * 1e9).round() as i128);
    }
    let (negative, digits) = match value.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, value.strip_prefix('+').unwrap_or(value)),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && decimals.is_empty() || !plain(whole) || !plain(decimals) {
        return None;
    }
    if whole.len() > 24 {
        return None;
    }
    let decimals: String = decimals
        .chars()
        .chain("000000000".chars())
        .take(9)
        .collect();
    let magnitude: i128 = format!("{whole}{decimals}").parse().ok()?;
    Some(if negative { -magnitude } else { magnitude })
}

/// A date, or a date and time with or without a zone (ISO 8601, RFC 2822), or the fourteen
/// digits of web archives (`20240302100000`), or a number of seconds since 1970, as nanoseconds
/// since 1970. Without a zone it is taken as UTC.
pub(crate) fn date_key(value: &str) -> Option<i128> {
    let value = value.trim();
    if let Ok(time) = value.parse::<jiff::Timestamp>() {
        return Some(time.as_nanosecond());
    }
    let utc = |time: jiff::civil::DateTime| {
        let time = jiff::tz::Offset::UTC.to_timestamp(time).ok()?;
        Some(time.as_nanosecond())
    };
    if let Ok(time) = value.parse::<jiff::civil::DateTime>() {
        return utc(time);
    }
    if let Ok(time) = jiff::fmt::rfc2822::parse(value) {
        return Some(time.timestamp().as_nanosecond());
    }
    // As seconds these would lie hundreds of thousands of years ahead.
    if value.len() == 14 && value.bytes().all(|byte| byte.is_ascii_digit()) {
        let (date, time) = value.split_at(8);
        return utc(format!("{date}T{time}").parse().ok()?);
    }
    number_key(value)
}

impl FromStr for Keep {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::config(
                "--keep",
                format!(
                    "{text:?} is not one of longest, shortest, shortest:FIELD, \
                     newest:FIELD, highest:FIELD, prefer:FIELD=VALUE, first"
                ),
            )
        };
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
            ("highest", true) => named(Keep::Highest),
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
            Keep::Highest(field) => write!(out, "highest:{field}"),
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
            "highest:score",
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
        ] {
            assert!(wrong.parse::<Keep>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn dates_of_any_precision_and_zone_compare() {
        let ordered = [
            "1969-12-31T23:59:59Z",
            "1970-01-01",
            "1999-12-31",
            "2000-02-29T12:00:00+02:00",
            "2000-02-29T10:00:01Z",
            "2000-02-29 10:00:01.5",
            "2000-03-01",
            "Sat, 02 Mar 2024 10:00:00 +0000",
            "2024-03-02 10:00:01",
        ];
        for pair in ordered.windows(2) {
            assert!(
                date_key(pair[0]).unwrap() < date_key(pair[1]).unwrap(),
                "{pair:?}"
            );
        }
        assert_eq!(date_key("1970-01-02"), date_key("86400"));
        assert_eq!(date_key("20240302100001"), date_key("2024-03-02 10:00:01"));
        assert_eq!(date_key("20241302100001"), None);
        assert_eq!(date_key("yesterday"), None);
        assert_eq!(date_key("2024-13-01"), None);
    }

    #[test]
    fn numbers_compare_as_numbers_and_missing_values_come_last() {
        let keep: Keep = "highest:score".parse().unwrap();
        let key = |value| keep.field_key(Some(value));
        assert!(key("10") < key("9.5"));
        assert!(key("9.5") < key("-3"));
        assert!(key("2e-5") < key("1e-05"));
        assert!(key("-3") < keep.field_key(Some("high")));
        assert_eq!(keep.field_key(None), NO_VALUE);
    }
}
