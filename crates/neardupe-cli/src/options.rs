//! Options from flags and from a file: what was typed wins over what is written.

use anyhow::Result;
use neardupe_core::error::Error;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
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

/// A value that may be written as text or as a number, such as a threshold.
pub(crate) fn text_or_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let value = Option::<toml::Value>::deserialize(deserializer)?;
    Ok(value.map(|value| match value {
        toml::Value::String(text) => text,
        other => other.to_string(),
    }))
}

/// A size in bytes as typed: a number with an optional K, M, G or T (powers of 1024).
pub(crate) fn size_bytes(flag: &str, text: &str) -> Result<u64, Error> {
    let wrong = || {
        let message = format!("{text:?} is not a size, as 512M or 2G");
        Error::config(flag, message)
    };
    let (digits, shift) = match text.trim_end_matches(['B', 'b', 'i']).to_ascii_uppercase() {
        text if text.ends_with('K') => (text, 10),
        text if text.ends_with('M') => (text, 20),
        text if text.ends_with('G') => (text, 30),
        text if text.ends_with('T') => (text, 40),
        text => (text, 0),
    };
    let number = digits.trim_end_matches(['K', 'M', 'G', 'T']).trim();
    let number = number.parse::<u64>().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).filter(|&bytes| bytes > 0).ok_or_else(wrong)
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
        assert_eq!(size("0"), None);
        assert_eq!(size("many"), None);
    }
}
