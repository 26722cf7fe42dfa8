//! A pair that is looked at closely: its passages, the plot of its sentences, both texts as far
//! as they are shown.

use super::Named;
use super::choose::{Candidate, PairFacts};
use super::dots::Dots;
use super::sides::{Room, TextPiece, pieces};
use crate::diff::{Diff, DiffLimits, StretchKind};
use neardupe_core::document::Span;
use neardupe_core::error::Result;
use neardupe_core::passage::{CutText, PassageKind, TextCutter};
use neardupe_core::pipeline::PassagesResult;
use neardupe_core::pipeline::passages::Passage;
use std::ops::Range;
use std::time::Duration;

/// Bytes of the text of a document at most, and of all: a page must be below 2 MB.
/// Tags, tables and what escaping adds come on top.
const SIDE_BYTES: usize = 16 << 10;
const ALL_BYTES: usize = 960 << 10;
/// Words of the passages of a pair in which differences are looked for.
const DIFF_WORDS: u32 = 12_000;
/// What a diff may cost. Few words, and a deadline that they do not reach: what is shown must
/// not depend on the time it takes.
const LIMITS: DiffLimits = DiffLimits {
    max_words: 2000,
    deadline: Duration::from_secs(10),
};

/// A pair that is looked at closely.
#[derive(Debug)]
pub(super) struct Example {
    /// Of the pair as a whole.
    pub(super) facts: PairFacts,
    pub(super) left: SideExample,
    pub(super) right: SideExample,
    /// The longest ones, if there are many.
    pub(super) passages: Vec<PassageExample>,
    /// The plot.
    pub(super) dots: Dots,
}

/// One document of it.
#[derive(Debug)]
pub(super) struct SideExample {
    /// Its id, and whether it is an old document.
    pub(super) name: Named,
    /// All characters of it, shown or not.
    pub(super) chars: u64,
    /// Its text as far as it is shown; nothing without text.
    pub(super) pieces: Vec<TextPiece>,
}

/// A passage of it.
#[derive(Debug)]
pub(super) struct PassageExample {
    /// By itself: the kind of a pair is that of its longest one.
    pub(super) kind: PassageKind,
    /// Of the shorter side.
    pub(super) words: u32,
    /// Part and whole.
    pub(super) similarity: (u32, u32),
    /// From 0.
    pub(super) left: Range<u32>,
    /// Sentences on either side.
    pub(super) right: Range<u32>,
}

/// Makes what is shown.
pub(super) struct PairExampleMaker<'a> {
    /// Texts are read from it again, a pair at a time.
    result: &'a PassagesResult,
    /// Whether texts may be shown (`no-text`).
    with_text: bool,
    /// Cuts texts into sentences for the plot.
    cutter: TextCutter,
    /// The sentences of the pair at hand; kept for their memory.
    cuts: [CutText; 2],
    /// Bytes of text that may still be shown.
    left_bytes: usize,
    /// Examples that are still to come, among which these bytes are divided.
    left_examples: usize,
}

impl<'a> PairExampleMaker<'a> {
    /// For `num_examples` pairs: with fewer than announced, some room is not used.
    pub(super) fn new(
        result: &'a PassagesResult,
        with_text: bool,
        num_examples: usize,
    ) -> Self {
        PairExampleMaker {
            result,
            with_text,
            cutter: TextCutter::default(),
            cuts: Default::default(),
            left_bytes: ALL_BYTES,
            left_examples: num_examples,
        }
    }

    /// Makes the example of a pair. Reads both texts and cuts them, which is the cost of the
    /// page; it is done only for pairs that are shown.
    pub(super) fn example(&mut self, candidate: &Candidate) -> Result<Example> {
        let facts = &candidate.facts;
        let texts = [
            self.result.text(facts.left)?,
            self.result.text(facts.right)?,
        ];
        for (text, cut) in texts.iter().zip(&mut self.cuts) {
            self.cutter.cut(text, cut);
        }
        let [left, right] = &self.cuts;
        let dots = Dots::new(left, right, &candidate.passages);
        let [left_pieces, right_pieces] = if self.with_text && self.left_bytes > 0 {
            self.pieces(&texts, &candidate.passages)
        } else {
            Default::default()
        };
        let side = |document, pieces| -> Result<_> {
            Ok(SideExample {
                name: Named::new(self.result, document)?,
                chars: u64::from(self.result.documents.chars(document)),
                pieces,
            })
        };
        let passages = candidate.passages.iter().zip(&candidate.kinds);
        Ok(Example {
            facts: *facts,
            left: side(facts.left, left_pieces)?,
            right: side(facts.right, right_pieces)?,
            passages: passages
                .map(|(passage, &kind)| PassageExample {
                    kind,
                    words: passage.num_words(),
                    similarity: (passage.common, passage.union),
                    left: passage.left.sentences.clone(),
                    right: passage.right.sentences.clone(),
                })
                .collect(),
            dots,
        })
    }

    /// The texts as far as they are shown, and takes their bytes off the room that is left.
    /// Called once per example with text.
    fn pieces(
        &mut self,
        texts: &[String; 2],
        passages: &[Passage],
    ) -> [Vec<TextPiece>; 2] {
        // Half for each side. What one example does not use, the later ones get.
        // What must be escaped takes more room than its share; those after it get less.
        let share = self.left_bytes / 2 / self.left_examples.max(1);
        let room = Room::new(SIDE_BYTES.min(share), passages.len());
        self.left_examples = self.left_examples.saturating_sub(1);
        let edits = edits(texts, passages);
        let left: Vec<Span> = passages.iter().map(|passage| passage.left.span).collect();
        let right: Vec<Span> =
            passages.iter().map(|passage| passage.right.span).collect();
        let pieces = [
            pieces(&texts[0], &left, &edits[0], &room),
            pieces(&texts[1], &right, &edits[1], &room),
        ];
        let bytes = pieces.iter().flatten().map(TextPiece::bytes).sum::<usize>();
        self.left_bytes = self.left_bytes.saturating_sub(bytes);
        pieces
    }
}

/// Of each passage on either side, the stretches that the other side lacks.
fn edits(texts: &[String; 2], passages: &[Passage]) -> [Vec<Vec<Span>>; 2] {
    let mut all = [Vec::new(), Vec::new()];
    let mut words = 0;
    // Words are summed over passages: a pair of two books would take minutes otherwise.
    // Passages beyond the limit are shown without edits.
    for passage in passages {
        words += passage.num_words();
        let mut edits = [Vec::new(), Vec::new()];
        let (left, right) = (passage.left.span, passage.right.span);
        let sides = texts[0]
            .get(left.start..left.end)
            .zip(texts[1].get(right.start..right.end));
        if let Some((left_text, right_text)) = sides.filter(|_| words <= DIFF_WORDS) {
            let diff = Diff::new(left_text, right_text, &LIMITS);
            for op in &diff.ops {
                // The diff has places within the passage; the page needs those in the
                // document.
                let moved = |span: Span, by: usize| Span {
                    start: span.start + by,
                    end: span.end + by,
                };
                match op.kind {
                    StretchKind::OnlyLeft => edits[0].push(moved(op.left, left.start)),
                    StretchKind::OnlyRight => edits[1].push(moved(op.right, right.start)),
                    StretchKind::Equal | StretchKind::SameWords => {}
                }
            }
        }
        let [of_left, of_right] = edits;
        all[0].push(of_left);
        all[1].push(of_right);
    }
    all
}
