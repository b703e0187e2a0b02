//! Measures what halfseen's users wait for beside plain code in the same run, as ratios of times.
//!
//!     cargo bench -p halfseen-bench --bench ratios                 writes the table of BENCHMARKS.md
//!     cargo bench -p halfseen-bench --bench ratios -- --check      compares with it, and writes nothing
//!
//! Absolute times depend on the machine and on what else it does; ratios of work in turns do less.
//! All runs on one thread, on data that stay in the caches: how many cores are free, and how fast pages
//! and lines of memory come, is the machine's affair.
//! Ratios differ between processors, and each has a table of its own, with the median of five
//! measurements. `--check` fails where a ratio is more than 1.5 times that of the table, five times in
//! a row; on a processor without a table, that of its name or the largest of any.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

use faer::Mat;
use halfseen::Silent;
use halfseen::data::{Examples, Layout, Matrix, Scaler, Threat};
use halfseen::kernel::gram::gram;
use halfseen::kernel::{Kernel, Masked};
use halfseen::learner::with;
use halfseen::params::Normalization;
use halfseen::registry::find;
use halfseen::robust::{RobustHinge, Rows};
use halfseen::sampling::{Purpose, Stream};
use halfseen::solve::{multiplied, ridge::Spectrum};
use halfseen_bench::{Pair, Ratio, Steps, Table, dense_aerr, parse_cells};
use halfseen_io::{CsvOptions, Source, read_csv};
use ndarray::Array2;
use rayon::ThreadPoolBuilder;
use std::fmt::Write;
use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Rounds in which both sides of a pair take a turn.
const ROUNDS: usize = 9;
/// Largest ratio of a ratio to the committed one.
const WORSE: f64 = 1.5;
/// Times that a ratio is measured: for the table, and before it counts as worse.
const TRIES: usize = 5;
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../BENCHMARKS.md");

fn main() -> ExitCode {
    ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    let check = std::env::args().any(|word| word == "--check");
    let text = std::fs::read_to_string(FILE).unwrap();
    let processor = processor();
    let committed =
        Table::read(&text, &processor).expect("BENCHMARKS.md has the marks of the tables");
    let mut pairs = pairs();
    if !check {
        let ratios: Vec<Ratio> = pairs.iter_mut().map(median).collect();
        std::fs::write(FILE, Table::replaced(&text, &ratios, &measured(), &processor).unwrap())
            .unwrap();
        return ExitCode::SUCCESS;
    }
    let mut worse = Vec::new();
    for pair in &mut pairs {
        let Some(before) = committed.iter().find(|row| row.what == pair.what) else {
            worse.push(format!("{} is not in the table of BENCHMARKS.md: measure it", pair.what));
            continue;
        };
        let allowed = WORSE * before.ratio;
        let tries = (0..TRIES).map(|_| shown(pair.measure(ROUNDS)).ratio);
        if tries.take_while(|ratio| *ratio > allowed).count() == TRIES {
            worse.push(format!("{}: more than {WORSE} times {:.3}", pair.what, before.ratio));
        }
    }
    worse.iter().for_each(|line| eprintln!("slower than it was: {line}"));
    if worse.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Measures a pair several times.
fn median(pair: &mut Pair) -> Ratio {
    let mut ratios: Vec<Ratio> = (0..TRIES).map(|_| shown(pair.measure(ROUNDS))).collect();
    ratios.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    ratios.swap_remove(TRIES / 2)
}

fn shown(ratio: Ratio) -> Ratio {
    println!("{:>8.3}  {}, beside {}", ratio.ratio, ratio.what, ratio.beside);
    ratio
}

/// Names the processor, by which ratios differ, with its family and model: several have one name.
fn processor() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let of = |what: &str| {
        let mut lines = cpu.lines().filter_map(|line| line.split_once(':'));
        lines.find_map(|(key, value)| (key.trim() == what).then(|| value.trim().to_owned()))
    };
    let name = of("model name").unwrap_or_else(|| "unknown".to_owned());
    match of("cpu family").zip(of("model")) {
        Some((family, model)) => format!("{name}, family {family}, model {model}"),
        None => name,
    }
}

/// Says at which commit, when and on how many cores.
fn measured() -> String {
    let git = |words: &[&str]| {
        let out = Command::new("git").args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        out.map_or_else(|_| String::new(), |out| String::from_utf8_lossy(&out.stdout).into_owned())
    };
    let changed = if git(&["status", "--porcelain"]).is_empty() { "" } else { " with changes" };
    let commit = git(&["rev-parse", "--short", "HEAD"]);
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let date = chrono::DateTime::from_timestamp(now as i64, 0).unwrap().date_naive();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{date}, commit {}{changed}, {cores} cores", commit.trim())
}

fn pairs() -> Vec<Pair> {
    [steps(), readers(), adversary(), holes(), fits()].into_iter().flatten().collect()
}

/// Steps of budgeted learners beside a dense loop, and beside one another.
fn steps() -> Vec<Pair> {
    let dense = |steps: &Rc<Steps>, k: usize, examples: usize| {
        let steps = Rc::clone(steps);
        move || {
            let short = steps.examples().prefix(examples);
            let began = Instant::now();
            black_box(dense_aerr(&short, k, 2.0, 1e-4));
            began.elapsed().as_nanos() as f64 / examples as f64
        }
    };
    let told = |steps: &Rc<Steps>, name: &'static str, k: usize| {
        let (steps, learner) = (Rc::clone(steps), Steps::learner(name, k).unwrap());
        move || steps.asked_and_told(&*learner).unwrap()
    };
    let batch = |steps: &Rc<Steps>, name: &'static str, k: usize| {
        let (steps, learner) = (Rc::clone(steps), Steps::learner(name, k).unwrap());
        move || steps.batch(&*learner).unwrap()
    };
    let pair = |what, beside, ours: Box<dyn FnMut() -> f64>, theirs: Box<dyn FnMut() -> f64>| {
        Pair { what, beside, ours, theirs }
    };
    let cells = 1 << 18;
    let few = Rc::new(Steps::new(784, 10_000, cells));
    let wide = Rc::new(Steps::new(100_000, 2_000, cells));
    let loop_of = "a dense loop with the same draws";
    vec![
        pair(
            "step of aerr in a fit, d = 784, k = 4",
            loop_of,
            Box::new(batch(&few, "aerr", 4)),
            Box::new(dense(&few, 4, 4_000)),
        ),
        pair(
            "the same by ask and tell",
            loop_of,
            Box::new(told(&few, "aerr", 4)),
            Box::new(dense(&few, 4, 4_000)),
        ),
        pair(
            "step of aerr in a fit, d = 784, k = 56",
            loop_of,
            Box::new(batch(&few, "aerr", 56)),
            Box::new(dense(&few, 56, 4_000)),
        ),
        pair(
            "step of aerr in a fit, d = 100,000, k = 4",
            "one at d = 784",
            Box::new(batch(&wide, "aerr", 4)),
            Box::new(batch(&few, "aerr", 4)),
        ),
        pair(
            "step of aelr in a fit, d = 784, k = 4",
            "one of aerr",
            Box::new(batch(&few, "aelr", 4)),
            Box::new(batch(&few, "aerr", 4)),
        ),
        pair(
            "step of aer in a fit, d = 784, k = 4",
            "one of aerr",
            Box::new(batch(&few, "aer", 4)),
            Box::new(batch(&few, "aerr", 4)),
        ),
    ]
}

/// CSV beside a plain loop over the `csv` crate.
fn readers() -> Vec<Pair> {
    let csv = |what, columns: usize, rows: usize, cell: fn(&mut Stream) -> String| {
        let mut stream = Stream::new(1, Purpose::Data, columns as u64);
        let mut text = String::from("y");
        (0..columns).for_each(|c| write!(text, ",x{c}").unwrap());
        for _ in 0..rows {
            text.push_str("\n1");
            (0..columns).for_each(|_| write!(text, ",{}", cell(&mut stream)).unwrap());
        }
        let text = Rc::new(text);
        let theirs = Rc::clone(&text);
        let read =
            move || read_csv(Source::bytes("t", text.as_bytes()), &CsvOptions::default()).unwrap();
        Pair::of_work(what, "cells of the csv crate, parsed", read, move || parse_cells(&theirs))
    };
    let pixel = |stream: &mut Stream| match stream.below(5) {
        0 => stream.below(256).to_string(),
        _ => "0".to_owned(),
    };
    vec![
        csv("CSV of pixels", 784, 1_000, pixel),
        csv("CSV of decimals", 50, 10_000, |stream| {
            format!("{:.6}", 200.0 * stream.unit() - 100.0)
        }),
    ]
}

/// Loss of a row under the worst deletions beside its score.
fn adversary() -> Vec<Pair> {
    const SIZE: (usize, usize) = (60, 784);
    const PASSES: usize = 10;
    let mut stream = Stream::new(1, Purpose::Data, 0);
    let weights: Rc<Vec<f64>> =
        Rc::new((0..SIZE.1).map(|_| stream.normal().clamp(-1.0, 1.0)).collect());
    let cells = Array2::from_shape_simple_fn(SIZE, || stream.normal());
    let (layout, targets) = (Arc::new(Layout::singletons(SIZE.1)), vec![0.0; SIZE.0]);
    let pair = |what, count: f64| {
        let (matrix, plain) = (Matrix::F64(cells.clone()), cells.clone());
        let rows = Rows::new(&Examples::new(&matrix, &Scaler::None {}, &layout, &targets), "t");
        let (rows, weights) = (rows.unwrap(), Rc::clone(&weights));
        let threat = Threat::uniform(SIZE.1, count).unwrap();
        let theirs = Rc::clone(&weights);
        let ours = move || -> f64 {
            let hinge = RobustHinge { threat: &threat, margin: 0.01 * threat.left() };
            let mut room = hinge.scratch();
            let mut loss = |i| hinge.loss(&rows, i, 1.0, &weights, 0.0, &mut room).loss;
            (0..PASSES * SIZE.0).map(|i| loss(i % SIZE.0)).sum()
        };
        let score = move || {
            let dot = |row: &[f64]| row.iter().zip(&*theirs).map(|(x, w)| x * w).sum::<f64>();
            let pass =
                || plain.rows().into_iter().map(|row| dot(row.to_slice().unwrap())).sum::<f64>();
            (0..PASSES).map(|_| black_box(pass())).sum::<f64>()
        };
        Pair::of_work(what, "the scores of the rows", ours, score)
    };
    vec![pair("worst 10 deletions of 784", 10.0), pair("worst 100 deletions of 784", 100.0)]
}

/// Gram matrices of rows with holes, and the grid of kernel ridge.
fn holes() -> Vec<Pair> {
    let (n, d) = (500, 400);
    let mut stream = Stream::new(1, Purpose::Data, 1);
    let cells = Array2::from_shape_simple_fn((n, d), || {
        let value = stream.normal();
        if stream.unit() < 0.5 { value } else { f64::NAN }
    });
    let rows = Masked::from_rows(cells.view(), false).unwrap();
    let kernels: Vec<Kernel> = (1..=4)
        .map(|gamma| {
            let mut kernel = Kernel::new(gamma, None, Normalization::Trace, 1).unwrap();
            kernel.fit(&rows).unwrap();
            kernel
        })
        .collect();
    let values = rows.dense().values.to_owned();
    let products = move || [(); 2].map(|()| multiplied(values.transpose(), values.as_ref()));
    let points = Mat::from_fn(400, 200, |_, _| stream.normal());
    let matrix = Rc::new(multiplied(points.as_ref(), points.transpose()));
    let targets = Mat::from_fn(400, 1, |_, _| stream.normal());
    let alone = Rc::clone(&matrix);
    let grid = move || {
        let spectrum = Spectrum::new(matrix.as_ref().as_ref()).unwrap();
        (-5..=5)
            .map(|power| spectrum.solve(targets.as_ref(), 10_f64.powi(power)).unwrap())
            .collect::<Vec<_>>()
    };
    vec![
        Pair::of_work(
            "Gram matrices of degree 1 to 4, 500 x 400 with holes",
            "two products of matrices",
            move || gram(&kernels, &rows, &Silent).unwrap(),
            products,
        ),
        Pair::of_work(
            "kernel ridge, 400 rows, eleven C",
            "one eigendecomposition",
            grid,
            move || drop(black_box(Spectrum::new(alone.as_ref().as_ref()).unwrap())),
        ),
    ]
}

/// Whole fits beside second moments of all the cells.
fn fits() -> Vec<Pair> {
    let (n, d) = (4_000, 60);
    let mut stream = Stream::new(1, Purpose::Data, 2);
    // Four factors, so that attributes tell of one another.
    let loadings: Vec<[f64; 4]> = (0..d).map(|_| [(); 4].map(|()| stream.normal())).collect();
    let mut targets = Vec::new();
    let cells: Vec<f64> = (0..n)
        .flat_map(|_| {
            let factors = [(); 4].map(|()| stream.normal());
            targets.push(factors[0] + 0.5 * stream.normal());
            let cell = |l: &[f64; 4]| l.iter().zip(&factors).map(|(l, f)| l * f).sum::<f64>();
            loadings.iter().map(cell).collect::<Vec<_>>()
        })
        .collect();
    let cells = Array2::from_shape_vec((n, d), cells).unwrap();
    let (rows, mut sums) = (cells.clone(), vec![0.0; d * d]);
    let matrix = Matrix::F64(cells);
    let layout = Arc::new(Layout::singletons(d));
    let learner = with(find("fiml").unwrap(), &vec![("budget", "5".to_owned())]).unwrap();
    let fit = move || {
        let examples = Examples::new(&matrix, &Scaler::None {}, &layout, &targets);
        learner.fit(&examples, &Silent).unwrap()
    };
    // By plain loops: how fast a library's product is depends more on the processor.
    let plain = move || {
        for _ in 0..10 {
            sums.fill(0.0);
            for row in rows.rows() {
                let row = row.to_slice().unwrap();
                for (line, x) in sums.chunks_exact_mut(d).zip(row) {
                    line.iter_mut().zip(row).for_each(|(sum, y)| *sum += x * y);
                }
            }
        }
        black_box(sums[0])
    };
    vec![Pair::of_work(
        "fit of fiml, 4,000 x 60, k = 5",
        "second moments of all cells by plain loops, ten times",
        fit,
        plain,
    )]
}
