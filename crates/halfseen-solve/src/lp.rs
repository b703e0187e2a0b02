//! Solves linear programs of losses that an adversary makes larger, over weights in a box.
//!
//! | module | loss of a row |
//! |---|---|
//! | [`deletion`] | the hinge after fractional deletions, all of them eliminated in closed form |
//! | [`cuts`] | the largest of affine pieces, which an oracle finds when they are needed |

pub mod cuts;
pub mod deletion;

use crate::error::{Error, Result};
use crate::length;
use std::ops::Range;

/// Rows without their zeros.
#[derive(Debug, Clone, Copy)]
pub struct SparseRows<'a> {
    /// Row i has the entries `starts[i]..starts[i + 1]`.
    pub starts: &'a [usize],
    /// The slot of each entry, increasing in a row.
    pub slots: &'a [u32],
    /// Its value.
    pub values: &'a [f64],
    /// How much each row counts, positive; `None` is 1 for all.
    pub weights: Option<&'a [f64]>,
    /// Number of slots: of weights.
    pub width: usize,
}

impl<'a> SparseRows<'a> {
    /// Refuses rows that are none, or whose lists do not fit together.
    fn check(&self) -> Result<()> {
        if self.starts.len() < 2 {
            return Err(Error::TooFewRows { what: "a linear program".into(), least: 1, rows: 0 });
        }
        let entries = self.slots.len();
        length("the values of rows", entries, self.values.len())?;
        length("the entries of rows", self.starts[self.len()], entries)?;
        if !self.starts.is_sorted() || self.slots.iter().any(|&j| j as usize >= self.width) {
            let problem = "starts decrease, or a slot is beyond the last".into();
            return Err(Error::Numerical { what: "sparse rows", problem });
        }
        self.weights.map_or(Ok(()), |w| length("the weights of rows", self.len(), w.len()))
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn entries(&self) -> usize {
        self.slots.len()
    }

    /// The sum of what all rows count.
    fn total(&self) -> f64 {
        self.weights.map_or(self.len() as f64, |weights| weights.iter().sum())
    }

    #[inline]
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    #[inline]
    fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Slots and values of one row.
    #[inline]
    fn row(&self, row: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.range(row);
        (&self.slots[range.clone()], &self.values[range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Silent;
    use crate::stop::Stop;

    /// Rows 1, -1 and 1 of one slot.
    fn rows() -> SparseRows<'static> {
        let (starts, slots, values) = (&[0, 1, 2, 3], &[0, 0, 0], &[1.0, -1.0, 1.0]);
        SparseRows { starts, slots, values, weights: None, width: 1 }
    }

    fn program(rows: SparseRows<'_>) -> deletion::Program<'_> {
        deletion::Program {
            rows,
            signs: &[1.0, -1.0, 1.0],
            attribute: &[0],
            values: &[1.0],
            budget: 0.5,
            margin: 1.0,
            rate: 2.0,
            radius: 1.0,
            bias: false,
            tol: 1e-9,
            max_iter: 100,
        }
    }

    #[test]
    fn one_attribute_of_which_half_may_go_is_solved_by_hand() {
        // A row loses (2 - w) (1 - t), for t in [0, 1/2] deleted: 2 - w.
        let found = deletion::solve(&program(rows()), &[0, 1, 2], &Silent).unwrap();
        assert_eq!(found.stop, Stop::Tolerance);
        assert!((found.weights[0] - 1.0).abs() < 1e-8 && (found.bound - 1.0).abs() < 1e-8);
    }

    /// |target - w x| of each row.
    struct Absolute([f64; 3]);

    impl cuts::Oracle for Absolute {
        fn first(&self) -> cuts::List {
            let mut list = cuts::List::default();
            for (row, target) in self.0.iter().enumerate() {
                list.push(row, 0, 1.0, *target);
                list.push(row, 1, -1.0, -target);
            }
            list
        }

        fn alone(&self) -> (f64, f64) {
            (0.0, self.0.iter().map(|y| y.abs()).sum::<f64>() / 3.0)
        }

        fn ask(&self, weights: &[f64], _: f64, _: &[f64]) -> cuts::Answer {
            let loss = |(y, x): (&f64, &f64)| (y - weights[0] * x).abs();
            cuts::Answer { sum: self.0.iter().zip(rows().values).map(loss).sum(), lists: vec![] }
        }
    }

    const OPTIONS: cuts::Options =
        cuts::Options { box_radius: 2.0, intercept: false, tol: 1e-9, max_iter: 50 };

    #[test]
    fn absolute_losses_have_the_median() {
        // w is near 0.3, -(-0.5) and 4: the median.
        let found = cuts::solve(rows(), &Absolute([0.3, -0.5, 4.0]), &OPTIONS, &Silent).unwrap();
        assert_eq!(found.stop, Stop::Tolerance);
        assert!((found.weights[0] - 0.5).abs() < 1e-7, "{found:?}");
        assert!((found.objective - 3.7 / 3.0).abs() < 1e-8);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let fits = |rows: SparseRows<'_>| {
            let lp = deletion::solve(&program(rows), &[0], &Silent).is_ok();
            let cuts = cuts::solve(rows, &Absolute([1.0; 3]), &OPTIONS, &Silent).is_ok();
            assert_eq!(lp, cuts);
            lp
        };
        assert!(fits(rows()));
        assert!(!fits(SparseRows { starts: &[0], ..rows() }));
        assert!(!fits(SparseRows { starts: &[0, 1, 2, 4], ..rows() }));
        assert!(!fits(SparseRows { starts: &[0, 2, 1, 3], ..rows() }));
        assert!(!fits(SparseRows { values: &[1.0], ..rows() }));
        assert!(!fits(SparseRows { slots: &[0, 0, 1], ..rows() }));
        assert!(!fits(SparseRows { weights: Some(&[1.0]), ..rows() }));
        let refused = |program: deletion::Program<'_>| {
            assert!(deletion::solve(&program, &[0, 1, 2], &Silent).is_err());
        };
        refused(deletion::Program { signs: &[1.0], ..program(rows()) });
        refused(deletion::Program { attribute: &[], ..program(rows()) });
        refused(deletion::Program { attribute: &[1], ..program(rows()) });
        refused(deletion::Program { budget: 0.0, ..program(rows()) });
        refused(deletion::Program { radius: f64::NAN, ..program(rows()) });
        refused(deletion::Program { tol: -1.0, ..program(rows()) });
        for keep in [&[][..], &[3]] {
            assert!(deletion::solve(&program(rows()), keep, &Silent).is_err());
        }
    }
}
