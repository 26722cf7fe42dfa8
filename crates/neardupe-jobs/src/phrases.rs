//! Looks for some phrases in texts, in small or capital letters: the notices and quotation marks of
//! forums by which causes and kinds of passages are recognized.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

/// Finds any of some phrases in one pass over a text, however many phrases there are.
#[derive(Debug)]
pub(crate) struct PhraseFinder {
    /// None if it could not be built, which only takes more phrases than fit in its numbers: then
    /// nothing is found. Our lists are short and fixed.
    automaton: Option<AhoCorasick>,
}

impl PhraseFinder {
    /// For phrases in small letters. Only those of ASCII are found in capital ones too.
    pub(crate) fn new(phrases: &[&str]) -> Self {
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            // The longest phrase at a place counts, once: `log in here` is not also `log in`.
            .match_kind(MatchKind::LeftmostLongest)
            // The fastest form; its memory does not matter for a few dozen phrases.
            .kind(Some(AhoCorasickKind::DFA))
            .build(phrases);
        PhraseFinder {
            automaton: automaton.ok(),
        }
    }

    /// Where phrases begin, in bytes; phrases within a longer one are omitted.
    pub(crate) fn places(&self, text: &str) -> impl Iterator<Item = usize> {
        let found = self
            .automaton
            .iter()
            .flat_map(move |one| one.find_iter(text));
        found.map(|found| found.start())
    }

    /// Whether a text has any of the phrases.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.automaton
            .as_ref()
            .is_some_and(|one| one.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_any_case() {
        let finder = PhraseFinder::new(&["log in", "log in here", "版权所有"]);
        let text = "Log In here, LOG IN. 版权所有";
        assert_eq!(finder.places(text).collect::<Vec<_>>(), [0, 13, 21]);
        assert!(finder.is_in(text));
        assert!(!finder.is_in("login"));
    }
}
