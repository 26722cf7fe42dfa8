//! The similarities of two documents in numbers, as `compare` prints them.

use crate::diff::{Diff, DiffPage, StretchKind};
use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::FindConfig;
use neardupe_core::pipeline::compare::{Overlap, TermVectors};
use neardupe_core::similarity::Similarity;
use neardupe_io::fetch::Fetched;
use serde::{Deserialize, Serialize};

/// Kinds of features that are always compared, beside the one that was asked for: from single words,
/// which survive rearranging, to runs of eight, which hardly anything survives.
const KINDS: [FeatureKind; 6] = [
    FeatureKind::Words(1),
    FeatureKind::Words(3),
    FeatureKind::Words(5),
    FeatureKind::Words(8),
    FeatureKind::Chars(64),
    FeatureKind::Terms,
];

/// Two documents and all their similarities.
#[derive(Debug, Clone)]
pub struct CompareFacts {
    /// One document.
    pub left: Fetched,
    /// The other one.
    pub right: Fetched,
    /// The features that were asked for.
    pub kind: FeatureKind,
    /// How many the documents have and share.
    pub overlap: Overlap,
    /// The same by other features.
    pub by_kind: Vec<(FeatureKind, Overlap)>,
    /// How often each word occurs.
    pub vectors: TermVectors,
}

impl CompareFacts {
    /// Compares two documents by all kinds of features. They are two texts, so the cost does
    /// not matter.
    pub(super) fn new(left: Fetched, right: Fetched, config: &FindConfig) -> Self {
        // Texts are few, so each kind cuts them into words again.
        let overlap = |kind: FeatureKind| {
            let (left, right) = (&left.text, &right.text);
            Overlap::of_texts(left, right, kind, &config.words, config.seed)
        };
        CompareFacts {
            kind: config.features,
            overlap: overlap(config.features),
            by_kind: KINDS.map(|kind| (kind, overlap(kind))).to_vec(),
            vectors: TermVectors::new(&left.text, &right.text, &config.words),
            left,
            right,
        }
    }

    /// Whether the texts are equal.
    pub fn is_equal_text(&self) -> bool {
        self.left.text == self.right.text
    }

    /// Everything in numbers. `with_ops` adds where the texts differ: places say something about a
    /// text, so `no-text` leaves them out.
    pub(super) fn summary(&self, diff: &Diff<'_>, with_ops: bool) -> CompareSummary {
        let side = |document: &Fetched, words: u64| CompareSide {
            id: document.id.clone(),
            file: document.file.clone(),
            number: document.number,
            characters: document.text.chars().count(),
            words,
        };
        let by_kind = self.by_kind.iter();
        CompareSummary {
            left: side(&self.left, self.vectors.left_words),
            right: side(&self.right, self.vectors.right_words),
            equal_text: self.is_equal_text(),
            similarities: similarities(self.kind, &self.overlap),
            by_features: by_kind
                .map(|(kind, overlap)| similarities(*kind, overlap))
                .collect(),
            cosine: decimal(&format!("{:.6}", self.vectors.cosine)),
            differences: CompareDifferences {
                left_words: diff.left_words,
                right_words: diff.right_words,
                common_words: diff.common_words,
                complete: diff.complete,
                stretches: with_ops.then(|| stretches(diff)),
            },
        }
    }

    /// The page that shows both texts; `left` and `right` are the names that were typed.
    pub(super) fn page(&self, left: &str, right: &str) -> DiffPage {
        let fact = |name: &str, value: String| (name.to_owned(), value);
        let overlap = &self.overlap;
        DiffPage {
            title: format!("{left} and {right}"),
            left: left.to_owned(),
            right: right.to_owned(),
            facts: vec![
                fact("features", self.kind.to_string()),
                fact("resemblance", overlap.decimals(Similarity::Resemblance)),
                fact("S3 (Dice)", overlap.decimals(Similarity::S3)),
                fact("left in right", overlap.left_contained()),
                fact("right in left", overlap.right_contained()),
                fact(
                    "common",
                    format!(
                        "{} of {} and {}",
                        overlap.overlap, overlap.left_size, overlap.right_size
                    ),
                ),
                fact("cosine", format!("{:.6}", self.vectors.cosine)),
            ],
            // Set by `write_page`.
            context: 0,
        }
    }
}

/// Two documents in numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareSummary {
    /// One document.
    pub left: CompareSide,
    /// The other one.
    pub right: CompareSide,
    /// Whether the texts are equal.
    pub equal_text: bool,
    /// All similarities by the features that were asked for.
    pub similarities: FeatureSimilarities,
    /// All similarities by other features.
    pub by_features: Vec<FeatureSimilarities>,
    /// Cosine of how often each word occurs.
    pub cosine: Option<f64>,
    /// How the texts differ.
    pub differences: CompareDifferences,
}

/// A document that is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareSide {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: String,
    /// Its number in the file, from 1.
    pub number: u64,
    /// Its length.
    pub characters: usize,
    /// Its words.
    pub words: u64,
}

/// How two texts differ, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareDifferences {
    /// Words of the left text.
    pub left_words: usize,
    /// Words of the right text.
    pub right_words: usize,
    /// Words that both have, in the same order.
    pub common_words: usize,
    /// Both texts were compared to their ends.
    pub complete: bool,
    /// Where they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretches: Option<Vec<CompareStretch>>,
}

/// A stretch of both texts; offsets in code points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareStretch {
    /// equal, same-words, only-left or only-right.
    pub kind: String,
    /// Where it begins on the left.
    pub left_start: usize,
    /// Where it ends on the left.
    pub left_end: usize,
    /// Where it begins on the right.
    pub right_start: usize,
    /// Where it ends on the right.
    pub right_end: usize,
}

/// All similarities by one kind of feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureSimilarities {
    /// The kind.
    pub features: String,
    /// Features that both have.
    pub overlap: u32,
    /// Features of the left document.
    pub left_size: u32,
    /// Features of the right document.
    pub right_size: u32,
    /// Common features of all.
    pub resemblance: Option<f64>,
    /// S3: 2 x common features / (size of left + size of right).
    pub s3: Option<f64>,
    /// Share of the left document that the right one has.
    pub containment_of_left: Option<f64>,
    /// Share of the right document that the left one has.
    pub containment_of_right: Option<f64>,
}

/// A number with the decimals it was written with: rounded as text, so JSON shows the digits that are
/// printed. None where there is no number, such as a share of nothing.
pub(in crate::kind) fn decimal(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// All similarities by one kind of feature.
pub(in crate::kind) fn similarities(
    kind: FeatureKind,
    overlap: &Overlap,
) -> FeatureSimilarities {
    FeatureSimilarities {
        features: kind.to_string(),
        overlap: overlap.overlap,
        left_size: overlap.left_size,
        right_size: overlap.right_size,
        resemblance: decimal(&overlap.decimals(Similarity::Resemblance)),
        s3: decimal(&overlap.decimals(Similarity::S3)),
        containment_of_left: decimal(&overlap.left_contained()),
        containment_of_right: decimal(&overlap.right_contained()),
    }
}

/// The stretches of both texts, offsets in code points: what most other programs count text by.
fn stretches(diff: &Diff<'_>) -> Vec<CompareStretch> {
    let (mut left, mut right) = (0, 0);
    let stretches = diff.ops.iter().map(|op| {
        let (left_start, right_start) = (left, right);
        left += diff.left_of(op).chars().count();
        right += diff.right_of(op).chars().count();
        let kind = match op.kind {
            StretchKind::Equal => "equal",
            StretchKind::SameWords => "same-words",
            StretchKind::OnlyLeft => "only-left",
            StretchKind::OnlyRight => "only-right",
        };
        CompareStretch {
            kind: kind.to_owned(),
            left_start,
            left_end: left,
            right_start,
            right_end: right,
        }
    });
    stretches.collect()
}
