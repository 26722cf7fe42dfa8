//! Documents in record batches of Arrow: tables that another library holds in memory.
//!
//! A text is a slice of its array and is never copied, unless it is made of several columns. Ids and metadata become text by the rules of Parquet columns (`scalars`), so a table
//! gives the same documents from memory and from a file; the tests compare the two.
//!
//! A column that cannot be used is an error here, where a file has bad records: whoever holds
//! the table can choose another column at once.

use super::fields::{FieldKeys, Fields, Node, Target};
use super::scalars::{self, Meaning, Scalar};
use super::values::{Fault, Values};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema, TimeUnit};
use neardupe_core::document::{
    BadKind, MemoryDocument, MemoryRow, MemoryRows, MemorySource,
};
use neardupe_core::error::{Error, Result};
use std::borrow::Cow;
use std::sync::Arc;

/// A source of the rows of record batches.
///
/// ```
/// use arrow_array::{ArrayRef, RecordBatch, StringArray};
/// use neardupe_io::source::{ArrowRows, ArrowSource, FieldKeys};
/// use std::sync::Arc;
///
/// let texts: ArrayRef = Arc::new(StringArray::from(vec!["a rose", "A rose!"]));
/// let table = RecordBatch::try_from_iter([("text", texts)]).unwrap();
/// let rows = ArrowRows::new(vec![table], &FieldKeys::default())?;
/// let source: ArrowSource = ArrowSource::new("table", rows);
/// # Ok::<(), neardupe_core::error::Error>(())
/// ```
pub type ArrowSource = MemorySource<ArrowRows>;

/// The rows of record batches, one batch after the other.
#[derive(Debug, Clone)]
pub struct ArrowRows {
    /// The wanted fields, and where they go.
    fields: Arc<Fields>,
    /// The batches with their wanted columns found.
    batches: Vec<ArrowBatch>,
    /// Number of the first row of each batch, and after the last one that of all rows.
    starts: Vec<usize>,
}

/// The wanted columns of a batch.
#[derive(Debug, Clone)]
struct ArrowBatch(Vec<ArrowColumn>);

/// A wanted column of one batch.
#[derive(Debug, Clone)]
struct ArrowColumn {
    /// With the names of the structs that it is in.
    name: String,
    /// The structs that the column is in, the outermost first: a null one has no values.
    parents: Vec<ArrayRef>,
    /// The values. Cloning shares them.
    array: ArrayRef,
    /// How a value becomes text.
    meaning: Meaning,
    /// The fields that it is put into.
    targets: Vec<Target>,
}

impl ArrowRows {
    /// Finds the columns; one that is missing or of a type that cannot be used is an error. A
    /// missing column of ids is not, if it has its default name: documents are numbered then.
    pub fn new(batches: Vec<RecordBatch>, keys: &FieldKeys) -> Result<Self> {
        let fields = Arc::new(Fields::new(keys)?);
        let mut starts = vec![0];
        let mut found = Vec::with_capacity(batches.len());
        for batch in &batches {
            starts.push(starts[starts.len() - 1] + batch.num_rows());
            found.push(ArrowBatch::find(batch, &fields)?);
        }
        Ok(ArrowRows {
            fields,
            batches: found,
            starts,
        })
    }

    /// The batch of a row, and its number in that batch.
    fn place(&self, row: usize) -> (&ArrowBatch, usize) {
        // The last batch that starts at or before the row; empty batches before it start there too.
        let batch = self.starts.partition_point(|&start| start <= row) - 1;
        (&self.batches[batch], row - self.starts[batch])
    }
}

impl MemoryRows for ArrowRows {
    fn num_rows(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    fn row(&self, number: usize) -> MemoryRow<'_> {
        let (batch, row) = self.place(number);
        let mut values = Values::new(Arc::clone(&self.fields), None);
        let read = batch.read(row, &mut values);
        let texts = match read.and_then(|texts| values.check().map(|()| texts)) {
            Ok(texts) => texts,
            Err((kind, detail)) => return MemoryRow::Bad(kind, detail),
        };
        MemoryRow::Document(MemoryDocument {
            id: values.id.map(Cow::Owned),
            text: join(texts),
            metadata: Cow::Owned(values.metadata),
        })
    }

    fn text_bytes(&self) -> u64 {
        let columns = self.batches.iter().flat_map(|batch| &batch.0);
        columns
            .filter(|column| column.is_text())
            .map(|column| column.num_bytes())
            .sum()
    }
}

/// Texts one after the other, each on lines of its own: as in files.
fn join(texts: Vec<Option<&str>>) -> Cow<'_, str> {
    let mut present = texts.into_iter().flatten();
    let mut text = Cow::Borrowed(present.next().unwrap_or_default());
    for more in present {
        if !text.is_empty() {
            text.to_mut().push('\n');
        }
        text.to_mut().push_str(more);
    }
    text
}

impl ArrowBatch {
    /// Finds the wanted columns of a batch. Every batch is checked, because nothing forces
    /// batches to have one schema.
    fn find(batch: &RecordBatch, fields: &Fields) -> Result<Self> {
        let schema = batch.schema();
        let mut columns = Vec::new();
        let named = schema.fields().iter().zip(batch.columns());
        for (field, array) in named {
            if let Some(node) = child(&fields.tree, field.name()) {
                look_into(field.name(), array, node, &[], &mut columns)?;
            }
        }
        // Text and metadata must be there under any name; the id only if it was asked for by
        // another name than its default.
        let has = |wanted: Target| {
            let mut all = columns
                .iter()
                .flat_map(|column: &ArrowColumn| &column.targets);
            all.any(|&target| target == wanted)
        };
        let keys = &fields.keys;
        for (number, key) in keys.text.iter().enumerate() {
            if !has(Target::Text(number)) {
                return Err(missing("text-key", key, &schema));
            }
        }
        for (number, key) in keys.metadata.iter().enumerate() {
            if !has(Target::Metadata(number)) {
                return Err(missing("meta-key", key, &schema));
            }
        }
        if keys.id != FieldKeys::default().id && !has(Target::Id) {
            return Err(missing("id-key", &keys.id, &schema));
        }
        Ok(ArrowBatch(columns))
    }

    /// Puts the id and the metadata of a row into `values`; the texts stay where they are.
    fn read(&self, row: usize, values: &mut Values) -> Result<Vec<Option<&str>>, Fault> {
        let mut texts = vec![None; values.texts.len()];
        for column in &self.0 {
            let Some(cell) = column.cell(row) else {
                continue;
            };
            let text = match cell {
                Cell::Stored(Scalar::Bytes(bytes)) if column.meaning == Meaning::Text => {
                    // A character set would be a guess that nobody hears of.
                    match std::str::from_utf8(bytes) {
                        Ok(text) => Some(text),
                        Err(error) => return Err(not_utf8(&column.name, &error)),
                    }
                }
                _ => None,
            };
            for &target in &column.targets {
                match (target, text) {
                    (Target::Text(number), Some(text)) => {
                        values.texts[number].present = true;
                        texts[number] = Some(text);
                    }
                    _ => scalars::put(&[target], column.meaning, cell.scalar(), values),
                }
            }
        }
        Ok(texts)
    }
}

/// The fault of a row whose text is bytes that are no UTF-8.
fn not_utf8(name: &str, error: &std::str::Utf8Error) -> Fault {
    let detail = format!(
        "column {name}: the value is not UTF-8 from byte {}",
        error.valid_up_to()
    );
    (BadKind::InvalidUtf8, detail)
}

/// The error about a column that is not there, with the names that are.
fn missing(param: &str, key: &str, schema: &Schema) -> Error {
    let names: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    let message = format!("the table has no column {key:?}, only {}", names.join(", "));
    Error::config(param, message)
}

/// The child of a node with this name.
fn child<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    let mut children = node.children.iter();
    children
        .find(|(key, _)| key == name)
        .map(|(_, child)| child)
}

/// Finds wanted columns in a column, which may be a struct of others.
fn look_into(
    name: &str,
    array: &ArrayRef,
    node: &Node,
    parents: &[ArrayRef],
    columns: &mut Vec<ArrowColumn>,
) -> Result<()> {
    if let DataType::Struct(fields) = array.data_type() {
        let parents = [parents, &[Arc::clone(array)]].concat();
        let within = array.as_struct();
        for (field, array) in fields.iter().zip(within.columns()) {
            if let Some(node) = child(node, field.name()) {
                let name = format!("{name}.{}", field.name());
                look_into(&name, array, node, &parents, columns)?;
            }
        }
        // As with JSON: where a field within is wanted, the struct itself is not.
        if !node.children.is_empty() || node.targets.is_empty() {
            return Ok(());
        }
    }
    if node.targets.is_empty() {
        return Ok(());
    }
    // Types are checked once per column and not per value.
    let meaning = meaning(array.data_type());
    for &target in &node.targets {
        let (param, wanted, fits) = match target {
            Target::Text(_) => ("text-key", "strings", meaning == Meaning::Text),
            Target::Id => (
                "id-key",
                "strings or numbers",
                !matches!(meaning, Meaning::Other(_) | Meaning::Bool),
            ),
            Target::Metadata(_) => (
                "meta-key",
                "single values",
                !matches!(meaning, Meaning::Other(_)),
            ),
        };
        if !fits && array.data_type() != &DataType::Null {
            let found = array.data_type();
            let message =
                format!("column {name:?} has values of type {found}, not {wanted}");
            return Err(Error::config(param, message));
        }
    }
    columns.push(ArrowColumn {
        name: name.to_owned(),
        parents: parents.to_vec(),
        array: Arc::clone(array),
        meaning,
        targets: node.targets.clone(),
    });
    Ok(())
}

/// How values of a type become text, by the same words as for Parquet.
fn meaning(data_type: &DataType) -> Meaning {
    match data_type {
        DataType::Boolean => Meaning::Bool,
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => {
            Meaning::Signed
        }
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
            Meaning::Unsigned
        }
        DataType::Float16 => Meaning::Half,
        DataType::Float32 | DataType::Float64 => Meaning::Float,
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => Meaning::scaled(i32::from(*scale)),
        DataType::Date32 | DataType::Date64 => Meaning::Date,
        DataType::Time32(unit) | DataType::Time64(unit) => {
            Meaning::Time(nanoseconds(unit))
        }
        DataType::Timestamp(unit, zone) => {
            Meaning::Timestamp(nanoseconds(unit), zone.is_some())
        }
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Meaning::Text,
        DataType::Dictionary(_, values) => meaning(values),
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..) => Meaning::Other("an array"),
        DataType::Struct(_) | DataType::Map(..) => Meaning::Other("an object"),
        _ => Meaning::Other("of a type that cannot be text"),
    }
}

/// Nanoseconds of one unit.
fn nanoseconds(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// A value, with its bytes where the array does not store them as they are needed.
enum Cell<'a> {
    /// Stored as it is needed.
    Stored(Scalar<'a>),
    /// A decimal of 128 bits, the highest byte first.
    Wide([u8; 16]),
    /// A decimal of 256 bits, the highest byte first.
    Widest([u8; 32]),
    /// A half float, the lowest byte first.
    Half([u8; 2]),
}

impl Cell<'_> {
    /// The scalar, whose bytes may be those of the cell itself.
    fn scalar(&self) -> Scalar<'_> {
        match self {
            Cell::Stored(scalar) => *scalar,
            Cell::Wide(bytes) => Scalar::Bytes(bytes),
            Cell::Widest(bytes) => Scalar::Bytes(bytes),
            Cell::Half(bytes) => Scalar::Bytes(bytes),
        }
    }
}

impl ArrowColumn {
    /// Whether a text is made of it.
    fn is_text(&self) -> bool {
        let mut targets = self.targets.iter();
        targets.any(|target| matches!(target, Target::Text(_)))
    }

    /// About the bytes of all values, for progress: those of a slice count by its share.
    fn num_bytes(&self) -> u64 {
        let array = &self.array;
        match array.data_type() {
            DataType::Utf8 => {
                let offsets = array.as_string::<i32>().value_offsets();
                u64::from(offsets[offsets.len() - 1].abs_diff(offsets[0]))
            }
            DataType::LargeUtf8 => {
                let offsets = array.as_string::<i64>().value_offsets();
                offsets[offsets.len() - 1].abs_diff(offsets[0])
            }
            _ => array.get_array_memory_size() as u64,
        }
    }

    /// The value of a row; None for null.
    fn cell(&self, row: usize) -> Option<Cell<'_>> {
        // A value below a null struct may hold anything: the format does not define it.
        let is_null = self.parents.iter().any(|parent| parent.is_null(row));
        if is_null {
            None
        } else {
            cell(&*self.array, row)
        }
    }
}

/// A value of an array; None for null, and for what has no meaning here.
fn cell(array: &dyn Array, row: usize) -> Option<Cell<'_>> {
    if array.is_null(row) {
        return None;
    }
    // Only a name for a long call.
    macro_rules! of {
        ($type:ty) => {
            array.as_primitive::<$type>().value(row)
        };
    }
    Some(Cell::Stored(match array.data_type() {
        DataType::Boolean => Scalar::Bool(array.as_boolean().value(row)),
        DataType::Int8 => Scalar::Int32(i32::from(of!(Int8Type))),
        DataType::Int16 => Scalar::Int32(i32::from(of!(Int16Type))),
        DataType::Int32 => Scalar::Int32(of!(Int32Type)),
        DataType::Int64 => Scalar::Int64(of!(Int64Type)),
        DataType::UInt8 => Scalar::Int32(i32::from(of!(UInt8Type))),
        DataType::UInt16 => Scalar::Int32(i32::from(of!(UInt16Type))),
        DataType::UInt32 => Scalar::Int64(i64::from(of!(UInt32Type))),
        // The bits stay the same; `Meaning::Unsigned` takes them as unsigned again.
        DataType::UInt64 => Scalar::Int64(of!(UInt64Type).cast_signed()),
        DataType::Float16 => {
            return Some(Cell::Half(of!(Float16Type).to_bits().to_le_bytes()));
        }
        DataType::Float32 => Scalar::Float(of!(Float32Type)),
        DataType::Float64 => Scalar::Double(of!(Float64Type)),
        DataType::Decimal32(..) => Scalar::Int32(of!(Decimal32Type)),
        DataType::Decimal64(..) => Scalar::Int64(of!(Decimal64Type)),
        DataType::Decimal128(..) => {
            return Some(Cell::Wide(of!(Decimal128Type).to_be_bytes()));
        }
        DataType::Decimal256(..) => {
            return Some(Cell::Widest(of!(Decimal256Type).to_be_bytes()));
        }
        DataType::Date32 => Scalar::Int32(of!(Date32Type)),
        // Whole days, in milliseconds.
        DataType::Date64 => Scalar::Int64(of!(Date64Type).div_euclid(86_400_000)),
        DataType::Time32(TimeUnit::Second) => Scalar::Int32(of!(Time32SecondType)),
        DataType::Time32(_) => Scalar::Int32(of!(Time32MillisecondType)),
        DataType::Time64(TimeUnit::Microsecond) => {
            Scalar::Int64(of!(Time64MicrosecondType))
        }
        DataType::Time64(_) => Scalar::Int64(of!(Time64NanosecondType)),
        DataType::Timestamp(TimeUnit::Second, _) => {
            Scalar::Int64(of!(TimestampSecondType))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            Scalar::Int64(of!(TimestampMillisecondType))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            Scalar::Int64(of!(TimestampMicrosecondType))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            Scalar::Int64(of!(TimestampNanosecondType))
        }
        DataType::Utf8 => Scalar::Bytes(array.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => {
            Scalar::Bytes(array.as_string::<i64>().value(row).as_bytes())
        }
        DataType::Utf8View => Scalar::Bytes(array.as_string_view().value(row).as_bytes()),
        DataType::Binary => Scalar::Bytes(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Scalar::Bytes(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Scalar::Bytes(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => {
            Scalar::Bytes(array.as_fixed_size_binary().value(row))
        }
        DataType::Dictionary(..) => {
            // Keys are whole numbers of any width; the value may itself be of any type, so
            // this calls itself once.
            let dictionary = array.as_any_dictionary();
            let key = match cell(dictionary.keys(), row)? {
                Cell::Stored(Scalar::Int32(key)) => usize::try_from(key),
                Cell::Stored(Scalar::Int64(key)) => usize::try_from(key),
                _ => return None,
            };
            return cell(&**dictionary.values(), key.ok()?);
        }
        _ => return None,
    }))
}

#[cfg(test)]
mod tests;
