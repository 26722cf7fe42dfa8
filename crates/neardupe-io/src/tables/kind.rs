//! The kinds of results.

/// What a folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultKind {
    /// What was found.
    Find,
    /// A collection without its duplicates, and what was found in a folder within.
    Dedup,
    /// What became of documents from version to version.
    History,
    /// Passages that documents have in common.
    Passages,
    /// What was measured on a collection.
    Study,
    /// What was measured on runs and qrels, or made of them.
    Trec,
}
