//! Runs: six columns `topic Q0 document rank score tag`, separated by any white space.
//!
//! Ranks are those of trec_eval: by falling score, and by falling document id where scores are
//! equal; the column `rank` is read but decides nothing. A file with two tags is refused: two
//! runs in one file would be measured as one.
//!
//! Files are read in parallel, each with numbers of its own for topics and documents. Numbers
//! of all runs are then given in the order of the files, so they do not depend on threads.

use super::Ids;
use super::lines::{BadLine, BadLines, Parsed, for_each_line, format};
use super::parallel::in_parallel;
use neardupe_core::error::{Error, Result};
use neardupe_core::numbers::of_len;
use neardupe_core::trec::{Names, Run, RunLine};
use std::path::{Path, PathBuf};

/// Runs in the order in which they were named.
#[derive(Debug, Default)]
pub struct RunSet {
    /// The runs.
    pub runs: Vec<Run>,
    /// The file of each.
    pub paths: Vec<PathBuf>,
    /// The tag of each, as its first line has it.
    pub tags: Vec<String>,
    /// Lines that were read, bad ones included.
    pub lines: u64,
}

/// One file, by numbers of its own.
struct RunFile {
    run: Run,
    /// Numbers within this file; `renumbered` maps them to those of all runs.
    ids: Ids,
    tag: String,
    lines: u64,
    bad: Vec<BadLine>,
}

/// Reads runs: files, or folders of them. A run is called by its tag; where several have the same
/// one, or none, by the name of its file. Nothing depends on `threads`.
pub fn read_runs(
    arguments: &[PathBuf],
    ids: &mut Ids,
    bad: &mut BadLines,
    threads: usize,
) -> Result<RunSet> {
    let mut paths = Vec::new();
    for argument in arguments {
        if argument.is_dir() {
            files_of(argument, &mut paths)?
        } else {
            paths.push(argument.clone())
        }
    }
    let read = in_parallel(threads, paths.len(), |at| read_run(&paths[at]));
    let mut set = RunSet::default();
    for (path, file) in paths.iter().zip(read) {
        let mut file = file?;
        for line in file.bad {
            bad.add(line)?;
        }
        let documents = renumbered(&file.ids.documents, &mut ids.documents);
        let topics = renumbered(&file.ids.topics, &mut ids.topics);
        file.run.renumber(&documents, &topics);
        set.runs.push(file.run);
        set.paths.push(path.clone());
        set.tags.push(file.tag);
        set.lines += file.lines;
    }
    name(&mut set);
    Ok(set)
}

/// Adds the files of a folder in the order of their names. Subfolders and hidden files are
/// passed over, and a folder without a file is an error, since it was named for its runs.
fn files_of(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |error| Error::io(folder, error);
    let before = paths.len();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_file() && !name.starts_with('.') {
            paths.push(path);
        }
    }
    if paths.len() == before {
        let message = "the folder has no files; name runs";
        return Err(Error::input(folder.display().to_string(), message));
    }
    paths[before..].sort_unstable();
    Ok(())
}

/// For each number of a file the number in all runs; new names are added in the order of the
/// file.
fn renumbered(own: &Names, all: &mut Names) -> Vec<u32> {
    let numbers = 0..of_len(own.len());
    numbers.map(|it| all.number(own.text(it))).collect()
}

/// Names the runs: by their tags where these differ, else by their files, and by a number
/// behind the name if even those are equal.
fn name(set: &mut RunSet) {
    let is_shared = |tag: &String| {
        tag.is_empty() || set.tags.iter().filter(|one| *one == tag).count() > 1
    };
    let names: Vec<String> = set
        .tags
        .iter()
        .zip(&set.paths)
        .map(|(tag, path)| {
            if is_shared(tag) {
                file_name(path)
            } else {
                tag.clone()
            }
        })
        .collect();
    for (run, name) in set.runs.iter_mut().zip(names) {
        run.name = name;
    }
    // Whatever is still not unique gets a number.
    let all: Vec<String> = set.runs.iter().map(|run| run.name.clone()).collect();
    for (at, run) in set.runs.iter_mut().enumerate() {
        let before = all[..at].iter().filter(|name| **name == run.name).count();
        if before > 0 {
            run.name = std::format!("{}#{}", run.name, before + 1);
        }
    }
}

/// The name of a file without the endings of compression and of runs.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = neardupe_io::compress::without_ending(&name);
    name.strip_suffix(".run")
        .or(name.strip_suffix(".txt"))
        .unwrap_or(name)
        .to_owned()
}

/// Reads one run. Bad lines are returned and do not stop it; a second tag is an error, but
/// one that is reported only after the whole file, with the line where it is first.
fn read_run(path: &Path) -> Result<RunFile> {
    let mut ids = Ids::default();
    let mut lines = Vec::new();
    let (mut tag, mut number) = (String::new(), 0);
    let mut second = None;
    let mut topic = (String::new(), 0);
    let bad = for_each_line(path, |line, _| {
        number += 1;
        // A line that cannot be parsed ends here as a bad line; it is counted all the same.
        let parsed = parse(line)?;
        if lines.is_empty() {
            // The first good line decides the tag.
            parsed.tag.clone_into(&mut tag);
        } else if parsed.tag != tag && second.is_none() {
            second = Some((number, parsed.tag.to_owned()));
        }
        // Lines of a topic are mostly together.
        if lines.is_empty() || topic.0 != parsed.topic {
            topic = (parsed.topic.to_owned(), ids.topics.number(parsed.topic));
        }
        lines.push(RunLine {
            topic: topic.1,
            document: ids.documents.number(parsed.document),
            rank: parsed.rank,
            score: parsed.score,
        });
        Ok(())
    })?;
    if let Some((line, second)) = second {
        let message = std::format!(
            "the tag of line {line} is {second:?}, that of the first line {tag:?}: a file is one run, so give \
             each run a file of its own"
        );
        return Err(Error::input(path.display().to_string(), message));
    }
    let run = Run::new(String::new(), &lines, &ids.documents, &ids.topics);
    Ok(RunFile {
        run,
        ids,
        tag,
        lines: number,
        bad,
    })
}

/// The columns of a line, without `Q0`, which says nothing.
struct ParsedLine<'a> {
    topic: &'a str,
    document: &'a str,
    rank: u64,
    score: f64,
    tag: &'a str,
}

/// Exactly six columns, a whole rank and a finite score; anything else is a bad line with the
/// reason. NaN is refused since it has no place in an order.
fn parse(line: &str) -> Parsed<ParsedLine<'_>> {
    let mut columns = line.split_ascii_whitespace();
    let mut six = [""; 6];
    for (at, column) in six.iter_mut().enumerate() {
        match columns.next() {
            Some(found) => *column = found,
            None => {
                return format(std::format!(
                    "{at} columns where a run has 6: topic Q0 document rank score tag"
                ));
            }
        }
    }
    if columns.next().is_some() {
        return format(
            "more than the 6 columns of a run: topic Q0 document rank score tag",
        );
    }
    let [topic, _, document, rank, score, tag] = six;
    let Ok(number) = rank.parse::<u64>() else {
        return format(std::format!("the rank {rank:?} is not a whole number"));
    };
    match score.parse::<f64>() {
        Ok(score) if score.is_finite() => Ok(ParsedLine {
            topic,
            document,
            rank: number,
            score,
            tag,
        }),
        _ => format(std::format!("the score {score:?} is not a finite number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_separated_by_any_white_space() {
        let line = parse("wt09-1\tQ0  d-1 0\t -2.5e3 tag").ok().unwrap();
        assert_eq!(
            (line.topic, line.document, line.tag),
            ("wt09-1", "d-1", "tag")
        );
        assert_eq!((line.rank, line.score.to_string()), (0, "-2500".to_owned()));
        for wrong in [
            "1 Q0 d 1 0.5",
            "1 Q0 d 1 0.5 tag more",
            "1 Q0 d x 0.5 tag",
            "1 Q0 d -1 0.5 tag",
            "1 Q0 d 1 NaN tag",
            "1 Q0 d 1 1e999 tag",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn runs_are_called_by_their_tags_unless_these_are_shared() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, tag: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, std::format!("1 Q0 d 1 1 {tag}\n\n")).unwrap();
            path
        };
        let paths = [
            write("a.run", "same"),
            write("b.run", "same"),
            write("c.run", "own"),
            write("d.txt", "a"),
        ];
        let (mut ids, mut bad) = (Ids::default(), BadLines::default());
        let set = read_runs(&paths, &mut ids, &mut bad, 3).unwrap();
        let names: Vec<&str> = set.runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "own", "a#2"]);
        assert!(bad.is_empty());
        let all = [folder.path().to_path_buf()];
        let again = read_runs(&all, &mut Ids::default(), &mut bad, 1).unwrap();
        assert_eq!(again.runs.len(), 4);
    }
}
