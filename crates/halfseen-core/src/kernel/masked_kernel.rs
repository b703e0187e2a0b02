//! Compares two incomplete rows by the attributes that both show, with the kernel k_gamma of Hazan,
//! Livni and Mansour 2015.
//!
//! **Symbols**: c is the number of columns that both rows show, D the inner product over them.
//! k_gamma = (1 + c + ... + c^(gamma - 1)) D (Hazan et al. 2015, section 4.1) is the inner product
//! of embeddings. Their coordinates are the sequences s of at most gamma columns: the value of the
//! last column if all of s are observed, else 0. gamma = 1 is imputation by zero.
//!
//! **General form**: k = f(c) D with f(c) = sum over r below gamma of a_r c^r is a kernel for any
//! a_r >= 0 (sequences of length r + 1 weighted by sqrt(a_r)). It is then divided by a scale, and
//! composed: ((f(c) D) / scale + 1)^degree for a degree above 1 (Hazan et al. 2015, section 6).
//!
//! f grows as c^(gamma - 1), so the effect of a weight C of the losses depends on gamma and on the
//! number of columns, unless the kernel is divided by its size on training rows (`trace`, the
//! default) or by f of all columns (`uniform`). Both keep the class of predictors. `cosine` does
//! not: it divides each row's embedding by its length.

use super::Masked;
use crate::error::{Error, ErrorKind, Result};
use crate::params::{self, Kind, Normalization};
use serde::{Deserialize, Serialize};

/// Upper bound on k(x, x); no product of two roots of such values overflows.
const LARGEST: f64 = 1e300;

/// Kernel k_gamma with its weights, its normalisation and its composition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Fields")]
pub struct Kernel {
    /// a_r / scale.
    #[serde(skip)]
    scaled: Vec<f64>,
    lengths: Vec<f64>,
    normalization: Normalization,
    scale: f64,
    degree: u64,
}

impl Kernel {
    /// Creates a kernel; its scale is 1 until [`Kernel::fit`].
    ///
    /// `lengths` are the weights a_0 to a_(gamma - 1), 1 each if not given.
    ///
    /// # Errors
    /// A parameter outside its declared range; a number of weights other than gamma; a weight below
    /// 0 or not finite; only weights of 0.
    pub fn new(
        gamma: u64,
        lengths: Option<&[f64]>,
        normalization: Normalization,
        degree: u64,
    ) -> Result<Kernel> {
        in_range(&params::GAMMA, gamma)?;
        let lengths = match lengths {
            Some(lengths) if lengths.len() as u64 != gamma => {
                let what = "length_weights, one for each length up to gamma".to_owned();
                return Err(ErrorKind::WrongLength {
                    what,
                    expected: gamma as usize,
                    found: lengths.len(),
                }
                .into());
            }
            Some(lengths) => lengths.to_vec(),
            None => vec![1.0; gamma as usize],
        };
        Kernel::checked(lengths, normalization, 1.0, degree)
    }

    fn checked(
        lengths: Vec<f64>,
        normalization: Normalization,
        scale: f64,
        degree: u64,
    ) -> Result<Kernel> {
        in_range(&params::GAMMA, lengths.len() as u64)?;
        in_range(&params::DEGREE, degree)?;
        let wrong = lengths.iter().find(|&a| !(0.0..=f64::MAX).contains(a));
        let wrong = wrong.or(lengths.first().filter(|_| lengths.iter().all(|&a| a == 0.0)));
        if let Some(value) = wrong {
            let (name, allowed) =
                ("length_weights", "finite and at least 0, and one of them above 0");
            return Err(ErrorKind::OutOfRange {
                name,
                value: value.to_string(),
                allowed: allowed.into(),
            }
            .into());
        }
        let scaled: Vec<f64> = lengths.iter().map(|a| a / scale).collect();
        if !(scale > 0.0 && scale.is_finite() && scaled.iter().all(|a| a.is_finite())) {
            return Err(out_of_range(format!("the scale is {scale:e}")));
        }
        Ok(Kernel { scaled, lengths, normalization, scale, degree })
    }

    /// Sets the scale: for `trace` the mean of k(x, x) over these rows, for `uniform` f of all
    /// columns, including the constant; else 1. If it would be 0, every kernel is 0 and it stays 1.
    ///
    /// # Errors
    /// [`ErrorKind::Numerical`] if a kernel overflows.
    pub fn fit(&mut self, rows: &Masked) -> Result<()> {
        self.fit_weighted(rows, None)
    }

    /// Does the same with rows weighted in that mean by weights above 0; `None` means 1 for all.
    ///
    /// # Errors
    /// As [`Kernel::fit`]; a number of weights other than the number of rows.
    pub fn fit_weighted(&mut self, rows: &Masked, weights: Option<&[f64]>) -> Result<()> {
        if let Some(weights) = weights.filter(|weights| weights.len() != rows.len()) {
            let what = "weights, one for each row".to_owned();
            return Err(ErrorKind::WrongLength {
                what,
                expected: rows.len(),
                found: weights.len(),
            }
            .into());
        }
        let mean = if self.normalization == Normalization::Trace {
            let own = self.plain()?.own(rows)?;
            // The sum of undivided terms might overflow.
            match weights {
                None => own.iter().map(|k| k / own.len() as f64).sum(),
                Some(weights) => {
                    let total: f64 = weights.iter().sum();
                    own.iter().zip(weights).map(|(k, weight)| k * (weight / total)).sum()
                }
            }
        } else {
            0.0
        };
        self.fit_to(mean, rows.columns())
    }

    /// Returns the kernel without a scale, and without what is composed with it.
    fn plain(&self) -> Result<Kernel> {
        Kernel::checked(self.lengths.clone(), Normalization::None, 1.0, 1)
    }

    /// Returns the sum of k(x, x) over rows, without a scale.
    ///
    /// # Errors
    /// As [`Kernel::fit`].
    pub fn total_own(&self, rows: &Masked) -> Result<f64> {
        Ok(self.plain()?.own(rows)?.iter().sum())
    }

    /// Sets the scale of rows of so many columns, whose k(x, x) without a scale has this mean.
    ///
    /// # Errors
    /// As [`Kernel::fit`].
    pub fn fit_to(&mut self, mean: f64, columns: usize) -> Result<()> {
        let scale = match self.normalization {
            Normalization::None | Normalization::Cosine => 1.0,
            Normalization::Uniform => self.plain()?.growth(columns)?,
            Normalization::Trace => mean,
        };
        let scale = if scale > 0.0 { scale } else { 1.0 };
        *self = Kernel::checked(self.lengths.clone(), self.normalization, scale, self.degree)?;
        Ok(())
    }

    /// Returns gamma, the length of the longest sequences compared.
    pub fn gamma(&self) -> usize {
        self.lengths.len()
    }

    /// Returns the weights a_0 to a_(gamma - 1).
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// Returns the normalisation of the kernel.
    pub fn normalization(&self) -> Normalization {
        self.normalization
    }

    /// Returns the divisor of f(c) D; 1 before [`Kernel::fit`].
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the exponent of the composition.
    pub fn degree(&self) -> u64 {
        self.degree
    }

    /// Returns the kernel of two rows by its definition: the entry of the Gram matrix, up to
    /// rounding.
    ///
    /// Rows are counted from 0 and must have the same number of columns.
    pub fn between(&self, left: &Masked, i: usize, right: &Masked, j: usize) -> f64 {
        let plain = |left: &Masked, i, right: &Masked, j| {
            let (mut of_left, mut of_right) =
                <((Vec<f64>, Vec<f32>), (Vec<f64>, Vec<f32>))>::default();
            left.with_row(i, &mut of_left, |x, shown| {
                right.with_row(j, &mut of_right, |y, also| {
                    let seen = shown.iter().zip(also);
                    let count = seen.filter(|&(&s, &t)| s != 0.0 && t != 0.0).count();
                    let product = x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
                    self.horner(count as f64) * product
                })
            })
        };
        let k = plain(left, i, right, j);
        self.composed(match self.normalization {
            Normalization::Cosine => {
                k * inverse_root(plain(left, i, left, i)) * inverse_root(plain(right, j, right, j))
            }
            _ => k,
        })
    }

    /// Returns k(x, x) of every row.
    ///
    /// # Errors
    /// [`ErrorKind::Numerical`] if one overflows.
    pub fn diagonal(&self, rows: &Masked) -> Result<Vec<f64>> {
        let own = self.own(rows)?;
        Ok(match self.normalization {
            Normalization::Cosine => {
                own.iter().map(|&k| self.composed(f64::from(k > 0.0))).collect()
            }
            _ => own.iter().map(|&k| self.composed(k)).collect(),
        })
    }

    /// Returns f(c) D / scale of every row with itself, before the composition.
    ///
    /// Since f(c) D is a kernel, |k(x, x')| <= max(k(x, x), k(x', x')): if these are in range, all
    /// are, composed or not.
    fn own(&self, rows: &Masked) -> Result<Vec<f64>> {
        let mut own = Vec::with_capacity(rows.len());
        for i in 0..rows.len() {
            let k = self.growth(rows.shown(i))? * rows.square(i);
            let reached = match self.normalization {
                Normalization::Cosine => k.max(self.composed(1.0)),
                _ => k.max(self.composed(k)),
            };
            // Not `>`, which NaN would pass.
            if !(0.0..=LARGEST).contains(&reached) {
                let row = i + 1;
                return Err(out_of_range(format!(
                    "the kernel of row {row} with itself is {reached:e}"
                )));
            }
            own.push(k);
        }
        Ok(own)
    }

    /// Returns f(c) / scale, checked for overflow.
    fn growth(&self, count: usize) -> Result<f64> {
        let f = self.horner(count as f64);
        if f <= LARGEST {
            return Ok(f);
        }
        Err(out_of_range(format!("the kernel's factor for {count} shared columns is {f:e}")))
    }

    /// Returns f(c) / scale by Horner's scheme, which needs no special case for c = 1.
    fn horner(&self, count: f64) -> f64 {
        self.scaled.iter().rev().fold(0.0, |sum, a| sum * count + a)
    }

    fn composed(&self, k: f64) -> f64 {
        match self.degree {
            1 => k,
            degree => (1..degree).fold(k + 1.0, |power, _| power * (k + 1.0)),
        }
    }

    /// Returns a further factor of each row's kernels: for `cosine` the inverse length of its
    /// embedding, else `None`.
    ///
    /// # Errors
    /// [`ErrorKind::Numerical`] if a kernel with any row that passes this check may overflow.
    pub(crate) fn factors(&self, rows: &Masked) -> Result<Option<Vec<f64>>> {
        let own = self.own(rows)?;
        Ok((self.normalization == Normalization::Cosine)
            .then(|| own.into_iter().map(inverse_root).collect()))
    }

    /// Returns true if f does not depend on the count, as with gamma = 1.
    pub(crate) fn ignores_counts(&self) -> bool {
        self.scaled.iter().skip(1).all(|&a| a == 0.0)
    }

    /// Writes the kernels of one row with many: `counts` and `products` are c and D, `factors`
    /// those of the many rows and of the one. Small gamma has explicit formulas, which the
    /// processor vectorises.
    pub(crate) fn evaluate(
        &self,
        counts: &[f32],
        products: &[f64],
        factors: Option<(&[f64], f64)>,
        out: &mut [f64],
    ) {
        match self.scaled[..] {
            [a] => out.iter_mut().zip(products).for_each(|(k, d)| *k = a * d),
            [a, b] => each(counts, products, out, |c| b * c + a),
            [a, b, e] => each(counts, products, out, |c| (e * c + b) * c + a),
            [a, b, e, f] => each(counts, products, out, |c| ((f * c + e) * c + b) * c + a),
            _ => {
                out.fill(0.0);
                for &a in self.scaled.iter().rev() {
                    out.iter_mut().zip(counts).for_each(|(k, &c)| *k = *k * f64::from(c) + a);
                }
                out.iter_mut().zip(products).for_each(|(k, d)| *k *= d);
            }
        }
        if let Some((many, one)) = factors {
            out.iter_mut().zip(many).for_each(|(k, factor)| *k = *k * factor * one);
        }
        if self.degree > 1 {
            out.iter_mut().for_each(|k| *k = self.composed(*k));
        }
    }
}

fn each(counts: &[f32], products: &[f64], out: &mut [f64], f: impl Fn(f64) -> f64) {
    for ((k, &c), d) in out.iter_mut().zip(counts).zip(products) {
        *k = f(f64::from(c)) * d;
    }
}

/// Returns 1 / sqrt(k); 0 for k = 0, so that empty rows have kernels of 0.
fn inverse_root(k: f64) -> f64 {
    if k > 0.0 { 1.0 / k.sqrt() } else { 0.0 }
}

fn in_range(declaration: &'static params::Declaration, value: u64) -> Result<()> {
    match declaration.kind {
        Kind::Count { least, most } if !(least..=most).contains(&value) => {
            let (name, allowed) = (declaration.name, declaration.kind.allowed());
            Err(ErrorKind::OutOfRange { name, value: value.to_string(), allowed }.into())
        }
        _ => Ok(()),
    }
}

fn out_of_range(cause: String) -> Error {
    let remedy = "lower gamma or degree, or scale the attributes";
    ErrorKind::Numerical { what: "computing kernels", problem: format!("{cause}; {remedy}") }.into()
}

/// Kernel as stored in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    lengths: Vec<f64>,
    normalization: Normalization,
    scale: f64,
    degree: u64,
}

impl TryFrom<Fields> for Kernel {
    type Error = Error;

    fn try_from(file: Fields) -> Result<Kernel> {
        Kernel::checked(file.lengths, file.normalization, file.scale, file.degree)
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::masked_kernel::*;
    use halfseen_solve::sampling::{Purpose, Stream};
    use ndarray::{Array2, array};

    fn random(n: usize, d: usize, share: f64, seed: u64) -> Masked {
        let mut stream = Stream::new(seed, Purpose::Data, 0);
        let cells = Array2::from_shape_fn((n, d), |_| {
            let value = stream.normal();
            if stream.unit() < share { value } else { f64::NAN }
        });
        Masked::from_rows(cells.view(), false).unwrap()
    }

    /// Returns phi_gamma: a coordinate for every sequence of at most gamma columns, those of r + 1
    /// columns weighted by sqrt(a_r).
    fn embedding(rows: &Masked, i: usize, lengths: &[f64]) -> Vec<f64> {
        let d = rows.columns();
        let mut coordinates = Vec::new();
        for (r, weight) in lengths.iter().enumerate() {
            for number in 0..d.pow(r as u32 + 1) {
                let sequence: Vec<usize> =
                    (0..=r).map(|at| number / d.pow(at as u32) % d).collect();
                let seen = sequence.iter().all(|&j| rows.dense().observed()[(j, i)] == 1.0);
                coordinates.push(if seen {
                    weight.sqrt() * rows.dense().values[(sequence[r], i)]
                } else {
                    0.0
                });
            }
        }
        coordinates
    }

    fn inner(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn the_kernel_is_the_inner_product_of_embeddings() {
        for d in 1..=4 {
            let rows = random(6, d, 0.6, d as u64);
            for gamma in 1..=4_usize {
                let weights = [0.5, 0.0, 2.0, 1.25];
                for lengths in [&[1.0; 4][..gamma], &weights[..gamma]] {
                    let embedded: Vec<_> = (0..6).map(|i| embedding(&rows, i, lengths)).collect();
                    for (normalization, degree) in [
                        (Normalization::None, 1),
                        (Normalization::Trace, 1),
                        (Normalization::Uniform, 2),
                        (Normalization::Cosine, 3),
                    ] {
                        let given = (lengths != [1.0; 4][..gamma].as_ref()).then_some(lengths);
                        let mut kernel =
                            Kernel::new(gamma as u64, given, normalization, degree).unwrap();
                        kernel.fit(&rows).unwrap();
                        let squares = || embedded.iter().map(|e| inner(e, e));
                        let scale = match normalization {
                            Normalization::Trace => squares().sum::<f64>() / 6.0,
                            Normalization::Uniform => {
                                (0..gamma).map(|r| lengths[r] * (d as f64).powi(r as i32)).sum()
                            }
                            _ => 1.0,
                        };
                        assert!((kernel.scale() - scale).abs() <= 1e-12 * scale);
                        for (i, a) in embedded.iter().enumerate() {
                            for (j, b) in embedded.iter().enumerate() {
                                let mut expected = inner(a, b) / scale;
                                let norms = (inner(a, a) * inner(b, b)).sqrt();
                                if normalization == Normalization::Cosine {
                                    expected = if norms > 0.0 { expected / norms } else { 0.0 };
                                }
                                if degree > 1 {
                                    expected = (expected + 1.0).powi(degree as i32);
                                }
                                let value = kernel.between(&rows, i, &rows, j);
                                let tolerance = 1e-12 * (1.0 + norms / scale);
                                assert!(
                                    (value - expected).abs() < tolerance,
                                    "{value} and {expected}"
                                );
                            }
                        }
                        let own = kernel.diagonal(&rows).unwrap();
                        for (i, k) in own.iter().enumerate() {
                            assert!(
                                (k - kernel.between(&rows, i, &rows, i)).abs()
                                    <= 1e-12 * k.max(1.0)
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn gamma_1_is_the_inner_product_and_complete_rows_differ_by_a_factor_only() {
        let (holes, complete) = (random(5, 7, 0.5, 1), random(5, 7, 1.0, 2));
        let dot = |rows: &Masked, i, j| {
            let values = &rows.dense().values;
            inner(values.col_as_slice(i), values.col_as_slice(j))
        };
        let zero = Kernel::new(1, None, Normalization::None, 1).unwrap();
        let four = Kernel::new(4, None, Normalization::None, 1).unwrap();
        for (i, j) in (0..25).map(|at| (at / 5, at % 5)) {
            assert_eq!(zero.between(&holes, i, &holes, j), dot(&holes, i, j));
            let expected = (1.0 + 7.0 + 49.0 + 343.0) * dot(&complete, i, j);
            assert!((four.between(&complete, i, &complete, j) - expected).abs() < 1e-12 * 400.0);
        }
    }

    #[test]
    fn one_shared_column_gives_gamma_and_none_gives_0() {
        let nan = f64::NAN;
        let rows = Masked::from_rows(
            array![[1.0, nan, 5.0], [1.0, 2.0, nan], [nan, nan, nan]].view(),
            false,
        )
        .unwrap();
        for gamma in [1, 2, 5, 64] {
            let kernel = Kernel::new(gamma, None, Normalization::None, 1).unwrap();
            assert_eq!(kernel.between(&rows, 0, &rows, 1), gamma as f64);
            assert_eq!(kernel.between(&rows, 0, &rows, 2), 0.0);
            assert_eq!(kernel.between(&rows, 2, &rows, 2), 0.0);
        }
    }

    #[test]
    fn rows_without_anything_leave_the_scale_at_1() {
        let rows = Masked::from_rows(Array2::from_elem((3, 2), f64::NAN).view(), false).unwrap();
        let none = Masked::from_rows(Array2::zeros((0, 2)).view(), false).unwrap();
        for normalization in [Normalization::Trace, Normalization::Uniform, Normalization::Cosine] {
            let mut kernel = Kernel::new(2, Some(&[0.0, 1.0]), normalization, 1).unwrap();
            kernel.fit(&rows).unwrap();
            assert_eq!(kernel.diagonal(&rows).unwrap(), [0.0; 3]);
            kernel.fit(&none).unwrap();
            assert_eq!(
                kernel.scale(),
                if normalization == Normalization::Uniform { 2.0 } else { 1.0 }
            );
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        let name = |gamma, lengths: Option<&[f64]>, degree| {
            let error = Kernel::new(gamma, lengths, Normalization::None, degree).unwrap_err();
            match error.kind() {
                ErrorKind::OutOfRange { name, .. } => (*name).to_owned(),
                ErrorKind::WrongLength { what, .. } => what.clone(),
                other => panic!("{other}"),
            }
        };
        assert_eq!(name(0, None, 1), "gamma");
        assert_eq!(name(65, None, 1), "gamma");
        assert_eq!(name(u64::MAX, None, 1), "gamma");
        assert_eq!(name(2, None, 0), "degree");
        assert_eq!(name(2, None, 17), "degree");
        for lengths in [[0.0, 0.0], [1.0, -1.0], [1.0, f64::NAN], [f64::INFINITY, 1.0]] {
            assert_eq!(name(2, Some(&lengths), 1), "length_weights");
        }
        assert!(name(2, Some(&[1.0]), 1).starts_with("length_weights"));
        assert!(name(2, Some(&[]), 1).starts_with("length_weights"));
    }

    #[test]
    fn kernels_out_of_range_are_an_error() {
        let ones =
            |d, value| Masked::from_rows(Array2::from_elem((2, d), value).view(), false).unwrap();
        let refused = |normalization, degree, rows: &Masked| {
            let mut kernel = Kernel::new(64, Option::None, normalization, degree).unwrap();
            let error = kernel.fit(rows).and_then(|()| kernel.diagonal(rows)).unwrap_err();
            matches!(error.kind(), ErrorKind::Numerical { .. })
        };
        use Normalization::{Cosine, None, Trace, Uniform};
        for normalization in [None, Trace, Uniform, Cosine] {
            assert!(refused(normalization, 1, &ones(100_000, 1.0)));
            // f(c) alone overflows, D is 0.
            assert!(refused(normalization, 1, &ones(100_000, 0.0)) || normalization == Cosine);
        }
        assert!(refused(None, 1, &ones(300, 1e100)));
        assert!(refused(None, 16, &ones(10, 1.0)));
        // Divided by the scale: the power is of numbers near 1.
        let mut kernel = Kernel::new(64, Option::None, Trace, 16).unwrap();
        kernel.fit(&ones(100, 1.0)).unwrap();
        assert!((kernel.diagonal(&ones(100, 1.0)).unwrap()[0] / 65536.0 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn files_give_the_same_kernel_back_or_an_error() {
        let mut kernel = Kernel::new(3, Some(&[0.1, 0.0, 0.7]), Normalization::Trace, 2).unwrap();
        kernel.fit(&random(9, 4, 0.7, 3)).unwrap();
        let text = serde_json::to_string(&kernel).unwrap();
        assert_eq!(serde_json::from_str::<Kernel>(&text).unwrap(), kernel);
        for (from, to) in [
            ("\"degree\":2", "\"degree\":0"),
            ("[0.1,0.0,0.7]", "[]"),
            ("[0.1,0.0,0.7]", "[0.1,-1,0.7]"),
            ("\"trace\"", "\"sum\""),
            ("\"scale\":", "\"scale\":-"),
            ("\"degree\":2", "\"degree\":2,\"more\":1"),
        ] {
            assert!(text.contains(from), "{text}");
            assert!(serde_json::from_str::<Kernel>(&text.replace(from, to)).is_err(), "{to}");
        }
    }
}
