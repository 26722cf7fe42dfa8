//! A file packed as the input is.
//!
//! Readers of the output expect the compression of the input, and file names carry it in their
//! extension. Gzip of WARC files has one member a record, which other tools use to jump to a
//! record: `begin_member` keeps these borders. Files are synced before the folder is renamed, so
//! that no complete result refers to files that a machine without power has lost.

use super::make_folder_of;
use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use lz4_flex::frame::FrameEncoder;
use neardupe_core::error::{Error, Result};
use neardupe_io::compress::Compression;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes gathered before they are handed to the system.
const BUFFER_BYTES: usize = 1 << 18;
/// The levels that the command line tools have by default.
const ZSTD_LEVEL: i32 = 3;

/// Every encoder writes into a buffer of this kind: encoders hand on small pieces.
type Out = BufWriter<File>;

/// A file that is written, packed.
pub(super) struct Packer {
    /// For messages.
    path: PathBuf,
    /// None only when packing failed.
    stage: Option<Stage>,
    /// Nothing was written to the open member.
    is_fresh: bool,
}

/// The encoder of the format. All but the plain one must be finished, or the file lacks its
/// end.
enum Stage {
    Plain(Out),
    Gzip(GzEncoder<Out>),
    Zstd(zstd::stream::write::Encoder<'static, Out>),
    Bzip2(BzEncoder<Out>),
    Lz4(Box<FrameEncoder<Out>>),
}

impl Stage {
    /// Begins a stream at the end of what was written.
    fn begin(out: Out, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Stage::Plain(out),
            Compression::Gzip => {
                Stage::Gzip(GzEncoder::new(out, flate2::Compression::default()))
            }
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
                // Zstandard has no checksum unless asked; gzip and bzip2 always have one.
                encoder.include_checksum(true)?;
                Stage::Zstd(encoder)
            }
            // The default of the tool is its best level.
            Compression::Bzip2 => {
                Stage::Bzip2(BzEncoder::new(out, bzip2::Compression::best()))
            }
            Compression::Lz4 => Stage::Lz4(Box::new(FrameEncoder::new(out))),
        })
    }

    /// Hands bytes to the encoder.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stage::Plain(out) => out.write_all(bytes),
            Stage::Gzip(out) => out.write_all(bytes),
            Stage::Zstd(out) => out.write_all(bytes),
            Stage::Bzip2(out) => out.write_all(bytes),
            Stage::Lz4(out) => out.write_all(bytes),
        }
    }

    /// Writes the end of the stream and gives back the file, to which another stream may be
    /// added.
    fn finish(self) -> io::Result<Out> {
        match self {
            Stage::Plain(out) => Ok(out),
            Stage::Gzip(out) => out.finish(),
            Stage::Zstd(out) => out.finish(),
            Stage::Bzip2(out) => out.finish(),
            // Lz4 has an error type of its own.
            Stage::Lz4(out) => out.finish().map_err(io::Error::other),
        }
    }
}

impl Packer {
    /// Creates the file and its folder; an existing file is replaced.
    pub(super) fn create(path: PathBuf, compression: Compression) -> Result<Self> {
        make_folder_of(&path)?;
        let begin = || {
            let out = BufWriter::with_capacity(BUFFER_BYTES, File::create(&path)?);
            Stage::begin(out, compression)
        };
        let stage = begin().map_err(|error| Error::io(&path, error))?;
        Ok(Packer {
            path,
            stage: Some(stage),
            is_fresh: true,
        })
    }

    /// Adds the path to an error of the system.
    fn refused(path: &Path) -> impl Fn(io::Error) -> Error {
        move |error| Error::io(path, error)
    }

    /// Begins a gzip member, unless one has just begun.
    ///
    /// Only gzip has members that readers depend on; the other formats are written as one stream.
    pub(super) fn begin_member(&mut self) -> Result<()> {
        if self.is_fresh {
            return Ok(());
        }
        self.is_fresh = true;
        if let Some(Stage::Gzip(encoder)) = self.stage.take_if(|it| it.is_gzip()) {
            let next = encoder
                .finish()
                .and_then(|out| Stage::begin(out, Compression::Gzip));
            self.stage = Some(next.map_err(Self::refused(&self.path))?);
        }
        Ok(())
    }

    /// Writes bytes to the open member. After an error nothing more can be written.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.is_fresh &= bytes.is_empty();
        match &mut self.stage {
            Some(stage) => stage.write(bytes).map_err(Self::refused(&self.path)),
            None => Err(Error::Internal("a file was closed".to_owned())),
        }
    }

    /// Writes what is left and makes sure it is on disk.
    pub(super) fn finish(mut self) -> Result<()> {
        let Some(stage) = self.stage.take() else {
            return Err(Error::Internal("a file was closed".to_owned()));
        };
        let finish = || {
            let file = stage.finish()?.into_inner();
            file.map_err(io::IntoInnerError::into_error)?.sync_data()
        };
        finish().map_err(Self::refused(&self.path))
    }
}

impl Stage {
    /// Whether members are of use.
    fn is_gzip(&self) -> bool {
        matches!(self, Stage::Gzip(_))
    }
}
