//! Which texts and sets have been met, so that equal ones are put away once.
//!
//! Remembered up to a limit: beyond it an equal text or set may be put away again, which
//! costs room and time; equal sets are brought together before they are compared.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks: many more than threads.
const PARTS: usize = 256;
/// Bytes for each hash, with the room that tables leave free.
const CLAIM_BYTES: u64 = 30;

/// Hashes and the sets they lead to, split so that threads seldom wait for each other.
#[derive(Debug)]
pub(in crate::pipeline) struct Claims {
    parts: Vec<Mutex<HashTable<Claim>>>,
    room: AtomicU64,
}

/// 96 bits of a hash are kept: among a billion texts two agree in them by chance with a
/// probability of 10^-11.
#[derive(Debug, Clone, Copy)]
struct Claim {
    high: u64,
    low: u32,
    set: u32,
}

impl Claim {
    /// A claim to a hash.
    #[expect(clippy::cast_possible_truncation, reason = "cut in pieces")]
    fn new(hash: u128, set: u32) -> Self {
        let (high, low) = ((hash >> 64) as u64, hash as u32);
        Claim { high, low, set }
    }

    /// Whether it is a claim to the same hash.
    fn is(&self, other: &Claim) -> bool {
        (self.high, self.low) == (other.high, other.low)
    }

    /// The part is chosen by the top bits: the table uses the others.
    fn spread(&self) -> u64 {
        self.high.rotate_left(8)
    }
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pipeline) enum Claimed {
    /// Nobody had it.
    First,
    /// It leads to this set.
    Known(u32),
    /// Nobody had it as far as is known, and there is no room to remember it.
    NoRoom,
}

impl Claims {
    /// Nothing met yet; room for about this many bytes.
    pub(in crate::pipeline) fn new(bytes: u64) -> Self {
        Claims {
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
            room: AtomicU64::new(bytes / CLAIM_BYTES),
        }
    }

    /// The part that a claim is in, locked.
    fn part(&self, claim: &Claim) -> MutexGuard<'_, HashTable<Claim>> {
        let part = &self.parts[(claim.high >> 56) as usize];
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The set a hash leads to.
    pub(in crate::pipeline) fn get(&self, hash: u128) -> Option<u32> {
        let claim = Claim::new(hash, 0);
        let part = self.part(&claim);
        let found = part.find(claim.spread(), |other| other.is(&claim));
        found.map(|found| found.set)
    }

    /// From now on the hash leads to what `set` gives, unless it leads somewhere already.
    pub(in crate::pipeline) fn claim(
        &self,
        hash: u128,
        set: impl FnOnce() -> u32,
    ) -> Claimed {
        let mut claim = Claim::new(hash, 0);
        let mut part = self.part(&claim);
        let entry = part.entry(claim.spread(), |other| other.is(&claim), Claim::spread);
        match entry {
            Entry::Occupied(entry) => Claimed::Known(entry.get().set),
            Entry::Vacant(entry) => {
                let take = |room: u64| room.checked_sub(1);
                // Room is taken before the number is: a claim without room must not use up a number here.
                let taken =
                    self.room
                        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
                if taken.is_err() {
                    return Claimed::NoRoom;
                }
                // Under the lock of the part: two threads with the same hash get one number.
                claim.set = set();
                entry.insert(claim);
                Claimed::First
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;

    #[test]
    fn hashes_are_remembered_as_long_as_there_is_room() {
        let claims = Claims::new(CLAIM_BYTES * 100);
        let hash = |number: u32| hash::text(&number.to_string());
        for number in 0..100 {
            assert_eq!(claims.get(hash(number)), None);
            assert_eq!(claims.claim(hash(number), || number + 7), Claimed::First);
        }
        for number in 0..100 {
            assert_eq!(claims.get(hash(number)), Some(number + 7));
            let again = claims.claim(hash(number), || 0);
            assert_eq!(again, Claimed::Known(number + 7));
        }
        assert_eq!(claims.claim(hash(100), || 0), Claimed::NoRoom);
        assert_eq!(claims.get(hash(100)), None);
    }
}
