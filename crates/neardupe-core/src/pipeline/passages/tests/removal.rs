//! What goes of a collection, and that everything that goes stays somewhere else.

use super::*;
use crate::hash::FixedMap;
use crate::numbers::DocIdx;

fn removal(keep: KeepOrder, budget: Budget) -> RemovalConfig {
    RemovalConfig {
        keep,
        share: RemovalConfig::usual_share(),
        budget,
    }
}

/// What is left: texts by id, None for documents that go wholly; and the rows.
type Left = (Vec<(String, Option<String>)>, Vec<Removal>, RemovalTotals);

fn cut(pages: &Pages, config: &PassagesConfig, keep: KeepOrder) -> Left {
    let mut config = config.clone();
    // Less to be made for so few seeds.
    config.budget.counters = 1 << 12;
    let config = &config;
    let folder = tempfile::tempdir().unwrap();
    let work = WorkDir::new(folder.path().join("work"));
    let result = passages(&pages.source(), config, &work, &Silent).unwrap();
    let wanted = removal(keep, config.budget);
    let removals = result.removals(&wanted, &work, &Silent).unwrap();
    let rows = removals.rows.to_vec().unwrap();
    let left =
        DocIdx::default()
            .onward()
            .zip(&pages.new)
            .map(|(document, (id, text))| {
                if removals.removed.contains(&document) {
                    return (id.clone(), None);
                }
                let mut text = text.clone();
                let rows = rows.iter().rev().filter(|row| row.document == document);
                rows.for_each(|row| {
                    text.replace_range(row.start as usize..row.end as usize, "");
                });
                (id.clone(), Some(text))
            });
    (left.collect(), rows, removals.totals)
}

fn of(texts: &[(&str, String)]) -> Pages {
    let new = texts
        .iter()
        .map(|(id, text)| ((*id).to_owned(), text.clone()));
    Pages {
        old: Vec::new(),
        new: new.collect(),
    }
}

/// A sentence of words that occur nowhere else.
fn sentence(name: &str, len: usize) -> String {
    format!("The {}. ", words(name, len))
}

fn texts_of(left: &Left) -> Vec<Option<&str>> {
    left.0.iter().map(|(_, text)| text.as_deref()).collect()
}

#[test]
fn one_copy_of_a_passage_stays() {
    let (copied, a, b, c) = (
        sentence("c", 30),
        sentence("a", 40),
        sentence("b", 9),
        sentence("x", 50),
    );
    let pages = of(&[
        ("z", format!("{a}{copied}")),
        ("m", format!("{b}{copied}")),
        ("k", format!("{copied}{c}")),
    ]);
    let config = config(2, 1 << 30);
    let first = cut(&pages, &config, KeepOrder::First);
    let whole = |at: usize| Some(pages.new[at].1.as_str());
    assert_eq!(texts_of(&first), [whole(0), Some(&*b), Some(&*c)]);
    // Both copies that go are kept in the same document, not one in the other.
    assert!(
        first
            .1
            .iter()
            .all(|row| row.kept_in.get() == 0 && row.document.get() > 0)
    );
    assert_eq!(first.1.len(), 2);
    assert_eq!((first.2.cut, first.2.removed, first.2.words), (2, 0, 62));
    let longest = cut(&pages, &config, KeepOrder::Longest);
    assert_eq!(texts_of(&longest), [Some(&*a), Some(&*b), whole(2)]);
}

#[test]
fn what_is_kept_in_parts_is_found_in_parts() {
    let parts: Vec<String> = (0..4).map(|at| sentence(&format!("s{at}x"), 24)).collect();
    let pages = of(&[
        ("1", format!("{}{}", parts[0], parts[1])),
        ("2", format!("{}{}", parts[1], parts[2])),
        ("3", format!("{}{}{}", parts[1], parts[2], parts[3])),
        // Nothing of it is its own.
        ("4", format!("{}{}{}", parts[0], parts[2], parts[3])),
    ]);
    let left = cut(&pages, &config(1, 1 << 30), KeepOrder::First);
    let expected = [
        Some(pages.new[0].1.as_str()),
        Some(&*parts[2]),
        Some(&*parts[3]),
        None,
    ];
    assert_eq!(texts_of(&left), expected);
    let kept = left
        .1
        .iter()
        .map(|row| (row.document.get(), row.kept_in.get()));
    let expected = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)];
    assert_eq!(kept.collect::<Vec<_>>(), expected);
}

#[test]
fn of_equal_texts_one_stays_however_short() {
    let copied = sentence("c", 30);
    let own = sentence("o", 5);
    let both = format!("{own}{copied}");
    let pages = of(&[
        ("b", "Short one.".to_owned()),
        ("c", copied.clone()),
        ("d", both.clone()),
        ("a", "Short one.".to_owned()),
        ("e", both),
        ("f", "=".to_owned()),
        ("g", "=".to_owned()),
    ]);
    let left = cut(&pages, &config(1, 1 << 30), KeepOrder::First);
    let expected = [
        Some("Short one."),
        Some(&*copied),
        Some(&*own),
        None,
        None,
        Some("="),
        Some("="),
    ];
    assert_eq!(texts_of(&left), expected);
    // Of the copy of a text that was cut, each part is where it is kept.
    let rows = left.1.iter().filter(|row| row.document.get() == 4);
    let rows: Vec<_> = rows
        .map(|row| (row.kept_in.get(), row.is_equal_text()))
        .collect();
    assert_eq!(rows, [(2, true), (1, false)]);
    assert_eq!((left.2.copies, left.2.removed, left.2.cut), (2, 2, 1));
}

/// Documents of sentences that some share; none shorter than a passage.
fn long_sentences() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0usize..9, 1..5), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn what_goes_stays_somewhere_else(new in texts(), longest in any::<bool>()) {
        let keep = if longest { KeepOrder::Longest } else { KeepOrder::First };
        let pages = Pages { old: Vec::new(), new };
        let rule = PassageRule { min_words: 5, ..PassageRule::default() };
        let one = PassagesConfig { rule, ..config(1, 1 << 30) };
        let left = cut(&pages, &one, keep);
        let mut three = PassagesConfig { rule, ..config(3, 256 << 20) };
        three.budget.features = 1;
        three.budget.rows = 1;
        three.budget.claims = 1;
        let same = cut(&pages, &three, keep);
        prop_assert_eq!(&same.0, &left.0);
        prop_assert_eq!(&same.1, &left.1);
        prop_assert_eq!(same.2, left.2);
        let (texts, rows, totals) = left;
        let mut cutter = crate::passage::TextCutter::default();
        let mut cut_text = crate::passage::CutText::default();
        let mut gone: FixedMap<DocIdx, u64> = FixedMap::default();
        for (at, row) in rows.iter().enumerate() {
            let text = &pages.new[row.document.index()].1;
            // Whole sentences, and places in characters.
            cutter.cut(text, &mut cut_text);
            let ends = [&[0], &cut_text.sentence_ends[..]].concat();
            prop_assert_eq!(ends[row.first_sentence as usize], row.start as usize);
            prop_assert_eq!(ends[row.end_sentence as usize], row.end as usize);
            let before = text[..row.start as usize].chars().count();
            prop_assert_eq!(before, row.start_char as usize);
            let within = text[row.start as usize..row.end as usize].chars().count();
            prop_assert_eq!(before + within, row.end_char as usize);
            prop_assert!(row.common * 5 >= row.num_words * 4);
            if let Some(next) = rows.get(at + 1) {
                prop_assert!(row.document < next.document || row.end <= next.start);
            }
            *gone.entry(row.document).or_default() += u64::from(row.num_words);
            // Where it is kept nothing goes, and the document is there.
            prop_assert!(texts[row.kept_in.index()].1.is_some());
            prop_assert_ne!(row.kept_in, row.document);
            let kept = row.kept_start_char..row.kept_end_char;
            prop_assert!(!kept.is_empty());
            let touched = rows.iter().any(|other| {
                other.document == row.kept_in
                    && other.start_char < kept.end
                    && kept.start < other.end_char
            });
            prop_assert!(!touched);
            let other = pages.new[row.kept_in.index()].1.chars();
            let other: String = other
                .skip(kept.start as usize)
                .take(kept.len())
                .collect();
            let mut left = cut_words(&other);
            let mut common = 0;
            for word in cut_words(&text[row.start as usize..row.end as usize]) {
                if let Some(at) = left.iter().position(|other| *other == word) {
                    left.swap_remove(at);
                    common += 1;
                }
            }
            prop_assert!(common >= row.common.min(row.num_words));
        }
        for (document, (_, text)) in (0u32..).zip(&texts) {
            let all = cut_words(&pages.new[document as usize].1).len() as u64;
            let gone = gone.get(&DocIdx::new(document)).copied().unwrap_or(0);
            prop_assert_eq!(text.is_none(), all > 0 && gone == all);
        }
        prop_assert_eq!(totals.words, gone.values().sum::<u64>());
        let whole = texts.iter().filter(|(_, text)| text.is_none()).count();
        prop_assert_eq!(totals.removed, whole as u64);
    }

    /// Where every sentence is as long as a passage and is repeated word for word, each stays
    /// once, and nothing is left for a second time. (Shorter ones may be neighbours only when
    /// something between them went.)
    #[test]
    fn the_second_time_nothing_goes(made in long_sentences()) {
        let all: Vec<String> = (0..9).map(|at| sentence(&format!("s{at}x"), 40)).collect();
        let made = made.into_iter().enumerate().map(|(at, chosen)| {
            let own = sentence(&format!("own{at}x"), 40);
            let parts = chosen.into_iter().map(|one| all[one].clone());
            (format!("d{at}"), own + &parts.collect::<String>())
        });
        let pages = Pages { old: Vec::new(), new: made.collect() };
        let config = config(1, 1 << 30);
        let (left, ..) = cut(&pages, &config, KeepOrder::First);
        for one in &all {
            let have = |(_, text): &&(String, Option<String>)| {
                text.as_ref().is_some_and(|text| text.contains(one.as_str()))
            };
            let before = pages.new.iter().any(|(_, text)| text.contains(one.as_str()));
            prop_assert_eq!(left.iter().filter(have).count(), usize::from(before));
        }
        let new = left.into_iter().map(|(id, text)| (id, text.unwrap()));
        let again = Pages { old: Vec::new(), new: new.collect() };
        let (_, rows, _) = cut(&again, &config, KeepOrder::First);
        prop_assert!(rows.is_empty());
    }
}

fn cut_words(text: &str) -> Vec<u32> {
    let mut cut = crate::passage::CutText::default();
    crate::passage::TextCutter::default().cut(text, &mut cut);
    cut.words
}
