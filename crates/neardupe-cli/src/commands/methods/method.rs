//! What is told of a method.

/// What can be said of an answer before it is looked at, in the measure of the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// Every pair at or above the threshold, and none below.
    Exact,
    /// What is found was verified on all features; something may be missing.
    Verified,
    /// Some pairs may be missing, and others may be found that should not be.
    Estimated,
}

impl Promise {
    /// For a column of a table.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Promise::Exact => "finds all, and nothing else",
            Promise::Verified => "nothing wrong, may miss some",
            Promise::Estimated => "may miss some, may find others",
        }
    }

    /// As a value.
    pub(super) fn name(self) -> &'static str {
        match self {
            Promise::Exact => "exact",
            Promise::Verified => "verified",
            Promise::Estimated => "estimated",
        }
    }
}

/// What is certain of the figures, since they are taken against the resemblance of `words:5`:
/// what was measured must be 1 there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certain {
    /// The measure of the truth, exactly.
    Both,
    /// Found only what is in the truth.
    Precision,
    /// A measure that is never smaller than that of the truth.
    Recall,
    /// Another measure, or an estimate.
    Nothing,
}

impl Certain {
    pub(super) fn of_precision(self) -> bool {
        matches!(self, Certain::Both | Certain::Precision)
    }

    pub(super) fn of_recall(self) -> bool {
        matches!(self, Certain::Both | Certain::Recall)
    }
}

/// What a method changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
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

impl Group {
    /// All of them, in the order of the table.
    pub(super) const ALL: [Group; 5] = [
        Group::Similarity,
        Group::Features,
        Group::Signatures,
        Group::Samples,
        Group::Passages,
    ];

    /// As a heading.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Group::Similarity => "how similarity is measured",
            Group::Features => "what of a text is compared",
            Group::Signatures => "pairs are looked at only if signatures agree",
            Group::Samples => "only some of the features are compared",
            Group::Passages => {
                "copied passages (figures: pairs that these cover almost wholly)"
            }
        }
    }

    /// As a value.
    pub(super) fn name(self) -> &'static str {
        match self {
            Group::Similarity => "similarity",
            Group::Features => "features",
            Group::Signatures => "signatures",
            Group::Samples => "samples",
            Group::Passages => "passages",
        }
    }
}

/// One method.
#[derive(Debug)]
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) group: Group,
    /// What is typed after the command and its input; nothing for the default.
    pub(super) options: &'static str,
    /// `--threshold` can be typed as well; else it follows from the options.
    pub(super) takes_threshold: bool,
    /// In few words, at most 40 characters.
    pub(super) finds: &'static str,
    /// In more words: how.
    pub(super) how: &'static str,
    pub(super) promise: Promise,
    pub(super) guarantee: &'static str,
    pub(super) certain: Certain,
    pub(super) cost: &'static str,
    pub(super) use_when: &'static str,
    pub(super) papers: &'static [&'static str],
    /// Where more of it is told.
    pub(super) guide: &'static str,
}

impl Method {
    /// The command whose method it is.
    pub(super) fn command(&self) -> &'static str {
        match self.group {
            Group::Passages => "passages",
            _ => "find",
        }
    }
}
