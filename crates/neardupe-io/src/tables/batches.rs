//! A table as record batches of Arrow, without a file.

use super::arrow::BatchBuilder;
use super::declaration::Declared;
use super::schema::{Layout, Schema};
use arrow_array::RecordBatch;
use arrow_schema::Schema as ArrowSchema;
use neardupe_core::error::{Error, Result};
use std::sync::Arc;

/// The rows of a table in order, some thousands at a time. After an error there are no more. A table
/// without rows has no batch, but a schema.
pub struct Batches<'a> {
    /// Known before the first batch.
    schema: Arc<ArrowSchema>,
    /// Makes the batches as they are asked for.
    batches: Box<dyn Iterator<Item = Result<RecordBatch>> + Send + 'a>,
    /// The end or an error was reported.
    failed: bool,
}

impl std::fmt::Debug for Batches<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Batches({})", self.schema)
    }
}

impl<'a> Batches<'a> {
    /// The batches of rows.
    pub fn of<T: Declared>(
        rows: impl Iterator<Item = Result<T::Row<'a>>> + Send + 'a,
        layout: &Layout,
    ) -> Self {
        let schema = Schema::of(T::DECLARATION, layout);
        let num_declared = schema.num_declared;
        Batches::made(T::DECLARATION.name, &schema, rows, move |row, batch| {
            T::cells(&row, num_declared, |cells| batch.row(cells))
        })
    }

    /// The batches that `add` makes of rows.
    pub(crate) fn made<R>(
        table: &'static str,
        schema: &Schema,
        mut rows: impl Iterator<Item = Result<R>> + Send + 'a,
        add: impl Fn(R, &mut BatchBuilder) -> std::io::Result<()> + Send + 'a,
    ) -> Self {
        let mut builder = BatchBuilder::new(schema);
        let schema = builder.schema().clone();
        let failed =
            move |error| Error::Internal(format!("a record batch of {table}: {error}"));
        let mut next = move || -> Result<Option<RecordBatch>> {
            // A batch is bounded in rows and bytes: a cluster of a million members is a row of its own batch.
            while !builder.is_full() {
                let Some(row) = rows.next() else {
                    break;
                };
                add(row?, &mut builder).map_err(failed)?;
            }
            if builder.is_empty() {
                Ok(None)
            } else {
                builder.take().map(Some).map_err(failed)
            }
        };
        Batches {
            schema,
            batches: Box::new(std::iter::from_fn(move || next().transpose())),
            failed: false,
        }
    }

    /// The columns and their types.
    pub fn schema(&self) -> &Arc<ArrowSchema> {
        &self.schema
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        if self.failed {
            return None;
        }
        let batch = self.batches.next();
        // The end counts as failed too: an iterator that was asked again could otherwise go
        // on.
        self.failed = !matches!(batch, Some(Ok(_)));
        batch
    }
}
