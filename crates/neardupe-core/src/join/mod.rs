//! The exact join over open sets: probing posting lists, filtering, verifying.
//!
//! When the lists of all sets do not fit, they are made for as many sets as do, one [`window`] after
//! the other: all sets after the window probe it too.

pub mod all_pairs;
pub mod cross;
pub mod prober;
pub mod scan;
pub mod window;

pub use all_pairs::all_pairs;
pub use cross::{Sides, cross_pairs};
pub use prober::{Join, JoinSettings, Outside, Probe, Prober, ProbingSet};
pub use window::Window;
