//! What the system tells of memory and disk.

pub mod disk;
pub mod memory;
