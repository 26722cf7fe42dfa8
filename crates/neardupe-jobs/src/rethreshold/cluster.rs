//! Clusters of the pairs that are left.
//!
//! Star clusters are made of the sorted pairs by the code of the core (`cluster::from_pairs`),
//! which takes documents in the order of keeping. Components need the similarity of each member
//! with its representative, which may not be a pair at the new threshold: it is looked up among
//! the pairs below it, then among the old duplicates. If neither has it the job is refused, since
//! only the texts could answer.

use super::RethresholdTask;
use super::documents::StoredDocuments;
use super::write::PairsAbove;
use neardupe_core::cluster::from_pairs::Stars;
use neardupe_core::cluster::union_find::UnionFind;
use neardupe_core::error::{Error, Result};
use neardupe_core::numbers::{Column, IdRank, PriorityRank};
use neardupe_core::pipeline::result::MemberRow;
use neardupe_core::pipeline::rows;
use neardupe_core::pipeline::{ClusterMode, Rule};
use neardupe_core::ratio::Ratio;
use neardupe_core::similarity::Similarity;
use neardupe_core::store::{Rows, Sorter};

/// A document that is not kept.
pub(super) struct Member {
    /// Its place in the order of ids.
    pub(super) rank: u32,
    /// The document that is kept instead.
    pub(super) representative: u32,
    /// Why it is a duplicate.
    pub(super) rule: Rule,
    /// For the columns of similarity.
    pub(super) alike: Alike,
}

/// How alike a member and its representative are.
#[derive(Clone, Copy)]
pub(super) enum Alike {
    /// From the table of pairs: exact, whatever the measure.
    Overlap(u32),
    /// As it was written: similarity and both containments, in millionths.
    Written([u64; 3]),
}

impl Alike {
    /// Similarity and both containments.
    pub(super) fn ratios(
        self,
        similarity: Similarity,
        size: u32,
        other: u32,
    ) -> [Ratio; 3] {
        match self {
            Alike::Overlap(overlap) => {
                let ratio = similarity.ratio(overlap, size, other);
                let [overlap, size, other] = [overlap, size, other].map(u64::from);
                [ratio, Ratio::new(overlap, size), Ratio::new(overlap, other)]
            }
            Alike::Written(millionths) => {
                millionths.map(|part| Ratio::new(part, 1_000_000))
            }
        }
    }
}

/// What clustering found.
pub(super) struct Clustered {
    /// Duplicates by id.
    pub(super) members: Vec<Member>,
    /// Clusters by the id of the representative.
    pub(super) rows: Rows<MemberRow>,
}

/// Makes clusters as the old job did, of the pairs that are left. Memory is that of a few
/// numbers per document; pairs are read from disk.
pub(super) fn cluster(
    task: &RethresholdTask<'_>,
    documents: &StoredDocuments,
    above: &PairsAbove,
) -> Result<Clustered> {
    let members = match task.result.summary().cluster()? {
        ClusterMode::Star => star(task, documents, above)?,
        ClusterMode::Components => components(task, documents, above)?,
        ClusterMode::None => Vec::new(),
        ClusterMode::Neighbors => {
            let rows = neighbors(task, documents, above)?;
            let members = Vec::new();
            return Ok(Clustered { members, rows });
        }
    };
    let duplicates = members.iter();
    let duplicates = duplicates
        .map(|member| [member.rank, member.representative].map(IdRank::new).into());
    let rows = Rows::of(rows::member_rows(duplicates));
    Ok(Clustered { members, rows })
}

/// The rule of a duplicate follows from stored numbers: equal sets have an overlap of both sizes,
/// equal texts the same hash.
fn rule(documents: &StoredDocuments, one: u32, other: u32, overlap: u32) -> Rule {
    // Called only for pairs that reach the threshold.
    let equal_sets = overlap == documents.size(one) && overlap == documents.size(other);
    let text = |rank: u32| documents.text_hashes[rank as usize];
    rows::rule(equal_sets, text(one) == text(other))
}

/// With containment a document is kept for smaller ones only, unless the old job said otherwise.
fn star(
    task: &RethresholdTask<'_>,
    documents: &StoredDocuments,
    above: &PairsAbove,
) -> Result<Vec<Member>> {
    // In the order of keeping, as `Stars` wants them.
    let sizes = documents.ranks.iter().map(|&rank| documents.size(rank));
    let sizes: Column<PriorityRank, u32> = sizes.collect();
    let only_larger = task.similarity()? == Similarity::Containment
        && !task.result.summary().is_on("remove-containing");
    let mut stars = Stars::new(&sizes, task.bounds()?, only_larger);
    above.rows.for_each(|pair| {
        stars.pair(pair);
        Ok(())
    })?;
    let belongs = stars.finish();
    let members = (0..documents.len()).filter_map(|rank| {
        // None for a document that is kept, or that is in no pair.
        let found = belongs[PriorityRank::new(documents.keep_rank(rank))]?;
        let representative = documents.ranks[found.to.index()];
        Some(Member {
            rank,
            representative,
            rule: rule(documents, rank, representative, found.overlap),
            alike: Alike::Overlap(found.overlap),
        })
    });
    Ok(members.collect())
}

/// Joins the pairs, takes the first document of each part by the order of keeping as its
/// representative, and looks for the similarity of all others with it.
fn components(
    task: &RethresholdTask<'_>,
    documents: &StoredDocuments,
    above: &PairsAbove,
) -> Result<Vec<Member>> {
    let mut parts = UnionFind::new(documents.len());
    above.rows.for_each(|pair| {
        parts.union(pair.later, pair.earlier);
        Ok(())
    })?;
    // The smallest place of a part is kept.
    let mut leads = |rank: u32| {
        let keep_rank = parts.find(PriorityRank::new(documents.keep_rank(rank)));
        documents.ranks[keep_rank.index()]
    };
    let leaders: Vec<u32> = (0..documents.len()).map(&mut leads).collect();
    let mut alike: Vec<Option<Alike>> = vec![None; leaders.len()];
    // Pairs below the new threshold are in the old result too.
    for pair in task.result.pairs()? {
        let pair = pair?;
        let left = documents.rank(&pair.left, pair.left_source.as_deref())?;
        let right = documents.rank(&pair.right, pair.right_source.as_deref())?;
        // Either side may be the representative of the other.
        for (one, other) in [(left, right), (right, left)] {
            if leaders[one as usize] == other {
                alike[one as usize] = Some(Alike::Overlap(pair.overlap));
            }
        }
    }
    // And pairs below the old one among its duplicates, if they have the same representative.
    // These have rounded numbers, which is why pairs come first.
    for row in task.result.duplicates()? {
        let row = row?;
        // Components are made of one side alone.
        let rank = documents.rank(&row.id, None)?;
        let known = &mut alike[rank as usize];
        if known.is_none() && documents.id(leaders[rank as usize]) == row.duplicate_of {
            let [one, two, three] = [
                row.similarity,
                row.containment,
                row.containment_of_representative,
            ]
            .map(millionths);
            *known = Some(Alike::Written([one, two, three]));
        }
    }
    let bounds = task.bounds()?;
    let mut members = Vec::new();
    for rank in 0..documents.len() {
        let leader = leaders[rank as usize];
        if leader == rank {
            continue;
        }
        let Some(alike) = alike[rank as usize] else {
            let message = format!(
                "how similar {:?} and {:?} are is not in the result: they are linked by others, \
                 below {}; run find `threshold` {}",
                documents.id(rank),
                documents.id(leader),
                task.result.summary().threshold()?,
                task.threshold
            );
            let name = task.result.folder().display().to_string();
            return Err(Error::input(name, message));
        };
        // Linked: in the part only by way of others.
        let rule = match alike {
            Alike::Overlap(overlap)
                if bounds.reached(
                    overlap,
                    documents.size(rank),
                    documents.size(leader),
                ) =>
            {
                rule(documents, rank, leader, overlap)
            }
            _ => Rule::Linked,
        };
        members.push(Member {
            rank,
            representative: leader,
            rule,
            alike,
        });
    }
    Ok(members)
}

/// Six decimals as a whole number.
#[expect(clippy::cast_possible_truncation, reason = "from 0 to a million")]
#[expect(clippy::cast_sign_loss, reason = "from 0 to a million")]
fn millionths(ratio: f64) -> u64 {
    (ratio * 1e6).round() as u64
}

/// Each pair is two rows, one for each side: every document leads the list of those similar to
/// it.
fn neighbors(
    task: &RethresholdTask<'_>,
    documents: &StoredDocuments,
    above: &PairsAbove,
) -> Result<Rows<MemberRow>> {
    let mut sorter = Sorter::new(task.work, "neighbors", task.row_bytes);
    above.rows.for_each(|pair| {
        let rank =
            |keep_rank: PriorityRank| IdRank::new(documents.ranks[keep_rank.index()]);
        let row = rows::pair_row(rank(pair.later), rank(pair.earlier), pair.overlap);
        let mut rows = rows::neighbor_rows(row).into_iter();
        rows.try_for_each(|row| sorter.push(row))
    })?;
    sorter.finish()
}
