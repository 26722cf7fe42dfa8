//! The stage function: one text in, its distinct features out.

use super::chars::Normalized;
use super::kind::FeatureKind;
use super::lines::Lines;
use super::spots::Spots;
use super::table::FeatureTable;
use super::texts::TextFeatures;
use super::winnow::Winnower;
use super::word_hashes::WordHashes;
use super::{terms, whole_text, words};
use crate::hash::{self, FeatureHash, FixedMap, Multipliers};
use crate::text::{Antecedents, ChainWords, WordOptions, WordReader};

/// Extracts features, reusing its buffers from document to document.
#[derive(Debug)]
pub struct Extractor {
    kind: FeatureKind,
    seed: u64,
    reader: WordReader,
    /// One for each length of shingles.
    multipliers: Vec<Multipliers>,
    words: WordHashes,
    normalized: Normalized,
    lines: Lines,
    occurrences: FixedMap<u64, u64>,
    antecedents: Antecedents,
    chain_words: ChainWords,
    spots: Spots,
    seen: FeatureTable,
    winnower: Winnower,
    hash: FeatureHash,
    /// Features are hashes of texts.
    texts: Option<Box<TextFeatures>>,
}

impl Extractor {
    /// An extractor of this kind of features.
    pub fn new(kind: FeatureKind, options: &WordOptions, seed: u64) -> Self {
        Extractor {
            kind,
            seed,
            reader: kind.reader(options),
            multipliers: match kind {
                FeatureKind::Lines(len) => vec![Multipliers::new(seed, len as usize)],
                _ => kind
                    .word_lens()
                    .into_iter()
                    .map(|len| Multipliers::new(seed, len))
                    .collect(),
            },
            words: WordHashes::default(),
            normalized: Normalized::default(),
            lines: Lines::default(),
            occurrences: FixedMap::default(),
            antecedents: options.antecedents.clone(),
            chain_words: match kind {
                FeatureKind::SpotSigs => ChainWords::new(options),
                _ => ChainWords::default(),
            },
            spots: Spots::default(),
            seen: FeatureTable::default(),
            winnower: Winnower::default(),
            hash: options.hash,
            texts: match (options.hash, kind) {
                (FeatureHash::Multilinear, _) | (_, FeatureKind::SpotSigs) => None,
                _ => Some(Box::default()),
            },
        }
    }

    /// Appends the distinct features of `text` to `features`, in the order in which they
    /// first occur. Returns the number of words.
    pub fn extract(&mut self, text: &str, features: &mut Vec<u64>) -> usize {
        if self.texts.is_some() {
            return self.by_text(text, |_| true, features);
        }
        let num_words = self.read_words(text);
        self.seen
            .reset((num_words + 1) * self.multipliers.len().max(1));
        let seen = &mut self.seen;
        let mut emit = |feature| {
            if seen.insert(feature) {
                features.push(feature);
            }
        };
        let hashes = &self.words.hashes;
        match self.kind {
            FeatureKind::Words(_) | FeatureKind::Mixed(..) => {
                for multipliers in words::fitting(&self.multipliers, num_words) {
                    words::shingle(hashes, multipliers, self.seed, &mut emit);
                }
            }
            FeatureKind::Chars(len) => {
                self.normalized.shingle(len as usize, self.seed, emit);
            }
            FeatureKind::Lines(_) => {
                let lines = self.lines.hashes();
                words::shingle(lines, &self.multipliers[0], self.seed, emit);
            }
            FeatureKind::Terms => {
                terms::terms(hashes, &mut self.occurrences, self.seed, emit);
            }
            FeatureKind::SpotSigs => {
                self.spots
                    .find(hashes, &self.antecedents, &self.chain_words);
                self.spots.signatures(hashes, self.seed, emit);
            }
        }
        num_words
    }

    /// As [`Extractor::extract`], but of each run of `window` features, repetitions included,
    /// only the smallest. Features of several lengths are winnowed one length after the other.
    pub fn winnow(&mut self, text: &str, window: u32, features: &mut Vec<u64>) -> usize {
        if self.texts.is_some() {
            return self.winnow_by_text(text, window, features);
        }
        let num_words = self.read_words(text);
        let room = (num_words + 1) * self.multipliers.len().max(1);
        self.seen.reset(room);
        let (seen, winnower) = (&mut self.seen, &mut self.winnower);
        let mut emit = |feature| {
            if seen.insert(feature) {
                features.push(feature);
            }
        };
        let hashes = &self.words.hashes;
        match self.kind {
            FeatureKind::Words(_) | FeatureKind::Mixed(..) => {
                for multipliers in words::fitting(&self.multipliers, num_words) {
                    let all = winnower.begin();
                    words::shingle(hashes, multipliers, self.seed, |one| all.push(one));
                    winnower.choose(window, &mut emit);
                }
                return num_words;
            }
            FeatureKind::Chars(len) => {
                let all = winnower.begin();
                self.normalized
                    .shingle(len as usize, self.seed, |one| all.push(one));
            }
            FeatureKind::Lines(_) => {
                let (all, lines) = (winnower.begin(), self.lines.hashes());
                let multipliers = &self.multipliers[0];
                words::shingle(lines, multipliers, self.seed, |one| all.push(one));
            }
            FeatureKind::Terms => {
                let all = winnower.begin();
                let seen = &mut self.occurrences;
                terms::terms(hashes, seen, self.seed, |one| all.push(one));
            }
            FeatureKind::SpotSigs => {
                let all = winnower.begin();
                self.spots
                    .find(hashes, &self.antecedents, &self.chain_words);
                self.spots
                    .signatures(hashes, self.seed, |one| all.push(one));
            }
        }
        winnower.choose(window, &mut emit);
        num_words
    }

    /// As [`Extractor::extract`], but a text without a feature has one, itself as a whole; an
    /// empty text has none. These are the features of a document that is compared with others.
    pub fn extract_document(&mut self, text: &str, features: &mut Vec<u64>) -> usize {
        let num_words = self.extract(text, features);
        if features.is_empty() {
            features.extend(whole_text(text));
        }
        num_words
    }

    /// As [`Extractor::extract`], but each term once, however often it occurs: as the feature
    /// of its first occurrence. These are the features whose documents are counted.
    pub fn distinct(&mut self, text: &str, features: &mut Vec<u64>) -> usize {
        if self.kind != FeatureKind::Terms {
            return self.extract(text, features);
        }
        if self.texts.is_some() {
            // No word has a space.
            return self.by_text(text, |term| term.ends_with(" 1"), features);
        }
        let num_words = self.read_words(text);
        self.seen.reset(num_words + 1);
        for &word in &self.words.hashes {
            let feature = hash::numbered(word, 1, self.seed);
            if self.seen.insert(feature) {
                features.push(feature);
            }
        }
        num_words
    }

    /// Appends the distinct features that are hashes of texts.
    fn by_text(
        &mut self,
        text: &str,
        is_wanted: impl Fn(&str) -> bool,
        features: &mut Vec<u64>,
    ) -> usize {
        let Some(texts) = &mut self.texts else {
            return 0;
        };
        let num_words = texts.read(text, self.kind, &mut self.reader);
        let room = (num_words + 1) * self.multipliers.len().max(1);
        self.seen.reset(room);
        let seen = &mut self.seen;
        let emit = |feature: u64, text: &str| {
            if is_wanted(text) && seen.insert(feature) {
                features.push(feature);
            }
        };
        texts.each(self.kind, self.hash, self.seed, emit, || ());
        num_words
    }

    /// As [`Extractor::winnow`], of hashes of texts.
    fn winnow_by_text(
        &mut self,
        text: &str,
        window: u32,
        features: &mut Vec<u64>,
    ) -> usize {
        let Some(texts) = &mut self.texts else {
            return 0;
        };
        let num_words = texts.read(text, self.kind, &mut self.reader);
        let room = (num_words + 1) * self.multipliers.len().max(1);
        self.seen.reset(room);
        let seen = &mut self.seen;
        let winnower = std::cell::RefCell::new(&mut self.winnower);
        winnower.borrow_mut().begin();
        let emit = |feature: u64, _: &str| winnower.borrow_mut().add(feature);
        let end = || {
            let mut winnower = winnower.borrow_mut();
            winnower.choose(window, |feature| {
                if seen.insert(feature) {
                    features.push(feature);
                }
            });
            winnower.begin();
        };
        texts.each(self.kind, self.hash, self.seed, emit, end);
        num_words
    }

    /// Whether the text that was read last has a word but no whole shingle: its only feature is the
    /// text itself, which no longer text has.
    pub fn was_shorter(&self) -> bool {
        let num_words = match &self.texts {
            Some(texts) => texts.num_words(),
            None if matches!(self.kind, FeatureKind::Chars(_)) => {
                self.normalized.num_words()
            }
            None => self.words.hashes.len(),
        };
        let normalized = match &self.texts {
            Some(texts) => texts.normalized(),
            None => &self.normalized,
        };
        let is_shorter = match self.kind {
            FeatureKind::Words(_) | FeatureKind::Mixed(..) => {
                let shortest = self.kind.word_lens().into_iter().min();
                shortest.is_some_and(|len| num_words < len)
            }
            FeatureKind::Chars(len) => !normalized.has_chars(len as usize),
            FeatureKind::Lines(len) => {
                let num_lines = match &self.texts {
                    Some(texts) => texts.num_lines(),
                    None => self.lines.hashes().len(),
                };
                num_lines < len as usize
            }
            FeatureKind::Terms | FeatureKind::SpotSigs => false,
        };
        num_words > 0 && is_shorter
    }

    fn read_words(&mut self, text: &str) -> usize {
        if let FeatureKind::Chars(_) = self.kind {
            self.normalized.clear();
            self.reader.read(text, &mut self.normalized);
            return self.normalized.num_words();
        }
        self.words.hashes.clear();
        if let FeatureKind::Lines(_) = self.kind {
            self.lines.read(text, &mut self.reader, &mut self.words);
            return self.words.hashes.len();
        }
        self.reader.read(text, &mut self.words);
        self.words.hashes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Stem, StopWords, slow};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn features(kind: &str, text: &str) -> Vec<u64> {
        features_by(kind, &WordOptions::default(), text)
    }

    fn hashed(hash: &str) -> WordOptions {
        WordOptions {
            hash: hash.parse().unwrap(),
            ..WordOptions::default()
        }
    }

    #[test]
    fn hashes_are_those_of_the_texts_of_features() {
        let md5 = |text: &str| FeatureHash::Md5.of_text(text.as_bytes(), 0);
        let features = |kind, text| features_by(kind, &hashed("md5"), text);
        assert_eq!(
            features("words:2", "A rose, is"),
            [md5("a rose"), md5("rose is")]
        );
        assert_eq!(features("words:5", "A rose"), [md5("a rose")]);
        assert_eq!(
            features("words:1+2", "A rose"),
            [md5("a"), md5("rose"), md5("a rose")]
        );
        assert_eq!(features("chars:4", "Ab é cd"), [md5("ab é"), md5("é cd")]);
        assert_eq!(features("terms", "a A"), [md5("a 1"), md5("a 2")]);
        assert_eq!(features("lines:2", "A\n\nb c"), [md5("a\nb c")]);
        assert!(features("lines:2", " .\n").is_empty());
    }

    fn features_by(kind: &str, options: &WordOptions, text: &str) -> Vec<u64> {
        let mut features = Vec::new();
        Extractor::new(kind.parse().unwrap(), options, 0).extract(text, &mut features);
        features
    }

    /// The definition of each kind, with strings in the place of hashes.
    fn slow_features(
        kind: FeatureKind,
        options: &WordOptions,
        text: &str,
    ) -> BTreeSet<String> {
        let words = slow::chosen_words(text, kind.word_rule(options), options);
        let joined = words.join(" ");
        let mut set = BTreeSet::new();
        match kind {
            FeatureKind::Words(_) | FeatureKind::Mixed(..) => {
                for len in kind.word_lens() {
                    set.extend(words.windows(len).map(|window| window.join(" ")));
                }
            }
            FeatureKind::Chars(len) => {
                let mut start = 0;
                for word in &words {
                    let rest: Vec<char> = joined[start..].chars().collect();
                    if rest.len() >= len as usize {
                        set.insert(rest[..len as usize].iter().collect());
                    }
                    start += word.len() + 1;
                }
            }
            FeatureKind::SpotSigs => unreachable!("in spots.rs"),
            FeatureKind::Lines(len) => {
                let rule = kind.word_rule(options);
                let lines = text.split(['\n', '\r']);
                let lines = lines.map(|line| slow::chosen_words(line, rule, options));
                let lines: Vec<String> = lines
                    .filter(|words| !words.is_empty())
                    .map(|words| words.join(" "))
                    .collect();
                let runs = lines.windows(len as usize);
                set.extend(runs.map(|run| run.join("\n")));
                if set.is_empty() && !lines.is_empty() {
                    set.insert(lines.join("\n"));
                }
            }
            FeatureKind::Terms => {
                for (at, word) in words.iter().enumerate() {
                    let before = words[..at].iter().filter(|&other| other == word);
                    set.insert(format!("{word} {}", before.count() + 1));
                }
            }
        }
        if set.is_empty() && !words.is_empty() {
            set.insert(joined);
        }
        set
    }

    #[test]
    fn texts_without_a_whole_shingle_are_known() {
        for hash in ["multilinear", "md5"] {
            let is_shorter = |kind: &str, text: &str| {
                let mut extractor =
                    Extractor::new(kind.parse().unwrap(), &hashed(hash), 0);
                let mut features = Vec::new();
                let _ = extractor.extract("one two three four\nfive\nsix", &mut features);
                let _ = extractor.extract(text, &mut features);
                extractor.was_shorter()
            };
            for (kind, shorter, long_enough) in [
                ("words:3", "a b", "a b c"),
                ("words:2+4", "a", "a b"),
                ("chars:4", "é b", "é bc"),
                ("lines:2", "a b c d", "a\nb"),
            ] {
                assert!(is_shorter(kind, shorter), "{kind} {hash}");
                assert!(!is_shorter(kind, long_enough), "{kind} {hash}");
                // Without a word there is nothing to compare at all.
                assert!(!is_shorter(kind, " ."), "{kind} {hash}");
            }
            assert!(!is_shorter("terms", "a"));
        }
    }

    #[test]
    fn short_and_empty_texts_have_one_feature_and_none() {
        for kind in ["words:5", "words:3+5", "chars:64", "lines:2", "terms"] {
            assert!(features(kind, " .,! \n\n").is_empty(), "{kind}");
            assert_eq!(features(kind, "Rose!").len(), 1, "{kind}");
            assert_eq!(features(kind, "Rose!"), features(kind, "rose"));
        }
        assert_ne!(features("words:5", "a b"), features("words:5", "a b c"));
    }

    #[test]
    fn a_term_is_counted_once_by_its_first_occurrence() {
        let distinct = |kind: &str, text: &str| {
            let mut features = Vec::new();
            let kind = kind.parse().unwrap();
            Extractor::new(kind, &WordOptions::default(), 7)
                .distinct(text, &mut features);
            features
        };
        let first = |word: &str| hash::numbered(hash::word(word.as_bytes()), 1, 7);
        let text = "A rose is a ROSE is a rose";
        assert_eq!(
            distinct("terms", text),
            [first("a"), first("rose"), first("is")]
        );
        assert!(distinct("terms", "...").is_empty());
        for kind in ["words:2", "chars:4"] {
            let mut extracted = Vec::new();
            Extractor::new(kind.parse().unwrap(), &WordOptions::default(), 7)
                .extract(text, &mut extracted);
            assert_eq!(distinct(kind, text), extracted, "{kind}");
        }
    }

    #[test]
    fn stop_words_are_as_if_they_were_not_there() {
        let options = WordOptions {
            stop_words: StopWords::named("en").unwrap(),
            ..WordOptions::default()
        };
        for kind in ["words:2", "chars:4", "terms"] {
            assert!(features_by(kind, &options, "It is, and the...").is_empty());
            assert_eq!(
                features_by(kind, &options, "the rose of the red garden"),
                features(kind, "rose red garden"),
                "{kind}"
            );
        }
    }

    #[test]
    fn terms_are_words_of_dictionaries_unless_asked_otherwise() {
        assert_eq!(features("terms", "中华人民共和国民法").len(), 2);
        // One character of nine occurs twice.
        assert_eq!(features("words:1", "中华人民共和国民法").len(), 8);
        for (rule, kind, expected) in
            [("simple", "terms", 9), ("segmented", "words:1", 2)]
        {
            let options = WordOptions {
                rule: Some(rule.parse().unwrap()),
                ..WordOptions::default()
            };
            let found = features_by(kind, &options, "中华人民共和国民法");
            assert_eq!(found.len(), expected, "{rule} {kind}");
        }
    }

    #[test]
    fn what_is_no_word_makes_no_line_and_no_difference() {
        let one = "The mayor opened\n the bridge.\nIt rained.";
        let other = "the mayor opened \r\n\r\n * * *\n\n\tthe bridge\n --\nit rained\n";
        assert_eq!(features("lines:2", one).len(), 2);
        assert_eq!(features("lines:2", one), features("lines:2", other));
        // Where lines break is all that matters.
        let broken = "The mayor\nopened the bridge.\nIt rained.";
        assert_ne!(features("lines:1", one), features("lines:1", broken));
        assert_eq!(features("lines:4", one).len(), 1);
    }

    proptest! {
        #[test]
        fn winnowed_features_are_some_of_all(
            text in "([abAB] |é|中国|The |rivers |the |\n){0,40}",
            kind in prop::sample::select(vec![
                "words:2", "words:1+2", "chars:3", "lines:1", "lines:2", "terms", "spotsigs"
            ]),
            window in 1u32..6,
            hash in prop::sample::select(vec!["multilinear", "rabin64"]),
        ) {
            let options = hashed(hash);
            let mut extractor = Extractor::new(kind.parse().unwrap(), &options, 0);
            let (mut all, mut kept) = (Vec::new(), Vec::new());
            extractor.extract(&text, &mut all);
            extractor.winnow(&text, window, &mut kept);
            prop_assert!(kept.iter().all(|one| all.contains(one)));
            prop_assert_eq!(kept.is_empty(), all.is_empty());
            if window == 1 {
                prop_assert_eq!(&kept, &all);
            }
            kept.sort_unstable();
            kept.dedup();
            prop_assert!(kept.len() <= all.len());
        }

        #[test]
        fn two_texts_share_as_many_lines_as_by_the_definition(
            left in "([abAB] |é|中国|The |the |, |\n|\r\n){0,30}",
            right in "([abAB] |é|中国|The |the |, |\n|\r){0,30}",
            kind in prop::sample::select(vec!["lines:1", "lines:2", "lines:3"]),
            choice in prop::sample::select(vec![("none", "none"), ("en", "en")]),
            hash in prop::sample::select(vec!["multilinear", "xxh3", "rabin64", "md5"]),
        ) {
            let options = WordOptions {
                stop_words: StopWords::named(choice.0).unwrap(),
                stem: choice.1.parse::<Stem>().unwrap(),
                ..hashed(hash)
            };
            let fast = |text| -> BTreeSet<u64> {
                features_by(kind, &options, text).into_iter().collect()
            };
            let slow = |text| slow_features(kind.parse().unwrap(), &options, text);
            let (fast_left, fast_right) = (fast(&left), fast(&right));
            let (slow_left, slow_right) = (slow(&left), slow(&right));
            prop_assert_eq!(fast_left.len(), slow_left.len());
            prop_assert_eq!(
                fast_left.intersection(&fast_right).count(),
                slow_left.intersection(&slow_right).count()
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn two_texts_share_as_many_features_as_by_the_definition(
            left in "([abAB] |é|中国|法|The |rivers |ab1 |, ){0,30}",
            right in "([abAB] |é|中国|法|the |river |ab1 |, ){0,30}",
            kind in prop::sample::select(vec![
                "words:1", "words:2", "words:3", "words:5", "words:8", "words:1+2",
                "words:3+5", "chars:3", "chars:7", "terms"
            ]),
            hash in prop::sample::select(vec!["multilinear", "xxh3", "rabin64", "md5"]),
            options in prop::sample::select(vec![
                ("simple", "none", "none"), ("segmented", "none", "none"), ("spaces", "none", "none"),
                ("segmented", "en", "none"), ("segmented", "en", "en"),
                ("simple", "auto", "auto"),
            ]),
        ) {
            let (rule, stop_words, stem) = options;
            let options = WordOptions {
                rule: Some(rule.parse().unwrap()),
                stop_words: StopWords::named(stop_words).unwrap(),
                stem: stem.parse::<Stem>().unwrap(),
                ..hashed(hash)
            };
            let fast = |text| features_by(kind, &options, text);
            let fast_left: BTreeSet<u64> = fast(&left).into_iter().collect();
            let fast_right: BTreeSet<u64> = fast(&right).into_iter().collect();
            prop_assert_eq!(fast_left.len(), fast(&left).len());
            let slow_left = slow_features(kind.parse().unwrap(), &options, &left);
            let slow_right = slow_features(kind.parse().unwrap(), &options, &right);
            prop_assert_eq!(fast_left.len(), slow_left.len());
            prop_assert_eq!(
                fast_left.intersection(&fast_right).count(),
                slow_left.intersection(&slow_right).count()
            );
        }
    }
}
