//! `features`: the features of each document, as they are compared: to look at what the method sees,
//! and for programs that compare by themselves.

use super::find::{FindJob, FindSpec, all_options, count_antecedents};
use super::reading::{of_reading, open, reading_job};
use crate::exec::Exec;
use crate::param::Within;
use crate::spec::{InputSpec, ReadingSpec};
use neardupe_core::document::{BadRecord, Record, Sink, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::{Extractor, FeatureKind, FeatureSpec, labelled};
use neardupe_core::frequency::{DfTable, FeatureSpecText};
use neardupe_core::signature::{CodeSpec, Coder, Idf, Variant};
use neardupe_core::text::WordOptions;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

crate::params! {
    /// The features of each document.
    pub struct FeatureListSpec {
        [ input: InputSpec, reading: ReadingSpec ]
        /// Print the text of each feature beside its value
        texts: bool => switch();
        /// End with code 0 when at most this many records were bad [default: 0]
        allow_bad_records: Within<0, { u64::MAX }> => value("N").heading("Input").free();
    }
}

/// Which documents, and what of them.
pub struct FeatureListJob {
    /// Parameters of reading as typed, for warnings about those without effect.
    given: ReadingSpec,
    /// All parameters as they are used.
    spec: FeatureListSpec,
    /// A job of `find` that reads the same: it is never run, but resolves all parameters.
    job: FindJob,
    /// Whether the words of each feature are printed, too.
    texts: bool,
}

/// The features of one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureRow {
    /// Its simhash, if it has one; left out for features that have no weights.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    pub code: Option<Option<String>>,
    /// Its features in the order of their values.
    pub features: Vec<FeatureOfRow>,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// How many features it has.
    pub size: usize,
    /// How many words it has.
    pub words: usize,
}

/// A feature as 16 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FeatureOfRow {
    /// Its value.
    Value(String),
    /// Its value and what it was made of.
    Labelled {
        /// The words.
        text: String,
        /// The value.
        value: String,
    },
}

/// Reads a field that is there, be it null: without it null and a missing field would be the same.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    reader: D,
) -> std::result::Result<Option<T>, D::Error> {
    T::deserialize(reader).map(Some)
}

/// How many documents there were.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureListSummary {
    /// Documents.
    pub documents: u64,
    /// Records that are none.
    pub bad_records: u64,
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub struct FeatureListOutcome {
    /// How many documents there were.
    pub summary: FeatureListSummary,
    /// The documents, unless they were handed out one by one.
    pub rows: Vec<FeatureRow>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// More records were bad than are allowed.
    pub has_left_out: bool,
}

impl FeatureListOutcome {
    /// Refuses an input without documents; the warnings say what was in it.
    pub fn check(&self) -> Result<()> {
        let message = match (self.summary.documents, self.summary.bad_records) {
            (1.., _) => return Ok(()),
            (_, 0) => "there is no document in it".to_owned(),
            (_, bad) => format!("there is no document in it, and {bad} bad records"),
        };
        Err(Error::input("the input", message))
    }
}

impl FeatureListSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<FeatureListJob> {
        let mut like = FindSpec::default();
        like.reading.features.features = Some(FeatureKind::Words(5));
        like.tolerance.allow_bad_records = self.allow_bad_records;
        let inputs = self.input.inputs.unwrap_or_default();
        let job = reading_job(&self.reading, &inputs, like)?;
        let texts = self.texts.unwrap_or(false);
        Ok(FeatureListJob {
            given: self.reading,
            spec: FeatureListSpec {
                input: job.spec.input.clone(),
                reading: job.spec.reading.clone(),
                texts: Some(texts),
                allow_bad_records: job.spec.tolerance.allow_bad_records,
            },
            job,
            texts,
        })
    }
}

impl FeatureListJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Runs the job; all documents are in the outcome.
    pub fn run(self, exec: &Exec<'_>) -> Result<FeatureListOutcome> {
        let mut rows = Vec::new();
        let mut outcome = self.run_each(exec, &mut |row| {
            rows.push(row);
            Ok(())
        })?;
        outcome.check()?;
        outcome.rows = rows;
        Ok(outcome)
    }

    /// Runs the job and hands out each document when it was read. Whether there was any document is left to
    /// [`check`](FeatureListOutcome::check).
    pub fn run_each(
        self,
        exec: &Exec<'_>,
        each: &mut (dyn FnMut(FeatureRow) -> Result<()> + Send),
    ) -> Result<FeatureListOutcome> {
        let (mut job, mut warnings) = (self.job, Vec::new());
        let files = job.discover_at(job.inputs())?.files;
        let source = open(&mut job, files, exec.progress, &mut warnings)?;
        count_antecedents(&mut job, &source, exec.progress)?;
        let config = &job.config;
        let (kind, words, seed) = (config.features, config.words.clone(), config.seed);
        // One sink, so one thread: documents are handed out in the order of the input.
        let mut lister = Lister {
            each,
            extractor: Extractor::new(kind, &words, seed),
            coder: coder(kind, &words, seed)?,
            kind,
            words,
            seed,
            texts: self.texts,
            num_documents: 0,
            num_bad: 0,
            bad: Vec::new(),
        };
        for part in 0..source.num_parts()? {
            source.read_part(part, vec![&mut lister], exec.progress)?;
        }
        let (num_bad, names) = (lister.num_bad, source.file_names());
        warnings.extend(lister.bad.iter().map(|bad| described(bad, &names)));
        let more = num_bad - lister.bad.len() as u64;
        if more > 0 {
            warnings.push(format!("{more} more records are bad"));
        }
        warnings.extend(of_reading(&self.given, &job));
        Ok(FeatureListOutcome {
            summary: FeatureListSummary {
                documents: lister.num_documents,
                bad_records: num_bad,
            },
            rows: Vec::new(),
            warnings,
            has_left_out: num_bad > job.allow_bad_records,
        })
    }
}

/// Bad records that are named in warnings; the others are counted.
const MOST_BAD: usize = 10;

/// A bad record as a warning: where it is, and why it is bad.
fn described(bad: &BadRecord, names: &[String]) -> String {
    let name = names.get(bad.position.file as usize);
    format!(
        "{}, at byte {}: {} ({})",
        name.map_or("the input", String::as_str),
        bad.offset,
        bad.detail,
        bad.kind.name()
    )
}

/// Makes simhashes in which every occurrence weighs the same, as `find` does with `idf none`; None for
/// features that have no weights.
fn coder(kind: FeatureKind, words: &WordOptions, seed: u64) -> Result<Option<Coder>> {
    if !kind.has_weights() {
        return Ok(None);
    }
    let specification = FeatureSpecText::from(&FeatureSpec::new(kind, words, seed));
    // Never looked at without weights, but a part of the specification.
    let no_table = DfTable::from_counts(specification, 0, 1, std::iter::empty());
    let spec = CodeSpec {
        features: kind,
        words: words.clone(),
        seed,
        variant: Variant::default(),
        idf: Idf::None,
        reserve: None,
        fields: Vec::new(),
        num_features: 0,
        df: Arc::new(no_table),
        of_hosts: None,
        anchors: None,
    };
    Coder::new(Arc::new(spec)).map(Some)
}

/// Makes a row of each document and hands it out, so that an input of any size can be listed.
struct Lister<'a> {
    /// Takes each row; an error ends the reading.
    each: &'a mut (dyn FnMut(FeatureRow) -> Result<()> + Send),
    /// Cuts a document into features.
    extractor: Extractor,
    /// Makes codes; None for features without weights.
    coder: Option<Coder>,
    /// What features are made of, for their texts.
    kind: FeatureKind,
    words: WordOptions,
    seed: u64,
    /// Whether texts are wanted: they cost a second cutting.
    texts: bool,
    /// Documents so far.
    num_documents: u64,
    num_bad: u64,
    /// The first bad records.
    bad: Vec<BadRecord>,
}

impl Sink for Lister<'_> {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.num_documents += 1;
        let mut values = Vec::new();
        let num_words = self.extractor.extract_document(record.text, &mut values);
        // By value: the order of the text says nothing about a set.
        values.sort_unstable();
        let code = self.coder.as_mut().map(|coder| coder.code(record).map(hex));
        let features = if self.texts {
            let texts = labelled(record.text, self.kind, &self.words, self.seed);
            let text = |value: u64| {
                let of_value = texts.iter().find(|(feature, _)| *feature == value);
                // A text shorter than a shingle has one feature, the text itself.
                of_value.map_or(record.text, |(_, text)| text.as_str())
            };
            let values = values.iter();
            values
                .map(|&one| FeatureOfRow::Labelled {
                    text: text(one).to_owned(),
                    value: hex(one),
                })
                .collect()
        } else {
            let values = values.iter();
            values.map(|&one| FeatureOfRow::Value(hex(one))).collect()
        };
        (self.each)(FeatureRow {
            code,
            features,
            id: record.id.map(str::to_owned),
            size: values.len(),
            words: num_words,
        })
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.num_bad += 1;
        if self.bad.len() < MOST_BAD {
            self.bad.push(bad);
        }
        Ok(())
    }
}

/// As values are written everywhere: JSON numbers of 64 bits are not safe in other programs.
fn hex(value: u64) -> String {
    format!("{value:016x}")
}
