//! Words of a stretch of text that is not pure ASCII.

use super::class::{Class, class};
use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};

/// Normalises, folds and splits text; holds the Unicode tables.
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
    /// Calls `emit` for each word of `text`, normalised and folded.
    pub fn words(&self, text: &str, mut emit: impl FnMut(&str)) {
        let normal = self.normalizer.normalize(text);
        let folded = self.folder.fold_string(&normal);
        split(&folded, &mut emit);
    }
}

/// Splits folded text into words.
fn split(folded: &str, emit: &mut impl FnMut(&str)) {
    // A word in progress: its start, and whether it may only take further marks.
    let mut open: Option<(usize, bool)> = None;
    for (at, ch) in folded.char_indices() {
        match (class(ch), open) {
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
}
