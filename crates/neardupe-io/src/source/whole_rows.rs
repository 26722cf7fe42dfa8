//! Whether rows can be written again with all their columns, also those that are not compared.
//!
//! A job that writes its input again (`dedup`) would else notice a damaged column after the search, when
//! documents of that group have already been compared and others removed for them. So a group of which a
//! column cannot be decoded is a bad record from the beginning, like one whose texts cannot be.

use super::parquet::ParquetFile;
use super::parquet::copy::RowsFrom;
use super::read::FileSource;
use super::values::Fault;
use neardupe_core::document::Side;
use neardupe_core::hash::FixedMap;
use std::sync::{Mutex, PoisonError};

/// What is known of row groups, by file and number. Each is decoded once for this, though it is read twice.
#[derive(Debug, Default)]
pub(super) struct CheckedGroups(Mutex<FixedMap<(u32, usize), Option<Fault>>>);

/// Checks row groups, for one thread.
#[derive(Default)]
pub(super) struct WholeRows {
    open: Option<(u32, RowsFrom)>,
}

impl WholeRows {
    /// An error when a row of the group could not be written again, and that matters here.
    pub(super) fn check(
        &mut self,
        source: &FileSource,
        file: u32,
        parquet: &ParquetFile,
        group: usize,
    ) -> Result<(), Fault> {
        let input = &source.files[file as usize];
        // Old documents are never written.
        let has_rows = parquet
            .groups()
            .get(group)
            .is_some_and(|group| group.rows > 0);
        let is_written = source.options.whole_rows && input.side == Side::New && has_rows;
        let Some(path) = input.path.as_ref().filter(|_| is_written) else {
            return Ok(());
        };
        let known = || {
            let known = source.checked_groups.0.lock();
            known.unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(found) = known().get(&(file, group)) {
            return found.clone().map_or(Ok(()), Err);
        }
        if self.open.as_ref().is_none_or(|(open, _)| *open != file) {
            self.open = Some((file, RowsFrom::open(path)?));
        }
        let found = match &self.open {
            Some((_, rows)) => rows.check(group, &parquet.read_columns()).err(),
            None => None,
        };
        known().insert((file, group), found.clone());
        found.map_or(Ok(()), Err)
    }
}
