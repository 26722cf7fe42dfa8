//! Runs and qrels against what is published and what other programs compute.
//!
//! `corpus/trec` has what is needed everywhere: groups and judgments of the Web tracks, small runs,
//! and the values of trec_eval, gdeval, ndeval and cwl-eval (`tools/trec_reference.py` made them).
//! The runs of the Web track 2012 and of Robust 2003 lie in `../shared/data/trec-web` or in the
//! folder that `NEARDUPE_DATA` names; without them these comparisons are skipped, and say so.

use crate::quality_common::{data_folder, repository};
use neardupe_core::document::Silent;
use neardupe_core::trec::{
    EffectConfig, Measure, effect, inconsistent, run_scores, with_threads,
};
use neardupe_jobs::exec::Exec;
use neardupe_jobs::kind::trec::{
    CheckQrelsSpec, DedupQrelsSpec, DedupRunSpec, EffectSpec, EffectSummary,
    PrevalenceSpec, PrevalenceSummary,
};
use neardupe_jobs::param::Params;
use neardupe_jobs::trec::{BadLines, Ids, read_groups, read_qrels, read_runs};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Inconsistently judged groups of the Web tracks 2010 to 2014, as published by Fröbe and others
/// (ECIR 2020).
const PUBLISHED: [(&str, &str, i64); 5] = [
    ("clueweb09", "2010", 272),
    ("clueweb09", "2011", 101),
    ("clueweb09", "2012", 101),
    ("clueweb12", "2013", 77),
    ("clueweb12", "2014", 103),
];

fn corpus() -> PathBuf {
    repository().join("corpus/trec")
}

fn count_inconsistent(groups: &Path, qrels: &Path) -> i64 {
    let (mut ids, mut bad) = (Ids::default(), BadLines::default());
    let file = read_qrels(qrels, None, &mut ids, &mut bad).unwrap();
    let near = read_groups(groups, &mut ids, &mut bad).unwrap();
    assert!(bad.is_empty(), "{:?}", bad.lines);
    let (found, compared) = inconsistent(&file.qrels, &near.near.groups(0));
    assert!(found.len() as u64 <= compared);
    i64::try_from(found.len()).unwrap()
}

#[test]
fn groups_judged_differently_are_as_many_as_published() {
    let data = data_folder("trec-web", "whole qrels");
    for (collection, year, published) in PUBLISHED {
        let name = format!("content-equivalent.{collection}-judged.jsonl.gz");
        let groups = corpus().join(&name);
        let own = corpus().join(format!("qrels.adhoc.web{year}.grouped.txt.gz"));
        let found = count_inconsistent(&groups, &own);
        assert!(
            (found - published).abs() <= 1,
            "{year}: {found}, not {published}"
        );
        if let Some(data) = &data {
            let groups = data.join("near-duplicate-groups").join(&name);
            let qrels = data.join(format!("qrels/qrels.adhoc.web{year}.txt.gz"));
            assert_eq!(count_inconsistent(&groups, &qrels), found, "{year}");
        }
    }
}

/// Values by topic and measure.
type Values = BTreeMap<(String, String), f64>;

fn reference(name: &str) -> Values {
    let path = corpus().join("reference").join(format!("{name}.csv"));
    let text = std::fs::read_to_string(&path).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let key = (cells[0].to_owned(), cells[1].to_owned());
        (key, cells[2].parse().unwrap())
    });
    rows.collect()
}

/// Compares every value of a stored reference to 4 decimals; how many there were.
fn compare(name: &str, run: &Path, qrels: &Path) -> usize {
    let expected = reference(name);
    let (mut ids, mut bad) = (Ids::default(), BadLines::default());
    let set = read_runs(&[run.to_path_buf()], &mut ids, &mut bad, 1).unwrap();
    let file = read_qrels(qrels, None, &mut ids, &mut bad).unwrap();
    assert!(bad.is_empty(), "{:?}", bad.lines.first());
    let mut names: Vec<&String> = expected.keys().map(|(_, measure)| measure).collect();
    names.sort_unstable();
    names.dedup();
    let config = EffectConfig {
        measures: names.iter().map(|name| name.parse().unwrap()).collect(),
        complete: false,
    };
    let scores = run_scores(&set.runs[0], &file.qrels, &ids.documents, &config);
    let mut found = Values::new();
    for (topic, values) in scores {
        for (measure, value) in names.iter().zip(values) {
            let key = (ids.topics.text(topic).to_owned(), (*measure).clone());
            found.insert(key, value);
        }
    }
    for (key, value) in &expected {
        let ours = found
            .get(key)
            .unwrap_or_else(|| panic!("{name}: no {key:?}"));
        assert!(
            (ours - value).abs() < 5e-5,
            "{name} {key:?}: {ours}, not {value}"
        );
    }
    // gdeval leaves out topics without a relevant document, and so its values are missing; of
    // the other programs there is one for each of ours.
    for (key, value) in &found {
        let is_none = key.1 == "ERR@20" && *value < 1e-12;
        assert!(
            expected.contains_key(key) || is_none,
            "{name}: {key:?} {value}"
        );
    }
    // Means too, as trec_eval has them: over the topics that both have.
    for &measure in names.iter().filter(|&&name| name != "ERR@20") {
        let mean = |values: &Values| {
            let of: Vec<f64> = values
                .iter()
                .filter(|(key, _)| key.1 == *measure)
                .map(|(_, value)| *value)
                .collect();
            of.iter().sum::<f64>() / of.len() as f64
        };
        assert!(
            (mean(&found) - mean(&expected)).abs() < 5e-5,
            "{name} {measure}"
        );
    }
    expected.len()
}

#[test]
fn small_runs_score_as_with_other_programs() {
    let small = corpus().join("small");
    let mut compared = 0;
    for name in ["one", "two", "three"] {
        let run = small.join(format!("{name}.run"));
        compared += compare(&format!("small.{name}"), &run, &small.join("qrels.txt"));
        let diverse = small.join("diversity.txt");
        compared += compare(&format!("small-diversity.{name}"), &run, &diverse);
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn published_runs_score_as_with_other_programs() {
    let Some(data) = data_folder("trec-web", "measures of published runs") else {
        return;
    };
    let mut compared = 0;
    for tag in ["SABIR03BASE", "THUIRr0301", "pircRBa1", "uwmtCR0"] {
        let run = data.join(format!("robust2003/input.{tag}.gz"));
        let qrels = data.join("robust2003/qrels.robust2003.txt.gz");
        compared += compare(&format!("robust2003.{tag}"), &run, &qrels);
    }
    for model in ["ql", "rm"] {
        for part in ["cata-filtered", "catb-filtered", "catb"] {
            let name = format!("indri-{model}-{part}.web2012");
            let run = data.join(format!("runs/{name}.run.gz"));
            let qrels = data.join("qrels/qrels.adhoc.web2012.txt.gz");
            compared += compare(&format!("web2012.{name}"), &run, &qrels);
            let qrels = data.join("qrels/qrels.diversity.web2012.txt.gz");
            compared += compare(&format!("web2012-diversity.{name}"), &run, &qrels);
        }
    }
    assert!(compared > 8000, "{compared}");
}

#[test]
fn nothing_depends_on_threads() {
    let small = corpus().join("small");
    let outcome = |threads: usize| {
        let (mut ids, mut bad) = (Ids::default(), BadLines::default());
        let runs = ["one", "two", "three"].map(|name| small.join(format!("{name}.run")));
        let set = read_runs(&runs, &mut ids, &mut bad, threads).unwrap();
        let file =
            read_qrels(&small.join("diversity.txt"), None, &mut ids, &mut bad).unwrap();
        let groups = neardupe_core::trec::Groups::new(&[vec![1, 5, 9], vec![2, 3]]);
        let config = EffectConfig {
            measures: Measure::usual(true),
            complete: true,
        };
        let effect = with_threads(threads, || {
            effect(&set.runs, &file.qrels, &groups, &ids.documents, &config)
        });
        format!("{:?} {:?}", set.runs, effect.unwrap())
    };
    assert_eq!(outcome(1), outcome(4));
}

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// A run, qrels and groups in a folder, and the description of a job on them.
fn small_files(folder: &Path) -> Value {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let run = "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 c 3 1 x\n1 Q0 d 4 0 x\n";
    json!({
        "runs": [write("x.run", run)],
        "qrels": write("qrels.txt", "1 0 a 1\n1 0 b 0\n"),
        "groups": write("groups.jsonl", "{\"ids\": [\"a\", \"b\"]}\n"),
    })
}

/// What a front gets is what is written, and is read back as it was.
#[test]
fn jobs_are_run_from_their_descriptions() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = map(small_files(folder.path()));
    let output = folder.path().join("out");
    options.insert("output".to_owned(), json!(output));
    let exec = Exec::new(&Silent);
    let spec = PrevalenceSpec::from_map(&options, "trec prevalence").unwrap();
    let job = spec.validate().unwrap();
    let again = PrevalenceSpec::from_map(&job.options(), "trec prevalence").unwrap();
    assert_eq!(again.validate().unwrap().options(), job.options());
    let found = job.run(&exec).unwrap();
    assert_eq!(found.summary.prevalence.run_topics[0].near_duplicates, 1);
    let text = std::fs::read_to_string(output.join("summary.json")).unwrap();
    let back: PrevalenceSummary = serde_json::from_str(&text).unwrap();
    assert_eq!(back, found.summary);
    assert!(!found.has_left_out());

    let measures = json!(["AP", "P@10"]);
    options.insert("measures".to_owned(), measures);
    let job = EffectSpec::from_map(&options, "trec effect").unwrap();
    let found = job.validate().unwrap().run(&exec).unwrap();
    let text = serde_json::to_string_pretty(&found.summary).unwrap();
    let back: EffectSummary = serde_json::from_str(&text).unwrap();
    assert_eq!(back, found.summary);
    // Keys stand in the order of their names.
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string_pretty(&value).unwrap(), text);

    options.remove("measures");
    let qrels = options.remove("qrels").unwrap();
    let job = DedupRunSpec::from_map(&options, "trec dedup-run").unwrap();
    let found = job.validate().unwrap().run(&exec).unwrap();
    assert_eq!((found.summary.removed, found.summary.written), (1, 3));

    options.insert("qrels".to_owned(), qrels);
    options.remove("runs");
    let job = DedupQrelsSpec::from_map(&options, "trec dedup-qrels").unwrap();
    let found = job.validate().unwrap().run(&exec).unwrap();
    assert_eq!(found.summary.changes.dropped, Some(1));
    let job = CheckQrelsSpec::from_map(&options, "trec check-qrels").unwrap();
    let found = job.validate().unwrap().run(&exec).unwrap();
    assert_eq!(found.summary.inconsistent_about_relevance, 1);
}

#[test]
fn wrong_descriptions_are_refused_by_their_parameter() {
    let folder = tempfile::tempdir().unwrap();
    let given = map(small_files(folder.path()));
    let param = |name: &str, value: Value| {
        let mut options = given.clone();
        options.insert(name.to_owned(), value);
        let spec = PrevalenceSpec::from_map(&options, "trec prevalence");
        let error = spec.and_then(|spec| spec.validate().map(drop)).unwrap_err();
        error.to_string().split(':').next().unwrap().to_owned()
    };
    assert_eq!(param("runs", Value::Null), "runs");
    assert_eq!(param("groups", Value::Null), "groups");
    assert_eq!(param("pairs", json!("pairs.tsv")), "groups");
    assert_eq!(param("features", json!("terms")), "features");
    assert_eq!(param("threshold", json!(2)), "threshold");
    assert_eq!(param("depths", json!([0])), "depths");
    assert_eq!(param("count", json!("all")), "count");
    assert_eq!(param("mark", json!(true)), "mark");
}
