//! Writes tokens out as text: plain, or escaped inside a JSON string.
//!
//! The inner loop copies 16 bytes of the form and 8 bytes of what follows it, whatever
//! their true lengths, and moves on by the lengths: no branch depends on the word.

use super::token::{NUM_SUFFIXES, Token, suffix_parts};
use super::vocabulary::{MAX_FORM_BYTES, Vocabulary};

/// Room one token needs: opening quote, form with padding, suffix with padding.
const TOKEN_BYTES: usize = 2 + MAX_FORM_BYTES + 1 + 8;

/// The bytes after a word, padded.
#[derive(Clone, Copy)]
struct Suffix {
    bytes: [u8; 8],
    num_bytes: u8,
    /// Characters of the marks, without the space or line break.
    num_mark_chars: u8,
    num_separators: u8,
}

/// How quotes and line breaks are written.
#[derive(Clone, Copy)]
pub(super) struct Renderer {
    quote: &'static [u8],
    suffixes: [Suffix; NUM_SUFFIXES],
}

impl Renderer {
    pub(super) fn json() -> Self {
        Self::new("\\\"", "\\n")
    }

    pub(super) fn plain() -> Self {
        Self::new("\"", "\n")
    }

    fn new(quote: &'static str, line_break: &str) -> Self {
        let suffixes = std::array::from_fn(|number| {
            let (end, quoted, broken, joined) = suffix_parts(number);
            let quote_after = if quoted { quote } else { "" };
            let separator = match (broken, joined) {
                (true, _) => line_break,
                (false, true) => "",
                (false, false) => " ",
            };
            let text = [end, quote_after, separator].concat();
            let mut bytes = [0; 8];
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            Suffix {
                bytes,
                num_bytes: small(text.len()),
                num_mark_chars: small(end.chars().count()) + u8::from(quoted),
                num_separators: u8::from(!separator.is_empty()),
            }
        });
        Self {
            quote: quote.as_bytes(),
            suffixes,
        }
    }

    /// Writes the tokens from `start` on and returns where the text ends. The buffer
    /// grows when needed and is never cut: what lies behind the end is of no meaning.
    pub(super) fn write(
        &self,
        vocabulary: &Vocabulary,
        tokens: &[Token],
        buffer: &mut Vec<u8>,
        start: usize,
    ) -> usize {
        let room = start + (tokens.len() + 1) * TOKEN_BYTES;
        if buffer.len() < room {
            buffer.resize(room, 0);
        }
        let mut position = start;
        let mut capital = true;
        for &token in tokens {
            if token.has_open_quote() {
                buffer[position..position + self.quote.len()].copy_from_slice(self.quote);
                position += self.quote.len();
            }
            let form = vocabulary.form(token.form());
            let slot = &mut buffer[position..position + MAX_FORM_BYTES + 1];
            slot.copy_from_slice(form.padded());
            if capital {
                slot[0] = slot[0].to_ascii_uppercase();
            }
            position += form.num_bytes();
            let suffix = &self.suffixes[token.suffix()];
            buffer[position..position + 8].copy_from_slice(&suffix.bytes);
            position += usize::from(suffix.num_bytes);
            capital = token.ends_sentence();
        }
        // Nothing separates the last word from a next one.
        let last_separator = tokens.last().map_or(0, |token| {
            let (end, quoted, _, _) = suffix_parts(token.suffix());
            let marks = end.len() + usize::from(quoted) * self.quote.len();
            usize::from(self.suffixes[token.suffix()].num_bytes) - marks
        });
        position - last_separator
    }

    /// Code points of the tokens as text, and of the separator after the last one.
    pub(super) fn count_chars(
        &self,
        vocabulary: &Vocabulary,
        tokens: &[Token],
    ) -> (u64, u64) {
        let mut total = 0;
        let mut separator = 0;
        for &token in tokens {
            let suffix = &self.suffixes[token.suffix()];
            total += separator + u64::from(token.has_open_quote());
            total += vocabulary.form(token.form()).num_chars();
            total += u64::from(suffix.num_mark_chars);
            separator = u64::from(suffix.num_separators);
        }
        (total, separator)
    }
}

fn small(value: usize) -> u8 {
    u8::try_from(value).expect("a suffix has at most 7 bytes")
}

#[cfg(test)]
mod tests {
    use super::super::token::{End, Token};
    use super::super::vocabulary::Vocabulary;
    use super::Renderer;

    fn tokens() -> Vec<Token> {
        vec![
            Token::new(0).with_open_quote(),
            Token::new(1)
                .with_end(End::Stop)
                .with_close_quote()
                .with_line_break(),
            Token::new(0),
            Token::new(1).with_end(End::Question),
        ]
    }

    fn write(renderer: Renderer, tokens: &[Token]) -> String {
        let mut buffer = b"##".to_vec();
        let end = renderer.write(Vocabulary::get(), tokens, &mut buffer, 2);
        String::from_utf8(buffer[2..end].to_vec()).unwrap()
    }

    #[test]
    fn plain_text_has_capitals_quotes_and_line_breaks() {
        assert_eq!(write(Renderer::plain(), &tokens()), "\"The of.\"\nThe of?");
    }

    #[test]
    fn json_text_is_the_escaped_plain_text() {
        assert_eq!(
            write(Renderer::json(), &tokens()),
            "\\\"The of.\\\"\\nThe of?"
        );
    }

    #[test]
    fn counted_characters_are_those_written() {
        let renderer = Renderer::plain();
        let tokens = tokens();
        for end in 0..=tokens.len() {
            let text = write(renderer, &tokens[..end]);
            let (num_chars, _) = renderer.count_chars(Vocabulary::get(), &tokens[..end]);
            assert_eq!(num_chars, text.chars().count() as u64);
        }
    }
}
