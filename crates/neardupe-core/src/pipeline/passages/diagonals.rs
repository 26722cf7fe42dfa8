//! The search by diagonals of matching sentences (the pdc-mr paper), on the texts of a job.
//!
//! The method itself is in `passage::sentence_pairs`, and knows documents as numbers: old ones
//! first. Here the numbers are ranks of texts, where new ones come first; they are exchanged on the
//! way in ([`Order::old_first`]) and back ([`Order::new_first`]). Equal texts are one, so a copy
//! costs nothing and its passages are added at the end, as in the search by seeds.

use super::config::{Diagonals, PassagesConfig};
use super::order::Order;
use super::search::PassageRow;
use super::seed_lists::FrequentRow;
use super::texts::TextStore;
use crate::document::{Progress, check_cancelled};
use crate::error::Result;
use crate::passage::sentence_pairs::{DiagonalConfig, SentenceCounts, find_diagonals};
use crate::passage::sentences::Sentences;
use crate::passage::{Scratch, SentenceSigner};
use crate::store::{Rows, Sorter, WorkDir};
use rayon::prelude::*;
use std::ops::Range;

/// Texts that a thread goes through at a time.
const BATCH: u32 = 256;
/// Places of a sentence that can take part, for each document that may have it: a list that repeats
/// an entry a thousand times is not prose.
const MOST_IN_TEXT: u32 = 16;

/// What was found.
pub(super) struct DiagonalsFound {
    pub(super) rows: Rows<PassageRow>,
    pub(super) frequent: Rows<FrequentRow>,
    pub(super) counts: SentenceCounts,
}

/// A search by diagonals.
pub(super) struct DiagonalSearch<'a> {
    pub(super) config: &'a PassagesConfig,
    pub(super) settings: &'a Diagonals,
    pub(super) order: &'a Order,
    pub(super) texts: &'a TextStore,
    pub(super) work: &'a WorkDir,
    pub(super) progress: &'a dyn Progress,
}

impl DiagonalSearch<'_> {
    /// Finds all passages.
    pub(super) fn run(&self) -> Result<DiagonalsFound> {
        let (config, settings) = (self.config, self.settings);
        // The largest number stands for no limit in the configuration of passages.
        let limited = config.max_documents < u32::MAX;
        let diagonal_config = DiagonalConfig {
            matching: settings.signature.matching(settings.tau),
            gamma: settings.gamma,
            within_document: settings.within_document,
            max_documents: limited.then_some(config.max_documents),
            max_sentences: limited
                .then(|| config.max_documents.saturating_mul(MOST_IN_TEXT)),
            num_old: self.order.num_old(),
            budget: config.budget,
        };
        let sentences = Sentences::new(&diagonal_config, self.work);
        let num_texts = self.order.len();
        self.progress.begin("sentences", u64::from(num_texts));
        let starts: Vec<u32> = (0..num_texts).step_by(BATCH as usize).collect();
        starts.par_iter().try_for_each(|&start| -> Result<()> {
            check_cancelled(self.progress)?;
            // One for a batch of texts: its buffers serve all of them.
            let mut signer =
                SentenceSigner::new(&settings.signature, &settings.words, settings.seed);
            let mut collector = sentences.collector();
            let end = num_texts.min(start + BATCH);
            for rank in start..end {
                let rest = self.texts.rest(self.order.text(rank))?;
                let (text, mut from) = (rest.text(), 0);
                for (number, (to, _)) in (0u32..).zip(rest.sentences()) {
                    let features = signer.sign(&text[from..to]);
                    collector.sentence(self.order.old_first(rank), number, features)?;
                    from = to;
                }
            }
            self.progress.advance(u64::from(end - start));
            collector.finish()
        })?;
        let found = find_diagonals(sentences, self.progress)?;
        let mut rows = Sorter::new(self.work, "passages", config.budget.rows);
        let mut places = SentenceWords::new(self);
        found.diagonals.for_each(|one| {
            let (mut left, mut right) = (
                (self.order.new_first(one.left), one.left_first),
                (self.order.new_first(one.right), one.right_first),
            );
            // With old texts first, an old one was the left side; here the new one is.
            if left > right {
                (left, right) = (right, left);
            }
            // A document is compared with itself if that was asked for, whichever side it is on.
            if left.0 != right.0 && !self.order.are_compared(left.0, right.0) {
                return Ok(());
            }
            rows.push(places.row(left, right, one.len)?)
        })?;
        let mut frequent =
            Sorter::new(self.work, "frequent-rows", config.budget.rows / 4);
        found.for_each_frequent(|one| {
            let rank = self.order.new_first(one.document);
            let mut buffer = Vec::new();
            let words = self.texts.words(self.order.text(rank), &mut buffer)?;
            let at = words
                .words_of_sentences(one.sentence..one.sentence + 1)
                .start;
            frequent.push(FrequentRow::new(one.num_documents, rank, at))
        })?;
        Ok(DiagonalsFound {
            rows: rows.finish()?,
            frequent: frequent.finish()?,
            counts: found.counts,
        })
    }
}

/// Turns sentences into words.
struct SentenceWords<'a> {
    order: &'a Order,
    texts: &'a TextStore,
    left: Vec<u32>,
    right: Vec<u32>,
    scratch: Scratch,
}

impl<'a> SentenceWords<'a> {
    fn new(search: &DiagonalSearch<'a>) -> Self {
        SentenceWords {
            order: search.order,
            texts: search.texts,
            left: Vec::new(),
            right: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// A diagonal as a passage in words, with the resemblance of the words: sentences may match by
    /// less than equality, so the number of sentences alone says little.
    fn row(
        &mut self,
        left: (u32, u32),
        right: (u32, u32),
        len: u32,
    ) -> Result<PassageRow> {
        let (order, texts) = (self.order, self.texts);
        let in_left = texts.words(order.text(left.0), &mut self.left)?;
        let in_right = texts.words(order.text(right.0), &mut self.right)?;
        let of_left = in_left.words_of_sentences(left.1..left.1 + len);
        let of_right = in_right.words_of_sentences(right.1..right.1 + len);
        let range = |range: &Range<u32>| range.start as usize..range.end as usize;
        let (common, union) = self.scratch.resemblance(
            &in_left.words[range(&of_left)],
            &in_right.words[range(&of_right)],
        );
        Ok(PassageRow {
            left: left.0,
            right: right.0,
            left_start: of_left.start,
            left_end: of_left.end,
            right_start: of_right.start,
            right_end: of_right.end,
            common,
            union,
        })
    }
}
