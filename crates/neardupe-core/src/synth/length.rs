//! How long synthetic documents are.
//!
//! The lengths of web pages are skewed: two thirds have fewer than 500 words, one in a
//! hundred and twenty has more than 9,000, the mean is about 700. The curve below is the
//! quantile function of a lognormal law (sigma 1.49) with its upper end trimmed, given by
//! points and straight lines between them. It allows for what the specification does to lengths:
//! documents with passages are longer, those of large clusters never very long.

/// Share of documents in thousandths, and the length in words below which they lie.
const CURVE: [(f64, f64); 23] = [
    (0.0, 8.0),
    (50.0, 21.0),
    (100.0, 37.0),
    (200.0, 69.0),
    (300.0, 110.0),
    (400.0, 163.0),
    (500.0, 236.0),
    (600.0, 340.0),
    (689.0, 500.0),
    (750.0, 640.0),
    (800.0, 820.0),
    (850.0, 1090.0),
    (900.0, 1550.0),
    (930.0, 2060.0),
    (950.0, 2650.0),
    (970.0, 3750.0),
    (980.0, 5100.0),
    (985.0, 6400.0),
    (990.8, 9000.0),
    (994.5, 11_500.0),
    (998.0, 16_500.0),
    (999.0, 20_000.0),
    (1000.0, 30_000.0),
];

/// The length in words below which a share (`0..1`) of all documents lies.
pub(super) fn words_at(share: f64) -> u32 {
    let thousandths = share * 1000.0;
    let above = CURVE.partition_point(|point| point.0 <= thousandths);
    let (low, high) = (CURVE[above - 1], CURVE[above.min(CURVE.len() - 1)]);
    if above == CURVE.len() {
        return super::random::round(low.1);
    }
    let slope = (high.1 - low.1) / (high.0 - low.0);
    super::random::round(low.1 + (thousandths - low.0) * slope)
}

#[cfg(test)]
mod tests {
    use super::words_at;

    #[test]
    fn the_curve_rises_through_its_points() {
        assert_eq!(words_at(0.0), 8);
        assert_eq!(words_at(0.5), 236);
        assert_eq!(words_at(0.55), 288);
        assert_eq!(words_at(1.0), 30_000);
        for step in 0..1000 {
            let share = f64::from(step) / 1000.0;
            assert!(words_at(share) <= words_at(share + 0.001));
        }
    }
}
