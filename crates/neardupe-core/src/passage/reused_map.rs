//! A map from numbers to numbers that is emptied at no cost, for loops that need a small one
//! very often.
//!
//! Open addressing with linear probing. Each slot carries the stamp of the round in which it was
//! filled; a new round has a new stamp, so all slots are empty at once and none is written.
//! Used for the different words of two stretches ([`merge`](super::merge)) and for the texts that
//! share a seed (`pipeline/passages/hits`), both for every pair or text of a search.

/// Slots of the smallest map.
const SMALLEST: usize = 64;

/// The map. Keys are spread by a multiplication, so they may have any pattern. At most half of the
/// slots in use are filled, so a search always meets an empty one and ends.
#[derive(Debug, Default)]
pub struct ReusedMap {
    slots: Vec<Slot>,
    /// Slots in use now, less one: a small map stays small after a large one.
    mask: usize,
    /// Slots with another stamp are empty.
    stamp: u32,
    len: usize,
}

#[derive(Debug, Clone, Copy, Default)]
/// A slot is live when its stamp is that of the map. Stamps begin at 1: a fresh slot, with 0, is
/// empty.
struct Slot {
    stamp: u32,
    key: u32,
    value: u32,
}

impl ReusedMap {
    /// Empties it, and makes room for about so many keys.
    pub fn begin(&mut self, expected: usize) {
        // Twice the keys, so that a right guess seldom grows.
        let slots = (expected.saturating_mul(2))
            .next_power_of_two()
            .max(SMALLEST);
        if self.slots.len() < slots {
            self.slots.resize(slots, Slot::default());
        }
        self.mask = slots - 1;
        self.len = 0;
        self.stamp = self.stamp.wrapping_add(1);
        // After 2^32 rounds old stamps would come to life again: the only time that all
        // slots are written.
        if self.stamp == 0 {
            self.slots.fill(Slot::default());
            self.stamp = 1;
        }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The value of a key; when it has none, it gets this one, and none is returned.
    #[inline]
    pub fn get_or_insert(&mut self, key: u32, value: u32) -> Option<&mut u32> {
        // `slot` stops at the key or at the first empty slot, so one search serves both.
        let at = self.slot(key);
        if self.slots[at].stamp == self.stamp {
            return Some(&mut self.slots[at].value);
        }
        let stamp = self.stamp;
        self.slots[at] = Slot { stamp, key, value };
        self.len += 1;
        if self.len * 2 > self.mask {
            self.grow();
        }
        None
    }

    /// Where a key is, or where it would be.
    #[inline]
    fn slot(&self, key: u32) -> usize {
        // 2^64 divided by the golden ratio; the upper half of the product depends on all
        // bits of the key.
        let spread = u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mut at = spread as usize & self.mask;
        loop {
            let slot = &self.slots[at];
            if slot.stamp != self.stamp || slot.key == key {
                return at;
            }
            at = (at + 1) & self.mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let used = &self.slots[..=self.mask];
        // Taken out before the new round begins, which makes them stale where they are.
        let live: Vec<Slot> = used
            .iter()
            .filter(|slot| slot.stamp == self.stamp)
            .copied()
            .collect();
        self.begin(live.len() * 2);
        for slot in live {
            let _ = self.get_or_insert(slot.key, slot.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_a_map_each_time(
            rounds in prop::collection::vec(
                (0usize..300, prop::collection::vec((0u32..400, any::<u32>()), 0..400)),
                1..6,
            ),
            stamp in prop::sample::select(vec![0, u32::MAX - 2]),
        ) {
            let mut map = ReusedMap { stamp, ..ReusedMap::default() };
            for (expected, entries) in rounds {
                map.begin(expected);
                let mut slow: BTreeMap<u32, u32> = BTreeMap::new();
                for (key, value) in entries {
                    let key = key << 20;
                    let before = map.get_or_insert(key, value).map(|value| {
                        *value = value.wrapping_add(1);
                        *value
                    });
                    let slowly = slow.get_mut(&key).map(|value| {
                        *value = value.wrapping_add(1);
                        *value
                    });
                    slow.entry(key).or_insert(value);
                    prop_assert_eq!(before, slowly);
                    prop_assert_eq!(map.len(), slow.len());
                }
            }
        }
    }
}
