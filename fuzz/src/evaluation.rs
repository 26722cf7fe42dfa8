//! Runs, qrels, topics and near-duplicates of search evaluation.

use neardupe_core::trec::{DedupOptions, decreasing_scores, dedup_topic};
use neardupe_jobs::trec::{
    BadLines, Ids, read_groups, read_pairs, read_qrels, read_runs, read_topics,
};

/// What is damaged.
pub(crate) fn samples() -> Vec<Vec<u8>> {
    let run = "1 Q0 a 1 2.5 tag\n1\tQ0 b 2 2.5 tag\nwt09-2 Q0 a 0 -1e3 tag\n";
    let qrels = "1 0 a 1\n1 0 b -2\n2 1 a 1\n2 2 a 0\n1 a 1 0 1\n";
    let groups = "{\"ids\":[\"a\",\"b\"]}\n{\"members\":[\"c\"]}\n";
    let pairs = "left\tright\tsimilarity\na\tb\t0.5\n";
    let topics =
        "<top>\n<num> Number: 1\n<title> x\n</top><topic number=\"2\"></topic>\n";
    [run, qrels, groups, pairs, topics].map(Vec::from).to_vec()
}

/// Reads the bytes as each of them; whatever was read must obey its laws.
pub(crate) fn check(bytes: &[u8]) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("room for it");
    let (mut ids, mut bad) = (Ids::default(), BadLines::default());
    let path = file.path();
    // What cannot be read at all is refused with an error.
    let groups = read_groups(path, &mut ids, &mut bad);
    let pairs = read_pairs(path, &mut ids, &mut bad);
    let _ = read_qrels(path, None, &mut ids, &mut bad);
    let _ = read_topics(path, &mut bad);
    let Ok(set) = read_runs(&[path.to_path_buf()], &mut ids, &mut bad, 1) else {
        return;
    };
    let options = DedupOptions {
        threshold: 500_000,
        depth: usize::MAX,
    };
    for near in [groups, pairs].into_iter().flatten() {
        for topic in set.runs.iter().flat_map(|run| &run.topics) {
            let clean = dedup_topic(topic, &near.near, &options);
            assert_eq!(clean.kept.len() + clean.removed.len(), topic.results.len());
            let scores = decreasing_scores(&clean.kept);
            assert!(scores.is_sorted_by(|one, two| one > two));
        }
    }
}
