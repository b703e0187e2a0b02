//! Opens a file or bytes in memory, and decompresses gzip recognised by its first bytes.

use crate::error::{Error, ErrorKind, Result};
use crate::meter::Meter;
use flate2::read::MultiGzDecoder;
use halfseen::memory;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Number of bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// Origin of data: a path, standard input, or bytes in memory with a name for messages.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    name: String,
    origin: Origin<'a>,
    meter: Meter,
    /// Number of bytes read since the content was last opened, before decompression.
    read: Arc<AtomicU64>,
}

#[derive(Debug, Clone)]
enum Origin<'a> {
    Path(&'a Path),
    Bytes(&'a [u8]),
    Pipe(Arc<Mutex<Pipe>>),
}

/// Pipe whose bytes are kept as they are read, so that it can be read again from its start, until
/// it is opened for the last time.
struct Pipe {
    kept: Vec<u8>,
    rest: Box<dyn Read + Send>,
    meter: Meter,
    last: bool,
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipe").field("kept", &self.kept.len()).finish_non_exhaustive()
    }
}

impl Pipe {
    /// Reads bytes that start at `at`, which is at most the number of kept ones.
    fn read_at(&mut self, at: usize, buffer: &mut [u8]) -> io::Result<usize> {
        if at < self.kept.len() {
            return (&self.kept[at..]).read(buffer);
        }
        let read = self.rest.read(buffer)?;
        if self.last {
            self.meter.give_back(self.kept.capacity() as u64);
            self.kept = Vec::new();
            return Ok(read);
        }
        let room = self.meter.reserve(&mut self.kept, read, 0);
        room.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        self.kept.extend_from_slice(&buffer[..read]);
        Ok(read)
    }
}

/// Reads a pipe from its start.
struct Replay<'a> {
    pipe: &'a Mutex<Pipe>,
    at: usize,
}

impl Read for Replay<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let read = pipe.read_at(self.at, buffer)?;
        self.at += read;
        Ok(read)
    }
}

impl<'a> Source<'a> {
    /// A file, gzipped or not.
    pub fn path(path: &'a Path) -> Self {
        Self::new(path.display().to_string(), Origin::Path(path), Meter::default())
    }

    fn new(name: String, origin: Origin<'a>, meter: Meter) -> Self {
        Self { name, origin, meter, read: Arc::default() }
    }

    /// Bytes in memory, gzipped or not; errors call them `name`.
    pub fn bytes(name: impl Into<String>, bytes: &'a [u8]) -> Self {
        Self::new(name.into(), Origin::Bytes(bytes), Meter::default())
    }

    /// Standard input, gzipped or not.
    pub fn stdin() -> Source<'static> {
        Source::pipe("standard input".into(), Box::new(io::stdin()))
    }

    fn pipe(name: String, rest: Box<dyn Read + Send>) -> Self {
        let meter = Meter::default();
        let pipe = Pipe { kept: Vec::new(), rest, meter: meter.clone(), last: false };
        Self::new(name, Origin::Pipe(Arc::new(Mutex::new(pipe))), meter)
    }

    /// Returns the count of the bytes that the table of this source takes.
    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    pub(crate) fn fail(&self, kind: ErrorKind) -> Error {
        Error::new(&self.name, kind)
    }

    /// Keeps what is read from a pipe, also one that has a path, so that it can be read again from
    /// its start. Every reader but [`Batches`](crate::Batches), which borrows its source, does it.
    ///
    /// # Errors
    /// If the path cannot be read.
    pub fn rewindable(self) -> Result<Self> {
        let Origin::Path(path) = self.origin else { return Ok(self) };
        let unreadable =
            |e: io::Error| Error::new(&self.name, ErrorKind::Unreadable { reason: e.to_string() });
        let kind = path.metadata().map_err(unreadable)?.file_type();
        if kind.is_file() || kind.is_dir() {
            return Ok(self);
        }
        let file = File::open(path).map_err(unreadable)?;
        Ok(Self::pipe(self.name, Box::new(file)))
    }

    /// Returns the raw content, for formats that need random access.
    #[cfg(feature = "parquet")]
    pub(crate) fn raw(&self) -> Result<Raw> {
        let unreadable = |e: io::Error| self.fail(ErrorKind::Unreadable { reason: e.to_string() });
        match &self.origin {
            Origin::Path(path) => File::open(path).map(Raw::File).map_err(unreadable),
            Origin::Bytes(bytes) => Ok(Raw::Bytes(bytes.to_vec())),
            Origin::Pipe(pipe) => {
                io::copy(&mut Replay { pipe, at: 0 }, &mut io::sink()).map_err(|e| {
                    if e.kind() == io::ErrorKind::OutOfMemory {
                        self.fail(ErrorKind::PipeTooLong { limit: memory::limit() })
                    } else {
                        unreadable(e)
                    }
                })?;
                let mut pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(Raw::Bytes(std::mem::take(&mut pipe.kept)))
            }
        }
    }

    /// Returns the number of bytes read since the content was last opened, and of all; `None` for
    /// a pipe.
    pub(crate) fn progress(&self) -> Option<(u64, u64)> {
        let total = match &self.origin {
            Origin::Path(path) => path.metadata().ok()?.len(),
            Origin::Bytes(bytes) => bytes.len() as u64,
            Origin::Pipe(_) => return None,
        };
        Some((self.read.load(Ordering::Relaxed), total))
    }

    /// Opens the decompressed content as [`Source::open`] does, for the last time: what is read
    /// from a pipe is not kept from here on.
    pub(crate) fn open_last(&self) -> Result<Content<'_>> {
        if let Origin::Pipe(pipe) = &self.origin {
            pipe.lock().unwrap_or_else(PoisonError::into_inner).last = true;
        }
        self.open()
    }

    /// Opens the decompressed content at its start.
    pub(crate) fn open(&self) -> Result<Content<'_>> {
        let unreadable = |e: io::Error| self.fail(ErrorKind::Unreadable { reason: e.to_string() });
        let raw: Box<dyn Read + '_> = match &self.origin {
            Origin::Path(path) if path.is_dir() => return Err(self.fail(ErrorKind::Folder)),
            Origin::Path(path) => Box::new(File::open(path).map_err(unreadable)?),
            Origin::Bytes(bytes) => Box::new(*bytes),
            Origin::Pipe(pipe) => Box::new(Replay { pipe, at: 0 }),
        };
        self.read.store(0, Ordering::Relaxed);
        let mut raw = Counted { raw, read: &self.read };
        let mut magic = Vec::with_capacity(2);
        raw.by_ref().take(2).read_to_end(&mut magic).map_err(unreadable)?;
        let gzip = magic == [0x1f, 0x8b];
        let whole = Cursor::new(magic).chain(raw);
        let reader: Box<dyn Read + '_> =
            if gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) };
        Ok(Content { source: self, reader, gzip })
    }
}

/// Counts the bytes that are read.
struct Counted<'a> {
    raw: Box<dyn Read + 'a>,
    read: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.raw.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Content with random access.
#[cfg(feature = "parquet")]
pub(crate) enum Raw {
    File(File),
    Bytes(Vec<u8>),
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
        let mut chunk = vec![0; CHUNK];
        let mut left = limit;
        loop {
            let wanted = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
            let read = self.fill(&mut chunk[..wanted])?;
            self.source.meter.reserve(out, read, 0).map_err(|kind| self.fail(kind))?;
            out.extend_from_slice(&chunk[..read]);
            left -= read as u64;
            if read < CHUNK {
                return Ok(());
            }
        }
    }

    #[cfg(feature = "parquet")]
    pub(crate) fn is_gzip(&self) -> bool {
        self.gzip
    }

    pub(crate) fn fail(&self, kind: ErrorKind) -> Error {
        self.source.fail(kind)
    }

    fn failed(&self, e: &io::Error) -> Error {
        if e.kind() == io::ErrorKind::OutOfMemory {
            return self.fail(ErrorKind::PipeTooLong { limit: memory::limit() });
        }
        let text = e.to_string();
        // errors of the operating system have a number, those of the decompressor have none
        let from_gzip = self.gzip && e.raw_os_error().is_none();
        self.fail(if from_gzip {
            ErrorKind::Damaged { format: "gzip", problem: text }
        } else {
            ErrorKind::Unreadable { reason: text }
        })
    }
}
