//! The job of `passages`: every stretch of text that two documents have in common.
//!
//! Texts are read, cut and put away once (`collect`); seeds that several texts have are sorted and
//! numbered (`seed_lists`); each text is then searched for passages with all after it that share
//! seeds (`search`). What is too frequent is not used as a seed: it costs nothing, and is listed.
//! Results depend on the ids of documents and their texts alone.
//!
//! Each part that is read and each window that is searched is entered in the work directory
//! (`saved`), once anything goes there.

mod collect;
mod config;
mod counts;
mod diagonals;
pub mod hits;
mod seed_lists;
mod locate;
mod order;
mod removal;
mod result;
mod saved;
mod search;
mod texts;

pub use config::{Diagonals, IgnoredSeeds, PassageMethod, PassagesConfig};
pub use removal::{KeepOrder, Removal, RemovalConfig, RemovalTotals, Removals};
pub use result::{
    Boilerplate, PairOfDocuments, PairOfTexts, Passage, PassageTotals, PassagesResult,
    TextSide,
};
pub use search::SearchCounts;

use super::documents::Documents;
use super::read::gather::{gather, no_side};
use crate::document::{Progress, Source};
use crate::error::Result;
use crate::store::budget::DOCUMENT_BYTES;
use crate::store::{Rows, WorkDir};
use crate::threads::Pool;
use counts::SharedSeeds;
use order::Order;
use search::SeedSearch;

/// Finds the passages that documents of a source have in common. Everything runs in one pool, the
/// reading too; what comes out does not depend on its threads.
pub fn passages(
    source: &dyn Source,
    config: &PassagesConfig,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<PassagesResult> {
    let pool = Pool::here(config.threads)?;
    let mut collected = collect::collect(source, config, work, progress, &pool)?;
    let num_old_files = collected.num_old_files;
    let searched = pool.install(|| search(&mut collected, config, work, progress))?;
    // Texts, numbers and ranks go on living with the result: places and texts of passages are
    // looked up when they are written.
    let (documents, order, found) = searched;
    let totals = PassageTotals {
        boilerplate: found.frequent.len(),
        ..totals(&documents, &order)
    };
    Ok(PassagesResult {
        documents,
        remarks: std::mem::take(&mut collected.stage.read.remarks),
        parts: std::mem::take(&mut collected.stage.parts),
        num_old_files: config.against.map(|_| num_old_files),
        totals,
        search: found.counts,
        num_windows: found.num_windows,
        spilled: collected.spilled,
        pool,
        texts: collected.texts,
        num_words: collected.num_words,
        order,
        frequent: found.frequent,
        rows: found.rows,
    })
}

/// Everything between reading and writing.
fn search(
    collected: &mut collect::CollectedTexts,
    config: &PassagesConfig,
    work: &WorkDir,
    progress: &dyn Progress,
) -> Result<(Documents, Order, PassagesFound)> {
    progress.begin("gather", 0);
    let num_old_files = collected.num_old_files;
    let stage = &mut collected.stage;
    let documents = gather(stage, &config.budget, work, num_old_files, no_side())?;
    let order = Order::new(config, &documents, collected)?;
    // Taken out, so that the counters can be dropped when the lists of seeds are made.
    let shared_seeds = std::mem::take(&mut collected.shared_seeds);
    let job = Job {
        config,
        order: &order,
        collected,
        work,
        progress,
    };
    let mut found = match &config.method {
        PassageMethod::Seeds => job.by_seeds(&documents, shared_seeds)?,
        PassageMethod::Diagonals(settings) => job.by_diagonals(settings)?,
    };
    // From texts to documents at the end: equal texts were searched once.
    found.rows = order.of_documents(found.rows, config.expand, &config.budget, work)?;
    Ok((documents, order, found))
}

/// What was read, and what it is searched with.
struct Job<'a> {
    config: &'a PassagesConfig,
    order: &'a Order,
    collected: &'a collect::CollectedTexts,
    work: &'a WorkDir,
    progress: &'a dyn Progress,
}

/// What a search found.
struct PassagesFound {
    rows: Rows<search::PassageRow>,
    frequent: Rows<seed_lists::FrequentRow>,
    counts: SearchCounts,
    num_windows: u32,
}

impl Job<'_> {
    fn by_seeds(
        &self,
        documents: &Documents,
        shared: SharedSeeds,
    ) -> Result<PassagesFound> {
        let (config, order, work) = (self.config, self.order, self.work);
        let texts = &self.collected.texts;
        let seeds =
            seed_lists::gather(config, order, texts, &shared, work, self.progress)?;
        // The windows of the search want this memory.
        drop(shared);
        let search = SeedSearch {
            config,
            order,
            texts,
            seeds: &seeds,
            work,
            progress: self.progress,
            held: u64::from(documents.len()) * DOCUMENT_BYTES + self.collected.held,
            saves: self.collected.is_entered,
        };
        let (rows, counts, num_windows) = search.run()?;
        Ok(PassagesFound {
            rows,
            counts: SearchCounts {
                seeds: u64::from(seeds.num_seeds),
                frequent_runs: seeds.num_frequent_runs,
                ..counts
            },
            num_windows,
            frequent: seeds.frequent,
        })
    }

    fn by_diagonals(&self, settings: &Diagonals) -> Result<PassagesFound> {
        let search = diagonals::DiagonalSearch {
            config: self.config,
            settings,
            order: self.order,
            texts: &self.collected.texts,
            work: self.work,
            progress: self.progress,
        };
        let found = search.run()?;
        Ok(PassagesFound {
            rows: found.rows,
            frequent: found.frequent,
            counts: SearchCounts {
                sentences: Some(found.counts),
                ..SearchCounts::default()
            },
            // It sorts instead of holding lists, so it has no windows.
            num_windows: 1,
        })
    }
}

/// What can be counted before the result is read.
fn totals(documents: &Documents, order: &Order) -> PassageTotals {
    let files = documents.files();
    let empty = documents
        .all()
        .filter(|&document| documents.set(document).is_none());
    let empty = empty.count() as u64;
    PassageTotals {
        records: files.iter().map(|file| file.records).sum(),
        documents: u64::from(documents.len()),
        old_documents: u64::from(documents.num_old()),
        bad_records: documents.num_bad_records(),
        skipped_records: files.iter().map(|file| file.skipped).sum(),
        bytes: files.iter().map(|file| file.bytes).sum(),
        empty,
        // Every document has no word, or is the first with its text, or is a copy.
        copies: u64::from(documents.len()) - empty - u64::from(order.len()),
        boilerplate: 0,
    }
}

#[cfg(test)]
mod tests;
