//! Which pairs are listed, and which of them are looked at closely.
//!
//! Those with the most copied words come first. Looked at closely are pairs of every kind in
//! turn, at first each document once: a template of a hundred documents would else fill the
//! page. Near-duplicates have so many words in common that they would fill it too; they stand
//! apart, and `find` is for them. What is chosen depends on nothing but the result.

use neardupe_core::document::DocIdx;
use neardupe_core::hash::FixedSet;
use neardupe_core::passage::PassageKind;
use neardupe_core::pipeline::passages::{PairOfDocuments, Passage};
use std::cmp::Reverse;

/// Pairs that are listed.
const MAX_LISTED: usize = 50;
/// Near-duplicates that are listed.
const MAX_NEAR: usize = 10;
/// Pairs that are looked at closely, near-duplicates included.
const MAX_CHOSEN: usize = 20;
/// Near-duplicates among them.
const MAX_NEAR_CHOSEN: usize = 2;
/// Passages of a pair that are shown: the longest.
const MAX_PASSAGES: usize = 40;

/// What the page says about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PairFacts {
    /// Both documents by number; ids are read only for what is shown.
    pub(super) left: DocIdx,
    pub(super) right: DocIdx,
    /// That of its longest passage.
    pub(super) kind: PassageKind,
    /// How many there are, shown or not.
    pub(super) passages: usize,
    /// Words of all passages.
    pub(super) words: u64,
    /// Words in passages, and in all.
    pub(super) left_words: (u32, u32),
    /// The same of the right document.
    pub(super) right_words: (u32, u32),
    /// Passages cover nearly all of both.
    pub(super) is_near_duplicate: bool,
    /// Its place among all pairs.
    number: u64,
}

impl PairFacts {
    /// Sorts those with most words first, and equal ones as they came.
    fn key(&self) -> (Reverse<u64>, u64) {
        (Reverse(self.words), self.number)
    }
}

/// A pair that may be looked at closely.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) facts: PairFacts,
    /// The longest of its passages, by their places in the left document.
    pub(super) passages: Vec<Passage>,
    /// The kind of each.
    pub(super) kinds: Vec<PassageKind>,
}

/// The pairs with most words, as many as there is room for.
#[derive(Debug)]
struct Most {
    /// How many pairs are kept.
    room: usize,
    /// Sorted.
    pairs: Vec<Candidate>,
}

impl Most {
    /// For so many pairs, of which at least one is kept.
    fn new(room: usize) -> Self {
        Most {
            room,
            pairs: Vec::new(),
        }
    }

    /// Adds a pair if it is among those with most words. Its passages are copied only then.
    fn add(&mut self, facts: PairFacts, pair: &PairOfDocuments, kinds: &[PassageKind]) {
        let at = self
            .pairs
            .partition_point(|one| one.facts.key() < facts.key());
        if at < self.room {
            self.pairs.truncate(self.room - 1);
            self.pairs.insert(at, candidate(facts, pair, kinds));
        }
    }
}

/// The pair with the passages that would be shown: the longest, in the order of the text.
fn candidate(
    facts: PairFacts,
    pair: &PairOfDocuments,
    kinds: &[PassageKind],
) -> Candidate {
    let mut longest: Vec<usize> = (0..pair.passages.len()).collect();
    longest.sort_by_key(|&at| Reverse(pair.passages[at].num_words()));
    longest.truncate(MAX_PASSAGES);
    // Chosen by length, shown by place.
    longest.sort_unstable();
    Candidate {
        facts,
        passages: longest
            .iter()
            .map(|&at| pair.passages[at].clone())
            .collect(),
        kinds: longest.iter().map(|&at| kinds[at]).collect(),
    }
}

/// Chooses pairs while they go by.
#[derive(Debug)]
pub(super) struct Choice {
    /// One list per kind, so that frequent kinds do not push rare ones out.
    by_kind: [Most; PassageKind::ALL.len()],
    /// Near-duplicates of every kind.
    near: Most,
    /// Pairs so far, for the order of equal ones.
    num_pairs: u64,
}

impl Default for Choice {
    fn default() -> Self {
        Choice {
            // Any of them may fill the list.
            by_kind: PassageKind::ALL.map(|_| Most::new(MAX_LISTED)),
            near: Most::new(MAX_NEAR),
            num_pairs: 0,
        }
    }
}

impl Choice {
    /// Takes note of a pair.
    pub(super) fn add(&mut self, pair: &PairOfDocuments, kinds: &[PassageKind]) {
        let number = self.num_pairs;
        self.num_pairs += 1;
        let words = pair.passages.iter();
        let words = words.map(|passage| u64::from(passage.num_words())).sum();
        let kind = kinds[pair.longest()];
        let facts = PairFacts {
            left: pair.left,
            right: pair.right,
            kind,
            passages: pair.passages.len(),
            words,
            left_words: pair.left_words,
            right_words: pair.right_words,
            is_near_duplicate: pair.is_near_duplicate(),
            number,
        };
        let of_kind = PassageKind::ALL.iter().position(|&one| one == kind);
        // Near-duplicates have the most words of all and would fill every list.
        let most = if facts.is_near_duplicate {
            &mut self.near
        } else {
            &mut self.by_kind[of_kind.unwrap_or(0)]
        };
        most.add(facts, pair, kinds);
    }

    /// The pairs with most words that are no near-duplicates.
    pub(super) fn listed(&self) -> Vec<&PairFacts> {
        let mut listed: Vec<&PairFacts> =
            self.others().map(|candidate| &candidate.facts).collect();
        listed.sort_by_key(|facts| facts.key());
        listed.truncate(MAX_LISTED);
        listed
    }

    /// The near-duplicates with most words.
    pub(super) fn near_duplicates(&self) -> impl Iterator<Item = &PairFacts> {
        self.near.pairs.iter().map(|candidate| &candidate.facts)
    }

    /// All pairs that are not near-duplicates, kind by kind.
    fn others(&self) -> impl Iterator<Item = &Candidate> {
        self.by_kind.iter().flat_map(|most| &most.pairs)
    }

    /// The pairs that are looked at closely, those with most words first and near-duplicates
    /// last.
    pub(super) fn chosen(&self) -> Vec<&Candidate> {
        let near = &self.near.pairs[..self.near.pairs.len().min(MAX_NEAR_CHOSEN)];
        let room = MAX_CHOSEN - near.len();
        let mut chosen: Vec<&Candidate> = Vec::new();
        let mut seen = FixedSet::default();
        let mut lists: Vec<_> =
            self.by_kind.iter().map(|most| most.pairs.iter()).collect();
        // Each kind in turn, and of each the next pair of documents that are not there yet.
        loop {
            let before = chosen.len();
            for list in &mut lists {
                // The iterator goes on where it stopped in the round before.
                let fresh = list.find(|one| {
                    !seen.contains(&one.facts.left) && !seen.contains(&one.facts.right)
                });
                if let Some(one) = fresh.filter(|_| chosen.len() < room) {
                    seen.extend([one.facts.left, one.facts.right]);
                    chosen.push(one);
                }
            }
            if chosen.len() == before {
                break;
            }
        }
        // What is left of the room is for any.
        // In this round a document may come again.
        let taken: FixedSet<u64> = chosen.iter().map(|one| one.facts.number).collect();
        let mut rest: Vec<&Candidate> = self
            .others()
            .filter(|one| !taken.contains(&one.facts.number))
            .collect();
        rest.sort_by_key(|one| one.facts.key());
        chosen.extend(rest.into_iter().take(room - chosen.len()));
        chosen.sort_by_key(|one| one.facts.key());
        chosen.extend(near);
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::document::Span;
    use neardupe_core::pipeline::passages::TextSide;

    fn passage(words: u32) -> Passage {
        let side = TextSide {
            span: Span::default(),
            chars: 0..0,
            sentences: 0..1,
            words: 0..words,
        };
        Passage {
            left: side.clone(),
            right: side,
            common: words,
            union: words,
        }
    }

    /// Adds a pair with passages of these words, in documents of 1000 words.
    fn add(choice: &mut Choice, left: u32, right: u32, words: &[u32], kind: PassageKind) {
        let passages: Vec<Passage> = words.iter().map(|&words| passage(words)).collect();
        let sum = words.iter().sum();
        let pair = PairOfDocuments {
            left: DocIdx::new(left),
            right: DocIdx::new(right),
            left_words: (sum, 1000),
            right_words: (sum, 1000),
            passages,
        };
        choice.add(&pair, &vec![kind; words.len()]);
    }

    fn documents(chosen: &[&Candidate]) -> Vec<(u32, u32)> {
        let facts = chosen.iter().map(|one| &one.facts);
        let pairs = facts.map(|facts| (facts.left.get(), facts.right.get()));
        pairs.collect()
    }

    #[test]
    fn every_kind_is_there_and_near_duplicates_are_few() {
        let mut choice = Choice::default();
        for at in 0..100 {
            add(&mut choice, at, 1000 + at, &[900], PassageKind::MultiPage);
            add(
                &mut choice,
                200 + at,
                2000 + at,
                &[500 + at],
                PassageKind::Quotation,
            );
        }
        add(&mut choice, 5000, 5001, &[20], PassageKind::Other);
        add(&mut choice, 5002, 5003, &[21], PassageKind::Forum);
        let chosen = choice.chosen();
        assert_eq!(chosen.len(), MAX_CHOSEN);
        let near = chosen.iter().filter(|one| one.facts.is_near_duplicate);
        assert_eq!(near.count(), MAX_NEAR_CHOSEN);
        let documents = documents(&chosen);
        // Most words first, near-duplicates last, of those the first.
        assert_eq!(documents[..2], [(299, 2099), (298, 2098)]);
        assert_eq!(
            documents[16..],
            [(5002, 5003), (5000, 5001), (0, 1000), (1, 1001)]
        );
        let listed = choice.listed();
        assert_eq!(listed.len(), MAX_LISTED);
        assert!(listed.iter().all(|facts| !facts.is_near_duplicate));
        assert_eq!(choice.near_duplicates().count(), MAX_NEAR);
    }

    #[test]
    fn a_document_comes_again_only_when_there_is_room() {
        let mut choice = Choice::default();
        // One document shares much with all others; others share less.
        for at in 1..=30 {
            add(&mut choice, 0, at, &[600 - at], PassageKind::Quotation);
        }
        for at in 0..10 {
            add(
                &mut choice,
                100 + 2 * at,
                101 + 2 * at,
                &[50],
                PassageKind::Collection,
            );
        }
        let documents = documents(&choice.chosen());
        assert_eq!(documents.len(), MAX_CHOSEN);
        assert_eq!(documents[0], (0, 1));
        let of_others = documents.iter().filter(|(left, _)| *left >= 100);
        assert_eq!(of_others.count(), 10);
    }

    #[test]
    fn the_longest_passages_are_kept_in_their_order() {
        let mut choice = Choice::default();
        let words: Vec<u32> = (0..60).map(|at| 20 + at % 2).collect();
        add(&mut choice, 1, 2, &words, PassageKind::Quotation);
        let chosen = choice.chosen();
        assert_eq!(chosen[0].facts.passages, 60);
        assert_eq!(chosen[0].passages.len(), MAX_PASSAGES);
        let long = chosen[0]
            .passages
            .iter()
            .filter(|one| one.num_words() == 21);
        assert_eq!(long.count(), 30);
    }
}
