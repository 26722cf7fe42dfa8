//! Reads bytes as a job would and checks what any record must be.

use neardupe_core::document::{BadRecord, Record, Silent, Sink, Source, SourceRead};
use neardupe_core::error::Result;
use neardupe_io::source::{FileSource, InputFormat, ReadOptions, discover};
use std::path::Path;

#[derive(Debug, Default)]
struct Check {
    documents: u64,
    bad: u64,
}

impl Sink for Check {
    fn document(&mut self, record: &Record<'_>) -> Result<()> {
        self.documents += 1;
        let spans = record.regions.iter().map(|region| region.span);
        for span in spans.chain(record.links.iter().map(|link| link.span)) {
            assert!(record.text.get(span.start..span.end).is_some(), "{span:?}");
        }
        Ok(())
    }

    fn bad_record(&mut self, bad: BadRecord) -> Result<()> {
        self.bad += 1;
        assert!(!bad.detail.is_empty());
        Ok(())
    }
}

fn check(source: &FileSource) {
    let mut sink = Check::default();
    let num_parts = source.num_parts().expect("the keys are right");
    let parts = (0..num_parts).map(|part| {
        let sinks: Vec<&mut dyn Sink> = vec![&mut sink];
        let read = source.read_part(part, sinks, &Silent);
        read.expect("no input ends a job")
    });
    let parts: Vec<_> = parts.collect();
    let read = SourceRead::gather(source.file_names(), &parts);
    let records: u64 = read.files.iter().map(|file| file.records).sum();
    assert_eq!(records, sink.documents + sink.bad, "something was lost");
}

fn options(format: Option<InputFormat>) -> ReadOptions {
    let mut options = ReadOptions {
        format,
        max_record_bytes: 1 << 20,
        ..ReadOptions::default()
    };
    options.text.html.keep_regions = true;
    options.text.html.keep_links = true;
    options
}

/// Reads bytes in a format, or in the one they look like.
pub(crate) fn read(bytes: Vec<u8>, format: Option<InputFormat>) {
    let reader = std::io::Cursor::new(bytes);
    check(&FileSource::from_reader(reader, "fuzzed", options(format)));
}

/// Reads a file in a format.
pub(crate) fn read_file(path: &Path, format: InputFormat) {
    let arguments = [path.to_string_lossy().into_owned()];
    let found = discover(&arguments, Some(format)).expect("it is there");
    check(&FileSource::new(found.files, options(Some(format))));
}
