//! The kinds of jobs, one folder or file each.

pub mod dedup;
pub mod find;
pub mod stored;
