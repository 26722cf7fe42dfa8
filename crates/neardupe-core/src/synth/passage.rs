//! Copying a passage of one document into another.
//!
//! A passage is whole sentences of the giver's body, put between two sentences of the
//! receiver's. So it reads the same in both texts, capitals and marks included.

use std::ops::Range;

use super::prose::MAX_SENTENCE_WORDS;
use super::random::Random;
use super::spec::Outline;
use super::token::Token;

/// Fewest and most words of a passage.
pub(super) const MIN_WORDS: u32 = 40;
pub(super) const MAX_WORDS: u32 = 300;

/// The words of the giver that are copied.
pub(super) fn choose_excerpt(
    random: &mut Random,
    giver: &Outline,
    giver_tokens: &[Token],
    receiver: &Outline,
) -> Range<usize> {
    // At most half of the smaller body, so that the two documents as wholes do not
    // resemble each other; the last sentence may add its length.
    let most = (giver.body.min(receiver.body) / 2)
        .clamp(MIN_WORDS, MAX_WORDS - MAX_SENTENCE_WORDS + 1);
    let wanted = random.between(MIN_WORDS, most);
    let spare = giver.body.saturating_sub(wanted + MAX_SENTENCE_WORDS);
    let body = body_range(giver);
    let start = next_sentence(
        giver_tokens,
        &body,
        body.start + random.below(spare) as usize,
    );
    let end = next_sentence(giver_tokens, &body, start + wanted as usize);
    start..end
}

/// Where in the receiver the passage goes.
pub(super) fn choose_place(
    random: &mut Random,
    receiver: &Outline,
    receiver_tokens: &[Token],
) -> usize {
    let body = body_range(receiver);
    let drawn = body.start + random.below(receiver.body) as usize;
    next_sentence(receiver_tokens, &body, drawn)
}

fn body_range(outline: &Outline) -> Range<usize> {
    let start = outline.navigation as usize;
    start..start + outline.body as usize
}

/// The first start of a sentence at or after `position`, at most the end of the body.
fn next_sentence(tokens: &[Token], body: &Range<usize>, position: usize) -> usize {
    (position..body.end)
        .find(|&place| place == body.start || tokens[place - 1].ends_sentence())
        .unwrap_or(body.end)
}

#[cfg(test)]
mod tests {
    use super::super::prose::write_body;
    use super::super::random::{Purpose, Random};
    use super::super::spec::Outline;
    use super::super::vocabulary::Vocabulary;
    use super::{MAX_WORDS, MIN_WORDS, choose_excerpt};

    #[test]
    fn excerpts_are_whole_sentences_of_the_right_length() {
        for number in 0..300 {
            let body = 90 + 7 * u32::try_from(number).unwrap();
            let outline = Outline {
                host: 0,
                navigation: 0,
                body,
                footer: 0,
            };
            let mut random = Random::keyed(1, Purpose::Passage, number);
            let mut tokens = Vec::new();
            write_body(Vocabulary::get(), &mut random, body, &mut tokens);
            let excerpt = choose_excerpt(&mut random, &outline, &tokens, &outline);
            let num_words = u32::try_from(excerpt.len()).unwrap();
            assert!(
                (MIN_WORDS..=MAX_WORDS).contains(&num_words),
                "{num_words} words"
            );
            assert!(excerpt.start == 0 || tokens[excerpt.start - 1].ends_sentence());
            assert!(tokens[excerpt.end - 1].ends_sentence());
        }
    }
}
