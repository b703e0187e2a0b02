//! Makes the allocator return large blocks to the system as soon as they are free.
//!
//! glibc learns from freed blocks to keep ever larger ones (up to 32 MiB) in the arena of each
//! thread. Solvers that free and take several matrices per step then hold several times what they
//! use.

/// Bytes from which a block has pages of its own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 4 << 20;

/// Sets the size from which blocks are returned; to be called before other threads run.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub(crate) fn return_large_blocks() {
    // SAFETY: sets a number of the allocator, and no other thread runs yet.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Does nothing: other allocators have no such rule.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn return_large_blocks() {}
