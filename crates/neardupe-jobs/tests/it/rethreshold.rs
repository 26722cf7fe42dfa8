//! A result that is clustered again at a higher threshold has the bytes of a fresh job, for
//! every way to cluster, to keep and to compare.

use neardupe_core::document::{Side, Silent};
use neardupe_core::pipeline::{Against, FindConfig, PairsMode, Rule, find};
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::Threshold;
use neardupe_io::output::{OutputFormat, write_tables};
use neardupe_io::result::ResultReader;
use neardupe_io::source::{FileSource, ReadOptions, discover};
use neardupe_jobs::rethreshold::{RethresholdTask, rethreshold};
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use std::path::Path;

const TABLES: [&str; 4] = ["pairs", "clusters", "duplicates", "documents"];
const MODES: [&str; 4] = ["star", "components", "neighbors", "none"];
const KEEPS: [&str; 9] = [
    "longest",
    "shortest",
    "shortest:field",
    "newest:field",
    "oldest:field",
    "highest:field",
    "lowest:field",
    "prefer:field=2001",
    "first",
];

/// A document: words by number, and a value.
type Made = (Vec<u8>, Option<u16>);

fn documents() -> impl Strategy<Value = Vec<Made>> {
    // Few words and few changes: many similar pairs, and equal ones.
    let words = proptest::collection::vec(0u8..12, 1..14);
    let made = (words, proptest::option::of(1999u16..2003));
    proptest::collection::vec(made, 2..28)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn the_bytes_are_those_of_a_fresh_job(
        documents in documents(),
        mode in 0..MODES.len(),
        keep in 0..KEEPS.len(),
        similarity in prop::sample::select(&["resemblance", "containment", "s3"][..]),
        sample in prop::sample::select(&["none", "none", "mod:2", "commonality:4"][..]),
        against in proptest::option::of((0usize..20, any::<bool>(), any::<bool>())),
        low in 2u64..9,
        more in 0u64..6,
        format in prop_oneof![Just(OutputFormat::Jsonl), Just(OutputFormat::Tsv)],
        row_bytes in prop_oneof![Just(50u64), Just(1 << 20)],
    ) {
        let high = (low + more).min(10);
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let against = against.filter(|_| MODES[mode] != "components");
        let num_old = against.map_or(0, |(num_old, ..)| num_old.min(documents.len()));
        write_documents(folder, "old.jsonl", &documents[..num_old]);
        write_documents(folder, "documents.jsonl", &documents[num_old..]);
        let job = Job {
            folder,
            mode: MODES[mode],
            keep: KEEPS[keep],
            similarity,
            sample,
            against: against.map(|(_, within, remove_containing)| Against {
                within,
                remove_containing,
            }),
            format,
        };
        let old = Threshold::new(low, 10).unwrap();
        let new = Threshold::new(high, 10).unwrap();
        job.find(old, "old");
        let linked = job.find(new, "fresh");
        let result = ResultReader::open(&folder.join("old")).unwrap();
        let work = WorkDir::new(folder.join("sorting"));
        let task = RethresholdTask {
            result: &result,
            threshold: new,
            format,
            work: &work,
            row_bytes,
        };
        fs::create_dir(folder.join("again")).unwrap();
        match rethreshold(&task, &folder.join("again")) {
            Ok(counts) => {
                for table in TABLES {
                    let name = format!("{table}.{}", format.name());
                    let read = |run: &str| {
                        fs::read_to_string(folder.join(run).join(&name)).unwrap()
                    };
                    prop_assert_eq!(read("again"), read("fresh"), "{} {:?}", table, counts);
                }
            }
            // Only components compare documents that are not similar.
            Err(error) => {
                prop_assert!(linked > 0 && job.mode == "components", "{error}");
                prop_assert!(error.to_string().contains("run find"), "{error}");
            }
        }
    }
}

#[test]
fn what_does_not_have_all_pairs_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let same = [(vec![1, 2, 3], None), (vec![1, 2, 3], None)];
    write_documents(folder, "documents.jsonl", &same);
    let job = Job {
        folder,
        mode: "star",
        keep: "longest",
        similarity: "resemblance",
        sample: "none",
        against: None,
        format: OutputFormat::Jsonl,
    };
    job.find("0.8".parse().unwrap(), "old");
    let message = |threshold: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let path = folder.join("old/summary.json");
        let text = fs::read_to_string(&path).unwrap();
        let mut summary: serde_json::Value = serde_json::from_str(&text).unwrap();
        change(&mut summary["options"]);
        fs::write(&path, summary.to_string()).unwrap();
        let result = ResultReader::open(&folder.join("old")).unwrap();
        fs::write(&path, text).unwrap();
        let found =
            neardupe_jobs::rethreshold::check(&result, threshold.parse().unwrap());
        found.map_or_else(|error| error.to_string(), |()| String::new())
    };
    assert_eq!(message("0.8", &|_| {}), "");
    let lower = message("0.79", &|_| {});
    assert!(lower.contains("find `threshold 0.79`"), "{lower}");
    let evidence = message("0.9", &|options| options["pairs"] = json!("evidence"));
    assert!(evidence.contains("`pairs all`"), "{evidence}");
}

fn write_documents(folder: &Path, name: &str, documents: &[Made]) {
    let mut lines = String::new();
    for (number, (words, value)) in documents.iter().enumerate() {
        let words: Vec<String> = words.iter().map(|word| format!("w{word}")).collect();
        // Some differ only in punctuation and spacing.
        let end = ["", ".", ""][number % 3];
        let mut record = json!({
            "id": format!("d{}", number * 7 % 31),
            "text": words.join(" ") + end,
        });
        if let Some(value) = value {
            record["field"] = json!(value.to_string());
        }
        lines += &format!("{record}\n");
    }
    fs::write(folder.join(name), lines).unwrap();
}

struct Job<'a> {
    folder: &'a Path,
    mode: &'a str,
    keep: &'a str,
    similarity: &'a str,
    sample: &'a str,
    against: Option<Against>,
    format: OutputFormat,
}

impl Job<'_> {
    /// Writes a result; returns how many duplicates are only linked.
    fn find(&self, threshold: Threshold, name: &str) -> usize {
        let names = match self.against {
            None => &["documents.jsonl"][..],
            Some(_) => &["old.jsonl", "documents.jsonl"],
        };
        let inputs = names.iter().map(|name| self.folder.join(name));
        let inputs: Vec<String> = inputs
            .map(|path| path.to_str().unwrap().to_owned())
            .collect();
        let mut files = discover(&inputs, None).unwrap().files;
        if self.against.is_some() {
            files[0].side = Side::Old;
        }
        let mut options = ReadOptions::default();
        options.keys.metadata = vec!["field".to_owned()];
        let mut config = FindConfig::new(self.folder.join("work"));
        config.metadata = options.keys.metadata.clone();
        config.threshold = threshold;
        config.features = "words:1".parse().unwrap();
        config.cluster = self.mode.parse().unwrap();
        config.keep = self.keep.parse().unwrap();
        config.pairs = PairsMode::All;
        config.similarity = self.similarity.parse().unwrap();
        config.sampling = self.sample.parse().unwrap();
        config.against = self.against;
        config.threads = 1;
        let result = find(&FileSource::new(files, options), &config, &Silent).unwrap();
        let out = self.folder.join(name);
        fs::create_dir(&out).unwrap();
        write_tables(&out, &result, self.format, &config.metadata).unwrap();
        let summary = json!({
            "program": "neardupe",
            "version": "0",
            "command": "find",
            "options": {
                "output-format": self.format.name(),
                "threshold": threshold.to_string(),
                "cluster": self.mode,
                "keep": self.keep,
                "pairs": "all",
                "meta-key": ["field"],
                "similarity": self.similarity,
                "against": self.against.map_or(&[][..], |_| &["old.jsonl"]),
                "remove-containing":
                    self.against.is_some_and(|against| against.remove_containing),
            },
            "feature_specification": {},
            "counts": result.totals,
        });
        fs::write(out.join("summary.json"), summary.to_string()).unwrap();
        let linked = result.duplicates.iter();
        linked.filter(|row| row.rule == Rule::Linked).count()
    }
}
