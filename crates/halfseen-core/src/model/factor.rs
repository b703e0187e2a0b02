//! Predicts by the factor of a completed matrix, fitting a new item's factor to its observed cells.
//!
//! **Setting**: Z = L R' minimises mu |Z|_* + smooth(Z). As |Z|_* = min (|L|^2 + |R|^2) / 2 over
//! such products (Srebro, Rennie and Jaakkola 2005), each row r of R minimises, for fixed L,
//!   rho |r|^2 / 2 + |L_o r - x_o|^2 / 2, rho = mu |Omega_X|,
//! for an item without labels and with observed cells x_o. A new item gets the r of this ridge
//! regression, and the scores L_y r + b. An unlabelled item of the completed matrix gets the same
//! scores as there.

use super::Scores;
use crate::data::Examples;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::DenseRows;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// Number of rows scored at once, which bounds the memory of a prediction.
const BLOCK: usize = 1024;

/// Scores <L_y,i, r> + b_i, in scaled units, with r fitted to the observed attributes of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factor {
    /// Number of columns of L.
    pub rank: usize,
    /// L_x in row-major order, (n_columns, rank).
    pub attributes: Vec<f64>,
    /// L_y in row-major order, (n_outputs, rank).
    pub labels: Vec<f64>,
    /// The row of ones of MC-1.
    #[serde(deserialize_with = "Option::deserialize")]
    pub one: Option<One>,
    /// b, (n_outputs).
    pub bias: Vec<f64>,
    /// rho: penalty on |r|^2 / 2.
    pub ridge: f64,
    /// True if a score estimates the target; see [`Scores`].
    pub estimates: bool,
}

/// Additional attribute of value 1 for every item, which adds weight (<l, r> - 1)^2 / 2 to the
/// objective of r.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct One {
    /// Its row l of L, (rank).
    pub row: Vec<f64>,
    /// Its weight relative to an attribute.
    pub weight: f64,
}

impl Factor {
    /// Returns the number of scores of an item.
    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Returns the scores of items, (n_outputs, n), from values (n_columns, n) and a mask of the
    /// same shape: 1 if observed, else 0. An empty item scores b, and for MC-1 the value due to the
    /// row of ones.
    pub fn scores(&self, values: &Mat<f64>, observed: &Mat<f32>) -> Mat<f64> {
        let mut scores = Mat::zeros(self.outputs(), values.ncols());
        let mut room = self.room();
        for j in 0..values.ncols() {
            self.score_into(
                values.col_as_slice(j),
                observed.col_as_slice(j),
                &mut room,
                scores.col_as_slice_mut(j),
            );
        }
        scores
    }

    /// Returns the factor with another `estimates`.
    pub fn estimating(self, estimates: bool) -> Factor {
        Factor { estimates, ..self }
    }

    /// Returns the scores of all examples by each of several factors, in scaled units; rows are
    /// read once for all.
    ///
    /// # Errors
    /// Cells so large that a score is not finite.
    pub fn scores_of(factors: &[&Factor], examples: &Examples<'_>) -> Result<Vec<Scores>> {
        let empty = |factor: &&Factor| Scores {
            values: Vec::with_capacity(examples.len() * factor.outputs()),
            outputs: factor.outputs(),
            estimates: factor.estimates,
        };
        let mut all: Vec<Scores> = factors.iter().map(empty).collect();
        // Without a factor no row is read or refused.
        let rows = if factors.is_empty() { &[] } else { &examples.rows[..] };
        for rows in rows.chunks(BLOCK) {
            let block = DenseRows::new(&examples.with_rows(rows), false)?;
            for (factor, scores) in factors.iter().zip(&mut all) {
                let block_scores = factor.scores(&block.values, block.observed());
                (0..rows.len()).for_each(|i| scores.values.extend(block_scores.col_as_slice(i)));
            }
        }
        match all.iter().flat_map(|scores| &scores.values).find(|v| !v.is_finite()) {
            Some(&value) => Err(ErrorKind::Diverged { what: "a score", value }.into()),
            None => Ok(all),
        }
    }

    /// Returns buffers for scoring.
    pub fn room(&self) -> Room {
        Room::new(self.rank)
    }

    /// Writes the scores of one item, (n_outputs), from its values and mask, each (n_columns).
    pub fn score_into(
        &self,
        values: &[f64],
        observed: &[f32],
        room: &mut Room,
        scores: &mut [f64],
    ) {
        scores.copy_from_slice(&self.bias);
        if self.rank == 0 {
            return;
        }
        room.start(self.ridge);
        let rows = self.attributes.chunks_exact(self.rank);
        for ((row, value), _) in rows.zip(values).zip(observed).filter(|(_, seen)| **seen != 0.0) {
            room.add(row, 1.0, *value);
        }
        if let Some(one) = &self.one {
            room.add(&one.row, one.weight, 1.0);
        }
        room.solve();
        for (score, row) in scores.iter_mut().zip(self.labels.chunks_exact(self.rank)) {
            *score += row.iter().zip(&room.vector).map(|(l, r)| l * r).sum::<f64>();
        }
    }

    /// Refuses non-finite numbers and wrong lengths.
    pub(crate) fn validate(&self, columns: usize, outputs: usize) -> Result<()> {
        let bad =
            |key: &str, problem: String| Err(Error::in_model(format!("predictor.{key}"), problem));
        let one: &[f64] = self.one.as_ref().map_or(&[], |one| &one.row);
        let ones = usize::from(self.one.is_some());
        let lists = [
            ("attributes", &self.attributes[..], Some(columns), self.rank),
            ("labels", &self.labels[..], Some(outputs), self.rank),
            ("one.row", one, Some(ones), self.rank),
            ("bias", &self.bias[..], Some(outputs), 1),
        ];
        for (key, numbers, rows, width) in lists {
            // An overflowing product cannot be a length.
            if rows.and_then(|rows| rows.checked_mul(width)) != Some(numbers.len()) {
                let rows = rows.unwrap_or(0);
                return bad(
                    key,
                    format!("has {} numbers for {rows} rows of {width}", numbers.len()),
                );
            }
            if !numbers.iter().all(|v| v.is_finite()) {
                return bad(key, "holds a number that is not finite".into());
            }
        }
        let weight = self.one.as_ref().map_or(1.0, |one| one.weight);
        if !(weight.is_finite() && weight > 0.0) {
            return bad("one.weight", "must be finite and above 0".into());
        }
        if !(self.ridge.is_finite() && self.ridge >= 0.0) {
            return bad("ridge", "must be finite and at least 0".into());
        }
        if self.rank > 0 && self.ridge == 0.0 {
            return bad("ridge", "must be above 0 where the rank is".into());
        }
        if self.rank > columns + outputs + ones {
            return bad(
                "rank",
                format!(
                    "is {}, more than the {} rows of the factor",
                    self.rank,
                    columns + outputs + ones
                ),
            );
        }
        Ok(())
    }
}

/// Normal equations of one item.
#[derive(Debug, Clone)]
pub struct Room {
    /// Lower triangle, row by row, (rank, rank).
    matrix: Vec<f64>,
    /// Right-hand side, then the solution, (rank).
    vector: Vec<f64>,
}

impl Room {
    pub(super) fn new(rank: usize) -> Room {
        Room { matrix: vec![0.0; rank * rank], vector: vec![0.0; rank] }
    }

    /// Starts with ridge |r|^2 / 2.
    pub(super) fn start(&mut self, ridge: f64) {
        let rank = self.vector.len();
        self.matrix.fill(0.0);
        self.vector.fill(0.0);
        (0..rank).for_each(|k| self.matrix[k * rank + k] = ridge);
    }

    /// Returns the solution, (rank).
    pub(super) fn solution(&self) -> &[f64] {
        &self.vector
    }

    /// Replaces v by the solution of L a = v, with L the factor left by `solve`: |a|^2 is v' M^-1
    /// v, with M the accumulated matrix.
    pub(super) fn whiten(&self, v: &mut [f64]) {
        let rank = self.vector.len();
        for i in 0..rank {
            let row = &self.matrix[i * rank..i * rank + i];
            let sum: f64 = row.iter().zip(&v[..i]).map(|(l, a)| l * a).sum();
            v[i] = (v[i] - sum) / self.matrix[i * rank + i];
        }
    }

    /// Replaces v by M^-1 v, with M the accumulated matrix.
    pub(super) fn apply(&self, v: &mut [f64]) {
        self.whiten(v);
        let rank = self.vector.len();
        for i in (0..rank).rev() {
            v[i] /= self.matrix[i * rank + i];
            let known = v[i];
            let row = &self.matrix[i * rank..i * rank + i];
            v[..i].iter_mut().zip(row).for_each(|(v, l)| *v -= l * known);
        }
    }

    /// Adds weight (<row, r> - value)^2 / 2.
    pub(super) fn add(&mut self, row: &[f64], weight: f64, value: f64) {
        let rank = row.len();
        for (i, a) in row.iter().enumerate() {
            let weighted = weight * a;
            self.vector[i] += weighted * value;
            let entries = self.matrix[i * rank..=i * rank + i].iter_mut().zip(row);
            entries.for_each(|(entry, b)| *entry += weighted * b);
        }
    }

    /// Solves by Cholesky's decomposition, in place.
    pub(super) fn solve(&mut self) {
        let rank = self.vector.len();
        for i in 0..rank {
            let (above, rest) = self.matrix.split_at_mut(i * rank);
            let row = &mut rest[..=i];
            for j in 0..i {
                let other = &above[j * rank..=j * rank + j];
                let sum: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
                row[j] = (row[j] - sum) / other[j];
            }
            let diagonal = row[i];
            let sum: f64 = row[..i].iter().map(|a| a * a).sum();
            // The ridge keeps it positive, except for rounding.
            row[i] = (diagonal - sum).max(f64::EPSILON * diagonal).sqrt();
            let sum: f64 = row[..i].iter().zip(&self.vector).map(|(a, v)| a * v).sum();
            self.vector[i] = (self.vector[i] - sum) / row[i];
        }
        for i in (0..rank).rev() {
            self.vector[i] /= self.matrix[i * rank + i];
            let (known, solved) = (self.vector[i], &mut self.vector[..i]);
            let row = &self.matrix[i * rank..i * rank + i];
            solved.iter_mut().zip(row).for_each(|(v, a)| *v -= a * known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Layout, Matrix, Scaler};
    use halfseen_solve::sampling::{Purpose, Stream};
    use std::sync::Arc;

    fn random(columns: usize, outputs: usize, rank: usize, one: bool) -> Factor {
        let mut stream = Stream::new(4, Purpose::Data, (columns * 100 + rank) as u64);
        let mut numbers =
            |count: usize| -> Vec<f64> { (0..count).map(|_| stream.normal()).collect() };
        Factor {
            rank,
            attributes: numbers(columns * rank),
            labels: numbers(outputs * rank),
            one: one.then(|| One { row: numbers(rank), weight: 1.7 }),
            bias: numbers(outputs),
            ridge: 0.3,
            estimates: true,
        }
    }

    #[test]
    fn the_fitted_factor_has_gradient_zero() {
        for (columns, rank, one) in [(6, 3, false), (2, 5, true), (4, 1, true), (3, 2, false)] {
            // The outputs are the coordinates of r.
            let mut factor = random(columns, rank, rank, one);
            factor.labels =
                (0..rank * rank).map(|i| f64::from(u8::from(i / rank == i % rank))).collect();
            factor.bias = vec![0.0; rank];
            let values = Mat::from_fn(columns, 2, |i, j| if j == 0 { 0.5 - i as f64 } else { 0.0 });
            let observed =
                Mat::from_fn(columns, 2, |i, j| if j == 0 && i != 1 { 1.0_f32 } else { 0.0 });
            let scores = factor.scores(&values, &observed);
            for item in 0..2 {
                let r = scores.col_as_slice(item);
                let mut gradient: Vec<f64> = r.iter().map(|r| factor.ridge * r).collect();
                let mut add = |row: &[f64], weight: f64, value: f64| {
                    let residual: f64 = row.iter().zip(r).map(|(l, r)| l * r).sum::<f64>() - value;
                    gradient.iter_mut().zip(row).for_each(|(g, l)| *g += weight * residual * l);
                };
                for i in (0..columns).filter(|&i| observed[(i, item)] == 1.0) {
                    add(&factor.attributes[i * rank..(i + 1) * rank], 1.0, values[(i, item)]);
                }
                if let Some(one) = &factor.one {
                    add(&one.row, one.weight, 1.0);
                }
                assert!(gradient.iter().all(|g| g.abs() < 1e-12), "{gradient:?}");
                assert!(one || item == 0 || r.iter().all(|r| *r == 0.0));
            }
        }
    }

    #[test]
    fn factors_that_share_rows_score_as_alone_across_blocks() {
        let n = BLOCK + 6;
        let cells = ndarray::Array2::from_shape_fn((n, 4), |(i, j)| {
            if (i + j) % 3 == 0 { f64::NAN } else { ((7 * i + j) % 11) as f64 - 5.0 }
        });
        let (matrix, layout) = (Matrix::F64(cells), Arc::new(Layout::singletons(4)));
        let examples = Examples::new(&matrix, &Scaler::None {}, &layout, &[]);
        let factors = [random(4, 1, 2, false), random(4, 3, 1, true), random(4, 2, 3, false)];
        let together = Factor::scores_of(&factors.each_ref(), &examples).unwrap();
        let masked = DenseRows::new(&examples, false).unwrap();
        for (factor, scores) in factors.iter().zip(&together) {
            let expected = factor.scores(&masked.values, masked.observed());
            assert_eq!((scores.len(), scores.outputs), (n, factor.outputs()));
            assert!((0..n).all(|i| scores.row(i) == expected.col_as_slice(i)));
        }
        // Without a factor no row is read or refused.
        let matrix = Matrix::F64(ndarray::Array2::from_elem((1, 4), f64::INFINITY));
        let examples = Examples::new(&matrix, &Scaler::None {}, &layout, &[]);
        assert!(Factor::scores_of(&[], &examples).unwrap().is_empty());
        assert!(Factor::scores_of(&[&factors[0]], &examples).is_err());
    }

    #[test]
    fn no_rank_scores_the_constant() {
        let factor = Factor {
            rank: 0,
            attributes: vec![],
            labels: vec![],
            one: None,
            bias: vec![0.5, -1.0],
            ridge: 0.0,
            estimates: false,
        };
        let scores =
            factor.scores(&Mat::from_fn(3, 2, |_, _| 7.0), &Mat::from_fn(3, 2, |_, _| 1.0));
        assert_eq!(scores, Mat::from_fn(2, 2, |i, _| factor.bias[i]));
        factor.validate(3, 2).unwrap();
    }

    #[test]
    fn a_file_gives_the_same_factor_or_names_what_is_wrong() {
        for one in [false, true] {
            let factor = random(4, 2, 3, one);
            let text = serde_json::to_string(&factor).unwrap();
            assert_eq!(serde_json::from_str::<Factor>(&text).unwrap(), factor);
            factor.validate(4, 2).unwrap();
        }
        type Change = fn(&mut Factor);
        let changes: [(&str, Change); 10] = [
            ("attributes", |f| f.attributes.truncate(3)),
            ("labels", |f| f.labels[0] = f64::NAN),
            ("bias", |f| f.bias.push(0.0)),
            ("one.row", |f| f.one = Some(One { row: vec![1.0], weight: 1.0 })),
            ("one.weight", |f| f.one = Some(One { row: vec![1.0; 3], weight: 0.0 })),
            ("ridge", |f| f.ridge = 0.0),
            ("ridge", |f| f.ridge = f64::INFINITY),
            ("ridge", |f| f.ridge = -1.0),
            ("attributes", |f| f.rank = usize::MAX),
            ("attributes", |f| f.attributes[2] = f64::INFINITY),
        ];
        for (key, change) in changes {
            let mut factor = random(4, 2, 3, false);
            change(&mut factor);
            let error = factor.validate(4, 2).unwrap_err();
            let expected = format!("predictor.{key}");
            assert!(
                matches!(error.kind(), ErrorKind::BadFile { key, .. } if *key == expected),
                "{error}"
            );
        }
    }
}
