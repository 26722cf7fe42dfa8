//! Files that are damaged, cut short, or made to do harm.

use super::*;
use proptest::prelude::*;
use std::fs;
use std::sync::LazyLock;

/// A small file of several groups and columns, as bytes.
fn sample(compression: Compression, encoding: Option<Encoding>) -> Vec<u8> {
    let (texts, ids, _) = twenty();
    let text: ArrayRef = Arc::new(StringArray::from(texts));
    let id: ArrayRef = Arc::new(Int64Array::from(ids));
    let when: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![5; 20]));
    let batch = batch(vec![("id", id), ("text", text), ("when", when)]);
    let mut properties = properties().set_compression(compression);
    if let Some(encoding) = encoding {
        properties = properties
            .set_dictionary_enabled(false)
            .set_column_encoding("text".into(), encoding)
            .set_writer_version(WriterVersion::PARQUET_2_0);
    }
    fs::read(written(&batch, properties).path()).unwrap()
}

static SAMPLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    vec![
        sample(Compression::UNCOMPRESSED, None),
        sample(Compression::UNCOMPRESSED, Some(Encoding::PLAIN)),
        sample(
            Compression::UNCOMPRESSED,
            Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
        ),
        sample(Compression::UNCOMPRESSED, Some(Encoding::DELTA_BYTE_ARRAY)),
        sample(Compression::SNAPPY, None),
        sample(Compression::ZSTD(Default::default()), None),
    ]
});

/// Reads whatever can be read. Faults are fine, panics and endless reading are not.
fn survive(bytes: &[u8]) -> usize {
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    let mut values = testing::values(&["text"], &["when"]);
    let Ok(opened) = open(file.path(), &values) else {
        return 0;
    };
    let mut num_rows = 0;
    for group in opened.groups() {
        let mut reader = opened.read(group.number);
        // A footer may promise thousands of millions of rows of nulls.
        for block in std::iter::from_fn(|| reader.next_block()).take(8) {
            let Ok(block) = block else { break };
            for row in 0..block.len() {
                num_rows += usize::from(block.read(row, &mut values).is_ok());
            }
        }
    }
    num_rows
}

#[test]
fn untouched_samples_are_read() {
    for sample in SAMPLES.iter() {
        assert_eq!(survive(sample), 16);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn flipped_bytes_do_no_harm(
        sample in 0..6usize,
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_footer in any::<bool>(),
    ) {
        let mut bytes = SAMPLES[sample].clone();
        let len = bytes.len();
        let footer = u32::from_le_bytes(bytes[len - 8..len - 4].try_into().unwrap());
        let footer = len - 8 - footer as usize;
        for (at, byte) in flips {
            let at = if in_footer { footer + at.index(len - footer) } else { 4 + at.index(footer - 4) };
            bytes[at] ^= byte;
        }
        survive(&bytes);
    }

    #[test]
    fn cut_files_do_no_harm(sample in 0..6usize, at in any::<prop::sample::Index>()) {
        let bytes = &SAMPLES[sample];
        survive(&bytes[..at.index(bytes.len())]);
    }
}

#[test]
fn what_is_no_parquet_file_is_told() {
    let values = testing::values(&["text"], &[]);
    let whole = &SAMPLES[0];
    let cut = whole[..whole.len() - 1].to_vec();
    for bytes in [
        Vec::new(),
        b"PAR1".to_vec(),
        b"{\"text\":\"a\"}\n".repeat(9),
        cut,
    ] {
        let file = NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        let (kind, detail) = open(file.path(), &values).unwrap_err();
        assert_eq!(kind, BadKind::Format, "{detail}");
        assert!(
            detail.starts_with("no Parquet file, or not all of it: "),
            "{detail}"
        );
    }
    let fault = open(Path::new("/nothing/here.parquet"), &values).unwrap_err();
    assert_eq!(fault.0, BadKind::Unreadable);
}

#[test]
fn a_damaged_group_loses_its_own_rows_only() {
    let mut values = testing::values(&["text"], &[]);
    let mut bytes = sample(Compression::UNCOMPRESSED, None);
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), &bytes).unwrap();
    let whole = read(&file, &mut values);
    // The pages of the middle one of three groups.
    let opened = open(file.path(), &values).unwrap();
    let chunk = &opened.0.groups[1].1[1];
    let (start, length) = chunk.byte_range();
    let start = usize::try_from(start).unwrap();
    let end = start + usize::try_from(length).unwrap();
    bytes[start..end].fill(0x55);
    fs::write(file.path(), &bytes).unwrap();
    let rows = read(&file, &mut values);
    assert_eq!(rows[..7], whole[..7]);
    assert_eq!(rows[8..], whole[14..]);
    let (kind, detail) = rows[7].as_ref().unwrap_err();
    assert_eq!(*kind, BadKind::Format);
    assert!(detail.starts_with("row group 1: "), "{detail}");
    assert!(detail.ends_with("; its 7 rows are lost"), "{detail}");
}
