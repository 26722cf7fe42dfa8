//! Studies that run `find` (or `passages`) once for each of some settings over one collection, and
//! put what it costs beside how good it is.
//!
//! Each setting is what could be typed. `known` is what its pairs are scored against, `cost` what is
//! measured of a job, `rows` one table for the CSV file, the summary and the terminal.

mod cost;
mod ending;
pub(super) mod features;
mod groups;
pub(super) mod hamming;
mod known;
pub(super) mod passages;
mod rows;
mod setting;
pub(super) mod signatures;
mod steps;
pub(super) mod threshold;
