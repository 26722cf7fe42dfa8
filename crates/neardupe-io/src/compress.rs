//! Compressed files, recognised by their first bytes.
//!
//! The ending of a name is never believed: files are renamed, and servers unpack on the way.
//! Formats that can be put one behind the other are read to the end of the last part, as their own
//! tools do. A part that is damaged ends the stream with an error, after everything before it was
//! handed out.

use flate2::bufread::GzDecoder;
use lz4_flex::frame::FrameDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, possibly of several members.
    Gzip,
    /// Zstandard, possibly of several frames.
    Zstd,
    /// bzip2, possibly of several streams.
    Bzip2,
    /// LZ4, possibly of several frames.
    Lz4,
}

/// All ways to pack a file, in the order in which they are listed.
const PACKED: [Compression; 4] = [
    Compression::Gzip,
    Compression::Zstd,
    Compression::Bzip2,
    Compression::Lz4,
];

/// The endings of file names that stand for a compression.
pub const ENDINGS: [&str; PACKED.len()] = {
    let mut endings = [""; PACKED.len()];
    let mut at = 0;
    while at < PACKED.len() {
        endings[at] = PACKED[at].ending();
        at += 1;
    }
    endings
};

impl Compression {
    /// The ending of the names of files that are packed so, with its dot; empty for files that are not.
    pub const fn ending(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
            Compression::Bzip2 => ".bz2",
            Compression::Lz4 => ".lz4",
        }
    }

    /// Whether the first bytes of a file say that it is packed so.
    fn begins(self, head: &[u8]) -> bool {
        match self {
            Compression::None => false,
            Compression::Gzip => head.starts_with(&[0x1f, 0x8b]),
            Compression::Zstd => head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
            Compression::Bzip2 => matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', ..]),
            Compression::Lz4 => head.starts_with(&[0x04, 0x22, 0x4d, 0x18]),
        }
    }
}

/// The name of a file without the ending of its compression.
pub fn without_ending(name: &str) -> &str {
    let plain = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending));
    plain.unwrap_or(name)
}

/// The compression by the first bytes of a file.
pub fn by_magic(head: &[u8]) -> Compression {
    let found = PACKED.into_iter().find(|packed| packed.begins(head));
    found.unwrap_or(Compression::None)
}

/// Opens a file for reading its content, unpacked.
pub fn open(path: &Path) -> io::Result<(Compression, Box<dyn Read + Send>)> {
    unpack(Box::new(File::open(path)?))
}

/// Unpacks whatever a reader gives.
pub fn unpack(
    mut reader: Box<dyn Read + Send>,
) -> io::Result<(Compression, Box<dyn Read + Send>)> {
    // A file of fewer bytes is not packed; its bytes are put back before the rest.
    let mut head = Vec::with_capacity(4);
    reader.by_ref().take(4).read_to_end(&mut head)?;
    let compression = by_magic(&head);
    let whole = Cursor::new(head).chain(reader);
    let buffered = BufReader::with_capacity(1 << 18, whole);
    let unpacked: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(buffered),
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered)),
        Compression::Zstd => {
            Box::new(zstd::stream::read::Decoder::with_buffer(buffered)?)
        }
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered)),
        Compression::Lz4 => Box::new(Lz4Frames::new(buffered)),
    };
    Ok((compression, unpacked))
}

/// Where the members of a gzip file begin, in the unpacked file: in archives each record is
/// a member of its own.
#[derive(Debug, Clone, Default)]
pub struct MemberStarts(Arc<Mutex<Vec<u64>>>);

impl MemberStarts {
    /// The places, in ascending order.
    fn places(&self) -> MutexGuard<'_, Vec<u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a member begins at a place that has been read.
    pub fn begins_at(&self, place: u64) -> bool {
        self.places().binary_search(&place).is_ok()
    }

    /// Forgets all places before this one.
    pub fn discard(&self, to: u64) {
        let mut places = self.places();
        let before = places.partition_point(|&place| place < to);
        places.drain(..before);
    }
}

/// Unpacks whatever a reader gives, and notes where gzip members begin.
pub fn unpack_members(
    mut reader: Box<dyn Read + Send>,
) -> io::Result<(Box<dyn Read + Send>, MemberStarts)> {
    let members = MemberStarts::default();
    let mut head = Vec::with_capacity(4);
    reader.by_ref().take(4).read_to_end(&mut head)?;
    let compression = by_magic(&head);
    let whole = Box::new(Cursor::new(head).chain(reader));
    if compression != Compression::Gzip {
        return Ok((unpack(whole)?.1, members));
    }
    // Only gzip is stored by member in archives; other compressions are read as one stream.
    members.places().push(0);
    let buffered = BufReader::with_capacity(1 << 18, whole);
    let unpacked = GzipMembers {
        decoder: Some(GzDecoder::new(buffered)),
        unpacked: 0,
        members: members.clone(),
    };
    Ok((Box::new(unpacked), members))
}

/// Gzip members one after the other.
struct GzipMembers<R: BufRead> {
    /// None after the last member, or after a fault.
    decoder: Option<GzDecoder<R>>,
    /// Bytes given out by all members so far.
    unpacked: u64,
    members: MemberStarts,
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        // An error leaves `decoder` empty, so a later read is the end and not the same error
        // again.
        while let Some(mut decoder) = self.decoder.take() {
            let read = decoder.read(buffer)?;
            if read > 0 {
                self.unpacked += read as u64;
                self.decoder = Some(decoder);
                return Ok(read);
            }
            // The member is complete and its checksum was right. What follows must be another member: bytes
            // that are none are reported as an error and not dropped, since they may be damaged text.
            let mut rest = decoder.into_inner();
            if !rest.fill_buf()?.is_empty() {
                self.members.places().push(self.unpacked);
                self.decoder = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// LZ4 frames one after the other, each with a new decoder: `lz4_flex` 0.14 goes on after
/// a frame, but trips over its own check when the next one has smaller blocks.
struct Lz4Frames<R: BufRead>(Option<FrameDecoder<NoEnd<R>>>);

impl<R: BufRead> Lz4Frames<R> {
    /// Begins with the first frame.
    fn new(reader: R) -> Self {
        Lz4Frames(Some(FrameDecoder::new(NoEnd(reader))))
    }
}

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(mut decoder) = self.0.take() {
            let read = decoder.read(buffer)?;
            if read > 0 {
                self.0 = Some(decoder);
                return Ok(read);
            }
            // A frame is complete; what follows must be another one.
            let mut rest = decoder.into_inner();
            if !rest.0.fill_buf()?.is_empty() {
                self.0 = Some(FrameDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// A reader whose end is a fault. Within a frame it is one, but the decoder takes an end
/// between two blocks for the end of the frame, and a file that was cut off there would
/// pass for a whole one.
struct NoEnd<R>(R);

impl<R: Read> Read for NoEnd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => Err(io::Error::other("the LZ4 frame has no end")),
            read => Ok(read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn lz4(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let (compression, mut reader) = unpack(Box::new(Cursor::new(bytes)))?;
        assert_eq!(compression, Compression::Lz4);
        let mut out = Vec::new();
        reader.read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn lz4_frames_are_read_one_after_the_other() {
        let text = b"some words and some more words ".repeat(20_000);
        let frames = [lz4(&text), lz4(b""), lz4(b"end")].concat();
        let expected = [&text[..], b"end"].concat();
        assert_eq!(unpacked(frames).unwrap(), expected);
    }

    #[test]
    fn a_cut_lz4_file_is_a_fault_wherever_it_is_cut() {
        // Two blocks of data that cannot be packed, the second small.
        let noise = |seed: u32| seed.wrapping_mul(2_654_435_761).to_be_bytes()[0];
        let text: Vec<u8> = (0..70_000).map(noise).collect();
        let first = lz4(&text);
        let whole = [&first[..], &lz4(b"end")].concat();
        let cuts = (first.len() - 8..whole.len()).chain((4..first.len()).step_by(997));
        for len in cuts.filter(|&len| len != first.len()) {
            assert!(unpacked(whole[..len].to_vec()).is_err(), "{len}");
        }
        assert_eq!(unpacked(first).unwrap(), text);
    }
}
