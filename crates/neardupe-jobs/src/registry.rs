//! All kinds of jobs and all parameters, by name.

use crate::kind::compare::CompareSpec;
use crate::kind::dedup::DedupSpec;
use crate::kind::df_table::{DfBuildSpec, DfInfoSpec, DfMergeSpec};
use crate::kind::eval::EvalSpec;
use crate::kind::explain::ExplainSpec;
use crate::kind::features::FeatureListSpec;
use crate::kind::history::HistorySpec;
use crate::kind::judge::JudgeSpec;
use crate::kind::methods::MethodsSpec;
use crate::kind::passages::PassagesSpec;
use crate::kind::rethreshold::RethresholdSpec;
use crate::kind::similar::SimilarSpec;
use crate::kind::sources::SourcesSpec;
use crate::kind::study::{
    StudyAdaptiveSpec, StudyFeaturesSpec, StudyHammingSpec, StudySamplingSpec,
    StudySignaturesSpec, StudyThresholdSpec,
};
use crate::kind::synth::SynthSpec;
use crate::kind::trec::{
    CheckQrelsSpec, DedupQrelsSpec, DedupRunSpec, EffectSpec, PrevalenceSpec,
    TrecSourcesSpec,
};
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
    EvalSpec::visit(&mut add);
    JudgeSpec::visit(&mut add);
    MethodsSpec::visit(&mut add);
    RethresholdSpec::visit(&mut add);
    SourcesSpec::visit(&mut add);
    SynthSpec::visit(&mut add);
    StudySamplingSpec::visit(&mut add);
    StudyAdaptiveSpec::visit(&mut add);
    FeatureListSpec::visit(&mut add);
    DfBuildSpec::visit(&mut add);
    DfMergeSpec::visit(&mut add);
    DfInfoSpec::visit(&mut add);
    CompareSpec::visit(&mut add);
    SimilarSpec::visit(&mut add);
    ExplainSpec::visit(&mut add);
    StudyFeaturesSpec::visit(&mut add);
    StudySignaturesSpec::visit(&mut add);
    StudyHammingSpec::visit(&mut add);
    StudyThresholdSpec::visit(&mut add);
    PassagesSpec::visit(&mut add);
    HistorySpec::visit(&mut add);
    PrevalenceSpec::visit(&mut add);
    DedupRunSpec::visit(&mut add);
    DedupQrelsSpec::visit(&mut add);
    CheckQrelsSpec::visit(&mut add);
    EffectSpec::visit(&mut add);
    TrecSourcesSpec::visit(&mut add);
    params
});

/// Whether there is a parameter of this name, for any kind of job.
pub fn is_param(name: &str) -> bool {
    PARAMS.contains_key(name) || OF_FRONTS.contains(&name)
}
