//! Studies as a library runs them: what comes of one is what is written, and its options describe it.

use neardupe_core::document::Silent;
use neardupe_core::error::Result;
use neardupe_jobs::exec::Exec;
use neardupe_jobs::kind::study::{
    StudyAdaptiveJob, StudyAdaptiveSpec, StudyFeaturesJob, StudyFeaturesSpec,
    StudyGridFigures, StudyHammingJob, StudyHammingSpec, StudyPassagesJob,
    StudyPassagesSpec, StudySamplingFigures, StudySamplingJob, StudySamplingSpec,
    StudySignaturesJob, StudySignaturesSpec, StudySummary, StudyThresholdJob,
    StudyThresholdSpec,
};
use neardupe_jobs::param::Params;
use serde_json::{Map, Value, json};
use std::path::Path;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// Options that were completed are a description of the same study.
fn stays_the_same<P: Params, J>(
    given: Value,
    validate: impl Fn(P) -> Result<J>,
    options: impl Fn(&J) -> Map<String, Value>,
) {
    let job = |given: &Map<String, Value>| {
        let spec = P::from_map(given, "study").unwrap_or_else(|error| panic!("{error}"));
        validate(spec).unwrap_or_else(|error| panic!("{given:?}: {error}"))
    };
    let completed = options(&job(&map(given)));
    assert_eq!(options(&job(&completed)), completed);
}

#[test]
fn the_options_of_a_study_describe_it() {
    let inputs = ["docs.jsonl"];
    for given in [
        json!({"inputs": inputs}),
        json!({"inputs": inputs, "min-threshold": 0.6, "optimize-groups": true}),
        json!({"inputs": inputs, "groups": [20, 50], "commonality": "3,7", "max-documents": 9}),
        json!({"inputs": inputs, "preset": "ye", "max-documents": "none"}),
    ] {
        let (validate, options) =
            (StudySamplingSpec::validate, StudySamplingJob::options);
        stays_the_same(given, validate, options);
    }
    let given =
        json!({"inputs": inputs, "threshold": 0.5, "precision": 0.8, "save": "x"});
    let (validate, options) = (StudyAdaptiveSpec::validate, StudyAdaptiveJob::options);
    stays_the_same(given, validate, options);
    for given in [
        json!({"inputs": inputs, "kinds": "words:1,terms", "threshold": 0.7}),
        json!({"inputs": inputs, "truth": "x", "label-column": "grade", "min-label": -1}),
        json!({"inputs": inputs, "truth-field": "cluster", "preset": "waterloo"}),
    ] {
        let (validate, options) =
            (StudyFeaturesSpec::validate, StudyFeaturesJob::options);
        stays_the_same(given, validate, options);
    }
    let given =
        json!({"inputs": inputs, "also": ["--method minhash"], "only": ["minhash"]});
    let (validate, options) =
        (StudySignaturesSpec::validate, StudySignaturesJob::options);
    stays_the_same(given, validate, options);
    let given = json!({"inputs": inputs, "preset": "mit", "max-distance": 2});
    let (validate, options) = (StudyHammingSpec::validate, StudyHammingJob::options);
    stays_the_same(given, validate, options);
    let given = json!({"inputs": inputs, "thresholds": "0.9,0.5", "similarity": "s3"});
    let (validate, options) = (StudyThresholdSpec::validate, StudyThresholdJob::options);
    stays_the_same(given, validate, options);
    let given = json!({
        "inputs": inputs, "truth": "x", "between": "a,b", "also": ["--tau 0.3"], "only": ["tau"],
        "text-type": "html",
    });
    let (validate, options) = (StudyPassagesSpec::validate, StudyPassagesJob::options);
    stays_the_same(given, validate, options);
}

#[test]
fn what_does_not_go_together_is_refused_by_its_parameter() {
    let param = |given: Value| {
        let spec = StudyFeaturesSpec::from_map(&map(given), "study").unwrap();
        let error = spec.validate().map(drop).unwrap_err().to_string();
        error.split(':').next().unwrap().to_owned()
    };
    let both = json!({"truth": "x", "truth-field": "y"});
    assert_eq!(param(both), "truth-field");
    assert_eq!(param(json!({"label-column": "x"})), "truth");
    assert_eq!(param(json!({"closure": true})), "closure");
    assert_eq!(param(json!({"truth": "x", "positive": "a"})), "positive");
    assert_eq!(param(json!({"truth": "x", "min-label": 1})), "min-label");
    let both =
        json!({"truth": "x", "label-column": "l", "positive": "a", "min-label": 1});
    assert_eq!(param(both), "min-label");
    let both = json!({"truth": "x", "label-column": "l", "all-rows": true});
    assert_eq!(param(both), "all-rows");
    let columns = json!({"truth": "x", "truth-columns": "left"});
    assert_eq!(param(columns), "truth-columns");
    for (own, param) in [
        (json!({"between": "a,b"}), "between"),
        (json!({"ignore-pairs": "x"}), "ignore-pairs"),
        (json!({"features": "words:4"}), "features"),
        (json!({"antecedents": 9}), "antecedents"),
        (json!({"preset": "ye"}), "preset"),
        (json!({"seed": 1}), "seed"),
        (json!({"also": ["--offsets bytes"]}), "also"),
    ] {
        let spec = StudyPassagesSpec::from_map(&map(own), "study").unwrap();
        let error = spec.validate().map(drop).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{param}: ")), "{error}");
    }
    let groups = json!({"optimize-groups": true, "groups": "20"});
    let spec = StudySamplingSpec::from_map(&map(groups), "study").unwrap();
    let error = spec.validate().map(drop).unwrap_err().to_string();
    assert!(error.starts_with("optimize-groups: "), "{error}");
}

fn read<F: serde::de::DeserializeOwned>(folder: &Path) -> (StudySummary<F>, String) {
    let text = std::fs::read_to_string(folder.join("summary.json")).unwrap();
    (serde_json::from_str(&text).unwrap(), text)
}

#[test]
fn a_summary_is_read_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs.jsonl");
    let texts = ["a b c d e f g h", "a b c d e f g i", "k l m n o p q r"];
    let lines = texts.iter().enumerate().map(|(id, text)| {
        let record = json!({"id": id, "text": text});
        format!("{record}\n")
    });
    std::fs::write(&docs, lines.collect::<String>()).unwrap();
    let output = folder.path().join("out");
    let given = json!({"inputs": [docs], "output": output, "features": "words:2"});
    let spec = StudyThresholdSpec::from_map(&map(given.clone()), "study").unwrap();
    let job = spec.validate().unwrap();
    let outcome = job.run(&Exec::new(&Silent)).unwrap();
    let (summary, text) = read::<StudyGridFigures>(&output);
    assert_eq!(summary.to_text().unwrap(), text);
    assert_eq!(outcome.summary.to_text().unwrap(), text);
    assert_eq!(summary.figures.counts.documents, 3);
    let advice = summary.findings.last().unwrap();
    assert!(advice.starts_with("Recommended: `threshold "), "{advice}");
    let spec = StudySamplingSpec::from_map(&map(given), "study").unwrap();
    spec.validate().unwrap().run(&Exec::new(&Silent)).unwrap();
    let (summary, text) = read::<StudySamplingFigures>(&output);
    assert_eq!(summary.to_text().unwrap(), text);
    assert_eq!(summary.figures.counts.documents, 3);
}
