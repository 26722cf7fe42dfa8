//! Decimal numbers of any length, compared exactly.
//!
//! A number stays the text it was written as: nothing is allocated and no digit is lost, and an
//! exponent such as that of `1e999999999` is compared, never written out.
//!
//! [`Decimal`] compares two numbers at hand; [`NumberKey`] has a fixed size and orders numbers
//! where they are sorted without their texts, and says when it is not enough.

use std::cmp::Ordering;

/// Largest exponent that is read. With it and the digits of any text in memory, the place of
/// the point fits the bits that [`NumberKey`] has for it.
const MAX_EXPONENT: i64 = 1_000_000_000_000_000;
/// Digits that a [`NumberKey`] holds.
const KEY_DIGITS: usize = 22;
/// Bits of those digits: 10^22 < 2^74.
const DIGIT_BITS: u32 = 74;
/// Bits of the place of the point.
const PLACE_BITS: u32 = 52;
/// Zeros that are written out at either end of a number: those of every floating point
/// number of 64 bits are.
const MAX_ZEROS: i64 = 330;

/// A decimal number: its sign, where its point stands, and its significant digits.
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'a> {
    negative: bool,
    /// The value is `0.DIGITS` times ten to the power of this; 0 for zero.
    place: i64,
    /// Significant digits before and after the point as written; together they neither begin
    /// nor end with a zero. Both are empty for zero.
    digits: [&'a str; 2],
}

impl<'a> Decimal<'a> {
    /// Reads a number: digits with a sign, a decimal point and an exponent, all but the digits
    /// optional. `NaN`, infinity, separators of thousands and exponents of more than
    /// 10^15 are not read.
    pub fn parse(text: &'a str) -> Option<Decimal<'a>> {
        // Signs, digits, points and exponents are ASCII, so places of bytes are places of
        // characters.
        let text = text.trim();
        let (negative, text) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            None => (text, Some(0)),
            Some(at) => (&text[..at], exponent(&text[at + 1..])?),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0
            || !are_digits(whole)
            || !are_digits(fraction)
        {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        // Zeros that say nothing are cut off here, once: digits then begin and end with another
        // digit, and equal numbers have equal parts however they were written.
        let fraction = fraction.trim_end_matches('0');
        let (place, digits) = match (whole, fraction) {
            ("", "") => {
                return Some(Decimal {
                    negative: false,
                    place: 0,
                    digits: ["", ""],
                });
            }
            ("", fraction) => {
                let digits = fraction.trim_start_matches('0');
                // `0.005`: zeros after the point move it to the left.
                (0 - len(fraction) + len(digits), ["", digits])
            }
            // `1200` and `12e2`: the point stands after four digits in both.
            (whole, "") => (len(whole), [whole.trim_end_matches('0'), ""]),
            (whole, fraction) => (len(whole), [whole, fraction]),
        };
        Some(Decimal {
            negative,
            // No overflow: a length and an exponent of up to 10^15 fit 64 bits. An exponent that is
            // too large makes it no number.
            place: place + exponent?,
            digits,
        })
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.num_digits() == 0
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether it has nothing after the point.
    pub fn is_whole(&self) -> bool {
        len(self.digits[0]) + len(self.digits[1]) <= self.place
    }

    /// Digits before the point, without leading zeros; 0 or less for numbers below 1, and 0 for
    /// zero.
    pub fn whole_digits(&self) -> i64 {
        self.place
    }

    /// The number times ten to the power of `places`, cut to a whole number; None where that has
    /// more than 38 digits.
    pub fn scaled(&self, places: i64) -> Option<i128> {
        if self.is_zero() {
            return Some(0);
        }
        // Digits of the result before the point; negative for numbers that are cut to 0.
        let wanted = usize::try_from(self.place.saturating_add(places)).unwrap_or(0);
        if wanted > 38 {
            return None;
        }
        let zeros = std::iter::repeat(b'0');
        let digits = self.bytes().chain(zeros).take(wanted);
        let magnitude =
            digits.fold(0i128, |sum, digit| sum * 10 + i128::from(digit - b'0'));
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The number as text: the same for all ways to write it. Zeros at either end are written
    /// out up to 330 of them (`1e3` is `1000`), beyond that it has an exponent.
    pub fn canonical(&self) -> String {
        if self.is_zero() {
            return "0".to_owned();
        }
        let digits: String = self.digits.concat();
        let (place, num_digits) = (self.place, len(&digits));
        let mut text = String::new();
        if self.negative {
            text.push('-');
        }
        let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
        if place > num_digits + MAX_ZEROS || place < -MAX_ZEROS {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            text.push_str(&format!("{first}{point}{rest}e{}", place - 1));
        } else if place >= num_digits {
            text.push_str(&digits);
            text.push_str(&zeros(place - num_digits));
        } else if place > 0 {
            let (whole, fraction) = digits.split_at(usize::try_from(place).unwrap_or(0));
            text.push_str(&format!("{whole}.{fraction}"));
        } else {
            text.push_str("0.");
            text.push_str(&zeros(-place));
            text.push_str(&digits);
        }
        text
    }

    /// A key of fixed size that orders numbers; see there for numbers with many digits. From the
    /// highest bit: 2 bits of class (negative, zero, positive), 52 bits of the place of the point,
    /// 74 bits of digits. Of a negative number all but the class is inverted, since the larger
    /// magnitude comes first.
    pub fn key(&self) -> NumberKey {
        let class = match (self.is_zero(), self.negative) {
            (true, _) => 1u128,
            (_, true) => 0,
            (_, false) => 2,
        };
        let zeros = std::iter::repeat(b'0');
        let leading = self.bytes().chain(zeros).take(KEY_DIGITS);
        let digits =
            leading.fold(0u128, |sum, digit| sum * 10 + u128::from(digit - b'0'));
        // Moved to be positive, so that places compare as unsigned numbers.
        let place = u128::try_from(self.place + (1 << (PLACE_BITS - 1))).unwrap_or(0);
        let mut magnitude = (place << DIGIT_BITS) | digits;
        if class == 0 {
            magnitude ^= (1u128 << (DIGIT_BITS + PLACE_BITS)) - 1;
        }
        NumberKey {
            bits: (class << (DIGIT_BITS + PLACE_BITS)) | magnitude,
            exact: self.num_digits() <= KEY_DIGITS,
        }
    }

    /// Number of significant digits.
    fn num_digits(&self) -> usize {
        self.digits[0].len() + self.digits[1].len()
    }

    /// The significant digits, from the first on.
    fn bytes(&self) -> impl Iterator<Item = u8> + 'a {
        self.digits[0].bytes().chain(self.digits[1].bytes())
    }

    /// -1, 0 or 1.
    fn sign(&self) -> i8 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal<'_> {}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    /// By value: no digit is lost, whatever the length.
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = self.sign().cmp(&other.sign());
        sign.then_with(|| {
            // Without zeros at either end, digits compare as text does.
            let by_place = self.place.cmp(&other.place);
            let magnitude = by_place.then_with(|| self.bytes().cmp(other.bytes()));
            if self.negative {
                magnitude.reverse()
            } else {
                magnitude
            }
        })
    }
}

/// A number as bits that order numbers. Of two numbers with different bits the one with the
/// smaller bits is smaller. Two with the same bits are equal if both are exact; else only the
/// numbers themselves say which is smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberKey {
    /// Sign, place of the point, and the first 22 digits.
    pub bits: u128,
    /// Whether the number has no further digits.
    pub exact: bool,
}

/// Length as a signed number: places of the point may be negative.
fn len(text: &str) -> i64 {
    // No text in memory is longer.
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

/// The number after `e`. None when it is not an exponent, Some(None) when it is too large.
fn exponent(text: &str) -> Option<Option<i64>> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    let parsed = match digits {
        "" => Some(0),
        digits => digits.parse::<i64>().ok(),
    };
    let magnitude = parsed.filter(|&magnitude| magnitude <= MAX_EXPONENT);
    Some(magnitude.map(|magnitude| if negative { -magnitude } else { magnitude }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Decimal<'_> {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    /// The order by keys, and by the numbers where keys do not say.
    fn by_keys(left: &Decimal<'_>, right: &Decimal<'_>) -> Ordering {
        let (one, other) = (left.key(), right.key());
        one.bits.cmp(&other.bits).then_with(|| {
            if one.exact && other.exact {
                Ordering::Equal
            } else {
                left.cmp(right)
            }
        })
    }

    #[test]
    fn numbers_of_any_size_are_in_order() {
        let ordered = [
            "-1e999999999",
            "-123456789012345678901234567890.1",
            "-123456789012345678901234567890",
            "-10",
            "-9.5",
            "-1e-999999999",
            "0",
            "1e-999999999",
            "1e-11",
            "1.1e-11",
            "0.9999999999999999999999999999",
            "1",
            "1.0000000000001",
            "9.5",
            "10",
            "9999999999999999999999999999.5",
            "1e28",
            "10000000000000000000000000000.5",
            "123456789012345678901234567890",
            "123456789012345678901234567891",
            "1e999999998",
            "9e999999998",
            "1e999999999",
        ];
        for (at, left) in ordered.iter().enumerate() {
            for (other, right) in ordered.iter().enumerate() {
                let expected = at.cmp(&other);
                let (one, two) = (number(left), number(right));
                assert_eq!(one.cmp(&two), expected, "{left} {right}");
                assert_eq!(by_keys(&one, &two), expected, "{left} {right}");
            }
        }
    }

    #[test]
    fn equal_numbers_are_equal_however_they_are_written() {
        for (one, other, canonical) in [
            ("1", "1.0", "1"),
            ("+10", "1e1", "10"),
            ("-0", "0e99999999999999999999", "0"),
            ("0.00", ".0", "0"),
            ("1200", "0012e+002", "1200"),
            ("0.5", "50E-2", "0.5"),
            ("-0.005", "-5e-3", "-0.005"),
            ("12.50", " 1.25e1 ", "12.5"),
            ("1e400", "10e399", "1e400"),
            ("-1.5e-400", "-15e-401", "-1.5e-400"),
            ("1e300", "0.1e301", &format!("1{}", "0".repeat(300))),
            (
                "123456789012345678901234567890",
                "1.2345678901234567890123456789e29",
                "123456789012345678901234567890",
            ),
        ] {
            let (left, right) = (number(one), number(other));
            assert_eq!(left, right, "{one} {other}");
            assert_eq!(by_keys(&left, &right), Ordering::Equal, "{one} {other}");
            assert_eq!(left.canonical(), canonical);
            assert_eq!(right.canonical(), canonical);
            assert_eq!(number(canonical), left);
        }
    }

    #[test]
    fn what_is_no_number_is_not_read() {
        for wrong in [
            "",
            " ",
            "-",
            "+",
            ".",
            "-.",
            "e5",
            "1e",
            "1e+",
            "1e1.5",
            "1.2.3",
            "1,000",
            "1_000",
            "0x10",
            "NaN",
            "nan",
            "inf",
            "Infinity",
            "-inf",
            "1 2",
            "１",
            "--1",
            "1e99999999999999999999",
            "1e1000000000000001",
            "n/a",
            "10%",
        ] {
            assert_eq!(Decimal::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_are_scaled_and_cut() {
        assert_eq!(number("1.5").scaled(3), Some(1500));
        assert_eq!(number("-1.23456").scaled(2), Some(-123));
        assert_eq!(number("0.001").scaled(2), Some(0));
        assert_eq!(number("1e-999999999").scaled(9), Some(0));
        assert_eq!(number("1e999999999").scaled(9), None);
        assert_eq!(number("12e3").scaled(0), Some(12_000));
    }

    proptest! {
        #[test]
        fn keys_order_as_numbers_do(
            left in "-?[0-9]{0,3}(00|[0-9]{0,30})[0-9]\\.[0-9]{0,30}(e-?[0-4])?",
            right in "-?[0-9]{0,3}(00|[0-9]{0,30})[0-9]\\.[0-9]{0,30}(e-?[0-4])?",
            extra in "0{0,3}[0-9]{0,2}",
        ) {
            let longer = format!("{left}{extra}");
            let one = number(&left);
            for other in [right.as_str(), longer.as_str()] {
                let Some(other) = Decimal::parse(other) else { continue };
                prop_assert_eq!(by_keys(&one, &other), one.cmp(&other));
                prop_assert_eq!(one.cmp(&other), other.cmp(&one).reverse());
            }
            let canonical = one.canonical();
            prop_assert_eq!(number(&canonical), one);
            prop_assert_eq!(number(&canonical).canonical(), canonical);
        }

        #[test]
        fn whole_numbers_order_as_integers_do(left: i64, right: i64) {
            let (one, other) = (left.to_string(), right.to_string());
            prop_assert_eq!(number(&one).cmp(&number(&other)), left.cmp(&right));
            prop_assert_eq!(number(&one).scaled(0), Some(i128::from(left)));
        }
    }
}
