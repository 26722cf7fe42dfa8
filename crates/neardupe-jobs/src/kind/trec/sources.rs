//! `trec sources`: why the near-duplicates that runs return together are near-duplicates.

use super::facts::{
    PROGRAM, TrecBadFacts, TrecOutcome, TrecRunFacts, VERSION, allowed, bad_lines,
    completed_tolerance, run_facts,
};
use super::matching::{FileMatching, TrecMatching};
use super::values::needed_runs;
use crate::causes::{Options, Sorted, sort};
use crate::exec::Exec;
use crate::kind::find::all_options;
use crate::kind::sources::originals;
use crate::kind::stored;
use crate::param::{Within, required};
use crate::spec::{LimitsSpec, ToleranceSpec};
use crate::trec::{BadLines, Ids, read_runs};
use neardupe_core::error::Result;
use neardupe_core::trec::Together;
use neardupe_io::output::table::Table;
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::result::ResultReader;
use neardupe_io::tables::{RunPairSourceRow, SourcesOfRuns};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

crate::params! {
    /// Why the near-duplicates that runs return together are near-duplicates.
    pub struct TrecSourcesSpec {
        [ limits: LimitsSpec, tolerance: ToleranceSpec ]
        /// Runs, or folders of them: topic Q0 document rank score tag
        runs: Vec<PathBuf> => value("RUN").positional().required();
        /// Folder that `find` or `dedup` wrote; one with `pairs all` has all pairs, others have
        /// duplicates with the document that is kept
        result: PathBuf => value("DIR").required();
        /// How many of the first results of a run-topic are looked at [default: 1000]
        depth: Within<1, 1_000_000_000> => value("N");
        /// Pairs whose texts are compared, at most; 0 for none. Others are estimated from them
        /// [default: 10000]
        sample: Within<0, 10_000_000> => value("N");
        /// Where the documents are now [default: the inputs of the result]
        input: Vec<String> => value("INPUT").list();
        /// Folder for the kind of each pair and the summary; replaced only if it is of neardupe
        output: PathBuf => value("DIR").short('o').free();
    }
}

/// Which runs and which result are looked at.
pub struct TrecSourcesJob {
    /// As typed: files and folders.
    runs: Vec<PathBuf>,
    /// The result whose pairs are sorted.
    result: PathBuf,
    /// Results of a run-topic that are looked at.
    depth: u64,
    /// Pairs whose texts are compared.
    sample: u64,
    /// Where the documents are now; empty for the inputs of the result.
    input: Vec<String>,
    /// Threads.
    limits: LimitsSpec,
    /// How many bad records are allowed.
    tolerance: ToleranceSpec,
    /// Without it no table is written.
    output: Option<PathBuf>,
}

/// What is asked, as the summary has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecSourcesOptions {
    /// How many of the first results are looked at.
    pub depth: u64,
    /// The runs.
    pub inputs: Vec<PathBuf>,
    /// The result.
    pub result: PathBuf,
    /// Pairs whose texts are compared, at most.
    pub sample: u64,
}

/// A pair of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecSourcesExample {
    /// Id of the duplicate, or the smaller id.
    pub left: String,
    /// What differs.
    pub reason: String,
    /// Id of what is kept, or the larger id.
    pub right: String,
}

/// How many pairs there are of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecSourcesKind {
    /// One of them.
    pub example: Option<TrecSourcesExample>,
    /// The kind.
    pub kind: String,
    /// What it means.
    pub meaning: String,
    /// Pairs of it, those that were not looked at estimated.
    pub pairs: u64,
    /// Pairs that were looked at.
    pub seen: u64,
}

/// What was asked and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrecSourcesSummary {
    /// Bad records.
    pub bad: TrecBadFacts,
    /// The command.
    pub command: String,
    /// Pairs whose texts were compared.
    pub compared: u64,
    /// The kinds, in order; those without a pair are left out.
    pub kinds: Vec<TrecSourcesKind>,
    /// How much files have in common.
    pub matching: TrecMatching,
    /// Pairs that were not looked at.
    pub not_looked_at: u64,
    /// What is noteworthy about the runs.
    pub notes: Vec<String>,
    /// Whether all `pairs` of the result were sorted, or `duplicates` with the document that is kept.
    pub of: String,
    /// What was asked.
    pub options: TrecSourcesOptions,
    /// Why the originals could not be read.
    pub originals_gone: Option<String>,
    /// Pairs that stand together in a run-topic.
    pub pairs: u64,
    /// The program.
    pub program: String,
    /// The runs.
    pub runs: TrecRunFacts,
    /// Version of the program.
    pub version: String,
}

/// What the job leaves.
pub type TrecSourcesOutcome = TrecOutcome<TrecSourcesSummary>;

impl TrecSourcesSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<TrecSourcesJob> {
        Ok(TrecSourcesJob {
            runs: needed_runs(self.runs)?,
            result: required("result", self.result)?,
            depth: self.depth.map_or(1000, |depth| depth.0),
            sample: self.sample.map_or(10_000, |sample| sample.0),
            input: self.input.unwrap_or_default(),
            limits: self.limits,
            tolerance: self.tolerance,
            output: self.output,
        })
    }
}

impl TrecSourcesJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&TrecSourcesSpec {
            limits: self.limits.clone(),
            tolerance: completed_tolerance(&self.tolerance),
            runs: Some(self.runs.clone()),
            result: Some(self.result.clone()),
            depth: Some(Within(self.depth)),
            sample: Some(Within(self.sample)),
            input: Some(self.input.clone()),
            output: self.output.clone(),
        })
    }

    /// Runs the job and writes its output.
    pub fn run(self, exec: &Exec<'_>) -> Result<TrecSourcesOutcome> {
        let result = ResultReader::open(&self.result)?;
        let stored = stored::job(&result, None)?;
        let threads = self.limits.threads;
        let threads = threads.map_or(stored.config.threads, Within::usize);
        if let Some(target) = &self.output {
            ResultFolder::check(target, ResultKind::Trec)?;
        }
        let (mut ids, mut bad) = (Ids::default(), bad_lines(&self.tolerance));
        let set = read_runs(&self.runs, &mut ids, &mut bad, threads)?;
        let mut matching = FileMatching::new("runs", &ids)?;
        // Pairs of documents that some topic of some run returns together: the others matter
        // to no measure.
        let together = Together::new(&set.runs, usize::try_from(self.depth)?);
        let is_together = |left: &str, right: &str| {
            let known = |id: &str| ids.documents.known(id);
            match (known(left), known(right)) {
                (Some(left), Some(right)) => together.count(left, right),
                _ => 0,
            }
        };
        // Called by threads, so behind a lock; what is noted does not depend on their order
        // but for the examples.
        let met = Mutex::new(MetIds::default());
        let only = |left: &str, right: &str| {
            let mut met = met.lock().unwrap_or_else(PoisonError::into_inner);
            met.see(left, &ids);
            met.see(right, &ids);
            is_together(left, right) > 0
        };
        let options = Options {
            sample: usize::try_from(self.sample)?,
            threads,
            only: Some(&only),
        };
        let originals = originals::open(&result, &self.input, &stored)?;
        let folder = match &self.output {
            None => None,
            Some(target) => Some(ResultFolder::create(target, ResultKind::Trec)?),
        };
        let mut table = match &folder {
            None => None,
            Some(folder) => Some(Table::<SourcesOfRuns>::create_fixed(folder.path())?),
        };
        let originals = originals.as_ref().map_err(Clone::clone);
        let sorted = sort(&result, originals, &options, exec.progress, |row| {
            let (kind, reason) = match row.verdict {
                None => ("not-looked-at", ""),
                Some(verdict) => (verdict.kind.name(), verdict.reason.as_str()),
            };
            match table.as_mut() {
                None => Ok(()),
                Some(table) => table.row(&RunPairSourceRow {
                    left: row.left.into(),
                    right: row.right.into(),
                    run_topics: is_together(row.left, row.right) as u64,
                    kind: kind.into(),
                    reason: reason.into(),
                }),
            }
        })?;
        {
            let met = met.lock().unwrap_or_else(PoisonError::into_inner);
            matching.pairs(&ids, &met.numbers, &met.others, &self.result)?;
        }
        let (facts, notes) = run_facts(&set, &ids, None);
        let summary = self.summary(sorted, facts, notes, matching.counts, &bad);
        if let Some(folder) = folder {
            if let Some(table) = table {
                table.finish()?;
            }
            bad.write(folder.path())?;
            folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
        }
        Ok(TrecOutcome {
            summary,
            warnings: stored.passed_over(),
            matching: matching.lines,
            near: String::new(),
            findings: Vec::new(),
            bad,
            allow_bad_records: allowed(&self.tolerance),
            output: self.output,
        })
    }

    /// Puts the summary together; its fields are in the order of their names.
    fn summary(
        &self,
        sorted: Sorted,
        runs: TrecRunFacts,
        notes: Vec<String>,
        matching: TrecMatching,
        bad: &BadLines,
    ) -> TrecSourcesSummary {
        let of = if sorted.of_all_pairs {
            "pairs"
        } else {
            "duplicates"
        };
        let kinds = sorted.kinds.into_iter().map(|kind| TrecSourcesKind {
            example: kind.example.map(|one| TrecSourcesExample {
                left: one.left,
                reason: one.reason,
                right: one.right,
            }),
            kind: kind.kind.name().to_owned(),
            meaning: kind.kind.meaning().to_owned(),
            pairs: kind.pairs,
            seen: kind.seen,
        });
        TrecSourcesSummary {
            bad: TrecBadFacts::new(bad),
            command: "trec sources".to_owned(),
            compared: sorted.compared,
            kinds: kinds.collect(),
            matching,
            not_looked_at: sorted.not_looked_at,
            notes,
            of: of.to_owned(),
            options: TrecSourcesOptions {
                depth: self.depth,
                inputs: self.runs.clone(),
                result: self.result.clone(),
                sample: self.sample,
            },
            originals_gone: sorted.gone,
            pairs: sorted.pairs,
            program: PROGRAM.to_owned(),
            runs,
            version: VERSION.to_owned(),
        }
    }
}

/// Ids of a result: those that runs have, and a few others.
#[derive(Default)]
struct MetIds {
    /// Documents of the runs that the result names in a pair.
    numbers: BTreeSet<u32>,
    /// A few others, for the message that ids do not match.
    others: BTreeSet<String>,
}

impl MetIds {
    /// Notes an id of the result.
    fn see(&mut self, id: &str, ids: &Ids) {
        match ids.documents.known(id) {
            Some(number) => {
                self.numbers.insert(number);
            }
            None if self.others.len() < 4 => {
                self.others.insert(id.to_owned());
            }
            None => {}
        }
    }
}
