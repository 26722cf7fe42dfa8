//! `df-table info`: what a table holds, and how many documents have given words.

use super::DfTableFacts;
use crate::exec::Exec;
use crate::kind::find::all_options;
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::{Extractor, FeatureKind, FeatureSpec, labelled};
use neardupe_core::frequency::{DfTable, ENGLISH, FeatureSpecText};
use neardupe_core::text::{WordOptions, WordRule};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;

crate::params! {
    /// What a table holds.
    pub struct DfInfoSpec {
        /// A table, or english for the one that comes with the program
        table: String => value("TABLE|english").positional().required();
        /// Print how many documents have this word (or text, for shingles); may be repeated
        word: Vec<String> => value("WORD");
    }
}

/// Which table, and what of it.
pub struct DfInfoJob {
    spec: DfInfoSpec,
    table: String,
    words: Vec<String>,
}

/// Features by how rare they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DfBand {
    /// In one of this many documents, at most.
    pub one_in_at_most: u64,
    /// How many features.
    pub features: u64,
}

/// A word that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DfWord {
    /// The word, or the text of a shingle.
    pub word: String,
    /// Whether the table has it.
    pub in_table: bool,
    /// How many documents have it; what is not in the table counts as rare.
    pub df: u32,
    /// ln(N/df), with six decimals.
    pub idf: f64,
}

/// What a table holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DfInfoSummary {
    /// What it is.
    #[serde(flatten)]
    pub table: DfTableFacts,
    /// Its features by how rare they are.
    pub histogram: Vec<DfBand>,
    /// The words that were asked for.
    pub words: Vec<DfWord>,
}

/// What a table holds.
#[derive(Debug, Clone)]
pub struct DfInfoOutcome {
    /// As it is printed.
    pub summary: DfInfoSummary,
    /// ln(N/df) of each word, with all decimals.
    pub idfs: Vec<f64>,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl DfInfoSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<DfInfoJob> {
        let missing = || Error::config("table", "names no table");
        let table = self.table.ok_or_else(missing)?;
        let words = self.word.unwrap_or_default();
        Ok(DfInfoJob {
            spec: DfInfoSpec {
                table: Some(table.clone()),
                word: Some(words.clone()),
            },
            table,
            words,
        })
    }
}

impl DfInfoJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Reads the table.
    pub fn run(self, _exec: &Exec<'_>) -> Result<DfInfoOutcome> {
        let table = open(&self.table)?;
        let (words, idfs) = words(&table, &self.words)?.into_iter().unzip();
        Ok(DfInfoOutcome {
            summary: DfInfoSummary {
                table: DfTableFacts::of(&table),
                histogram: bands(&table),
                words,
            },
            idfs,
            warnings: Vec::new(),
        })
    }
}

/// Opens the table of this name. The name `english` is that of the built-in table; a file of that name
/// is `./english`.
fn open(name: &str) -> Result<DfTable> {
    if name == ENGLISH {
        let words = WordOptions::default();
        let specification = FeatureSpec::new(FeatureKind::Terms, &words, 0);
        return DfTable::english(&specification);
    }
    DfTable::read(Path::new(name))
}

/// Features by how rare they are, in steps of ten: in one of 2, 10, 100 ... documents at most.
fn bands(table: &DfTable) -> Vec<DfBand> {
    // Until a limit holds the rarest features. Saturating ends it: no table has more documents than 64 bits.
    let (mut limits, mut next) = (vec![2u64], 10u64);
    while limits[limits.len() - 1] < table.num_documents() {
        limits.push(next);
        next = next.saturating_mul(10);
    }
    let mut bands: Vec<DfBand> = limits
        .into_iter()
        .map(|one_in_at_most| DfBand {
            one_in_at_most,
            features: 0,
        })
        .collect();
    for (_, df) in table.entries() {
        // df / documents >= 1 / limit, without division; in 128 bits, since both factors may have 64.
        let is_in = |band: &&mut DfBand| {
            u128::from(df) * u128::from(band.one_in_at_most)
                >= u128::from(table.num_documents())
        };
        if let Some(band) = bands.iter_mut().find(is_in) {
            band.features += 1;
        }
    }
    // Rarer bands are empty because the table has omitted such features: not shown.
    let used = bands.iter().rposition(|band| band.features > 0);
    bands.truncate(used.map_or(0, |last| last + 1));
    bands
}

/// The features of texts, as the table has them. They are made with the options of the table, not those
/// of this command: a word has a value only under the same rule and hash.
fn words(table: &DfTable, texts: &[String]) -> Result<Vec<(DfWord, f64)>> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let specification = table.specification();
    let kind: FeatureKind = specification.features.parse()?;
    let options = options_like(kind, specification).ok_or_else(|| {
        let message = "the table was built by another version of this program, whose words \
                       have other values";
        Error::config("word", message)
    })?;
    let mut words = Vec::new();
    for text in texts {
        let mut distinct = Vec::new();
        Extractor::new(kind, &options, specification.seed).distinct(text, &mut distinct);
        if distinct.is_empty() {
            return Err(Error::config("word", format!("{text:?} has no word")));
        }
        // A term that occurs twice has two labelled features; tables count only the first.
        let labels = labelled(text, kind, &options, specification.seed);
        let labels = labels.into_iter();
        for (feature, label) in labels.filter(|(feature, _)| distinct.contains(feature)) {
            let (df, idf) = (table.get(feature), table.idf(feature));
            let word = DfWord {
                word: label,
                in_table: df.is_some(),
                df: df.unwrap_or(table.unseen()),
                idf: (idf * 1e6).round() / 1e6,
            };
            words.push((word, idf));
        }
    }
    Ok(words)
}

/// Options that make the words of the table; None when no rule and hash of this version do. Without
/// stop words, which the table does not have anyway, and without stems, since the words that are asked
/// for are looked up as typed.
fn options_like(
    kind: FeatureKind,
    specification: &FeatureSpecText,
) -> Option<WordOptions> {
    let options = WordRule::ALL.map(|rule| WordOptions {
        rule: Some(rule),
        ..WordOptions::default()
    });
    options.into_iter().find(|options| {
        let found = FeatureSpec::new(kind, options, specification.seed);
        found.word_rule == specification.word_rule && found.hash == specification.hash
    })
}
