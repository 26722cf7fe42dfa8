//! Whether scores before and after differ by more than chance.

/// Student's paired t-test over topics, two-sided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedTest {
    /// Topics.
    pub topics: usize,
    /// Mean difference, after less before.
    pub mean: f64,
    /// The statistic; none where all differences are the same.
    pub t: Option<f64>,
    /// Probability of a difference at least as large by chance alone.
    pub p: f64,
}

/// Compares the scores of the same topics. None for fewer than two topics. Where no topic
/// differs p is 1, where all differ by the same it is 0.
pub fn paired_t_test(before: &[f64], after: &[f64]) -> Option<PairedTest> {
    let topics = before.len();
    if topics < 2 {
        return None;
    }
    let number = topics as f64;
    let differences: Vec<f64> = before
        .iter()
        .zip(after)
        .map(|(before, after)| after - before)
        .collect();
    let mean = differences.iter().sum::<f64>() / number;
    let squares = differences.iter().map(|it| (it - mean) * (it - mean));
    let variance = squares.sum::<f64>() / (number - 1.0);
    let is_zero = |value: f64| value.abs() < 1e-15;
    if is_zero(variance.sqrt()) {
        let p = if is_zero(mean) { 1.0 } else { 0.0 };
        let t = None;
        return Some(PairedTest { topics, mean, t, p });
    }
    let t = mean / (variance / number).sqrt();
    let freedom = number - 1.0;
    let p = incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t));
    Some(PairedTest {
        topics,
        mean,
        t: Some(t),
        p,
    })
}

/// The regularised incomplete beta function, by its continued fraction (Lentz's method).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // As a logarithm: the gamma functions of a few hundred topics exceed the largest number.
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log1p(-x);
    let front = libm::exp(log_front);
    // The fraction converges fast on this side only.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for step in 1..500 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        let change = d * c;
        value *= change;
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_another_program() {
        // scipy.stats.ttest_rel 1.17.
        let before = [0.3, 0.5, 0.1, 0.9, 0.4, 0.25];
        let after = [0.35, 0.45, 0.2, 0.95, 0.4, 0.5];
        let test = paired_t_test(&before, &after).unwrap();
        assert!(
            (test.t.unwrap() - 1.581_138_830_084_19).abs() < 1e-9,
            "{test:?}"
        );
        assert!((test.p - 0.174_687_814_264_119).abs() < 1e-9, "{test:?}");
        let same = paired_t_test(&before, &before).unwrap();
        assert!(same.t.is_none() && same.p > 0.999);
        assert_eq!(paired_t_test(&[0.1], &[0.2]), None);
    }
}
