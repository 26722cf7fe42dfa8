//! Laws of every format in the registry: whoever adds a row adds a carrier, and all of this is tried.
//! That every format gives the same bytes is `same_in_every_format`; that `dedup` writes each of them back is
//! `rewrite::every_format` of the job library.

use crate::carriers::{self, Carrier, Document};
use crate::parts::{Seen, documents, read, together};
use neardupe_core::document::{Position, Silent, Source};
use neardupe_core::hash;
use neardupe_io::source::{Bounds, EntryStarts, FileSource, InputFormat, Layout};
use std::collections::BTreeMap;
use std::path::Path;

/// Runs a law over all carriers, each in a folder of its own.
fn for_each(law: impl Fn(&Carrier, &Path)) {
    for carrier in carriers::ALL {
        let folder = tempfile::tempdir().unwrap();
        law(&carrier, &folder.path().join(carrier.name));
    }
}

fn seen(source: &FileSource) -> Seen {
    together(read(source, 2).0)
}

#[test]
fn every_format_has_a_carrier() {
    for format in InputFormat::ALL {
        assert!(
            carriers::ALL
                .iter()
                .any(|carrier| carrier.format == *format),
            "no carrier writes {format}: add one to tests/it/carriers, and all laws are tried with it"
        );
    }
}

/// Its documents are written in it, not in another format that happens to be read.
#[test]
fn a_carrier_is_of_its_format() {
    for_each(|carrier, path| {
        (carrier.write)(path, &documents(5, 20));
        let source = carrier.source(path);
        for file in 0..u32::try_from(source.files().len()).unwrap() {
            let kind = source.kind_of(file).unwrap().unwrap();
            assert_eq!(kind.format, carrier.format, "{}", carrier.name);
        }
    });
}

#[test]
fn damage_is_a_bad_record_and_costs_no_other_file() {
    for_each(|carrier, path| {
        let written = documents(40, 30);
        (carrier.write)(path, &written);
        carrier.damage(path);
        let (parts, told) = read(&carrier.source(path), 2);
        let found = together(parts);
        let name = carrier.name;
        assert!(!found.bad.is_empty(), "{name}: nothing is wrong");
        let records: u64 = told.files.iter().map(|file| file.records).sum();
        let all = found.documents.len() + found.bad.len();
        assert_eq!(records, all as u64, "{name}");
        assert!(found.documents.len() < written.len(), "{name}");
        for (_, id, text) in &found.documents {
            let id = id
                .as_deref()
                .and_then(|id| id.strip_prefix(carrier.id_prefix));
            assert!(is_whole(&written, id, text), "{name}: {text}");
        }
    });
}

fn is_whole(written: &[Document], id: Option<&str>, text: &str) -> bool {
    let mut written = written.iter();
    written.any(|document| id == Some(&document.id) && document.text == text)
}

/// A text is found again at the place that reading it gave it.
#[test]
fn documents_are_found_again_at_their_places() {
    for_each(|carrier, path| {
        (carrier.write)(path, &documents(60, 30));
        let source = carrier.source(path);
        let all = seen(&source).documents;
        let places: Vec<Position> = all.iter().map(|(place, ..)| *place).collect();
        let wanted: Vec<Position> = places.iter().copied().step_by(7).collect();
        let bounds = Bounds {
            read_bytes: 1 << 30,
            held_bytes: usize::MAX,
        };
        let found = source.texts_at(&wanted, bounds, 2, &Silent).unwrap();
        assert_eq!(found.len(), wanted.len(), "{}", carrier.name);
        for (place, _, text) in all.iter().step_by(7) {
            assert_eq!(found[place].text, *text, "{}", carrier.name);
            assert_eq!(found[place].hash, hash::text(text), "{}", carrier.name);
        }
    });
}

/// Copies of a file of a stream: few enough that each is sampled at several places.
const COPIES: usize = 12;
/// Places of each copy: 48 stretches in all.
const PLACES: u64 = 4;

/// A sample has nothing but what is in the input; and where the row says that entries are found in the middle
/// of a file, they are: the end of each file is within several stretches.
#[test]
fn a_sample_is_from_all_over_the_input() {
    for_each(|carrier, path| {
        let written = documents(300, 80);
        let folder = path.parent().unwrap();
        let (first, last) = carrier.name.split_once('.').unwrap_or((carrier.name, ""));
        for copy in 0..COPIES {
            let dot = if last.is_empty() { "" } else { "." };
            let name = format!("{first}{copy}{dot}{last}");
            (carrier.write)(&folder.join(name), &written);
        }
        let source = carrier.source(folder);
        let sample = source.sample(source.total_bytes() / 3).unwrap();
        assert!(!sample.is_all());
        let found = seen_in(&sample);
        let mut times: BTreeMap<(u32, String), u64> = BTreeMap::new();
        for (place, id, text) in found.documents {
            let id = id.unwrap();
            let id = id.rsplit('/').next().unwrap();
            let id = id.strip_prefix(carrier.id_prefix).unwrap();
            let original = written.iter().find(|document| document.id == id);
            // What is read last of a stretch may be cut off.
            assert!(
                original.unwrap().text.starts_with(&text),
                "{}",
                carrier.name
            );
            *times.entry((place.file, id.to_owned())).or_default() += 1;
        }
        let expected = if is_found_in_the_middle(carrier) {
            PLACES
        } else {
            1
        };
        let most = times.values().max();
        assert_eq!(most, Some(&expected), "{}", carrier.name);
    });
}

fn seen_in(source: &dyn Source) -> Seen {
    together(read(source, 2).0)
}

/// Whether the row says that entries of this file are found without reading it from its start.
fn is_found_in_the_middle(carrier: &Carrier) -> bool {
    let Layout::Entries(entries) = carrier.format.spec().layout else {
        return false;
    };
    match entries.starts {
        EntryStarts::Unknown => false,
        EntryStarts::Line(_) => !carrier.name.ends_with(".gz"),
        EntryStarts::LineOrMember(_) => true,
    }
}
