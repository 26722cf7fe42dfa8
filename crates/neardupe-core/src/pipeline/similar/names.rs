//! The ids of what was found, as a job over the same source would give them.
//!
//! Whether an id repeats, and which number a document then gets, depends on all documents:
//! so of each is held what that takes.

use super::hits::FoundDocument;
use crate::document::{FileRead, Position};
use crate::hash::{self, FixedMap, FixedSet};
use crate::pipeline::read::ids::suffixes_of;
use std::collections::BTreeSet;

/// What ids depend on, of all documents.
#[derive(Debug, Default)]
pub(super) struct Names {
    rows: Vec<NameRow>,
}

/// What the id of one document depends on.
#[derive(Debug, Clone, Copy)]
struct NameRow {
    /// Of the id as given; [`MADE`] when there is none.
    id_hash: u64,
    text_hash: [u64; 2],
    position: Position,
}

/// Instead of a hash: the document has no id of its own. A hash that happens to be this
/// one is changed by a bit.
const MADE: u64 = 0;

/// The hash of an id, which is never that of none.
fn hash_of(id: &str) -> u64 {
    hash::bytes(id.as_bytes(), 0).max(1)
}

impl NameRow {
    /// What puts documents of one id in order.
    fn place(&self) -> (u128, Position) {
        let [low, high] = self.text_hash;
        ((u128::from(high) << 64) | u128::from(low), self.position)
    }
}

impl Names {
    /// Takes a document.
    #[expect(clippy::cast_possible_truncation, reason = "cut in two halves")]
    pub(super) fn add(&mut self, id: Option<&str>, text_hash: u128, position: Position) {
        self.rows.push(NameRow {
            id_hash: id.map_or(MADE, hash_of),
            text_hash: [text_hash as u64, (text_hash >> 64) as u64],
            position,
        });
    }

    /// Takes those of another thread.
    pub(super) fn append(&mut self, mut other: Names) {
        self.rows.append(&mut other.rows);
    }

    /// The unique ids of what was found.
    pub(super) fn resolve(
        &self,
        found: &[FoundDocument],
        files: &[FileRead],
    ) -> Vec<String> {
        let ids: Vec<String> = found
            .iter()
            .map(|one| {
                if one.is_made {
                    made_id(files, one.position)
                } else {
                    one.name.clone()
                }
            })
            .collect();
        let mut groups: FixedMap<u64, Vec<(u128, Position)>> = FixedMap::default();
        groups.extend(ids.iter().map(|id| (hash_of(id), Vec::new())));
        // Files whose records may have an id that was found.
        let names: BTreeSet<&str> = ids
            .iter()
            .filter_map(|id| Some(id.rsplit_once(':')?.0))
            .collect();
        let is_named: Vec<bool> = files
            .iter()
            .map(|file| names.contains(&*file.name))
            .collect();
        for row in &self.rows {
            let id_hash = match row.id_hash {
                MADE if is_named[row.position.file as usize] => {
                    hash_of(&made_id(files, row.position))
                }
                id_hash => id_hash,
            };
            if let Some(group) = groups.get_mut(&id_hash) {
                group.push(row.place());
            }
        }
        if groups.values().all(|group| group.len() <= 1) {
            return ids;
        }
        let taken: FixedSet<u64> = self.rows.iter().map(|row| row.id_hash).collect();
        let is_taken = |id: &str| taken.contains(&hash_of(id));
        let mut numbers: FixedMap<u64, FixedMap<Position, u32>> = FixedMap::default();
        let with_number = ids.into_iter().zip(found).map(|(id, one)| {
            let id_hash = hash_of(&id);
            let numbers = numbers.entry(id_hash).or_insert_with(|| {
                let group = groups.get_mut(&id_hash);
                let group = group.map_or(&mut [][..], |group| &mut group[..]);
                suffixes_of(&id, group, is_taken).into_iter().collect()
            });
            match numbers.get(&one.position) {
                None => id,
                Some(number) => format!("{id}#{number}"),
            }
        });
        with_number.collect()
    }
}

/// The id of a document that has none of its own, as a job makes it.
fn made_id(files: &[FileRead], position: Position) -> String {
    let file = &files[position.file as usize];
    format!("{}:{}", file.name, file.record_number(position))
}
