//! Two documents: their features, how rare they are, and what each step of the join decides about them.
//!
//! The rarity of a feature depends on the whole collection, so all documents are read again to count
//! the features of these two. Methods and rules of sampling for which one document does not decide its
//! features are refused.

use super::ExplainJob;
use crate::diff::{Diff, DiffLimits, DiffPage, clean};
use crate::exec::Exec;
use crate::kind::compare::{FeatureSimilarities, decimal, similarities};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::{FeatureKind, labelled};
use neardupe_core::hash::FixedMap;
use neardupe_core::pipeline::explain::{
    Common, JoinSteps, Ordered, Verdict, count_features,
};
use neardupe_core::similarity::Similarity;
use neardupe_core::threshold::Threshold;
use neardupe_io::result::{ResultReader, ResultTable, StoredPair};
use serde::{Deserialize, Serialize};

/// Features that are listed in a summary.
const LISTED: usize = 1000;

/// Two documents in the join.
#[derive(Debug, Clone)]
pub struct ExplainedPair {
    /// Their ids.
    pub ids: [String; 2],
    /// What each step of the join makes of them.
    pub steps: JoinSteps,
    /// The words of each feature of either document.
    labels: FixedMap<u64, String>,
    /// How similarity is measured.
    pub similarity: Similarity,
    /// The smallest that counts.
    pub threshold: Threshold,
    /// Which features are compared.
    pub kind: FeatureKind,
    /// Documents among which they are.
    pub num_documents: u64,
    /// Their texts are equal.
    pub is_equal_text: bool,
    /// No text of documents is shown.
    pub no_text: bool,
    /// The result has another overlap of the two.
    pub has_changed: bool,
}

/// Two documents in the join.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainPairSummary {
    /// How similarity is measured.
    pub similarity: String,
    /// The smallest that counts.
    pub threshold: Option<f64>,
    /// Documents among which they are.
    pub documents: u64,
    /// One document.
    pub left: ExplainSide,
    /// The other one.
    pub right: ExplainSide,
    /// What their sizes say.
    pub length: ExplainLength,
    /// What their rarest features say.
    pub prefix: ExplainPrefix,
    /// What the places of common features say.
    pub position: ExplainPosition,
    /// What their bitmaps say.
    pub bitmap: ExplainBitmap,
    /// What all features say.
    pub verification: ExplainVerification,
    /// All similarities.
    pub similarities: FeatureSimilarities,
    /// Their texts are equal.
    pub equal_text: bool,
    /// Which step decides.
    pub verdict: String,
    /// Why, in words.
    pub reason: String,
}

/// A document in the order of the join.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainSide {
    /// Its id.
    pub id: String,
    /// How many features it has.
    pub size: u32,
    /// Features that no other set has.
    pub single: u32,
    /// Features that are looked up.
    pub prefix_length: u32,
    /// Its first features.
    pub rarest_features: Vec<ExplainFeature>,
}

/// A feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainFeature {
    /// Its words, or its hash where no text is shown.
    pub feature: String,
    /// Sets that have it.
    pub sets: u32,
}

/// Sizes that a similar document can have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainLength {
    /// The smallest.
    pub min_size: u32,
    /// The largest.
    pub max_size: Option<u32>,
    /// The other document has such a size.
    pub passed: bool,
}

/// Features that both prefixes have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainPrefix {
    /// How many.
    pub num_common: usize,
    /// The first of them.
    pub common: Vec<ExplainCommon>,
    /// There is one.
    pub passed: bool,
}

/// A feature that both prefixes have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainCommon {
    /// Its words, or its hash where no text is shown.
    pub feature: String,
    /// Sets that have it.
    pub sets: u32,
    /// Its place in the left document, from 1.
    pub left_position: u32,
    /// Its place in the right document, from 1.
    pub right_position: u32,
}

/// What can be common from the first common feature on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainPosition {
    /// How many.
    pub possible: Option<u32>,
    /// How many are needed.
    pub needed: u32,
    /// Whether that suffices.
    pub passed: bool,
}

/// What can be common by the bitmaps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainBitmap {
    /// Features of the left document that other sets have.
    pub left_shared: u32,
    /// Features of the right document that other sets have.
    pub right_shared: u32,
    /// Bits in which the bitmaps differ.
    pub differing_bits: u32,
    /// Bits in which the sketches differ.
    pub differing_bits_of_sketches: u32,
    /// How many can be common.
    pub possible: u32,
    /// How many are needed.
    pub needed: u32,
}

/// What is common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainVerification {
    /// Common features.
    pub overlap: u32,
    /// How many are needed.
    pub needed: u32,
    /// Of the similarity.
    pub numerator: u64,
    /// Of the similarity.
    pub denominator: u64,
    /// The similarity.
    pub value: Option<f64>,
}

impl ExplainedPair {
    /// The words of a feature; its hash where no text may be shown.
    pub fn label(&self, feature: u64) -> String {
        if self.no_text {
            return format!("{feature:016x}");
        }
        self.labels
            .get(&feature)
            .map_or_else(String::new, |label| clean(label))
    }

    /// The decision as a sentence.
    pub fn reason(&self) -> String {
        verdict(self)
    }

    /// The steps in numbers.
    pub(super) fn summary(&self) -> ExplainPairSummary {
        let steps = &self.steps;
        // The rarest first, which is the order in which the join sees them.
        let side = |id: &str, side: &Ordered| {
            let features = side.features.iter().zip(&side.counts).take(LISTED);
            let features = features.map(|(&feature, &count)| ExplainFeature {
                feature: self.label(feature),
                sets: count,
            });
            ExplainSide {
                id: id.to_owned(),
                size: side.size(),
                single: side.num_single,
                prefix_length: side.prefix_len,
                rarest_features: features.collect(),
            }
        };
        let common = |common: &Common| ExplainCommon {
            feature: self.label(common.feature),
            sets: common.count,
            // From 1, for people.
            left_position: common.left_position + 1,
            right_position: common.right_position + 1,
        };
        let ratio = steps.overlap.ratio(self.similarity);
        ExplainPairSummary {
            similarity: self.similarity.to_string(),
            threshold: decimal(&self.threshold.to_string()),
            documents: self.num_documents,
            left: side(&self.ids[0], &steps.left),
            right: side(&self.ids[1], &steps.right),
            length: ExplainLength {
                min_size: *steps.sizes.start(),
                // The core has no largest size as u32::MAX: a contained document may be in one of any length.
                max_size: Some(*steps.sizes.end()).filter(|&most| most < u32::MAX),
                passed: steps.sizes.contains(&steps.right.size()),
            },
            prefix: ExplainPrefix {
                num_common: steps.common.len(),
                common: steps.common.iter().take(LISTED).map(common).collect(),
                passed: !steps.common.is_empty(),
            },
            position: ExplainPosition {
                possible: steps.possible,
                needed: steps.needed,
                passed: steps
                    .possible
                    .is_some_and(|possible| possible >= steps.needed),
            },
            bitmap: ExplainBitmap {
                left_shared: steps.bitmap.left_shared,
                right_shared: steps.bitmap.right_shared,
                differing_bits: steps.bitmap.bitmap.0,
                differing_bits_of_sketches: steps.bitmap.sketch.0,
                possible: steps.bitmap.bitmap.1.min(steps.bitmap.sketch.1),
                needed: steps.needed,
            },
            verification: ExplainVerification {
                overlap: steps.overlap.overlap,
                needed: steps.needed,
                numerator: ratio.part,
                denominator: ratio.whole,
                value: decimal(&ratio.to_string()),
            },
            similarities: similarities(self.kind, &steps.overlap),
            equal_text: self.is_equal_text,
            verdict: steps.verdict.name().to_owned(),
            reason: self.reason(),
        }
    }
}

/// The decision as a sentence: pair or no pair, and the step that decided.
fn verdict(explained: &ExplainedPair) -> String {
    let steps = &explained.steps;
    let value = steps.overlap.decimals(explained.similarity);
    let (name, threshold) = (explained.similarity, explained.threshold);
    match steps.verdict {
        Verdict::Empty => {
            "not a pair: a document without a word is never a duplicate".to_owned()
        }
        Verdict::Equal if explained.is_equal_text => {
            "a pair: the texts are equal, which is noticed while they are read".to_owned()
        }
        Verdict::Equal => {
            "a pair: the feature sets are equal, which is noticed while they are read"
                .to_owned()
        }
        Verdict::Similar => format!("a pair: {name} {value} >= {threshold}"),
        Verdict::Length => format!(
            "not a pair: sizes too different, dropped by the length filter \
             ({name} {value} < {threshold})"
        ),
        Verdict::Prefix => format!(
            "not a pair: no rare feature in common, never a candidate \
             ({name} {value} < {threshold})"
        ),
        Verdict::Position => format!(
            "not a pair: too few can be common, dropped by the position filter \
             ({name} {value} < {threshold})"
        ),
        Verdict::Bitmap => format!(
            "not a pair: bitmaps differ too much, dropped by the bitmap filter \
             ({name} {value} < {threshold})"
        ),
        Verdict::TooFew => {
            format!("not a pair: verified, and {name} {value} < {threshold}")
        }
    }
}

/// Explains what the join makes of two documents.
pub(super) fn explain(
    job: &ExplainJob,
    ids: &[String; 2],
    exec: &Exec<'_>,
) -> Result<(ExplainedPair, Vec<String>)> {
    let (result, stages) = (&job.result, exec.progress);
    let similarity: Similarity = result.summary().similarity()?;
    let threshold = result.summary().threshold()?;
    let method = result.summary().options.get("method");
    if let Some(method) = method
        .and_then(|it| it.as_str())
        .filter(|it| *it != "exact")
    {
        let message = format!(
            "the steps of the join are shown for exact jobs only; with `method {method}` the \
             signatures decide which pairs are compared. explain RESULT ID shows the \
             evidence, compare A B every similarity"
        );
        return Err(Error::config("pair", message));
    }
    let originals = job.originals()?;
    originals.check_features()?;
    // First the row: it says on which side each document is.
    let row = find_row(result, ids)?;
    let (left, right) = originals.two(ids, row.as_ref(), stages)?;
    let warnings = originals.warnings();
    let config = &originals.job.config;
    let kind = config.features;
    if config.sampling.commonality.is_some() {
        let message = "the steps of the join cannot be shown for `sample commonality`, which \
                       depends on all documents; explain RESULT ID shows the evidence";
        return Err(Error::config("pair", message));
    }
    if !config.sampling.is_by_hash() {
        let message = format!(
            "the steps of the join cannot be shown for `sample {}`, which does not \
             choose features by their value alone; explain RESULT ID shows the evidence",
            config.sampling
        );
        return Err(Error::config("pair", message));
    }
    // Documents of different blocks have no feature in common for the job, whatever their texts share.
    if let Some(field) = config.block_field()
        && left.metadata.get(field) != right.metadata.get(field)
    {
        let message = format!(
            "{:?} and {:?} were not compared: they differ in {}, and the job was done with \
             `block-by {2}`",
            ids[0], ids[1], config.metadata[field]
        );
        return Err(Error::input(result.folder().display().to_string(), message));
    }
    // The features that the job has compared, those that sampling drops left out.
    let labelled = |text: &str| {
        let mut features = labelled(text, kind, &config.words, config.seed);
        features.retain(|&(feature, _)| config.sampling.keeps(feature));
        features
    };
    let (one, other) = (labelled(&left.text), labelled(&right.text));
    let values = |side: &[(u64, String)]| {
        side.iter().map(|(value, _)| *value).collect::<Vec<u64>>()
    };
    let (left_set, right_set) = (values(&one), values(&other));
    // Reads all documents: the cost of this command.
    let counts = count_features(
        &originals.all()?,
        left_set.iter().chain(&right_set).copied(),
        kind,
        &config.words,
        config.seed,
        config.threads,
        stages,
    )?;
    let is_equal_text = left.text == right.text;
    let bounds = config.bounds();
    let steps = JoinSteps::new(&left_set, &right_set, &counts, bounds, is_equal_text);
    let mut labels: FixedMap<u64, String> = FixedMap::default();
    labels.extend(one.into_iter().chain(other));
    let diff = Diff::new(&left.text, &right.text, &DiffLimits::default());
    let page = DiffPage {
        title: format!("{} and {}", ids[0], ids[1]),
        left: ids[0].clone(),
        right: ids[1].clone(),
        facts: vec![
            (similarity.to_string(), steps.overlap.decimals(similarity)),
            ("threshold".to_owned(), threshold.to_string()),
            ("verdict".to_owned(), steps.verdict.name().to_owned()),
        ],
        context: 0,
    };
    job.shown.write_page(&diff, page)?;
    // The pair of the result was verified, so another overlap means other texts.
    let has_changed = row.is_some_and(|row| row.overlap != steps.overlap.overlap);
    let explained = ExplainedPair {
        ids: ids.clone(),
        steps,
        labels,
        similarity,
        threshold,
        kind,
        num_documents: counts.num_documents,
        is_equal_text,
        no_text: job.shown.no_text,
        has_changed,
    };
    Ok((explained, warnings))
}

/// The pair as the result has it, turned to the order in which the ids were named; None if the result
/// has no such pair, or no table of pairs.
fn find_row(result: &ResultReader, ids: &[String; 2]) -> Result<Option<StoredPair>> {
    if result.file(ResultTable::Pairs).is_none() {
        return Ok(None);
    }
    for row in result.pairs()? {
        let mut row = row?;
        if row.left == ids[1] && row.right == ids[0] {
            std::mem::swap(&mut row.left, &mut row.right);
            std::mem::swap(&mut row.left_source, &mut row.right_source);
        }
        if row.left == ids[0] && row.right == ids[1] {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
