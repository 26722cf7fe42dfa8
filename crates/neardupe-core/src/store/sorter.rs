//! Rows in order, more than fit in memory: sorted runs in the work directory, merged as they
//! are read.
//!
//! Rows are compared as a whole, so equal rows are equal bytes and the order among them is none: the result does not
//! depend on threads, memory, or the order in which rows came.

use super::frame::FrameFile;
use super::work_dir::WorkDir;
use crate::document::WorkFile;
use crate::error::Result;
use crate::numbers::in_memory;
use bytemuck::Pod;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Bytes of a run that are read at a time.
const BLOCK_BYTES: usize = 1 << 16;

/// Takes rows in any order.
#[derive(Debug)]
pub struct Sorter<'a, T> {
    work: &'a WorkDir,
    name: &'static str,
    most: usize,
    rows: Vec<T>,
    runs: Vec<WorkFile>,
    len: u64,
}

/// Rows in order.
#[derive(Debug)]
pub struct Rows<T> {
    memory: Vec<T>,
    runs: Vec<Arc<FrameFile>>,
    len: u64,
}

impl<'a, T: Pod + Ord + Send> Sorter<'a, T> {
    /// A sorter that holds up to `bytes` in memory; its runs are called after `name`.
    pub fn new(work: &'a WorkDir, name: &'static str, bytes: u64) -> Self {
        let most = in_memory(bytes / size_of::<T>() as u64);
        Sorter {
            work,
            name,
            most: most.max(16),
            rows: Vec::new(),
            runs: Vec::new(),
            len: 0,
        }
    }

    /// A sorter that goes on with what another one has [saved](Self::save).
    pub fn resume(
        work: &'a WorkDir,
        name: &'static str,
        bytes: u64,
        runs: Vec<WorkFile>,
        len: u64,
    ) -> Self {
        Sorter {
            runs,
            len,
            ..Sorter::new(work, name, bytes)
        }
    }

    /// Writes all rows to files: these files, and how many rows are in them.
    pub fn save(&mut self) -> Result<(Vec<WorkFile>, u64)> {
        if !self.rows.is_empty() {
            self.write_run()?;
        }
        Ok((self.runs.clone(), self.len))
    }

    /// Takes a row.
    pub fn push(&mut self, row: T) -> Result<()> {
        if self.rows.len() == self.most {
            self.write_run()?;
        }
        self.rows.push(row);
        self.len += 1;
        Ok(())
    }

    /// Writes what is in memory as one run.
    fn write_run(&mut self) -> Result<()> {
        self.rows.par_sort_unstable();
        let name = format!("{}-run-{:04}", self.name, self.runs.len());
        let mut writer = self.work.create(&name)?;
        // Blocks of 64 KiB: a merge holds one for each run.
        for block in self.rows.chunks((BLOCK_BYTES / size_of::<T>()).max(1)) {
            writer.frame(block)?;
        }
        self.runs.push(writer.finish()?);
        self.rows.clear();
        Ok(())
    }

    /// All rows, in order.
    pub fn finish(mut self) -> Result<Rows<T>> {
        // With runs in files the last rows become a run, too: the merge then has one kind of input, and the memory
        // is free for the stage that reads.
        if !self.runs.is_empty() && !self.rows.is_empty() {
            self.write_run()?;
            self.rows = Vec::new();
        }
        self.rows.par_sort_unstable();
        let runs = self
            .runs
            .iter()
            .map(|run| self.work.open(run).map(Arc::new));
        Ok(Rows {
            memory: self.rows,
            runs: runs.collect::<Result<_>>()?,
            len: self.len,
        })
    }
}

impl<T: Pod + Ord> Rows<T> {
    /// No rows.
    pub fn none() -> Self {
        Rows::of(Vec::new())
    }

    /// Rows that are in order already.
    pub fn of(memory: Vec<T>) -> Self {
        Rows {
            len: memory.len() as u64,
            memory,
            runs: Vec::new(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Calls `visit` with each row, in order.
    pub fn for_each(&self, mut visit: impl FnMut(T) -> Result<()>) -> Result<()> {
        for &row in &self.memory {
            visit(row)?;
        }
        let mut merge = Merge::new(&self.runs);
        while let Some(row) = merge.next()? {
            visit(row)?;
        }
        Ok(())
    }

    /// The rows in order, for those who take them one by one. After an error there are no more.
    pub fn iter(&self) -> impl Iterator<Item = Result<T>> + '_ {
        let mut merge = Some(Merge::new(&self.runs));
        let spilled = std::iter::from_fn(move || {
            let row = merge.as_mut()?.next().transpose();
            if !matches!(row, Some(Ok(_))) {
                merge = None;
            }
            row
        });
        self.memory.iter().map(|&row| Ok(row)).chain(spilled)
    }

    /// All rows at once; for those who know that they fit.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.for_each(|row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }
}

/// Runs while they are merged.
struct Merge<'a, T> {
    files: &'a [Arc<FrameFile>],
    runs: Vec<Run<'a, T>>,
    /// The next row of each run that is not at its end.
    next: BinaryHeap<Reverse<(T, usize)>>,
}

impl<'a, T: Pod + Ord> Merge<'a, T> {
    /// A merge that has not begun.
    fn new(files: &'a [Arc<FrameFile>]) -> Self {
        Merge {
            files,
            runs: Vec::new(),
            next: BinaryHeap::new(),
        }
    }

    /// The next row of all runs.
    fn next(&mut self) -> Result<Option<T>> {
        // Files are read when the first row is asked for.
        for file in &self.files[self.runs.len()..] {
            let mut run = Run::new(file);
            if let Some(row) = run.next()? {
                // The number of the run breaks ties, and leads back to it.
                self.next.push(Reverse((row, self.runs.len())));
            }
            self.runs.push(run);
        }
        let Some(Reverse((row, number))) = self.next.pop() else {
            return Ok(None);
        };
        if let Some(next) = self.runs[number].next()? {
            self.next.push(Reverse((next, number)));
        }
        Ok(Some(row))
    }
}

/// A run while it is read.
struct Run<'a, T> {
    file: &'a FrameFile,
    position: u64,
    block: Vec<T>,
    at: usize,
}

impl<'a, T: Pod> Run<'a, T> {
    fn new(file: &'a FrameFile) -> Self {
        Run {
            file,
            position: 0,
            block: Vec::new(),
            at: 0,
        }
    }

    fn next(&mut self) -> Result<Option<T>> {
        if self.at == self.block.len() {
            if self.position == self.file.bytes() {
                return Ok(None);
            }
            self.position = self.file.read(self.position, &mut self.block)?;
            self.at = 0;
        }
        let row = self.block[self.at];
        self.at += 1;
        Ok(Some(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn spilled_rows_come_in_the_order_of_a_plain_sort() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkDir::new(folder.path().join("work"));
        let mut expected: Vec<[u32; 2]> = (0..5000u32)
            .map(|number| [u32::try_from(mix(number.into()) % 97).unwrap(), number])
            .collect();
        for bytes in [u64::MAX, 3000] {
            let mut sorter = Sorter::new(&work, "rows", bytes);
            for &row in &expected {
                sorter.push(row).unwrap();
            }
            let rows = sorter.finish().unwrap();
            expected.sort_unstable();
            assert_eq!(rows.to_vec().unwrap(), expected);
            let one_by_one: Vec<[u32; 2]> = rows.iter().map(Result::unwrap).collect();
            assert_eq!(one_by_one, expected);
            assert_eq!(rows.len(), 5000);
        }
    }

    #[test]
    fn saved_rows_are_there_when_another_sorter_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkDir::new(folder.path().join("work"));
        let numbers: Vec<u64> = (0..300).map(mix).collect();
        let (mut runs, mut len) = (Vec::new(), 0);
        for some in numbers.chunks(70) {
            let mut sorter = Sorter::resume(&work, "rows", 1 << 20, runs, len);
            for &row in some {
                sorter.push(row).unwrap();
            }
            (runs, len) = sorter.save().unwrap();
            // Nothing is new, so nothing is written.
            assert_eq!(sorter.save().unwrap(), (runs.clone(), len));
            // Lost with the sorter.
            sorter.push(7).unwrap();
        }
        assert_eq!((runs.len(), len), (5, 300));
        let rows = Sorter::<u64>::resume(&work, "rows", 1 << 20, runs, len).finish();
        let mut expected = numbers;
        expected.sort_unstable();
        assert_eq!(rows.unwrap().to_vec().unwrap(), expected);
    }
}
