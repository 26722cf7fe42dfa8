//! Words of scripts written without spaces, by dictionary.
//!
//! Runs of ideographs are Chinese and cut by jieba, with its model for words that are in no
//! dictionary (names, mostly): what people who work with Chinese text expect. Runs with
//! kana, all runs of Japanese documents, and Thai, Lao, Khmer and Myanmar are cut by the
//! dictionaries of ICU: they compare integers only, so they give the same words on every
//! machine, which its neural model, in floating point, need not.
//!
//! Jieba adds logarithms: where two ways to cut a run are equally likely to 52 bits, the
//! mathematical library of a machine could decide. None such is known.

use super::class::{Class, Unspaced, class};
use super::language::LanguageOf;
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use jieba_rs::Jieba;
use std::io::BufReader;
use std::sync::{LazyLock, OnceLock};

/// Loaded when the first run needs it: 0.15 s, 30 MB (measured).
static JIEBA: LazyLock<Jieba> = LazyLock::new(|| {
    let packed: &[u8] = include_bytes!("dictionary/jieba.txt.gz");
    let mut words = BufReader::new(flate2::bufread::GzDecoder::new(packed));
    Jieba::with_dict(&mut words).expect("the dictionary is part of the program")
});
/// Made when first needed; its dictionaries are part of the program.
static ICU: OnceLock<WordSegmenterBorrowed<'static>> = OnceLock::new();

/// Bytes of a run cut at once; longer runs are cut there first. Jieba takes
/// some fifty times the memory of a run, and no text has 16 kB without any mark or space.
const MAX_RUN_BYTES: usize = 1 << 14;

/// Gives the words of a run to `emit`; `language` is the document's.
pub(super) fn cut(
    mut run: &str,
    script: Unspaced,
    language: &LanguageOf<'_>,
    mut emit: impl FnMut(&str),
) {
    // Ideographs alone may be either language. Only such runs ask for the language, which is
    // detected at the first of them.
    let is_chinese = script == Unspaced::Han && !language.is_japanese();
    while run.len() > MAX_RUN_BYTES {
        let (first, rest) = run.split_at(run.floor_char_boundary(MAX_RUN_BYTES));
        cut_short(first, is_chinese, &mut emit);
        run = rest;
    }
    cut_short(run, is_chinese, &mut emit);
}

/// Cuts a run of bounded length. The pieces join back to the run, whatever the dictionary says.
fn cut_short(run: &str, is_chinese: bool, emit: &mut impl FnMut(&str)) {
    let mut start = 0;
    let mut cut_at = |at: usize| {
        // Both dictionaries give ends of words in ascending order, ICU also the start of the run.
        // An end before a mark is passed over, so the word takes the mark; the end of the run never
        // is.
        if at > start && !begins_with_mark(&run[at..]) {
            emit(&run[start..at]);
            start = at;
        }
    };
    if is_chinese {
        for token in JIEBA.cut(run, true) {
            cut_at(token.byte_end);
        }
    } else {
        let options = WordBreakInvariantOptions::default();
        let icu = ICU.get_or_init(|| WordSegmenter::new_dictionary(options));
        for at in icu.segment_str(run) {
            cut_at(at);
        }
    }
}

/// Whether a text begins with a mark, which belongs to the character before it. Neither dictionary
/// knows the variation selectors of ideographs.
fn begins_with_mark(rest: &str) -> bool {
    rest.chars()
        .next()
        .is_some_and(|ch| class(ch) == Class::Mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::slow;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        slow::segmented_words(text)
    }

    #[test]
    fn chinese_is_cut_into_words() {
        // A title that is in the dictionary, and one that is not.
        assert_eq!(words("中华人民共和国宪法"), ["中华人民共和国宪法"]);
        assert_eq!(words("中华人民共和国民法"), ["中华人民共和国", "民法"]);
        assert_eq!(
            words("我们中出了一个叛徒，他来到了网易杭研大厦。"),
            [
                "我们", "中出", "了", "一个", "叛徒", "他", "来到", "了", "网易", "杭研",
                "大厦"
            ]
        );
        assert_eq!(words("中\u{e0100}国"), ["中\u{e0100}", "国"]);
    }

    #[test]
    fn japanese_is_cut_into_words() {
        assert_eq!(
            words("東京都に行きます。"),
            ["東京", "都", "に", "行き", "ます"]
        );
        // A run of ideographs only, in a Japanese document and in a Chinese one.
        let japanese = words("これは日本国憲法についての本です。日本国憲法。");
        assert_eq!(japanese[japanese.len() - 2..], ["日本国", "憲法"]);
    }

    #[test]
    fn thai_lao_khmer_and_burmese_are_cut_into_words() {
        assert_eq!(words("ภาษาไทยภาษาไทย"), ["ภาษา", "ไทย", "ภาษา", "ไทย"]);
        assert_eq!(words("ພາສາລາວ"), ["ພາສາ", "ລາວ"]);
        assert_eq!(words("ខ្ញុំស្រឡាញ់ភាសាខ្មែរ"), ["ខ្ញុំ", "ស្រឡាញ់", "ភាសាខ្មែរ"]);
        assert_eq!(words("မြန်မာစာ"), ["မြန်မာ", "စာ"]);
    }

    #[test]
    fn mixed_scripts_are_cut_each_in_its_way() {
        assert_eq!(
            words("PostgreSQL数据库2024年ภาษาไทย, naïve Straße"),
            [
                "postgresql",
                "数据库",
                "2024",
                "年",
                "ภาษา",
                "ไทย",
                "naïve",
                "strasse"
            ]
        );
        assert_eq!(
            words("plain English, don't"),
            ["plain", "english", "don", "t"]
        );
    }

    #[test]
    fn a_run_of_any_length_is_cut() {
        let text = "宪法".repeat(MAX_RUN_BYTES);
        assert_eq!(words(&text).concat(), text);
        let text = "ไทย".repeat(MAX_RUN_BYTES);
        assert_eq!(words(&text).concat(), text);
    }

    proptest! {
        #[test]
        fn words_join_to_the_runs_and_begin_with_no_mark(
            run in "[中华人民法𠮷〇々あいうカーไทยภาษ็ລາວខ្មែរမြန်မာ\u{e0100}\u{301}]{1,20}"
        ) {
            let simple = slow::words(&run);
            let segmented = words(&run);
            prop_assert_eq!(simple.concat(), segmented.concat());
            for word in segmented.iter().skip(1) {
                prop_assert!(!begins_with_mark(word), "{:?}", segmented);
            }
        }
    }
}
