//! Reads Parquet back, and checks the types that other programs see.

use super::Row;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;

pub(crate) fn read(path: &Path) -> Vec<Row> {
    let file = File::open(path).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let about = builder
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap();
    let keys: Vec<&str> = about.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["program", "version"]);
    for field in builder.schema().fields() {
        check_type(field);
    }
    let mut rows = Vec::new();
    for batch in builder.build().unwrap() {
        let batch = batch.unwrap();
        rows.extend((0..batch.num_rows()).map(|at| row(&batch, at)));
    }
    rows
}

fn check_type(field: &Field) {
    let name = field.name().as_str();
    let item = Field::new("element", DataType::Utf8, false);
    let expected = match name {
        "overlap" | "size" | "left_size" | "right_size" | "characters" | "place" => {
            DataType::Int64
        }
        "similarity" | "containment" | "containment_of_representative" => {
            DataType::Float64
        }
        "members" => DataType::List(item.into()),
        _ => DataType::Utf8,
    };
    assert_eq!(field.data_type(), &expected, "{name}");
    assert_eq!(field.is_nullable(), name.starts_with("metadata."), "{name}");
}

/// The rows of batches.
pub(crate) fn rows(batches: &[RecordBatch]) -> Vec<Row> {
    let rows = |batch: &RecordBatch| {
        (0..batch.num_rows())
            .map(|at| row(batch, at))
            .collect::<Vec<_>>()
    };
    batches.iter().flat_map(rows).collect()
}

fn row(batch: &RecordBatch, at: usize) -> Row {
    let mut row = Row::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if column.is_valid(at) {
            row.insert(field.name().clone(), cell(column, at));
        }
    }
    row
}

fn cell(column: &dyn Array, at: usize) -> Value {
    match column.data_type() {
        DataType::Int64 => json!(column.as_primitive::<Int64Type>().value(at)),
        DataType::Float64 => {
            let ratio = column.as_primitive::<Float64Type>().value(at);
            // The double is the one nearest to six decimals, not just close to them.
            let printed = format!("{ratio:.6}");
            assert_eq!(printed.parse::<f64>().unwrap().to_bits(), ratio.to_bits());
            json!(printed)
        }
        DataType::Utf8 => json!(column.as_string::<i32>().value(at)),
        DataType::LargeUtf8 => json!(column.as_string::<i64>().value(at)),
        DataType::LargeList(_) => {
            let items = column.as_list::<i64>().value(at);
            let items: Vec<&str> = items.as_string::<i64>().iter().flatten().collect();
            json!(items)
        }
        _ => {
            let items = column.as_list::<i32>().value(at);
            let items: Vec<&str> = items.as_string::<i32>().iter().flatten().collect();
            json!(items)
        }
    }
}
