//! Counts allocations: asking and telling, and steps over the l1 ball, must need none once the
//! buffers have grown.
#![allow(clippy::unwrap_used, unsafe_code)] // helpers of tests are tests; an allocator is unsafe

mod common;

use common::{Data, singletons, started};
use halfseen::Silent;
use halfseen::budget::Query;
use halfseen::model::Stop;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Allocations of this thread: the test harness has threads of its own.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of(name: &str, settings: &[(&str, &str)]) -> u64 {
    let data = Data::random(500, &singletons(1000), 51);
    let moments =
        (1..=1000).map(|j| (1.0 / f64::from(j)).to_string()).collect::<Vec<_>>().join(",");
    let mut settings = [&[("average", "all"), ("budget", "4")], settings].concat();
    if common::learner(name, &[]).get("moments").is_some() {
        settings.push(("moments", &moments));
    }
    if common::keeps_reads(name) {
        // A new design is made after 5,000 and 10,000 answers, by a fit.
        settings.push(("design", "uniform"));
    }
    let mut learner = started(name, &settings, &data.layout);
    let (mut query, mut values) = (Query::default(), Vec::with_capacity(256));
    // Learners that keep the budget in expectation now and then ask for more than they have asked
    // for yet.
    query.reads.reserve(256);
    query.parts.reserve(256);
    let mut before = 0;
    for n in 0..10_500 {
        if n == 500 {
            before = COUNT.with(Cell::get);
        }
        learner.ask_into(&mut query).unwrap();
        values.clear();
        values.extend(query.reads.iter().map(|r| data.x[[n % 500, r.panel as usize]]));
        learner.tell(&query, &values, data.y[n % 500]).unwrap();
    }
    COUNT.with(Cell::get) - before
}

#[test]
fn ten_thousand_examples_allocate_nothing() {
    assert_ne!(COUNT.with(Cell::get), 0, "the counter counts");
    for name in common::budgeted() {
        for settings in [&[("horizon", "10500")][..], &[("centre", "none"), ("radius", "0.1")]] {
            let count = allocations_of(&name, settings);
            if common::keeps_reads(&name) {
                // Four lists that double.
                assert!(count <= 4 * 5, "{name}: {count}");
                continue;
            }
            assert_eq!(count, 0, "{name} {settings:?}");
        }
    }
    assert_eq!(
        allocations_of(
            "aesvr",
            &[("ball", "l1"), ("replacement", "true"), ("smoothing_width", "4")]
        ),
        0
    );
    assert_eq!(allocations_of("aerr", &[("replacement", "true")]), 0);
    assert_eq!(allocations_of("aelr", &[("replacement", "true"), ("step", "0.5")]), 0);
    assert_eq!(allocations_of("ddaelr", &[("replacement", "true"), ("inner", "mixed")]), 0);
    assert_eq!(allocations_of("ddaerr", &[("step_rule", "adagrad"), ("inner", "moments")]), 0);
}

/// Steps over the l1 ball, of which a fit makes many thousands.
#[test]
fn more_steps_of_a_fit_allocate_no_more() {
    for (name, settings) in [
        ("lasso", &[][..]),
        ("baseline", &[("moment_repair", "psd")]),
        ("baseline", &[("moment_repair", "stationary")]),
        ("baseline", &[("moment_repair", "diag-shift")]),
    ] {
        let data = Data::random(200, &singletons(40), 51);
        let allocations = |steps: &str| {
            let always = [("tol", "1e-30"), ("max_iter", steps)];
            let learner = common::learner(name, &[settings, &always].concat());
            let before = COUNT.with(Cell::get);
            let fit = learner.fit(&data.examples(), &Silent).unwrap();
            assert_eq!(fit.report.stop, Stop::IterationLimit, "{name} {settings:?}");
            COUNT.with(Cell::get) - before
        };
        // What a thread keeps.
        allocations("4");
        let [few, many] = ["8", "64"].map(allocations);
        // The list of corners with weight doubles.
        assert!(many <= few + 3, "{name} {settings:?}: {few} and {many}");
    }
}
