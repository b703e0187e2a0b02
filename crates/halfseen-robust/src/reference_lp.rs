//! Solves the linear programs of Dekel and Shamir 2008 as printed, by a general solver, for tests.

use super::{Adversary, KNOWN, RobustHinge, Rows};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
};
use halfseen_core::data::{Examples, Layout, Matrix, Scaler, Threat};
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::sync::Arc;

/// Problem over rows in slots: weights in a box, and a free bias or none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Textbook<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) threat: &'a Threat,
    pub(crate) box_radius: f64,
    pub(crate) intercept: bool,
}

/// Optimum, to about nine digits.
#[derive(Debug, Clone)]
pub(crate) struct Optimum {
    pub(crate) weights: Vec<f64>,
    pub(crate) bias: f64,
    pub(crate) objective: f64,
}

/// Linear program over free variables: minimal cost subject to `left` >= `right`, row by row.
#[derive(Debug, Default)]
struct Program {
    costs: Vec<f64>,
    /// (row, column, coefficient).
    left: Vec<(usize, usize, f64)>,
    right: Vec<f64>,
}

impl Program {
    fn variables(&mut self, count: usize, cost: f64) -> usize {
        self.costs.resize(self.costs.len() + count, cost);
        self.costs.len() - count
    }

    fn at_least(&mut self, left: &[(usize, f64)], right: f64) {
        let row = self.right.len();
        self.left.extend(left.iter().map(|&(column, value)| (row, column, value)));
        self.right.push(right);
    }

    fn solve(&self) -> (Vec<f64>, f64) {
        let (rows, columns) = (self.right.len(), self.costs.len());
        let of = |k: usize| self.left.iter().map(|e| if k == 0 { e.0 } else { e.1 }).collect();
        let values = self.left.iter().map(|e| -e.2).collect();
        let matrix = CscMatrix::new_from_triplets(rows, columns, of(0), of(1), values);
        let right: Vec<f64> = self.right.iter().map(|b| -b).collect();
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_iter(300)
            .tol_gap_abs(1e-11)
            .tol_gap_rel(1e-11)
            .tol_feas(1e-11)
            .reduced_tol_gap_abs(1e-8)
            .reduced_tol_gap_rel(1e-8)
            .reduced_tol_feas(1e-8)
            .build()
            .unwrap();
        let none = CscMatrix::zeros((columns, columns));
        let mut solver = DefaultSolver::new(
            &none,
            &self.costs,
            &matrix,
            &right,
            &[NonnegativeConeT(rows)],
            settings,
        )
        .unwrap();
        solver.solve();
        let status = solver.solution.status;
        assert!(matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved), "{status:?}");
        (solver.solution.x.clone(), solver.solution.obj_val)
    }
}

impl Textbook<'_> {
    /// Returns a program with variables for weights, bias (if any) and xi.
    fn program(&self) -> (Program, usize) {
        let mut program = Program::default();
        let (width, m) = (self.rows.width(), self.rows.len());
        program.variables(width, 0.0);
        for j in 0..width {
            program.at_least(&[(j, 1.0)], -self.box_radius);
            program.at_least(&[(j, -1.0)], -self.box_radius);
        }
        program.variables(usize::from(self.intercept), 0.0);
        let losses = program.variables(m, 1.0 / m as f64);
        (0..m).for_each(|i| program.at_least(&[(losses + i, 1.0)], 0.0));
        (program, losses)
    }

    /// Adds `factor` times the bias and the score of slots whose attribute is in `of`.
    fn score(
        &self,
        row: usize,
        factor: f64,
        bias: bool,
        of: impl Fn(u32) -> bool,
    ) -> Vec<(usize, f64)> {
        let (slots, values) = self.rows.row(row);
        let kept = |slot: &u32| of(self.rows.attribute()[*slot as usize]);
        let entries = slots.iter().zip(values).filter(|(slot, _)| kept(slot));
        let mut score: Vec<(usize, f64)> =
            entries.map(|(&slot, x)| (slot as usize, factor * x)).collect();
        if bias && self.intercept {
            score.push((self.rows.width(), factor));
        }
        score
    }

    fn optimum(&self, program: &Program) -> Optimum {
        let (x, objective) = program.solve();
        let width = self.rows.width();
        Optimum {
            weights: x[..width].to_vec(),
            bias: if self.intercept { x[width] } else { 0.0 },
            objective,
        }
    }

    /// Solves LP (4) with lambda and alpha for every row and attribute, zeros included.
    pub(crate) fn relaxed(&self, signs: &[f64], margin: f64) -> Optimum {
        let (mut program, losses) = self.program();
        let (left, values) = (self.threat.left(), self.threat.values());
        for (i, &y) in signs.iter().enumerate() {
            let lambda = program.variables(1, 0.0);
            let alpha = program.variables(values.len(), 0.0);
            program.at_least(&[(lambda, 1.0)], 0.0);
            let mut first = self.score(i, y, true, |attribute| attribute == KNOWN);
            first.extend([(losses + i, 1.0), (lambda, left)]);
            first.extend((0..values.len()).map(|j| (alpha + j, -1.0)));
            program.at_least(&first, 0.0);
            for (j, v) in values.iter().enumerate() {
                program.at_least(&[(alpha + j, 1.0)], 0.0);
                let mut second = self.score(i, y, false, |attribute| attribute == j as u32);
                second.extend([(lambda, -v), (alpha + j, 1.0)]);
                program.at_least(&second, margin * v / left);
            }
        }
        self.optimum(&program)
    }

    /// Returns all deletions that the threat allows, as bit sets.
    fn deletions(&self) -> Vec<u32> {
        let values = self.threat.values();
        assert!(values.len() <= 12, "all subsets of {} attributes", values.len());
        let value = |set: u32| {
            (0..values.len()).filter(|j| set >> j & 1 == 1).map(|j| values[j]).sum::<f64>()
        };
        (0..1_u32 << values.len())
            .filter(|&set| value(set) <= self.threat.budget() * (1.0 + 1e-12))
            .collect()
    }

    /// Solves LP (3): a constraint for every row and every remaining set.
    pub(crate) fn whole(&self, signs: &[f64], margin: f64) -> Optimum {
        let (mut program, losses) = self.program();
        let (left, values) = (self.threat.left(), self.threat.values());
        for set in self.deletions() {
            let kept = |attribute: u32| attribute == KNOWN || set >> attribute & 1 == 0;
            let value =
                (0..values.len()).filter(|&j| kept(j as u32)).map(|j| values[j]).sum::<f64>();
            for (i, &y) in signs.iter().enumerate() {
                let mut score = self.score(i, y, true, kept);
                score.push((losses + i, 1.0));
                program.at_least(&score, margin * value / left);
            }
        }
        self.optimum(&program)
    }

    /// Minimises the mean of max(q r, (q - 1) r), r = target - bias - the score after the worst
    /// whole deletions: a constraint for every row, sign and set.
    pub(crate) fn quantile_whole(&self, targets: &[f64], q: f64) -> Optimum {
        let (mut program, losses) = self.program();
        for set in self.deletions() {
            let kept = |attribute: u32| attribute == KNOWN || set >> attribute & 1 == 0;
            for (i, &y) in targets.iter().enumerate() {
                for slope in [q, q - 1.0] {
                    let mut score = self.score(i, slope, true, kept);
                    score.push((losses + i, 1.0));
                    program.at_least(&score, slope * y);
                }
            }
        }
        self.optimum(&program)
    }

    /// Does the same for fractional deletions by each row's dual knapsack: for both slopes s,
    /// xi >= s (y - b - <w, x>) + N lambda + sum_j beta_j,   beta_j + v_j lambda >= s w_j x_j.
    pub(crate) fn quantile_relaxed(&self, targets: &[f64], q: f64) -> Optimum {
        let (mut program, losses) = self.program();
        let values = self.threat.values();
        for (i, &y) in targets.iter().enumerate() {
            for slope in [q, q - 1.0] {
                let lambda = program.variables(1, 0.0);
                let beta = program.variables(values.len(), 0.0);
                program.at_least(&[(lambda, 1.0)], 0.0);
                let mut first = self.score(i, slope, true, |_| true);
                first.extend([(losses + i, 1.0), (lambda, -self.threat.effective())]);
                first.extend((0..values.len()).map(|j| (beta + j, -1.0)));
                program.at_least(&first, slope * y);
                for (j, &v) in values.iter().enumerate() {
                    program.at_least(&[(beta + j, 1.0)], 0.0);
                    let mut second =
                        self.score(i, -slope, false, |attribute| attribute == j as u32);
                    second.extend([(beta + j, 1.0), (lambda, v)]);
                    program.at_least(&second, 0.0);
                }
            }
        }
        self.optimum(&program)
    }
}

/// Returns the mean quantile loss of weights and a bias after the worst deletions of each row.
pub(crate) fn quantile_loss(
    case: &Textbook<'_>,
    targets: &[f64],
    q: f64,
    at: &Optimum,
    whole: bool,
) -> f64 {
    let mut adversary = Adversary::new(case.threat);
    let (mut attributes, mut sums, mut total) = (Vec::new(), Vec::new(), 0.0);
    for (i, y) in targets.iter().enumerate() {
        let known = case.rows.contributions(i, &at.weights, &mut attributes, &mut sums);
        let residual = y - at.bias - known - sums.iter().sum::<f64>();
        let worst = [q, q - 1.0].map(|slope| {
            let gains: Vec<f64> = sums.iter().map(|s| slope * s).collect();
            let gain = if whole {
                adversary.whole(&attributes, &gains).gain
            } else {
                adversary.relaxed(&attributes, &gains)
            };
            slope * residual + gain
        });
        total += worst[0].max(worst[1]).max(0.0);
    }
    total / targets.len() as f64
}

/// Returns the rows of a table in which every column is an attribute that can be deleted.
pub(crate) fn rows_of(cells: Array2<f64>) -> Rows {
    let layout = Layout::singletons(cells.ncols());
    rows_in(cells, layout)
}

/// Returns the rows of a table in a layout.
pub(crate) fn rows_in(cells: Array2<f64>, layout: Layout) -> Rows {
    let m = cells.nrows();
    let (matrix, scaler, layout) = (Matrix::F64(cells), Scaler::None {}, Arc::new(layout));
    let examples = Examples {
        matrix: &matrix,
        scaler: &scaler,
        layout: &layout,
        targets: &vec![1.0; m],
        labels: None,
        rows: (0..m as u32).collect::<Vec<u32>>().into(),
        weights: None,
        moments: None,
        declared: Default::default(),
        pilot: None,
    };
    Rows::new(&examples, "a test").unwrap()
}

/// Returns a random table in [-1, 1] with this share of zeros, and signs of a noisy linear rule.
pub(crate) fn random(m: usize, n: usize, zeros: f64, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, (m * 1000 + n) as u64);
    let rule: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
    let cells = Array2::from_shape_fn((m, n), |_| {
        if stream.unit() < zeros { 0.0 } else { 2.0 * stream.unit() - 1.0 }
    });
    let noise = 0.3 * (n as f64).sqrt();
    let score =
        |row: ndarray::ArrayView1<'_, f64>| row.iter().zip(&rule).map(|(x, w)| x * w).sum::<f64>();
    let signs = cells
        .rows()
        .into_iter()
        .map(|row| (score(row) + noise * stream.normal()).signum())
        .collect();
    (cells, signs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_by_hand() {
        // y = 1, x = (1, 1), v = (1, 1), N = 1, C = 1: after a deletion w = (1, 1) scores 1.
        let rows = rows_of(Array2::from_elem((1, 2), 1.0));
        let threat = Threat::uniform(2, 1.0).unwrap();
        let case = Textbook { rows: &rows, threat: &threat, box_radius: 1.0, intercept: false };
        // gamma V(J) / P: 2 for both attributes, 1.5 for one: the losses are [4 - 2]_+ and [2 -
        // 1]_+ at gamma = 2.
        for best in [case.relaxed(&[1.0], 2.0), case.whole(&[1.0], 2.0)] {
            assert!((best.objective - 2.0).abs() < 1e-8, "{best:?}");
        }
        // r = 3 - 1 after either deletion.
        for best in [case.quantile_whole(&[3.0], 0.5), case.quantile_relaxed(&[3.0], 0.5)] {
            assert!((best.objective - 1.0).abs() < 1e-8, "{best:?}");
        }
    }

    #[test]
    fn the_optimum_has_the_loss_it_says() {
        for seed in 0..10 {
            let (cells, signs) = random(30, 6, 0.2, seed);
            let rows = rows_of(cells);
            let threat = Threat::new(vec![1.0, 2.0, 0.5, 0.0, 1.5, 1.0], 2.2).unwrap();
            let case = Textbook {
                rows: &rows,
                threat: &threat,
                box_radius: 1.0,
                intercept: seed % 2 == 0,
            };
            let margin = 0.3 * threat.left();
            let best = case.relaxed(&signs, margin);
            let hinge = RobustHinge { threat: &threat, margin };
            assert!(
                (hinge.mean(&rows, &signs, &best.weights, best.bias) - best.objective).abs() < 1e-8
            );
            assert!(case.whole(&signs, margin).objective <= best.objective + 1e-9);
            let targets: Vec<f64> =
                signs.iter().enumerate().map(|(i, y)| y + 0.1 * (i % 7) as f64).collect();
            let whole = case.quantile_whole(&targets, 0.3);
            let relaxed = case.quantile_relaxed(&targets, 0.3);
            assert!(
                (quantile_loss(&case, &targets, 0.3, &relaxed, false) - relaxed.objective).abs()
                    < 1e-8
            );
            assert!(whole.objective <= relaxed.objective + 1e-9);
        }
    }
}
