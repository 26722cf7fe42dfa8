//! How much room there is for files, and how many may be open.
//!
//! A full disk is found when a job begins rather than after hours; the check is advice, since
//! others may fill the disk meanwhile, and a write that fails has an error of its own.

use std::path::Path;

/// Raises the number of files that this process may have open to what the system allows: a job has two
/// for each part and thread, and the usual limit of a thousand is not enough for many threads.
pub fn allow_many_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Raising it to the hard limit needs no rights.
    // If this is refused, the usual limit holds.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// Free space in bytes for this user on the file system where `path` is, or would be if it existed.
/// None where the system does not report it; the caller then skips the check.
#[cfg(unix)]
pub fn free_bytes(path: &Path) -> Option<u64> {
    let space = |path: &Path| {
        // The last ancestor of a relative path is empty and means the current folder.
        let is_here = path.as_os_str().is_empty();
        rustix::fs::statvfs(if is_here { Path::new(".") } else { path }).ok()
    };
    let found = path.ancestors().find_map(space)?;
    // A file system without blocks, such as some reached over a network, reports nothing: 0 free would
    // be wrong.
    (found.f_blocks > 0).then(|| found.f_bavail.saturating_mul(found.f_frsize))
}

/// Not known.
#[cfg(not(unix))]
pub fn free_bytes(_path: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_has_the_room_of_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        for path in [
            folder.path().to_owned(),
            folder.path().join("a/b/c"),
            file.join("below a file"),
        ] {
            assert!(free_bytes(&path).is_some_and(|free| free > 0), "{path:?}");
        }
    }

    #[test]
    fn relative_paths_begin_at_the_current_folder() {
        for path in ["", ".", "not-there", "not/there/yet", "../not-there"] {
            assert!(free_bytes(Path::new(path)).is_some(), "{path:?}");
        }
    }

    #[test]
    fn file_systems_without_blocks_have_no_answer() {
        if Path::new("/proc/self").exists() {
            assert_eq!(free_bytes(Path::new("/proc/self")), None);
            assert_eq!(free_bytes(Path::new("/proc/self/not-there")), None);
        }
    }
}
