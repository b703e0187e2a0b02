//! Measures the processor time of runs, which other programs disturb less than wall time.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Returns the seconds that the main thread has run, where Linux tells; elsewhere those gone by.
fn now() -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// Returns the seconds of one run.
pub(crate) fn seconds<T>(run: impl FnOnce() -> T) -> f64 {
    let start = now();
    drop(black_box(run()));
    now() - start
}

/// Returns the median of times.
pub(crate) fn median(seconds: &mut [f64]) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
