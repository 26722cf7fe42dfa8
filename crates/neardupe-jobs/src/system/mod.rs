//! What the system reports about memory and disk. Reports are advice: no result depends on them.

pub mod disk;
pub mod memory;
