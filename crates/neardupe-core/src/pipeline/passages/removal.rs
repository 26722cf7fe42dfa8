//! Which sentences of a collection can go, since a document that is kept has them: one copy of
//! each repeated passage is kept.
//!
//! Documents are taken in the order in which they are kept. What becomes of a document depends
//! on documents before it alone, and of those only on what is left of them: so whatever is
//! removed is there in something that stays, and no chain of copies loses them all. A document
//! with the text of another one is a passage as a whole.

use super::result::PassagesResult;
use super::texts::Rest;
use crate::document::{DocIdx, Progress, Span, check_cancelled};
use crate::error::{Error, Result};
use crate::numbers::of_len;
use crate::passage::removal::{Own, Repeat, RepeatFinder, without};
use crate::store::{Budget, Rows, Sorter, WorkDir};
use crate::threshold::Threshold;
use bytemuck::{Pod, Zeroable};
use std::cmp::Reverse;
use std::ops::Range;

/// Which copy of a passage is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepOrder {
    /// That of the first document of the input.
    #[default]
    First,
    /// That of the longest document; of equally long ones the first by id.
    Longest,
}

/// How sentences are removed.
#[derive(Debug, Clone, Copy)]
pub struct RemovalConfig {
    /// Which copy is kept.
    pub keep: KeepOrder,
    /// The smallest share of the words of a sentence that the kept copy has.
    pub share: Threshold,
    /// What may be held in memory; no result depends on it.
    pub budget: Budget,
}

impl RemovalConfig {
    /// The smallest share of the words of a sentence, by default.
    pub fn usual_share() -> Threshold {
        Threshold::at(4, 5)
    }
}

/// A stretch of sentences that is removed, and where it is kept. Places of texts are in bytes and in
/// characters, ends are exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Removal {
    /// The document.
    pub document: DocIdx,
    /// Where it begins, in bytes.
    pub start: u32,
    /// Where it ends, in bytes.
    pub end: u32,
    /// Where it begins, in characters.
    pub start_char: u32,
    /// Where it ends, in characters.
    pub end_char: u32,
    /// Its first sentence, from 0.
    pub first_sentence: u32,
    /// The sentence after its last one.
    pub end_sentence: u32,
    /// Its words.
    pub num_words: u32,
    /// The document that keeps it.
    pub kept_in: DocIdx,
    /// Where that document has it, in characters.
    pub kept_start_char: u32,
    /// Where it ends there, in characters.
    pub kept_end_char: u32,
    /// Its words that are there.
    pub common: u32,
    /// 1 when both documents have the same text, else 0.
    equal_text: u32,
}

impl Removal {
    /// Whether both documents have the same text.
    pub fn is_equal_text(&self) -> bool {
        self.equal_text == 1
    }
}

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RemovalTotals {
    /// Documents of which a part is removed and a part is kept.
    pub cut: u64,
    /// Documents of which no word is kept.
    pub removed: u64,
    /// Those of them that have the text of another document.
    pub copies: u64,
    /// Words that go.
    pub words: u64,
    /// Characters that go; of removed documents all.
    pub chars: u64,
    /// Words of all documents.
    pub all_words: u64,
    /// Characters of all documents.
    pub all_chars: u64,
}

/// What is removed.
#[derive(Debug)]
pub struct Removals {
    /// By document in the order of the input, and by place in it.
    pub rows: Rows<Removal>,
    /// Documents of which no word is kept, in the order of the input.
    pub removed: Vec<DocIdx>,
    /// What was counted.
    pub totals: RemovalTotals,
}

/// A passage by the places of its texts in the order of keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
struct RankedPassage {
    later: u32,
    earlier: u32,
    own_start: u32,
    own_end: u32,
    other_start: u32,
    other_end: u32,
}

/// Words that were removed, text by text in the order of keeping.
#[derive(Debug, Default)]
struct Gone {
    /// The text, and where its stretches begin.
    texts: Vec<(u32, usize)>,
    stretches: Vec<Range<u32>>,
}

impl Gone {
    /// Stretches of words that were removed from a text, in order and apart.
    fn of(&self, text: u32) -> Vec<Range<usize>> {
        let Ok(at) = self.texts.binary_search_by_key(&text, |&(text, _)| text) else {
            return Vec::new();
        };
        let end = self
            .texts
            .get(at + 1)
            .map_or(self.stretches.len(), |next| next.1);
        let stretches = &self.stretches[self.texts[at].1..end];
        let wide = |one: &Range<u32>| one.start as usize..one.end as usize;
        stretches.iter().map(wide).collect()
    }
}

/// Texts in the order of keeping: of two texts with a common stretch the one that comes first here
/// keeps it. A total order, so that the result depends neither on threads nor on the order of
/// passages.
struct Keeping {
    /// The rank of each text, by place.
    ranks: Vec<u32>,
    /// Its place, by rank.
    places: Vec<u32>,
    /// The document that has it first, by place.
    leads: Vec<DocIdx>,
}

impl PassagesResult {
    /// Decides which sentences are removed. The search must not have been expanded to copies, nor
    /// been one against old documents.
    pub fn removals(
        &self,
        config: &RemovalConfig,
        work: &WorkDir,
        progress: &dyn Progress,
    ) -> Result<Removals> {
        let keeping = self.keeping(config.keep);
        // Sorted by the later text, so that each text is decided once, after all texts before it: a
        // copy of a stretch that was removed itself is no copy of something kept.
        let mut shared = Sorter::new(work, "shared", config.budget.rows / 2);
        self.rows.for_each(|row| {
            let place = |rank| keeping.places[self.order.rank_of_text(rank) as usize];
            let (left, right) = (place(row.left), place(row.right));
            // The later text is the one that loses words: it becomes the left side.
            let turned = if left < right { row.turned() } else { row };
            shared.push(RankedPassage {
                later: left.max(right),
                earlier: left.min(right),
                own_start: turned.left_start,
                own_end: turned.left_end,
                other_start: turned.right_start,
                other_end: turned.right_end,
            })
        })?;
        let shared = shared.finish()?;
        progress.begin("cut", shared.len());
        let mut cutting = Cutting {
            result: self,
            config,
            keeping: &keeping,
            gone: Gone::default(),
            finder: RepeatFinder::default(),
            out: Sorter::new(work, "removals", config.budget.rows / 2),
            removed: Vec::new(),
            totals: RemovalTotals::default(),
        };
        let mut group: Vec<RankedPassage> = Vec::new();
        shared.for_each(|row| {
            if group.last().is_some_and(|last| last.later != row.later) {
                progress.advance(group.len() as u64);
                check_cancelled(progress)?;
                cutting.text(&group)?;
                group.clear();
            }
            group.push(row);
            Ok(())
        })?;
        if !group.is_empty() {
            cutting.text(&group)?;
        }
        cutting.copies_of_whole_texts()?;
        cutting.finish()
    }

    /// Ranks follow ids, so equal keys are settled by the id of the document.
    fn keeping(&self, keep: KeepOrder) -> Keeping {
        let lead_of = |text: u32| {
            let documents = self.order.of_text(text).iter();
            let documents = documents.map(|&rank| self.order.document(rank));
            match keep {
                KeepOrder::First => documents.min(),
                // They come by their ids, and are equally long.
                KeepOrder::Longest => documents.into_iter().next(),
            }
            .unwrap_or_default()
        };
        let all = 0..self.order.len();
        let leads: Vec<DocIdx> = all.clone().map(lead_of).collect();
        let mut ranks: Vec<u32> = all.collect();
        match keep {
            KeepOrder::First => ranks.sort_unstable_by_key(|&rank| leads[rank as usize]),
            KeepOrder::Longest => ranks.sort_unstable_by_key(|&rank| {
                (Reverse(self.documents.chars(leads[rank as usize])), rank)
            }),
        }
        let mut places = vec![0; ranks.len()];
        for (place, &rank) in (0u32..).zip(&ranks) {
            places[rank as usize] = place;
        }
        Keeping {
            leads: ranks.iter().map(|&rank| leads[rank as usize]).collect(),
            ranks,
            places,
        }
    }
}

/// The work on one text after the other, by one thread: each text depends on what was removed from
/// all before it.
struct Cutting<'a> {
    result: &'a PassagesResult,
    config: &'a RemovalConfig,
    keeping: &'a Keeping,
    gone: Gone,
    finder: RepeatFinder,
    out: Sorter<'a, Removal>,
    removed: Vec<DocIdx>,
    totals: RemovalTotals,
}

impl Cutting<'_> {
    /// The number of a text, by its place in the order of keeping.
    fn number(&self, place: u32) -> u32 {
        self.result.order.text(self.keeping.ranks[place as usize])
    }

    /// Decides about a text by its passages with texts before it.
    fn text(&mut self, passages: &[RankedPassage]) -> Result<()> {
        let place = passages[0].later;
        let texts = &self.result.texts;
        let (mut buffer, mut other_buffer) = (Vec::new(), Vec::new());
        let words = texts.words(self.number(place), &mut buffer)?;
        let own = Own {
            words: words.words,
            sentences: words.sentences,
        };
        let mut gone = vec![false; own.sentences.len()];
        let mut found: Vec<(u32, Repeat)> = Vec::new();
        for passage in passages {
            let stretch = passage.own_start as usize..passage.own_end as usize;
            // Where many texts share a stretch, all passages but the first are about sentences that
            // were removed already. They are passed over before the other text is fetched.
            if own.within(&stretch).all(|sentence| gone[sentence]) {
                continue;
            }
            let other = texts.words(self.number(passage.earlier), &mut other_buffer)?;
            // Only what is left of the earlier text counts as kept. Texts before this one are
            // settled, so this never changes afterwards.
            let kept = without(
                passage.other_start as usize..passage.other_end as usize,
                &self.gone.of(passage.earlier),
            );
            let repeats = self.finder.find(
                own,
                &gone,
                &stretch,
                other.words,
                &kept,
                self.config.share,
            );
            for repeat in repeats {
                gone[repeat.sentences.clone()].fill(true);
                found.push((passage.earlier, repeat));
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        // Passages came by the text they are kept in; rows and stretches go by place. No two repeats
        // begin with the same sentence, since a sentence is removed once.
        found.sort_unstable_by_key(|(_, repeat)| repeat.sentences.start);
        self.gone.texts.push((place, self.gone.stretches.len()));
        for (_, repeat) in &found {
            let start = own.sentence(repeat.sentences.start).start;
            let end = own.sentence(repeat.sentences.end - 1).end;
            self.gone.stretches.push(of_len(start)..of_len(end));
        }
        let num_words = own.words.len();
        self.write(place, num_words, &found)
    }

    /// Writes the rows of a text, for all documents that have it.
    fn write(
        &mut self,
        place: u32,
        num_words: usize,
        found: &[(u32, Repeat)],
    ) -> Result<()> {
        let lead = self.keeping.leads[place as usize];
        let rest = self.result.texts.rest(self.number(place))?;
        let sentences = Sentences::of(&rest)?;
        let mut chars = CharCounter::new(rest.text());
        let mut rows = Vec::with_capacity(found.len());
        for (earlier, repeat) in found {
            let other = self.result.texts.rest(self.number(*earlier))?;
            let span = other.span(repeat.kept.clone());
            let mut other_chars = CharCounter::new(other.text());
            let row = Removal {
                kept_in: self.keeping.leads[*earlier as usize],
                kept_start_char: other_chars.at(span.start),
                kept_end_char: other_chars.at(span.end),
                common: repeat.common,
                ..sentences.row(lead, &repeat.sentences, &mut chars)
            };
            self.out.push(row)?;
            rows.push(row);
        }
        // A document counts as removed when no word is left, whatever sentences without words remain.
        let gone: u32 = rows.iter().map(|row| row.num_words).sum();
        let all_gone = gone as usize == num_words;
        if all_gone {
            self.remove(lead)?;
        } else {
            self.totals.cut += 1;
            self.totals.words += u64::from(gone);
            let gone = rows.iter().map(|row| row.end_char - row.start_char);
            self.totals.chars += u64::from(gone.sum::<u32>());
        }
        self.copies(place, &sentences, &mut chars, &rows)
    }

    /// A document of which no word is kept.
    fn remove(&mut self, document: DocIdx) -> Result<()> {
        let documents = &self.result.documents;
        let text = documents.set(document);
        let text = text.map_or(0, |text| self.result.num_words[text.index()]);
        self.totals.words += u64::from(text);
        self.totals.chars += u64::from(documents.chars(document));
        self.removed.push(document);
        Ok(())
    }

    /// The other documents with a text: they are removed as a whole. What was removed from the text
    /// is where it is kept; what stayed is in the document that has it first.
    fn copies(
        &mut self,
        place: u32,
        sentences: &Sentences,
        chars: &mut CharCounter<'_>,
        gone: &[Removal],
    ) -> Result<()> {
        let lead = self.keeping.leads[place as usize];
        let order = &self.result.order;
        let ranks = order.of_text(self.keeping.ranks[place as usize]);
        if ranks.len() == 1 {
            return Ok(());
        }
        let taken: Vec<Range<usize>> = gone
            .iter()
            .map(|row| row.first_sentence as usize..row.end_sentence as usize)
            .collect();
        let stayed = without(0..sentences.ends.len(), &taken);
        for &rank in ranks {
            let document = order.document(rank);
            if document == lead {
                continue;
            }
            for row in gone {
                self.out.push(Removal { document, ..*row })?;
            }
            for run in &stayed {
                let row = sentences.row(document, run, chars);
                // A run without words removes nothing that is reported.
                if row.num_words > 0 {
                    self.out.push(Removal {
                        kept_in: lead,
                        kept_start_char: row.start_char,
                        kept_end_char: row.end_char,
                        common: row.num_words,
                        equal_text: 1,
                        ..row
                    })?;
                }
            }
            self.totals.copies += 1;
            self.remove(document)?;
        }
        Ok(())
    }

    /// Copies of texts from which nothing was removed. The others were written with their text;
    /// `gone.texts` has these in the order of places, so one walk over both is enough.
    fn copies_of_whole_texts(&mut self) -> Result<()> {
        let mut cut = std::mem::take(&mut self.gone.texts).into_iter().peekable();
        for place in 0..of_len(self.keeping.ranks.len()) {
            if cut.next_if(|&(text, _)| text == place).is_some() {
                continue;
            }
            let rank = self.keeping.ranks[place as usize];
            if self.result.order.of_text(rank).len() > 1 {
                let rest = self.result.texts.rest(self.number(place))?;
                let sentences = Sentences::of(&rest)?;
                let mut chars = CharCounter::new(rest.text());
                self.copies(place, &sentences, &mut chars, &[])?;
            }
        }
        Ok(())
    }

    /// All texts are decided: the rows in the order of the input, and the sums of the whole collection.
    fn finish(mut self) -> Result<Removals> {
        let documents = &self.result.documents;
        let order = &self.result.order;
        self.totals.removed = self.removed.len() as u64;
        self.totals.all_chars = documents
            .all()
            .map(|document| u64::from(documents.chars(document)))
            .sum();
        self.totals.all_words = (0..order.len())
            .map(|rank| {
                let words = self.result.num_words[order.text(rank) as usize];
                u64::from(words) * order.of_text(rank).len() as u64
            })
            .sum();
        self.removed.sort_unstable();
        Ok(Removals {
            rows: self.out.finish()?,
            removed: self.removed,
            totals: self.totals,
        })
    }
}

/// Where the sentences of a text end, in bytes and in words.
struct Sentences {
    ends: Vec<(usize, usize)>,
}

impl Sentences {
    fn of(rest: &Rest<'_>) -> Result<Self> {
        let ends: Vec<(usize, usize)> = rest.sentences().collect();
        if ends.is_empty() {
            Err(Error::Internal("a text without sentences".to_owned()))
        } else {
            Ok(Sentences { ends })
        }
    }

    /// The row of some sentences; where they are kept is not in it.
    fn row(
        &self,
        document: DocIdx,
        sentences: &Range<usize>,
        chars: &mut CharCounter<'_>,
    ) -> Removal {
        let before = |number: usize| match number.checked_sub(1) {
            Some(before) => self.ends[before],
            None => (0, 0),
        };
        let (start, first_word) = before(sentences.start);
        let (end, end_word) = before(sentences.end);
        let span = Span { start, end };
        // A text that was collected has fewer than 2^32 bytes.
        Removal {
            document,
            start: of_len(span.start),
            end: of_len(span.end),
            start_char: chars.at(span.start),
            end_char: chars.at(span.end),
            first_sentence: of_len(sentences.start),
            end_sentence: of_len(sentences.end),
            num_words: of_len(end_word - first_word),
            ..Removal::zeroed()
        }
    }
}

/// Counts the characters up to places of a text; cheap when they come in order.
struct CharCounter<'a> {
    text: &'a str,
    byte: usize,
    chars: usize,
}

impl<'a> CharCounter<'a> {
    fn new(text: &'a str) -> Self {
        CharCounter {
            text,
            byte: 0,
            chars: 0,
        }
    }

    /// Characters before a byte, which begins one.
    fn at(&mut self, byte: usize) -> u32 {
        // Rows of a text go forward; only the next copy of the text begins anew.
        if byte < self.byte {
            (self.byte, self.chars) = (0, 0);
        }
        self.chars += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        of_len(self.chars)
    }
}
