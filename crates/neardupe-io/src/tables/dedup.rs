//! The tables that `dedup` adds: what became of each file, and what was removed.

use super::column::{Number, Ratio, RemovalKind, Sentences, Text};
use super::declaration::table;

table! {
    /// Input files, with what became of their records.
    Files = "files" of "file" {
        rows: FileRow, StoredFile;
        of: [Dedup];
        formats: Jsonl;
        order: "as the input";
        columns {
            /// The file, as it is named in results.
            path: Text,
            /// Number of its records.
            records: Number<u64>,
            /// Records that are kept.
            kept: Number<u64>,
            /// Records that were removed.
            removed: Number<u64>,
            /// Bad records.
            bad_records: Number<u64>,
            /// Entries that hold no text by their own account.
            skipped: Number<u64>,
        }
    }
}

table! {
    /// Documents that were removed, each with where the one that is kept for it is.
    Removed = "removed" of "document" {
        rows: RemovedRow, StoredRemoved;
        of: [Dedup];
        formats: Chosen;
        order: "as the input";
        columns {
            /// File of the removed document, as it is named in results.
            path: Text,
            /// Its line or number in the file, from 1.
            number: Number<u64>,
            /// Its id.
            id: Text,
            /// Id of the document that is kept for it.
            duplicate_of: Text,
            /// File of the kept document.
            duplicate_of_path: Text,
            /// How similar the two are.
            similarity: Ratio,
            /// Where the kept document is: its file as it was given, `#`, and the number of its record.
            duplicate_of_record: Text,
        }
        sides {
            /// Whether the kept document is an old or a new one.
            duplicate_of_source,
        }
    }
}

table! {
    /// Stretches that were taken out of documents, each with where it is kept; only with
    /// `passages`. Places are characters, from 0, the end not included.
    RemovedPassages = "removed-passages" of "passage" {
        rows: RemovedPassageRow, StoredRemovedPassage;
        of: [Dedup];
        formats: Chosen;
        order: "by `id` and place";
        columns {
            /// Id of the document.
            id: Text,
            /// Where the stretch began.
            start: Number<u64>,
            /// Where it ended.
            end: Number<u64>,
            /// Its first and last sentence.
            sentences: Sentences,
            /// Number of its words.
            words: Number<u64>,
            /// Id of the document in which it is kept.
            kept_in: Text,
            /// Where it begins there.
            kept_start: Number<u64>,
            /// Where it ends there.
            kept_end: Number<u64>,
            /// Share of its words that the kept copy has in the same order.
            similarity: Ratio,
            /// Why it was removed.
            kind: RemovalKind,
        }
    }
}
