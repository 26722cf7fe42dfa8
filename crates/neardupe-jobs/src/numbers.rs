//! Numbers as people read them: in printed summaries, messages and reports. Files for programs have
//! plain numbers.

/// A number with commas between thousands: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        // Before every third digit from the end.
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number with its noun: `1 document`, `1,200 documents`. The plural is formed with `s`.
pub fn plural(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        many => format!("{} {what}s", grouped(many)),
    }
}

/// A number of bytes in the unit that leaves one to three digits before the point. Units are powers of
/// 1000, unlike those of [`Size`](crate::param::Size), which are typed.
pub fn bytes(number: u64) -> String {
    let mut unit = "B";
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let mut value = number as f64;
    for larger in ["kB", "MB", "GB", "TB"] {
        // Not 1000: with one decimal 999.97 kB would be printed as 1000.0 kB.
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    if unit == "B" {
        format!("{number} B")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// A share in percent with one decimal, rounded. A part that is not the whole is never printed as 100
/// %, and a part that is not empty never as 0 %.
pub fn percent(part: u64, whole: u64) -> String {
    let wide = u128::from(whole.max(1));
    // In 128 bits, since bytes of a large collection times 2000 exceed 64. The sum rounds to the
    // nearest tenth.
    let tenths = (u128::from(part) * 2000 + wide) / (wide * 2);
    match tenths {
        0 if part > 0 => "< 0.1 %".to_owned(),
        1000 if part < whole => "> 99.9 %".to_owned(),
        _ => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

// Tables and messages write such numbers alike.
pub use neardupe_io::tables::decimals;

/// A difference with its sign and so many decimals; a difference that rounds to zero has no sign.
pub fn change(value: f64, places: usize) -> String {
    let text = decimals(value, places);
    if value > 0.0 && !is_zero(&text) {
        format!("+{text}")
    } else {
        text
    }
}

/// Whether a number is zero as it is written, without its sign.
fn is_zero(digits: &str) -> bool {
    digits.chars().all(|it| matches!(it, '0' | '.'))
}

/// A time in its two largest units; the second unit is omitted when it is zero.
pub fn duration(seconds: f64) -> String {
    let seconds = whole(seconds);
    // Rounded to minutes before hours are split off, so that no time is printed as `1 h 60 min`.
    let minutes = (seconds + 30) / 60;
    let (large, small) = match seconds {
        0..60 => return format!("{seconds} s"),
        60..3600 => ((seconds / 60, "min"), (seconds % 60, "s")),
        _ => ((minutes / 60, "h"), (minutes % 60, "min")),
    };
    let large = format!("{} {}", grouped(large.0), large.1);
    match small {
        (0, _) => large,
        (number, unit) => format!("{large} {number} {unit}"),
    }
}

/// The nearest whole number; 0 for negative numbers and for NaN.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a cast of this kind saturates"
)]
pub fn whole(number: f64) -> u64 {
    number.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(bytes(812), "812 B");
        assert_eq!(bytes(2_195_877), "2.2 MB");
        assert_eq!(percent(220, 383), "57.4 %");
        assert_eq!(percent(0, 0), "0.0 %");
        assert_eq!(percent(7, 7), "100.0 %");
        assert_eq!(percent(199_999, 200_000), "> 99.9 %");
        assert_eq!(percent(1, 200_000), "< 0.1 %");
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(decimals(-0.000_01, 4), "0.0000");
        assert_eq!(decimals(-0.0, 6), "0.000000");
        assert_eq!(decimals(-0.4, 0), "0");
        assert_eq!(decimals(-0.000_06, 4), "-0.0001");
        assert_eq!(decimals(0.25, 4), "0.2500");
        assert_eq!(decimals(f64::NEG_INFINITY, 2), "-inf");
        assert_eq!(change(-0.000_01, 4), "0.0000");
        assert_eq!(change(0.000_01, 4), "0.0000");
        assert_eq!(change(-0.0, 4), "0.0000");
        assert_eq!(change(0.0241, 4), "+0.0241");
        assert_eq!(change(-0.0241, 4), "-0.0241");
    }

    #[test]
    fn times_read_well() {
        let cases = [
            (0.0, "0 s"),
            (0.4, "0 s"),
            (48.2, "48 s"),
            (59.6, "1 min"),
            (200.0, "3 min 20 s"),
            (3599.4, "59 min 59 s"),
            (3599.6, "1 h"),
            (7_199.0, "2 h"),
            (7_500.0, "2 h 5 min"),
            (7_200_000.0, "2,000 h"),
            (-3.0, "0 s"),
            (f64::NAN, "0 s"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(duration(seconds), expected, "{seconds}");
        }
    }
}
