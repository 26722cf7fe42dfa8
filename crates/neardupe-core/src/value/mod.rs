//! Values of metadata fields as numbers and dates.
//!
//! `keep` orders documents by them, the sources write numbers by them, and `history` dates
//! versions by them. What cannot be read with certainty is not read: whoever asks counts such
//! values and reports them.

mod date;
mod decimal;

pub use date::{DateReading, DayOrder, TimeUnit, read_date};
pub use decimal::{Decimal, NumberKey};
