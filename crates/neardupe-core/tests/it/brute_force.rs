//! The join and all ways to cluster give exactly what brute force gives: for every
//! threshold, every combination of filters and every rule of what is kept.

use crate::common::{
    Answer, Brute, TestDocument, WORDLESS, answer, config, in_memory, run, tiny_budget,
};
use neardupe_core::candidate::filter::Filters;
use neardupe_core::document::Silent;
use neardupe_core::feature::{GroupRatio, SamplingPlan};
use neardupe_core::pipeline::codes::{CodePlan, DfSource, LexiconPlan, Reading};
use neardupe_core::pipeline::{
    Against, ClusterMode, FindConfig, Hamming, Method, PairsMode,
};
use neardupe_core::signature::Reserve;
use neardupe_core::similarity::Similarity;
use neardupe_core::store::{Budget, WorkDir};
use neardupe_core::threshold::Threshold;
use proptest::prelude::*;
use std::sync::Arc;

const THRESHOLDS: [&str; 5] = ["0.3", "0.5", "0.8", "0.95", "1.0"];
const KEEPS: [&str; 9] = [
    "longest",
    "shortest",
    "shortest:value",
    "newest:value",
    "oldest:value",
    "highest:value",
    "lowest:value",
    "prefer:value=1997",
    "first",
];
const MODES: [ClusterMode; 4] = [
    ClusterMode::Star,
    ClusterMode::Components,
    ClusterMode::Neighbors,
    ClusterMode::None,
];

fn filters(bits: u8) -> Filters {
    Filters {
        length: bits & 1 != 0,
        prefix: bits & 2 != 0,
        position: bits & 4 != 0,
        bitmap: bits & 8 != 0,
        ..Filters::default()
    }
}

fn document(number: usize, words: Vec<u32>, value: u32) -> TestDocument {
    // Ids in another order than the input.
    let id = format!("d{}", (number * 7919 + 13) % 10007);
    // A year is a number and a date, whatever its length.
    let value = match value {
        value if value.is_multiple_of(5) => None,
        value if value.is_multiple_of(3) => Some(format!("{}.00", 1990 + value)),
        value => Some((1990 + value).to_string()),
    };
    TestDocument {
        id,
        words,
        value,
        old: false,
    }
}

fn expected(documents: &[TestDocument], config: &FindConfig) -> Answer {
    let all = match config.pairs {
        PairsMode::All => true,
        PairsMode::Evidence => config.cluster == ClusterMode::Neighbors,
        PairsMode::None => false,
    };
    Brute::new(documents, config).answer(config.cluster, &config.keep, all)
}

/// Samples by rules with spaces between them.
fn sampled(config: &mut FindConfig, rules: &str) {
    let group = |(min_words, max_words, ratio)| GroupRatio {
        min_words,
        max_words,
        ratio,
    };
    for rule in rules.split(' ') {
        let groups = match rule {
            "adaptive" => vec![(0, Some(8), 1), (8, Some(25), 2), (25, None, 4)],
            "adaptive-otherwise" => vec![(3, Some(20), 4), (25, Some(31), 2)],
            rule => {
                config.sampling = config.sampling.clone().and(rule).unwrap();
                continue;
            }
        };
        let groups = groups.into_iter().map(group).collect();
        config.sampling.adaptive = Some(Arc::new(SamplingPlan::new(groups).unwrap()));
        config.similarity = match config.similarity {
            Similarity::Containment => Similarity::Resemblance,
            similarity => similarity,
        };
    }
    if let Some(most) = config.sampling.smallest {
        config.similarity = Similarity::Estimate(most);
    }
}

/// A small deterministic source of numbers for the fixed collections.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        u32::try_from((self.0 >> 33) % u64::from(limit)).unwrap()
    }
}

/// Collections built to sit on the borders: sets of one base with words replaced, nested
/// sets, templates, copies, sets of one word, texts without words.
fn adversarial() -> Vec<(&'static str, Vec<TestDocument>)> {
    let mut numbers = Numbers(1);
    let mut fresh = 100_000;
    let mut collections = Vec::new();

    let edited = (0..40).map(|at| {
        let mut words: Vec<u32> = (0..40).collect();
        for _ in 0..at % 10 {
            let place = numbers.below(40) as usize;
            fresh += 1;
            words[place] = if numbers.below(3) == 0 {
                numbers.below(60)
            } else {
                fresh
            };
        }
        document(at, words, numbers.below(12))
    });
    collections.push(("edited copies of one base", edited.collect::<Vec<_>>()));

    let nested = (0..40usize).map(|at| {
        let words = (0..=u32::try_from(at).unwrap()).collect();
        document(at, words, numbers.below(12))
    });
    collections.push(("nested sets", nested.collect()));

    let template = (0..30usize).map(|at| {
        let own = u32::try_from(at).unwrap() * 100 + 5000;
        let words = (0..35).chain(own..own + 5 + numbers.below(4)).collect();
        document(at, words, numbers.below(12))
    });
    collections.push(("a template with little of its own", template.collect()));

    let copies = (0..40usize).map(|at| {
        let base = u32::try_from(at % 4).unwrap() * 3;
        let mut words: Vec<u32> = (base..base + 20).collect();
        if at % 3 == 0 {
            words.rotate_left(at % 7);
        }
        document(at, words, numbers.below(12))
    });
    collections.push(("copies and equal sets", copies.collect()));

    let tiny = (0..30usize).map(|at| {
        let len = numbers.below(4);
        let words = (0..len).map(|_| numbers.below(4)).collect();
        document(at, words, numbers.below(12))
    });
    collections.push(("tiny and empty documents", tiny.collect()));

    let wordless = (0..30usize).map(|at| {
        let words = match numbers.below(4) {
            0 => Vec::new(),
            1 => vec![numbers.below(2)],
            _ => vec![WORDLESS + numbers.below(3)],
        };
        document(at, words, numbers.below(12))
    });
    collections.push(("texts without a word", wordless.collect()));

    collections
}

#[test]
fn every_threshold_filter_mode_and_rule_on_adversarial_collections() {
    let mut checked = 0;
    for (name, documents) in adversarial() {
        for threshold in THRESHOLDS {
            for bits in 0..16 {
                for mode in MODES {
                    for keep in KEEPS {
                        if mode != ClusterMode::Star && keep != "longest" && bits != 15 {
                            continue;
                        }
                        let mut config = config(threshold);
                        config.filters = filters(bits);
                        config.cluster = mode;
                        config.keep = keep.parse().unwrap();
                        config.threads = 1;
                        config.batch_len = 7;
                        config.long_list = 2;
                        config.shared_list = usize::from(bits % 2) * 100;
                        config.pairs = match mode {
                            ClusterMode::None | ClusterMode::Neighbors => PairsMode::All,
                            _ => PairsMode::Evidence,
                        };
                        let found = answer(&run(&documents, &config));
                        let context =
                            format!("{name}, {threshold}, {bits:04b}, {mode}, {keep}");
                        assert_eq!(found, expected(&documents, &config), "{context}");
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 3000, "{checked}");
}

/// Adaptive sampling leaves documents of different sizes with different shares of their features:
/// pairs across groups are found too, and are those of the definition.
#[test]
fn pairs_of_different_groups_are_found() {
    let mut documents = Vec::new();
    for (number, base) in (0..40u32).map(|at| at * 50).enumerate() {
        documents.push(document(number * 2, (base..base + 30).collect(), 0));
        documents.push(document(number * 2 + 1, (base..base + 24).collect(), 0));
    }
    let mut config = config("0.6");
    config.cluster = ClusterMode::None;
    config.pairs = PairsMode::All;
    sampled(&mut config, "adaptive");
    let found = answer(&run(&documents, &config));
    assert_eq!(found, expected(&documents, &config));
    assert!((20..=40).contains(&found.pairs.len()), "{found:?}");
    let all = run(&documents, &config);
    let mut smaller = 0;
    all.for_each_pair(|pair| {
        let own = [pair.left, pair.right].map(|it| all.documents.size(it));
        smaller += u32::from(own != [pair.left_size, pair.right_size]);
        Ok(())
    })
    .unwrap();
    assert!(smaller > 10, "of {smaller} pairs one side was thinned");
}

fn collection() -> impl Strategy<Value = Vec<TestDocument>> {
    let words = prop_oneof![
        prop::collection::vec(0u32..12, 0..14),
        prop::collection::vec(0u32..40, 0..40),
        (
            0u32..3,
            prop::collection::vec((0usize..30, 0u32..400), 0..6)
        )
            .prop_map(|(base, edits)| {
                let mut words: Vec<u32> = (base * 20..base * 20 + 30).collect();
                for (place, word) in edits {
                    words[place] = word;
                }
                words
            }),
        (0u32..4).prop_map(|length| vec![WORDLESS + length]),
    ];
    let documents = prop::collection::vec((words, 0u32..12), 0..60);
    documents.prop_map(|documents| {
        let numbered = documents.into_iter().enumerate();
        numbered
            .map(|(at, (words, value))| document(at, words, value))
            .collect()
    })
}

/// Further copies of some documents: equal texts, and in other order equal features.
fn with_copies(
    mut documents: Vec<TestDocument>,
    copies: &[(prop::sample::Index, usize)],
) -> Vec<TestDocument> {
    let originals = documents.len();
    for (of, times) in copies.iter().filter(|_| originals > 0) {
        let original = documents[of.index(originals)].clone();
        for time in 0..*times {
            let number = documents.len();
            let mut copy = document(number, original.words.clone(), 0);
            copy.value = original.value.clone();
            if time % 3 == 2 {
                copy.words.reverse();
            }
            documents.push(copy);
        }
    }
    documents
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn random_collections(
        documents in collection(),
        threshold in prop::sample::select(&THRESHOLDS[..]),
        bits in 0u8..16,
        mode in prop::sample::select(&MODES[..]),
        keep in prop::sample::select(&KEEPS[..]),
        all in any::<bool>(),
        threads in prop::sample::select(&[1usize, 2, 7][..]),
        batch_len in prop::sample::select(&[1usize, 2, 5, 1000][..]),
        long_list in prop::sample::select(&[1u32, 2, 64][..]),
        shared_list in prop::sample::select(&[0usize, 2, 512][..]),
        bounded in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut config = config(threshold);
        config.filters = filters(bits);
        config.cluster = mode;
        config.keep = keep.parse().unwrap();
        config.threads = threads;
        config.batch_len = batch_len;
        config.long_list = long_list;
        config.shared_list = shared_list;
        config.work_dir = folder.path().join("work");
        if bounded {
            config.budget = tiny_budget();
        }
        let needs_all = matches!(mode, ClusterMode::None | ClusterMode::Neighbors);
        config.pairs = if all || needs_all { PairsMode::All } else { PairsMode::Evidence };
        let found = answer(&run(&documents, &config));
        prop_assert_eq!(found, expected(&documents, &config));
    }

    #[test]
    fn every_similarity_sample_block_and_side(
        documents in collection(),
        threshold in prop::sample::select(&["0.3", "0.5", "0.8", "1.0"][..]),
        similarity in prop::sample::select(&["containment", "s3", "resemblance"][..]),
        bits in 0u8..16,
        mode in prop::sample::select(&MODES[..]),
        keep in prop::sample::select(&KEEPS[..]),
        sample in prop::sample::select(
            &["none", "none", "mod:2", "mod:3,1", "commonality:3", "commonality:9",
              "winnow:2", "winnow:5 mod:2", "winnow:3 commonality:4", "smallest:3",
              "smallest:8", "smallest:20", "mod:2 smallest:6", "smallest:10 commonality:5",
              "winnow:2 mod:2 smallest:4 commonality:3", "adaptive", "adaptive",
              "adaptive-otherwise", "winnow:2 adaptive"][..]
        ),
        keep_exact in any::<bool>(),
        copies in prop::collection::vec((any::<prop::sample::Index>(), 1usize..7), 0..6),
        min_overlap in prop::sample::select(&[0u32, 0, 1, 2, 5, 12][..]),
        blocks in prop::sample::select(&[false, false, true][..]),
        num_old in prop::option::of(0usize..60),
        within in any::<bool>(),
        remove_containing in any::<bool>(),
        all in any::<bool>(),
        threads in prop::sample::select(&[1usize, 3][..]),
        batch_len in prop::sample::select(&[1usize, 5, 1000][..]),
        long_list in prop::sample::select(&[1u32, 64][..]),
        shared_list in prop::sample::select(&[0usize, 512][..]),
        bounded in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut documents = with_copies(documents, &copies);
        let mut config = config(threshold);
        config.similarity = similarity.parse().unwrap();
        config.filters = filters(bits);
        config.cluster = mode;
        config.keep = keep.parse().unwrap();
        sampled(&mut config, sample);
        config.keep_exact = keep_exact && config.sampling.commonality.is_some();
        config.min_overlap = min_overlap;
        config.block_by = blocks.then(|| "value".to_owned());
        if let Some(num_old) = num_old && mode != ClusterMode::Components {
            for (number, document) in documents.iter_mut().enumerate() {
                document.old = number < num_old;
            }
            config.against = Some(Against { within, remove_containing });
        }
        config.threads = threads;
        config.batch_len = batch_len;
        config.long_list = long_list;
        config.shared_list = shared_list;
        config.work_dir = folder.path().join("work");
        if bounded {
            config.budget = tiny_budget();
        }
        let needs_all = matches!(mode, ClusterMode::None | ClusterMode::Neighbors);
        config.pairs = if all || needs_all { PairsMode::All } else { PairsMode::Evidence };
        let found = answer(&run(&documents, &config));
        prop_assert_eq!(found, expected(&documents, &config));
    }

    /// An approximate method compares exactly the pairs whose signatures agree, and is exact
    /// about these.
    #[test]
    fn minhash_is_brute_force_over_pairs_that_share_a_key(
        documents in collection(),
        threshold in prop::sample::select(&["0.3", "0.5", "0.8", "1.0"][..]),
        similarity in prop::sample::select(&["s3", "resemblance"][..]),
        sample in prop::sample::select(
            &["none", "none", "mod:2", "winnow:3", "smallest:6", "mod:2 smallest:3"][..]
        ),
        min_overlap in prop::sample::select(&[0u32, 0, 2, 9][..]),
        bands in prop::sample::select(&["1x1", "2x2", "8x2", "3x4", "supershingles"][..]),
        seed in 0u64..3,
        bits in 0u8..16,
        mode in prop::sample::select(&MODES[..]),
        keep in prop::sample::select(&KEEPS[..]),
        num_old in prop::option::of(0usize..60),
        within in any::<bool>(),
        all in any::<bool>(),
        threads in prop::sample::select(&[1usize, 3][..]),
        batch_len in prop::sample::select(&[1usize, 5, 1000][..]),
        long_list in prop::sample::select(&[1u32, 64][..]),
        shared_list in prop::sample::select(&[0usize, 512][..]),
        bounded in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut documents = documents;
        let mut config = config(threshold);
        config.similarity = similarity.parse().unwrap();
        config.method = Method::MinHash(bands.parse().unwrap());
        sampled(&mut config, sample);
        config.min_overlap = min_overlap;
        config.seed = seed;
        config.filters = filters(bits);
        config.cluster = mode;
        config.keep = keep.parse().unwrap();
        if let Some(num_old) = num_old && mode != ClusterMode::Components {
            for (number, document) in documents.iter_mut().enumerate() {
                document.old = number < num_old;
            }
            let remove_containing = false;
            config.against = Some(Against { within, remove_containing });
        }
        config.threads = threads;
        config.batch_len = batch_len;
        config.long_list = long_list;
        config.shared_list = shared_list;
        config.work_dir = folder.path().join("work");
        if bounded {
            config.budget = tiny_budget();
        }
        let needs_all = matches!(mode, ClusterMode::None | ClusterMode::Neighbors);
        config.pairs = if all || needs_all { PairsMode::All } else { PairsMode::Evidence };
        let found = answer(&run(&documents, &config));
        prop_assert_eq!(found, expected(&documents, &config));
    }

    /// Codes within the distance, and with verification similar too.
    #[test]
    fn simhash_is_brute_force_over_near_codes(
        documents in collection(),
        threshold in prop::sample::select(&["0.3", "0.5", "0.8", "1.0"][..]),
        distance in prop::sample::select(&[0u32, 1, 3, 6, 12, 32][..]),
        verified in any::<bool>(),
        variant in prop::sample::select(
            &["original", "metadata", "metadata:flip", "numeric:value", "position", "top:3"][..]
        ),
        idf in prop::sample::select(&["none", "log", "inverse"][..]),
        reserved in prop::option::of(1u32..9),
        mode in prop::sample::select(&MODES[..]),
        keep in prop::sample::select(&KEEPS[..]),
        block in any::<bool>(),
        num_old in prop::option::of(0usize..60),
        within in any::<bool>(),
        all in any::<bool>(),
        threads in prop::sample::select(&[1usize, 3][..]),
        bounded in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut documents = documents;
        let mut config = config(threshold);
        config.method = Method::Simhash(Hamming { distance, verified });
        if !verified {
            config.similarity = "s3".parse().unwrap();
            config.threshold = Threshold::new(u64::from(64 - distance), 64).unwrap();
        }
        config.cluster = mode;
        config.keep = keep.parse().unwrap();
        config.block_by = block.then(|| "value".to_owned());
        if let Some(num_old) = num_old && mode != ClusterMode::Components {
            for (number, document) in documents.iter_mut().enumerate() {
                document.old = number < num_old;
            }
            let remove_containing = false;
            config.against = Some(Against { within, remove_containing });
        }
        config.threads = threads;
        config.work_dir = folder.path().join("work");
        if bounded {
            config.budget = tiny_budget();
        }
        let plan = CodePlan {
            features: config.features,
            words: config.words.clone(),
            seed: config.seed,
            variant: variant.parse().unwrap(),
            idf: idf.parse().unwrap(),
            df: DfSource::Collection,
            reserve: reserved.map(|bits| Reserve { field: "value".to_owned(), bits }),
            fields: config.metadata.clone(),
            num_features: 1,
        };
        let source = in_memory(&documents, 1);
        let work = WorkDir::new(folder.path().join("counts"));
        // Counting needs room for a few features at least.
        let budget = Budget { features: 1 << 16, ..config.budget };
        let reading = Reading {
            source: &source,
            threads,
            budget: &budget,
            work: &work,
            progress: &Silent,
        };
        config.codes = Some(Arc::new(plan.specify(reading).unwrap()));
        let needs_all = matches!(mode, ClusterMode::None | ClusterMode::Neighbors);
        config.pairs = if all || needs_all { PairsMode::All } else { PairsMode::Evidence };
        let found = answer(&run(&documents, &config));
        prop_assert_eq!(found, expected(&documents, &config));
    }

    /// Pairs that share a key of I-Match; or with the filter, pairs of the exact join that do.
    #[test]
    fn imatch_is_brute_force_over_pairs_that_share_a_key(
        documents in collection(),
        threshold in prop::sample::select(&["0.3", "0.5", "0.8", "1.0"][..]),
        settings in prop::sample::select(&[
            "imatch:0.0-1.0", "imatch:0.1-0.9,3,0.5", "imatch:0.2-1.0,0", "imatch:0.5-1.0,10,lump"
        ][..]),
        needed in prop::option::of(1u32..4),
        bits in 0u8..16,
        sample in prop::sample::select(&["none", "none", "mod:2"][..]),
        mode in prop::sample::select(&MODES[..]),
        keep in prop::sample::select(&KEEPS[..]),
        block in any::<bool>(),
        num_old in prop::option::of(0usize..60),
        within in any::<bool>(),
        all in any::<bool>(),
        threads in prop::sample::select(&[1usize, 3][..]),
        bounded in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut documents = documents;
        let mut config = config(threshold);
        config.filters = filters(bits);
        match needed {
            None => config.method = Method::IMatch,
            Some(needed) => config.filters.signature = Some(needed),
        }
        config.sampling = sample.parse().unwrap();
        config.cluster = mode;
        config.keep = keep.parse().unwrap();
        config.block_by = block.then(|| "value".to_owned());
        if let Some(num_old) = num_old && mode != ClusterMode::Components {
            for (number, document) in documents.iter_mut().enumerate() {
                document.old = number < num_old;
            }
            let remove_containing = false;
            config.against = Some(Against { within, remove_containing });
        }
        config.threads = threads;
        config.work_dir = folder.path().join("work");
        if bounded {
            config.budget = tiny_budget();
        }
        let plan = LexiconPlan {
            settings: settings.parse().unwrap(),
            words: config.words.clone(),
            seed: config.seed,
            df: DfSource::Collection,
        };
        let source = in_memory(&documents, 1);
        let work = WorkDir::new(folder.path().join("counts"));
        let budget = Budget { features: 1 << 16, ..config.budget };
        let reading = Reading {
            source: &source,
            threads,
            budget: &budget,
            work: &work,
            progress: &Silent,
        };
        config.lexicons = Some(Arc::new(plan.specify(reading).unwrap()));
        let needs_all = matches!(mode, ClusterMode::None | ClusterMode::Neighbors);
        config.pairs = if all || needs_all { PairsMode::All } else { PairsMode::Evidence };
        let found = answer(&run(&documents, &config));
        prop_assert_eq!(found, expected(&documents, &config));
    }

    #[test]
    fn order_and_threads_change_nothing(
        documents in collection(),
        seed in any::<u64>(),
        mode in prop::sample::select(&MODES[..]),
        keep in prop::sample::select(&KEEPS[..6]),
    ) {
        let mut config = config("0.5");
        config.cluster = mode;
        config.keep = keep.parse().unwrap();
        config.threads = 1;
        config.pairs = PairsMode::All;
        let straight = answer(&run(&documents, &config));
        let mut shuffled = documents;
        let mut numbers = Numbers(seed);
        for at in (1..shuffled.len()).rev() {
            let other = numbers.below(u32::try_from(at + 1).unwrap()) as usize;
            shuffled.swap(at, other);
        }
        for threads in [2, 7] {
            config.threads = threads;
            prop_assert_eq!(&answer(&run(&shuffled, &config)), &straight);
        }
    }
}
