//! What is looked at closely: the largest clusters, and the pairs that are least similar of
//! all that count, where a threshold shows what it does.
//!
//! Their texts are read again from the input, for a bounded share of it; what cannot be had
//! for that (or any more, as from standard input) is shown by its first words alone.

use super::ReportOptions;
use crate::diff::{Diff, Limits, clean, render_rows};
use crate::summary::largest_clusters;
use neardupe_core::document::{DocIdx, Position, Progress, Source};
use neardupe_core::error::Result;
use neardupe_core::hash::{FixedMap, FixedSet};
use neardupe_core::pipeline::{Cluster, FindResult, Rule};
use neardupe_io::source::{Bounds, Excerpt, FileSource};
use std::time::Duration;

/// Clusters that are shown.
const MAX_CLUSTERS: usize = 20;
/// Members of a cluster that are shown besides the representative.
const MAX_MEMBERS: usize = 6;
/// Pairs that are shown.
const MAX_PAIRS: usize = 12;
/// Bytes of text in a diff, and in all diffs: escaped they are more, and a page is to stay
/// below 2 MB.
const DIFF_BYTES: usize = 8 << 10;
const ALL_DIFF_BYTES: usize = 448 << 10;
/// Bytes of the input that are read again at least, and the share of it beyond that.
const MIN_BYTES: u64 = 64 << 20;
const SHARE: u64 = 16;
/// Equal words around a difference.
const CONTEXT: usize = 12;
/// What a diff may cost.
const LIMITS: Limits = Limits {
    max_words: 3000,
    deadline: Duration::from_millis(200),
};

/// What is looked at closely.
#[derive(Debug, Default)]
pub(super) struct Examples {
    pub(super) clusters: Vec<ClusterExample>,
    pub(super) pairs: Vec<PairExample>,
}

/// A document as it is shown.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) id: String,
    pub(super) preview: String,
    pub(super) chars: u64,
    /// One that new ones are compared with.
    pub(super) is_old: bool,
}

/// A cluster.
#[derive(Debug)]
pub(super) struct ClusterExample {
    pub(super) lead: Shown,
    pub(super) size: u64,
    pub(super) members: Vec<MemberExample>,
}

/// A member of a cluster, compared with the representative.
#[derive(Debug)]
pub(super) struct MemberExample {
    pub(super) document: Shown,
    /// Part and whole.
    pub(super) similarity: (u64, u64),
    pub(super) difference: Difference,
}

/// Two documents.
#[derive(Debug)]
pub(super) struct PairExample {
    pub(super) left: Shown,
    pub(super) right: Shown,
    pub(super) similarity: (u64, u64),
    pub(super) difference: Difference,
}

/// How two documents differ.
#[derive(Debug)]
pub(super) enum Difference {
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
    lead: DocIdx,
    other: DocIdx,
    overlap: u32,
    rule: Rule,
}

impl Compared {
    /// How similar they are, as part and whole.
    fn similarity(&self, result: &FindResult) -> (u64, u64) {
        let (size, other) = result.documents.sizes(self.lead, self.other);
        result.similarity.ratio(self.overlap, size, other).parts()
    }
}

impl Examples {
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
        let texts = match options.with_text {
            true => Texts::read(result, source, all.copied(), options.threads, progress)?,
            false => Texts::default(),
        };
        let mut maker = Maker {
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
struct Maker<'a> {
    result: &'a FindResult,
    texts: Texts,
    with_text: bool,
    left_bytes: usize,
}

impl Maker<'_> {
    fn shown(&self, document: DocIdx) -> Result<Shown> {
        let documents = &self.result.documents;
        Ok(Shown {
            id: documents.id(document)?.into_owned(),
            preview: match self.with_text {
                true => clean(&documents.preview(document)?),
                false => String::new(),
            },
            chars: u64::from(documents.chars(document)),
            is_old: documents.is_old(document),
        })
    }

    fn difference(&mut self, compared: &Compared) -> Difference {
        if compared.rule == Rule::EqualText {
            return Difference::EqualText;
        }
        let texts = self
            .texts
            .of(compared.lead)
            .zip(self.texts.of(compared.other));
        let Some((left, right)) = texts.filter(|_| self.left_bytes > 0) else {
            return Difference::Left;
        };
        if left.hash == right.hash {
            return Difference::EqualText;
        }
        let diff = Diff::new(&left.text, &right.text, &LIMITS);
        let mut html = Vec::new();
        let most = DIFF_BYTES.min(self.left_bytes);
        // Writing to memory cannot fail.
        let is_all = render_rows(&diff, CONTEXT, most, &mut html).unwrap_or(false);
        self.left_bytes = self.left_bytes.saturating_sub(html.len() / 2);
        Difference::Rows {
            html: String::from_utf8_lossy(&html).into_owned(),
            is_all: is_all && diff.complete && left.is_whole && right.is_whole,
        }
    }
}

/// Texts that were read again.
#[derive(Debug, Default)]
struct Texts {
    places: FixedMap<DocIdx, Position>,
    texts: FixedMap<Position, Excerpt>,
}

impl Texts {
    fn read(
        result: &FindResult,
        source: &FileSource,
        compared: impl Iterator<Item = Compared>,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mut places = FixedMap::default();
        let mut wanted = Vec::new();
        for compared in compared.filter(|it| it.rule != Rule::EqualText) {
            for document in [compared.lead, compared.other] {
                if !places.contains_key(&document) {
                    let place = result.documents.position(document)?;
                    places.insert(document, place);
                    wanted.push(place);
                }
            }
        }
        let bounds = Bounds {
            read_bytes: MIN_BYTES.max(source.total_bytes() / SHARE),
            // Few are wanted.
            held_bytes: usize::MAX,
        };
        let texts = source.texts_at(&wanted, bounds, threads, progress)?;
        let mut texts = Texts { places, texts };
        texts.drop_changed(result)?;
        Ok(texts)
    }

    /// A file that changed meanwhile holds other texts than those that were compared.
    fn drop_changed(&mut self, result: &FindResult) -> Result<()> {
        for (&document, place) in &self.places {
            if let Some(text) = self.texts.get(place)
                && text.hash != result.documents.text_hash(document)?
            {
                self.texts.remove(place);
            }
        }
        Ok(())
    }

    fn of(&self, document: DocIdx) -> Option<&Excerpt> {
        self.texts.get(self.places.get(&document)?)
    }
}

/// Of each cluster the members that are shown: those least similar to the representative,
/// and some more spread over the cluster.
fn choose_members(
    result: &FindResult,
    clusters: &[Cluster],
) -> Result<Vec<Vec<Compared>>> {
    let mut chosen: Vec<Chosen> = clusters.iter().map(|_| Chosen::default()).collect();
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
    Ok(chosen.into_iter().map(Chosen::finish).collect())
}

/// Members of one cluster while they are chosen.
#[derive(Default)]
struct Chosen {
    /// The least similar ones, the least first.
    least: Least,
    /// Some of the others, evenly spread.
    spread: Vec<Compared>,
    num_seen: usize,
}

impl Chosen {
    fn add(&mut self, result: &FindResult, compared: Compared, size: usize) {
        self.least
            .add(result, compared, MAX_MEMBERS / 2, Lead::Often);
        let step = size.div_ceil(MAX_MEMBERS);
        if self.num_seen.is_multiple_of(step.max(1)) {
            self.spread.push(compared);
        }
        self.num_seen += 1;
    }

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
    pairs: Vec<((u64, u64), Compared)>,
}

impl Least {
    fn add(&mut self, result: &FindResult, compared: Compared, most: usize, lead: Lead) {
        let ratio = compared.similarity(result);
        // As fractions, exactly; of equal ones the first stays first.
        let product =
            |one: (u64, u64), other: (u64, u64)| u128::from(one.0) * u128::from(other.1);
        let of_lead = |(_, pair): &((u64, u64), Compared)| pair.lead == compared.lead;
        if let Lead::Once = lead
            && let Some(at) = self.pairs.iter().position(of_lead)
        {
            let (known, _) = self.pairs[at];
            if product(known, ratio) <= product(ratio, known) {
                return;
            }
            self.pairs.remove(at);
        }
        let place = self.pairs.partition_point(|&(other, _)| {
            product(other, ratio) <= product(ratio, other)
        });
        if place < most {
            self.pairs.insert(place, (ratio, compared));
            self.pairs.truncate(most);
        }
    }

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
        let (part, whole) = compared.similarity(result);
        // What is only linked does not reach the threshold.
        if part < whole && compared.rule != Rule::Linked {
            // A template in many documents would fill all places with pairs of one kind.
            least.add(result, compared, MAX_PAIRS, Lead::Once);
        }
    })?;
    Ok(least.into_vec())
}

/// Every duplicate with what is kept in its place; every pair where nothing is removed.
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
