//! The work directory: what a job has put away, and how far it has come.
//!
//! A stage writes its files, then enters the manifest; files that are in no manifest are
//! worth nothing. So a job that was killed at any moment goes on after its last complete
//! stage. Every file has a checksum in the manifest, which is verified before a job goes on.

use super::frame::{FrameFile, FrameWriter, corrupt};
use super::manifest::{JobIdentity, Manifest, NAME, PARTIAL_NAME, Stage};
use super::own_files::{
    OWN_FILES, OwnFiles, begin_own_files, files_below, listed, note_own_file,
};
use crate::document::{Progress, WorkFile};
use crate::error::{Error, Result};
use crate::hash::HashKey;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::Xxh3;

/// Name of the file that is locked while a job is at work.
const LOCK: &str = "lock";

/// The stage of a job that is done and whose work directory was kept.
pub const FINISHED: &str = "finished";

/// A folder for the files of one job; made when it is first needed.
#[derive(Debug)]
pub struct WorkDir {
    path: PathBuf,
    state: Mutex<State>,
}

/// What changes while a job runs.
#[derive(Debug, Default)]
struct State {
    manifest: Manifest,
    /// Held while the folder is in use.
    lock: Option<File>,
    /// What is there belongs to a job that cannot go on now: nothing is removed.
    foreign: bool,
    /// Most bytes that were there at the end of a stage.
    peak_bytes: u64,
}

impl WorkDir {
    /// A work directory of a job that has no name: it cannot be resumed.
    pub fn new(path: PathBuf) -> Self {
        let state = Mutex::default();
        WorkDir { path, state }
    }

    /// Begins a job. What an unfinished one has left is removed; whether there was any that
    /// could have been resumed.
    pub fn begin(path: PathBuf, job: JobIdentity) -> Result<(Self, bool)> {
        let work = WorkDir::new(path);
        let left_over = match Manifest::read(&work.path) {
            Ok(None) => false,
            Ok(Some(manifest)) => !manifest.stages.contains_key(FINISHED),
            Err(_) => true,
        };
        if work.path.is_dir() {
            // The lock is kept: between giving it up and taking it again another job could come.
            work.state().foreign = true;
            work.enter()?;
            work.refuse_foreign()?;
            work.state().foreign = false;
            work.own_files()?
                .remove_some(&work.path, |file| file != Path::new(LOCK))?;
            begin_own_files(&work.path)?;
            note_own_file(&work.path, LOCK)?;
        }
        work.state().manifest.job = job;
        Ok((work, left_over))
    }

    /// Goes on with an unfinished job, if there is one.
    pub fn resume(
        path: PathBuf,
        job: &JobIdentity,
        progress: &dyn Progress,
    ) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let work = WorkDir::new(path);
        work.state().foreign = true;
        work.enter()?;
        let Some(manifest) = Manifest::read(&work.path)? else {
            return Ok(None);
        };
        // Before anything is removed: a job with other options leaves the folder as it is.
        manifest.job.check(job)?;
        work.state().manifest = manifest;
        work.verify(progress)?;
        work.remove_strangers()?;
        work.state().foreign = false;
        Ok(Some(work))
    }

    /// Opens the work directory of a job that is done and was kept, to read it. None when
    /// there is none. Nothing is changed; several programs may read it at a time.
    pub fn open_kept(path: PathBuf) -> Result<Option<Self>> {
        let Some(manifest) = Manifest::read(&path)? else {
            return Ok(None);
        };
        let work = WorkDir::new(path);
        let path = work.path.join(LOCK);
        let mut state = work.state();
        state.foreign = true;
        state.manifest = manifest;
        // A folder that must not be written to can be read all the same.
        if let Ok(lock) = File::open(&path) {
            // Several may read; one that writes holds the lock alone.
            if let Err(TryLockError::WouldBlock) = lock.try_lock_shared() {
                let message = "a job is at work there; wait until it is done";
                return Err(Error::input(work.path.display().to_string(), message));
            }
            state.lock = Some(lock);
        }
        drop(state);
        Ok(Some(work))
    }

    /// Whether a folder is the work directory of a job, finished or not.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(LOCK).exists() && Manifest::is_in(folder)
    }

    /// Under what the job hashes: drawn for it, unless it was set. A job that goes on has the key
    /// with which it began.
    pub fn key(&self) -> HashKey {
        self.state().manifest.key
    }

    /// Sets the key, before anything is hashed.
    pub fn set_key(&self, key: HashKey) {
        self.state().manifest.key = key;
    }

    /// What the job is.
    pub fn job(&self) -> JobIdentity {
        self.state().manifest.job.clone()
    }

    /// The job is done, and what its stages have left stays.
    pub fn keep(self) -> Result<()> {
        self.remove_strangers()?;
        self.state().foreign = true;
        Ok(())
    }

    /// Where it is, or will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The state. A panic of another thread has left it as it was before or after a change.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the folder and takes possession of it.
    pub fn enter(&self) -> Result<()> {
        let mut state = self.state();
        if state.lock.is_some() {
            return Ok(());
        }
        state.lock = Some(lock_folder(&self.path)?);
        begin_own_files(&self.path)?;
        note_own_file(&self.path, LOCK)
    }

    /// The files that are ours: of the list, and of the manifest, which may be older than the list.
    fn own_files(&self) -> Result<OwnFiles> {
        let mut own = OwnFiles::of(&self.path)?.unwrap_or_default();
        for name in [NAME, PARTIAL_NAME, LOCK] {
            own.add(name);
        }
        // A damaged manifest names no files; the list does.
        if let Ok(Some(manifest)) = Manifest::read(&self.path) {
            let stages = manifest.stages.values();
            let files = stages.flat_map(|stage| &stage.files);
            files.for_each(|file| own.add(&file.name));
        }
        Ok(own)
    }

    /// An error when something is in the folder that we did not put there: it would be lost when
    /// the work is removed.
    fn refuse_foreign(&self) -> Result<()> {
        match self.own_files()?.foreign(&self.path)? {
            None => Ok(()),
            Some(foreign) => {
                // Of a folder that was never ours nothing is kept.
                let lists = [LOCK, OWN_FILES].map(Path::new);
                let files = files_below(&self.path)?;
                let own = self.own_files()?;
                if files
                    .iter()
                    .all(|file| lists.contains(&&**file) || !own.contains(file))
                {
                    own.remove_some(&self.path, |_| true)?;
                }
                let message = format!(
                    "{} is needed for temporary files, but holds {}, which is not ours; move it \
                     away",
                    self.path.display(),
                    listed(&foreign)
                );
                Err(Error::config("output", message))
            }
        }
    }

    /// Begins a file.
    pub fn create(&self, name: &str) -> Result<FrameWriter> {
        self.enter()?;
        FrameWriter::create(&self.path, name)
    }

    /// Opens a complete file.
    pub fn open(&self, file: &WorkFile) -> Result<FrameFile> {
        FrameFile::open(&self.path.join(&file.name))
    }

    /// A stage is done: from now on the job goes on after it. `state` is kept in the
    /// manifest; the files of the stages in `done_with` are no longer needed.
    pub fn commit(
        &self,
        stage: &str,
        state: &impl Serialize,
        files: Vec<WorkFile>,
        done_with: &[&str],
    ) -> Result<()> {
        self.commit_all([(stage.to_owned(), Stage::new(state, files)?)], done_with)
    }

    /// Stages that are done together: the job goes on after all of them or before the first.
    pub fn commit_all(
        &self,
        stages: impl IntoIterator<Item = (String, Stage)>,
        done_with: &[&str],
    ) -> Result<()> {
        self.enter()?;
        let mut unused = Vec::new();
        let bytes = self.bytes();
        let mut held = self.state();
        held.peak_bytes = held.peak_bytes.max(bytes);
        // What cannot be written down has not happened.
        let mut manifest = held.manifest.clone();
        for (name, stage) in &mut manifest.stages {
            if done_with.iter().any(|done| name.starts_with(done)) {
                unused.append(&mut stage.files);
            }
        }
        for (name, stage) in stages {
            // A stage that is entered again may have used the same name.
            unused.retain(|old| stage.files.iter().all(|file| file.name != old.name));
            manifest.stages.insert(name, stage);
        }
        // The moment at which the stages are done: the file is replaced at once. Files that are no longer needed go after
        // it, since a crash in between leaves too many files and never too few.
        manifest.write(&self.path)?;
        held.manifest = manifest;
        drop(held);
        for file in unused {
            self.remove(&file.name)?;
        }
        Ok(())
    }

    /// What a stage said and left, if it is done.
    pub fn stage<T: DeserializeOwned>(
        &self,
        stage: &str,
    ) -> Result<Option<(T, Vec<WorkFile>)>> {
        let state = self.state();
        let Some(done) = state.manifest.stages.get(stage) else {
            return Ok(None);
        };
        let said = serde_json::from_str(&done.state);
        let said = said.map_err(|error| {
            corrupt(&self.path.join(NAME), format!("stage {stage}: {error}"))
        })?;
        Ok(Some((said, done.files.clone())))
    }

    /// Whether the job can be resumed: some stage is done, and the input can be read again.
    pub fn is_resumable(&self) -> bool {
        let manifest = &self.state().manifest;
        manifest.job.origins.is_some() && !manifest.stages.is_empty()
    }

    /// Whether it is worth entering stages: the input can be read again.
    pub fn takes_stages(&self) -> bool {
        self.state().manifest.job.origins.is_some()
    }

    /// Removes a file that is no longer needed.
    pub fn remove(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        fs::remove_file(&path).map_err(|error| Error::io(&path, error))
    }

    /// Most bytes that were there at the end of a stage.
    pub fn peak_bytes(&self) -> u64 {
        self.state().peak_bytes
    }

    /// Bytes of all files that are there now.
    fn bytes(&self) -> u64 {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return 0;
        };
        let sizes = entries.filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len()));
        sizes.sum()
    }

    /// The job is done: everything goes.
    pub fn finish(self) -> Result<()> {
        if self.state().lock.is_some() {
            self.state().manifest.stages.clear();
            self.remove_all()?;
        }
        Ok(())
    }

    /// Removes the folder.
    fn remove_all(&self) -> Result<()> {
        // Without it the rest is worth nothing, if only a part of it goes.
        let manifest = self.path.join(NAME);
        match fs::remove_file(&manifest) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(&manifest, error));
            }
            _ => {}
        }
        self.own_files()?
            .remove_some(&self.path, |file| file != Path::new(LOCK))?;
        // The lock goes last. Who opened it before that sees that the file is gone (`lock_folder`).
        let lock = self.path.join(LOCK);
        fs::remove_file(&lock).map_err(|error| Error::io(&lock, error))?;
        // With somebody's files in it the folder is kept, and so it is for a job that came in time.
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }

    /// Removes files of ours that belong to no complete stage.
    fn remove_strangers(&self) -> Result<()> {
        let mut needed = OwnFiles::default();
        for name in [NAME, LOCK, OWN_FILES] {
            needed.add(name);
        }
        for stage in self.state().manifest.stages.values() {
            stage.files.iter().for_each(|file| needed.add(&file.name));
        }
        self.own_files()?
            .remove_some(&self.path, |file| !needed.contains(file))
    }

    /// Compares all files with their checksums.
    fn verify(&self, progress: &dyn Progress) -> Result<()> {
        let state = self.state();
        let stages = state.manifest.stages.values();
        let files: Vec<&WorkFile> = stages.flat_map(|stage| &stage.files).collect();
        progress.begin("verify", files.iter().map(|file| file.bytes).sum());
        files.into_par_iter().try_for_each(|file| {
            let path = self.path.join(&file.name);
            let (bytes, checksum) = checksum_of(&path)?;
            if (bytes, &checksum) != (file.bytes, &file.checksum) {
                let what = format!(
                    "{bytes} bytes with checksum {checksum}, where {} with {} were written",
                    file.bytes, file.checksum
                );
                return Err(corrupt(&path, what));
            }
            progress.advance(bytes);
            Ok(())
        })
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        let state = self.state();
        if state.lock.is_none() || state.foreign {
            return;
        }
        drop(state);
        // An error on the way: what is not in the manifest is worth nothing.
        if self.is_resumable() {
            let _ = self.remove_strangers();
        } else {
            let _ = self.remove_all();
        }
    }
}

/// Makes a folder and takes possession of it. Another job may be about to remove it: then its lock
/// is a file that is no longer there, and all begins anew.
fn lock_folder(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    loop {
        let lock = match open_lock(folder, &path) {
            // Removed between the making of the folder and of the lock.
            Err(error) if error.kind() == ErrorKind::NotFound && !folder.exists() => {
                continue;
            }
            Err(error) => {
                // A folder that nobody could take possession of; one with files is kept.
                let _ = fs::remove_dir(folder);
                return Err(Error::io(&path, error));
            }
            Ok(lock) => lock,
        };
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let message = format!("another job is at work in {}", folder.display());
                return Err(Error::config("output", message));
            }
            // A file system without locks: two jobs at once are the user's care.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        if is_still_there(&lock, &path) {
            return Ok(lock);
        }
    }
}

/// Opens the lock without following a link and without emptying what is there.
fn open_lock(folder: &Path, path: &Path) -> std::io::Result<File> {
    fs::create_dir_all(folder)?;
    let there = fs::symlink_metadata(path);
    if there.is_ok_and(|there| !there.is_file()) {
        let message = "it is a link or a folder, where a file of ours is expected";
        return Err(std::io::Error::other(message));
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).open(path)
}

/// Whether an open file is the one that has this name now.
#[cfg(unix)]
fn is_still_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |there: fs::Metadata| (there.dev(), there.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_still_there(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Size and checksum of a file, read to its end.
fn checksum_of(path: &Path) -> Result<(u64, String)> {
    let read = || {
        let mut file = File::open(path)?;
        let mut checksum = Xxh3::new();
        let mut buffer = vec![0; 1 << 18];
        let mut bytes = 0;
        loop {
            let len = file.read(&mut buffer)?;
            if len == 0 {
                return Ok((bytes, format!("{:016x}", checksum.digest())));
            }
            checksum.update(&buffer[..len]);
            bytes += len as u64;
        }
    };
    read().map_err(|error| match std::io::Error::kind(&error) {
        std::io::ErrorKind::NotFound => corrupt(path, "it is missing".to_owned()),
        _ => Error::io(path, error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Origin, Silent};

    fn job(option: &str, modified: i128) -> JobIdentity {
        JobIdentity {
            options: [("threshold".to_owned(), option.to_owned())].into(),
            origins: Some(vec![Origin {
                path: "a.jsonl".to_owned(),
                bytes: 7,
                modified,
            }]),
        }
    }

    fn half_done(path: &Path) -> WorkFile {
        let (work, _) = WorkDir::begin(path.to_path_buf(), job("0.8", 1)).unwrap();
        let mut writer = work.create("a").unwrap();
        writer.frame(&[1u64, 2, 3]).unwrap();
        let file = writer.finish().unwrap();
        work.commit("first", &7u32, vec![file.clone()], &[])
            .unwrap();
        work.create("b").unwrap().frame(b"lost").unwrap();
        file
    }

    #[test]
    fn a_job_goes_on_after_its_last_complete_stage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let file = half_done(&path);
        let work = WorkDir::resume(path.clone(), &job("0.8", 1), &Silent);
        let work = work.unwrap().unwrap();
        let stage: (u32, Vec<WorkFile>) = work.stage("first").unwrap().unwrap();
        assert_eq!(stage, (7, vec![file]));
        assert!(!path.join("b").exists());
        work.commit("second", &8u32, Vec::new(), &["first"])
            .unwrap();
        assert!(!path.join("a").exists());
        work.finish().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn another_job_and_damaged_files_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        half_done(&path);
        let resume = |job: JobIdentity| {
            let resumed = WorkDir::resume(path.clone(), &job, &Silent);
            resumed.unwrap_err().to_string()
        };
        let message = resume(job("0.7", 1));
        assert!(
            message.contains("0.8 for `threshold`, this one 0.7"),
            "{message}"
        );
        let mut other = job("0.8", 1);
        other
            .options
            .insert(super::super::COMMAND.to_owned(), "passages".to_owned());
        let message = resume(other);
        assert!(
            message.contains("of the command find, this one of passages"),
            "{message}"
        );
        let message = resume(job("0.8", 2));
        assert!(message.contains("a.jsonl has changed"), "{message}");
        fs::write(path.join("a"), "no").unwrap();
        let message = resume(job("0.8", 1));
        assert!(message.contains("work/a: damaged"), "{message}");
        let manifest = fs::read_to_string(path.join(NAME)).unwrap();
        fs::write(path.join(NAME), manifest.replace("first", "fisrt")).unwrap();
        let message = resume(job("0.8", 1));
        assert!(message.contains("work/manifest: damaged"), "{message}");
        fs::write(path.join(NAME), manifest.replace("work 3", "work 0")).unwrap();
        let message = resume(job("0.8", 1));
        assert!(message.contains("found version 0"), "{message}");
    }

    #[test]
    fn what_somebody_else_put_there_stops_the_job_and_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        half_done(&path);
        fs::write(path.join("report.docx"), "mine").unwrap();
        let begin = || WorkDir::begin(path.clone(), job("0.7", 1));
        let message = begin().unwrap_err().to_string();
        assert!(message.contains("report.docx"), "{message}");
        // The unfinished job can still be resumed.
        let work = WorkDir::resume(path.clone(), &job("0.8", 1), &Silent);
        let work = work.unwrap().unwrap();
        work.finish().unwrap();
        assert_eq!(files_below(&path).unwrap(), [Path::new("report.docx")]);
        let message = begin().unwrap_err().to_string();
        assert!(message.contains("report.docx"), "{message}");
        assert_eq!(files_below(&path).unwrap(), [Path::new("report.docx")]);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_is_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let precious = folder.path().join("precious");
        fs::write(&precious, "mine").unwrap();
        fs::create_dir(&path).unwrap();
        std::os::unix::fs::symlink(&precious, path.join(LOCK)).unwrap();
        assert!(WorkDir::begin(path, job("0.8", 1)).is_err());
        assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    }

    #[test]
    fn of_many_jobs_at_once_one_works_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        for _ in 0..60 {
            let works = std::thread::scope(|scope| {
                let threads = [(); 4].map(|()| {
                    scope.spawn(|| {
                        let (work, _) = WorkDir::begin(path.clone(), job("0.8", 1))?;
                        work.enter()?;
                        let mut file = work.create("a")?;
                        file.frame(&[1u64])?;
                        work.commit("first", &1, vec![file.finish()?], &[])?;
                        work.finish()
                    })
                });
                threads.map(|thread| thread.join().unwrap())
            });
            let failed = |work: &Result<()>| {
                let message = work.as_ref().err().map(ToString::to_string);
                message.filter(|message| !message.contains("another job is at work"))
            };
            assert_eq!(works.iter().find_map(failed), None);
            assert!(works.iter().any(Result::is_ok));
            assert!(!path.exists());
        }
    }

    #[test]
    fn two_jobs_do_not_share_a_work_directory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work");
        let (first, _) = WorkDir::begin(path.clone(), job("0.8", 1)).unwrap();
        first.enter().unwrap();
        let message = WorkDir::begin(path, job("0.8", 1)).unwrap_err().to_string();
        assert!(message.contains("another job"), "{message}");
    }
}
