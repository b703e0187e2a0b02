//! Opens a file or bytes in memory, and decompresses gzip recognised by its first bytes.

use crate::error::{Error, ErrorKind, Result};
use flate2::read::MultiGzDecoder;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// Origin of data: a path, or bytes in memory with a name for messages.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    name: String,
    origin: Origin<'a>,
}

#[derive(Debug, Clone)]
enum Origin<'a> {
    Path(&'a Path),
    Bytes(Cow<'a, [u8]>),
}

impl<'a> Source<'a> {
    /// A file, gzipped or not.
    pub fn path(path: &'a Path) -> Self {
        Self { name: path.display().to_string(), origin: Origin::Path(path) }
    }

    /// Bytes in memory, gzipped or not; errors call them `name`.
    pub fn bytes(name: impl Into<String>, bytes: &'a [u8]) -> Self {
        Self { name: name.into(), origin: Origin::Bytes(Cow::Borrowed(bytes)) }
    }

    pub(crate) fn fail(&self, kind: ErrorKind) -> Error {
        Error::new(&self.name, kind)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Ensures that [`Source::open`] can be called twice, by reading pipes into memory.
    pub(crate) fn rewindable(self) -> Result<Self> {
        let Origin::Path(path) = self.origin else { return Ok(self) };
        let unreadable =
            |e: io::Error| Error::new(&self.name, ErrorKind::Unreadable { reason: e.to_string() });
        let kind = path.metadata().map_err(unreadable)?.file_type();
        if kind.is_file() || kind.is_dir() {
            return Ok(self);
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        Ok(Self { name: self.name, origin: Origin::Bytes(Cow::Owned(bytes)) })
    }

    /// Returns the raw content, for formats that need random access.
    #[cfg(feature = "parquet")]
    pub(crate) fn raw(&self) -> Result<Raw<'_>> {
        let unreadable = |e: io::Error| self.fail(ErrorKind::Unreadable { reason: e.to_string() });
        match &self.origin {
            Origin::Path(path) => File::open(path).map(Raw::File).map_err(unreadable),
            Origin::Bytes(bytes) => Ok(Raw::Bytes(bytes)),
        }
    }

    /// Opens the decompressed content at its start.
    pub(crate) fn open(&self) -> Result<Content<'_>> {
        let unreadable = |e: io::Error| self.fail(ErrorKind::Unreadable { reason: e.to_string() });
        let mut raw: Box<dyn Read + '_> = match &self.origin {
            Origin::Path(path) => Box::new(File::open(path).map_err(unreadable)?),
            Origin::Bytes(bytes) => Box::new(&bytes[..]),
        };
        let mut magic = Vec::with_capacity(2);
        raw.by_ref().take(2).read_to_end(&mut magic).map_err(unreadable)?;
        let gzip = magic == [0x1f, 0x8b];
        let whole = Cursor::new(magic).chain(raw);
        let reader: Box<dyn Read + '_> =
            if gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) };
        Ok(Content { source: self, reader, gzip })
    }
}

/// Content with random access.
#[cfg(feature = "parquet")]
pub(crate) enum Raw<'a> {
    File(File),
    Bytes(&'a [u8]),
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Source<'a> {
    fn from(path: &'a P) -> Self {
        Self::path(path.as_ref())
    }
}

/// Decompressed content of a source; its errors distinguish the disk from the compression.
pub(crate) struct Content<'a> {
    source: &'a Source<'a>,
    reader: Box<dyn Read + 'a>,
    gzip: bool,
}

impl Content<'_> {
    /// Reads until `buffer` is full or the content ends; returns the number of bytes read.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut read = 0;
        while read < buffer.len() {
            match self.reader.read(&mut buffer[read..]) {
                Ok(0) => break,
                Ok(n) => read += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(self.failed(&e)),
            }
        }
        Ok(read)
    }

    /// Appends at most `limit` bytes to `out`, which grows with the content and not with the limit.
    pub(crate) fn append(&mut self, limit: u64, out: &mut Vec<u8>) -> Result<()> {
        let read = self.reader.by_ref().take(limit).read_to_end(out);
        read.map(|_| ()).map_err(|e| self.failed(&e))
    }

    #[cfg(feature = "parquet")]
    pub(crate) fn is_gzip(&self) -> bool {
        self.gzip
    }

    pub(crate) fn fail(&self, kind: ErrorKind) -> Error {
        self.source.fail(kind)
    }

    fn failed(&self, e: &io::Error) -> Error {
        let text = e.to_string();
        // errors of the operating system have a number, those of the decompressor have none
        let from_gzip = self.gzip && e.raw_os_error().is_none();
        self.fail(if from_gzip {
            ErrorKind::BadGzip { problem: text }
        } else {
            ErrorKind::Unreadable { reason: text }
        })
    }
}
