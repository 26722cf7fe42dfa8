//! From arguments (files, folders, globs, `-`) to the files to read, in a fixed order.

use super::detect::{format_by_name, is_certain, remedy};
use super::formats::{self, InputFormat};
use super::read::ReadOptions;
use crate::compress;
use crate::output::{OwnResult, ResultManifest};
use neardupe_core::document::Side;
use neardupe_core::error::{Error, Result};
use neardupe_core::hash::FixedSet;
use neardupe_core::store::WorkDir;
use std::path::{Component, Path, PathBuf};

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
    /// Its place below the argument under which it was found. The name may not have all bytes of it: two
    /// files whose names are not UTF-8 can have one name here.
    pub fn relative(&self) -> PathBuf {
        let name = Path::new(&self.name);
        let Some(path) = self
            .path
            .as_ref()
            .filter(|_| self.name.contains('\u{fffd}'))
        else {
            return name.to_path_buf();
        };
        let parts: Vec<Component<'_>> = path.components().collect();
        let above = parts.len().saturating_sub(name.components().count());
        let own: PathBuf = parts[above..].iter().collect();
        if name_of(&own) == self.name {
            own
        } else {
            name.to_path_buf()
        }
    }

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
    /// Results of ours that were met below a folder, and how many of their files were passed over.
    pub results: Vec<(PathBuf, u64)>,
    /// Links that were not followed, since that was asked for.
    pub links: Vec<PathBuf>,
}

/// Finds the files of all arguments, in the order of the arguments and by name in folders.
/// With a given format every file of a folder counts; else those of a known one. The files of a
/// result of ours are passed over below a folder or in a glob, and reported; a result that is named
/// is refused.
pub fn discover(arguments: &[String], format: Option<InputFormat>) -> Result<Discovered> {
    let options = ReadOptions {
        format,
        ..ReadOptions::default()
    };
    discover_for(arguments, &options)
}

/// The same as these options ask for: they also say whether links are followed.
pub fn discover_for(arguments: &[String], options: &ReadOptions) -> Result<Discovered> {
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
            // A link that is named is another matter: it was chosen.
            if !options.follow_links
                && path != Path::new(argument)
                && leads_through_link(&base, &path)
            {
                found.links.push(path);
                continue;
            }
            if path.is_dir() {
                // In a glob it is passed over, as below a folder; what was named is another matter.
                if path != Path::new(argument) && WorkDir::is_at(&path) {
                    continue;
                }
                walk(&base, &path, options, &mut found, &mut known)?;
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
    options: &ReadOptions,
    found: &mut Discovered,
    known: &mut FixedSet<PathBuf>,
) -> Result<()> {
    // Only the files that a manifest names are passed over: whatever else lies among them is read.
    let mut own: FixedSet<PathBuf> = FixedSet::default();
    let mut results: Vec<(PathBuf, u64)> = Vec::new();
    let visible =
        |entry: &walkdir::DirEntry| entry.depth() == 0 || !is_hidden(entry.path());
    // With a slash at its end a link that was named is the folder it leads to, whatever is asked below it.
    let entries = walkdir::WalkDir::new(folder.join(""))
        .follow_links(options.follow_links)
        .sort_by_file_name();
    for entry in entries.into_iter().filter_entry(visible) {
        let (path, is_folder) = match entry {
            Ok(entry) if entry.file_type().is_dir() => {
                // A folder of removed documents is passed over below the collection, not where it is named.
                let is_named = entry.depth() == 0 && base == folder;
                if let Some((place, manifest)) = ResultManifest::around(entry.path())?
                    && (!is_named || place == entry.path())
                    && results.iter().all(|(known, _)| known != place)
                {
                    let files = manifest.no_documents();
                    own.extend(files.map(|file| place.join(file)));
                    // Without the slash at its end.
                    results.push((place.components().collect(), 0));
                }
                continue;
            }
            Ok(entry) if entry.path_is_symlink() && !options.follow_links => {
                found.links.push(entry.into_path());
                continue;
            }
            Ok(entry) if !entry.file_type().is_file() => continue,
            Ok(entry) => (entry.into_path(), false),
            Err(error) => match refused(folder, &error)? {
                None => continue,
                Some(path) => (path.to_path_buf(), !path.is_symlink()),
            },
        };
        if own.contains(&path) {
            let of_it = |(result, _): &&mut (PathBuf, u64)| path.starts_with(result);
            if let Some((_, files)) = results.iter_mut().rev().find(of_it) {
                *files += 1;
            }
            continue;
        }
        let known_format = || format_by_name(&path).is_some() || is_certain(&path);
        if options.format.is_some() || is_folder || known_format() {
            add_file(base, path, found, known);
        } else {
            found.skipped.push(path);
        }
    }
    results.retain(|(_, files)| *files > 0);
    found.results.append(&mut results);
    Ok(())
}

/// Whether a path that a glob found has a link in it, below the folder that was named.
fn leads_through_link(base: &Path, path: &Path) -> bool {
    let below = path.ancestors().take_while(|folder| *folder != base);
    below.into_iter().any(Path::is_symlink)
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

/// A relative path as a name. A backslash parts folders on Windows alone; elsewhere it is a letter, and
/// must not become the way to another folder.
fn name_of(relative: &Path) -> String {
    let name = relative.to_string_lossy();
    if cfg!(windows) {
        name.replace('\\', "/")
    } else {
        name.into_owned()
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
    let name = name_of(relative);
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
