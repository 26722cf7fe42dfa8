//! The exact join over kept sets: probing posting lists, filtering, verifying.

pub mod all_pairs;
pub mod prober;
pub mod scan;

pub use all_pairs::all_pairs;
pub use prober::{Join, Probe, Prober};
