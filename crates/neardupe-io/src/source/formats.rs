//! The registry of formats: everything else that lists formats is made of this list.

#[cfg(test)]
mod docs;

use super::format::{FieldNames, FormatSpec, Sign};
use super::{arc, csv, jsonl, nitf, parquet, plain_text, pubmed, reuters, trec, warc};
use neardupe_core::error::{Error, Result};
use std::str::FromStr;

/// Makes the type and its lists of one line for each format.
macro_rules! registry {
    ($( $(#[doc = $about:literal])* $format:ident => $spec:expr; )+) => {
        /// A format that records are read from.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum InputFormat {
            $( $(#[doc = $about])* $format, )+
        }

        impl InputFormat {
            /// All of them, in the order in which they are listed.
            pub const ALL: &'static [InputFormat] = &[ $( InputFormat::$format, )+ ];

            /// What can be typed: `auto`, and the formats.
            pub const NAMES: &'static [&'static str] = &[ "auto", $( $spec.name, )+ ];

            /// All that is known of it.
            pub const fn spec(self) -> &'static FormatSpec {
                match self {
                    $( InputFormat::$format => &$spec, )+
                }
            }
        }
    };
}

registry! {
    /// One JSON object a line.
    Jsonl => jsonl::JSONL;
    /// Comma-separated values with a header line.
    Csv => csv::CSV;
    /// Tab-separated values with a header line.
    Tsv => csv::TSV;
    /// Columns in row groups.
    Parquet => parquet::PARQUET;
    /// One document a file.
    Text => plain_text::TEXT;
    /// One page a file.
    Html => plain_text::HTML;
    /// Web archives, also of extracted text (WET).
    Warc => warc::WARC;
    /// Web archives before WARC.
    Arc => arc::ARC;
    /// `<DOC>` elements of TREC collections.
    Trec => trec::TREC;
    /// `<REUTERS>` elements of Reuters-21578.
    Reuters => reuters::REUTERS;
    /// News articles in XML.
    Nitf => nitf::NITF;
    /// Articles of PubMed in XML.
    Pubmed => pubmed::PUBMED;
}

impl InputFormat {
    /// The name, as typed.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// Whether users name the fields of this format's records, and one can be added. In other formats
    /// the fields are known, and the text is `text` unless a key names one of them.
    pub fn has_free_fields(self) -> bool {
        match self.spec().fields {
            FieldNames::Free => true,
            FieldNames::Known { .. } | FieldNames::None => false,
        }
    }
}

impl std::fmt::Display for InputFormat {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for InputFormat {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|format| format.name() == text);
        found.copied().ok_or_else(|| {
            let message = format!("{text:?} is not one of {}", Self::NAMES.join(", "));
            Error::config("input-format", message)
        })
    }
}

/// What is read, for a message about files of which none is: formats that are known by their
/// content, and endings of names.
pub(super) fn expected() -> String {
    let is_certain = |format: &&InputFormat| match format.spec().sign {
        Sign::Bytes(_) | Sign::Start(_) | Sign::Element { .. } => true,
        Sign::None => false,
    };
    let certain = InputFormat::ALL.iter().filter(is_certain);
    let titles: Vec<&str> = certain.map(|format| format.spec().title).collect();
    let titles = match &titles[..] {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    };
    let endings = InputFormat::ALL
        .iter()
        .flat_map(|format| format.spec().endings);
    let endings: Vec<&str> = endings.copied().collect();
    format!(
        "expected {titles} files, or names ending in .{}",
        endings.join(", .")
    )
}

/// Whether a format that knows its fields has a text of this name.
pub(super) fn is_known_text(key: &str) -> bool {
    let has = |format: &InputFormat| match format.spec().fields {
        FieldNames::Known { texts, .. } => texts.contains(&key),
        FieldNames::Free | FieldNames::None => false,
    };
    key == "text" || InputFormat::ALL.iter().any(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_format_is_typed_by_its_name() {
        for format in InputFormat::ALL {
            assert_eq!(format.name().parse::<InputFormat>().unwrap(), *format);
            assert!(!["auto", ""].contains(&format.name()));
        }
        assert!("xls".parse::<InputFormat>().is_err());
        let names: BTreeSet<&str> = InputFormat::NAMES.iter().copied().collect();
        assert_eq!(
            names.len(),
            InputFormat::ALL.len() + 1,
            "a name stands twice"
        );
    }

    #[test]
    fn an_ending_is_that_of_one_format() {
        let mut seen = BTreeSet::new();
        for format in InputFormat::ALL {
            for ending in format.spec().endings {
                assert!(seen.insert(*ending), "{ending} is that of two formats");
                assert_eq!(*ending, ending.to_ascii_lowercase());
                assert!(!ending.contains('.'), "{ending}");
            }
        }
    }

    #[test]
    fn a_guess_is_that_of_one_format() {
        use super::super::format::Guess;
        let mut first_bytes = BTreeSet::new();
        let mut fallbacks = 0;
        for format in InputFormat::ALL {
            match format.spec().guess {
                Guess::Never => {}
                Guess::FirstByte(byte) => assert!(first_bytes.insert(byte), "{format}"),
                Guess::Rest => fallbacks += 1,
            }
        }
        assert_eq!(fallbacks, 1);
    }

    #[test]
    fn names_of_fields_follow_from_the_layout() {
        use super::super::format::Layout;
        for format in InputFormat::ALL {
            let spec = format.spec();
            let fits = match (spec.layout, spec.fields) {
                (Layout::Lines | Layout::Table { .. } | Layout::Columns, fields) => {
                    fields == FieldNames::Free
                }
                (Layout::Document { .. }, fields) => fields == FieldNames::None,
                // Nothing says how a field would be added to an entry.
                (Layout::Entries(_), fields) => {
                    matches!(fields, FieldNames::Known { .. })
                }
            };
            assert!(fits, "{format}");
        }
    }

    #[test]
    fn texts_of_formats_that_know_their_fields() {
        for known in ["text", "body", "headline", "abstract", "unknown"] {
            assert!(is_known_text(known), "{known}");
        }
        for unknown in ["id", "url", "date", "content", ""] {
            assert!(!is_known_text(unknown), "{unknown}");
        }
    }
}
