//! Times the adversary of equal values: the worst deletions of rows like images of digits.
//!
//!     cargo bench -p halfseen --bench adversary
//!
//! Rows have 784 attributes, dense (every value random) or like MNIST's 4 against 7 (19 in 100 not 0, in runs). One thread.
//! The yardstick is a plain weighted sum over the same rows; runs alternate, and the quickest of each is printed (others disturb it), with a full sort beside them.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::robust::{Adversary, Threat};
use halfseen::sampling::{Purpose, Stream};
use std::hint::black_box;
use std::time::Instant;

const REPEATS: usize = 15;
const ROWS: usize = 2_000;
const WIDTH: usize = 784;

fn quickest(times: Vec<f64>) -> f64 {
    times.into_iter().fold(f64::INFINITY, f64::min)
}

fn seconds(run: impl FnOnce() -> f64) -> f64 {
    let began = Instant::now();
    black_box(run());
    began.elapsed().as_secs_f64()
}

/// Rows whose values that are not 0 come in runs, as strokes do.
fn digits(stream: &mut Stream) -> Vec<f64> {
    let mut row = vec![0.0; WIDTH];
    let mut left = 0;
    for value in &mut row {
        if left == 0 && stream.unit() < 0.035 {
            left = 4 + stream.below(5);
        }
        if left > 0 {
            *value = stream.unit().max(0.01);
            left -= 1;
        }
    }
    row
}

fn main() {
    let mut stream = Stream::new(1, Purpose::Data, 0);
    let weights: Vec<f64> = (0..WIDTH).map(|_| stream.normal().clamp(-1.0, 1.0)).collect();
    let dense: Vec<f64> = (0..ROWS * WIDTH).map(|_| stream.normal()).collect();
    let sparse: Vec<f64> = (0..ROWS).flat_map(|_| digits(&mut stream)).collect();
    let mut rising = dense.clone();
    for row in rising.chunks_exact_mut(WIDTH) {
        let mut gains: Vec<f64> = row.iter().zip(&weights).map(|(x, w)| w * x).collect();
        gains.sort_unstable_by(f64::total_cmp);
        row.iter_mut().zip(gains).zip(&weights).for_each(|((x, gain), w)| *x = gain / w);
    }
    let share = sparse.iter().filter(|v| **v != 0.0).count() as f64 / sparse.len() as f64;
    println!("{ROWS} rows x {WIDTH}; digits: {:.1} in 100 not 0; millions of attribute values a second", 100.0 * share);
    let total = (ROWS * WIDTH) as f64 / 1e6;
    let all: Vec<u32> = (0..WIDTH as u32).collect();
    for (name, data) in [("dense", &dense), ("digits", &sparse), ("dense, gains rising", &rising)] {
        for count in [10, 50, 100] {
            let threat = Threat::uniform(WIDTH, count as f64).unwrap();
            let mut adversary = Adversary::new(&threat);
            let least = 0.01 * WIDTH as f64 / threat.left();
            let rows =
                || data.chunks_exact(WIDTH).enumerate().map(|(i, row)| (if i % 2 == 0 { 1.0 } else { -1.0 }, row));
            let mut gains = vec![0.0; WIDTH];
            let (mut items, mut kept) = (Vec::new(), Vec::new());
            let mut times = vec![Vec::new(); 4];
            for _ in 0..REPEATS {
                times[0].push(seconds(|| {
                    rows().map(|(y, row)| adversary.of_products(y, &weights, row, least).unwrap_or(f64::NAN)).sum()
                }));
                times[1].push(seconds(|| {
                    let mut damage = |(y, row): (f64, &[f64])| {
                        items.clear();
                        kept.clear();
                        for ((&j, x), w) in all.iter().zip(row).zip(&weights) {
                            if *x != 0.0 {
                                items.push(j);
                                kept.push(y * w * x - least);
                            }
                        }
                        adversary.relaxed(&items, &kept)
                    };
                    rows().map(&mut damage).sum()
                }));
                times[2].push(seconds(|| {
                    let mut damage = |(y, row): (f64, &[f64])| {
                        gains.iter_mut().zip(row).zip(&weights).for_each(|((g, x), w)| *g = y * w * x - least);
                        gains.sort_unstable_by(|a, b| b.total_cmp(a));
                        gains[..count].iter().filter(|g| **g > 0.0).sum::<f64>()
                    };
                    rows().map(&mut damage).sum()
                }));
                times[3].push(seconds(|| {
                    rows().map(|(_, row)| row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>()).sum()
                }));
            }
            let rate: Vec<f64> = times.into_iter().map(|t| total / quickest(t)).collect();
            println!(
                "{name:>20}, N = {count:>3}: products {:.0}, entries {:.0}, full sort {:.0}, plain sum {:.0}; {:.1} times the sort",
                rate[0],
                rate[1],
                rate[2],
                rate[3],
                rate[0] / rate[2]
            );
        }
    }
}
