//! The tables of `find` and `dedup`: what was found in a collection.

use super::column::{
    BadKindName, Decimal, Members, Number, Ratio, RuleName, Simhash, Text, TextHash,
    YesNo,
};
use super::declaration::table;

table! {
    /// Documents that are similar, two by two.
    Pairs = "pairs" of "pair" {
        rows: PairRow, StoredPair;
        of: [Find, Dedup];
        formats: Chosen;
        order: "by `left` and `right`";
        columns {
            /// Id of one document: the smaller one, compared as bytes.
            left: Text,
            /// Id of the other document.
            right: Text,
            /// How similar they are.
            similarity: Ratio,
            /// Number of common features.
            overlap: Number,
            /// Number of features of the left document.
            left_size: Number,
            /// Number of features of the right document.
            right_size: Number,
        }
        sides {
            /// Whether the left document is an old or a new one.
            left_source,
            /// Whether the right document is an old or a new one.
            right_source,
        }
        check: |pair| {
            if pair.overlap <= pair.left_size.min(pair.right_size) {
                return Ok(());
            }
            Err("an overlap larger than one of the sets".to_owned())
        };
    }
}

table! {
    /// Documents that belong together, two or more.
    Clusters = "clusters" of "cluster" {
        rows: ClusterRow, StoredCluster;
        of: [Find, Dedup];
        formats: Chosen;
        order: "by `cluster_id`";
        columns {
            /// Id of the document that is kept.
            cluster_id: Text,
            /// Number of members.
            size: Number,
            /// Ids of all members, the kept one included, sorted as bytes.
            members: Members,
        }
        sides {
            /// Whether the kept document is an old or a new one.
            cluster_source,
        }
        check: |cluster| {
            let (size, found) = (cluster.size as usize, cluster.members.len());
            if size == found {
                return Ok(());
            }
            Err(format!("a cluster of {size} with {found} members"))
        };
    }
}

table! {
    /// Documents that are not kept, each with the one that is kept for it.
    Duplicates = "duplicates" of "duplicate" {
        rows: DuplicateRow, StoredDuplicate;
        of: [Find, Dedup];
        formats: Chosen;
        order: "by `id`";
        columns {
            /// Id of the document that is not kept.
            id: Text,
            /// Id of the document that is kept for it.
            duplicate_of: Text,
            /// How similar the two are.
            similarity: Ratio,
            /// Share of its features that the kept one has.
            containment: Ratio,
            /// Share of the kept one's features that it has.
            containment_of_representative: Ratio,
            /// Why it is a duplicate: it has the text of the kept one, or its features, or is similar; or
            /// only other documents link the two (`cluster components`), below the threshold.
            rule: RuleName,
        }
        sides {
            /// Whether the kept document is an old or a new one.
            duplicate_of_source,
        }
        metadata: metadata;
    }
}

table! {
    /// Documents that occur in a pair; only with `pairs all`.
    DocumentsOfPairs = "documents" of "document" {
        rows: DocumentRow, StoredDocument;
        of: [Find, Dedup];
        formats: Chosen;
        order: "by `id`";
        columns {
            /// Id of the document.
            id: Text,
            /// Number of features.
            size: Number,
            /// Number of characters of its text.
            characters: Number,
            /// Identity of its text.
            text_hash: TextHash,
            /// Place in the order in which documents are kept, 0 first.
            place: Number,
        }
        sides {
            /// Whether it is an old or a new document.
            source,
        }
        metadata: metadata;
    }
}

table! {
    /// Simhashes of documents; only with `method simhash`.
    Codes = "codes" of "code" {
        rows: CodeRow, StoredCode;
        of: [Find, Dedup];
        formats: Chosen;
        order: "as the input";
        columns {
            /// Id of the document.
            id: Text,
            /// Its simhash.
            code: Simhash,
            /// How it was made; only simhashes made alike can be compared.
            made_by: Text,
        }
    }
}

table! {
    /// Records that could not become documents.
    BadRecords = "bad-records" of "bad-record" {
        rows: BadRecordRow, StoredBadRecord;
        of: [Find, Dedup, Passages];
        formats: Jsonl;
        order: "as the input";
        columns {
            /// File, as it is named in results.
            path: Text,
            /// Line or number of the record in it, from 1.
            number: Number<u64>,
            /// Byte where the record begins in the unpacked file, from 0.
            offset: Number<u64>,
            /// Why it is bad.
            kind: BadKindName,
            /// The same in words.
            detail: Text,
        }
        sides {
            /// Whether it is among the old or the new records.
            source,
        }
    }
}

table! {
    /// Documents without a whole shingle, which `similarity containment` cannot find in others.
    ShortDocuments = "short-documents" of "short-document" {
        rows: ShortDocumentRow, StoredShortDocument;
        of: [Find, Dedup];
        formats: Jsonl;
        order: "as the input";
        columns {
            /// Id of the document.
            id: Text,
        }
        sides {
            /// Whether it is an old or a new document.
            source,
        }
    }
}

table! {
    /// What each filter of the join is worth; only with `compare-filters`.
    FilterSettings = "filters" of "setting" {
        rows: FilterSettingRow, StoredFilterSetting;
        of: [Find, Dedup];
        formats: Tsv;
        order: "by sample, then as printed";
        columns {
            /// Which filters are on.
            setting: Text,
            /// The sample: one of so many sets of the collection.
            one_in: Number<u64>,
            /// Sets of the sample.
            sets: Number<u64>,
            /// Their features.
            features: Number<u64>,
            /// Sets that were never looked up, since too many of their features occur in no other set.
            without_partner: Number<u64>,
            /// Features looked up.
            lookups: Number<u64>,
            /// Entries of posting lists that were visited.
            postings: Number<u64>,
            /// Entries that the length filter left.
            after_length: Number<u64>,
            /// Entries that the position filter left.
            after_position: Number<u64>,
            /// Pairs that were left to be verified.
            candidates: Number<u64>,
            /// Pairs whose similarity was computed.
            verified: Number<u64>,
            /// Similar pairs.
            found: Number<u64>,
            /// Pairs that the first setting finds and this one does not.
            lost: Number<u64>,
            /// Whether exactly the same pairs were found, with the same overlaps.
            same: YesNo,
            /// Time to rank features and make bitmaps, prefixes or lists.
            prepare_seconds: Decimal,
            /// Time to find the pairs.
            join_seconds: Decimal,
        }
    }
}

impl StoredCode {
    /// A code as it is written: 16 hexadecimal digits.
    pub fn read(text: &str) -> Option<u64> {
        let code = super::column::hexadecimal(text, 16).ok()?;
        u64::try_from(code).ok()
    }
}
