//! What `eval` counts equals what one counts by going through all pairs of documents, for
//! clusters and pairs on both sides, with and without closure.

use neardupe_io::result::ResultReader;
use neardupe_jobs::truth::{
    Ids, LabelRule, Predicted, Truth, TruthOptions, compare, compare_sample, read_truth,
};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

type Pairs = BTreeSet<(usize, usize)>;

fn of_clusters(clusters: &[u8]) -> Pairs {
    let mut pairs = Pairs::new();
    for right in 0..clusters.len() {
        for left in 0..right {
            if clusters[left] == clusters[right] {
                pairs.insert((left, right));
            }
        }
    }
    pairs
}

fn closed(mut pairs: Pairs) -> Pairs {
    loop {
        let mut more = Pairs::new();
        for &(a, b) in &pairs {
            for &(c, d) in &pairs {
                for (one, shared, other, again) in
                    [(a, b, d, c), (a, b, c, d), (b, a, d, c), (b, a, c, d)]
                {
                    if shared == again && one != other {
                        more.insert((one.min(other), one.max(other)));
                    }
                }
            }
        }
        let before = pairs.len();
        pairs.extend(more);
        if pairs.len() == before {
            return pairs;
        }
    }
}

fn write_result(
    folder: &Path,
    documents: usize,
    pairs: &Pairs,
    clusters: &[u8],
    all: bool,
) {
    let rows: String = pairs
        .iter()
        .map(|(left, right)| {
            let row = json!({"left": format!("d{left}"), "right": format!("d{right}"),
                "similarity": 0.5, "overlap": 2, "left_size": 3, "right_size": 3});
            format!("{row}\n")
        })
        .collect();
    let (mut groups, mut num_clusters) = (String::new(), 0);
    for cluster in 0..=u8::MAX {
        let members = (0..clusters.len()).filter(|&at| clusters[at] == cluster);
        let members: Vec<String> = members.map(|at| format!("d{at}")).collect();
        if members.len() > 1 {
            num_clusters += 1;
            let row = json!({"cluster_id": members[0], "size": members.len(),
                "members": members});
            groups += &format!("{row}\n");
        }
    }
    fs::write(folder.join("pairs.jsonl"), rows).unwrap();
    fs::write(folder.join("clusters.jsonl"), groups).unwrap();
    let summary = json!({
        "program": "neardupe", "version": "0", "command": "find",
        "options": {"threshold": "0.5", "cluster": "star", "output-format": "jsonl",
            "pairs": if all { "all" } else { "evidence" }},
        "feature_specification": {},
        "counts": {"documents": documents, "pairs": pairs.len(), "clusters": num_clusters},
    });
    fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
}

fn some_pairs() -> impl Strategy<Value = Pairs> {
    let pair = (0usize..12, 0usize..12).prop_filter("two", |(left, right)| left < right);
    proptest::collection::btree_set(pair, 0..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn counts_are_those_of_all_pairs(
        predicted in some_pairs(),
        clusters in proptest::collection::vec(0u8..5, 12),
        truth in some_pairs(),
        groups in proptest::collection::vec(0u8..5, 12),
        by_pairs in any::<bool>(),
        true_pairs in any::<bool>(),
        closure in any::<bool>(),
        alone in 0usize..20,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let documents = 12 + alone;
        write_result(folder, documents, &predicted, &clusters, true);
        let path = folder.join("truth.jsonl");
        let rows: String = if true_pairs {
truth
                .iter()
                .map(|(left, right)| {
                    // The sides do not matter, and repetitions neither.
                    format!("{{\"left\":\"d{right}\",\"right\":\"d{left}\"}}\n")
                })
                .collect::<String>()
                .repeat(2)
} else {
(0..5u8)
                .map(|group| {
                    let members = (0..12).filter(|&at| groups[at] == group);
                    let members: Vec<String> = members.map(|at| format!("d{at}")).collect();
                    format!("{}\n", json!({"ids": members}))
                })
                .collect()
};
        fs::write(&path, rows).unwrap();
        let result = ResultReader::open(folder).unwrap();
        let options = TruthOptions { closure, ..TruthOptions::default() };
        let mut ids = Ids::default();
        let file = read_truth(&path, &options, &mut ids, None).unwrap();
        let by = if by_pairs { Predicted::Pairs } else { Predicted::Clusters };
        let documents = documents as u64;
        let found =
            compare(&result, by, closure, &file.truth, &mut ids, documents).unwrap();
        let close = |pairs: Pairs| if closure { closed(pairs) } else { pairs };
        let ours = if by_pairs {
close(predicted)
} else {
of_clusters(&clusters)
};
        let right = if true_pairs {
close(truth)
} else {
of_clusters(&groups)
};
        let counts = found.measures.pairs;
        prop_assert_eq!(counts.predicted, ours.len() as u64);
        prop_assert_eq!(counts.truth, right.len() as u64);
        prop_assert_eq!(counts.both, ours.intersection(&right).count() as u64);
        prop_assert_eq!(counts.documents, documents);
        let exact = (0..12).filter(|&document| {
            let of = |pairs: &Pairs| -> Pairs {
                let own = pairs.iter().filter(|(l, r)| *l == document || *r == document);
                own.copied().collect()
            };
            of(&ours) == of(&right)
        });
        let exact = exact.count() + alone;
        prop_assert_eq!(found.measures.all.unwrap().exact, exact as u64);
    }

    #[test]
    fn only_labelled_pairs_of_a_sample_count(
        predicted in some_pairs(),
        labelled in proptest::collection::btree_map(
            (0usize..12, 0usize..12).prop_filter("two", |(left, right)| left < right),
            0i32..4,
            1..20,
        ),
    ) {
        // Without a pair that is none, it is no sample but a list of pairs.
        prop_assume!(labelled.values().any(|&label| label < 2));
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write_result(folder, 12, &predicted, &[], true);
        let path = folder.join("labels.csv");
        let rows = labelled.iter();
        let rows = rows.map(|((left, right), label)| format!("d{left},\"d{right}\",{label}\n"));
        fs::write(&path, rows.collect::<String>() + "d0,d1,0\nd0,d1,3\n").unwrap();
        let options = TruthOptions {
            labels: LabelRule::AtLeast("3".to_owned(), 2.0),
            ..TruthOptions::default()
        };
        let mut ids = Ids::default();
        let file = read_truth(&path, &options, &mut ids, None).unwrap();
        let Truth::Sample(sample) = &file.truth else {
            panic!("{:?}", file.truth);
        };
        let result = ResultReader::open(folder).unwrap();
        let counts =
            compare_sample(&result, Predicted::Pairs, false, sample, &mut ids).unwrap();
        let mut slow = [0; 4];
        for (pair, &label) in &labelled {
            // Two further labels of this pair cancel out.
            let is_true = label >= 2;
            let place = match (is_true, predicted.contains(pair)) {
                (true, true) => 0,
                (true, false) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            slow[place] += 1;
        }
        let found = [counts.found, counts.missed, counts.wrong, counts.left_alone];
        prop_assert_eq!(found, slow);
    }
}

#[test]
fn truths_are_refused_by_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let found =
            read_truth(&path, &TruthOptions::default(), &mut Ids::default(), None);
        found.map_or_else(|error| error.to_string(), |file| format!("{:?}", file.rows))
    };
    assert_eq!(read("a.tsv", "x\ty\nleft\tz\n"), "2");
    assert_eq!(read("b.tsv", "left\tright\r\na\tb\r\n\n"), "1");
    assert_eq!(
        read("c.csv", "\u{feff}id_a,id_b\n\"a,\"\"1\",\"b\n2\"\n"),
        "1"
    );
    assert_eq!(read("d.jsonl", "{\"id1\":1,\"id2\":\"b\"}\n"), "1");
    for (name, text, expected) in [
        ("e.tsv", "a\tb\nc\n", "e.tsv:2: no \"1\" or no \"2\""),
        (
            "f.jsonl",
            "{\"left\":\"a\",\"right\":\"b\"}\n{",
            "f.jsonl:2: not a JSON",
        ),
        (
            "g.jsonl",
            "{\"x\":1}\n",
            "g.jsonl:1: no two ids by a known name",
        ),
        ("h.txt", "only words\n", "neither JSON lines, nor values"),
        (
            "i.tsv",
            "left\tright\tlabel\na\tb\t2\n",
            "`min-label` N or `positive`",
        ),
        (
            "j.jsonl",
            "{\"ids\":[\"a\"]}\n{\"ids\":[[]]}\n",
            "j.jsonl:2: no list",
        ),
    ] {
        let message = read(name, text);
        assert!(message.contains(expected), "{name}: {message}");
    }
}
