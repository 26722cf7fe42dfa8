//! The fields that are added to records.
//!
//! With `annotate` every document gets its cluster, its size and whether it is the one that is
//! kept. Removed documents get the one that is kept for them, the similarity, and where its
//! record stands: the evidence travels with the record, so that a removed one can be found and
//! restored without the tables. A field of the same name in the input is an error, not
//! overwritten: `prefix` renames ours.

use super::Mode;
use super::decisions::Decisions;
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::pipeline::Duplicate;
use neardupe_io::source::parquet::copy::{NewColumn, NewKind};

/// The names of the added fields.
#[derive(Debug, Clone)]
pub struct AddedFields {
    /// With their prefix, in the order of columns.
    names: Vec<(String, NewKind)>,
    /// Decides which fields there are.
    mode: Mode,
    /// The side of the kept document is named.
    against: bool,
}

/// A value of an added field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Ids and places.
    Text(String),
    Whole(u64),
    /// A number with six decimals.
    Ratio(String),
    Bool(bool),
    /// For a document that is kept, or where nothing applies.
    Null,
}

impl AddedFields {
    /// The fields of a mode, their names with a prefix. With `against` new documents were compared with
    /// old ones.
    pub fn new(mode: Mode, prefix: &str, against: bool) -> Self {
        let mut removed = vec![
            ("duplicate_of", NewKind::Text),
            ("similarity", NewKind::Ratio),
            ("duplicate_of_record", NewKind::Text),
        ];
        if against {
            removed.push(("duplicate_of_source", NewKind::Text));
        }
        let cluster = [
            ("cluster_id", NewKind::Text),
            ("cluster_size", NewKind::Whole),
            ("is_representative", NewKind::Bool),
        ];
        let fields = match mode {
            Mode::Split => removed,
            Mode::Annotate => [&cluster[..], &removed].concat(),
        };
        let name = |(name, kind)| (format!("{prefix}{name}"), kind);
        let names = fields.into_iter().map(name).collect();
        AddedFields {
            names,
            mode,
            against,
        }
    }

    /// Names with their prefix.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str())
    }

    /// The same with types, for columns.
    pub(super) fn columns(&self) -> Vec<NewColumn> {
        let column = |(name, kind): &(String, NewKind)| NewColumn {
            name: name.clone(),
            kind: *kind,
        };
        self.names.iter().map(column).collect()
    }

    /// Refuses a field that is already there.
    pub(super) fn check(&self, file: &str, field: &str) -> Result<()> {
        if !self.names().any(|name| name == field) {
            return Ok(());
        }
        let message = format!(
            "{file} already has a field {field}, which would be written; `prefix` P_ calls it \
             P_{field}"
        );
        Err(Error::config("prefix", message))
    }

    /// The values for a document; `duplicate` is why it is removed, if it is.
    pub(super) fn values(
        &self,
        decisions: &Decisions<'_>,
        document: DocIdx,
        duplicate: Option<&Duplicate>,
    ) -> Result<Vec<Value>> {
        let documents = decisions.documents();
        let text = |document| -> Result<Value> {
            Ok(Value::Text(documents.id(document)?.into_owned()))
        };
        let mut values = Vec::with_capacity(self.names.len());
        if self.mode == Mode::Annotate {
            // A document that is kept leads its own cluster, even if it is alone in it.
            let lead = duplicate.map_or(document, |duplicate| duplicate.representative);
            values.push(text(lead)?);
            values.push(Value::Whole(decisions.cluster_size(lead)));
            values.push(Value::Bool(duplicate.is_none()));
        }
        match duplicate {
            // The rest of the row is empty.
            None => values.resize(self.names.len(), Value::Null),
            Some(duplicate) => {
                let ratio = decisions.similarity(duplicate);
                values.push(text(duplicate.representative)?);
                values.push(Value::Ratio(ratio.to_string()));
                values.push(Value::Text(decisions.place(duplicate.representative)?));
                if self.against {
                    let side = decisions.side(duplicate.representative);
                    values.push(Value::Text(side.unwrap_or_default().to_owned()));
                }
            }
        }
        Ok(values)
    }
}
