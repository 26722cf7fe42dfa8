//! Random numbers whose values are fixed for good.
//!
//! A generator is opened for a purpose and a number ("the body of document 17"), so any
//! document can be made alone, in any order, on any thread. The numbers come from
//! xoshiro256++ (Blackman and Vigna 2019), seeded by splitmix64. The logarithm and the
//! exponential are written out here because those of the platform may differ in the last
//! bit from machine to machine; sums, products and quotients may not.

/// What a generator is opened for: equal numbers under different purposes are unrelated.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Vocabulary = 1,
    Scatter = 2,
    ClusterSizes = 3,
    Member = 4,
    Length = 5,
    Host = 6,
    Boilerplate = 7,
    Body = 8,
    Edit = 9,
    Passage = 10,
    Template = 11,
    Head = 12,
}

/// A small, fast generator: 64 random bits per call.
pub(super) struct Random([u64; 4]);

impl Random {
    /// The generator of one purpose and one number.
    pub(super) fn keyed(seed: u64, purpose: Purpose, number: u64) -> Self {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let purposed = mix(seed ^ mix((purpose as u64).wrapping_mul(STEP)));
        let mut key = mix(purposed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        let mut next = || {
            key = key.wrapping_add(STEP);
            mix(key)
        };
        Self([next(), next(), next(), next()])
    }

    /// 64 random bits.
    #[inline]
    pub(super) fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let shifted = b << 17;
        let c = c ^ a;
        let d = d ^ b;
        self.0 = [a ^ d, b ^ c, c ^ shifted, d.rotate_left(45)];
        result
    }

    /// A number in `0..limit`; 0 when the limit is 0. The bias is below `limit / 2^32`.
    #[inline]
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        scale(self.bits(), limit)
    }

    /// A number in `low..=high`.
    #[inline]
    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// A number in `0..1`.
    #[inline]
    pub(super) fn unit(&mut self) -> f64 {
        unit(self.bits())
    }

    /// True in `percent` of 100 cases.
    #[inline]
    pub(super) fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

/// The upper 32 bits of `bits`, scaled to `0..limit`.
#[inline]
pub(super) fn scale(bits: u64, limit: u32) -> u32 {
    (((bits >> 32) * u64::from(limit)) >> 32) as u32
}

/// The finishing step of splitmix64: every input bit moves every output bit.
#[inline]
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

fn unit(bits: u64) -> f64 {
    const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
    (bits >> 11) as f64 * STEP
}

/// The nearest whole number of a value that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    reason = "`as` saturates; sizes are below 2^32"
)]
pub(super) fn round(value: f64) -> u32 {
    (value + 0.5) as u32
}

/// Natural logarithm of a positive normal number, to about 15 digits.
pub(super) fn ln(value: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = value.to_bits();
    let exponent = (bits >> 52) as f64 - 1023.0;
    let mantissa = f64::from_bits((bits & MANTISSA) | (1023 << 52));
    // ln m = 2 artanh((m - 1) / (m + 1)); the argument is below 1/3.
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    let mut sum = 0.0;
    for step in (0..16).rev() {
        sum = sum * square + 1.0 / f64::from(2 * step + 1);
    }
    exponent * std::f64::consts::LN_2 + 2.0 * ratio * sum
}

/// Exponential of a number between -700 and 700, to about 15 digits.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the argument is between -700 and 700"
)]
pub(super) fn exp(value: f64) -> f64 {
    let doublings = (value / std::f64::consts::LN_2).round();
    let rest = value - doublings * std::f64::consts::LN_2;
    let mut sum = 1.0;
    for step in (1..18).rev() {
        sum = 1.0 + sum * rest / f64::from(step);
    }
    sum * f64::from_bits(((1023 + doublings as i64) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::{Purpose, Random, exp, ln};

    #[test]
    fn values_are_fixed_for_good() {
        let mut random = Random::keyed(1, Purpose::Body, 2);
        let drawn = [random.bits(), random.bits(), random.bits()];
        let expected = [
            11131683157769403342,
            2882759233277604190,
            4012336385251722105,
        ];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn numbers_and_purposes_give_unrelated_streams() {
        let first = |purpose, number| Random::keyed(1, purpose, number).bits();
        assert_ne!(first(Purpose::Body, 2), first(Purpose::Body, 3));
        assert_ne!(first(Purpose::Body, 2), first(Purpose::Edit, 2));
    }

    #[test]
    fn between_reaches_both_ends_and_nothing_else() {
        let mut random = Random::keyed(7, Purpose::Edit, 0);
        let drawn: Vec<u32> = (0..2000).map(|_| random.between(3, 9)).collect();
        assert_eq!(drawn.iter().min(), Some(&3));
        assert_eq!(drawn.iter().max(), Some(&9));
    }

    #[test]
    fn logarithm_and_exponential_agree_with_the_platform() {
        for value in [0.002, 0.5, 1.0, 1.5, 2.0, 75.0, 200_000.0] {
            let value: f64 = value;
            assert!((ln(value) - value.ln()).abs() < 1e-12, "ln {value}");
            let back = exp(ln(value));
            assert!(
                (back - value).abs() < 1e-10 * value,
                "exp ln {value}: {back}"
            );
        }
    }
}
