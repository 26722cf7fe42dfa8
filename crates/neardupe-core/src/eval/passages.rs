//! Passages that were found against passages that are known: the measures of Potthast, Stein,
//! Barrón-Cedeño and Rosso, *An Evaluation Framework for Plagiarism Detection* (COLING 2010),
//! section 2, which the PAN competitions use.
//!
//! A passage is the set of its characters in both documents. What was found *detects* a true
//! passage when it lies in the same two documents and overlaps it on both sides; only then do
//! their common characters count. Which document of the two is the source does not matter
//! here.
//!
//! Passages are sorted by their two documents and swept within these: the cost is that of
//! sorting and of the passages that overlap on the first side.

use super::cover::{self, Stretch};
use serde::{Deserialize, Serialize};

/// One side of a passage: characters `start..end` of a document, which the caller numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocatedSide {
    /// The document.
    pub document: u32,
    /// The first character.
    pub start: u32,
    /// The character after the last one.
    pub end: u32,
}

impl LocatedSide {
    fn common(self, other: Self) -> Option<Stretch<u32>> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        let meets = self.document == other.document && start < end;
        meets.then_some(Stretch {
            key: self.document,
            start,
            end,
        })
    }
}

/// A passage: the same stretch of text in two documents, or twice in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocatedPassage {
    sides: [LocatedSide; 2],
}

impl LocatedPassage {
    /// The passage of two sides, whichever comes first.
    pub fn new(one: LocatedSide, other: LocatedSide) -> Self {
        LocatedPassage {
            sides: [one.min(other), one.max(other)],
        }
    }

    /// Both sides, that of the smaller number first.
    pub fn sides(&self) -> [LocatedSide; 2] {
        self.sides
    }

    /// Both documents, the smaller number first.
    pub fn documents(&self) -> (u32, u32) {
        (self.sides[0].document, self.sides[1].document)
    }

    /// Whether nothing can overlap it on both sides.
    pub fn has_empty_side(&self) -> bool {
        self.sides.iter().any(|side| side.start >= side.end)
    }

    fn num_characters(&self) -> u64 {
        let [one, other] = self.sides;
        let lengths = u64::from(one.end - one.start) + u64::from(other.end - other.start);
        // In one document the sides may overlap.
        let twice = one.common(other);
        lengths - twice.map_or(0, |both| u64::from(both.end - both.start))
    }

    fn detects(&self, other: &LocatedPassage) -> bool {
        let ([a, b], [c, d]) = (self.sides, other.sides);
        // In two documents the sides of both come in the same order. In one document they may be
        // exchanged, so both ways are tried.
        let straight = a.common(c).is_some() && b.common(d).is_some();
        straight || (a.common(d).is_some() && b.common(c).is_some())
    }

    /// What two passages have in common.
    fn common(&self, other: &LocatedPassage, out: &mut Vec<Stretch<u32>>) {
        for side in self.sides {
            out.extend(other.sides.iter().filter_map(|&two| side.common(two)));
        }
    }
}

/// A passage that is known to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TruePassage {
    /// Where it is.
    pub passage: LocatedPassage,
    /// What was done to it, as the caller numbers that from 0.
    pub kind: u32,
}

/// Characters that count, each once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CharacterCounts {
    /// In true passages.
    pub truth: u64,
    /// In passages that were found.
    pub found: u64,
    /// In true passages, where something detects them.
    pub both: u64,
}

/// Precision and recall, and what they are put together to; none where nothing is divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PassageScores {
    /// How much of what was found is right.
    pub precision: Option<f64>,
    /// How much of what is true was found.
    pub recall: Option<f64>,
    /// Harmonic mean of both.
    pub f1: Option<f64>,
    /// F1 by the logarithm (of base 2) of 1 + granularity.
    pub plagdet: Option<f64>,
}

/// True passages of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct KindMeasures {
    /// How many there are.
    pub passages: u64,
    /// How many of them something detects.
    pub detected: u64,
    /// Their characters.
    pub characters: u64,
    /// Their characters where something detects them.
    pub found: u64,
    /// Share of the characters.
    pub recall: Option<f64>,
    /// Mean of the shares of each passage.
    pub macro_recall: Option<f64>,
}

/// All measures of passages that were found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PassageMeasures {
    /// True passages.
    pub truth: u64,
    /// Passages that were found.
    pub found: u64,
    /// True passages that something detects.
    pub detected: u64,
    /// Passages found that detect a true one.
    pub right: u64,
    /// How many times one of these detects one of those.
    pub detections: u64,
    /// Characters.
    pub characters: CharacterCounts,
    /// By how many passages one that is detected is found, in the mean.
    pub granularity: Option<f64>,
    /// Every character of the collection weighs the same.
    pub micro: PassageScores,
    /// Every passage weighs the same.
    #[serde(rename = "macro")]
    pub by_passage: PassageScores,
    /// By the number of the kind.
    #[serde(skip)]
    pub kinds: Vec<KindMeasures>,
}

/// Measures what was found. What is listed twice counts once, what has an empty side does not
/// count.
pub fn measure(
    mut truth: Vec<TruePassage>,
    mut found: Vec<LocatedPassage>,
) -> PassageMeasures {
    truth.retain(|one| !one.passage.has_empty_side());
    found.retain(|one| !one.has_empty_side());
    // By documents first: both lists are then walked together, pair of documents by pair.
    truth.sort_unstable_by_key(|one| (one.passage.documents(), *one));
    truth.dedup_by_key(|one| one.passage);
    found.sort_unstable_by_key(|one| (one.documents(), *one));
    found.dedup();
    let num_kinds = truth.iter().map(|one| one.kind as usize + 1).max();
    let mut tally = PassageTally {
        kinds: vec![KindTally::default(); num_kinds.unwrap_or(0)],
        ..PassageTally::default()
    };
    let mut rest = &found[..];
    let pair = |left: &TruePassage, right: &TruePassage| {
        left.passage.documents() == right.passage.documents()
    };
    for truth in truth.chunk_by(pair) {
        let documents = truth[0].passage.documents();
        // Passages found in pairs of documents without a true one are passed over here; `finish`
        // counts them as wrong.
        let from = rest.partition_point(|one| one.documents() < documents);
        rest = &rest[from..];
        let to = rest.partition_point(|one| one.documents() == documents);
        tally.pair_of_documents(truth, &rest[..to]);
        rest = &rest[to..];
    }
    tally.finish(&truth, &found)
}

#[derive(Debug, Clone, Default)]
/// The measures of a kind, and the share of each of its passages that is found.
struct KindTally {
    measures: KindMeasures,
    shares: Vec<f64>,
}

/// A sum that does not depend on how documents are numbered.
fn sum(mut shares: Vec<f64>) -> f64 {
    shares.sort_unstable_by(f64::total_cmp);
    // Not `sum`, which is -0 when there is nothing to add.
    shares.into_iter().fold(0.0, |sum, share| sum + share)
}

#[derive(Debug, Default)]
/// Sums over pairs of documents, and buffers.
struct PassageTally {
    kinds: Vec<KindTally>,
    /// What is both true and found, by kind and document.
    both: Vec<Stretch<(u32, u32)>>,
    /// How many times a passage detects another.
    detections: u64,
    right: u64,
    /// Shares of passages found that are true.
    shares: Vec<f64>,
    // Used again and again.
    matches: Vec<(u32, u32)>,
    stretches: Vec<Stretch<u32>>,
}

impl PassageTally {
    /// Counts what is known of, and was found in, the same two documents.
    fn pair_of_documents(&mut self, truth: &[TruePassage], found: &[LocatedPassage]) {
        let mut matches = std::mem::take(&mut self.matches);
        sweep(truth, found, &mut matches);
        self.detections += matches.len() as u64;
        for same in matches.chunk_by(|left, right| left.0 == right.0) {
            let one = &truth[same[0].0 as usize];
            let others = same.iter().map(|&(_, at)| &found[at as usize]);
            // Leaves in `stretches` what of the passage is found, each character once.
            let share = self.share(&one.passage, others);
            let kind = &mut self.kinds[one.kind as usize];
            kind.measures.detected += 1;
            kind.shares.push(share);
            let stretches = self.stretches.iter();
            self.both.extend(stretches.map(|stretch| Stretch {
                key: (one.kind, stretch.key),
                start: stretch.start,
                end: stretch.end,
            }));
        }
        // The same matches from the other side: how much of each passage found is true.
        matches.sort_unstable_by_key(|&(truth, found)| (found, truth));
        for same in matches.chunk_by(|left, right| left.1 == right.1) {
            let others = same.iter().map(|&(at, _)| &truth[at as usize].passage);
            self.right += 1;
            let share = self.share(&found[same[0].1 as usize], others);
            self.shares.push(share);
        }
        matches.clear();
        self.matches = matches;
    }

    /// How much of a passage others cover that it detects or that detect it; `stretches`
    /// holds what.
    #[expect(clippy::cast_precision_loss, reason = "a measure")]
    fn share<'a>(
        &mut self,
        one: &LocatedPassage,
        others: impl Iterator<Item = &'a LocatedPassage>,
    ) -> f64 {
        self.stretches.clear();
        for other in others {
            one.common(other, &mut self.stretches);
        }
        cover::join(&mut self.stretches);
        cover::covered(&self.stretches) as f64 / one.num_characters() as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "measures")]
    fn finish(
        mut self,
        truth: &[TruePassage],
        found: &[LocatedPassage],
    ) -> PassageMeasures {
        let mut in_truth: Vec<Stretch<(u32, u32)>> = Vec::with_capacity(2 * truth.len());
        for one in truth {
            self.kinds[one.kind as usize].measures.passages += 1;
            in_truth.extend(one.passage.sides.map(|side| Stretch {
                key: (one.kind, side.document),
                start: side.start,
                end: side.end,
            }));
        }
        cover::join(&mut in_truth);
        cover::join(&mut self.both);
        let by_kind = |stretches: &[Stretch<(u32, u32)>], kind: usize| {
            let from = stretches.partition_point(|one| (one.key.0 as usize) < kind);
            let to = stretches.partition_point(|one| one.key.0 as usize <= kind);
            cover::covered(&stretches[from..to])
        };
        let mut detected = 0;
        let mut true_shares = Vec::new();
        let mut kinds = Vec::with_capacity(self.kinds.len());
        for (number, kind) in self.kinds.into_iter().enumerate() {
            let mut measures = kind.measures;
            measures.characters = by_kind(&in_truth, number);
            measures.found = by_kind(&self.both, number);
            measures.recall = ratio(measures.found as f64, measures.characters as f64);
            measures.macro_recall =
                ratio(sum(kind.shares.clone()), measures.passages as f64);
            detected += measures.detected;
            true_shares.extend(kind.shares);
            kinds.push(measures);
        }
        let mut in_found: Vec<Stretch<u32>> = Vec::with_capacity(2 * found.len());
        for one in found {
            in_found.extend(one.sides.map(|side| Stretch {
                key: side.document,
                start: side.start,
                end: side.end,
            }));
        }
        let characters = CharacterCounts {
            truth: covered_in_documents(in_truth),
            found: {
                cover::join(&mut in_found);
                cover::covered(&in_found)
            },
            both: covered_in_documents(self.both),
        };
        let granularity = ratio(self.detections as f64, detected as f64);
        PassageMeasures {
            truth: truth.len() as u64,
            found: found.len() as u64,
            detected,
            right: self.right,
            detections: self.detections,
            characters,
            granularity,
            micro: PassageScores::new(
                ratio(characters.both as f64, characters.found as f64),
                ratio(characters.both as f64, characters.truth as f64),
                granularity,
            ),
            by_passage: PassageScores::new(
                ratio(sum(self.shares), found.len() as f64),
                ratio(sum(true_shares), truth.len() as f64),
                granularity,
            ),
            kinds,
        }
    }
}

/// Characters of all kinds together: one that two kinds have counts once.
fn covered_in_documents(stretches: Vec<Stretch<(u32, u32)>>) -> u64 {
    let stretches = stretches.into_iter();
    let mut stretches: Vec<Stretch<u32>> = stretches
        .map(|one| Stretch {
            key: one.key.1,
            start: one.start,
            end: one.end,
        })
        .collect();
    cover::join(&mut stretches);
    cover::covered(&stretches)
}

impl PassageScores {
    fn new(
        precision: Option<f64>,
        recall: Option<f64>,
        granularity: Option<f64>,
    ) -> Self {
        let f1 = match (precision, recall) {
            (None, None) => None,
            (Some(precision), Some(recall)) if precision + recall > 0.0 => {
                Some(2.0 * precision * recall / (precision + recall))
            }
            // Nothing is right, whether nothing was found or nothing is true.
            _ => Some(0.0),
        };
        // Where nothing is detected, nothing is found in pieces.
        let pieces = granularity.unwrap_or(1.0);
        PassageScores {
            precision,
            recall,
            f1,
            plagdet: f1.map(|f1| f1 / libm::log2(1.0 + pieces)),
        }
    }
}

/// A quotient; none when nothing is divided.
fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// Which passages found detect which true ones, as places in the lists, by the true one. All
/// are of the same two documents.
fn sweep(truth: &[TruePassage], found: &[LocatedPassage], matches: &mut Vec<(u32, u32)>) {
    matches.clear();
    // Where the first sides begin and end, of true passages and of others.
    let mut entries: Vec<(u32, u32, bool, u32)> = Vec::new();
    for (at, one) in (0..).zip(truth) {
        let side = one.passage.sides[0];
        entries.push((side.start, side.end, true, at));
    }
    for (at, one) in (0..).zip(found) {
        let [side, other] = one.sides;
        entries.push((side.start, side.end, false, at));
        if side.document == other.document {
            // In one document the sides may be the other way round.
            // A pair may be found twice by this; it is removed below.
            entries.push((other.start, other.end, false, at));
        }
    }
    entries.sort_unstable();
    let (mut open_truth, mut open_found) = (Vec::new(), Vec::new());
    for (start, end, is_true, at) in entries {
        let (own, others) = if is_true {
            (&mut open_truth, &mut open_found)
        } else {
            (&mut open_found, &mut open_truth)
        };
        // Whatever ended before this start meets nothing that begins later. The lists hold only
        // what may still overlap something.
        others.retain(|&(end, _)| end > start);
        for &(_, other) in others.iter() {
            let pair = if is_true { (at, other) } else { (other, at) };
            if truth[pair.0 as usize]
                .passage
                .detects(&found[pair.1 as usize])
            {
                matches.push(pair);
            }
        }
        own.push((end, at));
    }
    matches.sort_unstable();
    matches.dedup();
}

#[cfg(test)]
mod tests;
