//! For tests of formats: all entries of a source, as plain values.

use super::entries::{Entries, Entry};
use super::fields::{FieldKeys, Fields};
use super::values::{Fault, TextKind, Values};
use std::sync::Arc;

/// What became of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Read {
    Document(Document),
    Bad(u64, Fault),
    Skipped,
}

/// An entry that is a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) offset: u64,
    pub(super) id: Option<String>,
    /// One for each text key.
    pub(super) texts: Vec<Option<String>>,
    pub(super) kinds: Vec<Option<TextKind>>,
    pub(super) metadata: Vec<Option<String>>,
}

/// Buffers for the default id and these fields of text and metadata.
pub(super) fn values(text: &[&str], metadata: &[&str]) -> Values {
    let owned = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect();
    let keys = FieldKeys {
        text: owned(text),
        metadata: owned(metadata),
        ..FieldKeys::default()
    };
    Values::new(Arc::new(Fields::new(&keys).unwrap()), None)
}

/// Reads everything. Panics when the end does not come.
pub(super) fn read_all(entries: &mut dyn Entries, values: &mut Values) -> Vec<Read> {
    let mut all = Vec::new();
    for _ in 0..1_000_000 {
        values.clear();
        all.push(match entries.next(values) {
            Entry::Record(offset) => {
                let texts = values.texts.iter();
                Read::Document(Document {
                    offset,
                    id: values.id.clone(),
                    texts: texts
                        .map(|text| text.present.then(|| text.value.clone()))
                        .collect(),
                    kinds: values.texts.iter().map(|text| text.kind).collect(),
                    metadata: values.metadata.clone(),
                })
            }
            Entry::Bad(offset, fault) => Read::Bad(offset, fault),
            Entry::Skipped => Read::Skipped,
            Entry::End => return all,
        });
    }
    panic!("the entries do not end");
}

/// The documents alone.
pub(super) fn documents<'a>(all: &'a [Read]) -> Vec<&'a Document> {
    let document = |read: &'a Read| match read {
        Read::Document(document) => Some(document),
        Read::Bad(..) | Read::Skipped => None,
    };
    all.iter().filter_map(document).collect()
}
