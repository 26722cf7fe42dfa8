//! Simhash: a document has a code of 64 bits of its weighted features ([`crate::signature::coder`]); codes that
//! differ in a few bits agree in a choice of blocks, which are keys ([`crate::candidate::hamming`]). Without
//! verification the bits of the code are what is compared.

use super::definition::{Definition, Keys, MethodInput, MethodPromise, Signer, missing};
use crate::candidate::filter::{Filters, Within};
use crate::candidate::hamming::BlockKeys;
use crate::candidate::side::{SideKind, SideLayout, SideTable};
use crate::document::Record;
use crate::error::Result;
use crate::hash;
use crate::numbers::SetIdx;
use crate::signature::Coder;
use std::fmt;
use std::sync::Arc;

/// The name of the method wherever it is typed or shown.
pub(super) const NAME: &str = "simhash";
/// In what signatures agree, for help.
pub(super) const HELP: &str = "simhash (in all but a few bits)";

/// What is done with simhashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hamming {
    /// Bits in which two codes may differ.
    pub distance: u32,
    /// Pairs must be similar too, by their features. Otherwise similarity is the share of bits
    /// in which codes agree, and the threshold follows from the distance.
    pub verified: bool,
}

/// Pairs whose simhashes differ in a few bits.
#[derive(Debug)]
pub(super) struct NearCodes {
    pub(super) hamming: Hamming,
}

impl NearCodes {
    /// What codes must agree in.
    fn within(&self, job: &MethodInput<'_>) -> Within {
        Within {
            distance: self.hamming.distance,
            exact: job.codes.map_or(0, |codes| codes.reserved_bits()),
        }
    }
}

impl fmt::Display for NearCodes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verified = if self.hamming.verified {
            ""
        } else {
            " unverified"
        };
        write!(out, "{NAME} {}{verified}", self.hamming.distance)
    }
}

impl Definition for NearCodes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn promise(&self) -> MethodPromise {
        if self.hamming.verified {
            MethodPromise::Verified
        } else {
            MethodPromise::Estimated
        }
    }

    fn filters(&self, job: &MethodInput<'_>, filters: Filters) -> Filters {
        Filters {
            // Codes themselves are compared, and all of each.
            bitmap: filters.bitmap && self.hamming.verified,
            within: Some(self.within(job)),
            ..filters.by_keys()
        }
    }

    fn side(&self, _: &MethodInput<'_>) -> SideLayout {
        SideLayout::of(SideKind::Code, 1)
    }

    fn signer(&self, job: &MethodInput<'_>) -> Result<Option<Box<dyn Signer>>> {
        let codes = job.codes.ok_or_else(missing)?;
        Ok(Some(Box::new(CodeSigner {
            coder: Coder::new(Arc::clone(codes))?,
            code: 0,
            verified: self.hamming.verified,
        })))
    }

    fn num_keys(&self, job: &MethodInput<'_>) -> usize {
        BlockKeys::most_keys(self.within(job))
    }

    fn keys(&self, job: &MethodInput<'_>, num_sets: u64) -> Option<Box<dyn Keys>> {
        Some(Box::new(BlockKeys::new(self.within(job), num_sets)))
    }

    fn signature_values(&self) -> Option<usize> {
        Some(1)
    }

    fn has_codes(&self) -> bool {
        true
    }

    /// Of codes alone nothing is known that they could miss.
    fn can_be_measured(&self) -> bool {
        self.hamming.verified
    }
}

/// Makes simhashes.
#[derive(Debug)]
struct CodeSigner {
    coder: Coder,
    /// That of the record that was signed last.
    code: u64,
    verified: bool,
}

impl Signer for CodeSigner {
    fn sign(&mut self, record: &Record<'_>, side: &mut Vec<u64>) -> bool {
        let code = self.coder.code(record);
        self.code = code.unwrap_or(0);
        side.extend(code);
        code.is_some()
    }

    fn features(&mut self, _: &Record<'_>, features: &mut Vec<u64>) -> Option<usize> {
        if self.verified {
            return None;
        }
        features.extend(bits_of(self.code));
        Some(0)
    }
}

/// The bits of a code as features: of two codes as many are the same as bits are.
fn bits_of(code: u64) -> impl Iterator<Item = u64> {
    let value = move |bit: u64| (code >> bit) & 1;
    (0..64).map(move |bit| hash::numbered(bit, value(bit), 0x6269_7473_2121_2121))
}

impl Keys for BlockKeys {
    fn num_keys(&self) -> usize {
        BlockKeys::num_keys(self)
    }

    fn of(
        &self,
        _: &[u64],
        (side, set): (&SideTable, SetIdx),
        _: &mut Vec<u64>,
        keys: &mut Vec<u64>,
    ) {
        let code = side.get(set, SideKind::Code).first();
        self.keys(code.copied().unwrap_or(0), keys);
    }
}
