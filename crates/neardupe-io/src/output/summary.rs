//! `summary.json`: what was asked, what was found, what it cost.

use neardupe_core::candidate::ledger::Ledger;
use neardupe_core::document::BadKind;
use neardupe_core::feature::FeatureSpec;
use neardupe_core::pipeline::FindResult;
use neardupe_core::pipeline::result::Totals;
use serde::Serialize;
use std::collections::BTreeMap;

/// The summary of a job, as written and as shown.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// Always `neardupe`: marks the folder as a result of ours.
    pub program: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// The command.
    pub command: &'static str,
    /// All options as resolved, by the name of their flag.
    pub options: BTreeMap<String, serde_json::Value>,
    /// What feature values depend on.
    pub feature_specification: FeatureSpec,
    /// Whether every pair at or above the threshold was found.
    pub exact: bool,
    /// Numbers.
    pub counts: Totals,
    /// Bad records by kind.
    pub bad_records_by_kind: BTreeMap<&'static str, u64>,
    /// What was noticed about documents while their text was made, and how often.
    pub remarks: BTreeMap<String, u64>,
    /// Files in folders that were passed over: of no known format by name and content.
    pub skipped_files: u64,
    /// What the join looked at and what each filter left.
    pub ledger: Ledger,
    /// The largest clusters.
    pub largest_clusters: Vec<TopCluster>,
    /// Wall time by stage.
    pub seconds: BTreeMap<&'static str, f64>,
    /// Largest resident memory.
    pub peak_memory_bytes: u64,
    /// Segments of features that went to the work directory.
    pub spilled_segments: u64,
}

/// A cluster as shown in the summary.
#[derive(Debug, Serialize)]
pub struct TopCluster {
    /// The representative's id.
    pub cluster_id: String,
    /// Number of members.
    pub size: u64,
    /// The representative and a few others.
    pub shown: Vec<TopMember>,
}

/// A member as shown in the summary.
#[derive(Debug, Serialize)]
pub struct TopMember {
    /// Its id.
    pub id: String,
    /// Its first words.
    pub preview: String,
}

const SHOWN_MEMBERS: usize = 3;

impl TopCluster {
    /// The `most` largest clusters, ties by id.
    pub fn largest(result: &FindResult, most: usize) -> Vec<TopCluster> {
        let mut order: Vec<usize> = (0..result.clusters.len()).collect();
        // Clusters are sorted by id already, so a stable sort keeps ties in that order.
        order.sort_by_key(|&at| std::cmp::Reverse(result.clusters[at].members.len()));
        let shown = |document| TopMember {
            id: result.documents.id(document).to_owned(),
            preview: result.documents.preview(document).to_owned(),
        };
        let top = order.into_iter().take(most).map(|at| {
            let cluster = &result.clusters[at];
            let lead = cluster.representative;
            let others = cluster
                .members
                .iter()
                .copied()
                .filter(|&member| member != lead);
            let members = std::iter::once(lead).chain(others).take(SHOWN_MEMBERS);
            TopCluster {
                cluster_id: result.documents.id(lead).to_owned(),
                size: cluster.members.len() as u64,
                shown: members.map(shown).collect(),
            }
        });
        top.collect()
    }
}

impl Summary {
    /// Bad records by kind.
    pub fn count_kinds(result: &FindResult) -> BTreeMap<&'static str, u64> {
        let mut kinds = BTreeMap::new();
        for bad in &result.bad_records {
            *kinds.entry(BadKind::name(bad.kind)).or_insert(0) += 1;
        }
        kinds
    }
}
