//! Near-duplicates from one of four places.

use super::values::Millionths;
use crate::exec::Exec;
use crate::kind::find::{
    FindJob, FindSpec, idle_hashes, idle_options, shared_main_warning,
};
use crate::param::{ParamValue, Params, Within};
use crate::spec::{
    FeaturesSpec, LimitsSpec, ReadingSpec, RecordSpec, SeedSpec, TextSpec, WordsSpec,
};
use crate::trec::{
    BadLines, Ids, NamedDocuments, NearFile, near_of_collection, read_groups, read_pairs,
    read_result,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureKind;
use neardupe_core::hash::FeatureHash;
use neardupe_core::pipeline::{ClusterMode, PairsMode, find_in};
use neardupe_core::store::WorkDir;
use neardupe_io::output::beside;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

crate::params! {
    /// Where near-duplicates come from: one of four.
    pub struct TrecNearSpec {
        [
            words: WordsSpec,
            text: TextSpec,
            record: RecordSpec,
            seed: SeedSpec,
            limits: LimitsSpec,
        ]
        /// File of groups, JSON lines {"ids": [...]}: documents of a group are near-duplicates of
        /// each other, at every threshold
        groups: PathBuf => value("FILE").heading("Near-duplicates");
        /// File of pairs with left, right and similarity: JSON lines, TSV, CSV or Parquet
        pairs: PathBuf => value("FILE").heading("Near-duplicates");
        /// Folder that `find` wrote: its pairs with `pairs all`, else its clusters as groups
        result: PathBuf => value("DIR").heading("Near-duplicates");
        /// The documents themselves (files, folders or globs); only those that are needed are
        /// compared, all pairs of them
        collection: Vec<String> => value("INPUT").list().heading("Near-duplicates");
        /// With `collection`: words:N, chars:N, terms or spotsigs [default: chars:64]
        features: FeatureKind => value("KIND");
        /// With `collection`, how features become numbers: multilinear (of the hashes of words), or the hash of
        /// their text: xxh3, rabin64, md5; slower, to reproduce other systems [default: multilinear]
        hash: FeatureHash => value("HASH");
    }
}

/// The place, among the options of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecNearOptions {
    /// The documents themselves.
    pub collection: Vec<String>,
    /// A file of groups.
    pub groups: Option<PathBuf>,
    /// A file of pairs.
    pub pairs: Option<PathBuf>,
    /// A result of `find`.
    pub result: Option<PathBuf>,
}

/// The place that near-duplicates are read from.
pub(super) struct NearPlace {
    /// What was asked for, with everything that was left open filled in.
    pub(super) spec: TrecNearSpec,
    /// Parameters of reading that were given.
    given: BTreeSet<String>,
    /// Compares the documents of a collection.
    job: Option<Box<FindJob>>,
    /// Threads at work.
    pub(super) threads: usize,
}

impl TrecNearSpec {
    /// How the documents of a collection are read.
    fn reading(&self) -> ReadingSpec {
        ReadingSpec {
            features: FeaturesSpec {
                features: self.features,
                hash: self.hash,
            },
            words: self.words.clone(),
            text: self.text.clone(),
            record: self.record.clone(),
            seed: self.seed.clone(),
            limits: self.limits.clone(),
        }
    }

    /// The place; a collection is compared from `lowest` up. None and several are refused.
    pub(super) fn validate(self, lowest: u32) -> Result<NearPlace> {
        // An empty list is the same as no list: a configuration may have one.
        let collection = self.collection.clone().unwrap_or_default();
        let given = [
            self.groups.is_some(),
            self.pairs.is_some(),
            self.result.is_some(),
            !collection.is_empty(),
        ];
        match given.iter().filter(|&&it| it).count() {
            1 => {}
            0 => {
                let message = "say where near-duplicates come from: `groups FILE`, `pairs \
                               FILE`, `result DIR` or `collection INPUT`";
                return Err(Error::config("groups", message));
            }
            _ => {
                let message = "near-duplicates come from one place: give only one of \
                               `groups`, `pairs`, `result` and `collection`";
                return Err(Error::config("groups", message));
            }
        }
        let reading = self.reading();
        let given: BTreeSet<String> = reading.to_map().keys().cloned().collect();
        if collection.is_empty() {
            // Threads are used for reading runs as well.
            if let Some(name) = given.iter().find(|name| *name != "threads") {
                let message = "needs `collection`: no text is read without it";
                return Err(Error::config(name, message));
            }
            let threads = match self.limits.threads {
                None => std::thread::available_parallelism().map_or(1, usize::from),
                Some(threads) => threads.usize(),
            };
            let limits = LimitsSpec {
                threads: Some(Within(threads as u64)),
            };
            return Ok(NearPlace {
                spec: TrecNearSpec { limits, ..self },
                given,
                job: None,
                threads,
            });
        }
        // The description of a job of `find` is validated here, so its rules hold for this
        // place, too.
        let job = pairs_spec(reading, collection, lowest)?.validate()?;
        let used = &job.spec.reading;
        let spec = TrecNearSpec {
            words: used.words.clone(),
            text: used.text.clone(),
            record: used.record.clone(),
            seed: used.seed.clone(),
            limits: used.limits.clone(),
            features: used.features.features,
            hash: used.features.hash,
            ..self
        };
        Ok(NearPlace {
            spec,
            given,
            threads: job.config.threads,
            job: Some(Box::new(job)),
        })
    }
}

/// All pairs of some documents of a collection, as the waterloo thesis compares them unless something else is
/// asked for.
fn pairs_spec(
    mut reading: ReadingSpec,
    collection: Vec<String>,
    lowest: u32,
) -> Result<FindSpec> {
    let features = &mut reading.features.features;
    *features = Some(features.map_or_else(|| "chars:64".parse(), Ok)?);
    let mut spec = FindSpec {
        reading,
        ..FindSpec::default()
    };
    spec.input.inputs = Some(collection);
    // As text, so that the same parser reads it as from the command line.
    let lowest = Millionths(lowest).to_json();
    spec.set("threshold", &lowest)?;
    spec.cluster.cluster = Some(ClusterMode::None);
    spec.cluster.pairs = Some(PairsMode::All);
    Ok(spec)
}

impl NearPlace {
    /// Reads near-duplicates.
    pub(super) fn read(
        &mut self,
        ids: &mut Ids,
        bad: &mut BadLines,
        exec: &Exec<'_>,
        output: Option<&Path>,
        warnings: &mut Vec<String>,
    ) -> Result<NearFile> {
        if let Some(path) = &self.spec.groups {
            return read_groups(path, ids, bad);
        }
        if let Some(path) = &self.spec.pairs {
            return read_pairs(path, ids, bad);
        }
        if let Some(path) = &self.spec.result {
            return read_result(path, ids);
        }
        self.compare(ids, bad, exec, output, warnings)
    }

    /// Compares the wanted documents of the collection, all pairs of them, by a job of `find`
    /// in a work directory of its own. Its result is read and removed. Warnings are about
    /// given parameters only: defaults are not worth one.
    fn compare(
        &mut self,
        ids: &mut Ids,
        bad: &mut BadLines,
        exec: &Exec<'_>,
        output: Option<&Path>,
        warnings: &mut Vec<String>,
    ) -> Result<NearFile> {
        let job = self.job.as_mut();
        let job =
            job.ok_or_else(|| Error::Internal("no place of near-duplicates".to_owned()))?;
        let files = job.discover()?.files;
        let source = job.open(files, exec.progress)?;
        warnings.extend(job.passed_over());
        warnings.extend(shared_main_warning(job));
        let (work, _) = WorkDir::begin(work_dir(output), Default::default())?;
        let (result, others) = {
            let wanted = NamedDocuments::new(&source, &ids.documents);
            let result = find_in(&wanted, &job.config, &work, exec.progress)?;
            (result, wanted.others())
        };
        let threshold = job.config.threshold.ratio();
        let near = near_of_collection(&result, others, threshold, ids, bad)?;
        // The result has files of the work directory open.
        drop(result);
        work.finish()?;
        let mut idle = idle_options(job);
        idle.retain(|message| {
            let rest = message.trim_start_matches('`');
            let name = rest.split(['`', ' ']).next().unwrap_or_default();
            self.given.contains(name)
        });
        warnings.extend(idle);
        warnings.extend(idle_hashes(job));
        Ok(near)
    }

    /// What was read, as given.
    pub(super) fn origin(&self) -> String {
        let spec = &self.spec;
        let files = [&spec.groups, &spec.pairs, &spec.result];
        match files.into_iter().flatten().next() {
            Some(path) => path.display().to_string(),
            None => spec.collection.clone().unwrap_or_default().join(" "),
        }
    }

    /// As shown among the options of the summary.
    pub(super) fn options(&self) -> TrecNearOptions {
        let spec = &self.spec;
        TrecNearOptions {
            collection: spec.collection.clone().unwrap_or_default(),
            groups: spec.groups.clone(),
            pairs: spec.pairs.clone(),
            result: spec.result.clone(),
        }
    }
}

/// Where documents are compared: beside the output, or among temporary files, where each job of a process has
/// its own.
fn work_dir(output: Option<&Path>) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    match output {
        Some(output) => beside(output, "work"),
        None => {
            // A process may run several jobs at once, as a service does.
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("neardupe-trec-{}-{number}", std::process::id());
            beside(&std::env::temp_dir().join(name), "work")
        }
    }
}
