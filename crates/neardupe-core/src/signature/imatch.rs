//! I-Match: one key for all terms of a unit that are neither too common nor too rare
//! (Chowdhury et al. 2002), and further keys from randomised lexicons, so that a few
//! changed terms do not change all keys (Kolcz, Chowdhury, Alspector, KDD 2004).
//!
//! A unit is a document or a sentence: all that is asked of it is its terms. The lexicon is the
//! terms whose normalized idf, ln(N/df)/ln(N), lies in a range; key 0 is a hash of the unit's terms
//! that are in it. Each of K further lexicons lacks a random share of the terms. Whether it has a
//! term is decided by a hash of term, lexicon and seed, so no lexicon is stored. Two units are
//! candidates when they share a key.
//!
//! A unit with fewer than two terms left has no key of that lexicon. Published systems give
//! all such units the same one: with a narrow range that makes most short sentences
//! duplicates of each other (the pdc-mr paper has recall 1.00 at precision 0.014 for it).
//! [`IMatchSettings::lump`] does the same, for a trial.

use crate::error::{Error, Result};
use crate::feature::{Extractor, FeatureKind};
use crate::frequency::DfTable;
use crate::hash::{mix, nonzero, word_more};
use crate::text::WordOptions;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

/// Shares and idf values are whole millionths: a setting means the same everywhere.
const WHOLE: u32 = 1_000_000;
/// Most randomised lexicons.
const MAX_LEXICONS: u32 = 255;
/// Terms that a lexicon must leave.
const MIN_TERMS: usize = 2;
/// An idf so near to an end of the range counts as that end.
const NEAR: f64 = 1e-12;

/// Keeps the choice of terms independent of the values of keys.
const LEXICON_SEED: u64 = 0x696d_6174_6368_0001;
/// Where keys begin.
const KEY_SEED: u64 = 0x696d_6174_6368_0002;

/// Which terms count, and how many lexicons there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IMatchSettings {
    /// Smallest and largest normalized idf, in millionths, both included.
    idf: (u32, u32),
    /// Randomised lexicons beside the full one.
    lexicons: u32,
    /// Share of terms that each of them lacks, in millionths.
    removed: u32,
    /// Units with fewer than two terms left have one common key instead of none.
    pub lump: bool,
}

impl Default for IMatchSettings {
    /// The range that did best for sentences in the pdc-mr paper (section 5.3, figure 7), and
    /// ten lexicons that each lack a third, as for randomised I-Match.
    fn default() -> Self {
        IMatchSettings {
            idf: (100_000, WHOLE),
            lexicons: 10,
            removed: 330_000,
            lump: false,
        }
    }
}

impl IMatchSettings {
    /// Number of randomised lexicons; there is one key more.
    pub fn num_lexicons(&self) -> u32 {
        self.lexicons
    }

    /// The document frequencies that lie in the range of a collection of so many units.
    pub fn df_range(&self, num_units: u64) -> RangeInclusive<u64> {
        // Turned into frequencies once, so that signing compares whole numbers and takes no
        // logarithm. Rounding of a logarithm could put a term at the very end of the range on
        // either side: `NEAR` decides that it is inside.
        let (low, high) = (fraction(self.idf.0) - NEAR, fraction(self.idf.1) + NEAR);
        // The largest frequency whose idf is not below `low`; idf falls as it grows.
        let most = largest(num_units, |df| idf(df, num_units) >= low);
        let below = largest(num_units, |df| idf(df, num_units) > high);
        below + 1..=most
    }
}

/// The largest number up to `most` for which `holds`, which is false from some number on; 0
/// if it holds for none.
fn largest(most: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, most.max(1));
    while low < high {
        // Rounded up, so that `low = middle` always makes progress. `holds(low)` is true or `low`
        // is 0; all above `high` are false.
        let middle = high - (high - low) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Normalized idf of a term: 0 when all units have it, 1 when a single one has. A term that
/// was not counted is as rare as can be, and so are all terms of a single unit.
#[expect(clippy::cast_precision_loss, reason = "of numbers below 2^53")]
pub fn idf(df: u64, num_units: u64) -> f64 {
    if num_units < 2 || df < 2 {
        return 1.0;
    }
    let num_units = num_units as f64;
    (num_units / df as f64).ln() / num_units.ln()
}

fn fraction(millionths: u32) -> f64 {
    f64::from(millionths) / f64::from(WHOLE)
}

impl FromStr for IMatchSettings {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            let message = format!(
                "{text:?} is not imatch or imatch:LOW-HIGH[,K[,P]][,lump]: a range of idf \
                 from 0 to 1, K from 0 to {MAX_LEXICONS} randomised lexicons, each without \
                 a share P of the terms, below 1"
            );
            Error::config("method", message)
        };
        let mut settings = IMatchSettings::default();
        let Some(given) = text.strip_prefix("imatch") else {
            return Err(wrong());
        };
        let Some(given) = given.strip_prefix(':') else {
            return match given {
                "" => Ok(settings),
                _ => Err(wrong()),
            };
        };
        // `LOW-HIGH[,K[,P]][,lump]`: `lump` may follow any part, and nothing may follow it.
        let mut parts = given.split(',').peekable();
        let range = parts.next().and_then(|range| range.split_once('-'));
        let (low, high) = range.ok_or_else(wrong)?;
        settings.idf = millionths(low).zip(millionths(high)).ok_or_else(wrong)?;
        if settings.idf.0 > settings.idf.1 {
            return Err(wrong());
        }
        let number = |part: &&str| *part != "lump";
        if let Some(typed) = parts.next_if(number) {
            let lexicons = typed.parse().ok();
            let lexicons = lexicons.filter(|number| *number <= MAX_LEXICONS);
            settings.lexicons = lexicons.ok_or_else(wrong)?;
        }
        if let Some(typed) = parts.next_if(number) {
            let removed = millionths(typed).filter(|&share| share < WHOLE);
            settings.removed = removed.ok_or_else(wrong)?;
        }
        settings.lump = parts.next_if_eq(&"lump").is_some();
        match parts.next() {
            None => Ok(settings),
            Some(_) => Err(wrong()),
        }
    }
}

/// A decimal fraction from 0 to 1 with at most six decimals.
fn millionths(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if decimals.len() > 6 || decimals.is_empty() || !are_digits(decimals) {
        return None;
    }
    let whole: u32 = match whole {
        "0" => 0,
        "1" => WHOLE,
        _ => return None,
    };
    let decimals: u32 = format!("{decimals:0<6}").parse().ok()?;
    Some(whole + decimals).filter(|&sum| sum <= WHOLE)
}

impl fmt::Display for IMatchSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (decimal(self.idf.0), decimal(self.idf.1));
        write!(out, "imatch:{low}-{high},{}", self.lexicons)?;
        write!(out, ",{}", decimal(self.removed))?;
        if self.lump {
            out.write_str(",lump")
        } else {
            Ok(())
        }
    }
}

/// With as many decimals as are needed, and one at least.
fn decimal(millionths: u32) -> String {
    let text = format!("{}.{:06}", millionths / WHOLE, millionths % WHOLE);
    let short = text.trim_end_matches('0');
    if short.ends_with('.') {
        format!("{short}0")
    } else {
        short.to_owned()
    }
}

/// Makes the keys of units, reusing its buffer from unit to unit.
#[derive(Debug, Clone)]
pub struct IMatcher {
    settings: IMatchSettings,
    df_range: RangeInclusive<u64>,
    seed: u64,
    kept: Vec<u64>,
}

impl IMatcher {
    /// For units of a collection that has so many.
    pub fn new(settings: IMatchSettings, num_units: u64, seed: u64) -> Self {
        IMatcher {
            settings,
            df_range: settings.df_range(num_units),
            seed,
            kept: Vec::new(),
        }
    }

    /// Appends the keys of a unit with these terms (hashes, in any order, repeated or not) to
    /// `keys`, at most one for each lexicon. `df` returns in how many units a term occurs; a term
    /// that was not counted is taken as one of a single unit. The cost is a sort of the terms in
    /// range and a hash per term and lexicon.
    pub fn sign(&mut self, terms: &[u64], df: impl Fn(u64) -> u64, keys: &mut Vec<u64>) {
        let range = &self.df_range;
        self.kept.clear();
        let in_range = terms
            .iter()
            .filter(|&&term| range.contains(&df(term).max(1)));
        self.kept.extend(in_range);
        // In one order, each once: a key is a hash of the set.
        self.kept.sort_unstable();
        self.kept.dedup();
        for lexicon in 0..=self.settings.lexicons {
            let salt = self.salt(lexicon);
            // The number of the lexicon is in the key, so that keys of different lexicons never
            // meet.
            let start = mix(KEY_SEED ^ self.seed).wrapping_add(u64::from(lexicon));
            let (mut key, mut num_terms) = (start, 0);
            for &term in &self.kept {
                if self.settings.has(term, lexicon, salt) {
                    key = word_more(key, term);
                    num_terms += 1;
                }
            }
            // No key at all rather than one of a single term: see the head of this file.
            if num_terms >= MIN_TERMS {
                keys.push(nonzero(key));
            } else if self.settings.lump {
                // As if nothing were left.
                keys.push(nonzero(mix(start)));
            }
        }
    }

    fn salt(&self, lexicon: u32) -> u64 {
        mix(self.seed ^ LEXICON_SEED ^ (u64::from(lexicon) << 32))
    }
}

/// Everything that the keys of a document depend on, besides its text.
#[derive(Debug, Clone)]
pub struct Lexicons {
    /// Which terms count, and how many lexicons there are.
    pub settings: IMatchSettings,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the hashes.
    pub seed: u64,
    /// How many documents have each term.
    pub df: Arc<DfTable>,
}

impl Lexicons {
    /// Keys of a document at most.
    pub fn num_keys(&self) -> usize {
        self.settings.lexicons as usize + 1
    }
}

/// Makes the keys of texts by their words, reusing its buffers from text to text.
#[derive(Debug)]
pub struct KeyMaker {
    extractor: Extractor,
    matcher: IMatcher,
    lexicons: Arc<Lexicons>,
    terms: Vec<u64>,
}

impl KeyMaker {
    /// By these lexicons: their words, whatever words a job compares otherwise.
    pub fn new(lexicons: &Arc<Lexicons>) -> Self {
        let num_documents = lexicons.df.num_documents();
        KeyMaker {
            extractor: Extractor::new(FeatureKind::Terms, &lexicons.words, lexicons.seed),
            matcher: IMatcher::new(lexicons.settings, num_documents, lexicons.seed),
            lexicons: Arc::clone(lexicons),
            terms: Vec::new(),
        }
    }

    /// Appends the keys of a text, at most [`Lexicons::num_keys`].
    pub fn sign(&mut self, text: &str, keys: &mut Vec<u64>) {
        self.terms.clear();
        self.extractor.distinct(text, &mut self.terms);
        let table = &self.lexicons.df;
        let df = |term: u64| u64::from(table.df(term));
        self.matcher.sign(&self.terms, df, keys);
    }
}

impl IMatchSettings {
    /// Whether a lexicon has a term; the first has all.
    #[inline]
    fn has(&self, term: u64, lexicon: u32, salt: u64) -> bool {
        // The upper half of a hash in millionths.
        let place = ((mix(term ^ salt) >> 32) * u64::from(WHOLE)) >> 32;
        lexicon == 0 || place >= u64::from(self.removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;
    use crate::text::slow;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn term(word: &str) -> u64 {
        hash::word(word.as_bytes())
    }

    fn terms(text: &str) -> Vec<u64> {
        let words = slow::segmented_words(text);
        words.iter().map(|word| term(word)).collect()
    }

    fn keys(settings: &str, text: &str) -> Vec<u64> {
        let mut matcher = IMatcher::new(settings.parse().unwrap(), 1000, 0);
        let mut keys = Vec::new();
        // Short words are common ones.
        let common = |hash: u64| {
            if ["a", "of", "the"].map(term).contains(&hash) {
                900
            } else {
                3
            }
        };
        matcher.sign(&terms(text), common, &mut keys);
        keys
    }

    #[test]
    fn settings_are_read_as_they_are_written() {
        for text in [
            "imatch:0.1-1.0,10,0.33",
            "imatch:0.0-0.5,0,0.0",
            "imatch:0.2-0.2,255,0.999999,lump",
        ] {
            assert_eq!(text.parse::<IMatchSettings>().unwrap().to_string(), text);
        }
        for (text, shown) in [
            ("imatch", "imatch:0.1-1.0,10,0.33"),
            ("imatch:0.1-1.0", "imatch:0.1-1.0,10,0.33"),
            ("imatch:0-1,3", "imatch:0.0-1.0,3,0.33"),
            ("imatch:0.20-0.9,lump", "imatch:0.2-0.9,10,0.33,lump"),
        ] {
            assert_eq!(text.parse::<IMatchSettings>().unwrap().to_string(), shown);
        }
        for wrong in [
            "",
            "imatch:",
            "imatch1",
            "imatch:0.1",
            "imatch:0.5-0.1",
            "imatch:0.1-1.1",
            "imatch:0-1,256",
            "imatch:0-1,-1",
            "imatch:0-1,1,1.0",
            "imatch:0-1,lump,1",
            "imatch:0-1,1,0.5,2",
            "imatch:0.1234567-1",
            "imatch:.1-1",
            "imatch:+0-1",
        ] {
            assert!(wrong.parse::<IMatchSettings>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_range_of_idf_is_a_range_of_frequencies_with_both_ends() {
        let range =
            |text: &str, num| text.parse::<IMatchSettings>().unwrap().df_range(num);
        assert_eq!(range("imatch:0.0-1.0", 1000), 1..=1000);
        // 1000^0.9 = 501.19; 10000^0.75 = 1000 and 10000^0.25 = 10 exactly.
        assert_eq!(range("imatch:0.1-1.0", 1000), 1..=501);
        assert_eq!(range("imatch:0.25-0.75", 10_000), 10..=1000);
        assert_eq!(range("imatch:1.0-1.0", 1_000_000), 1..=1);
        for num in [0, 1] {
            assert!(range("imatch:0.1-1.0", num).contains(&1), "{num}");
            assert!(range("imatch:0.1-0.9", num).is_empty(), "{num}");
        }
        assert!(idf(1000, 1000).abs() < 1e-15);
        assert!((idf(10, 1000) - 2.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn common_terms_order_and_repetition_make_no_difference() {
        let one = keys("imatch", "the gardener of the king");
        assert_eq!(one, keys("imatch", "King: a GARDENER, gardener"));
        assert_ne!(one, keys("imatch:0.0-1.0", "the gardener of the king"));
        assert_eq!(
            keys("imatch:0.1-1.0,0", "the gardener of the king").len(),
            1
        );
    }

    #[test]
    fn a_changed_term_leaves_some_keys_of_randomised_lexicons() {
        let text = "one two three four five six seven eight nine ten eleven twelve";
        let one = keys("imatch:0-1,40", text);
        let other = keys("imatch:0-1,40", &text.replace("seven", "seventh"));
        assert_eq!((one.len(), other.len()), (41, 41));
        let common = one.iter().filter(|key| other.contains(key)).count();
        // Both terms must be missing: a ninth of 40 lexicons, 4.4, is expected.
        assert!((1..=10).contains(&common), "{common}");
        assert_ne!(one[0], other[0]);
    }

    #[test]
    fn units_of_fewer_than_two_terms_have_no_key_unless_they_are_lumped() {
        for text in ["", "the of a", "gardener", "gardener of the gardener"] {
            assert_eq!(keys("imatch", text), [0; 0], "{text}");
            let lumped = keys("imatch:0.1-1.0,10,0.33,lump", text);
            assert_eq!(lumped.len(), 11);
            assert_eq!(lumped, keys("imatch:0.1-1.0,10,0.33,lump", ""));
        }
        let two = keys("imatch", "gardener king");
        assert!((1..11).contains(&two.len()), "{}", two.len());
        // Some lexicons have both terms, and no two have the same key.
        assert_eq!(two.iter().collect::<BTreeSet<_>>().len(), two.len());
    }

    /// Fixed for good: keys of one version are compared with those of the next.
    #[test]
    fn keys_never_change() {
        assert_eq!(
            keys("imatch:0.1-1.0,3,0.5", "the gardener of the king"),
            [
                17_219_392_342_017_300_042,
                15_063_493_342_910_319_519,
                11_871_588_883_420_831_113,
                14_464_117_559_598_068_055,
            ]
        );
        assert_eq!(
            keys("imatch:0.1-1.0,2", "中华人民共和国宪法 国务院 公布"),
            [
                5_088_950_037_291_116_797,
                14_121_322_255_803_971_520,
                14_535_163_666_408_603_996
            ]
        );
    }

    /// The definition with strings and sets: the terms of a unit by lexicon.
    fn slow_lexicons(
        settings: &IMatchSettings,
        text: &str,
        counts: &BTreeMap<String, u64>,
        num_units: u64,
        seed: u64,
    ) -> Vec<BTreeSet<String>> {
        let words: BTreeSet<String> = slow::segmented_words(text).into_iter().collect();
        let (low, high) = (fraction(settings.idf.0), fraction(settings.idf.1));
        let mut sets = Vec::new();
        for lexicon in 0..=settings.lexicons {
            let salt = mix(seed ^ LEXICON_SEED ^ (u64::from(lexicon) << 32));
            let mut set = words.clone();
            set.retain(|word| {
                let df = counts.get(word).copied().unwrap_or(1) as f64;
                let num_units = num_units as f64;
                let idf = if num_units < 2.0 {
                    1.0
                } else {
                    (num_units / df).ln() / num_units.ln()
                };
                let share = (mix(term(word) ^ salt) >> 32) as f64 / 2f64.powi(32);
                let is_in = lexicon == 0 || share >= fraction(settings.removed);
                idf > low - 1e-9 && idf < high + 1e-9 && is_in
            });
            sets.push(set);
        }
        sets
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn two_units_share_the_keys_that_the_definition_says(
            units in prop::collection::vec(
                "((the |a |river |rivers |gate |King |of |2024 |宪法|国务院|人民|公布|的|, ){0,9})",
                2..12,
            ),
            settings in prop::sample::select(vec![
                "imatch", "imatch:0.0-1.0,3,0.5", "imatch:0.2-0.8,5", "imatch:0.1-0.9,0",
                "imatch:0.4-1.0,4,0.1,lump",
            ]),
            seed in 0u64..3,
        ) {
            let settings: IMatchSettings = settings.parse().unwrap();
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for unit in &units {
                let words = slow::segmented_words(unit);
                for word in words.into_iter().collect::<BTreeSet<_>>() {
                    *counts.entry(word).or_insert(0) += 1;
                }
            }
            let num_units = units.len() as u64;
            let by_hash: BTreeMap<u64, u64> =
                counts.iter().map(|(word, &count)| (term(word), count)).collect();
            let mut matcher = IMatcher::new(settings, num_units, seed);
            let mut sign = |unit: &str| {
                let mut keys = Vec::new();
                let df = |term| by_hash.get(&term).copied().unwrap_or(0);
                matcher.sign(&terms(unit), df, &mut keys);
                keys.into_iter().collect::<BTreeSet<u64>>()
            };
            let lexicons =
                |unit: &str| slow_lexicons(&settings, unit, &counts, num_units, seed);
            for pair in units.windows(2) {
                let (left, right) = (sign(&pair[0]), sign(&pair[1]));
                prop_assert_eq!(&left, &sign(&pair[0]));
                let (slow_left, slow_right) = (lexicons(&pair[0]), lexicons(&pair[1]));
                let has_key = |set: &&BTreeSet<String>| settings.lump || set.len() >= 2;
                prop_assert_eq!(left.len(), slow_left.iter().filter(has_key).count());
                let shared = slow_left.iter().zip(&slow_right).filter(|(left, right)| {
                    if left.len() < 2 && right.len() < 2 { settings.lump } else { left == right }
                });
                prop_assert_eq!(left.intersection(&right).count(), shared.count());
            }
        }
    }
}
