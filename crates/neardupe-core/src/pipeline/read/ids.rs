//! Ids: made unique, and put in order.

use super::documents::{Documents, id_seed};
use crate::document::DocIdx;
use crate::error::Result;
use crate::hash::{self, FixedMap};
use crate::numbers::{Column, IdRank, MaybeIdRank};
use rayon::prelude::*;

/// What distinguishes the documents of one id: the first of them keeps the id, the others become
/// `id#2`, `id#3` and so on. `same` has all documents of the id, each by the hash of its text
/// and its number; they are put in this order. Numbers that would make an id which some document
/// was given are passed over: `is_taken` knows ids of the form `id#n`.
///
/// Each document that gets a suffix, and its suffix.
pub fn suffixes_of<D: Copy + Ord + Send>(
    id: &str,
    same: &mut [(u128, D)],
    is_taken: impl Fn(&str) -> bool,
) -> Vec<(D, u32)> {
    same.par_sort_unstable();
    let mut suffix = 1u32;
    let others = same.iter().skip(1);
    let numbered = others.map(|&(_, document)| {
        suffix += 1;
        while is_taken(&format!("{id}#{suffix}")) {
            suffix += 1;
        }
        (document, suffix)
    });
    numbered.collect()
}

/// The suffixes of all documents whose id another one has too. `hashes` are those of all ids,
/// sorted.
pub(in crate::pipeline) fn suffixes(
    documents: &Documents,
    hashes: &[(u64, DocIdx)],
) -> Result<FixedMap<DocIdx, u32>> {
    let taken = |id: &str, seed: u64| {
        let hash = hash::bytes(id.as_bytes(), seed);
        // A hash that happens to be that of another id makes a number be passed over: rare, and the same in every run.
        let at = hashes.partition_point(|&(other, _)| other < hash);
        hashes.get(at).is_some_and(|&(other, _)| other == hash)
    };
    let mut suffixes = FixedMap::default();
    for run in hashes.chunk_by(|left, right| left.0 == right.0) {
        if run.len() == 1 {
            continue;
        }
        let with_text = |&(_, document): &(u64, DocIdx)| {
            Ok((documents.text_hash(document)?, document))
        };
        let mut rest: Vec<(u128, DocIdx)> =
            run.par_iter().map(with_text).collect::<Result<_>>()?;
        // Once, unless two different ids have one hash.
        while let Some(&(_, first)) = rest.first() {
            let id = documents.given_id(first)?;
            let (mut same, mut others) = (Vec::new(), Vec::new());
            for one in rest {
                if documents.given_id(one.1)? == id {
                    same.push(one);
                } else {
                    others.push(one);
                }
            }
            let seed = id_seed(documents.is_old(first));
            suffixes.extend(suffixes_of(&id, &mut same, |id| taken(id, seed)));
            rest = others;
        }
    }
    Ok(suffixes)
}

/// Puts some of the documents in the order of their ids.
pub fn sort_documents(documents: &Documents, some: &mut [DocIdx]) -> Result<()> {
    sort_by_id(documents, some, 0)
}

/// Documents in the order of their ids.
#[derive(Debug, Default)]
pub struct IdOrder {
    documents: Column<IdRank, DocIdx>,
    ranks: Column<DocIdx, MaybeIdRank>,
}

impl IdOrder {
    /// Puts some of the documents in order.
    pub(in crate::pipeline) fn new(
        documents: &Documents,
        mut some: Vec<DocIdx>,
    ) -> Result<Self> {
        sort_by_id(documents, &mut some, 0)?;
        let some: Column<IdRank, DocIdx> = Column::of(some);
        let mut ranks = Column::filled(MaybeIdRank::NONE, documents.len() as usize);
        for (rank, &document) in some.iter() {
            ranks[document] = rank.into();
        }
        Ok(IdOrder {
            documents: some,
            ranks,
        })
    }

    /// Number of documents that have a rank.
    pub(in crate::pipeline) fn len(&self) -> usize {
        self.documents.len()
    }

    /// The rank of a document that can have a similar one: only these are put in order.
    #[inline]
    pub fn rank(&self, document: DocIdx) -> IdRank {
        let rank = self.ranks[document].get();
        rank.expect("only documents that can have a similar one are asked for")
    }

    /// The document of a rank.
    #[inline]
    pub fn document(&self, rank: IdRank) -> DocIdx {
        self.documents[rank]
    }
}

/// Documents that are simply compared.
const FEW: usize = 256;

/// Sorts documents whose ids agree in the first `skip` bytes: by the next sixteen after those
/// that all have in common, then those that agree in these too. Ids are in the log, so
/// comparing them one by one would read each of them many times.
fn sort_by_id(documents: &Documents, some: &mut [DocIdx], skip: usize) -> Result<()> {
    if some.len() <= FEW {
        let with_id = |&document: &DocIdx| Ok((documents.id(document)?, document));
        let mut ids = some.iter().map(with_id).collect::<Result<Vec<_>>>()?;
        ids.sort_unstable();
        for (place, (_, document)) in some.iter_mut().zip(ids) {
            *place = document;
        }
        return Ok(());
    }
    // Ids of one collection often begin alike, as addresses do: what all have in common decides nothing.
    let first = documents.id(some[0])?;
    let common = |&document: &DocIdx| -> Result<usize> {
        let id = documents.id(document)?;
        let pairs = first.bytes().zip(id.bytes()).skip(skip);
        Ok(pairs.take_while(|(left, right)| left == right).count())
    };
    let common = some
        .par_iter()
        .map(common)
        .try_reduce(|| usize::MAX, |left, right| Ok(left.min(right)))?;
    let skip = skip + common;
    let key = |&document: &DocIdx| {
        let mut key = [0; 16];
        let id = documents.id(document)?;
        let rest = id.as_bytes().get(skip..).unwrap_or_default();
        let len = rest.len().min(16);
        key[..len].copy_from_slice(&rest[..len]);
        Ok((u128::from_be_bytes(key), document))
    };
    let mut keys: Vec<(u128, DocIdx)> =
        some.par_iter().map(key).collect::<Result<_>>()?;
    keys.par_sort_unstable();
    let mut groups = Vec::new();
    for (place, &(_, document)) in some.iter_mut().zip(&keys) {
        *place = document;
    }
    let mut rest = some;
    for group in keys.chunk_by(|left, right| left.0 == right.0) {
        let (same, after) = rest.split_at_mut(group.len());
        if same.len() > 1 {
            groups.push(same);
        }
        rest = after;
    }
    // Before the next level makes keys of its own.
    drop(keys);
    let refine = |same: &mut [DocIdx]| sort_by_id(documents, same, skip + 16);
    groups.into_par_iter().try_for_each(refine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn documents_of_one_id_are_numbered_by_text_and_place() {
        let mut same = [(7, 3), (7, 1), (2, 9)];
        let taken = ["a#2", "a#4", "b#3"];
        let found = suffixes_of("a", &mut same, |id| taken.contains(&id));
        assert_eq!(found, [(1, 3), (3, 5)]);
        assert_eq!(suffixes_of("a", &mut [(7, 3)], |_| false), []);
        assert_eq!(suffixes_of::<u32>("a", &mut [], |_| false), []);
    }

    proptest! {
        #[test]
        fn ids_become_unique_in_whatever_order_the_documents_come(
            texts in prop::collection::vec(0u128..4, 1..20),
            taken in prop::collection::btree_set(2u32..20, 0..8),
            seed in any::<u64>(),
        ) {
            let is_taken = |id: &str| {
                taken.iter().any(|number| id == format!("x#{number}"))
            };
            let mut same: Vec<(u128, u32)> = texts.into_iter().zip(0..).collect();
            let in_order = suffixes_of("x", &mut same.clone(), is_taken);
            same.sort_by_key(|&(_, place)| hash::mix(u64::from(place) ^ seed));
            let num_documents = same.len();
            prop_assert_eq!(&suffixes_of("x", &mut same, is_taken), &in_order);
            prop_assert_eq!(in_order.len(), num_documents - 1);
            let numbers: BTreeSet<u32> = in_order.iter().map(|&(_, number)| number).collect();
            prop_assert_eq!(numbers.len(), in_order.len());
            prop_assert!(numbers.is_disjoint(&taken) && !numbers.contains(&1));
            // No smaller number was free.
            let largest = numbers.last().copied().unwrap_or(1);
            prop_assert!((2..=largest).all(|one| numbers.contains(&one) || taken.contains(&one)));
        }
    }
}
