//! Hosts that have the same documents: how many, and when that makes them mirrors.
//!
//! Hosts are counted by the hosts of all documents in the input, not only of those in the result:
//! two hosts with ten documents in common are mirrors if they have twelve, and are not if they
//! have a million. Every table here is bounded. Beyond the bounds, totals keep the hosts with the
//! smallest hashes (the same hosts whatever the order of threads), and pairs of hosts stop
//! counting, which `left_out` reports.

use neardupe_core::hash::{self, FixedMap, FixedSet};
use neardupe_core::ratio::Ratio;
use std::collections::BTreeMap;

/// Hosts that are counted; documents on further ones are not counted by host.
const MAX_HOSTS: usize = 200_000;
/// Documents that are counted for pairs of hosts.
const MAX_COUNTED: usize = 1_000_000;
/// Hosts whose documents are counted.
const MAX_TOTALS: usize = 1_000_000;
/// From so many documents in common on, two hosts may be mirrors.
pub const MIN_SHARED: u64 = 5;

/// The host of an address of the web, in lower case and without its port.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let is_web =
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        // The colons of an address of version 6 begin no port.
        Some(address) => address.split(']').next()?,
        None => host.split(':').next()?,
    };
    let host = host.trim_end_matches('.');
    (is_web && !host.is_empty()).then(|| host.to_lowercase())
}

/// Numbers of hosts, in the order in which they are met.
#[derive(Debug, Default)]
pub(crate) struct HostNumbers {
    /// By name.
    numbers: FixedMap<String, u32>,
    /// By number.
    names: Vec<String>,
}

impl HostNumbers {
    /// The number of a host; none when there are too many.
    pub(crate) fn number(&mut self, name: &str) -> Option<u32> {
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        let number = u32::try_from(self.names.len()).ok();
        let number = number.filter(|_| self.names.len() < MAX_HOSTS)?;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        Some(number)
    }

    /// The number of a host that was met.
    pub(crate) fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name of a host.
    pub(crate) fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }
}

/// What two hosts have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Common {
    /// Documents that are kept on one and have copies on the other.
    pub(crate) documents: u64,
    /// Those of them whose copy has the same path.
    pub(crate) same_path: u64,
}

/// Pairs of hosts with documents in common.
#[derive(Debug, Default)]
pub(crate) struct HostPairs {
    /// By the numbers of both hosts, the smaller first.
    pairs: FixedMap<(u32, u32), Common>,
    /// Ten copies of one document are one document in common.
    counted: FixedSet<(u32, u64)>,
    /// Documents that were not counted, since there are too many.
    pub(crate) left_out: u64,
}

impl HostPairs {
    /// A document of one host that has a copy on another, where it is kept.
    pub(crate) fn add(&mut self, one: u32, kept_on: u32, kept: u64, same_path: bool) {
        if one == kept_on {
            return;
        }
        if self.counted.len() >= MAX_COUNTED {
            self.left_out += 1;
            return;
        }
        // By the document that is kept, since its copies on one host count once.
        if self.counted.insert((one, kept)) {
            let pair = (one.min(kept_on), one.max(kept_on));
            let common = self.pairs.entry(pair).or_default();
            common.documents += 1;
            common.same_path += u64::from(same_path);
        }
    }

    /// What two hosts have in common.
    pub(crate) fn get(&self, one: u32, other: u32) -> Common {
        let common = self.pairs.get(&(one.min(other), one.max(other)));
        common.copied().unwrap_or_default()
    }

    /// All pairs, those with most in common first.
    pub(crate) fn into_sorted(self) -> Vec<((u32, u32), Common)> {
        let mut pairs: Vec<((u32, u32), Common)> = self.pairs.into_iter().collect();
        pairs.sort_unstable_by_key(|&(pair, common)| {
            (std::cmp::Reverse(common.documents), pair)
        });
        pairs
    }
}

/// How many documents each host has, for a bounded number of hosts: of too many those with
/// the smallest hashes, so that it does not matter who counts them in what order.
#[derive(Debug, Default)]
pub(crate) struct HostTotals {
    /// By the hash of the name: the largest hash is dropped when there are too many.
    totals: BTreeMap<u64, u64>,
    /// Hashes from here on are not counted.
    limit: Option<u64>,
}

impl HostTotals {
    /// A document of a host.
    pub(crate) fn add(&mut self, host: &str) {
        self.add_many(key(host), 1, MAX_TOTALS);
    }

    /// Adds documents of a host, unless its hash is beyond the limit.
    fn add_many(&mut self, key: u64, documents: u64, most: usize) {
        if self.limit.is_some_and(|limit| key >= limit) {
            return;
        }
        *self.totals.entry(key).or_default() += documents;
        if self.totals.len() > most {
            // From now on hashes above this one are ignored, also when they come again: a host is
            // counted from its first document or not at all.
            self.limit = self.totals.pop_last().map(|(key, _)| key);
        }
    }

    /// Adds what another thread has counted.
    pub(crate) fn merge(&mut self, other: HostTotals) {
        self.merge_up_to(other, MAX_TOTALS);
    }

    /// The same limit for both first, so that no host is counted in part.
    fn merge_up_to(&mut self, other: HostTotals, most: usize) {
        if let Some(limit) = other.limit {
            let limit = self.limit.map_or(limit, |own| own.min(limit));
            self.limit = Some(limit);
            self.totals.split_off(&limit);
        }
        for (key, documents) in other.totals {
            self.add_many(key, documents, most);
        }
    }

    /// Documents of a host; none when they were not counted.
    pub(crate) fn get(&self, host: &str) -> Option<u64> {
        self.totals.get(&key(host)).copied()
    }
}

/// The hash of a host. Mixed once more, so that the smallest ones are a random choice.
fn key(host: &str) -> u64 {
    hash::mix(hash::bytes(host.as_bytes(), 0))
}

/// What two hosts that have documents in common are to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPair {
    /// One host, the first by name.
    pub left: String,
    /// The other.
    pub right: String,
    /// Documents of the left host; none when the originals could not be read.
    pub left_documents: Option<u64>,
    /// Documents of the right host.
    pub right_documents: Option<u64>,
    /// Documents that are kept on one and have copies on the other.
    pub shared: u64,
    /// Those of them that have the same path on both.
    pub same_path: u64,
}

impl HostPair {
    /// Documents of the smaller host, but never fewer than both have in common.
    pub fn smaller(&self) -> Option<u64> {
        let both = self.left_documents.zip(self.right_documents);
        both.map(|(left, right)| left.min(right).max(self.shared))
    }

    /// How many documents both have, of those of the smaller host.
    pub fn share(&self) -> Option<Ratio> {
        let smaller = self.smaller()?;
        Some(Ratio::new(self.shared, smaller))
    }

    /// The name of what they are to each other.
    pub fn verdict(&self) -> &'static str {
        if self.is_mirror() { "mirror" } else { "copied" }
    }

    /// Whether one mirrors the other: at least [`MIN_SHARED`] documents in common, at least
    /// half of those of the smaller host, and at least half of them under the same path. Where
    /// the sizes of the hosts are not known, the other two must do.
    pub fn is_mirror(&self) -> bool {
        let is_much = self
            .smaller()
            .is_none_or(|smaller| 2 * self.shared >= smaller);
        self.shared >= MIN_SHARED && is_much && 2 * self.same_path >= self.shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_addresses() {
        let cases = [
            ("http://Example.org/a", Some("example.org")),
            ("https://www.example.org:8080?q=1", Some("www.example.org")),
            ("https://me:secret@example.org./#top", Some("example.org")),
            ("http://[2001:db8::1]:80/a", Some("2001:db8::1")),
            ("HTTP://b\u{fc}cher.example", Some("b\u{fc}cher.example")),
            ("urn:uuid:1", None),
            ("file:///etc/passwd", None),
            ("http:///a", None),
            ("clueweb09-en0000-00-00000", None),
        ];
        for (url, host) in cases {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
        }
    }

    #[test]
    fn ten_copies_of_one_document_are_one_in_common() {
        let mut numbers = HostNumbers::default();
        let [a, b] = ["a.org", "b.org"].map(|name| numbers.number(name).unwrap());
        let mut pairs = HostPairs::default();
        for _ in 0..10 {
            pairs.add(a, b, 7, true);
        }
        pairs.add(b, a, 8, false);
        pairs.add(a, a, 9, true);
        let expected = Common {
            documents: 2,
            same_path: 1,
        };
        assert_eq!(pairs.get(b, a), expected);
        assert_eq!(pairs.into_sorted(), [((a, b), expected)]);
        assert_eq!(numbers.name(b), "b.org");
    }

    #[test]
    fn mirrors_have_enough_of_the_same_under_the_same_names() {
        let hosts = |left, right, shared, same_path| HostPair {
            left: "a.org".to_owned(),
            right: "b.org".to_owned(),
            left_documents: left,
            right_documents: right,
            shared,
            same_path,
        };
        assert!(hosts(Some(10), Some(900), 5, 3).is_mirror());
        assert!(!hosts(Some(11), Some(900), 5, 5).is_mirror());
        assert!(!hosts(Some(4), Some(4), 4, 4).is_mirror());
        assert!(!hosts(Some(10), Some(10), 10, 4).is_mirror());
        assert!(hosts(None, None, 5, 5).is_mirror());
        // Never more than all of it.
        assert_eq!(hosts(Some(3), Some(9), 5, 5).smaller(), Some(5));
    }

    #[test]
    fn totals_do_not_depend_on_who_counts_them() {
        let hosts: Vec<String> = (0..300).map(|at| format!("h{}.org", at % 50)).collect();
        let count = |parts: usize, most: usize| {
            let mut all = HostTotals::default();
            for part in 0..parts {
                let mut totals = HostTotals::default();
                for host in hosts.iter().skip(part).step_by(parts) {
                    totals.add_many(key(host), 1, most);
                }
                all.merge_up_to(totals, most);
            }
            hosts.iter().map(|host| all.get(host)).collect::<Vec<_>>()
        };
        assert!(count(1, 100).iter().all(|total| *total == Some(6)));
        let few = count(1, 20);
        assert_eq!(few.iter().filter(|total| total.is_some()).count(), 20 * 6);
        assert!(few.iter().flatten().all(|total| *total == 6));
        for parts in [2, 7] {
            assert_eq!(count(parts, 20), few, "{parts} parts");
        }
    }
}
