//! The word forms of synthetic text.
//!
//! The same 200,000 pronounceable forms serve every seed, so collections of different
//! seeds are in one language. The most frequent are English function words, which gives
//! methods with stop words something to work on; the others are built from syllables,
//! longer as they get rarer, with a few numbers, possessives and compounds among them.
//! Forms in other scripts follow in ranges of their own.

use crate::numbers::of_len;
use std::ops::Range;
use std::sync::OnceLock;

use hashbrown::HashSet;

use super::random::{Purpose, Random};
use super::zipf::Zipf;

/// Longest form in bytes.
pub(super) const MAX_FORM_BYTES: usize = 15;

/// Forms of the main script: so many that rare words are in few documents.
const NUM_FORMS: u32 = 200_000;
const NUM_ACCENTED: u32 = 2_000;
const NUM_CYRILLIC: u32 = 3_000;
const NUM_IDEOGRAPHS: u32 = 1_500;

/// The bytes of one form, padded; the last byte holds the lengths in bytes (lower half)
/// and in characters (upper half). One form is one load of 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Form([u8; MAX_FORM_BYTES + 1]);

impl Form {
    /// None when the word is empty or too long.
    fn new(word: &str) -> Option<Self> {
        let num_bytes = u8::try_from(word.len()).ok()?;
        let num_chars = u8::try_from(word.chars().count()).ok()?;
        if word.is_empty() || word.len() > MAX_FORM_BYTES {
            return None;
        }
        let mut slot = [0; MAX_FORM_BYTES + 1];
        slot[..word.len()].copy_from_slice(word.as_bytes());
        slot[MAX_FORM_BYTES] = num_bytes | (num_chars << 4);
        Some(Self(slot))
    }

    /// The padded bytes; those from [`Form::num_bytes`] on are to be overwritten.
    #[inline]
    pub(super) fn padded(&self) -> &[u8; MAX_FORM_BYTES + 1] {
        &self.0
    }

    #[inline]
    pub(super) fn num_bytes(&self) -> usize {
        usize::from(self.0[MAX_FORM_BYTES] & 15)
    }

    #[inline]
    pub(super) fn num_chars(&self) -> u64 {
        u64::from(self.0[MAX_FORM_BYTES] >> 4)
    }

    /// Words by the rule that apostrophes, hyphens, points and commas separate.
    pub(super) fn num_words(&self) -> u32 {
        let bytes = &self.0[..self.num_bytes()];
        bytes
            .iter()
            .map(|byte| u32::from(b"'-.,".contains(byte)))
            .sum::<u32>()
            + 1
    }
}

/// All forms, and how often each is drawn.
pub(super) struct Vocabulary {
    forms: Vec<Form>,
    zipf: Zipf,
}

impl Vocabulary {
    /// The vocabulary, built at the first call (about 40 ms).
    pub(super) fn get() -> &'static Self {
        static VOCABULARY: OnceLock<Vocabulary> = OnceLock::new();
        VOCABULARY.get_or_init(Self::build)
    }

    /// The form of a number drawn from this vocabulary.
    #[inline]
    pub(super) fn form(&self, number: u32) -> &Form {
        &self.forms[number as usize]
    }

    /// A form as often as it is used in running text.
    #[inline]
    pub(super) fn draw_frequent(&self, random: &mut Random) -> u32 {
        self.zipf.draw(random)
    }

    /// Any form of the main script, all equally likely: mostly rare ones.
    #[inline]
    pub(super) fn draw_any(&self, random: &mut Random) -> u32 {
        random.below(NUM_FORMS)
    }

    /// A form with accented letters, in Cyrillic letters, or one ideograph.
    pub(super) fn draw_foreign(&self, script: Script, random: &mut Random) -> u32 {
        let Range { start, end } = script.range();
        let limit = end - start;
        // The smaller of two draws: a mild skew is enough for few words.
        start + random.below(limit).min(random.below(limit))
    }

    /// Makes all forms. Any change here changes every collection of every seed.
    fn build() -> Self {
        // The seed of the collection is not used: all collections are in one language.
        let mut random = Random::keyed(0, Purpose::Vocabulary, 0);
        let mut builder = Builder {
            forms: Vec::new(),
            seen: HashSet::new(),
        };
        for word in FUNCTION_WORDS.split_ascii_whitespace() {
            builder.add(word);
        }
        // Function words come first, since the rank in this list is the rank in Zipf's law.
        builder.fill(Script::Latin.range().end, &mut random, latin_word);
        builder.fill(Script::Accented.range().end, &mut random, accented_word);
        builder.fill(Script::Cyrillic.range().end, &mut random, cyrillic_word);
        builder.fill(Script::Ideographs.range().end, &mut random, ideograph);
        Self {
            forms: builder.forms,
            zipf: Zipf::new(NUM_FORMS),
        }
    }
}

/// The script of a form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Accented,
    Cyrillic,
    Ideographs,
}

impl Script {
    /// The numbers of the script's forms.
    fn range(self) -> Range<u32> {
        let accented = NUM_FORMS;
        let cyrillic = accented + NUM_ACCENTED;
        let ideographs = cyrillic + NUM_CYRILLIC;
        match self {
            Self::Latin => 0..accented,
            Self::Accented => accented..cyrillic,
            Self::Cyrillic => cyrillic..ideographs,
            Self::Ideographs => ideographs..ideographs + NUM_IDEOGRAPHS,
        }
    }
}

/// Collects forms, each once.
struct Builder {
    forms: Vec<Form>,
    seen: HashSet<Form>,
}

impl Builder {
    /// Adds a form; a word that is too long or there already is left out.
    fn add(&mut self, word: &str) {
        if let Some(form) = Form::new(word)
            && self.seen.insert(form)
        {
            self.forms.push(form);
        }
    }

    /// Adds words made by `make` from their rank until there are `end` forms.
    fn fill(
        &mut self,
        end: u32,
        random: &mut Random,
        make: fn(&mut Random, usize) -> String,
    ) {
        while self.forms.len() < end as usize {
            let word = make(random, self.forms.len());
            self.add(&word);
        }
    }
}

/// A word of the main script: shorter for the frequent ranks, as in languages.
fn latin_word(random: &mut Random, rank: usize) -> String {
    match random.below(1000) {
        0..25 => return number(random),
        25..35 => return format!("{}-{}", syllables(random, 1), syllables(random, 2)),
        35..43 => return format!("{}'s", syllables(random, 2)),
        _ => {}
    }
    let num_syllables = match rank {
        0..1_000 => random.between(1, 2),
        1_000..20_000 => 2,
        _ => random.between(2, 3),
    };
    syllables(random, num_syllables)
}

/// A year, a small number, a decimal fraction or one with thousands: the last two have a mark
/// inside, so that word rules differ about them.
fn number(random: &mut Random) -> String {
    match random.below(10) {
        0..3 => random.between(1900, 2030).to_string(),
        3..6 => random.below(1000).to_string(),
        6..8 => format!("{}.{}", random.below(100), random.below(10)),
        _ => format!("{},{:03}", random.between(1, 99), random.below(1000)),
    }
}

/// Syllables of onset, vowel and, at the end or now and then, a coda.
fn syllables(random: &mut Random, num_syllables: u32) -> String {
    let mut word = String::new();
    for step in 1..=num_syllables {
        word.push_str(pick(random, &ONSETS));
        word.push_str(pick(random, &VOWELS));
        if step == num_syllables || random.percent(25) {
            word.push_str(pick(random, &CODAS));
        }
    }
    word
}

/// A word with one accented vowel.
fn accented_word(random: &mut Random, _rank: usize) -> String {
    let before = random.below(2);
    let after = random.between(1, 2);
    let mut word = syllables(random, before);
    word.push_str(pick(random, &ONSETS));
    word.push_str(pick(random, &ACCENTED_VOWELS));
    word.push_str(&syllables(random, after));
    word
}

/// A word of one to three syllables in Cyrillic letters, with an ending.
fn cyrillic_word(random: &mut Random, _rank: usize) -> String {
    let num_syllables = random.between(1, 3);
    let mut word = String::new();
    for _ in 0..num_syllables {
        word.push_str(pick(random, &CYRILLIC_CONSONANTS));
        word.push_str(pick(random, &CYRILLIC_VOWELS));
    }
    word.push_str(pick(random, &CYRILLIC_ENDINGS));
    word
}

fn ideograph(random: &mut Random, _rank: usize) -> String {
    // The first block of common ideographs: U+4E00 and the 6000 after it.
    char::from_u32(0x4e00 + random.below(6000))
        .map(String::from)
        .unwrap_or_default()
}

/// One of these, all equally likely; what is twice in a list is twice as likely.
fn pick<'a>(random: &mut Random, choices: &[&'a str]) -> &'a str {
    let limit = of_len(choices.len());
    choices[random.below(limit) as usize]
}

const ONSETS: [&str; 32] = [
    "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "k", "t",
    "s", "r", "l", "n", "m", "", "", "st", "tr", "pr", "ch", "br", "sp", "pl", "gr",
];
const VOWELS: [&str; 16] = [
    "a", "e", "i", "o", "u", "a", "e", "i", "o", "e", "a", "i", "e", "ea", "ou", "io",
];
const CODAS: [&str; 20] = [
    "", "", "", "", "n", "r", "s", "t", "l", "d", "m", "n", "s", "r", "ng", "nt", "st",
    "ck", "nd", "y",
];
const ACCENTED_VOWELS: [&str; 8] = ["é", "ü", "ö", "ä", "ñe", "ço", "è", "á"];
const CYRILLIC_CONSONANTS: [&str; 15] = [
    "б", "в", "г", "д", "ж", "к", "л", "м", "н", "п", "р", "с", "т", "х", "ш",
];
const CYRILLIC_VOWELS: [&str; 7] = ["а", "е", "и", "о", "у", "ы", "я"];
const CYRILLIC_ENDINGS: [&str; 7] = ["", "", "т", "л", "й", "м", "ь"];

/// The most frequent words of English in about their order.
const FUNCTION_WORDS: &str = "\
the of and to a in is for that on with it as was by be are at this from or an have you \
not he his we they but which all will one has their had been were there so if who \
about more her would what when can up out she do my into no time said its than them \
some only other your me could two new like any over then may our such these now first \
also after people very most made where many through well back him should because it's \
way even just much how before those us each work long own use good too here must don't \
between off might same while both last being never down know year under see still \
another make around take part home day get come without again against life say since \
does three used however place small though found great think right during upon until \
can't that's i'm another always often ever once almost why";

#[cfg(test)]
mod tests {
    use super::super::random::{Purpose, Random};
    use super::{MAX_FORM_BYTES, Script, Vocabulary};

    fn word(number: u32) -> &'static str {
        let form = Vocabulary::get().form(number);
        std::str::from_utf8(&form.padded()[..form.num_bytes()]).unwrap()
    }

    #[test]
    fn forms_are_fixed_for_good() {
        let sample = [0, 99, 500, 5_000, 50_000, 199_999].map(word);
        assert_eq!(sample, ["the", "how", "pru", "praa", "bion's", "piskid"]);
    }

    #[test]
    fn lengths_are_those_of_the_text() {
        for number in (0..Script::Ideographs.range().end).step_by(97) {
            let form = Vocabulary::get().form(number);
            assert!(form.num_bytes() <= MAX_FORM_BYTES);
            assert_eq!(form.num_chars(), word(number).chars().count() as u64);
        }
    }

    #[test]
    fn running_text_has_five_letters_a_word() {
        let mut random = Random::keyed(1, Purpose::Body, 0);
        let total: usize = (0..100_000)
            .map(|_| word(Vocabulary::get().draw_frequent(&mut random)).len())
            .sum();
        let mean = total as f64 / 100_000.0;
        assert!((4.6..5.4).contains(&mean), "mean {mean}");
    }

    #[test]
    fn foreign_forms_are_in_their_script() {
        let mut random = Random::keyed(1, Purpose::Body, 0);
        let mut draw = |script| word(Vocabulary::get().draw_foreign(script, &mut random));
        for _ in 0..100 {
            assert!(!draw(Script::Accented).is_ascii());
            assert!(draw(Script::Cyrillic).starts_with(|c| ('а'..='я').contains(&c)));
            assert_eq!(draw(Script::Ideographs).chars().count(), 1);
        }
    }
}
