//! `summary.json` of a job of `passages`.
//!
//! Numbers that a job gathers in different places (the core, the writer of tables, the system)
//! are put together here, in one type that is written as `summary.json` and printed by fronts.

use super::job::PassagesJob;
use super::sentences::SentenceSearch;
use crate::exec::Exec;
use crate::passage_tables::PassageCounts;
use crate::summary::SpotSummary;
use neardupe_core::error::Result;
use neardupe_core::passage::{PassageKind, PassageRule, SurelyFound};
use neardupe_core::pipeline::PassagesResult;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The summary of a job, as written and as shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassagesSummary {
    /// Always `neardupe`: marks the folder as a result of ours.
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// The command.
    pub command: String,
    /// All options as resolved, by the name of their flag.
    pub options: Map<String, Value>,
    /// How texts are cut into sentences.
    pub sentences: String,
    /// How sentences are cut into words.
    pub words: String,
    /// Numbers.
    pub counts: PassagesNumbers,
    /// The shortest copies that are surely found, where passages are found from seeds.
    pub surely_found: Option<SurelyFound>,
    /// Passages by kind.
    pub passages_by_kind: BTreeMap<String, u64>,
    /// Pairs of documents by the kind of their longest passage.
    pub pairs_by_kind: BTreeMap<String, u64>,
    /// What the user should know before trusting the result.
    pub warnings: Vec<String>,
    /// What was noticed about documents while their text was made, and how often.
    pub remarks: BTreeMap<String, u64>,
    /// Files in folders that were passed over: of no known format by name and content.
    pub skipped_files: u64,
    /// Files of the input that are themselves checked, and so are left out of it.
    pub query_files_left_out: u64,
    /// What the search looked at.
    pub ledger: PassagesLedger,
    /// How many spot signatures sentences have, where those are compared.
    pub spot_signatures: Option<SpotSummary>,
    /// Seconds of each stage.
    pub seconds: BTreeMap<String, f64>,
    /// Most memory in use.
    pub peak_memory_bytes: u64,
    /// Whether texts were written to the work directory.
    pub spilled: bool,
    /// In how many windows the collection was searched.
    pub windows: u32,
}

/// Numbers of documents and passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassagesNumbers {
    /// Records read, bad ones included.
    pub records: u64,
    /// Documents.
    pub documents: u64,
    /// Those of them that new ones were compared with.
    pub old_documents: u64,
    /// Records that did not become documents.
    pub bad_records: u64,
    /// Entries that hold no text by their own account.
    pub skipped_records: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Documents without a word.
    pub empty: u64,
    /// Documents with the text of another one.
    pub copies: u64,
    /// Passages.
    pub passages: u64,
    /// Pairs of documents with a passage in common.
    pub pairs: u64,
    /// Those of them that are covered almost wholly.
    pub near_duplicates: u64,
    /// Sentences that too many documents have.
    pub boilerplate: u64,
}

/// What a search looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PassagesLedger {
    /// For common words.
    Seeds {
        /// Seeds that several texts have.
        seeds: u64,
        /// Runs of words that too many texts have.
        frequent_runs: u64,
        /// Places of seeds looked at.
        visited: u64,
        /// Pairs of texts with a seed in common.
        pairs_with_a_seed: u64,
        /// Pairs of texts that were compared.
        pairs_compared: u64,
    },
    /// For diagonals.
    Sentences {
        /// Sentences with a signature.
        sentences_with_a_signature: u64,
        /// Sentences without one, which match nothing.
        sentences_without: u64,
        /// Features of all sentences.
        features: u64,
        /// Different signatures.
        signatures: u64,
        /// Those of them that took no part.
        frequent_signatures: u64,
        /// Pairs of different signatures that match.
        signature_pairs: u64,
        /// Pairs of sentences that match.
        sentence_pairs: u64,
        /// Diagonals that are long enough.
        diagonals: u64,
    },
}

impl PassagesLedger {
    fn new(result: &PassagesResult) -> Self {
        let counts = &result.search;
        match &counts.sentences {
            None => PassagesLedger::Seeds {
                seeds: counts.seeds,
                frequent_runs: counts.frequent_runs,
                visited: counts.visited,
                pairs_with_a_seed: counts.pairs,
                pairs_compared: counts.compared,
            },
            Some(sentences) => PassagesLedger::Sentences {
                sentences_with_a_signature: sentences.signed,
                sentences_without: sentences.unsigned,
                features: sentences.features,
                signatures: sentences.signatures,
                frequent_signatures: sentences.frequent,
                signature_pairs: sentences.signature_pairs,
                sentence_pairs: sentences.sentence_pairs,
                diagonals: sentences.diagonals,
            },
        }
    }
}

impl PassagesSummary {
    /// The summary as JSON; its keys are in the order of the alphabet.
    pub fn to_json(&self) -> Result<Value> {
        Ok(serde_json::to_value(self)?)
    }
}

/// What is known of a job besides its result.
#[derive(Default)]
pub(super) struct Circumstances {
    /// As the front writes them.
    pub(super) warnings: Vec<String>,
    pub(super) skipped_files: u64,
    /// Files of the input that are themselves queries.
    pub(super) num_own: u64,
    pub(super) seconds: BTreeMap<String, f64>,
    pub(super) peak_memory_bytes: u64,
}

impl Circumstances {
    /// The same with warnings, rendered for the front.
    pub(super) fn with_warnings(mut self, warnings: &[String], exec: &Exec<'_>) -> Self {
        let warnings = warnings.iter();
        self.warnings = warnings.map(|warning| exec.render(warning)).collect();
        self
    }
}

impl PassagesJob {
    /// The summary as it is stored and printed.
    pub(super) fn summary(
        &self,
        result: &PassagesResult,
        counts: &PassageCounts,
        known: Circumstances,
    ) -> PassagesSummary {
        let totals = &result.totals;
        let by_kind = |counts: &BTreeMap<PassageKind, u64>| -> BTreeMap<String, u64> {
            let named =
                |(kind, &count): (&PassageKind, &u64)| (kind.name().to_owned(), count);
            counts.iter().map(named).collect()
        };
        let by_spots = self
            .sentences
            .as_ref()
            .is_some_and(SentenceSearch::has_spots);
        let of_sentences = result.search.sentences.filter(|_| by_spots);
        PassagesSummary {
            program: "neardupe".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "passages".to_owned(),
            options: self.options(),
            sentences: neardupe_core::text::SENTENCE_RULE.to_owned(),
            words: neardupe_core::text::WORD_RULE.to_owned(),
            counts: PassagesNumbers {
                records: totals.records,
                documents: totals.documents,
                old_documents: totals.old_documents,
                bad_records: totals.bad_records,
                skipped_records: totals.skipped_records,
                bytes: totals.bytes,
                empty: totals.empty,
                copies: totals.copies,
                passages: result.num_passages(),
                pairs: counts.pairs.values().sum(),
                near_duplicates: counts.near_duplicates,
                boilerplate: totals.boilerplate,
            },
            surely_found: self.by_seeds().map(PassageRule::surely_found),
            passages_by_kind: by_kind(&counts.passages),
            pairs_by_kind: by_kind(&counts.pairs),
            warnings: known.warnings,
            remarks: result.remarks.clone(),
            skipped_files: known.skipped_files,
            query_files_left_out: known.num_own,
            ledger: PassagesLedger::new(result),
            spot_signatures: of_sentences
                .map(|counts| SpotSummary::of_sentences(&self.find.config, &counts)),
            seconds: known.seconds,
            peak_memory_bytes: known.peak_memory_bytes,
            spilled: result.spilled,
            windows: result.num_windows,
        }
    }
}
