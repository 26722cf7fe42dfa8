//! Tables in memory give the documents that the same tables give as Parquet files.

use super::super::parquet::ParquetFile;
use super::*;
use ::parquet::arrow::ArrowWriter;
use arrow_array::builder::{ListBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::*;
use arrow_schema::Field;
use neardupe_core::document::{BadKind, MemoryRows};
use tempfile::NamedTempFile;

/// The integers of the widest decimals.
type Wide = <Decimal256Type as ArrowPrimitiveType>::Native;

/// A row: id, text and metadata, or the kind of its fault.
type Seen = Result<(Option<String>, String, Vec<Option<String>>), BadKind>;

fn keys(id: &str, text: &[&str], metadata: &[&str]) -> FieldKeys {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    FieldKeys {
        id: id.to_owned(),
        text: owned(text),
        metadata: owned(metadata),
    }
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

fn in_memory(rows: &ArrowRows) -> Vec<Seen> {
    let row = |number| match rows.row(number) {
        MemoryRow::Bad(kind, _) => Err(kind),
        MemoryRow::Document(document) => Ok((
            document.id.map(Cow::into_owned),
            document.text.into_owned(),
            document.metadata.into_owned(),
        )),
    };
    (0..rows.num_rows()).map(row).collect()
}

fn in_file(batch: &RecordBatch, keys: &FieldKeys) -> Vec<Seen> {
    let file = NamedTempFile::new().unwrap();
    let mut writer =
        ArrowWriter::try_new(file.reopen().unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    let fields = Arc::new(Fields::new(keys).unwrap());
    let mut values = Values::new(Arc::clone(&fields), None);
    let file = ParquetFile::open(
        file.path(),
        &fields,
        super::super::read::ReadOptions::default().limits(),
    )
    .unwrap();
    let mut all = Vec::new();
    for group in file.groups() {
        let mut reader = file.read(group.number);
        while let Some(block) = reader.next_block() {
            let block = block.unwrap();
            for row in 0..block.len() {
                all.push(match block.read(row, &mut values) {
                    Err((kind, _)) => Err(kind),
                    Ok(()) => {
                        let present = values.texts.iter().filter(|text| text.present);
                        let texts =
                            present.map(|text| Some(text.value.as_str())).collect();
                        let text = join(texts).into_owned();
                        Ok((values.id.clone(), text, values.metadata.clone()))
                    }
                });
            }
        }
    }
    all
}

/// Both ways of one table, which are equal.
fn both(batch: &RecordBatch, keys: &FieldKeys) -> Vec<Seen> {
    let rows = ArrowRows::new(vec![batch.clone()], keys).unwrap();
    let seen = in_memory(&rows);
    assert_eq!(seen, in_file(batch, keys));
    seen
}

fn strings(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

#[test]
fn every_type_of_string_is_text() {
    let texts = vec![Some("a"), None, Some(""), Some("汉 a")];
    let mut dictionary = StringDictionaryBuilder::<types::Int8Type>::new();
    texts
        .iter()
        .for_each(|text| dictionary.append_option(*text));
    let bytes: Vec<Option<&[u8]>> =
        texts.iter().map(|text| text.map(str::as_bytes)).collect();
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(texts.clone())),
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(StringViewArray::from(texts.clone())),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(LargeBinaryArray::from(bytes.clone())),
        Arc::new(BinaryViewArray::from(bytes)),
        Arc::new(dictionary.finish()),
    ];
    for array in arrays {
        let name = array.data_type().to_string();
        let table = batch(vec![("text", array)]);
        let seen = both(&table, &FieldKeys::default());
        let expected: Vec<Seen> = texts
            .iter()
            .map(|text| match text {
                Some(text) => Ok((None, text.to_string(), Vec::new())),
                None => Err(BadKind::MissingText),
            })
            .collect();
        assert_eq!(seen, expected, "{name}");
    }
}

#[test]
fn ids_and_metadata_are_those_of_a_file_with_the_table() {
    let numbers = [Some(0), None, Some(-7)];
    macro_rules! array {
        ($type:ty, $native:ty) => {
            Arc::new(<$type>::from(
                numbers
                    .iter()
                    .map(|n: &Option<i8>| n.map(<$native>::from))
                    .collect::<Vec<_>>(),
            )) as ArrayRef
        };
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", strings(&[Some("a"), Some("b"), Some("c")])),
        ("i8", array!(Int8Array, i8)),
        ("i16", array!(Int16Array, i16)),
        ("i32", array!(Int32Array, i32)),
        ("i64", array!(Int64Array, i64)),
        (
            "u8",
            Arc::new(UInt8Array::from(vec![Some(255), None, Some(0)])),
        ),
        (
            "u32",
            Arc::new(UInt32Array::from(vec![Some(u32::MAX), None, Some(0)])),
        ),
        (
            "u64",
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(0)])),
        ),
        (
            "f32",
            Arc::new(Float32Array::from(vec![
                Some(0.1),
                Some(f32::NAN),
                Some(-0.0),
            ])),
        ),
        ("f64", array!(Float64Array, f64)),
        (
            "bool",
            Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        ),
        ("date", array!(Date32Array, i32)),
        ("time", array!(Time64MicrosecondArray, i64)),
        ("ms", array!(TimestampMillisecondArray, i64)),
        (
            "utc",
            Arc::new(
                TimestampMicrosecondArray::from(vec![
                    Some(1_700_000_000_000_000),
                    None,
                    Some(i64::MAX),
                ])
                .with_timezone("UTC"),
            ),
        ),
        (
            "decimal",
            Arc::new(
                Decimal128Array::from(vec![Some(-1250), None, Some(5)])
                    .with_precision_and_scale(20, 2)
                    .unwrap(),
            ),
        ),
        (
            "wide",
            Arc::new(
                Decimal256Array::from(vec![
                    Some(Wide::from(-1)),
                    None,
                    Some(Wide::from(70)),
                ])
                .with_precision_and_scale(60, 1)
                .unwrap(),
            ),
        ),
        ("string", strings(&[None, Some("x"), Some("")])),
    ];
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let table = batch(columns);
    let seen = both(&table, &keys("i64", &["text"], &names[1..]));
    let Ok((id, text, metadata)) = &seen[0] else {
        panic!("a document")
    };
    assert_eq!((id.as_deref(), text.as_str()), (Some("0"), "a"));
    let at = |name: &str| names.iter().position(|one| *one == name).unwrap() - 1;
    for (name, expected) in [
        ("u8", "255"),
        ("u32", "4294967295"),
        ("u64", "18446744073709551615"),
        ("f32", "0.1"),
        ("bool", "true"),
        ("date", "1970-01-01"),
        ("utc", "2023-11-14T22:13:20Z"),
        ("decimal", "-12.5"),
        ("wide", "-0.1"),
    ] {
        assert_eq!(metadata[at(name)].as_deref(), Some(expected), "{name}");
    }
}

#[test]
fn several_texts_structs_and_rows_of_several_batches() {
    let inner = StructArray::new(
        vec![Field::new("body", DataType::Utf8, true)].into(),
        vec![strings(&[Some("x"), Some("y"), None])],
        StringArray::from(vec![Some(""), None, Some("")])
            .nulls()
            .cloned(),
    );
    let table = batch(vec![
        ("title", strings(&[Some("t"), Some("u"), Some("v")])),
        ("page", Arc::new(inner)),
    ]);
    let keys = keys("id", &["title", "page.body"], &["page.body"]);
    both(&table, &keys);
    let batches = vec![
        table.slice(0, 0),
        table.slice(1, 2),
        table.slice(0, 0),
        table.slice(0, 1),
    ];
    let rows = ArrowRows::new(batches, &keys).unwrap();
    let texts: Vec<String> = in_memory(&rows)
        .into_iter()
        .map(|row| row.unwrap().1)
        .collect();
    assert_eq!(texts, ["u", "v", "t\nx"]);
}

#[test]
fn a_text_is_not_copied() {
    let array = StringArray::from(vec!["a rose is a rose", "else"]);
    let start = array.value_data().as_ptr();
    let table = batch(vec![("text", Arc::new(array))]);
    let rows = ArrowRows::new(vec![table], &FieldKeys::default()).unwrap();
    let MemoryRow::Document(document) = rows.row(0) else {
        panic!("a document")
    };
    assert!(matches!(document.text, Cow::Borrowed(text) if text.as_ptr() == start));
    assert_eq!(rows.text_bytes(), 20);
}

#[test]
fn bytes_that_are_not_utf_8_are_a_bad_record() {
    let table = batch(vec![(
        "text",
        Arc::new(BinaryArray::from(vec![&b"a"[..], b"caf\xe9"])),
    )]);
    let rows = ArrowRows::new(vec![table], &FieldKeys::default()).unwrap();
    let MemoryRow::Bad(kind, detail) = rows.row(1) else {
        panic!("no document")
    };
    assert_eq!(kind, BadKind::InvalidUtf8);
    assert_eq!(detail, "column text: the value is not UTF-8 from byte 3");
}

#[test]
fn columns_that_cannot_be_used_are_named() {
    let mut list = ListBuilder::new(StringBuilder::new());
    list.append_value([Some("a")]);
    let table = batch(vec![
        ("text", strings(&[Some("a")])),
        ("number", Arc::new(Int32Array::from(vec![1]))),
        ("yes", Arc::new(BooleanArray::from(vec![true]))),
        ("list", Arc::new(list.finish())),
    ]);
    for (keys, expected) in [
        (
            keys("id", &["body"], &[]),
            "text-key: the table has no column \"body\", only text, number, yes, list",
        ),
        (
            keys("id", &["number"], &[]),
            "text-key: column \"number\" has values of type Int32, not strings",
        ),
        (
            keys("yes", &["text"], &[]),
            "id-key: column \"yes\" has values of type Boolean, not strings or numbers",
        ),
        (
            keys("uuid", &["text"], &[]),
            "id-key: the table has no column \"uuid\", only text, number, yes, list",
        ),
        (
            keys("id", &["text"], &["date"]),
            "meta-key: the table has no column \"date\", only text, number, yes, list",
        ),
    ] {
        let error = ArrowRows::new(vec![table.clone()], &keys).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let error =
        ArrowRows::new(vec![table], &keys("id", &["text"], &["list"])).unwrap_err();
    let expected = "meta-key: column \"list\" has values of type List";
    assert!(error.to_string().starts_with(expected), "{error}");
}
