//! Every table of every result, declared once: name, columns, types and meaning.
//!
//! A declaration gives the type of a row that is written, which borrows what it can, and of one that
//! was read. The formats (`output`), the readers (`result`), record batches of Arrow,
//! `docs/result.xsd` and the tables of `docs/formats.md` follow from it, so a new column is one
//! line here and its value where rows are made.

mod arrow;
mod batches;
mod cell;
pub mod column;
mod declaration;
mod dedup;
mod find;
mod format;
mod history;
mod kind;
mod passages;
pub(crate) mod raw;
mod schema;
mod sources;
mod study;
mod trec;

pub(crate) use arrow::BatchBuilder;
pub use batches::Batches;
pub use cell::{Cell, ColumnKind, Items, ListedIds, LookUp, decimals};
pub use declaration::{
    ColumnDeclaration, Declaration, Declared, Formats, MoreColumns, StoredRow,
};
pub use dedup::{
    FileRow, Files, Removed, RemovedPassageRow, RemovedPassages, RemovedRow, StoredFile,
    StoredRemoved, StoredRemovedPassage,
};
pub use find::{
    BadRecordRow, BadRecords, ClusterRow, Clusters, CodeRow, Codes, DocumentRow,
    DocumentsOfPairs, DuplicateRow, Duplicates, FilterSettingRow, FilterSettings,
    PairRow, Pairs, ShortDocumentRow, ShortDocuments, StoredBadRecord, StoredCluster,
    StoredCode, StoredDocument, StoredDuplicate, StoredFilterSetting, StoredPair,
    StoredShortDocument,
};
pub use format::{FileFormat, OutputFormat};
pub use history::{
    ComparisonRow, Comparisons, RevisitRow, Revisits, StoredComparison, StoredRevisit,
};
pub use kind::ResultKind;
pub use passages::{
    BoilerplateRow, BoilerplateSentences, Copies, CopyRow, PassagePairRow, PassagePairs,
    PassageRow, Passages, StoredBoilerplate, StoredCopy, StoredPassage,
    StoredPassagePair,
};
pub use raw::{RawRow, Value};
pub use schema::{Column, Layout, Schema};
pub use sources::{
    MirrorRow, Mirrors, PairSourceRow, SourceRow, Sources, SourcesOfPairs, StoredMirror,
    StoredPairSource, StoredSource,
};
pub use study::{
    AdaptivePlanRow, AdaptivePlans, CommonalityLimitRow, CommonalityLimits,
    SamplingTrialRow, SamplingTrials, StoredAdaptivePlan, StoredCommonalityLimit,
    StoredSamplingTrial,
};
pub use trec::{
    CorrelationRow, Correlations, Dropped, DroppedRow, EffectRow, EffectTopicRow,
    EffectTopics, Effects, Inconsistent, InconsistentRow, Prevalence, PrevalenceRow,
    RelevantDocuments, RelevantRow, RemovedResultRow, RemovedResults, RunPairSourceRow,
    RunTopicRow, RunTopics, ShareRow, Shares, SourcesOfRuns, StoredCorrelation,
    StoredDropped, StoredEffect, StoredEffectTopic, StoredInconsistent, StoredPrevalence,
    StoredRelevant, StoredRemovedResult, StoredRunPairSource, StoredRunTopic,
    StoredShare, StoredTopic, TopicRow, Topics,
};

/// All tables, by the command whose results have them.
pub const TABLES: &[(&str, &[&Declaration])] = &[
    (
        "find",
        &[
            Pairs::DECLARATION,
            Clusters::DECLARATION,
            Duplicates::DECLARATION,
            DocumentsOfPairs::DECLARATION,
            Codes::DECLARATION,
            BadRecords::DECLARATION,
            ShortDocuments::DECLARATION,
            FilterSettings::DECLARATION,
        ],
    ),
    (
        "dedup",
        &[
            Files::DECLARATION,
            Removed::DECLARATION,
            RemovedPassages::DECLARATION,
        ],
    ),
    (
        "sources",
        &[
            Sources::DECLARATION,
            SourcesOfPairs::DECLARATION,
            Mirrors::DECLARATION,
        ],
    ),
    (
        "history",
        &[Comparisons::DECLARATION, Revisits::DECLARATION],
    ),
    (
        "passages",
        &[
            Passages::DECLARATION,
            PassagePairs::DECLARATION,
            Copies::DECLARATION,
            BoilerplateSentences::DECLARATION,
        ],
    ),
    (
        "trec",
        &[
            Prevalence::DECLARATION,
            Shares::DECLARATION,
            RunTopics::DECLARATION,
            Topics::DECLARATION,
            RelevantDocuments::DECLARATION,
            RemovedResults::DECLARATION,
            Dropped::DECLARATION,
            Inconsistent::DECLARATION,
            Effects::DECLARATION,
            Correlations::DECLARATION,
            EffectTopics::DECLARATION,
            SourcesOfRuns::DECLARATION,
        ],
    ),
    (
        "study",
        &[
            SamplingTrials::DECLARATION,
            CommonalityLimits::DECLARATION,
            AdaptivePlans::DECLARATION,
        ],
    ),
];

/// All tables.
pub fn tables() -> impl Iterator<Item = &'static Declaration> {
    TABLES.iter().flat_map(|(_, tables)| tables.iter().copied())
}
