//! Looks for some phrases in texts, in small or capital letters.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

/// Finds any of some phrases in one walk through a text.
#[derive(Debug)]
pub(crate) struct PhraseFinder {
    /// None could be made of phrases without end, and then nothing is found.
    automaton: Option<AhoCorasick>,
}

impl PhraseFinder {
    /// For phrases in small letters. Only those of ASCII are found in capital ones too.
    pub(crate) fn new(phrases: &[&str]) -> Self {
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .kind(Some(AhoCorasickKind::DFA))
            .build(phrases);
        PhraseFinder {
            automaton: automaton.ok(),
        }
    }

    /// Where phrases begin, those within others left out.
    pub(crate) fn places(&self, text: &str) -> impl Iterator<Item = usize> {
        let found = self
            .automaton
            .iter()
            .flat_map(move |one| one.find_iter(text));
        found.map(|found| found.start())
    }

    /// Whether there is any.
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
