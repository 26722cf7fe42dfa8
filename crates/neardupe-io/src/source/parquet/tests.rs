//! Files written by the library, read here, and compared with JSON lines of the same rows.

mod hostile;

use super::super::testing;
use super::super::values::{Fault, Values};
use super::super::{jsonl, values};
use super::*;
use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, Encoding};
use ::parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArray};
use ::parquet::file::properties::WriterVersion;
use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_schema::{DataType, Field};
use tempfile::NamedTempFile;

const MAX: u64 = 1 << 20;

/// A row as a document, or why it is none.
type Row = Result<(Option<String>, Vec<Option<String>>, Vec<Option<String>>), Fault>;

fn row(read: Result<(), Fault>, values: &Values) -> Row {
    read?;
    let text = |text: &values::TextSlot| text.present.then(|| text.value.clone());
    let texts = values.texts.iter().map(text).collect();
    Ok((values.id.clone(), texts, values.metadata.clone()))
}

fn json_rows(lines: &[String], values: &mut Values) -> Vec<Row> {
    let fields = Arc::clone(values.fields());
    let read = |line: &String| {
        let read = jsonl::read_line(line.as_bytes(), &fields, values);
        row(read, values)
    };
    lines.iter().map(read).collect()
}

/// All rows; a fault of a group is one row.
fn rows(file: &ParquetFile, values: &mut Values) -> Vec<Row> {
    let mut all = Vec::new();
    for group in file.groups() {
        let mut reader = file.read(group.number);
        while let Some(block) = reader.next_block() {
            match block {
                Ok(block) => {
                    assert!(block.len() <= group.rows_per_block);
                    for number in 0..block.len() {
                        let read = block.read(number, values);
                        all.push(row(read, values));
                    }
                }
                Err(fault) => all.push(Err(fault)),
            }
        }
        assert!(reader.next_block().is_none());
    }
    all
}

fn limits(record: u64) -> Limits {
    Limits { record, part: None }
}

fn open(path: &Path, values: &Values) -> Result<ParquetFile, Fault> {
    ParquetFile::open(path, values.fields(), limits(MAX))
}

fn read(file: &NamedTempFile, values: &mut Values) -> Vec<Row> {
    rows(&open(file.path(), values).unwrap(), values)
}

fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_max_row_group_row_count(Some(7))
}

fn written(batch: &RecordBatch, properties: WriterPropertiesBuilder) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    let handle = file.reopen().unwrap();
    let properties = Some(properties.build());
    let mut writer = ArrowWriter::try_new(handle, batch.schema(), properties).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    file
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

const TEXTS: [Option<&str>; 6] = [
    Some("the quick brown fox, who is longer than twelve bytes"),
    None,
    Some(""),
    Some("naïve 中文 \u{1F600}\n\"quoted\"\0"),
    Some("the quick brown fox, who is longer than twelve bytes"),
    Some("short"),
];

/// Twenty rows: some texts and numbered ids, every fifth of them null.
fn twenty() -> (Vec<Option<&'static str>>, Vec<Option<i64>>, Vec<String>) {
    let texts: Vec<_> = TEXTS.iter().copied().cycle().take(20).collect();
    let ids: Vec<_> = (0..20).map(|id| (id % 5 != 4).then_some(id - 3)).collect();
    let lines = texts
        .iter()
        .zip(&ids)
        .map(|(text, id)| serde_json::json!({"id": id, "text": text}).to_string());
    let lines = lines.collect();
    (texts, ids, lines)
}

fn string_arrays(texts: &[Option<&str>]) -> Vec<ArrayRef> {
    let bytes: Vec<_> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
    let dictionary: DictionaryArray<Int32Type> = texts.iter().copied().collect();
    vec![
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(LargeBinaryArray::from(bytes.clone())),
        Arc::new(BinaryViewArray::from(bytes)),
        Arc::new(dictionary),
    ]
}

#[test]
fn every_type_of_string_reads_as_json_does() {
    let (texts, ids, lines) = twenty();
    let mut values = testing::values(&["text"], &[]);
    let expected = json_rows(&lines, &mut values);
    assert_eq!(expected.iter().filter(|row| row.is_err()).count(), 4);
    for array in string_arrays(&texts) {
        let ids: ArrayRef = Arc::new(Int64Array::from(ids.clone()));
        let batch = batch(vec![
            ("unused", Arc::clone(&ids)),
            ("text", array),
            ("id", ids),
        ]);
        let file = written(&batch, properties());
        assert_eq!(read(&file, &mut values), expected, "{:?}", batch.schema());
    }
}

#[test]
fn every_encoding_and_compression_reads_the_same() {
    let (texts, ids, lines) = twenty();
    let mut values = testing::values(&["text"], &[]);
    let expected = json_rows(&lines, &mut values);
    let text: ArrayRef = Arc::new(StringArray::from(texts));
    let id: ArrayRef = Arc::new(Int64Array::from(ids));
    let batch = batch(vec![("id", id), ("text", text)]);
    let compressions = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::BROTLI(Default::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(Default::default()),
    ];
    for compression in compressions {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for encoding in [
                None,
                Some(Encoding::PLAIN),
                Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
                Some(Encoding::DELTA_BYTE_ARRAY),
            ] {
                let mut properties = properties()
                    .set_compression(compression)
                    .set_writer_version(version)
                    .set_data_page_row_count_limit(3)
                    .set_write_batch_size(2);
                if let Some(encoding) = encoding {
                    properties = properties
                        .set_dictionary_enabled(false)
                        .set_column_encoding("text".into(), encoding);
                }
                let file = written(&batch, properties);
                assert_eq!(
                    read(&file, &mut values),
                    expected,
                    "{compression:?} {version:?} {encoding:?}"
                );
            }
        }
    }
}

#[test]
fn numbers_and_booleans_print_as_json_does() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a"; 4]));
    let floats = [Some(1.0), Some(0.1), None, Some(-1e300)];
    let small = [Some(0.1f32), Some(1e10), None, Some(-0.0)];
    let batch = batch(vec![
        ("text", texts),
        ("id", Arc::new(UInt64Array::from(vec![u64::MAX, 0, 1, 2]))),
        ("i8", Arc::new(Int8Array::from(vec![-1, 127, -128, 0]))),
        ("u32", Arc::new(UInt32Array::from(vec![u32::MAX, 0, 1, 2]))),
        ("f64", Arc::new(Float64Array::from(floats.to_vec()))),
        ("f32", Arc::new(Float32Array::from(small.to_vec()))),
        (
            "bool",
            Arc::new(BooleanArray::from(vec![
                Some(true),
                Some(false),
                None,
                Some(true),
            ])),
        ),
    ]);
    let lines: Vec<String> = [
        r#"{"text":"a","id":18446744073709551615,"i8":-1,"u32":4294967295,
            "f64":1.0,"f32":0.1,"bool":true}"#,
        r#"{"text":"a","id":0,"i8":127,"u32":0,"f64":0.1,"f32":1e10,"bool":false}"#,
        r#"{"text":"a","id":1,"i8":-128,"u32":1,"f64":null}"#,
        r#"{"text":"a","id":2,"i8":0,"u32":2,"f64":-1e300,"f32":-0.0,"bool":true}"#,
    ]
    .map(str::to_owned)
    .to_vec();
    let mut values = testing::values(&["text"], &["i8", "u32", "f64", "f32", "bool"]);
    let expected = json_rows(&lines, &mut values);
    assert_eq!(read(&written(&batch, properties()), &mut values), expected);
    // Where they cannot be used, the fault is the same too.
    for text in ["i8", "bool"] {
        let mut values = testing::values(&[text], &[]);
        let file = written(&batch, properties());
        let read = read(&file, &mut values);
        assert_eq!(read, json_rows(&lines, &mut values), "{text}");
        assert!(read.iter().all(Result::is_err));
    }
}

#[test]
fn not_a_number_is_no_value() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let id: ArrayRef = Arc::new(Float64Array::from(vec![f64::NAN, 7.0]));
    let score: ArrayRef = Arc::new(Float32Array::from(vec![f32::INFINITY, 0.5]));
    let batch = batch(vec![("text", text), ("id", id), ("score", score)]);
    let mut values = testing::values(&["text"], &["score"]);
    let rows = read(&written(&batch, properties()), &mut values);
    let row = rows[0].as_ref().unwrap();
    assert_eq!((&row.0, &row.2[0]), (&None, &None));
    let row = rows[1].as_ref().unwrap();
    assert_eq!(
        (row.0.as_deref(), row.2[0].as_deref()),
        (Some("7"), Some("0.5"))
    );
}

#[test]
fn times_are_written_as_iso_8601_has_them() {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let day = 1_721_606_400i64;
    let decimal = Decimal128Array::from(vec![-12_500]);
    let decimal = decimal.with_precision_and_scale(30, 3).unwrap();
    let narrow = Decimal128Array::from(vec![700]);
    let narrow = narrow.with_precision_and_scale(5, 2).unwrap();
    let columns: Vec<(&str, ArrayRef, &str)> = vec![
        (
            "date",
            Arc::new(Date32Array::from(vec![19_926])),
            "2024-07-22",
        ),
        (
            "seconds",
            Arc::new(TimestampMillisecondArray::from(vec![day * 1000])),
            "2024-07-22T00:00:00",
        ),
        (
            "micros",
            Arc::new(
                TimestampMicrosecondArray::from(vec![day * 1_000_000 + 1_500])
                    .with_timezone("Europe/Paris"),
            ),
            "2024-07-22T00:00:00.0015Z",
        ),
        (
            "nanos",
            Arc::new(TimestampNanosecondArray::from(vec![-1]).with_timezone_utc()),
            "1969-12-31T23:59:59.999999999Z",
        ),
        (
            "never",
            Arc::new(TimestampMicrosecondArray::from(vec![i64::MAX])),
            "9223372036854775807000",
        ),
        (
            "clock",
            Arc::new(Time64MicrosecondArray::from(vec![3_723_000_000])),
            "01:02:03",
        ),
        ("decimal", Arc::new(decimal), "-12.5"),
        ("narrow", Arc::new(narrow), "7"),
    ];
    let names: Vec<&str> = columns.iter().map(|column| column.0).collect();
    let arrays = columns
        .iter()
        .map(|column| (column.0, Arc::clone(&column.1)));
    let batch = batch([("text", text)].into_iter().chain(arrays).collect());
    let mut values = testing::values(&["text"], &names);
    let rows = read(&written(&batch, properties()), &mut values);
    let found = &rows[0].as_ref().unwrap().2;
    for ((name, _, expected), found) in columns.iter().zip(found) {
        assert_eq!(found.as_deref(), Some(*expected), "{name}");
    }
    // None of them is text.
    for name in names {
        let mut values = testing::values(&[name], &[]);
        let rows = read(&written(&batch, properties()), &mut values);
        assert_eq!(
            rows[0].as_ref().unwrap_err().0,
            BadKind::MissingText,
            "{name}"
        );
    }
}

#[test]
fn fields_are_found_within_structs_and_under_names_with_points() {
    let urls: ArrayRef = Arc::new(StringArray::from(vec![Some("u"), None, Some("w")]));
    let url = Arc::new(Field::new("url", DataType::Utf8, true));
    let number = Arc::new(Field::new("n", DataType::Int32, false));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let nulls = arrow_array::BooleanArray::from(vec![true, true, false]);
    let meta = StructArray::new(
        vec![url, number].into(),
        vec![Arc::clone(&urls), numbers],
        Some(nulls.values().clone().into()),
    );
    let lists: ListArray = ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some(vec![Some(1), None]),
        Some(vec![]),
        Some(vec![Some(2)]),
    ]);
    let batch = batch(vec![
        ("before", Arc::new(meta.clone())),
        ("list", Arc::new(lists)),
        ("meta", Arc::new(meta)),
        ("a.b", urls),
        ("text", Arc::new(StringArray::from(vec!["x", "y", "z"]))),
    ]);
    let file = written(&batch, properties());
    let lines = [
        r#"{"before":{},"list":[1,null],"meta":{"url":"u","n":1},"a.b":"u","text":"x"}"#,
        r#"{"before":{},"list":[],"meta":{"url":null,"n":2},"a.b":null,"text":"y"}"#,
        r#"{"before":{},"list":[2],"meta":null,"a.b":"w","text":"z"}"#,
    ]
    .map(str::to_owned);
    for (text, metadata) in [
        (
            "text",
            vec!["meta.url", "meta.n", "a.b", "nothing", "text.within"],
        ),
        ("meta.url", vec!["text"]),
        ("list", vec![]),
        ("text", vec!["list"]),
        ("text", vec!["before"]),
        ("text", vec!["before", "before.url.x"]),
    ] {
        let mut values = testing::values(&[text], &metadata);
        let expected = json_rows(&lines, &mut values);
        assert_eq!(read(&file, &mut values), expected, "{text} {metadata:?}");
    }
    let values = testing::values(&["body", "title"], &[]);
    let (kind, detail) = open(file.path(), &values).unwrap_err();
    assert_eq!(kind, BadKind::MissingText);
    assert_eq!(
        detail,
        "no column body, title among: before, list, meta, a.b, text; \
         `text-key` names the column of the text"
    );
}

#[test]
fn bytes_that_are_not_utf8_concern_one_row() {
    let schema = "message m { required binary text (UTF8);
        required fixed_len_byte_array(16) id (UUID); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = NamedTempFile::new().unwrap();
    let handle = file.reopen().unwrap();
    let mut writer =
        SerializedFileWriter::new(handle, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let chinese = encoding_rs::GBK
        .encode("中华人民共和国公民在法律面前一律平等")
        .0;
    let texts: Vec<ByteArray> = [b"a", &chinese[..], "é".as_bytes()]
        .map(|text| text.to_vec().into())
        .to_vec();
    let mut column = group.next_column().unwrap().unwrap();
    let written = column.typed::<ByteArrayType>();
    written.write_batch(&texts, None, None).unwrap();
    column.close().unwrap();
    let ids: Vec<FixedLenByteArray> = [7u8; 3].map(|byte| vec![byte; 16].into()).to_vec();
    let mut column = group.next_column().unwrap().unwrap();
    column
        .typed::<::parquet::data_type::FixedLenByteArrayType>()
        .write_batch(&ids, None, None)
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let mut values = testing::values(&["text"], &[]);
    let rows = read(&file, &mut values);
    let texts: Vec<_> = rows
        .iter()
        .map(|row| row.as_ref().unwrap().1[0].as_deref().unwrap())
        .collect();
    assert_eq!(texts, ["a", "中华人民共和国公民在法律面前一律平等", "é"]);
    let id = rows[0].as_ref().unwrap().0.as_deref();
    assert_eq!(id, Some("07070707-0707-0707-0707-070707070707"));
}

#[test]
fn blocks_follow_from_the_footer() {
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..30_000).map(|row| row.to_string()),
    ));
    let long: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..30_000).map(|_| "x".repeat(2000)),
    ));
    let batch = batch(vec![("text", text), ("long", long)]);
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(20_000));
    let file = written(&batch, properties);
    let mut values = testing::values(&["text"], &[]);
    let short = open(file.path(), &values).unwrap();
    let blocks: Vec<u32> = short.groups().iter().map(GroupRows::blocks).collect();
    assert_eq!(blocks, [3, 2]);
    let read = rows(&short, &mut values);
    let texts = read
        .iter()
        .map(|row| row.as_ref().unwrap().1[0].clone().unwrap());
    assert!(texts.enumerate().all(|(row, text)| text == row.to_string()));
    let values = testing::values(&["long"], &[]);
    let long = open(file.path(), &values).unwrap();
    for group in long.groups() {
        assert!((2000..2200).contains(&group.rows_per_block), "{group:?}");
        let mut reader = long.read(group.number);
        let blocks = std::iter::from_fn(|| reader.next_block()).count();
        assert_eq!(blocks, group.blocks() as usize);
    }
    assert_eq!(rows_per_block(0, 0), 1);
    assert_eq!(rows_per_block(5, 0), MAX_BLOCK_ROWS);
    assert_eq!(rows_per_block(5, u64::MAX), 1);
}

#[test]
fn a_row_longer_than_the_limit_is_left_out() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["12345", "123456", "1"]));
    let file = written(&batch(vec![("text", texts)]), properties());
    let mut values = testing::values(&["text"], &[]);
    let opened = ParquetFile::open(file.path(), values.fields(), limits(5)).unwrap();
    let rows = rows(&opened, &mut values);
    let detail = "longer than 5 bytes; `max-record-bytes` raises the limit";
    assert_eq!(rows[1], Err((BadKind::TooLong, detail.to_owned())));
    assert!(rows[0].is_ok() && rows[2].is_ok());
}

#[test]
fn arrays_of_repeated_strings_take_no_room() {
    // A megabyte, eight thousand times.
    let long = "x".repeat(1 << 20);
    let keys = Int32Array::from(vec![0; 8000]);
    let dictionary: ArrayRef = Arc::new(StringArray::from(vec![long.as_str()]));
    let texts = DictionaryArray::<Int32Type>::try_new(keys, dictionary).unwrap();
    assert_eq!(texts.values().as_string::<i32>().len(), 1);
    let batch = batch(vec![("text", Arc::new(texts))]);
    let properties = WriterProperties::builder().set_dictionary_page_size_limit(1 << 22);
    let file = written(&batch, properties);
    assert!(file.as_file().metadata().unwrap().len() < 3 << 20);
    let mut values = testing::values(&["text"], &[]);
    let opened = open(file.path(), &values).unwrap();
    let block = opened.read(0).next_block().unwrap().unwrap();
    for row in 0..10 {
        block.read(row, &mut values).unwrap();
        assert_eq!(values.texts[0].value, long);
    }
}

#[test]
fn pages_and_footers_that_are_too_long_for_the_memory_are_refused() {
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..100).map(|row| format!("{row} ").repeat(3000)),
    ));
    let batch = batch(vec![("text", text)]);
    let open_in = |file: &NamedTempFile, bytes: u64| {
        let memory = 256 << 20;
        let limits = Limits {
            record: MAX,
            part: Some(PartLimit { bytes, memory }),
        };
        let values = testing::values(&["text"], &[]);
        ParquetFile::open(file.path(), values.fields(), limits)
    };
    for has_dictionary in [false, true] {
        let properties =
            WriterProperties::builder().set_dictionary_enabled(has_dictionary);
        let file = written(&batch, properties);
        let mut values = testing::values(&["text"], &[]);
        let whole = read(&file, &mut values);
        let enough = open_in(&file, 4 << 20).unwrap();
        assert_eq!(rows(&enough, &mut values), whole);
        let (kind, detail) = match &rows(&open_in(&file, 100_000).unwrap(), &mut values)[..]
        {
            [Err(fault)] => fault.clone(),
            other => panic!("{} rows", other.len()),
        };
        assert_eq!(kind, BadKind::TooLong);
        assert!(detail.starts_with("row group 0: a page of "), "{detail}");
        assert!(
            detail.contains("M are enough; its 100 rows are lost"),
            "{detail}"
        );
        let (kind, detail) = open_in(&file, 100).unwrap_err();
        assert_eq!(kind, BadKind::TooLong);
        assert!(detail.starts_with("a footer of "), "{detail}");
    }
}
