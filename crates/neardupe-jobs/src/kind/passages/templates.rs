//! Known templates, which are ignored when passages are searched, and which passages are found for
//! certain. `passages` and `dedup` share it.
//!
//! A template is a file of sentences that are known to be everywhere. Its seeds are ignored
//! wherever they occur, so a list made once keeps results of different collections free of the
//! same notices. The content is in the identity of the job, since a list may grow between two
//! runs.

use neardupe_core::error::{Error, Result};
use neardupe_core::hash::FixedSet;
use neardupe_core::passage::{CutText, PassageRule, TextCutter, seeds};
use neardupe_core::pipeline::passages::IgnoredSeeds;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Seeds of known templates: lines of text, or rows of a `boilerplate.jsonl` as `passages` writes it. A
/// text of a document is ignored where it has one of these seeds, so templates must be cut as texts
/// are.
pub(crate) fn ignored(files: &[PathBuf]) -> Result<IgnoredSeeds> {
    let mut ignored = FixedSet::default();
    let (mut cutter, mut cut) = (TextCutter::default(), CutText::default());
    for path in files {
        for text in templates(path)? {
            cutter.cut(&text, &mut cut);
            seeds::seeds(&cut.words, &cut.sentence_words, |seed, _| {
                ignored.insert(seed);
            });
            // The line as a whole too: in a document it may be one sentence, however the line is cut.
            ignored.insert(seeds::sentence_hash(&cut.words));
        }
    }
    Ok(IgnoredSeeds::new(ignored))
}

/// The templates in the identity of a job, by a hash of their seeds: the files may change while their
/// names are kept.
pub(crate) fn identity_of_templates(ignored: &IgnoredSeeds) -> Option<(String, String)> {
    let identity = ignored.identity()?;
    Some(("ignore (the texts)".to_owned(), format!("{identity:016x}")))
}

/// Warns about templates that no repeated text matches.
pub(crate) fn idle_templates(ignored: &IgnoredSeeds) -> Option<String> {
    let message = "`ignore`: no repeated text is one of these, so it changed nothing";
    ignored.are_idle().then(|| message.to_owned())
}

/// Warns that passages are asked for which are shorter than those that are found for certain.
pub(crate) fn short_passages(rule: &PassageRule) -> Option<String> {
    let surely = rule.surely_found();
    (rule.min_words < surely.words).then(|| {
        format!(
            "`min-words {}`: copies of fewer than {} words in a row (of scripts without spaces, {} \
             characters) may be missed",
            rule.min_words, surely.words, surely.characters
        )
    })
}

/// The templates of a file, by its ending.
fn templates(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let is_json = path.extension().is_some_and(|ending| ending == "jsonl");
    let mut templates = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if !is_json {
            templates.push(line.to_owned());
            continue;
        }
        let row: Option<Value> = serde_json::from_str(line).ok();
        let text = row.as_ref().and_then(|row| row.get("text")?.as_str());
        let Some(text) = text else {
            let message = format!(
                "{}: line {number} is not a JSON object with a text",
                path.display()
            );
            return Err(Error::config("ignore", message));
        };
        templates.push(text.to_owned());
    }
    Ok(templates)
}
