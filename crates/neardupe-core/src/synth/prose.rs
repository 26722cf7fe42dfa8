//! Running text: sentences, paragraphs and headings, and the boilerplate of hosts.
//!
//! Words are independent draws by Zipf's law. Two unrelated documents therefore share few
//! long shingles, and those of the most frequent words only, as in real text.

use super::random::Random;
use super::token::{End, Token};
use super::vocabulary::{Script, Vocabulary};
use crate::numbers::of_len;

/// Most words of one sentence.
pub(super) const MAX_SENTENCE_WORDS: u32 = 29;

/// Fewest words of one sentence, but for what is left at the end of a text.
const MIN_SENTENCE_WORDS: u32 = 4;

/// Adds exactly `num_words` words in sentences and paragraphs; the last ends its line. Exactly,
/// because the truth about near-duplicates and passages is in numbers of words.
pub(super) fn write_body(
    vocabulary: &Vocabulary,
    random: &mut Random,
    num_words: u32,
    tokens: &mut Vec<Token>,
) {
    let script = draw_script(random);
    let mut words_left = num_words;
    let mut sentences_left = 0;
    let mut first = true;
    while words_left > 0 {
        if sentences_left == 0 {
            sentences_left = random.between(2, 6);
            if words_left > 40 && random.percent(20) {
                let heading = random.between(2, 7);
                write_line(vocabulary, random, heading, tokens);
                words_left -= heading;
            }
        }
        // Two draws added up: lengths near 15 are usual, very short and very long ones are rare.
        let mut sentence = MIN_SENTENCE_WORDS + random.below(12) + random.below(12);
        // What would be left for a last sentence is too little: this one takes it.
        if words_left < sentence + MIN_SENTENCE_WORDS {
            sentence = words_left;
        }
        // At least the first sentence, so that a document of another script is never without it.
        let foreign = script != Script::Latin && (first || random.percent(25));
        first = false;
        match script {
            Script::Accented if foreign => {
                write_accented_sentence(vocabulary, random, sentence, tokens);
            }
            Script::Cyrillic | Script::Ideographs if foreign => {
                write_foreign_sentence(vocabulary, random, script, sentence, tokens);
            }
            _ => write_sentence(vocabulary, random, sentence, tokens),
        }
        words_left -= sentence;
        sentences_left -= 1;
        if sentences_left == 0 || words_left == 0 {
            change_last(tokens, Token::with_line_break);
        }
    }
}

/// Adds the links at the head of a host's documents: short lines without full stops.
pub(super) fn write_navigation(
    vocabulary: &Vocabulary,
    random: &mut Random,
    num_words: u32,
    tokens: &mut Vec<Token>,
) {
    let mut words_left = num_words;
    while words_left > 0 {
        let line = random.between(1, 3).min(words_left);
        write_line(vocabulary, random, line, tokens);
        words_left -= line;
    }
}

/// Adds the foot of a host's documents: sentences in one line.
pub(super) fn write_footer(
    vocabulary: &Vocabulary,
    random: &mut Random,
    num_words: u32,
    tokens: &mut Vec<Token>,
) {
    let mut words_left = num_words;
    while words_left > 0 {
        let sentence = random.between(MIN_SENTENCE_WORDS, 14).min(words_left);
        write_sentence(vocabulary, random, sentence, tokens);
        words_left -= sentence;
    }
    change_last(tokens, Token::with_line_break);
}

/// One document in a hundred has words of another script.
fn draw_script(random: &mut Random) -> Script {
    match random.below(1000) {
        0..4 => Script::Accented,
        4..7 => Script::Cyrillic,
        7..10 => Script::Ideographs,
        _ => Script::Latin,
    }
}

/// A heading or link: words, then a line break.
fn write_line(
    vocabulary: &Vocabulary,
    random: &mut Random,
    num_words: u32,
    tokens: &mut Vec<Token>,
) {
    write_words(vocabulary, random, num_words, tokens);
    change_last(tokens, Token::with_line_break);
}

/// Words of the main script without marks.
fn write_words(
    vocabulary: &Vocabulary,
    random: &mut Random,
    num_words: u32,
    tokens: &mut Vec<Token>,
) {
    tokens.extend((0..num_words).map(|_| Token::new(vocabulary.draw_frequent(random))));
}

/// A sentence of the main script.
fn write_sentence(
    vocabulary: &Vocabulary,
    random: &mut Random,
    num_words: u32,
    tokens: &mut Vec<Token>,
) {
    let start = tokens.len();
    write_words(vocabulary, random, num_words, tokens);
    punctuate(random, &mut tokens[start..]);
}

/// Words of the main script with one in eight from the accented forms, at least one.
fn write_accented_sentence(
    vocabulary: &Vocabulary,
    random: &mut Random,
    num_words: u32,
    tokens: &mut Vec<Token>,
) {
    let start = tokens.len();
    write_words(vocabulary, random, num_words, tokens);
    let sentence = &mut tokens[start..];
    for _ in 0..=num_words / 8 {
        let place = random.below(num_words) as usize;
        sentence[place] = Token::new(vocabulary.draw_foreign(Script::Accented, random));
    }
    punctuate(random, sentence);
}

/// A sentence of one foreign script; ideographs follow each other without spaces.
fn write_foreign_sentence(
    vocabulary: &Vocabulary,
    random: &mut Random,
    script: Script,
    num_words: u32,
    tokens: &mut Vec<Token>,
) {
    let ideographs = script == Script::Ideographs;
    for place in 1..=num_words {
        let token = Token::new(vocabulary.draw_foreign(script, random));
        let joined = ideographs && place < num_words;
        tokens.push(if joined { token.joined() } else { token });
    }
    let end = if ideographs {
        End::IdeographicStop
    } else {
        End::Stop
    };
    change_last(tokens, |token| token.with_end(end));
}

/// Ends the sentence and puts commas, now and then a colon or quotation marks, into it.
fn punctuate(random: &mut Random, sentence: &mut [Token]) {
    // One draw decides about all marks of the sentence.
    let style = random.below(100);
    let length = of_len(sentence.len());
    if length >= 8 {
        let place = (2 + random.below(length - 4)) as usize;
        let end = match style % 25 {
            0 => Some(End::Colon),
            1 => Some(End::Semicolon),
            2..17 => Some(End::Comma),
            _ => None,
        };
        if let Some(end) = end {
            sentence[place] = sentence[place].with_end(end);
        }
    }
    let end = match style {
        0..4 => End::Question,
        4..7 => End::Exclamation,
        _ => End::Stop,
    };
    change_last(sentence, |token| token.with_end(end));
    if style >= 97 {
        change_last(sentence, Token::with_close_quote);
        if let Some(token) = sentence.first_mut() {
            *token = token.with_open_quote();
        }
    }
}

/// Changes the last token, if there is one.
fn change_last(tokens: &mut [Token], change: impl FnOnce(Token) -> Token) {
    if let Some(token) = tokens.last_mut() {
        *token = change(*token);
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::{Purpose, Random};
    use super::super::vocabulary::Vocabulary;
    use super::{MAX_SENTENCE_WORDS, write_body, write_navigation};

    #[test]
    fn bodies_have_the_words_asked_for_and_end_a_line() {
        for num_words in [1, 2, 5, 8, 29, 30, 41, 700] {
            let mut tokens = Vec::new();
            let mut random = Random::keyed(1, Purpose::Body, u64::from(num_words));
            write_body(Vocabulary::get(), &mut random, num_words, &mut tokens);
            assert_eq!(tokens.len(), num_words as usize);
            assert!(tokens.last().unwrap().ends_sentence());
        }
    }

    #[test]
    fn sentences_keep_their_limit() {
        let mut tokens = Vec::new();
        let mut random = Random::keyed(1, Purpose::Body, 0);
        write_body(Vocabulary::get(), &mut random, 50_000, &mut tokens);
        let longest = tokens
            .split_inclusive(|token| token.ends_sentence())
            .map(<[_]>::len)
            .max();
        assert!(
            longest.unwrap() <= MAX_SENTENCE_WORDS as usize,
            "{longest:?}"
        );
    }

    #[test]
    fn navigation_is_short_lines() {
        let mut tokens = Vec::new();
        let mut random = Random::keyed(1, Purpose::Boilerplate, 0);
        write_navigation(Vocabulary::get(), &mut random, 30, &mut tokens);
        assert_eq!(tokens.len(), 30);
        assert!(
            tokens
                .split_inclusive(|t| t.ends_sentence())
                .all(|line| line.len() <= 3)
        );
    }
}
