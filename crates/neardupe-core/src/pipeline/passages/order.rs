//! Texts in the order of their documents' ids: which is left and which is right of a pair, and
//! in what order pairs come, depends on nothing else.
//!
//! There are three numbers of a text, and this file alone leads from one to another: its *number*, by
//! which it is stored, in the order in which threads met it; its *rank* here, by the id of its first
//! document, by which it is searched; and the ranks of its documents, by which passages are written.

use super::collect::CollectedTexts;
use super::config::PassagesConfig;
use super::search::PassageRow;
use crate::error::Result;
use crate::numbers::{DocIdx, IdRank, MaybeNumber, of_len};
use crate::pipeline::documents::Documents;
use crate::pipeline::ids::IdOrder;
use crate::store::{Budget, Rows, Sorter, WorkDir};

/// Ranks of documents and of texts. Against old documents, the new ones come first.
#[derive(Debug)]
pub(super) struct Order {
    /// The document of each rank.
    documents: Vec<DocIdx>,
    /// The rank of the text of each document, by the document's rank.
    text_ranks: Vec<u32>,
    /// The number of each text, by rank.
    texts: Vec<u32>,
    /// Ranks of the documents that have each text, by its rank.
    starts: Vec<u32>,
    of_text: Vec<u32>,
    /// Texts from this rank on are of old documents.
    num_new: u32,
    /// New ones are compared with each other too.
    within: bool,
}

impl Order {
    /// Orders what was collected. Documents without a word have no text and are left out.
    pub(super) fn new(
        config: &PassagesConfig,
        documents: &Documents,
        collected: &CollectedTexts,
    ) -> Result<Self> {
        let with_text = documents.all().filter(|&one| documents.set(one).is_some());
        let by_id = IdOrder::new(documents, with_text.collect())?;
        // Texts are no more than documents, and these are numbered by 32 bits.
        let ranks = IdRank::first(of_len(by_id.len()));
        let mut order: Vec<DocIdx> = ranks.map(|rank| by_id.document(rank)).collect();
        drop(by_id);
        // Stable: within each side they stay in the order of their ids.
        order.sort_by_key(|&document| documents.is_old(document));
        let mut rank_of = vec![MaybeNumber::NONE; collected.num_words.len()];
        let (mut texts, mut counts, mut text_ranks) =
            (Vec::new(), Vec::new(), Vec::new());
        let mut num_new = 0;
        for &document in &order {
            // All that are in the order have a text.
            let Some(read_as) = documents.set(document) else {
                continue;
            };
            // Where a text was put away twice, one of them stands for both.
            let same = collected.same.get(read_as.index());
            let number = same.copied().unwrap_or(read_as.get());
            let rank = rank_of[number as usize].get().unwrap_or_else(|| {
                let next = of_len(texts.len());
                rank_of[number as usize] = MaybeNumber::some(next);
                texts.push(number);
                counts.push(0u32);
                num_new += u32::from(!documents.is_old(document));
                next
            });
            counts[rank as usize] += 1;
            text_ranks.push(rank);
        }
        // Counting sort: the documents of each text, one text after the other.
        let mut starts: Vec<u32> = Vec::with_capacity(counts.len() + 1);
        let mut start = 0;
        for count in counts {
            starts.push(start);
            start += count;
        }
        let mut next = starts.clone();
        starts.push(start);
        let mut of_text = vec![0; start as usize];
        for (rank, &text) in (0u32..).zip(&text_ranks) {
            of_text[next[text as usize] as usize] = rank;
            next[text as usize] += 1;
        }
        Ok(Order {
            documents: order,
            text_ranks,
            texts,
            starts,
            of_text,
            num_new,
            within: config.against.is_none_or(|against| against.within),
        })
    }

    /// Number of texts.
    pub(super) fn len(&self) -> u32 {
        of_len(self.texts.len())
    }

    /// The number of a text.
    pub(super) fn text(&self, rank: u32) -> u32 {
        self.texts[rank as usize]
    }

    /// The document of a rank.
    pub(super) fn document(&self, rank: u32) -> DocIdx {
        self.documents[rank as usize]
    }

    /// The number of the text of the document of a rank.
    pub(super) fn text_of_document(&self, rank: u32) -> u32 {
        self.text(self.text_ranks[rank as usize])
    }

    /// The rank of the text of the document of a rank.
    pub(super) fn rank_of_text(&self, rank: u32) -> u32 {
        self.text_ranks[rank as usize]
    }

    /// Ranks of the documents that have a text.
    pub(super) fn of_text(&self, rank: u32) -> &[u32] {
        let rank = rank as usize;
        &self.of_text[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }

    /// Number of texts of old documents.
    pub(super) fn num_old(&self) -> u32 {
        self.len() - self.num_new
    }

    /// The rank of a text when old ones come first.
    pub(super) fn old_first(&self, rank: u32) -> u32 {
        match rank.checked_sub(self.num_new) {
            Some(old) => old,
            None => rank + self.num_old(),
        }
    }

    /// The rank of a text that has this one when old ones come first.
    pub(super) fn new_first(&self, rank: u32) -> u32 {
        match rank.checked_sub(self.num_old()) {
            Some(new) => new,
            None => rank + self.num_new,
        }
    }

    /// Whether two texts are compared; the left one comes before the right one.
    pub(super) fn are_compared(&self, left: u32, right: u32) -> bool {
        left < right && left < self.num_new && (self.within || right >= self.num_new)
    }

    /// Passages of texts as passages of documents: the first that have the texts, or all.
    pub(super) fn of_documents(
        &self,
        rows: Rows<PassageRow>,
        expand: bool,
        budget: &Budget,
        work: &WorkDir,
    ) -> Result<Rows<PassageRow>> {
        let mut sorter = Sorter::new(work, "of-documents", budget.rows);
        rows.for_each(|row| {
            let (mut lefts, mut rights) =
                (self.of_text(row.left), self.of_text(row.right));
            if !expand {
                (lefts, rights) = (&lefts[..1], &rights[..1]);
            }
            if row.left == row.right {
                // Of a document with itself, and so for each copy; not of one copy with another.
                for &one in lefts {
                    let (left, right) = (one, one);
                    sorter.push(PassageRow { left, right, ..row })?;
                }
                return Ok(());
            }
            // Two texts of many copies each have a passage for every pair of copies: this is what
            // `expand` asks for, and why it is not the default.
            for &left in lefts {
                for &right in rights {
                    let row = PassageRow { left, right, ..row };
                    sorter.push(if left < right { row } else { row.turned() })?;
                }
            }
            Ok(())
        })?;
        sorter.finish()
    }
}
