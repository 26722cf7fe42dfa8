//! A result against a truth: counted without looking at all pairs of a cluster.
//!
//! Precision and recall of pairs, B-cubed (the same as means over documents), the adjusted Rand
//! index and strict accuracy (`core::eval::tally`) all follow from three numbers per document: how many duplicates it has in the result, in the
//! truth, and in both. A cluster of n documents has n(n - 1)/2 pairs, which for a giant cluster
//! are too many to look at. Where both sides are clusters, documents with the same cluster on
//! each side have the same numbers, and a cell of the table of clusters counts them at once
//! (`add_cells`). Else degrees are counted pair by pair.
//!
//! Documents have dense numbers, given as their ids are met: first those of the truth, then
//! those that only the result names.

use super::file::Truth;
use super::relation::{Ids, Labelled, Partition, join};
use neardupe_core::error::{Error, Result};
use neardupe_core::eval::{DuplicateTally, Measures};
use neardupe_core::hash::FixedMap;
use neardupe_core::numbers::of_len;
use neardupe_core::pipeline::ClusterMode;
use neardupe_core::similarity::{Bounds, Similarity};
use neardupe_core::threshold::Threshold;
use neardupe_io::result::{ResultReader, StoredPair};

/// Where the predicted duplicates are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicted {
    /// All pairs that reach the threshold.
    Pairs,
    /// All pairs that reach a higher threshold.
    PairsFrom(Threshold),
    /// All pairs within each cluster.
    Clusters,
}

/// What was found.
#[derive(Debug)]
pub struct Comparison {
    /// The measures.
    pub measures: Measures,
    /// Documents that the result names.
    pub in_result: u64,
    /// Documents that both name.
    pub in_both: u64,
}

/// Labelled pairs of a sample that are predicted, and that are not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampleCounts {
    /// Duplicates that are predicted.
    pub found: u64,
    /// Duplicates that are not.
    pub missed: u64,
    /// Predicted, but no duplicates.
    pub wrong: u64,
    /// Neither.
    pub left_alone: u64,
}

/// Calls `visit` with each predicted pair of documents that is a row of its own.
fn for_each_pair(
    result: &ResultReader,
    predicted: Predicted,
    mut visit: impl FnMut(&str, &str) -> Result<()>,
) -> Result<()> {
    let summary = result.summary();
    if predicted != Predicted::Clusters {
        let similarity = summary.similarity()?;
        for pair in result.pairs()? {
            let pair = pair?;
            let counts = match predicted {
                // From the stored overlap and sizes: the printed similarity is rounded.
                Predicted::PairsFrom(threshold) => reached(similarity, threshold, &pair),
                Predicted::Pairs | Predicted::Clusters => true,
            };
            if counts {
                visit(&pair.left, &pair.right)?;
            }
        }
        return Ok(());
    }
    // Each document leads a cluster: a pair is there twice, and counted once.
    for cluster in result.clusters()? {
        let cluster = cluster?;
        for member in &cluster.members {
            // The smaller id leads.
            if *member > cluster.cluster_id {
                visit(&cluster.cluster_id, member)?;
            }
        }
    }
    Ok(())
}

/// Whether a pair reaches a threshold, by its own numbers.
fn reached(similarity: Similarity, threshold: Threshold, pair: &StoredPair) -> bool {
    let bounds = Bounds::new(similarity, threshold);
    bounds.reached(pair.overlap, pair.left_size, pair.right_size)
}

/// What is predicted: clusters, or else pairs to be read one by one.
fn partition(
    result: &ResultReader,
    predicted: Predicted,
    closure: bool,
    ids: &mut Ids,
) -> Result<Option<Partition>> {
    // Clusters of `neighbors` overlap, so membership is not transitive: they are pairs of the
    // leader with each member.
    let overlapping = result.summary().cluster()? == ClusterMode::Neighbors;
    if predicted == Predicted::Clusters && !overlapping {
        let mut partition = Partition::default();
        for (number, cluster) in (0u32..).zip(result.clusters()?) {
            let cluster = cluster?;
            for member in &cluster.members {
                // A star or component has each document once; a result that was changed by
                // hand may not.
                if !partition.put(ids.number(member)?, number) {
                    let message = format!("{member:?} is in two clusters");
                    let path = result.folder().to_path_buf();
                    return Err(Error::Corrupt { path, message });
                }
            }
        }
        return Ok(Some(partition));
    }
    if !closure {
        return Ok(None);
    }
    // Closure of pairs: components, by union-find.
    let mut parents = Vec::new();
    for_each_pair(result, predicted, |left, right| {
        let (left, right) = (ids.number(left)?, ids.number(right)?);
        join(&mut parents, left, right);
        Ok(())
    })?;
    Ok(Some(Partition::of_parents(parents)))
}

/// Numbers of duplicates by document.
///
/// By the number of the document; shorter than the documents where the last ones have none.
#[derive(Default)]
struct Degrees {
    /// Duplicates in the result.
    predicted: Vec<u64>,
    /// Duplicates in the truth.
    truth: Vec<u64>,
    /// Those that are in both.
    both: Vec<u64>,
}

/// Counts a pair for both documents; the list grows as documents are met.
fn more(degrees: &mut Vec<u64>, left: u32, right: u32) {
    let most = left.max(right) as usize;
    if degrees.len() <= most {
        degrees.resize(most + 1, 0);
    }
    degrees[left as usize] += 1;
    degrees[right as usize] += 1;
}

/// Compares a result with a whole truth. `documents` is how many the collection has: those that
/// neither side names are alone in both.
pub fn compare(
    result: &ResultReader,
    predicted: Predicted,
    closure: bool,
    truth: &Truth,
    ids: &mut Ids,
    documents: u64,
) -> Result<Comparison> {
    let in_truth = ids.len();
    let clusters = partition(result, predicted, closure, ids)?;
    let mut tally = DuplicateTally::default();
    let mut named = vec![false; ids.len()];
    match (&clusters, truth) {
        // Both sides are clusters: no pair is looked at.
        (Some(ours), Truth::Clusters(right)) => {
            add_cells(&mut tally, ours, right, ids.len())
        }
        _ => {
            let mut degrees = Degrees::default();
            // Pairs of the truth are counted here, and whether they are in a cluster of the
            // result.
            if let Truth::Pairs(pairs) = truth {
                for (left, right) in pairs.iter() {
                    more(&mut degrees.truth, left, right);
                    if clusters.as_ref().is_some_and(|c| c.together(left, right)) {
                        more(&mut degrees.both, left, right);
                    }
                }
            }
            // Pairs of the result are counted one by one, and whether the truth has them.
            if clusters.is_none() {
                for_each_pair(result, predicted, |left, right| {
                    let (left, right) = (ids.number(left)?, ids.number(right)?);
                    more(&mut degrees.predicted, left, right);
                    // New ids may have been numbered by this pair.
                    named.resize(ids.len(), false);
                    named[left as usize] = true;
                    named[right as usize] = true;
                    let is_true = match truth {
                        Truth::Pairs(pairs) => pairs.contains(left, right),
                        Truth::Clusters(clusters) => clusters.together(left, right),
                        Truth::Sample(_) => false,
                    };
                    if is_true {
                        more(&mut degrees.both, left, right);
                    }
                    Ok(())
                })?;
            }
            // Ids are numbered with 32 bits.
            let len = of_len(ids.len());
            for document in 0..len {
                let of = |degrees: &[u64]| {
                    degrees.get(document as usize).copied().unwrap_or(0)
                };
                let ours = match &clusters {
                    Some(clusters) => clusters.others(document),
                    None => of(&degrees.predicted),
                };
                let right = match truth {
                    Truth::Clusters(clusters) => clusters.others(document),
                    _ => of(&degrees.truth),
                };
                tally.add(ours, right, of(&degrees.both), 1);
            }
        }
    }
    if let Some(clusters) = &clusters {
        named.resize(ids.len(), false);
        for document in 0..clusters.len() {
            named[document as usize] = clusters.cluster(document).is_some();
        }
    }
    // Documents that neither side names agree in having no duplicate. They count for the means
    // over documents and for the share of agreement, but for no pair.
    let alone = documents.checked_sub(tally.documents()).ok_or_else(|| {
        let message = format!(
            "the truth and the result name {} documents, but the collection has {documents}: \
             some ids of the truth are not of this collection; `input` FILES leaves them out",
            tally.documents()
        );
        Error::config("truth", message)
    })?;
    tally.add(0, 0, 0, alone);
    let in_result = named.iter().filter(|&&named| named).count() as u64;
    // Ids of the truth have the first numbers.
    let known = &named[..in_truth.min(named.len())];
    Ok(Comparison {
        measures: tally.measures(),
        in_result,
        in_both: known.iter().filter(|&&named| named).count() as u64,
    })
}

/// Counts documents by their two clusters.
fn add_cells(
    tally: &mut DuplicateTally,
    ours: &Partition,
    right: &Partition,
    len: usize,
) {
    // One entry for each number of a document, and those have 32 bits.
    let len: u32 = of_len(len);
    // No cluster: ids are numbered below it, and there are no more clusters than ids.
    const NONE: u32 = u32::MAX;
    let mut cells: FixedMap<u64, u64> = FixedMap::default();
    for document in 0..len {
        let one = ours.cluster(document).unwrap_or(NONE);
        let other = right.cluster(document).unwrap_or(NONE);
        *cells
            // Both clusters in one key: a map of pairs would be larger and slower.
            .entry((u64::from(one) << 32) | u64::from(other))
            .or_insert(0) += 1;
    }
    #[expect(clippy::cast_possible_truncation, reason = "both halves of a key")]
    for (&cell, &documents) in &cells {
        let (one, other) = ((cell >> 32) as u32, cell as u32);
        let others = |partition: &Partition, cluster: u32| match cluster {
            NONE => 0,
            cluster => partition.size(cluster) - 1,
        };
        // Documents of one cell are in both clusters together.
        let both = if one == NONE || other == NONE {
            0
        } else {
            documents - 1
        };
        tally.add(others(ours, one), others(right, other), both, documents);
    }
}

/// Compares a result with a sample: only the labelled pairs count.
pub fn compare_sample(
    result: &ResultReader,
    predicted: Predicted,
    closure: bool,
    sample: &Labelled,
    ids: &mut Ids,
) -> Result<SampleCounts> {
    let (mut found, mut wrong) = (0, 0);
    let mut count = |label: Option<bool>| match label {
        Some(true) => found += 1,
        Some(false) => wrong += 1,
        None => {}
    };
    match partition(result, predicted, closure, ids)? {
        Some(clusters) => {
            let pairs = sample.iter();
            // Labelled pairs are few: each is looked up, instead of all pairs of the
            // clusters.
            for (left, right) in pairs.filter(|&(l, r)| clusters.together(l, r)) {
                count(sample.label(left, right));
            }
        }
        None => for_each_pair(result, predicted, |left, right| {
            if let (Some(left), Some(right)) = (ids.known(left), ids.known(right)) {
                count(sample.label(left, right));
            }
            Ok(())
        })?,
    }
    let (positive, negative, _) = sample.totals();
    Ok(SampleCounts {
        found,
        // What the result does not have was missed or rightly left alone.
        missed: positive - found,
        wrong,
        left_alone: negative - wrong,
    })
}
