//! What can be typed.

use crate::commands::find::FindArgs;
use crate::commands::plan::PlanArgs;
use crate::commands::synth::SynthArgs;
use clap::{Parser, Subcommand};

/// Finds every near-duplicate document in collections of any size: exact, explained.
#[derive(Parser)]
#[command(name = "neardupe", version, max_term_width = 100)]
#[command(after_help = "Try it: neardupe find examples/pages")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Find near-duplicates: clusters, evidence, pairs
    Find(Box<FindArgs>),
    /// Tell what `find` will need, from a sample: documents, memory, disk, time
    Plan(Box<PlanArgs>),
    /// Make a collection with known near-duplicates, to try and to measure
    Synth(SynthArgs),
}
