//! Where documents and bad records go.

use super::super::read::FileSource;
use super::super::text_maker::TextMaker;
use super::super::values::{Fault, Values};
use neardupe_core::document::{BadRecord, Position, Record, Sink};
use neardupe_core::error::{Error, Result};
use std::path::Path;

/// Where documents and bad records go.
pub(super) struct HandOn<'a> {
    /// For the names of files in messages.
    pub(super) source: &'a FileSource,
    /// What the job does with documents.
    pub(super) sink: &'a mut dyn Sink,
    /// Makes texts of fields, in buffers of this thread.
    pub(super) maker: TextMaker,
}

impl HandOn<'_> {
    /// Whether the sink wants this document. Asked before a record is parsed.
    pub(super) fn wants(&self, position: Position) -> bool {
        self.sink.wants(position)
    }

    /// Makes the text of a record and hands the document on. An empty id counts as none: the
    /// document is then named by its place.
    pub(super) fn document(&mut self, values: &Values, position: Position) -> Result<()> {
        let made = self.maker.make(values);
        self.sink.document(&Record {
            id: values.id.as_deref().filter(|id| !id.is_empty()),
            text: made.text,
            regions: &made.parts.regions,
            links: &made.parts.links,
            remarks: made.remarks,
            metadata: &values.metadata,
            position,
        })
    }

    /// Hands on a bad record. When that ends the job, the message says where it stands.
    pub(super) fn bad(
        &mut self,
        position: Position,
        offset: u64,
        fault: Fault,
    ) -> Result<()> {
        let (kind, detail) = fault;
        let bad = BadRecord {
            position,
            offset,
            kind,
            detail,
        };
        self.sink.bad_record(bad).map_err(|error| match error {
            Error::Input { what, message } => {
                let input = &self.source.files[position.file as usize];
                let path = input.path.as_deref().unwrap_or(Path::new(&input.name));
                let what = format!("{}: {what} at byte {offset}", path.display());
                Error::input(what, message)
            }
            other => other,
        })
    }
}
