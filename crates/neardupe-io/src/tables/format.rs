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

/// The format of one file: one of those that a job can ask for, or one that some tables always have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// A format of results.
    Of(OutputFormat),
    /// Comma-separated values with a header line (RFC 4180), for spreadsheets and plots.
    Csv,
}

impl FileFormat {
    /// The ending of files.
    pub fn name(self) -> &'static str {
        match self {
            FileFormat::Of(format) => format.name(),
            FileFormat::Csv => "csv",
        }
    }
}

neardupe_core::named!(OutputFormat as "output-format" {
    Jsonl = "jsonl",
    Tsv = "tsv",
    Parquet = "parquet",
    Xml = "xml",
});
