//! What `sources` reports, as JSON. Fields are in the order of their names, as they are written.

use crate::causes::{HostPair, KindCount, Sorted};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Pairs of hosts in a summary; the table has all.
pub const SHOWN_HOSTS: usize = 20;

/// The kinds of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcesSummary {
    /// `sources`.
    pub command: String,
    /// Pairs whose texts were compared.
    pub compared: u64,
    /// Pairs of hosts with documents in common.
    pub host_pairs: u64,
    /// Those with most in common.
    pub hosts: Vec<SourcesHosts>,
    /// Documents on two hosts that were not counted, since there are too many.
    pub hosts_left_out: u64,
    /// The kinds that occur, in their order.
    pub kinds: Vec<SourcesKind>,
    /// Pairs that were not looked at: their kinds are estimated from those that were.
    pub not_looked_at: u64,
    /// `pairs` if all pairs were sorted, `duplicates` if each duplicate with what is kept.
    pub of: String,
    /// Why the originals could not be read.
    pub originals_gone: Option<String>,
    /// Pairs in all.
    pub pairs: u64,
    /// `neardupe`.
    pub program: String,
    /// The folder of the result.
    pub result: String,
    /// Whether the URLs of some documents were not looked up, since there are too many.
    pub urls_left_out: bool,
    /// The version of the program.
    pub version: String,
}

/// How many pairs there are of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcesKind {
    /// One of them.
    pub example: Option<SourcesExample>,
    /// The name of the kind.
    pub kind: String,
    /// What it means, for people.
    pub meaning: String,
    /// Pairs of it, those that were not looked at estimated.
    pub pairs: u64,
    /// Pairs that were looked at.
    pub seen: u64,
}

/// A pair of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcesExample {
    /// Id of the duplicate, or the smaller id.
    pub left: String,
    /// What differs.
    pub reason: String,
    /// Id of what is kept, or the larger id.
    pub right: String,
    /// The URLs of both, where they are not the ids.
    pub urls: Option<[String; 2]>,
}

/// What two hosts have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcesHosts {
    /// The one host.
    pub left: String,
    /// Its documents, if they were counted.
    pub left_documents: Option<u64>,
    /// The other host.
    pub right: String,
    /// Its documents, if they were counted.
    pub right_documents: Option<u64>,
    /// Those in common that have the same path.
    pub same_path: u64,
    /// Documents in common.
    pub shared: u64,
    /// Whether the one mirrors the other.
    pub verdict: String,
}

impl SourcesSummary {
    pub(super) fn new(result: &Path, sorted: &Sorted) -> Self {
        let of = if sorted.of_all_pairs {
            "pairs"
        } else {
            "duplicates"
        };
        let hosts = sorted.hosts.iter().take(SHOWN_HOSTS);
        SourcesSummary {
            command: "sources".to_owned(),
            compared: sorted.compared,
            host_pairs: sorted.hosts.len() as u64,
            hosts: hosts.map(SourcesHosts::new).collect(),
            hosts_left_out: sorted.hosts_left_out,
            kinds: sorted.kinds.iter().map(SourcesKind::new).collect(),
            not_looked_at: sorted.not_looked_at,
            of: of.to_owned(),
            originals_gone: sorted.gone.clone(),
            pairs: sorted.pairs,
            program: "neardupe".to_owned(),
            result: result.to_string_lossy().into_owned(),
            urls_left_out: sorted.is_capped,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl SourcesKind {
    fn new(count: &KindCount) -> Self {
        SourcesKind {
            example: count.example.as_ref().map(|example| SourcesExample {
                left: example.left.clone(),
                reason: example.reason.clone(),
                right: example.right.clone(),
                urls: example.urls.clone(),
            }),
            kind: count.kind.name().to_owned(),
            meaning: count.kind.meaning().to_owned(),
            pairs: count.pairs,
            seen: count.seen,
        }
    }
}

impl SourcesHosts {
    fn new(hosts: &HostPair) -> Self {
        SourcesHosts {
            left: hosts.left.clone(),
            left_documents: hosts.left_documents,
            right: hosts.right.clone(),
            right_documents: hosts.right_documents,
            same_path: hosts.same_path,
            shared: hosts.shared,
            verdict: hosts.verdict().to_owned(),
        }
    }
}
