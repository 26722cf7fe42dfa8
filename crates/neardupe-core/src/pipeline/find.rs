//! The main job: near-duplicates of a collection.

use super::assemble::{self, Members, Priority};
use super::collect::{Collector, Shared};
use super::config::{ClusterMode, FindConfig, PairsMode};
use super::documents::{Collection, Documents, NO_SET, gather};
use super::prepare::prepare;
use super::result::{Duplicate, FindResult, Rule, Totals};
use crate::candidate::kept::Kept;
use crate::candidate::ledger::Ledger;
use crate::candidate::postings::Postings;
use crate::cluster::components::components;
use crate::cluster::star::{Role, star};
use crate::document::{Progress, Sink, Source, SourceRead};
use crate::error::{Error, Result};
use crate::hash::FixedSet;
use crate::join::{Join, all_pairs};
use crate::pair::Pair;
use crate::store::SegmentStore;
use crate::verify::Verifier;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Finds the near-duplicates among the documents of a source.
pub fn find(
    source: &dyn Source,
    config: &FindConfig,
    progress: &dyn Progress,
) -> Result<FindResult> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(config.threads)
        .build()
        .map_err(|error| Error::Internal(format!("cannot start threads: {error}")))?;
    let store = SegmentStore::new(&config.work_dir, config.feature_memory_bytes);
    progress.begin("read", source.total_bytes());
    let (collection, source_read) = read(source, config, &store, progress)?;
    let spilled_segments = store.num_spilled();
    pool.install(|| {
        let mut result = join(config, collection, progress)?;
        let SourceRead { files, remarks } = source_read;
        result.totals.records = files.iter().map(|file| file.records).sum();
        result.totals.skipped_records = files.iter().map(|file| file.skipped).sum();
        result.totals.bytes = files.iter().map(|file| file.bytes).sum();
        (result.files, result.remarks) = (files, remarks);
        result.spilled_segments = spilled_segments;
        let accounted = result.totals.documents + result.totals.bad_records;
        if accounted != result.totals.records {
            return Err(Error::Internal(format!(
                "{} records read but {accounted} accounted for",
                result.totals.records
            )));
        }
        Ok(result)
    })
}

fn read(
    source: &dyn Source,
    config: &FindConfig,
    store: &SegmentStore,
    progress: &dyn Progress,
) -> Result<(Collection, SourceRead)> {
    let shared = Shared::new(store, config.strict);
    let threads = u32::try_from(config.threads).unwrap_or(u32::MAX);
    let mut collectors: Vec<Collector<'_>> = (0..threads)
        .map(|number| Collector::new(&shared, config, number))
        .collect();
    let sinks = collectors
        .iter_mut()
        .map(|collector| collector as &mut dyn Sink)
        .collect();
    let read = source.read(sinks, progress)?;
    for collector in &mut collectors {
        collector.finish()?;
    }
    let collection = gather(collectors, &read.files)?;
    Ok((collection, read))
}

fn join(
    config: &FindConfig,
    collection: Collection,
    progress: &dyn Progress,
) -> Result<FindResult> {
    let Collection {
        documents,
        segments,
        bad_records,
    } = collection;
    let mut totals = Totals {
        documents: u64::from(documents.len()),
        bad_records: bad_records.len() as u64,
        ..Totals::default()
    };
    let spans = segments.iter().flat_map(|segment| &segment.spans);
    totals.features = spans.map(|span| u64::from(span.len)).sum();
    count_equal(&documents, &mut totals);
    let (kept, mut postings) = prepare(config, segments, progress)?;
    progress.begin("join", u64::from(documents.len()));
    let join = Join {
        kept: &kept,
        threshold: config.threshold,
        filters: config.filters,
        long_list: config.long_list,
        shared_list: config.shared_list,
        batch_len: config.batch_len,
    };
    let priority = Priority::new(&config.keep, &documents, &config.metadata);
    let members = Members::new(&documents, &priority);
    let task = Task {
        config,
        documents: &documents,
        priority: &priority,
        members: &members,
    };
    let mut ledger = Ledger {
        sets: documents.num_sets() as u64,
        without_partner: documents.num_sets() as u64 - u64::from(kept.len()),
        ..Ledger::default()
    };
    let mut duplicates = match config.cluster {
        ClusterMode::Star => task.star(&join, &mut postings, &mut ledger),
        ClusterMode::Components => {
            task.components(&join, postings.num_lists(), &mut ledger)
        }
        ClusterMode::Neighbors | ClusterMode::None => Vec::new(),
    };
    let wants_all =
        config.pairs == PairsMode::All || config.cluster == ClusterMode::Neighbors;
    let mut pairs = if wants_all {
        postings.clear();
        task.all_pairs(&join, &mut postings, &mut ledger)
    } else {
        Vec::new()
    };
    drop(postings);
    progress.begin("assemble", u64::from(documents.len()));
    assemble::sort_duplicates(&documents, &mut duplicates);
    assemble::sort_pairs(&documents, &mut pairs);
    let clusters = match config.cluster {
        ClusterMode::Neighbors => assemble::neighbor_clusters(&documents, &pairs),
        _ => assemble::clusters(&documents, &duplicates),
    };
    match config.pairs {
        PairsMode::All => {}
        PairsMode::None => pairs = Vec::new(),
        PairsMode::Evidence if config.cluster == ClusterMode::Neighbors => {}
        PairsMode::Evidence => {
            pairs = evidence(&documents, &duplicates);
        }
    }
    totals.duplicates = duplicates.len() as u64;
    totals.clusters = clusters.len() as u64;
    totals.pairs = pairs.len() as u64;
    Ok(FindResult {
        documents,
        duplicates,
        clusters,
        pairs,
        bad_records,
        files: Vec::new(),
        remarks: BTreeMap::new(),
        ledger,
        totals,
        spilled_segments: 0,
    })
}

/// Documents whose text or set was there already.
fn count_equal(documents: &Documents, totals: &mut Totals) {
    let mut texts: FixedSet<u128> = FixedSet::default();
    texts.reserve(documents.len() as usize);
    let mut seen = vec![false; documents.num_sets()];
    for document in 0..documents.len() {
        let set = documents.set(document);
        if set == NO_SET {
            totals.empty += 1;
            continue;
        }
        let known_set = std::mem::replace(&mut seen[set as usize], true);
        if !texts.insert(documents.text_hash(document)) {
            totals.equal_text += 1;
        } else if known_set {
            totals.equal_features += 1;
        }
    }
}

fn evidence(documents: &Documents, duplicates: &[Duplicate]) -> Vec<Pair> {
    let verified = duplicates
        .iter()
        .filter(|duplicate| duplicate.rule != Rule::Linked);
    let mut pairs: Vec<Pair> = verified
        .map(|duplicate| {
            let (one, other) = (duplicate.document, duplicate.representative);
            assemble::pair(documents, one, other, duplicate.overlap)
        })
        .collect();
    assemble::sort_pairs(documents, &mut pairs);
    pairs
}

/// What the ways to cluster have in common.
struct Task<'a> {
    config: &'a FindConfig,
    documents: &'a Documents,
    priority: &'a Priority<'a>,
    members: &'a Members,
}

const NOT_KEPT: u32 = u32::MAX;

impl Task<'_> {
    /// Number of each set among the kept ones.
    fn kept_of_set(&self, kept: &Kept) -> Vec<u32> {
        let mut kept_of_set = vec![NOT_KEPT; self.documents.num_sets()];
        for number in 0..kept.len() {
            kept_of_set[kept.set(number) as usize] = number;
        }
        kept_of_set
    }

    fn duplicate(&self, document: u32, representative: u32, overlap: u32) -> Duplicate {
        let rule = assemble::rule(self.documents, document, representative);
        Duplicate {
            document,
            representative,
            overlap,
            rule,
        }
    }

    /// Duplicates of sets that have no partner: only documents with the very same set.
    fn equal_only(&self, kept_of_set: &[u32], duplicates: &mut Vec<Duplicate>) {
        for (set, _) in (0u32..)
            .zip(kept_of_set)
            .filter(|&(_, &kept)| kept == NOT_KEPT)
        {
            if let [representative, rest @ ..] = self.members.of(set) {
                duplicates.extend(rest.iter().map(|&document| {
                    let overlap = self.documents.size(document);
                    self.duplicate(document, *representative, overlap)
                }));
            }
        }
    }

    fn star(
        &self,
        join: &Join<'_>,
        postings: &mut Postings,
        ledger: &mut Ledger,
    ) -> Vec<Duplicate> {
        let kept_of_set = self.kept_of_set(join.kept);
        let mut duplicates = Vec::new();
        self.equal_only(&kept_of_set, &mut duplicates);
        let mut order: Vec<u32> = (0..join.kept.len())
            .flat_map(|kept| self.members.of(join.kept.set(kept)))
            .copied()
            .collect();
        order.par_sort_unstable_by(|&left, &right| self.priority.compare(left, right));
        let sets: Vec<u32> = order
            .iter()
            .map(|&document| kept_of_set[self.documents.set(document) as usize])
            .collect();
        let descending = self.config.keep.by_descending_size();
        let (roles, probed) = star(join, postings, &sets, descending);
        ledger.add(&probed);
        for (&document, role) in order.iter().zip(roles) {
            if let Role::Member { of, overlap } = role {
                duplicates.push(self.duplicate(document, order[of as usize], overlap));
            }
        }
        duplicates
    }

    fn components(
        &self,
        join: &Join<'_>,
        num_lists: usize,
        ledger: &mut Ledger,
    ) -> Vec<Duplicate> {
        let kept_of_set = self.kept_of_set(join.kept);
        let mut duplicates = Vec::new();
        self.equal_only(&kept_of_set, &mut duplicates);
        let (components, probed) = components(join, num_lists);
        ledger.add(&probed);
        let mut by_component: Vec<(u32, u32)> = (0u32..)
            .zip(components)
            .map(|(kept, component)| (component, kept))
            .collect();
        by_component.par_sort_unstable();
        let mut verifier = Verifier::default();
        for component in by_component.chunk_by(|left, right| left.0 == right.0) {
            let mut documents: Vec<(u32, u32)> = Vec::new();
            for &(_, kept) in component {
                let members = self.members.of(join.kept.set(kept));
                documents.extend(members.iter().map(|&document| (document, kept)));
            }
            documents
                .sort_unstable_by(|left, right| self.priority.compare(left.0, right.0));
            let (representative, leading) = documents[0];
            for &(document, kept) in &documents[1..] {
                let overlap = verifier.overlap(join.kept, leading, kept, 0).unwrap_or(0);
                let mut duplicate = self.duplicate(document, representative, overlap);
                let (size, other) = (join.kept.size(leading), join.kept.size(kept));
                if !join.threshold.reached(overlap, size, other) {
                    duplicate.rule = Rule::Linked;
                }
                duplicates.push(duplicate);
            }
        }
        duplicates
    }

    fn all_pairs(
        &self,
        join: &Join<'_>,
        postings: &mut Postings,
        ledger: &mut Ledger,
    ) -> Vec<Pair> {
        let (found, probed) = all_pairs(join, postings);
        ledger.add(&probed);
        let mut pairs = Vec::with_capacity(found.len());
        for pair in found {
            for &left in self.members.of(join.kept.set(pair.left)) {
                for &right in self.members.of(join.kept.set(pair.right)) {
                    pairs.push(assemble::pair(self.documents, left, right, pair.overlap));
                }
            }
        }
        for set in 0..u32::try_from(self.documents.num_sets()).unwrap_or(u32::MAX) {
            let members = self.members.of(set);
            for (at, &left) in members.iter().enumerate() {
                for &right in &members[at + 1..] {
                    let overlap = self.documents.size(left);
                    pairs.push(assemble::pair(self.documents, left, right, overlap));
                }
            }
        }
        pairs
    }
}
