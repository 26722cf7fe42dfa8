//! Which files of a folder are ours. Nothing else is ever removed.
//!
//! Before a file is made its name is written to a list in the same folder, so a job that was killed
//! leaves no file that the next one does not know. A file that somebody else has put there is in no
//! list: it stops the job with its name.

use crate::error::{Error, Result};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Name of the list, in the folder itself. Hidden, so that no file that was found in a folder and is
/// written again has it.
pub const OWN_FILES: &str = ".own-files";

/// Name of the list of a result that is complete (`neardupe_io::output`).
pub const MANIFEST: &str = "manifest.txt";

/// The first line of the list: without it a file of this name is not ours either.
const MARK: &str = "files of neardupe";

/// Begins the list of a folder that is ours, if it has none.
pub fn begin_own_files(folder: &Path) -> Result<()> {
    let path = folder.join(OWN_FILES);
    let begun = OpenOptions::new().write(true).create_new(true).open(&path);
    let begun = begun.and_then(|mut list| writeln!(list, "{MARK}"));
    match begun {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            // A job that was killed here has left a list with a part of its first line.
            let mark = format!("{MARK}\n");
            let there = fs::read(&path).map_err(|error| Error::io(&path, error))?;
            if there.len() < mark.len() && mark.as_bytes().starts_with(&there) {
                fs::write(&path, mark).map_err(|error| Error::io(&path, error))?;
            }
            Ok(())
        }
        begun => begun.map_err(|error| Error::io(&path, error)),
    }
}

/// Writes down that a file of this name, relative to the folder, is ours; of a name that ends in `/`
/// everything below it.
pub fn note_own_file(folder: &Path, name: impl AsRef<Path>) -> Result<()> {
    let path = folder.join(OWN_FILES);
    let noted = OpenOptions::new().append(true).open(&path);
    let line = listed(name.as_ref()) + "\n";
    noted
        .and_then(|mut list| list.write_all(line.as_bytes()))
        .map_err(|error| Error::io(&path, error))
}

/// Makes a file of ours. What is there under its name is replaced, but a link is not followed.
pub fn create_own_file(folder: &Path, name: &str) -> Result<File> {
    note_own_file(folder, name)?;
    let path = folder.join(name);
    create_without_link(&path).map_err(|error| Error::io(&path, error))
}

/// Makes a file, or empties one, but not what a link leads to.
fn create_without_link(path: &Path) -> std::io::Result<File> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_symlink() => fs::remove_file(path)?,
        _ => {}
    }
    File::create(path)
}

/// The files of a folder that are ours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnFiles {
    names: BTreeSet<String>,
}

impl OwnFiles {
    /// Those that the list of a folder has, and the list. None when the folder has no list.
    pub fn of(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(OWN_FILES);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(&path, error)),
        };
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines();
        // A job that was killed while it began the list has made nothing else yet.
        if !MARK.starts_with(lines.next().unwrap_or_default()) {
            return Ok(None);
        }
        let mut own = OwnFiles {
            names: lines.map(str::to_owned).collect(),
        };
        own.add(OWN_FILES);
        Ok(Some(own))
    }

    /// One more.
    pub fn add(&mut self, name: &str) {
        self.names.insert(listed(Path::new(name)));
    }

    /// One more, of any name.
    pub fn add_path(&mut self, file: &Path) {
        self.names.insert(listed(file));
    }

    /// Whether a file is ours, given relative to the folder.
    pub fn contains(&self, file: &Path) -> bool {
        let mut above = file.ancestors().skip(1);
        let name = listed(file);
        // An empty folder is listed like a file.
        self.names.contains(&name)
            || self.names.contains(&(name + "/"))
            || above.any(|folder| self.names.contains(&(listed(folder) + "/")))
    }

    /// The first file below a folder that is not ours.
    pub fn foreign(&self, folder: &Path) -> Result<Option<PathBuf>> {
        let files = files_below(folder)?;
        Ok(files.into_iter().find(|file| !self.contains(file)))
    }

    /// Removes the files that are ours, the folders that are empty then, and the folder itself if
    /// nothing else is in it. The list is removed last: until then another job can go on with it.
    pub fn remove(&self, folder: &Path) -> Result<()> {
        self.remove_some(folder, |_| true)?;
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            removed => unless_missing(removed).map_err(|error| Error::io(folder, error)),
        }
    }

    /// Removes those of the files that are ours for which this is true.
    pub fn remove_some(
        &self,
        folder: &Path,
        is_removed: impl Fn(&Path) -> bool,
    ) -> Result<()> {
        let mut files = files_below(folder)?;
        files.retain(|file| self.contains(file) && is_removed(file));
        // Lists last: of a job that is killed here, the next one knows what the rest is.
        files.sort_unstable_by_key(|file| {
            let name = file.file_name().unwrap_or_default();
            name == OWN_FILES || name == MANIFEST
        });
        for file in files {
            let path = folder.join(&file);
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|there| there.is_dir());
            let removed = if is_folder {
                fs::remove_dir(&path)
            } else {
                fs::remove_file(&path)
            };
            unless_missing(removed).map_err(|error| Error::io(&path, error))?;
            // Folders that are empty now, from the inside out. One with more in it is kept.
            for above in file.ancestors().skip(1) {
                let is_within = !above.as_os_str().is_empty();
                if !is_within || fs::remove_dir(folder.join(above)).is_err() {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// What is gone already needs no removing.
fn unless_missing(removed: std::io::Result<()>) -> std::io::Result<()> {
    removed.or_else(|error| match error.kind() {
        ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}

/// The files and links below a folder, relative to it, in the order of their names; folders only
/// when they are empty.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let place = folder.join(&below);
        let refused = |error| Error::io(&place, error);
        let mut is_empty = true;
        for entry in fs::read_dir(&place).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            is_empty = false;
            let path = below.join(entry.file_name());
            // Not through links: what they lead to is not ours.
            if entry.file_type().map_err(refused)?.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
        if is_empty && !below.as_os_str().is_empty() {
            files.push(below);
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// A name on one line of a list, whatever bytes it has: no two names are written the same way.
pub fn listed(name: &Path) -> String {
    let mut line = String::new();
    for chunk in name.as_os_str().as_encoded_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' => line.push_str("\\\\"),
                other if other.is_control() => line.extend(other.escape_default()),
                other => line.push(other),
            }
        }
        for byte in chunk.invalid() {
            line.extend(byte.escape_ascii().map(char::from));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_was_only_begun_is_begun_again() {
        let folder = tempfile::tempdir().unwrap();
        for begun in ["", "files of ne", "files of neardupe"] {
            fs::write(folder.path().join(OWN_FILES), begun).unwrap();
            begin_own_files(folder.path()).unwrap();
            note_own_file(folder.path(), "one").unwrap();
            let own = OwnFiles::of(folder.path()).unwrap().unwrap();
            assert!(own.contains(Path::new("one")), "{begun}");
        }
    }

    #[test]
    fn what_is_not_in_the_list_is_never_removed() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("work");
        fs::create_dir_all(folder.join("a")).unwrap();
        fs::create_dir_all(folder.join("b")).unwrap();
        assert_eq!(OwnFiles::of(&folder).unwrap(), None);
        begin_own_files(&folder).unwrap();
        begin_own_files(&folder).unwrap();
        note_own_file(&folder, "b/").unwrap();
        fs::write(folder.join("b/any"), "").unwrap();
        for name in ["a/one", "two\nlines"] {
            create_own_file(&folder, name).unwrap();
        }
        let own = OwnFiles::of(&folder).unwrap().unwrap();
        assert_eq!(own.foreign(&folder).unwrap(), None);
        fs::write(folder.join("a/report.docx"), "mine").unwrap();
        let foreign = own.foreign(&folder).unwrap();
        assert_eq!(foreign.as_deref(), Some(Path::new("a/report.docx")));
        own.remove(&folder).unwrap();
        assert_eq!(files_below(&folder).unwrap(), [Path::new("a/report.docx")]);
        fs::remove_file(folder.join("a/report.docx")).unwrap();
        fs::remove_dir(folder.join("a")).unwrap();
        own.remove(&folder).unwrap();
        assert!(!folder.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let base = tempfile::tempdir().unwrap();
        let (folder, other) = (base.path().join("work"), base.path().join("other"));
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(&other).unwrap();
        fs::write(other.join("text"), "mine").unwrap();
        begin_own_files(&folder).unwrap();
        std::os::unix::fs::symlink(other.join("text"), folder.join("one")).unwrap();
        std::os::unix::fs::symlink(&other, folder.join("more")).unwrap();
        create_own_file(&folder, "one").unwrap();
        assert_eq!(fs::read_to_string(other.join("text")).unwrap(), "mine");
        let mut own = OwnFiles::of(&folder).unwrap().unwrap();
        assert_eq!(own.foreign(&folder).unwrap(), Some("more".into()));
        own.add("more");
        own.remove(&folder).unwrap();
        assert!(!folder.exists() && other.join("text").exists());
    }

    #[cfg(unix)]
    #[test]
    fn names_of_any_bytes_stay_apart() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let names: [&[u8]; 6] = [b"a\\n", b"a\n", b"a\xff", b"a\\xff", b"a\xfe", b"a\r"];
        let listed: BTreeSet<String> = names
            .iter()
            .map(|name| listed(Path::new(OsStr::from_bytes(name))))
            .collect();
        assert_eq!(listed.len(), names.len());
        assert!(listed.iter().all(|name| !name.contains(['\n', '\r'])));
    }

    #[test]
    fn a_list_of_somebody_else_is_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(OWN_FILES), "my files\nx\n").unwrap();
        assert_eq!(OwnFiles::of(folder.path()).unwrap(), None);
    }
}
