//! Characters that end sentences, close quotations, begin words.

use super::super::class::{Class, class};
use icu_properties::CodePointMapData;
use icu_properties::props::SentenceBreak;

/// Whether a byte can be the first of something to look at. Most letters, and all ideographs, are
/// passed by without being decoded. True where it need not be costs a call of `is_stop`; false for
/// the first byte of a stop would lose sentences (a test compares with all of Unicode).
pub(super) static LOOK: [bool; 256] = look();

const fn look() -> [bool; 256] {
    let mut table = [false; 256];
    table[b'.' as usize] = true;
    table[b'!' as usize] = true;
    table[b'?' as usize] = true;
    // First bytes of the characters that `is_stop` knows, and of the ellipsis.
    let mut at = 0;
    const FIRST: [u8; 11] = [
        0xd6, 0xd8, 0xdb, 0xdc, 0xdf, 0xe0, 0xe1, 0xe2, 0xe3, 0xea, 0xef,
    ];
    while at < FIRST.len() {
        table[FIRST[at] as usize] = true;
        at += 1;
    }
    table[0xf0] = true;
    table
}

/// Stops that are not ASCII: the sentence terminals of Unicode (a test compares), and the fullwidth
/// full stop. The first arms only keep frequent characters away from the table.
#[inline]
pub(super) fn is_stop(ch: char) -> bool {
    match ch {
        // Most letters that come here are Arabic, of India, or kana.
        '\u{3040}'..='\u{9fff}' | '\u{620}'..='\u{6d3}' | '\u{905}'..='\u{963}' => false,
        '\u{589}' | '\u{61d}'..='\u{61f}' | '\u{6d4}' | '\u{964}' | '\u{965}' => true,
        '\u{3002}' | '\u{ff01}' | '\u{ff0e}' | '\u{ff1f}' | '\u{ff61}' => true,
        '\0'..='\u{6ff}' => false,
        _ => CodePointMapData::<SentenceBreak>::new().get(ch) == SentenceBreak::STerm,
    }
}

/// Stops after which a sentence may begin without a space: those of Chinese and Japanese, with
/// their fullwidth and halfwidth forms.
#[inline]
pub(super) fn is_ideographic(stop: char) -> bool {
    matches!(
        stop,
        '\u{3002}' | '\u{ff01}' | '\u{ff0e}' | '\u{ff1f}' | '\u{ff61}'
    )
}

/// What may stand between a stop and the space after it, and belongs to the sentence. German closes
/// with signs that other languages open with; there is a space after it then.
#[inline]
pub(super) fn is_closer(ch: char, ideographic: bool) -> bool {
    match ch {
        '"' | '\'' | ')' | ']' | '}' | '\u{2019}' | '\u{201d}' | '»' | '›' => true,
        '*' | '_' | '“' | '‘' | '«' | '‹' => !ideographic,
        '」' | '』' | '）' | '】' | '》' | '〉' | '〕' | '］' | '｝' | '＂' | '＇'
        | '｣' | '〗' | '〙' | '〞' | '〟' => true,
        _ => false,
    }
}

/// A small letter: no sentence begins with it. Letters of scripts without capitals are not small.
#[inline]
pub(super) fn is_lower(ch: char) -> bool {
    match ch {
        'a'..='z' => true,
        '\0'..='\x7f' => false,
        _ => CodePointMapData::<SentenceBreak>::new().get(ch) == SentenceBreak::Lower,
    }
}

/// A letter or digit of any script; marks are none, though they belong to words.
#[inline]
pub(super) fn is_wordy(ch: char) -> bool {
    matches!(class(ch), Class::Run | Class::Alone)
}

/// Whether the text has a letter or digit.
pub(super) fn has_word(text: &str) -> bool {
    text.chars().any(is_wordy)
}

/// The character before a place.
#[inline]
pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

/// The character at a place.
#[inline]
pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_the_sentence_terminals_of_unicode() {
        let table = CodePointMapData::<SentenceBreak>::new();
        for ch in '\u{80}'..=char::MAX {
            let expected = table.get(ch) == SentenceBreak::STerm || ch == '\u{ff0e}';
            assert_eq!(is_stop(ch), expected, "{ch:?} {:x}", u32::from(ch));
            if expected || ch == '…' {
                let mut bytes = [0; 4];
                let first = ch.encode_utf8(&mut bytes).as_bytes()[0];
                assert!(LOOK[usize::from(first)], "{ch:?}");
            }
        }
    }

    #[test]
    fn small_letters_are_told_in_all_scripts() {
        assert!(['a', 'é', 'ß', 'д', 'λ', 'ա'].into_iter().all(is_lower));
        let others = ['A', 'É', 'Д', '1', '中', 'ا', 'अ', '한', '.'];
        assert!(!others.into_iter().any(is_lower));
    }
}
