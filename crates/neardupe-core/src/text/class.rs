//! The class of a character: does it separate words, belong to one, or stand alone.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, Script};

/// What a (normalised, folded) character does to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Ends a word and is part of none.
    Separator,
    /// Part of a run of letters and digits.
    Run,
    /// A combining mark: stays with what precedes it.
    Mark,
    /// A word of its own: ideograph, kana, Thai letter.
    Alone,
}

/// Class of a character.
#[inline]
pub(super) fn class(ch: char) -> Class {
    match ch {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Run,
        '\0'..='\x7f' => Class::Separator,
        // The unified ideographs are most of Chinese text.
        '\u{4e00}'..='\u{9fff}' => Class::Alone,
        _ => class_by_tables(ch),
    }
}

fn class_by_tables(ch: char) -> Class {
    use GeneralCategory as Category;
    match CodePointMapData::<GeneralCategory>::new().get(ch) {
        Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark => {
            Class::Mark
        }
        Category::UppercaseLetter
        | Category::LowercaseLetter
        | Category::TitlecaseLetter
        | Category::ModifierLetter
        | Category::OtherLetter => letter(ch),
        // U+3007, the ideographic zero, and its like are letter numbers.
        Category::LetterNumber if script(ch) == Script::Han => Class::Alone,
        Category::DecimalNumber | Category::LetterNumber | Category::OtherNumber => {
            Class::Run
        }
        _ => Class::Separator,
    }
}

fn letter(ch: char) -> Class {
    // The prolonged sound marks of kana are of no script of their own.
    if matches!(ch, '\u{30fc}' | '\u{ff70}') {
        return Class::Alone;
    }
    match script(ch) {
        Script::Han | Script::Hiragana | Script::Katakana | Script::Thai => Class::Alone,
        _ => Class::Run,
    }
}

fn script(ch: char) -> Script {
    CodePointMapData::<Script>::new().get(ch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_of_the_unicode_version_that_results_name() {
        assert_eq!(crate::text::UNICODE_VERSION, "18.0");
        let category = CodePointMapData::<GeneralCategory>::new().get('\u{3d000}');
        // Small Seal Script came with 18.0. A later version has to be noticed by hand.
        assert_eq!(category, GeneralCategory::OtherLetter);
    }

    #[test]
    fn characters_have_the_class_of_the_word_rule() {
        for (ch, expected) in [
            ('a', Class::Run),
            ('7', Class::Run),
            ('_', Class::Separator),
            ('\'', Class::Separator),
            ('\u{a0}', Class::Separator),
            ('é', Class::Run),
            ('ж', Class::Run),
            ('한', Class::Run),
            ('²', Class::Run),
            ('Ⅷ', Class::Run),
            ('⒈', Class::Run),
            ('\u{0301}', Class::Mark),
            ('法', Class::Alone),
            ('𠮷', Class::Alone),
            ('々', Class::Alone),
            ('〇', Class::Alone),
            ('あ', Class::Alone),
            ('カ', Class::Alone),
            ('ー', Class::Alone),
            ('ก', Class::Alone),
            ('\u{0e31}', Class::Mark),
            ('。', Class::Separator),
            ('٣', Class::Run),
        ] {
            assert_eq!(class(ch), expected, "{ch:?}");
        }
    }
}
