//! File formats in and out.
//!
//! [`source`] turns arguments into files and files into records, in parallel;
//! [`compress`] unpacks what is packed, [`charset`] decodes it and [`extract`] makes text of
//! HTML; [`output`] writes a result folder that appears complete or not at all.

pub mod charset;
pub mod compress;
pub mod extract;
pub mod output;
mod panics;
pub mod source;

pub use panics::is_guarded;
