//! Ids: made unique, and put in order.

use super::documents::{Documents, id_seed};
use crate::document::DocIdx;
use crate::error::Result;
use crate::hash::{self, FixedMap};
use rayon::prelude::*;

/// What tells documents of one id apart: `#2` and so on, ordered by content and then by
/// place. `hashes` are those of all ids, sorted.
pub(super) fn suffixes(
    documents: &Documents,
    hashes: &[(u64, u32)],
) -> Result<FixedMap<u32, u32>> {
    let taken = |id: &str, seed: u64| {
        let hash = hash::bytes(id.as_bytes(), seed);
        let at = hashes.partition_point(|&(other, _)| other < hash);
        hashes.get(at).is_some_and(|&(other, _)| other == hash)
    };
    let mut suffixes = FixedMap::default();
    for run in hashes.chunk_by(|left, right| left.0 == right.0) {
        if run.len() == 1 {
            continue;
        }
        let with_text =
            |&(_, number): &(u64, u32)| Ok((documents.text_hash(number)?, number));
        let mut same: Vec<(u128, u32)> =
            run.par_iter().map(with_text).collect::<Result<_>>()?;
        same.par_sort_unstable();
        let base = documents.given_id(same[0].1)?;
        let seed = id_seed(documents.is_old(same[0].1));
        let mut suffix = 2u32;
        for &(_, number) in &same[1..] {
            if documents.given_id(number)? != base {
                // Two different ids with one hash: nothing repeats.
                continue;
            }
            while taken(&format!("{base}#{suffix}"), seed) {
                suffix += 1;
            }
            suffixes.insert(number, suffix);
            suffix += 1;
        }
    }
    Ok(suffixes)
}

/// Documents in the order of their ids.
#[derive(Debug, Default)]
pub struct IdOrder {
    documents: Vec<DocIdx>,
    ranks: Vec<u32>,
}

impl IdOrder {
    /// Puts some of the documents in order.
    pub(super) fn new(documents: &Documents, mut some: Vec<DocIdx>) -> Result<Self> {
        sort_by_id(documents, &mut some, 0)?;
        let mut ranks = vec![u32::MAX; documents.len() as usize];
        for (rank, &document) in (0u32..).zip(&some) {
            ranks[document as usize] = rank;
        }
        Ok(IdOrder {
            documents: some,
            ranks,
        })
    }

    /// Number of documents that have a place.
    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Place of a document in the order.
    pub fn rank(&self, document: DocIdx) -> u32 {
        self.ranks[document as usize]
    }

    /// The document at a place.
    pub fn document(&self, rank: u32) -> DocIdx {
        self.documents[rank as usize]
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
    drop(keys);
    let refine = |same: &mut [DocIdx]| sort_by_id(documents, same, skip + 16);
    groups.into_par_iter().try_for_each(refine)
}
