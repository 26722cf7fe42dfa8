//! How many pairs there are of each kind, and for how many that is an estimate.
//!
//! Pairs that were not drawn are given the kinds of those that were, stratum by stratum, in whole
//! numbers that add up to the pairs of the result. A count that is partly estimated is printed
//! with `~`.

use super::CauseKind;
use super::draw::STRATA;
use super::hosts::HostPair;
use super::sort::SortedPair;

/// Counters have one place per kind.
const KINDS: usize = CauseKind::ALL.len();

/// A result that was sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sorted {
    /// Whether all pairs of the result were sorted, and not each duplicate with what is kept.
    pub of_all_pairs: bool,
    /// Pairs in all.
    pub pairs: u64,
    /// Pairs whose texts were compared.
    pub compared: u64,
    /// Pairs that were not looked at: their kinds are estimated from those that were.
    pub not_looked_at: u64,
    /// The kinds, in order; those without a pair are left out.
    pub kinds: Vec<KindCount>,
    /// Pairs of hosts with documents in common, most first.
    pub hosts: Vec<HostPair>,
    /// Documents on two hosts that were not counted, since there are too many.
    pub hosts_left_out: u64,
    /// Why the originals could not be read.
    pub gone: Option<String>,
    /// Whether the URLs of some documents were not looked up, since there are too many.
    pub is_capped: bool,
}

/// How many pairs there are of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCount {
    /// The kind.
    pub kind: CauseKind,
    /// Pairs of it, those that were not looked at estimated.
    pub pairs: u64,
    /// Pairs that were looked at.
    pub seen: u64,
    /// One of them.
    pub example: Option<Example>,
}

/// A pair of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Id of the duplicate, or the smaller id.
    pub left: String,
    /// Id of what is kept, or the larger id.
    pub right: String,
    /// What differs.
    pub reason: String,
    /// The URLs of both, where they are not the ids.
    pub urls: Option<[String; 2]>,
}

/// Counts while pairs are sorted.
#[derive(Debug, Default)]
pub(super) struct CauseTally {
    /// All pairs so far.
    pairs: u64,
    /// Pairs of each kind that were decided.
    seen: [u64; KINDS],
    /// The first pair of each kind, in the order of the table.
    examples: [Option<Example>; KINDS],
    /// Pairs that texts decide, by what their addresses said.
    strata: [Stratum; STRATA],
}

/// Pairs that the texts decide.
#[derive(Debug, Default, Clone, Copy)]
struct Stratum {
    /// Pairs whose texts were compared, by kind; what could not be decided is no evidence for
    /// others.
    compared: [u64; KINDS],
    /// Pairs that were not drawn.
    not_looked_at: u64,
}

impl CauseTally {
    /// A pair; with the stratum of one that the texts decide.
    pub(super) fn add(&mut self, stratum: Option<usize>, row: &SortedPair<'_>) {
        self.pairs += 1;
        let mut stratum = stratum.map(|at| &mut self.strata[at]);
        let Some(verdict) = row.verdict else {
            if let Some(stratum) = stratum {
                stratum.not_looked_at += 1;
            }
            return;
        };
        let number = verdict.kind.number();
        self.seen[number] += 1;
        if let Some(stratum) = &mut stratum
            && verdict.kind != CauseKind::Undecided
        {
            stratum.compared[number] += 1;
        }
        self.examples[number].get_or_insert_with(|| Example {
            left: row.left.to_owned(),
            right: row.right.to_owned(),
            reason: verdict.reason.clone(),
            urls: row.urls.cloned(),
        });
    }

    /// The counts, with the pairs of each stratum that were not looked at shared out among
    /// the kinds that were found in it.
    pub(super) fn finish(mut self) -> Sorted {
        let mut pairs = self.seen;
        for stratum in &self.strata {
            let more = share_out(stratum.not_looked_at, &stratum.compared);
            for (kind, more) in pairs.iter_mut().zip(more) {
                *kind += more;
            }
        }
        let kinds = CauseKind::ALL.into_iter().map(|kind| KindCount {
            kind,
            pairs: pairs[kind.number()],
            seen: self.seen[kind.number()],
            example: self.examples[kind.number()].take(),
        });
        let kinds = kinds.filter(|kind| kind.pairs > 0).collect();
        let strata = self.strata.iter();
        Sorted {
            pairs: self.pairs,
            compared: strata
                .clone()
                .map(|stratum| stratum.compared.iter().sum::<u64>())
                .sum(),
            not_looked_at: strata.map(|stratum| stratum.not_looked_at).sum(),
            kinds,
            ..Sorted::default()
        }
    }
}

/// Shares a number out as others are: whole numbers that add up, the largest rests first.
/// Where there are no others, all is undecided.
fn share_out(number: u64, like: &[u64; KINDS]) -> [u64; KINDS] {
    let mut shares = [0; KINDS];
    let sum: u64 = like.iter().sum();
    if sum == 0 {
        shares[CauseKind::Undecided.number()] = number;
        return shares;
    }
    let mut rests: Vec<(u128, usize)> = Vec::new();
    let mut left = number;
    for (at, &part) in like.iter().enumerate() {
        let product = u128::from(number) * u128::from(part);
        // A part of the sum is no more than it, so this is no more than the number.
        let whole = u64::try_from(product / u128::from(sum)).unwrap_or(number);
        shares[at] = whole;
        left -= whole.min(left);
        rests.push((product % u128::from(sum), at));
    }
    // The method of largest remainders; of equal rests the first kind gets one more, so the
    // result is the same on every machine.
    rests.sort_by_key(|&(rest, at)| (std::cmp::Reverse(rest), at));
    let rests = rests
        .into_iter()
        .take(usize::try_from(left).unwrap_or(KINDS));
    rests.for_each(|(_, at)| shares[at] += 1);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::Verdict;

    #[test]
    fn what_was_not_looked_at_is_estimated_by_what_was() {
        let mut tally = CauseTally::default();
        let mut add = |stratum, left: &str, kind: Option<CauseKind>| {
            let verdict = kind.map(|kind| Verdict::new(kind, "why"));
            let row = SortedPair {
                left,
                right: "kept",
                verdict: verdict.as_ref(),
                urls: None,
            };
            tally.add(stratum, &row);
        };
        add(None, "a", Some(CauseKind::Mirror));
        add(Some(1), "b", Some(CauseKind::Update));
        add(Some(1), "c", Some(CauseKind::Update));
        add(Some(1), "d", Some(CauseKind::Body));
        for id in ["e", "f", "g", "h"] {
            add(Some(1), id, None);
        }
        // Nothing is known of this stratum.
        add(Some(2), "i", None);
        let sorted = tally.finish();
        let counts: Vec<(CauseKind, u64, u64)> = sorted
            .kinds
            .iter()
            .map(|kind| (kind.kind, kind.pairs, kind.seen))
            .collect();
        assert_eq!(
            counts,
            [
                (CauseKind::Mirror, 1, 1),
                (CauseKind::Update, 5, 2),
                (CauseKind::Body, 2, 1),
                (CauseKind::Undecided, 1, 0)
            ]
        );
        assert_eq!(
            (sorted.pairs, sorted.compared, sorted.not_looked_at),
            (9, 3, 5)
        );
        let example = sorted.kinds[1].example.as_ref().unwrap();
        assert_eq!(
            (example.left.as_str(), example.right.as_str()),
            ("b", "kept")
        );
    }

    #[test]
    fn shares_add_up() {
        for number in [0, 1, 7, 1000, u64::MAX / 2] {
            for like in [[1; KINDS], [0, 3, 0, 0, 0, 5, 1, 0, 0, 0]] {
                assert_eq!(share_out(number, &like).iter().sum::<u64>(), number);
            }
        }
    }
}
