//! `neardupe study`: what parameters do on the user's own collection, measured.

mod adaptive;
mod front;
mod show;

use anyhow::Result;
use clap::{Args, Subcommand};
use front::StudyJobArgs;
use neardupe_jobs::kind::study::{
    StudyFeaturesSpec, StudyHammingSpec, StudyPassagesSpec, StudySamplingSpec,
    StudySignaturesSpec, StudyThresholdSpec,
};
use std::process::ExitCode;

/// What was typed after `study`.
#[derive(Debug, Args)]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// What a sample of the features finds: every ratio, trial, threshold and size of documents
    Sampling(Box<StudyJobArgs<StudySamplingSpec>>),
    /// The fewest features, by size of documents, that keep the precision asked for
    Adaptive(Box<adaptive::AdaptiveArgs>),
    /// Shingles of words and characters, terms, lines, spot signatures: which find duplicates best
    Features(Box<StudyJobArgs<StudyFeaturesSpec>>),
    /// Every method on this collection: what it finds, misses and takes
    Signatures(Box<StudyJobArgs<StudySignaturesSpec>>),
    /// In how many bits two simhashes may differ: what each distance finds and takes
    Hamming(Box<StudyJobArgs<StudyHammingSpec>>),
    /// Parameters of `passages`: what each finds, by characters
    // What all studies share and passages do not have is refused, so help does not list it.
    #[command(mut_arg("features", |arg| arg.hide(true)))]
    #[command(mut_arg("words", |arg| arg.hide(true)))]
    #[command(mut_arg("stop-words", |arg| arg.hide(true)))]
    #[command(mut_arg("stem", |arg| arg.hide(true)))]
    #[command(mut_arg("antecedents", |arg| arg.hide(true)))]
    #[command(mut_arg("seed", |arg| arg.hide(true)))]
    #[command(mut_arg("preset", |arg| arg.hide(true)))]
    #[command(mut_arg("hash", |arg| arg.hide(true)))]
    Passages(Box<StudyJobArgs<StudyPassagesSpec>>),
    /// What each threshold finds and would remove
    Threshold(Box<StudyJobArgs<StudyThresholdSpec>>),
}

/// Runs the command.
pub(crate) fn run(args: &StudyArgs) -> Result<ExitCode> {
    match &args.what {
        What::Sampling(args) => front::run(args),
        What::Adaptive(args) => adaptive::run(args),
        What::Features(args) => front::run(args),
        What::Signatures(args) => front::run(args),
        What::Hamming(args) => front::run(args),
        What::Passages(args) => front::run(args),
        What::Threshold(args) => front::run(args),
    }
}
