//! Stop words: words so common that they say nothing about a text.
//!
//! The lists are those of NLTK where there is one and of stopwords-iso elsewhere. NLTK has
//! 198 English words, all of them function words; stopwords-iso has 1,298, among them
//! "computer", "research" and "system", which a search for duplicates cannot do without.

use super::Segmenter;
use super::language::{Language, LanguageOf, listed};
use super::rule::DETECTOR;
use crate::error::Error;
use crate::hash::{self, FixedSet};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Which words are skipped.
#[derive(Debug, Clone, Default)]
pub enum StopWords {
    /// None.
    #[default]
    None,
    /// Those of each document's language; none where that has no list or is unknown.
    Auto,
    /// Those of this language.
    Of(Language),
    /// Those of a list that was given.
    List(Arc<StopList>),
}

impl StopWords {
    /// `none`, `auto`, or the code or English name of a language with a list.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "none" => Some(StopWords::None),
            "auto" => Some(StopWords::Auto),
            _ => Language::named(text)
                .filter(|language| entries(*language).is_some())
                .map(StopWords::Of),
        }
    }

    /// A list that was given: one or more words a line, `#` begins a comment. `name` is
    /// what results show.
    pub fn from_lines(name: &str, lines: &str) -> Self {
        let mut words = BTreeSet::new();
        for line in lines.lines() {
            let entry = line.split('#').next().unwrap_or_default();
            words.extend(pieces(entry));
        }
        StopWords::List(Arc::new(StopList::new(name, &words)))
    }

    /// The message for what is neither a name nor a file.
    pub fn unknown(text: &str) -> Error {
        let all = Language::all().filter(|language| entries(*language).is_some());
        let message = format!(
            "{text:?} is not none, auto, a file that is there, or a language with a list: {}",
            listed(all)
        );
        Error::config("stop-words", message)
    }

    /// Whether no word is skipped, whatever the document.
    pub fn is_none(&self) -> bool {
        matches!(self, StopWords::None)
    }

    /// The list for a document.
    pub(super) fn list(&self, language: &LanguageOf<'_>) -> Option<&StopList> {
        match self {
            StopWords::None => None,
            StopWords::Auto => list_of(language.get()?),
            StopWords::Of(language) => list_of(*language),
            StopWords::List(list) => Some(list),
        }
    }

    /// Name and hash of the list or lists, for feature specifications.
    pub fn specification(&self) -> String {
        match self {
            StopWords::None => self.to_string(),
            StopWords::Auto => {
                let lists = Language::all().filter_map(list_of);
                let all = lists.fold(0, |all, list| hash::mix(all ^ list.hash));
                format!("auto by {DETECTOR}; {all:016x}")
            }
            StopWords::Of(language) => {
                let hash = list_of(*language).map_or(0, |list| list.hash);
                format!("{language}; {hash:016x}")
            }
            StopWords::List(list) => list.specification(),
        }
    }
}

impl fmt::Display for StopWords {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopWords::None => out.write_str("none"),
            StopWords::Auto => out.write_str("auto"),
            StopWords::Of(language) => language.fmt(out),
            StopWords::List(list) => out.write_str(&list.name),
        }
    }
}

/// A list of stop words, as the hashes that words have in features: a lookup needs no string.
#[derive(Debug)]
pub struct StopList {
    name: String,
    /// Hashes of the words, by [`hash::word`].
    words: FixedSet<u64>,
    hash: u64,
}

impl StopList {
    pub(super) fn new(name: &str, words: &BTreeSet<String>) -> Self {
        // In the order of a sorted set, so the hash does not depend on the order of a file.
        let joined = words
            .iter()
            .fold(String::new(), |all, word| all + word + "\n");
        StopList {
            name: name.to_owned(),
            words: words
                .iter()
                .map(|word| hash::word(word.as_bytes()))
                .collect(),
            hash: hash::bytes(joined.as_bytes(), 0),
        }
    }

    /// Whether a folded word is in the list.
    #[inline]
    pub(super) fn contains(&self, word: &str) -> bool {
        self.contains_hash(hash::word(word.as_bytes()))
    }

    /// Whether a folded word is in the list, by its hash.
    #[inline]
    pub(super) fn contains_hash(&self, word: u64) -> bool {
        self.words.contains(&word)
    }

    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Name and hash, for feature specifications.
    pub(super) fn specification(&self) -> String {
        format!("{}; {:016x}", self.name, self.hash)
    }
}

/// The entries of a language as the dependency has them.
fn entries(language: Language) -> Option<&'static [&'static str]> {
    stop_words::lookup(language.code())
}

/// Room for the lists of all languages, by [`Language::index`]: more than there are languages.
const NUM_LISTS: usize = 128;
static LISTS: [OnceLock<StopList>; NUM_LISTS] = [const { OnceLock::new() }; NUM_LISTS];

/// The list of a language, made when first asked for.
pub(super) fn list_of(language: Language) -> Option<&'static StopList> {
    entries(language)?;
    let list = LISTS.get(language.index())?;
    Some(
        list.get_or_init(|| {
            StopList::new(language.code(), &entries_of(language).collect())
        }),
    )
}

/// The stop words of a language.
pub(super) fn entries_of(language: Language) -> impl Iterator<Item = String> {
    let entries = entries(language).unwrap_or_default().iter();
    entries.flat_map(|entry| words_of(entry))
}

/// The words that an entry of a language's list stands for. Most are one word. Of one that is
/// joined by apostrophes ("don't", "c'est") each piece of two or more characters is a stop word;
/// single letters are only where the list has them by themselves. Phrases ("bao giờ") give no
/// words.
fn words_of(entry: &str) -> Vec<String> {
    let mut pieces = pieces(entry);
    let joint = |ch: char| matches!(ch, '\'' | '’' | 'ʼ' | '᾽' | '´');
    if pieces.len() < 2 {
        return pieces;
    }
    // A phrase, or words joined by a hyphen: its pieces are not stop words by themselves.
    if !entry.contains(joint) || entry.contains(char::is_whitespace) {
        return Vec::new();
    }
    pieces.retain(|piece| piece.chars().nth(1).is_some());
    pieces
}

/// The words of an entry. A run of ideographs or Thai letters is one: the entry says that it
/// is a word.
fn pieces(entry: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    Segmenter::default().runs(entry, |run, _| pieces.push(run.to_owned()));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &str) -> &'static StopList {
        list_of(Language::named(code).unwrap()).unwrap()
    }

    #[test]
    fn names_are_languages_that_have_a_list() {
        for (text, shown) in [
            ("none", "none"),
            ("auto", "auto"),
            ("en", "en"),
            ("chinese", "zh"),
        ] {
            assert_eq!(StopWords::named(text).unwrap().to_string(), shown);
        }
        for text in ["", "cy", "my-list.txt"] {
            assert!(StopWords::named(text).is_none(), "{text}");
        }
        let message = StopWords::unknown("cy").to_string();
        assert!(message.starts_with("stop-words: \"cy\" is not none, auto,"));
        assert!(message.contains("en (English), eo (Esperanto)"));
    }

    #[test]
    fn every_list_of_the_crate_has_its_language_and_is_not_empty() {
        for &code in stop_words::available_languages() {
            // The only one without a code of its own.
            if code != "hinglish" {
                assert!(of(code).words.len() > 20, "{code}");
            }
        }
        assert!(Language::all().count() <= NUM_LISTS);
    }

    #[test]
    fn lists_hold_common_words_as_the_word_rule_makes_them() {
        for (code, words) in [
            ("en", "the don t aren"),
            ("de", "und dass für"),
            ("fr", "le à qu"),
            ("zh", "我们 的 如果"),
            ("ja", "これ の"),
            ("th", "และ"),
        ] {
            for word in words.split(' ') {
                assert!(of(code).contains(word), "{code} {word}");
            }
        }
        for word in ["computer", "system", "world", "n", ""] {
            assert!(!of("en").contains(word), "{word}");
        }
    }

    #[test]
    fn entries_stand_for_words() {
        for (entry, expected) in [
            ("The", &["the"][..]),
            ("don't", &["don"]),
            ("aujourd’hui", &["aujourd", "hui"]),
            ("如果", &["如果"]),
            ("bao giờ", &[]),
            ("et-al", &[]),
            ("。", &[]),
        ] {
            assert_eq!(words_of(entry), expected, "{entry}");
        }
    }

    #[test]
    fn a_given_list_has_words_lines_and_comments() {
        let text = "# legal terms\nSHALL hereby # twice\n\nÉTÉ\n第一条\n";
        let StopWords::List(list) = StopWords::from_lines("legal.txt", text) else {
            panic!("not a list");
        };
        for word in ["shall", "hereby", "été", "第一条"] {
            assert!(list.contains(word), "{word}");
        }
        assert_eq!(list.words.len(), 4);
        let other = StopWords::from_lines("legal.txt", "hereby\nshall\nété\n第一条");
        assert_eq!(other.specification(), StopWords::List(list).specification());
        let other = StopWords::from_lines("legal.txt", "hereby");
        assert!(other.specification().starts_with("legal.txt; "));
    }
}
