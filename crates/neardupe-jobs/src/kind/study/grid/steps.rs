//! Several thresholds from one answer: a pair reaches all of them up to its similarity.
//!
//! The join runs once, at the lowest threshold, and its pairs are counted for every threshold
//! that they reach by the integer bounds of the join: the scores are those of separate jobs.

use super::super::value::StudyThreshold;
use super::known::{KnownPairs, Score};
use crate::param::CommaList;
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::pipeline::FindResult;
use neardupe_core::similarity::Bounds;
use neardupe_core::threshold::Threshold;

/// Thresholds in rising order.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    /// In rising order, each once; never empty.
    pub(super) all: Vec<Threshold>,
}

impl Steps {
    /// Those that are given, or the usual ones, with commas between.
    pub(super) fn new(
        given: Option<&CommaList<StudyThreshold>>,
        usual: &str,
    ) -> Result<Self> {
        let all = match given {
            Some(given) => given.0.iter().map(|one| one.0).collect(),
            None => usual.split(',').map(str::parse).collect::<Result<_>>()?,
        };
        Ok(Steps::of(all))
    }

    /// Sorts thresholds and drops those that are written the same.
    fn of(mut all: Vec<Threshold>) -> Self {
        all.sort_by(|one, other| value(*one).total_cmp(&value(*other)));
        all.dedup_by_key(|one| one.to_string());
        Steps { all }
    }

    /// One more.
    pub(super) fn with(mut self, threshold: Threshold) -> Self {
        self.all.push(threshold);
        Steps::of(self.all)
    }

    /// As a parameter.
    pub(super) fn listed(&self) -> CommaList<StudyThreshold> {
        CommaList(self.all.iter().copied().map(StudyThreshold).collect())
    }

    /// The lowest one: a job that finds what reaches it finds what reaches the others.
    pub(super) fn lowest(&self) -> Threshold {
        self.all[0]
    }

    /// As numbers, for a figure.
    pub(super) fn numbers(&self) -> Vec<f64> {
        self.all.iter().map(|one| value(*one)).collect()
    }

    /// Calls `visit` with both documents of each pair and how many of the thresholds it reaches.
    pub(super) fn for_each_pair(
        &self,
        result: &FindResult,
        mut visit: impl FnMut(DocIdx, DocIdx, usize),
    ) -> Result<()> {
        let bounds = self.all.iter();
        let bounds: Vec<Bounds> = bounds
            .map(|&threshold| Bounds::new(result.similarity, threshold))
            .collect();
        result.for_each_pair(|pair| {
            // The bounds are monotone: a pair that reaches a threshold reaches all before it.
            let reached = bounds.partition_point(|bounds| {
                bounds.reached(pair.overlap, pair.left_size, pair.right_size)
            });
            visit(pair.left, pair.right, reached);
            Ok(())
        })?;
        Ok(())
    }

    /// How good the pairs are at each threshold.
    pub(super) fn scores(
        &self,
        result: &FindResult,
        known: &KnownPairs,
    ) -> Result<Vec<Score>> {
        let mut scores = vec![known.score(); self.all.len()];
        self.for_each_pair(result, |left, right, reached| {
            known.add(left, right, scores[..reached].iter_mut());
        })?;
        Ok(scores)
    }
}

/// A threshold as a number.
pub(super) fn value(threshold: Threshold) -> f64 {
    threshold.ratio().value()
}

/// The place of the best F1; of equal ones the first.
pub(super) fn best_score<'a>(scores: impl Iterator<Item = &'a Score>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (at, score) in scores.enumerate() {
        let f1 = score.f1().unwrap_or(0.0);
        // Only a better one replaces the first.
        if best.is_none_or(|(_, most)| f1 > most) {
            best = Some((at, f1));
        }
    }
    best.map(|(at, _)| at)
}

/// What to add where the best of values that rise is the first or the last that was tried.
pub(super) fn at_edge(best: usize, tried: usize, what: &str) -> String {
    let (place, further) = match best {
        _ if tried < 2 => return String::new(),
        0 => ("lowest", "lower"),
        at if at + 1 == tried => ("highest", "higher"),
        _ => return String::new(),
    };
    format!(" It is the {place} {what} that was tried: a {further} one may be better.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::param::ParamValue;

    #[test]
    fn thresholds_rise_whatever_was_given() {
        let given = CommaList::from_text("0.9, 0.5,0.50").unwrap();
        let steps = Steps::new(Some(&given), "").unwrap();
        let shown: Vec<String> = steps.all.iter().map(Threshold::to_string).collect();
        assert_eq!(shown, ["0.5", "0.9"]);
        assert!(CommaList::<StudyThreshold>::from_text("0.5,,").is_err());
    }
}
