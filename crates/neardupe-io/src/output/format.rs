//! The formats in which results are written.

use neardupe_core::error::{Error, Result};
use std::str::FromStr;

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputFormat {
    /// One JSON object a line.
    #[default]
    Jsonl,
    /// Tab-separated values with a header line.
    Tsv,
    /// Apache Parquet, for data frames and databases.
    Parquet,
    /// XML after the schema `docs/result.xsd`.
    Xml,
}

impl OutputFormat {
    /// All formats.
    pub const ALL: [OutputFormat; 4] = [
        OutputFormat::Jsonl,
        OutputFormat::Tsv,
        OutputFormat::Parquet,
        OutputFormat::Xml,
    ];

    /// The name, which is also the ending of files.
    pub fn name(self) -> &'static str {
        match self {
            OutputFormat::Jsonl => "jsonl",
            OutputFormat::Tsv => "tsv",
            OutputFormat::Parquet => "parquet",
            OutputFormat::Xml => "xml",
        }
    }
}

impl FromStr for OutputFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|format| format.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(OutputFormat::name).join(", ");
            Error::config("--output-format", format!("{text:?} is not one of {names}"))
        })
    }
}
