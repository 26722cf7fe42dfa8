//! From what was typed to what will be done.

use super::super::find::{Job, typed};
use super::HistoryArgs;
use crate::options::whole_number;
use anyhow::Result;
use neardupe_core::error::Error;
use neardupe_core::feature::FeatureKind;
use neardupe_core::frequency::ENGLISH;
use neardupe_core::pipeline::codes::CodePlan;
use neardupe_core::pipeline::history::rules::{Factors, Status, Suggestion};
use neardupe_core::pipeline::history::{HistoryResult, IdField};
use neardupe_core::signature::Idf;
use neardupe_core::signature::coder::CodeSpec;
use neardupe_io::output::OutputFormat;
use neardupe_io::source::{InputFile, discover};
use neardupe_jobs::kind::find::codes::{CodeOptions, TypedCodes};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Only records of web archives have it.
const ARCHIVE_FIELD: &str = "warc-target-uri";
const URL_FIELD: &str = "url";
/// The date, unless told otherwise.
const DATE_FIELD: &str = "date";
/// No date at all.
const NO_DATE: &str = "none";

/// What will be done.
pub(super) struct Plan {
    pub(super) job: Job,
    pub(super) codes: CodePlan,
    pub(super) ids: IdField,
    pub(super) date: Option<(String, usize)>,
    pub(super) factors: Factors,
    pub(super) format: OutputFormat,
    pub(super) top: Option<u64>,
    options: CodeOptions,
}

impl Plan {
    pub(super) fn resolve(args: &HistoryArgs) -> Result<Self> {
        let date = args.date_key.as_deref().unwrap_or(DATE_FIELD);
        let date = (date != NO_DATE).then_some(date);
        if date.is_none() && args.store.is_some() {
            let message = "the versions in a store are in the order of their dates; --store \
                           needs a field with one";
            return Err(Error::config("date-key", message).into());
        }
        let factors = Factors {
            lengthen: factor("--lengthen", args.lengthen.as_deref(), 2.0, 1.0..=1e6)?,
            shorten: factor("--shorten", args.shorten.as_deref(), 0.5, 1e-6..=1.0)?,
        };
        let top = match args.top.as_deref() {
            None => Some(20),
            Some("all") => None,
            Some(typed) => Some(whole_number("--top", typed, 0..=u64::from(u32::MAX))?),
        };
        let format = args.output_format.as_deref().unwrap_or("jsonl").parse()?;
        if args.output_format.is_some() && args.output.is_none() {
            let message = "is how tables are written; --output names their folder";
            return Err(Error::config("output-format", message).into());
        }
        let has_metadata = !args.meta_key.is_empty();
        let mut asked = TypedCodes {
            variant: args.variant.as_deref(),
            idf: typed("idf", args.idf.as_deref())?,
            df_table: args.df_table.as_deref(),
            reserve: None,
        };
        let fields = CodeOptions::resolve(asked, FeatureKind::Terms, has_metadata)?;
        let mut metadata = args.meta_key.clone();
        let wanted = fields
            .fields()
            .chain(date)
            .chain([ARCHIVE_FIELD, URL_FIELD]);
        for field in wanted {
            if !metadata.iter().any(|name| name == field) {
                metadata.push(field.to_owned());
            }
        }
        let mut job = args.reading.history_job(
            &args.inputs,
            metadata,
            args.memory.as_deref(),
            args.allow_bad_records.as_deref(),
        )?;
        // In a few versions of one document every word is in every one of them and would weigh
        // nothing, so the collection is no good measure of words unless it is a large one.
        let is_of_words = job.config.features == FeatureKind::Terms
            && job.config.words.stem.to_string() == "none";
        if is_of_words && asked.idf != Some(Idf::None) {
            asked.df_table = asked.df_table.or(Some(ENGLISH));
        }
        let options = CodeOptions::resolve(asked, job.config.features, has_metadata)?;
        if has_metadata && !options.variant.uses_metadata() {
            let message = "needs --variant metadata: other codes are of texts alone";
            return Err(Error::config("meta-key", message).into());
        }
        let tagged = options.variant.tagged.is_some();
        job.read.text.html.keep_regions |= tagged;
        job.read.text.html.keep_links |= tagged;
        let codes = options.plan(
            job.config.features,
            &job.config.words,
            job.config.seed,
            &job.config.metadata,
            args.meta_key.len(),
        )?;
        if args.store.is_some() {
            check_frozen(&codes)?;
        }
        let place = |field: &str| {
            let names = job.config.metadata.iter();
            names.into_iter().position(|name| name == field)
        };
        let ids = match (
            args.reading.names_id(),
            place(ARCHIVE_FIELD),
            place(URL_FIELD),
        ) {
            (false, Some(mark), Some(url)) => IdField::AddressInArchives { mark, url },
            _ => IdField::Given,
        };
        let date = date.and_then(|field| Some((field.to_owned(), place(field)?)));
        Ok(Plan {
            job,
            codes,
            ids,
            date,
            factors,
            format,
            top,
            options,
        })
    }

    /// Finds the files to read; neither output nor store may be among them.
    pub(super) fn discover(&mut self, args: &HistoryArgs) -> Result<Vec<InputFile>> {
        let found = match &args.output {
            None => discover(&args.inputs, self.job.read.format)?,
            Some(output) => {
                self.job.output.clone_from(output);
                self.job.discover()?
            }
        };
        if let Some(store) = &args.store {
            check_store(store, &args.inputs, &found.files)?;
        }
        Ok(found.files)
    }

    /// A name that two versions must have in common to be compared: their codes were made in
    /// the same way, and of the same part of a page.
    pub(super) fn identity(&self, codes: &CodeSpec) -> String {
        let options = self.job.options();
        let option = |name: &str| options.get(name).and_then(Value::as_str);
        let [text_type, content] =
            ["text-type", "content"].map(|name| option(name).unwrap_or("format"));
        format!("{}-{text_type}-{content}", codes.identity())
    }

    /// The result as JSON, without the ids.
    pub(super) fn json(
        &self,
        args: &HistoryArgs,
        identity: &str,
        result: &HistoryResult,
    ) -> Result<Value> {
        let counts = &result.counts;
        let statuses = Status::ALL.into_iter().skip(1);
        let statuses: Map<String, Value> = statuses
            .map(|status| {
                let count = counts.comparisons[status as usize];
                (status.name().replace(' ', "_"), json!(count))
            })
            .collect();
        let suggestions: Map<String, Value> = Suggestion::ALL
            .into_iter()
            .map(|one| {
                (
                    one.name().to_owned(),
                    json!(counts.suggestions[one as usize]),
                )
            })
            .collect();
        let kinds: Map<String, Value> = result
            .bad_records
            .iter()
            .map(|(kind, &count)| (kind.name().to_owned(), json!(count)))
            .collect();
        Ok(json!({
            "program": "neardupe",
            "version": env!("CARGO_PKG_VERSION"),
            "command": "history",
            "options": self.shown(args),
            "identity": identity,
            "ids": counts.ids,
            "versions": counts.versions,
            "read": counts.read,
            "repeated": counts.repeated,
            "comparisons": statuses,
            "new": counts.new,
            "not_visited": counts.not_visited,
            "suggestions": suggestions,
            "bad_records": result.num_bad(),
            "bad_records_by_kind": kinds,
        }))
    }

    /// The options as resolved.
    fn shown(&self, args: &HistoryArgs) -> Map<String, Value> {
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
        let mut shown = Map::new();
        for name in OF_READING {
            if let Some(value) = options.get(name) {
                shown.insert(name.to_owned(), value.clone());
            }
        }
        let date = self.date.as_ref().map_or(NO_DATE, |(field, _)| field);
        for (name, value) in [
            ("date-key", json!(date)),
            ("meta-key", json!(args.meta_key)),
            ("variant", json!(self.options.variant.to_string())),
            ("idf", json!(self.options.idf.to_string())),
            ("df-table", json!(self.options.table_name())),
            ("lengthen", json!(self.factors.lengthen)),
            ("shorten", json!(self.factors.shorten)),
            ("all", json!(args.all)),
        ] {
            shown.insert(name.to_owned(), value);
        }
        if !args.reading.names_id() {
            let value = json!("id; in web archives the address");
            shown.insert("id-key".to_owned(), value);
        }
        shown
    }
}

/// Codes of different days are compared, so nothing of the day may be in them.
fn check_frozen(codes: &CodePlan) -> Result<()> {
    if codes.variant.template.is_some() || codes.variant.tagged.is_some() {
        let message = "template and tagged are made of all pages of a run, so codes of \
                       different days could not be compared; leave them out with --store";
        return Err(Error::config("variant", message).into());
    }
    if codes.variant.lacks_range() {
        let message = "with --store codes of different days are compared, and the range of a \
                       field would change every day; give it: numeric:FIELD:LOW..HIGH";
        return Err(Error::config("variant", message).into());
    }
    if codes.reads_collection() {
        let message = "with --store codes of different days are compared, and a table of the \
                       collection would change every day; take english, a file of \
                       neardupe df-table build, or --idf none";
        return Err(Error::config("df-table", message).into());
    }
    Ok(())
}

/// A store that lies among the input would be read as versions the next time.
fn check_store(store: &Path, inputs: &[String], files: &[InputFile]) -> Result<()> {
    let folder = match store.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let Ok(folder) = folder.canonicalize() else {
        let message = format!("there is no folder {}", folder.display());
        return Err(Error::config("store", message).into());
    };
    let path = folder.join(store.file_name().unwrap_or_default());
    let is_store = |file: &InputFile| {
        let real = file.path.as_ref().and_then(|path| path.canonicalize().ok());
        real.is_some_and(|real| real == path)
    };
    let holds_store = |input: &String| {
        let real = Path::new(input).canonicalize().ok();
        real.is_some_and(|real| real.is_dir() && folder.starts_with(real))
    };
    if files.iter().any(is_store) || inputs.iter().any(holds_store) {
        let message = format!(
            "{} lies among the input, and would be read as one; choose another place",
            store.display()
        );
        return Err(Error::config("store", message).into());
    }
    Ok(())
}

fn factor(
    flag: &str,
    typed: Option<&str>,
    usual: f64,
    allowed: std::ops::RangeInclusive<f64>,
) -> Result<f64> {
    let Some(typed) = typed else { return Ok(usual) };
    let number = typed.parse::<f64>().ok();
    let number = number.filter(|number| allowed.contains(number));
    number.ok_or_else(|| {
        let (least, most) = allowed.into_inner();
        let message = format!("{typed:?} is not a number from {least} to {most}");
        Error::config(flag, message).into()
    })
}
