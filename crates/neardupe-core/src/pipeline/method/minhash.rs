//! MinHash: a set has the bands of its signature as keys ([`crate::signature::minhash`]).

use super::definition::{Definition, Keys, MethodInput, MethodPromise};
use crate::candidate::side::SideTable;
use crate::numbers::SetIdx;
use crate::signature::{Bands, MinHasher};
use std::fmt;

/// The name of the method wherever it is typed or shown.
pub(super) const NAME: &str = "minhash";
/// In what signatures agree, for help.
pub(super) const HELP: &str = "minhash (in a band)";

/// Pairs whose signatures agree in a band.
#[derive(Debug)]
pub(super) struct BandedMinHash {
    pub(super) bands: Bands,
}

impl fmt::Display for BandedMinHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{NAME} {}", self.bands)
    }
}

impl Definition for BandedMinHash {
    fn name(&self) -> &'static str {
        NAME
    }

    fn promise(&self) -> MethodPromise {
        MethodPromise::Verified
    }

    fn num_keys(&self, _: &MethodInput<'_>) -> usize {
        self.bands.num_keys()
    }

    fn signature_values(&self) -> Option<usize> {
        Some(self.bands.num_values())
    }

    fn keys(&self, job: &MethodInput<'_>, _: u64) -> Option<Box<dyn Keys>> {
        Some(Box::new(BandKeys::new(self.bands, job.seed)))
    }
}

/// Bands of MinHash values of the features.
#[derive(Debug)]
pub(super) struct BandKeys {
    hasher: MinHasher,
    bands: Bands,
}

impl BandKeys {
    /// Keys of the bands of signatures with this seed.
    pub(super) fn new(bands: Bands, seed: u64) -> Self {
        BandKeys {
            hasher: MinHasher::new(bands.num_values(), seed),
            bands,
        }
    }
}

impl Keys for BandKeys {
    fn num_keys(&self) -> usize {
        self.bands.num_keys()
    }

    fn of(
        &self,
        features: &[u64],
        _: (&SideTable, SetIdx),
        values: &mut Vec<u64>,
        keys: &mut Vec<u64>,
    ) {
        self.hasher.sign(features, values);
        self.bands.keys(values, keys);
    }
}
