//! From sets back to documents: duplicates, clusters and pairs in the order in which they are written.
//!
//! [`rows`] are the rows and the rules that make them, of integers alone; [`members`] the documents of each set;
//! [`priority`] the order of keeping, [`field_values`] what it reads of metadata, [`priority_ranks`] how it is
//! written; [`ranked`] brings rows of ids and documents together.

pub mod field_values;
pub mod members;
pub mod priority;
pub mod priority_ranks;
pub mod ranked;
pub mod rows;
