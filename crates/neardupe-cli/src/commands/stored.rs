//! A job that was done, told from its result: its inputs and how they were read.

use super::find::{FindOptions, Job};
use anyhow::Result;
use neardupe_core::error::Error;
use neardupe_io::result::ResultReader;
use serde_json::Value;

/// Options that say nothing about the documents, or that are of that job alone.
const OF_THAT_JOB: [&str; 13] = [
    "inputs",
    "against",
    "within",
    "remove-containing",
    "keep-work",
    "output",
    "output-format",
    "work-dir",
    "threads",
    "memory",
    "checkpoint",
    "write-text",
    "strict",
];

/// The inputs of a result, those that the documents were compared with included.
pub(crate) fn inputs(result: &ResultReader) -> Vec<String> {
    let options = &result.summary().options;
    let named = ["against", "inputs"].map(|name| options.get(name));
    let inputs = named.into_iter().flatten().filter_map(Value::as_array);
    let inputs = inputs.flatten().filter_map(Value::as_str);
    inputs.map(str::to_owned).collect()
}

/// The job of a result, to read documents as it did; with a further metadata field.
pub(crate) fn job(result: &ResultReader, field: Option<&str>) -> Result<Job> {
    let summary = result.summary();
    let mut options = summary.options.clone();
    for name in OF_THAT_JOB {
        options.remove(name);
    }
    if let Some(field) = field {
        options.insert("meta-key".to_owned(), Value::from(vec![field]));
    }
    let options: FindOptions =
        serde_json::from_value(Value::Object(options)).map_err(|error| {
            let name = result.folder().join("summary.json");
            let message = format!("options that this version does not know: {error}");
            Error::input(name.display().to_string(), message)
        })?;
    Job::resolve(&inputs(result), &options)
}
