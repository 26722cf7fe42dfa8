//! The exact join: every pair that can be similar is compared. With a signature filter, only those of them that
//! share keys of I-Match.

use super::definition::{Definition, Keys, MethodInput, MethodPromise, Signer};
use super::imatch::{KeySigner, side_of_lexicons};
use crate::candidate::filter::Filters;
use crate::candidate::side::SideLayout;
use crate::error::Result;
use std::fmt;

/// The name of the method wherever it is typed or shown.
pub(super) const NAME: &str = "exact";
/// In what signatures agree, for help; nothing for the method that has none.
pub(super) const HELP: &str = "";

/// All that can be similar.
#[derive(Debug)]
pub(super) struct Exact {}

impl fmt::Display for Exact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(NAME)
    }
}

impl Definition for Exact {
    fn name(&self) -> &'static str {
        NAME
    }

    fn promise(&self) -> MethodPromise {
        MethodPromise::Exact
    }

    fn filters(&self, job: &MethodInput<'_>, filters: Filters) -> Filters {
        if job.sampling.adaptive.is_some() {
            // Sets are looked up by features, but their order says nothing.
            return filters.by_keys();
        }
        filters
    }

    fn side(&self, job: &MethodInput<'_>) -> SideLayout {
        side_of_lexicons(job)
    }

    fn signer(&self, job: &MethodInput<'_>) -> Result<Option<Box<dyn Signer>>> {
        Ok(KeySigner::of(job))
    }

    fn num_keys(&self, _: &MethodInput<'_>) -> usize {
        0
    }

    fn keys(&self, _: &MethodInput<'_>, _: u64) -> Option<Box<dyn Keys>> {
        None
    }
}
