//! Options from flags and from a file: what was typed wins over what is written.

use anyhow::Result;
use neardupe_core::error::Error;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::ops::RangeInclusive;
use std::path::Path;

/// Reads the options of a `--config` file; unknown keys are refused by name.
pub(crate) fn from_file<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let options = toml::from_str(&text).map_err(|error| {
        let message = format!("{}: {}", path.display(), error.to_string().trim_end());
        Error::config("--config", message)
    })?;
    Ok(options)
}

/// The names of the options of a list that have a value.
pub(crate) fn given(options: &impl Serialize) -> Result<Vec<String>> {
    let Value::Object(values) = serde_json::to_value(options)? else {
        return Ok(Vec::new());
    };
    let is_given = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(values) => !values.is_empty(),
        _ => true,
    };
    let values = values.into_iter();
    let given = values.filter(|(_, value)| is_given(value));
    Ok(given.map(|(name, _)| name).collect())
}

/// A value that may be written as text or as a number, such as a threshold. It is kept as
/// text, so that a wrong one is refused with the same message wherever it was written.
pub(crate) fn text_or_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let value = Option::<toml::Value>::deserialize(deserializer)?;
    Ok(value.map(|value| match value {
        toml::Value::String(text) => text,
        other => other.to_string(),
    }))
}

/// A whole number as typed, within a range.
pub(crate) fn whole_number(
    flag: &str,
    text: &str,
    allowed: RangeInclusive<u64>,
) -> Result<u64, Error> {
    let number = text
        .parse::<u64>()
        .ok()
        .filter(|number| allowed.contains(number));
    number.ok_or_else(|| {
        let (least, most) = allowed.into_inner();
        let message = format!("{text:?} is not a whole number from {least} to {most}");
        Error::config(flag, message)
    })
}

/// A list, or a single value without the brackets.
pub(crate) fn one_or_many<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a string or a list of strings")]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(value) => vec![value],
        OneOrMany::Many(values) => values,
    })
}

/// A size in bytes as typed: a number with an optional K, M, G or T (powers of 1024).
pub(crate) fn size_bytes(flag: &str, text: &str) -> Result<u64, Error> {
    let wrong = || {
        let message = format!("{text:?} is not a size, as 512M or 2G");
        Error::config(flag, message)
    };
    let upper = text.to_ascii_uppercase();
    let unit = upper
        .strip_suffix("IB")
        .or(upper.strip_suffix('B'))
        .unwrap_or(&upper);
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let with_unit = units
        .iter()
        .find_map(|&(name, shift)| Some((unit.strip_suffix(name)?, shift)));
    let (number, shift) = with_unit.unwrap_or((unit, 0));
    let number = number.trim_end().parse::<u64>().map_err(|_| wrong())?;
    number
        .checked_mul(1 << shift)
        .filter(|&bytes| bytes > 0)
        .ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        let size = |text| size_bytes("--x", text).ok();
        assert_eq!(size("512"), Some(512));
        assert_eq!(size("2G"), Some(2 << 30));
        assert_eq!(size("64MiB"), Some(64 << 20));
        assert_eq!(size("3 kB"), Some(3 << 10));
        for wrong in ["0", "many", "", "M", "5KM", "1.5G", "-1", "99999999T"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn whole_numbers_outside_the_range_are_refused() {
        let number = |text| whole_number("--x", text, 1..=9).ok();
        assert_eq!(number("9"), Some(9));
        for wrong in ["0", "10", "-1", "1.0", "x", ""] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }
}
