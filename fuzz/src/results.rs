//! What reads results and truths, and what writes a collection again.

use neardupe_core::document::Silent;
use neardupe_core::error::Error;
use neardupe_core::pipeline::{FindConfig, PairsMode, find};
use neardupe_io::output::{OutputFormat, write_tables};
use neardupe_io::result::ResultReader;
use neardupe_io::source::{FileSource, InputFormat, ReadOptions, discover};
use neardupe_jobs::diff::{Diff, DiffLimits, DiffPage, render_html};
use neardupe_jobs::rewrite::{AddedFields, Mode, Rewrite};
use neardupe_jobs::truth::{Ids, TruthOptions, read_truth};
use std::path::Path;
use std::time::Duration;

const TABLES: [&str; 4] = ["pairs", "clusters", "duplicates", "documents"];

fn config(folder: &Path) -> FindConfig {
    let mut config = FindConfig::new(folder.join("work"));
    config.threshold = "0.2".parse().expect("a threshold");
    config.features = "words:1".parse().expect("features");
    config.pairs = PairsMode::All;
    config.threads = 1;
    config
}

fn source(path: &Path, format: InputFormat) -> FileSource {
    let arguments = [path.to_string_lossy().into_owned()];
    let found = discover(&arguments, Some(format)).expect("it is there");
    let options = ReadOptions {
        format: Some(format),
        max_record_bytes: 1 << 20,
        ..ReadOptions::default()
    };
    FileSource::new(found.files, options)
}

/// The tables of a small result in a format.
pub(crate) fn tables(format: OutputFormat) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in.jsonl");
    let lines: String = (0..12)
        .map(|number| {
            let words = "alpha beta gamma delta";
            format!("{{\"id\":\"d{number}\\t\\\"<\",\"text\":\"{words} {number}\"}}\n")
        })
        .collect();
    std::fs::write(&input, lines).expect("room for it");
    let source = source(&input, InputFormat::Jsonl);
    let result = find(&source, &config(folder.path()), &Silent).expect("it is found");
    write_tables(folder.path(), &result, format, &[]).expect("room for it");
    let read = |table: &str| {
        let path = folder.path().join(format!("{table}.{}", format.name()));
        std::fs::read(path).expect("it was written")
    };
    TABLES.into_iter().map(read).collect()
}

/// Reads bytes as every table of a result.
pub(crate) fn read_tables(bytes: &[u8], format: OutputFormat) {
    let folder = tempfile::tempdir().expect("a folder");
    let name = format.name();
    let summary = format!(
        "{{\"program\": \"neardupe\", \"version\": \"0\", \"command\": \"find\", \
         \"options\": {{\"output-format\": \"{name}\"}}, \
         \"feature_specification\": {{}}, \"counts\": {{}}}}"
    );
    std::fs::write(folder.path().join("summary.json"), summary).expect("room for it");
    for table in TABLES {
        let path = folder.path().join(format!("{table}.{name}"));
        std::fs::write(path, bytes).expect("room for it");
    }
    let result = ResultReader::open(folder.path()).expect("it is a result");
    // Rows are good or an error ends them; nothing panics or goes on for ever.
    let most = bytes.len() + 2;
    if let Ok(rows) = result.pairs() {
        assert!(rows.take(most).count() < most);
    }
    if let Ok(rows) = result.clusters() {
        assert!(rows.take(most).count() < most);
    }
    if let Ok(rows) = result.duplicates() {
        assert!(rows.take(most).count() < most);
    }
    if let Ok(rows) = result.documents() {
        assert!(rows.take(most).count() < most);
    }
}

/// Reads bytes as a truth.
pub(crate) fn truth(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["truth.tsv", "truth.csv", "truth.jsonl"] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("room for it");
        let _ = read_truth(&path, &TruthOptions::default(), &mut Ids::default(), None);
    }
}

/// Deduplicates bytes in a format: what is written accounts for all that was read, or an
/// error says why it was not written. The check is the program's own; here it must hold.
pub(crate) fn rewrite(bytes: &[u8], format: InputFormat) {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in");
    std::fs::write(&input, bytes).expect("room for it");
    let source = source(&input, format);
    let result = find(&source, &config(folder.path()), &Silent).expect("it is found");
    for mode in [Mode::Split, Mode::Annotate] {
        let fields = AddedFields::new(mode, "nd_", false);
        let out = folder.path().join(format!("{mode:?}"));
        std::fs::create_dir(&out).expect("room for it");
        let rewrite = Rewrite {
            source: &source,
            result: &result,
            mode,
            fields: &fields,
            folder: &out,
            threads: 1,
        };
        match rewrite.run(&[0], &Silent) {
            Ok(counts) => {
                let counts = counts[0];
                let accounted = counts.kept + counts.removed + counts.bad_records;
                assert_eq!(accounted, counts.records);
            }
            Err(error @ Error::Internal(_)) => panic!("{error}"),
            Err(_) => {}
        }
    }
}

/// Compares the two halves of a text and shows how they differ.
pub(crate) fn diff(bytes: &[u8]) {
    let (left, right) = bytes.split_at(bytes.len() / 2);
    let (left, right) = (
        String::from_utf8_lossy(left),
        String::from_utf8_lossy(right),
    );
    let limits = DiffLimits {
        deadline: Duration::from_millis(200),
        ..DiffLimits::default()
    };
    let diff = Diff::new(&left, &right, &limits);
    let sides = diff.ops.iter().fold((0, 0), |(left, right), op| {
        (
            left + diff.left_of(op).len(),
            right + diff.right_of(op).len(),
        )
    });
    assert_eq!(sides, (left.len(), right.len()), "all of both is shown");
    let page = DiffPage {
        title: left.chars().take(40).collect(),
        left: "left".to_owned(),
        right: "right".to_owned(),
        facts: Vec::new(),
        context: 3,
    };
    let mut html = Vec::new();
    render_html(&diff, &page, &mut html).expect("memory takes it");
    let html = String::from_utf8(html).expect("a page is text");
    assert_eq!(
        html.matches("<script").count(),
        0,
        "nothing of a text is a tag"
    );
}
