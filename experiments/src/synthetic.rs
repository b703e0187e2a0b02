//! Makes problems of synthetic data: dense with decaying second moments, or wide and sparse.

use crate::problem::Problem;
use anyhow::Result;
use halfseen::data::{Csr, Matrix, Scale, Table, Task};
use halfseen::sampling::{AliasTable, Purpose, Stream};
use halfseen_synthetic::{Decay, Decaying, Weights};
use ndarray::Array2;

/// The name of a decay in result files.
pub(crate) fn name(decay: Decay) -> String {
    match decay {
        Decay::Power(alpha) => format!("power-{alpha}"),
        Decay::Exponential(_) => "exponential".into(),
    }
}

/// Attributes of decaying second moments, weights of length 1, noise of deviation 0.1.
pub(crate) fn decaying(
    decay: Decay,
    weights: Weights,
    columns: usize,
    rows: usize,
    seed: u64,
) -> Result<Problem> {
    let mut set = Decaying { columns, decay, weights, noise: 0.1 }.draw(rows, seed)?;
    let bytes = std::mem::replace(&mut set.matrix, Matrix::U8(Array2::zeros((0, 0))));
    let cells =
        Array2::from_shape_fn((rows, columns), |(i, j)| set.scaler.scale(j, bytes.get(i, j)));
    let names = (0..columns).map(|j| format!("x{j}")).collect();
    let table = Table::from_matrix(Matrix::F64(cells), names)?
        .with_column("y", std::mem::take(&mut set.targets))?;
    let kind = match weights {
        Weights::Aligned => String::new(),
        Weights::Isotropic => "-isotropic".into(),
        Weights::Equal => "-equal".into(),
        Weights::Single(which) => format!("-attribute-{}", which + 1),
    };
    let name = format!("{}-d{columns}{kind}", name(decay));
    let problem = Problem::new(&name, table, "y", Some(Task::Regression), Scale::None)?;
    Ok(Problem { truth: Some(set), ..problem })
}

/// Rows of about 40 ones among d attributes, the i-th attribute drawn in proportion to 1/i, as
/// words are; the class is the sign of a sum over the 100 most frequent attributes, weighted by
/// standard normals and centred, told wrongly in one row of 20.
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
    let table = Table::from_matrix(matrix, (0..d).map(|j| format!("x{j}")).collect())?
        .with_column("y", labels)?;
    Problem::new("sparse", table, "y", Some(Task::Classification), Scale::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_declared_moments() {
        let problem = decaying(Decay::Power(2.0), Weights::Aligned, 20, 100, 1).unwrap();
        let truth = problem.truth.as_ref().unwrap();
        let x = |i: usize, j: usize| problem.table.numbers().get(i, j);
        assert!((0..20).all(|j| (x(7, j).powi(2) - truth.moments.square[j]).abs() < 1e-12));
        assert_eq!(truth.excess(&truth.truth, 0.0), 0.0);
    }

    #[test]
    fn sparse_rows_hold_frequent_attributes_more_often() {
        let problem = sparse(500, 2000, 3).unwrap();
        let count =
            |j: usize| (0..2000).filter(|&i| problem.table.numbers().get(i, j) != 0.0).count();
        assert!(
            count(0) > count(5) && count(5) > 2 * count(60),
            "{} {} {}",
            count(0),
            count(5),
            count(60)
        );
    }
}
