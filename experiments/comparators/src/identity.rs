//! Learns as if attributes were uncorrelated: Cesa-Bianchi et al. 2010, footnote 2.
//!
//! w = Proj((1/m) sum_t y_t v_t / r) over |w|_1 <= B. v_t estimates the example from k reads of
//! panels drawn without replacement, each weighted by d/k. r is the mean square of all attributes:
//! the covariance matrix is replaced by r times the identity (the paper takes r = 1, which depends
//! on the units), so that w minimises r |w|^2 - 2 w'v + s, the mean squared error under this
//! assumption. The assumption fails where attributes are correlated or differ in scale, and more
//! examples do not help: a strawman that shows the value of the second moments.
//!
//! The intercept and always-known columns are treated as in the Baseline: v is exactly the part of
//! the target that they leave unexplained, attributes are centred as they were when asked, and the
//! weights of these columns are free. Costs O(k) time per example and O(d) memory; one read per
//! example suffices.
//!
//! N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
//! Attributes", ICML 2010.

use halfseen::budget::moments::{
    FromMoments, Gathering, MomentSolution, Reduced, learn_from_moments,
};
use halfseen::learner::Grid;
use halfseen::model::Stop;
use halfseen::params::{Centre, parameters};
use halfseen::projection::onto_l1_ball;
use halfseen::{Monitor, Result};

parameters! {
    /// Parameters of the strawman, and the learner itself.
    pub struct Identity {
        name: "identity", family: Budget,
        title: "Strawman: k reads per example, attributes taken to be uncorrelated, l1 ball",
        source: "Cesa-Bianchi et al. 2010, footnote 2";
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
        total_cost: Option<f64> = None, TOTAL_COST;
        radius: f64 = 2.0, RADIUS;
        centre: Centre = Centre::Running, CENTRE;
        intercept: bool = true, INTERCEPT;
        seed: u64 = 0, SEED;
    }
}

impl FromMoments for Identity {
    const PAIRS: bool = false;

    fn grid() -> Grid {
        Grid::new(&[("radius", &["0.25", "0.5", "1", "2", "4", "8", "16"])])
    }

    fn gathering(&self) -> Gathering {
        let Identity { budget, total_budget, total_cost, centre, intercept, seed, .. } = *self;
        Gathering { budget, total_budget, total_cost, centre, intercept, seed }
    }

    fn solve(
        learners: &[&Self],
        moments: &Reduced,
        _: &dyn Monitor,
    ) -> Result<Vec<MomentSolution>> {
        let solve = |learner: &&Self| {
            let mut weights = moments.cross.clone();
            if moments.spread > 0.0 {
                weights.iter_mut().for_each(|w| *w /= moments.spread);
            }
            onto_l1_ball(&mut weights, learner.radius);
            MomentSolution {
                weights,
                stop: Stop::ClosedForm,
                objective: None,
                gap: None,
                seconds: 0.0,
            }
        };
        Ok(learners.iter().map(solve).collect())
    }
}

learn_from_moments!(Identity);
