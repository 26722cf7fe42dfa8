//! Antecedents: the words at which spot signatures are taken (Theobald, Siddharth, Paepcke:
//! SpotSigs, SIGIR 2008), each with where its chain lies.
//!
//! They are words so common that running text has them everywhere, and menus and lists of
//! links have not.

use super::Segmenter;
use super::chain_words::language_of;
use super::language::Language;
use crate::error::{Error, Result};
use crate::hash::{self, FixedMap};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

/// What did best in the SpotSigs paper: the articles, and the forms of be, can, will, have
/// and do.
pub(super) const PUBLISHED: &str = "a an the be am is are was were been being can could will would \
                         have has had having do does did done doing";

/// How many of the most frequent words are antecedents when sentences are compared. Measured, with
/// planted passages in English and Chinese: from about 500 on more change little (F1 by sentences
/// at gamma 3: 0.848 with 10, 0.906 with 500 to 20,000 in English; 0.801 with 60, 0.867 with 1,000,
/// 0.870 with 10,000 in Chinese). The pdc-mr paper (section 5.3) has 10,000 and 60.
pub const FOR_SENTENCES: usize = 1_000;

/// Distances that a list may give.
const DISTANCES: RangeInclusive<u32> = 1..=64;
/// Lengths of chains that a list may give.
const CHAINS: RangeInclusive<u32> = 1..=16;

/// Where the chain of an antecedent lies: of the words after it that are not stop words every
/// `distance`-th one, `chain` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// From the antecedent to the first word of the chain, and from each to the next.
    pub distance: u32,
    /// Words of the chain.
    pub chain: u32,
}

impl Default for Spot {
    fn default() -> Self {
        Spot {
            distance: 1,
            chain: 2,
        }
    }
}

/// A list of antecedents. Cheap to clone: every reader and every copy of the options shares it.
#[derive(Debug, Clone)]
pub struct Antecedents(Arc<List>);

#[derive(Debug)]
struct List {
    words: BTreeMap<String, Spot>,
    /// By [`hash::word`].
    spots: FixedMap<u64, Spot>,
    /// The language of the words, when asked for.
    language: OnceLock<Option<Language>>,
}

impl Default for Antecedents {
    /// The published list, which is English.
    fn default() -> Self {
        static LIST: OnceLock<Antecedents> = OnceLock::new();
        let words = || PUBLISHED.split_whitespace().map(str::to_owned);
        LIST.get_or_init(|| Antecedents::of_words(words())).clone()
    }
}

impl Antecedents {
    /// These words (normalized ones), each with the usual chain.
    pub fn of_words(words: impl IntoIterator<Item = String>) -> Self {
        let words = words.into_iter().map(|word| (word, Spot::default()));
        Antecedents::new(words.collect())
    }

    fn new(words: BTreeMap<String, Spot>) -> Self {
        let spots = words
            .iter()
            .map(|(word, &spot)| (hash::word(word.as_bytes()), spot));
        Antecedents(Arc::new(List {
            spots: spots.collect(),
            words,
            language: OnceLock::new(),
        }))
    }

    /// A list that was given: on each line a word, and if need be the distance and the length
    /// of its chain; `#` begins a comment.
    pub fn from_lines(name: &str, lines: &str) -> Result<Self> {
        let mut words = BTreeMap::new();
        for (number, line) in (1..).zip(lines.lines()) {
            // Some editors put a byte order mark at the beginning of a file.
            let line = line.trim_start_matches('\u{feff}');
            let entry = line.split('#').next().unwrap_or_default();
            if entry.trim().is_empty() {
                continue;
            }
            let wrong = |what: String| {
                let message = format!("{name}, line {number}: {what}");
                Error::config("antecedents", message)
            };
            let (word, spot) = parse(entry).map_err(&wrong)?;
            if words.insert(word.clone(), spot).is_some() {
                return Err(wrong(format!("{word:?} is there twice")));
            }
        }
        if words.is_empty() {
            let message = format!("{name} has no word");
            return Err(Error::config("antecedents", message));
        }
        Ok(Antecedents::new(words))
    }

    /// The list as [`Antecedents::from_lines`] reads it.
    pub fn to_lines(&self) -> String {
        let words = self.0.words.iter();
        words.fold(String::new(), |lines, (word, spot)| {
            lines + &format!("{word} {} {}\n", spot.distance, spot.chain)
        })
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.0.words.len()
    }

    /// Hashes of the words, in the order of the words.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u64> {
        self.0.words.keys().map(|word| hash::word(word.as_bytes()))
    }

    /// The language whose stop words these are, as far as they are any.
    pub fn language(&self) -> Option<Language> {
        *self.0.language.get_or_init(|| language_of(self))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.words.is_empty()
    }

    /// Where the chain of a word lies, by the hash of the word; none if the word is not an
    /// antecedent.
    #[inline]
    pub fn spot(&self, word: u64) -> Option<Spot> {
        self.0.spots.get(&word).copied()
    }

    /// Whether a normalized word is an antecedent.
    #[inline]
    pub fn contains(&self, word: &str) -> bool {
        self.spot(hash::word(word.as_bytes())).is_some()
    }

    /// Number of words and hash of the list, for feature specifications. Two files with the same
    /// words, distances and lengths are the same list.
    pub fn specification(&self) -> String {
        let hash = hash::bytes(self.to_lines().as_bytes(), 0);
        format!("{} words; {hash:016x}", self.len())
    }
}

/// A line of a list.
fn parse(entry: &str) -> std::result::Result<(String, Spot), String> {
    let mut parts = entry.split_whitespace();
    let typed = parts.next().unwrap_or_default();
    let mut words = Vec::new();
    // A run of ideographs or Thai letters is one word: the list says so.
    Segmenter::default().runs(typed, |run, _| words.push(run.to_owned()));
    let [word] = &mut words[..] else {
        return Err(format!("{typed:?} is not one word"));
    };
    let mut number = |what: &str, usual: u32, range: &RangeInclusive<u32>| {
        let Some(typed) = parts.next() else {
            return Ok(usual);
        };
        let number = typed.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            format!("{typed:?} is not a {what}: give a number from {least} to {most}")
        })
    };
    let usual = Spot::default();
    let spot = Spot {
        distance: number("distance", usual.distance, &DISTANCES)?,
        chain: number("length of a chain", usual.chain, &CHAINS)?,
    };
    match parts.next() {
        None => Ok((std::mem::take(word), spot)),
        Some(more) => Err(format!(
            "{more:?} is too much; a line has a word, a distance and a length"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_is_written() {
        let text = "\u{feff}# words\nThe\nÉTÉ 2 # every second\n的 1 3\n\n但是 3\n";
        let list = Antecedents::from_lines("list.txt", text).unwrap();
        assert_eq!(list.to_lines(), "the 1 2\nété 2 2\n但是 3 2\n的 1 3\n");
        let again = Antecedents::from_lines("other.txt", &list.to_lines()).unwrap();
        assert_eq!(again.specification(), list.specification());
        let spot = |word: &str| list.spot(hash::word(word.as_bytes()));
        assert_eq!(spot("the"), Some(Spot::default()));
        assert_eq!(
            spot("的"),
            Some(Spot {
                distance: 1,
                chain: 3
            })
        );
        assert_eq!(spot("The"), None);
        let fewer = Antecedents::from_lines("list.txt", "the").unwrap();
        assert_ne!(fewer.specification(), list.specification());
    }

    #[test]
    fn a_fault_is_named_with_its_line() {
        for (text, fault) in [
            (
                "the\nis 0",
                "line 2: \"0\" is not a distance: give a number from 1 to 64",
            ),
            ("is 1 17", "line 1: \"17\" is not a length of a chain"),
            ("is 1 2 3", "line 1: \"3\" is too much"),
            ("don't", "line 1: \"don't\" is not one word"),
            ("...", "line 1: \"...\" is not one word"),
            ("is\n\nIS 2", "line 3: \"is\" is there twice"),
            ("# nothing", "list.txt has no word"),
        ] {
            let error = Antecedents::from_lines("list.txt", text).unwrap_err();
            let message = error.to_string();
            assert!(message.starts_with("antecedents: list.txt"), "{message}");
            assert!(message.contains(fault), "{message}");
        }
    }

    /// Fixed for good: results name the list by it.
    #[test]
    fn the_published_list_never_changes() {
        let list = Antecedents::default();
        assert_eq!(list.specification(), "24 words; 3ae097e119cec252");
        assert!(list.contains("is") && !list.contains("that"));
    }
}
