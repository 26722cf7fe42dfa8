//! A job that was done, told from its result: its inputs and how they were read.

use super::find::{ADAPTIVE, Job, PLAN, ReadingArgs};
use anyhow::Result;
use neardupe_io::output::ANTECEDENTS;
use neardupe_io::result::ResultReader;
use serde_json::Value;
use std::collections::BTreeMap;

/// The inputs of a result, those that the documents were compared with included.
pub(crate) fn inputs(result: &ResultReader) -> Vec<String> {
    ["against", "inputs"]
        .map(|name| list(result, name))
        .concat()
}

/// An option of a result that is a list.
pub(crate) fn list(result: &ResultReader, name: &str) -> Vec<String> {
    let value = result.summary().options.get(name);
    let values = value.and_then(Value::as_array).into_iter().flatten();
    let values = values.filter_map(Value::as_str);
    values.map(str::to_owned).collect()
}

/// The options of a result. Antecedents and the plan of adaptive sampling are those it has written
/// down, wherever they came from.
pub(crate) fn options(result: &ResultReader) -> BTreeMap<String, Value> {
    let options = result.summary().options.clone();
    let mut options: BTreeMap<String, Value> = options.into_iter().collect();
    let antecedents = result.folder().join(ANTECEDENTS);
    if antecedents.is_file() {
        let path = antecedents.to_string_lossy().into_owned();
        options.insert("antecedents".to_owned(), Value::String(path));
    }
    let plan = result.folder().join(PLAN);
    if plan.is_file()
        && let Some(Value::Array(rules)) = options.get_mut("sample")
    {
        for rule in rules {
            if rule.as_str().is_some_and(|rule| rule.starts_with(ADAPTIVE)) {
                *rule = Value::String(format!("{ADAPTIVE}{}", plan.display()));
            }
        }
    }
    options
}

/// The job of a result, to read documents as it did; with a further metadata field.
pub(crate) fn job(result: &ResultReader, field: Option<&str>) -> Result<Job> {
    let mut options = options(result);
    if let Some(field) = field {
        options.insert("meta-key".to_owned(), Value::from(vec![field]));
    }
    ReadingArgs::default().job_as_recorded(&inputs(result), &options)
}
