//! Counts the bytes that a table takes while it is read, and refuses more than the process may take.

use crate::error::ErrorKind;
use halfseen::memory;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes taken by the parts of one table, compared with [`memory::limit`] before each growth.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter(Arc<AtomicU64>);

impl Meter {
    /// Counts bytes that are about to be taken after `rows` rows.
    pub(crate) fn take(&self, bytes: u64, rows: usize) -> Result<(), ErrorKind> {
        let limit = memory::limit();
        let needed = self.0.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if needed > limit {
            return Err(ErrorKind::TooMuchMemory { needed, rows, limit });
        }
        Ok(())
    }

    /// Counts bytes that are no longer taken.
    pub(crate) fn give_back(&self, bytes: u64) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Makes room for `more` entries. A buffer that grows is counted twice while it is copied.
    #[inline]
    pub(crate) fn reserve<T>(
        &self,
        buffer: &mut Vec<T>,
        more: usize,
        rows: usize,
    ) -> Result<(), ErrorKind> {
        if buffer.capacity() - buffer.len() >= more {
            Ok(())
        } else {
            self.grow(buffer, more, rows)
        }
    }

    /// Appends one entry.
    #[inline]
    pub(crate) fn push<T>(
        &self,
        buffer: &mut Vec<T>,
        entry: T,
        rows: usize,
    ) -> Result<(), ErrorKind> {
        self.reserve(buffer, 1, rows)?;
        buffer.push(entry);
        Ok(())
    }

    #[cold]
    fn grow<T>(&self, buffer: &mut Vec<T>, more: usize, rows: usize) -> Result<(), ErrorKind> {
        let (before, length) = (buffer.capacity(), buffer.len());
        let after = length.saturating_add(more).max(before.saturating_mul(2));
        let bytes = |entries: usize| (entries as u64).saturating_mul(size_of::<T>() as u64);
        self.take(bytes(after), rows)?;
        buffer.try_reserve_exact(after - length).map_err(|_| ErrorKind::TooMuchMemory {
            needed: bytes(after),
            rows,
            limit: memory::limit(),
        })?;
        self.give_back(bytes(before));
        Ok(())
    }
}
