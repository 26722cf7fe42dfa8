//! Rows as record batches of Arrow.
//!
//! Whole numbers are signed 64-bit integers (Spark knows no unsigned ones), ratios the doubles nearest
//! to their six decimals, texts `LargeUtf8`, lists non-null lists of them. Offsets have 64 bits: the
//! members of a giant cluster are one value.

use super::cell::{Cell, ColumnKind};
use super::raw::{RawRow, Value};
use super::schema::{Column, Schema};
use arrow_array::builder::{
    Float64Builder, Int64Builder, LargeListBuilder, LargeStringBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use std::io;
use std::sync::Arc;

/// Rows of a batch at most.
const BATCH_ROWS: usize = 1 << 13;
/// Bytes of text from which a batch has enough.
const BATCH_BYTES: usize = 1 << 20;

/// Gathers rows.
pub(crate) struct BatchBuilder {
    /// The schema of all batches.
    schema: Arc<ArrowSchema>,
    /// One per column.
    builders: Vec<Builder>,
    /// Rows that wait.
    num_rows: usize,
    /// Bytes of their texts.
    num_bytes: usize,
}

/// The values of a column that are not yet part of a batch.
enum Builder {
    /// Texts.
    Text(LargeStringBuilder),
    /// Whole numbers.
    Number(Int64Builder),
    /// Ratios and other numbers with decimals.
    Ratio(Float64Builder),
    /// Lists of texts.
    List(LargeListBuilder<LargeStringBuilder>),
}

impl Schema {
    /// The schema of record batches.
    pub fn arrow(&self) -> ArrowSchema {
        ArrowSchema::new(self.columns.iter().map(field).collect::<Vec<_>>())
    }
}

impl BatchBuilder {
    /// A builder without rows.
    pub(crate) fn new(schema: &Schema) -> Self {
        BatchBuilder {
            schema: Arc::new(schema.arrow()),
            builders: schema.columns.iter().map(Builder::of).collect(),
            num_rows: 0,
            num_bytes: 0,
        }
    }

    /// The schema, which every batch shares.
    pub(crate) fn schema(&self) -> &Arc<ArrowSchema> {
        &self.schema
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            builder.append(cell)?;
        }
        self.num_rows += 1;
        self.num_bytes += cells.iter().map(Cell::text_bytes).sum::<usize>();
        Ok(())
    }

    /// Adds a row that was read, with the values of these columns and metadata fields.
    pub(crate) fn raw_row(
        &mut self,
        row: RawRow,
        columns: &[usize],
        fields: &[String],
    ) -> io::Result<()> {
        let RawRow {
            mut values,
            metadata,
        } = row;
        let declared = columns.iter().map(|&at| values[at].take());
        let mut of_fields: Vec<Option<Value>> = vec![None; fields.len()];
        // Metadata come by name, and in any order: a file may have others than this job asked
        // for.
        for (name, value) in metadata {
            if let Some(at) = fields.iter().position(|field| *field == name) {
                of_fields[at] = value.map(Value::Text);
            }
        }
        let declared: Vec<Option<Value>> = declared.collect();
        for (builder, value) in self
            .builders
            .iter_mut()
            .zip(declared.into_iter().chain(of_fields))
        {
            self.num_bytes += value.as_ref().map_or(0, Value::text_bytes);
            builder.append_value(value)?;
        }
        self.num_rows += 1;
        Ok(())
    }

    /// Whether it is time to take the batch.
    pub(crate) fn is_full(&self) -> bool {
        self.num_rows >= BATCH_ROWS || self.num_bytes >= BATCH_BYTES
    }

    /// Whether no row waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.num_rows == 0
    }

    /// The rows that were added since the last time.
    pub(crate) fn take(&mut self) -> io::Result<RecordBatch> {
        let columns = self.builders.iter_mut().map(Builder::take).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        self.num_rows = 0;
        self.num_bytes = 0;
        batch.map_err(io::Error::other)
    }
}

impl Cell<'_> {
    /// Bytes of its text.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Cell::Text(text) => text.len(),
            Cell::Maybe(text) => text.map_or(0, str::len),
            Cell::List(items) => {
                let mut bytes = 0;
                // What cannot be looked up is an error when it is written.
                let _ = items.each(|item| {
                    bytes += item.len();
                    Ok(())
                });
                bytes
            }
            Cell::Number(_)
            | Cell::MaybeNumber(_)
            | Cell::Integer(_)
            | Cell::Ratio(..)
            | Cell::MaybeRatio(_)
            | Cell::Decimal(..)
            | Cell::MaybeDecimal(..) => 0,
        }
    }
}

impl Value {
    /// Bytes of its text.
    fn text_bytes(&self) -> usize {
        match self {
            Value::Text(text) => text.len(),
            Value::List(items) => items.iter().map(String::len).sum(),
            Value::Number(_) | Value::Integer(_) | Value::Ratio(_) => 0,
        }
    }
}

impl Builder {
    /// A builder for a column. Optional columns use the same builders with nulls.
    fn of(column: &Column) -> Self {
        match column.kind {
            ColumnKind::Text | ColumnKind::OptionalText => {
                Builder::Text(LargeStringBuilder::new())
            }
            ColumnKind::Number | ColumnKind::OptionalNumber | ColumnKind::Integer => {
                Builder::Number(Int64Builder::new())
            }
            ColumnKind::Ratio
            | ColumnKind::OptionalRatio
            | ColumnKind::Decimal
            | ColumnKind::OptionalDecimal => Builder::Ratio(Float64Builder::new()),
            ColumnKind::List(_) => {
                let items = LargeListBuilder::new(LargeStringBuilder::new());
                Builder::List(items.with_field(item_field()))
            }
        }
    }

    /// Adds a cell. A cell of another type is an error of this program and never of the data.
    fn append(&mut self, cell: &Cell<'_>) -> io::Result<()> {
        match (self, cell) {
            (Builder::Text(texts), Cell::Text(text)) => texts.append_value(text),
            (Builder::Text(texts), Cell::Maybe(text)) => texts.append_option(*text),
            (Builder::Number(numbers), Cell::Number(number)) => {
                let number = i64::try_from(*number).map_err(io::Error::other)?;
                numbers.append_value(number);
            }
            (Builder::Number(numbers), Cell::MaybeNumber(number)) => {
                let number = number.map(i64::try_from).transpose();
                numbers.append_option(number.map_err(io::Error::other)?);
            }
            (Builder::Number(numbers), Cell::Integer(number)) => {
                numbers.append_value(*number);
            }
            // By way of the text, as a ratio below.
            (
                Builder::Ratio(ratios),
                Cell::MaybeRatio(_) | Cell::Decimal(..) | Cell::MaybeDecimal(..),
            ) => {
                let ratio = cell.number().map(|ratio| ratio.parse()).transpose();
                ratios.append_option(ratio.map_err(io::Error::other)?);
            }
            (Builder::Ratio(ratios), Cell::Ratio(ratio)) => {
                // By way of the text: the double that readers of the other formats get.
                let ratio = ratio.to_string().parse();
                ratios.append_value(ratio.map_err(io::Error::other)?);
            }
            (Builder::List(lists), Cell::List(items)) => {
                items.each(|item| {
                    lists.values().append_value(item);
                    Ok(())
                })?;
                lists.append(true);
            }
            _ => return Err(io::Error::other("a cell is not of the type of its column")),
        }
        Ok(())
    }

    /// Adds a value that was read; none is a null.
    fn append_value(&mut self, value: Option<Value>) -> io::Result<()> {
        match (self, value) {
            (Builder::Text(texts), Some(Value::Text(text))) => texts.append_value(text),
            (Builder::Text(texts), None) => texts.append_null(),
            (Builder::Number(numbers), Some(Value::Number(number))) => {
                numbers.append_value(i64::try_from(number).map_err(io::Error::other)?);
            }
            (Builder::Number(numbers), Some(Value::Integer(number))) => {
                numbers.append_value(number);
            }
            (Builder::Number(numbers), None) => numbers.append_null(),
            (Builder::Ratio(ratios), Some(Value::Ratio(ratio))) => {
                ratios.append_value(ratio);
            }
            (Builder::Ratio(ratios), None) => ratios.append_null(),
            (Builder::List(lists), Some(Value::List(items))) => {
                for item in items {
                    lists.values().append_value(item);
                }
                lists.append(true);
            }
            _ => {
                return Err(io::Error::other("a value is not of the type of its column"));
            }
        }
        Ok(())
    }

    /// The array of what was added; the builder is empty then.
    fn take(&mut self) -> ArrayRef {
        match self {
            Builder::Text(texts) => Arc::new(texts.finish()),
            Builder::Number(numbers) => Arc::new(numbers.finish()),
            Builder::Ratio(ratios) => Arc::new(ratios.finish()),
            Builder::List(lists) => Arc::new(lists.finish()),
        }
    }
}

/// A column as a field of the schema. Lists are never null: an empty list says the same.
fn field(column: &Column) -> Field {
    let (data_type, nullable) = match column.kind {
        ColumnKind::Text => (DataType::LargeUtf8, false),
        ColumnKind::OptionalText => (DataType::LargeUtf8, true),
        ColumnKind::Number | ColumnKind::Integer => (DataType::Int64, false),
        ColumnKind::OptionalNumber => (DataType::Int64, true),
        ColumnKind::Ratio | ColumnKind::Decimal => (DataType::Float64, false),
        ColumnKind::OptionalRatio | ColumnKind::OptionalDecimal => {
            (DataType::Float64, true)
        }
        ColumnKind::List(_) => (DataType::LargeList(Arc::new(item_field())), false),
    };
    Field::new(&column.name, data_type, nullable)
}

/// An item of a list, under the name that the Parquet format gives it.
fn item_field() -> Field {
    Field::new("element", DataType::LargeUtf8, false)
}
