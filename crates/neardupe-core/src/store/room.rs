//! Room for large records: how long a record may be in the memory of a job, and who may hold one now.
//!
//! While a record is read and compared its text takes many times its bytes: as stored, decoded, cut
//! into words, as features, in the table that removes repetitions. For ordinary records that is nothing
//! beside a block; a large one can take all memory by itself. So a record must fit a share of the memory
//! by its length, whatever else is held, and large ones wait for each other.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Memory for each byte of the longest record, where a text has a feature for two of its bytes at most,
/// as runs of words have. A third of it is what such a text takes itself (22 bytes for each, as measured
/// with words of one letter; 7 with usual ones). The rest is for what the job has read before.
const MEMORY_FOR_RECORD: u64 = 64;
/// The same where a text has a simhash, which is made of its words and their weights: 72 bytes, as measured.
const MEMORY_WITH_CODE: u64 = 256;
/// Records are large from this share of the longest on.
const LARGE: u64 = 16;

/// How long records may be, and the room that large ones share.
#[derive(Debug)]
pub struct RecordRoom {
    most: u64,
    /// Memory for each byte of the longest record.
    memory_for_record: u64,
    free: Mutex<u64>,
    changed: Condvar,
}

/// Room that was taken; it is free again when this is dropped.
#[derive(Debug)]
pub struct RecordHeld<'a> {
    room: &'a RecordRoom,
    bytes: u64,
}

/// What is made of a record.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordHolds {
    /// Features of a text that has as many as it can, for each 1,000 of its bytes.
    pub features: u64,
    /// A simhash.
    pub code: bool,
}

impl RecordHolds {
    /// Memory for each byte of the longest record: a power of two.
    fn memory(self) -> u64 {
        let by_features = (self.features * 2 * MEMORY_FOR_RECORD).div_ceil(1000);
        let by_code = if self.code { MEMORY_WITH_CODE } else { 0 };
        let most = by_features.max(by_code).max(MEMORY_FOR_RECORD);
        most.next_power_of_two()
    }
}

impl RecordRoom {
    /// The room in so much memory. It follows from the next smaller power of two: where the memory is
    /// found out by the job it differs a little from run to run, and the records that are read must not.
    pub fn new(memory: u64, holds: RecordHolds) -> Self {
        let memory_for_record = holds.memory();
        let most = (1 << memory.max(1).ilog2()) / memory_for_record;
        RecordRoom {
            most,
            memory_for_record,
            free: Mutex::new(most),
            changed: Condvar::new(),
        }
    }

    /// The longest record, in bytes.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// The memory with which a record of so many bytes can be read.
    pub fn memory_for(&self, bytes: u64) -> u64 {
        let needed = bytes.saturating_mul(self.memory_for_record);
        needed.checked_next_power_of_two().unwrap_or(u64::MAX)
    }

    /// Records of more bytes must take room before they are worked on.
    #[inline]
    pub fn large(&self) -> u64 {
        self.most / LARGE
    }

    /// Whether a record of so many bytes must take room.
    #[inline]
    pub fn is_large(&self, bytes: u64) -> bool {
        bytes > self.large()
    }

    /// Waits until there is room for a large record. Who holds room must not ask for more.
    pub fn take(&self, bytes: u64) -> RecordHeld<'_> {
        // Decoding can make a text longer than its record. It then has all of the room.
        let bytes = bytes.min(self.most);
        let mut free = self.lock();
        while *free < bytes {
            let waited = self.changed.wait(free);
            free = waited.unwrap_or_else(PoisonError::into_inner);
        }
        *free -= bytes;
        RecordHeld { room: self, bytes }
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RecordHeld<'_> {
    fn drop(&mut self) {
        *self.room.lock() += self.bytes;
        self.room.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn a_record_fits_the_memory_that_is_named_for_it() {
        for bytes in [1, 1000, 4 << 20, (4 << 20) + 1, 125_000_000] {
            for features in [0, 500, 501, 3000] {
                let holds = RecordHolds {
                    features,
                    code: false,
                };
                let room = |memory: u64| RecordRoom::new(memory, holds);
                let memory = room(256 << 20).memory_for(bytes);
                assert!(room(memory).most() >= bytes);
                assert!(room(memory - 1).most() < bytes);
            }
        }
    }

    #[test]
    fn large_records_wait_until_there_is_room() {
        let room = RecordRoom::new(64 << 20, RecordHolds::default());
        let held = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (room, held) = (&room, &held);
                scope.spawn(move || {
                    for round in 0..50 {
                        let bytes = (thread * 50 + round + 1) * 4_000;
                        let taken = room.take(bytes);
                        let now =
                            held.fetch_add(bytes.min(room.most()), Ordering::SeqCst);
                        assert!(now + bytes.min(room.most()) <= room.most());
                        held.fetch_sub(bytes.min(room.most()), Ordering::SeqCst);
                        drop(taken);
                    }
                });
            }
        });
        assert_eq!(*room.lock(), room.most());
    }
}
