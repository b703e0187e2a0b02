//! Times the robust linear program on the digits 4 and 7: whole and in chunks.
//!
//!     cargo bench -p halfseen-io --bench robust_lp -- MNIST [rows=1000,12705] [columns=784] [threads=1] [csv=FILE] [NAME=VALUE]...
//!
//! MNIST is a folder of IDX files, as scripts/get-mnist.sh writes them; columns are those of the largest
//! variance; csv writes the rows for scripts/compare-robust-lp.py, which solves them with HiGHS;
//! NAME=VALUE are parameters of robust-lp. CPU seconds are those of all threads of this process, as
//! counted by Linux.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::data::{Examples, Labels, Layout, Matrix, Scaler};
use halfseen::sampling::{Purpose, Stream, shuffle};
use halfseen::{Learner, Silent};
use ndarray::Array2;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let (settings, folders): (Vec<_>, Vec<_>) = arguments.iter().partition(|a| a.contains('='));
    let Some(folder) = folders.first() else {
        println!(
            "skipped: name the folder of MNIST's files, as in cargo bench --bench robust_lp -- mnist"
        );
        return;
    };
    let mut learner = halfseen::registry::find("robust-lp").unwrap();
    learner.set("threat", "10").unwrap();
    let (mut sizes, mut threads, mut columns, mut csv) =
        (vec![200, 500, 1000, 2000, 12_705], 0, 784, None);
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap();
        match name {
            "rows" => sizes = value.split(',').map(|n| n.parse().unwrap()).collect(),
            "columns" => columns = value.parse().unwrap(),
            "csv" => csv = Some(value),
            "threads" => threads = value.parse().unwrap(),
            _ => learner.set(name, value).unwrap(),
        }
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap();
    let data = Digits::read(Path::new(folder));
    let mut digits: Vec<usize> =
        (0..data.labels.len()).filter(|&i| [4, 7].contains(&data.labels[i])).collect();
    shuffle(&mut Stream::new(0, Purpose::Split, 0), &mut digits);
    println!(
        "{:>6} {:>6} {:>8} {:>14} {:>9} {:>9} {:>9} {:>9}  stop",
        "rows", "passes", "errors", "objective", "gap/obj", "seconds", "CPU s", "peak MiB"
    );
    let kept = widest(&data, &digits, columns);
    for rows in sizes {
        let rows = &digits[..rows.min(digits.len())];
        if let Some(path) = csv {
            write(path, &data, rows, &kept);
        }
        run(&*learner, &data, rows, &kept);
    }
}

/// All images of MNIST, those of training first.
struct Digits {
    images: Array2<u8>,
    labels: Vec<u8>,
}

impl Digits {
    fn read(folder: &Path) -> Digits {
        let all = |kind: &str, header: usize| -> Vec<u8> {
            let file =
                |part: &str| std::fs::read(folder.join(format!("{part}-{kind}-ubyte"))).unwrap();
            ["train", "t10k"].iter().flat_map(|part| file(part).split_off(header)).collect()
        };
        let labels = all("labels-idx1", 8);
        let images = Array2::from_shape_vec((labels.len(), 784), all("images-idx3", 16)).unwrap();
        Digits { images, labels }
    }
}

/// Returns the columns of the largest variance, in their order.
fn widest(data: &Digits, rows: &[usize], count: usize) -> Vec<usize> {
    let variance = |column: usize| {
        let cells = || rows.iter().map(|&i| f64::from(data.images[[i, column]]));
        let mean = cells().sum::<f64>() / rows.len() as f64;
        cells().map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    let mut columns: Vec<(f64, usize)> =
        (0..data.images.ncols()).map(|j| (variance(j), j)).collect();
    columns.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut kept: Vec<usize> = columns.into_iter().take(count).map(|c| c.1).collect();
    kept.sort_unstable();
    kept
}

/// Writes one row per line: -1 or +1, and the pixels over 255.
fn write(path: &str, data: &Digits, rows: &[usize], columns: &[usize]) {
    let line = |&i: &usize| {
        let cells: Vec<String> =
            columns.iter().map(|&j| (f64::from(data.images[[i, j]]) / 255.0).to_string()).collect();
        format!("{},{}\n", if data.labels[i] == 7 { 1 } else { -1 }, cells.join(","))
    };
    std::fs::write(path, rows.iter().map(line).collect::<String>()).unwrap();
}

fn run(learner: &dyn Learner, data: &Digits, rows: &[usize], columns: &[usize]) {
    let matrix =
        Matrix::U8(data.images.select(ndarray::Axis(0), rows).select(ndarray::Axis(1), columns));
    let codes: Vec<u32> = rows.iter().map(|&i| u32::from(data.labels[i] == 7)).collect();
    let targets: Vec<f64> = codes.iter().map(|&code| 2.0 * f64::from(code) - 1.0).collect();
    let layout = Arc::new(Layout::singletons(matrix.columns()));
    let examples = Examples {
        matrix: &matrix,
        scaler: &Scaler::Common { divisor: 255.0 },
        layout: &layout,
        targets: &targets,
        labels: Some(Labels { codes: &codes, classes: 2 }),
        rows: (0..rows.len() as u32).collect::<Vec<_>>().into(),
        weights: None,
        moments: None,
        declared: Default::default(),
        pilot: None,
    };
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let fit = learner.fit(&examples, &Silent).unwrap();
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let linear = fit.predictor.linear().unwrap();
    let wrong = |i: usize| {
        let score: f64 =
            (0..examples.columns()).map(|j| linear.weights[j] * examples.value(i, j)).sum();
        (score + linear.intercept) * examples.target(i) <= 0.0
    };
    let (objective, gap) = (fit.report.objective.unwrap(), fit.report.gap.unwrap());
    println!(
        "{:>6} {:>6} {:>8} {objective:>14.9} {:>9.1e} {seconds:>9.2} {cpu:>9.2} {:>9.0}  {}",
        rows.len(),
        fit.report.passes.unwrap(),
        (0..rows.len()).filter(|&i| wrong(i)).count(),
        gap / objective,
        peak_mebibytes(),
        fit.report.stop
    );
}

/// Returns user and system time of this process; 100 ticks a second.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    fields
        .get(11..13)
        .map_or(f64::NAN, |t| t.iter().map(|t| t.parse::<f64>().unwrap()).sum::<f64>() / 100.0)
}

/// Returns the peak memory of this process.
fn peak_mebibytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(f64::NAN, |kib| kib / 1024.0)
}
