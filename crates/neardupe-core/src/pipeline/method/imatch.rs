//! I-Match: keys of the terms that are neither common nor rare ([`crate::signature::imatch`]), made while a
//! document is read. They are keys of the method, or what the signature filter of the exact join compares.

use super::definition::{Definition, Keys, MethodInput, MethodPromise, Signer, missing};
use crate::candidate::side::{SideKind, SideLayout, SideTable};
use crate::document::Record;
use crate::error::Result;
use crate::numbers::SetIdx;
use crate::signature::KeyMaker;
use std::fmt;

/// The name of the method wherever it is typed or shown.
pub(super) const NAME: &str = "imatch";
/// In what signatures agree, for help.
pub(super) const HELP: &str = "imatch or imatch:LOW-HIGH,K,P (in a key of all terms that are neither common \
     nor rare)";

/// Pairs that share a key of I-Match.
#[derive(Debug)]
pub(super) struct SharedKeys {}

impl fmt::Display for SharedKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(NAME)
    }
}

impl Definition for SharedKeys {
    fn name(&self) -> &'static str {
        NAME
    }

    fn promise(&self) -> MethodPromise {
        MethodPromise::Verified
    }

    fn side(&self, job: &MethodInput<'_>) -> SideLayout {
        side_of_lexicons(job)
    }

    fn signer(&self, job: &MethodInput<'_>) -> Result<Option<Box<dyn Signer>>> {
        KeySigner::of(job).ok_or_else(missing).map(Some)
    }

    fn num_keys(&self, job: &MethodInput<'_>) -> usize {
        num_keys(job)
    }

    fn keys(&self, job: &MethodInput<'_>, _: u64) -> Option<Box<dyn Keys>> {
        Some(Box::new(MadeKeys(num_keys(job))))
    }
}

/// Keys of a document at most.
fn num_keys(job: &MethodInput<'_>) -> usize {
    job.lexicons.map_or(0, |lexicons| lexicons.num_keys())
}

/// Keys of I-Match, where a job makes any.
pub(super) fn side_of_lexicons(job: &MethodInput<'_>) -> SideLayout {
    match num_keys(job) {
        0 => SideLayout::default(),
        num_keys => SideLayout::of(SideKind::Keys, num_keys),
    }
}

/// Keys that were made while reading; at most so many.
#[derive(Debug)]
pub(in crate::pipeline) struct MadeKeys(pub(in crate::pipeline) usize);

impl Keys for MadeKeys {
    fn num_keys(&self) -> usize {
        self.0
    }

    fn of(
        &self,
        _: &[u64],
        (side, set): (&SideTable, SetIdx),
        _: &mut Vec<u64>,
        keys: &mut Vec<u64>,
    ) {
        let made = side.get(set, SideKind::Keys).iter();
        keys.extend(made.filter(|&&key| key != 0));
    }
}

/// Makes keys of I-Match.
#[derive(Debug)]
pub(super) struct KeySigner {
    maker: KeyMaker,
    num_keys: usize,
}

impl KeySigner {
    /// That of a job, if it makes keys.
    pub(super) fn of(job: &MethodInput<'_>) -> Option<Box<dyn Signer>> {
        let lexicons = job.lexicons?;
        Some(Box::new(KeySigner {
            maker: KeyMaker::new(lexicons),
            num_keys: lexicons.num_keys(),
        }))
    }
}

impl Signer for KeySigner {
    /// Appends the keys of a text; 0 where there is none.
    fn sign(&mut self, record: &Record<'_>, side: &mut Vec<u64>) -> bool {
        let start = side.len();
        self.maker.sign(record.text, side);
        side.resize(start + self.num_keys, 0);
        true
    }
}
