//! All kinds of jobs and all parameters, by name.
//!
//! Each kind is listed here once. Fronts that take a job by its name (a service, a binding, a test that
//! walks all of them) need no other list; a kind that is missing here does not exist for them.
//!
//! Adding a kind of job is one line here: the command line, programs that name jobs, and the
//! tests that check every parameter all walk this list.

use crate::exec::Exec;
use crate::job::{Job, JobOutcome, JobSpec};
use crate::kind::compare::{CompareJob, CompareOutcome, CompareSpec};
use crate::kind::dedup::{DedupJob, DedupOutcome, DedupSpec};
use crate::kind::df_table::{
    DfBuildJob, DfBuildOutcome, DfBuildSpec, DfInfoJob, DfInfoOutcome, DfInfoSpec,
    DfMergeJob, DfMergeOutcome, DfMergeSpec,
};
use crate::kind::eval::{EvalJob, EvalOutcome, EvalSpec};
use crate::kind::explain::{ExplainJob, ExplainOutcome, ExplainSpec};
use crate::kind::features::{FeatureListJob, FeatureListOutcome, FeatureListSpec};
use crate::kind::find::{FindJob, FindOutcome, FindSpec};
use crate::kind::history::{HistoryJob, HistoryOutcome, HistorySpec};
use crate::kind::judge::{JudgeJob, JudgeOutcome, JudgeSpec};
use crate::kind::methods::{MethodsJob, MethodsOutcome, MethodsSpec};
use crate::kind::passages::{PassagesJob, PassagesOutcome, PassagesSpec};
use crate::kind::plan::{PlanJob, PlanOutcome, PlanSpec};
use crate::kind::rethreshold::{RethresholdJob, RethresholdOutcome, RethresholdSpec};
use crate::kind::similar::{SimilarJob, SimilarOutcome, SimilarSpec};
use crate::kind::sources::{SourcesJob, SourcesOutcome, SourcesSpec};
use crate::kind::study::{
    StudyAdaptiveJob, StudyAdaptiveSpec, StudyFeaturesJob, StudyFeaturesSpec,
    StudyGridOutcome, StudyHammingJob, StudyHammingSpec, StudyOutcome, StudyPassagesJob,
    StudyPassagesSpec, StudySamplingJob, StudySamplingOutcome, StudySamplingSpec,
    StudySignaturesJob, StudySignaturesSpec, StudyThresholdJob, StudyThresholdSpec,
};
use crate::kind::synth::{SynthJob, SynthOutcome, SynthSpec};
use crate::kind::trec::{
    CheckQrelsJob, CheckQrelsOutcome, CheckQrelsSpec, DedupQrelsJob, DedupQrelsOutcome,
    DedupQrelsSpec, DedupRunJob, DedupRunOutcome, DedupRunSpec, EffectJob, EffectOutcome,
    EffectSpec, PrevalenceJob, PrevalenceOutcome, PrevalenceSpec, TrecOutcome,
    TrecSourcesJob, TrecSourcesOutcome, TrecSourcesSpec,
};
use crate::param::{ParamInfo, Params, from_flags};
use neardupe_core::error::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Parameters by name.
pub type Options = Map<String, Value>;

/// A kind of job, for whoever has its name and its parameters by name.
pub struct JobKind {
    /// As a user types it: `study threshold`. It is a part of files, URLs and programs of others, so it
    /// does not change.
    pub name: &'static str,
    /// Its parameters, in the order in which help lists them.
    pub params: fn() -> Vec<&'static ParamInfo>,
    /// Reads the given parameters by their types and writes them again: refuses unknown names and wrong
    /// values, and brings equal values into one form. Rules between parameters are left to `check`.
    pub read: fn(&Options) -> Result<Options>,
    /// The same from a line of flags, which wins over the parameters that are given otherwise.
    pub read_flags: fn(&str, &Options) -> Result<Options>,
    /// Validates the job and returns all its parameters as they would be used. Reads files that
    /// parameters name (tables, lists, results), but not the input.
    pub check: fn(&Options) -> Result<Options>,
    /// Does the job that these describe.
    pub run: fn(&Options, &Exec<'_>) -> Result<JobEnd>,
}

/// What is known of a job that is done, whatever its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct JobEnd {
    /// Its summary.
    pub summary: Value,
    /// What the user should know before trusting the result.
    pub warnings: Vec<String>,
    /// More records were left out than the job allows.
    pub has_left_out: bool,
}

// Plain functions, so that a kind in the list is a row of pointers and the list a static.
fn read<S: JobSpec>(given: &Options) -> Result<Options> {
    Ok(S::from_map(given, S::KIND)?.to_map())
}

fn read_flags<S: JobSpec>(flags: &str, under: &Options) -> Result<Options> {
    let under = S::from_map(under, S::KIND)?;
    Ok(from_flags::<S>(flags)?.or(under).to_map())
}

fn check<S: JobSpec>(given: &Options) -> Result<Options> {
    Ok(S::from_map(given, S::KIND)?.validate()?.options())
}

fn run<S: JobSpec>(given: &Options, exec: &Exec<'_>) -> Result<JobEnd> {
    let outcome = S::from_map(given, S::KIND)?.validate()?.run(exec)?;
    Ok(JobEnd {
        summary: outcome.summary()?,
        warnings: outcome.warnings().to_vec(),
        has_left_out: outcome.has_left_out(),
    })
}

/// Makes the list of kinds, and implements the traits of jobs by the methods of the same name that each
/// kind has: a kind can then be used without its traits in scope, as the command line does.
macro_rules! job_kinds {
    ($($name:literal: $spec:ident => $job:ident => $outcome:ident;)*) => {
        $(
            impl JobSpec for $spec {
                const KIND: &'static str = $name;
                type Job = $job;

                fn validate(self) -> Result<$job> {
                    $spec::validate(self)
                }
            }

            impl Job for $job {
                type Outcome = $outcome;

                fn options(&self) -> Options {
                    $job::options(self)
                }

                fn run(self, exec: &Exec<'_>) -> Result<$outcome> {
                    $job::run(self, exec)
                }
            }
        )*

        /// Every kind of job.
        pub static JOB_KINDS: &[JobKind] = &[
            $(JobKind {
                name: $name,
                params: <$spec as Params>::infos,
                read: read::<$spec>,
                read_flags: read_flags::<$spec>,
                check: check::<$spec>,
                run: run::<$spec>,
            }),*
        ];

        /// All parameters of all kinds, those that several kinds share many times.
        fn visit(visit: &mut dyn FnMut(&'static ParamInfo)) {
            $($spec::visit(visit);)*
        }
    };
}

job_kinds! {
    "find": FindSpec => FindJob => FindOutcome;
    "dedup": DedupSpec => DedupJob => DedupOutcome;
    "passages": PassagesSpec => PassagesJob => PassagesOutcome;
    "plan": PlanSpec => PlanJob => PlanOutcome;
    "eval": EvalSpec => EvalJob => EvalOutcome;
    "judge": JudgeSpec => JudgeJob => JudgeOutcome;
    "rethreshold": RethresholdSpec => RethresholdJob => RethresholdOutcome;
    "similar": SimilarSpec => SimilarJob => SimilarOutcome;
    "compare": CompareSpec => CompareJob => CompareOutcome;
    "explain": ExplainSpec => ExplainJob => ExplainOutcome;
    "history": HistorySpec => HistoryJob => HistoryOutcome;
    "df-table build": DfBuildSpec => DfBuildJob => DfBuildOutcome;
    "df-table merge": DfMergeSpec => DfMergeJob => DfMergeOutcome;
    "df-table info": DfInfoSpec => DfInfoJob => DfInfoOutcome;
    "features": FeatureListSpec => FeatureListJob => FeatureListOutcome;
    "sources": SourcesSpec => SourcesJob => SourcesOutcome;
    "study sampling": StudySamplingSpec => StudySamplingJob => StudySamplingOutcome;
    "study adaptive": StudyAdaptiveSpec => StudyAdaptiveJob => StudySamplingOutcome;
    "study features": StudyFeaturesSpec => StudyFeaturesJob => StudyGridOutcome;
    "study signatures": StudySignaturesSpec => StudySignaturesJob => StudyGridOutcome;
    "study hamming": StudyHammingSpec => StudyHammingJob => StudyGridOutcome;
    "study passages": StudyPassagesSpec => StudyPassagesJob => StudyGridOutcome;
    "study threshold": StudyThresholdSpec => StudyThresholdJob => StudyGridOutcome;
    "trec prevalence": PrevalenceSpec => PrevalenceJob => PrevalenceOutcome;
    "trec dedup-run": DedupRunSpec => DedupRunJob => DedupRunOutcome;
    "trec dedup-qrels": DedupQrelsSpec => DedupQrelsJob => DedupQrelsOutcome;
    "trec check-qrels": CheckQrelsSpec => CheckQrelsJob => CheckQrelsOutcome;
    "trec effect": EffectSpec => EffectJob => EffectOutcome;
    "trec sources": TrecSourcesSpec => TrecSourcesJob => TrecSourcesOutcome;
    "methods": MethodsSpec => MethodsJob => MethodsOutcome;
    "synth": SynthSpec => SynthJob => SynthOutcome;
}

/// The kind of this name; the error lists all names.
pub fn job_kind(name: &str) -> Result<&'static JobKind> {
    let named = JOB_KINDS.iter().find(|kind| kind.name == name);
    named.ok_or_else(|| {
        let names: Vec<&str> = JOB_KINDS.iter().map(|kind| kind.name).collect();
        let message = format!("there is no {name:?}; there is {}", names.join(", "));
        Error::config("job", message)
    })
}

/// Implements [`JobOutcome`] for outcomes that differ only in where their summary and warnings are: for
/// each, what the three methods return.
macro_rules! outcomes {
    // The name of the variable is passed in, since a macro cannot make one up that
    // expressions of its caller see.
    ($($outcome:ident, |$it:ident| $summary:expr, $warnings:expr, $has_left_out:expr;)*) => {
        $(impl JobOutcome for $outcome {
            fn summary(&self) -> Result<Value> {
                let $it = self;
                Ok(serde_json::to_value(&$summary)?)
            }

            fn warnings(&self) -> &[String] {
                let $it = self;
                &$warnings
            }

            fn has_left_out(&self) -> bool {
                let $it = self;
                // Else unused where the answer is always no.
                let _ = $it;
                $has_left_out
            }
        })*
    };
}

outcomes! {
    FindOutcome, |it| it.summary, it.summary.warnings, it.has_left_out();
    PassagesOutcome, |it| it.summary, it.warnings, it.has_left_out();
    PlanOutcome, |it| it.summary, it.warnings, false;
    EvalOutcome, |it| it.summary, it.warnings, false;
    RethresholdOutcome, |it| it.summary, it.warnings, false;
    SimilarOutcome, |it| it.summary, it.warnings, it.has_left_out;
    CompareOutcome, |it| it.summary, it.warnings, false;
    ExplainOutcome, |it| it.summary, it.warnings, false;
    HistoryOutcome, |it| it.summary, it.warnings, it.has_left_out;
    DfBuildOutcome, |it| it.summary, it.warnings, it.has_left_out;
    DfMergeOutcome, |it| it.summary, it.warnings, false;
    DfInfoOutcome, |it| it.summary, it.warnings, false;
    FeatureListOutcome, |it| it.summary, it.warnings, it.has_left_out;
    SourcesOutcome, |it| it.summary, it.warnings, false;
    MethodsOutcome, |it| it.summary, it.warnings, false;
    SynthOutcome, |it| it.summary, it.warnings, false;
}

// The outcomes that are not like the others: either of two forms, or generic.
impl JobOutcome for DedupOutcome {
    fn summary(&self) -> Result<Value> {
        Ok(match self {
            DedupOutcome::Documents(found) => serde_json::to_value(&found.summary)?,
            DedupOutcome::Passages(found) => serde_json::to_value(&found.summary)?,
        })
    }

    fn warnings(&self) -> &[String] {
        match self {
            DedupOutcome::Documents(found) => &found.summary.warnings,
            DedupOutcome::Passages(found) => &found.warnings,
        }
    }

    fn has_left_out(&self) -> bool {
        match self {
            DedupOutcome::Documents(found) => found.has_left_out(),
            DedupOutcome::Passages(found) => found.has_left_out(),
        }
    }
}

impl JobOutcome for JudgeOutcome {
    fn summary(&self) -> Result<Value> {
        Ok(match self {
            JudgeOutcome::Sample(sample) => serde_json::json!({
                "result": sample.result,
                "pairs": sample.pairs.len(),
                "judge": sample.judge,
                "labels": sample.labels.path(),
            }),
            JudgeOutcome::Report(report) => serde_json::to_value(report)?,
        })
    }

    fn warnings(&self) -> &[String] {
        match self {
            JudgeOutcome::Sample(sample) => &sample.warnings,
            JudgeOutcome::Report(_) => &[],
        }
    }

    fn has_left_out(&self) -> bool {
        false
    }
}

impl<F: Serialize> JobOutcome for StudyOutcome<F> {
    fn summary(&self) -> Result<Value> {
        Ok(serde_json::to_value(&self.summary)?)
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn has_left_out(&self) -> bool {
        StudyOutcome::has_left_out(self)
    }
}

impl<S: Serialize> JobOutcome for TrecOutcome<S> {
    fn summary(&self) -> Result<Value> {
        Ok(serde_json::to_value(&self.summary)?)
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn has_left_out(&self) -> bool {
        TrecOutcome::has_left_out(self)
    }
}

/// Parameters that every front has for a job as a whole, besides its description. Messages may name them too
/// (`resume`), and they must be written like the others.
/// These are no fields of any description, so `visit` does not meet them.
const OF_FRONTS: [&str; 4] = ["config", "resume", "check", "progress"];

/// Every name that is a parameter of some kind, opposites of switches included (`verify`).
static PARAMS: LazyLock<BTreeMap<String, &'static ParamInfo>> = LazyLock::new(|| {
    let mut params = BTreeMap::new();
    visit(&mut |info: &'static ParamInfo| {
        // The first kind that has a parameter wins; kinds that share one share its
        // declaration.
        params.entry(info.name.to_owned()).or_insert(info);
        if let Some(opposite) = info.opposite() {
            params.entry(opposite).or_insert(info);
        }
    });
    params
});

/// Whether there is a parameter of this name, for any kind of job: messages are rendered by this, and
/// they do not know which kind of job they are about.
pub fn is_param(name: &str) -> bool {
    PARAMS.contains_key(name) || OF_FRONTS.contains(&name)
}
