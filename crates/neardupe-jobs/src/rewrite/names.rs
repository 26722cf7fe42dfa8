//! Where files go: under their own relative names, which must be names of their own.
//!
//! Two arguments may hold files of the same relative name (`a/x.jsonl` and `b/x.jsonl` given as
//! folders), and a name may contain `..`. Both are found before the job begins. Comparing names
//! is enough, since the output folder is new: no link in it can lead elsewhere.

use neardupe_core::error::{Error, Result};
use neardupe_core::hash::FixedMap;
use neardupe_io::output::{BAD, REMOVED, RESULT};
use neardupe_io::source::{FileSource, InputFile};
use std::path::{Component, Path, PathBuf};

/// Refuses files that would be written over each other or over the result.
pub fn check_names(source: &FileSource, files: &[u32]) -> Result<()> {
    let input = |&file: &u32| &source.files()[file as usize];
    let places: Vec<(&InputFile, PathBuf)> = files
        .iter()
        .map(input)
        .map(|input| (input, input.relative()))
        .collect();
    let mut known: FixedMap<&Path, &InputFile> = FixedMap::default();
    for (input, place) in &places {
        let mut parts = place.components();
        let first = parts.clone().next();
        // Only plain names: `..`, a root or a drive would lead out of the output folder.
        if first.is_none() || parts.any(|part| !matches!(part, Component::Normal(_))) {
            let message = "it would be written outside of the output folder; name the \
                           folder it is in";
            return Err(Error::input(&input.name, message));
        }
        let first = first.map(|part| part.as_os_str());
        if [REMOVED, BAD, RESULT]
            .iter()
            .any(|&name| first == Some(name.as_ref()))
        {
            let message = format!(
                "{REMOVED}, {BAD} and {RESULT} are folders of the output; name the folder above the \
                 input, or the files in it"
            );
            return Err(Error::input(&input.name, message));
        }
        if let Some(other) = known.insert(place, input) {
            let message = format!(
                "both would be written as {}; name a folder above both",
                input.name
            );
            return Err(Error::input(
                format!("{} and {}", at(other), at(input)),
                message,
            ));
        }
    }
    for (input, place) in &places {
        for folder in place.ancestors().skip(1) {
            if let Some(other) = known.get(folder) {
                let folder = folder.display();
                let message = format!(
                    "{folder} would be both a file and a folder; name a folder above both"
                );
                let what = format!("{} and {}", at(other), at(input));
                return Err(Error::input(what, message));
            }
        }
    }
    Ok(())
}

/// Where the file is read from: two files of the same name differ only in that.
fn at(input: &InputFile) -> String {
    let path = input.path.as_ref();
    path.map_or_else(|| input.name.clone(), |path| path.display().to_string())
}
