//! Qrels and near-duplicates: groups whose documents were judged differently, qrels with one
//! document a group, and labels passed on within groups.

use super::near::Groups;
use super::qrels::{Judgment, Qrels, QrelsTopic};
use crate::hash::FixedMap;
use std::collections::BTreeMap;

/// A group that was not judged alike for a topic (and subtopic, for diversity).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The topic.
    pub topic: u32,
    /// The subtopic; 0 where there are none.
    pub subtopic: u32,
    /// The group.
    pub group: u32,
    /// The documents that were judged, with their labels, in the order of the qrels.
    pub judged: Vec<(u32, i32)>,
    /// Whether some are relevant and some are not.
    pub about_relevance: bool,
}

/// The judged documents of each group with two or more of them, by subtopic and group.
fn by_group(
    topic: &QrelsTopic,
    groups: &Groups,
) -> BTreeMap<(u32, u32), Vec<(u32, i32)>> {
    let mut judged: BTreeMap<(u32, u32), Vec<(u32, i32)>> = BTreeMap::new();
    for one in &topic.judgments {
        if let Some(group) = groups.of(one.document) {
            let list = judged.entry((one.subtopic, group)).or_default();
            list.push((one.document, one.label));
        }
    }
    judged.retain(|_, list| list.len() > 1);
    judged
}

/// Groups with different labels within one topic; and how many groups could have differed, since
/// two or more of their documents were judged.
pub fn inconsistent(qrels: &Qrels, groups: &Groups) -> (Vec<Disagreement>, u64) {
    let mut found = Vec::new();
    let mut compared = 0;
    for topic in &qrels.topics {
        for ((subtopic, group), judged) in by_group(topic, groups) {
            compared += 1;
            let first = judged[0].1;
            let relevant = judged.iter().filter(|(_, label)| *label > 0).count();
            if judged.iter().any(|&(_, label)| label != first) {
                found.push(Disagreement {
                    topic: topic.topic,
                    subtopic,
                    group,
                    about_relevance: relevant > 0 && relevant < judged.len(),
                    judged,
                });
            }
        }
    }
    (found, compared)
}

/// Qrels with one document of each group in each topic: the one with the highest label, of several
/// the first in the qrels. With subtopics it is the one with the highest sum of positive labels,
/// and it takes over the highest label that the group has for each subtopic. The judgments that
/// were removed are returned.
pub fn drop_near(qrels: &Qrels, groups: &Groups) -> (Qrels, Vec<(u32, Judgment)>) {
    let mut dropped = Vec::new();
    let mut clean = qrels.clone();
    for topic in &mut clean.topics {
        // Of each document: what it is worth, and its first place.
        let mut worth: FixedMap<u32, (i64, i64)> = FixedMap::default();
        for (place, one) in (0i64..).zip(&topic.judgments) {
            let entry = worth.entry(one.document).or_insert((0, -place));
            entry.0 += if qrels.is_diversity {
                i64::from(one.label.max(0))
            } else {
                i64::from(one.label)
            };
        }
        // The second number is the place turned round, so that of equal worth the first one is the
        // larger.
        let mut best: FixedMap<u32, ((i64, i64), u32)> = FixedMap::default();
        let mut highest: FixedMap<(u32, u32), i32> = FixedMap::default();
        for one in &topic.judgments {
            let Some(group) = groups.of(one.document) else {
                continue;
            };
            let own = (worth[&one.document], one.document);
            let entry = best.entry(group).or_insert(own);
            if own.0 > entry.0 {
                *entry = own;
            }
            let label = highest.entry((group, one.subtopic)).or_insert(one.label);
            *label = one.label.max(*label);
        }
        // Written in the order of the qrels, so that a topic without groups is left as it was.
        let judgments = std::mem::take(&mut topic.judgments);
        let mut written: FixedMap<(u32, u32), ()> = FixedMap::default();
        for mut one in judgments.iter().copied() {
            if let Some(group) = groups.of(one.document) {
                let stays = best[&group].1;
                if stays != one.document {
                    dropped.push((stays, one));
                    continue;
                }
                one.label = highest[&(group, one.subtopic)];
                written.insert((group, one.subtopic), ());
            }
            topic.judgments.push(one);
        }
        // Subtopics for which only removed documents were judged.
        for one in &judgments {
            if let Some(group) = groups.of(one.document)
                && written.insert((group, one.subtopic), ()).is_none()
            {
                topic.judgments.push(Judgment {
                    document: best[&group].1,
                    label: highest[&(group, one.subtopic)],
                    ..*one
                });
            }
        }
    }
    (clean, dropped)
}

/// What passing on labels did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Propagated {
    /// Judgments whose label was raised.
    pub raised: u64,
    /// Judgments of documents that were not judged.
    pub added: u64,
}

/// Qrels in which all documents of a group have the highest label that one of them was given, in
/// each topic and subtopic in which one was judged; documents that were not judged too, after
/// the others.
pub fn propagate(qrels: &Qrels, groups: &Groups) -> (Qrels, Propagated) {
    let mut did = Propagated::default();
    let mut all = qrels.clone();
    for topic in &mut all.topics {
        let mut highest: BTreeMap<(u32, u32), i32> = BTreeMap::new();
        let mut judged: FixedMap<(u32, u32), ()> = FixedMap::default();
        for one in &topic.judgments {
            if let Some(group) = groups.of(one.document) {
                let label = highest.entry((one.subtopic, group)).or_insert(one.label);
                *label = one.label.max(*label);
                judged.insert((one.subtopic, one.document), ());
            }
        }
        for one in &mut topic.judgments {
            if let Some(group) = groups.of(one.document) {
                let label = highest[&(one.subtopic, group)];
                did.raised += u64::from(label > one.label);
                one.label = label;
            }
        }
        for ((subtopic, group), label) in highest {
            for &document in groups.members(group) {
                if !judged.contains_key(&(subtopic, document)) {
                    did.added += 1;
                    topic.judgments.push(Judgment {
                        topic: topic.topic,
                        subtopic,
                        document,
                        label,
                    });
                }
            }
        }
    }
    (all, did)
}

#[cfg(test)]
mod tests {
    use super::super::names::Names;
    use super::*;

    /// Judgments as (topic, subtopic, document, label).
    fn qrels(judged: &[(u32, u32, u32, i32)], is_diversity: bool) -> Qrels {
        let mut topics = Names::default();
        for number in 0..4 {
            topics.number(&number.to_string());
        }
        let judgments: Vec<Judgment> = judged
            .iter()
            .map(|&(topic, subtopic, document, label)| Judgment {
                topic,
                subtopic,
                document,
                label,
            })
            .collect();
        Qrels::new(&judgments, &topics, is_diversity).0
    }

    fn shown(qrels: &Qrels) -> Vec<(u32, u32, u32, i32)> {
        let all = qrels.topics.iter().flat_map(|topic| &topic.judgments);
        all.map(|one| (one.topic, one.subtopic, one.document, one.label))
            .collect()
    }

    #[test]
    fn labels_are_compared_within_a_topic() {
        let groups = Groups::new(&[vec![1, 2, 3], vec![8, 9]]);
        let qrels = qrels(
            &[
                (0, 0, 1, 1),
                (0, 0, 2, 2),
                (0, 0, 8, 0),
                (0, 0, 9, -2),
                (1, 0, 1, 1),
                (1, 0, 3, 1),
                (2, 0, 2, 0),
            ],
            false,
        );
        let (found, compared) = inconsistent(&qrels, &groups);
        assert_eq!(compared, 3);
        let places: Vec<_> = found.iter().map(|one| (one.topic, one.group)).collect();
        assert_eq!(places, [(0, 0), (0, 1)]);
        assert!(!found[0].about_relevance && !found[1].about_relevance);
    }

    #[test]
    fn one_document_of_a_group_stays_with_its_highest_label() {
        let groups = Groups::new(&[vec![1, 2, 3]]);
        let adhoc = qrels(
            &[(0, 0, 1, 0), (0, 0, 2, 2), (0, 0, 3, 2), (0, 0, 5, 1)],
            false,
        );
        let (clean, dropped) = drop_near(&adhoc, &groups);
        assert_eq!(shown(&clean), [(0, 0, 2, 2), (0, 0, 5, 1)]);
        assert_eq!(dropped.iter().map(|one| one.0).collect::<Vec<_>>(), [2, 2]);
        let diverse = qrels(
            &[(0, 1, 1, 1), (0, 2, 1, 0), (0, 1, 2, 0), (0, 3, 2, 1)],
            true,
        );
        let (clean, _) = drop_near(&diverse, &groups);
        assert_eq!(shown(&clean), [(0, 1, 1, 1), (0, 2, 1, 0), (0, 3, 1, 1)]);
    }

    #[test]
    fn labels_are_passed_on_to_documents_that_were_not_judged() {
        let groups = Groups::new(&[vec![1, 2, 3]]);
        let qrels = qrels(&[(0, 0, 1, 0), (0, 0, 2, 2), (1, 0, 4, 1)], false);
        let (all, did) = propagate(&qrels, &groups);
        assert_eq!(
            shown(&all),
            [(0, 0, 1, 2), (0, 0, 2, 2), (0, 0, 3, 2), (1, 0, 4, 1)]
        );
        assert_eq!((did.raised, did.added), (1, 1));
        assert!(inconsistent(&all, &groups).0.is_empty());
    }
}
