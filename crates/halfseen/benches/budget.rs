//! Times the budgeted learners per example, beside plain dense loops in the same run.
//!
//!     cargo bench -p halfseen --bench budget
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::budget::{AskTell, Query};
use halfseen::data::{Examples, Layout, Matrix, Scaler};
use halfseen::learner::with;
use halfseen::registry::find;
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Learner, Silent};
use ndarray::Array2;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// Cells of the data, in bytes as images come: 16 MB at d = 784, 268 MB beyond.
const CELLS: usize = 1 << 28;
/// Repetitions; the median is printed.
const REPEATS: usize = 7;

struct Bench {
    matrix: Matrix,
    layout: Arc<Layout>,
    targets: Vec<f64>,
    rows: Vec<u32>,
}

impl Bench {
    fn new(d: usize, examples: usize) -> Bench {
        let n = (CELLS / d).min(examples);
        let mut stream = Stream::new(1, Purpose::Data, d as u64);
        // A fifth of the cells differ from zero, as in images of digits.
        let cell = |word: u64| if word.is_multiple_of(5) { (word >> 56) as u8 } else { 0 };
        let cells: Vec<u8> = (0..n * d).map(|_| cell(stream.word())).collect();
        let targets = (0..n).map(|_| if stream.unit() < 0.5 { -1.0 } else { 1.0 }).collect();
        Bench {
            matrix: Matrix::U8(Array2::from_shape_vec((n, d), cells).unwrap()),
            layout: Arc::new(Layout::singletons(d)),
            targets,
            rows: (0..examples).map(|i| (i % n) as u32).collect(),
        }
    }

    fn examples(&self) -> Examples<'_> {
        Examples::new(&self.matrix, &Scaler::Common { divisor: 255.0 }, &self.layout, &self.targets)
            .with_rows(&self.rows)
    }
}

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

/// The whole pass of a learner minus what it costs to set it up and to write its model, O(d) each.
fn lazy(bench: &Bench, learner: &dyn Learner) -> (f64, f64) {
    let mut best: Vec<f64> = (0..REPEATS).map(|_| lazy_once(bench, learner)).collect();
    best.sort_unstable_by(f64::total_cmp);
    (best[REPEATS / 2], best[0])
}

fn lazy_once(bench: &Bench, learner: &dyn Learner) -> f64 {
    let examples = bench.examples();
    let mut running = learner.start(&bench.layout).unwrap().unwrap();
    let (mut query, mut values) = (Query::default(), Vec::new());
    let began = Instant::now();
    for i in 0..examples.len() {
        step(&mut *running, &examples, i, &mut query, &mut values);
    }
    let nanoseconds = began.elapsed().as_nanos() as f64 / examples.len() as f64;
    black_box(running.report());
    nanoseconds
}

/// The median of the ratios of two learners' times per example, run in turns.
fn ratio(bench: &Bench, learner: &dyn Learner, base: &dyn Learner) -> f64 {
    let mut ratios: Vec<f64> = (0..5 * REPEATS)
        .map(|_| {
            let time = |learner| lazy_once(bench, learner);
            time(learner) / time(base)
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn step(
    running: &mut dyn AskTell,
    examples: &Examples<'_>,
    i: usize,
    query: &mut Query,
    values: &mut Vec<f64>,
) {
    running.ask_into(query).unwrap();
    values.clear();
    for read in &query.reads {
        values.push(examples.value(i, examples.layout.column(read.panel as usize)));
    }
    running.tell(query, values, examples.target(i)).unwrap();
}

/// AERR as a careful programmer writes it first: the same draws, every vector dense.
fn dense_aerr(examples: &Examples<'_>, k: usize, radius: f64, step: f64) -> Vec<f64> {
    let d = examples.columns();
    let (mut w, mut sum) = (vec![0.0_f64; d], vec![0.0_f64; d]);
    let mut norm_square = 0.0;
    for i in 0..examples.len() {
        sum.iter_mut().zip(&w).for_each(|(s, w)| *s += w);
        let mut stream = Stream::new(0, Purpose::Query, i as u64);
        let mut phi = -examples.target(i);
        if norm_square > 0.0 {
            let mut rest = stream.unit() * norm_square;
            let found = w.iter().position(|w| {
                rest -= w * w;
                rest < 0.0
            });
            let j = found.unwrap_or(0);
            if w[j] != 0.0 {
                phi += norm_square * examples.value(i, j) / w[j];
            }
        }
        for _ in 0..k - 1 {
            let j = stream.below(d);
            w[j] -= step * phi * examples.value(i, j) * d as f64 / (k - 1) as f64;
        }
        norm_square = norm2(&w);
        if norm_square > radius * radius {
            let scale = radius / norm_square.sqrt();
            w.iter_mut().for_each(|w| *w *= scale);
            norm_square = radius * radius;
        }
    }
    sum
}

/// Squared norm in eight lanes, so that the compiler may use vector registers.
fn norm2(w: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let chunks = w.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().map(|v| v * v).sum();
    for chunk in chunks {
        for (lane, v) in lanes.iter_mut().zip(chunk) {
            *lane += v * v;
        }
    }
    lanes.iter().sum::<f64>() + rest
}

fn main() {
    println!("ns per example, median (least) of {REPEATS}; one thread");
    println!(
        "{:>8} {:>3} {:>18} {:>18} {:>18} {:>18} {:>8} {:>8} {:>8}",
        "d", "k", "aerr", "aelr", "aer", "dense aerr", "dense/aerr", "aelr/aerr", "aer/aerr"
    );
    let mut first = None;
    for d in [784, 10_000, 100_000, 1_000_000] {
        for k in [4, 56] {
            let examples = if k == 4 { 20_000 } else { 4_000 };
            let bench = Bench::new(d, examples);
            let budget = vec![("budget", k.to_string())];
            let run = |name: &str, extra: &[(&'static str, &str)]| {
                let mut setting = budget.clone();
                setting.extend(extra.iter().map(|(n, v)| (*n, (*v).to_owned())));
                lazy(&bench, &*with(find(name).unwrap(), &setting).unwrap())
            };
            let aerr = run("aerr", &[("horizon", "20000")]);
            let aelr = run("aelr", &[("horizon", "20000")]);
            let aer = run("aer", &[("horizon", "20000")]);
            let dense_examples = (4_000_000 / d).clamp(20, 4_000);
            let short = bench.examples().prefix(dense_examples);
            let dense = time(dense_examples, || {
                black_box(dense_aerr(&short, k, 2.0, 1e-4));
            });
            let show = |(median, least): (f64, f64)| format!("{median:.0} ({least:.0})");
            println!(
                "{d:>8} {k:>3} {:>18} {:>18} {:>18} {:>18} {:>8.1} {:>8.2} {:>8.2}",
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
    }
    println!("by moments over evenly, ratio of times per example (median of {})", 5 * REPEATS);
    for d in [784, 10_000] {
        let bench = Bench::new(d, 20_000);
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
    let bench = Bench::new(784, 20_000);
    let examples = bench.examples();
    for name in ["aerr", "aelr", "aer"] {
        let learner = find(name).unwrap();
        let (median, _) = time(examples.len(), || {
            black_box(learner.fit(&examples, &Silent).unwrap());
        });
        println!("whole fit of {name}, d = 784, k = 4: {median:.0} ns per example");
    }
}
