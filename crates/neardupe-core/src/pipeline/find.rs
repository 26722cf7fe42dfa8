//! The main job: near-duplicates of a collection.
//!
//! The stages one after the other, each with what the one before has left. A stage that is done is in the manifest of
//! the work directory and is not done again; which results a job has does not depend on where it was interrupted.

use super::assemble::field_values::count_numbers;
use super::compare_filters::compare_filters;
use super::config::FindConfig;
use super::join::join;
use super::method::MadeKeys;
use super::rank::context::RankContext;
use super::rank::open_sets;
use super::rank::recall::measure_recall;
use super::read::documents::Documents;
use super::read::gather::gather;
use super::read::parts::{ReadStage, read};
use super::result::{FindResult, Totals};
use crate::document::{Progress, Source, num_old_files};
use crate::error::{Error, Result};
use crate::signature::{CodeSpec, read_weight};
use crate::store::WorkDir;
use crate::threads::with_threads;

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
        let side = config.side();
        let documents = gather(&mut stage, &config.budget, work, num_old_files, side)?;
        // Every record is either a document or a bad record: a job that lost one must not end as if it had not.
        let totals = totals(&documents, &stage);
        let accounted = totals.documents + totals.bad_records;
        if accounted != totals.records {
            return Err(Error::Internal(format!(
                "{} records read but {accounted} accounted for",
                totals.records
            )));
        }
        let context = RankContext {
            config,
            documents: &documents,
            sets: documents.set_table(),
            work,
            progress,
            spilled: stage.spilled,
        };
        let (num_sets, _) = documents.set_table().totals();
        // Before the sets are taken apart: both look at samples of all of them.
        let recall = match config.keys(num_sets) {
            Some(_) if !config.method.can_be_measured() => None,
            Some(keys) => Some(measure_recall(&context, &stage.chunks, &*keys)?),
            None if config.filters.signature.is_some() => {
                let lexicons = config.lexicons.as_ref();
                let keys = MadeKeys(lexicons.map_or(0, |lexicons| lexicons.num_keys()));
                Some(measure_recall(&context, &stage.chunks, &keys)?)
            }
            None => None,
        };
        let filters = match config.compare_filters {
            None => None,
            Some(asked) => Some(compare_filters(context, &stage.chunks, asked)?),
        };
        // Chunks are given away: their memory becomes that of the open sets.
        let mut open = open_sets(&context, std::mem::take(&mut stage.chunks))?;
        // From here on sizes depend on pairs; until now each set was looked at with its own.
        if config.sampling.adaptive.is_some() {
            let sets = documents.set_table();
            open.measure_in_levels(|set| sets.levels(set));
        }
        // Most features of sets that may contain others are looked up by nobody.
        if config.looks_for_larger_only() {
            let (filters, bounds) = (config.filters, config.bounds());
            open.list_wanted_only(|size| filters.prefix_len_for_larger(bounds, size))?;
        }
        let found = join(config, &documents, &open, &stage, work, progress)?;
        let mut totals = totals;
        totals.rules = found.rules;
        totals.duplicates = found.duplicates.len() as u64;
        totals.clusters = found.num_clusters;
        totals.pairs = found.pairs.len();
        let codes = config.made_codes();
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
            priority_ranks: found.priority_ranks,
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

/// What is known before the join.
fn totals(documents: &Documents, stage: &ReadStage) -> Totals {
    let files = documents.files();
    let empty = documents
        .all()
        .filter(|&document| documents.set(document).is_none());
    let shorter = documents
        .all()
        .filter(|&document| documents.is_shorter(document));
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
