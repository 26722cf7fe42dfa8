//! `neardupe study`: what parameters do on the user's own collection, measured.
//!
//! One file for each study; [`front`] is what all of them have.

mod adaptive;
mod front;
mod grid;
mod sampling;
mod show;

use anyhow::Result;
use clap::{Args, Subcommand};
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
    Sampling(Box<sampling::SamplingArgs>),
    /// The fewest features, by size of documents, that keep the precision asked for
    Adaptive(Box<adaptive::AdaptiveArgs>),
    /// Shingles of words and characters, terms, lines, spot signatures: which find duplicates best
    Features(Box<grid::features::FeaturesArgs>),
    /// Every method on this collection: what it finds, misses and takes
    Signatures(Box<grid::signatures::SignaturesArgs>),
    /// In how many bits two simhashes may differ: what each distance finds and takes
    Hamming(Box<grid::hamming::HammingArgs>),
    /// Parameters of `passages`: what each finds, by characters
    Passages(Box<grid::passages::StudyPassagesArgs>),
    /// What each threshold finds and would remove
    Threshold(Box<grid::threshold::ThresholdArgs>),
}

/// Runs the command.
pub(crate) fn run(args: &StudyArgs) -> Result<ExitCode> {
    match &args.what {
        What::Sampling(args) => sampling::run(args),
        What::Adaptive(args) => adaptive::run(args),
        What::Features(args) => grid::features::run(args),
        What::Signatures(args) => grid::signatures::run(args),
        What::Hamming(args) => grid::hamming::run(args),
        What::Passages(args) => grid::passages::run(args),
        What::Threshold(args) => grid::threshold::run(args),
    }
}
