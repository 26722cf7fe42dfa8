//! Edits that turn a text into a near-duplicate of it.
//!
//! Which words change is decided before any text exists, from its length alone; so the
//! truth is known without making the documents. One edit changes one word of the
//! original: another word in its place, a word before it, or nothing in its place. New
//! words are any forms, all equally likely, so that two copies hardly ever get the same
//! edit.

use super::random::Random;
use super::token::Token;
use super::vocabulary::Vocabulary;
use crate::numbers::of_len;

/// Words in the shingles whose resemblance the giant clusters aim at.
pub(super) const SHINGLE_WORDS: u32 = 5;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Substitute,
    Insert,
    Delete,
}

#[derive(Clone, Copy, Debug)]
struct Edit {
    position: u32,
    change: Change,
}

/// A list of edits, kept between documents to reuse its memory.
#[derive(Debug, Default)]
pub(super) struct Edits {
    /// By ascending position, at most one for each.
    edits: Vec<Edit>,
    /// For each shingle of the original: whether an edit has changed it.
    changed: Vec<bool>,
}

impl Edits {
    /// How many words change.
    pub(super) fn len(&self) -> u32 {
        // At most one for each word, and these are counted by 32 bits.
        of_len(self.edits.len())
    }

    /// Chooses `num_changed` of `num_words` words, all choices equally likely (selection
    /// sampling, Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).
    pub(super) fn spread(
        &mut self,
        random: &mut Random,
        num_words: u32,
        num_changed: u32,
    ) {
        self.edits.clear();
        let mut wanted = num_changed.min(num_words);
        for position in 0..num_words {
            if wanted == 0 {
                break;
            }
            if random.below(num_words - position) < wanted {
                self.edits.push(Edit {
                    position,
                    change: draw_change(random),
                });
                wanted -= 1;
            }
        }
    }

    /// Chooses words so that exactly `num_shingles` word 5-shingles of the original
    /// change. As many new ones appear, give or take one for each insertion or deletion.
    pub(super) fn break_shingles(
        &mut self,
        random: &mut Random,
        num_words: u32,
        num_shingles: u32,
    ) {
        self.edits.clear();
        self.changed.clear();
        self.changed.resize(num_words as usize, false);
        let mut wanted = num_shingles;
        // The words at both ends are left for the remainder.
        let (low, high) = (
            2 * SHINGLE_WORDS,
            num_words.saturating_sub(2 * SHINGLE_WORDS),
        );
        while wanted >= SHINGLE_WORDS && low < high {
            let position = random.between(low, high - 1);
            // A changed word breaks the shingles that begin at it and at the four words before it;
            // those that an earlier edit broke are not counted again.
            let first = (position + 1 - SHINGLE_WORDS) as usize;
            let mut newly = 0;
            for changed in &mut self.changed[first..=position as usize] {
                newly += u32::from(!*changed);
                *changed = true;
            }
            if newly > 0 {
                // A first edit that only deletes would be met again in many copies.
                let change = if self.edits.is_empty() {
                    Change::Substitute
                } else {
                    draw_change(random)
                };
                self.edits.push(Edit { position, change });
                wanted -= newly;
            }
        }
        // Fewer than one edit in the middle would break.
        if wanted > 0 && wanted < num_words {
            // The first shingle is the only one with the first word, and so on; likewise
            // at the end.
            let at_start = random.percent(50);
            let position = if at_start {
                wanted - 1
            } else {
                num_words - wanted
            };
            self.edits.push(Edit {
                position,
                change: Change::Substitute,
            });
        }
        self.edits.sort_unstable_by_key(|edit| edit.position);
        self.edits.dedup_by_key(|edit| edit.position);
    }

    /// Adds the edited text to `to`. Marks around words stay; a word with marks is
    /// substituted where it would be deleted.
    pub(super) fn apply(
        &self,
        vocabulary: &Vocabulary,
        random: &mut Random,
        from: &[Token],
        to: &mut Vec<Token>,
    ) {
        let mut done = 0;
        for edit in &self.edits {
            let position = edit.position as usize;
            to.extend_from_slice(&from[done..position]);
            let old = from[position];
            let form = other_form(vocabulary, random, old.form());
            match edit.change {
                Change::Insert => to.extend([Token::new(form), old]),
                Change::Delete if !old.has_marks() => {}
                Change::Delete | Change::Substitute => to.push(old.with_form(form)),
            }
            done = position + 1;
        }
        to.extend_from_slice(&from[done..]);
    }
}

/// Moves whole sentences to another place between sentences and returns how many words
/// that is: at most `max_words`, 0 if none of a few tries succeeds. A long block that
/// jumps over a short one counts as the short one moved the other way.
pub(super) fn move_sentences(
    random: &mut Random,
    tokens: &mut [Token],
    max_words: u32,
) -> u32 {
    const NUM_TRIES: u32 = 3;
    let num_words = of_len(tokens.len());
    for _ in 0..NUM_TRIES {
        let start = sentence_start(tokens, random.below(num_words) as usize);
        let end = sentence_end(tokens, start + random.below(max_words) as usize);
        let target = sentence_start(tokens, random.below(num_words) as usize);
        if (start..=end).contains(&target) {
            continue;
        }
        let (from, middle, to) = if target < start {
            (target, start, end)
        } else {
            (start, end, target)
        };
        let moved = of_len((middle - from).min(to - middle));
        // Two neighboring blocks change places: the shorter one has moved.
        if moved <= max_words {
            tokens[from..to].rotate_left(middle - from);
            return moved;
        }
    }
    0
}

/// The first position at or before `position` where a sentence starts.
fn sentence_start(tokens: &[Token], position: usize) -> usize {
    tokens[..position]
        .iter()
        .rposition(|token| token.ends_sentence())
        .map_or(0, |end| end + 1)
}

/// The first position after `position` where a sentence has ended.
fn sentence_end(tokens: &[Token], position: usize) -> usize {
    tokens
        .iter()
        .skip(position)
        .position(|token| token.ends_sentence())
        .map_or(tokens.len(), |end| position + end + 1)
}

fn draw_change(random: &mut Random) -> Change {
    match random.below(5) {
        0 => Change::Insert,
        1 => Change::Delete,
        _ => Change::Substitute,
    }
}

fn other_form(vocabulary: &Vocabulary, random: &mut Random, old: u32) -> u32 {
    loop {
        let form = vocabulary.draw_any(random);
        if form != old {
            return form;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prose::write_body;
    use super::super::random::{Purpose, Random};
    use super::super::token::Token;
    use super::super::vocabulary::Vocabulary;
    use super::{Edits, SHINGLE_WORDS, move_sentences};

    fn random(number: u64) -> Random {
        Random::keyed(1, Purpose::Edit, number)
    }

    fn body(num_words: u32) -> Vec<Token> {
        let mut tokens = Vec::new();
        write_body(Vocabulary::get(), &mut random(0), num_words, &mut tokens);
        tokens
    }

    #[test]
    fn exactly_the_wanted_number_of_words_is_chosen() {
        let mut edits = Edits::default();
        for (num_words, num_changed) in [(1, 1), (10, 3), (600, 90), (600, 600), (3, 9)] {
            edits.spread(&mut random(1), num_words, num_changed);
            assert_eq!(edits.len(), num_changed.min(num_words));
            assert!(edits.edits.is_sorted_by(|a, b| a.position < b.position));
        }
    }

    #[test]
    fn exactly_the_wanted_number_of_shingles_changes() {
        let mut edits = Edits::default();
        for wanted in 0..110 {
            edits.break_shingles(
                &mut random(wanted),
                600,
                u32::try_from(wanted).unwrap(),
            );
            let mut changed = [false; 600];
            for edit in &edits.edits {
                let position = edit.position as usize;
                let last = position.min(600 - SHINGLE_WORDS as usize);
                let first = (position + 1).saturating_sub(SHINGLE_WORDS as usize);
                changed[first..=last].fill(true);
            }
            let num_changed = changed.iter().filter(|&&changed| changed).count();
            assert_eq!(num_changed as u64, wanted);
        }
    }

    #[test]
    fn edits_leave_the_other_words_alone() {
        let original = body(400);
        let mut edits = Edits::default();
        edits.spread(&mut random(2), 400, 40);
        let mut edited = Vec::new();
        edits.apply(Vocabulary::get(), &mut random(3), &original, &mut edited);
        let kept = original
            .iter()
            .filter(|token| edited.contains(token))
            .count();
        assert!(kept >= 360);
        assert!(edited.len().abs_diff(400) <= 40);
        edits.spread(&mut random(2), 400, 0);
        edited.clear();
        edits.apply(Vocabulary::get(), &mut random(3), &original, &mut edited);
        assert_eq!(edited, original);
    }

    #[test]
    fn moving_sentences_keeps_every_sentence_whole() {
        let original = body(600);
        let sentences = |tokens: &[Token]| {
            let mut sentences: Vec<Vec<u32>> = tokens
                .split_inclusive(|token| token.ends_sentence())
                .map(|sentence| sentence.iter().map(|token| token.form()).collect())
                .collect();
            sentences.sort();
            sentences
        };
        let mut num_moves = 0;
        for number in 0..50 {
            let mut moved = original.clone();
            let num_moved = move_sentences(&mut random(number), &mut moved, 60);
            assert!(num_moved <= 60);
            assert_eq!(sentences(&moved), sentences(&original));
            assert_eq!(num_moved > 0, moved != original);
            num_moves += u32::from(num_moved > 0);
        }
        assert!(num_moves > 40, "{num_moves} moves");
    }
}
