//! The laws of sentences, and the score on texts cut by hand.

use super::*;
use crate::text::{Segmenter, word_spans};
use proptest::prelude::*;

fn ends_of(text: &str) -> Vec<usize> {
    let mut ends = vec![7];
    SentenceCutter::new().cut(text, &mut ends);
    ends
}

fn sentences(text: &str) -> Vec<&str> {
    let ends = ends_of(text);
    let starts = [0].into_iter().chain(ends.iter().copied());
    starts
        .zip(&ends)
        .map(|(start, &end)| &text[start..end])
        .collect()
}

/// Cases as in the file: which are cut as they should be.
fn failures() -> (usize, Vec<String>) {
    let mut failures = Vec::new();
    let mut num_cases = 0;
    for line in include_str!("cases.txt").lines() {
        let Some((_, marked)) = line.split_once('\t') else {
            assert!(line.starts_with('#'), "{line}");
            continue;
        };
        num_cases += 1;
        let marked = marked.replace("\\n", "\n").replace("\\r", "\r");
        let text = marked.replace('‖', "");
        let found = sentences(&text).join("‖");
        if found != marked {
            failures.push(format!("wanted {marked:?}\n found {found:?}\n"));
        }
    }
    (num_cases, failures)
}

/// How many of the cases fail, and how many there are. Fewer is better; a change of the rule
/// that moves it says so in docs/sentences.md.
const FAILING: (usize, usize) = (9, 142);

#[test]
fn cases_made_by_hand_are_cut_as_a_reader_would() {
    let (num_cases, failures) = failures();
    println!("{} of {num_cases} right", num_cases - failures.len());
    let shown = failures.concat();
    assert_eq!((failures.len(), num_cases), FAILING, "\n{shown}");
}

#[test]
fn small_texts_have_the_sentences_they_should() {
    assert_eq!(sentences(""), Vec::<&str>::new());
    assert_eq!(sentences(" \n\n"), [" \n\n"]);
    assert_eq!(sentences("..."), ["..."]);
    assert_eq!(sentences("a"), ["a"]);
    assert_eq!(
        sentences("\n --- \n\nA b.\n\n * * *\n\n!"),
        ["\n --- \n\nA b.\n\n * * *\n\n!"]
    );
    assert_eq!(sentences("A b.\n\n---\nC d."), ["A b.\n\n", "---\nC d."]);
}

#[test]
fn white_space_around_a_sentence_is_left_out() {
    let text = " a\u{3000}b \r\n";
    let span = Span {
        start: 0,
        end: text.len(),
    };
    let Span { start, end } = trimmed(text, span);
    assert_eq!(&text[start..end], "a\u{3000}b");
    let Span { start, end } = trimmed("  ", Span { start: 0, end: 2 });
    assert_eq!(start, end);
}

/// Words of a small random language, the same in every run.
fn random_words(num: usize) -> Vec<String> {
    let mut state = 1u64;
    let words = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        format!("w{}", (state >> 33) % 500)
    });
    words.take(num).collect()
}

#[test]
fn text_without_stops_is_cut_by_length_at_commas_if_it_has_them() {
    for separator in [" ", ", ", "\t"] {
        let text = random_words(1000).join(separator);
        for sentence in sentences(&text) {
            let num_words = sentence.split_whitespace().count();
            assert!((10..=60).contains(&num_words), "{num_words}");
        }
    }
    let ideographs: String = ('\u{4e00}'..'\u{5000}').collect();
    let lengths = sentences(&ideographs)
        .into_iter()
        .map(|text| text.chars().count());
    assert!(lengths.clone().all(|length| (30..=180).contains(&length)));
    assert_eq!(lengths.sum::<usize>(), 512);
    let text = format!("{}, {}", "ab ".repeat(40), "cd ".repeat(40));
    assert_eq!(sentences(&text).len(), 2);
    assert!(sentences(&text)[0].ends_with(", "));
}

#[test]
fn copies_that_begin_elsewhere_come_to_be_cut_alike() {
    let words = random_words(2000);
    let whole = words.join(" ");
    let whole: Vec<&str> = sentences(&whole);
    for skipped in [1, 7, 20, 33, 50, 100] {
        let copy = words[skipped..].join(" ");
        let copy: Vec<&str> = sentences(&copy);
        let same = whole.iter().rev().zip(copy.iter().rev());
        let same = same.take_while(|(left, right)| left == right).count();
        assert!(same > whole.len() * 3 / 4, "{same} of {}", whole.len());
    }
}

#[test]
fn a_word_without_end_and_a_text_of_signs_take_no_time_to_speak_of() {
    let started = std::time::Instant::now();
    for text in [
        "a".repeat(2_000_000),
        ".".repeat(2_000_000),
        "! ".repeat(1_000_000),
        "---\n".repeat(500_000),
        "\n".repeat(2_000_000),
        "a. ".repeat(700_000),
        "A. ".repeat(700_000),
        format!("{}{}", "-".repeat(1_000_000), "A. ".repeat(300_000)),
        "。".repeat(700_000),
        " ".repeat(2_000_000),
        "\u{301}".repeat(1_000_000),
        "x[1]".repeat(500_000),
    ] {
        assert_eq!(ends_of(&text).last(), Some(&text.len()));
    }
    // Half a second; something quadratic would take hours.
    assert!(started.elapsed().as_secs() < 60);
}

/// Text of all that matters: words, stops, lines, scripts; `joining` with characters that make
/// words of several.
fn any_text(joining: bool) -> impl Strategy<Value = String> {
    let joining = if joining {
        "=\u{338}|\u{345}|\u{2adc}|\u{a8}\u{301}|\u{1d15e}|\\PC{0,6}"
    } else {
        "z\\. B\\. "
    };
    let pattern = format!(
        "(([a-zA-Z]{{1,9}} ){{1,12}}|[.!?] |[.!?…]{{1,3}}[\"')”]?|\n|\r\n|\n\n| {{1,5}}\
         |[A-Z]\\. |Dr\\. |e\\.g\\. |[0-9.,]{{1,5}} |\n- |\n[1-9]\\. |[-*#>] \
         |[中文法律第一条（）。，；！？”」]{{1,9}}|[かなカーと。」]{{1,6}}|[กขคั็ ]{{1,9}}\
         |[éÜßДжأب؟।अ\u{301}\u{200d}\u{a0}\u{3000}]{{1,4}}|[😀❤\u{fe0f}👍🏽]{{1,3}}\
         |{joining}){{0,40}}"
    );
    proptest::string::string_regex(&pattern).unwrap()
}

/// A paragraph with a word and no blank line.
fn paragraph() -> impl Strategy<Value = String> {
    any_text(false).prop_filter_map("has no word", |text| {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let paragraph = lines.collect::<Vec<_>>().join("\n");
        has_word(&paragraph).then_some(paragraph)
    })
}

fn check_laws(text: &str, ends: &[usize]) {
    assert_eq!(ends.is_empty(), text.is_empty());
    assert_eq!(ends.last().copied().unwrap_or(0), text.len());
    assert!(ends.is_sorted_by(|left, right| left < right));
    let mut start = 0;
    for &end in ends {
        assert!(text.is_char_boundary(end));
        let sentence = &text[start..end];
        assert!(has_word(sentence) || ends.len() == 1, "{sentence:?}");
        let at_start = start == 0 || !sentence.starts_with(char::is_whitespace);
        assert!(at_start, "{sentence:?}");
        start = end;
    }
    word_spans(text, &Segmenter::default(), |span, word| {
        let within = ends.iter().find(|&&end| span.start < end && end < span.end);
        assert_eq!(within, None, "{word}");
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn sentences_tile_the_text_and_cut_no_word(
        text in any_text(true), other in any_text(true)
    ) {
        let mut cutter = SentenceCutter::new();
        let mut ends = Vec::new();
        cutter.cut(&other, &mut ends);
        check_laws(&other, &ends);
        cutter.cut(&text, &mut ends);
        check_laws(&text, &ends);
        prop_assert_eq!(ends, ends_of(&text));
    }

    #[test]
    fn random_characters_are_cut_by_the_laws(text in "(\\PC|[.\n A。]){0,80}") {
        check_laws(&text, &ends_of(&text));
    }

    #[test]
    fn a_paragraph_is_cut_alike_wherever_it_stands(
        before in paragraph(), text in paragraph(), after in paragraph(), crlf: bool
    ) {
        let blank = if crlf { "\r\n\r\n" } else { "\n\n" };
        let alone = [&before, &text, &after].map(|text| sentences(text));
        let alone = alone.concat().into_iter().map(str::trim).collect::<Vec<_>>();
        let whole = [&*before, &*text, &*after].join(blank);
        let within = sentences(&whole).into_iter().map(str::trim).collect::<Vec<_>>();
        prop_assert_eq!(within, alone);
    }
}
