//! What came out of a study of sampling.

use super::SamplingStudy;
use super::groups::{GroupPair, SizeGroups};
use super::search::StudyFound;
use super::sets::StudySets;
use super::tally::{Best, PairSums, StudyTally, Trial};
use crate::pipeline::documents::Documents;
use crate::ratio::Ratio;
use crate::threshold::Threshold;

/// What was measured, over all of the grid.
#[derive(Debug)]
pub struct SamplingResult {
    /// The thresholds.
    pub thresholds: Vec<Threshold>,
    /// The smallest sample has one in so many features.
    pub max_divisor: u32,
    /// The groups.
    pub groups: SizeGroups,
    /// Documents of the collection.
    pub documents: u64,
    /// Records that did not become documents.
    pub bad_records: u64,
    /// Documents without a feature.
    pub empty: u64,
    /// Documents with the features of another one; they are left out unless they are kept.
    pub exact: u64,
    /// Documents that were studied, and their features, by group.
    pub group_facts: Vec<GroupFacts>,
    /// Words of documents by their rank, the longest first; of many ranks some.
    pub sizes: Vec<(u64, u32)>,
    /// What each limit of documents does.
    pub commonality: Vec<CommonalityRow>,
    /// Pairs of documents that share a feature, once for each feature they share.
    pub pair_records: u128,
    /// Different feature sets of which pairs were compared in all trials.
    pub compared: u64,
    /// Features that too many sets are found by: they led to no pair.
    pub long_lists: u64,
    /// Time for everything.
    pub seconds: f64,
    tally: StudyTally,
    /// Documents in pairs: by trial, threshold and group, the last for all groups.
    documents_found: Vec<DocumentCounts>,
    /// Features kept, by trial and group.
    kept: Vec<u64>,
}

/// A group of documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GroupFacts {
    /// Number of documents.
    pub documents: u64,
    /// Number of their features.
    pub features: u64,
}

/// Documents that are in pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct DocumentCounts {
    sampled: u64,
    exact: u64,
    both: u64,
}

/// Figures of one trial, one threshold and some groups.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PairFigures {
    /// Pairs that the sample finds.
    pub pairs: u64,
    /// Pairs that there are.
    pub exact_pairs: u64,
    /// Pairs that the sample finds and that there are.
    pub right_pairs: u64,
    /// Pairs of either answer.
    pub either: u64,
    /// Mean difference of the exact and the sampled value over pairs of either answer.
    pub average_error: Option<f64>,
    /// Correlation of both values over pairs of either answer; none when one of them never
    /// changes.
    pub correlation: Option<f64>,
}

impl PairFigures {
    fn new(counted: &PairSums, exact: &PairSums) -> Self {
        let number = |sum: u64| sum as f64 / 1e6;
        let square = |sum: u128| sum as f64 / 1e12;
        let count = counted.either as f64;
        let (one, other) = (number(counted.exact_sum), number(counted.sampled_sum));
        // The sums are exact, so digits are lost in these subtractions alone, where values hardly
        // differ: the limit of `spreads` catches that.
        let covariance = count * square(counted.products) - one * other;
        let spread = |squares: u128, sum: f64| count * square(squares) - sum * sum;
        let spreads =
            spread(counted.exact_squares, one) * spread(counted.sampled_squares, other);
        let has_any = counted.either > 0;
        PairFigures {
            pairs: counted.sampled,
            exact_pairs: exact.sampled,
            right_pairs: counted.both,
            either: counted.either,
            average_error: has_any.then(|| number(counted.error) / count),
            // Where nothing changes, rounding may leave a little; it does not count as a spread.
            correlation: (spreads > 1e-12 * count.powi(4))
                .then(|| (covariance / spreads.sqrt()).clamp(-1.0, 1.0)),
        }
    }

    /// Share of the pairs found that are right; none when none is found.
    pub fn precision(&self) -> Option<f64> {
        Ratio::new(self.right_pairs, self.pairs).share()
    }

    /// Share of the pairs there are that are found; none when there is none.
    pub fn recall(&self) -> Option<f64> {
        Ratio::new(self.right_pairs, self.exact_pairs).share()
    }
}

/// Figures of documents that are in pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DocumentFigures {
    /// Documents that are in a pair of the sample.
    pub documents: u64,
    /// Documents that are in a pair.
    pub exact_documents: u64,
    /// Documents that are in both.
    pub right_documents: u64,
}

impl DocumentFigures {
    /// Share of the documents found that are right.
    pub fn precision(&self) -> Option<f64> {
        Ratio::new(self.right_documents, self.documents).share()
    }

    /// Share of the documents there are that are found.
    pub fn recall(&self) -> Option<f64> {
        Ratio::new(self.right_documents, self.exact_documents).share()
    }
}

/// A limit of documents at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommonalityRow {
    /// Features of more documents are left out.
    pub limit: u32,
    /// The threshold.
    pub threshold: Threshold,
    /// What is found, beside what there is. All pairs found are right: a value can only fall.
    pub figures: PairFigures,
    /// Pairs of documents that share a feature, once for each that is left.
    pub pair_records: u128,
}

impl SamplingResult {
    pub(super) fn new(
        asked: &SamplingStudy,
        documents: &Documents,
        sets: &StudySets,
        found: StudyFound,
        seconds: f64,
    ) -> Self {
        let num_groups = asked.groups.len();
        let mut group_facts = vec![GroupFacts::default(); num_groups];
        let num_trials = Trial::count(asked.max_divisor);
        let mut kept = vec![0; num_trials * num_groups];
        let mut studied = 0;
        for (set, facts) in sets.facts.iter().enumerate() {
            let weight = u64::from(facts.weight);
            let group = usize::from(facts.group);
            studied += weight;
            group_facts[group].documents += weight;
            let mut sizes: Vec<u64> = sets
                .sizes(set)
                .iter()
                .map(|&size| u64::from(size))
                .collect();
            // From the finest ratio to the whole: sizes of classes that fall together are added up.
            while let divisor @ 1.. = sizes.len() {
                for (remainder, size) in sizes.iter().enumerate() {
                    kept[(divisor - 1 + remainder) * num_groups + group] += size * weight;
                }
                let high = sizes.split_off(divisor / 2);
                if divisor == 1 {
                    group_facts[group].features += high[0] * weight;
                }
                let both = sizes.iter_mut().zip(high);
                both.for_each(|(low, high)| *low += high);
            }
        }
        let documents_found = documents_found(asked, sets, &found);
        let files = documents.files();
        let empty = count_empty(documents);
        let with_features = u64::from(documents.len()) - empty;
        SamplingResult {
            thresholds: asked.thresholds.clone(),
            max_divisor: asked.max_divisor,
            groups: asked.groups.clone(),
            documents: u64::from(documents.len()),
            bad_records: files.iter().map(|file| file.records).sum::<u64>()
                - u64::from(documents.len()),
            empty,
            exact: if asked.keep_exact {
                with_features - sets.len() as u64
            } else {
                with_features - studied
            },
            group_facts,
            sizes: sizes_by_rank(sets),
            commonality: commonality(asked, sets, &found.tally),
            pair_records: sets.pair_records.iter().sum(),
            compared: found.compared,
            long_lists: sets.long_lists,
            seconds,
            tally: found.tally,
            documents_found,
            kept,
        }
    }

    /// Figures of one trial at the threshold of a number, over pairs of some groups.
    pub fn pairs(
        &self,
        trial: Trial,
        step: usize,
        of: impl Fn(GroupPair) -> bool,
    ) -> PairFigures {
        let (mut counted, mut exact) = (PairSums::default(), PairSums::default());
        for groups in GroupPair::all(self.groups.len()).filter(|&groups| of(groups)) {
            counted.add(&self.tally.at(trial.number(), groups, step));
            exact.add(&self.tally.at(0, groups, step));
        }
        PairFigures::new(&counted, &exact)
    }

    /// Documents in pairs of one trial at the threshold of a number: of a group those in pairs
    /// within it, without one those in any pair.
    pub fn documents_in_pairs(
        &self,
        trial: Trial,
        step: usize,
        group: Option<usize>,
    ) -> DocumentFigures {
        let num_groups = self.groups.len();
        let slot = group.unwrap_or(num_groups);
        let per_trial = self.thresholds.len() * (num_groups + 1);
        let at = trial.number() * per_trial + step * (num_groups + 1) + slot;
        let counts = self.documents_found[at];
        DocumentFigures {
            documents: counts.sampled,
            exact_documents: counts.exact,
            right_documents: counts.both,
        }
    }

    /// Features that a trial keeps: of a group, or of all.
    pub fn kept(&self, trial: Trial, group: Option<usize>) -> u64 {
        let start = trial.number() * self.groups.len();
        let of_trial = &self.kept[start..start + self.groups.len()];
        match group {
            Some(group) => of_trial[group],
            None => of_trial.iter().sum(),
        }
    }

    /// Features of a group, or of all.
    pub fn features(&self, group: Option<usize>) -> u64 {
        match group {
            Some(group) => self.group_facts[group].features,
            None => self.group_facts.iter().map(|facts| facts.features).sum(),
        }
    }
}

/// Ranks that are listed, of each power of two.
const RANKS_OF_POWER: u64 = 16;

/// The sizes of documents by rank, for a figure with logarithmic axes: all of the first ranks, then
/// ever fewer.
fn sizes_by_rank(sets: &StudySets) -> Vec<(u64, u32)> {
    let mut words: Vec<u32> = sets.facts.iter().map(|facts| facts.num_words).collect();
    words.sort_unstable_by(|one, other| other.cmp(one));
    let mut sizes = Vec::new();
    let mut next = 1;
    for (rank, &words) in (1u64..).zip(&words) {
        if rank == next {
            sizes.push((rank, words));
            next = rank + (rank / RANKS_OF_POWER).max(1);
        }
    }
    sizes
}

/// Documents without a feature.
fn count_empty(documents: &Documents) -> u64 {
    let empty = documents
        .all()
        .filter(|&document| documents.set(document).is_none());
    empty.count() as u64
}

/// Documents that are in pairs, by trial, threshold and group: found by the sample, there, and both.
fn documents_found(
    asked: &SamplingStudy,
    sets: &StudySets,
    found: &StudyFound,
) -> Vec<DocumentCounts> {
    let num_groups = asked.groups.len();
    let num_steps = asked.thresholds.len();
    let mut counts = Vec::new();
    for trial in 0..Trial::count(asked.max_divisor) {
        let start = counts.len();
        counts.resize(
            start + num_steps * (num_groups + 1),
            DocumentCounts::default(),
        );
        for (set, facts) in sets.facts.iter().enumerate() {
            let weight = u64::from(facts.weight);
            let mut add = |best: &Best, slot: usize| {
                let (sampled, exact) = (best.of(trial, set), best.of(0, set));
                // A document counts at every threshold that its best pair reaches.
                for step in 0..sampled.max(exact) {
                    let counts = &mut counts[start + step * (num_groups + 1) + slot];
                    counts.sampled += if step < sampled { weight } else { 0 };
                    counts.exact += if step < exact { weight } else { 0 };
                    counts.both += if step < sampled.min(exact) { weight } else { 0 };
                }
            };
            add(&found.within, usize::from(facts.group));
            add(&found.any, num_groups);
        }
    }
    counts
}

/// What each limit of documents does at each threshold.
fn commonality(
    asked: &SamplingStudy,
    sets: &StudySets,
    tally: &StudyTally,
) -> Vec<CommonalityRow> {
    let mut rows = Vec::new();
    let num_groups = asked.groups.len();
    for (at, &limit) in asked.commonality.iter().enumerate() {
        let pair_records = sets.pair_records[..=at].iter().sum();
        for (step, &threshold) in asked.thresholds.iter().enumerate() {
            let mut exact = PairSums::default();
            for groups in GroupPair::all(num_groups) {
                exact.add(&tally.at(0, groups, step));
            }
            rows.push(CommonalityRow {
                limit,
                threshold,
                figures: PairFigures::new(&tally.uncommon_at(at, step), &exact),
                pair_records,
            });
        }
    }
    rows
}
