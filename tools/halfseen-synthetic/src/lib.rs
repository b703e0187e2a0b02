//! Draws data with a known truth: the instances of the papers' lower bounds, and decaying moments.
//!
//! | generator | hidden | source |
//! |---|---|---|
//! | [`HiddenAttribute`] | the only informative attribute | Cesa-Bianchi et al. 2010, theorem 3 |
//! | [`ThreeAttributes`] | nothing, but no two attributes predict y | the same, theorem 4 |
//! | [`HiddenSigns`] | signs of weakly informative attributes | Hazan and Koren 2012, theorem 2.2 |
//! | [`Decaying`] | weights of attributes of unequal size | Kukliansky and Shamir 2015, section 3 |
//! | [`Sparse`] | weights of many attributes, mostly zero | the same, section 3 |
//! | [`LowRank`] | a subspace, and single cells | Hazan, Livni and Mansour 2015, section 5.1.1 |
//! | [`Blocks`] | a subspace, and blocks of columns | the same, section 5.1.2 |
//! | [`TwoCompletions`], [`TwoLines`] | cells with two completions | the same, section 1 |
//! | [`SortedRows`] | a subspace and cells, in an adverse order | the same, theorem 3 |
//!
//! Each generator is a small struct with `draw(rows, seed)`. A seed always gives the same truth and
//! rows, and a shorter draw is a prefix of a longer one (except for [`SortedRows`]). Generators
//! with missing values return [`Incomplete`], which includes the complete rows, the others
//! [`Synthetic`].
//!
//! ```
//! use halfseen_synthetic::{Decay, Decaying, Weights};
//!
//! let set = Decaying { columns: 50, decay: Decay::Power(2.0), weights: Weights::Aligned, noise: 0.1 }.draw(1000, 7)?;
//! let fit = halfseen::registry::find("aerr")?.fit(&set.examples(), &halfseen::Silent)?;
//! let excess = set.excess(&fit.linear().unwrap().weights, fit.linear().unwrap().intercept);
//! assert!(excess > 0.0);
//! # Ok::<(), halfseen::Error>(())
//! ```

mod blocks;
mod decaying;
mod hidden_attribute;
mod hidden_signs;
mod incomplete;
mod low_rank;
mod regularity;
mod sorted;
mod sparse;
mod three_attributes;
mod two_completions;
mod weights;

pub use blocks::Blocks;
pub use decaying::{Decay, Decaying};
pub use hidden_attribute::HiddenAttribute;
pub use hidden_signs::HiddenSigns;
pub use incomplete::Incomplete;
pub use low_rank::{LowRank, Spread};
pub use regularity::{Regularity, kappa, kappa_over};
pub use sorted::SortedRows;
pub use sparse::Sparse;
pub use three_attributes::ThreeAttributes;
pub use two_completions::{TwoCompletions, TwoLines};
pub use weights::Weights;

use halfseen::data::{Examples, Layout, Matrix, Moments, Scaler};
use halfseen::error::{Error, ErrorKind};
use halfseen::sampling::{Purpose, Stream};
use ndarray::{Array2, ArrayView1, ArrayViewMut1};
use std::sync::Arc;

/// Drawn rows with the true parameters of their distribution. All attributes and the target have
/// mean 0.
#[derive(Debug, Clone)]
pub struct Synthetic {
    /// Cells, (rows, columns); signs are stored as bytes, 0 for -1.
    pub matrix: Matrix,
    /// Scaler from cells to attributes.
    pub scaler: Scaler,
    /// Layout with one attribute per read.
    pub layout: Arc<Layout>,
    /// One target per row.
    pub targets: Vec<f64>,
    /// True moments, not those of the rows: mu_i = E x_i^2, and means of 0.
    pub moments: Moments,
    /// w*: the best weights in the Euclidean ball of radius |w*|, (columns).
    pub truth: Vec<f64>,
    /// E (<w*,x> - y)^2.
    pub floor: f64,
    correlation: Correlation,
}

/// Off-diagonal part of the second moments: E x x' = (1 - shared) diag(mu) + shared w* w*'.
#[derive(Debug, Clone, Copy, Default)]
struct Correlation {
    shared: f64,
    /// Factor of w* in half the gradient of E (<w,x> - y)^2 at w*; not 0 if the ball constrains w*.
    pull: f64,
}

impl Synthetic {
    /// Creates uncorrelated attributes with a target whose best weights are `truth`.
    fn new(
        matrix: Matrix,
        scaler: Scaler,
        targets: Vec<f64>,
        mu: Vec<f64>,
        truth: Vec<f64>,
        floor: f64,
    ) -> Self {
        let layout = Arc::new(Layout::singletons(matrix.columns()));
        let moments = Moments { mean: vec![0.0; mu.len()], square: mu };
        Self {
            matrix,
            scaler,
            layout,
            targets,
            moments,
            truth,
            floor,
            correlation: Correlation::default(),
        }
    }

    /// Returns all rows, for a learner without further knowledge.
    pub fn examples(&self) -> Examples<'_> {
        Examples::new(&self.matrix, &self.scaler, &self.layout, &self.targets)
    }

    /// Returns all rows, for a learner that knows the true moments.
    pub fn informed(&self) -> Examples<'_> {
        Examples { moments: Some(&self.moments), ..self.examples() }
    }

    /// Returns E (<w,x> + b - y)^2 - E (<w*,x> - y)^2 exactly, for `weights` w (columns) and
    /// `intercept` b. Hazan and Koren, and Kukliansky and Shamir, halve the loss, hence the excess.
    pub fn excess(&self, weights: &[f64], intercept: f64) -> f64 {
        debug_assert_eq!(weights.len(), self.truth.len());
        // In terms of w - w*, so that nothing cancels near the truth.
        let (mut own, mut along) = (0.0, 0.0);
        for ((w, truth), mu) in weights.iter().zip(&self.truth).zip(&self.moments.square) {
            own += mu * (w - truth).powi(2);
            along += truth * (w - truth);
        }
        let Correlation { shared, pull } = self.correlation;
        (1.0 - shared) * own + shared * along * along + 2.0 * pull * along + intercept * intercept
    }

    /// Returns |mu|_(1/2) = (sum_i sqrt(mu_i))^2, which replaces d if attributes are drawn by
    /// moments.
    pub fn half_norm(&self) -> f64 {
        self.moments.square.iter().map(|mu| mu.sqrt()).sum::<f64>().powi(2)
    }
}

/// Returns separate streams for truth and rows, so that the truth does not depend on their number.
fn streams(seed: u64, generator: u64) -> (Stream, Stream) {
    let stream = |part| Stream::new(seed, Purpose::Data, (generator << 8) | part);
    (stream(1), stream(2))
}

/// Returns signs as bytes, (rows, columns); `fill` writes a row and returns its target.
fn sign_rows(
    rows: usize,
    columns: usize,
    fill: impl FnMut(ArrayViewMut1<'_, u8>) -> f64,
) -> (Matrix, Vec<f64>) {
    let mut cells = Array2::zeros((rows, columns));
    let targets = cells.rows_mut().into_iter().map(fill).collect();
    (Matrix::U8(cells), targets)
}

/// Draws fair signs; `tell` returns the target of each row.
fn fair_signs(
    stream: &mut Stream,
    rows: usize,
    columns: usize,
    mut tell: impl FnMut(ArrayView1<'_, u8>, &mut Stream) -> f64,
) -> (Matrix, Vec<f64>) {
    sign_rows(rows, columns, |mut row| {
        let mut word = 0;
        for (j, cell) in row.iter_mut().enumerate() {
            if j % 64 == 0 {
                word = stream.word();
            }
            *cell = (word >> (j % 64)) as u8 & 1;
        }
        tell(row.view(), stream)
    })
}

/// Returns a scaler that maps the bytes 0 and 1 of column j to -+`sizes[j]`.
fn sign_scaler(sizes: &[f64]) -> Scaler {
    Scaler::Each {
        offset: vec![0.5; sizes.len()],
        divisor: sizes.iter().map(|s| 0.5 / s).collect(),
    }
}

fn sign(byte: u8) -> f64 {
    if byte == 1 { 1.0 } else { -1.0 }
}

fn out_of_range(name: &'static str, value: impl std::fmt::Display, allowed: String) -> Error {
    ErrorKind::OutOfRange { name, value: value.to_string(), allowed }.into()
}

fn at_least_one_column(columns: usize) -> halfseen::Result<()> {
    if columns > 0 { Ok(()) } else { Err(out_of_range("columns", columns, "at least 1".into())) }
}

fn rank_in_range(rank: usize, most: usize) -> halfseen::Result<()> {
    at_least_one_column(most)?;
    if (1..=most).contains(&rank) {
        Ok(())
    } else {
        Err(out_of_range("rank", rank, format!("from 1 to {most}")))
    }
}

fn noise_in_range(noise: f64) -> halfseen::Result<()> {
    if noise.is_finite() && noise >= 0.0 {
        return Ok(());
    }
    Err(out_of_range("noise", noise, "a number that is not negative".into()))
}

/// The example in docs/rust.md, run as a test: here, as a published crate would lack the page.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
pub struct RustPage;

#[cfg(test)]
mod incomplete_tests;
#[cfg(test)]
mod tests;
