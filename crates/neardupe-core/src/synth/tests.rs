//! Laws of whole collections.

use hashbrown::HashSet;

use super::{
    Buffer, Collection, MemberKind, PlantedMember, PlantedPassage, Shape, SynthConfig,
};

fn collection(documents: u64, seed: u64, shape: Shape) -> Collection {
    Collection::new(SynthConfig {
        documents,
        seed,
        shape,
    })
}

fn lines(collection: &Collection, range: std::ops::Range<u64>) -> Vec<Vec<u8>> {
    let mut buffer = Buffer::default();
    range
        .map(|document| {
            collection.document(document, &mut buffer);
            buffer.line().to_vec()
        })
        .collect()
}

fn text(collection: &Collection, document: u64) -> String {
    collection.text(document, &mut Buffer::default()).to_owned()
}

/// Runs of letters and digits; ideographs are one word each.
fn words(text: &str) -> Vec<String> {
    let ideograph = |c: &char| ('\u{4e00}'..='\u{9fff}').contains(c);
    let mut words = Vec::new();
    for run in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|run| !run.is_empty())
    {
        if run.starts_with(|c| ideograph(&c)) {
            words.extend(run.chars().map(String::from));
        } else {
            words.push(run.to_lowercase());
        }
    }
    words
}

/// Hashes of the word 5-shingles, sorted, each once.
fn shingles(text: &str) -> Vec<u64> {
    let mut shingles: Vec<u64> = words(text)
        .windows(5)
        .map(|words| xxhash_rust::xxh3::xxh3_64(words.join(" ").as_bytes()))
        .collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

fn resemblance(left: &[u64], right: &[u64]) -> f64 {
    let overlap = left
        .iter()
        .filter(|hash| right.binary_search(hash).is_ok())
        .count();
    overlap as f64 / (left.len() + right.len() - overlap).max(1) as f64
}

/// Fewest substitutions, insertions and deletions of words.
fn distance(left: &[String], right: &[String]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (number, left_word) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = number + 1;
        for (place, right_word) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(left_word != right_word);
            diagonal = row[place + 1];
            row[place + 1] = substituted.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[right.len()]
}

const SHAPES: [Shape; 6] = [
    Shape::Web,
    Shape::Unrelated,
    Shape::NearCopies,
    Shape::Spread,
    Shape::Template(70),
    Shape::Passages(5),
];

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    for shape in SHAPES {
        let first = lines(&collection(200, 7, shape), 0..200);
        assert_eq!(first, lines(&collection(200, 7, shape), 0..200), "{shape}");
        let other = lines(&collection(200, 8, shape), 0..200);
        assert!(first.iter().zip(&other).all(|(a, b)| a != b), "{shape}");
    }
}

#[test]
fn bytes_are_fixed_for_good() {
    let hashes = SHAPES.map(|shape| {
        let all = lines(&collection(300, 1, shape), 0..300).concat();
        xxhash_rust::xxh3::xxh3_64(&all)
    });
    let expected = [
        10851509628616770488,
        6178512440247322351,
        11916805108043042195,
        10334629963815719949,
        171932016731600210,
        2344204043020693966,
    ];
    assert_eq!(hashes, expected);
}

#[test]
fn any_range_equals_that_part_of_the_whole() {
    for shape in SHAPES {
        let collection = collection(300, 3, shape);
        let whole = lines(&collection, 0..300);
        for range in [0..1, 17..60, 299..300] {
            let part = &whole[range.start..range.end];
            assert_eq!(
                lines(&collection, range.start as u64..range.end as u64),
                part
            );
        }
    }
}

#[test]
fn lines_are_json_with_the_plain_text() {
    let mut foreign = 0;
    for shape in SHAPES {
        let collection = collection(2000, 1, shape);
        for (document, line) in (0..).zip(lines(&collection, 0..2000)) {
            assert!(!line.contains(&b'\n'));
            let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(value["id"], collection.id(document));
            assert_eq!(value["text"], text(&collection, document));
            assert_eq!(value["date"].as_str().unwrap().len(), 10);
            assert!(value["url"].as_str().unwrap().starts_with("http://host"));
            foreign += u32::from(!line.is_ascii());
        }
    }
    assert!(foreign > 0);
}

#[test]
fn ids_of_large_collections_sort_like_numbers() {
    let collection = Collection {
        id_digits: 10,
        ..collection(5, 1, Shape::Web)
    };
    assert_eq!(collection.id(42), "doc-0000000042");
    assert!(lines(&collection, 3..4)[0].starts_with(b"{\"id\":\"doc-0000000003\""));
}

#[test]
fn tiny_collections_are_made() {
    for shape in SHAPES {
        for documents in 0..25 {
            let collection = collection(documents, 1, shape);
            assert!(
                lines(&collection, 0..documents)
                    .iter()
                    .all(|line| line.len() > 90)
            );
            let planted: usize = collection
                .clusters()
                .map(|cluster| cluster.members.len())
                .sum();
            assert!(planted as u64 <= documents);
        }
    }
}

#[test]
fn clusters_are_sorted_and_hold_what_the_counts_say() {
    let collection = collection(20_000, 1, Shape::Web);
    let clusters: Vec<_> = collection.clusters().collect();
    assert!(clusters.is_sorted_by_key(|cluster| cluster.members[0].document));
    let mut seen = HashSet::new();
    for cluster in &clusters {
        assert!(cluster.members.len() >= 2);
        assert!(cluster.members.is_sorted_by_key(|member| member.document));
        assert!(
            cluster
                .members
                .iter()
                .all(|member| seen.insert(member.document))
        );
        assert_eq!(count(&cluster.members, MemberKind::Base), 1);
    }
    let total = |kind| -> u64 {
        clusters
            .iter()
            .map(|cluster| count(&cluster.members, kind))
            .sum()
    };
    let counts = collection.planted_counts();
    assert_eq!(counts.clusters, clusters.len() as u64);
    assert_eq!(counts.exact, total(MemberKind::Exact));
    assert_eq!(counts.near, total(MemberKind::Near));
    assert_eq!(counts.exact + counts.near, 7000);
    assert_eq!(counts.passages, 1000);
}

fn count(members: &[PlantedMember], kind: MemberKind) -> u64 {
    members.iter().filter(|member| member.kind == kind).count() as u64
}

#[test]
fn exact_copies_are_equal_and_edit_rates_are_those_measured() {
    let collection = collection(4000, 2, Shape::Web);
    let mut ratios = Vec::new();
    let (mut lowest, mut highest) = (1.0_f64, 0.0_f64);
    for cluster in collection.clusters() {
        let base = cluster
            .members
            .iter()
            .find(|m| m.kind == MemberKind::Base)
            .unwrap();
        let base_text = text(&collection, base.document);
        let base_words = words(&base_text);
        if base_words.len() > 800 {
            continue;
        }
        for member in &cluster.members {
            let member_text = text(&collection, member.document);
            if member.kind != MemberKind::Near {
                assert_eq!(member_text, base_text);
                assert!(member.edit_rate.abs() < f64::EPSILON);
                continue;
            }
            assert_ne!(member_text, base_text);
            let num_edits = distance(&base_words, &words(&member_text)) as f64;
            let planned = member.edit_rate * base_words.len() as f64;
            // A moved word counts once but is deleted and inserted; a compound is two
            // words.
            assert!(
                num_edits >= 0.85 * planned - 2.0 && num_edits <= 2.5 * planned + 3.0,
                "{member:?}: {num_edits} edits, {planned} planned"
            );
            ratios.push(num_edits / planned);
            lowest = lowest.min(member.edit_rate);
            highest = highest.max(member.edit_rate);
        }
    }
    assert!(ratios.len() > 300, "{} near-duplicates", ratios.len());
    ratios.sort_unstable_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    assert!(
        (0.95..1.1).contains(&median),
        "median of measured to planned {median}"
    );
    assert!(
        lowest < 0.005 && highest > 0.12,
        "edit rates {lowest} to {highest}"
    );
}

#[test]
fn passages_slice_both_texts() {
    let collection = collection(6000, 1, Shape::Web);
    let passages: Vec<PlantedPassage> = collection.passages().collect();
    assert_eq!(passages.len(), 300);
    let slice = |document, start, end| -> String {
        let text = text(&collection, document);
        let start = usize::try_from(start).unwrap();
        let end = usize::try_from(end).unwrap();
        assert!(end <= text.chars().count());
        text.chars().take(end).skip(start).collect()
    };
    for passage in &passages {
        assert!(passage.left < passage.right);
        let left = slice(passage.left, passage.left_start, passage.left_end);
        let right = slice(passage.right, passage.right_start, passage.right_end);
        assert_eq!(left.trim(), left);
        assert_eq!(left == right, !passage.edited, "{left}\n---\n{right}");
        let num_words = left.split_whitespace().count();
        assert!((30..=320).contains(&num_words), "{num_words} words");
        let num_edits = distance(&words(&left), &words(&right));
        assert!(
            num_edits <= 3 + num_words / 10,
            "{num_edits} of {num_words}"
        );
        let documents = (
            text(&collection, passage.left),
            text(&collection, passage.right),
        );
        let whole = resemblance(&shingles(&documents.0), &shingles(&documents.1));
        assert!(whole < 0.5, "resemblance {whole}");
    }
    let edited = passages.iter().filter(|passage| passage.edited).count();
    assert!((80..160).contains(&edited), "{edited} edited");
}

#[test]
fn making_the_documents_gives_the_same_passages() {
    let collection = collection(3000, 1, Shape::Web);
    let mut buffer = Buffer::default();
    let mut made: Vec<PlantedPassage> = (0..3000)
        .filter_map(|document| {
            collection.document(document, &mut buffer);
            buffer.passage()
        })
        .collect();
    let mut expected: Vec<PlantedPassage> = collection.passages().collect();
    made.sort_unstable();
    expected.sort_unstable();
    assert_eq!(made, expected);
}

#[test]
fn unplanted_pairs_of_web_documents_do_not_resemble_each_other() {
    let collection = collection(400, 1, Shape::Web);
    let mut planted = HashSet::new();
    for cluster in collection.clusters() {
        for left in &cluster.members {
            planted.extend(cluster.members.iter().map(|r| (left.document, r.document)));
        }
    }
    let sets: Vec<Vec<u64>> = (0..200)
        .map(|document| shingles(&text(&collection, document)))
        .collect();
    for (left, left_set) in (0..).zip(&sets) {
        for (right, right_set) in (0..left).zip(&sets) {
            if !planted.contains(&(left, right)) {
                let resemblance = resemblance(left_set, right_set);
                assert!(resemblance < 0.5, "{left} and {right}: {resemblance}");
            }
        }
    }
}

/// Lowest, mean and highest resemblance of neighbours in the file, and their lengths.
fn neighbours(shape: Shape) -> (f64, f64, f64) {
    let collection = collection(5000, 1, shape);
    let texts: Vec<String> = (0..150).map(|i| text(&collection, i)).collect();
    let lengths: HashSet<usize> = texts
        .iter()
        .map(|text| text.split_whitespace().count())
        .collect();
    assert!(lengths.len() > 3 && lengths.iter().all(|words| (480..720).contains(words)));
    let sets: Vec<Vec<u64>> = texts.iter().map(|text| shingles(text)).collect();
    let all: Vec<f64> = sets
        .windows(2)
        .map(|pair| resemblance(&pair[0], &pair[1]))
        .collect();
    let lowest = all.iter().copied().fold(1.0, f64::min);
    let highest = all.iter().copied().fold(0.0, f64::max);
    (lowest, all.iter().sum::<f64>() / all.len() as f64, highest)
}

#[test]
fn near_copies_have_a_resemblance_of_about_95_percent() {
    let (lowest, mean, highest) = neighbours(Shape::NearCopies);
    assert!((0.945..0.955).contains(&mean), "mean {mean}");
    assert!(lowest > 0.92 && highest < 0.98, "{lowest} to {highest}");
}

#[test]
fn near_copies_are_all_different() {
    let collection = collection(10_000, 1, Shape::NearCopies);
    let mut seen = HashSet::new();
    for document in 0..10_000 {
        assert!(seen.insert(words(&text(&collection, document)).join(" ")));
    }
}

#[test]
fn unrelated_documents_share_nearly_nothing() {
    let (_, _, highest) = neighbours(Shape::Unrelated);
    assert!(highest < 0.01, "{highest}");
}

#[test]
fn templates_stay_below_the_threshold_and_above_a_floor() {
    for (percent, expected) in [(70, 0.538), (87, 0.770)] {
        let (_, mean, _) = neighbours(Shape::Template(percent));
        assert!((mean - expected).abs() < 0.015, "{percent}: mean {mean}");
        for seed in 1..4 {
            let collection = collection(1000, seed, Shape::Template(percent));
            let sets: Vec<Vec<u64>> = (0..60)
                .map(|document| shingles(&text(&collection, document)))
                .collect();
            for (place, left) in sets.iter().enumerate() {
                for right in &sets[..place] {
                    let resemblance = resemblance(left, right);
                    let distance = (resemblance - expected).abs();
                    assert!(resemblance < 0.8 && distance < 0.03, "{resemblance}");
                }
            }
        }
    }
}

#[test]
fn spread_covers_the_range_evenly() {
    let collection = collection(3000, 1, Shape::Spread);
    let cluster = collection.clusters().next().unwrap();
    assert_eq!(cluster.members.len(), 3000);
    let base = cluster
        .members
        .iter()
        .find(|m| m.kind == MemberKind::Base)
        .unwrap();
    let base_set = shingles(&text(&collection, base.document));
    let mut tenths = [0_u32; 10];
    for document in 0..600 {
        if document == base.document {
            continue;
        }
        let resemblance = resemblance(&base_set, &shingles(&text(&collection, document)));
        assert!((0.68..0.996).contains(&resemblance), "{resemblance}");
        let place = ((resemblance - 0.7) / 0.029).clamp(0.0, 9.0);
        tenths[place.floor().to_string().parse::<usize>().unwrap()] += 1;
    }
    assert!(
        tenths.iter().all(|count| (30..=95).contains(count)),
        "{tenths:?}"
    );
}
