//! Laws of every format in the registry: what `dedup` writes is read back in the same format and holds what
//! was kept. The carriers are those of the crate that reads, which holds that each format has one.

use super::{Job, prose};
use crate::carriers::{ALL, Carrier, Document};
use neardupe_core::document::{BadRecord, Record, Silent, Sink, Source};
use neardupe_core::error::Result;
use neardupe_io::source::{FileSource, Layout};
use neardupe_jobs::rewrite::{FileCounts, Mode, check_texts};
use std::path::PathBuf;

/// Documents in all, and those of them that are near-copies of others.
const DOCUMENTS: usize = 40;
const COPIES: usize = 10;

fn documents() -> Vec<Document> {
    let document = |number: usize| Document {
        id: number.to_string(),
        text: format!(
            "{} < {number} & end",
            prose(number % (DOCUMENTS - COPIES), 60)
        ),
    };
    (1..=DOCUMENTS).map(document).collect()
}

/// Ids and texts, and how many records were bad.
#[derive(Default)]
struct Seen {
    documents: Vec<(String, String)>,
    bad: u64,
}

impl Sink for Seen {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        let id = record.id.unwrap().to_owned();
        self.documents.push((id, record.text.to_owned()));
        Ok(())
    }

    fn bad_record(&mut self, _: BadRecord) -> Result<()> {
        self.bad += 1;
        Ok(())
    }
}

fn read(source: &dyn Source) -> Seen {
    let mut seen = Seen::default();
    for part in 0..source.num_parts().unwrap() {
        source.read_part(part, vec![&mut seen], &Silent).unwrap();
    }
    seen
}

/// An input in a format, and what becomes of it.
struct Written<'a> {
    carrier: &'a Carrier,
    job: Job,
    source: FileSource,
}

impl<'a> Written<'a> {
    fn new(carrier: &'a Carrier, documents: &[Document]) -> Self {
        let job = Job::new();
        let path = job.path("in").join(carrier.name);
        (carrier.write)(&path, documents);
        let source = carrier.source(&path);
        Written {
            carrier,
            job,
            source,
        }
    }

    fn damaged(carrier: &'a Carrier, documents: &[Document]) -> Self {
        let mut written = Written::new(carrier, documents);
        let path = written.job.path("in").join(carrier.name);
        carrier.damage(&path);
        written.source = carrier.source(&path);
        written
    }

    fn rewrite(&self, mode: Mode) -> Result<Vec<FileCounts>> {
        let result = self.job.find(&self.source);
        self.job.rewrite(&self.source, &result, mode)
    }

    /// The files that were written in a folder.
    fn files(&self, folder: &str) -> Vec<PathBuf> {
        let files = self.source.files().iter();
        let paths = files.map(|file| self.job.path(folder).join(&file.name));
        paths.filter(|path| path.is_file()).collect()
    }

    /// What is read from a folder that was written.
    fn read(&self, folder: &str) -> Seen {
        match &self.files(folder)[..] {
            [] => Seen::default(),
            files => read(&self.carrier.source_of(files)),
        }
    }
}

fn sum(counts: &[FileCounts], count: fn(&FileCounts) -> u64) -> u64 {
    counts.iter().map(count).sum()
}

#[test]
fn what_is_kept_and_removed_is_read_back() {
    let documents = documents();
    for carrier in &ALL {
        let name = carrier.name;
        let written = Written::new(carrier, &documents);
        let counts = written.rewrite(Mode::Split).unwrap();
        let (kept, removed) = (written.read("out"), written.read("out/removed"));
        assert_eq!((kept.bad, removed.bad), (0, 0), "{name}");
        assert_eq!(removed.documents.len(), COPIES, "{name}");
        assert_eq!(sum(&counts, |file| file.removed), COPIES as u64, "{name}");
        let num_kept = kept.documents.len() as u64;
        assert_eq!(sum(&counts, |file| file.kept), num_kept, "{name}");
        // In the order of the input, each unchanged and in one of the two.
        let expected = read(&written.source).documents;
        let mut ids = expected.iter().map(|(id, _)| id);
        assert!(ids.all(|id| id.starts_with(carrier.id_prefix)), "{name}");
        let is_removed = |one: &&(String, String)| removed.documents.contains(one);
        let (gone, left): (Vec<_>, Vec<_>) = expected.iter().partition(is_removed);
        assert_eq!(kept.documents.iter().collect::<Vec<_>>(), left, "{name}");
        assert_eq!(removed.documents.iter().collect::<Vec<_>>(), gone, "{name}");
        // Nothing that was kept is similar to another one.
        let again = Job::new().find(&carrier.source_of(&written.files("out")));
        assert_eq!(again.totals.documents, num_kept, "{name}");
        assert_eq!(again.totals.duplicates, 0, "{name}");
    }
}

#[test]
fn formats_whose_fields_users_name_are_annotated_and_others_refused() {
    let documents = documents();
    for carrier in &ALL {
        let name = carrier.name;
        let written = Written::new(carrier, &documents);
        let outcome = written.rewrite(Mode::Annotate);
        assert_eq!(outcome.is_ok(), carrier.format.has_free_fields(), "{name}");
        if outcome.is_ok() {
            let before = read(&written.source);
            let after = written.read("out");
            assert_eq!(
                (after.bad, after.documents),
                (0, before.documents),
                "{name}"
            );
        }
    }
}

#[test]
fn texts_are_shortened_where_they_are_stored_as_they_are_compared() {
    for carrier in &ALL {
        let written = Written::new(carrier, &documents());
        let is_stored = match carrier.format.spec().layout {
            Layout::Lines | Layout::Table { .. } | Layout::Columns => true,
            Layout::Document { is_html } => !is_html,
            Layout::Entries(_) => false,
        };
        let checked = check_texts(&written.source, &[0]);
        assert_eq!(checked.is_ok(), is_stored, "{}", carrier.name);
    }
}

#[test]
fn what_is_damaged_is_set_apart_and_nothing_else_is_lost() {
    let documents = documents();
    for carrier in &ALL {
        let name = carrier.name;
        let written = Written::damaged(carrier, &documents);
        let before = read(&written.source);
        assert!(before.bad > 0, "{name}");
        let counts = written.rewrite(Mode::Split).unwrap();
        assert_eq!(sum(&counts, |file| file.bad_records), before.bad, "{name}");
        let removed = written.read("out/removed");
        let kept = written.read("out");
        assert_eq!(kept.bad, 0, "{name}: bad records are kept");
        let mut after = [kept.documents, removed.documents].concat();
        let mut before = before.documents;
        before.sort();
        after.sort();
        assert_eq!(after, before, "{name}");
        assert!(!written.files("out/bad").is_empty(), "{name}");
    }
}
