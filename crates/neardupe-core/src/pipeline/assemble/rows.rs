//! The rows of a result, made of ranks in the order of ids and of integers alone.
//!
//! A job calls these functions with what it knows of its documents; whoever knows the same of
//! them from elsewhere (an index, rows of a cluster of machines, a stored result) makes the
//! same rows.

use crate::document::DocIdx;
use crate::numbers::IdRank;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Why a document is a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Its text equals that of the representative.
    EqualText,
    /// Its feature set equals that of the representative.
    EqualFeatures,
    /// Its resemblance with the representative reaches the threshold.
    Similar,
    /// Only a chain of similar documents leads to the representative (components).
    Linked,
}

impl Rule {
    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Rule::EqualText => "equal-text",
            Rule::EqualFeatures => "equal-features",
            Rule::Similar => "similar",
            Rule::Linked => "linked",
        }
    }
}

/// A document that is removed, and the one that is kept instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Duplicate {
    /// The duplicate.
    pub document: DocIdx,
    /// The representative of its cluster.
    pub representative: DocIdx,
    /// Number of common features.
    pub overlap: u32,
    /// Why.
    pub rule: Rule,
}

/// Documents that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The one that is kept; its id names the cluster.
    pub representative: DocIdx,
    /// All members by id, the representative included.
    pub members: Vec<DocIdx>,
}

/// Duplicates by rule, the one definition of these numbers: each duplicate counts once, by its rule with
/// its own representative, as the table of duplicates has it. Without representatives (neighbors, no
/// clusters) equal documents are those that have the text, or the features, of one before them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCounts {
    /// The text of the representative.
    pub equal_text: u64,
    /// Its features, but not its text.
    pub equal_features: u64,
    /// Similar to it.
    pub similar: u64,
    /// Only a chain of similar documents leads to it.
    pub linked: u64,
}

impl RuleCounts {
    /// Counts the rules of duplicates.
    pub fn of(rules: impl IntoIterator<Item = Rule>) -> Self {
        let mut counts = RuleCounts::default();
        for rule in rules {
            *match rule {
                Rule::EqualText => &mut counts.equal_text,
                Rule::EqualFeatures => &mut counts.equal_features,
                Rule::Similar => &mut counts.similar,
                Rule::Linked => &mut counts.linked,
            } += 1;
        }
        counts
    }

    /// Each rule with its number, the plainest reason first.
    pub fn each(&self) -> [(Rule, u64); 4] {
        [
            (Rule::EqualText, self.equal_text),
            (Rule::EqualFeatures, self.equal_features),
            (Rule::Similar, self.similar),
            (Rule::Linked, self.linked),
        ]
    }
}

/// A pair as it is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct PairRow {
    /// The document with the smaller id.
    pub left: IdRank,
    /// The other one.
    pub right: IdRank,
    /// Number of common features.
    pub overlap: u32,
}

/// A member of a cluster as it is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct MemberRow {
    /// The representative.
    pub representative: IdRank,
    /// Another member.
    pub member: IdRank,
}

/// Which of two sides a document is on, and whether new ones are compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// New documents are compared with each other: always, unless there are old ones.
    pub within: bool,
}

impl Compared {
    /// Whether two documents are compared at all: old ones are not with each other.
    #[inline]
    pub fn are_compared(self, left_is_old: bool, right_is_old: bool) -> bool {
        match [left_is_old, right_is_old] {
            [true, true] => false,
            [false, false] => self.within,
            _ => true,
        }
    }
}

/// Why a document is a duplicate of one that it is similar to.
#[inline]
pub fn rule(has_equal_features: bool, has_equal_text: bool) -> Rule {
    match (has_equal_features, has_equal_text) {
        (true, true) => Rule::EqualText,
        (true, false) => Rule::EqualFeatures,
        (false, _) => Rule::Similar,
    }
}

/// A pair, given by the ranks of its documents in the order of ids.
#[inline]
pub fn pair_row(one: IdRank, other: IdRank, overlap: u32) -> PairRow {
    PairRow {
        left: one.min(other),
        right: one.max(other),
        overlap,
    }
}

/// The rows of all clusters in their order, given the rank of each duplicate and of its
/// representative.
pub fn member_rows(
    duplicates: impl IntoIterator<Item = (IdRank, IdRank)>,
) -> Vec<MemberRow> {
    let rows = duplicates.into_iter();
    let rows = rows.map(|(member, representative)| MemberRow {
        representative,
        member,
    });
    let mut rows: Vec<MemberRow> = rows.collect();
    rows.par_sort_unstable();
    rows
}

/// The two rows that a pair becomes where each document has a cluster of all that are similar
/// to it.
#[inline]
pub fn neighbor_rows(pair: PairRow) -> [MemberRow; 2] {
    [(pair.left, pair.right), (pair.right, pair.left)].map(|(representative, member)| {
        MemberRow {
            representative,
            member,
        }
    })
}

/// Number of clusters in rows that are in order.
pub fn num_clusters(rows: &[MemberRow]) -> u64 {
    let clusters = rows.chunk_by(|row, next| row.representative == next.representative);
    clusters.count() as u64
}

/// All members of a cluster in the order of ids, the representative in its place. `rows` are in
/// order and have one representative.
pub fn members(rows: &[MemberRow]) -> Vec<IdRank> {
    let Some(representative) = rows.first().map(|row| row.representative) else {
        return Vec::new();
    };
    // Members are in order without the representative, which is put among them.
    let at = rows.partition_point(|row| row.member < representative);
    let mut members = Vec::with_capacity(rows.len() + 1);
    members.extend(rows.iter().map(|row| row.member));
    members.insert(at, representative);
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn the_plainest_reason_is_the_rule() {
        assert_eq!(rule(true, true), Rule::EqualText);
        assert_eq!(rule(true, false), Rule::EqualFeatures);
        assert_eq!(rule(false, false), Rule::Similar);
    }

    #[test]
    fn old_documents_are_not_compared_with_each_other() {
        let compared = |within: bool| {
            [(true, true), (true, false), (false, true), (false, false)]
                .map(|(left, right)| Compared { within }.are_compared(left, right))
        };
        assert_eq!(compared(true), [false, true, true, true]);
        assert_eq!(compared(false), [false, true, true, false]);
    }

    #[test]
    fn a_pair_has_the_smaller_place_left_and_is_a_neighbor_from_both_sides() {
        let pair = pair_row(IdRank::new(7), IdRank::new(3), 5);
        let [left, right] = [pair.left.get(), pair.right.get()];
        assert_eq!((left, right, pair.overlap), (3, 7, 5));
        let rows =
            neighbor_rows(pair).map(|row| (row.representative.get(), row.member.get()));
        assert_eq!(rows, [(3, 7), (7, 3)]);
    }

    proptest! {
        #[test]
        fn clusters_have_their_duplicates_and_their_representative(
            belongs in prop::collection::btree_map(0u32..40, 40u32..45, 0..30),
            shift in 0u32..45,
        ) {
            // Representatives stand anywhere among their members.
            let place = |document: u32| IdRank::new((document + shift) % 45);
            let duplicates = belongs.iter().map(|(&one, &of)| (place(one), place(of)));
            let rows = member_rows(duplicates.clone());
            let mut expected: BTreeMap<IdRank, BTreeSet<IdRank>> = BTreeMap::new();
            for (member, representative) in duplicates {
                expected.entry(representative).or_default().extend([member, representative]);
            }
            prop_assert_eq!(num_clusters(&rows), expected.len() as u64);
            let clusters = rows.chunk_by(|row, next| row.representative == next.representative);
            for (rows, (representative, of)) in clusters.zip(expected) {
                prop_assert_eq!(rows[0].representative, representative);
                prop_assert_eq!(members(rows), of.into_iter().collect::<Vec<_>>());
            }
        }
    }
}
