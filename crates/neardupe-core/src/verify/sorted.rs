//! What two sorted sets have in common: one walk through both.
//!
//! For sets that are sorted for another reason, and as the obviously right twin of the table
//! of [`super::Verifier`].

/// Calls `visit` with each value that both have, in order. Both are sorted and repeat
/// nothing.
#[inline]
pub fn for_each_common<T: Copy + Ord>(left: &[T], right: &[T], mut visit: impl FnMut(T)) {
    debug_assert!(left.is_sorted_by(|one, next| one < next));
    debug_assert!(right.is_sorted_by(|one, next| one < next));
    let (mut at, mut other) = (0, 0);
    while at < left.len() && other < right.len() {
        let (one, two) = (left[at], right[other]);
        if one == two {
            visit(one);
        }
        // Which one is smaller is not foreseen, so nothing branches on it.
        at += usize::from(one <= two);
        other += usize::from(two <= one);
    }
}

/// Number of values that both have.
#[inline]
pub fn overlap<T: Copy + Ord>(left: &[T], right: &[T]) -> u32 {
    let mut overlap = 0;
    for_each_common(left, right, |_| overlap += 1);
    overlap
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn the_walk_visits_the_intersection(
            left in prop::collection::btree_set(0u32..80, 0..50),
            right in prop::collection::btree_set(0u32..80, 0..50),
        ) {
            let values = |set: &BTreeSet<u32>| set.iter().copied().collect::<Vec<_>>();
            let mut visited = Vec::new();
            for_each_common(&values(&left), &values(&right), |one| visited.push(one));
            let expected: Vec<u32> = left.intersection(&right).copied().collect();
            prop_assert_eq!(overlap(&values(&left), &values(&right)) as usize, expected.len());
            prop_assert_eq!(visited, expected);
        }
    }
}
