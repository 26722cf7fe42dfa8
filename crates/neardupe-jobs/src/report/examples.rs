//! What is looked at closely: the largest clusters, and the pairs that are least similar of
//! all that count, where a threshold shows what it does.
//!
//! Their texts are read again from the input, for a bounded share of it; what cannot be had
//! for that (or any more, as from standard input) is shown by its first words alone.
//!
//! Pairs are compared as fractions and the first of equal ones wins, so the examples depend on
//! the result alone. A template in a thousand documents would fill the list with pairs of one
//! kind, so each representative is shown once among the closest calls.

use super::ReportOptions;
use crate::diff::{Diff, DiffLimits, clean, render_rows};
use crate::summary::largest_clusters;
use neardupe_core::document::{DocIdx, Position, Progress, Source};
use neardupe_core::error::Result;
use neardupe_core::hash::{FixedMap, FixedSet};
use neardupe_core::pipeline::{Cluster, FindResult, Rule};
use neardupe_core::ratio::Ratio;
use neardupe_io::source::{Bounds, Excerpt, FileSource};
use std::time::Duration;

/// Clusters that are shown.
/// All limits here keep the page small and the time short.
const MAX_CLUSTERS: usize = 20;
/// Members of a cluster that are shown besides the representative.
const MAX_MEMBERS: usize = 6;
/// Pairs that are shown.
const MAX_PAIRS: usize = 12;
/// Bytes of text in a diff, and in all diffs: escaped they are more, and a page must be
/// below 2 MB.
const DIFF_BYTES: usize = 8 << 10;
const ALL_DIFF_BYTES: usize = 448 << 10;
/// Bytes of the input that are read again at least, and the share of it beyond that.
const MIN_BYTES: u64 = 64 << 20;
const SHARE: u64 = 16;
/// Equal words around a difference.
const CONTEXT: usize = 12;
/// What a diff may cost.
const LIMITS: DiffLimits = DiffLimits {
    max_words: 3000,
    deadline: Duration::from_millis(200),
};

/// What is looked at closely.
#[derive(Debug, Default)]
pub(super) struct Examples {
    /// The largest ones, the largest first.
    pub(super) clusters: Vec<ClusterExample>,
    /// The least similar pairs, the least similar first.
    pub(super) pairs: Vec<PairExample>,
}

/// A document as it is shown.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    /// The id in full.
    pub(super) id: String,
    /// The first words of the text; empty without text.
    pub(super) preview: String,
    /// Characters of the whole text.
    pub(super) chars: u64,
    /// One that new ones are compared with.
    pub(super) is_old: bool,
}

/// A cluster.
#[derive(Debug)]
pub(super) struct ClusterExample {
    /// What is kept, or the document whose neighbors the others are.
    pub(super) lead: Shown,
    /// Documents of the cluster, the lead among them.
    pub(super) size: u64,
    /// Some of the others.
    pub(super) members: Vec<MemberExample>,
}

/// A member of a cluster, compared with the representative.
#[derive(Debug)]
pub(super) struct MemberExample {
    pub(super) document: Shown,
    /// With the lead, exact.
    pub(super) similarity: Ratio,
    /// From the lead.
    pub(super) difference: ShownDifference,
}

/// Two documents.
#[derive(Debug)]
pub(super) struct PairExample {
    pub(super) left: Shown,
    pub(super) right: Shown,
    pub(super) similarity: Ratio,
    pub(super) difference: ShownDifference,
}

/// How two documents differ.
#[derive(Debug)]
pub(super) enum ShownDifference {
    /// Not at all.
    EqualText,
    /// As these rows show, which may not be all.
    Rows { html: String, is_all: bool },
    /// It is not shown: the texts were not read again, or there is no room.
    Left,
}

/// Two documents to be compared.
#[derive(Debug, Clone, Copy)]
struct Compared {
    /// The document that is kept, or the left one.
    lead: DocIdx,
    /// The duplicate, or the right one.
    other: DocIdx,
    /// Features that both have.
    overlap: u32,
    /// Why they count as duplicates.
    rule: Rule,
}

impl Compared {
    /// The similarity as a fraction, by the measure of the job.
    fn similarity(&self, result: &FindResult) -> Ratio {
        let (size, other) = result.documents.sizes(self.lead, self.other);
        result.similarity.ratio(self.overlap, size, other)
    }
}

impl Examples {
    /// Chooses what is shown, reads the texts for it, and compares them. One pass over
    /// duplicates and pairs for each choice, and a bounded share of the input.
    pub(super) fn new(
        result: &FindResult,
        source: &FileSource,
        options: &ReportOptions<'_>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let clusters = largest_clusters(result, MAX_CLUSTERS)?;
        let members = choose_members(result, &clusters)?;
        let pairs = choose_pairs(result)?;
        let all = members.iter().flatten().chain(&pairs);
        let texts = if options.with_text {
            ExampleTexts::read(result, source, all.copied(), options.threads, progress)?
        } else {
            ExampleTexts::default()
        };
        let mut maker = ExampleMaker {
            result,
            texts,
            with_text: options.with_text,
            left_bytes: ALL_DIFF_BYTES,
        };
        let mut examples = Examples::default();
        // The pairs first: they say most for the room they take.
        for compared in &pairs {
            examples.pairs.push(PairExample {
                left: maker.shown(compared.lead)?,
                right: maker.shown(compared.other)?,
                similarity: compared.similarity(result),
                difference: maker.difference(compared),
            });
        }
        for (cluster, members) in clusters.iter().zip(&members) {
            let members = members.iter().map(|compared| {
                Ok(MemberExample {
                    document: maker.shown(compared.other)?,
                    similarity: compared.similarity(result),
                    difference: maker.difference(compared),
                })
            });
            let members = members.collect::<Result<_>>()?;
            examples.clusters.push(ClusterExample {
                lead: maker.shown(cluster.representative)?,
                size: cluster.members.len() as u64,
                members,
            });
        }
        Ok(examples)
    }
}

/// Makes what is shown.
struct ExampleMaker<'a> {
    /// Ids, sizes and first words are from here.
    result: &'a FindResult,
    /// Those that could be read again.
    texts: ExampleTexts,
    /// Whether texts may be shown (`no-text`).
    with_text: bool,
    /// Bytes of differences that may still be shown.
    left_bytes: usize,
}

impl ExampleMaker<'_> {
    /// A document with its first words.
    fn shown(&self, document: DocIdx) -> Result<Shown> {
        let documents = &self.result.documents;
        Ok(Shown {
            id: documents.id(document)?.into_owned(),
            preview: if self.with_text {
                clean(&documents.preview(document)?)
            } else {
                String::new()
            },
            chars: u64::from(documents.chars(document)),
            is_old: documents.is_old(document),
        })
    }

    /// How two documents differ, as far as there is room. Each call takes from the room of
    /// those after it.
    fn difference(&mut self, compared: &Compared) -> ShownDifference {
        if compared.rule == Rule::EqualText {
            return ShownDifference::EqualText;
        }
        let texts = self
            .texts
            .of(compared.lead)
            .zip(self.texts.of(compared.other));
        let Some((left, right)) = texts.filter(|_| self.left_bytes > 0) else {
            return ShownDifference::Left;
        };
        // Equal texts that were compared only as features.
        if left.hash == right.hash {
            return ShownDifference::EqualText;
        }
        let diff = Diff::new(&left.text, &right.text, &LIMITS);
        let mut html = Vec::new();
        let most = DIFF_BYTES.min(self.left_bytes);
        // Writing to memory cannot fail.
        let is_all = render_rows(&diff, CONTEXT, most, &mut html).unwrap_or(false);
        // HTML of a diff is about twice its text.
        self.left_bytes = self.left_bytes.saturating_sub(html.len() / 2);
        ShownDifference::Rows {
            html: String::from_utf8_lossy(&html).into_owned(),
            is_all: is_all && diff.complete && left.is_whole && right.is_whole,
        }
    }
}

/// Texts that were read again.
#[derive(Debug, Default)]
struct ExampleTexts {
    /// Where each document is in the input.
    positions: FixedMap<DocIdx, Position>,
    /// The texts by place; those that were not reached or have changed are missing.
    texts: FixedMap<Position, Excerpt>,
}

impl ExampleTexts {
    /// Reads the texts of all documents that are compared, each once. Equal texts have no
    /// difference to show and are not read.
    fn read(
        result: &FindResult,
        source: &FileSource,
        compared: impl Iterator<Item = Compared>,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mut positions = FixedMap::default();
        let mut wanted = Vec::new();
        for compared in compared.filter(|it| it.rule != Rule::EqualText) {
            for document in [compared.lead, compared.other] {
                if !positions.contains_key(&document) {
                    let position = result.documents.position(document)?;
                    positions.insert(document, position);
                    wanted.push(position);
                }
            }
        }
        let bounds = Bounds {
            read_bytes: MIN_BYTES.max(source.total_bytes() / SHARE),
            // A small input is read as a whole, a large one up to a sixteenth.
            // Few are wanted.
            held_bytes: usize::MAX,
        };
        let texts = source.texts_at(&wanted, bounds, threads, progress)?;
        let mut texts = ExampleTexts { positions, texts };
        texts.drop_changed(result)?;
        Ok(texts)
    }

    /// A file that changed meanwhile holds other texts than those that were compared.
    fn drop_changed(&mut self, result: &FindResult) -> Result<()> {
        for (&document, position) in &self.positions {
            if let Some(text) = self.texts.get(position)
                && text.hash != result.documents.text_hash(document)?
            {
                self.texts.remove(position);
            }
        }
        Ok(())
    }

    /// The text of a document, if it could be read again.
    fn of(&self, document: DocIdx) -> Option<&Excerpt> {
        self.texts.get(self.positions.get(&document)?)
    }
}

/// Of each cluster the members that are shown: those least similar to the representative,
/// and some more spread over the cluster.
fn choose_members(
    result: &FindResult,
    clusters: &[Cluster],
) -> Result<Vec<Vec<Compared>>> {
    let mut chosen: Vec<ClusterChoice> =
        clusters.iter().map(|_| ClusterChoice::default()).collect();
    let leads: FixedMap<DocIdx, usize> = clusters
        .iter()
        .enumerate()
        .map(|(at, cluster)| (cluster.representative, at))
        .collect();
    for_each_compared(result, |compared| {
        // Of a pair either may lead a cluster; a duplicate never does.
        let turned = Compared {
            lead: compared.other,
            other: compared.lead,
            ..compared
        };
        for compared in [compared, turned] {
            if let Some(&at) = leads.get(&compared.lead) {
                let size = clusters[at].members.len();
                chosen[at].add(result, compared, size);
            }
        }
    })?;
    Ok(chosen.into_iter().map(ClusterChoice::finish).collect())
}

/// Members of one cluster while they are chosen.
#[derive(Default)]
struct ClusterChoice {
    /// The least similar ones, the least first.
    least: Least,
    /// Some of the others, evenly spread.
    spread: Vec<Compared>,
    /// Members that were added so far.
    num_seen: usize,
}

impl ClusterChoice {
    /// Adds a member. Members come in the order of the result, so that taking every n-th
    /// spreads the choice over the cluster.
    fn add(&mut self, result: &FindResult, compared: Compared, size: usize) {
        self.least
            .add(result, compared, MAX_MEMBERS / 2, Lead::Often);
        let step = size.div_ceil(MAX_MEMBERS);
        if self.num_seen.is_multiple_of(step.max(1)) {
            self.spread.push(compared);
        }
        self.num_seen += 1;
    }

    /// The least similar ones, then others, without repetition.
    fn finish(self) -> Vec<Compared> {
        let mut members: Vec<Compared> = self.least.into_vec();
        let mut seen: FixedSet<DocIdx> = members.iter().map(|one| one.other).collect();
        let others = self.spread.into_iter();
        let others = others.filter(|compared| seen.insert(compared.other));
        members.extend(others.take(MAX_MEMBERS - members.len().min(MAX_MEMBERS)));
        members
    }
}

/// How many pairs of one lead are kept.
#[derive(Debug, Clone, Copy)]
enum Lead {
    /// All of them.
    Often,
    /// The least similar one.
    Once,
}

/// The least similar pairs of those that were added.
#[derive(Default)]
struct Least {
    /// The least similar first; never more than were asked for.
    pairs: Vec<(Ratio, Compared)>,
}

impl Least {
    /// Adds a pair if it is among the least similar ones.
    fn add(&mut self, result: &FindResult, compared: Compared, most: usize, lead: Lead) {
        let ratio = compared.similarity(result);
        // Compared as fractions, not as quotients: equal ones are kept in the order of the result.
        let of_lead = |(_, pair): &(Ratio, Compared)| pair.lead == compared.lead;
        if let Lead::Once = lead
            && let Some(at) = self.pairs.iter().position(of_lead)
        {
            let (known, _) = self.pairs[at];
            if known.compare(ratio).is_le() {
                return;
            }
            self.pairs.remove(at);
        }
        let is_before = |&(other, _): &(Ratio, Compared)| other.compare(ratio).is_le();
        let at = self.pairs.partition_point(is_before);
        if at < most {
            self.pairs.insert(at, (ratio, compared));
            self.pairs.truncate(most);
        }
    }

    /// The pairs, the least similar first.
    fn into_vec(self) -> Vec<Compared> {
        self.pairs
            .into_iter()
            .map(|(_, compared)| compared)
            .collect()
    }
}

/// The least similar pairs that count.
fn choose_pairs(result: &FindResult) -> Result<Vec<Compared>> {
    let mut least = Least::default();
    for_each_compared(result, |compared| {
        let ratio = compared.similarity(result);
        // What is only linked does not reach the threshold.
        if ratio.part < ratio.whole && compared.rule != Rule::Linked {
            // A template in many documents would fill all positions with pairs of one kind.
            least.add(result, compared, MAX_PAIRS, Lead::Once);
        }
    })?;
    Ok(least.into_vec())
}

/// Every duplicate with what is kept in its place; every pair where no document is removed.
fn for_each_compared(result: &FindResult, mut visit: impl FnMut(Compared)) -> Result<()> {
    for duplicate in &result.duplicates {
        visit(Compared {
            lead: duplicate.representative,
            other: duplicate.document,
            overlap: duplicate.overlap,
            rule: duplicate.rule,
        });
    }
    if !result.duplicates.is_empty() {
        return Ok(());
    }
    result.for_each_pair(|pair| {
        visit(Compared {
            lead: pair.left,
            other: pair.right,
            overlap: pair.overlap,
            rule: Rule::Similar,
        });
        Ok(())
    })
}
