//! Approximates k_gamma by random features, so that training time is linear in the number of rows.
//!
//! **Setting**: k(x, x') = f(c) D / scale with f(c) = sum_r a_r c^r is a polynomial in two inner
//! products, of the masks m and of the zero-filled values x: c = <m, m'>, D = <x, x'>. Tensor
//! sketches (Pham and Pagh 2013) of m^(x)r (x) x therefore have inner products of mean k.
//!
//! **Split**: along the constant direction and orthogonal to it, m = (|o| / d) 1 + e with |o|
//! observed columns of d, so that c = t t' + <e, e'> with t = |o| / sqrt(d), exactly. By the
//! binomial theorem k = sum_r sum_j a_r binom(r, j) (t t')^(r - j) <e, e'>^j D / scale is a sum of
//! kernels (r, j). Those with j <= 1 contain most of k and have few features, t^r x (d of them) and
//! t^(r - 1) e (x) x (d^2); these features are explicit if it pays (`plan.rs`), and the others are
//! sketched together. If the embedding of k fits into the number of features, it is explicit
//! (`sequences.rs`), and nothing is random.
//!
//! **Guarantee**: <phi(x), phi(x')> has mean k(x, x') over seeds, and a variance inversely
//! proportional to the number of features. Pham and Pagh's bound assumes 4-wise independent signs
//! and 2-wise independent hashes. Here signs are independent, and hashes are drawn without
//! replacement, so that two columns of one table never collide while buckets are left.
//!
//! **Symbols**: d columns; D = <x, x'>; gamma = number of a_r.

mod plan;
mod sequences;
mod tensor;

use super::{Kernel, Masked};
use crate::error::{Error, ErrorKind, Result};
use crate::params::Normalization;
use faer::Mat;
use halfseen_solve::{Monitor, Silent};
use rayon::prelude::*;
use sequences::Sequences;
use serde::{Deserialize, Serialize};
use tensor::Tensor;

/// Largest number of features, and of entries of all hash tables together: 1 GiB.
const MOST_FEATURES: usize = 1 << 20;
const MOST_ENTRIES: usize = 1 << 28;

/// Rows between two looks at a monitor.
const BETWEEN_LOOKS: usize = 64;

/// Random features of k_gamma. A file stores their definition; hashes are drawn again from the
/// seed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Definition", into = "Definition")]
pub struct Sketch {
    definition: Definition,
    form: Form,
    width: usize,
}

/// Complete definition of a sketch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    columns: usize,
    lengths: Vec<f64>,
    scale: f64,
    cosine: bool,
    features: usize,
    seed: u64,
}

#[derive(Debug, Clone)]
enum Form {
    /// Every coordinate of the embedding.
    Explicit(Sequences),
    /// Some kernels (r, j) explicit, the others sketched.
    Random { explicit: Vec<Written>, tensor: Tensor },
}

/// Kernel (r, j), j <= 1, with explicit features.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Written {
    /// Exponent of t.
    power: i32,
    /// Square root of the kernel's weight.
    root: f64,
    /// True if e is a factor (j = 1).
    across: bool,
}

/// Working memory of [`Sketch::sketch_into`]; made by [`Sketch::scratch`], reused from row to row.
#[derive(Debug)]
pub struct Scratch(Room);

#[derive(Debug)]
enum Room {
    Explicit(Vec<f64>),
    Random(tensor::Room),
}

impl PartialEq for Sketch {
    fn eq(&self, other: &Sketch) -> bool {
        self.definition == other.definition
    }
}

impl Sketch {
    /// Draws at most `features` random features of k = sum_r a_r c^r D, a_r from `lengths`, for
    /// rows of `columns` columns, including the constant.
    ///
    /// # Errors
    /// No column, no feature or more than 2^20; weights not finite and at least 0, or all 0, or
    /// more than the largest gamma; tables of more than a gigabyte.
    pub fn new(columns: usize, lengths: &[f64], features: usize, seed: u64) -> Result<Sketch> {
        let kernel = Kernel::new(lengths.len() as u64, Some(lengths), Normalization::None, 1)?;
        Sketch::of(&kernel, columns, features, seed)
    }

    /// Draws at most `features` random features of a kernel, with its fitted scale (`none`,
    /// `trace`, `uniform`); with `cosine` the features of each row are divided by their length.
    ///
    /// # Errors
    /// As [`Sketch::new`]; [`ErrorKind::Needs`] for a degree above 1. Compositions are not
    /// sketched, since a higher gamma adds products at lower cost.
    pub fn of(kernel: &Kernel, columns: usize, features: usize, seed: u64) -> Result<Sketch> {
        if kernel.degree() > 1 {
            let what = "degree = 1; use features = exact, or raise gamma instead of degree";
            return Err(ErrorKind::Needs { name: "features", value: "sketch", what }.into());
        }
        Sketch::build(Definition {
            columns,
            lengths: kernel.lengths().to_vec(),
            scale: kernel.scale(),
            cosine: kernel.normalization() == Normalization::Cosine,
            features,
            seed,
        })
    }

    fn build(definition: Definition) -> Result<Sketch> {
        let Definition { columns, features, scale, .. } = definition;
        if !(1..=MOST_FEATURES).contains(&features) {
            let allowed = format!("an integer from 1 to {MOST_FEATURES}");
            return Err(ErrorKind::OutOfRange {
                name: "features",
                value: features.to_string(),
                allowed,
            }
            .into());
        }
        if columns == 0 {
            return Err(ErrorKind::NoAttributes.into());
        }
        let weights: Vec<f64> = definition.lengths.iter().map(|a| a / scale).collect();
        let form = match Sequences::new(columns, &weights, features) {
            Some(sequences) => Form::Explicit(sequences),
            None => {
                let plan = plan::plan(columns, &weights, features);
                // At most columns for each sketched kernel and each factor of masks.
                let entries =
                    columns.saturating_mul(plan.sketched.len() + definition.lengths.len());
                if entries > MOST_ENTRIES {
                    let what = format!(
                        "columns x sketched kernel terms (at most {MOST_ENTRIES}; lower gamma)"
                    );
                    return Err(ErrorKind::WrongLength {
                        what,
                        expected: MOST_ENTRIES,
                        found: entries,
                    }
                    .into());
                }
                let tensor = Tensor::new(columns, &plan.sketched, plan.buckets, definition.seed);
                Form::Random { explicit: plan.explicit, tensor }
            }
        };
        let width = match &form {
            Form::Explicit(sequences) => sequences.len(),
            Form::Random { explicit, tensor } => {
                let written =
                    explicit.iter().map(|w| if w.across { columns * columns } else { columns });
                written.sum::<usize>() + tensor.buckets()
            }
        };
        Ok(Sketch { definition, form, width })
    }

    /// Returns the number of features, at most the number requested.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of columns of the rows, including the constant.
    pub fn columns(&self) -> usize {
        self.definition.columns
    }

    /// Returns true if inner products are the kernel, up to rounding, for every seed.
    pub fn is_exact(&self) -> bool {
        matches!(self.form, Form::Explicit(_))
    }

    /// Returns the working memory of one thread.
    pub fn scratch(&self) -> Scratch {
        Scratch(match &self.form {
            Form::Explicit(sequences) => Room::Explicit(sequences.room()),
            Form::Random { tensor, .. } => Room::Random(tensor.room()),
        })
    }

    /// Writes the features of one row: `values` and `observed` are columns of a [`Masked`], `out`
    /// has length [`Sketch::width`]. Takes O(gamma (s + B log B)) for s shown columns and B
    /// buckets, and at most O(d s) for explicit features; allocates nothing.
    ///
    /// # Errors
    /// [`ErrorKind::WrongLength`] for slices of other lengths, or a scratch of another sketch.
    pub fn sketch_into(
        &self,
        values: &[f64],
        observed: &[f32],
        out: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<()> {
        let wrong = |what: &str, expected, found| {
            let what = format!("{what} of a sketch");
            Err(Error::from(ErrorKind::WrongLength { what, expected, found }))
        };
        let d = self.columns();
        if values.len() != d || observed.len() != d {
            return wrong("columns", d, values.len().min(observed.len()));
        }
        if out.len() != self.width {
            return wrong("features", self.width, out.len());
        }
        match (&self.form, &mut scratch.0) {
            (Form::Explicit(sequences), Room::Explicit(room))
                if room.len() == sequences.room_len() =>
            {
                sequences.write(values, observed, out, room);
            }
            (Form::Random { explicit, tensor }, Room::Random(room)) if tensor.fits(room) => {
                let t = tensor.share(observed, room) * (d as f64).sqrt();
                let mut rest = &mut *out;
                for written in explicit {
                    let (block, after) = rest.split_at_mut(if written.across { d * d } else { d });
                    written.write(values, observed, t, block);
                    rest = after;
                }
                tensor.write(values, t, rest, room)?;
            }
            _ => return wrong("the scratch", self.width, 0),
        }
        if self.definition.cosine {
            let length = out.iter().map(|f| f * f).sum::<f64>().sqrt();
            let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
            out.iter_mut().for_each(|f| *f *= factor);
        }
        Ok(())
    }

    /// Returns the features of all rows, (width, n_rows): one row per column, computed in parallel.
    ///
    /// # Errors
    /// [`ErrorKind::WrongLength`] for rows with another number of columns; [`ErrorKind::Numerical`]
    /// if a feature overflows.
    pub fn features(&self, rows: &Masked) -> Result<Mat<f64>> {
        self.features_while(rows, &Silent)
    }

    /// Does the same, and looks at the monitor in between.
    ///
    /// # Errors
    /// As for [`Sketch::features`]; [`ErrorKind::Interrupted`].
    pub fn features_while(&self, rows: &Masked, monitor: &dyn Monitor) -> Result<Mat<f64>> {
        if rows.columns() != self.columns() {
            let (expected, found) = (self.columns(), rows.columns());
            let what = "columns of the rows to sketch".to_owned();
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        let mut features = Mat::zeros(self.width, rows.len());
        let columns: Vec<&mut [f64]> = features
            .as_mut()
            .col_iter_mut()
            .filter_map(|c| Some(c.try_as_col_major_mut()?.as_slice_mut()))
            .collect();
        columns.into_par_iter().enumerate().try_for_each_init(
            || (self.scratch(), <(Vec<f64>, Vec<f32>)>::default()),
            |(scratch, room), (i, out)| {
                if i % BETWEEN_LOOKS == 0 && monitor.should_stop() {
                    return Err(ErrorKind::Interrupted { during: "sketching kernels" }.into());
                }
                rows.with_row(i, room, |values, observed| {
                    self.sketch_into(values, observed, out, scratch)
                })?;
                // Squares of larger features would be infinite.
                if out.iter().all(|f| f.abs() <= 1e150) {
                    return Ok(());
                }
                let problem = format!("the features of row {} overflow; lower gamma", i + 1);
                Err(Error::from(ErrorKind::Numerical { what: "sketching kernels", problem }))
            },
        )?;
        Ok(features)
    }
}

impl Written {
    fn write(&self, values: &[f64], observed: &[f32], t: f64, out: &mut [f64]) {
        let d = values.len();
        let factor = self.root * t.powi(self.power);
        if !self.across {
            out.iter_mut().zip(values).for_each(|(f, x)| *f = factor * x);
            return;
        }
        let share = t / (d as f64).sqrt();
        for (block, x) in out.chunks_exact_mut(d).zip(values) {
            let weight = factor * x;
            for (f, seen) in block.iter_mut().zip(observed) {
                *f = weight * (f64::from(*seen) - share);
            }
        }
    }
}

impl From<Sketch> for Definition {
    fn from(sketch: Sketch) -> Definition {
        sketch.definition
    }
}

impl TryFrom<Definition> for Sketch {
    type Error = Error;

    fn try_from(file: Definition) -> Result<Sketch> {
        let bad = |key: &str, problem: String| {
            crate::Error::in_file("random features of a model", key, problem)
        };
        Kernel::new(file.lengths.len() as u64, Some(&file.lengths), Normalization::None, 1)
            .map_err(|e| bad("lengths", e.to_string()))?;
        if !(file.scale > 0.0 && file.lengths.iter().all(|a| (a / file.scale).is_finite())) {
            return Err(bad("scale", format!("{:e} is not a scale", file.scale)));
        }
        Sketch::build(file).map_err(|e| bad("features", e.to_string()))
    }
}

#[cfg(test)]
mod tests;
