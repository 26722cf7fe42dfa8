//! The whole job on collections in memory: what it finds, and what it must not depend on.

mod removal;

use super::*;
use crate::document::{MemoryDocument, MemorySource, Silent, Span};
use crate::passage::PassageRule;
use crate::pipeline::Against;
use crate::store::Budget;
use proptest::prelude::*;

/// Records of an id and a text, in one or two files.
#[derive(Debug, Clone)]
struct Pages {
    old: Vec<(String, String)>,
    new: Vec<(String, String)>,
}

impl Pages {
    fn of(texts: &[(&str, &str)]) -> Self {
        let owned = |&(id, text): &(&str, &str)| (id.to_owned(), text.to_owned());
        Pages {
            old: Vec::new(),
            new: texts.iter().map(owned).collect(),
        }
    }

    fn source(&self) -> MemorySource<Vec<MemoryDocument<'_>>> {
        let rows = |pages: &'_ [(String, String)]| {
            let row = |(id, text): &'_ (String, String)| MemoryDocument {
                id: Some(id.clone().into()),
                text: text.clone().into(),
                ..MemoryDocument::default()
            };
            pages.iter().map(row).collect()
        };
        MemorySource::new("new", rows(&self.new))
            .against("old", rows(&self.old))
            .shared_by(1, 1 << 20)
    }
}

/// A passage with ids and texts.
type Found = (String, String, String, String);

fn config(threads: usize, memory: u64) -> PassagesConfig {
    PassagesConfig {
        threads,
        budget: Budget::new(memory, threads),
        ..PassagesConfig::new("unused".into())
    }
}

fn run(pages: &Pages, config: &PassagesConfig) -> (PassagesResult, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let work = WorkDir::new(folder.path().join("work"));
    (
        passages(&pages.source(), config, &work, &Silent).unwrap(),
        folder,
    )
}

fn found(pages: &Pages, config: &PassagesConfig) -> Vec<Found> {
    let (result, _folder) = run(pages, config);
    let mut found = Vec::new();
    let id = |document| result.documents.id(document).unwrap().into_owned();
    let visited = result.for_each_pair(|texts| {
        let pair = texts.pair;
        for passage in &pair.passages {
            let cut = |text: &str, span: Span| text[span.start..span.end].to_owned();
            found.push((
                id(pair.left),
                id(pair.right),
                cut(texts.left_text, passage.left.span),
                cut(texts.right_text, passage.right.span),
            ));
        }
        Ok(())
    });
    visited.unwrap();
    found
}

/// Words that occur nowhere else.
fn words(name: &str, len: usize) -> String {
    let words: Vec<String> = (0..len).map(|number| format!("{name}{number}")).collect();
    words.join(" ")
}

#[test]
fn a_copied_paragraph_is_located_in_both() {
    let copied = format!("The copied {}.", words("c", 30));
    let one = format!("{}. {copied} {}.", words("a", 50), words("x", 40));
    let two = format!(
        "{}.\r\n\r\n{copied}\r\n\r\n{}.",
        words("b", 9),
        words("y", 70)
    );
    let pages = Pages::of(&[("one", &one), ("two", &two), ("three", &words("z", 90))]);
    let expected = copied.trim_end_matches('.').to_owned();
    let row = ("one".into(), "two".into(), expected.clone(), expected);
    assert_eq!(found(&pages, &config(1, 1 << 30)), [row]);
}

#[test]
fn places_are_characters_sentences_and_words_of_the_text() {
    let copied = "这是一个被抄袭的段落，它有足够多的汉字，以便被找到，\
                  并且位置准确无误，一字不差。";
    let one = format!("前言部分很短，只有一句话而已。{copied}结尾。");
    let two = format!("Caf\u{e9} \u{1f600}! {copied}");
    let (result, _folder) =
        run(&Pages::of(&[("a", &one), ("b", &two)]), &config(1, 1 << 30));
    let mut num_passages = 0;
    result
        .for_each_pair(|texts| {
            let pair = texts.pair;
            for passage in &pair.passages {
                num_passages += 1;
                for (text, side) in [
                    (texts.left_text, &passage.left),
                    (texts.right_text, &passage.right),
                ] {
                    let by_bytes = &text[side.span.start..side.span.end];
                    let place = |number: u64| usize::try_from(number).unwrap();
                    let (start, end) = (place(side.chars.start), place(side.chars.end));
                    let by_chars: String =
                        text.chars().skip(start).take(end - start).collect();
                    assert_eq!(by_bytes, by_chars);
                    assert_eq!(by_bytes, copied.trim_end_matches('。'));
                    assert_eq!(side.num_words(), 35);
                }
                assert_eq!(passage.left.sentences, 1..2);
                assert_eq!((passage.common, passage.union), (31, 31));
            }
            assert!(!pair.is_near_duplicate());
            Ok(())
        })
        .unwrap();
    assert_eq!(num_passages, 1);
}

#[test]
fn equal_texts_are_compared_once_and_expanded_on_request() {
    let copied = words("c", 25);
    let text = format!("{copied}. {}.", words("a", 30));
    let other = format!("{}. {copied}.", words("b", 30));
    let pages = Pages::of(&[("d1", &text), ("d2", &other), ("d3", &text), ("d0", &text)]);
    let ids = |config: &PassagesConfig| -> Vec<(String, String)> {
        let rows = found(&pages, config).into_iter();
        rows.map(|(left, right, ..)| (left, right)).collect()
    };
    let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
    let plain = config(2, 1 << 30);
    assert_eq!(ids(&plain), [pair("d0", "d2")]);
    let expanded = PassagesConfig {
        expand: true,
        ..plain.clone()
    };
    let all = [pair("d0", "d2"), pair("d1", "d2"), pair("d2", "d3")];
    assert_eq!(ids(&expanded), all);
    let (result, _folder) = run(&pages, &plain);
    let mut copies = Vec::new();
    result
        .for_each_copy(|copy, first| {
            copies.push((
                result.documents.id(copy)?.into_owned(),
                result.documents.id(first)?.into_owned(),
            ));
            Ok(())
        })
        .unwrap();
    assert_eq!(copies, [pair("d1", "d0"), pair("d3", "d0")]);
    assert_eq!(result.totals.copies, 2);
}

#[test]
fn frequent_sentences_lead_nowhere_but_belong_to_passages() {
    let notice = "This notice stands on every single page of the whole collection, \
                  as notices on pages of collections usually do everywhere.";
    let mut texts: Vec<(String, String)> = (0..12)
        .map(|number| {
            let own = words(&format!("p{number}x"), 40);
            (format!("page{number:02}"), format!("{own}. {notice}"))
        })
        .collect();
    let copied = words("c", 30);
    texts.push((
        "x1".into(),
        format!("{}. {copied}. {notice}", words("q", 20)),
    ));
    texts.push((
        "x2".into(),
        format!("{}. {copied}. {notice}", words("r", 20)),
    ));
    let pages = Pages {
        old: Vec::new(),
        new: texts,
    };
    let few = PassagesConfig {
        max_documents: 10,
        ..config(2, 1 << 30)
    };
    let rows = found(&pages, &few);
    assert_eq!(rows.len(), 1);
    // It was reached from the words before.
    assert!(rows[0].2.starts_with("c0 ") && rows[0].2.ends_with("everywhere"));
    let (result, _folder) = run(&pages, &few);
    let mut listed = Vec::new();
    result
        .for_each_boilerplate(|one| {
            listed.push((one.text.clone(), one.num_documents));
            Ok(())
        })
        .unwrap();
    assert_eq!(listed, [(notice.to_owned(), 14)]);
    // With a higher limit every two pages have it in common.
    let many = PassagesConfig {
        max_documents: 14,
        ..few
    };
    assert_eq!(found(&pages, &many).len(), 14 * 13 / 2);
}

#[test]
fn against_old_documents_only_new_ones_are_left() {
    let copied = words("c", 30);
    let text = |name: &str| format!("{}. {copied}.", words(name, 30));
    let pages = Pages {
        old: vec![("b".into(), text("o")), ("same".into(), text("s"))],
        new: vec![("z".into(), text("n")), ("same".into(), text("s"))],
    };
    let against = |within| PassagesConfig {
        against: Some(Against {
            within,
            remove_containing: false,
        }),
        ..config(1, 1 << 30)
    };
    let ids = |config: &PassagesConfig| -> Vec<(String, String)> {
        let rows = found(&pages, config).into_iter();
        rows.map(|(left, right, ..)| (left, right)).collect()
    };
    let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
    // The text that both sides have is a passage as a whole.
    let expected = [
        pair("same", "b"),
        pair("same", "same"),
        pair("z", "b"),
        pair("z", "same"),
    ];
    assert_eq!(ids(&against(false)), expected);
    let mut expected = expected.to_vec();
    expected.insert(0, pair("same", "z"));
    assert_eq!(ids(&against(true)), expected);
}

/// Texts that share stretches of few different words.
fn texts() -> impl Strategy<Value = Vec<(String, String)>> {
    let piece = prop::sample::select(vec![
        "alpha beta gamma delta epsilon zeta eta theta iota kappa. ",
        "lambda mu nu xi omicron pi rho sigma tau upsilon phi chi! ",
        "一二三四五六七八九十甲乙丙丁。",
        "Caf\u{65}\u{301} cr\u{e8}me br\u{fb}l\u{e9}e \u{1f600} &amp; na\u{ef}ve fa\u{e7}ade.\r\n",
        "own0 own1 own2. ",
        "\u{301}\u{200d}= ",
        "the one and the other one, the one and the other one, ",
    ]);
    let text = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
    prop::collection::vec(text, 0..9).prop_map(|texts| {
        let named = texts.into_iter().enumerate();
        named.map(|(at, text)| (format!("d{at}"), text)).collect()
    })
}

/// Two texts with a copy of so many words between words of their own; of ideographs, where these are
/// asked for. `salt` makes other words of it, and so other seeds.
#[derive(Debug, Clone)]
struct Planted {
    salt: u32,
    is_chinese: bool,
    around: [usize; 4],
    /// After how many of the copied words a sentence of the second text ends.
    cut: usize,
}

impl Planted {
    fn word(&self, place: u32, at: usize) -> String {
        let at = u32::try_from(at).unwrap();
        match self.is_chinese {
            // Ranges of ideographs that lie apart, so that nothing else is common.
            true => {
                let within = (self.salt % 900 + at * 7) % 1000;
                char::from_u32(0x4e00 + place * 1000 + within)
                    .unwrap()
                    .into()
            }
            false => format!("w{}x{place}x{at} ", self.salt),
        }
    }

    fn words(&self, place: u32, len: usize) -> Vec<String> {
        (0..len).map(|at| self.word(place, at)).collect()
    }

    /// Whether a copy of so many words is found, by the whole job.
    fn is_found(&self, len: usize, rule: PassageRule) -> bool {
        let copied = self.words(0, len);
        let around: Vec<String> = (1..)
            .zip(self.around)
            .map(|(place, len)| self.words(place, len).concat())
            .collect();
        let cut = self.cut.min(len);
        let one = [&around[0], copied.concat().as_str(), &around[1]].concat();
        let (first, last) = copied.split_at(cut);
        let two = [
            &around[2],
            &first.concat(),
            ". ",
            &last.concat(),
            &around[3],
        ]
        .concat();
        let job = PassagesConfig {
            rule,
            ..config(1, 1 << 30)
        };
        let found = found(&Pages::of(&[("one", &one), ("two", &two)]), &job);
        found
            .iter()
            .any(|(_, _, in_left, _)| in_left.trim() == copied.concat().trim())
    }
}

fn planted() -> impl Strategy<Value = Planted> {
    let around = [0usize..40, 0..40, 0..40, 0..40];
    (any::<u32>(), any::<bool>(), around, 0usize..40).prop_map(
        |(salt, is_chinese, around, cut)| Planted {
            salt,
            is_chinese,
            around,
            cut,
        },
    )
}

#[test]
fn copies_that_are_one_word_shorter_are_not_surely_found() {
    for is_chinese in [false, true] {
        let num_found = |min_words: u32| {
            let rule = PassageRule {
                min_words,
                ..PassageRule::default()
            };
            let surely = rule.surely_found();
            let len = if is_chinese {
                surely.characters
            } else {
                surely.words
            };
            let tries = (0..80).filter(|&salt| {
                let around = [30, 30, 30, 30];
                let planted = Planted {
                    salt: salt * 11,
                    is_chinese,
                    around,
                    cut: 5,
                };
                planted.is_found(len as usize - 1, rule)
            });
            tries.count()
        };
        // Some by luck of their seeds; none when the words are too few.
        assert!((1..80).contains(&num_found(8)), "{}", num_found(8));
        assert_eq!(num_found(20), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn copies_of_the_length_that_is_surely_found_are_found(
        planted in planted(),
        min_words in 1u32..30,
        more in 0usize..9,
    ) {
        let rule = PassageRule { min_words, ..PassageRule::default() };
        let surely = rule.surely_found();
        let len = if planted.is_chinese { surely.characters } else { surely.words };
        prop_assert!(planted.is_found(len as usize + more, rule));
    }

    #[test]
    fn nothing_depends_on_threads_or_memory_and_spans_slice_the_texts(new in texts()) {
        let pages = Pages { old: Vec::new(), new };
        let rule = PassageRule { min_words: 5, ..PassageRule::default() };
        let one = PassagesConfig { rule, ..config(1, 1 << 30) };
        let expected = found(&pages, &one);
        let three = PassagesConfig { rule, ..config(3, 1 << 30) };
        prop_assert_eq!(&found(&pages, &three), &expected);
        // Hardly anything fits.
        let mut little = PassagesConfig { rule, ..config(2, 256 << 20) };
        little.budget.features = 1;
        little.budget.rows = 1;
        little.budget.group = 1;
        little.budget.index = 1;
        little.budget.claims = 1;
        prop_assert_eq!(&found(&pages, &little), &expected);
        let texts = |id: &str| {
            let found = pages.new.iter().find(|(other, _)| other == id);
            found.map(|(_, text)| text.clone()).unwrap()
        };
        for (left, right, in_left, in_right) in &expected {
            prop_assert!(left < right);
            prop_assert!(texts(left).contains(in_left));
            prop_assert!(texts(right).contains(in_right));
        }
    }
}
