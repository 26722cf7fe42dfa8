//! Spot signatures: an antecedent (a common word) with a short chain of the words that follow it
//! and are not stop words (Theobald, Siddharth, Paepcke: SpotSigs, SIGIR 2008; for sentences the
//! pdc-mr paper, section 4.1). A chain may have antecedents that are not stop words: when the
//! 10,000 most frequent words are antecedents there are hardly any others.
//!
//! "At a rally to kick off a campaign", with `a` and `rally` as antecedents and chains of two:
//! `a:rally:kick`, `rally:kick:campaign`; the last `a` has one word after it, which makes no chain.
//! Unlike other kinds, a text that is too short has no feature: such texts would all be alike only
//! because they lack spots.

use super::definition::{
    Definition, FeatureMaker, FeatureSink, FeatureUsage, Make, TextMaker, with_hasher,
};
use super::texts::{ByText, FeatureText, TextKind, TextSink};
use super::word_hashes::WordHashes;
use crate::hash::{self, WordHasher};
use crate::text::{
    Antecedents, ChainWords, Spot, WordOptions, WordReader, WordRule, WordSink,
};
use std::fmt;

/// `spotsigs`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpotSigs {}

impl Definition for SpotSigs {
    fn usage() -> FeatureUsage {
        FeatureUsage {
            typed: "spotsigs",
            limits: "",
            remark: "",
        }
    }

    fn parse(typed: &str) -> Option<Self> {
        (typed == "spotsigs").then_some(SpotSigs {})
    }

    #[cfg(test)]
    fn examples() -> &'static [&'static str] {
        &["spotsigs"]
    }

    /// The words of a chain stand by themselves, so they are words of dictionaries.
    fn usual_rule(&self) -> WordRule {
        WordRule::Segmented
    }

    /// Antecedents are mostly stop words, so the reader must not skip them.
    fn reader(&self, options: &WordOptions) -> WordReader {
        let rule = options.rule_or(self.usual_rule());
        WordReader::keeping_antecedents(rule, options)
    }

    fn uses_antecedents(&self) -> bool {
        true
    }

    /// A text without an antecedent, or with too few words after it.
    fn may_have_none(&self) -> bool {
        true
    }

    fn takes_hash(&self) -> bool {
        false
    }

    fn maker(&self, options: &WordOptions, seed: u64) -> Box<dyn FeatureMaker> {
        with_hasher!(options, hasher => SpotMaker {
            reader: self.reader(options),
            words: WordHashes::default(),
            seed: hasher.seed(seed),
            keyed: WordHashes::new(hasher),
            antecedents: options.antecedents.clone(),
            chain_words: ChainWords::new(options),
            spots: Spots::default(),
        })
    }

    fn by_text(&self, options: &WordOptions, seed: u64) -> Box<dyn TextMaker> {
        Box::new(ByText::new(*self, options, seed))
    }

    #[cfg(test)]
    fn slow(
        &self,
        text: &str,
        options: &WordOptions,
    ) -> std::collections::BTreeSet<String> {
        let rule = options.rule_or(self.usual_rule());
        let words = crate::text::slow::spot_words(text, rule, options);
        let list = options.antecedents.to_lines();
        let spot = |word: &str| {
            let mut lines = list.lines();
            let line = lines.find(|line| line.split(' ').next() == Some(word))?;
            let numbers = line
                .split(' ')
                .skip(1)
                .map(|digits| digits.parse().unwrap());
            Some(numbers.collect::<Vec<usize>>())
        };
        let mut set = std::collections::BTreeSet::new();
        for (at, (word, _)) in words.iter().enumerate() {
            let Some(spot) = spot(word) else { continue };
            let (distance, chain) = (spot[0], spot[1]);
            let after = words[at + 1..].iter();
            let content = after.filter(|(_, in_chain)| *in_chain);
            let content: Vec<&String> = content.map(|(word, _)| word).collect();
            let places = (1..=chain).map(|number| number * distance - 1);
            let chosen: Option<Vec<&str>> = places
                .map(|place| content.get(place).map(|word| word.as_str()))
                .collect();
            if let Some(chosen) = chosen {
                set.insert(format!("{word}:{}", chosen.join(":")));
            }
        }
        set
    }
}

impl fmt::Display for SpotSigs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("spotsigs")
    }
}

impl TextKind for SpotSigs {
    /// For people only: a signature is made of the hashes of words whatever `hash` says.
    fn texts(
        &self,
        read: &mut FeatureText,
        options: &WordOptions,
        sink: &mut impl TextSink,
    ) {
        let word = |at| read.words.run(at, at + 1);
        let words = 0..read.words.num_words();
        let hashes = words.map(|at| hash::word(word(at).as_bytes()));
        let hashes: Vec<u64> = hashes.collect();
        // The same search as the fast way, so what is shown cannot differ from what is compared.
        let mut spots = Spots::default();
        spots.find(&hashes, &options.antecedents, &ChainWords::new(options));
        for found in &spots.found {
            let words = std::iter::once(found.at).chain(spots.chain(found));
            let words: Vec<&str> = words.map(word).collect();
            sink.text(&words.join(":"));
        }
        sink.end();
    }

    fn is_shorter(&self, _: &FeatureText) -> bool {
        false
    }
}

/// Makes spot signatures.
#[derive(Debug)]
struct SpotMaker<H> {
    reader: WordReader,
    /// By the public hash, by which antecedents and stop words are known.
    words: WordHashes,
    /// The same words by the hash of features.
    keyed: WordHashes<H>,
    antecedents: Antecedents,
    chain_words: ChainWords,
    spots: Spots,
    seed: u64,
}

/// Hashes each word twice.
struct Both<'a, H>(&'a mut WordHashes, &'a mut WordHashes<H>);

impl<H: WordHasher> WordSink for Both<'_, H> {
    #[inline(always)]
    fn ascii(&mut self, text: &[u8], start: usize, end: usize) {
        self.0.ascii(text, start, end);
        self.1.ascii(text, start, end);
    }

    fn folded(&mut self, word: &str) {
        self.0.folded(word);
        self.1.folded(word);
    }
}

impl<H: WordHasher> Make for SpotMaker<H> {
    fn read(&mut self, text: &str) -> usize {
        self.words.hashes.clear();
        self.keyed.hashes.clear();
        let mut both = Both(&mut self.words, &mut self.keyed);
        self.reader.read(text, &mut both);
        self.words.hashes.len()
    }

    fn most(&self) -> usize {
        self.words.hashes.len() + 1
    }

    #[inline(always)]
    fn make(&mut self, sink: &mut impl FeatureSink) {
        let hashes = &self.words.hashes;
        self.spots
            .find(hashes, &self.antecedents, &self.chain_words);
        let emit = |one| sink.feature(one);
        self.spots.signatures(&self.keyed.hashes, self.seed, emit);
        sink.end();
    }

    fn is_shorter(&self) -> bool {
        false
    }
}

/// Finds spots, reusing its buffers from document to document.
#[derive(Debug, Default)]
struct Spots {
    /// Places of the words that can stand in a chain.
    content: Vec<usize>,
    /// Antecedents with a whole chain, in the order of the text.
    found: Vec<PlacedSpot>,
}

/// An antecedent in a text.
#[derive(Debug, Clone, Copy)]
struct PlacedSpot {
    /// Its place among the words.
    at: usize,
    spot: Spot,
    /// How many words that can stand in a chain come before its own chain: itself too, if it can.
    before: usize,
}

impl Spots {
    /// Finds the antecedents among the words that have a whole chain after them. One pass with two
    /// lookups per word, and one over the antecedents.
    fn find(
        &mut self,
        words: &[u64],
        antecedents: &Antecedents,
        chain_words: &ChainWords,
    ) {
        self.content.clear();
        self.found.clear();
        for (at, &word) in words.iter().enumerate() {
            // A word may be both, an antecedent and part of the chains before it. It is added to
            // `content` first, so `before` counts it and its own chain begins after it.
            if !chain_words.skips(word) {
                self.content.push(at);
            }
            if let Some(spot) = antecedents.spot(word) {
                self.found.push(PlacedSpot {
                    at,
                    spot,
                    before: self.content.len(),
                });
            }
        }
        let num_content = self.content.len();
        // Known only when all words have been seen: a chain that would reach beyond the end is
        // none.
        self.found.retain(|found| {
            // The last word of a chain is the `distance * chain`-th content word after the spot.
            let needed = found.spot.distance as usize * found.spot.chain as usize;
            found.before + needed <= num_content
        });
    }

    /// Gives the signature of each spot to `emit`, in the order of the text.
    fn signatures(&self, words: &[u64], seed: u64, mut emit: impl FnMut(u64)) {
        for found in &self.found {
            // The length of the chain is part of the hash; the words follow in order.
            let start =
                hash::numbered(words[found.at], u64::from(found.spot.chain), seed);
            // By hashes of words alone: no text of a chain is made.
            let chain = self.chain(found).map(|at| words[at]);
            emit(hash::nonzero(chain.fold(start, hash::word_more)));
        }
    }

    /// Places of the words of a chain: every `distance`-th of the words after the spot that can
    /// stand in one. Both numbers are at least 1.
    fn chain(&self, found: &PlacedSpot) -> impl Iterator<Item = usize> {
        let (step, len) = (found.spot.distance as usize, found.spot.chain as usize);
        let content = self.content[found.before..].iter().copied();
        content.skip(step - 1).step_by(step).take(len)
    }
}

#[cfg(test)]
mod tests {
    use crate::feature::{Extractor, FeatureKind, labelled};
    use crate::text::{Antecedents, StopWords, WordOptions};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn options(lines: &str) -> WordOptions {
        WordOptions {
            antecedents: Antecedents::from_lines("list", lines).unwrap(),
            ..WordOptions::default()
        }
    }

    fn labels(options: &WordOptions, text: &str) -> String {
        let found = labelled(text, FeatureKind::SpotSigs, options, 0);
        let labels: Vec<String> = found.into_iter().map(|(_, label)| label).collect();
        labels.join(" ")
    }

    fn features(options: &WordOptions, text: &str) -> Vec<u64> {
        let mut features = Vec::new();
        Extractor::new(FeatureKind::SpotSigs, options, 0).extract(text, &mut features);
        features
    }

    const RALLY: &str = "At a rally to kick off a weeklong campaign for the South Carolina \
                         primary, Obama tried to set the record straight from an attack \
                         circulating widely on the Internet that is designed to play into \
                         prejudices";

    /// The example of the SpotSigs paper.
    #[test]
    fn chains_are_words_that_are_no_stop_words() {
        let published = "a:rally:kick a:weeklong:campaign the:south:carolina \
                         the:record:straight an:attack:circulating the:internet:designed \
                         is:designed:play";
        let four = options("a\nan\nthe\nis");
        assert_eq!(labels(&four, RALLY), published);
        let named = |stop_words: StopWords| WordOptions {
            stop_words,
            ..options("a\nan\nthe\nis")
        };
        let english = named(StopWords::named("en").unwrap());
        assert_eq!(labels(&english, RALLY), published);
        // What was asked for, and nothing else.
        let few = named(StopWords::from_lines("few", "to the off"));
        assert_eq!(
            labels(&few, RALLY),
            "a:rally:kick a:weeklong:campaign the:south:carolina the:record:straight \
             an:attack:circulating the:internet:that is:designed:play"
        );
    }

    /// When nearly every word is an antecedent there must be words left for chains.
    #[test]
    fn antecedents_that_are_no_stop_words_stand_in_chains() {
        let text = "The king of the river sees the roads";
        let list = options("the\nof\nking\nriver\nsees\nroads");
        assert_eq!(
            labels(&list, text),
            "the:king:river king:river:sees of:river:sees the:river:sees river:sees:roads"
        );
        let chinese = options("的\n是\n法律\n国家\n根本");
        assert_eq!(
            labels(&chinese, "法律是国家的重要制度"),
            "法律:国家:制度 是:国家:制度"
        );
    }

    #[test]
    fn distance_and_length_are_those_of_the_antecedent() {
        let text = "the one two is three four five six";
        assert_eq!(
            labels(&options("the 2 2\nis 1 1"), text),
            "the:two:four is:three"
        );
        assert_eq!(labels(&options("the 3 2"), text), "the:three:six");
        assert_eq!(
            labels(&options("the 1 6"), text),
            "the:one:two:three:four:five:six"
        );
        assert_eq!(labels(&options("the 1 7\nis 5 1"), text), "");
    }

    #[test]
    fn short_and_empty_texts_have_none() {
        let options = WordOptions::default();
        for text in [
            "",
            " ,.",
            "the",
            "the rose",
            "rose rose rose",
            "the the is a",
            "宪法",
        ] {
            assert!(features(&options, text).is_empty(), "{text}");
        }
        assert_eq!(features(&options, "the red rose").len(), 1);
        // Twice the same one.
        assert_eq!(features(&options, "the the red rose").len(), 1);
    }

    #[test]
    fn chinese_words_are_those_of_the_dictionary() {
        assert_eq!(
            labels(&options("的\n在"), "中华人民共和国的一切权力属于人民"),
            "的:权力:人民"
        );
    }

    /// Fixed for good: features of one version are compared with those of the next.
    #[test]
    fn signatures_never_change() {
        let text = "The poet is said to be the gardener of the king";
        assert_eq!(
            features(&WordOptions::default(), text),
            [
                510_847_809_827_917_410,
                9_192_345_251_985_152_462,
                11_679_200_985_418_233_352,
                4_656_526_254_393_873_021
            ]
        );
        let chinese = options("的 1 3\n是 2 1");
        assert_eq!(
            features(&chinese, "法律是国家的经济制度和教育任务"),
            [1_217_323_014_632_572_942, 14_368_746_658_972_093_695]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn signatures_are_those_of_the_definition(
            left in "((the |The |is |a |was |rivers |roads |king |x1 |é |, |中国|的|法律|是|人民|。){0,24})",
            right in "((the |is |a |was |river |rivers |roads |king |x1 |, |中国|的|法律|是|人民|。){0,24})",
            list in prop::sample::select(vec![
                "the\nis\na", "the 2 1\nis 1 3\n的\n是", "的 1 1\n是 2 2\nrivers", "é 1 2",
                "the\nis\na\nrivers\nroads\nking\nx1", "king\n中国 2 1\n人民", "road\nriver\nthe",
            ]),
            choice in prop::sample::select(vec![
                ("none", "none"), ("en", "none"), ("none", "en"), ("en", "en"),
                ("zh", "none"), ("auto", "en"),
            ]),
            rule in prop::sample::select(vec![None, Some("simple")]),
        ) {
            let (stop_words, stem) = choice;
            let options = WordOptions {
                rule: rule.map(|rule| rule.parse().unwrap()),
                stop_words: StopWords::named(stop_words).unwrap(),
                stem: stem.parse().unwrap(),
                ..options(list)
            };
            let shown = labelled(&left, FeatureKind::SpotSigs, &options, 0);
            let fast: Vec<u64> = features(&options, &left);
            let by_label: Vec<u64> = shown.iter().map(|(feature, _)| *feature).collect();
            prop_assert_eq!(&fast, &by_label);
            let slow_left = FeatureKind::SpotSigs.slow(&left, &options);
            let slow_right = FeatureKind::SpotSigs.slow(&right, &options);
            let shown: BTreeSet<String> =
                shown.into_iter().map(|(_, label)| label).collect();
            prop_assert_eq!(&shown, &slow_left);
            let fast: BTreeSet<u64> = fast.into_iter().collect();
            let other: BTreeSet<u64> = features(&options, &right).into_iter().collect();
            prop_assert_eq!(
                fast.intersection(&other).count(),
                slow_left.intersection(&slow_right).count()
            );
        }
    }
}
