//! What a study of sampling measured, for other programs and for people: tables as CSV, figures as
//! SVG, a page.

mod figures;
mod grid;
mod page;
mod tables;

pub use figures::sampling_figures;
pub use grid::write_grid;
pub use page::write_study_page;
pub use tables::{ratio, write_commonality, write_plans, write_sampling};

use neardupe_core::pipeline::study::{SamplingResult, Trial};

/// The pairs that a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Both documents are of this group.
    Within(usize),
    /// Documents of different groups.
    Across,
    /// All.
    All,
}

impl Which {
    /// All of them: groups, across, all.
    pub fn each(result: &SamplingResult) -> impl Iterator<Item = Which> {
        let groups = (0..result.groups.len()).map(Which::Within);
        groups.chain([Which::Across, Which::All])
    }

    /// How it is called in tables.
    pub fn name(self, result: &SamplingResult) -> String {
        match self {
            Which::Within(group) => result.groups.name(group),
            Which::Across => "across".to_owned(),
            Which::All => "all".to_owned(),
        }
    }
}

/// Figures of one ratio: means over its trials, those that found something.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean {
    /// Share of pairs that are right.
    pub precision: Option<f64>,
    /// Share of pairs that are found.
    pub recall: Option<f64>,
    /// Mean difference of values.
    pub average_error: Option<f64>,
    /// Correlation of values.
    pub correlation: Option<f64>,
    /// Pairs found.
    pub pairs: f64,
    /// Share of the features that is kept.
    pub kept_share: f64,
}

impl Mean {
    /// Over all trials of a ratio at the threshold of a number.
    pub fn of(result: &SamplingResult, divisor: u32, step: usize, which: Which) -> Self {
        let mut sums = [Sum::default(); 4];
        let (mut pairs, mut kept) = (0, 0);
        // A ratio of 1/n has n trials, one for each remainder of the hash.
        for remainder in 0..divisor {
            let trial = Trial { divisor, remainder };
            let figures = figures_of(result, trial, step, which);
            pairs += figures.pairs;
            let values = [
                figures.precision(),
                figures.recall(),
                figures.average_error,
                figures.correlation,
            ];
            for (sum, value) in sums.iter_mut().zip(values) {
                sum.add(value);
            }
            kept += result.kept(trial, group_of(which));
        }
        let count = f64::from(divisor);
        let [precision, recall, average_error, correlation] = sums.map(Sum::mean);
        Mean {
            precision,
            recall,
            average_error,
            correlation,
            pairs: pairs as f64 / count,
            kept_share: share(kept, result.features(group_of(which))) / count,
        }
    }
}

/// Pairs without sampling.
pub fn exact_pairs(result: &SamplingResult, step: usize, which: Which) -> u64 {
    let whole = Trial {
        divisor: 1,
        remainder: 0,
    };
    figures_of(result, whole, step, which).pairs
}

/// Figures of one trial.
fn figures_of(
    result: &SamplingResult,
    trial: Trial,
    step: usize,
    which: Which,
) -> neardupe_core::pipeline::study::PairFigures {
    result.pairs(trial, step, |groups| match which {
        Which::Within(group) => groups.is_within() && groups.low == group,
        Which::Across => !groups.is_within(),
        Which::All => true,
    })
}

/// Features are those of a group, or of all.
fn group_of(which: Which) -> Option<usize> {
    match which {
        Which::Within(group) => Some(group),
        Which::Across | Which::All => None,
    }
}

/// The share of features that a trial keeps; 0 of nothing.
fn share(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        whole => part as f64 / whole as f64,
    }
}

/// A sum of what is there.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// Of the values that were there.
    sum: f64,
    /// How many there were: a trial without pairs has no precision.
    count: u32,
}

impl Sum {
    /// Adds a value, if there is one.
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.count += 1;
        }
    }

    /// The mean; None of nothing.
    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// The ratios of a study: one in so many.
pub fn divisors(result: &SamplingResult) -> impl DoubleEndedIterator<Item = u32> + Clone {
    // Powers of two from 1 to the largest.
    (0..=result.max_divisor.trailing_zeros()).map(|power| 1 << power)
}
