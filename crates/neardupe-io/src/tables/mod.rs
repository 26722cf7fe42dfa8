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

pub(crate) use arrow::BatchBuilder;
pub use batches::Batches;
pub use cell::{Cell, ColumnKind};
pub use declaration::{ColumnDeclaration, Declaration, Declared, Formats, StoredRow};
pub use dedup::{
    FileRow, Files, Removed, RemovedPassageRow, RemovedPassages, RemovedRow, StoredFile,
    StoredRemoved, StoredRemovedPassage,
};
pub use find::{
    BadRecordRow, BadRecords, ClusterRow, Clusters, CodeRow, Codes, DocumentRow,
    DocumentsOfPairs, DuplicateRow, Duplicates, PairRow, Pairs, ShortDocumentRow,
    ShortDocuments, StoredBadRecord, StoredCluster, StoredCode, StoredDocument,
    StoredDuplicate, StoredPair, StoredShortDocument,
};
pub use format::OutputFormat;
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
];

/// All tables.
pub fn tables() -> impl Iterator<Item = &'static Declaration> {
    TABLES.iter().flat_map(|(_, tables)| tables.iter().copied())
}
