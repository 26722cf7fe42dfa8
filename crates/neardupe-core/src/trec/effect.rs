//! What near-duplicates do to measures and to the order of systems.
//!
//! Runs are scored as they are and under policies (after Fröbe and others, ECIR 2020). Under
//! [`Policy::Remove`] and [`Policy::Irrelevant`] a group counts once in what can be reached: the
//! number of relevant documents and the ideal order have one document a group, with its highest
//! label. Near-duplicates must be groups here.

use super::correlation::{kendall_tau, tau_ap};
use super::judgments::{drop_near, propagate};
use super::measure::{Ideal, Measure, Topic, TopicScores};
use super::names::Names;
use super::near::Groups;
use super::qrels::{Qrels, QrelsTopic};
use super::run::{Run, RunTopic};
use super::significance::{PairedTest, paired_t_test};
use crate::hash::{FixedMap, FixedSet};
use rayon::prelude::*;

/// What is done about near-duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Later near-duplicates leave the ranking, and what comes after moves up.
    Remove,
    /// They keep their places and count as not relevant.
    Irrelevant,
    /// The ranking is unchanged; all documents of a group have its highest label.
    Propagate,
}

impl Policy {
    /// All policies.
    pub const ALL: [Policy; 3] = [Policy::Remove, Policy::Irrelevant, Policy::Propagate];

    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Remove => "remove",
            Policy::Irrelevant => "irrelevant",
            Policy::Propagate => "propagate",
        }
    }
}

/// How runs are scored.
#[derive(Debug, Clone, Default)]
pub struct EffectConfig {
    /// What is measured.
    pub measures: Vec<Measure>,
    /// Topics of the qrels that a run has nothing for count as 0 (trec_eval -c); otherwise
    /// only topics that both have count.
    pub complete: bool,
}

/// One run under one policy and measure.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectRow {
    /// Place of the run.
    pub run: usize,
    /// Mean over topics before; 0 for a run without topics in the qrels.
    pub before: f64,
    /// Mean over topics after.
    pub after: f64,
    /// 1 and the number of runs with a higher mean before.
    pub rank_before: usize,
    /// The same after.
    pub rank_after: usize,
    /// Whether the change is more than chance; none for fewer than two topics.
    pub test: Option<PairedTest>,
}

/// All runs under one policy and measure.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyMeasure {
    /// The policy.
    pub policy: Policy,
    /// The measure.
    pub measure: Measure,
    /// Runs in their order.
    pub rows: Vec<EffectRow>,
    /// Kendall's tau-b of the means before and after.
    pub tau: Option<f64>,
    /// tau-AP of the means after against those before.
    pub tau_ap: Option<f64>,
}

/// The whole effect.
#[derive(Debug, Clone)]
pub struct Effect {
    /// By policy, then by measure.
    pub tables: Vec<PolicyMeasure>,
    /// Values by run and topic as they are, then under each policy.
    pub scores: Vec<[TopicScores; 4]>,
}

/// The judgments of a topic, ready for scoring.
struct Judged {
    topic: u32,
    labels: FixedMap<u32, i32>,
    subtopics: FixedMap<u32, Vec<u32>>,
    ideal: Ideal,
}

impl Judged {
    fn all(qrels: &Qrels, ideals: &Qrels, documents: &Names, depth: usize) -> Vec<Self> {
        let topics = qrels.topics.par_iter().zip(&ideals.topics);
        topics
            .map(|(topic, ideal)| {
                let best = relevant_subtopics(ideal, ideals.is_diversity);
                let mut ids: Vec<u32> = ideal.relevant();
                // By id and not by number: the greedy ideal order takes the last of equal
                // documents, and numbers depend on the order of files.
                ids.sort_by(|&one, &two| documents.text(one).cmp(documents.text(two)));
                let labels = ideal.labels();
                let gains = ids.iter().map(|id| gain(labels[id])).collect();
                let lists = ids
                    .iter()
                    .map(|id| best.get(id).cloned().unwrap_or_default());
                let lists: Vec<Vec<u32>> = lists.collect();
                Judged {
                    topic: topic.topic,
                    labels: topic.labels(),
                    subtopics: relevant_subtopics(topic, qrels.is_diversity),
                    ideal: Ideal::new(gains, &lists, depth),
                }
            })
            .collect()
    }
}

/// What a label is worth: negative labels, as for spam, are worth nothing.
fn gain(label: i32) -> u32 {
    u32::try_from(label).unwrap_or(0)
}

/// The subtopics to which each document is relevant, none without subtopics.
fn relevant_subtopics(topic: &QrelsTopic, is_diversity: bool) -> FixedMap<u32, Vec<u32>> {
    let mut subtopics: FixedMap<u32, Vec<u32>> = FixedMap::default();
    for one in topic.judgments.iter().filter(|one| one.label > 0) {
        if is_diversity {
            subtopics
                .entry(one.document)
                .or_default()
                .push(one.subtopic);
        }
    }
    subtopics
}

/// Documents of a topic in order, and whether each is a later near-duplicate. Without groups none is.
fn marked<'a>(
    topic: &'a RunTopic,
    groups: Option<&'a Groups>,
) -> impl Iterator<Item = (u32, bool)> + 'a {
    let mut seen = FixedSet::default();
    topic.results.iter().map(move |result| {
        let group = groups.and_then(|groups| groups.of(result.document));
        let is_later = group.is_some_and(|group| !seen.insert(group));
        (result.document, is_later)
    })
}

/// Scores one run; `groups` with a policy that looks at the ranking.
fn score(
    run: &Run,
    judged: &[Judged],
    config: &EffectConfig,
    policy: Option<(Policy, &Groups)>,
) -> TopicScores {
    let groups = policy.map(|(_, groups)| groups);
    let removes = matches!(policy, Some((Policy::Remove, _)));
    let by_topic: FixedMap<u32, &RunTopic> = run
        .topics
        .iter()
        .map(|topic| (topic.topic, topic))
        .collect();
    let mut scores = Vec::new();
    for one in judged {
        let Some(topic) = by_topic.get(&one.topic) else {
            // As trec_eval: a topic that the run does not have is left out of the mean, or counts
            // as 0.
            if config.complete {
                scores.push((one.topic, vec![0.0; config.measures.len()]));
            }
            continue;
        };
        let mut results = Topic::default();
        for (document, is_later) in marked(topic, groups) {
            if is_later && removes {
                continue;
            }
            // Under `Irrelevant` a later near-duplicate keeps its place and loses its label.
            let label = one.labels.get(&document).filter(|_| !is_later);
            results.gains.push(gain(label.copied().unwrap_or(0)));
            let subtopics = one.subtopics.get(&document).filter(|_| !is_later);
            results
                .subtopics
                .push(subtopics.cloned().unwrap_or_default());
        }
        let measures = config.measures.iter();
        let values = measures.map(|&measure| results.score(measure, &one.ideal));
        scores.push((one.topic, values.collect()));
    }
    scores
}

/// How deep the ideal order for alpha-nDCG must be made: making it is quadratic, so no deeper than
/// the measures that are asked for.
fn alpha_depth(measures: &[Measure]) -> usize {
    let depths = measures.iter().map(|measure| match measure {
        Measure::AlphaNdcg(k) => *k,
        _ => 0,
    });
    depths.max().unwrap_or(0)
}

/// Scores a run as it is: for each topic that counts, all measures.
pub fn run_scores(
    run: &Run,
    qrels: &Qrels,
    documents: &Names,
    config: &EffectConfig,
) -> TopicScores {
    let depth = alpha_depth(&config.measures);
    let judged = Judged::all(qrels, qrels, documents, depth);
    score(run, &judged, config, None)
}

/// Scores all runs before and after.
pub fn effect(
    runs: &[Run],
    qrels: &Qrels,
    groups: &Groups,
    documents: &Names,
    config: &EffectConfig,
) -> Effect {
    let depth = alpha_depth(&config.measures);
    let (dropped, _) = drop_near(qrels, groups);
    let (propagated, _) = propagate(qrels, groups);
    // Three ways to judge, made once for all runs. With `once` runs are scored by the labels of the
    // qrels, but against an ideal in which a group counts once.
    let plain = Judged::all(qrels, qrels, documents, depth);
    let once = Judged::all(qrels, &dropped, documents, depth);
    let passed_on = Judged::all(&propagated, &propagated, documents, depth);
    let scores: Vec<[TopicScores; 4]> = runs
        .par_iter()
        .map(|run| {
            let under = |policy| score(run, &once, config, Some((policy, groups)));
            [
                score(run, &plain, config, None),
                under(Policy::Remove),
                under(Policy::Irrelevant),
                score(run, &passed_on, config, None),
            ]
        })
        .collect();
    let mut tables = Vec::new();
    // Column 0 is the run as it is.
    for (place, policy) in (1..).zip(Policy::ALL) {
        for (at, &measure) in config.measures.iter().enumerate() {
            tables.push(compare(&scores, place, policy, at, measure));
        }
    }
    Effect { tables, scores }
}

/// One policy and measure over all runs: means, ranks, tests, and how far the orders agree.
fn compare(
    scores: &[[TopicScores; 4]],
    place: usize,
    policy: Policy,
    at: usize,
    measure: Measure,
) -> PolicyMeasure {
    let values = |topics: &TopicScores| -> Vec<f64> {
        topics.iter().map(|(_, values)| values[at]).collect()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let both: Vec<(Vec<f64>, Vec<f64>)> = scores
        .iter()
        .map(|run| (values(&run[0]), values(&run[place])))
        .collect();
    let before: Vec<f64> = both.iter().map(|(before, _)| mean(before)).collect();
    let after: Vec<f64> = both.iter().map(|(_, after)| mean(after)).collect();
    // Means that differ by rounding only share a rank.
    let rank = |means: &[f64], own: f64| {
        1 + means.iter().filter(|&&mean| mean > own + 1e-12).count()
    };
    let rows = both.iter().enumerate().map(|(run, (one, two))| EffectRow {
        run,
        before: before[run],
        after: after[run],
        rank_before: rank(&before, before[run]),
        rank_after: rank(&after, after[run]),
        test: paired_t_test(one, two),
    });
    PolicyMeasure {
        policy,
        measure,
        rows: rows.collect(),
        tau: kendall_tau(&before, &after),
        tau_ap: tau_ap(&before, &after),
    }
}

#[cfg(test)]
mod tests {
    use super::super::qrels::Judgment;
    use super::super::run::RunLine;
    use super::*;

    /// Documents a, b near-duplicates; a judged 1, b 2, c 1.
    fn example() -> (Vec<Run>, Qrels, Groups, Names) {
        let (mut documents, mut topics) = (Names::default(), Names::default());
        let topic = topics.number("1");
        let line = |document: &str, score: f64, documents: &mut Names| RunLine {
            topic,
            document: documents.number(document),
            rank: 1,
            score,
        };
        let mut run = |name: &str, order: &str| {
            let order = order.split(' ').zip((0..9u32).rev());
            let lines: Vec<RunLine> = order
                .map(|(id, score)| line(id, f64::from(score), &mut documents))
                .collect();
            Run::new(name.into(), &lines, &documents, &topics)
        };
        let runs = vec![run("one", "a b x c"), run("two", "c a x b")];
        let judged = |document: &str, label: i32| Judgment {
            topic,
            subtopic: 0,
            document: documents.known(document).unwrap(),
            label,
        };
        let all = [
            judged("a", 1),
            judged("b", 2),
            judged("c", 1),
            judged("x", 0),
        ];
        let qrels = Qrels::new(&all, &topics, false).0;
        let both = ["a", "b"].map(|id| documents.known(id).unwrap());
        let groups = Groups::new(&[both.to_vec()]);
        (runs, qrels, groups, documents)
    }

    #[test]
    fn policies_do_what_they_say() {
        let (runs, qrels, groups, documents) = example();
        let config = EffectConfig {
            measures: vec!["P@2".parse().unwrap(), "recall".parse().unwrap()],
            complete: false,
        };
        let effect = effect(&runs, &qrels, &groups, &documents, &config);
        let value = |policy: usize, measure: usize, run: usize| {
            let topics = &effect.scores[run][policy];
            (topics[0].1[measure] * 100.0).round() / 100.0
        };
        // As it is, removed, irrelevant, passed on; run one: a b x c.
        let precision: Vec<f64> = (0..4).map(|policy| value(policy, 0, 0)).collect();
        assert_eq!(precision, [1.0, 0.5, 0.5, 1.0]);
        let recall: Vec<f64> = (0..4).map(|policy| value(policy, 1, 0)).collect();
        assert_eq!(recall, [1.0, 1.0, 1.0, 1.0]);
        let table = &effect.tables[0];
        assert_eq!(
            (table.rows[0].rank_before, table.rows[0].rank_after),
            (1, 2)
        );
        assert_eq!(table.rows[0].test, None);
    }

    #[test]
    fn topics_that_a_run_lacks_count_only_when_asked() {
        let (runs, qrels, _, documents) = example();
        let config = |complete| EffectConfig {
            measures: vec![Measure::AveragePrecision],
            complete,
        };
        let empty = Run::default();
        assert!(run_scores(&empty, &qrels, &documents, &config(false)).is_empty());
        assert_eq!(
            run_scores(&empty, &qrels, &documents, &config(true)).len(),
            1
        );
        assert_eq!(
            run_scores(&runs[0], &qrels, &documents, &config(false)).len(),
            1
        );
    }
}
