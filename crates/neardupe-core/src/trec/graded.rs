//! Measures of a ranked list of labels, each with its source.

/// Highest label that gdeval knows: a document with it satisfies with probability 15/16.
const MAX_LABEL: u32 = 4;

fn relevant(gains: &[u32]) -> f64 {
    gains.iter().filter(|&&gain| gain > 0).count() as f64
}

/// Precision at k (trec_eval `P_k`): divided by k also where there are fewer results.
pub(super) fn precision(top: &[u32], k: usize) -> f64 {
    relevant(top) / k as f64
}

/// Recall (trec_eval `recall_k`, `set_recall`); 0 where nothing is relevant.
pub(super) fn recall(top: &[u32], num_relevant: usize) -> f64 {
    match num_relevant {
        0 => 0.0,
        all => relevant(top) / all as f64,
    }
}

/// Average precision (trec_eval `map`).
pub(super) fn average_precision(gains: &[u32], num_relevant: usize) -> f64 {
    let mut found = 0.0;
    let mut sum = 0.0;
    for (rank, &gain) in (1u32..).zip(gains) {
        if gain > 0 {
            found += 1.0;
            sum += found / f64::from(rank);
        }
    }
    match num_relevant {
        0 => 0.0,
        all => sum / all as f64,
    }
}

/// Discounted cumulated gain (Järvelin and Kekäläinen 2002, as trec_eval `ndcg` has it): the
/// label itself, divided by log2(rank + 1).
fn dcg(gains: &[u32]) -> f64 {
    let gains = (2u32..).zip(gains).filter(|(_, gain)| **gain > 0);
    gains
        .map(|(place, &gain)| f64::from(gain) / libm::log2(f64::from(place)))
        .sum()
}

/// nDCG (trec_eval `ndcg`, `ndcg_cut_k`); 0 where nothing is relevant.
pub(super) fn ndcg(top: &[u32], ideal: &[u32]) -> f64 {
    let best = dcg(ideal);
    if best > 0.0 { dcg(top) / best } else { 0.0 }
}

/// Expected reciprocal rank (Chapelle and others 2009, as gdeval has it): a label satisfies with
/// probability (2^label - 1) / 2^4; labels above 4 count as 4.
pub(super) fn err(top: &[u32]) -> f64 {
    let (mut sum, mut goes_on) = (0.0, 1.0);
    for (rank, &gain) in (1u32..).zip(top) {
        let satisfies = f64::from((1u32 << gain.min(MAX_LABEL)) - 1) / 16.0;
        sum += goes_on * satisfies / f64::from(rank);
        goes_on *= 1.0 - satisfies;
    }
    sum
}

/// Rank-biased precision (Moffat and Zobel 2008) of all results; what was not judged is not
/// relevant.
pub(super) fn rbp(gains: &[u32], persistence: f64) -> f64 {
    let (mut sum, mut reaches) = (0.0, 1.0);
    for &gain in gains {
        if gain > 0 {
            sum += reaches;
        }
        reaches *= persistence;
    }
    sum * (1.0 - persistence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(one: f64, two: f64) -> bool {
        (one - two).abs() < 1e-9
    }

    #[test]
    fn values_by_hand() {
        let gains = [0, 3, 1];
        assert!(near(precision(&gains, 10), 0.2));
        assert!(near(average_precision(&gains, 4), (0.5 + 2.0 / 3.0) / 4.0));
        let best = 3.0 + 1.0 / 3f64.log2();
        assert!(near(
            ndcg(&gains, &[3, 1]),
            (3.0 / 3f64.log2() + 0.5) / best
        ));
        let second = 7.0 / 16.0;
        let third = (1.0 - second) / 16.0;
        assert!(near(err(&gains), second / 2.0 + third / 3.0));
        assert!(near(rbp(&gains, 0.8), 0.2 * (0.8 + 0.64)));
        assert!(near(
            ndcg(&[0], &[]) + recall(&[0], 0) + average_precision(&[], 0),
            0.0
        ));
    }

    proptest! {
        /// Each measure again, as sums over ranks with everything counted anew.
        #[test]
        fn values_are_those_of_the_definitions(
            gains in proptest::collection::vec(0u32..6, 0..30),
            missing in proptest::collection::vec(1u32..6, 0..5),
        ) {
            let mut ideal: Vec<u32> = gains.iter().chain(&missing).copied()
                .filter(|&gain| gain > 0).collect();
            ideal.sort_unstable();
            ideal.reverse();
            let at = |rank: usize| relevant(&gains[..rank]) / rank as f64;
            let ranks = || (1..=gains.len()).filter(|&rank| gains[rank - 1] > 0);
            let ap: f64 = ranks().map(at).sum::<f64>() / ideal.len().max(1) as f64;
            prop_assert!(near(average_precision(&gains, ideal.len()), ap));
            let gain_of = |list: &[u32]| -> f64 {
                (0..list.len()).map(|at| f64::from(list[at]) * 2f64.ln() / (at as f64 + 2.0).ln())
                    .sum()
            };
            let best = gain_of(&ideal);
            let value = if best > 0.0 { gain_of(&gains) / best } else { 0.0 };
            prop_assert!(near(ndcg(&gains, &ideal), value));
            let r = |at: usize| (2f64.powi(i32::try_from(gains[at].min(4)).unwrap()) - 1.0) / 16.0;
            let sum: f64 = (0..gains.len()).map(|at| {
                let before: f64 = (0..at).map(|it| 1.0 - r(it)).product();
                before * r(at) / (at as f64 + 1.0)
            }).sum();
            prop_assert!(near(err(&gains), sum));
            let sum: f64 = ranks().map(|rank| 0.8f64.powf(rank as f64 - 1.0)).sum();
            prop_assert!(near(rbp(&gains, 0.8), 0.2 * sum));
        }
    }
}
