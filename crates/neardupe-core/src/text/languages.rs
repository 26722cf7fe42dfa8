//! The table of languages: those that can be detected, have stop words, or a stemmer.
//!
//! A language is added by one line, in the order of the codes. Its place in the table is an index
//! into the stop lists of one process (`stop_words`) and is stored nowhere.

use rust_stemmers::Algorithm;
use whatlang::Lang;

/// What is known about a language. Its stop words are found by the code.
#[derive(Debug)]
pub(super) struct LanguageRow {
    /// ISO 639-1 code.
    pub(super) code: &'static str,
    /// English name.
    pub(super) name: &'static str,
    /// Its name in the language detector.
    pub(super) detected: Option<Lang>,
    /// Its Snowball stemmer.
    pub(super) stemmer: Option<Algorithm>,
}

/// One line of the table.
const fn row(
    code: &'static str,
    name: &'static str,
    detected: Option<Lang>,
    stemmer: Option<Algorithm>,
) -> LanguageRow {
    LanguageRow {
        code,
        name,
        detected,
        stemmer,
    }
}

/// All languages, by code.
#[rustfmt::skip]
pub(super) static LANGUAGES: [LanguageRow; 84] = [
    row("af", "Afrikaans", Some(Lang::Afr), None),
    row("ak", "Akan", Some(Lang::Aka), None),
    row("am", "Amharic", Some(Lang::Amh), None),
    row("ar", "Arabic", Some(Lang::Ara), Some(Algorithm::Arabic)),
    row("az", "Azerbaijani", Some(Lang::Aze), None),
    row("be", "Belarusian", Some(Lang::Bel), None),
    row("bg", "Bulgarian", Some(Lang::Bul), None),
    row("bn", "Bengali", Some(Lang::Ben), None),
    row("br", "Breton", None, None),
    row("ca", "Catalan", Some(Lang::Cat), None),
    row("cs", "Czech", Some(Lang::Ces), None),
    row("cy", "Welsh", Some(Lang::Cym), None),
    row("da", "Danish", Some(Lang::Dan), Some(Algorithm::Danish)),
    row("de", "German", Some(Lang::Deu), Some(Algorithm::German)),
    row("el", "Greek", Some(Lang::Ell), Some(Algorithm::Greek)),
    row("en", "English", Some(Lang::Eng), Some(Algorithm::English)),
    row("eo", "Esperanto", Some(Lang::Epo), None),
    row("es", "Spanish", Some(Lang::Spa), Some(Algorithm::Spanish)),
    row("et", "Estonian", Some(Lang::Est), None),
    row("eu", "Basque", None, None),
    row("fa", "Persian", Some(Lang::Pes), None),
    row("fi", "Finnish", Some(Lang::Fin), Some(Algorithm::Finnish)),
    row("fr", "French", Some(Lang::Fra), Some(Algorithm::French)),
    row("ga", "Irish", None, None),
    row("gl", "Galician", None, None),
    row("gu", "Gujarati", Some(Lang::Guj), None),
    row("ha", "Hausa", None, None),
    row("he", "Hebrew", Some(Lang::Heb), None),
    row("hi", "Hindi", Some(Lang::Hin), None),
    row("hr", "Croatian", Some(Lang::Hrv), None),
    row("hu", "Hungarian", Some(Lang::Hun), Some(Algorithm::Hungarian)),
    row("hy", "Armenian", Some(Lang::Hye), None),
    row("id", "Indonesian", Some(Lang::Ind), None),
    row("it", "Italian", Some(Lang::Ita), Some(Algorithm::Italian)),
    row("ja", "Japanese", Some(Lang::Jpn), None),
    row("jv", "Javanese", Some(Lang::Jav), None),
    row("ka", "Georgian", Some(Lang::Kat), None),
    row("kk", "Kazakh", None, None),
    row("km", "Khmer", Some(Lang::Khm), None),
    row("kn", "Kannada", Some(Lang::Kan), None),
    row("ko", "Korean", Some(Lang::Kor), None),
    row("ku", "Kurdish", None, None),
    row("la", "Latin", Some(Lang::Lat), None),
    row("lt", "Lithuanian", Some(Lang::Lit), None),
    row("lv", "Latvian", Some(Lang::Lav), None),
    row("mk", "Macedonian", Some(Lang::Mkd), None),
    row("ml", "Malayalam", Some(Lang::Mal), None),
    row("mr", "Marathi", Some(Lang::Mar), None),
    row("ms", "Malay", None, None),
    row("my", "Burmese", Some(Lang::Mya), None),
    row("ne", "Nepali", Some(Lang::Nep), None),
    row("nl", "Dutch", Some(Lang::Nld), Some(Algorithm::Dutch)),
    row("no", "Norwegian", Some(Lang::Nob), Some(Algorithm::Norwegian)),
    row("or", "Oriya", Some(Lang::Ori), None),
    row("pa", "Punjabi", Some(Lang::Pan), None),
    row("pl", "Polish", Some(Lang::Pol), None),
    row("pt", "Portuguese", Some(Lang::Por), Some(Algorithm::Portuguese)),
    row("ro", "Romanian", Some(Lang::Ron), Some(Algorithm::Romanian)),
    row("ru", "Russian", Some(Lang::Rus), Some(Algorithm::Russian)),
    row("si", "Sinhala", Some(Lang::Sin), None),
    row("sk", "Slovak", Some(Lang::Slk), None),
    row("sl", "Slovenian", Some(Lang::Slv), None),
    row("sn", "Shona", Some(Lang::Sna), None),
    row("so", "Somali", None, None),
    row("sq", "Albanian", None, None),
    row("sr", "Serbian", Some(Lang::Srp), None),
    row("st", "Sotho", None, None),
    row("sv", "Swedish", Some(Lang::Swe), Some(Algorithm::Swedish)),
    row("sw", "Swahili", None, None),
    row("ta", "Tamil", Some(Lang::Tam), Some(Algorithm::Tamil)),
    row("te", "Telugu", Some(Lang::Tel), None),
    row("tg", "Tajik", None, None),
    row("th", "Thai", Some(Lang::Tha), None),
    row("tk", "Turkmen", Some(Lang::Tuk), None),
    row("tl", "Tagalog", Some(Lang::Tgl), None),
    row("tr", "Turkish", Some(Lang::Tur), Some(Algorithm::Turkish)),
    row("uk", "Ukrainian", Some(Lang::Ukr), None),
    row("ur", "Urdu", Some(Lang::Urd), None),
    row("uz", "Uzbek", Some(Lang::Uzb), None),
    row("vi", "Vietnamese", Some(Lang::Vie), None),
    row("yi", "Yiddish", Some(Lang::Yid), None),
    row("yo", "Yoruba", None, None),
    row("zh", "Chinese", Some(Lang::Cmn), None),
    row("zu", "Zulu", Some(Lang::Zul), None),
];
