//! Hosts: how many documents each has, and which have the same ones.

use super::sources::Source;
use super::tally::Removed;
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::hash::{FixedMap, FixedSet};
use neardupe_core::pipeline::FindResult;

/// Hosts that are told apart; what is on further ones is not counted by host.
const MAX_HOSTS: usize = 200_000;
/// Documents that are counted for pairs of hosts.
const MAX_PAIRS: usize = 1_000_000;
/// Documents looked at to see whether they have addresses at all.
const PROBED: u32 = 1000;
/// No host that is counted.
const NONE: u32 = u32::MAX;

/// The documents of each host.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    /// In the order of the input.
    pub(super) hosts: Vec<Source>,
    /// Documents of each, old ones included.
    totals: Vec<u64>,
    /// Documents on hosts that are not counted.
    pub(super) further: u64,
    /// Pairs of hosts with documents in common, most first.
    pub(super) mirrors: Vec<Mirror>,
}

/// Two hosts that have documents in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mirror {
    pub(super) left: Source,
    pub(super) right: Source,
    /// Documents that are kept on one and have copies on the other.
    pub(super) common: u64,
}

/// Pairs of hosts that are shown.
const SHOWN_MIRRORS: usize = 20;

impl Hosts {
    /// Counts by host. `url` is the place of the address among the metadata.
    pub(super) fn new(
        result: &FindResult,
        removed: &Removed,
        url: Option<usize>,
    ) -> Result<Self> {
        let documents = &result.documents;
        let mut hosts = Hosts::default();
        let host = |document: DocIdx| -> Result<Option<String>> {
            if let Some(url) = url
                && let Some(url) = documents.metadata(document)?.into_iter().nth(url)
                && let Some(host) = url.as_deref().and_then(host_of)
            {
                return Ok(Some(host));
            }
            Ok(host_of(&documents.id(document)?))
        };
        // Spread over the input: the first file may be of another kind.
        let step = (documents.len() / PROBED).max(1);
        let mut probes = (0..documents.len()).step_by(step as usize);
        let has_hosts = probes.try_fold(false, |found, document| {
            Ok::<_, neardupe_core::error::Error>(found || host(document)?.is_some())
        })?;
        if !has_hosts {
            return Ok(hosts);
        }
        let mut numbers: FixedMap<String, u32> = FixedMap::default();
        let mut of_document = Vec::with_capacity(documents.len() as usize);
        for document in 0..documents.len() {
            let number = match host(document)? {
                None => NONE,
                Some(name) => {
                    let counts = match documents.is_old(document) {
                        true => (0, 0),
                        false => (1, u64::from(removed.has(document))),
                    };
                    hosts.count(&mut numbers, name, counts)
                }
            };
            of_document.push(number);
        }
        hosts.pair_up(result, &of_document);
        Ok(hosts)
    }

    /// Counts a document of a host, unless it is an old one; the number of the host.
    fn count(
        &mut self,
        numbers: &mut FixedMap<String, u32>,
        name: String,
        (documents, removed): (u64, u64),
    ) -> u32 {
        let number = match numbers.get(&name) {
            Some(&number) => number,
            None if self.hosts.len() >= MAX_HOSTS => {
                self.further += 1;
                return NONE;
            }
            None => {
                let number = u32::try_from(self.hosts.len()).unwrap_or(NONE);
                numbers.insert(name.clone(), number);
                self.totals.push(0);
                self.hosts.push(Source {
                    name,
                    documents: 0,
                    removed: 0,
                });
                number
            }
        };
        let host = &mut self.hosts[number as usize];
        host.documents += documents;
        host.removed += removed;
        self.totals[number as usize] += 1;
        number
    }

    fn pair_up(&mut self, result: &FindResult, of_document: &[u32]) {
        let mut pairs: FixedMap<(u32, u32), u64> = FixedMap::default();
        // Ten copies of one document are one document in common.
        let mut counted: FixedSet<(u32, DocIdx)> = FixedSet::default();
        for duplicate in &result.duplicates {
            let one = of_document[duplicate.document as usize];
            let kept_on = of_document[duplicate.representative as usize];
            let has_both = one != kept_on && one != NONE && kept_on != NONE;
            if !has_both || counted.len() >= MAX_PAIRS {
                continue;
            }
            if counted.insert((one, duplicate.representative)) {
                *pairs
                    .entry((one.min(kept_on), one.max(kept_on)))
                    .or_default() += 1;
            }
        }
        let mut pairs: Vec<((u32, u32), u64)> = pairs.into_iter().collect();
        // One page in common is no mirror.
        pairs.retain(|&(_, common)| common > 1);
        pairs.sort_unstable_by_key(|&(pair, common)| (std::cmp::Reverse(common), pair));
        pairs.truncate(SHOWN_MIRRORS);
        let host = |number: u32| Source {
            documents: self.totals[number as usize],
            ..self.hosts[number as usize].clone()
        };
        self.mirrors = pairs
            .into_iter()
            .map(|((left, right), common)| Mirror {
                left: host(left),
                right: host(right),
                common,
            })
            .collect();
    }
}

/// The host of an address of the web, in lower case and without its port.
fn host_of(url: &str) -> Option<String> {
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
}
