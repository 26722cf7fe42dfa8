//! Numbers as typed.

use neardupe_core::error::Error;
use std::ops::RangeInclusive;

/// A whole number as typed, within a range.
pub(crate) fn whole_number(
    param: &str,
    text: &str,
    allowed: RangeInclusive<u64>,
) -> Result<u64, Error> {
    let number = text
        .parse::<u64>()
        .ok()
        .filter(|number| allowed.contains(number));
    number.ok_or_else(|| {
        let (least, most) = allowed.into_inner();
        let message = format!("{text:?} is not a whole number from {least} to {most}");
        Error::config(param, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_outside_the_range_are_refused() {
        let number = |text| whole_number("x", text, 1..=9).ok();
        assert_eq!(number("9"), Some(9));
        for wrong in ["0", "10", "-1", "1.0", "x", ""] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }
}
