//! Ids that are written like one that no document has: most likely it was mistyped.
//!
//! The measure is crude on purpose: common beginning and end, in time linear in the length of an
//! id. It sees all documents of a collection, and an edit distance would cost the product of two
//! lengths for each of them.

use neardupe_core::document::FileRead;

/// Ids for which alike ones are sought: more would cost more than they help.
const MOST_IDS: usize = 8;
/// Similar ids that are named.
const MOST_TOLD: usize = 3;
/// File names that are looked at.
const MOST_FILES: usize = 100_000;

/// The nearest ids so far of each that is sought.
#[derive(Debug, Default)]
pub(super) struct Nearest {
    /// What is sought, with the best found so far; empty when too many ids are asked for.
    sought: Vec<(String, Vec<Near>)>,
}

/// How much an id has in common with another one, and the id.
type Near = (usize, String);

impl Nearest {
    /// Seeks ids that are written like these.
    pub(super) fn new<'a>(ids: impl Iterator<Item = &'a str>) -> Self {
        let sought = ids.map(|id| (id.to_owned(), Vec::new()));
        let sought: Vec<_> = sought.collect();
        if sought.len() <= MOST_IDS {
            Nearest { sought }
        } else {
            Nearest::default()
        }
    }

    /// An id that a document has.
    pub(super) fn see(&mut self, id: &str) {
        for (sought, near) in &mut self.sought {
            let common = common(sought, id);
            // At least half of it in common: ids of a collection often share a long beginning.
            if common * 2 >= sought.len() {
                keep(near, common, id);
            }
        }
    }

    /// Puts together what all threads have seen, and ids made of file names.
    pub(super) fn merge(all: Vec<Nearest>, files: &[FileRead]) -> Nearest {
        let mut all = all.into_iter();
        let mut merged = all.next().unwrap_or_default();
        for other in all {
            for ((_, near), (_, others)) in merged.sought.iter_mut().zip(other.sought) {
                for (common, id) in others {
                    keep(near, common, &id);
                }
            }
        }
        for (sought, near) in &mut merged.sought {
            // Files of many records have too many ids to guess one, so what they hold is
            // named; the others have one record each.
            // A mistyped path is the usual cause of a missing `path:number`.
            let (path, number) = sought.rsplit_once(':').unwrap_or((sought, "1"));
            for file in files
                .iter()
                .take(MOST_FILES)
                .filter(|file| file.records > 0)
            {
                let common = common(path, &file.name);
                if common * 2 >= path.len() && path != file.name {
                    // Two more than the path has in common: such an id is the likelier one.
                    let number = number.parse::<u64>().unwrap_or(1);
                    let number = number.clamp(1, file.records);
                    keep(near, common + 2, &format!("{}:{number}", file.name));
                } else if path == file.name {
                    let last = format!("{}:{}", file.name, file.records);
                    keep(near, common + 2, &last);
                }
            }
        }
        merged
    }

    /// The nearest to an id.
    pub(super) fn of(&self, id: &str) -> Vec<String> {
        let found = self.sought.iter().find(|(sought, _)| sought == id);
        let near = found.into_iter().flat_map(|(_, near)| near);
        let near = near.map(|(_, near)| near.clone());
        near.filter(|near| near != id).collect()
    }
}

/// Keeps an id if it is among the nearest; equal ones in the order of their bytes.
fn keep(near: &mut Vec<Near>, common: usize, id: &str) {
    let place = near.partition_point(|(other, known)| {
        *other > common || (*other == common && known.as_str() < id)
    });
    let known = near.get(place).is_some_and(|(_, known)| known == id);
    if place < MOST_TOLD && !known {
        near.insert(place, (common, id.to_owned()));
        near.truncate(MOST_TOLD);
    }
}

/// Bytes that two ids have in common at their beginnings and ends.
fn common(left: &str, right: &str) -> usize {
    let same = |pair: &(u8, u8)| pair.0.eq_ignore_ascii_case(&pair.1);
    let front = left.bytes().zip(right.bytes()).take_while(same).count();
    let back = left.bytes().rev().zip(right.bytes().rev());
    let back = back.take_while(same).count();
    (front + back).min(left.len()).min(right.len())
}
