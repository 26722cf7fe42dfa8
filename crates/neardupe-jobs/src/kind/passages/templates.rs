//! Known templates, which lead to no passage, and what can be promised of passages.

use neardupe_core::error::{Error, Result};
use neardupe_core::hash::FixedSet;
use neardupe_core::passage::{CutText, PassageRule, TextCutter, seeds};
use neardupe_core::pipeline::passages::IgnoredSeeds;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Seeds of known templates: lines of text, or rows of a `boilerplate.jsonl`.
pub(crate) fn ignored(files: &[PathBuf]) -> Result<IgnoredSeeds> {
    let mut ignored = FixedSet::default();
    let (mut cutter, mut cut) = (TextCutter::default(), CutText::default());
    for path in files {
        for text in templates(path)? {
            cutter.cut(&text, &mut cut);
            seeds::seeds(&cut.words, &cut.sentence_words, |seed, _| {
                ignored.insert(seed);
            });
            // The line as a whole too, however it is cut.
            ignored.insert(seeds::sentence_hash(&cut.words));
        }
    }
    Ok(IgnoredSeeds::new(ignored))
}

/// What stands for known templates in the identity of a job: the files may have been changed.
pub(crate) fn identity_of_templates(ignored: &IgnoredSeeds) -> Option<(String, String)> {
    let identity = ignored.identity()?;
    Some(("ignore (the texts)".to_owned(), format!("{identity:016x}")))
}

/// Warns of templates that nothing repeats.
pub(crate) fn idle_templates(ignored: &IgnoredSeeds) -> Option<String> {
    let message = "`ignore`: no repeated text is one of these, so it changed nothing";
    ignored.are_idle().then(|| message.to_owned())
}

/// Warns of what is asked for and cannot be promised.
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
                "{}: line {number} is no JSON object with a text",
                path.display()
            );
            return Err(Error::config("ignore", message));
        };
        templates.push(text.to_owned());
    }
    Ok(templates)
}
