//! Says how much memory the process may take, so that what needs more is refused before it begins.
//!
//! One limit holds for the whole process: it is the process that the system ends when memory runs
//! out. Readers and learners compare it with what they are about to take.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The limit that was set; 0 if none was.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Returns the bytes that this process may take: those of [`set_limit`], or three quarters of what
/// the system has ([`available`]).
pub fn limit() -> u64 {
    match LIMIT.load(Ordering::Relaxed) {
        0 => available() / 4 * 3,
        set => set,
    }
}

/// Sets the bytes that this process may take; 0 restores the default.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Returns the bytes of memory that the system has, or fewer where the process (`ulimit -v`) or its
/// control group (a container) is limited to fewer. `u64::MAX` where the system does not say.
///
/// Asked of the system once.
pub fn available() -> u64 {
    static FOUND: OnceLock<u64> = OnceLock::new();
    *FOUND.get_or_init(ask_the_system)
}

fn ask_the_system() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |group| group.total_memory);
    let process = match of_process() {
        u64::MAX => u64::MAX,
        limit => limit - reserved(threads().unwrap_or_else(processors)).min(limit / 2),
    };
    [system.total_memory(), group, process].into_iter().filter(|&b| b > 0).min().unwrap_or(u64::MAX)
}

/// Starts the threads that compute, fewer than there are processors where the address space of the
/// process is limited (`ulimit -v`): they reserve at most half of it. A program calls this first.
///
/// # Errors
/// If threads run already, or the system gives none.
pub fn start_threads() -> Result<(), rayon::ThreadPoolBuildError> {
    let Some(threads) = threads() else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()
}

/// Returns the number of threads to compute with if limited address space allows fewer than there
/// are processors.
pub(crate) fn threads() -> Option<usize> {
    let all = processors();
    let most = (1..=all).rev().find(|&threads| reserved(threads) <= of_process() / 2);
    Some(most.unwrap_or(1)).filter(|most| *most < all)
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the address space that so many threads reserve and hardly use: for the allocator, and
/// again for routines of dense products. Two more threads wait for signals and for the others.
fn reserved(threads: usize) -> u64 {
    const EACH: u64 = 64 << 20;
    (2 * threads as u64 + 2) * EACH
}

/// Returns the limit of the process's address space, `u64::MAX` if there is none.
#[cfg(unix)]
fn of_process() -> u64 {
    let soft = |limit: rlimit::Resource| limit.get_soft().unwrap_or(u64::MAX);
    soft(rlimit::Resource::AS).min(soft(rlimit::Resource::DATA))
}

/// Returns no limit: only Unix has one.
#[cfg(not(unix))]
fn of_process() -> u64 {
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_three_quarters_of_what_the_system_has() {
        let total = available();
        assert!((64 << 20..=1 << 50).contains(&total), "{total}");
        assert_eq!(limit(), total / 4 * 3);
    }
}
