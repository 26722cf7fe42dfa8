//! The tables of `trec`: near-duplicates in runs and qrels, and what they do to measures.
//!
//! They are always CSV, for the programs with which search evaluation is done. An absent value is an
//! empty cell, and a share with nothing to take it of is absent. Numbers with decimals are quotients
//! of doubles here, rounded by the formatter; nothing is decided by them.

use super::column::{
    Decimal, Integer, Number, OptionalDecimal, OptionalNumber, OptionalRatio, Text,
    TrueFalse,
};
use super::declaration::table;

table! {
    /// Near-duplicates among the first results of all runs and topics.
    Prevalence = "prevalence" of "depth" {
        rows: PrevalenceRow, StoredPrevalence;
        of: [Trec];
        formats: Csv;
        order: "by `depth` and `threshold`";
        columns {
            /// How many results of each run-topic are looked at: the results of one run for one topic.
            depth: Number<u64>,
            /// The smallest resemblance of near-duplicates; `any` where near-duplicates were given as
            /// groups or without a similarity.
            threshold: Text,
            /// Number of run-topics.
            run_topics: Number<u64>,
            /// Run-topics that have a near-duplicate.
            with_near_duplicates: Number<u64>,
            /// Results looked at.
            results: Number<u64>,
            /// How many of these are near-duplicates.
            near_duplicates: Number<u64>,
            /// The share of the results that they are.
            share: OptionalDecimal,
        }
    }
}

table! {
    /// How many run-topics have at least some share of near-duplicates.
    Shares = "shares" of "share" {
        rows: ShareRow, StoredShare;
        of: [Trec];
        formats: Csv;
        order: "by falling `share`";
        columns {
            /// The least share of near-duplicates, in percent.
            share: Number<u64>,
        }
        more: depths = "n=DEPTH",
            "Run-topics that have this share among their first results, in percent; `-` where \
             `as-published` asks for no near-duplicate. One column for each depth.";
    }
}

table! {
    /// Near-duplicates of each run and topic.
    RunTopics = "run-topics" of "run-topic" {
        rows: RunTopicRow, StoredRunTopic;
        of: [Trec];
        formats: Csv;
        order: "by run, as the arguments, and topic; then by `depth` and `threshold`";
        columns {
            /// Name of the run.
            run: Text,
            /// The topic.
            topic: Text,
            /// Number of results of the run for the topic.
            results: Number<u64>,
            /// How many of them are looked at.
            depth: Number<u64>,
            /// The smallest resemblance of near-duplicates.
            threshold: Text,
            /// How many of the results looked at are near-duplicates.
            near_duplicates: Number<u64>,
        }
    }
}

table! {
    /// Documents that any run has for a topic, and how many of them have a near-duplicate among them.
    /// The last rows, of the topic `mean`, have the mean of the topics' shares.
    Topics = "topics" of "topic" {
        rows: TopicRow, StoredTopic;
        of: [Trec];
        formats: Csv;
        order: "by topic, then by `threshold`";
        columns {
            /// The topic, or `mean`.
            topic: Text,
            /// Number of different documents.
            documents: OptionalNumber,
            /// The smallest resemblance of near-duplicates.
            threshold: Text,
            /// How many of the documents have a near-duplicate among them.
            near_duplicates: OptionalNumber,
            /// The share of the documents that they are.
            share: OptionalDecimal,
        }
    }
}

table! {
    /// Documents that are relevant, and how many of them have a near-duplicate among them; only with
    /// `qrels`.
    RelevantDocuments = "relevant" of "topic" {
        rows: RelevantRow, StoredRelevant;
        of: [Trec];
        formats: Csv;
        order: "`all` topics first, then by topic; then by `threshold`";
        columns {
            /// The topic, or `all`.
            topic: Text,
            /// Number of relevant documents.
            documents: Number<u64>,
            /// The smallest resemblance of near-duplicates.
            threshold: Text,
            /// How many of the documents have a near-duplicate among them.
            near_duplicates: Number<u64>,
            /// The share of the documents that they are.
            share: OptionalDecimal,
        }
    }
}

table! {
    /// Results that were removed from runs.
    RemovedResults = "removed" of "result" {
        rows: RemovedResultRow, StoredRemovedResult;
        of: [Trec];
        formats: Csv;
        order: "by run, as the arguments, then as the run";
        columns {
            /// Name of the run.
            run: Text,
            /// The topic.
            topic: Text,
            /// Id of the removed document.
            document: Text,
            /// Its rank before, from 1.
            rank: Number<u64>,
            /// Id of the document that is kept at an earlier rank.
            duplicate_of: Text,
            /// The rank of that document before.
            duplicate_of_rank: Number<u64>,
            /// How similar the two are; absent where near-duplicates were given as groups or without a
            /// similarity.
            similarity: OptionalRatio,
        }
    }
}

table! {
    /// Judgments that were removed from qrels.
    Dropped = "dropped" of "judgment" {
        rows: DroppedRow, StoredDropped;
        of: [Trec];
        formats: Csv;
        order: "as the qrels";
        columns {
            /// The topic.
            topic: Text,
            /// The subtopic, or what the qrels have as the iteration.
            subtopic: Text,
            /// Id of the document.
            document: Text,
            /// Its label.
            label: Integer,
            /// Id of the document of its group whose judgments are kept.
            kept: Text,
        }
    }
}

table! {
    /// Judged documents of groups that have different labels for a topic.
    Inconsistent = "inconsistent" of "judgment" {
        rows: InconsistentRow, StoredInconsistent;
        of: [Trec];
        formats: Csv;
        order: "by `group`";
        columns {
            /// Number of the group and topic in this table, from 1.
            group: Number<u64>,
            /// The topic.
            topic: Text,
            /// The subtopic, or what the qrels have as the iteration.
            subtopic: Text,
            /// Id of the document.
            document: Text,
            /// Its label.
            label: Integer,
            /// Whether some of the group are relevant and some are not.
            about_relevance: TrueFalse,
        }
    }
}

table! {
    /// Means of each run before and after near-duplicates are taken into account.
    Effects = "effect" of "run" {
        rows: EffectRow, StoredEffect;
        of: [Trec];
        formats: Csv;
        order: "by policy and measure, then by run, as the arguments";
        columns {
            /// What is done with later near-duplicates.
            policy: Text,
            /// The measure.
            measure: Text,
            /// Name of the run.
            run: Text,
            /// Mean over topics before.
            before: Decimal,
            /// Mean over topics after.
            after: Decimal,
            /// The difference.
            change: Decimal,
            /// Rank of the run before: 1 and the number of runs with a higher mean.
            rank_before: Number<u64>,
            /// Rank of the run after.
            rank_after: Number<u64>,
            /// Number of topics.
            topics: Number<u64>,
            /// Student's t of the differences by topic; absent with fewer than two topics or without variance.
            t: OptionalDecimal,
            /// Its p-value, two-sided; absent with fewer than two topics.
            p: OptionalDecimal,
        }
    }
}

table! {
    /// How the ranking of runs changes.
    Correlations = "correlation" of "measure" {
        rows: CorrelationRow, StoredCorrelation;
        of: [Trec];
        formats: Csv;
        order: "by policy and measure";
        columns {
            /// What is done with later near-duplicates.
            policy: Text,
            /// The measure.
            measure: Text,
            /// Mean difference of the runs' means.
            mean_change: Decimal,
            /// Kendall's tau-b of the means before and after.
            tau: OptionalDecimal,
            /// tau_ap of Yilmaz, Aslam and Robertson (2008).
            tau_ap: OptionalDecimal,
            /// Runs that have another rank after.
            runs_moved: Number<u64>,
            /// The most ranks that a run moved.
            largest_move: Number<u64>,
            /// Runs whose means differ with p < 0.05.
            significant: Number<u64>,
        }
    }
}

table! {
    /// The value of each measure for each run and topic, under every policy.
    EffectTopics = "effect-topics" of "run-topic" {
        rows: EffectTopicRow, StoredEffectTopic;
        of: [Trec];
        formats: Csv;
        order: "by run, as the arguments, topic and measure";
        columns {
            /// Name of the run.
            run: Text,
            /// The topic.
            topic: Text,
            /// The measure.
            measure: Text,
            /// Its value as the run is.
            before: Decimal,
            /// Its value when later near-duplicates are removed.
            remove: Decimal,
            /// Its value when later near-duplicates count as not relevant.
            irrelevant: Decimal,
            /// Its value when a group has its highest label everywhere.
            propagate: Decimal,
        }
    }
}

table! {
    /// Why documents that stand together among the first results of a run-topic are similar.
    SourcesOfRuns = "sources" of "pair" {
        rows: RunPairSourceRow, StoredRunPairSource;
        of: [Trec];
        formats: Csv;
        order: "as the pairs of the result";
        columns {
            /// Id of one document.
            left: Text,
            /// Id of the other document.
            right: Text,
            /// In how many run-topics they stand together.
            run_topics: Number<u64>,
            /// How the duplicate came about; `not-looked-at` beyond the limit.
            kind: Text,
            /// What shows it.
            reason: Text,
        }
    }
}
