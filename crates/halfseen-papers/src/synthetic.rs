//! Generates data with declared second moments, dense with decaying ones, or wide and sparse.

use crate::problem::{Problem, Truth};
use anyhow::Result;
use halfseen::data::{Csr, Matrix, Table, Task};
use halfseen::prepare::Scale;
use halfseen::sampling::{AliasTable, Purpose, Stream};
use ndarray::Array2;

/// How the second moments fall with the attribute's number i, from 1; they add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Decay {
    /// mu_i ~ i^-a.
    Power(f64),
    /// mu_i ~ 2^(-i/10).
    Exponential,
}

impl Decay {
    /// The name in result files.
    pub(crate) fn name(self) -> String {
        match self {
            Decay::Power(a) => format!("power-{a}"),
            Decay::Exponential => "exponential".into(),
        }
    }

    /// mu, (d); sums to 1.
    pub(crate) fn moments(self, d: usize) -> Vec<f64> {
        let weight = |i: usize| match self {
            Decay::Power(a) => (i as f64).powf(-a),
            Decay::Exponential => 0.5_f64.powf(i as f64 / 10.0),
        };
        let all: Vec<f64> = (1..=d).map(weight).collect();
        let sum: f64 = all.iter().sum();
        all.iter().map(|mu| mu / sum).collect()
    }
}

/// x_i = +-sqrt(mu_i) with fair signs, w_i = +-sqrt(mu_i), so |x|_2 = |w|_2 = 1; y = <w, x> + 0.1 times a standard normal.
pub(crate) fn decaying(decay: Decay, d: usize, rows: usize, seed: u64) -> Result<Problem> {
    let moments = decay.moments(d);
    let sign = |stream: &mut Stream| if stream.unit() < 0.5 { -1.0 } else { 1.0 };
    let mut rule = Stream::new(seed, Purpose::Data, d as u64);
    let weights: Vec<f64> = moments.iter().map(|mu| sign(&mut rule) * mu.sqrt()).collect();
    let mut cells = Array2::zeros((rows, d));
    let mut targets = Vec::with_capacity(rows);
    for (i, mut row) in cells.rows_mut().into_iter().enumerate() {
        let mut stream = Stream::new(seed, Purpose::Data, (1 << 32) + i as u64);
        let mut product = 0.0;
        for ((x, mu), w) in row.iter_mut().zip(&moments).zip(&weights) {
            *x = sign(&mut stream) * mu.sqrt();
            product += *x * w;
        }
        targets.push(product + 0.1 * stream.normal());
    }
    let names = (0..d).map(|j| format!("x{j}")).collect();
    let table = Table::from_matrix(Matrix::F64(cells), names)?.with_column("y", targets)?;
    let problem = Problem::new(&format!("{}-d{d}", decay.name()), table, "y", Some(Task::Regression), Scale::None)?;
    Ok(Problem { truth: Some(Truth { moments, weights }), ..problem })
}

/// Rows of about 40 ones among d attributes, the i-th attribute drawn in proportion to 1/i, as words are; the class is the
/// sign of a sum over the 100 most frequent attributes, weighted by standard normals and centred, told wrongly in one row of 20.
pub(crate) fn sparse(d: usize, rows: usize, seed: u64) -> Result<Problem> {
    let frequencies: Vec<f64> = (1..=d).map(|i| 1.0 / i as f64).collect();
    let table = AliasTable::new(&frequencies)?;
    let mut rule = Stream::new(seed, Purpose::Data, 0);
    let weights: Vec<f64> = (0..100.min(d)).map(|_| rule.normal()).collect();
    let present = |j: usize| 1.0 - (1.0 - table.probability(j)).powi(40);
    let centre: f64 = weights.iter().enumerate().map(|(j, w)| w * present(j)).sum();
    let (mut starts, mut columns, mut labels) = (vec![0], Vec::new(), Vec::new());
    for i in 0..rows {
        let mut stream = Stream::new(seed, Purpose::Data, (1 << 32) + i as u64);
        let mut row: Vec<u32> = (0..40).map(|_| table.draw(&mut stream) as u32).collect();
        row.sort_unstable();
        row.dedup();
        let score: f64 = row.iter().filter_map(|&j| weights.get(j as usize)).sum();
        let flipped = stream.unit() < 0.05;
        labels.push(f64::from(u8::from((score > centre) != flipped)));
        columns.extend(row);
        starts.push(columns.len());
    }
    let ones = vec![1.0; columns.len()];
    let matrix = Matrix::Csr(Csr::new(starts, columns, ones, d)?);
    let table = Table::from_matrix(matrix, (0..d).map(|j| format!("x{j}")).collect())?.with_column("y", labels)?;
    Problem::new("sparse", table, "y", Some(Task::Classification), Scale::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_have_the_moments_and_the_rule_that_were_declared() {
        let problem = decaying(Decay::Power(2.0), 20, 4000, 1).unwrap();
        let truth = problem.truth.as_ref().unwrap();
        assert!((truth.moments.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((truth.moments[0] / truth.moments[3] - 16.0).abs() < 1e-9);
        // Only noise is left at the rule itself, and at 0 the excess is |w|^2 in the moments' norm.
        let x = |i: usize, j: usize| problem.table.numbers().get(i, j);
        let halfseen::data::Target::Numbers(y) = &problem.target else { panic!("numbers expected") };
        let residual = |i: usize| y[i] - (0..20).map(|j| x(i, j) * truth.weights[j]).sum::<f64>();
        let noise = (0..4000).map(|i| residual(i).powi(2)).sum::<f64>() / 4000.0;
        assert!((noise - 0.01).abs() < 0.001, "{noise}");
        assert!((0..20).all(|j| (x(7, j).powi(2) - truth.moments[j]).abs() < 1e-12));
        let square = y.iter().map(|y| y * y).sum::<f64>() / 4000.0;
        assert!((square - noise - truth.excess(&[0.0; 20], 0.0)).abs() < 0.03, "{square}");
    }

    #[test]
    fn sparse_rows_hold_frequent_attributes_more_often() {
        let problem = sparse(500, 2000, 3).unwrap();
        let count = |j: usize| (0..2000).filter(|&i| problem.table.numbers().get(i, j) != 0.0).count();
        assert!(count(0) > count(5) && count(5) > 2 * count(60), "{} {} {}", count(0), count(5), count(60));
    }
}
