//! How far two orders of systems agree.

use std::cmp::Ordering;

/// Kendall's tau-b of two lists of scores of the same systems: with ties the denominator counts
/// only pairs that are not tied. None for fewer than two systems, or where all are tied. Every
/// pair is looked at: there are hundreds of systems, not millions.
pub fn kendall_tau(before: &[f64], after: &[f64]) -> Option<f64> {
    let (mut agree, mut differ, mut ties_before, mut ties_after) =
        (0u64, 0u64, 0u64, 0u64);
    let mut pairs = 0u64;
    for right in 0..before.len() {
        for left in 0..right {
            pairs += 1;
            let one = compared(before[left], before[right]);
            let two = compared(after[left], after[right]);
            ties_before += u64::from(one == Ordering::Equal);
            ties_after += u64::from(two == Ordering::Equal);
            if one != Ordering::Equal && two != Ordering::Equal {
                if one == two {
                    agree += 1;
                } else {
                    differ += 1;
                }
            }
        }
    }
    let (open_before, open_after) = (pairs - ties_before, pairs - ties_after);
    if open_before == 0 || open_after == 0 {
        return None;
    }
    let whole = (open_before as f64).sqrt() * (open_after as f64).sqrt();
    Some((agree as f64 - differ as f64) / whole)
}

/// tau-AP (Yilmaz, Aslam, Robertson 2008) of the order after against the order before: as
/// Kendall's tau, but exchanges at the top weigh more. Systems that are tied after stand in the
/// order of the list; a pair that was tied before counts as half right.
pub fn tau_ap(before: &[f64], after: &[f64]) -> Option<f64> {
    if before.len() < 2 {
        return None;
    }
    let mut order: Vec<usize> = (0..after.len()).collect();
    order.sort_by(|&one, &two| compared(after[two], after[one]));
    let mut sum = 0.0;
    for (rank, &system) in order.iter().enumerate().skip(1) {
        let right: f64 = order[..rank]
            .iter()
            .map(|&above| match compared(before[above], before[system]) {
                Ordering::Greater => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Less => 0.0,
            })
            .sum();
        sum += right / rank as f64;
    }
    Some(2.0 * sum / (before.len() - 1) as f64 - 1.0)
}

/// Scores are means: what differs by rounding alone is equal.
fn compared(one: f64, two: f64) -> Ordering {
    if (one - two).abs() < 1e-12 {
        Ordering::Equal
    } else {
        one.total_cmp(&two)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(one: Option<f64>, two: f64) -> bool {
        one.is_some_and(|one| (one - two).abs() < 1e-9)
    }

    #[test]
    fn values_of_other_programs() {
        // scipy.stats.kendalltau 1.17 (tau-b).
        let one = [12.0, 2.0, 1.0, 12.0, 2.0];
        let two = [1.0, 4.0, 7.0, 1.0, 0.0];
        assert!(near(kendall_tau(&one, &two), -0.471_404_520_791_031_7));
        assert_eq!(kendall_tau(&[1.0, 1.0], &[2.0, 3.0]), None);
        assert_eq!(kendall_tau(&[1.0], &[2.0]), None);
        // By hand: the two best exchanged among four, then the two worst.
        let before = [4.0, 3.0, 2.0, 1.0];
        assert!(near(
            tau_ap(&before, &[3.0, 4.0, 2.0, 1.0]),
            2.0 / 3.0 * 2.0 - 1.0
        ));
        assert!(near(
            tau_ap(&before, &[4.0, 3.0, 1.0, 2.0]),
            2.0 / 3.0 * (8.0 / 3.0) - 1.0
        ));
    }

    proptest! {
        #[test]
        fn without_ties_tau_counts_inversions(
            after in Just((0..12u32).map(f64::from).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let before: Vec<f64> = (0..12u32).map(f64::from).collect();
            // The slow twin: as many exchanges of neighbors as sorting takes.
            let mut list = after.clone();
            let mut exchanges = 0.0;
            for _ in 0..list.len() {
                for at in 1..list.len() {
                    if list[at - 1] > list[at] {
                        list.swap(at - 1, at);
                        exchanges += 1.0;
                    }
                }
            }
            prop_assert!(near(kendall_tau(&before, &after), 1.0 - 2.0 * exchanges / 66.0));
            let all = tau_ap(&before, &after).unwrap();
            prop_assert!((-1.0..=1.0).contains(&all));
            prop_assert!(near(tau_ap(&after, &after), 1.0));
            let reversed: Vec<f64> = after.iter().map(|score| -score).collect();
            prop_assert!(near(tau_ap(&after, &reversed), -1.0));
        }
    }
}
