//! Abbreviations of several languages, and words that begin sentences.
//!
//! The lists are of all languages together, since the language of a short text is not known for
//! sure, and where a copied paragraph is cut must not depend on the rest of the document. So they
//! hold no word that is a common last word of sentences in another language. What is written with a
//! capital counts with a capital only.
//!
//! Whoever adds a word adds a case to `cases.txt`. All sentences of stored results depend on these
//! lists, so a new word changes results.

use crate::hash::FixedMap;
use std::sync::OnceLock;

/// Never the last word of a sentence: titles, and what announces something. Those with a
/// capital count with a capital only.
pub(super) const ANNOUNCING: &[&str] = &[
    // English
    "adm", "approx", "assoc", "asst", "Attn", "brig", "capt", "cmdr", "Col", "comdr",
    "cpl", "dr", "drs", "Ed", "Eds", "esp", "Fr", "ft", "Gen", "gov", "Hon", "incl",
    "lt", "maj", "messrs", "mr", "mrs", "ms", "Mt", "mx", "Pres", "prof", "profs", "pvt",
    "Rep", "Reps", "Rev", "Sen", "Sens", "sgt", "st", "ste", "supt", "viz", "vs",
    // German
    "bspw", "bzgl", "bzw", "ca", "dipl", "einschl", "evtl", "frl", "geb", "gegr", "gem",
    "gest", "ggf", "Hl", "Hr", "Hrn", "hrsg", "Ing", "inkl", "insb", "Mag", "max", "Mio",
    "Mrd", "mtl", "Prov", "sog", "tägl", "Tsd", "urspr", "vgl", "zzgl",
    // French, Spanish, Portuguese, Italian
    "Av", "Avda", "dott", "dña", "dra", "env", "Excmo", "Gral", "Ilmo", "Lic", "mgr",
    "mlle", "mlles", "mm", "mme", "mmes", "mons", "On", "Pbro", "Profa", "sig", "sigg",
    "sr", "sra", "sras", "sres", "srta",
    // Indonesian, Dutch, Swedish, Polish, Turkish
    "bv", "bijv", "bl", "drg", "dsb", "ds", "hal", "Hj", "Ir", "Jln", "Jl", "Kab", "Kec",
    "Kel", "kk", "mevr", "mw", "dhr", "nl", "Ny", "resp", "Sdr", "Tn", "ul", "yth",
    // All
    "cf", "cfr", "conf", "ibid",
];

/// Abbreviations that go on with a number, also a Roman one, and otherwise end a sentence like any
/// word.
pub(super) const NUMBERED: &[&str] = &[
    "abb", "Abs", "abschn", "anm", "app", "Apr", "arr", "art", "arts", "aug", "bd", "Bl",
    "cap", "ch", "chap", "col", "dec", "ed", "eq", "eqs", "feb", "fig", "figs", "fol",
    "hlm", "jan", "jul", "jun", "kap", "lib", "ln", "mar", "mr", "n", "no", "nos", "nov",
    "nr", "num", "núm", "nº", "oct", "okt", "op", "p", "par", "pág", "págs", "pl", "pp",
    "ps", "Pt", "qs", "ref", "refs", "rn", "rz", "s", "sec", "sect", "sep", "sept",
    "str", "tab", "tel", "tf", "tit", "tom", "ver", "vers", "vol", "vols", "z", "ziff",
    "zl",
];

/// These may be the last word of a sentence: they are taken as the last one when a word follows
/// that begins sentences.
pub(super) const AMBIGUOUS: &[&str] = &[
    "al", "Apr", "Aug", "Ave", "Blvd", "Bros", "Cia", "Cie", "co", "corp", "Ct", "Dec",
    "Dept", "dkk", "dll", "dst", "Esq", "etc", "Feb", "Ft", "Fri", "gmbh", "hr", "hrs",
    "inc", "Jan", "jr", "Jul", "Jun", "km", "lbs", "ltd", "ltda", "Mar", "mfg", "min",
    "Mon", "Nov", "Oct", "Okt", "plc", "Rd", "Sat", "sec", "Sep", "Sept", "seq", "Sq",
    "ss", "Str", "Sun", "tbk", "Thu", "Thurs", "Tue", "Tues", "Univ", "usw", "Wed",
    "mfl",
];

/// Dotted ones that are never last.
pub(super) const DOTTED_ANNOUNCING: &[&str] = &[
    "d.h", "d.i", "e.g", "i.e", "m.a.w", "o.g", "p.ej", "p.ex", "p.es", "s.a", "s.o",
    "s.u", "t.ex", "u.a", "u.u", "v.a", "z.b", "z.t", "a.d", "a.k.a", "a.n", "d.z",
];

/// Words that begin sentences: after an abbreviation that may be the last word they decide that it
/// was.
pub(super) const STARTERS: &[&str] = &[
    "A",
    "Aber",
    "About",
    "After",
    "Again",
    "All",
    "Alle",
    "Alles",
    "Also",
    "Although",
    "Among",
    "An",
    "And",
    "Another",
    "Any",
    "Are",
    "As",
    "At",
    "Auch",
    "Auf",
    "Because",
    "Bei",
    "Before",
    "Both",
    "But",
    "By",
    "Can",
    "Cette",
    "Dan",
    "Das",
    "Dengan",
    "Der",
    "Despite",
    "Did",
    "Die",
    "Dies",
    "Diese",
    "Do",
    "Does",
    "During",
    "Each",
    "Ein",
    "Eine",
    "Elle",
    "En",
    "Er",
    "Es",
    "Et",
    "Even",
    "Every",
    "Everyone",
    "Few",
    "For",
    "From",
    "Given",
    "Had",
    "Has",
    "Have",
    "He",
    "Her",
    "Here",
    "His",
    "How",
    "However",
    "I",
    "Ich",
    "If",
    "Im",
    "In",
    "Indeed",
    "Ini",
    "Is",
    "It",
    "Its",
    "Just",
    "Last",
    "Later",
    "Like",
    "Many",
    "Mereka",
    "Mit",
    "More",
    "Most",
    "Much",
    "My",
    "Nach",
    "Neither",
    "Never",
    "No",
    "Nobody",
    "Not",
    "Nothing",
    "Now",
    "Of",
    "On",
    "Once",
    "One",
    "Only",
    "Or",
    "Other",
    "Others",
    "Our",
    "Over",
    "Pero",
    "Se",
    "She",
    "Sie",
    "Since",
    "So",
    "Some",
    "Soon",
    "Still",
    "Such",
    "That",
    "The",
    "Their",
    "Then",
    "There",
    "Therefore",
    "These",
    "They",
    "This",
    "Those",
    "Though",
    "Three",
    "Through",
    "Thus",
    "To",
    "Today",
    "Two",
    "Und",
    "Under",
    "Unless",
    "Until",
    "Upon",
    "Was",
    "We",
    "Were",
    "What",
    "When",
    "Where",
    "Whether",
    "Which",
    "While",
    "Who",
    "Why",
    "Will",
    "Wir",
    "With",
    "Within",
    "Without",
    "Would",
    "Yesterday",
    "Yet",
    "You",
    "Your",
    "Zu",
];

/// Words of French, Spanish and Italian that begin sentences, and names as well.
pub(super) const STARTERS_OF_NAMES: &[&str] = &[
    "Dans", "El", "Ella", "Gli", "Il", "Ils", "La", "Las", "Le", "Les", "Lo", "Los",
    "Nous", "Os", "Un", "Una", "Une",
];

/// Words after an ordinal number in German.
pub(super) const COUNTED: &[&str] = &[
    "April",
    "August",
    "Auflage",
    "Dezember",
    "Februar",
    "Jahrhundert",
    "Jahrhunderts",
    "Jahrhunderte",
    "Januar",
    "Juli",
    "Juni",
    "Jänner",
    "Klasse",
    "Mai",
    "März",
    "November",
    "Oktober",
    "Platz",
    "September",
    "Stock",
    "Weltkrieg",
];

/// A set of lists, one bit each; see [`CAPITAL`] for the two halves.
pub(super) type Kinds = u16;

/// Words that something must follow: [`ANNOUNCING`] and [`DOTTED_ANNOUNCING`].
pub(super) const IS_ANNOUNCING: Kinds = 1;
/// Words before a number: [`NUMBERED`].
pub(super) const IS_NUMBERED: Kinds = 1 << 1;
/// Words that may end a sentence: [`AMBIGUOUS`].
pub(super) const IS_AMBIGUOUS: Kinds = 1 << 2;
/// Words that begin sentences: [`STARTERS`].
pub(super) const IS_STARTER: Kinds = 1 << 3;
/// Words that begin sentences and names: [`STARTERS_OF_NAMES`].
pub(super) const IS_STARTER_OF_NAMES: Kinds = 1 << 4;
/// Words after an ordinal number: [`COUNTED`].
pub(super) const IS_COUNTED: Kinds = 1 << 5;

/// Each list with its bit. Two lists may have the same bit, and a word may be in several lists.
const LISTS: [(&[&str], Kinds); 7] = [
    (ANNOUNCING, IS_ANNOUNCING),
    (DOTTED_ANNOUNCING, IS_ANNOUNCING),
    (NUMBERED, IS_NUMBERED),
    (AMBIGUOUS, IS_AMBIGUOUS),
    (STARTERS, IS_STARTER),
    (STARTERS_OF_NAMES, IS_STARTER_OF_NAMES),
    (COUNTED, IS_COUNTED),
];

/// Bits of the lists that want a capital are moved by so many: the low half of [`Kinds`] is for any
/// case, the high half for a capital.
const CAPITAL: u32 = 8;

/// A word in small ASCII letters, padded to 16 bytes; none is longer. A number, so that a lookup
/// compares no strings.
type Key = [u64; 2];

/// The key of a word; none when it has more than 16 bytes, and then it is in no list. Letters that
/// are not ASCII keep their case.
fn key(word: &str) -> Option<Key> {
    let mut bytes = [0; 16];
    let bytes_of_word = bytes.get_mut(..word.len())?;
    bytes_of_word.copy_from_slice(word.as_bytes());
    bytes.make_ascii_lowercase();
    let number = u128::from_le_bytes(bytes);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    let halves = [number as u64, (number >> 64) as u64];
    Some(halves)
}

/// The lists that have a word, as bits; 0 when none has. One lookup for all lists.
pub(super) fn kinds(word: &str) -> Kinds {
    static TABLE: OnceLock<FixedMap<Key, Kinds>> = OnceLock::new();
    let table = TABLE.get_or_init(table);
    let entry = key(word).and_then(|key| table.get(&key));
    let found = entry.copied().unwrap_or(0);
    // A capital word is in the lists of both halves, a small one in those of the low half.
    let small = found & ((1 << CAPITAL) - 1);
    if word.starts_with(|ch: char| ch.is_ascii_uppercase()) {
        small | (found >> CAPITAL)
    } else {
        small
    }
}

/// All lists as one table, made once for a process.
fn table() -> FixedMap<Key, Kinds> {
    let mut table = FixedMap::default();
    for (list, kind) in LISTS {
        for word in list {
            let capital = word.starts_with(|ch: char| ch.is_ascii_uppercase());
            let kind = if capital { kind << CAPITAL } else { kind };
            // All words of the lists are short enough.
            if let Some(key) = key(word) {
                *table.entry(key).or_insert(0) |= kind;
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_list_is_found_in_it() {
        for (list, kind) in LISTS {
            for word in list {
                assert_ne!(kinds(word) & kind, 0, "{word}");
                let listed_small = list.contains(&word.to_lowercase().as_str());
                let small = kinds(&word.to_lowercase()) & kind != 0;
                assert_eq!(small, listed_small || !word.starts_with(char::is_uppercase));
            }
        }
        assert_eq!(kinds("DR") & IS_ANNOUNCING, IS_ANNOUNCING);
        assert_eq!(kinds("sentence"), 0);
        assert_eq!(kinds("aVeryLongWordThatIsInNoList"), 0);
    }
}
