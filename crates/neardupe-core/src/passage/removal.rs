//! Which sentences of a text another text has already, so that they can be removed.
//!
//! A passage is a box: a stretch of words on both sides. What a sentence is on the other side is
//! found by runs of three words that both have: each says where the sentence would begin there,
//! and the places with most votes are looked at. Runs may begin before the sentence and end
//! after it, so that a sentence of one word is found by its neighbors, and not wherever that
//! word stands. A sentence is repeated when a stretch that is kept, not much longer than it, has
//! most of its words, each as often.
//!
//! `pipeline/passages/removal` decides which text of a pair keeps a passage and calls
//! [`RepeatFinder::find`] for the other one. Only stretches that are kept are searched, so a
//! sentence never loses its last copy: this is the invariant of removal.

use crate::hash::mix;
use crate::numbers::of_len;
use crate::threshold::Threshold;
use std::ops::Range;

/// Words of a run.
const RUN: usize = 3;
/// Places of a run that are looked at, the first ones in the text: a text may repeat itself, and
/// then the work would be the square of its length.
const MOST_PLACES: usize = 32;
/// Places of a sentence whose words are compared, those with most votes.
const CANDIDATES: usize = 4;
/// Most words between the copies of two sentences that are reported as one stretch.
const MOST_BETWEEN: usize = 30;

/// A text whose sentences may be removed.
#[derive(Debug, Clone, Copy)]
pub struct Own<'a> {
    /// Its words.
    pub words: &'a [u32],
    /// Words up to the end of each sentence.
    pub sentences: &'a [u32],
}

impl Own<'_> {
    /// The words of a sentence.
    pub fn sentence(&self, number: usize) -> Range<usize> {
        let start = number
            .checked_sub(1)
            .map_or(0, |before| self.sentences[before]);
        start as usize..self.sentences[number] as usize
    }

    /// The sentences that lie wholly in a stretch of words. A sentence without words may be
    /// among them.
    pub fn within(&self, words: &Range<usize>) -> Range<usize> {
        let meets = self
            .sentences
            .partition_point(|&end| (end as usize) <= words.start);
        // The first sentence that ends within the stretch may have begun before it: then it
        // does not lie wholly in it.
        let first = match self.sentences.get(meets) {
            Some(_) if self.sentence(meets).start < words.start => meets + 1,
            _ => meets,
        };
        let last = self
            .sentences
            .partition_point(|&end| (end as usize) <= words.end);
        first..last.max(first)
    }
}

/// A stretch of sentences that is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// The sentences.
    pub sentences: Range<usize>,
    /// Where the other text has them, in words.
    pub kept: Range<usize>,
    /// Number of words of these sentences.
    pub num_words: u32,
    /// How many of these words the other text has there.
    pub common: u32,
}

/// Finds repeated sentences, reusing its buffers.
#[derive(Debug, Default)]
pub struct RepeatFinder {
    /// Runs of the other text and their places, the number of the kept stretch with each.
    runs: Vec<(u64, u32, u32)>,
    /// The stretch, and where the sentence would begin in it: also before the text.
    votes: Vec<(u32, i64)>,
    /// The words of the sentence at hand, in order, for binary search.
    counts: Vec<WordCount>,
}

/// A word of a sentence: how often it has it, and how often another stretch has.
#[derive(Debug, Clone, Copy)]
struct WordCount {
    word: u32,
    needed: u32,
    there: u32,
}

/// Where a sentence is on the other side.
struct Copy {
    stretch: u32,
    kept: Range<usize>,
    common: u32,
}

impl RepeatFinder {
    /// The sentences of `own` that lie in the stretch `passage`, are not `gone` and are
    /// repeated in one of the `kept` stretches of `other`. `share` of the words of each is
    /// there at least.
    pub fn find(
        &mut self,
        own: Own<'_>,
        gone: &[bool],
        passage: &Range<usize>,
        other: &[u32],
        kept: &[Range<usize>],
        share: Threshold,
    ) -> Vec<Repeat> {
        let mut found: Vec<(u32, Repeat)> = Vec::new();
        // Shorter runs for a passage of one or two words, or it would have none.
        let run = RUN.min(passage.len());
        if run == 0 {
            return Vec::new();
        }
        self.gather_runs(other, kept, run);
        for number in own.within(passage) {
            let words = own.sentence(number);
            // Removed for another passage already: it may not be counted twice.
            if gone[number] || words.is_empty() {
                continue;
            }
            let Some(copy) = self.copy_of(own, &words, passage, run, other, kept, share)
            else {
                continue;
            };
            let num_words = of_len(words.len());
            // Sentences come in order, so a stretch of them grows at its end only.
            match found.last_mut() {
                Some((stretch, last)) if follows(last, *stretch, number, &copy) => {
                    last.sentences.end = number + 1;
                    last.kept.end = copy.kept.end;
                    last.num_words += num_words;
                    last.common += copy.common;
                }
                _ => found.push((
                    copy.stretch,
                    Repeat {
                        sentences: number..number + 1,
                        kept: copy.kept,
                        num_words,
                        common: copy.common,
                    },
                )),
            }
        }
        found.into_iter().map(|(_, repeat)| repeat).collect()
    }

    /// Puts the runs of the kept stretches in order of their hashes. A run never reaches from
    /// one stretch into the next, since what is between is not kept.
    fn gather_runs(&mut self, other: &[u32], kept: &[Range<usize>], run: usize) {
        self.runs.clear();
        for (stretch, words) in (0u32..).zip(kept) {
            let starts = words.start..(words.end + 1).saturating_sub(run);
            self.runs.extend(starts.map(|start| {
                (run_hash(&other[start..start + run]), of_len(start), stretch)
            }));
        }
        self.runs.sort_unstable();
    }

    /// The copy of a sentence: of the places with most votes the one that has most of its words,
    /// the first of equal ones; none if all have less than `share` of them.
    #[expect(clippy::too_many_arguments, reason = "both sides and the rule")]
    fn copy_of(
        &mut self,
        own: Own<'_>,
        sentence: &Range<usize>,
        passage: &Range<usize>,
        run: usize,
        other: &[u32],
        kept: &[Range<usize>],
        share: Threshold,
    ) -> Option<Copy> {
        self.vote(own.words, sentence, passage, run);
        self.count(&own.words[sentence.clone()]);
        let len = sentence.len();
        let mut best: Option<Copy> = None;
        for (stretch, start) in self.candidates() {
            let bounds = &kept[stretch as usize];
            // Words that were put in move the end, and the votes may be for a place
            // shifted by an edit. A quarter on either side is room for both, and few
            // enough words that a stretch is not taken for a copy because it has the
            // words somewhere.
            let slack = (len / 4) as i64;
            // Nothing beyond the kept stretch counts: what is there may be removed
            // itself.
            let clip = |at: i64| {
                usize::try_from(at)
                    .unwrap_or(0)
                    .clamp(bounds.start, bounds.end)
            };
            let window = clip(start - slack)..clip(start + len as i64 + slack);
            if window.is_empty() {
                continue;
            }
            let (common, within) = self.compare(other, window);
            // Candidates come by falling votes, so of equal ones the place with more
            // votes is taken.
            let better = best.as_ref().is_none_or(|best| common > best.common);
            if better && share.is_reached(common, of_len(len)) {
                best = Some(Copy {
                    stretch,
                    kept: within,
                    common,
                });
            }
        }
        best
    }

    /// Where the sentence would begin on the other side, by each run that both have.
    fn vote(
        &mut self,
        words: &[u32],
        sentence: &Range<usize>,
        passage: &Range<usize>,
        run: usize,
    ) {
        self.votes.clear();
        // From the first run with a word of the sentence to the last one, all within the
        // passage.
        let first = (sentence.start + 1).saturating_sub(run).max(passage.start);
        for at in first..sentence.end.min(passage.end + 1 - run) {
            let hash = run_hash(&words[at..at + run]);
            let from = self.runs.partition_point(|&(other, ..)| other < hash);
            let places = self.runs[from..].iter().take(MOST_PLACES);
            for &(_, place, stretch) in places.take_while(|&&(other, ..)| other == hash) {
                // As far from the sentence's start as the run is here; may be
                // negative when the run stands at the beginning of the other text.
                let start = i64::from(place) + sentence.start as i64 - at as i64;
                self.votes.push((stretch, start));
            }
        }
    }

    /// The places with most votes, the first of equal ones first.
    fn candidates(&mut self) -> Vec<(u32, i64)> {
        self.votes.sort_unstable();
        let places = self.votes.chunk_by(|one, other| one == other);
        let mut places: Vec<_> = places.map(|equal| (equal.len(), equal[0])).collect();
        // Stable: equal votes stay in the order of places.
        places.sort_by_key(|&(votes, _)| std::cmp::Reverse(votes));
        places.truncate(CANDIDATES);
        places.into_iter().map(|(_, place)| place).collect()
    }

    /// Counts the words of the sentence, which [`compare`](Self::compare) looks up.
    fn count(&mut self, sentence: &[u32]) {
        let mut sorted = sentence.to_vec();
        sorted.sort_unstable();
        self.counts.clear();
        let counts = sorted.chunk_by(|one, other| one == other);
        self.counts.extend(counts.map(|equal| WordCount {
            word: equal[0],
            needed: of_len(equal.len()),
            there: 0,
        }));
    }

    /// How many words of the sentence a window has, and the smallest stretch at its core that
    /// has as many.
    fn compare(
        &mut self,
        other: &[u32],
        mut window: Range<usize>,
    ) -> (u32, Range<usize>) {
        let counts = &mut self.counts;
        counts.iter_mut().for_each(|count| count.there = 0);
        let find = |counts: &[WordCount], word: u32| {
            counts.binary_search_by_key(&word, |count| count.word).ok()
        };
        for &word in &other[window.clone()] {
            if let Some(at) = find(counts, word) {
                counts[at].there += 1;
            }
        }
        // As many as both have: a word that the sentence has twice must be there twice.
        let common = counts
            .iter()
            .map(|count| count.needed.min(count.there))
            .sum();
        // Narrows the window: a word at its end is spare when the sentence does not have
        // it, or when enough of it remain without it. First from the front, so that of two
        // copies of a word the later one is kept.
        let mut is_spare = |word: u32| match find(counts, word) {
            None => true,
            Some(at) if counts[at].there > counts[at].needed => {
                counts[at].there -= 1;
                true
            }
            Some(_) => false,
        };
        while !window.is_empty() && is_spare(other[window.start]) {
            window.start += 1;
        }
        while !window.is_empty() && is_spare(other[window.end - 1]) {
            window.end -= 1;
        }
        (common, window)
    }
}

/// Whether the copy of the next sentence continues a stretch: in the same order and near by, with
/// nothing between that is not kept.
fn follows(last: &Repeat, stretch: u32, number: usize, copy: &Copy) -> bool {
    last.sentences.end == number
        && stretch == copy.stretch
        && copy.kept.start >= last.kept.end
        && copy.kept.start <= last.kept.end + MOST_BETWEEN
}

/// Hash of a run, depending on the order of its words. Two runs with the same hash by chance only
/// cast a false vote: words are compared afterwards.
fn run_hash(words: &[u32]) -> u64 {
    words
        .iter()
        .fold(0, |hash, &word| mix(hash ^ u64::from(word)))
}

/// The parts of a stretch that remain when other stretches, in order and apart, are taken out.
pub fn without(stretch: Range<usize>, gone: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    let mut start = stretch.start;
    // `start` is where the part that is left begins; stretches before it were taken out
    // already.
    for one in gone {
        if one.start > start {
            left.push(start..one.start.min(stretch.end));
        }
        start = start.max(one.end);
        if start >= stretch.end {
            break;
        }
    }
    left.push(start..stretch.end);
    left.retain(|one| one.start < one.end);
    left
}

#[cfg(test)]
#[expect(
    clippy::single_range_in_vec_init,
    reason = "a stretch alone is a list too"
)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn share() -> Threshold {
        Threshold::new(4, 5).unwrap()
    }

    fn find(
        words: &[u32],
        sentences: &[u32],
        passage: Range<usize>,
        other: &[u32],
        kept: &[Range<usize>],
    ) -> Vec<Repeat> {
        let gone = vec![false; sentences.len()];
        let own = Own { words, sentences };
        RepeatFinder::default().find(own, &gone, &passage, other, kept, share())
    }

    #[test]
    fn sentences_wholly_in_a_passage_are_found_where_they_are_kept() {
        let own: Vec<u32> = (0..30).collect();
        let other: Vec<u32> = (100..110).chain(5..28).collect();
        // Sentences 0..10, 10..20, 20..30; the passage is 5..28 here and 10..33 there.
        let found = find(&own, &[10, 20, 30], 5..28, &other, &[10..33]);
        assert_eq!(
            found,
            [Repeat {
                sentences: 1..2,
                kept: 15..25,
                num_words: 10,
                common: 10
            }]
        );
        // A sentence stays when a part of it is not kept there.
        assert!(find(&own, &[10, 20, 30], 5..28, &other, &[10..18, 24..33]).is_empty());
        // Sentences one after the other are one stretch.
        let found = find(&own, &[10, 20, 28, 30], 5..28, &other, &[10..33]);
        assert_eq!((&found[0].sentences, &found[0].kept), (&(1..3), &(15..33)));
    }

    #[test]
    fn a_word_put_in_or_left_out_does_not_matter_and_an_own_sentence_stays() {
        let sentence: Vec<u32> = (0..10).collect();
        let mut edited = sentence.clone();
        edited[4] = 999;
        edited.insert(7, 998);
        let own = [sentence.clone(), vec![50], edited].concat();
        let other = [sentence.clone(), (200..210).collect(), sentence].concat();
        let found = find(&own, &[10, 11, 22], 0..22, &other, &[0..30]);
        let sentences: Vec<_> = found.iter().map(|one| one.sentences.clone()).collect();
        // Nine words of eleven are there: enough.
        assert_eq!(sentences, [0..1, 2..3]);
        assert_eq!((found[1].num_words, found[1].common), (11, 9));
    }

    #[test]
    fn a_short_sentence_needs_its_neighbours() {
        // The word 7 stands elsewhere too: there it is not what was put in here.
        let own = [vec![0, 1, 2, 3], vec![7], vec![4, 5, 6, 8]].concat();
        let other = vec![0, 1, 2, 3, 4, 5, 6, 8, 30, 7];
        let found = find(&own, &[4, 5, 9], 0..9, &other, &[0..10]);
        let sentences: Vec<_> = found.iter().map(|one| one.sentences.clone()).collect();
        assert_eq!(sentences, [0..1, 2..3]);
        let found = find(&own, &[4, 5, 9], 0..9, &own.clone(), &[0..9]);
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].sentences, &found[0].kept), (&(0..3), &(0..9)));
    }

    #[test]
    fn what_is_left_of_a_stretch() {
        assert_eq!(without(0..10, &[]), [0..10]);
        assert_eq!(without(2..10, &[0..3, 5..6, 9..20]), [3..5, 6..9]);
        assert_eq!(without(2..10, &[0..1, 1..10]), []);
        assert_eq!(without(2..4, &[4..9]), [2..4]);
    }

    /// Words of a sentence that a stretch has, each as often.
    fn common(sentence: &[u32], stretch: &[u32]) -> u32 {
        let mut left = stretch.to_vec();
        let mut common = 0;
        for word in sentence {
            if let Some(at) = left.iter().position(|other| other == word) {
                left.swap_remove(at);
                common += 1;
            }
        }
        common
    }

    proptest! {
        /// Against plain counting: whatever is reported is repeated, and every sentence that is
        /// there word for word is found.
        #[test]
        fn found_sentences_are_there(
            lens in prop::collection::vec(0u32..9, 1..9),
            words in prop::collection::vec(0u32..40, 72),
            noise in prop::collection::vec(0u32..40, 0..20),
            edits in prop::collection::vec((0usize..72, 0u32..40), 0..9),
            (from, to) in (0usize..72, 0usize..72),
            cut in 0usize..90,
        ) {
            let sentences: Vec<u32> = lens
                .iter()
                .scan(0, |end, len| { *end += len; Some(*end) })
                .collect();
            let len = *sentences.last().unwrap() as usize;
            let own = &words[..len];
            let mut other = [own, &noise].concat();
            for (at, word) in edits {
                if let Some(one) = other.get_mut(at) {
                    *one = word;
                }
            }
            let passage = from.min(to).min(len)..from.max(to).min(len);
            let kept = without(0..other.len(), &[cut..cut + 3]);
            let found = find(own, &sentences, passage.clone(), &other, &kept);
            let table = Own { words: own, sentences: &sentences };
            let mut all = vec![false; sentences.len()];
            for one in &found {
                let range = table.sentence(one.sentences.start).start
                    ..table.sentence(one.sentences.end - 1).end;
                prop_assert!(passage.start <= range.start && range.end <= passage.end);
                let is_kept = kept.iter().any(|stretch| {
                    stretch.start <= one.kept.start && one.kept.end <= stretch.end
                });
                prop_assert!(is_kept);
                prop_assert_eq!(one.num_words as usize, range.len());
                prop_assert!(one.common * 5 >= one.num_words * 4);
                for number in one.sentences.clone() {
                    let words = &own[table.sentence(number)];
                    let there = common(words, &other[one.kept.clone()]);
                    prop_assert!(there as usize * 5 >= words.len() * 4);
                    prop_assert!(!std::mem::replace(&mut all[number], true));
                }
            }
            for (number, &is_found) in all.iter().enumerate() {
                let range = table.sentence(number);
                let within = range.start >= passage.start && range.end <= passage.end;
                let words = &own[range.clone()];
                let is_there = words.len() >= RUN && kept.iter().any(|stretch| {
                    other[stretch.clone()].windows(words.len()).any(|other| other == words)
                });
                prop_assert!(is_found || !(within && is_there), "{number} of {found:?}");
                prop_assert!(!(is_found && words.is_empty()));
            }
        }
    }
}
