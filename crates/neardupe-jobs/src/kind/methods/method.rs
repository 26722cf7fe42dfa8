//! What is known of a method.

pub use neardupe_core::pipeline::MethodPromise;

/// What is certain of the figures, since they are taken against the resemblance of `words:5`:
/// what was measured must be 1 there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodCertainty {
    /// The measure of the truth, exactly.
    Both,
    /// Found only what is in the truth.
    Precision,
    /// A measure that is never smaller than that of the truth.
    Recall,
    /// Another measure, or an estimate.
    Nothing,
}

impl MethodCertainty {
    /// All that is found is right.
    pub fn of_precision(self) -> bool {
        matches!(self, MethodCertainty::Both | MethodCertainty::Precision)
    }

    /// All that is right is found.
    pub fn of_recall(self) -> bool {
        matches!(self, MethodCertainty::Both | MethodCertainty::Recall)
    }
}

/// What a method changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodGroup {
    /// How similarity is measured.
    Similarity,
    /// What of a text is compared.
    Features,
    /// Which pairs are looked at.
    Signatures,
    /// Which of the features are looked at.
    Samples,
    /// What parts of documents have in common: another command than `find`.
    Passages,
}

impl MethodGroup {
    /// All of them, in the order of the table.
    pub const ALL: [MethodGroup; 5] = [
        MethodGroup::Similarity,
        MethodGroup::Features,
        MethodGroup::Signatures,
        MethodGroup::Samples,
        MethodGroup::Passages,
    ];

    /// As a heading.
    pub fn in_words(self) -> &'static str {
        match self {
            MethodGroup::Similarity => "how similarity is measured",
            MethodGroup::Features => "what of a text is compared",
            MethodGroup::Signatures => "pairs are looked at only if signatures agree",
            MethodGroup::Samples => "only some of the features are compared",
            MethodGroup::Passages => {
                "copied passages (figures: pairs where these cover nearly all of both documents)"
            }
        }
    }

    /// As a value.
    pub fn name(self) -> &'static str {
        match self {
            MethodGroup::Similarity => "similarity",
            MethodGroup::Features => "features",
            MethodGroup::Signatures => "signatures",
            MethodGroup::Samples => "samples",
            MethodGroup::Passages => "passages",
        }
    }
}

/// One method.
#[derive(Debug)]
pub struct CatalogueMethod {
    /// Its name.
    pub name: &'static str,
    /// What it changes.
    pub group: MethodGroup,
    /// What is typed after the command and its input; nothing for the default.
    pub options: &'static str,
    /// A threshold can be given as well; else it follows from the options.
    pub takes_threshold: bool,
    /// In few words, at most 40 characters.
    pub finds: &'static str,
    /// In more words: how.
    pub how: &'static str,
    /// What can be said of an answer.
    pub promise: MethodPromise,
    /// The same in full.
    pub guarantee: &'static str,
    /// What is certain of the figures.
    pub certain: MethodCertainty,
    /// What it costs.
    pub cost: &'static str,
    /// When to take it.
    pub use_when: &'static str,
    /// Where it was published.
    pub papers: &'static [&'static str],
    /// Where more of it can be read.
    pub guide: &'static str,
}

impl CatalogueMethod {
    /// The command whose method it is.
    pub fn command(&self) -> &'static str {
        match self.group {
            MethodGroup::Passages => "passages",
            _ => "find",
        }
    }
}
