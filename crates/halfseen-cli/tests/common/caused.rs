//! Draws tables whose attributes have one cause in common, and judges predictions of them.

use super::{Place, fields};

/// Numbers that look random: uniform on [0, 1).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

pub(crate) const COLUMNS: usize = 6;

/// Six attributes that have one cause in common; y = 2 x0 - x3 + 5 and noise of deviation 0.5. Each
/// cell is empty with this probability.
pub(crate) fn table(rows: usize, empty: f64, seed: u64) -> String {
    table_of(rows, empty, seed, |_, x| 2.0 * x[0] - x[3] + 5.0)
}

/// The same attributes; y without noise is made of their cause and of their values.
pub(crate) fn table_of(
    rows: usize,
    empty: f64,
    seed: u64,
    target: impl Fn(f64, &[f64]) -> f64,
) -> String {
    let (mut random, mut text) = (Random(seed), String::from("x0,x1,x2,x3,x4,x5,y\n"));
    for _ in 0..rows {
        let cause = random.normal();
        let x: Vec<f64> = (0..COLUMNS).map(|_| 10.0 + 3.0 * cause + random.normal()).collect();
        let y = target(cause, &x) + 0.5 * random.normal();
        for value in x {
            let shown = if random.unit() < empty { String::new() } else { value.to_string() };
            text.push_str(&format!("{shown},"));
        }
        text.push_str(&format!("{y}\n"));
    }
    text
}

pub(crate) fn place(rows: usize, empty: f64) -> Place {
    let place = Place::new();
    place.write("t.csv", table(rows, empty, 1));
    place
}

/// The squared error and the share of intervals that hold the target, of predictions in the order
/// of `t`.
pub(crate) fn judged(predicted: &str, t: &str) -> (f64, f64) {
    let (predicted, truth) = (fields(predicted), fields(t));
    let rows = predicted.iter().zip(&truth).map(|(row, truth)| {
        let y: f64 = truth[COLUMNS].parse().unwrap();
        let cell = |at: usize| row.get(at).map_or(f64::NAN, |text| text.parse::<f64>().unwrap());
        ((cell(0) - y).powi(2), f64::from(u8::from(cell(1) <= y && y <= cell(2))))
    });
    let (errors, inside): (Vec<f64>, Vec<f64>) = rows.unzip();
    (
        errors.iter().sum::<f64>() / errors.len() as f64,
        inside.iter().sum::<f64>() / inside.len() as f64,
    )
}
