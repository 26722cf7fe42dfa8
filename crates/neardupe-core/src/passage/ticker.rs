//! Reports the progress of a long loop, and ends it when the job is cancelled. The loops go over
//! rows of sorters, perhaps billions, so a row costs one addition and one test.

use crate::document::{Progress, check_cancelled};
use crate::error::Result;

/// Rows between two reports. A power of two: the test is a mask.
const ROWS: u64 = 1 << 12;

/// Counts rows.
#[derive(Clone, Copy)]
pub(super) struct Ticker<'a> {
    progress: &'a dyn Progress,
    /// Whether the rows are what the stage is measured by; otherwise only cancelling is checked.
    reports: bool,
    rows: u64,
}

impl<'a> Ticker<'a> {
    /// For rows that a stage is measured by.
    pub(super) fn reporting(progress: &'a dyn Progress) -> Self {
        Ticker {
            progress,
            reports: true,
            rows: 0,
        }
    }

    /// For rows that are made on the way: a stage that reported them too would pass its total.
    pub(super) fn silent(progress: &'a dyn Progress) -> Self {
        Ticker {
            reports: false,
            ..Ticker::reporting(progress)
        }
    }

    /// One row more.
    #[inline]
    pub(super) fn tick(&mut self) -> Result<()> {
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS) {
            self.report()
        } else {
            Ok(())
        }
    }

    fn report(&self) -> Result<()> {
        if self.reports {
            self.progress.advance(ROWS);
        }
        check_cancelled(self.progress)
    }
}
