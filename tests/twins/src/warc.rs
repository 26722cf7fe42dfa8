//! The records of an archive as `fastwarc` cuts them.

use fastwarc::warc::iter::ArchiveIterator;
use fastwarc::warc::record::WarcRecord;
use std::cell::{RefCell, RefMut};
use std::io::{BufReader, Cursor, Read as _, Result};
use std::rc::Rc;

/// Type, id and length of the content, without the HTTP head of a response, of every
/// record.
pub fn twin_frames(bytes: &[u8]) -> Vec<(String, String, usize)> {
    let reader = BufReader::new(Cursor::new(bytes.to_vec()));
    let records = ArchiveIterator::new(reader).with_parse_http(false);
    let framed = |record: Result<Rc<_>>| {
        let record = record.unwrap();
        let mut record: RefMut<'_, WarcRecord> = RefCell::borrow_mut(&record);
        let text = |name: &str| {
            let value = record.headers().get(name);
            value.map_or(String::new(), |value| value.into_owned())
        };
        let (kind, id) = (text("WARC-Type"), text("WARC-Record-ID"));
        if kind == "response" && record.is_http() {
            record.parse_http().unwrap();
        }
        let mut content = Vec::new();
        let reader = record.reader_mut().unwrap();
        reader.read_to_end(&mut content).unwrap();
        (kind, id, content.len())
    };
    records.map(framed).collect()
}
