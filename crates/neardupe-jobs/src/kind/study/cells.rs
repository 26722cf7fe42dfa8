//! Cells of the tables of a study.

use crate::numbers::grouped;

/// A count with its thousands apart.
pub(super) fn count(number: u64) -> String {
    grouped(number)
}

/// A share with three decimals; what is not known is left out. What is not all is not called 1.
pub(super) fn share(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value < 1.0 => format!("{:.3}", value.min(0.999)),
        Some(value) => format!("{value:.3}"),
    }
}

/// Names of columns.
pub(super) fn head<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_all_is_not_called_all() {
        assert_eq!(share(Some(0.999_999)), "0.999");
        assert_eq!(share(Some(1.0)), "1.000");
        assert_eq!(share(None), "");
    }
}
