//! Words of a stretch of text that is not pure ASCII.
//!
//! Text is composed (NFC), folded, and split by the classes of its characters, in this order: a
//! mark that composes with a letter is then part of it, and folding may turn one character into
//! several. [`words`](super::words()) calls this for segments, [`slow`](super::slow) for whole texts.

use super::class::{Class, Unspaced, class, unspaced};
use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};
use std::borrow::Cow;

/// Normalizes, folds and splits text; holds the Unicode tables.
#[derive(Debug)]
pub struct Segmenter {
    normalizer: ComposingNormalizerBorrowed<'static>,
    folder: CaseMapperBorrowed<'static>,
}

impl Default for Segmenter {
    fn default() -> Self {
        Segmenter {
            normalizer: ComposingNormalizer::new_nfc(),
            folder: CaseMapper::new(),
        }
    }
}

impl Segmenter {
    /// Calls `emit` for each word of `text`, normalized and folded.
    pub fn words(&self, text: &str, mut emit: impl FnMut(&str)) {
        split(&self.fold(text), &mut emit);
    }

    /// The same with [`unspaced`] runs whole, each with its script.
    pub(super) fn runs(&self, text: &str, mut emit: impl FnMut(&str, Option<Unspaced>)) {
        split_runs(&self.fold(text), &mut emit);
    }

    /// Calls `emit` for each word between white space, normalized and folded.
    pub(super) fn spaced(&self, text: &str, mut emit: impl FnMut(&str)) {
        for piece in self.fold(text).split_whitespace() {
            let word = piece.trim_matches(|ch| class(ch) == Class::Separator);
            if !word.is_empty() {
                emit(word);
            }
        }
    }

    /// Text in composed form (NFC) and folded.
    fn fold<'a>(&self, text: &'a str) -> Cow<'a, str> {
        // Most Chinese segments: neither copied nor looked up in tables.
        if text.chars().all(is_settled) {
            return Cow::Borrowed(text);
        }
        match self.normalizer.normalize(text) {
            // Composed already: nothing was copied, and folding copies only if it changes
            // something.
            Cow::Borrowed(normal) => self.folder.fold_string(normal),
            Cow::Owned(normal) => {
                Cow::Owned(self.folder.fold_string(&normal).into_owned())
            }
        }
    }
}

/// Whether a character is composed and folded already and joins with no other such
/// character: those that Chinese text is made of. The tables need hundreds of instructions
/// to find the same.
#[inline]
pub(super) fn is_settled(ch: char) -> bool {
    match ch {
        'A'..='Z' => false,
        '\0'..='\x7f'
        | '\u{2010}'..='\u{2027}'
        | '\u{3000}'..='\u{3020}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ff01}'..='\u{ff20}' => true,
        _ => false,
    }
}

/// Splits folded text into words.
fn split(folded: &str, emit: &mut impl FnMut(&str)) {
    // A word in progress: its start, and whether it may only take further marks.
    let mut open: Option<(usize, bool)> = None;
    for (at, ch) in folded.char_indices() {
        match (class(ch), open) {
            // The word goes on. A mark without a word before it begins one, like a letter.
            (Class::Mark, Some(_)) | (Class::Run, Some((_, false))) => {}
            (Class::Separator, _) => {
                if let Some((start, _)) = open.take() {
                    emit(&folded[start..at]);
                }
            }
            (kind, _) => {
                if let Some((start, _)) = open {
                    emit(&folded[start..at]);
                }
                open = Some((at, kind == Class::Alone));
            }
        }
    }
    if let Some((start, _)) = open {
        emit(&folded[start..]);
    }
}

/// Splits folded text into words and runs of scripts written without spaces. Ideographs and
/// kana form runs together, which count as kana; marks stay with what precedes them.
fn split_runs(folded: &str, emit: &mut impl FnMut(&str, Option<Unspaced>)) {
    let mut open: Option<(usize, Option<Unspaced>)> = None;
    for (at, ch) in folded.char_indices() {
        let kind = class(ch);
        if kind == Class::Mark && open.is_some() {
            continue;
        }
        if kind == Class::Separator {
            if let Some((start, script)) = open.take() {
                emit(&folded[start..at], script);
            }
            continue;
        }
        // None for letters and digits of scripts with spaces: `together` keeps them as one run, and
        // ends it where a script without spaces begins.
        let script = unspaced(ch, kind);
        open = match open {
            Some((start, before)) => match together(before, script) {
                Some(both) => Some((start, both)),
                None => {
                    emit(&folded[start..at], before);
                    Some((at, script))
                }
            },
            None => Some((at, script)),
        };
    }
    if let Some((start, script)) = open {
        emit(&folded[start..], script);
    }
}

/// What a run is when it goes on with a letter of another or the same kind; none when it
/// ends there.
#[inline]
fn together(
    before: Option<Unspaced>,
    next: Option<Unspaced>,
) -> Option<Option<Unspaced>> {
    use Unspaced::{Han, Kana};
    match (before, next) {
        _ if before == next => Some(before),
        (Some(Han), Some(Kana)) | (Some(Kana), Some(Han)) => Some(Some(Kana)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        Segmenter::default().words(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn words_are_composed_folded_and_split() {
        assert_eq!(words("Straße"), ["strasse"]);
        assert_eq!(words("Cafe\u{301} ÉTÉ"), ["café", "été"]);
        assert_eq!(
            words("中文 PostgreSQL数据库2024年"),
            ["中", "文", "postgresql", "数", "据", "库", "2024", "年"]
        );
        assert_eq!(words("ก็ดี"), ["ก็", "ดี"]);
        assert_eq!(words("naïve—façade"), ["naïve", "façade"]);
        assert_eq!(words("한국어 Ελλάς"), ["한국어", "ελλάσ"]);
        assert_eq!(words("=\u{338}"), Vec::<String>::new());
        assert_eq!(words("\u{301}"), ["\u{301}"]);
    }

    #[test]
    fn runs_without_spaces_are_whole_and_of_one_kind() {
        let mut found = Vec::new();
        let text = "ABC中文12かな漢字ー。ไทยลາວ中\u{e0100}国 é한국";
        Segmenter::default().runs(text, |run, script| {
            found.push((run.to_owned(), script));
        });
        let found: Vec<_> = found
            .iter()
            .map(|(run, kind)| (run.as_str(), *kind))
            .collect();
        assert_eq!(
            found,
            [
                ("abc", None),
                ("中文", Some(Unspaced::Han)),
                ("12", None),
                ("かな漢字ー", Some(Unspaced::Kana)),
                ("ไทยลາວ", Some(Unspaced::SouthEast)),
                ("中\u{e0100}国", Some(Unspaced::Han)),
                ("é한국", None),
            ]
        );
    }

    #[test]
    fn settled_characters_are_as_the_tables_would_make_them() {
        let segmenter = Segmenter::default();
        let settled: Vec<char> =
            ('\0'..=char::MAX).filter(|&ch| is_settled(ch)).collect();
        assert!(settled.len() > 20_000);
        // One after the other, and each after itself: none is changed or joined.
        let mut text: String = settled.iter().collect();
        text.extend(settled.iter().flat_map(|&ch| [ch, ch]));
        text.extend(settled.iter().flat_map(|&ch| ['a', ch]));
        assert!(segmenter.normalizer.is_normalized(&text));
        assert_eq!(segmenter.folder.fold_string(&text), text);
        for ch in settled {
            assert_ne!(class(ch), Class::Mark, "{ch:?}");
        }
    }
}
