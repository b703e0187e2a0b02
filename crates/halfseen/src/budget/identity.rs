//! Learns as if attributes were uncorrelated: Cesa-Bianchi, Shalev-Shwartz and Shamir 2010,
//! footnote 2.
//!
//! w = Proj((1/m) sum_t y_t v_t / r) over |w|_1 <= B. v_t estimates the example from k reads,
//! panels drawn without replacement, each with the weight d/k. r is the mean square of all
//! attributes: the covariance matrix is taken to be r times the identity (the paper takes r = 1,
//! which depends on the units), so that w minimises r |w|^2 - 2 w'v + s, what the mean squared
//! error would then be. It is not, where attributes are correlated or differ in scale, and no
//! number of examples mends that: a strawman, to see what the second moments are worth.
//!
//! Intercept and always-known columns are treated as in the Baseline: v is what they leave
//! unexplained of the target, exactly, attributes are about the centre as it was when asked, and
//! their weights are free. Costs O(k) per example and O(d) in memory; one read per example
//! suffices.
//!
//! N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
//! Attributes", ICML 2010.

use super::moments::{self, FromMoments, Gatherer, Gathering, Reduced, Solved, learn_from_moments};
use super::{AskTell, pass};
use crate::data::{Examples, Layout};
use crate::error::Result;
use crate::learner::{Grid, Setting};
use crate::model::{Fit, Stop};
use crate::params::{Centre, parameters};
use halfseen_solve::Monitor;
use halfseen_solve::projection::onto_l1_ball;
use std::sync::Arc;

parameters! {
    /// Parameters of the strawman, and the learner itself.
    pub struct Identity {
        name: "identity", family: Budget,
        title: "Strawman: k reads per example, attributes taken to be uncorrelated, l1 ball",
        source: "A, footnote 2";
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
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
        let Identity { budget, total_budget, centre, intercept, seed, .. } = *self;
        Gathering { budget, total_budget, centre, intercept, seed }
    }

    fn solve(learners: &[&Self], moments: &Reduced, _: &dyn Monitor) -> Result<Vec<Solved>> {
        let solve = |learner: &&Self| {
            let mut weights = moments.cross.clone();
            if moments.spread > 0.0 {
                weights.iter_mut().for_each(|w| *w /= moments.spread);
            }
            onto_l1_ball(&mut weights, learner.radius);
            Solved { weights, stop: Stop::ClosedForm, objective: None, gap: None, seconds: 0.0 }
        };
        Ok(learners.iter().map(solve).collect())
    }
}

learn_from_moments!(Identity);
