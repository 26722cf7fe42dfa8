//! Which document is kept before which, with all that the rule asks for at hand.

use super::field_values::{FieldRanks, FieldValues};
use crate::cluster::priority::{Candidate, Keep};
use crate::document::DocIdx;
use crate::error::Result;
use crate::numbers::FieldRank;
use crate::pipeline::read::documents::Documents;
use crate::pipeline::read::ids::IdOrder;
use std::cmp::Ordering;

/// The order in which documents are kept.
#[derive(Debug)]
pub struct Priority<'a> {
    keep: &'a Keep,
    documents: &'a Documents,
    order: &'a IdOrder,
    fields: FieldRanks,
    largest_first: bool,
}

impl<'a> Priority<'a> {
    /// `fields` are the names of the metadata that documents carry. `largest_first` when only
    /// the smaller of two sets can be removed: then the rule decides between equal sizes.
    pub fn new(
        keep: &'a Keep,
        documents: &'a Documents,
        order: &'a IdOrder,
        fields: &[String],
        largest_first: bool,
    ) -> Result<Self> {
        let fields = FieldRanks::new(keep, documents, fields)?;
        Ok(Priority {
            keep,
            documents,
            order,
            fields,
            largest_first,
        })
    }

    /// What the field of the rule holds; None for a rule without a field.
    pub fn values(&self) -> Option<&FieldValues> {
        self.fields.values.as_ref()
    }

    /// All that the rule may ask of a document. Made for each comparison: a few loads, which is less than a table of all
    /// documents would cost.
    fn candidate(&self, document: DocIdx) -> Candidate {
        Candidate {
            is_new: !self.documents.is_old(document),
            larger_first: self.largest_first.then(|| self.documents.size(document)),
            size: self.documents.weight(document),
            chars: self.documents.chars(document),
            id_rank: self.order.rank(document),
            // Without a field all have the same rank.
            field_rank: match self.fields.ranks.get(document) {
                Some(&rank) => rank,
                None => FieldRank::default().into(),
            },
            document,
        }
    }

    /// The document that is kept before the other comes first.
    pub fn compare(&self, left: DocIdx, right: DocIdx) -> Ordering {
        self.keep
            .compare(&self.candidate(left), &self.candidate(right))
    }
}
