//! Learns by the Baseline of Cesa-Bianchi et al. 2010, algorithm 1: least squares in estimated
//! moments.
//!
//! Minimises w'Aw - 2 w'v + c over |w|_1 <= B, where A, v and c estimate E xx', E yx and E y^2 from
//! k reads per example. The reads do not depend on anything learned: s = floor(k/2) distinct ones
//! of the d^2 ordered pairs of panels, uniformly. A pair (i, j) adds d^2/(2s) x_i x_j at (i, j) and
//! at (j, i), so that the mean is xx'; each of the k reads adds (d/k) x_i to the estimate of x. A
//! pair may name one panel twice. With an odd budget the last read is one more panel, for v alone.
//! (The paper prints + w'v: a slip, as the loss has - 2 y <w,x>.)
//!
//! A is unbiased but need not be positive semidefinite, so the problem need not be convex, although
//! the paper says that it is. `moment_repair` selects a remedy. `psd` takes the nearest positive
//! semidefinite matrix (and gives no weight to attributes that no product observed); `diag-shift`
//! adds the absolute least eigenvalue to the diagonal; both then have a certified gap. `stationary`
//! descends from 0 to a stationary point of the original problem: the natural reading of the paper,
//! which P. Loh and M. Wainwright (Annals of Statistics, 2012) analyse too.
//!
//! Guarantee (theorem 1, for the minimiser and values in [-1, 1], a rate only): excess O((d B)^2 /
//! k sqrt(log(d/delta) / m)) with probability 1 - delta.
//!
//! Products are of values centred as they were when asked. The intercept and the always-known
//! columns are read with every example, and the products among them are exact. Their weights are
//! minimised out before A is repaired, without constraint, as in the lasso on all attributes. With
//! a budget of all panels all moments are exact, about the mean where `centre` is `running`. Memory
//! is O(d^2).
//!
//! N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
//! Attributes", ICML 2010.

use super::moments::{Ball, Limits};
use super::moments::{FromMoments, Gathering, MomentSolution, Reduced, learn_from_moments};
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::params::{Centre, MomentRepair, parameters};
use halfseen_solve::Monitor;
use std::time::Instant;

parameters! {
    /// Parameters of the Baseline, and the learner itself.
    pub struct MomentLasso {
        name: "baseline", family: Budget,
        title: "Baseline: least squares in moments estimated from pairs of reads, l1 ball",
        source: "Cesa-Bianchi et al. 2010, algorithm 1, theorem 1";
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
        total_cost: Option<f64> = None, TOTAL_COST;
        radius: f64 = 4.0, RADIUS;
        moment_repair: MomentRepair = MomentRepair::Psd, MOMENT_REPAIR;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 100_000, MAX_ITER;
        centre: Centre = Centre::Running, CENTRE;
        intercept: bool = true, INTERCEPT;
        seed: u64 = 0, SEED;
    }
}

impl FromMoments for MomentLasso {
    const PAIRS: bool = true;

    fn grid() -> Grid {
        Grid::new(&[("radius", &["0.25", "0.5", "1", "2", "4", "8", "16"])])
    }

    fn gathering(&self) -> Gathering {
        let MomentLasso { budget, total_budget, total_cost, centre, intercept, seed, .. } = *self;
        Gathering { budget, total_budget, total_cost, centre, intercept, seed }
    }

    /// Takes one eigendecomposition per repair; radii increase, each starts from the last solution.
    fn solve(
        learners: &[&Self],
        moments: &Reduced,
        monitor: &dyn Monitor,
    ) -> Result<Vec<MomentSolution>> {
        let mut solved: Vec<Option<MomentSolution>> = vec![None; learners.len()];
        for reading in [MomentRepair::Stationary, MomentRepair::Psd, MomentRepair::DiagShift] {
            let mut order: Vec<usize> =
                (0..learners.len()).filter(|&i| learners[i].moment_repair == reading).collect();
            if order.is_empty() {
                continue;
            }
            order.sort_by(|&a, &b| learners[a].radius.total_cmp(&learners[b].radius));
            let start = Instant::now();
            let ball = Ball::new(moments, reading)?;
            let limits = |l: &Self| Limits { gap: l.tol * moments.target, steps: l.max_iter };
            let radii = order.iter().map(|&i| (learners[i].radius, limits(learners[i])));
            for (&i, minimum) in order.iter().zip(ball.minimise(radii, monitor)) {
                // Without convexity the gap is no bound.
                let gap = (reading != MomentRepair::Stationary).then_some(minimum.gap);
                let (objective, seconds) = (Some(minimum.objective), start.elapsed().as_secs_f64());
                solved[i] = Some(MomentSolution {
                    weights: minimum.weights,
                    stop: minimum.stop,
                    objective,
                    gap,
                    seconds,
                });
            }
        }
        Ok(solved.into_iter().flatten().collect())
    }
}

learn_from_moments!(MomentLasso);
