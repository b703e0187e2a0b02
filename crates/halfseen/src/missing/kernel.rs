//! Compares two incomplete rows by what both show: the kernel k_gamma of paper D.
//!
//! **Symbols**: c is the number of columns that both rows show, D the inner product over them.
//! k_gamma = (1 + c + ... + c^(gamma - 1)) D (paper D, section 4.1) is the inner product of
//! embeddings whose coordinates are the sequences s of at most gamma columns: the value of the last
//! column where all of s are observed, else 0. gamma = 1 is imputation by zero.
//!
//! **General form**: k = f(c) D with f(c) = sum over r below gamma of a_r c^r, a kernel for any
//! a_r >= 0 (sequences of length r + 1 weighted by sqrt(a_r)). It is then divided by a scale, and
//! composed: ((f(c) D) / scale + coef0)^degree (paper D, section 6).
//!
//! f grows as c^(gamma - 1), so what a weight C of the losses means depends on gamma and on the
//! number of columns, unless the kernel is divided by its size on training rows (`trace`, the
//! default) or by f of all columns (`uniform`). Both leave the class of predictors as it is;
//! `cosine` does not: it divides each row's embedding by its length.

use super::masked::Masked;
use super::online::{Comparison, Row};
use crate::error::{Error, ErrorKind, Result};
use crate::params::{self, Kind, Normalization};
use serde::{Deserialize, Serialize};

/// Kernels of a row with itself above this are refused: no product of two of their roots overflows.
const LARGEST: f64 = 1e300;

/// k_gamma with its weights, its normalisation and its composition.
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
    coef0: f64,
}

impl Kernel {
    /// The kernel before it has seen rows: its scale is 1 until [`Kernel::fit`].
    ///
    /// `lengths` are the weights a_0 to a_(gamma - 1), 1 each if not given.
    ///
    /// # Errors
    /// A parameter outside its declared range; not gamma weights, one below 0 or not finite, or all 0.
    pub fn new(
        gamma: u64,
        lengths: Option<&[f64]>,
        normalization: Normalization,
        degree: u64,
        coef0: f64,
    ) -> Result<Kernel> {
        in_range(&params::GAMMA, gamma)?;
        let lengths = match lengths {
            Some(lengths) if lengths.len() as u64 != gamma => {
                let what = "length_weights, one for each length up to gamma".to_owned();
                return Err(ErrorKind::WrongLength { what, expected: gamma as usize, found: lengths.len() }.into());
            }
            Some(lengths) => lengths.to_vec(),
            None => vec![1.0; gamma as usize],
        };
        Kernel::checked(lengths, normalization, 1.0, degree, coef0)
    }

    fn checked(lengths: Vec<f64>, normalization: Normalization, scale: f64, degree: u64, coef0: f64) -> Result<Kernel> {
        in_range(&params::GAMMA, lengths.len() as u64)?;
        in_range(&params::DEGREE, degree)?;
        let wrong = lengths.iter().find(|&a| !(0.0..=f64::MAX).contains(a));
        let wrong = wrong.or(lengths.first().filter(|_| lengths.iter().all(|&a| a == 0.0)));
        if let Some(value) = wrong {
            let (name, allowed) = (params::LENGTH_WEIGHTS.name, "finite and at least 0, and one of them above 0");
            return Err(ErrorKind::OutOfRange { name, value: value.to_string(), allowed: allowed.into() }.into());
        }
        if !(0.0..=f64::MAX).contains(&coef0) {
            let allowed = params::COEF0.kind.allowed();
            return Err(ErrorKind::OutOfRange { name: params::COEF0.name, value: coef0.to_string(), allowed }.into());
        }
        let scaled: Vec<f64> = lengths.iter().map(|a| a / scale).collect();
        if !(scale > 0.0 && scale.is_finite() && scaled.iter().all(|a| a.is_finite())) {
            return Err(out_of_range(format!("the scale is {scale:e}")));
        }
        Ok(Kernel { scaled, lengths, normalization, scale, degree, coef0 })
    }

    /// Finds the scale: for `trace` the mean of k(x, x) over these rows, for `uniform` f of all columns, the
    /// constant counted; else 1. Where it would be 0 every kernel is 0 and it is left at 1.
    ///
    /// # Errors
    /// [`ErrorKind::Numerical`] if a kernel leaves the range of numbers.
    pub fn fit(&mut self, rows: &Masked) -> Result<()> {
        let plain = Kernel::checked(self.lengths.clone(), Normalization::None, 1.0, 1, 0.0)?;
        let scale = match self.normalization {
            Normalization::None | Normalization::Cosine => 1.0,
            Normalization::Uniform => plain.growth(rows.columns())?,
            Normalization::Trace => {
                let own = plain.own(rows)?;
                // Each term divided: the sum of many large ones would overflow.
                own.iter().map(|k| k / own.len() as f64).sum()
            }
        };
        let scale = if scale > 0.0 { scale } else { 1.0 };
        *self = Kernel::checked(self.lengths.clone(), self.normalization, scale, self.degree, self.coef0)?;
        Ok(())
    }

    /// gamma: the length of the longest sequences compared.
    pub fn gamma(&self) -> usize {
        self.lengths.len()
    }

    /// The weights a_0 to a_(gamma - 1).
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// How the kernel is normalised.
    pub fn normalization(&self) -> Normalization {
        self.normalization
    }

    /// What f(c) D is divided by; 1 before [`Kernel::fit`].
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The exponent of the composition.
    pub fn degree(&self) -> u64 {
        self.degree
    }

    /// What is added before the exponent is applied.
    pub fn coef0(&self) -> f64 {
        self.coef0
    }

    /// The kernel of two rows, plainly: what Gram matrices hold, up to rounding.
    ///
    /// Rows are counted from 0 and must have as many columns.
    pub fn between(&self, left: &Masked, i: usize, right: &Masked, j: usize) -> f64 {
        self.compare(row_of(left, i), row_of(right, j))
    }

    /// k(x, x) of every row.
    ///
    /// # Errors
    /// [`ErrorKind::Numerical`] if one leaves the range of numbers.
    pub fn diagonal(&self, rows: &Masked) -> Result<Vec<f64>> {
        let own = self.own(rows)?;
        Ok(match self.normalization {
            Normalization::Cosine => own.iter().map(|&k| self.composed(f64::from(k > 0.0))).collect(),
            _ => own.iter().map(|&k| self.composed(k)).collect(),
        })
    }

    /// f(c) D / scale of every row with itself, before the composition.
    ///
    /// As f(c) D is a kernel, |k(x, x')| is at most the larger of k(x, x) and k(x', x'): where these are in
    /// range all others are, composed or not.
    fn own(&self, rows: &Masked) -> Result<Vec<f64>> {
        let squares = |i| rows.values.col_as_slice(i).iter().map(|x| x * x).sum::<f64>();
        let mut own = Vec::with_capacity(rows.len());
        for i in 0..rows.len() {
            let k = self.growth(rows.shown(i))? * squares(i);
            let reached = match self.normalization {
                Normalization::Cosine => k.max(self.composed(1.0)),
                _ => k.max(self.composed(k)),
            };
            // Not `>`, which NaN would pass.
            if !(0.0..=LARGEST).contains(&reached) {
                let row = i + 1;
                return Err(out_of_range(format!("the kernel of row {row} with itself is {reached:e}")));
            }
            own.push(k);
        }
        Ok(own)
    }

    /// f(c) / scale.
    fn growth(&self, count: usize) -> Result<f64> {
        let f = self.horner(count as f64);
        if f <= LARGEST {
            return Ok(f);
        }
        Err(out_of_range(format!("the kernel's factor for {count} shared columns is {f:e}")))
    }

    /// f(c) / scale by Horner's scheme: no quotient, so c = 1 is like any other count.
    fn horner(&self, count: f64) -> f64 {
        self.scaled.iter().rev().fold(0.0, |sum, a| sum * count + a)
    }

    /// f(c) D / scale.
    fn plain(&self, a: Row<'_>, b: Row<'_>) -> f64 {
        let count = a.observed.iter().zip(b.observed).filter(|&(&s, &t)| s != 0.0 && t != 0.0).count();
        self.horner(count as f64) * a.values.iter().zip(b.values).map(|(x, y)| x * y).sum::<f64>()
    }

    /// (k + coef0)^degree.
    fn composed(&self, k: f64) -> f64 {
        let base = k + self.coef0;
        (1..self.degree).fold(base, |power, _| power * base)
    }

    /// What each row's kernels are multiplied by besides: the inverse length of its embedding for `cosine`,
    /// nothing for the others.
    ///
    /// # Errors
    /// [`ErrorKind::Numerical`] if a kernel among these rows, or of one of them with a row of others that
    /// pass, may leave the range of numbers.
    pub(crate) fn factors(&self, rows: &Masked) -> Result<Option<Vec<f64>>> {
        let own = self.own(rows)?;
        Ok((self.normalization == Normalization::Cosine).then(|| own.into_iter().map(inverse_root).collect()))
    }

    /// Whether f does not depend on the count, as with gamma = 1.
    pub(crate) fn ignores_counts(&self) -> bool {
        self.scaled.iter().skip(1).all(|&a| a == 0.0)
    }

    /// Writes the kernels of one row with many: `counts` and `products` are the c and D, `factors` those of
    /// the many rows and of the one. Pass by pass, so that the processor works on several rows at a time.
    pub(crate) fn evaluate(&self, counts: &[f32], products: &[f64], factors: Option<(&[f64], f64)>, out: &mut [f64]) {
        let (last, others) = self.scaled.split_last().map_or((0.0, &[][..]), |(last, others)| (*last, others));
        if self.ignores_counts() {
            let first = self.scaled.first().copied().unwrap_or(0.0);
            out.iter_mut().zip(products).for_each(|(k, d)| *k = first * d);
        } else {
            out.fill(last);
            for &a in others.iter().rev() {
                out.iter_mut().zip(counts).for_each(|(k, &c)| *k = *k * f64::from(c) + a);
            }
            out.iter_mut().zip(products).for_each(|(k, d)| *k *= d);
        }
        if let Some((many, one)) = factors {
            out.iter_mut().zip(many).for_each(|(k, factor)| *k = *k * factor * one);
        }
        if self.degree > 1 || self.coef0 > 0.0 {
            out.iter_mut().for_each(|k| *k = self.composed(*k));
        }
    }
}

/// For [`OnlineKarma`](super::online::OnlineKarma), which compares rows one by one.
impl Comparison for Kernel {
    fn compare(&self, a: Row<'_>, b: Row<'_>) -> f64 {
        let k = self.plain(a, b);
        self.composed(match self.normalization {
            Normalization::Cosine => k * inverse_root(self.plain(a, a)) * inverse_root(self.plain(b, b)),
            _ => k,
        })
    }
}

fn row_of(rows: &Masked, i: usize) -> Row<'_> {
    Row { values: rows.values.col_as_slice(i), observed: rows.observed.col_as_slice(i) }
}

/// 1 / sqrt(k); 0 where k is 0, so that empty rows have 0 with everybody.
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

fn out_of_range(found: String) -> Error {
    let remedy = "lower gamma or degree, weight long sequences less (length_weights), or scale the attributes";
    ErrorKind::Numerical { what: "computing kernels", problem: format!("{found}; {remedy}") }.into()
}

/// A kernel as a file holds it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    lengths: Vec<f64>,
    normalization: Normalization,
    scale: f64,
    degree: u64,
    coef0: f64,
}

impl TryFrom<Fields> for Kernel {
    type Error = Error;

    fn try_from(file: Fields) -> Result<Kernel> {
        Kernel::checked(file.lengths, file.normalization, file.scale, file.degree, file.coef0)
    }
}
