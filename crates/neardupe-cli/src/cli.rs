//! What can be typed: the commands and the line of help of each. Their flags are made of the parameters
//! of the job library (`typed`), so a new parameter needs no change here.
//!
//! The order of the commands is that of the help: first what most people need, then what explains
//! and measures results, then the special fields.

use crate::commands::compare::CompareArgs;
use crate::commands::dedup::DedupArgs;
use crate::commands::df_table::DfTableArgs;
use crate::commands::eval::EvalArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::features::FeaturesArgs;
use crate::commands::find::FindArgs;
use crate::commands::history::HistoryArgs;
use crate::commands::judge::JudgeArgs;
use crate::commands::methods::MethodsArgs;
use crate::commands::passages::PassagesArgs;
use crate::commands::plan::PlanArgs;
use crate::commands::rethreshold::RethresholdArgs;
use crate::commands::similar::SimilarArgs;
use crate::commands::sources::SourcesArgs;
use crate::commands::study::StudyArgs;
use crate::commands::synth::SynthArgs;
use crate::commands::trec::TrecArgs;
use crate::terminal::ProgressMode;
use clap::{Parser, Subcommand};

/// Finds every near-duplicate document in collections of any size: exact, explained.
#[derive(Parser)]
#[command(name = "neardupe", version, max_term_width = 100)]
#[command(after_help = "Try it: neardupe find examples/pages")]
pub(crate) struct Arguments {
    /// Progress on standard error: auto (a bar on a terminal, else a few lines), none, json (an object
    /// per line, for programs) [default: auto]
    #[arg(
        long,
        global = true,
        value_name = "MODE",
        default_value = "auto",
        hide_default_value = true
    )]
    #[arg(value_enum, hide_possible_values = true)]
    pub(crate) progress: ProgressMode,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Find near-duplicates: clusters, evidence, pairs, a report
    Find(Box<FindArgs>),
    /// Find near-duplicates, then write the collection without them
    Dedup(Box<DedupArgs>),
    /// Find copied passages, located in both documents
    Passages(Box<PassagesArgs>),
    /// Estimate what `find` will need, from a sample: documents, memory, disk, time
    Plan(Box<PlanArgs>),
    /// Compare a result with known pairs or clusters: precision, recall, ARI
    Eval(EvalArgs),
    /// Judge a sample of the pairs of a result by hand, to estimate its precision
    Judge(JudgeArgs),
    /// Cluster a result with all pairs again, at a higher threshold
    Rethreshold(RethresholdArgs),
    /// Find the documents that are similar to one
    Similar(Box<SimilarArgs>),
    /// Compare two documents: all similarities, and how they differ word by word
    Compare(Box<CompareArgs>),
    /// Explain why a document was grouped, removed or kept, and show the shared text
    Explain(Box<ExplainArgs>),
    /// Compare versions of documents: what changed, and how soon to visit each document again
    History(Box<HistoryArgs>),
    /// Build a frozen table of document frequencies, for weights that never change
    DfTable(Box<DfTableArgs>),
    /// Print the features of each document: the values that are compared
    Features(Box<FeaturesArgs>),
    /// Explain why documents are duplicates: other URLs, mirrors, updates, adverts, forums
    Sources(SourcesArgs),
    /// Measure on this collection what sampling, thresholds, features and methods do
    Study(StudyArgs),
    /// Measure near-duplicates in TREC runs and qrels, and remove them
    Trec(TrecArgs),
    /// List the methods: what each finds, promises and costs, and when to use it
    Methods(MethodsArgs),
    /// Make a collection with known near-duplicates, to try and to measure
    Synth(SynthArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use neardupe_jobs::registry::JOB_KINDS;

    /// Whoever knows a kind of job from a program finds it on the command line, with all its parameters.
    #[test]
    fn every_kind_of_job_is_a_command_with_all_its_parameters() {
        let program = Arguments::command();
        for kind in JOB_KINDS {
            let name = kind.name;
            let mut command = &program;
            for word in name.split(' ') {
                let inner = command.find_subcommand(word);
                command = inner.unwrap_or_else(|| panic!("{name}: no command"));
            }
            let flags: Vec<&str> = command
                .get_arguments()
                .filter_map(clap::Arg::get_long)
                .collect();
            let has = |flag: &str| flags.contains(&flag);
            assert!(has("config") && has("check"), "{name}");
            for info in (kind.params)() {
                assert!(
                    info.is_positional || has(info.name),
                    "{name}: {}",
                    info.name
                );
                if let Some(opposite) = info.opposite() {
                    assert!(has(&opposite), "{name}: {opposite}");
                }
            }
        }
    }
}
