//! The features of a document with their weights, by a variant.
//!
//! Logarithm and cosine come from a library written in the language itself, not from the
//! system: a weight in whose last bit two systems differ could turn a bit of a code. For the same
//! reason sums of weights are always taken in the order of the text.
//!
//! [`Coder`](super::Coder) calls these functions in the order [`add_up`], [`idf`], [`damp`],
//! [`select`], [`whole`].

use super::variant::{Idf, Scale, Selection, Variant};
use crate::feature::Occurrence;
use crate::frequency::DfTable;

/// A feature and what it weighs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighted {
    /// The feature.
    pub feature: u64,
    /// Its weight, not below 0.
    pub weight: f64,
}

/// What an occurrence weighs by its place among `num_words` words.
pub fn at_place(scale: Scale, place: u32, num_words: usize) -> f64 {
    let place = f64::from(place);
    match scale {
        Scale::Even => 1.0,
        Scale::Position => libm::log(place + 2.0) / (place + 2.0),
        Scale::Cosine => {
            #[expect(clippy::cast_precision_loss, reason = "a weight, not a count")]
            let len = num_words.max(1) as f64;
            libm::cos(std::f64::consts::TAU * place / len) + 1.0
        }
        Scale::Inverse => 1.0 / (place + 1.0),
        Scale::InverseLog => 1.0 / libm::log(place + 2.0),
    }
}

/// What a feature weighs beside its occurrences. A feature that is not in the table has the
/// frequency that the table gives to unseen ones; it is never 0.
pub fn idf(idf: Idf, table: &DfTable, feature: u64) -> f64 {
    match idf {
        Idf::None => 1.0,
        Idf::Inverse => 1.0 / f64::from(table.df(feature)),
        Idf::Log => {
            #[expect(clippy::cast_precision_loss, reason = "a weight, not a count")]
            let documents = table.num_documents().max(1) as f64;
            libm::log(documents / f64::from(table.df(feature))).max(0.0)
        }
    }
}

/// Adds up the occurrences of each feature: in ascending order of the features, each once.
pub fn add_up(
    occurrences: &[Occurrence],
    num_words: usize,
    variant: &Variant,
    weighted: &mut Vec<Weighted>,
) {
    let counts = |one: &&Occurrence| !(variant.no_numbers && one.dated);
    let boost = variant.tagged.unwrap_or(1.0);
    weighted.extend(occurrences.iter().filter(counts).map(|one| {
        let by_place = at_place(variant.scale, one.place, num_words);
        Weighted {
            feature: one.feature,
            weight: by_place * if one.tagged { boost } else { 1.0 },
        }
    }));
    // Stable: the weights of a feature are added in the order of the text.
    weighted.sort_by_key(|one| one.feature);
    // `dedup_by` passes the later element first: it is added to the earlier one and removed.
    weighted.dedup_by(|next, sum| {
        let same = next.feature == sum.feature;
        if same {
            sum.weight += next.weight;
        }
        same
    });
}

/// The largest weight.
pub fn largest(weighted: &[Weighted]) -> f64 {
    weighted.iter().map(|one| one.weight).fold(0.0, f64::max)
}

/// Keeps the features that count. When none would be left, all are kept: documents without features
/// would all be alike.
pub fn select(selection: Selection, weighted: &mut Vec<Weighted>) {
    let largest = largest(weighted);
    let keeps = |low: f64, high: f64| {
        move |one: &Weighted| one.weight >= low * largest && one.weight <= high * largest
    };
    match selection {
        Selection::All => {}
        Selection::AtLeast(low) => retain(weighted, keeps(low, 1.0)),
        Selection::Between(low, high) => retain(weighted, keeps(low, high)),
        Selection::Top(most) => truncate(weighted, most as usize),
        Selection::TopShare(share) => {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a number is a number"
            )]
            let most = (weighted.len() as f64 * share).ceil() as usize;
            truncate(weighted, most.max(1));
        }
    }
}

/// Leaves the features that are kept, or all if none would be.
fn retain(weighted: &mut Vec<Weighted>, keeps: impl Fn(&Weighted) -> bool) {
    if weighted.iter().any(&keeps) {
        weighted.retain(keeps);
    }
}

/// Leaves those with the largest weights, of equal ones those with the smaller features.
fn truncate(weighted: &mut Vec<Weighted>, most: usize) {
    if weighted.len() > most {
        // By weight and then by feature, so that equal weights do not make a code depend on the
        // sort.
        weighted.sort_by(|one, other| {
            let by_weight = other.weight.total_cmp(&one.weight);
            by_weight.then(one.feature.cmp(&other.feature))
        });
        weighted.truncate(most);
    }
}

/// The weight from which on outliers are counted: the sixth largest is of the scale of the
/// others, the paper found, where the first two may be ten times as large.
const SIXTH: usize = 5;

/// Brings weights of more than twice the sixth largest down to that.
pub fn damp(weighted: &mut [Weighted]) {
    if weighted.len() <= SIXTH {
        return;
    }
    let mut weights: Vec<f64> = weighted.iter().map(|one| one.weight).collect();
    let descending = |one: &f64, other: &f64| other.total_cmp(one);
    // Linear: only one place of the order is needed.
    let (_, &mut sixth, _) = weights.select_nth_unstable_by(SIXTH, descending);
    // Otherwise at most five features have a weight, and there is no scale to compare with.
    if sixth > 0.0 {
        for one in weighted {
            one.weight = one.weight.min(2.0 * sixth);
        }
    }
}

/// The largest weight as a whole number: 24 bits, so that sums of weights stay exact and the order
/// of addition does not matter.
const LARGEST: i32 = super::simhash::MOST;

/// A weight as a whole number.
pub fn whole(weight: f64, largest: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a thousand times the largest at most"
    )]
    let whole = libm::round(weight / largest * f64::from(LARGEST)) as i64;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(weights: &[f64]) -> Vec<Weighted> {
        let features = 1u64..;
        let pairs = features.zip(weights);
        pairs
            .map(|(feature, &weight)| Weighted { feature, weight })
            .collect()
    }

    fn selected(selection: Selection, weights: &[f64]) -> Vec<u64> {
        let mut weighted = of(weights);
        select(selection, &mut weighted);
        let mut features: Vec<u64> = weighted.iter().map(|one| one.feature).collect();
        features.sort_unstable();
        features
    }

    #[test]
    fn features_are_selected_by_their_weights() {
        let weights = [10.0, 0.05, 5.0, 4.9, 1.0, 5.0];
        let select = |selection| selected(selection, &weights);
        assert_eq!(select(Selection::All).len(), 6);
        assert_eq!(select(Selection::AtLeast(0.01)), [1, 3, 4, 5, 6]);
        assert_eq!(select(Selection::AtLeast(0.5)), [1, 3, 6]);
        assert_eq!(select(Selection::Between(0.05, 0.49)), [4, 5]);
        assert_eq!(select(Selection::Between(0.6, 0.9)).len(), 6);
        assert_eq!(select(Selection::Top(2)), [1, 3]);
        assert_eq!(select(Selection::TopShare(0.34)), [1, 3, 6]);
        assert_eq!(select(Selection::TopShare(0.001)), [1]);
        assert_eq!(selected(Selection::AtLeast(0.5), &[0.0, 0.0]), [1, 2]);
    }

    #[test]
    fn outliers_come_down_to_the_others() {
        let mut weighted = of(&[50.0, 40.0, 3.0, 2.0, 2.0, 1.5, 1.0]);
        damp(&mut weighted);
        let weights: Vec<f64> = weighted.iter().map(|one| one.weight).collect();
        assert_eq!(weights, [3.0, 3.0, 3.0, 2.0, 2.0, 1.5, 1.0]);
        let mut few = of(&[50.0, 1.0]);
        damp(&mut few);
        assert_eq!(few, of(&[50.0, 1.0]));
    }

    #[test]
    fn places_weigh_as_the_functions_say() {
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-12);
        near(at_place(Scale::Position, 8, 100), 10f64.ln() / 10.0);
        near(at_place(Scale::Cosine, 0, 100), 2.0);
        near(at_place(Scale::Cosine, 50, 100), 0.0);
        near(at_place(Scale::Inverse, 3, 100), 0.25);
        near(at_place(Scale::InverseLog, 1, 100), 1.0 / 3f64.ln());
        near(at_place(Scale::Even, 7, 100), 1.0);
    }
}
