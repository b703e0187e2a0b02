//! Times certificates: rows like images of digits, 784 attributes, equal, whole and general values.
//!
//!     cargo bench -p halfseen --bench certify
//!
//! On all threads. The yardstick is predicting the same rows; runs alternate, and medians are
//! printed.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::data::{Declared, Examples, Layout, Matrix, Scaler, TargetScale, Threat};
use halfseen::model::Linear;
use halfseen::robust::{CertifiedClaim, certify};
use halfseen::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const REPEATS: usize = 5;
const ROWS: usize = 10_000;
const WIDTH: usize = 784;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

fn seconds<T>(run: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    black_box(run());
    began.elapsed().as_secs_f64()
}

fn main() {
    let mut stream = Stream::new(1, Purpose::Data, 0);
    let mut left = 0;
    let mut digit = || {
        if left == 0 && stream.unit() < 0.035 {
            left = 4 + stream.below(5);
        }
        left = usize::saturating_sub(left, 1);
        if left > 0 { 1 + stream.below(255) as u8 } else { 0 }
    };
    let sparse = Matrix::U8(Array2::from_shape_fn((ROWS, WIDTH), |_| digit()));
    let dense = Matrix::U8(Array2::from_shape_fn((ROWS, WIDTH), |_| stream.below(256) as u8));
    let weights: Vec<f64> = (0..WIDTH).map(|_| stream.normal().clamp(-1.0, 1.0)).collect();
    let information: Vec<f64> = (0..WIDTH).map(|_| stream.normal().abs()).collect();
    let whole: Vec<f64> = (0..WIDTH).map(|_| stream.below(6) as f64).collect();
    let layout = Arc::new(Layout::singletons(WIDTH));
    let scaler = Scaler::Common { divisor: 255.0 };
    println!(
        "{ROWS} rows x {WIDTH}, {} threads; seconds (times a prediction of all rows)",
        rayon::current_num_threads()
    );
    for (name, matrix) in [("digits", &sparse), ("dense", &dense)] {
        let examples = Examples {
            matrix,
            scaler: &scaler,
            layout: &layout,
            targets: &[],
            labels: None,
            rows: (0..ROWS as u32).collect::<Vec<_>>().into(),
            weights: None,
            moments: None,
            declared: Declared::default(),
            pilot: None,
        };
        let plain =
            Linear { weights: weights.clone(), intercept: 0.0, fill: vec![0.0; WIDTH], clip: None };
        let mut scores = plain.scores(&examples);
        scores.sort_unstable_by(f64::total_cmp);
        // So that one half of the rows is each class.
        let linear = Linear { intercept: -scores[ROWS / 2], ..plain };
        for (kind, values) in [
            ("equal", vec![1.0; WIDTH]),
            ("whole", whole.clone()),
            ("general", information.clone()),
        ] {
            let values = Threat::new(values, 0.0).unwrap();
            let (linears, scale) = (std::slice::from_ref(&linear), TargetScale::IDENTITY);
            let (mut certified, mut predicted) = (Vec::new(), Vec::new());
            for _ in 0..REPEATS {
                certified.push(seconds(|| {
                    certify(linears, scale, &examples, &values, CertifiedClaim::Class).unwrap()
                }));
                predicted.push(seconds(|| linear.scores(&examples)));
            }
            let certificates =
                certify(linears, scale, &examples, &values, CertifiedClaim::Class).unwrap();
            let exact = certificates.iter().filter(|c| c.exact).count();
            let (time, plain) = (median(certified), median(predicted));
            println!("{name:>7}, {kind:>7}: {time:.3} ({:.1}); {exact} exact", time / plain);
        }
    }
}
