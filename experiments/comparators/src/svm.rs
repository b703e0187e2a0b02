//! Fits the linear support vector machine: the plane of largest soft margin, without regard to
//! deletions.
//!
//! **Setting**: every attribute of every example is read. The fit minimises (1/2) |w|^2 + C sum_i
//! [1 - y_i (<w, x_i> + b)]_+ over w and any b (Cortes and Vapnik, 1995), the comparator of Dekel
//! and Shamir 2008.
//!
//! **Guarantee**: the report's gap bounds objective minus optimum, by a dual point; the fit stops
//! when it is at most `tol` times the objective. A grid of C is one path, in which each problem
//! starts from the earlier cuts (see [`bundle`]).
//!
//! **Symbols**: C `c`; y_i -1 or +1.

use crate::biased::Until;
use crate::bundle::{self, Bundle, Margins, Minimum};
use crate::params::{Needs, Targets};
use halfseen::data::{Examples, Signs};
use halfseen::full::Centred;
use halfseen::learner::together::{fits_together, grouped};
use halfseen::learner::{FitSize, Grid, Learner, Needed, each_class};
use halfseen::model::{Fit, Linear, Predictor};
use halfseen::params::parameters;
use halfseen::{Monitor, Result};
use std::time::Instant;

parameters! {
    /// Linear support vector machine; of more than two classes each has one against the rest.
    pub struct Svm {
        name: "svm", family: Full,
        title: "Linear support vector machine on all attributes",
        source: "Dekel and Shamir 2008, section 4 (comparator); Cortes and Vapnik 1995";
        c: f64 = 1.0, C;
        intercept: bool = true, INTERCEPT;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 5_000, MAX_ITER;
    }
}

impl Learner for Svm {
    fn grid(&self) -> Grid {
        let decades = ["0.000001", "0.00001", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100"];
        Grid::new(&[("c", &decades)])
    }

    fn needs(&self) -> Needs {
        Needs { targets: Targets::Classes, weights: true, ..Needs::of(self) }
    }

    fn needed(&self, size: &FitSize) -> Needed {
        // Entries that scaling moves from 0 are as many at most.
        let entries = 4.5 * (2.0 * size.entries()).min(size.cells());
        let cuts = bundle::bytes(CUTS, size.d()) / 8.0;
        Needed::of(size, entries + cuts + 10.0 * size.n())
    }

    // One path over C for each kind of intercept. Seconds include reading the rows.
    fits_together!(fit_all);
}

/// Number of cuts that are seldom exceeded.
const CUTS: f64 = 400.0;

fn fit_all(learners: &[Svm], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
    each_class(&*examples.counted()?, |examples| fit_signs(learners, examples, monitor))
}

fn fit_signs(learners: &[Svm], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
    let alike = |a: &Svm, b: &Svm| a.intercept == b.intercept;
    grouped(
        learners,
        alike,
        |learner| learner.c,
        |path| {
            let (start, intercept) = (Instant::now(), path[0].intercept);
            let data = Centred::new(examples, Svm::NAME, intercept)?;
            let signs = Signs::of(examples, Svm::NAME)?;
            let table = Table::new(examples, &data, &signs.signs, intercept);
            let mut bundle = Bundle::new(&table, intercept)?;
            let shared = start.elapsed().as_secs_f64();
            let fit = |learner: &&Svm| {
                let start = Instant::now();
                let until = Until { tol: learner.tol, max_iter: learner.max_iter };
                let minimum = bundle.minimise(learner.c, until, monitor)?;
                let mut fit = fit_of(&minimum, &table, &signs, &data);
                fit.report.seconds = shared + start.elapsed().as_secs_f64();
                Ok(fit)
            };
            path.iter().map(fit).collect()
        },
    )
}

fn fit_of(minimum: &Minimum, table: &Table<'_>, signs: &Signs, data: &Centred<'_, '_>) -> Fit {
    let mut weights = vec![0.0; data.mean().len()];
    let mut bias = minimum.bias;
    for ((&column, w), shift) in data.columns().iter().zip(&minimum.weights).zip(&table.shift) {
        weights[column] = *w;
        bias -= w * shift;
    }
    let mut report = data.report("svm", minimum.stop.into());
    (report.objective, report.gap, report.passes) =
        (Some(minimum.objective), Some(minimum.gap), Some(minimum.cuts));
    Fit {
        predictor: Predictor::Margin(Linear::of_signs(signs, weights, bias, data.mean().to_vec())),
        report,
    }
}

/// Rows without their zeros, on the columns that vary.
struct Table<'a> {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Shift of each column: the scaled value of 0, which is then not stored, or, in columns with
    /// few zeros, the mean, since large means cost digits.
    shift: Vec<f64>,
    signs: &'a [f64],
    /// `None` means 1 for all.
    weights: Option<Vec<f64>>,
}

impl<'a> Table<'a> {
    fn new(
        examples: &Examples<'_>,
        data: &Centred<'_, '_>,
        signs: &'a [f64],
        intercept: bool,
    ) -> Table<'a> {
        let (m, d) = (examples.len(), data.mean().len());
        let (mut row, mut zeros, mut filled) = (vec![0.0; d], vec![0.0; d], vec![0_usize; d]);
        examples.scaler.scale_row(&mut zeros);
        for i in 0..m {
            examples.row_into(i, &mut row);
            let cells = filled.iter_mut().zip(row.iter().zip(&zeros));
            cells.for_each(|(filled, (x, zero))| *filled += usize::from(x != zero));
        }
        let shift = |&j: &usize| match (intercept, 2 * filled[j] > m) {
            (true, true) => data.mean()[j],
            (true, false) => zeros[j],
            (false, _) => 0.0,
        };
        let shift = data.columns().iter().map(shift).collect();
        let (starts, columns, values, weights) =
            (vec![0], Vec::new(), Vec::new(), examples.weight_list());
        let mut table = Table { starts, columns, values, shift, signs, weights };
        for i in 0..m {
            examples.row_into(i, &mut row);
            for (at, (&column, shift)) in data.columns().iter().zip(&table.shift).enumerate() {
                let value = row[column] - shift;
                if value != 0.0 {
                    table.columns.push(at as u32);
                    table.values.push(value);
                }
            }
            table.starts.push(table.values.len());
        }
        table
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[i]..self.starts[i + 1];
        self.columns[range.clone()]
            .iter()
            .map(|&j| j as usize)
            .zip(self.values[range].iter().copied())
    }
}

impl Margins for Table<'_> {
    type Room = ();

    fn width(&self) -> usize {
        self.shift.len()
    }

    fn signs(&self) -> &[f64] {
        self.signs
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    fn room(&self) {}

    fn margin(&self, row: usize, weights: &[f64], _: &mut ()) -> f64 {
        self.signs[row] * self.row(row).map(|(j, x)| weights[j] * x).sum::<f64>()
    }

    fn add_slope(&self, row: usize, share: f64, _: &[f64], _: &mut (), slope: &mut [f64]) {
        let push = share * self.signs[row];
        self.row(row).for_each(|(j, x)| slope[j] += push * x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::biased;
    use crate::testing::Data;
    use faer::Mat;
    use halfseen::Silent;
    use halfseen::data::{Matrix, Scale, Scaler};

    fn signed(m: usize, d: usize, seed: u64) -> (Data, Vec<f64>) {
        let data = Data::random(m, d, seed);
        let mean = data.targets.iter().sum::<f64>() / m as f64;
        let signs = data.targets.iter().map(|y| if *y > mean { 1.0 } else { -1.0 }).collect();
        (data, signs)
    }

    #[test]
    fn zeros_that_scaling_moved_are_left_out_and_the_optimum_stays() {
        let (m, d) = (60, 7);
        let (plain, signs) = signed(m, 1, 4);
        let cell = |i: usize, j: usize| match j {
            0 => plain.matrix.get(i, 0),
            _ => f64::from(u8::from(i % 6 + 1 == j)),
        };
        let matrix = Matrix::F64(ndarray::Array2::from_shape_fn((m, d), |(i, j)| cell(i, j)));
        let rows: Vec<u32> = (0..m as u32).collect();
        let scaler = Scaler::fit(Scale::Each, &matrix, &rows, None);
        let layout = std::sync::Arc::new(halfseen::data::Layout::singletons(d));
        let examples = Examples::new(&matrix, &scaler, &layout, &plain.targets);
        let centred = Centred::new(&examples, "svm", true).unwrap();
        let table = Table::new(&examples, &centred, &signs, true);
        assert_eq!(table.values.len(), 2 * m, "a number and an indicator for each row");
        let until = Until { tol: 1e-9, max_iter: 5_000 };
        let minimum = Bundle::new(&table, true).unwrap().minimise(0.3, until, &Silent).unwrap();
        let scaled = Mat::from_fn(d, m, |j, i| examples.value(i, j));
        let exact = biased::Examples::new(scaled.as_ref(), &signs).unwrap();
        let expected = exact.separate(&vec![0.3; m], &vec![1.0; m], until, &Silent).unwrap();
        assert!((minimum.objective - expected.objective).abs() < 1e-7 * expected.objective);
    }

    #[test]
    fn the_optimum_is_that_of_the_interior_point_method() {
        for (m, d, seed) in [(60, 4, 1), (25, 30, 2), (200, 8, 3)] {
            let (data, signs) = signed(m, d, seed);
            let examples = data.examples();
            let centred = Centred::new(&examples, "svm", true).unwrap();
            let table = Table::new(&examples, &centred, &signs, true);
            let mut bundle = Bundle::new(&table, true).unwrap();
            let rows = Mat::from_fn(d, m, |j, i| data.row(i)[j]);
            let exact = biased::Examples::new(rows.as_ref(), &signs).unwrap();
            for c in [0.01, 0.3, 10.0] {
                let until = Until { tol: 1e-8, max_iter: 5_000 };
                let minimum = bundle.minimise(c, until, &Silent).unwrap();
                let expected = exact.separate(&vec![c; m], &vec![1.0; m], until, &Silent).unwrap();
                let difference = (minimum.objective - expected.objective).abs();
                assert!(
                    difference < 1e-7 * expected.objective,
                    "{m} x {d}, C = {c}: {difference:e}"
                );
                assert!(
                    minimum.gap <= 1e-8 * minimum.objective,
                    "{m} x {d}, C = {c}: gap {:e}",
                    minimum.gap
                );
                let alone = Bundle::new(&table, true).unwrap().minimise(c, until, &Silent).unwrap();
                assert!((alone.objective - minimum.objective).abs() < 1e-7 * expected.objective);
            }
        }
    }

    #[test]
    fn every_c_comes_to_its_gap() {
        for (m, d, seed) in [(60, 4, 1), (25, 30, 2), (200, 8, 3)] {
            let (data, signs) = signed(m, d, seed);
            let examples = data.examples();
            let centred = Centred::new(&examples, "svm", true).unwrap();
            let table = Table::new(&examples, &centred, &signs, true);
            for c in [1e-300, 1e-170, 1e-155, 1e-20, 1e4, 1e8, 1e12] {
                let until = Until { tol: 1e-4, max_iter: 5_000 };
                let minimum =
                    Bundle::new(&table, true).unwrap().minimise(c, until, &Silent).unwrap();
                assert!(minimum.gap <= 1e-4 * minimum.objective, "{m} x {d}, C = {c}: {minimum:?}");
            }
        }
    }
}
