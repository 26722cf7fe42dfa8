//! `similar`: the documents of a collection that are similar to one.
//!
//! Three ways to search: all texts of the input are read and compared one by one; the features that a
//! job has kept (`keep-work`) are compared without reading a text; or codes of results are compared.
//! The first two find the same.
//!
//! Three kinds of search share one description, since a user has one question. Texts are searched
//! by reading all of the input, with nothing prepared. Kept features of a finished job are
//! searched without reading, at any threshold from 0 on, since they are whole sets. Codes are
//! compared by their bits. In all of them the query must be made as the collection was: same
//! words, same features, same seed; where a kept job recorded them they are taken from there, and
//! where they differ the search is refused, because features made with other settings share nothing
//! and the answer would be "none".

mod codes;
mod query;

pub use codes::{NearCode, NearCodes};

use super::compare::decimal;
use super::find::{
    FindJob, FindSpec, all_options, count_antecedents, counts_antecedents, idle_hashes,
};
use super::reading::{check_unread, of_reading, open, reading_job, source_of};
use crate::exec::Exec;
use crate::param::{OrAll, Params, Within};
use crate::spec::{InputSpec, ReadingSpec};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureSpec;
use neardupe_core::hash::HashKey;
use neardupe_core::pipeline::similar::{
    Hit, KeptWork, Query, SimilarConfig, SimilarResult, similar, similar_in,
};
use neardupe_core::ratio::six_decimals;
use neardupe_core::similarity::Similarity;
use neardupe_core::store::WorkDir;
use neardupe_core::text::WordOptions;
use neardupe_core::threshold::Threshold;
use neardupe_io::output::OwnResult;
use query::{Asked, Question};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

crate::params! {
    /// Documents that are similar to one.
    pub struct SimilarSpec {
        [ input: InputSpec, reading: ReadingSpec ]
        /// A file of one document, INPUT#ID, a text of two or more words, or - for standard input; what
        /// looks like a path must be a file
        query: String => value("FILE|TEXT|-");
        /// A document of the collection, by its id
        query_id: String => value("ID");
        /// A simhash of 16 hexadecimal digits, or the id of a document that has one
        code: String => value("CODE");
        /// With `code`: bits in which codes may differ, 0 to 64 [default: 3]
        distance: Within<0, 64> => value("K");
        /// Smallest similarity that counts, above 0 and up to 1 [default: 0.5]
        threshold: Threshold => value("T").short('t');
        /// resemblance, containment (of the smaller in the larger) or s3 [default: resemblance]
        similarity: Similarity => value("KIND");
        /// Number of documents to show, the best ones; or all [default: 100]
        top: OrAll<Within<1, { u32::MAX as u64 }>> => value("N");
    }
}

/// Documents shown, unless another number is given.
const TOP: u64 = 100;
/// Bits in which codes may differ, unless another number is given.
const DISTANCE: u64 = 3;

/// What is searched, and for what.
pub struct SimilarJob {
    spec: SimilarSpec,
    search: SimilarSearch,
}

/// What is searched, by the parameters that were given.
enum SimilarSearch {
    /// Codes of results.
    Codes {
        results: Vec<String>,
        code: String,
        distance: u32,
        top: Option<usize>,
    },
    /// Texts, or kept features.
    Documents(Box<DocumentSearch>),
}

/// A search for documents.
struct DocumentSearch {
    given: ReadingSpec,
    job: FindJob,
    /// The work directory that was named as the input, and what its features are; None where texts are read.
    stored: Option<(WorkDir, KeptWork)>,
    asked: Asked,
    similarity: Similarity,
    threshold: Threshold,
    top: Option<usize>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SimilarSummary {
    /// Documents by their similarity.
    Documents(SimilarDocuments),
    /// Documents by their codes.
    Codes(NearCodes),
}

/// Documents by their similarity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimilarDocuments {
    /// What they are similar to.
    pub query: SimilarQuery,
    /// By which features.
    pub features: String,
    /// By which measure.
    pub similarity: String,
    /// The smallest similarity that counts.
    pub threshold: Option<f64>,
    /// Documents that were compared.
    pub documents: u64,
    /// Records that were left out.
    pub bad_records: u64,
    /// How many are similar.
    pub found: u64,
    /// The most similar.
    pub hits: Vec<SimilarHit>,
}

/// The query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimilarQuery {
    /// How it is called.
    pub name: String,
    /// The document of the collection that it is.
    pub id: Option<String>,
    /// How many features it has.
    pub size: u32,
}

/// A similar document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimilarHit {
    /// Its id.
    pub id: String,
    /// How similar it is.
    pub similarity: Option<f64>,
    /// Common features of all.
    pub resemblance: Option<f64>,
    /// Share of the query that it has.
    pub containment_of_query: Option<f64>,
    /// Share of it that the query has.
    pub containment_of_document: Option<f64>,
    /// Features that both have.
    pub overlap: u32,
    /// How many features it has.
    pub size: u32,
    /// Its text is that of the query.
    pub equal_text: bool,
    /// Its file.
    pub file: String,
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its first words.
    pub preview: String,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct SimilarOutcome {
    /// The documents.
    pub summary: SimilarSummary,
    /// The threshold as it was given.
    pub threshold: Option<Threshold>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Records were left out.
    pub has_left_out: bool,
}

impl SimilarSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<SimilarJob> {
        let wrong = |param: &str, message: &str| Err(Error::config(param, message));
        let inputs = self.input.inputs.clone().unwrap_or_default();
        let top = self.top.unwrap_or(OrAll::This(Within(TOP)));
        let most = top.this().map(Within::usize);
        // A search for codes has no use for anything about texts.
        if let Some(code) = &self.code {
            for param in ["query", "query-id", "threshold", "similarity"] {
                if self.is_set(param) {
                    return wrong(param, "has no meaning with `code`; leave one out");
                }
            }
            check_unread(&self.reading, "`query` or `query-id`")?;
            let distance = self.distance.unwrap_or(Within(DISTANCE));
            return Ok(SimilarJob {
                search: SimilarSearch::Codes {
                    results: inputs,
                    code: code.clone(),
                    distance: distance.u32(),
                    top: most,
                },
                spec: SimilarSpec {
                    distance: Some(distance),
                    top: Some(top),
                    ..self
                },
            });
        }
        if self.distance.is_some() {
            return wrong("distance", "needs `code`");
        }
        let asked = match (self.query.clone(), self.query_id.clone()) {
            (Some(_), Some(_)) => {
                return wrong("query-id", "and `query` are two queries");
            }
            (Some(query), None) => Asked::Query(query),
            (None, Some(id)) => Asked::Id(id),
            (None, None) => {
                return wrong("query", "is missing, and so are `query-id` and `code`");
            }
        };
        let stored = open_kept_work(&inputs)?;
        // The query must have features of the same kind: a kept job says which, else the defaults of
        // `find` hold.
        let like = match &stored {
            Some((work, _)) => FindSpec::reading_of(&recorded(work)),
            None => {
                check_documents(&inputs)?;
                let mut like = FindSpec::default();
                like.similarity.threshold = self.threshold;
                like
            }
        };
        let job = reading_job(&self.reading, &inputs, like)?;
        let similarity = self.similarity.unwrap_or(Similarity::Resemblance);
        let threshold = match self.threshold {
            Some(threshold) => threshold,
            None => "0.5".parse()?,
        };
        Ok(SimilarJob {
            spec: SimilarSpec {
                input: job.spec.input.clone(),
                reading: job.spec.reading.clone(),
                threshold: Some(threshold),
                similarity: Some(similarity),
                top: Some(top),
                ..self
            },
            search: SimilarSearch::Documents(Box::new(DocumentSearch {
                given: self.reading,
                job,
                stored,
                asked,
                similarity,
                threshold,
                top: most,
            })),
        })
    }
}

impl SimilarJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&self.spec)
    }

    /// Searches.
    pub fn run(self, exec: &Exec<'_>) -> Result<SimilarOutcome> {
        match self.search {
            SimilarSearch::Documents(search) => search.run(exec),
            SimilarSearch::Codes {
                results,
                code,
                distance,
                top,
            } => Ok(SimilarOutcome {
                summary: SimilarSummary::Codes(codes::near_codes(
                    &results, &code, distance, top,
                )?),
                threshold: None,
                warnings: Vec::new(),
                has_left_out: false,
            }),
        }
    }
}

impl DocumentSearch {
    fn run(self, exec: &Exec<'_>) -> Result<SimilarOutcome> {
        let (mut job, progress, mut warnings) = (self.job, exec.progress, Vec::new());
        let inputs = job.inputs().to_vec();
        if self.stored.is_none() && job.read.text.wants_shared_main() {
            // Which notices pages share is decided by the collection, and then applied to the query as well.
            let files = job.discover_at(&inputs)?.files;
            open(&mut job, files, progress, &mut warnings)?;
        }
        if counts_antecedents(&job) {
            // Counted in the collection, never in the query: for kept features in the inputs of their job.
            let searched = match &self.stored {
                None => inputs.clone(),
                Some((work, _)) => inputs_of(work)?,
            };
            let source = source_of(&searched, &job)?;
            count_antecedents(&mut job, &source, progress)?;
        }
        // From here on the words are those of the collection: counted antecedents are in the job
        // now.
        // Kept features are met by those of a query only under the key of their job; where texts are read,
        // a key that is drawn now will do.
        let (key, feature_key) = match &self.stored {
            Some((work, stored)) => (work.key(), stored.feature_key(work)),
            None => {
                let key = HashKey::drawn();
                (key, (!job.config.needs_public_hash()).then_some(key))
            }
        };
        let config = SimilarConfig {
            similarity: self.similarity,
            threshold: self.threshold,
            features: job.config.features,
            words: WordOptions {
                key: feature_key,
                ..job.config.words.clone()
            },
            key,
            seed: job.config.seed,
            threads: job.config.threads,
            top: self.top,
        };
        let work = self.stored.as_ref().map(|(work, _)| work);
        let mut question = Question::read(&self.asked, &job, work, progress)?;
        let query = Query::new(&question.text, &config)?;
        // A short query has one feature, itself, which no longer document contains.
        if query.is_shorter() && config.similarity == Similarity::Containment {
            warnings.push(format!(
                "`similarity containment`: the query is shorter than a shingle ({}), so only an equal \
                 text is found. Use `features` with shorter shingles",
                config.features
            ));
        }
        let (result, own_file) = match &self.stored {
            Some((work, stored)) => {
                let specification =
                    FeatureSpec::new(config.features, &config.words, config.seed);
                // Features of another specification have other values: nothing would be found, without
                // an error.
                stored.check(&specification, work)?;
                let budget = &job.config.budget;
                let files = work.job().origins.unwrap_or_default().into_iter();
                let files = files.map(|file| Some(PathBuf::from(file.path)));
                let own = question.position_in(files);
                let result = similar_in(work, stored, &query, &config, budget, progress)?;
                (result, own)
            }
            None => {
                let source = source_of(&inputs, &job)?;
                let files = source.files().iter().map(|file| file.path.clone());
                let own = question.position_in(files);
                (similar(&source, &query, &config, progress)?, own)
            }
        };
        // The query is a file of the collection: name it by its id there, so that it is not taken for a
        // duplicate.
        if let Some(own) = own_file {
            let itself = result.hits.iter().find(|hit| hit.file_idx == own);
            question.id = itself.map(|hit| hit.id.clone());
        }
        warnings.extend(of_reading(&self.given, &job));
        warnings.extend(idle_hashes(&job));
        Ok(SimilarOutcome {
            // The bad records of a kept job were reported when it was run.
            has_left_out: result.num_bad_records > 0 && self.stored.is_none(),
            summary: SimilarSummary::Documents(summary(&config, question, result)),
            threshold: Some(self.threshold),
            warnings,
        })
    }
}

/// The answer as it is printed.
///
/// All measures of each hit, whichever was asked for: a reader may see that a text is contained
/// where it is not similar. Shares have six decimals, as in all tables.
fn summary(
    config: &SimilarConfig,
    question: Question,
    result: SimilarResult,
) -> SimilarDocuments {
    let size = result.query_size;
    let hit = |hit: Hit| {
        let overlap = u64::from(hit.overlap);
        let share = |size: u32| decimal(&six_decimals(overlap, u64::from(size)));
        SimilarHit {
            similarity: decimal(&hit.similarity(config.similarity, size)),
            resemblance: decimal(&hit.similarity(Similarity::Resemblance, size)),
            containment_of_query: share(size),
            containment_of_document: share(hit.size),
            id: hit.id,
            overlap: hit.overlap,
            size: hit.size,
            equal_text: hit.is_equal_text,
            file: hit.file,
            number: hit.number,
            preview: hit.preview,
        }
    };
    SimilarDocuments {
        query: SimilarQuery {
            name: question.name,
            id: question.id,
            size,
        },
        features: config.features.to_string(),
        similarity: config.similarity.to_string(),
        threshold: decimal(&config.threshold.to_string()),
        documents: result.num_documents,
        bad_records: result.num_bad_records,
        found: result.num_hits,
        hits: result.hits.into_iter().map(hit).collect(),
    }
}

/// An input that is a result, and what could be searched instead of all inputs.
pub struct MadeFrom {
    /// The result.
    pub input: String,
    /// What it is.
    pub described: String,
    /// The other inputs, and what the result was made from.
    pub inputs: Vec<String>,
}

impl MadeFrom {
    /// The first result among inputs: results are not documents.
    pub fn find(inputs: &[String]) -> Option<Self> {
        let own = |input: &String| {
            let result = OwnResult::at(Path::new(input))?;
            Some((input.clone(), result))
        };
        let (input, result) = inputs.iter().find_map(own)?;
        // Kept features are searched fastest, but only by themselves. A result without recorded inputs
        // gets a placeholder.
        let made_from: Vec<String> = match &result.kept_work {
            Some(work) if inputs.len() == 1 => vec![work.to_string_lossy().into_owned()],
            _ if result.inputs.is_empty() => vec!["INPUT...".to_owned()],
            _ => result.inputs.clone(),
        };
        let others = inputs.iter().filter(|one| own(one).is_none());
        let mut searched: Vec<String> = Vec::new();
        for one in others.chain(&made_from) {
            if !searched.contains(one) {
                searched.push(one.clone());
            }
        }
        Some(MadeFrom {
            input,
            described: result.described(),
            inputs: searched,
        })
    }

    /// The error; `search` says how these inputs are searched.
    pub fn error(&self, search: &str) -> Error {
        let message =
            format!("{}; search what it was made from: {search}", self.described);
        Error::input(&self.input, message)
    }
}

/// Results are not documents: whoever names one is shown what to search instead.
fn check_documents(inputs: &[String]) -> Result<()> {
    match MadeFrom::find(inputs) {
        None => Ok(()),
        Some(made_from) => Err(made_from.error(&made_from.inputs.join(" "))),
    }
}

/// Opens the work directory that was named as the input, if one was; one of a job that is not finished,
/// or has kept only some features, is refused.
fn open_kept_work(inputs: &[String]) -> Result<Option<(WorkDir, KeptWork)>> {
    for input in inputs {
        if !WorkDir::is_at(Path::new(input)) {
            continue;
        }
        if inputs.len() > 1 {
            let message = "a work directory is searched by itself; name no other input";
            return Err(Error::input(input, message));
        }
        let refuse = || {
            let message = "the job there is not finished, or was run without \
                           `keep-work`; run find with `keep-work`";
            Error::input(input, message)
        };
        let work = WorkDir::open_kept(PathBuf::from(input))?.ok_or_else(refuse)?;
        let stored = KeptWork::read(&work)?.ok_or_else(refuse)?;
        let sample = recorded(&work).remove("sample");
        let is_none =
            |sample: &Value| sample.is_null() || sample == "none" || *sample == json!([]);
        if sample.is_some_and(|sample| !is_none(&sample)) {
            let message = "only a sample of its features was kept (`sample`); search the \
                           input itself";
            return Err(Error::input(input, message));
        }
        return Ok(Some((work, stored)));
    }
    Ok(None)
}

/// The options that a kept job was run with, without its threshold. An identity holds each value as
/// JSON text.
///
/// The description comes from the identity in the manifest, which holds every parameter that
/// decides about features.
fn recorded(work: &WorkDir) -> Map<String, Value> {
    let options = work.job().options.into_iter();
    let options = options.filter_map(|(name, value)| {
        let value = serde_json::from_str(&value).ok()?;
        Some((name, value))
    });
    // A search may go below the threshold of the job.
    options.filter(|(name, _)| name != "threshold").collect()
}

/// The inputs that a kept job has read.
fn inputs_of(work: &WorkDir) -> Result<Vec<String>> {
    let inputs = recorded(work).remove("inputs");
    let inputs = inputs.and_then(|inputs| serde_json::from_value(inputs).ok());
    let missing = || Error::input(work.path().display().to_string(), "names no inputs");
    inputs.ok_or_else(missing)
}
