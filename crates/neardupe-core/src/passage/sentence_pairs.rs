//! Sentences that match, and the diagonals they form: the method of the pdc-mr paper, in the
//! form of sorted rows (sections 4.2 and 4.3).
//!
//! The paper's Algorithm 1 emits a pair of sentences for each feature that they share. Here
//! equal signatures are one set, sets are joined once by the exact join, and pairs of sets
//! are expanded to pairs of sentences: the same pairs, each once. The paper prints `< tau`
//! where a pair is emitted; pairs at or above tau are meant.
//!
//! The flow: sentences are gathered ([`Sentences`]) and sorted by signature; a first pass over
//! the groups pairs equal sentences and sorts out frequent ones; the join finds pairs of similar
//! sets; a second pass over the groups gives their sentences; the sorted pairs are followed along
//! diagonals. [`matrix`](super::matrix) is the slow twin of the whole.
//!
//! What grows with the number of different sentences is held in about 30 bytes for each that
//! can have a partner, and a bit for each other one; all else is sorted in the work
//! directory when it does not fit. Work is done by the threads of the caller's pool, and no
//! result depends on their number.

use super::diagonals::{Diagonal, DiagonalLines};
use super::expand::{Matches, SetPairs};
use super::groups::{SignatureGroup, SignatureGroups};
use super::sentences::{Gathered, SentenceRow, Sentences};
use super::set_join::{Bits, SetJoin};
use super::ticker::Ticker;
use crate::candidate::ledger::Ledger;
use crate::document::Progress;
use crate::error::Result;
use crate::numbers::{fits, saturated};
use crate::store::{Budget, Rows, Sorter, WorkDir};
use crate::threshold::Threshold;
use bytemuck::{Pod, Zeroable};

/// When two sentences match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// When the resemblance of their features is at least this.
    Resemblance(Threshold),
    /// When they have a feature in common: keys of I-Match.
    SharedKey,
}

/// The settings of a search for diagonals.
#[derive(Debug, Clone, Copy)]
pub struct DiagonalConfig {
    /// When sentences match.
    pub matching: Matching,
    /// A diagonal has more sentences than this.
    pub gamma: u32,
    /// Whether sentences of one document are compared with each other.
    pub within_document: bool,
    /// A sentence in more documents than this takes no part; without it all do.
    pub max_documents: Option<u32>,
    /// A sentence that occurs more often than this takes no part: one that stands hundreds
    /// of times in each of a few documents costs as much as one in thousands of documents.
    pub max_sentences: Option<u32>,
    /// Documents with smaller numbers are old: they are not compared with each other. 0 when
    /// there are none.
    pub num_old: u32,
    /// The memory that may be held; no result depends on it.
    pub budget: Budget,
}

/// A signature that took no part because it is too frequent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct FrequentSentence {
    /// The first document that has it.
    pub document: u32,
    /// The first sentence of that document that has it.
    pub sentence: u32,
    /// Number of documents that have it.
    pub num_documents: u32,
    /// Number of sentences that have it.
    pub num_sentences: u32,
}

/// Numbers of sentences, signatures and matches, for the summary of a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SentenceCounts {
    /// Sentences with a signature.
    pub signed: u64,
    /// Sentences without one: they match nothing.
    pub unsigned: u64,
    /// Features of all sentences, the different ones of each: shingles, keys, spot signatures.
    pub features: u64,
    /// Different signatures; keys where sentences match by keys.
    pub signatures: u64,
    /// Signatures that took no part because they are too frequent.
    pub frequent: u64,
    /// Pairs of different signatures that match.
    pub signature_pairs: u64,
    /// Pairs of sentences that match.
    pub sentence_pairs: u64,
    /// Diagonals that are long enough.
    pub diagonals: u64,
}

/// The result of a search for diagonals.
#[derive(Debug)]
pub struct Diagonals {
    /// The diagonals in order.
    pub diagonals: Rows<Diagonal>,
    /// Numbers of sentences, signatures and matches.
    pub counts: SentenceCounts,
    /// How many candidates the join of signatures looked at, filter by filter.
    pub ledger: Ledger,
    frequent: Rows<FrequentSentence>,
}

impl Diagonals {
    /// Calls `visit` with each frequent signature, in the order of their first sentences. Of
    /// several keys that begin at one sentence the most frequent one is reported.
    pub fn for_each_frequent(
        &self,
        mut visit: impl FnMut(FrequentSentence) -> Result<()>,
    ) -> Result<()> {
        let mut last: Option<FrequentSentence> = None;
        self.frequent.for_each(|next| {
            let place = |one: FrequentSentence| (one.document, one.sentence);
            // Rows come by place and then by number of documents, so the last row of a
            // place has the most frequent key. A row is given when the next one shows
            // that it was the last.
            match last.replace(next) {
                Some(before) if place(before) != place(next) => visit(before),
                _ => Ok(()),
            }
        })?;
        last.map_or(Ok(()), visit)
    }
}

/// Finds the diagonals of all sentences that were gathered. All collectors must have
/// [finished](super::sentences::SentenceCollector::finish). Fails when a work file cannot be
/// written or read, or when the job is cancelled.
pub fn find_diagonals(
    sentences: Sentences<'_>,
    progress: &dyn Progress,
) -> Result<Diagonals> {
    let (config, work) = (sentences.config, sentences.work);
    progress.begin("sort", 0);
    let gathered = sentences.finish()?;
    let mut finder = Finder {
        config,
        work,
        progress,
        matches: Matches::new(&config, work, progress),
        ledger: Ledger::default(),
        counts: SentenceCounts {
            signed: gathered.num_signed,
            unsigned: gathered.num_unsigned,
            features: gathered.num_features,
            ..SentenceCounts::default()
        },
    };
    let (taking_part, frequent) = finder.equal(&gathered)?;
    // With keys, or when tau is 1, equal signatures are all that match: no set was put away.
    if let Matching::Resemblance(tau) = config.matching
        && gathered.num_sets > 0
    {
        finder.similar(tau, gathered, &taking_part)?;
    } else {
        drop(gathered);
    }
    finder.diagonals(frequent)
}

/// Finds diagonals, step by step.
struct Finder<'w> {
    config: DiagonalConfig,
    work: &'w WorkDir,
    progress: &'w dyn Progress,
    matches: Matches<'w>,
    counts: SentenceCounts,
    ledger: Ledger,
}

impl Finder<'_> {
    /// Sentences with equal signatures match. The sets that take part in what follows, and
    /// the signatures that do not.
    fn equal(&mut self, gathered: &Gathered) -> Result<(Bits, Rows<FrequentSentence>)> {
        let bytes = self.config.budget.rows / 8;
        let mut frequent = Sorter::new(self.work, "frequent", bytes);
        let mut taking_part = Bits::new(gathered.num_sets);
        self.progress.begin("group", gathered.rows.len());
        let (counts, matches) = (&mut self.counts, &mut self.matches);
        for_each_group(gathered, &self.config, self.progress, |group| {
            counts.signatures += 1;
            if group.is_frequent {
                // Its sentences pair with nothing, and its set is not joined
                // either: it is missing in `taking_part`.
                counts.frequent += 1;
                return frequent.push(reported(group));
            }
            // Where a set was put away more than once, the other numbers stay unset, so
            // that the join meets each set once.
            if let Some(set) = group.set {
                taking_part.set(set);
            }
            matches.equal(group.places)
        })?;
        Ok((taking_part, frequent.finish()?))
    }

    /// Sentences with similar signatures match.
    fn similar(
        &mut self,
        tau: Threshold,
        mut gathered: Gathered,
        taking_part: &Bits,
    ) -> Result<()> {
        let join = SetJoin {
            tau,
            wanted: taking_part,
            budget: &self.config.budget,
            held: held(&gathered, &self.matches, &self.config.budget),
            work: self.work,
            progress: self.progress,
        };
        // Features are needed until sets are selected; rows of sentences again after the
        // join.
        let kept = join.kept(std::mem::take(&mut gathered.chunks), gathered.spilled)?;
        self.ledger.sets = self.counts.signatures - self.counts.frequent;
        self.ledger.without_partner = self.ledger.sets - u64::from(kept.len());
        let mut pairs = SetPairs::new(&self.config, self.work);
        // Which sets have a partner, and on which side: only their sentences are sorted
        // again.
        let mut is_left = Bits::new(gathered.num_sets);
        let mut is_right = is_left.clone();
        let counts = &mut self.counts;
        let probed = join.pairs(&kept, |left, right| {
            let (left, right) = (left.get(), right.get());
            is_left.set(left);
            is_right.set(right);
            counts.signature_pairs += 1;
            pairs.pair(left, right)
        })?;
        self.ledger.add(&probed);
        drop(kept);
        self.progress.begin("expand", gathered.rows.len());
        for_each_group(&gathered, &self.config, self.progress, |group| {
            let Some(set) = group.set else { return Ok(()) };
            if is_left.get(set) {
                pairs.left_places(set, group.places)?;
            }
            if is_right.get(set) {
                pairs.right_places(set, group.places)?;
            }
            Ok(())
        })?;
        drop(gathered);
        pairs.expand(&mut self.matches)
    }

    /// The last step: follows the sorted pairs of sentences along diagonals.
    fn diagonals(mut self, frequent: Rows<FrequentSentence>) -> Result<Diagonals> {
        let matches = self.matches.finish()?;
        self.progress.begin("diagonals", matches.len());
        // Diagonals come by documents and lines; results are by documents and left
        // sentences.
        let mut found = Sorter::new(self.work, "diagonals", self.config.budget.rows);
        let gamma = self.config.gamma;
        let mut lines = DiagonalLines::new(gamma, |one| found.push(one));
        let mut ticker = Ticker::reporting(self.progress);
        matches.for_each(|row| {
            ticker.tick()?;
            lines.row(row)
        })?;
        let num_pairs = lines.finish()?;
        drop(matches);
        let diagonals = found.finish()?;
        self.counts.sentence_pairs = num_pairs;
        self.counts.diagonals = diagonals.len();
        Ok(Diagonals {
            diagonals,
            counts: self.counts,
            ledger: self.ledger,
            frequent,
        })
    }
}

/// What the sorters of sentences, matches and pairs of sets can hold while sets are joined. A
/// sorter never holds more than its share of the budget, and no more than its rows; pairs of sets
/// are not known yet and count with all of theirs.
fn held(gathered: &Gathered, matches: &Matches<'_>, budget: &Budget) -> u64 {
    let sentences = gathered.rows.len() * size_of::<SentenceRow>() as u64;
    sentences.min(budget.rows) + matches.bytes().min(budget.rows) + budget.rows / 2
}

/// Calls `visit` with each signature and its sentences, in the order of signatures. Called twice;
/// each call reads all rows once.
fn for_each_group(
    gathered: &Gathered,
    config: &DiagonalConfig,
    progress: &dyn Progress,
    visit: impl FnMut(&SignatureGroup<'_>) -> Result<()>,
) -> Result<()> {
    let mut groups = SignatureGroups::new(config, visit);
    let mut ticker = Ticker::reporting(progress);
    gathered.rows.for_each(|row| {
        ticker.tick()?;
        groups.row(row)
    })?;
    groups.close()
}

/// The row that reports a frequent group.
fn reported(group: &SignatureGroup<'_>) -> FrequentSentence {
    // Documents fit. Sentences are only reported: a list in very many documents may exceed the
    // number, and the largest one says enough.
    FrequentSentence {
        document: group.first.document,
        sentence: group.first.sentence,
        num_documents: fits(group.num_documents),
        num_sentences: saturated(group.num_sentences),
    }
}

#[cfg(test)]
#[path = "sentence_pairs_tests.rs"]
mod tests;
