//! From signatures that match to sentences that match: one row for each pair of sentences.
//!
//! Pairs of sets meet the sentences of the left set, then those of the right one, by two sorts: no
//! set's sentences are looked up anywhere, so no table of them must fit in memory. The cost is that
//! of the sorts, of about one row per sentence and per pair of sentences.

use super::groups::DocumentSentence;
use super::sentence_pairs::DiagonalConfig;
use super::ticker::Ticker;
use crate::document::Progress;
use crate::error::Result;
use crate::store::{Rows, Sorter, WorkDir};
use bytemuck::{Pod, Zeroable};

/// Two sentences that match. The order of the fields is the order of the sort:
/// [`DiagonalLines`](super::diagonals::DiagonalLines) relies on it to meet each diagonal from its root on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct MatchRow {
    /// The document with the smaller number.
    pub left: u32,
    /// The other one, or the same.
    pub right: u32,
    /// Number of the right sentence less that of the left one, and [`MIDDLE`] more.
    pub diagonal: u32,
    /// The left sentence.
    pub first: u32,
}

/// The diagonal of sentences with the same number. Numbers of sentences are below it
/// (`MAX_SENTENCE` in [`sentences`](super::sentences)), so the difference of two fits on either
/// side.
pub const MIDDLE: u32 = 1 << 31;

/// Takes pairs of sentences that match.
pub(super) struct Matches<'w> {
    within_document: bool,
    num_old: u32,
    /// Rows that were pushed.
    len: u64,
    sorter: Sorter<'w, MatchRow>,
    ticker: Ticker<'w>,
}

impl<'w> Matches<'w> {
    pub(super) fn new(
        config: &DiagonalConfig,
        work: &'w WorkDir,
        progress: &'w dyn Progress,
    ) -> Self {
        Matches {
            within_document: config.within_document,
            num_old: config.num_old,
            len: 0,
            sorter: Sorter::new(work, "matches", config.budget.rows),
            // The stage is measured by rows of sentences.
            // There can be far more of them than sentences.
            ticker: Ticker::silent(progress),
        }
    }

    /// All pairs of sentences that have the same signature, given in order.
    pub(super) fn equal(&mut self, places: &[DocumentSentence]) -> Result<()> {
        // Places come by document, and old documents have the smaller numbers: from here on
        // places are new.
        let first_new = places.partition_point(|place| place.document < self.num_old);
        let mut next_document = 0;
        for (at, &place) in places.iter().enumerate() {
            // Where the next document begins, found once per document.
            if next_document <= at {
                let same = |other: &DocumentSentence| other.document == place.document;
                let rest = &places[at..];
                next_document = at + rest.iter().take_while(|other| same(other)).count();
            }
            let mut from = if self.within_document {
                at + 1
            } else {
                next_document
            };
            // Two old sentences are not compared: an old one begins with the new ones.
            if place.document < self.num_old {
                from = from.max(first_new);
            }
            // Quadratic in the sentences of one signature; `max_documents` and
            // `max_sentences` bound it.
            for &other in &places[from..] {
                self.push(place, other)?;
            }
        }
        Ok(())
    }

    /// Two sentences, in any order.
    fn pair(&mut self, one: DocumentSentence, other: DocumentSentence) -> Result<()> {
        // The pair came by the order of sets, not of documents.
        let (left, right) = (one.min(other), one.max(other));
        let same_document = left.document == right.document;
        if right.document < self.num_old || same_document && !self.within_document {
            return Ok(());
        }
        self.push(left, right)
    }

    fn push(&mut self, left: DocumentSentence, right: DocumentSentence) -> Result<()> {
        self.ticker.tick()?;
        self.len += 1;
        self.sorter.push(row(left, right))
    }

    /// Bytes of the rows so far.
    pub(super) fn bytes(&self) -> u64 {
        self.len * size_of::<MatchRow>() as u64
    }

    pub(super) fn finish(self) -> Result<Rows<MatchRow>> {
        self.sorter.finish()
    }
}

fn row(left: DocumentSentence, right: DocumentSentence) -> MatchRow {
    MatchRow {
        left: left.document,
        right: right.document,
        // Numbers of sentences are below the middle.
        diagonal: MIDDLE + right.sentence - left.sentence,
        first: left.sentence,
    }
}

/// What is known of a set: where it occurs, then what it meets. Sorted by set and then by `kind`,
/// all places of a set come before the first thing that it meets: see [`meet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
struct MeetingRow {
    set: u32,
    kind: u32,
    /// Document and sentence; or the set that is met, and nothing.
    what: [u32; 2],
}

const OCCURS: u32 = 0;
const MEETS: u32 = 1;

/// Takes pairs of sets, then the sentences of these sets, in any order.
#[derive(Debug)]
pub(super) struct SetPairs<'w> {
    left: Sorter<'w, MeetingRow>,
    right: Sorter<'w, MeetingRow>,
}

impl<'w> SetPairs<'w> {
    pub(super) fn new(config: &DiagonalConfig, work: &'w WorkDir) -> Self {
        let bytes = config.budget.rows / 2;
        SetPairs {
            left: Sorter::new(work, "set-pairs-left", bytes),
            right: Sorter::new(work, "set-pairs-right", bytes),
        }
    }

    /// A pair of sets.
    pub(super) fn pair(&mut self, left: u32, right: u32) -> Result<()> {
        self.left.push(MeetingRow {
            set: left,
            kind: MEETS,
            what: [right, 0],
        })
    }

    /// Sentences of a set that is the left one of some pair.
    pub(super) fn left_places(
        &mut self,
        set: u32,
        places: &[DocumentSentence],
    ) -> Result<()> {
        occurrences(&mut self.left, set, places)
    }

    /// Sentences of a set that is the right one of some pair.
    pub(super) fn right_places(
        &mut self,
        set: u32,
        places: &[DocumentSentence],
    ) -> Result<()> {
        occurrences(&mut self.right, set, places)
    }

    /// Gives each pair of sentences to `matches`.
    pub(super) fn expand(self, matches: &mut Matches<'_>) -> Result<()> {
        let SetPairs { left, mut right } = self;
        // First sort, by the left set: a row (left set, meets, right set) becomes a row
        // (right set, meets, sentence) for each sentence of the left set. The second sort,
        // by the right set, brings these to the sentences of the right set.
        meet(&left.finish()?, |places, [partner, _]| {
            for place in places {
                right.push(MeetingRow {
                    set: partner,
                    kind: MEETS,
                    what: [place.document, place.sentence],
                })?;
            }
            Ok(())
        })?;
        meet(&right.finish()?, |places, [document, sentence]| {
            let one = DocumentSentence { document, sentence };
            places
                .iter()
                .try_for_each(|&other| matches.pair(one, other))
        })
    }
}

fn occurrences(
    sorter: &mut Sorter<'_, MeetingRow>,
    set: u32,
    places: &[DocumentSentence],
) -> Result<()> {
    places.iter().try_for_each(|place| {
        sorter.push(MeetingRow {
            set,
            kind: OCCURS,
            what: [place.document, place.sentence],
        })
    })
}

/// Calls `visit` with the sentences of each set and each thing that it meets.
fn meet(
    rows: &Rows<MeetingRow>,
    mut visit: impl FnMut(&[DocumentSentence], [u32; 2]) -> Result<()>,
) -> Result<()> {
    let (mut set, mut places) = (None, Vec::new());
    rows.for_each(|row| {
        // Only the places of one set are held. Rows of a set that meets nothing are passed
        // over.
        if set != Some(row.set) {
            set = Some(row.set);
            places.clear();
        }
        if row.kind == MEETS {
            return visit(&places, row.what);
        }
        let [document, sentence] = row.what;
        places.push(DocumentSentence { document, sentence });
        Ok(())
    })
}
