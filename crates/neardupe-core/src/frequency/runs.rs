//! Counts that do not fit in memory: runs in order of their features, in the work directory,
//! added up as they are read.
//!
//! Runs are merged thirty-two at a time into longer ones, so a collection of any size leaves few
//! of them, and equal features come together early.

use crate::document::WorkFile;
use crate::error::Result;
use crate::store::{FrameFile, WorkDir};
use bytemuck::{Pod, Zeroable};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Runs that are merged into one.
const FAN_IN: usize = 32;
/// Rows that are read at a time: 64 KiB.
const BLOCK_ROWS: usize = 1 << 12;

/// How many documents have a feature, as far as counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct CountRow {
    pub(super) feature: u64,
    pub(super) count: u64,
}

/// The runs of a job; any thread adds to them.
#[derive(Debug)]
pub(super) struct Runs<'a> {
    work: &'a WorkDir,
    next: AtomicU32,
    /// Each level holds runs merged from those of the level below.
    levels: Mutex<Vec<Vec<WorkFile>>>,
}

impl<'a> Runs<'a> {
    pub(super) fn new(work: &'a WorkDir) -> Self {
        Runs {
            work,
            next: AtomicU32::new(0),
            levels: Mutex::default(),
        }
    }

    /// Puts rows away that are in order, no feature twice.
    pub(super) fn put(&self, rows: &[CountRow]) -> Result<()> {
        let mut writer = self.work.create(&self.new_name())?;
        for block in rows.chunks(BLOCK_ROWS) {
            writer.frame(block)?;
        }
        let mut run = writer.finish()?;
        // As digits of a number in base 32 carry over: a row is written again once for each level, so
        // log32 of the number of runs times in all.
        for level in 0.. {
            // Whoever completes a group takes it away; others go on meanwhile.
            let group = self.enter(level, run);
            if group.is_empty() {
                break;
            }
            run = self.merge(&group)?;
        }
        Ok(())
    }

    fn new_name(&self) -> String {
        format!("counts-{:08}", self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Enters a run. Returns the runs of its level when there are enough of them to be merged.
    fn enter(&self, level: usize, run: WorkFile) -> Vec<WorkFile> {
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        if levels.len() == level {
            levels.push(Vec::new());
        }
        levels[level].push(run);
        match levels[level].len() {
            FAN_IN => std::mem::take(&mut levels[level]),
            _ => Vec::new(),
        }
    }

    /// One run of several, whose files are removed. The lock is not held: other threads put runs
    /// away meanwhile.
    fn merge(&self, group: &[WorkFile]) -> Result<WorkFile> {
        let mut writer = self.work.create(&self.new_name())?;
        let mut block = Vec::with_capacity(BLOCK_ROWS);
        add_up(self.cursors(group)?, |row| {
            block.push(row);
            if block.len() == BLOCK_ROWS {
                writer.frame(&block)?;
                block.clear();
            }
            Ok(())
        })?;
        if !block.is_empty() {
            writer.frame(&block)?;
        }
        // Only now: an error before leaves the runs, and the job ends.
        for run in group {
            self.work.remove(&run.name)?;
        }
        writer.finish()
    }

    /// A cursor at the beginning of each run.
    fn cursors<'b>(&self, runs: &[WorkFile]) -> Result<Vec<Cursor<'b>>> {
        let open = |run: &WorkFile| Ok(Cursor::of_file(self.work.open(run)?));
        runs.iter().map(open).collect()
    }

    /// Calls `visit` with the sum for each feature, in order: of all runs, and of rows that
    /// were never put away. Each of these lists is in order.
    pub(super) fn for_each(
        &self,
        memory: &[Vec<CountRow>],
        visit: impl FnMut(CountRow) -> Result<()>,
    ) -> Result<()> {
        let runs: Vec<WorkFile> = {
            let levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
            levels.iter().flatten().cloned().collect()
        };
        let mut cursors = self.cursors(&runs)?;
        cursors.extend(memory.iter().map(|rows| Cursor::Memory(rows.iter())));
        add_up(cursors, visit)
    }
}

/// A list of rows while it is read.
enum Cursor<'a> {
    Memory(std::slice::Iter<'a, CountRow>),
    File {
        file: FrameFile,
        position: u64,
        block: Vec<CountRow>,
        at: usize,
    },
}

impl Cursor<'_> {
    fn of_file(file: FrameFile) -> Self {
        Cursor::File {
            file,
            position: 0,
            block: Vec::new(),
            at: 0,
        }
    }

    /// The next row; a file is read block by block, so a cursor holds 64 KiB.
    fn next(&mut self) -> Result<Option<CountRow>> {
        match self {
            Cursor::Memory(rows) => Ok(rows.next().copied()),
            Cursor::File {
                file,
                position,
                block,
                at,
            } => {
                if *at == block.len() {
                    if *position == file.bytes() {
                        return Ok(None);
                    }
                    *position = file.read(*position, block)?;
                    *at = 0;
                }
                *at += 1;
                Ok(block.get(*at - 1).copied())
            }
        }
    }
}

/// Calls `visit` with the sum for each feature, in order: a merge with a heap of one row for each
/// list, so a row costs the logarithm of the number of lists. Memory is a block for each file.
fn add_up(
    mut cursors: Vec<Cursor<'_>>,
    mut visit: impl FnMut(CountRow) -> Result<()>,
) -> Result<()> {
    let mut next = BinaryHeap::new();
    for (number, cursor) in cursors.iter_mut().enumerate() {
        if let Some(row) = cursor.next()? {
            next.push(Reverse((row, number)));
        }
    }
    // The feature at hand. Its rows are neighbors in the order of the merge, whatever list they are
    // from, so it is complete when another one comes. Sums of whole numbers do not depend on that
    // order.
    let mut sum: Option<CountRow> = None;
    while let Some(Reverse((row, number))) = next.pop() {
        match &mut sum {
            Some(sum) if sum.feature == row.feature => sum.count += row.count,
            _ => {
                if let Some(complete) = sum.replace(row) {
                    visit(complete)?;
                }
            }
        }
        if let Some(row) = cursors[number].next()? {
            next.push(Reverse((row, number)));
        }
    }
    sum.map_or(Ok(()), visit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use std::collections::BTreeMap;

    #[test]
    fn runs_of_several_levels_add_up_to_what_was_put_in() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkDir::new(folder.path().join("work"));
        let runs = Runs::new(&work);
        let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
        let mut list = |number: u64| {
            let rows: BTreeMap<u64, u64> = (0..6)
                .map(|at| (mix(number * 6 + at) % 97, number % 5 + 1))
                .collect();
            for (&feature, &count) in &rows {
                *expected.entry(feature).or_insert(0) += count;
            }
            let rows = rows.into_iter();
            rows.map(|(feature, count)| CountRow { feature, count })
                .collect::<Vec<_>>()
        };
        // Enough for a third level, a rest on each, and one list in memory.
        for number in 0..(FAN_IN * FAN_IN + 40) as u64 {
            runs.put(&list(number)).unwrap();
        }
        let memory = [list(9999), Vec::new()];
        let files = std::fs::read_dir(work.path()).unwrap().count();
        assert!(files < 20, "{files} files");
        for _ in 0..2 {
            let mut found = Vec::new();
            runs.for_each(&memory, |row| {
                found.push((row.feature, row.count));
                Ok(())
            })
            .unwrap();
            assert!(found.iter().copied().eq(expected.clone()));
        }
    }
}
