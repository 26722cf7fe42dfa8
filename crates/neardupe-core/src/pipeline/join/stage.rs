//! Third stage: open sets are joined, and documents are put together by what was found.
//!
//! The join knows sets, results know documents. Documents with the same set are similar to each other without a join,
//! so every way to cluster has two halves: what the join finds among open sets, and what equal sets give by themselves
//! ([`Task::equal_only`]). A set that is not open has no partner, but may have several documents.

use super::saved;
use crate::candidate::ledger::Ledger;
use crate::candidate::open_sets::OpenSets;
use crate::cluster::components::components;
use crate::cluster::star::{Role, StarTask, star};
use crate::document::Progress;
use crate::error::Result;
use crate::join::{JoinSettings, Sides, all_pairs, cross_pairs};
use crate::numbers::{Column, DocIdx, MaybeOpen, OpenIdx, PriorityRank, SetIdx};
use crate::pair::SetPair;
use crate::pipeline::assemble::field_values::FieldValues;
use crate::pipeline::assemble::members::{Members, TextClasses};
use crate::pipeline::assemble::priority::Priority;
use crate::pipeline::assemble::priority_ranks::PriorityRanks;
use crate::pipeline::assemble::ranked;
use crate::pipeline::assemble::rows::{
    self, Compared, Duplicate, MemberRow, PairRow, Rule, RuleCounts,
};
use crate::pipeline::config::{ClusterMode, FindConfig, PairsMode};
use crate::pipeline::read::documents::Documents;
use crate::pipeline::read::ids::IdOrder;
use crate::pipeline::read::parts::ReadStage;
use crate::similarity::Similarity;
use crate::store::budget::DOCUMENT_BYTES;
use crate::store::{Rows, Sorter, WorkDir};
use crate::verify::Verifier;
use rayon::prelude::*;

/// What the join found.
pub(in crate::pipeline) struct JoinOutcome {
    /// Documents that can have a similar one, by id: only these have ranks.
    pub(in crate::pipeline) order: IdOrder,
    /// The duplicates by rule.
    pub(in crate::pipeline) rules: RuleCounts,
    /// By id.
    pub(in crate::pipeline) duplicates: Vec<Duplicate>,
    /// By the id of the representative.
    pub(in crate::pipeline) clusters: Rows<MemberRow>,
    /// Clusters of two or more documents.
    pub(in crate::pipeline) num_clusters: u64,
    /// By both ids.
    pub(in crate::pipeline) pairs: Rows<PairRow>,
    /// The order of keeping, where all pairs are written.
    pub(in crate::pipeline) priority_ranks: Option<PriorityRanks>,
    /// What the join looked at, all ways together.
    pub(in crate::pipeline) ledger: Ledger,
    /// Windows of star clusters; 1 for the other ways, which do not count theirs.
    pub(in crate::pipeline) num_windows: u64,
    /// What the field of the rule holds that decides which documents are kept.
    pub(in crate::pipeline) keep_values: Option<FieldValues>,
}

/// Joins the open sets as the configuration asks, and assembles what is written.
///
/// The order matters: ids are put in order before priorities, which use them to break ties; members are sorted by
/// priority before any way to cluster looks at them.
pub(in crate::pipeline) fn join(
    config: &FindConfig,
    documents: &Documents,
    open: &OpenSets,
    stage: &ReadStage,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<JoinOutcome> {
    let mut members = Members::new(documents);
    let classes = if config.keep_exact {
        TextClasses::new(documents, &Members::with_equal_features(documents))?
    } else {
        TextClasses::new(documents, &members)?
    };
    let open_of_set = open_of_set(documents, open);
    // Sorting ids reads them from the log, so only those are sorted that a result may name.
    let order = IdOrder::new(documents, with_partner(documents, &members, &open_of_set))?;
    let largest_first = config.similarity == Similarity::Containment;
    let priority = Priority::new(
        &config.keep,
        documents,
        &order,
        &config.metadata,
        largest_first,
    )?;
    members.sort(&priority);
    // Posting lists get what is left of the budget beside what stays in memory all the time.
    let held = open.memory_bytes() + u64::from(documents.len()) * DOCUMENT_BYTES;
    let settings = JoinSettings {
        bounds: match config.sampling.adaptive {
            None => config.bounds(),
            Some(_) => config.bounds().leveled(),
        },
        filters: config.filters(),
        long_list: config.long_list,
        shared_list: config.shared_list,
        batch_len: config.batch_len,
        window_bytes: config.budget.window_beside(held),
    };
    let task = Task {
        config,
        documents,
        open,
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
        without_partner: num_sets - u64::from(open.len()),
        ..Ledger::default()
    };
    let mut num_windows = 1;
    let mut duplicates = match config.cluster {
        ClusterMode::Star => task.star(&open_of_set, &mut ledger, &mut num_windows)?,
        ClusterMode::Components => task.components(&open_of_set, &mut ledger)?,
        ClusterMode::Neighbors | ClusterMode::None => Vec::new(),
    };
    // Clusters of neighbors are made of all pairs, whether these are written or not.
    let all = config.pairs == PairsMode::All || config.cluster == ClusterMode::Neighbors;
    let mut pairs = if all {
        task.all_pairs(&mut ledger)?
    } else {
        Rows::none()
    };
    progress.begin("assemble", 0);
    ranked::sort_duplicates(&order, &mut duplicates);
    let (clusters, num_clusters) = match config.cluster {
        ClusterMode::Neighbors => task.neighbors(&pairs)?,
        _ => {
            let members = ranked::member_rows(&order, &duplicates);
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
    let priority_ranks = match config.pairs {
        PairsMode::All => Some(PriorityRanks::of(&pairs, &order, &priority)?),
        PairsMode::Evidence | PairsMode::None => None,
    };
    let keep_values = priority.values().cloned();
    // It borrows the order, which leaves with the result.
    drop(priority);
    let has_representatives =
        matches!(config.cluster, ClusterMode::Star | ClusterMode::Components);
    // Equal documents need not be duplicates where old ones are not compared with each other, or
    // where they are compared like any others.
    let rules = if has_representatives || config.against.is_some() || config.keep_exact {
        RuleCounts::of(duplicates.iter().map(|duplicate| duplicate.rule))
    } else {
        RuleCounts {
            equal_text: classes.equal_text,
            equal_features: classes.equal_features,
            ..RuleCounts::default()
        }
    };
    Ok(JoinOutcome {
        order,
        rules,
        duplicates,
        clusters,
        num_clusters,
        pairs,
        priority_ranks,
        ledger,
        num_windows,
        keep_values,
    })
}

/// Number of each set among the open ones, if it is open.
type OpenOfSet = Column<SetIdx, MaybeOpen>;

/// The open sets by their numbers among all: four bytes for each distinct set of the collection.
fn open_of_set(documents: &Documents, open: &OpenSets) -> OpenOfSet {
    let mut open_of_set = Column::filled(MaybeOpen::NONE, documents.set_table().len());
    for idx in open.all() {
        open_of_set[open.set(idx)] = idx.into();
    }
    open_of_set
}

/// The documents that can have a similar one.
fn with_partner(
    documents: &Documents,
    members: &Members,
    open_of_set: &OpenOfSet,
) -> Vec<DocIdx> {
    let can_have = |&document: &DocIdx| {
        let set = documents.set(document);
        set.is_some_and(|set| open_of_set[set].is_some() || members.of(set).len() > 1)
    };
    documents.all().filter(can_have).collect()
}

/// What the ways to cluster have in common.
struct Task<'a> {
    config: &'a FindConfig,
    documents: &'a Documents,
    /// What is joined.
    open: &'a OpenSets,
    /// How it is joined.
    settings: JoinSettings,
    /// Which document of a cluster is kept.
    priority: &'a Priority<'a>,
    /// The documents of each set, by priority.
    members: &'a Members,
    /// Which of them have the same text.
    classes: &'a TextClasses,
    /// Ids, to write rows by.
    order: &'a IdOrder,
    work: &'a WorkDir,
    progress: &'a dyn Progress,
    /// How far the join is, is entered in the work directory.
    spilled: bool,
}

impl Task<'_> {
    /// Whether new documents are compared with each other: always where there are no old ones.
    fn within(&self) -> bool {
        self.config.against.is_none_or(|against| against.within)
    }

    /// Whether two documents are compared at all: old ones are not with each other.
    fn are_compared(&self, one: DocIdx, other: DocIdx) -> bool {
        let [one, other] = [one, other].map(|one| self.documents.is_old(one));
        let within = self.within();
        Compared { within }.are_compared(one, other)
    }

    /// A duplicate with the rule that applies: what the two have in common beyond their overlap.
    fn duplicate(
        &self,
        document: DocIdx,
        representative: DocIdx,
        overlap: u32,
    ) -> Duplicate {
        let rule = self.classes.rule(self.documents, document, representative);
        Duplicate {
            document,
            representative,
            overlap,
            rule,
        }
    }

    /// Duplicates of sets that have no partner: only documents with the very same set.
    fn equal_only(&self, open_of_set: &OpenOfSet, duplicates: &mut Vec<Duplicate>) {
        let sets = self.members.shared_sets();
        for set in sets.filter(|&set| open_of_set[set].is_none()) {
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

    /// Star clusters of open sets, and the duplicates of equal sets that are not open.
    fn star(
        &self,
        open_of_set: &OpenOfSet,
        ledger: &mut Ledger,
        num_windows: &mut u64,
    ) -> Result<Vec<Duplicate>> {
        let is_old = |document: DocIdx| self.documents.is_old(document);
        let mut order: Vec<DocIdx> = Vec::new();
        for idx in self.open.all() {
            let members = self.members.of(self.open.set(idx));
            // Members are in order of priority, where old documents come first.
            let num_old = members.partition_point(|&document| is_old(document));
            // One old document stands for all that have its set.
            order.extend(members[..num_old].first());
            order.extend(&members[num_old..]);
        }
        order.par_sort_unstable_by(|&left, &right| self.priority.compare(left, right));
        // Old documents come first in priority, so they are the first here, too.
        let num_fixed = order.partition_point(|&document| is_old(document));
        let open_of = |&document: &DocIdx| {
            let open = self
                .documents
                .set(document)
                .map(|set| open_of_set[set].get());
            open.flatten()
                .expect("only documents of open sets are in the order")
        };
        let sets: Column<PriorityRank, OpenIdx> = order.iter().map(open_of).collect();
        let order: Column<PriorityRank, DocIdx> = Column::of(order);
        self.progress.begin("join", order.len() as u64);
        let task = StarTask {
            open: self.open,
            settings: &self.settings,
            order: &sets,
            num_fixed,
            within: self.within(),
            by_descending_size: self.by_descending_size(),
            only_larger: self.only_larger(),
            progress: self.progress,
        };
        // A job that is resumed goes on after the last window that was saved.
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
        self.equal_only(open_of_set, &mut duplicates);
        for (&document, role) in order.rows().iter().zip(state.roles()) {
            if let Role::Member { of, overlap } = role {
                duplicates.push(self.duplicate(document, order[of], overlap));
            }
        }
        // The last window is saved only when all is settled: what follows could still be interrupted.
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

    /// Components of open sets as clusters of their documents, each led by its first document by priority.
    fn components(
        &self,
        open_of_set: &OpenOfSet,
        ledger: &mut Ledger,
    ) -> Result<Vec<Duplicate>> {
        let mut duplicates = Vec::new();
        self.equal_only(open_of_set, &mut duplicates);
        self.progress.begin("join", u64::from(self.open.len()));
        let (components, probed) = match saved::components(self.work)? {
            Some(done) => done,
            None => {
                let found = components(self.open, &self.settings, self.progress)?;
                if self.spilled {
                    saved::save_components(self.work, &found.0, &found.1)?;
                }
                found
            }
        };
        ledger.add(&probed);
        // Components are named by their smallest set, so sorting by name and set gives the same order in every run.
        let mut by_component: Vec<(OpenIdx, OpenIdx)> = components
            .iter()
            .map(|(open, &component)| (component, open))
            .collect();
        by_component.par_sort_unstable();
        let (mut verifier, bounds) = (Verifier::default(), self.settings.bounds);
        for component in by_component.chunk_by(|left, right| left.0 == right.0) {
            let mut documents: Vec<(DocIdx, OpenIdx)> = Vec::new();
            for &(_, open) in component {
                let members = self.members.of(self.open.set(open));
                documents.extend(members.iter().map(|&document| (document, open)));
            }
            documents
                .sort_unstable_by(|left, right| self.priority.compare(left.0, right.0));
            // Nothing was verified with this representative in particular: the overlap is counted now, for the table.
            let (representative, leading) = documents[0];
            for &(document, open) in &documents[1..] {
                let overlap = verifier.overlap(self.open, leading, open, bounds, 0)?;
                let overlap = overlap.unwrap_or(0);
                let mut duplicate = self.duplicate(document, representative, overlap);
                let (size, other) = self.open.sizes(leading, open);
                // Equal texts are duplicates however few features they have.
                let is_reached = bounds.of_pair().reached(overlap, size, other);
                if leading != open && !is_reached {
                    duplicate.rule = Rule::Linked;
                }
                duplicates.push(duplicate);
            }
        }
        Ok(duplicates)
    }

    /// All similar pairs of documents: each pair of open sets stands for every pair of their documents.
    fn all_pairs(&self, ledger: &mut Ledger) -> Result<Rows<PairRow>> {
        let (members, order) = (self.members, self.order);
        let mut sorter = Sorter::new(self.work, "pairs", self.config.budget.rows);
        self.progress.begin("pairs", u64::from(self.open.len()));
        let add = |pair: SetPair| {
            for &left in members.of(self.open.set(pair.left)) {
                for &right in members.of(self.open.set(pair.right)) {
                    if self.are_compared(left, right) {
                        let row = ranked::pair_row(order, left, right, pair.overlap);
                        sorter.push(row)?;
                    }
                }
            }
            Ok(())
        };
        let probed = match self.config.against {
            None => all_pairs(self.open, &self.settings, self.progress, add)?,
            Some(_) => self.cross_pairs(add)?,
        };
        ledger.add(&probed);
        // And the pairs within a set, which the join of distinct sets does not see.
        for set in members.shared_sets() {
            let same = members.of(set);
            // Old documents come first, and are not compared with each other.
            let num_old =
                same.partition_point(|&document| self.documents.is_old(document));
            for (at, &left) in same.iter().enumerate() {
                for &right in &same[(at + 1).max(num_old)..] {
                    if self.are_compared(left, right) {
                        let overlap = self.documents.size(left);
                        sorter.push(ranked::pair_row(order, left, right, overlap))?;
                    }
                }
            }
        }
        sorter.finish()
    }

    /// Pairs of sets that an old and a new document have, or two new ones.
    fn cross_pairs(&self, add: impl FnMut(SetPair) -> Result<()>) -> Result<Ledger> {
        let members = |open: OpenIdx| self.members.of(self.open.set(open)).iter();
        let is_old = |&document: &DocIdx| self.documents.is_old(document);
        let open = self.open.all();
        let has_new: Column<OpenIdx, bool> =
            open.clone().map(|set| !members(set).all(is_old)).collect();
        let indexed: Column<OpenIdx, bool> = open
            .map(|set| self.within() || members(set).any(is_old))
            .collect();
        let sides = Sides {
            indexed: &indexed,
            probes: &has_new,
        };
        cross_pairs(self.open, sides, &self.settings, self.progress, add)
    }

    /// The pairs of duplicates with their representatives: those that were verified, so not links of a chain.
    fn evidence(&self, duplicates: &[Duplicate]) -> Result<Rows<PairRow>> {
        let mut sorter = Sorter::new(self.work, "pairs", self.config.budget.rows);
        let verified = duplicates
            .iter()
            .filter(|duplicate| duplicate.rule != Rule::Linked);
        for duplicate in verified {
            let (one, other) = (duplicate.document, duplicate.representative);
            let row = ranked::pair_row(self.order, one, other, duplicate.overlap);
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
