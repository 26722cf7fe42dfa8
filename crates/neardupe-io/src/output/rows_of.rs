//! How rows come from a result in memory: one iterator for files and record batches alike.

use crate::tables::{Declared, Layout};
use neardupe_core::error::Result;

/// A table that can be made of a result of type `R`.
pub trait RowsOf<R>: Declared {
    /// Its rows in order; none if the result has no such table.
    fn rows<'a>(
        result: &'a R,
        layout: &Layout,
    ) -> Option<impl Iterator<Item = Result<Self::Row<'a>>> + Send + use<'a, Self, R>>;
}
