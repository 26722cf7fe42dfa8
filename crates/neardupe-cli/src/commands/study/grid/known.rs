//! What the pairs of a setting are scored against: labels that are given, or the exact join.

use super::super::super::eval::LabelArgs;
use super::super::common::CommonArgs;
use super::setting::{Setting, run};
use crate::terminal::Stages;
use anyhow::Result;
use clap::Args;
use neardupe_core::document::DocIdx;
use neardupe_core::error::Error;
use neardupe_core::pipeline::FindResult;
use neardupe_core::threshold::Threshold;
use neardupe_jobs::truth::{Ids, Partition, Truth, collect, read_truth};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Where labels come from.
#[derive(Debug, Args)]
pub(crate) struct TruthArgs {
    /// Pairs or groups that are duplicates, in the formats of `eval` [default: the exact join of this
    /// collection is the truth]
    #[arg(long, value_name = "FILE", help_heading = "Labels")]
    pub(super) truth: Option<PathBuf>,

    /// Field of the documents: those with the same value are duplicates
    #[arg(
        long,
        value_name = "FIELD",
        conflicts_with = "truth",
        help_heading = "Labels"
    )]
    truth_field: Option<String>,

    #[command(flatten)]
    labels: LabelArgs,

    /// Take what the pairs of the truth connect as duplicates of each other
    #[arg(long, help_heading = "Labels", requires = "truth")]
    closure: bool,
}

impl TruthArgs {
    /// Whether there are labels.
    pub(super) fn is_given(&self) -> bool {
        self.truth.is_some() || self.truth_field.is_some()
    }

    /// What was typed, for the summary.
    pub(super) fn shown(&self) -> [(&'static str, Value); 2] {
        [
            ("truth", json!(self.truth)),
            ("truth-field", json!(self.truth_field)),
        ]
    }

    /// Reads what can be read before the collection: a wrong file is told at once.
    fn check(&self) -> Result<()> {
        if self.truth.is_none() && self.labels.is_typed() {
            let message = "labels are in the rows of a truth: --truth FILE";
            return Err(Error::config("truth", message).into());
        }
        if let Some(path) = &self.truth {
            let options = self.labels.options(self.closure)?;
            read_truth(path, &options, &mut Ids::default(), None)?;
        }
        Ok(())
    }
}

/// Which pairs are right.
enum Pairs {
    Labels(Truth),
    /// Sorted; the smaller number in the upper half.
    Exact(Vec<u64>),
}

/// The truth of a study. Documents are known by their numbers, which are those of the input and
/// so the same in every setting.
pub(super) struct Known {
    pairs: Option<Pairs>,
    /// Pairs that are right.
    positives: u64,
    /// Rows of the truth with documents that are not in the collection.
    unknown_rows: u64,
    /// Where it comes from, for people.
    pub(super) described: String,
}

impl Known {
    /// Labels if there are some, else the exact join of the features that were typed.
    pub(super) fn begin(
        args: &TruthArgs,
        common: &CommonArgs,
        threshold: Threshold,
        stages: &Stages,
    ) -> Result<Self> {
        args.check()?;
        let labels = match (&args.truth, &args.truth_field) {
            (Some(path), _) => Some(path.display().to_string()),
            (None, Some(field)) => Some(format!("the same {field}")),
            (None, None) => None,
        };
        if let Some(described) = labels {
            return Ok(Known {
                pairs: None,
                positives: 0,
                unknown_rows: 0,
                described,
            });
        }
        let mut setting = Setting::exact(common)?;
        setting.spec.similarity.threshold = Some(threshold);
        // Eight bytes a pair, and a quarter of the memory for all of them.
        let most = setting.job(common)?.config.budget.memory / 32;
        let (ran, exact) = run(common, &setting, stages, |result| list(result, most))?;
        Ok(Known {
            positives: exact.len() as u64,
            pairs: Some(Pairs::Exact(exact)),
            unknown_rows: 0,
            described: format!("resemblance of {} >= {threshold}", ran.features),
        })
    }

    /// Nothing is known: pairs are only counted.
    pub(super) fn nothing(args: &TruthArgs) -> Result<Self> {
        args.check()?;
        Ok(Known {
            pairs: None,
            positives: 0,
            unknown_rows: 0,
            described: String::new(),
        })
    }

    /// Numbers the labels by the documents of the first setting.
    pub(super) fn meet(
        &mut self,
        args: &TruthArgs,
        common: &CommonArgs,
        result: &FindResult,
        stages: &Stages,
    ) -> Result<()> {
        if self.pairs.is_some() {
            return Ok(());
        }
        let truth = match (&args.truth, &args.truth_field) {
            (Some(path), _) => {
                let options = args.labels.options(args.closure)?;
                let (mut ids, collection) = (numbers(result)?, numbers(result)?);
                let file = read_truth(path, &options, &mut ids, Some(&collection))?;
                self.unknown_rows = file.unknown_rows;
                file.truth
            }
            (None, Some(field)) => {
                Truth::Clusters(of_field(common, result, field, stages)?)
            }
            (None, None) => return Err(Error::Internal("no truth".to_owned()).into()),
        };
        self.positives = positives(&truth, result.documents.len());
        self.pairs = Some(Pairs::Labels(truth));
        if self.positives == 0 {
            let message = "no two documents of this collection are duplicates by it";
            return Err(Error::config("truth", message).into());
        }
        Ok(())
    }

    /// What is known of a pair; none if nothing is.
    fn label(&self, left: DocIdx, right: DocIdx) -> Option<bool> {
        match self.pairs.as_ref()? {
            Pairs::Exact(all) => Some(all.binary_search(&key(left, right)).is_ok()),
            Pairs::Labels(Truth::Pairs(all)) => Some(all.contains(left, right)),
            Pairs::Labels(Truth::Clusters(all)) => Some(all.together(left, right)),
            Pairs::Labels(Truth::Sample(sample)) => sample.label(left, right),
        }
    }

    /// Nothing is found yet.
    pub(super) fn score(&self) -> Score {
        Score {
            positives: self.positives,
            ..Score::default()
        }
    }

    /// A pair is found, by all settings of which the scores are given.
    pub(super) fn add<'a>(
        &self,
        left: DocIdx,
        right: DocIdx,
        scores: impl Iterator<Item = &'a mut Score>,
    ) {
        let label = self.label(left, right);
        for score in scores {
            score.pairs += 1;
            score.right += u64::from(label == Some(true));
            score.wrong += u64::from(label == Some(false));
        }
    }

    /// For the summary.
    pub(super) fn shown(&self) -> Value {
        json!({
            "name": self.described,
            "pairs": self.positives,
            "unknown_rows": self.unknown_rows,
        })
    }

    /// In a sentence.
    pub(super) fn finding(&self) -> String {
        let left_out = match self.unknown_rows {
            0 => String::new(),
            rows => format!(
                " {} rows with ids that are not in the collection are left out.",
                crate::terminal::grouped(rows)
            ),
        };
        format!(
            "What is right: {}; {} pairs.{left_out}",
            self.described,
            crate::terminal::grouped(self.positives)
        )
    }
}

/// How good pairs are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Score {
    /// Found.
    pub(super) pairs: u64,
    /// Those that are right.
    pub(super) right: u64,
    /// Those that are wrong; of labelled samples some are neither.
    pub(super) wrong: u64,
    /// Right pairs, found or not.
    pub(super) positives: u64,
}

impl Score {
    /// The share of what was found that is right.
    pub(super) fn precision(&self) -> Option<f64> {
        quotient(self.right, self.right + self.wrong)
    }

    /// The share of what is right that was found.
    pub(super) fn recall(&self) -> Option<f64> {
        quotient(self.right, self.positives)
    }

    /// The harmonic mean of both.
    pub(super) fn f1(&self) -> Option<f64> {
        quotient(2 * self.right, self.right + self.wrong + self.positives)
    }
}

fn quotient(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn key(left: DocIdx, right: DocIdx) -> u64 {
    (u64::from(left.min(right)) << 32) | u64::from(left.max(right))
}

/// All pairs of an answer, sorted.
fn list(result: &FindResult, most: u64) -> Result<Vec<u64>> {
    if result.totals.pairs > most {
        let message = format!(
            "{} pairs reach it, and {most} can be held; take a higher one, more --memory, or \
             --truth",
            result.totals.pairs
        );
        return Err(Error::config("threshold", message).into());
    }
    let mut pairs = Vec::with_capacity(usize::try_from(result.totals.pairs)?);
    result.for_each_pair(|pair| {
        pairs.push(key(pair.left, pair.right));
        Ok(())
    })?;
    pairs.sort_unstable();
    Ok(pairs)
}

/// All ids, each under the number of its document.
fn numbers(result: &FindResult) -> Result<Ids> {
    let mut ids = Ids::default();
    for document in 0..result.documents.len() {
        ids.number(&result.documents.id(document)?);
    }
    if ids.len() != result.documents.len() as usize {
        return Err(Error::Internal("two documents of one id".to_owned()).into());
    }
    Ok(ids)
}

/// Documents with the same value of a field.
fn of_field(
    common: &CommonArgs,
    result: &FindResult,
    field: &str,
    stages: &Stages,
) -> Result<Partition> {
    let mut setting = Setting::exact(common)?;
    setting.spec.metadata.meta_key = Some(vec![field.to_owned()]);
    let mut job = setting.job(common)?;
    let source = common.source(&mut job)?;
    let collected = collect(&source, Some(0), job.config.threads, stages)?;
    if collected.with_value == 0 {
        let message = format!("no document has a field {field:?}");
        return Err(Error::config("truth-field", message).into());
    }
    let mut partition = Partition::default();
    for document in 0..result.documents.len() {
        let number = collected.ids.known(&result.documents.id(document)?);
        let cluster = number.and_then(|number| collected.clusters.cluster(number));
        if let Some(cluster) = cluster {
            partition.put(document, cluster);
        }
    }
    Ok(partition)
}

fn positives(truth: &Truth, documents: u32) -> u64 {
    match truth {
        Truth::Pairs(pairs) => pairs.len() as u64,
        Truth::Sample(sample) => sample.totals().0,
        Truth::Clusters(clusters) => {
            let others = (0..documents).map(|document| clusters.others(document));
            others.sum::<u64>() / 2
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labelled_pairs_alone_count_for_precision() {
        let mut known = Known {
            pairs: Some(Pairs::Exact(vec![key(0, 1), key(2, 3)])),
            positives: 2,
            unknown_rows: 0,
            described: String::new(),
        };
        let mut score = known.score();
        for (left, right) in [(1, 0), (2, 4), (0, 5)] {
            known.add(left, right, [&mut score].into_iter());
        }
        assert_eq!((score.pairs, score.right, score.wrong), (3, 1, 2));
        let mut sample = neardupe_jobs::truth::Labelled::default();
        sample.add(0, 1, true);
        sample.add(2, 4, false);
        known.pairs = Some(Pairs::Labels(Truth::Sample(sample)));
        let mut score = known.score();
        for (left, right) in [(1, 0), (2, 4), (0, 5)] {
            known.add(left, right, [&mut score].into_iter());
        }
        assert_eq!((score.pairs, score.right, score.wrong), (3, 1, 1));
        assert_eq!(score.precision(), Some(0.5));
    }
}
