//! Runs as many fits at once as fit into the memory that the process may take together.
//!
//! Results do not depend on the number: each is computed by itself, and they are returned in order.

use super::task::Task;
use crate::error::Result;
use crate::learner::{Assignments, FitSize, Learner, with};
use crate::memory;
use rayon::prelude::*;

/// Returns the number of fits, of those learners with those settings to rows of the table, that fit
/// into memory together; at least 1, as a fit that does not fit alone is refused.
pub(super) fn at_once<'l>(
    learners: impl Iterator<Item = (&'l dyn Learner, &'l [Assignments])>,
    task: &Task<'_>,
) -> Result<usize> {
    let size = task.size();
    let mut most = 0.0_f64;
    for (learner, settings) in learners {
        let size = FitSize { settings: settings.len().max(1), ..size.clone() };
        most = most.max(learner.needed(&size).bytes);
        for setting in settings {
            most = most.max(with(learner.clone_box(), setting)?.needed(&size).bytes);
        }
    }
    // Each has an encoding of its own.
    let free = (memory::limit() as f64 - size.held).max(0.0);
    Ok(((free / (most + size.held).max(1.0)) as usize).max(1))
}

/// Maps items in parallel, at most `at_once` at a time; the results are in their order.
///
/// # Errors
/// That of the map.
pub(super) fn map_at_most<T: Sync, R: Send>(
    items: &[T],
    at_once: usize,
    map: impl Fn(usize, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let mut results = Vec::with_capacity(items.len());
    for part in items.chunks(at_once.max(1)) {
        let first = results.len();
        let one = |(at, item): (usize, &T)| map(first + at, item);
        results.extend(part.par_iter().enumerate().map(one).collect::<Result<Vec<R>>>()?);
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_run_at_once_than_allowed_and_the_order_stays() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        let items: Vec<usize> = (0..40).collect();
        for at_once in [0, 1, 3, 100] {
            let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let map = |at: usize, item: &usize| {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                // Work of its own, for which a thread could start another item.
                let sum: usize = (0..100).into_par_iter().sum();
                now.fetch_sub(1, Ordering::SeqCst);
                Ok((at, item + sum - 4950))
            };
            let results = pool.install(|| map_at_most(&items, at_once, map)).unwrap();
            assert_eq!(results, items.iter().map(|&i| (i, i)).collect::<Vec<_>>());
            assert!(most.into_inner() <= at_once.max(1), "{at_once}");
        }
    }
}
