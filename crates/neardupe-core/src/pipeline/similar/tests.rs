use super::*;
use crate::document::{MemoryDocument, MemorySource, Silent};
use crate::feature::{FeatureKind, FeatureSpec};
use crate::pipeline::compare::Overlap;
use crate::pipeline::{FindConfig, find_in};
use crate::similarity::Similarity;
use crate::store::{JobIdentity, WorkDir};
use crate::text::WordOptions;
use proptest::prelude::*;
use std::cmp::Ordering;

/// Documents without an id get one that repeats.
struct Pages(Vec<(Option<&'static str>, String)>);

impl Pages {
    /// Two files of one name, a part each.
    fn source(&self) -> MemorySource<Vec<MemoryDocument<'_>>> {
        let (left, right) = self.0.split_at(self.0.len() / 2);
        let rows = |pages: &'_ [(Option<&'static str>, String)]| {
            let document =
                |(id, text): &'_ (Option<&'static str>, String)| MemoryDocument {
                    id: id.map(Into::into),
                    text: text.clone().into(),
                    ..MemoryDocument::default()
                };
            pages.iter().map(document).collect()
        };
        MemorySource::new("pages", rows(left))
            .and("pages", rows(right))
            .shared_by(1 << 20, 1)
    }
}

fn config(threshold: &str, similarity: Similarity, top: Option<usize>) -> SimilarConfig {
    SimilarConfig {
        key: crate::hash::HashKey::PUBLIC,
        similarity,
        threshold: threshold.parse().unwrap(),
        features: FeatureKind::Words(1),
        words: WordOptions::default(),
        seed: 0,
        threads: 1,
        top,
    }
}

/// Every document compared with the query, ids as `find` gives them.
fn brute_force(
    pages: &Pages,
    query: &str,
    config: &SimilarConfig,
) -> Vec<(String, Overlap)> {
    let folder = tempfile::tempdir().unwrap();
    let find_config = FindConfig::new(folder.path().join("work"));
    let work = WorkDir::new(find_config.work_dir.clone());
    let result = find_in(&pages.source(), &find_config, &work, &Silent).unwrap();
    let mut hits = Vec::new();
    for (number, (_, text)) in result.documents.all().zip(&pages.0) {
        let overlap =
            Overlap::of_texts(query, text, config.features, &config.words, config.seed);
        let (part, whole) = overlap.ratio(config.similarity).parts();
        let (p, q) = config.threshold.ratio().parts();
        if part * q >= p * whole && part > 0 {
            hits.push((result.documents.id(number).unwrap().into_owned(), overlap));
        }
    }
    hits
}

fn better(similarity: Similarity, left: &Overlap, right: &Overlap) -> Ordering {
    let by = |similarity| right.ratio(similarity).compare(left.ratio(similarity));
    by(similarity).then_with(|| by(Similarity::Resemblance))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn finds_what_comparing_all_finds_with_the_ids_of_find(
        pages in prop::collection::vec(
            (
                prop::sample::select(vec![
                    None, None, Some("a"), Some("a#2"), Some("b"), Some("pages:1"),
                ]),
                "([a-f] ){0,8}",
            ),
            0..14,
        ),
        query in "[a-f]( [a-f]){0,6}",
        threshold in prop::sample::select(vec!["0.2", "0.5", "0.8", "1"]),
        similarity in prop::sample::select(vec![
            Similarity::Resemblance, Similarity::Containment, Similarity::S3,
        ]),
        top in prop::sample::select(vec![None, Some(1), Some(3)]),
    ) {
        let pages = Pages(pages);
        let mut config = config(threshold, similarity, top);
        let expected = brute_force(&pages, &query, &config);
        let question = Query::new(&query, &config).unwrap();
        let one = similar(&pages.source(), &question, &config, &Silent).unwrap();
        prop_assert_eq!(one.num_hits, expected.len() as u64);
        prop_assert_eq!(one.num_documents, pages.0.len() as u64);
        let most = top.unwrap_or(usize::MAX).min(expected.len());
        prop_assert_eq!(one.hits.len(), most);
        for hit in &one.hits {
            let same = expected.iter().find(|(id, _)| *id == hit.id);
            let (_, overlap) = same.expect("an id of find");
            prop_assert_eq!(overlap.overlap, hit.overlap);
            prop_assert_eq!(overlap.right_size, hit.size);
        }
        // The best ones, the best first.
        let mut sorted: Vec<Overlap> = expected.iter().map(|(_, overlap)| *overlap).collect();
        sorted.sort_by(|left, right| better(similarity, left, right));
        for (hit, expected) in one.hits.iter().zip(&sorted) {
            let ratio = similarity.ratio(hit.overlap, one.query_size, hit.size);
            prop_assert_eq!(ratio.to_string(), expected.decimals(similarity));
        }
        config.threads = 3;
        let three = similar(&pages.source(), &question, &config, &Silent).unwrap();
        prop_assert_eq!(&one, &three);
        prop_assert_eq!(&one, &in_kept_work(&pages, &query, &config));
    }
}

/// The same from the features that a job has kept.
fn in_kept_work(pages: &Pages, text: &str, config: &SimilarConfig) -> SimilarResult {
    let folder = tempfile::tempdir().unwrap();
    let mut find_config = FindConfig {
        features: config.features,
        ..FindConfig::new(folder.path().join("work"))
    };
    find_config.budget.checkpoint = true;
    find_config.budget.keep_features = true;
    let (work, _) =
        WorkDir::begin(find_config.work_dir.clone(), JobIdentity::default()).unwrap();
    find_in(&pages.source(), &find_config, &work, &Silent).unwrap();
    let specification = FeatureSpec::new(config.features, &config.words, config.seed);
    let kept = KeptWork::new(&specification, pages.source().file_names(), true).unwrap();
    kept.write(&work).unwrap();
    work.keep().unwrap();
    let open = || {
        WorkDir::open_kept(find_config.work_dir.clone())
            .unwrap()
            .unwrap()
    };
    let (work, _second_reader) = (open(), open());
    let kept = KeptWork::read(&work).unwrap().unwrap();
    kept.check(&specification, &work).unwrap();
    let other = FeatureSpec::new(FeatureKind::Terms, &config.words, config.seed);
    let message = kept.check(&other, &work).unwrap_err().to_string();
    assert!(message.contains("for features"), "{message}");
    let budget = find_config.budget;
    let config = SimilarConfig {
        key: work.key(),
        words: WordOptions {
            key: kept.feature_key(&work),
            ..config.words.clone()
        },
        ..config.clone()
    };
    let query = Query::new(text, &config).unwrap();
    similar_in(&work, &kept, &query, &config, &budget, &Silent).unwrap()
}

#[test]
fn an_empty_query_is_refused() {
    let config = config("0.5", Similarity::Resemblance, None);
    assert_eq!(Query::new(" ... ", &config).unwrap().size(), 1);
    let message = Query::new("", &config).unwrap_err().to_string();
    assert_eq!(message, "the query: is empty, so nothing is similar to it");
}
