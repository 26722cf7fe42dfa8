//! `trec`: near-duplicates in runs, topics and qrels of search evaluation.
//!
//! Each kind of job reads runs or qrels and near-duplicates from one of four places ([`TrecNearSpec`]), and makes
//! sure that the files are about the same documents (`matching`). A summary has its fields in the order of their
//! names, as they are written.

mod check_qrels;
mod dedup_qrels;
mod dedup_run;
mod effect;
mod facts;
mod matching;
mod near;
mod prevalence;
mod sources;
mod values;

pub use check_qrels::{
    CheckQrelsJob, CheckQrelsOptions, CheckQrelsOutcome, CheckQrelsSpec,
    CheckQrelsSummary, JudgedDifferently, JudgedDocument,
};
pub use dedup_qrels::{
    DedupQrelsChanges, DedupQrelsJob, DedupQrelsOptions, DedupQrelsOutcome,
    DedupQrelsSpec, DedupQrelsSummary,
};
pub use dedup_run::{
    DedupRunJob, DedupRunOptions, DedupRunOutcome, DedupRunSpec, DedupRunSummary,
};
pub use effect::{
    EffectJob, EffectOptions, EffectOutcome, EffectRunRow, EffectSpec, EffectSummary,
    EffectTable,
};
pub use facts::{TrecBadFacts, TrecNearFacts, TrecOutcome, TrecQrelsFacts, TrecRunFacts};
pub use matching::TrecMatching;
pub use near::{TrecNearOptions, TrecNearSpec};
pub use prevalence::{
    PrevalenceCounts, PrevalenceJob, PrevalenceOptions, PrevalenceOutcome, PrevalenceRow,
    PrevalenceSet, PrevalenceSpec, PrevalenceSummary, ShareFacts, ShareRow,
};
pub use sources::{
    TrecSourcesExample, TrecSourcesJob, TrecSourcesKind, TrecSourcesOptions,
    TrecSourcesOutcome, TrecSourcesSpec, TrecSourcesSummary,
};
pub use values::{Millionths, QrelsFormatSpec, QrelsPolicy};
