//! Terms: each word with the number of its occurrence, a multiset as a set
//! (the mapdupreducer paper, section 2.1).

use crate::hash;
use crate::hash::FixedMap;

/// Gives a feature for each word and occurrence to `emit`.
pub(super) fn terms(
    words: &[u64],
    seen: &mut FixedMap<u64, u64>,
    seed: u64,
    mut emit: impl FnMut(u64),
) {
    seen.clear();
    for &word in words {
        let occurrence = seen.entry(word).or_insert(0);
        *occurrence += 1;
        emit(hash::numbered(word, *occurrence, seed));
    }
}
