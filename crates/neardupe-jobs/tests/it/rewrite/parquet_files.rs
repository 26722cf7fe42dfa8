//! Parquet: columns, types, metadata and packing stay what they are.

use super::{Job, exists, prose};
use arrow_array::builder::{
    ListBuilder, MapBuilder, StringBuilder, StringDictionaryBuilder,
};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array,
    FixedSizeBinaryArray, Float64Array, Int32Array, Int64Array, LargeStringArray,
    RecordBatch, StringArray, StructArray, TimestampNanosecondArray,
};
use arrow_schema::{DataType, Field, Schema};
use neardupe_core::document::Silent;
use neardupe_jobs::exec::Exec;
use neardupe_jobs::kind::dedup::{DedupOutcome, DedupSpec};
use neardupe_jobs::rewrite::Mode;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int96, Int96Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::printer::print_schema;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

const ROWS: usize = 100;

/// Rows 60 to 99 are near-copies of rows 0 to 39.
fn batch() -> RecordBatch {
    let text = |row: usize| {
        if row < 60 {
            prose(row, 40)
        } else {
            prose(row - 60, 39)
        }
    };
    let every = |step: usize| move |row: &usize| row.is_multiple_of(step);
    let rows = || 0..ROWS;
    let number = |row: usize| i32::try_from(row).unwrap();
    let maybe: Int32Array = rows()
        .map(|row| (row % 3 > 0).then_some(number(row)))
        .collect();
    let mut nested = ListBuilder::new(ListBuilder::new(StringBuilder::new()));
    let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    for row in rows() {
        for inner in 0..row % 4 {
            for item in 0..inner {
                let item = (item % 2 == 0).then(|| format!("i{row}.{item}"));
                nested.values().values().append_option(item);
            }
            nested.values().append(inner != 2);
        }
        nested.append(row % 5 > 0);
        for key in 0..row % 3 {
            map.keys().append_value(format!("k{key}"));
            map.values()
                .append_option((key > 0).then(|| row.to_string()));
        }
        map.append(row % 7 > 0).unwrap();
        dictionary.append_value(format!("category {}", row % 5));
    }
    let parts: Vec<(Arc<Field>, ArrayRef)> = vec![
        (
            Arc::new(Field::new("a.b", DataType::Int64, true)),
            Arc::new(Int64Array::from_iter(rows().map(|row| {
                (row % 2 > 0).then_some(i64::MAX - i64::from(number(row)))
            }))),
        ),
        (
            Arc::new(Field::new("c", DataType::Utf8, false)),
            Arc::new(StringArray::from_iter_values(
                rows().map(|row| format!("s{row}")),
            )),
        ),
    ];
    let decimals = rows().map(|row| i128::from(number(row)) * 10_i128.pow(18));
    let decimals = Decimal128Array::from_iter_values(decimals);
    let times = rows().map(|row| i64::from(number(row)) * 1_000_000_007);
    let times = TimestampNanosecondArray::from_iter_values(times);
    let fixed = rows().map(|row| [0, 255, row.to_le_bytes()[0]]);
    let zeros = rows().map(|row| if row % 2 > 0 { -0.0 } else { 1e300 });
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "id",
            Arc::new(StringArray::from_iter_values(
                rows().map(|row| format!("d{row:03}")),
            )),
        ),
        (
            "text",
            Arc::new(LargeStringArray::from_iter_values(rows().map(text))),
        ),
        ("maybe", Arc::new(maybe)),
        ("float", Arc::new(Float64Array::from_iter_values(zeros))),
        (
            "decimal",
            Arc::new(decimals.with_precision_and_scale(30, 3).unwrap()),
        ),
        ("time", Arc::new(times.with_timezone("UTC"))),
        (
            "day",
            Arc::new(Date32Array::from_iter_values(rows().map(number))),
        ),
        (
            "flag",
            Arc::new(BooleanArray::from_iter(
                rows().map(|row| every(2)(&row).then_some(every(3)(&row))),
            )),
        ),
        (
            "bytes",
            Arc::new(BinaryArray::from_iter_values(
                rows().map(|row| vec![0xff, 0, row.to_le_bytes()[0]]),
            )),
        ),
        (
            "fixed",
            Arc::new(FixedSizeBinaryArray::try_from_iter(fixed).unwrap()),
        ),
        ("nested", Arc::new(nested.finish())),
        ("map", Arc::new(map.finish())),
        ("category", Arc::new(dictionary.finish())),
        ("parts", Arc::new(StructArray::from(parts))),
    ];
    let fields = columns.iter().map(|(name, column)| {
        let about = [("note".to_owned(), format!("about {name}"))];
        let nullable = column.null_count() > 0 || *name == "nested" || *name == "map";
        Field::new(*name, column.data_type().clone(), nullable).with_metadata(about)
    });
    let about = [("origin".to_owned(), "a test".to_owned())];
    let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), about);
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

fn write(path: &Path, batch: &RecordBatch, codec: Compression) {
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_max_row_group_row_count(Some(30))
        .set_key_value_metadata(Some(vec![KeyValue::new(
            "huggingface".to_owned(),
            "{\"info\":{}}".to_owned(),
        )]))
        .build();
    let file = File::create(path).unwrap();
    let mut writer =
        ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn read(path: &Path) -> RecordBatch {
    let file = File::open(path).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let mut batches = builder.with_batch_size(1 << 16).build().unwrap();
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    batch
}

fn codecs(path: &Path) -> Vec<Compression> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let chunks = reader.metadata().row_group(0).columns().iter();
    chunks.map(|chunk| chunk.compression()).collect()
}

/// The value of the key-value metadata of a file.
fn about(path: &Path, key: &str) -> Option<String> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let all = reader.metadata().file_metadata().key_value_metadata();
    let found = all?.iter().find(|it| it.key == key)?;
    found.value.clone()
}

fn assert_rows(found: &RecordBatch, all: &RecordBatch, rows: &[usize]) {
    assert_eq!(found.num_rows(), rows.len());
    for (column, field) in all.schema().fields().iter().enumerate() {
        for (at, &row) in rows.iter().enumerate() {
            let (left, right) = (found.column(column), all.column(column));
            let same = left.slice(at, 1).to_data() == right.slice(row, 1).to_data();
            assert!(same, "{} of row {row}", field.name());
        }
    }
}

#[test]
fn every_type_survives_in_every_packing() {
    let all = batch();
    let packings = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4_RAW,
        Compression::LZ4,
    ];
    for codec in packings {
        let job = Job::new();
        write(&job.path("in/a.parquet"), &all, codec);
        let counts = job.run(Mode::Split);
        assert_eq!((counts[0].kept, counts[0].removed), (60, 40));
        let (input, kept) = (job.path("in/a.parquet"), job.path("out/a.parquet"));
        let original = read(&input);
        assert_eq!(read(&kept).schema(), original.schema());
        assert_rows(&read(&kept), &original, &(0..60).collect::<Vec<_>>());
        assert_eq!(codecs(&kept), codecs(&input));
        for key in ["huggingface", "ARROW:schema"] {
            assert_eq!(about(&kept, key), about(&input, key));
        }
        let path = job.path("out/removed/a.parquet");
        let removed = read(&path);
        assert_rows(&removed, &original, &(60..100).collect::<Vec<_>>());
        let (new, old) = (removed.schema(), original.schema());
        let old = old.fields();
        assert_eq!(&new.fields()[..old.len()], &old[..]);
        let names: Vec<&str> = new.fields()[old.len()..]
            .iter()
            .map(|it| it.name().as_str())
            .collect();
        assert_eq!(names, ["duplicate_of", "similarity", "duplicate_of_record"]);
        assert_eq!(
            about(&path, "huggingface").as_deref(),
            Some("{\"info\":{}}")
        );
        let of = removed.column_by_name("duplicate_of").unwrap();
        let of: &StringArray = of.as_any().downcast_ref().unwrap();
        assert_eq!((of.value(0), of.value(39)), ("d000", "d039"));
    }
}

#[test]
fn annotations_are_typed_columns_with_nulls() {
    let all = batch();
    let job = Job::new();
    write(&job.path("in/a.parquet"), &all, Compression::SNAPPY);
    job.run(Mode::Annotate);
    let (original, found) = (read(&job.path("in/a.parquet")), job.path("out/a.parquet"));
    let found = read(&found);
    assert_rows(&found, &original, &(0..ROWS).collect::<Vec<_>>());
    let column = |name: &str| Arc::clone(found.column_by_name(name).unwrap());
    let text = |name: &str| column(name).as_any().downcast_ref::<StringArray>().cloned();
    let clusters = text("cluster_id").unwrap();
    assert_eq!((clusters.value(50), clusters.value(60)), ("d050", "d000"));
    let of = text("duplicate_of").unwrap();
    assert_eq!((of.null_count(), of.value(99)), (60, "d039"));
    let sizes = column("cluster_size");
    let sizes: &Int64Array = sizes.as_any().downcast_ref().unwrap();
    assert_eq!(
        (sizes.value(0), sizes.value(50), sizes.value(60)),
        (2, 1, 2)
    );
    let leads = column("is_representative");
    let leads: &BooleanArray = leads.as_any().downcast_ref().unwrap();
    assert_eq!((leads.value(0), leads.value(99)), (true, false));
    let similarity = column("similarity");
    let similarity: &Float64Array = similarity.as_any().downcast_ref().unwrap();
    assert!(similarity.is_null(0) && (similarity.value(60) - 0.972_222).abs() < 1e-6);
    assert!(!exists(&job.path("out/removed")));
}

#[test]
fn a_column_that_is_there_is_refused_and_bad_rows_are_left_out() {
    let schema = "message m { optional binary text (UTF8) = 7; optional int96 t = 9;
        optional binary similarity (UTF8); }";
    let write = |path: &Path, schema: &str, texts: &[Option<&[u8]>]| {
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let columns = schema.get_fields().len();
        let file = File::create(path).unwrap();
        let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let levels: Vec<i16> = texts.iter().map(|it| i16::from(it.is_some())).collect();
        let values: Vec<ByteArray> = texts
            .iter()
            .flatten()
            .map(|it| ByteArray::from(it.to_vec()))
            .collect();
        for number in 0..columns {
            let mut column = group.next_column().unwrap().unwrap();
            if number == 1 {
                let mut time = Int96::new();
                time.set_data(1, 2, 2_459_000);
                let times = vec![time; texts.len()];
                let levels = vec![1; texts.len()];
                let typed = column.typed::<Int96Type>();
                typed.write_batch(&times, Some(&levels), None).unwrap();
            } else {
                let typed = column.typed::<ByteArrayType>();
                typed.write_batch(&values, Some(&levels), None).unwrap();
            }
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
    };
    let (one, two) = (prose(1, 30), prose(2, 30));
    let texts = [
        Some(one.as_bytes()),
        None,
        Some(two.as_bytes()),
        Some(one.as_bytes()),
    ];
    let job = Job::new();
    let path = job.path("in/a.parquet");
    write(&path, schema, &texts);
    let source = job.source();
    let result = job.find(&source);
    let message = job
        .rewrite(&source, &result, Mode::Split)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("prefix") && message.contains("similarity"),
        "{message}"
    );
    // Types that Arrow has no word for, field numbers, a row without text, bytes that are
    // no UTF-8.
    let schema = schema.replace("similarity", "other");
    write(&path, &schema, &texts);
    let counts = job.run(Mode::Split)[0];
    assert_eq!((counts.kept, counts.removed, counts.bad_records), (2, 1, 1));
    let schema_of = |path: &Path| {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let mut out = Vec::new();
        print_schema(&mut out, reader.metadata().file_metadata().schema());
        let rows = reader.metadata().file_metadata().num_rows();
        (String::from_utf8(out).unwrap(), rows)
    };
    let (printed, rows) = schema_of(&job.path("out/a.parquet"));
    assert_eq!((&printed, rows), (&schema_of(&path).0, 2));
    assert!(
        printed.contains("INT96 t") || printed.contains("INT96"),
        "{printed}"
    );
    assert_eq!(schema_of(&job.path("out/removed/a.parquet")).1, 1);
    fs::remove_dir_all(job.path("out")).unwrap();
    write(
        &path,
        &schema,
        &[
            Some(b"\xff\xfe bytes"),
            Some(one.as_bytes()),
            Some(one.as_bytes()),
        ],
    );
    let counts = job.run(Mode::Split)[0];
    assert_eq!(
        (
            counts.kept + counts.removed + counts.bad_records,
            counts.removed
        ),
        (3, 1)
    );
}

/// Overwrites some bytes of the pages of a column in a row group.
fn damage(path: &Path, group: usize, column: &str) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let chunks = reader.metadata().row_group(group).columns().iter();
    let mut chunks = chunks.filter(|chunk| chunk.column_path().string() == column);
    let (start, length) = chunks.next().unwrap().byte_range();
    let mut bytes = fs::read(path).unwrap();
    let start = usize::try_from(start).unwrap();
    let length = usize::try_from(length).unwrap();
    bytes[start..start + length].fill(0xff);
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_damaged_column_that_is_not_compared_spoils_its_row_group_and_nothing_else() {
    let all = batch();
    for (mode, is_annotated) in [(Mode::Split, false), (Mode::Annotate, true)] {
        let job = Job::new();
        let input = job.path("in/a.parquet");
        write(&input, &all, Compression::ZSTD(ZstdLevel::default()));
        let original = read(&input);
        damage(&input, 1, "decimal");
        let line = format!("{{\"id\":\"b\",\"text\":{:?}}}\n", prose(1000, 40));
        fs::write(job.path("in/b.jsonl"), line).unwrap();
        let mut spec = DedupSpec {
            annotate: Some(is_annotated),
            ..DedupSpec::default()
        };
        let text = |path: &Path| path.to_string_lossy().into_owned();
        spec.find.input.inputs = Some(vec![text(&job.path("in"))]);
        spec.find.output.output = Some(job.path("out"));
        let outcome = spec.validate().unwrap().run(&Exec::new(&Silent)).unwrap();
        let DedupOutcome::Documents(outcome) = outcome else {
            panic!("whole documents");
        };
        assert!(outcome.has_left_out());
        let dedup = outcome.summary.dedup.as_ref().unwrap();
        // Rows 90 to 99 are copies of rows that cannot be read.
        let counts = (dedup.kept, dedup.removed, dedup.bad_records);
        assert_eq!(counts, (41, 30, 1), "{mode:?}");
        let rows: Vec<usize> = match mode {
            Mode::Split => (0..30).chain(90..100).collect(),
            Mode::Annotate => (0..30).chain(60..100).collect(),
        };
        assert_rows(&read(&job.path("out/a.parquet")), &original, &rows);
        assert!(exists(&job.path("out/b.jsonl")));
        // The rows that cannot be written again are in a copy of the whole file.
        let copy = fs::read(job.path("out/bad/a.parquet")).unwrap();
        assert!(copy == fs::read(&input).unwrap());
        let bad = job.path("out/_neardupe/bad-records.jsonl");
        let bad = fs::read_to_string(bad).unwrap();
        assert!(
            bad.contains("a.parquet") && bad.contains("column decimal cannot be read"),
            "{bad}"
        );
    }
}
