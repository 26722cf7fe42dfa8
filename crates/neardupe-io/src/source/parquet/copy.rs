//! Some rows of a file written to another one, column by column as they are stored.
//!
//! Values go from one column to the other with their levels, not by way of Arrow: so every
//! type stays what it is, also those that Arrow has no word for, and so do the names of
//! lists and maps. A column is read and written in batches; memory does not grow with the file.

use super::chunk::{FileChunks, open_column};
use super::{footer, guarded};
use crate::source::values::Fault;
use ::parquet::arrow::{
    ARROW_SCHEMA_META_KEY, encode_arrow_schema, parquet_to_arrow_schema,
};
use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Stored};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type, Int96Type,
};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::{KeyValue, ParquetMetaData, RowGroupMetaData};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{ColumnDescPtr, Type, TypePtr};
use arrow_schema::{DataType as ArrowType, Field, Schema};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Bytes of a column that are read and written at a time.
const BATCH_BYTES: u64 = 1 << 20;
/// Rows of a batch at most.
const MAX_BATCH_ROWS: u32 = 1 << 13;

/// A column that the file does not have.
#[derive(Debug, Clone)]
pub struct NewColumn {
    /// Name in the schema. The caller makes sure that no other column has it.
    pub name: String,
    /// What its values are.
    pub kind: NewKind,
}

/// Its type; any value may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewKind {
    /// UTF-8 strings.
    Text,
    /// Whole numbers of 64 bits.
    Whole,
    /// Numbers with a fraction, in double precision.
    Ratio,
    /// True or false.
    Bool,
}

/// Values of a new column.
#[derive(Debug)]
pub enum NewValues {
    /// One per wanted row, in the order of the rows; the same holds for the other kinds.
    Text(Vec<Option<String>>),
    /// For [`NewKind::Whole`].
    Whole(Vec<Option<i64>>),
    /// For [`NewKind::Ratio`].
    Ratio(Vec<Option<f64>>),
    /// For [`NewKind::Bool`].
    Bool(Vec<Option<bool>>),
}

/// What a row of the column that is changed says, and what it says then; None when the same.
pub type Change<'a> = dyn Fn(usize, &[u8]) -> Result<Option<Vec<u8>>> + 'a;

/// A column of texts of which some are changed.
pub struct ChangedTexts<'a> {
    /// Among the stored columns.
    pub column: usize,
    /// Called with the number of a row in its group.
    pub text: &'a Change<'a>,
}

/// A file whose rows are copied.
pub struct RowsFrom {
    /// Opened once and read by one thread.
    file: Arc<FileChunks>,
    /// The footer of the file. Statistics are left out; the writer makes new ones for the rows
    /// that stay.
    metadata: ParquetMetaData,
}

/// A file that rows are copied to.
pub struct RowsTo {
    /// The writer of the library. It holds one group at a time.
    writer: SerializedFileWriter<File>,
}

impl RowsFrom {
    /// Opens a file and reads its footer; a damaged one is a fault and not a panic.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        guarded(|| {
            let file = FileChunks::open(path, None)?;
            let metadata = footer::read(&file)?;
            Ok(RowsFrom {
                file: Arc::new(file),
                metadata,
            })
        })
    }

    /// Whether a column holds one string of bytes a row, if any.
    pub fn holds_texts(&self, column: usize) -> bool {
        let column = self.columns().get(column);
        column.is_some_and(|column| {
            column.physical_type() == Stored::BYTE_ARRAY && column.max_rep_level() == 0
        })
    }

    /// The stored columns, that is, the leaves of the schema.
    fn columns(&self) -> &[ColumnDescPtr] {
        self.metadata.file_metadata().schema_descr().columns()
    }

    /// Begins a file with the same columns, properties and metadata, and some more columns.
    pub fn begin(&self, out: File, added: &[NewColumn]) -> Result<RowsTo, Fault> {
        guarded(|| {
            let schema = self.schema(added)?;
            let properties = Arc::new(self.properties(added)?);
            let writer = SerializedFileWriter::new(out, schema, properties)?;
            Ok(RowsTo { writer })
        })
    }

    /// The schema of the copy. New columns are optional and come last, so numbers of old
    /// columns stay what they are.
    fn schema(&self, added: &[NewColumn]) -> Result<TypePtr> {
        let root = self.metadata.file_metadata().schema_descr();
        let root = root.root_schema_ptr();
        if added.is_empty() {
            return Ok(root);
        }
        let mut fields = root.get_fields().to_vec();
        for column in added {
            let (stored, logical) = match column.kind {
                NewKind::Text => (Stored::BYTE_ARRAY, Some(LogicalType::String)),
                NewKind::Whole => (Stored::INT64, None),
                NewKind::Ratio => (Stored::DOUBLE, None),
                NewKind::Bool => (Stored::BOOLEAN, None),
            };
            let field = Type::primitive_type_builder(&column.name, stored)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical)
                .build()?;
            fields.push(Arc::new(field));
        }
        let group = Type::group_type_builder(root.name()).with_fields(fields);
        Ok(Arc::new(group.build()?))
    }

    /// Compression of each column as in the first group, and the order of the rows. Copying
    /// keeps the order of the wanted rows, so a sorted file stays sorted.
    fn properties(&self, added: &[NewColumn]) -> Result<WriterProperties> {
        let mut properties =
            WriterProperties::builder().set_key_value_metadata(self.key_values(added)?);
        if let Some(group) = self.metadata.row_groups().first() {
            properties = properties.set_sorting_columns(group.sorting_columns().cloned());
            for chunk in group.columns() {
                let path = chunk.column_path().clone();
                properties = properties.set_column_compression(path, chunk.compression());
            }
            // New columns are packed as the first one is.
            let first = group.columns().first();
            let codec =
                first.map_or(Compression::UNCOMPRESSED, |first| first.compression());
            properties = properties.set_compression(codec);
        }
        Ok(properties.build())
    }

    /// The metadata of the file. Where it has the types of Arrow, they become those of the new
    /// columns too, or readers would find more columns than were announced.
    fn key_values(&self, added: &[NewColumn]) -> Result<Option<Vec<KeyValue>>> {
        let about = self.metadata.file_metadata();
        let Some(mut all) = about.key_value_metadata().cloned() else {
            return Ok(None);
        };
        let arrow = all.iter_mut().find(|it| it.key == ARROW_SCHEMA_META_KEY);
        if let Some(arrow) = arrow.filter(|_| !added.is_empty()) {
            let known = parquet_to_arrow_schema(
                about.schema_descr(),
                about.key_value_metadata(),
            )?;
            let mut fields: Vec<Arc<Field>> = known.fields().iter().cloned().collect();
            fields.extend(added.iter().map(|column| {
                let kind = match column.kind {
                    NewKind::Text => ArrowType::Utf8,
                    NewKind::Whole => ArrowType::Int64,
                    NewKind::Ratio => ArrowType::Float64,
                    NewKind::Bool => ArrowType::Boolean,
                };
                Arc::new(Field::new(&column.name, kind, true))
            }));
            let schema = Schema::new_with_metadata(fields, known.metadata().clone());
            arrow.value = Some(encode_arrow_schema(&schema));
        }
        Ok(Some(all))
    }

    /// Copies the rows of a group that are `wanted`, as one group, with the values of the new
    /// columns for each of them. Rows beyond the end of `wanted` are not read.
    pub fn copy(
        &self,
        group: usize,
        wanted: &[bool],
        added: &[NewValues],
        to: &mut RowsTo,
    ) -> Result<(), Fault> {
        self.copy_changed(group, wanted, added, None, to)
    }

    /// The same with some texts changed.
    pub fn copy_changed(
        &self,
        group: usize,
        wanted: &[bool],
        added: &[NewValues],
        change: Option<&ChangedTexts<'_>>,
        to: &mut RowsTo,
    ) -> Result<(), Fault> {
        // Nothing of the group is wanted: it is neither read nor written as an empty group.
        if !wanted.contains(&true) {
            return Ok(());
        }
        guarded(|| {
            let group = self.metadata.row_group(group);
            let mut out = to.writer.next_row_group()?;
            for (number, column) in self.columns().iter().enumerate() {
                let missing = || ParquetError::General("a column is missing".to_owned());
                let mut writer = out.next_column()?.ok_or_else(missing)?;
                let change = change.filter(|change| change.column == number);
                let to = Some(&mut writer);
                self.copy_column(group, number, column, wanted, change, to)?;
                writer.close()?;
            }
            // New columns come last, as the schema has them.
            for values in added {
                let missing = || ParquetError::General("a column is missing".to_owned());
                let mut writer = out.next_column()?.ok_or_else(missing)?;
                values.write(&mut writer)?;
                writer.close()?;
            }
            out.close()?;
            Ok(())
        })
    }

    /// Whether all rows of a group could be copied, as far as columns other than these decide it: those are
    /// read anyway.
    pub(crate) fn check(&self, group: usize, read: &[usize]) -> Result<(), Fault> {
        let columns = self.columns().iter().enumerate();
        for (number, column) in columns.filter(|(number, _)| !read.contains(number)) {
            let checked = guarded(|| {
                let group = self.metadata.row_group(group);
                let rows = usize::try_from(group.num_rows())?;
                let wanted = vec![true; rows];
                self.copy_column(group, number, column, &wanted, None, None)
            });
            checked.map_err(|(kind, detail)| {
                let name = column.path().string();
                (kind, format!("column {name} cannot be read: {detail}"))
            })?;
        }
        Ok(())
    }

    /// Copies one column of a group. The types of all columns are fixed by the schema, so the
    /// right typed copy is chosen once per column and not per value.
    fn copy_column(
        &self,
        group: &RowGroupMetaData,
        number: usize,
        column: &ColumnDescPtr,
        wanted: &[bool],
        change: Option<&ChangedTexts<'_>>,
        out: Option<&mut SerializedColumnWriter<'_>>,
    ) -> Result<()> {
        let missing = || ParquetError::General("a group lacks a column".to_owned());
        let chunk = group.columns().get(number).ok_or_else(missing)?;
        let rows = u64::try_from(group.num_rows())?;
        let bytes = u64::try_from(chunk.uncompressed_size()).unwrap_or(0);
        // A batch is decoded in full, so it is bounded by the mean size of its rows.
        let batch = super::rows_for(BATCH_BYTES, rows, bytes, MAX_BATCH_ROWS);
        let batches = wanted.chunks(batch as usize);
        let reader = open_column(&self.file, column, chunk, rows)?;
        match reader {
            ColumnReader::BoolColumnReader(it) => {
                copy::<BoolType>(it, column, batches, out, same)
            }
            ColumnReader::Int32ColumnReader(it) => {
                copy::<Int32Type>(it, column, batches, out, same)
            }
            ColumnReader::Int64ColumnReader(it) => {
                copy::<Int64Type>(it, column, batches, out, same)
            }
            ColumnReader::Int96ColumnReader(it) => {
                copy::<Int96Type>(it, column, batches, out, same)
            }
            ColumnReader::FloatColumnReader(it) => {
                copy::<FloatType>(it, column, batches, out, same)
            }
            ColumnReader::DoubleColumnReader(it) => {
                copy::<DoubleType>(it, column, batches, out, same)
            }
            ColumnReader::ByteArrayColumnReader(it) => {
                copy::<ByteArrayType>(it, column, batches, out, |row, value| {
                    let Some(change) = change else {
                        return Ok(());
                    };
                    if let Some(text) = (change.text)(row, value.data())? {
                        *value = ByteArray::from(text);
                    }
                    Ok(())
                })
            }
            ColumnReader::FixedLenByteArrayColumnReader(it) => {
                copy::<FixedLenByteArrayType>(it, column, batches, out, same)
            }
        }
    }
}

impl RowsTo {
    /// Writes the footer; the file, to be synced.
    pub fn finish(mut self) -> Result<File, Fault> {
        guarded(|| {
            self.writer.finish()?;
            Ok(self.writer.inner().try_clone()?)
        })
    }
}

/// Most columns stay as they are.
fn same<T>(_: usize, _: &mut T) -> Result<()> {
    Ok(())
}

/// Copies the wanted rows of a column; with nowhere to write to it only decodes them.
fn copy<'w, T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    column: &ColumnDescPtr,
    batches: impl Iterator<Item = &'w [bool]>,
    out: Option<&mut SerializedColumnWriter<'_>>,
    mut change: impl FnMut(usize, &mut T::T) -> Result<()>,
) -> Result<()> {
    // A definition level says how deep a value is there, a repetition level where a row or
    // list begins. Both are copied as they are.
    let (max_def, max_rep) = (column.max_def_level(), column.max_rep_level());
    let mut out = out.map(SerializedColumnWriter::typed::<T>);
    let mut first = 0;
    for wanted in batches {
        let (mut defs, mut reps, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let (read, ..) = reader.read_records(
            wanted.len(),
            Some(&mut defs),
            Some(&mut reps),
            &mut values,
        )?;
        // Fewer rows than the footer says: damage. A shorter column would shift all rows after
        // it.
        if read != wanted.len() {
            let detail = format!("column {} ends early", column.name());
            return Err(ParquetError::General(detail));
        }
        // Texts are changed in flat columns only, where the row of each value is known from its definition level.
        // With repetition a row can have many values.
        if max_rep == 0 {
            let rows = defs.iter().enumerate();
            let there = rows.filter(|(_, def)| **def == max_def).map(|(row, _)| row);
            let there: Vec<usize> = match max_def {
                0 => (0..read).collect(),
                _ => there.collect(),
            };
            for (row, value) in there.into_iter().zip(&mut values) {
                change(first + row, value)?;
            }
        }
        first += read;
        let mut kept = CopiedColumn::<T>::default();
        // Required and flat: the n-th value is that of the n-th row, and no levels have to be
        // sorted out.
        if max_def == 0 && max_rep == 0 {
            let both = values.into_iter().zip(wanted);
            kept.values
                .extend(both.filter(|(_, it)| **it).map(|(it, _)| it));
        } else {
            kept.choose(&defs, &reps, values, wanted, (max_def, max_rep))?;
        }
        let defs = (max_def > 0).then_some(&kept.defs[..]);
        let reps = (max_rep > 0).then_some(&kept.reps[..]);
        if let Some(out) = &mut out {
            out.write_batch(&kept.values, defs, reps)?;
        }
    }
    Ok(())
}

/// What stays of a batch.
struct CopiedColumn<T: DataType> {
    /// Definition levels of the kept rows; empty for required columns.
    defs: Vec<i16>,
    /// Repetition levels; empty for flat columns.
    reps: Vec<i16>,
    /// The values that are there, in the order of the levels.
    values: Vec<T::T>,
}

// Derived, it would demand a default of `T`, which is only a marker for a type.
impl<T: DataType> Default for CopiedColumn<T> {
    fn default() -> Self {
        CopiedColumn {
            defs: Vec::new(),
            reps: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<T: DataType> CopiedColumn<T> {
    /// A row begins where nothing is repeated; a value is there at the deepest level.
    fn choose(
        &mut self,
        defs: &[i16],
        reps: &[i16],
        values: Vec<T::T>,
        wanted: &[bool],
        (max_def, max_rep): (i16, i16),
    ) -> Result<()> {
        let broken = || ParquetError::General("levels and rows differ".to_owned());
        let levels = defs.len().max(reps.len());
        let mut values = values.into_iter();
        let mut rows = wanted.iter();
        let mut take = false;
        for at in 0..levels {
            // A required column has no definition levels, a flat one no repetition levels: the library leaves the
            // vector empty, and every value is at the deepest level.
            let def = defs.get(at).copied().unwrap_or(max_def);
            let rep = reps.get(at).copied().unwrap_or(0);
            if rep == 0 {
                take = *rows.next().ok_or_else(broken)?;
            }
            let value = if def == max_def {
                Some(values.next().ok_or_else(broken)?)
            } else {
                None
            };
            if take {
                self.defs.push(def);
                if max_rep > 0 {
                    self.reps.push(rep);
                }
                self.values.extend(value);
            }
        }
        // Levels, rows and values must be used up together, or rows would be paired with values of others.
        match (rows.next(), values.next()) {
            (None, None) => Ok(()),
            _ => Err(broken()),
        }
    }
}

impl NewValues {
    /// Writes a whole new column. Its levels are 1 for a value and 0 for null.
    fn write(&self, out: &mut SerializedColumnWriter<'_>) -> Result<()> {
        fn write<T: DataType, V>(
            all: &[Option<V>],
            out: &mut SerializedColumnWriter<'_>,
            stored: impl Fn(&V) -> T::T,
        ) -> Result<()> {
            let out = out.typed::<T>();
            // The writer copies what it is given before it packs it, so it is given parts.
            for some in all.chunks(1 << 12) {
                let levels = some.iter().map(|value| i16::from(value.is_some()));
                let levels: Vec<i16> = levels.collect();
                let values: Vec<T::T> = some.iter().flatten().map(&stored).collect();
                out.write_batch(&values, Some(&levels), None)?;
            }
            Ok(())
        }
        match self {
            NewValues::Text(all) => {
                write::<ByteArrayType, _>(all, out, |text| ByteArray::from(text.as_str()))
            }
            NewValues::Whole(all) => write::<Int64Type, _>(all, out, |number| *number),
            NewValues::Ratio(all) => write::<DoubleType, _>(all, out, |ratio| *ratio),
            NewValues::Bool(all) => write::<BoolType, _>(all, out, |value| *value),
        }
    }
}
