//! `trec dedup-run`: runs without later near-duplicates.

use super::facts::{
    PROGRAM, TrecBadFacts, TrecNearFacts, TrecOutcome, TrecRunFacts, VERSION, allowed,
    bad_lines, completed_tolerance, near_note, run_facts,
};
use super::matching::{FileMatching, TrecMatching};
use super::near::{NearPlace, TrecNearOptions, TrecNearSpec};
use super::values::{LeastSimilarity, Millionths, has_similarities, needed_runs};
use crate::exec::Exec;
use crate::kind::find::all_options;
use crate::param::{Within, required};
use crate::spec::ToleranceSpec;
use crate::trec::{
    Ids, NearFile, RunSet, WrittenTopic, in_parallel, read_runs, write_run,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::ratio::Ratio;
use neardupe_core::trec::{
    DedupOptions, DedupTopic, RunTopic, SIMILARITY_ONE, dedup_topic,
};
use neardupe_io::output::table::Table;
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::tables::{RemovedResultRow, RemovedResults};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

crate::params! {
    /// Runs without later near-duplicates, or with these marked.
    pub struct DedupRunSpec {
        [ near: TrecNearSpec, tolerance: ToleranceSpec ]
        /// Runs, or folders of them: topic Q0 document rank score tag
        runs: Vec<PathBuf> => value("RUN").positional().required();
        /// Results that a topic gets; results below fill the places of removed ones [default:
        /// all that are kept]
        depth: Within<1, 1_000_000_000> => value("N");
        /// Least similarity of near-duplicates [default: 0.5, or the
        /// threshold of `result` where that is higher]
        threshold: Millionths => value("T").short('t');
        /// Remove nothing; a seventh column has what a result is a later near-duplicate of, or -
        mark: bool => switch();
        /// Folder for the runs, removed.csv and the summary; replaced only if it is of neardupe
        output: PathBuf => value("DIR").short('o').required().free();
    }
}

/// Which runs are written again, and how.
pub struct DedupRunJob {
    /// As typed: files and folders.
    runs: Vec<PathBuf>,
    /// None for all results that are kept.
    depth: Option<usize>,
    /// Whether results are marked instead of removed.
    mark: bool,
    /// From where on documents count as near-duplicates.
    least: LeastSimilarity,
    /// Where near-duplicates come from.
    near: NearPlace,
    /// How many bad records are allowed.
    tolerance: ToleranceSpec,
    output: PathBuf,
}

/// What is asked, as the summary has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DedupRunOptions {
    /// Results that a topic gets.
    pub depth: Option<String>,
    /// The runs.
    pub inputs: Vec<PathBuf>,
    /// Whether all results are kept.
    pub mark: bool,
    /// Where near-duplicates come from.
    pub near_duplicates: TrecNearOptions,
    /// Least similarity of near-duplicates.
    pub threshold: String,
}

/// What was asked and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DedupRunSummary {
    /// Bad records.
    pub bad: TrecBadFacts,
    /// Results that were skipped because they are below the depth.
    pub below_depth: u64,
    /// The command.
    pub command: String,
    /// Names of the files that were written.
    pub files: Vec<String>,
    /// How much files have in common.
    pub matching: TrecMatching,
    /// Near-duplicates.
    pub near_duplicates: TrecNearFacts,
    /// What is noteworthy about the runs.
    pub notes: Vec<String>,
    /// What was asked.
    pub options: DedupRunOptions,
    /// The program.
    pub program: String,
    /// Results that were removed, or marked.
    pub removed: u64,
    /// The runs.
    pub runs: TrecRunFacts,
    /// Run-topics with fewer results than were asked for.
    pub short_run_topics: u64,
    /// Version of the program.
    pub version: String,
    /// Results above the depth that are not near-duplicates of earlier ones.
    pub written: u64,
}

/// What the job leaves.
pub type DedupRunOutcome = TrecOutcome<DedupRunSummary>;

impl DedupRunSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<DedupRunJob> {
        let runs = needed_runs(self.runs)?;
        let output = required("output", self.output)?;
        let mark = self.mark.unwrap_or(false);
        let least = LeastSimilarity::of(self.threshold);
        // Needs the threshold: a collection is compared from it on.
        let near = self.near.validate(least.millionths)?;
        if mark && self.depth.is_some() {
            let message =
                "removes nothing, so there is nothing to fill up; leave `depth` out";
            return Err(Error::config("mark", message));
        }
        Ok(DedupRunJob {
            runs,
            depth: self.depth.map(Within::usize),
            mark,
            least,
            near,
            tolerance: self.tolerance,
            output,
        })
    }
}

impl DedupRunJob {
    /// The parameters as they are used.
    pub fn options(&self) -> Map<String, Value> {
        all_options(&DedupRunSpec {
            near: self.near.spec.clone(),
            tolerance: completed_tolerance(&self.tolerance),
            runs: Some(self.runs.clone()),
            depth: self.depth.map(|depth| Within(depth as u64)),
            threshold: self.least.given(),
            mark: Some(self.mark),
            output: Some(self.output.clone()),
        })
    }

    /// Runs the job and writes its output.
    pub fn run(mut self, exec: &Exec<'_>) -> Result<DedupRunOutcome> {
        let output = self.output.as_path();
        // Before the collection is compared, which can take long.
        ResultFolder::check(output, ResultKind::Trec)?;
        let (mut ids, mut bad) = (Ids::default(), bad_lines(&self.tolerance));
        let mut warnings = Vec::new();
        let threads = self.near.threads;
        let set = read_runs(&self.runs, &mut ids, &mut bad, threads)?;
        // Documents of the runs get the first numbers; matching counts by this.
        let mut matching = FileMatching::new("runs", &ids)?;
        let near = &mut self.near;
        let near = near.read(&mut ids, &mut bad, exec, Some(output), &mut warnings)?;
        // A threshold that was left open depends on what is known.
        let least = self.least.settled(&near)?;
        matching.near(&ids, &near, self.near.origin())?;
        let folder = ResultFolder::create(output, ResultKind::Trec)?;
        let names = file_names(&set);
        let cleaning = RunCleaning {
            set: &set,
            ids: &ids,
            near: &near,
            options: DedupOptions {
                threshold: least.millionths,
                depth: self.depth.unwrap_or(usize::MAX),
            },
            asked_depth: self.depth,
            mark: self.mark,
        };
        // Runs are rewritten in parallel; the table of removed results is in their order.
        let counts = cleaning.write(folder.path(), &names, threads)?;
        bad.write(folder.path())?;
        let (facts, notes) = run_facts(&set, &ids, None);
        let summary = DedupRunSummary {
            bad: TrecBadFacts::new(&bad),
            below_depth: counts.below,
            command: "trec dedup-run".to_owned(),
            files: names,
            matching: matching.counts,
            near_duplicates: TrecNearFacts::new(&near),
            notes,
            options: DedupRunOptions {
                depth: self.depth.map(|depth| depth.to_string()),
                inputs: self.runs.clone(),
                mark: self.mark,
                near_duplicates: self.near.options(),
                threshold: least.shown(),
            },
            program: PROGRAM.to_owned(),
            removed: counts.removed,
            runs: facts,
            short_run_topics: counts.short,
            version: VERSION.to_owned(),
            written: counts.written,
        };
        folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
        Ok(TrecOutcome {
            summary,
            warnings,
            matching: matching.lines,
            near: exec.render(&near_note(&near, &least)),
            findings: Vec::new(),
            bad,
            allow_bad_records: allowed(&self.tolerance),
            output: Some(self.output),
        })
    }
}

/// What each run is cleaned with.
struct RunCleaning<'a> {
    /// The runs.
    set: &'a RunSet,
    /// Names of topics and documents.
    ids: &'a Ids,
    /// Near-duplicates.
    near: &'a NearFile,
    /// Threshold and depth.
    options: DedupOptions,
    /// As typed, to count run-topics that are shorter; `options` has the largest number for
    /// none.
    asked_depth: Option<usize>,
    /// Whether results are marked instead of removed.
    mark: bool,
}

impl<'a> RunCleaning<'a> {
    /// Writes all runs and the table of removed results.
    fn write(
        &self,
        folder: &Path,
        names: &[String],
        threads: usize,
    ) -> Result<RemovedCounts> {
        let inner = folder.join("runs");
        std::fs::create_dir_all(&inner).map_err(|error| Error::io(&inner, error))?;
        let mut table = Table::<RemovedResults>::create_fixed(folder)?;
        let cleaned = in_parallel(threads, self.set.runs.len(), |at| {
            self.clean(at, &inner.join(&names[at]))
        });
        let mut counts = RemovedCounts::default();
        for one in cleaned {
            let (own, removed) = one?;
            counts.sum(&own);
            for row in &removed {
                table.row(row)?;
            }
        }
        table.finish()?;
        Ok(counts)
    }

    /// Writes one run and gives the rows of what was removed.
    fn clean(
        &self,
        at: usize,
        path: &Path,
    ) -> Result<(RemovedCounts, Vec<RemovedResultRow<'a>>)> {
        let (run, ids) = (&self.set.runs[at], self.ids);
        // Of groups there is no similarity to write.
        let measured = has_similarities(self.near);
        let (mut counts, mut removed) = (RemovedCounts::default(), Vec::new());
        let mut topics: Vec<WrittenTopic> = Vec::new();
        for topic in &run.topics {
            let clean = dedup_topic(topic, &self.near.near, &self.options);
            counts.add(topic, &clean, self.asked_depth);
            removed.extend(clean.removed.iter().map(|one| {
                let similarity = Ratio::new(one.similarity.into(), SIMILARITY_ONE.into());
                RemovedResultRow {
                    run: (&run.name).into(),
                    topic: ids.topics.text(topic.topic).into(),
                    document: ids.documents.text(one.document).into(),
                    rank: one.rank as u64,
                    duplicate_of: ids.documents.text(one.duplicate_of).into(),
                    duplicate_of_rank: one.duplicate_of_rank as u64,
                    similarity: measured.then_some(similarity),
                }
            }));
            // With marks all results are kept, in their order.
            topics.push(if self.mark {
                let marks = marks(topic, &clean);
                (topic.topic, topic.results.clone(), Some(marks))
            } else {
                (topic.topic, clean.kept, None)
            });
        }
        write_run(path, &self.set.tags[at], &topics, ids)?;
        Ok((counts, removed))
    }
}

/// Results of one run, or of all.
#[derive(Default)]
struct RemovedCounts {
    /// Later near-duplicates.
    removed: u64,
    /// Results that were kept.
    written: u64,
    /// Results below the depth, which were not looked at.
    below: u64,
    /// Run-topics with fewer results than asked for.
    short: u64,
}

impl RemovedCounts {
    /// Adds the counts of another run.
    fn sum(&mut self, other: &RemovedCounts) {
        self.removed += other.removed;
        self.written += other.written;
        self.below += other.below;
        self.short += other.short;
    }

    /// Adds a topic. What is neither kept nor removed is below the depth.
    fn add(&mut self, topic: &RunTopic, clean: &DedupTopic, depth: Option<usize>) {
        let (all, kept, gone) =
            (topic.results.len(), clean.kept.len(), clean.removed.len());
        self.removed += gone as u64;
        self.written += kept as u64;
        self.below += (all - kept - gone) as u64;
        self.short += u64::from(depth.is_some_and(|depth| kept < depth));
    }
}

/// For each result of a topic the earlier document that it is a near-duplicate of. Ranks
/// count from 1.
fn marks(topic: &RunTopic, clean: &DedupTopic) -> Vec<Option<u32>> {
    let mut marks = vec![None; topic.results.len()];
    for one in &clean.removed {
        marks[one.rank - 1] = Some(one.duplicate_of);
    }
    marks
}

/// Names of files: those that were read, unpacked; a second one of a name has a number before it.
fn file_names(set: &RunSet) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for path in &set.paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = neardupe_io::compress::without_ending(&name);
        let mut unique = name.to_owned();
        let mut number = 2;
        // Folders of the input are not kept, so two runs may have the same name.
        while names.contains(&unique) {
            unique = format!("{number}-{name}");
            number += 1;
        }
        names.push(unique);
    }
    names
}
