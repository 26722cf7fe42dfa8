//! Where the records of an archive begin and end, for a test beside another reader.

use super::cut::{Cut, Cutter};
use super::framing::WarcFraming;
use super::http::{self, Message, value_text};
use super::{RecordType, record_type, stored};
use std::io::Cursor;

/// Type, id and length of the content, without the HTTP head of a response, of every
/// record of an archive that is not compressed; an error where one is damaged.
pub fn warc_frames(bytes: &[u8]) -> Result<Vec<(String, String, usize)>, String> {
    let reader = Box::new(Cursor::new(bytes.to_vec()));
    let mut cutter = Cutter::new(reader, bytes.len() as u64, WarcFraming::default());
    let mut message = Message::default();
    let mut all = Vec::new();
    loop {
        match cutter.next() {
            Cut::Record(_) => {
                let (framing, content) = cutter.parts();
                let text = |name| {
                    let value = framing.headers.get(name).unwrap_or_default();
                    value_text(value).into_owned()
                };
                let content_type = framing.headers.get("content-type");
                let is_http = content_type.is_some_and(http::is_http)
                    && record_type(&framing.headers) == RecordType::Response;
                // Only responses with a head are measured without it; the other reader takes
                // off nothing else.
                let len = match stored(&framing.headers, content) {
                    Some(stored) if is_http => message.body_len(stored),
                    _ => content.len(),
                };
                all.push((text("warc-type"), text("warc-record-id"), len));
            }
            Cut::End => return Ok(all),
            other => return Err(format!("{other:?}")),
        }
    }
}
