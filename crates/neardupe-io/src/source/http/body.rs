//! The body of an HTTP message as its reader would have seen it: chunks joined,
//! compression undone.
//!
//! Archives often store bodies that were joined and unpacked already, and keep the
//! headers of the sender. So a header only says what may be tried, and the bytes decide.

use super::headers::Headers;
use super::media::looks_like_text;
use crate::source::plain_text::too_long;
use crate::source::values::Fault;
use neardupe_core::document::BadKind;
use std::io::{self, BufRead, Read};

/// Compressions one upon the other; senders that mean it use one, by mistake two.
const MAX_ENCODINGS: usize = 4;

/// Buffers that are used again.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// Chunks joined.
    joined: Vec<u8>,
    /// The content after the last coding that was undone.
    unpacked: Vec<u8>,
    /// Receives the next coding; then it changes places with `unpacked`, so two buffers serve
    /// any number of codings.
    spare: Vec<u8>,
}

impl Buffers {
    /// The content of a body.
    pub(super) fn content<'a>(
        &'a mut self,
        headers: &Headers,
        body: &'a [u8],
        max_bytes: u64,
    ) -> Result<&'a [u8], Fault> {
        let mut content = body;
        // Transfer codings are outermost (RFC 9112, section 6.1), so chunks are joined before anything is
        // unpacked. A header without chunks in the body is an archive that joined them and kept the header.
        if has_token(headers.get("transfer-encoding"), "chunked")
            && join_chunks(body, &mut self.joined)
        {
            content = &self.joined;
        }
        let Some(encodings) = headers.get("content-encoding") else {
            return Ok(content);
        };
        let names = String::from_utf8_lossy(encodings).to_ascii_lowercase();
        let names = names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let mut names: Vec<&str> = names.collect();
        if names.len() > MAX_ENCODINGS {
            let detail = format!("more than {MAX_ENCODINGS} content encodings");
            return Err((BadKind::Compression, detail));
        }
        let mut is_unpacked = false;
        // The header lists codings in the order in which they were applied (RFC 9110, section 8.4), so
        // they are undone from the last one.
        while let Some(name) = names.pop() {
            // Codings are undone one upon the other; a name that changes nothing leaves the
            // content as it was.
            let packed = if is_unpacked { &self.unpacked } else { content };
            match unpack(name, packed, &mut self.spare, max_bytes) {
                Unpacked::Done => {
                    std::mem::swap(&mut self.unpacked, &mut self.spare);
                    is_unpacked = true;
                }
                Unpacked::Plain => {}
                Unpacked::TooLong => {
                    return Err((BadKind::TooLong, too_long(max_bytes)));
                }
                // The archive unpacked the body and kept the header: the text is there already.
                Unpacked::Not(_) if looks_like_text(packed) => {}
                Unpacked::Not(why) => {
                    let detail = format!("content encoding {name}: {why}");
                    return Err((BadKind::Compression, detail));
                }
            }
        }
        Ok(if is_unpacked { &self.unpacked } else { content })
    }
}

/// Whether a header with a list of tokens has this one, in any case.
fn has_token(value: Option<&[u8]>, token: &str) -> bool {
    let tokens = value.unwrap_or_default().split(|&byte| byte == b',');
    let mut tokens = tokens.map(<[u8]>::trim_ascii);
    tokens.any(|other| other.eq_ignore_ascii_case(token.as_bytes()))
}

/// Joins the chunks of a body (RFC 9112, section 7.1); false when it has none.
fn join_chunks(body: &[u8], joined: &mut Vec<u8>) -> bool {
    joined.clear();
    // The archives of Common Crawl of August 2018 have a blank line before the body.
    let mut rest = body.strip_prefix(b"\r\n").unwrap_or(body);
    let mut num_chunks = 0;
    while let Some((size, after)) = chunk_size(rest) {
        num_chunks += 1;
        // The last chunk has the size zero. Trailers may follow it; they are no content.
        if size == 0 {
            return true;
        }
        // A size is hexadecimal, and "add" or "face" are sizes too: only a chunk that ends with a line end
        // shows that these are chunks.
        let whole = usize::try_from(size)
            .ok()
            .filter(|&size| size <= after.len());
        let Some(size) = whole else {
            // Cut off within the chunk, or the number is a word of the text.
            if num_chunks == 1 && !rest[..rest.len() - after.len()].ends_with(b"\r\n") {
                return false;
            }
            joined.extend_from_slice(after);
            return true;
        };
        let (chunk, after) = after.split_at(size);
        let line_end = [&b"\r\n"[..], b"\n"]
            .iter()
            .find_map(|end| after.strip_prefix(*end));
        match line_end {
            Some(after) => rest = after,
            None if after.is_empty() => rest = after,
            None if num_chunks == 1 => return false,
            // Damage in the middle: sizes do not say what comes after it.
            None => rest = b"",
        }
        joined.extend_from_slice(chunk);
    }
    num_chunks > 0
}

/// The size in a line such as `1f40;name=value`, and what comes after the line.
fn chunk_size(bytes: &[u8]) -> Option<(u64, &[u8])> {
    // A size of 16 digits and some spaces or extension.
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(256)])?;
    let line = bytes[..end]
        .split(|&byte| byte == b';')
        .next()?
        .trim_ascii();
    let is_size = !line.is_empty() && line.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(line).ok().filter(|_| is_size)?;
    let size = u64::from_str_radix(digits, 16).ok()?;
    Some((size, &bytes[end + 1..]))
}

/// What came of unpacking.
enum Unpacked {
    /// Unpacked, within the limit. The content is in the buffer that was given.
    Done,
    /// The encoding changes nothing.
    Plain,
    /// More comes out than the limit allows; unpacking stopped there.
    TooLong,
    /// The bytes are not in this encoding, with the message of the decoder. The caller decides
    /// whether they are text already.
    Not(String),
}

/// Undoes one encoding into `out`. Names are in lower case; those that mean nothing in practice
/// count as plain.
fn unpack(name: &str, packed: &[u8], out: &mut Vec<u8>, max_bytes: u64) -> Unpacked {
    // The blank line of the archives of Common Crawl of August 2018 stands before packed
    // bodies too.
    let trimmed = packed.strip_prefix(b"\r\n").unwrap_or(packed);
    let result = match name {
        "identity" | "none" | "utf-8" | "text" => return Unpacked::Plain,
        // HEAD requests and redirects announce an encoding and have no body.
        _ if trimmed.is_empty() => return Unpacked::Plain,
        "gzip" | "x-gzip" => unpack_gzip(trimmed, out, max_bytes),
        "deflate" => unpack_deflate(packed, out, max_bytes),
        "br" => {
            let decoder = brotli_decompressor::Decompressor::new(packed, 1 << 14);
            read_limited(decoder, out, max_bytes)
        }
        "zstd" => zstd::stream::read::Decoder::with_buffer(packed)
            .and_then(|decoder| read_limited(decoder, out, max_bytes)),
        _ => return Unpacked::Not("not known".to_owned()),
    };
    match result {
        Ok(true) => Unpacked::Done,
        Ok(false) => Unpacked::TooLong,
        Err(error) => Unpacked::Not(error.to_string()),
    }
}

/// One member after the other. What comes after the last is dropped, as browsers do.
fn unpack_gzip(mut packed: &[u8], out: &mut Vec<u8>, max_bytes: u64) -> io::Result<bool> {
    out.clear();
    let mut member = flate2::bufread::GzDecoder::new(packed);
    loop {
        if !append_limited(&mut member, out, max_bytes)? {
            return Ok(false);
        }
        packed = member.into_inner();
        // A gzip file is a series of members (RFC 1952, section 2.2). A new one begins with its mark;
        // anything else after a member is padding.
        if !packed.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
            return Ok(true);
        }
        member = flate2::bufread::GzDecoder::new(packed);
    }
}

/// With the head and sum of zlib, as RFC 9110 has it, or without, as some servers do.
fn unpack_deflate(packed: &[u8], out: &mut Vec<u8>, max_bytes: u64) -> io::Result<bool> {
    let zlib = flate2::bufread::ZlibDecoder::new(packed);
    match read_limited(zlib, out, max_bytes) {
        Ok(within) => Ok(within),
        // The error of the first attempt is the one to report: without a head almost any bytes are a valid
        // beginning of raw deflate data.
        Err(error) => {
            let raw = flate2::bufread::DeflateDecoder::new(packed);
            read_limited(raw, out, max_bytes).map_err(|_| error)
        }
    }
}

/// Unpacks into an empty buffer; false when more comes out than the limit.
fn read_limited(
    mut reader: impl Read,
    out: &mut Vec<u8>,
    max_bytes: u64,
) -> io::Result<bool> {
    out.clear();
    append_limited(&mut reader, out, max_bytes)
}

/// False when there is more than the limit, beyond which nothing is unpacked.
fn append_limited(
    reader: &mut impl Read,
    out: &mut Vec<u8>,
    max_bytes: u64,
) -> io::Result<bool> {
    // One byte more than allowed is asked for: it shows that the limit was crossed without
    // unpacking the rest.
    let left = max_bytes.saturating_sub(out.len() as u64);
    reader.take(left.saturating_add(1)).read_to_end(out)?;
    Ok(out.len() as u64 <= max_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use std::io::Write;

    fn content(headers: &str, body: &[u8], max_bytes: u64) -> Result<Vec<u8>, Fault> {
        let mut all = Headers::default();
        for line in headers.lines() {
            all.push(line.as_bytes());
        }
        let mut buffers = Buffers::default();
        buffers.content(&all, body, max_bytes).map(<[u8]>::to_vec)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    const TEXT: &[u8] = b"<p>A page, a page, a page of some words and some more words.";

    fn brotli(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, 5, 20);
        encoder.write_all(bytes).unwrap();
        drop(encoder);
        out
    }

    #[test]
    fn every_encoding_is_undone() {
        let zstd = zstd::encode_all(TEXT, 1).unwrap();
        let twice = gzip(&gzip(TEXT));
        let members = [gzip(&TEXT[..9]), gzip(&TEXT[9..])].concat();
        for (encoding, body) in [
            ("gzip", gzip(TEXT)),
            ("x-gzip", gzip(TEXT)),
            ("GZip, ", gzip(TEXT)),
            ("gzip, gzip", twice),
            ("gzip", members),
            (
                "gzip",
                [&b"\r\n"[..], &gzip(TEXT), b"\r\n garbage"].concat(),
            ),
            ("deflate", zlib(TEXT)),
            ("deflate", deflate(TEXT)),
            ("br", brotli(TEXT)),
            ("zstd", zstd),
            ("identity", TEXT.to_vec()),
        ] {
            let header = format!("Content-Encoding: {encoding}");
            let content = content(&header, &body, 1000);
            assert_eq!(content.as_deref(), Ok(TEXT), "{encoding}");
        }
    }

    #[test]
    fn bodies_that_were_unpacked_already_are_taken_as_they_are() {
        for encoding in ["gzip", "deflate", "br", "zstd", "compress", "gzip, br"] {
            let header = format!("Content-Encoding: {encoding}");
            assert_eq!(content(&header, TEXT, 1000).as_deref(), Ok(TEXT));
            assert_eq!(content(&header, b"", 1000).as_deref(), Ok(&b""[..]));
        }
    }

    #[test]
    fn bodies_that_do_not_unpack_are_bad() {
        let page = TEXT.repeat(50);
        let mut body = gzip(&page);
        body.truncate(body.len() - 9);
        let (kind, detail) =
            content("Content-Encoding: gzip", &body, 10_000).unwrap_err();
        assert_eq!(kind, BadKind::Compression);
        assert!(detail.starts_with("content encoding gzip: "), "{detail}");
        let (kind, _) = content("Content-Encoding: lzma", &gzip(TEXT), 1000).unwrap_err();
        assert_eq!(kind, BadKind::Compression);
        let many = "Content-Encoding: gzip,gzip,gzip,gzip,gzip";
        let (kind, _) = content(many, &gzip(TEXT), 1000).unwrap_err();
        assert_eq!(kind, BadKind::Compression);
    }

    #[test]
    fn bombs_stop_at_the_limit() {
        let zeros = vec![b' '; 50_000_000];
        for (encoding, body) in [
            ("gzip", gzip(&zeros)),
            ("gzip", gzip(&zeros[..600]).repeat(2)),
            ("deflate", zlib(&zeros)),
            ("br", brotli(&zeros)),
            ("zstd", zstd::encode_all(&zeros[..], 1).unwrap()),
        ] {
            let header = format!("Content-Encoding: {encoding}");
            let (kind, detail) = content(&header, &body, 1000).unwrap_err();
            assert_eq!(kind, BadKind::TooLong);
            assert!(detail.contains("max-record-bytes"), "{detail}");
        }
        let exact = gzip(&zeros[..1000]);
        assert_eq!(
            content("Content-Encoding: gzip", &exact, 1000)
                .unwrap()
                .len(),
            1000
        );
    }

    #[test]
    fn chunks_are_joined_where_there_are_any() {
        let joined = |body: &str| {
            let header = "Transfer-Encoding: foo, Chunked";
            let content = content(header, body.as_bytes(), 1000).unwrap();
            String::from_utf8(content).unwrap()
        };
        assert_eq!(joined("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"), "abcde");
        assert_eq!(
            joined("\r\n003 \nabc\nA\n0123456789\n0\n\n"),
            "abc0123456789"
        );
        assert_eq!(joined("3\r\nabc\r\nff\r\ncut o"), "abccut o");
        assert_eq!(joined("3\r\nabc\r\nnot a size"), "abc");
        assert_eq!(joined("3\r\nabc\r\n2\r\nxyz\r\n3\r\nabc\r\n"), "abcxy");
        assert_eq!(joined("<html>joined before"), "<html>joined before");
        assert_eq!(joined("2009\nwas a year"), "2009\nwas a year");
        assert_eq!(joined("3\nabcdefg"), "3\nabcdefg");
        assert_eq!(
            joined("fffffffffffffffff\r\nabc"),
            "fffffffffffffffff\r\nabc"
        );
        assert_eq!(joined("ffffffffffffffff\r\nabc"), "abc");
        assert_eq!(joined("0\r\n\r\n"), "");
        assert_eq!(joined(""), "");
        let body = gzip(TEXT);
        let (a, b) = body.split_at(7);
        let size = format!("{:x}", b.len());
        let chunks = [
            b"7\r\n",
            a,
            b"\r\n",
            size.as_bytes(),
            b"\r\n",
            b,
            b"\r\n0\r\n\r\n",
        ];
        let headers = "Transfer-Encoding: chunked\nContent-Encoding: gzip";
        assert_eq!(
            content(headers, &chunks.concat(), 1000).as_deref(),
            Ok(TEXT)
        );
    }
}
