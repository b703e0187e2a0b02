//! Times the budgeted learners per example, beside plain dense loops in the same run.
//!
//!     cargo bench -p halfseen-bench --bench budget              all sizes
//!     cargo bench -p halfseen-bench --bench budget -- 784 4     one number of attributes and of reads
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::learner::with;
use halfseen::registry::find;
use halfseen::{Learner, Silent};
use halfseen_bench::{Steps, dense_aerr};
use std::hint::black_box;
use std::time::Instant;

/// Repetitions; the median is printed.
const REPEATS: usize = 7;

/// Median and least nanoseconds per example.
fn time(examples: usize, mut run: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let began = Instant::now();
            run();
            began.elapsed().as_nanos() as f64 / examples as f64
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    (times[REPEATS / 2], times[0])
}

/// Median and least time per example of a learner that is asked and told.
fn lazy(bench: &Steps, learner: &dyn Learner) -> (f64, f64) {
    let mut times: Vec<f64> =
        (0..REPEATS).map(|_| bench.asked_and_told(learner).unwrap()).collect();
    times.sort_unstable_by(f64::total_cmp);
    (times[REPEATS / 2], times[0])
}

/// Median time per example of a batch.
fn batch(bench: &Steps, learner: &dyn Learner) -> f64 {
    let mut times: Vec<f64> = (0..REPEATS).map(|_| bench.batch(learner).unwrap()).collect();
    times.sort_unstable_by(f64::total_cmp);
    times[REPEATS / 2]
}

/// The median of the ratios of two learners' times per example, run in turns.
fn ratio(bench: &Steps, learner: &dyn Learner, base: &dyn Learner) -> f64 {
    let mut ratios: Vec<f64> = (0..5 * REPEATS)
        .map(|_| {
            let time = |learner| bench.asked_and_told(learner).unwrap();
            time(learner) / time(base)
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn main() {
    println!("ns per example, median (least) of {REPEATS}; one thread");
    println!(
        "{:>8} {:>3} {:>18} {:>8} {:>18} {:>18} {:>18} {:>8} {:>8} {:>8}",
        "d",
        "k",
        "aerr",
        "batch",
        "aelr",
        "aer",
        "dense aerr",
        "dense/aerr",
        "aelr/aerr",
        "aer/aerr"
    );
    let wanted: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let sizes = match wanted[..] {
        [d, k] => vec![(d, k)],
        _ => {
            [784, 10_000, 100_000, 1_000_000].into_iter().flat_map(|d| [(d, 4), (d, 56)]).collect()
        }
    };
    let mut first = None;
    for &(d, k) in &sizes {
        let examples = if k == 4 { 20_000 } else { 4_000 };
        let bench = Steps::new(d, examples, 1 << 28);
        let made = |name: &str| Steps::learner(name, k).unwrap();
        let run = |name: &str| lazy(&bench, &*made(name));
        let aerr = run("aerr");
        let batched = batch(&bench, &*made("aerr"));
        let aelr = run("aelr");
        let aer = run("aer");
        let dense_examples = (4_000_000 / d).clamp(20, 4_000);
        let short = bench.examples().prefix(dense_examples);
        let dense = time(dense_examples, || {
            black_box(dense_aerr(&short, k, 2.0, 1e-4));
        });
        let show = |(median, least): (f64, f64)| format!("{median:.0} ({least:.0})");
        println!(
            "{d:>8} {k:>3} {:>18} {batched:>8.0} {:>18} {:>18} {:>18} {:>8.1} {:>8.2} {:>8.2}",
            show(aerr),
            show(aelr),
            show(aer),
            show(dense),
            dense.0 / aerr.0,
            aelr.0 / aerr.0,
            aer.0 / aerr.0
        );
        if k == 4 {
            let at_784 = *first.get_or_insert(aerr.0);
            println!("{:>12} aerr at d = {d} over d = 784: {:.2}", "", aerr.0 / at_784);
        }
    }
    if sizes.len() == 1 {
        return;
    }
    println!("by moments over evenly, ratio of times per example (median of {})", 5 * REPEATS);
    for d in [784, 10_000] {
        let bench = Steps::new(d, 20_000, 1 << 28);
        // A fast decay, so that few attributes are read most of the time.
        let moments = (1..=d).map(|j| (1.0 / j as f64).to_string()).collect::<Vec<_>>().join(",");
        let made = |name: &str, settings: &[(&'static str, &str)]| {
            let setting = settings.iter().map(|(n, v)| (*n, (*v).to_owned())).collect();
            with(find(name).unwrap(), &setting).unwrap()
        };
        let common = [("budget", "4"), ("horizon", "20000")];
        for (name, base, extra) in [
            ("ddaerr", "aerr", &[("moments", &*moments)][..]),
            ("ddaerr", "aerr", &[("moments", &*moments), ("inner", "mixed")]),
            ("ddaerr", "aerr", &[("moments", "online")]),
            ("ddaerr-2p", "aerr", &[]),
            ("ddaelr", "aelr", &[("moments", &*moments)]),
            ("ddaelr", "aelr", &[("moments", &*moments), ("inner", "mixed")]),
            ("ddaelr-2p", "aelr", &[]),
        ] {
            let learner = made(name, &[&common[..], extra].concat());
            let shown = extra
                .iter()
                .map(|(n, v)| format!(" {n}={}", v.get(..6).unwrap_or(v)))
                .collect::<String>();
            println!(
                "{d:>8} {:>5.2}  {name}{shown} over {base}",
                ratio(&bench, &*learner, &*made(base, &common))
            );
        }
    }
    // The whole fit, with set-up, shuffling and the model, as `fit` does it.
    let bench = Steps::new(784, 20_000, 1 << 28);
    let examples = bench.examples();
    for name in ["aerr", "aelr", "aer"] {
        let learner = find(name).unwrap();
        let (median, _) = time(examples.len(), || {
            black_box(learner.fit(&examples, &Silent).unwrap());
        });
        println!("whole fit of {name}, d = 784, k = 4: {median:.0} ns per example");
    }
}
