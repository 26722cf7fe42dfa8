//! Table 4.1 of the waterloo thesis: how many run-topics have at least a certain share of
//! near-duplicates among their first results.

use super::prevalence::RunTopicCounts;

/// The shares of near-duplicates, in percent.
pub const SHARE_ROWS: [u32; 19] = [
    5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95,
];

/// The table: for each row of [`SHARE_ROWS`], for each depth, the run-topics that reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShareTable {
    /// Numbers of run-topics; none where the row asks for less than one document.
    pub cells: Vec<Vec<Option<u64>>>,
    /// All run-topics.
    pub run_topics: u64,
}

impl ShareTable {
    /// Makes the table for one threshold, by its place. A run-topic reaches a row when its
    /// near-duplicates are at least that share of the results looked at: the depth, or all where
    /// there are fewer.
    ///
    /// With `as_published` it needs that share of the depth rounded down to whole documents, and a
    /// row that asks for none is empty: only so do the rows of n = 10 in the thesis come in equal
    /// pairs, without the one of 5 %.
    pub fn new(
        counts: &[RunTopicCounts],
        depths: &[usize],
        threshold: usize,
        as_published: bool,
    ) -> Self {
        let reaches = |one: &RunTopicCounts, at: usize, percent: u32| {
            let found = u64::from(one.counts[at][threshold]);
            if as_published {
                found >= needed(depths[at], percent)
            } else {
                let looked_at = one.results.min(depths[at]) as u64;
                looked_at > 0 && found * 100 >= u64::from(percent) * looked_at
            }
        };
        let cell = |percent: u32, at: usize| {
            let is_empty = as_published && needed(depths[at], percent) == 0;
            let all = || {
                counts
                    .iter()
                    .filter(|one| reaches(one, at, percent))
                    .count()
            };
            (!is_empty).then(|| all() as u64)
        };
        let row =
            |&percent: &u32| (0..depths.len()).map(|at| cell(percent, at)).collect();
        ShareTable {
            cells: SHARE_ROWS.iter().map(row).collect(),
            run_topics: counts.len() as u64,
        }
    }
}

fn needed(depth: usize, percent: u32) -> u64 {
    depth as u64 * u64::from(percent) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(results: usize, found: u32) -> RunTopicCounts {
        RunTopicCounts {
            run: 0,
            topic: 0,
            results,
            counts: vec![vec![found]],
        }
    }

    #[test]
    fn a_share_is_reached_exactly_or_rounded_down() {
        let counts = [one(100, 0), one(100, 1), one(100, 2), one(5, 1)];
        let exact = ShareTable::new(&counts, &[10], 0, false);
        let column: Vec<_> = exact.cells.iter().take(5).map(|row| row[0]).collect();
        // 1 of 10, 2 of 10 and 1 of 5.
        assert_eq!(column, [Some(3), Some(3), Some(2), Some(2), Some(0)]);
        let published = ShareTable::new(&counts, &[10], 0, true);
        let column: Vec<_> = published.cells.iter().take(5).map(|row| row[0]).collect();
        assert_eq!(column, [None, Some(3), Some(3), Some(1), Some(1)]);
    }
}
