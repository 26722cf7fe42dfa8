//! Studies that run `find` (or `passages`) once for each of some settings over one collection, and
//! put what it costs beside how good it is.

pub(super) mod features;
pub(super) mod hamming;
pub(super) mod passages;
pub(super) mod signatures;
pub(super) mod threshold;
