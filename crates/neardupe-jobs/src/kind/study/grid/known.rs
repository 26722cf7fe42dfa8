//! What the pairs of a setting are scored against: labels that are given, or the exact join.
//!
//! Without labels the exact join of the given features at one threshold is taken for the truth.
//! This measures agreement, not quality, and the findings say so. The pairs are held as sorted
//! numbers of eight bytes; more than a quarter of the memory is refused with a remedy, before
//! settings run. With a sample of labels only labelled pairs count.

use super::super::base::{StudyBase, StudyNotes};
use super::super::value::StudyLabel;
use super::finished::Finished;
use super::setting::{Setting, run};
use crate::numbers::grouped;
use crate::param::CommaList;
use crate::truth::{Ids, LabelRule, Partition, Truth, TruthOptions, collect, read_truth};
use neardupe_core::document::{DocIdx, Progress};
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::FindResult;
use neardupe_core::threshold::Threshold;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

crate::params! {
    /// Where labels come from.
    pub struct StudyTruthSpec {
        /// Pairs or groups that are duplicates, in the formats of `eval` [default: the exact join of this
        /// collection is the truth]
        truth: PathBuf => value("FILE").heading("Labels");
        /// Field of the documents: those with the same value are duplicates
        truth_field: String => value("FIELD").heading("Labels");
        /// Columns of the two ids, by name or by number from 1 [default: known names, or 1,2]
        truth_columns: String => value("LEFT,RIGHT").heading("Labels");
        /// Column that says which pairs are duplicates, by name or by number from 1
        label_column: String => value("COLUMN").heading("Labels");
        /// Labels of duplicates, separated by commas; all others are none
        positive: CommaList<String> => value("VALUES").heading("Labels");
        /// Smallest label of duplicates, a number; smaller ones are none
        min_label: StudyLabel => value("N").heading("Labels");
        /// All rows are duplicates, whatever their labels say
        all_rows: bool => switch().heading("Labels");
        /// Take what the pairs of the truth connect as duplicates of each other
        closure: bool => switch().heading("Labels");
    }
}

impl StudyTruthSpec {
    /// Whether there are labels.
    pub(super) fn is_given(&self) -> bool {
        self.truth.is_some() || self.truth_field.is_some()
    }

    /// Refuses what does not go together.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |param: &str, message: &str| Err(Error::config(param, message));
        let is = |switch: Option<bool>| switch == Some(true);
        let has_file = self.truth.is_some();
        let of_rows = self.truth_columns.is_some()
            || self.label_column.is_some()
            || is(self.all_rows);
        if !has_file && of_rows {
            return wrong("truth", "labels are in the rows of a truth: `truth FILE`");
        }
        if has_file && self.truth_field.is_some() {
            return wrong("truth-field", "`truth` has the labels; choose one");
        }
        if !has_file && is(self.closure) {
            return wrong("closure", "needs `truth`, which names the pairs");
        }
        if self.label_column.is_none() {
            let needs = "needs `label-column`, which names the column of the labels";
            for (param, is_given) in [
                ("positive", self.positive.is_some()),
                ("min-label", self.min_label.is_some()),
            ] {
                if is_given {
                    return wrong(param, needs);
                }
            }
        } else if is(self.all_rows) {
            return wrong(
                "all-rows",
                "`label-column` says which rows count; choose one",
            );
        }
        if self.positive.is_some() && self.min_label.is_some() {
            return wrong("min-label", "`positive` lists the labels; choose one");
        }
        // Columns that cannot be read are refused as well.
        self.options().map(drop)
    }

    /// How a file of pairs or groups is read.
    fn options(&self) -> Result<TruthOptions> {
        let columns = match &self.truth_columns {
            None => None,
            Some(given) => match given.split_once(',') {
                Some((left, right)) if !left.is_empty() && !right.is_empty() => {
                    Some((left.trim().to_owned(), right.trim().to_owned()))
                }
                _ => {
                    let message = format!("{given:?} is not two columns, as left,right");
                    return Err(Error::config("truth-columns", message));
                }
            },
        };
        let labels = match (&self.label_column, &self.positive, self.min_label) {
            (None, ..) if self.all_rows == Some(true) => LabelRule::All,
            (None, ..) => LabelRule::Unsaid,
            (Some(column), Some(values), _) => {
                LabelRule::OneOf(column.clone(), values.0.clone())
            }
            (Some(column), None, Some(least)) => {
                LabelRule::AtLeast(column.clone(), least.0)
            }
            (Some(column), None, None) => LabelRule::Judged(column.clone()),
        };
        Ok(TruthOptions {
            columns,
            labels,
            closure: self.closure == Some(true),
        })
    }

    /// Where labels come from, for people; none if there are none.
    pub(super) fn described(&self) -> Option<String> {
        match (&self.truth, &self.truth_field) {
            (Some(path), _) => Some(path.display().to_string()),
            (None, Some(field)) => Some(format!("the same {field}")),
            (None, None) => None,
        }
    }

    /// The file of labels.
    pub(super) fn files(&self) -> Vec<&Path> {
        self.truth.as_deref().into_iter().collect()
    }

    /// Reads what can be read before the collection: a wrong file is refused at once.
    pub(super) fn read(&self) -> Result<()> {
        if let Some(path) = &self.truth {
            read_truth(path, &self.options()?, &mut Ids::default(), None)?;
        }
        Ok(())
    }
}

/// What a study took as right, in its summary.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StudyTruth {
    /// Where it comes from.
    pub name: String,
    /// Pairs that are right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// Rows with documents that are not in the collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_rows: Option<u64>,
    /// Passages that are right, where those are studied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<u64>,
}

/// Which pairs are right.
enum Pairs {
    /// Labels that were given, or those of a field.
    Labels(Truth),
    /// Sorted; the smaller number in the upper half.
    Exact(Vec<u64>),
}

/// Name of the stage, and of the file, of the exact join.
const EXACT: &str = "exact";

/// What the manifest says of the exact join; its pairs are in the file.
#[derive(Serialize, Deserialize)]
struct ExactDone {
    /// What is taken as right, in words.
    described: String,
    /// Warnings of the job that found the pairs, to be given again after an interruption.
    notes: StudyNotes,
}

/// What labels are in the numbers of documents.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct LabelCounts {
    /// Pairs that are right.
    positives: u64,
    /// Rows that name other documents.
    unknown_rows: u64,
}

/// The truth of a study. Documents are known by their numbers, which are those of the input and
/// so the same in every setting.
pub(super) struct KnownPairs {
    /// None until the documents of a result are known.
    pairs: Option<Pairs>,
    /// Pairs that are right.
    positives: u64,
    /// Rows of the truth with documents that are not in the collection.
    unknown_rows: u64,
    /// Where it comes from, for people.
    pub(super) described: String,
}

impl KnownPairs {
    /// Labels if there are some, else the exact join of the features that were given.
    pub(super) fn begin(
        given: &StudyTruthSpec,
        base: &StudyBase,
        threshold: Threshold,
        finished: &Finished<'_>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        if let Some(described) = given.described() {
            return Ok(KnownPairs::labelled(described));
        }
        // Not joined again after an interruption.
        if let Some(known) = KnownPairs::exact_before(finished)? {
            return Ok(known);
        }
        let mut setting = Setting::exact(base)?;
        setting.spec.similarity.threshold = Some(threshold);
        // Eight bytes a pair, and a quarter of the memory for all of them.
        // The limit is checked by counts, before pairs are held.
        let most = setting.job(base)?.config.budget.memory / 32;
        let (ran, exact) = run(base, &setting, progress, |result| list(result, most))?;
        let done = ExactDone {
            described: format!("resemblance of {} >= {threshold}", ran.features),
            notes: finished.notes(),
        };
        let mut out = finished.work.create(EXACT)?;
        out.frame(&exact)?;
        let files = vec![out.finish()?];
        finished.work.commit(EXACT, &done, files, &[])?;
        Ok(KnownPairs::exact(exact, done.described))
    }

    /// The truth that is made of the pairs of a job.
    fn exact(exact: Vec<u64>, described: String) -> Self {
        KnownPairs {
            positives: exact.len() as u64,
            pairs: Some(Pairs::Exact(exact)),
            unknown_rows: 0,
            described,
        }
    }

    /// The exact join that was done before an interruption.
    fn exact_before(finished: &Finished<'_>) -> Result<Option<Self>> {
        let work = finished.work;
        let Some((done, files)) = work.stage::<ExactDone>(EXACT)? else {
            return Ok(None);
        };
        let mut exact = Vec::new();
        for file in &files {
            work.open(file)?.read(0, &mut exact)?;
        }
        finished.take_over(done.notes);
        Ok(Some(KnownPairs::exact(exact, done.described)))
    }

    /// What the first setting says about labels.
    pub(super) fn labels(&self) -> LabelCounts {
        LabelCounts {
            positives: self.positives,
            unknown_rows: self.unknown_rows,
        }
    }

    /// The same as it was before an interruption.
    pub(super) fn set_labels(&mut self, counts: LabelCounts) {
        self.positives = counts.positives;
        self.unknown_rows = counts.unknown_rows;
    }

    /// Labels, which are met with the first setting.
    pub(super) fn labelled(described: String) -> Self {
        KnownPairs {
            described,
            ..KnownPairs::nothing()
        }
    }

    /// Nothing is known: pairs are only counted.
    pub(super) fn nothing() -> Self {
        KnownPairs {
            pairs: None,
            positives: 0,
            unknown_rows: 0,
            described: String::new(),
        }
    }

    /// Numbers the labels by the documents of the first setting.
    pub(super) fn meet(
        &mut self,
        given: &StudyTruthSpec,
        base: &StudyBase,
        result: &FindResult,
        progress: &dyn Progress,
    ) -> Result<()> {
        if self.pairs.is_some() {
            return Ok(());
        }
        let truth = match (&given.truth, &given.truth_field) {
            (Some(path), _) => {
                let options = given.options()?;
                // Numbers must be those of documents, so both begin with all ids of the
                // result.
                let (mut ids, collection) = (numbers(result)?, numbers(result)?);
                let file = read_truth(path, &options, &mut ids, Some(&collection))?;
                self.unknown_rows = file.unknown_rows;
                file.truth
            }
            (None, Some(field)) => {
                Truth::Clusters(of_field(base, result, field, progress)?)
            }
            (None, None) => return Err(Error::Internal("no truth".to_owned())),
        };
        self.positives = positives(&truth, result.documents.len());
        self.pairs = Some(Pairs::Labels(truth));
        // With nothing to find every recall is undefined, and the study shows nothing.
        if self.positives == 0 {
            let message = "no two documents of this collection are duplicates by it";
            return Err(Error::config("truth", message));
        }
        Ok(())
    }

    /// What is known of a pair; none if nothing is.
    fn label(&self, left: DocIdx, right: DocIdx) -> Option<bool> {
        let truth = match self.pairs.as_ref()? {
            // Every pair is known: what is not listed is wrong.
            Pairs::Exact(all) => {
                return Some(all.binary_search(&key(left, right)).is_ok());
            }
            Pairs::Labels(truth) => truth,
        };
        // Truth has the numbers of ids, which are those of their documents.
        let (left, right) = (left.get(), right.get());
        match truth {
            Truth::Pairs(all) => Some(all.contains(left, right)),
            Truth::Clusters(all) => Some(all.together(left, right)),
            Truth::Sample(sample) => sample.label(left, right),
        }
    }

    /// Nothing is found yet.
    pub(super) fn score(&self) -> Score {
        Score {
            positives: self.positives,
            ..Score::default()
        }
    }

    /// A pair is found by all settings whose scores are given.
    pub(super) fn add<'a>(
        &self,
        left: DocIdx,
        right: DocIdx,
        scores: impl Iterator<Item = &'a mut Score>,
    ) {
        let label = self.label(left, right);
        // The label is looked up once for all settings.
        for score in scores {
            score.pairs += 1;
            score.right += u64::from(label == Some(true));
            score.wrong += u64::from(label == Some(false));
        }
    }

    /// How good all pairs of an answer are.
    pub(super) fn score_all(&self, result: &FindResult) -> Result<Score> {
        let mut score = self.score();
        result.for_each_pair(|pair| {
            self.add(pair.left, pair.right, [&mut score].into_iter());
            Ok(())
        })?;
        Ok(score)
    }

    /// For the summary.
    pub(super) fn shown(&self) -> StudyTruth {
        StudyTruth {
            name: self.described.clone(),
            pairs: Some(self.positives),
            unknown_rows: Some(self.unknown_rows),
            passages: None,
        }
    }

    /// In a sentence.
    pub(super) fn finding(&self) -> String {
        let left_out = match self.unknown_rows {
            0 => String::new(),
            rows => format!(
                " {} rows with ids that are not in the collection are left out.",
                grouped(rows)
            ),
        };
        format!(
            "What is right: {}; {} pairs.{left_out}",
            self.described,
            grouped(self.positives)
        )
    }
}

/// How good pairs are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// A share; None of nothing.
fn quotient(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A pair as one number, whatever the order of its documents.
fn key(left: DocIdx, right: DocIdx) -> u64 {
    (u64::from(left.min(right).get()) << 32) | u64::from(left.max(right).get())
}

/// All pairs of an answer, sorted.
fn list(result: &FindResult, most: u64) -> Result<Vec<u64>> {
    if result.totals.pairs > most {
        let message = format!(
            "{} pairs reach it, and {most} can be held; take a higher one, more `memory`, or \
             `truth`",
            result.totals.pairs
        );
        return Err(Error::config("threshold", message));
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
    for document in result.documents.all() {
        ids.number(&result.documents.id(document)?)?;
    }
    if ids.len() != result.documents.len() as usize {
        return Err(Error::Internal("two documents of one id".to_owned()));
    }
    Ok(ids)
}

/// Documents with the same value of a field.
fn of_field(
    base: &StudyBase,
    result: &FindResult,
    field: &str,
    progress: &dyn Progress,
) -> Result<Partition> {
    let mut setting = Setting::exact(base)?;
    // The field is read with the documents; the job is not run.
    setting.spec.metadata.meta_key = Some(vec![field.to_owned()]);
    let mut job = setting.job(base)?;
    let source = base.source(&mut job)?;
    let collected = collect(&source, Some(0), job.config.threads, progress)?;
    if collected.with_value == 0 {
        let message = format!("no document has a field {field:?}");
        return Err(Error::config("truth-field", message));
    }
    let mut partition = Partition::default();
    for document in result.documents.all() {
        let number = collected.ids.known(&result.documents.id(document)?);
        let cluster = number.and_then(|number| collected.clusters.cluster(number));
        if let Some(cluster) = cluster {
            partition.put(document.get(), cluster);
        }
    }
    Ok(partition)
}

/// Right pairs of the truth, found or not. Clusters of n documents count n(n - 1)/2 each, by
/// their sizes.
fn positives(truth: &Truth, documents: u32) -> u64 {
    match truth {
        Truth::Pairs(pairs) => pairs.len() as u64,
        Truth::Sample(sample) => sample.totals().0,
        Truth::Clusters(clusters) => {
            let others = (0..documents).map(|document| clusters.others(document));
            // Each pair of a cluster is counted from both of its documents.
            others.sum::<u64>() / 2
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(left: u32, right: u32) -> u64 {
        key(DocIdx::new(left), DocIdx::new(right))
    }

    #[test]
    fn labelled_pairs_alone_count_for_precision() {
        let mut known = KnownPairs {
            pairs: Some(Pairs::Exact(vec![key_of(0, 1), key_of(2, 3)])),
            positives: 2,
            unknown_rows: 0,
            described: String::new(),
        };
        let mut score = known.score();
        for (left, right) in [(1, 0), (2, 4), (0, 5)] {
            known.add(
                DocIdx::new(left),
                DocIdx::new(right),
                [&mut score].into_iter(),
            );
        }
        assert_eq!((score.pairs, score.right, score.wrong), (3, 1, 2));
        let mut sample = crate::truth::Labelled::default();
        sample.add(0, 1, true);
        sample.add(2, 4, false);
        known.pairs = Some(Pairs::Labels(Truth::Sample(sample)));
        let mut score = known.score();
        for (left, right) in [(1, 0), (2, 4), (0, 5)] {
            known.add(
                DocIdx::new(left),
                DocIdx::new(right),
                [&mut score].into_iter(),
            );
        }
        assert_eq!((score.pairs, score.right, score.wrong), (3, 1, 1));
        assert_eq!(score.precision(), Some(0.5));
    }
}
