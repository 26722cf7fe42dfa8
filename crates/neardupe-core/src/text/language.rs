//! The language of a document, and what is known about languages.

use super::languages::{LANGUAGES, LanguageRow};
use rust_stemmers::Algorithm;
use std::cell::OnceCell;
use std::fmt;

/// A language, by its ISO 639-1 code and English name.
#[derive(Clone, Copy)]
pub struct Language(&'static LanguageRow);

impl Language {
    /// The language with this code or English name, in any case.
    pub fn named(text: &str) -> Option<Self> {
        let is_named = |row: &&LanguageRow| {
            row.code.eq_ignore_ascii_case(text) || row.name.eq_ignore_ascii_case(text)
        };
        LANGUAGES.iter().find(is_named).map(Language)
    }

    /// All languages, by code.
    pub fn all() -> impl Iterator<Item = Self> {
        LANGUAGES.iter().map(Language)
    }

    /// ISO 639-1 code, such as `en`.
    pub fn code(self) -> &'static str {
        self.0.code
    }

    /// English name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Its Snowball stemmer.
    pub(super) fn stemmer(self) -> Option<Algorithm> {
        self.0.stemmer
    }

    /// Its place among all languages.
    pub(super) fn index(self) -> usize {
        let is_this = |row: &LanguageRow| row.code == self.0.code;
        LANGUAGES.iter().position(is_this).unwrap_or(0)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.code() == other.code()
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Language({})", self.code())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.code())
    }
}

/// Codes and names, for messages.
pub(super) fn listed(languages: impl Iterator<Item = Language>) -> String {
    let shown = languages.map(|language| format!("{language} ({})", language.name()));
    shown.collect::<Vec<_>>().join(", ")
}

/// Bytes of letters that detection looks at, more than which seldom change its answer. It
/// takes 1.3 million instructions for an English document, four times as many as the
/// words of a page of 12 kB, and 0.1 million for a Chinese one (measured).
const SAMPLE_LETTERS: usize = 2048;
/// Bytes within which the letters are looked for: of a long table of numbers no more is read.
const SAMPLE_BYTES: usize = 1 << 16;

/// The language of a text, if its beginning is enough to detect it reliably; none otherwise, and
/// for languages that the table lacks. It depends on the text alone, so a document has the same
/// language in every job.
pub fn detect(text: &str) -> Option<Language> {
    let info = whatlang::detect(sample(text))?;
    if !info.is_reliable() {
        return None;
    }
    let is_found = |row: &&LanguageRow| row.detected == Some(info.lang());
    LANGUAGES.iter().find(is_found).map(Language)
}

/// The beginning of a text that holds enough letters.
fn sample(text: &str) -> &str {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    let bytes = text.as_bytes().iter().take(SAMPLE_BYTES);
    let letters = bytes.enumerate().filter(|(_, byte)| is_letter(byte));
    // Bytes, not characters: letters that take three bytes count three times, and such scripts need
    // fewer of them.
    let last = letters.map(|(at, _)| at).nth(SAMPLE_LETTERS);
    let end = last.unwrap_or(SAMPLE_BYTES).min(text.len());
    &text[..text.floor_char_boundary(end)]
}

/// The language of a document, detected when first asked for: most documents are never asked. A
/// document that is cut into pieces has one of these, so that all pieces have its language.
#[derive(Debug)]
pub(super) struct LanguageOf<'a> {
    text: &'a str,
    language: OnceCell<Option<Language>>,
}

impl<'a> LanguageOf<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        LanguageOf {
            text,
            language: OnceCell::new(),
        }
    }

    pub(super) fn get(&self) -> Option<Language> {
        *self.language.get_or_init(|| detect(self.text))
    }

    pub(super) fn is_japanese(&self) -> bool {
        self.get().is_some_and(|language| language.code() == "ja")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn languages_are_found_by_code_and_by_name() {
        for text in ["de", "DE", "German", "german"] {
            assert_eq!(Language::named(text).unwrap().code(), "de");
        }
        assert_eq!(Language::named("Klingon"), None);
        assert_eq!(Language::named(""), None);
    }

    #[test]
    fn codes_are_in_order_and_all_that_can_be_detected_are_there() {
        let codes: Vec<&str> = Language::all().map(Language::code).collect();
        assert!(codes.is_sorted_by(|left, right| left < right));
        for &lang in whatlang::Lang::all() {
            let rows = LANGUAGES.iter().filter(|row| row.detected == Some(lang));
            assert_eq!(rows.count(), 1, "{lang}");
        }
        for (place, language) in Language::all().enumerate() {
            assert_eq!(language.index(), place);
        }
    }

    #[test]
    fn the_language_of_plain_texts_is_detected() {
        for (code, text) in [
            (
                "en",
                "The right of the people to be secure in their persons, houses, \
                    papers, and effects, shall not be violated, and no warrants shall issue.",
            ),
            (
                "de",
                "Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen \
                    ist Verpflichtung aller staatlichen Gewalt.",
            ),
            ("zh", "中华人民共和国的一切权力属于人民。"),
            ("ja", "すべて国民は、法の下に平等であつて、差別されない。"),
            ("th", "ประเทศไทยเป็นราชอาณาจักรอันหนึ่งอันเดียว"),
            (
                "ru",
                "Все люди рождаются свободными и равными в своем достоинстве и правах.",
            ),
        ] {
            assert_eq!(detect(text).map(Language::code), Some(code));
        }
        for text in ["", "12 + 30", "ok"] {
            assert_eq!(detect(text), None, "{text}");
        }
    }

    #[test]
    fn the_sample_ends_after_enough_letters_and_between_characters() {
        assert_eq!(sample("a1 b"), "a1 b");
        assert_eq!(sample(&"ab12 ".repeat(9000)).len(), 5 * 1024);
        assert_eq!(sample(&"1".repeat(100_000)).len(), SAMPLE_BYTES);
        assert_eq!(sample(&"法".repeat(9000)).len(), 2046);
    }

    proptest! {
        #[test]
        fn detection_takes_any_text(text in "\\PC{0,40}") {
            detect(&text);
        }
    }
}
