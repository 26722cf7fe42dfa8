//! Which pairs are worth verifying: the exact prefix join (PPJoin: Xiao et al., WWW 2008;
//! the mapdupreducer paper, section 2).
//!
//! In order: [`chunk`] holds the sets, [`partition`], [`counts`] and [`ranking`] distinguish
//! rare features from frequent ones, [`prefix`] selects the rarest features of each set, [`open_sets`]
//! holds the sets that can have a partner, [`posting_window`] those that are probed at one time,
//! [`postings`] the lists of their prefixes, [`filter`] what drops a candidate without losing
//! a pair, [`ledger`] what each filter did. [`sieve`] and [`select`] are the two steps from
//! chunks to open sets as functions, [`tally`] counts in a form that can be merged,
//! [`common`] sets aside what too many documents have. [`hamming`] joins codes instead of sets.

pub mod bitmap;
pub mod chunk;
pub mod common;
pub mod counts;
pub mod filter;
pub mod hamming;
pub mod posting_window;
pub mod open_sets;
pub mod ledger;
pub mod levels;
pub mod partition;
pub(crate) mod popcnt;
pub mod postings;
pub mod prefix;
pub mod ranking;
pub mod schedule;
pub mod select;
pub mod side;
pub mod sieve;
pub mod tally;
pub mod wanted;
