//! From a description to a job: how documents are read, how codes are made, which field is the id and
//! which the date.
//!
//! Codes of different days are compared, so with a store everything that a code depends on must
//! be frozen: a table that is named, ranges that are given, nothing that is made of the pages of
//! one run. `check_frozen` refuses the rest. The description is validated through one of `find`,
//! whose rules about texts and words apply.

use crate::kind::find::codes::{CodeOptions, TypedCodes};
use crate::kind::find::{FindJob, FindSpec, all_options};
use crate::kind::reading::reading_job;
use crate::param::{OrAll, OrAuto, ParamValue, Size, Within};
use crate::spec::{
    FeaturesSpec, InputSpec, LimitsSpec, ReadingSpec, RecordSpec, SeedSpec, TextSpec,
    WordsSpec, WorkSpec,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureKind;
use neardupe_core::frequency::ENGLISH;
use neardupe_core::hash::FeatureHash;
use neardupe_core::pipeline::codes::CodePlan;
use neardupe_core::pipeline::history::IdField;
use neardupe_core::pipeline::history::rules::Factors;
use neardupe_core::signature::Idf;
use neardupe_core::signature::coder::CodeSpec;
use neardupe_core::text::{Stem, WordRule};
use neardupe_io::output::{OutputFormat, check_output_file};
use neardupe_io::source::{InputFile, InputFormat};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

crate::params! {
    /// What became of documents from version to version.
    pub struct HistorySpec {
        [
            input: InputSpec,
            text: TextSpec,
            seed: SeedSpec,
            limits: LimitsSpec,
            work: WorkSpec,
        ]
        /// Field with the date of a version; none: versions come in the order of the input
        /// [default: date]
        date_key: String => value("KEY");
        /// File that keeps the codes of versions; versions are compared with those that are in it
        store: PathBuf => value("FILE");
        /// Folder for history and revisit, the tables of comparisons and of ids
        output: PathBuf => value("DIR").short('o').free();
        /// jsonl, tsv, parquet, xml [default: jsonl]
        output_format: OutputFormat => value("FORMAT").free();
        /// List ids with one version too, and those that are only in the store
        all: bool => switch();
        /// Number of ids to show, those of highest priority; or all [default: 20]
        top: OrAll<Within<0, { u32::MAX as u64 }>> => value("N").free();
        /// Factor of the interval after three comparisons without a change, at least 1 [default: 2]
        lengthen: HistoryFactor<true> => value("X");
        /// Factor of the interval after three changes, above 0 and up to 1 [default: 0.5]
        shorten: HistoryFactor<false> => value("X");
        /// terms (words), words:N or chars:N [default: terms]
        features: FeatureKind => value("KIND");
        /// How features become numbers: multilinear (of the hashes of words), or the hash of their
        /// text: xxh3, rabin64, md5; slower, to reproduce other systems [default: multilinear]
        hash: FeatureHash => value("HASH");
        /// How features are chosen and weighed, as for `find` [default: original]
        variant: String => value("LIST").heading("Codes");
        /// What a feature weighs beside its occurrences: log (ln N/df), inverse (1/df), none
        /// [default: log for terms or with `df-table`, else none]
        idf: Idf => value("KIND").heading("Codes");
        /// How many documents have each feature: english, collection (the input is read once more),
        /// or a file of neardupe df-table build [default: english for terms]
        df_table: String => value("TABLE").heading("Codes");
        /// Field whose value is a feature, for the variant metadata
        meta_key: Vec<String> => value("KEY").heading("Codes");
        /// How words are made: simple (ideographs, kana and Thai letters are one word each),
        /// segmented (scripts without spaces are cut by dictionaries) or spaces (words end
        /// only at spaces, so "don't" is one) [default: segmented]
        words: WordRule => value("RULE").heading("Text");
        /// Words left out: none, auto, a language such as en, or a file [default: en]
        stop_words: String => value("WHICH").heading("Text");
        /// Words cut to their stems, after stop words: none, auto (by each document's language), a
        /// language such as en or English [default: none]
        stem: Stem => value("WHICH").heading("Text");
        /// With `features spotsigs`, the words at which signatures are taken: published, or a file with
        /// one word per line [default: published, 24 English words]
        antecedents: String => value("WHICH").heading("Text");
        /// Field of the id that versions of a document have in common [default: id; in web archives
        /// the address]
        id_key: String => value("KEY").heading("Input");
        /// Field of the text in JSON records; several are joined [default: text]
        text_key: Vec<String> => value("KEY").heading("Input");
        /// {values} [default: auto, by content and name]
        input_format: OrAuto<InputFormat> => value("FORMAT").heading("Input");
        /// Longest record; longer ones are bad records [default: 128M]
        max_record_bytes: Size => value("SIZE").heading("Input");
        /// Most unpacked bytes per byte of a compressed file [default: 500]
        max_expansion: Within<1, { u64::MAX }> => value("N").heading("Input");
        /// Read nothing through symbolic links below a folder or in a glob; each is reported
        no_follow: bool => switch().reversible().heading("Input");
        /// End with code 0 when at most this many records were bad [default: 0]
        allow_bad_records: Within<0, { u64::MAX }> => value("N").heading("Input").free();
    }
}

/// A factor of an interval: from 1 to a million if it makes the interval longer, else from a millionth to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryFactor<const LONGER: bool>(pub f64);

impl<const LONGER: bool> ParamValue for HistoryFactor<LONGER> {
    fn from_text(text: &str) -> Result<Self> {
        // A factor on the wrong side of 1 would turn the rule around.
        let allowed = if LONGER { 1.0..=1e6 } else { 1e-6..=1.0 };
        let number = text.parse::<f64>().ok();
        let number = number.filter(|number| allowed.contains(number));
        number.map(HistoryFactor).ok_or_else(|| {
            let (least, most) = allowed.into_inner();
            let message = format!("{text:?} is not a number from {least} to {most}");
            Error::config("", message)
        })
    }

    fn to_json(&self) -> Value {
        json!(self.0)
    }
}

/// A field that only records of web archives have: by it they are recognized.
const ARCHIVE_FIELD: &str = "warc-target-uri";
/// The address of a page, which is the id of its versions in web archives: records there have ids of
/// their own.
const URL_FIELD: &str = "url";
/// The field of the date, unless another one is named.
const DATE_FIELD: &str = "date";
/// The name that means no date: versions are in the order of the input.
const NO_DATE: &str = "none";
/// Ids shown, unless another number is given.
const TOP: u64 = 20;

/// What will be done.
pub struct HistoryJob {
    /// All parameters, as they are used.
    spec: HistorySpec,
    /// The parameters of reading that were given, for warnings about those without effect.
    pub(super) given: ReadingSpec,
    /// How documents are read; it compares nothing.
    pub(super) job: FindJob,
    /// How codes are made; what needs the collection is still to be read.
    pub(super) codes: CodePlan,
    /// Which value is the id that the versions of a document have in common.
    pub(super) ids: IdField,
    /// The field of the date, and its position among the metadata.
    pub(super) date: Option<(String, usize)>,
    /// By how much intervals grow and shrink.
    pub(super) factors: Factors,
    /// How tables are written.
    pub(super) format: OutputFormat,
    /// So many ids are shown; None for all.
    pub(super) top: Option<u64>,
    /// Documents without a comparison are listed too.
    pub(super) all: bool,
    /// Codes of versions from run to run; without it only the versions of this input are
    /// compared.
    pub(super) store: Option<PathBuf>,
    /// The folder of the tables; None if none are written.
    pub(super) output: Option<PathBuf>,
    /// The folder for temporary files, if one was named.
    pub(super) work_dir: Option<PathBuf>,
    /// As typed, for the summary.
    meta_key: Vec<String>,
    /// How codes are made, as they were resolved.
    code_options: CodeOptions,
}

impl HistorySpec {
    /// How documents are read, as far as it is given.
    fn reading(&self) -> ReadingSpec {
        ReadingSpec {
            features: FeaturesSpec {
                features: self.features,
                hash: self.hash,
            },
            words: WordsSpec {
                words: self.words,
                stop_words: self.stop_words.clone(),
                stem: self.stem,
                antecedents: self.antecedents.clone(),
            },
            text: self.text.clone(),
            record: RecordSpec {
                id_key: self.id_key.clone(),
                text_key: self.text_key.clone(),
                input_format: self.input_format,
                max_record_bytes: self.max_record_bytes,
                max_expansion: self.max_expansion,
                no_follow: self.no_follow,
            },
            seed: self.seed.clone(),
            limits: self.limits.clone(),
        }
    }

    /// The job of this description.
    pub fn validate(self) -> Result<HistoryJob> {
        let date = self.date_key.clone();
        let date = date.unwrap_or_else(|| DATE_FIELD.to_owned());
        // Versions of different runs have no common order but their dates.
        let date = Some(date.as_str()).filter(|field| *field != NO_DATE);
        if date.is_none() && self.store.is_some() {
            let message = "the versions in a store are in the order of their dates; `store` \
                           needs a field with one";
            return Err(Error::config("date-key", message));
        }
        if self.output_format.is_some() && self.output.is_none() {
            let message = "is how tables are written; `output` names their folder";
            return Err(Error::config("output-format", message));
        }
        let given = self.reading();
        let meta_key = self.meta_key.clone().unwrap_or_default();
        let has_metadata = !meta_key.is_empty();
        let mut asked = TypedCodes {
            variant: self.variant.as_deref(),
            idf: self.idf,
            df_table: self.df_table.as_deref(),
            reserve: None,
        };
        // A first time for the fields alone, which must be known before the job that reads them;
        // features and table do not change them.
        let fields = CodeOptions::resolve(asked, FeatureKind::Terms, has_metadata)?;
        let mut metadata = meta_key.clone();
        // Each field is read once, the user's first: the first ones may become features of codes.
        let wanted = fields
            .fields()
            .chain(date)
            .chain([ARCHIVE_FIELD, URL_FIELD]);
        for field in wanted {
            if !metadata.iter().any(|name| name == field) {
                metadata.push(field.to_owned());
            }
        }
        let mut like = FindSpec::default();
        like.work.memory = self.work.memory;
        like.tolerance.allow_bad_records = self.allow_bad_records;
        // Words without the most frequent ones, unless others are asked for.
        like.reading.features.features = Some(FeatureKind::Terms);
        like.reading.words.stop_words = Some("en".to_owned());
        like.metadata.meta_key = Some(metadata);
        let inputs = self.input.inputs.clone().unwrap_or_default();
        let mut job = reading_job(&given, &inputs, like)?;
        // In a few versions of one document every word is in every one of them and would weigh
        // nothing, so the collection is not a good measure of words unless it is a large one.
        let is_of_words = job.config.features == FeatureKind::Terms
            && job.config.words.stem == Stem::default();
        if is_of_words && asked.idf != Some(Idf::None) {
            asked.df_table = asked.df_table.or(Some(ENGLISH));
        }
        let code_options =
            CodeOptions::resolve(asked, job.config.features, has_metadata)?;
        if has_metadata && !code_options.variant.uses_metadata() {
            let message = "needs `variant metadata`: other codes are of texts alone";
            return Err(Error::config("meta-key", message));
        }
        let tagged = code_options.variant.tagged.is_some();
        job.read.text.html.keep_regions |= tagged;
        job.read.text.html.keep_links |= tagged;
        let codes = code_options.plan(
            job.config.features,
            &job.config.words,
            job.config.seed,
            &job.config.metadata,
            meta_key.len(),
        )?;
        if self.store.is_some() {
            check_frozen(&codes)?;
        }
        let position_of = |field: &str| {
            let mut names = job.config.metadata.iter();
            names.position(|name| name == field)
        };
        // A field that was named is the id, in archives too.
        // Both fields are always read, so only a named id decides otherwise.
        let ids = match (
            &self.id_key,
            position_of(ARCHIVE_FIELD),
            position_of(URL_FIELD),
        ) {
            (None, Some(mark), Some(url)) => IdField::AddressInArchives { mark, url },
            _ => IdField::Given,
        };
        let date = date.and_then(|field| Some((field.to_owned(), position_of(field)?)));
        let lengthen = self.lengthen.unwrap_or(HistoryFactor(2.0));
        let shorten = self.shorten.unwrap_or(HistoryFactor(0.5));
        let top = self.top.unwrap_or(OrAll::This(Within(TOP)));
        let format = self.output_format.unwrap_or_default();
        let all = self.all.unwrap_or(false);
        let used = job.spec.reading.clone();
        let table = code_options.table_name().map(str::to_owned);
        Ok(HistoryJob {
            given,
            codes,
            ids,
            factors: Factors {
                lengthen: lengthen.0,
                shorten: shorten.0,
            },
            format,
            top: top.this().map(|top| top.0),
            all,
            store: self.store.clone(),
            output: self.output.clone(),
            work_dir: self.work.work_dir.clone(),
            spec: HistorySpec {
                input: job.spec.input.clone(),
                text: used.text,
                seed: used.seed,
                limits: used.limits,
                work: WorkSpec {
                    memory: job.spec.work.memory,
                    work_dir: self.work.work_dir,
                },
                date_key: Some(
                    date.as_ref()
                        .map_or_else(|| NO_DATE.to_owned(), |(field, _)| field.clone()),
                ),
                store: self.store,
                output_format: self.output.as_ref().map(|_| format),
                output: self.output,
                all: Some(all),
                top: Some(top),
                lengthen: Some(lengthen),
                shorten: Some(shorten),
                features: used.features.features,
                hash: used.features.hash,
                variant: Some(code_options.variant.to_string()),
                idf: Some(code_options.idf),
                df_table: table,
                meta_key: Some(meta_key.clone()),
                words: used.words.words,
                stop_words: used.words.stop_words,
                stem: used.words.stem,
                antecedents: used.words.antecedents,
                // Which field it is depends on the input, unless one is named.
                id_key: self.id_key,
                text_key: used.record.text_key,
                input_format: used.record.input_format,
                max_record_bytes: used.record.max_record_bytes,
                max_expansion: used.record.max_expansion,
                no_follow: used.record.no_follow,
                allow_bad_records: job.spec.tolerance.allow_bad_records,
            },
            date,
            meta_key,
            code_options,
            job,
        })
    }
}

impl HistoryJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Finds the files to read; neither output nor store may be among them.
    pub(super) fn discover(&mut self) -> Result<Vec<InputFile>> {
        let found = match &self.output {
            None => self.job.discover_at(self.job.inputs())?,
            Some(output) => {
                self.job.output.clone_from(output);
                self.job.discover()?
            }
        };
        if let Some(store) = &self.store {
            check_store(store, self.job.inputs(), &found.files)?;
        }
        Ok(found.files)
    }

    /// A name that two versions must have in common to be compared: their codes were made in the same
    /// way, and of the same part of a page. Stores record it, so its form must not change.
    pub(super) fn identity(&self, codes: &CodeSpec) -> String {
        let options = self.job.options();
        let option = |name: &str| options.get(name).and_then(Value::as_str);
        let [text_type, content] =
            ["text-type", "content"].map(|name| option(name).unwrap_or("format"));
        format!("{}-{text_type}-{content}", codes.identity())
    }

    /// The parameters that a result depends on, for its summary.
    pub(super) fn recorded(&self) -> Map<String, Value> {
        const OF_READING: [&str; 12] = [
            "inputs",
            "features",
            "words",
            "stop-words",
            "stem",
            "id-key",
            "text-key",
            "input-format",
            "text-type",
            "content",
            "charset",
            "seed",
        ];
        let options = self.job.options();
        let mut recorded = Map::new();
        for name in OF_READING {
            if let Some(value) = options.get(name) {
                recorded.insert(name.to_owned(), value.clone());
            }
        }
        let date = self.date.as_ref().map_or(NO_DATE, |(field, _)| field);
        for (name, value) in [
            ("date-key", json!(date)),
            ("meta-key", json!(self.meta_key)),
            ("variant", json!(self.code_options.variant.to_string())),
            ("idf", json!(self.code_options.idf.to_string())),
            ("df-table", json!(self.code_options.table_name())),
            ("lengthen", json!(self.factors.lengthen)),
            ("shorten", json!(self.factors.shorten)),
            ("all", json!(self.all)),
        ] {
            recorded.insert(name.to_owned(), value);
        }
        // Which of both it is depends on each record.
        if self.given.record.id_key.is_none() {
            let value = json!("id; in web archives the address");
            recorded.insert("id-key".to_owned(), value);
        }
        recorded
    }
}

/// Refuses codes that depend on the other documents of a run: with a store, codes of different days are
/// compared.
fn check_frozen(codes: &CodePlan) -> Result<()> {
    if codes.variant.template.is_some() || codes.variant.tagged.is_some() {
        let message = "template and tagged are made of all pages of a run, so codes of \
                       different days could not be compared; leave them out with `store`";
        return Err(Error::config("variant", message));
    }
    if codes.variant.lacks_range() {
        let message = "with `store` codes of different days are compared, and the range of a \
                       field would change every day; give it: numeric:FIELD:LOW..HIGH";
        return Err(Error::config("variant", message));
    }
    if codes.reads_collection() {
        let message = "with `store` codes of different days are compared, and a table of the \
                       collection would change every day; take english, a file of \
                       neardupe df-table build, or `idf none`";
        return Err(Error::config("df-table", message));
    }
    Ok(())
}

/// Refuses a store that is among the input: it would be read as documents the next time. The folder of
/// a named input counts even if the store is not there yet.
fn check_store(store: &Path, inputs: &[String], files: &[InputFile]) -> Result<()> {
    let folder = match store.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let Ok(folder) = folder.canonicalize() else {
        let message = format!("there is no folder {}", folder.display());
        return Err(Error::config("store", message));
    };
    // By its folder, since the store itself may not exist yet.
    let path = folder.join(store.file_name().unwrap_or_default());
    let is_store = |file: &InputFile| {
        let real = file.path.as_ref().and_then(|path| path.canonicalize().ok());
        real.is_some_and(|real| real == path)
    };
    let holds_store = |input: &String| {
        let real = Path::new(input).canonicalize().ok();
        // A folder as input will have the store among its files the next time.
        real.is_some_and(|real| real.is_dir() && folder.starts_with(real))
    };
    if files.iter().any(is_store) || inputs.iter().any(holds_store) {
        let message = format!(
            "{} is inside the input and would be read as a document; choose another place",
            store.display()
        );
        return Err(Error::config("store", message));
    }
    check_output_file("store", store)
}
