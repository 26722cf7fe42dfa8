//! Measures by name, and what they are computed from.
//!
//! Conventions are those of the programs that TREC uses: trec_eval for precision, recall, average
//! precision and nDCG; gdeval for ERR; ndeval for alpha-nDCG and ERR-IA. RBP is that of Moffat
//! and Zobel (2008). `docs/trec.md` has the formulas.

use super::diversity::{alpha_dcg, alpha_ideal, err_ia};
use super::graded;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The values of all measures, by topic.
pub type TopicScores = Vec<(u32, Vec<f64>)>;

/// A measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Relevant documents among the first k, divided by k.
    Precision(usize),
    /// Share of the relevant documents among the first k, or among all results.
    Recall(Option<usize>),
    /// Average precision (its mean is MAP).
    AveragePrecision,
    /// nDCG of the first k, or of all results.
    Ndcg(Option<usize>),
    /// Expected reciprocal rank of the first k.
    Err(usize),
    /// Rank-biased precision; persistence in thousandths.
    Rbp(u32),
    /// alpha-nDCG of the first k, alpha = 0.5.
    AlphaNdcg(usize),
    /// Intent-aware ERR of the first k, alpha = 0.5.
    ErrIa(usize),
}

impl Measure {
    /// Whether it is by subtopic.
    pub fn is_of_diversity(self) -> bool {
        matches!(self, Measure::AlphaNdcg(_) | Measure::ErrIa(_))
    }

    /// What is shown unless other measures are asked for.
    pub fn usual(is_diversity: bool) -> Vec<Measure> {
        let mut usual = vec![
            Measure::Precision(10),
            Measure::Precision(20),
            Measure::Recall(Some(1000)),
            Measure::AveragePrecision,
            Measure::Ndcg(Some(10)),
            Measure::Ndcg(Some(20)),
            Measure::Err(20),
            Measure::Rbp(800),
        ];
        if is_diversity {
            usual.extend([Measure::AlphaNdcg(20), Measure::ErrIa(20)]);
        }
        usual
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::Precision(k) => write!(out, "P@{k}"),
            Measure::Recall(None) => write!(out, "recall"),
            Measure::Recall(Some(k)) => write!(out, "recall@{k}"),
            Measure::AveragePrecision => write!(out, "AP"),
            Measure::Ndcg(None) => write!(out, "nDCG"),
            Measure::Ndcg(Some(k)) => write!(out, "nDCG@{k}"),
            Measure::Err(k) => write!(out, "ERR@{k}"),
            Measure::Rbp(p) => {
                let digits = format!("{p:03}");
                write!(out, "RBP:0.{}", digits.trim_end_matches('0'))
            }
            Measure::AlphaNdcg(k) => write!(out, "alpha-nDCG@{k}"),
            Measure::ErrIa(k) => write!(out, "ERR-IA@{k}"),
        }
    }
}

impl FromStr for Measure {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            let message = format!(
                "{text:?} is not a measure; known are P@K, recall, recall@K, AP, nDCG, nDCG@K, \
                 ERR@K, RBP:P with P from 0.001 to 0.999, alpha-nDCG@K, ERR-IA@K"
            );
            Error::config("measures", message)
        };
        let lower = text.trim().to_ascii_lowercase();
        if let Some(typed) = lower.strip_prefix("rbp:") {
            let decimals = typed.strip_prefix("0.").or(typed.strip_prefix('.'));
            let thousandths = decimals
                .filter(|digits| (1..=3).contains(&digits.len()))
                .and_then(|digits| format!("{digits:0<3}").parse::<u32>().ok())
                .filter(|&number| number > 0);
            return thousandths.map(Measure::Rbp).ok_or_else(wrong);
        }
        let (name, cut) = match lower.split_once('@') {
            None => (lower.as_str(), None),
            Some((name, cut)) => {
                let cut = cut.parse::<usize>().ok().filter(|&cut| cut > 0);
                (name, Some(cut.ok_or_else(wrong)?))
            }
        };
        match (name, cut) {
            ("p", Some(k)) => Ok(Measure::Precision(k)),
            ("recall", k) => Ok(Measure::Recall(k)),
            // `map` is what trec_eval calls it.
            ("ap" | "map", None) => Ok(Measure::AveragePrecision),
            ("ndcg", k) => Ok(Measure::Ndcg(k)),
            ("err", Some(k)) => Ok(Measure::Err(k)),
            ("alpha-ndcg", Some(k)) => Ok(Measure::AlphaNdcg(k)),
            ("err-ia", Some(k)) => Ok(Measure::ErrIa(k)),
            _ => Err(wrong()),
        }
    }
}

/// The best that can be reached for a topic.
#[derive(Debug, Clone, Default)]
pub struct Ideal {
    /// Labels of the relevant documents, descending.
    pub gains: Vec<u32>,
    /// Number of subtopics for which some document is relevant.
    pub num_subtopics: usize,
    /// alpha-DCG of the best order found, after each rank.
    pub alpha: Vec<f64>,
}

impl Ideal {
    /// `subtopics` are those of each relevant document, documents ascending by id; `depth` is the
    /// largest k of alpha-nDCG.
    pub fn new(mut gains: Vec<u32>, subtopics: &[Vec<u32>], depth: usize) -> Self {
        gains.sort_unstable_by(|one, two| two.cmp(one));
        let mut all: Vec<u32> = subtopics.iter().flatten().copied().collect();
        all.sort_unstable();
        all.dedup();
        Ideal {
            gains,
            num_subtopics: all.len(),
            alpha: alpha_ideal(subtopics, depth),
        }
    }
}

/// The results for a topic, as judged.
#[derive(Debug, Clone, Default)]
pub struct Topic {
    /// Label of each result in order; 0 where it is not relevant or not judged.
    pub gains: Vec<u32>,
    /// Subtopics to which each result is relevant; empty without subtopics.
    pub subtopics: Vec<Vec<u32>>,
}

impl Topic {
    /// The value of a measure.
    pub fn score(&self, measure: Measure, ideal: &Ideal) -> f64 {
        let top = |cut: Option<usize>| match cut {
            Some(k) => &self.gains[..k.min(self.gains.len())],
            None => &self.gains[..],
        };
        match measure {
            Measure::Precision(k) => graded::precision(top(Some(k)), k),
            Measure::Recall(cut) => graded::recall(top(cut), ideal.gains.len()),
            Measure::AveragePrecision => {
                graded::average_precision(&self.gains, ideal.gains.len())
            }
            Measure::Ndcg(cut) => {
                let all = ideal.gains.len();
                let best = cut.map_or(all, |k| all.min(k));
                graded::ndcg(top(cut), &ideal.gains[..best])
            }
            Measure::Err(k) => graded::err(top(Some(k))),
            Measure::Rbp(p) => graded::rbp(&self.gains, f64::from(p) / 1000.0),
            Measure::AlphaNdcg(k) => {
                // Beyond the last relevant document the ideal gains nothing more, so its last value
                // holds. With no such document there is none, and the measure is 0.
                let best = ideal.alpha.get(k.min(ideal.alpha.len()).wrapping_sub(1));
                let own = alpha_dcg(&self.subtopics, k);
                best.filter(|&&best| best > 0.0)
                    .map_or(0.0, |best| own / best)
            }
            Measure::ErrIa(k) => err_ia(&self.subtopics, k, ideal.num_subtopics),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in [
            "P@10",
            "recall",
            "recall@100",
            "AP",
            "nDCG",
            "nDCG@20",
            "ERR@20",
            "RBP:0.8",
            "RBP:0.95",
            "alpha-nDCG@20",
            "ERR-IA@20",
        ] {
            let measure: Measure = name.parse().unwrap();
            assert_eq!(measure.to_string(), name);
        }
        assert_eq!("map".parse::<Measure>().unwrap(), Measure::AveragePrecision);
        for name in [
            "P",
            "P@0",
            "AP@5",
            "RBP:1",
            "RBP:0",
            "RBP:0.1234",
            "ndcg@x",
            "",
        ] {
            assert!(name.parse::<Measure>().is_err(), "{name}");
        }
    }
}
