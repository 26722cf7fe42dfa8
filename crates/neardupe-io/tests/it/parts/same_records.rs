//! The records of many parts are those of one.

use super::{RANGE_BYTES, documents, mixed, read, source, together};
use crate::carriers;
use neardupe_core::document::{BadKind, Source};

#[test]
fn every_format_gives_the_same_records_in_many_parts() {
    let documents = documents(120, 30);
    let folder = tempfile::tempdir().unwrap();
    for carrier in carriers::ALL {
        let path = folder.path().join(carrier.name);
        (carrier.write)(&path, &documents);
        let (whole, whole_read) = read(&source(&path, carrier.forced(), u64::MAX), 2);
        assert_eq!(whole.len(), 1);
        let (parts, parts_read) = read(&source(&path, carrier.forced(), 1), 2);
        // Row groups of 50, and a file for each document.
        let expected = match carrier.name {
            "columns.parquet" => 3,
            "texts" | "pages" => documents.len(),
            _ => 1,
        };
        assert_eq!(parts.len(), expected, "{}", carrier.name);
        assert_eq!(together(parts), together(whole), "{}", carrier.name);
        let shown = |read| format!("{read:?}");
        assert_eq!(shown(parts_read), shown(whole_read), "{}", carrier.name);
    }
}

#[test]
fn parts_of_many_files_follow_each_other_and_give_the_same_records() {
    let folder = tempfile::tempdir().unwrap();
    mixed(folder.path());
    let (whole, whole_read) = read(&source(folder.path(), None, u64::MAX), 2);
    let mut whole = together(whole);
    whole.bad.sort();
    for (part_bytes, least_parts) in [(1, 23), (100_000, 5), (RANGE_BYTES, 3)] {
        let (parts, parts_read) = read(&source(folder.path(), None, part_bytes), 2);
        assert!(parts.len() >= least_parts, "{} parts", parts.len());
        for pair in parts.windows(2) {
            let last = pair[0].documents.last().unwrap();
            let first = pair[1].documents.first().unwrap();
            assert!(last.0 < first.0, "{:?} is not before {:?}", last.0, first.0);
        }
        let parts = together(parts);
        assert!(parts == whole, "parts of {part_bytes} bytes differ");
        assert_eq!(format!("{parts_read:?}"), format!("{whole_read:?}"));
    }
}

#[test]
fn parts_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    mixed(folder.path());
    for part_bytes in [1, 100_000] {
        let (one, _) = read(&source(folder.path(), None, part_bytes), 1);
        for threads in [2, 5] {
            let (many, _) = read(&source(folder.path(), None, part_bytes), threads);
            assert!(
                many == one,
                "{threads} threads, parts of {part_bytes} bytes"
            );
        }
    }
}

#[test]
fn files_that_cannot_be_read_belong_to_the_first_part() {
    let folder = tempfile::tempdir().unwrap();
    mixed(folder.path());
    let source = source(folder.path(), None, 1);
    let (parts, read) = read(&source, 2);
    let at = |name: &str| read.files.iter().position(|file| file.name == name);
    let middle = at("middle.jsonl").unwrap();
    assert!(middle > 5, "it comes long after what the first part reads");
    let [(position, kind)] = parts[0].bad[..] else {
        panic!("{:?}", parts[0].bad);
    };
    assert_eq!((position.file as usize, kind), (middle, BadKind::Binary));
    assert!(parts[1..].iter().all(|part| part.bad.is_empty()));
    assert_eq!(read.files[middle].records, 1);
    assert_eq!(read.files[middle].record_number(position), 1);
}

#[test]
fn a_part_that_was_read_before_is_not_needed_for_the_next() {
    let folder = tempfile::tempdir().unwrap();
    mixed(folder.path());
    let (parts, _) = read(&source(folder.path(), None, 100_000), 2);
    let again = source(folder.path(), None, 100_000);
    assert_eq!(again.num_parts().unwrap() as usize, parts.len());
    let last = again.num_parts().unwrap() - 1;
    let mut sink = super::Seen::default();
    let silent = neardupe_core::document::Silent;
    again.read_part(last, vec![&mut sink], &silent).unwrap();
    assert_eq!(Some(&sink.sorted()), parts.last());
    assert!(again.read_part(last + 1, Vec::new(), &silent).is_err());
    assert_eq!(again.origins().unwrap(), again.origins().unwrap());
}
