//! The formats in which results are written.

/// How results are written. The name is also the ending of files.
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
}

neardupe_core::named!(OutputFormat as "output-format" {
    Jsonl = "jsonl",
    Tsv = "tsv",
    Parquet = "parquet",
    Xml = "xml",
});
