//! What ids can mean: the id itself, or the n-th document of an id that repeats.
//!
//! An id with `#2` at its end is ambiguous: a document may have been given this id by its author,
//! or by a job because the id repeats. The author's comes first; both meanings are looked for in
//! one pass.

use neardupe_core::document::Position;
use neardupe_core::hash::{FixedMap, FixedSet};

/// The ids that are looked for.
#[derive(Debug, Default)]
pub(super) struct WantedIds {
    /// Ids as given or made, which one or more documents may have.
    pub(super) bases: Vec<Base>,
    /// Number of the base by its id.
    by_id: FixedMap<String, usize>,
    /// Number of the base by the place of a record without an id of its own.
    by_place: FixedMap<Position, usize>,
}

/// An id that documents may have.
#[derive(Debug)]
pub(super) struct Base {
    /// The id, as typed or as the base of a numbered one.
    pub(super) id: String,
    /// How many of the documents that have it can be meant: the first so many.
    pub(super) most: usize,
}

impl WantedIds {
    /// What these ids can mean: each itself, and `a#2` also the second document of the id `a`.
    pub(super) fn new(ids: &[String]) -> Self {
        let mut wanted = WantedIds::default();
        for id in ids {
            wanted.add(id, 1);
            if let Some((base, number)) = numbered_id(id) {
                wanted.add(base, number as usize);
            }
        }
        wanted
    }

    /// Adds an id, or raises how many of its documents are held.
    fn add(&mut self, id: &str, most: usize) {
        match self.by_id.get(id) {
            Some(&at) => self.bases[at].most = self.bases[at].most.max(most),
            None => {
                self.by_id.insert(id.to_owned(), self.bases.len());
                let id = id.to_owned();
                self.bases.push(Base { id, most });
            }
        }
    }

    /// The ids that may be the number of a record in a file: name and number.
    pub(super) fn numbered(&self, names: &[String]) -> Vec<(String, u64)> {
        let names: FixedSet<&str> = names.iter().map(String::as_str).collect();
        let mut numbered = Vec::new();
        for base in &self.bases {
            if let Some((name, number)) = base.id.rsplit_once(':')
                && let Ok(number) = number.parse::<u64>()
                // Zeros in front or a sign are no number that the program writes.
                && base.id.ends_with(&format!(":{number}"))
                && names.contains(name)
            {
                numbered.push((name.to_owned(), number));
            }
        }
        numbered
    }

    /// Where the records are whose ids, if they have none of their own, are made so.
    pub(super) fn add_places(&mut self, places: Vec<(Position, String)>) {
        for (position, id) in places {
            if let Some(&at) = self.by_id.get(&id) {
                self.by_place.insert(position, at);
            }
        }
    }

    /// The number of the base that a record has.
    pub(super) fn base_of(&self, id: Option<&str>, position: Position) -> Option<usize> {
        match id {
            Some(id) => self.by_id.get(id).copied(),
            None => self.by_place.get(&position).copied(),
        }
    }

    /// The base and number that an id as given takes from those that repeat: no document
    /// gets `a#2` for its second `a` when another has it as its own.
    pub(super) fn taken_by(&self, id: &str) -> Option<(usize, u32)> {
        let (base, number) = numbered_id(id)?;
        Some((*self.by_id.get(base)?, number))
    }
}

/// An id that ends as those of repeated ids do, in two parts.
pub fn numbered_id(id: &str) -> Option<(&str, u32)> {
    let (base, digits) = id.rsplit_once('#')?;
    let number = digits.parse::<u32>().ok().filter(|&number| number >= 2)?;
    // Written as we write it: no sign, no zeros in front.
    (number.to_string() == digits).then_some((base, number))
}
