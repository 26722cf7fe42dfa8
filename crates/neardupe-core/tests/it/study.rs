//! A study of sampling against its definition, and against jobs with the same samples.

use crate::common::{
    TestDocument, TestSource, answer, config, in_memory, run, tiny_budget,
};
use neardupe_core::document::{
    Origin, PartRead, Progress, Side, Silent, Sink, Source, check_cancelled,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::{Extractor, GroupRatio, Sampling, SamplingPlan};
use neardupe_core::pipeline::study::{
    SamplingResult, SamplingStudy, SizeGroups, Trial, study_sampling,
};
use neardupe_core::pipeline::{FindConfig, PairsMode};
use neardupe_core::store::{JobIdentity, WorkDir};
use neardupe_core::threshold::Threshold;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

const THRESHOLDS: [&str; 3] = ["0.5", "0.6", "0.85"];
const LIMITS: [u32; 2] = [2, 4];

/// Documents of which many are others with a few words changed.
fn documents() -> impl Strategy<Value = Vec<TestDocument>> {
    let words = prop::collection::vec(0u32..40, 0..30);
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0u32..90), 0..5);
    let one = (words, edits);
    let copied = prop::option::weighted(0.7, any::<prop::sample::Index>());
    prop::collection::vec((one, copied), 1..25).prop_map(|made| {
        let mut documents: Vec<TestDocument> = Vec::new();
        for (number, ((words, edits), copied)) in made.into_iter().enumerate() {
            let mut words = match copied {
                Some(of) if number > 0 => documents[of.index(number)].words.clone(),
                _ => words,
            };
            for (at, word) in edits {
                if !words.is_empty() {
                    let at = at.index(words.len());
                    words[at] = word;
                }
            }
            documents.push(TestDocument {
                id: format!("d{number:02}"),
                words,
                value: None,
                old: false,
            });
        }
        documents
    })
}

fn asked(keep_exact: bool) -> SamplingStudy {
    SamplingStudy {
        thresholds: THRESHOLDS.map(|text| text.parse().unwrap()).to_vec(),
        max_divisor: 4,
        groups: SizeGroups::new(&[8, 20]).unwrap(),
        keep_exact,
        commonality: LIMITS.to_vec(),
        max_list: usize::MAX,
        clock: || Duration::ZERO,
    }
}

fn studied(
    documents: &[TestDocument],
    config: &FindConfig,
    asked: &SamplingStudy,
) -> SamplingResult {
    let folder = tempfile::tempdir().unwrap();
    let work = WorkDir::new(folder.path().join("work"));
    let source = in_memory(documents, 2);
    study_sampling(&source, config, asked, &work, &Silent).unwrap()
}

/// A document as the definition has it: its features, and its number of words.
struct Slow {
    features: BTreeSet<u64>,
    num_words: usize,
}

fn slow_documents(documents: &[TestDocument], keep_exact: bool) -> Vec<Slow> {
    let config = config("0.5");
    let mut extractor = Extractor::new(config.features, &config.words, config.seed);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for document in documents {
        let mut features = Vec::new();
        let num_words = extractor.extract(&document.text(), &mut features);
        let features: BTreeSet<u64> = features.into_iter().collect();
        let is_new = seen.insert((features.clone(), num_words));
        if !features.is_empty() && (is_new || keep_exact) {
            all.push(Slow {
                features,
                num_words,
            });
        }
    }
    all
}

/// Overlap and union of two documents in one trial, of features that few enough have.
fn compared(
    one: &Slow,
    other: &Slow,
    trial: Trial,
    common: &BTreeSet<u64>,
) -> (u32, u32) {
    let kept = |slow: &Slow| -> BTreeSet<u64> {
        let of_trial = |&&feature: &&u64| {
            Sampling::remainder(feature, trial.divisor.into())
                == u64::from(trial.remainder)
        };
        slow.features.iter().filter(of_trial).copied().collect()
    };
    let is_equal = (&one.features, one.num_words) == (&other.features, other.num_words);
    if is_equal && common.is_empty() {
        // Equal documents stay equal whatever is kept.
        return (1, 1);
    }
    let (one, other) = (kept(one), kept(other));
    let overlap = one
        .intersection(&other)
        .filter(|one| !common.contains(one))
        .count();
    let union = one.len() + other.len() - overlap;
    (
        u32::try_from(overlap).unwrap(),
        u32::try_from(union).unwrap(),
    )
}

fn reaches(threshold: Threshold, (overlap, union): (u32, u32)) -> bool {
    overlap > 0 && threshold.is_reached(overlap, union)
}

/// Mean difference of two values.
fn error_of(values: &[(f64, f64)]) -> Option<f64> {
    let sum: f64 = values.iter().map(|(one, other)| (one - other).abs()).sum();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// Correlation of two values (equation 3.7 of the waterloo thesis), by deviations from the mean.
fn correlation_of(values: &[(f64, f64)]) -> Option<f64> {
    let count = values.len() as f64;
    let mean =
        |of: &dyn Fn(&(f64, f64)) -> f64| values.iter().map(of).sum::<f64>() / count;
    let (one, other) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let together = mean(&|pair| (pair.0 - one) * (pair.1 - other));
    let spread =
        mean(&|pair| (pair.0 - one).powi(2)) * mean(&|pair| (pair.1 - other).powi(2));
    (spread > 1e-10).then(|| together / spread.sqrt())
}

/// Values are summed up in millionths. Where one is hardly defined, the other need not be.
fn assert_alike(fast: Option<f64>, slow: Option<f64>) {
    if let (Some(fast), Some(slow)) = (fast, slow) {
        assert!((fast - slow).abs() < 1e-3, "{fast} {slow}");
    }
    assert!(fast.is_some() || slow.is_none_or(|slow| slow.is_finite()));
}

fn check(documents: &[TestDocument], keep_exact: bool, tiny: bool) {
    let mut config = config("0.5");
    if tiny {
        config.budget = tiny_budget();
    }
    let asked = asked(keep_exact);
    let result = studied(documents, &config, &asked);
    let slow = slow_documents(documents, keep_exact);
    let group = |slow: &Slow| asked.groups.of(u32::try_from(slow.num_words).unwrap());
    let whole = Trial {
        divisor: 1,
        remainder: 0,
    };
    let nothing = BTreeSet::new();
    let pairs =
        || (0..slow.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let value = |(overlap, union): (u32, u32)| match overlap {
        0 => 0.0,
        overlap => f64::from(overlap) / f64::from(union),
    };
    for trial in Trial::all(asked.max_divisor) {
        for (step, &threshold) in asked.thresholds.iter().enumerate() {
            for wanted in [None, Some(0), Some(1), Some(2)] {
                let (mut found, mut exact, mut right) = (0, 0, 0);
                let mut values = Vec::new();
                let mut in_pairs = [BTreeSet::new(), BTreeSet::new()];
                for (one, other) in pairs() {
                    let groups = [one, other].map(|at| group(&slow[at]));
                    if wanted.is_some_and(|group| groups != [group, group]) {
                        continue;
                    }
                    let both = [trial, whole]
                        .map(|trial| compared(&slow[one], &slow[other], trial, &nothing));
                    let is = both.map(|both| reaches(threshold, both));
                    found += u64::from(is[0]);
                    exact += u64::from(is[1]);
                    right += u64::from(is[0] && is[1]);
                    if is[0] || is[1] {
                        values.push((value(both[1]), value(both[0])));
                    }
                    for side in 0..2 {
                        if is[side] {
                            in_pairs[side].extend([one, other]);
                        }
                    }
                }
                let figures = result.pairs(trial, step, |groups| {
                    wanted.is_none_or(|group| [groups.low, groups.high] == [group, group])
                });
                assert_eq!(
                    (figures.pairs, figures.exact_pairs, figures.right_pairs),
                    (found, exact, right),
                    "{trial:?} {threshold} {wanted:?}"
                );
                assert_eq!(figures.either, values.len() as u64);
                assert_alike(figures.average_error, error_of(&values));
                assert_alike(figures.correlation, correlation_of(&values));
                let documents = result.documents_in_pairs(trial, step, wanted);
                let [sampled, exact] = &in_pairs;
                assert_eq!(documents.documents, sampled.len() as u64);
                assert_eq!(documents.exact_documents, exact.len() as u64);
                let both = sampled.intersection(exact).count() as u64;
                assert_eq!(documents.right_documents, both);
                if trial == whole {
                    assert_eq!(figures.pairs, figures.right_pairs);
                    assert_eq!(figures.exact_pairs, figures.right_pairs);
                    assert!(figures.average_error.is_none_or(|one| one < 1e-12));
                }
            }
            for wanted in 0..3 {
                let of_group = slow.iter().filter(|slow| group(slow) == wanted);
                let kept = of_group
                    .flat_map(|slow| &slow.features)
                    .filter(|&&feature| {
                        let divisor = trial.divisor.into();
                        Sampling::remainder(feature, divisor)
                            == u64::from(trial.remainder)
                    });
                assert_eq!(result.kept(trial, Some(wanted)), kept.count() as u64);
            }
        }
    }
    for row in &result.commonality {
        let mut common = BTreeSet::new();
        let (mut records, mut all_records) = (0, 0);
        let all: BTreeSet<u64> = slow
            .iter()
            .flat_map(|slow| slow.features.iter().copied())
            .collect();
        for feature in all {
            let has = slow.iter().filter(|slow| slow.features.contains(&feature));
            let has = has.count();
            all_records += has * (has - 1) / 2;
            if has > row.limit as usize {
                common.insert(feature);
            } else {
                records += has * (has - 1) / 2;
            }
        }
        let mut found = 0;
        let mut values = Vec::new();
        for (one, other) in pairs() {
            let of = |common: &_| compared(&slow[one], &slow[other], whole, common);
            let (left, all) = (of(&common), of(&nothing));
            found += u64::from(reaches(row.threshold, left));
            if reaches(row.threshold, all) {
                values.push((value(all), value(left)));
            }
        }
        let figures = row.figures;
        assert_eq!(figures.pairs, found, "{} {}", row.limit, row.threshold);
        assert_eq!(figures.right_pairs, found);
        assert_alike(figures.average_error, error_of(&values));
        assert_alike(figures.correlation, correlation_of(&values));
        assert_eq!(row.pair_records, records as u128);
        assert_eq!(result.pair_records, all_records as u128);
        assert!(figures.pairs <= figures.exact_pairs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_figure_of_every_trial_is_that_of_its_definition(
        documents in documents(),
        keep_exact in any::<bool>(),
        tiny in any::<bool>(),
    ) {
        check(&documents, keep_exact, tiny);
    }

    #[test]
    fn a_trial_is_a_job_with_that_sample(documents in documents()) {
        let result = studied(&documents, &config("0.5"), &asked(true));
        for trial in Trial::all(4) {
            for (step, threshold) in THRESHOLDS.into_iter().enumerate() {
                let mut config = config(threshold);
                config.pairs = PairsMode::All;
                let typed = format!("mod:{},{}", trial.divisor, trial.remainder);
                config.sampling = typed.parse().unwrap();
                let pairs = answer(&run(&documents, &config)).pairs;
                let figures = result.pairs(trial, step, |_| true);
                prop_assert_eq!(figures.pairs, pairs.len() as u64, "{:?}", trial);
            }
        }
    }

    /// Under a limit of commonality the study counts the pairs of a job with that limit.
    #[test]
    fn a_limit_is_a_job_with_that_sample(documents in documents()) {
        let result = studied(&documents, &config("0.5"), &asked(true));
        for row in &result.commonality {
            let mut config = config(&row.threshold.to_string());
            config.pairs = PairsMode::All;
            config.sampling = format!("commonality:{}", row.limit).parse().unwrap();
            config.keep_exact = true;
            let pairs = answer(&run(&documents, &config)).pairs;
            prop_assert_eq!(row.figures.pairs, pairs.len() as u64, "{:?}", row);
        }
    }
}

/// Many near-copies, so that groups have pairs enough for a plan.
fn copies() -> Vec<TestDocument> {
    let mut documents = Vec::new();
    for number in 0..120u32 {
        let len = [9, 14, 40, 90][(number % 4) as usize];
        let family = number % 12;
        let words = (0..len).map(|at| {
            let is_changed = (at * 31 + number * 17) % 29 < number % 7;
            match is_changed {
                true => 10_000 + number * 100 + at,
                false => family * 1000 + at,
            }
        });
        documents.push(TestDocument {
            id: format!("d{number:03}"),
            words: words.collect(),
            value: None,
            old: false,
        });
    }
    documents
}

#[test]
fn a_plan_is_a_job_with_that_plan() {
    let documents = copies();
    let asked = SamplingStudy {
        groups: SizeGroups::new(&[12, 30, 60]).unwrap(),
        max_divisor: 8,
        ..asked(true)
    };
    let result = studied(&documents, &config("0.5"), &asked);
    let mut divisors = BTreeSet::new();
    for (step, threshold) in THRESHOLDS.into_iter().enumerate() {
        let mut config = config(threshold);
        config.pairs = PairsMode::All;
        let exact = answer(&run(&documents, &config)).pairs;
        let exact: BTreeSet<(String, String)> =
            exact.into_iter().map(|pair| (pair.0, pair.1)).collect();
        for target in [0.5, 0.8, 0.95] {
            for plan in [result.plan(target, step), result.joined_plan(target, step)] {
                let groups = plan.groups.iter().map(|group| GroupRatio {
                    min_words: group.words.start.into(),
                    max_words: (group.words.end < u32::MAX)
                        .then_some(group.words.end.into()),
                    ratio: group.divisor,
                });
                divisors.extend(plan.groups.iter().map(|group| group.divisor));
                let mut config = config.clone();
                let groups = SamplingPlan::new(groups.collect()).unwrap();
                config.sampling.adaptive = Some(Arc::new(groups));
                let pairs = answer(&run(&documents, &config)).pairs;
                let right = pairs
                    .iter()
                    .filter(|pair| exact.contains(&(pair.0.clone(), pair.1.clone())));
                let right = right.count() as f64;
                let precision = right / pairs.len() as f64;
                let recall = right / exact.len() as f64;
                let told = [plan.all.measured, plan.all.recall].map(Option::unwrap);
                assert!((told[0] - precision).abs() < 1e-9, "{told:?} {precision}");
                assert!((told[1] - recall).abs() < 1e-9, "{told:?} {recall}");
                assert_eq!(plan.all.exact_pairs, exact.len() as u64);
                assert!(plan.groups.len() <= 4 && plan.kept_share <= 1.0);
            }
        }
    }
    assert!(
        divisors.len() > 1,
        "plans of different ratios: {divisors:?}"
    );
}

#[test]
fn threads_change_nothing() {
    let documents: Vec<TestDocument> = (0..300u32)
        .map(|number| TestDocument {
            id: format!("d{number}"),
            words: (0..40)
                .map(|word| (word * 7 + number / 3 * (1 + number % 3)) % 97)
                .collect(),
            value: None,
            old: false,
        })
        .collect();
    let figures = [1, 3].map(|threads| {
        let mut config = config("0.5");
        config.threads = threads;
        let result = studied(&documents, &config, &asked(false));
        let trials =
            Trial::all(4).flat_map(|trial| (0..3).map(move |step| (trial, step)));
        let figures: Vec<_> = trials
            .map(|(trial, step)| result.pairs(trial, step, |_| true))
            .collect();
        figures
    });
    assert_eq!(figures[0], figures[1]);
    assert!(figures[0].iter().any(|one| one.pairs > one.right_pairs));
}

/// A source that counts the parts that are read.
struct Counted {
    source: TestSource,
    read: AtomicU32,
}

impl Source for Counted {
    fn total_bytes(&self) -> u64 {
        self.source.total_bytes()
    }

    fn origins(&self) -> Result<Option<Vec<Origin>>> {
        self.source.origins()
    }

    fn file_names(&self) -> Vec<String> {
        self.source.file_names()
    }

    fn side(&self, file: u32) -> Side {
        self.source.side(file)
    }

    fn num_parts(&self) -> Result<u32> {
        self.source.num_parts()
    }

    fn read_part(
        &self,
        part: u32,
        sinks: Vec<&mut dyn Sink>,
        progress: &dyn Progress,
    ) -> Result<PartRead> {
        // Where the reading of files asks, too.
        check_cancelled(progress)?;
        self.read.fetch_add(1, Ordering::Relaxed);
        self.source.read_part(part, sinks, progress)
    }
}

/// Stops a study after it has asked this often whether to stop.
struct StopAfter(AtomicU64);

impl Progress for StopAfter {
    fn begin(&self, _stage: &'static str, _total: u64) {}
    fn advance(&self, _amount: u64) {}
    fn is_cancelled(&self) -> bool {
        let left = |left: u64| left.checked_sub(1);
        let order = Ordering::Relaxed;
        self.0.fetch_update(order, order, left).is_err()
    }
}

#[test]
fn a_study_stopped_anywhere_reads_no_part_twice_and_tells_the_same() {
    let job = || JobIdentity {
        origins: Some(Vec::new()),
        ..JobIdentity::default()
    };
    for (keep_exact, checkpoint) in [(false, true), (true, true), (true, false)] {
        let counted = Counted {
            source: in_memory(&copies(), 5),
            read: AtomicU32::new(0),
        };
        let mut config = config("0.5");
        let asked = asked(keep_exact);
        let whole = studied(&copies(), &config, &asked);
        let expected = format!("{whole:?}");
        // Without a checkpoint, parts are kept from the first one on that does not fit.
        config.budget = tiny_budget();
        config.budget.checkpoint = checkpoint;
        let mut all_stops = 0;
        for stop in 0..9 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("work");
            counted.read.store(0, Ordering::Relaxed);
            let (mut patience, mut stops) = (stop, 0);
            loop {
                config.threads = 1 + (stops % 3) as usize;
                let work = match WorkDir::resume(path.clone(), &job(), &Silent).unwrap() {
                    Some(work) => work,
                    None => WorkDir::begin(path.clone(), job()).unwrap().0,
                };
                let progress = StopAfter(AtomicU64::new(patience));
                match study_sampling(&counted, &config, &asked, &work, &progress) {
                    Ok(result) => {
                        assert_eq!(format!("{result:?}"), expected);
                        work.finish().unwrap();
                        break;
                    }
                    Err(Error::Cancelled) => {
                        stops += 1;
                        patience += 2;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            all_stops += stops;
            if checkpoint {
                assert_eq!(counted.read.load(Ordering::Relaxed), 5);
            }
            assert!(!path.exists());
        }
        assert!(all_stops >= 9, "{all_stops} stops");
    }
}
