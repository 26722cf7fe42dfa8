//! The order in which the documents of the pairs are kept, as it is written beside them.
//!
//! With all pairs and this order a result can be clustered again at a higher threshold
//! without the documents themselves.

use super::priority::Priority;
use super::rows::PairRow;
use crate::error::Result;
use crate::numbers::{Column, IdRank, MaybePriorityRank, PriorityRank};
use crate::pipeline::read::ids::IdOrder;
use crate::store::Rows;
use rayon::prelude::*;

/// Ranks of the documents that occur in a pair, from 0.
#[derive(Debug, Default)]
pub struct PriorityRanks {
    /// None for a document that is in no pair.
    ranks: Column<IdRank, MaybePriorityRank>,
}

impl PriorityRanks {
    /// The ranks of the documents of these pairs.
    pub(in crate::pipeline) fn of(
        pairs: &Rows<PairRow>,
        order: &IdOrder,
        priority: &Priority<'_>,
    ) -> Result<Self> {
        let mut in_pair = Column::filled(false, order.len());
        pairs.for_each(|pair| {
            in_pair[pair.left] = true;
            in_pair[pair.right] = true;
            Ok(())
        })?;
        let paired = in_pair.iter().filter(|&(_, &in_pair)| in_pair);
        let mut by_priority: Vec<IdRank> = paired.map(|(rank, _)| rank).collect();
        by_priority.par_sort_unstable_by(|&left, &right| {
            priority.compare(order.document(left), order.document(right))
        });
        let mut ranks = Column::filled(MaybePriorityRank::NONE, order.len());
        for (rank, document) in PriorityRank::default().onward().zip(by_priority) {
            ranks[document] = rank.into();
        }
        Ok(PriorityRanks { ranks })
    }

    /// The two ranks of each document that is in a pair, in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = (IdRank, PriorityRank)> + '_ {
        let ranks = self.ranks.iter();
        ranks.filter_map(|(document, rank)| Some((document, rank.get()?)))
    }
}
