//! What was planted in a synthetic collection: the answers a search should give.

use super::Collection;
use super::compose::edit_rate;
use super::edit::Edits;
use super::spec::Role;

/// How a document came into its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// The document the others were made from.
    Base,
    /// The same text as the base.
    Exact,
    /// An edited text of the base.
    Near,
}

impl MemberKind {
    /// The name in files: `base`, `exact` or `near`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Exact => "exact",
            Self::Near => "near",
        }
    }
}

/// One document of a planted cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantedMember {
    /// The document's place in the collection.
    pub document: u64,
    /// How it was made.
    pub kind: MemberKind,
    /// Words substituted, inserted, deleted or moved, as a share of the base's words.
    pub edit_rate: f64,
}

/// Documents made from one base.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantedCluster {
    /// The members by ascending place, the base among them.
    pub members: Vec<PlantedMember>,
}

/// A passage that one document has from another. Spans are in Unicode code points of the
/// two texts, end exclusive; the left document is the one that comes first in the
/// collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlantedPassage {
    /// Place of the first document.
    pub left: u64,
    /// Start of the passage in it.
    pub left_start: u64,
    /// End of the passage in it.
    pub left_end: u64,
    /// Place of the second document.
    pub right: u64,
    /// Start of the passage in it.
    pub right_start: u64,
    /// End of the passage in it.
    pub right_end: u64,
    /// Whether words were changed on the way; if not, both texts are equal.
    pub edited: bool,
}

/// How much was planted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlantedCounts {
    /// Clusters of two or more documents.
    pub clusters: u64,
    /// Documents with the same text as their base.
    pub exact: u64,
    /// Documents with an edited text of their base.
    pub near: u64,
    /// Documents with a passage from another.
    pub passages: u64,
    /// Members of the largest cluster.
    pub largest_cluster: u64,
}

impl Collection {
    /// The planted clusters, by their first member. Each is made when it is asked for.
    pub fn clusters(&self) -> impl Iterator<Item = PlantedCluster> + '_ {
        let mut order: Vec<(u64, usize)> = (0..self.spec.num_clusters())
            .map(|cluster| {
                let members = self.spec.members(cluster);
                let first = members
                    .map(|rank| self.spec.scatter.document_of(rank))
                    .min();
                (first.unwrap_or_default(), cluster)
            })
            .collect();
        order.sort_unstable();
        let mut edits = Edits::default();
        order.into_iter().map(move |(_, cluster)| {
            let mut members: Vec<PlantedMember> = self
                .spec
                .members(cluster)
                .map(|rank| self.member(rank, &mut edits))
                .collect();
            members.sort_unstable_by_key(|member| member.document);
            PlantedCluster { members }
        })
    }

    /// The planted passages, in no particular order. This makes the documents that have
    /// them: whoever makes all documents anyway takes them from
    /// [`super::Buffer::passage`].
    pub fn passages(&self) -> impl Iterator<Item = PlantedPassage> + '_ {
        let mut buffer = super::Buffer::default();
        self.spec.receivers().filter_map(move |rank| {
            self.document(self.spec.scatter.document_of(rank), &mut buffer);
            buffer.passage()
        })
    }

    /// How much was planted.
    pub fn planted_counts(&self) -> PlantedCounts {
        let mut counts = PlantedCounts {
            passages: self.spec.num_passages(),
            ..PlantedCounts::default()
        };
        for cluster in 0..self.spec.num_clusters() {
            let members = self.spec.members(cluster);
            counts.clusters += 1;
            counts.largest_cluster =
                counts.largest_cluster.max(members.end - members.start);
            for rank in members {
                match self.spec.role(rank) {
                    Role::Exact { .. } => counts.exact += 1,
                    Role::Near { .. } => counts.near += 1,
                    Role::Own | Role::Receives { .. } => {}
                }
            }
        }
        counts
    }

    fn member(&self, rank: u64, edits: &mut Edits) -> PlantedMember {
        let (kind, edit_rate) = match self.spec.role(rank) {
            Role::Near { base } => {
                (MemberKind::Near, edit_rate(&self.spec, rank, base, edits))
            }
            Role::Exact { .. } => (MemberKind::Exact, 0.0),
            Role::Own | Role::Receives { .. } => (MemberKind::Base, 0.0),
        };
        PlantedMember {
            document: self.spec.scatter.document_of(rank),
            kind,
            edit_rate,
        }
    }
}
