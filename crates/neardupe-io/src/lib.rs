//! File formats in and out.
//!
//! [`source`] turns arguments into files and files into records, in parallel;
//! [`compress`] unpacks what is packed, [`charset`] decodes it and [`extract`] makes text of
//! HTML; [`tables`] declares what results consist of, [`output`] writes a result folder that appears complete or not at all, and
//! [`result`] reads it back; [`fetch`] gets documents back by their ids.
//!
//! A module uses only modules that stand above it.

mod panics;

pub mod charset;
pub mod compress;
pub mod extract;
pub mod tables;
pub mod output;
pub mod result;
pub mod source;
pub mod fetch;

pub use panics::{guarded, is_guarded};
