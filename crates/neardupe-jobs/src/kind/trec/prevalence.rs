//! `trec prevalence`: near-duplicates among the results of runs.

use super::facts::{
    PROGRAM, TrecBadFacts, TrecNearFacts, TrecOutcome, TrecQrelsFacts, TrecRunFacts,
    VERSION, allowed, bad_lines, completed_tolerance, near_note, page_notes, run_facts,
};
use super::matching::{FileMatching, TrecMatching};
use super::near::{NearPlace, TrecNearOptions, TrecNearSpec};
use super::values::{
    LeastSimilarity, Millionths, QrelsFormatSpec, check_known, check_measured,
    has_similarities, needed_runs,
};
use crate::exec::Exec;
use crate::kind::find::all_options;
use crate::numbers::{grouped, percent, plural};
use crate::param::{CommaList, Within};
use crate::spec::ToleranceSpec;
use crate::trec::{
    Ids, NearFile, PrevalenceTables, QrelsFile, TopicTitle, prevalence_page, read_runs,
    read_topics, write_prevalence,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::trec::{
    Count, PrevalenceConfig, QrelsTopic, Run, SHARE_ROWS, SIMILARITY_ONE, SetCounts,
    ShareTable, prevalence, set_prevalence, topic_order, with_threads,
};
use neardupe_io::output::{ResultFolder, ResultKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// How many of the first results can be looked at.
type Depth = Within<1, 1_000_000_000>;

crate::params! {
    /// Near-duplicates among the first results of runs, by depth and resemblance.
    pub struct PrevalenceSpec {
        [ format: QrelsFormatSpec, near: TrecNearSpec, tolerance: ToleranceSpec ]
        /// Runs, or folders of them: topic Q0 document rank score tag
        runs: Vec<PathBuf> => value("RUN").positional().required();
        /// Qrels, for near-duplicates among relevant documents
        qrels: PathBuf => value("FILE");
        /// Topics, for their titles, and to see which are unknown
        topics: PathBuf => value("FILE");
        /// How many of the first results are looked at [default: 10,20,50,100,200,500]
        depths: CommaList<Depth> => value("LIST");
        /// Least resemblances [default: 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9; from where pairs are
        /// known]
        thresholds: CommaList<Millionths> => value("LIST");
        /// Least resemblance of the table of shares [default: 0.5, or the threshold of `result` where
        /// that is higher]
        threshold: Millionths => value("T").short('t');
        /// Which result of a near-duplicate pair counts: earlier (one with a near-duplicate at an
        /// earlier rank) or involved (both) [default: earlier]
        count: Count => value("WHICH");
        /// Table of shares as the thesis has it: shares of n are rounded down to whole documents
        as_published: bool => switch();
        /// Folder for tables, figures and the page; replaced only if it is of neardupe
        output: PathBuf => value("DIR").short('o').free();
    }
}

/// Which runs are counted, and how.
pub struct PrevalenceJob {
    /// Files and folders, as typed.
    runs: Vec<PathBuf>,
    /// For near-duplicates among relevant documents.
    qrels: Option<PathBuf>,
    /// For titles, and to see topics that are unknown.
    topics: Option<PathBuf>,
    /// Ascending.
    depths: Vec<usize>,
    /// In millionths, ascending; none if they were left open.
    thresholds: Option<Vec<u32>>,
    /// The threshold of the table of shares.
    least: LeastSimilarity,
    /// Which result of a pair counts.
    count: Count,
    /// Whether shares are rounded down as in the thesis.
    as_published: bool,
    /// How qrels are read.
    format: QrelsFormatSpec,
    /// Where near-duplicates come from.
    near: NearPlace,
    /// How many bad records are allowed.
    tolerance: ToleranceSpec,
    /// Without it no tables are written.
    output: Option<PathBuf>,
}

/// What is asked, as the summary has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PrevalenceOptions {
    /// Whether shares are rounded down as in the thesis.
    pub as_published: bool,
    /// Which result of a pair counts.
    pub count: String,
    /// How many of the first results are looked at.
    pub depths: Vec<usize>,
    /// The runs.
    pub inputs: Vec<PathBuf>,
    /// Where near-duplicates come from.
    pub near_duplicates: TrecNearOptions,
    /// The qrels.
    pub qrels: Option<PathBuf>,
    /// Least resemblance of the table of shares.
    pub threshold: String,
    /// Least resemblances.
    pub thresholds: Vec<String>,
    /// The topics.
    pub topics: Option<PathBuf>,
}

/// Near-duplicates among the first results of all run-topics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrevalenceRow {
    /// How many of the first results are looked at.
    pub depth: usize,
    /// Near-duplicates among them.
    pub near_duplicates: u64,
    /// Results that were looked at.
    pub results: u64,
    /// Least resemblance.
    pub threshold: String,
}

/// Near-duplicates among a set of documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrevalenceSet {
    /// Documents.
    pub documents: u64,
    /// Those with a near-duplicate among them, by least resemblance.
    pub near_duplicates: BTreeMap<String, u32>,
}

/// Everything that was counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrevalenceCounts {
    /// The share among the documents of all runs for a topic, mean of topics, by least resemblance.
    pub mean_of_topic_collections: BTreeMap<String, Option<f64>>,
    /// Relevant documents.
    pub relevant: Option<PrevalenceSet>,
    /// By depth, then by least resemblance.
    pub run_topics: Vec<PrevalenceRow>,
}

/// How many run-topics reach a share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareRow {
    /// The share of near-duplicates, in percent.
    pub percent: u32,
    /// Run-topics that reach it, by depth; none where the share is of less than one document.
    pub run_topics: Vec<Option<u64>>,
}

/// Run-topics by their share of near-duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareFacts {
    /// How many of the first results are looked at.
    pub depths: Vec<usize>,
    /// All run-topics.
    pub of: u64,
    /// By share.
    pub rows: Vec<ShareRow>,
}

/// What was asked and what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrevalenceSummary {
    /// Bad records.
    pub bad: TrecBadFacts,
    /// The command.
    pub command: String,
    /// How much files have in common.
    pub matching: TrecMatching,
    /// Near-duplicates.
    pub near_duplicates: TrecNearFacts,
    /// What is noteworthy about the runs.
    pub notes: Vec<String>,
    /// What was asked.
    pub options: PrevalenceOptions,
    /// What was counted.
    pub prevalence: PrevalenceCounts,
    /// The program.
    pub program: String,
    /// The qrels.
    pub qrels: Option<TrecQrelsFacts>,
    /// The runs.
    pub runs: TrecRunFacts,
    /// The table of shares.
    pub shares: ShareFacts,
    /// Version of the program.
    pub version: String,
}

/// What the job leaves.
pub type PrevalenceOutcome = TrecOutcome<PrevalenceSummary>;

impl PrevalenceSpec {
    /// The job of this description.
    pub fn validate(self) -> Result<PrevalenceJob> {
        let runs = needed_runs(self.runs)?;
        let mut depths: Vec<usize> = match self.depths {
            None => vec![10, 20, 50, 100, 200, 500],
            Some(CommaList(given)) => given.into_iter().map(Depth::usize).collect(),
        };
        depths.sort_unstable();
        depths.dedup();
        if depths.is_empty() {
            return Err(Error::config("depths", "name one at least"));
        }
        let thresholds = self.thresholds.map(|CommaList(given)| {
            let mut given: Vec<u32> = given.into_iter().map(|one| one.0).collect();
            given.sort_unstable();
            given
        });
        if thresholds.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::config("thresholds", "name one at least"));
        }
        let least = LeastSimilarity::of(self.threshold);
        // A collection is compared once, from the lowest threshold that is needed.
        let lowest = thresholds.as_ref().map_or(TENTH, |given| given[0]);
        let near = self.near.validate(lowest.min(least.millionths))?;
        if self.qrels.is_none() && self.format.qrels_format.is_some() {
            return Err(Error::config("qrels-format", "needs `qrels`"));
        }
        Ok(PrevalenceJob {
            runs,
            qrels: self.qrels,
            topics: self.topics,
            depths,
            thresholds,
            least,
            count: self.count.unwrap_or_default(),
            as_published: self.as_published.unwrap_or(false),
            format: self.format,
            near,
            tolerance: self.tolerance,
            output: self.output,
        })
    }
}

/// A tenth in millionths.
const TENTH: u32 = SIMILARITY_ONE / 10;

impl PrevalenceJob {
    /// The parameters as they are used; thresholds depend on what is read unless they are given.
    pub fn options(&self) -> Map<String, Value> {
        let depths = self.depths.iter().map(|&depth| Within(depth as u64));
        let thresholds = self.thresholds.as_ref().map(|given| {
            let given = given.iter().map(|&one| Millionths(one));
            CommaList(given.collect())
        });
        all_options(&PrevalenceSpec {
            format: match self.qrels {
                None => QrelsFormatSpec::default(),
                Some(_) => self.format.completed(),
            },
            near: self.near.spec.clone(),
            tolerance: completed_tolerance(&self.tolerance),
            runs: Some(self.runs.clone()),
            qrels: self.qrels.clone(),
            topics: self.topics.clone(),
            depths: Some(CommaList(depths.collect())),
            thresholds,
            threshold: self.least.given(),
            count: Some(self.count),
            as_published: Some(self.as_published),
            output: self.output.clone(),
        })
    }

    /// The threshold of the table of shares and all thresholds, by what is known.
    fn settle(&self, near: &NearFile) -> Result<(LeastSimilarity, Vec<u32>)> {
        if self.thresholds.is_some() {
            check_measured("thresholds", near)?;
        }
        let least = self.least.settled(near)?;
        // Groups have one column, under any threshold.
        if !has_similarities(near) {
            return Ok((least, vec![SIMILARITY_ONE]));
        }
        let mut thresholds: Vec<u32> = match &self.thresholds {
            None => (1..10).map(|tenths| tenths * TENTH).collect(),
            Some(given) => {
                check_known("thresholds", given[0], near)?;
                given.clone()
            }
        };
        // The chosen threshold is one of the columns.
        thresholds.push(least.millionths);
        thresholds.retain(|&one| one >= near.known_from);
        thresholds.sort_unstable();
        thresholds.dedup();
        Ok((least, thresholds))
    }

    /// Runs the job and writes its output.
    pub fn run(mut self, exec: &Exec<'_>) -> Result<PrevalenceOutcome> {
        if let Some(target) = &self.output {
            ResultFolder::check(target, ResultKind::Trec)?;
        }
        let threads = self.near.threads;
        let (mut ids, mut bad) = (Ids::default(), bad_lines(&self.tolerance));
        let mut warnings = Vec::new();
        let set = read_runs(&self.runs, &mut ids, &mut bad, threads)?;
        let mut matching = FileMatching::new("runs", &ids)?;
        let qrels = match &self.qrels {
            None => None,
            Some(path) => {
                let file = self.format.read(path, &mut ids, &mut bad)?;
                matching.qrels(&ids, &set, &file, path)?;
                Some(file)
            }
        };
        let titles = match &self.topics {
            None => Vec::new(),
            Some(path) => {
                let titles = read_topics(path, &mut bad)?;
                let topics = numbers(&titles, &mut ids);
                matching.topics(&ids, &set, topics.into_iter(), "topics file", path)?;
                titles
            }
        };
        let output = self.output.as_deref();
        let near = &mut self.near;
        let near = near.read(&mut ids, &mut bad, exec, output, &mut warnings)?;
        matching.near(&ids, &near, self.near.origin())?;
        let (least, thresholds) = self.settle(&near)?;
        let chosen = thresholds.iter().position(|&one| one == least.millionths);
        let config = PrevalenceConfig {
            depths: self.depths.clone(),
            thresholds,
            count: self.count,
        };
        let (topics, sets) = unions(&set.runs, &ids);
        let relevant_sets = qrels.as_ref().map(|file| {
            // All topics together come first, then each by itself.
            let mut sets = vec![file.qrels.relevant()];
            sets.extend(file.qrels.topics.iter().map(QrelsTopic::relevant));
            sets
        });
        // Counting is done by all threads; its numbers do not depend on them.
        let counted = with_threads(threads, || {
            let counts = prevalence(&set.runs, &near.near, &config);
            let of =
                |sets: &[Vec<u32>]| set_prevalence(sets, &near.near, &config.thresholds);
            (counts, of(&sets), relevant_sets.as_deref().map(of))
        })?;
        let (run_topics, unions, relevant) = counted;
        let chosen = chosen.unwrap_or(0);
        let shares =
            ShareTable::new(&run_topics, &self.depths, chosen, self.as_published);
        let unions: Vec<(u32, SetCounts)> = topics.into_iter().zip(unions).collect();
        let relevant = relevant.zip(qrels.as_ref()).map(|(mut counts, file)| {
            let all = counts.remove(0);
            (all, judged_topics(file).into_iter().zip(counts).collect())
        });
        // A topics file says what is known; without it the qrels do.
        let known = match (&qrels, titles.is_empty()) {
            (_, false) => Some((numbers(&titles, &mut ids), "the topics file")),
            (Some(file), true) => Some((judged_topics(file), "the qrels")),
            (None, true) => None,
        };
        let (facts, notes) = run_facts(&set, &ids, known);
        let tables = PrevalenceTables {
            ids: &ids,
            runs: &set.runs,
            titles: &titles,
            depths: &self.depths,
            thresholds: has_similarities(&near).then_some(&config.thresholds),
            chosen,
            run_topics: &run_topics,
            shares: &shares,
            topics: &unions,
            relevant: relevant.as_ref(),
        };
        let near_text = exec.render(&near_note(&near, &least));
        let noted = page_notes(&matching, &notes);
        let findings = findings(&tables, self.count, &near_text, noted);
        let summary = PrevalenceSummary {
            bad: TrecBadFacts::new(&bad),
            command: "trec prevalence".to_owned(),
            matching: matching.counts,
            near_duplicates: TrecNearFacts::new(&near),
            notes,
            options: PrevalenceOptions {
                as_published: self.as_published,
                count: self.count.name().to_owned(),
                depths: self.depths.clone(),
                inputs: self.runs.clone(),
                near_duplicates: self.near.options(),
                qrels: self.qrels.clone(),
                threshold: tables.names()[chosen].clone(),
                thresholds: tables.names(),
                topics: self.topics.clone(),
            },
            prevalence: counts(&tables),
            program: PROGRAM.to_owned(),
            qrels: qrels.as_ref().map(TrecQrelsFacts::new),
            runs: facts,
            shares: share_facts(&tables),
            version: VERSION.to_owned(),
        };
        if let Some(target) = output {
            let folder = ResultFolder::create(target, ResultKind::Trec)?;
            write_prevalence(folder.path(), &tables)?;
            bad.write(folder.path())?;
            let json = serde_json::to_value(&summary)?;
            prevalence_page(folder.path(), &tables, &json, findings.clone())?;
            folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
        }
        Ok(TrecOutcome {
            summary,
            warnings,
            matching: matching.lines,
            near: near_text,
            findings,
            bad,
            allow_bad_records: allowed(&self.tolerance),
            output: self.output,
        })
    }
}

/// Numbers of the topics that have titles; new ones are added.
fn numbers(titles: &[TopicTitle], ids: &mut Ids) -> Vec<u32> {
    let titles = titles.iter();
    titles.map(|one| ids.topics.number(&one.id)).collect()
}

/// Topics of the qrels, in their order.
fn judged_topics(file: &QrelsFile) -> Vec<u32> {
    file.qrels.topics.iter().map(|topic| topic.topic).collect()
}

/// Documents of all runs by topic, topics in their order.
fn unions(runs: &[Run], ids: &Ids) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut sets: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for topic in runs.iter().flat_map(|run| &run.topics) {
        let set = sets.entry(topic.topic).or_default();
        set.extend(topic.results.iter().map(|result| result.document));
    }
    let mut topics: Vec<(u32, Vec<u32>)> = sets.into_iter().collect();
    topics
        .sort_by(|one, two| topic_order(ids.topics.text(one.0), ids.topics.text(two.0)));
    // A document that several runs have counts once.
    for (_, set) in &mut topics {
        set.sort_unstable();
        set.dedup();
    }
    topics.into_iter().unzip()
}

/// The counts for the summary: by depth and threshold, means of topics, relevant documents.
fn counts(tables: &PrevalenceTables<'_>) -> PrevalenceCounts {
    let names = tables.names();
    let mut rows = Vec::new();
    for (at, &depth) in tables.depths.iter().enumerate() {
        for (place, name) in names.iter().enumerate() {
            let (found, results) = tables.total(at, place);
            rows.push(PrevalenceRow {
                depth,
                near_duplicates: found,
                results,
                threshold: name.clone(),
            });
        }
    }
    let means = names.iter().enumerate();
    let means = means.map(|(at, name)| (name.clone(), tables.mean_of_topics(at)));
    let relevant = tables.relevant.map(|(all, _)| PrevalenceSet {
        documents: all.documents as u64,
        near_duplicates: names
            .iter()
            .cloned()
            .zip(all.counts.iter().copied())
            .collect(),
    });
    PrevalenceCounts {
        mean_of_topic_collections: means.collect(),
        relevant,
        run_topics: rows,
    }
}

/// The table of shares for the summary.
fn share_facts(tables: &PrevalenceTables<'_>) -> ShareFacts {
    let rows = SHARE_ROWS.iter().zip(&tables.shares.cells);
    let rows = rows.map(|(&percent, cells)| ShareRow {
        percent,
        run_topics: cells.clone(),
    });
    ShareFacts {
        depths: tables.depths.to_vec(),
        of: tables.shares.run_topics,
        rows: rows.collect(),
    }
}

/// What came out, in sentences.
fn findings(
    tables: &PrevalenceTables<'_>,
    count: Count,
    near: &str,
    notes: Vec<String>,
) -> Vec<String> {
    // Topics of all runs together; a run may lack some.
    let topics: BTreeSet<u32> = tables.run_topics.iter().map(|one| one.topic).collect();
    let mut findings = vec![format!(
        "{}, {}, {}. Near-duplicates: {near}.",
        plural(tables.runs.len() as u64, "run"),
        plural(topics.len() as u64, "topic"),
        plural(tables.run_topics.len() as u64, "run-topic")
    )];
    let rule = match count {
        Count::Earlier => {
            "A result counts when a near-duplicate stands at an earlier rank."
        }
        Count::Involved => "Both results of a near-duplicate pair count.",
    };
    findings.push(rule.to_owned());
    let threshold = match tables.thresholds {
        None => String::new(),
        Some(_) => format!(" (resemblance >= {})", tables.names()[tables.chosen]),
    };
    for (at, depth) in tables.depths.iter().enumerate() {
        let (found, results) = tables.total(at, tables.chosen);
        findings.push(format!(
            "Among the first {depth} results {} are near-duplicates{threshold}.",
            percent(found, results)
        ));
    }
    if let Some((all, _)) = tables.relevant {
        let count = u64::from(all.counts[tables.chosen]);
        findings.push(format!(
            "Of {} relevant documents {} have a near-duplicate among them ({}){threshold}.",
            grouped(all.documents as u64),
            grouped(count),
            percent(count, all.documents as u64)
        ));
    }
    findings.extend(notes);
    findings
}
