//! Which documents are looked up, and which pairs the texts decide.
//!
//! Pairs that only texts can decide are sampled in strata by what their addresses said: the kinds
//! of pairs with one address differ much from those of unrelated ids, so each stratum is
//! estimated by itself.

use super::address::{Address, ByAddress};
use super::pairs::{Equal, Member, PairRow};
use super::text::Hint;
use neardupe_core::hash::{self, FixedSet};

/// Pairs whose texts decide: by what the addresses said.
pub(super) const STRATA: usize = 3;

/// The documents that are looked up, of each side once.
#[derive(Default)]
pub(super) struct DocumentsToFind {
    /// By side: new, then old.
    pub(super) ids: [Vec<String>; 2],
    /// Side and hash of the id: shorter than the ids, of which there may be half a million.
    seen: FixedSet<(bool, u128)>,
}

impl DocumentsToFind {
    /// Whether there was room for a document, or it was there.
    pub(super) fn add(&mut self, member: &Member, most: usize) -> bool {
        let key = (member.is_old, hash::text(&member.id));
        if self.seen.contains(&key) {
            return true;
        }
        let has_room = self.seen.len() < most;
        if has_room {
            self.seen.insert(key);
            self.ids[usize::from(member.is_old)].push(member.id.clone());
        }
        has_room
    }
}

/// The URLs of a pair, where they are not the ids.
pub(super) fn urls(pair: &PairRow, addresses: &[Address; 2]) -> Option<[String; 2]> {
    let url = |at: usize| addresses[at].url();
    let ids = pair.members().map(|member| member.id.as_str());
    // An id may be the URL with a number behind it, or within that of an archive.
    let is_shown = |at: usize| url(at).is_none_or(|url| ids[at].contains(url));
    if is_shown(0) && is_shown(1) {
        None
    } else {
        Some([0, 1].map(|at| url(at).unwrap_or_default().to_owned()))
    }
}

/// The address of a document: by a URL that was looked up, else by that of the result, else
/// by the id.
pub(super) fn address(member: &Member, url: Option<&str>) -> Address {
    Address::new(&member.id, url.or(member.url.as_deref()))
}

/// What the addresses said, where the texts decide; none where they need not.
pub(super) fn undecided(pair: &PairRow, by_address: &ByAddress) -> Option<Hint> {
    match by_address {
        // Equal texts need no second look.
        _ if is_decided_by_address(by_address) || pair.equal == Equal::Text => None,
        ByAddress::Same => Some(Hint::SameAddress),
        ByAddress::Version => Some(Hint::Version),
        _ => Some(Hint::Nothing),
    }
}

/// Whether the addresses alone give the kind.
fn is_decided_by_address(by_address: &ByAddress) -> bool {
    matches!(
        by_address,
        ByAddress::Variant(_) | ByAddress::OtherHost { .. } | ByAddress::Forum(_)
    )
}

/// What the addresses said, by stratum.
pub(super) const HINTS: [Hint; STRATA] =
    [Hint::SameAddress, Hint::Version, Hint::Nothing];

/// The place of a hint in `HINTS`.
pub(super) fn stratum(hint: Hint) -> usize {
    match hint {
        Hint::SameAddress => 0,
        Hint::Version => 1,
        Hint::Nothing => 2,
    }
}
