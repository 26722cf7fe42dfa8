//! All kinds of jobs and all parameters, by name.

use crate::kind::dedup::DedupSpec;
use crate::param::{ParamInfo, Params};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Parameters that every front has for a job as a whole, besides its description.
const OF_FRONTS: [&str; 4] = ["config", "resume", "check", "progress"];

static PARAMS: LazyLock<BTreeMap<String, &'static ParamInfo>> = LazyLock::new(|| {
    let mut params = BTreeMap::new();
    let mut add = |info: &'static ParamInfo| {
        params.entry(info.name.to_owned()).or_insert(info);
        if let Some(opposite) = info.opposite() {
            params.entry(opposite).or_insert(info);
        }
    };
    DedupSpec::visit(&mut add);
    params
});

/// Whether there is a parameter of this name, for any kind of job.
pub fn is_param(name: &str) -> bool {
    PARAMS.contains_key(name) || OF_FRONTS.contains(&name)
}
