//! Stretches of numbered places (characters or sentences), each of something with a key: how
//! many places they cover when every place counts once. The measures of passages are quotients of
//! these numbers.

/// Places `start..end` of what the key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stretch<Key> {
    pub(super) key: Key,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Sorts stretches and joins those that touch: what is left is disjoint and covers the same.
pub(super) fn join<Key: Ord + Copy>(stretches: &mut Vec<Stretch<Key>>) {
    stretches.retain(|one| one.start < one.end);
    // By key and start: whatever touches a stretch comes right after what it was joined to.
    stretches.sort_unstable();
    stretches.dedup_by(|next, last| {
        let touches = next.key == last.key && next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
}

/// How many places disjoint stretches cover.
pub(super) fn covered<Key>(joined: &[Stretch<Key>]) -> u64 {
    joined
        .iter()
        .map(|one| u64::from(one.end - one.start))
        .sum()
}

/// How many places two lists of joined stretches have in common.
pub(super) fn common<Key: Ord + Copy>(
    left: &[Stretch<Key>],
    right: &[Stretch<Key>],
) -> u64 {
    let (mut at_left, mut at_right, mut common) = (0, 0, 0);
    while let (Some(one), Some(other)) = (left.get(at_left), right.get(at_right)) {
        if one.key == other.key {
            let (start, end) = (one.start.max(other.start), one.end.min(other.end));
            common += u64::from(end.saturating_sub(start));
        }
        // Whichever ends first meets nothing more.
        if (one.key, one.end) <= (other.key, other.end) {
            at_left += 1;
        } else {
            at_right += 1;
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn places(stretches: &[Stretch<u8>]) -> BTreeSet<(u8, u32)> {
        let all = stretches.iter();
        all.flat_map(|one| (one.start..one.end).map(|place| (one.key, place)))
            .collect()
    }

    fn some() -> impl Strategy<Value = Vec<Stretch<u8>>> {
        let one = (0u8..3, 0u32..30, 0u32..8).prop_map(|(key, start, length)| Stretch {
            key,
            start,
            end: start + length,
        });
        proptest::collection::vec(one, 0..12)
    }

    proptest! {
        #[test]
        fn places_are_counted_once(mut left in some(), mut right in some()) {
            let (in_left, in_right) = (places(&left), places(&right));
            join(&mut left);
            join(&mut right);
            prop_assert_eq!(places(&left), in_left.clone());
            prop_assert_eq!(covered(&left), in_left.len() as u64);
            let both = in_left.intersection(&in_right).count() as u64;
            prop_assert_eq!(common(&left, &right), both);
        }
    }
}
