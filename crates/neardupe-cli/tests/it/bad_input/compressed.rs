//! Compressed input: equal to plain, and read as far as it is whole.

use super::{Folder, collection, line};
use std::io::{Read, Write};

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder =
        flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn bzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder =
        bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The parts of a collection packed one by one: several members, frames or streams.
fn packed_in_parts(lines: &[String], pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    lines
        .chunks(70)
        .flat_map(|part| pack(part.concat().as_bytes()))
        .collect()
}

#[test]
fn compressed_files_of_one_or_several_parts_equal_plain_ones() {
    let lines = collection(300, 1);
    let whole = lines.concat();
    let plain = Folder::with("docs.jsonl", &whole).find(&["docs.jsonl"]);
    assert_eq!(plain.documents(), 300);
    assert!(plain.count("clusters") > 50);
    let packed = [
        ("docs.jsonl.gz", gzip(whole.as_bytes())),
        ("docs.jsonl.zst", zstandard(whole.as_bytes())),
        ("docs.jsonl.bz2", bzip(whole.as_bytes())),
        ("parts.jsonl.gz", packed_in_parts(&lines, gzip)),
        ("parts.jsonl.zst", packed_in_parts(&lines, zstandard)),
        ("parts.jsonl.bz2", packed_in_parts(&lines, bzip)),
        // The first bytes tell the compression, not the name.
        ("unnamed", gzip(whole.as_bytes())),
        ("misnamed.jsonl", zstandard(whole.as_bytes())),
    ];
    for (name, bytes) in packed {
        let folder = Folder::with(name, &bytes);
        let found = folder.find(&[name]);
        assert_eq!(found.tables(), plain.tables(), "{name}");
        let found = folder.find_in(&bytes, &["-"]);
        assert_eq!(found.tables(), plain.tables(), "{name} on standard input");
    }
}

#[test]
fn compressed_text_files_are_documents() {
    let folder = Folder::with("a.txt.gz", gzip(b"the same few words in two files"));
    folder.write("b.txt.bz2", bzip(b"the same few words in two files"));
    folder.write("c.txt.zst", zstandard(b"the same few words in two files"));
    let found = folder.find(&["."]);
    assert!(
        found
            .clusters
            .contains(r#"["a.txt.gz","b.txt.bz2","c.txt.zst"]"#)
    );
}

/// What can be unpacked of a damaged gzip file.
fn unpacked_before_the_fault(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let outcome = flate2::bufread::MultiGzDecoder::new(bytes).read_to_end(&mut unpacked);
    outcome.expect_err("the file is damaged");
    unpacked
}

#[test]
fn a_truncated_gzip_file_gives_every_whole_record_before_the_cut() {
    let packed = gzip(collection(2000, 2).concat().as_bytes());
    let ends = [
        2,
        5,
        11,
        packed.len() / 3,
        packed.len() / 2,
        packed.len() - 9,
        packed.len() - 1,
    ];
    for end in ends {
        let cut = &packed[..end];
        let mut whole = unpacked_before_the_fault(cut);
        let end_of_lines = whole
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        whole.truncate(end_of_lines);
        let num_lines = whole.iter().filter(|&&byte| byte == b'\n').count();
        let expected = Folder::with("docs.jsonl", &whole).find(&["docs.jsonl"]);
        assert_eq!(expected.documents(), num_lines);
        let folder = Folder::with("docs.jsonl.gz", cut);
        let found = folder.find(&["docs.jsonl.gz"]);
        assert_eq!(found.tables(), expected.tables(), "cut at {end}");
        let (number, offset) = (num_lines as u64 + 1, end_of_lines as u64);
        assert_eq!(
            found.places(),
            [("docs.jsonl.gz", number, offset, "compression")]
        );
        // On standard input the format must be told from what is left of the file.
        let found = folder.find_in(cut, &["-", "--input-format", "jsonl"]);
        assert_eq!(
            found.tables(),
            expected.tables(),
            "cut at {end} on standard input"
        );
        assert_eq!(found.places(), [("stdin", number, offset, "compression")]);
    }
}

#[test]
fn a_compressed_file_with_damage_inside_is_read_up_to_it() {
    let lines = collection(3000, 3);
    let whole = lines.concat();
    for (name, mut packed) in [
        ("docs.jsonl.gz", gzip(whole.as_bytes())),
        ("docs.jsonl.zst", zstandard(whole.as_bytes())),
        ("docs.jsonl.bz2", bzip(whole.as_bytes())),
    ] {
        let middle = packed.len() / 2;
        packed[middle..middle + 64].fill(0xff);
        let found = Folder::with(name, &packed).find(&[name]);
        assert!(
            (1..3000).contains(&found.documents()),
            "{name}: {}",
            found.documents()
        );
        // Damage may show only after some wrong bytes were given out as text.
        let last = found.bad.last().unwrap();
        assert_eq!((&*last.path, &*last.kind), (name, "compression"));
        assert_eq!(
            found
                .bad
                .iter()
                .filter(|bad| bad.kind == "compression")
                .count(),
            1
        );
        assert_eq!(last.number, found.count("records") as u64);
    }
}

#[test]
fn a_wrong_checksum_at_the_end_is_recorded_though_all_records_were_read() {
    let mut packed = gzip(collection(50, 4).concat().as_bytes());
    let checksum = packed.len() - 8;
    packed[checksum] ^= 1;
    let found = Folder::with("docs.jsonl.gz", &packed).find(&["docs.jsonl.gz"]);
    assert_eq!(found.documents(), 50);
    assert_eq!(found.places()[0].1, 51);
    assert_eq!(found.bad[0].kind, "compression");
}

#[test]
fn a_damaged_text_file_is_one_bad_record() {
    let packed = gzip(
        "some text that is long enough to be cut "
            .repeat(50)
            .as_bytes(),
    );
    let folder = Folder::with("bad.txt.gz", &packed[..packed.len() / 2]);
    folder.write("good.txt.gz", &packed);
    let found = folder.find(&["."]);
    assert_eq!(found.documents(), 1);
    assert_eq!(found.places(), [("bad.txt.gz", 1, 0, "compression")]);
}

#[test]
fn a_cut_inside_a_line_that_is_too_long_is_recorded_beside_the_line() {
    let text = line("a", "good") + &line("b", &"x".repeat(5 << 20));
    let mut packed = gzip(text.as_bytes());
    packed.truncate(packed.len() - 100);
    let folder = Folder::with("docs.jsonl.gz", &packed);
    let found = folder.find(&["docs.jsonl.gz", "--max-record-bytes", "1M"]);
    assert_eq!(found.documents(), 1);
    let kinds: Vec<_> = found
        .bad
        .iter()
        .map(|bad| (bad.number, &*bad.kind))
        .collect();
    assert_eq!(kinds, [(2, "too-long"), (3, "compression")]);
}
