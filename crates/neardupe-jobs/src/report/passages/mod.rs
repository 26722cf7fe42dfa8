//! The page of `passages`: what was copied, from where to where, side by side.
//!
//! [`PassagesSeen`] takes note of pairs while their tables are written, and
//! [`PassagesReport::collect`] keeps what is shown, so a page is small for any collection: `choose` takes the pairs that are looked at closely, `example` cuts
//! their texts down to the passages with a little around them, `dots` compares their sentences
//! for the plot; `page` writes it all down. The texts are those that the result has; nothing is
//! read again.

mod choose;
mod dots;
mod example;
mod page;
mod sides;

use super::bins::{Doubling, Hundredths};
use super::{BadExample, REPORT, bad_examples};
use crate::passage_tables::PassageCounts;
use choose::{Choice, PairFacts};
use example::{Example, PairExampleMaker};
use neardupe_core::document::DocIdx;
use neardupe_core::error::{Error, Result};
use neardupe_core::passage::PassageKind;
use neardupe_core::pipeline::PassagesResult;
use neardupe_core::pipeline::passages::{PairOfDocuments, PassageTotals};
use neardupe_core::ratio::Ratio;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Sentences of very many documents that are shown.
const MAX_BOILERPLATE: usize = 20;
/// Documents with copies that are shown.
const MAX_COPIED: usize = 20;

/// What is kept of pairs while they go by.
#[derive(Debug, Default)]
pub struct PassagesSeen {
    /// Pairs that may be shown.
    choice: Choice,
    /// Passages by their words.
    lengths: Doubling<1>,
    /// Passages by the resemblance of the words of both sides.
    similarities: Hundredths,
}

impl PassagesSeen {
    /// Takes note of a pair and the kinds of its passages.
    pub fn add(&mut self, pair: &PairOfDocuments, kinds: &[PassageKind]) {
        for passage in &pair.passages {
            self.lengths.add(u64::from(passage.num_words()), [1]);
            let (common, union) = (passage.common.into(), passage.union.into());
            self.similarities.add(Ratio::new(common, union));
        }
        self.choice.add(pair, kinds);
    }
}

/// What the page shows of passages.
#[derive(Debug)]
pub struct PassagesReport {
    /// Whether texts may be shown (`no-text`).
    with_text: bool,
    /// Numbers of the job.
    totals: PassageTotals,
    /// Numbers of the tables.
    counts: PassageCounts,
    /// New documents were compared with old ones.
    is_against: bool,
    /// As in `PassagesSeen`.
    lengths: Doubling<1>,
    similarities: Hundredths,
    /// The pairs with most words in common, near-duplicates not among them.
    pairs: Vec<ListedPair>,
    /// The same of near-duplicates.
    near_duplicates: Vec<ListedPair>,
    /// The pairs that are looked at closely.
    examples: Vec<Example>,
    /// The most frequent ones, the most frequent first.
    boilerplate: Vec<BoilerplateExample>,
    /// Those with the most copies first.
    copied: Vec<Copied>,
    /// The first bad records.
    bad: Vec<BadExample>,
}

/// A document as it is called.
#[derive(Debug, Clone)]
struct Named {
    /// Its id.
    id: String,
    /// One that new ones are compared with.
    is_old: bool,
}

impl Named {
    /// Reads the id of a document, which may be on disk.
    fn new(result: &PassagesResult, document: DocIdx) -> Result<Self> {
        Ok(Named {
            id: result.documents.id(document)?.into_owned(),
            is_old: result.documents.is_old(document),
        })
    }
}

/// A pair in a table.
#[derive(Debug)]
struct ListedPair {
    /// The document on the left; by the order of the input.
    left: Named,
    right: Named,
    /// Its numbers.
    facts: PairFacts,
    /// Place among those that are looked at closely.
    example: Option<usize>,
}

/// A sentence of very many documents.
#[derive(Debug)]
struct BoilerplateExample {
    /// Nothing when no text may be shown.
    text: Option<String>,
    /// In so many documents it is.
    num_documents: u32,
    /// The first document that has it.
    first: Named,
}

/// A document whose text others have too.
#[derive(Debug, Clone)]
struct Copied {
    /// The first document with this text.
    first: DocIdx,
    /// Its id, read only for those that are shown.
    name: Option<Named>,
    /// How many others have the text.
    copies: u64,
}

impl PassagesReport {
    /// Takes from a result what is shown.
    pub fn collect(
        result: &PassagesResult,
        counts: &PassageCounts,
        seen: PassagesSeen,
        with_text: bool,
    ) -> Result<Self> {
        let choice = &seen.choice;
        let chosen = choice.chosen();
        let mut maker = PairExampleMaker::new(result, with_text, chosen.len());
        let examples = chosen.iter().map(|one| maker.example(one));
        let examples = examples.collect::<Result<Vec<_>>>()?;
        let listed = |facts: &PairFacts| {
            Ok(ListedPair {
                left: Named::new(result, facts.left)?,
                right: Named::new(result, facts.right)?,
                facts: *facts,
                // A pair that is also shown side by side is linked from the table.
                example: chosen.iter().position(|one| one.facts == *facts),
            })
        };
        let pairs = choice.listed().into_iter().map(listed);
        let pairs = pairs.collect::<Result<_>>()?;
        let near_duplicates = choice.near_duplicates().map(listed);
        Ok(PassagesReport {
            with_text,
            totals: result.totals,
            counts: counts.clone(),
            is_against: result.num_old_files.is_some(),
            lengths: seen.lengths,
            similarities: seen.similarities,
            pairs,
            near_duplicates: near_duplicates.collect::<Result<_>>()?,
            examples,
            boilerplate: boilerplate(result, with_text)?,
            copied: copied(result)?,
            bad: bad_examples(&result.documents)?,
        })
    }

    /// Writes the page into a folder. The summary is what `summary.json` will hold.
    pub fn write(&self, folder: &Path, summary: &Value) -> Result<()> {
        let path = folder.join(REPORT);
        let page = page::render(self, summary);
        fs::write(&path, page).map_err(|error| Error::io(&path, error))
    }

    /// Documents that were compared with others: all, or the new ones.
    fn num_new(&self) -> u64 {
        self.totals.documents - self.totals.old_documents
    }

    /// All passages.
    fn num_passages(&self) -> u64 {
        self.counts.passages.values().sum()
    }

    /// All pairs, near-duplicates among them.
    fn num_pairs(&self) -> u64 {
        self.counts.pairs.values().sum()
    }
}

/// The most frequent sentences; they come first.
fn boilerplate(
    result: &PassagesResult,
    with_text: bool,
) -> Result<Vec<BoilerplateExample>> {
    let mut shown = Vec::new();
    result.for_each_boilerplate(|one| {
        if shown.len() < MAX_BOILERPLATE {
            shown.push(BoilerplateExample {
                text: with_text.then(|| one.text.clone()),
                num_documents: one.num_documents,
                first: Named::new(result, one.document)?,
            });
        }
        Ok(())
    })?;
    Ok(shown)
}

/// The documents with most copies. Copies of one follow each other.
fn copied(result: &PassagesResult) -> Result<Vec<Copied>> {
    let mut most: Vec<Copied> = Vec::new();
    let mut last: Option<Copied> = None;
    // Sorted only now and then: twice as many are held as are shown, so memory is bounded and
    // sorting rare.
    let mut keep = |one: Option<Copied>| {
        most.extend(one);
        if most.len() >= 2 * MAX_COPIED {
            // Stable: of equal ones the first are kept.
            most.sort_by_key(|one| std::cmp::Reverse(one.copies));
            most.truncate(MAX_COPIED);
        }
    };
    result.for_each_copy(|_, first| {
        match &mut last {
            Some(last) if last.first == first => last.copies += 1,
            other => keep(other.replace(Copied {
                first,
                name: None,
                copies: 1,
            })),
        }
        Ok(())
    })?;
    keep(last);
    most.sort_by_key(|one| std::cmp::Reverse(one.copies));
    most.truncate(MAX_COPIED);
    for one in &mut most {
        one.name = Some(Named::new(result, one.first)?);
    }
    Ok(most)
}
