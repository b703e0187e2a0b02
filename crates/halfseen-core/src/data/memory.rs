//! Says how much memory the process may take, so that what needs more is refused before it begins.
//!
//! One limit holds for the whole process: it is the process that the system ends when memory runs
//! out. Readers and learners compare it with what they are about to take.

use crate::error::{ErrorKind, Result};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The limit that was set; 0 if none was.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// True once products of matrices were admitted.
static MULTIPLIES: AtomicBool = AtomicBool::new(false);

/// Returns the bytes that this process may take: those of [`set_limit`], or three quarters of what
/// the system has ([`available`]). Where the address space is limited (`ulimit -v`), and products of
/// matrices were admitted, it is no more than what these leave.
pub fn limit() -> u64 {
    match LIMIT.load(Ordering::Relaxed) {
        0 if MULTIPLIES.load(Ordering::Relaxed) => {
            (available() / 4 * 3).min(beside_products().unwrap_or(0))
        }
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
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(ask_the_system)
}

fn ask_the_system() -> u64 {
    let process = match of_process() {
        u64::MAX => u64::MAX,
        limit => limit - reserved_here().min(limit / 2),
    };
    let limits = [of_system(), of_group(), Some(process)].into_iter().flatten();
    limits.filter(|&bytes| bytes > 0).min().unwrap_or(u64::MAX)
}

/// Returns the bytes of memory of the machine.
#[cfg(target_os = "linux")]
fn of_system() -> Option<u64> {
    total_of(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// Reads the total of `/proc/meminfo`, which is in units of 1024 bytes.
#[cfg(any(target_os = "linux", test))]
fn total_of(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the bytes of memory of the machine.
#[cfg(windows)]
fn of_system() -> Option<u64> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    Some(system.total_memory())
}

/// Returns the bytes of memory of the machine.
#[cfg(not(any(target_os = "linux", windows)))]
fn of_system() -> Option<u64> {
    let asked = std::process::Command::new("/usr/sbin/sysctl").args(["-n", "hw.memsize"]).output();
    String::from_utf8(asked.ok()?.stdout).ok()?.trim().parse().ok()
}

/// Returns the limit of the control group of a container, by either version of its files; they are
/// on Linux only.
fn of_group() -> Option<u64> {
    let files = ["memory.max", "memory/memory.limit_in_bytes"];
    let read = |file| std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok();
    files.into_iter().find_map(read)?.trim().parse().ok()
}

/// Refuses what needs more bytes than the process may take, for so many rows and columns.
///
/// # Errors
/// [`ErrorKind::TooMuchMemory`], whose remedy is to use `remedy`.
pub fn admit(what: &str, (rows, columns): (usize, usize), bytes: f64, remedy: &str) -> Result<()> {
    let allowed = limit() as f64;
    if bytes <= allowed {
        return Ok(());
    }
    Err(ErrorKind::TooMuchMemory {
        learner: what.to_owned(),
        rows,
        columns,
        needed: bytes,
        allowed,
        widest: None,
        remedy: remedy.to_owned(),
    }
    .into())
}

/// Starts the threads that compute, fewer than there are processors where the address space of the
/// process is limited (`ulimit -v`): they reserve at most half of it. A program calls this first.
///
/// # Errors
/// If threads run already, or the system gives none.
pub fn start_threads() -> Result<(), rayon::ThreadPoolBuildError> {
    match threads(0) {
        0 => Ok(()),
        threads => rayon::ThreadPoolBuilder::new().num_threads(threads).build_global(),
    }
}

/// Returns the number of threads to compute with where so many are wanted, 0 for one per processor:
/// those, or fewer if limited address space allows fewer.
pub fn threads(wanted: usize) -> usize {
    let many = if wanted == 0 { processors() } else { wanted.min(rayon::max_num_threads()) };
    let half = of_process() / 2;
    match (1..=many).rev().find(|&threads| reserved(threads) <= half).unwrap_or(1) {
        most if most < many => most,
        _ => wanted,
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the bytes of address space that so many threads reserve and hardly use: for the allocator,
/// and again for products of matrices. Two more threads wait for signals and for the others; the
/// latter multiplies too.
pub fn reserved(threads: usize) -> u64 {
    const EACH: u64 = 64 << 20;
    (threads as u64 + 2) * EACH + (threads as u64 + 1) * EACH.max(cache().saturating_mul(2))
}

/// Returns the address space that the threads of this process reserve, if it has as many as it may.
fn reserved_here() -> u64 {
    reserved(match threads(0) {
        0 => processors(),
        threads => threads,
    })
}

/// Returns the address space that products of matrices leave, `u64::MAX` if it is not limited, none
/// if they have too little themselves.
fn beside_products() -> Option<u64> {
    match of_process() {
        u64::MAX => Some(u64::MAX),
        limit => limit.checked_sub(reserved_here()),
    }
}

/// Refuses products of matrices, by a learner or model, beside so many bytes, if the process has too
/// little address space for what they reserve.
///
/// # Errors
/// [`ErrorKind::LittleAddressSpace`].
pub(crate) fn room_for_products(what: &str, bytes: f64) -> Result<()> {
    if beside_products().is_some_and(|room| bytes <= room as f64) {
        MULTIPLIES.store(true, Ordering::Relaxed);
        return Ok(());
    }
    let (what, reserved, limit) = (what.to_owned(), reserved_here() as f64, of_process() as f64);
    Err(ErrorKind::LittleAddressSpace { what, needed: bytes, reserved, limit }.into())
}

/// Returns the bytes of the processors' last caches together: the routines of products
/// (private-gemm-x86, below faer) reserve twice as much for every thread. 0 where the system does
/// not say.
fn cache() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    let ask = || {
        let said = |name: &str| std::fs::read_to_string(format!("/sys/devices/system/cpu/{name}"));
        let last = |name| said(&format!("cpu0/cache/index3/{name}")).ok();
        let all = processors_of(&said("online").ok()?)?;
        let sharing = processors_of(&last("shared_cpu_list")?)?;
        Some(bytes_of(&last("size")?)?.saturating_mul(all) / sharing)
    };
    *BYTES.get_or_init(|| ask().unwrap_or(0))
}

/// Reads a size as the system writes it, such as 32768K.
fn bytes_of(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Counts the processors of a list as the system writes it, such as 0-3,8.
fn processors_of(text: &str) -> Option<u64> {
    text.trim()
        .split(',')
        .map(|item| {
            let (first, last) = item.split_once('-').unwrap_or((item, item));
            let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
            last.checked_sub(first)?.checked_add(1)
        })
        .sum()
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

    #[test]
    fn the_total_is_read_as_the_system_writes_it() {
        let text = "MemTotal:       16301024 kB\nMemFree:          123 kB\n";
        assert_eq!(total_of(text), Some(16_301_024 << 10));
        assert_eq!(total_of("MemFree: 7 kB\n"), None);
        assert_eq!(total_of("MemTotal: much kB\n"), None);
    }

    #[test]
    fn a_cache_is_read_as_the_system_writes_it() {
        assert_eq!(bytes_of("491520K\n"), Some(480 << 20));
        assert_eq!(bytes_of("32M"), Some(32 << 20));
        assert_eq!(bytes_of("7"), Some(7));
        assert_eq!(bytes_of("K"), None);
        assert_eq!(bytes_of("1T"), None);
        assert_eq!(bytes_of("99999999999999G"), None);
        assert_eq!(processors_of("0-3,8\n"), Some(5));
        assert_eq!(processors_of("2"), Some(1));
        assert_eq!(processors_of("3-2"), None);
        assert_eq!(processors_of(""), None);
    }

    #[test]
    fn who_wants_threads_has_them_where_nothing_is_limited() {
        assert_eq!([0, 1, 3, usize::MAX].map(threads), [0, 1, 3, usize::MAX]);
    }

    #[test]
    fn each_thread_reserves_more() {
        assert!(reserved(1) >= 5 * (64 << 20), "{}", reserved(1));
        assert!(reserved(3) - reserved(2) >= 2 * cache(), "{}", cache());
    }
}
