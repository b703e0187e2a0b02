//! Keeps the variables of the dual of Crammer and Singer's loss, whatever the scores come from.

use faer::Mat;

/// Weights w_ir >= 0 of examples and classes; those of example i sum to c_i. The minimiser is v_r =
/// sum_i b_ir x_i with b_ir = c_i 1(r = y_i) - w_ir.
pub(crate) struct Dual {
    pub(crate) y: Vec<usize>,
    /// C, times the weight of each example.
    pub(crate) c: Vec<f64>,
    /// (classes, n).
    pub(crate) w: Mat<f64>,
}

impl Dual {
    /// Creates the point b = 0.
    pub(crate) fn new(y: Vec<usize>, c: Vec<f64>, classes: usize) -> Dual {
        let mut dual = Dual { w: Mat::zeros(classes, y.len()), y, c };
        dual.settle();
        dual
    }

    /// Makes the weights of each example sum to its cost, by that of its own class if possible.
    pub(crate) fn settle(&mut self) {
        for (i, &y) in self.y.iter().enumerate() {
            let (w, cost) = (self.w.col_as_slice_mut(i), self.c[i]);
            w[y] = 0.0;
            let others: f64 = w.iter().sum();
            if others > cost {
                w.iter_mut().for_each(|w| *w *= cost / others);
            } else {
                w[y] = cost - others;
            }
        }
    }

    /// Returns b, (n, classes): exactly -w for other classes, with rows that sum to 0.
    pub(crate) fn coefficients(&self) -> Mat<f64> {
        let mut b = Mat::zeros(self.w.ncols(), self.w.nrows());
        for (i, &y) in self.y.iter().enumerate() {
            let mut sum = 0.0;
            for (r, &w) in self.w.col_as_slice(i).iter().enumerate() {
                if r != y && w != 0.0 {
                    b[(i, r)] = -w;
                    sum += w;
                }
            }
            b[(i, y)] = sum;
        }
        b
    }

    /// Returns how far the highest level g_ir = 1(r != y_i) + z_ir of an example is above that of its
    /// own class, which is its loss, and its part sum_r w_ir (max_s g_is - g_ir) of the gap.
    pub(crate) fn loss_and_gap(&self, i: usize, levels: &[f64]) -> (f64, f64) {
        let most = levels.iter().fold(f64::NEG_INFINITY, |most, &level| most.max(level));
        let gap = self.w.col_as_slice(i).iter().zip(levels).map(|(w, level)| w * (most - level));
        (most - levels[self.y[i]], gap.sum())
    }

    /// Returns the number of examples with a coefficient.
    pub(crate) fn support(&self) -> usize {
        let moved = |&(i, &y): &(usize, &usize)| {
            self.w.col_as_slice(i).iter().enumerate().any(|(r, &w)| r != y && w != 0.0)
        };
        self.y.iter().enumerate().filter(moved).count()
    }
}
