//! A map from numbers to numbers that is emptied at no cost, for loops that need a small one
//! very often.

/// Slots of the smallest map.
const SMALLEST: usize = 64;

/// The map. Keys are spread by a multiplication, so they may have any pattern.
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
struct Slot {
    stamp: u32,
    key: u32,
    value: u32,
}

impl ReusedMap {
    /// Empties it, and makes room for about so many keys.
    pub fn begin(&mut self, expected: usize) {
        let slots = (expected.saturating_mul(2))
            .next_power_of_two()
            .max(SMALLEST);
        if self.slots.len() < slots {
            self.slots.resize(slots, Slot::default());
        }
        self.mask = slots - 1;
        self.len = 0;
        self.stamp = self.stamp.wrapping_add(1);
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
