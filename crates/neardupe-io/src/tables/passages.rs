//! The tables of `passages`.

use super::column::{Number, PassageKind, Ratio, Sentences, Text, YesNo};
use super::declaration::table;

table! {
    /// Stretches that two documents have in common. Places are characters (code points), with
    /// `offsets bytes` bytes of UTF-8, from 0, the end not included.
    Passages = "passages" of "passage" {
        rows: PassageRow, StoredPassage;
        of: [Passages];
        formats: Chosen;
        order: "by `left` and `right`, then by place";
        columns {
            /// Id of one document: the smaller one, compared as bytes.
            left: Text,
            /// Where the passage begins in the left document.
            left_start: Number,
            /// Where it ends there.
            left_end: Number,
            /// Id of the other document.
            right: Text,
            /// Where the passage begins in the right document.
            right_start: Number,
            /// Where it ends there.
            right_end: Number,
            /// First and last sentence on the left.
            left_sentences: Sentences,
            /// First and last sentence on the right.
            right_sentences: Sentences,
            /// Words of the shorter side.
            words: Number,
            /// Resemblance of the words of both sides.
            similarity: Ratio,
            /// Share of the words of the left document.
            left_share: Ratio,
            /// Share of the words of the right document.
            right_share: Ratio,
            /// What kind of duplication it is.
            kind: PassageKind,
        }
        check: |row| {
            if row.left_start <= row.left_end && row.right_start <= row.right_end {
                return Ok(());
            }
            Err("a passage that ends before it begins".to_owned())
        };
    }
}

table! {
    /// Pairs of documents that have passages in common.
    PassagePairs = "passage-pairs" of "pair" {
        rows: PassagePairRow, StoredPassagePair;
        of: [Passages];
        formats: Chosen;
        order: "by `left` and `right`";
        columns {
            /// Id of one document: the smaller one, compared as bytes.
            left: Text,
            /// Id of the other document.
            right: Text,
            /// Number of passages.
            passages: Number<u64>,
            /// Words of all passages, each by its shorter side.
            words: Number<u64>,
            /// Share of the words of the left document that are in any of them.
            left_share: Ratio,
            /// Share of the words of the right document that are in any of them.
            right_share: Ratio,
            /// The kind of the longest passage.
            kind: PassageKind,
            /// Whether passages cover nearly all of both documents.
            near_duplicate: YesNo,
        }
    }
}

table! {
    /// Documents that have the text of another one, which stands for them.
    Copies = "copies" of "copy" {
        rows: CopyRow, StoredCopy;
        of: [Passages];
        formats: Chosen;
        order: "by the document that stands for them";
        columns {
            /// Id of the document.
            id: Text,
            /// Id of the document that stands for it.
            copy_of: Text,
        }
    }
}

table! {
    /// Sentences of too many documents to be looked for; the file can be given to `ignore`.
    BoilerplateSentences = "boilerplate" of "sentence" {
        rows: BoilerplateRow, StoredBoilerplate;
        of: [Dedup, Passages];
        formats: Jsonl;
        order: "by falling number of documents";
        columns {
            /// Number of different texts that have it.
            documents: Number,
            /// Id of the first document that has it.
            first: Text,
            /// The sentence.
            text: Text,
        }
    }
}
