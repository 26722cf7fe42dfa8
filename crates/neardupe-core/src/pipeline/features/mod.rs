//! What is made of one record, and what must be read before that can begin.
//!
//! [`set_maker`] makes the feature set of a record; [`codes`] reads what simhashes and keys of I-Match depend on,
//! [`frequent`] which features of a kind are frequent.

pub mod codes;
pub mod frequent;
pub mod set_maker;
