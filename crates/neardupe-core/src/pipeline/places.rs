//! The order in which the documents of the pairs are kept, as it is written beside them.
//!
//! With all pairs and this order a result can be clustered again at a higher threshold
//! without the documents themselves.

use super::assemble::Priority;
use super::ids::IdOrder;
use super::result::PairRow;
use crate::error::Result;
use crate::store::Rows;
use rayon::prelude::*;

/// Not in any pair.
const NONE: u32 = u32::MAX;

/// Places of the documents that occur in a pair: 0 is kept first.
#[derive(Debug, Default)]
pub struct Places {
    /// By place in the order of ids.
    places: Vec<u32>,
}

impl Places {
    /// The places of the documents of these pairs.
    pub(super) fn of(
        pairs: &Rows<PairRow>,
        order: &IdOrder,
        priority: &Priority<'_>,
    ) -> Result<Self> {
        let mut places = vec![NONE; order.len()];
        pairs.for_each(|pair| {
            places[pair.left as usize] = 0;
            places[pair.right as usize] = 0;
            Ok(())
        })?;
        let ranks = (0u32..).zip(&places).filter(|&(_, &place)| place != NONE);
        let mut by_priority: Vec<u32> = ranks.map(|(rank, _)| rank).collect();
        by_priority.par_sort_unstable_by(|&left, &right| {
            priority.compare(order.document(left), order.document(right))
        });
        for (place, rank) in (0u32..).zip(by_priority) {
            places[rank as usize] = place;
        }
        Ok(Places { places })
    }

    /// Rank in the order of ids and place in the order of keeping, by id.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let ranks = (0u32..).zip(self.places.iter().copied());
        ranks.filter(|&(_, place)| place != NONE)
    }
}
