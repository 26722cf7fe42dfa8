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

impl ResultKind {
    const ALL: [ResultKind; 6] = [
        ResultKind::Find,
        ResultKind::Dedup,
        ResultKind::History,
        ResultKind::Passages,
        ResultKind::Study,
        ResultKind::Trec,
    ];

    /// The name of the command.
    pub fn name(self) -> &'static str {
        match self {
            ResultKind::Find => "find",
            ResultKind::Dedup => "dedup",
            ResultKind::History => "history",
            ResultKind::Passages => "passages",
            ResultKind::Study => "study",
            ResultKind::Trec => "trec",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
