//! The distinct feature sets of a job: their sizes, and which are equal after all.
//!
//! While reading, as many sets are remembered as there is room for; beyond that a set may have
//! been put away more than once. Then the first of equal ones stands for all. When equal documents
//! are compared like any others each set stands for itself, and it is only known which are equal.

use super::parts::ReadStage;
use crate::candidate::side::{SideKind, SideLayout, SideTable};
use crate::error::Result;
use crate::numbers::{Column, SetIdx};
use crate::store::WorkDir;
use rayon::prelude::*;

/// Name of the stage.
const STAGE: &str = "sets";

/// All sets, by number.
#[derive(Debug, Default)]
pub struct SetTable {
    sizes: Column<SetIdx, u32>,
    /// The first set that is equal to each; empty when all are different.
    same: Column<SetIdx, SetIdx>,
    /// Each set stands for itself, whether it is equal to another or not.
    keeps_exact: bool,
    /// What was made while reading.
    side: SideTable,
}

impl SetTable {
    /// Numbers of sets are below this.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Number of features of a set.
    pub fn size(&self, set: SetIdx) -> u32 {
        self.sizes[set]
    }

    /// What was made of sets while they were read.
    pub fn side(&self) -> &SideTable {
        &self.side
    }

    /// The simhash of a set, where sets have one.
    pub fn code(&self, set: SetIdx) -> Option<u64> {
        self.side.get(set, SideKind::Code).first().copied()
    }

    /// The keys that were made of a text; empty where sets have none.
    pub fn keys(&self, set: SetIdx) -> &[u64] {
        self.side.get(set, SideKind::Keys)
    }

    /// The sizes of a set by level, with adaptive sampling.
    pub fn levels(&self, set: SetIdx) -> &[u64] {
        self.side.get(set, SideKind::Levels)
    }

    /// The number of words of a text, where they were counted.
    pub fn num_words(&self, set: SetIdx) -> Option<u64> {
        let words = self.side.get(set, SideKind::NumWords);
        words.first().copied()
    }

    /// The set that stands for this one.
    pub fn canonical(&self, set: SetIdx) -> SetIdx {
        if self.keeps_exact {
            set
        } else {
            self.first_equal(set)
        }
    }

    /// The first set that has the same features as this one.
    pub fn first_equal(&self, set: SetIdx) -> SetIdx {
        self.same.get(set).copied().unwrap_or(set)
    }

    /// Whether a set stands for itself.
    pub fn is_canonical(&self, set: SetIdx) -> bool {
        self.canonical(set) == set
    }

    /// Number of sets that are compared, and of their features.
    pub fn totals(&self) -> (u64, u64) {
        let mut totals = (0, 0);
        for (set, &size) in self.sizes.iter() {
            if size > 0 && self.is_canonical(set) {
                totals.0 += 1;
                totals.1 += u64::from(size);
            }
        }
        totals
    }

    /// The sets of all that was read; taken from the work directory when the features may be
    /// gone already.
    pub(in crate::pipeline) fn gather(
        stage: &ReadStage,
        work: &WorkDir,
        layout: SideLayout,
    ) -> Result<Self> {
        if let Some((stored, files)) = work.stage::<Option<SideLayout>>(STAGE)? {
            // Version 0.1.0 did not write it down.
            stored.unwrap_or_default().check(&layout, work.path())?;
            let (mut sizes, mut same) = (Vec::new(), Vec::new());
            let mut rows = Vec::new();
            let mut table = SetTable {
                keeps_exact: stage.keeps_exact,
                ..SetTable::default()
            };
            for file in &files {
                let file = work.open(file)?;
                let next = file.read(0, &mut sizes)?;
                let next = file.read(next, &mut same)?;
                file.read(next, &mut rows)?;
            }
            (table.sizes, table.same) = (Column::of(sizes), Column::of(same));
            table.side = SideTable::from_rows(layout, rows);
            return Ok(table);
        }
        let mut table = SetTable {
            sizes: Column::filled(0, stage.num_sets as usize),
            same: Column::default(),
            keeps_exact: stage.keeps_exact,
            side: SideTable::zeros(layout, stage.num_sets as usize),
        };
        for chunk in &stage.chunks {
            let (spans, side) = (chunk.spans()?, chunk.side(table.side.layout())?);
            // Chunks are in no order of sets: each row goes to the place of its set.
            let words = table.side.layout().words();
            for (at, span) in spans.iter().enumerate() {
                table.sizes[span.set] = span.len;
                table
                    .side
                    .set_row(span.set, &side[at * words..(at + 1) * words]);
            }
        }
        if stage.forgot || stage.keeps_exact {
            table.same = find_same(stage)?;
        }
        if stage.spilled {
            let mut out = work.create(STAGE)?;
            out.frame(table.sizes.rows())?;
            out.frame(table.same.rows())?;
            out.frame(table.side.rows())?;
            work.commit(STAGE, table.side.layout(), vec![out.finish()?], &[])?;
        }
        Ok(table)
    }
}

/// For each set the first that is equal to it.
fn find_same(stage: &ReadStage) -> Result<Column<SetIdx, SetIdx>> {
    let mut by_hash: Vec<(u128, SetIdx)> = Vec::new();
    for chunk in &stage.chunks {
        let sets = chunk.spans()?.into_iter().map(|span| span.set);
        by_hash.extend(chunk.hashes()?.into_iter().zip(sets));
    }
    // By hash and number: the first of equal sets has the smallest number.
    by_hash.par_sort_unstable();
    let mut same: Column<SetIdx, SetIdx> = SetIdx::first(stage.num_sets).collect();
    for equal in by_hash.chunk_by(|left, right| left.0 == right.0) {
        for &(_, set) in equal {
            same[set] = equal[0].1;
        }
    }
    Ok(same)
}
