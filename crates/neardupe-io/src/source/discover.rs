//! From arguments (files, folders, globs, `-`) to the files to read, in a fixed order.

use super::detect::{format_by_name, is_certain, remedy};
use super::formats::{self, InputFormat};
use crate::compress;
use crate::output::{OwnResult, is_result};
use neardupe_core::document::Side;
use neardupe_core::error::{Error, Result};
use neardupe_core::hash::FixedSet;
use neardupe_core::store::WorkDir;
use std::path::{Path, PathBuf};

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Where it is; None for standard input.
    pub path: Option<PathBuf>,
    /// Its name relative to the argument under which it was found.
    pub name: String,
    /// Bytes as stored, 0 when not known.
    pub bytes: u64,
    /// A file on disk; standard input and pipes can be read once only, from their start.
    pub regular: bool,
    /// Whether its documents are old ones, which others are compared with.
    pub side: Side,
}

impl InputFile {
    /// Standard input, or whatever stands for it.
    pub(super) fn stream(name: &str) -> Self {
        InputFile {
            path: None,
            name: name.to_owned(),
            bytes: 0,
            regular: false,
            side: Side::New,
        }
    }
}

/// What the arguments led to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Files to read.
    pub files: Vec<InputFile>,
    /// Files in folders whose name and content show no format that is read.
    pub skipped: Vec<PathBuf>,
}

/// Finds the files of all arguments, in the order of the arguments and by name in folders.
/// With a given format every file of a folder counts; else those of a known one. A result or
/// work directory of ours is passed over below a folder or in a glob, and refused when named.
pub fn discover(arguments: &[String], format: Option<InputFormat>) -> Result<Discovered> {
    let mut found = Discovered::default();
    let mut known: FixedSet<PathBuf> = FixedSet::default();
    for argument in arguments {
        if argument == "-" {
            found.files.push(InputFile::stream("stdin"));
            continue;
        }
        let path = Path::new(argument);
        let (base, paths) = if path.is_dir() {
            refuse_own(argument, path)?;
            (path.to_path_buf(), vec![path.to_path_buf()])
        } else if path.exists() {
            let base = path.parent().unwrap_or(Path::new("")).to_path_buf();
            (base, vec![path.to_path_buf()])
        } else {
            expand_glob(argument)?
        };
        for path in paths {
            if path.is_dir() {
                // In a glob it is passed over, as below a folder; what was named is another matter.
                let is_own = || is_result(&path) || WorkDir::is_at(&path);
                if path != Path::new(argument) && is_own() {
                    continue;
                }
                walk(&base, &path, format.is_some(), &mut found, &mut known)?;
            } else {
                add_file(&base, path, &mut found, &mut known);
            }
        }
    }
    if found.files.is_empty() {
        let what = arguments.join(" ");
        return Err(Error::input(what, no_files(&found.skipped)));
    }
    Ok(found)
}

/// Refuses a folder that was named and holds results or work of ours: its files would be read as
/// documents, and most of them would be bad records.
fn refuse_own(argument: &str, folder: &Path) -> Result<()> {
    if WorkDir::is_at(folder) {
        let message =
            "a work directory of neardupe, not documents; name the input of its job";
        return Err(Error::input(argument, message));
    }
    let Some(result) = OwnResult::at(folder) else {
        return Ok(());
    };
    let remedy = match &result.inputs[..] {
        [] => "name the documents it was made from".to_owned(),
        inputs => format!("name what it was made from: {}", inputs.join(" ")),
    };
    let message = format!("{}; {remedy}", result.described());
    Err(Error::input(argument, message))
}

fn no_files(skipped: &[PathBuf]) -> String {
    let expected = format!(
        "{}, also with {}",
        formats::expected(),
        compress::ENDINGS.join(", ")
    );
    match skipped {
        [] => format!("no files found; {expected}"),
        [first, others @ ..] => {
            let found = match others.len() {
                0 => "the only file found cannot be read (it is".to_owned(),
                others => format!(
                    "none of the {} files found can be read (the first is",
                    others + 1
                ),
            };
            let first_is =
                remedy(first).map_or(String::new(), |what| format!(": {what}"));
            format!(
                "{found} {}{first_is}); {expected}; or name the files themselves, then their \
                 content decides",
                first.display()
            )
        }
    }
}

/// The files of a glob, and the folder before its first special character.
fn expand_glob(pattern: &str) -> Result<(PathBuf, Vec<PathBuf>)> {
    let special = pattern.find(['*', '?', '[']);
    let Some(special) = special else {
        return Err(Error::input(pattern, "no such file or folder"));
    };
    let base = pattern[..special]
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let wrong = |error: &dyn std::fmt::Display| Error::input(pattern, error.to_string());
    let mut paths = Vec::new();
    for path in glob::glob(pattern).map_err(|error| wrong(&error))? {
        paths.push(path.map_err(|error| wrong(&error))?);
    }
    if paths.is_empty() {
        return Err(Error::input(pattern, "no file matches this pattern"));
    }
    paths.sort_unstable();
    Ok((PathBuf::from(base), paths))
}

/// Adds the files of a folder. Hidden ones and our own results are passed over. What the
/// system refuses is added too: reading it fails, and that is recorded.
fn walk(
    base: &Path,
    folder: &Path,
    all: bool,
    found: &mut Discovered,
    known: &mut FixedSet<PathBuf>,
) -> Result<()> {
    let visible = |entry: &walkdir::DirEntry| {
        let own = || entry.file_type().is_dir() && is_result(entry.path());
        entry.depth() == 0 || !(is_hidden(entry.path()) || own())
    };
    let entries = walkdir::WalkDir::new(folder)
        .follow_links(true)
        .sort_by_file_name();
    for entry in entries.into_iter().filter_entry(visible) {
        let (path, is_folder) = match entry {
            Ok(entry) if !entry.file_type().is_file() => continue,
            Ok(entry) => (entry.into_path(), false),
            Err(error) => match refused(folder, &error)? {
                None => continue,
                Some(path) => (path.to_path_buf(), !path.is_symlink()),
            },
        };
        let known_format = || format_by_name(&path).is_some() || is_certain(&path);
        if all || is_folder || known_format() {
            add_file(base, path, found, known);
        } else {
            found.skipped.push(path);
        }
    }
    Ok(())
}

/// The path without links. The last name of a path that cannot be followed stays as it is.
fn identity(path: &Path) -> PathBuf {
    let followed = path.canonicalize().or_else(|_| {
        let folder = path.parent().unwrap_or(Path::new("")).canonicalize()?;
        Ok(folder.join(path.file_name().unwrap_or_default()))
    });
    followed.unwrap_or_else(|_: std::io::Error| path.to_path_buf())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// What the system refused: a folder, or a link that leads nowhere. None when nothing is
/// missed.
fn refused<'e>(folder: &Path, error: &'e walkdir::Error) -> Result<Option<&'e Path>> {
    match error.path() {
        // A link to a folder above it: what is there is read without the link.
        _ if error.loop_ancestor().is_some() => Ok(None),
        Some(path) if error.depth() > 0 => Ok((!is_hidden(path)).then_some(path)),
        _ => Err(Error::input(
            folder.display().to_string(),
            error.to_string(),
        )),
    }
}

fn add_file(
    base: &Path,
    path: PathBuf,
    found: &mut Discovered,
    known: &mut FixedSet<PathBuf>,
) {
    // A file named twice, or through two folders, is one file.
    if !known.insert(identity(&path)) {
        return;
    }
    let relative = path.strip_prefix(base).unwrap_or(&path);
    let name = relative.to_string_lossy().replace('\\', "/");
    let (bytes, regular) = match path.metadata() {
        Ok(metadata) => (metadata.len(), metadata.is_file()),
        Err(_) => (0, true),
    };
    found.files.push(InputFile {
        path: Some(path),
        name,
        bytes,
        regular,
        side: Side::New,
    });
}
