//! The same documents give the same bytes, for any number of threads, any order of lines and
//! any division into files.

use super::compressed::gzip;
use super::{Folder, Found, Numbers, collection};

fn shuffled(lines: &[String], seed: u64) -> Vec<String> {
    let mut numbers = Numbers(seed);
    let mut lines = lines.to_vec();
    for at in (1..lines.len()).rev() {
        lines.swap(at, numbers.below(at + 1));
    }
    lines
}

/// Documents with near-copies, of which some share an id.
fn documents() -> Vec<String> {
    let mut lines = collection(400, 11);
    lines.extend(collection(30, 12));
    lines
}

const WAYS: [&[&str]; 5] = [
    &[],
    &["--output-format", "tsv"],
    &[
        "--pairs",
        "all",
        "--threshold",
        "0.5",
        "--features",
        "words:3",
    ],
    &[
        "--cluster",
        "components",
        "--keep",
        "shortest",
        "--output-format",
        "tsv",
    ],
    &["--cluster", "neighbors", "--features", "terms"],
];

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = Folder::with("docs.jsonl", documents().concat());
    for way in WAYS {
        let with =
            |threads| folder.find(&[&["docs.jsonl", "--threads", threads], way].concat());
        let one = with("1");
        assert!(one.count("clusters") > 50, "{way:?}");
        for threads in ["2", "7"] {
            assert_eq!(
                with(threads).tables(),
                one.tables(),
                "{threads} threads, {way:?}"
            );
        }
    }
}

#[test]
fn any_order_of_lines_and_any_division_into_files_gives_the_same_bytes() {
    let lines = documents();
    let whole = Folder::with("docs.jsonl", lines.concat());
    for way in WAYS {
        let expected: Found = whole.find(&[&["docs.jsonl"], way].concat());
        for seed in [1, 2] {
            let lines = shuffled(&lines, seed);
            let folder = Folder::with("one/docs.jsonl", lines.concat());
            for (number, part) in lines.chunks(90).enumerate() {
                folder.write(format!("parts/{number}.jsonl"), part.concat());
                folder.write(
                    format!("packed/{number}.jsonl.gz"),
                    gzip(part.concat().as_bytes()),
                );
            }
            for input in ["one", "parts", "packed"] {
                let found = folder.find(&[&[input], way].concat());
                assert_eq!(
                    found.tables(),
                    expected.tables(),
                    "{input}, seed {seed}, {way:?}"
                );
            }
        }
    }
}
