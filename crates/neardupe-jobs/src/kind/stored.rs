//! A finished job, recovered from the `summary.json` of its result: its inputs and how they were read.
//! Whoever reads the documents of a result again (`explain`, `judge`, `sources`) must make the same
//! texts and features of them.
//!
//! A result records every parameter, so the job can be made again from `summary.json` alone;
//! parameters that a newer version added get their defaults.

use super::find::{FindJob, FindSpec, PLAN};
use crate::spec::SampleRule;
use neardupe_core::error::Result;
use neardupe_io::output::ANTECEDENTS;
use neardupe_io::result::ResultReader;
use serde_json::Value;

/// The inputs of a result, including those that the documents were compared with. The old ones come
/// first, as in the job itself, so that the numbers of files agree.
pub fn inputs(result: &ResultReader) -> Vec<String> {
    ["against", "inputs"]
        .map(|name| list(result, name))
        .concat()
}

/// A parameter of a result that is a list; empty where the result has none.
pub fn list(result: &ResultReader, name: &str) -> Vec<String> {
    let value = result.summary().options.get(name);
    let values = value.and_then(Value::as_array).into_iter().flatten();
    let values = values.filter_map(Value::as_str);
    values.map(str::to_owned).collect()
}

/// How the job of a result read and compared. Antecedents and the plan of adaptive sampling are read
/// from the files in the result: the file that was named then may have changed, and counted words or a
/// plan for a precision would have to be made again, from an input that may have changed too.
pub fn spec(result: &ResultReader) -> FindSpec {
    let mut spec = FindSpec::reading_of(&result.summary().options);
    let antecedents = result.folder().join(ANTECEDENTS);
    // Other features use no antecedents; a list beside them (sentences of passages) is not theirs.
    if antecedents.is_file() && spec.reading.words.antecedents.is_some() {
        let path = antecedents.to_string_lossy().into_owned();
        spec.reading.words.antecedents = Some(path);
    }
    let plan = result.folder().join(PLAN);
    if plan.is_file() {
        // Only the adaptive rule: others, such as mod:4, say everything by themselves.
        for rule in spec.sampling.sample.iter_mut().flatten() {
            if rule.is_adaptive() {
                *rule = SampleRule::AdaptivePlan(plan.clone());
            }
        }
    }
    spec.input.inputs = Some(inputs(result));
    spec
}

/// The job of a result, to read documents as it did. `field` is the metadata field to read instead of
/// those of the result.
pub fn job(result: &ResultReader, field: Option<&str>) -> Result<FindJob> {
    let mut spec = spec(result);
    if let Some(field) = field {
        spec.metadata.meta_key = Some(vec![field.to_owned()]);
    }
    let mut job = spec.validate()?;
    // `dedup` takes rows only if it can write them again; lists of ids are not written from rows.
    let summary = result.summary();
    job.read.whole_rows = summary.command == "dedup"
        && summary.options.get("ids-only") != Some(&true.into());
    Ok(job)
}
