//! File formats in and out.
pub mod compress;
pub mod output;
pub mod source;
