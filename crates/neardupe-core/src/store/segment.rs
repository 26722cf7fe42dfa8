//! Segments: long stretches of feature values, written once and read in order.
//!
//! A segment that finds no room in the memory budget is spilled to a file of its own in the
//! work directory. Readers do not notice.

use crate::error::{Error, Result};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Hands out segments within a memory budget.
#[derive(Debug)]
pub struct SegmentStore {
    work_dir: PathBuf,
    budget_bytes: u64,
    used_bytes: AtomicU64,
    num_spilled: AtomicU64,
}

/// One stretch of features.
#[derive(Debug)]
pub enum Segment {
    /// Held in memory.
    Memory(Vec<u64>),
    /// Written to a file that goes when the segment goes.
    Spilled(SpilledSegment),
}

/// A segment in a file.
#[derive(Debug)]
pub struct SpilledSegment {
    path: PathBuf,
    len: usize,
}

impl SegmentStore {
    /// A store that keeps up to `budget_bytes` in memory and spills to `work_dir`, which is
    /// made when it is first needed and removed with the store.
    pub fn new(work_dir: &Path, budget_bytes: u64) -> Self {
        SegmentStore {
            work_dir: work_dir.to_path_buf(),
            budget_bytes,
            used_bytes: AtomicU64::new(0),
            num_spilled: AtomicU64::new(0),
        }
    }

    /// Number of segments that found no room in memory.
    pub fn num_spilled(&self) -> u64 {
        self.num_spilled.load(Ordering::Relaxed)
    }

    /// Keeps a stretch of features.
    pub fn keep(&self, features: Vec<u64>) -> Result<Segment> {
        let bytes = (features.len() * 8) as u64;
        if self.used_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes
            <= self.budget_bytes
        {
            return Ok(Segment::Memory(features));
        }
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        fs::create_dir_all(&self.work_dir)
            .map_err(|error| Error::io(&self.work_dir, error))?;
        let number = self.num_spilled.fetch_add(1, Ordering::Relaxed);
        let path = self.work_dir.join(format!("features-{number:06}.bin"));
        let write = || File::create(&path)?.write_all(bytemuck::cast_slice(&features));
        write().map_err(|error| Error::io(&path, error))?;
        Ok(Segment::Spilled(SpilledSegment {
            path,
            len: features.len(),
        }))
    }
}

impl Drop for SegmentStore {
    fn drop(&mut self) {
        // Segments remove their own files; a folder that still has some is left alone.
        let _ = fs::remove_dir(&self.work_dir);
    }
}

impl Segment {
    /// The features: borrowed from memory, or read from the file.
    pub fn features(&self) -> Result<Cow<'_, [u64]>> {
        match self {
            Segment::Memory(features) => Ok(Cow::Borrowed(features)),
            Segment::Spilled(spilled) => Ok(Cow::Owned(spilled.read()?)),
        }
    }
}

impl SpilledSegment {
    fn read(&self) -> Result<Vec<u64>> {
        let mut features = vec![0u64; self.len];
        let mut fill = || {
            let mut file = File::open(&self.path)?;
            file.read_exact(bytemuck::cast_slice_mut(&mut features))
        };
        fill().map_err(|error| Error::io(&self.path, error))?;
        Ok(features)
    }
}

impl Drop for SpilledSegment {
    fn drop(&mut self) {
        // The work directory is removed as a whole after a crash; nothing to report here.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilled_and_kept_segments_read_alike_and_leave_nothing_behind() {
        let folder =
            std::env::temp_dir().join(format!("neardupe-store-{}", std::process::id()));
        let store = SegmentStore::new(&folder, 80);
        let numbers: Vec<u64> = (0..30).collect();
        let first = store.keep(numbers[..10].to_vec()).unwrap();
        let second = store.keep(numbers[10..].to_vec()).unwrap();
        assert!(matches!(first, Segment::Memory(_)));
        assert!(matches!(second, Segment::Spilled(_)));
        assert_eq!(first.features().unwrap().as_ref(), &numbers[..10]);
        assert_eq!(second.features().unwrap().as_ref(), &numbers[10..]);
        drop((first, second, store));
        assert!(!folder.exists());
    }
}
