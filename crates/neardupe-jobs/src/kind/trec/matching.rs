//! Whether files are about the same documents and topics: how many documents of the runs are in a
//! group, in the collection, in the qrels.
//!
//! Ids that differ by a prefix or an ending make tables of zeros that look like a finding. So the
//! numbers are always printed, and files that have nothing in common stop the command.
//!
//! Ids of runs, qrels, groups and collections come from different tools, and a missing prefix
//! would give tables of zeros that look like a finding. So the number of common ids is counted
//! first: none at all is an error, a small share a warning.

use crate::diff::clean;
use crate::numbers::{grouped, percent, plural};
use crate::trec::{Ids, NearFile, NearOrigin, QrelsFile, RunSet};
use neardupe_core::error::{Error, Result};
use neardupe_core::numbers::narrow;
use neardupe_core::trec::Names;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Ids that are shown of each side.
const SHOWN: usize = 3;

/// How much files have in common, for the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecMatching {
    /// Documents of the runs or qrels.
    pub documents: u64,
    /// Those in a cluster of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_clusters: Option<u64>,
    /// Those that are in the collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_collection: Option<u64>,
    /// Those in a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_groups: Option<u64>,
    /// Those in a pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_pairs: Option<u64>,
    /// Those that are judged for a topic of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<u64>,
    /// The files the documents are of: `runs` or `qrels`.
    pub of: String,
}

/// The same while it is counted, and as sentences.
pub(super) struct FileMatching {
    /// The files the documents are of: `runs` or `qrels`.
    of: &'static str,
    /// Their documents have the numbers below this one.
    documents: u32,
    /// Sentences for people.
    pub(super) lines: Vec<String>,
    /// For the summary.
    pub(super) counts: TrecMatching,
}

/// A number of the summary.
type MatchingCount = fn(&mut TrecMatching) -> &mut Option<u64>;

impl FileMatching {
    /// Of the documents that have been read so far.
    pub(super) fn new(of: &'static str, ids: &Ids) -> Result<Self> {
        let documents = narrow(ids.documents.len(), "documents of runs")?;
        if documents == 0 {
            let message = "no result could be read; runs have lines: topic Q0 document \
                           rank score tag";
            return Err(Error::input(of, message));
        }
        Ok(FileMatching {
            of,
            documents,
            lines: Vec::new(),
            counts: TrecMatching {
                documents: u64::from(documents),
                in_clusters: None,
                in_collection: None,
                in_groups: None,
                in_pairs: None,
                judged: None,
                of: of.to_owned(),
            },
        })
    }

    /// Notes how many documents are what `what` says.
    fn note(&mut self, counted: MatchingCount, has: &BTreeSet<u32>, what: &str) {
        let (all, number) = (u64::from(self.documents), has.len() as u64);
        *counted(&mut self.counts) = Some(number);
        self.lines.push(format!(
            "{what}: {} of {} of the {} ({})",
            grouped(number),
            plural(all, "document"),
            self.of,
            percent(number, all)
        ));
    }

    /// Documents of the runs with a property, by their numbers.
    fn those(&self, has: impl Fn(u32) -> bool) -> BTreeSet<u32> {
        (0..self.documents).filter(|&it| has(it)).collect()
    }

    /// Ids of documents that are not among `has`, and others they may be meant to be.
    fn differ(&self, ids: &Ids, has: &BTreeSet<u32>, there: &str, other: &str) -> String {
        let lacking = (0..self.documents).filter(|it| !has.contains(it));
        let lacking = shown(lacking.map(|it| ids.documents.text(it)));
        format!("{}: {lacking}; {there}: {other}", self.of)
    }

    /// Counts documents that are near-duplicates, and for a collection those that are there.
    /// `origin` names what was read.
    pub(super) fn near(
        &mut self,
        ids: &Ids,
        near: &NearFile,
        origin: String,
    ) -> Result<()> {
        if let Some(collection) = &near.collection {
            let there: BTreeSet<u32> = collection.found.iter().copied().collect();
            let there = self.those(|it| there.contains(&it));
            let mut other = shown(collection.other_ids.iter().map(String::as_str));
            if collection.other_ids.is_empty() {
                other = match collection.without_id {
                    0 => "none".to_owned(),
                    many => format!("{} without an id", plural(many, "document")),
                };
            }
            let differ = self.differ(ids, &there, "collection", &other);
            if there.is_empty() {
                let message = format!(
                    "none of the {} of the {} is in the collection; ids must be \
                     the same in both ({differ})",
                    plural(u64::from(self.documents), "document"),
                    self.of
                );
                return Err(Error::input(origin, message));
            }
            self.note(
                |it| &mut it.in_collection,
                &there,
                "found in the collection",
            );
            // Less than half is unusual for a collection, so examples help.
            if there.len() < (self.documents / 2) as usize {
                self.lines
                    .push(format!("ids that are on one side only: {differ}"));
            }
        }
        let in_pairs: MatchingCount = |it| &mut it.in_pairs;
        let (one, counted, name): (_, MatchingCount, _) = match near.origin {
            NearOrigin::Groups => ("group", |it| &mut it.in_groups, "groups"),
            NearOrigin::ResultClusters => {
                ("cluster", |it| &mut it.in_clusters, "clusters")
            }
            NearOrigin::Pairs | NearOrigin::ResultPairs => ("pair", in_pairs, "pairs"),
            NearOrigin::Collection => ("pair", in_pairs, ""),
        };
        let within = self.those(|it| near.near.has(it));
        if near.origin != NearOrigin::Collection {
            // Numbers of documents that only the other file has.
            let numbers = self.documents..u32::try_from(ids.documents.len()).unwrap_or(0);
            let others = numbers.filter(|&it| near.near.has(it));
            let others = shown(others.map(|it| ids.documents.text(it)));
            let differ = self.differ(ids, &within, name, &others);
            self.refuse_none(&within, one, &differ, origin)?;
            self.note(counted, &within, &format!("in a {one}"));
            // Most documents have no near-duplicate: less than one in a hundred is
            // suspicious.
            if within.len() < (self.documents / 100) as usize {
                self.lines
                    .push(format!("ids that are on one side only: {differ}"));
            }
        } else {
            self.note(counted, &within, &format!("in a {one}"));
        }
        Ok(())
    }

    /// An error if no document is in a pair or a group: ids are most likely written
    /// differently.
    fn refuse_none(
        &self,
        within: &BTreeSet<u32>,
        one: &str,
        differ: &str,
        origin: String,
    ) -> Result<()> {
        if !within.is_empty() {
            return Ok(());
        }
        let message = format!(
            "none of the {} of the {} is in a {one}; ids must be the same in \
             both ({differ})",
            plural(u64::from(self.documents), "document"),
            self.of
        );
        Err(Error::input(origin, message))
    }

    /// Counts documents that are in a pair of a result, by the numbers of those that are.
    pub(super) fn pairs(
        &mut self,
        ids: &Ids,
        within: &BTreeSet<u32>,
        others: &BTreeSet<String>,
        origin: &Path,
    ) -> Result<()> {
        let others = shown(others.iter().map(String::as_str));
        let differ = self.differ(ids, within, "pairs", &others);
        self.refuse_none(within, "pair", &differ, origin.display().to_string())?;
        self.note(|it| &mut it.in_pairs, within, "in a pair of the result");
        Ok(())
    }

    /// Counts documents of the runs that are judged for a topic of the runs.
    pub(super) fn qrels(
        &mut self,
        ids: &Ids,
        set: &RunSet,
        file: &QrelsFile,
        origin: &Path,
    ) -> Result<()> {
        let judged = file.qrels.topics.iter().map(|topic| topic.topic);
        self.topics(ids, set, judged, "qrels", origin)?;
        let topics = run_topics(set);
        let judgments = file.qrels.topics.iter().flat_map(|topic| &topic.judgments);
        let judgments = judgments.filter(|one| topics.contains(&one.topic));
        // Other topics do not count: qrels of several years may be in one file.
        let all: BTreeSet<u32> = judgments.map(|one| one.document).collect();
        let judged = self.those(|it| all.contains(&it));
        if judged.is_empty() {
            let others = shown(all.iter().map(|&it| ids.documents.text(it)));
            let differ = self.differ(ids, &judged, "qrels", &others);
            let message = format!(
                "none of the {} of the runs is judged; ids must be the same in both \
                 ({differ})",
                plural(u64::from(self.documents), "document")
            );
            return Err(Error::input(origin.display().to_string(), message));
        }
        self.note(|it| &mut it.judged, &judged, "judged");
        Ok(())
    }

    /// Refuses topics that no run has.
    pub(super) fn topics(
        &self,
        ids: &Ids,
        set: &RunSet,
        topics: impl Iterator<Item = u32>,
        named: &str,
        origin: &Path,
    ) -> Result<()> {
        let (own, topics) = (run_topics(set), topics.collect::<BTreeSet<u32>>());
        if own.is_disjoint(&topics) {
            let text = |all: &BTreeSet<u32>| names(all, &ids.topics);
            let message = format!(
                "none of its topics is in the runs (runs: {}; {named}: {})",
                text(&own),
                text(&topics)
            );
            return Err(Error::input(origin.display().to_string(), message));
        }
        Ok(())
    }
}

/// Topics that some run has.
fn run_topics(set: &RunSet) -> BTreeSet<u32> {
    let topics = set.runs.iter().flat_map(|run| &run.topics);
    topics.map(|topic| topic.topic).collect()
}

/// Some of these as text.
fn names(numbers: &BTreeSet<u32>, of: &Names) -> String {
    shown(numbers.iter().map(|&it| of.text(it)))
}

/// A few ids, cleaned for a terminal.
fn shown<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut ids = ids.map(clean);
    let first: Vec<_> = ids.by_ref().take(SHOWN).collect();
    match (first.is_empty(), ids.next()) {
        (true, _) => "none".to_owned(),
        (false, None) => first.join(", "),
        (false, Some(_)) => format!("{}, ...", first.join(", ")),
    }
}
