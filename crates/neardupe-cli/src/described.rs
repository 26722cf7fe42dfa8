//! Flags of all commands whose job comes from a description.

use crate::typed::{Typed, from_file, rendered};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::Progress;
use neardupe_core::error::Error;
use neardupe_jobs::exec::Exec;
use neardupe_jobs::param::Params;
use std::path::PathBuf;

/// Where a description comes from, and whether it is only checked.
#[derive(Debug, Args)]
pub(crate) struct DescribedArgs {
    /// Read options from a TOML file; its keys are the names of the flags
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Check the options, print all of them as they would be used, as JSON, and run nothing
    #[arg(long)]
    pub(crate) check: bool,
}

impl DescribedArgs {
    /// What was typed, and where nothing was, what the configuration file says.
    pub(crate) fn spec<P: Params>(&self, typed: &Typed<P>, whose: &str) -> Result<P> {
        let typed = typed.0.clone();
        Ok(match &self.config {
            None => typed,
            Some(path) => typed.or(from_file(path, whose)?),
        })
    }
}

/// An error about a parameter that has no flag here, by the name of its place.
pub(crate) fn by_place(error: Error, param: &str, place: &str) -> Error {
    match error {
        Error::Config { key, message } if key == param => Error::config(place, message),
        other => other,
    }
}

/// What a job is run with that is not resumed.
pub(crate) fn exec(progress: &dyn Progress) -> Exec<'_> {
    Exec {
        words: rendered,
        ..Exec::new(progress)
    }
}
