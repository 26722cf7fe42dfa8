//! Which words can stand in the chain of a spot signature: all but stop words, be they antecedents
//! or not (Theobald, Siddharth, Paepcke: SpotSigs, SIGIR 2008).
//!
//! The stop words are those that were asked for. Where none were, or those of each document's
//! language, they are those of the language of the antecedents: signatures of one job must be made
//! alike, and the language of a single sentence cannot be known.

use super::antecedents::PUBLISHED;
use super::language::Language;
use super::stop_words::{StopList, entries_of, list_of};
use super::{Antecedents, StopWords, WordOptions};
use std::sync::{Arc, OnceLock};

/// Knows the words that no chain has.
#[derive(Debug, Clone, Default)]
pub struct ChainWords {
    skipped: Skipped,
}

#[derive(Debug, Clone, Default)]
/// Where the list comes from. Lists of languages live as long as the program.
enum Skipped {
    #[default]
    Nothing,
    OfLanguage(&'static StopList),
    Given(Arc<StopList>),
}

impl ChainWords {
    /// The words of chains where these options are in force.
    pub fn new(options: &WordOptions) -> Self {
        let of_language = |language: Option<Language>| {
            let list = language.and_then(skipped_in);
            list.map_or(Skipped::Nothing, Skipped::OfLanguage)
        };
        let skipped = match &options.stop_words {
            StopWords::None | StopWords::Auto => {
                of_language(options.antecedents.language())
            }
            StopWords::Of(language) => of_language(Some(*language)),
            StopWords::List(list) => Skipped::Given(Arc::clone(list)),
        };
        ChainWords { skipped }
    }

    fn list(&self) -> Option<&StopList> {
        match &self.skipped {
            Skipped::Nothing => None,
            Skipped::OfLanguage(list) => Some(list),
            Skipped::Given(list) => Some(list),
        }
    }

    /// Whether no chain has a word, by its hash.
    #[inline]
    pub fn skips(&self, word: u64) -> bool {
        self.list().is_some_and(|list| list.contains_hash(word))
    }

    /// Whether no chain has a normalized word.
    pub fn skips_word(&self, word: &str) -> bool {
        self.list().is_some_and(|list| list.contains(word))
    }

    /// Name and hash of the list, for feature specifications.
    pub fn specification(&self) -> String {
        match self.list() {
            None => "none".to_owned(),
            Some(list) => list.specification(),
        }
    }
}

/// The stop words of a language. In English also the published antecedents: the list that we have
/// lacks "could", "would" and "done".
fn skipped_in(language: Language) -> Option<&'static StopList> {
    static ENGLISH: OnceLock<StopList> = OnceLock::new();
    let list = list_of(language)?;
    match language.code() {
        "en" => Some(ENGLISH.get_or_init(|| {
            let published = PUBLISHED.split_whitespace().map(str::to_owned);
            let words = entries_of(language).chain(published);
            StopList::new(language.code(), &words.collect())
        })),
        _ => Some(list),
    }
}

/// The language of a list of words, by how many of them are among its stop words. Lists are of very
/// different length, and some hold half a dictionary: the square of the matches counts by the root
/// of the length. English, unless another language has more matches; none when there is no match at
/// all.
pub(super) fn language_of(words: &Antecedents) -> Option<Language> {
    let hashes: Vec<u64> = words.hashes().collect();
    let matches = |language: Language| {
        let list = list_of(language)?;
        let found = hashes.iter().filter(|&&word| list.contains_hash(word));
        Some((language, found.count() as u128, list.len() as u128))
    };
    let all: Vec<_> = Language::all().filter_map(matches).collect();
    let most = all.iter().map(|&(_, found, _)| found).max()?;
    let is_english = |&(language, found, _): &(Language, u128, u128)| {
        found == most && language.code() == "en"
    };
    let best = match all.iter().find(|one| is_english(one)) {
        Some(&english) => english,
        None => all.into_iter().reduce(|best, other| {
            let ((_, found, len), (_, best_found, best_len)) = (other, best);
            // found^2 / sqrt(len) of both, squared and multiplied out, so that whole numbers are
            // compared. Of equal ones the first by code is taken.
            if found.pow(4) * best_len > best_found.pow(4) * len {
                other
            } else {
                best
            }
        })?,
    };
    (best.1 > 0).then_some(best.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(lines: &str, stop_words: &str) -> ChainWords {
        ChainWords::new(&WordOptions {
            antecedents: Antecedents::from_lines("list", lines).unwrap(),
            stop_words: StopWords::named(stop_words).unwrap(),
            ..WordOptions::default()
        })
    }

    #[test]
    fn stop_words_are_those_of_the_language_of_the_antecedents() {
        for (lines, skipped, taken) in [
            ("the\nis\nking", "of", "king"),
            ("in", "the", "dem"),
            ("die\nder\nin\nund\nhaus", "dem", "the"),
            ("的\n是\n国家", "我们", "国家"),
        ] {
            let words = with(lines, "none");
            assert!(words.skips_word(skipped), "{lines}");
            assert!(!words.skips_word(taken), "{lines}");
            let auto = with(lines, "auto");
            assert_eq!(auto.specification(), words.specification());
        }
        let none = with("xyzzy", "none");
        assert!(!none.skips_word("the") && none.specification() == "none");
    }

    #[test]
    fn stop_words_that_were_named_count_alone() {
        let words = with("the\nis", "de");
        assert!(words.skips_word("der") && !words.skips_word("the"));
        let listed = ChainWords::new(&WordOptions {
            stop_words: StopWords::from_lines("few", "king"),
            ..WordOptions::default()
        });
        assert!(listed.skips_word("king") && !listed.skips_word("the"));
    }

    #[test]
    fn all_published_antecedents_are_english_stop_words() {
        let words = ChainWords::new(&WordOptions::default());
        for word in PUBLISHED.split_whitespace() {
            assert!(words.skips_word(word), "{word}");
        }
        assert!(words.skips_word("that") && !words.skips_word("campaign"));
    }
}
