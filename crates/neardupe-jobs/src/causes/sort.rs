//! Goes through a result and sorts its pairs.
//!
//! The table is read three times and never held: first to know which documents must be looked
//! up (those whose ids are no addresses, and those of a sample), then to count hosts and to
//! draw the sample of those pairs that addresses do not decide, and last to decide the kind of
//! each. In between the originals are read twice: once for places and URLs, once for the texts
//! of the sample. Which pairs are drawn depends on their ids alone.

mod compare;

use super::address::{Address, ByAddress};
use super::draw::{DocumentsToFind, HINTS, STRATA, address, stratum, undecided, urls};
use super::hosts::{HostNumbers, HostPair, HostPairs, HostTotals};
use super::originals::{DocumentOrigins, Originals};
use super::pairs::{Equal, Member, PairRow, for_each_pair, takes_pairs};
use super::tally::{CauseTally, Sorted};
use super::text::{Hint, same_address_and_text};
use super::{CauseKind, Verdict};
use neardupe_core::document::{Position, Progress, check_cancelled};
use neardupe_core::error::{Error, Result};
use neardupe_core::eval::strata::{Sampler, share_out};
use neardupe_core::hash::{self, FixedMap};
use neardupe_io::result::ResultReader;

/// Documents that are looked up for their URLs, besides those of the sample.
const MAX_LOOKED_UP: usize = 500_000;

/// How a result is sorted.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Pairs whose texts are compared, at most.
    pub sample: usize,
    /// Threads at work; nothing depends on it.
    pub threads: usize,
    /// Which pairs are looked at, by the ids of their documents; all if not said.
    pub only: Option<PairTest<'a>>,
}

/// Whether the pair of two ids is looked at.
pub type PairTest<'a> = &'a (dyn Fn(&str, &str) -> bool + Sync);

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Options")
            .field("sample", &self.sample)
            .field("threads", &self.threads)
            .field("only", &self.only.is_some())
            .finish()
    }
}

/// A pair and its kind; none when it was not looked at.
#[derive(Debug)]
pub struct SortedPair<'a> {
    /// The duplicate, or the document with the smaller id.
    pub left: &'a str,
    /// What is kept in its place, or the document with the larger id.
    pub right: &'a str,
    /// The kind and why.
    pub verdict: Option<&'a Verdict>,
    /// The URLs of both, where they are not the ids.
    pub urls: Option<&'a [String; 2]>,
}

/// Sorts the pairs of a result and hands on each with its kind, in the order of the table.
/// `originals` is where documents are read again, or why they cannot be.
pub fn sort(
    result: &ResultReader,
    originals: std::result::Result<&Originals, String>,
    options: &Options<'_>,
    progress: &dyn Progress,
    mut each: impl FnMut(&SortedPair<'_>) -> Result<()>,
) -> Result<Sorted> {
    let mut sorter = Sorter {
        result,
        originals: originals.as_ref().ok().copied(),
        gone: originals.err(),
        options,
        progress,
        known: DocumentOrigins::default(),
        is_capped: false,
        numbers: HostNumbers::default(),
        hosts: HostPairs::default(),
        totals: None,
        verdicts: FixedMap::default(),
    };
    // The order matters: hosts are counted with the URLs that were looked up, and whether two
    // hosts are mirrors must be known before the kind of any of their pairs.
    sorter.look_up()?;
    let drawn = sorter.count_hosts_and_draw()?;
    sorter.compare_texts(drawn)?;
    let mut tally = CauseTally::default();
    for_each_pair(result, options.only, |pair| {
        check_cancelled(progress)?;
        let addresses = pair.members().map(|member| sorter.address(member));
        let (hint, verdict) = sorter.verdict(&pair, &addresses);
        let urls = urls(&pair, &addresses);
        let row = SortedPair {
            left: &pair.left.id,
            right: &pair.right.id,
            verdict: verdict.as_ref(),
            urls: urls.as_ref(),
        };
        tally.add(hint.map(stratum), &row);
        each(&row)
    })?;
    let mut sorted = tally.finish();
    sorted.of_all_pairs = takes_pairs(result)?;
    sorted.gone = sorter.gone.clone();
    sorted.is_capped = sorter.is_capped;
    sorted.hosts_left_out = sorter.hosts.left_out;
    sorted.hosts = sorter.host_pairs();
    Ok(sorted)
}

/// What is known while a result is gone through. Its memory grows with the documents that are
/// looked up and with the pairs of hosts, both of which have limits.
struct Sorter<'a> {
    result: &'a ResultReader,
    /// Where documents are read again; set to None when a read fails.
    originals: Option<&'a Originals>,
    /// Why the originals cannot be read.
    gone: Option<String>,
    /// Sample and threads, as they were asked for.
    options: &'a Options<'a>,
    progress: &'a dyn Progress,
    /// Place and URL of documents that were looked up.
    known: DocumentOrigins,
    /// Whether there were more documents to look up than there is room for.
    is_capped: bool,
    /// Hosts by number: the pairs of hosts need four bytes for each.
    numbers: HostNumbers,
    /// Documents that two hosts have in common.
    hosts: HostPairs,
    /// Documents per host in the whole collection, where it could be read.
    totals: Option<HostTotals>,
    /// What the texts said, by pair.
    verdicts: FixedMap<u128, Verdict>,
}

/// A pair that was drawn, and what its addresses said.
type Drawn = (PairRow, Hint);

impl Sorter<'_> {
    /// Finds where the documents are, and their URLs.
    fn look_up(&mut self) -> Result<()> {
        let Some(originals) = self.originals else {
            return Ok(());
        };
        let mut wanted = DocumentsToFind::default();
        // The same sample is drawn a second time below, with what is known by then; drawing
        // depends on ids alone, so both agree as far as they can.
        let mut sampler = Sampler::new(0, STRATA, self.options.sample);
        for_each_pair(self.result, self.options.only, |pair| {
            for member in pair.members() {
                // An id that is an address need not be looked up.
                if let Address::Name(_) = address(member, None) {
                    self.is_capped |= !wanted.add(member, MAX_LOOKED_UP);
                }
            }
            let by_address = self.by_address(&pair);
            if let Some(hint) = undecided(&pair, &by_address) {
                let (left, right) = (&pair.left.id, &pair.right.id);
                sampler.add(stratum(hint), left, right, || pair.clone());
            }
            check_cancelled(self.progress)
        })?;
        for pair in sampler.finish().into_iter().flat_map(|drawn| drawn.sample) {
            // Those of the sample have no limit: their number is that of the sample.
            for member in pair.members() {
                wanted.add(member, usize::MAX);
            }
        }
        let threads = self.options.threads;
        let found = originals.locate(wanted.ids, threads, self.progress);
        if let Some((known, totals)) = self.or_gone(found)? {
            self.known = known;
            self.totals = Some(totals);
        }
        Ok(())
    }

    /// What was read, or nothing when the originals cannot be.
    fn or_gone<T>(&mut self, read: Result<T>) -> Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            // Files that are gone or have changed leave the addresses, so the job goes on with
            // less and says so. A full disk or a cancelled job is an error as always.
            Err(error @ (Error::Input { .. } | Error::Io { .. })) => {
                self.originals = None;
                self.gone = Some(error.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// What the addresses of a pair say, as far as they are known.
    fn by_address(&self, pair: &PairRow) -> ByAddress {
        let [left, right] = pair.members().map(|member| self.address(member));
        left.compare(&right)
    }

    /// The address of a document: its URL if that was looked up, else its id.
    fn address(&self, member: &Member) -> Address {
        let origin = self.known.get(&member.id, member.is_old);
        address(member, origin.and_then(|origin| origin.url.as_deref()))
    }

    /// Counts what hosts have in common, and draws the pairs whose texts are compared.
    fn count_hosts_and_draw(&mut self) -> Result<Vec<Drawn>> {
        let mut sampler = Sampler::new(0, STRATA, self.options.sample);
        let result = self.result;
        for_each_pair(result, self.options.only, |pair| {
            check_cancelled(self.progress)?;
            let [left, right] = pair.members().map(|member| self.address(member));
            let by_address = left.compare(&right);
            // Hosts are counted over all pairs, not only those of the sample: whether they
            // are mirrors depends on it.
            if let ByAddress::OtherHost { same_path } = by_address
                && let Some((one, other)) = left.host().zip(right.host())
                && let Some(one) = self.numbers.number(one)
                && let Some(other) = self.numbers.number(other)
            {
                // Counted by the document that is kept, not by its copies.
                let kept_id = hash::bytes(pair.right.id.as_bytes(), 0);
                self.hosts.add(one, other, kept_id, same_path);
            }
            let positions = pair.members().map(|member| self.position(member));
            if let Some(hint) = undecided(&pair, &by_address)
                // Only pairs whose texts can be found are worth a place in the sample.
                && positions.iter().all(Option::is_some)
            {
                let ids = (pair.left.id.clone(), pair.right.id.clone());
                sampler.add(stratum(hint), &ids.0, &ids.1, || (pair, stratum(hint)));
            }
            Ok(())
        })?;
        let drawn = sampler.finish();
        let available: Vec<usize> = drawn.iter().map(|it| it.sample.len()).collect();
        // Room that one stratum does not need is given to the others.
        let shares = share_out(self.options.sample, &available);
        let mut pairs: Vec<(PairRow, usize)> = Vec::new();
        for (stratum, share) in drawn.into_iter().zip(shares) {
            pairs.extend(stratum.sample.into_iter().take(share));
        }
        // Mixed, so that the pairs without room are a random part.
        pairs.sort_by_cached_key(|(pair, _)| pair.key());
        let drawn = pairs
            .into_iter()
            .map(|(pair, stratum)| (pair, HINTS[stratum]));
        Ok(drawn.collect())
    }

    /// Where a document is in the originals, and in which of the two sources; None if it was
    /// not found or not looked up.
    fn position(&self, member: &Member) -> Option<(bool, Position)> {
        let origin = self.known.get(&member.id, member.is_old)?;
        Some((member.is_old, origin.position?))
    }

    /// The kind of a pair; none when it is one of those that were not drawn. For pairs whose
    /// texts decide also what the addresses said.
    fn verdict(
        &self,
        pair: &PairRow,
        addresses: &[Address; 2],
    ) -> (Option<Hint>, Option<Verdict>) {
        let by_address = addresses[0].compare(&addresses[1]);
        // Addresses decide most pairs, and those need no text.
        let Some(hint) = undecided(pair, &by_address) else {
            return (None, Some(self.decided(pair, &by_address, addresses)));
        };
        if let Some(verdict) = self.verdicts.get(&pair.key()) {
            return (Some(hint), Some(verdict.clone()));
        }
        let verdict = match pair.equal {
            // Sets that were sampled may be equal by chance, but little else is known.
            Equal::Features if self.originals.is_none() => {
                let verdict =
                    Verdict::new(CauseKind::Invisible, "the features are equal");
                return (None, Some(verdict));
            }
            _ if self.originals.is_none() => {
                Some(Verdict::new(CauseKind::Undecided, "original gone"))
            }
            _ if self.is_missing(pair) => Some(Verdict::new(
                CauseKind::Undecided,
                "original gone: the input has no document with this id any more",
            )),
            _ => None,
        };
        (Some(hint), verdict)
    }

    /// Whether a document of the pair was looked for and is not there.
    fn is_missing(&self, pair: &PairRow) -> bool {
        pair.members().into_iter().any(|member| {
            let origin = self.known.get(&member.id, member.is_old);
            origin.is_some_and(|origin| origin.position.is_none())
        })
    }

    /// The kind of a pair that needs no texts.
    fn decided(
        &self,
        pair: &PairRow,
        by_address: &ByAddress,
        addresses: &[Address; 2],
    ) -> Verdict {
        match by_address {
            ByAddress::Variant(differs) => Verdict::new(
                CauseKind::SamePage,
                format!("the URLs differ in: {differs}"),
            ),
            ByAddress::OtherHost { same_path } => self.of_hosts(addresses, *same_path),
            ByAddress::Forum(views) => Verdict::new(CauseKind::Forum, *views),
            ByAddress::Same if pair.equal == Equal::Text => same_address_and_text(),
            ByAddress::Same | ByAddress::Version | ByAddress::Nothing => {
                Verdict::new(CauseKind::Invisible, "the texts are equal")
            }
        }
    }

    /// Whether two hosts are mirrors is decided once for the pair of hosts, not by this document
    /// alone.
    fn of_hosts(&self, addresses: &[Address; 2], same_path: bool) -> Verdict {
        let [one, other] = addresses.each_ref().map(|it| it.host().unwrap_or_default());
        let numbers = self.numbers.get(one).zip(self.numbers.get(other));
        let hosts = numbers.map(|(one, other)| self.host_pair(one, other));
        let path = if same_path { "same path" } else { "other path" };
        let reason = format!("{one} / {other}, {path}");
        if hosts.is_some_and(|hosts| hosts.is_mirror()) {
            Verdict::new(CauseKind::Mirror, reason)
        } else {
            Verdict::new(CauseKind::Copied, reason)
        }
    }

    /// What is known of a pair of hosts; the smaller name is on the left.
    fn host_pair(&self, one: u32, other: u32) -> HostPair {
        let common = self.hosts.get(one, other);
        let [one, other] = [one, other].map(|number| self.numbers.name(number));
        let (left, right) = (one.min(other), one.max(other));
        let total = |host: &str| self.totals.as_ref().and_then(|it| it.get(host));
        HostPair {
            left: left.to_owned(),
            right: right.to_owned(),
            left_documents: total(left),
            right_documents: total(right),
            shared: common.documents,
            same_path: common.same_path,
        }
    }

    /// All pairs of hosts, those with most in common first.
    fn host_pairs(mut self) -> Vec<HostPair> {
        let pairs = std::mem::take(&mut self.hosts);
        let mut all: Vec<HostPair> = Vec::new();
        for ((one, other), common) in pairs.into_sorted() {
            all.push(HostPair {
                // The counts are at hand, so they are not looked up again.
                shared: common.documents,
                same_path: common.same_path,
                ..self.host_pair(one, other)
            });
        }
        all.sort_by(|one, other| {
            let key = |it: &HostPair| std::cmp::Reverse(it.shared);
            (key(one), &one.left, &one.right).cmp(&(
                key(other),
                &other.left,
                &other.right,
            ))
        });
        all
    }
}
