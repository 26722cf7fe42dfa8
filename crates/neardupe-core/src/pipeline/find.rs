//! The main job: near-duplicates of a collection.

use super::assemble::{self, Members, Priority, TextClasses};
use super::config::{ClusterMode, FindConfig, PairsMode};
use super::documents::{Documents, NO_SET, gather};
use super::field_values::{FieldValues, count_numbers};
use super::ids::IdOrder;
use super::method::MadeKeys;
use super::places::Places;
use super::prepare::Prepare;
use super::read::{ReadStage, read};
use super::result::{
    Duplicate, FindResult, MemberRow, PairRow, Rule, RuleCounts, Totals,
};
use super::rows::{self, Compared};
use super::saved;
use crate::candidate::kept::Kept;
use crate::candidate::ledger::Ledger;
use crate::cluster::components::components;
use crate::cluster::star::{Role, StarTask, star};
use crate::document::{Progress, Source, num_old_files};
use crate::error::{Error, Result};
use crate::join::{JoinSettings, Sides, all_pairs, cross_pairs};
use crate::pair::SetPair;
use crate::signature::{CodeSpec, read_weight};
use crate::similarity::Similarity;
use crate::store::budget::DOCUMENT_BYTES;
use crate::store::{Rows, Sorter, WorkDir};
use crate::threads::with_threads;
use crate::verify::Verifier;
use rayon::prelude::*;

/// Finds the near-duplicates among the documents of a source.
pub fn find(
    source: &dyn Source,
    config: &FindConfig,
    progress: &dyn Progress,
) -> Result<FindResult> {
    find_in(
        source,
        config,
        &WorkDir::new(config.work_dir.clone()),
        progress,
    )
}

/// Finds the near-duplicates of a source, going on from what is in the work directory.
pub fn find_in(
    source: &dyn Source,
    config: &FindConfig,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<FindResult> {
    with_threads(config.threads, || {
        let mut stage = read(source, config, work, progress)?;
        progress.begin("gather", 0);
        // Without `against` all documents are new.
        let num_old_files = match config.against {
            None => 0,
            Some(_) => num_old_files(source)?,
        };
        let side = config.method.side(config);
        let documents = gather(&mut stage, &config.budget, work, num_old_files, side)?;
        let totals = totals(&documents, &stage);
        let accounted = totals.documents + totals.bad_records;
        if accounted != totals.records {
            return Err(Error::Internal(format!(
                "{} records read but {accounted} accounted for",
                totals.records
            )));
        }
        let prepare = Prepare {
            config,
            documents: &documents,
            sets: documents.set_table(),
            work,
            progress,
            spilled: stage.spilled,
        };
        let (num_sets, _) = documents.set_table().totals();
        let recall = match config.method.keys(config, num_sets) {
            Some(_) if !config.method.can_be_measured() => None,
            Some(keys) => Some(prepare.measure_recall(&stage.chunks, &*keys)?),
            None if config.filters.signature.is_some() => {
                let lexicons = config.lexicons.as_ref();
                let keys = MadeKeys(lexicons.map_or(0, |lexicons| lexicons.num_keys()));
                Some(prepare.measure_recall(&stage.chunks, &keys)?)
            }
            None => None,
        };
        let filters = match config.compare_filters {
            None => None,
            Some(asked) => Some(prepare.compare_filters(&stage.chunks, asked)?),
        };
        let mut kept = prepare.kept(std::mem::take(&mut stage.chunks))?;
        if config.sampling.adaptive.is_some() {
            let sets = documents.set_table();
            kept.measure_in_levels(|set| sets.levels(set));
        }
        if config.looks_for_larger_only() {
            let (filters, bounds) = (config.filters, config.bounds());
            kept.list_wanted_only(|size| filters.prefix_len_for_larger(bounds, size))?;
        }
        let found = join(config, &documents, &kept, &stage, work, progress)?;
        let mut totals = totals;
        totals.rules = found.rules;
        totals.duplicates = found.duplicates.len() as u64;
        totals.clusters = found.num_clusters;
        totals.pairs = found.pairs.len();
        let codes = config.method.codes(config);
        let numeric_values = match codes {
            Some(codes) => {
                let numeric = codes.variant.numeric.iter();
                let names: Vec<&str> = numeric.map(|one| one.field.as_str()).collect();
                count_numbers(&names, &documents, &config.metadata, read_weight)?
            }
            None => Vec::new(),
        };
        Ok(FindResult {
            similarity: config.similarity,
            against: config.against.is_some(),
            num_old_files,
            documents,
            order: found.order,
            duplicates: found.duplicates,
            clusters: found.clusters,
            pairs: found.pairs,
            places: found.places,
            parts: std::mem::take(&mut stage.parts),
            remarks: std::mem::take(&mut stage.read.remarks),
            unseen_fields: std::mem::take(&mut stage.unseen_fields),
            keep_values: found.keep_values,
            numeric_values,
            ledger: found.ledger,
            recall,
            filters,
            codes: codes.map(CodeSpec::identity),
            totals,
            spilled: stage.spilled,
            join_windows: found.num_windows,
        })
    })
}

fn totals(documents: &Documents, stage: &ReadStage) -> Totals {
    let files = documents.files();
    let empty =
        (0..documents.len()).filter(|&document| documents.set(document) == NO_SET);
    let shorter = (0..documents.len()).filter(|&document| documents.is_shorter(document));
    let (_, features) = documents.set_table().totals();
    debug_assert!(stage.read.files.is_empty(), "documents have the files");
    Totals {
        records: files.iter().map(|file| file.records).sum(),
        documents: u64::from(documents.len()),
        old_documents: u64::from(documents.num_old()),
        bad_records: documents.num_bad_records(),
        skipped_records: files.iter().map(|file| file.skipped).sum(),
        bytes: files.iter().map(|file| file.bytes).sum(),
        empty: empty.count() as u64,
        featureless: documents.num_featureless(),
        shorter_than_shingle: shorter.count() as u64,
        features,
        ..Totals::default()
    }
}

/// What the join found.
struct Found {
    order: IdOrder,
    rules: RuleCounts,
    duplicates: Vec<Duplicate>,
    clusters: Rows<MemberRow>,
    num_clusters: u64,
    pairs: Rows<PairRow>,
    places: Option<Places>,
    ledger: Ledger,
    num_windows: u64,
    keep_values: Option<FieldValues>,
}

fn join(
    config: &FindConfig,
    documents: &Documents,
    kept: &Kept,
    stage: &ReadStage,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<Found> {
    let mut members = Members::new(documents);
    let classes = match config.keep_exact {
        false => TextClasses::new(documents, &members)?,
        true => TextClasses::new(documents, &Members::with_equal_features(documents))?,
    };
    let kept_of_set = kept_of_set(documents, kept);
    let order = IdOrder::new(documents, with_partner(documents, &members, &kept_of_set))?;
    let largest_first = config.similarity == Similarity::Containment;
    let priority = Priority::new(
        &config.keep,
        documents,
        &order,
        &config.metadata,
        largest_first,
    )?;
    members.sort(&priority);
    let held = kept.memory_bytes() + u64::from(documents.len()) * DOCUMENT_BYTES;
    let settings = JoinSettings {
        bounds: match config.sampling.adaptive {
            None => config.bounds(),
            Some(_) => config.bounds().leveled(),
        },
        filters: config.filters(),
        long_list: config.long_list,
        shared_list: config.shared_list,
        batch_len: config.batch_len,
        index_bytes: config.budget.index_beside(held),
    };
    let task = Task {
        config,
        documents,
        kept,
        settings,
        priority: &priority,
        members: &members,
        classes: &classes,
        order: &order,
        work,
        progress,
        spilled: stage.spilled,
    };
    let (num_sets, _) = documents.set_table().totals();
    let mut ledger = Ledger {
        sets: num_sets,
        without_partner: num_sets - u64::from(kept.len()),
        ..Ledger::default()
    };
    let mut num_windows = 1;
    let mut duplicates = match config.cluster {
        ClusterMode::Star => task.star(&kept_of_set, &mut ledger, &mut num_windows)?,
        ClusterMode::Components => task.components(&kept_of_set, &mut ledger)?,
        ClusterMode::Neighbors | ClusterMode::None => Vec::new(),
    };
    let all = config.pairs == PairsMode::All || config.cluster == ClusterMode::Neighbors;
    let mut pairs = if all {
        task.all_pairs(&mut ledger)?
    } else {
        Rows::none()
    };
    progress.begin("assemble", 0);
    assemble::sort_duplicates(&order, &mut duplicates);
    let (clusters, num_clusters) = match config.cluster {
        ClusterMode::Neighbors => task.neighbors(&pairs)?,
        _ => {
            let members = assemble::member_rows(&order, &duplicates);
            let num_clusters = rows::num_clusters(&members);
            (Rows::of(members), num_clusters)
        }
    };
    match config.pairs {
        PairsMode::All => {}
        PairsMode::None => pairs = Rows::none(),
        PairsMode::Evidence if config.cluster == ClusterMode::Neighbors => {}
        PairsMode::Evidence => pairs = task.evidence(&duplicates)?,
    }
    let places = match config.pairs {
        PairsMode::All => Some(Places::of(&pairs, &order, &priority)?),
        PairsMode::Evidence | PairsMode::None => None,
    };
    let keep_values = priority.values().cloned();
    drop(priority);
    let has_representatives =
        matches!(config.cluster, ClusterMode::Star | ClusterMode::Components);
    // Equal documents need not be duplicates where old ones are not compared with each other, or
    // where they are compared like any others.
    let rules = match has_representatives || config.against.is_some() || config.keep_exact
    {
        true => RuleCounts::of(duplicates.iter().map(|duplicate| duplicate.rule)),
        false => RuleCounts {
            equal_text: classes.equal_text,
            equal_features: classes.equal_features,
            ..RuleCounts::default()
        },
    };
    Ok(Found {
        order,
        rules,
        duplicates,
        clusters,
        num_clusters,
        pairs,
        places,
        ledger,
        num_windows,
        keep_values,
    })
}

const NOT_KEPT: u32 = u32::MAX;

/// Number of each set among the kept ones.
fn kept_of_set(documents: &Documents, kept: &Kept) -> Vec<u32> {
    let mut kept_of_set = vec![NOT_KEPT; documents.set_table().len()];
    for number in 0..kept.len() {
        kept_of_set[kept.set(number) as usize] = number;
    }
    kept_of_set
}

/// The documents that can have a similar one.
fn with_partner(
    documents: &Documents,
    members: &Members,
    kept_of_set: &[u32],
) -> Vec<u32> {
    let can_have = |&document: &u32| {
        let set = documents.set(document);
        set != NO_SET
            && (kept_of_set[set as usize] != NOT_KEPT || members.of(set).len() > 1)
    };
    (0..documents.len()).filter(can_have).collect()
}

/// What the ways to cluster have in common.
struct Task<'a> {
    config: &'a FindConfig,
    documents: &'a Documents,
    kept: &'a Kept,
    settings: JoinSettings,
    priority: &'a Priority<'a>,
    members: &'a Members,
    classes: &'a TextClasses,
    order: &'a IdOrder,
    work: &'a WorkDir,
    progress: &'a dyn Progress,
    spilled: bool,
}

impl Task<'_> {
    /// Whether new documents are compared with each other.
    fn within(&self) -> bool {
        self.config.against.is_none_or(|against| against.within)
    }

    /// Whether two documents are compared at all: old ones are not with each other.
    fn are_compared(&self, one: u32, other: u32) -> bool {
        let [one, other] = [one, other].map(|one| self.documents.is_old(one));
        let within = self.within();
        Compared { within }.are_compared(one, other)
    }

    fn duplicate(&self, document: u32, representative: u32, overlap: u32) -> Duplicate {
        let rule = self.classes.rule(self.documents, document, representative);
        Duplicate {
            document,
            representative,
            overlap,
            rule,
        }
    }

    /// Duplicates of sets that have no partner: only documents with the very same set.
    fn equal_only(&self, kept_of_set: &[u32], duplicates: &mut Vec<Duplicate>) {
        let sets = self.members.shared_sets();
        for set in sets.filter(|&set| kept_of_set[set as usize] == NOT_KEPT) {
            if let [representative, rest @ ..] = self.members.of(set) {
                let rest = rest.iter().copied();
                let compared = rest.filter(|&document| {
                    !self.documents.is_old(document)
                        && self.are_compared(document, *representative)
                });
                duplicates.extend(compared.map(|document| {
                    let overlap = self.documents.size(document);
                    self.duplicate(document, *representative, overlap)
                }));
            }
        }
    }

    fn star(
        &self,
        kept_of_set: &[u32],
        ledger: &mut Ledger,
        num_windows: &mut u64,
    ) -> Result<Vec<Duplicate>> {
        let is_old = |document: u32| self.documents.is_old(document);
        let mut order: Vec<u32> = Vec::new();
        for kept in 0..self.kept.len() {
            let members = self.members.of(self.kept.set(kept));
            let num_old = members.partition_point(|&document| is_old(document));
            // One old document stands for all that have its set.
            order.extend(members[..num_old].first());
            order.extend(&members[num_old..]);
        }
        order.par_sort_unstable_by(|&left, &right| self.priority.compare(left, right));
        let num_fixed = order.partition_point(|&document| is_old(document));
        let sets: Vec<u32> = order
            .iter()
            .map(|&document| kept_of_set[self.documents.set(document) as usize])
            .collect();
        self.progress.begin("join", order.len() as u64);
        let task = StarTask {
            kept: self.kept,
            settings: &self.settings,
            order: &sets,
            num_fixed,
            within: self.within(),
            by_descending_size: self.by_descending_size(),
            only_larger: self.only_larger(),
            progress: self.progress,
        };
        let mut state = saved::star_state(self.work, order.len())?;
        let settled_before = state.settled;
        star(&task, &mut state, |state| {
            *num_windows += 1;
            if self.spilled {
                saved::save_star_state(self.work, state)?;
            }
            Ok(())
        })?;
        ledger.add(&state.ledger);
        let mut duplicates = Vec::new();
        self.equal_only(kept_of_set, &mut duplicates);
        for (&document, role) in order.iter().zip(state.roles()) {
            if let Role::Member { of, overlap } = role {
                duplicates.push(self.duplicate(document, order[of as usize], overlap));
            }
        }
        if self.spilled && state.settled > settled_before {
            saved::save_star_state(self.work, &state)?;
        }
        Ok(duplicates)
    }

    /// Whether documents come by descending size in priority order.
    fn by_descending_size(&self) -> bool {
        let containment = self.config.similarity == Similarity::Containment;
        let descending = containment || self.config.keep.by_descending_size();
        // Old documents come first whatever their size, and adaptive sampling leaves less of
        // larger ones.
        let by_size = self.config.sampling.adaptive.is_none();
        descending && by_size && self.documents.num_old() == 0
    }

    /// Whether a document can only belong to one that is at least as large.
    fn only_larger(&self) -> bool {
        let removes_containing = self
            .config
            .against
            .is_some_and(|against| against.remove_containing);
        self.config.similarity == Similarity::Containment && !removes_containing
    }

    fn components(
        &self,
        kept_of_set: &[u32],
        ledger: &mut Ledger,
    ) -> Result<Vec<Duplicate>> {
        let mut duplicates = Vec::new();
        self.equal_only(kept_of_set, &mut duplicates);
        self.progress.begin("join", u64::from(self.kept.len()));
        let (components, probed) = match saved::components(self.work)? {
            Some(done) => done,
            None => {
                let found = components(self.kept, &self.settings, self.progress)?;
                if self.spilled {
                    saved::save_components(self.work, &found.0, &found.1)?;
                }
                found
            }
        };
        ledger.add(&probed);
        let mut by_component: Vec<(u32, u32)> = (0u32..)
            .zip(components)
            .map(|(kept, component)| (component, kept))
            .collect();
        by_component.par_sort_unstable();
        let (mut verifier, bounds) = (Verifier::default(), self.settings.bounds);
        for component in by_component.chunk_by(|left, right| left.0 == right.0) {
            let mut documents: Vec<(u32, u32)> = Vec::new();
            for &(_, kept) in component {
                let members = self.members.of(self.kept.set(kept));
                documents.extend(members.iter().map(|&document| (document, kept)));
            }
            documents
                .sort_unstable_by(|left, right| self.priority.compare(left.0, right.0));
            let (representative, leading) = documents[0];
            for &(document, kept) in &documents[1..] {
                let overlap = verifier.overlap(self.kept, leading, kept, bounds, 0)?;
                let overlap = overlap.unwrap_or(0);
                let mut duplicate = self.duplicate(document, representative, overlap);
                let (size, other) = self.kept.sizes(leading, kept);
                // Equal texts are duplicates however few features they have.
                let is_reached = bounds.of_pair().reached(overlap, size, other);
                if leading != kept && !is_reached {
                    duplicate.rule = Rule::Linked;
                }
                duplicates.push(duplicate);
            }
        }
        Ok(duplicates)
    }

    fn all_pairs(&self, ledger: &mut Ledger) -> Result<Rows<PairRow>> {
        let (members, order) = (self.members, self.order);
        let mut sorter = Sorter::new(self.work, "pairs", self.config.budget.rows);
        self.progress.begin("pairs", u64::from(self.kept.len()));
        let add = |pair: SetPair| {
            for &left in members.of(self.kept.set(pair.left)) {
                for &right in members.of(self.kept.set(pair.right)) {
                    if self.are_compared(left, right) {
                        let row = assemble::pair_row(order, left, right, pair.overlap);
                        sorter.push(row)?;
                    }
                }
            }
            Ok(())
        };
        let probed = match self.config.against {
            None => all_pairs(self.kept, &self.settings, self.progress, add)?,
            Some(_) => self.cross_pairs(add)?,
        };
        ledger.add(&probed);
        for set in members.shared_sets() {
            let same = members.of(set);
            // Old documents come first, and are not compared with each other.
            let num_old =
                same.partition_point(|&document| self.documents.is_old(document));
            for (at, &left) in same.iter().enumerate() {
                for &right in &same[(at + 1).max(num_old)..] {
                    if self.are_compared(left, right) {
                        let overlap = self.documents.size(left);
                        sorter.push(assemble::pair_row(order, left, right, overlap))?;
                    }
                }
            }
        }
        sorter.finish()
    }

    /// Pairs of sets that an old and a new document have, or two new ones.
    fn cross_pairs(&self, add: impl FnMut(SetPair) -> Result<()>) -> Result<Ledger> {
        let members = |kept: u32| self.members.of(self.kept.set(kept)).iter();
        let is_old = |&document: &u32| self.documents.is_old(document);
        let kept = 0..self.kept.len();
        let has_new: Vec<bool> =
            kept.clone().map(|set| !members(set).all(is_old)).collect();
        let indexed: Vec<bool> = kept
            .map(|set| self.within() || members(set).any(is_old))
            .collect();
        let sides = Sides {
            indexed: &indexed,
            probes: &has_new,
        };
        cross_pairs(self.kept, sides, &self.settings, self.progress, add)
    }

    fn evidence(&self, duplicates: &[Duplicate]) -> Result<Rows<PairRow>> {
        let mut sorter = Sorter::new(self.work, "pairs", self.config.budget.rows);
        let verified = duplicates
            .iter()
            .filter(|duplicate| duplicate.rule != Rule::Linked);
        for duplicate in verified {
            let (one, other) = (duplicate.document, duplicate.representative);
            let row = assemble::pair_row(self.order, one, other, duplicate.overlap);
            sorter.push(row)?;
        }
        sorter.finish()
    }

    /// One cluster for each document that has a similar one: itself and all these.
    fn neighbors(&self, pairs: &Rows<PairRow>) -> Result<(Rows<MemberRow>, u64)> {
        let mut sorter = Sorter::new(self.work, "neighbors", self.config.budget.rows);
        pairs.for_each(|pair| {
            let mut rows = rows::neighbor_rows(pair).into_iter();
            rows.try_for_each(|row| sorter.push(row))
        })?;
        let rows = sorter.finish()?;
        let (mut num_clusters, mut last) = (0, None);
        rows.for_each(|row| {
            num_clusters += u64::from(last != Some(row.representative));
            last = Some(row.representative);
            Ok(())
        })?;
        Ok((rows, num_clusters))
    }
}
