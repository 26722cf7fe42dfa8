//! The words of documents by all options: rule, stop words, stems.
//!
//! Without an option it is [`words`] and nothing else: what an option costs is paid only
//! where it is used.

use super::language::LanguageOf;
use super::stem::Stems;
use super::stop_words::StopList;
use super::words::words_with;
use super::{
    Antecedents, ChainWords, Segmenter, WordEffect, WordOptions, WordRule, WordSink,
    dictionary, words,
};
use rust_stemmers::Algorithm;

/// Reads words, reusing its buffers from document to document.
#[derive(Debug)]
pub struct WordReader {
    rule: WordRule,
    options: WordOptions,
    /// When this is set, antecedents are given as they are and words that no chain has are skipped.
    chain_words: Option<ChainWords>,
    segmenter: Segmenter,
    stems: Stems,
    word: String,
}

impl WordReader {
    /// A reader by `rule`; see [`WordOptions::rule_or`].
    pub fn new(rule: WordRule, options: &WordOptions) -> Self {
        WordReader {
            rule,
            options: options.clone(),
            chain_words: None,
            segmenter: Segmenter::default(),
            stems: Stems::default(),
            word: String::new(),
        }
    }

    /// A reader that gives antecedents as they are, be they stop words or not. It skips no word
    /// that a chain could have. Antecedents that no chain may have are still among the words:
    /// [`ChainWords::skips`] knows them.
    pub fn keeping_antecedents(rule: WordRule, options: &WordOptions) -> Self {
        WordReader {
            chain_words: Some(ChainWords::new(options)),
            ..WordReader::new(rule, options)
        }
    }

    /// Gives the words of a document to `sink`.
    pub fn read(&mut self, text: &str, sink: &mut impl WordSink) {
        self.read_piece(text, &LanguageOf::new(text), sink);
    }

    /// Gives the words of a document to `sink`, cut at some places in ascending order, none of them
    /// within a word: `begin` is called with the beginning of each piece, before its words. The
    /// language is that of the whole document.
    pub fn read_cut<Sink: WordSink>(
        &mut self,
        text: &str,
        cuts: &[usize],
        sink: &mut Sink,
        mut begin: impl FnMut(usize, &Sink),
    ) {
        let language = LanguageOf::new(text);
        let ends = cuts.iter().copied().chain([text.len()]);
        let mut start = 0;
        for end in ends {
            begin(start, sink);
            self.read_piece(&text[start..end], &language, sink);
            start = end;
        }
    }

    /// Gives the words of a piece of a document. Options that are off cost nothing: the sink is
    /// called directly.
    fn read_piece(
        &mut self,
        text: &str,
        language: &LanguageOf<'_>,
        sink: &mut impl WordSink,
    ) {
        let stop_list = self.options.stop_words.list(language);
        let stemmer = self.options.stem.algorithm(language);
        if stop_list.is_none() && stemmer.is_none() {
            let effect = &self.options.effect;
            return cut(self.rule, &self.segmenter, text, language, effect, sink);
        }
        let mut chosen = Chosen {
            sink,
            of_spots: self
                .chain_words
                .as_ref()
                .map(|chain_words| (&self.options.antecedents, chain_words)),
            stop_list,
            stemmer,
            stems: &mut self.stems,
            word: &mut self.word,
            effect: &self.options.effect,
        };
        let effect = &self.options.effect;
        cut(
            self.rule,
            &self.segmenter,
            text,
            language,
            effect,
            &mut chosen,
        );
    }
}

/// Gives the words of a text to `sink`.
fn cut(
    rule: WordRule,
    segmenter: &Segmenter,
    text: &str,
    language: &LanguageOf<'_>,
    effect: &WordEffect,
    sink: &mut impl WordSink,
) {
    match rule {
        WordRule::Spaces => {
            // Searched only until the first document that has such a character.
            if !effect.has_cut() && text.contains(is_between_words) {
                effect.cut();
            }
            spaced(text, segmenter, sink);
        }
        WordRule::Simple => words(text, segmenter, sink),
        // ASCII is the same by both rules; only other segments are cut into runs.
        WordRule::Segmented => words_with(text, sink, |segment, sink| {
            segmenter.runs(segment, |run, script| match script {
                None => sink.folded(run),
                Some(script) => {
                    effect.cut();
                    dictionary::cut(run, script, language, |word| sink.folded(word));
                }
            });
        }),
    }
}

/// What a word between white space may have, and a word of letters may not.
fn is_between_words(character: char) -> bool {
    !character.is_alphanumeric() && !character.is_whitespace()
}

/// Gives the words between white space to `sink`. No character composes with white space before it, so
/// normalizing the pieces equals normalizing the whole.
fn spaced(text: &str, segmenter: &Segmenter, sink: &mut impl WordSink) {
    let bytes = text.as_bytes();
    for piece in text.split_whitespace() {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric();
        let first = piece.bytes().position(|byte| is_plain(&byte));
        let last = piece.bytes().rposition(|byte| is_plain(&byte));
        match (first, last) {
            (Some(first), Some(last))
                if piece.is_ascii()
                    && piece.as_bytes()[first..=last].iter().all(is_plain) =>
            {
                // A piece is a part of the text: its address says where. Letters and digits without
                // a gap are a word of the fast kind, which needs no copy.
                let at = piece.as_ptr() as usize - text.as_ptr() as usize;
                sink.ascii(bytes, at + first, at + last + 1);
            }
            _ => segmenter.spaced(piece, |word| sink.folded(word)),
        }
    }
}

/// Passes on stems of the words that are not stop words. In order: antecedents pass as they are,
/// words that no chain has and stop words are skipped by their full form, the rest is stemmed.
/// `slow::chosen_words` and `slow::spot_words` are the definition.
struct Chosen<'a, Sink> {
    sink: &'a mut Sink,
    of_spots: Option<(&'a Antecedents, &'a ChainWords)>,
    stop_list: Option<&'a StopList>,
    stemmer: Option<Algorithm>,
    stems: &'a mut Stems,
    /// An ASCII word, folded.
    word: &'a mut String,
    effect: &'a WordEffect,
}

impl<Sink: WordSink> WordSink for Chosen<'_, Sink> {
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        // Taken out for the call, since `folded` borrows all of `self`.
        let mut word = std::mem::take(self.word);
        word.clear();
        word.extend(text[start..end].iter().map(|byte| char::from(byte | 0x20)));
        self.folded(&word);
        *self.word = word;
    }

    fn folded(&mut self, word: &str) {
        if let Some((antecedents, chain_words)) = self.of_spots {
            if antecedents.contains(word) {
                return self.sink.folded(word);
            }
            // Decided by the full form: the stem may not be in the list.
            if chain_words.skips_word(word) {
                return;
            }
        }
        if self.stop_list.is_some_and(|list| list.contains(word)) {
            self.effect.stop();
            return;
        }
        match self.stemmer {
            None => self.sink.folded(word),
            Some(stemmer) => {
                let stem = self.stems.stem(stemmer, word);
                if stem != word {
                    self.effect.stem();
                }
                self.sink.folded(stem);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Stem, StopWords, slow};
    use proptest::prelude::*;

    struct Collect(Vec<String>);

    impl WordSink for Collect {
        fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
            let word = std::str::from_utf8(&text[start..end]).unwrap();
            self.0.push(word.to_ascii_lowercase());
        }
        fn folded(&mut self, word: &str) {
            self.0.push(word.to_owned());
        }
    }

    fn read(reader: &mut WordReader, text: &str) -> Vec<String> {
        let mut collect = Collect(Vec::new());
        reader.read(text, &mut collect);
        collect.0
    }

    fn options(stop_words: &str, stem: &str) -> WordOptions {
        WordOptions {
            rule: None,
            stop_words: StopWords::named(stop_words).unwrap(),
            stem: stem.parse().unwrap(),
            ..WordOptions::default()
        }
    }

    fn words_by(options: &WordOptions, text: &str) -> Vec<String> {
        let rule = options.rule_or(WordRule::Simple);
        read(&mut WordReader::new(rule, options), text)
    }

    #[test]
    fn the_rule_follows_the_features_unless_words_are_chosen() {
        let plain = WordOptions::default();
        assert_eq!(plain.rule_or(WordRule::Simple), WordRule::Simple);
        assert_eq!(plain.rule_or(WordRule::Segmented), WordRule::Segmented);
        for chosen in [options("en", "none"), options("none", "auto")] {
            assert_eq!(chosen.rule_or(WordRule::Simple), WordRule::Segmented);
            let explicit = WordOptions {
                rule: Some(WordRule::Simple),
                ..chosen
            };
            assert_eq!(explicit.rule_or(WordRule::Segmented), WordRule::Simple);
        }
    }

    #[test]
    fn stop_words_are_left_out_and_stems_come_after() {
        let text = "The connections of THE networks aren't connected.";
        assert_eq!(
            words_by(&options("en", "none"), text),
            ["connections", "networks", "connected"]
        );
        assert_eq!(
            words_by(&options("english", "en"), text),
            ["connect", "network", "connect"]
        );
        assert_eq!(words_by(&options("en", "en"), "the THE, of?"), [""; 0]);
        assert_eq!(words_by(&options("zh", "none"), "我们的宪法"), ["宪法"]);
    }

    #[test]
    fn auto_follows_the_language_of_each_document() {
        let auto = options("auto", "auto");
        let mut reader = WordReader::new(WordRule::Segmented, &auto);
        for (text, expected) in [
            (
                "The rights of the people and the duties of their governments are the \
                 foundations of this constitution.",
                "right peopl duti govern foundat constitut",
            ),
            (
                "Die Häuser der Menschen sind die Grundlagen der Städte, und die Straßen \
                 zwischen ihnen gehören allen Bürgern.",
                "haus mensch grundlag stadt strass gehor burg",
            ),
            (
                "中华人民共和国的一切权力属于人民。",
                "中华人民共和国 权力 人民",
            ),
            // No language: as they stand.
            ("the houses", "the houses"),
        ] {
            assert_eq!(read(&mut reader, text).join(" "), expected);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn words_are_those_of_the_definition(
            text in "([a-zA-Z0-9 .,'_\\-]{0,60}|(The |houses |of |connected |и |книгами ){0,6}\
                     |[éÜßıİσΣ的我们中文法𠮷かなカーก็ภาษาไทยລາວខ្មែរမြန်မာ\
                     \u{301}\u{338}\u{200d}\u{e0100}]{0,8}|=|\\PC{0,6}){0,10}",
            rule in prop::sample::select(WordRule::ALL.to_vec()),
            stop_words in prop::sample::select(vec!["none", "auto", "en", "zh"]),
            stem in prop::sample::select(vec!["none", "auto", "en", "ru"]),
        ) {
            let options = options(stop_words, stem);
            let mut reader = WordReader::new(rule, &options);
            let expected = slow::chosen_words(&text, rule, &options);
            prop_assert_eq!(&read(&mut reader, &text), &expected);
            // Nothing is left from the document before.
            prop_assert_eq!(&read(&mut reader, &text), &expected);
        }
    }

    #[test]
    fn words_between_spaces_keep_what_is_within_them() {
        let options = WordOptions {
            rule: Some(WordRule::Spaces),
            ..WordOptions::default()
        };
        assert_eq!(
            words_by(
                &options,
                "\u{201c}The ones we don\u{2019}t know (C++), e.g. -- 中文。\u{201d}"
            ),
            [
                "the",
                "ones",
                "we",
                "don\u{2019}t",
                "know",
                "c",
                "e.g",
                "中文"
            ]
        );
    }

    #[test]
    fn no_stem_and_no_list_is_the_plain_rule() {
        let text = "Plain text; naïve 中文.";
        assert_eq!(words_by(&WordOptions::default(), text), slow::words(text));
        assert_eq!(Stem::default(), Stem::None);
    }
}
