//! How documents are read and made into features, for commands that look at some of them.
//! What can be typed is named as after `find`, and means the same.

use super::effect::Effects;
use super::job::Job;
use super::options::FindOptions;
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Options of texts and features.
#[derive(Debug, Default, Clone, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ReadingArgs {
    /// words:N, chars:N, terms or spotsigs [default: words:5]
    #[arg(long, value_name = "KIND")]
    features: Option<String>,

    /// How words are made: simple, segmented or spaces [default: simple; segmented with
    /// --features terms or spotsigs, --stop-words or --stem]
    #[arg(long, value_name = "RULE", help_heading = "Text")]
    words: Option<String>,

    /// Words left out: none, auto, a language such as en, or a file [default: none]
    #[arg(long, value_name = "WHICH", help_heading = "Text")]
    stop_words: Option<String>,

    /// Words cut to their stems: none, auto, a language such as en [default: none]
    #[arg(long, value_name = "WHICH", help_heading = "Text")]
    stem: Option<String>,

    /// Words at which spot signatures are taken: published, the N most frequent words, or a file
    /// [default: published]
    #[arg(long, value_name = "WHICH", help_heading = "Text")]
    antecedents: Option<String>,

    /// Which texts are HTML and lose their tags: format, auto, plain, html [default: format]
    #[arg(long, value_name = "TYPE", help_heading = "Text")]
    text_type: Option<String>,

    /// What of a page is its text: full, main [default: full]
    #[arg(long, value_name = "PART", help_heading = "Text")]
    content: Option<String>,

    /// Character set of all bytes [default: auto]
    #[arg(long, value_name = "NAME", help_heading = "Text")]
    charset: Option<String>,

    /// Field of the id in JSON records [default: id]
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    id_key: Option<String>,

    /// Field of the text in JSON records; several are joined [default: text]
    #[arg(long, value_name = "KEY", help_heading = "Input")]
    text_key: Vec<String>,

    /// auto, jsonl, csv, tsv, parquet, text, html, warc, arc, trec, reuters, nitf, pubmed
    /// [default: auto]
    #[arg(long, value_name = "FORMAT", help_heading = "Input")]
    input_format: Option<String>,

    /// Longest record; longer ones are bad records [default: 128M]
    #[arg(long, value_name = "SIZE", help_heading = "Input")]
    max_record_bytes: Option<String>,

    /// Seed of the feature hash [default: 0]
    #[arg(long, value_name = "N", help_heading = "Input")]
    seed: Option<String>,

    /// Number of threads [default: all cores]; nothing depends on it
    #[arg(long, value_name = "N", help_heading = "Input")]
    threads: Option<String>,

    /// Shared by all jobs of a command.
    #[arg(skip)]
    #[serde(skip)]
    effects: Effects,
}

impl ReadingArgs {
    /// The job that would read these inputs so. The threshold is named as it was typed.
    pub(crate) fn job(&self, inputs: &[String], threshold: Option<&str>) -> Result<Job> {
        self.job_like(inputs, threshold, FindOptions::default())
    }

    /// The same for other features, whatever was typed; antecedents are of spot signatures alone.
    pub(crate) fn with_features(&self, features: Option<&str>) -> Self {
        let is_spotsigs = features == Some("spotsigs");
        ReadingArgs {
            features: features.map(str::to_owned),
            antecedents: self.antecedents.clone().filter(|_| is_spotsigs),
            ..self.clone()
        }
    }

    /// The same for a command that only counts: `usual` is the kind of features when none was
    /// typed.
    pub(crate) fn counting_job(
        &self,
        inputs: &[String],
        usual: &str,
        memory: Option<&str>,
        allow_bad_records: Option<&str>,
    ) -> Result<Job> {
        let like = FindOptions {
            features: Some(usual.to_owned()),
            memory: memory.map(str::to_owned),
            allow_bad_records: allow_bad_records.map(str::to_owned),
            ..FindOptions::default()
        };
        self.job_like(inputs, None, like)
    }

    /// The same for a command that makes codes of versions: words that say something, unless
    /// told otherwise, and the fields that it needs.
    pub(crate) fn history_job(
        &self,
        inputs: &[String],
        fields: Vec<String>,
        memory: Option<&str>,
        allow_bad_records: Option<&str>,
    ) -> Result<Job> {
        let like = FindOptions {
            features: Some("terms".to_owned()),
            stop_words: Some("en".to_owned()),
            meta_key: fields,
            memory: memory.map(str::to_owned),
            allow_bad_records: allow_bad_records.map(str::to_owned),
            ..FindOptions::default()
        };
        self.job_like(inputs, None, like)
    }

    /// The same for a command that compares words itself.
    pub(crate) fn passages_job(
        &self,
        inputs: &[String],
        like: FindOptions,
    ) -> Result<Job> {
        self.job_like(inputs, None, like)
    }

    /// The same for all pairs of some documents of a collection, as the waterloo thesis compares
    /// them unless told otherwise.
    pub(crate) fn pairs_job(&self, inputs: &[String], threshold: &str) -> Result<Job> {
        let like = FindOptions {
            features: Some("chars:64".to_owned()),
            cluster: Some("none".to_owned()),
            pairs: Some("all".to_owned()),
            ..FindOptions::default()
        };
        self.job_like(inputs, Some(threshold), like)
    }

    /// Number of threads.
    pub(crate) fn threads(&self) -> Result<usize> {
        match &self.threads {
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
            Some(typed) => {
                let threads = crate::options::whole_number("--threads", typed, 1..=1024)?;
                Ok(usize::try_from(threads)?)
            }
        }
    }

    /// What was typed and had nothing to work on in the documents that a job has read.
    pub(crate) fn idle(&self, job: &Job) -> Result<Vec<String>> {
        let given = crate::options::given(self)?;
        let mut idle = job.idle_options();
        idle.retain(|message| {
            let typed = |name: &String| {
                let rest = message
                    .strip_prefix("--")
                    .and_then(|it| it.strip_prefix(name.as_str()));
                rest.is_some_and(|rest| rest.starts_with([':', ' ']))
            };
            given.iter().any(typed)
        });
        Ok(idle)
    }

    /// Refuses options of texts where no text is read.
    pub(crate) fn check_unread(&self, needed: &str) -> Result<()> {
        let given = crate::options::given(self)?;
        match given.iter().find(|name| *name != "threads") {
            None => Ok(()),
            Some(name) => {
                let message = format!("needs {needed}: no text is read without it");
                Err(Error::config(format!("--{name}"), message).into())
            }
        }
    }

    /// Whether the field of the id was named.
    pub(crate) fn names_id(&self) -> bool {
        self.id_key.is_some()
    }

    /// The same where another job has said how it reads; what was typed wins.
    pub(crate) fn job_as_recorded(
        &self,
        inputs: &[String],
        recorded: &BTreeMap<String, Value>,
    ) -> Result<Job> {
        self.job_like(inputs, None, recorded_options(recorded)?)
    }

    /// The same where other options are given too; what was typed wins.
    pub(crate) fn job_like(
        &self,
        inputs: &[String],
        threshold: Option<&str>,
        mut like: FindOptions,
    ) -> Result<Job> {
        if self.features.is_some() {
            // They belong to the features of the other job.
            like.antecedents = None;
        }
        let typed = FindOptions {
            threshold: threshold.map(str::to_owned),
            features: self.features.clone(),
            words: self.words.clone(),
            stop_words: self.stop_words.clone(),
            stem: self.stem.clone(),
            antecedents: self.antecedents.clone(),
            text_type: self.text_type.clone(),
            content: self.content.clone(),
            charset: self.charset.clone(),
            id_key: self.id_key.clone(),
            text_key: self.text_key.clone(),
            input_format: self.input_format.clone(),
            max_record_bytes: self.max_record_bytes.clone(),
            seed: self.seed.clone(),
            threads: self.threads.clone(),
            effects: self.effects.clone(),
            ..FindOptions::default()
        };
        Job::resolve(inputs, &typed.or(like))
    }
}

/// What a job says of how it reads and compares, as options; others are left out.
fn recorded_options(recorded: &BTreeMap<String, Value>) -> Result<FindOptions> {
    const TAKEN: [&str; 23] = [
        "threshold",
        "similarity",
        "min-overlap",
        "sample",
        "block-by",
        "features",
        "hash",
        "words",
        "stop-words",
        "stem",
        "antecedents",
        "id-key",
        "text-key",
        "meta-key",
        "input-format",
        "max-record-bytes",
        "max-expansion",
        "text-type",
        "content",
        "charset",
        "max-html-depth",
        "max-html-nodes",
        "seed",
    ];
    // Newer jobs record options that this program may not have.
    let known = serde_json::to_value(recorded)?;
    let mut options = FindOptions::default();
    for name in TAKEN {
        if let Some(value) = known.get(name) {
            let one = serde_json::json!({ name: value });
            if let Ok(one) = serde_json::from_value::<FindOptions>(one) {
                options = options.or(one);
            }
        }
    }
    if options.features.as_deref() != Some("spotsigs") {
        // A result of passages has antecedents for its sentences, and no features.
        options.antecedents = None;
    }
    Ok(options)
}
