//! `summary.json` as it is read back.

use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::{ClusterMode, PairsMode};
use neardupe_core::similarity::Similarity;
use neardupe_core::threshold::Threshold;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The summary of a job that was done.
#[derive(Debug, Clone)]
pub struct StoredSummary {
    /// The file, which every error names.
    path: PathBuf,
    /// Version of the program that wrote it.
    pub version: String,
    /// The command.
    pub command: String,
    /// All options as resolved, by the name of their flag.
    pub options: Map<String, Value>,
    /// What feature values depend on; equal for results that can be compared. Passages have
    /// none.
    pub feature_specification: Value,
    /// Numbers by name, as [`StoredSummary::count`] gives them.
    pub counts: Map<String, Value>,
    /// Everything that is written there.
    pub all: Map<String, Value>,
}

/// What must be there.
#[derive(Deserialize)]
struct Needed {
    /// Must be this program.
    program: String,
    /// Version of the program that wrote it.
    version: String,
    /// The command.
    command: String,
    /// Options as resolved.
    options: Map<String, Value>,
    /// Absent in results of passages.
    #[serde(default)]
    feature_specification: Value,
    /// Numbers by name.
    counts: Map<String, Value>,
}

/// What a result is that has neither pairs of documents nor passages, and where to look instead.
fn of_another_kind(summary: &Map<String, Value>) -> Option<String> {
    let command = summary.get("command").and_then(Value::as_str)?;
    let mode = summary.get("dedup").map(|dedup| &dedup["mode"]);
    let is = |instead: &str| {
        Some(format!(
            "a result of neardupe {command}; this needs one of find, dedup or passages. {instead}"
        ))
    };
    match command {
        "find" | "rethreshold" | "passages" => None,
        "dedup" if mode == Some(&Value::from("passages")) => Some(
            "a result of neardupe dedup `passages`, which has no pairs of documents; this needs one \
             of find, dedup or passages. Its table removed-passages lists what was removed and where \
             it is kept; neardupe passages finds the passages of the same input"
                .to_owned(),
        ),
        "dedup" => None,
        "history" => is("Its table history says what became of each document"),
        "study" => is("Its report.html shows what was measured"),
        _ => is("Its tables and its report.html, if it has one, show what was found"),
    }
}

impl StoredSummary {
    /// Reads a summary.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
        let broken = |error: serde_json::Error| Error::Corrupt {
            path: path.to_path_buf(),
            message: format!("line {}: {error}", error.line()),
        };
        let all: Map<String, Value> = serde_json::from_str(&text).map_err(broken)?;
        if all.get("program") != Some(&Value::from("neardupe")) {
            let message = "not a summary of neardupe";
            return Err(Error::input(path.display().to_string(), message));
        }
        if let Some(message) = of_another_kind(&all) {
            return Err(Error::input(path.display().to_string(), message));
        }
        let needed: Needed = serde_json::from_str(&text).map_err(broken)?;
        debug_assert_eq!(needed.program, "neardupe");
        Ok(StoredSummary {
            path: path.to_path_buf(),
            version: needed.version,
            command: needed.command,
            options: needed.options,
            feature_specification: needed.feature_specification,
            counts: needed.counts,
            all,
        })
    }

    /// Whether it is of `passages`, which has other tables and options than `find`.
    pub fn is_of_passages(&self) -> bool {
        self.command == "passages"
    }

    /// A number by its name, such as `documents`.
    pub fn count(&self, name: &str) -> Result<u64> {
        let count = self.counts.get(name).and_then(Value::as_u64);
        count.ok_or_else(|| self.wrong(&format!("counts: no number {name:?}")))
    }

    /// An option that is a text, by the name of its flag.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).and_then(Value::as_str)
    }

    /// The threshold of the job.
    pub fn threshold(&self) -> Result<Threshold> {
        self.parsed("threshold", None)
    }

    /// How documents were put together.
    pub fn cluster(&self) -> Result<ClusterMode> {
        self.parsed("cluster", None)
    }

    /// Which pairs were written.
    pub fn pairs(&self) -> Result<PairsMode> {
        self.parsed("pairs", None)
    }

    /// How similarity was measured.
    pub fn similarity(&self) -> Result<Similarity> {
        self.parsed("similarity", Some("resemblance"))
    }

    /// Whether an option that is a switch was on.
    pub fn is_on(&self, name: &str) -> bool {
        self.options.get(name) == Some(&Value::Bool(true))
    }

    /// Whether new documents were compared with old ones.
    pub fn against(&self) -> bool {
        let against = self.options.get("against").and_then(Value::as_array);
        against.is_some_and(|inputs| !inputs.is_empty())
    }

    /// Whether the pairs of the result are all pairs that reach the threshold.
    pub fn has_all_pairs(&self) -> Result<bool> {
        Ok(match self.pairs()? {
            PairsMode::All => true,
            PairsMode::None => false,
            // Each document leads its own cluster: the evidence is every pair.
            PairsMode::Evidence => self.cluster()? == ClusterMode::Neighbors,
        })
    }

    /// An option by its name, parsed; one that this version does not know makes the summary
    /// unusable.
    fn parsed<T: FromStr>(&self, name: &str, default: Option<&str>) -> Result<T> {
        let text = self.option(name).or(default);
        let value = text.and_then(|text| text.parse().ok());
        value.ok_or_else(|| match text {
            None if self.is_of_passages() => self.not_of_find(),
            None => self.wrong(&format!("options: no text {name:?}")),
            Some(text) => self.wrong(&format!(
                "options: {name}: {text:?} is not known to this version"
            )),
        })
    }

    /// What is asked for is in results of `find` only.
    pub(super) fn not_of_find(&self) -> Error {
        let message = "a result of neardupe passages; this needs one of find or dedup. neardupe eval \
                       compares passages with truth, and its report.html shows them";
        Error::input(self.path.display().to_string(), message)
    }

    /// An error that names the file.
    fn wrong(&self, message: &str) -> Error {
        Error::Corrupt {
            path: self.path.clone(),
            message: message.to_owned(),
        }
    }
}
