//! Every parameter of every kind of job: settable by flag, configuration file and JSON, listed in the summary, and
//! accepted back from it.

use neardupe_core::document::Silent;
use neardupe_jobs::exec::Exec;
use neardupe_jobs::kind::dedup::{DedupOutcome, DedupPassagesSummary, DedupSpec};
use neardupe_jobs::kind::find::{FindSpec, Preset};
use neardupe_jobs::kind::passages::{PassagesSpec, PassagesSummary};
use neardupe_jobs::param::{ParamInfo, ParamShape, Params};
use neardupe_jobs::registry::{JOB_KINDS, JobKind, job_kind};
use neardupe_jobs::summary::Summary;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// A value that a parameter can have, other than its default where that is possible.
fn sample(info: &ParamInfo) -> Value {
    let text = match info.name {
        "threshold" | "min-threshold" | "tau" | "precision" | "sweep"
        | "sentence-share" => "0.7",
        "truth-columns" | "between" => "left,right",
        "shape" => "spread",
        "features" | "kinds" => "words:4",
        "stem" => "en",
        "keep" => "first",
        "sample" if info.value_name == "RULE" => "mod:2",
        "method" => "minhash",
        "recall" | "shorten" => "0.9",
        "thresholds" => "0.3,0.7",
        "measures" => "AP,RBP:0.95",
        "bands" => "14x8",
        "signature-filter" | "signature" => "imatch",
        "memory" | "max-record-bytes" => "300M",
        "hash-key" => "public",
        _ => match info.values.last() {
            Some(value) => value,
            None => "7",
        },
    };
    match info.shape {
        ParamShape::Switch => json!(true),
        ParamShape::One => json!(text),
        ParamShape::Many => json!([text]),
    }
}

/// A parameter alone, as a user would give it on the command line and in a file, has the same value.
fn each_is_read_the_same_everywhere(kind: &JobKind) {
    let name = kind.name;
    let mut names = BTreeSet::new();
    for info in (kind.params)() {
        assert!(
            names.insert(info.name),
            "{name}: {} is declared twice",
            info.name
        );
        assert!(!info.help().is_empty(), "{name}: {} has no help", info.name);
        // Its values come from the registry of formats, and help lists them.
        for value in info.values.iter().filter(|_| info.name == "input-format") {
            let help = info.help();
            assert!(help.contains(value), "{name}: {help} lacks {value}");
        }
        let value = sample(info);
        let read = |given: Value| {
            let read = (kind.read)(&map(given));
            read.unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let by_json = read(json!({ info.name: value }));
        let got = by_json.get(info.name);
        assert!(got.is_some(), "{name}: {}", info.name);
        // The names of Python and of HTTP bodies.
        let other = info.name.replace('-', "_");
        assert_eq!(read(json!({ other: value })).get(info.name), got);
        let file = toml::to_string(&json!({ info.name: value })).unwrap();
        let file: Map<String, Value> = toml::from_str(&file).unwrap();
        assert_eq!((kind.read)(&file).unwrap().get(info.name), got);
        let nothing = Map::new();
        if !info.is_positional {
            let flag = match &value {
                Value::Bool(_) => format!("--{}", info.name),
                Value::Array(values) => format!("--{} {}", info.name, text(&values[0])),
                one => format!("--{} {}", info.name, text(one)),
            };
            let by_flag = (kind.read_flags)(&flag, &nothing).unwrap();
            assert_eq!(by_flag.get(info.name), got, "{flag}");
        }
        // What was written is read back as it was.
        assert_eq!((kind.read)(&by_json).unwrap(), by_json);
        // A switch can be set back, whatever is under it.
        if info.shape == ParamShape::Switch {
            let off = format!("--{}", info.opposite().unwrap());
            let both = (kind.read_flags)(&off, &by_json).unwrap();
            assert_eq!(both.get(info.name), Some(&json!(false)), "{off}");
        }
    }
    let unknown = (kind.read)(&map(json!({"no-such-parameter": 1})));
    let message = unknown.unwrap_err().to_string();
    assert!(message.contains("has no such parameter"), "{message}");
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

#[test]
fn every_parameter_is_read_the_same_everywhere() {
    JOB_KINDS.iter().for_each(each_is_read_the_same_everywhere);
}

/// The least that describes a job of a kind.
fn least(kind: &JobKind, folder: &Path) -> Value {
    let docs = documents(folder);
    let out = folder.join("out");
    match kind.name {
        "dedup" => json!({"inputs": [docs], "output": out}),
        "eval" => json!({"result": out, "truth": docs}),
        "judge" | "sources" | "explain" => json!({"result": out, "id": "a"}),
        "rethreshold" => json!({"result": out, "threshold": 0.9, "output": out}),
        "similar" => json!({"inputs": [docs], "query": "one two"}),
        "compare" => json!({"left": docs, "right": docs}),
        "df-table build" => json!({"inputs": [docs], "output": out}),
        "df-table merge" => json!({"tables": [docs, docs], "output": out}),
        "df-table info" => json!({"table": "english"}),
        "trec dedup-run" => json!({"runs": [docs], "groups": docs, "output": out}),
        "trec dedup-qrels" => json!({"qrels": docs, "groups": docs, "output": out}),
        "trec check-qrels" => json!({"qrels": docs, "groups": docs}),
        "trec effect" => json!({"runs": [docs], "qrels": docs, "groups": docs}),
        "trec prevalence" => json!({"runs": [docs], "groups": docs}),
        "trec sources" => json!({"runs": [docs], "result": out}),
        "methods" => json!({}),
        "synth" => json!({"documents": 10, "output": out}),
        _ => json!({"inputs": [docs]}),
    }
}

/// What makes another job of a kind: parameters that only one of two has are listed for that one.
fn other(kind: &JobKind) -> Value {
    match kind.name {
        "dedup" => json!({"passages": true}),
        "passages" => json!({"preset": "pdc-mr"}),
        _ => json!({}),
    }
}

/// A job lists all its parameters as they are used, and that list describes the same job.
#[test]
fn a_job_lists_its_parameters_and_is_described_by_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let docs = documents(folder.path());
    let out = folder.path().join("out");
    let found = json!({"inputs": [docs], "output": out, "pairs": "all"});
    let find = job_kind("find").unwrap();
    let end = (find.run)(&map(found), &Exec::new(&Silent)).unwrap();
    assert_eq!(end.summary["counts"]["documents"], json!(4));
    for kind in JOB_KINDS {
        let name = kind.name;
        let has = |param: &str| (kind.params)().iter().any(|info| info.name == param);
        let mut given = map(least(kind, folder.path()));
        given.retain(|param, _| has(param));
        let mut with_other = given.clone();
        with_other.extend(map(other(kind)));
        let mut named = BTreeSet::new();
        for given in [given, with_other] {
            let check = |given: &Map<String, Value>| {
                let listed = (kind.check)(given);
                listed.unwrap_or_else(|error| panic!("{name}: {error}"))
            };
            let listed = check(&given);
            assert_eq!(check(&listed), listed, "{name}");
            named.extend(listed.into_iter().map(|(param, _)| param));
        }
        for info in (kind.params)() {
            assert!(named.contains(info.name), "{name}: {}", info.name);
        }
        assert!(named.iter().all(|param| has(param)), "{name}: {named:?}");
    }
    assert!(job_kind("study threshold").is_ok());
    let message = job_kind("stduy").err().unwrap().to_string();
    assert!(message.contains("there is find, dedup"), "{message}");
}

/// Some documents with all fields that parameters below name.
fn documents(folder: &Path) -> String {
    let path = folder.join("docs.jsonl");
    let texts = [
        "a b c d e f g h",
        "a b c d e f g h",
        "a b c d e f g i",
        "k l m n o p",
    ];
    let lines = texts.iter().enumerate().map(|(number, text)| {
        let record =
            json!({"id": number, "text": text, "lang": "en", "date": "2026-01-01"});
        format!("{record}\n")
    });
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    path.to_string_lossy().into_owned()
}

/// The options of a summary are a description of the same job.
#[test]
fn a_summary_is_accepted_back_and_means_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let docs = documents(folder.path());
    let methods = [
        json!({}),
        json!({"method": "minhash"}),
        json!({"method": "minhash", "bands": "9x13"}),
        json!({"method": "simhash"}),
        json!({"method": "simhash", "no-verify": true, "distance": 5}),
        json!({"method": "imatch"}),
        json!({"method": "imatch", "no-verify": true}),
        json!({"signature-filter": "imatch", "signature-distance": 1}),
        json!({"features": "spotsigs"}),
        json!({"sample": ["mod:2", "commonality:9"], "keep-exact": true}),
        json!({"sample": "smallest:4"}),
        json!({"cluster": "none"}),
        json!({"similarity": "containment", "against": docs.clone() + ".old", "within": true}),
        json!({"keep": "newest:date", "block-by": "lang", "meta-key": ["date"]}),
    ];
    std::fs::copy(&docs, docs.clone() + ".old").unwrap();
    let presets = Preset::NAMES.iter().map(|name| json!({"preset": name}));
    for (number, own) in methods.into_iter().chain(presets).enumerate() {
        let mut options = map(own.clone());
        options.insert("inputs".to_owned(), json!([docs]));
        options.insert("input-format".to_owned(), json!("jsonl"));
        let output = folder.path().join(format!("out-{number}"));
        options.insert("output".to_owned(), json!(output));
        let spec = FindSpec::from_map(&options, "find").unwrap();
        let job = spec
            .validate()
            .unwrap_or_else(|error| panic!("{own}: {error}"));
        let before = job.options();
        let outcome = job.run(&Exec::new(&Silent)).unwrap();
        assert_eq!(outcome.summary.options, before, "{own}");
        let text = std::fs::read_to_string(output.join("summary.json")).unwrap();
        let written: Value = serde_json::from_str(&text).unwrap();
        let again = FindSpec::from_map(written["options"].as_object().unwrap(), "find");
        let again = again.unwrap().validate();
        let again = again.unwrap_or_else(|error| panic!("{own}: {error}"));
        assert_eq!(again.options(), before, "{own}");
    }
}

/// The same of passages, and of their removal.
#[test]
fn a_summary_of_passages_is_accepted_back() {
    let folder = tempfile::tempdir().unwrap();
    let docs = documents(folder.path());
    let old = docs.clone() + ".old";
    std::fs::copy(&docs, &old).unwrap();
    let jobs = [
        json!({}),
        json!({"min-words": 15, "tau": 0.5, "max-documents": "none", "expand": true}),
        json!({"preset": "pdc-mr"}),
        json!({"signature": "words:2", "gamma": 0, "within-document": true}),
        json!({"signature": "spotsigs", "antecedents": 3, "offsets": "bytes"}),
        json!({"against": old.clone(), "within": true, "also": ["pan", "passim"]}),
        json!({"query": old.clone()}),
    ];
    for (number, own) in jobs.into_iter().enumerate() {
        let mut options = map(own.clone());
        options.insert("inputs".to_owned(), json!([docs]));
        options.insert("input-format".to_owned(), json!("jsonl"));
        let output = folder.path().join(format!("out-{number}"));
        options.insert("output".to_owned(), json!(output));
        let spec = PassagesSpec::from_map(&options, "passages").unwrap();
        let job = spec
            .validate()
            .unwrap_or_else(|error| panic!("{own}: {error}"));
        let before = job.options();
        let outcome = job.run(&Exec::new(&Silent)).unwrap();
        let written = written(&output.join("summary.json"));
        assert_eq!(outcome.summary.to_json().unwrap(), written, "{own}");
        let read: PassagesSummary = serde_json::from_value(written).unwrap();
        assert_eq!(read, outcome.summary, "{own}");
        assert_eq!(read.options, before, "{own}");
        let again = PassagesSpec::from_map(&read.options, "passages").unwrap();
        let again = again.validate();
        let again = again.unwrap_or_else(|error| panic!("{own}: {error}"));
        assert_eq!(again.options(), before, "{own}");
    }
    let output = folder.path().join("cut");
    let options = json!({
        "inputs": docs, "output": output, "passages": true, "keep": "longest", "sentence-share": 1,
    });
    let spec = DedupSpec::from_map(&map(options), "dedup").unwrap();
    let job = spec.validate().unwrap();
    let before = job.options();
    let DedupOutcome::Passages(outcome) = job.run(&Exec::new(&Silent)).unwrap() else {
        panic!("documents were removed");
    };
    let read: DedupPassagesSummary =
        serde_json::from_value(written(&output.join("_neardupe/summary.json"))).unwrap();
    assert_eq!(read, outcome.summary);
    assert_eq!(read.options, before);
    let again = DedupSpec::from_map(&read.options, "dedup").unwrap();
    assert_eq!(again.validate().unwrap().options(), before);
}

fn written(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Rules about parameters of passages.
#[test]
fn wrong_jobs_of_passages_are_refused_by_their_parameter() {
    let name = |error: neardupe_core::error::Error| {
        error.to_string().split(':').next().unwrap().to_owned()
    };
    let passages = |options: Value| {
        let spec = PassagesSpec::from_map(&map(options), "passages");
        name(spec.and_then(|spec| spec.validate().map(drop)).unwrap_err())
    };
    assert_eq!(passages(json!({"within": true})), "within");
    let both = json!({"inputs": ["a"], "query": ["b"], "against": ["c"]});
    assert_eq!(passages(both), "query");
    let within = json!({"inputs": ["a"], "query": ["b"], "within": true});
    assert_eq!(passages(within), "within");
    assert_eq!(passages(json!({"gamma": 2})), "gamma");
    assert_eq!(
        passages(json!({"within-document": true})),
        "within-document"
    );
    assert_eq!(passages(json!({"antecedents": 9})), "antecedents");
    assert_eq!(
        passages(json!({"preset": "pdc-mr", "max-gap": 2})),
        "max-gap"
    );
    assert_eq!(passages(json!({"signature": "words:0"})), "signature");
    assert_eq!(passages(json!({"features": "words:4"})), "features");
    let dedup = |options: Value| {
        let spec = DedupSpec::from_map(&map(options), "dedup");
        name(spec.and_then(|spec| spec.validate().map(drop)).unwrap_err())
    };
    assert_eq!(dedup(json!({"output": "x", "min-words": 9})), "min-words");
    let share = json!({"output": "x", "sentence-share": 0.5});
    assert_eq!(dedup(share), "sentence-share");
    for own in ["annotate", "ids-only", "allow-unverified"] {
        let options = json!({"output": "x", "passages": true, own: true});
        assert_eq!(dedup(options), own);
    }
    assert_eq!(dedup(json!({"passages": true})), "output");
}

/// What a preset sets can be set otherwise, both ways.
#[test]
fn every_value_of_a_preset_can_be_overridden() {
    for name in Preset::NAMES {
        let preset: Preset = name.parse().unwrap();
        let under = preset.spec().unwrap();
        let mut given = FindSpec {
            preset: Some(preset),
            ..FindSpec::default()
        };
        assert!(under.to_map().len() > 2);
        for info in FindSpec::infos() {
            if under.is_set(info.name) {
                let other = match info.shape {
                    ParamShape::Switch => json!(false),
                    _ => sample(info),
                };
                given.set(info.name, &other).unwrap();
                let resolved = given.clone().with_preset().unwrap();
                assert_eq!(resolved.get(info.name), given.get(info.name), "{name}");
            }
        }
    }
    let verified = json!({
        "inputs": ["docs.jsonl"], "preset": "mit", "no-verify": false, "threshold": 0.8,
    });
    let spec = FindSpec::from_map(&map(verified), "find").unwrap();
    let job = spec.validate().unwrap();
    assert_eq!(job.options()["threshold"], json!("0.8"));
    assert!(!job.is_unverified());
}

/// Jobs that a library caller could once describe, and that were wrong in silence.
#[test]
fn wrong_jobs_are_refused_by_their_parameter() {
    let param = |options: Value| {
        let spec = FindSpec::from_map(&map(options), "find");
        let error = spec.and_then(|spec| spec.validate().map(drop)).unwrap_err();
        error.to_string().split(':').next().unwrap().to_owned()
    };
    let no_verify = json!({"method": "simhash", "no-verify": true, "threshold": 0.5});
    assert_eq!(param(no_verify), "threshold");
    assert_eq!(param(json!({"recall": 0.9})), "recall");
    assert_eq!(param(json!({"within": true})), "within");
    assert_eq!(param(json!({"threads": 0})), "threads");
    assert_eq!(param(json!({"keep": "first", "cluster": "none"})), "keep");
    let bands = json!({"method": "minhash", "bands": "14x8", "recall": 0.5});
    assert_eq!(param(bands), "recall");
    let adaptive = json!({"sample": "adaptive:precision=0.9", "method": "simhash"});
    assert_eq!(param(adaptive), "method");
    // Fields that rules need are read without being named twice.
    let spec = FindSpec::from_map(&map(json!({"block-by": "lang"})), "find").unwrap();
    let job = spec.validate().unwrap();
    assert!(job.config.metadata.iter().any(|field| field == "lang"));
}

/// The summary of a job that removed whole documents.
fn found(outcome: &DedupOutcome) -> &Summary {
    match outcome {
        DedupOutcome::Documents(found) => &found.summary,
        DedupOutcome::Passages(_) => panic!("nothing was asked about passages"),
    }
}

/// A summary that was written can be read back as what it was.
#[test]
fn a_summary_is_read_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let docs = documents(folder.path());
    for (number, own) in [
        json!({}),
        json!({"method": "simhash", "keep": "newest:date"}),
    ]
    .into_iter()
    .enumerate()
    {
        let mut options = map(own);
        options.insert("inputs".to_owned(), json!([docs]));
        let output = folder.path().join(format!("out-{number}"));
        options.insert("output".to_owned(), json!(output));
        let spec = DedupSpec::from_map(&options, "dedup").unwrap();
        let outcome = spec.validate().unwrap().run(&Exec::new(&Silent)).unwrap();
        let path = output.join("_neardupe/summary.json");
        let text = std::fs::read_to_string(path).unwrap();
        let read: Summary = serde_json::from_str(&text).unwrap();
        assert_eq!(
            serde_json::to_value(&read).unwrap(),
            serde_json::to_value(found(&outcome)).unwrap()
        );
    }
}

/// A service keeps one pool for all of its jobs.
#[test]
fn a_job_works_in_the_pool_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let docs = documents(folder.path());
    let pool = neardupe_core::threads::pool(2).unwrap();
    for threads in [1, 2, 5] {
        let output = folder.path().join("out");
        let options = json!({"inputs": [docs], "output": output, "threads": threads});
        let spec = FindSpec::from_map(&map(options), "find").unwrap();
        let exec = Exec {
            pool: Some(&pool),
            ..Exec::new(&Silent)
        };
        let outcome = spec.validate().unwrap().run(&exec).unwrap();
        assert_eq!(outcome.summary.counts.duplicates, 1, "{threads}");
    }
}
