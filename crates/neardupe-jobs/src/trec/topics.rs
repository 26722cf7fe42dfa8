//! Topics: numbers and titles, from the XML of the Web tracks, the older TREC form, or lines
//! `number:title`.
//!
//! Only numbers and titles are used. The older TREC form is SGML without end tags, so no parser
//! of XML could read it.

use super::lines::{BadLines, for_each_line, format};
use neardupe_core::error::{Error, Result};
use neardupe_io::compress;
use std::io::Read;
use std::path::Path;

/// A topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicTitle {
    /// Its number, as runs have it.
    pub id: String,
    /// What is searched for; empty where the file does not say.
    pub title: String,
}

/// Reads topics in the order of the file.
pub fn read_topics(path: &Path, bad: &mut BadLines) -> Result<Vec<TopicTitle>> {
    let failed = |error| Error::io(path, error);
    let (_, mut reader) = compress::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes);
    // Lines hardly ever have a `<`; both tagged forms do.
    let topics = if text.contains('<') {
        tagged(&text)
    } else {
        listed(path, bad)?
    };
    if topics.is_empty() {
        let message = "no topics: neither <topic number=\"...\">, <num> Number: ..., nor lines \
                       number:title";
        return Err(Error::input(path.display().to_string(), message));
    }
    Ok(topics)
}

/// Lines `number:title`, with a colon, a tab or a space between them.
fn listed(path: &Path, bad: &mut BadLines) -> Result<Vec<TopicTitle>> {
    let mut topics = Vec::new();
    let faults = for_each_line(path, |line, _| {
        let cut = line.find([':', '\t', ' ']).unwrap_or(line.len());
        let (id, title) = line.split_at(cut);
        if id.is_empty() {
            return format("no number before the title");
        }
        topics.push(TopicTitle {
            id: id.to_owned(),
            title: title.trim_start_matches([':', '\t', ' ']).to_owned(),
        });
        Ok(())
    })?;
    for line in faults {
        bad.add(line)?;
    }
    Ok(topics)
}

/// Both tagged forms; a topic ends where the next one begins.
fn tagged(text: &str) -> Vec<TopicTitle> {
    let mut topics: Vec<TopicTitle> = Vec::new();
    for part in text.split("<top").skip(1) {
        // `<num> Number: 701 <title> ...`, in which no tag is closed.
        let old = || {
            let number = part.split_once("<num>")?.1;
            let number = number.split('<').next()?;
            Some(number.trim().trim_start_matches("Number:").trim())
        };
        // `<topic number="1">`.
        let new = || {
            let number = part.split_once("number=\"")?.1;
            number.split('"').next()
        };
        // Not the <topics> around them all.
        let Some(id) = new().or_else(old).filter(|id| !id.is_empty()) else {
            continue;
        };
        // Web tracks have a query; the older form has a title.
        let title = ["<query>", "<title>"].iter().find_map(|tag| {
            let title = part.split_once(tag)?.1.split('<').next()?;
            Some(title.split_whitespace().collect::<Vec<_>>().join(" "))
        });
        topics.push(TopicTitle {
            id: id.to_owned(),
            title: title.unwrap_or_default(),
        });
    }
    topics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms_are_read() {
        let new = "<webtrack2012>\n<topic number=\"151\" type=\"faceted\">\n<query>403b</query>\n\
                   <subtopic number=\"1\">x</subtopic></topic><topic number=\"152\"></topic>";
        let read = tagged(new);
        assert_eq!(read.len(), 2);
        assert_eq!(
            (read[0].id.as_str(), read[0].title.as_str()),
            ("151", "403b")
        );
        let old =
            "<top>\n<num> Number: 303\n<title> Hubble\n Telescope\n<desc> x\n</top>\n";
        let read = tagged(old);
        assert_eq!(
            (read[0].id.as_str(), read[0].title.as_str()),
            ("303", "Hubble Telescope")
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("topics");
        std::fs::write(&path, "wt09-1:obama family tree\n2\n").unwrap();
        let read = read_topics(&path, &mut BadLines::default()).unwrap();
        assert_eq!(
            (read[0].id.as_str(), read[0].title.as_str()),
            ("wt09-1", "obama family tree")
        );
        assert_eq!(read[1].id, "2");
    }
}
