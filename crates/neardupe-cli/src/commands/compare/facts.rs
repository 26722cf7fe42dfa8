//! What is told of two documents.

use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::FindConfig;
use neardupe_core::pipeline::compare::{Overlap, TermVectors};
use neardupe_core::similarity::Similarity;
use neardupe_io::fetch::Fetched;
use neardupe_jobs::diff::{Diff, Kind, Page};
use serde_json::{Value, json};

/// Kinds of features that are always told, beside the one that was asked for.
const KINDS: [FeatureKind; 6] = [
    FeatureKind::Words(1),
    FeatureKind::Words(3),
    FeatureKind::Words(5),
    FeatureKind::Words(8),
    FeatureKind::Chars(64),
    FeatureKind::Terms,
];

/// Two documents and all their similarities.
pub(super) struct Facts<'a> {
    pub(super) left: &'a Fetched,
    pub(super) right: &'a Fetched,
    /// The features that were asked for.
    pub(super) kind: FeatureKind,
    pub(super) overlap: Overlap,
    pub(super) by_kind: Vec<(FeatureKind, Overlap)>,
    pub(super) vectors: TermVectors,
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        left: &'a Fetched,
        right: &'a Fetched,
        config: &FindConfig,
    ) -> Self {
        let overlap = |kind: FeatureKind| {
            let (left, right) = (&left.text, &right.text);
            Overlap::of_texts(left, right, kind, &config.words, config.seed)
        };
        Facts {
            left,
            right,
            kind: config.features,
            overlap: overlap(config.features),
            by_kind: KINDS.map(|kind| (kind, overlap(kind))).to_vec(),
            vectors: TermVectors::new(&left.text, &right.text, &config.words),
        }
    }

    pub(super) fn is_equal_text(&self) -> bool {
        self.left.text == self.right.text
    }

    pub(super) fn json(&self, diff: &Diff<'_>, with_ops: bool) -> Value {
        let side = |document: &Fetched, words: u64| {
            json!({
                "id": document.id,
                "file": document.file,
                "number": document.number,
                "characters": document.text.chars().count(),
                "words": words,
            })
        };
        let by_kind = self.by_kind.iter();
        let by_kind: Vec<Value> = by_kind
            .map(|(kind, overlap)| similarities(*kind, overlap))
            .collect();
        let mut differences = json!({
            "left_words": diff.left_words,
            "right_words": diff.right_words,
            "common_words": diff.common_words,
            "complete": diff.complete,
        });
        if with_ops {
            differences["stretches"] = stretches(diff);
        }
        json!({
            "left": side(self.left, self.vectors.left_words),
            "right": side(self.right, self.vectors.right_words),
            "equal_text": self.is_equal_text(),
            "similarities": similarities(self.kind, &self.overlap),
            "by_features": by_kind,
            "cosine": decimal(&format!("{:.6}", self.vectors.cosine)),
            "differences": differences,
        })
    }

    pub(super) fn page(&self, left: &str, right: &str) -> Page {
        let fact = |name: &str, value: String| (name.to_owned(), value);
        let overlap = &self.overlap;
        Page {
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
            context: 0,
        }
    }
}

/// A number with the decimals it was written with.
pub(crate) fn decimal(text: &str) -> Value {
    text.parse::<f64>().map_or(Value::Null, Value::from)
}

/// All similarities by one kind of feature.
pub(crate) fn similarities(kind: FeatureKind, overlap: &Overlap) -> Value {
    json!({
        "features": kind.to_string(),
        "overlap": overlap.overlap,
        "left_size": overlap.left_size,
        "right_size": overlap.right_size,
        "resemblance": decimal(&overlap.decimals(Similarity::Resemblance)),
        "s3": decimal(&overlap.decimals(Similarity::S3)),
        "containment_of_left": decimal(&overlap.left_contained()),
        "containment_of_right": decimal(&overlap.right_contained()),
    })
}

/// The stretches of both texts, offsets in code points.
fn stretches(diff: &Diff<'_>) -> Value {
    let (mut left, mut right) = (0, 0);
    let stretches = diff.ops.iter().map(|op| {
        let (left_start, right_start) = (left, right);
        left += diff.left_of(op).chars().count();
        right += diff.right_of(op).chars().count();
        json!({
            "kind": match op.kind {
                Kind::Equal => "equal",
                Kind::SameWords => "same-words",
                Kind::OnlyLeft => "only-left",
                Kind::OnlyRight => "only-right",
            },
            "left_start": left_start,
            "left_end": left,
            "right_start": right_start,
            "right_end": right,
        })
    });
    Value::Array(stretches.collect())
}
