//! The tables of `sources`: why documents are duplicates.

use super::column::{MirrorVerdict, Number, Ratio, Text};
use super::declaration::table;

table! {
    /// Why two documents are duplicates.
    Sources = "sources" of "pair" {
        rows: SourceRow, StoredSource;
        of: [Find];
        formats: Chosen;
        order: "as the duplicates";
        columns {
            /// Id of the document that is not kept.
            id: Text,
            /// Id of the document that is kept for it.
            duplicate_of: Text,
            /// How the duplicate came about.
            kind: Text,
            /// What shows it, with the addresses of the two where they have some.
            reason: Text,
        }
    }
}

table! {
    /// Why two documents are similar, where the result has all pairs.
    SourcesOfPairs = "sources" of "pair" {
        rows: PairSourceRow, StoredPairSource;
        of: [Find];
        formats: Chosen;
        order: "as the pairs";
        columns {
            /// Id of one document.
            left: Text,
            /// Id of the other document.
            right: Text,
            /// How the duplicate came about.
            kind: Text,
            /// What shows it, with the addresses of the two where they have some.
            reason: Text,
        }
    }
}

table! {
    /// Hosts that have documents in common. Numbers of documents are 0 where they are not known.
    Mirrors = "mirrors" of "hosts" {
        rows: MirrorRow, StoredMirror;
        of: [Find];
        formats: Chosen;
        order: "by falling number of documents in common";
        columns {
            /// One host.
            left: Text,
            /// The other host.
            right: Text,
            /// Number of documents of the left host.
            left_documents: Number<u64>,
            /// Number of documents of the right host.
            right_documents: Number<u64>,
            /// Number of documents that both have.
            shared: Number<u64>,
            /// How many of these have the same path on both hosts.
            same_path: Number<u64>,
            /// Share of the smaller host that they are.
            share: Ratio,
            /// What the two hosts are to each other.
            verdict: MirrorVerdict,
        }
    }
}
