//! The class of a character: does it separate words, belong to one, or stand alone.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, Script};

/// What a (normalized, folded) character does to words.
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

/// Whether a character is a word of its own.
#[inline]
pub(crate) fn stands_alone(ch: char) -> bool {
    class(ch) == Class::Alone
}

/// Class of a character. It runs for every character that is not plain ASCII, so the most frequent
/// ranges are decided before the tables are asked; both give the same class.
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

/// The definition, by the general category and the script of Unicode.
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

/// The scripts that are written without spaces, as the dictionaries distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unspaced {
    /// An ideograph.
    Han,
    /// Hiragana, katakana and their prolonged sound marks.
    Kana,
    /// Thai, Lao, Khmer, Myanmar.
    SouthEast,
}

/// The script of a letter, when it is one that is written without spaces; `class` is the
/// character's.
#[inline]
pub(super) fn unspaced(ch: char, class: Class) -> Option<Unspaced> {
    match class {
        Class::Alone if matches!(ch, '\u{4e00}'..='\u{9fff}') => Some(Unspaced::Han),
        Class::Alone => Some(match script(ch) {
            Script::Han => Unspaced::Han,
            Script::Thai => Unspaced::SouthEast,
            _ => Unspaced::Kana,
        }),
        // Lao is the first of them.
        Class::Run if ch >= '\u{e80}' => south_east(ch),
        _ => None,
    }
}

/// Lao, Khmer and Myanmar letters, which the simple rule takes as runs. Digits of these scripts are
/// runs as all digits are.
fn south_east(ch: char) -> Option<Unspaced> {
    let is_one = matches!(script(ch), Script::Lao | Script::Khmer | Script::Myanmar);
    let category = CodePointMapData::<GeneralCategory>::new().get(ch);
    let is_letter = matches!(
        category,
        GeneralCategory::OtherLetter | GeneralCategory::ModifierLetter
    );
    (is_one && is_letter).then_some(Unspaced::SouthEast)
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

    #[test]
    fn letters_written_without_spaces_are_known_by_script() {
        for (ch, expected) in [
            ('法', Some(Unspaced::Han)),
            ('𠮷', Some(Unspaced::Han)),
            ('〇', Some(Unspaced::Han)),
            ('々', Some(Unspaced::Han)),
            ('あ', Some(Unspaced::Kana)),
            ('ー', Some(Unspaced::Kana)),
            ('ｶ', Some(Unspaced::Kana)),
            ('ก', Some(Unspaced::SouthEast)),
            ('ລ', Some(Unspaced::SouthEast)),
            ('ខ', Some(Unspaced::SouthEast)),
            ('မ', Some(Unspaced::SouthEast)),
            ('၁', None),
            ('๑', None),
            ('\u{0e31}', None),
            ('a', None),
            ('한', None),
            ('。', None),
        ] {
            assert_eq!(unspaced(ch, class(ch)), expected, "{ch:?}");
        }
    }
}
