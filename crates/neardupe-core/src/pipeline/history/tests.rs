use super::*;
use crate::document::{MemoryDocument, MemorySource, Silent};
use crate::feature::{FeatureKind, FeatureSpec};
use crate::frequency::{DfTable, FeatureSpecText};
use crate::signature::Idf;
use crate::text::WordOptions;
use proptest::prelude::*;

/// Records of an id, a date and a text.
#[derive(Debug, Clone)]
struct Pages(Vec<(Option<&'static str>, Option<String>, String)>);

impl Pages {
    fn source(&self) -> MemorySource<Vec<MemoryDocument<'_>>> {
        let rows = self.0.iter().map(|(id, date, text)| MemoryDocument {
            id: id.map(Into::into),
            text: text.into(),
            metadata: std::slice::from_ref(date).into(),
        });
        MemorySource::new("pages", rows.collect()).shared_by(1, 1 << 20)
    }
}

fn config(threads: usize, dated: bool) -> HistoryConfig {
    let words = WordOptions::default();
    let specification = FeatureSpec::new(FeatureKind::Terms, &words, 0);
    let specification = FeatureSpecText::from(&specification);
    let df = DfTable::from_counts(specification, 0, 1, std::iter::empty());
    let mut budget = Budget::new(256 << 20, threads);
    // The fewest rows that a sorter can be asked to hold: nearly everything spills.
    budget.rows = 0;
    HistoryConfig {
        codes: Arc::new(CodeSpec {
            features: FeatureKind::Terms,
            words,
            seed: 0,
            variant: "original".parse().unwrap(),
            idf: Idf::None,
            reserve: None,
            fields: vec!["date".to_owned()],
            num_features: 0,
            df: Arc::new(df),
            of_hosts: None,
            anchors: None,
        }),
        ids: IdField::Given,
        date: dated.then(|| ("date".to_owned(), 0)),
        factors: Factors::default(),
        all: true,
        store: true,
        threads,
        budget,
    }
}

/// Everything that comes out.
#[derive(Debug, PartialEq, Eq)]
struct HistoryOutcome {
    counts: HistoryCounts,
    comparisons: Vec<Comparison>,
    ids: Vec<Followed>,
    stored: Vec<StoredVersion>,
    bad: Vec<(u64, String)>,
}

fn run(
    pages: &Pages,
    stored: &[StoredVersion],
    config: &HistoryConfig,
) -> HistoryOutcome {
    let folder = tempfile::tempdir().unwrap();
    let work = WorkDir::new(folder.path().join("work"));
    let mut stored = stored.iter().cloned().map(Ok);
    let result = history(&pages.source(), &mut stored, config, &work, &Silent).unwrap();
    let mut outcome = HistoryOutcome {
        counts: result.counts,
        comparisons: Vec::new(),
        ids: Vec::new(),
        stored: Vec::new(),
        bad: Vec::new(),
    };
    let (comparisons, ids) = (&mut outcome.comparisons, &mut outcome.ids);
    let keep = |one: &Comparison| {
        comparisons.push(one.clone());
        Ok(())
    };
    result.for_each_comparison(keep).unwrap();
    let keep = |one: &Followed| {
        ids.push(one.clone());
        Ok(())
    };
    result.for_each_id(None, keep).unwrap();
    let keep = |one: &StoredVersion| {
        outcome.stored.push(one.clone());
        Ok(())
    };
    result.for_each_stored(keep).unwrap();
    let bad = result.bad_sample.into_iter();
    outcome.bad = bad.map(|bad| (bad.number, bad.detail)).collect();
    outcome
}

const WORDS: &str = "the walls of the old harbour are of grey stone and ships from the north \
                     took their water and bread there before the long way round the cape";

fn page(
    id: &'static str,
    date: &str,
    text: &str,
) -> (Option<&'static str>, Option<String>, String) {
    (Some(id), Some(date.to_owned()), text.to_owned())
}

#[test]
fn versions_are_compared_in_the_order_of_their_dates() {
    let other = "a quite different page about trains stations tickets timetables signals \
                 bridges tunnels and the men who build them";
    let pages = Pages(vec![
        page("a", "2024-01-08", &format!("{WORDS}!")),
        page("b", "2024-01-01", WORDS),
        page("a", "2024-01-01", WORDS),
        page("a", "2024-01-22", other),
        page("a", "2024-01-15", &format!("{WORDS}!")),
    ]);
    let outcome = run(&pages, &[], &config(2, true));
    let statuses: Vec<Status> =
        outcome.comparisons.iter().map(|one| one.status).collect();
    use Status::{Changed, NoSignificantChange, Untouched};
    assert_eq!(statuses, [NoSignificantChange, Untouched, Changed]);
    let last = outcome.comparisons.last().unwrap();
    assert!(last.distance > 10, "{last:?}");
    assert_eq!(last.date, Date::parse("2024-01-22"));
    assert_eq!(last.before, Date::parse("2024-01-15"));
    let [new, followed] = &outcome.ids[..] else {
        panic!("{:?}", outcome.ids)
    };
    assert_eq!(
        (new.id.as_str(), new.status, new.priority),
        ("b", Status::New, PRIORITY_PARTS)
    );
    assert_eq!((new.distance, new.interval), (None, None));
    assert_eq!((followed.id.as_str(), followed.num_versions), ("a", 4));
    assert_eq!(followed.priority, 1 + u64::from(last.distance));
    assert_eq!(followed.suggestion, Suggestion::Same);
    assert_eq!(followed.interval, Some(7 * 86_400_000_000));
}

#[test]
fn without_dates_the_order_of_the_input_counts() {
    let dateless = |text: &str| (Some("a"), None, text.to_owned());
    let pages = Pages(vec![dateless(WORDS), dateless(WORDS), dateless("...")]);
    let outcome = run(&pages, &[], &config(2, false));
    let statuses = outcome
        .comparisons
        .iter()
        .map(|one| (one.status, one.distance));
    let statuses: Vec<_> = statuses.collect();
    assert_eq!(statuses, [(Status::Untouched, 0), (Status::Changed, 64)]);
    assert_eq!(outcome.counts.repeated, 0);
    assert_eq!((outcome.ids[0].date, outcome.ids[0].interval), (None, None));
}

#[test]
fn what_has_no_id_or_no_date_is_a_bad_record() {
    let mut pages = vec![
        page("a", "2024-01-01", WORDS),
        page("a", "last week", WORDS),
        page("a", "2024-01-02", WORDS),
    ];
    pages.push((None, Some("2024-01-01".to_owned()), WORDS.to_owned()));
    pages.push((Some("a"), None, WORDS.to_owned()));
    let outcome = run(&Pages(pages), &[], &config(3, true));
    assert_eq!((outcome.counts.read, outcome.counts.versions), (2, 2));
    let expected = [
        (2, "the field \"date\" is not a date: \"last week\""),
        (4, "no id: it is what versions of a document have in common"),
        (5, "no date in the field \"date\""),
    ];
    let bad: Vec<(u64, &str)> = outcome
        .bad
        .iter()
        .map(|(at, why)| (*at, why.as_str()))
        .collect();
    assert_eq!(bad, expected);
}

#[test]
fn the_address_counts_in_archives_and_the_id_elsewhere() {
    let ids = IdField::AddressInArchives { mark: 0, url: 1 };
    let some = |text: &str| Some(text.to_owned());
    let of = |id, metadata: [Option<String>; 2]| {
        let record = Record {
            id,
            metadata: &metadata,
            ..Record::default()
        };
        ids.of(&record).map(str::to_owned)
    };
    assert_eq!(
        of(Some("urn:1"), [some("<http://a>"), some("http://a")]),
        some("http://a")
    );
    assert_eq!(of(Some("7"), [None, some("http://a")]), some("7"));
    assert_eq!(of(None, [None, some("http://a")]), some("http://a"));
    assert_eq!(of(None, [None, None]), None);
}

#[test]
fn more_versions_than_are_stored_leave_the_newest() {
    let mut pages = Vec::new();
    for day in 1..=14 {
        pages.push(page(
            "a",
            &format!("2024-01-{day:02}"),
            &format!("{WORDS} {day}"),
        ));
    }
    let outcome = run(&Pages(pages), &[], &config(1, true));
    assert_eq!(outcome.stored.len(), STORED_VERSIONS);
    assert_eq!(
        outcome.stored.first().map(|one| one.date),
        Date::parse("2024-01-05")
    );
    assert_eq!(outcome.ids[0].num_versions, 14);
}

/// Some ids, some dates with repetitions, some texts; few of each, so that they meet.
fn some_pages() -> impl Strategy<Value = Pages> {
    let id = prop::sample::select(vec!["a", "b", "http://host/one", "http://host/two"]);
    let text = (0..5usize, 0..3usize).prop_map(|(cut, signs)| {
        let words: Vec<&str> = WORDS.split(' ').skip(cut * 6).collect();
        words.join(" ") + &"!".repeat(signs)
    });
    let one = (id, text).prop_map(|(id, text)| (Some(id), None, text));
    prop::collection::vec(one, 0..60).prop_map(|mut pages| {
        // Each its own day, so that the order of the input decides nothing.
        for (day, page) in (0i64..).zip(&mut pages) {
            page.1 = Some((1_700_000_000 + day * 86_400).to_string());
        }
        Pages(pages)
    })
}

/// The definition, without rows and logs.
fn slow(pages: &Pages) -> Vec<(String, Date, Status)> {
    let mut ids: BTreeMap<&str, Vec<(Date, &str)>> = BTreeMap::new();
    for (id, date, text) in &pages.0 {
        let date = Date::parse(date.as_ref().unwrap()).unwrap();
        ids.entry(id.unwrap()).or_default().push((date, text));
    }
    let mut outcome = Vec::new();
    for (id, mut versions) in ids {
        versions.sort_unstable();
        for pair in versions.windows(2) {
            let words = |text: &str| text.trim_end_matches('!').to_owned();
            let status = match (pair[0].1, pair[1].1) {
                (before, after) if before == after => Status::Untouched,
                (before, after) if words(before) == words(after) => {
                    Status::NoSignificantChange
                }
                _ => Status::Changed,
            };
            outcome.push((id.to_owned(), pair[1].0, status));
        }
    }
    outcome
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nothing_depends_on_the_order_of_the_input_or_on_threads(
        (pages, shuffled) in some_pages().prop_flat_map(|pages| {
            let shuffled = Just(pages.0.clone()).prop_shuffle().prop_map(Pages);
            (Just(pages), shuffled)
        }),
        threads in 1..4usize,
    ) {
        let outcome = run(&pages, &[], &config(1, true));
        prop_assert_eq!(&run(&shuffled, &[], &config(threads, true)), &outcome);
        let statuses = outcome.comparisons.iter();
        let statuses = statuses.map(|one| (one.id.clone(), one.date.unwrap(), one.status));
        prop_assert_eq!(statuses.collect::<Vec<_>>(), slow(&pages));
        let counts = outcome.counts;
        prop_assert_eq!(counts.versions, pages.0.len() as u64);
        prop_assert_eq!(counts.comparisons.iter().sum::<u64>(), counts.versions - counts.ids);
        let listed = counts.new + counts.suggestions.iter().sum::<u64>();
        prop_assert_eq!(listed, counts.ids);
        prop_assert!(outcome.ids.is_sorted_by(|one, next| one.priority >= next.priority));
    }

    #[test]
    fn day_by_day_with_a_store_is_all_at_once(pages in some_pages(), cut in 0..60usize) {
        let cut = cut.min(pages.0.len());
        let whole = run(&pages, &[], &config(2, true));
        let first = run(&Pages(pages.0[..cut].to_vec()), &[], &config(2, true));
        // The second day has some of the first again.
        let rest = Pages(pages.0[cut / 2..].to_vec());
        let second = run(&rest, &first.stored, &config(2, true));
        prop_assert_eq!(&second.stored, &whole.stored);
        for id in &second.ids {
            let at_once = whole.ids.iter().find(|one| one.id == id.id).unwrap();
            prop_assert_eq!((id.status, id.distance), (at_once.status, at_once.distance));
            prop_assert_eq!(id.suggestion, at_once.suggestion);
            prop_assert_eq!(id.interval, at_once.interval);
        }
        // And a third time changes nothing.
        let again = run(&rest, &second.stored, &config(1, true));
        prop_assert_eq!(&again.stored, &second.stored);
    }
}
