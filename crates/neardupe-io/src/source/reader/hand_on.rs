//! Where documents and bad records go.

use super::super::plain_text;
use super::super::read::FileSource;
use super::super::text_maker::TextMaker;
use super::super::values::{Fault, Values};
use neardupe_core::document::{BadKind, BadRecord, Position, Record, Sink};
use neardupe_core::error::{Error, Result};
use neardupe_core::store::RecordHeld;
use std::path::Path;

/// Where documents and bad records go.
pub(super) struct HandOn<'a> {
    /// For the names of files in messages.
    pub(super) source: &'a FileSource,
    /// What the job does with documents.
    pub(super) sink: &'a mut dyn Sink,
    /// Makes texts of fields, in buffers of this thread.
    pub(super) maker: TextMaker,
    /// Room that was taken for a large record before it was read.
    held: Option<RecordHeld<'a>>,
    /// A large record came since that was last asked.
    was_large: bool,
}

impl<'a> HandOn<'a> {
    pub(super) fn new(source: &'a FileSource, sink: &'a mut dyn Sink) -> Self {
        HandOn {
            source,
            sink,
            maker: TextMaker::new(&source.options.text),
            held: None,
            was_large: false,
        }
    }

    /// Takes room before a record is read that may have so many bytes, if that makes it a large one.
    /// It is held until [`HandOn::take_was_large`].
    pub(super) fn reserve(&mut self, bytes: u64) {
        if self.held.is_none()
            && let Some(room) = &self.source.options.room
            && room.is_large(bytes)
        {
            self.held = Some(room.take(bytes));
            self.was_large = true;
        }
    }

    /// Whether a large record came, for which buffers may have grown. Once they are given back, others
    /// may have the room: the answer must be dropped then, not before.
    pub(super) fn take_was_large(&mut self) -> (bool, Option<RecordHeld<'a>>) {
        (std::mem::take(&mut self.was_large), self.held.take())
    }

    pub(super) fn wants(&self, position: Position) -> bool {
        self.sink.wants(position)
    }

    /// Makes the text of a record and hands the document on. An empty id counts as none: the
    /// document is then named by its place.
    pub(super) fn document(&mut self, values: &Values, position: Position) -> Result<()> {
        let bytes = values.num_bytes();
        let room = self.source.options.room.as_deref();
        let Some(room) = room.filter(|room| room.is_large(bytes)) else {
            return self.pass(values, position);
        };
        self.was_large = true;
        // Not twice: the room of a record that was large before it was decoded is held already.
        let held = self.held.is_none().then(|| room.take(bytes));
        let passed = self.pass(values, position);
        self.maker.give_back();
        self.sink.give_back();
        drop(held);
        passed
    }

    fn pass(&mut self, values: &Values, position: Position) -> Result<()> {
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
        let (kind, mut detail) = fault;
        let options = &self.source.options;
        if kind == BadKind::TooLong
            && let Some(remedy) = options.remedy_of_memory()
        {
            // The readers know one limit. Which parameter raises it depends on where it comes from.
            detail = detail.replace(plain_text::REMEDY, &remedy);
        }
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
