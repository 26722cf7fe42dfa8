//! Hosts: how many documents each has, and which have the same ones.
//!
//! A document is on the host of its URL, else of its id. Whether a collection has addresses at
//! all is found on a thousand documents spread over it, so a collection without them costs no
//! second look at every id. Pairs of hosts are counted by the documents that are kept on one and
//! duplicated on the other.

use super::sources::{Source, SourceCounts};
use super::tally::Removed;
use crate::causes::hosts::{HostNumbers, HostPairs, host_of};
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::pipeline::FindResult;

/// Documents looked at to see whether they have addresses at all.
const PROBED: u32 = 1000;
/// No host that is counted; far fewer hosts than this are.
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
    /// The host that comes first by number.
    pub(super) left: Source,
    /// The other one.
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
        let mut probes = documents.all().step_by(step as usize);
        // Stops looking at the first address.
        let has_hosts = probes.try_fold(false, |found, document| {
            Ok::<_, neardupe_core::error::Error>(found || host(document)?.is_some())
        })?;
        if !has_hosts {
            return Ok(hosts);
        }
        let mut numbers = HostNumbers::default();
        let mut of_document = Vec::with_capacity(documents.len() as usize);
        for document in documents.all() {
            let number = match host(document)? {
                None => NONE,
                Some(name) => {
                    let counts = if documents.is_old(document) {
                        SourceCounts::default()
                    } else {
                        SourceCounts {
                            documents: 1,
                            removed: u64::from(removed.has(document)),
                        }
                    };
                    hosts.count(&mut numbers, name, counts)
                }
            };
            // A number for every document, so that pairs below need no second look at
            // addresses.
            of_document.push(number);
        }
        hosts.pair_up(result, &of_document);
        Ok(hosts)
    }

    /// Counts a document of a host, unless it is an old one; the number of the host.
    fn count(
        &mut self,
        numbers: &mut HostNumbers,
        name: String,
        counts: SourceCounts,
    ) -> u32 {
        let Some(number) = numbers.number(&name) else {
            self.further += 1;
            return NONE;
        };
        // Numbers are given in order, so a new one is that behind the last.
        if number as usize == self.hosts.len() {
            self.totals.push(0);
            self.hosts.push(Source {
                name,
                documents: 0,
                removed: 0,
            });
        }
        let host = &mut self.hosts[number as usize];
        host.documents += counts.documents;
        host.removed += counts.removed;
        self.totals[number as usize] += 1;
        number
    }

    /// Counts what hosts have in common, by the duplicates: the host of the representative is
    /// where the document is kept. Pairs with one document are dropped.
    fn pair_up(&mut self, result: &FindResult, of_document: &[u32]) {
        let mut pairs = HostPairs::default();
        for duplicate in &result.duplicates {
            let one = of_document[duplicate.document.index()];
            let kept_on = of_document[duplicate.representative.index()];
            if one != NONE && kept_on != NONE {
                pairs.add(one, kept_on, duplicate.representative.get().into(), false);
            }
        }
        let mut pairs = pairs.into_sorted();
        // One page in common is no mirror.
        pairs.retain(|(_, common)| common.documents > 1);
        pairs.truncate(SHOWN_MIRRORS);
        let host = |number: u32| Source {
            // Here with old documents: a mirror may be old as a whole.
            documents: self.totals[number as usize],
            ..self.hosts[number as usize].clone()
        };
        self.mirrors = pairs
            .into_iter()
            .map(|((left, right), common)| Mirror {
                left: host(left),
                right: host(right),
                common: common.documents,
            })
            .collect();
    }
}
