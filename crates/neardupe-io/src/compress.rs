//! Compressed files, recognised by their first bytes.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

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
}

/// The endings of file names that tell of compression.
pub const ENDINGS: [&str; 3] = [".gz", ".zst", ".bz2"];

/// Tells the compression from the first bytes of a file.
pub fn by_magic(head: &[u8]) -> Compression {
    match head {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => Compression::Bzip2,
        _ => Compression::None,
    }
}

/// Opens a file for reading its content, unpacked.
pub fn open(path: &Path) -> io::Result<(Compression, Box<dyn Read + Send>)> {
    unpack(Box::new(File::open(path)?))
}

/// Unpacks whatever a reader gives.
pub fn unpack(
    mut reader: Box<dyn Read + Send>,
) -> io::Result<(Compression, Box<dyn Read + Send>)> {
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
    };
    Ok((compression, unpacked))
}
