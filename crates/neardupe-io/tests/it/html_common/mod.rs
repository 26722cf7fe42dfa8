//! What the tests of the HTML extraction share: real pages, and how they are measured. `tests/twins` has it too.
#![allow(unreachable_pub, reason = "there it is reachable")]

pub(crate) mod measure;

use neardupe_io::extract::{Content, Extracted, HtmlExtractor, HtmlOptions};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Text of a page by the extractor.
pub fn extract(html: &str, content: Content) -> Extracted {
    let options = HtmlOptions {
        content,
        ..HtmlOptions::default()
    };
    let mut out = Extracted::default();
    HtmlExtractor::new(options).extract(html, &mut out);
    out
}

/// The records of a collection that is not part of the repository. When it is absent:
/// None, and a line on standard error about what is skipped.
pub fn pages(name: &str, what: &str) -> Option<Vec<Value>> {
    let data = std::env::var_os("NEARDUPE_DATA").unwrap_or("../shared/data".into());
    let folder = repository().join(data).join(name);
    let path = folder.join("pages.jsonl.gz");
    if !path.is_file() {
        say(&format!(
            "skipped: {name}: {what} not compared, as there is no file {}; \
             NEARDUPE_DATA can name the folder that holds {name}",
            path.display()
        ));
        return None;
    }
    let file = std::fs::File::open(path).unwrap();
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    let records = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    Some(records.collect())
}

/// A line on standard error; the test harness hides what `eprintln` prints.
pub fn say(line: &str) {
    let line = format!("{line}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Time that this thread has had so far, where the system tells it, else the time of day:
/// on a busy machine the clock on the wall says little.
pub fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat");
    let text = text.unwrap_or_default();
    match text.split_whitespace().next().map(str::parse) {
        Some(Ok(nanoseconds)) => Duration::from_nanos(nanoseconds),
        _ => UNIX_EPOCH.elapsed().unwrap(),
    }
}

pub(crate) fn repository() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.parent().unwrap().to_path_buf()
}
