//! Typed values of tables as the text that JSON lines with the same values would give.
//!
//! Parquet files and record batches in memory come through here, so that a table gives the same
//! documents whichever way it is read.

use super::fields::Target;
use super::values::Values;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// Julian day of 1970-01-01, from which 96-bit times count.
const EPOCH_JULIAN_DAY: i64 = 2_440_588;
/// Nanoseconds of a day, without leap seconds.
const DAY_NANOSECONDS: i128 = 86_400_000_000_000;
/// Bytes of the longest decimal number that is read: twice those that Arrow has.
const MAX_DECIMAL_BYTES: usize = 64;

/// What a value of a column means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// True or false.
    Bool,
    /// A whole number.
    Signed,
    /// A whole number whose sign bit is a digit.
    Unsigned,
    /// A floating point number.
    Float,
    /// A floating point number of 16 bits, stored as two bytes.
    Half,
    /// A number in units of ten to the power of minus this.
    Decimal(usize),
    /// Days since 1970.
    Date,
    /// Time of the day, in units of so many nanoseconds.
    Time(i64),
    /// Time since 1970, in units of so many nanoseconds; whether it is UTC.
    Timestamp(i64, bool),
    /// A string, or bytes that may be one.
    Text,
    /// A UUID of 16 bytes.
    Uuid,
    /// Nothing that can be used.
    Other(&'static str),
}

/// Most decimals of a number, as in the widest type that writers have.
const MAX_SCALE: i32 = 76;

impl Meaning {
    /// Decimal numbers with so many digits after the point.
    pub(super) fn scaled(scale: i32) -> Self {
        match usize::try_from(scale) {
            Ok(decimals) if scale <= MAX_SCALE => Meaning::Decimal(decimals),
            Ok(_) => Meaning::Other("a number of too many decimals"),
            Err(_) => Meaning::Other("a number in units of more than one"),
        }
    }
}

/// A value as its column stores it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scalar<'a> {
    /// A flag.
    Bool(bool),
    /// Of 32 bits: an unsigned number has only so many.
    Int32(i32),
    /// Of 64 bits, whether signed or not.
    Int64(i64),
    /// Single precision. Its text has as many digits as single precision needs.
    Float(f32),
    /// Double precision.
    Double(f64),
    /// Nanoseconds since 1970, whatever the column means.
    Instant(i128),
    /// Bytes of any length: strings, large numbers, UUIDs.
    Bytes(&'a [u8]),
}

/// The time that Parquet's oldest type for times stores: nanoseconds of the day and a Julian day.
pub(super) fn julian(low: u32, high: u32, day: u32) -> Scalar<'static> {
    let of_day = i128::from(low) + (i128::from(high) << 32);
    let day = i128::from(i64::from(day.cast_signed()) - EPOCH_JULIAN_DAY);
    Scalar::Instant(day * DAY_NANOSECONDS + of_day)
}

/// Puts a value where it is wanted.
pub(super) fn put(
    targets: &[Target],
    meaning: Meaning,
    scalar: Scalar<'_>,
    values: &mut Values,
) {
    match scalar {
        Scalar::Bool(value) => {
            let text = if value { "true" } else { "false" };
            values.put_scalar(targets, text, "a boolean");
        }
        Scalar::Int32(value) => {
            put_integer(targets, meaning, i64::from(value), true, values)
        }
        Scalar::Int64(value) => put_integer(targets, meaning, value, false, values),
        Scalar::Instant(nanoseconds) => {
            put_timestamp(targets, nanoseconds, false, values)
        }
        // JSON has no word for numbers that are not finite, and writers of tables use them for
        // null. Zero has one sign as text.
        Scalar::Float(value) if value.is_finite() => {
            put_number(targets, (value + 0.0).to_string(), values);
        }
        Scalar::Double(value) if value.is_finite() => {
            put_number(targets, (value + 0.0).to_string(), values);
        }
        Scalar::Float(_) | Scalar::Double(_) => {}
        Scalar::Bytes(value) => put_bytes(targets, meaning, value, values),
    }
}

/// Puts the text of a number: metadata and ids take it, texts refuse it.
fn put_number(targets: &[Target], text: String, values: &mut Values) {
    values.put_scalar(targets, &text, "a number");
}

/// Puts a whole number by its meaning. `narrow` says that only 32 bits are stored, which
/// matters for unsigned ones.
fn put_integer(
    targets: &[Target],
    meaning: Meaning,
    value: i64,
    narrow: bool,
    values: &mut Values,
) {
    let text = match meaning {
        Meaning::Unsigned if narrow => (value & 0xffff_ffff).to_string(),
        Meaning::Unsigned => value.cast_unsigned().to_string(),
        Meaning::Decimal(decimals) => {
            decimal(value < 0, value.unsigned_abs().to_string(), decimals)
        }
        Meaning::Date => {
            let time = civil(i128::from(value) * DAY_NANOSECONDS);
            let text = time.map(|time| time.date().to_string());
            // A day beyond the calendar is written as the number that is stored.
            let text = text.unwrap_or_else(|| value.to_string());
            return values.put_scalar(targets, &text, "a date");
        }
        Meaning::Time(unit) => {
            let nanoseconds = i128::from(value) * i128::from(unit);
            // 24:00 and negative times are written as numbers.
            let in_day = (0..DAY_NANOSECONDS).contains(&nanoseconds);
            let time = civil(nanoseconds).filter(|_| in_day);
            let text = time.map(|time| time.time().to_string());
            let text = text.unwrap_or_else(|| value.to_string());
            return values.put_scalar(targets, &text, "a time");
        }
        Meaning::Timestamp(unit, utc) => {
            let nanoseconds = i128::from(value) * i128::from(unit);
            return put_timestamp(targets, nanoseconds, utc, values);
        }
        Meaning::Other(found) => return values.refuse(targets, found),
        _ => value.to_string(),
    };
    put_number(targets, text, values);
}

/// As ISO 8601 has it. A time beyond its years is written as a number: files use the largest
/// numbers for "never".
fn put_timestamp(targets: &[Target], nanoseconds: i128, utc: bool, values: &mut Values) {
    let text = match (Timestamp::from_nanosecond(nanoseconds), utc) {
        (Ok(time), true) => time.to_string(),
        (Ok(time), false) => Offset::UTC.to_datetime(time).to_string(),
        (Err(_), _) => nanoseconds.to_string(),
    };
    values.put_scalar(targets, &text, "a time");
}

/// The time of the calendar, in UTC; None beyond the years that it has.
fn civil(nanoseconds: i128) -> Option<DateTime> {
    let time = Timestamp::from_nanosecond(nanoseconds).ok()?;
    Some(Offset::UTC.to_datetime(time))
}

/// Puts a value of bytes: a number, a UUID or a string.
fn put_bytes(targets: &[Target], meaning: Meaning, bytes: &[u8], values: &mut Values) {
    match meaning {
        Meaning::Other(found) => values.refuse(targets, found),
        Meaning::Decimal(decimals) => match bytes.len() {
            0..=MAX_DECIMAL_BYTES => {
                let (negative, digits) = big_endian(bytes);
                put_number(targets, decimal(negative, digits, decimals), values);
            }
            _ => values.refuse(targets, "a number of too many digits"),
        },
        Meaning::Half => {
            if let &[low, high] = bytes {
                let number = half(u16::from_le_bytes([low, high]));
                // Infinity and NaN are no value, as in the wider types.
                if number.is_finite() {
                    put_number(targets, number.to_string(), values);
                }
            }
        }
        Meaning::Uuid if bytes.len() == 16 => {
            values.put_targets(targets, &uuid(bytes), None);
        }
        // Strings are UTF-8 by the rules of the format, whatever the character set of the
        // user's other files.
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => values.put_targets(targets, text, None),
            Err(_) => values.put_field(targets, bytes),
        },
    }
}

/// Whether a whole number in two's complement is negative, and its digits.
fn big_endian(bytes: &[u8]) -> (bool, String) {
    let negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let mut magnitude = bytes.to_vec();
    if negative {
        // The complement and one more.
        let mut carry = true;
        for byte in magnitude.iter_mut().rev() {
            (*byte, carry) = (!*byte).overflowing_add(u8::from(carry));
        }
    }
    let mut digits = Vec::new();
    // Divides by ten until nothing is left. Numbers have at most 64 bytes, so the square does
    // not matter.
    while magnitude.iter().any(|&byte| byte != 0) {
        let mut rest = 0u16;
        for byte in &mut magnitude {
            let number = (rest << 8) | u16::from(*byte);
            *byte = u8::try_from(number / 10).unwrap_or(u8::MAX);
            rest = number % 10;
        }
        digits.push(b'0' + u8::try_from(rest).unwrap_or(0));
    }
    let digits: String = digits.into_iter().rev().map(char::from).collect();
    (negative, digits)
}

/// A decimal number without the zeros at its end, as the reader of JSON lines has it.
fn decimal(negative: bool, digits: String, decimals: usize) -> String {
    // Zeros in front, so that there is a digit before the point.
    let mut text = format!("{digits:0>width$}", width = decimals + 1);
    if decimals > 0 {
        text.insert(text.len() - decimals, '.');
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if negative {
        text.insert(0, '-');
    }
    text
}

/// A floating point number of 16 bits (IEEE 754).
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = ((bits >> 10) & 0x1f, f32::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(i32::from(exponent) - 15),
    };
    if bits >= 0x8000 {
        -magnitude
    } else {
        magnitude
    }
}

/// The usual form with hyphens, in lower case.
fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_and_end_without_zeros() {
        for (value, decimals, expected) in [
            (0i128, 0, "0"),
            (0, 3, "0"),
            (1250, 2, "12.5"),
            (-1250, 2, "-12.5"),
            (-5, 3, "-0.005"),
            (1200, 2, "12"),
            (1200, 0, "1200"),
            (i128::MIN, 1, "-17014118346046923173168730371588410572.8"),
        ] {
            let (negative, digits) = big_endian(&value.to_be_bytes());
            assert_eq!(decimal(negative, digits, decimals), expected);
        }
    }

    #[test]
    fn numbers_of_any_length_are_read() {
        let number = |bytes: &[u8]| {
            let (negative, digits) = big_endian(bytes);
            decimal(negative, digits, 0)
        };
        assert_eq!(number(&[]), "0");
        assert_eq!(number(&[0xff]), "-1");
        assert_eq!(number(&[0x80]), "-128");
        assert_eq!(number(&[0x01, 0x00]), "256");
        assert_eq!(number(&i128::MIN.to_be_bytes()), i128::MIN.to_string());
        let wide = |fill: u8, value: i128| {
            number(&[vec![fill; 16], value.to_be_bytes().to_vec()].concat())
        };
        assert_eq!(wide(0, 7), "7");
        assert_eq!(wide(0xff, -7), "-7");
        // 2^128 and 2^255 - 1.
        let power = [vec![0; 15], vec![1], vec![0; 16]].concat();
        assert_eq!(number(&power), "340282366920938463463374607431768211456");
        let most = [vec![0x7f], vec![0xff; 31]].concat();
        let expected = "57896044618658097711785492504343953926634992332820282019728792003956564819967";
        assert_eq!(number(&most), expected);
    }

    #[test]
    fn half_floats_are_those_of_ieee_754() {
        for (bits, expected) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f32.powi(-24)),
            (0x3555, 0.333_251_95),
        ] {
            assert!(
                (half(bits) - expected).abs() < f32::EPSILON * expected.abs() + 1e-30
            );
        }
        assert!(!half(0x7c00).is_finite() && !half(0x7e00).is_finite());
    }
}
