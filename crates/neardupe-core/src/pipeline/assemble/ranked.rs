//! Pairs, duplicates and clusters of documents as rows in the order of ids, and back.

use super::rows::{self, Cluster, Duplicate, MemberRow, PairRow};
use crate::document::DocIdx;
use crate::pair::Pair;
use crate::pipeline::read::documents::Documents;
use crate::pipeline::read::ids::IdOrder;
use rayon::prelude::*;

/// A pair with the smaller id left.
pub fn pair_row(order: &IdOrder, one: DocIdx, other: DocIdx, overlap: u32) -> PairRow {
    rows::pair_row(order.rank(one), order.rank(other), overlap)
}

/// The pair of a row.
pub fn pair_of(documents: &Documents, order: &IdOrder, row: PairRow) -> Pair {
    let (left, right) = (order.document(row.left), order.document(row.right));
    let (left_size, right_size) = documents.sizes(left, right);
    Pair {
        left,
        right,
        overlap: row.overlap,
        left_size,
        right_size,
    }
}

/// Sorts duplicates by id.
pub fn sort_duplicates(order: &IdOrder, duplicates: &mut [Duplicate]) {
    duplicates.par_sort_unstable_by_key(|duplicate| order.rank(duplicate.document));
}

/// The rows of all clusters, given their duplicates.
pub fn member_rows(order: &IdOrder, duplicates: &[Duplicate]) -> Vec<MemberRow> {
    rows::member_rows(duplicates.iter().map(|duplicate| {
        let representative = order.rank(duplicate.representative);
        (order.rank(duplicate.document), representative)
    }))
}

/// The cluster of rows that have one representative; itself is put in its place.
pub fn cluster_of(order: &IdOrder, rows: &[MemberRow]) -> Cluster {
    let members = rows::members(rows).into_iter();
    Cluster {
        representative: order.document(rows[0].representative),
        members: members.map(|rank| order.document(rank)).collect(),
    }
}
