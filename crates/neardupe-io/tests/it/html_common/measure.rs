//! The measure of the article extraction benchmark (`evaluate.py` of
//! scrapinghub/article-extraction-benchmark): runs of four words, counted; the counts of
//! each page scaled to 1; means of precision and recall over the pages, and F1 of these.

use std::collections::BTreeMap;

/// Runs of `size` words with their counts; a shorter text is one run.
pub(crate) fn shingles(text: &str, size: usize) -> BTreeMap<Vec<&str>, f64> {
    let is_separator = |char: char| !char.is_alphanumeric() && char != '_';
    let words: Vec<&str> = text
        .split(is_separator)
        .filter(|word| !word.is_empty())
        .collect();
    let mut counts = BTreeMap::new();
    if words.is_empty() {
        return counts;
    }
    for run in words.windows(size.min(words.len())) {
        *counts.entry(run.to_vec()).or_default() += 1.0;
    }
    counts
}

/// Shingles in both texts, only in what was found, only in what is true.
pub(crate) struct Counts {
    pub(crate) both: f64,
    found_only: f64,
    true_only: f64,
}

impl Counts {
    pub(crate) fn unscaled(
        truth: &BTreeMap<Vec<&str>, f64>,
        found: &BTreeMap<Vec<&str>, f64>,
    ) -> Self {
        let sum = |counts: &BTreeMap<_, f64>| counts.values().sum::<f64>();
        let both = truth
            .iter()
            .filter_map(|(shingle, count)| Some(count.min(*found.get(shingle)?)))
            .sum();
        Counts {
            both,
            found_only: sum(found) - both,
            true_only: sum(truth) - both,
        }
    }

    pub(crate) fn new(
        truth: &BTreeMap<Vec<&str>, f64>,
        found: &BTreeMap<Vec<&str>, f64>,
    ) -> Self {
        let counts = Counts::unscaled(truth, found);
        let all = counts.both + counts.found_only + counts.true_only;
        let scale = if all > 0.0 { all } else { 1.0 };
        Counts {
            both: counts.both / scale,
            found_only: counts.found_only / scale,
            true_only: counts.true_only / scale,
        }
    }

    pub(crate) fn precision(&self) -> f64 {
        self.share(self.found_only)
    }

    pub(crate) fn recall(&self) -> f64 {
        self.share(self.true_only)
    }

    /// As the benchmark has it: nothing wrong is 1, nothing at all is 0.
    fn share(&self, wrong: f64) -> f64 {
        if self.found_only + self.true_only <= 0.0 {
            return 1.0;
        }
        let all = self.both + wrong;
        if all > 0.0 { self.both / all } else { 0.0 }
    }
}
