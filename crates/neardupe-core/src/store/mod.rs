//! What a job keeps while it runs: in memory as long as the budget allows, else in files of
//! the work directory. The only place of the core that touches files.

mod segment;

pub use segment::{Segment, SegmentStore};
